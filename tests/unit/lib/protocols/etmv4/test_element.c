/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv4_element.c - speculation and transactions: what is committed, in which order, what a Cancel,
 * a Mispredict and a Discard take along, and that the queue stays within its limits.
 */
#include <inttypes.h>

#include "protocols/etmv4/etmv4.h"
#include "unit/lib_decode.h"

#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff

static struct cst_stats stats;

static void describe(const struct cst_element *e, char *s, size_t n)
{
	unsigned int i;

	switch (e->kind) {
	case CST_EL_ATOMS:
		for (i = 0; i < e->n && i + 1 < n; i++)
			s[i] = (e->bits >> i & 1 ? 'E' : 'N') | ((e->bits ^ e->first_e) >> i & 1 ? 0x20 : 0);
		s[i] = 0;
		break;
	case CST_EL_ADDRESS:
		snprintf(s, n, "a%" PRIx64, e->addr);
		break;
	case CST_EL_SOURCE_ADDRESS:
		snprintf(s, n, "s%" PRIx64, e->addr);
		break;
	case CST_EL_CONTEXT:
		snprintf(s, n, "ctx%u", e->ctx.el);
		break;
	case CST_EL_EXCEPTION:
		snprintf(s, n, "exc%x@%" PRIx64, e->num, e->addr);
		break;
	case CST_EL_Q:
		snprintf(s, n, "q%" PRIu64, e->value);
		break;
	case CST_EL_TIMESTAMP:
		snprintf(s, n, "t%" PRIu64, e->value);
		break;
	case CST_EL_CYCLE_COUNT:
		snprintf(s, n, "c%u", e->cc);
		break;
	case CST_EL_EVENT:
		snprintf(s, n, "ev%u", e->num);
		break;
	case CST_EL_TRACE_ON:
		snprintf(s, n, "on%u", e->num);
		break;
	case CST_EL_NO_SYNC:
		snprintf(s, n, "nosync%u/%u", e->num, (unsigned int)e->value);
		break;
	case CST_EL_COND_INSN:
		snprintf(s, n, "i%" PRIu64, e->value);
		break;
	case CST_EL_COND_RESULT:
		/* condition flags behind a colon, or whether it passed */
		snprintf(s, n, e->num & CST_COND_FLAGS ? "r%" PRIu64 ":%x" : e->num == CST_COND_PASSED ? "r%" PRIu64 "+" :
			 e->num == CST_COND_FAILED ? "r%" PRIu64 "-" : "r%" PRIu64 "?", e->value,
			 (unsigned int)e->num >> CST_COND_FLAGS_SHIFT);
		break;
	case CST_EL_COND_FLUSH:
		snprintf(s, n, "flush");
		break;
	default:
		snprintf(s, n, "%s", e->kind == CST_EL_TRACE_INFO ? "info" : e->kind == CST_EL_END ? "end" :
			 e->kind == CST_EL_TRANS_START ? e->num ? "start" : "init" :
			 e->kind == CST_EL_TRANS_COMMIT ? "commit" : e->kind == CST_EL_TRANS_FAIL ? "fail" :
			 e->kind == CST_EL_EXC_RETURN ? "eret" : e->kind == CST_EL_FUNC_RETURN ? "fret" : "?");
	}
}

/*
 * The elements of bytes that follow a synchronisation; a point where they are taken after each packet.
 * Lower case atoms were corrected. The first NO_SYNC and the final END are left out.
 */
static void expect(const struct cst_config *cfg, const uint8_t *p, size_t len, const char *want)
{
	char got[2048] = "", one[128];
	const struct cst_element *e;
	struct etmv4_parser ps;
	struct cst_packet pkt;
	struct etmv4_queue q;
	unsigned int size, at = 0, first = 1, ended = 0;

	memset(&stats, 0, sizeof(stats));
	cst_etmv4_parser_init(&ps, cfg, NULL);
	assert_int_equal(cst_etmv4_queue_init(&q, cfg, &stats, NULL), 0);
	while (!ended) {
		memset(&pkt, 0, sizeof(pkt));
		size = cst_etmv4_parse(&ps, p + at, p + len, &pkt);
		pkt.index = at;
		pkt.size = size;
		at += size;
		if (size) {
			cst_etmv4_queue_packet(&q, &pkt);
		} else {
			assert_int_equal(at, len);
			cst_etmv4_queue_end(&q);
			ended = 1;
		}
		while ((e = cst_etmv4_queue_take(&q))) {
			if (first || e->kind == CST_EL_END) {
				first = 0;
				continue;
			}
			describe(e, one, sizeof(one));
			if (*got && !(e->kind == CST_EL_ATOMS && strchr("ENen", got[strlen(got) - 1])))
				strcat(got, " ");
			strcat(got, one);
		}
	}
	assert_int_equal(q.count, 0);
	cst_etmv4_queue_free(&q);
	assert_string_equal(got, want);
}

