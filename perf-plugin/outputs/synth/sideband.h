/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sideband.h - copies the input's records that inject keeps: events other than the trace, their samples, and records
 * about processes, maps and switches.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_SIDEBAND_H
#define CSTRACE_OUTPUTS_SYNTH_SIDEBAND_H

#include "outputs/synth/history.h"
#include "outputs/synth/merge.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"

/*
 * Order of records at the same time: history of threads (history.h), begins of threads and samples
 * of the input, new samples, exits of threads.
 */
enum sideband_rank {
	SIDEBAND_RANK_HISTORY,
	SIDEBAND_RANK_BEFORE,
	SIDEBAND_RANK_SAMPLES,
	SIDEBAND_RANK_EXIT,
};

struct sideband;

/* `pmu`: type of the trace events, which are left out. */
struct sideband *sideband_new(struct perfdata *pd, uint32_t pmu);
void sideband_free(struct sideband *sb);

/* True if records have times; otherwise their order in the file is used as time. */
bool sideband_timed(const struct sideband *sb);
/* Returns the first of `n` ids that no event of the input has. */
uint64_t sideband_new_id(const struct sideband *sb, unsigned int n);

/* Fields for the samples of events that do not have them. */
struct sideband_add {
	uint64_t sample_type; /* PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK */
	uint64_t branch_sample_type;
	struct history *history; /* gets the samples that sideband_collect() finds */
};

/*
 * Before each sample whose event does not have the fields there will be a struct join_mark
 * (join.h). `add` is copied; to be called before sideband_add_attrs().
 */
void sideband_add_fields(struct sideband *sb, const struct sideband_add *add);

/* Adds the events that are kept to the writer. Returns 0, or negative with `err` filled. */
int sideband_add_attrs(struct sideband *sb, struct perf_writer *w, struct error *err);

struct sideband_opts {
	uint64_t id, sample_type;	/* of records of the trace event in the output */
	/*
	 * write exits of threads after all other records: samples have the times of AUX records, which are later than
	 * the exits, and perf 6.12 does not show names for samples after the exit
	 */
	bool exits_last;
	bool switches;			/* copy context switch records, which AutoFDO's readers do not support */
};

/*
 * Reads the whole input and adds the records that are kept to lanes of `m`. Resets the position to
 * the start.
 */
void sideband_collect(struct sideband *sb, struct merge *m, const struct sideband_opts *o);

/*
 * Number of samples that are not copied since perf would refuse their events: the events' entries in the header are damaged, or
 * the samples have fields that this program does not know. Valid after sideband_collect().
 */
uint64_t sideband_unknown_samples(const struct sideband *sb);
/*
 * Number of samples that are not copied since their records have no room for what is added. Valid
 * after sideband_collect().
 */
uint64_t sideband_large_samples(const struct sideband *sb);
/* Returns the times of the first and the last copied sample; false: none has a time. */
bool sideband_sample_span(const struct sideband *sb, uint64_t *first, uint64_t *last);

/*
 * Returns `time`, or the exit time of a thread that has exited before and was not created again, since it cannot run
 * after it.
 */
uint64_t sideband_alive(const struct sideband *sb, int tid, uint64_t time);

#endif
