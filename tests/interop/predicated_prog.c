/* SPDX-License-Identifier: BSD-3-Clause */
/* predicated_prog.c - statements that compilers make of instructions under a condition, for coverage.sh. */
#include <stdio.h>
#include <string.h>

static volatile int seen[8];

__attribute__((noinline)) static void step(int n)
{
	seen[n & 7]++;
}

__attribute__((noinline)) static int
add_if(int n,
       int more)
{
	int s = seen[0];

	if (n > 36)
		s += more;
	seen[1] = n;
	return s;
}

__attribute__((noinline)) static int choose(int n)
{
	int s;

	if (n & 1)
		s = n + 3;
	else
		s = n - 7;
	return s;
}

__attribute__((noinline)) static int early(int n)
{
	if (n < 37)
		return 0;
	seen[2] = n;
	if (n > 1000)
		return 1;
	return 2;
}

__attribute__((noinline)) static void call_if(int n)
{
	if (n == 99)
		step(n);
}

__attribute__((noinline)) static int both(int a, int b)
{
	int r = 5;

	if (a > 3 &&
	    b < 90)
		r = 6;
	return r;
}

__attribute__((noinline)) static double larger(double a, double b)
{
	double r = a;

	if (b > a)
		r = b;
	return r;
}

/* Never executed. */
__attribute__((noinline)) static int never(const char *s, int n)
{
	int i, k = 0;

	for (i = 0; i < n; i++)
		if (s[i] == 'x')
			k++;
	switch (k) {
	case 1: return 7;
	case 2: return 5;
	case 3: return 9;
	case 4: return 2;
	case 5: return 1;
	default: return k;
	}
}

static inline int inlined(int n)
{
	if (n % 7 == 0)
		return n / 7;
	return n;
}

int main(int argc, char **argv)
{
	double d = 0;
	int i, s = 0;

	for (i = 0; i < 100; i++) {
		s += add_if(i, s);
		s ^= choose(i);
		s += early(i);
		call_if(i);
		s += both(i, s & 127);
		d += larger(i, 50);
		s -= inlined(i) + inlined(i + s % 5);
	}
	if (argc > 5)
		s = never(argv[1], s);
	printf("%d %d %d\n", s, (int)d, seen[3]);
	return 0;
}
