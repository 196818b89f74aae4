/* SPDX-License-Identifier: GPL-2.0-only */
/* agree.c - how many instructions of two sequences match from a place on. */
#include "outputs/compare/align_int.h"

const uint8_t agree_edits[AGREE_EDITS][2] = { { 1, 1 }, { 0, 1 }, { 1, 0 }, { 0, 2 }, { 2, 0 } };

uint64_t agree_length(const struct align *al, unsigned int side, uint64_t from, uint64_t most)
{
	uint64_t n = 0;

	while (n < most && from + n < left(al, side) && (!n || !at(al, side, from + n)->gap))
		n++;
	return n;
}

bool agree_run(const struct align *al, unsigned int side, int64_t x, int64_t y, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		if (!seq_same(at(al, side, (uint64_t)x + i), at(al, !side, (uint64_t)y + i)))
			return false;
	return true;
}

int64_t agree(struct align *al, uint64_t i, uint64_t j)
{
	const uint64_t n = agree_length(al, TRACE, i, ENOUGH);
	const int64_t have = align_want(al, OTHER, j + n);
	uint64_t k = 0;

	if (have < 0)
		return have;
	while (k < n && j + k < (uint64_t)have && seq_same(at(al, TRACE, i + k), at(al, OTHER, j + k)))
		k++;
	return (int64_t)k;
}

/*
 * The instructions i of the trace and j of the other side differ: 1 if GRAM match behind an edit of at most EDIT instructions,
 * which is added to *i and *j; 0; negative.
 */
static int over_edit(struct align *al, uint64_t *i, uint64_t *j)
{
	const int64_t have = align_want(al, OTHER, *j + EDIT + GRAM);
	unsigned int k;

	if (have < 0)
		return (int)have;
	if (*i + EDIT + GRAM > left(al, TRACE) || *j + EDIT + GRAM > (uint64_t)have)
		return 0;
	for (k = 0; k < AGREE_EDITS; k++)
		if (agree_run(al, TRACE, (int64_t)(*i + agree_edits[k][0]), (int64_t)(*j + agree_edits[k][1]), GRAM)) {
			*i += agree_edits[k][0];
			*j += agree_edits[k][1];
			return 1;
		}
	return 0;
}

int agree_pieces(struct align *al, uint64_t i, uint64_t j, uint64_t every, uint64_t *most)
{
	uint64_t edits = 0;
	int64_t have;
	int rc;

	for (*most = 0; *most < SURE; ++*most, i++, j++) {
		have = j < left(al, OTHER) ? (int64_t)(j + 1) : align_want(al, OTHER, j + 1);
		if (have < 0)
			return (int)have;
		/* what of the trace is not put in yet may differ */
		if (i >= left(al, TRACE) && !al->side[TRACE].ended)
			return 0;
		if (i >= left(al, TRACE) || j >= (uint64_t)have || (*most && (at(al, TRACE, i)->gap || at(al, OTHER, j)->gap)))
			break;
		if (seq_same(at(al, TRACE, i), at(al, OTHER, j)))
			continue;
		if (!*most || edits++ > *most / every)
			return 0;
		rc = over_edit(al, &i, &j);
		if (rc <= 0)
			return rc;
	}
	return *most >= GRAM;
}

int agree_side(struct align *al, unsigned int side, uint64_t own, uint64_t k, uint64_t *most)
{
	return side == TRACE ? agree_pieces(al, own, k, ENOUGH, most) : agree_pieces(al, k, own, ENOUGH, most);
}
