/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * side.h - events about threads, processes and maps. The records of perf.data are one source of events, each jitdump file
 * is another. The session merges its sources by time; events of the same time are in the order of seq, then of their
 * source, then of the sources.
 */
#ifndef CSTRACE_MACHINE_SIDEBAND_SIDE_H
#define CSTRACE_MACHINE_SIDEBAND_SIDE_H

#include "base/time.h"
#include "machine/images/maps.h"
#include "perfdata/reader.h"

/* Stands for the kernel where a process is meant. */
#define KERNEL_PID (-1)

enum side_kind {
	SIDE_MAP,
	SIDE_UNMAP,	/* something that is not code was mapped there, or nothing is any more */
	SIDE_COMM,
	SIDE_EXEC,	/* COMM of an exec: all maps are gone */
	SIDE_FORK,
	SIDE_THREAD,	/* tid belongs to pid: from any other record */
	SIDE_EXIT,	/* the thread ends; with the last one of a process its maps are gone */
};

struct side_event {
	uint64_t time;		/* 0: none; in a file with times that is before everything else */
	uint64_t seq;		/* position in the file: pd_record.seq of the record it comes from */
	uint64_t number;	/* number within its source; set by the reader */
	int pid, tid;
	uint8_t kind;		/* enum side_kind */
	bool kernel;		/* SIDE_MAP, SIDE_UNMAP: of the kernel's address space, whatever pid says */
	/* SIDE_MAP, SIDE_UNMAP of a process: the memory that was mapped, or changed protection */
	bool anon;		/* it has no file, or a file that cannot be found */
	bool written;		/* it has a file, and the program may write code to it */
	union {
		struct map map;	/* SIDE_MAP, SIDE_UNMAP (without dso) */
		const char *comm; /* valid until the source's next call */
		struct {
			int ppid, ptid;
			bool described;	/* by the recorder: it existed before, and its maps follow */
		} fork;
	};
};

/*
 * Events one by one, as often as they are asked for: every pass gives the same ones, with the same dso
 * pointers. They may come out of order; the first pass finds out how far. A dso that a source made lives
 * as long as the session's table of them.
 */
struct side_source {
	bool (*next)(struct side_source *src, struct side_event *e);	/* false: the end */
	void (*rewind)(struct side_source *src);	/* NULL: nothing is to be done */
	void (*free)(struct side_source *src);	/* NULL: free() does it */
	size_t pos;			/* for `next`: 0 at the begin of each pass */
};

/* An event of a record. */
void side_start(struct side_event *e, const struct pd_record *rec, uint8_t kind, uint32_t pid,
		uint32_t tid);

#endif
