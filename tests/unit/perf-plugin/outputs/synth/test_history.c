/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * History before existing samples: which branches and calls of which threads a sample gets, from
 * several streams, across gaps and losses; the place of the fields and the room for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outputs/synth/callstack.h"
#include "outputs/synth/join.h"
#include "unit/perf-plugin/synth_elements.h"

#define KERNEL 0xffff800000000000ull
#define MAX_STREAMS 2
#define IRQ 14

/* What the samples got, as text. */
static struct {
	struct history *h;
	struct join *j;
	struct merge *m;
	struct merge_lane *samples;
	struct history_stream *stream[MAX_STREAMS];
	char text[8192];
	size_t used;
	_Alignas(8) uint8_t sample[65536];
} t;

static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t.used += (size_t)vsnprintf(t.text + t.used, sizeof(t.text) - t.used, fmt, ap);
	va_end(ap);
	assert_true(t.used < sizeof(t.text));
}

static size_t read_nothing(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	(void)s;
	(void)addr;
	(void)buf;
	(void)len;
	return 0;
}

/* A sample of the tests is a header and a word; it becomes header, chain, stack, word. */
static void show(const uint64_t *w, size_t len)
{
	const uint64_t *p = w + 1;
	uint64_t n = *p++, i;

	put("%llx:", (unsigned long long)w[len / 8 - 1]);
	for (i = 0; i < n; i++)
		put("%c%llx", i ? '<' : '(', (unsigned long long)p[i]);
	put("%s", n ? ")" : "");
	p += n;
	for (n = *p++, i = 0; i < n; i++, p += 3)
		put(" %llx>%llx", (unsigned long long)p[0], (unsigned long long)p[1]);
	assert_int_equal((size_t)(p + 1 - w), len / 8);
	put("; ");
}

static void sink(void *data, const void *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = p + len;
	const struct perf_event_header *h;
	size_t n;

	(void)data;
	for (; p < end; p += h->size) {
		h = (const void *)p;
		if (h->type == HISTORY_RECORD) {
			join_piece(t.j, (const struct history_piece *)h);
			continue;
		}
		assert_int_equal(h->type, JOIN_RECORD);
		p += h->size;
		n = join_sample(t.j, (const struct join_mark *)h, p, t.sample);
		h = (const void *)p;
		show((const uint64_t *)t.sample, n);
	}
}

static void begin(unsigned int stack, unsigned int chain)
{
	const struct merge_sink s = { .write = sink };
	const struct join_opts o = { .stack = stack, .chain = chain };

	memset(&t, 0, sizeof(t));
	t.h = history_new(stack, chain, read_nothing);
	t.j = join_new(&o);
	t.m = merge_new(&s, ".");
	t.samples = merge_lane_new(t.m, 1, 0);
}

/* A sample with a mark, whose word is its time. */
static void want(uint64_t thread, uint64_t time, uint64_t ip)
{
	struct {
		struct join_mark mark;
		struct perf_event_header h;
		uint64_t word;
	} r = { .mark = { .header = { .type = JOIN_RECORD, .size = sizeof(r.mark) },
			  .thread = thread, .ip = ip, .chain_at = 8, .stack_at = 8 },
		.h = { .type = PERF_RECORD_SAMPLE, .size = 16 }, .word = time };

	memcpy(merge_reserve(t.samples, time), &r, sizeof(r));
	merge_commit(t.samples, sizeof(r));
}

static void sample(int tid, uint64_t time, uint64_t ip)
{
	history_add(t.h, history_thread(tid, 0), time, ip);
	want(history_thread(tid, 0), time, ip);
}

static struct stream stream_at(int cpu, int tid, uint64_t from, uint64_t to)
{
	static const struct cst_config cfg = { .protocol = CST_PROTO_ETMV4 };

	return (struct stream){ .cpu = cpu, .tid = tid, .pid = tid, .host = { tid, tid },
				.time = from, .time_end = to, .time_known = true, .config = &cfg };
}

