/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_element.c - the queue of speculative elements stays within its limits, and what its digest
 * tells apart. Golden listings have what Commit, Cancel, Mispredict and Discard do.
 */
#include <inttypes.h>

#include "protocols/etmv4/etmv4.h"
#include "unit/lib_decode.h"

#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff

static struct cst_stats stats;

/* A transaction that fails was not executed, unless it is longer than the queue: then it counts as committed. */
static void test_long_transaction(void **state)
{
	static const uint8_t begin[] = { SYNC, 0x81, 0x30, AT(0x8000), 0xf7, 0x0a }, end[] = { 0x06, 0x31, 0x70, 0xf7 };
	static const uint32_t self = 0x14000000;	/* b . */
	static const struct {
		unsigned int atoms, ranges, failed;
	} rows[] = { { 1, 2, 1 }, { 252, 2, 1 }, { 253, 255, 0 }, { 400, 402, 0 } };
	struct cst_config cfg = ete_config(1, 0);
	uint8_t bytes[512];
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct program pr;
	size_t i, n;

	(void)state;
	cfg.hold_transactions = 1;
	cfg.max_queue = 256;
	program_map(&pr, 0x8000, &self, sizeof(self));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = sizeof(begin);
		memcpy(bytes, begin, n);
		memset(bytes + n, 0xf7, rows[i].atoms);
		n += rows[i].atoms;
		memcpy(bytes + n, end, sizeof(end));
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, pr.space);
		assert_int_equal(cst_decoder_feed(dec, bytes, n + sizeof(end), 0), 0);
		cst_decoder_end(dec);
		while (cst_decoder_pull(dec, out, 64, NULL) > 0)
			;
		assert_int_equal(cst_decoder_stats(dec)->ranges, rows[i].ranges);
		assert_int_equal(cst_decoder_stats(dec)->trans_failed, rows[i].failed);
		cst_decoder_free(dec);
	}
	cst_image_free(pr.img);
}

/* The queue never holds more than it may; when it is full, that is said and decoding goes on. */
static void test_limits(void **state)
{
	static const uint32_t limits[] = { 0, 1, 256, 300, 512, 4096, 65536 };
	static uint8_t bytes[40000];
	unsigned int i, n, at, found;

	(void)state;
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct cst_config cfg = ete_config(1, 0xffffffff);
		static const uint8_t sync[] = { SYNC };
		struct cst_generic out[64];
		struct cst_decoder *dec;
		int got, k;

		cfg.max_queue = limits[i];
		for (at = 0; at + 20000 <= sizeof(bytes); at += 20000) {
			memcpy(bytes + at, sync, 14);
			memset(bytes + at + 14, 0xf7, 20000 - 14);
		}
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
		cst_decoder_end(dec);
		n = found = 0;
		while ((got = cst_decoder_pull(dec, out, 64, NULL)) > 0)
			for (k = 0; k < got; k++, n++) {
				found += out[k].kind == CST_GEN_NO_SYNC && out[k].error == CST_ERR_QUEUE_FULL;
				if (out[k].kind == CST_GEN_EO_TRACE)
					found += 100;
			}
		assert_int_equal(found, 102);
		assert_int_equal(cst_decoder_stats(dec)->resyncs, 2);
		/* each atom is counted: dropped, or skipped until the next synchronisation */
		assert_int_equal(cst_decoder_stats(dec)->uncommitted + cst_decoder_stats(dec)->unsynced,
				 sizeof(bytes) - 28 - 2);
		cst_decoder_free(dec);
	}
}

/*
 * Packets of one element and of several, for which there is no room: NO_SYNC, of which the elements before are dropped that
 * may be speculative; the next one follows the next synchronisation.
 */
