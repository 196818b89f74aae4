/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * losses.h - what was not decoded, by cause, and by the CPU, the process and the file that it was lost of.
 * Sums per cause are exact. The tables keep a bounded number of rows: the small ones are added up.
 */
#ifndef CSTRACE_SESSION_LOSSES_H
#define CSTRACE_SESSION_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cstrace/flow.h>
#include <cstrace/frame.h>

enum loss {
#define LOSS(name, kind, counted, why, cure) LOSS_##name,
#include "session/losses.def"
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
	uint64_t first, last;	/* times at which the recorder noticed; NO_TIME: none known */
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
};

struct dso;
struct fragment;
struct session;
struct stream_state;

/* Number of a CPU or process that has nothing to do with a loss; -1 is one that is not known. */
#define LOSS_NOBODY (-2)

/* An open loss of a stream: from `from` on nothing is known, until the next range. */
struct loss_gap {
	uint64_t from;
	uint64_t unsynced;	/* statistics at that point */
	int pid;
	char comm[LOSS_COMM];
	struct dso *dso;	/* whose code is missing */
	uint8_t cause;
	bool open;
};

/* -1: no memory. */
int losses_init(struct losses *ls);
void losses_free(struct losses *ls);
/* Before a run: only what the file itself lost, but for AUX records whose fragments a filter may skip. */
void losses_start(struct session *ss);
/* All counts are zero. */
void losses_clear(struct losses *ls);
/*
 * The counts of a piece that was decoded elsewhere, behind those of the pieces before it. False: the tables may be too
 * full to give what counting one after the other would have given; nothing was added then.
 */
bool losses_join(struct losses *ls, const struct losses *more);
/* A fragment was not skipped: what its AUX record says was lost counts. */
void losses_fragment(struct session *ss, const struct fragment *f);

/* While the file is indexed: `count` records of a CPU were lost. */
void losses_note_lost(struct session *ss, int cpu, uint64_t time, uint64_t count);

/* Count; cpu and pid are -1 when unknown, comm may be NULL. */
void losses_add(struct losses *ls, enum loss cause, int cpu, int pid, const char *comm, uint64_t count,
		uint64_t bytes);

/* A batch came out of a stream: cheap when it lost nothing. Before the stream's context moves on. */
void losses_batch(struct stream_state *st, const struct cst_generic *g, size_t n);
/* What a stream lost until now does not count. */
void losses_forget(struct stream_state *st);
/* The AUX fragment is over, or the stream is. */
void losses_fragment_end(struct stream_state *st);

enum loss_kind loss_kind(enum loss cause);
const char *loss_name(enum loss cause);
const char *loss_counted(enum loss cause);
const char *loss_why(enum loss cause);
/* What helps against it, in terms of what recorded the trace; NULL: nothing. */
const char *loss_cure(enum loss cause, enum session_recorder by);
/* Why code of a file is missing. */
enum loss loss_of_dso(const struct dso *d);

/* A decode tree is done: its frames (NULL: none) and the bytes that no decoder was there for. */
void losses_queue_end(struct session *ss, int cpu, const struct cst_frame_stats *fs, uint64_t unrouted);

/* losses_report.c: all places without code. */
uint64_t losses_missing_code(const struct losses *ls);
/* "12 bytes of trace, 3.4 %"; nothing for none. */
void session_print_share(const struct session *ss, uint64_t bytes, FILE *out);
/* Causes with their cures, then who lost what. `all`: whole lists. */
void losses_print(const struct session *ss, FILE *out, bool all);

#endif
