/* SPDX-License-Identifier: GPL-2.0-only */
/* noted.c - which files are input: a hash table of device and inode numbers, for the whole process. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files/input.h"
#include "base/slots.h"

struct file_id {
	uint64_t dev, ino;
	unsigned int reads;	/* how often it was recorded and not forgotten */
};

static struct {
	struct file_id *v;
	size_t nr, cap;
	struct slots slots;
} noted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `noted` */

static uint64_t hash(uint64_t dev, uint64_t ino)
{
	return ((ino ^ dev << 32) * 0x9e3779b97f4a7c15u) >> 32;
}

static uint64_t hash_at(const void *files, uint32_t i)
{
	const struct file_id *f = (const struct file_id *)files + i;

	return hash(f->dev, f->ino);
}

static bool same(const struct file_id *f, const struct stat *st)
{
	return f->dev == st->st_dev && f->ino == st->st_ino;
}

/* The entry of a file, a new one if it has none. */
static struct file_id *entry_of(const struct stat *st)
{
	struct slots *s = &noted.slots;
	size_t at;

	slots_reserve(s, noted.nr, noted.v, hash_at);
	SLOTS_FIND(s, at, hash(st->st_dev, st->st_ino), same(&noted.v[s->v[at] - 1], st));
	if (!s->v[at]) {
		*ARRAY_ADD(noted.v, noted.nr, noted.cap) =
			(struct file_id){ st->st_dev, st->st_ino, 0 };
		s->v[at] = (uint32_t)noted.nr;
	}
	return &noted.v[s->v[at] - 1];
}

void input_note(const struct stat *st)
{
	pthread_mutex_lock(&lock);
	entry_of(st)->reads++;
	pthread_mutex_unlock(&lock);
}

/* What is in the folder, not in folders below it: a link in a folder that a stranger sent may lead to "/". */
static void note_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct stat st;

	if (!dir) {
		mem_check(errno);
		return;
	}
	while ((e = readdir(dir)))
		if (!fstatat(dirfd(dir), e->d_name, &st, 0) && S_ISREG(st.st_mode))
			input_note(&st);
	closedir(dir);
}

void input_note_path(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	if (S_ISDIR(st.st_mode))
		note_folder(path);
	else if (S_ISREG(st.st_mode))
		input_note(&st);
}

void input_note_file(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st))
		return;
	if (S_ISREG(st.st_mode))
		input_note(&st);
}

bool input_noted(const struct stat *st)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = S_ISREG(st->st_mode) && entry_of(st)->reads;
	pthread_mutex_unlock(&lock);
	return is;
}

void input_forget(const char *path)
{
	struct file_id *f;
	struct stat st;

	if (stat(path, &st))
		return;
	pthread_mutex_lock(&lock);
	f = entry_of(&st);
	f->reads -= f->reads > 0;
	pthread_mutex_unlock(&lock);
}

void input_forget_all(void)
{
	free(noted.v);
	slots_free(&noted.slots);
	memset(&noted, 0, sizeof(noted));
}
