/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who ran, piece by piece: switches on CPUs, owners of ASIDs, what a context ID means, whose
 * exception levels a context is about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <cstrace/types.h>

#include "machine/tasks/asid.h"
#include "machine/tasks/contextid.h"
#include "machine/tasks/identity.h"
#include "machine/tasks/running.h"
#include "machine/tasks/world.h"
#include "session/losses/guests.h"

/* Who ran at a time, between two, and whether it was another one: switches come in any order. */
static void switches(void **state)
{
	static const struct {
		int cpu;
		uint64_t time;
		enum run_kind kind;
		int tid, prev;
	} adds[] = {
		/* until 100 thread 5, then 7, idle, 8 */
		{ 1, 300, RUN_IN, 8, 0 }, { 1, 100, RUN_IN, 7, 5 }, { 1, 200, RUN_IN, 0, 7 },
		{ 1, 99, RUN_OUT, 7, 5 }, { 4, 150, RUN_IN, 9, -1 },
		/* a start alone tells nothing of what came after it; with a later switch it does */
		{ 6, 100, RUN_START, 3, -1 }, { 7, 200, RUN_IN, 4, 3 },
		{ 7, 100, RUN_START, 3, -1 },
		/* two records of each switch; the last one has lost its second */
		{ 8, 100, RUN_IN, 7, -1 }, { 8, 200, RUN_IN, 8, -1 }, { 8, 200, RUN_OUT, -1, 7 },
		{ 8, 300, RUN_OUT, -1, 8 },
		/* two of one time, in either order: the first one names the thread before */
		{ 9, 100, RUN_IN, 5, 4 }, { 9, 100, RUN_IN, 6, 9 }, { 10, 100, RUN_IN, 6, 4 },
		{ 10, 100, RUN_IN, 5, 9 },
		/* thread 0 after another one: outside of the recorder's PID namespace */
		{ 11, 100, RUN_IN, 7, 0 }, { 11, 200, RUN_IN, 0, 7 }, { 11, 250, RUN_IN, 0, 0 },
		{ 11, 300, RUN_IN, 7, 0 },
	};
	static const struct {
		int cpu;
		uint64_t time;
		int tid;
	} at[] = {
		{ 1, 0, 5 }, { 1, 98, 5 }, { 1, 100, 7 }, { 1, 199, 7 }, { 1, 200, 0 },
		{ 1, UINT64_MAX, 8 }, { 2, 150, -1 }, { 4, 149, -1 }, { 6, 150, -1 }, { 7, 99, -1 },
		{ 7, 150, 3 }, { 7, 250, 4 }, { 8, 200, 8 }, { 8, 300, -1 }, { 9, 99, 4 },
		{ 9, 100, 6 }, { 10, 99, 4 }, { 10, 100, 6 },
	};
	static const struct {
		int cpu;
		uint64_t from, to;
		enum run_zero zero;
		unsigned int room, nr;	/* threads that are asked for, and found */
		bool all;
		int first;
		bool other, changes;	/* one that is not `first` ran; the thread changed */
	} between[] = {
		{ 1, 100, 250, ZERO_IDLE, 4, 1, true, 7, false, true },
		{ 1, 0, 300, ZERO_IDLE, 4, 3, true, 5, true, true },
		{ 1, 0, 300, ZERO_IDLE, 2, 2, false, 5, true, true },
		{ 1, 100, 199, ZERO_IDLE, 4, 1, true, 7, false, false },
		{ 3, 0, 300, ZERO_IDLE, 2, 0, false, 7, false, false },
		{ 6, 0, 300, ZERO_IDLE, 4, 0, false, 3, false, false },
		{ 8, 100, 250, ZERO_IDLE, 4, 2, true, 7, true, true },
		{ 8, 250, 299, ZERO_IDLE, 4, 1, true, 8, false, false },
		{ 8, 250, 300, ZERO_IDLE, 4, 1, false, 8, false, true },
		{ 11, 100, 299, ZERO_IDLE, 4, 1, true, 7, false, true },
		{ 11, 100, 299, ZERO_OUTSIDER, 4, 1, false, 7, true, true },
	};
	struct running r = { .outsiders = false };
	int tids[4];
	bool all, other;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(adds) / sizeof(adds[0]); i++)
		running_add(&r, adds[i].cpu, adds[i].time, adds[i].kind, adds[i].tid, adds[i].prev);
	assert_true(r.outsiders);
	running_finish(&r);
	assert_true(running_known(&r, 1) && running_known(&r, 7));
	assert_false(running_known(&r, 2) || running_known(&r, 6));
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		if (running_thread(&r, at[i].cpu, at[i].time) != at[i].tid)
			fail_msg("row %zu: thread %d", i,
				 running_thread(&r, at[i].cpu, at[i].time));
	for (i = 0; i < sizeof(between) / sizeof(between[0]); i++) {
		const int cpu = between[i].cpu;
		const uint64_t from = between[i].from, to = between[i].to;

		tids[0] = between[i].first;
		n = running_between(&r, cpu, from, to, between[i].zero, tids, between[i].room,
				    &all);
		other = running_other(&r, cpu, from, to, between[i].first, between[i].zero);
		if (n != between[i].nr || all != between[i].all || tids[0] != between[i].first ||
		    other != between[i].other ||
		    running_changes(&r, cpu, from, to) != between[i].changes)
			fail_msg("row %zu of CPU %d", i, cpu);
	}
	running_free(&r);
}