static void test_commit(void **state)
{
	struct cst_config spec = ete_config(1, 8), none = ete_config(1, 0);

	(void)state;
	/* nothing is speculative: all at once, what is no P0 element with the next one */
	expect(&none, BYTES(SYNC, 0xff, AT(0x1000), 0x81, 0x00, 0xf6), "info EEE a1000 ctx0 N");
	expect(&none, BYTES(SYNC, 0xf7, AT(0x1000)), "info E");
	/* in parts of a packet; non-P0 elements stand in front of the next P0 element */
	expect(&spec, BYTES(SYNC, 0xfd, 0x2d, 0x01, AT(0x10), 0x2d, 0x01, 0xf7, 0x2d, 0x01, 0x2d, 0x01),
	       "info ENE a10 E");
	/* beyond the limit the oldest are final */
	expect(&spec, BYTES(SYNC, 0xd0), "info EEEEEEEEEEEE");	/* 20 - 8 */
	assert_int_equal(stats.uncommitted, 8);
	expect(&spec, BYTES(SYNC, 0xc4, 0xf6), "info E");
	/* more than there is: an error, and what is not speculative is kept */
	expect(&spec, BYTES(SYNC, 0xdb, 0x02, 0x05, 0x2d, 0x03, 0xf7), "info t5 nosync5/11");
	assert_int_equal(stats.uncommitted, 2);
	assert_int_equal(stats.resyncs, 1);
	assert_int_equal(stats.unsynced, 1);
	expect(&spec, BYTES(SYNC, 0xf7, 0x2d, 0xff, 0xff, 0xff, 0xff, 0x0f), "info nosync5/11");
	/* of each other kind of P0 element, too: exceptions, source addresses, Q elements, Transaction Starts */
	spec.max_spec = 1;
	spec.qsupp = 3;
	expect(&spec, BYTES(SYNC, 0xf7, 0x06, 0x1d, AT(0x10)), "info E");
	expect(&spec, BYTES(SYNC, 0xf7, 0x06, 0x01, 0x70), "info E");
	expect(&spec, BYTES(SYNC, 0xf7, 0xb4, 0x04), "info E");
	expect(&spec, BYTES(SYNC, 0xf7, 0xaf), "info E");
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a), "info E");
	spec.max_spec = 8;
	/* zero is allowed */
	expect(&spec, BYTES(SYNC, 0xf7, 0x2d, 0x00, 0x2d, 0x01), "info E");
}

static void test_cycle_counts(void **state)
{
	struct cst_config spec = ete_config(1, 20);

	(void)state;
	/* the commit comes first; the count stands where its packet does, behind both atoms */
	expect(&spec, BYTES(SYNC, 0xdb, 0x11, 0x11), "info EE c1 c1");
	expect(&spec, BYTES(SYNC, 0xf7, 0x11, 0xf7, 0x11), "info E c1 E c1");
	expect(&spec, BYTES(SYNC, 0xdb, 0x0e, 0x02, 0x07), "info EE c7");
	expect(&spec, BYTES(SYNC, 0xdb, 0x0e, 0x00, 0x07, 0x2d, 0x02), "info EE c7");
}

static void test_cancel(void **state)
{
	struct cst_config spec = ete_config(1, 8);

	(void)state;
	/* the youngest atoms of a packet */
	expect(&spec, BYTES(SYNC, 0xdc, 0xdf, 0x2e, 0x04, 0x2d, 0x04), "info NEEE");
	expect(&spec, BYTES(SYNC, 0xdc, 0xdf, 0x2e, 0x05, 0x2d, 0x03), "info NEE");
	/* what is speculative behind and between goes along; time and events stay */
	expect(&spec, BYTES(SYNC, 0xf6, AT(0x10), 0xf7, 0x02, 0x05, AT(0x20), 0x71, 0xf7, 0x81, 0x01, 0x2e, 0x02,
			    0xf6, 0x2d, 0x02), "info N a10 t5 ev1 N");
	/* a committed atom of the packet is not touched */
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x01, 0x2e, 0x02, 0xf6, 0x2d, 0x01), "info EN");
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x01, 0x2e, 0x03), "info E nosync5/11");
	/* with a mispredict of the one before; formats 2 and 3 carry atoms that go first */
	expect(&spec, BYTES(SYNC, 0xdb, 0x2f, 0x01, 0x2d, 0x01), "info n");
	expect(&spec, BYTES(SYNC, 0xf7, 0x34, 0x2d, 0x01), "info nosync5/12");
	expect(&spec, BYTES(SYNC, 0xf7, 0x35, 0x2d, 0x01), "info n");
	expect(&spec, BYTES(SYNC, 0xf7, 0x36, 0x2d, 0x02), "info En");
	expect(&spec, BYTES(SYNC, 0xf6, 0x37, 0x2d, 0x01), "info e");
	expect(&spec, BYTES(SYNC, 0xff, 0x38, 0x2d, 0x01), "info n");
	expect(&spec, BYTES(SYNC, 0xff, 0x39, 0x2d, 0x02), "info En");
	expect(&spec, BYTES(SYNC, 0xc1, 0x3e, 0x2d, 0x01), "info nosync5/12");
	/* exceptions, Q and source addresses count one each */
	expect(&spec, BYTES(SYNC, 0xf7, 0x06, 0x1d, AT(0x10), 0xb4, 0x04, 0x2e, 0x02, 0x2d, 0x01), "info E");
	expect(&spec, BYTES(SYNC, 0xf7, 0x06, 0x1d, AT(0x10), 0xb4, 0x04, 0x2d, 0x03), "info E exce@10 s10");
	/* nothing cancelled is a loss */
	expect(&spec, BYTES(SYNC, 0xff, 0x2e, 0x03), "info");
	assert_int_equal(stats.uncommitted, 0);
}

