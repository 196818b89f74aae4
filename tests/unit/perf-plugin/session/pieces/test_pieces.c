/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces of a pipe as lists of their records: which trace is in which piece, what they have of the
 * records before, and what is not kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/messages.h"
#include "perfdata/reader.h"
#include "session/pieces/pieces.h"
#include "unit/perf-plugin/perfdata_build.h"
#include "unit/temp_dir.h"

TEMP_DIR("pieces")

#define ST (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define ID 7

/* ---- a pipe ---------------------------------------------------------------------------------- */

static struct pdb in;

static struct pdb_sid at(unsigned int cpu, uint32_t tid, uint64_t time)
{
	return (struct pdb_sid){ .pid = tid, .tid = tid, .time = time, .id = ID, .cpu = cpu };
}

static void begin(void)
{
	const struct pdb_attr a = { .sample_type = ST,
				    .type = 8,
				    .size = 112,
				    .sample_id_all = true,
				    .ids = { ID },
				    .nr_ids = 1 };
	size_t rec;

	pdb_pipe_header(&in);
	pdb_attr_record(&in, &a);
	rec = pdb_begin(&in, PERF_RECORD_AUXTRACE_INFO, 0);
	pdb_u64(&in, 3);
	pdb_end(&in, rec);
}

static void put_round(void)
{
	pdb_end(&in, pdb_begin(&in, PERF_RECORD_FINISHED_ROUND, 0));
}

static void aux(unsigned int cpu, uint32_t tid, uint64_t time, uint64_t offset, uint64_t size)
{
	const struct pdb_sid s = at(cpu, tid, time);

	pdb_aux(&in, offset, size, 0, ST, &s);
}

/* Trace whose bytes are those of its offset; `cpu` -1: of a thread. */
static void trace(int cpu, uint32_t tid, uint64_t offset, size_t size)
{
	uint8_t bytes[4096];
	size_t i;

	for (i = 0; i < size; i++)
		bytes[i] = (uint8_t)(offset + i);
	pdb_auxtrace(&in, offset, bytes, size, (uint32_t)cpu, cpu < 0 ? tid : UINT32_MAX);
}

static void comm(uint32_t pid, const char *name, uint64_t time, bool exec)
{
	const struct pdb_sid s = at(0, pid, time);
	const size_t where = in.len;

	pdb_comm(&in, pid, pid, name, ST, &s);
	if (exec)
		((struct perf_event_header *)(in.p + where))->misc |= PERF_RECORD_MISC_COMM_EXEC;
}

static void map(uint32_t pid, uint64_t start, uint64_t time)
{
	const struct pdb_sid s = at(0, pid, time);
	const size_t where = in.len;

	pdb_mmap2(&in, pid, start, 0x1000, 0, "/bin/a", ST, &s);
	((struct perf_event_header *)(in.p + where))->misc |= PERF_RECORD_MISC_USER;
}

static void task(uint32_t type, uint32_t pid, uint32_t tid, uint32_t parent, uint64_t time)
{
	const struct pdb_sid s = at(0, tid, time);
	const size_t rec = pdb_begin(&in, type, 0);

	pdb_u32(&in, pid);
	pdb_u32(&in, parent);
	pdb_u32(&in, tid);
	pdb_u32(&in, parent);
	pdb_u64(&in, time);
	pdb_sid_put(&in, ST, &s);
	pdb_end(&in, rec);
}

static void switch_to(unsigned int cpu, uint32_t tid, uint64_t time)
{
	const struct pdb_sid s = at(cpu, tid, time);
	const size_t rec = pdb_begin(&in, PERF_RECORD_SWITCH, 0);

	pdb_sid_put(&in, ST, &s);
	pdb_end(&in, rec);
}

/* ---- its pieces as text ---------------------------------------------------------------------- */

static char text[1 << 18];
static size_t used;

static void add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void add(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, fmt, ap);
	va_end(ap);
	assert_true(used < sizeof(text));
}

static void add_trace(const struct pd_auxtrace *a)
{
	uint64_t i, n = a->avail;

	/* zeros at the end are padding */
	for (i = 0; i < n && a->data[i] == (uint8_t)(a->offset + i); i++)
		;
	assert_true(n - i < 8);
	add(" trace %d/%d %llu+%llu", a->cpu, a->cpu < 0 ? a->tid : -1,
	    (unsigned long long)a->offset, (unsigned long long)i);
}

