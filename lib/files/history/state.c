/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * state.c - events applied to a system state, forwards and backwards.
 */
#include "base/sized.h"
#include "files/history/state_int.h"

#include <string.h>

/* One event on its way. */
struct run {
	struct cst_state *st;
	cst_state_fn emit;
	void *ctx;
	uint64_t time;
	int dropped;	/* error of an entity that found no room */
};

static int emit(struct run *r, const struct cst_event *ev, int implied)
{
	int err;

	r->st->counts.implied += implied != 0;
	err = r->emit ? r->emit(r->ctx, ev, implied) : 0;
	return err < 0 ? err : 0;
}

static void add(struct run *r, const struct cst_event *ev)
{
	int err = cst_entity_add(r->st, ev);

	if (err)
		r->dropped = err;
}

static int add_implied(struct run *r, const struct cst_event *ev)
{
	struct cst_event copy = *ev;

	copy.time = r->time;
	copy.state = CST_STATE_START;
	add(r, &copy);
	return emit(r, &copy, 1);
}

static int end(struct run *r, struct entity *e, int implied)
{
	struct cst_event ev = e->ev;
	int err;

	ev.time = r->time;
	ev.state = CST_STATE_END;
	cst_entity_take(r->st, e);
	err = emit(r, &ev, implied);
	cst_entity_free(r->st, e);
	return err;
}

/* The part [base, last] of a library or patch. */
static struct cst_event part(const struct cst_event *whole, uint64_t base, uint64_t last)
{
	struct cst_event ev = *whole;
	uint64_t skip = base - whole->base + (whole->verb == CST_EVENT_PATCH ? whole->offset : 0);

	ev.base = base;
	ev.size = last - base + 1;
	if (ev.code_kind == CST_CODE_BYTES) {
		skip = skip < ev.code.n ? skip : ev.code.n;
		ev.code.p += skip;
		ev.code.n -= skip;
		ev.code.n = ev.code.n < ev.size ? ev.code.n : ev.size;
		ev.offset = 0;
	} else {
		ev.offset = whole->offset + (base - whole->base);
	}
	return ev;
}

/* Adds the rest of a library that was cut, marked as such, since the start of a library ends the patches in its range. */
static int add_rest(struct run *r, const struct cst_event *whole, uint64_t base, uint64_t last)
{
	struct cst_event_param params[CST_EVENT_PARAMS];
	struct cst_event ev = part(whole, base, last);

	if (ev.verb == CST_EVENT_LIBRARY && !cst_event_param(&ev, "rest").p &&
	    ev.n_params < CST_EVENT_PARAMS) {
		if (ev.n_params)
			memcpy(params, ev.params, ev.n_params * sizeof(params[0]));
		params[ev.n_params].key = (struct cst_str){ "rest", 4 };
		params[ev.n_params++].value = (struct cst_str){ "1", 1 };
		ev.params = params;
	}
	return add_implied(r, &ev);
}

/* Ends the entities in the range; the parts of them outside it start again. */
static int cut(struct run *r, int64_t pid, enum entity_kind kind, uint64_t base, uint64_t last)
{
	struct cst_event whole;
	struct entity *e;
	uint64_t stop;
	int err = 0;

	while (!err && (e = cst_entity_overlap(r->st, pid, kind, base, last))) {
		whole = e->ev;
		stop = cst_entity_last(&whole);
		if (kind == ENT_LIBRARY_OPEN || (whole.base >= base && stop <= last)) {
			err = end(r, e, 1);
			continue;
		}
		whole.time = r->time;
		whole.state = CST_STATE_END;
		cst_entity_take(r->st, e);
		err = emit(r, &whole, 1);
		if (!err && whole.base < base)
			err = add_rest(r, &whole, whole.base, base - 1);
		if (!err && stop > last)
			err = add_rest(r, &whole, last + 1, stop);
		cst_entity_free(r->st, e);
	}
	return err;
}

static int is_range(const struct cst_event *ev)
{
	enum entity_kind kind = cst_entity_kind(ev);

	return kind == ENT_LIBRARY || kind == ENT_PATCH;
}

/* Makes room for a range. Patches were made in the memory that is no longer there. */
static int clear(struct run *r, const struct cst_event *ev)
{
	uint64_t last = cst_entity_last(ev);
	int err = 0;

	if (ev->verb == CST_EVENT_PATCH)
		return cut(r, ev->pid, ENT_PATCH, ev->base, last);
	if (!cst_event_param(ev, "rest").p) {
		if (ev->state == CST_STATE_START)
			err = cut(r, ev->pid, ENT_PATCH, ev->base, last);
		if (!err)
			err = cut(r, ev->pid, ENT_LIBRARY_OPEN, ev->base, last);
	}
	if (!err)
		err = cut(r, ev->pid, ENT_LIBRARY, ev->base, last);
	return err;
}

