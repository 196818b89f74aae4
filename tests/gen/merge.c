/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "util.h"

#define MAX_CPUS 64

struct input {
	const char *path;
	FILE *f;
	struct flow_rec buf[256];
	size_t n, at;
	uint64_t ready;		/* when the process can go on */
	int done;
};

struct merge {
	struct input in[MERGE_MAX];
	int n, cpus;
	uint64_t cpu_free[MAX_CPUS];
	int cur, cpu;		/* running input, its CPU; cur -1: choose */
	int shifted;		/* delta is known for this stretch */
	uint64_t delta, last;
};

static int fail(const char *path, const char *what)
{
	fprintf(stderr, "cst-gen: %s: %s\n", path, what);
	return -1;
}

/* 1: a record is at in->buf[in->at] */
static int fill(struct input *in)
{
	if (in->at < in->n)
		return 1;
	in->at = 0;
	in->n = fread(in->buf, sizeof(in->buf[0]), 256, in->f);
	if (in->n)
		return 1;
	if (ferror(in->f))
		return fail(in->path, strerror(errno));
	in->done = 1;
	return 0;
}

struct merge *merge_open(const char *const *paths, int n, int cpus)
{
	struct merge *m = gen_realloc(NULL, sizeof(*m));
	char magic[8];
	int i;

	memset(m, 0, sizeof(*m));
	m->cpus = cpus < MAX_CPUS ? cpus : MAX_CPUS;
	m->cur = -1;
	for (i = 0; i < n && i < MERGE_MAX; i++) {
		struct input *in = &m->in[m->n++];

		in->path = paths[i];
		in->f = strcmp(paths[i], "-") ? fopen(paths[i], "rb") : stdin;
		if (!in->f) {
			fail(paths[i], strerror(errno));
			merge_close(m);
			return NULL;
		}
		if (fread(magic, 1, 8, in->f) != 8 || memcmp(magic, FLOW_MAGIC, 8)) {
			fail(paths[i], "not a flow file: it does not begin with " FLOW_MAGIC);
			merge_close(m);
			return NULL;
		}
	}
	return m;
}

/* the process that can go on first, on the CPU that is free first */
static int choose(struct merge *m)
{
	int i, best = -1;

	for (i = 0; i < m->n; i++)
		if (!m->in[i].done && (best < 0 || m->in[i].ready < m->in[best].ready))
			best = i;
	m->cpu = 0;
	for (i = 1; i < m->cpus; i++)
		if (m->cpu_free[i] < m->cpu_free[m->cpu])
			m->cpu = i;
	m->shifted = 0;
	return best;
}

static void schedule(struct merge *m, const struct input *in, struct flow_rec *r)
{
	uint64_t start;

	if (!r->aux || r->kind != FLOW_INSN)
		return;
	if (!m->shifted) {
		start = in->ready > m->cpu_free[m->cpu] ? in->ready : m->cpu_free[m->cpu];
		/* the first stretch of all keeps its time */
		m->delta = start ? start - r->aux : 0;
		m->shifted = 1;
	}
	r->aux += m->delta;
	m->last = r->aux;
}

int merge_next(struct merge *m, struct flow_rec *r)
{
	struct input *in;
	int rc;

	for (;;) {
		if (m->cur < 0)
			m->cur = m->n == 1 ? 0 : choose(m);
		if (m->cur < 0)
			return 0;
		in = &m->in[m->cur];
		rc = fill(in);
		if (rc < 0)
			return -1;
		if (rc)
			break;
		if (m->n == 1)
			return 0;
		m->cur = -1;
	}
	*r = in->buf[in->at++];
	if (m->n == 1)
		return 1;
	r->cpu = (uint8_t)m->cpu;
	if (r->kind == FLOW_MAP)
		r->num += (uint32_t)m->cur * MERGE_IMAGES;
	schedule(m, in, r);
	if (r->kind == FLOW_OFF) {
		/* what the kernel does in between takes its time */
		m->cpu_free[m->cpu] = m->last + 200;
		in->ready = m->last + 1000;
		m->cur = -1;
	}
	return 1;
}

void merge_close(struct merge *m)
{
	int i;

	if (!m)
		return;
	for (i = 0; i < m->n; i++)
		if (m->in[i].f && m->in[i].f != stdin)
			fclose(m->in[i].f);
	free(m);
}
