/* SPDX-License-Identifier: BSD-3-Clause */
/* sw_packets.h - packets of software trace (STM, ITM) one by one, and what the tests of both ask of them. */
#ifndef CSTRACE_TESTS_UNIT_SW_PACKETS_H
#define CSTRACE_TESTS_UNIT_SW_PACKETS_H

#include "unit/lib_decode.h"

#define MAX_PACKETS 64

struct listed {
	struct cst_packet pkt[MAX_PACKETS];
	unsigned int n;
};

/* Packets of p[0..len), which comes in pieces of `piece` bytes (0: at once); the last one may be cut. */
static inline void list(const struct cst_config *cfg, const uint8_t *p, size_t len, size_t piece, struct listed *l)
{
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_pull got;
	size_t at, n;

	l->n = 0;
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	for (at = 0; at <= len; at += n) {
		n = piece && piece < len - at ? piece : len - at;
		if (n)
			assert_int_equal(cst_decoder_feed(dec, p + at, n, at), 0);
		else
			cst_decoder_end(dec);
		for (;;) {
			assert_true(l->n < MAX_PACKETS);
			if (!cst_decoder_next_packet(dec, &l->pkt[l->n], &got) || got.why != CST_STOP_PACKET)
				break;
			l->n++;
			while (cst_decoder_pull(dec, out, 16, NULL))
				;
		}
		while (cst_decoder_pull(dec, out, 16, NULL))
			;
		if (!n)
			break;
	}
	cst_decoder_free(dec);
}

static inline void check_packet_text(const struct cst_packet *pkt, const char *want)
{
	char text[256];

	cst_packet_text(pkt, text, sizeof(text));
	assert_string_equal(text, want);
}

/* A packet at `index` with these bytes, and this text. */
static inline void check_packet(const struct cst_packet *pkt, uint64_t index, const uint8_t *bytes, unsigned int len,
				const char *text)
{
	assert_int_equal(pkt->index, index);
	assert_int_equal(pkt->size, len);
	assert_memory_equal(pkt->bytes, bytes, len);
	check_packet_text(pkt, text);
}

/* What a stream of which `index` begins the one packet that may make an element comes to; `element` NULL: none. */
static inline void check_element(const struct cst_config *cfg, const uint8_t *p, size_t len, uint64_t index,
				 const char *kind, const char *element)
{
	char text[256], want[256];
	struct decoded d;

	decode_bytes(cfg, NULL, p, len, &d);
	assert_int_equal(d.n, element ? 3 : 2);
	assert_int_equal(d.stats.bad_packets + d.stats.unsynced, 0);
	if (!element)
		return;
	cst_generic_text(&d.gen[1], text, sizeof(text));
	snprintf(want, sizeof(want), "OCSD_GEN_TRC_ELEM_%s(%s)", kind, element);
	assert_string_equal(text, want);
	assert_int_equal(d.gen[1].index, index);
	assert_int_equal(d.gen[1].trace_id, cfg->trace_id);
}

/* A packet that is none, why, and its text. */
static inline void check_bad_packet(const struct cst_packet *pkt, unsigned int type, unsigned int size,
				    unsigned int bad_type, const char *text)
{
	assert_int_equal(pkt->type, type);
	assert_int_equal(pkt->size, size);
	assert_int_equal(pkt->bad_type, bad_type);
	check_packet_text(pkt, text);
}

/* One loss, told in element `i`: `lost` bytes because of an error. */
static inline void check_one_loss(const struct decoded *d, unsigned int i, unsigned int error, uint64_t lost)
{
	assert_int_equal(d->gen[i].kind, CST_GEN_NO_SYNC);
	assert_int_equal(d->gen[i].num, CST_UNSYNC_BAD_PACKET);
	assert_int_equal(d->gen[i].error, error);
	assert_int_equal(d->stats.bad_packets, 1);
	assert_int_equal(d->stats.resyncs, 1);
	assert_int_equal(d->stats.unsynced, lost);
}

#endif
