/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv4_packet.c - headers and payloads of ETMv4 and ETE packets, from the architecture's
 * descriptions: what each of the 256 headers is for each trace unit, and worked examples of each field.
 */
#include "unit/lib_decode.h"

/* Who has a packet. */
enum who {
	ALL, ETM, ETE, ETE3, ETM43_ETE, ETM46_ETE, V8M, COND, DATA, QSUPP, Q_BAD
};

/* The header map in the order of the headers; what it does not name is reserved for everyone. */
static const struct {
	uint8_t first, last;
	enum who who;
	uint8_t type;
} map[] = {
	{ 0x01, 0x01, ALL, CST_PKT_TRACE_INFO },
	{ 0x02, 0x03, ALL, CST_PKT_TIMESTAMP },
	{ 0x04, 0x04, ALL, CST_PKT_TRACE_ON },
	{ 0x05, 0x05, V8M, CST_PKT_FUNC_RETURN },
	{ 0x06, 0x06, ALL, CST_PKT_EXCEPTION },
	{ 0x07, 0x07, ETM, CST_PKT_EXC_RETURN },
	{ 0x09, 0x09, ETE3, CST_PKT_ITE },
	{ 0x0a, 0x0a, ETE, CST_PKT_TRANS_START },
	{ 0x0b, 0x0b, ETE, CST_PKT_TRANS_COMMIT },
	{ 0x0c, 0x0d, ALL, CST_PKT_CCNT_F2 },
	{ 0x0e, 0x0f, ALL, CST_PKT_CCNT_F1 },
	{ 0x10, 0x1f, ALL, CST_PKT_CCNT_F3 },
	{ 0x20, 0x27, DATA, CST_PKT_DATA_SYNC_NUM },
	{ 0x28, 0x2c, DATA, CST_PKT_DATA_SYNC },
	{ 0x2d, 0x2d, ALL, CST_PKT_COMMIT },
	{ 0x2e, 0x2e, ALL, CST_PKT_CANCEL_F1 },
	{ 0x2f, 0x2f, ALL, CST_PKT_CANCEL_F1_MISP },
	{ 0x30, 0x33, ALL, CST_PKT_MISPREDICT },
	{ 0x34, 0x37, ALL, CST_PKT_CANCEL_F2 },
	{ 0x38, 0x3f, ALL, CST_PKT_CANCEL_F3 },
	{ 0x40, 0x42, COND, CST_PKT_COND_I_F2 },
	{ 0x43, 0x43, COND, CST_PKT_COND_FLUSH },
	{ 0x44, 0x46, COND, CST_PKT_COND_R_F4 },
	{ 0x48, 0x4a, COND, CST_PKT_COND_R_F2 },
	{ 0x4c, 0x4e, COND, CST_PKT_COND_R_F2 },
	{ 0x50, 0x5f, COND, CST_PKT_COND_R_F3 },
	{ 0x68, 0x6b, COND, CST_PKT_COND_R_F1 },
	{ 0x6c, 0x6c, COND, CST_PKT_COND_I_F1 },
	{ 0x6d, 0x6d, COND, CST_PKT_COND_I_F3 },
	{ 0x6e, 0x6f, COND, CST_PKT_COND_R_F1 },
	{ 0x70, 0x70, ETM43_ETE, CST_PKT_IGNORE },
	{ 0x71, 0x7f, ALL, CST_PKT_EVENT },
	{ 0x80, 0x81, ALL, CST_PKT_CONTEXT },
	{ 0x82, 0x83, ALL, CST_PKT_ADDR_CTXT_32 },
	{ 0x85, 0x86, ALL, CST_PKT_ADDR_CTXT_64 },
	{ 0x88, 0x88, ETM46_ETE, CST_PKT_TS_MARKER },
	{ 0x90, 0x92, ALL, CST_PKT_ADDR_MATCH },
	{ 0x95, 0x96, ALL, CST_PKT_ADDR_SHORT },
	{ 0x9a, 0x9b, ALL, CST_PKT_ADDR_32 },
	{ 0x9d, 0x9e, ALL, CST_PKT_ADDR_64 },
	{ 0xa0, 0xa2, QSUPP, CST_PKT_Q },
	{ 0xa3, 0xa4, Q_BAD, CST_PKT_Q },
	{ 0xa5, 0xa6, QSUPP, CST_PKT_Q },
	{ 0xa7, 0xa9, Q_BAD, CST_PKT_Q },
	{ 0xaa, 0xac, QSUPP, CST_PKT_Q },
	{ 0xad, 0xae, Q_BAD, CST_PKT_Q },
	{ 0xaf, 0xaf, QSUPP, CST_PKT_Q },
	{ 0xb0, 0xb2, ETE, CST_PKT_SRC_MATCH },
	{ 0xb4, 0xb5, ETE, CST_PKT_SRC_SHORT },
	{ 0xb6, 0xb7, ETE, CST_PKT_SRC_32 },
	{ 0xb8, 0xb9, ETE, CST_PKT_SRC_64 },
	{ 0xc0, 0xd4, ALL, CST_PKT_ATOM_F6 },
	{ 0xd5, 0xd7, ALL, CST_PKT_ATOM_F5 },
	{ 0xd8, 0xdb, ALL, CST_PKT_ATOM_F2 },
	{ 0xdc, 0xdf, ALL, CST_PKT_ATOM_F4 },
	{ 0xe0, 0xf4, ALL, CST_PKT_ATOM_F6 },
	{ 0xf5, 0xf5, ALL, CST_PKT_ATOM_F5 },
	{ 0xf6, 0xf7, ALL, CST_PKT_ATOM_F1 },
	{ 0xf8, 0xff, ALL, CST_PKT_ATOM_F3 },
};

