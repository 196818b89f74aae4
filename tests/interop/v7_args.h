/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * v7_args.h - arguments of the two programs that decode a buffer of ETMv3 and PTM trace many times, so that their
 * speed can be compared: TRACE TIMES IMAGE ADDRESS, then for each trace source etmv3|etmv3-each|ptm CR CCER IDR
 * TRACEIDR. And what both count of their elements: whether ranges are joined or not makes no difference to it.
 */
#ifndef CSTRACE_TESTS_INTEROP_V7_ARGS_H
#define CSTRACE_TESTS_INTEROP_V7_ARGS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define V7_FIXED_ARGS 5
#define V7_SOURCE_ARGS 5
#define V7_MAX_SOURCES 8

struct v7_source {
	int ptm, each;
	uint32_t cr, ccer, idr, traceidr;
};

struct v7_args {
	uint8_t *trace, *image;
	size_t trace_len, image_len;
	unsigned long times;
	uint64_t address;
	struct v7_source source[V7_MAX_SOURCES];
	int sources;
};

struct v7_counts {
	uint64_t ranges, insns, elements;
	/* of the first pass: which stretches of code ran, instructions that failed their condition, cycles */
	uint64_t code, failed, cycles;
};

/* Any function of an address: over joined ranges the differences add up to the same. */
static inline uint64_t v7_mix(uint64_t addr, unsigned int id)
{
	addr = (addr ^ (uint64_t)id << 56) * 0x9e3779b97f4a7c15u;
	addr = (addr ^ addr >> 29) * 0xbf58476d1ce4e5b9u;
	return addr ^ addr >> 32;
}

static inline void v7_range(struct v7_counts *c, unsigned int id, uint64_t start, uint64_t end, int executed)
{
	c->code += v7_mix(end, id) - v7_mix(start, id);
	if (!executed)
		c->failed += v7_mix(end, id);
}

static inline void v7_print(const struct v7_counts *c, const struct timespec *a, const struct timespec *b)
{
	printf("ranges %llu\ninstructions %llu\nelements %llu\ncode %llx\nfailed %llx\ncycles %llu\nseconds %.3f\n",
	       (unsigned long long)c->ranges, (unsigned long long)c->insns, (unsigned long long)c->elements,
	       (unsigned long long)c->code, (unsigned long long)c->failed, (unsigned long long)c->cycles,
	       (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) / 1e9);
}

static inline uint8_t *v7_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	uint8_t *p;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) <= 0) {
		fprintf(stderr, "cannot read %s\n", name);
		exit(1);
	}
	rewind(f);
	p = malloc((size_t)n);
	if (!p || fread(p, 1, (size_t)n, f) != (size_t)n)
		exit(1);
	fclose(f);
	*len = (size_t)n;
	return p;
}

static inline void v7_parse(struct v7_args *a, int argc, char **argv)
{
	int i;

	if (argc <= V7_FIXED_ARGS || (argc - V7_FIXED_ARGS) % V7_SOURCE_ARGS ||
	    (argc - V7_FIXED_ARGS) / V7_SOURCE_ARGS > V7_MAX_SOURCES) {
		fprintf(stderr, "usage: %s TRACE TIMES IMAGE ADDRESS (etmv3|etmv3-each|ptm CR CCER IDR TRACEIDR)...\n", argv[0]);
		exit(2);
	}
	memset(a, 0, sizeof(*a));
	a->trace = v7_file(argv[1], &a->trace_len);
	a->times = strtoul(argv[2], NULL, 0);
	a->image = v7_file(argv[3], &a->image_len);
	a->address = strtoull(argv[4], NULL, 0);
	for (i = V7_FIXED_ARGS; i < argc; i += V7_SOURCE_ARGS) {
		struct v7_source *s = &a->source[a->sources++];

		s->ptm = !strcmp(argv[i], "ptm");
		s->each = !strcmp(argv[i], "etmv3-each");
		s->cr = (uint32_t)strtoul(argv[i + 1], NULL, 0);
		s->ccer = (uint32_t)strtoul(argv[i + 2], NULL, 0);
		s->idr = (uint32_t)strtoul(argv[i + 3], NULL, 0);
		s->traceidr = (uint32_t)strtoul(argv[i + 4], NULL, 0);
	}
}

#endif
