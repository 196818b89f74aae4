/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pgo.c - a program with something to gain from a profile: an interpreter whose common instructions, branches and calls a
 * compiler cannot know. It prints a number, which no optimisation may change. Used by scripts/pgo-example.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum op { OP_HALT, OP_PUSH, OP_ADD, OP_MUL, OP_XOR, OP_DUP, OP_SWAP, OP_LOAD, OP_STORE, OP_DIV, OP_JNZ, OP_SORT, OP_HASH, OPS };

struct insn {
	uint8_t op;
	int32_t arg;
};

struct machine {
	uint64_t stack[64], mem[256];
	unsigned int sp;
	uint64_t executed[OPS];
	/* chosen when it runs: only a profile says which one it nearly always is */
	int (*order)(const void *, const void *);
	const char *error;
};

/* Cold: what goes wrong in no run. */
static __attribute__((noinline)) void fail(struct machine *m, const char *why)
{
	m->error = why;
	fprintf(stderr, "machine: %s at depth %u\n", why, m->sp);
}

static void push(struct machine *m, uint64_t v)
{
	if (m->sp == 64) {
		fail(m, "stack overflow");
		return;
	}
	m->stack[m->sp++] = v;
}

static uint64_t pop(struct machine *m)
{
	if (!m->sp) {
		fail(m, "stack underflow");
		return 0;
	}
	return m->stack[--m->sp];
}

static uint64_t hash(const uint64_t *v, unsigned int n)
{
	uint64_t h = 0x9e3779b97f4a7c15u;
	unsigned int i;

	for (i = 0; i < n; i++) {
		h ^= v[i];
		h *= 0x100000001b3u;
		if (!(h >> 40 & 0xffff))	/* once in 65536 */
			h = h << 7 | h >> 57;
	}
	return h;
}

static int compare(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static int compare_down(const void *pa, const void *pb)
{
	return compare(pb, pa);
}

static void insertion(uint64_t *v, unsigned int n, int (*less)(const void *, const void *))
{
	unsigned int i, k;
	uint64_t x;

	for (i = 1; i < n; i++) {
		x = v[i];
		for (k = i; k && less(&x, &v[k - 1]) < 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static int run(struct machine *m, const struct insn *code)
{
	const struct insn *i = code;
	uint64_t a, b;

	while (!m->error) {
		m->executed[i->op]++;
		switch (i->op) {
		case OP_HALT:
			return 0;
		case OP_PUSH:
			push(m, (uint64_t)i->arg);
			break;
		case OP_ADD:
			a = pop(m);
			b = pop(m);
			push(m, a + b);
			break;
		case OP_MUL:
			a = pop(m);
			b = pop(m);
			push(m, a * b);
			break;
		case OP_XOR:
			a = pop(m);
			b = pop(m);
			push(m, a ^ b);
			break;
		case OP_DUP:
			a = pop(m);
			push(m, a);
			push(m, a);
			break;
		case OP_SWAP:
			a = pop(m);
			b = pop(m);
			push(m, a);
			push(m, b);
			break;
		case OP_LOAD:
			push(m, m->mem[i->arg & 255]);
			break;
		case OP_STORE:
			m->mem[i->arg & 255] = pop(m);
			break;
		case OP_DIV:
			a = pop(m);
			b = pop(m);
			if (!a) {
				fail(m, "division by zero");
				break;
			}
			push(m, b / a);
			break;
		case OP_JNZ:
			if (pop(m)) {
				i += i->arg;
				continue;
			}
			break;
		case OP_SORT:
			insertion(m->mem + 16, 32, m->order);
			break;
		case OP_HASH:
			push(m, hash(m->mem, 64));
			break;
		default:
			fail(m, "unknown instruction");
		}
		i++;
	}
	return -1;
}

int main(int argc, char **argv)
{
	/* mem[0] counts down; mem[1] is mixed in each round; every round stores into mem[16..47], sorts and hashes it */
	static const struct insn code[] = {
		{ OP_PUSH, 300 }, { OP_STORE, 0 },
		{ OP_LOAD, 1 }, { OP_PUSH, 6364136 }, { OP_MUL, 0 }, { OP_PUSH, 1442695 }, { OP_ADD, 0 }, { OP_DUP, 0 }, { OP_STORE, 1 },
		{ OP_DUP, 0 }, { OP_STORE, 16 }, { OP_DUP, 0 }, { OP_PUSH, 77 }, { OP_XOR, 0 }, { OP_STORE, 31 }, { OP_STORE, 40 },
		{ OP_SORT, 0 }, { OP_HASH, 0 }, { OP_LOAD, 2 }, { OP_XOR, 0 }, { OP_STORE, 2 },
		{ OP_LOAD, 0 }, { OP_PUSH, -1 }, { OP_ADD, 0 }, { OP_DUP, 0 }, { OP_STORE, 0 }, { OP_JNZ, -24 },
		{ OP_HALT, 0 },
	};
	struct machine m;
	unsigned int i;
	uint64_t sum = 0;

	memset(&m, 0, sizeof(m));
	m.order = argc > 1 && !strcmp(argv[1], "down") ? compare_down : compare;
	if (run(&m, code))
		return EXIT_FAILURE;
	for (i = 0; i < OPS; i++)
		sum = sum * 31 + m.executed[i];
	printf("%016llx %llu\n", (unsigned long long)m.mem[2], (unsigned long long)sum);
	return EXIT_SUCCESS;
}