static void add_record(const struct pd_record *r)
{
	const union perf_event *ev = r->ev;
	const struct pd_record_cst_aux_before *before = (const void *)ev;

	switch (ev->header.type) {
	case PERF_RECORD_AUX:
		add(" aux %u@%llu", r->sid.cpu, (unsigned long long)r->sid.time);
		break;
	case PD_RECORD_CST_AUX_BEFORE:
		add(" before %d/%d@%llu", before->cpu, before->tid,
		    (unsigned long long)before->time);
		break;
	case PERF_RECORD_AUXTRACE:
		add_trace(&r->aux);
		break;
	case PERF_RECORD_COMM:
		add(" comm %s", ev->comm.comm);
		break;
	case PERF_RECORD_MMAP2:
		add(" map %u:%llx", ev->mmap2.pid, (unsigned long long)ev->mmap2.start);
		break;
	case PERF_RECORD_FORK:
		add(" fork %u/%u", ev->fork.pid, ev->fork.tid);
		break;
	case PERF_RECORD_EXIT:
		add(" exit %u/%u", ev->fork.pid, ev->fork.tid);
		break;
	case PERF_RECORD_SWITCH:
		add(" switch %u:%u@%llu", r->sid.cpu, r->sid.tid, (unsigned long long)r->sid.time);
		break;
	case PERF_RECORD_LOST:
		add(" lost");
		break;
	}
}

static void add_piece(int fd)
{
	struct error err = { .code = 0 };
	struct perfdata *pd = perfdata_open_fd(fd, "piece", &err);
	struct pd_record rec;
	int rc;

	assert_non_null(pd);
	assert_true(perfdata_is_pipe(pd));
	while ((rc = perfdata_next(pd, &rec))) {
		assert_int_equal(rc, 1);
		add_record(&rec);
	}
	perfdata_close(pd);
	close(fd);
	add("\n");
}

static struct pieces_totals totals;

/* Cuts what was built into pieces of `size` bytes, and lists their records. */
static void cut(uint64_t size)
{
	const char *path = temp_path(dir, "in");
	struct pieces_opts o = { .path = path, .size = size, .stop_fd = -1 };
	struct error err = { .code = 0 };
	enum pieces_next next;
	struct pieces *p;
	struct piece piece;

	temp_write(dir, "in", in.p, in.len);
	used = 0;
	text[0] = 0;
	p = pieces_open(&o, &err);
	assert_non_null(p);
	while ((next = pieces_next(p, &piece, &err)) == PIECES_PIECE)
		add_piece(piece.fd);
	if (next == PIECES_WHOLE)
		add("whole\n");
	else
		assert_int_equal(next, PIECES_END);
	totals = pieces_totals(p);
	pieces_close(p);
	pdb_free(&in);
	memset(&in, 0, sizeof(in));
}

static void expect(uint64_t size, const char *want)
{
	cut(size);
	assert_string_equal(text, want);
}

/* ---- trace ----------------------------------------------------------------------------------- */

/* At the end of a round all has come that happened up to the latest time of the round before. */
static void rounds_say_what_has_come(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 64);
	trace(0, 0, 0, 64);
	put_round();
	comm(1, "a", 90, false);
	aux(0, 1, 200, 64, 64);
	trace(0, 0, 64, 64);
	put_round();
	comm(1, "b", 150, false);
	put_round();
	comm(1, "c", 300, false);
	expect(64, " aux 0@100 comm a trace 0/-1 0+64\n"
		   " before 0/-1@100 comm a aux 0@200 comm b trace 0/-1 64+64\n");
	assert_int_equal(totals.late, 0);
	assert_int_equal(totals.forced, 0);
}

static void a_pipe_that_ends_in_a_piece_is_not_cut(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 64);
	trace(0, 0, 0, 64);
	put_round();
	put_round();
	expect(65, "whole\n");
}

/* The recorder reads trace after records, so it may have more than these say. */
static void trace_ahead_waits_for_its_record(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 40);
	trace(0, 0, 0, 100);
	put_round();
	aux(0, 1, 200, 40, 60);
	put_round();
	put_round();
	put_round();
	expect(10, " aux 0@100 trace 0/-1 0+40\n"
		   " before 0/-1@100 aux 0@200 trace 0/-1 40+60\n");
}

