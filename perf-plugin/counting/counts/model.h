/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - counts of a recording or of a count file in memory, for the formats.
 *
 * The model is filled with the records of countfile.h in their canonical order, whatever produces them: a reader of
 * count files, or the collection of a session. Its arrays keep this order. The same records make the same model, so
 * every format of a recording equals the format of its count file.
 */
#ifndef CSTRACE_COUNTING_COUNTS_MODEL_H
#define CSTRACE_COUNTING_COUNTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/countfile.h>

#include "counting/counts/metric.h"

#define MODEL_NO_NODE	UINT32_MAX

struct dso;
struct dso_table;

struct model_total {
	char *name;
	uint64_t value;
};

struct model_binary {
	struct cst_count_binary is;	/* identity; the name is the model's copy */
	uint32_t number;		/* index in the model */
	struct dso *dso;		/* its file, see model_find_files(); NULL: none was looked for */
	struct cst_count_segment *segs;
	struct cst_count_range *ranges;
	struct cst_count_not_taken *not_taken;
	struct cst_count_edge *edges;
	struct cst_count_entry *entries;
	size_t nr_segs, nr_ranges, nr_not_taken, nr_edges, nr_entries;
	struct {
		size_t cap_segs, cap_ranges, cap_not_taken, cap_edges, cap_entries;
	} cap;
	/* executed in it: sum over the ranges; with another metric its amount */
	uint64_t insns;
	/* with another metric: its amount of each range is `count`; `insns` is not set */
	struct cst_count_range *spent;
	size_t nr_spent;
	uint64_t branches;		/* taken branches */
	uint64_t inside;		/* taken branches whose target is in the binary */
};

struct model_node {
	struct cst_count_node is;
	uint32_t parent;		/* index of the caller's node; MODEL_NO_NODE: none */
};

/*
 * With another metric than METRIC_INSNS, `insns` of nodes and binaries and totals of instructions
 * are its amounts. Executions are counted as ever: the counts of ranges, edges and calls.
 */
struct model {
	enum metric metric;
	struct metric_rest unmeasured;
	struct model_total *totals;
	struct model_binary *binaries;
	struct model_node *nodes;	/* depth first, so a parent precedes its children */
	uint32_t *path;			/* last node of each depth; used by model_add() */
	size_t nr_totals, nr_binaries, nr_nodes, nr_path;
	size_t cap_totals, cap_binaries, cap_nodes, cap_path;
};

void model_init(struct model *m);
void model_free(struct model *m);

/*
 * Adds the next record; `m` is a struct model, for functions that take records. Returns 0, or
 * ERR_RECORD for a record that refers to a binary or a parent that no record before it has.
 * Pointers into the arrays are valid until the next call.
 */
int model_add(void *m, const struct cst_count_record *rec);

/* Returns the value of a total, 0 if there is none of this name. */
uint64_t model_total(const struct model *m, const char *name);
/*
 * Returns the binaries by instructions, the most first, then by name and id: an array that the
 * caller frees.
 */
struct model_binary **model_busiest(const struct model *m);

/* Adds, and multiplies, as a count file does, with saturation. */
static inline uint64_t model_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t model_product(uint64_t a, uint64_t b)
{
	return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/* A count for readers whose numbers have a sign. */
static inline uint64_t model_signed(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : count;
}

/* Orders struct cst_count_range as in a count file, by start, last and flags; for qsort(). */
int model_compare_ranges(const void *a, const void *b);

/* Converts a file offset to a virtual address by the segments. False: it is in none of them; *vaddr is the offset then. */
bool model_vaddr(const struct model_binary *b, uint64_t offset, uint64_t *vaddr);
/* Returns offset and address of the first segment. False: there is none (both are 0). */
bool model_first_segment(const struct model_binary *b, uint64_t *offset, uint64_t *vaddr);
/* True for code that is in no program file: its symbols, lines and sections can be found nowhere. */
bool model_without_file(const struct model_binary *b);

/*
 * Finds the files of the binaries by name and build-id, for a model of a count file, and sets model_binary.dso; the search
 * options of `t` name the places. A file without a build-id must have the recorded digest, unless the options force
 * it. The table must outlive the model.
 */
void model_find_files(struct model *m, struct dso_table *t);

#endif
