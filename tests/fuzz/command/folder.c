/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.c - writes the files of an input into a private folder, and looks at what a command left there. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/command/folder.h"
#include "fuzz/fuzz_input.h"

#define INDEX_SUFFIX ".cstidx"

static char folder[64];
static pid_t owner;

static struct {
	const struct archive *archive;
	const char *out;
	bool odd;
} looking;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st;
	(void)kind;
	if (f->level)
		remove(path);
	return 0;
}

static void remove_folder(void)
{
	if (getpid() != owner)
		return;
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	rmdir(folder);
}

const char *folder_make(void)
{
	const char *where = getenv("TMPDIR");

	if (!where)
		where = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	CHECK(snprintf(folder, sizeof(folder), "%s/fuzz-command-XXXXXX", where) < (int)sizeof(folder));
	CHECK(mkdtemp(folder));
	owner = getpid();
	atexit(remove_folder);
	return folder;
}

/* No empty component, none that begins with a dot: "." and ".." lead out, others are names of temporary files. */
static bool stays_inside(const char *name)
{
	const char *p;

	for (p = name; ; p++) {
		if (!*p || *p == '/' || *p == '.')
			return false;
		p = strchr(p, '/');
		if (!p)
			return true;
	}
}

static void put(const struct archive_file *f)
{
	char path[sizeof(folder) + ARCHIVE_NAME + 2], *slash;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, f->name);
	for (slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	/* fails where the name is that of a folder, or goes through a file */
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	CHECK(write(fd, f->data, f->len) == (ssize_t)f->len);
	close(fd);
}

void folder_fill(const struct archive *a)
{
	unsigned int i;

	for (i = 0; i < a->nr_files; i++)
		if (stays_inside(a->files[i].name))
			put(&a->files[i]);
}

/* Is `path` the first part of `of`, or the whole? */
static bool leads_to(const char *path, const char *of)
{
	size_t len = strlen(path);

	return !strncmp(path, of, len) && (!of[len] || of[len] == '/');
}

static bool expected(const char *path)
{
	size_t len = strlen(path), k;
	const char *name = path + strlen(folder) + 1;
	unsigned int i;

	/* of the output's folder everything but temporary names */
	if (looking.out && leads_to(looking.out, path))
		return !strstr(path, "/.");
	for (i = 0; i < looking.archive->nr_files; i++)
		if (leads_to(name, looking.archive->files[i].name))
			return true;
	k = strlen(INDEX_SUFFIX);
	return len > k && !strcmp(path + len - k, INDEX_SUFFIX) && !strstr(path, "/.");
}

static int look(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st;
	(void)kind;
	if (!f->level)
		return 0;
	if (!expected(path)) {
		fprintf(stderr, "left behind: %s\n", path);
		looking.odd = true;
	}
	remove(path);
	return 0;
}

bool folder_empty(const struct archive *a, const char *out)
{
	looking.archive = a;
	looking.out = out;
	looking.odd = false;
	nftw(folder, look, 16, FTW_DEPTH | FTW_PHYS);
	return !looking.odd;
}
