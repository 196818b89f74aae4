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

static void low_bits_that_one_thread_has(void **state)
{
	static const unsigned int bytes[] = { 1, 2, 4 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		r_info(&data, CID, IDR2(bytes[i], 0));
		r_process(&data, 0x10064, "two", "/two.bin");
		r_process(&data, 0x20065, "three", "/three.bin");
		r_thread(&data, 0x20065, 0x20077);
		t_sync(&trace);
		t_context(&trace, 0, 0x10064, bytes[i], 0, 0);
		t_run(&trace);
		t_context(&trace, 0, 0x20065, bytes[i], 0, 0);
		t_run(&trace);
		t_context(&trace, 0, 0x20077, bytes[i], 0, 0);
		t_run(&trace);
		ss = decode(&data, &trace, &r);
		assert_int_equal(r.nr, 3);
		check_part(&r, 0, 0x10064, 0x10064, 2, NR_LOOP);
		check_part(&r, 1, 0x20065, 0x20065, 3, NR_LOOP);
		check_part(&r, 2, 0x20065, 0x20077, 3, NR_LOOP);
		assert_false(session_has_losses(ss));
		session_close(ss);
	}
}

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

static void low_bits_that_several_threads_have(void **state)
{
	struct session *ss;
	struct result r;
	int switches;

	(void)state;
	for (switches = 0; switches < 2; switches++) {
		struct pdb data = { 0 }, trace = { 0 };

		r_info(&data, CID | TS, IDR2(2, 0));
		r_process(&data, 0x10064, "two", "/two.bin");
		r_process(&data, 0x20064, "three", "/three.bin");
		if (switches) {
			r_switch(&data, 100, 2, 0x20064, 1);
			r_switch(&data, 200, 2, 0x10064, 0x20064);
		}
		t_sync(&trace);
		t_on(&trace);
		t_time(&trace, 150);
		t_context(&trace, 0, 0x64, 2, 0, 0);
		t_run(&trace);
		t_on(&trace);
		t_time(&trace, 250);
		t_context(&trace, 0, 0x65, 2, 0, 0);	/* nobody has these */
		t_run(&trace);
		t_on(&trace);
		t_time(&trace, 260);
		t_context(&trace, 0, 0x64, 2, 0, 0);
		t_run(&trace);
		ss = decode(&data, &trace, &r);
		if (switches) {
			assert_int_equal(r.nr, 2);
			check_part(&r, 0, 0x20064, 0x20064, 3, NR_LOOP);
			check_part(&r, 1, 0x10064, 0x10064, 2, NR_LOOP);
			assert_int_equal(ss->losses.cause[LOSS_SHORT_ID].count, 0);
		} else {
			assert_int_equal(r.nr, 0);
			assert_int_equal(ss->losses.cause[LOSS_SHORT_ID].count, 2);
		}
		assert_int_equal(ss->losses.cause[LOSS_NO_THREAD].count, 1);
		assert_true(session_has_losses(ss));
		session_close(ss);
	}
}

/* Which of a process's threads it was is not known, and whose code it was is. */
static void low_bits_within_one_process(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	r_info(&data, CID, IDR2(1, 0));
	r_process(&data, 0x10064, "two", "/two.bin");
	r_process(&data, 0x20065, "three", "/three.bin");
	r_thread(&data, 0x20065, 0x20165);
	t_sync(&trace);
	t_context(&trace, 0, 0x65, 1, 0, 0);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 0x20065, -1, 3, NR_LOOP);
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

/* AArch32 kernels write thread and ASID; of 16 bits the thread's lowest eight are left. */
static void thread_above_the_asid(void **state)
{
	static const unsigned int bytes[] = { 2, 4 };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		r_info(&data, CID, IDR2(bytes[i], 0));
		r_process(&data, 0x164, "two", "/two.bin");
		r_process(&data, 0x265, "three", "/three.bin");
		t_sync(&trace);
		t_context(&trace, 0, 0x16407, bytes[i], 0, 0);
		t_run(&trace);
		t_context(&trace, 0, 0x26507, bytes[i], 0, 0);
		t_run(&trace);
		ss = decode_as(&data, &trace, 2, 0, i ? CONTEXTID_AUTO : CONTEXTID_TID_ASID, NULL, &r);
		assert_int_equal(r.nr, 2);
		check_part(&r, 0, 0x164, 0x164, 2, NR_LOOP);
		check_part(&r, 1, 0x265, 0x265, 3, NR_LOOP);
		session_close(ss);
	}
}

/* ---- ASIDs ----------------------------------------------------------------------------------------- */

