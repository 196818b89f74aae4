/* SPDX-License-Identifier: GPL-2.0-only */
/* blocks.c - cuts code at branches and their targets, and counts the ways between the pieces. */
#include "outputs/profile/blocks.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/isa.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "machine/images/dso.h"
#include "outputs/profile/costs.h"

/* Tables of the code, while blocks are built. */
struct builder {
	struct blocks *out;
	const struct model_binary *b;
	const struct code_part *code;
	size_t nr_code;
	const struct code_kinds *kinds;
	struct costs costs;
	uint64_t *leaders;		/* begins of blocks */
	size_t nr_leaders, cap_leaders;
	size_t cap_blocks, cap_jumps, cap_branches;
	struct cst_count_edge *by_to;	/* the edges, by target */
};

enum cst_isa blocks_isa(const struct model_binary *b, bool t32)
{
	return t32 ? CST_ISA_T32 : b->dso->image.machine == EM_AARCH64 ? CST_ISA_A64 : CST_ISA_A32;
}

bool blocks_insn(const struct model_binary *b, bool t32, uint64_t offset, struct cst_insn *insn, uint32_t *code)
{
	const struct dso *d = b->dso;
	const uint8_t *p;
	uint32_t opcode;

	if (!d || !d->image.data || model_without_file(b))
		return false;
	if (offset + 4 > d->image.size || offset + 4 < offset)
		return false;
	p = d->image.data + offset;
	opcode = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	if (t32)
		opcode = opcode << 16 | opcode >> 16;
	cst_isa_classify(insn, blocks_isa(b, t32), opcode, offset, 0);
	*code = opcode;
	return true;
}

bool blocks_is_return(const struct cst_insn *insn)
{
	return insn->subtype == CST_INSN_RET || insn->subtype == CST_INSN_ERET || insn->subtype == CST_INSN_IMPLIED_RET;
}

/* Returns the executed instructions around an offset, NULL if it was not executed. */
static const struct cost *cost_at(const struct builder *u, uint64_t offset)
{
	size_t lo = 0, hi = u->costs.n;

	BISECT(lo, hi, mid, u->costs.v[mid].begin <= offset);
	/* whole ranges overlap others: they are looked at as well, if they are next to this place */
	return lo && offset < u->costs.v[lo - 1].end ? &u->costs.v[lo - 1] : NULL;
}

static uint64_t executions(const struct builder *u, uint64_t offset)
{
	const struct cost *c = cost_at(u, offset);

	return c && !c->whole ? c->count : 0;
}

static void add_leader(struct builder *u, uint64_t offset)
{
	*ARRAY_ADD(u->leaders, u->nr_leaders, u->cap_leaders) = offset;
}

static uint64_t edge_count(const struct model_binary *b, uint64_t from)
{
	size_t lo = 0, hi = b->nr_edges;
	uint64_t n = 0;

	BISECT(lo, hi, mid, b->edges[mid].from < from);
	for (; lo < b->nr_edges && b->edges[lo].from == from; lo++)
		n = model_sum(n, b->edges[lo].count);
	return n;
}

/* The branch at `offset` was not taken so often. One before a loss of trace may be executed, and neither taken nor not taken. */
static uint64_t not_taken_count(const struct model_binary *b, uint64_t offset)
{
	size_t lo = 0, hi = b->nr_not_taken;

	BISECT(lo, hi, mid, b->not_taken[mid].offset < offset);
	return lo < b->nr_not_taken && b->not_taken[lo].offset == offset ? b->not_taken[lo].count : 0;
}

bool blocks_is_conditional(const struct cst_insn *insn)
{
	return cst_insn_is_branch(insn->type) && insn->cond && !insn->link && !blocks_is_return(insn);
}

struct block_branch blocks_branch(const struct model_binary *b, uint64_t offset)
{
	return (struct block_branch){ .offset = offset, .taken = edge_count(b, offset), .not_taken = not_taken_count(b, offset) };
}

/* Adds a conditional branch, and the begins of blocks behind a branch and at its target. */
static void add_insn(struct builder *u, uint64_t offset, const struct cst_insn *insn)
{
	struct block_branch *br;

	if (!cst_insn_is_branch(insn->type))
		return;
	add_leader(u, offset + insn->size);
	if (insn->type == CST_INSN_BRANCH && !insn->link)
		add_leader(u, offset + (uint64_t)(int64_t)insn->disp);
	if (!blocks_is_conditional(insn))
		return;
	br = ARRAY_ADD(u->out->branches, u->out->nr_branches, u->cap_branches);
	*br = blocks_branch(u->b, offset);
	br->executed = executions(u, offset);
}

