/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample.c - the traced program of tests/data: one of each kind of control flow, no library.
 *
 * A sort with an indirect comparison, a recursion, a bytecode interpreter (switch), a checksum with
 * unpredictable branches, chained tail calls, and a few system calls. On 32-bit Arm one function
 * is of the other instruction set.
 */
#include "start.h"

#define ITEMS 180
#define NOINLINE __attribute__((noinline))

#if defined(__thumb__)
#define OTHER_ISA __attribute__((noinline, target("arm")))
#elif defined(__arm__)
#define OTHER_ISA __attribute__((noinline, target("thumb")))
#else
#define OTHER_ISA NOINLINE
#endif

typedef int (*compare_fn)(unsigned int a, unsigned int b);

static unsigned int items[ITEMS];

static NOINLINE unsigned int next_random(unsigned int *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 8;
}

static NOINLINE int ascending(unsigned int a, unsigned int b)
{
	return a < b;
}

static NOINLINE int by_low_bits(unsigned int a, unsigned int b)
{
	if ((a & 0xff) != (b & 0xff))
		return (a & 0xff) < (b & 0xff);
	return a < b;
}

static NOINLINE void swap(unsigned int *a, unsigned int *b)
{
	unsigned int t = *a;

	*a = *b;
	*b = t;
}

static NOINLINE void sort(unsigned int *v, int n, compare_fn less)
{
	int i, last = 0;

	if (n < 2)
		return;
	swap(v, v + n / 2);
	for (i = 1; i < n; i++)
		if (less(v[i], v[0]))
			swap(v + ++last, v + i);
	swap(v, v + last);
	sort(v, last, less);
	sort(v + last + 1, n - last - 1, less);
}

static NOINLINE unsigned int fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

OTHER_ISA unsigned int checksum(const unsigned int *v, int n)
{
	unsigned int crc = ~0u;
	int i, bit;

	for (i = 0; i < n; i++) {
		crc ^= v[i] & 0xff;
		for (bit = 0; bit < 8; bit++) {
			if (crc & 1)
				crc = (crc >> 1) ^ 0xedb88320u;
			else
				crc >>= 1;
		}
	}
	return ~crc;
}

enum op { OP_PUSH, OP_ADD, OP_MUL, OP_XOR, OP_DUP, OP_SWAP, OP_DEC, OP_JNZ, OP_HALT };

static const signed char program[] = {
	OP_PUSH, 1, OP_PUSH, 120,		/* accumulator, counter */
	OP_SWAP, OP_DUP, OP_PUSH, 3, OP_MUL, OP_ADD, OP_PUSH, 29, OP_XOR, OP_SWAP,
	OP_DEC, OP_JNZ, -12, OP_HALT,
};

static NOINLINE unsigned int interpret(const signed char *pc)
{
	unsigned int stack[8], *sp = stack, t;

	for (;;) {
		switch (*pc++) {
		case OP_PUSH:
			*sp++ = (unsigned int)*pc++;
			break;
		case OP_ADD:
			sp--;
			sp[-1] += sp[0];
			break;
		case OP_MUL:
			sp--;
			sp[-1] *= sp[0];
			break;
		case OP_XOR:
			sp--;
			sp[-1] ^= sp[0];
			break;
		case OP_DUP:
			sp[0] = sp[-1];
			sp++;
			break;
		case OP_SWAP:
			t = sp[-1];
			sp[-1] = sp[-2];
			sp[-2] = t;
			break;
		case OP_DEC:
			sp[-1]--;
			break;
		case OP_JNZ:
			pc += sp[-1] ? *pc : 1;
			break;
		default:
			return sp[-2];
		}
	}
}

static NOINLINE unsigned int odd(unsigned int n, unsigned int a);

static NOINLINE unsigned int even(unsigned int n, unsigned int a)
{
	return n ? odd(n - 1, a + n) : a;
}

static NOINLINE unsigned int odd(unsigned int n, unsigned int a)
{
	return n ? even(n - 1, a ^ n) : a;
}

static NOINLINE void print(const char *name, unsigned int value)
{
	static const char hex[] = "0123456789abcdef";
	char line[32];
	int n = 0, shift;

	while (*name)
		line[n++] = *name++;
	line[n++] = ' ';
	for (shift = 28; shift >= 0; shift -= 4)
		line[n++] = hex[value >> shift & 15];
	line[n++] = '\n';
	write_out(line, n);
}

int main(void)
{
	static const compare_fn order[] = { ascending, by_low_bits };
	unsigned int seed = 42, sum = 0;
	int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < ITEMS; i++)
			items[i] = next_random(&seed);
		sort(items, ITEMS, order[round]);
		sum ^= checksum(items, ITEMS);
		print("sorted", sum);
	}
	print("fibonacci", fibonacci(13));
	print("interpreted", interpret(program));
	print("chained", even(200, sum));
	return 0;
}
