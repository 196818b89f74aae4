/* SPDX-License-Identifier: GPL-2.0-only */
/* guard.c - the table of temporary names, and the handlers of signals that remove them or report a cut input. */
#include "base/files/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/mapped.h"
#include "base/format.h"
#include "base/put.h"

/* Signals that end the program and can be caught. SIGPIPE: the reader of the output or of the messages has ended. */
static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM };

#define NR_ENDING (sizeof(ending) / sizeof(ending[0]))
#define FIRST_ADDRESS	(64u << 10)	/* below it Linux maps nothing (vm.mmap_min_addr) */

/* A temporary name. The latest is the first in the list, so that files go before their folder. */
struct name {
	struct name *next;
	bool is_dir;
	char path[];
};

static struct name *names;
/*
 * Of the table. A refusal of memory keeps it for good (remove_all()): no name is made any more, and
 * none gets final.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction old_bus, old_segv;
static _Thread_local volatile sig_atomic_t unchecked;

/* ---- the table, which signal handlers read: it changes only while they are blocked -------------- */

static void block(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NR_ENDING; i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, old);
	pthread_mutex_lock(&lock);
}

static void unblock(const sigset_t *old)
{
	int saved = errno;

	pthread_mutex_unlock(&lock);
	sigprocmask(SIG_SETMASK, old, NULL);
	errno = saved;
}

static void push(struct name *n)
{
	n->next = names;
	names = n;
}

static void remove_names(void);

/* For mem_refused(). */
static void remove_all(void)
{
	pthread_mutex_lock(&lock);
	remove_names();
}

/* A name that is going to be made, with the signals blocked. */
static struct name *begin(const char *path, bool is_dir, sigset_t *old)
{
	struct name *n = mem_new(sizeof(*n) + strlen(path) + 1);

	mem_before_end(remove_all);
	n->is_dir = is_dir;
	strcpy(n->path, path);
	block(old);
	return n;
}

/* `rc` of making it: negative if that failed, with errno. Returns `rc`. */
static int end(struct name *n, const sigset_t *old, int rc)
{
	if (rc >= 0)
		push(n);
	unblock(old);
	if (rc < 0)
		free(n);
	return rc;
}

/* True if the name is `path` or below it. */
static bool is_below(const struct name *n, const char *path, size_t len)
{
	return !strncmp(n->path, path, len) && (!n->path[len] || n->path[len] == '/');
}

/* Forgets `path` and, of a folder, what is below it. */
static void forget(const char *path)
{
	size_t len = strlen(path);
	struct name **at = &names, *n;

	while ((n = *at)) {
		if (!is_below(n, path, len)) {
			at = &n->next;
			continue;
		}
		*at = n->next;
		free(n);
	}
}

int guard_create(const char *path, mode_t mode)
{
	sigset_t old;
	struct name *n = begin(path, false, &old);

	return end(n, &old, open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
}

int guard_mkdir(const char *path, mode_t mode)
{
	sigset_t old;
	struct name *n = begin(path, true, &old);

	return end(n, &old, mkdir(path, mode));
}

int guard_link(int fd, const char *path)
{
	sigset_t old;
	struct name *n = begin(path, false, &old);
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return end(n, &old, linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}

void guard_name(const char *path)
{
	sigset_t old;

	end(begin(path, false, &old), &old, 0);
}

int guard_rename(const char *from, const char *to)
{
	sigset_t old;
	int rc;

	block(&old);
	rc = rename(from, to);
	if (!rc)
		forget(from);
	unblock(&old);
	return rc;
}

/* The system call itself: not every C library has renameat2(). 2 is RENAME_EXCHANGE. */
int guard_exchange(const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2u);
}

void guard_remove(const char *path)
{
	sigset_t old;

	block(&old);
	remove(path);
	forget(path);
	unblock(&old);
}

void guard_remove_below(const char *path)
{
	size_t len = strlen(path);
	const struct name *n;
	sigset_t old;

	block(&old);
	for (n = names; n; n = n->next)
		if (is_below(n, path, len))
			remove(n->path);
	forget(path);
	unblock(&old);
}

void guard_leave(void)
{
	struct name *n;
	sigset_t old;

	block(&old);
	while ((n = names)) {
		names = n->next;
		free(n);
	}
	unblock(&old);
}

static int temp_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	sigset_t old;
	char *name;

	if (fd >= 0)
		return fd;
	/* not every file system can do that */
	name = format_text("%s/cstrace-XXXXXX", dir);
	block(&old);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	unblock(&old);
	free(name);
	return fd;
}

