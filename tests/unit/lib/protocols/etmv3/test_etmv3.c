/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv3.c - ETMv3 packets by their bytes (IHI 0014Q 7.3), and what becomes of them.
 */
#include <cstrace/log.h>

#include "unit/lib_decode.h"

#define ASYNC3 0, 0, 0, 0, 0, 0x80
#define MAX_PKT 32

enum { CYCLES = 1 << 12, VALUE = 1 << 2, ADDRESS = 1 << 3, CID4 = 3 << 14, DATA_ONLY = 1 << 20, VMID_ON = 1 << 30 };
enum { ALT = 1 << 20, BINARY_TS = 1 << 28, TS64 = 1 << 29, VIRT = 1 << 26 };

static struct cst_config config(uint32_t cr, uint32_t ccer, unsigned int minor, uint32_t idr, enum cst_profile profile)
{
	struct cst_etmv3_regs regs = { .cr = cr, .ccer = ccer, .idr = 2u << 8 | minor << 4 | idr, .traceidr = 0x10 };
	struct cst_config cfg;

	assert_int_equal(cst_config_etmv3(&cfg, &regs, profile), 0);
	return cfg;
}

/* The packets of a stream whose first one is an A-sync, without that. */
static unsigned int packets(const struct cst_config *cfg, const uint8_t *p, size_t len, struct cst_packet *pkt)
{
	static const uint8_t async[] = { ASYNC3 };
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct cst_packet one;
	struct cst_pull got;
	unsigned int n = 0, k;

	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	for (k = 0; k < 3; k++) {
		if (k < 2)
			assert_int_equal(cst_decoder_feed(dec, k ? p : async, k ? len : sizeof(async), k * 0x100), 0);
		else
			cst_decoder_end(dec);
		for (;;) {
			if (!cst_decoder_next_packet(dec, &one, &got) || got.why != CST_STOP_PACKET)
				break;
			while (cst_decoder_pull(dec, out, 64, NULL))
				;
			if (one.index < 0x100)
				continue;
			assert_true(n < MAX_PKT);
			pkt[n++] = one;
		}
	}
	cst_decoder_free(dec);
	return n;
}

static struct cst_packet one(const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct cst_packet pkt[MAX_PKT];
	unsigned int n = packets(cfg, p, len, pkt);

	assert_int_equal(n, 1);
	assert_int_equal(pkt[0].size, len);
	return pkt[0];
}

/* The last packet of some, all of which take part in compressing it. */
static struct cst_packet last(const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct cst_packet pkt[MAX_PKT];
	unsigned int n = packets(cfg, p, len, pkt);

	assert_true(n > 1);
	return pkt[n - 1];
}

static void check_text(const struct cst_packet *p, const char *want)
{
	char text[256];

	cst_packet_text(p, text, sizeof(text));
	assert_string_equal(text, want);
}

static void test_headers(void **state)
{
	static const uint8_t reserved[] = { 0x10, 0x14, 0x18, 0x1c, 0x30, 0x34, 0x38, 0x12, 0x16, 0x1a, 0x1e, 0x32,
					    0x36, 0x3a, 0x3e, 0x4a, 0x4e, 0x52, 0x56, 0x5a, 0x5e, 0x72 };
	struct cst_config cfg = config(VALUE | ADDRESS, 0, 5, 0, CST_PROFILE_A);
	struct cst_packet pkt[MAX_PKT];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(reserved); i++) {
		packets(&cfg, &reserved[i], 1, pkt);
		assert_int_equal(pkt[0].type, CST_ETMV3_PKT_RESERVED);
		assert_int_equal(cst_packet_role(&pkt[0]), CST_ROLE_BAD);
	}
	check_text(&pkt[0], "I_RESERVED : Reserved Packet Header");
	/* without data trace its packets are not sent */
	cfg = config(0, 0, 5, 0, CST_PROFILE_A);
	packets(&cfg, BYTES(0x02), pkt);
	assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_TRACEMODE);
	check_text(&pkt[0], "BAD_TRACEMODE : Invalid packet type for this trace mode.[NORM_DATA]");
	cfg = config(ADDRESS, 0, 5, 0, CST_PROFILE_A);
	packets(&cfg, BYTES(0x50), pkt);
	assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_TRACEMODE);
	packets(&cfg, BYTES(0x24, 0), pkt);
	assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_TRACEMODE);
}

static void test_isync(void **state)
{
	struct cst_config cfg = config(CYCLES, 0, 5, 0, CST_PROFILE_A);
	struct cst_packet p, pkt[MAX_PKT];

	(void)state;
	p = one(&cfg, BYTES(0x08, 0x01, 0x5d, 0x11, 0x02, 0xc0));
	check_text(&p, "I_SYNC : Instruction Packet synchronisation.; (Periodic); Addr=0xc002115c; S;  ISA=Thumb2; ");
	assert_int_equal(p.addr, 0xc002115c);
	assert_int_equal(p.isa, CST_ISA_T32);
	p = one(&cfg, BYTES(0x70, 0x0a, 0x21, 0x8b, 0x58, 0x04, 0xc0));
	assert_int_equal(p.type, CST_ETMV3_PKT_ISYNC_CYCLE);
	assert_int_equal(p.cc, 10);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.addr, 0xc004588a);
	/* ARM state, non-secure, after an overflow; a cycle count of five bytes */
	p = one(&cfg, BYTES(0x70, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x49, 0x00, 0x80, 0x00, 0x00));
	assert_int_equal(p.cc, 0xffffffff);
	assert_int_equal(p.count, 2);
	assert_int_equal(p.security, CST_SEC_NONSECURE);
	assert_int_equal(p.isa, CST_ISA_A32);
	/* Jazelle; ThumbEE from version 3.3 on */
	p = one(&cfg, BYTES(0x08, 0x11, 0x00, 0x80, 0x00, 0x00));
	assert_int_equal(p.isa, CST_ISA_JAZELLE);
	p = one(&cfg, BYTES(0x08, 0x05, 0x01, 0x80, 0x00, 0x00));
	assert_int_equal(p.isa, CST_ISA_TEE);
	/* context ID; a load or store in progress, and the current instruction relative to it */
	cfg = config(CID4, VIRT, 5, 0, CST_PROFILE_A);
	p = one(&cfg, BYTES(0x08, 0x78, 0x56, 0x34, 0x12, 0xab, 0x01, 0x80, 0x00, 0x00, 0x09));
	assert_int_equal(p.cid, 0x12345678);
	assert_int_equal(p.el, 2);
	assert_int_equal(p.value, 0x8000);
	assert_int_equal(p.addr, 0x8008);
	/* data trace alone: no address */
	cfg = config(DATA_ONLY | VALUE, 0, 5, 0, CST_PROFILE_A);
	p = one(&cfg, BYTES(0x08, 0x21));
	assert_false(p.flags & CST_PF_ADDR);
	/* bit 0 must be one: tolerated, or an error */
	cfg = config(0, 0, 5, 0, CST_PROFILE_A);
	p = one(&cfg, BYTES(0x08, 0x20, 0x00, 0x80, 0x00, 0x00));
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_RESERVED_BITS);
	cfg.strict = 1;
	packets(&cfg, BYTES(0x08, 0x20, 0x00, 0x80, 0x00, 0x00), pkt);
	assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_SEQUENCE);
	/* zeros at its end may be those of an A-sync */
	assert_int_equal(pkt[0].size, 4);
}

