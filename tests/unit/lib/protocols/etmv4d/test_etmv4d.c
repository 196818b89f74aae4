/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv4d.c - packets of the ETMv4 data trace stream one by one: their fields and elements, reserved bits, bad
 * packets and where decoding goes on after them.
 */
#include "unit/lib_decode.h"

#define MAX_PACKETS 64

struct listed {
	struct cst_packet pkt[MAX_PACKETS];
	unsigned int n;
};

/* Packets of p[0..len), which comes in pieces of `piece` bytes (0: at once). */
static void list(const struct cst_config *cfg, const uint8_t *p, size_t len, size_t piece,
		 struct listed *l)
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
			if (!cst_decoder_next_packet(dec, &l->pkt[l->n], &got) ||
			    got.why != CST_STOP_PACKET)
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

static struct cst_config data_config(void)
{
	struct cst_etmv4_regs regs = { .configr = 3 << 16 | 3 << 1, .traceidr = 0x10, .idr0 = 3 << 3 | 3 << 1,
				       .idr1 = 4 << 8, .idr2 = 4 };
	struct cst_config cfg;

	assert_int_equal(cst_config_etmv4_data(&cfg, &regs, CST_PROFILE_R), 0);
	return cfg;
}

#define INFO 0x00, 0x01, 0x00	/* Trace Info without sections */
#define START ASYNC, INFO
#define START_BYTES 15

/* The element of each packet: its number and value, which the other field does not repeat. */
static void test_elements(void **state)
{
	static const struct {
		uint8_t bytes[4], len, kind;
		uint32_t num;
		uint64_t value;
	} rows[] = {
		{ { 0x01 }, 1, CST_GEN_SYNC_MARKER, CST_MARK_DATA, 0 },
		{ { 0x00, 0x11 }, 2, CST_GEN_SYNC_MARKER, CST_MARK_DATA_NUMBERED, 0 },
		{ { 0x00, 0x1b }, 2, CST_GEN_SYNC_MARKER, CST_MARK_DATA_NUMBERED, 5 },
		{ { 0x00, 0x1f }, 2, CST_GEN_SYNC_MARKER, CST_MARK_DATA_NUMBERED, 7 },
		{ { 0x02, 0x85, 0x02 }, 3, CST_GEN_TIMESTAMP, 0, 0x105 },
		{ { 0x03 }, 1, CST_GEN_DATA, CST_DATA_SUPPRESSED, 0 },
		{ { 0x04, 0x0a }, 2, CST_GEN_EVENT, 0xa, 0 },
		{ { 0x00, 0x03 }, 2, CST_GEN_DATA, CST_DATA_SUPPRESSED, 0 },
		{ { 0x00, 0x05 }, 2, CST_GEN_DATA, CST_DATA_SUPPRESSED, 0 },
	};
	const struct cst_config cfg = data_config();
	uint8_t bytes[START_BYTES + 4] = { START };
	struct decoded d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cst_generic *g = &d.gen[1];

		memcpy(bytes + START_BYTES, rows[i].bytes, rows[i].len);
		decode_pieces(&cfg, NULL, bytes, START_BYTES + rows[i].len, 0, &d);
		if (d.n < 2 || g->kind != rows[i].kind || g->num != rows[i].num || g->addr != rows[i].value ||
		    g->index != START_BYTES || g->trace_id != cfg.trace_id)
			fail_msg("row %zu: %u elements, kind %u num %u value 0x%llx at %llu", i, d.n, g->kind, g->num,
				 (unsigned long long)g->addr, (unsigned long long)g->index);
		assert_int_equal(d.stats.bad_packets + d.stats.unsynced, 0);
		assert_int_equal(d.stats.data_lost, rows[i].bytes[0] == 0x03);
	}
}

/* The fields of Trace Info by the bits of its PLCTL, whose further bytes have no meaning; it resets the timestamp. */
static void test_trace_info(void **state)
{
	static const uint8_t bytes[] = {
		ASYNC, 0x00, 0x01, 0x9f, 0x80, 0x00, 0x81, 0x01, 0x02, 0x03, 0x04, 0x05,
		0x02, 0x85, 0x02,
		0x00, 0x01, 0x05, 0x06, 0x07,
		0x02, 0x03,
	};
	const struct cst_config cfg = data_config();
	struct listed l;
	size_t piece;

	(void)state;
	for (piece = 0; piece < 4; piece++) {
		list(&cfg, bytes, sizeof(bytes), piece, &l);
		assert_int_equal(l.n, 5);
		assert_int_equal(l.pkt[0].type, CST_ETMV4D_PKT_ASYNC);
		assert_int_equal(l.pkt[1].type, CST_ETMV4D_PKT_TRACE_INFO);
		assert_int_equal(l.pkt[1].size, 11);
		assert_int_equal(l.pkt[1].flags, CST_PF_INFO | CST_PF_KEY | CST_PF_SPEC | CST_PF_CYCT | CST_PF_WNDW);
		assert_int_equal(l.pkt[1].info, 0x81);
		assert_int_equal(l.pkt[1].key, 2);
		assert_int_equal(l.pkt[1].spec, 3);
		assert_int_equal(l.pkt[1].cyct, 4);
		assert_int_equal(l.pkt[2].ts, 0x105);
		assert_int_equal(l.pkt[3].type, CST_ETMV4D_PKT_TRACE_INFO);
		assert_int_equal(l.pkt[3].flags, CST_PF_INFO | CST_PF_SPEC);
		assert_int_equal(l.pkt[3].info, 6);
		assert_int_equal(l.pkt[3].key, 0);
		assert_int_equal(l.pkt[3].spec, 7);
		assert_int_equal(l.pkt[3].cyct, 0);
		/* only bits 6:0 are sent; the others are 0 again */
		assert_int_equal(l.pkt[4].ts, 3);
		assert_int_equal(l.pkt[4].event, 0);
	}
}