int guard_temp(const char *dir)
{
	const char *dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	size_t i;
	int fd = -1;

	if (dir)
		return temp_in(dir);
	for (i = 0; fd < 0 && i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (dirs[i] && *dirs[i])
			fd = temp_in(dirs[i]);
	return fd;
}

/* ---- the handlers: async-signal-safe functions only (signal-safety(7)) -------------------------- */

static void remove_names(void)
{
	const struct name *n;

	for (n = names; n; n = n->next)
		if (n->is_dir)
			rmdir(n->path);
		else
			unlink(n->path);
}

/* Removes the temporary outputs. The same signal is pending then and ends the process when this handler returns. */
static void end_by_signal(int sig)
{
	remove_names();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* An error of this program is for the handler of before: a sanitizer's, or the default. */
static void pass_on(int sig, const siginfo_t *info, const struct sigaction *before)
{
	sigaction(sig, before, NULL);
	if (info->si_code <= 0)
		raise(sig);	/* sent by a process: it does not come again by itself */
}

static void bus_error(int sig, siginfo_t *info, void *context)
{
	uint64_t offset;
	const char *name = mapped_name_at(info->si_addr, &offset);

	(void)context;
	if (!name) {
		pass_on(sig, info, &old_bus);
		return;
	}
	remove_names();
	put_text("cstrace: ");
	put_text(name);
	put_text(": cannot be read at offset ");
	put_number(offset);
	put_text(" (SIGBUS): the file became shorter while it was read, or its medium fails; run again when nothing "
	    "writes to it\n");
	_exit(1);
}

void guard_unchecked(bool inside)
{
	unchecked = inside;
	if (inside)
		errno = 0;
	else
		mem_check(errno);
}

/*
 * libdw uses the result of some allocations unchecked: an address where nothing can be mapped is
 * that of such a NULL.
 */
static void bad_address(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (unchecked && info->si_code > 0 && (uintptr_t)info->si_addr < FIRST_ADDRESS)
		mem_refused(0);
	pass_on(sig, info, &old_segv);
}

/* A write beyond RLIMIT_FSIZE shall fail with EFBIG and a message, not end the program. */
static void file_too_large(int sig)
{
	(void)sig;
}

static bool is_ignored(int sig)
{
	struct sigaction sa;

	return sigaction(sig, NULL, &sa) || sa.sa_handler == SIG_IGN;
}

void guard_install(void)
{
	struct sigaction sa = { .sa_handler = end_by_signal };
	size_t i;

	sigfillset(&sa.sa_mask);
	sigdelset(&sa.sa_mask, SIGBUS);
	sigdelset(&sa.sa_mask, SIGSEGV);
	for (i = 0; i < NR_ENDING; i++)
		if (!is_ignored(ending[i]))
			sigaction(ending[i], &sa, NULL);
	sa.sa_handler = file_too_large;
	sa.sa_flags = SA_RESTART;
	if (!is_ignored(SIGXFSZ))
		sigaction(SIGXFSZ, &sa, NULL);
	sa.sa_flags = SA_SIGINFO;
	sa.sa_sigaction = bus_error;
	sigaction(SIGBUS, &sa, &old_bus);
	sa.sa_sigaction = bad_address;
	sigaction(SIGSEGV, &sa, &old_segv);
}
