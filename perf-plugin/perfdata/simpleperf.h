/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simpleperf.h - the feature sections FILE (128) and FILE2 (132) of Android's simpleperf: what it knows of the files
 * that were mapped. Each entry is a 32-bit length and as many bytes. Of FILE2 these are a protocol buffers message: path (1),
 * type (2), address (3), symbols (4), and by type 5, 6 or 7 an inner message; of FILE the same fields one after
 * the other, the inner one without a number and absent in the oldest files.
 */
#ifndef CSTRACE_PERFDATA_SIMPLEPERF_H
#define CSTRACE_PERFDATA_SIMPLEPERF_H

#include "perfdata/bytes.h"

enum pd_sp_type {
	PD_SP_KERNEL,
	PD_SP_MODULE,
	PD_SP_ELF,
	PD_SP_DEX,
};

struct pd_sp_file {
	const char *path;	/* in the section, not terminated */
	size_t path_len;
	uint32_t type;		/* enum pd_sp_type, or another number */
	uint64_t vaddr;		/* ELF: of its first executable segment; module: of a symbol, from the start of .text */
	/*
	 * Where that was. ELF: in the file; module: in memory, from where it was loaded. Other types and the oldest
	 * recorders do not have it.
	 */
	bool has_offset;
	uint64_t offset;
};

struct pd_sp_files {
	struct pd_cursor c;
	bool old;		/* FILE */
	const uint8_t *entry;	/* the one that was read last */
};

void pd_sp_files_start(struct pd_sp_files *r, const uint8_t *p, uint64_t len, bool old, bool swap);
/* 1: an entry. 0: there are no more. -1: it is damaged; those behind it cannot be read. */
int pd_sp_files_next(struct pd_sp_files *r, struct pd_sp_file *f);

#endif
