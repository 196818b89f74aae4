/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples by period and their branch stacks: sizes of T32, cycles, gaps, times at the end and
 * going back, errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "outputs/synth/sampler.h"
#include "session/decode/stream.h"
#include "unit/perf-plugin/synth_elements.h"

static uint8_t code[64];	/* at 0x100 */

static size_t read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	(void)s;
	if (addr < 0x100 || addr - 0x100 + len > sizeof(code))
		return 0;
	memcpy(buf, code + (addr - 0x100), len);
	return len;
}

#define MAX_TIMES 8

/* What came out, as text. */
struct result {
	char text[4096];
	size_t used;
	uint64_t period_sum;
	uint64_t times[MAX_TIMES];	/* of the first instructions */
	unsigned int nr_times;
};

static void put(struct result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->used += (size_t)vsnprintf(r->text + r->used, sizeof(r->text) - r->used, fmt, ap);
	va_end(ap);
	assert_true(r->used < sizeof(r->text));
}

static int on_branch(void *data, const struct stream *s, const struct branch *b)
{
	const char *kind = b->kind == BRANCH_SYSRET ? "s" : b->kind == BRANCH_ERET ? "e" : "";

	(void)s;
	put(data, b->cycles ? "b%llx>%llx%s+%u " : "b%llx>%llx%s ", (unsigned long long)b->from, (unsigned long long)b->to, kind,
	    b->cycles);
	return 0;
}

/* The same text as on_branch() for each branch. */
static int on_taken(void *data, const struct stream *s, const struct cst_branch *b, size_t n)
{
	(void)s;
	assert_true(n);
	for (; n; n--, b++)
		put(data, "b%llx>%llx ", (unsigned long long)b->from, (unsigned long long)b->to);
	return 0;
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	struct result *r = data;
	struct ring_entry e[1024];
	uint32_t n, k;

	(void)s;
	put(r, "i%llx/%llu", (unsigned long long)i->ip, (unsigned long long)i->period);
	if (r->nr_times < MAX_TIMES)
		r->times[r->nr_times++] = i->time;
	r->period_sum += i->period;
	if (i->stack) {
		n = ring_copy(i->stack, e);
		put(r, "[");
		for (k = 0; k < n; k++)
			put(r, ring_cycles_of(&e[k]) ? "%llx>%llx+%u," : "%llx>%llx,", (unsigned long long)e[k].from,
			    (unsigned long long)e[k].to, ring_cycles_of(&e[k]));
		put(r, "]");
	}
	for (k = 0; k < i->nr_chain; k++)
		put(r, "%c%llx", k ? '<' : '(', (unsigned long long)i->chain[k]);
	put(r, "%s ", i->nr_chain ? ")" : "");
	return 0;
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	(void)s;
	put(data, "e%d@%llx:%s; ", e->code, (unsigned long long)e->ip, e->text);
	return 0;
}

struct batch {
	const struct cst_generic *g;
	size_t n;
	int tid;
	uint64_t time;
};

/* How fast time goes in a batch: the time of its last element, and the instructions until then. */
struct pace {
	uint64_t end;
	uint32_t n_insn;
};

/* `branches`: a list for CST_GEN_LISTED */
static struct result run_with(struct sample_ops ops, const char *itrace, bool tiles, const struct batch *v,
			      const struct pace *pace, size_t n, const struct cst_branch *branches)
{
	struct result r = { .used = 0 };
	const struct cst_config cfg = { .protocol = CST_PROTO_ETMV4 };
	void *word = NULL;
	struct stream s = { .cpu = 0, .time_known = true, .config = &cfg, .priv = &word, .branches = branches };
	struct itrace_opts o;
	struct sampler *sp;
	char msg[400];
	size_t i;

	ops.data = &r;
	assert_true(itrace_parse(&o, itrace, msg, sizeof(msg)));
	o.tiles = tiles;
	sp = sampler_new(&o, &ops, read_code);
	assert_non_null(sp);
	for (i = 0; i < n; i++) {
		s.pid = s.tid = s.host.pid = s.host.tid = v[i].tid;
		s.time = v[i].time;
		s.time_end = pace ? pace[i].end : 0;
		s.n_insn = pace ? pace[i].n_insn : 0;
		stream_set_stretch(&s);
		assert_int_equal(sampler_batch(sp, &s, v[i].g, v[i].n), 0);
	}
	assert_int_equal(sampler_fragment_end(sp, &s), 0);
	sampler_stream_end(sp, &s);
	assert_null(word);
	sampler_free(sp);
	return r;
}

