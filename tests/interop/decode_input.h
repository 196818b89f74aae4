/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_input.h - what two decoders that are compared for speed are given: a trace file and program files, mapped, and
 * the registers of the trace units. Arguments, written by extract-aux.py, one word per line, read with xargs:
 *   frames|raw TRACE RESET_EVERY SOURCES
 *   then SOURCES times etmv4|ete CONFIGR TRACEIDR IDR0 IDR1 IDR2 IDR8 DEVARCH
 *   then START LENGTH FILE_OFFSET FILE for each mapping.
 */
#ifndef CSTRACE_TESTS_DECODE_INPUT_H
#define CSTRACE_TESTS_DECODE_INPUT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUT_SOURCES 16
#define INPUT_MAPS 64
#define INPUT_REGS 7

/* In the order of the arguments. */
enum { REG_CONFIGR, REG_TRACEIDR, REG_IDR0, REG_IDR1, REG_IDR2, REG_IDR8, REG_DEVARCH };

struct input_source {
	int ete;
	uint32_t reg[INPUT_REGS];
};

struct input_map {
	uint64_t start, end;
	const uint8_t *bytes;
};

struct input {
	int raw;
	const uint8_t *trace;
	uint64_t size, part;	/* bytes; bytes after which a decoder begins anew */
	struct input_source source[INPUT_SOURCES];
	struct input_map map[INPUT_MAPS];	/* by address */
	int n_sources, n_maps;
};

static inline void input_die(const char *what, const char *name)
{
	fprintf(stderr, "%s %s\n", what, name);
	exit(1);
}

static inline const uint8_t *input_file(const char *name, uint64_t *size)
{
	struct stat st;
	void *p;
	int fd = open(name, O_RDONLY);

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		input_die("cannot read", name);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		input_die("cannot map", name);
	close(fd);
	*size = (uint64_t)st.st_size;
	return p;
}

static inline void input_add_map(struct input *in, char **arg)
{
	uint64_t size, length = strtoull(arg[1], NULL, 0), offset = strtoull(arg[2], NULL, 0);
	const uint8_t *bytes = input_file(arg[3], &size);
	struct input_map *m = &in->map[in->n_maps];

	if (in->n_maps == INPUT_MAPS || offset >= size)
		input_die("cannot use", arg[3]);
	if (length > size - offset)
		length = size - offset;
	m->start = strtoull(arg[0], NULL, 0);
	m->end = m->start + length;
	m->bytes = bytes + offset;
	in->n_maps++;
}

static inline int input_by_start(const void *a, const void *b)
{
	const struct input_map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static inline void input_read(struct input *in, int argc, char **argv)
{
	int i, k;

	if (argc < 4)
		input_die("usage: xargs PROGRAM < ARGS", "(see extract-aux.py)");
	in->raw = !strcmp(argv[0], "raw");
	in->trace = input_file(argv[1], &in->size);
	in->part = strtoull(argv[2], NULL, 0);
	in->n_sources = atoi(argv[3]);
	argc -= 4;
	argv += 4;
	if (!in->part || in->n_sources < 1 || in->n_sources > INPUT_SOURCES || argc < in->n_sources * (1 + INPUT_REGS))
		input_die("cannot use", "these arguments");
	for (i = 0; i < in->n_sources; i++, argc -= 1 + INPUT_REGS, argv += 1 + INPUT_REGS) {
		in->source[i].ete = !strcmp(argv[0], "ete");
		for (k = 0; k < INPUT_REGS; k++)
			in->source[i].reg[k] = (uint32_t)strtoul(argv[1 + k], NULL, 0);
	}
	for (; argc >= 4; argc -= 4, argv += 4)
		input_add_map(in, argv);
	qsort(in->map, (size_t)in->n_maps, sizeof(in->map[0]), input_by_start);
}

static inline double input_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
