/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snapshot_int.h - inside the snapshot reader: what its parts share.
 */
#ifndef CST_LIB_FILES_SNAPSHOT_SNAPSHOT_INT_H
#define CST_LIB_FILES_SNAPSHOT_SNAPSHOT_INT_H

#include <cstrace/error.h>
#include <cstrace/files/snapshot.h>

#include "files/ini/ini.h"
#include "files/ini/memlist.h"

#define SNAP_MAX_BUFFERS 256

/* A snapshot under construction; `pub` comes first, so that a pointer to it is a pointer to this. */
struct snap {
	struct cst_snapshot pub;
	struct mem_list mem;
};

/* What the parsers of one file share. */
struct snap_file {
	struct snap *ss;
	const struct cst_snap_io *io;
	const char *name;
	struct ini_reader ini;
};

/* Reports, and returns `error`. */
int cst_snap_say(const struct cst_snap_io *io, const char *file, unsigned int line, int error,
		 const char *text);
/* The same for something that is left out: counted. Returns 0. */
int cst_snap_skip(struct snap_file *f, unsigned int line, int error, const char *text);
/* There is no memory, or it is more than allowed: what to return. */
int cst_snap_full(const struct snap_file *f, unsigned int line);
/* Copies a string. Returns 0, or the error of cst_snap_full(). */
int cst_snap_copy(struct snap_file *f, const char **to, struct cst_str s, unsigned int line);

int cst_snap_read_device(struct snap_file *f, struct cst_snap_device *dev);
int cst_snap_read_trace(struct snap_file *f);

/* device.c: how the format calls a mask of memory spaces, a class; NULL when it has no name for it. */
const char *cst_snap_space_name(uint8_t space);
const char *cst_snap_class_name(uint8_t class_);

#endif
