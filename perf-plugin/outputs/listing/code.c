/* SPDX-License-Identifier: GPL-2.0-only */
/* code.c - prints instructions. */
#include "outputs/listing/code.h"

#include <stdio.h>

#include <cstrace/isa.h>

#include "session/decode/locate.h"

/* A block of a branch stack with more bytes is not printed, as with perf. */
#define BLOCK_MAX	16384u

/* Width of the text of a branch's instruction. */
#define INSN_WIDTH	30u

/* The code at an address. */
struct fetched {
	uint8_t bytes[4];
	size_t n;		/* 0: no code is there */
	uint32_t opcode;	/* as for cst_isa_classify(), except that 16-bit instructions are in bits 15:0 */
};

static struct fetched fetch(const struct stream *s, uint64_t addr, enum cst_isa isa)
{
	const bool t32 = isa == CST_ISA_T32 || isa == CST_ISA_TEE;
	struct fetched f = { .n = 0 };
	const uint8_t *b = f.bytes;
	uint16_t first;
	size_t n = session_read_any(s, addr, f.bytes, 4);

	if (n < (t32 ? 2 : 4))
		return f;
	if (!t32) {
		f.n = 4;
		f.opcode = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
		return f;
	}
	first = (uint16_t)(b[0] | b[1] << 8);
	f.opcode = first;
	f.n = cst_t32_size(first);
	if (f.n == 4)
		f.opcode = (uint32_t)first << 16 | (uint32_t)(b[2] | b[3] << 8);
	if (f.n > n)
		f.n = 0;
	return f;
}

static void put_bytes(struct line *l, const uint8_t *code, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		*l->p++ = ' ';
		*l->p++ = "0123456789abcdef"[code[i] >> 4];
		*l->p++ = "0123456789abcdef"[code[i] & 15];
	}
}

/* Returns "" for what has no text. */
static const char *text_of(struct disasm *d, const struct stream *s, uint64_t addr, enum cst_isa isa,
			   const struct fetched *f)
{
	return d ? disasm_text(d, isa, (enum cst_profile)s->config->profile, addr, f->opcode, (unsigned int)f->n) : "";
}

/* Disassembly; the bytes of an instruction without. Returns the length of the text. */
static size_t put_code(struct line *l, struct disasm *d, const struct stream *s, uint64_t addr, enum cst_isa isa,
		       const struct fetched *f)
{
	const char *text = text_of(d, s, addr, isa, f);
	const char *start;

	line_room(l, LINE_ROOM);
	start = l->p;
	if (*text) {
		l->p = text_bytes(l->p, text, strlen(text));
	} else {
		l->p = text_lit(l->p, "insn:");
		put_bytes(l, f->bytes, f->n);
	}
	return (size_t)(l->p - start);
}

void code_insn(struct line *l, struct disasm *d, const struct stream *s, uint64_t addr, unsigned int size,
	       enum cst_isa isa)
{
	struct fetched f;

	line_room(l, LINE_ROOM);
	if (l->fields & LIST_INSNLEN) {
		l->p = text_lit(l->p, " ilen: ");
		l->p = text_dec(l->p, size, 0, ' ');
	}
	if (!(l->fields & (LIST_INSN | LIST_DISASM)) || !size)
		return;
	f = fetch(s, addr, isa);
	if (!f.n)
		return;
	if (l->fields & LIST_INSN) {
		l->p = text_lit(l->p, " insn:");
		put_bytes(l, f.bytes, f.n);
	}
	if (l->fields & LIST_DISASM) {
		l->p = text_lit(l->p, "\t\t");
		put_code(l, d, s, addr, isa, &f);
	}
}

/* ---- the code that a branch stack passed ------------------------------------------------------- */

struct passed {
	struct line *l;
	struct disasm *d;
	const struct stream *s;
	const char *symbol;	/* of the last instruction */
	uint64_t cycles;	/* of all branches so far */
};

/* A line with the symbol, where that is another one. */
static void put_symbol(struct passed *p, uint64_t addr)
{
	const struct symbol_at *at = symbols_find(p->l->symbols, p->s, addr);
	struct line *l = p->l;

	if (!at->names.name || at->names.name == p->symbol)
		return;
	p->symbol = at->names.name;
	line_room(l, LINE_ROOM);
	*l->p++ = '\t';
	line_name(l, at->names.name, at->names.name_plain, 0);
	if (at->names.offset) {
		*l->p++ = '+';
		l->p = text_dec(l->p, (int64_t)at->names.offset, 0, ' ');
	}
	*l->p++ = ':';
	if (l->fields & LIST_SRCLINE)
		line_source(l, p->s, addr, line_thread(p->s), "\t");
	*l->p++ = '\n';
}

/* The instruction at `addr`, without the end of its line. Returns the length of its text. */
static size_t put_insn(struct passed *p, uint64_t addr, enum cst_isa isa, const struct fetched *f)
{
	struct line *l = p->l;
	char digits[20];

	put_symbol(p, addr);
	line_room(l, LINE_ROOM);
	*l->p++ = '\t';
	snprintf(digits, sizeof(digits), "%016llx", (unsigned long long)addr);
	l->p = text_bytes(l->p, digits, 16);
	*l->p++ = '\t';
	return put_code(l, l->fields & LIST_BRSTACKDISASM ? p->d : NULL, p->s, addr, isa, f);
}

