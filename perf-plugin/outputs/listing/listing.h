/* SPDX-License-Identifier: GPL-2.0-only */
/* listing.h - prints samples as lines of text in the format of perf script (up to perf 6.4). */
#ifndef CSTRACE_OUTPUTS_LISTING_LISTING_H
#define CSTRACE_OUTPUTS_LISTING_LISTING_H

#include "base/files/output.h"
#include "outputs/synth/itrace.h"
#include "outputs/synth/sampler.h"
#include "session/session.h"

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
	LIST_SRCLINE = 1 << 16,
	LIST_DISASM = 1 << 17,
	LIST_CALLINDENT = 1 << 18,
	LIST_BRSTACKSYM = 1 << 19,
	LIST_BRSTACKINSN = 1 << 20,
	LIST_BRSTACKDISASM = 1 << 21,
	LIST_SYNTH = 1 << 22,	/* what a ptwrite or an evt sample says */
	LIST_IPC = 1 << 23,
	LIST_MACHINE_PID = 1 << 24,
	/* not a field: print times with nine decimals instead of six */
	LIST_NS = 1 << 25,
};

/* Fields with names of addresses. */
#define LISTING_NAMES	(LIST_SYM | LIST_DSO)
/* Fields of a branch stack. */
#define LISTING_STACK	(LIST_BRSTACK | LIST_BRSTACKSYM | LIST_BRSTACKINSN | LIST_BRSTACKDISASM)
/* Fields that need the bytes of instructions. */
#define LISTING_CODE	(LIST_INSN | LIST_DISASM | LIST_BRSTACKINSN | LIST_BRSTACKDISASM)

#define LISTING_DEFAULT	(LIST_COMM | LIST_TID | LIST_CPU | LIST_TIME | LIST_PERIOD | LIST_EVENT | \
			 LIST_IP | LIST_SYM | LIST_SYMOFF | LIST_DSO | LIST_ADDR | LIST_SYNTH)

/*
 * Parses the list of -F: names with commas; "+x" and "-x" change *fields. Returns true, or false with a message in `msg`.
 */
bool listing_fields(unsigned int *fields, const char *text, char *msg, size_t len);

/*
 * Changes of the default fields for --insn-trace, --call-trace and --call-ret-trace, and the letters of --itrace that come
 * with them, as perf script has them.
 */
struct listing_view {
	const char *name;	/* "insn-trace=disasm" */
	const char *itrace, *fields;
};

/* Returns the view of an option of that name with `value` (NULL or "": none); NULL: there is none. */
const struct listing_view *listing_view(const char *option, const char *value);

struct listing_opts {
	struct itrace_opts itrace;
	unsigned int fields;	/* enum listing_field */
	bool period;		/* LIST_PERIOD is of ptwrite and evt samples, too */
	const char *output;	/* "-": stdout */
	size_t kept_lines;	/* maximum size of the lines that a shard of the trace keeps until its turn; 0: 96 MB */
};

struct listing;

/* Returns NULL after a message on stderr. *o is copied. */
struct listing *listing_open(struct session *ss, const struct listing_opts *o);
/* Decodes and prints. Returns 0, 1 if a file could not be opened for its source lines, or negative; with a message on stderr. */
int listing_run(struct listing *l);
void listing_close(struct listing *l);

#endif
