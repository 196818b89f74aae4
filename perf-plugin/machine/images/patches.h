/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patches.h - kernel text that changed during the recording (TEXT_POKE records): each byte sequence written, stored
 * once, and for each address the bytes before its first change.
 */
#ifndef CSTRACE_MACHINE_IMAGES_PATCHES_H
#define CSTRACE_MACHINE_IMAGES_PATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

struct dso;
struct dso_table;

/* Original instruction at an address. */
struct patch_word {
	uint64_t addr, time, seq;
	uint32_t old;
};

/* Original bytes of a stretch of memory. */
struct patch_run {
	uint64_t start, end;
	uint64_t at;		/* offset of the bytes in the dso */
};

struct patches {
	struct dso *dso;	/* NULL: nothing was patched */
	uint8_t *bytes;
	size_t size, cap;
	struct patch_seq {
		uint64_t at;
		uint32_t len, hash;
	} *seq;
	size_t nr_seq, cap_seq;
	struct slots slots;	/* of `seq`, by the bytes */
	struct patch_word *word;
	size_t nr_word, cap_word;
	struct patch_run *run;	/* sorted by address, after patches_finish() */
	size_t nr_run;
	bool finished;
};

void patches_free(struct patches *ps);
/* Notes that `old` was at `addr` until this moment. Only before patches_finish(). */
void patches_note(struct patches *ps, uint64_t addr, uint64_t time, uint64_t seq,
		  const uint8_t *old,
		 size_t len);
/*
 * Returns in *at the offset of these bytes (at least one) in the dso, to which new ones are added; after
 * patches_finish() none are added.
 */
void patches_place(struct patches *ps, struct dso_table *t, const uint8_t *bytes, size_t len,
		   uint64_t *at);
/* After the last record: sorts the original bytes and gives the dso its bytes. */
void patches_finish(struct patches *ps, struct dso_table *t);
/* Returns the first stretch that ends after `addr`, NULL if there is none. */
const struct patch_run *patches_next(const struct patches *ps, uint64_t addr);

#endif
