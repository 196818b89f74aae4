/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_itm.c - ITM and DWT packet by packet: bytes worked out by hand (DDI 0403 D4), text, elements, what packets
 * say together, errors and where decoding goes on after them.
 */
#include <cstrace/log.h>

#include "unit/lib/sw_packets.h"

#define ITM_ASYNC 0x00, 0x00, 0x00, 0x00, 0x00, 0x80
#define ASYNC_BYTES 6
#define ITM_PRESCALE(code) (1u << 4 | (code) << 8)	/* ITM_TCR: SWOENA, TSPrescale */

static struct cst_config itm_config(uint32_t tcr)
{
	struct cst_itm_regs regs = { .tcr = 0x00140001 | tcr };
	struct cst_config cfg;

	assert_int_equal(cst_config_itm(&cfg, &regs), 0);
	assert_int_equal(cfg.trace_id, 0x14);
	return cfg;
}

static const struct {
	uint8_t bytes[8];	/* after a synchronisation packet */
	unsigned int len;
	const char *text;
	const char *element;	/* NULL: none */
	unsigned int finding;	/* that a strict decoder takes for an error */
} rows[] = {
	{ { ITM_ASYNC }, 6, "ITM_ASYNC: ; 'Alignment synchronisation packet'", NULL, 0 },
	{ { 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80 }, 8,
	  "ITM_ASYNC: ; 'Alignment synchronisation packet'", NULL, 0 },
	{ { 0x70 }, 1, "ITM_OVERFLOW: ; 'ITM overflow packet'", NULL, 0 },
	/* software: port 3, a byte; ports 1 and 31, two and four */
	{ { 0x19, 0xbb }, 2, "ITM_SWIT: {src id: 0x03}  0xbb; 'Software Stimulus write packet'",
	  "ITM_SWIT (ch: 0x3; Data: 0xbb) ", 0 },
	{ { 0x0a, 0x45, 0x23 }, 3, "ITM_SWIT: {src id: 0x01}  0x2345; 'Software Stimulus write packet'",
	  "ITM_SWIT (ch: 0x1; Data: 0x2345) ", 0 },
	{ { 0xfb, 0x23, 0x01, 0x89, 0x67 }, 5, "ITM_SWIT: {src id: 0x1f}  0x67890123; 'Software Stimulus write packet'",
	  "ITM_SWIT (ch: 0x1f; Data: 0x67890123) ", 0 },
	/* hardware */
	{ { 0x05, 0x15 }, 2, "ITM_DWT: {desc: 0x00} [Event Counter: 0x15; Flags:  CPI  ---  Sleep  ---  Fold  --- ] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x0; Data: 0x15) ", 0 },
	{ { 0x05, 0x2a }, 2, "ITM_DWT: {desc: 0x00} [Event Counter: 0x2a; Flags:  ---  EXC  ---  LSU  ---  CYC ] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x0; Data: 0x2a) ", 0 },
	{ { 0x05, 0x40 }, 2, "ITM_DWT: {desc: 0x00} [Event Counter: 0x40; Flags:  ---  ---  ---  ---  ---  --- ] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x0; Data: 0x40) ", CST_FIND_RESERVED_BITS },
	{ { 0x0e, 0x04, 0x10 }, 3, "ITM_DWT: {desc: 0x01} [Exception Num:  0x0004(entered) ]; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x1; Data: 0x1004) ", 0 },
	{ { 0x0e, 0x23, 0x21 }, 3, "ITM_DWT: {desc: 0x01} [Exception Num:  0x0123(exited) ]; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x1; Data: 0x2123) ", 0 },
	{ { 0x0e, 0x03, 0x30 }, 3, "ITM_DWT: {desc: 0x01} [Exception Num:  0x0003(returned to) ]; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x1; Data: 0x3003) ", 0 },
	{ { 0x0e, 0x03, 0x00 }, 3, "ITM_DWT: {desc: 0x01} [Exception Num:  0x0003(reserved) ]; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x1; Data: 0x0003) ", CST_FIND_RESERVED_BITS },
	{ { 0x17, 0x00, 0x10, 0x00, 0x00 }, 5, "ITM_DWT: {desc: 0x02} [PC Sample: 0x00001000] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x2; Data: 0x00001000) ", 0 },
	{ { 0x15, 0x00 }, 2, "ITM_DWT: {desc: 0x02} [PC Sample: 0x00] ; 'DWT hardware stimulus write'",
	  "ITM_DWT (desc: 0x2; Data: 0x00) ", 0 },
	{ { 0x16, 0x00, 0x10 }, 3, "ITM_DWT: {desc: 0x02} [PC Sample: 0x1000] ; 'DWT hardware stimulus write'",
	  "ITM_DWT (desc: 0x2; Data: 0x1000) ", CST_FIND_DWT_SIZE },
	{ { 0x37, 0x00, 0x20, 0x00, 0x00 }, 5, "ITM_DWT: {desc: 0x06} [Reserved discriminator value] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x6; Data: 0x00002000) ", CST_FIND_DWT_RESERVED },
	{ { 0x57, 0x78, 0x56, 0x34, 0x12 }, 5, "ITM_DWT: {desc: 0x0a} [Data Trc: comp=1; PC Value=0x12345678 ] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0xa; Data: 0x12345678) ", 0 },
	{ { 0x7e, 0x34, 0x12 }, 3, "ITM_DWT: {desc: 0x0f} [Data Trc: comp=3; Address=0x1234 ] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0xf; Data: 0x1234) ", 0 },
	{ { 0x95, 0x44 }, 2, "ITM_DWT: {desc: 0x12} [Data Trc: comp=1; Val read: 0x44] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x12; Data: 0x44) ", 0 },
	{ { 0xbe, 0x33, 0x22 }, 3, "ITM_DWT: {desc: 0x17} [Data Trc: comp=3; Val write: 0x2233] ; "
	  "'DWT hardware stimulus write'", "ITM_DWT (desc: 0x17; Data: 0x2233) ", 0 },
	/* local timestamps */
	{ { 0x20 }, 1, "ITM_TS_LOCAL: 0x02 { TS Sync }; 'Local Timestamp'",
	  "ITM_TS_LOCAL ( TS delta: 0x00000002, { TS Sync}; TS cumulative: 0x0000000000000002) ", 0 },
	{ { 0xd0, 0x0d }, 2, "ITM_TS_LOCAL: 0x0d { TS Delayed }; 'Local Timestamp'",
	  "ITM_TS_LOCAL ( TS delta: 0x0000000d, { TS Delay}; TS cumulative: 0x000000000000000d) ", 0 },
	{ { 0xe0, 0xc2, 0x26 }, 3, "ITM_TS_LOCAL: 0x1342 { TS Sync, Packet Delayed }; 'Local Timestamp'",
	  "ITM_TS_LOCAL ( TS delta: 0x00001342, { Packet Delay}; TS cumulative: 0x0000000000001342) ", 0 },
	{ { 0xf0, 0xde, 0xfe, 0xd0, 0x3a }, 5,
	  "ITM_TS_LOCAL: 0x07543f5e { TS Delayed, Packet Delayed }; 'Local Timestamp'",
	  "ITM_TS_LOCAL ( TS delta: 0x07543f5e, { TS and Packet Delay}; TS cumulative: 0x0000000007543f5e) ", 0 },
	{ { 0x90, 0x0d }, 2, "ITM_TS_LOCAL: 0x0d { TS Delayed }; 'Local Timestamp'",
	  "ITM_TS_LOCAL ( TS delta: 0x0000000d, { TS Delay}; TS cumulative: 0x000000000000000d) ",
	  CST_FIND_ITM_LOCAL_TS },
	/* global timestamps: a part tells no time */
	{ { 0x94, 0xd6, 0xe8, 0xc8, 0x07 }, 5,
	  "ITM_GTS_1: { TS bits [25:0]} 0x00f23456; 'Global Timestamp [25:0]'", NULL, 0 },
	{ { 0x94, 0x82, 0xcf, 0xfa, 0x77 }, 5,
	  "ITM_GTS_1: { TS bits [25:0], Clk change, Clk wrap} 0x02fea782; 'Global Timestamp [25:0]'", NULL, 0 },
	{ { 0x94, 0x7a }, 2, "ITM_GTS_1: { TS bits [6:0]} 0x7a; 'Global Timestamp [25:0]'", NULL, 0 },
	{ { 0x94, 0x92, 0x4e }, 3, "ITM_GTS_1: { TS bits [13:0]} 0x2712; 'Global Timestamp [25:0]'", NULL, 0 },
	{ { 0x94, 0xd3, 0xc6, 0x10 }, 4, "ITM_GTS_1: { TS bits [20:0]} 0x042353; 'Global Timestamp [25:0]'", NULL, 0 },
	{ { 0xb4, 0x93, 0x98, 0xa0, 0xa0, 0x80, 0x00 }, 7,
	  "ITM_GTS_2: { TS bits [63:26]} 0x0004080c13; 'Global Timestamp [{63|42}:26]'", NULL, 0 },
	{ { 0xb4, 0x93, 0x98, 0xa0, 0x00 }, 5,
	  "ITM_GTS_2: { TS bits [47:26]} 0x00080c13; 'Global Timestamp [{63|42}:26]'", NULL, 0 },
	{ { 0xb4, 0x13 }, 2, "ITM_GTS_2: { TS bits [47:26]} 0x13; 'Global Timestamp [{63|42}:26]'", NULL,
	  CST_FIND_ITM_GLOBAL_TS },
	{ { 0xb4, 0x93, 0x98, 0xa0, 0xa0, 0x20 }, 6,
	  "ITM_GTS_2: { TS bits [63:26]} 0x0204080c13; 'Global Timestamp [{63|42}:26]'", NULL, CST_FIND_ITM_GLOBAL_TS },
	{ { 0xb4, 0x93, 0x98, 0xa0, 0x7e }, 5,
	  "ITM_GTS_2: { TS bits [47:26]} 0x00080c13; 'Global Timestamp [{63|42}:26]'", NULL, CST_FIND_RESERVED_BITS },
	/* extension */
	{ { 0x28 }, 1, "ITM_EXTENSION: {stim port page} 0x02; 'Extension packet'", NULL, 0 },
	{ { 0x2c }, 1, "ITM_EXTENSION: {unknown extension type, 3 bits } 0x2; 'Extension packet'", NULL, 0 },
	{ { 0xd8, 0x7f }, 2, "ITM_EXTENSION: {unknown extension type, 10 bits } 0x3fd; 'Extension packet'", NULL, 0 },
	{ { 0x88, 0x80, 0x01 }, 3, "ITM_EXTENSION: {unknown extension type, 17 bits } 0x00400; 'Extension packet'", NULL, 0 },
	{ { 0xfc, 0x80, 0x80, 0x40 }, 4, "ITM_EXTENSION: {unknown extension type, 24 bits } 0x0800007; 'Extension packet'",
	  NULL, 0 },
	{ { 0x88, 0x81, 0x80, 0x80, 0x01 }, 5,
	  "ITM_EXTENSION: {unknown extension type, 32 bits } 0x001000008; 'Extension packet'", NULL, 0 },
	/* the fourth byte has eight bits of value */
	{ { 0xf8, 0xff, 0xff, 0xff, 0xff }, 5,
	  "ITM_EXTENSION: {unknown extension type, 32 bits } 0x0ffffffff; 'Extension packet'", NULL, 0 },
};

