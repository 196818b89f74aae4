/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated code in memory whose protection changes, and code in the place of a file's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/tasks/threads.h"
#include "unit/perf-plugin/history_build.h"

static struct side_order side;
static struct dso file = { .kind = DSO_FILE, .path = "/opt/file" }, other = { .kind = DSO_FILE, .path = "/opt/other" };
static struct dso anon = { .kind = DSO_ANON, .path = "//anon" }, jit = { .kind = DSO_JIT, .path = "/tmp/jit-1.dump" };
/* memory of a file system, in which a program has its generated code; and a file that is known by its build-id */
static struct dso shm = { .kind = DSO_FILE, .path = "/dev/shm/jit" };
static struct dso known = { .kind = DSO_FILE, .path = "/opt/known", .recorded = { .len = 4 } };

static struct side_event event(enum side_kind kind, int pid, int tid)
{
	return (struct side_event){ .kind = (uint8_t)kind, .pid = pid, .tid = tid, .time = 1 };
}

static void apply(struct threads *ts, struct side_event e, uint64_t order)
{
	threads_apply(ts, &e, order);
}

static struct side_event map_of(int pid, uint64_t start, uint64_t end, uint64_t off, struct dso *dso)
{
	struct side_event e = event(dso ? SIDE_MAP : SIDE_UNMAP, pid, pid);

	e.map = (struct map){ .start = start, .end = end, .off = off, .dso = dso };
	return e;
}

static void map(struct threads *ts, int pid, uint64_t start, uint64_t end, uint64_t off, struct dso *dso, uint64_t order)
{
	apply(ts, map_of(pid, start, end, off, dso), order);
}

/* Memory that is made writable and executable again keeps the generated code in it. */
static void generated_code(void **state)
{
	struct side_event e;
	struct process *p;
	struct threads ts;

	(void)state;
	threads_init(&ts, &side);
	map(&ts, 1, 0x1000, 0x9000, 0x1000, &anon, 0);
	map(&ts, 1, 0x1000, 0x8000, 0x1000, &anon, 1);
	p = threads_process(&ts, 1);
	assert_false(ts.have_jit);
	assert_int_equal(p->nr_maps, 2);
	map(&ts, 1, 0x2000, 0x3000, 0, &jit, 2);
	map(&ts, 1, 0x4000, 0x5000, 0, &jit, 3);
	assert_true(ts.have_jit);
	assert_int_equal(p->nr_maps, 4);
	map(&ts, 1, 0x1000, 0x9000, 0x1000, &anon, 4);	/* as it is */
	assert_int_equal(p->nr_maps, 4);
	map(&ts, 1, 0x2800, 0xa000, 0x2800, &anon, 5);	/* and behind the end */
	assert_int_equal(p->nr_maps, 5);
	assert_ptr_equal(maplist_find(p->cur, 0x2fff)->dso, &jit);
	assert_ptr_equal(maplist_find(p->cur, 0x3000)->dso, &anon);
	assert_ptr_equal(maplist_find(p->cur, 0x4000)->dso, &jit);
	assert_ptr_equal(maplist_find(p->cur, 0x9000)->dso, &anon);
	assert_int_equal(maplist_find(p->cur, 0x9000)->off + (0x9000 - maplist_find(p->cur, 0x9000)->start), 0x9000);
	map(&ts, 1, 0x1000, 0x9000, 0x7000, &anon, 6);	/* another place of another memory */
	assert_ptr_equal(maplist_find(p->cur, 0x2000)->dso, &jit);
	assert_ptr_equal(maplist_find(p->cur, 0x4fff)->dso, &jit);
	assert_int_equal(maplist_find(p->cur, 0x1000)->off, 0x7000);
	assert_int_equal(maplist_find(p->cur, 0x3000)->off, 0x9000);
	assert_int_equal(maplist_find(p->cur, 0x5000)->off, 0xb000);
	assert_int_equal(p->nr_maps, 8);
	/* perf record -d: the memory can be written for a while, and not be executed */
	e = map_of(1, 0x1000, 0x9000, 0x1000, NULL);
	e.anon = true;
	apply(&ts, e, 7);
	assert_ptr_equal(maplist_find(p->cur, 0x2000)->dso, &jit);
	assert_ptr_equal(maplist_find(p->cur, 0x4fff)->dso, &jit);
	assert_null(maplist_find(p->cur, 0x1000));
	assert_null(maplist_find(p->cur, 0x3000));
	assert_null(maplist_find(p->cur, 0x8fff));
	map(&ts, 1, 0x1000, 0x9000, 0x1000, &anon, 8);
	assert_ptr_equal(maplist_find(p->cur, 0x2fff)->dso, &jit);
	assert_ptr_equal(maplist_find(p->cur, 0x3000)->dso, &anon);
	/* it is not there any more */
	map(&ts, 1, 0x4000, 0x5000, 0, NULL, 9);
	assert_null(maplist_find(p->cur, 0x4000));
	/* a file is mapped over it */
	map(&ts, 1, 0x2000, 0x3000, 0, &file, 10);
	assert_ptr_equal(maplist_find(p->cur, 0x2000)->dso, &file);
	threads_free(&ts);
}

