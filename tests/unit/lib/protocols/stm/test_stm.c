/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_stm.c - STPv2 packet by packet: bytes worked out by hand (DDI 0444), text, elements, errors and where
 * decoding goes on after them.
 */
#include <cstrace/log.h>

#include "unit/lib/sw_packets.h"

#define STM_ASYNC 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f
#define STM_BINARY 0x0f, 0x30	/* VERSION 3 */
#define STM_GRAY 0x0f, 0x40	/* VERSION 4 */
#define STM_START STM_ASYNC, STM_BINARY
#define START_BYTES 13

static struct cst_config stm_config(void)
{
	struct cst_stm_regs regs = { .tcsr = 0x00100007 };
	struct cst_config cfg;

	assert_int_equal(cst_config_stm(&cfg, &regs), 0);
	assert_int_equal(cfg.trace_id, 0x10);
	return cfg;
}

static struct {
	const char *name;
	uint8_t bytes[24];	/* after ASYNC and VERSION 3 */
	unsigned int len;
	const char *text;
	const char *element;	/* NULL: none */
} const rows[] = {
	{ "NULL", { 0x00 }, 1, "NULL:Null packet", NULL },
	{ "M8", { 0x41, 0x01 }, 2, "M8:Set current master; Master=0x41", NULL },
	{ "MERR", { 0xa2, 0x0b }, 2, "MERR:Master Error", "(Ma:0x?\?; Ch:0x?\?) 0xab; {Master Error.}" },
	{ "C8", { 0x13, 0x02 }, 2, "C8:Set current channel; Chan=0x0012", NULL },
	{ "D8", { 0xa4, 0x05 }, 2, "D8:8 bit data; Data=0xa5", "(Ma:0x?\?; Ch:0x?\?) 0xa5; " },
	{ "D16", { 0x15, 0x32, 0x04 }, 3, "D16:16 bit data; Data=0x1234", "(Ma:0x?\?; Ch:0x?\?) 0x1234; " },
	{ "D32", { 0x16, 0x32, 0x54, 0x76, 0x08 }, 5, "D32:32 bit data; Data=0x12345678",
	  "(Ma:0x?\?; Ch:0x?\?) 0x12345678; " },
	{ "D64", { 0x17, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0x00 }, 9,
	  "D64:64 bit data; Data=0x123456789abcdef0", "(Ma:0x?\?; Ch:0x?\?) 0x123456789abcdef0; " },
	{ "D8MTS", { 0xa8, 0x25, 0xb4 }, 3, "D8MTS:8 bit data + marker + timestamp; Data=0xa5; "
	  "TS=0x000000000000004B ~[0x4B]", "(Ma:0x?\?; Ch:0x?\?) 0xa5; +Mrk  [ TS=0x00000000004b]; " },
	{ "D16MTS", { 0x19, 0x32, 0x14, 0x07 }, 4, "D16MTS:16 bit data + marker + timestamp; Data=0x1234; "
	  "TS=0x0000000000000007 ~[0x7]", "(Ma:0x?\?; Ch:0x?\?) 0x1234; +Mrk  [ TS=0x000000000007]; " },
	{ "D32MTS", { 0x1a, 0x32, 0x54, 0x76, 0x08 }, 5, "D32MTS:32 bit data + marker + timestamp; Data=0x12345678; "
	  "TS=0x0000000000000000", "(Ma:0x?\?; Ch:0x?\?) 0x12345678; +Mrk  [ TS=0x000000000000]; " },
	{ "D64MTS", { 0x1b, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xd0, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb,
	    0xed }, 16, "D64MTS:64 bit data + marker + timestamp; Data=0x123456789abcdef0; "
	  "TS=0x00123456789ABCDE ~[0x123456789ABCDE]",
	  "(Ma:0x?\?; Ch:0x?\?) 0x123456789abcdef0; +Mrk  [ TS=0x123456789abcde]; " },
	{ "D4", { 0x9c }, 1, "D4:4 bit data; Data=0x9", "(Ma:0x?\?; Ch:0x?\?) 0x9; " },
	{ "D4MTS", { 0x9d, 0x51 }, 2, "D4MTS:4 bit data + marker + timestamp; Data=0x9; "
	  "TS=0x0000000000000005 ~[0x5]", "(Ma:0x?\?; Ch:0x?\?) 0x9; +Mrk  [ TS=0x000000000005]; " },
	{ "FLAG_TS", { 0x2e, 0xb4 }, 2, "FLAGTS:Flag packet + timestamp; TS=0x000000000000004B ~[0x4B]",
	  "(Ma:0x?\?; Ch:0x?\?) +Mrk  [ TS=0x00000000004b]; " },
	{ "FLAG_TS full", { 0xee, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f }, 9,
	  "FLAGTS:Flag packet + timestamp; TS=0x123456789ABCDEF0 ~[0x123456789ABCDEF0]",
	  "(Ma:0x?\?; Ch:0x?\?) +Mrk  [ TS=0x123456789abcdef0]; " },
	{ "TRIG", { 0x0f, 0xa6, 0x05 }, 3, "TRIG:Trigger packet; TrigData=0xa5",
	  "(Ma:0x?\?; Ch:0x?\?) 0xa5; Trig " },
	{ "TRIG_TS", { 0x0f, 0xa7, 0x15, 0x03 }, 4, "TRIGTS:Trigger packet + timestamp; TrigData=0xa5; "
	  "TS=0x0000000000000003 ~[0x3]", "(Ma:0x?\?; Ch:0x?\?) 0xa5; Trig  [ TS=0x000000000003]; " },
	{ "FREQ", { 0x0f, 0x08, 0x21, 0xf4, 0x08, 0x00 }, 6, "FREQ:Frequency packet; Freq=19200000Hz",
	  "(Ma:0x?\?; Ch:0x?\?) 0x0124f800; Freq" },
	{ "GERR", { 0x2f, 0xba }, 2, "GERR:Global Error", "{Global Error.}" },
	{ "C16", { 0x3f, 0x21, 0x43 }, 3, "C16:Set current channel; Chan=0x1234", NULL },
	{ "D8TS", { 0x4f, 0x5a, 0x61 }, 3, "D8TS:8 bit data + timestamp; Data=0xa5; TS=0x0000000000000006 ~[0x6]",
	  "(Ma:0x?\?; Ch:0x?\?) 0xa5;  [ TS=0x000000000006]; " },
	{ "D16TS", { 0x5f, 0x21, 0x43, 0x61 }, 4,
	  "D16TS:16 bit data + timestamp; Data=0x1234; TS=0x0000000000000006 ~[0x6]",
	  "(Ma:0x?\?; Ch:0x?\?) 0x1234;  [ TS=0x000000000006]; " },
	{ "D32TS", { 0x6f, 0x21, 0x43, 0x65, 0x87, 0x61 }, 6,
	  "D32TS:32 bit data + timestamp; Data=0x12345678; TS=0x0000000000000006 ~[0x6]",
	  "(Ma:0x?\?; Ch:0x?\?) 0x12345678;  [ TS=0x000000000006]; " },
	{ "D64TS", { 0x7f, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 0x61 }, 10,
	  "D64TS:64 bit data + timestamp; Data=0x123456789abcdef0; TS=0x0000000000000006 ~[0x6]",
	  "(Ma:0x?\?; Ch:0x?\?) 0x123456789abcdef0;  [ TS=0x000000000006]; " },
	{ "D8M", { 0x8f, 0x5a }, 2, "D8M:8 bit data + marker; Data=0xa5", "(Ma:0x?\?; Ch:0x?\?) 0xa5; +Mrk " },
	{ "D16M", { 0x9f, 0x21, 0x43 }, 3, "D16M:16 bit data + marker; Data=0x1234",
	  "(Ma:0x?\?; Ch:0x?\?) 0x1234; +Mrk " },
	{ "D32M", { 0xaf, 0x21, 0x43, 0x65, 0x87 }, 5, "D32M:32 bit data + marker; Data=0x12345678",
	  "(Ma:0x?\?; Ch:0x?\?) 0x12345678; +Mrk " },
	{ "D64M", { 0xbf, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f }, 9,
	  "D64M:64 bit data + marker; Data=0x123456789abcdef0", "(Ma:0x?\?; Ch:0x?\?) 0x123456789abcdef0; +Mrk " },
	{ "D4TS", { 0xcf, 0x19, 0x06 }, 3, "D4TS:4 bit data + timestamp; Data=0x9; TS=0x0000000000000006 ~[0x6]",
	  "(Ma:0x?\?; Ch:0x?\?) 0x9;  [ TS=0x000000000006]; " },
	{ "D4M", { 0xdf, 0x09 }, 2, "D4M:4 bit data + marker; Data=0x9", "(Ma:0x?\?; Ch:0x?\?) 0x9; +Mrk " },
	{ "FLAG", { 0xef }, 1, "FLAG:Flag packet", "(Ma:0x?\?; Ch:0x?\?) +Mrk " },
	{ "ASYNC", { STM_ASYNC }, 11, "ASYNC:Alignment synchronisation packet", NULL },
	{ "VERSION", { STM_GRAY }, 2, "VERSION:Version packet; Ver=4", NULL },
};