/*
 * A context at EL0 without an ID has none, whatever the metadata says: a Trace Info makes the ID 0, which is no thread's at
 * EL0. Switches tell the thread, until an ID is traced.
 */
static void before_the_first_id(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 50, 2, 1000, 0);
	t_sync(&trace);
	t_stretch(&trace, 100);
	asid_stretch(&trace, 200, 2000);
	r_switch(&data, 150, 2, 2000, 1000);
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_TID, NULL, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(session_totals(ss)->who.absent, 1);
	assert_false(session_has_losses(ss));
	session_close(ss);
}

/* The trace has an ID that the metadata denies, or says to be in another register. */
static void ids_that_the_metadata_denies(void **state)
{
	static const uint64_t configr[] = { TS, TS | VMID | VMIDOPT };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		two_processes(&data, configr[i], IDR2(4, 4));
		t_sync(&trace);
		asid_stretch(&trace, 100, 2000);
		asid_stretch(&trace, 200, 1000);
		recorded_arch = "aarch64";
		ss = decode(&data, &trace, &r);
		recorded_arch = NULL;
		assert_int_equal(r.nr, 2);
		check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
		check_part(&r, 1, 1000, 1000, 2, NR_LOOP);
		assert_false(session_has_losses(ss));
		session_close(ss);
	}
}

/* A register that the kernel does not write has one value for all threads: switches tell them. */
static void an_id_of_all_threads(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 50, 2, 1000, 0);
	r_switch(&data, 150, 2, 2000, 1000);
	t_sync(&trace);
	asid_stretch(&trace, 100, 0x12345);
	t_time(&trace, 110);
	asid_stretch(&trace, 200, 0x12345);
	t_time(&trace, 210);
	recorded_arch = "aarch64";
	ss = decode(&data, &trace, &r);
	recorded_arch = NULL;
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_true(identity_is_common(&ss->tasks.identity, 0x12345));
	assert_false(session_has_losses(ss));
	session_close(ss);
}

/*
 * A thread's number in the machine is that of another one in the recorder's namespace: between timestamps with a switch the
 * ID has the thread that was found with it elsewhere, and never the one with its number.
 */
static void numbers_of_another_namespace(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 50, 2, 1000, 0);
	r_switch(&data, 150, 2, 2000, 1000);
	r_switch(&data, 250, 2, 1000, 2000);
	t_sync(&trace);
	asid_stretch(&trace, 60, 2000);
	t_time(&trace, 120);
	asid_stretch(&trace, 0, 2000);
	asid_stretch(&trace, 0, 7);
	t_time(&trace, 160);
	t_run(&trace);
	t_time(&trace, 170);
	asid_stretch(&trace, 0, 7);
	asid_stretch(&trace, 0, 2000);
	asid_stretch(&trace, 0, 8);
	t_time(&trace, 300);
	asid_stretch(&trace, 0, 2000);
	recorded_arch = "aarch64";
	ss = decode(&data, &trace, &r);
	recorded_arch = NULL;
	assert_int_equal(r.nr, 3);
	check_part(&r, 0, 1000, 1000, 2, 2 * NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, 3 * NR_LOOP);
	check_part(&r, 2, 1000, 1000, 2, 2 * NR_LOOP);
	assert_int_equal(ss->tasks.identity.space, IDS_OTHER);
	assert_int_equal(session_totals(ss)->who.learned, 6);
	/* switches say thread 1000, which has another ID */
	assert_int_equal(ss->losses.cause[LOSS_OUTSIDE].count, 1);
	session_close(ss);
}

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

/* The same without being told: a declared identifier is recognised. */
static void declared_asids_are_recognised(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	r_asid(&data, 20, 5, 2000, PD_CST_CURRENT);
	t_sync(&trace);
	t_context(&trace, 0, 5, 4, 0, 0);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->tasks.contextid.decided, CONTEXTID_ASID);
	session_close(ss);
}

/*
 * Learned where a timestamp shows who runs; used where several may have run; another owner after the
 * identifiers were handed out anew; unknown where nothing fits.
 */
static void learned_asids(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	r_switch(&data, 240, 2, 1000, 2000);
	r_switch(&data, 260, 2, 2000, 1000);
	r_switch(&data, 390, 2, 1000, 2000);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 200, 6);
	/* between 200 and 300 both ran: the identifiers tell which is which */
	asid_stretch(&trace, 0, 5);
	asid_stretch(&trace, 0, 6);
	asid_stretch(&trace, 0, 7);	/* unknown */
	asid_stretch(&trace, 300, 6);
	asid_stretch(&trace, 400, 6);	/* now it is the other's */
	asid_stretch(&trace, 0, 6);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 5);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	check_part(&r, 2, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 3, 2000, 2000, 3, 2 * NR_LOOP);
	check_part(&r, 4, 1000, 1000, 2, 2 * NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 1);
	assert_int_equal(ss->tasks.asids.learned, 3);
	assert_int_equal(ss->tasks.asids.changed, 1);
	session_close(ss);
}