/* All entities of a process down to a kind. */
static int end_belongings(struct run *r, int64_t pid, enum entity_kind kind)
{
	struct entity *e;
	int err = 0;

	while (!err && (e = cst_entity_last_of(r->st, pid)) && e->owned.key.kind >= kind)
		err = end(r, e, 1);
	return err;
}

/* A library may be known with or without its size: the other one of the same base. */
static struct entity *other_library(const struct cst_state *st, const struct cst_event *ev)
{
	struct cst_event other = *ev;

	if (ev->verb != CST_EVENT_LIBRARY)
		return NULL;
	other.has_size = other.size = cst_entity_kind(ev) == ENT_LIBRARY_OPEN;
	return cst_entity_find(st, &other);
}

static struct entity *find_any(const struct cst_state *st, const struct cst_event *ev)
{
	struct entity *e = cst_entity_find(st, ev);

	return e ? e : other_library(st, ev);
}

static int inherit(struct run *r, const struct cst_event *child, int64_t parent)
{
	struct avl_key key = { .pid = parent, .kind = ENT_LIBRARY };
	struct cst_event copy;
	struct entity *e;
	int err = 0;

	for (e = cst_entity_near(r->st, &key, 1, 1); !err && e && e->owned.key.pid == parent &&
	     e->owned.key.kind <= ENT_PATCH && parent != child->pid;
	     e = cst_entity_near(r->st, &key, 1, 0)) {
		key = e->owned.key;
		if (r->st->inherited == r->st->limits.inherited) {
			r->st->counts.dropped++;
			r->dropped = -CST_ERR_LIMIT;
			break;
		}
		r->st->inherited++;
		copy = e->ev;
		copy.pid = child->pid;
		err = add_implied(r, &copy);
	}
	return err;
}

/* START of a process, or the first that is heard of another one with this pid. */
static int start_process(struct run *r, const struct cst_event *ev)
{
	struct cst_event_param params[CST_EVENT_PARAMS];
	struct cst_event out = *ev;
	struct entity *e;
	int64_t parent;
	size_t i;
	int err = end_belongings(r, ev->pid, ENT_THREAD), inherits;

	e = cst_entity_find(r->st, ev);
	if (!err && e)
		err = end(r, e, 1);
	if (err)
		return err;
	inherits = ev->state == CST_STATE_START && cst_event_number(ev, "inherit", &parent);
	for (i = 0; inherits && i < ev->n_params; i++) {
		params[i] = ev->params[i];
		if (cst_str_is(params[i].key, "inherit"))
			params[i].key = (struct cst_str){ "inherited", strlen("inherited") };
	}
	if (inherits)
		out.params = params;
	add(r, &out);
	err = emit(r, &out, 0);
	return !err && inherits ? inherit(r, &out, parent) : err;
}

static int start(struct run *r, const struct cst_event *ev)
{
	struct entity *e = cst_entity_find(r->st, ev);
	struct cst_event same = *ev;
	int err = 0;

	if (ev->verb == CST_EVENT_PROCESS)
		return start_process(r, ev);
	if (e && ev->verb == CST_EVENT_LIBRARY && cst_entity_equal(&e->ev, ev)) {
		/* Said again: nothing changes, in either direction of time; its patches stay. */
		same.state = CST_STATE_CURRENT;
		return emit(r, &same, 0);
	}
	if (is_range(ev)) {
		err = clear(r, ev);
	} else {
		if (e)
			err = end(r, e, 1);
		e = err ? NULL : other_library(r->st, ev);
		if (e)
			err = end(r, e, 1);
	}
	if (err)
		return err;
	add(r, ev);
	return emit(r, ev, 0);
}

/* True if an entity exists that contradicts the event. */
static int contradicts(const struct cst_state *st, const struct cst_event *ev, const struct entity *e)
{
	if (e)
		return !cst_entity_agrees(&e->ev, ev);
	if (is_range(ev))
		return cst_entity_overlap(st, ev->pid, cst_entity_kind(ev), ev->base,
					  cst_entity_last(ev)) != NULL;
	return 0;
}

static int current(struct run *r, const struct cst_event *ev)
{
	struct entity *e = find_any(r->st, ev);
	struct cst_event started = *ev;
	int err;

	if (contradicts(r->st, ev, e)) {
		r->st->counts.contradictions++;
		started.state = CST_STATE_START;
		err = start(r, &started);
		return err ? err : emit(r, ev, 0);
	}
	if (!e)
		add(r, ev);
	return emit(r, ev, 0);
}