static void test_mispredict(void **state)
{
	struct cst_config spec = ete_config(1, 8), none = ete_config(1, 0);

	(void)state;
	expect(&spec, BYTES(SYNC, 0xf6, 0x30, 0x2d, 0x01), "info e");
	/* twice is as before */
	expect(&spec, BYTES(SYNC, 0xf6, 0x30, 0x30, 0x2d, 0x01), "info N");
	expect(&spec, BYTES(SYNC, 0x31, 0x2d, 0x01), "info n");
	expect(&spec, BYTES(SYNC, 0x32, 0x2d, 0x02), "info En");
	expect(&spec, BYTES(SYNC, 0x33, 0x2d, 0x01), "info e");
	/* only the youngest of a packet; its target is void, but no context */
	expect(&spec, BYTES(SYNC, 0xff, AT(0x10), 0x81, 0x02, 0x30, 0xf7, 0x2d, 0x04), "info EEn ctx2 E");
	/* no atom: an error, unless it may have been before the trace */
	expect(&spec, BYTES(SYNC, 0x30), "info nosync5/12");
	expect(&none, BYTES(SYNC, 0xf7, 0x30), "info E nosync5/12");
	expect(&spec, BYTES(ASYNC, 0x01, 0x04, 0x02, 0x30, 0xf7, 0x2d, 0x03), "info E");
	/* committed before it is known to be wrong: it is held as long as nothing follows */
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x03, 0x30, 0xf7, 0x2d, 0x01), "info EEnE");
	expect(&spec, BYTES(SYNC, 0xf7, 0x2d, 0x01, AT(0x10), 0x02, 0x05, 0x30, 0xf7, 0x2d, 0x01), "info n t5 E");
	expect(&spec, BYTES(SYNC, 0xf7, 0x2d, 0x01, 0x04, 0xf7, 0x2d, 0x01), "info E on0 E");
	/* the atoms of the packet itself are more than may be speculative: the oldest is final before the Mispredict applies */
	spec.max_spec = 1;
	expect(&spec, BYTES(SYNC, 0x32), "info E");
	assert_int_equal(stats.uncommitted, 1);
	expect(&spec, BYTES(SYNC, 0xf6, 0x36, 0xf7), "info Nn");
	spec.max_spec = 8;
	/* an exception stands between */
	expect(&spec, BYTES(SYNC, 0xf7, 0x06, 0x1d, AT(0x10), 0x30), "info nosync5/12");
}

/* Elements that were speculative before the trace began. */
static void test_unseen(void **state)
{
	struct cst_config spec = ete_config(1, 8);

	(void)state;
	expect(&spec, BYTES(ASYNC, 0x01, 0x04, 0x03, 0xf7, 0x2d, 0x03, 0xf6, 0x2d, 0x02), "info EN");
	expect(&spec, BYTES(ASYNC, 0x01, 0x04, 0x03, 0xf7, 0x2e, 0x02, 0x2d, 0x02, 0xf6, 0x2d, 0x01), "info N");
	expect(&spec, BYTES(ASYNC, 0x01, 0x04, 0x03, 0x2d, 0x04), "info nosync5/11");
	/* more than the limit allows: some are committed with it */
	expect(&spec, BYTES(ASYNC, 0x01, 0x04, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xf7, 0x2d, 0x08), "info E");
	expect(&spec, BYTES(SYNC, 0xf7, 0x01, 0x04, 0x01, 0x2d, 0x01, 0x2d, 0x01), "info E info nosync5/11");
}

/*
 * A Trace Info states the speculation depth and whether a transaction is open (K10.5.2.6): if packets were damaged, those
 * of the queue differ, and decoding starts anew there.
 */
static void test_info_contradicts(void **state)
{
	struct cst_config spec = ete_config(1, 8), none = ete_config(1, 0), etm = etm_config(4, 0);

	(void)state;
	/* a Commit was lost; more was committed than is; a false Start; an end was lost; a Start was lost */
	expect(&spec, BYTES(SYNC, 0xff, SYNC, 0xf7, 0x2d, 0x01), "info nosync5/32 info E");
	assert_int_equal(stats.uncommitted, 3);
	assert_int_equal(stats.resyncs, 1);
	assert_int_equal(stats.unsynced, 0);
	expect(&spec, BYTES(SYNC, 0xf7, 0x2d, 0x01, 0x01, 0x04, 0x02, 0xf6, 0x2d, 0x03), "info E nosync5/32 info N");
	expect(&none, BYTES(SYNC, 0xff, 0x0a, 0xff, SYNC, 0xf7), "info EEE start nosync5/33 info E");
	assert_int_equal(stats.uncommitted, 3);
	expect(&none, BYTES(SYNC, 0xff, 0x01, 0x01, 0x40, 0xf7, 0x0b, 0xf6), "info EEE nosync5/33 init info E commit N");
	assert_int_equal(stats.uncommitted, 0);
	/* the same state: nothing is lost */
	expect(&none, BYTES(SYNC, 0x0a, 0xf7, 0x01, 0x01, 0x40, 0xf7, 0x0b), "info start E info E commit");
	expect(&spec, BYTES(SYNC, 0x0a, 0xf7, 0x2e, 0x02, 0x01, 0x00, 0xf7, 0x2d, 0x01), "info info E");
	expect(&spec, BYTES(SYNC, 0x0a, 0xf7, 0x2d, 0x02, 0x06, 0x31, 0x70, 0xf7, 0x2e, 0x01, 0x01, 0x00), "info start fail info");
	/* a Cancel of more than was seen leaves the transaction of the first Trace Info open */
	expect(&spec, BYTES(ASYNC, 0x01, 0x05, 0x40, 0x02, 0xf7, 0x2e, 0x02, 0x01, 0x05, 0x40, 0x01, 0xf7, 0x2d, 0x02, 0x0b),
	       "init info info E commit");
	expect(&spec, BYTES(ASYNC, 0x01, 0x05, 0x40, 0x02, 0xf7, 0x2e, 0x02, 0x01, 0x04, 0x01, 0xf7, 0x2d, 0x02),
	       "init info nosync5/33 info E");
	/* ETMv4 has no transactions: the bit is reserved */
	expect(&etm, BYTES(ASYNC, 0x01, 0x01, 0x40, 0xf7, 0x01, 0x00, 0xf7), "info E info E");
}

