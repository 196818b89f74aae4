/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_ptm.c - PTM packets by their bytes, as recorded from a Snowball and a TC2 and as IHI 0035B section 4.5
 * draws them: fields, texts, what is reserved, what is cut; and the elements that they make.
 */
#include "unit/lib_decode.h"

#include <cstrace/log.h>

#define PTM_ASYNC 0, 0, 0, 0, 0, 0x80
#define CODE_AT 0x8000

/* ETMCR */
#define BROADCAST (1u << 8)
#define CYCLES (1u << 12)
#define CID4 (3u << 14)
#define CID1 (1u << 14)
#define STACK (1u << 29)
#define VMID (1u << 30)
/* ETMCCER */
#define BARRIERS (1u << 24)
#define TS_BINARY (1u << 28)
#define TS_64 (1u << 29)

static struct cst_config config(uint32_t cr, uint32_t ccer)
{
	struct cst_etmv3_regs regs = {
		.cr = cr, .ccer = ccer | 1u << 23 | 1u << 26, .idr = 0x411cf310, .traceidr = 0x13,
	};
	struct cst_config cfg;

	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	return cfg;
}

/* The packets after the first A-sync. */
static unsigned int packets(const struct cst_config *cfg, const uint8_t *p, size_t len, struct cst_packet *pkt,
			    unsigned int max)
{
	static const uint8_t async[] = { PTM_ASYNC };
	struct cst_decoder *dec;
	struct cst_packet one;
	struct cst_pull got;
	unsigned int n = 0, k;

	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	for (k = 0; k < 3; k++) {
		if (k < 2)
			assert_int_equal(cst_decoder_feed(dec, k ? p : async, k ? len : sizeof(async), k ? 0 : 0x1000), 0);
		else
			cst_decoder_end(dec);
		while (cst_decoder_next_packet(dec, &one, &got) && got.why == CST_STOP_PACKET)
			if (one.index < 0x1000) {
				assert_true(n < max);
				pkt[n++] = one;
			}
	}
	cst_decoder_free(dec);
	return n;
}

/* The texts of all packets, joined. */
static void check(const struct cst_config *cfg, const char *want, const uint8_t *p, size_t len)
{
	struct cst_packet pkt[16];
	char text[1024], one[256];
	unsigned int n = packets(cfg, p, len, pkt, 16), i;
	size_t at = 0, size = 0;

	text[0] = 0;
	for (i = 0; i < n; i++) {
		cst_packet_text(&pkt[i], one, sizeof(one));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? "|" : "", one);
		assert_true(at < sizeof(text));
		size += pkt[i].size;
	}
	assert_string_equal(text, want);
	assert_int_equal(size, len);
}

static void test_atoms(void **state)
{
	struct cst_config cfg = config(0, 0), cc = config(CYCLES, 0);
	struct cst_packet pkt[4];
	unsigned int h, i;

	(void)state;
	check(&cfg, "ATOM : Atom packet; E; ", BYTES(0x80));
	check(&cfg, "ATOM : Atom packet; N; ", BYTES(0x82));
	check(&cfg, "ATOM : Atom packet; EE; ", BYTES(0x88));
	check(&cfg, "ATOM : Atom packet; EN; |ATOM : Atom packet; NE; ", BYTES(0x8a, 0x8c));
	check(&cfg, "ATOM : Atom packet; EEN; |ATOM : Atom packet; NEE; ", BYTES(0x92, 0x98));
	check(&cfg, "ATOM : Atom packet; EEEN; |ATOM : Atom packet; NEEE; ", BYTES(0xa2, 0xb0));
	check(&cfg, "ATOM : Atom packet; EEEEN; |ATOM : Atom packet; NENNN; ", BYTES(0xc2, 0xee));
	/* bit 2 of a single atom is not used */
	check(&cfg, "ATOM : Atom packet; E; |ATOM : Atom packet; N; ", BYTES(0x84, 0x86));
	assert_int_equal(packets(&cfg, BYTES(0x84), pkt, 4), 1);
	assert_int_equal(pkt[0].finding[0], CST_FIND_PTM_RESERVED_BITS);
	/* a count of 1 bits is a count of N atoms, whatever the form */
	for (h = 0x88; h < 0x100; h += 2) {
		const uint8_t b = (uint8_t)h;

		assert_int_equal(packets(&cfg, &b, 1, pkt, 4), 1);
		assert_int_equal(pkt[0].finding[0], 0);
		for (i = 0; i < pkt[0].n_atoms; i++)
			assert_int_equal(pkt[0].atoms >> (pkt[0].n_atoms - 1 - i) & 1, !(h >> (i + 1) & 1));
		assert_int_equal(pkt[0].n_atoms, h < 0x90 ? 2 : h < 0xa0 ? 3 : h < 0xc0 ? 4 : 5);
	}
	/* with cycle counts, one atom each */
	check(&cc, "ATOM : Atom packet; N; Cycles=15; ", BYTES(0xbe));
	check(&cc, "ATOM : Atom packet; E; Cycles=3; ", BYTES(0x8c));
	check(&cc, "ATOM : Atom packet; N; Cycles=30; ", BYTES(0xfa, 0x01));
	check(&cc, "ATOM : Atom packet; E; Cycles=522; ", BYTES(0xe8, 0x20));
	check(&cc, "ATOM : Atom packet; E; Cycles=4294967295; ", BYTES(0xfc, 0xff, 0xff, 0xff, 0x7f));
	/* a fifth byte ends it whatever its bit 7 says */
	check(&cc, "ATOM : Atom packet; E; Cycles=4294967295; |TRIGGER : Trigger Event packet; ",
	      BYTES(0xfc, 0xff, 0xff, 0xff, 0xff, 0x0c));
}

