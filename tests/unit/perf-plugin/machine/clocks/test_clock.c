/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace timestamps to perf time: as the file says, or fitted to what records tell; and time between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/clocks/clock.h"
#include "machine/clocks/pace.h"
#include "perfdata/reader.h"
#include "session/internal.h"
#include "unit/perf-plugin/perfdata_open.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/session_open.h"

#define NONE UINT64_MAX

/* 25 MHz: 40 ns per tick. */
static const struct pd_time_conv conv = { .shift = 10, .mult = 40 << 10, .zero = 1000000, .usable = true };

static struct trace_clock make(const struct pd_time_conv *tc, bool is_virtual, bool counter, unsigned int bits,
			       uint64_t freq)
{
	const struct clock_facts facts = { .conv = tc, .timestamps = true, .virtual_counter = is_virtual,
					   .counter = counter, .bits = bits, .freq = freq };
	struct trace_clock c;

	clock_init(&c, &facts);
	return c;
}

static uint64_t ns_of(const struct trace_clock *c, uint64_t ticks, uint64_t hint)
{
	uint64_t ns = 0;

	assert_true(clock_ns(c, ticks, hint, &ns));
	return ns;
}

/* A timestamp of 48 bits on a machine whose counter has passed that. */
static void narrow(void **state)
{
	const uint64_t top = 1ull << 48, mask = top - 1;
	struct trace_clock c = make(&conv, true, true, 48, 0);
	uint64_t now = 3 * top + 1000, hint = 1000000 + 40 * now;

	(void)state;
	assert_int_equal(ns_of(&c, now & mask, hint), hint);
	/* just before the wrap, and just behind it */
	assert_int_equal(ns_of(&c, (now - 2000) & mask, hint), hint - 80000);
	assert_int_equal(ns_of(&c, (3 * top - 1) & mask, hint), hint - 1001 * 40);
	/* estimated: the wrap lies between the timestamps */
	c = make(&conv, false, true, 48, 0);
	{
		struct clock_bracket w[] = { { mask - 9, 5000000, 5000400, 0 },
					     { 10, 5000800, 5001200, 0 } };

		clock_fit(&c, w, 2);
	}
	assert_int_equal(ns_of(&c, mask - 9, NONE), 5000000);
	assert_int_equal(ns_of(&c, 10, NONE), 5000000 + 20 * 40);
}

static void short_counter(void **state)
{
	/* TIME_CONV of a counter with 32 bits: it wraps every 172 s */
	struct pd_time_conv tc = conv;
	struct trace_clock c;

	(void)state;
	tc.wraps = true;
	tc.mask = 0xffffffff;
	tc.cycles = 5ull << 32 | 0xfffffff0;
	c = make(&tc, true, true, 0, 0);
	assert_int_equal(ns_of(&c, 0xfffffff8, NONE), 1000000 + (5ull << 32 | 0xfffffff8) * 40);
	assert_int_equal(ns_of(&c, 4, NONE), 1000000 + (6ull << 32 | 4) * 40);
}

static void estimated(void **state)
{
	struct clock_bracket w[] = { { 5000, 700000, 800000, 0 } };
	struct trace_clock c = make(NULL, false, false, 0, 0);
	uint64_t ns;

	(void)state;
	assert_int_equal(c.kind, CLOCK_ESTIMATED);
	assert_false(clock_ns(&c, 100, NONE, &ns));
	clock_fit(&c, w, 1);
	/* trace begins when it is turned on */
	assert_int_equal(ns_of(&c, 5100, NONE), 700100);
	assert_int_equal(ns_of(&c, 4000, NONE), 699000);
	assert_int_equal(c.error_ns, 100000);
	assert_false(c.contradicted);
	/* damaged timestamps neither wrap nor trap */
	assert_true(ns_of(&c, UINT64_MAX, NONE) == UINT64_MAX - 1);
	c = make(NULL, false, false, 0, 1);
	w[0] = (struct clock_bracket){ 1u << 31, 0, 5, 0 };
	clock_fit(&c, w, 1);
	assert_true(c.error_ns == UINT64_MAX);
	assert_true(clock_ns(&c, UINT64_MAX, NONE, &ns));
	assert_int_equal(ns_of(&c, 0, NONE), 0);
}

/* Records that contradict each other by less than the trace is long: the middle between them. */
static void near_contradiction(void **state)
{
	struct clock_bracket w[] = { { 0, 100100, 100200, 0 }, { 1000, 100300, 100400, 0 } };
	struct trace_clock c = make(NULL, false, false, 0, 1000000000);

	(void)state;
	/* the first timestamp is at least at 100100, and at most at 100400 - 1000 */
	clock_fit(&c, w, 2);
	assert_true(c.contradicted);
	assert_int_equal(c.error_ns, 700);
	assert_int_equal(c.pair_ns, 99750);
}

