/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several threads: pieces are decoded elsewhere and taken in order, a piece that does not fit what came before is
 * decoded again, and what decoding learned from the system is asked anew (tasks/learned.h).
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/tasks/learned.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/session.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define FRAGMENTS 6
#define HEADER_ARCH 6	/* feature section of perf.data: the recorded machine's architecture */
#define CONTEXT_ID 25	/* offset of the context ID in what sb_trace() makes */

TEMP_DIR("jobs")
static pthread_t caller;

/* how many threads still start; how many were asked for */
static unsigned int startable = UINT32_MAX, asked;

int __real_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	asked++;
	if (!startable)
		return EAGAIN;
	startable--;
	return __real_thread_start(t, run, arg);
}

static int make_files(void **state)
{
	caller = pthread_self();
	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	return 0;
}

/* A consumer of pieces: which fragments came, in which order, and how often one was refused. */
struct taken {
	unsigned int refuse;	/* a piece with so many pieces before it does not fit */
	unsigned int pieces, refused, continued, ranges;
	unsigned int elsewhere;	/* pieces from another thread */
	uint64_t times[2 * FRAGMENTS];
	unsigned int nr_times;
	/* the other limits of struct consumer */
	uint64_t max_piece;
	unsigned int max_pieces;
	bool first_here;
	uint64_t unfit;		/* the piece with a fragment of this time cannot be kept by another thread */
	_Atomic unsigned int begun;
	unsigned int most;	/* maximum number of pieces begun and not taken */
};

struct piece {
	struct taken *t;
	bool elsewhere;
	unsigned int ranges;
	uint64_t times[FRAGMENTS];
	unsigned int nr_times;
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct piece *p = data;
	size_t i;

	if (s->fragment_start)
		p->times[p->nr_times++] = s->aux.aux_time;
	p->elsewhere |= !pthread_equal(pthread_self(), caller);
	for (i = 0; i < n; i++)
		p->ranges += g[i].kind == CST_GEN_RANGE;
	return p->t && p->elsewhere && s->aux.aux_time == p->t->unfit ? SESSION_UNFIT : 0;
}

static void *shard_make(void *data, struct session *ss)
{
	struct piece *p = ss ? calloc(1, sizeof(*p)) : NULL;
	struct taken *t = data;

	t->begun++;
	if (p)
		p->t = t;
	return p;
}

static bool shard_fits(void *data, void *piece)
{
	struct taken *t = data;

	(void)piece;
	if (t->pieces != t->refuse || t->refused)
		return true;
	t->refused++;
	return false;
}

static void shard_resume(void *data, void *piece)
{
	(void)piece;
	((struct taken *)data)->continued++;
}

static int shard_take(void *data, void *piece)
{
	const struct piece *p = piece;
	struct taken *t = data;
	unsigned int i;

	assert_true(pthread_equal(pthread_self(), caller));
	if (t->begun - t->pieces > t->most)
		t->most = t->begun - t->pieces;
	t->pieces++;
	t->elsewhere += p->elsewhere;
	t->ranges += p->ranges;
	for (i = 0; i < p->nr_times; i++)
		t->times[t->nr_times++] = p->times[i];
	return 0;
}

/* One stream of CPU 2 with several AUX records. `idle`: the context ID is 0 in all but the first one. */
static struct session *open_stream(unsigned int jobs, bool idle)
{
	struct session_opts so = { .symfs = dir, .jobs = jobs, .jobs_asked = true };
	static struct pdb file;
	struct pdb trace = { .p = NULL }, data = { .p = NULL }, arch = { .p = NULL };
	struct perfdata *pd;
	struct error err;
	struct session *ss;
	unsigned int i;

	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	for (i = 0; i < FRAGMENTS; i++) {
		if (idle && i == 1) {	/* at EL1: at EL0 an ID of 0 is none */
			trace.p[CONTEXT_ID - 1] |= 1;
			memset(trace.p + CONTEXT_ID, 0, 4);
		}
		sb_aux(&data, i * 0x1000, trace.len, 0x100, 1000 * (i + 1));
		pdb_auxtrace(&data, i * 0x1000, trace.p, trace.len, 2, (uint32_t)-1);
	}
	pdb_free(&trace);
	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	pdb_u32(&arch, 8);
	pdb_bytes(&arch, "aarch64", 8);
	pdb_file(&file, &sb_attr, 1, 0, &data, &(struct pdb_feature){ HEADER_ARCH, &arch }, 1);
	pdb_free(&data);
	pdb_free(&arch);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	return ss;
}

