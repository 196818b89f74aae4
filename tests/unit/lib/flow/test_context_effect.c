/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_context_effect.c - from which instruction on a change of context holds: the executions of Arm ARM
 * K10.5.8.2, tables K10-11 to K10-13. A write to CONTEXTIDR_EL1 takes effect at the ISB after it; an
 * interrupt comes after one more instruction, right after the ISB, or right before it.
 */
#include "unit/lib_decode.h"

#define OLD 0xaa
#define NEW 0xbb
#define HANDLER 0xcc

/* 0x1000: b 0x2000; 0x2000: msr contextidr_el1, x0; add; isb; sub; 0x3000: b 0x4000 */
static const uint32_t first[] = { 0x14000400 };
static const uint32_t middle[] = { 0xd518d020, 0x8b000000, 0xd5033fdf, 0xcb000000 };
static const uint32_t handler[] = { 0x14000400 };

#define CONTEXT(id) 0x81, 0xb1, (id), 0, 0, 0
#define ADDRESS(a) 0x9d, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, 0, 0, 0, 0, 0
#define IRQ(a) 0x06, 0x1d, ADDRESS(a)
#define E 0xf7
#define Q(n) 0xac, (n)
#define TRACE_ON 0x04
#define BEGIN SYNC, TRACE_ON, CONTEXT(OLD), ADDRESS(0x1000), E
#define END CONTEXT(HANDLER), ADDRESS(0x3000), E

struct want {
	uint8_t kind;		/* enum cst_generic_kind; 0: the end of the list */
	uint8_t id;		/* context ID it ran in */
	uint32_t start, end;	/* of a range; return address of an exception */
};

struct table {
	const char *name;
	uint8_t bytes[80];
	size_t len;
	unsigned int nr_p0;	/* elements to be committed */
	struct want want[10];
};

#define TABLE(...) { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

static const struct table tables[] = {
	{ "K10-11", TABLE(BEGIN, E, CONTEXT(NEW), IRQ(0x2010), END), 4, {
		{ CST_GEN_RANGE, OLD, 0x1000, 0x1004 },
		{ CST_GEN_RANGE, OLD, 0x2000, 0x200c },
		{ CST_GEN_PE_CONTEXT, NEW, 0, 0 },
		{ CST_GEN_RANGE, NEW, 0x200c, 0x2010 },
		{ CST_GEN_EXCEPTION, NEW, 0, 0x2010 },
		{ CST_GEN_PE_CONTEXT, HANDLER, 0, 0 },
		{ CST_GEN_RANGE, HANDLER, 0x3000, 0x3004 },
	} },
	{ "K10-12", TABLE(BEGIN, E, CONTEXT(NEW), IRQ(0x200c), END), 4, {
		{ CST_GEN_RANGE, OLD, 0x1000, 0x1004 },
		{ CST_GEN_RANGE, OLD, 0x2000, 0x200c },
		{ CST_GEN_PE_CONTEXT, NEW, 0, 0 },
		{ CST_GEN_EXCEPTION, NEW, 0, 0x200c },
		{ CST_GEN_PE_CONTEXT, HANDLER, 0, 0 },
		{ CST_GEN_RANGE, HANDLER, 0x3000, 0x3004 },
	} },
	{ "K10-13", TABLE(BEGIN, IRQ(0x2008), END), 3, {
		{ CST_GEN_RANGE, OLD, 0x1000, 0x1004 },
		{ CST_GEN_RANGE, OLD, 0x2000, 0x2008 },
		{ CST_GEN_EXCEPTION, OLD, 0, 0x2008 },
		{ CST_GEN_PE_CONTEXT, HANDLER, 0, 0 },
		{ CST_GEN_RANGE, HANDLER, 0x3000, 0x3004 },
	} },
	/* the same with the ISB in a Q element: the Context element before its address is that of the address */
	{ "Q, K10-11", TABLE(BEGIN, Q(3), CONTEXT(NEW), ADDRESS(0x200c), IRQ(0x2010), END), 4, {
		{ CST_GEN_RANGE, OLD, 0x1000, 0x1004 },
		{ CST_GEN_RANGE, OLD, 0x2000, 0x200c },
		{ CST_GEN_PE_CONTEXT, NEW, 0, 0 },
		{ CST_GEN_RANGE, NEW, 0x200c, 0x2010 },
		{ CST_GEN_EXCEPTION, NEW, 0, 0x2010 },
		{ CST_GEN_PE_CONTEXT, HANDLER, 0, 0 },
		{ CST_GEN_RANGE, HANDLER, 0x3000, 0x3004 },
	} },
	{ "Q, K10-12", TABLE(BEGIN, Q(3), CONTEXT(NEW), IRQ(0x200c), END), 4, {
		{ CST_GEN_RANGE, OLD, 0x1000, 0x1004 },
		{ CST_GEN_RANGE, OLD, 0x2000, 0x200c },
		{ CST_GEN_PE_CONTEXT, NEW, 0, 0 },
		{ CST_GEN_EXCEPTION, NEW, 0, 0x200c },
		{ CST_GEN_PE_CONTEXT, HANDLER, 0, 0 },
		{ CST_GEN_RANGE, HANDLER, 0x3000, 0x3004 },
	} },
};

