/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by period, branch stacks, filters, call chains. */
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

/* `branches`: a list for CST_GEN_RUN */
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
		s.pid = s.tid = v[i].tid;
		s.time = v[i].time;
		s.time_end = pace ? pace[i].end : 0;
		s.n_insn = pace ? pace[i].n_insn : 0;
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
 * Makes elements in `to` of a batch, with runs instead of up to `most` consecutive ranges behind a range, as
 * cst_decoder_list() has them, and adds their branches to list[*n_list]. Returns the number of elements.
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
		to->kind = CST_GEN_RUN;
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

static void by_instructions(void **state)
{
	struct result r;

	(void)state;
	/* 3 + 4 + 10 instructions: numbers 5, 10 and 15 */
	r = RUN("i5i", false, EL_B(0x1000, 3), EL_B(0x2000, 4), EL_B(0x3000, 10));
	assert_string_equal(r.text, "i2004/5 i3008/5 i301c/5 ");
	r = RUN("i1i", false, EL_B(0x1000, 2), EL_B(0x2000, 1));
	assert_string_equal(r.text, "i1000/1 i1004/1 i2000/1 ");
	r = RUN("i5is2", false, EL_B(0x1000, 3), EL_B(0x2000, 4), EL_B(0x3000, 10));
	assert_string_equal(r.text, "i301c/5 ");
}

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

