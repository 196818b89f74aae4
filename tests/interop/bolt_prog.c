/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work for a layout optimiser, with what its reader treats apart: functions that the C library calls back,
 * calls through the PLT, a signal handler, recursion, jump tables, calls through pointers, landing pads,
 * and blocks that begin where a call returns to, one of the same function as well.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline))	/* clang has no such attribute; bolt.sh compiles with gcc */
#else
#define AS_WRITTEN __attribute__((noinline, optimize("no-reorder-blocks")))
#endif

static unsigned int seed = 1;
static int closed, caught, hits;

static NOINLINE int next(void)
{
	seed = seed * 1103515245u + 12345u;
	return (int)(seed >> 16) % 1000;
}

static NOINLINE int less(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static NOINLINE void close_one(int *p)
{
	closed += *p & 1;
}

static NOINLINE void hit(void)
{
	hits++;
}

static NOINLINE int twice(int a)
{
	return a * 2;
}

static NOINLINE int half(int a)
{
	return a / 2;
}

static NOINLINE int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static NOINLINE int middle(int *v, int n)
{
	__attribute__((cleanup(close_one))) int m = v[0];

	qsort(v, (size_t)n, sizeof(v[0]), less);
	m += v[n / 2];
	return m;
}

static NOINLINE int both(int *v, int n)
{
	__attribute__((cleanup(close_one))) int m = v[1];

	m += middle(v, n / 2);
	if (m & 1)
		m -= middle(v + n / 2, n / 2);
	m ^= middle(v, n);
	return m;
}

/* Behind each call of hit() a block begins. */
static AS_WRITTEN void drain(int n)
{
	while (n-- > 0) {
		if (n & 1)
			hit();
		if (n & 2)
			hit();
		if (n & 4)
			closed += atoi("1");
	}
}

/* The same where a function calls itself, so that it returns to itself. */
static AS_WRITTEN void walk(int n)
{
	hits++;
	if (n <= 0)
		return;
	if (n & 1)
		walk(n - 3);
	if (n & 2)
		walk(n - 2);
	hits += n & 4;
	walk(n - 1);
	hits++;
}

static NOINLINE int step(int op, int a)
{
	switch (op) {
	case 0:
		return a + 1;
	case 1:
		return a ^ 0x55;
	case 2:
		return a - 7;
	case 3:
		return a * 3;
	case 4:
		return ~a;
	case 5:
		return fib(a & 7);
	}
	return a;
}

static void on_signal(int sig)
{
	caught += sig;
}

int main(void)
{
	int (*const f[2])(int) = { twice, half };
	int v[200], sum = 0, i, round;
	char text[16];

	signal(SIGUSR1, on_signal);
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 200; i++)
			v[i] = next();
		sum += both(v, 200);
		for (i = 0; i < 200; i++) {
			sum = step(v[i] % 8, sum) + f[v[i] & 1](v[i]);
			snprintf(text, sizeof(text), "%d", v[i]);
			sum += atoi(text);
		}
		raise(SIGUSR1);
	}
	drain(2000);
	walk(14);
	printf("%d %d %d %d\n", sum, closed, caught, hits);
	return 0;
}