static void test_branches(void **state)
{
	struct cst_config cc = config(CYCLES, 0), cfg = config(0, 0);
	struct cst_packet pkt[4];

	(void)state;
	/* Snowball */
	check(&cc, "ISYNC : Instruction Synchronisation packet; (Periodic); Addr=0xc00526fc; NS;  ISA=ARM(32); |"
		   "BRANCH_ADDRESS : Branch address packet; Addr=0xC0052C80 ~[0x2C80]; Cycles=14; |"
		   "BRANCH_ADDRESS : Branch address packet; Addr=0xC0076A4C ~[0x76A4C]; Cycles=17; ",
	      BYTES(0x08, 0xfc, 0x26, 0x05, 0xc0, 0x09, 0xc1, 0x2c, 0x38, 0xa7, 0xea, 0x0e, 0x44, 0x01));
	check(&cc, "BRANCH_ADDRESS : Branch address packet; Addr=0xFFFF0018 ~[0xFFFF0018]; ISA=ARM(32); NS; "
		   "Excep=IRQ [0e]; Cycles=15; ", BYTES(0x8d, 0x80, 0xfe, 0xff, 0x4f, 0x1d, 0x3c));
	/* TC2: Thumb */
	check(&cc, "ISYNC : Instruction Synchronisation packet; (Trace Enable); Addr=0xc0018dae; S;  ISA=Thumb2; "
		   "Cycles=63; |BRANCH_ADDRESS : Branch address packet; Addr=0xC00185A2 ~[0x5A2]; Cycles=378; |"
		   "BRANCH_ADDRESS : Branch address packet; Addr=0xC02F5B3A ~[0x2F5B3A]; Cycles=1; ",
	      BYTES(0x08, 0xaf, 0x8d, 0x01, 0xc0, 0x21, 0xfc, 0x03, 0xa3, 0x0b, 0x68, 0x17,
		    0xbb, 0xb6, 0xbd, 0x01, 0x04));
	/* one byte; the bits above are not known before an I-sync */
	check(&cfg, "BRANCH_ADDRESS : Branch address packet; Addr=0x\?\?\?\?\?\?7E (6:0) ~[0x7E]; ", BYTES(0x7f));
	/* Jazelle: bytes */
	assert_int_equal(packets(&cfg, BYTES(0x83, 0x80, 0x80, 0x80, 0x3f), pkt, 4), 1);
	assert_int_equal(pkt[0].isa, CST_ISA_JAZELLE);
	assert_int_equal(pkt[0].addr, 0xf8000001);
	/* ThumbEE by AltISA, and Thumb again */
	assert_int_equal(packets(&cfg, BYTES(0x83, 0x80, 0x80, 0x80, 0x50, 0x40, 0x85, 0x00, 0x83, 0x40, 0x00), pkt, 4), 3);
	assert_int_equal(pkt[0].isa, CST_ISA_TEE);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_BRANCH);
	assert_int_equal(pkt[1].isa, CST_ISA_TEE);
	assert_int_equal(pkt[2].isa, CST_ISA_T32);
	/* two exception bytes: Hyp, numbers above 15 */
	assert_int_equal(packets(&cfg, BYTES(0x83, 0x40, 0x87, 0x21, 0x83, 0x40, 0x06), pkt, 4), 2);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_EXCEPTION);
	assert_int_equal(pkt[0].exc_type, 0x13);
	assert_int_equal(pkt[0].flags & CST_PTM_PF_HYP, CST_PTM_PF_HYP);
	assert_int_equal(pkt[0].security, CST_SEC_NONSECURE);
	assert_int_equal(pkt[0].finding[0], CST_FIND_PTM_EXCEPTION);
	/* one byte only: Hyp stays */
	assert_int_equal(pkt[1].exc_type, 3);
	assert_int_equal(pkt[1].flags & CST_PTM_PF_HYP, CST_PTM_PF_HYP);
	assert_int_equal(pkt[1].security, CST_SEC_SECURE);
	/* exception field 0: no exception, but the reference takes it for one */
	assert_int_equal(packets(&cfg, BYTES(0x83, 0x40, 0x01), pkt, 4), 1);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_BRANCH);
	cfg.as_reference = 1;
	assert_int_equal(packets(&cfg, BYTES(0x83, 0x40, 0x01), pkt, 4), 1);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_EXCEPTION);
}

static void test_waypoints(void **state)
{
	struct cst_config cc = config(CYCLES, 0);

	(void)state;
	check(&cc, "ISYNC : Instruction Synchronisation packet; (Periodic); Addr=0xc0010e00; NS;  ISA=ARM(32); |"
		   "WP_UPDATE : Waypoint update packet; Addr=0xC0010EF0 ~[0xF0]; ",
	      BYTES(0x08, 0x00, 0x0e, 0x01, 0xc0, 0x09, 0x72, 0x79));
	/* a fifth byte may be followed by one with AltISA */
	check(&cc, "WP_UPDATE : Waypoint update packet; Addr=0x00000002 ~[0x2]; ISA=ThumbEE; |"
		   "TRIGGER : Trigger Event packet; ",
	      BYTES(0x72, 0x83, 0x80, 0x80, 0x80, 0x50, 0x40, 0x0c));
	/* in a shorter one the bit means nothing */
	check(&cc, "ISYNC : Instruction Synchronisation packet; (Periodic); Addr=0xc0010e00; NS;  ISA=ARM(32); |"
		   "WP_UPDATE : Waypoint update packet; Addr=0xC0010104 ~[0x104]; |TRIGGER : Trigger Event packet; ",
	      BYTES(0x08, 0x00, 0x0e, 0x01, 0xc0, 0x09, 0x72, 0x83, 0x41, 0x0c));
}

