/* SPDX-License-Identifier: GPL-2.0-only */
/* walk.c - counts what branch lists say of the code of their binaries. */
#include "counting/branchlists/walk.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/name.h"
#include "counting/branchlists/code.h"
#include "counting/countfiles/lost.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"
#include "perfdata/branch_list.h"
#include "session/losses/report.h"

/* Sums of pairs and of instructions have 64 bits: what all lists together can count. */
#define MOST_EXECUTIONS (UINT64_C(1) << 62)

struct list_walks {
	struct dso_table *table;
	struct binary **bins;
	size_t nr, cap;
	struct entries e;
	uint64_t files, samples;
	uint64_t executions;	/* of branches, of all lists */
	uint64_t lost[NR_LIST_LOSSES];
	uint64_t conflicts;	/* branches that are always taken, and were not */
	uint64_t relocated;	/* branches of modules whose targets their files do not have */
	char *missing;	/* a binary that is not here */
	uint64_t nr_missing;
};

/* One binary of a file. */
struct walker {
	struct list_walks *w;
	struct binary *bin;
	struct list_code code;
};

struct list_walks *list_walks_new(struct dso_table *t)
{
	struct list_walks *w = mem_zeroed(1, sizeof(*w));

	w->table = t;
	return w;
}

void list_walks_free(struct list_walks *w)
{
	size_t i;

	if (!w)
		return;
	entries_free(&w->e);
	for (i = 0; i < w->nr; i++) {
		cst_pairs_free(&w->bins[i]->ranges);
		cst_pairs_free(&w->bins[i]->arrivals);
		cst_pairs_free(&w->bins[i]->edges);
		cst_pairs_free(&w->bins[i]->untaken);
		free(w->bins[i]);
	}
	free(w->bins);
	free(w->missing);
	free(w);
}

/* ---- one list -------------------------------------------------------------------------------- */

static void lose(struct list_walks *w, enum list_loss why, uint64_t branches, uint64_t count)
{
	w->lost[why] = model_sum(w->lost[why], model_product(branches, count));
}

static void add(struct cst_pairs *p, uint64_t a, uint64_t b, uint64_t count)
{
	if (!cst_pairs_insert(p, (uint32_t)a, (uint32_t)b, count))
		mem_refused(0);
}

/* Calls that a trace unit remembers, at most; it may remember fewer, and has an address then. */
#define RETURN_STACK 15u

/* Where a list has led. */
struct place {
	uint64_t start;		/* of the range that is open */
	uint64_t at;		/* the next instruction */
	uint64_t last;		/* the last P0 instruction of the range */
	bool open;		/* there is one */
	bool untaken;		/* it is a branch that was not taken */
	bool arrived;		/* a return led to the range */
	bool t32;
	/* where the calls of the list return to; bit 0: to T32 code */
	uint64_t calls[RETURN_STACK];
	unsigned int next_call;	/* index of the next one, modulo RETURN_STACK */
	unsigned int depth;	/* number of those that did not return */
};

static uint64_t start_of(const struct place *p)
{
	return p->start | (p->t32 ? COUNTS_T32 : 0);
}

static void end_range(struct walker *k, const struct place *p, uint64_t count)
{
	add(p->arrived ? &k->bin->arrivals : &k->bin->ranges, start_of(p), p->last, count);
}

/* A P0 instruction that the next one follows. */
static void pass(struct walker *k, struct place *p, const struct cst_insn *insn, bool taken,
		 uint64_t count)
{
	p->open = true;
	p->untaken = cst_insn_is_branch(insn->type);
	p->at = p->last + insn->size;
	/* of T32 the IT instruction before says what is conditional */
	if (!taken && !insn->cond && !p->t32)
		k->w->conflicts = model_sum(k->w->conflicts, count);
}

static void push_call(struct place *p, const struct cst_insn *insn)
{
	p->calls[p->next_call++ % RETURN_STACK] = (p->last + insn->size) | p->t32;
	p->depth += p->depth < RETURN_STACK;
}

/*
 * Finds the target of a taken branch, with bit 0 for T32 code. Branches follow an indirect one in a
 * list only if the trace unit had no address for it, since it led to where the last call returns to
 * (return stack). False: the target is not known, or not in the code.
 */
static bool find_target(struct walker *k, struct place *p, const struct cst_insn *insn, bool more,
			uint64_t count, uint64_t *to)
{
	bool relocated;

	if (insn->type == CST_INSN_INDIRECT) {
		if (!more || !p->depth)
			return false;
		*to = p->calls[--p->next_call % RETURN_STACK];
		p->depth--;
		return true;
	}
	if (list_code_target(&k->code, p->last, insn, to, &relocated)) {
		*to |= !k->code.a64 && insn->next_isa != CST_ISA_A32;
		return true;
	}
	if (relocated)
		k->w->relocated = model_sum(k->w->relocated, count);
	return false;
}

