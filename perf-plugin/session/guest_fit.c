/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest_fit.c - finds the offset between two clocks from the moments at which the same threads
 * began to run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "session/guest_clocks.h"

/*
 * Widths in ns within which offsets are taken for equal, the first one that gives a sure result:
 * the kernel notes a switch some time before or after it writes the context ID, and the trace dates
 * that between two timestamps.
 */
static const int64_t widths[] = { 200, 2000, 20000, 200000 };

/* Changes and pairs of a change and a switch that are compared. */
#define MAX_CHANGES 1024u
#define MAX_PAIRS (1u << 20)
/* Changes that a sure offset explains. */
#define MIN_FITTING 4u

static int compare_turns(const void *pa, const void *pb)
{
	const struct guest_turn *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

static int compare_offsets(const void *pa, const void *pb)
{
	const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return a < b ? -1 : a > b;
}

/*
 * Collects the offsets of all switches from all changes of the same thread, sorted; returns their
 * number.
 */
static size_t all_offsets(const struct guest_turn *a, size_t na, const struct guest_turn *sorted,
			  size_t nb, int64_t *offsets)
{
	size_t i, n = 0;

	for (i = 0; i < na; i++) {
		size_t lo = 0, hi = nb;

		BISECT(lo, hi, mid, sorted[mid].tid < a[i].tid);
		for (; lo < nb && sorted[lo].tid == a[i].tid && n < MAX_PAIRS; lo++)
			offsets[n++] = (int64_t)(sorted[lo].time - a[i].time);
	}
	ARRAY_SORT(offsets, n, compare_offsets);
	return n;
}

/* Number of offsets from the i-th on that are within the width; *k is that of the one before. */
static size_t within(const int64_t *offsets, size_t n, size_t i, int64_t width, size_t *k)
{
	while (*k < n && offsets[*k] - offsets[i] <= width)
		++*k;
	return *k - i;
}

/* Finds the width with most offsets, and the best one that does not touch it. */
static void fit_width(const int64_t *offsets, size_t n, int64_t width, struct guest_fit *fit)
{
	size_t i, k, count, best = 0;

	fit->fitting = fit->other = 0;
	for (i = k = 0; i < n; i++) {
		count = within(offsets, n, i, width, &k);
		if (count <= fit->fitting)
			continue;
		fit->fitting = count;
		best = i;
	}
	for (i = k = 0; i < n; i++) {
		count = within(offsets, n, i, width, &k);
		if (count > fit->other && llabs(offsets[i] - offsets[best]) > 2 * width)
			fit->other = count;
	}
	if (n)
		fit->offset = offsets[best + fit->fitting / 2];
	if (fit->fitting > fit->changes)
		fit->fitting = fit->changes;
}

int guest_fit_is_sure(const struct guest_fit *fit)
{
	return fit->fitting >= MIN_FITTING && 2 * fit->fitting >= fit->changes &&
	       4 * fit->other <= 3 * fit->fitting;
}

void guest_clock_fit(const struct guest_turn *a, size_t na, const struct guest_turn *b, size_t nb,
		     struct guest_fit *fit)
{
	struct guest_turn *sorted = mem_array(nb + 1, sizeof(*sorted));
	int64_t *offsets = mem_array(MAX_PAIRS, sizeof(*offsets));
	struct guest_fit one;
	size_t i, n;

	na = na < MAX_CHANGES ? na : MAX_CHANGES;
	if (nb)
		memcpy(sorted, b, nb * sizeof(*b));
	ARRAY_SORT(sorted, nb, compare_turns);
	n = all_offsets(a, na, sorted, nb, offsets);
	memset(fit, 0, sizeof(*fit));
	fit->changes = one.changes = na;
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]) && !guest_fit_is_sure(fit); i++) {
		one.offset = 0;
		fit_width(offsets, n, widths[i], &one);
		if (!i || guest_fit_is_sure(&one))
			*fit = one;
	}
	free(offsets);
	free(sorted);
}
