/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - addresses of a stream as symbol and file, with a cache. */
#ifndef CSTRACE_SYNTH_SYMBOLS_H
#define CSTRACE_SYNTH_SYMBOLS_H

#include "decode/decode.h"
#include "session/session.h"

#define SYMBOLS_CACHE	8192u

struct symbol_at {
	uint64_t addr;
	const struct version *code; /* the address space, and ... */
	uint64_t serial;	/* ... what was mapped in it */
	uint64_t batch;		/* in which it was looked up; 0: the entry is empty */
	bool lasting;		/* and it holds for later batches */
	const char *dso;	/* NULL: unknown */
	const char *name;	/* NULL: unknown */
	size_t dso_plain, name_plain;	/* name_plain_len() of them */
	uint64_t offset;	/* of the address in the symbol */
	uint64_t shown;		/* how perf prints it in a call chain: in user space, the offset in the file */
	uint16_t text_len;	/* of the caller's text of it, in symbols.text; 0: none was made */
};

#define SYMBOL_TEXT	192u	/* bytes for a caller's text of an entry */

struct symbols {
	uint64_t batch;		/* of now */
	const struct dso *last;	/* the file that was met last, with its name */
	const char *last_path;
	size_t last_plain;
	struct symbol_at slot[SYMBOLS_CACHE];
	char text[SYMBOLS_CACHE][SYMBOL_TEXT];
};

/* A batch begins: files that were not known may be now. */
void symbols_begin(struct symbols *sy);
/* `addr` as the stream's thread sees it. Valid until the next call. */
const struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr);

#endif
