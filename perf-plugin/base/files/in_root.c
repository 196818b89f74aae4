/* SPDX-License-Identifier: GPL-2.0-only */
/* in_root.c - paths inside a copy of another machine's file system, as chroot(2) would resolve them. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/input.h"

#define MAX_LINKS	40	/* as the kernel */

struct walk {
	char *out;		/* root, then what was resolved, without a slash at its end */
	size_t root_len, len;
	char *rest;		/* still to resolve */
	unsigned int links;
};

/* Takes the last component off, but nothing of the root. */
static void up(struct walk *w)
{
	while (w->len > w->root_len && w->out[--w->len] != '/')
		;
	w->out[w->len] = 0;
}

static void append(struct walk *w, const char *name, size_t n)
{
	w->out = mem_more(w->out, w->len + n + 2, 1);
	w->out[w->len] = '/';
	memcpy(w->out + w->len + 1, name, n);
	w->len += n + 1;
	w->out[w->len] = 0;
}

/* Puts the target of the link that `out` is in front of the rest. */
static int follow(struct walk *w, const char *target, size_t n, const char *rest)
{
	char *joined;

	if (++w->links > MAX_LINKS) {
		errno = ELOOP;
		return -1;
	}
	joined = mem_new(n + strlen(rest) + 1);
	memcpy(joined, target, n);
	strcpy(joined + n, rest);
	free(w->rest);
	w->rest = joined;
	up(w);
	if (n && target[0] == '/') {
		w->len = w->root_len;
		w->out[w->len] = 0;
	}
	return 0;
}

static int step(struct walk *w, char *name, size_t n)
{
	char target[PATH_MAX];
	ssize_t len;

	if (n == 2 && name[0] == '.' && name[1] == '.') {
		up(w);
	} else if (n && (n > 1 || name[0] != '.')) {
		append(w, name, n);
		len = readlink(w->out, target, sizeof(target));
		if (len == (ssize_t)sizeof(target)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (len >= 0)
			return follow(w, target, (size_t)len, name + n);
	}
	memmove(w->rest, name + n, strlen(name + n) + 1);
	return 0;
}

char *input_in_root(const char *root, const char *path)
{
	struct walk w = { .out = mem_text(root), .rest = mem_text(path) };
	int rc = 0;

	w.len = strlen(w.out);
	while (w.len && w.out[w.len - 1] == '/')
		w.out[--w.len] = 0;
	w.root_len = w.len;
	while (!rc && *w.rest) {
		char *name = w.rest + strspn(w.rest, "/");

		rc = step(&w, name, strcspn(name, "/"));
	}
	if (!rc && !w.len)
		append(&w, "", 0);	/* the root itself */
	free(w.rest);
	if (!rc)
		return w.out;
	free(w.out);
	return NULL;
}