/* The same code in an address space for each context: a range tells from which one it was read. */
struct world {
	struct cst_image *img;
	struct cst_space *space[256];
	uint32_t section[256];	/* of the code in the middle */
	uint32_t outer[256][2];	/* of the first block and the handler */
};

static void add_space(struct world *w, uint8_t id)
{
	struct cst_section *sec[3];

	assert_int_equal(cst_section_new(&sec[0], w->img, first, sizeof(first), NULL), 0);
	assert_int_equal(cst_section_new(&sec[1], w->img, middle, sizeof(middle), NULL), 0);
	assert_int_equal(cst_section_new(&sec[2], w->img, handler, sizeof(handler), NULL), 0);
	assert_int_equal(cst_space_new(&w->space[id], w->img), 0);
	assert_int_equal(cst_space_map(w->space[id], 0x1000, sizeof(first), sec[0], 0), 0);
	assert_int_equal(cst_space_map(w->space[id], 0x2000, sizeof(middle), sec[1], 0), 0);
	assert_int_equal(cst_space_map(w->space[id], 0x3000, sizeof(handler), sec[2], 0), 0);
	w->section[id] = cst_section_id(sec[1]);
	w->outer[id][0] = cst_section_id(sec[0]);
	w->outer[id][1] = cst_section_id(sec[2]);
}

static void check(const struct world *w, const struct want *want, const struct cst_generic *g)
{
	assert_int_equal(g->kind, want->kind);
	assert_int_equal(g->context_id, want->id);
	if (g->kind == CST_GEN_EXCEPTION)
		assert_int_equal(g->end, want->end);
	if (g->kind != CST_GEN_RANGE)
		return;
	assert_int_equal(g->addr, want->start);
	assert_int_equal(g->end, want->end);
	if (g->addr >= 0x2000 && g->addr < 0x3000)
		assert_int_equal(g->section, w->section[want->id]);
	else
		assert_int_equal(g->section, w->outer[want->id][g->addr >= 0x3000]);
}

