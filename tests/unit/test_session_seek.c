/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoding from the middle of a fragment with an index: what a filter on time lets pass is what comes out without an
 * index, and less is decoded. And what is done with an index that does not fit.
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

#include "decode/decode.h"
#include "files/input.h"
#include "indexes/index_book.h"
#include "who_build.h"

#define STRETCHES	300u
#define TICKS		1000u	/* from one stretch to the next */
#define NEVER		1000u

static char data_path[64], index_path[80];

/* ---- a recording ------------------------------------------------------------------------------------- */

/* How a fragment is made. */
struct shape {
	unsigned int contexts;	/* a context for each of so many stretches */
	unsigned int stamps;	/* a timestamp for each of so many stretches */
	uint64_t restart;	/* stretch at which timestamps begin again at zero */
	unsigned int secure;	/* stretch that is in Secure state */
	uint32_t guest;		/* VMID of every seventh stretch; the others have VMID 0 */
	uint8_t id;		/* trace ID in frames; 0: raw */
	unsigned int no_stamps;	/* how many stretches come before the first timestamp */
};

static const struct shape plain = { 1, 1, NEVER, NEVER, 0, 0, 0 };

static void t_world(struct pdb *b, bool secure, uint32_t cid)
{
	uint8_t info = secure ? 0x90 : 0xb0;
	uint8_t to[] = { 0x9d, SB_BASE >> 2 & 0x7f, SB_BASE >> 9 & 0x7f, SB_BASE >> 16 & 0xff, 0, 0, 0, 0, 0 };

	pdb_bytes(b, "\x81", 1);
	pdb_bytes(b, &info, 1);
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
		if (i % sh->stamps == 0 && i >= sh->no_stamps)
			t_time(trace, i >= sh->restart ? (i - sh->restart) * TICKS : first + i * TICKS);
		if (sh->guest)
			t_context(trace, 0, cid, 4, i % 7 ? 0 : sh->guest, 1);
		else if (i % sh->contexts == 0)
			t_world(trace, i == sh->secure, cid);
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

/* The ID of frames goes to another CPU long before the trace begins. */
static bool id_moves;
/* Every second frame is of ID 0x16, which CPU 3 sends. */
static bool two_ids;

static void add_frames_between(struct pdb *framed, const struct pdb *trace, uint8_t id)
{
	struct pdb other = { 0 }, both = { 0 };
	size_t i;

	sb_frames(&other, trace, id);
	assert_int_equal(other.len, framed->len);
	for (i = 0; i < other.len; i += 16) {
		pdb_bytes(&both, framed->p + i, 16);
		pdb_bytes(&both, other.p + i, 16);
	}
	pdb_free(&other);
	pdb_free(framed);
	*framed = both;
}

/* Fragments of these shapes, one behind the other, written to data_path. */
static void record(const struct shape *shapes, unsigned int n)
{
	struct pdb data = { 0 }, all = { 0 }, file = { 0 };
	bool guests = false, raw = true;
	unsigned int i;

	for (i = 0; i < n; i++) {
		guests |= shapes[i].guest != 0;
		raw &= !shapes[i].id;
	}
	if (id_moves) {
		r_hw_id(&data, 20, 3, 1, shapes[0].id, 0);
		r_hw_id(&data, 30, 2, 1, shapes[0].id, 0);
	}
	two_processes(&data, CID | TS | (guests ? VMID : 0), IDR2(4, guests ? 1 : 0));
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
			if (two_ids)
				add_frames_between(&framed, &trace, 0x16);
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
	uint64_t digest;	/* of all that is let pass */
	uint64_t elements;
	uint64_t gaps;		/* that are told of in what is not wanted, between fragments */
	uint64_t left_out, decoded;
	uint64_t insns, losses;
};

/* The CPUs that are wanted; NULL: all. */
static const char *cpus;
/* Trace that is not as the architecture has it is refused: another option than that of make_index(). */
static bool strict;

static void add_to(struct output *o, uint64_t value)
{
	o->digest = (o->digest ^ value) * 0x100000001b3ull;
}

static int on_wanted(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct output *o = data;
	size_t i;

	for (i = 0; i < n; i++) {
		if (s->unwanted) {
			o->gaps += g[i].kind == CST_GEN_NO_SYNC && g[i].num == CST_UNSYNC_RESET;
			continue;
		}
		o->elements++;
		add_to(o, g[i].kind | (uint64_t)g[i].n_insn << 32);
		add_to(o, g[i].addr);
		add_to(o, g[i].index);
		add_to(o, (uint64_t)(uint32_t)s->pid << 32 | (uint32_t)s->tid);
		add_to(o, s->time);
		add_to(o, s->time_end);
	}
	return 0;
}

/* The whole of the messages goes to `text`, if there is one. */
static struct output decode_window(const char *window, bool index, bool unwanted, char *text, size_t room)
{
	struct session_opts so = { .symfs = dir, .input = data_path, .no_index = !index, .filter = { .time = window, .cpu = cpus },
				   .contextid = CONTEXTID_TID, .strict = strict };
	struct output o = { .digest = 0 };
	struct session_consumer con = { .data = &o, .batch = on_wanted, .times = true, .unwanted = unwanted };
	FILE *messages = tmpfile();
	int was = dup(STDERR_FILENO);
	struct session *ss;
	ssize_t n;

	assert_non_null(messages);
	input_forget_all();	/* what another run read may be written */
	fflush(stderr);
	dup2(fileno(messages), STDERR_FILENO);
	ss = session_open(&so);
	if (ss) {
		o.losses = session_run(ss, &con) ? UINT64_MAX : 0;
		o.losses += session_has_losses(ss);
		o.left_out = session_totals(ss)->filtered_bytes;
		o.decoded = session_totals(ss)->aux_bytes;
		o.insns = session_totals(ss)->dec.insns;
	}
	session_close(ss);
	fflush(stderr);
	dup2(was, STDERR_FILENO);
	close(was);
	assert_non_null(ss);
	if (text) {
		n = pread(fileno(messages), text, room - 1, 0);
		text[n > 0 ? n : 0] = 0;
	}
	fclose(messages);
	return o;
}

/* ---- making an index --------------------------------------------------------------------------------- */

static int on_tree(void *data, const struct session_fragment *f, struct cst_tree *tree, uint64_t *start)
{
	struct index_book *b = data;
	struct index_section s = { .tree = tree };

	(void)start;
	index_book_section(&s, f);
	return index_book_make(b, &s);
}

static void make_index(uint32_t granularity)
{
	struct session_opts so = { .symfs = dir, .input = data_path, .no_index = true };
	struct index_book b = { .opts.granularity = granularity };
	struct session_consumer con = { .data = &b, .fragment_tree = on_tree };
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

static void window_of(char window[64], uint64_t from, uint64_t to)
{
	snprintf(window, 64, "%llu.%09llu,%llu.%09llu", (unsigned long long)from / 1000000000,
		 (unsigned long long)from % 1000000000, (unsigned long long)to / 1000000000,
		 (unsigned long long)to % 1000000000);
}

/* The same with and without an index. Returns how many bytes the index spared. */
static uint64_t same(uint64_t from, uint64_t to)
{
	struct output with, without;
	char window[64];

	window_of(window, from, to);
	with = decode_window(window, true, false, NULL, 0);
	without = decode_window(window, false, false, NULL, 0);
	assert_int_equal(with.elements, without.elements);
	assert_true(with.digest == without.digest);
	assert_int_equal(with.losses, without.losses);
	assert_int_equal(with.decoded + with.left_out, without.decoded + without.left_out);
	assert_true(with.left_out >= without.left_out);
	assert_true(with.insns <= without.insns);
	return with.left_out - without.left_out;
}

/* ---- tests ------------------------------------------------------------------------------------------- */

/* Windows at the beginning, in the middle and at the end of one and of several fragments. */
static void same_as_without(void **state)
{
	static const struct shape shapes[] = {
		{ 1, 1, NEVER, NEVER, 0, 0, 0 }, { 6, 1, NEVER, NEVER, 0, 0, 0 }, { 1, 5, NEVER, NEVER, 0, 0, 0 },
		{ 9, 4, NEVER, NEVER, 0, 0, 0 }, { 1, 1, NEVER, NEVER, 0, 0x14, 0 }, { 8, 3, NEVER, NEVER, 0, 0x14, 0 },
	};
	const uint64_t size = STRETCHES * TICKS;
	struct shape both[2];
	unsigned int i, k;
	uint64_t spared;

	(void)state;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (k = 1; k <= 2; k++) {
			both[0] = both[1] = shapes[i];
			record(both, k);
			make_index(1);
			assert_int_equal(decode_window("0,", true, false, NULL, 0).losses, 0);
			spared = same(1000 + size / 2, 1000 + size / 2 + 10 * TICKS);
			spared += same(1000 + size * 9 / 10, 1000 + size * 9 / 10 + 500);
			if (k == 2)
				spared += same(1000 + size + size / 2, 1000 + size + size / 2 + 5 * TICKS);
			assert_true(spared > k * STRETCHES * 20);
			same(1000, 3000);
			same(1000 + 10 * TICKS, 1000 + 20 * TICKS);
		}
}

/*
 * What comes before the first timestamp has the time of the AUX record. If that is wanted, the beginning is decoded,
 * too, and what lies between is left out. A CPU that is not wanted is left out in any case.
 */
static void with_the_end(void **state)
{
	static const struct shape shapes[] = {
		{ 1, 1, NEVER, NEVER, 0, 0, 0 }, { 1, 1, NEVER, NEVER, 0, 0, 5 }, { 6, 2, NEVER, NEVER, 0, 0, 10 },
		{ 1, 1, NEVER, NEVER, 0, 0x14, 5 }, { 9, 4, NEVER, NEVER, 0, 0x14, 0 },
	};
	const uint64_t size = STRETCHES * TICKS;
	struct shape both[2];
	unsigned int i, k;
	uint64_t spared;

	(void)state;
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (k = 0; k < 8; k++) {
			both[0] = both[1] = shapes[i];
			two_ids = (k & 1) && shapes[i].id;
			cpus = k & 2 ? "2" : NULL;
			record(both, k & 4 ? 2 : 1);
			make_index(1);
			spared = same(1000 + size * 9 / 10, 1000 + size);
			spared += same(1000 + size * 19 / 20, 1000 + 2 * size);
			spared += same(1000 + size * 3 / 4, 1000 + size * 7 / 8);
			assert_true(spared > STRETCHES * 20);
		}
	two_ids = false;
	cpus = NULL;
}

/* What an index cannot tell: then all is decoded, and the reason is given once. It may be that of one made anew. */
static void reasons(void **state)
{
	static const struct {
		struct shape shape;
		const char *says;
	} cases[] = {
		{ { 1, 1, NEVER, 100, 0, 0, 0 }, "it holds several security states" },
		{ { 1, 1, NEVER, NEVER, 3, 0, 0 }, "a virtual machine may have run" },
		{ { 1, 1, NEVER, NEVER, 0, 0x20, 0 }, "trace IDs change hands" },
	};
	char text[4096], window[64], *at;
	struct output with, without;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		size_t c = i / 2;

		if (i & 1) {
			record(&plain, 1);
			make_index(1);
		}
		id_moves = c == 2;
		record(&cases[c].shape, 1);
		id_moves = false;
		if (!(i & 1))
			make_index(1);
		window_of(window, 1000 + 190 * TICKS, 1000 + 195 * TICKS);
		with = decode_window(window, true, false, text, sizeof(text));
		without = decode_window(window, false, false, NULL, 0);
		at = strstr(text, "in spite of the index: ");
		if (!at)
			fail_msg("case %zu: %s", i, text);
		assert_int_equal(strncmp(at + strlen("in spite of the index: "), cases[c].says, strlen(cases[c].says)), 0);
		assert_null(strstr(at + 1, "in spite of"));
		assert_true(with.digest == without.digest);
		assert_int_equal(with.left_out, without.left_out);
	}
}

/* Trace that is left out between two fragments is a gap for whoever follows what is not wanted, too. */
static void gaps_between_fragments(void **state)
{
	const struct shape shapes[][2] = { { plain, plain }, { plain, { 9, 4, NEVER, NEVER, 0, 0, 0 } } };
	const uint64_t size = STRETCHES * TICKS;
	struct output o;
	char window[64];
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		record(shapes[i], 2);
		make_index(1);
		/* up to the end of the first fragment, and from the middle of the second on */
		snprintf(window, sizeof(window), "0.000%06llu,0.000%06llu", (unsigned long long)(size - 10 * TICKS) % 1000000,
			 (unsigned long long)(size - 5 * TICKS) % 1000000);
		snprintf(window + strlen(window), sizeof(window) - strlen(window), " 0.000%06llu,0.000%06llu",
			 (unsigned long long)(size + size / 2), (unsigned long long)(size + size / 2 + 5 * TICKS));
		o = decode_window(window, true, true, NULL, 0);
		assert_true(o.left_out > STRETCHES * 20);
		assert_int_equal(o.gaps, 1);
	}
}