/* The P-headers of each format, plain and cycle-accurate (IHI 0014Q 7.3). */
static const struct {
	uint32_t cr;
	uint8_t header, format;
	const char *text;
	uint16_t finding;
} phdrs[] = {
	{ 0, 0x84, 1, "E", 0 }, { 0, 0xfc, 1, "EEEEEEEEEEEEEEEN", 0 }, { 0, 0xc0, 1, "N", 0 },
	{ 0, 0x82, 2, "EE", 0 }, { 0, 0x8a, 2, "NE", 0 }, { 0, 0x86, 2, "EN", 0 },
	/* bits that are 0 in format 2; no atom at all */
	{ 0, 0xa6, 2, "EN", CST_FIND_ETMV3_PHDR }, { 0, 0x80, 1, "", CST_FIND_ETMV3_PHDR },
	{ CYCLES, 0x84, 1, "WE; Cycles=1", 0 }, { CYCLES, 0xc4, 1, "WEWN; Cycles=2", 0 },
	{ CYCLES, 0x86, 2, "WEN; Cycles=1", 0 },
	{ CYCLES, 0xbc, 3, "WWWWWWWW; Cycles=8", 0 }, { CYCLES, 0xa0, 3, "W; Cycles=1", 0 }, { CYCLES, 0xe4, 3, "WWE; Cycles=2", 0 },
	{ CYCLES, 0x92, 4, "E", 0 }, { CYCLES, 0x96, 4, "N", 0 },
	{ CYCLES, 0xc6, 2, "WEN; Cycles=1", CST_FIND_ETMV3_PHDR }, { CYCLES, 0xd2, 4, "E", CST_FIND_ETMV3_PHDR },
	{ CYCLES, 0x9a, 4, "E", CST_FIND_ETMV3_PHDR },
	/* one cycle and no atom is deprecated */
	{ CYCLES, 0x80, 0, "W; Cycles=1", CST_FIND_ETMV3_PHDR },
};

static void test_phdr(void **state)
{
	struct cst_config cfg = config(CYCLES, 0, 5, 0, CST_PROFILE_A);
	struct cst_packet pkt[MAX_PKT];
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(phdrs) / sizeof(phdrs[0]); i++) {
		const struct cst_config of = config(phdrs[i].cr, 0, 5, 0, CST_PROFILE_A);
		const struct cst_packet p = one(&of, &phdrs[i].header, 1);

		snprintf(text, sizeof(text), "P_HDR : Atom P-header.; %s", phdrs[i].text);
		check_text(&p, text);
		assert_int_equal(p.count, phdrs[i].format);
		assert_int_equal(p.finding[0], phdrs[i].finding);
	}
	/* no format has bits 5 and 1 */
	packets(&cfg, BYTES(0xa2), pkt);
	assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_SEQUENCE);
	assert_int_equal(pkt[0].bad_type, CST_ETMV3_PKT_PHDR);
}

/* Numbers with bits beyond their size, which are dropped, and flags of timestamps. */
static void test_wide_numbers(void **state)
{
	struct cst_config cfg = config(CYCLES, 0, 5, 0, CST_PROFILE_A), wide = config(0, TS64, 5, 0, CST_PROFILE_A);
	struct cst_packet p;

	(void)state;
	p = one(&cfg, BYTES(0x04, 0xff, 0xff, 0xff, 0xff, 0x0f));
	assert_int_equal(p.cc, 0xffffffff);
	assert_int_equal(p.flags, CST_PF_CC);
	assert_int_equal(p.finding[0], 0);
	p = one(&cfg, BYTES(0x04, 0xff, 0xff, 0xff, 0xff, 0x1f));
	assert_int_equal(p.cc, 0xffffffff);
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_RESERVED_BITS);
	/* a count of 0 says that the counter overflowed */
	assert_int_equal(one(&cfg, BYTES(0x04, 0x00)).finding[0], CST_FIND_ETMV3_CYCLES);
	/* 48 bits are six groups of seven and one of six */
	p = one(&cfg, BYTES(0x42, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x3f));
	assert_int_equal(p.finding[0], 0);
	assert_int_equal(p.flags, 0);
	p = one(&cfg, BYTES(0x42, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f));
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_RESERVED_BITS);
	p = one(&wide, BYTES(0x46, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff));
	assert_int_equal(p.finding[0], 0);
	assert_int_equal(p.flags, CST_ETMV3_PF_CLOCK);
	p = one(&wide, BYTES(0x46, 0x05));
	assert_int_equal(p.flags, CST_ETMV3_PF_CLOCK | CST_ETMV3_PF_TIME_PART);
}

/* Packets that a trace unit of the configuration does not send: findings, with which they are decoded. */
static void test_not_configured(void **state)
{
	struct cst_config old = config(0, 0, 4, 0, CST_PROFILE_A), cfg = config(CID4 | VALUE, 0, 5, 0, CST_PROFILE_A),
			  m = config(CID4 | VALUE, 0, 5, 0, CST_PROFILE_M);
	struct cst_packet p;

	(void)state;
	p = one(&old, BYTES(0x3c, 7));
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_CONFIG);
	assert_int_equal(p.vmid, 7);
	assert_int_equal(one(&cfg, BYTES(0x3c, 7)).finding[0], 0);
	assert_int_equal(one(&old, BYTES(0x42, 0x05)).finding[0], CST_FIND_ETMV3_CONFIG);
	assert_int_equal(one(&cfg, BYTES(0x42, 0x05)).finding[0], 0);
	assert_int_equal(one(&old, BYTES(0x6e)).finding[0], CST_FIND_ETMV3_CONFIG);
	assert_int_equal(one(&cfg, BYTES(0x6e, 1, 2, 3, 4)).finding[0], 0);
	p = one(&cfg, BYTES(0x7e));
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_CONFIG);
	assert_int_equal(p.bad_type, 0);
	assert_int_equal(one(&m, BYTES(0x7e)).finding[0], 0);
}

