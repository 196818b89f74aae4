/* SPDX-License-Identifier: GPL-2.0-only */
/* formats.h - counts as the texts that compilers and their tools read. */
#ifndef CSTRACE_PROFILE_FORMATS_H
#define CSTRACE_PROFILE_FORMATS_H

#include "perfdata/output.h"
#include "profile/counts.h"

struct profile_format {
	const char *name;
	bool joined;		/* which ranges it wants, see counts.h */
	void (*write)(struct pd_output *out, struct binary *b);
	const char *help;
};

/* Ends with a NULL name. */
extern const struct profile_format profile_formats[];

const struct profile_format *profile_format_find(const char *name);

#endif
