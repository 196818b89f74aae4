/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls_session.h - the calling-context tree of a recording, and the part of it that a program's own log of its calls
 * (tests/interop/calls/log.h) has, too.
 */
#ifndef TESTS_CALLS_SESSION_H
#define TESTS_CALLS_SESSION_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting/calls/calls.h"
#include "counting/calls/places.h"
#include "counting/calls/slices.h"
#include "machine/images/dso.h"
#include "session/decode/decode.h"
#include "session/parts.h"

/* A range that a thread executed, after `insns` instructions; CALLS_NO_PLACE also after code without instructions. */
struct calls_range {
	uint64_t thread, insns;
	calls_place place;
};

#define CALLS_RANGES	2000000u

struct calls_tree {
	struct cst_count_node *v;
	size_t nr, cap;
	struct dso **dsos;	/* by number */
	uint32_t nr_dsos;
	uint64_t insns;		/* of the session */
	struct calls_totals totals;
	struct session *ss;
	struct calls_slice *slices; /* with calls_tree_opts.slices */
	size_t nr_slices;
	uint64_t left_out;
	/* with slices, of recordings of one stream: the first ranges, in the order of execution */
	struct calls_range *ranges;
	size_t nr_ranges;
};

struct calls_tree_opts {
	const char *input, *symfs;
	struct calls_limits limits;
	unsigned int jobs;	/* 0: one thread, without pieces */
	bool deferred;		/* keep all segments until the end, also of a single stream */
	bool by_fragment;	/* with `jobs`: pieces of streams */
	bool slices;		/* with one thread: record them, as `record` says */
	struct calls_slice_opts record;
};

/* The consumer of one session, or of a piece. */
struct maker {
	struct calls_tree *t;
	struct session *ss;
	struct calls_code code;
	struct calls *calls;
	uint64_t insns;
	struct calls_range threads[16]; /* with ranges: their instructions so far */
	bool unknown[16];	/* the thread executes code without instructions */
	uint32_t nr_threads;
};

/* Notes a range of a thread, of which earlier ones are there, too. */
static void note_range(struct maker *m, const struct stream *s, const struct cst_generic *g)
{
	struct calls_tree *t = m->t;
	struct calls_range r = { .thread = calls_thread_of(s), .place = CALLS_NO_PLACE };
	bool unknown;
	uint32_t i;

	for (i = 0; i < m->nr_threads && m->threads[i].thread != r.thread; i++)
		;
	if (i == 16)
		return;
	if (i == m->nr_threads)
		m->threads[m->nr_threads++] = r;
	r.insns = m->threads[i].insns;
	m->threads[i].insns += g->n_insn;
	unknown = m->unknown[i];
	m->unknown[i] = g->kind == CST_GEN_NACC || g->kind == CST_GEN_ADDR_UNKNOWN;
	if (m->unknown[i])
		return;
	i = g->section ? m->code.binary(m->code.data, g->section) : CST_COUNT_NO_BINARY;
	if (i != CST_COUNT_NO_BINARY && !unknown)
		r.place = calls_place_of(i, g->sect_off);
	if (t->nr_ranges < CALLS_RANGES)
		t->ranges[t->nr_ranges++] = r;
}

static int batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct maker *m = data;
	size_t i;

	for (i = 0; i < n && !s->selected.excluded; i++)
		if (g[i].kind == CST_GEN_RANGE || g[i].kind == CST_GEN_NOPATH)
			m->insns += g[i].n_insn;
	for (i = 0; i < n && !s->selected.excluded && m->t->ranges; i++)
		if (g[i].kind == CST_GEN_RANGE || g[i].kind == CST_GEN_NOPATH || g[i].kind == CST_GEN_NACC ||
		    g[i].kind == CST_GEN_ADDR_UNKNOWN)
			note_range(m, s, &g[i]);
	if (!*s->priv)
		*s->priv = calls_lane_new(m->calls);
	calls_batch(m->calls, *s->priv, s, g, n);
	return 0;
}

static void stream_end(void *data, const struct stream *s)
{
	struct maker *m = data;

	if (*s->priv)
		calls_lane_end(m->calls, *s->priv);
	*s->priv = NULL;
}

static void *shard_make(void *data, struct session *ss)
{
	struct maker *whole = data, *m = calloc(1, sizeof(*m));

	m->t = whole->t;
	m->ss = ss;
	m->code = calls_places_code(ss);
	m->calls = calls_shard_new(whole->calls, &m->code);
	return m;
}

