/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * state_query.c - what is in a system state, and states that are reconstructed from the end of a log.
 */
#include <cstrace/error.h>

#include "base/sized.h"
#include "files/history/state_int.h"

static int show(const struct entity *e, enum cst_event_state state, uint64_t time, cst_state_fn fn, void *ctx)
{
	struct cst_event ev = e->ev;
	int err;

	ev.state = (uint8_t)state;
	ev.time = time;
	ev.line = 0;
	err = fn(ctx, &ev, 0);
	return err < 0 ? err : 0;
}

/* ENDs are in reverse order: a process after all that belongs to it. */
int cst_state_list(const struct cst_state *st, enum cst_event_state state, uint64_t time,
		   cst_state_fn fn, void *ctx)
{
	const int dir = state != CST_STATE_END;
	struct avl_key key = { .pid = INT64_MIN };
	struct entity *e;
	int err = 0;

	if (!dir)
		key = (struct avl_key){ .pid = INT64_MAX, .kind = ENT_TRACE, .number = UINT64_MAX };
	for (e = cst_entity_near(st, &key, dir, 1); !err && e; e = cst_entity_near(st, &key, dir, 0)) {
		key = e->owned.key;
		err = show(e, state, time, fn, ctx);
	}
	return err;
}

static int answer(const struct entity *e, struct cst_event *out)
{
	struct cst_event ev;

	if (!e)
		return 0;
	ev = e->ev;
	ev.state = CST_STATE_CURRENT;
	ev.time = CST_EVENT_NO_TIME;
	ev.line = 0;
	return GIVE(cst_event, out, ev) ? -CST_ERR_INVAL : 1;
}

int cst_state_process(const struct cst_state *st, int64_t pid, struct cst_event *ev)
{
	struct cst_event key = { .verb = CST_EVENT_PROCESS, .pid = pid };

	return answer(cst_entity_find(st, &key), ev);
}

int cst_state_thread(const struct cst_state *st, int64_t tid, struct cst_event *ev)
{
	struct cst_event key = { .verb = CST_EVENT_THREAD, .tid = tid };

	return answer(cst_entity_find(st, &key), ev);
}

int cst_state_asid(const struct cst_state *st, uint32_t asid, struct cst_event *ev)
{
	struct cst_event key = { .verb = CST_EVENT_ASID, .asid = asid };

	return answer(cst_entity_find(st, &key), ev);
}

int cst_state_trace(const struct cst_state *st, struct cst_str source, struct cst_event *ev)
{
	struct cst_event key = { .verb = CST_EVENT_TRACE, .name = source };

	return answer(cst_entity_find(st, &key), ev);
}

static const struct entity *at_or_below(const struct cst_state *st, int64_t pid, enum entity_kind kind,
					uint64_t address)
{
	struct avl_key key = { .pid = pid, .kind = kind, .number = address };
	const struct entity *e = cst_entity_near(st, &key, 0, 1);

	return e && e->owned.key.pid == pid && e->owned.key.kind == kind ? e : NULL;
}

int cst_state_code(const struct cst_state *st, int64_t pid, uint64_t address, struct cst_event *ev)
{
	struct cst_event key = { .verb = CST_EVENT_PROCESS, .pid = pid };
	const struct entity *e = at_or_below(st, pid, ENT_PATCH, address), *open, *process;

	if (e && cst_entity_last(&e->ev) >= address)
		return answer(e, ev);
	e = at_or_below(st, pid, ENT_LIBRARY, address);
	if (e && cst_entity_last(&e->ev) >= address)
		return answer(e, ev);
	/* Without a size: up to the next one that begins behind it. */
	open = at_or_below(st, pid, ENT_LIBRARY_OPEN, address);
	if (open && (!open->ev.has_base || (e && e->ev.base > open->ev.base)))
		open = NULL;
	process = cst_entity_find(st, &key);
	if (process && (!process->ev.has_base || process->ev.base > address ||
			(process->ev.has_size && cst_entity_last(&process->ev) < address) ||
			(!process->ev.has_size && e && e->ev.base > process->ev.base)))
		process = NULL;
	if (process && (!open || (process->ev.base > open->ev.base)))
		open = process;
	return answer(open, ev);
}

int cst_state_at(struct cst_state *st, struct cst_event_reader *r, uint64_t until, uint64_t *bad)
{
	struct cst_event ev = { 0 };
	int got, err = 0, failed;

	if (bad)
		*bad = 0;
	cst_event_rewind(r, 1);
	while ((got = cst_event_prev(r, &ev, NULL))) {
		if (got < 0) {
			if (bad)
				(*bad)++;
			continue;
		}
		if (until != CST_EVENT_NO_TIME && ev.time != CST_EVENT_NO_TIME && ev.time <= until)
			break;
		failed = cst_state_unapply(st, &ev);
		err = failed ? failed : err;
	}
	return err;
}

int cst_state_before(struct cst_state *st, struct cst_event_reader *r, uint64_t *bad)
{
	return cst_state_at(st, r, CST_EVENT_NO_TIME, bad);
}
