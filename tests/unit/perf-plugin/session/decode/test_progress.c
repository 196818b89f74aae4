/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far decoding is, on a terminal of stderr: after a second, at most five times a second, and gone at the end. The
 * clock is that of the test: each batch takes some milliseconds of it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/decode/decode.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define FRAGMENTS 250u
#define BATCHES (4 * FRAGMENTS)	/* of these stretches */
#define ERASED "\r                              \r"

TEMP_DIR("progress")
static pthread_t caller;
static _Atomic unsigned int ms, reads;	/* the time; how often the caller asked for it */
static unsigned int waits, odd_waits;	/* of the caller; those that do not end after 200 ms */

/* Two times of day, in turn: 200 ms after the first it is a second, and after the second one ns less than that. */
static struct timespec of_day(unsigned int turn)
{
	return (struct timespec){ 5000, turn & 1 ? 799999999 : 800000000 };
}

int __real_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	struct timespec soon;

	odd_waits += until->tv_sec != (waits & 1 ? 5000 : 5001) || until->tv_nsec != (waits & 1 ? 999999999 : 0);
	waits++;
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &soon);
	soon.tv_nsec += 2000000;
	soon.tv_sec += soon.tv_nsec / 1000000000;
	soon.tv_nsec %= 1000000000;
	return __real_pthread_cond_timedwait(c, m, &soon);
}

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (clock == CLOCK_REALTIME && pthread_equal(pthread_self(), caller)) {
		*ts = of_day(waits);
		return 0;
	}
	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ts);
	ts->tv_sec = 1000 + ms / 1000;
	ts->tv_nsec = ms % 1000 * 1000000L;
	if (pthread_equal(pthread_self(), caller))
		reads++;
	return 0;
}

static int make_files(void **state)
{
	caller = pthread_self();
	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	return 0;
}

struct clocked {
	unsigned int step;	/* ms that a batch takes */
	_Atomic unsigned int batches;
	unsigned int await;	/* the first batch of a thread from here on ends when the caller has looked at the clock; 0: none */
	_Atomic bool waited;
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct clocked *c = data;
	unsigned int before, i;

	(void)s;
	(void)g;
	(void)n;
	ms += c->step;
	if (++c->batches < c->await || !c->await || pthread_equal(pthread_self(), caller) || atomic_exchange(&c->waited, true))
		return 0;
	for (before = reads, i = 0; before == reads && i < 5000; i++)
		usleep(1000);
	return 0;
}

static const struct consumer plain = { .batch = on_batch,
			.shards = &(const struct shard_ops){ .by_fragment = true, .stateless = true } };

/* What decoding FRAGMENTS stretches some times prints on a terminal. */
static const char *shown(const struct consumer *how, struct clocked *c, unsigned int jobs, bool progress, unsigned int times)
{
	const struct session_opts so = { .symfs = dir, .jobs = jobs, .jobs_asked = true, .progress = progress };
	struct consumer con = *how;
	struct pdb trace = { .p = NULL }, data = { .p = NULL };
	int terminal, theirs, kept;
	static char text[4096];
	struct session *ss;
	unsigned int i, runs;
	ssize_t got;
	size_t len;

	con.data = c;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	for (i = 0; i < FRAGMENTS; i++) {
		sb_aux(&data, i * 0x100, trace.len, 0x100, 1000 * (i + 1));
		pdb_auxtrace(&data, i * 0x100, trace.p, trace.len, 2, (uint32_t)-1);
	}
	pdb_free(&trace);
	ss = sb_open(&data, &so, NULL);
	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	theirs = open(ptsname(terminal), O_WRONLY | O_NOCTTY);
	kept = dup(STDERR_FILENO);
	assert_true(theirs >= 0 && kept >= 0);
	for (runs = 0; runs < times; runs++) {
		fflush(stderr);
		dup2(theirs, STDERR_FILENO);
		i = session_run(ss, &con);
		fflush(stderr);
		dup2(kept, STDERR_FILENO);
		assert_int_equal(i, 0);
	}
	for (len = 0; (got = read(terminal, text + len, sizeof(text) - 1 - len)) > 0; len += (size_t)got)
		;
	text[len] = 0;
	close(theirs);
	close(kept);
	close(terminal);
	session_close(ss);
	return text;
}

/* Skips the case on a machine without terminals to open, as one without /dev/pts. */
static void need_terminal(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), theirs = -1;

	(void)state;
	if (terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal))
		theirs = open(ptsname(terminal), O_WRONLY | O_NOCTTY);
	if (theirs >= 0)
		close(theirs);
	if (terminal >= 0)
		close(terminal);
	if (theirs >= 0)
		return;
	print_message("no terminal can be opened: is /dev/pts there?\n");
	skip();
}

/* Every 64th batch looks at the clock. */
static void at_intervals(void **state)
{
	static const struct {
		unsigned int step;	/* ms */
		const char *want;
	} cases[] = {
		{ 1, "" },	/* 960 ms at the last look */
		{ 2, "\rcstrace: decoding  51%\rcstrace: decoding  64%\rcstrace: decoding  77%\rcstrace: decoding  90%" ERASED },
		{ 8, "\rcstrace: decoding  13%\rcstrace: decoding  19%\rcstrace: decoding  26%\rcstrace: decoding  32%"
		     "\rcstrace: decoding  38%\rcstrace: decoding  45%\rcstrace: decoding  51%\rcstrace: decoding  58%"
		     "\rcstrace: decoding  64%\rcstrace: decoding  70%\rcstrace: decoding  77%\rcstrace: decoding  83%"
		     "\rcstrace: decoding  90%\rcstrace: decoding  96%" ERASED },
	};
	size_t i;

	need_terminal(state);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct clocked c = { .step = cases[i].step };

		char twice[2048];

		assert_string_equal(shown(&plain, &c, 1, true, 1), cases[i].want);
		assert_int_equal(c.batches, BATCHES);
		assert_string_equal(shown(&plain, &c, 1, false, 1), "");
		/* decoding again begins at 0 */
		snprintf(twice, sizeof(twice), "%s%s", cases[i].want, cases[i].want);
		assert_string_equal(shown(&plain, &c, 1, true, 2), twice);
	}
}

/* Returns the last percentage; each is above the one before. */
static long last_of(const char *text)
{
	char *end;
	long n, last = 0;

	while (!strncmp(text, "\rcstrace: decoding", 18)) {
		n = strtol(text + 18, &end, 10);
		assert_in_range(n, last, 100);
		last = n;
		assert_int_equal(*end, '%');
		text = end + 1;
	}
	assert_string_equal(text, ERASED);
	return last;
}

/*
 * While other threads decode, the one that waits for them shows the sum five times a second: the two have counted up to
 * their last 64th batch.
 */
static void of_threads(void **state)
{
	struct clocked c = { .step = 2, .await = BATCHES * 3 / 4 };

	need_terminal(state);
	waits = odd_waits = 0;
	assert_in_range(last_of(shown(&plain, &c, 2, true, 1)), 75 - 13, 100);
	assert_int_equal(c.batches, BATCHES);
	assert_true(waits > 1);
	assert_int_equal(odd_waits, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_intervals),
		cmocka_unit_test(of_threads),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
