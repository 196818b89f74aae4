/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_stages.c - parsers and element stages of each protocol by themselves: a parser after a loss,
 * and with parts of packets; states of stages that go on alike; what an index may skip; elements
 * that wait or are not taken.
 */
#include "protocols/etmv3/etmv3.h"
#include "protocols/protocol/protocol_int.h"
#include "protocols/protocol/ready.h"
#include "protocols/ptm/ptm.h"
#include "unit/lib_decode.h"

#define V7_ASYNC 0, 0, 0, 0, 0, 0x80
/* I-syncs of ETMv3 and PTM at 0x8000, and bits of their information byte */
#define I3(info) 0x08, info, 0x00, 0x80, 0, 0
#define IP(info) 0x08, 0x00, 0x80, 0, 0, info
#define CID 1, 2, 3, 4
enum { P = 0x01, OVERFLOW = 0x41, NS = 0x08, HYP = 0x02 };

static struct cst_config etmv3_config(void)
{
	const struct cst_etmv3_regs regs = { .ccer = 0x34000000, .idr = 0x100250 };
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
	return cfg;
}

static struct cst_config ptm_config(uint32_t cr)
{
	const struct cst_etmv3_regs regs = { .cr = cr, .ccer = 0x4800000, .idr = 0x411cf310 };
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	return cfg;
}

static struct cst_config itm_config(void)
{
	const struct cst_itm_regs regs = { .tcr = 0x00140001 };
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_itm(&cfg, &regs), 0);
	cfg.itm_sync = CST_ITM_SYNC_PACKET;
	return cfg;
}

/* A parser and an element stage of their own. */
struct stage_feed {
	const struct cst_protocol_ops *ops;
	void *parser, *stage;
	struct cst_stats stats;
};

static void stage_new(struct stage_feed *f, const struct protocol *pr, const struct cst_config *cfg)
{
	static const uint8_t nothing[1] = { 0 };
	struct cst_packet pkt = { 0 };

	memset(f, 0, sizeof(*f));
	f->ops = &pr->ops;
	f->parser = malloc(f->ops->parser_size);
	f->stage = calloc(1, f->ops->stage_size);
	assert_true(f->parser && f->stage);
	f->ops->parser_init(f->parser, cfg, NULL);
	/* no byte is no packet */
	assert_int_equal(f->ops->parse(f->parser, nothing, nothing, &pkt), 0);
	assert_int_equal(f->ops->stage_init(f->stage, cfg, &f->stats, NULL), 0);
}

static void stage_free(struct stage_feed *f)
{
	f->ops->stage_fini(f->stage);
	free(f->stage);
	free(f->parser);
}

static void stage_take(struct stage_feed *f)
{
	while (f->ops->stage_take(f->stage))
		;
}

/* Parses each part of a packet: what is incomplete leaves the parser as it was. */
static void feed_parts(struct stage_feed *f, const uint8_t *p, unsigned int size)
{
	void *before = malloc(f->ops->parser_size);
	struct cst_packet pkt = { 0 };
	unsigned int n;

	assert_non_null(before);
	memcpy(before, f->parser, f->ops->parser_size);
	for (n = 1; n < size; n++) {
		pkt.finding[0] = pkt.finding[1] = 0;
		if (!f->ops->parse(f->parser, p, p + n, &pkt) &&
		    memcmp(f->parser, before, f->ops->parser_size))
			fail_msg("%u bytes of packet 0x%02x change the parser", n, *p);
		memcpy(f->parser, before, f->ops->parser_size);
	}
	free(before);
}

/* Takes all elements of these bytes. */
static void feed_bytes(struct stage_feed *f, const uint8_t *p, size_t len)
{
	struct cst_packet pkt = { 0 };
	unsigned int size;
	size_t at;

	for (at = 0; at < len; at += pkt.size) {
		feed_parts(f, p + at, len - at < 64 ? (unsigned int)(len - at) : 64);
		memset(&pkt, 0, sizeof(pkt));
		size = f->ops->parse(f->parser, p + at, p + len, &pkt);
		pkt.size = (uint16_t)size;
		if (!size) {
			f->ops->parse_rest(f->parser, p + at, p + len, &pkt);
			pkt.size = pkt.size ? pkt.size : (uint16_t)(len - at);
		}
		pkt.index = at;
		f->ops->stage_packet(f->stage, &pkt);
		stage_take(f);
	}
}

