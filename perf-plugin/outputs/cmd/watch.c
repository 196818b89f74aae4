/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch.c - profile --watch=DIR. A file is finished when it was renamed to its name, as perf record
 * --switch-output does, or closed after it was written, and no process has it open for writing.
 *
 * The state survives a kill at any moment. A counted file is OUT.watch/DIGEST.cst, by the digest of
 * its bytes, which gets its name when it is complete; only then is the recording reported and
 * deleted. A sum is a folder OUT.watch/sum.N with the count file and the digests that are in it,
 * which gets its name when both are complete; only then are the parts deleted.
 */
#include "outputs/cmd/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "base/format.h"
#include "base/name.h"
#include "base/sha1.h"
#include "counting/countfiles/merge.h"
#include "outputs/cmd/options.h"

#define WHO	"cstrace profile"
#define SUM	"sum."			/* folders of sums */
#define HEX	(2 * SHA1_SIZE)
#define READ_STEP	((size_t)1 << 20)

struct digest {
	char hex[HEX + 1];
};

struct watching {
	const struct watch *w;
	char *state;		/* OUT.watch */
	int lock, events, woken[2];
	struct digest *known;	/* that were counted; those from `summed` on are parts */
	size_t nr, cap, summed;
	uint64_t number;	/* of the last sum; 0: there is none */
	struct loss_share share; /* of the last sum */
	struct culprit {
		char *name;
		const char *why;
	} *culprits;
	size_t nr_culprits, cap_culprits;
	struct stat *seen;	/* files that were reported: a file may have several events */
	size_t nr_seen, cap_seen;
	struct timespec last;	/* time of the last sum */
};

/* ---- signals --------------------------------------------------------------------------------- */

/* SIGINT and the like end the watch, SIGUSR1 asks for a sum; handlers write to the pipe. */
static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };

#define NR_WATCHED	(sizeof(watched) / sizeof(watched[0]))

static struct sigaction before[NR_WATCHED];
static volatile sig_atomic_t ended, asked;
static int wake_fd = -1;

static void on_signal(int sig)
{
	const int error = errno;

	if (sig == SIGUSR1)
		asked = 1;
	else
		ended = 1;
	if (write(wake_fd, "", 1) < 0)
		errno = 0;	/* a full pipe wakes as well */
	errno = error;
}

