/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roundtrip.h - what a trace-unit model says was executed, and what the decoder makes of its bytes, as two lists
 * that can be compared.
 */
#ifndef CSTRACE_TESTS_ROUNDTRIP_H
#define CSTRACE_TESTS_ROUNDTRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/cstrace.h>

#include "gen_case.h"

#define MAX_SPACES 32

/* What is compared: one line of either side. */
struct item {
	uint8_t kind;	/* enum gen_event_kind */
	char atom;	/* 'Q' matches any */
	uint8_t isa, el, sec, sf;
	uint16_t num;
	uint32_t n, tid, vmid, cc, flags;
	uint64_t a, b;
	uint64_t off;	/* of the packet; not compared */
};

struct list {
	struct item *v;
	size_t n, cap;
};

/* Most elements of a pull. */
#define RT_CAP 1024

struct run {
	const struct gen_case *c;
	struct cst_image *img;
	struct cst_section **sec;
	struct {
		uint32_t tid;
		int kernel;
		struct cst_space *sp;
	} space[MAX_SPACES];
	unsigned int nspaces;
	struct list got;
	uint64_t rnd;
	/* elements go there instead of to `got`, and ranges are counted in `counts`: as elements, or by the decoder, too */
	void (*seen)(void *data, const struct cst_generic *g);
	void *seen_data;
	struct cst_counts *counts;
	bool decoder_counts;
	uint64_t period;	/* not 0: the decoder leaves out ranges between samples, which are taken every `period` instructions */
	struct cst_branch_list *list; /* not NULL: the decoder lists branches there, which is emptied before each pull */
	struct cst_log *log;	/* of the decoder; NULL: none */
	size_t cap;		/* elements of a pull; 0: up to 64, by chance */
};

/* The model's events as the decoder is to report them. */
void rt_expect(const struct gen_case *c, struct list *l, bool hold);
/* An image of the case's code; small caches are emptied often. */
void rt_begin(struct run *r, const struct gen_case *c, size_t cache_limit);
void rt_end(struct run *r);
/* Decode p[0..len) in pieces, into r->got. */
void rt_decode(struct run *r, const uint8_t *p, size_t len, bool framed, bool hold, struct cst_stats *stats);
/* 0: the same. Else says what differs. */
int rt_compare(uint64_t seed, const char *how, const struct list *want, struct list *got);
bool rt_same(const struct item *a, const struct item *b);
void rt_show(const char *side, const struct list *l, size_t i);
/* A context that says what is known is no news: decoders may put it out or not. */
void rt_drop_known_contexts(struct list *l);
/* One stream, raw and in frames: 0 when both come back exactly. */
int rt_one_case(uint64_t seed, struct gen_case *c, uint64_t *ranges);


/* What damage did: streams decoded, and those where it was noticed as a bad packet. */
struct rt_damage {
	uint64_t tried, noticed;
};

/*
 * A byte of the case is changed, anywhere: from the second synchronisation after it on (the next one may be damaged
 * itself) all is as without it. Or each of the bytes right before a synchronisation, one at a time: from that one
 * on. For cases without speculation. 0: it is so.
 */
int rt_damage_one(uint64_t seed, struct gen_case *c, struct rt_damage *sum);
int rt_damage_before_syncs(uint64_t seed, struct gen_case *c, struct rt_damage *sum);
/*
 * Bytes are changed, inserted or deleted, or two frames exchanged, in any case: from the next synchronisation on all is as
 * for a decoder that begins there, from its first range on, and what is missing before it is counted as lost.
 */
int rt_damage_state(uint64_t seed, struct gen_case *c, struct rt_damage *sum);

#endif
