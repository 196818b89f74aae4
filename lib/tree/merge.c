/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.c - several trees as one stream by time. Each tree fills a pool of elements, in a list for each of its
 * decoders; the list whose head is oldest goes out, once no other can have anything older.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/merge.h>

#define IDS 128
#define BATCH 256	/* elements pulled from a tree at a time */
#define NONE UINT32_MAX

struct node {
	struct cst_generic gen;
	uint32_t next;
};

/* What one decoder has put out and is still here. */
struct stream {
	struct cst_decoder *dec;	/* NULL: there is none */
	uint32_t head, tail;		/* NONE: empty */
	uint64_t time;			/* that the head lies under */
	uint8_t timed;			/* a timestamp was seen, or is no longer waited for */
};

struct source {
	struct cst_tree *tree;
	struct node *pool;
	uint32_t free, room;		/* list and number of unused nodes */
	uint8_t ended;			/* by the caller */
	uint8_t done;			/* and all was pulled */
	uint8_t ids[IDS];		/* of the streams, ascending */
	unsigned int n_ids;
	struct stream stream[IDS];
};

struct cst_merge {
	struct source **source;
	unsigned int count;
	size_t limit;
	cst_merge_time_fn time;
	void *data;
	uint8_t started;
	int wants;			/* number of the tree that needs input, -1: none */
	enum cst_stop stopped;
	struct cst_decoder *stop_dec;
	struct cst_generic stop_last;
	uint64_t newest;		/* time that was put out */
	struct cst_merge_stats stats;
	struct cst_generic batch[BATCH];
};

int cst_merge_new(struct cst_merge **out, size_t limit, cst_merge_time_fn time, void *data)
{
	struct cst_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return -CST_ERR_NOMEM;
	if (!limit)
		limit = CST_MERGE_LIMIT;
	if (limit < CST_MERGE_MIN)
		limit = CST_MERGE_MIN;
	m->limit = limit < NONE ? limit : NONE - 1;
	m->time = time;
	m->data = data;
	m->wants = -1;
	*out = m;
	return 0;
}

static void free_source(struct source *s)
{
	if (s)
		free(s->pool);
	free(s);
}

void cst_merge_free(struct cst_merge *m)
{
	unsigned int i;

	if (!m)
		return;
	for (i = 0; i < m->count; i++)
		free_source(m->source[i]);
	free(m->source);
	free(m);
}

static struct stream *add_stream(struct source *s, struct cst_decoder *dec)
{
	uint8_t id = cst_decoder_config(dec)->trace_id & (IDS - 1);
	struct stream *st = &s->stream[id];
	unsigned int i;

	if (!st->dec) {
		for (i = s->n_ids++; i && s->ids[i - 1] > id; i--)
			s->ids[i] = s->ids[i - 1];
		s->ids[i] = id;
		st->head = st->tail = NONE;
	}
	st->dec = dec;
	return st;
}

int cst_merge_add(struct cst_merge *m, struct cst_tree *tree, unsigned int *source)
{
	struct source **grown, *s;
	unsigned int id;
	uint32_t i;

	if (m->started)
		return -CST_ERR_BUSY;
	grown = realloc(m->source, (m->count + 1) * sizeof(*grown));
	if (!grown)
		return -CST_ERR_NOMEM;
	m->source = grown;
	s = calloc(1, sizeof(*s));
	if (s)
		s->pool = malloc(m->limit * sizeof(*s->pool));
	if (!s || !s->pool) {
		free_source(s);
		return -CST_ERR_NOMEM;
	}
	for (i = 0; i < m->limit; i++)
		s->pool[i].next = i + 1 < m->limit ? i + 1 : NONE;
	s->room = m->limit;
	s->tree = tree;
	for (id = 0; id < IDS; id++)
		if (cst_tree_decoder(tree, id))
			add_stream(s, cst_tree_decoder(tree, id));
	m->source[m->count] = s;
	*source = m->count++;
	return 0;
}

int cst_merge_end(struct cst_merge *m, unsigned int source)
{
	if (source >= m->count)
		return -CST_ERR_INVAL;
	if (!m->source[source]->ended)
		cst_tree_end(m->source[source]->tree);
	m->source[source]->ended = 1;
	return 0;
}

/* The time that an element tells, 0 when it tells none. */
static uint64_t time_of(const struct cst_merge *m, unsigned int source, const struct cst_decoder *dec,
			const struct cst_generic *g)
{
	uint64_t ticks;

	if (g->kind == CST_GEN_TIMESTAMP)
		ticks = g->addr;
	else if ((g->kind == CST_GEN_SWTRACE || g->kind == CST_GEN_ITMTRACE) && g->flags & CST_GF_TS)
		ticks = g->ts;
	else
		return 0;
	return ticks && m->time ? m->time(m->data, source, dec, ticks) : ticks;
}

/* The head has changed: it may tell the time by itself. */
static void look_at_head(const struct cst_merge *m, unsigned int source, struct stream *st)
{
	uint64_t time;

	if (st->head == NONE)
		return;
	time = time_of(m, source, st->dec, &m->source[source]->pool[st->head].gen);
	if (time)
		st->time = time;
}