static void test_sync(void **state)
{
	struct cst_config cc = config(CYCLES | CID4, 0), cfg = config(CID1, 0);
	struct cst_packet pkt[4];

	(void)state;
	check(&cc, "ISYNC : Instruction Synchronisation packet; (Trace Enable); Addr=0xc0036328; NS;  "
		   "CtxtID=12345678; ISA=ARM(32); Cycles=380; ",
	      BYTES(0x08, 0x28, 0x63, 0x03, 0xc0, 0x29, 0xf0, 0x17, 0x78, 0x56, 0x34, 0x12));
	check(&cfg, "ISYNC : Instruction Synchronisation packet; (Restart Overflow); Addr=0x00008000; S; Hyp; "
		    "CtxtID=00000042; ISA=ThumbEE; ", BYTES(0x08, 0x01, 0x80, 0, 0, 0x47, 0x42));
	check(&cfg, "ISYNC : Instruction Synchronisation packet; (Debug Exit); Addr=0x00008000; S;  "
		    "CtxtID=00000042; ISA=Thumb2; ", BYTES(0x08, 0x01, 0x80, 0, 0, 0x61, 0x42));
	check(&cfg, "ASYNC : Alignment Synchronisation Packet; |ASYNC : Alignment Synchronisation Packet; ",
	      BYTES(PTM_ASYNC, 0, 0, 0, 0, 0, 0, 0, 0, 0x80));
	/* too few zeros, or not the end */
	check(&cfg, "BAD_SEQUENCE : Invalid sequence in packet; [ASYNC]; ", BYTES(0, 0, 0, 0, 0x80));
	check(&cfg, "BAD_SEQUENCE : Invalid sequence in packet; [ASYNC]; |ASYNC : Alignment Synchronisation Packet; ",
	      BYTES(0, 0, 0, 0, 0, 0, 0x81, PTM_ASYNC));
	/* Jazelle, or another reserved bit */
	assert_int_equal(packets(&cfg, BYTES(0x08, 0x01, 0x80, 0, 0, 0x71, 0x42), pkt, 4), 1);
	assert_int_equal(pkt[0].finding[0], CST_FIND_PTM_RESERVED_BITS);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_ISYNC);
	/* bit 0 of the information byte is always set: what has no such byte does not synchronise */
	check(&cfg, "BAD_SEQUENCE : Invalid sequence in packet; [ISYNC]; |ASYNC : Alignment Synchronisation Packet; ",
	      BYTES(0x08, PTM_ASYNC));
	/* a damaged Context ID packet that took zeros of an A-sync */
	assert_int_equal(packets(&cc, BYTES(0x6e, PTM_ASYNC), pkt, 4), 2);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_CONTEXT_ID);
	assert_int_equal(pkt[1].type, CST_PTM_PKT_ASYNC);
	assert_int_equal(pkt[1].flags & CST_PTM_PF_LATE, CST_PTM_PF_LATE);
}

static void test_timestamps(void **state)
{
	struct cst_config cc = config(CYCLES, TS_64 | TS_BINARY), bin = config(0, TS_BINARY), gray = config(0, 0);
	struct cst_packet pkt[4];

	(void)state;
	/* TC2 */
	check(&cc, "TIMESTAMP : Timestamp packet; TS=0x00000082F9D18BCC ~[0x82F9D18BCC](562537008076); Cycles=0; |"
		   "TIMESTAMP : Timestamp packet; TS=0x00000082F9D18CC8 ~[0xCC8](562537008328); Cycles=0; ",
	      BYTES(0x42, 0xcc, 0x97, 0xc6, 0xce, 0xaf, 0x90, 0x80, 0x80, 0x00, 0x00, 0x42, 0xc8, 0x19, 0x00));
	/* 48 bits: the seventh byte is the last */
	check(&bin, "TIMESTAMP : Timestamp packet; TS=0x0000FFFFFFFFFFFF ~[0xFFFFFFFFFFFF](281474976710655); |"
		    "IGNORE : Ignore packet; ", BYTES(0x46, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0x66));
	assert_int_equal(packets(&bin, BYTES(0x46, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x42, 0x01), pkt, 4), 2);
	assert_int_equal(pkt[0].finding[0], CST_FIND_PTM_RESERVED_BITS);
	assert_int_equal(pkt[0].flags & CST_PTM_PF_CLOCK, CST_PTM_PF_CLOCK);
	assert_int_equal(pkt[1].flags & CST_PTM_PF_CLOCK, 0);
	assert_int_equal(pkt[1].ts, 0xffffffffff81);
	/* Gray code: 1100 is 8, and with its low bits replaced 1101 is 9 */
	assert_int_equal(packets(&gray, BYTES(0x42, 0x8c, 0x83, 0x80, 0x80, 0x80, 0x80, 0x00, 0x42, 0x0d), pkt, 4), 2);
	assert_int_equal(pkt[0].ts, (0x3 << 7 | 0x0c) ^ (0x3 << 7 | 0x0c) >> 1 ^ (0x3 << 7 | 0x0c) >> 2 ^
			 (0x3 << 7 | 0x0c) >> 3 ^ (0x3 << 7 | 0x0c) >> 4 ^ (0x3 << 7 | 0x0c) >> 5 ^
			 (0x3 << 7 | 0x0c) >> 6 ^ (0x3 << 7 | 0x0c) >> 7 ^ (0x3 << 7 | 0x0c) >> 8);
	assert_int_equal(pkt[1].ts, pkt[0].ts + 1);
	/* as it was sent */
	assert_int_equal(pkt[0].value, 0x3 << 7 | 0x0c);
	assert_int_equal(pkt[1].value, 0x3 << 7 | 0x0d);
}

