/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tournament.h - which of several inputs have the record that comes first in the canonical order: a tree in which each inner
 * node has the winner of the two below it. All inputs with an equal record are taken in one walk: when all have it, that
 * is three comparisons for each, and log2(n) only when few have it.
 *
 * Keys are four words that compare as the records do. Names of totals with the same first 24 bytes have equal keys; the
 * caller's functions compare them.
 */
#ifndef CST_LIB_FILES_COUNTFILE_TOURNAMENT_H
#define CST_LIB_FILES_COUNTFILE_TOURNAMENT_H

#include <stddef.h>
#include <stdint.h>

struct cst_count_record;

struct key {
	uint64_t w[4];
};

/* First word of the key of an input that has no more records. */
#define KEY_END 0xffffffffffffffffull

struct tournament {
	size_t n;
	struct key *keys;	/* of each input's record */
	uint32_t *winners;	/* [1]: of all; [n + i]: input i */
	struct key least;	/* while inputs are taken */
	void *data;
	/* Order of the records of two inputs with equal keys. */
	int (*order)(const void *data, size_t a, size_t b);
	/* True if the input's record, which has the least key, is equal to the one that is taken. */
	int (*same)(const void *data, size_t input);
	/* Takes the record of an input and sets the key of its next one. Not 0: an error. */
	int (*take)(void *data, size_t input);
};

int cst_tournament_init(struct tournament *t, size_t n);
void cst_tournament_free(struct tournament *t);
/* Finds the winners when all keys are set. */
void cst_tournament_start(struct tournament *t);
/* Takes the least record of all inputs that have it. Returns 0, or the first error of take(). */
int cst_tournament_take(struct tournament *t);

/* An input that has the least record. */
static inline size_t tournament_winner(const struct tournament *t)
{
	return t->winners[1];
}

/* True if no input has a record. */
static inline int tournament_over(const struct tournament *t)
{
	return !t->n || t->keys[tournament_winner(t)].w[0] == KEY_END;
}

/*
 * The key of a record, whose binaries have the numbers of the output. `last` is that of the input's record before. Segments are
 * numbered within their binary: those of several inputs have equal keys even if they differ.
 */
struct key cst_count_key(const struct cst_count_record *rec, const struct key *last);

#endif
