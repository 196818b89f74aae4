/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code: jitdump files read, damaged, and used for what was executed when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/jitdump.h"
#include "outputs/listing/listing.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/internal.h"
#include "session/session.h"
#include "unit/perf-plugin/jit_build.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

/* One, two and three instructions from one branch to the next. */
static const uint32_t loop1[] = { 0x14000000 };
static const uint32_t loop2[] = { 0xd503201f, 0x17ffffff };
static const uint32_t loop3[] = { 0xd503201f, 0xd503201f, 0x17fffffe };

TEMP_DIR("jit")

static void sample_dump(struct pdb *b)
{
	jb_header(b, JB_AARCH64, SB_PID, 0);
	jb_load(b, 100, SB_BASE, 1, "one", loop1, sizeof(loop1));
	jb_other(b, 2, 150, 40);
	jb_load(b, 300, SB_BASE, 2, "three", loop3, sizeof(loop3));
	jb_load(b, 200, SB_BASE + 0x100, 3, "two", loop2, sizeof(loop2));
	jb_move(b, 400, SB_BASE + 0x100, SB_BASE + 0x200, sizeof(loop2), 3);
	jb_other(b, 3, 500, 0);
}

static void check_sample(const struct jitdump *jd)
{
	static const struct {
		uint64_t time, addr, len;
		const void *code;
	} want[] = {
		{ 100, SB_BASE, sizeof(loop1), loop1 },
		{ 200, SB_BASE + 0x100, sizeof(loop2), loop2 },
		{ 300, SB_BASE, sizeof(loop3), loop3 },
		{ 400, SB_BASE + 0x200, sizeof(loop2), loop2 },
	};
	uint8_t *code = jitdump_code(jd);
	size_t i;

	assert_int_equal(jd->nr_ev, 4);
	assert_int_equal(jd->nr_code, 3);
	assert_int_equal(jd->bad_records, 0);
	assert_int_equal(jd->pid, SB_PID);
	for (i = 0; i < 4; i++) {
		assert_int_equal(jd->ev[i].time, want[i].time);
		assert_int_equal(jd->ev[i].addr, want[i].addr);
		assert_int_equal(jd->ev[i].len, want[i].len);
		assert_int_equal(jd->ev[i].at % 4, 0);
		assert_memory_equal(code + jd->ev[i].at, want[i].code, want[i].len);
	}
	assert_string_equal(jd->code[1].name, "three");
	free(code);
}

static void both_byte_orders(void **state)
{
	struct jitdump jd;
	unsigned int swap;

	(void)state;
	for (swap = 0; swap < 2; swap++) {
		struct pdb b = { .swap = swap };

		sample_dump(&b);
		assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
		assert_int_equal(jd.swap, swap);
		check_sample(&jd);
		jitdump_free(&jd);
		pdb_free(&b);
	}
}

static void refused_headers(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		int error;
	} bad[] = {
		{ 0, 'x', JITDUMP_MAGIC },
		{ 4, 2, JITDUMP_VERSION },
		{ 8, 39, JITDUMP_SHORT },
		{ 11, 0x7f, JITDUMP_SHORT },	/* a header of 2 GB */
		{ 12, 62, JITDUMP_MACHINE },
	};
	struct jitdump jd;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pdb b = { 0 };

		sample_dump(&b);
		b.p[bad[i].at] = bad[i].value;
		assert_int_equal(jitdump_read(&jd, b.p, b.len), bad[i].error);
		assert_true(strlen(jitdump_error_text(bad[i].error)) > 10);
		pdb_free(&b);
	}
}

/* Cut after each byte: what is complete is kept, the rest is told. */
static void cut_anywhere(void **state)
{
	struct pdb b = { 0 };
	struct jitdump jd;
	size_t n, events = 0;
	uint8_t *copy, *code;
	int err;

	(void)state;
	sample_dump(&b);
	for (n = 0; n <= b.len; n++) {
		copy = malloc(n ? n : 1);
		memcpy(copy, b.p, n);
		err = jitdump_read(&jd, copy, n);
		if (n < 40) {
			assert_int_equal(err, JITDUMP_SHORT);
		} else {
			assert_int_equal(err, JITDUMP_OK);
			assert_in_range(jd.nr_ev, events, events + 1);
			events = jd.nr_ev;
			assert_int_equal(jd.bad_records, jd.lost_bytes != 0);
			code = jitdump_code(&jd);
			assert_non_null(code);
			free(code);
			jitdump_free(&jd);
		}
		free(copy);
	}
	assert_int_equal(events, 4);
	pdb_free(&b);
}

