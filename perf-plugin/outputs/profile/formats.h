/* SPDX-License-Identifier: GPL-2.0-only */
/* formats.h - formats of execution counts that compilers and their tools read. Each is a function of the model. */
#ifndef CSTRACE_OUTPUTS_PROFILE_FORMATS_H
#define CSTRACE_OUTPUTS_PROFILE_FORMATS_H

#include "base/files/output.h"
#include "counting/counts/counts.h"
#include "outputs/profile/address.h"
#include "outputs/profile/readers.h"
#include "outputs/profile/whole.h"

struct profile_format {
	const char *name;
	enum counts_mode mode;	/* which counts of a recording the format needs */
	enum flat_ranges ranges;
	enum reader reader;
	enum profile_base base;	/* PROFILE_OFFSET: --address can select another one */
	/* one of them: of one binary, or of all of them */
	void (*write)(struct pd_output *out, const struct flat *f, const struct profile_address *where);
	int (*write_whole)(struct pd_output *out, const struct whole *w);
	bool lines;		/* needs DWARF: says which binaries have none */
	bool measures;		/* can have another metric than instructions */
	bool code;		/* is made of the code as well: says which binaries it leaves out */
	bool compares;		/* can have what changed since other counts */
	bool binary;		/* is not text: a terminal is refused */
	const char *help;
	unsigned int since;	/* first version of the reader that reads it; 0: any */
};

/* terminated by a NULL name */
extern const struct profile_format profile_formats[];

const struct profile_format *profile_format_find(const char *name);
/* Returns the format of the same name for a version of its reader; 0: for any version. */
const struct profile_format *profile_format_for(const struct profile_format *f,
						unsigned int version);

#define PROFILE_LACKS	1	/* a file is missing, which the format needs */
#define PROFILE_EMPTY	2	/* the format would be empty: nothing is left of it */

/*
 * Writes the format of binary `b` and finishes `out`, or leaves nothing of it. On stderr: sums, and properties of the
 * binary that the format's reader does not accept. Returns 0, one of the above, or a negative error
 * after a message.
 */
int profile_write(struct pd_output *out, const struct profile_format *f, enum profile_base base,
		  const struct model_binary *b);

/*
 * The same for a format of the whole model. On stderr: sums, and binaries whose file is missing.
 * Returns as profile_write().
 */
int profile_write_whole(struct pd_output *out, const struct profile_format *f, const struct whole *w);

/*
 * With another metric than instructions: reports how its amounts are estimated, and what has none.
 */
void profile_report_unmeasured(const char *command, const struct model *m);

/*
 * Reports the binaries that ran and have no file for names; `lines`: also those without DWARF. Returns true if a file is
 * missing or could not be opened.
 */
bool profile_report_missing(const char *command, const struct whole *w, bool lines);

#endif
