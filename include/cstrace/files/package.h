/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * package.h - trace packages: a folder with trace buffers, their metadata, the system event log, program
 * images and memory contents (Arm's CoreSight trace decode metadata requirements, section 6.4).
 *
 *	contents.ini		where everything is; below
 *	trace.ini		metadata.h
 *	system-event-log	event.h, state.h
 *
 *	[trace]
 *	metadata=trace.ini	of all buffers
 *	metadata1=sink1.ini	of buffer1, where trace IDs are used again
 *	buffer0=cluster0.data	or several files, separated by commas: their concatenation
 *	buffer1=cluster1.data
 *	event_log=system-event-log
 *	event_time=ns		unit of the times in the log: ns, or ticks with
 *	event_frequency=1000000	ticks per second
 *
 *	[image0]		a program image: any section that begins with "image"
 *	file=images/ls		in the package
 *	name=/bin/ls		image_file of the events; file= when it is not given
 *	uuid=0123abcd		optional
 *
 *	[memory0]		memory contents: any section that begins with "memory"
 *	file=vdso.bin
 *	address=0xffff8000
 *	offset=0, length=4096	optional: the whole file
 *	pid=0			optional: whose address space; the kernel's when it is not given
 *
 *	[code]			code that patch_code names
 *	jit-1=code/jit.bin
 *
 * Other sections and items are kept: clients may have their own.
 */
#ifndef CSTRACE_FILES_PACKAGE_H
#define CSTRACE_FILES_PACKAGE_H

#include <cstrace/files/doc.h>
#include <cstrace/files/event.h>
#include <cstrace/files/metadata.h>
#include <cstrace/files/snapshot.h>
#include <cstrace/files/state.h>

CST_BEGIN

struct cst_package_buffer {
	const char *id;		/* "buffer0" */
	const char **files;
	size_t n_files;
	const struct cst_metadata *metadata;
	uint8_t format;		/* enum cst_meta_format */
};

struct cst_package_image {
	const char *file, *name, *uuid;	/* uuid "" when not given */
};

struct cst_package_memory {
	const char *file;
	uint64_t address, offset;
	uint64_t length;	/* 0: to the end of the file */
	int64_t pid;
};

struct cst_package_code {
	const char *id, *file;
};

struct cst_package {
	struct cst_doc *contents;
	struct cst_metadata **metadata;
	struct cst_package_buffer *buffers;	/* by number */
	struct cst_package_image *images;
	struct cst_package_memory *memory;
	struct cst_package_code *code;
	size_t n_metadata, n_buffers, n_images, n_memory, n_code;
	const char *event_log;		/* NULL: none */
	uint64_t event_frequency;	/* ticks per second; 1000000000: ns */
	size_t n_skipped;		/* sections left out because of errors (each was a note) */
};

/*
 * Reads `index` (NULL: "contents.ini") and the metadata files it names, through the `io` of snapshots. Errors as of
 * cst_snapshot_read(), each after a note; all metadata files together may have 16 times limits.text. The caller opens
 * the event log and all other files.
 */
CST_API int cst_package_read(struct cst_package **pkg, const struct cst_snap_io *io,
			     const char *index);
CST_API void cst_package_free(struct cst_package *pkg);

/*
 * True if `name` can be a file inside a package: relative, without ".." and without control characters. Readers and
 * writers of this library reject other names.
 */
CST_API int cst_package_name_ok(const char *name);

CST_END

#endif
