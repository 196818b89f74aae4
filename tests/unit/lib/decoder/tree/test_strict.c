/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_strict.c - what is reserved in ETMv4 and ETE packets: a tolerant decoder tells of it and goes on, a strict
 * one takes the packet for bad and starts anew; sound packets are neither.
 */
#include "unit/lib_decode.h"

enum unit {
	ETM,		/* ETMv4.3, 64 bits, IDs of 32 bits, return stack */
	ETM_M,		/* the same, M profile */
	ETM_32,		/* 32-bit addresses, no IDs */
	ETM_CC,		/* cycle counts of 12 bits with commits, speculation 4 */
	ETM_CC_COMMOPT,	/* cycle counts without commits */
	ETM_Q1, ETM_Q2,	/* Q with count only, without count only */
	ETM_COND,	/* conditional instructions */
	ETE,		/* ETE 1.3 */
	ETE_CC,
};

static struct cst_config unit_config(enum unit unit)
{
	struct cst_config cfg = unit >= ETE ? ete_config(3, 0) : etm_config(6, 0);
	int cc = unit == ETM_CC || unit == ETM_CC_COMMOPT || unit == ETE_CC;

	if (unit == ETM_M)
		cfg.profile = CST_PROFILE_M;
	if (unit == ETM_32)
		cfg.ia64 = cfg.cid_bytes = cfg.vmid_bytes = 0;
	if (unit == ETM_CC || unit == ETE_CC)
		cfg.max_spec = 4;
	cfg.cycle_count = cc;
	cfg.cc_bits = 12;
	cfg.commopt = unit == ETM_CC_COMMOPT;
	if (unit == ETM_Q1 || unit == ETM_Q2)
		cfg.qsupp = unit == ETM_Q1 ? 1 : 2;
	cfg.cond_trace = unit == ETM_COND;
	return cfg;
}