static struct history_stream *stream_of(int cpu)
{
	history_sort(t.h);
	if (!t.stream[cpu])
		t.stream[cpu] = history_stream_new(t.h, merge_lane_new(t.m, 0, (uint64_t)cpu));
	return t.stream[cpu];
}

static void run(int cpu, int tid, uint64_t from, uint64_t to, const struct cst_generic *g, size_t n)
{
	struct stream s = stream_at(cpu, tid, from, to);
	size_t i;

	for (i = 0; i < n; i++)
		s.n_insn += g[i].kind == CST_GEN_RANGE ? g[i].n_insn : 0;
	history_batch(stream_of(cpu), &s, g, n);
}

#define RUN(cpu, tid, from, to, ...)							\
	do {										\
		const struct cst_generic g_[] = { __VA_ARGS__ };			\
		run(cpu, tid, from, to, g_, sizeof(g_) / sizeof(g_[0]));		\
	} while (0)

static void end_fragment(int cpu)
{
	const struct stream s = stream_at(cpu, -1, 0, 0);

	history_fragment_end(stream_of(cpu), &s);
}

static void ends(const char *text)
{
	int i;

	for (i = 0; i < MAX_STREAMS; i++) {
		if (t.stream[i])
			end_fragment(i);
		history_stream_free(t.stream[i]);
	}
	assert_int_equal(merge_finish(t.m), 0);
	assert_string_equal(t.text, text);
	merge_free(t.m);
	join_free(t.j);
	history_free(t.h);
}

/*
 * A batch has a branch for each tick: the one of the tick in which the sample was taken is in its
 * stack, later ones are not. The branch that is open where a batch ends is in it, too.
 */
static void times(void **state)
{
	(void)state;
	begin(3, 0);
	sample(7, 0x100, 0x1000);
	sample(7, 0x102, 0x3000);
	sample(7, 0x103, 0x4000);
	sample(7, 0x103, 0x4000);
	sample(8, 0x103, 0x4000);
	sample(7, 0x200, 0x7000);
	RUN(0, 7, 0x100, 0x103, EL_B(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3000, 1),
	    el_plain(CST_GEN_TIMESTAMP));
	RUN(0, 7, 0x103, 0x106, EL_B(0x4000, 1), EL_BCC_N(0x5000, 1), EL_B(0x6000, 1));
	ends("100:; 102: 2000>3000 1000>2000; 103: 3000>4000 2000>3000 1000>2000; "
	     "103: 3000>4000 2000>3000 1000>2000; 103:; 200: 4000>5000 3000>4000 2000>3000; ");
}

/*
 * A thread that continues where an exception interrupted it keeps its branches, on another CPU and
 * in another fragment. Elsewhere it was executed without trace; a loss ends what was known.
 */
static void gaps(void **state)
{
	(void)state;
	begin(4, 0);
	sample(7, 0x180, 0x2008);
	sample(7, 0x1ff, 0x2018);
	sample(7, 0x280, 0x5000);
	sample(7, 0x380, 0x6000);
	sample(7, 0x480, 0x9000);
	sample(7, 0x580, 0x9000);
	RUN(0, 7, 0x100, 0x101, EL_B(0x1000, 1), EL_CUT(0x2000, 2), el_exception(IRQ, 0x2008));
	RUN(0, 7, 0x102, 0x102, el_plain(CST_GEN_TRACE_ON));
	RUN(0, 8, 0x102, 0x104, EL_B(0x8000, 1), EL_B(0x8100, 1));
	end_fragment(0);
	RUN(1, 7, 0x190, 0x191, el_no_sync(CST_UNSYNC_RESET, 0), el_plain(CST_GEN_TRACE_ON),
	    EL_B(0x2008, 1), EL_CUT(0x2010, 2), el_exception(IRQ, 0x2018));
	end_fragment(1);
	RUN(1, 7, 0x200, 0x201, el_plain(CST_GEN_TRACE_ON), EL_B(0x4000, 1), EL_B(0x5000, 1));
	RUN(1, 7, 0x300, 0x310, EL_B(0x5100, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0));
	RUN(1, 7, 0x400, 0x401, EL_B(0x6000, 1), EL_B(0x7000, 1), EL_B(0x9000, 1));
	RUN(1, 7, 0x500, 0x501, el_plain(CST_GEN_NACC));
	ends("180: 1000>2000; 1ff: 2008>2010 1000>2000; 280: 4000>5000; 380:; "
	     "480: 7000>9000 6000>7000; 580:; ");
}

