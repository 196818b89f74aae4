/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decomp.h - compressed records: one zstd stream runs through all of them, and a record can begin in one
 * and end in the next. Output goes through a fixed buffer, so a small input cannot make it
 * allocate without limit.
 */
#ifndef CSTRACE_PERFDATA_DECOMP_H
#define CSTRACE_PERFDATA_DECOMP_H

#include "perfdata/records.h"

struct pd_decomp;

struct pd_decomp *pd_decomp_new(void);
void pd_decomp_free(struct pd_decomp *d);

/* Compressed records can be read. 0: this program was made without zstd (NO_ZSTD). */
bool pd_decomp_available(void);

/* Forget everything, for another pass. */
void pd_decomp_reset(struct pd_decomp *d);

/* Give it the compressed bytes of one record. They must stay readable until they are used up. */
void pd_decomp_feed(struct pd_decomp *d, const void *src, size_t len);

/*
 * Make at least @want bytes of output available at *@p, 8-byte aligned when all that was
 * consumed was. Returns what there is: less than @want when more input is needed, and 0 with
 * *@error set when the stream is broken.
 */
size_t pd_decomp_peek(struct pd_decomp *d, size_t want, uint8_t **p, const char **error);
void pd_decomp_consume(struct pd_decomp *d, size_t n);

/* Output that was produced since the start. */
uint64_t pd_decomp_total(const struct pd_decomp *d);

#endif