static void test_packets(void **state)
{
	struct cst_config cfg = stm_config();
	uint8_t bytes[START_BYTES + 32] = { STM_START };
	struct listed l;
	unsigned int i, piece;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(bytes + START_BYTES, rows[i].bytes, rows[i].len);
		for (piece = 0; piece < 3; piece++) {
			list(&cfg, bytes, START_BYTES + rows[i].len, piece, &l);
			assert_true(l.n >= 3);
			assert_int_equal(l.pkt[0].type, CST_STM_PKT_ASYNC);
			/* the search for it reads no value */
			assert_int_equal(l.pkt[0].value, 0);
			assert_int_equal(l.pkt[1].type, CST_STM_PKT_VERSION);
			assert_true(l.pkt[2].flags & CST_STM_PF_TS || l.pkt[2].ts == 0);
			check_packet(&l.pkt[2], START_BYTES, rows[i].bytes, rows[i].len, rows[i].text);
			/* where it ends within a byte, the rest is NULL */
			assert_true(l.n <= 4);
			if (l.n == 4) {
				assert_int_equal(l.pkt[3].type, CST_STM_PKT_NULL);
				assert_int_equal(l.pkt[3].size, 0);
				assert_int_equal(l.pkt[3].index, START_BYTES + rows[i].len);
			}
		}
		check_element(&cfg, bytes, START_BYTES + rows[i].len, START_BYTES, "SWTRACE", rows[i].element);
	}
}