static int half_of_even(const void *data, int tid)
{
	(void)data;
	return tid & 1 ? -1 : tid / 2;
}

/* Samples of sched_switch have the machine's numbers; records have the namespace's. */
static void numbers_of_the_machine(void **state)
{
	struct running r = { .outsiders = false };

	(void)state;
	running_add_sample(&r, 1, 100, 14, 12);
	running_add_sample(&r, 1, 200, 15, 14);
	running_add(&r, 1, 400, RUN_IN, 14, 15);
	running_translate(&r, half_of_even, NULL);
	running_finish(&r);
	assert_int_equal(running_thread(&r, 1, 50), 6);
	assert_int_equal(running_thread(&r, 1, 150), 7);
	assert_int_equal(running_thread(&r, 1, 250), -1);
	assert_int_equal(running_thread(&r, 1, 450), 14);
	running_free(&r);
}

/* A question over very many switches has a bounded cost. */
static void very_many_switches(void **state)
{
	struct running r = { .outsiders = false };
	int tids[4], i;
	bool all;

	(void)state;
	for (i = 0; i < 100000; i++)
		running_add(&r, 0, (uint64_t)i, RUN_IN, 10 + (i & 1), -1);
	running_finish(&r);
	for (i = 0; i < 100000; i++) {
		assert_int_equal(running_between(&r, 0, 0, 99999, ZERO_IDLE, tids, 4, &all), 2);
		assert_false(all);
	}
	running_free(&r);
}

/* Witnesses: an ID, the thread that ran with it, and whether that is proved. */
struct witness_row {
	uint32_t id;
	int tid;
	bool proof;
};

