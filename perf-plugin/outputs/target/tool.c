/* SPDX-License-Identifier: GPL-2.0-only */
/* tool.c - the perf of the target: where it is, its version, and what it was built with. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/format.h"
#include "outputs/target/internal.h"

/* In a saved tree: what 'perf version --build-options' printed, and lines "perf PATH". */
#define SAVED_OUTPUT	"/collected/perf"
#define SAVED_PATHS	"/collected/programs"

#define MAX_OUTPUT	65536u
#define PATIENCE_MS	10000

extern char **environ;

/* ---- running it ------------------------------------------------------------------------- */

/* Reads until the end, or until it took too long. False: the latter. */
static bool read_output(int fd, char *text, size_t *len)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n = 1;

	while (n && *len < MAX_OUTPUT) {
		if (poll(&p, 1, PATIENCE_MS) <= 0)
			return false;
		n = read(fd, text + *len, MAX_OUTPUT - *len);
		if (n < 0)
			return false;
		*len += (size_t)n;
	}
	return !n;
}

static int start(const char *perf, int out, pid_t *pid)
{
	char *argv[] = { (char *)(uintptr_t)perf, (char *)(uintptr_t) "version",
			 (char *)(uintptr_t) "--build-options", NULL };
	posix_spawn_file_actions_t actions;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	rc = posix_spawn(pid, perf, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

/* What it prints, to be freed; NULL: it does not run, fails, or does not end. */
static char *ask(const char *perf)
{
	char *text = mem_zeroed(MAX_OUTPUT + 1, 1);
	int fds[2], status = -1;
	size_t len = 0;
	pid_t pid;
	bool whole;

	if (pipe2(fds, O_CLOEXEC)) {
		free(text);
		return NULL;
	}
	if (start(perf, fds[1], &pid)) {
		close(fds[0]);
		close(fds[1]);
		free(text);
		return NULL;
	}
	close(fds[1]);
	whole = read_output(fds[0], text, &len);
	close(fds[0]);
	if (!whole)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (whole && WIFEXITED(status) && !WEXITSTATUS(status) && strlen(text) == len)
		return text;
	free(text);
	return NULL;
}

/* ---- where it is ------------------------------------------------------------------------ */

/* Folders of programs in a saved tree, which has no PATH; the last two are Android's. */
#define SAVED_FOLDERS \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/system/bin:/data/local/tmp"

static bool is_program(struct tree *tr, const char *path)
{
	return tree_seen(tr, path) != TARGET_ABSENT && (tr->root || !access(path, X_OK));
}

/* The path of a program, to be freed; NULL: it is in none of these folders. */
static char *find_in(struct tree *tr, const char *folders, const char *name)
{
	char *path;
	size_t n;

	while (folders && *folders) {
		n = strcspn(folders, ":");
		path = format_text("%.*s/%s", (int)n, folders, name);
		/* a folder of this machine that is not absolute changes with where one stands */
		if (*path == '/' && is_program(tr, path))
			return path;
		free(path);
		folders += n + (folders[n] == ':');
	}
	return NULL;
}

/* ---- what it says ----------------------------------------------------------------------- */

/*
 * A line "NAME: [ on  ]  # MACRO", of "OFF" if it is off, by its macro, since names differ with
 * versions.
 */
static enum target_answer built_with(const char *text, const char *macro)
{
	const char *at = strstr(text, macro), *line;

	if (!at)
		return TARGET_UNKNOWN;
	for (line = at; line > text && line[-1] != '\n'; line--)
		;
	for (; line + 3 <= at; line++) {
		if (!strncmp(line, "OFF", 3))
			return TARGET_NO;
		if (!strncmp(line, "on ", 3))
			return TARGET_YES;
	}
	return TARGET_UNKNOWN;
}

static void take_version(struct target_perf *p, const char *text)
{
	p->version = text_value(text, "perf version ");
	if (!p->version)
		return;
	text_version(p->version, &p->major, &p->minor);
	p->auxtrace = built_with(text, "HAVE_AUXTRACE_SUPPORT");
	p->opencsd = built_with(text, "HAVE_CSTRACE_SUPPORT");
}

/* Where a program is: as the collector found it, else as a search finds it. */
static char *program_path(struct tree *tr, const char *name)
{
	enum target_seen seen;
	char *list, *key, *path;

	if (!tr->root)
		return find_in(tr, getenv("PATH"), name);
	list = tree_text(tr, SAVED_PATHS, TREE_MAX_LIST, &seen);
	key = format_text("%s ", name);
	path = text_value(list, key);
	free(key);
	free(list);
	return path ? path : find_in(tr, SAVED_FOLDERS, name);
}

void read_perf(struct tree *tr, const char *perf)
{
	struct target_perf *p = &tr->t->perf;
	enum target_seen seen;
	char *text;

	p->path =
		perf && strchr(perf, '/') ? mem_text(perf) : program_path(tr, perf ? perf : "perf");
	p->simpleperf = program_path(tr, "simpleperf");
	if (!p->path)
		return;
	text = tr->root ? tree_text(tr, SAVED_OUTPUT, TREE_MAX_LIST, &seen) : ask(p->path);
	if (text)
		take_version(p, text);
	free(text);
}