static int end_event(struct run *r, const struct cst_event *ev)
{
	struct entity *e = cst_entity_find(r->st, ev);
	uint64_t before = r->st->counts.implied;
	int err = 0;

	if (!e && cst_entity_kind(ev) == ENT_LIBRARY_OPEN)
		e = other_library(r->st, ev);
	if (ev->verb == CST_EVENT_PROCESS)
		err = end_belongings(r, ev->pid, ENT_ASID);	/* threads may end after their leader */
	if (err)
		return err;
	if (e && is_range(&e->ev) && ev->has_size && ev->size && ev->size != e->ev.size)
		e = NULL;
	if (e)
		return end(r, e, 0);
	if (is_range(ev))
		err = clear(r, ev);
	if (err || (is_range(ev) && r->st->counts.implied != before))
		return err;
	r->st->counts.unknown_ends++;
	return emit(r, ev, 0);
}

static int known(const struct cst_event *ev)
{
	return ev->verb < CST_EVENT_OTHER && ev->state <= CST_STATE_CURRENT &&
	       (ev->verb != CST_EVENT_PATCH || ev->size);
}

int cst_state_cuts(const struct cst_state *st, const struct cst_event *ev)
{
	uint64_t last = cst_entity_last(ev);
	struct entity *e;

	if (!known(ev) || ev->state != CST_STATE_END || !is_range(ev))
		return 0;
	e = cst_entity_find(st, ev);
	if (e && e->ev.size == ev->size)
		return 0;
	return cst_entity_overlap(st, ev->pid, cst_entity_kind(ev), ev->base, last) ||
	       (ev->verb == CST_EVENT_LIBRARY &&
		cst_entity_overlap(st, ev->pid, ENT_LIBRARY_OPEN, ev->base, last));
}

int cst_state_has(const struct cst_state *st, const struct cst_event *ev)
{
	return known(ev) && find_any(st, ev);
}

int cst_state_apply(struct cst_state *st, const struct cst_event *ev, cst_state_fn fn, void *ctx)
{
	struct run r = { .st = st, .emit = fn, .ctx = ctx };
	struct cst_event own;
	int err;

	ev = TAKE(cst_event, ev, own);
	if (!ev)
		return -CST_ERR_INVAL;
	r.time = ev->time;
	st->counts.events++;
	if (!known(ev))
		err = emit(&r, ev, 0);
	else if (ev->state == CST_STATE_START)
		err = start(&r, ev);
	else if (ev->state == CST_STATE_END)
		err = end_event(&r, ev);
	else
		err = current(&r, ev);
	return err ? err : r.dropped;
}

/* Takes away everything that cannot be there together with the event. */
static uint64_t remove_all(struct run *r, const struct cst_event *ev)
{
	uint64_t n = r->st->counts.implied;
	struct entity *e;

	if (is_range(ev)) {
		while ((e = cst_entity_overlap(r->st, ev->pid, cst_entity_kind(ev), ev->base,
					       cst_entity_last(ev))))
			end(r, e, 1);
	} else {
		e = cst_entity_find(r->st, ev);
		if (e)
			end(r, e, 1);
	}
	e = other_library(r->st, ev);
	if (e)
		end(r, e, 1);
	n = r->st->counts.implied - n;
	r->st->counts.implied -= n;
	return n;
}

int cst_state_unapply(struct cst_state *st, const struct cst_event *ev)
{
	struct run r = { .st = st };
	struct cst_event own;
	struct entity *e;
	uint64_t before;

	ev = TAKE(cst_event, ev, own);
	if (!ev)
		return -CST_ERR_INVAL;
	r.time = ev->time;
	st->counts.events++;
	if (!known(ev))
		return 0;
	switch (ev->state) {
	case CST_STATE_START:
		if (ev->verb == CST_EVENT_PROCESS) {
			before = st->counts.implied;
			end_belongings(&r, ev->pid, ENT_THREAD);
			st->counts.implied = before;
		}
		st->counts.unknown_ends += !remove_all(&r, ev);
		break;
	case CST_STATE_END:
		st->counts.contradictions += remove_all(&r, ev) != 0;
		add(&r, ev);
		break;
	default:
		e = find_any(st, ev);
		if (contradicts(st, ev, e)) {
			st->counts.contradictions++;
			remove_all(&r, ev);
			e = NULL;
		}
		if (!e)
			add(&r, ev);
		break;
	}
	return r.dropped;
}
