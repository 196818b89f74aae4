/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sw_roundtrip.h - software trace from an encoder's model through the decoder: whole, in pieces, cut, damaged.
 *
 * CST_SEEDS=N sets the number of streams (default 10000, see unit/seeds.h), CST_SEED=N runs one.
 */
#ifndef CSTRACE_TESTS_UNIT_SW_ROUNDTRIP_H
#define CSTRACE_TESTS_UNIT_SW_ROUNDTRIP_H

#include <inttypes.h>

#include "sw_enc.h"
#include "unit/lib_decode.h"
#include "unit/seeds.h"

#define DEFAULT_SEEDS 10000

struct sw_result {
	struct cst_generic *el;
	size_t n, cap;
	struct cst_stats stats;
};

/* The test that runs, for messages. */
static uint64_t sw_seed;
static const char *sw_what;

static inline void sw_check(int holds, const char *what, uint64_t at)
{
	if (!holds)
		fail_msg("seed %" PRIu64 ", %s: %s at %" PRIu64 " (CST_SEED=%" PRIu64 " repeats it)", sw_seed,
			 sw_what, what, at, sw_seed);
}

static inline void sw_pull(struct cst_decoder *dec, struct sw_result *r)
{
	int got;

	for (;;) {
		if (r->cap - r->n < CST_PULL_MIN) {
			r->cap = r->cap ? 2 * r->cap : 1024;
			r->el = gen_realloc(r->el, r->cap * sizeof(*r->el));
		}
		got = cst_decoder_pull(dec, r->el + r->n, r->cap - r->n, NULL);
		assert_true(got >= 0);
		if (!got)
			return;
		r->n += got;
	}
}