static void test_full(void **state)
{
	enum { QUEUE = 256, ROOM = 70, TRACE_INFO = 0x01 };
	static const struct {
		uint8_t bytes[24], len;
	} rows[] = {
		{ { 0xf7 }, 1 }, { { 0x80 }, 1 }, { { 0x81, 0x30 }, 2 }, { { 0x82, 1, 2, 3, 4, 0x30 }, 6 },
		{ { 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 0x30 }, 10 }, { { 0x95, 0x01 }, 2 }, { { 0x06, 0x01, 0x95, 0x01 }, 4 },
		{ { 0x06, 0x40, 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 0x30 }, 12 }, { { 0x07 }, 1 }, { { 0xaf }, 1 }, { { 0x71 }, 1 },
		{ { 0x88 }, 1 }, { { 0x02, 0x05 }, 2 }, { { 0x0c, 0x02 }, 2 }, { { 0x21 }, 1 }, { { 0x28 }, 1 }, { { 0x04 }, 1 },
		{ { TRACE_INFO, 0x04 }, 4 }, { { 0x2e, 0x01 }, 2 }, { { 0x30 }, 1 }, { { 0x40 }, 1 }, { { 0x42 }, 1 },
		{ { 0x43 }, 1 }, { { 0x44 }, 1 }, { { 0x48 }, 1 }, { { 0x50, 0x00 }, 2 }, { { 0x6c, 0x02 }, 2 }, { { 0x6d, 0x7f }, 2 },
		{ { 0x6b, 0x11, 0x20 }, 3 },
	};
	static const uint8_t sync[] = { SYNC };
	struct cst_config cfg = etm_config(6, 0xffffffff);
	static const uint8_t again[] = { SYNC, 0xf7, 0x2d, 0x01, 0x71 };
	uint8_t bytes[QUEUE + 128];
	struct cst_generic out[MAX_GEN];
	struct cst_decoder *dec;
	unsigned int i, fill, full = 0;
	int n, k, got;

	(void)state;
	cfg.max_queue = QUEUE;
	cfg.cond_trace = cfg.data_trace = 1;
	cfg.cond_keys = 16;
	cfg.qsupp = 3;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (fill = QUEUE - ROOM; fill <= QUEUE; fill++) {
			const unsigned int at = sizeof(sync) + fill;

			memcpy(bytes, sync, sizeof(sync));
			memset(bytes + sizeof(sync), 0xf7, fill + 80);
			memcpy(bytes + at, rows[i].bytes, rows[i].len);
			if (bytes[at] == TRACE_INFO) {	/* the speculation depth */
				bytes[at + 2] = 0x80 | (fill & 0x7f);
				bytes[at + 3] = (uint8_t)(fill >> 7);
			}
			memcpy(bytes + at + 80, again, sizeof(again));
			assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
			assert_int_equal(cst_decoder_feed(dec, bytes, at + 80 + sizeof(again), 0), 0);
			cst_decoder_end(dec);
			for (n = 0; (got = cst_decoder_pull(dec, out + n, MAX_GEN - (unsigned int)n, NULL)); n += got)
				assert_true(got > 0);
			for (k = 1; k < n && out[k].kind != CST_GEN_NO_SYNC; k++)
				assert_true(out[k].kind >= CST_GEN_TIMESTAMP);
			/* nothing of the atom: no address is known */
			if (k + 3 != n || out[k].error != CST_ERR_QUEUE_FULL || out[k + 1].kind != CST_GEN_EVENT || out[k + 2].kind != CST_GEN_EO_TRACE)
				fail_msg("packet 0x%02x after %u atoms: %d elements, %u after the loss", rows[i].bytes[0], fill, n, out[k + 1].kind);
			full += out[k].index == at;
			cst_decoder_free(dec);
		}
	assert_true(full > sizeof(rows) / sizeof(rows[0]));
}

/* Events without a P0 element before them cannot be cancelled: any number of them fits, also where speculation is allowed. */
static void test_many_events(void **state)
{
	static uint8_t bytes[20000] = { SYNC };
	struct cst_config cfg = ete_config(1, 8);
	struct cst_generic out[64];
	struct cst_decoder *dec;
	unsigned int events = 0, errors = 0;
	int got, k;

	(void)state;
	memset(bytes + 14, 0x71, sizeof(bytes) - 14);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	cst_decoder_end(dec);
	while ((got = cst_decoder_pull(dec, out, 64, NULL)) > 0)
		for (k = 0; k < got; k++) {
			events += out[k].kind == CST_GEN_EVENT;
			errors += out[k].error != 0;
		}
	assert_int_equal(events, sizeof(bytes) - 14);
	assert_int_equal(errors, 0);
	cst_decoder_free(dec);
}