static void whose_ids(void **state)
{
	static const struct {
		const char *what;
		struct witness_row v[5];
		enum id_space want, want_of_tasks;
		int thread_of_first;	/* of the first ID, if it is of another namespace */
	} rows[] = {
		{ "nobody", { { 0, 0, false } }, IDS_UNDECIDED, IDS_UNDECIDED, -1 },
		{ "the records' threads", { { 7, 7, true }, { 8, 8, true } }, IDS_SAME, IDS_SAME, 7 },
		{ "others", { { 700, 7, true }, { 800, 8, true } }, IDS_OTHER, IDS_OTHER, 7 },
		{ "numbers of each other", { { 7, 8, true }, { 8, 7, true } }, IDS_OTHER, IDS_OTHER, 8 },
		{ "one has its own", { { 800, 8, true }, { 7, 7, true }, { 900, 9, true } }, IDS_OTHER, IDS_OTHER, 8 },
		{ "a virtual machine's threads", { { 500, 7, true }, { 501, 7, true }, { 7, 7, true } }, IDS_SAME, IDS_SAME, -1 },
		{ "an ID of several threads", { { 5, 7, true }, { 5, 8, true } }, IDS_UNDECIDED, IDS_UNDECIDED, -1 },
		{ "two IDs of one thread", { { 500, 7, true }, { 501, 7, true } }, IDS_UNDECIDED, IDS_UNDECIDED, -1 },
		{ "a hint of a thread that has a record", { { 7, 8, false } }, IDS_UNDECIDED, IDS_UNDECIDED, -1 },
		{ "hints of threads that have records", { { 7, 8, false }, { 8, 9, false } }, IDS_UNDECIDED, IDS_OTHER, -1 },
		{ "hints of others", { { 700, 8, false }, { 8, 9, false } }, IDS_OTHER, IDS_OTHER, -1 },
		{ "a hint that a proof refutes", { { 7, 9, false }, { 7, 7, true } }, IDS_SAME, IDS_SAME, 7 },
		{ "a hint after a proof", { { 700, 7, true }, { 700, 9, false } }, IDS_OTHER, IDS_OTHER, 7 },
	};
	size_t i, k, known, contradictory;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct identity id = { .equal = 0 };

		for (k = 7; k < 10; k++)
			identity_know(&id, (int)k);
		for (k = 0; k < 5 && rows[i].v[k].id; k++) {
			id.strangers += rows[i].v[k].id > 10;
			identity_add(&id, rows[i].v[k].id, rows[i].v[k].tid, rows[i].v[k].proof);
		}
		identity_decide(&id, true);
		assert_int_equal(id.space, rows[i].want_of_tasks);
		identity_decide(&id, false);
		if (id.space != rows[i].want || identity_thread(&id, rows[i].v[0].id) != rows[i].thread_of_first)
			fail_msg("%s: space %d, thread %d", rows[i].what, (int)id.space, identity_thread(&id, rows[i].v[0].id));
		identity_free(&id);
	}
	{
		struct identity id = { .equal = 0 };

		identity_add(&id, 700, 7, true);
		identity_add(&id, 800, 8, true);
		identity_add(&id, 800, 9, true);
		identity_decide(&id, false);
		assert_true(identity_has_other(&id, 7, 701));
		assert_false(identity_has_other(&id, 7, 700));
		assert_false(identity_has_other(&id, 8, 700));	/* a contradiction has no thread */
		assert_true(identity_is_common(&id, 800));
		assert_false(identity_is_common(&id, 700));
		identity_count(&id, &known, &contradictory);
		assert_int_equal(known, 1);
		assert_int_equal(contradictory, 1);
		identity_free(&id);
	}
}

/* The end of an ownership says who had the ASID before: from the beginning on, unless that is declared. */
static void ends_of_asids(void **state)
{
	struct asids as = { .learned = 0 };

	(void)state;
	assert_false(asids_any_declared(&as, 5));
	asids_declare_end(&as, 5, 200, 50);
	asids_declare(&as, 6, 100, 60);
	asids_declare_end(&as, 6, 200, 61);
	asids_declare_end(&as, 0x10000, 200, 62);
	asids_declare_end(&as, 0xffff, 200, 63);
	asids_learn(&as, 7, 0);
	asids_finish(&as);
	assert_int_equal(asids_declared(&as, 5, 0), 50);
	assert_int_equal(asids_declared(&as, 5, 199), 50);
	assert_int_equal(asids_declared(&as, 5, 200), -1);
	assert_int_equal(asids_declared(&as, 6, 99), -1);
	assert_int_equal(asids_declared(&as, 6, 199), 60);
	assert_int_equal(asids_declared(&as, 6, 200), -1);
	assert_int_equal(asids_declared(&as, 0xffff, 199), 63);
	assert_true(asids_any_declared(&as, 5));
	assert_true(asids_any_declared(&as, 0xffff));
	assert_false(asids_any_declared(&as, 0x10000));
	assert_false(asids_any_declared(&as, 7));	/* learned is not declared */
	assert_false(asids_any_declared(&as, 8));
	/* process 0, the idle task's, is an owner as any other */
	assert_int_equal(asids_learned(&as, 7), 0);
	asids_learn(&as, 7, 70);
	asids_learn(&as, 0xffff, 71);
	asids_learn(&as, 0x10000, 72);
	assert_int_equal(asids_learned(&as, 0xffff), 71);
	assert_int_equal(asids_learned(&as, 0x10000), -1);
	assert_int_equal(as.learned, 3);
	assert_int_equal(as.changed, 1);
	asids_restart(&as);
	assert_int_equal(as.learned, 0);
	assert_int_equal(as.changed, 0);
	asids_free(&as);
	assert_int_equal(as.map.used, 0);
	assert_false(asids_any_declared(&as, 5));
}