/* What a transaction held back when the trace broke off is counted; what failed is no loss. */
static void test_held_back(void **state)
{
	struct cst_config none = ete_config(1, 0);

	(void)state;
	expect(&none, BYTES(SYNC, 0x0a, 0xff, 0x06, 0x31, 0x70, 0xf7), "info start fail E");
	assert_int_equal(stats.uncommitted, 0);
	expect(&none, BYTES(SYNC, 0x0a, 0xff, 0x00, 0x05), "info start nosync3/0");
	assert_int_equal(stats.uncommitted, 3);
	expect(&none, BYTES(SYNC, 0x0a, 0xff), "info start");
	assert_int_equal(stats.uncommitted, 3);
	expect(&none, BYTES(SYNC, 0x0a, 0xff, 0x08, 0xf7), "info start nosync5/7");
	assert_int_equal(stats.uncommitted, 3);
	/* a transaction has one Start: what precedes the second was not in it */
	expect(&none, BYTES(SYNC, 0x0a, 0xff, 0x0a, 0xf7, 0x06, 0x31, 0x70), "info start fail");
	assert_int_equal(stats.uncommitted, 3);
}

static void test_exceptions(void **state)
{
	struct cst_config cfg = etm_config(4, 0), ete = ete_config(1, 0), m = etm_config(0, 4);

	(void)state;
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, AT(0x10)), "info exce@10");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, AT(0x10)), "info a10 exce@10");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x82, 4, 0, 0, 0, 0x01), "info ctx1 a10 exce@10");
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0x82, 4, 0, 0, 0, 0x01), "info ctx1 exce@10");
	/* only an Ignore packet may come in between */
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0x70, AT(0x10)), "info exce@10");
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0x02, 0x05, AT(0x10)), "info nosync5/13");
	expect(&ete, BYTES(SYNC, 0x06, 0x01, 0x70), "info exc0@0");
	/* Exception Return is a P0 element of the M profile, whatever the version */
	m.profile = CST_PROFILE_M;
	expect(&m, BYTES(SYNC, 0xf7, 0x07, 0x2d, 0x02), "info E eret");
	m.version = 0x44;
	expect(&m, BYTES(SYNC, 0xf7, 0x07, 0x2d, 0x02), "info E eret");
	m.profile = CST_PROFILE_R;
	expect(&m, BYTES(SYNC, 0xf7, 0x07, 0x2d, 0x02), "info nosync5/11");
	m.profile = CST_PROFILE_M;
	expect(&m, BYTES(SYNC, 0x05, 0x2d, 0x01), "info fret");
}

static void test_discard(void **state)
{
	struct cst_config spec = ete_config(1, 8);

	(void)state;
	expect(&spec, BYTES(SYNC, 0xf7, 0x02, 0x05, AT(0x10), 0x71, 0x00, 0x03, 0xf7), "info t5 ev1 nosync4/0");
	assert_int_equal(stats.discards, 1);
	assert_int_equal(stats.uncommitted, 1);
	assert_int_equal(stats.unsynced, 1);
	/* an Ignore packet before the next synchronisation is no loss */
	expect(&spec, BYTES(SYNC, 0x00, 0x03, 0x70, 0xf7, 0x70), "info nosync4/0");
	assert_int_equal(stats.unsynced, 1);
	expect(&spec, BYTES(SYNC, 0xf7, 0x00, 0x05, SYNC, 0x04, 0xf7, 0x2d, 0x01), "info nosync3/0 info on1 E");
	/* the reason is told once */
	expect(&spec, BYTES(SYNC, 0x00, 0x05, SYNC, 0x04, 0x04, 0xf7, 0x2d, 0x01), "info nosync3/0 info on1 on0 E");
	/* the end: what is not speculative, up to the first P0 element that is */
	expect(&spec, BYTES(SYNC, 0x02, 0x05, AT(0x10), 0x71, 0xf7, 0x02, 0x06), "info t5 ev1");
	expect(&spec, BYTES(SYNC, 0xff, 0x02, 0x05, 0x2d, 0x01), "info E");
	assert_int_equal(stats.uncommitted, 2);
}

