/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto.c - a timeline as a trace of Perfetto: packets with the begin and the end of each slice (perfetto.dev,
 * "Writing TrackEvent Protos Synthetically"). Names are written once, and referred to by number (interned data).
 */
#include "outputs/timeline/perfetto.h"

#ifdef HAVE_PROTOBUF_C

#include <perfetto.pb-c.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/name.h"
#include "base/strings.h"
#include "outputs/timeline/events.h"

#define SEQUENCE	1u	/* all packets are of one writer */
#define FULL	65536u	/* bytes in the buffer, unless one packet is larger */

struct perfetto {
	struct pd_output *out;	/* NULL: only counted */
	uint64_t written;
	bool first, failed;
	struct strings categories, names, keys;
	uint8_t *buf;		/* packets that are not written yet */
	size_t fill, size;
};

static void flush(struct perfetto *p)
{
	if (p->out && p->fill)
		pd_output_write(p->out, p->buf, p->fill);
	p->written += p->fill;
	p->fill = 0;
}

/* Writes a trace of one packet: concatenated, they are one trace (protobuf, "Encoding"). */
static void put(struct perfetto *p, Perfetto__Protos__TracePacket *packet)
{
	Perfetto__Protos__Trace trace = PERFETTO__PROTOS__TRACE__INIT;
	size_t n;

	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_sequence_flags = 1;
	packet->sequence_flags = PERFETTO__PROTOS__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	if (p->first)
		packet->sequence_flags |= PERFETTO__PROTOS__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	p->first = false;
	trace.n_packet = 1;
	trace.packet = &packet;
	n = perfetto__protos__trace__get_packed_size(&trace);
	if (p->fill + n > FULL)
		flush(p);
	while (p->size < p->fill + n)
		if (!array_reserve(&p->buf, p->size, &p->size, 1)) {
			p->failed = true;
			return;
		}
	p->fill += perfetto__protos__trace__pack(&trace, p->buf + p->fill);
}

/* Numbers of a process, and of a thread or CPU in it; 0 is the track of the whole trace. */
static uint64_t uuid_of(int pid, int64_t tid)
{
	return (uint64_t)((int64_t)pid + 1) << 32 | (uint32_t)(tid + 2);
}

#define NO_TID	(-2)	/* CPUs begin with -1, all of them */

static void on_process(void *data, const struct event_track *t, const char *name)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__TrackDescriptor track = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__ProcessDescriptor process = PERFETTO__PROTOS__PROCESS_DESCRIPTOR__INIT;
	char *text = (char *)name_shown(name);

	packet.track_descriptor = &track;
	track.has_uuid = 1;
	track.uuid = uuid_of(t->pid, NO_TID);
	if (t->thread) {
		track.process = &process;
		process.has_pid = 1;
		process.pid = t->pid;
		process.process_name = text;
	} else {
		track.name = text;
	}
	put(data, &packet);
}

static void on_track(void *data, const struct event_track *t, const char *name)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__TrackDescriptor track = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__ThreadDescriptor thread = PERFETTO__PROTOS__THREAD_DESCRIPTOR__INIT;
	char *text = (char *)name_shown(name);

	packet.track_descriptor = &track;
	track.has_uuid = 1;
	track.uuid = uuid_of(t->pid, t->tid);
	if (t->thread) {
		track.thread = &thread;
		thread.has_pid = thread.has_tid = 1;
		thread.pid = t->pid;
		thread.tid = t->tid;
		thread.thread_name = text;
	} else {
		track.has_parent_uuid = 1;
		track.parent_uuid = uuid_of(t->pid, NO_TID);
		track.name = text;
	}
	put(data, &packet);
}

static void on_end(void *data, const struct event_track *t, uint64_t time)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;

	packet.has_timestamp = 1;
	packet.timestamp = time;
	packet.track_event = &event;
	event.has_type = event.has_track_uuid = 1;
	event.type = PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	event.track_uuid = uuid_of(t->pid, t->tid);
	put(data, &packet);
}

/* Names of one kind that an event refers to for the first time. */
struct new_names {
	Perfetto__Protos__InternedName name[EVENT_ARGS], *names[EVENT_ARGS];
	size_t n;
};

/* The number of a name. If it was not written before, it becomes one of `new`. */
static uint64_t number_of(struct perfetto *p, struct strings *s, const char *text, struct new_names *new)
{
	const size_t before = s->n;
	const uint32_t i = strings_number(s, text);
	Perfetto__Protos__InternedName *name = &new->name[new->n];

	p->failed |= i == STRINGS_NONE;
	if (s->n != before) {
		perfetto__protos__interned_name__init(name);
		name->has_iid = 1;
		name->iid = (uint64_t)i + 1;
		name->name = (char *)text;
		new->names[new->n++] = name;
	}
	return (uint64_t)i + 1;
}

static void on_event(void *data, const struct event *e)
{
	struct perfetto *p = data;
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	Perfetto__Protos__DebugAnnotation arg[EVENT_ARGS], *args[EVENT_ARGS];
	struct new_names categories = { .n = 0 }, names = { .n = 0 }, keys = { .n = 0 };
	Perfetto__Protos__InternedData interned = PERFETTO__PROTOS__INTERNED_DATA__INIT;
	uint64_t category = number_of(p, &p->categories, e->category, &categories);
	unsigned int i;

	event.n_category_iids = 1;
	event.category_iids = &category;
	event.has_name_iid = event.has_type = event.has_track_uuid = 1;
	event.name_iid = number_of(p, &p->names, name_shown(e->name), &names);
	event.type = e->instant ? PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_INSTANT
				: PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
	event.track_uuid = uuid_of(e->track.pid, e->track.tid);
	for (i = 0; i < e->nr_args; i++) {
		perfetto__protos__debug_annotation__init(&arg[i]);
		args[i] = &arg[i];
		arg[i].has_name_iid = 1;
		arg[i].name_iid = number_of(p, &p->keys, e->args[i].key, &keys);
		arg[i].has_uint_value = !e->args[i].text;
		arg[i].uint_value = e->args[i].number;
		arg[i].string_value = e->args[i].text ? (char *)name_shown(e->args[i].text) : NULL;
	}
	event.n_debug_annotations = e->nr_args;
	event.debug_annotations = args;
	packet.has_timestamp = 1;
	packet.timestamp = e->begin;
	packet.track_event = &event;
	interned.n_event_categories = categories.n;
	interned.event_categories = categories.names;
	interned.n_event_names = names.n;
	interned.event_names = names.names;
	interned.n_debug_annotation_names = keys.n;
	interned.debug_annotation_names = keys.names;
	packet.interned_data = categories.n + names.n + keys.n ? &interned : NULL;
	put(p, &packet);
}

uint64_t timeline_perfetto(const struct timeline *t, struct pd_output *out)
{
	static const struct event_sink sink = { on_process, on_track, on_event, on_end };
	struct perfetto p = { .out = out, .first = true };

	p.failed |= !timeline_events(t, &sink, &p);
	flush(&p);
	strings_free(&p.categories);
	strings_free(&p.names);
	strings_free(&p.keys);
	free(p.buf);
	return p.failed ? UINT64_MAX : p.written;
}

#endif
