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

/* Address spaces and batch of line number i. */
static uint64_t spaces_of(unsigned int i)
{
	return i / 1000 % 3;
}

static uint64_t batch_of(unsigned int i)
{
	return 1 + i / 100;
}

/* Number of the symbol at an address in line number i. */
static unsigned int symbol_of(uint64_t addr, unsigned int i)
{
	return (unsigned int)((addr / 8 + spaces_of(i)) % 1500);
}

/* Names of each third symbol are unknown in some batches, those of others are the same in all. */
static bool stays(uint64_t addr, unsigned int i)
{
	return symbol_of(addr, i) % 3;
}

static struct symbol_names names_of(uint64_t addr, unsigned int i)
{
	const unsigned int n = symbol_of(addr, i);

	if (n % 5 == 4 || (!stays(addr, i) && batch_of(i) % 10 == 0))
		return (struct symbol_names){ .dso = NULL };
	return (struct symbol_names){
		.dso = "/bin/prog",
		.dso_plain = 9,
		.offset = n,
		.name = n % 97 ? names[n % NAMES] : long_name,
		.name_plain = n % 97 ? (uint32_t)strlen(names[n % NAMES]) : LONG,
	};
}

static void put_names(struct line *l, uint64_t addr, unsigned int i)
{
	const struct symbol_names found = names_of(addr, i);

	if (l->fields & LISTING_NAMES)
		line_symbol(l, &found, NULL);
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

	return (struct page_branch){ .time = 1000 + 61 * (uint64_t)(i / 5),
				     .from = from,
				     .to = nth_target(i),
				     .who = { .pid = 100, .tid = 100, .cpu = 1, .machine = -1 },
				     .kind = (uint8_t)(i % BRANCH_NR |
						       (i % 3 ? 0 : PAGE_ENDS_TRACE)) };
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
		line_start(l, &b.who, b.time, false, 1, "branches");
		line_flags(l, branch_ip_flags_of((enum branch_kind)(b.kind % PAGE_ENDS_TRACE), b.kind & PAGE_ENDS_TRACE));
		if (branch_line_from(l, b.from))
			put_names(l, b.from, i);
		if (branch_line_to(l, b.to))
			put_names(l, b.to, i);
		line_end(l);
	}
	assert_int_equal(merge_finish(m), 0);
	merge_free(m);
	comms_free(l->comms);
	free(l);
	return s;
}

/*
 * Adds a line with names, which are found if they are not known. Some are valid in all batches,
 * others in one, or never, as those of an open branch's source are.
 */
static void add_named(struct pages *pg, const struct page_branch *b, unsigned int i)
{
	struct names_valid valid = { .spaces = spaces_of(i), .batch = batch_of(i) };
	struct symbol_names from, to;

	if (i % 17 && pages_known(pg, b, &valid))
		return;
	from = names_of(b->from, i);
	to = names_of(b->to, i);
	if (i % 17 == 0)
		valid.batch = 0;
	else if (stays(b->from, i) && stays(b->to, i))
		valid.batch = UINT64_MAX;
	pages_named(pg, b, &valid, &from, &to);
}

/* Adds lines of consecutive numbers. */
static void add_lines(struct pages *pg, unsigned int first, unsigned int end, unsigned int fields)
{
	struct page_branch b;
	struct error_sample e;
	unsigned int i;

	for (i = first; i < end; i++) {
		b = nth_line(i);
		if (nth_error(i, &e)) {
			pages_error(pg, 3, &e);
			continue;
		}
		if (fields & LISTING_NAMES)
			add_named(pg, &b, i);
		else
			pages_branch(pg, &b);
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
static void kept_pieces_with(unsigned int fields)
{
	enum { LINES = 60000, STEP = 5003 };
	struct pages_opts o = { .fields = fields,
				.event_width = 12,
				.event = "branches",
				.comms = comms,
				.write = take };
	const struct sink want = print_alone(LINES, o.fields);
	unsigned int threads, late, i, k, end;
	struct pages *pg, *kept[2];
	struct sink got;

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
					kept[k] = pages_keep(pg, 16 << 20);
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

static void kept_pieces(void **state)
{
	(void)state;
	kept_pieces_with(FIELDS & ~LISTING_NAMES);
	kept_pieces_with(FIELDS);
}

/*
 * Returns the number of pages after which kept lines need more memory than they may. Whatever is
 * added after that is refused.
 */
static unsigned int refused_after(unsigned int fields)
{
	const struct pages_opts o = { .fields = fields,
				      .event_width = 12,
				      .event = "branches",
				      .comms = comms,
				      .threads = 1,
				      .write = take };
	struct pages *pg = pages_new(&o), *kept;
	unsigned int i;

	assert_non_null(pg);
	kept = pages_keep(pg, 10 * sizeof(struct line_page));
	assert_non_null(kept);
	add_lines(kept, 0, PAGE_LINES, fields);
	assert_int_equal(pages_failed(kept), 0);
	/* with errors, which are larger */
	for (i = 1; !pages_failed(kept); i++)
		add_lines(kept, i * PAGE_LINES, (i + 1) * PAGE_LINES, fields);
	add_lines(kept, 0, 3 * PAGE_LINES, fields);
	assert_int_equal(pages_failed(kept), SESSION_UNFIT);
	pages_free(kept);
	pages_free(pg);
	return i;
}

/* The texts of names count as well. */
static void too_many(void **state)
{
	(void)state;
	assert_in_range(refused_after(FIELDS & ~LISTING_NAMES), 4, 10);
	assert_in_range(refused_after(FIELDS), 2, 3);
}

/* When the output has ended, so do the shards that keep lines for it. */
static void ended_output(void **state)
{
	struct sink s = { .left = 0 };
	const struct pages_opts o = { .fields = FIELDS,
				      .event_width = 12,
				      .event = "branches",
				      .comms = comms,
				      .threads = 2,
				      .write = take,
				      .data = &s };
	struct pages *pg = pages_new(&o), *kept = pages_keep(pg, 16 << 20);

	(void)state;
	add_lines(kept, 0, 2 * PAGE_LINES, FIELDS);
	assert_int_equal(pages_failed(kept), 0);
	add_lines(pg, 0, PAGE_LINES, FIELDS);
	assert_int_equal(pages_finish(pg), -7);
	add_lines(kept, 0, PAGE_LINES, FIELDS);
	assert_int_equal(pages_failed(kept), -7);
	pages_free(kept);
	pages_free(pg);
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
				b = (struct page_branch){
					.time = 1000 + i / step / 2,
					.from = br[i].from,
					.to = br[i].to,
					.who = { .pid = 100, .tid = 100, .cpu = 1, .machine = -1 },
					.kind = (uint8_t)branch_kind_listed(&br[i])
				};
				if (!k)
					pages_branch(pg, &b);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_text),	cmocka_unit_test(together),
		cmocka_unit_test(kept_pieces),	cmocka_unit_test(too_many),
		cmocka_unit_test(ended_output),
	};
	unsigned int i;

	for (i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "function_%u", i);
	memset(long_name, 'x', LONG);
	return cmocka_run_group_tests_name("listing pages", tests, make_comms, free_comms);
}
