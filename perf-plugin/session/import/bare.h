/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare.h - trace without a recording: files of bytes, program files and the registers of the trace units, as options
 * give them. An Arm snapshot is made of them in memory, and read as any other.
 */
#ifndef CSTRACE_SESSION_IMPORT_BARE_H
#define CSTRACE_SESSION_IMPORT_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "session/import/cores.h"
#include "session/import/drops.h"
#include "session/import/folder.h"

#define BARE_MAX	64u	/* of each option but --reg */
#define BARE_MAX_REGS	256u
#define BARE_ANY	(-1)	/* of trace IDs: not given */

enum bare_format { BARE_ALIGNED, BARE_TPIU, BARE_DSTREAM, BARE_RAW };

struct bare_source {
	int id;			/* trace ID, or BARE_ANY */
	const struct core *core;
};

struct bare_reg {
	int id;			/* trace ID of the source, BARE_ANY: all that have this register */
	const char *name;
	size_t name_len;
	uint64_t value;
};

/* An option as it was given, for command lines that have the same. */
struct bare_word {
	const char *option, *value;
};

struct bare_opts {
	const char *traces[BARE_MAX];	/* FILE[:ID] */
	const char *programs[BARE_MAX];	/* FILE[@ADDR] */
	struct bare_source sources[BARE_MAX];
	struct bare_reg regs[BARE_MAX_REGS];
	struct bare_word words[4 * BARE_MAX + BARE_MAX_REGS];
	size_t nr_traces, nr_programs, nr_sources, nr_regs, nr_words;
	const struct core *core;	/* of the only source; NULL: not given */
	enum bare_format format;
};

/*
 * Adds to `f`, which has no files yet, those of a snapshot of the trace; without traces, `f` is the folder of a snapshot
 * and gets the program files. *lost counts bytes that are not in whole frames. What is assumed of a trace unit is
 * reported on stderr. 0, or negative with *err.
 */
int bare_make(const struct bare_opts *o, struct folder *f, uint64_t *lost, struct error *err);
/* Writes the snapshot as a folder with copies of all files. 0, or negative with *err. */
int bare_write(const struct bare_opts *o, const char *output, struct drops *drops, struct error *err);

/* Name of the device that has the memory of program files. */
#define BARE_PROGRAM	"cstrace_program"

#endif