struct unit {
	int ete, m_profile, cond, data, qsupp;
	unsigned int minor;
};

static size_t entry_of(unsigned int h)
{
	size_t i;

	for (i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].first <= h && h <= map[i].last)
			break;
	return i;
}

static uint8_t expected(const struct unit *u, unsigned int h)
{
	size_t i = entry_of(h);

	if (i == sizeof(map) / sizeof(map[0]))
		return CST_PKT_RESERVED;
	switch (map[i].who) {
	case ALL:
		return map[i].type;
	case ETM:
		return u->ete ? CST_PKT_RESERVED_CFG : map[i].type;
	case ETE:
		return u->ete ? map[i].type : CST_PKT_RESERVED;
	case ETE3:
		return u->ete && u->minor == 3 ? map[i].type : CST_PKT_RESERVED;
	case ETM43_ETE:
		return u->ete || u->minor >= 3 ? map[i].type : CST_PKT_RESERVED;
	case ETM46_ETE:
		return u->ete || u->minor >= 6 ? map[i].type : CST_PKT_RESERVED;
	case V8M:
		return !u->ete && u->m_profile && u->minor >= 2 ? map[i].type : CST_PKT_RESERVED;
	case COND:
		return !u->ete && u->cond ? map[i].type : CST_PKT_RESERVED_CFG;
	case DATA:
		return !u->ete && u->data ? map[i].type : CST_PKT_RESERVED_CFG;
	case QSUPP:
		return u->qsupp ? map[i].type : CST_PKT_RESERVED_CFG;
	case Q_BAD:
		return u->qsupp ? CST_PKT_BAD_SEQUENCE : CST_PKT_RESERVED;
	}
	return CST_PKT_RESERVED;
}

static struct cst_config config_of(const struct unit *u)
{
	struct cst_etmv4_regs regs = {
		.configr = (u->cond ? 7 << 8 : 0) | (u->data ? 3 << 16 | 3 << 1 : 0),
		.idr0 = (u->cond ? 1 << 6 : 0) | (u->data ? 3 << 3 : 0) | u->qsupp << 15,
		.idr1 = u->ete ? 0xff0 : 4u << 8 | u->minor << 4,
		.idr2 = 8 | 4 << 5 | 4 << 10,
		.devarch = u->ete ? 0x47705a13 | u->minor << 16 : 0,
	};
	struct cst_config cfg;
	int refused = !u->ete && u->data;

	assert_int_equal(cst_config_etmv4(&cfg, &regs, u->ete, u->m_profile ? CST_PROFILE_M :
					  CST_PROFILE_A), refused ? -CST_ERR_UNSUP : 0);
	assert_int_equal(cfg.version, (u->ete ? 0x50 : 0x40) | u->minor);
	return cfg;
}

static void test_headers(void **state)
{
	struct unit u;
	unsigned int i, h, n, checked = 0;

	(void)state;
	for (i = 0; i < 11 * 2 * 2 * 2 * 2; i++) {
		struct cst_config cfg;

		u.ete = i % 11 > 6;
		u.minor = u.ete ? i % 11 - 7 : i % 11;
		u.m_profile = i / 11 & 1;
		u.cond = i / 22 & 1;
		u.data = i / 44 & 1;
		u.qsupp = i / 88 & 1 ? 1 + i % 3 : 0;
		cfg = config_of(&u);
		for (h = 1; h < 256; h++) {
			uint8_t bytes[40];
			struct cst_packet pkt[64];

			memset(bytes, 0x01, sizeof(bytes));	/* ends every field it stands in */
			bytes[0] = h;
			n = packets_of(&cfg, bytes, sizeof(bytes), pkt, 64);
			assert_true(n);
			if (pkt[0].type != expected(&u, h))
				fail_msg("header %02x of %s.%u: type %u, not %u", h, u.ete ? "ETE 1" :
					 "ETMv4", u.minor, pkt[0].type, expected(&u, h));
			assert_int_equal(pkt[0].header, h);
			/* of a header that another configuration has, what it is there */
			if (pkt[0].type == CST_PKT_RESERVED_CFG)
				assert_int_equal(pkt[0].bad_type, map[entry_of(h)].type);
			checked++;
		}
	}
	assert_int_equal(checked, 11 * 16 * 255);
}

/* The first packet of some bytes. */
static struct cst_packet first(const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct cst_packet pkt[64];

	assert_true(packets_of(cfg, p, len, pkt, 64));
	return pkt[0];
}

