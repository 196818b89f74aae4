/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * complete.c - a log of events as one that can be read in both directions.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/files/state.h>

#include "base/grow.h"
#include "files/history/event_int.h"
#include "files/history/state_int.h"
#include "files/ini/ini.h"

/*
 * Consecutive events of the log in order of time: what one CPU delivered, or a part of it. A log is sorted by merging its
 * runs, of which there are few, so that memory does not grow with the number of events.
 */
struct run {
	uint64_t time;		/* of its first event that is not written yet */
	size_t offset, end;	/* of that event, and of the first event behind the run */
};

struct runs {
	struct run *v;		/* a heap, with the next event in v[0] */
	size_t n, cap;
};

struct writer {
	const struct cst_sink *out;
	const struct cst_event *own;	/* as it stands in the log */
	int plain;			/* implied events stand for it: they are not marked */
	int known;			/* what ends was there, and *ev is what it was */
	char *line, *keys;
	size_t cap, keys_cap;
};

static int add_run(struct runs *p, uint64_t time, size_t offset)
{
	if (p->n)
		p->v[p->n - 1].end = offset;
	if (array_reserve(&p->v, &p->cap, p->n + 1, sizeof(*p->v)))
		return -CST_ERR_NOMEM;
	p->v[p->n++] = (struct run){ .time = time, .offset = offset, .end = SIZE_MAX };
	return 0;
}

/* An event without a time has that of the event before it. */
static uint64_t time_of(const struct cst_event *ev, uint64_t before)
{
	return ev->time != CST_EVENT_NO_TIME ? ev->time : before;
}

static int find_runs(struct runs *p, struct cst_event_reader *r, uint64_t *bad)
{
	uint64_t time = 0, before = 0;
	struct cst_event ev = { 0 };
	size_t offset;
	int got, err = 0;

	*bad = 0;
	cst_event_rewind(r, 0);
	while (!err) {
		offset = cst_event_tell(r);
		got = cst_event_next(r, &ev, NULL);
		if (!got)
			break;
		if (got == -CST_ERR_NOMEM)
			return got;
		if (got < 0) {
			(*bad)++;
			continue;
		}
		time = time_of(&ev, before);
		if (!p->n || time < before)
			err = add_run(p, time, offset);
		before = time;
	}
	return err;
}

/* Events of one time stay as they were. */
static int is_before(const struct run *x, const struct run *y)
{
	return x->time != y->time ? x->time < y->time : x->offset < y->offset;
}

/* Moves v[i] down to where neither of the runs below it is before it. */
static void sift(struct runs *p, size_t i)
{
	const struct run x = p->v[i];
	size_t below;

	while ((below = 2 * i + 1) < p->n) {
		if (below + 1 < p->n && is_before(&p->v[below + 1], &p->v[below]))
			below++;
		if (!is_before(&p->v[below], &x))
			break;
		p->v[i] = p->v[below];
		i = below;
	}
	p->v[i] = x;
}

/*
 * Reads the first event of p->v[0] that is behind the reader's position, and makes the run begin with it. Returns 1; 0: the run
 * has no more, and is dropped; or a negative error.
 */
static int next_of_run(struct runs *p, struct cst_event_reader *r, struct cst_event *ev)
{
	struct run *first = p->v;
	int got;

	do {
		first->offset = cst_event_tell(r);
		got = first->offset < first->end ? cst_event_next(r, ev, NULL) : 0;
		if (got == -CST_ERR_NOMEM)
			return got;
	} while (got < 0);	/* was counted */
	if (got)
		first->time = time_of(ev, first->time);
	else if (--p->n)
		*first = p->v[p->n];
	return got;
}

/*
 * Reads the event with the next time of all runs. `ev` holds the event before it, of p->v[0], or *have is 0. Returns 1, 0
 * at the end, or a negative error.
 */
static int next_event(struct runs *p, struct cst_event_reader *r, struct cst_event *ev, int *have)
{
	int got;

	if (*have) {
		got = next_of_run(p, r, ev);
		if (got < 0)
			return got;
		/* in most cases the run continues, and the event is read already */
		if (got && (p->n < 2 || is_before(p->v, p->v + 1)) && (p->n < 3 || is_before(p->v, p->v + 2)))
			return 1;
		if (p->n)
			sift(p, 0);
	}
	*have = p->n != 0;
	if (!p->n)
		return 0;
	cst_event_seek(r, p->v[0].offset);
	do
		got = cst_event_next(r, ev, NULL);
	while (got < 0 && got != -CST_ERR_NOMEM);
	return got;
}

static int put(struct writer *w, const struct cst_event *ev)
{
	int64_t n = cst_event_write(ev, w->line, w->cap);

	if (n < 0)
		return (int)n;
	if ((size_t)n > w->cap) {
		if (array_reserve(&w->line, &w->cap, (size_t)n, 1))
			return -CST_ERR_NOMEM;
		cst_event_write(ev, w->line, w->cap);
	}
	return w->out->write(w->out->ctx, w->line, (size_t)n);
}

