/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv4_fields.c - all fields of the elements that ETMv4 and ETE packets make, and what is counted of them.
 */
#include <inttypes.h>

#include "etmv4/etmv4.h"
#include "lib_decode.h"

#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff

/* An element as text: the trace offset of its packet, its kind, and each field that has a meaning for the kind. */
static void describe(const struct cst_element *e, char *s, size_t n)
{
	static const char *const names[] = {
		[CST_EL_ATOMS] = "atoms", [CST_EL_ADDRESS] = "addr", [CST_EL_CONTEXT] = "ctx", [CST_EL_EXCEPTION] = "exc",
		[CST_EL_EXC_RETURN] = "eret", [CST_EL_Q] = "q", [CST_EL_SOURCE_ADDRESS] = "src", [CST_EL_TRACE_ON] = "on",
		[CST_EL_TRACE_INFO] = "info", [CST_EL_TIMESTAMP] = "ts", [CST_EL_CYCLE_COUNT] = "cc", [CST_EL_EVENT] = "event",
		[CST_EL_TS_MARKER] = "marker", [CST_EL_INSTRUMENTATION] = "ite", [CST_EL_TRANS_START] = "start",
		[CST_EL_TRANS_COMMIT] = "commit", [CST_EL_TRANS_FAIL] = "fail", [CST_EL_FUNC_RETURN] = "fret",
		[CST_EL_NO_SYNC] = "nosync", [CST_EL_END] = "end", [CST_EL_FINDING] = "finding", [CST_EL_COND_FLUSH] = "flush",
		[CST_EL_COND_INSN] = "insn", [CST_EL_COND_RESULT] = "result",
	};
	const char *name = e->kind < sizeof(names) / sizeof(names[0]) && names[e->kind] ? names[e->kind] : "unknown";
	size_t at = (size_t)snprintf(s, n, "%" PRIu64 ":%s", e->index, name);

	switch (e->kind) {
	case CST_EL_ATOMS:
		snprintf(s + at, n - at, "(%u %x %x)", e->n, e->bits & ((1u << e->n) - 1), e->first_e & ((1u << e->n) - 1));
		break;
	case CST_EL_ADDRESS:
	case CST_EL_SOURCE_ADDRESS:
		/* no flags: here they would say that a load or store is in progress (ETMv3) */
		snprintf(s + at, n - at, e->flags ? "(%" PRIx64 " is%u f%x)" : "(%" PRIx64 " is%u)", e->addr, e->is, e->flags);
		break;
	case CST_EL_CONTEXT:
		snprintf(s + at, n - at, "(el%u sec%u %s cid%x vmid%x has%x", e->ctx.el, e->ctx.security,
			 e->ctx.bits64 ? "a64" : "a32",
			 e->ctx.flags & CST_CTX_CID ? e->ctx.context_id : 0, e->ctx.flags & CST_CTX_VMID ? e->ctx.vmid : 0, e->ctx.flags);
		at = strlen(s);
		snprintf(s + at, n - at, e->flags & CST_EL_F_ADDRESS ? " f%x is%u)" : " f%x)", e->flags, e->is);
		break;
	case CST_EL_EXCEPTION:
		snprintf(s + at, n - at, "(%x @%" PRIx64 " is%u f%x)", e->num, e->addr, e->is, e->flags);
		break;
	case CST_EL_Q:
		snprintf(s + at, n - at, "(f%x n%" PRIu64, e->flags, e->flags & CST_EL_F_COUNT ? e->value : 0);
		at = strlen(s);
		if (e->flags & CST_EL_F_ADDRESS)
			at += (size_t)snprintf(s + at, n - at, " @%" PRIx64 " is%u", e->addr, e->is);
		snprintf(s + at, n - at, ")");
		break;
	case CST_EL_COND_INSN:
		snprintf(s + at, n - at, "(%" PRIu64 ")", e->value);
		break;
	case CST_EL_COND_FLUSH:
		snprintf(s + at, n - at, "(%u)", e->num);
		break;
	case CST_EL_TIMESTAMP:
	case CST_EL_CYCLE_COUNT:
	case CST_EL_EVENT:
	case CST_EL_TS_MARKER:
	case CST_EL_INSTRUMENTATION:
		/* cc is 0 unless the packet has a cycle count */
		snprintf(s + at, n - at, "(%u %" PRIx64 " cc%u f%x)", e->num,
			 e->kind == CST_EL_CYCLE_COUNT ? 0 : e->value, e->cc, e->flags);
		break;
	case CST_EL_NO_SYNC:
		snprintf(s + at, n - at, "(%u error%" PRIu64 " f%x)", e->num, e->value, e->flags);
		break;
	default:
		snprintf(s + at, n - at, "(%u)", e->num);
	}
}

