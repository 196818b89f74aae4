/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of instructions of batches that were kept in a backlog are those of the batches
 * themselves, wherever a period begins; a backlog that is full keeps nothing more until it is
 * emptied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outputs/synth/backlog.h"
#include "outputs/synth/sampler.h"
#include "unit/perf-plugin/synth_elements.h"

#define MAX_ELEMENTS	600
#define BATCHES		40

/* What came out, as a digest, and the last lines as text. */
struct result {
	uint64_t digest, samples;
	char last[200];
};

static void note(struct result *r, const char *line)
{
	const char *c;

	for (c = line; *c; c++)
		r->digest = (r->digest ^ (uint8_t)*c) * 0x100000001b3;
	r->samples++;
	snprintf(r->last, sizeof(r->last), "%s", line);
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	char line[200];

	snprintf(line, sizeof(line),
		 "i%llx tid %d isa %u size %u el %u time %llu period %llu queue %u",
		 (unsigned long long)i->ip, i->tid, i->isa, i->size, i->el,
		 (unsigned long long)i->time, (unsigned long long)i->period, s->queue);
	note(data, line);
	return 0;
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	char line[200];

	(void)s;
	snprintf(line, sizeof(line), "e%d at %llx time %llu", e->code, (unsigned long long)e->ip,
		 (unsigned long long)e->time);
	note(data, line);
	return 0;
}

/* T32 instructions of two and of four bytes. */
static size_t read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	const uint16_t code = addr / 2 % 3 ? 0xbf00 : 0xf3af;

	(void)s;
	if (len != sizeof(code))
		return 0;
	memcpy(buf, &code, len);
	return len;
}

static uint64_t state;

static uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

struct batch {
	struct cst_generic g[MAX_ELEMENTS];
	size_t n;
	uint64_t time;
	uint32_t insns;
	unsigned int queue;
};

/*
 * A range that follows the one before, or not; once in `rare` times in code far away, of another
 * instruction set or level, or long.
 */
static struct cst_generic any_range(const struct cst_generic *before, uint32_t rare)
{
	static const uint64_t places[] = { 0x400000, 0xfffffff0, 0x7f0000001000,
					   0xffff800000080000 };
	static const uint8_t isas[] = { CST_ISA_A64, CST_ISA_A64, CST_ISA_A32, CST_ISA_T32 };
	struct cst_generic g = EL_B(before->end, 1 + any(9));

	g.isa = before->isa;
	g.el = before->el;
	if (!any(2))
		g.addr = before->addr + 8 * any(8);
	if (!any(rare))
		g.addr = places[any(4)] + 4 * any(100);
	if (!any(2 * rare))
		g.isa = isas[any(4)];
	if (!any(2 * rare))
		g.el = (uint8_t)any(2);
	if (!any(rare))
		g.n_insn = any(2) ? 127 + any(3) : any(1000);
	g.end = g.addr + 4 * g.n_insn - (g.isa == CST_ISA_T32 ? any(2 * g.n_insn + 1) & ~1u : 0);
	return g;
}

static struct cst_generic any_other(void)
{
	switch (any(6)) {
	case 0:
		return el_no_sync(CST_UNSYNC_OVERFLOW, 0);
	case 1:
		return el_plain(CST_GEN_TRACE_ON);
	case 2:
		return el_next(CST_GEN_NACC, 0x1234);
	case 3:
		return el_exception(7, 0x400100);
	default:
		return el_plain(CST_GEN_EVENT);
	}
}

/* `rare`: one of this many elements is no range. */
static void make(struct batch *b, uint64_t time, uint32_t rare)
{
	struct cst_generic before = EL_B(0x400000, 2);
	size_t i;

	*b = (struct batch){ .n = 1 + any(MAX_ELEMENTS), .time = time, .queue = any(2) };
	for (i = 0; i < b->n; i++) {
		b->g[i] = any(rare) ? any_range(&before, 4 * rare) : any_other();
		if (b->g[i].kind != CST_GEN_RANGE)
			continue;
		before = b->g[i];
		b->insns += before.n_insn;
	}
}

/* The stream of a batch, with the pointer of its buffer. */
static struct stream stream_of(const struct batch *b, void **priv)
{
	static const struct cst_config config = { .protocol = CST_PROTO_ETMV4 };

	struct stream s = {
		.config = &config,
		.cpu = (int)b->queue,
		.pid = 100,
		.tid = 100 + (int)b->queue,
		.host = { 100, 100 + (int)b->queue },
		.time = b->time,
		.time_end = b->time + 900,
		.n_insn = b->insns,
		.time_known = true,
		.queue = b->queue,
		.place = b->queue,
		.priv = &priv[b->queue],
	};

	stream_set_stretch(&s);
	return s;
}

static struct sampler *sampler_for(const struct itrace_opts *o, struct result *r)
{
	const struct sample_ops ops = { .insn = on_insn, .error = on_error, .data = r };
	struct sampler *sp = sampler_new(o, &ops, read_code);