/* An A-sync among the bytes of a packet, which damage made longer than it was: the packet ends before it. */
static void test_async_in_packet(void **state)
{
	static const uint8_t async[] = { ASYNC3, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c };
	struct cst_config cfg = config(CID4, 0, 5, 0, CST_PROFILE_A);
	struct cst_packet pkt[MAX_PKT];
	unsigned int before;

	(void)state;
	for (before = 0; before < 3; before++) {
		uint8_t bytes[16] = { 0x08, 0x11, 0x12, 0x13 };

		memcpy(bytes + 1 + before, async, sizeof(async));
		assert_int_equal(packets(&cfg, bytes, 1 + before + sizeof(async), pkt), 7);
		assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_SEQUENCE);
		assert_int_equal(pkt[0].bad_type, CST_ETMV3_PKT_ISYNC);
		assert_int_equal(pkt[0].size, 1 + before);
		assert_int_equal(pkt[1].type, CST_ETMV3_PKT_ASYNC);
		assert_int_equal(pkt[2].type, CST_ETMV3_PKT_TRIGGER);
	}
	/* the packet has all of its zeros, so that only the last byte is left */
	assert_int_equal(packets(&cfg, BYTES(0x08, 1, 2, 3, 0, 0x01, 0, 0, 0, 0, 0x80, 0x0c), pkt), 3);
	assert_int_equal(pkt[0].type, CST_ETMV3_PKT_ISYNC);
	assert_int_equal(pkt[1].type, CST_ETMV3_PKT_PHDR);
	assert_int_equal(packets(&cfg, BYTES(0x08, 1, 2, 3, 4, 0x01, 0, 0, 0, 0, 0x6e, 0, 0, 0, 0, 0, 0x80, 0x0c), pkt), 4);
	assert_int_equal(pkt[2].type, CST_ETMV3_PKT_ASYNC);
	assert_int_equal(pkt[2].finding[0], CST_FIND_ETMV3_ZEROS);
}

#define THUMB_AT(a) 0x08, 0x21, (a) & 0xff, (a) >> 8 & 0xff, (a) >> 16 & 0xff, (a) >> 24

static void test_branch(void **state)
{
	struct cst_config cfg = config(0, 0, 5, 0, CST_PROFILE_A), alt = config(0, VIRT, 5, ALT, CST_PROFILE_A),
			  m = config(0, 0, 5, ALT, CST_PROFILE_M);
	struct cst_packet p;

	(void)state;
	p = last(&cfg, BYTES(THUMB_AT(0xc0020001u), 0xc5, 0xc6, 0x09));
	assert_int_equal(p.addr, 0xc0026344);
	check_text(&p, "BRANCH_ADDRESS : Branch address.; Addr=0xC0026344 ~[0x26344]; ");
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x19));
	assert_int_equal(p.addr, 0xc0026318);
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0xd7, 0xba, 0x86, 0xdb, 0x0d));
	assert_int_equal(p.addr, 0xb6c33aac);
	assert_int_equal(p.isa, CST_ISA_A32);
	check_text(&p, "BRANCH_ADDRESS : Branch address.; Addr=0xB6C33AAC ~[0xB6C33AAC]; ISA=ARM(32); ");
	/* the first packet that has an instruction set, without an I-sync before it */
	p = last(&cfg, BYTES(0x66, 0xd7, 0xba, 0x86, 0xdb, 0x0d));
	assert_true(p.flags & CST_ETMV3_PF_ISA);
	check_text(&p, "BRANCH_ADDRESS : Branch address.; Addr=0xB6C33AAC ~[0xB6C33AAC]; ISA=ARM(32); ");
	/* exception information: IRQ that cancels, non-secure */
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x8d, 0x80, 0x80, 0x80, 0x48, 0x3d));
	assert_int_equal(p.type, CST_ETMV3_PKT_BRANCH_INFO);
	assert_int_equal(p.exc_type, 14);
	assert_int_equal(p.addr, 0x18);
	assert_true(p.flags & CST_ETMV3_PF_CANCEL);
	assert_int_equal(p.security, CST_SEC_NONSECURE);
	/* deprecated: 1 C EEE AAA with FIQ is number 15 today */
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x8f, 0x80, 0x80, 0x80, 0xa8));
	assert_int_equal(p.exc_type, 15);
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_DEPRECATED);
	/* the alternative encoding may end early, with or without it; byte 1 has Hyp */
	p = last(&alt, BYTES(THUMB_AT(0xc0026345u), 0xc5, 0x06));
	assert_int_equal(p.addr, 0xc0026344);
	p = last(&alt, BYTES(THUMB_AT(0xc0026345u), 0xc5, 0x46, 0x87, 0x20));
	assert_int_equal(p.exc_type, 3);
	assert_int_equal(p.el, 2);
	/* v7-M: nine bits of exception number, and where an LDM or STM goes on */
	p = last(&m, BYTES(THUMB_AT(0xc0026345u), 0xc5, 0x46, 0x90, 0x81, 0x43));
	assert_int_equal(p.exc_type, 24);
	assert_int_equal(p.event, 3);
	check_text(&p, "BRANCH_ADDRESS : Branch address.; Addr=0xC0026344 ~[0x344]; S; Exception=IRQ8; Resume=3");
	/* a fifth byte without an instruction set */
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x00, ASYNC3, 0x66));
	assert_int_equal(p.type, CST_ETMV3_PKT_IGNORE);
}