static void test_extension(void **state)
{
	struct cst_config cfg = etm_config(4, 0), m = etm_config(4, 0);
	struct cst_packet p;
	unsigned int b;

	(void)state;
	m.profile = CST_PROFILE_M;
	for (b = 1; b < 256; b++) {
		uint8_t bytes[2] = { 0, b };

		p = first(&cfg, bytes, 2);
		assert_int_equal(p.type, b == 3 ? CST_PKT_DISCARD : b == 5 ? CST_PKT_OVERFLOW :
				 CST_PKT_BAD_SEQUENCE);
		/* 80 may end an A-sync whose other zeros were taken for something else */
		assert_int_equal(p.size, b == 0x80 ? 1 : 2);
	}
	/* a branch future flush is of v8.1-M alone */
	assert_int_equal(first(&m, BYTES(0x00, 0x07)).type, CST_PKT_BF_FLUSH);
	assert_int_equal(first(&m, BYTES(0x00, 0x07)).size, 2);
	p = first(&cfg, BYTES(ASYNC));
	assert_int_equal(p.type, CST_PKT_ASYNC);
	assert_int_equal(p.size, 12);
	/* in step, a zero too many is an error */
	p = first(&cfg, BYTES(0, ASYNC));
	assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
	assert_int_equal(p.bad_type, CST_PKT_ASYNC);
	/* out of step it is skipped */
	assert_int_equal(first(&cfg, BYTES(0x08)).type, CST_PKT_RESERVED);
	{
		struct cst_packet q[8];

		assert_int_equal(packets_of(&cfg, BYTES(0x08, 0, 0, ASYNC, 0xf7), q, 8), 5);
		assert_int_equal(q[1].type, CST_PKT_NOT_SYNC);
		assert_int_equal(q[3].type, CST_PKT_ASYNC);
		assert_int_equal(q[3].index, 3);
		assert_int_equal(q[4].type, CST_PKT_ATOM_F1);
		/* a packet that seems to be an address has taken four of its zeros */
		assert_int_equal(packets_of(&cfg, BYTES(0x9a, ASYNC, 0xf7), q, 8), 4);
		assert_int_equal(q[0].type, CST_PKT_ADDR_32);
		assert_int_equal(q[1].type, CST_PKT_BAD_SEQUENCE);
		assert_int_equal(q[2].type, CST_PKT_ASYNC);
		assert_int_equal(q[2].index + q[2].size, 13);
		assert_int_equal(q[3].type, CST_PKT_ATOM_F1);
	}
}

static void test_atoms(void **state)
{
	static const struct {
		uint8_t header;
		const char *atoms;	/* oldest first */
	} rows[] = {
		{ 0xf6, "N" }, { 0xf7, "E" },
		{ 0xd8, "NN" }, { 0xd9, "EN" }, { 0xda, "NE" }, { 0xdb, "EE" },
		{ 0xf8, "NNN" }, { 0xf9, "ENN" }, { 0xfa, "NEN" }, { 0xfb, "EEN" },
		{ 0xfc, "NNE" }, { 0xfd, "ENE" }, { 0xfe, "NEE" }, { 0xff, "EEE" },
		{ 0xdc, "NEEE" }, { 0xdd, "NNNN" }, { 0xde, "NENE" }, { 0xdf, "ENEN" },
		{ 0xd5, "NNNNN" }, { 0xd6, "NENEN" }, { 0xd7, "ENENE" }, { 0xf5, "NEEEE" },
		{ 0xc0, "EEEE" }, { 0xe0, "EEEN" }, { 0xc1, "EEEEE" }, { 0xc2, "EEEEEE" },
		{ 0xd4, "EEEEEEEEEEEEEEEEEEEEEEEE" }, { 0xf4, "EEEEEEEEEEEEEEEEEEEEEEEN" },
		{ 0xe7, "EEEEEEEEEEN" },
	};
	struct cst_config cfg = etm_config(0, 0);
	struct cst_packet p;
	unsigned int i, k, h;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = first(&cfg, &rows[i].header, 1);
		assert_int_equal(p.n_atoms, strlen(rows[i].atoms));
		for (k = 0; k < p.n_atoms; k++)
			assert_int_equal(p.atoms >> k & 1, rows[i].atoms[k] == 'E');
	}
	for (h = 0xc0; h < 0xf5; h++) {
		uint8_t byte = h;

		if (h > 0xd4 && h < 0xe0)
			continue;
		p = first(&cfg, &byte, 1);
		assert_int_equal(p.n_atoms, (h & 0x1f) + 4);
		assert_int_equal(p.atoms, h & 0x20 ? (1u << ((h & 0x1f) + 3)) - 1 :
				 (uint32_t)((1ull << ((h & 0x1f) + 4)) - 1));
	}
}