/* Master and channel as packets set them; what MERR, GERR and VERSION do to them. */
static void test_ids(void **state)
{
	static const struct {
		uint16_t num;
		uint32_t master, channel, payload;
	} want[] = {
		{ CST_SW_ID, 0x41, 0, 1 },
		{ CST_SW_ID, 0x41, 0x1234, 2 },
		{ CST_SW_ID, 0x41, 0x1256, 3 },
		{ CST_SW_ID | CST_SW_MASTER_ERR, 0x41, 0, 0x77 },
		{ CST_SW_ID, 0x41, 0, 4 },
		{ CST_SW_GLOBAL_ERR, 0, 0, 0x88 },
		{ 0, 0, 0x9, 5 },
		{ CST_SW_ID, 0x42, 0, 6 },
		{ CST_SW_ID, 0, 0, 7 },
	};
	const struct cst_config cfg = stm_config();
	struct decoded d;
	unsigned int i;

	(void)state;
	decode_bytes(&cfg, NULL, BYTES(STM_START,
		0x41, 0xc1, 0x01,	/* M8 41, D4 1, NULL */
		0x3f, 0x21, 0x43, 0x2c,	/* C16 1234, D4 2 */
		0x53, 0xc6, 0x03,	/* C8 56, D4 3, NULL */
		0x72, 0xc7, 0x04,	/* MERR 77, D4 4, NULL */
		0x2f, 0x88,		/* GERR 88 */
		0x03, 0xc9, 0x05,	/* C8 09, D4 5, NULL */
		0x41, 0xc2, 0x06,	/* M8 42, D4 6, NULL */
		STM_START, 0x7c		/* ASYNC, VERSION 3, D4 7 */
		), &d);
	assert_int_equal(d.n, 2 + sizeof(want) / sizeof(want[0]));
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct cst_generic *g = &d.gen[1 + i];

		assert_int_equal(g->kind, CST_GEN_SWTRACE);
		assert_int_equal(g->num, want[i].num);
		assert_int_equal(g->master, want[i].master);
		assert_int_equal(g->channel, want[i].channel);
		assert_int_equal(g->payload, want[i].payload);
	}
	assert_int_equal(d.stats.master_errors, 1);
	assert_int_equal(d.stats.global_errors, 1);
	assert_int_equal(d.stats.overflows, 0);
}

