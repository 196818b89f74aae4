/* SPDX-License-Identifier: GPL-2.0-only */
/* folder.h - files of a snapshot or package, as the readers of the library ask for them. */
#ifndef CSTRACE_SESSION_IMPORT_FOLDER_H
#define CSTRACE_SESSION_IMPORT_FOLDER_H

#include <stdbool.h>

#include <cstrace/files/snapshot.h>

struct folder_file {
	char *name;
	void *p;
	size_t len;
};

/* A file of a snapshot that is not in its folder: somewhere else (path), or in memory (data). */
struct folder_extra {
	char *name;
	char *path;		/* NULL: in memory */
	void *data;
	size_t len;
};

struct folder {
	const char *dir;
	const char *who;	/* "cstrace dump": begins messages */
	bool package;		/* names are those of a package, which has stricter ones than a snapshot */
	struct folder_file *maps;
	size_t nr, cap;
	size_t *slots;		/* index + 1 by name; a power of two */
	size_t nr_slots;
	int error;		/* errno of the last open, until it is reported */
	struct folder_extra *extra; /* these come before files of the folder with the same name */
	size_t nr_extra, cap_extra;
};

/*
 * Adds a file to the folder: a copy of `path`, or `data` from malloc(), which then belongs to the folder (also on an
 * error).
 */
void folder_add_path(struct folder *f, const char *name, const char *path);
void folder_add_data(struct folder *f, const char *name, void *data, size_t len);
/* A file that was added; NULL: none has the name. */
const struct folder_extra *folder_extra(const struct folder *f, const char *name);

/*
 * For struct cst_snap_io, with the files as its ctx. A file that is asked for again is mapped once. Files outside of the
 * folder are refused, whether a name or a link leads there. 0, or ERR_x.
 */
int folder_open(void *ctx, const char *name, const uint8_t **data, size_t *len);
/* Why the last folder_open() failed. */
const char *folder_why(const struct folder *f);
/* The same in parentheses if it was refused as a file outside of the folder, else "". */
const char *folder_refused(const struct folder *f);
/* Where it is in the file system, for the caller to free. */
char *folder_path(const struct folder *f, const char *name);
void folder_note(void *ctx, const struct cst_snap_note *note);
void folder_free(struct folder *f);

#endif