static void a_record_waits_for_its_trace(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 40);
	aux(1, 2, 101, 0, 40);
	trace(1, 0, 0, 40);
	put_round();
	put_round();
	trace(0, 0, 0, 40);
	put_round();
	expect(10, " aux 1@101 trace 1/-1 0+40\n"
		   " aux 0@100 before 1/-1@101 trace 0/-1 0+40\n");
}

/* Of a buffer whose later trace is there, what is not there will not come. */
static void trace_that_is_missing_holds_nothing_up(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 40);
	aux(0, 1, 101, 40, 40);
	trace(0, 0, 40, 40);
	put_round();
	put_round();
	aux(0, 1, 102, 80, 40);
	trace(0, 0, 80, 40);
	put_round();
	expect(10, " aux 0@100 aux 0@101 trace 0/-1 40+40\n"
		   " before 0/-1@101 aux 0@102 trace 0/-1 80+40\n");
}

/* Padding is no trace, unless the next chunk begins behind it. */
static void padding_stays_behind(void **state)
{
	uint64_t next;

	(void)state;
	for (next = 61; next <= 64; next += 3) {
		begin();
		aux(0, 1, 100, 0, 61);
		trace(0, 0, 0, 64);
		put_round();
		aux(0, 1, 200, 61, 59 + 3 * (next == 64));
		put_round();
		put_round();
		trace(0, 0, next, 59);
		put_round();
		expect(10, next == 61 ?
				   " aux 0@100 trace 0/-1 0+61\n"
				   " before 0/-1@100 aux 0@200 trace 0/-1 61+59\n" :
				   " aux 0@100 trace 0/-1 0+61\n"
				   " before 0/-1@100 aux 0@200 trace 0/-1 61+3 trace 0/-1 64+59\n");
	}
}

/* A thread ran on two CPUs, whose records come one CPU after the other. */
static void records_of_a_thread_are_in_order_of_time(void **state)
{
	(void)state;
	begin();
	aux(0, 5, 100, 0, 40);
	aux(0, 5, 120, 80, 40);
	trace(-1, 5, 0, 120);
	aux(1, 5, 110, 40, 40);
	put_round();
	aux(0, 5, 130, 120, 40);
	trace(-1, 5, 120, 40);
	put_round();
	put_round();
	expect(10, " aux 0@100 aux 0@120 aux 1@110 trace -1/5 0+120\n"
		   " before -1/5@120 aux 0@130 trace -1/5 120+40\n");
}

/* The trace of the second time is not looked for in that of the first one. */
static void buffers_are_opened_again(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 40);
	aux(0, 1, 110, 40, 40);
	aux(0, 1, 120, 0, 40);
	trace(0, 0, 0, 80);
	trace(0, 0, 0, 80);
	put_round();
	put_round();
	aux(0, 1, 200, 40, 40);
	put_round();
	put_round();
	expect(10, " aux 0@100 aux 0@110 aux 0@120 trace 0/-1 0+80 trace 0/-1 0+40\n"
		   " before 0/-1@120 aux 0@200 trace 0/-1 40+40\n");
}

/* Of a thread that has ended nothing is left, and its number may be used again. */
static void buffers_of_ended_threads_are_dropped(void **state)
{
	(void)state;
	begin();
	aux(0, 5, 100, 0, 40);
	trace(-1, 5, 0, 40);
	put_round();
	task(PERF_RECORD_EXIT, 5, 5, 1, 110);
	put_round();
	aux(0, 6, 200, 0, 40);
	trace(-1, 6, 0, 40);
	put_round();
	put_round();
	aux(0, 5, 300, 0, 40);
	trace(-1, 5, 0, 40);
	put_round();
	expect(10, " aux 0@100 exit 5/5 trace -1/5 0+40\n"
		   " exit 5/5 aux 0@200 trace -1/6 0+40\n"
		   " before -1/6@200 aux 0@300 trace -1/5 0+40\n");
	assert_int_equal(totals.reach, 0);
}