/* `commit` bytes at the end make speculative elements final. */
static void run(const struct table *t, const struct cst_config *cfg, size_t piece, const uint8_t *commit,
		size_t commit_len)
{
	const struct want *want = t->want;
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct world w = { .img = NULL };
	uint8_t bytes[96];
	size_t len = t->len + commit_len, pos = 0, size;
	struct cst_pull p;
	int n, i;

	memcpy(bytes, t->bytes, t->len);
	if (commit_len)
		memcpy(bytes + t->len, commit, commit_len);
	assert_int_equal(cst_image_new(&w.img, 0), 0);
	add_space(&w, OLD);
	add_space(&w, NEW);
	add_space(&w, HANDLER);
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	for (;;) {
		n = cst_decoder_pull(dec, out, 16, &p);
		assert_true(n >= 0);
		for (i = 0; i < n; i++) {
			if (out[i].kind == CST_GEN_NO_SYNC || out[i].kind == CST_GEN_TRACE_ON ||
			    out[i].kind == CST_GEN_EO_TRACE)
				continue;
			if (out[i].kind == CST_GEN_PE_CONTEXT && out[i].context_id == OLD)
				continue;
			check(&w, want++, &out[i]);
		}
		if (p.why == CST_STOP_CONTEXT) {
			assert_int_equal(out[n - 1].el, 1);
			cst_decoder_set_space(dec, w.space[out[n - 1].context_id & 0xff]);
			continue;
		}
		if (n)
			continue;
		if (pos > len)
			break;
		if (pos == len) {
			cst_decoder_end(dec);
			pos++;
			continue;
		}
		size = piece < len - pos ? piece : len - pos;
		assert_int_equal(cst_decoder_feed(dec, bytes + pos, size, pos), 0);
		pos += size;
	}
	assert_int_equal(want->kind, 0);
	assert_int_equal(cst_decoder_stats(dec)->nacc, 0);
	assert_int_equal(cst_decoder_stats(dec)->atoms_lost, 0);
	assert_int_equal(cst_decoder_stats(dec)->image_conflicts, 0);
	cst_decoder_free(dec);
	cst_image_free(w.img);
}

static void run_all(struct cst_config *cfg, int speculative)
{
	size_t i, piece;

	cfg->qsupp = 3;
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (piece = 1; piece < 100; piece += 7) {
			const uint8_t commit[] = { 0x2d, tables[i].nr_p0 };

			print_message("%s in pieces of %zu\n", tables[i].name, piece);
			run(&tables[i], cfg, piece, commit, speculative ? 2 : 0);
		}
}

static void test_etmv4(void **state)
{
	struct cst_config cfg = etm_config(2, 0);

	(void)state;
	run_all(&cfg, 0);
}

static void test_ete(void **state)
{
	struct cst_config cfg = ete_config(0, 0);

	(void)state;
	run_all(&cfg, 0);
}

/* Nothing is final until a commit at the end: each context still holds for what came after it only. */
static void test_speculation(void **state)
{
	struct cst_config etm = etm_config(2, 16), ete = ete_config(0, 16);

	(void)state;
	run_all(&etm, 1);
	run_all(&ete, 1);
}

/* A context that is cancelled together with what ran in it never takes effect. */
static void test_cancelled_context(void **state)
{
	static const uint8_t bytes[] = {
		BEGIN, 0x2d, 1,			/* the branch is committed */
		E, CONTEXT(NEW), 0x2e, 1,	/* the ISB was not executed: the interrupt came first */
		IRQ(0x2008), END, 0x2d, 2,
	};
	struct cst_config cfg = etm_config(2, 16);
	struct cst_generic out[32];
	struct cst_decoder *dec;
	struct world w = { .img = NULL };
	int n, i, seen = 0;

	(void)state;
	assert_int_equal(cst_image_new(&w.img, 0), 0);
	add_space(&w, OLD);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, w.space[OLD]);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	while ((n = cst_decoder_pull(dec, out, 32, NULL)))
		for (i = 0; i < n; i++) {
			assert_int_not_equal(out[i].context_id, NEW);
			if (out[i].kind == CST_GEN_EXCEPTION)
				assert_int_equal(out[i].context_id, OLD);
			if (out[i].kind == CST_GEN_RANGE && out[i].addr == 0x2000) {
				assert_int_equal(out[i].context_id, OLD);
				assert_int_equal(out[i].end, 0x2008);
				seen++;
			}
		}
	assert_int_equal(seen, 1);
	cst_decoder_free(dec);
	cst_image_free(w.img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_etmv4),
		cmocka_unit_test(test_ete),
		cmocka_unit_test(test_speculation),
		cmocka_unit_test(test_cancelled_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