static void test_trace_info(void **state)
{
	struct cst_config cfg = etm_config(4, 8);
	struct cst_packet p, q[8];

	(void)state;
	p = first(&cfg, BYTES(0x01, 0x00));
	assert_int_equal(p.type, CST_PKT_TRACE_INFO);
	assert_int_equal(p.size, 2);
	assert_int_equal(p.flags & (CST_PF_INFO | CST_PF_KEY | CST_PF_SPEC | CST_PF_CYCT | CST_PF_WNDW), 0);
	p = first(&cfg, BYTES(0x01, 0x01, 0x10));
	assert_int_equal(p.info, 0x10);
	assert_int_equal(p.size, 3);
	p = first(&cfg, BYTES(0x01, 0x1f, 0x41, 0x02, 0x85, 0x01, 0x96, 0x01, 0x07));
	assert_int_equal(p.size, 9);
	assert_int_equal(p.info, 0x41);
	assert_int_equal(p.key, 2);
	assert_int_equal(p.spec, 0x85);
	assert_int_equal(p.cyct, 0x96);
	assert_true(p.flags & CST_PF_SYNC_POINT && p.flags & CST_PF_WNDW);
	assert_true(p.flags & CST_PF_INFO && p.flags & CST_PF_KEY && p.flags & CST_PF_SPEC && p.flags & CST_PF_CYCT);
	p = first(&cfg, BYTES(0x01, 0x0a, 0x02, 0x01));
	assert_int_equal(p.flags & (CST_PF_INFO | CST_PF_KEY | CST_PF_SPEC | CST_PF_CYCT | CST_PF_WNDW), CST_PF_KEY | CST_PF_CYCT);
	/* more control bytes than one say nothing, sections of more than 32 bits are none */
	p = first(&cfg, BYTES(0x01, 0x81, 0x00, 0x10));
	assert_int_equal(p.info, 0x10);
	p = first(&cfg, BYTES(0x01, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00));
	assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
	assert_int_equal(p.bad_type, CST_PKT_TRACE_INFO);
	p = first(&cfg, BYTES(0x01, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80));
	assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
	/* history, context and time start anew */
	assert_int_equal(packets_of(&cfg, BYTES(0x01, 0x00, 0x9a, 4, 0, 5, 0, 0x02, 0xd7, 0xdf, 0x01,
						0x01, 0x00, 0x95, 0x08, 0x02, 0x05, 0x80), q, 8), 7);
	assert_int_equal(q[1].addr, 0x50010);
	assert_int_equal(q[2].ts, 0x6fd7);
	assert_true(q[0].flags & CST_PF_SYNC_POINT);
	assert_false(q[3].flags & CST_PF_SYNC_POINT);
	assert_int_equal(q[4].addr, 0x20);
	assert_int_equal(q[5].ts, 5);
	assert_int_equal(q[6].el, 0);
}

static void test_timestamp(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct cst_packet q[4], p;

	(void)state;
	/* nine bytes: the last one has eight bits */
	p = first(&cfg, BYTES(0x02, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0xff));
	assert_int_equal(p.size, 10);
	assert_int_equal(p.ts_bits, 64);
	assert_true(p.ts == (0xffull << 56 | 8ull << 49 | 7ull << 42 | 6ull << 35 | 5ull << 28 |
			     4ull << 21 | 3ull << 14 | 2ull << 7 | 1));
	p = first(&cfg, BYTES(0x02, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x7f));
	assert_true(p.ts >> 56 == 0x7f);
	/* the low bits are replaced, the others stay */
	assert_int_equal(packets_of(&cfg, BYTES(0x02, 0xff, 0xff, 0x7f, 0x02, 0x01, 0x02, 0x82, 0x00), q, 4), 3);
	assert_int_equal(q[0].ts, 0x1fffff);
	assert_int_equal(q[1].ts, 0x1fff81);
	assert_int_equal(q[1].ts_bits, 7);
	assert_int_equal(q[2].ts, 0x1fc002);
	/* with a cycle count of at most three bytes, cut to the counter's size (12 bits here) */
	p = first(&cfg, BYTES(0x03, 0x05, 0xff, 0xff, 0x7f));
	assert_int_equal(p.cc, 0xfff);
	assert_true(p.flags & CST_PF_CC);
	assert_int_equal(p.finding[0], CST_FIND_ETM_CC_OFF);
	assert_int_equal(p.finding[1], CST_FIND_ETM_WIDE);
	cfg.cc_bits = 32;
	p = first(&cfg, BYTES(0x03, 0x05, 0xff, 0xff, 0x7f));
	assert_int_equal(p.cc, 0x1fffff);
	assert_int_equal(p.finding[1], 0);
	cfg.cc_bits = 12;
	p = first(&cfg, BYTES(0x03, 0x05, 0xff, 0xff, 0xff, 0x01));
	assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
}

static void test_cycle_counts(void **state)
{
	struct cst_config cfg = etm_config(4, 40);
	struct cst_packet q[8];

	(void)state;
	/* threshold 0x16: format 2, 3, 1 and 1 with unknown count */
	assert_int_equal(packets_of(&cfg, BYTES(0x01, 0x08, 0x16, 0x0c, 0x96, 0x1f, 0x0e, 0x83, 0x01, 0x85, 0x01,
						0x0f, 0x01, 0x0d, 0xf4, 0x0d, 0x00), q, 8), 7);
	assert_int_equal(q[1].commit, 10);
	assert_int_equal(q[1].cc, 0x1c);
	assert_int_equal(q[2].commit, 4);
	assert_int_equal(q[2].cc, 0x19);
	assert_int_equal(q[3].commit, 131);
	assert_int_equal(q[3].cc, 0x16 + 133);
	assert_int_equal(q[4].commit, 1);
	assert_true(q[4].flags & CST_PF_CC_UNKNOWN && !(q[4].flags & CST_PF_CC));
	assert_int_equal(q[4].cc, 0);
	assert_int_equal(q[5].commit, 40);	/* F = 1: MAXSPEC + AAAA - 15 */
	assert_int_equal(q[5].cc, 0x1a);
	assert_int_equal(q[6].commit, 25);
	assert_true(q[1].flags & q[2].flags & q[3].flags & q[5].flags & q[6].flags & CST_PF_CC);
	assert_true(q[1].flags & q[2].flags & q[3].flags & q[4].flags & q[5].flags & CST_PF_COMMIT);
	/* without commit fields */
	cfg.commopt = 1;
	assert_int_equal(packets_of(&cfg, BYTES(0x01, 0x00, 0x0e, 0x05, 0x0d, 0xf4, 0x13, 0x0f), q, 8), 5);
	assert_int_equal(q[1].size, 2);
	assert_int_equal(q[1].cc, 5);
	assert_int_equal(q[2].cc, 4);
	assert_int_equal(q[3].cc, 3);
	assert_int_equal(q[4].size, 1);
	assert_false((q[1].flags | q[2].flags | q[3].flags | q[4].flags) & CST_PF_COMMIT);
	assert_int_equal(q[1].commit | q[2].commit | q[3].commit | q[4].commit, 0);
}

