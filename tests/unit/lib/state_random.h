/* SPDX-License-Identifier: BSD-3-Clause */
/* state_random.h - random logs of events, forwards and backwards. */
#ifndef TESTS_STATE_RANDOM_H
#define TESTS_STATE_RANDOM_H

#include <cstrace/files/files.h>

#include "state_text.h"

static inline uint32_t rnd(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

static inline void random_event(uint64_t *seed, struct cst_event *ev, struct cst_event_param *params)
{
	static const char *const images[] = { "a", "b", "/lib/c d", "\"e\"" };
	static const char code[] = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20";
	const char *name = images[rnd(seed, 4)];

	memset(ev, 0, sizeof(*ev));
	ev->verb = (uint8_t)rnd(seed, CST_EVENT_OTHER);
	ev->state = rnd(seed, 3) ? CST_STATE_START : CST_STATE_END;
	ev->pid = rnd(seed, 4);
	ev->params = params;
	ev->name = (struct cst_str){ name, strlen(name) };
	switch (ev->verb) {
	case CST_EVENT_PROCESS:
		if (rnd(seed, 2)) {
			params[0].key = (struct cst_str){ "inherit", 7 };
			params[0].value = (struct cst_str){ &"0123"[rnd(seed, 4)], 1 };
			ev->n_params = 1;
		}
		break;
	case CST_EVENT_THREAD:
		ev->name.p = NULL;
		ev->name.n = 0;
		ev->tid = rnd(seed, 8);
		break;
	case CST_EVENT_LIBRARY:
	case CST_EVENT_PATCH:
		ev->has_base = 1;
		ev->base = rnd(seed, 16) * 16 + rnd(seed, 2) * 8;
		ev->has_size = ev->verb == CST_EVENT_PATCH || rnd(seed, 8);
		ev->size = ev->has_size ? (rnd(seed, 6) + 1) * 8 : 0;
		ev->offset = rnd(seed, 3) * 4;
		if (ev->verb == CST_EVENT_PATCH) {
			ev->name.p = NULL;
			ev->name.n = 0;
			ev->code_kind = (uint8_t)rnd(seed, 3);
			if (ev->code_kind == CST_CODE_BYTES)
				ev->code = (struct cst_str){ code, rnd(seed, 17) };
			else if (ev->code_kind == CST_CODE_ID)
				ev->code = (struct cst_str){ "jit", 3 };
		}
		break;
	case CST_EVENT_ASID:
		ev->name.p = NULL;
		ev->name.n = 0;
		ev->asid = rnd(seed, 4);
		break;
	default:
		ev->pid = 0;
		ev->trace_id = rnd(seed, 4) + 16;
		params[0].key = (struct cst_str){ "TRCCONFIGR", 10 };
		params[0].value = (struct cst_str){ &"0123"[rnd(seed, 4)], 1 };
		ev->n_params = 1;
		break;
	}
}

/* An END of what is not there says that it was there before the log: tested apart. */
static inline int ends_nothing(const struct cst_state *st, const struct cst_event *ev)
{
	struct cst_event found = { 0 };

	switch (ev->verb) {
	case CST_EVENT_PROCESS:
		return !cst_state_process(st, ev->pid, &found);
	case CST_EVENT_THREAD:
		return !cst_state_thread(st, ev->tid, &found);
	case CST_EVENT_ASID:
		return !cst_state_asid(st, ev->asid, &found);
	case CST_EVENT_TRACE:
		return !cst_state_trace(st, ev->name, &found);
	default:
		return !cst_state_code(st, ev->pid, ev->base, &found) || found.verb != ev->verb ||
		       (ev->has_size ? !found.has_size : found.base != ev->base);
	}
}

/* A complete log of random events, closed by everything that is alive. */
static inline void random_log(uint64_t seed, unsigned int events, struct lines *log)
{
	struct cst_state *st = new_state();
	struct cst_event_param params[2];
	struct cst_event ev = { 0 };
	unsigned int i;

	for (i = 0; i < events; i++) {
		do {
			random_event(&seed, &ev, params);
		} while (ev.state == CST_STATE_END && ends_nothing(st, &ev));
		ev.time = i;
		assert_int_equal(cst_state_apply(st, &ev, keep, log), 0);
	}
	cst_state_list(st, CST_STATE_CURRENT, events, keep, log);
	cst_state_free(st);
}

struct record {
	char **states;	/* before each event, and after the last one */
	size_t n;
};

static inline void free_record(struct record *r)
{
	while (r->n)
		free(r->states[--r->n]);
	free(r->states);
}

static inline struct record forwards(const char *text, size_t len, size_t events)
{
	struct record rec = { .states = calloc(events + 1, sizeof(char *)) };
	struct cst_state *st = new_state();
	struct cst_event_reader *r;
	struct cst_state_counts c = { 0 };
	struct cst_event ev = { 0 };

	assert_non_null(rec.states);
	assert_int_equal(cst_event_reader_new(&r, text, len, 0), 0);
	do {
		assert_true(rec.n <= events);
		rec.states[rec.n++] = dump(st);
	} while (cst_event_next(r, &ev, NULL) > 0 && !cst_state_apply(st, &ev, NULL, NULL));
	cst_state_counts(st, &c);
	assert_int_equal(c.implied, 0);
	assert_int_equal(c.contradictions, 0);
	assert_int_equal(c.dropped, 0);
	assert_int_equal(rec.n, events + 1);
	cst_event_reader_free(r);
	cst_state_free(st);
	return rec;
}

static inline size_t count_lines(const char *text, size_t len)
{
	size_t n = 0;

	while (len)
		n += text[--len] == '\n';
	return n;
}

static inline void compare_backwards(const char *text, size_t len, const struct record *rec, size_t from)
{
	struct cst_state *st = new_state();
	struct cst_event_reader *r;
	struct cst_state_counts c = { 0 };
	struct cst_event ev = { 0 };
	size_t at = rec->n - 1;
	char *d;

	assert_int_equal(cst_event_reader_new(&r, text, len, 0), 0);
	cst_event_rewind(r, 1);
	while (cst_event_prev(r, &ev, NULL) > 0) {
		assert_int_equal(cst_state_unapply(st, &ev), 0);
		at--;
		/* Within the closing snapshot not everything has been said yet. */
		if (ev.state == CST_STATE_CURRENT && !strcmp(rec->states[at], rec->states[rec->n - 1]))
			continue;
		d = dump(st);
		assert_string_equal(d, rec->states[at]);
		free(d);
	}
	assert_int_equal(at, from);
	cst_state_counts(st, &c);
	assert_int_equal(c.contradictions, 0);
	assert_int_equal(c.unknown_ends, 0);
	cst_event_reader_free(r);
	cst_state_free(st);
}

#endif