/* Exception numbers that the architecture reserves, by profile; the last byte of the alternative encoding has six bits. */
static void test_exception_numbers(void **state)
{
	struct cst_config cfg = config(0, VIRT, 5, ALT, CST_PROFILE_A), m = config(0, 0, 5, ALT, CST_PROFILE_M);
	struct cst_packet p;
	unsigned int n, reserved;

	(void)state;
	for (n = 0; n < 16; n++) {
		p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0xc5, 0x46, (uint8_t)(n << 1)));
		assert_int_equal(p.exc_type, n);
		assert_int_equal(p.finding[0], n == 6 || n == 7 ? CST_FIND_ETMV3_EXCEPTION : 0);
	}
	for (n = 0; n < 512; n++) {
		reserved = n == 16 || n == 18 || n == 20 || n == 22 || n == 23;
		p = last(&m, BYTES(THUMB_AT(0xc0026345u), 0xc5, 0x46, (uint8_t)(0x80 | (n & 15) << 1), (uint8_t)(n >> 4 & 31)));
		assert_int_equal(p.exc_type, n);
		assert_int_equal(p.finding[0], reserved ? CST_FIND_ETMV3_EXCEPTION : 0);
	}
	p = last(&cfg, BYTES(THUMB_AT(0xc0020001u), 0xc5, 0x3f));
	assert_int_equal(p.addr, 0xc0020000 | 0x3f << 7 | 0x44);
	assert_int_equal(p.addr_bits, 13);
}

/* Every form of the fifth address byte; exception information of two and three bytes. */
static void test_branch_forms(void **state)
{
	/* reset, IRQ, reserved, reserved, Jazelle, FIQ, asynchronous data abort, debug halt */
	static const uint8_t today[8] = { 8, 14, 6, 7, 5, 15, 4, 1 };
	struct cst_config cfg = config(0, 0, 5, 0, CST_PROFILE_A), m = config(0, 0, 5, 0, CST_PROFILE_M);
	struct cst_packet p, pkt[MAX_PKT];
	unsigned int i, n;

	(void)state;
	/* deprecated: state ARM; bit 6 cancels, also without an exception byte */
	for (i = 0; i < 16; i++) {
		p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0xff, 0xff, 0xff, 0xff, (uint8_t)(0x85 | i << 3)));
		assert_int_equal(p.type, CST_ETMV3_PKT_BRANCH_INFO);
		assert_int_equal(p.addr, 0xbffffffc);
		assert_int_equal(p.isa, CST_ISA_A32);
		assert_int_equal(p.exc_type, today[i & 7]);
		assert_int_equal(!!(p.flags & CST_ETMV3_PF_CANCEL), i > 7);
		assert_int_equal(p.finding[0], (i & 7) == 2 || (i & 7) == 3 ? CST_FIND_ETMV3_EXCEPTION :
				 CST_FIND_ETMV3_DEPRECATED);
	}
	/* ARM, Thumb, Jazelle: addresses of 30, 31 and 32 bits */
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0xff, 0xff, 0xff, 0xff, 0x0d));
	assert_int_equal(p.addr, 0xbffffffc);
	assert_int_equal(p.addr_bits, 32);
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0xff, 0xff, 0xff, 0xff, 0x1b));
	assert_int_equal(p.addr, 0xbffffffe);
	assert_int_equal(p.isa, CST_ISA_T32);
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0xff, 0xff, 0xff, 0xff, 0x37));
	assert_int_equal(p.addr, 0xbfffffff);
	assert_int_equal(p.isa, CST_ISA_JAZELLE);
	assert_int_equal(p.addr_bits, 32);
	/* Jazelle addresses begin at bit 0 */
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x20, 0x07));
	assert_int_equal(p.addr, 3);
	assert_int_equal(p.isa, CST_ISA_JAZELLE);
	/* AltISA makes ThumbEE of Thumb, and Thumb again */
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x50, 0x40));
	assert_int_equal(p.isa, CST_ISA_TEE);
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x50, 0x40, 0x81, 0x80, 0x80, 0x80, 0x10));
	assert_int_equal(p.isa, CST_ISA_TEE);
	p = last(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x50, 0x40, 0x81, 0x80, 0x80, 0x80, 0x50, 0x00));
	assert_int_equal(p.isa, CST_ISA_T32);
	/* a fifth byte without an instruction set is none */
	for (i = 0; i < 16; i++) {
		n = packets(&cfg, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, (uint8_t)((i & 8) << 3 | (i & 7)),
					ASYNC3, 0x66), pkt);
		assert_true(n > 2);
		assert_int_equal(pkt[1].type, CST_ETMV3_PKT_BAD_SEQUENCE);
		assert_int_equal(pkt[1].bad_type, CST_ETMV3_PKT_BRANCH);
		assert_int_equal(pkt[n - 1].type, CST_ETMV3_PKT_IGNORE);
	}
	/* exception information: bytes 0, 1, 2; all of Resume */
	p = last(&m, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x50, 0x80, 0x9f, 0x4f));
	assert_int_equal(p.exc_type, 0x1f0);
	assert_int_equal(p.event, 15);
	assert_int_equal(p.finding[0], 0);
	p = last(&m, BYTES(THUMB_AT(0xc0026345u), 0x81, 0x80, 0x80, 0x80, 0x50, 0x80, 0x5f));
	assert_int_equal(p.event, 15);
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_RESERVED_BITS);
	/* before any whole address, what is known of it is what was sent */
	p = one(&cfg, BYTES(0xc5, 0x06));
	assert_int_equal(p.addr_bits, 15);
	check_text(&p, "BRANCH_ADDRESS : Branch address.; Addr=0x????0688 (14:0) ~[0x688]; ");
	/* a load or store in progress: its address, and the instruction's in five bytes */
	p = one(&cfg, BYTES(0x08, 0xa1, 0x01, 0x80, 0x00, 0x00, 0x81, 0x80, 0x80, 0x80, 0x09));
	assert_int_equal(p.value, 0x8000);
	assert_int_equal(p.addr, 0x20000000);
	assert_int_equal(p.isa, CST_ISA_A32);
	assert_int_equal(p.count, 1);
}

