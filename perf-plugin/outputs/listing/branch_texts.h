/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_texts.h - texts of branches with their names: what a line shows behind its event, each of
 * them once. A page of lines refers to them by numbers, so that it is small, and needs no names,
 * which belong to the session that decodes.
 */
#ifndef CSTRACE_OUTPUTS_LISTING_BRANCH_TEXTS_H
#define CSTRACE_OUTPUTS_LISTING_BRANCH_TEXTS_H

#include "outputs/listing/branch_line.h"

/* What the line of a branch shows, but for the names of its addresses. */
struct page_branch {
	uint64_t time, from, to;
	struct line_who who;
	uint8_t kind;		/* enum branch_kind, and PAGE_ENDS_TRACE as in struct branch */
};

#define PAGE_ENDS_TRACE	32u
_Static_assert((unsigned int)BRANCH_NR <= PAGE_ENDS_TRACE, "a flag besides the kind");

/* The PERF_IP_FLAG_x of page_branch.kind. */
static inline unsigned int page_branch_flags(unsigned int kind)
{
	return branch_ip_flags_of((enum branch_kind)(kind % PAGE_ENDS_TRACE),
				  kind & PAGE_ENDS_TRACE);
}

/* Texts one after the other, for the pages that refer to them: freed with the last of these. */
struct texts;

/* Ends the use of texts by a page; NULL: none. Any thread may call it. */
void texts_leave(struct texts *t);

/* Number of a text: from 1 to (1 << TEXT_NUMBER_BITS) - 1. */
#define TEXT_NUMBER_BITS 24
#define NO_TEXT		0u

/* Returns a text, which ends with its line and is followed by TEXT_SPARE readable bytes. */
const char *texts_get(const struct texts *t, uint32_t number, size_t *len);

/* Makes texts, in one thread. */
struct branch_texts;

struct branch_texts *branch_texts_new(unsigned int fields);
void branch_texts_free(struct branch_texts *bt);
/*
 * Returns the texts for a further page, which has a use of them, with room for a text at least. The
 * numbers below are of these until the next call.
 */
struct texts *branch_texts_use(struct branch_texts *bt);
/* True if there is room for one more text. */
bool branch_texts_room(const struct branch_texts *bt);
/* Returns the size of all texts that were made. */
uint64_t branch_texts_size(const struct branch_texts *bt);

/* When the names of a branch's addresses are those of an equal branch before it. */
struct names_valid {
	uint64_t spaces;	/* with the same symbols_spaces(), ... */
	uint64_t batch; /* ... in this symbols.batch or, UINT64_MAX, in all of them; 0: never */
};

/*
 * Returns the number of a branch's text that was added with names which are valid now, `batch`
 * being the current one, or NO_TEXT.
 */
uint32_t branch_texts_find(const struct branch_texts *bt, const struct page_branch *b,
			   const struct names_valid *now);
/* Returns the number of the text with these names. There must be room. */
uint32_t branch_texts_add(struct branch_texts *bt, const struct page_branch *b,
			  const struct names_valid *valid, const struct symbol_names *from,
			  const struct symbol_names *to);

#endif