#define RUN_ELEMENTS 1000

/*
 * Makes elements in `to` of a batch, with runs instead of up to `most` consecutive ranges behind a
 * range, as CST_EMIT_BRANCHES has them, and adds their branches to list[*n_list]. Returns the
 * number of elements.
 */
static size_t make_runs(const struct batch *b, unsigned int most, struct cst_generic *to, struct cst_branch *list, uint32_t *n_list)
{
	const struct cst_generic *g = b->g, *end = g + b->n, *begin = to;
	unsigned int n;

	while (g < end) {
		*to++ = *g++;
		/* an exception return ends a run */
		if (to[-1].kind != CST_GEN_RANGE || to[-1].last_subtype == CST_INSN_ERET || g == end || g->kind != CST_GEN_RANGE)
			continue;
		*to = *g;
		to->kind = CST_GEN_LISTED;
		to->first = *n_list;
		for (n = 1; n < most && g->last_subtype != CST_INSN_ERET && g + 1 < end && g[1].kind == CST_GEN_RANGE; n++, g++)
			if (branch_taken(g))
				list[(*n_list)++] = (struct cst_branch){ .from = g->end - g->last_size, .to = g[1].addr };
		to->end = g->end;
		to->flags = g->flags;
		to->last_type = g->last_type;
		to->last_subtype = g->last_subtype;
		to->last_size = g->last_size;
		to->branches = *n_list - to->first;
		to++;
		g++;
	}
	return (size_t)(to - begin);
}

/* Batches in which runs stand for ranges. */
static struct result run_runs(struct sample_ops ops, const char *itrace, const struct batch *v, const struct pace *pace, size_t n,
			      unsigned int most)
{
	static struct cst_generic g[RUN_ELEMENTS];
	static struct cst_branch list[RUN_ELEMENTS];
	struct batch of_runs[16];
	uint32_t n_list = 0;
	size_t i, used = 0;

	assert_true(n <= 16);
	for (i = 0; i < n; i++) {
		assert_true(used + v[i].n <= RUN_ELEMENTS);
		of_runs[i] = v[i];
		of_runs[i].g = g + used;
		of_runs[i].n = make_runs(&v[i], most, g + used, list, &n_list);
		used += of_runs[i].n;
	}
	return run_with(ops, itrace, false, of_runs, pace, n, list);
}

/* `pace`: one for each batch; NULL: only the times of their beginnings are known. */
static struct result run_paced(const char *itrace, bool tiles, const struct batch *v, const struct pace *pace, size_t n)
{
	struct sample_ops ops = { .branch = on_branch, .insn = on_insn, .error = on_error };
	struct result each = run_with(ops, itrace, tiles, v, pace, n, NULL), r;

	/* branches between ranges may be passed together */
	ops.taken = on_taken;
	r = run_with(ops, itrace, tiles, v, pace, n, NULL);
	assert_string_equal(r.text, each.text);
	if (!strcmp(itrace, "b") && !tiles) {
		r = run_runs(ops, itrace, v, pace, n, RUN_ELEMENTS);
		assert_string_equal(r.text, each.text);
	}
	return r;
}

static struct result run_batches(const char *itrace, bool tiles, const struct batch *v, size_t n)
{
	return run_paced(itrace, tiles, v, NULL, n);
}

#define RUN(itrace, tiles, ...) ({							\
	const struct cst_generic els[] = { __VA_ARGS__ };				\
	struct batch one = { els, sizeof(els) / sizeof(els[0]), 1, 0 };			\
	run_batches(itrace, tiles, &one, 1);						\
})

static void t32_sizes(void **state)
{
	/* 16, 32, 16 bits */
	static const uint8_t insns[] = { 0x00, 0xbf, 0xaf, 0xf3, 0x00, 0x80, 0x00, 0xbf };
	struct cst_generic g = EL_CUT(0x100, 2);
	struct result r;

	(void)state;
	memcpy(code, insns, sizeof(insns));
	g.isa = CST_ISA_T32;
	g.n_insn = 3;
	r = RUN("i1i", false, g);
	assert_string_equal(r.text, "i100/1 i102/1 i106/1 ");
	/* code that cannot be read: the samples are where it begins */
	g.addr = 0x13e;
	memcpy(code + 0x3e, insns, 2);
	r = RUN("i1i", false, g);
	assert_string_equal(r.text, "i13e/1 i140/1 i140/1 ");
}

