/* SPDX-License-Identifier: GPL-2.0-only */
/* branch_texts.c - makes the texts of branches, and finds those of equal branches again. */
#include "outputs/listing/branch_texts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Size of texts, of which what is not used is not touched. */
#define TEXTS_SIZE	(1u << TEXT_NUMBER_BITS)

/*
 * Maximum size of a text: four names, each of which line_text() cuts, and the rest of the line, in
 * steps of TEXT_SPARE.
 */
#define TEXT_MAX	(4 * (MERGE_PIECE / 2) + 4 * LINE_ROOM)

/*
 * Places of branches that are found again, two for each number: in 4 MB of gcc's trace 5,400,000
 * branches are 23,000 to 44,000 different ones, and 24,000 to 49,000 texts are made.
 */
#define SLOT_BITS	14
#define TEXT_SLOTS	(2u << SLOT_BITS)

struct texts {
	_Atomic unsigned int users;
	uint32_t used;
	/*
	 * From 1 on, of each text its length, in 32 bits, and the text up to a multiple of
	 * TEXT_SPARE: nothing that a reader copies is written any more.
	 */
	char bytes[TEXTS_SIZE];
};

/* A branch whose text was made. */
struct text_slot {
	uint64_t from, to;
	struct names_valid valid;
	uint32_t number;	/* NO_TEXT: none */
	uint8_t kind;
};

struct branch_texts {
	struct texts *now;	/* NULL: none yet */
	uint64_t before;	/* size of the texts before these */
	uint8_t kinds;		/* bits of page_branch.kind that are printed */
	struct line line;
	struct merge *m;	/* what the line is printed to, which appends it to the texts */
	struct merge_lane *lane;
	struct text_slot slot[TEXT_SLOTS]; /* in pairs, of which the first one was added last */
};

/* ---- texts ----------------------------------------------------------------------------------- */

void texts_leave(struct texts *t)
{
	if (t && atomic_fetch_sub(&t->users, 1) == 1)
		free(t);
}

const char *texts_get(const struct texts *t, uint32_t number, size_t *len)
{
	uint32_t n;

	memcpy(&n, t->bytes + number, sizeof(n));
	*len = n;
	return t->bytes + number + sizeof(n);
}

static void append(void *data, const void *bytes, size_t len)
{
	struct branch_texts *bt = data;

	memcpy(bt->now->bytes + bt->now->used, bytes, len);
	bt->now->used += (uint32_t)len;
}

/* Ends the text that begins with `number`. */
static void end_text(struct texts *t, uint32_t number)
{
	const uint32_t begin = number + (uint32_t)sizeof(uint32_t), len = t->used - begin;

	memcpy(t->bytes + number, &len, sizeof(len));
	t->used = begin + (len + TEXT_SPARE - 1) / TEXT_SPARE * TEXT_SPARE;
}

static bool same_text(const struct texts *t, uint32_t a, uint32_t b)
{
	size_t na, nb;
	const char *one = texts_get(t, a, &na), *two = texts_get(t, b, &nb);

	return na == nb && !memcmp(one, two, na);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* The first of the two places for a branch. */
static inline size_t slot_number(const struct page_branch *b)
{
	const uint64_t mixed =
		(b->from >> 1) * 0x9e3779b97f4a7c15ull + (b->to >> 1) * 0xc2b2ae3d27d4eb4full;

	return 2 * (size_t)(mixed >> (64 - SLOT_BITS));
}

/* True if the place is that of an equal branch, with names that may have been others. */
static inline bool is_of(const struct branch_texts *bt, const struct text_slot *s,
			 const struct page_branch *b)
{
	return s->from == b->from && s->to == b->to && s->kind == (b->kind & bt->kinds) &&
	       s->number != NO_TEXT;
}

uint32_t branch_texts_find(const struct branch_texts *bt, const struct page_branch *b,
			   const struct names_valid *now)
{
	const struct text_slot *s = &bt->slot[slot_number(b)];

	if (!is_of(bt, s, b) && !is_of(bt, ++s, b))
		return NO_TEXT;
	if (s->valid.spaces != now->spaces ||
	    (s->valid.batch != now->batch && s->valid.batch != UINT64_MAX))
		return NO_TEXT;
	return s->number;
}

/* Appends the text of a branch. Returns its number. */
static uint32_t print_branch(struct branch_texts *bt, const struct page_branch *b,
			     const struct symbol_names *from, const struct symbol_names *to)
{
	const uint32_t number = bt->now->used;
	struct line *l = &bt->line;

	bt->now->used += (uint32_t)sizeof(uint32_t);
	line_begin(l, bt->lane, NULL, 0);
	if (l->fields & LIST_FLAGS)
		line_flags(l, page_branch_flags(b->kind));
	if (branch_line_from(l, b->from))
		line_symbol(l, from, NULL);
	if (branch_line_to(l, b->to))
		line_symbol(l, to, NULL);
	line_end(l);
	(void)merge_finish(bt->m);	/* of one lane: nothing can fail */
	end_text(bt->now, number);
	return number;
}

uint32_t branch_texts_add(struct branch_texts *bt, const struct page_branch *b,
			  const struct names_valid *valid, const struct symbol_names *from,
			  const struct symbol_names *to)
{
	const uint32_t number = print_branch(bt, b, from, to);
	struct text_slot *s = &bt->slot[slot_number(b)];
	struct text_slot *was = is_of(bt, s, b) ? s : is_of(bt, s + 1, b) ? s + 1 : NULL;

	if (was && same_text(bt->now, number, was->number)) {
		bt->now->used = number;
		if (valid->batch)
			was->valid = *valid;
		return was->number;
	}
	if (!was) {
		s[1] = s[0];
		was = s;
	}
	*was = (struct text_slot){ .from = b->from,
				   .to = b->to,
				   .valid = *valid,
				   .number = number,
				   .kind = b->kind & bt->kinds };
	return number;
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool branch_texts_room(const struct branch_texts *bt)
{
	return bt->now && TEXTS_SIZE - bt->now->used >= TEXT_MAX;
}

uint64_t branch_texts_size(const struct branch_texts *bt)
{
	return bt->before + (bt->now ? bt->now->used : 0);
}

static void renew(struct branch_texts *bt)
{
	if (bt->now)
		memset(bt->slot, 0, sizeof(bt->slot));
	bt->before = branch_texts_size(bt);
	texts_leave(bt->now);
	bt->now = mem_new(sizeof(*bt->now));
	bt->now->used = 1;
	atomic_init(&bt->now->users, 1);
}

struct texts *branch_texts_use(struct branch_texts *bt)
{
	if (!branch_texts_room(bt))
		renew(bt);
	atomic_fetch_add(&bt->now->users, 1);
	return bt->now;
}

struct branch_texts *branch_texts_new(unsigned int fields)
{
	struct branch_texts *bt = mem_zeroed(1, sizeof(*bt));
	const struct merge_sink sink = { .write = append, .data = bt };

	bt->line.fields = fields;
	bt->kinds = fields & LIST_FLAGS ? UINT8_MAX : 0;
	bt->m = merge_new(&sink, NULL);
	bt->lane = merge_lane_new(bt->m, 0, 0);
	(void)merge_direct(bt->m, bt->lane);
	return bt;
}

void branch_texts_free(struct branch_texts *bt)
{
	if (!bt)
		return;
	texts_leave(bt->now);
	merge_free(bt->m);
	free(bt);
}