/*
 * A known clock, and records around its timestamps: the fit lies within the error that it tells, and each record
 * more makes that smaller.
 */
static void fitted(void **state)
{
	const uint64_t zero = 123456789;
	struct clock_bracket w[64];
	uint64_t before = UINT64_MAX, t, ns;
	struct trace_clock c;
	unsigned int n, i;

	(void)state;
	srand(7);
	for (n = 1; n <= 64; n *= 2) {
		srand(7);
		for (i = 0; i < n; i++) {
			t = 1000 + 100000ull * i;
			w[i] = (struct clock_bracket){ t,
						       zero + 40 * t - (uint64_t)(rand() % 90000),
						       zero + 40 * t + (uint64_t)(rand() % 500000),
						       0 };
		}
		c = make(&conv, false, true, 0, 0);
		clock_fit(&c, w, n);
		assert_false(c.contradicted);
		ns = ns_of(&c, 50000, NONE);
		/* within a nanosecond of rounding */
		assert_true(ns <= zero + 40 * 50000 + 1);
		assert_true(ns + c.error_ns + 1 >= zero + 40 * 50000);
		assert_true(c.error_ns <= before);
		before = c.error_ns;
	}
	assert_true(before < 40000);
}

static void measured(void **state)
{
	const uint64_t zero = 777;
	struct clock_bracket w[101];
	struct trace_clock c;
	unsigned int i;

	(void)state;
	/* 62.5 MHz over a second, records 1 ms apart: nobody says so, but they do */
	for (i = 0; i <= 100; i++) {
		uint64_t t = 5000000 + 625000ull * i;

		w[100 - i] = (struct clock_bracket){ t, zero + 16 * t - 100000,
						     zero + 16 * t + 900000, 0 };
	}
	c = make(NULL, false, false, 0, 0);
	clock_fit(&c, w, 101);
	assert_int_equal(c.rate, CLOCK_RATE_MEASURED);
	assert_true(c.ns_per_tick > 15.98 && c.ns_per_tick < 16.02);
	/* the user's word is not measured against */
	c = make(NULL, false, false, 0, 1000000000);
	clock_fit(&c, w, 101);
	assert_int_equal(c.rate, CLOCK_RATE_GIVEN);
	assert_true(c.contradicted);
	assert_true(c.error_ns > 900000000);
}

/* The clock of the records runs faster or slower than the counter, as a clock that is corrected does; but only a little. */
static void steered(void **state)
{
	static const struct {
		double ppm;
		bool found;
	} cases[] = { { 0, true }, { 50, true }, { -50, true }, { 500, true }, { -900, true }, { 1500, false }, { -20000, false } };
	struct clock_bracket w[40];
	struct trace_clock c;
	uint64_t at, ns;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (k = 0; k < 40; k++) {
			w[k].ticks = 1000000 + 25000000 * k;	/* a second */
			at = 5000000000 + (uint64_t)((double)(40 * w[k].ticks) * (1 + cases[i].ppm / 1e6));
			w[k].from = at - 300 * (1 + k * 7 % 5);
			w[k].to = at + 20000 * (1 + k * 3 % 7);
			w[k].cpu = 0;
		}
		c = make(&conv, false, true, 0, 0);
		clock_fit(&c, w, 40);
		assert_int_equal(c.contradicted, !cases[i].found);
		assert_int_equal(c.rate, cases[i].ppm && cases[i].found ? CLOCK_RATE_MEASURED : CLOCK_RATE_FILE);
		for (k = 0; k < 40 && cases[i].found; k++) {
			ns = ns_of(&c, w[k].ticks, NONE);
			assert_in_range(ns, w[k].from - 2, w[k].to + 2);
		}
	}
}