static void take_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	size_t i;

	sigemptyset(&sa.sa_mask);
	/* one that the caller ignores (nohup) stays ignored */
	for (i = 0; i < NR_WATCHED; i++)
		if (!sigaction(watched[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
			sigaction(watched[i], &sa, NULL);
	/* sent if somebody opens a file while is_open() looks at it */
	signal(SIGIO, SIG_IGN);
}

static void give_signals(void)
{
	size_t i;

	for (i = 0; i < NR_WATCHED; i++)
		sigaction(watched[i], &before[i], NULL);
}

/* ---- digests --------------------------------------------------------------------------------- */

static bool is_known(const struct watching *v, const char *hex)
{
	size_t i;

	for (i = v->nr; i; i--)
		if (!strcmp(v->known[i - 1].hex, hex))
			return true;
	return false;
}

static void add_known(struct watching *v, const char *hex)
{
	memcpy(ARRAY_ADD(v->known, v->nr, v->cap)->hex, hex, HEX + 1);
}

/* Of all bytes from the begin of the file: 0, or errno. */
static int digest_of(int fd, struct digest *d)
{
	uint8_t *buf = mem_new(READ_STEP), out[SHA1_SIZE];
	struct sha1 sha;
	ssize_t n;
	size_t i;
	int rc;

	sha1_init(&sha);
	while ((n = read(fd, buf, READ_STEP)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			sha1_add(&sha, buf, (size_t)n);
	rc = n < 0 ? errno : 0;
	sha1_end(&sha, out);
	for (i = 0; i < SHA1_SIZE; i++)
		snprintf(d->hex + 2 * i, 3, "%02x", out[i]);
	free(buf);
	return rc;
}

/* ---- the state ------------------------------------------------------------------------------- */

static char *part_path(const struct watching *v, const char *hex)
{
	return format_text("%s/%s.cst", v->state, hex);
}

static int fail(const char *path, const char *what)
{
	fprintf(stderr, WHO ": %s: cannot %s: %s\n", name_shown(path), what, strerror(errno));
	return CMD_ERROR;
}

static void remove_sum(const struct watching *v, const char *name)
{
	char *dir = format_text("%s/%s", v->state, name);
	char *sum = format_text("%s/counts", dir), *list = format_text("%s/list", dir);

	unlink(sum);
	unlink(list);
	rmdir(dir);
	free(sum);
	free(list);
	free(dir);
}

static int read_list(struct watching *v)
{
	char *path = format_text("%s/" SUM "%" PRIu64 "/list", v->state, v->number);
	FILE *f = fopen(path, "re");
	char line[HEX + 2];
	int rc = f ? 0 : fail(path, "open it");

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (strlen(line) == HEX)
			add_known(v, line);
	}
	if (f)
		fclose(f);
	free(path);
	return rc;
}

/* Calls `each` with the names in a folder. */
static int each_name(struct watching *v, const char *path,
		     int (*each)(struct watching *v, const char *name))
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort), i, rc = 0;

	if (n < 0)
		return fail(path, "read it");
	for (i = 0; i < n; i++) {
		if (!rc && names[i]->d_name[0] != '.')
			rc = each(v, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return rc;
}

static int find_sum(struct watching *v, const char *name)
{
	uint64_t n;
	char *end;

	if (strncmp(name, SUM, strlen(SUM)))
		return 0;
	n = strtoull(name + strlen(SUM), &end, 10);
	if (!*end && n > v->number)
		v->number = n;
	return 0;
}

/* Removes what a killed run left: older and unfinished sums, and parts that are in the sum. */
static int clean(struct watching *v, const char *name)
{
	char *current = format_text(SUM "%" PRIu64, v->number), *path;
	const size_t len = strlen(name);
	char hex[HEX + 1];

	if (!strncmp(name, SUM, strlen(SUM)) && strcmp(name, current))
		remove_sum(v, name);
	free(current);
	if (len != HEX + 4 || strcmp(name + HEX, ".cst"))
		return 0;
	memcpy(hex, name, HEX);
	hex[HEX] = 0;
	if (is_known(v, hex)) {
		path = part_path(v, hex);
		unlink(path);
		free(path);
	} else {
		add_known(v, hex);
	}
	return 0;
}

static int open_state(struct watching *v)
{
	char *lock = format_text("%s/lock", v->state);
	int rc = 0;

	if (mkdir(v->state, 0777) && errno != EEXIST) {
		rc = fail(v->state, "make it");
	} else {
		v->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (v->lock < 0)
			rc = fail(lock, "open it");
	}
	free(lock);
	if (!rc && flock(v->lock, LOCK_EX | LOCK_NB)) {
		fprintf(stderr, WHO ": %s: another run works at it\n", name_shown(v->state));
		rc = CMD_ERROR;
	}
	if (!rc)
		rc = each_name(v, v->state, find_sum);
	if (!rc && v->number)
		rc = read_list(v);
	v->summed = v->nr;
	return rc ? rc : each_name(v, v->state, clean);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static int write_list(const struct watching *v, const char *path)
{
	struct pd_output out;
	size_t i;

	if (pd_output_begin(&out, WHO, path, false))
		return CMD_ERROR;
	for (i = 0; i < v->nr; i++)
		pd_output_printf(&out, "%s\n", v->known[i].hex);
	return pd_output_end(&out, WHO) ? CMD_ERROR : 0;
}

static int add_files(struct watching *v, const struct merge_list *list, const char *path)
{
	struct error err = { .code = 0 };
	struct merge_sums sums;
	int rc = merge_files(list, path, &sums, &err);

	if (rc)
		fprintf(stderr, WHO ": %s\n", err.msg);
	v->share = count_lost_share(&sums.lost);
	merge_sums_free(&sums);
	/* the parts are removed, and their names may be those of outputs */
	input_forget_all();
	return rc ? CMD_ERROR : 0;
}

static void list_path(struct merge_list *list, char *path)
{
	merge_list_add(list, path, strlen(path), 1);
	free(path);
}

static void fsync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);	/* a failure is no loss unless the host fails, too */
	close(fd);
}

/* Writes OUT, whose bytes are those of the last sum. */
static int publish(struct watching *v)
{
	struct merge_list list = { .nr = 0 };
	int rc;

	list_path(&list, format_text("%s/" SUM "%" PRIu64 "/counts", v->state, v->number));
	rc = add_files(v, &list, v->w->output);
	merge_list_free(&list);
	return rc;
}

/* Makes the folder of the next sum, of the last one and all parts. */
static int add_up(struct watching *v)
{
	char *dir = format_text("%s/" SUM "%" PRIu64, v->state, v->number + 1);
	char *made = format_text("%s.new", dir), *counts = format_text("%s/counts", made);
	char *names = format_text("%s/list", made);
	struct merge_list list = { .nr = 0 };
	int rc = mkdir(made, 0777) && errno != EEXIST ? fail(made, "make it") : 0;
	size_t i;

	if (v->number)
		list_path(&list, format_text("%s/" SUM "%" PRIu64 "/counts", v->state, v->number));
	for (i = v->summed; i < v->nr; i++)
		list_path(&list, part_path(v, v->known[i].hex));
	if (!rc)
		rc = add_files(v, &list, counts);
	if (!rc)
		rc = write_list(v, names);
	if (!rc) {
		fsync_path(counts);
		fsync_path(names);
		rc = rename(made, dir) ? fail(dir, "give the sum its name") : 0;
	}
	merge_list_free(&list);
	free(names);
	free(counts);
	free(made);
	free(dir);
	return rc;
}

/* What is reported of a file of the folder: a word, a tab and the file, to be freed. */
static char *report_line(const struct watching *v, const char *name, const char *why)
{
	char *path = format_text("%s/%s", v->w->dir, name), *word = name_word(path);
	char *line = format_text("%s\t%s\n", why, word);

	free(word);
	free(path);
	return line;
}

static int write_culprits(const struct watching *v)
{
	char *path = format_text("%s.culprits", v->w->output), *line;
	struct pd_output out;
	size_t i;
	int rc = 0;

	if (!v->nr_culprits) {
		unlink(path);
	} else if (pd_output_begin(&out, WHO, path, false)) {
		rc = CMD_ERROR;
	} else {
		for (i = 0; i < v->nr_culprits; i++) {
			line = report_line(v, v->culprits[i].name, v->culprits[i].why);
			pd_output_printf(&out, "%s", line);
			free(line);
		}
		rc = pd_output_end(&out, WHO) ? CMD_ERROR : 0;
	}
	free(path);
	return rc;
}

static int write_sum(struct watching *v)
{
	char *old = format_text(SUM "%" PRIu64, v->number), *part;
	int rc = 0;

	asked = 0;
	clock_gettime(CLOCK_MONOTONIC, &v->last);
	if (v->summed < v->nr) {
		rc = add_up(v);
		if (!rc) {
			fsync_path(v->state);
			if (v->number++)
				remove_sum(v, old);
		}
		for (; !rc && v->summed < v->nr; v->summed++) {
			part = part_path(v, v->known[v->summed].hex);
			unlink(part);
			free(part);
		}
	}
	free(old);
	if (!rc && v->number)
		rc = publish(v);
	return rc ? rc : write_culprits(v);
}

/* ---- one file -------------------------------------------------------------------------------- */

static void set_culprit(struct watching *v, const char *name, const char *why)
{
	struct culprit *c;
	size_t i;

	for (i = 0; i < v->nr_culprits && strcmp(v->culprits[i].name, name); i++)
		;
	if (i < v->nr_culprits) {
		v->culprits[i].why = why;
	} else {
		c = ARRAY_ADD(v->culprits, v->nr_culprits, v->cap_culprits);
		*c = (struct culprit){ mem_text(name), why };
	}
}

/* For a caller that reads: the recording may be deleted if it was counted. */
static void report(struct watching *v, const char *name, const char *why)
{
	char *line = report_line(v, name, why);

	fputs(line, stdout);
	fflush(stdout);
	free(line);
	if (strcmp(why, "counted"))
		set_culprit(v, name, why);
}

/* Whether a process has the file open for writing; `otherwise`: if the system does not say. */
static bool is_open(int fd, bool otherwise)
{
	if (!fcntl(fd, F_SETLEASE, F_RDLCK)) {
		fcntl(fd, F_SETLEASE, F_UNLCK);
		return false;
	}
	return errno == EAGAIN || errno == EBUSY ? true : otherwise;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static bool was_seen(const struct watching *v, const struct stat *st)
{
	size_t i;

	for (i = v->nr_seen; i; i--)
		if (same_file(&v->seen[i - 1], st))
			return true;
	return false;
}

/*
 * Counts in a process of its own, which ends alone if memory is refused. Returns its exit code, or
 * -1: it ended by a signal.
 */
static int count_apart(struct watching *v, const char *path, const char *part)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return fail(path, "start a process for it");
	if (!pid) {
		close(v->lock);
		close(v->events);
		give_signals();
		status = v->w->count(v->w->data, path, part);
		fflush(NULL);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		if (ended)
			kill(pid, SIGTERM);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Takes the result of counting. `st`: the file when its digest was taken. */
static int take_result(struct watching *v, int rc, const char *name, const char *path,
		       const char *part, const struct stat *st, const char *hex)
{
	struct stat now;

	if (ended && rc < 0)
		return 0;
	if (rc == CMD_OK || rc == CMD_LOSSES) {
		if (stat(path, &now) || !same_file(st, &now)) {
			fprintf(stderr, WHO ": %s: changed while it was read\n", name_shown(path));
			unlink(part);
			report(v, name, "error");
			return 0;
		}
		fsync_path(part);
		fsync_path(v->state);
		add_known(v, hex);
		report(v, name, rc == CMD_OK ? "counted" : "losses");
		if (v->w->remove && unlink(path))
			return fail(path, "delete it");
		return 0;
	}
	if (rc == CMD_USAGE)
		return rc;
	report(v, name, rc == CMD_NOTHING ? "nothing" : "error");
	return 0;
}

static void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* A file that an event named (`event`), or that was found. */
static int take_file(struct watching *v, const char *name, bool event)
{
	char *path = format_text("%s/%s", v->w->dir, name), *part = NULL;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), rc = 0;
	struct digest d;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || is_open(fd, !event) ||
	    was_seen(v, &st)) {
		/* it comes again as an event when it is finished, or is gone, or was reported */
		close_file(fd);
		free(path);
		return 0;
	}
	*ARRAY_ADD(v->seen, v->nr_seen, v->cap_seen) = st;
	if (digest_of(fd, &d)) {
		report(v, name, "error");
	} else if (is_known(v, d.hex)) {
		/* counted before a kill, and not yet deleted, or once more under this name */
		report(v, name, "counted");
		if (v->w->remove && unlink(path))
			rc = fail(path, "delete it");
	} else {
		part = part_path(v, d.hex);
		rc = take_result(v, count_apart(v, path, part), name, path, part, &st, d.hex);
	}
	close_file(fd);
	free(part);
	free(path);
	return rc;
}

static int take_found(struct watching *v, const char *name)
{
	return ended ? 0 : take_file(v, name, false);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static uint64_t left_ms(const struct watching *v)
{
	struct timespec now;
	uint64_t passed;

	clock_gettime(CLOCK_MONOTONIC, &now);
	passed = (uint64_t)((now.tv_sec - v->last.tv_sec) * 1000 +
			    (now.tv_nsec - v->last.tv_nsec) / 1000000);
	return passed < v->w->interval * 1000 ? v->w->interval * 1000 - passed : 0;
}

static int take_events(struct watching *v)
{
	_Alignas(struct inotify_event) char buf[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	const struct inotify_event *e;
	ssize_t n = read(v->events, buf, sizeof(buf)), at;
	int rc = 0;

	for (at = 0; at < n && !rc && !ended; at += (ssize_t)(sizeof(*e) + e->len)) {
		e = (const void *)(buf + at);
		if (e->mask & IN_Q_OVERFLOW)
			rc = each_name(v, v->w->dir, take_found);
		else if (e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT))
			ended = 1;
		else if (e->len && e->name[0] != '.' && !(e->mask & IN_ISDIR))
			rc = take_file(v, e->name, true);
		if (!rc && (asked || (v->summed < v->nr && !left_ms(v))))
			rc = write_sum(v);
	}
	return rc;
}

static int loop(struct watching *v)
{
	struct pollfd fds[2] = { { .fd = v->events, .events = POLLIN },
				 { .fd = v->woken[0], .events = POLLIN } };
	char byte[64];
	int rc = 0, timeout;
	uint64_t left;

	while (!rc && !ended) {
		left = v->summed < v->nr ? left_ms(v) : INT_MAX;
		timeout = v->summed < v->nr ? (int)(left < INT_MAX ? left : INT_MAX) : -1;
		if (poll(fds, 2, timeout) < 0 && errno != EINTR)
			return fail(v->w->dir, "wait for files in it");
		if (fds[1].revents && read(v->woken[0], byte, sizeof(byte)) < 0)
			errno = 0;
		if (asked || (v->summed < v->nr && !left_ms(v)))
			rc = write_sum(v);
		if (!rc && !ended && fds[0].revents & POLLIN)
			rc = take_events(v);
	}
	return rc;
}

/* The folder of OUT is not the one that is watched: the sum would be counted. */
static bool is_apart(const struct watch *w)
{
	char *path = mem_text(w->output), *slash = strrchr(path, '/');
	struct stat a, b;
	bool same;

	if (slash)
		slash[slash == path] = 0;
	same = !stat(slash ? path : ".", &a) && !stat(w->dir, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
	free(path);
	return !same;
}

static int begin(struct watching *v)
{
	int rc = open_state(v);

	if (rc)
		return rc;
	v->events = inotify_init1(IN_CLOEXEC);
	if (v->events < 0 || pipe2(v->woken, O_CLOEXEC | O_NONBLOCK) ||
	    inotify_add_watch(v->events, v->w->dir, IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE_SELF |
			      IN_MOVE_SELF | IN_ONLYDIR) < 0)
		return fail(v->w->dir, "watch it");
	wake_fd = v->woken[1];
	take_signals();
	clock_gettime(CLOCK_MONOTONIC, &v->last);
	return each_name(v, v->w->dir, take_found);
}

int watch_run(const struct watch *w)
{
	struct watching v = { .w = w, .lock = -1, .events = -1, .woken = { -1, -1 } };
	int rc;
	size_t i;

	if (!is_apart(w)) {
		fprintf(stderr, WHO ": --watch %s: -o is in this folder; name another one\n",
			name_shown(w->dir));
		return CMD_USAGE;
	}
	v.state = format_text("%s.watch", w->output);
	rc = begin(&v);
	if (!rc)
		rc = loop(&v);
	if (!rc)
		rc = write_sum(&v);
	if (!rc) {
		fprintf(stderr, WHO ": %zu files are in %s, %zu with faults\n", v.nr,
			name_shown(w->output), v.nr_culprits);
		for (i = 0; i < v.nr_culprits && strcmp(v.culprits[i].why, "losses") == 0; i++)
			;
		rc = !v.nr ? CMD_NOTHING :
		     i < v.nr_culprits || cmd_loss_above(&v.share, w->max_loss) ? CMD_LOSSES :
									    CMD_OK;
	}
	for (i = 0; i < v.nr_culprits; i++)
		free(v.culprits[i].name);
	free(v.culprits);
	free(v.seen);
	free(v.known);
	free(v.state);
	return rc;
}
