/* SPDX-License-Identifier: GPL-2.0-only */
/* locate.h - lookups of a consumer for a batch: code, files and names in the address space of the stream's thread. */
#ifndef CSTRACE_SESSION_DECODE_LOCATE_H
#define CSTRACE_SESSION_DECODE_LOCATE_H

#include "session/decode/stream.h"

/* File and offset of an address, valid until the consumer returns. */
struct session_loc {
	struct dso *dso;	/* NULL: unknown */
	uint64_t map_start, map_end;
	uint64_t offset;	/* offset in the file */
	bool kernel;
};

/*
 * Reads code at `addr` in the address space of the stream's current thread. Returns the number of bytes (<= len), 0:
 * none.
 */
size_t session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len);
/* Finds the file of `addr` in the address space of the stream's current thread. */
bool session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc);
/*
 * The same for an address at which the thread ran before, in kernel or user space: branch stacks and call chains have both.
 * Bit 63 is set in addresses of a 64-bit kernel.
 */
size_t session_read_any(const struct stream *s, uint64_t addr, void *buf, size_t len);
bool session_locate_any(const struct stream *s, uint64_t addr, struct session_loc *loc);
/*
 * Returns the name of the function at `addr`, found by one of these, and the offset in it: from the file, the
 * kernel's symbols, or the names that a compiler recorded.
 */
bool session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
		    uint64_t *offset);
/* Returns the command name of the stream's current thread, NULL if unknown. Valid until session_close(). */
const char *session_comm(const struct stream *s);
/* Returns the dso of a section number (cst_generic.section); cst_generic.sect_off is the offset in its file. */
struct dso *session_section_dso(struct session *ss, uint32_t section);

#endif
