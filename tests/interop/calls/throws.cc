/* SPDX-License-Identifier: BSD-3-Clause */
/* throws.cc - C++ exceptions through several frames: throws LOG */
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "log.h"

#define KEEP __attribute__((noinline, noclone))

static volatile int sink;

KEEP static int leaf_a(int x) { return x + sink; }
KEEP static int leaf_b(int x) { return x - sink; }

#include "../../data/calls/throwing.h"

KEEP static int thrower(int n)
{
	guard g(n);

	if (n % 3 == 0)
		throw n;
	if (n % 3 == 1)
		throw std::runtime_error("one");
	throw std::string("two");
}

KEEP static int middle(int n)
{
	guard g(n), h(n + 1);

	return thrower(n) + leaf_a(n);
}

KEEP static int catcher(int n)
{
	try {
		return middle(n) + 1;
	} catch (int x) {
		return leaf_a(x);
	} catch (const std::exception &e) {
		return leaf_a(e.what()[0]);
	}
}

KEEP static int compare(const void *a, const void *b)
{
	int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);

	if (x == 13 || y == 13)
		throw 13;
	return leaf_a(x) < leaf_a(y) ? -1 : x > y;
}

KEEP static int through_libc(int last)
{
	int v[8] = { 5, 3, 8, 1, 9, 2, 7, last };

	try {
		qsort(v, 8, sizeof(v[0]), compare);
	} catch (int x) {
		return leaf_a(x);
	}
	return v[0];
}

KEEP static int vectors(int n)
{
	std::vector<guard> v;

	for (int i = 0; i < n; i++)
		v.emplace_back(i);
	if (n > 3)
		throw v.size();
	return leaf_a(n);
}

KEEP static void all()
{
	for (int i = 0; i < 6; i++) {
		try {
			sink += catcher(i);
		} catch (const std::string &s) {
			sink += leaf_a(static_cast<int>(s.size()));
		}
	}
	for (int i = 0; i < 9; i += 2)
		sink += deep(0, i + 1);
	sink += choosy(6) + choosy(9);
	sink += through_libc(4) + through_libc(13);
	for (int i = 2; i < 6; i++) {
		try {
			sink += vectors(i);
		} catch (std::size_t n) {
			sink += leaf_a(static_cast<int>(n));
		}
	}
}

QUIET int main(int, char **argv)
{
	all();
	log_write(argv[1]);
	return 0;
}