static void asids_declared_in_time(void **state)
{
	struct asids as = { .learned = 0 };

	(void)state;
	asids_declare(&as, 7, 300, 30);
	asids_declare(&as, 7, 100, 10);
	asids_declare(&as, 7, 200, -1);
	asids_declare_current(&as, 8, 500, 80);		/* said once: so it has been all the time */
	asids_declare(&as, 9, 400, -1);
	asids_declare(&as, 9, 400, 90);			/* given up and given away in one moment */
	asids_declare(&as, 10, 400, 0);			/* the same to the idle task, in either order */
	asids_declare(&as, 10, 400, -1);
	asids_declare(&as, 11, 400, -1);
	asids_declare(&as, 11, 400, 0);
	asids_declare(&as, 0xffff, 100, 12);		/* the largest one */
	asids_declare_current(&as, 0xffff, 500, 13);
	asids_declare(&as, 0x10007, 100, 11);		/* no ASID has so many bits */
	asids_finish(&as);
	assert_int_equal(asids_declared(&as, 7, 99), -1);
	assert_int_equal(asids_declared(&as, 7, 100), 10);
	assert_int_equal(asids_declared(&as, 7, 250), -1);
	assert_int_equal(asids_declared(&as, 7, UINT64_MAX), 30);
	assert_int_equal(asids_declared(&as, 8, 1), 80);
	assert_int_equal(asids_declared(&as, 9, 400), 90);
	assert_int_equal(asids_declared(&as, 10, 400), 0);
	assert_int_equal(asids_declared(&as, 11, 400), 0);
	assert_int_equal(asids_declared(&as, 0xffff, 499), 12);
	assert_int_equal(asids_declared(&as, 0xffff, 500), 13);
	assert_int_equal(asids_declared(&as, 0x10007, 400), -1);
	assert_int_equal(asids_declared(&as, 77, 400), -1);
	/* learned apart from that */
	assert_int_equal(asids_learned(&as, 7), -1);
	asids_learn(&as, 7, 40);
	asids_learn(&as, 7, 40);
	asids_learn(&as, 7, 41);
	asids_learn(&as, 5, 50);
	assert_int_equal(asids_learned(&as, 7), 41);
	assert_int_equal(as.learned, 3);
	assert_int_equal(as.changed, 1);
	asids_restart(&as);
	assert_int_equal(asids_learned(&as, 7), -1);
	assert_int_equal(asids_declared(&as, 7, 100), 10);
	asids_free(&as);
}

struct value {
	const char *arch;
	enum contextid_format forced;
	uint32_t value;
	unsigned int bits;
	struct contextid_evidence ev;
	enum contextid_format want;
};