/* Records that contradict themselves are left out, and the next one is read. */
static void bad_records(void **state)
{
	struct pdb b = { 0 };
	struct jitdump jd;
	size_t at;

	(void)state;
	jb_header(&b, JB_AARCH64, 7, 0);
	at = b.len;
	jb_load(&b, 1, SB_BASE, 1, "huge", loop1, sizeof(loop1));
	memset(b.p + at + 40, 0xff, 8);				/* code_size */
	at = b.len;
	jb_load(&b, 2, SB_BASE, 2, "unterminated", loop1, sizeof(loop1));
	memset(b.p + at + 56, 'x', b.len - at - 56);
	jb_load(&b, 3, UINT64_MAX - 1, 3, "wraps", loop1, sizeof(loop1));
	jb_move(&b, 4, 0, SB_BASE, 4, 77);			/* of nothing */
	jb_load(&b, 5, SB_BASE, 4, "empty", loop1, 0);		/* no loss */
	jb_load(&b, 6, SB_BASE, 5, "good", loop1, sizeof(loop1));
	jb_move(&b, 7, SB_BASE, SB_BASE + 64, 400, 5);		/* more than there is */
	jb_move(&b, 8, SB_BASE, SB_BASE + 66, 4, 5);		/* not on a word */
	jb_move(&b, 9, SB_BASE, UINT64_MAX - 3, 4, 5);		/* wraps */
	jb_move(&b, 10, SB_BASE, SB_BASE + 64, 0, 5);		/* empty: no loss */
	jb_other(&b, 1, 11, 47);				/* a move without its last byte; one of no code */
	jb_other(&b, 1, 12, 48);
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.nr_ev, 1);
	assert_int_equal(jd.bad_records, 8);
	assert_int_equal(jd.lost_bytes, 0);
	jitdump_free(&jd);

	/* a size that does not even hold its own header: nothing behind it can be found */
	at = b.len;
	jb_other(&b, 3, 9, 8);
	b.p[at + 4] = 15;
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.lost_bytes, 24);
	jitdump_free(&jd);
	pdb_free(&b);
}

/* Of equal times the order in the file counts, and of equal indexes the code that was loaded last before the move. */
static void equal_times(void **state)
{
	static const uint64_t addr[] = { SB_BASE, SB_BASE + 64, SB_BASE + 128, SB_BASE + 192, SB_BASE + 256 };
	struct pdb b = { 0 };
	struct jitdump jd;
	uint8_t *code;
	size_t i;

	(void)state;
	jb_header(&b, JB_AARCH64, 7, 0);
	jb_load(&b, 5, addr[0], 1, "first", loop1, sizeof(loop1));
	jb_load(&b, 5, addr[1], 1, "second", loop3, sizeof(loop1));
	jb_move(&b, 5, addr[1], addr[2], sizeof(loop1), 1);
	jb_load(&b, 5, addr[3], 1, "third", loop1, sizeof(loop1));
	jb_move(&b, 5, addr[3], addr[4], sizeof(loop1), 1);
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.nr_ev, 5);
	assert_int_equal(jd.bad_records, 0);
	code = jitdump_code(&jd);
	for (i = 0; i < 5; i++) {
		assert_int_equal(jd.ev[i].addr, addr[i]);
		assert_memory_equal(code + jd.ev[i].at, i == 1 || i == 2 ? loop3 : loop1, sizeof(loop1));
	}
	free(code);
	jitdump_free(&jd);
	pdb_free(&b);
}

