/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs that cannot be opened or read to their end. */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "unit/perf-plugin/perfdata_build.h"

#define ST	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static const struct pdb_attr attr = {
	.type = 8, .size = 128, .sample_type = ST, .sample_id_all = true, .ids = { 100 }, .nr_ids = 1,
};
static const struct pdb_sid sid = { .pid = 5, .tid = 6, .time = 111, .id = 100, .cpu = 3 };

static int own_stdin;

static int setup(void **state)
{
	(void)state;
	own_stdin = dup(STDIN_FILENO);
	assert_true(own_stdin >= 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(dup2(own_stdin, STDIN_FILENO), STDIN_FILENO);
	return close(own_stdin);
}

/* Standard input becomes @fd, which is closed. */
static void take_stdin(int fd)
{
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
}

static void begin(struct pdb *b)
{
	pdb_pipe_header(b);
	pdb_attr_record(b, &attr);
	pdb_comm(b, 5, 6, "worker", ST, &sid);
}

static void expect_begin(struct perfdata *pd)
{
	struct pd_record r;

	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(r.ev->header.type, PERF_RECORD_HEADER_ATTR);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_string_equal(r.ev->comm.comm, "worker");
}

/* The next result is an error of reading at @at. */
static void expect_stop(struct perfdata *pd, uint64_t at, const char *why)
{
	struct pd_record r;
	char text[160];

	snprintf(text, sizeof(text), "standard input: reading stopped at %#llx: %s; everything before was used",
		 (unsigned long long)at, why);
	assert_int_equal(perfdata_next(pd, &r), ERR_IO);
	assert_string_equal(perfdata_error(pd)->msg, text);
	assert_int_equal(perfdata_next(pd, &r), 0);
}

static void test_not_open(void **state)
{
	struct error err;
	int fd = dup(STDIN_FILENO);

	(void)state;
	close(fd);
	assert_null(perfdata_open_fd(fd, "it", &err));
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.msg, "it: cannot open it: Bad file descriptor");
	fd = open("/", O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	take_stdin(fd);
	assert_null(perfdata_open("-", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, "standard input: is a directory, expected a file");
}

/* No more files can be opened: a directory is not listed, and a pipe not copied. */
static void test_no_files(void **state)
{
	struct rlimit old, few;
	struct error err[2];
	struct perfdata *pd[2];
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	take_stdin(fd[0]);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	pd[0] = perfdata_open("/", &err[0]);
	pd[1] = perfdata_open("-", &err[1]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	close(fd[1]);
	assert_null(pd[0]);
	assert_int_equal(err[0].code, ERR_IO);
	assert_string_equal(err[0].msg, "/: cannot list it: Too many open files");
	assert_null(pd[1]);
	assert_int_equal(err[1].code, ERR_IO);
	assert_string_equal(err[1].msg, "standard input: cannot create a temporary file for the piped data: Too many open files; "
			    "set TMPDIR to a writable directory");
}

/* Standard input is a socket whose other end goes away after @b. */
static void reset_after(const struct pdb *b)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(write(fd[1], b->p, b->len), b->len);
	/* what the other end has not read resets the connection */
	assert_int_equal(write(fd[0], "x", 1), 1);
	close(fd[1]);
	take_stdin(fd[0]);
}

/* Opens a socket that is reset behind @b, and reads what it begins with. */
static struct perfdata *open_reset(const struct pdb *b)
{
	struct perfdata *pd;
	struct error err;

	reset_after(b);
	pd = perfdata_open("-", &err);
	assert_non_null(pd);
	expect_begin(pd);
	return pd;
}

/* What was read before an error is used, and the error is reported: between records, in one, and in AUX data. */
static void test_read_error(void **state)
{
	struct pdb b = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	size_t at;

	(void)state;
	begin(&b);
	pd = open_reset(&b);
	expect_stop(pd, b.len, "Connection reset by peer");
	perfdata_close(pd);

	pdb_comm(&b, 5, 6, "worker", ST, &sid);
	b.len -= 8;
	pd = open_reset(&b);
	expect_stop(pd, b.len, "Connection reset by peer");
	perfdata_close(pd);
	b.len = 0;

	begin(&b);
	at = b.len;
	pdb_auxtrace(&b, 0, "0123456789abcdef", 16, 3, 6);
	b.len -= 4;
	pd = open_reset(&b);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(r.offset, at);
	assert_int_equal(r.aux.size, 16);
	assert_int_equal(r.aux.avail, 12);
	expect_stop(pd, b.len, "Connection reset by peer");
	perfdata_close(pd);

	/* an end that is no error */
	pd = perfdata_open_memory(b.p, b.len, "mem", &err);
	assert_non_null(pd);
	expect_begin(pd);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(perfdata_next(pd, &r), ERR_CUT);
	perfdata_close(pd);

	b.len = 15;
	reset_after(&b);
	assert_null(perfdata_open("-", &err));
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.msg, "standard input: cannot read it: Connection reset by peer");
	pdb_free(&b);
}

static struct pdb late;
static int late_fd, ticks;

/* The fourth signal brings the data. */
static void on_alarm(int sig)
{
	(void)sig;
	if (++ticks != 4)
		return;
	if (write(late_fd, late.p, late.len) == (ssize_t)late.len)
		close(late_fd);
}

/* A signal while nothing is there to be read is no error. */
static void test_interrupted(void **state)
{
	const struct itimerval each = { { 0, 10000 }, { 0, 10000 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = on_alarm }, old;
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	int fd[2];

	(void)state;
	begin(&late);
	assert_int_equal(pipe(fd), 0);
	take_stdin(fd[0]);
	late_fd = fd[1];
	ticks = 0;
	assert_int_equal(sigaction(SIGALRM, &act, &old), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &each, NULL), 0);
	pd = perfdata_open("-", &err);
	assert_int_equal(setitimer(ITIMER_REAL, &off, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &old, NULL), 0);
	assert_true(ticks >= 4);
	assert_non_null(pd);
	expect_begin(pd);
	assert_int_equal(perfdata_next(pd, &r), 0);
	perfdata_close(pd);
	pdb_free(&late);
}

static struct rlimit old_space;

/* @more bytes of address space than there are now. */
static void limit_space(size_t more)
{
	struct rlimit few;
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_AS, &old_space), 0);
	few = old_space;
	few.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
}

