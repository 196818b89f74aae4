/* SPDX-License-Identifier: GPL-2.0-only */
/* header.h - what stands around the records of perf.data: events, features, the index of AUX data. */
#ifndef CSTRACE_SESSION_IMPORT_HEADER_H
#define CSTRACE_SESSION_IMPORT_HEADER_H

#include "perfdata/reader.h"
#include "perfdata/writer.h"

/*
 * Events and features of `pd`, whose records were all read once, but for what describes their form. `own`: the
 * output is for this program, and gets sections that perf does not know.
 */
int header_copy(struct perf_writer *w, const struct perfdata *pd, bool own, struct error *err);
#define HEADER_PMU	8	/* type of the event that header_default() adds */
/*
 * An event such as a recorder of trace has, for records that come without one; *a is the event as
 * readers see it. `timed` says whether records have times. `cpus` is one more than the highest CPU
 * number.
 */
int header_default(struct perf_writer *w, struct pd_attr *a, bool timed, uint32_t cpus,
		   struct error *err);
void header_default_attr(struct pd_attr *a, bool timed);
/* True if header_copy() copies this record. */
bool header_has(const struct perfdata *pd, const struct pd_record *rec);

/* Where the AUXTRACE records of an output stand; perf looks for them through an index. */
struct aux_index {
	uint64_t *v;	/* the feature's section: a count, then pairs of position and size */
	size_t nr, cap;
};

/* Before the record is written. */
void aux_index_add(struct aux_index *ix, const struct perf_writer *w);
/* Adds the feature, and frees the index. */
void aux_index_finish(struct aux_index *ix, struct perf_writer *w);

#endif
