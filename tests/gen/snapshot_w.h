/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snapshot_w.h - writes an Arm trace snapshot: a directory with ini files, the trace buffer and
 * memory dumps. A snapshot has one address space: code of one process.
 */
#ifndef CSTRACE_TESTS_GEN_SNAPSHOT_W_H
#define CSTRACE_TESTS_GEN_SNAPSHOT_W_H

#include "encode.h"

struct snapshot_mem {
	uint64_t va;
	uint64_t offset;	/* within the file; the dump covers length bytes from there */
	uint64_t len;
	const uint8_t *bytes;	/* written as mem<N>.bin ... */
	const char *copy_of;	/* ... or taken from this file when bytes is NULL */
	const char *space;	/* memory space as snapshots name it, NULL: any */
};

struct snapshot_source {
	int cpu;
	const char *core;	/* core type, e.g. "ARM-AA64" */
	const struct tu_regs *regs;
};

struct snapshot_buffer {
	int framed;
	const uint8_t *bytes;
	size_t len;
	const struct snapshot_source *sources;	/* one when not framed */
	int nsources;
};

/* 0, or -1 with errno set */
int snapshot_write(const char *dir, const struct snapshot_buffer *bufs, int nbufs,
		   const struct snapshot_mem *mem, int nmem);

#endif
