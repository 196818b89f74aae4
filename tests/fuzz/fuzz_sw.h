/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_sw.h - any bytes for a protocol of software trace: the packets cover the bytes, one after the other;
 * neither they nor the elements depend on how the input is cut into feeds; every loss is counted and told of.
 */
#ifndef CSTRACE_TESTS_FUZZ_SW_H
#define CSTRACE_TESTS_FUZZ_SW_H

#include "fuzz_input.h"

#define MAX_IN 1024
#define MAX_OUT (4 * MAX_IN + 8)	/* of a packet: NO_SYNC twice, its own; nibbles are packets, too */

struct sw_run {
	struct cst_generic el[MAX_OUT];
	size_t n;
	uint64_t packets;	/* whose bytes were checked */
	struct cst_stats stats;
};

static inline void sw_pull(struct cst_decoder *dec, struct sw_run *r)
{
	int n;

	do {
		CHECK(MAX_OUT - r->n >= CST_PULL_MIN);
		n = cst_decoder_pull(dec, r->el + r->n, MAX_OUT - r->n, NULL);
		CHECK(n >= 0);
		r->n += n;
	} while (n);
}

/* Elements, the packets being of no interest. */
static inline void sw_elements(const struct cst_config *cfg, const uint8_t *data, size_t len, uint32_t seed,
			       uint32_t piece, struct sw_run *r)
{
	struct cst_decoder *dec;
	size_t at = 0, n;
	uint8_t *copy;

	r->n = 0;
	CHECK(!cst_decoder_new(&dec, cfg));
	while (at < len) {
		n = 1 + next_random(&seed, piece);
		n = n < len - at ? n : len - at;
		copy = malloc(n);	/* so that reading outside is seen */
		CHECK(copy);
		memcpy(copy, data + at, n);
		CHECK(!cst_decoder_feed(dec, copy, n, at));
		sw_pull(dec, r);
		free(copy);
		at += n;
	}
	cst_decoder_end(dec);
	sw_pull(dec, r);
	r->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

/* Packets, one by one: each begins where the one before ended, and shows the bytes that stand there. */
static inline void sw_packets(const struct cst_config *cfg, const uint8_t *data, size_t len, struct sw_run *r)
{
	uint64_t at = 0, bad = 0, unsynced = 0;
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull got;
	char text[512];
	unsigned int lead;
	int ended;

	r->n = r->packets = 0;
	CHECK(!cst_decoder_new(&dec, cfg));
	CHECK(!cst_decoder_feed(dec, data, len, 0));
	for (ended = 0; ended < 2; ended++) {
		if (ended)
			cst_decoder_end(dec);
		for (;;) {
			if (!cst_decoder_next_packet(dec, &pkt, &got) || got.why != CST_STOP_PACKET)
				break;
			lead = !!(pkt.flags & CST_PF_LEAD);
			CHECK(pkt.index == at && at + pkt.size <= len);
			CHECK(!lead || (at && pkt.lead == (data[at - 1] & 0xf0) && pkt.bytes[0] == pkt.lead));
			CHECK(pkt.nbytes <= CST_PACKET_BYTES && pkt.nbytes <= pkt.size + lead);
			if (pkt.nbytes > lead)
				CHECK(!memcmp(pkt.bytes + lead, data + at, pkt.nbytes - lead));
			CHECK(cst_packet_text(&pkt, text, sizeof(text)) < sizeof(text));
			switch (cst_packet_role(&pkt)) {
			case CST_ROLE_BAD:
				bad++;
				unsynced += pkt.size;
				break;
			case CST_ROLE_NOT_SYNC:
				unsynced += pkt.size;
				break;
			default:
				break;
			}
			at += pkt.size;
			r->packets += cst_packet_role(&pkt) != CST_ROLE_NOT_SYNC;
			sw_pull(dec, r);
		}
		sw_pull(dec, r);
	}
	CHECK(at == len);
	r->stats = *cst_decoder_stats(dec);
	CHECK(r->stats.packets == r->packets && r->stats.bad_packets == bad && r->stats.unsynced == unsynced);
	cst_decoder_free(dec);
}

static inline uint64_t sw_no_syncs(const struct sw_run *r)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		n += r->el[i].kind == CST_GEN_NO_SYNC;
	return n;
}

/* The same elements; the end's place is that of the last packet, and unsynchronised bytes are cut with the input. */
static inline void sw_same(const struct sw_run *a, const struct sw_run *b)
{
	size_t i;

	CHECK(a->n == b->n && a->n);
	for (i = 0; i + 1 < a->n; i++)
		CHECK(!memcmp(&a->el[i], &b->el[i], sizeof(a->el[i])));
	CHECK(a->el[i].kind == CST_GEN_EO_TRACE && b->el[i].kind == CST_GEN_EO_TRACE);
	CHECK(a->stats.bytes == b->stats.bytes && a->stats.bad_packets == b->stats.bad_packets &&
	      a->stats.unsynced == b->stats.unsynced && a->stats.resyncs == b->stats.resyncs &&
	      a->stats.overflows == b->stats.overflows && a->stats.elements == b->stats.elements);
	CHECK(a->stats.packets == b->stats.packets);
}

static inline void sw_fuzz(const struct cst_config *cfg, const uint8_t *data, size_t size, uint32_t seed)
{
	static struct sw_run whole, cut, listed;
	char text[512];
	size_t i;

	size = size < MAX_IN ? size : MAX_IN;
	sw_elements(cfg, data, size, 1, 1u << 30, &whole);
	for (i = 0; i < whole.n; i++) {
		CHECK(whole.el[i].index <= size);
		CHECK(cst_generic_text(&whole.el[i], text, sizeof(text)) < sizeof(text));
	}
	CHECK(whole.stats.bytes == size && whole.stats.unsynced <= size && whole.stats.elements == whole.n);
	CHECK(sw_no_syncs(&whole) == !!size + whole.stats.resyncs);
	sw_elements(cfg, data, size, seed, 1 + seed % 30, &cut);
	sw_same(&whole, &cut);
	sw_packets(cfg, data, size, &listed);
	sw_same(&whole, &listed);
}

#endif