/* A taken branch; `more`: others follow. Returns false if it is not known where. */
static bool jump(struct walker *k, struct place *p, const struct cst_insn *insn, bool more,
		 uint64_t count)
{
	uint64_t to = COUNTS_OUTSIDE;
	const bool known = find_target(k, p, insn, more, count, &to);

	end_range(k, p, count);
	add(&k->bin->edges, p->last, known ? to & ~(uint64_t)COUNTS_T32 : to, count);
	p->open = false;
	if (!known)
		return false;
	if (insn->link)
		push_call(p, insn);
	p->t32 = to & COUNTS_T32;
	p->start = p->at = to & ~(uint64_t)COUNTS_T32;
	p->arrived = insn->type == CST_INSN_INDIRECT;
	return true;
}

static void walk(struct walker *k, uint64_t addr, const uint8_t *bits, uint32_t nr, uint64_t count)
{
	struct place p = { .t32 = addr & 1 && !k->code.a64 };
	enum list_loss behind = LIST_OUTSIDE;
	struct cst_insn insn;
	uint32_t i = 0;
	uint64_t at;
	bool taken;

	if (!list_code_offset(&k->code, addr & ~UINT64_C(1), &p.at)) {
		lose(k->w, LIST_OUTSIDE, nr, count);
		return;
	}
	p.start = p.at;
	while (i < nr && list_code_next(&k->code, p.at, p.t32, &at, &insn)) {
		p.last = at;
		taken = branch_list_bit(bits, i++);
		if (!taken || !cst_insn_is_branch(insn.type)) {
			pass(k, &p, &insn, taken, count);
		} else if (!jump(k, &p, &insn, i < nr, count)) {
			behind = insn.type == CST_INSN_INDIRECT ? LIST_BEHIND : LIST_OUTSIDE;
			break;
		}
	}
	lose(k->w, behind, nr - i, count);
	if (p.open)
		end_range(k, &p, count);
	if (p.open && p.untaken)
		add(&k->bin->untaken, p.last | (p.t32 ? COUNTS_T32 : 0), 0, count);
}

/* ---- the lists of a binary ------------------------------------------------------------------- */

/*
 * What is added to an address of a list: it is one of a running kernel, whose section .text began
 * at `kernel_start`. False: the file does not say where that is.
 */
static bool kernel_shift(const struct branch_list_binary *b, struct dso *d, uint64_t *shift)
{
	struct dso_text text;

	*shift = 0;
	if (b->type != BRANCH_LIST_KERNEL || !b->kernel_start)
		return true;
	if (!dso_text(d, &text))
		return false;
	*shift = text.vaddr - b->kernel_start;
	return true;
}

/* As many executions as can be counted. */
static uint64_t limit(struct list_walks *w, const struct branch_list *l)
{
	const uint64_t room = (MOST_EXECUTIONS - w->executions) / l->nr_bits;
	const uint64_t count = l->count < room ? l->count : room;

	w->executions += count * l->nr_bits;
	lose(w, LIST_OVERFLOW, l->nr_bits, l->count - count);
	return count;
}

static void lose_all(struct list_walks *w, const struct branch_list_binary *b)
{
	size_t i;

	for (i = 0; i < b->nr; i++)
		lose(w, LIST_NO_CODE, b->v[i].nr_bits, b->v[i].count);
	if (!b->nr || w->nr_missing++)
		return;
	w->missing = mem_text(b->path);
}

static struct dso *file_of(struct list_walks *w, const struct branch_list_binary *b)
{
	const char *name = b->type == BRANCH_LIST_KERNEL ? "[kernel.kallsyms]" : b->path;
	struct build_id id = { .len = b->id_len };
	struct dso *d;

	memcpy(id.id, b->id, sizeof(id.id));
	if (b->type == BRANCH_LIST_MODULE)
		d = dso_table_get_module(w->table, b->path, &id, 0);
	else
		d = dso_table_get(w->table, name, &id, b->type == BRANCH_LIST_KERNEL);
	d->module.by_offset = d->kind == DSO_MODULE;
	return d;
}

static struct binary *binary_of(struct list_walks *w, struct dso *d)
{
	struct binary *b = mem_zeroed(1, sizeof(*b));

	b->dso = d;
	b->method = COUNTS_WHOLE;
	b->isa = d->image.machine == EM_AARCH64 ? CST_ISA_A64 : CST_ISA_A32;
	*ARRAY_ADD(w->bins, w->nr, w->cap) = b;
	return b;
}

static void walk_binary(struct list_walks *w, const struct branch_list_binary *b)
{
	struct dso *d = file_of(w, b);
	struct walker k = { .w = w };
	uint64_t shift, count;
	size_t i;

	if (!list_code_open(&k.code, d) || !kernel_shift(b, d, &shift)) {
		lose_all(w, b);
		list_code_free(&k.code);
		return;
	}
	k.bin = binary_of(w, d);
	for (i = 0; i < b->nr; i++) {
		count = limit(w, &b->v[i]);
		if (count)
			walk(&k, b->v[i].addr + shift, b->bytes + b->v[i].bits, b->v[i].nr_bits,
			     count);
	}
	list_code_free(&k.code);
}