#define B(...) { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static const struct {
	enum unit unit;
	uint16_t finding;
	uint8_t bytes[32];
	uint8_t len;
} cases[] = {
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x9a, 0x80, 0, 0, 0) },
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x9a, 0, 0x80, 0, 0) },
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x9b, 0x80, 0, 0, 0) },
	{ ETM, CST_FIND_NONE, B(0x9b, 0, 0x80, 0, 0) },
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x9d, 0x80, 0, 0, 0, 0, 0, 0, 0) },
	{ ETM, CST_FIND_NONE, B(0x9d, 0x7f, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) },
	{ ETM, CST_FIND_NONE, B(0x95, 0xff, 0xff) },
	{ ETM, CST_FIND_NONE, B(0x82, 1, 1, 0x80, 0x80, 0x31) },
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x82, 0x80, 0, 0, 0, 0x31) },
	{ ETM, CST_FIND_NONE, B(0x85, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x31) },
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x85, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x31) },
	{ ETM, CST_FIND_ETM_CONTEXT_BITS, B(0x85, 0, 0, 0, 0, 0, 0, 0, 0, 0x35) },
	{ ETM, CST_FIND_NONE, B(0x85, 0, 0, 0, 0, 0, 0, 0, 0x04, 0x31) },
	{ ETM_32, CST_FIND_ETM_ADDRESS_64, B(0x9d, 0, 0, 0, 0, 0, 0, 0, 0) },
	{ ETM_32, CST_FIND_ETM_ADDRESS_64, B(0x85, 0, 0, 0, 0, 0, 0, 0, 0, 0x21) },
	{ ETM, CST_FIND_ETM_ADDRESS_BITS, B(0x82, 0, 0x80, 0, 0, 0x31) },
	{ ETM, CST_FIND_ETM_CONTEXT_BITS, B(0x81, 0x35) },
	{ ETM, CST_FIND_ETM_CONTEXT_BITS, B(0x81, 0x39) },
	{ ETE, CST_FIND_NONE, B(0x81, 0x39) },
	{ ETE, CST_FIND_ETM_CONTEXT_BITS, B(0x81, 0x35) },
	{ ETM, CST_FIND_NONE, B(0x81, 0xf1, 1, 2, 3, 4, 5, 6, 7, 8) },
	{ ETM_32, CST_FIND_ETM_CONTEXT_ID, B(0x81, 0x61) },
	{ ETM_32, CST_FIND_ETM_CONTEXT_ID, B(0x81, 0xa1) },
	/* the same context again, then Trace On: that is no context byte */
	{ ETM, CST_FIND_NONE, B(0x80, 0x04) },
	{ ETM, CST_FIND_NONE, B(0x96, 0x01, 0x81, 0x31) },
	{ ETM, CST_FIND_ETM_CONTEXT_IS, B(0x83, 0, 0, 0, 0, 0x31) },
	{ ETM, CST_FIND_NONE, B(0x83, 0, 0, 0, 0, 0x21) },
	{ ETM, CST_FIND_ETM_INFO_BITS, B(0x01, 0x20) },
	{ ETM, CST_FIND_ETM_INFO_BITS, B(0x01, 0x80, 0x00) },
	{ ETM, CST_FIND_ETM_INFO_BITS, B(0x01, 0x01, 0x40) },
	{ ETM, CST_FIND_NONE, B(0x01, 0x01, 0x30) },
	{ ETE, CST_FIND_NONE, B(0x0a, 0x01, 0x01, 0x40, 0x0b) },
	{ ETE, CST_FIND_ETM_INFO_BITS, B(0x01, 0x01, 0x10) },
	{ ETE, CST_FIND_ETM_INFO_BITS, B(0x01, 0x02, 0x01) },
	{ ETM, CST_FIND_ETM_INFO_CONFIG, B(0x01, 0x01, 0x01) },
	{ ETM_CC, CST_FIND_ETM_INFO_CONFIG, B(0x01, 0x00) },
	{ ETM_CC, CST_FIND_NONE, B(0xdc, 0x01, 0x0d, 0x01, 0x04, 0x05, 0x2d, 0x04) },
	{ ETM, CST_FIND_ETM_INFO_CONFIG, B(0x01, 0x01, 0x0e) },
	{ ETM_CC, CST_FIND_ETM_INFO_SPEC, B(0x01, 0x05, 0x01, 0x05) },
	{ ETM_CC, CST_FIND_ETM_WIDE, B(0x01, 0x09, 0x01, 0x80, 0x80, 0x80, 0x80, 0x10) },
	{ ETM_CC, CST_FIND_NONE, B(0x01, 0x09, 0x01, 0x80, 0x80, 0x80, 0x80, 0x0f) },
	{ ETM, CST_FIND_ETM_CC_OFF, B(0x03, 0x01, 0x05) },
	{ ETM, CST_FIND_NONE, B(0x02, 0x01) },
	{ ETM, CST_FIND_ETM_CC_OFF, B(0x0e, 0x00, 0x01) },
	{ ETM_CC, CST_FIND_NONE, B(0x03, 0x01, 0x05) },
	{ ETM_CC, CST_FIND_ETM_WIDE, B(0x03, 0x01, 0x80, 0x20) },
	{ ETM_CC, CST_FIND_ETM_WIDE, B(0x0e, 0x00, 0x80, 0x20) },
	{ ETM_CC_COMMOPT, CST_FIND_ETM_CC_COMMIT, B(0x0c, 0xf3) },
	{ ETM_CC_COMMOPT, CST_FIND_ETM_CC_COMMIT, B(0x0d, 0x73) },
	{ ETM_CC_COMMOPT, CST_FIND_NONE, B(0x0d, 0xf3) },
	{ ETM_CC_COMMOPT, CST_FIND_ETM_CC_COMMIT, B(0x15) },
	{ ETM_CC_COMMOPT, CST_FIND_NONE, B(0x13) },
	{ ETE_CC, CST_FIND_ETM_CC_OVERFLOW, B(0x00, 0x05, ASYNC, 0x01, 0x01, 0x01, 0x0e, 0x00, 0x01) },
	{ ETE_CC, CST_FIND_NONE, B(0x00, 0x05, ASYNC, 0x01, 0x01, 0x01, 0x0f, 0x00) },
	/* only the first count after the overflow */
	{ ETE_CC, CST_FIND_NONE, B(0x00, 0x05, ASYNC, 0x01, 0x01, 0x01, 0x0f, 0x00, 0x0e, 0x00, 0x01) },
	{ ETE_CC, CST_FIND_ETM_CC_OVERFLOW, B(0x00, 0x05, ASYNC, 0x01, 0x01, 0x01, 0x0e, 0x00, 0x01, 0x0e, 0x00, 0x01) },
	{ ETM, CST_FIND_ETM_EXCEPTION_TYPE, B(0x06, 0x0b, 0x95, 0x01) },
	{ ETM, CST_FIND_ETM_EXCEPTION_TYPE, B(0x06, 0x31, 0x95, 0x01) },
	{ ETM, CST_FIND_NONE, B(0x06, 0x1d, 0x95, 0x01) },
	{ ETM, CST_FIND_ETM_EXCEPTION_BITS, B(0x06, 0x9d, 0x00, 0x95, 0x01) },
	{ ETM_M, CST_FIND_NONE, B(0x06, 0x91, 0x30, 0x96, 0x01) },
	{ ETM_M, CST_FIND_ETM_EXCEPTION_BITS, B(0x06, 0x91, 0x50, 0x96, 0x01) },
	{ ETM_M, CST_FIND_ETM_EXCEPTION_TYPE, B(0x06, 0x91, 0x01, 0x96, 0x01) },
	{ ETE, CST_FIND_NONE, B(0x06, 0x01, 0x70) },
	{ ETE, CST_FIND_ETM_EXCEPTION_FORM, B(0x06, 0x01, 0x95, 0x01) },
	{ ETE, CST_FIND_ETM_EXCEPTION_TYPE, B(0x06, 0x33, 0x95, 0x01) },
	{ ETM_Q1, CST_FIND_ETM_Q_FORM, B(0xaf) },
	{ ETM_Q1, CST_FIND_NONE, B(0xac, 0x05) },
	{ ETM_Q2, CST_FIND_ETM_Q_FORM, B(0xac, 0x05) },
	{ ETM_Q1, CST_FIND_ETM_ADDRESS_BITS, B(0xaa, 0x80, 0, 0, 0, 1) },
	{ ETM_Q1, CST_FIND_ETM_ADDRESS_BITS, B(0xaa, 0, 0x80, 0, 0, 1) },
	{ ETM_Q1, CST_FIND_ETM_ADDRESS_BITS, B(0xab, 0x80, 0, 0, 0, 1) },
	{ ETM_Q1, CST_FIND_NONE, B(0xab, 0x7f, 0xff, 0xff, 0xff, 1) },
	{ ETM_Q1, CST_FIND_NONE, B(0xa5, 0xff, 0xff, 0x81, 0x01) },
	{ ETM_Q1, CST_FIND_NONE, B(0xa0, 0x81, 0x01) },
	{ ETM_Q1, CST_FIND_NONE, B(0xac, 0x81, 0x01) },
	{ ETM, CST_FIND_ETM_NO_SPECULATION, B(0x2d, 0x00) },
	{ ETM, CST_FIND_ETM_NO_SPECULATION, B(0x31) },
	{ ETM_CC, CST_FIND_ETM_WIDE, B(0x2d, 0x80, 0x80, 0x80, 0x80, 0x10) },
	{ ETE, CST_FIND_ETM_ITE_BITS, B(0x09, 0x05, 0, 0, 0, 0, 0, 0, 0, 0) },
	{ ETE, CST_FIND_NONE, B(0x09, 0x01, 0, 0, 0, 0, 0, 0, 0, 0) },
	{ ETE, CST_FIND_ETM_TS_MARKER, B(0x88) },
	{ ETM_COND, CST_FIND_RESERVED_BITS, B(0x6d, 0x82) },
	{ ETM_COND, CST_FIND_NONE, B(0x6d, 0x03) },
};