/* With little address space the copy of a pipe is mapped as far as there is room, and read no further. */
static void test_little_space(void **state)
{
	const size_t aux = 48 << 20;
	struct pdb b = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	int fd[2], status;
	uint8_t *zeros;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	take_stdin(fd[0]);
	limit_space(12 << 20);
	pd = perfdata_open("-", &err);
	assert_int_equal(setrlimit(RLIMIT_AS, &old_space), 0);
	close(fd[1]);
	assert_null(pd);
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err.msg, "standard input: cannot map the temporary file of the piped data: Cannot allocate memory");

	begin(&b);
	zeros = calloc(1, aux);
	assert_non_null(zeros);
	pdb_auxtrace(&b, 0, zeros, aux, 3, 6);
	free(zeros);
	assert_int_equal(pipe(fd), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		size_t at = 0;
		ssize_t n;

		close(fd[0]);
		signal(SIGPIPE, SIG_IGN);
		while (at < b.len && (n = write(fd[1], b.p + at, b.len - at)) > 0)
			at += (size_t)n;
		_exit(at < b.len ? 7 : 8);
	}
	take_stdin(fd[0]);
	close(fd[1]);
	limit_space(50 << 20);
	pd = perfdata_open("-", &err);
	if (pd) {
		expect_begin(pd);
		assert_int_equal(perfdata_next(pd, &r), 1);
	}
	assert_int_equal(setrlimit(RLIMIT_AS, &old_space), 0);
	assert_non_null(pd);
	assert_int_equal(r.aux.size, aux);
	/* half of the room that was there is the largest power of two in it */
	assert_in_range(r.offset + 48 + r.aux.avail, (32 << 20) - (1 << 20) + 1, 32 << 20);
	expect_stop(pd, r.offset + 48 + r.aux.avail, "File too large");
	perfdata_close(pd);
	close(STDIN_FILENO);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	pdb_free(&b);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_not_open), TEST(test_no_files), TEST(test_read_error),
		TEST(test_interrupted), TEST(test_little_space),
	};

	return cmocka_run_group_tests_name("perfdata source", tests, NULL, NULL);
}