/* If none of several threads that may have run is the owner of an ASID, it has another owner now, and the old one is forgotten. */
static void forgotten_asids(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_process(&data, 3000, "third", "/three.bin");
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	r_switch(&data, 240, 2, 3000, 2000);
	r_switch(&data, 260, 2, 2000, 3000);
	r_switch(&data, 340, 2, 1000, 2000);
	r_switch(&data, 360, 2, 2000, 1000);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 200, 6);
	/* between 200 and 300 the second and the third process ran */
	asid_stretch(&trace, 0, 5);
	asid_stretch(&trace, 300, 6);
	/* between 300 and 400 the first one ran, too */
	asid_stretch(&trace, 0, 5);
	asid_stretch(&trace, 400, 6);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, 3 * NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 2);
	session_close(ss);
}

/* The buffer of a thread has that thread's trace, whatever the ASID is; nothing is learned from it. Declared owners go first. */
static void asids_in_the_buffer_of_a_thread(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_asid(&data, 20, 8, 2000, PD_CST_START);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 200, 6);
	asid_stretch(&trace, 300, 8);
	buffer_of_thread = 1000;
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_ASID, NULL, &r);
	buffer_of_thread = 0;
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, 2 * NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 0);
	assert_int_equal(ss->tasks.asids.learned, 0);
	session_close(ss);
}

/* The thread of an AUX record ran when the record was written; that is no proof for what the record covers. */
static void nothing_to_learn_from(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	r_info(&data, CID | TS, IDR2(4, 0));
	r_process(&data, 1, "two", "/two.bin");		/* the thread that writes the AUX record */
	r_process(&data, 2000, "three", "/three.bin");
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 200, 6);
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_ASID, NULL, &r);
	assert_int_equal(r.nr, 0);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 2);
	assert_int_equal(ss->tasks.asids.learned, 0);
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

/* Where trace begins with a thread, that one runs until the first switch; thread 0 is none. */
static void by_starts_of_trace(void **state)
{
	const struct session_opts so = { .symfs = dir };
	struct pdb data = { 0 };
	struct session *ss;

	(void)state;
	two_processes(&data, TS, IDR2(4, 0));
	r_start(&data, 80, 2, 0, 0);
	r_start(&data, 80, 3, 1, 1);
	r_start(&data, 80, 4, 2000, 2000);
	r_switch(&data, 190, 2, 2000, (uint32_t)-1);
	r_switch(&data, 190, 3, 2000, (uint32_t)-1);
	r_switch(&data, 190, 4, 1000, (uint32_t)-1);
	ss = sb_open(&data, &so, NULL);
	assert_int_equal(running_thread(&ss->tasks.running, 2, 150), -1);
	assert_int_equal(running_thread(&ss->tasks.running, 2, 190), 2000);
	assert_int_equal(running_thread(&ss->tasks.running, 3, 150), 1);
	assert_int_equal(running_thread(&ss->tasks.running, 4, 150), 2000);
	assert_int_equal(running_thread(&ss->tasks.running, 4, 190), 1000);
	session_close(ss);
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

/*
 * Stretches without a time of their own, with a switch between the timestamps around them: of two processes, none is
 * taken for the other.
 */
static void uncertain_stretches(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, TS, IDR2(4, 0));
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	t_sync(&trace);
	t_stretch(&trace, 100);
	t_stretch(&trace, 0);		/* before the switch or after it */
	t_stretch(&trace, 200);
	t_stretch(&trace, 0);		/* nobody else came until the end */
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, 2 * NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_UNCERTAIN].count, 1);
	assert_true(session_has_losses(ss));
	session_close(ss);
}

static void the_only_process(void **state)
{
	struct session *ss;
	struct result r;
	int switches;

	(void)state;
	for (switches = 0; switches < 2; switches++) {
		struct pdb data = { 0 }, trace = { 0 };

		r_info(&data, TS, IDR2(4, 0));
		r_process(&data, 2000, "three", "/three.bin");
		if (switches)	/* somebody else ran: not the only one */
			r_switch(&data, 50, 2, 4000, 1);
		t_sync(&trace);
		t_stretch(&trace, 100);
		ss = decode(&data, &trace, &r);
		if (switches) {
			assert_int_equal(r.nr, 0);
			assert_int_equal(session_totals(ss)->who.only_process, 0);
			assert_int_equal(ss->losses.cause[LOSS_NO_MAP].count, 1);
		} else {
			assert_int_equal(r.nr, 1);
			check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
			assert_int_equal(session_totals(ss)->who.only_process, 1);
			assert_int_equal(session_totals(ss)->who.only_pid, 2000);
			assert_false(session_has_losses(ss));
		}
		session_close(ss);
	}
}