/* What no AUX record covers is in the piece of the next one, where it counts as such. */
static void unclaimed_trace_is_passed_on(void **state)
{
	(void)state;
	begin();
	aux(0, 1, 100, 0, 40);
	trace(0, 0, 0, 40);
	put_round();
	put_round();
	trace(0, 0, 40, 80);
	aux(0, 1, 200, 80, 40);
	put_round();
	put_round();
	trace(0, 0, 120, 24);
	put_round();
	expect(10, " aux 0@100 trace 0/-1 0+40\n"
		   " before 0/-1@100 aux 0@200 trace 0/-1 40+80\n"
		   " before 0/-1@200 trace 0/-1 120+24\n");
}

/* ---- records --------------------------------------------------------------------------------- */

/* Ends a piece at a time, with some trace of CPU 0. */
static void piece_at(uint64_t time)
{
	static uint64_t offset;

	if (time == 100)
		offset = 0;
	aux(0, 1, time, offset, 40);
	trace(0, 0, offset, 40);
	offset += 40;
	put_round();
	put_round();
}

/* The first ones of a CPU and of a thread stay, and the last ones before its next trace. */
static void switches_of_before_are_dropped(void **state)
{
	uint64_t t;

	(void)state;
	begin();
	for (t = 10; t < 90; t += 10)
		switch_to(0, 1, t);
	piece_at(100);
	switch_to(0, 1, 110);
	piece_at(200);
	expect(10, " switch 0:1@10 switch 0:1@20 switch 0:1@30 switch 0:1@40 switch 0:1@50"
		   " switch 0:1@60 switch 0:1@70 switch 0:1@80 aux 0@100 trace 0/-1 0+40\n"
		   " switch 0:1@10 switch 0:1@50 switch 0:1@60 switch 0:1@70 switch 0:1@80"
		   " before 0/-1@100 switch 0:1@110 aux 0@200 trace 0/-1 40+40\n");
}

static void lost_records_count_once(void **state)
{
	const struct pdb_sid s = at(0, 1, 50);
	size_t rec;

	(void)state;
	begin();
	rec = pdb_begin(&in, PERF_RECORD_LOST, 0);
	pdb_u64(&in, ID);
	pdb_u64(&in, 3);
	pdb_sid_put(&in, ST, &s);
	pdb_end(&in, rec);
	piece_at(100);
	piece_at(200);
	expect(10, " lost aux 0@100 trace 0/-1 0+40\n"
		   " before 0/-1@100 aux 0@200 trace 0/-1 40+40\n");
}

/* Two processes and a fork stay, as they show that there are several. */
static void several(void)
{
	begin();
	map(1, 0x1000, 0);
	map(2, 0x2000, 0);
	task(PERF_RECORD_FORK, 3, 3, 1, 1);
}

#define SEVERAL " map 1:1000 map 2:2000 fork 3/3"

static void processes_that_have_ended_are_dropped(void **state)
{
	(void)state;
	several();
	task(PERF_RECORD_FORK, 10, 10, 1, 10);
	comm(10, "a", 11, true);
	map(10, 0x3000, 12);
	task(PERF_RECORD_FORK, 10, 11, 10, 13);
	task(PERF_RECORD_EXIT, 10, 10, 1, 14);
	piece_at(100);
	/* its other thread still runs */
	task(PERF_RECORD_EXIT, 10, 11, 1, 110);
	piece_at(200);
	piece_at(300);
	expect(10, SEVERAL " fork 10/10 comm a map 10:3000 fork 10/11 exit 10/10 aux 0@100"
			   " trace 0/-1 0+40\n" SEVERAL
			   " fork 10/10 comm a map 10:3000 fork 10/11 exit 10/10 before 0/-1@100"
			   " exit 10/11 aux 0@200 trace 0/-1 40+40\n" SEVERAL
			   " before 0/-1@200 aux 0@300 trace 0/-1 80+40\n");
}