static void test_speculation(void **state)
{
	struct cst_config cfg = etm_config(4, 40);
	static const struct {
		uint8_t bytes[3], size, type;
		const char *atoms;
		uint32_t n;
		int mispredict;
	} rows[] = {
		{ { 0x2d, 0x85, 0x01 }, 3, CST_PKT_COMMIT, "", 133, 0 },
		{ { 0x2e, 0x04 }, 2, CST_PKT_CANCEL_F1, "", 4, 0 },
		{ { 0x2f, 0x04 }, 2, CST_PKT_CANCEL_F1_MISP, "", 4, 1 },
		{ { 0x30 }, 1, CST_PKT_MISPREDICT, "", 0, 1 },
		{ { 0x31 }, 1, CST_PKT_MISPREDICT, "E", 0, 1 },
		{ { 0x32 }, 1, CST_PKT_MISPREDICT, "EE", 0, 1 },
		{ { 0x33 }, 1, CST_PKT_MISPREDICT, "N", 0, 1 },
		{ { 0x34 }, 1, CST_PKT_CANCEL_F2, "", 1, 1 },
		{ { 0x35 }, 1, CST_PKT_CANCEL_F2, "E", 1, 1 },
		{ { 0x36 }, 1, CST_PKT_CANCEL_F2, "EE", 1, 1 },
		{ { 0x37 }, 1, CST_PKT_CANCEL_F2, "N", 1, 1 },
		{ { 0x38 }, 1, CST_PKT_CANCEL_F3, "", 2, 1 },
		{ { 0x39 }, 1, CST_PKT_CANCEL_F3, "E", 2, 1 },
		{ { 0x3c }, 1, CST_PKT_CANCEL_F3, "", 4, 1 },
		{ { 0x3f }, 1, CST_PKT_CANCEL_F3, "E", 5, 1 },
	};
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cst_packet p = first(&cfg, rows[i].bytes, rows[i].size);

		assert_int_equal(p.type, rows[i].type);
		assert_int_equal(p.size, rows[i].size);
		assert_int_equal(p.n_atoms, strlen(rows[i].atoms));
		for (k = 0; k < p.n_atoms; k++)
			assert_int_equal(p.atoms >> k & 1, rows[i].atoms[k] == 'E');
		if (rows[i].type != CST_PKT_MISPREDICT)
			assert_int_equal(p.commit, rows[i].n);
		assert_int_equal(!!(p.flags & CST_PF_MISPREDICT), rows[i].mispredict);
	}
}

static void test_addresses(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct cst_packet q[16];

	(void)state;
	assert_int_equal(packets_of(&cfg, BYTES(
		0x01, 0x00,
		0x9d, 0x38, 0x43, 0x00, 0x01, 0x04, 0x03, 0x02, 0x01,	/* 64-bit IS0 */
		0x95, 0xab, 0x49,					/* short, two bytes */
		0x95, 0x01,						/* short, one byte */
		0x96, 0x81, 0x02,					/* short IS1 */
		0x92, 0x92, 0x91, 0x90,					/* exact match, each pushes */
		0x9b, 0x7f, 0xff, 0x34, 0x12,				/* 32-bit IS1 keeps the high half */
		0x9e, 0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
		0x9a, 0x7f, 0x7f, 0x00, 0x80), q, 16), 12);
	assert_true(q[1].addr == 0x01020304010086e0ull);
	assert_int_equal(q[1].is, 0);
	assert_true(q[2].addr == 0x01020304010092acull);
	assert_int_equal(q[2].addr_bits, 17);
	assert_true(q[3].addr == 0x0102030401009204ull);
	assert_true(q[4].addr == 0x0102030401000202ull);
	assert_int_equal(q[4].is, 1);
	/* history now: 202/IS1, 9204, 92ac */
	assert_true(q[5].addr == 0x01020304010092acull && !q[5].is);
	assert_true(q[6].addr == 0x0102030401009204ull);
	assert_true(q[7].addr == 0x01020304010092acull);
	assert_true(q[8].addr == q[7].addr);
	assert_true(q[9].addr == 0x010203041234fffeull && q[9].is == 1);
	assert_true(q[10].addr == 0xffffffff00000002ull);
	assert_true(q[11].addr == 0xffffffff8000fffcull && !q[11].is);
}