/* Branches of the kernel after the sample was taken are left out, not those before. */
static void late(void **state)
{
	(void)state;
	begin(3, 0);
	sample(7, 0x105, 0x2000);
	sample(7, 0x106, KERNEL + 0x208);
	sample(7, 0x107, 0x2000);
	RUN(0, 7, 0x100, 0x105, EL_B(0x1000, 1), EL_CUT(0x2000, 1), el_exception(IRQ, 0x2004),
	    EL_B(KERNEL + 0x100, 1), EL_B(KERNEL + 0x200, 1), EL_B(KERNEL + 0x300, 1));
	RUN(0, 7, 0x105, 0x107, EL_BCC_N(KERNEL + 0x204, 1), EL_B(KERNEL + 0x208, 1));
	RUN(0, 7, 0x107, 0x108, EL_B(KERNEL + 0x400, 1));
	ends("105: 1000>2000; 106: ffff800000000300>ffff800000000204 "
	     "ffff800000000200>ffff800000000300 ffff800000000100>ffff800000000200; "
	     "107: 1000>2000; ");
}

/* Each CPU has an idle thread of its own. */
static void idle(void **state)
{
	(void)state;
	begin(4, 0);
	sample(0, 0x110, 0x2000);
	RUN(1, 0, 0x100, 0x102, EL_B(0x5000, 1), EL_B(0x6000, 1));
	RUN(0, 0, 0x104, 0x106, EL_B(0x1000, 1), EL_B(0x2000, 1));
	ends("110: 1000>2000; ");
}

/* A filter excludes a part: what comes after it does not continue what was before. */
static void excluded(void **state)
{
	struct cst_generic g[] = { EL_B(0x2000, 1), EL_B(0x3000, 1) };
	struct stream s;

	(void)state;
	begin(4, 0);
	sample(7, 0x110, 0x2000);
	sample(7, 0x150, 0x5000);
	RUN(0, 7, 0x100, 0x102, EL_B(0x1000, 1));
	s = stream_at(0, 7, 0x102, 0x104);
	s.selected.excluded = true;
	history_batch(stream_of(0), &s, g, 2);
	RUN(0, 7, 0x140, 0x142, EL_B(0x4000, 1), EL_B(0x5000, 1));
	ends("110: 1000>2000; 150: 4000>5000; ");
}

/* Calls in one piece, returns in the next one, to calls of either; a return without a call. */
static void calls(void **state)
{
	(void)state;
	begin(1, 8);
	sample(7, 0x110, 0x3000);
	sample(7, 0x120, 0x2004);
	sample(7, 0x130, 0x1004);
	sample(7, 0x140, 0x6000);
	RUN(0, 7, 0x100, 0x102, EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_CUT(0x3000, 1));
	RUN(0, 7, 0x112, 0x114, EL_BL(0x3004, 1), EL_RET(0x4000, 1), EL_RET(0x3008, 1),
	    EL_CUT(0x2004, 1));
	RUN(0, 7, 0x122, 0x124, EL_RET(0x2008, 1), EL_CUT(0x1004, 1));
	RUN(0, 7, 0x132, 0x134, EL_RET(0x1008, 1), EL_BL(0x5000, 1), EL_CUT(0x6000, 1));
	ends("110:(fffffffffffffe00<3000<2004<1004) 2000>3000; "
	     "120:(fffffffffffffe00<2004<1004) 3008>2004; "
	     "130:(fffffffffffffe00<1004) 2008>1004; "
	     "140:(fffffffffffffe00<6000<5004) 5000>6000; ");
}

