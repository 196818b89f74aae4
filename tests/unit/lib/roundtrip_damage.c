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

/* Formatter frames of their own: each begins with the ID, so that any of them can change places. */
#define FRAME_BYTES 14

static uint8_t *frame_all(const uint8_t *p, size_t len, unsigned int id, size_t *frames)
{
	size_t n = (len + FRAME_BYTES - 1) / FRAME_BYTES, f, k;
	uint8_t *out = calloc(n, 16);

	assert_non_null(out);
	for (f = 0; f < n; f++) {
		uint8_t *b = out + 16 * f;

		b[0] = (uint8_t)(id << 1 | 1);
		for (k = 1; k <= FRAME_BYTES; k++) {
			const size_t at = f * FRAME_BYTES + k - 1;
			const uint8_t byte = at < len ? p[at] : 0;

			if (at >= len && !(k & 1)) {
				b[k] = 1;	/* ID 0: no data follow */
				continue;
			}
			b[k] = k & 1 ? byte : byte & 0xfe;
			if (!(k & 1))
				b[15] |= (uint8_t)((byte & 1) << (k / 2));
		}
	}
	*frames = n;
	return out;
}

enum how { CHANGED, INSERTED, DELETED, EXCHANGED, HOWS };

static const char *const how_names[HOWS] = { "changed", "inserted", "deleted", "frames exchanged" };

/* A stream with one damage, and where the undamaged one continues behind it. */
struct damaged {
	uint8_t *p;
	size_t len, from, behind;
	bool framed;
};

static void damage_bytes(struct damaged *d, const struct gen_case *c, enum how how, struct rng *rng)
{
	const size_t n = rng_below(rng, 4) ? 1 : rng_range(rng, 2, 8);
	size_t i;

	d->from = ASYNC_ZEROS + 1 + rng_below(rng, (uint32_t)(c->len - ASYNC_ZEROS - 1));
	d->p = malloc(c->len + n);
	assert_non_null(d->p);
	memcpy(d->p, c->trace, d->from);
	d->len = d->from;
	for (i = 0; i < n && how != DELETED; i++)
		/* speculation and transactions are the state that outlives a synchronisation */
		d->p[d->len++] = rng_below(rng, 3) ? (uint8_t)rng_next(rng) :
				 (uint8_t[]){ 0x0a, 0x0b, 0x2d, 0x2e, 0x30, 0x34, 0x01, 0xf7 }[rng_below(rng, 8)];
	d->behind = d->from + (how == INSERTED ? 0 : n);
	if (d->behind > c->len)
		d->behind = c->len;
	memcpy(d->p + d->len, c->trace + d->behind, c->len - d->behind);
	d->len += c->len - d->behind;
}

static void damage_frames(struct damaged *d, const struct gen_case *c, struct rng *rng)
{
	size_t n, a, b;
	uint8_t frame[16];

	d->p = frame_all(c->trace, c->len, c->regs.traceidr & 0x7f, &n);
	d->len = 16 * n;
	d->framed = true;
	a = n < 3 ? 0 : 1 + rng_below(rng, (uint32_t)n - 2);
	b = a + 1 + rng_below(rng, 4);
	if (b >= n)
		b = n - 1;
	memcpy(frame, d->p + 16 * a, 16);
	memcpy(d->p + 16 * a, d->p + 16 * b, 16);
	memcpy(d->p + 16 * b, frame, 16);
	d->from = a * FRAME_BYTES;
	d->behind = (b + 1) * FRAME_BYTES;
}

/* A decoder that begins there has no context and no address yet: the index of its first sure range. */
static size_t first_sure(const struct gen_case *c, const struct list *l)
{
	const bool it_blocks = c->prog.user_isas & 1 << FLOW_T32 || c->prog.kernel_isa == FLOW_T32;
	size_t i, ranges = 0;

	for (i = 0; i < l->n; i++)
		if (l->v[i].kind == GEN_RANGE && ranges++ >= (it_blocks ? UNSURE_RANGES : 0))
			break;
	return i;
}

