/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - a folder of HTML pages to look at: what was recorded, the hottest functions with their code, the flame graph,
 * and the coverage of source files. All numbers are those of the formats of profile. The pages need nothing but the folder:
 * one style sheet, and a script in each page, as browsers cannot check a file beside it against the
 * page's policy.
 *
 * The pages are our own. genhtml has pages for lcov's tracefiles only, without code and functions, and is a program that need not
 * be installed; speedscope is a megabyte of script that reads a file which is loaded by hand or from a server. Both read what
 * profile writes (lcov, callgrind, folded).
 *
 * Names of files in the folder are numbers, never names from the recording: f1.html is the hottest function, s1.html the
 * source file with most instructions, s1-2.html the next lines of it.
 */
#ifndef CSTRACE_OUTPUTS_REPORT_REPORT_H
#define CSTRACE_OUTPUTS_REPORT_REPORT_H

#include "base/error.h"
#include "base/files/outdir.h"
#include "outputs/profile/whole.h"

/* Each page begins so, and only a report does. */
#define REPORT_BEGINS	"<!DOCTYPE html>\n<!-- perf-cstrace report -->"

struct latencies;
struct difference;
struct long_calls;
struct session;

/* What the pages say of the recording. */
struct report_about {
	const char *input;	/* its name */
	/* of a recording, in the words of `info`: how it was made, and what was lost; NULL: of a count file */
	const char *recorded, *result;
	bool incomplete;	/* something was lost */
	bool unknown;		/* what was lost is not known, as of branch lists */
	bool has_cycles;	/* the trace counts cycles */
	const struct latencies *latencies; /* NULL: of a count file */
	const struct long_calls *calls; /* for a timeline; NULL: not asked for */
	struct session *ss;	/* has the names of threads; NULL: of a count file */
	/* what changed since `base`; NULL: nothing is compared */
	const struct difference *difference;
	const char *base;
};

struct report_limits {
	size_t functions;	/* pages of functions: the hottest ones */
	size_t files;		/* pages of source files: those with most instructions */
	const char *source, *symfs; /* sources are also searched below these; NULL: none */
};

/* The folders that report_write() fills: an earlier one is replaced. */
extern const struct outdir_kind report_kind;

/*
 * Returns 0, or a negative error with its message in `err`. `out` is neither finished nor aborted.
 */
int report_write(struct outdir *out, const struct whole *w, const struct report_about *about,
		 const struct report_limits *limits, struct error *err);

#endif
