/* SPDX-License-Identifier: BSD-3-Clause */
/* tournament.c - keys of records, and the least one of several inputs. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/files/countfile.h>

#include "files/countfile/tournament.h"

/* Upper three bits of a key. */
enum section {
	SECTION_TOTAL,
	SECTION_BINARY,
	SECTION_COUNTS,
	SECTION_NODE,
};

#define SECTION(section) ((uint64_t)(section) << 61)

/* Up to eight bytes as a number that compares as they do; bytes behind the end are 0. */
static uint64_t word_of(const void *bytes, size_t len, size_t from)
{
	const uint8_t *p = bytes;
	uint64_t v = 0;
	size_t i;

	for (i = from; i < from + 8; i++)
		v = v << 8 | (i < len ? p[i] : 0);
	return v;
}

static struct key key_of_bytes(uint64_t first, const void *bytes, size_t len)
{
	struct key k = { { first, word_of(bytes, len, 0), word_of(bytes, len, 8), word_of(bytes, len, 16) } };

	return k;
}

static struct key key_of_counts(uint32_t binary, unsigned int kind, uint64_t a, uint64_t b, uint64_t c)
{
	struct key k = { { SECTION(SECTION_COUNTS) | (uint64_t)binary << 8 | kind, a, b, c } };

	return k;
}

/*
 * Of several inputs that wait with a node, the deepest one comes first, and of nodes at the same depth that with the least
 * key; the paths above them need not be compared. For let P be the node that was put out last, and N one that waits, with
 * the parent Q. Q was put out before, as its input had it before N, and P was put out between the two. A tree in depth-first order
 * has all that is between Q and N below Q, so that Q is P or an ancestor of P: the nodes that wait hang all on the path to P, and
 * those at one depth on the same parent. A node that waits at a higher depth is therefore below that ancestor of P beside which
 * another one waits, and comes before it.
 */
static struct key key_of_node(const struct cst_count_node *n)
{
	struct key k = { {
		SECTION(SECTION_NODE) | (uint64_t)(CST_COUNT_DEPTH_MAX - n->depth) << 40 | (uint64_t)n->kind << 32 |
			n->from_binary,
		n->from, n->binary, n->entry
	} };

	return k;
}

struct key cst_count_key(const struct cst_count_record *rec, const struct key *last)
{
	const struct cst_count_binary *b = &rec->binary;
	struct key k;

	switch (rec->kind) {
	case CST_COUNT_TOTAL:
		return key_of_bytes(SECTION(SECTION_TOTAL), rec->total.name, strlen(rec->total.name));
	case CST_COUNT_BINARY:
		return key_of_bytes(SECTION(SECTION_BINARY) | (uint64_t)b->id_kind << 8 | b->id_len, b->id, b->id_len);
	case CST_COUNT_SEGMENT:
		/* behind its binary, before the next one: an id ends in the upper half of the last word */
		k = *last;
		k.w[3]++;
		return k;
	case CST_COUNT_RANGE:
		return key_of_counts(rec->range.binary, rec->kind, rec->range.start, rec->range.last, rec->range.flags);
	case CST_COUNT_NOT_TAKEN:
		return key_of_counts(rec->not_taken.binary, rec->kind, rec->not_taken.offset, 0, 0);
	case CST_COUNT_EDGE:
		return key_of_counts(rec->edge.binary, rec->kind, rec->edge.from, rec->edge.to, 0);
	case CST_COUNT_ENTRY:
		return key_of_counts(rec->entry.binary, rec->kind, rec->entry.offset, 0, 0);
	default:
		return key_of_node(&rec->node);
	}
}

/* True for the keys of totals, which are equal for names that differ behind their first 24 bytes. */
static int is_total(const struct key *k)
{
	return !k->w[0];
}

static int compare(const struct key *a, const struct key *b)
{
	unsigned int i;

	for (i = 0; i < 3 && a->w[i] == b->w[i]; i++)
		;
	return a->w[i] < b->w[i] ? -1 : a->w[i] > b->w[i];
}

static int before(const struct tournament *t, size_t a, size_t b)
{
	int order = compare(&t->keys[a], &t->keys[b]);

	if (!order && is_total(&t->keys[a]))
		order = t->order(t->data, a, b);
	return order ? order < 0 : a < b;
}

static int is_least(const struct tournament *t, size_t input)
{
	if (compare(&t->keys[input], &t->least))
		return 0;
	return !is_total(&t->least) || t->same(t->data, input);
}

int cst_tournament_init(struct tournament *t, size_t n)
{
	t->n = n;
	t->keys = calloc(n ? n : 1, sizeof(*t->keys));
	t->winners = calloc(n ? 2 * n : 2, sizeof(*t->winners));
	return t->keys && t->winners ? 0 : -CST_ERR_NOMEM;
}

void cst_tournament_free(struct tournament *t)
{
	free(t->keys);
	free(t->winners);
}

static void play(struct tournament *t, size_t node)
{
	uint32_t a = t->winners[2 * node], b = t->winners[2 * node + 1];

	t->winners[node] = before(t, a, b) ? a : b;
}

void cst_tournament_start(struct tournament *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->winners[t->n + i] = (uint32_t)i;
	for (i = t->n; i-- > 1;)
		play(t, i);
}

/*
 * Takes the records of the inputs below a node whose winner has the least one. The keys on one side do not change while the other
 * side is taken. The depth is that of the tree, log2(n).
 */
static int take_below(struct tournament *t, size_t node)
{
	uint32_t winner = t->winners[node];
	size_t child;
	int err = 0;

	if (node >= t->n)
		return t->take(t->data, winner);
	for (child = 2 * node; child <= 2 * node + 1 && !err; child++)
		if (t->winners[child] == winner || is_least(t, t->winners[child]))
			err = take_below(t, child);
	if (!err)
		play(t, node);
	return err;
}

int cst_tournament_take(struct tournament *t)
{
	t->least = t->keys[tournament_winner(t)];
	return take_below(t, 1);
}