static int put_implied(struct writer *w, const struct cst_event *ev)
{
	struct cst_event_param params[CST_EVENT_PARAMS];
	struct cst_event out = *ev;
	size_t i;

	if (w->plain)
		return put(w, ev);
	params[0].key = cst_ini_str("implied");
	params[0].value = cst_ini_str("1");
	for (i = 0; i < ev->n_params && i + 1 < CST_EVENT_PARAMS; i++)
		params[i + 1] = ev->params[i];
	out.params = params;
	out.n_params = i + 1;
	return put(w, &out);
}

/* What ends had these parameters; its END has others of its own. */
static int repeat(struct writer *w, const struct cst_event *ev, struct cst_event_param *params, size_t *nr)
{
	size_t need = sizeof("of_none"), n = *nr, i;
	char *p;

	for (i = 0; i < ev->n_params; i++)
		need += 3 + ev->params[i].key.n;
	if (array_reserve(&w->keys, &w->keys_cap, need, 1))
		return -CST_ERR_NOMEM;
	p = w->keys;
	if (!ev->n_params && n && n < CST_EVENT_PARAMS) {
		params[n].key = cst_ini_str("of_none");
		params[n++].value = cst_ini_str("1");
	}
	for (i = 0; i < ev->n_params && n < CST_EVENT_PARAMS; i++) {
		memcpy(p, "of_", 3);
		memcpy(p + 3, ev->params[i].key.p, ev->params[i].key.n);
		params[n].key = (struct cst_str){ p, 3 + ev->params[i].key.n };
		params[n++].value = ev->params[i].value;
		p += 3 + ev->params[i].key.n;
	}
	*nr = n;
	return 0;
}

/* Writes the event that was passed, with the values that the state has more precisely. */
static int put_own(struct writer *w, const struct cst_event *ev)
{
	struct cst_event_param params[CST_EVENT_PARAMS];
	int inherited = cst_event_param(ev, "inherited").p != NULL;
	int repeats = ev->state == CST_STATE_END && w->known && !cst_entity_same_params(w->own, ev);
	struct cst_event out = *ev;
	size_t i, n = 0;
	int err;

	if (ev->verb == CST_EVENT_OTHER)
		return put(w, w->own);
	for (i = 0; i < w->own->n_params; i++) {
		if (repeats && cst_entity_of(w->own->params[i].key))
			continue;
		params[n] = w->own->params[i];
		if (inherited && cst_str_is(params[n].key, "inherit"))
			params[n].key = cst_ini_str("inherited");
		n++;
	}
	err = repeats ? repeat(w, ev, params, &n) : 0;
	if (err)
		return err;
	out.params = params;
	out.n_params = n;
	return put(w, &out);
}

static int on_event(void *ctx, const struct cst_event *ev, int implied)
{
	struct writer *w = ctx;

	/* A contradicting CURRENT comes behind the START that it stands for. */
	if (implied || (ev->state == CST_STATE_START && w->own->state == CST_STATE_CURRENT))
		return put_implied(w, ev);
	return put_own(w, ev);
}

static int on_alive(void *ctx, const struct cst_event *ev, int implied)
{
	(void)implied;
	return put_implied(ctx, ev);
}

static int write_all(struct writer *w, struct cst_state *st, struct cst_event_reader *r, struct runs *p)
{
	uint64_t last = CST_EVENT_NO_TIME;
	struct cst_event ev = { 0 };
	int err = 0, got, have = 0;

	while (!err && (got = next_event(p, r, &ev, &have))) {
		if (got < 0)
			return got;
		w->own = &ev;
		w->plain = cst_state_cuts(st, &ev);
		w->known = cst_state_has(st, &ev);
		err = cst_state_apply(st, &ev, on_event, w);
		/* an event without room in the state implies no others, so the log can continue */
		if (err == -CST_ERR_LIMIT)
			err = 0;
		if (ev.time != CST_EVENT_NO_TIME)
			last = ev.time;
	}
	w->plain = 0;
	return err ? err : cst_state_list(st, CST_STATE_CURRENT, last, on_alive, w);
}

int cst_state_complete(struct cst_state *st, struct cst_event_reader *r, const struct cst_sink *out,
		       uint64_t *bad)
{
	struct writer w = { .out = out };
	struct runs p = { .v = NULL };
	uint64_t wrong;
	int err = find_runs(&p, r, &wrong);
	size_t i;

	if (bad)
		*bad = wrong;
	for (i = p.n / 2; !err && i-- > 0;)
		sift(&p, i);
	if (!err)
		err = write_all(&w, st, r, &p);
	free(p.v);
	free(w.line);
	free(w.keys);
	return err;
}
