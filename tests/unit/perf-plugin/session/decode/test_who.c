/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose code a trace is: context IDs, address space identifiers, switches, other worlds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "parts.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/perf-plugin/who_build.h"

/* ---- context IDs of which little is traced --------------------------------------------------------- */

/* What maps a process has does not depend on when it got them. */
static void low_bits_of_a_process_that_was_mapped_long_ago(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	unsigned int i;
	struct pdb_sid s;

	(void)state;
	r_info(&data, CID | TS, IDR2(2, 0));
	r_process(&data, 0x10064, "two", "/two.bin");
	for (i = 0; i < 100; i++) {
		s = at_time(20 + i, 7, 2);
		pdb_comm(&data, 7, 7, i & 1 ? "odd" : "even", SB_ST, &s);
	}
	t_sync(&trace);
	t_on(&trace);
	t_time(&trace, 150);
	t_context(&trace, 0, 0x64, 2, 0, 0);
	t_run(&trace);
	narrow = 1;
	ss = decode(&data, &trace, &r);
	narrow = 0;
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 0x10064, 0x10064, 2, NR_LOOP);
	assert_false(session_has_losses(ss));
	session_close(ss);
}

/* Up to 63 threads with these bits are looked at. */
static void low_bits_that_many_threads_have(void **state)
{
	static const unsigned int threads[] = { 2, 63, 64, 65 };
	struct session *ss;
	struct result r;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct pdb data = { 0 }, trace = { 0 };

		r_info(&data, CID, IDR2(2, 0));
		r_process(&data, 0x10064, "two", "/two.bin");
		for (k = 1; k < threads[i]; k++)
			r_thread(&data, 0x10064, 0x10064 + (k << 16));
		r_process(&data, 0x65, "three", "/three.bin");
		t_sync(&trace);
		t_context(&trace, 0, 0x64, 2, 0, 0);
		t_run(&trace);
		ss = decode(&data, &trace, &r);
		if (threads[i] < 64)
			check_part(&r, 0, 0x10064, -1, 2, NR_LOOP);
		else
			assert_int_equal(r.nr, 0);
		assert_int_equal(ss->losses.cause[LOSS_SHORT_ID].count, threads[i] >= 64);
		assert_int_equal(ss->losses.cause[LOSS_NO_THREAD].count, 0);
		session_close(ss);
	}
}

/* ---- ASIDs ----------------------------------------------------------------------------------------- */

static void declared_asids(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_asid(&data, 20, 5, 1000, PD_CST_START);
	r_asid(&data, 300, 5, 2000, PD_CST_START);	/* records of several CPUs are not in order */
	r_asid(&data, 200, 5, 1000, PD_CST_END);
	r_asid(&data, 400, 6, 1000, PD_CST_CURRENT);	/* it is the first that is told of this one */
	r_asid(&data, 250, 8, 2000, PD_CST_START);	/* given up and taken at the same time */
	r_asid(&data, 250, 8, 1000, PD_CST_END);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 250, 5);	/* nobody's */
	asid_stretch(&trace, 350, 5);
	asid_stretch(&trace, 360, 6);
	asid_stretch(&trace, 370, 7);	/* never declared */
	asid_stretch(&trace, 380, 8);
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_ASID, NULL, &r);
	assert_int_equal(r.nr, 4);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	check_part(&r, 2, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 3, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 2);
	session_close(ss);
}

/* ---- nothing in the trace -------------------------------------------------------------------------- */

static void r_sched_switch(struct pdb *b, uint64_t time, uint32_t cpu, uint32_t from, uint32_t to)
{
	struct pdb raw = { 0 };
	size_t at = pdb_begin(b, 9, 0);

	td_switch(&raw, from, to);
	pdb_u64(b, 51);		/* IDENTIFIER */
	pdb_u32(b, from);
	pdb_u32(b, from);
	pdb_u64(b, time);
	pdb_u32(b, cpu);
	pdb_u32(b, 0);
	pdb_u32(b, raw.len + 4);
	pdb_bytes(b, raw.p, raw.len);
	pdb_u32(b, 0);
	pdb_end(b, at);
	pdb_free(&raw);
}