static void meaning_of_context_ids(void **state)
{
	static const struct value rows[] = {
		{ "aarch64", 0, 1000, 32, { .running = -1 }, CONTEXTID_TID },
		{ "aarch64", 0, 1000, 32, { .tid = true, .running = -1 }, CONTEXTID_TID },
		{ "aarch64", 0, 0, 32, { .running = -1 }, CONTEXTID_NONE },
		{ "aarch64", 0, 0xe8, 8, { .running = 1000 }, CONTEXTID_TID },
		{ "armv7l", 0, 0x3e805, 32, { .running = -1 }, CONTEXTID_TID_ASID },
		{ "armv7l", 0, 5, 32, { .running = -1 }, CONTEXTID_ASID },
		{ "armv8l", 0, 5, 8, { .running = -1 }, CONTEXTID_ASID },
		{ "armv7l", 0, 0xe805, 16, { .running = -1 }, CONTEXTID_TID_ASID },
		/* all names of the two architectures, and two that begin alike */
		{ "aarch64_be", 0, 0x3e805, 32, { .tid = true, .tid_shifted = true, .running = 1000 }, CONTEXTID_TID },
		{ "arm64", 0, 0x3e805, 32, { .tid = true, .tid_shifted = true, .running = 1000 }, CONTEXTID_TID },
		{ "arm", 0, 0x3e805, 32, { .tid = true, .running = -1 }, CONTEXTID_TID_ASID },
		{ "aarch6", 0, 0x3e805, 32, { .tid = true, .tid_shifted = true, .running = 1000 }, CONTEXTID_TID_ASID },
		{ "arc", 0, 1000, 32, { .tid = true, .running = -1 }, CONTEXTID_TID },
		/* eight traced bits are an ASID, whatever they are */
		{ "armv7l", 0, 0x105, 8, { .running = -1 }, CONTEXTID_ASID },
		{ "armv7l", 0, 0xff, 32, { .running = -1 }, CONTEXTID_ASID },
		{ "armv7l", 0, 0x100, 32, { .running = -1 }, CONTEXTID_TID_ASID },
		/* a file that does not name the architecture: the threads tell */
		{ NULL, 0, 1000, 32, { .tid = true, .running = -1 }, CONTEXTID_TID },
		{ NULL, 0, 0x3e805, 32, { .tid_shifted = true, .running = -1 }, CONTEXTID_TID_ASID },
		{ NULL, 0, 0x3e805, 32, { .tid = true, .running = 1000 }, CONTEXTID_TID_ASID },
		{ NULL, 0, 1000, 32, { .tid_shifted = true, .running = 1000 }, CONTEXTID_TID },
		{ NULL, 0, 5, 32, { .running = 1000 }, CONTEXTID_ASID },
		{ NULL, 0, 5, 32, { .tid = true, .running = 1000 }, CONTEXTID_ASID },
		{ NULL, 0, 5, 32, { .asid = true, .running = -1 }, CONTEXTID_ASID },
		{ NULL, 0, 5, 8, { .asid = true, .running = -1 }, CONTEXTID_ASID },
		{ NULL, 0, 5, 32, { .running = -1 }, CONTEXTID_TID },
		{ NULL, 0, 0, 32, { .running = 1000 }, CONTEXTID_NONE },
		{ NULL, 0, 1000, 32, { .asid = true, .running = 1000 }, CONTEXTID_TID },
		{ NULL, 0, 0xff, 32, { .running = 1000 }, CONTEXTID_ASID },
		{ NULL, 0, 0x100, 32, { .running = 1000 }, CONTEXTID_TID },
		{ NULL, 0, 0xff, 32, { .asid = true, .running = -1 }, CONTEXTID_ASID },
		{ NULL, 0, 0x100, 32, { .asid = true, .running = -1 }, CONTEXTID_TID },
		{ NULL, 0, 5, 32, { .asid = true, .tid_shifted = true, .running = -1 }, CONTEXTID_TID_ASID },
		{ NULL, 0, 0x105, 8, { .asid = true, .running = -1 }, CONTEXTID_ASID },
		{ NULL, 0, 0xe8, 16, { .running = 0xe8 }, CONTEXTID_TID },
		/* thread 0 is idle: nothing is known of another value */
		{ NULL, 0, 5, 32, { .running = 0 }, CONTEXTID_TID },
		{ NULL, 0, 5, 32, { .running = 1 }, CONTEXTID_ASID },
		/* the user knows better */
		{ "aarch64", CONTEXTID_ASID, 1000, 32, { .tid = true, .running = 1000 }, CONTEXTID_ASID },
		{ "armv7l", CONTEXTID_NONE, 0x3e805, 32, { .running = 1000 }, CONTEXTID_NONE },
	};
	struct contextid c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct value *r = &rows[i];

		contextid_init(&c, r->forced, r->arch);
		if (contextid_choose(&c, r->value, r->bits, &r->ev) != r->want)
			fail_msg("row %zu", i);
		assert_true(c.seen[r->want]);
	}
}

