/* SPDX-License-Identifier: GPL-2.0-only */
/* writer_internal.h - shared by writer.c and writer_header.c. */
#ifndef CSTRACE_PERFDATA_WRITER_INTERNAL_H
#define CSTRACE_PERFDATA_WRITER_INTERNAL_H

#include "base/files/output.h"
#include "perfdata/comp.h"
#include "perfdata/writer.h"

/*
 * Records are collected here; one write() per filling. Measured from 128 KiB to 1 MiB the rate is
 * the same (more than 4 GB/s into the page cache), above that it falls: the buffer leaves the
 * second-level cache.
 */
#define PW_BUFFER	(128u << 10)

struct pw_attr {
	struct perf_event_attr attr;
	uint64_t *ids;
	uint32_t nr_ids;
	char *name;
};

struct pw_blob {
	bool set;
	uint8_t *data;
	size_t len;
	size_t cap;
};

struct pw_state {
	struct pd_output out;
	bool started;
	struct pw_attr *attrs;
	unsigned int nr_attrs;
	size_t cap_attrs;
	struct pw_blob feat[PD_FEATURE_BITS];
	uint64_t data_offset;
	uint64_t data_bytes;	/* of records, without what is in the buffer */
	uint8_t *buf;
	int level;		/* of the compression; 0: none */
	unsigned int threads;	/* that compress */
	struct pd_comp *comp;	/* compresses what is written now; NULL: nothing does */
};

/* Compresses the records from here on, if the writer has a level; the other one ends that. */
void pw_compression_begin(struct perf_writer *w);
void pw_compression_end(struct perf_writer *w);

/* writer_header.c */
void pw_header_start(struct perf_writer *w);	/* file: header, ids, attrs. Pipe: records */
void pw_header_finish(struct perf_writer *w);	/* features and the final header */
void pw_pipe_feature(struct perf_writer *w, unsigned int bit);
void pw_compression_feature(struct perf_writer *w);

#endif