/* Kernel code of an unknown thread is decoded, and counted as such. */
static void kernel_code_of_no_thread(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, 0, IDR2(4, 0));
	sb_text_poke(&data, 20, SB_BASE, 0xd503201f, 0x14000000);	/* b . */
	t_sync(&trace);
	t_context(&trace, 1, 0, 0, 0, 0);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, -1, -1, 1, NR_LOOP);
	assert_int_equal(session_totals(ss)->unknown_context, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_CONTEXT].count, NR_LOOP);
	session_close(ss);
}

/* A context ID names its thread up to the next one: records of that time about its number are of a later thread. */
static void thread_until_the_next_id(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	sb_text_poke(&data, 20, SB_BASE, 0xd503201f, 0x14000000);	/* b . */
	sb_fork(&data, 1000, 1000, 3000, 30);
	sb_fork(&data, 2000, 2000, 3000, 200);
	t_sync(&trace);
	t_time(&trace, 100);
	t_context(&trace, 1, 3000, 4, 0, 0);
	t_run(&trace);
	t_time(&trace, 300);
	t_run(&trace);
	t_context(&trace, 1, 3000, 4, 0, 0);
	t_run(&trace);
	session_close(decode_as(&data, &trace, 2, 0, CONTEXTID_TID, NULL, &r));
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 3000, 1, 2 * NR_LOOP);
	check_part(&r, 1, 2000, 3000, 1, NR_LOOP);
}

/* A kernel without PID_IN_CONTEXTIDR: the register is traced, and it is zero. */
static void context_ids_of_zero(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	t_sync(&trace);
	asid_stretch(&trace, 100, 0);
	asid_stretch(&trace, 200, 0);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	session_close(ss);
}

/* A kernel that writes threads writes 0 for the idle task, which has no code at EL0: a context there with 0 has no ID. */
static void zeroes_before_the_first_thread(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct result r;

	(void)state;
	r_info(&data, CID | TS, IDR2(4, 0));
	r_process(&data, 2000, "three", "/three.bin");
	t_sync(&trace);
	asid_stretch(&trace, 100, 0);
	asid_stretch(&trace, 200, 2000);
	asid_stretch(&trace, 300, 0);
	recorded_arch = "aarch64";
	session_close(decode(&data, &trace, &r));
	recorded_arch = NULL;
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 2000, 2000, 3, 3 * NR_LOOP);
	assert_int_equal(r.nacc, 0);
}

/* ---- other worlds ---------------------------------------------------------------------------------- */

static void guests_are_not_decoded(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | VMID, IDR2(4, 1));
	t_sync(&trace);
	t_context(&trace, 0, 1000, 4, 0, 1);
	t_run(&trace);
	t_context(&trace, 0, 1000, 4, 3, 1);	/* a guest's thread of the same number */
	t_run(&trace);
	t_context(&trace, 1, 77, 4, 3, 1);
	t_run(&trace);
	t_context(&trace, 0, 2000, 4, 0, 1);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(r.nacc, 2);
	assert_int_equal(ss->losses.cause[LOSS_GUEST].count, 2);
	assert_int_equal(session_totals(ss)->who.guests.nr, 1);
	assert_int_equal(session_totals(ss)->who.guests.v[0].id, 3);
	assert_int_equal(session_totals(ss)->who.guests.v[0].stretches, 2);
	session_close(ss);
}

static void t_world(struct pdb *b, uint8_t info, uint32_t cid)
{
	t_context(b, 0, cid, 4, 0, 0);
	b->p[b->len - 9 - 4 - 1] = info;	/* in place of non-secure EL0 */
	t_run(b);
}

static void secure_code_is_not_decoded(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	t_sync(&trace);
	t_world(&trace, 0xb0, 1000);
	t_world(&trace, 0x90, 1000);	/* secure EL0 */
	t_world(&trace, 0x91, 1000);	/* secure EL1 */
	t_world(&trace, 0x93, 1000);	/* EL3 */
	t_world(&trace, 0xb0, 2000);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_SECURE].count, 2);
	assert_int_equal(ss->losses.cause[LOSS_FIRMWARE].count, 1);
	assert_int_equal(session_totals(ss)->who.secure, 2);
	assert_int_equal(session_totals(ss)->who.firmware, 1);
	session_close(ss);
}