/* Appends the elements that can be taken. */
static void take(struct etmv4_queue *q, char *got)
{
	const struct cst_element *e;
	char one[200];

	while ((e = cst_etmv4_queue_take(q))) {
		describe(e, one, sizeof(one));
		if (*got)
			strcat(got, " ");
		strcat(got, one);
	}
}

/* Appends the elements of these bytes; the packet before is left in the structure, as in the decoder. */
static void feed(struct etmv4_parser *ps, struct etmv4_queue *q, const uint8_t *p, size_t len, char *got)
{
	struct cst_packet pkt;
	size_t at;

	memset(&pkt, 0xa5, sizeof(pkt));
	for (at = 0; at < len; at += pkt.size) {
		pkt.finding[0] = pkt.finding[1] = 0;
		pkt.size = (uint16_t)cst_etmv4_parse(ps, p + at, p + len, &pkt);
		if (!pkt.size) {
			cst_etmv4_parse_rest(ps, p + at, p + len, &pkt);
			pkt.size = (uint16_t)(len - at);
		}
		pkt.index = at;
		cst_etmv4_queue_packet(q, &pkt);
		take(q, got);
	}
}

/* Appends the counters that are not 0. */
static void add_losses(const struct cst_stats *s, char *got)
{
	const struct {
		const char *name;
		uint64_t n;
	} rows[] = {
		{ "overflows", s->overflows }, { "discards", s->discards }, { "bad", s->bad_packets }, { "resyncs", s->resyncs },
		{ "unsynced", s->unsynced }, { "uncommitted", s->uncommitted }, { "failed", s->trans_failed },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].n)
			sprintf(got + strlen(got), " %s=%" PRIu64, rows[i].name, rows[i].n);
}

/* Compares the elements of these bytes to the end of the trace, and what is counted as lost. */
static void expect(const struct cst_config *cfg, const uint8_t *p, size_t len, const char *want)
{
	struct etmv4_parser ps;
	struct etmv4_queue q;
	struct cst_stats stats;
	char got[4096] = "";

	memset(&stats, 0, sizeof(stats));
	cst_etmv4_parser_init(&ps, cfg, NULL);
	assert_int_equal(cst_etmv4_queue_init(&q, cfg, &stats, NULL), 0);
	feed(&ps, &q, p, len, got);
	cst_etmv4_queue_end(&q);
	take(&q, got);
	add_losses(&stats, got);
	/* the end is reported once */
	cst_etmv4_queue_end(&q);
	assert_null(cst_etmv4_queue_take(&q));
	cst_etmv4_queue_free(&q);
	assert_string_equal(got, want);
}

