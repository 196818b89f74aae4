/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - symbol and file of an address of a stream, with a cache. */
#ifndef CSTRACE_LISTING_SYMBOLS_H
#define CSTRACE_LISTING_SYMBOLS_H

#include "decode/stream.h"

#define SYMBOLS_CACHE	8192u

struct symbol_at {
	uint64_t addr;
	uint64_t user, kernel;	/* version.serial of the two address spaces; 0: none */
	uint64_t batch;		/* batch of the lookup; 0: empty entry */
	bool lasting;		/* valid for later batches */
	const char *dso;	/* NULL: unknown */
	const struct dso *file;	/* the same file, and ... */
	uint64_t in_file;	/* ... the offset in it */
	const char *name;	/* NULL: unknown */
	size_t dso_plain, name_plain;	/* name_plain_len() of them */
	uint64_t offset;	/* of the address in the symbol */
	uint64_t shown;		/* address as perf prints it in a call chain: in user space the offset in the file */
	uint16_t text_len;	/* length of the caller's text in symbols.text; 0: none */
};

#define SYMBOL_TEXT	192u	/* bytes for a caller's text of an entry */

struct symbols {
	uint64_t batch;		/* current batch */
	const struct dso *last;	/* last file, with its name */
	const char *last_path;
	size_t last_plain;
	struct symbol_at slot[SYMBOLS_CACHE];
	char text[SYMBOLS_CACHE][SYMBOL_TEXT];
};

/* Begins a batch: files that were not read before may be now. */
void symbols_begin(struct symbols *sy);
/* Returns symbol and file of `addr` in the address spaces of the stream's thread, user and kernel, valid until the next call. */
const struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr);

#endif
