/* SPDX-License-Identifier: GPL-2.0-only */
/* learned.c - logs the answers that the decoding of a part has used, and checks whether they still hold. */
#include "machine/tasks/learned.h"

#include <string.h>

static bool same(const struct learn_entry *a, const struct learn_entry *b)
{
	return a->bits == b->bits && a->proof == b->proof && a->answer == b->answer && a->value == b->value &&
	       a->ev.tid == b->ev.tid && a->ev.tid_shifted == b->ev.tid_shifted && a->ev.asid == b->ev.asid &&
	       a->ev.running == b->ev.running;
}

void learn_note(struct learn_log *log, const struct learn_entry *e)
{
	uint16_t *last;

	if (!log)
		return;
	last = &log->last[e->kind];
	if (*last && same(&log->v[*last - 1], e))
		return;
	if (log->nr == LEARN_ENTRIES) {
		log->full = true;
		return;
	}
	log->v[log->nr++] = *e;
	*last = (uint16_t)log->nr;
}

static bool equal(const struct learned *a, const struct learned *b)
{
	return a->own.security_known == b->own.security_known && a->own.security_proved == b->own.security_proved &&
	       a->own.security == b->own.security && a->own.vmid_known == b->own.vmid_known &&
	       a->own.vmid_proved == b->own.vmid_proved && a->own.vmid == b->own.vmid &&
	       a->contextid.decided == b->contextid.decided &&
	       !memcmp(a->contextid.seen, b->contextid.seen, sizeof(a->contextid.seen));
}

static uint8_t ask(struct learned *l, const struct learn_entry *e)
{
	switch (e->kind) {
	case LEARN_SECURITY:
		return own_world_security(&l->own, (uint8_t)e->value, e->proof);
	case LEARN_VMID:
		return own_world_vmid(&l->own, e->value, e->proof);
	}
	return (uint8_t)contextid_choose(&l->contextid, e->value, e->bits, &e->ev);
}

bool learned_holds(struct learned *now, const struct learned *in, const struct learned *out,
		   const struct learn_log *log)
{
	struct learned l = *now;
	size_t i;

	if (log->ordered)
		return false;
	if (equal(now, in)) {
		*now = *out;
		return true;
	}
	if (log->full)
		return false;
	l.own.log = l.contextid.log = NULL;
	for (i = 0; i < log->nr; i++)
		if (ask(&l, &log->v[i]) != log->v[i].answer)
			return false;
	/* queries after the decision about the format are not in the log */
	if (l.contextid.decided != out->contextid.decided && !contextid_decided(&l.contextid))
		return false;
	for (i = 0; i <= CONTEXTID_NONE; i++)
		l.contextid.seen[i] |= out->contextid.seen[i];
	*now = l;
	return true;
}