/* Bytes data[from..len) in pieces of at most `piece` bytes (0: at once). */
static inline void sw_decode(const struct cst_config *cfg, const uint8_t *data, size_t from, size_t len,
			     size_t piece, struct rng *rng, struct sw_result *r)
{
	struct cst_decoder *dec;
	size_t at, n;

	r->n = 0;
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	for (at = from; at < len; at += n) {
		n = piece ? rng_range(rng, 1, piece) : len - from;
		n = n < len - at ? n : len - at;
		assert_int_equal(cst_decoder_feed(dec, data + at, n, at), 0);
		sw_pull(dec, r);
	}
	cst_decoder_end(dec);
	sw_pull(dec, r);
	r->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

static inline int sw_is_software(const struct cst_generic *g)
{
	return g->kind == CST_GEN_SWTRACE || g->kind == CST_GEN_ITMTRACE;
}

/* What was decoded of packets from byte `from` on is what the model has from there on. */
static inline void sw_compare(const struct sw_trace *t, const struct sw_result *r, uint64_t from)
{
	size_t i = 0, k;

	while (i < t->n_el && t->el[i].index < from)
		i++;
	for (k = 0; k < r->n; k++) {
		if (!sw_is_software(&r->el[k]) || r->el[k].index < from)
			continue;
		sw_check(i < t->n_el, "an element too many", r->el[k].index);
		sw_check(!memcmp(&r->el[k], &t->el[i], sizeof(t->el[i])), "another element", t->el[i].index);
		i++;
	}
	sw_check(i == t->n_el, "an element is missing", i < t->n_el ? t->el[i].index : 0);
}

/* And the elements of packets that end before byte `to`. */
static inline void sw_compare_until(const struct sw_trace *t, const struct sw_result *r, uint64_t to)
{
	size_t i, k = 0;

	for (i = 0; i + 1 < t->n_el && t->el[i + 1].index <= to; i++) {
		while (k < r->n && !sw_is_software(&r->el[k]))
			k++;
		sw_check(k < r->n && !memcmp(&r->el[k], &t->el[i], sizeof(t->el[i])), "another element",
			 t->el[i].index);
		k++;
	}
}

static inline size_t sw_count(const struct sw_result *r, unsigned int kind, int reason)
{
	size_t i, n = 0;

	for (i = 0; i < r->n; i++)
		n += r->el[i].kind == kind && (reason < 0 || r->el[i].num == reason);
	return n;
}

/* Every loss is told of and counted. */
static inline void sw_check_losses(const struct sw_result *r)
{
	const struct cst_stats *s = &r->stats;

	sw_check(sw_count(r, CST_GEN_NO_SYNC, CST_UNSYNC_INIT) == 1, "starts", 0);
	sw_check(sw_count(r, CST_GEN_NO_SYNC, CST_UNSYNC_BAD_PACKET) == s->resyncs, "restarts", s->resyncs);
	sw_check(s->resyncs <= s->bad_packets && s->bad_packets <= s->resyncs + 1, "bad packets", s->bad_packets);
	sw_check(sw_count(r, CST_GEN_EO_TRACE, CST_UNSYNC_END) == 1, "ends", 0);
	sw_check(r->el[r->n - 1].kind == CST_GEN_EO_TRACE, "the last element", r->n);
}

static inline void sw_test_exact(const struct cst_config *cfg, const struct sw_trace *t, struct rng *rng)
{
	struct sw_result r = { 0 }, pieces = { 0 };

	sw_what = "whole";
	sw_decode(cfg, t->out.p, 0, t->out.len, 0, rng, &r);
	sw_compare(t, &r, 0);
	sw_check_losses(&r);
	sw_check(r.n == t->n_el + 2, "elements", r.n);
	sw_check(!r.stats.bad_packets && !r.stats.unsynced, "losses", r.stats.unsynced);
	sw_check(r.stats.bytes == t->out.len && r.stats.elements == r.n, "counts", r.stats.bytes);
	sw_what = "in pieces";
	sw_decode(cfg, t->out.p, 0, t->out.len, rng_pm(rng, 300) ? 1 : rng_range(rng, 1, 80), rng, &pieces);
	sw_check(pieces.n == r.n && !memcmp(pieces.el, r.el, r.n * sizeof(*r.el)), "elements", pieces.n);
	sw_check(!memcmp(&pieces.stats, &r.stats, sizeof(r.stats)), "counts", 0);
	free(r.el);
	free(pieces.el);
}

/* The trace begins anywhere: what comes before the first synchronisation is lost, and its size is told. */
static inline void sw_test_cut(const struct cst_config *cfg, const struct sw_trace *t, struct rng *rng,
			       unsigned int units)
{
	size_t from = rng_range(rng, 1, t->out.len - 1), i = 0;
	struct sw_result r = { 0 };
	uint64_t lost, start;

	sw_what = "cut";
	sw_decode(cfg, t->out.p, from, t->out.len, rng_range(rng, 0, 40), rng, &r);
	while (i < t->n_sync && t->sync[i].least < units * from)
		i++;
	start = i < t->n_sync ? (t->sync[i].start + units - 1) / units : t->out.len;
	/* an ITM's zeros before a synchronisation packet are taken for a part of it */
	while (units == 1 && i < t->n_sync && start > from && !t->out.p[start - 1])
		start--;
	lost = start > from ? start - from : 0;
	sw_compare(t, &r, i < t->n_sync ? t->sync[i].end : UINT64_MAX);
	/* an ITM's packets may be tried before it */
	sw_check(cfg->itm_sync || r.stats.unsynced == lost, "bytes lost", r.stats.unsynced);
	sw_check(cfg->itm_sync || i < t->n_sync || (!sw_count(&r, CST_GEN_SWTRACE, -1) && !sw_count(&r, CST_GEN_ITMTRACE, -1)),
		 "elements", from);
	sw_check_losses(&r);
	free(r.el);
}

/* Some bytes are damaged: exact before, and from the next synchronisation on. */
static inline void sw_test_damage(const struct cst_config *cfg, const struct sw_trace *t, struct rng *rng,
				  unsigned int units)
{
	size_t at = rng_below(rng, t->out.len), last = at, i = 0;
	unsigned int n = rng_range(rng, 1, 4);
	struct sw_result r = { 0 };
	uint8_t *copy = gen_realloc(NULL, t->out.len);

	sw_what = "damaged";
	memcpy(copy, t->out.p, t->out.len);
	while (n--) {
		copy[last] = rng_pm(rng, 250) ? 0 : rng_pm(rng, 250) ? 0xff : rng_next(rng);
		if (last + 1 < t->out.len)
			last++;
	}
	sw_decode(cfg, copy, 0, t->out.len, rng_range(rng, 0, 40), rng, &r);
	while (i < t->n_sync && t->sync[i].start / units <= last)
		i++;
	sw_compare_until(t, &r, at);
	if (i < t->n_sync)
		sw_compare(t, &r, t->sync[i].end);
	sw_check_losses(&r);
	sw_check(!r.stats.resyncs || sw_count(&r, CST_GEN_NO_SYNC, -1) > 1, "a restart that is not told of", at);
	free(copy);
	free(r.el);
}

static inline void sw_for_seeds(void (*run)(uint64_t seed))
{
	const char *one = getenv("CST_SEED");
	uint64_t n = seeds_wanted(DEFAULT_SEEDS);

	if (one) {
		sw_seed = strtoull(one, NULL, 0);
		run(sw_seed);
		return;
	}
	for (sw_seed = 1; sw_seed <= n; sw_seed++)
		run(sw_seed);
}

#endif