static void test_packets(void **state)
{
	struct cst_config cfg = itm_config(0);
	uint8_t bytes[ASYNC_BYTES + 8] = { ITM_ASYNC };
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_log *log;
	struct listed l;
	unsigned int i, piece;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = ASYNC_BYTES + rows[i].len;

		memcpy(bytes + ASYNC_BYTES, rows[i].bytes, rows[i].len);
		cfg.strict = 0;
		for (piece = 0; piece < 3; piece++) {
			list(&cfg, bytes, len, piece, &l);
			assert_int_equal(l.n, 2);
			assert_int_equal(l.pkt[0].type, CST_ITM_PKT_ASYNC);
			/* fields of other packets */
			assert_int_equal(l.pkt[0].event, 0);
			assert_int_equal(l.pkt[0].count, 0);
			check_packet(&l.pkt[1], ASYNC_BYTES, rows[i].bytes, rows[i].len, rows[i].text);
			assert_int_equal(l.pkt[1].finding[0], rows[i].finding);
		}
		check_element(&cfg, bytes, len, ASYNC_BYTES, "ITMTRACE", rows[i].element);
		cfg.strict = 1;
		assert_int_equal(cst_log_new(&log, 16), 0);
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_log(dec, log);
		assert_int_equal(cst_decoder_feed(dec, bytes, len, 0), 0);
		while (cst_decoder_pull(dec, out, 16, NULL))
			;
		assert_int_equal(cst_decoder_stats(dec)->bad_packets, !!rows[i].finding);
		assert_true(!rows[i].finding || cst_log_count_finding(log, 0x14, rows[i].finding) == 1);
		cst_decoder_free(dec);
		cst_log_free(log);
	}
}

