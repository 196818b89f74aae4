/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several threads: pieces are decoded elsewhere and taken in order, a piece that does not fit what came before is
 * decoded again, and what decoding learned from the system is asked anew (tasks/learned.h).
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/tasks/learned.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/session.h"
#include "unit/perf-plugin/checked_locks.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define FRAGMENTS 6
#define HEADER_ARCH 6	/* feature section of perf.data: the recorded machine's architecture */
#define CONTEXT_ID 25	/* offset of the context ID in what sb_trace() makes */

TEMP_DIR("jobs")
static pthread_t caller;

/* how many threads still start; how many were asked for */
static unsigned int startable = UINT32_MAX, asked;

/* With `late`: the thread that is started first begins when that is false again. */
static _Atomic bool late;
static struct {
	void *(*run)(void *arg);
	void *arg;
} first_thread;

static void *run_late(void *unused)
{
	unsigned int i;

	(void)unused;
	for (i = 0; late && i < 10000; i++)
		usleep(1000);
	return first_thread.run(first_thread.arg);
}

int __real_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	asked++;
	if (!startable)
		return EAGAIN;
	startable--;
	if (!late || asked > 1)
		return __real_thread_start(t, run, arg);
	first_thread.run = run;
	first_thread.arg = arg;
	return __real_thread_start(t, run_late, NULL);
}

static int make_files(void **state)
{
	caller = pthread_self();
	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	return 0;
}

/* Shared fields are used under their lock; without progress on the terminal no thread wakes up at intervals. */
static int end_test(void **state)
{
	(void)state;
	if (locks_wrong)
		print_error("%u calls for a lock failed\n", locks_wrong);
	if (locks_timed_waits)
		print_error("%u waits with a time limit\n", locks_timed_waits);
	return locks_wrong || locks_timed_waits ? -1 : 0;
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
		p->times[p->nr_times++] = s->aux_time;
	p->elsewhere |= !pthread_equal(pthread_self(), caller);
	for (i = 0; i < n; i++)
		p->ranges += g[i].kind == CST_GEN_RANGE;
	return p->t && p->elsewhere && s->aux_time == p->t->unfit ? SESSION_UNFIT : 0;
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
	if (t->pieces == FRAGMENTS)
		late = false;
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
	struct consumer con = { .data = t, .batch = on_batch,
				.shards = &(const struct shard_ops){ .make = shard_make, .fits = shard_fits,
				.resume = shard_resume, .take = shard_take, .free = free,
				.by_fragment = by_fragment, .max_size = t->max_piece,
				.max_ahead = t->max_pieces } };
	unsigned int i;

	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(t->nr_times, FRAGMENTS);
	for (i = 0; i < FRAGMENTS; i++)
		assert_int_equal(t->times[i], 1000 * (i + 1));
	assert_int_equal(t->ranges, FRAGMENTS * SB_ATOMS);
	assert_int_equal(session_totals(ss)->dec.insns, 2 * FRAGMENTS * SB_ATOMS);
	assert_false(session_has_losses(ss));
}

static void several_threads(void **state)
{
	struct taken t = { .refuse = UINT32_MAX };
	struct session *ss = open_recording(3);

	(void)state;
	run(ss, &t, true);
	assert_true(t.pieces > 2);
	assert_int_equal(t.elsewhere, t.pieces);
	assert_int_equal(t.continued, 0);
	session_close(ss);
}

