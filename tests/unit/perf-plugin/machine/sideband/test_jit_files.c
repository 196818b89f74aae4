/* SPDX-License-Identifier: BSD-3-Clause */
/* Which jitdump files of a recording are used, where each is found, when its code is there, and what is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/sideband/side_events.h"
#include "perfdata/records.h"
#include "unit/perf-plugin/jit_build.h"
#include "unit/perf-plugin/perfdata_open.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

#define TIMED	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

TEMP_DIR("jit-files")

static const uint32_t code[] = { 0xd503201f, 0x14000000 };

static struct fixture {
	struct dso_table dsos;
	struct kernel_images kernel;
	struct side_events se;
	struct said said;
	char text[4096];
} fx;

/* A recording with two events; `mono`: how many of them have times of CLOCK_MONOTONIC. */
static void start(unsigned int mono)
{
	struct pdb_attr attr[2] = {
		{ .sample_type = TIMED, .type = 8, .size = 112, .sample_id_all = true, .monotonic = mono > 0 },
		{ .sample_type = TIMED, .type = 8, .size = 112, .sample_id_all = true, .monotonic = mono > 1 },
	};
	const struct side_event first = { .kind = SIDE_COMM, .time = 1, .pid = 1, .tid = 1, .comm = "a" };
	struct pdb data = { 0 };

	memset(&fx, 0, sizeof(fx));
	pdb_comm(&data, 1, 1, "a", TIMED, &(struct pdb_sid){ .time = 1 });
	dso_table_init(&fx.dsos);
	fx.dsos.search.kernel = &fx.kernel;
	side_events_init(&fx.se);
	fx.se.pd = pdb_open(attr, 2, &data, NULL, 0);
	fx.se.name = "test";
	fx.se.dsos = &fx.dsos;
	fx.se.kernel = &fx.kernel;
	side_events_start(&fx.se);
	side_order_note(&fx.se.order, fx.se.reader, &first);
}

static struct dso memory = { .kind = DSO_ANON }, shared = { .kind = DSO_FILE };

/* A process of the recording; with a length it maps memory of this kind. */
static void process(int pid, uint64_t time, uint64_t start, uint64_t len, struct dso *d)
{
	struct side_event e = { .kind = len ? SIDE_MAP : SIDE_COMM, .time = time, .seq = time, .pid = pid, .tid = pid };

	if (len)
		e.map = (struct map){ .start = start, .end = start + len, .dso = d };
	e.written = d == &shared;
	jit_processes_event(&fx.se.processes, &e);
}

/* Finds the files. Returns what was reported, with DIR for the folder. */
static const char *finish(void)
{
	int rc;

	said_begin(&fx.said);
	rc = jit_finish(&fx.se);
	temp_hide(dir, said_end(&fx.said), fx.text, sizeof(fx.text));
	assert_int_equal(rc, 0);
	side_order_finish(&fx.se.order);
	return fx.text;
}

static void end(void)
{
	side_events_free(&fx.se);
	perfdata_close(fx.se.pd);
	dso_bundle_free(&fx.dsos.search.bundle);
	dso_table_free(&fx.dsos);
}

/* Writes a file of a process with this flag, whose one function appears at a time; without `cut` bytes at its end. */
static void write_dump(const char *name, uint32_t pid, uint64_t flags, uint64_t time, size_t cut)
{
	struct pdb b = { 0 };

	jb_header(&b, JB_AARCH64, pid, flags);
	jb_load(&b, time, 0x1000 * (uint64_t)pid, 1, "f", code, sizeof(code));
	temp_write(dir, name, b.p, b.len - cut);
	pdb_free(&b);
}

static void note(const char *name, int pid, uint64_t time, uint64_t seq)
{
	jit_note(&fx.se.jit, temp_path(dir, name), pid, time, seq);
}

/* The input has a file of a recorded path. */
static void bundle(const char *recorded, const char *name)
{
	dso_places_add(&fx.dsos.search.bundle.jitdumps, temp_path(dir, recorded),
		       temp_path(dir, name));
}

/* The code that appears, in order of time, as the file's NAME@PID of the process that has it, and TIME/PLACE in the recording. */
static void expect_code(const char *want)
{
	char got[1024] = "", one[256];
	struct side_event e;

	while (side_order_next(&fx.se.order, &e) == 1) {
		if (e.kind == SIDE_COMM)
			continue;
		assert_int_equal(e.kind, SIDE_MAP);
		assert_int_equal(e.tid, e.pid);
		assert_non_null(e.map.dso);
		snprintf(one, sizeof(one), "%s%s@%d %llu/%llu", *got ? ", " : "",
			 strrchr(e.map.dso->image.file, '/') + 1, e.pid, (unsigned long long)e.time,
			 (unsigned long long)e.seq);
		strcat(got, one);
	}
	assert_string_equal(got, want);
}