static void test_transactions(void **state)
{
	struct cst_config cfg = ete_config(1, 0), spec = ete_config(1, 8);

	(void)state;
	/* held until it is known how it ends */
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x02, 0x05, 0x0b, 0xf6), "info E start EE t5 commit N");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x02, 0x05, 0x06, 0x31, 0x70, 0xf6), "info E start t5 fail N");
	assert_int_equal(stats.trans_failed, 1);
	/* Discard and the end imply that it failed */
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x00, 0x03), "info E start nosync4/0");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb), "info E start");
	assert_int_equal(stats.trans_failed, 1);
	/* what was committed stays when the stream breaks off right behind (K10.5.4.3.1) */
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, 0x00, 0x03), "info E start EE commit nosync4/0");
	assert_int_equal(stats.trans_failed, 0);
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, 0x02, 0x05, AT(0x10), 0x00, 0x03),
	       "info E start EE commit t5 nosync4/0");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, 0x00, 0x05), "info E start EE commit nosync3/0");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, SYNC, 0x00, 0x03), "info E start EE commit info nosync4/0");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, 0x04, 0x00, 0x03), "info E start EE commit nosync4/0");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, 0x08), "info E start EE commit nosync5/7");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x0b, 0x06, 0x1d, 0xf7), "info E start EE commit nosync5/13");
	/* what is speculative is not part of it; its commit is not speculative, nor does a Cancel take it back */
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x2d, 0x03, 0x0b, 0x00, 0x03), "info E start E commit nosync4/0");
	assert_int_equal(stats.uncommitted, 1);
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x2d, 0x03, 0x0b), "info E start E commit");
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x2d, 0x03, 0x0b, 0x2e, 0x01, 0xf6, 0x2d, 0x01),
	       "info E start E commit N");
	assert_int_equal(stats.trans_failed, 0);
	/* nothing of the transaction was committed */
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x2d, 0x01, 0x0b, 0x00, 0x03), "info E nosync4/0");
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x2d, 0x01, 0x0b), "info E");
	/* a PE reset implies that it failed (K10.5.2.13.2), and the next one has an end of its own */
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x06, 0x01, 0x70, 0xf7, 0x0a, 0xf6, 0x0b, 0xf6),
	       "info E start exc0@0 E start N commit N");
	assert_int_equal(stats.trans_failed, 1);
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x06, 0x01, 0x70, 0xf6), "info E start exc0@0 N");
	/* one that is open when the trace begins */
	expect(&cfg, BYTES(ASYNC, 0x01, 0x01, 0x40, 0xdb, 0x06, 0x31, 0x70, 0xf6), "init info fail N");
	/* started on a wrong path only */
	expect(&spec, BYTES(SYNC, 0xf7, 0x0a, 0xf7, 0x2e, 0x02, 0x2d, 0x01, 0xf6, 0x2d, 0x01), "info EN");
	/* shown as it was traced */
	cfg.hold_transactions = 0;
	expect(&cfg, BYTES(SYNC, 0xf7, 0x0a, 0xdb, 0x06, 0x31, 0x70, 0xf6), "info E start EE fail N");
	/* not a P0 element where the trace unit says so */
	spec.trans_p0 = 0;
	expect(&spec, BYTES(SYNC, 0x0a, 0xf7, 0x0b, 0xf7, 0x2d, 0x02), "info start E commit E");
}

/* A transaction that fails was not executed, unless it is longer than the queue: then it counts as committed. */
static void test_long_transaction(void **state)
{
	static const uint8_t begin[] = { SYNC, 0x81, 0x30, AT(0x8000), 0xf7, 0x0a }, end[] = { 0x06, 0x31, 0x70, 0xf7 };
	static const uint32_t self = 0x14000000;	/* b . */
	static const struct {
		unsigned int atoms, ranges, failed;
	} rows[] = { { 1, 2, 1 }, { 252, 2, 1 }, { 253, 255, 0 }, { 400, 402, 0 } };
	struct cst_config cfg = ete_config(1, 0);
	uint8_t bytes[512];
	struct cst_generic out[64];
	struct cst_decoder *dec;
	struct program pr;
	size_t i, n;

	(void)state;
	cfg.hold_transactions = 1;
	cfg.max_queue = 256;
	program_map(&pr, 0x8000, &self, sizeof(self));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = sizeof(begin);
		memcpy(bytes, begin, n);
		memset(bytes + n, 0xf7, rows[i].atoms);
		n += rows[i].atoms;
		memcpy(bytes + n, end, sizeof(end));
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, pr.space);
		assert_int_equal(cst_decoder_feed(dec, bytes, n + sizeof(end), 0), 0);
		cst_decoder_end(dec);
		while (cst_decoder_pull(dec, out, 64, NULL) > 0)
			;
		assert_int_equal(cst_decoder_stats(dec)->ranges, rows[i].ranges);
		assert_int_equal(cst_decoder_stats(dec)->trans_failed, rows[i].failed);
		cst_decoder_free(dec);
	}
	cst_image_free(pr.img);
}

