/* SPDX-License-Identifier: GPL-2.0-only */
/* second.c - another recording as the other side: a thread decodes it, some thousand instructions ahead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/name.h"
#include "base/workers.h"
#include "outputs/compare/sides.h"
#include "session/decode/decode.h"

/* Instructions that wait, in two halves: one is filled while the other is read. */
#define HALF 16384u

struct half {
	size_t n;
	struct align_insn v[HALF];
};

/* Each half that is filled is a job of one thread. */
struct second {
	struct session *ss;
	struct second_facts *facts;
	struct second_facts seen;	/* by the thread */
	int cpu;
	struct workers *workers;
	struct half half[2];		/* by the job's number modulo 2 */
	size_t filling, reading;	/* numbers of jobs: the thread's, the reader's */
	size_t at;			/* in the half that is read */
};

#define STOPPED 1	/* nobody reads any more */

static int put(void *data, const struct align_insn *insn)
{
	struct second *d = data;
	struct half *h = &d->half[d->filling % 2];

	h->v[h->n++] = *insn;
	if (h->n < HALF)
		return 0;
	workers_done(d->workers, d->filling);
	if (!workers_next(d->workers, &d->filling))
		return STOPPED;
	d->half[d->filling % 2].n = 0;
	return 0;
}

bool second_has_cpu(const struct second_facts *facts, int cpu)
{
	size_t i;

	for (i = 0; i < facts->nr; i++)
		if (facts->cpus[i] == cpu)
			return true;
	return false;
}

void second_add_cpu(struct second_facts *facts, int cpu)
{
	if (!second_has_cpu(facts, cpu))
		*ARRAY_ADD(facts->cpus, facts->nr, facts->cap) = cpu;
}

bool second_is_file(const char *who, const char *input)
{
	struct stat st;

	/* what is not there is reported when it is opened */
	if (strcmp(input, "-") ? stat(input, &st) : fstat(STDIN_FILENO, &st))
		return true;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return true;
	fprintf(stderr, "%s: --with %s: not a regular file or a folder; it is read once for each CPU: give the file itself\n", who,
		name_shown(input));
	return false;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct second *d = data;
	size_t i;

	if (s->cpu >= 0 && !(d->seen.nr && d->seen.cpus[d->seen.nr - 1] == s->cpu)) {
		for (i = 0; i < n && g[i].kind != CST_GEN_RANGE; i++)
			;
		if (i < n)
			second_add_cpu(&d->seen, s->cpu);
	}
	if (d->cpu >= 0 && s->cpu >= 0 && s->cpu != d->cpu)
		return 0;
	if (!*s->priv)
		*s->priv = mem_zeroed(1, sizeof(struct traced));
	return traced_batch(*s->priv, s, g, n, put, d);
}

static void on_stream_end(void *data, const struct stream *s)
{
	(void)data;
	free(*s->priv);
	*s->priv = NULL;
}

static void *decode(void *arg)
{
	struct second *d = arg;
	const struct consumer con = { .data = d, .batch = on_batch, .stream_end = on_stream_end };
	int rc = workers_next(d->workers, &d->filling) ? session_run(d->ss, &con) : 0;

	workers_fail(d->workers, rc < 0 ? rc : 0);
	workers_done(d->workers, d->filling);
	workers_stop(d->workers);
	return NULL;
}

/* Gives back the half that was read, and waits for the other one: 1; 0 the end; negative. */
static int next_half(struct second *d)
{
	if (d->at) {
		workers_taken(d->workers);
		d->reading++;
		d->at = 0;
	}
	if (workers_wait(d->workers, d->reading, 0) == WORKERS_DONE && d->half[d->reading % 2].n)
		return 1;
	return workers_error(d->workers);
}

/* align_ops.next */
static int second_next(void *source, struct align_insn *insn)
{
	struct second *d = source;
	int rc;

	if (!d->at || d->at == d->half[d->reading % 2].n) {
		rc = next_half(d);
		if (rc <= 0)
			return rc;
	}
	*insn = d->half[d->reading % 2].v[d->at++];
	return 1;
}

static void second_close(void *source)
{
	struct second *d = source;
	size_t i;

	workers_free(d->workers);
	for (i = 0; i < d->seen.nr; i++)
		second_add_cpu(d->facts, d->seen.cpus[i]);
	d->facts->incomplete |= session_incomplete(d->ss);
	d->facts->lossy |= !session_matched(d->ss) || session_lossy(d->ss);
	free(d->seen.cpus);
	session_close(d->ss);
	free(d);
}

int second_core(const struct session_opts *opts, int cpu, struct second_facts *facts, struct other *out)
{
	struct session_opts so = *opts;
	struct second *d = mem_zeroed(1, sizeof(*d));

	so.jobs = 1;
	so.progress = false;
	d->cpu = cpu;
	d->facts = facts;
	d->workers = workers_new(1, SIZE_MAX, 2);
	d->ss = session_open(&so);
	if (d->ss && workers_start(d->workers, decode, d)) {
		*out = (struct other){ second_next, second_close, d };
		return 0;
	}
	if (d->ss) {
		session_close(d->ss);
		fprintf(stderr, "cstrace compare: no thread for the second recording\n");
	}
	workers_free(d->workers);
	free(d);
	return ERR_REPORTED;
}
