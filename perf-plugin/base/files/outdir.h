/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outdir.h - a folder that gets its name only when it is complete: files are written into a temporary
 * one beside it.
 */
#ifndef CSTRACE_BASE_FILES_OUTDIR_H
#define CSTRACE_BASE_FILES_OUTDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Folders of one kind, which a later one replaces. */
struct outdir_kind {
	const char *name;			/* for messages: "report" */
	const char *file, *begins;		/* a file in each of them, and the text that it begins with */
	bool (*has)(const char *name);		/* whether a folder of the kind may have a file of this name */
};

struct outdir {
	char *path;	/* as the user gave it */
	char *target;	/* absolute, links followed */
	char *temp;
	const struct outdir_kind *kind;
	bool replaces;	/* a folder of the kind is there */
};

/* `path` must not exist, or be an empty folder. */
int outdir_open(struct outdir *d, const char *path, struct error *err);
/* The same; `path` may also be a folder of the kind, without any file that the kind does not have. It is replaced as a whole. */
int outdir_open_kind(struct outdir *d, const char *path, const struct outdir_kind *kind, struct error *err);
/* Path of a file in it, for the caller to free; folders on the way are made. NULL after an error. */
char *outdir_path(struct outdir *d, const char *name, struct error *err);
/* True if a file of this name exists. */
bool outdir_has(const struct outdir *d, const char *name);
/* A file that is open for writing; -1 after an error. `name` is relative and stays inside. */
int outdir_create(struct outdir *d, const char *name, struct error *err);
/* All of `len` bytes to a file from outdir_create(); `name` is for messages. */
int outdir_write(struct outdir *d, int fd, const char *name, const void *data, size_t len,
		 struct error *err);
/* A whole file. */
int outdir_file(struct outdir *d, const char *name, const void *data, size_t len, struct error *err);
/* More bytes at the end of a file, which is made when it is not there. */
int outdir_append(struct outdir *d, const char *name, const void *data, size_t len, struct error *err);
/* A whole copy of a file. */
int outdir_copy(struct outdir *d, const char *name, const char *from, struct error *err);
/* Give it its name, or leave nothing behind. Either frees what `d` holds. */
int outdir_finish(struct outdir *d, struct error *err);
void outdir_abort(struct outdir *d);

#endif