static void put(struct cst_merge *m, unsigned int source, struct stream *st, const struct cst_generic *g)
{
	struct source *s = m->source[source];
	uint32_t i = s->free;
	uint64_t time;

	s->free = s->pool[i].next;
	s->room--;
	s->pool[i].gen = *g;
	s->pool[i].next = NONE;
	if (st->head == NONE)
		st->head = i;
	else
		s->pool[st->tail].next = i;
	st->tail = i;
	if (st->timed) {
		if (st->head == i)
			look_at_head(m, source, st);
		return;
	}
	/* what came before the first timestamp lies under it */
	time = time_of(m, source, st->dec, g);
	if (time) {
		st->timed = 1;
		st->time = time;
	}
}

/* A tree that cannot take more: what it has not said by now is not waited for. */
static int is_full(const struct source *s)
{
	return s->room < CST_PULL_MIN;
}

static int is_known(const struct source *s)
{
	unsigned int i;

	if (s->done || is_full(s))
		return 1;
	for (i = 0; i < s->n_ids; i++)
		if (s->stream[s->ids[i]].head == NONE || !s->stream[s->ids[i]].timed)
			return 0;
	return 1;
}

/* Pull from a tree until its streams are known. 1: they are, 0: the caller is needed, or an error. */
static int fill(struct cst_merge *m, unsigned int source)
{
	struct source *s = m->source[source];
	struct cst_decoder *dec;
	enum cst_stop why;
	struct stream *st;
	int n, i;

	while (!is_known(s)) {
		n = cst_tree_pull(s->tree, m->batch, s->room < BATCH ? s->room : BATCH, &dec);
		if (n < 0)
			return n;
		why = cst_tree_stopped(s->tree);
		st = n ? add_stream(s, dec) : NULL;
		for (i = 0; i < n; i++)
			put(m, source, st, &m->batch[i]);
		if (why == CST_STOP_RESET || why == CST_STOP_CONFIG)
			continue;
		if (why) {
			m->stopped = why;
			m->stop_dec = dec;
			if (n)
				m->stop_last = m->batch[n - 1];
			return 0;
		}
		if (n)
			continue;
		if (!s->ended) {
			m->wants = (int)source;
			return 0;
		}
		s->done = 1;
	}
	return 1;
}

/* Where the oldest head is, other than in stream `but`. NULL: nowhere. */
static struct stream *oldest(const struct cst_merge *m, const struct stream *but, unsigned int *source)
{
	struct stream *best = NULL;
	unsigned int i, k;

	for (i = 0; i < m->count; i++) {
		struct source *s = m->source[i];

		for (k = 0; k < s->n_ids; k++) {
			struct stream *st = &s->stream[s->ids[k]];

			if (st->head == NONE || st == but || (best && st->time >= best->time))
				continue;
			best = st;
			*source = i;
		}
	}
	return best;
}

/* Does stream a of tree i come before b of tree j, at equal times? */
static int goes_first(const struct stream *a, unsigned int i, const struct stream *b, unsigned int j)
{
	return i != j ? i < j : a < b;
}

static void take(struct cst_merge *m, unsigned int source, struct stream *st, struct cst_generic *out)
{
	struct source *s = m->source[source];
	uint32_t i = st->head;

	*out = s->pool[i].gen;
	st->head = s->pool[i].next;
	s->pool[i].next = s->free;
	s->free = i;
	s->room++;
	m->stats.elements++;
	m->stats.untimed += !st->time;
	if (st->time < m->newest)
		m->stats.late += st->time != 0;
	else
		m->newest = st->time;
	look_at_head(m, source, st);
}

int cst_merge_pull(struct cst_merge *m, struct cst_generic *out, size_t cap, struct cst_merge_run *run)
{
	struct stream *st, *other;
	unsigned int i, source = 0, rival = 0;
	size_t n = 0;
	int r;

	m->started = 1;
	m->wants = -1;
	m->stopped = CST_STOP_NONE;
	if (!cap)
		return -CST_ERR_INVAL;
	for (i = 0; i < m->count; i++) {
		r = fill(m, i);
		if (r <= 0)
			return r;
	}
	st = oldest(m, NULL, &source);
	if (!st)
		return 0;
	other = oldest(m, st, &rival);
	/* a timestamp that a full pool or the end has made wait in vain */
	st->timed = 1;
	run->source = source;
	run->dec = st->dec;
	run->time = st->time;
	cap = cap < INT32_MAX ? cap : INT32_MAX;
	do
		take(m, source, st, &out[n++]);
	while (n < cap && st->head != NONE && st->time == run->time && is_known(m->source[source]) &&
	       (!other || st->time < other->time ||
		(st->time == other->time && goes_first(st, source, other, rival))));
	return (int)n;
}

int cst_merge_wants(const struct cst_merge *m, unsigned int *source)
{
	if (m->wants < 0)
		return 0;
	*source = (unsigned int)m->wants;
	return 1;
}

enum cst_stop cst_merge_stopped(const struct cst_merge *m, struct cst_decoder **dec,
				const struct cst_generic **last)
{
	if (m->stopped) {
		*dec = m->stop_dec;
		*last = m->stopped == CST_STOP_SECTION ? NULL : &m->stop_last;
	}
	return m->stopped;
}

const struct cst_merge_stats *cst_merge_stats(const struct cst_merge *m)
{
	return &m->stats;
}