/* A process that maps its files again and again, in turns, has each of them once, from the first map on. */
static void each_file_once(void **state)
{
	static const struct {
		const char *name;
		int pid;
		uint64_t seq;
	} maps[] = {
		{ "jit-2.dump", 7, 15 }, { "jit-1.dump", 7, 11 }, { "jit-2.dump", 7, 12 }, { "jit-1.dump", 7, 13 },
		{ "jit-2.dump", 6, 14 }, { "jit-1.dump", 7, 16 }, { "jit-2.dump", 7, 17 }, { "jit-1.dump", 8, 10 },
	};
	size_t i;

	(void)state;
	write_dump("jit-1.dump", 1, 0, 100, 0);
	write_dump("jit-2.dump", 2, 0, 200, 0);
	start(0);
	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		note(maps[i].name, maps[i].pid, 1000 + maps[i].seq, maps[i].seq);
	jit_note(&fx.se.jit, "/tmp/other.dump", 7, 0, 0);
	finish();
	expect_code("jit-1.dump@8 1010/10, jit-1.dump@7 1011/11, jit-2.dump@7 1012/12, jit-2.dump@6 1014/14");
	assert_int_equal(fx.dsos.nr, 4);
	end();
}

#define ALL_TIME "; its code is taken to have been there all the time, the last of several versions: "
#define NOT_MONOTONIC "its times are of CLOCK_MONOTONIC, and those of the recording are not" ALL_TIME \
	"let the runtime write counter ticks (JITDUMP_FLAGS_ARCH_TIMESTAMP)\n"
#define NO_TICKS "its times are counter ticks, and the recording does not say how to convert them" ALL_TIME \
	"let the runtime use CLOCK_MONOTONIC\n"

/*
 * Code is there from its own time on if the times of all events of the recording are of the same clock, or if ticks can be
 * converted. Else it is there from the map of the file on, and that of a file that no record mentions from the beginning.
 */
