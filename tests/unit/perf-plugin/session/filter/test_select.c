/* SPDX-License-Identifier: BSD-3-Clause */
/* Which fragments a filter excludes before they are decoded: by trace IDs, their owners, times, and the threads that ran. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/internal.h"
#include "unit/perf-plugin/session_open.h"

#define NO_CPU ((uint32_t)-1)

static struct pdb data;

static int tear_down(void **state)
{
	(void)state;
	pdb_free(&data);
	memset(&data, 0, sizeof(data));
	return 0;
}

static struct session *open_with(const struct filter_opts *f)
{
	const struct session_opts so = { .buildid_dir = "/nonexistent", .filter = *f };

	return sb_open(&data, &so, NULL);
}

/* Whether the first fragment of the recording is excluded. */
static bool skips_first(struct session *ss, bool timeless)
{
	assert_int_equal(ss->queues.nr, 1);
	assert_true(ss->queues.q[0]->nr_frags > 0);
	return select_skips(&ss->chosen.selection, ss->queues.q[0], &ss->queues.q[0]->frags[0], timeless);
}

static bool skips(const struct filter_opts *f, bool timeless)
{
	struct session *ss = open_with(f);
	bool skipped = skips_first(ss, timeless);

	session_close(ss);
	return skipped;
}

/* One fragment with frames of these IDs, up to 0; aux: described by an AUX record, and so with a time. */
static void frames_of(const uint8_t *ids, uint32_t cpu, uint32_t tid, bool aux)
{
	struct pdb frames = { .p = NULL }, trace = { .p = NULL };

	sb_trace(&trace, SB_TID);
	pdb_bytes(&trace, "\xf7\xf7\xf7", 3);	/* fills the frames: no ID 0 in them */
	for (; *ids; ids++)
		sb_frames(&frames, &trace, *ids);
	if (aux)
		sb_aux(&data, 0, frames.len, 0, SB_TIME);
	pdb_auxtrace(&data, 0, frames.p, frames.len, cpu, tid);
	pdb_free(&frames);
	pdb_free(&trace);
}

/* A fragment is excluded if its frames have trace IDs, and all of them, from 0x01 to 0x6f, are of excluded CPUs. */
static void ids_in_frames(void **state)
{
	static const struct {
		uint8_t first;	/* ID of CPU 2; CPU 3 has the next one */
		uint8_t ids[4];
		const char *cpu;
		bool skipped;
	} rows[] = {
		{ 0x01, { 0x01 }, "2", false }, { 0x01, { 0x01 }, "3", true },
		{ 0x6e, { 0x6f }, "3", false }, { 0x6e, { 0x6f }, "2", true },
		{ 0x6e, { 0x6f, 0x70 }, "2", true },
		{ 0x3f, { 0x3f, 0x40 }, "2", false }, { 0x3f, { 0x3f, 0x40 }, "3", false }, { 0x3f, { 0x3f, 0x40 }, "4", true },
		{ 0x10, { 0x20 }, "4", false },	/* of an unknown unit */
	};
	struct filter_opts f = { .cpu = NULL };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f.cpu = rows[i].cpu;
		sb_aux_info_of(&data, 1, SB_CONFIGR, rows[i].first, 2);
		frames_of(rows[i].ids, 2, NO_CPU, true);
		if (skips(&f, false) != rows[i].skipped)
			fail_msg("row %zu: the fragment is %s", i, rows[i].skipped ? "not skipped" : "skipped");
	}
}

/* One stream without frames is of the unit of the buffer's CPU; without one it is decoded, which reports that. */
static void without_frames(void **state)
{
	static const struct {
		uint32_t cpu;
		const char *wanted;
		bool skipped;
	} rows[] = { { 2, "2", false }, { 2, "3", true }, { 9, "3", false } };
	struct pdb trace = { .p = NULL };
	struct filter_opts f = { .cpu = NULL };
	size_t i;

	(void)state;
	sb_trace(&trace, SB_TID);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pdb_sid s = sb_sid(SB_TIME);

		f.cpu = rows[i].wanted;
		s.cpu = rows[i].cpu;
		sb_aux_info_of(&data, 1, SB_CONFIGR, 0x10, 2);
		pdb_aux(&data, 0, trace.len, SB_RAW, SB_ST, &s);
		pdb_auxtrace(&data, 0, trace.p, trace.len, rows[i].cpu, NO_CPU);
		if (skips(&f, false) != rows[i].skipped)
			fail_msg("--cpu %s, trace of CPU %u", rows[i].wanted, rows[i].cpu);
	}
	pdb_free(&trace);
}