/* A stage that has taken these bytes. */
static void feed_of(struct stage_feed *f, const struct protocol *pr, const struct cst_config *cfg,
		    const uint8_t *p, size_t len)
{
	stage_new(f, pr, cfg);
	feed_bytes(f, p, len);
}

/* A stage reports the end of the trace once. */
static void ends_once(struct stage_feed *f)
{
	f->ops->stage_end(f->stage);
	stage_take(f);
	f->ops->stage_end(f->stage);
	assert_null(f->ops->stage_take(f->stage));
}

/* After a loss a parser is as one that begins there: nothing of the bytes before is left. */
static void test_parser_after_loss(void **state)
{
	static const struct {
		int ptm;
		uint8_t p[40], n;
	} rows[] = {
		{ 0, { V7_ASYNC, I3(OVERFLOW), I3(P) }, 18 },
		/* a reserved header; an A-sync of which a packet took the first zero, or all */
		{ 0, { V7_ASYNC, I3(P), 0x10, V7_ASYNC, I3(P) }, 25 },
		{ 0, { V7_ASYNC, I3(P), 0x3c, 0x00, 0, 0, 0, 0, 0x80, I3(P) }, 25 },
		{ 0, { V7_ASYNC, I3(P), 0x08, P, 0, 0, 0, 0, 0x80, I3(P) }, 25 },
		{ 1, { V7_ASYNC, IP(OVERFLOW), IP(P) }, 18 },
		/* a reserved header; zeros that no A-sync has; its first zero was taken */
		{ 1, { V7_ASYNC, IP(P), 0x20, V7_ASYNC, IP(P) }, 25 },
		{ 1, { V7_ASYNC, IP(P), 0, 0, 0x11, V7_ASYNC, IP(P) }, 27 },
		{ 1, { V7_ASYNC, IP(P), 0x3c, 0x00, 0, 0, 0, 0, 0x80, IP(P) }, 25 },
	};
	static const uint8_t begin[2][12] = {
		{ V7_ASYNC, I3(P) }, { V7_ASYNC, IP(P) },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct protocol *pr = rows[i].ptm ? &cst_protocol_ptm : &cst_protocol_etmv3;
		const struct cst_config cfg = rows[i].ptm ? ptm_config(0) : etmv3_config();
		struct stage_feed f, new;

		feed_of(&f, pr, &cfg, rows[i].p, rows[i].n);
		feed_of(&new, pr, &cfg, begin[rows[i].ptm], sizeof(begin[0]));
		assert_memory_equal(f.parser, new.parser, pr->ops.parser_size);
		ends_once(&f);
		stage_free(&f);
		stage_free(&new);
	}
}

/* Atoms that an index skips: in synchronisation, within the bytes, and not right behind zeros. */
static void test_skip(void **state)
{
	static const uint8_t sync[2][14] = { { SYNC }, { V7_ASYNC, I3(P) } };
	static const uint8_t atoms[2][5] = {
		{ 0xf7, 0xc0, 0xff, 0x71, 0xf7 }, { 0x84, 0xc8, 0x86, 0x0c, 0x84 },
	};
	unsigned int v3;

	(void)state;
	for (v3 = 0; v3 < 2; v3++) {
		const struct protocol *pr = v3 ? &cst_protocol_etmv3 : &cst_protocol_etmv4;
		const struct cst_config cfg = v3 ? etmv3_config() : ete_config(1, 0);
		const uint8_t *p = atoms[v3];
		struct stage_feed f;
		uint64_t addr;

		stage_new(&f, pr, &cfg);
		assert_int_equal((pr->skip)(f.parser, p, 5), 0);
		feed_bytes(&f, sync[v3], v3 ? 12 : 14);
		/* the Trace Info, or the I-sync, ended with a zero */
		assert_int_equal((pr->skip)(f.parser, p, 5), 0);
		feed_bytes(&f, p, 1);
		/* the atom of an ETMv3 waits for what may cancel it: it is before any address */
		if (v3)
			assert_int_equal(cst_etmv3_stage_address(f.stage, &addr), -1);
		assert_int_equal((pr->skip)(f.parser, p, 5), 3);
		assert_int_equal((pr->skip)(f.parser, p, 2), 2);
		assert_int_equal((pr->skip)(f.parser, p, 0), 0);
		assert_int_equal((pr->skip)(f.parser, p + 3, 2), 0);
		ends_once(&f);
		stage_free(&f);
	}
}