/* What a hardware source sends is of the sizes that DDI 0403 D4 (DDI 0553 for 3, and for 8 to 15) has. */
static void test_sources(void **state)
{
	struct cst_config cfg = itm_config(0);
	unsigned int source, n;
	struct listed l;

	(void)state;
	for (source = 0; source < 32; source++)
		for (n = 1; n <= 4; n *= 2) {
			uint8_t bytes[ASYNC_BYTES + 5] = { ITM_ASYNC, (uint8_t)(source << 3 | 4 | (n == 4 ? 3 : n)),
							   source == 2 && n == 1 ? 0xff : 0x01, 0x10 };
			int reserved = (source >= 4 && source < 8) || source >= 24, fits;

			if (source == 0 || source == 3)
				fits = n == 1;
			else if (source == 1)
				fits = n == 2;
			else
				fits = source >= 8 || n != 2;
			list(&cfg, bytes, ASYNC_BYTES + 1 + n, 0, &l);
			assert_int_equal(l.n, 2);
			assert_int_equal(l.pkt[1].type, CST_ITM_PKT_DWT);
			assert_int_equal(l.pkt[1].vsize, n);
			if (l.pkt[1].finding[0] != (reserved ? CST_FIND_DWT_RESERVED : fits ? 0 : CST_FIND_DWT_SIZE))
				fail_msg("source %u, %u bytes: finding %u", source, n, l.pkt[1].finding[0]);
		}
	/* a PC of one byte, which is no address: all but two values are reserved */
	for (n = 0; n < 256; n++) {
		list(&cfg, BYTES(ITM_ASYNC, 0x15, (uint8_t)n), 0, &l);
		assert_int_equal(l.pkt[1].finding[0], n && n != 0xff ? CST_FIND_RESERVED_BITS : 0);
	}
	/* each reserved bit of events and exceptions by itself */
	for (n = 0; n < 8; n++) {
		list(&cfg, BYTES(ITM_ASYNC, 0x05, (uint8_t)(1 << n)), 0, &l);
		assert_int_equal(l.pkt[1].finding[0], n >= 6 ? CST_FIND_RESERVED_BITS : 0);
	}
	for (n = 0; n < 16; n++) {
		uint16_t v = (uint16_t)(0x1000 ^ 1 << n);

		list(&cfg, BYTES(ITM_ASYNC, 0x0e, (uint8_t)v, (uint8_t)(v >> 8)), 0, &l);
		assert_int_equal(l.pkt[1].finding[0], (n >= 9 && n < 13) || n >= 14 ? CST_FIND_RESERVED_BITS : 0);
	}
}