/*
 * Threads that context switches exclude: only if all of them are known in the time of the fragment. The idle task may
 * run between them without a record.
 */
static void threads_that_ran(void **state)
{
	static const struct {
		const char *tid;
		bool aux, lost, skipped;
	} rows[] = {
		{ "101", true, false, true }, { "102", true, false, false }, { "103", true, false, false },
		{ "104", true, false, true }, { "101", true, true, false }, { "101", false, false, false },
		{ "0,101", true, false, false },
	};
	struct filter_opts f = { .tid = NULL };
	struct session *ss;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f.tid = rows[i].tid;
		sb_aux_info(&data, 1, SB_CONFIGR, 0x10);
		frames_of((const uint8_t[]){ 0x10, 0 }, 2, NO_CPU, rows[i].aux);
		ss = open_with(&f);
		running_add(&ss->tasks.running, 2, 10, RUN_IN, 102, 103);
		running_add(&ss->tasks.running, 2, SB_TIME + 1, RUN_IN, 104, 102);
		running_finish(&ss->tasks.running);
		ss->chosen.selection.lost_records = rows[i].lost;
		if (skips_first(ss, false) != rows[i].skipped)
			fail_msg("row %zu: --tid %s", i, rows[i].tid);
		session_close(ss);
	}
}

/* The idle task is thread 0 of process 0, which no record says. Threads of a process are those of all its records. */
static void threads_of_a_process(void **state)
{
	static const struct {
		const char *pid;
		int tid;
		bool member;
	} rows[] = {
		{ "0", 0, true }, { "0", 1, false }, { "1", 0, false },
		{ "100", 100, true }, { "200", 201, true }, { "300", 301, true }, { "400", 401, true }, { "500", 501, true },
		{ "100", 201, false }, { "200", 100, false },
		{ "100", 'a', false },	/* from the name of the COMM record */
	};
	struct filter_opts f = { .pid = NULL };
	struct pdb_sid nobody = { .pid = NO_CPU, .tid = NO_CPU, .time = 10, .id = 50, .cpu = 2 }, s = nobody;
	struct session *ss;
	size_t i, at;

	(void)state;
	s.pid = 500;
	s.tid = 501;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f.pid = rows[i].pid;
		sb_aux_info(&data, 1, SB_CONFIGR, 0x10);
		pdb_comm(&data, 100, 100, "a", SB_ST, &nobody);
		at = pdb_begin(&data, 7, 0);	/* FORK */
		pdb_u32(&data, 200);
		pdb_u32(&data, 100);
		pdb_u32(&data, 201);
		pdb_u32(&data, 100);
		pdb_u64(&data, 10);
		pdb_sid_put(&data, SB_ST, &nobody);
		pdb_end(&data, at);
		at = pdb_begin(&data, 4, 0);	/* EXIT */
		pdb_u32(&data, 300);
		pdb_u32(&data, 100);
		pdb_u32(&data, 301);
		pdb_u32(&data, 100);
		pdb_u64(&data, 10);
		pdb_sid_put(&data, SB_ST, &nobody);
		pdb_end(&data, at);
		at = pdb_begin(&data, 1, 0);	/* MMAP */
		pdb_u32(&data, 400);
		pdb_u32(&data, 401);
		pdb_u64(&data, SB_BASE);
		pdb_u64(&data, 0x1000);
		pdb_u64(&data, 0);
		pdb_str8(&data, "/x");
		pdb_sid_put(&data, SB_ST, &nobody);
		pdb_end(&data, at);
		at = pdb_begin(&data, 14, 0);	/* SWITCH, with the thread only in its sample_id */
		pdb_sid_put(&data, SB_ST, &s);
		pdb_end(&data, at);
		ss = open_with(&f);
		if (filter_thread(ss->chosen.filter, rows[i].tid) != rows[i].member)
			fail_msg("thread %d of process %s", rows[i].tid, rows[i].pid);
		session_close(ss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(ids_in_frames, tear_down),
		cmocka_unit_test_teardown(without_frames, tear_down),
		cmocka_unit_test_teardown(threads_that_ran, tear_down),
		cmocka_unit_test_teardown(threads_of_a_process, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
