/* SPDX-License-Identifier: GPL-2.0-only */
/* dump_files.h - files of a snapshot, as the library's snapshot reader asks for them. */
#ifndef CSTRACE_CMD_DUMP_FILES_H
#define CSTRACE_CMD_DUMP_FILES_H

#include <cstrace/snapshot.h>

struct dump_file {
	void *p;
	size_t len;
};

struct dump_files {
	const char *dir;
	struct dump_file *maps;
	size_t nr;
	int error;	/* errno of the last open, until it is told */
};

/* For struct cst_snap_io, with the files as its ctx. */
int dump_files_open(void *ctx, const char *name, const uint8_t **data, size_t *len);
void dump_files_note(void *ctx, const struct cst_snap_note *note);
void dump_files_free(struct dump_files *f);

#endif
