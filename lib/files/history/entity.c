/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * entity.c - what is alive in a system state: memory, keys and comparison.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "files/history/state_int.h"

#define DEFAULT_MEMORY ((size_t)256 << 20)
#define DEFAULT_INHERITED ((uint64_t)16 << 20)

static struct entity *of_owned(struct avl_node *n)
{
	return n ? (struct entity *)((char *)n - offsetof(struct entity, owned)) : NULL;
}

static struct entity *of_named(struct avl_node *n)
{
	return n ? (struct entity *)((char *)n - offsetof(struct entity, named)) : NULL;
}

enum entity_kind cst_entity_kind(const struct cst_event *ev)
{
	switch (ev->verb) {
	case CST_EVENT_PROCESS:
		return ENT_PROCESS;
	case CST_EVENT_THREAD:
		return ENT_THREAD;
	case CST_EVENT_ASID:
		return ENT_ASID;
	case CST_EVENT_LIBRARY:
		return ev->has_size && ev->size ? ENT_LIBRARY : ENT_LIBRARY_OPEN;
	case CST_EVENT_PATCH:
		return ENT_PATCH;
	default:
		return ENT_TRACE;
	}
}

static struct avl_key key_of(const struct cst_event *ev)
{
	struct avl_key key = { .pid = ev->pid, .kind = cst_entity_kind(ev) };

	switch ((enum entity_kind)key.kind) {
	case ENT_PROCESS:
		break;
	case ENT_THREAD:
		key.number = (uint64_t)ev->tid;
		break;
	case ENT_ASID:
		key.number = ev->asid;
		break;
	case ENT_LIBRARY:
	case ENT_LIBRARY_OPEN:
	case ENT_PATCH:
		key.number = ev->base;
		break;
	case ENT_TRACE:
		key.pid = NO_PROCESS;
		key.text = ev->name;
		break;
	}
	return key;
}

static int is_named(enum entity_kind kind)
{
	return kind == ENT_THREAD || kind == ENT_ASID;
}

struct entity *cst_entity_find(const struct cst_state *st, const struct cst_event *ev)
{
	struct avl_key key = key_of(ev);

	if (!is_named(key.kind))
		return of_owned(cst_avl_find(st->owned, &key));
	key.pid = 0;
	return of_named(cst_avl_find(st->named, &key));
}

struct entity *cst_entity_near(const struct cst_state *st, const struct avl_key *key, int dir, int or_equal)
{
	return of_owned(cst_avl_near(st->owned, key, dir, or_equal));
}

struct entity *cst_entity_last_of(const struct cst_state *st, int64_t pid)
{
	struct avl_key key = { .pid = pid, .kind = ENT_TRACE };
	struct entity *e = cst_entity_near(st, &key, 0, 0);

	return e && e->owned.key.pid == pid ? e : NULL;
}

uint64_t cst_entity_last(const struct cst_event *ev)
{
	uint64_t size = ev->size ? ev->size - 1 : 0;

	return size > UINT64_MAX - ev->base ? UINT64_MAX : ev->base + size;
}

struct entity *cst_entity_overlap(const struct cst_state *st, int64_t pid, enum entity_kind kind,
				  uint64_t base, uint64_t last)
{
	struct avl_key key = { .pid = pid, .kind = kind, .number = base };
	struct entity *e = cst_entity_near(st, &key, 0, 1);

	if (e && e->owned.key.pid == pid && e->owned.key.kind == kind &&
	    (kind == ENT_LIBRARY_OPEN ? e->ev.base : cst_entity_last(&e->ev)) >= base)
		return e;
	e = cst_entity_near(st, &key, 1, 0);
	if (e && e->owned.key.pid == pid && e->owned.key.kind == kind && e->ev.base <= last)
		return e;
	return NULL;
}

/* Said of the event, not of what it is about. */
static int of_event_only(struct cst_str key)
{
	return (key.n >= 3 && !memcmp(key.p, "at_", 3)) || cst_str_is(key, "perf") || cst_str_is(key, "implied");
}

int cst_entity_of(struct cst_str key)
{
	return key.n > 3 && !memcmp(key.p, "of_", 3);
}

/* Parameters of what the event is about: those that an END repeats as of_NAME, or its own ones. */
static size_t params_of(const struct cst_event *ev, struct cst_event_param *to)
{
	size_t i, n = 0;
	int repeats = 0;

	for (i = 0; i < ev->n_params; i++)
		repeats |= ev->state == CST_STATE_END && cst_entity_of(ev->params[i].key);
	for (i = 0; i < ev->n_params; i++) {
		if (repeats ? !cst_entity_of(ev->params[i].key) : of_event_only(ev->params[i].key))
			continue;
		to[n] = ev->params[i];
		if (repeats) {
			to[n].key.p += 3;
			to[n].key.n -= 3;
			if (cst_str_is(to[n].key, "none"))
				continue;
		}
		n++;
	}
	return n;
}

static struct cst_str copy(char **to, struct cst_str s)
{
	struct cst_str out = { s.p ? *to : NULL, s.n };

