/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_prog.c - loops, conditions, switches and calls on one line and on several, for lines.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	int a, b;
};

static int never(int n)
{
	if (n)
		return 1;
	return 2;
}

static int choose(int n)
{
	switch (n & 3) {
	case 0:
		return 5;
	case 1:
		n += 3;
		break;
	case 2:
		n *= 2;
		/* fall through */
	default:
		n -= 1;
	}
	return n;
}

static int conditions(int n)
{
	int s = 0;

	if (n > 3 && (n & 1))
		s++;
	else if (n == 2 ||
		 n == 7)
		s += 2;
	s += n > 5 ? 1 : 2;
	return s;
}

static int loops(int n)
{
	int i, k, s = 0;

	for (i = 0; i < n; i++)
		s += i;
	for (i = 0; i < n; i++) {
		if (i == 3)
			continue;
		for (k = 0; k < i; k++)
			s ^= k;
		if (i > 20)
			break;
	}
	while (s > 100)
		s -= 7;
	do {
		s++;
	} while (s & 3);
	for (i = 0; i < 4; i++) s += 2;
	while (s > 50) s /= 2;
	return s;
}

static unsigned int fib(unsigned int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int sum(const struct pair *p,
	       int n)
{
	int s = 0;

	while (n--)
		s += p[n].a *
		     p[n].b;
	return s;
}

int main(void)
{
	struct pair pairs[9];
	int v[30], i, s = 0;

	for (i = 0; i < 30; i++) {
		v[i] = (i * 37) % 30;
		s += choose(i) + conditions(i) + loops(i);
	}
	memset(pairs, 0, sizeof(pairs));
	for (i = 0; i < 9; i++)
		pairs[i].a = pairs[i].b = i;
	qsort(v, 30, sizeof(v[0]), compare);
	if (s == 1234567)
		s += never(s);
	s += sum(pairs, 9);
	printf("%d %u %d\n",
	       s, fib(12),
	       v[3]);
	goto out;
out:
	return s == 0;
}
