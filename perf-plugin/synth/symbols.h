/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - addresses of a stream as symbol and file, with a small cache. */
#ifndef CSTRACE_SYNTH_SYMBOLS_H
#define CSTRACE_SYNTH_SYMBOLS_H

#include "decode/decode.h"
#include "session/session.h"

#define SYMBOLS_CACHE	256u

struct symbol_at {
	uint64_t addr;
	bool valid;
	const char *dso;	/* NULL: unknown */
	const char *name;	/* NULL: unknown */
	size_t dso_plain, name_plain;	/* name_plain_len() of them */
	uint64_t offset;	/* of the address in the symbol */
	uint64_t shown;		/* how perf prints it in a call chain: in user space, the offset in the file */
};

/* Maps change with each batch, so the cache is emptied then. */
struct symbols {
	struct symbol_at slot[SYMBOLS_CACHE];
};

void symbols_forget(struct symbols *sy);
/* `addr` as the stream's thread sees it. */
const struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr);

#endif