static void test_addresses(void **state)
{
	struct cst_config cfg = etm_config(4, 0), ete = ete_config(3, 0);

	(void)state;
	expect(&cfg, BYTES(SYNC, AT(0x1000), 0x9b, 0x01, 0x10, 0x00, 0x00, 0x90, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(1000 is0) 19:addr(1002 is1) 24:addr(1002 is1) "
	       "25:atoms(1 1 1) 25:end(7)");
	/* a context with and without an address, with each ID, and one that repeats the last one */
	expect(&cfg, BYTES(SYNC, 0x81, 0x31, 0x83, 0x01, 0x10, 0x00, 0x00, 0x01, 0x81, 0xd2, 1, 2, 3, 4, 5, 6, 7, 8,
			   0x80, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:ctx(el1 sec0 a32 "
	       "cid0 vmid0 has4 f4 is1) 16:addr(1002 is1) 22:ctx(el2 sec0 a64 cid8070605 vmid4030201 has7 f0) "
	       "32:ctx(el2 sec0 a64 cid8070605 vmid4030201 has7 f40) 33:atoms(1 1 1) 33:end(7)");
	expect(&cfg, BYTES(SYNC, 0x81, 0x50, 9, 0, 0, 0, 0x81, 0x91, 7, 0, 0, 0, 0x01, 0x00, 0x81, 0x31, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el0 sec0 a64 cid0 vmid9 has6 f0) 20:ctx(el1 sec0 a64 "
	       "cid7 vmid9 has7 f0) 26:info(0) 28:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 30:atoms(1 1 1) 30:end(7)");
	expect(&ete, BYTES(SYNC, 0x81, 0x28, 0xb6, 4, 0, 0, 0, 0xb7, 4, 0, 0, 0, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el0 sec3 a32 cid0 vmid0 has4 f0) 16:src(10 is0) "
	       "21:src(8 is1) 26:atoms(1 1 1) 26:end(7)");
	ete.qsupp = 3;
	expect(&ete, BYTES(SYNC, 0xaa, 4, 0, 5, 0, 0x83, 0x01, 0xab, 8, 0, 5, 0, 0x03, 0xac, 0x05, 0xaf),
	       "0:nosync(1 error0 f0) 12:info(0) 14:q(f6 n131 @50010 is0) 21:q(f6 n3 @50010 is1) 27:q(f2 n5) "
	       "29:q(f0 n0) 29:end(7)");
}

static void test_exceptions(void **state)
{
	struct cst_config cfg = etm_config(4, 0), m = etm_config(4, 0), ete = ete_config(1, 0);

	(void)state;
	m.profile = CST_PROFILE_M;
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0x9b, 0x01, 0x10, 0x00, 0x00),
	       "0:nosync(1 error0 f0) 12:info(0) 14:exc(e @1002 is1 f4) 16:end(7)");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x9b, 0x01, 0x10, 0x00, 0x00),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(1002 is1) 14:exc(e @1002 is1 fc) 16:end(7)");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x82, 4, 0, 0, 0, 0x31),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el1 sec1 a64 cid0 vmid0 has4 f4 is0) 14:addr(10 is0) "
	       "14:exc(e @10 is0 fc) 16:end(7)");
	/* in place of an address, the value of a tail chain: of the M profile alone */
	expect(&m, BYTES(SYNC, 0x06, 0x1d, 0x9b, 0x7f, 0xff, 0xff, 0xff, 0x06, 0x5c, 0x9b, 0x7f, 0xff, 0xff, 0xff),
	       "0:nosync(1 error0 f0) 12:info(0) 14:exc(e @fffffffe is1 f24) 21:exc(e @fffffffe is1 f2c) "
	       "23:end(7)");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x9b, 0x7f, 0xff, 0xff, 0xff),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(fffffffe is1) 14:exc(e @fffffffe is1 fc) 16:end(7)");
	/* without an address: a PE reset, and a failed transaction in both of its forms */
	expect(&ete, BYTES(SYNC, 0x06, 0x5c, 0x9b, 0x01, 0x10, 0x00, 0x00, 0x06, 0x01, 0x70, 0x06, 0x31, 0x70, 0x06, 0x31,
			   AT(0x10)),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(1002 is1) 14:exc(e @1002 is1 fc) 21:exc(0 @0 is0 f0) "
	       "24:fail(0) 27:fail(0) 29:end(7)");
}

