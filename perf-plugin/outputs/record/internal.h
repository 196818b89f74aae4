/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - parts of a plan. */
#ifndef CSTRACE_OUTPUTS_RECORD_INTERNAL_H
#define CSTRACE_OUTPUTS_RECORD_INTERNAL_H

#include "outputs/record/record.h"

enum {
	RECORD_STROBES = 1 << 0, /* a sample of the trace is enough */
	RECORD_TIMES = 1 << 1, /* of no use without timestamps */
	RECORD_KERNEL = 1 << 2, /* needs the kernel's code */
	RECORD_SNAPSHOT = 1 << 3,
};

struct purpose {
	const char *name;
	enum target_ability ability;
	const char *modifier;
	unsigned int ms;
	unsigned int flags;
	const char *home;
};

const struct purpose *purpose_of(enum record_purpose purpose);

/* What is decided before words are written. */
struct choice {
	const struct target *t;
	const struct record_ask *ask;
	const struct purpose *purpose;
	unsigned int perf_version; /* 100 * major + minor */
	uint32_t cpus; /* that have buffers */
	bool per_thread; /* buffers of threads, not of CPUs */
	bool contextid, timestamp; /* trace units have them, and perf takes them */
	bool strobes;
	unsigned int preset, period; /* of strobing: one window in `period` */
};

/* Adds a line, formatted. */
void lines_add(struct record_lines *lines, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* event.c: the event with its terms, "cs_etm/contextid,timestamp/u", to be freed; notes say why. */
char *record_event_text(const struct choice *c, struct record_lines *notes);
/* event.c: chooses strobing for the number of CPUs. */
void choose_strobing(struct choice *c);

/* buffers.c: why the user's buffers are too small, to be freed; NULL: they are not. */
char *refuse_buffers(const struct choice *c);
/* buffers.c: the value of -m, to be freed; notes say why. */
char *buffers_text(const struct choice *c, struct record_lines *notes);

/* cpus.c: the number of online CPUs that can be traced; all of them: *some is false. */
uint32_t traceable_cpus(const struct target *t, bool *some);
/* Their list, "0-3,5", to be freed. */
char *traceable_list(const struct target *t);

#endif