/* What was found out holds for values that say nothing. */
static void meaning_is_kept(void **state)
{
	const struct contextid_evidence none = { .running = -1 }, ran = { .running = 1000 };
	struct contextid c;

	(void)state;
	contextid_init(&c, CONTEXTID_AUTO, NULL);
	assert_int_equal(contextid_choose(&c, 0x3e805, 32, &ran), CONTEXTID_TID_ASID);
	assert_true(contextid_decided(&c));
	assert_int_equal(contextid_choose(&c, 77, 32, &none), CONTEXTID_TID_ASID);
	contextid_init(&c, CONTEXTID_AUTO, NULL);
	assert_int_equal(contextid_choose(&c, 5, 32, &ran), CONTEXTID_ASID);
	assert_int_equal(contextid_choose(&c, 6, 32, &none), CONTEXTID_ASID);
	/* an ASID was all there was so far; then a thread shows above it */
	assert_int_equal(contextid_choose(&c, 0x3e806, 32, &ran), CONTEXTID_TID_ASID);
	contextid_init(&c, CONTEXTID_AUTO, "armv7l");
	assert_int_equal(contextid_choose(&c, 6, 32, &none), CONTEXTID_ASID);
	assert_int_equal(contextid_choose(&c, 0x3e806, 32, &none), CONTEXTID_TID_ASID);
	assert_int_equal(contextid_choose(&c, 6, 32, &none), CONTEXTID_TID_ASID);
	/* where threads were seen, 0 is the idle task only if the kernel is known to write threads */
	contextid_init(&c, CONTEXTID_AUTO, "aarch64");
	assert_int_equal(contextid_choose(&c, 0, 32, &none), CONTEXTID_NONE);
	assert_int_equal(contextid_choose(&c, 1000, 32, &none), CONTEXTID_TID);
	assert_false(contextid_decided(&c));
	assert_int_equal(contextid_choose(&c, 0, 32, &none), CONTEXTID_TID);
	contextid_init(&c, CONTEXTID_AUTO, NULL);
	assert_int_equal(contextid_choose(&c, 1000, 32, &none), CONTEXTID_TID);
	assert_int_equal(contextid_choose(&c, 0, 32, &none), CONTEXTID_NONE);
}

/*
 * A kernel for AArch64 writes thread IDs only: one value that is a thread decides, and no switch is asked for. Without the
 * architecture, or where an ASID of these bits is declared, switches count.
 */
static void threads_of_aarch64(void **state)
{
	static const struct {
		const char *arch;
		uint32_t value;
		unsigned int bits;
		struct contextid_evidence ev;
		bool needs;
	} rows[] = {
		{ "aarch64", 1000, 32, { .tid = true, .running = -1 }, false },
		{ "aarch64", 1000, 32, { .running = -1 }, true },
		{ "aarch64", 1000, 32, { .tid = true, .asid = true, .running = -1 }, true },
		{ "aarch64", 1000, 16, { .tid = true, .running = -1 }, false },
		{ "aarch64", 0, 32, { .running = -1 }, false },
		{ NULL, 1000, 32, { .tid = true, .running = -1 }, true },
		{ "armv7l", 1000, 32, { .tid_shifted = true, .running = -1 }, false },
	};
	struct contextid_evidence small = { .running = 1000 };
	struct contextid c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		contextid_init(&c, CONTEXTID_AUTO, rows[i].arch);
		if (contextid_needs_running(&c, rows[i].value, rows[i].bits, &rows[i].ev) != rows[i].needs)
			fail_msg("row %zu", i);
	}
	contextid_init(&c, CONTEXTID_AUTO, "aarch64");
	assert_int_equal(contextid_choose(&c, 1000, 32, &rows[0].ev), CONTEXTID_TID);
	assert_true(contextid_decided(&c));
	/* not an ASID, although another thread runs */
	assert_int_equal(contextid_choose(&c, 5, 32, &small), CONTEXTID_TID);
}

struct step {
	uint8_t el, security;
	uint32_t vmid;
	bool known;		/* its context ID is a thread of the file */
	uint64_t from, to;	/* 0: not known */
	enum world want;
};

#define NS CST_SEC_NONSECURE
#define S CST_SEC_SECURE

static void walk(const struct step *s, size_t n, bool host_el2, bool vmid)
{
	struct own_world own = { .vmid = 0 };
	struct world_state w;
	size_t i;

	memset(&w, 0, sizeof(w));
	for (i = 0; i < n; i++) {
		struct cst_generic g = { .el = s[i].el, .security = s[i].security, .vmid = s[i].vmid,
					 .flags = CST_GF_EL | (vmid ? CST_GF_VMID : 0) };
		struct world_entry e = { .thread_known = s[i].known, .host_el2 = host_el2, .from = s[i].from,
					 .from_known = s[i].from, .to = s[i].to, .to_known = s[i].to };

		if (world_of(&own, &w, &g, &e) != s[i].want)
			fail_msg("step %zu", i);
		assert_int_equal(w.world, s[i].want);
	}
}