static uint64_t ranges_in(const struct list *l)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		n += l->v[i].kind == GEN_RANGE || l->v[i].kind == GEN_NOPATH;
	return n;
}

/* True if a loss was counted that the undamaged trace has not. */
static bool lost_more(const struct cst_stats *s, const struct cst_stats *clean)
{
	return s->bad_packets > clean->bad_packets || s->unsynced > clean->unsynced || s->overflows > clean->overflows ||
	       s->discards > clean->discards || s->resyncs > clean->resyncs || s->nacc > clean->nacc ||
	       s->atoms_lost > clean->atoms_lost || s->image_conflicts > clean->image_conflicts ||
	       s->stack_empty > clean->stack_empty || s->uncommitted > clean->uncommitted;
}

/*
 * Ranges that one damage can take without a trace of it: its bytes, and those that a packet takes whose header it is, are
 * atoms.
 */
#define TAKEN_UNSEEN 120

/* From its first sure range on, `got` ends as `fresh` does, which was decoded from the synchronisation on. */
static bool ends_same(struct list *got, struct list *fresh, size_t from, size_t *i, size_t *j)
{
	*i = fresh->n;
	*j = got->n;
	while (*i > from) {
		if (!*j)
			return false;
		if (!as_before(&fresh->v[*i - 1], &got->v[*j - 1]))
			return false;
		--*i;
		--*j;
	}
	return true;
}

/* The items right before the first that are the same to the end, and some of those. */
static void show_before(const struct list *fresh, size_t i, const struct list *got, size_t j)
{
	size_t k;

	for (k = i > 4 ? i - 4 : 0; k < i + 3 && k < fresh->n; k++)
		rt_show("want", fresh, k);
	for (k = j > 4 ? j - 4 : 0; k < j + 3 && k < got->n; k++)
		rt_show(" got", got, k);
}

int rt_damage_state(uint64_t seed, struct gen_case *c, struct rt_damage *sum)
{
	struct list fresh = { NULL, 0, 0 };
	struct cst_stats clean, stats;
	struct damaged d = { NULL, 0, 0, 0, false };
	size_t sync, sure, i, j;
	uint64_t whole;
	struct run r;
	struct rng rng;
	enum how how;
	int bad = 0;

	rng_seed(&rng, seed * 77 + 5);
	how = rng_below(&rng, HOWS);
	rt_begin(&r, c, 1 << 20);
	r.rnd = seed;
	rt_decode(&r, c->trace, c->len, false, true, &clean);
	whole = ranges_in(&r.got);
	if (how == EXCHANGED)
		damage_frames(&d, c, &rng);
	else
		damage_bytes(&d, c, how, &rng);
	sync = next_async(c->trace, c->len, d.behind < c->len ? d.behind : c->len, 1);
	rt_decode(&r, c->trace + sync, c->len - sync, false, true, &stats);
	fresh = r.got;
	memset(&r.got, 0, sizeof(r.got));
	sure = first_sure(c, &fresh);
	rt_decode(&r, d.p, d.len, d.framed, true, &stats);
	sum->tried++;
	sum->noticed += lost_more(&stats, &clean);
	if (sync < c->len && !ends_same(&r.got, &fresh, sure, &i, &j)) {
		print_message("seed %" PRIu64 ": %s at %zu, not the same after %zu\n", seed, how_names[how], d.from, sync);
		show_before(&fresh, i, &r.got, j);
		bad = 1;
	}
	if (!lost_more(&stats, &clean) && ranges_in(&r.got) + TAKEN_UNSEEN < whole) {
		print_message("seed %" PRIu64 ": %s at %zu, %" PRIu64 " of %" PRIu64 " ranges and no loss counted\n", seed,
			      how_names[how], d.from, ranges_in(&r.got), whole);
		bad = 1;
	}
	free(d.p);
	free(fresh.v);
	rt_end(&r);
	return bad;
}