/* The fourth byte of an extension: a value of eight bits; to the reference, one of seven that must be the last. */
static void test_extension(void **state)
{
	struct cst_config cfg = itm_config(0);
	struct listed l;

	(void)state;
	list(&cfg, BYTES(ITM_ASYNC, 0x88, 0x80, 0x80, 0x80, 0x80, 0x09, 0xaa), 0, &l);
	assert_int_equal(l.n, 3);
	assert_true(l.pkt[1].value == 0x80000000);
	assert_int_equal(l.pkt[2].type, CST_ITM_PKT_SWIT);
	list(&cfg, BYTES(ITM_ASYNC, 0x88, 0x80, 0x80, 0x80, 0x01), 0, &l);
	assert_int_equal(l.pkt[1].value, 0x01000000);
}

/* Losses are told to the log; they stand before what comes after them. */
static void test_loss(void **state)
{
	static const uint8_t bytes[] = { ITM_ASYNC, 0x70, 0x09, 0xaa, 0x70 };
	struct cst_config cfg = itm_config(0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_log *log;

	(void)state;
	assert_int_equal(cst_log_new(&log, 16), 0);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_log(dec, log);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	while (cst_decoder_pull(dec, out, 16, NULL))
		;
	assert_int_equal(cst_log_count_finding(log, 0x14, CST_FIND_OVERFLOW), 2);
	assert_int_equal(cst_log_at(log, 0)->index, ASYNC_BYTES);
	assert_int_equal(cst_log_at(log, 1)->index, ASYNC_BYTES + 3);
	assert_int_equal(cst_decoder_stats(dec)->overflows, 2);
	/* what was not taken before a reset is gone, and so is what the overflow would have flagged */
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, BYTES(ITM_ASYNC, 0x09, 0xbb), 0x100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[1].payload, 0xbb);
	assert_int_equal(out[1].num, 0);
	cst_decoder_free(dec);
	cst_log_free(log);
}

