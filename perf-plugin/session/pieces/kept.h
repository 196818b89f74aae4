/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept.h - the records of a pipe that pieces need, in the order of the pipe: those about the
 * recording, its threads and maps for as long as it lasts, switches as long as trace of their time
 * may come, AUX records until their trace is there.
 */
#ifndef CSTRACE_SESSION_PIECES_KEPT_H
#define CSTRACE_SESSION_PIECES_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"
#include "perfdata/reader.h"

/* Switches that are kept; the oldest of more are dropped. */
#define KEPT_SWITCHES 200000u

enum keep {
	KEEP_NOT,	/* no piece needs it */
	KEEP_ALWAYS,
	KEEP_SWITCH,	/* which thread runs: until the trace of its CPU is later than the next */
	KEEP_ONCE,	/* for the next piece alone */
	KEEP_AUX,	/* an AUX record: for the piece with its trace */
	KEEP_BEFORE,	/* a PD_RECORD_CST_AUX_BEFORE, until there is a later one of its buffer */
};

struct kept {
	uint8_t *bytes;
	uint32_t size;
	uint8_t keep;	/* enum keep */
	int cpu;	/* KEEP_SWITCH */
	uint64_t time;	/* NO_TIME: none */
};

struct kept_list {
	struct kept **v;
	size_t nr, cap;
	uint64_t bytes;
	size_t switches;
	struct intmap cpus;	/* struct kept_cpu */
	struct intmap threads;	/* whose process a record names that is kept always, a set */
	bool outsiders;	/* a record is kept in which one thread 0 follows another */
	uint64_t dropped;	/* time of the last one dropped for want of room; 0: none was */
};

/* What a record is kept for. */
enum keep kept_how(const struct pd_record *rec);
/*
 * Adds a record with the bytes behind it that its size does not count; returns it, or NULL if it is
 * not kept.
 */
struct kept *kept_add(struct kept_list *l, const struct pd_record *rec);
/* Gives a record other contents, of the same size or less. */
void kept_replace(struct kept_list *l, struct kept *k, const void *bytes, uint32_t size,
		  enum keep keep);

/*
 * After a piece: drops what was for that piece alone, records that are KEEP_NOT by now, and
 * switches before `since` of their CPU but the last ones there.
 */
void kept_drop(struct kept_list *l, uint64_t (*since)(const void *data, int cpu), const void *data);
void kept_free(struct kept_list *l);

#endif