/* A timestamp replaces low nibbles: of the value, or of its Gray code. */
static void test_timestamps(void **state)
{
	const struct cst_config cfg = stm_config();
	struct decoded d;

	(void)state;
	decode_bytes(&cfg, NULL, BYTES(STM_START,
		0xce, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0x0e, /* C nibbles: 123456789abc, FLAG_TS, L = 0 */
		0x20, 0xff), &d);	/* ... the last two: cut */
	assert_int_equal(d.n, 5);
	assert_int_equal(d.gen[1].ts, 0x123456789abc);
	assert_int_equal(d.gen[2].ts, 0x123456789abc);
	assert_int_equal(d.gen[3].num, CST_SW_MASTER_ERR);	/* 2 f f */
	assert_int_equal(d.gen[4].kind, CST_GEN_EO_TRACE);

	/* Gray: 4 bits 1100 are 8; then 2 nibbles 1100 0100 are 135; then the low nibble 1111 gives 1100 1111: 138 */
	decode_bytes(&cfg, NULL, BYTES(STM_ASYNC, STM_GRAY, 0x1e, 0xec, 0xc2, 0xe4, 0xf1), &d);
	assert_int_equal(d.n, 5);
	assert_int_equal(d.gen[1].ts, 8);
	assert_int_equal(d.gen[2].ts, 135);
	assert_int_equal(d.gen[3].ts, 138);
	assert_int_equal(d.gen[3].flags, CST_GF_TS);
}

/* Bad packets: why, and that decoding goes on at the next ASYNC. */
static void test_errors(void **state)
{
	static const struct {
		uint8_t bytes[8];
		unsigned int len, size;
		uint8_t type, bad_type, error;
		const char *text;
	} bad[] = {
		{ { 0x0f, 0x02 }, 2, 2, CST_STM_PKT_RESERVED, 0, CST_ERR_BAD_HEADER,
		  "RESERVED:Reserved Packet Header" },	/* USER */
		{ { 0x0f, 0x0f }, 2, 2, CST_STM_PKT_RESERVED, 0, CST_ERR_BAD_HEADER,
		  "RESERVED:Reserved Packet Header" },
		{ { 0xfe }, 1, 1, CST_STM_PKT_BAD_SEQUENCE, CST_STM_PKT_FLAG, CST_ERR_BAD_SEQUENCE,
		  "BAD_SEQUENCE:Invalid sequence in packet[FLAG]" }, /* timestamp of F nibbles */
		{ { 0x0f, 0x50 }, 2, 2, CST_STM_PKT_BAD_SEQUENCE, CST_STM_PKT_VERSION, CST_ERR_BAD_SEQUENCE,
		  "BAD_SEQUENCE:Invalid sequence in packet[VERSION]" },
		{ { 0xff, 0xff, 0x1f }, 3, 2, CST_STM_PKT_BAD_SEQUENCE, CST_STM_PKT_ASYNC, CST_ERR_BAD_SEQUENCE,
		  "BAD_SEQUENCE:Invalid sequence in packet[ASYNC]" },
	};
	const struct cst_config cfg = stm_config();
	uint8_t bytes[64] = { STM_START };
	static const uint8_t again[] = { STM_START, 0x41, 0xc1, 0x09 };
	struct decoded d;
	struct listed l;
	unsigned int i, len;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(bytes + START_BYTES, bad[i].bytes, bad[i].len);
		len = START_BYTES + bad[i].len;
		memcpy(bytes + len, again, sizeof(again));
		len += sizeof(again);
		list(&cfg, bytes, len, 0, &l);
		check_bad_packet(&l.pkt[2], bad[i].type, bad[i].size, bad[i].bad_type, bad[i].text);
		decode_bytes(&cfg, NULL, bytes, len, &d);
		assert_int_equal(d.n, 4);
		check_one_loss(&d, 1, bad[i].error, bad[i].len);
		assert_int_equal(d.gen[1].index, START_BYTES);
		assert_int_equal(d.gen[2].payload, 9);
		assert_int_equal(d.gen[2].num, CST_SW_ID);
	}
	/* before VERSION it is not known what timestamps are */
	decode_bytes(&cfg, NULL, BYTES(STM_ASYNC, 0x2e, 0xb4, STM_START, 0x1c), &d);
	assert_int_equal(d.stats.bad_packets, 1);
	assert_int_equal(d.gen[d.n - 2].payload, 1);
}