/* Every header: its packet's size, by the table of the architecture. */
static void test_headers(void **state)
{
	const struct cst_config cfg = itm_config(0);
	uint8_t bytes[ASYNC_BYTES + 10] = { ITM_ASYNC };
	unsigned int h, want, size;
	struct listed l;

	(void)state;
	for (h = 1; h < 256; h++) {
		memset(bytes + ASYNC_BYTES, 0x01, 10);
		bytes[ASYNC_BYTES] = h;
		list(&cfg, bytes, sizeof(bytes), 0, &l);
		size = 2;
		if (h & 3) {
			want = h & 4 ? CST_ITM_PKT_DWT : CST_ITM_PKT_SWIT;
			size = 1 + (1u << ((h & 3) - 1));
		} else if (h == 0x70) {
			want = CST_ITM_PKT_OVERFLOW;
			size = 1;
		} else if (!(h & 0xf)) {
			want = CST_ITM_PKT_LOCAL_TS;
			size = h & 0x80 ? 2 : 1;
		} else if (h & 8) {
			want = CST_ITM_PKT_EXTENSION;
			size = h & 0x80 ? 2 : 1;
		} else if (h == 0x94 || h == 0xb4) {
			want = h == 0x94 ? CST_ITM_PKT_GLOBAL_TS1 : CST_ITM_PKT_GLOBAL_TS2;
		} else {
			want = CST_ITM_PKT_RESERVED;
			size = 1;
		}
		assert_int_equal(l.pkt[1].type, want);
		assert_int_equal(l.pkt[1].size, size);
	}
}

