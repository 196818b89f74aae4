/* SPDX-License-Identifier: GPL-2.0-only */
/* names.h - a list that others made, by name: of equal names the first. */
#ifndef CSTRACE_SESSION_IMPORT_NAMES_H
#define CSTRACE_SESSION_IMPORT_NAMES_H

#include <cstrace/files/doc.h>

struct names {
	struct name_entry {
		const char *name;
		size_t number;
	} *v;
	size_t nr;
};

/* @nr names, @step bytes from one pointer to the next; they stay the caller's. */
void names_make(struct names *n, const char *const *first, size_t nr, size_t step);
void names_free(struct names *n);
/* Number of the entry, or -1. */
long names_find(const struct names *n, struct cst_str name);

#endif