static void test_values(void **state)
{
	struct cst_config cfg = etm_config(6, 0), ete = ete_config(3, 0);

	(void)state;
	cfg.data_trace = 1;
	expect(&cfg, BYTES(SYNC, 0x03, 0x85, 0x01, 0x07, 0x0e, 0x00, 0x09, 0x0f, 0x00, 0x75, 0x88, 0x23, 0x29, 0x02, 0x06),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ts(0 85 cc7 f1) 18:cc(0 0 cc9 f1) 21:cc(0 0 cc0 f0) "
	       "23:event(5 0 cc0 f0) 24:marker(0 0 cc0 f0) 25:marker(1 3 cc0 f0) 26:marker(2 1 cc0 f0) 27:ts(0 "
	       "86 cc0 f0) 27:end(7)");
	expect(&ete, BYTES(SYNC, 0x02, 0x05, 0x09, 0x02, 1, 2, 3, 4, 5, 6, 7, 8, 0x75),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ts(0 5 cc0 f0) 16:ite(2 807060504030201 cc0 f0) 26:event(5 "
	       "0 cc0 f0) 26:end(7)");
	/* before a Trace Info, ETE has events and both have instrumentation */
	expect(&ete, BYTES(ASYNC, 0x75, 0x09, 0x02, 1, 2, 3, 4, 5, 6, 7, 8, 0x70, 0x01, 0x00),
	       "0:nosync(1 error0 f0) 12:event(5 0 cc0 f0) 13:ite(2 807060504030201 cc0 f0) 24:info(0) 24:end(7)");
	expect(&cfg, BYTES(ASYNC, 0x75, 0x70, 0x01, 0x00),
	       "0:nosync(1 error0 f0) 12:finding(42) 14:info(0) 14:end(7) unsynced=1");
}

static void test_interruptions(void **state)
{
	struct cst_config cfg = etm_config(4, 0), spec = ete_config(1, 8), cond = etm_config(4, 0);

	(void)state;
	cond.cond_trace = 1;
	cond.cond_keys = 4;
	expect(&cfg, BYTES(SYNC, 0xf7, 0x00, 0x05, SYNC, 0x04, 0x04, 0x00, 0x05),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:nosync(3 error0 f10) 29:info(0) 33:nosync(3 "
	       "error0 f10) 33:end(3) overflows=2");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x00, 0x03, SYNC, 0x04),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:nosync(4 error0 f10) 29:info(0) 31:end(7) "
	       "discards=1");
	expect(&cfg, BYTES(SYNC, 0x08, 0x01, 0x02),
	       "0:nosync(1 error0 f0) 12:info(0) 14:nosync(5 error7 f10) 15:end(7) bad=1 resyncs=1 unsynced=2");
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0xf7, SYNC, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:nosync(5 error13 f10) 29:info(0) 31:atoms(1 1 1) 31:end(7) "
	       "resyncs=1 unsynced=1");
	/* the packet that shows the lost address begins synchronisation */
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, SYNC, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:nosync(5 error13 f10) 28:info(0) 30:atoms(1 1 1) 30:end(7) "
	       "resyncs=1");
	/* the last packet is cut, or the first one */
	expect(&cfg, BYTES(SYNC, 0xf7, 0x02), "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:end(7) bad=1 unsynced=1");
	expect(&cfg, BYTES(0xf7, 0xf7, SYNC, 0xf7), "0:nosync(1 error0 f0) 14:info(0) 16:atoms(1 1 1) 16:end(7) unsynced=2");
	/* committed atoms of a packet whose other ones are not */
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x01),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:end(7) uncommitted=2");
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x01, 0x00, 0x03),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 17:nosync(4 error0 f10) 17:end(7) discards=1 "
	       "uncommitted=2");
	/* results are outstanding */
	expect(&cond, BYTES(SYNC, 0x40, 0x00, 0x05, SYNC, 0x40),
	       "0:nosync(1 error0 f0) 12:info(0) 15:flush(1) 15:nosync(3 error0 f10) 29:info(0) 31:flush(1) "
	       "31:end(3) overflows=1");
	expect(&cond, BYTES(SYNC, 0x6c, 0x02, 0x06, 0x1d, AT(0x10), 0x40),
	       "0:nosync(1 error0 f0) 12:flush(0) 12:info(0) 14:insn(2) 16:exc(e @10 is0 f4) 23:flush(1) "
	       "23:end(7)");
	/* more is speculative at the start than may be */
	expect(&spec, BYTES(ASYNC, 0x01, 0x05, 0x41, 0x0a, 0xdb, 0x2d, 0x08),
	       "0:nosync(1 error0 f0) 12:start(0) 12:info(0) 17:end(7) failed=1");
	expect(&spec, BYTES(ASYNC, 0x01, 0x01, 0x01, 0xf7, 0x2d, 0x01),
	       "0:nosync(1 error0 f0) 12:info(0) 15:atoms(1 1 1) 16:end(7)");
}

/* Nothing of the trace before is left after a reset, nor after a restart. */
static void test_reset(void **state)
{
	static const uint8_t before[] = { SYNC, 0x81, 0xd2, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0x2d, 0x01, 0x00, 0x05,
					  SYNC, 0xf7, 0x06, 0x1d };
	static const uint8_t after[] = { SYNC, 0x81, 0x31, 0x04, 0xf7, 0x2d, 0x01, 0xf7 };
	static const char *const want[] = {
		"0:nosync(2 error0 f0) 12:info(0) "
		"14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:on(0) 17:atoms(1 1 1) 20:end(7) overflows=1 uncommitted=4",
		"0:nosync(2 error0 f80) 12:info(0) "
		"14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:on(0) 17:atoms(1 1 1) 20:end(7) overflows=1 uncommitted=4",
		"41:info(0) 100:nosync(2 error0 f90) 12:info(0) "
		"14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:on(0) 17:atoms(1 1 1) 20:end(7) overflows=1 uncommitted=4",
	};
	struct cst_config cfg = etm_config(4, 8);
	struct etmv4_parser ps;
	struct etmv4_queue q;
	struct cst_stats stats;
	char got[4096];
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		memset(&stats, 0, sizeof(stats));
		cst_etmv4_parser_init(&ps, &cfg, NULL);
		assert_int_equal(cst_etmv4_queue_init(&q, &cfg, &stats, NULL), 0);
		*got = 0;
		feed(&ps, &q, before, sizeof(before), got);
		*got = 0;
		if (i < 2)
			cst_etmv4_queue_reset(&q, CST_UNSYNC_RESET, i);
		else
			cst_etmv4_queue_restart(&q, 100);
		feed(&ps, &q, after, sizeof(after), got);
		cst_etmv4_queue_end(&q);
		take(&q, got);
		add_losses(&stats, got);
		assert_string_equal(got, want[i]);
		cst_etmv4_queue_free(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_interruptions),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
