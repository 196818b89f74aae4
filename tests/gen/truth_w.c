/* SPDX-License-Identifier: BSD-3-Clause */
#include "truth_w.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen_case.h"
#include "util.h"

#define MAX_CPUS 64

enum pending { NOTHING, BRANCH, EXCEPTION, BEGIN };

struct stream {
	int cpu;
	uint32_t tid;
	FILE *f;
	uint64_t n, hash;
};

struct cpu {
	int used;
	FILE *ranges;
	enum pending pending;
	uint64_t from, last_insn;
	uint64_t target;	/* of the pending branch when its opcode tells, else 0 */
	uint32_t thread;	/* who executed from */
	uint64_t nranges, nbranches, nexc, non, nq, insns, bytes, hash, run;
};

struct truth {
	char *dir;
	struct cpu cpu[MAX_CPUS];
	struct stream *streams;
	size_t nstreams;
	FILE *windows;
	int error;
};

struct truth *truth_new(const char *dir)
{
	struct truth *t = gen_realloc(NULL, sizeof(*t));

	memset(t, 0, sizeof(*t));
	if (dir) {
		t->dir = strdup(dir);
		if (mkdir(dir, 0777) && errno != EEXIST)
			t->error = errno;
	}
	return t;
}

static FILE *create(struct truth *t, const char *name)
{
	char path[4096];
	FILE *f;

	if (!t->dir || t->error)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", t->dir, name);
	f = fopen(path, "w");
	if (!f)
		t->error = errno;
	return f;
}

static uint64_t mix(uint64_t h, uint64_t a, uint64_t b)
{
	h = (h ^ a) * 0x100000001b3ull;
	return (h ^ b) * 0x100000001b3ull;
}

static struct stream *stream_of(struct truth *t, int cpu, uint32_t tid)
{
	char name[64];
	struct stream *s;
	size_t i;

	for (i = 0; i < t->nstreams; i++)
		if (t->streams[i].cpu == cpu && t->streams[i].tid == tid)
			return &t->streams[i];
	t->streams = gen_realloc(t->streams, (t->nstreams + 1) * sizeof(*t->streams));
	s = &t->streams[t->nstreams++];
	memset(s, 0, sizeof(*s));
	s->cpu = cpu;
	s->tid = tid;
	s->hash = 0xcbf29ce484222325ull;
	snprintf(name, sizeof(name), "branches.cpu%d.tid%u", cpu, tid);
	s->f = create(t, name);
	return s;
}

static void branch(struct truth *t, int cpu, uint32_t thread, uint64_t from, uint64_t to)
{
	struct stream *s = stream_of(t, cpu, thread);

	if (s->f)
		fprintf(s->f, "%" PRIx64 " %" PRIx64 "\n", from, to);
	if (!from)
		return;
	s->n++;
	s->hash = mix(s->hash, from, to);
	t->cpu[cpu].nbranches++;
}

/* execution arrived at an address that the trace shows */
static void arrive(struct truth *t, int cpu, uint64_t at, uint32_t thread)
{
	struct cpu *c = &t->cpu[cpu];

	if (c->pending == BEGIN)
		branch(t, cpu, thread, 0, at);
	else if (c->pending != NOTHING)
		branch(t, cpu, c->thread, c->from, at);
	c->pending = NOTHING;
}

/* the traced stretch ends behind a branch: a direct one names its target, or an address packet does */
static void stretch_ends(struct truth *t, int cpu, const struct gen_event *ev)
{
	struct cpu *c = &t->cpu[cpu];

	if (ev->flags & GEN_F_TARGET)
		c->target = ev->start;
	if (c->pending == BRANCH && c->target)
		branch(t, cpu, c->thread, c->from, c->target);
	c->pending = NOTHING;
	c->last_insn = 0;
}

static void range(struct truth *t, int cpu, const struct gen_event *ev)
{
	struct cpu *c = &t->cpu[cpu];
	int branched = ev->klass == FLOW_DIRECT || ev->klass == FLOW_INDIRECT;

	c->nranges++;
	c->nq += ev->atom == 'Q';
	c->hash = mix(c->hash, ev->start, ev->end ^ (uint64_t)ev->atom << 56);
	arrive(t, cpu, ev->start, ev->thread);
	c->last_insn = ev->last_pc;
	c->thread = ev->thread;
	/* what a Q element did not tell: a conditional branch that ends where the next begins was not taken */
	if (branched && (ev->atom == 'E' ||
			 (ev->atom == 'Q' && (ev->next != ev->end || !(ev->iflags & FLOW_COND))))) {
		c->pending = BRANCH;
		c->from = ev->last_pc;
		c->target = ev->klass == FLOW_DIRECT && ev->atom == 'E' ? ev->next : 0;
	}
}

