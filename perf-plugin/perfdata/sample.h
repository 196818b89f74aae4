/* SPDX-License-Identifier: GPL-2.0-only */
/* sample.h - the sample_id trailer of kernel records, and PERF_RECORD_SAMPLE. */
#ifndef CSTRACE_PERFDATA_SAMPLE_H
#define CSTRACE_PERFDATA_SAMPLE_H

#include "perfdata/records.h"

#define PD_SAMPLE_ID_MASK	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | \
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define PD_SAMPLE_ID_MAX	48u

struct pd_sample_id {
	uint64_t valid;		/* PERF_SAMPLE_* bits of the fields that the record has */
	uint32_t pid, tid;
	uint32_t cpu;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
};

struct pd_sample {
	struct pd_sample_id sid;
	uint64_t ip;
	uint64_t addr;
	uint64_t period;
	const uint64_t *callchain;	/* @nr_callchain entries */
	uint64_t nr_callchain;
	const void *raw;		/* tracepoint data; NULL when the byte order differs */
	uint32_t raw_size;
	const struct perf_branch_entry *branches;
	uint64_t nr_branches;
	uint64_t aux_size;	/* bytes of the AUX window (PERF_SAMPLE_AUX) ... */
	uint32_t aux_at;	/* ... and where in the record they are */
};

/* Bytes of the trailer that records other than samples carry. */
unsigned int pd_sample_id_size(uint64_t sample_type);

/* Read the trailer that ends at @end. */
void pd_sample_id_parse(uint64_t sample_type, const void *end, struct pd_sample_id *sid);

/* Write the trailer; returns its size. Fields that are not valid in @sid are written as given. */
unsigned int pd_sample_id_write(void *dst, uint64_t sample_type, const struct pd_sample_id *sid);

/* Turn the trailer that ends at @end into host byte order. */
void pd_sample_id_swap(uint64_t sample_type, void *end);

/* After all 64-bit words of a sample were swapped: put its pairs of 32-bit fields right. */
void pd_sample_fix_pairs(uint64_t sample_type, union perf_event *ev);

/*
 * Parse a sample up to its branch stack, and up to its AUX window if it has one. @swapped says that
 * the file has the other byte order (@ev itself is native). False when the record is too small for
 * @attr.
 */
bool pd_sample_parse(const struct perf_event_attr *attr, const union perf_event *ev, bool swapped,
		     struct pd_sample *s);

/* Where the fields of a sample are, or would be if the event had them, in bytes from its start. */
struct pd_sample_places {
	uint32_t callchain, branches;
};

/* Finds them. False when the record is too small for @attr. */
bool pd_sample_places(const struct perf_event_attr *attr, const union perf_event *ev, bool swapped,
		      struct pd_sample_places *at);

#endif
