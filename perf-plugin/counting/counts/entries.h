/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * entries.h - counts of binaries (struct binary) as entries of a count file: one for each identity,
 * in canonical order, and their records.
 */
#ifndef CSTRACE_COUNTING_COUNTS_ENTRIES_H
#define CSTRACE_COUNTING_COUNTS_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/countfile.h>

#include "counting/counts/counts.h"
#include "counting/counts/interior.h"

/*
 * Takes a record; strings are valid as long as what passes it. A non-zero result ends the row of
 * records.
 */
typedef int (*collect_fn)(void *data, const struct cst_count_record *rec);

struct record_sink {
	collect_fn take;
	void *data;
	int rc;	/* what take() returned last */
};

/* Passes a record on, unless one before it was refused. */
static inline void record_put(struct record_sink *to, const struct cst_count_record *rec)
{
	if (!to->rc)
		to->rc = to->take(to->data, rec);
}

/* What was found, for a summary. */
struct collect_sums {
	/* passed by collect_records(), with contexts of calls; instructions: after collect_run() */
	uint64_t binaries, ranges, edges, nodes, insns;
	/*
	 * executions of ranges that are not counted, since their code was gone when it was looked
	 * at (loss.undecoded)
	 */
	uint64_t undecoded;
	/* modules whose name identifies them, since their files could not be read again */
	struct collect_unread {
		uint64_t modules;
		const char *file;	/* of the first one, as dso_file() */
		int why;	/* errno */
	} unread;
};

struct entry {
	struct cst_count_binary is;
	char *cut_name;	/* what `is` has of a longer name; else NULL */
	struct binary *counts;
	struct cst_count_segment *segs;
	size_t nr_segs;
	struct cst_count_range *ranges;	/* in canonical order */
	size_t nr_ranges;
	struct interior interior;
};

struct entries {
	struct entry *v;
	size_t nr;
	/* indexed by dso.number: of its binary, or of its methods */
	struct numbers {
		uint32_t whole;	/* CST_COUNT_NO_BINARY: it has no counts */
		uint32_t *methods;	/* NULL: not divided */
	} * numbers;
	size_t nr_numbers;
	struct collect_sums sums;
};

/*
 * Makes entries of the binaries that have counts; `e` is zeroed. Files of one identity are one
 * entry, whose name is the least of theirs: their pairs move to one of them. `nr_dsos`: all numbers
 * of their files are below it.
 */
void entries_make(struct entries *e, struct binary **v, size_t n, size_t nr_dsos);
/*
 * Sets the ranges; `all`: with what the code says of them. A range whose instructions cannot be
 * counted is left out.
 */
void entries_ranges(struct entries *e, bool all);
void entries_free(struct entries *e);

/*
 * Returns the number of the binary at an offset of a file, CST_COUNT_NO_BINARY if it has no counts.
 * *at is that binary, for identity_base().
 */
uint32_t entries_number(const struct entries *e, const struct dso *d, uint64_t offset,
			struct binary *at);

/* The binaries with their segments; after them the counts of each, in this order. */
void entries_put_binaries(struct entries *e, struct record_sink *to);
void entries_put_counts(struct entries *e, uint32_t number, struct record_sink *to);

static inline struct cst_count_range entries_range(const struct cst_pair *p, uint8_t flags)
{
	return (struct cst_count_range){ .flags = flags | (p->a & COUNTS_T32 ? CST_COUNT_T32 : 0),
					 .start = p->a & ~COUNTS_T32,
					 .last = p->b,
					 .count = p->count };
}

static inline struct cst_count_edge entries_edge(const struct cst_pair *p, uint64_t base,
						 uint32_t number)
{
	return (struct cst_count_edge){ .binary = number,
					.from = p->a - base,
					.count = p->count,
					.to = p->b == COUNTS_OUTSIDE ? CST_COUNT_OUTSIDE :
								       p->b - base };
}

#endif