static void test_others(void **state)
{
	struct cst_config cfg = config(CYCLES | CID4 | VMID_ON, VIRT | BINARY_TS | TS64, 5, 0, CST_PROFILE_A), gray;
	struct cst_packet p;

	(void)state;
	p = one(&cfg, BYTES(0x42, 0xbd, 0x9a, 0xc3, 0xce, 0xaf, 0x90, 0x80, 0x80, 0x00));
	assert_true(p.ts == 0x82f9d0cd3d);
	check_text(&p, "TIMESTAMP : Timestamp Value.; TS=0x82f9d0cd3d (562536959293) ");
	p = last(&cfg, BYTES(0x42, 0xbd, 0x9a, 0xc3, 0xce, 0xaf, 0x90, 0x80, 0x80, 0x00, 0x46, 0x01));
	assert_true(p.ts == 0x82f9d0cd01);
	assert_true(p.flags & CST_ETMV3_PF_CLOCK);
	/* 48 bits in seven bytes; Gray code: 0b110 is 4 */
	gray = config(0, 0, 5, 0, CST_PROFILE_A);
	p = one(&gray, BYTES(0x42, 0x86, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00));
	assert_true(p.ts == 4);
	p = one(&cfg, BYTES(0x04, 0x85, 0x01));
	assert_int_equal(p.cc, 133);
	p = one(&cfg, BYTES(0x6e, 0x78, 0x56, 0x34, 0x12));
	check_text(&p, "CONTEXT_ID : Context ID change.; CtxtID=0x12345678");
	p = one(&cfg, BYTES(0x3c, 0x07));
	check_text(&p, "VMID : VMID change.; VMID=0x7");
	assert_int_equal(one(&cfg, BYTES(0x0c)).type, CST_ETMV3_PKT_TRIGGER);
	assert_int_equal(one(&cfg, BYTES(0x66)).type, CST_ETMV3_PKT_IGNORE);
	assert_int_equal(one(&cfg, BYTES(0x76)).type, CST_ETMV3_PKT_EXC_EXIT);
	p = one(&cfg, BYTES(0x7e));
	assert_int_equal(p.type, CST_ETMV3_PKT_EXC_ENTRY);
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_CONFIG);
	/* a context ID that ETMCR does not turn on */
	gray = config(0, 0, 5, 0, CST_PROFILE_A);
	gray.cid_bytes = 0;
	p = one(&gray, BYTES(0x6e));
	assert_int_equal(p.type, CST_ETMV3_PKT_CONTEXT_ID);
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_CONFIG);
	/* an A-sync with a zero too many; one that is none */
	p = one(&cfg, BYTES(0, ASYNC3));
	assert_int_equal(p.type, CST_ETMV3_PKT_ASYNC);
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_ZEROS);
	p = last(&cfg, BYTES(0, 0, 0x84, 0x84));
	assert_int_equal(p.type, CST_ETMV3_PKT_NOT_SYNC);
}

/* More zeros than five are an A-sync, too, up to 48; behind them the next one is searched for. */
static void test_zeros(void **state)
{
	const struct cst_config cfg = config(0, 0, 5, 0, CST_PROFILE_A);
	struct cst_packet pkt[8];
	uint8_t bytes[80] = { 0 };
	unsigned int zeros, n, i, size;

	(void)state;
	for (zeros = 5; zeros < 70; zeros++) {
		memset(bytes, 0, sizeof(bytes));
		bytes[zeros] = 0x80;
		bytes[zeros + 1] = 0x66;
		n = packets(&cfg, bytes, zeros + 2, pkt);
		for (i = size = 0; i < n; i++)
			size += pkt[i].size;
		assert_int_equal(size, zeros + 2);
		assert_int_equal(pkt[n - 1].type, CST_ETMV3_PKT_IGNORE);
		assert_int_equal(pkt[n - 2].type, CST_ETMV3_PKT_ASYNC);
		assert_int_equal(pkt[n - 2].size, zeros > 48 ? 6 : zeros + 1);
		if (zeros <= 48) {
			assert_int_equal(n, 2);
			continue;
		}
		assert_int_equal(pkt[0].type, CST_ETMV3_PKT_BAD_SEQUENCE);
		assert_int_equal(pkt[0].bad_type, CST_ETMV3_PKT_ASYNC);
		for (i = 1; i < n - 2; i++)
			assert_int_equal(pkt[i].type, CST_ETMV3_PKT_NOT_SYNC);
	}
}

static void test_data(void **state)
{
	struct cst_config cfg = config(VALUE | ADDRESS, 0, 5, 0, CST_PROFILE_A), only = config(ADDRESS, 0, 5, 0, CST_PROFILE_A);
	struct cst_packet p;

	(void)state;
	p = one(&cfg, BYTES(0x2e, 0x80, 0x81, 0x82, 0x83, 0x14, 0x78, 0x56, 0x34, 0x12));
	assert_int_equal(p.type, CST_ETMV3_PKT_DATA);
	assert_int_equal(p.addr, 0x40000000 | 3 << 21 | 2 << 14 | 1 << 7);
	assert_int_equal(p.value, 0x12345678);
	assert_true(p.flags & CST_ETMV3_PF_BIG_ENDIAN);
	p = last(&cfg, BYTES(0x2e, 0x80, 0x81, 0x82, 0x83, 0x14, 0x78, 0x56, 0x34, 0x12, 0x26, 0x04, 0x99));
	assert_int_equal(p.addr, 0x40000000 | 3 << 21 | 2 << 14 | 1 << 7 | 4);
	assert_int_equal(p.value, 0x99);
	assert_int_equal(p.vsize, 1);
	p = one(&cfg, BYTES(0x02));
	assert_int_equal(p.value, 0);
	assert_true(p.flags & CST_ETMV3_PF_VALUE);
	p = one(&cfg, BYTES(0x78, 0x10));
	assert_int_equal(p.type, CST_ETMV3_PKT_OOO_PLACE);
	assert_int_equal(p.tag, 2);
	assert_int_equal(p.addr, 0x10);
	p = one(&cfg, BYTES(0x48, 0x34, 0x12));
	assert_int_equal(p.type, CST_ETMV3_PKT_OOO_DATA);
	assert_int_equal(p.tag, 2);
	assert_int_equal(p.value, 0x1234);
	check_text(&p, "OOO_DATA : Out of Order data value packet.; Val=0x1234; OO_Tag=0x2");
	assert_int_equal(one(&cfg, BYTES(0x50)).type, CST_ETMV3_PKT_STORE_FAILED);
	assert_int_equal(one(&cfg, BYTES(0x62)).type, CST_ETMV3_PKT_SUPPRESSED);
	assert_int_equal(one(&cfg, BYTES(0x6a)).type, CST_ETMV3_PKT_NOT_TRACED);
	assert_int_equal(one(&cfg, BYTES(0x7a, 0x08)).addr, 8);
	/* addresses alone: the size is told, the value is not there */
	p = one(&only, BYTES(0x2e, 0x08));
	assert_int_equal(p.addr, 8);
	assert_false(p.flags & CST_ETMV3_PF_VALUE);
}

