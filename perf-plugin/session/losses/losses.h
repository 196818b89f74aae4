/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * losses.h - losses, that is trace and records that were not decoded, by cause and by CPU, process and file. Sums per
 * cause are exact. The tables have a bounded number of rows; the smallest ones are added up.
 */
#ifndef CSTRACE_SESSION_LOSSES_LOSSES_H
#define CSTRACE_SESSION_LOSSES_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cstrace/flow.h>
#include <cstrace/frame.h>

enum loss {
#define LOSS(name, kind, counted, why) LOSS_##name,
#include "session/losses/losses.def"
#undef LOSS
	NR_LOSSES
};

enum session_recorder { RECORDER_PERF, RECORDER_SIMPLEPERF, RECORDER_SNAPSHOT };

enum loss_kind { LOSS_KIND_FILE, LOSS_KIND_TRACE, LOSS_KIND_CODE, LOSS_KIND_FLOW };

struct loss_amount {
	uint64_t count;		/* in the unit of the cause (losses.def) */
	uint64_t bytes;		/* bytes of trace from the loss to the next known address */
};

#define LOSS_COMM 16

/* One cause on one CPU, or in one process. */
struct loss_row {
	int number;		/* CPU or process; -1: unknown */
	uint8_t cause;		/* enum loss */
	char comm[LOSS_COMM];	/* name of the process */
	struct loss_amount amount;
};

/* LOST records of one CPU's event buffer. */
struct lost_cpu {
	int cpu;		/* -1: unknown, or one beyond NR_LOST_CPUS */
	uint64_t count;
	uint64_t first, last;	/* times of the LOST records; UINT64_MAX: unknown */
};

#define NR_LOST_CPUS 256

#define LOSS_ROWS 1024

struct loss_table {
	struct loss_row *rows;
	uint16_t *slot;			/* hash table: row index plus 1 */
	size_t nr;
	struct loss_amount rest[NR_LOSSES]; /* sums of rows that were removed */
	uint64_t given_up;
};

struct losses {
	struct loss_amount cause[NR_LOSSES];
	struct loss_table cpu, process;
	struct {
		uint64_t count, addr;
	} no_map[2];			/* addresses without a map, and the first of them: user, kernel */
	struct lost_cpu lost[NR_LOST_CPUS + 1];
	unsigned int nr_lost;
	uint64_t lost_records;		/* records lost on all CPUs */
};

struct dso;

/* number for a loss that does not belong to any CPU or process; -1: unknown */
#define LOSS_NOBODY (-2)

void losses_init(struct losses *ls);
void losses_free(struct losses *ls);
/* Clears all counts except those of LOST records. */
void losses_clear(struct losses *ls);
/*
 * Adds the counts of a part that was decoded in parallel, after the parts before it. Returns false, without a change,
 * if the tables may be too full to give the result of counting in sequence.
 */
bool losses_join(struct losses *ls, const struct losses *more);
/* Notes, while the file is indexed, that `count` records of a CPU were lost. */
void losses_note_lost(struct losses *ls, int cpu, uint64_t time, uint64_t count);

/* Counts a loss; cpu and pid are -1 if unknown, comm may be NULL. */
void losses_add(struct losses *ls, enum loss cause, int cpu, int pid, const char *comm, uint64_t count,
		uint64_t bytes);

enum loss_kind loss_kind(enum loss cause);
const char *loss_name(enum loss cause);
const char *loss_counted(enum loss cause);
/* Why something was lost, in words that fit what made the recording. */
const char *loss_reason(enum loss cause, enum session_recorder by);
/* Returns the cause for which code of a file is missing. */
enum loss loss_of_dso(const struct dso *d);

/* Adds the statistics of a decode tree at its end: frames (NULL: none), and bytes without a decoder. */
void losses_queue_end(struct losses *ls, int cpu, const struct cst_frame_stats *fs, uint64_t unrouted);

/* Returns the number of addresses without code. */
uint64_t losses_missing_code(const struct losses *ls);
/* Sets these numbers to 0, and those of atoms and ranges that cannot be followed without it. */
void losses_forget_code(struct losses *ls);
/* True if anything was lost. */
bool losses_any(const struct losses *ls);

#endif
