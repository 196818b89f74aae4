/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sideband.h - what goes from the input to the output of inject unchanged in meaning: events other than the
 * trace, their samples, and the records about processes, maps and switches.
 */
#ifndef CSTRACE_SYNTH_SIDEBAND_H
#define CSTRACE_SYNTH_SIDEBAND_H

#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "synth/merge.h"

/* Order at the same time: who lives, what runs, who dies. */
enum sideband_rank {
	SIDEBAND_RANK_BEFORE,
	SIDEBAND_RANK_SAMPLES,
	SIDEBAND_RANK_EXIT,
};

struct sideband;

/* `pmu`: type of the trace events, which are left out. NULL when memory is short. */
struct sideband *sideband_new(struct perfdata *pd, uint32_t pmu);
void sideband_free(struct sideband *sb);

/* Records have times; if not, the order of the file is all there is and stands for time. */
bool sideband_timed(const struct sideband *sb);
/* An id that no event of the input has. */
uint64_t sideband_new_id(const struct sideband *sb);

/* Add the events that stay to the writer. 0, or negative with `err` filled. */
int sideband_add_attrs(struct sideband *sb, struct perf_writer *w, struct error *err);

struct sideband_opts {
	uint64_t id, sample_type;	/* of records of the trace event in the output */
	/*
	 * Put the ends of threads behind everything else: samples have the times of AUX records, which were written
	 * after the threads had ended. perf 6.12 has no names for the samples of a thread that has ended.
	 */
	bool exits_last;
	bool switches;			/* copy records of context switches, which readers of AutoFDO do not know */
};

/*
 * Read the whole input and put what stays into lanes of `m`. 0, or negative with `err` filled. The position is
 * back at the start afterwards.
 */
int sideband_collect(struct sideband *sb, struct merge *m, const struct sideband_opts *o, struct error *err);

/* Times of the first and the last copied sample; false: none has a time. */
bool sideband_sample_span(const struct sideband *sb, uint64_t *first, uint64_t *last);

/*
 * A thread that has ended by `time` cannot have run then: the time of its end, if it was not born
 * again, else `time`.
 */
uint64_t sideband_alive(const struct sideband *sb, int tid, uint64_t time);

#endif