/* How many low bits of a data address a packet has, and how many are known by then. */
static void test_data_bits(void **state)
{
	struct cst_config cfg = config(ADDRESS, 0, 5, 0, CST_PROFILE_A);
	static const struct {
		uint8_t bytes[8], len, bits;
	} rows[] = {
		{ { 0x22, 0x7f }, 2, 7 }, { { 0x22, 0xff, 0x7f }, 3, 14 }, { { 0x22, 0xff, 0xff, 0x7f }, 4, 21 },
		{ { 0x22, 0xff, 0xff, 0xff, 0x7f }, 5, 28 }, { { 0x22, 0xff, 0xff, 0xff, 0xff, 0x0f }, 6, 32 },
	};
	struct cst_packet p, pkt[MAX_PKT];
	uint8_t bytes[16];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = one(&cfg, rows[i].bytes, rows[i].len);
		assert_int_equal(p.addr_bits, rows[i].bits);
		assert_int_equal(p.match, rows[i].bits);
		assert_int_equal(p.addr, (1ull << rows[i].bits) - 1);
		/* a shorter one after it: the upper bits stay */
		memcpy(bytes, rows[i].bytes, rows[i].len);
		memcpy(bytes + rows[i].len, "\x22\x01", 2);
		assert_int_equal(packets(&cfg, bytes, rows[i].len + 2u, pkt), 2);
		assert_int_equal(pkt[1].addr_bits, 7);
		assert_int_equal(pkt[1].match, rows[i].bits);
		assert_int_equal(pkt[1].addr, ((1ull << rows[i].bits) - 1) & ~0x7eull);
	}
}

/* LDR r0, [r1]; BLX to T32 at 0x8010; NOP; then T32: LDR r0, [r0]; B . */
static const uint32_t arm[] = { 0xe5910000, 0xfa000001, 0xe1a00000, 0xe1a00000, 0xe7fe6800 };

#define ARM_START ASYNC3, 0x08, 0x21, 0x00, 0x80, 0x00, 0x00

static void test_elements(void **state)
{
	struct cst_config cfg = config(VALUE | ADDRESS, 0, 5, 0, CST_PROFILE_A);
	struct program pr;
	struct decoded d;

	(void)state;
	program_map(&pr, 0x8000, arm, sizeof(arm));
	/* E, a transfer, out-of-order data; BLX changes the instruction set; a cancelled instruction did not run */
	decode_bytes(&cfg, pr.space, BYTES(ARM_START, 0x84, 0x26, 0x10, 0x55, 0x74, 0x20, 0x88, 0x24, 0x77, 0x8d, 0x80, 0x80,
					   0x80, 0x48, 0x3c), &d);
	assert_int_equal(d.gen[1].kind, CST_GEN_TRACE_ON);
	assert_int_equal(d.gen[2].kind, CST_GEN_PE_CONTEXT);
	assert_int_equal(d.gen[3].kind, CST_GEN_RANGE);
	assert_int_equal(d.gen[3].addr, 0x8000);
	assert_int_equal(d.gen[4].kind, CST_GEN_DATA);
	assert_int_equal(d.gen[4].addr, 0x10);
	assert_int_equal(d.gen[4].value, 0x55);
	assert_int_equal(d.gen[4].insn, 0x8000);
	assert_int_equal(d.gen[5].num, CST_DATA_ADDR | CST_DATA_INSN | CST_DATA_PENDING);
	assert_int_equal(d.gen[6].isa, CST_ISA_A32);
	assert_int_equal(d.gen[6].end, 0x8008);
	assert_int_equal(d.gen[7].kind, CST_GEN_DATA);
	assert_int_equal(d.gen[7].num, CST_DATA_ADDR | CST_DATA_INSN | CST_DATA_LATE | CST_DATA_VALUE);
	assert_int_equal(d.gen[7].addr, 0x20);
	assert_int_equal(d.gen[7].insn, 0x8000);
	assert_int_equal(d.gen[8].kind, CST_GEN_EXCEPTION);
	assert_int_equal(d.gen[8].num, 14);
	/* the packet has no return address: it is where execution had come to */
	assert_int_equal(d.gen[8].flags & CST_GF_RET_ADDR, CST_GF_RET_ADDR);
	assert_int_equal(d.gen[8].end, 0x8010);
	assert_int_equal(d.stats.ranges, 2);
	cst_image_free(pr.img);
}

static void test_unknown(void **state)
{
	struct cst_config cfg = config(CYCLES, 0, 5, 0, CST_PROFILE_A);
	struct decoded d;

	(void)state;
	/* byte codes are not followed; nor is code that is not there: its time passes */
	decode_bytes(&cfg, NULL, BYTES(ASYNC3, 0x08, 0x31, 0x00, 0x80, 0x00, 0x00, 0x88, 0x84), &d);
	assert_int_equal(d.gen[3].kind, CST_GEN_ADDR_UNKNOWN);
	assert_int_equal(d.gen[3].cc, 2);
	assert_int_equal(d.gen[4].kind, CST_GEN_CYCLE_COUNT);
	assert_int_equal(d.stats.atoms_lost, 3);
	decode_bytes(&cfg, NULL, BYTES(ARM_START, 0x84, 0x88), &d);
	assert_int_equal(d.gen[3].kind, CST_GEN_NACC);
	assert_int_equal(d.gen[3].num, CST_MEM_EL1S | CST_MEM_EL2S | CST_MEM_EL3);
	assert_int_equal(d.gen[4].kind, CST_GEN_ADDR_UNKNOWN);
	/* a reserved header costs the trace up to the next A-sync, and that is counted */
	decode_bytes(&cfg, NULL, BYTES(ARM_START, 0x10, 0x84, 0x84, ARM_START), &d);
	assert_int_equal(d.stats.unsynced, 3);
	assert_int_equal(d.stats.bad_packets, 1);
	assert_int_equal(d.stats.resyncs, 1);
}

/* T32: IT EQ; ADDEQ r0, r0, #1; ITE EQ; MOVEQ, MOVNE; NOP; B . */
static const uint16_t it_blocks[] = { 0xbf08, 0x3001, 0xbf0c, 0x4608, 0x4610, 0xbf00, 0xe7fe };

#define THUMB_START ASYNC3, 0x08, 0x21, 0x01, 0x80, 0x00, 0x00