/* What the metadata says of a CPU's counter decides how its timestamps are converted. */
static void facts_of_the_metadata(void **state)
{
	static const struct {
		bool timestamps, conv, said;
		bool kernel_time;	/* T of --itrace */
		int source;		/* as the recorder writes it: 1 virtual, 2 of a guest, 3 physical, -1 unknown */
		uint64_t freq;
		unsigned int tssize;	/* TRCIDR0.TSSIZE */
		enum clock_kind kind;
		enum clock_rate rate;
		unsigned int bits;
	} cases[] = {
		{ true, true, true, false, 1, 0, 8, CLOCK_CONVERTED, CLOCK_RATE_ASSUMED, 64 },
		{ true, true, true, false, 1, 0, 6, CLOCK_CONVERTED, CLOCK_RATE_ASSUMED, 48 },
		{ true, true, false, false, 1, 0, 8, CLOCK_ESTIMATED, CLOCK_RATE_ASSUMED, 64 },
		{ true, true, true, false, 3, 0, 8, CLOCK_ESTIMATED, CLOCK_RATE_FILE, 64 },
		{ true, true, true, false, 2, 0, 6, CLOCK_ESTIMATED, CLOCK_RATE_FILE, 48 },
		{ true, true, true, false, -1, 0, 7, CLOCK_ESTIMATED, CLOCK_RATE_ASSUMED, 64 },
		{ true, false, true, false, 1, 0, 8, CLOCK_ESTIMATED, CLOCK_RATE_ASSUMED, 64 },
		{ true, true, true, false, 1, 50000000, 8, CLOCK_ESTIMATED, CLOCK_RATE_GIVEN, 64 },
		{ true, true, false, true, 1, 0, 8, CLOCK_CONVERTED, CLOCK_RATE_ASSUMED, 64 },
		{ true, true, true, true, -1, 0, 6, CLOCK_CONVERTED, CLOCK_RATE_ASSUMED, 48 },
		{ true, true, true, true, 3, 0, 8, CLOCK_CONVERTED, CLOCK_RATE_ASSUMED, 64 },
		{ true, false, false, true, 1, 0, 8, CLOCK_ESTIMATED, CLOCK_RATE_ASSUMED, 64 },
		{ false, true, true, true, 1, 0, 8, CLOCK_NONE, CLOCK_RATE_ASSUMED, 64 },
		{ false, true, true, false, 1, 0, 8, CLOCK_NONE, CLOCK_RATE_ASSUMED, 64 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct aux_cpu cpu = { .cpu = 2, .has_ts_source = cases[i].said, .ts_source = cases[i].source,
				       .reg[AUX_REG_TRCIDR0] = (uint64_t)cases[i].tssize << 24 };
		struct trace_unit unit = { .aux = &cpu, .timestamps = cases[i].timestamps };
		const struct trace_units units = { .info = { .cpu = &cpu, .nr_cpu = 1 }, .v = &unit };
		struct clocks c = { .units = &units, .conv = conv, .have_conv = cases[i].conv, .ts_freq = cases[i].freq,
				    .kernel_time = cases[i].kernel_time };
		struct queues qs = { .nr = 0 };

		assert_int_equal(clocks_make(&c, &qs), 0);
		if (c.v[0].kind != cases[i].kind || c.v[0].rate != cases[i].rate || c.v[0].bits != cases[i].bits)
			fail_msg("case %zu: kind %d, rate %d, %u bits", i, (int)c.v[0].kind, (int)c.v[0].rate, c.v[0].bits);
		assert_int_equal(c.timestamps, cases[i].timestamps);
		assert_false(c.v[0].paired);
		clocks_free(&c);
	}
}

/* ---- recordings ------------------------------------------------------------------------------- */

/* A synchronisation, and a timestamp of all bits unless it is 0. */
static void timed_trace(struct pdb *b, uint64_t ticks)
{
	uint8_t p[10] = { 0x02 };
	unsigned int i;

	sb_trace(b, SB_TID);
	if (!ticks)
		return;
	for (i = 1; i < 10; i++, ticks >>= 7)
		p[i] = (ticks & 0x7f) | (i < 9 ? 0x80 : 0);
	pdb_bytes(b, p, 10);
}

/*
 * The recording has no clock rate: it is estimated from AUX records a millisecond apart, of which all but two have a
 * timestamp in the middle. Of 512 fragments and more, every third and the last one are read; there only two have a
 * timestamp. No timestamp is placed outside the time of its record.
 */
static void of_a_recording(void **state)
{
	static const unsigned int records[] = { 120, 512, 513, 514 };
	struct session_opts so = { .symfs = "/nonexistent" };
	const struct trace_clock *c;
	struct session *ss;
	unsigned int i, k, nr;
	bool none;
	uint64_t at;

	(void)state;
	for (k = 0; k < 4; k++) {
		struct pdb data = { 0 }, trace = { 0 };

		nr = records[k];
		sb_aux_info(&data, 1, SB_CONFIGR | 0x800, 0x14);
		for (i = 1; i <= nr; i++) {
			at = trace.len;
			none = nr == 120 ? i == 1 || i == 7 : i != 4 && i != nr;
			timed_trace(&trace, none ? 0 : 50000 + 25000ull * i);
			sb_aux(&data, at, trace.len - at, 0x100, 5000000 + 1000000ull * i + 500000);
		}
		pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
		ss = sb_open(&data, &so, NULL);
		c = clocks_of_cpu(&ss->clocks, 2);
		assert_int_equal(c->kind, CLOCK_ESTIMATED);
		assert_false(c->contradicted);
		assert_int_equal(c->rate, CLOCK_RATE_MEASURED);
		assert_true(c->ns_per_tick > 39 && c->ns_per_tick < 41);
		for (i = nr == 120 ? 2 : nr; i <= nr; i++)
			assert_in_range(ns_of(c, 50000 + 25000ull * i, NONE), 5000000 + 1000000ull * i - 500000,
					5000000 + 1000000ull * i + 500000);
		session_close(ss);
		pdb_free(&trace);
	}
}

/* ---- between timestamps ----------------------------------------------------------------------- */

static void pace_by_instructions(void **state)
{
	struct pace p;

	(void)state;
	pace_begin(&p);
	assert_true(p.now == PACE_UNKNOWN);
	pace_advance(&p, 1000, 0, NONE);
	assert_true(p.now == PACE_UNKNOWN);
	/* nothing known: ten instructions in a nanosecond */
	pace_timestamp(&p, 1000);
	pace_advance(&p, 500, 0, NONE);
	assert_in_range(p.now, 1049, 1050);
	/* 2000 instructions in 4000 ns */
	pace_advance(&p, 1500, 0, NONE);
	pace_timestamp(&p, 5000);
	assert_int_equal(p.now, 5000);
	pace_advance(&p, 100, 0, NONE);
	assert_in_range(p.now, 5199, 5200);
	/* never past the next timestamp, nor back */
	pace_advance(&p, 10000, 0, 5300);
	assert_int_equal(p.now, 5300);
	pace_timestamp(&p, 5250);
	assert_int_equal(p.now, 5300);
	pace_advance(&p, 1, 0, 4000);
	assert_int_equal(p.now, 5300);
}

/* How the work is cut into pieces does not change the time. */
static void pace_in_pieces(void **state)
{
	struct pace a, b;
	unsigned int i;

	(void)state;
	pace_begin(&a);
	pace_timestamp(&a, 100);
	pace_advance(&a, 777, 0, NONE);
	pace_timestamp(&a, 1100);
	b = a;
	pace_advance(&a, 1000, 0, NONE);
	for (i = 0; i < 1000; i++)
		pace_advance(&b, 1, 0, NONE);
	assert_int_equal(a.now, b.now);
}

static void pace_by_cycles(void **state)
{
	struct pace p;

	(void)state;
	pace_begin(&p);
	pace_timestamp(&p, 0);
	/* 1000 instructions took 500 cycles, 250 ns */
	pace_advance(&p, 1000, 500, NONE);
	pace_timestamp(&p, 250);
	/* a stall: few instructions, many cycles */
	pace_advance(&p, 10, 400, NONE);
	assert_in_range(p.now, 449, 450);
}

static void pace_gaps(void **state)
{
	struct pace p;

	(void)state;
	pace_begin(&p);
	pace_timestamp(&p, 1000);
	pace_advance(&p, 100, 0, NONE);
	pace_timestamp(&p, 2000);	/* 10 ns per instruction */
	/* nothing traced until shortly before 9000 */
	pace_gap(&p, 9000);
	assert_int_equal(p.now, 9000);
	pace_advance(&p, 50, 0, 9000);
	assert_int_equal(p.now, 9000);
	/* the gap says nothing about the rate */
	pace_timestamp(&p, 9000);
	pace_advance(&p, 10, 0, NONE);
	assert_in_range(p.now, 9099, 9100);
	/* no timestamp follows */
	pace_gap(&p, PACE_UNKNOWN);
	pace_advance(&p, 10, 0, NONE);
	assert_in_range(p.now, 9198, 9200);
	/* absurd amounts */
	pace_advance(&p, UINT64_MAX / 2, 0, UINT64_MAX - 1);
	pace_timestamp(&p, UINT64_MAX - 1);
	pace_advance(&p, UINT64_MAX, UINT64_MAX, UINT64_MAX - 1);
	assert_true(p.now == UINT64_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrow), cmocka_unit_test(short_counter),
		cmocka_unit_test(estimated), cmocka_unit_test(near_contradiction),
		cmocka_unit_test(fitted), cmocka_unit_test(measured), cmocka_unit_test(steered),
		cmocka_unit_test(facts_of_the_metadata), cmocka_unit_test(of_a_recording),
		cmocka_unit_test(pace_by_instructions), cmocka_unit_test(pace_in_pieces),
		cmocka_unit_test(pace_by_cycles), cmocka_unit_test(pace_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
