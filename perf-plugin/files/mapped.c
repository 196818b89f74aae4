/* SPDX-License-Identifier: GPL-2.0-only */
#include "files/mapped.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfdata/name.h"

#define BUCKETS	256u

/*
 * A mapping. Handlers of SIGBUS read the table: the signal comes from an access to the mapped bytes, which
 * nothing here makes while the table changes.
 */
struct mapping {
	struct mapping *next;
	const uint8_t *p;
	size_t size;		/* bytes of the mapping; the file had at least as many */
	dev_t dev;
	ino_t ino;
	int fd;			/* a standard descriptor that stays open; -1: the name is a path */
	const char *shown;	/* the name for messages, behind it */
	char name[];
};

static struct mapping *table[BUCKETS];
static char *shrunk;		/* the first file that was found to be shorter */

static struct mapping **bucket(const void *p)
{
	uintptr_t v = (uintptr_t)p >> 12;

	return &table[(v ^ v >> 8) % BUCKETS];
}

void *mapped_new(int fd, size_t size, int prot, const char *name)
{
	const char *shown = name_shown(name);
	size_t len = strlen(name) + 1;
	struct mapping *m = malloc(sizeof(*m) + len + strlen(shown) + 1), **to;
	struct stat st;
	void *p;

	if (!m)
		return NULL;
	p = fstat(fd, &st) ? MAP_FAILED : mmap(NULL, size, prot, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		free(m);
		return NULL;
	}
	*m = (struct mapping){ .p = p, .size = size, .dev = st.st_dev, .ino = st.st_ino,
			       .fd = fd <= STDERR_FILENO ? fd : -1 };
	memcpy(m->name, name, len);
	m->shown = strcpy(m->name + len, shown);
	to = bucket(p);
	m->next = *to;
	*to = m;
	return p;
}

/* A path that names another file by now says nothing about the mapped one. */
static bool is_shorter(const struct mapping *m)
{
	struct stat st;

	if (m->fd >= 0 ? fstat(m->fd, &st) : stat(m->name, &st))
		return false;
	return st.st_dev == m->dev && st.st_ino == m->ino && (uint64_t)st.st_size < m->size;
}

void mapped_free(const void *p, size_t size)
{
	struct mapping **at = bucket(p), *m;

	while (*at && (*at)->p != p)
		at = &(*at)->next;
	m = *at;
	if (m) {
		*at = m->next;
		if (!shrunk && is_shorter(m))
			shrunk = strdup(m->name);
		free(m);
	}
	munmap((void *)p, size);
}

const char *mapped_name_at(const void *addr, uint64_t *offset)
{
	const uint8_t *a = addr;
	const struct mapping *m;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++)
		for (m = table[i]; m; m = m->next)
			if (a >= m->p && (size_t)(a - m->p) < m->size) {
				*offset = (uint64_t)(a - m->p);
				return m->shown;
			}
	return NULL;
}

const char *mapped_shrunk(void)
{
	const struct mapping *m;
	unsigned int i;

	if (shrunk)
		return shrunk;
	for (i = 0; i < BUCKETS; i++)
		for (m = table[i]; m; m = m->next)
			if (is_shorter(m))
				return m->name;
	return NULL;
}

int mapped_check(struct pd_error *err)
{
	const char *name = mapped_shrunk();

	return name ? pd_fail(err, PD_E_IO, 0, "%s: became shorter while it was read; run again when nothing writes to it",
			      name) : 0;
}