/* The queue never holds more than it may; when it is full, that is said and decoding goes on. */
static void test_limits(void **state)
{
	static const uint32_t limits[] = { 0, 1, 256, 300, 512, 4096, 65536 };
	static uint8_t bytes[40000];
	unsigned int i, n, at, found;

	(void)state;
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct cst_config cfg = ete_config(1, 0xffffffff);
		static const uint8_t sync[] = { SYNC };
		struct cst_generic out[64];
		struct cst_decoder *dec;
		int got, k;

		cfg.max_queue = limits[i];
		for (at = 0; at + 20000 <= sizeof(bytes); at += 20000) {
			memcpy(bytes + at, sync, 14);
			memset(bytes + at + 14, 0xf7, 20000 - 14);
		}
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
		cst_decoder_end(dec);
		n = found = 0;
		while ((got = cst_decoder_pull(dec, out, 64, NULL)) > 0)
			for (k = 0; k < got; k++, n++) {
				found += out[k].kind == CST_GEN_NO_SYNC && out[k].error == CST_ERR_QUEUE_FULL;
				if (out[k].kind == CST_GEN_EO_TRACE)
					found += 100;
			}
		assert_int_equal(found, 102);
		assert_int_equal(cst_decoder_stats(dec)->resyncs, 2);
		/* each atom is counted: dropped, or skipped until the next synchronisation */
		assert_int_equal(cst_decoder_stats(dec)->uncommitted + cst_decoder_stats(dec)->unsynced,
				 sizeof(bytes) - 28 - 2);
		cst_decoder_free(dec);
	}
}

/*
 * Packets of one element and of several, for which there is no room: NO_SYNC, of which the elements before are dropped that
 * may be speculative; the next one follows the next synchronisation.
 */
static void test_full(void **state)
{
	enum { QUEUE = 256, ROOM = 70, TRACE_INFO = 0x01 };
	static const struct {
		uint8_t bytes[24], len;
	} rows[] = {
		{ { 0xf7 }, 1 }, { { 0x80 }, 1 }, { { 0x81, 0x30 }, 2 }, { { 0x82, 1, 2, 3, 4, 0x30 }, 6 },
		{ { 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 0x30 }, 10 }, { { 0x95, 0x01 }, 2 }, { { 0x06, 0x01, 0x95, 0x01 }, 4 },
		{ { 0x06, 0x40, 0x85, 1, 2, 3, 4, 5, 6, 7, 8, 0x30 }, 12 }, { { 0x07 }, 1 }, { { 0xaf }, 1 }, { { 0x71 }, 1 },
		{ { 0x88 }, 1 }, { { 0x02, 0x05 }, 2 }, { { 0x0c, 0x02 }, 2 }, { { 0x21 }, 1 }, { { 0x28 }, 1 }, { { 0x04 }, 1 },
		{ { TRACE_INFO, 0x04 }, 4 }, { { 0x2e, 0x01 }, 2 }, { { 0x30 }, 1 }, { { 0x40 }, 1 }, { { 0x42 }, 1 },
		{ { 0x43 }, 1 }, { { 0x44 }, 1 }, { { 0x48 }, 1 }, { { 0x50, 0x00 }, 2 }, { { 0x6c, 0x02 }, 2 }, { { 0x6d, 0x7f }, 2 },
		{ { 0x6b, 0x11, 0x20 }, 3 },
	};
	static const uint8_t sync[] = { SYNC };
	struct cst_config cfg = etm_config(6, 0xffffffff);
	static const uint8_t again[] = { SYNC, 0xf7, 0x2d, 0x01, 0x71 };
	uint8_t bytes[QUEUE + 128];
	struct cst_generic out[MAX_GEN];
	struct cst_decoder *dec;
	unsigned int i, fill, full = 0;
	int n, k, got;

	(void)state;
	cfg.max_queue = QUEUE;
	cfg.cond_trace = cfg.data_trace = 1;
	cfg.cond_keys = 16;
	cfg.qsupp = 3;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (fill = QUEUE - ROOM; fill <= QUEUE; fill++) {
			const unsigned int at = sizeof(sync) + fill;

			memcpy(bytes, sync, sizeof(sync));
			memset(bytes + sizeof(sync), 0xf7, fill + 80);
			memcpy(bytes + at, rows[i].bytes, rows[i].len);
			if (bytes[at] == TRACE_INFO) {	/* the speculation depth */
				bytes[at + 2] = 0x80 | (fill & 0x7f);
				bytes[at + 3] = (uint8_t)(fill >> 7);
			}
			memcpy(bytes + at + 80, again, sizeof(again));
			assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
			assert_int_equal(cst_decoder_feed(dec, bytes, at + 80 + sizeof(again), 0), 0);
			cst_decoder_end(dec);
			for (n = 0; (got = cst_decoder_pull(dec, out + n, MAX_GEN - (unsigned int)n, NULL)); n += got)
				assert_true(got > 0);
			for (k = 1; k < n && out[k].kind != CST_GEN_NO_SYNC; k++)
				assert_true(out[k].kind >= CST_GEN_TIMESTAMP);
			/* nothing of the atom: no address is known */
			if (k + 3 != n || out[k].error != CST_ERR_QUEUE_FULL || out[k + 1].kind != CST_GEN_EVENT || out[k + 2].kind != CST_GEN_EO_TRACE)
				fail_msg("packet 0x%02x after %u atoms: %d elements, %u after the loss", rows[i].bytes[0], fill, n, out[k + 1].kind);
			full += out[k].index == at;
			cst_decoder_free(dec);
		}
	assert_true(full > sizeof(rows) / sizeof(rows[0]));
}

