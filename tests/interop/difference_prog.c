/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * difference_prog.c - functions that do not depend on each other's code; difference.py changes some
 * of them.
 */
#define KEEP __attribute__((noipa)) static

typedef unsigned int u32;
static volatile u32 sink;
static u32 data[64];

KEEP u32 mix(u32 x)
{
	x ^= x >> 7;
	x *= 2654435761u;
	x ^= x >> 11;
	return x;
}

KEEP u32 sum(u32 n)
{
	u32 s = 0, i;

	for (i = 0; i < n; i++)
		s += mix(i);
	return s;
}

KEEP u32 fib(u32 n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

KEEP void fill(u32 seed)
{
	u32 i;

	for (i = 0; i < 64; i++)
		data[i] = mix(seed + i);
}

KEEP void sort(u32 n)
{
	u32 i, k, x;

	for (i = 1; i < n; i++) {
		x = data[i];
		for (k = i; k > 0 && data[k - 1] > x; k--)
			data[k] = data[k - 1];
		data[k] = x;
	}
}

KEEP u32 search(u32 x)
{
	u32 lo = 0, hi = 64, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (data[mid] < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

KEEP u32 lookups(u32 n)
{
	u32 i, s = 0;

	for (i = 0; i < n; i++)
		s += search(i * 67108864u);
	return s;
}

KEEP u32 crc(u32 x, u32 rounds)
{
	u32 i;

	for (i = 0; i < rounds; i++)
		x = x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1;
	return x;
}

KEEP u32 work(u32 n)
{
	u32 s = 0;

	s += sum(n);
	s += fib(9);
	fill(n);
	sort(64);
	s += lookups(40);
	s += crc(s, 300);
	return s;
}

__attribute__((used)) void start(unsigned long *stack)
{
	sink = work(200 + 100 * ((u32)stack[0] - 1));
	__asm__ volatile("mov x8, #93\n\tmov x0, #0\n\tsvc #0");
}

__asm__(".globl _start\n.type _start, %function\n_start:\n\tmov x0, sp\n\tbl start\n"
	".size _start, . - _start\n");
