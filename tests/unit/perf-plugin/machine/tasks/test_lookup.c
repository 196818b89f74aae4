/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of threads by the low bits of their numbers, names of threads over time, and who ran by which records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/tasks/comms.h"
#include "machine/tasks/short_ids.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_open.h"

#define NR_TIDS 5

static struct thread threads_made[NR_TIDS];
static struct thread *all_threads[NR_TIDS];

/* Threads with these numbers. */
static void renumber(struct threads *ts, const int *tids)
{
	size_t i;

	for (i = 0; i < NR_TIDS; i++) {
		threads_made[i].tid = tids[i];
		all_threads[i] = &threads_made[i];
	}
	ts->all_threads = all_threads;
	ts->nr_threads = ts->total_threads = NR_TIDS;
}

/* Of equal low bits the lowest number comes first. */
static void low_bits(void **state)
{
	static const int tids[NR_TIDS] = { 0x10105, 0x206, 0x205, 0x105, 0x304 };
	static const int by_8[NR_TIDS] = { 0x304, 0x105, 0x205, 0x10105, 0x206 };
	static const int by_16[NR_TIDS] = { 0x105, 0x10105, 0x205, 0x206, 0x304 };
	struct short_ids s = { .nr = 0 };
	struct threads ts = { .nr_threads = 0 };

	(void)state;
	renumber(&ts, tids);
	assert_int_equal(short_ids_make(&s, &ts, &ts, 8), 0);
	assert_int_equal(s.nr, NR_TIDS);
	assert_memory_equal(s.tids, by_8, sizeof(by_8));
	assert_int_equal(short_ids_first(&s, 3), 0);
	assert_int_equal(short_ids_first(&s, 4), 0);
	assert_int_equal(short_ids_first(&s, 5), 1);
	assert_int_equal(short_ids_first(&s, 6), 4);
	assert_int_equal(short_ids_first(&s, 7), NR_TIDS);
	assert_int_equal(short_ids_make(&s, &ts, &ts, 16), 0);
	assert_memory_equal(s.tids, by_16, sizeof(by_16));
	assert_int_equal(short_ids_first(&s, 0x105), 0);
	assert_int_equal(short_ids_first(&s, 0x305), NR_TIDS);
	short_ids_free(&s);
	assert_int_equal(s.nr, 0);
	assert_null(s.tids);
	assert_int_equal(short_ids_first(&s, 0), 0);
}

/* A list serves for one fragment, as long as no thread is added or removed. */
static void list_of_a_fragment(void **state)
{
	static const int before[NR_TIDS] = { 1, 2, 3, 4, 5 }, after[NR_TIDS] = { 11, 12, 13, 14, 15 };
	struct short_ids s = { .nr = 0 };
	struct threads ts = { .nr_threads = 0 };
	const char frags[2] = { 0 };

	(void)state;
	renumber(&ts, before);
	assert_int_equal(short_ids_make(&s, &ts, &frags[0], 8), 0);
	renumber(&ts, after);	/* shows whether the list is made anew */
	assert_int_equal(short_ids_make(&s, &ts, &frags[0], 8), 0);
	assert_int_equal(s.tids[0], 1);
	/* another fragment */
	assert_int_equal(short_ids_make(&s, &ts, &frags[1], 8), 0);
	assert_int_equal(s.tids[0], 11);
	/* other bits */
	renumber(&ts, before);
	assert_int_equal(short_ids_make(&s, &ts, &frags[1], 16), 0);
	assert_int_equal(s.tids[0], 1);
	/* one thread ended, another one was created */
	renumber(&ts, after);
	ts.total_threads++;
	assert_int_equal(short_ids_make(&s, &ts, &frags[1], 16), 0);
	assert_int_equal(s.tids[0], 11);
	/* one thread ended */
	renumber(&ts, before);
	ts.total_threads++;
	ts.nr_threads--;
	assert_int_equal(short_ids_make(&s, &ts, &frags[1], 16), 0);
	assert_int_equal(s.tids[0], 1);
	assert_int_equal(s.nr, NR_TIDS - 1);
	/* nothing changed: the list remains */
	renumber(&ts, after);
	ts.total_threads++;
	ts.nr_threads--;
	assert_int_equal(short_ids_make(&s, &ts, &frags[1], 16), 0);
	assert_int_equal(s.tids[0], 1);
	short_ids_free(&s);
}

static struct pdb data, file;

static struct comms *read_names(struct perfdata **pd)
{
	struct comms *c;
	struct error err;

	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	*pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(*pd);
	c = comms_new(*pd);
	assert_non_null(c);
	pdb_free(&data);
	memset(&data, 0, sizeof(data));
	return c;
}

static void forget_names(struct comms *c, struct perfdata *pd)
{
	comms_free(c);
	perfdata_close(pd);
	pdb_free(&file);
	memset(&file, 0, sizeof(file));
}

