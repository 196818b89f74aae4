/* SPDX-License-Identifier: GPL-2.0-only */
/* listing.h - prints samples as lines of text in the format of perf script (up to perf 6.4). */
#ifndef CSTRACE_SYNTH_LISTING_H
#define CSTRACE_SYNTH_LISTING_H

#include "files/output.h"
#include "session/session.h"
#include "synth/itrace.h"
#include "synth/sampler.h"

enum listing_field {
	LIST_COMM = 1 << 0,
	LIST_PID = 1 << 1,
	LIST_TID = 1 << 2,
	LIST_CPU = 1 << 3,
	LIST_TIME = 1 << 4,
	LIST_PERIOD = 1 << 5,
	LIST_EVENT = 1 << 6,
	LIST_FLAGS = 1 << 7,
	LIST_IP = 1 << 8,
	LIST_SYM = 1 << 9,
	LIST_SYMOFF = 1 << 10,
	LIST_DSO = 1 << 11,
	LIST_ADDR = 1 << 12,
	LIST_BRSTACK = 1 << 13,
	LIST_INSN = 1 << 14,
	LIST_INSNLEN = 1 << 15,
	/* not a field: print times with nine decimals instead of six */
	LIST_NS = 1 << 16,
};

#define LISTING_DEFAULT	(LIST_COMM | LIST_TID | LIST_CPU | LIST_TIME | LIST_PERIOD | LIST_EVENT | \
			 LIST_IP | LIST_SYM | LIST_SYMOFF | LIST_DSO | LIST_ADDR)

/*
 * Parses the list of -F: names with commas; "+x" and "-x" change the default. Returns true, or false with a message in
 * `msg`.
 */
bool listing_fields(unsigned int *fields, const char *text, char *msg, size_t len);

struct listing;

/* Returns NULL after a message on stderr. */
struct listing *listing_open(struct session *ss, const struct itrace_opts *o, unsigned int fields,
			     const char *output);
/* Decodes and prints. Returns 0, or negative after a message on stderr. */
int listing_run(struct listing *l);
void listing_close(struct listing *l);

#endif