	assert_int_equal(sampler_unit(sp), SAMPLER_COUNTED);
	return sp;
}

static void end(struct sampler *sp, void **priv)
{
	struct stream s = { .priv = priv };

	sampler_stream_end(sp, &s);
	s.priv++;
	sampler_stream_end(sp, &s);
	sampler_free(sp);
}

static uint64_t next(void *data, const struct stream *s)
{
	return sampler_next(data, s);
}

static uint64_t further(void *data)
{
	return sampler_further(data);
}

static int batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	return sampler_batch(data, s, g, n);
}

/* Samples all batches directly, or those from `first` up to `until` by a backlog. */
static struct result sampled(struct batch *v, const struct itrace_opts *o, size_t first,
			     size_t until, struct backlog *b)
{
	struct result r = { .digest = 14695981039346656037u };
	struct sampler *sp = sampler_for(o, &r);
	const struct backlog_use use = { .next = next, .further = further, .batch = batch,
					 .data = sp };
	void *priv[2] = { NULL, NULL };
	struct stream s;
	size_t i;

	for (i = 0; i < BATCHES; i++) {
		if (i == until)
			assert_int_equal(backlog_replay(b, &use), 0);
		s = stream_of(&v[i], priv);
		if (i >= first && i < until)
			assert_true(backlog_keep(b, &s, v[i].g, v[i].n));
		else
			assert_int_equal(sampler_batch(sp, &s, v[i].g, v[i].n), 0);
	}
	end(sp, priv);
	return r;
}

static void test_samples_are_the_same(void **unused)
{
	static const uint32_t rare[] = { 8, 50, 5000 };
	static const uint64_t periods[] = { 1, 2, 7, 100, 1000, 5000, 1000000 };
	struct backlog_room *room = backlog_room_new();
	struct backlog *b = backlog_new(room);
	struct batch *v = calloc(BATCHES, sizeof(*v));
	struct itrace_opts o = { .instructions = true, .errors = true };
	struct result direct, kept;
	uint64_t samples = 0;
	size_t i, k, p;

	(void)unused;
	assert_non_null(v);
	for (k = 0; k < 9; k++) {
		for (i = 0; i < BATCHES; i++)
			make(&v[i], 1000 * (i + 1), rare[k % 3]);
		for (p = 0; p < sizeof(periods) / sizeof(periods[0]); p++) {
			o.period = periods[p];
			o.unit = k % 2 ? ITRACE_INSNS : ITRACE_NS;
			direct = sampled(v, &o, 0, 0, b);
			kept = sampled(v, &o, k % 4 * 5, BATCHES - 1 - k, b);
			assert_string_equal(direct.last, kept.last);
			assert_int_equal(direct.samples, kept.samples);
			assert_int_equal(direct.digest, kept.digest);
			samples += direct.samples;
		}
	}
	assert_true(samples > 10000);
	free(v);
	backlog_free(b);
	backlog_room_free(room);
}

/* ---- its limit ----------------------------------------------------------------------------- */

struct passed {
	uint64_t batches, insns;
	int refuse;	/* returned from batch 3 on */
};

static uint64_t never(void *data, const struct stream *s)
{
	(void)data;
	(void)s;
	return UINT64_MAX;
}

static int count(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct passed *p = data;
	size_t i;

	(void)s;
	for (i = 0; i < n; i++)
		if (g[i].kind == CST_GEN_RANGE || g[i].kind == CST_GEN_SKIPPED)
			p->insns += g[i].n_insn;
	return ++p->batches < 3 ? 0 : p->refuse;
}

static void fill(struct backlog *b, const struct batch *v, struct passed *expected)
{
	void *priv[2] = { NULL, NULL };
	const struct stream s = stream_of(v, priv);

	*expected = (struct passed){ .batches = 0 };
	while (backlog_keep(b, &s, v->g, v->n)) {
		expected->batches++;
		expected->insns += v->insns;
		assert_true(expected->batches * v->n < 64u << 20);
	}
}

static void test_full(void **unused)
{
	struct backlog_room *room = backlog_room_new();
	struct backlog *b = backlog_new(room);
	struct passed kept, passed = { .batches = 0 };
	struct backlog_use use = { .next = never, .batch = count, .data = &passed };
	struct batch *v = calloc(1, sizeof(*v));

	(void)unused;
	assert_non_null(v);
	make(v, 1000, 500);
	fill(b, v, &kept);
	assert_true(kept.batches > 1000);
	assert_int_equal(backlog_replay(b, &use), 0);
	assert_int_equal(passed.batches, kept.batches);
	assert_int_equal(passed.insns, kept.insns);

	/* a consumer that refuses a batch gets no other */
	fill(b, v, &kept);
	passed = (struct passed){ .refuse = 42 };
	assert_int_equal(backlog_replay(b, &use), 42);
	assert_int_equal(passed.batches, 3);

	/* what nobody takes is freed */
	fill(b, v, &kept);
	backlog_free(b);
	free(v);
	backlog_room_free(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_the_same),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