/* The end of code, or that of its file: DWARF and count files may name places behind it. */
static uint64_t end_in_file(const struct builder *u, uint64_t end)
{
	return end < u->b->dso->image.size ? end : u->b->dso->image.size;
}

/* Adds an instruction that is predicated. */
static void add_predicated(struct builder *u, uint64_t offset, bool t32,
			   const struct cst_insn *insn, uint32_t opcode, it_state it)
{
	struct predicated p = { .offset = offset, .size = insn->size, .t32 = t32 };
	unsigned int cond = 0;

	p.kind = (uint8_t)predicated_kind(blocks_isa(u->b, t32), insn, opcode, it, &cond);
	p.cond = (uint8_t)cond;
	if (p.kind == PREDICATED_NOT)
		return;
	p.known = p.kind == PREDICATED_BRANCH;
	p.taken = p.known ? edge_count(u->b, offset) : 0;
	predicated_add(&u->out->predicated, &p);
}

/* Code that is read from its begin to its end. */
struct reading {
	uint64_t next;		/* the next instruction, if it follows */
	it_state it;		/* the state before it */
	bool executed;
};

/* Reads the instruction at `at`. *size: its size, if it is in the file. */
static void read_insn(struct builder *u, struct reading *r, uint64_t at, bool t32, uint64_t *size)
{
	struct cst_insn insn;
	uint32_t opcode;
	it_state it = at == r->next ? r->it : 0;

	if (!blocks_insn(u->b, t32, at, &insn, &opcode))
		return;
	*size = insn.size;
	r->next = at + insn.size;
	r->it = t32 ? it_state_next(it, &insn, opcode) : 0;
	if (r->executed)
		add_predicated(u, at, t32, &insn, opcode, it);
	insn.cond |= cst_insn_is_branch(insn.type) && it_state_is_condition(it);
	add_insn(u, at, &insn);
}

static bool in_code(const struct builder *u, uint64_t offset)
{
	size_t lo = 0, hi = u->nr_code;

	BISECT(lo, hi, mid, u->code[mid].begin <= offset);
	return lo && offset < u->code[lo - 1].end;
}

/* Reads what was executed: A64 and A32, or T32. */
static void read_executed(struct builder *u, bool t32)
{
	struct reading r = { .next = UINT64_MAX, .executed = true };
	const struct cost *c;
	uint64_t at, end, size;
	size_t i;

	for (i = 0; i < u->costs.n; i++) {
		c = &u->costs.v[i];
		end = c->whole || c->t32 != t32 ? 0 : end_in_file(u, c->end);
		for (at = c->begin; at < end; at += costs_size(u->b, c, at))
			if (in_code(u, at))
				read_insn(u, &r, at, t32, &size);
	}
}

/* Reads the instructions of [at, end) that were not executed. */
static void read_gaps(struct builder *u, uint64_t at, uint64_t end, bool t32)
{
	struct reading r = { .next = UINT64_MAX };
	const struct cost *c;
	uint64_t size;

	for (end = end_in_file(u, end); at < end && end - at >= (t32 ? 2 : 4); at += size) {
		c = cost_at(u, at);
		size = c ? c->end - at : t32 ? 2 : 4;
		if (!c)
			read_insn(u, &r, at, t32, &size);
	}
}

/* Reads what was not executed of a part, as far as it is known to be code. */
static void read_rest(struct builder *u, uint64_t begin, uint64_t end)
{
	const struct source_mapping *v = u->kinds->v;
	const bool a64 = u->b->dso->image.machine == EM_AARCH64;
	size_t lo = 0, hi = u->kinds->n;
	uint64_t next;

	BISECT(lo, hi, mid, v[mid].offset <= begin);
	if (!lo && a64)
		read_gaps(u, begin, u->kinds->n && v[0].offset < end ? v[0].offset : end, false);
	for (lo -= lo > 0; lo < u->kinds->n && v[lo].offset < end; lo++) {
		next = lo + 1 < u->kinds->n && v[lo + 1].offset < end ? v[lo + 1].offset : end;
		if (v[lo].kind != SOURCE_DATA && (v[lo].kind == SOURCE_A64) == a64)
			read_gaps(u, v[lo].offset > begin ? v[lo].offset : begin, next,
			       v[lo].kind == SOURCE_T32);
	}
}