static void guests_of_a_host_at_el2(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | VMID | VMIDOPT, IDR2(4, 4));
	t_sync(&trace);
	t_context(&trace, 0, 0, 4, 1000, 4);
	t_run(&trace);
	t_context(&trace, 1, 0, 4, 1000, 4);	/* the guest that this thread runs, */
	t_run(&trace);
	t_context(&trace, 0, 9, 4, 1000, 4);	/* and its program */
	t_run(&trace);
	t_context(&trace, 0, 0, 4, 2000, 4);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_GUEST].count, 2);
	assert_int_equal(session_totals(ss)->who.guests.v[0].id, 1000);
	session_close(ss);
}

/* ---- filters ----------------------------------------------------------------------------------------- */

static void only_some_threads(void **state)
{
	static const struct {
		struct filter_opts filter;
		bool first, second;
		const char *shown;
	} cases[] = {
		{ { .comm = "three" }, false, true, "comm three" }, { { .comm = "two,three" }, true, true, "comm two,three" },
		{ { .comm = "four" }, false, false, "comm four" }, { { .pid = "1000" }, true, false, "pid 1000" },
		{ { .tid = "2000" }, false, true, "tid 2000" }, { { .cpu = "2" }, true, true, "cpu 2" },
		{ { .cpu = "3" }, false, false, "cpu 3" },
	};
	char line[64], *text;
	size_t i, len;
	FILE *out;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		two_processes(&data, CID | TS, IDR2(4, 0));
		t_sync(&trace);
		asid_stretch(&trace, 100, 1000);
		asid_stretch(&trace, 200, 2000);
		wanted = cases[i].filter;
		ss = decode(&data, &trace, &r);
		wanted = (struct filter_opts){ .time = NULL };
		assert_int_equal(r.nr, cases[i].first + cases[i].second);
		if (cases[i].first)
			check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
		if (cases[i].second)
			check_part(&r, r.nr - 1, 2000, 2000, 3, NR_LOOP);
		assert_int_equal(session_matched(ss), r.nr != 0);
		/* what there is instead, one line for each filter */
		out = open_memstream(&text, &len);
		session_print_offer(ss, out);
		session_print_summary(ss, out);
		fclose(out);
		assert_non_null(strstr(text, " bytes skipped by filter\n"));
		snprintf(line, sizeof(line), "\n  --%s: ", cases[i].shown);
		assert_non_null(strstr(text, line));
		free(text);
		session_close(ss);
	}
}

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
	assert_int_equal(ss->bad_records, 2);
	assert_int_equal(ss->tasks.running.nr, 1);
	assert_int_equal(ss->tasks.asids.nr, 0);
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
	assert_int_equal(ss->bad_records, 0);
	session_close(ss);
	pdb_free(&data);
	pdb_free(&events);
	pdb_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_bits_that_one_thread_has),
		cmocka_unit_test(low_bits_of_a_process_that_was_mapped_long_ago),
		cmocka_unit_test(low_bits_that_several_threads_have),
		cmocka_unit_test(low_bits_within_one_process),
		cmocka_unit_test(low_bits_that_many_threads_have),
		cmocka_unit_test(thread_above_the_asid),
		cmocka_unit_test(before_the_first_id),
		cmocka_unit_test(declared_asids),
		cmocka_unit_test(declared_asids_are_recognised),
		cmocka_unit_test(learned_asids),
		cmocka_unit_test(forgotten_asids),
		cmocka_unit_test(asids_in_the_buffer_of_a_thread),
		cmocka_unit_test(nothing_to_learn_from),
		cmocka_unit_test(by_starts_of_trace),
		cmocka_unit_test(by_switch_records_and_by_samples),
		cmocka_unit_test(unreadable_switches_and_asids),
		cmocka_unit_test(switches_without_a_layout),
		cmocka_unit_test(uncertain_stretches),
		cmocka_unit_test(ids_that_the_metadata_denies),
		cmocka_unit_test(an_id_of_all_threads),
		cmocka_unit_test(numbers_of_another_namespace),
		cmocka_unit_test(the_only_process),
		cmocka_unit_test(kernel_code_of_no_thread),
		cmocka_unit_test(thread_until_the_next_id), cmocka_unit_test(context_ids_of_zero),
		cmocka_unit_test(zeroes_before_the_first_thread),
		cmocka_unit_test(guests_are_not_decoded),
		cmocka_unit_test(secure_code_is_not_decoded),
		cmocka_unit_test(guests_of_a_host_at_el2),
		cmocka_unit_test(only_some_threads),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