struct result {
	unsigned int bad, bad_size;
	struct cst_stats stats;
	uint64_t warnings, errors;
	uint64_t found;
};

/* A-sync and Trace Info as the unit sends them, the case, then a sound stretch. */
static void run(const struct cst_config *cfg, unsigned int c, unsigned int piece, struct result *r)
{
	static const uint8_t async[] = { ASYNC }, plain[] = { 0x01, 0x00 }, counting[] = { 0x01, 0x01, 0x01 };
	uint8_t in[128];
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct cst_packet pkt;
	struct cst_pull p;
	struct cst_log *log;
	size_t n = 0, at, len;
	int again;

	for (again = 0; again < 2; again++) {
		memcpy(in + n, async, sizeof(async));
		n += sizeof(async);
		memcpy(in + n, cfg->cycle_count ? counting : plain, cfg->cycle_count ? 3 : 2);
		n += cfg->cycle_count ? 3 : 2;
		if (!again) {
			memcpy(in + n, cases[c].bytes, cases[c].len);
			n += cases[c].len;
		}
	}
	memset(r, 0, sizeof(*r));
	assert_int_equal(cst_log_new(&log, 8), 0);
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_log(dec, log);
	for (at = 0; at < n; at += len) {
		len = piece && piece < n - at ? piece : n - at;
		assert_int_equal(cst_decoder_feed(dec, in + at, len, at), 0);
		if (piece & 1) {
			while (cst_decoder_pull(dec, out, 64, NULL))
				;
			continue;
		}
		while (cst_decoder_next_packet(dec, &pkt, &p)) {
			if (cst_decoder_packet_role(dec, &pkt) == CST_ROLE_BAD) {
				r->bad++;
				r->bad_size = pkt.size;
			}
			while (cst_decoder_pull(dec, out, 64, NULL))
				;
		}
	}
	r->stats = *cst_decoder_stats(dec);
	r->warnings = cst_log_count(log, 0x10, CST_LOG_WARNING);
	r->errors = cst_log_count(log, 0x10, CST_LOG_ERROR);
	r->found = cst_log_count_finding(log, 0x10, cases[c].finding);
	cst_decoder_free(dec);
	cst_log_free(log);
}

