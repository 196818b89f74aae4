/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A listing that begins inside a recording, with an index of its fragments: the same elements as without one, and less is
 * decoded. What is done with an index that does not fit. And what a filter on time makes of whole fragments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/input.h"
#include "outputs/dump/range.h"
#include "session/decode/decode.h"
#include "session/indexes/index_book.h"
#include "unit/perf-plugin/who_build.h"

#define STRETCHES	300u
#define TICKS		1000u	/* from one stretch to the next */

static char data_path[64], index_path[80];

/* ---- a recording ------------------------------------------------------------------------------------- */

/* How a fragment is made. */
struct shape {
	unsigned int contexts;	/* a context for each of so many stretches */
	unsigned int stamps;	/* a timestamp for each of so many stretches */
	uint8_t id;		/* trace ID in frames; 0: raw */
};

static const struct shape plain = { 1, 1, 0 };

static void t_world(struct pdb *b, uint32_t cid)
{
	uint8_t to[] = { 0x9d, SB_BASE >> 2 & 0x7f, SB_BASE >> 9 & 0x7f, SB_BASE >> 16 & 0xff, 0, 0, 0, 0, 0 };

	pdb_bytes(b, "\x81", 1);
	pdb_bytes(b, "\xb0", 1);
	pdb_u32(b, cid);
	pdb_bytes(b, to, sizeof(to));
}

/* Stretches of two threads in turn, from tick `first` on, in one fragment. */
static void fragment(struct pdb *trace, const struct shape *sh, uint64_t first)
{
	unsigned int i, k;
	uint32_t cid;

	for (i = 0; i < STRETCHES; i++) {
		cid = i / sh->contexts & 1 ? 2000 : 1000;
		t_sync(trace);
		if (!i)
			t_on(trace);
		if (i % sh->stamps == 0)
			t_time(trace, first + i * TICKS);
		if (i % sh->contexts == 0)
			t_world(trace, cid);
		else
			pdb_bytes(trace, (uint8_t[]){ 0x9d, SB_BASE >> 2 & 0x7f, SB_BASE >> 9 & 0x7f, SB_BASE >> 16 & 0xff,
						      0, 0, 0, 0, 0 }, 9);
		for (k = 0; k < 4; k++)
			t_run(trace);
	}
}

static void save(const char *path, const void *p, size_t len)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void *load(const char *path, size_t *len)
{
	static char buf[1 << 20];
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	*len = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	return buf;
}

/* Fragments of these shapes, one behind the other, written to data_path. */
static void record(const struct shape *shapes, unsigned int n)
{
	struct pdb data = { 0 }, all = { 0 }, file = { 0 };
	bool raw = true;
	unsigned int i;

	for (i = 0; i < n; i++)
		raw &= !shapes[i].id;
	two_processes(&data, CID | TS, IDR2(4, 0));
	for (i = 0; i < n; i++) {
		struct pdb trace = { 0 }, framed = { 0 };
		struct pdb_sid s = at_time(1000 + (i + 1) * STRETCHES * TICKS, 1, 2);

		fragment(&trace, &shapes[i], 1000 + i * STRETCHES * TICKS);
		while (trace.len % 14)
			pdb_bytes(&trace, "\x71", 1);
		if (raw) {
			pdb_aux(&data, all.len, trace.len, 0x100, SB_ST, &s);
			pdb_bytes(&all, trace.p, trace.len);
		} else {
			sb_frames(&framed, &trace, shapes[i].id);
			pdb_aux(&data, all.len, framed.len, 0, SB_ST, &s);
			pdb_bytes(&all, framed.p, framed.len);
		}
		pdb_free(&trace);
		pdb_free(&framed);
	}
	pdb_auxtrace(&data, 0, all.p, all.len, 2, (uint32_t)-1);
	pdb_file(&file, attrs, 2, 0, &data, NULL, 0);
	save(data_path, file.p, file.len);
	pdb_free(&data);
	pdb_free(&all);
	pdb_free(&file);
}

/* ---- decoding it ------------------------------------------------------------------------------------- */

struct output {
	uint64_t digest;	/* of all that is listed */
	uint64_t elements;
	uint64_t gaps;		/* in what is not wanted, between fragments */
	uint64_t left_out;	/* bytes */
	struct dump_range range;
};

/* Trace that is not as the architecture has it is refused: another option than that of make_index(). */
static bool strict;

static void add_to(struct output *o, uint64_t value)
{
	o->digest = (o->digest ^ value) * 0x100000001b3ull;
}

static int list_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct output *o = data;
	size_t i;

	for (i = 0; i < n; i++) {
		if (s->unwanted)
			o->gaps += g[i].kind == CST_GEN_NO_SYNC && g[i].num == CST_UNSYNC_RESET;
		if (s->unwanted || !dump_range_element(&o->range, &g[i]))
			continue;
		o->elements++;
		add_to(o, g[i].kind | (uint64_t)g[i].n_insn << 32);
		add_to(o, g[i].addr);
		add_to(o, g[i].index);
	}
	return 0;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct output *o = data;
	struct index_section s = { .tree = e->tree };

	if (e->ended)
		return 0;
	index_book_section(&s, e->fragment);
	*e->start = dump_range_start(&o->range, &s, -1);
	return 0;
}

/* Messages of stderr between begin_messages() and end_messages() go to `text`, if there is one. */
struct messages {
	FILE *f;
	int was;
};

static struct messages begin_messages(void)
{
	struct messages m = { tmpfile(), dup(STDERR_FILENO) };

