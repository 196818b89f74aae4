/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - events of a package's log as records of perf.data; export/event_of.h has the other direction. A record has
 * one event; where its verb and parameters do not give the same bytes again, the event carries the record itself as
 * well, as perf=BYTES, so that nothing is lost. An event that was not made of a record can become several.
 *
 *	declare_process(START, pid, None, None, inherit=PARENT)		fork
 *	declare_process(START, pid, None, None, comm=NAME)		exec
 *	declare_process(CURRENT, pid, None, None, comm=NAME)		name of a process
 *	declare_process(END, pid, None, None)				exit of a process
 *	declare_thread(START or END, tid, pid)				fork and exit of a thread
 *	declare_library(START or CURRENT, pid, base, file, uuid, size=, offset=, prot=, ...)	a map
 *	declare_library(END, pid, base, None, size=)			no map any more
 *	patch_code(0, address, length, <new>, old=<bytes>)		TEXT_POKE
 *	define_trace(START, trace_id, source, sink=)			AUX_OUTPUT_HW_ID
 *	x_comm x_fragment x_itrace_start x_switch x_switch_cpu_wide x_lost x_lost_samples x_time_conv
 *	x_auxtrace_info x_auxtrace					the record of that name; x_fragment is AUX
 *	x_perf(BYTES)							any other record
 *
 * at_pid, at_tid, at_cpu, at_id, at_stream say what the record's sample_id does; its time is the event's.
 */
#ifndef CSTRACE_SESSION_IMPORT_EVENTS_H
#define CSTRACE_SESSION_IMPORT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/event.h>

#include "perfdata/reader.h"
#include "session/import/sources.h"

/* Numbers of 64 bits, of which cst_event_number() takes only those that fit a signed one. */
bool event_unsigned(const struct cst_event *ev, const char *key, uint64_t *value);

/* Why an event could not become a record, or not completely. */
enum event_drop {
	DROP_UNMAP,		/* the end of a library */
	DROP_ASID,
	DROP_TRACE,		/* registers of a trace unit, the end of a trace ID */
	DROP_CODE,		/* code of a process, or code that is not given */
	DROP_SIZE,		/* a map whose size is in no event and no file */
	DROP_BAD,		/* values that no record can hold */
	DROP__COUNT
};

struct record_maker {
	const struct perfdata *header;	/* attrs of the records; NULL: `attr` is the only one */
	const struct pd_attr *attr;
	const struct source_names *sources;
	bool own;			/* private records may be made */
	uint64_t drops[DROP__COUNT];
	/* Takes a record. */
	void (*emit)(void *data, const void *record, size_t size);
	void *data;
	/* Code that patch_code() names: true and *code, valid until the next call. May be NULL. */
	bool (*code)(void *data, struct cst_str id, const uint8_t **code, size_t *len);
	/*
	 * The parts of an image that hold code, one by one, when an event gives no size: true and the map.
	 * NULL, or false at once: not known.
	 */
	bool (*segment)(void *data, const struct cst_event *ev, unsigned int nth, uint64_t *start,
			uint64_t *size, uint64_t *offset);
};

/* Records of an event. `time` is in ns. */
void records_of_event(struct record_maker *m, const struct cst_event *ev, uint64_t time);

#endif
