/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * copying.h - which files may be copied into a package or snapshot. A recording may come from anyone and name any
 * file, and what is made of it is passed on: a file is copied only if it comes from a place that the user gave, or is
 * by its build-id the recorded one. Raw code, which has none, comes from --symfs, but not from this machine's root.
 */
#ifndef CSTRACE_OUTPUTS_EXPORT_COPYING_H
#define CSTRACE_OUTPUTS_EXPORT_COPYING_H

#include <stdbool.h>

#include "machine/images/dso.h"

struct copy_origin {
	const char *input;	/* the recording, as the user named it */
	const char *symfs;	/* NULL: none */
	bool force;		/* -f: also files of this machine without the recorded build-id */
};

/* Why the file (or what else) of a dso must not be copied; NULL: it may be. */
const char *copy_refused(const struct dso *dso, const struct copy_origin *from);

#endif