	if (s.n)
		memcpy(*to, s.p, s.n);
	*to += s.n;
	return out;
}

int cst_entity_add(struct cst_state *st, const struct cst_event *ev)
{
	size_t limit = st->limits.memory ? st->limits.memory : DEFAULT_MEMORY, bytes, i, n;
	struct cst_event_param params[CST_EVENT_PARAMS];
	struct entity *e;
	char *to;

	/* One byte more: an empty text has an address too. */
	n = params_of(ev, params);
	bytes = sizeof(*e) + n * sizeof(e->params[0]) + ev->name.n + ev->uuid.n + ev->code.n + 1;
	for (i = 0; i < n; i++)
		bytes += params[i].key.n + params[i].value.n;
	e = bytes <= limit && st->counts.memory <= limit - bytes ? malloc(bytes) : NULL;
	if (!e) {
		st->counts.dropped++;
		return bytes > limit || st->counts.memory > limit - bytes ? -CST_ERR_LIMIT : -CST_ERR_NOMEM;
	}
	e->bytes = bytes;
	e->ev = *ev;
	e->ev.params = e->params;
	e->ev.n_params = n;
	to = (char *)(e->params + n);
	e->ev.name = copy(&to, ev->name);
	e->ev.uuid = copy(&to, ev->uuid);
	e->ev.code = copy(&to, ev->code);
	for (i = 0; i < n; i++) {
		e->params[i].key = copy(&to, params[i].key);
		e->params[i].value = copy(&to, params[i].value);
	}
	e->owned.key = key_of(&e->ev);
	cst_avl_insert(&st->owned, &e->owned);
	if (is_named(e->owned.key.kind)) {
		e->named.key = e->owned.key;
		e->named.key.pid = 0;
		cst_avl_insert(&st->named, &e->named);
	}
	st->counts.alive++;
	st->counts.memory += bytes;
	return 0;
}

void cst_entity_take(struct cst_state *st, struct entity *e)
{
	cst_avl_remove(&st->owned, &e->owned);
	if (is_named(e->owned.key.kind))
		cst_avl_remove(&st->named, &e->named);
	st->counts.alive--;
}

void cst_entity_free(struct cst_state *st, struct entity *e)
{
	st->counts.memory -= e->bytes;
	free(e);
}

static int same_text(struct cst_str a, struct cst_str b)
{
	return !a.p == !b.p && a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

int cst_entity_same_params(const struct cst_event *a, const struct cst_event *b)
{
	struct cst_event_param pa[CST_EVENT_PARAMS], pb[CST_EVENT_PARAMS];
	size_t n = params_of(a, pa), i;

	if (params_of(b, pb) != n)
		return 0;
	for (i = 0; i < n; i++)
		if (!same_text(pa[i].key, pb[i].key) || !same_text(pa[i].value, pb[i].value))
			return 0;
	return 1;
}

static int compatible(struct cst_str a, struct cst_str b)
{
	return !a.p || !b.p || same_text(a, b);
}

int cst_entity_agrees(const struct cst_event *a, const struct cst_event *b)
{
	return a->verb == b->verb && a->pid == b->pid && a->tid == b->tid && a->asid == b->asid &&
	       a->trace_id == b->trace_id && (!a->has_base || !b->has_base || a->base == b->base) &&
	       (!a->has_size || !b->has_size || a->size == b->size) && compatible(a->name, b->name) &&
	       compatible(a->uuid, b->uuid) &&
	       (a->verb != CST_EVENT_PATCH || a->code_kind == CST_CODE_NONE || b->code_kind == CST_CODE_NONE ||
		(a->code_kind == b->code_kind && same_text(a->code, b->code)));
}

int cst_entity_equal(const struct cst_event *a, const struct cst_event *b)
{
	return cst_entity_agrees(a, b) && a->has_base == b->has_base && a->has_size == b->has_size &&
	       a->offset == b->offset && same_text(a->name, b->name) && same_text(a->uuid, b->uuid);
}

int cst_state_new(struct cst_state **out, const struct cst_state_limits *limits)
{
	static const struct cst_state_limits none;
	struct cst_state_limits own;
	struct cst_state *st;

	*out = NULL;
	limits = TAKE(cst_state_limits, limits ? limits : &none, own);
	if (!limits)
		return -CST_ERR_INVAL;
	st = calloc(1, sizeof(*st));
	*out = st;
	if (!st)
		return -CST_ERR_NOMEM;
	st->limits = *limits;
	if (!st->limits.inherited)
		st->limits.inherited = DEFAULT_INHERITED;
	return 0;
}

void cst_state_free(struct cst_state *st)
{
	struct entity *e;

	if (!st)
		return;
	while (st->owned) {
		e = of_owned(st->owned);
		cst_entity_take(st, e);
		cst_entity_free(st, e);
	}
	free(st);
}

int cst_state_counts(const struct cst_state *st, struct cst_state_counts *counts)
{
	return GIVE(cst_state_counts, counts, st->counts);
}