static void shard_free(void *piece)
{
	struct maker *m = piece;

	calls_free(m->calls);
	free(m);
}

static int shard_take(void *data, void *piece)
{
	struct maker *whole = data, *m = piece;

	whole->insns += m->insns;
	calls_shard_take(whole->calls, m->calls);
	return 0;
}

/* Final numbers are in order of the paths, however the files were numbered while decoding. */
static calls_place final_place(void *data, calls_place p)
{
	const struct dso_table *t = session_dsos(((const struct maker *)data)->ss);
	uint32_t i, n = (uint32_t)(p >> 32), rank = 0;

	for (i = 0; i < t->nr; i++)
		rank += dso_compare(t->all[i], t->all[n]) < 0;
	return calls_place_of(rank, (uint32_t)p);
}

static int by_path(const void *a, const void *b)
{
	return dso_compare(*(struct dso *const *)a, *(struct dso *const *)b);
}

/* Copies the slices, with final places. */
static void copy_slices(struct calls_tree *t, struct maker *m)
{
	const struct calls_slice *v = calls_slices(m->calls, &t->nr_slices, &t->left_out);
	size_t i;

	t->slices = malloc((t->nr_slices ? t->nr_slices : 1) * sizeof(*v));
	for (i = 0; i < t->nr_slices; i++) {
		struct calls_slice *s = &t->slices[i];

		*s = v[i];
		s->from = s->from == CALLS_NO_PLACE ? s->from : final_place(m, s->from);
		s->entry = s->entry == CALLS_NO_PLACE ? s->entry : final_place(m, s->entry);
	}
	for (i = 0; i < t->nr_ranges; i++)
		if (t->ranges[i].place != CALLS_NO_PLACE)
			t->ranges[i].place = final_place(m, t->ranges[i].place);
}

/* Decodes a recording. False after a message on stderr. */
static inline bool calls_tree_read(struct calls_tree *t, const struct calls_tree_opts *o)
{
	const struct session_opts so = { .input = o->input, .symfs = o->symfs, .jobs = o->jobs, .jobs_asked = o->jobs };
	struct shard_ops shards = { .make = shard_make, .take = shard_take, .free = shard_free };
	struct consumer con = { .batch = batch, .wants.excluded = true, .stream_end = stream_end };
	struct maker m = { .t = t };
	struct cst_count_node n;
	unsigned int streams;
	int rc;

	memset(t, 0, sizeof(*t));
	t->ss = m.ss = session_open(&so);
	if (!m.ss)
		return false;
	m.code = calls_places_code(m.ss);
	streams = session_max_streams(m.ss);
	m.calls = calls_new(&o->limits, &m.code, o->deferred ? 2 : streams);
	con.data = &m;
	con.wants.times = streams > 1;
	con.wants.stop = streams > 1 ? CST_STOP_TIMESTAMP : 0;
	if (o->slices) {
		calls_record_slices(m.calls, &o->record);
		t->ranges = streams == 1 ? malloc(CALLS_RANGES * sizeof(*t->ranges)) : NULL;
		con.wants.times = true;
		con.wants.stop = CST_STOP_TIMESTAMP;
	}
	if (o->jobs) {
		shards.by_fragment = o->by_fragment;
		con.shards = &shards;
	}
	rc = session_run(m.ss, &con);
	if (!rc)
		calls_finish(m.calls, final_place, &m);
	if (rc) {
		fprintf(stderr, "%s: %d\n", o->input, rc);
	} else {
		while (calls_next(m.calls, &n)) {
			if (t->nr == t->cap) {
				t->cap = t->cap ? 2 * t->cap : 1024;
				t->v = realloc(t->v, t->cap * sizeof(*t->v));
			}
			t->v[t->nr++] = n;
		}
	}
	if (o->slices && !rc)
		copy_slices(t, &m);
	t->totals = *calls_totals(m.calls);
	t->insns = m.insns;
	t->nr_dsos = (uint32_t)session_dsos(m.ss)->nr;
	t->dsos = malloc((t->nr_dsos + 1) * sizeof(*t->dsos));
	memcpy(t->dsos, session_dsos(m.ss)->all, t->nr_dsos * sizeof(*t->dsos));
	qsort(t->dsos, t->nr_dsos, sizeof(*t->dsos), by_path);
	calls_free(m.calls);
	return !rc;
}

static inline void calls_tree_free(struct calls_tree *t)
{
	if (t->ss)
		session_close(t->ss);
	free(t->dsos);
	free(t->v);
	free(t->slices);
	free(t->ranges);
}