/* An ASYNC whose first nibbles were taken for a payload: D32 without its own, D64 likewise. */
static void test_async_in_payload(void **state)
{
	const struct cst_config cfg = stm_config();
	struct decoded d;

	(void)state;
	decode_bytes(&cfg, NULL, BYTES(STM_START, 0x60, STM_START, 0x1c), &d);
	assert_int_equal(d.n, 5);
	assert_int_equal(d.gen[1].payload, 0xffffffff);
	assert_int_equal(d.gen[2].kind, CST_GEN_NO_SYNC);
	assert_int_equal(d.gen[3].payload, 1);
	decode_bytes(&cfg, NULL, BYTES(STM_START, 0x70, STM_START, 0x1c), &d);
	assert_int_equal(d.n, 5);
	assert_true(d.gen[1].payload == UINT64_MAX);
	assert_int_equal(d.gen[3].payload, 1);
	/* the length of a timestamp that is none */
	decode_bytes(&cfg, NULL, BYTES(STM_START, 0xe0, STM_START, 0x1c), &d);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.gen[2].payload, 1);
}

/* Unsynchronised bytes: an ASYNC may begin within a byte; more nibbles F before it do not matter. */
static void test_search(void **state)
{
	static const uint8_t half[] = { 0x12, 0xf3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0,
					0x00, 0xc3, 0x05 };
	const struct cst_config cfg = stm_config();
	uint8_t many[200], *p = many;
	struct decoded d;
	struct listed l;

	(void)state;
	list(&cfg, half, sizeof(half), 0, &l);
	assert_int_equal(l.pkt[0].type, CST_STM_PKT_NOT_SYNC);
	assert_int_equal(l.pkt[0].size, 2);
	assert_int_equal(l.pkt[1].type, CST_STM_PKT_ASYNC);
	assert_int_equal(l.pkt[2].type, CST_STM_PKT_VERSION);
	assert_int_equal(l.pkt[2].index, 13);
	assert_int_equal(l.pkt[2].lead, 0xf0);
	assert_int_equal(l.pkt[2].nbytes, 3);
	decode_bytes(&cfg, NULL, half, sizeof(half), &d);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.gen[1].payload, 5);
	assert_int_equal(d.stats.unsynced, 2);

	memset(p, 0xff, 150);
	memcpy(p + 150, (const uint8_t[]){ 0x0f, STM_BINARY, 0x1c }, 4);
	decode_bytes(&cfg, NULL, many, 154, &d);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.gen[1].payload, 1);
	assert_int_equal(d.stats.unsynced, 140);
	/* no ASYNC at all */
	decode_bytes(&cfg, NULL, many, 150, &d);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.stats.unsynced, 150);
}

/*
 * What a strict decoder refuses, a tolerant one reports: packets of STPv2 that no STM sends, a long ASYNC.
 */