/* Events without a P0 element before them cannot be cancelled: any number of them fits, also where speculation is allowed. */
static void test_many_events(void **state)
{
	static uint8_t bytes[20000] = { SYNC };
	struct cst_config cfg = ete_config(1, 8);
	struct cst_generic out[64];
	struct cst_decoder *dec;
	unsigned int events = 0, errors = 0;
	int got, k;

	(void)state;
	memset(bytes + 14, 0x71, sizeof(bytes) - 14);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	cst_decoder_end(dec);
	while ((got = cst_decoder_pull(dec, out, 64, NULL)) > 0)
		for (k = 0; k < got; k++) {
			events += out[k].kind == CST_GEN_EVENT;
			errors += out[k].error != 0;
		}
	assert_int_equal(events, sizeof(bytes) - 14);
	assert_int_equal(errors, 0);
	cst_decoder_free(dec);
}

/* An error right when the queue is full drops nothing that would be kept. */
static void test_full_at_error(void **state)
{
	static uint8_t bytes[800] = { SYNC };
	struct cst_config cfg = ete_config(1, 8);
	unsigned int fill, i, events;

	(void)state;
	for (fill = 250; fill < 260; fill++) {
		static struct cst_generic out[800];
		struct cst_decoder *dec;
		int n;

		memset(bytes + 14, 0x71, fill);
		bytes[14 + fill] = 0x30;
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		assert_int_equal(cst_decoder_feed(dec, bytes, 15 + fill, 0), 0);
		n = cst_decoder_pull(dec, out, 800, NULL);
		for (i = 0, events = 0; i < (unsigned int)n; i++)
			events += out[i].kind == CST_GEN_EVENT;
		assert_int_equal(events, fill);
		assert_int_equal(out[n - 1].error, CST_ERR_NO_ATOM);
		cst_decoder_free(dec);
	}
}

/*
 * Keys of conditional instructions and of their results, counted by hand; four ordinary keys. Trace Info and the end
 * of the trace flush.
 */
static void test_conditional(void **state)
{
	struct cst_config cfg = etm_config(2, 0);

	(void)state;
	cfg.profile = CST_PROFILE_M;
	cfg.cond_trace = 1;
	cfg.cond_keys = 4;
	/* instructions: format 1, 2 (three forms), 3 without and with a repetition; a special key counts one step */
	expect(&cfg, BYTES(SYNC, 0x6c, 0x02, 0x40, 0x41, 0x42, 0xf7), "flush info i2 i3 i3 i0 i0 E flush");
	expect(&cfg, BYTES(SYNC, 0x6d, 0x04, 0x6d, 0x07, 0xf7), "flush info i1 i2 i3 i0 i1 i1 E flush");
	expect(&cfg, BYTES(SYNC, 0x6c, 0x03, 0x6c, 0x05, 0x40, 0xf7), "flush info i3 i5 i1 E flush");
	/* results: format 2 goes one key or two on, format 4 one back */
	expect(&cfg, BYTES(SYNC, 0x49, 0x48, 0x4a, 0x4d, 0x44, 0xf7), "flush info r1+ r2- r3? r1+ r0- E flush");
	/* format 3: passed, failed, unknown, no more */
	expect(&cfg, BYTES(SYNC, 0x50, 0xe1, 0x49, 0xf7), "flush info r1+ r2- r3? r0+ E flush");
	expect(&cfg, BYTES(SYNC, 0x54, 0x44, 0xf7), "flush info r1- r2+ r3- r0+ r1- r2+ E flush");
	/* format 1: one result, two; with the instructions that they are about; a key of two bytes is a special one */
	expect(&cfg, BYTES(SYNC, 0x6e, 0x21, 0x49, 0x6f, 0x10, 0x40, 0xf7), "flush info r2+ r3+ i1 r1- i2 E flush");
	expect(&cfg, BYTES(SYNC, 0x68, 0x11, 0x20, 0xf7), "flush info r1+ r2- E flush");
	expect(&cfg, BYTES(SYNC, 0x69, 0x11, 0x20, 0xf7), "flush info i1 r1+ r2- E flush");
	expect(&cfg, BYTES(SYNC, 0x6a, 0x11, 0x20, 0xf7), "flush info r1+ i2 r2- E flush");
	expect(&cfg, BYTES(SYNC, 0x6b, 0x11, 0x20, 0x49, 0x40, 0xf7), "flush info i1 r1+ i2 r2- r3+ i3 E flush");
	expect(&cfg, BYTES(SYNC, 0x6e, 0x91, 0x01, 0x49, 0xf7), "flush info r9+ r2+ E flush");
	/* flush: results go on with the instructions */
	expect(&cfg, BYTES(SYNC, 0x6c, 0x02, 0x43, 0x49, 0xf7), "flush info i2 flush r3+ E flush");
	/* so does Trace On */
	expect(&cfg, BYTES(SYNC, 0x6c, 0x02, 0x04, 0x49, 0xf7), "flush info i2 flush on0 r3+ E flush");
	/* Trace Info begins with key 0 again */
	expect(&cfg, BYTES(SYNC, 0x6c, 0x02, 0x6e, 0x21, 0x01, 0x00, 0x40, 0x49, 0xf7), "flush info i2 r2+ flush info i1 r1+ E flush");
	/* without their number keys tell nothing */
	cfg.cond_keys = 0;
	expect(&cfg, BYTES(SYNC, 0x6c, 0x02, 0x40, 0x49, 0xf7), "flush info E flush");

	/* flags: format 2 has three combinations, format 3 three more, of four bits; format 1 any */
	cfg.cond_keys = 4;
	cfg.cond_flags = 1;
	expect(&cfg, BYTES(SYNC, 0x48, 0x49, 0x4a, 0xf7), "flush info r1:2 r2:8 r3:6 E flush");
	expect(&cfg, BYTES(SYNC, 0x5b, 0x73, 0xf7), "flush info r1:a r2:0 r3:4 E flush");
	expect(&cfg, BYTES(SYNC, 0x50, 0xf0, 0x5f, 0xf3, 0xf7), "flush info r1:2 r2:2 r3:a E flush");
	expect(&cfg, BYTES(SYNC, 0x6e, 0x15, 0x6e, 0x2a, 0xf7), "flush info r1:5 r2:a E flush");
	expect(&cfg, BYTES(SYNC, 0x68, 0x15, 0x2a, 0xf7), "flush info r1:5 r2:a E flush");
	expect(&cfg, BYTES(SYNC, 0x6b, 0x1a, 0x25, 0xf7), "flush info i1 r1:a i2 r2:5 E flush");
}