/*
 * An entry has the cycles since the branch before it, as many as its 16 bits hold. They are not known for the first branch, and
 * those of a branch that is left out are not those of the next one.
 */
static void cycles(void **state)
{
	struct result r;

	(void)state;
	r = RUN("i8il8", false, el_cycles(5), EL_B(0x1000, 1), EL_B(0x2000, 1), el_cycles(7), EL_BCC_N(0x3000, 2), el_cycles(2),
		EL_B(0x3008, 1), el_cycles(70000), EL_B(0x4000, 1), EL_B(0x5000, 2));
	assert_string_equal(r.text, "i5004/8[4000>5000,3008>4000+65535,2000>3000+7,1000>2000,] ");
	r = RUN("i8il2", false, el_cycles(5), EL_B(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3000, 2), el_cycles(2), EL_B(0x3008, 1),
		EL_B(0x4000, 1), EL_B(0x5000, 2));
	assert_string_equal(r.text, "i5004/8[4000>5000,3008>4000,] ");
	r = RUN("il2", true, el_cycles(5), EL_B(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3000, 2), el_cycles(2), EL_B(0x3008, 1),
		EL_B(0x4000, 1), EL_B(0x5000, 2));
	assert_string_equal(r.text, "i3000/2[2000>3000,1000>2000,] i4000/3[3008>4000,3004>3008+2,] ");
	r = RUN("i8il8b", false, el_cycles(5), EL_B(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3000, 2), el_cycles(2), EL_B(0x3008, 1),
		EL_B(0x4000, 1), EL_B(0x5000, 2));
	assert_string_equal(r.text, "b0>1000 b1000>2000 b2000>3000 b3004>3008+2 b3008>4000 b4000>5000 i5004/8[4000>5000,3008>4000,"
			    "3004>3008+2,2000>3000,1000>2000,] ");
}

static void tiles(void **state)
{
	struct cst_generic g[100];
	struct result r, both;
	struct batch one = { g, 100, 1, 0 };
	const char *p;
	unsigned int i, n = 0;

	(void)state;
	for (i = 0; i < 100; i++)
		g[i] = EL_B(0x1000 + 0x100 * i, 2);
	g[99] = el_plain(CST_GEN_EO_TRACE);
	r = run_batches("il7", true, &one, 1);
	/* 98 branches between 99 ranges, each in exactly one stack */
	for (p = r.text; (p = strchr(p, '>')); p++)
		n++;
	assert_int_equal(n, 98);
	assert_int_equal(r.period_sum, 98 / 7 * 7 * 2);
	assert_non_null(strstr(r.text, "i1700/14[1604>1700,1504>1600,1404>1500,1304>1400,1204>1300,1104>1200,"
			       "1004>1100,] "));
	/* the same beside samples of branches: the first range begins with one, from nowhere */
	both = run_batches("bil7", true, &one, 1);
	for (p = both.text, n = i = 0; *p; p += strcspn(p, " ") + 1)
		if (*p == 'b') {
			n++;
		} else {
			assert_memory_equal(p, r.text + i, strcspn(p, " "));
			i += strcspn(p, " ") + 1;
		}
	assert_int_equal(n, 99);
	assert_int_equal(i, r.used);
	/* branches of samples that are left out are not in the last one, which has room for them */
	g[18] = el_plain(CST_GEN_EO_TRACE);
	one.n = 19;
	r = run_batches("il7s2", true, &one, 1);
	assert_string_equal(r.text, "i2104/8[2004>2100,1f04>2000,1e04>1f00,] ");
}

