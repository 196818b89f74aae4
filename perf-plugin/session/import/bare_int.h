/* SPDX-License-Identifier: GPL-2.0-only */
/* bare_int.h - what bare.c and bare_text.c share: the description of trace while its snapshot is made. */
#ifndef CSTRACE_SESSION_IMPORT_BARE_INT_H
#define CSTRACE_SESSION_IMPORT_BARE_INT_H

#include "session/import/bare.h"

struct bare_trace {
	char *path;
	char *alias;		/* name in the snapshot */
	int id;			/* as given, or BARE_ANY */
};

struct bare_maker {
	const struct bare_opts *o;
	struct folder *f;
	struct error *err;
	uint64_t *lost;
	struct bare_trace traces[BARE_MAX];
	struct bare_source sources[BARE_MAX];
	size_t nr_sources;
};

/* A register of a source as an option gives it, the last one if there are several: 1 and *value, or 0. */
int bare_given(const struct bare_maker *m, const struct bare_source *s, const char *name, uint64_t *value);
/* format= of a buffer. */
const char *bare_format_name(enum bare_format format);
/* Adds the INI files to the folder, and the program files; 0, or negative with the error set. */
int bare_write_texts(struct bare_maker *m);
/* The same for the folder of a snapshot, to which only program files are added. */
int bare_extend_texts(struct bare_maker *m);

#endif
