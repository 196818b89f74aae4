/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_page.h - a page of memory with what the lines of some thousand branches and errors show, the names of their addresses
 * included. One thread fills it while it decodes, another prints it.
 */
#ifndef CSTRACE_LISTING_LINE_PAGE_H
#define CSTRACE_LISTING_LINE_PAGE_H

#include "listing/branch_line.h"

#define PAGE_LINES	4096u
#define PAGE_NAMES	(2u * PAGE_LINES)

/* What the line of a branch shows, but for the names of its addresses. */
struct page_branch {
	uint64_t time, from, to;
	int pid, tid, cpu;
	unsigned int flags;	/* PERF_IP_FLAG_x */
};

/*
 * A line in 64 bits, since it goes from one core to another, or is kept. Of a branch: the lower half of its target's address,
 * the distance of its source from the target before, and its flags.
 */
#define PAGE_DISTANCE_SHIFT	32
#define PAGE_DISTANCE_BITS	20
#define PAGE_FLAGS_SHIFT	52
#define PAGE_FLAGS_BITS		11
#define PAGE_NEW_REST		(1ull << 63)	/* the next one of line_page.rest belongs to it and those that follow */

/* What several branches that follow each other have in common, or an error. */
struct page_rest {
	bool is_error;
	union {
		struct {
			uint64_t time;
			uint64_t from;		/* source of the first one; its distance is 0 */
			uint32_t to;		/* upper half of the targets' addresses */
			int pid, tid, cpu;
		} branch;
		struct {
			struct error_sample sample;
			int cpu;
		} error;
	} as;
};

struct page_name {
	struct symbol_names names;
	uint64_t lookup;	/* as in struct symbol_at */
	uint32_t number;	/* as in struct symbol_ref */
};

/* Memory that a page does not need is not touched. */
struct line_page {
	struct line_page *next;	/* for the list that the page is in */
	uint32_t serial;	/* number of the page among those with the same cache of names, from 1 */
	uint32_t nr, nr_rest, nr_names;
	uint64_t at;		/* target of the last line's branch */
	uint64_t item[PAGE_LINES];
	struct {
		uint16_t from, to;	/* in name[], if names are printed */
	} names_of[PAGE_LINES];
	struct page_rest rest[PAGE_LINES];
	struct page_name name[PAGE_NAMES];
};

/* Empties the page. */
void line_page_begin(struct line_page *p, uint32_t serial);
static inline bool line_page_is_full(const struct line_page *p)
{
	return p->nr == PAGE_LINES;
}

/* Returns the number of bytes that the page needs. */
size_t line_page_bytes(const struct line_page *p);

/* The following functions need a page that is not full. They are described in pages.h. */
uint32_t line_page_add_name(struct line_page *p, const struct symbol_ref *ref);
void line_page_add_branch(struct line_page *p, const struct page_branch *b, uint32_t from, uint32_t to);
void line_page_add_error(struct line_page *p, int cpu, const struct error_sample *e);
/* Adds lines until the page is full or their addresses are too far apart. Returns the number of ranges used, at least 1. */
size_t line_page_add_taken(struct line_page *p, const struct page_branch *common, const unsigned int *flags,
		      const struct cst_generic *g, size_t n);

/* Prints all lines into the lane. */
void line_page_print(const struct line_page *p, struct line *l, struct merge_lane *lane, const char *event);

#endif