/* The state behind these packets, with all that is resolved taken out. */
static void state_after(struct etmv4_queue *q, const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct etmv4_parser ps;
	struct cst_packet pkt;
	size_t at = 0;

	cst_etmv4_parser_init(&ps, cfg, NULL);
	assert_int_equal(cst_etmv4_queue_init(q, cfg, &stats, NULL), 0);
	while (at < len) {
		memset(&pkt, 0, sizeof(pkt));
		pkt.size = cst_etmv4_parse(&ps, p + at, p + len, &pkt);
		assert_true(pkt.size > 0);
		pkt.index = at;
		at += pkt.size;
		cst_etmv4_queue_packet(q, &pkt);
		while (cst_etmv4_queue_take(q))
			;
	}
}

#define BEGIN SYNC, 0x81, 0x30, AT(0x8000)
#define PAIR(same, ...) { same, { BEGIN, __VA_ARGS__ }, sizeof((const uint8_t[]){ BEGIN, __VA_ARGS__ }) }

/*
 * An index asks whether a decoder that began later goes on as one from the beginning does (protocol_int.h, stage_digest).
 * The first of each group is compared with the others: what is not resolved matters, what was taken does not.
 */
static void test_same(void **state)
{
	static const struct {
		int same;	/* 2: the first of a group */
		uint8_t p[64];
		size_t len;
	} cases[] = {
		/* an atom that is not committed */
		PAIR(2, 0xf7, 0x71), PAIR(1, 0xf7, 0x71), PAIR(0, 0xf6, 0x71), PAIR(0, 0xf7, 0xf7), PAIR(0, 0x71, 0xf7),
		/* committed, and too old for a Mispredict: gone, whatever it was */
		PAIR(2, 0xf7, 0xf7, 0x2d, 0x02), PAIR(1, 0xf6, 0xf7, 0x2d, 0x02), PAIR(0, 0xf7, 0xf7, 0x71, 0x71),
		/* addresses, contexts and times behind it */
		PAIR(2, 0xf7, AT(0x9000)), PAIR(1, 0xf7, AT(0x9000)), PAIR(0, 0xf7, AT(0x9004)),
		PAIR(0, 0xf7, 0x9b, 0x00, 0x48, 0x00, 0x00),
		PAIR(2, 0xf7, 0x81, 0x31), PAIR(1, 0xf7, 0x81, 0x31), PAIR(0, 0xf7, 0x81, 0x30), PAIR(0, 0xf7, 0x81, 0x11),
		PAIR(0, 0xf7, 0x81, 0x21),
		PAIR(2, 0xf7, 0x02, 0x05), PAIR(1, 0xf7, 0x02, 0x05), PAIR(0, 0xf7, 0x02, 0x06),
		/* an exception that waits for its address, and which one */
		PAIR(2, 0x06, 0x1d), PAIR(1, 0x06, 0x1d), PAIR(0, 0x06, 0x1b), PAIR(0, 0x71, 0x71),
		/* an exception that has it */
		PAIR(2, 0x06, 0x1d, AT(0x9000)), PAIR(1, 0x06, 0x1d, AT(0x9000)), PAIR(0, 0x06, 0x1d, AT(0x9004)),
		PAIR(0, 0x06, 0x1b, AT(0x9000)),
		/* an overflow before Trace On, not told yet */
		PAIR(2, 0x05, 0x71), PAIR(1, 0x05, 0x71), PAIR(0, 0x71, 0x71),
	};
	const struct cst_config cfg = etm_config(4, 6);
	struct etmv4_queue first, q;
	size_t i, of = 0;

	(void)state;
	memset(&first, 0, sizeof(first));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].same == 2) {
			cst_etmv4_queue_free(&first);
			state_after(&first, &cfg, cases[i].p, cases[i].len);
			of = i;
			continue;
		}
		assert_int_equal(cases[i].len, cases[of].len);
		state_after(&q, &cfg, cases[i].p, cases[i].len);
		if ((cst_etmv4_queue_digest(&first, 0) == cst_etmv4_queue_digest(&q, 0)) != cases[i].same)
			fail_msg("case %zu, compared with %zu", i, of);
		cst_etmv4_queue_free(&q);
	}
	cst_etmv4_queue_free(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_long_transaction),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