/* Reads all code. */
static void read_code(struct builder *u)
{
	size_t i;

	read_executed(u, false);
	read_executed(u, true);
	for (i = 0; i < u->nr_code; i++)
		read_rest(u, u->code[i].begin, u->code[i].end);
	predicated_finish(&u->out->predicated);
}

static int compare_branches(const void *pa, const void *pb)
{
	const struct block_branch *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Reads the instruction at an offset, with the condition of its IT block. False: there is no code. */
static bool classify(const struct builder *u, bool t32, uint64_t offset, struct cst_insn *insn)
{
	const struct blocks *bs = u->out;
	size_t lo = 0, hi = bs->nr_branches;
	uint32_t code;

	if (!blocks_insn(u->b, t32, offset, insn, &code))
		return false;
	if (!cst_insn_is_branch(insn->type))
		return true;
	BISECT(lo, hi, mid, bs->branches[mid].offset < offset);
	insn->cond |= lo < bs->nr_branches && bs->branches[lo].offset == offset;
	insn->cond |= predicated_at(&bs->predicated, offset, t32) != NULL;
	return true;
}

static int compare_to(const void *pa, const void *pb)
{
	const struct cst_count_edge *a = pa, *b = pb;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static void find_leaders(struct builder *u)
{
	const struct model_binary *b = u->b;
	size_t i;

	for (i = 0; i < b->nr_edges; i++)
		if (b->edges[i].to != CST_COUNT_OUTSIDE)
			add_leader(u, b->edges[i].to);
	for (i = 0; i < b->nr_entries; i++)
		add_leader(u, b->entries[i].offset);
	read_code(u);
	/* of one that A32 and T32 have at one place, one remains */
	u->out->nr_branches = ARRAY_JOIN(u->out->branches, u->out->nr_branches, compare_branches,
					 NULL);
	ARRAY_SORT(u->leaders, u->nr_leaders, array_compare_u64);
	u->by_to = mem_array(b->nr_edges, sizeof(*u->by_to));
	if (b->nr_edges)
		memcpy(u->by_to, b->edges, b->nr_edges * sizeof(*u->by_to));
	ARRAY_SORT(u->by_to, b->nr_edges, compare_to);
}

static void add_block(struct builder *u, uint64_t begin, uint64_t end)
{
	struct block *to = ARRAY_ADD(u->out->v, u->out->n, u->cap_blocks);
	const struct cost *c = cost_at(u, begin);

	*to = (struct block){ .begin = begin, .end = end, .t32 = c && c->t32,
			      .count = executions(u, begin) };
}

static void cut(struct builder *u)
{
	size_t i, k = 0;
	uint64_t begin;

	for (i = 0; i < u->nr_code; i++) {
		begin = u->code[i].begin;
		while (k < u->nr_leaders && u->leaders[k] <= begin)
			k++;
		for (; k < u->nr_leaders && u->leaders[k] < u->code[i].end; k++) {
			if (u->leaders[k] == begin)
				continue;
			add_block(u, begin, u->leaders[k]);
			begin = u->leaders[k];
		}
		add_block(u, begin, u->code[i].end);
	}
}

size_t blocks_at(const struct blocks *bs, uint64_t offset)
{
	size_t lo = 0, hi = bs->n;

	BISECT(lo, hi, mid, bs->v[mid].begin <= offset);
	return lo && offset < bs->v[lo - 1].end ? lo - 1 : SIZE_MAX;
}

/* Offset of the last instruction of an executed block; false: it is not known. */
static bool last_insn(const struct builder *u, const struct block *bl, uint64_t *last)
{
	const struct cost *c = cost_at(u, bl->begin);
	uint64_t at;

	if (!c || c->whole)
		return false;
	if (!c->t32) {
		*last = bl->end - 4;
		return true;
	}
	for (at = bl->begin; at < bl->end; at += costs_size(u->b, c, at))
		*last = at;
	return true;
}

static uint64_t entries_at(const struct model_binary *b, uint64_t offset)
{
	size_t lo = 0, hi = b->nr_entries;

	BISECT(lo, hi, mid, b->entries[mid].offset < offset);
	return lo < b->nr_entries && b->entries[lo].offset == offset ? b->entries[lo].count : 0;
}

/* Sum of the edges to an offset; adds jumps of the code to the list. */
static void edges_to(struct builder *u, size_t block, uint64_t *sum)
{
	const uint64_t to = u->out->v[block].begin;
	size_t lo = 0, hi = u->b->nr_edges, from;
	const struct cost *c;
	struct block_jump *j;
	struct cst_insn insn;

	*sum = 0;
	BISECT(lo, hi, mid, u->by_to[mid].to < to);
	for (; lo < u->b->nr_edges && u->by_to[lo].to == to; lo++) {
		const struct cst_count_edge *e = &u->by_to[lo];

		*sum = model_sum(*sum, e->count);
		from = blocks_at(u->out, e->from);
		c = cost_at(u, e->from);
		if (from == SIZE_MAX || !c || !classify(u, c->t32, e->from, &insn) || insn.link ||
		    blocks_is_return(&insn))
			continue;
		j = ARRAY_ADD(u->out->jumps, u->out->nr_jumps, u->cap_jumps);
		*j = (struct block_jump){ .to = (uint32_t)block, .from = (uint32_t)from, .count = e->count };
		if (insn.type == CST_INSN_BRANCH && !insn.cond) {
			u->out->v[from].jump = e->from;
			u->out->v[from].jump_to = (uint32_t)block;
		}
	}
}

/* Counts how execution came to a block. */
static void count_block(struct builder *u, size_t i)
{
	struct block *bl = &u->out->v[i], *before = i ? bl - 1 : NULL;
	struct cst_insn insn = { .type = CST_INSN_OTHER };
	uint64_t edges, last = bl->begin;

	if (!bl->count)
		return;
	edges_to(u, i, &edges);
	if (!before || before->end != bl->begin || !before->count || !last_insn(u, before, &last))
		return;
	if (!classify(u, before->t32, last, &insn))
		return;
	if (cst_insn_is_branch(insn.type) && insn.link) {
		bl->through = before->count < bl->count ? before->count : bl->count;
		return;
	}
	if (cst_insn_is_branch(insn.type) && !insn.cond)
		return;
	edges = model_sum(edges, entries_at(u->b, bl->begin));
	bl->through = bl->count > edges ? bl->count - edges : 0;
}

struct block_share blocks_share(const struct blocks *bs, const struct model_binary *b, size_t block,
				uint64_t begin, uint64_t end)
{
	const bool t32 = bs->v[block].t32;
	/* all of the part is one piece of code for this */
	const struct cost c = { .begin = begin, .end = end, .t32 = t32 };
	const struct predicated *p = predicated_from(&bs->predicated, begin);
	const struct predicated *last = bs->predicated.v + bs->predicated.n;
	struct block_share s = { .executed = false };
	uint64_t at;

	for (at = begin; at < end && !(s.executed && s.untraced); at += costs_size(b, &c, at)) {
		while (p < last && (p->offset < at || (p->offset == at && p->t32 != t32)))
			p++;
		if (p == last || p->offset != at)
			s.executed = true;
		else if (!p->known)
			s.untraced = true;
		else if (p->taken > s.taken)
			s.taken = p->taken;
	}
	return s;
}

void blocks_init(struct blocks *bs, const struct model_binary *b, const struct code_part *code,
		 size_t n, const struct code_kinds *kinds)
{
	struct builder u = { .out = bs, .b = b, .code = code, .nr_code = n, .kinds = kinds };
	size_t i;

	*bs = (struct blocks){ .v = NULL };
	if (!b->dso || !b->dso->image.data)
		return;
	costs_init(&u.costs, b);
	find_leaders(&u);
	cut(&u);
	for (i = 0; i < bs->n; i++)
		count_block(&u, i);
	costs_free(&u.costs);
	free(u.leaders);
	free(u.by_to);
}

void blocks_free(struct blocks *bs)
{
	free(bs->v);
	free(bs->jumps);
	free(bs->branches);
	free(bs->predicated.v);
	*bs = (struct blocks){ .v = NULL };
}
