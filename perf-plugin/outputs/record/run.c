/* SPDX-License-Identifier: GPL-2.0-only */
/* run.c - runs perf record. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/name.h"
#include "outputs/record/record.h"

extern char **environ;

/* Signals of the terminal end perf, which then finishes its file; this process waits for it. */
static const int of_terminal[] = { SIGINT, SIGQUIT };
#define NR_SIGNALS (sizeof(of_terminal) / sizeof(of_terminal[0]))

/* Starts perf, which gets those signals unless they were ignored before. Returns an errno value. */
static int start(const struct record_plan *plan, const struct sigaction *before, pid_t *pid)
{
	posix_spawnattr_t attr;
	sigset_t set;
	size_t i;
	int error;

	sigemptyset(&set);
	for (i = 0; i < NR_SIGNALS; i++)
		if (before[i].sa_handler != SIG_IGN)
			sigaddset(&set, of_terminal[i]);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	error = posix_spawnp(pid, plan->perf.v[0], NULL, &attr, plan->perf.v, environ);
	posix_spawnattr_destroy(&attr);
	if (error)
		fprintf(stderr, "cstrace record: cannot run %s: %s; --perf names another one\n",
			name_shown(plan->perf.v[0]), strerror(error));
	return error;
}

static int wait_for(pid_t pid, int *status)
{
	int rc;

	do
		rc = waitpid(pid, status, 0);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		fprintf(stderr, "cstrace record: waiting for perf failed: %s\n", strerror(errno));
	return rc < 0 ? -1 : 0;
}

/* perf's exit code is that of the command that it ran, so the file decides. */
static int look_at(const struct record_plan *plan, int status)
{
	struct stat st;

	if (WIFSIGNALED(status))
		fprintf(stderr, "cstrace record: perf was ended by signal %d\n", WTERMSIG(status));
	if (stat(plan->output, &st)) {
		fprintf(stderr,
			"cstrace record: perf recorded nothing: its exit code is %d; "
			"cstrace-recording(7) says what its "
			"messages mean\n",
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		return -1;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status))
		fprintf(stderr,
			"cstrace record: perf, or what it ran, ended with exit code %d; %s is "
			"there\n",
			WEXITSTATUS(status), name_shown(plan->output));
	return 0;
}

int record_run(const struct record_plan *plan)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before[NR_SIGNALS];
	int status = 0, rc;
	pid_t pid;
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(of_terminal[i], &ignore, &before[i]);
	rc = start(plan, before, &pid) ? -1 : 0;
	if (!rc && plan->snapshot)
		fprintf(stderr, "cstrace record: kill -USR2 %d takes a snapshot\n", (int)pid);
	if (!rc)
		rc = wait_for(pid, &status);
	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(of_terminal[i], &before[i], NULL);
	return rc ? rc : look_at(plan, status);
}