static void test_findings(void **state)
{
	unsigned int c, piece;
	struct cst_config cfg;
	struct result r;

	(void)state;
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (piece = 0; piece < 4; piece++) {
			uint16_t want = cases[c].finding;

			cfg = unit_config(cases[c].unit);
			run(&cfg, c, piece, &r);
			if (r.found != (want != CST_FIND_NONE) || r.warnings != (want != CST_FIND_NONE) || r.bad)
				fail_msg("case %u, pieces of %u: %u found, %u warnings, %u bad", c, piece,
					 (unsigned int)r.found, (unsigned int)r.warnings, r.bad);
			cfg.strict = 1;
			run(&cfg, c, piece, &r);
			if (want == CST_FIND_NONE) {
				if (r.stats.bad_packets || r.errors || r.warnings)
					fail_msg("case %u, strict: taken for bad", c);
				continue;
			}
			/* the finding, and that decoding starts anew */
			if (r.found != 1 || r.warnings || r.stats.bad_packets != 1 || r.stats.resyncs != 1 || r.errors != 2)
				fail_msg("case %u, strict: %u found, %u bad, %u resyncs, %u errors", c,
					 (unsigned int)r.found, (unsigned int)r.stats.bad_packets,
					 (unsigned int)r.stats.resyncs, (unsigned int)r.errors);
		}
}

/* Between alignment synchronisation and Trace Info. */
static void test_before_info(void **state)
{
	static const uint8_t in[] = { ASYNC, 0xf7, 0x01, 0x00, 0x70, 0x72, 0xf7 };
	struct cst_config cfg = unit_config(ETM);
	unsigned int strict;

	(void)state;
	for (strict = 0; strict < 2; strict++) {
		struct cst_generic out[16];
		struct cst_decoder *dec;
		struct cst_log *log;
		int n, i, events = 0;

		cfg.strict = strict;
		assert_int_equal(cst_log_new(&log, 4), 0);
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_log(dec, log);
		assert_int_equal(cst_decoder_feed(dec, in, sizeof(in), 0), 0);
		while ((n = cst_decoder_pull(dec, out, 16, NULL)))
			for (i = 0; i < n; i++)
				events += out[i].kind == CST_GEN_EVENT;
		assert_int_equal(cst_log_count_finding(log, 0x10, CST_FIND_ETM_BEFORE_INFO), 1);
		assert_int_equal(cst_log_at(log, 0)->index, 12);
		assert_int_equal(cst_log_at(log, 0)->component, CST_LOG_ELEMENT);
		/* the strict decoder waits for the next synchronisation */
		assert_int_equal(events, !strict);
		cst_decoder_free(dec);
		cst_log_free(log);
	}
}

