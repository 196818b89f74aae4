/* SPDX-License-Identifier: GPL-2.0-only */
/* second.c - another recording as the other side: a thread decodes it, some thousand instructions ahead. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/name.h"
#include "base/thread.h"
#include "outputs/compare/sides.h"
#include "session/decode/decode.h"

/* Instructions that wait, in two halves: one is filled while the other is read. */
#define HALF 16384u

struct second {
	struct session *ss;
	struct second_facts *facts;
	struct second_facts seen;	/* by the thread */
	int cpu;
	struct align_insn v[2][HALF];
	size_t n[2];		/* instructions in each half */

	pthread_t thread;
	pthread_mutex_t lock;	/* of the members from `changed` to `rc` */
	pthread_cond_t changed;
	bool full[2];		/* for the reader */
	bool ended, stop;
	int rc;

	unsigned int filling, reading;
	size_t at;		/* in the half that is read */
};

#define STOPPED 1	/* nobody reads any more */

/* The half that was filled is the reader's; waits for the next one. */
static int pass_on(struct second *d)
{
	int rc;

	pthread_mutex_lock(&d->lock);
	d->full[d->filling] = true;
	pthread_cond_signal(&d->changed);
	d->filling ^= 1;
	while (d->full[d->filling] && !d->stop)
		pthread_cond_wait(&d->changed, &d->lock);
	d->n[d->filling] = 0;
	rc = d->stop ? STOPPED : 0;
	pthread_mutex_unlock(&d->lock);
	return rc;
}

static int put(void *data, const struct align_insn *insn)
{
	struct second *d = data;

	d->v[d->filling][d->n[d->filling]++] = *insn;
	return d->n[d->filling] < HALF ? 0 : pass_on(d);
}

bool second_has_cpu(const struct second_facts *facts, int cpu)
{
	size_t i;

	for (i = 0; i < facts->nr; i++)
		if (facts->cpus[i] == cpu)
			return true;
	return false;
}

int second_add_cpu(struct second_facts *facts, int cpu)
{
	int *to;

	if (second_has_cpu(facts, cpu))
		return 0;
	to = ARRAY_ADD(facts->cpus, facts->nr, facts->cap);
	if (!to)
		return ERR_NOMEM;
	*to = cpu;
	return 0;
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
		if (i < n && second_add_cpu(&d->seen, s->cpu))
			return ERR_NOMEM;
	}
	if (d->cpu >= 0 && s->cpu >= 0 && s->cpu != d->cpu)
		return 0;
	if (!*s->priv)
		*s->priv = calloc(1, sizeof(struct traced));
	return *s->priv ? traced_batch(*s->priv, s, g, n, put, d) : ERR_NOMEM;
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
	int rc = session_run(d->ss, &con);

	pthread_mutex_lock(&d->lock);
	d->rc = rc < 0 ? rc : 0;
	d->full[d->filling] = true;
	d->ended = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Gives back the half that was read, and waits for the other one: 1; 0 the end; negative. */
static int next_half(struct second *d)
{
	int rc = 1;

	pthread_mutex_lock(&d->lock);
	if (d->at) {
		d->full[d->reading] = false;
		d->reading ^= 1;
		d->at = 0;
		pthread_cond_signal(&d->changed);
	}
	while (!d->full[d->reading] && !d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	if (!d->full[d->reading] || !d->n[d->reading])
		rc = d->rc;
	pthread_mutex_unlock(&d->lock);
	return rc;
}

/* align_ops.next */
static int second_next(void *source, struct align_insn *insn)
{
	struct second *d = source;
	int rc;

	if (!d->at || d->at == d->n[d->reading]) {
		rc = next_half(d);
		if (rc <= 0)
			return rc;
	}
	*insn = d->v[d->reading][d->at++];
	return 1;
}

static void second_close(void *source)
{
	struct second *d = source;
	size_t i;

	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	/* without memory for a number the refusal ends the command */
	for (i = 0; i < d->seen.nr; i++)
		second_add_cpu(d->facts, d->seen.cpus[i]);
	d->facts->incomplete |= session_incomplete(d->ss);
	free(d->seen.cpus);
	session_close(d->ss);
	free(d);
}

int second_core(const struct session_opts *opts, int cpu, struct second_facts *facts, struct other *out)
{
	struct session_opts so = *opts;
	struct second *d = calloc(1, sizeof(*d));

	if (!d)
		return ERR_NOMEM;
	so.jobs = 1;
	so.progress = false;
	d->cpu = cpu;
	d->facts = facts;
	d->ss = session_open(&so);
	if (!d->ss) {
		free(d);
		return ERR_REPORTED;
	}
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	if (thread_start(&d->thread, decode, d)) {
		session_close(d->ss);
		free(d);
		fprintf(stderr, "cstrace compare: no thread for the second recording\n");
		return ERR_REPORTED;
	}
	*out = (struct other){ second_next, second_close, d };
	return 0;
}
