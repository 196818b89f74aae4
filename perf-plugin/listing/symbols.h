/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - symbol and file of an address of a stream, with a cache. */
#ifndef CSTRACE_LISTING_SYMBOLS_H
#define CSTRACE_LISTING_SYMBOLS_H

#include "decode/stream.h"
#include "tasks/space.h"

#define SYMBOLS_CACHE	8192u

struct symbol_at {
	uint64_t addr;
	uint64_t user, kernel;	/* version.serial of the two address spaces; 0: none */
	uint64_t batch;		/* batch of the lookup; 0: empty entry */
	uint64_t lookup;	/* number of the lookup; equal numbers have equal names. 0: nothing is known */
	uint32_t number;	/* number of the entry in the cache */
	bool lasting;		/* valid for later batches */
	const char *dso;	/* NULL: unknown */
	const struct dso *file;	/* the same file, and ... */
	uint64_t in_file;	/* ... the offset in it */
	const char *name;	/* NULL: unknown */
	size_t dso_plain, name_plain;	/* name_plain_len() of them */
	uint64_t offset;	/* of the address in the symbol */
	uint64_t shown;		/* address as perf prints it in a call chain: in user space the offset in the file */
	char *text;		/* room of SYMBOL_TEXT bytes for the caller's text; NULL: none */
	uint16_t text_len;	/* 0: no text yet */
};

#define SYMBOL_TEXT	192u

struct symbols {
	uint64_t batch;		/* current batch */
	uint64_t lookups;	/* number of lookups so far */
	const struct dso *last;	/* last file, with its name */
	const char *last_path;
	size_t last_plain;
	struct symbol_at none;	/* all zero: nothing is known */
	struct symbol_at slot[SYMBOLS_CACHE];
	char text[SYMBOLS_CACHE][SYMBOL_TEXT];
};

/* Begins a batch: files that were not read before may be now. */
void symbols_begin(struct symbols *sy);
/* Looks up an address that `at`, its entry, does not have. */
void symbols_look_up(struct symbols *sy, struct symbol_at *at, const struct stream *s, uint64_t addr);

/* Returns symbol and file of `addr` in the address spaces of the stream's thread, user and kernel, valid until the next call. */
static inline struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr)
{
	struct symbol_at *at = &sy->slot[(addr >> 2 ^ addr >> 15) % SYMBOLS_CACHE];
	const struct version *user = s->kernel ? s->other : s->code, *kernel = s->kernel ? s->code : s->other;

	if (at->addr != addr || at->user != (user ? user->serial : 0) || at->kernel != (kernel ? kernel->serial : 0) ||
	    (at->batch != sy->batch && !at->lasting))
		symbols_look_up(sy, at, s, addr);
	return at;
}

/* Returns this cache's own copy of an entry of another cache, with its text, valid until the next call. */
static inline struct symbol_at *symbols_copy(struct symbols *sy, const struct symbol_at *of)
{
	struct symbol_at *at = &sy->slot[of->number];

	if (at->lookup != of->lookup) {
		*at = *of;
		at->text = sy->text[of->number];
		at->text_len = 0;
	}
	return at;
}

#endif
