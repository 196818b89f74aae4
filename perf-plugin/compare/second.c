/* SPDX-License-Identifier: GPL-2.0-only */
/* second.c - another recording as the other side: a thread decodes it, some thousand instructions ahead. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "compare/sides.h"
#include "decode/decode.h"

/* Instructions that wait, in two halves: one is filled while the other is read. */
#define HALF 16384u

struct second {
	struct session *ss;
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

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct second *d = data;

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
	const struct session_consumer con = { .data = d, .batch = on_batch, .stream_end = on_stream_end };
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

	pthread_mutex_lock(&d->lock);
	d->stop = true;
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
	session_close(d->ss);
	free(d);
}

int second_core(const struct session_opts *opts, int cpu, struct other *out)
{
	struct session_opts so = *opts;
	struct second *d = calloc(1, sizeof(*d));

	if (!d)
		return ERR_NOMEM;
	so.jobs = 1;
	so.progress = false;
	d->cpu = cpu;
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
