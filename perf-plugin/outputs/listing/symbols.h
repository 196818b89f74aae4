/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.h - symbol and file of an address of a stream, with a cache. */
#ifndef CSTRACE_OUTPUTS_LISTING_SYMBOLS_H
#define CSTRACE_OUTPUTS_LISTING_SYMBOLS_H

#include "machine/tasks/space.h"
#include "session/decode/stream.h"

#define SYMBOLS_CACHE	8192u

/* Names of an address. */
struct symbol_names {
	const char *dso;	/* NULL: unknown */
	const char *name;	/* NULL: unknown */
	uint64_t offset;	/* of the address in the symbol */
	uint32_t dso_plain, name_plain;	/* name_plain_len() of them */
};

struct symbol_at {
	struct symbol_names names;
	const struct dso *file;	/* the file, and ... */
	uint64_t in_file;	/* ... the offset in it */
	uint64_t shown;		/* address as perf prints it in a call chain: in user space the offset in the file */
};

/* The caller's text of the names of an entry. */
struct symbol_text {
	uint8_t len;		/* 0: no text yet */
	char bytes[183];
};

/* What an entry is found by, apart from the rest: all keys fit into a small cache of the processor. */
struct symbol_key {
	uint64_t addr;
	uint64_t spaces;	/* symbols_spaces() */
	uint64_t batch;		/* batch of the lookup, UINT64_MAX: valid for later batches, too; 0: empty entry */
};

/* An entry. */
struct symbol_ref {
	struct symbol_at *at;
	struct symbol_text *text;	/* NULL: no text is kept */
};

struct symbols {
	uint64_t batch;		/* current batch */
	const struct dso *last;	/* last file, with its name */
	const char *last_path;
	uint32_t last_plain;
	/* the last entry stays empty: nothing is known */
	struct symbol_key key[SYMBOLS_CACHE + 1];
	struct symbol_at slot[SYMBOLS_CACHE + 1];
	struct symbol_text text[SYMBOLS_CACHE];
};

/* Begins a batch: files that were not read before may be now. */
void symbols_begin(struct symbols *sy);
/* Number of the entry that an address has. */
static inline size_t symbols_number(uint64_t addr)
{
	return (addr >> 2 ^ addr >> 15) % SYMBOLS_CACHE;
}

/* Looks up an address for entry `number`, which does not have it. */
void symbols_look_up(struct symbols *sy, size_t number, const struct stream *s, uint64_t addr);

/* The two address spaces of the stream's thread, of user and kernel, as one number (version.serial; 0: none). */
static inline uint64_t symbols_spaces(const struct stream *s)
{
	const struct version *user = s->own.kernel ? s->own.other : s->own.code,
			     *kernel = s->own.kernel ? s->own.code : s->own.other;

	return (user ? user->serial << 32 : 0) | (kernel ? (uint32_t)kernel->serial : 0);
}

/* Returns symbol and file of `addr` in the address spaces of the stream's thread, user and kernel, valid until the next call. */
static inline struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr)
{
	const size_t number = symbols_number(addr);
	const struct symbol_key *key = &sy->key[number];

	if (key->addr != addr || key->spaces != symbols_spaces(s) || (key->batch != sy->batch && key->batch != UINT64_MAX))
		symbols_look_up(sy, number, s, addr);
	return &sy->slot[number];
}

/* Returns symbol_key.batch of the address that was found last among those with its number. */
static inline uint64_t symbols_valid(const struct symbols *sy, uint64_t addr)
{
	return sy->key[symbols_number(addr)].batch;
}

#endif