/* More returns without a call than a piece has room for, behind calls that stay open. */
static void many_returns(void **state)
{
	struct cst_generic g[HISTORY_CALLS + 101];
	const unsigned int n = sizeof(g) / sizeof(g[0]);
	unsigned int i;

	(void)state;
	begin(1, 4);
	sample(7, 0x300, 0x900000);
	RUN(0, 7, 0x100, 0x101, EL_BL(0x1000, 1), EL_BL(0x2000, 1));
	for (i = 0; i < n - 1; i++)
		g[i] = EL_RET(0x10000 + 0x100 * i, 1);
	g[i] = EL_CUT(0x900000, 1);
	run(0, 7, 0x200, 0x201, g, n);
	ends("300:(fffffffffffffe00<900000<2004<1004) 56300>900000; ");
}

/* A window is the history of its sample alone. */
static void windows(void **state)
{
	struct stream s = stream_at(0, 7, 0x100, 0x104);

	(void)state;
	begin(4, 0);
	want(history_window(11), 0x110, 0x2000);
	want(history_window(12), 0x120, 0x4000);
	want(history_window(13), 0x130, 0x4000);
	RUN(0, 7, 0x100, 0x102, EL_B(0x1000, 1), EL_B(0x2000, 1));
	history_window_end(stream_of(0), &s, 11, 0x110);
	RUN(0, 7, 0x118, 0x11a, EL_B(0x3000, 1), EL_B(0x4000, 1));
	history_window_end(stream_of(0), &s, 12, 0x120);
	ends("110: 1000>2000; 120: 3000>4000; 130:; ");
}

/* A large sample gets as many entries as its record has room for, the newest ones. */
static void room(void **state)
{
	const struct join_opts o = { .stack = 1024, .hw_index = true };
	struct {
		struct history_piece p;
		struct ring_entry e[1024];
	} piece = { .p = { .header = { .type = HISTORY_RECORD }, .thread = 7,
			   .nr_branches = 1024 } };
	static _Alignas(8) uint8_t in[65536], out[65536];
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .size = 65528 - JOIN_EMPTY - 48 };
	const struct join_mark mark = { .thread = 7, .ip = 0x1000, .stack_at = 16 };
	struct join *j = join_new(&o);
	const uint64_t *w = (const uint64_t *)out;
	uint64_t i;

	(void)state;
	for (i = 0; i < 1024; i++)
		piece.e[i] = (struct ring_entry){ .from = 0x2000 + 4 * i, .to = 0x1000 };
	memcpy(in, &h, sizeof(h));
	in[8] = 1;
	in[16] = 2;
	in[h.size - 8] = 3;
	join_piece(j, &piece.p);
	i = join_sample(j, &mark, in, out);
	memcpy(&h, out, sizeof(h));
	assert_int_equal(h.size, i);
	assert_true(w[1] == 1 && w[2] == 2 && w[3] == UINT64_MAX);
	assert_true(w[4] == 0x2000 && w[7] == 0x2004 && w[10] == 2 && w[i / 8 - 1] == 3);
	assert_int_equal(join_counts(j)->cut, 1);
	assert_int_equal(join_counts(j)->full, 0);
	/* without history, and with room for nothing */
	h.size = 65528 - JOIN_EMPTY;
	memcpy(in, &h, sizeof(h));
	i = join_sample(j, &(struct join_mark){ .stack_at = 16 }, in, out);
	assert_int_equal(i, 65528 - JOIN_EMPTY + 16);
	assert_true(w[2] == 0 && w[3] == UINT64_MAX && w[4] == 2);
	assert_int_equal(join_counts(j)->empty, 1);
	join_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times), cmocka_unit_test(gaps), cmocka_unit_test(late),
		cmocka_unit_test(idle), cmocka_unit_test(excluded), cmocka_unit_test(calls),
		cmocka_unit_test(many_returns), cmocka_unit_test(windows), cmocka_unit_test(room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