/* A move finds its code by the index, in whatever order the code was loaded. */
static void indexes_in_any_order(void **state)
{
	static const uint64_t index[] = { 9, 3, 1ull << 40, 7, 1, 5 };
	enum { N = sizeof(index) / sizeof(index[0]) };
	struct pdb b = { 0 };
	struct jitdump jd;
	unsigned int i;

	(void)state;
	jb_header(&b, JB_AARCH64, 7, 0);
	for (i = 0; i < N; i++)
		jb_load(&b, 1 + i, SB_BASE + 64 * i, index[i], "code", loop1, sizeof(loop1));
	for (i = 0; i < N; i++)
		jb_move(&b, 100 + i, SB_BASE + 64 * i, SB_BASE + 0x1000 + 64 * i, sizeof(loop1), index[i]);
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.bad_records, 0);
	assert_int_equal(jd.nr_ev, 2 * N);
	for (i = 0; i < N; i++) {
		if (jd.ev[N + i].addr != SB_BASE + 0x1000 + 64 * i || jd.ev[N + i].at != jd.ev[i].at)
			fail_msg("index %llu was moved to 0x%llx with the code at %llu, which is at %llu", (unsigned long long)index[i],
				 (unsigned long long)jd.ev[N + i].addr, (unsigned long long)jd.ev[N + i].at,
				 (unsigned long long)jd.ev[i].at);
	}
	jitdump_free(&jd);
	pdb_free(&b);
}

static void names_of_dumps(void **state)
{
	(void)state;
	assert_int_equal(jitdump_path_pid("/tmp/jit-123.dump"), 123);
	assert_int_equal(jitdump_path_pid("jit-0.dump"), 0);
	assert_int_equal(jitdump_path_pid("/tmp/jit-123.dump2"), -1);
	assert_int_equal(jitdump_path_pid("/tmp/jit-.dump"), -1);
	assert_int_equal(jitdump_path_pid("/tmp/xjit-1.dump"), -1);
	assert_int_equal(jitdump_path_pid("/tmp/jit-99999999999.dump"), -1);
}

struct result {
	unsigned int fragments;
	unsigned int insns[8];
	char symbol[8][16];
};

static int on_begin(void *data, const struct fragment_event *e)
{
	struct result *r = data;

	if (e->ended)
		return 0;
	assert_in_range(r->fragments, 0, 7);
	r->fragments++;
	return 0;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct result *r = data;
	struct session_loc loc;
	uint64_t start, size;
	const char *name;
	unsigned int f = r->fragments - 1;
	size_t i;

	for (i = 0; i < n; i++) {
		if (g[i].kind == CST_GEN_NACC && session_locate(s, g[i].addr, &loc) &&
		    session_symbol(s, g[i].addr, &loc, &name, &start))
			snprintf(r->symbol[f], sizeof(r->symbol[f]), "%s", name);
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		r->insns[f] += g[i].n_insn;
		assert_true(session_locate(s, g[i].addr, &loc));
		if (dso_symbol(loc.dso, loc.offset, &name, &start, &size))
			snprintf(r->symbol[f], sizeof(r->symbol[f]), "%s", name);
	}
	return 0;
}

static void anon(struct pdb *b, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);

	pdb_mmap2(b, SB_PID, SB_BASE, 0x10000, SB_BASE, "//anon", SB_ST, &s);
}

static const char *others;	/* path of a jitdump file that process 300 maps */

/*
 * Code at the same address in three versions, and one that moves; between them the memory is made
 * writable and executable again.
 */
static struct session *open_with(const char *dump, bool monotonic, uint64_t tick_ns, const struct session_opts *opts)
{
	static const uint64_t at[] = { 0, 0, 0, 0x100, 0x200 };
	struct session_opts so = *opts;
	struct pdb data = { 0 }, trace = { 0 };
	struct pdb_sid s = sb_sid(1000);
	struct pdb_attr attr = sb_attr;
	static struct pdb file;
	struct error err;
	struct perfdata *pd;
	struct session *ss;
	char path[96];
	size_t one, i;

