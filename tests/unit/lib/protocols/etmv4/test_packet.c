/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_packet.c - packets of ETMv4 and ETE: what each of the 256 headers is for each trace unit,
 * and packets that are cut or longer than they can be. Golden listings have the fields.
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
	struct cst_config cfg = { 0 };
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
			assert_int_equal(cst_packet_role(&pkt[0]) == CST_ROLE_BAD,
					 pkt[0].type == CST_PKT_RESERVED ||
					 pkt[0].type == CST_PKT_RESERVED_CFG ||
					 pkt[0].type == CST_PKT_BAD_SEQUENCE);
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
	struct cst_config cfg = etm_config(4, 0);
	struct cst_packet p;
	unsigned int b;

	(void)state;
	for (b = 1; b < 256; b++) {
		uint8_t bytes[2] = { 0, b };

		p = first(&cfg, bytes, 2);
		assert_int_equal(p.type, b == 3 ? CST_PKT_DISCARD : b == 5 ? CST_PKT_OVERFLOW :
				 CST_PKT_BAD_SEQUENCE);
		/* 80 may end an A-sync whose other zeros were taken for something else */
		assert_int_equal(p.size, b == 0x80 ? 1 : 2);
	}
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
	cfg.cc_bits = 32;
	assert_int_equal(first(&cfg, BYTES(0x03, 0x05, 0xff, 0xff, 0x7f)).cc, 0x1fffff);
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
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_bad_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
