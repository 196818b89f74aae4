/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recent.h - memory for the most recently used threads: any number of threads takes a bounded
 * size.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_RECENT_H
#define CSTRACE_OUTPUTS_SYNTH_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* maximum number of threads; the least recently used one is dropped */
#define RECENT_THREADS 1024u

struct recent;

/* `size`: bytes of memory per thread. */
struct recent *recent_new(size_t size);
void recent_free(struct recent *r);
/*
 * Returns a thread's memory. *fresh: its contents are undefined; else they are as they were
 * left.
 */
void *recent_get(struct recent *r, uint64_t thread, bool *fresh);

#endif
