/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto.c - a timeline as a trace of Perfetto: packets with the begin and the end of each slice
 * (perfetto.dev, "Writing TrackEvent Protos Synthetically"). Names are written once, and referred
 * to by number (interned data).
 */
#include "outputs/timeline/perfetto.h"

#include "base/name.h"
#include "base/protobuf.h"
#include "base/strings.h"
#include "outputs/timeline/events.h"

#define SEQUENCE	1u	/* all packets are of one writer */
#define FULL 65536u /* bytes that are written at once */

/* Fields of its messages (protos/perfetto/trace/ of github.com/google/perfetto). */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12,
	PACKET_FLAGS = 13, PACKET_TRACK = 60,
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	PROCESS_PID = 1, PROCESS_NAME = 6,
	THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,
	EVENT_CATEGORY = 3, EVENT_ARG = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11,
	ARG_NAME = 1, ARG_NUMBER = 3, ARG_TEXT = 6,
	INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_KEY = 3,
	NAME_NUMBER = 1, NAME_TEXT = 2,
};
/* TrackEvent.Type, TracePacket.SequenceFlags */
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT };
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

struct perfetto {
	struct pd_output *out;	/* NULL: only counted */
	uint64_t written;
	bool first;
	struct strings categories, names, keys;
	struct protobuf m;	/* packets that are not written yet */
	struct protobuf new;	/* names that the next packet refers to for the first time */
};

static void flush(struct perfetto *p)
{
	if (p->out && p->m.n)
		pd_output_write(p->out, p->m.bytes, p->m.n);
	p->written += p->m.n;
	p->m.n = 0;
}

static size_t begin_packet(struct perfetto *p)
{
	return protobuf_begin(&p->m, TRACE_PACKET);
}

static void put_sequence(struct perfetto *p)
{
	protobuf_number(&p->m, PACKET_SEQUENCE, SEQUENCE);
}

static void put_flags(struct perfetto *p)
{
	protobuf_number(&p->m, PACKET_FLAGS, FLAG_NEEDS_STATE | (p->first ? FLAG_CLEARED : 0));
	p->first = false;
}

/* Concatenated, traces of one packet are one trace (protobuf, "Encoding"). */
static void end_packet(struct perfetto *p, size_t packet)
{
	protobuf_end(&p->m, packet);
	if (p->m.n > FULL)
		flush(p);
}

/* Numbers of a process, and of a thread or CPU in it; 0 is the track of the whole trace. */
static uint64_t uuid_of(int pid, int64_t tid)
{
	return (uint64_t)((int64_t)pid + 1) << 32 | (uint32_t)(tid + 2);
}

#define NO_TID	(-2)	/* CPUs begin with -1, all of them */

/* A track of its own: `parent` or, if it is of threads, a process or a thread with its numbers. */
static void put_track(struct perfetto *p, const struct event_track *t, const char *name,
		      bool process)
{
	const size_t packet = begin_packet(p);
	size_t track, owner;

	put_sequence(p);
	put_flags(p);
	track = protobuf_begin(&p->m, PACKET_TRACK);
	protobuf_number(&p->m, TRACK_UUID, uuid_of(t->pid, process ? NO_TID : t->tid));
	if (t->thread) {
		owner = protobuf_begin(&p->m, process ? TRACK_PROCESS : TRACK_THREAD);
		protobuf_number(&p->m, process ? PROCESS_PID : THREAD_PID,
				(uint64_t)(int64_t)t->pid);
		if (!process)
			protobuf_number(&p->m, THREAD_TID, (uint64_t)(int64_t)(int)t->tid);
		protobuf_text(&p->m, process ? PROCESS_NAME : THREAD_NAME, name_shown(name));
		protobuf_end(&p->m, owner);
	} else {
		protobuf_text(&p->m, TRACK_NAME, name_shown(name));
		if (!process)
			protobuf_number(&p->m, TRACK_PARENT, uuid_of(t->pid, NO_TID));
	}
	protobuf_end(&p->m, track);
	end_packet(p, packet);
}

static void on_process(void *data, const struct event_track *t, const char *name)
{
	put_track(data, t, name, true);
}

static void on_track(void *data, const struct event_track *t, const char *name)
{
	put_track(data, t, name, false);
}

static size_t begin_event(struct perfetto *p, uint64_t time)
{
	protobuf_number(&p->m, PACKET_TIMESTAMP, time);
	put_sequence(p);
	return protobuf_begin(&p->m, PACKET_EVENT);
}

static void on_end(void *data, const struct event_track *t, uint64_t time)
{
	struct perfetto *p = data;
	const size_t packet = begin_packet(p), event = begin_event(p, time);

	protobuf_number(&p->m, EVENT_TYPE, TYPE_END);
	protobuf_number(&p->m, EVENT_TRACK, uuid_of(t->pid, t->tid));
	protobuf_end(&p->m, event);
	put_flags(p);
	end_packet(p, packet);
}

/* The number of a name. One that was not written before goes with this packet. */
static uint64_t number_of(struct perfetto *p, struct strings *s, const char *text,
			  unsigned int field)
{
	const size_t before = s->n;
	const uint32_t i = strings_number(s, text);
	size_t begin;

	if (s->n != before) {
		begin = protobuf_begin(&p->new, field);
		protobuf_number(&p->new, NAME_NUMBER, (uint64_t)i + 1);
		protobuf_text(&p->new, NAME_TEXT, text);
		protobuf_end(&p->new, begin);
	}
	return (uint64_t)i + 1;
}

static void put_arg(struct perfetto *p, const struct event_arg *a, uint64_t key)
{
	const size_t begin = protobuf_begin(&p->m, EVENT_ARG);

	protobuf_number(&p->m, ARG_NAME, key);
	if (a->text)
		protobuf_text(&p->m, ARG_TEXT, name_shown(a->text));
	else
		protobuf_number(&p->m, ARG_NUMBER, a->number);
	protobuf_end(&p->m, begin);
}

static void on_event(void *data, const struct event *e)
{
	struct perfetto *p = data;
	const uint64_t category = number_of(p, &p->categories, e->category, INTERNED_CATEGORY);
	const uint64_t name = number_of(p, &p->names, name_shown(e->name), INTERNED_NAME);
	const size_t packet = begin_packet(p), event = begin_event(p, e->begin);
	unsigned int i;

	protobuf_number(&p->m, EVENT_CATEGORY, category);
	for (i = 0; i < e->nr_args; i++)
		put_arg(p, &e->args[i], number_of(p, &p->keys, e->args[i].key, INTERNED_KEY));
	protobuf_number(&p->m, EVENT_TYPE, e->instant ? TYPE_INSTANT : TYPE_BEGIN);
	protobuf_number(&p->m, EVENT_NAME, name);
	protobuf_number(&p->m, EVENT_TRACK, uuid_of(e->track.pid, e->track.tid));
	protobuf_end(&p->m, event);
	if (p->new.n)
		protobuf_bytes(&p->m, PACKET_INTERNED, p->new.bytes, p->new.n);
	p->new.n = 0;
	put_flags(p);
	end_packet(p, packet);
}

uint64_t timeline_perfetto(const struct timeline *t, struct pd_output *out)
{
	static const struct event_sink sink = { on_process, on_track, on_event, on_end };
	struct perfetto p = { .out = out, .first = true };

	timeline_events(t, &sink, &p);
	flush(&p);
	strings_free(&p.categories);
	strings_free(&p.names);
	strings_free(&p.keys);
	protobuf_free(&p.m);
	protobuf_free(&p.new);
	return p.written;
}