#define TIME48 0x42, 0x85, 0x80, 0x80, 0x80, 0x80, 0x81, 0x02
#define WHOLE (UINT64_C(2) << 42 | UINT64_C(1) << 35 | 5)
#define ISYNC(reason) 0x08, 0x00, 0x80, 0, 0, (reason) << 5 | 0x01

/* What a short timestamp leaves out is as it was sent the last time: not if something was lost since then. */
static void test_unknown_times(void **state)
{
	static const uint8_t in[] = {
		PTM_ASYNC, 0x42, 0x01, ISYNC(1),	/* nothing is known yet */
		TIME48, 0x42, 0x06,
		0x20, PTM_ASYNC, ISYNC(0), 0x42, 0x07,	/* a reserved header */
		TIME48, ISYNC(2), 0x42, 0xff, 0x01,	/* an overflow */
		TIME48,
	};
	static const uint64_t want[] = { WHOLE, WHOLE + 1, 0, WHOLE, 0, WHOLE };
	/* as sent, with upper bits of before */
	static const uint64_t sent[] = { WHOLE, WHOLE + 1, WHOLE + 2, WHOLE, WHOLE + 250, WHOLE };
	struct cst_config cfg = config(0, TS_BINARY);

	(void)state;
	check_times(&cfg, in, sizeof(in), want, sent, sizeof(want) / sizeof(want[0]), 2);
}

static void test_others(void **state)
{
	struct cst_config cfg = config(CID4 | VMID, 0), cid1 = config(CID1, 0), none = config(0, 0);
	struct cst_packet pkt[4];
	unsigned int h;

	(void)state;
	check(&cfg, "CTXTID : Context ID packet; CtxtID=0x12345678; |VMID : VM ID packet; VMID=0x2a; |"
		    "TRIGGER : Trigger Event packet; |ERET : Exception return packet; |IGNORE : Ignore packet; ",
	      BYTES(0x6e, 0x78, 0x56, 0x34, 0x12, 0x3c, 0x2a, 0x0c, 0x76, 0x66));
	check(&cid1, "CTXTID : Context ID packet; CtxtID=0x00000078; ", BYTES(0x6e, 0x78));
	check(&none, "CTXTID : Context ID packet; CtxtID=0x00000000; ", BYTES(0x6e));
	/* reserved headers: every other even value below 0x80 */
	for (h = 0; h < 0x80; h += 2) {
		static const uint8_t known[] = { 0x00, 0x08, 0x0c, 0x3c, 0x42, 0x46, 0x66, 0x6e, 0x72, 0x76 };
		const uint8_t b[2] = { (uint8_t)h, 0x0c };

		if (memchr(known, (int)h, sizeof(known)))
			continue;
		assert_int_equal(packets(&cfg, b, 2, pkt, 4), 2);
		assert_int_equal(pkt[0].type, CST_PTM_PKT_RESERVED);
		assert_int_equal(pkt[0].size, 1);
		/* where packets begin is not known any more */
		assert_int_equal(pkt[1].type, CST_PTM_PKT_NOT_SYNC);
	}
	/* cut by the end */
	check(&cfg, "INCOMPLETE_EOT : Incomplete packet flushed at end of trace; ", BYTES(0x6e, 0x78, 0x56));
	check(&cfg, "INCOMPLETE_EOT : Incomplete packet flushed at end of trace; ", BYTES(0x83));
	check(&cfg, "INCOMPLETE_EOT : Incomplete packet flushed at end of trace; ", BYTES(0x42, 0x80));
}

/* Everything reserved is a finding; with strict, an error. */
static void test_strict(void **state)
{
	static const struct {
		uint8_t bytes[8], len, finding;
	} cases[] = {
		{ { 0x84 }, 1, CST_FIND_PTM_RESERVED_BITS },
		{ { 0x83, 0x40, 0x20 }, 3, CST_FIND_PTM_RESERVED_BITS },
		{ { 0x83, 0x40, 0x82, 0x40 }, 4, CST_FIND_PTM_RESERVED_BITS },
		{ { 0x83, 0x40, 0x0c }, 3, CST_FIND_PTM_EXCEPTION },
		{ { 0x83, 0x80, 0x80, 0x80, 0x00 }, 5, CST_FIND_PTM_ISA },
		{ { 0x83, 0x80, 0x80, 0x80, 0x88 }, 5, CST_FIND_PTM_RESERVED_BITS },
		{ { 0x72, 0x83, 0x41 }, 3, CST_FIND_PTM_RESERVED_BITS },
		{ { 0x72, 0x83, 0x80, 0x80, 0x80, 0x50, 0x01 }, 7, CST_FIND_PTM_RESERVED_BITS },
		{ { 0x08, 0, 0, 0, 0, 0x81 }, 6, CST_FIND_PTM_RESERVED_BITS },
	};
	struct cst_config cfg = config(0, 0);
	struct cst_packet pkt[4];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cfg.strict = 0;
		assert_int_equal(packets(&cfg, cases[i].bytes, cases[i].len, pkt, 4), 1);
		assert_int_equal(pkt[0].size, cases[i].len);
		assert_int_equal(pkt[0].finding[0], cases[i].finding);
		assert_int_not_equal(pkt[0].type, CST_PTM_PKT_BAD_SEQUENCE);
		cfg.strict = 1;
		assert_int_equal(packets(&cfg, cases[i].bytes, cases[i].len, pkt, 4), 1);
		assert_int_equal(pkt[0].type, CST_PTM_PKT_BAD_SEQUENCE);
	}
}