/* The page of the stimulus ports holds until the next one, and for software alone. */
static void test_pages(void **state)
{
	const struct cst_config cfg = itm_config(0);
	struct decoded d;

	(void)state;
	decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC, 0x28, 0x51, 0x01, 0x05, 0x01, 0x78, 0xf9, 0x02, ITM_ASYNC,
				       0xf9, 0x03, 0x08, 0x09, 0x04, 0x2c, 0x09, 0x05), &d);
	assert_int_equal(d.n, 8);
	assert_int_equal(d.gen[1].channel, 2 * 32 + 10);
	assert_int_equal(d.gen[2].channel, 0);
	assert_int_equal(d.gen[2].last_type, CST_ITM_DWT);
	assert_int_equal(d.gen[3].channel, 7 * 32 + 31);
	assert_int_equal(d.gen[4].channel, 7 * 32 + 31);
	assert_int_equal(d.gen[5].channel, 1);
	assert_int_equal(d.gen[6].channel, 1);
}

/* Local timestamps add up, times the prescaler; an overflow begins anew and flags what comes next. */
static void test_local(void **state)
{
	static const unsigned int factors[] = { 1, 4, 16, 64 };
	struct cst_config cfg;
	struct decoded d;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		cfg = itm_config(ITM_PRESCALE(i));
		decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC, 0x20, 0xd0, 0x81, 0x01, 0x70, 0x09, 0xaa, 0x30, 0x60), &d);
		assert_int_equal(d.n, 7);
		assert_int_equal(d.gen[1].ts, 2 * factors[i]);
		assert_int_equal(d.gen[2].ts, (2 + 129) * factors[i]);
		assert_int_equal(d.gen[2].payload, 129);
		assert_int_equal(d.gen[2].size, 2);
		assert_int_equal(d.gen[3].num, CST_SW_OVERFLOW);
		assert_int_equal(d.gen[4].num, 0);
		assert_int_equal(d.gen[4].ts, 3 * factors[i]);
		assert_int_equal(d.gen[5].ts, 9 * factors[i]);
		assert_int_equal(d.stats.overflows, 1);
	}
	/* without the trace port's clock the prescaler does nothing */
	cfg = itm_config(3u << 8);
	decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC, 0x20), &d);
	assert_int_equal(d.gen[1].ts, 2);
}

/* Global timestamps: low bits are replaced, upper ones are awaited when they have changed. */
static void test_global(void **state)
{
	struct cst_config cfg = itm_config(0);
	struct decoded d;

	(void)state;
	decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC,
		0x94, 0x7a,				/* low part of an unknown one: nothing */
		0x94, 0xd6, 0xe8, 0xc8, 0x07,		/* 0x0f23456, upper bits not known */
		0xb4, 0x93, 0x98, 0xa0, 0xa0, 0x80, 0x00, /* 0x4080c13 << 26 */
		0x94, 0x7a,
		0x94, 0x82, 0xcf, 0xfa, 0x77,		/* wrap and clock change: wait */
		0x94, 0x05,				/* still */
		0xb4, 0x94, 0x98, 0xa0, 0xa0, 0x80, 0x00,
		0x94, 0x06,
		ITM_ASYNC, 0x94, 0x07), &d);
	assert_int_equal(d.n, 7);
	assert_true(d.gen[1].ts == 0x1020304cf23456);
	assert_int_equal(d.gen[1].index, ASYNC_BYTES + 7);
	assert_int_equal(d.gen[1].last_type, CST_ITM_TS_GLOBAL);
	assert_true(d.gen[2].ts == 0x1020304cf2347a);
	assert_true(d.gen[3].ts == (0x4080c14ull << 26 | 0x02fea785));
	assert_int_equal(d.gen[3].num, CST_SW_CLOCK);
	assert_true(d.gen[4].ts == (0x4080c14ull << 26 | 0x02fea786));
	assert_int_equal(d.gen[4].num, 0);
	assert_true(d.gen[5].ts == (0x4080c14ull << 26 | 0x02fea787));

	/* 48 bits: the last byte of the upper ones has but one that counts */
	decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC, 0x94, 0x81, 0x80, 0x80, 0x00, 0xb4, 0xff, 0xff, 0xff, 0x7f), &d);
	assert_int_equal(d.n, 3);
	assert_true(d.gen[1].ts == 0xfffffc000001);
}