static int is_same(const struct stage_feed *a, const struct stage_feed *b)
{
	return cst_ptm_stage_digest(a->stage, 0) == cst_ptm_stage_digest(b->stage, 0);
}

#define PAIR(same, ...) { same, { V7_ASYNC, __VA_ARGS__ }, \
			  sizeof((const uint8_t[]){ V7_ASYNC, __VA_ARGS__ }) }

/*
 * Stages that go on alike, and others: the first of a group is compared with the others. What was
 * traced before the last I-sync makes no difference, unless it is not traced again.
 */
static void test_same_ptm(void **state)
{
	static const struct {
		int same;	/* 2: the first of a group */
		uint8_t p[64];
		size_t len;
	} cases[] = {
		PAIR(2, IP(P), CID), PAIR(1, IP(P), CID, 0x80), PAIR(1, IP(0x21), CID),
		PAIR(0, IP(P), 1, 2, 3, 5), PAIR(0, IP(P | NS), CID), PAIR(0, IP(P | HYP), CID),
		PAIR(0, 0x80), PAIR(0, IP(P), CID, 0x20), PAIR(0, IP(P), CID, 0x3c, 0),
		PAIR(2, IP(P), CID, 0x3c, 7), PAIR(1, 0x3c, 8, IP(P), CID, 0x3c, 7),
		PAIR(0, IP(P), CID, 0x3c, 8),
	};
	struct cst_config cfg = ptm_config(3u << 14 | 1u << 30);
	struct stage_feed first, f;
	size_t i, of = 0;

	(void)state;
	feed_of(&first, &cst_protocol_ptm, &cfg, cases[0].p, cases[0].len);
	for (i = 1; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].same == 2) {
			stage_free(&first);
			feed_of(&first, &cst_protocol_ptm, &cfg, cases[i].p, cases[i].len);
			of = i;
			continue;
		}
		feed_of(&f, &cst_protocol_ptm, &cfg, cases[i].p, cases[i].len);
		if (is_same(&first, &f) != cases[i].same)
			fail_msg("case %zu, compared with %zu", i, of);
		stage_free(&f);
	}
	/* after the end, with elements that were not taken, and before the first packet */
	feed_of(&f, &cst_protocol_ptm, &cfg, cases[of].p, cases[of].len);
	assert_int_equal(is_same(&first, &f), 1);
	f.ops->stage_end(f.stage);
	assert_int_equal(is_same(&first, &f), 0);
	stage_take(&f);
	assert_int_equal(is_same(&first, &f), 0);
	stage_free(&f);
	feed_of(&f, &cst_protocol_ptm, &cfg, NULL, 0);
	assert_int_equal(is_same(&first, &f), 0);
	stage_free(&f);
	stage_free(&first);
}

static int is_same_ready(const struct stage_feed *a, const struct stage_feed *b)
{
	return cst_ready_digest(a->stage, 0) == cst_ready_digest(b->stage, 0);
}