/* The finding of a packet, whose only one it is. */
static unsigned int finding_of(const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct cst_packet pkt[4];

	assert_int_equal(packets(cfg, p, len, pkt, 4), 1);
	assert_int_equal(pkt[0].size, len);
	assert_int_equal(pkt[0].finding[1], 0);
	return pkt[0].finding[0];
}

/* Each bit of each byte that has reserved bits by itself, and each exception number. */
static void test_findings(void **state)
{
	struct cst_config cfg = config(0, 0), cc = config(CYCLES, TS_BINARY);
	unsigned int i, n, bit;

	(void)state;
	for (i = 0; i <= 8; i++) {
		bit = i < 8 ? 1u << i : 0;
		/* information of an I-sync, whose bit 0 is always set; of exceptions; of waypoint updates */
		assert_int_equal(finding_of(&cfg, BYTES(0x08, 0, 0x80, 0, 0, (uint8_t)(1 | bit))), bit & 0x90 ? CST_FIND_PTM_RESERVED_BITS : 0);
		if (bit != 0x80)
			assert_int_equal(finding_of(&cfg, BYTES(0x83, 0x40, (uint8_t)bit)), bit == 0x20 ? CST_FIND_PTM_RESERVED_BITS : 0);
		assert_int_equal(finding_of(&cfg, BYTES(0x72, 0x83, 0x80, 0x80, 0x80, 0x50, (uint8_t)bit)),
				 bit & 0xbf ? CST_FIND_PTM_RESERVED_BITS : 0);
		/* the first byte of a cycle count, whose bit 6 says that others follow */
		if (bit == 0x40)
			continue;
		n = bit & 0x83 ? CST_FIND_PTM_RESERVED_BITS : 0;
		assert_int_equal(finding_of(&cc, BYTES(0x7f, (uint8_t)bit)), n);
		assert_int_equal(finding_of(&cc, BYTES(0x42, 0x05, (uint8_t)bit)), n);
		n = bit & 0x03 ? CST_FIND_PTM_RESERVED_BITS : 0;
		assert_int_equal(finding_of(&cc, BYTES(0x08, 0, 0x80, 0, 0, 0x21, (uint8_t)bit)), n);
	}
	for (n = 0; n < 512; n++)
		assert_int_equal(finding_of(&cfg, BYTES(0x83, 0x40, (uint8_t)(0x80 | (n & 15) << 1), (uint8_t)(n >> 4))),
				 n > 15 || n == 6 || n == 7 ? CST_FIND_PTM_EXCEPTION : 0);
	/* the fifth byte of a cycle count is the last one */
	assert_int_equal(finding_of(&cc, BYTES(0x7f, 0x7c, 0x80, 0x80, 0x80, 0x01)), 0);
	assert_int_equal(finding_of(&cc, BYTES(0x7f, 0x7c, 0x80, 0x80, 0x80, 0x81)), CST_FIND_PTM_RESERVED_BITS);
	assert_int_equal(finding_of(&cc, BYTES(0xfc, 0x80, 0x80, 0x80, 0x01)), 0);
	assert_int_equal(finding_of(&cc, BYTES(0xfc, 0x80, 0x80, 0x80, 0x81)), CST_FIND_PTM_RESERVED_BITS);
}

/* Fields that no text shows: bits of an I-sync's address; flags of a timestamp with a count and a change of the clock. */
static void test_packet_fields(void **state)
{
	struct cst_config cfg = config(0, 0), cc = config(CYCLES, TS_BINARY);
	struct cst_packet pkt[8];

	(void)state;
	assert_int_equal(packets(&cfg, BYTES(0x08, 0, 0x80, 0, 0, 0x01), pkt, 8), 1);
	assert_int_equal(pkt[0].addr_bits, 32);
	assert_int_equal(pkt[0].info, 32);
	assert_int_equal(packets(&cc, BYTES(0x46, 0x05, 0x3c, 0x42, 0x05, 0x3c), pkt, 8), 2);
	assert_int_equal(pkt[0].flags, CST_PF_CC | CST_PTM_PF_CLOCK | CST_PTM_PF_TIME_PART);
	assert_int_equal(pkt[1].flags, CST_PF_CC | CST_PTM_PF_TIME_PART);
}

