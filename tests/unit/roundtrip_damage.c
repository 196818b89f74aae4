/* SPDX-License-Identifier: BSD-3-Clause */
/* roundtrip_damage.c - what a damaged byte costs: no more than the trace up to the next synchronisation. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>

#include "util.h"
#include "roundtrip.h"

#define ASYNC_ZEROS 11

/*
 * An IT block that began before a synchronisation may be four ranges long: the places of its instructions are not
 * known.
 */
#define UNSURE_RANGES 4

/* Bytes before a synchronisation: the longest run of them that one packet can take is damaged at each. */
#define BEFORE 12
#define SYNCS 4

/* Headers of packets that take many bytes: contexts, addresses, Trace Info, exceptions, instrumentation, Q. */
static const uint8_t long_headers[] = {
	0x01, 0x02, 0x03, 0x06, 0x09, 0x0c, 0x0e, 0x2d, 0x2e, 0x81, 0x82, 0x83, 0x85, 0x86, 0x9a, 0x9d, 0x9e, 0xa5, 0xab,
	0xb6, 0xb8,
};

/* Offset of the n-th alignment synchronisation from `at` on, or len. */
static size_t next_async(const uint8_t *p, size_t len, size_t at, unsigned int n)
{
	size_t i, zeros = 0;

	for (i = at; i < len; i++) {
		if (p[i] == 0x80 && zeros >= ASYNC_ZEROS && !--n)
			return i - ASYNC_ZEROS;
		zeros = p[i] ? 0 : zeros + 1;
	}
	return len;
}

/* State is the same whatever went before after the first sure range of a packet from `from` on. */
static size_t first_after(const struct list *l, uint64_t from)
{
	size_t i, ranges = 0;

	for (i = 0; i < l->n; i++)
		if (l->v[i].off >= from && l->v[i].kind == GEN_RANGE && ++ranges > UNSURE_RANGES)
			return i + 1;
	return l->n;
}

/* Elements that say that decoding had to start anew. */
static uint64_t told(const struct list *l)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		n += l->v[i].kind == GEN_NONE && l->v[i].flags;
	return n;
}

/* Results of conditional instructions may be of some that the damage took: those are not compared. */
static size_t past_results(const struct list *l, size_t i)
{
	while (i < l->n && l->v[i].kind == GEN_COND)
		i++;
	return i;
}

/* What the damage was taken for may have been an overflow, of which the next Trace On tells. */
static bool as_before(const struct item *a, const struct item *b)
{
	return (a->kind == GEN_TRACE_ON && b->kind == GEN_TRACE_ON) || rt_same(a, b);
}

/* From the synchronisation on everything must be as without the damage, and all that was lost lie before it. */
static int costs_more(struct run *r, const struct list *want, const uint8_t *copy, size_t at, size_t sync,
		      struct rt_damage *d)
{
	const struct gen_case *c = r->c;
	struct cst_stats stats;
	size_t i, j;
	int bad = 0;

	rt_decode(r, copy, c->len, false, false, &stats);
	d->tried++;
	d->noticed += stats.resyncs != 0;
	i = first_after(want, sync);
	j = first_after(&r->got, sync);
	for (;; i++, j++) {
		i = past_results(want, i);
		j = past_results(&r->got, j);
		if (i == want->n || j == r->got.n || !as_before(&want->v[i], &r->got.v[j]))
			break;
	}
	if (i != want->n || j != r->got.n) {
		print_message("seed %" PRIu64 ": byte %zu became %02x, not the same after %zu\n", c->seed, at, copy[at], sync);
		rt_show("want", want, i);
		rt_show(" got", &r->got, j);
		bad = 1;
	}
	if (stats.unsynced > sync - at + CST_MAX_PACKET || told(&r->got) != stats.resyncs) {
		print_message("seed %" PRIu64 ": byte %zu became %02x, %" PRIu64 " bytes lost before %zu\n", c->seed, at,
			      copy[at], stats.unsynced, sync);
		bad = 1;
	}
	return bad;
}

struct damage {
	struct run r;
	struct list want;
	uint8_t *copy;
};

static void begin(struct damage *d, uint64_t seed, struct gen_case *c)
{
	struct cst_stats clean;

	rt_begin(&d->r, c, 1 << 20);
	d->r.rnd = seed;
	rt_decode(&d->r, c->trace, c->len, false, false, &clean);
	d->want = d->r.got;
	memset(&d->r.got, 0, sizeof(d->r.got));
	d->copy = malloc(c->len);
	assert_non_null(d->copy);
	memcpy(d->copy, c->trace, c->len);
}

static void end(struct damage *d)
{
	free(d->copy);
	free(d->want.v);
	rt_end(&d->r);
}

int rt_damage_one(uint64_t seed, struct gen_case *c, struct rt_damage *sum)
{
	struct damage d;
	size_t at, sync;
	int bad = 0;

	begin(&d, seed, c);
	at = ASYNC_ZEROS + 1 + (seed * 2654435761u >> 7) % (c->len - ASYNC_ZEROS - 1);
	d.copy[at] ^= 1 + (seed * 40503u >> 3) % 255;
	/* the next one may be damaged itself */
	sync = next_async(c->trace, c->len, at + 1, 2);
	if (sync < c->len)
		bad = costs_more(&d.r, &d.want, d.copy, at, sync, sum);
	end(&d);
	return bad;
}

int rt_damage_before_syncs(uint64_t seed, struct gen_case *c, struct rt_damage *sum)
{
	unsigned int i, k;
	struct damage d;
	struct rng rng;
	size_t sync = 0;
	int bad = 0;

	begin(&d, seed, c);
	rng_seed(&rng, seed);
	for (i = 0; i < SYNCS && !bad; i++) {
		sync = next_async(c->trace, c->len, sync + ASYNC_ZEROS + 1 + rng_below(&rng, 400), 1);
		if (sync == c->len)
			break;
		for (k = 1; k <= BEFORE; k++) {
			uint8_t *p = &d.copy[sync - k], was = *p;

			if (sync - k <= ASYNC_ZEROS)
				break;
			*p = rng_below(&rng, 4) ? long_headers[rng_below(&rng, sizeof(long_headers))] :
						  (uint8_t)rng_next(&rng);
			if (*p != was)
				bad |= costs_more(&d.r, &d.want, d.copy, sync - k, sync, sum);
			*p = was;
		}
	}
	end(&d);
	return bad;
}