	assert_non_null(m.f);
	fflush(stderr);
	dup2(fileno(m.f), STDERR_FILENO);
	return m;
}

static void end_messages(struct messages *m, char *text, size_t room)
{
	ssize_t n;

	fflush(stderr);
	dup2(m->was, STDERR_FILENO);
	close(m->was);
	if (text) {
		n = pread(fileno(m->f), text, room - 1, 0);
		text[n > 0 ? n : 0] = 0;
	}
	fclose(m->f);
}

/* What is listed from offset `at` on, or, without it, in the window of time. */
static struct output list_from(uint64_t at, const char *window, bool index, char *text, size_t room)
{
	struct session_opts so = { .symfs = dir, .input = data_path, .filter = { .time = window },
				   .contextid = CONTEXTID_TID, .strict = strict };
	struct output o = { .range.from = { at != 0, CST_INDEX_KINDS, at } };
	struct consumer con = { .data = &o, .wants.excluded = true, .batch = list_batch };
	struct messages m = begin_messages();
	struct session *ss;
	int rc = -1;

	if (at)
		con.fragment = on_fragment;
	input_forget_all();	/* what another run read may be written */
	assert_int_equal(index_book_init(&o.range.book, "test", data_path, NULL), 0);
	if (index)
		index_book_read(&o.range.book);
	ss = session_open(&so);
	if (ss) {
		rc = session_run(ss, &con);
		o.left_out = session_totals(ss)->filtered_bytes;
	}
	session_close(ss);
	index_book_finish(&o.range.book);
	index_book_free(&o.range.book);
	end_messages(&m, text, room);
	assert_int_equal(rc, 0);
	assert_true(o.elements > 0);
	return o;
}

/* ---- making an index --------------------------------------------------------------------------------- */

static int index_fragment(void *data, const struct fragment_event *e)
{
	struct index_book *b = data;
	struct index_section s = { .tree = e->tree };

	if (e->ended)
		return 0;
	index_book_section(&s, e->fragment);
	return index_book_make(b, &s);
}

static void make_index(uint32_t granularity)
{
	struct session_opts so = { .symfs = dir, .input = data_path };
	struct index_book b = { .opts.granularity = granularity };
	struct consumer con = { .data = &b, .fragment = index_fragment };
	struct session *ss = session_open(&so);

	assert_non_null(ss);
	assert_int_equal(index_book_init(&b, "test", data_path, NULL), 0);
	assert_string_equal(b.path, index_path);
	unlink(index_path);
	input_forget_all();
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(index_book_write(&b), 0);
	index_book_free(&b);
	session_close(ss);
}

/* From that offset on the same is listed with and without an index. Returns how many bytes the index spared. */
static uint64_t same(uint64_t at, char *text, size_t room)
{
	struct output with = list_from(at, NULL, true, text, room), without = list_from(at, NULL, false, NULL, 0);

	assert_int_equal(with.elements, without.elements);
	assert_true(with.digest == without.digest);
	assert_int_equal(without.left_out, 0);
	return with.left_out;
}

/* ---- tests ------------------------------------------------------------------------------------------- */

/* An offset of the trace, in tenths of the file, which has little else. */
static uint64_t at_part(unsigned int of_ten)
{
	size_t len;

	load(data_path, &len);
	return len * of_ten / 10;
}

/* From places in one and in several fragments on. */
static void same_as_without(void **state)
{
	static const struct shape shapes[] = {
		{ 1, 1, 0 }, { 6, 1, 0 }, { 1, 5, 0 }, { 9, 4, 0 }, { 1, 1, 0x14 }, { 8, 3, 0x14 },
	};
	struct shape both[2];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (k = 1; k <= 2; k++) {
			both[0] = both[1] = shapes[i];
			record(both, k);
			make_index(1);
			same(100, NULL, 0);
			assert_true(same(at_part(5), NULL, 0) > at_part(2));
			assert_true(same(at_part(8), NULL, 0) > at_part(4));
		}
}

/* Trace of a fragment that a filter leaves out is a gap for whoever follows what is not wanted, too. */
static void gaps_between_fragments(void **state)
{
	const struct shape shapes[] = { plain, { 9, 4, 0 }, plain };
	struct output o;

	(void)state;
	record(shapes, 3);
	/* up to the end of the first fragment, and from the middle of the third on */
	o = list_from(0, "0.000290,0.000300 0.000750,", false, NULL, 0);
	assert_true(o.left_out > STRETCHES * 20);
	/* the second fragment, and the beginning of the third */
	assert_int_equal(o.gaps, 2);
}

static unsigned int count_of(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* A fragment of which the file has no index is decoded from its beginning, and that is said once, too. */
static void not_in_the_index(void **state)
{
	const struct shape shapes[] = { plain, plain, plain };
	char text[4096];
	unsigned int n;

	(void)state;
	for (n = 1; n <= 3; n++) {
		record(shapes, n);
		make_index(1);
		record(shapes, 3);
		assert_true(same(at_part(8), text, sizeof(text)) > 0);
		assert_int_equal(count_of(text, "there is no index of 'buffer 0, offset "), n < 3);
	}
}

static int make_all(void **state)
{
	int rc = make_files(state);

	snprintf(data_path, sizeof(data_path), "%s/perf.data", dir);
	snprintf(index_path, sizeof(index_path), "%s.cstidx", data_path);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_without),
		cmocka_unit_test(gaps_between_fragments),
		cmocka_unit_test(not_in_the_index),
	};

	return cmocka_run_group_tests(tests, make_all, remove_dir);
}