/* Zeros that no A-sync can have: too many; too few after a loss, whatever the packet before it ended with. */
static void test_bad_async(void **state)
{
	struct cst_config cfg = config(0, 0);
	struct cst_packet pkt[8];
	uint8_t zeros[72] = { 0 };
	unsigned int n;

	(void)state;
	zeros[70] = 0x80;
	zeros[71] = 0x0c;
	assert_int_equal(packets(&cfg, zeros, sizeof(zeros), pkt, 8), 3);
	assert_int_equal(pkt[0].type, CST_PTM_PKT_BAD_SEQUENCE);
	assert_int_equal(pkt[0].bad_type, CST_PTM_PKT_ASYNC);
	assert_int_equal(pkt[1].type, CST_PTM_PKT_ASYNC);
	/* its last zeros are those of the A-sync */
	assert_int_equal(pkt[1].index, pkt[0].size);
	assert_int_equal(pkt[1].index + pkt[1].size, 71);
	assert_int_equal(pkt[2].type, CST_PTM_PKT_TRIGGER);
	n = packets(&cfg, BYTES(0x3c, 0x00, 0x20, PTM_ASYNC, 0, 0, 0, 0, 0x80, 0x0c), pkt, 8);
	assert_true(n >= 4);
	assert_int_equal(pkt[2].type, CST_PTM_PKT_ASYNC);
	assert_int_equal(pkt[3].type, CST_PTM_PKT_BAD_SEQUENCE);
	assert_int_equal(pkt[3].bad_type, CST_PTM_PKT_ASYNC);
}

/* A waypoint update with an information byte says if Thumb code is ThumbEE; without one that stays. */
static void test_waypoint_isa(void **state)
{
	struct cst_config cfg = config(0, 0);
	struct cst_packet pkt[4];

	(void)state;
	assert_int_equal(packets(&cfg, BYTES(0x72, 0x83, 0x80, 0x80, 0x80, 0x50, 0x40, 0x72, 0x83, 0x80, 0x80, 0x80, 0x10,
					     0x72, 0x83, 0x80, 0x80, 0x80, 0x50, 0x00), pkt, 4), 3);
	assert_int_equal(pkt[0].isa, CST_ISA_TEE);
	assert_int_equal(pkt[1].isa, CST_ISA_TEE);
	assert_int_equal(pkt[2].isa, CST_ISA_T32);
}

/* ---- elements and flow ------------------------------------------------------------------------- */

static void elements(const struct cst_config *cfg, const void *code, size_t size, const uint8_t *p, size_t len,
		     const char *want)
{
	check_elements(cfg, CODE_AT, code, size, p, len, want);
}

#define BEGIN "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter])\nPE_CONTEXT((ISA=A32) S; 32-bit; )\n"
#define END "EO_TRACE( [end-of-trace])\n"
#define START PTM_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x21

/* 8000 nop; 8004 dmb; 8008 bl 8018; 800c nop; 8010 bx r3; 8014 nop; 8018 nop; 801c bx lr */
static const uint32_t code[] = {
	0xe1a00000, 0xf57ff05f, 0xeb000002, 0xe1a00000, 0xe12fff13, 0xe1a00000, 0xe1a00000, 0xe12fff1e,
};

static void test_flow(void **state)
{
	struct cst_config cfg = config(0, 0), stack = config(STACK, 0), barriers = config(0, BARRIERS);
	struct cst_config ref = config(0, 0);

	(void)state;
	ref.as_reference = 1;
	/* a call by an atom, a return by a branch packet */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x80, 0x07), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret)\n" END);
	/* the same with the return stack; then it is empty */
	elements(&stack, code, sizeof(code), BYTES(START, 0x90, 0x82), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret)\n"
		 "INSTR_RANGE(exec range=0x800c:[0x8014] num_i(2) last_sz(4) (ISA=A32) E iBR )\n"
		 "ADDR_UNKNOWN()\n" END);
	/* an I-sync empties it */
	elements(&stack, code, sizeof(code),
		 BYTES(START, 0x80, PTM_ASYNC, 0x08, 0x18, 0x80, 0, 0, 0x01, 0x80, 0x80), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret)\n"
		 "ADDR_UNKNOWN()\n" END);
	/* barriers with atoms */
	elements(&barriers, code, sizeof(code), BYTES(START, 0x80), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x8008] num_i(2) last_sz(4) (ISA=A32) E DSB.DMB)\n" END);
	/* waypoint update, then an IRQ */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x72, 0x03, 0x8d, 0x80, 0xfe, 0xff, 0x4f, 0x1c), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x8008] num_i(2) last_sz(4) (ISA=A32) E --- )\n"
		 "EXCEPTION(pref ret addr:0x8008; excep num (0x0e) )\n" END);
	/* one that goes past a waypoint contradicts the program */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x72, 0x07), BEGIN "ADDR_UNKNOWN()\n" END);
	/* an exception at once; its state is news, but the reference does not tell */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x8d, 0x80, 0xfe, 0xff, 0x4f, 0x1d), BEGIN
		 "EXCEPTION(pref ret addr:0x8000; excep num (0x0e) )\nPE_CONTEXT((ISA=A32) N; 32-bit; )\n" END);
	elements(&ref, code, sizeof(code), BYTES(START, 0x8d, 0x80, 0xfe, 0xff, 0x4f, 0x1d), BEGIN
		 "EXCEPTION(pref ret addr:0x8000; excep num (0x0e) )\n" END);
	/* a branch into byte codes: nothing is traced until the next I-sync */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x80, 0x83, 0x80, 0x80, 0x80, 0x20, 0x80), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret)\n" END);
	/* no code there, then a branch packet */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x80, 0x8f, 0x02, 0x80, 0x83, 0x3e, 0x82), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret)\n"
		 "ADDR_NACC( 0x821c; Memspace [0x19:Any S] )\nADDR_NACC( 0xbe04; Memspace [0x19:Any S] )\n" END);
	/* branch broadcast: the target must be the opcode's */
	elements(&cfg, code, sizeof(code), BYTES(START, 0x0d, 0x80), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret)\n" END);
	elements(&cfg, code, sizeof(code), BYTES(START, 0x07), BEGIN
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link )\n"
		 "ADDR_UNKNOWN()\n" END);
}

