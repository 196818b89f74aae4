/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cond.c - assigns results to conditional instructions. The C elements since the last range belong
 * to its conditional instructions in order, and an R element to all instructions with its key. If
 * the numbers of C elements and of conditional instructions differ, results are emitted without an
 * address; so is an R element whose key no instruction without a result has, as that of a C element
 * from before the synchronisation.
 */
#include <cstrace/decoder.h>
#include <cstrace/isa.h>

#include "flow/analyze.h"

/*
 * Ranges with more instructions are not searched, which bounds the time that hostile trace can
 * cost.
 */
#define MAX_LOOK 4096u

enum { COND_ALWAYS = 14, MODE_LOADS = 1, MODE_STORES = 2, MODE_ALL = 7 };

/* Arm ARM "ConditionHolds"; flags N, Z, C, V in bits 3 to 0. */
static int holds(unsigned int cond, unsigned int flags)
{
	const unsigned int n = flags >> 3 & 1, z = flags >> 2 & 1;
	const unsigned int c = flags >> 1 & 1, v = flags & 1;
	const unsigned int result[] = { z, c, n, v, c && !z, n == v, n == v && !z };

	return cond >= COND_ALWAYS || result[cond >> 1] != (cond & 1);
}

static void put_out(struct cst_flow *f, struct cst_generic *out, size_t *n,
		    const struct cond_insn *c, unsigned int what, uint64_t index)
{
	struct cst_generic *g = cst_flow_emit(f, out, n, CST_GEN_COND);

	g->index = index;
	g->end = c->key;
	g->num = what;
	if (!c->known)
		return;
	g->addr = c->addr;
	g->isa = c->isa;
	g->num |= CST_COND_INSN;
	if (what & CST_COND_FLAGS)
		g->num |= holds(c->cond, what >> CST_COND_FLAGS_SHIFT) ? CST_COND_PASSED : CST_COND_FAILED;
}

static void drop(struct cst_flow *f, unsigned int i)
{
	f->results.cond_done -= f->results.cond[i].done;
	if (i >= (unsigned int)f->results.cond_count - f->results.cond_new) {
		f->results.cond_new--;
		f->results.cond_dropped = 1;
	}
	f->results.cond_count--;
	for (; i < f->results.cond_count; i++)
		f->results.cond[i] = f->results.cond[i + 1];
}

void cst_flow_cond_insn(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct cond_insn *c;

	if (f->results.cond_count == COND_MAX) {
		put_out(f, out, n, &f->results.cond[0], f->results.cond[0].what,
			f->work.elem.index);
		drop(f, 0);
	}
	c = &f->results.cond[f->results.cond_count++];
	c->key = f->work.elem.value;
	c->known = c->done = 0;
	c->what = 0;
	f->results.cond_new++;
}

/*
 * Emits results that were traced before the range of their instructions. Returns 1 if there was not
 * enough room.
 */
int cst_flow_cond_late(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	unsigned int i = 0, room = FLOW_ROOM;

	while (f->results.cond_done &&
	       i < (unsigned int)f->results.cond_count - f->results.cond_new) {
		if (!f->results.cond[i].done) {
			i++;
			continue;
		}
		if (!room--)
			return 1;
		put_out(f, out, n, &f->results.cond[i], f->results.cond[i].what,
			f->results.cond[i].index);
		drop(f, i);
	}
	return 0;
}

/* Returns 1 if there was not enough room. */
int cst_flow_cond_result(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	int flush = f->work.elem.kind == CST_EL_COND_FLUSH, last = flush && f->work.elem.num,
	    found = flush;
	unsigned int i = 0, room = FLOW_ROOM;

	while (i < f->results.cond_count) {
		struct cond_insn *c = &f->results.cond[i];

		if (!last && (c->done || (!flush && c->key != f->work.elem.value))) {
			i++;
			continue;
		}
		found = 1;
		if (!last && i >= (unsigned int)f->results.cond_count - f->results.cond_new) {
			c->done = 1;
			c->what = flush ? 0 : f->work.elem.num;
			c->index = f->work.elem.index;
			f->results.cond_done++;
			i++;
			continue;
		}
		if (!room--)
			return 1;
		put_out(f, out, n, c, flush ? c->what : f->work.elem.num, f->work.elem.index);
		drop(f, i);
	}
	if (!found)
		put_out(f, out, n, &(struct cond_insn){ .key = f->work.elem.value },
			f->work.elem.num, f->work.elem.index);
	return 0;
}

/* True if a C element is traced for the instruction. */
static int is_traced(const struct cst_flow *f, uint32_t op, uint64_t a, const struct cst_insn *in)
{
	struct cst_insn mem;

	if (cst_insn_is_branch(in->type))
		return 0;
	if (f->cfg->cond_mode == MODE_ALL)
		return 1;
	cst_isa_classify(&mem, f->isa, op, a, f->isa_flags | CST_ISA_LOAD_P0 | CST_ISA_STORE_P0);
	return (mem.type == CST_INSN_LOAD && f->cfg->cond_mode & MODE_LOADS) ||
	       (mem.type == CST_INSN_STORE && f->cfg->cond_mode & MODE_STORES);
}

void cst_flow_cond_range(struct cst_flow *f, const struct span *s)
{
	struct cond_insn *c = &f->results.cond[f->results.cond_count - f->results.cond_new];
	unsigned int left = f->results.cond_new, cond, it = 0, i,
		     incomplete = f->results.cond_dropped, found = 0;
	uint64_t a = f->addr;
	struct cst_insn in;
	uint32_t op;

	f->results.cond_new = 0;
	f->results.cond_dropped = 0;
	if (f->it)
		it = f->results.cond_it;
	incomplete |= f->it && !it;
	f->results.cond_it = 0;
	if (s->n_insn > MAX_LOOK)
		return;
	for (i = 0; i < s->n_insn; i++) {
		if (cst_flow_fetch(f, a, &in, &op) != SPAN_DONE)
			return;
		cond = f->isa == CST_ISA_A32 ? op >> 28 : it ? it >> 4 : COND_ALWAYS;
		it = it & 7 ? (it & 0xe0) | (it << 1 & 0x1f) : 0;
		if (cond < COND_ALWAYS && is_traced(f, op, a, &in)) {
			if (found < left) {
				c[found].addr = a;
				c[found].cond = cond;
				c[found].isa = f->isa;
			}
			found++;
		}
		if (in.it_count)
			it = op >> 16 & 0xff;
		a += in.size;
		if (f->isa != CST_ISA_A64)
			a = (uint32_t)a;
	}
	f->results.cond_it = it;
	for (i = 0; found == left && !incomplete && i < left; i++)
		c[i].known = 1;
}
