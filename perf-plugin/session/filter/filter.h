/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - the part of a recording that --time, --cpu, --pid, --tid and --comm select; all options given must match.
 * The options are parsed twice: at the command line, so that wrong usage is reported before a file is opened, and with
 * the file, to whose times percentages refer.
 */
#ifndef CSTRACE_SESSION_FILTER_FILTER_H
#define CSTRACE_SESSION_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_FOREVER UINT64_MAX

/* Arguments of the options; NULL: not given. */
struct filter_opts {
	const char *time;	/* A,B [A,B ...] in seconds, or A%-B%, A%/N */
	const char *cpu;	/* 0-3,5 */
	const char *pid, *tid;	/* 100,102 */
	const char *comm;	/* NAME,NAME */
};

enum filter_word { FILTER_TIME, FILTER_CPU, FILTER_PID, FILTER_TID, FILTER_COMM };

/* Checks the argument of an option. Returns false with a message that has the text found and the form expected. */
bool filter_check(enum filter_word word, const char *text, char *msg, size_t len);

struct filter;
struct comms;
struct perfdata;

/*
 * survey.c: creates a filter with all that it needs of the recording; `name` is the input's, for messages. *f NULL:
 * everything is selected. The caller frees *f, also on error. Returns 0, or ERR_REPORTED after a message.
 */
int filter_open(struct filter **f, const struct filter_opts *o, struct perfdata *pd, const char *name);

/* Creates a filter from arguments that were checked. *f NULL: everything is selected. */
void filter_new(struct filter **f, const struct filter_opts *o);
void filter_free(struct filter *f);

/* True if the filter has percentages, which refer to the time from `first` to `last`. */
bool filter_needs_span(const struct filter *f);
void filter_set_span(struct filter *f, uint64_t first, uint64_t last);
/* True if the filter has --comm and needs the threads' names over time, which it then owns. */
bool filter_needs_comms(const struct filter *f);
void filter_set_comms(struct filter *f, struct comms *c);

bool filter_has_time(const struct filter *f);
bool filter_cpu(const struct filter *f, int cpu);
/*
 * True if the filter has --pid and must be passed every thread once, to note those of a selected
 * process.
 */
bool filter_needs_threads(const struct filter *f);
void filter_note_thread(struct filter *f, int pid, int tid);
/* True if the thread may be selected at some time. */
bool filter_thread(const struct filter *f, int tid);
/* True if any time in [from, to] is selected; `to` FILTER_FOREVER: no end is known. */
bool filter_overlaps(const struct filter *f, uint64_t from, uint64_t to);
/* Returns the first time after this one that is selected if it is not, or the other way round. */
uint64_t filter_edge(const struct filter *f, uint64_t time);
/* Returns the last time that is selected. */
uint64_t filter_last(const struct filter *f);
/* True if a selected thread may run between parts that are selected: on other CPUs, or between spans of time. */
bool filter_interrupts(const struct filter *f);
/* True if all options match. */
bool filter_wants(struct filter *f, int cpu, int pid, int tid, uint64_t time);

#endif