/* Stages that go on alike: in synchronisation, and with the same state of the protocol. */
static void test_same_itm(void **state)
{
	static const struct {
		int same;
		uint8_t p[16];
		size_t len;
	} rows[] = {
		{ 1, { V7_ASYNC, 0x20, 0x28 }, 8 }, { 1, { 0x09, V7_ASYNC, 0x28, 0x20 }, 9 },
		{ 0, { V7_ASYNC, 0x20, 0x38 }, 8 }, { 0, { V7_ASYNC, 0x30, 0x28 }, 8 },
		{ 0, { V7_ASYNC, 0x20, 0x28, 0x70 }, 9 }, { 0, { V7_ASYNC, 0x20, 0x28, 0x04 }, 9 },
		{ 0, { 0x09 }, 1 },
	};
	const struct protocol *pr = &cst_protocol_itm;
	const struct cst_config cfg = itm_config();
	struct stage_feed first, f;
	size_t i;

	(void)state;
	stage_new(&first, pr, &cfg);
	feed_bytes(&first, rows[0].p, rows[0].len);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		stage_new(&f, pr, &cfg);
		feed_bytes(&f, rows[i].p, rows[i].len);
		if (is_same_ready(&first, &f) != rows[i].same)
			fail_msg("row %zu", i);
		stage_free(&f);
	}
	/* with nothing known, too, unsynchronised is another state than synchronised */
	stage_free(&first);
	stage_new(&first, pr, &cfg);
	feed_bytes(&first, BYTES(V7_ASYNC));
	stage_new(&f, pr, &cfg);
	assert_int_equal(is_same_ready(&first, &f), 0);
	stage_free(&f);
	stage_free(&first);
}

/* Elements that a caller does not take: the last one is replaced when there is no room. */
static void test_not_taken(void **state)
{
	const struct cst_config cfg = itm_config();
	const struct cst_element *e;
	struct stage_feed f;
	uint64_t i, n = 0, last = 0;

	(void)state;
	stage_new(&f, &cst_protocol_itm, &cfg);
	for (i = 0; i < 3 * READY_ELEMENTS; i++)
		f.ops->stage_restart(f.stage, i);
	for (; (e = f.ops->stage_take(f.stage)); n++) {
		assert_int_equal(e->kind, CST_EL_NO_SYNC);
		last = e->index;
	}
	assert_int_equal(n, READY_ELEMENTS);
	assert_int_equal(last, 3 * READY_ELEMENTS - 1);
	stage_free(&f);
}

/* An instruction waits behind as many elements as have room; a cancellation may come too late. */
static void test_long_wait(void **state)
{
	static const struct {
		unsigned int events, atoms, findings;
	} rows[] = { { ETMV3_HELD - 1, 0, 0 }, { ETMV3_HELD, 1, 1 }, { 2 * ETMV3_HELD, 1, 1 } };
	static const uint8_t begin[] = { V7_ASYNC, I3(P), 0x84 }, end[] = { 0x8d, 0x46, 0x3c };
	struct cst_config cfg = etmv3_config();
	uint8_t bytes[sizeof(begin) + 2 * ETMV3_HELD + sizeof(end)];
	const struct cst_element *e;
	struct stage_feed f;
	struct cst_packet pkt = { 0 };
	size_t i, at, len;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned int kinds[CST_EL_COND_FLUSH + 1] = { 0 };

		memcpy(bytes, begin, sizeof(begin));
		memset(bytes + sizeof(begin), 0x0c, rows[i].events);
		len = sizeof(begin) + rows[i].events;
		memcpy(bytes + len, end, sizeof(end));
		len += sizeof(end);
		stage_new(&f, &cst_protocol_etmv3, &cfg);
		memset(&pkt, 0, sizeof(pkt));
		for (at = 0; at < len; at += pkt.size) {
			pkt.size = (uint16_t)f.ops->parse(f.parser, bytes + at, bytes + len, &pkt);
			assert_true(pkt.size > 0);
			pkt.index = at;
			f.ops->stage_packet(f.stage, &pkt);
			while ((e = f.ops->stage_take(f.stage)))
				kinds[e->kind]++;
		}
		stage_free(&f);
		if (kinds[CST_EL_EVENT] != rows[i].events || kinds[CST_EL_ATOMS] != rows[i].atoms ||
		    kinds[CST_EL_FINDING] != rows[i].findings || kinds[CST_EL_EXCEPTION] != 1)
			fail_msg("%u events: %u, %u atoms, %u findings", rows[i].events,
				 kinds[CST_EL_EVENT], kinds[CST_EL_ATOMS], kinds[CST_EL_FINDING]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parser_after_loss),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_same_ptm),
		cmocka_unit_test(test_same_itm),
		cmocka_unit_test(test_not_taken),
		cmocka_unit_test(test_long_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
