/* SPDX-License-Identifier: GPL-2.0-only */
/* make.c - makes branch lists of the ranges of a model, and counts what lists cannot say. */
#include "counting/branchlists/make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/name.h"
#include "counting/branchlists/code.h"
#include "counting/counts/model.h"
#include "perfdata/branch_list.h"
#include "session/losses/report.h"

/*
 * Branches of all lists: a count file may have ranges that share much code, each of which has all
 * branches in it. The lists of a run of gcc's cc1 have 150 thousand.
 */
#define MOST_BRANCHES (UINT64_C(1) << 31)

/* How the executions of ranges that end at one branch ended. */
struct ending {
	uint64_t last;	/* offset of the branch */
	/* executions that are in no list yet */
	uint64_t taken, untaken;
	bool indirect;
	bool leaves;	/* it is direct, and its target is not in the code */
};

/* One binary. */
struct making {
	const struct model_binary *b;
	struct branch_list_binary *to;
	struct list_silence *s;
	struct list_code code;
	struct ending *ends;	/* by offset */
	size_t nr_ends;
	uint8_t *bits;	/* of the list that is made */
	size_t nr_bits, room;	/* room: in bytes */
	uint64_t branches;	/* of all lists so far */
};

static void count(uint64_t *to, uint64_t n)
{
	*to = model_sum(*to, n);
}

/* ---- how ranges ended ------------------------------------------------------------------------ */

/* A place at which executions begin, or end. */
struct step {
	uint64_t at, count;
};

static int compare_steps(const void *a, const void *b)
{
	return array_compare_u64(a, b);
}

static struct step *steps_of(const struct model_binary *b, bool last)
{
	struct step *v = mem_array(b->nr_ranges + 1, sizeof(*v));
	size_t i;

	for (i = 0; i < b->nr_ranges; i++)
		v[i] = (struct step){ last ? b->ranges[i].last : b->ranges[i].start,
				      b->ranges[i].count };
	ARRAY_SORT(v, b->nr_ranges, compare_steps);
	return v;
}

static uint64_t taken_at(const struct model_binary *b, uint64_t offset, size_t *next)
{
	uint64_t n = 0;

	while (*next < b->nr_edges && b->edges[*next].from < offset)
		(*next)++;
	for (; *next < b->nr_edges && b->edges[*next].from == offset; (*next)++)
		count(&n, b->edges[*next].count);
	return n;
}

static uint64_t untaken_at(const struct model_binary *b, uint64_t offset, size_t *next)
{
	while (*next < b->nr_not_taken && b->not_taken[*next].offset < offset)
		(*next)++;
	return *next < b->nr_not_taken && b->not_taken[*next].offset == offset ?
		       b->not_taken[*next].count :
		       0;
}

/*
 * A branch at which ranges end may also be inside of others, which did not take it: these are those
 * that began at or before it and did not end before it or at it. What is left of its executions
 * without a jump are ends of ranges.
 */
static void find_endings(struct making *k)
{
	struct step *starts = steps_of(k->b, false), *lasts = steps_of(k->b, true);
	size_t i, first = 0, edge = 0, not_taken = 0, n = k->b->nr_ranges;
	uint64_t begun = 0, ended = 0, untaken;
	struct ending *e;

	k->ends = mem_array(n + 1, sizeof(*k->ends));
	for (i = 0; i < n;) {
		e = &k->ends[k->nr_ends++];
		*e = (struct ending){ .last = lasts[i].at };
		for (; first < n && starts[first].at <= e->last; first++)
			begun += starts[first].count;
		for (; i < n && lasts[i].at == e->last; i++)
			ended += lasts[i].count;
		e->taken = taken_at(k->b, e->last, &edge);
		untaken = untaken_at(k->b, e->last, &not_taken);
		e->untaken = untaken > begun - ended ? untaken - (begun - ended) : 0;
	}
	free(starts);
	free(lasts);
}

static struct ending *ending_at(struct making *k, uint64_t last)
{
	size_t lo = 0, hi = k->nr_ends;

	BISECT(lo, hi, mid, k->ends[mid].last < last);
	return &k->ends[lo];
}