static void test_elements(void **state)
{
	struct cst_config cc = config(CYCLES | CID1, TS_BINARY), cfg = config(CID1 | VMID, TS_BINARY);

	(void)state;
	elements(&cc, code, sizeof(code), BYTES(PTM_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x29, 0x08, 0x05,
						0x8c, 0x07, 0x44, 0x01, 0x42, 0x85, 0x80, 0x80, 0x80, 0x80, 0x80,
						0x00, 0x0c, 0x0c, 0x76),
		 "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter] [CC=2]; )\n"
		 "PE_CONTEXT((ISA=A32) N; 32-bit; CTXTID=0x5; )\n"
		 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link  [CC=3]; )\n"
		 "INSTR_RANGE(exec range=0x8018:[0x8020] num_i(2) last_sz(4) (ISA=A32) E iBR V7:impl ret [CC=17]; )\n"
		 "TIMESTAMP( [ TS=0x000000000005];  [CC=3]; )\nEVENT( Trigger; )\nEXCEPTION_RET()\n" END);
	/* context only when it changes; overflow */
	elements(&cfg, code, sizeof(code),
		 BYTES(PTM_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x21, 0x05, 0x6e, 0x05, 0x6e, 0x06, 0x3c, 0x01, 0x3c, 0x01,
		       0x08, 0x00, 0x80, 0, 0, 0x41, 0x06),
		 "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter])\n"
		 "PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x5; )\nPE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x6; )\n"
		 "PE_CONTEXT((ISA=A32) S; 32-bit; VMID=0x1; CTXTID=0x6; )\nTRACE_ON( [overflow])\n"
		 "PE_CONTEXT((ISA=A32) S; 32-bit; VMID=0x1; CTXTID=0x6; )\n" END);
	/* a reserved header: nothing is believed until A-sync and I-sync; the virtual machine is not known then */
	elements(&cfg, code, sizeof(code),
		 BYTES(PTM_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x21, 0x05, 0x3c, 0x01, 0x20, 0x80, 0x08, 0, 0x80, 0, 0, 0x01,
		       0x05, PTM_ASYNC, 0x80, 0x08, 0x00, 0x80, 0, 0, 0x01, 0x05),
		 "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter])\n"
		 "PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x5; )\nPE_CONTEXT((ISA=A32) S; 32-bit; VMID=0x1; CTXTID=0x5; )\n"
		 "NO_SYNC( [bad-packet])\nTRACE_ON( [begin or filter])\n"
		 "PE_CONTEXT((ISA=A32) S; 32-bit; CTXTID=0x5; )\n" END);
}

/* From PFTv1.1 the count of an I-sync after an overflow or debug state is unknown, but not that of others (IHI 0035B 4.4). */
static void test_cycles_through_gaps(void **state)
{
	static const uint8_t in[] = {
		PTM_ASYNC, 0x08, 0x00, 0x80, 0, 0, 0x21, 0x08, 0x08, 0x00, 0x80, 0, 0, 0x41, 0x0c, 0x8c,
		0x08, 0x00, 0x80, 0, 0, 0x61, 0x10, 0x08, 0x00, 0x80, 0, 0, 0x21, 0x14,
	};
	static const char *const counts[] = { " [CC=3]; ", " [CC=4]; " };
	struct cst_config cfg = config(CYCLES, TS_BINARY);
	char want[1024];
	unsigned int way;

	(void)state;
	for (way = 0; way < 3; way++) {
		cfg.version = way == 1 ? 0x10 : 0x11;
		cfg.as_reference = way == 2;
		snprintf(want, sizeof(want),
			 "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter] [CC=2]; )\nPE_CONTEXT((ISA=A32) S; 32-bit; )\n"
			 "TRACE_ON( [overflow]%s)\n"
			 "INSTR_RANGE(exec range=0x8000:[0x800c] num_i(3) last_sz(4) (ISA=A32) E BR  b+link  [CC=3]; )\n"
			 "TRACE_ON( [debug restart]%s)\nTRACE_ON( [begin or filter] [CC=5]; )\n" END,
			 way ? counts[0] : "", way ? counts[1] : "");
		elements(&cfg, code, sizeof(code), in, sizeof(in), want);
	}
}

/* More zeros than one A-sync takes: its last ones are one, however many came before. */
static void test_zeros(void **state)
{
	static const uint8_t isync[] = { 0x80, 0x08, 0x00, 0x80, 0, 0, 0x21 };
	struct cst_config cfg = config(0, 0);
	uint8_t bytes[256];
	struct decoded d;
	unsigned int n;

	(void)state;
	for (n = 5; n < 200; n++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, BYTES(START));
		memcpy(bytes + 12 + n, isync, sizeof(isync));
		decode_bytes(&cfg, NULL, bytes, 12 + n + sizeof(isync), &d);
		assert_true(d.n >= 4);
		assert_int_equal(d.gen[d.n - 2].kind == CST_GEN_TRACE_ON || d.gen[d.n - 2].kind == CST_GEN_PE_CONTEXT, 1);
		assert_int_equal(d.gen[d.n - 2].index, 12 + n + 1);
	}
}

