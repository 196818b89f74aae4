/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * comp.h - makes compressed records for a writer. It fills chunks with records; each becomes one
 * compressed record, or several if one would be too large, in the order of the chunks. Threads
 * compress chunks independently of each other, so the result does not depend on their number; the
 * thread that fills them writes.
 *
 * Each compressed record is a whole zstd frame that says how large its content is: perf 6.1 expands
 * a record correctly only if one call of ZSTD_decompressStream() consumes all of it. No content is
 * more than PD_EXPAND_RATIO times as large as its frame, so that the reader's limit is not reached.
 */
#ifndef CSTRACE_PERFDATA_COMP_H
#define CSTRACE_PERFDATA_COMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of a chunk, the most that a compressed record expands to, which perf reserves for each. It
 * must hold the largest record. Injected files are 46 to 54 % larger with chunks of 64 KiB, 17 to
 * 20 % with 128 KiB, and 11 % smaller with 512 KiB. But with these, records that become less than 8
 * times smaller would be compressed twice; now 4 times is enough.
 */
#define PD_COMP_CHUNK		(256u << 10)
#define PD_COMP_MAX_LEVEL	22

struct pd_comp;

struct pd_comp_opts {
	int level;		/* 1 to PD_COMP_MAX_LEVEL, as of perf record -z */
	unsigned int threads;	/* that compress; 1: the calling one */
	/* Writes compressed records, in the calling thread. An error (ERR_x) is the last call. */
	int (*write)(void *data, const void *bytes, size_t len);
	void *data;
};

/* Records can be compressed. False: this program was made without zstd (NO_ZSTD). */
bool pd_comp_available(void);

struct pd_comp *pd_comp_new(const struct pd_comp_opts *o);
/* Ends the threads; chunks that are not written yet are lost. */
void pd_comp_free(struct pd_comp *c);

/* The chunk to be filled. */
uint8_t *pd_comp_chunk(struct pd_comp *c);
/* The chunk has `len` bytes of records, not 0. Returns the next one when it is free. */
uint8_t *pd_comp_next(struct pd_comp *c, size_t len);
/* Writes all chunks, the last one with `len` bytes, which may be 0. */
void pd_comp_finish(struct pd_comp *c, size_t len);
/* The first error of write(), or 0. */
int pd_comp_error(const struct pd_comp *c);

/* Of `len` bytes of records at `p`, the bytes of those that are whole within `room` bytes. */
size_t pd_comp_fit(const uint8_t *p, size_t len, size_t room);

#endif
