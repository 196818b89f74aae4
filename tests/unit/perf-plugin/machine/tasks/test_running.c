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
#include "session/internal.h"
#include "session/losses/guests.h"
#include "unit/perf-plugin/session_open.h"

/* A question over very many switches has a bounded cost. */
static void very_many_switches(void **state)
{
	struct running r = { .nr = 0 };
	int tids[4], i;
	bool all;

	(void)state;
	for (i = 0; i < 100000; i++)
		assert_int_equal(running_add(&r, 0, (uint64_t)i, RUN_IN, 10 + (i & 1), -1), 0);
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
		struct identity id = { .nr = 0 };

		for (k = 7; k < 10; k++)
			assert_int_equal(identity_know(&id, (int)k), 0);
		for (k = 0; k < 5 && rows[i].v[k].id; k++) {
			id.strangers += rows[i].v[k].id > 10;
			assert_int_equal(identity_add(&id, rows[i].v[k].id, rows[i].v[k].tid, rows[i].v[k].proof), 0);
		}
		identity_decide(&id, true);
		assert_int_equal(id.space, rows[i].want_of_tasks);
		identity_decide(&id, false);
		if (id.space != rows[i].want || identity_thread(&id, rows[i].v[0].id) != rows[i].thread_of_first)
			fail_msg("%s: space %d, thread %d", rows[i].what, (int)id.space, identity_thread(&id, rows[i].v[0].id));
		identity_free(&id);
	}
	{
		struct identity id = { .nr = 0 };

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
	struct asids as = { .nr = 0 };

	(void)state;
	assert_false(asids_any_declared(&as, 5));
	assert_int_equal(asids_declare_end(&as, 5, 200, 50), 0);
	assert_int_equal(asids_declare(&as, 6, 100, 60), 0);
	assert_int_equal(asids_declare_end(&as, 6, 200, 61), 0);
	assert_int_equal(asids_declare_end(&as, 0x10000, 200, 62), 0);
	assert_int_equal(asids_declare_end(&as, 0xffff, 200, 63), 0);
	assert_int_equal(asids_learn(&as, 7, 0), 0);
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
	assert_int_equal(asids_learn(&as, 7, 70), 0);
	assert_int_equal(asids_learn(&as, 0xffff, 71), 0);
	assert_int_equal(asids_learn(&as, 0x10000, 72), 0);
	assert_int_equal(asids_learned(&as, 0xffff), 71);
	assert_int_equal(asids_learned(&as, 0x10000), -1);
	assert_int_equal(as.learned, 3);
	assert_int_equal(as.changed, 1);
	asids_restart(&as);
	assert_int_equal(as.learned, 0);
	assert_int_equal(as.changed, 0);
	asids_free(&as);
	assert_int_equal(as.nr, 0);
	assert_false(asids_any_declared(&as, 5));
}

static void asids_declared_in_time(void **state)
{
	struct asids as = { .nr = 0 };

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

	world_restart(&w);
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
		guests_count(&gs, i % 20);
	assert_int_equal(gs.nr, NR_GUESTS);
	for (i = 0; i < NR_GUESTS; i++) {
		assert_int_equal(gs.v[i].id, i);
		assert_int_equal(gs.v[i].stretches, 5);
	}
	assert_int_equal(gs.rest, 4 * 5);
}

static struct pdb data;

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

/* What a record does not name is unknown, -1; without a time or a CPU it says nothing. */
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
	int before, after, last;
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
		before = running_thread(r, 0, 99);
		after = running_thread(r, 0, 100);
		last = running_thread(r, 0, 150);
		if (running_known(r, 0) != rows[i].known || r->nr != rows[i].known ||
		    before != rows[i].before || after != rows[i].after ||
		    last != (rows[i].known ? 77 : -1))
			fail_msg("row %zu: %zu CPUs, %d, %d, %d", i, r->nr, before, after, last);
		session_close(ss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switch_records), cmocka_unit_test(guests_below_an_unseen_host),
		cmocka_unit_test(security_states), cmocka_unit_test(guests_by_vmid),
		cmocka_unit_test(guests_below_the_host), cmocka_unit_test(whose_ids),
		cmocka_unit_test(ends_of_asids), cmocka_unit_test(very_many_switches),
		cmocka_unit_test(asids_declared_in_time), cmocka_unit_test(meaning_of_context_ids),
		cmocka_unit_test(meaning_is_kept), cmocka_unit_test(threads_of_aarch64),
		cmocka_unit_test(guests_of_many_threads), cmocka_unit_test(many_guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