/* An exact match has the instruction set and the number of bits of the address that it repeats, and becomes the newest one. */
static void test_exact_matches(void **state)
{
	struct cst_config ete = ete_config(1, 0);
	struct cst_packet q[16];
	static const struct {
		uint64_t addr;
		uint8_t bits, is, match;
	} want[] = {
		{ 0x50002, 32, 1, 0xff }, { 0x50020, 9, 0, 0xff }, { 0x50204, 16, 1, 0xff },
		{ 0x50002, 32, 1, 2 }, { 0x50020, 9, 0, 2 }, { 0x50002, 32, 1, 1 }, { 0x50002, 32, 1, 0 },
	};
	unsigned int i, k;

	(void)state;
	ete.qsupp = 3;
	/* the four matches as target addresses, source addresses and Q packets */
	for (k = 0; k < 3; k++) {
		static const uint8_t headers[3] = { 0x90, 0xb0, 0xa0 };
		uint8_t bytes[40] = { 0x01, 0x00, 0x9b, 0x01, 0x00, 0x05, 0x00, 0x95, 0x08, 0x96, 0x82, 0x02 };
		size_t n = 12;

		for (i = 3; i < 7; i++) {
			bytes[n++] = headers[k] + want[i].match;
			if (k == 2)
				bytes[n++] = 1;	/* the count */
		}
		assert_int_equal(packets_of(&ete, bytes, n, q, 16), 8);
		for (i = 0; i < 7; i++) {
			const struct cst_packet *p = &q[i + 1];

			if (p->addr != want[i].addr || p->addr_bits != want[i].bits || p->is != want[i].is || !(p->flags & CST_PF_ADDR) ||
			    (i >= 3 && p->match != want[i].match))
				fail_msg("header 0x%02x, packet %u: 0x%llx, %u bits, is %u, match %u", p->header, i,
					 (unsigned long long)p->addr, p->addr_bits, p->is, p->match);
		}
	}
}

/* Up to four control bytes; each section has up to five bytes, and one of six makes the packet bad. */
static void test_trace_info_limits(void **state)
{
	struct cst_config cfg = etm_config(4, 8);
	struct cst_packet p;
	unsigned int i;

	(void)state;
	p = first(&cfg, BYTES(0x01, 0x81, 0x80, 0x80, 0x00, 0x10));
	assert_int_equal(p.type, CST_PKT_TRACE_INFO);
	assert_int_equal(p.size, 6);
	assert_int_equal(p.info, 0x10);
	p = first(&cfg, BYTES(0x01, 0x80, 0x80, 0x80, 0x80, 0x00));
	assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
	assert_int_equal(p.size, 5);
	for (i = 0; i < 5; i++) {
		uint8_t bytes[8] = { 0x01, (uint8_t)(1 << i), 0x81, 0x82, 0x83, 0x84, 0x05, 0x00 };

		p = first(&cfg, bytes, 7);
		assert_int_equal(p.type, CST_PKT_TRACE_INFO);
		assert_int_equal(p.size, 7);
		/* sections that are not in the packet are 0 */
		assert_int_equal(p.info, i == 0 ? 0x5080c101 : 0);
		assert_int_equal(p.key, i == 1 ? 0x5080c101 : 0);
		assert_int_equal(p.spec, i == 2 ? 0x5080c101 : 0);
		assert_int_equal(p.cyct, i == 3 ? 0x5080c101 : 0);
		bytes[6] = 0x85;
		p = first(&cfg, bytes, 8);
		assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
		assert_int_equal(p.bad_type, CST_PKT_TRACE_INFO);
	}
}

/* A number of as many bytes as its field may have, and of one more. */
static void test_number_limits(void **state)
{
	static const struct {
		uint8_t size, bytes[12];
	} rows[] = {
		{ 4, { 0x0f, 0x80, 0x80, 0x01 } }, { 6, { 0x0f, 0x80, 0x80, 0x80, 0x80, 0x01 } },
		{ 5, { 0x0e, 0x01, 0x81, 0x82, 0x03 } }, { 5, { 0x03, 0x01, 0x81, 0x82, 0x03 } },
		{ 6, { 0x2d, 0x81, 0x82, 0x83, 0x84, 0x05 } }, { 6, { 0x2e, 0x81, 0x82, 0x83, 0x84, 0x05 } },
		{ 6, { 0xac, 0x81, 0x82, 0x83, 0x84, 0x05 } }, { 6, { 0x6c, 0x81, 0x82, 0x83, 0x84, 0x05 } },
		{ 6, { 0x6e, 0x91, 0x82, 0x83, 0x84, 0x05 } },
	};
	struct cst_config cfg = etm_config(4, 8);
	struct cst_packet p;
	unsigned int i;

	(void)state;
	cfg.qsupp = 3;
	cfg.cond_trace = 1;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t bytes[12];

		memcpy(bytes, rows[i].bytes, sizeof(bytes));
		p = first(&cfg, bytes, rows[i].size);
		if (p.type == CST_PKT_BAD_SEQUENCE || p.type == CST_PKT_INCOMPLETE || p.size != rows[i].size)
			fail_msg("row %u: type %u, %u bytes", i, p.type, p.size);
		if (!i)
			continue;
		bytes[rows[i].size - 1] |= 0x80;
		p = first(&cfg, bytes, rows[i].size + 1u);
		if (p.type != CST_PKT_BAD_SEQUENCE || p.size != rows[i].size)
			fail_msg("row %u, longer: type %u, %u bytes", i, p.type, p.size);
	}
}