/* The types of exceptions that a profile has, out of all that the packet can say. */
static void test_exception_types(void **state)
{
	static const uint16_t ar[] = { 0, 1, 2, 3, 4, 6, 7, 0xa, 0xb, 0xc, 0xe, 0xf, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
				       0x17 };
	static const uint16_t m[] = { 1, 2, 3, 4, 5, 6, 7, 0xb, 0xc, 0xe, 0xf, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
				      0x18, 0x19, 0x1a };
	static const uint8_t sync[] = { SYNC };
	unsigned int profile, type, i;

	(void)state;
	for (profile = 0; profile < 2; profile++) {
		struct cst_config cfg = unit_config(profile ? ETM_M : ETM);
		const uint16_t *known = profile ? m : ar;
		size_t count = profile ? sizeof(m) / sizeof(m[0]) : sizeof(ar) / sizeof(ar[0]);

		for (type = 0; type < (profile ? 0x400u : 0x20u); type++) {
			uint8_t in[] = { SYNC, 0x06, (uint8_t)(0x01 | (type & 0x1f) << 1), 0x96, 0x01, 0x04 };
			int want = type >= 0x208 && type <= 0x3ef;
			struct cst_generic out[16];
			struct cst_decoder *dec;
			struct cst_log *log;

			for (i = 0; i < count; i++)
				want |= known[i] == type;
			if (type > 0x1f) {
				in[sizeof(sync) + 1] |= 0x80;
				in[sizeof(sync) + 2] = (uint8_t)(type >> 5);
				in[sizeof(sync) + 3] = 0x96;
				in[sizeof(sync) + 4] = 0x01;
			}
			assert_int_equal(cst_log_new(&log, 4), 0);
			assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
			cst_decoder_set_log(dec, log);
			assert_int_equal(cst_decoder_feed(dec, in, sizeof(in), 0), 0);
			while (cst_decoder_pull(dec, out, 16, NULL))
				;
			assert_int_equal(cst_decoder_stats(dec)->bad_packets, 0);
			if (cst_log_count_finding(log, 0x10, CST_FIND_ETM_EXCEPTION_TYPE) != !want)
				fail_msg("profile %u, type %#x", profile, type);
			cst_decoder_free(dec);
			cst_log_free(log);
		}
	}
}

/* An address in the fast way between atoms. */
static void test_fast_way(void **state)
{
	static const uint8_t in[] = {
		SYNC, 0x82, 0, 0, 0, 0, 0x31, 0xf7, 0x9a, 0x80, 0, 0, 0, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7,
		0xf7, 0xf7, 0xf7, 0xf7
	};
	static const uint8_t code[4] = { 0xc0, 0x03, 0x5f, 0xd6 };
	struct cst_config cfg = unit_config(ETM);
	unsigned int strict;

	(void)state;
	cfg.ret_stack = 0;
	for (strict = 0; strict < 2; strict++) {
		struct cst_generic out[64];
		struct cst_section *sec;
		struct cst_decoder *dec;
		struct cst_space *space;
		struct cst_image *img;
		struct cst_log *log;

		cfg.strict = strict;
		assert_int_equal(cst_image_new(&img, 0), 0);
		assert_int_equal(cst_section_new(&sec, img, code, 4, NULL), 0);
		assert_int_equal(cst_space_new(&space, img), 0);
		assert_int_equal(cst_space_map(space, 0, 4, sec, 0), 0);
		assert_int_equal(cst_log_new(&log, 4), 0);
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, space);
		cst_decoder_set_log(dec, log);
		assert_int_equal(cst_decoder_feed(dec, in, sizeof(in), 0), 0);
		while (cst_decoder_pull(dec, out, 64, NULL))
			;
		assert_int_equal(cst_log_count_finding(log, 0x10, CST_FIND_ETM_ADDRESS_BITS), 1);
		assert_int_equal(cst_log_count(log, 0x10, CST_LOG_ERROR), strict ? 2 : 0);
		assert_int_equal(cst_decoder_stats(dec)->bad_packets, strict);
		assert_int_equal(cst_decoder_stats(dec)->ranges, strict ? 1 : 2);
		cst_decoder_free(dec);
		cst_image_free(img);
		cst_log_free(log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_before_info),
		cmocka_unit_test(test_exception_types),
		cmocka_unit_test(test_fast_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