/* The state behind these packets, with all that is resolved taken out. */
static void state_after(struct etmv4_queue *q, const struct cst_config *cfg, const uint8_t *p, size_t len)
{
	struct etmv4_parser ps;
	struct cst_packet pkt;
	size_t at = 0;

	cst_etmv4_parser_init(&ps, cfg, NULL);
	assert_int_equal(cst_etmv4_queue_init(q, cfg, &stats, NULL), 0);
	while (at < len) {
		memset(&pkt, 0, sizeof(pkt));
		pkt.size = cst_etmv4_parse(&ps, p + at, p + len, &pkt);
		assert_true(pkt.size > 0);
		pkt.index = at;
		at += pkt.size;
		cst_etmv4_queue_packet(q, &pkt);
		while (cst_etmv4_queue_take(q))
			;
	}
}

#define BEGIN SYNC, 0x81, 0x30, AT(0x8000)
#define PAIR(same, ...) { same, { BEGIN, __VA_ARGS__ }, sizeof((const uint8_t[]){ BEGIN, __VA_ARGS__ }) }

/*
 * An index asks whether a decoder that began later goes on as one from the beginning does (protocol_int.h, stage_digest).
 * The first of each group is compared with the others: what is not resolved matters, what was taken does not.
 */
static void test_same(void **state)
{
	static const struct {
		int same;	/* 2: the first of a group */
		uint8_t p[64];
		size_t len;
	} cases[] = {
		/* an atom that is not committed */
		PAIR(2, 0xf7, 0x71), PAIR(1, 0xf7, 0x71), PAIR(0, 0xf6, 0x71), PAIR(0, 0xf7, 0xf7), PAIR(0, 0x71, 0xf7),
		/* committed, and too old for a Mispredict: gone, whatever it was */
		PAIR(2, 0xf7, 0xf7, 0x2d, 0x02), PAIR(1, 0xf6, 0xf7, 0x2d, 0x02), PAIR(0, 0xf7, 0xf7, 0x71, 0x71),
		/* addresses, contexts and times behind it */
		PAIR(2, 0xf7, AT(0x9000)), PAIR(1, 0xf7, AT(0x9000)), PAIR(0, 0xf7, AT(0x9004)),
		PAIR(0, 0xf7, 0x9b, 0x00, 0x48, 0x00, 0x00),
		PAIR(2, 0xf7, 0x81, 0x31), PAIR(1, 0xf7, 0x81, 0x31), PAIR(0, 0xf7, 0x81, 0x30), PAIR(0, 0xf7, 0x81, 0x11),
		PAIR(0, 0xf7, 0x81, 0x21),
		PAIR(2, 0xf7, 0x02, 0x05), PAIR(1, 0xf7, 0x02, 0x05), PAIR(0, 0xf7, 0x02, 0x06),
		/* an exception that waits for its address, and which one */
		PAIR(2, 0x06, 0x1d), PAIR(1, 0x06, 0x1d), PAIR(0, 0x06, 0x1b), PAIR(0, 0x71, 0x71),
		/* an exception that has it */
		PAIR(2, 0x06, 0x1d, AT(0x9000)), PAIR(1, 0x06, 0x1d, AT(0x9000)), PAIR(0, 0x06, 0x1d, AT(0x9004)),
		PAIR(0, 0x06, 0x1b, AT(0x9000)),
		/* an overflow before Trace On, not told yet */
		PAIR(2, 0x05, 0x71), PAIR(1, 0x05, 0x71), PAIR(0, 0x71, 0x71),
	};
	const struct cst_config cfg = etm_config(4, 6);
	struct etmv4_queue first, q;
	size_t i, of = 0;

	(void)state;
	memset(&first, 0, sizeof(first));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].same == 2) {
			cst_etmv4_queue_free(&first);
			state_after(&first, &cfg, cases[i].p, cases[i].len);
			of = i;
			continue;
		}
		assert_int_equal(cases[i].len, cases[of].len);
		state_after(&q, &cfg, cases[i].p, cases[i].len);
		if ((cst_etmv4_queue_digest(&first, 0) == cst_etmv4_queue_digest(&q, 0)) != cases[i].same)
			fail_msg("case %zu, compared with %zu", i, of);
		cst_etmv4_queue_free(&q);
	}
	cst_etmv4_queue_free(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_conditional),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_cycle_counts),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_mispredict),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_info_contradicts),
		cmocka_unit_test(test_held_back),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_discard),
		cmocka_unit_test(test_transactions),
		cmocka_unit_test(test_long_transaction),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_full_at_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