static void test_context(void **state)
{
	struct cst_config cfg = etm_config(4, 0), ete = ete_config(2, 0);
	struct cst_packet p, q[8];

	(void)state;
	/* address and context, from a lister's output */
	p = first(&cfg, BYTES(0x82, 0x04, 0x00, 0x05, 0x00, 0x31));
	assert_int_equal(p.addr, 0x50010);
	assert_int_equal(p.el, 1);
	assert_int_equal(p.sf, 1);
	assert_int_equal(p.security, CST_SEC_NONSECURE);
	/* VMID comes before the context ID; the next packet keeps what it does not carry */
	assert_int_equal(packets_of(&cfg, BYTES(0x01, 0x00, 0x81, 0xd2, 1, 2, 3, 4, 5, 6, 7, 8, 0x81, 0x40, 9, 0, 0, 0, 0x80),
				    q, 8), 4);
	assert_int_equal(q[1].vmid, 0x04030201);
	assert_int_equal(q[1].cid, 0x08070605);
	assert_int_equal(q[1].el, 2);
	assert_int_equal(q[2].vmid, 9);
	assert_int_equal(q[2].cid, 0x08070605);
	assert_int_equal(q[2].flags & (CST_PF_VMID | CST_PF_CID), CST_PF_VMID);
	assert_int_equal(q[3].size, 1);
	assert_int_equal(q[3].vmid, 9);
	assert_false(q[3].flags & CST_PF_CONTEXT);
	/* NSE exists in ETE only */
	assert_int_equal(first(&ete, BYTES(0x81, 0x08)).security, CST_SEC_ROOT);
	assert_int_equal(first(&ete, BYTES(0x81, 0x28)).security, CST_SEC_REALM);
	assert_int_equal(first(&ete, BYTES(0x81, 0x20)).security, CST_SEC_NONSECURE);
	assert_int_equal(first(&cfg, BYTES(0x81, 0x08)).security, CST_SEC_SECURE);
	/* sizes by configuration */
	cfg.vmid_bytes = 1;
	cfg.cid_bytes = 0;
	p = first(&cfg, BYTES(0x81, 0xc0, 0xaa, 0xbb));
	assert_int_equal(p.size, 3);
	assert_int_equal(p.vmid, 0xaa);
}

static void test_exceptions(void **state)
{
	struct cst_config cfg = etm_config(4, 0), ete = ete_config(2, 0), m = etm_config(4, 0);
	struct cst_packet p, q[8];

	(void)state;
	m.profile = CST_PROFILE_M;
	assert_int_equal(packets_of(&cfg, BYTES(0x01, 0x00, 0x06, 0x1d, 0x95, 0x59), q, 4), 3);
	assert_int_equal(q[1].exc_type, 0xe);
	assert_int_equal(q[1].flags & (CST_PF_E0 | CST_PF_E1), CST_PF_E0);
	assert_int_equal(q[2].addr, 0x164);
	assert_int_equal(first(&cfg, BYTES(0x06, 0x5c, 0x95, 0x59)).flags & (CST_PF_E0 | CST_PF_E1), CST_PF_E1);
	/* 00 and 11 are reserved */
	assert_int_equal(first(&cfg, BYTES(0x06, 0x1c, 0x95)).type, CST_PKT_BAD_SEQUENCE);
	assert_int_equal(first(&cfg, BYTES(0x06, 0x5d, 0x95)).type, CST_PKT_BAD_SEQUENCE);
	/* ten bits of type; serious fault pending */
	p = first(&m, BYTES(0x06, 0x91, 0x30));
	assert_int_equal(p.exc_type, 0x208);
	assert_true(p.flags & CST_PF_P && p.flags & CST_PF_M_PROFILE);
	/* the forms of three bytes are ETE's */
	p = first(&ete, BYTES(0x06, 0x31, 0x70));
	assert_int_equal(p.type, CST_PKT_TRANS_FAIL);
	assert_int_equal(p.size, 3);
	p = first(&ete, BYTES(0x06, 0x01, 0x70));
	assert_int_equal(p.type, CST_PKT_PE_RESET);
	p = first(&cfg, BYTES(0x06, 0x31, 0x70));
	assert_int_equal(p.type, CST_PKT_EXCEPTION);
	assert_int_equal(p.size, 2);
	/* PE reset pushes an address of zero */
	assert_int_equal(packets_of(&ete, BYTES(0x01, 0x00, 0x9a, 4, 0, 5, 0, 0x06, 0x01, 0x70, 0x91), q, 4), 4);
	assert_int_equal(q[3].addr, 0x50010);
	/* it has none itself, and the zero keeps the number of bits of the address before */
	assert_int_equal(packets_of(&ete, BYTES(0x01, 0x00, 0x9a, 4, 0, 5, 0, 0x96, 0x08, 0x06, 0x01, 0x70, 0x90), q, 8), 5);
	assert_int_equal(q[3].type, CST_PKT_PE_RESET);
	assert_int_equal(q[3].addr, 0);
	assert_int_equal(q[3].is, 0);
	assert_int_equal(q[4].addr, 0);
	assert_int_equal(q[4].is, 0);
	assert_int_equal(q[4].addr_bits, 8);
}