static void test_strict(void **state)
{
	static const struct {
		uint8_t bytes[16];
		unsigned int len, elements, finding;
	} odd[] = {
		{ { 0x1f, 0x21, 0x43 }, 3, 2, CST_FIND_STM_NOT_SENT },	/* M16 */
		{ { 0x0f, 0x11, 0x05 }, 3, 3, CST_FIND_STM_NOT_SENT },	/* NULL_TS */
		{ { 0x0f, 0x09, 0x21, 0xf4, 0x08, 0x10, 0x05 }, 7, 3, CST_FIND_STM_NOT_SENT }, /* FREQ_TS */
		{ { 0x0f, 0x1a, 0x02 }, 3, 2, CST_FIND_STM_NOT_SENT },	/* XSYNC */
		{ { 0x0f, 0x1b, 0x12, 0x05 }, 4, 2, CST_FIND_STM_NOT_SENT }, /* XSYNC_TS */
		{ { 0xff, STM_ASYNC }, 12, 2, CST_FIND_STM_LONG_ASYNC },
	};
	struct cst_config cfg = stm_config();
	uint8_t bytes[64] = { STM_START };
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_log *log;
	struct decoded d;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		memcpy(bytes + START_BYTES, odd[i].bytes, odd[i].len);
		cfg.strict = 0;
		assert_int_equal(cst_log_new(&log, 16), 0);
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_log(dec, log);
		assert_int_equal(cst_decoder_feed(dec, bytes, START_BYTES + odd[i].len, 0), 0);
		while (cst_decoder_pull(dec, out, 16, NULL))
			;
		assert_int_equal(cst_log_count_finding(log, 0x10, odd[i].finding), 1);
		cst_decoder_free(dec);
		cst_log_free(log);
		decode_bytes(&cfg, NULL, bytes, START_BYTES + odd[i].len, &d);
		assert_int_equal(d.n, odd[i].elements);
		assert_int_equal(d.stats.bad_packets, 0);
		cfg.strict = 1;
		decode_pieces(&cfg, NULL, bytes, START_BYTES + odd[i].len, 0, &d);
		assert_int_equal(d.stats.bad_packets, 1);
		assert_int_equal(d.gen[1].num, CST_UNSYNC_BAD_PACKET);
	}
}

/* A packet cut by the end of the trace, also within its first byte, is told of. */
static void test_cut(void **state)
{
	const struct cst_config cfg = stm_config();
	struct decoded d;
	struct listed l;
	char text[256];

	(void)state;
	list(&cfg, BYTES(STM_START, 0x16, 0xe8), 0, &l);
	assert_int_equal(l.n, 3);
	cst_packet_text(&l.pkt[2], text, sizeof(text));
	assert_string_equal(text, "INCOMPLETE_EOT:Incomplete packet flushed at end of trace[D32]");
	/* within the value of a packet whose opcode has three nibbles */
	list(&cfg, BYTES(STM_START, 0x0f, 0x16), 0, &l);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.pkt[2].type, CST_STM_PKT_INCOMPLETE);
	assert_int_equal(l.pkt[2].bad_type, CST_STM_PKT_TRIG);
	list(&cfg, BYTES(STM_START, 0x1c, 0xc0), 0, &l);
	assert_int_equal(l.n, 5);
	assert_int_equal(l.pkt[4].type, CST_STM_PKT_INCOMPLETE);
	assert_int_equal(l.pkt[4].bad_type, CST_STM_PKT_D4);
	assert_int_equal(l.pkt[4].size, 0);
	assert_int_equal(l.pkt[4].index, START_BYTES + 2);
	decode_bytes(&cfg, NULL, BYTES(STM_START, 0x1c, 0xc0), &d);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.stats.bad_packets, 1);
	assert_int_equal(d.stats.resyncs, 0);
}

/* After a reset nothing of before holds; a new configuration begins at an ASYNC. */
static void test_reset(void **state)
{
	static const uint8_t first[] = { STM_START, 0x41, 0xc1, 0xc1 }, second[] = { STM_START, 0x1c };
	static const uint8_t half[] = { 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf0, 0x00,
					0xc3, 0x05 };
	struct cst_config cfg = stm_config();
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_pull p;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, first, sizeof(first), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[1].num, CST_SW_ID);
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[1].num, 0);
	assert_int_equal(out[1].payload, 1);
	assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 200), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, &p), 1);
	assert_int_equal(p.why, CST_STOP_CONFIG);
	assert_int_equal(out[0].kind, CST_GEN_NO_SYNC);
	assert_int_equal(out[0].index, 200);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 1);
	assert_int_equal(out[0].payload, 1);
	/* one that ends within a byte: the rest of it belongs to the next packet */
	assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, half, sizeof(half), 300), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, &p), 1);
	assert_int_equal(p.why, CST_STOP_CONFIG);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 1);
	assert_int_equal(out[0].payload, 5);
	assert_int_equal(cst_decoder_stats(dec)->bad_packets, 0);
	cst_decoder_free(dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_async_in_payload),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