static void stacks(void **state)
{
	struct result r;

	(void)state;
	r = RUN("i3il2", false, EL_B(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3000, 1), EL_B(0x4000, 3));
	assert_string_equal(r.text, "i3000/3[2000>3000,1000>2000,] i4008/3[3000>4000,2000>3000,] ");
	/* a gap: what no sample has shown is shown at its edge, and the stack starts anew */
	r = RUN("i100il4", false, EL_B(0x1000, 1), EL_B(0x2000, 1), EL_RET(0x3000, 1),
		el_plain(CST_GEN_TRACE_ON), EL_B(0x5000, 1), EL_CUT(0x6000, 1), el_plain(CST_GEN_EO_TRACE));
	assert_string_equal(r.text, "i3000/3[2000>3000,1000>2000,] i6000/2[5000>6000,] ");
	/* a system call returns to where it was: nothing was missed */
	r = RUN("i100il4", false, EL_B(0x1000, 1), EL_CUT(0x2000, 1), el_exception(2, 0x2004),
		el_plain(CST_GEN_TRACE_ON), EL_B(0x2004, 1), EL_CUT(0x6000, 1), el_plain(CST_GEN_EO_TRACE));
	assert_string_equal(r.text, "i6000/4[2004>6000,1000>2000,] ");
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

/* Cycles stay with their branch if it is not taken before the end of the batch, and if no branch is taken before it. */
static void cycles_across_batches(void **state)
{
	const struct cst_generic a[] = { EL_B(0x1000, 1), EL_BCC_N(0x2000, 1), el_cycles(7), EL_BCC_N(0x2004, 1), EL_B(0x2008, 1) };
	const struct cst_generic b[] = { EL_B(0x3000, 1), EL_B(0x4000, 1) };
	const struct batch v[] = { { a, 5, 1, 0 }, { b, 2, 1, 0 } };
	struct result r = run_batches("b", false, v, 2);

	(void)state;
	assert_string_equal(r.text, "b0>1000 b1000>2000 b2008>3000+7 b3000>4000 ");
}

/* Branches of runs are those of their ranges, whatever is between them. */
static void runs(void **state)
{
	static struct cst_generic g[200];
	const struct batch v[] = { { g, 70, 1, 0 }, { g + 70, 1, 1, 0 }, { g + 71, 49, 1, 0 }, { g + 120, 80, 2, 0 } };
	const struct sample_ops ops = { .branch = on_branch, .taken = on_taken, .error = on_error };
	const struct cst_generic other[] = { el_plain(CST_GEN_TRACE_ON), el_exception(14, 0x2004), el_exception(2, 0x3000),
					     el_plain(CST_GEN_EVENT), el_plain(CST_GEN_NO_SYNC), el_plain(CST_GEN_EO_TRACE) };
	struct result each, r;
	unsigned int seed, i, most;

	(void)state;
	for (seed = 1; seed <= 1000; seed++) {
		srand(seed);
		for (i = 0; i < 200; i++) {
			const uint32_t addr = 0x1000 + 4 * (uint32_t)(rand() % 1000), n = 1 + (uint32_t)(rand() % 5);
			const struct cst_generic some[] = { EL_B(addr, n), EL_BL(addr, n), EL_BCC_N(addr, n), EL_RET(addr, n),
							    EL_CUT(addr, n),
							    el_range(addr, n, CST_INSN_INDIRECT, CST_INSN_ERET, EL_TAKEN) };

			g[i] = rand() % 40 ? some[rand() % (rand() % 20 ? 5 : 6)] : other[rand() % 6];
		}
		each = run_with(ops, "b", false, v, NULL, 4, NULL);
		for (most = 1; most <= 100; most *= 3) {
			r = run_runs(ops, "b", v, NULL, 4, most);
			assert_string_equal(r.text, each.text);
		}
		assert_true(each.used > 1000);
	}
}

static void switched(void **state)
{
	/* The other thread happens to run at the same place: its stack is not the first one's. */
	const struct cst_generic a[] = { EL_B(0x1000, 1), EL_CUT(0x2000, 1), el_exception(14, 0x2004),
					 el_plain(CST_GEN_TRACE_ON) };
	const struct cst_generic b[] = { EL_B(0x2004, 1), EL_CUT(0x6000, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct batch v[] = { { a, 4, 1, 10 }, { b, 3, 2, 20 } };
	struct result r = run_batches("i100il4", false, v, 2);

	(void)state;
	assert_string_equal(r.text, "i2000/2[1000>2000,] i6000/2[2004>6000,] ");
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

static void filters(void **state)
{
	const struct cst_generic g[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_RET(0x3000, 1),
					 EL_CUT(0x1004, 1) };
	const struct batch one = { g, 4, 1, 0 };
	struct result r;

	(void)state;
	r = run_batches("b", false, &one, 1);
	assert_string_equal(r.text, "b0>1000 b1000>2000 b2000>3000 b3000>1004 ");
	r = run_batches("c", false, &one, 1);
	assert_string_equal(r.text, "b1000>2000 ");
	r = run_batches("r", false, &one, 1);
	assert_string_equal(r.text, "b3000>1004 ");
	r = run_batches("cr", false, &one, 1);
	assert_string_equal(r.text, "b1000>2000 b3000>1004 ");
	r = run_batches("bs3", false, &one, 1);
	assert_string_equal(r.text, "b3000>1004 ");
	r = run_batches("bi2i", false, &one, 1);
	assert_string_equal(r.text, "b0>1000 b1000>2000 i2000/2 b2000>3000 b3000>1004 i1004/2 ");
}

static void system_call_returns(void **state)
{
	static const uint8_t insns[] = { 0x01, 0x00, 0x00, 0xd4, 0x1f, 0x20, 0x03, 0xd5, 0x00, 0xdf };
	const struct cst_generic eret = el_range(0x8000, 1, CST_INSN_INDIRECT, CST_INSN_ERET, EL_TAKEN);
	struct cst_generic t32 = EL_CUT(0x10a, 1);
	struct result r;

	(void)state;
	memcpy(code, insns, sizeof(insns));
	r = RUN("b", false, eret, EL_CUT(0x104, 1));
	assert_string_equal(r.text, "b0>8000 b8000>104s ");
	r = RUN("b", false, eret, EL_CUT(0x108, 1));
	assert_string_equal(r.text, "b0>8000 b8000>108e ");
	/* A64 returns to T32 */
	t32.isa = CST_ISA_T32;
	r = RUN("b", false, eret, t32);
	assert_string_equal(r.text, "b0>8000 b8000>10as ");
}

static void chains(void **state)
{
	char want[128];
	struct result r = RUN("i4ig8", false, EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_CUT(0x3000, 2));

	(void)state;
	snprintf(want, sizeof(want), "i3004/4(%llx<3004<2004<1004) ",
		 (unsigned long long)PERF_CONTEXT_USER);
	assert_string_equal(r.text, want);
	r = RUN("i4ig8", false, EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_RET(0x3000, 1), EL_CUT(0x2004, 1));
	snprintf(want, sizeof(want), "i2004/4(%llx<2004<1004) ", (unsigned long long)PERF_CONTEXT_USER);
	assert_string_equal(r.text, want);
	/* the target of the second call is unknown: the chain has no frame for it */
	r = RUN("i4ig8", false, EL_BL(0x1000, 1), EL_BL(0x2000, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0), EL_CUT(0x5000, 2));
	snprintf(want, sizeof(want), "i5004/4(%llx<5004<1004) ", (unsigned long long)PERF_CONTEXT_USER);
	assert_string_equal(r.text, want);
	/* two entries at most, the marker not counted */
	r = RUN("i4ig2", false, EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_CUT(0x3000, 2));
	snprintf(want, sizeof(want), "i3004/4(%llx<3004<2004) ", (unsigned long long)PERF_CONTEXT_USER);
	assert_string_equal(r.text, want);
}

static void by_time(void **state)
{
	struct cst_generic g = EL_B(0x1000, 100);
	struct batch v[12];
	struct result r;
	unsigned int i, n;
	const char *p;

	(void)state;
	/* 100 instructions per 1000 ns over 12 us: a sample each 500 ns is one each 50 instructions */
	for (i = 0; i < 12; i++)
		v[i] = (struct batch){ &g, 1, 1, 1000 * (i + 1) };
	r = run_batches("i500ns", false, v, 12);
	for (p = r.text, n = 0; (p = strchr(p, '/')); p++)
		n++;
	assert_in_range(n, 19, 24);
	assert_non_null(strstr(r.text, "/50 "));
	/* no time goes by: one instruction stands for a nanosecond */
	for (i = 0; i < 12; i++)
		v[i].time = 7;
	r = run_batches("i300ns", false, v, 12);
	assert_string_equal(r.text, "i118c/300 i118c/300 i118c/300 i118c/300 ");
}

/* Where the stream knows how fast time goes in each batch, samples are as far apart as their period. */
static void by_time_of_batches(void **state)
{
	struct cst_generic g = EL_B(0x1000, 100);
	struct batch v[3] = { { &g, 1, 1, 5000 }, { &g, 1, 1, 6000 }, { &g, 1, 1, 7000 } };
	struct pace pace[3] = { { 6000, 100 }, { 7000, 100 }, { 8000, 100 } };
	struct result r;
	unsigned int i;

	(void)state;
	r = run_paced("i250ns", false, v, pace, 3);
	assert_string_equal(r.text, "i1060/25 i10c4/25 i1128/25 i118c/25 i1060/25 i10c4/25 i1128/25 i118c/25 i1060/25 i10c4/25 i1128/25 i118c/25 ");
	/* more samples than instructions are due: each instruction is one */
	r = run_paced("i1ns", false, v, pace, 1);
	assert_int_equal(r.period_sum, 100);
	assert_non_null(strstr(r.text, "i1000/1 i1004/1 i1008/1 "));
	/* times of samples by instructions: their share in each batch's time */
	r = run_paced("i50i", false, v, pace, 3);
	assert_int_equal(r.nr_times, 6);
	for (i = 0; i < 6; i++)
		assert_int_equal(r.times[i], 5500 + 500 * i);
	/* the second batch takes ten times as long */
	v[2].time = 16000;
	pace[1].end = 16000;
	pace[2].end = 17000;
	r = run_paced("i2500ns", false, v, pace, 3);
	assert_string_equal(r.text, "i1038/115 i109c/25 i1100/25 i1164/25 ");
	/* no time goes by in it */
	v[2].time = 6000;
	pace[1].end = 6000;
	pace[2].end = 7000;
	r = run_paced("i500ns", false, v, pace, 3);
	assert_string_equal(r.text, "i10c4/50 i118c/50 i10c4/150 i118c/50 ");
	/* time goes back: the next sample is a period behind the batch's begin at the latest */
	v[1].time = 3000;
	pace[1].end = 4000;
	r = run_paced("i500ns", false, v, pace, 2);
	assert_string_equal(r.text, "i10c4/50 i118c/50 i10c4/50 i118c/50 ");
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

static void by_ticks(void **state)
{
	struct cst_generic ts = { .kind = CST_GEN_TIMESTAMP };
	struct cst_generic g[40];
	struct batch one = { g, 40, 1, 0 };
	struct result r;
	unsigned int i, n = 0;
	const char *p;

	(void)state;
	/* 10 instructions in each 20 ticks, so 8 samples of 50 ticks in 400 ticks */
	for (i = 0; i < 40; i += 2) {
		ts.addr = 1000 + 10 * i;
		g[i] = ts;
		g[i + 1] = EL_B(0x1000, 10);
	}
	r = run_batches("i50t", false, &one, 1);
	for (p = r.text; (p = strchr(p, '/')); p++)
		n++;
	assert_in_range(n, 7, 9);
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

/* Calls of the consumer until it ends the run. */
struct ending {
	unsigned int calls, last;
};

static int count_call(struct ending *e)
{
	return ++e->calls == e->last ? 7 : 0;
}

static int end_at_branch(void *data, const struct stream *s, const struct branch *b)
{
	(void)s;
	(void)b;
	return count_call(data);
}

static int end_at_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	(void)s;
	(void)i;
	return count_call(data);
}

static int end_at_error(void *data, const struct stream *s, const struct error_sample *e)
{
	(void)s;
	(void)e;
	return count_call(data);
}

/* Returns what the batch, or else the end of its fragment, returned. */
static int run_until(const char *itrace, bool tiles, const struct cst_generic *g, size_t n, struct ending *e)
{
	struct sample_ops ops = { .branch = end_at_branch, .insn = end_at_insn, .error = end_at_error, .data = e };
	const struct cst_config cfg = { .protocol = CST_PROTO_ETMV4 };
	void *word = NULL;
	struct stream s = { .pid = 1, .tid = 1, .time_known = true, .config = &cfg, .priv = &word };
	struct itrace_opts o;
	struct sampler *sp;
	char msg[400];
	int rc;

	assert_true(itrace_parse(&o, itrace, msg, sizeof(msg)));
	o.tiles = tiles;
	sp = sampler_new(&o, &ops, read_code);
	assert_non_null(sp);
	rc = sampler_batch(sp, &s, g, n);
	if (!rc)
		rc = sampler_fragment_end(sp, &s);
	sampler_stream_end(sp, &s);
	sampler_free(sp);
	return rc;
}

/* Whatever sample it is, the value with which the consumer ends the run is returned, and no sample follows. */
static void ended(void **state)
{
	const struct cst_generic g[] = {
		EL_B(0x1000, 3), EL_B(0x2000, 2), EL_RET(0x3000, 4), EL_B(0x4000, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0),
		el_plain(CST_GEN_TRACE_ON), EL_B(0x5000, 3), el_exception(2, 0x5010), EL_B(0x6000, 2), EL_CUT(0x7000, 3),
		el_plain(CST_GEN_NACC), el_plain(CST_GEN_EO_TRACE),
	};
	static const struct {
		const char *itrace;
		bool tiles;
		unsigned int samples;
	} rows[] = {
		{ "b", false, 10 }, { "cr", false, 1 }, { "e", false, 2 }, { "i1i", false, 18 }, { "i4il3", false, 5 },
		{ "i100il3", false, 2 }, { "il2", true, 4 }, { "bi5il3", false, 14 }, { "bei1ig4", false, 30 },
	};
	struct ending e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e = (struct ending){ .last = 0 };
		assert_int_equal(run_until(rows[i].itrace, rows[i].tiles, g, sizeof(g) / sizeof(g[0]), &e), 0);
		assert_int_equal(e.calls, rows[i].samples);
		for (e.last = 1; e.last <= rows[i].samples; e.last++) {
			e.calls = 0;
			assert_int_equal(run_until(rows[i].itrace, rows[i].tiles, g, sizeof(g) / sizeof(g[0]), &e), 7);
			assert_int_equal(e.calls, e.last);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_instructions), cmocka_unit_test(t32_sizes), cmocka_unit_test(stacks), cmocka_unit_test(cycles),
		cmocka_unit_test(cycles_across_batches), cmocka_unit_test(runs),
		cmocka_unit_test(switched), cmocka_unit_test(tiles), cmocka_unit_test(filters),
		cmocka_unit_test(system_call_returns),
		cmocka_unit_test(chains), cmocka_unit_test(by_time), cmocka_unit_test(by_time_of_batches), cmocka_unit_test(period_across_a_gap),
		cmocka_unit_test(behind_the_last_time),
		cmocka_unit_test(time_goes_back), cmocka_unit_test(by_ticks),
		cmocka_unit_test(errors), cmocka_unit_test(ended),
	};

	return cmocka_run_group_tests_name("synth sampler", tests, NULL, NULL);
}
