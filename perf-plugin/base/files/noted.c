/* SPDX-License-Identifier: GPL-2.0-only */
/* noted.c - which files are input: a hash table of device and inode numbers, for the whole process. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/files/input.h"

struct file_id {
	uint64_t dev, ino;
	unsigned int reads;	/* how often it was recorded and not forgotten */
	bool used;
};

static struct {
	struct file_id *v;
	size_t nr, size;	/* size: 0 or a power of two */
} noted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `noted` */

static struct file_id *slot_of(uint64_t dev, uint64_t ino)
{
	uint64_t h = (ino ^ dev << 32) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32);

	for (;; i++) {
		struct file_id *f = &noted.v[i & (noted.size - 1)];

		if (!f->used || (f->dev == dev && f->ino == ino))
			return f;
	}
}

static void grow(void)
{
	size_t old_size = noted.size, i;
	struct file_id *old = noted.v;

	noted.size = old_size ? 2 * old_size : 64;
	noted.v = mem_zeroed(noted.size, sizeof(*noted.v));
	for (i = 0; i < old_size; i++)
		if (old[i].used)
			*slot_of(old[i].dev, old[i].ino) = old[i];
	free(old);
}

void input_note(const struct stat *st)
{
	struct file_id *f;

	pthread_mutex_lock(&lock);
	if (2 * noted.nr >= noted.size)
		grow();
	f = slot_of(st->st_dev, st->st_ino);
	noted.nr += !f->used;
	*f = (struct file_id){ .dev = st->st_dev, .ino = st->st_ino, .reads = f->reads + 1,
			       .used = true };
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

bool input_noted(const struct stat *st)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = noted.size && S_ISREG(st->st_mode) && slot_of(st->st_dev, st->st_ino)->reads;
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
	if (noted.size) {
		f = slot_of(st.st_dev, st.st_ino);
		f->reads -= f->reads > 0;
	}
	pthread_mutex_unlock(&lock);
}

void input_forget_all(void)
{
	free(noted.v);
	memset(&noted, 0, sizeof(noted));
}