/* A child has the maps of its parent, until it executes a program. */
static void maps_stay_while_a_child_has_them(void **state)
{
	(void)state;
	several();
	task(PERF_RECORD_FORK, 10, 10, 1, 10);
	map(10, 0x3000, 12);
	task(PERF_RECORD_FORK, 20, 20, 10, 20);
	task(PERF_RECORD_EXIT, 10, 10, 1, 30);
	piece_at(100);
	piece_at(200);
	comm(20, "b", 210, true);
	piece_at(300);
	piece_at(400);
	expect(10, SEVERAL
	       " fork 10/10 map 10:3000 fork 20/20 exit 10/10 aux 0@100 trace 0/-1 0+40\n" SEVERAL
	       " fork 10/10 map 10:3000 fork 20/20 exit 10/10 before 0/-1@100 aux 0@200"
	       " trace 0/-1 40+40\n" SEVERAL
	       " fork 10/10 map 10:3000 fork 20/20 exit 10/10 before 0/-1@200 comm b"
	       " aux 0@300 trace 0/-1 80+40\n" SEVERAL
	       " fork 20/20 comm b before 0/-1@300 aux 0@400 trace 0/-1 120+40\n");
}

static void an_exec_drops_maps(void **state)
{
	(void)state;
	several();
	task(PERF_RECORD_FORK, 10, 10, 1, 10);
	map(10, 0x3000, 12);
	comm(10, "b", 20, true);
	map(10, 0x4000, 22);
	piece_at(100);
	piece_at(200);
	expect(10, SEVERAL
	       " fork 10/10 map 10:3000 comm b map 10:4000 aux 0@100 trace 0/-1 0+40\n" SEVERAL
	       " fork 10/10 comm b map 10:4000 before 0/-1@100 aux 0@200"
	       " trace 0/-1 40+40\n");
}

/* A number that is used again is another process. */
static void numbers_are_used_again(void **state)
{
	(void)state;
	several();
	task(PERF_RECORD_FORK, 10, 10, 1, 10);
	map(10, 0x3000, 12);
	task(PERF_RECORD_EXIT, 10, 10, 1, 14);
	task(PERF_RECORD_FORK, 10, 10, 1, 20);
	map(10, 0x4000, 22);
	piece_at(100);
	piece_at(200);
	expect(10, SEVERAL " fork 10/10 map 10:3000 exit 10/10 fork 10/10 map 10:4000 aux 0@100"
			   " trace 0/-1 0+40\n" SEVERAL
			   " fork 10/10 map 10:4000 before 0/-1@100 aux 0@200 trace 0/-1 40+40\n");
}