/* Bad packets: why, and that decoding goes on at the next synchronisation packet, with nothing of before. */
static void test_errors(void **state)
{
	static const struct {
		uint8_t bytes[8];
		unsigned int len, size;
		uint8_t type, bad_type;
		const char *text;
	} bad[] = {
		{ { 0x04 }, 1, 1, CST_ITM_PKT_RESERVED, 0, "ITM_RESERVED: ; 'Reserved Packet Header'" },
		{ { 0xf4 }, 1, 1, CST_ITM_PKT_RESERVED, 0, "ITM_RESERVED: ; 'Reserved Packet Header'" },
		{ { 0xc0, 0x80, 0x80, 0x80, 0x80 }, 5, 5, CST_ITM_PKT_BAD_SEQUENCE, CST_ITM_PKT_LOCAL_TS,
		  "ITM_BAD_SEQUENCE: [Init type: ITM_TS_LOCAL] ; 'Invalid sequence in packet'" },
		{ { 0x94, 0x80, 0x80, 0x80, 0x80 }, 5, 5, CST_ITM_PKT_BAD_SEQUENCE, CST_ITM_PKT_GLOBAL_TS1,
		  "ITM_BAD_SEQUENCE: [Init type: ITM_GTS_1] ; 'Invalid sequence in packet'" },
		{ { 0xb4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 }, 7, 7, CST_ITM_PKT_BAD_SEQUENCE,
		  CST_ITM_PKT_GLOBAL_TS2, "ITM_BAD_SEQUENCE: [Init type: ITM_GTS_2] ; 'Invalid sequence in packet'" },
		{ { 0x00, 0x00, 0x11 }, 3, 2, CST_ITM_PKT_BAD_SEQUENCE, CST_ITM_PKT_ASYNC,
		  "ITM_BAD_SEQUENCE: [Init type: ITM_ASYNC] ; 'Invalid sequence in packet'" },
		{ { 0x00, 0x00, 0x00, 0x00, 0x80 }, 5, 4, CST_ITM_PKT_BAD_SEQUENCE, CST_ITM_PKT_ASYNC,
		  "ITM_BAD_SEQUENCE: [Init type: ITM_ASYNC] ; 'Invalid sequence in packet'" },
	};
	static const uint8_t before[] = { ITM_ASYNC, 0x28, 0x20 }, again[] = { ITM_ASYNC, 0x09, 0xaa, 0x30 };
	const struct cst_config cfg = itm_config(0);
	uint8_t bytes[64];
	struct decoded d;
	struct listed l;
	unsigned int i, len;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(bytes, before, sizeof(before));
		memcpy(bytes + sizeof(before), bad[i].bytes, bad[i].len);
		len = sizeof(before) + bad[i].len;
		memcpy(bytes + len, again, sizeof(again));
		len += sizeof(again);
		list(&cfg, bytes, len, 0, &l);
		check_bad_packet(&l.pkt[3], bad[i].type, bad[i].size, bad[i].bad_type, bad[i].text);
		decode_bytes(&cfg, NULL, bytes, len, &d);
		assert_int_equal(d.n, 6);
		check_one_loss(&d, 2, bad[i].type == CST_ITM_PKT_RESERVED ? CST_ERR_BAD_HEADER : CST_ERR_BAD_SEQUENCE,
			       bad[i].len);
		assert_int_equal(d.gen[3].channel, 1);
		assert_int_equal(d.gen[4].ts, 3);
	}
}

