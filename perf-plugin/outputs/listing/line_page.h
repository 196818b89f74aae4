/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_page.h - a page of memory with what the lines of some thousand branches and errors show. One
 * thread fills it while it decodes, another prints it.
 */
#ifndef CSTRACE_OUTPUTS_LISTING_LINE_PAGE_H
#define CSTRACE_OUTPUTS_LISTING_LINE_PAGE_H

#include "outputs/listing/branch_texts.h"

#define PAGE_LINES	4096u
/* 64-bit words of a page for lines and rests: a rest for each tenth line and more. */
#define PAGE_WORDS	(PAGE_LINES + PAGE_LINES / 5)

/*
 * A line in a word, since it goes from one core to another, or is kept. Of a branch: the lower half of its target's address,
 * the distance of its source from the target before, the place of the upper half in line_page.upper, and its kind. An error
 * has a rest alone.
 */
#define PAGE_DISTANCE_SHIFT	32
#define PAGE_DISTANCE_BITS	20
#define PAGE_UPPER_SHIFT	52
#define PAGE_UPPER_BITS		5
#define PAGE_KIND_SHIFT		57
#define PAGE_KIND_BITS		6
#define PAGE_NEW_REST		(1ull << 63)	/* the next rest belongs to it and those that follow */

#define PAGE_UPPERS		(1u << PAGE_UPPER_BITS)

/*
 * With names, the line of a branch is the number of its text, and how much later its time is than
 * that of the last rest.
 */
#define PAGE_DELAY_SHIFT	TEXT_NUMBER_BITS
#define PAGE_DELAY_BITS		39
_Static_assert(PAGE_DELAY_SHIFT + PAGE_DELAY_BITS == 63, "a bit is left for PAGE_NEW_REST");

enum page_rest_kind {
	PAGE_SAME_THREAD,	/* its struct page_thread is the one of the rest before */
	PAGE_OTHER_THREAD,	/* a struct page_thread follows */
	PAGE_ERROR,		/* a struct page_error follows */
};

/* What several branches that follow each other have in common, or an error. */
struct page_rest {
	uint64_t from;		/* source of the first one; its distance is 0 */
	uint32_t to;		/* upper half of its target's address */
	uint32_t kind;		/* enum page_rest_kind */
};

struct page_thread {
	uint64_t time;
	struct line_who who;
};

struct page_error {
	struct error_sample sample;
	int cpu;
};

/* The last line, with which the next one is compared. */
struct page_last {
	struct page_thread thread;
	uint64_t at;		/* target of the last branch */
	bool has_thread;	/* there was a branch */
	bool is_branch;		/* the last line is one */
};

/* Memory that a page does not need is not touched. */
struct line_page {
	struct line_page *next;	/* for the list that the page is in */
	struct texts *texts;	/* of the branches; NULL: lines have no names */
	uint32_t nr;
	uint32_t rests;		/* where the rests begin in word[] */
	struct page_last last;
	/* upper halves of addresses, by page_upper(); 0, which has the first place, at the others: none */
	uint32_t upper[PAGE_UPPERS];
	uint64_t word[PAGE_WORDS];	/* lines from the front; rests from the back, the last one first */
};

/* words of the largest rest */
#define PAGE_REST_WORDS	((sizeof(struct page_rest) + sizeof(struct page_error) + 7) / 8)

/* Empties the page, whose lines will refer to these texts, if lines have names. */
void line_page_begin(struct line_page *p, struct texts *texts);
/* The page does not need its texts any more. */
void line_page_end(struct line_page *p);

/* Returns the number of lines for which the page has room at least, the first one with a rest of its own. */
static inline size_t line_page_room(const struct line_page *p)
{
	const size_t used = p->nr + PAGE_REST_WORDS;

	if (used >= p->rests)
		return 0;
	return p->rests - used < PAGE_LINES - p->nr ? p->rests - used : PAGE_LINES - p->nr;
}

/* The following functions need a page with room. They are described in pages.h. */
void line_page_add_branch(struct line_page *p, const struct page_branch *b);
/* `text`: number of its text in the texts of the page. */
void line_page_add_named(struct line_page *p, const struct page_branch *b, uint32_t text);
void line_page_add_error(struct line_page *p, int cpu, const struct error_sample *e);
/* Adds lines until the page is full or their addresses are too far apart. Returns the number of branches used, at least 1. */
size_t line_page_add_taken(struct line_page *p, const struct page_branch *common, const struct cst_branch *b, size_t n,
			   bool kinds);

/* Prints all lines into the lane. */
void line_page_print(const struct line_page *p, struct line *l, struct merge_lane *lane, const char *event);

#endif