/* Threads that come and go leave nothing in a process that stays. */
static void threads_that_have_ended_are_dropped(void **state)
{
	uint32_t tid;

	(void)state;
	several();
	map(10, 0x3000, 2);
	for (tid = 11; tid < 300; tid++) {
		task(PERF_RECORD_FORK, 10, tid, 10, 10);
		task(PERF_RECORD_EXIT, 10, tid, 10, 20);
	}
	piece_at(100);
	piece_at(200);
	/* the first piece is not compared: its list is long */
	expect(1 << 20, "whole\n");
	several();
	map(10, 0x3000, 2);
	task(PERF_RECORD_FORK, 10, 11, 10, 10);
	task(PERF_RECORD_EXIT, 10, 11, 10, 20);
	piece_at(100);
	piece_at(200);
	expect(10, SEVERAL " map 10:3000 fork 10/11 exit 10/11 aux 0@100 trace 0/-1 0+40\n" SEVERAL
			   " map 10:3000 before 0/-1@100 aux 0@200 trace 0/-1 40+40\n");
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void records_that_come_too_late_are_counted(void **state)
{
	(void)state;
	begin();
	piece_at(100);
	comm(1, "a", 50, false);
	map(1, 0x1000, 60);
	piece_at(200);
	expect(10, " aux 0@100 trace 0/-1 0+40\n"
		   " before 0/-1@100 comm a map 1:1000 aux 0@200 trace 0/-1 40+40\n");
	assert_int_equal(totals.late, 2);
}

/* 6 MB of trace, in rounds; behind the first one there is trace without a record. */
static void trace_without_a_record_does_not_hold_the_room(void **state)
{
	const char *found;
	unsigned int i;

	(void)state;
	begin();
	trace(1, 0, 0, 64);
	for (i = 0; i < 1536; i++) {
		aux(0, 1, 100 + i, 4096ull * i, 4096);
		trace(0, 0, 4096ull * i, 4096);
		put_round();
	}
	cut(1 << 19);
	assert_int_equal(totals.unclaimed, 64);
	assert_int_equal(totals.forced, 0);
	assert_in_range(totals.pieces, 10, 16);
	found = strstr(text, " trace 1/-1 0+64");
	assert_non_null(found);
	assert_null(strstr(found + 1, " trace 1/-1"));
	assert_true(found > strchr(text, '\n'));
}

/* What is not sure is not cut. */
static void snapshots_are_whole(void **state)
{
	const struct pdb_sid s = at(0, 1, 90);

	(void)state;
	begin();
	pdb_aux(&in, 40, 40, 2, ST, &s);
	piece_at(100);
	piece_at(200);
	expect(10, "whole\n");
	assert_non_null(strstr(totals.whole, "snapshots"));
}

/* ---- damage ---------------------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static void any_pipe(void)
{
	uint64_t time = 100, offset[3] = { 0 };
	uint32_t i, pid;

	several();
	for (i = 0; i < 40; i++) {
		const unsigned int cpu = draw(3);

		pid = 10 + draw(6);
		time += 10;
		task(draw(2) ? PERF_RECORD_FORK : PERF_RECORD_EXIT, pid, pid + draw(2), 1, time);
		map(pid, 0x1000 * (1 + draw(9)), time);
		switch_to(cpu, pid, time);
		aux(cpu, pid, time, offset[cpu], 32);
		trace((int)cpu, 0, offset[cpu], 32);
		offset[cpu] += 32;
		if (draw(2))
			put_round();
	}
}

/* Reads all pieces. Each is perf.data without errors, whatever the pipe is. */
static void read_pieces(void)
{
	const char *path = temp_path(dir, "in");
	struct pieces_opts o = { .path = path, .size = 1 + draw(100), .stop_fd = -1 };
	struct error err = { .code = 0 };
	struct pieces *p;
	struct piece piece;

	temp_write(dir, "in", in.p, in.len);
	p = pieces_open(&o, &err);
	while (p && pieces_next(p, &piece, &err) == PIECES_PIECE) {
		struct perfdata *pd = perfdata_open_fd(piece.fd, "piece", &err);
		struct pd_record rec;
		int rc;

		assert_non_null(pd);
		while ((rc = perfdata_next(pd, &rec)))
			if (rc < 0)
				fail_msg("%s", perfdata_error(pd)->msg);
		perfdata_close(pd);
		close(piece.fd);
	}
	pieces_close(p);
}

static void damaged_pipes_give_sound_pieces(void **state)
{
	struct messages none = { .nr = 0 }, *was = messages_record(&none);
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 500; i++) {
		seed = i;
		any_pipe();
		for (k = draw(4); k && i; k--)
			in.p[16 + draw((uint32_t)in.len - 16)] ^= (uint8_t)(1u << draw(8));
		if (i && !draw(4))
			in.len = 16 + draw((uint32_t)in.len - 16);
		read_pieces();
		pdb_free(&in);
		memset(&in, 0, sizeof(in));
	}
	messages_record(was);
	messages_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_say_what_has_come),
		cmocka_unit_test(a_pipe_that_ends_in_a_piece_is_not_cut),
		cmocka_unit_test(trace_ahead_waits_for_its_record),
		cmocka_unit_test(a_record_waits_for_its_trace),
		cmocka_unit_test(trace_that_is_missing_holds_nothing_up),
		cmocka_unit_test(padding_stays_behind),
		cmocka_unit_test(records_of_a_thread_are_in_order_of_time),
		cmocka_unit_test(buffers_are_opened_again),
		cmocka_unit_test(buffers_of_ended_threads_are_dropped),
		cmocka_unit_test(unclaimed_trace_is_passed_on),
		cmocka_unit_test(switches_of_before_are_dropped),
		cmocka_unit_test(lost_records_count_once),
		cmocka_unit_test(processes_that_have_ended_are_dropped),
		cmocka_unit_test(maps_stay_while_a_child_has_them),
		cmocka_unit_test(an_exec_drops_maps),
		cmocka_unit_test(numbers_are_used_again),
		cmocka_unit_test(threads_that_have_ended_are_dropped),
		cmocka_unit_test(records_that_come_too_late_are_counted),
		cmocka_unit_test(trace_without_a_record_does_not_hold_the_room),
		cmocka_unit_test(snapshots_are_whole),
		cmocka_unit_test(damaged_pipes_give_sound_pieces),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
