/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_synth.c - --itrace text and any sequence of elements into the sampler. What comes out must be
 * consistent: no instruction in two samples, stacks and chains within their size, branches with an end,
 * nothing that goes back in time in a lane of the merge.
 */
#include "fuzz/fuzz_input.h"
#include "outputs/synth/merge.h"
#include "outputs/synth/sampler.h"
#include "session/decode/stream.h"
#include "session/decode/stream_state.h"
#include "session/internal.h"

#define MAX_ELEMENTS 400
#define MAX_TEXT 24
/* Work per input is bounded by the samples that are let through. */
#define MAX_SAMPLES 20000

struct check {
	struct stream_state st;	/* what the sampler asks the session about; stream.state points here */
	struct itrace_opts o;
	struct merge_lane *ln;
	uint64_t period_sum;
	uint64_t insns;
	uint64_t last;		/* time in the merged output */
	unsigned int nr;
	uint8_t code[16];
};

static int put(struct check *c, uint64_t time)
{
	uint64_t t = time > c->ln->time ? time : c->ln->time;

	memcpy(merge_reserve(c->ln, time), &t, sizeof(t));
	merge_commit(c->ln, sizeof(t));
	return ++c->nr > MAX_SAMPLES;
}

static int on_branch(void *data, const struct stream *s, const struct branch *b)
{
	struct check *c = data;

	(void)s;
	CHECK(b->kind < BRANCH_NR && branch_ip_flags(b));
	if (c->o.calls && !c->o.returns)
		CHECK(branch_is_call(b->kind));
	if (b->ends_trace)
		CHECK(!b->to);
	return put(c, b->time);
}

static int on_taken(void *data, const struct stream *s, const struct cst_branch *b, size_t n)
{
	int rc = 0;

	CHECK(n);
	for (; n && !rc; n--, b++) {
		CHECK(b->last_type == CST_INSN_BRANCH || b->last_type == CST_INSN_INDIRECT);
		rc = put(data, s->time);
	}
	return rc;
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	static struct ring_entry e[ITRACE_MAX_DEPTH];
	struct check *c = data;
	uint32_t k, n = 0;

	(void)s;
	c->period_sum += i->period;
	if (i->stack) {
		n = ring_copy(i->stack, e);
		CHECK(n <= c->o.stack);
	}
	for (k = 0; k < n; k++)
		CHECK(e[k].flags & RING_PREDICTED);
	CHECK(i->nr_chain <= c->o.chain + 1);
	return put(c, i->time);
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	(void)s;
	CHECK(e->text && strlen(e->text) < 64);
	return put(data, e->time);
}

static size_t read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	struct check *c = (struct check *)s->own.state;	/* its first member */
	size_t i;

	if (addr & 0x8000)
		return 0;
	for (i = 0; i < len; i++)
		((uint8_t *)buf)[i] = c->code[(addr + i) & 15];
	return len;
}

static void sink(void *data, const void *bytes, size_t len)
{
	struct check *c = data;
	uint64_t t;
	size_t i;

	for (i = 0; i < len; i += sizeof(t)) {
		memcpy(&t, (const uint8_t *)bytes + i, sizeof(t));
		CHECK(t >= c->last);
		c->last = t;
	}
}

static struct cst_generic take_element(struct input *in, struct check *c)
{
	struct cst_generic g = { .kind = take8(in) };
	uint8_t what = take8(in), addr = take8(in), n = take8(in);

	/* Mostly ranges, as in life. */
	if (g.kind >= 32)
		g.kind = CST_GEN_RANGE;
	g.addr = (uint64_t)addr << 8;
	g.flags = (uint16_t)(take8(in) | take8(in) << 8);
	g.isa = what & 3;
	g.last_type = what >> 2 & 7;
	g.last_subtype = what >> 5;
	g.last_size = g.isa == CST_ISA_T32 && n & 1 ? 2 : 4;
	g.num = n & 31;
	g.error = n;
	g.cc = n;
	g.n_insn = 1 + (n & 63u);
	g.end = g.addr + g.last_size + 4 * (g.n_insn - 1u);
	if (g.kind == CST_GEN_RANGE)
		c->insns += g.n_insn;
	else
		g.end = g.addr;
	return g;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cst_config configs[] = {
		{ .protocol = CST_PROTO_ETMV4 }, { .protocol = CST_PROTO_ETMV3 }, { .protocol = CST_PROTO_PTM },
	};
	struct input in = { .p = data, .end = data + size };
	struct check c = { .period_sum = 0 };
	struct sample_ops ops = { .branch = on_branch, .taken = size & 1 ? on_taken : NULL, .insn = on_insn, .error = on_error, .data = &c };
	struct merge_sink out = { .write = sink, .data = &c };
	void *word = NULL;
	struct stream s = { .own.state = &c.st, .time_known = true, .priv = &word };
	char text[MAX_TEXT + 1], msg[200];
	struct cst_generic g[8];
	struct sampler *sp;
	struct merge *m;
	unsigned int i, k, n;
	int rc = 0;

	n = take8(&in) % MAX_TEXT;
	for (i = 0; i < n; i++)
		text[i] = (char)take8(&in);
	text[n] = 0;
	if (!itrace_parse(&c.o, text, msg, sizeof(msg)))
		return 0;
	k = take8(&in);
	c.o.tiles = k & 1 && c.o.stack;
	s.config = &configs[(k >> 1) % (sizeof(configs) / sizeof(configs[0]))];
	for (i = 0; i < sizeof(c.code); i++)
		c.code[i] = take8(&in);
	m = merge_new(&out, "/tmp");
	c.ln = m ? merge_lane_new(m, 1, 0) : NULL;
	sp = sampler_new(&c.o, &ops, read_code);
	for (i = 0; i < MAX_ELEMENTS && c.ln && sp && in.p < in.end && !rc; i += n) {
		s.tid = s.pid = take8(&in) & 3;
		s.time += take8(&in) * 16u;
		n = 1 + (take8(&in) & 7);
		for (k = 0; k < n; k++)
			g[k] = take_element(&in, &c);
		rc = sampler_batch(sp, &s, g, n);
		if (!rc && !(s.time & 0x70))
			rc = sampler_fragment_end(sp, &s);
	}
	sampler_stream_end(sp, &s);
	CHECK(c.period_sum <= c.insns);
	if (c.ln)
		CHECK(!merge_finish(m));
	sampler_free(sp);
	merge_free(m);
	return 0;
}