/* Maps, one letter for each: what is there, a small letter with the file below its memory, at START-END+OFFSET. */
static const char *layout(const struct process *p)
{
	static const struct {
		const struct dso *dso;
		const char *name;
	} names[] = { { &file, "file" }, { &other, "other" }, { &anon, "anon" }, { &jit, "jit" }, { &shm, "shm" }, { &known, "known" } };
	static char text[1024];
	const struct map *m;
	size_t i;

	*text = '\0';
	for (m = maplist_next(p->cur, 0); m; m = maplist_next(p->cur, m->end)) {
		for (i = 0; names[i].dso != m->dso; i++)
			;
		sprintf(text + strlen(text), "%s%llx-%llx %s+%llx%s", *text ? ", " : "", (unsigned long long)m->start,
			(unsigned long long)m->end, names[i].name, (unsigned long long)m->off,
			m->memory && m->dso->kind == DSO_FILE ? " copied" : "");
	}
	return text;
}

/* Code of process 1 in [0x400000, 0x401000) is known to be generated. */
static bool generated(void *data, int pid, uint64_t start, uint64_t end)
{
	(void)data;
	return pid == 1 && start < 0x401000 && end > 0x400000;
}

enum { WRITTEN = 1, NOT_EXECUTABLE = 2 };	/* of a record */