static struct session *open_recording(unsigned int jobs)
{
	return open_stream(jobs, false);
}

static void run(struct session *ss, struct taken *t, bool by_fragment)
{
	struct consumer con = { .data = t,
				.batch = on_batch,
				.shards =
					&(const struct shard_ops){ .make = shard_make,
								   .fits = shard_fits,
								   .resume = shard_resume,
								   .take = shard_take,
								   .free = free,
								   .by_fragment = by_fragment,
								   .max_size = t->max_piece,
								   .max_ahead = t->max_pieces,
								   .first_here = t->first_here } };
	unsigned int i;

	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(t->nr_times, FRAGMENTS);
	for (i = 0; i < FRAGMENTS; i++)
		assert_int_equal(t->times[i], 1000 * (i + 1));
	assert_int_equal(t->ranges, FRAGMENTS * SB_ATOMS);
	assert_int_equal(session_totals(ss)->dec.insns, 2 * FRAGMENTS * SB_ATOMS);
	assert_false(session_has_losses(ss));
}

/* The threads that the system starts decode; without any, the caller does. */
static void threads_that_do_not_start(void **state)
{
	unsigned int n;

	(void)state;
	for (n = 0; n <= 2; n++) {
		struct taken t = { .refuse = UINT32_MAX, .max_piece = 1 };
		struct session *ss = open_recording(3);

		startable = n;
		asked = 0;
		run(ss, &t, true);
		startable = UINT32_MAX;
		assert_int_equal(asked, n + 1);
		assert_int_equal(t.pieces, FRAGMENTS);
		assert_int_equal(t.elsewhere, n ? FRAGMENTS : 0);
		assert_int_equal(t.continued, n ? 0 : FRAGMENTS);
		session_close(ss);
	}
}

/* Buffers of two CPUs, each with a record that says that trace was lost, in one or two threads. Returns the losses. */
static void two_buffers(unsigned int jobs, char losses[1024])
{
	const struct session_opts so = { .symfs = dir, .jobs = jobs, .jobs_asked = true, .filter = { .cpu = "2-3" } };
	struct taken t = { .refuse = 0 };
	struct piece p = { .ranges = 0 };
	const struct consumer con = { .data = jobs > 1 ? (void *)&t : &p, .batch = on_batch,
				.shards = &(const struct shard_ops){ .make = shard_make, .fits = shard_fits,
				.take = shard_take, .free = free } };
	struct pdb trace = { .p = NULL }, data = { .p = NULL };
	struct pdb_sid s = sb_sid(1000);
	struct session *ss;
	unsigned int cpu;

	sb_trace(&trace, SB_TID);
	sb_aux_info_of(&data, 1, SB_CONFIGR, 0x14, 2);
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/two.bin", SB_ST, &s);
	for (cpu = 2; cpu < 4; cpu++) {
		s = sb_sid(1000 * cpu);
		s.cpu = cpu;
		pdb_aux(&data, 0, trace.len, SB_RAW | 1, SB_ST, &s);	/* truncated */
		pdb_auxtrace(&data, 0, trace.p, trace.len, cpu, (uint32_t)-1);
	}
	pdb_free(&trace);
	ss = sb_open(&data, &so, NULL);
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(jobs > 1 ? t.ranges : p.ranges, 2 * SB_ATOMS);
	assert_int_equal(t.refused, jobs > 1);
	assert_true(session_has_losses(ss));
	sb_losses(ss, losses, 1024);
	session_close(ss);
}

/* A buffer that is decoded a second time, because its result does not fit, has its losses once. */
static void losses_of_refused_piece(void **state)
{
	char one[1024], two[1024];

	(void)state;
	two_buffers(1, one);
	two_buffers(2, two);
	assert_string_equal(two, one);
	assert_non_null(strstr(one, "  2 truncated AUX records"));
}