static void when_code_is_there(void **state)
{
	static const struct pd_time_conv conv = { .mult = 3, .zero = 50, .usable = true }, useless = { .mult = 3, .zero = 50 };
	static const struct {
		unsigned int mono;
		uint64_t flags;		/* 1: ticks */
		const struct pd_time_conv *conv;
		bool mapped;
		const char *events, *said;
	} cases[] = {
		{ 2, 0, NULL, true, "jit-5.dump@9 100/33", "" },
		{ 2, 0, NULL, false, "jit-5.dump@5 100/0", "" },
		{ 1, 0, NULL, true, "jit-5.dump@9 700/33", "cstrace: warning: DIR/jit-5.dump: " NOT_MONOTONIC },
		{ 0, 0, &conv, false, "jit-5.dump@5 0/0", "cstrace: warning: DIR/jit-5.dump: " NOT_MONOTONIC },
		{ 0, 1, &conv, true, "jit-5.dump@9 350/33", "" },
		{ 0, 1, &conv, false, "jit-5.dump@5 350/0", "" },
		{ 2, 1, &useless, true, "jit-5.dump@9 700/33", "cstrace: warning: DIR/jit-5.dump: " NO_TICKS },
		{ 2, 1, NULL, false, "jit-5.dump@5 0/0", "cstrace: warning: DIR/jit-5.dump: " NO_TICKS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_dump("jit-5.dump", 5, cases[i].flags, 100, 0);
		start(cases[i].mono);
		process(5, 0, 0, 0, NULL);
		fx.se.conv = cases[i].conv;
		if (cases[i].mapped)
			note("jit-5.dump", 9, 700, 33);
		else
			fx.dsos.search.jitdump = temp_path(dir, "jit-5.dump");
		assert_string_equal(finish(), cases[i].said);
		expect_code(cases[i].events);
		assert_int_equal(fx.se.jit.missing, 0);
		end();
	}
}

/*
 * The file of the user is the first choice, then that of the input, then the recorded path, and with --symfs any file of the
 * name below it. Files of the user and of the input that no record mentions are used, too, each once.
 */
static void where_files_are(void **state)
{
	char given[256], symfs[128];

	(void)state;
	write_dump("jit-21.dump", 21, 0, 100, 0);
	write_dump("in/first", 21, 0, 200, 0);
	write_dump("in/second", 22, 0, 300, 0);
	write_dump("in/third", 23, 0, 400, 0);
	write_dump("user/jit-21.dump", 21, 0, 500, 0);
	write_dump("user/jit-23.dump", 23, 0, 600, 0);
	write_dump("user/jit-24.dump", 24, 0, 700, 0);
	snprintf(given, sizeof(given), ",%s,,%s,%s,", temp_path(dir, "user/jit-24.dump"), temp_path(dir, "user/jit-21.dump"),
		 temp_path(dir, "user/jit-23.dump"));
	/* the recorded path */
	start(2);
	note("jit-21.dump", 21, 10, 10);
	assert_string_equal(finish(), "");
	expect_code("jit-21.dump@21 100/10");
	end();
	/* files of the input: of a record, and of none */
	start(2);
	process(22, 0, 0, 0, NULL);
	process(23, 0, 0, 0, NULL);
	process(24, 0, 0, 0, NULL);
	bundle("jit-21.dump", "in/first");
	bundle("jit-22.dump", "in/second");
	bundle("jit-23.dump", "in/third");
	note("jit-21.dump", 21, 10, 10);
	assert_string_equal(finish(), "");
	expect_code("first@21 200/10, second@22 300/0, third@23 400/0");
	end();
	/* those of the user instead of them, and one more */
	start(2);
	process(22, 0, 0, 0, NULL);
	process(23, 0, 0, 0, NULL);
	process(24, 0, 0, 0, NULL);
	bundle("jit-21.dump", "in/first");
	bundle("jit-22.dump", "in/second");
	bundle("jit-23.dump", "in/third");
	fx.dsos.search.jitdump = given;
	note("jit-21.dump", 21, 10, 10);
	assert_string_equal(finish(), "");
	expect_code("second@22 300/0, jit-21.dump@21 500/10, jit-23.dump@23 600/0, jit-24.dump@24 700/0");
	end();
	/* below a folder: the recorded path, else the name */
	snprintf(symfs, sizeof(symfs), "%s/user", dir);
	start(2);
	fx.dsos.search.symfs = symfs;
	note("jit-23.dump", 23, 10, 10);
	assert_string_equal(finish(), "");
	expect_code("jit-23.dump@23 600/10");
	end();
	/* a loop of links there: the file of this machine is not taken for it */
	assert_int_equal(symlink("tmp", temp_path(dir, "user/tmp")), 0);
	start(2);
	fx.dsos.search.symfs = symfs;
	note("jit-21.dump", 21, 10, 10);
	finish();
	expect_code("");
	assert_int_equal(fx.se.jit.missing, 1);
	end();
}

#define CURE "; if it ran in a container, name its process as the recording has it: --jitdump PID:FILE\n"
#define TAKEN(pid) "cstrace: DIR/jit-7.dump: written as process 7 of a PID namespace, taken for that of process " #pid \
	", the only one with memory at its addresses\n"

/*
 * The process of a file that no record mentions, which states process 7 and has code at 0x7000 from time 100 on: that of its
 * number, or the only one with memory there, at that time, that can have had the number.
 */
static void whose_file(void **state)
{
	enum { HOST = 1, GONE = 2 };	/* the process is in the first PID namespace; it ended at time 50 */
	static const struct {
		struct {
			int pid;
			uint64_t start, len;
			struct dso *memory;
			int how;
		} processes[3];
		const char *given;	/* before the name */
		const char *events, *said;
	} rows[] = {
		{ { { 100, 0x7000, 0x1000, &memory, 0 } }, "", "jit-7.dump@100 100/10", TAKEN(100) },
		{ { { 100, 0x7000, 0x1000, &shared, 0 } }, "", "jit-7.dump@100 100/10", TAKEN(100) },
		{ { { 100, 0x6000, 0x3000, &memory, 0 }, { 200, 0x8000, 0x1000, &memory, 0 } }, "", "jit-7.dump@100 100/10", TAKEN(100) },
		/* its number is that of a process with memory there, or that of no other one */
		{ { { 100, 0x7000, 0x1000, &memory, 0 }, { 7, 0x7000, 0x1000, &memory, 0 } }, "", "jit-7.dump@7 100/11", "" },
		{ { { 7, 0x9000, 0x1000, &memory, 0 } }, "", "jit-7.dump@7 100/0", "" },
		{ { { 7, 0x9000, 0x1000, &memory, 0 }, { 100, 0x7000, 0x1000, &memory, 0 } }, "", "jit-7.dump@100 100/11", TAKEN(100) },
		/* nobody's, or one of two */
		{ { { 100, 0x8000, 0x1000, &memory, 0 } }, "", "jit-7.dump@7 100/0",
		  "cstrace: warning: DIR/jit-7.dump: no process 7 is in the recording, and no process has memory at its addresses" CURE },
		{ { { 100, 0x7000, 0x1000, &memory, 0 }, { 200, 0x7000, 0x1000, &memory, 0 } }, "", "",
		  "cstrace: warning: DIR/jit-7.dump: not used: process 100 and process 200 both have memory at its addresses, and neither "
		  "has its number, 7" CURE },
		/* one of the two had ended before, or has the same number in all namespaces */
		{ { { 100, 0x7000, 0x1000, &memory, GONE }, { 200, 0x7000, 0x1000, &memory, 0 } }, "", "jit-7.dump@200 100/11", TAKEN(200) },
		{ { { 100, 0x7000, 0x1000, &memory, HOST }, { 200, 0x7000, 0x1000, &memory, 0 } }, "", "jit-7.dump@200 100/11", TAKEN(200) },
		/* the user knows it */
		{ { { 100, 0x7000, 0x1000, &memory, 0 }, { 200, 0x7000, 0x1000, &memory, 0 } }, "200:", "jit-7.dump@200 100/11", "" },
		{ { { 100, 0x7000, 0x1000, &memory, 0 } }, "300:", "jit-7.dump@300 100/0",
		  "cstrace: warning: DIR/jit-7.dump: no process 300 with memory for code is in the recording\n" },
	};
	char given[256];
	size_t i, k;

	(void)state;
	write_dump("jit-7.dump", 7, 0, 100, 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(2);
		for (k = 0; k < 3 && rows[i].processes[k].pid; k++) {
			const int pid = rows[i].processes[k].pid, how = rows[i].processes[k].how;
			struct side_event end_event = { .kind = SIDE_EXIT, .time = 50, .pid = pid, .tid = pid };
			struct {
				struct perf_record_namespaces head;
				struct perf_ns_link_info links[7];
			} ns = { .head = { .header = { .type = PERF_RECORD_NAMESPACES, .size = sizeof(ns) }, .pid = (uint32_t)pid,
					   .tid = (uint32_t)pid, .nr_namespaces = 7 } };
			const struct pd_record rec = { .ev = (const union perf_event *)&ns };

			process(pid, 10 + k, rows[i].processes[k].start, rows[i].processes[k].len, rows[i].processes[k].memory);
			ns.links[3].ino = how & HOST ? 0xeffffffc : 0xf0000123;
			jit_processes_record(&fx.se.processes, &rec);
			if (how & GONE)
				jit_processes_event(&fx.se.processes, &end_event);
		}
		snprintf(given, sizeof(given), "%s%s", rows[i].given, temp_path(dir, "jit-7.dump"));
		fx.dsos.search.jitdump = given;
		assert_string_equal(finish(), rows[i].said);
		expect_code(rows[i].events);
		end();
	}
}

/* Two containers have a process 7 each, and the recording has the maps of both files: the code tells which is whose. */
static void files_of_one_name(void **state)
{
	char given[256];
	unsigned int i;

	(void)state;
	write_dump("one/jit-7.dump", 7, 0, 100, 0);
	write_dump("two/jit-7.dump", 8, 0, 200, 0);
	for (i = 0; i < 2; i++) {
		snprintf(given, sizeof(given), "%s,%s", temp_path(dir, i ? "one/jit-7.dump" : "two/jit-7.dump"),
			 temp_path(dir, i ? "two/jit-7.dump" : "one/jit-7.dump"));
		start(2);
		process(100, 10, 0x7000, 0x1000, &memory);
		process(200, 10, 0x8000, 0x1000, &memory);
		note("tmp/jit-7.dump", 100, 10, 20);
		note("tmp/jit-7.dump", 200, 10, 21);
		fx.dsos.search.jitdump = given;
		assert_string_equal(finish(), "");
		expect_code("jit-7.dump@100 100/20, jit-7.dump@200 200/21");
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(when_code_is_there), cmocka_unit_test(each_file_once),
		cmocka_unit_test(where_files_are), cmocka_unit_test(whose_file),
		cmocka_unit_test(files_of_one_name),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
