/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snapshot.h - inside the snapshot reader: memory that is counted against the limit, and the parts.
 */
#ifndef CST_LIB_SNAPSHOT_H
#define CST_LIB_SNAPSHOT_H

#include <cstrace/error.h>
#include <cstrace/snapshot.h>

#include "snapshot/ini.h"

#define SNAP_MAX_BUFFERS 256

struct snap_chunk;

/* A snapshot under construction; `pub` comes first, so that a pointer to it is a pointer to this. */
struct snap {
	struct cst_snapshot pub;
	struct snap_chunk *chunks;
	size_t used, limit;
};

/* What the parsers of one file share. */
struct snap_file {
	struct snap *ss;
	const struct cst_snap_io *io;
	const char *name;
	struct ini_reader ini;
};

/* Zeroed memory that lives as long as the snapshot; NULL: out of memory or over the limit. */
void *cst_snap_alloc(struct snap *ss, size_t size);
/* A terminated copy. */
const char *cst_snap_copy(struct snap *ss, struct ini_str s);
/*
 * Make room for one more entry in a list of `n` entries of `size` bytes at *list. Lists grow by
 * doubling, at powers of two. Returns the new, zeroed entry or NULL.
 */
void *cst_snap_append(struct snap *ss, void *list, size_t *n, size_t size);

/* Reports, and returns `error`. */
int cst_snap_say(const struct cst_snap_io *io, const char *file, unsigned int line, int error,
		 const char *text);
/* The same for something that is left out: counted. */
void cst_snap_skip(struct snap_file *f, unsigned int line, int error, const char *text);

/* Opens an INI file; its text must be within the limit. */
int cst_snap_open(struct snap_file *f, struct snap *ss, const struct cst_snap_io *io, const char *name);

int cst_snap_read_device(struct snap_file *f, struct cst_snap_device *dev);
int cst_snap_read_trace(struct snap_file *f);

/* device.c: how the format calls a mask of memory spaces, a class; NULL when it has no name for it. */
const char *cst_snap_space_name(uint8_t space);
const char *cst_snap_class_name(uint8_t class_);

#endif