/* After a piece whose result is too large to be kept, the calling thread decodes. */
static void unfit_piece(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 1; i <= FRAGMENTS; i++) {
		struct taken t = { .refuse = UINT32_MAX, .unfit = 1000 * i, .max_piece = 1 };
		struct session *ss = open_recording(2);

		run(ss, &t, true);
		assert_int_equal(t.pieces, FRAGMENTS);
		assert_in_range(t.continued, 1, FRAGMENTS - i + 1);
		assert_in_range(t.elsewhere, i - 1, FRAGMENTS - 1);
		session_close(ss);
	}
}

/* The calling thread decodes the first piece, and others all further ones. */
static void first_piece_here(void **state)
{
	unsigned int jobs, ahead;

	(void)state;
	for (jobs = 2; jobs <= 4; jobs++)
		for (ahead = 0; ahead <= 3; ahead++) {
			struct taken t = { .refuse = UINT32_MAX,
					   .max_piece = 1,
					   .max_pieces = ahead,
					   .first_here = true };
			struct session *ss = open_recording(jobs);

			run(ss, &t, true);
			assert_int_equal(t.pieces, FRAGMENTS);
			assert_int_equal(t.elsewhere, FRAGMENTS - 1);
			assert_int_equal(t.continued, 1);
			session_close(ss);
		}
}

/* ---- sums --------------------------------------------------------------------------------------- */

struct sum {
	bool piece;		/* made by sum_new() */
	unsigned int ranges, by_thread, taken;
	unsigned int here;	/* ranges that were added to it and not to a piece */
	struct cst_stats dec;
	char losses[1024];
};

static int sum_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct sum *sum = data;
	size_t i;

	for (i = 0; i < n; i++)
		if (g[i].kind == CST_GEN_RANGE) {
			sum->ranges++;
			sum->here += !sum->piece;
			sum->by_thread += s->tid == SB_TID;
		}
	return 0;
}

static _Atomic int sums;	/* that were made and not freed */

static void *sum_new(void *data, struct session *ss)
{
	struct sum *sum = calloc(1, sizeof(*sum));

	(void)data;
	(void)ss;
	sum->piece = true;
	sums++;
	return sum;
}

static void sum_free(void *piece)
{
	sums--;
	free(piece);
}

static int sum_take(void *data, void *piece)
{
	const struct sum *more = piece;
	struct sum *sum = data;

	sum->ranges += more->ranges;
	sum->by_thread += more->by_thread;
	sum->taken++;
	return 0;
}

static struct sum sum_of(unsigned int jobs, bool idle)
{
	struct sum sum = { 0 };
	struct consumer con = { .data = &sum, .batch = sum_batch,
				.shards = &(const struct shard_ops){ .make = sum_new, .take = sum_take,
				.free = sum_free, .by_fragment = true, .sums = true } };
	struct session *ss = open_stream(jobs, idle);
	const unsigned int ranges = (idle ? 1 : FRAGMENTS) * SB_ATOMS;	/* the idle task has no code here */

	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(sum.ranges, ranges);
	assert_int_equal(session_totals(ss)->dec.insns, 2 * ranges);
	assert_int_equal(session_totals(ss)->dec.ranges, ranges);
	assert_int_equal(session_has_losses(ss), idle);
	assert_int_equal(sums, 0);
	sum.dec = session_totals(ss)->dec;
	sb_losses(ss, sum.losses, sizeof(sum.losses));
	session_close(ss);
	return sum;
}

static void sums_of_threads(void **state)
{
	unsigned int i = 0;
	struct sum sum;

	(void)state;
	/* the first thread may have decoded everything before another one begins */
	do {
		sum = sum_of(3, false);
		assert_int_equal(sum.by_thread, FRAGMENTS * SB_ATOMS);
	} while (sum.taken == 1 && ++i < 1000);
	assert_true(sum.taken > 1);
	assert_int_equal(sum.here, 0);
	/* the caller's own sum, where no thread starts */
	startable = 0;
	sum = sum_of(3, false);
	startable = UINT32_MAX;
	assert_int_equal(sum.by_thread, FRAGMENTS * SB_ATOMS);
	assert_int_equal(sum.taken, 1);
	assert_int_equal(sum.here, 0);
}

static int ended_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	const struct sum *sum = data;

	sum_batch(data, s, g, n);
	return sum->ranges ? 7 : 0;
}