static void test_q_and_source(void **state)
{
	struct cst_config ete = ete_config(3, 0);
	struct cst_packet p, q[8];

	(void)state;
	ete.qsupp = 3;
	p = first(&ete, BYTES(0xaa, 0x34, 0x3f, 0x06, 0x00, 0x03));
	assert_int_equal(p.addr, 0x67ed0);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.flags & (CST_PF_ADDR | CST_PF_COUNT), CST_PF_ADDR | CST_PF_COUNT);
	p = first(&ete, BYTES(0xac, 0x85, 0x01));
	assert_int_equal(p.count, 133);
	assert_int_equal(p.flags & (CST_PF_ADDR | CST_PF_COUNT), CST_PF_COUNT);
	p = first(&ete, BYTES(0xaf));
	assert_int_equal(p.size, 1);
	assert_int_equal(p.flags & (CST_PF_ADDR | CST_PF_COUNT), 0);
	p = first(&ete, BYTES(0xa6, 0x03, 0x01));
	assert_int_equal(p.addr, 6);
	assert_int_equal(p.is, 1);
	assert_int_equal(packets_of(&ete, BYTES(0x01, 0x00, 0x9a, 4, 0, 5, 0, 0xb4, 0x48, 0xb1, 0xa0, 0x07, 0xb9,
						1, 0, 0, 0, 1, 0, 0, 0), q, 8), 6);
	assert_int_equal(q[2].type, CST_PKT_SRC_SHORT);
	assert_int_equal(q[2].addr, 0x50120);
	assert_int_equal(q[3].addr, 0x50010);
	assert_int_equal(q[4].addr, 0x50010);
	assert_int_equal(q[4].count, 7);
	assert_true(q[5].addr == 0x100000002ull && q[5].is);
}

static void test_others(void **state)
{
	struct cst_config ete = ete_config(3, 0), cond = etm_config(4, 0);
	struct cst_packet p, q[4];

	(void)state;
	p = first(&ete, BYTES(0x09, 0x01, 0xff, 0xff, 0x0f, 0, 0, 0, 0, 0x80));
	assert_int_equal(p.size, 10);
	assert_int_equal(p.el, 1);
	assert_true(p.ts == 0x80000000000fffffull);
	assert_int_equal(first(&ete, BYTES(0x75)).event, 5);
	assert_int_equal(packets_of(&ete, BYTES(0x88, 0x02, 0xd7, 0xdf, 0x01), q, 4), 2);
	assert_int_equal(q[1].ts, 0x6fd7);
	assert_int_equal(q[1].ts_bits, 21);
	/* lengths of the packets that are listed only */
	cond.cond_trace = 1;
	assert_int_equal(first(&cond, BYTES(0x6c, 0x85, 0x01, 1)).size, 3);
	assert_int_equal(first(&cond, BYTES(0x6d, 0x85, 0x01, 1)).size, 2);
	assert_int_equal(first(&cond, BYTES(0x55, 0x85, 0x01, 1)).size, 2);
	assert_int_equal(first(&cond, BYTES(0x68, 0x85, 0x01, 0x02, 1)).size, 4);
	assert_int_equal(first(&cond, BYTES(0x6e, 0x85, 0x01, 0x02, 1)).size, 3);
	assert_int_equal(first(&cond, BYTES(0x41, 0x85)).size, 1);
}

/* Cut anywhere, a packet is reported as incomplete with all its bytes; none is made up. */
static void test_incomplete(void **state)
{
	static const uint8_t whole[][10] = {
		{ 10, 0x86, 1, 2, 3, 4, 5, 6, 7, 8 }, { 7, 0x82, 4, 0, 5, 0, 0xc0, 1 },
		{ 5, 0x02, 0x80, 0x80, 0x80, 0x80 }, { 4, 0x0e, 0x85, 0x01, 0x85 }, { 3, 0x06, 0x91, 0x30 },
		{ 6, 0x00, 0, 0, 0, 0 }, { 5, 0x01, 0x1f, 0x41, 0x02, 0x85 }, { 3, 0x2d, 0x80, 0x80 },
	};
	struct cst_config cfg = etm_config(4, 0);
	unsigned int i, n, len;

	(void)state;
	for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		for (len = 1; len < whole[i][0]; len++) {
			struct cst_packet q[4];

			if (whole[i][1] == 0x06 && len == 3)
				continue;
			n = packets_of(&cfg, whole[i] + 1, len, q, 4);
			if (n == 1 && q[0].type == CST_PKT_EXCEPTION)
				continue;
			assert_int_equal(n, 1);
			assert_int_equal(q[0].type, CST_PKT_INCOMPLETE);
			assert_int_equal(q[0].size, len);
		}
}

/* Fields that are longer than allowed: the packet ends there, however much follows. */
static void test_bad_size(void **state)
{
	static const struct {
		uint8_t n, bytes[10];
	} bad[] = {
		{ 6, { 0x0e, 0x80, 0x80, 0x80, 0x80, 0x80 } },
		{ 7, { 0x01, 0x03, 0x80, 0x80, 0x80, 0x80, 0x80 } },
		{ 6, { 0x2d, 0xff, 0xff, 0xff, 0xff, 0xff } },
		{ 7, { 0xa5, 0x01, 0x80, 0x80, 0x80, 0x80, 0x80 } },
	};
	struct cst_config cfg = etm_config(4, 8);
	unsigned int i, more;

	(void)state;
	cfg.qsupp = 3;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (more = 0; more < 3; more++) {
			uint8_t bytes[16] = { 0 };
			struct cst_packet p;

			memcpy(bytes, bad[i].bytes, bad[i].n);
			p = first(&cfg, bytes, bad[i].n + more);
			assert_int_equal(p.type, CST_PKT_BAD_SEQUENCE);
			assert_int_equal(p.size, bad[i].n);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_extension),
		cmocka_unit_test(test_atoms),
		cmocka_unit_test(test_trace_info),
		cmocka_unit_test(test_timestamp),
		cmocka_unit_test(test_cycle_counts),
		cmocka_unit_test(test_speculation),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_exact_matches),
		cmocka_unit_test(test_trace_info_limits),
		cmocka_unit_test(test_number_limits),
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_q_and_source),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_bad_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