/* What an IT block makes conditional is marked so, through any packets. */
static void test_it(void **state)
{
	static const uint8_t conditional[] = { 0, 1, 0, 1, 1, 0, 0 };
	struct cst_config cfg = config(0, 0, 5, 0, CST_PROFILE_A);
	struct program pr;
	struct decoded d;
	unsigned int i;

	(void)state;
	program_map(&pr, 0x8000, it_blocks, sizeof(it_blocks));
	cfg.insn_ranges = 1;
	/* all in one packet */
	decode_bytes(&cfg, pr.space, BYTES(THUMB_START, 0x9c), &d);
	assert_int_equal(d.stats.ranges, 7);
	for (i = 0; i < 7; i++) {
		assert_int_equal(d.gen[3 + i].kind, CST_GEN_RANGE);
		assert_int_equal(!!(d.gen[3 + i].flags & CST_GF_COND), conditional[i]);
		assert_int_equal(d.gen[3 + i].num, conditional[i] ? CST_RANGE_IT : 0);
	}
	/* in packets of their own; a periodic I-sync in the middle; one of the two did not run */
	decode_bytes(&cfg, pr.space, BYTES(THUMB_START, 0x84, 0x84, 0x84, 0x84, 0x08, 0x01, 0x09, 0x80, 0x00, 0x00, 0xc0, 0x88),
		     &d);
	assert_int_equal(d.stats.ranges, 7);
	assert_int_equal(d.gen[7].kind, CST_GEN_PE_CONTEXT);
	for (i = 0; i < 7; i++) {
		assert_int_equal(!!(d.gen[3 + i + (i > 3)].flags & CST_GF_COND), conditional[i]);
		assert_int_equal(d.gen[3 + i + (i > 3)].num, conditional[i] ? CST_RANGE_IT : 0);
	}
	/* one that says something else ends the block */
	decode_bytes(&cfg, pr.space, BYTES(THUMB_START, 0x84, 0x08, 0x01, 0x03, 0x80, 0x00, 0x00, 0x84), &d);
	assert_int_equal(d.gen[5].addr, 0x8002);
	assert_int_equal(d.gen[5].flags & CST_GF_COND, CST_GF_COND);
	decode_bytes(&cfg, pr.space, BYTES(THUMB_START, 0x84, 0x08, 0x01, 0x0b, 0x80, 0x00, 0x00, 0x84), &d);
	assert_int_equal(d.gen[5].addr, 0x800a);
	assert_int_equal(d.gen[5].flags & CST_GF_COND, 0);
	cst_image_free(pr.img);
}

/* A branch that tells of a new state tells of it as it is where the branch goes. */
static void test_state_of_target(void **state)
{
	struct cst_config cfg = config(0, VIRT, 5, 0, CST_PROFILE_A);
	struct cst_packet p;
	struct decoded d;

	(void)state;
	/* from Thumb, Secure to ARM, Non-secure, Hyp mode: an IRQ at 0x18 */
	decode_bytes(&cfg, NULL, BYTES(THUMB_START, 0x8d, 0x80, 0x80, 0x80, 0x48, 0x9d, 0x20), &d);
	assert_int_equal(d.gen[2].kind, CST_GEN_PE_CONTEXT);
	assert_int_equal(d.gen[2].isa, CST_ISA_T32);
	assert_int_equal(d.gen[3].kind, CST_GEN_PE_CONTEXT);
	assert_int_equal(d.gen[3].isa, CST_ISA_A32);
	assert_int_equal(d.gen[3].security, CST_SEC_NONSECURE);
	assert_int_equal(d.gen[3].el, 2);
	assert_int_equal(d.gen[4].kind, CST_GEN_EXCEPTION);
	assert_int_equal(d.gen[4].num, 14);
	/* without the virtualization extension the bit is reserved */
	cfg = config(0, 0, 5, 0, CST_PROFILE_A);
	p = one(&cfg, BYTES(0x8d, 0x80, 0x80, 0x80, 0x48, 0x9d, 0x20));
	assert_int_equal(p.finding[0], CST_FIND_ETMV3_RESERVED_BITS);
	assert_int_equal(p.el, 0);
	p = one(&cfg, BYTES(0x8d, 0x80, 0x80, 0x80, 0x48, 0x9d, 0x00));
	assert_int_equal(p.finding[0], 0);
}

static void test_suppressed(void **state)
{
	struct cst_config cfg = config(VALUE, 0, 5, 0, CST_PROFILE_M);
	struct decoded d;

	(void)state;
	decode_bytes(&cfg, NULL, BYTES(ASYNC3, 0x08, 0x21, 0x01, 0x80, 0x00, 0x00, 0x62, 0x50, 0x7e, 0x40), &d);
	assert_int_equal(d.gen[3].num, CST_DATA_SUPPRESSED);
	assert_int_equal(d.gen[4].num, CST_DATA_STORE_FAILED);
	assert_int_equal(d.gen[5].num, CST_DATA_STACKING);
	/* out-of-order data whose placeholder is not there */
	assert_int_equal(d.gen[6].num, CST_DATA_LATE | CST_DATA_VALUE);
	assert_int_equal(d.stats.data_lost, 1);
	/* between the words of a transfer, it has none of their addresses */
	cfg = config(VALUE | ADDRESS, 0, 5, 0, CST_PROFILE_M);
	decode_bytes(&cfg, NULL, BYTES(ASYNC3, 0x08, 0x21, 0x01, 0x80, 0x00, 0x00, 0x26, 0x10, 0x55, 0x24, 0x77, 0x06, 0x66), &d);
	assert_int_equal(d.gen[3].num, CST_DATA_ADDR | CST_DATA_VALUE);
	assert_int_equal(d.gen[3].addr, 0x10);
	assert_int_equal(d.gen[4].num, CST_DATA_LATE | CST_DATA_VALUE);
	assert_int_equal(d.gen[5].num, CST_DATA_ADDR | CST_DATA_VALUE);
	assert_int_equal(d.gen[5].addr, 0x14);
}

#define TIME48 0x42, 0x85, 0x80, 0x80, 0x80, 0x80, 0x81, 0x02
#define WHOLE (UINT64_C(2) << 42 | UINT64_C(1) << 35 | 5)
#define I_SYNC(reason) 0x08, (reason) << 5 | 0x01, 0x00, 0x80, 0x00, 0x00

/* What a short timestamp leaves out is as it was sent the last time: not if something was lost since then. */
static void test_unknown_times(void **state)
{
	static const uint8_t in[] = {
		ASYNC3, 0x42, 0x01, I_SYNC(1),		/* nothing is known yet */
		TIME48, 0x42, 0x06,
		0x10, ASYNC3, I_SYNC(0), 0x42, 0x07,	/* a reserved header */
		TIME48, I_SYNC(2), 0x42, 0xff, 0x01,	/* an overflow */
		TIME48,
	};
	static const uint64_t want[] = { 0, WHOLE, WHOLE + 1, 0, WHOLE, 0, WHOLE };
	/* as sent, with upper bits of before */
	static const uint64_t sent[] = { 1, WHOLE, WHOLE + 1, WHOLE + 2, WHOLE, WHOLE + 250, WHOLE };
	struct cst_config cfg = config(0, BINARY_TS, 5, 0, CST_PROFILE_A);

	(void)state;
	check_times(&cfg, in, sizeof(in), want, sent, sizeof(want) / sizeof(want[0]), 3);
}

