/* SPDX-License-Identifier: GPL-2.0-only */
/* events.c - names, tracks and arguments of what a timeline has. */
#include "outputs/timeline/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

/*
 * Numbers of the processes whose threads are the tracks of the CPUs, one for each kind of span: above those of Linux
 * (PID_MAX_LIMIT, 2^22).
 */
#define CPU_PID		4194305
#define NO_PID		4194310	/* of threads whose process is not known */
/* A guest's process is this plus the guest's number: the host may have threads of equal numbers. */
#define GUEST_PID	8388608

struct open_event {
	uint64_t end;
	int32_t depth;
};

/* What is written, and where to. */
struct walk {
	const struct timeline *t;
	const struct event_sink *sink;
	void *data;
	/* events of a track that have not ended */
	struct open_event *open;
	size_t nr_open, cap_open;
	struct event_track track;
	uint32_t tree;
	char room[64];
};

/* Ends the events of the track that do not hold one at `depth`. */
static void end_events(struct walk *w, int32_t depth)
{
	while (w->nr_open && w->open[w->nr_open - 1].depth >= depth)
		w->sink->end(w->data, &w->track, w->open[--w->nr_open].end);
}

static void put(struct walk *w, const struct event *e)
{
	if (!w->sink->end) {
		w->sink->event(w->data, e);
		return;
	}
	if (e->track.pid != w->track.pid || e->track.tid != w->track.tid || e->tree != w->tree)
		end_events(w, INT32_MIN);
	w->track = e->track;
	w->tree = e->tree;
	end_events(w, e->depth);
	w->sink->event(w->data, e);
	if (!e->instant)
		*ARRAY_ADD(w->open, w->nr_open, w->cap_open) =
			(struct open_event){ .end = e->end, .depth = e->depth };
}

/* Process and thread of a track. Idle threads and unknown ones get numbers of their own, for each CPU. */
static struct event_track track_of(const struct track_thread *th)
{
	const bool known = th && th->tid > 0;

	if (th && th->guest)
		return (struct event_track){ .pid = GUEST_PID + (int)th->guest, .tid = th->tid,
					     .thread = known };
	return (struct event_track){ .pid = th && th->pid >= 0 ? th->pid : NO_PID,
				     .tid = known ? th->tid : NO_PID + 1 + (th ? th->cpu : -1), .thread = known };
}

const char *timeline_thread_name(const struct timeline *t, const struct track_thread *th,
				 uint64_t time, char *room, size_t size)
{
	uint64_t from, until;
	int at = 0;

	if (th && th->tid > 0 && !th->guest)
		return comms_at(t->comms, th->tid, time);
	if (th && th->guest)
		at = snprintf(room, size, "VM:%d ", th->machine);
	room += at;
	size -= (size_t)at;
	if (th && th->tid > 0)
		snprintf(room, size, "%s",
			 comms_span(t->comms, th->vm, th->tid, time, &from, &until));
	else if (th && !th->tid)
		snprintf(room, size, "idle, CPU %d", th->cpu);
	else
		snprintf(room, size, "unknown thread");
	return room - at;
}

static const char *name_of_thread(struct walk *w, const struct track_thread *th, uint64_t time)
{
	return timeline_thread_name(w->t, th, time, w->room, sizeof(w->room));
}

static void threads(struct walk *w)
{
	const struct tracks *all = &w->t->tracks;
	struct event_track track;
	size_t i;

	for (i = 0; i < all->nr_threads; i++) {
		const struct track_thread *th = &all->threads[i];

		track = track_of(th);
		if (begins_guest(all, i)) {
			snprintf(w->room, sizeof(w->room), "VM:%d %s", th->machine,
				 comms_at(w->t->comms, th->machine, UINT64_MAX));
			w->sink->process(w->data, &track, w->room);
		}
		if (!th->guest && th->pid == th->tid && th->tid > 0)
			w->sink->process(w->data, &track, comms_at(w->t->comms, th->pid, UINT64_MAX));
		w->sink->track(w->data, &track, name_of_thread(w, th, UINT64_MAX));
	}
}

static void add_number(struct event *e, const char *key, uint64_t number)
{
	e->args[e->nr_args++] = (struct event_arg){ .key = key, .number = number };
}

static void add_text(struct event *e, const char *key, const char *text)
{
	e->args[e->nr_args++] = (struct event_arg){ .key = key, .text = text };
}

