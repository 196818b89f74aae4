/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of branches that several threads print are the lines that one thread prints, in the same order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "base/error.h"
#include "outputs/listing/line_page.h"
#include "outputs/listing/pages.h"
#include "unit/perf-plugin/perfdata_build.h"

#define ST	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER)
#define FIELDS	(LIST_COMM | LIST_TID | LIST_CPU | LIST_TIME | LIST_EVENT | LIST_FLAGS | LIST_IP | LIST_SYM | LIST_SYMOFF | \
		 LIST_DSO | LIST_ADDR)
#define NAMES	300u
#define LONG	30000u	/* bytes of a long name */

/* Names as a cache of lookups has them: the entry of an address is used again for others. */
static struct symbols symbols;
static char names[NAMES][16];
static char long_name[LONG + 1];

struct sink {
	char *text;
	size_t len, cap;
	unsigned int left;	/* number of calls that succeed before one that fails; UINT_MAX: all */
	bool failed, late;	/* a call failed; there was one behind it */
};

static int take(void *data, const void *text, size_t len)
{
	struct sink *s = data;

	s->late |= s->failed;
	s->failed |= !s->left && !s->late;
	if (s->late)
		return 0;
	if (s->failed)
		return -7;
	s->left -= s->left != UINT32_MAX;
	if (s->len + len > s->cap) {
		s->cap = 2 * s->cap + len;
		s->text = realloc(s->text, s->cap);
		assert_non_null(s->text);
	}
	memcpy(s->text + s->len, text, len);
	s->len += len;
	return 0;
}

static void take_all(void *data, const void *text, size_t len)
{
	assert_int_equal(take(data, text, len), 0);
}

/* Names of threads, which change with time. */
static struct pdb file;
static struct perfdata *pd;
static struct comms *comms;