/* A packet that is none: its size, its type, and the A-sync after it, which is found from the packet's end on. */
static void test_bad_packets(void **state)
{
	static const struct {
		const char *what;
		uint8_t bytes[8], len, size, type, bad_type;
	} rows[] = {
		{ "reserved extension", { 0x00, 0x77 }, 2, 1, CST_ETMV4D_PKT_RESERVED, 0 },
		{ "last reserved extension", { 0x00, 0xff }, 2, 1, CST_ETMV4D_PKT_RESERVED, 0 },
		{ "reserved header", { 0x0f }, 1, 1, CST_ETMV4D_PKT_RESERVED, 0 },
		{ "data packet", { 0x70 }, 1, 1, CST_ETMV4D_PKT_P1_F1, 0 },
		{ "A-sync without its end", { 0x00, 0x00, 0x00, 0x81 }, 4, 3, CST_ETMV4D_PKT_BAD_SEQUENCE, CST_ETMV4D_PKT_ASYNC },
		{ "short A-sync", { 0x00, 0x00, 0x00, 0x80 }, 4, 3, CST_ETMV4D_PKT_BAD_SEQUENCE, CST_ETMV4D_PKT_ASYNC },
		{ "PLCTL of five bytes", { 0x00, 0x01, 0x80, 0x80, 0x80, 0x80, 0x01 }, 7, 6, CST_ETMV4D_PKT_BAD_SEQUENCE,
		  CST_ETMV4D_PKT_TRACE_INFO },
	};
	const struct cst_config cfg = data_config();
	uint8_t bytes[START_BYTES + 8 + START_BYTES] = { START };
	static const uint8_t start[] = { START };
	struct listed l;
	size_t i, piece;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(bytes + START_BYTES, rows[i].bytes, rows[i].len);
		memcpy(bytes + START_BYTES + rows[i].len, start, sizeof(start));
		for (piece = 0; piece < 3; piece++) {
			const struct cst_packet *bad = &l.pkt[2], *last;

			list(&cfg, bytes, START_BYTES + rows[i].len + sizeof(start), piece, &l);
			if (l.n < 4 || bad->index != START_BYTES || bad->size != rows[i].size || bad->type != rows[i].type ||
			    (rows[i].bad_type && bad->bad_type != rows[i].bad_type))
				fail_msg("%s, pieces of %zu: %u packets, size %u type %u of %u", rows[i].what, piece, l.n, bad->size,
					 bad->type, bad->bad_type);
			last = &l.pkt[l.n - 1];
			if (last->type != CST_ETMV4D_PKT_TRACE_INFO || last->index != START_BYTES + rows[i].len + 12u ||
			    last[-1].type != CST_ETMV4D_PKT_ASYNC)
				fail_msg("%s, pieces of %zu: type %u at %llu is last", rows[i].what, piece, last->type,
					 (unsigned long long)last->index);
		}
	}
}

/* Reserved bits of an Event are a finding, with which the packet is decoded; a strict decoder stops there. */
static void test_reserved_bits(void **state)
{
	static const uint8_t bytes[] = { START, 0x04, 0x1a, 0x04, 0x03 };
	struct cst_config cfg = data_config();
	struct listed l;

	(void)state;
	list(&cfg, bytes, sizeof(bytes), 0, &l);
	assert_int_equal(l.n, 4);
	assert_int_equal(l.pkt[2].type, CST_ETMV4D_PKT_EVENT);
	assert_int_equal(l.pkt[2].event, 0xa);
	assert_int_equal(l.pkt[2].finding[0], CST_FIND_RESERVED_BITS);
	assert_int_equal(l.pkt[2].finding[1], 0);
	assert_int_equal(l.pkt[3].event, 3);
	assert_int_equal(l.pkt[3].finding[0], 0);

	cfg.strict = 1;
	list(&cfg, bytes, sizeof(bytes), 0, &l);
	assert_int_equal(l.pkt[2].type, CST_ETMV4D_PKT_BAD_SEQUENCE);
	assert_int_equal(l.pkt[2].bad_type, CST_ETMV4D_PKT_EVENT);
	assert_int_equal(l.pkt[2].size, 2);
	assert_int_equal(l.pkt[3].type, CST_ETMV4D_PKT_NOT_SYNC);
}

/* The trace ends within a packet: what is left is one incomplete packet, which has no field of the packet before. */
static void test_cut(void **state)
{
	static const uint8_t bytes[] = { START, 0x04, 0x1a, 0x02, 0x80 };
	const struct cst_config cfg = data_config();
	struct listed l;

	(void)state;
	list(&cfg, bytes, sizeof(bytes), 0, &l);
	assert_int_equal(l.n, 4);
	assert_int_equal(l.pkt[2].event, 0xa);
	assert_int_equal(l.pkt[3].type, CST_ETMV4D_PKT_INCOMPLETE);
	assert_int_equal(l.pkt[3].bad_type, CST_ETMV4D_PKT_TIMESTAMP);
	assert_int_equal(l.pkt[3].index, START_BYTES + 2);
	assert_int_equal(l.pkt[3].size, 2);
	assert_int_equal(l.pkt[3].protocol, cfg.protocol);
	assert_int_equal(l.pkt[3].header, 0x02);
	assert_int_equal(l.pkt[3].event, 0);
	assert_int_equal(l.pkt[3].finding[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_trace_info),
		cmocka_unit_test(test_bad_packets),
		cmocka_unit_test(test_reserved_bits),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