/* The AltISA bit outlives the change to A32: Thumb after it is ThumbEE, in whatever pieces the bytes come. */
static void test_alt_isa(void **state)
{
	struct cst_config cfg = config(0, 0);
	struct decoded d;
	struct program pr;

	(void)state;
	program_map(&pr, CODE_AT, code, sizeof(code));
	/* ThumbEE; A32 at 8010: bx r3 to Thumb at 8000 */
	decode_bytes(&cfg, pr.space, BYTES(PTM_ASYNC, 0x08, 0x01, 0x80, 0, 0, 0x25, 0x89, 0x80, 0x81, 0x80, 0x08, 0x81, 0x80,
					   0x82, 0x80, 0x10, 0x88), &d);
	assert_true(d.n > 4);
	assert_int_equal(d.gen[d.n - 2].isa, CST_ISA_TEE);
	cst_image_free(pr.img);
}

/* A branch from A32 to T32 code: the bytes of nop in A32 at 8000 are movs and b in T32. */
static void test_branch_to_thumb(void **state)
{
	const struct cst_config cfg = config(0, 0);

	(void)state;
	elements(&cfg, code, sizeof(code),
		 BYTES(PTM_ASYNC, 0x08, 0x10, 0x80, 0, 0, 0x21, 0x81, 0x80, 0x82, 0x80, 0x10, 0x80),
		 "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter])\nPE_CONTEXT((ISA=A32) S; 32-bit; )\n"
		 "INSTR_RANGE(exec range=0x8010:[0x8014] num_i(1) last_sz(4) (ISA=A32) E iBR )\n"
		 "INSTR_RANGE(exec range=0x8000:[0x8004] num_i(2) last_sz(2) (ISA=T32) E BR  )\n" END);
}

/* A periodic I-sync somewhere else than where execution has come to. */
static void test_conflict(void **state)
{
	struct cst_config cfg = config(0, 0);
	static struct decoded d;
	struct program pr;

	(void)state;
	program_map(&pr, CODE_AT, code, sizeof(code));
	decode_bytes(&cfg, pr.space, BYTES(START, 0x08, 0x0c, 0x80, 0, 0, 0x01), &d);
	assert_int_equal(d.n, 5);
	assert_int_equal(d.gen[3].kind, CST_GEN_ADDR_UNKNOWN);
	assert_int_equal(d.gen[3].error, CST_ERR_BAD_IMAGE);
	assert_int_equal(d.gen[3].addr, 0x8000);
	assert_int_equal(d.stats.image_conflicts, 1);
	/* the BL at 8008 does not lead where the trace says: the branch is at fault, not the code that it leads to */
	decode_bytes(&cfg, pr.space, BYTES(START, 0x07), &d);
	assert_int_equal(d.gen[4].kind, CST_GEN_ADDR_UNKNOWN);
	assert_int_equal(d.gen[4].addr, 0x8008);
	assert_int_equal(cst_generic_conflicts(&d.gen[4]), 1);
	/* it goes on there in the instruction set of the trace: the bytes of nop in A32 are movs and b in T32 */
	decode_bytes(&cfg, pr.space, BYTES(START, 0x81, 0x80, 0x82, 0x80, 0x10, 0x80), &d);
	assert_int_equal(d.gen[4].kind, CST_GEN_ADDR_UNKNOWN);
	assert_int_equal(d.gen[4].addr, 0x8008);
	assert_int_equal(d.gen[5].kind, CST_GEN_RANGE);
	assert_int_equal(d.gen[5].isa, CST_ISA_T32);
	assert_int_equal(d.gen[5].addr, 0x8000);
	assert_int_equal(d.gen[5].n_insn, 2);
	decode_bytes(&cfg, pr.space, BYTES(START, 0x08, 0x00, 0x80, 0, 0, 0x01), &d);
	assert_int_equal(d.n, 4);
	assert_int_equal(d.stats.image_conflicts, 0);
	cst_image_free(pr.img);
}

/* ThumbEE: enterx at 8000, bl 800c at 8004, hbl #1 at 800c; leavex at 8008 */
static void test_thumbee(void **state)
{
	static const uint16_t tee[] = { 0xf3bf, 0x8f1f, 0xf000, 0xf802, 0xf3bf, 0x8f0f, 0xc301 };
	struct cst_config cfg = config(0, 0);

	(void)state;
	elements(&cfg, tee, sizeof(tee), BYTES(PTM_ASYNC, 0x08, 0x01, 0x80, 0, 0, 0x21, 0x88, 0x89, 0x80, 0x82, 0x80, 0x50, 0x40, 0x80),
		 "NO_SYNC( [init-decoder])\nTRACE_ON( [begin or filter])\nPE_CONTEXT((ISA=T32) S; 32-bit; )\n"
		 "INSTR_RANGE(exec range=0x8000:[0x8004] num_i(1) last_sz(4) (ISA=T32) E BR  )\n"
		 "INSTR_RANGE(exec range=0x8004:[0x8008] num_i(1) last_sz(4) (ISA=TEE) E BR  b+link )\n"
		 "INSTR_RANGE(exec range=0x800c:[0x800e] num_i(1) last_sz(2) (ISA=TEE) E iBR b+link )\n"
		 "INSTR_RANGE(exec range=0x8008:[0x800c] num_i(1) last_sz(4) (ISA=TEE) E BR  )\n" END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atoms),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_waypoints),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_unknown_times),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_packet_fields),
		cmocka_unit_test(test_bad_async),
		cmocka_unit_test(test_waypoint_isa),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_cycles_through_gaps),
		cmocka_unit_test(test_branch_to_thumb), cmocka_unit_test(test_conflict),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_alt_isa),
		cmocka_unit_test(test_thumbee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