/* Time that goes by in a gap has no samples: the first sample behind it is the rest of the period behind its end. */
static void period_across_a_gap(void **state)
{
	/* a batch ends with the Trace On behind it */
	const struct cst_generic first[] = { EL_B(0x1000, 100), { .kind = CST_GEN_TRACE_ON } }, second = EL_B(0x1000, 100);
	const struct batch v[] = { { first, 2, 1, 5000 }, { &second, 1, 1, 16000 } };
	const struct batch whole[] = { { &second, 1, 1, 5000 }, { &second, 1, 1, 16000 } };
	static const struct pace pace[] = { { 6000, 100 }, { 17000, 100 } };
	const struct cst_generic ticks[] = {
		{ .kind = CST_GEN_TIMESTAMP, .addr = 1000 }, EL_B(0x1000, 50), { .kind = CST_GEN_TIMESTAMP, .addr = 1500 },
		EL_B(0x2000, 50), { .kind = CST_GEN_TRACE_ON }, { .kind = CST_GEN_TIMESTAMP, .addr = 9000 }, EL_B(0x3000, 100),
	};
	const struct batch one = { ticks, sizeof(ticks) / sizeof(ticks[0]), 1, 0 };
	struct result r;

	(void)state;
	r = run_paced("i700ns", false, v, pace, 2);
	assert_string_equal(r.text, "i1114/70 i109c/70 ");
	r = run_paced("i700nsl4", false, v, pace, 2);
	assert_string_equal(r.text, "i1114/70[] i109c/70[] ");
	/* the same times without a gap: the sample is overdue */
	r = run_paced("i700ns", false, whole, pace, 2);
	assert_string_equal(r.text, "i1114/70 i1000/31 i1114/69 ");
	r = run_paced("i700nsl4", false, whole, pace, 2);
	assert_string_equal(r.text, "i1114/70[] i1000/31[118c>1000,] i1114/69[118c>1000,] ");
	/* ten ticks for each instruction: 300 ticks are left at the end of the first stretch */
	r = run_batches("i1300t", false, &one, 1);
	assert_string_equal(r.text, "i3074/130 ");
}

/* Instructions behind the last element that has a time, as the stream counts them, are at the end of the batch. */
static void behind_the_last_time(void **state)
{
	static const uint64_t want[] = { 5400, 5800, 6000, 6000, 6000 };
	struct cst_generic g = EL_B(0x1000, 200);
	const struct batch v = { &g, 1, 1, 5000 };
	const struct pace pace = { 6000, 100 };
	struct result r;
	size_t i;

	(void)state;
	r = run_paced("i40i", false, &v, &pace, 1);
	assert_int_equal(r.nr_times, 5);
	for (i = 0; i < 5; i++)
		assert_int_equal(r.times[i], want[i]);
}

/* Batches whose time goes back: the samples of a stream keep the latest time. */
static void time_goes_back(void **state)
{
	static const uint64_t want[] = { 5000, 5000, 9000, 9000, 9000, 9000, 9500, 9500 };
	struct cst_generic g = EL_B(0x1000, 100);
	const struct batch v[] = { { &g, 1, 1, 5000 }, { &g, 1, 1, 9000 }, { &g, 1, 1, 7000 }, { &g, 1, 1, 9500 } };
	struct result r;
	unsigned int i;

	(void)state;
	r = run_batches("i50i", false, v, 4);
	assert_int_equal(r.nr_times, 8);
	for (i = 0; i < 8; i++)
		assert_int_equal(r.times[i], want[i]);
}

static void errors(void **state)
{
	const struct cst_generic g[] = {
		el_no_sync(CST_UNSYNC_INIT, 0), EL_B(0x1000, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0),
		el_no_sync(CST_UNSYNC_DISCARD, 0),
		{ .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_PACKET, .error = CST_ERR_UNSUP },
		el_no_sync(CST_UNSYNC_BAD_IMAGE, 0), { .kind = CST_GEN_NACC, .addr = 0x9000 }, el_no_sync(CST_UNSYNC_RESET, 0),
		el_plain(CST_GEN_TRACE_ON), el_plain(CST_GEN_ADDR_UNKNOWN), el_plain(CST_GEN_EO_TRACE),
	};
	const struct batch one = { g, sizeof(g) / sizeof(g[0]), 1, 0 };
	struct result r;

	(void)state;
	r = run_batches("e", false, &one, 1);
	assert_string_equal(r.text, "e1@1000:Trace unit overflow; e2@1000:Trace data lost; e3@1000:configuration is not supported; "
			    "e4@1000:trace contradicts the program image; e5@9000:No program image for this address; ");
	r = run_batches("e-o-l", false, &one, 1);
	assert_string_equal(r.text, "e3@1000:configuration is not supported; e4@1000:trace contradicts the program image; "
			    "e5@9000:No program image for this address; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t32_sizes), cmocka_unit_test(cycles), cmocka_unit_test(tiles),
		cmocka_unit_test(period_across_a_gap), cmocka_unit_test(behind_the_last_time),
		cmocka_unit_test(time_goes_back), cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests_name("synth sampler", tests, NULL, NULL);
}
