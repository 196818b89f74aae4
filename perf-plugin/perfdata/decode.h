/* SPDX-License-Identifier: GPL-2.0-only */
/* decode.h - payloads of small records: the clock, the owners of sample ids, the owner of a trace ID. */
#ifndef CSTRACE_PERFDATA_DECODE_H
#define CSTRACE_PERFDATA_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "perfdata/reader.h"

struct pd_time_conv {
	uint64_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t cycles;	/* the last two only for counters that wrap below 64 bits */
	uint64_t mask;
	bool usable;		/* the recorder says that zero is valid */
	bool wraps;
};

/* @rec is a TIME_CONV record; short ones of older recorders have no wrap fields. */
void pd_time_conv_parse(struct pd_time_conv *tc, const struct pd_record *rec);

/* Counter ticks to perf time in nanoseconds, and back. */
uint64_t pd_ticks_to_ns(const struct pd_time_conv *tc, uint64_t ticks);
uint64_t pd_ns_to_ticks(const struct pd_time_conv *tc, uint64_t ns);

struct pd_id_entry {
	uint64_t id;
	uint64_t idx;
	int32_t cpu;	/* -1: any */
	int32_t tid;	/* -1: any */
};

/* @rec is an ID_INDEX record; @i runs to its number of entries. */
uint64_t pd_id_index_nr(const struct pd_record *rec);
struct pd_id_entry pd_id_index_entry(const struct pd_record *rec, uint64_t i);

struct pd_hw_id {
	uint8_t trace_id;
	uint32_t sink_id;	/* 0 when the record has none */
	bool has_sink;
	unsigned int minor;
	bool has_cpu;
	uint32_t cpu;
};

/* @rec is an AUX_OUTPUT_HW_ID record; a major version above 0 is refused. */
int pd_hw_id_parse(struct pd_hw_id *id, const struct pd_record *rec, const char *name,
		   struct error *err);

#endif