/* An index that does not fit is told of, with what was found and expected, and made anew. */
static void made_anew(void **state)
{
	static const struct {
		const char *says;
		bool file;	/* the index is changed, and the new one as coarse as one is by default */
	} cases[] = {
		{ "the file is cut", true }, { "not an index", true }, { "bytes of the trace", false }, { "digest", false },
	};
	char text[4096], window[64];
	struct output with, without;
	size_t i, len;
	char *p, *at;

	(void)state;
	window_of(window, 1000 + 200 * TICKS, 1000 + 210 * TICKS);
	for (i = 0; i < 4; i++) {
		struct shape shapes[] = { plain, plain };

		record(shapes, 1);
		make_index(1);
		if (i == 0) {
			p = load(index_path, &len);
			save(index_path, p, 300);
		} else if (i == 1) {
			save(index_path, "something else that is no index at all, and long enough", 50);
		} else if (i == 2) {
			/* of a trace that is shorter */
			shapes[0].stamps = 2;
			record(shapes, 1);
		} else {
			/* one atom is another one, in a stretch that is left out */
			p = load(data_path, &len);
			at = memmem(p, len, LOOP LOOP LOOP LOOP, 4 * NR_LOOP);
			assert_non_null(at);
			at[5] = (char)0xf6;
			save(data_path, p, len);
		}
		with = decode_window(window, true, false, text, sizeof(text));
		without = decode_window(window, false, false, NULL, 0);
		assert_true(with.digest == without.digest);
		if (!strstr(text, cases[i].says))
			fail_msg("case %zu: %s", i, text);
		assert_non_null(strstr(text, "found 0x"));
		assert_non_null(strstr(text, "written anew"));
		assert_int_equal(with.left_out > without.left_out, !cases[i].file);
		/* and the next time it fits */
		with = decode_window(window, true, false, text, sizeof(text));
		assert_null(strstr(text, "cstidx"));
		assert_true(with.digest == without.digest);
	}
}