/* A synchronisation packet whose first bytes were taken for a payload; damage within one. */
static void test_async_in_payload(void **state)
{
	struct cst_config cfg = itm_config(0);
	struct decoded d;

	(void)state;
	cfg.itm_sync = CST_ITM_SYNC_PACKET;
	decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC, 0x0b, ITM_ASYNC, 0x09, 0xaa), &d);
	assert_int_equal(d.n, 5);
	assert_int_equal(d.gen[1].payload, 0);
	assert_int_equal(d.gen[2].num, CST_UNSYNC_BAD_PACKET);
	assert_int_equal(d.gen[3].payload, 0xaa);
	decode_bytes(&cfg, NULL, BYTES(ITM_ASYNC, 0, 0, 0x10, 0, 0, 0x80, 0x09, 0xaa, ITM_ASYNC, 0x09, 0xbb), &d);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.gen[2].payload, 0xbb);
	assert_int_equal(d.stats.unsynced, 8);
}

/* Zeros without end: bounded, and the synchronisation packet after them is found. */
static void test_zeros(void **state)
{
	const struct cst_config cfg = itm_config(0);
	uint8_t bytes[1000] = { ITM_ASYNC };
	struct decoded d;

	(void)state;
	memcpy(bytes + 900, (const uint8_t[]){ 0x80, 0x09, 0xaa }, 3);
	decode_bytes(&cfg, NULL, bytes, 903, &d);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.gen[2].payload, 0xaa);
	assert_int_equal(d.stats.bad_packets, 1);
	decode_bytes(&cfg, NULL, bytes + 6, 897, &d);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.gen[1].payload, 0xaa);
	decode_bytes(&cfg, NULL, bytes + 6, 894, &d);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.stats.unsynced, 894);
}

/* Unsynchronised bytes in a listing stand in pieces as the reference has them. */
static void test_listing(void **state)
{
	static const uint8_t bytes[] = { 0xf0, 0x00, 0x00, 0x34, 0x00, 0x12, 0x33, 0x44, 0x12, 0x43, 0x55, 0x66, 0x22,
					 0x77, 0x88, 0x99, ITM_ASYNC };
	static const unsigned int sizes[] = { 1, 3, 8, 4, 6 };
	struct cst_config cfg = itm_config(0);
	struct listed l;
	unsigned int i;

	(void)state;
	cfg.itm_sync = CST_ITM_SYNC_PACKET;
	list(&cfg, bytes, sizeof(bytes), 0, &l);
	assert_int_equal(l.n, 5);
	for (i = 0; i < 5; i++)
		assert_int_equal(l.pkt[i].size, sizes[i]);
	assert_int_equal(l.pkt[4].type, CST_ITM_PKT_ASYNC);
}

/* Cut by the end of the trace; after a reset nothing of before holds. */
static void test_end_and_reset(void **state)
{
	static const uint8_t first[] = { ITM_ASYNC, 0x28, 0x70, 0x94, 0xd6, 0xe8, 0xc8, 0x07 };
	static const uint8_t second[] = { ITM_ASYNC, 0x09, 0xaa, 0x94, 0x05, 0x30 };
	const struct cst_config cfg = itm_config(0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_pull p;
	struct listed l;
	char text[256];

	(void)state;
	list(&cfg, BYTES(ITM_ASYNC, 0x0b, 0x01), 0, &l);
	assert_int_equal(l.n, 2);
	cst_packet_text(&l.pkt[1], text, sizeof(text));
	assert_string_equal(text, "ITM_INCOMPLETE_EOT: [Init type: ITM_SWIT] ; 'Incomplete packet flushed at end of trace'");
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, first, sizeof(first), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 1);
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 3);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[1].channel, 1);
	assert_int_equal(out[1].num, 0);
	assert_int_equal(out[2].ts, 3);
	assert_int_equal(cst_decoder_reconfigure(dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, second, sizeof(second), 200), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 16, &p), 1);
	assert_int_equal(p.why, CST_STOP_CONFIG);
	assert_int_equal(cst_decoder_pull(dec, out, 16, NULL), 2);
	assert_int_equal(out[1].ts, 3);
	cst_decoder_free(dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_extension),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_local),
		cmocka_unit_test(test_global),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_async_in_payload),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_listing),
		cmocka_unit_test(test_end_and_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
