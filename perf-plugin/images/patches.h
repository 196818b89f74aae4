/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patches.h - kernel text that changed while it was traced (TEXT_POKE records): every byte sequence that
 * was written is kept once, and for each place what was there before it was first written to.
 */
#ifndef CSTRACE_IMAGES_PATCHES_H
#define CSTRACE_IMAGES_PATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;
struct dso_table;

/* What an instruction was before the first record about it. */
struct patch_word {
	uint64_t addr, time, seq;
	uint32_t old;
};

/* The same as a stretch of memory. */
struct patch_run {
	uint64_t start, end;
	uint64_t at;		/* place of the bytes in the dso */
};

struct patches {
	struct dso *dso;	/* NULL: nothing was patched */
	uint8_t *bytes;
	size_t size, cap;
	struct patch_seq {
		uint64_t at;
		uint32_t len;	/* 0: free */
		uint32_t hash;
	} *seq;			/* open addressing */
	size_t nr_seq, seq_size;
	struct patch_word *word;
	size_t nr_word, cap_word;
	struct patch_run *run;	/* after patches_finish(), by address */
	size_t nr_run;
	bool finished;
};

void patches_free(struct patches *ps);
/* `old` was at `addr` until this moment. Only before patches_finish(); 0, or ERR_NOMEM. */
int patches_note(struct patches *ps, uint64_t addr, uint64_t time, uint64_t seq, const uint8_t *old,
		 size_t len);
/* Where these bytes are in the dso; they are added when they are new. 0, ERR_NOMEM, or -CST_ERR_INVAL: finished. */
int patches_place(struct patches *ps, struct dso_table *t, const uint8_t *bytes, size_t len, uint64_t *at);
/* After the last record: what was there first is put in order, and the dso gets its bytes. */
int patches_finish(struct patches *ps, struct dso_table *t);
/* The first stretch that ends after `addr`; NULL: none. */
const struct patch_run *patches_next(const struct patches *ps, uint64_t addr);

#endif
