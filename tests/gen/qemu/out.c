/* SPDX-License-Identifier: BSD-3-Clause */
/* out.c - buffers of flow records and the modelled CPUs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "out.h"

#define KERNEL_TICKS 1000	/* between leaving and entering the traced region */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static pid_t owner;
static uint64_t cpu_clock[OUT_MAX_CPUS];
static unsigned int cpus = 1, next_cpu;
static uint64_t written;

int out_init(const struct out_options *o)
{
	file = fopen(o->path, "wb");
	if (!file || fwrite(FLOW_MAGIC, 1, 8, file) != 8)
		return -1;
	owner = getpid();
	cpus = o->cpus;
	return 0;
}

static struct flow_rec *append(struct stretch *s, const struct flow_rec *r)
{
	if (s->n == s->max) {
		size_t max = s->max ? 2 * s->max : 8192;
		struct flow_rec *p = realloc(s->rec, max * sizeof(*p));

		if (!p) {
			fprintf(stderr, "flowlog: out of memory\n");
			abort();
		}
		s->rec = p;
		s->max = max;
	}
	s->rec[s->n] = *r;
	s->rec[s->n].tid = s->tid;
	s->rec[s->n].sec = 1;
	return &s->rec[s->n++];
}

static void append_kind(struct stretch *s, uint8_t kind, uint8_t isa)
{
	struct flow_rec r = { .kind = kind, .isa = isa };

	append(s, &r);
}

struct flow_rec *out_insn(struct stretch *s, const struct flow_rec *r)
{
	struct flow_rec *p;

	if (!s->on) {
		append_kind(s, FLOW_CONTEXT, r->isa);
		append_kind(s, FLOW_ON, r->isa);
		s->on = 1;
		s->insns = 0;
		s->clock += KERNEL_TICKS;
	}
	p = append(s, r);
	p->aux = ++s->clock;
	s->insns++;
	return p;
}

void out_exception(struct stretch *s, uint32_t num, uint64_t pc, uint8_t isa)
{
	struct flow_rec r = { .kind = FLOW_EXC, .isa = isa, .num = num, .pc = pc };

	if (!s->on)
		return;
	append(s, &r);
	append_kind(s, FLOW_OFF, isa);
	s->on = 0;
}

void out_map(struct stretch *s, uint32_t pid, uint32_t num, uint64_t start, uint64_t len,
	     uint64_t offset)
{
	struct flow_rec r = {
		.kind = FLOW_MAP, .num = num, .pc = start, .next = len, .aux = offset,
	};

	append(s, &r)->tid = pid;
}

/* Choose a CPU for the stretch at @from and move its times to where that CPU is free. */
static void place(struct stretch *s, size_t from, size_t to)
{
	uint64_t first = 0, delta = 0;
	size_t i;

	for (i = from; i < to && !first; i++)
		if (s->rec[i].kind == FLOW_INSN)
			first = s->rec[i].aux;
	if (first && !s->open) {
		s->cpu = next_cpu;
		next_cpu = (next_cpu + 1) % cpus;
	}
	if (first && !s->open && first < cpu_clock[s->cpu] + KERNEL_TICKS / 2)
		delta = cpu_clock[s->cpu] + KERNEL_TICKS / 2 - first;
	if (delta)
		for (i = from; i < s->n; i++)
			if (s->rec[i].kind == FLOW_INSN)
				s->rec[i].aux += delta;
	s->clock += delta;
	for (i = from; i < to; i++) {
		s->rec[i].cpu = (uint8_t)s->cpu;
		if (s->rec[i].kind == FLOW_INSN) {
			cpu_clock[s->cpu] = s->rec[i].aux;
			written++;
		} else if (s->rec[i].kind == FLOW_ON) {
			s->open = 1;
		} else if (s->rec[i].kind == FLOW_OFF) {
			s->open = 0;
		}
	}
}

void out_flush(struct stretch *s)
{
	size_t from = 0, to;

	pthread_mutex_lock(&lock);
	while (from < s->n) {
		for (to = from; to < s->n && s->rec[to].kind != FLOW_OFF; to++)
			;
		to += to < s->n;
		place(s, from, to);
		/* A forked child has this buffer too: only the process that opened the file writes. */
		if (file && owner == getpid() &&
		    fwrite(s->rec + from, sizeof(*s->rec), to - from, file) != to - from) {
			perror("flowlog: write");
			abort();
		}
		from = to;
	}
	s->n = 0;
	pthread_mutex_unlock(&lock);
}

uint64_t out_insns(void)
{
	return written;
}

void out_close(void)
{
	if (file && owner == getpid() && fclose(file)) {
		perror("flowlog: write");
		abort();
	}
	file = NULL;
}