/* Takes up to `n` executions out of *from. */
static uint64_t take(uint64_t *from, uint64_t n)
{
	if (n > *from)
		n = *from;
	*from -= n;
	return n;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void put_bit(struct making *k, bool bit)
{
	const size_t byte = k->nr_bits / 8;

	if (k->nr_bits % 8 == 0) {
		array_room(&k->bits, byte, 1, &k->room, 1);
		k->bits[byte] = 0;
	}
	k->bits[byte] = (uint8_t)(k->bits[byte] | bit << k->nr_bits % 8);
	k->nr_bits++;
}

static void put_list(struct making *k, uint64_t addr, uint64_t n)
{
	branch_list_add(k->to, addr, k->bits, (uint32_t)k->nr_bits, n);
}

/* The list with a last bit, which it does not have afterwards. */
static void put_ended(struct making *k, uint64_t addr, bool bit, uint64_t n)
{
	put_bit(k, bit);
	put_list(k, addr, n);
	k->nr_bits--;
	k->bits[k->nr_bits / 8] &= (uint8_t)((1u << k->nr_bits % 8) - 1);
}

/* The end of a range at a P0 instruction. */
static void end_at(struct making *k, uint64_t addr, const struct cst_count_range *r,
		   const struct cst_insn *insn)
{
	struct ending *e = ending_at(k, r->last);
	uint64_t left = r->count, n, to;
	bool relocated;

	if (!cst_insn_is_branch(insn->type)) {
		put_ended(k, addr, true, left);
		return;
	}
	e->indirect = insn->type == CST_INSN_INDIRECT;
	e->leaves = !e->indirect && !list_code_target(&k->code, r->last, insn, &to, &relocated);
	n = take(&e->taken, left);
	put_ended(k, addr, true, n);
	left -= n;
	n = take(&e->untaken, left);
	put_ended(k, addr, false, n);
	left -= n;
	/* an atom that speculation may have made wrong */
	put_list(k, addr, left);
	count(&k->s->cut, left);
}

static void put_range(struct making *k, const struct cst_count_range *r)
{
	const bool t32 = r->flags & CST_COUNT_T32;
	uint64_t from = r->start, addr, at;
	struct cst_insn insn;

	k->nr_bits = 0;
	if (!list_code_vaddr(&k->code, from, &addr)) {
		count(&k->s->placeless, r->count);
		return;
	}
	addr |= t32;
	for (;; from = at + insn.size, k->branches++) {
		if (k->branches >= MOST_BRANCHES) {
			count(&k->s->beyond, r->count);
			return;
		}
		if (!list_code_next(&k->code, from, t32, &at, &insn) || at > r->last) {
			put_list(k, addr, r->count);
			count(&k->s->cut, r->count);
			return;
		}
		if (at == r->last) {
			end_at(k, addr, r, &insn);
			return;
		}
		put_bit(k, !cst_insn_is_branch(insn.type));
		if (cst_insn_is_branch(insn.type))
			continue;
		put_list(k, addr, r->count);
		count(&k->s->divided, r->count);
		k->nr_bits = 0;
		/* the instruction behind it is in the same part of the file */
		list_code_vaddr(&k->code, at + insn.size, &addr);
		addr |= t32;
	}
}

/* Counts the branches whose targets are not in the lists. */
static void count_edges(struct making *k)
{
	const struct cst_count_edge *x;
	const struct ending *e;
	size_t i;

	for (i = 0; i < k->b->nr_edges; i++) {
		x = &k->b->edges[i];
		e = ending_at(k, x->from);
		if (e == k->ends + k->nr_ends || e->last != x->from)
			continue;
		if (e->leaves)
			count(&k->s->leaving, x->count);
		else if (e->indirect && x->to != CST_COUNT_OUTSIDE)
			count(&k->s->indirect, x->count);
	}
}

static uint8_t type_of(const struct model_binary *b)
{
	switch (b->is.type) {
	case CST_COUNT_KERNEL:
		return BRANCH_LIST_KERNEL;
	case CST_COUNT_MODULE:
		return BRANCH_LIST_MODULE;
	}
	return BRANCH_LIST_ELF;
}

static void make_binary(struct branch_lists *l, struct making *k)
{
	const struct model_binary *b = k->b;
	size_t i;

	k->to = branch_lists_add_binary(l, b->is.name, strlen(b->is.name));
	k->to->type = type_of(b);
	if (b->is.id_kind == CST_COUNT_ID_BUILD) {
		k->to->id_len = b->is.id_len;
		memcpy(k->to->id, b->is.id, b->is.id_len);
	}
	find_endings(k);
	for (i = 0; i < b->nr_ranges; i++) {
		put_range(k, &b->ranges[i]);
		if (b->ranges[i].flags & CST_COUNT_ARRIVED)
			count(&k->s->arrived, b->ranges[i].count);
	}
	count_edges(k);
	free(k->ends);
	free(k->bits);
}

void lists_make(struct branch_lists *l, const struct model *m, uint32_t only,
		struct list_silence *s)
{
	const struct model_binary *b;
	struct making k = { .branches = 0 };
	size_t i;

	*s = (struct list_silence){ .elsewhere = model_total(m, "instructions.elsewhere") };
	for (i = 0; i < m->nr_binaries; i++) {
		b = &m->binaries[i];
		k = (struct making){ .b = b, .s = s, .branches = k.branches };
		if ((only != UINT32_MAX && only != i) || !b->nr_ranges)
			continue;
		if (!model_without_file(b) && b->dso && list_code_open(&k.code, b->dso)) {
			make_binary(l, &k);
		} else if (model_without_file(b) || (b->dso && dso_file(b->dso))) {
			count(&s->elsewhere, b->insns);
		} else {
			count(&s->missing, b->insns);
			s->missing_name = b->is.name;
		}
		list_code_free(&k.code);
	}
	branch_lists_join(l);
}

void list_silence_print(const struct list_silence *s, const char *command, FILE *out)
{
	const struct {
		uint64_t n;
		const char *what;
	} v[] = {
		{ s->indirect, "indirect branches inside of their binary have no target" },
		{ s->leaving,
		  "direct branches led to another binary, or to where the kernel put a module's "
		  "target" },
		{ s->cut,
		  "executions end behind the last branch (exceptions, ends of the trace): the "
		  "instructions there are left out" },
		{ s->arrived,
		  "executions of ranges came from a return or from another binary: they are as any "
		  "other" },
		{ s->divided, "executions of ranges are divided behind an ISB" },
		{ s->placeless, "executions of ranges are outside of a module's .text: left out" },
		{ s->beyond,
		  "executions of ranges are beyond 2^31 branches in all lists: left out" },
		{ s->elsewhere, "instructions are in no ELF file: left out" },
		{ s->missing, "instructions are in binaries that are not here: left out" },
	};
	char a[32];
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (v[i].n)
			fprintf(out, "cstrace %s: a branch list cannot say all: %s %s\n", command,
				losses_grouped(v[i].n, a), v[i].what);
	if (s->missing_name)
		fprintf(out,
			"cstrace %s: %s: its file is missing; give the directory with the target's "
			"files with --symfs DIR, a kernel with --vmlinux FILE\n",
			command, name_shown(s->missing_name));
}
