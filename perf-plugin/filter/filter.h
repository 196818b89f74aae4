/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - which part of a recording is wanted: --time, --cpu, --pid, --tid, --comm. What is given must
 * all hold. The words are parsed twice: where the option is read, so that wrong usage is told before
 * anything is opened, and with the file, whose times percentages refer to.
 */
#ifndef CSTRACE_FILTER_FILTER_H
#define CSTRACE_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_FOREVER UINT64_MAX

/* As given; NULL: not given. */
struct filter_opts {
	const char *time;	/* A,B [A,B ...] in seconds, or A%-B%, A%/N */
	const char *cpu;	/* 0-3,5 */
	const char *pid, *tid;	/* 100,102 */
	const char *comm;	/* NAME,NAME */
};

enum filter_word { FILTER_TIME, FILTER_CPU, FILTER_PID, FILTER_TID, FILTER_COMM };

/* Is `text` right for this option? If not, false and a message that says what was found and expected. */
bool filter_check(enum filter_word word, const char *text, char *msg, size_t len);

struct filter;
struct comms;
struct perfdata;

/*
 * survey.c: a filter with all that it has to know of the recording; `name` is the input's, for messages. *f NULL:
 * everything is wanted; it is the caller's also on error. 0, or ERR_REPORTED after a message.
 */
int filter_open(struct filter **f, const struct filter_opts *o, struct perfdata *pd, const char *name);

/* *f NULL: everything is wanted. 0, or ERR_NOMEM. The words were checked before. */
int filter_new(struct filter **f, const struct filter_opts *o);
void filter_free(struct filter *f);

/* Percentages are of the time from `first` to `last`. */
bool filter_needs_span(const struct filter *f);
void filter_set_span(struct filter *f, uint64_t first, uint64_t last);
/* Names of threads over time, for --comm; the filter frees them. */
bool filter_needs_comms(const struct filter *f);
void filter_set_comms(struct filter *f, struct comms *c);

bool filter_has_time(const struct filter *f);
bool filter_cpu(const struct filter *f, int cpu);
/* Threads that are in a process of the list at any time; 0, or ERR_NOMEM. Told about every thread once. */
bool filter_needs_threads(const struct filter *f);
int filter_note_thread(struct filter *f, int pid, int tid);
/* Can the thread be wanted at any time? */
bool filter_thread(const struct filter *f, int tid);
/* Any moment in [from, to]; `to` FILTER_FOREVER: no end is known. */
bool filter_window(const struct filter *f, uint64_t from, uint64_t to);
/* The last moment that is wanted. */
uint64_t filter_last(const struct filter *f);
/* The whole question. */
bool filter_wants(struct filter *f, int cpu, int pid, int tid, uint64_t time);

#endif
