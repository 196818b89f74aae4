/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * piped.c - profile -i -. The pipe is read into pieces; a piece is counted in a process of its own
 * while the next one is read, and its counts are added to the sum. So two pieces at the most are on
 * disk. A writer that is faster than the counting has to wait: perf record loses trace then, and
 * records that it did.
 */
#include "outputs/cmd/piped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "base/format.h"
#include "base/messages.h"
#include "counting/countfiles/merge.h"
#include "outputs/cmd/count.h"
#include "outputs/cmd/once.h"
#include "outputs/cmd/options.h"
#include "perfdata/reader.h"
#include "session/losses/report.h"
#include "session/pieces/pieces.h"

#define WHO "cstrace profile"
#define NAME "standard input"

/* The room is for a piece that is counted, one that comes, and trace that waits for its records. */
#define PARTS_OF_ROOM 4u
#define COPY_STEP ((size_t)1 << 20)

struct piping {
	const struct piped *p;
	struct pieces *pieces;
	struct once said;
	int woken[2];
	int sum;	/* the counts so far; -1: none */
	bool unwritten;	/* the sum has more than the output */
	bool empty;	/* it has no binaries */
	struct timespec written;
	int carried;	/* what pieces have found out about the recording; -1: nothing */
	/* the piece that is counted; pid 0: none is */
	struct counting {
		pid_t pid;
		struct piece piece;
		int counts, sum, said, carried;
	} now;
	uint64_t failed;	/* pieces that could not be counted */
};

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupts, asked;
static int wake_fd = -1;

/*
 * The writer of the pipe gets a terminal's SIGINT, too, and ends by itself with what it still has:
 * the first one only says so. The second one, SIGTERM and SIGHUP end the recording here.
 */
static void on_signal(int sig)
{
	const int error = errno;

	if (sig == SIGUSR1)
		asked = 1;
	else if ((sig != SIGINT || interrupts++) && write(wake_fd, "", 1) < 0)
		errno = 0;	/* a full pipe wakes as well */
	errno = error;
}

static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };

#define NR_TAKEN (sizeof(taken) / sizeof(taken[0]))

static struct sigaction before[NR_TAKEN];