/* The value with which a consumer ends the run is returned, and no sum is taken; threads or the caller call it. */
static void sums_that_end(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct sum sum = { 0 };
		struct consumer con = { .data = &sum, .batch = ended_batch,
					.shards = &(const struct shard_ops){ .make = sum_new,
					.take = sum_take, .free = sum_free, .by_fragment = true,
					.sums = true } };
		struct session *ss = open_stream(3, false);

		startable = i ? UINT32_MAX : 0;
		assert_int_equal(session_run(ss, &con), 7);
		startable = UINT32_MAX;
		assert_int_equal(sum.taken, 0);
		assert_int_equal(sums, 0);
		session_close(ss);
	}
}

/*
 * After a thread's ID, context ID 0 is that of the idle task. A piece that begins with it is decoded without that
 * knowledge; its result is in a sum by then, so everything is decoded again.
 */
static void sums_made_again(void **state)
{
	struct sum one = sum_of(1, true), two;
	unsigned int i = 0;

	(void)state;
	assert_int_equal(one.by_thread, SB_ATOMS);
	/* when the first thread is slow, or is first with all of them, no result is rejected */
	do {
		two = sum_of(2, true);
		assert_int_equal(two.by_thread, one.by_thread);
		assert_memory_equal(&two.dec, &one.dec, sizeof(one.dec));
		assert_string_equal(two.losses, one.losses);
	} while (two.taken && ++i < 1000);
	assert_int_equal(two.taken, 0);
}

/* ---- what is learned --------------------------------------------------------------------------- */

static struct learned begin(struct learn_log *log)
{
	struct learned l;

	memset(&l, 0, sizeof(l));
	memset(log, 0, sizeof(*log));
	contextid_init(&l.contextid, CONTEXTID_AUTO, "aarch64");
	l.own.log = l.contextid.log = log;
	return l;
}

/* Once the format is decided no question is noted, so a part that decided it needs a decision that its questions repeat. */
static void decided_in_the_part(void **state)
{
	const struct contextid_evidence thread = { .tid = true, .running = -1 };
	struct learn_log log, first_log;
	struct learned now = begin(&first_log), in = begin(&log), out = in;

	(void)state;
	assert_true(own_world_vmid(&now.own, 3, true));
	out.contextid.decided = CONTEXTID_TID;
	assert_false(learned_holds(&now, &in, &out, &log));
	assert_int_equal(now.contextid.decided, CONTEXTID_AUTO);
	/* it was decided before the part */
	now.contextid.decided = CONTEXTID_TID;
	out.contextid.decided = CONTEXTID_AUTO;
	assert_true(learned_holds(&now, &in, &out, &log));
	assert_int_equal(now.contextid.decided, CONTEXTID_TID);
	/* its first question decides it again */
	now = begin(&first_log);
	assert_true(own_world_vmid(&now.own, 3, true));
	out = begin(&log);
	assert_int_equal(contextid_choose(&out.contextid, 100, 32, &thread), CONTEXTID_TID);
	assert_true(contextid_decided(&out.contextid));
	assert_true(learned_holds(&now, &in, &out, &log));
	assert_int_equal(now.contextid.decided, CONTEXTID_TID);
}

static void log_that_is_full(void **state)
{
	struct learn_log log, first_log;
	struct learned now = begin(&first_log), in = begin(&log), out = in;
	unsigned int i;

	(void)state;
	assert_true(own_world_security(&now.own, CST_SEC_NONSECURE, false));
	for (i = 0; i < 2 * LEARN_ENTRIES; i++)
		own_world_vmid(&out.own, 1 + (i & 1), false);
	assert_true(log.full);
	assert_false(learned_holds(&now, &in, &out, &log));
	/* a repeated question takes no room */
	out = begin(&log);
	for (i = 0; i < 2 * LEARN_ENTRIES; i++)
		own_world_vmid(&out.own, 1, false);
	assert_int_equal(log.nr, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_do_not_start),
		cmocka_unit_test(losses_of_refused_piece),
		cmocka_unit_test(unfit_piece),
		cmocka_unit_test(first_piece_here),
		cmocka_unit_test(sums_of_threads),
		cmocka_unit_test(sums_that_end),
		cmocka_unit_test(sums_made_again),
		cmocka_unit_test(decided_in_the_part),
		cmocka_unit_test(log_that_is_full),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
