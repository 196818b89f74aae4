/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * throwing.h - functions that throw, clean up and catch through several frames of themselves. The program that includes it
 * has KEEP (not inlined, not cloned), `sink`, leaf_a() and leaf_b().
 */
#ifndef CSTRACE_TESTS_DATA_CALLS_THROWING_H
#define CSTRACE_TESTS_DATA_CALLS_THROWING_H

struct guard {
	int n;
	KEEP explicit guard(int x) : n(x) { sink += n; }
	KEEP ~guard() { sink -= leaf_a(n); }
};

/* Throws at the bottom; each level cleans up, and each second one catches and throws again. */
KEEP static int deep(int n, int limit)
{
	guard g(n);

	if (n == limit)
		throw n;
	if (n % 2)
		return deep(n + 1, limit) + leaf_b(n);
	try {
		return deep(n + 1, limit) + leaf_b(n);
	} catch (int x) {
		leaf_a(x);
		if (n)
			throw;
		return x;
	}
}

/* The handler is not that of the innermost level. */
KEEP static int choosy(int n)
{
	if (!n)
		throw 7;
	if (n != 3)
		return choosy(n - 1) + leaf_b(n);
	try {
		return choosy(n - 1) + leaf_b(n);
	} catch (int x) {
		return leaf_a(x);
	}
}

#endif