static const char *file_of(const struct calls_tree *t, uint32_t binary)
{
	const char *slash;

	if (binary == CST_COUNT_NO_BINARY)
		return "-";
	slash = strrchr(dso_path(t->dsos[binary]), '/');
	return slash ? slash + 1 : dso_path(t->dsos[binary]);
}

/* Prints one line for each node: depth, kind, file, offset, calls, instructions, place of the call. */
static inline void calls_tree_print(const struct calls_tree *t, FILE *out)
{
	static const char *const kinds[] = { "ROOT", "CALL", "TAIL", "EXCEPTION", "SIGNAL", "CUT" };
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct cst_count_node *n = &t->v[i];

		fprintf(out, "%u %s %s %" PRIx64 " %" PRIu64 " %" PRIu64 " %s %" PRIx64 "\n", n->depth, kinds[n->kind],
			file_of(t, n->binary), n->entry, n->calls, n->insns, file_of(t, n->from_binary), n->from);
	}
}

/* ---- the part of a log --------------------------------------------------------------------------- */

struct known {
	char file[64], name[128];
	uint64_t offset;
};

struct context {
	const char *name;
	uint64_t calls;
	struct context *child, *next;
};

static const struct known *find(const struct known *v, size_t n, const char *file, uint64_t offset)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].offset == offset && !strcmp(v[i].file, file))
			return &v[i];
	return NULL;
}

/* Siblings are kept sorted by name. */
static struct context *child_of(struct context *p, const char *name)
{
	struct context **at, *c;

	for (at = &p->child; *at && strcmp((*at)->name, name) < 0; at = &(*at)->next)
		;
	if (*at && !strcmp((*at)->name, name))
		return *at;
	c = calloc(1, sizeof(*c));
	c->name = name;
	c->next = *at;
	*at = c;
	return c;
}

static void print_contexts(const struct context *c, unsigned int depth, FILE *out)
{
	for (c = c->child; c; c = c->next) {
		fprintf(out, "T %u %s %" PRIu64 "\n", depth, c->name, c->calls);
		print_contexts(c, depth + 1, out);
	}
}

static void free_contexts(struct context *c)
{
	struct context *next;

	for (c = c->child; c; c = next) {
		next = c->next;
		free_contexts(c);
		free(c);
	}
}

/* Prints the contexts of the functions that `truth` names (tests/interop/calls/truth.py), as it has them. */
static inline bool calls_tree_project(const struct calls_tree *t, const char *truth, FILE *out)
{
	struct context root = { .name = "" }, **at = calloc(65536, sizeof(*at));
	FILE *f = fopen(truth, "r");
	struct known *v = NULL;
	const struct known *k;
	char line[512];
	size_t n = 0, i;

	if (!f) {
		perror(truth);
		free(at);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		v = realloc(v, (n + 1) * sizeof(*v));
		n += sscanf(line, "F %63s %" SCNx64 " %127s", v[n].file, &v[n].offset, v[n].name) == 3;
	}
	fclose(f);
	for (i = 0; i < t->nr; i++) {
		const struct cst_count_node *p = &t->v[i];

		at[p->depth] = p->depth ? at[p->depth - 1] : &root;
		k = p->binary == CST_COUNT_NO_BINARY ? NULL : find(v, n, file_of(t, p->binary), p->entry);
		if (!k)
			continue;
		at[p->depth] = child_of(at[p->depth], k->name);
		at[p->depth]->calls += p->calls;
	}
	print_contexts(&root, 0, out);
	free_contexts(&root);
	free(at);
	free(v);
	return true;
}

/* Compares them. On a difference both lines are printed on stderr. */
static inline bool calls_tree_is(const struct calls_tree *t, const char *truth)
{
	char got[512], want[512];
	FILE *mine = tmpfile(), *f;
	unsigned int line = 0;
	bool a, b, same_line = true;

	if (!mine || !calls_tree_project(t, truth, mine))
		return false;
	f = fopen(truth, "r");
	rewind(mine);
	do {
		do
			b = fgets(want, sizeof(want), f);
		while (b && want[0] != 'T');
		a = fgets(got, sizeof(got), mine);
		line++;
		same_line = a == b && (!a || !strcmp(got, want));
		if (!same_line)
			fprintf(stderr, "%s: context %u: %s  decoded: %s", truth, line, b ? want : "(end)\n", a ? got : "(end)\n");
	} while (a && b && same_line);
	fclose(f);
	fclose(mine);
	return same_line;
}

#endif
