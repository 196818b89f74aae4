/* SPDX-License-Identifier: GPL-2.0-only */
/* formats.h - formats of execution counts that compilers and their tools read. */
#ifndef CSTRACE_PROFILE_FORMATS_H
#define CSTRACE_PROFILE_FORMATS_H

#include "files/output.h"
#include "profile/address.h"
#include "profile/readers.h"

struct profile_format {
	const char *name;
	bool joined, arrivals;	/* which counts the format needs, see counts.h */
	enum reader reader;
	enum profile_base base;	/* PROFILE_OFFSET: --address can select another one */
	void (*write)(struct pd_output *out, struct binary *b, const struct profile_address *where);
	const char *help;
};

/* terminated by a NULL name */
extern const struct profile_format profile_formats[];

const struct profile_format *profile_format_find(const char *name);

#endif