#define WALK(steps, host_el2, vmid) walk(steps, sizeof(steps) / sizeof((steps)[0]), host_el2, vmid)

/* The kernel at EL1: a VMID other than the host's is a guest. */
static void guests_by_vmid(void **state)
{
	static const struct step host[] = {
		{ 0, NS, 0, true, 0, 0, WORLD_OWN }, { 1, NS, 0, false, 0, 0, WORLD_OWN },
		{ 2, NS, 3, false, 0, 0, WORLD_OWN }, { 1, NS, 3, false, 0, 0, WORLD_GUEST },
		{ 0, NS, 3, false, 0, 0, WORLD_GUEST }, { 2, NS, 3, false, 0, 0, WORLD_OWN },
		{ 0, NS, 0, true, 0, 0, WORLD_OWN }, { 3, NS, 0, false, 0, 0, WORLD_FIRMWARE },
	};
	/* recorded inside a machine: its own VMID is not 0 */
	static const struct step inside[] = {
		{ 0, NS, 5, true, 0, 0, WORLD_OWN }, { 1, NS, 5, false, 0, 0, WORLD_OWN },
		{ 0, NS, 6, true, 0, 0, WORLD_GUEST },
	};
	/* a guest comes first, then the host shows who it is */
	static const struct step late[] = {
		{ 1, NS, 4, false, 0, 0, WORLD_OWN }, { 0, NS, 0, true, 0, 0, WORLD_OWN },
		{ 1, NS, 4, false, 0, 0, WORLD_GUEST },
	};

	(void)state;
	WALK(host, false, true);
	WALK(inside, false, true);
	WALK(late, false, true);
}

static void security_states(void **state)
{
	static const struct step usual[] = {
		{ 0, NS, 0, true, 0, 0, WORLD_OWN }, { 1, S, 0, false, 0, 0, WORLD_SECURE },
		{ 0, S, 0, false, 0, 0, WORLD_SECURE }, { 3, S, 0, false, 0, 0, WORLD_FIRMWARE },
		{ 1, NS, 0, false, 0, 0, WORLD_OWN }, { 0, CST_SEC_REALM, 0, false, 0, 0, WORLD_SECURE },
	};
	/* a board without a secure monitor runs Linux in the secure state */
	static const struct step secure[] = {
		{ 0, S, 0, true, 0, 0, WORLD_OWN }, { 1, S, 0, false, 0, 0, WORLD_OWN },
	};
	static const struct step firmware_first[] = {
		{ 1, S, 0, false, 0, 0, WORLD_OWN }, { 1, NS, 0, false, 0, 0, WORLD_OWN },
		{ 1, S, 0, false, 0, 0, WORLD_SECURE },
	};

	(void)state;
	WALK(usual, false, false);
	WALK(secure, false, false);
	WALK(firmware_first, false, false);
}