static int make_comms(void **state)
{
	static const struct pdb_attr attr = { .sample_type = ST, .type = 8, .size = 112, .sample_id_all = true,
					      .ids = { 5 }, .nr_ids = 1 };
	struct pdb_sid sid = { .pid = 100, .tid = 100, .id = 5 };
	struct pdb data = { .p = NULL };
	struct error err;

	(void)state;
	sid.time = 1000;
	pdb_comm(&data, 100, 100, "first", ST, &sid);
	sid.time = 900000;
	pdb_comm(&data, 100, 100, "second", ST, &sid);
	sid.time = 1900500;
	pdb_comm(&data, 100, 100, "third", ST, &sid);
	pdb_file(&file, &attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	comms = pd ? comms_new(pd) : NULL;
	return comms ? 0 : -1;
}

static int free_comms(void **state)
{
	(void)state;
	comms_free(comms);
	perfdata_close(pd);
	pdb_free(&file);
	return 0;
}

/* The names of address number i, as line_find() returns them; each fifth is unknown. */
static struct symbol_ref find(unsigned int i)
{
	const uint64_t addr = 0x400000 + 8 * (uint64_t)i;
	const unsigned int n = i % 5 == 4 ? SYMBOLS_CACHE : i % 64;	/* several share an entry */
	struct symbol_ref ref = { &symbols.slot[n], &symbols.key[n], n < 64 ? &symbols.text[n] : NULL, n };

	if (n == SYMBOLS_CACHE || ref.key->addr == addr)
		return ref;
	*ref.key = (struct symbol_key){ .addr = addr };
	*ref.at = (struct symbol_at){ .lookup = ++symbols.lookups,
				      .names = { .dso = "/bin/prog", .dso_plain = 9, .name = names[i % NAMES],
						 .name_plain = (uint32_t)strlen(names[i % NAMES]), .offset = i } };
	ref.text->len = 0;
	if (i % 97 == 0) {
		ref.at->names.name = long_name;
		ref.at->names.name_plain = LONG;
	}
	return ref;
}

static void put_names(struct line *l, unsigned int i)
{
	struct symbol_ref ref;

	if (!(l->fields & LISTING_NAMES))
		return;
	ref = find(i);
	line_symbol(l, &ref.at->names, ref.text);
}

/* Targets in both halves of the address space, and more upper halves than a page has places; sources near the target before and, behind it or before it, as far as 64 bits reach. */
static uint64_t nth_target(unsigned int i)
{
	return 0x400000 + 8 * (uint64_t)(i * 7 % 1500) + (i % 13 ? 0 : i % 2 ? 0xffff800000000000 : (uint64_t)(i % 77) << 32);
}

static struct page_branch nth_line(unsigned int i)
{
	static const uint64_t distance[] = { 0, 4, 0xfffff, 0x100000, 0x100000000, 0x123456789abcde, UINT64_MAX };
	const uint64_t from = i % 3 && i ? nth_target(i - 1) + distance[i % 7] : 0x400000 + 8 * (uint64_t)(i % 1500);

	return (struct page_branch){ .time = 1000 + 61 * (uint64_t)(i / 5), .from = from, .to = nth_target(i), .pid = 100, .tid = 100,
				     .cpu = 1, .kind = (uint8_t)(i % BRANCH_NR | (i % 3 ? 0 : PAGE_ENDS_TRACE)) };
}

/* Each hundredth line is an error. */
static bool nth_error(unsigned int i, struct error_sample *e)
{
	*e = (struct error_sample){ .code = SAMPLE_ERR_LOST, .text = "Trace data lost", .ip = i, .time = 1000 + 61 * (uint64_t)i,
				    .pid = 100, .tid = 100 };
	return i % 100 == 99;
}

static struct sink print_alone(unsigned int lines, unsigned int fields)
{
	struct sink s = { .left = UINT32_MAX };
	const struct merge_sink sink = { .write = take_all, .data = &s };
	struct merge *m = merge_new(&sink, NULL);
	struct merge_lane *lane = merge_lane_new(m, 0, 0);
	struct line *l = calloc(1, sizeof(*l));
	struct page_branch b;
	struct error_sample e;
	unsigned int i;

	memset(&symbols, 0, sizeof(symbols));
	l->fields = fields;
	l->event_width = 12;
	l->comms = comms_share(comms);
	assert_int_equal(merge_direct(m, lane), 0);
	for (i = 0; i < lines; i++) {
		b = nth_line(i);
		line_begin(l, lane, NULL, b.time);
		if (nth_error(i, &e)) {
			error_line(l, 3, &e);
			continue;
		}
		line_start(l, b.cpu, b.pid, b.tid, b.time, false, 1, "branches");
		line_flags(l, branch_ip_flags_of((enum branch_kind)(b.kind % PAGE_ENDS_TRACE), b.kind & PAGE_ENDS_TRACE));
		if (branch_line_from(l, b.from))
			put_names(l, i % 1500);
		if (branch_line_to(l, b.to))
			put_names(l, i * 7 % 1500);
		line_end(l);
	}
	assert_int_equal(merge_finish(m), 0);
	merge_free(m);
	comms_free(l->comms);
	free(l);
	return s;
}

/* What a line begins with, as perf script prints it. */
static void starts(void **state)
{
	static const struct {
		unsigned int fields;
		int cpu, pid, tid;
		uint64_t time, period;
		const char *want;
	} row[] = {
		{ LIST_PID | LIST_TID, 0, 100, 7, 0, 0, "  100/7     " }, { LIST_PID | LIST_TID, 0, 1234567, 123456, 0, 0, "1234567/123456 " },
		{ LIST_PID, 0, 100, 7, 0, 0, "  100 " }, { LIST_TID, 0, 100, 7, 0, 0, "    7 " }, { LIST_TID, 0, 100, -1, 0, 0, "   -1 " },
		{ LIST_CPU, -1, 1, 1, 0, 0, "[-01] " }, { LIST_CPU, 0, 1, 1, 0, 0, "[000] " }, { LIST_CPU, 12, 1, 1, 0, 0, "[012] " },
		{ LIST_CPU, 1023, 1, 1, 0, 0, "[1023] " }, { LIST_TIME, 0, 1, 1, 1500000999, 0, "    1.500000: " },
		{ LIST_TIME | LIST_NS, 0, 1, 1, 1500000999, 0, "    1.500000999: " },
		{ LIST_TIME | LIST_NS, 0, 1, 1, 12345500000999, 0, "12345.500000999: " },
		{ LIST_TIME, 0, 1, 1, 123456789000001000, 0, "123456789.000001: " },
		{ LIST_PERIOD, 0, 1, 1, 0, 1, "         1 " }, { LIST_PERIOD, 0, 1, 1, 0, 12345678901, "12345678901 " },
		{ LIST_EVENT, 0, 1, 1, 0, 0, "    branches: " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct sink s = { .left = UINT32_MAX };
		const struct merge_sink sink = { .write = take_all, .data = &s };
		struct merge *m = merge_new(&sink, NULL);
		struct merge_lane *lane = merge_lane_new(m, 0, 0);
		struct line *l = calloc(1, sizeof(*l));

		assert_non_null(l);
		l->fields = row[i].fields;
		l->event_width = 12;
		l->comms = comms_share(comms);
		assert_int_equal(merge_direct(m, lane), 0);
		line_begin(l, lane, NULL, row[i].time);
		line_start(l, row[i].cpu, row[i].pid, row[i].tid, row[i].time, false, row[i].period, "branches");
		line_end(l);
		assert_int_equal(merge_finish(m), 0);
		assert_int_equal(s.len, strlen(row[i].want) + 1);
		assert_memory_equal(s.text, row[i].want, s.len - 1);
		merge_free(m);
		comms_free(l->comms);
		free(l);
		free(s.text);
	}
}

/* The text of one value of the field "flags": perf's names in 21 columns; values without a name are blank. */
static void flags_names(void **state)
{
	static const struct {
		unsigned int flags;
		const char *want;
	} row[] = {
		{ 0x001, "jmp" }, { 0x003, "call" }, { 0x005, "return" }, { 0x009, "jcc" }, { 0x013, "syscall" }, { 0x015, "sysret" },
		{ 0x021, "async" }, { 0x043, "int" }, { 0x045, "iret" }, { 0x063, "hw int" }, { 0x101, "tr strt" }, { 0x201, "tr end" },
		{ 0x203, "tr end  call" }, { 0x205, "tr end  return" }, { 0x209, "tr end  jcc" }, { 0x243, "tr end  int" },
		{ 0x263, "tr end  hw int" }, { 0, "" }, { 0x002, "" }, { 0x103, "" }, { 0x200, "" }, { 0x301, "tr end  tr strt" }, { 0x302, "" },
	};
	struct flags_text f;
	char want[40];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		line_flags_new(&f, row[i].flags);
		snprintf(want, sizeof(want), "  %-21s ", row[i].want);
		if (f.flags != row[i].flags || f.len != strlen(want) || memcmp(f.text, want, f.len))
			fail_msg("flags 0x%x: '%.*s', expected '%s'", row[i].flags, (int)f.len, f.text, want);
	}
}

/* A line begins as the one before it only if all that is printed there is the same. */
static void repeated_starts(void **state)
{
	const unsigned int fields = LIST_COMM | LIST_PID | LIST_TID | LIST_CPU | LIST_TIME | LIST_PERIOD | LIST_EVENT;
	static const struct {
		int cpu, pid, tid;
		uint64_t time, period;
		const char *event, *want;
	} row[] = {
		{ 1, 7, 100, 5000, 1, "a", "           first     7/100   [001]     0.000005:          1    a: \n" },
		{ 1, 7, 100, 5999, 1, "a", "           first     7/100   [001]     0.000005:          1    a: \n" },
		{ 2, 7, 100, 5999, 1, "a", "           first     7/100   [002]     0.000005:          1    a: \n" },
		{ 2, 8, 100, 5999, 1, "a", "           first     8/100   [002]     0.000005:          1    a: \n" },
		{ 2, 8, 100, 5999, 3, "a", "           first     8/100   [002]     0.000005:          3    a: \n" },
		{ 2, 8, 100, 5999, 3, "b", "           first     8/100   [002]     0.000005:          3    b: \n" },
		{ 2, 8, 100, 6000, 3, "b", "           first     8/100   [002]     0.000006:          3    b: \n" },
		{ 2, 8, 101, 6000, 3, "b", "            :101     8/101   [002]     0.000006:          3    b: \n" },
		{ 2, 8, 100, 899999, 3, "b", "           first     8/100   [002]     0.000899:          3    b: \n" },
		{ 2, 8, 100, 900000, 3, "b", "          second     8/100   [002]     0.000900:          3    b: \n" },
		/* the name changes within the printed time */
		{ 2, 8, 100, 1900400, 3, "b", "          second     8/100   [002]     0.001900:          3    b: \n" },
		{ 2, 8, 100, 1900450, 3, "b", "second     8/100   [002]     0.001900:          3    b: \n" },
		{ 2, 8, 100, 1900490, 3, "b", "          second     8/100   [002]     0.001900:          3    b: \n" },
		{ 2, 8, 100, 1900600, 3, "b", "third     8/100   [002]     0.001900:          3    b: \n" },
		{ 2, 8, 100, 1900700, 3, "b", "           third     8/100   [002]     0.001900:          3    b: \n" },
	};
	struct sink s = { .left = UINT32_MAX };
	const struct merge_sink sink = { .write = take_all, .data = &s };
	struct merge *m = merge_new(&sink, NULL);
	struct merge_lane *lane = merge_lane_new(m, 0, 0);
	struct line *l = calloc(1, sizeof(*l));
	char want[2048] = "";
	bool chain;
	size_t i;

	(void)state;
	assert_non_null(l);
	l->fields = fields;
	l->event_width = 4;
	l->comms = comms_share(comms);
	assert_int_equal(merge_direct(m, lane), 0);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		/* in front of a call chain, the name is not aligned */
		chain = *row[i].want != ' ';
		line_begin(l, lane, NULL, row[i].time);
		line_start(l, row[i].cpu, row[i].pid, row[i].tid, row[i].time, chain, row[i].period, row[i].event);
		line_end(l);
		strcat(want, row[i].want);
	}
	assert_int_equal(merge_finish(m), 0);
	if (s.len != strlen(want) || memcmp(s.text, want, s.len))
		fail_msg("'%.*s', expected '%s'", (int)s.len, s.text, want);
	merge_free(m);
	comms_free(l->comms);
	free(l);
	free(s.text);
}