static void put_cycles(struct passed *p, uint32_t cycles, unsigned int insns)
{
	struct line *l = p->l;
	char ipc[32];

	p->cycles += cycles;
	*l->p++ = ' ';
	l->p = text_dec(l->p, cycles, 0, ' ');
	l->p = text_lit(l->p, " cycles [");
	l->p = text_dec(l->p, (int64_t)p->cycles, 0, ' ');
	*l->p++ = ']';
	if (!insns)
		return;
	snprintf(ipc, sizeof(ipc), " %.2f IPC", (double)insns / cycles);
	l->p = text_bytes(l->p, ipc, strlen(ipc));
}

/* The branch of an entry; `insns`: instructions of its block, 0 if they are not known. */
static void put_branch(struct passed *p, const struct ring_entry *e, enum cst_isa isa, const struct fetched *f,
		       unsigned int insns)
{
	const size_t width = put_insn(p, e->from, isa, f);
	struct line *l = p->l;

	line_room(l, LINE_ROOM);
	l->p = text_pad(l->p, width, INSN_WIDTH, ' ');
	*l->p++ = '\t';
	if (l->fields & LIST_SRCLINE) {
		line_source(l, p->s, e->from, line_thread(p->s), " srcline: ");
		*l->p++ = '\t';
	}
	l->p = text_lit(l->p, "# PRED");
	if (ring_cycles_of(e))
		put_cycles(p, ring_cycles_of(e), insns);
	*l->p++ = '\n';
}

/* True if instructions of `isa` from `start` on lead to one at `end` that is a branch. */
static bool leads_to_branch(const struct stream *s, uint64_t start, uint64_t end, enum cst_isa isa)
{
	struct cst_insn insn;
	struct fetched f;

	for (;; start += f.n) {
		f = fetch(s, start, isa);
		if (!f.n || start > end)
			return false;
		if (start < end)
			continue;
		cst_isa_classify(&insn, isa, isa == CST_ISA_T32 && f.n == 2 ? f.opcode << 16 : f.opcode, start, 0);
		return cst_insn_is_branch(insn.type);
	}
}

/*
 * Instruction set of the block from `start` to the branch at `end`, which a branch stack does not say. AArch32: the one
 * in which there is a branch at `end`; if that holds for both, or for none (an exception), `isa`.
 */
static enum cst_isa isa_of_block(const struct stream *s, uint64_t start, uint64_t end, enum cst_isa isa)
{
	bool a32, t32;

	if (isa == CST_ISA_A64 || start > UINT32_MAX || end > UINT32_MAX)
		return CST_ISA_A64;
	if ((start | end) & 2)
		return CST_ISA_T32;
	a32 = leads_to_branch(s, start, end, CST_ISA_A32);
	t32 = leads_to_branch(s, start, end, CST_ISA_T32);
	return a32 == t32 ? isa : a32 ? CST_ISA_A32 : CST_ISA_T32;
}

/*
 * The instructions from `start` up to the one at `end`, which is the branch of entry `e` or, without e, the sample's.
 * `isa`: that of the sample.
 */
static void put_block(struct passed *p, uint64_t start, uint64_t end, const struct ring_entry *e, enum cst_isa isa)
{
	unsigned int insns = 0;
	struct fetched f;

	if (end < start || end - start > BLOCK_MAX)
		return;
	isa = e ? isa_of_block(p->s, start, end, isa) : isa;
	for (; start <= end; start += f.n) {
		f = fetch(p->s, start, isa);
		if (!f.n)
			return;
		insns++;
		if (start == end && e) {
			put_branch(p, e, isa, &f, insns);
			return;
		}
		put_insn(p, start, isa, &f);
		*p->l->p++ = '\n';
	}
	if (start - f.n != end) {
		line_room(p->l, LINE_ROOM);
		p->l->p = text_lit(p->l->p, "\tmismatch of LBR data and executable\n");
	}
}

void code_stack(struct line *l, struct disasm *d, const struct stream *s, const struct ring *r, uint64_t ip,
		enum cst_isa isa)
{
	struct passed p = { .l = l, .d = d, .s = s };
	const struct ring_entry *e;
	struct fetched f;
	uint32_t i;

	if (!r->count)
		return;
	*l->p++ = '\n';
	e = ring_at(r, r->count - 1);
	f = fetch(s, e->from, isa_of_block(s, e->from, e->from, isa));
	if (f.n)
		put_branch(&p, e, isa_of_block(s, e->from, e->from, isa), &f, 0);
	for (i = r->count - 1; i; i--) {
		e = ring_at(r, i - 1);
		put_block(&p, ring_at(r, i)->to, e->from, e, isa);
	}
	/* a branch is in the stack when its target is known: the sample is always behind the newest one */
	put_block(&p, ring_at(r, 0)->to, ip, NULL, isa);
}
