/* SPDX-License-Identifier: GPL-2.0-only */
/* insns.c - reads the code of a range and splits it into instructions. */
#include "outputs/insns/insns.h"

#include <cstrace/isa.h>

/* An IT block has four instructions, of four bytes at most, behind the IT instruction. */
#define IT_REACH 18u

static uint16_t halfword(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t word(const uint8_t *p)
{
	return halfword(p) | (uint32_t)halfword(p + 2) << 16;
}

/*
 * Instructions at `addr` that an IT block from before may hold. Execution came there by another way than from the
 * instruction before, for example from an exception; the bytes before need not be instructions, so that the largest number
 * is taken that fits.
 */
static uint8_t it_before(const struct stream *s, uint64_t addr)
{
	uint8_t code[IT_REACH];
	unsigned int at, count, most = 0, pos;

	if (addr < IT_REACH || session_read_code(s, addr - IT_REACH, code, sizeof(code)) != sizeof(code))
		return 0;
	for (at = 0; at < IT_REACH; at += 2) {
		count = cst_t32_it_count(halfword(code + at));
		for (pos = at + 2; count && pos < IT_REACH; count--)
			pos += cst_t32_size(halfword(code + pos));
		if (pos == IT_REACH && count > most)
			most = count;
	}
	return (uint8_t)most;
}

void insns_begin(struct insns *in, const struct stream *s, const struct cst_generic *range, struct insn_it *it)
{
	in->s = s;
	in->g = range;
	in->it = it;
	in->addr = range->addr;
	in->code_at = range->addr;
	in->code_len = 0;
	in->all_known = s->config->protocol == CST_PROTO_ETMV3;
	if (range->isa != CST_ISA_T32)
		it->left = 0;
	else if (it->next != range->addr)
		it->left = in->all_known ? 0 : it_before(s, range->addr);
}

/* `want` bytes of the range at in->addr. NULL: they cannot be read. */
static const uint8_t *code(struct insns *in, size_t want)
{
	uint64_t left = insns_left(in);
	size_t len;

	if (in->addr - in->code_at + want > in->code_len) {
		len = left < INSN_CODE ? (size_t)left : INSN_CODE;
		in->code_at = in->addr;
		in->code_len = session_read_code(in->s, in->addr, in->code, len);
		if (in->code_len < want)
			return NULL;
	}
	return in->code + (in->addr - in->code_at);
}

/* The opcode and its size; false: no code. */
static bool read_opcode(struct insns *in, struct insn *insn)
{
	const bool t32 = insn->isa == CST_ISA_T32 || insn->isa == CST_ISA_TEE;
	const uint8_t *p = code(in, t32 ? 2 : 4);

	if (!p)
		return false;
	insn->size = t32 ? (uint8_t)cst_t32_size(halfword(p)) : 4;
	if (insn->size == 2) {
		insn->opcode = halfword(p);
		return true;
	}
	p = code(in, 4);
	if (p)
		insn->opcode = t32 ? (uint32_t)halfword(p) << 16 | halfword(p + 2) : word(p);
	return p;
}

/* True if the instruction has a condition (Arm ARM F1.3, F4.1), whose result the trace may not show. */
static bool conditional(struct insns *in, const struct insn *insn)
{
	if (insn->isa == CST_ISA_A32)
		return insn->opcode >> 28 < 14;
	if (insn->isa != CST_ISA_T32)
		return false;
	if (in->it->left) {
		in->it->left--;
		return true;
	}
	if (insn->size == 2)
		in->it->left = (uint8_t)cst_t32_it_count((uint16_t)insn->opcode);
	return false;
}

/*
 * For an instruction behind which execution continued. A Source Address element makes a range in which conditional branches have no
 * atoms (Arm ARM K10.5, "Source Address element"): these were not
 * taken. A branch to the next instruction may have been.
 */
static bool not_taken(const struct insns *in, const struct insn *insn)
{
	struct cst_insn what;

	if (in->s->config->protocol != CST_PROTO_ETE)
		return false;
	cst_isa_classify(&what, (enum cst_isa)insn->isa, insn->size == 2 ? insn->opcode << 16 : insn->opcode, insn->addr, 0);
	return what.type == CST_INSN_BRANCH && what.cond && what.disp != insn->size;
}

bool insns_next(struct insns *in, struct insn *insn)
{
	const struct cst_generic *g = in->g;
	bool either, last;

	if (!insns_left(in))
		return false;
	insn->addr = in->addr;
	insn->isa = g->isa;
	if (!read_opcode(in, insn) || insns_left(in) < insn->size)
		return false;
	in->addr += insn->size;
	last = !insns_left(in);
	either = conditional(in, insn) && !in->all_known;
	if (last && g->flags & CST_GF_WAYPOINT)
		insn->result = g->flags & CST_GF_EXEC ? INSN_PASSED : INSN_FAILED;
	else if (!last && not_taken(in, insn))
		insn->result = INSN_FAILED;
	else
		insn->result = either ? INSN_EITHER : INSN_PASSED;
	if (last)
		in->it->next = g->end;
	return true;
}