static void by_switch_records_and_by_samples(void **state)
{
	struct session *ss;
	struct result r;
	int samples;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	for (samples = 0; samples < 2; samples++) {
		struct pdb data = { 0 }, trace = { 0 }, formats = { 0 };

		td_build(&formats, td_format);
		two_processes(&data, TS, IDR2(4, 0));
		if (samples) {
			r_sched_switch(&data, 190, 2, 1000, 2000);
			r_sched_switch(&data, 150, 3, 2000, 0);	/* another CPU */
		} else {
			r_switch(&data, 190, 2, 2000, 1000);
			r_switch(&data, 150, 3, 0, 2000);
		}
		t_sync(&trace);
		t_stretch(&trace, 100);
		t_stretch(&trace, 180);
		t_stretch(&trace, 200);
		ss = decode_as(&data, &trace, 2, 0, CONTEXTID_AUTO, samples ? &formats : NULL, &r);
		assert_int_equal(r.nr, 2);
		check_part(&r, 0, 1000, 1000, 2, 2 * NR_LOOP);
		check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
		assert_false(session_has_losses(ss));
		session_close(ss);
		pdb_free(&formats);
	}
}

/* ---- filters ----------------------------------------------------------------------------------------- */

/* Records that say nothing of who ran: they are counted and leave the others as they are. */
static void unreadable_switches_and_asids(void **state)
{
	struct pdb data = { 0 }, trace = { 0 }, formats = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	NEEDS(LIBTRACEEVENT);
	td_build(&formats, td_format);
	two_processes(&data, TS, IDR2(4, 0));
	r_sched_switch(&data, 80, 2, 1, 1000);
	r_sched_switch(&data, 120, 2, 1000, 0x80000000u);	/* no thread has this number */
	r_asid(&data, 20, 5, 2000, PD_CST_CURRENT + 1);
	r_sched_switch(&data, 190, 2, 1000, 2000);
	t_sync(&trace);
	t_stretch(&trace, 100);
	t_stretch(&trace, 150);
	t_stretch(&trace, 200);
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_AUTO, &formats, &r);
	assert_int_equal(ss->lost.bad_records, 2);
	assert_int_equal(ss->tasks.running.cpus.used, 1);
	assert_int_equal(ss->tasks.asids.map.used, 0);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, 2 * NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	session_close(ss);
	pdb_free(&formats);
}

/* Samples of sched:sched_switch in a recording that does not say where their fields are: one message, and no switches. */
static void switches_without_a_layout(void **state)
{
	struct pdb data = { 0 }, events = { 0 }, file = { 0 };
	const struct pdb_feature feature = { PD_FEAT_EVENT_DESC, &events };
	const struct session_opts so = { .symfs = dir };
	char text[400] = "";
	FILE *messages = tmpfile();
	struct session *ss;
	struct error err;
	int saved;

	(void)state;
	assert_non_null(messages);
	pdb_u32(&events, 1);
	pdb_u32(&events, 64);
	pdb_zero(&events, 64);
	pdb_u32(&events, 1);
	pdb_feat_str(&events, "sched:sched_switch");
	pdb_u64(&events, 51);
	two_processes(&data, TS, IDR2(4, 0));
	r_sched_switch(&data, 80, 2, 1, 1000);
	r_sched_switch(&data, 190, 2, 1000, 2000);
	r_switch(&data, 200, 3, 2000, 0);
	pdb_file(&file, attrs, 2, 0, &data, &feature, 1);
	saved = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(fileno(messages), STDERR_FILENO);
	ss = session_open_perfdata(&so, perfdata_open_memory(file.p, file.len, "test", &err));
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_non_null(ss);
	rewind(messages);
	assert_true(fread(text, 1, sizeof(text) - 1, messages) > 0);
	fclose(messages);
	assert_string_equal(text, "cstrace: test: samples of sched:sched_switch without their layout (no tracing data): they do not "
			    "tell which thread ran\n"
			    "cstrace: test: the file describes trace units but holds no AUX data; the traced program may not have run "
			    "on a CPU with trace\n");
	assert_false(running_known(&ss->tasks.running, 2));
	assert_true(running_known(&ss->tasks.running, 3));
	assert_int_equal(ss->lost.bad_records, 0);
	session_close(ss);
	pdb_free(&data);
	pdb_free(&events);
	pdb_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_bits_of_a_process_that_was_mapped_long_ago),
		cmocka_unit_test(low_bits_that_many_threads_have),
		cmocka_unit_test(declared_asids),
		cmocka_unit_test(by_switch_records_and_by_samples),
		cmocka_unit_test(unreadable_switches_and_asids),
		cmocka_unit_test(switches_without_a_layout),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