#define I_SYNC_CYCLES(reason, cycles) 0x70, cycles, (reason) << 5 | 0x01, 0x00, 0x80, 0x00, 0x00
#define CYCLES_OF(n) 0x04, n
#define NONE UINT32_MAX

/* The counts of cycles of the contexts and of the packets that only count, NONE for an unknown one. */
static void check_cycles(const struct cst_config *cfg, const uint8_t *p, size_t len, const uint32_t *want, unsigned int n)
{
	struct decoded d;
	unsigned int i, k = 0;

	decode_bytes(cfg, NULL, p, len, &d);
	for (i = 0; i < d.n; i++) {
		if (d.gen[i].kind != CST_GEN_PE_CONTEXT && d.gen[i].kind != CST_GEN_CYCLE_COUNT)
			continue;
		assert_true(k < n);
		assert_int_equal(d.gen[i].flags & CST_GF_CC ? d.gen[i].cc : NONE, want[k]);
		k++;
	}
	assert_int_equal(k, n);
}

/*
 * The cycles between trace regions (IHI 0014Q 7.3.4): not known through an overflow in ETMv3.0 and 3.5, nor through debug state
 * in 3.0, nor if the count is 0. Periodic I-syncs do not change which region the count is of.
 */
static void test_gap_cycles(void **state)
{
	static const uint8_t in[] = {
		ASYNC3, I_SYNC_CYCLES(1, 9), I_SYNC(0), CYCLES_OF(8), CYCLES_OF(0),
		I_SYNC_CYCLES(2, 7), CYCLES_OF(6), I_SYNC(0), CYCLES_OF(5),
		I_SYNC_CYCLES(3, 4), CYCLES_OF(3), I_SYNC_CYCLES(1, 0), I_SYNC(1), CYCLES_OF(2),
	};
	static const uint32_t counted[] = { 9, NONE, 8, NONE, 7, 6, NONE, 5, 4, 3, NONE, NONE, 2 };
	uint32_t want[sizeof(counted) / sizeof(counted[0])], reference[sizeof(counted) / sizeof(counted[0])];
	struct cst_config cfg;
	unsigned int minor;

	(void)state;
	for (minor = 0; minor <= 5; minor++) {
		cfg = config(CYCLES, 0, minor, 0, CST_PROFILE_A);
		memcpy(want, counted, sizeof(want));
		if (minor == 0 || minor == 5)
			want[4] = want[5] = want[7] = NONE;
		if (minor == 0)
			want[8] = want[9] = NONE;
		check_cycles(&cfg, in, sizeof(in), want, sizeof(want) / sizeof(want[0]));
		cfg.as_reference = 1;
		memcpy(reference, counted, sizeof(reference));
		reference[3] = reference[10] = 0;
		check_cycles(&cfg, in, sizeof(in), reference, sizeof(reference) / sizeof(reference[0]));
	}
}

/* A cycle count between A-sync and I-sync is an element if cycles are traced, and lost if not. */
static void test_early_cycles(void **state)
{
	static const struct {
		uint32_t cr;
		uint8_t bytes[16], len;
		unsigned int unsynced, elements;
	} rows[] = {
		{ 0, { ASYNC3, 0x04, 0x05, I_SYNC(0) }, 14, 2, 0 },
		{ CYCLES, { ASYNC3, 0x04, 0x05, I_SYNC(0) }, 14, 0, 1 },
	};
	struct cst_config cfg;
	struct decoded d;
	unsigned int i, k, n;

	(void)state;
	for (i = 0; i < 2; i++) {
		cfg = config(rows[i].cr, 0, 5, 0, CST_PROFILE_A);
		decode_bytes(&cfg, NULL, rows[i].bytes, rows[i].len, &d);
		for (k = n = 0; k < d.n; k++)
			n += d.gen[k].kind == CST_GEN_CYCLE_COUNT && d.gen[k].index == 6;
		assert_int_equal(n, rows[i].elements);
		assert_int_equal(d.stats.unsynced, rows[i].unsynced);
		assert_int_equal(d.stats.bad_packets, 0);
	}
}

/* A value that comes late, after a reset, is not of the place that waited before it. */
static void test_late_after_reset(void **state)
{
	struct cst_config cfg = config(VALUE | ADDRESS, 0, 5, 0, CST_PROFILE_A);
	static const uint8_t before[] = { ARM_START, 0x84, 0x26, 0x10, 0x55, 0x74, 0x20, 0x84 };
	static const uint8_t after[] = { ARM_START, 0x84, 0x24, 0x77, 0x84 };
	struct cst_generic out[64];
	struct cst_decoder *dec;
	unsigned int late = 0;
	int i, n;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, before, sizeof(before), 0), 0);
	while (cst_decoder_pull(dec, out, 64, NULL) > 0)
		;
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, after, sizeof(after), 0x100), 0);
	while ((n = cst_decoder_pull(dec, out, 64, NULL)) > 0)
		for (i = 0; i < n; i++)
			if (out[i].kind == CST_GEN_DATA && out[i].num & CST_DATA_LATE) {
				late++;
				assert_int_equal(out[i].num & CST_DATA_ADDR, 0);
			}
	assert_int_equal(late, 1);
	cst_decoder_free(dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_after_reset),
		cmocka_unit_test(test_headers), cmocka_unit_test(test_isync), cmocka_unit_test(test_phdr), cmocka_unit_test(test_wide_numbers),
		cmocka_unit_test(test_data_bits), cmocka_unit_test(test_exception_numbers),
		cmocka_unit_test(test_not_configured), cmocka_unit_test(test_async_in_packet),
		cmocka_unit_test(test_branch), cmocka_unit_test(test_branch_forms), cmocka_unit_test(test_others),
		cmocka_unit_test(test_zeros), cmocka_unit_test(test_early_cycles), cmocka_unit_test(test_data),
		cmocka_unit_test(test_unknown_times), cmocka_unit_test(test_gap_cycles),
		cmocka_unit_test(test_elements), cmocka_unit_test(test_unknown), cmocka_unit_test(test_it), cmocka_unit_test(test_suppressed),
		cmocka_unit_test(test_state_of_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