static void slice(struct walk *w, const struct calls_slice *s, const struct track_thread *th)
{
	static const char *const kinds[] = { "root", "call", "tail call", "exception", "signal", "deep calls" };
	const char *file = labels_file(w->t->labels, s->entry);
	struct event e = { .track = track_of(th),
			   .begin = timeline_at(w->t, &s->begin),
			   .end = timeline_at(w->t, &s->end),
			   .depth = s->depth,
			   .tree = s->tree,
			   .category = kinds[s->kind],
			   .call = s };

	e.name = s->kind == CST_COUNT_CUT ? "[deep calls]" : labels_of(w->t->labels, s->entry);
	add_number(&e, "insns", s->end.insns - s->begin.insns);
	if (s->end.cycles != s->begin.cycles)
		add_number(&e, "cycles", s->end.cycles - s->begin.cycles);
	if (file)
		add_text(&e, "file", file);
	if (s->flags & CALLS_BEGAN_BEFORE)
		add_text(&e, "begin", "before the trace");
	if (s->flags & (CALLS_END_LOST | CALLS_STILL_OPEN))
		add_text(&e, "end", s->flags & CALLS_END_LOST ? "trace lost" : "after the trace");
	put(w, &e);
}

static void slices(struct walk *w)
{
	const struct track_thread *th = NULL;
	size_t i;

	for (i = 0; i < w->t->nr_slices; i++) {
		const struct calls_slice *s = &w->t->slices[i];

		if (!th || th->key != s->thread)
			th = tracks_thread(&w->t->tracks, s->thread);
		slice(w, s, th);
	}
}

static const char *hex(char *room, size_t size, const char *before, uint64_t value)
{
	snprintf(room, size, "%s0x%" PRIx64, before, value);
	return room;
}

static void stm_message(struct event *e, const struct track_span *s, char *room, size_t size)
{
	const bool lost = s->flags & (CST_SW_MASTER_ERR | CST_SW_GLOBAL_ERR);

	e->name = lost ? "STM lost messages" : s->flags & CST_SW_TRIGGER ? "STM trigger" : s->flags & CST_SW_MARKER ? "STM marker" : "STM";
	if (s->key != TRACK_NO_SENDER && !(s->flags & CST_SW_GLOBAL_ERR)) {
		add_number(e, "master", TRACK_MASTER(s->key));
		add_number(e, "channel", TRACK_CHANNEL(s->key));
	}
	add_text(e, lost ? "code" : "value", hex(room, size, "", s->value));
}

static void span(struct walk *w, const struct track_span *s, const struct event_track *track)
{
	const struct track_thread *th;
	struct event e = { .track = *track, .begin = s->begin, .end = s->end, .instant = s->kind == TRACK_MESSAGE };
	char value[32];

	switch ((enum track_kind)s->kind) {
	case TRACK_RUN:
		th = tracks_thread(&w->t->tracks, s->key);
		e.category = "run";
		e.name = name_of_thread(w, th, s->begin);
		if (th && th->pid >= 0)
			add_number(&e, "pid", (uint64_t)th->pid);
		if (th && th->tid >= 0)
			add_number(&e, "tid", (uint64_t)th->tid);
		if (th && th->guest)
			add_number(&e, "machine_pid", (uint64_t)th->machine);
		break;
	case TRACK_LOSS:
		e.category = "loss";
		e.name = track_loss_text(s->value);
		break;
	case TRACK_NO_CODE:
		e.category = "loss";
		e.name = "no image";
		add_text(&e, "addr", hex(value, sizeof(value), "", s->value));
		break;
	case TRACK_MESSAGE:
		e.category = "message";
		if (s->what == CST_GEN_SWTRACE) {
			stm_message(&e, s, value, sizeof(value));
		} else if (s->what == CST_GEN_INSTRUMENTATION) {
			e.name = "ITE";
			add_text(&e, "value", hex(value, sizeof(value), "", s->value));
		} else {
			e.name = hex(value, sizeof(value), "event ", s->value);
		}
		break;
	}
	put(w, &e);
}

static void spans(struct walk *w)
{
	static const char *const processes[] = { "CPUs", "lost trace", "code without an image", "messages" };
	struct event_track track = { .pid = -1, .tid = -1 };
	char name[32];
	size_t i;

	for (i = 0; i < w->t->tracks.nr_spans; i++) {
		const struct track_span *s = &w->t->tracks.spans[i];
		const struct event_track its = { .pid = CPU_PID + s->kind, .tid = s->cpu, .cpu = true };

		if (its.pid != track.pid)
			w->sink->process(w->data, &its, processes[s->kind]);
		if (its.pid != track.pid || its.tid != track.tid) {
			snprintf(name, sizeof(name), s->cpu < 0 ? "STM" : "CPU %d", s->cpu);
			w->sink->track(w->data, &its, name);
		}
		track = its;
		span(w, s, &track);
	}
}

void timeline_events(const struct timeline *t, const struct event_sink *sink, void *data)
{
	struct walk w = { .t = t, .sink = sink, .data = data };

	threads(&w);
	slices(&w);
	spans(&w);
	if (sink->end)
		end_events(&w, INT32_MIN);
	free(w.open);
}
