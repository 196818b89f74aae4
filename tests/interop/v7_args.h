/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * v7_args.h - arguments of the two programs that decode a buffer of ETMv3 and PTM trace many times, so that their
 * speed can be compared: TRACE TIMES IMAGE ADDRESS, then for each trace source etmv3|ptm CR CCER IDR TRACEIDR.
 */
#ifndef CSTRACE_TESTS_INTEROP_V7_ARGS_H
#define CSTRACE_TESTS_INTEROP_V7_ARGS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define V7_FIXED_ARGS 5
#define V7_SOURCE_ARGS 5
#define V7_MAX_SOURCES 8

struct v7_source {
	int ptm;
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
		fprintf(stderr, "usage: %s TRACE TIMES IMAGE ADDRESS (etmv3|ptm CR CCER IDR TRACEIDR)...\n", argv[0]);
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
		s->cr = (uint32_t)strtoul(argv[i + 1], NULL, 0);
		s->ccer = (uint32_t)strtoul(argv[i + 2], NULL, 0);
		s->idr = (uint32_t)strtoul(argv[i + 3], NULL, 0);
		s->traceidr = (uint32_t)strtoul(argv[i + 4], NULL, 0);
	}
}

#endif
