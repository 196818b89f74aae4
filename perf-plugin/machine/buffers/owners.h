/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * owners.h - the trace unit that sends a trace ID at a time, from AUX_OUTPUT_HW_ID records and, in recordings made from
 * trace packages, from records that define a trace with its registers. A trace ID may get another owner, and a unit other
 * registers, while a buffer is being filled.
 */
#ifndef CSTRACE_MACHINE_BUFFERS_OWNERS_H
#define CSTRACE_MACHINE_BUFFERS_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_units;
struct queue;
struct queues;
struct pd_record;
struct trace_unit;

/* What names the owner. */
enum id_witness {
	ID_RECORDED,		/* a record, or the metadata */
	/* Assumed without one (assumed.h): */
	ID_BY_BUFFER,		/* the buffer of a CPU holds this ID alone */
	ID_BY_RECORDS,		/* AUX records of a thread's buffer */
	ID_BY_NUMBER,		/* the kernel's numbering */
	ID_OF_EQUALS,		/* unknown CPU, all units are set up alike */
};

/* From `time` on trace ID `id` of a sink belongs to `cpu`. */
struct id_owner {
	uint64_t time, seq;	/* time 0: not recorded, so from the beginning */
	uint32_t sink;
	bool has_sink;
	uint8_t id;
	int cpu, tid;		/* of the record's sample_id */
	struct trace_unit *unit; /* with its own registers; NULL: that of the CPU in the metadata */
	const struct queue *only; /* the buffer that it is known for; NULL: all of its sink */
	uint8_t witness;	/* enum id_witness */
};

/* Records: */
void owners_hw_id(struct trace_units *tu, const struct pd_record *rec);
void owners_define_trace(struct trace_units *tu, const struct pd_record *rec);
/*
 * To be called once, when all records and buffers (@qs) and the metadata are known. Reads the trace, in up to `threads`
 * threads, if IDs are missing (assumed.h).
 */
void owners_finish(struct trace_units *tu, const struct queues *qs, unsigned int threads);
void owners_free(struct trace_units *tu);

/*
 * The owner of an ID in a buffer at a time (UINT64_MAX: not known, then by position in the file): the last
 * one until then, else the first one that there is. NULL: nobody was announced.
 */
const struct id_owner *owners_at(const struct trace_units *tu, const struct queue *q, uint8_t id, uint64_t time,
				 uint64_t seq);
/* The first owner later than `from`, not later than `to` (UINT64_MAX: any). NULL: it does not change hands. */
const struct id_owner *owners_change(const struct trace_units *tu, const struct queue *q, uint8_t id, uint64_t from,
				     uint64_t to);
/* The unit of a CPU as it was defined last; NULL: never. */
struct trace_unit *owners_unit_of_cpu(const struct trace_units *tu, int cpu, uint64_t time, uint64_t seq);

#endif