void truth_event(struct truth *t, int cpu, const struct gen_event *ev)
{
	struct cpu *c = &t->cpu[cpu % MAX_CPUS];
	char text[128];

	cpu %= MAX_CPUS;
	if (!c->used) {
		snprintf(text, sizeof(text), "ranges.cpu%d", cpu);
		c->ranges = create(t, text);
		c->used = 1;
		c->hash = 0xcbf29ce484222325ull;
	}
	if (c->ranges && ev->kind == GEN_FRAGMENT)
		fprintf(c->ranges, "A %" PRIu64 "\n", ev->value);
	else if (c->ranges && ev->kind != GEN_END)
		fprintf(c->ranges, "%s%s\n", ev->flags & GEN_F_TX_DEAD ? "~" : "",
			gen_event_text(ev, text, sizeof(text)));
	if (ev->flags & GEN_F_TX_DEAD)
		return;
	switch (ev->kind) {
	case GEN_RANGE:
		range(t, cpu, ev);
		break;
	case GEN_NOPATH:
		arrive(t, cpu, ev->start, ev->thread);
		c->last_insn = 0;	/* which one it is the trace does not say */
		break;
	case GEN_EXCEPTION:
		c->nexc++;
		if (c->pending == BRANCH && !(ev->flags & GEN_F_NO_ADDR))
			arrive(t, cpu, ev->start, ev->thread);
		c->pending = c->last_insn && !(ev->flags & GEN_F_NO_ADDR) ? EXCEPTION : NOTHING;
		c->from = c->last_insn;
		break;
	case GEN_TRACE_ON:
		c->non++;
		stretch_ends(t, cpu, ev);
		c->pending = BEGIN;
		break;
	case GEN_FRAGMENT:
	case GEN_END:
		stretch_ends(t, cpu, ev);
		break;
	case GEN_OVERFLOW:
	case GEN_DISCARD:
	case GEN_TX_FAIL:
		c->pending = NOTHING;
		c->last_insn = 0;
		break;
	default:
		break;
	}
}

void truth_window(struct truth *t, int cpu, uint32_t tid, uint64_t time)
{
	if (!t->windows)
		t->windows = create(t, "windows");
	if (t->windows)
		fprintf(t->windows, "%d %u %" PRIu64 " %" PRIu64 "\n", cpu, tid, time,
			stream_of(t, cpu, tid)->n);
}

void truth_totals(struct truth *t, int cpu, uint64_t insns, uint64_t bytes)
{
	t->cpu[cpu % MAX_CPUS].insns = insns;
	t->cpu[cpu % MAX_CPUS].bytes = bytes;
}

uint64_t truth_branches(const struct truth *t)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < MAX_CPUS; i++)
		n += t->cpu[i].nbranches;
	return n;
}

static void finish(struct truth *t, FILE *f)
{
	if (!f)
		return;
	if (ferror(f) && !t->error)
		t->error = EIO;
	if (fclose(f) && !t->error)
		t->error = errno;
}

int truth_close(struct truth *t)
{
	FILE *f = create(t, "summary");
	int i, err;
	size_t k;

	for (i = 0; i < MAX_CPUS; i++) {
		const struct cpu *c = &t->cpu[i];

		if (!c->used)
			continue;
		if (f)
			fprintf(f,
				"cpu %d insns %" PRIu64 " ranges %" PRIu64 " branches %" PRIu64
				" exceptions %" PRIu64 " traceons %" PRIu64 " bytes %" PRIu64
				" q %" PRIu64 " hash %016" PRIx64 "\n",
				i, c->insns, c->nranges, c->nbranches, c->nexc, c->non, c->bytes,
				c->nq, c->hash);
		finish(t, c->ranges);
	}
	for (k = 0; k < t->nstreams; k++) {
		const struct stream *s = &t->streams[k];

		if (f)
			fprintf(f, "branches cpu %d tid %u n %" PRIu64 " hash %016" PRIx64 "\n",
				s->cpu, s->tid, s->n, s->hash);
		finish(t, s->f);
	}
	finish(t, t->windows);
	finish(t, f);
	err = t->error;
	free(t->streams);
	free(t->dir);
	free(t);
	errno = err;
	return err ? -1 : 0;
}