/* A thread without a name of its own has that of its creator, over 64 creations; after more it counts as unknown. */
static void inherited_names(void **state)
{
	struct pdb_sid s = sb_sid(10);
	struct perfdata *pd;
	struct comms *c;
	unsigned int tid;
	size_t at;

	(void)state;
	pdb_comm(&data, 1, 1, "first", SB_ST, &s);
	for (tid = 2; tid <= 70; tid++) {
		at = pdb_begin(&data, 7, 0);
		pdb_u32(&data, tid);
		pdb_u32(&data, tid - 1);
		pdb_u32(&data, tid);
		pdb_u32(&data, tid - 1);
		pdb_u64(&data, 20 + tid);
		s = sb_sid(20 + tid);
		pdb_sid_put(&data, SB_ST, &s);
		pdb_end(&data, at);
	}
	c = read_names(&pd);
	assert_string_equal(comms_at(c, 1, 1000), "first");
	assert_string_equal(comms_at(c, 65, 1000), "first");
	assert_string_equal(comms_at(c, 66, 1000), ":66");
	assert_string_equal(comms_at(c, 71, 1000), ":71");
	forget_names(c, pd);
}

/* Names at one time follow the order of the file; before the first name a thread has that one. */
static void names_over_time(void **state)
{
	struct pdb_sid s = sb_sid(10);
	struct perfdata *pd;
	struct comms *c;
	uint64_t from, until;
	unsigned int i;
	char name[16];

	(void)state;
	for (i = 0; i < 64; i++) {	/* as many as have room at first */
		snprintf(name, sizeof(name), "n%u", i);
		pdb_comm(&data, 5, 5, name, SB_ST, &s);
	}
	c = read_names(&pd);
	assert_string_equal(comms_at(c, 5, 9), "n0");
	assert_string_equal(comms_at(c, 5, 10), "n63");
	assert_string_equal(comms_at(c, 5, UINT64_MAX), "n63");
	assert_string_equal(comms_at(c, 4, 10), ":4");
	assert_string_equal(comms_at(c, 6, 10), ":6");
	assert_string_equal(comms_at(c, -2147483647 - 1, 10), ":-2147483648");
	assert_string_equal(comms_span(c, 5, 9, &from, &until), "n0");
	assert_int_equal(from, 0);
	assert_int_equal(until, 10);
	assert_string_equal(comms_span(c, 5, 10, &from, &until), "n63");
	assert_int_equal(from, 10);
	assert_true(until == UINT64_MAX);
	assert_string_equal(comms_span(c, 6, 10, &from, &until), ":6");
	assert_int_equal(from, 0);
	assert_true(until == UINT64_MAX);
	forget_names(c, pd);
}

/* SWITCH, or SWITCH_CPU_WIDE, which also names the other thread. */
static void put_switch(uint64_t sample_type, uint32_t cpu, uint64_t time, bool out, int other)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(&data, other < 0 ? 14 : 15, out ? 0x2000 : 0);

	s.cpu = cpu;
	if (other >= 0) {
		pdb_u32(&data, (uint32_t)other);
		pdb_u32(&data, (uint32_t)other);
	}
	pdb_sid_put(&data, sample_type, &s);
	pdb_end(&data, at);
}

/* ITRACE_START: trace begins with this thread. */
static void put_start(uint64_t sample_type, uint32_t cpu, uint64_t time, uint32_t tid)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(&data, 12, 0);

	s.cpu = cpu;
	pdb_u32(&data, tid);
	pdb_u32(&data, tid);
	pdb_sid_put(&data, sample_type, &s);
	pdb_end(&data, at);
}

/* What a record does not name is unknown, -1; one without a time or a CPU says nothing of who ran. */
static void switch_records(void **state)
{
	static const struct {
		uint64_t sample_type;
		bool out;
		int other;
		bool known;
		int before, after;
	} rows[] = {
		{ SB_ST, false, -1, true, -1, SB_TID },
		{ SB_ST, true, -1, true, SB_TID, -1 },
		{ SB_ST, false, 55, true, 55, SB_TID },
		{ SB_ST, true, 55, true, SB_TID, 55 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_TID, false, -1, true, -1, -1 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_TID, true, 55, true, -1, 55 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_TIME, false, 55, false, -1, -1 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_CPU, false, 55, false, -1, -1 },
	};
	const struct session_opts so = { .buildid_dir = "/nonexistent" };
	struct pdb_attr attr = sb_attr;
	const struct running *r;
	struct session *ss;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		attr.sample_type = rows[i].sample_type;
		sb_aux_info(&data, 1, SB_CONFIGR, 0x10);
		put_switch(rows[i].sample_type, 0, 100, rows[i].out, rows[i].other);
		put_start(rows[i].sample_type, 0, 150, 77);
		ss = sb_open_of(&attr, &data, &so, NULL);
		r = &ss->tasks.running;
		if (running_known(r, 0) != rows[i].known || running_thread(r, 0, 99) != rows[i].before ||
		    running_thread(r, 0, 100) != rows[i].after || running_thread(r, 0, 150) != (rows[i].known ? 77 : -1) ||
		    r->nr != rows[i].known)
			fail_msg("row %zu: %zu CPUs, %sknown, thread %d, then %d, then %d", i, r->nr,
				 running_known(r, 0) ? "" : "not ", running_thread(r, 0, 99), running_thread(r, 0, 100),
				 running_thread(r, 0, 150));
		session_close(ss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_bits),
		cmocka_unit_test(list_of_a_fragment),
		cmocka_unit_test(inherited_names),
		cmocka_unit_test(names_over_time),
		cmocka_unit_test(switch_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