void list_walks_add(struct list_walks *w, const struct branch_lists *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		walk_binary(w, &l->v[i]);
	w->files++;
	w->samples += l->samples;
}

int list_walks_read(struct list_walks *w, const char *path, struct error *err)
{
	struct branch_lists l = { .v = NULL };
	int rc = branch_lists_read(&l, path, 1, err);

	if (!rc) {
		branch_lists_join(&l);
		list_walks_add(w, &l);
	}
	branch_lists_free(&l);
	return rc;
}

/* ---- records --------------------------------------------------------------------------------- */

void list_walks_end(struct list_walks *w)
{
	const struct entry *e;
	size_t i, k;

	entries_make(&w->e, w->bins, w->nr, w->table->nr);
	entries_ranges(&w->e, true);
	w->e.sums.insns = 0;
	for (i = 0; i < w->e.nr; i++)
		for (e = &w->e.v[i], k = 0; k < e->nr_ranges; k++)
			w->e.sums.insns =
				model_sum(w->e.sums.insns,
					  model_product(e->ranges[k].insns, e->ranges[k].count));
}

static void put_total(struct record_sink *to, const char *name, uint64_t value)
{
	if (value)
		record_put(to,
			   &(struct cst_count_record){ .kind = CST_COUNT_TOTAL,
						       .total = { .name = name, .value = value } });
}

/* In the order of their names. */
static void put_totals(const struct list_walks *w, struct record_sink *to)
{
	put_total(to, "instructions", w->e.sums.insns);
	put_total(to, "loss.conflict", w->conflicts);
	put_total(to, "loss.list-behind", w->lost[LIST_BEHIND]);
	put_total(to, "loss.list-no-code", w->lost[LIST_NO_CODE]);
	put_total(to, "loss.list-outside", w->lost[LIST_OUTSIDE]);
	put_total(to, "loss.list-overflow", w->lost[LIST_OVERFLOW]);
	put_total(to, "loss.list-samples", w->samples);
	put_total(to, "loss.undecoded", w->e.sums.undecoded);
	put_total(to, LOST_UNKNOWN, w->files);
	put_total(to, "recordings", w->files);
}

int list_walks_pass(void *walks, collect_fn take, void *data)
{
	struct list_walks *w = walks;
	struct record_sink to = { .take = take, .data = data };
	size_t i;

	put_totals(w, &to);
	entries_put_binaries(&w->e, &to);
	for (i = 0; i < w->e.nr; i++)
		entries_put_counts(&w->e, (uint32_t)i, &to);
	return to.rc;
}

int list_walks_model(struct list_walks *w, struct model *m)
{
	int rc = list_walks_pass(w, model_add, m);
	size_t i;

	for (i = 0; !rc && i < m->nr_binaries; i++)
		m->binaries[i].dso = w->e.v[i].counts->dso;
	return rc;
}

bool list_walks_empty(const struct list_walks *w)
{
	size_t i;

	for (i = 0; i < w->e.nr; i++)
		if (w->e.v[i].nr_ranges)
			return false;
	return true;
}

static const char *const reasons[NR_LIST_LOSSES] = {
	[LIST_NO_CODE] =
		"of binaries that are not here; give the directory with the target's files with "
		"--symfs DIR, a kernel with --vmlinux FILE",
	[LIST_OUTSIDE] =
		"begin or lead outside of the binary's code: lists do not say where a direct "
		"branch to another binary led, or they are those of another build",
	[LIST_BEHIND] =
		"are behind an indirect branch whose target is not in the list: record without the "
		"return stack (it is off in simpleperf), or count the recording itself",
	[LIST_OVERFLOW] =
		"are beyond 2^62 executions, which is the most that is counted of branch lists",
};

void list_walks_print(const struct list_walks *w, const char *command, const char *name, FILE *out)
{
	char a[32];
	size_t i;

	name = name_shown(name);
	for (i = 0; i < NR_LIST_LOSSES; i++)
		if (w->lost[i])
			fprintf(out, "cstrace %s: %s: %s branches %s\n", command, name,
				losses_grouped(w->lost[i], a), reasons[i]);
	if (w->nr_missing)
		fprintf(out, "cstrace %s: %s: %s binaries are not here: %s%s\n", command, name,
			losses_grouped(w->nr_missing, a), name_shown(w->missing),
			w->nr_missing > 1 ? " and others" : "");
	if (w->conflicts)
		fprintf(out,
			"cstrace %s: %s: %s branches that are always taken were not: the code is "
			"not the one that ran\n",
			command, name, losses_grouped(w->conflicts, a));
	if (w->relocated)
		fprintf(out,
			"cstrace %s: %s: %s branches of kernel modules have no target: the kernel "
			"put it there when it loaded them\n",
			command, name, losses_grouped(w->relocated, a));
	if (w->samples)
		fprintf(out,
			"cstrace %s: %s: %s samples of branch records are left out: they are not "
			"of a trace\n",
			command, name, losses_grouped(w->samples, a));
}
