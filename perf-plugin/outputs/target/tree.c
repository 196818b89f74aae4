/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.c - files of the target: of this machine as they are, of a saved tree as its machine
 * would have resolved their paths.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <limits.h>

#include "base/array.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/number.h"
#include "outputs/target/internal.h"

/* The path on this machine; NULL with errno. */
static char *tree_path(const struct tree *tr, const char *path)
{
	return tr->root ? input_in_root(tr->root, path) : mem_text(path);
}

static void note_odd(struct tree *tr, const char *path)
{
	if (tr->t->nr_odd < TARGET_MAX_ODD)
		*ARRAY_ADD(tr->t->odd, tr->t->nr_odd, tr->t->cap_odd) = mem_text(path);
}

/* True if the collector of the tree could not read this file. */
static bool listed_unreadable(const struct tree *tr, const char *path)
{
	const char *line = tr->unreadable;
	size_t n = strlen(path);

	while (line && *line) {
		if (!strncmp(line, path, n) && (line[n] == '\n' || !line[n]))
			return true;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

/* What errno of a failed look means. */
static enum target_seen judge(struct tree *tr, const char *path)
{
	mem_check(errno);
	if (errno == EACCES || errno == EPERM)
		return TARGET_DENIED;
	if (errno == ENOENT || errno == ENOTDIR)
		return listed_unreadable(tr, path) ? TARGET_DENIED : TARGET_ABSENT;
	note_odd(tr, path);
	return TARGET_ODD;
}

char *tree_bytes(struct tree *tr, const char *path, size_t max, size_t *size,
		 enum target_seen *seen)
{
	char *real = tree_path(tr, path), *text;

	text = real ? input_read(real, max, size) : NULL;
	*seen = text ? TARGET_SEEN : judge(tr, path);
	free(real);
	if (text && listed_unreadable(tr, path)) {
		*seen = TARGET_DENIED;
		free(text);
		return NULL;
	}
	return text;
}

char *tree_text(struct tree *tr, const char *path, size_t max, enum target_seen *seen)
{
	size_t size;
	char *text = tree_bytes(tr, path, max, &size, seen);

	if (!text || strlen(text) == size)
		return text;
	*seen = TARGET_ODD;
	note_odd(tr, path);
	free(text);
	return NULL;
}

static void trim(char *text)
{
	static const char blanks[] = " \t\r\n";
	size_t from = strspn(text, blanks), len = strlen(text);

	while (len > from && strchr(blanks, text[len - 1]))
		len--;
	memmove(text, text + from, len - from);
	text[len - from] = 0;
}

char *tree_word(struct tree *tr, const char *path)
{
	enum target_seen seen;
	char *text = tree_text(tr, path, TREE_MAX_LINE, &seen);

	if (text)
		trim(text);
	return text;
}

bool text_number(const char *text, int64_t *value)
{
	bool negative = *text == '-';
	uint64_t v = 0;
	const char *end = number_read(text + negative, &v);

	if (!end || end[strspn(end, " \t\r\n")] || v > INT64_MAX)
		return false;
	*value = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

struct target_number tree_number(struct tree *tr, const char *path)
{
	struct target_number n = { TARGET_ABSENT, 0 };
	char *text = tree_text(tr, path, TREE_MAX_LINE, &n.seen);

	if (text && !text_number(text, &n.value)) {
		n.seen = TARGET_ODD;
		note_odd(tr, path);
	}
	free(text);
	return n;
}

enum target_seen tree_seen(struct tree *tr, const char *path)
{
	char *real = tree_path(tr, path);
	enum target_seen seen;
	struct stat st;

	if (real && !stat(real, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		/* containers put a device in the place of what they hide */
		seen = TARGET_ODD;
		note_odd(tr, path);
	} else if (!real || stat(real, &st))
		seen = judge(tr, path);
	else
		seen = listed_unreadable(tr, path) || access(real, R_OK) ? TARGET_DENIED :
									   TARGET_SEEN;
	free(real);
	return seen;
}

char *tree_link(struct tree *tr, const char *path)
{
	char *folder = mem_text_part(path, (size_t)(strrchr(path, '/') - path)), *real, *name;
	char target[PATH_MAX];
	ssize_t n = -1;

	real = tree_path(tr, folder);
	free(folder);
	if (real) {
		name = format_text("%s%s", real, strrchr(path, '/'));
		n = readlink(name, target, sizeof(target) - 1);
		free(name);
	}
	free(real);
	if (n < 0)
		return NULL;
	target[n] = 0;
	return mem_text(target);
}

/* True for a folder that is no link. */
static bool is_folder(const char *in, const struct dirent *d)
{
	struct stat st;
	char *path;
	bool is;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	path = format_text("%s/%s", in, d->d_name);
	is = !lstat(path, &st) && S_ISDIR(st.st_mode);
	free(path);
	return is;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum target_seen tree_names(struct tree *tr, const char *path, bool folders,
			    struct tree_list *names)
{
	char *real = tree_path(tr, path);
	struct dirent *d;
	enum target_seen seen;
	struct stat st;
	DIR *dir;

	*names = (struct tree_list){ .nr = 0 };
	if (real && !stat(real, &st) && !S_ISDIR(st.st_mode)) {
		free(real);
		note_odd(tr, path);
		return TARGET_ODD;
	}
	dir = real ? opendir(real) : NULL;
	if (!dir) {
		seen = judge(tr, path);
		free(real);
		return seen;
	}
	while (names->nr < TREE_MAX_NAMES && (d = readdir(dir)))
		if (d->d_name[0] != '.' && (!folders || is_folder(real, d)))
			*ARRAY_ADD(names->v, names->nr, names->cap) = mem_text(d->d_name);
	closedir(dir);
	free(real);
	ARRAY_SORT(names->v, names->nr, compare_names);
	return TARGET_SEEN;
}

void tree_names_free(struct tree_list *names)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		free(names->v[i]);
	free(names->v);
}

char *text_value(const char *text, const char *key)
{
	size_t n = strlen(key);
	char *value;

	while (text && strncmp(text, key, n)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text)
		return NULL;
	value = mem_text_part(text + n, strcspn(text + n, "\n"));
	trim(value);
	return value;
}

void text_version(const char *text, unsigned int *major, unsigned int *minor)
{
	uint64_t a, b;
	const char *end = number_read(text, &a);

	*major = *minor = 0;
	if (!end || *end != '.' || !number_read(end + 1, &b) || a > 999 || b > 9999)
		return;
	*major = (unsigned int)a;
	*minor = (unsigned int)b;
}
