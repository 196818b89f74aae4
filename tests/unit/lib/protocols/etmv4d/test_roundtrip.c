/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_etmv4d.c - random ETMv4 data trace streams: what is publicly described comes back, in order; at a
 * data packet, whose length is not, decoding stops, says so, counts what it skips, and goes on at the next
 * synchronisation. After a changed byte everything is as before from the next synchronisation on.
 *
 * CST_SEEDS=N sets the number of streams (default 10000, see unit/seeds.h).
 */
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

#include "encode_etmv4d.h"
#include "protocols/etmv4d/etmv4d.h"
#include "unit/seeds.h"

struct got {
	struct dt_event *ev;
	size_t n, cap;
	struct cst_stats stats;
};

static void take(struct got *got, const struct cst_generic *g)
{
	struct dt_event e = { .off = g->index, .value = g->addr };

	switch (g->kind) {
	case CST_GEN_SYNC_MARKER:
		e.kind = g->num == CST_MARK_DATA_NUMBERED ? DT_MARKER_NUM : DT_MARKER;
		assert_int_not_equal(g->num, CST_MARK_TIMESTAMP);
		break;
	case CST_GEN_TIMESTAMP:
		e.kind = DT_TIME;
		break;
	case CST_GEN_EVENT:
		e.kind = DT_EVENT;
		e.value = g->num;
		break;
	case CST_GEN_DATA:
		assert_int_equal(g->num, CST_DATA_SUPPRESSED);
		e.kind = DT_LOST;
		break;
	case CST_GEN_NO_SYNC:
		if (g->num != CST_UNSYNC_BAD_PACKET)
			return;
		e.kind = DT_UNKNOWN;
		e.value = g->error == CST_ERR_NO_LENGTH ? 0 : g->error;
		break;
	default:
		assert_int_equal(g->kind, CST_GEN_EO_TRACE);
		return;
	}
	assert_int_equal(g->trace_id, 0x11);
	if (got->n == got->cap) {
		got->cap = got->cap ? 2 * got->cap : 256;
		got->ev = realloc(got->ev, got->cap * sizeof(*got->ev));
		assert_non_null(got->ev);
	}
	got->ev[got->n++] = e;
}

static void decode(const uint8_t *p, size_t len, uint64_t seed, struct got *got)
{
	struct cst_etmv4_regs regs = { .configr = 3 << 16 | 3 << 1, .traceidr = 0x10, .idr0 = 3 << 3 | 3 << 1,
				       .idr1 = 4 << 8, .idr2 = 4 };
	uint32_t piece = seed % 3 ? 1 + seed % 50 : 1u << 20;
	struct cst_generic out[CST_PULL_MIN + 3];
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	size_t at, k;
	int n, i;

	memset(got, 0, sizeof(*got));
	assert_int_equal(cst_config_etmv4_data(&cfg, &regs, CST_PROFILE_R), 0);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	for (at = 0; at <= len; at += k) {
		k = len - at < piece ? len - at : piece;
		if (at == len)
			cst_decoder_end(dec);
		else
			assert_int_equal(cst_decoder_feed(dec, p + at, k, at), 0);
		while ((n = cst_decoder_pull(dec, out, CST_PULL_MIN + seed % 4, NULL)) > 0)
			for (i = 0; i < n; i++)
				take(got, &out[i]);
		assert_int_equal(n, 0);
		if (!k)
			break;
	}
	got->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

static int same(const struct dt_event *a, const struct dt_event *b)
{
	return a->kind == b->kind && a->value == b->value && a->off == b->off;
}

static void test_exact(void **state)
{
	uint64_t n = seeds_wanted(10000), seed, all = 0, unknown = 0;
	struct dt_stream s;
	struct got got;
	size_t i;

	(void)state;
	for (seed = 1; seed <= n; seed++) {
		dt_make(seed, &s);
		decode(s.bytes, s.len, seed, &got);
		for (i = 0; i < s.nev && i < got.n && same(&s.ev[i], &got.ev[i]); i++)
			unknown += s.ev[i].kind == DT_UNKNOWN;
		if (i != s.nev || i != got.n)
			fail_msg("seed %" PRIu64 ": difference at %zu of %zu, decoded %zu", seed, i, s.nev, got.n);
		if (got.stats.unsynced != s.unknown || got.stats.overflows != s.overflows ||
		    got.stats.discards != s.discards || got.stats.data_lost != s.suppressed)
			fail_msg("seed %" PRIu64 ": %" PRIu64 " bytes skipped, should be %" PRIu64, seed,
				 got.stats.unsynced, s.unknown);
		all += i;
		free(got.ev);
		dt_free(&s);
	}
	print_message("%" PRIu64 " streams, %" PRIu64 " elements, %" PRIu64 " packets of unknown length\n", n, all, unknown);
	assert_true(all > 50 * n && unknown > 5 * n);
}

static void test_damaged(void **state)
{
	uint64_t n = seeds_wanted(10000), seed, compared = 0;
	struct dt_stream s;
	struct got got;
	size_t at, from, i, j, k;

	(void)state;
	for (seed = 1; seed <= n; seed++) {
		dt_make(seed, &s);
		at = (seed * 2654435761u >> 5) % s.len;
		s.bytes[at] ^= 1 + seed % 255;
		decode(s.bytes, s.len, seed, &got);
		for (k = 0; k < s.nsync && s.sync[k] <= at; k++)
			;
		/* within the A-sync it may be told that what came before was none */
		from = k < s.nsync ? s.sync[k] + 12 : s.len;
		for (i = 0; i < s.nev && s.ev[i].off < from; i++)
			;
		for (j = 0; j < got.n && got.ev[j].off < from; j++)
			;
		compared += s.nev - i;
		for (; i < s.nev && j < got.n && same(&s.ev[i], &got.ev[j]); i++, j++)
			;
		if (i != s.nev || j != got.n)
			fail_msg("seed %" PRIu64 ": byte %zu changed, not the same after %zu", seed, at, from);
		if (got.stats.unsynced > s.unknown + (from - (k ? s.sync[k - 1] : 0)) + CST_MAX_PACKET)
			fail_msg("seed %" PRIu64 ": byte %zu changed, %" PRIu64 " bytes lost", seed, at, got.stats.unsynced);
		free(got.ev);
		dt_free(&s);
	}
	assert_true(compared > 20 * n);
}

/* Behind the last byte there is no packet. */
static void test_nothing(void **state)
{
	const struct cst_config cfg = { .protocol = CST_PROTO_ETMV4_DATA };
	struct etmv4d_parser ps;
	struct cst_packet pkt;
	const uint8_t end = 0;

	(void)state;
	cst_etmv4d_parser_init(&ps, &cfg, NULL);
	assert_int_equal(cst_etmv4d_parse(&ps, &end, &end, &pkt), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