	attr.monotonic = monotonic;
	sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
	if (tick_ns) {
		i = pdb_begin(&data, 79, 0);	/* how to convert ticks of the counter */
		pdb_u64(&data, 0);
		pdb_u64(&data, tick_ns);
		pdb_u64(&data, 500);		/* time of tick 0 */
		pdb_u64(&data, 0);
		pdb_u64(&data, 0);
		pdb_bytes(&data, "\1\0\0\0\0\0\0", 8);
		pdb_end(&data, i);
	}
	pdb_comm(&data, SB_PID, SB_PID, "java", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	if (others) {
		/* mapped between the maps of the first process, which maps its own file three times */
		pdb_mmap2(&data, 300, 0x7f0000000000, 0x1000, 0, others, SB_ST, &s);
		snprintf(path, sizeof(path), "%s/%s", dir, dump);
		pdb_mmap2(&data, SB_PID, 0x7f0000000000, 0x1000, 0, path, SB_ST, &s);
		pdb_mmap2(&data, 300, 0x7f0000000000, 0x1000, 0, path, SB_ST, &s);
		pdb_mmap2(&data, SB_PID, 0x7f0000010000, 0x1000, 0, path, SB_ST, &s);
	}
	if (dump) {
		snprintf(path, sizeof(path), "%s/%s", dir, dump);
		pdb_mmap2(&data, SB_PID, 0x7f0000000000, 0x1000, 0, path, SB_ST, &s);
	}
	anon(&data, 1001);
	for (i = 0; i < 5; i++) {
		one = trace.len;
		sb_trace_at(&trace, SB_TID, SB_BASE + at[i], 0);
		sb_aux(&data, one, trace.len - one, 0x100, 3000 + 1000 * i);
		anon(&data, 3500 + 1000 * i);
	}
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	pdb_file(&file, &attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	pdb_free(&trace);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	return ss;
}

static struct session *run_with(struct result *r, const char *dump, bool monotonic, uint64_t tick_ns,
				const struct session_opts *opts)
{
	struct consumer con = { .data = r, .batch = on_batch, .fragment = on_begin };
	struct session *ss = open_with(dump, monotonic, tick_ns, opts);

	memset(r, 0, sizeof(*r));
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(r->fragments, 5);
	return ss;
}

static struct session *run(struct result *r, const char *dump, bool monotonic, const struct session_opts *opts)
{
	return run_with(r, dump, monotonic, 0, opts);
}

static void versions_dump(struct pdb *b, uint64_t flags)
{
	jb_header(b, JB_AARCH64, SB_PID, flags);
	jb_load(b, 2500, SB_BASE, 1, "first", loop1, sizeof(loop1));
	jb_load(b, 3600, SB_BASE, 2, "second", loop2, sizeof(loop2));
	jb_load(b, 4700, SB_BASE, 3, "third", loop3, sizeof(loop3));
	jb_load(b, 5100, SB_BASE + 0x100, 4, "moving", loop2, sizeof(loop2));
	jb_move(b, 6700, SB_BASE + 0x100, SB_BASE + 0x200, sizeof(loop2), 4);
}

static void check_versions(const struct result *r)
{
	static const unsigned int insns[] = { 1, 2, 3, 2, 2 };
	static const char *const symbol[] = { "first", "second", "third", "moving", "moving" };
	size_t i;

	for (i = 0; i < 5; i++) {
		assert_int_equal(r->insns[i], insns[i] * SB_ATOMS);
		assert_string_equal(r->symbol[i], symbol[i]);
	}
}

static void code_is_rewritten(void **state)
{
	struct session_opts so = { .cache_limit = 1 << 20 };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	versions_dump(&b, 0);
	temp_write(dir, "jit-100.dump", b.p, b.len);
	ss = run(&r, "jit-100.dump", true, &so);
	check_versions(&r);
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&b);
}

/* Lines have the names of the code that was there: of a branch, and of a target at the address where the fragment before ended. */
static void names_of_rewritten_code(void **state)
{
	static const struct {
		const char *name;
		unsigned int from, to;
	} want[] = {
		{ "first", SB_ATOMS, SB_ATOMS + 1 }, { "second", SB_ATOMS, SB_ATOMS + 1 }, { "third", SB_ATOMS, SB_ATOMS + 1 },
		{ "moving", 2 * SB_ATOMS, 2 * SB_ATOMS + 2 },
	};
	unsigned int jobs, i, from[4], to[4];
	struct pdb b = { 0 };

	(void)state;
	versions_dump(&b, 0);
	temp_write(dir, "jit-100.dump", b.p, b.len);
	pdb_free(&b);
	for (jobs = 1; jobs <= 2; jobs++) {
		struct session_opts so = { .cache_limit = 1 << 20, .jobs = jobs };
		struct listing_opts o = { .fields = LIST_IP | LIST_SYM | LIST_ADDR, .output = temp_path(dir, "listing") };
		struct session *ss = open_with("jit-100.dump", true, 0, &so);
		char msg[200], line[200], names[2][64];
		struct listing *l;
		FILE *f;

		assert_true(itrace_parse(&o.itrace, "b", msg, sizeof(msg)));
		l = listing_open(ss, &o);
		assert_non_null(l);
		assert_int_equal(listing_run(l), 0);
		listing_close(l);
		session_close(ss);
		memset(from, 0, sizeof(from));
		memset(to, 0, sizeof(to));
		f = fopen(o.output, "r");
		assert_non_null(f);
		while (fgets(line, sizeof(line), f)) {
			assert_int_equal(sscanf(line, "%*x %63s => %*x %63s", names[0], names[1]), 2);
			for (i = 0; i < 4; i++) {
				from[i] += !strcmp(names[0], want[i].name);
				to[i] += !strcmp(names[1], want[i].name);
			}
		}
		fclose(f);
		for (i = 0; i < 4; i++)
			if (from[i] != want[i].from || to[i] != want[i].to)
				fail_msg("%u jobs: %s is %u times a source and %u times a target", jobs, want[i].name, from[i], to[i]);
	}
}

/* Two processes with a file each, and one file that both have mapped, more than once: each has the code of its own. */
static void dumps_of_two_processes(void **state)
{
	struct session_opts so = { .cache_limit = 1 << 20 };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;
	unsigned int n = 0;
	char path[96];
	size_t i;

	(void)state;
	versions_dump(&b, 0);
	temp_write(dir, "jit-100.dump", b.p, b.len);
	pdb_free(&b);
	jb_header(&b, JB_AARCH64, 300, 0);
	jb_load(&b, 2500, SB_BASE, 1, "other", loop3, sizeof(loop3));
	temp_write(dir, "jit-300.dump", b.p, b.len);
	snprintf(path, sizeof(path), "%s/jit-300.dump", dir);
	others = path;
	ss = run(&r, "jit-100.dump", true, &so);
	others = NULL;
	check_versions(&r);
	for (i = 0; i < ss->images.dsos.nr; i++)
		n += ss->images.dsos.all[i]->kind == DSO_JIT;
	assert_int_equal(n, 3);
	session_close(ss);
	pdb_free(&b);
}

/* Elsewhere than recorded: below symfs by name, or named; or not recorded at all. */
static void dump_is_found(void **state)
{
	struct session_opts symfs = { .symfs = dir }, given = { 0 }, none = { .symfs = "/nonexistent" };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;
	char path[96], text[1024] = "";
	FILE *out;

	(void)state;
	versions_dump(&b, 0);
	snprintf(path, sizeof(path), "%s/sub", dir);
	mkdir(path, 0755);
	temp_write(dir, "sub/jit-101.dump", b.p, b.len);
	pdb_free(&b);
	ss = run(&r, "jit-101.dump", true, &symfs);
	check_versions(&r);
	session_close(ss);
	snprintf(path, sizeof(path), "%s/sub/jit-101.dump", dir);
	given.jitdump = path;
	ss = run(&r, "jit-101.dump", true, &given);
	check_versions(&r);
	session_close(ss);
	ss = run(&r, NULL, true, &given);
	check_versions(&r);
	session_close(ss);

	ss = run(&r, "jit-101.dump", true, &none);
	assert_int_equal(r.insns[0], 0);
	assert_true(session_has_losses(ss));
	out = fmemopen(text, sizeof(text) - 1, "w");
	assert_int_equal(session_print_missing(ss, out), 1);
	fclose(out);
	assert_non_null(strstr(text, "jitdump"));
	session_close(ss);
	/* the recorded path is a loop of links below symfs: that of this machine is not taken for it */
	snprintf(path, sizeof(path), "%s/root", dir);
	mkdir(path, 0755);
	assert_int_equal(symlink("tmp", temp_path(dir, "root/tmp")), 0);
	none.symfs = path;
	ss = run(&r, "sub/jit-101.dump", true, &none);
	assert_int_equal(r.insns[0], 0);
	assert_int_equal(ss->side.jit.missing, 1);
	session_close(ss);
}

/* Times of the dump are ticks: (time - 500) / 100. */
static void times_in_ticks(void **state)
{
	struct session_opts so = { .cache_limit = 1 << 20 };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	jb_header(&b, JB_AARCH64, SB_PID, 1);
	jb_load(&b, 20, SB_BASE, 1, "first", loop1, sizeof(loop1));
	jb_load(&b, 31, SB_BASE, 2, "second", loop2, sizeof(loop2));
	jb_load(&b, 42, SB_BASE, 3, "third", loop3, sizeof(loop3));
	jb_load(&b, 46, SB_BASE + 0x100, 4, "moving", loop2, sizeof(loop2));
	jb_move(&b, 62, SB_BASE + 0x100, SB_BASE + 0x200, sizeof(loop2), 4);
	temp_write(dir, "jit-104.dump", b.p, b.len);
	ss = run_with(&r, "jit-104.dump", false, 100, &so);
	check_versions(&r);
	session_close(ss);
	/* nothing tells how long a tick is */
	ss = run(&r, "jit-104.dump", true, &so);
	assert_string_equal(r.symbol[0], "third");
	session_close(ss);
	pdb_free(&b);
}

/* The clocks differ: the last version of each address is all there is. */
static void times_of_another_clock(void **state)
{
	struct session_opts so = { .cache_limit = 1 << 20 };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	versions_dump(&b, 0);
	temp_write(dir, "jit-102.dump", b.p, b.len);
	ss = run(&r, "jit-102.dump", false, &so);
	assert_string_equal(r.symbol[0], "third");
	assert_string_equal(r.symbol[2], "third");
	assert_string_equal(r.symbol[4], "moving");
	session_close(ss);
	pdb_free(&b);
}

/* A list of names is no code, but it tells what could not be decoded. */
static void names_without_code(void **state)
{
	static const char names[] = "400000 100 interpreter\n400200 10 stub\n";
	struct session_opts so = { .symfs = dir };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s/tmp", dir);
	mkdir(path, 0755);
	pdb_bytes(&b, names, sizeof(names) - 1);
	temp_write(dir, "tmp/perf-100.map", b.p, b.len);
	pdb_free(&b);
	ss = run(&r, NULL, true, &so);
	assert_int_equal(r.insns[0], 0);
	assert_string_equal(r.symbol[0], "interpreter");
	assert_string_equal(r.symbol[3], "");
	assert_string_equal(r.symbol[4], "stub");
	assert_true(session_has_losses(ss));
	session_close(ss);
}

static void damage_is_counted(void **state)
{
	struct session_opts so = { .cache_limit = 1 << 20 };
	struct pdb b = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	versions_dump(&b, 0);
	b.len -= 5;
	temp_write(dir, "jit-103.dump", b.p, b.len);
	ss = run(&r, "jit-103.dump", true, &so);
	assert_string_equal(r.symbol[3], "moving");
	assert_int_equal(r.insns[4], 0);
	assert_true(session_has_losses(ss));
	session_close(ss);
	b.p[0] = 'x';
	temp_write(dir, "jit-103.dump", b.p, b.len);
	ss = run(&r, "jit-103.dump", true, &so);
	assert_int_equal(r.insns[0], 0);
	assert_true(session_has_losses(ss));
	session_close(ss);
	pdb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders),
		cmocka_unit_test(refused_headers),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(bad_records),
		cmocka_unit_test(equal_times),
		cmocka_unit_test(indexes_in_any_order),
		cmocka_unit_test(names_of_dumps),
		cmocka_unit_test(code_is_rewritten), cmocka_unit_test(names_of_rewritten_code),
		cmocka_unit_test(dumps_of_two_processes),
		cmocka_unit_test(dump_is_found),
		cmocka_unit_test(times_in_ticks),
		cmocka_unit_test(times_of_another_clock),
		cmocka_unit_test(names_without_code),
		cmocka_unit_test(damage_is_counted),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