/* The files that threads have read are the session's. */
static void files_are_known(void **state)
{
	struct taken t = { .refuse = UINT32_MAX };
	struct session *ss = open_recording(2);
	size_t pos = 0;
	struct dso *d;

	(void)state;
	run(ss, &t, true);
	d = session_next_used(ss, &pos);
	assert_non_null(d);
	assert_string_equal(dso_path(d), "/two.bin");
	assert_non_null(dso_file(d));
	assert_null(session_next_used(ss, &pos));
	session_close(ss);
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

static void refused_piece(void **state)
{
	struct taken t = { .refuse = 1 };
	struct session *ss = open_recording(2);

	(void)state;
	run(ss, &t, true);
	assert_int_equal(t.refused, 1);
	assert_true(t.continued >= 1);
	session_close(ss);
}

/* The thread of a refused piece begins anew: only the next piece, which it had begun before, is decoded again, too. */
static void after_refused_piece(void **state)
{
	struct taken t = { .refuse = 1, .max_piece = 1, .max_pieces = 1 };
	struct session *ss = open_recording(2);

	(void)state;
	startable = 1;
	run(ss, &t, true);
	startable = UINT32_MAX;
	assert_int_equal(t.pieces, FRAGMENTS);
	assert_int_equal(t.refused, 1);
	assert_int_equal(t.continued, 2);
	assert_int_equal(t.elsewhere, FRAGMENTS - 2);
	session_close(ss);
}

/* The same where the second of two threads has decoded all pieces: it is the one that begins anew. */
static void refused_by_the_second(void **state)
{
	struct taken t = { .refuse = 1, .max_piece = 1, .max_pieces = 1 };
	struct session *ss = open_recording(2);

	(void)state;
	asked = 0;
	late = true;
	run(ss, &t, true);
	assert_false(late);
	assert_int_equal(t.pieces, FRAGMENTS);
	assert_int_equal(t.refused, 1);
	assert_int_equal(t.continued, 2);
	session_close(ss);
}

/* After a thread's ID, context ID 0 is that of the idle task, also for a piece that the caller decodes. */
static void refused_idle_piece(void **state)
{
	struct taken t = { .refuse = 1 };
	const struct consumer con = { .data = &t, .batch = on_batch,
				.shards = &(const struct shard_ops){ .make = shard_make, .fits = shard_fits,
				.take = shard_take, .free = free, .by_fragment = true, .max_size = 1,
				.max_ahead = 1 } };
	struct session *ss = open_stream(2, true);

	(void)state;
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(t.refused, 1);
	assert_int_equal(t.ranges, SB_ATOMS);
	session_close(ss);
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

/* Pieces of at most a number of bytes, and no more at a time than the consumer allows. */
static void limited_pieces(void **state)
{
	unsigned int most, jobs;

	(void)state;
	for (jobs = 2; jobs <= 4; jobs++)
		for (most = 1; most <= 3; most++) {
			struct taken t = { .refuse = UINT32_MAX, .max_piece = 1, .max_pieces = most };
			struct session *ss = open_recording(jobs);

			run(ss, &t, true);
			assert_int_equal(t.pieces, FRAGMENTS);
			assert_int_equal(t.elsewhere, FRAGMENTS);
			assert_in_range(t.most, 1, most);
			session_close(ss);
		}
}

static int take_none(void *data, void *piece)
{
	(void)data;
	(void)piece;
	return 5;
}

/* A consumer that refuses a result ends the run. */
static void refused_result(void **state)
{
	struct taken t = { .refuse = UINT32_MAX };
	struct consumer con = { .data = &t, .batch = on_batch,
				.shards = &(const struct shard_ops){ .make = shard_make, .take = take_none,
				.free = free, .by_fragment = true, .max_size = 1, .max_ahead = 1 } };
	struct session *ss = open_recording(3);

	(void)state;
	assert_int_equal(session_run(ss, &con), 5);
	assert_in_range(t.begun, 1, 2);
	session_close(ss);
}

/* A buffer that is not to be divided is one piece, and one piece is not worth threads. */
static void whole_buffer(void **state)
{
	struct taken t = { .refuse = UINT32_MAX };
	struct piece p = { .ranges = 0 };
	struct consumer con = { .data = &p, .batch = on_batch,
				.shards = &(const struct shard_ops){ .make = shard_make, .take = shard_take,
				.free = free } };
	struct session *ss = open_recording(8);

	(void)state;
	(void)t;
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(p.ranges, FRAGMENTS * SB_ATOMS);
	assert_false(p.elsewhere);
	session_close(ss);
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

static void await_waits(unsigned int waits)
{
	unsigned int i;

	for (i = 0; locks_waits < waits && i < 10000; i++)
		usleep(1000);
}

/* The first piece ends when the caller and the other two threads wait. */
static int unfit_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	if (pthread_equal(pthread_self(), caller))
		return sum_batch(data, s, g, n);
	await_waits(3);
	return SESSION_UNFIT;
}

/* The caller, which has waited for it, goes on when all three threads wait again. */
static void until_all_wait(void)
{
	if (locks_waits >= 3 && pthread_equal(pthread_self(), caller))
		await_waits(6);
}

/* A sum with a result that is not valid: the threads end, which wait until the caller has taken it, and one decodes everything. */
static void unfit_sum(void **state)
{
	struct sum sum = { 0 };
	const struct consumer con = { .data = &sum, .batch = unfit_batch,
				.shards = &(const struct shard_ops){ .make = sum_new, .take = sum_take,
				.free = sum_free, .by_fragment = true, .sums = true, .max_size = 1,
				.max_ahead = 1 } };
	struct session *ss = open_recording(3);

	(void)state;
	locks_waits = 0;
	locks_before = until_all_wait;
	assert_int_equal(session_run(ss, &con), 0);
	locks_before = NULL;
	assert_int_equal(sum.ranges, FRAGMENTS * SB_ATOMS);
	assert_int_equal(sum.taken, 0);
	assert_int_equal(sums, 0);
	session_close(ss);
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

static void same_answers(void **state)
{
	struct learn_log log, first_log;
	struct learned now = begin(&first_log), in = begin(&log), out = in;

	(void)state;
	/* piece 0 proves Non-secure; piece 1 saw the same without knowing */
	assert_true(own_world_security(&now.own, CST_SEC_NONSECURE, true));
	assert_true(own_world_security(&out.own, CST_SEC_NONSECURE, false));
	assert_true(own_world_vmid(&out.own, 7, false));
	assert_int_equal(log.nr, 2);
	assert_true(learned_holds(&now, &in, &out, &log));
	assert_true(now.own.security_proved);
	assert_true(now.own.vmid_known);
	assert_int_equal(now.own.vmid, 7);
}

static void other_answers(void **state)
{
	struct learn_log log, first_log;
	struct learned now = begin(&first_log), in = begin(&log), out = in, was;

	(void)state;
	assert_true(own_world_vmid(&now.own, 3, true));
	was = now;
	/* the piece took machine 4 for its own system */
	assert_true(own_world_vmid(&out.own, 4, false));
	assert_false(learned_holds(&now, &in, &out, &log));
	assert_int_equal(now.own.vmid, was.own.vmid);
	/* begun with what is so, it holds */
	in = now;
	out = now;
	out.own.log = &log;
	assert_false(own_world_vmid(&out.own, 4, false));
	assert_true(learned_holds(&now, &in, &out, &log));
}

static void idle_task(void **state)
{
	const struct contextid_evidence thread = { .tid = true, .running = -1 }, none = { .running = -1 };
	struct learn_log log, first_log;
	struct learned now = begin(&first_log), in = begin(&log), out = in;

	(void)state;
	/* A zero is no thread for who has seen none, and the idle task for who has. */
	assert_int_equal(contextid_choose(&now.contextid, 100, 32, &thread), CONTEXTID_TID);
	assert_int_equal(contextid_choose(&out.contextid, 0, 32, &none), CONTEXTID_NONE);
	assert_false(learned_holds(&now, &in, &out, &log));
	out = begin(&log);
	assert_int_equal(contextid_choose(&out.contextid, 101, 32, &thread), CONTEXTID_TID);
	assert_int_equal(contextid_choose(&out.contextid, 0, 32, &none), CONTEXTID_TID);
	assert_true(learned_holds(&now, &in, &out, &log));
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

/* Room for the last entry is used; one more is left out, and the log says so. */
static void log_up_to_its_end(void **state)
{
	struct learn_log log;
	struct learned l = begin(&log);
	unsigned int i;

	(void)state;
	for (i = 0; i < LEARN_ENTRIES; i++)
		own_world_vmid(&l.own, 1 + (i & 1), false);
	assert_int_equal(log.nr, LEARN_ENTRIES);
	assert_false(log.full);
	assert_int_equal(log.v[LEARN_ENTRIES - 1].value, 2);
	own_world_vmid(&l.own, 2, false);	/* as the last one */
	assert_false(log.full);
	own_world_vmid(&l.own, 1, false);
	assert_true(log.full);
	assert_int_equal(log.nr, LEARN_ENTRIES);
}

/* Only an entry that is equal in all of its fields repeats the last one of its kind. */
static void entries_that_differ(void **state)
{
	const struct learn_entry first = { .kind = LEARN_CONTEXTID, .bits = 32, .answer = CONTEXTID_TID, .value = 9,
					   .ev = { .running = -1 } };
	struct learn_entry e[9];
	struct learn_log log;
	size_t i;

	(void)state;
	for (i = 0; i < 9; i++)
		e[i] = first;
	e[0].bits = 16;
	e[1].proof = true;
	e[2].answer = CONTEXTID_ASID;
	e[3].value = 10;
	e[4].ev.tid = true;
	e[5].ev.tid_shifted = true;
	e[6].ev.asid = true;
	e[7].ev.running = 9;
	e[8].kind = LEARN_VMID;
	for (i = 0; i < 9; i++) {
		memset(&log, 0, sizeof(log));
		learn_note(&log, &first);
		learn_note(&log, &first);
		assert_int_equal(log.nr, 1);
		learn_note(&log, &e[i]);
		if (log.nr != 2)
			fail_msg("entry %zu", i);
		learn_note(&log, &e[i]);
		assert_int_equal(log.nr, 2);
		/* of another kind, the first is still the last of its own */
		learn_note(&log, &first);
		assert_int_equal(log.nr, i == 8 ? 2 : 3);
	}
	learn_note(NULL, &first);
}

/* With a log that is not complete, a part holds only for the state that it began with, in all of its fields. */
static void states_that_differ(void **state)
{
	struct learn_log log;
	struct learned in = begin(&log), out, now;
	unsigned int i;

	(void)state;
	log.full = true;
	out = in;
	out.own.vmid = 77;
	for (i = 0; i < 8; i++) {
		now = in;
		if (i == 0)
			now.own.security_known = true;
		else if (i == 1)
			now.own.security_proved = true;
		else if (i == 2)
			now.own.security = 1;
		else if (i == 3)
			now.own.vmid_known = true;
		else if (i == 4)
			now.own.vmid_proved = true;
		else if (i == 5)
			now.own.vmid = 1;
		else if (i == 6)
			now.contextid.decided = CONTEXTID_TID;
		else
			now.contextid.seen[CONTEXTID_NONE] = true;
		if (learned_holds(&now, &in, &out, &log))
			fail_msg("field %u", i);
		assert_int_not_equal(now.own.vmid, 77);
	}
	now = in;
	log.ordered = true;
	assert_false(learned_holds(&now, &in, &out, &log));
	log.ordered = false;
	assert_true(learned_holds(&now, &in, &out, &log));
	assert_int_equal(now.own.vmid, 77);
}

/* The formats that a part has seen are added to those of the parts before it, and its questions are asked no log. */
static void formats_that_were_seen(void **state)
{
	const struct contextid_evidence none = { .running = -1 };
	struct learn_log log, first_log;
	struct learned now = begin(&first_log), in = begin(&log), out = in;

	(void)state;
	assert_true(own_world_vmid(&now.own, 7, true));		/* so it is not the state of the begin */
	now.contextid.seen[CONTEXTID_ASID] = true;
	first_log.nr = 0;
	assert_int_equal(contextid_choose(&out.contextid, 0, 32, &none), CONTEXTID_NONE);
	out.contextid.seen[CONTEXTID_TID_ASID] = true;
	log.nr = 0;	/* as after a decision */
	assert_true(learned_holds(&now, &in, &out, &log));
	assert_true(now.contextid.seen[CONTEXTID_NONE]);
	assert_true(now.contextid.seen[CONTEXTID_TID_ASID]);
	assert_true(now.contextid.seen[CONTEXTID_ASID]);
	assert_false(now.contextid.seen[CONTEXTID_TID]);
	assert_int_equal(first_log.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(several_threads, end_test),
		cmocka_unit_test_teardown(files_are_known, end_test),
		cmocka_unit_test_teardown(threads_that_do_not_start, end_test),
		cmocka_unit_test_teardown(losses_of_refused_piece, end_test),
		cmocka_unit_test_teardown(refused_piece, end_test),
		cmocka_unit_test_teardown(after_refused_piece, end_test),
		cmocka_unit_test_teardown(refused_by_the_second, end_test),
		cmocka_unit_test_teardown(refused_idle_piece, end_test),
		cmocka_unit_test_teardown(unfit_piece, end_test),
		cmocka_unit_test_teardown(limited_pieces, end_test),
		cmocka_unit_test_teardown(refused_result, end_test),
		cmocka_unit_test_teardown(whole_buffer, end_test),
		cmocka_unit_test_teardown(sums_of_threads, end_test), cmocka_unit_test_teardown(sums_that_end, end_test),
		cmocka_unit_test_teardown(sums_made_again, end_test),
		cmocka_unit_test_teardown(unfit_sum, end_test),
		cmocka_unit_test_teardown(same_answers, end_test),
		cmocka_unit_test_teardown(other_answers, end_test),
		cmocka_unit_test_teardown(idle_task, end_test),
		cmocka_unit_test_teardown(decided_in_the_part, end_test),
		cmocka_unit_test_teardown(log_that_is_full, end_test),
		cmocka_unit_test_teardown(log_up_to_its_end, end_test),
		cmocka_unit_test_teardown(entries_that_differ, end_test),
		cmocka_unit_test_teardown(states_that_differ, end_test),
		cmocka_unit_test_teardown(formats_that_were_seen, end_test),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
