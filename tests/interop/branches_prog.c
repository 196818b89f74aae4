/* SPDX-License-Identifier: BSD-3-Clause */
/* branches_prog.c - conditions of all kinds, for profile-lines.sh, which compares what gcov -b counts of them. */
#include <stdio.h>
#include <string.h>

static int dense(int n)
{
	switch (n) {
	case 0: return 3;
	case 1: return 1;
	case 2: return 4;
	case 3: return 1;
	case 4: return 5;
	case 5: return 9;
	case 6: return 2;
	default: return 0;
	}
}

static int sparse(int n)
{
	int s = 0;

	switch (n) {
	case 1:
		s = 1;
		break;
	case 10 ... 15:
		s = 2;
		/* fall through */
	case 100:
		s++;
		break;
	case 1000:
	case 2000:
		s = 5;
	}
	return s;
}

static int find(const char *s, char c)
{
	int i;

	for (i = 0; s[i]; i++)
		if (s[i] == c)
			goto found;
	return -1;
found:
	return i;
}

static int logic(int a, int b, int c)
{
	int n = 0;

	if ((a && b) || c)
		n += 1;
	if (!(a || b) && !c)
		n += 2;
	if (a ? b : c)
		n += 4;
	n += (a && c) + (b || c);
	while (a && b--)
		n++;
	if (a)
		return n;
	else
		n = -n;
	if (a > 1) {
		n++;
	} else if (b) {
		if (c)
			n--;
		else
			n -= 2;
	}
	return a && (b ||
		     c) ? n : n + 1;
}

static int numbers(double d, float f, unsigned int u, long l, signed char c)
{
	int n = 0;

	if (d < 1.5)	/* turned */
		n++;
	if (d == 2 || f != 0)
		n++;
	if (d != d)
		n++;
	if (!(f >= 3))
		n++;
	if (u > 7u)
		n++;
	if (l < 0)
		n++;
	if (u & 4)
		n++;
	if (c)
		n++;
	if (c < -3 || c > 3)
		n++;
	n += l == 5;
	n += u < 3 ? 2 : u < 5 ? 3 : 4;
	return n;
}

static int jumps(int n)
{
	int s = 0, i;

	for (;;) {
		if (n-- < 0)
			break;
		if (n % 3 == 0)
			continue;
		for (i = n; i > 0; i /= 2) {
			if (i == 4) break;
			if (i & 1)
				s++;
		}
	}
again:
	s -= 7;
	if (s > 0)
		goto again;
	do
		s++;
	while (s < 5 && s != 3);
	return s;
}

int main(void)
{
	int i, s = 0;

	for (i = 0; i < 40; i++) {
		s += dense(i % 9) + sparse(i) + sparse(i * 100) + find("a line of text", (char)('a' + i % 26));
		s += logic(i & 1, i & 2, i & 4) + jumps(i);
		s += numbers(i / 8.0, (float)(i % 5), (unsigned int)i % 11, i - 9, (signed char)(i - 20));
	}
	if (strlen("abc") != 3 && s)
		return 1;
	printf("%d\n", s);
	return 0;
}