/* The kernel at EL2: EL1 is a guest's; EL0 is whose the way to it tells. */
static void guests_below_the_host(void **state)
{
	static const struct step steps[] = {
		{ 0, NS, 100, true, 0, 0, WORLD_OWN },		/* the program that runs the machine */
		{ 2, NS, 100, true, 0x1000, 0, WORLD_OWN },
		{ 1, NS, 100, true, 0, 0, WORLD_GUEST },
		{ 0, NS, 100, true, 0, 0, WORLD_GUEST },	/* from the guest's kernel */
		{ 0, NS, 100, true, 0, 0, WORLD_GUEST },	/* said again */
		{ 2, NS, 100, true, 0x8000, 0, WORLD_OWN },	/* the host interrupts the guest's program */
		{ 0, NS, 100, true, 0, 0x8000, WORLD_GUEST },	/* which goes on where it was */
		{ 2, NS, 100, true, 0x8010, 0, WORLD_OWN },
		{ 0, NS, 100, true, 0, 0x8014, WORLD_GUEST },	/* behind an instruction that was emulated */
		{ 2, NS, 100, true, 0x8020, 0, WORLD_OWN },
		{ 0, NS, 100, true, 0, 0x1004, WORLD_OWN },	/* elsewhere: the host's program */
		{ 2, NS, 100, true, 0x1008, 0, WORLD_OWN },
		{ 0, NS, 200, true, 0, 0x8020, WORLD_OWN },	/* another thread has no guest */
		{ 2, NS, 200, true, 0x8030, 0, WORLD_OWN },
		{ 0, NS, 100, true, 0, 0, WORLD_GUEST },	/* not known where: it may be the guest's */
		{ 2, NS, 100, true, 0, 0, WORLD_OWN },
		{ 1, NS, 100, true, 0, 0, WORLD_GUEST },	/* the guest's kernel */
		{ 2, NS, 100, true, 0x9000, 0, WORLD_OWN },
		{ 0, NS, 100, true, 0, 0x8020, WORLD_OWN },	/* was left in its kernel: this is the host's */
	};

	(void)state;
	WALK(steps, true, true);
}

/* The same where EL2 is not traced. */
static void guests_below_an_unseen_host(void **state)
{
	static const struct step steps[] = {
		{ 0, NS, 100, true, 0, 0, WORLD_OWN },
		{ 1, NS, 100, true, 0, 0, WORLD_GUEST },
		{ 0, NS, 100, true, 0, 0x8000, WORLD_GUEST },
		{ 0, NS, 200, true, 0, 0x8000, WORLD_OWN },	/* another thread, which has no guest */
		{ 0, NS, 100, true, 0, 0x8000, WORLD_GUEST },	/* left in the guest's program, and where is not known */
		{ 1, NS, 100, true, 0, 0, WORLD_GUEST },
		{ 0, NS, 300, true, 0, 0x8000, WORLD_OWN },
	};

	(void)state;
	WALK(steps, true, true);
}

/* The most recent threads that run guests are known, the first of them as the last. */
static void guests_of_many_threads(void **state)
{
	static struct step steps[5 * NR_VCPUS];
	struct step *s = steps;
	uint32_t i;

	(void)state;
	for (i = 0; i < NR_VCPUS; i++) {
		*s++ = (struct step){ 1, NS, 100 + i, true, 0, 0, WORLD_GUEST };
		*s++ = (struct step){ 0, NS, 100 + i, true, 0, 0, WORLD_GUEST };
		*s++ = (struct step){ 2, NS, 100 + i, true, 0x8000, 0, WORLD_OWN };
	}
	for (i = 0; i < NR_VCPUS; i++) {
		*s++ = (struct step){ 0, NS, 100 + i, true, 0, 0x8000, WORLD_GUEST };
		*s++ = (struct step){ 2, NS, 100 + i, true, 0x8000, 0, WORLD_OWN };
	}
	WALK(steps, true, true);
}

static void many_guests(void **state)
{
	struct guests gs = { .nr = 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		guests_add(&gs, &(struct guest_count){
					.id = i % 20, .stretches = 1, .bare_user = i & 1 });
	assert_int_equal(gs.nr, NR_GUESTS);
	for (i = 0; i < NR_GUESTS; i++) {
		assert_int_equal(gs.v[i].id, i);
		assert_int_equal(gs.v[i].stretches, 5);
		assert_int_equal(gs.v[i].bare_user, i & 1 ? 5 : 0);
	}
	assert_int_equal(gs.rest, 4 * 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches), cmocka_unit_test(numbers_of_the_machine),
		cmocka_unit_test(guests_below_an_unseen_host), cmocka_unit_test(security_states),
		cmocka_unit_test(guests_by_vmid), cmocka_unit_test(guests_below_the_host),
		cmocka_unit_test(whose_ids), cmocka_unit_test(ends_of_asids),
		cmocka_unit_test(very_many_switches), cmocka_unit_test(asids_declared_in_time),
		cmocka_unit_test(meaning_of_context_ids), cmocka_unit_test(meaning_is_kept),
		cmocka_unit_test(threads_of_aarch64), cmocka_unit_test(guests_of_many_threads),
		cmocka_unit_test(many_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