static unsigned int count_of(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* An index of other options stays, and one for these is added: that is said once for all fragments. */
static void other_options(void **state)
{
	const struct shape shapes[] = { plain, plain, plain };
	const char *window = "0.000100,0.000110 0.000450,0.000460 0.000750,0.000760";
	struct output with, without;
	char text[4096];
	unsigned int i;

	(void)state;
	record(shapes, 3);
	make_index(1);
	for (i = 0; i < 4; i++) {
		strict = i < 2;
		with = decode_window(window, true, false, text, sizeof(text));
		without = decode_window(window, false, false, NULL, 0);
		strict = false;
		assert_true(with.digest == without.digest);
		assert_true(with.left_out > without.left_out);
		assert_int_equal(count_of(text, "other options"), i == 0);
		assert_int_equal(count_of(text, "written for these options, too"), i == 0);
		assert_int_equal(count_of(text, "cstidx"), i ? 0 : 2);
	}
}

/* A fragment of which the file has no index is decoded from its beginning, and that is said once, too. */
static void not_in_the_index(void **state)
{
	const struct shape shapes[] = { plain, plain, plain };
	const char *window = "0.000100,0.000110 0.000450,0.000460 0.000750,0.000760";
	struct output with, without;
	char text[4096];
	unsigned int n;

	(void)state;
	for (n = 1; n <= 3; n++) {
		record(shapes, 3);
		make_index(1);
		record(shapes, n);
		make_index(1);
		record(shapes, 3);
		with = decode_window(window, true, false, text, sizeof(text));
		without = decode_window(window, false, false, NULL, 0);
		assert_true(with.digest == without.digest);
		assert_true(with.left_out > without.left_out);
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
		cmocka_unit_test(with_the_end),
		cmocka_unit_test(reasons),
		cmocka_unit_test(gaps_between_fragments),
		cmocka_unit_test(made_anew),
		cmocka_unit_test(other_options),
		cmocka_unit_test(not_in_the_index),
	};

	return cmocka_run_group_tests(tests, make_all, remove_dir);
}