/* The line of an error, with and without a time and an address. */
static void errors(void **state)
{
	static const struct {
		struct error_sample e;
		int cpu;
		const char *want;
	} row[] = {
		{ { .code = 5, .text = "lost", .ip = 0x40, .time = 12000000034, .pid = 3, .tid = 4 }, 2,
		  " instruction trace error type 1 time 12.000000034 cpu 2 pid 3 tid 4 ip 0x40 code 5: lost\n" },
		{ { .code = 1, .text = "no\ttext", .pid = -1, .tid = -1 }, -1,
		  " instruction trace error type 1 time 0 cpu -1 pid -1 tid -1 ip 0 code 1: no\\x09text\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct sink s = { .left = UINT32_MAX };
		const struct merge_sink sink = { .write = take_all, .data = &s };
		struct merge *m = merge_new(&sink, NULL);
		struct merge_lane *lane = merge_lane_new(m, 0, 0);
		struct line *l = calloc(1, sizeof(*l));

		assert_non_null(l);
		assert_int_equal(merge_direct(m, lane), 0);
		line_begin(l, lane, NULL, row[i].e.time);
		error_line(l, row[i].cpu, &row[i].e);
		assert_int_equal(merge_finish(m), 0);
		if (s.len != strlen(row[i].want) || memcmp(s.text, row[i].want, s.len))
			fail_msg("'%.*s', expected '%s'", (int)s.len, s.text, row[i].want);
		merge_free(m);
		free(l);
		free(s.text);
	}
}

/* Adds lines of consecutive numbers. */
static void add_lines(struct pages *pg, unsigned int first, unsigned int end, unsigned int fields)
{
	struct page_branch b;
	struct error_sample e;
	uint32_t from, to;
	unsigned int i;

	for (i = first; i < end; i++) {
		b = nth_line(i);
		if (nth_error(i, &e)) {
			pages_error(pg, 3, &e);
			continue;
		}
		from = fields & LISTING_NAMES ? pages_name(pg, (struct symbol_ref[]){ find(i % 1500) }) : 0;
		to = fields & LISTING_NAMES ? pages_name(pg, (struct symbol_ref[]){ find(i * 7 % 1500) }) : 0;
		pages_branch(pg, &b, from, to);
	}
}

/* Returns what pages_finish() or the line that could not be added returned. */
static int print_pages(unsigned int lines, unsigned int fields, unsigned int threads,
		       struct sink *s, unsigned int *added)
{
	const struct pages_opts o = { .fields = fields, .event_width = 12, .event = "branches", .comms = comms,
				      .threads = threads, .write = take, .data = s };
	struct pages *pg = pages_new(&o);
	unsigned int i;
	int rc = 0;

	memset(&symbols, 0, sizeof(symbols));
	assert_non_null(pg);
	for (i = 0; i < lines && !rc; i++) {
		add_lines(pg, i, i + 1, fields);
		rc = pages_failed(pg);
	}
	if (added)
		*added = i;
	if (!rc)
		rc = pages_finish(pg);
	pages_free(pg);
	return rc;
}

static void same_text(void **state)
{
	/* none, a page that is not full, and more pages than the ring has, with names longer than a page's text */
	static const unsigned int lines[] = { 0, 1, 4096, 4097, 100000 };
	unsigned int threads, fields;
	struct sink want, got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (fields = 0; fields < 2; fields++) {
			const unsigned int f = fields ? FIELDS & ~LISTING_NAMES : FIELDS;

			want = print_alone(lines[i], f);
			assert_true(lines[i] < 100000 || want.len > 100000 * (f & LIST_SYM ? 120u : 80u));
			for (threads = 1; threads <= PAGES_THREADS + 1; threads++) {
				got = (struct sink){ .left = UINT32_MAX };
				assert_int_equal(print_pages(lines[i], f, threads, &got, NULL), 0);
				assert_int_equal(got.len, want.len);
				assert_true(!want.len || !memcmp(got.text, want.text, want.len));
				free(got.text);
			}
			free(want.text);
		}
}

/* Lines of pieces that are kept, of different lengths, and others between them, in one thread and in several that begin late. */
static void kept_pieces(void **state)
{
	enum { LINES = 60000, STEP = 5003 };
	struct pages_opts o = { .fields = FIELDS & ~LISTING_NAMES, .event_width = 12, .event = "branches", .comms = comms, .write = take };
	const struct sink want = print_alone(LINES, o.fields);
	unsigned int threads, late, i, k, end;
	struct pages *pg, *kept[2];
	struct sink got;

	(void)state;
	for (threads = 1; threads <= PAGES_THREADS; threads++)
		for (late = 0; late < 2; late++) {
			got = (struct sink){ .left = UINT32_MAX };
			o.data = &got;
			o.threads = late ? 1 : threads;
			pg = pages_new(&o);
			assert_non_null(pg);
			for (i = 0; i < LINES; i = end) {
				/* the second piece is filled before the first one is taken; the lines between are not kept */
				const unsigned int at[] = { i, i + 4096, i + 4096 + 17, i + STEP < LINES ? i + STEP : LINES };

				end = at[3];
				for (k = 0; k < 2; k++) {
					kept[k] = pages_keep(pg, 1 << 20);
					assert_non_null(kept[k]);
				}
				add_lines(kept[1], at[2] < end ? at[2] : end, end, o.fields);
				add_lines(kept[0], at[0], at[1] < end ? at[1] : end, o.fields);
				assert_int_equal(pages_failed(kept[0]), 0);
				assert_int_equal(pages_take(pg, kept[0]), 0);
				pages_free(kept[0]);
				add_lines(pg, at[1] < end ? at[1] : end, at[2] < end ? at[2] : end, o.fields);
				if (late)
					pages_start(pg, threads);
				assert_int_equal(pages_take(pg, kept[1]), 0);
				pages_free(kept[1]);
			}
			assert_int_equal(pages_finish(pg), 0);
			pages_free(pg);
			assert_int_equal(got.len, want.len);
			assert_memory_equal(got.text, want.text, want.len);
			free(got.text);
		}
	free(want.text);
}

/* Kept lines that need more memory than they may are refused, whatever is added after that. */
static void too_many(void **state)
{
	const struct pages_opts o = { .fields = FIELDS & ~LISTING_NAMES, .event_width = 12, .event = "branches", .comms = comms,
				      .threads = 1, .write = take };
	struct pages *pg = pages_new(&o), *kept;
	unsigned int i;

	(void)state;
	assert_non_null(pg);
	kept = pages_keep(pg, 10 * sizeof(struct line_page));
	assert_non_null(kept);
	add_lines(kept, 0, PAGE_LINES, 0);
	assert_int_equal(pages_failed(kept), 0);
	/* with errors, which are larger */
	for (i = 1; !pages_failed(kept); i++)
		add_lines(kept, i * PAGE_LINES, (i + 1) * PAGE_LINES, 0);
	assert_in_range(i, 2, 10);
	add_lines(kept, 0, 3 * PAGE_LINES, 0);
	assert_int_equal(pages_failed(kept), SESSION_UNFIT);
	pages_free(kept);
	pages_free(pg);
}

enum same { SAME_ALL, SAME_THREAD, SAME_NOTHING };

/* Adds lines until a page is full, and as many to `pg` if that is not NULL. Returns their number. */
static unsigned int fill_page(struct pages *pg, enum same same)
{
	struct line_page *p = calloc(1, sizeof(*p));
	struct page_branch b = { .pid = 100, .tid = 100, .cpu = 1, .from = 0x1000, .to = 0x2000 };
	unsigned int i;

	assert_non_null(p);
	line_page_begin(p, 1);
	for (i = 0; line_page_room(p); i++) {
		b.time = same == SAME_NOTHING ? i : 0;
		b.from = same == SAME_ALL ? 0x2000 : 0x1000;
		line_page_add_branch(p, &b, 0, 0);
		if (pg)
			pages_branch(pg, &b, 0, 0);
	}
	free(p);
	return i;
}

/* A page has as many lines as there is room for them and their rests, and all memory of its own. */
static void full_pages(void **state)
{
	/* words of a rest: struct page_rest, and struct page_thread */
	const unsigned int spare = PAGE_REST_WORDS - 1;
	struct line_page *p = calloc(1, sizeof(*p));
	unsigned int i;

	(void)state;
	assert_int_equal(fill_page(NULL, SAME_ALL), PAGE_LINES);
	assert_in_range(fill_page(NULL, SAME_THREAD) * 3, PAGE_WORDS - 3 - 3 - spare, PAGE_WORDS);
	assert_in_range(fill_page(NULL, SAME_NOTHING) * 6, PAGE_WORDS - 6 - spare, PAGE_WORDS);
	assert_non_null(p);
	line_page_begin(p, 1);
	for (i = 0; line_page_room(p); i++)
		line_page_add_error(p, 1, &(struct error_sample){ .ip = i });
	assert_int_equal(i, (PAGE_WORDS - 1) / (PAGE_REST_WORDS + 1));
	/* the last rest is above the last line */
	assert_true(p->nr <= p->rests && p->nr + PAGE_REST_WORDS + 1 > p->rests);
	free(p);
}

/* Lines are kept up to the very number of bytes that their pages take. */
static void kept_bytes(void **state)
{
	const struct pages_opts o = { .fields = FIELDS & ~LISTING_NAMES, .event_width = 12, .event = "branches", .comms = comms,
				      .threads = 1, .write = take };
	struct pages *pg = pages_new(&o), *kept;
	unsigned int less;

	(void)state;
	assert_non_null(pg);
	for (less = 0; less < 2; less++) {
		kept = pages_keep(pg, 2 * sizeof(struct line_page) - less);
		assert_non_null(kept);
		fill_page(kept, SAME_ALL);
		fill_page(kept, SAME_NOTHING);
		/* a page is kept when the next one begins */
		assert_int_equal(pages_failed(kept), 0);
		fill_page(kept, SAME_ALL);
		assert_int_equal(pages_failed(kept), less ? SESSION_UNFIT : 0);
		pages_free(kept);
	}
	pages_free(pg);
}

/* The names of a page are numbered from 0, each once. */
static void names_of_a_page(void **state)
{
	struct line_page *p = calloc(1, sizeof(*p));
	struct symbol_ref ref;

	(void)state;
	assert_non_null(p);
	p->names = calloc(1, sizeof(*p->names));
	assert_non_null(p->names);
	line_page_begin(p, 1);
	memset(&symbols, 0, sizeof(symbols));
	ref = find(0);
	assert_int_equal(line_page_add_name(p, &ref), 0);
	assert_int_equal(line_page_add_name(p, &ref), 0);
	ref = find(1);
	assert_int_equal(line_page_add_name(p, &ref), 1);
	free(p->names);
	free(p);
}

/* Branch number i of those that are added together: near each other in stretches, of more upper halves than a page has places. */
static struct cst_branch nth_branch(unsigned int i)
{
	const uint64_t at = 0x1000 + 256 * (uint64_t)i + ((uint64_t)(i / 700) << 32);

	return (struct cst_branch){ .from = at + 10, .to = at + 256 + (i % 50 ? 0 : (uint64_t)(i % 3) << 32),
				    .last_size = i % 2 ? 4 : 2, .last_type = i % 7 ? CST_INSN_BRANCH : CST_INSN_INDIRECT,
				    .last_subtype = i % 5 ? CST_INSN_PLAIN : CST_INSN_LINK,
				    .flags = CST_GF_WAYPOINT | CST_GF_EXEC | (i % 11 ? 0 : CST_GF_COND) };
}

/* Lines that are added together are those that are added one by one, however many branches are given at a time. */
static void together_with(unsigned int fields)
{
	enum { BRANCHES = 50000 };
	static struct cst_branch br[BRANCHES];
	struct pages_opts o = { .fields = fields, .event_width = 12, .event = "branches", .comms = comms, .threads = 2, .write = take };
	unsigned int step, i, k;
	struct sink s[2];
	struct page_branch b;
	struct pages *pg;

	for (i = 0; i < BRANCHES; i++)
		br[i] = nth_branch(i);
	for (step = 1; step < 20000; step *= 7) {
		for (k = 0; k < 2; k++) {
			s[k] = (struct sink){ .left = UINT32_MAX };
			o.data = &s[k];
			pg = pages_new(&o);
			assert_non_null(pg);
			for (i = 0; i < BRANCHES; i++) {
				/* branches of one step have one time, which does not change with each step */
				b = (struct page_branch){ .time = 1000 + i / step / 2, .from = br[i].from, .to = br[i].to, .pid = 100,
							  .tid = 100, .cpu = 1, .kind = (uint8_t)branch_kind_listed(&br[i]) };
				if (!k)
					pages_branch(pg, &b, 0, 0);
				else if (i % step == 0)
					pages_taken(pg, &b, br + i, BRANCHES - i < step ? BRANCHES - i : step);
			}
			assert_int_equal(pages_finish(pg), 0);
			pages_free(pg);
		}
		assert_true(s[0].len > BRANCHES * 20u);
		assert_int_equal(s[0].len, s[1].len);
		assert_memory_equal(s[0].text, s[1].text, s[0].len);
		free(s[0].text);
		free(s[1].text);
	}
}

static void together(void **state)
{
	(void)state;
	together_with(FIELDS & ~LISTING_NAMES);
	together_with(LIST_PID | LIST_TID | LIST_CPU | LIST_IP | LIST_ADDR);
	together_with(LIST_TID | LIST_IP);
	together_with(LIST_IP | LIST_ADDR);
}

/* Lines in pages that differ in one thing from the line before. */
static void rests(void **state)
{
	static const struct page_branch row[] = {
		{ .time = 1000, .from = 0x1000, .to = 0x2000, .pid = 100, .tid = 100, .cpu = 1 },
		{ .time = 1000, .from = 0x2004, .to = 0x2008, .pid = 100, .tid = 100, .cpu = 1 },
		{ .time = 1000, .from = 0x200c, .to = 0x2010, .pid = 101, .tid = 100, .cpu = 1 },
		{ .time = 1000, .from = 0x2014, .to = 0x2018, .pid = 101, .tid = 102, .cpu = 1 },
		{ .time = 1000, .from = 0x201c, .to = 0x2020, .pid = 101, .tid = 102, .cpu = 3 },
		{ .time = 2000, .from = 0x2024, .to = 0x2028, .pid = 101, .tid = 102, .cpu = 3 },
		{ .time = 2000, .from = 0x202c, .to = 0x100002030, .pid = 101, .tid = 102, .cpu = 3 },
		{ .time = 2000, .from = 0x100002034, .to = 0x100002038, .pid = 101, .tid = 102, .cpu = 3 },
	};
	static const char want[] =
		"  100/100   [001]     0.000001:              1000 =>             2000\n"
		"  100/100   [001]     0.000001:              2004 =>             2008\n"
		"  101/100   [001]     0.000001:              200c =>             2010\n"
		"  101/102   [001]     0.000001:              2014 =>             2018\n"
		"  101/102   [003]     0.000001:              201c =>             2020\n"
		"  101/102   [003]     0.000002:              2024 =>             2028\n"
		"  101/102   [003]     0.000002:              202c =>        100002030\n"
		"  101/102   [003]     0.000002:         100002034 =>        100002038\n"
		"  101/102   [003]     0.000002:         100003010 =>        100003014\n"
		" instruction trace error type 1 time 4.294967396 cpu 3 pid 9 tid 9 ip 0x6400000000 code 5: lost\n"
		"  100/100   [001]     0.000000:         100003018 =>             3000\n";
	/* its numbers are those of the branch behind it, at the places of other fields */
	static const struct error_sample error = { .code = 5, .text = "lost", .ip = 100ull << 32, .time = 1ull << 32 | 100, .pid = 9, .tid = 9 };
	struct page_branch b = row[7];
	struct sink s = { .left = UINT32_MAX };
	const struct pages_opts o = { .fields = LIST_PID | LIST_TID | LIST_CPU | LIST_TIME | LIST_IP | LIST_ADDR, .event_width = 12,
				      .event = "branches", .comms = comms, .threads = 1, .write = take, .data = &s };
	struct pages *pg = pages_new(&o);
	size_t i;

	(void)state;
	assert_non_null(pg);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		pages_branch(pg, &row[i], 0, 0);
	b.from = 0x100003010;
	b.to = 0x100003014;
	pages_branch(pg, &b, 0, 0);
	pages_error(pg, 3, &error);
	b = (struct page_branch){ .time = 5, .from = 0x100003018, .to = 0x3000, .pid = 100, .tid = 100, .cpu = 1 };
	pages_branch(pg, &b, 0, 0);
	assert_int_equal(pages_finish(pg), 0);
	pages_free(pg);
	if (s.len != strlen(want) || memcmp(s.text, want, s.len))
		fail_msg("printed:\n%.*sexpected:\n%s", (int)s.len, s.text, want);
	free(s.text);
}

/* An output that fails ends the lines soon after, and nothing is written behind what failed. */
static void failed_output(void **state)
{
	unsigned int threads, added;
	struct sink want, got;

	(void)state;
	want = print_alone(200000, FIELDS);
	for (threads = 1; threads <= PAGES_THREADS; threads++) {
		got = (struct sink){ .left = 3 };
		assert_int_equal(print_pages(200000, FIELDS, threads, &got, &added), -7);
		assert_in_range(added, 1, 199999);
		assert_true(got.failed && !got.late);
		assert_in_range(got.len, 1, want.len - 1);
		assert_memory_equal(got.text, want.text, got.len);
		free(got.text);
	}
	free(want.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_text), cmocka_unit_test(together), cmocka_unit_test(failed_output), cmocka_unit_test(starts),
		cmocka_unit_test(kept_pieces), cmocka_unit_test(too_many), cmocka_unit_test(kept_bytes), cmocka_unit_test(full_pages),
		cmocka_unit_test(names_of_a_page), cmocka_unit_test(rests),
		cmocka_unit_test(flags_names), cmocka_unit_test(repeated_starts), cmocka_unit_test(errors),
	};
	unsigned int i;

	for (i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
	memset(long_name, 'x', LONG);
	return cmocka_run_group_tests_name("listing pages", tests, make_comms, free_comms);
}
