/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * losses.h - what was not decoded, by cause, and by the CPU, the process and the file that it was lost of.
 * Sums per cause are exact. The tables keep a bounded number of rows: the small ones are added up.
 */
#ifndef CSTRACE_LOSSES_LOSSES_H
#define CSTRACE_LOSSES_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cstrace/flow.h>
#include <cstrace/frame.h>

enum loss {
#define LOSS(name, kind, counted, why, cure) LOSS_##name,
#include "losses/losses.def"
#undef LOSS
	NR_LOSSES
};

enum session_recorder { RECORDER_PERF, RECORDER_SIMPLEPERF, RECORDER_SNAPSHOT };

enum loss_kind { LOSS_KIND_FILE, LOSS_KIND_TRACE, LOSS_KIND_CODE, LOSS_KIND_FLOW };

struct loss_amount {
	uint64_t count;		/* in the cause's own unit */
	uint64_t bytes;		/* of trace, from the loss to where execution is known again */
};

#define LOSS_COMM 16

/* One cause at one CPU, or in one process. */
struct loss_row {
	int number;		/* of the CPU or process; -1: not known */
	uint8_t cause;		/* enum loss */
	char comm[LOSS_COMM];	/* of the process */
	struct loss_amount amount;
};

/* LOST records of one CPU's event buffer. */
struct lost_cpu {
	int cpu;		/* -1: not known, or of CPUs beyond NR_LOST_CPUS */
	uint64_t count;
	uint64_t first, last;	/* times at which the recorder noticed; UINT64_MAX: none known */
};

#define NR_LOST_CPUS 256

#define LOSS_ROWS 1024

struct loss_table {
	struct loss_row *rows;
	uint16_t *slot;			/* hash: index of a row plus 1 */
	size_t nr;
	struct loss_amount rest[NR_LOSSES]; /* of rows that were given up */
	uint64_t given_up;
};

struct losses {
	struct loss_amount cause[NR_LOSSES];
	struct loss_table cpu, process;
	struct {
		uint64_t count, addr;
	} no_map[2];			/* places where nothing was mapped, and the first: user, kernel */
	struct lost_cpu lost[NR_LOST_CPUS + 1];
	unsigned int nr_lost;
	uint64_t lost_records;		/* of all CPUs */
};

struct dso;

/* Number of a CPU or process that has nothing to do with a loss; -1 is one that is not known. */
#define LOSS_NOBODY (-2)

/* 0, or ERR_NOMEM. */
int losses_init(struct losses *ls);
void losses_free(struct losses *ls);
/* All counts are zero, but for those of LOST records. */
void losses_clear(struct losses *ls);
/*
 * The counts of a piece that was decoded elsewhere, behind those of the pieces before it. False: the tables may be too
 * full to give what counting one after the other would have given; nothing was added then.
 */
bool losses_join(struct losses *ls, const struct losses *more);
/* While the file is indexed: `count` records of a CPU were lost. */
void losses_note_lost(struct losses *ls, int cpu, uint64_t time, uint64_t count);

/* Count; cpu and pid are -1 when unknown, comm may be NULL. */
void losses_add(struct losses *ls, enum loss cause, int cpu, int pid, const char *comm, uint64_t count,
		uint64_t bytes);

enum loss_kind loss_kind(enum loss cause);
const char *loss_name(enum loss cause);
const char *loss_counted(enum loss cause);
const char *loss_why(enum loss cause);
/* What helps against it, in terms of what recorded the trace; NULL: nothing. */
const char *loss_cure(enum loss cause, enum session_recorder by);
/* Why code of a file is missing. */
enum loss loss_of_dso(const struct dso *d);

/* A decode tree is done: its frames (NULL: none) and the bytes that no decoder was there for. */
void losses_queue_end(struct losses *ls, int cpu, const struct cst_frame_stats *fs, uint64_t unrouted);

/* All places without code. */
uint64_t losses_missing_code(const struct losses *ls);
/* Is there any? */
bool losses_any(const struct losses *ls);

#endif