/* Text of a file whose place anonymous memory takes, and generated code in memory of a file: what is taken to be there. */
static void code_in_other_memory(void **state)
{
	static const struct {
		const char *what;
		struct {
			struct dso *dso;
			uint64_t start, end, off;
			int how;
		} maps[6];
		const char *layout;
	} rows[] = {
		{ "all of a text", { { &file, 0x10000, 0x20000, 0x1000, 0 }, { &anon, 0x10000, 0x20000, 0x10000, 0 } },
		  "10000-20000 file+1000 copied" },
		{ "its middle", { { &file, 0x10000, 0x20000, 0x1000, 0 }, { &anon, 0x14000, 0x18000, 0x14000, 0 } },
		  "10000-14000 file+1000, 14000-18000 file+5000 copied, 18000-20000 file+9000" },
		{ "the last of two files", { { &file, 0x10000, 0x20000, 0, 0 }, { &other, 0x10000, 0x20000, 0, 0 }, { &anon, 0x10000, 0x20000, 0, 0 } },
		  "10000-20000 other+0 copied" },
		{ "up to the end of a huge page", { { &file, 0x200000, 0x340000, 0, 0 }, { &anon, 0x200000, 0x400000, 0, 0 } },
		  "200000-340000 file+0 copied, 340000-400000 anon+140000" },
		{ "from the begin of one", { { &file, 0x201000, 0x400000, 0, 0 }, { &anon, 0x200000, 0x400000, 0, 0 } },
		  "200000-201000 anon+0, 201000-400000 file+0 copied" },
		{ "one page more", { { &file, 0x10000, 0x20000, 0, 0 }, { &anon, 0x10000, 0x21000, 0, 0 } }, "10000-20000 anon+0, 20000-21000 anon+10000" },
		{ "one page before", { { &file, 0x10000, 0x20000, 0, 0 }, { &anon, 0xf000, 0x20000, 0, 0 } }, "f000-10000 anon+0, 10000-20000 anon+1000" },
		{ "a huge page more", { { &file, 0x200000, 0x340000, 0, 0 }, { &anon, 0x200000, 0x600000, 0, 0 } },
		  "200000-340000 anon+0, 340000-600000 anon+140000" },
		{ "known to be generated", { { &file, 0x400000, 0x402000, 0, 0 }, { &anon, 0x400000, 0x402000, 0, 0 } }, "400000-402000 anon+0" },
		{ "generated elsewhere", { { &file, 0x400000, 0x402000, 0, 0 }, { &anon, 0x401000, 0x402000, 0, 0 } },
		  "400000-401000 file+0, 401000-402000 file+1000 copied" },
		{ "written first, then executed", { { &file, 0x10000, 0x20000, 0, 0 }, { &anon, 0x10000, 0x20000, 0, NOT_EXECUTABLE },
		  { &anon, 0x10000, 0x20000, 0, 0 } }, "10000-20000 file+0 copied" },
		{ "unmapped, then other memory", { { &file, 0x10000, 0x20000, 0, 0 }, { NULL, 0x10000, 0x20000, 0, 0 },
		  { &anon, 0x10000, 0x20000, 0, 0 } }, "10000-20000 anon+0" },
		{ "mapped again", { { &file, 0x10000, 0x20000, 0, 0 }, { &anon, 0x10000, 0x20000, 0, 0 }, { &file, 0x10000, 0x20000, 0, 0 } },
		  "10000-20000 file+0" },
		{ "another file after all", { { &file, 0x10000, 0x20000, 0, 0 }, { &anon, 0x10000, 0x20000, 0, 0 }, { &other, 0x10000, 0x18000, 0, 0 } },
		  "10000-18000 other+0, 18000-20000 file+8000 copied" },
		{ "its protection changes once more", { { &file, 0x10000, 0x20000, 0, 0 }, { &anon, 0x10000, 0x20000, 0, 0 },
		  { &anon, 0x10000, 0x20000, 0, 0 } }, "10000-20000 file+0 copied" },
		{ "generated code in a part", { { &file, 0x10000, 0x20000, 0, 0 }, { &jit, 0x14000, 0x15000, 0, 0 }, { &anon, 0x10000, 0x20000, 0, 0 } },
		  "10000-14000 anon+0, 14000-15000 jit+0, 15000-20000 anon+5000" },
		{ "older than the recording", { { &file, 0x10000, 0x12000, 0, 0 }, { &anon, 0x12000, 0x16000, 0, 0 }, { &file, 0x16000, 0x18000, 0x6000, 0 } },
		  "10000-12000 file+0, 12000-16000 file+2000 copied, 16000-18000 file+6000" },
		{ "the end of it first", { { &file, 0x16000, 0x18000, 0x6000, 0 }, { &file, 0x10000, 0x12000, 0, 0 }, { &anon, 0x12000, 0x16000, 0, 0 } },
		  "10000-12000 file+0, 12000-16000 file+2000 copied, 16000-18000 file+6000" },
		{ "between two texts", { { &file, 0x10000, 0x12000, 0, 0 }, { &anon, 0x12000, 0x16000, 0, 0 }, { &file, 0x16000, 0x18000, 0x5000, 0 } },
		  "10000-12000 file+0, 12000-16000 anon+0, 16000-18000 file+5000" },
		{ "code in shared memory", { { &shm, 0x10000, 0x20000, 0, WRITTEN }, { &jit, 0x12000, 0x13000, 0, 0 }, { &shm, 0x10000, 0x20000, 0, WRITTEN } },
		  "10000-12000 shm+0, 12000-13000 jit+0, 13000-20000 shm+3000" },
		{ "that no record named before", { { &jit, 0x12000, 0x13000, 0, 0 }, { &shm, 0x10000, 0x20000, 0, WRITTEN } },
		  "10000-12000 shm+0, 12000-13000 jit+0, 13000-20000 shm+3000" },
		{ "code in a file's memory", { { &shm, 0x10000, 0x20000, 0, 0 }, { &jit, 0x12000, 0x13000, 0, 0 }, { &shm, 0x10000, 0x20000, 0, 0 } },
		  "10000-12000 shm+0, 12000-13000 jit+0, 13000-20000 shm+3000" },
		{ "that is not executed meanwhile", { { &shm, 0x10000, 0x20000, 0, WRITTEN }, { &jit, 0x12000, 0x13000, 0, 0 },
		  { &shm, 0x10000, 0x20000, 0, WRITTEN | NOT_EXECUTABLE }, { &shm, 0x10000, 0x20000, 0, WRITTEN } },
		  "10000-12000 shm+0, 12000-13000 jit+0, 13000-20000 shm+3000" },
		{ "a library in its place", { { &shm, 0x10000, 0x20000, 0, WRITTEN }, { &jit, 0x12000, 0x13000, 0, 0 }, { &file, 0x10000, 0x20000, 0, 0 } },
		  "10000-20000 file+0" },
		{ "a library comes back", { { &known, 0x10000, 0x20000, 0, 0 }, { &jit, 0x12000, 0x13000, 0, 0 }, { &known, 0x10000, 0x20000, 0, 0 } },
		  "10000-20000 known+0" },
	};
	struct side_event e;
	struct threads ts;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		threads_init(&ts, &side);
		ts.hooks.generated = generated;
		for (k = 0; k < 6 && rows[i].maps[k].end; k++) {
			struct dso *d = rows[i].maps[k].dso;
			const bool executed = d && !(rows[i].maps[k].how & NOT_EXECUTABLE);

			e = map_of(1, rows[i].maps[k].start, rows[i].maps[k].end, rows[i].maps[k].off, executed ? d : NULL);
			e.anon = d == &anon;
			e.written = rows[i].maps[k].how & WRITTEN;
			apply(&ts, e, k);
		}
		if (strcmp(layout(threads_process(&ts, 1)), rows[i].layout))
			print_error("%s:\n", rows[i].what);
		assert_string_equal(layout(threads_process(&ts, 1)), rows[i].layout);
		threads_free(&ts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_code), cmocka_unit_test(code_in_other_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