static void take_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	size_t i;

	sigemptyset(&sa.sa_mask);
	/* one that the caller ignores (nohup) stays ignored */
	for (i = 0; i < NR_TAKEN; i++)
		if (!sigaction(taken[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
			sigaction(taken[i], &sa, NULL);
}

static void give_signals(void)
{
	size_t i;

	for (i = 0; i < NR_TAKEN; i++)
		sigaction(taken[i], &before[i], NULL);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static int fail_system(const char *what)
{
	fprintf(stderr, WHO ": " NAME ": cannot %s: %s\n", what, strerror(errno));
	return CMD_ERROR;
}

static char *fd_path(int fd)
{
	return format_text("/proc/self/fd/%d", fd);
}

static void list_fd(struct merge_list *list, int fd)
{
	char *path = fd_path(fd);

	merge_list_add(list, path, strlen(path), 1);
	free(path);
}

/* The sum and the counts of a piece, in a temporary file. Returns its descriptor, or -1. */
static int sum_with(const struct piping *x, int counts, bool *empty)
{
	struct merge_list list = { .nr = 0 };
	struct error err = { .code = 0 };
	struct merge_sums sums;
	int fd;

	if (x->sum >= 0)
		list_fd(&list, x->sum);
	list_fd(&list, counts);
	fd = merge_temp(&list, &sums, &err);
	merge_list_free(&list);
	*empty = !sums.binaries;
	merge_sums_free(&sums);
	if (fd < 0)
		fprintf(stderr, WHO ": " NAME ": %s\n", err.msg);
	return fd < 0 ? -1 : fd;
}

/* ---- in the process of a piece --------------------------------------------------------------- */

/* Counts a piece. `out` gets the messages. */
static int count_piece(struct piping *x, const struct piece *piece, FILE *out)
{
	const struct piped *p = x->p;
	struct session_opts so = *p->so;
	struct count_piece how = { .calls = p->calls, .depth = p->depth, .first = x->sum < 0 };
	struct error err = { .code = 0 };
	struct perfdata *pd = perfdata_open_fd(piece->fd, NAME, &err);
	struct session_carried *carried;
	struct session *ss;
	int rc;

	if (!pd) {
		fprintf(out, WHO ": %s\n", err.msg);
		return CMD_ERROR;
	}
	so.progress = false;
	carried = x->carried < 0 ? NULL : session_carried_read(x->carried);
	ss = session_open_piece(&so, pd, &piece->faults, carried);
	session_carried_free(carried);
	if (!ss)
		return CMD_ERROR;
	rc = count_piece_of(ss, &how, x->now.counts, out);
	if (!rc)
		rc = session_carry(ss, x->now.carried) ? CMD_ERROR : 0;
	session_close(ss);
	return rc;
}

static int copy_file(int from, int to)
{
	uint8_t *buf = mem_new(COPY_STEP);
	ssize_t n = 0;
	int rc = 0;

	while (!rc && (n = read(from, buf, COPY_STEP)) > 0)
		rc = output_write_all(to, buf, (size_t)n);
	free(buf);
	return rc || n < 0 ? CMD_ERROR : 0;
}

/* Adds the counts to the sum, too: so the pipe is read meanwhile, however large that is. */
static int add_piece(struct piping *x)
{
	bool empty;
	int fd = sum_with(x, x->now.counts, &empty),
	    rc = fd < 0 ? CMD_ERROR : copy_file(fd, x->now.sum);

	if (fd >= 0)
		close(fd);
	return rc ? rc : empty ? CMD_NOTHING : 0;
}

/* All messages go to a file; those that were recorded come first. */
static void write_messages(int fd, struct messages *m, const char *text, size_t size)
{
	FILE *f = fdopen(fd, "w");
	size_t i;

	messages_record(NULL);
	for (i = 0; f && i < m->nr; i++)
		fputs(m->v[i].text, f);
	if (f)
		fwrite(text, 1, size, f);
	if (f)
		fflush(f);
	messages_free(m);
}

_Noreturn static void run_piece(struct piping *x, const struct piece *piece)
{
	struct messages m = { .nr = 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc;

	/* the names of temporary files are the parent's, and a terminal's SIGINT is for that */
	guard_leave();
	give_signals();
	signal(SIGINT, SIG_IGN);
	out = open_memstream(&text, &size);
	if (!out)
		mem_refused(0);
	messages_record(&m);
	rc = count_piece(x, piece, out);
	if (!rc)
		rc = add_piece(x);
	fclose(out);
	write_messages(x->now.said, &m, text, size);
	fflush(NULL);
	_exit(rc);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static const struct counting no_piece = {
	.piece.fd = -1, .counts = -1, .sum = -1, .said = -1, .carried = -1
};

static void close_all(struct counting *c)
{
	const int fds[] = { c->piece.fd, c->counts, c->sum, c->said, c->carried };
	size_t i;

	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*c = no_piece;
}

/* Starts to count a piece, which is closed with it. */
static int start(struct piping *x, const struct piece *piece)
{
	struct counting *c = &x->now;

	c->piece = *piece;
	c->counts = guard_temp(NULL);
	c->sum = guard_temp(NULL);
	c->said = guard_temp(NULL);
	c->carried = guard_temp(NULL);
	if (c->counts < 0 || c->sum < 0 || c->said < 0 || c->carried < 0)
		return fail_system("create a temporary file for the counts of a piece; set TMPDIR "
				   "to a writable directory");
	fflush(NULL);
	c->pid = fork();
	if (!c->pid)
		run_piece(x, piece);
	return c->pid < 0 ? fail_system("start a process for a piece") : 0;
}

/* Prints the lines that no piece before had, but for their numbers. */
static void print_said(struct piping *x)
{
	FILE *f = fdopen(dup(x->now.said), "r");
	char *line = NULL;
	size_t cap = 0;
	bool any = false;

	if (!f)
		return;
	rewind(f);
	while (getline(&line, &cap, f) > 0) {
		if (once_said(&x->said, line))
			continue;
		if (!any)
			fprintf(stderr,
				WHO ": " NAME ": in the piece from 0x%" PRIx64 " to 0x%" PRIx64
				    " of the pipe:\n",
				x->now.piece.first, x->now.piece.last);
		any = true;
		fputs(line, stderr);
	}
	free(line);
	fclose(f);
}

/*
 * Temporary files are no inputs that an output must not replace: their numbers are used again. The
 * files that options name still are.
 */
static void forget_inputs(const struct piping *x)
{
	input_forget_all();
	session_check_named(x->p->so);
}

static void take_sum(struct piping *x, int fd, bool empty)
{
	if (x->sum >= 0)
		close(x->sum);
	x->sum = fd;
	x->empty = empty;
	x->unwritten = true;
	forget_inputs(x);
}

/* A piece that could not be counted is a loss, of all its trace. */
static int add_failed(struct piping *x)
{
	const struct piece *piece = &x->now.piece;
	bool empty;
	int fd;

	x->failed++;
	fprintf(stderr,
		WHO ": " NAME ": the piece from 0x%" PRIx64 " to 0x%" PRIx64
		    " of the pipe could not be counted: its %" PRIu64 " bytes of trace are lost\n",
		piece->first, piece->last, piece->trace);
	if (ftruncate(x->now.counts, 0) || lseek(x->now.counts, 0, SEEK_SET))
		return fail_system("write a temporary file");
	if (count_lost_piece(x->now.counts, piece->trace, x->sum < 0))
		return CMD_ERROR;
	fd = sum_with(x, x->now.counts, &empty);
	if (fd < 0)
		return CMD_ERROR;
	take_sum(x, fd, empty);
	return 0;
}

/* Waits for the piece that is counted, and takes its counts. */
static int finish(struct piping *x)
{
	int status = 0, code, rc = 0;

	if (!x->now.pid)
		return 0;
	while (waitpid(x->now.pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_system("wait for the process of a piece");
	print_said(x);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : CMD_ERROR;
	if (!code || code == CMD_NOTHING) {
		if (x->carried >= 0)
			close(x->carried);
		x->carried = x->now.carried;
		take_sum(x, x->now.sum, code);
		x->now.carried = x->now.sum = -1;
	} else {
		rc = add_failed(x);
	}
	close_all(&x->now);
	return rc;
}

/* ---- the sum --------------------------------------------------------------------------------- */

static int write_sum(struct piping *x, bool last)
{
	char *path = fd_path(x->sum);
	const struct piped_sum sum = { .last = last, .empty = x->empty };
	int rc = x->p->write(x->p->data, path, &sum);

	free(path);
	forget_inputs(x);
	asked = 0;
	x->unwritten = false;
	clock_gettime(CLOCK_MONOTONIC, &x->written);
	return rc;
}

/* Writes the sum of what is counted by now if it is time to. What fails may not fail at the end. */
static void write_running(struct piping *x)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (x->unwritten && x->p->interval &&
	    (asked || (uint64_t)(now.tv_sec - x->written.tv_sec) >= x->p->interval))
		write_sum(x, false);
}

/* Prints a line about `n` of something, unless it is 0. */
static void print_number(uint64_t n, const char *text)
{
	char a[32];

	if (n)
		fprintf(stderr, WHO ": " NAME ": %s %s\n", losses_grouped(n, a), text);
}

static void print_cuts(const struct piping *x)
{
	const struct pieces_totals t = pieces_totals(x->pieces);

	print_number(t.pieces, x->p->calls && t.pieces > 1 ?
				       "pieces were counted, in each of which the callers of what "
				       "was running are not known" :
				       "pieces were counted");
	if (t.whole)
		fprintf(stderr,
			WHO ": " NAME ": %s: the rest of it was counted when it had ended\n",
			t.whole);
	print_number(t.forced,
		     "pieces end where no round of the recorder allows it, for want of room: "
		     "--spool=SIZE gives more");
	print_number(t.unclaimed,
		     "bytes of trace were not kept for an AUX record that may have come, for want "
		     "of room");
	print_number(t.late,
		     "records about threads and maps came when trace of their time was counted: it "
		     "was counted without them; count a file in place of the pipe");
	print_number(t.reach,
		     "AUX records may have trace that is older than the records that were kept of "
		     "its time: where it names no thread, it may be another one's");
}

/* ---- the loop -------------------------------------------------------------------------------- */

static int loop(struct piping *x, bool *whole)
{
	struct error err = { .code = 0 };
	enum pieces_next next;
	struct piece piece;
	int rc = 0;

	*whole = false;
	while (!rc) {
		next = pieces_next(x->pieces, &piece, &err);
		if (next == PIECES_WHOLE) {
			*whole = true;
			return 0;
		}
		rc = finish(x);
		if (next == PIECES_FAILED) {
			fprintf(stderr, WHO ": %s\n", err.msg);
			return CMD_ERROR;
		}
		if (next == PIECES_END)
			return rc;
		if (rc) {
			close(piece.fd);
			return rc;
		}
		write_running(x);
		rc = start(x, &piece);
	}
	return rc;
}

static int end(struct piping *x)
{
	int rc = write_sum(x, true);

	print_cuts(x);
	return x->failed && rc == CMD_OK ? CMD_LOSSES : rc;
}

static void free_all(struct piping *x)
{
	if (x->now.pid > 0)
		kill(x->now.pid, SIGTERM);
	if (x->now.pid > 0)
		while (waitpid(x->now.pid, NULL, 0) < 0 && errno == EINTR)
			;
	close_all(&x->now);
	if (x->sum >= 0)
		close(x->sum);
	if (x->carried >= 0)
		close(x->carried);
	pieces_close(x->pieces);
	once_free(&x->said);
	wake_fd = -1;
	close(x->woken[0]);
	close(x->woken[1]);
}

int piped_run(const struct piped *p, struct perfdata **whole)
{
	struct piping x = { .p = p, .sum = -1, .carried = -1, .now = no_piece };
	struct error err = { .code = 0 };
	struct pieces_opts o = { .path = "-",
				 .max_expand = p->so->max_expand,
				 .interval = p->interval };
	bool is_whole = false;
	int rc, written;

	if (session_check_named(p->so))
		return CMD_ERROR;
	if (pipe2(x.woken, O_CLOEXEC | O_NONBLOCK))
		return fail_system("make a pipe");
	o.stop_fd = x.woken[0];
	o.size = p->spool / PARTS_OF_ROOM ? p->spool / PARTS_OF_ROOM : 1;
	x.pieces = pieces_open(&o, &err);
	if (!x.pieces) {
		fprintf(stderr, "cstrace: %s\n", err.msg);
		free_all(&x);
		return CMD_ERROR;
	}
	wake_fd = x.woken[1];
	take_signals();
	clock_gettime(CLOCK_MONOTONIC, &x.written);
	rc = loop(&x, &is_whole);
	if (is_whole) {
		*whole = pieces_whole(x.pieces);
		rc = CMD_GO_ON;
	} else if (x.sum >= 0) {
		/* what was counted before something failed is written, too */
		written = end(&x);
		rc = rc ? rc : written;
	}
	give_signals();
	free_all(&x);
	return rc;
}
