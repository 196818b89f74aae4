/* SPDX-License-Identifier: GPL-2.0-only */
/* mapped.c - the table of mapped inputs, with their sizes when they were mapped. */
#include "base/files/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/name.h"

#define BUCKETS	256u
#define ADDRESS_BITS	46	/* of a process, at most */

/*
 * A mapping. Handlers of SIGBUS read the table while another thread may change it: an entry is complete before
 * it is linked, and one that was unlinked is not freed, but kept for a later mapping with a name of that length.
 */
struct mapping {
	struct mapping *_Atomic next;
	struct mapping *spare;	/* the next of those that are not in use */
	size_t room;		/* bytes of `name` */
	const uint8_t *p;
	size_t size;		/* bytes of the mapping; the file had at least as many */
	dev_t dev;
	ino_t ino;
	int prot;
	int fd;			/* a standard descriptor that stays open; -1: the name is a path */
	const char *shown;	/* the name for messages, behind it */
	char name[];
};

static struct mapping *_Atomic table[BUCKETS];
static struct mapping *spares;
static char *shrunk;		/* the first file that was found to be shorter */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list */

static struct mapping *_Atomic *bucket(const void *p)
{
	uintptr_t v = (uintptr_t)p >> 12;

	return &table[(v ^ v >> 8) % BUCKETS];
}

static struct mapping *new_entry(size_t room)
{
	struct mapping **at, *m;

	pthread_mutex_lock(&lock);
	for (at = &spares; *at && (*at)->room < room; at = &(*at)->spare)
		;
	m = *at;
	if (m)
		*at = m->spare;
	pthread_mutex_unlock(&lock);
	if (m)
		return m;
	m = mem_new(sizeof(*m) + room);
	m->room = room;
	return m;
}

static void free_entry(struct mapping *m)
{
	pthread_mutex_lock(&lock);
	m->spare = spares;
	spares = m;
	pthread_mutex_unlock(&lock);
}

void *mapped_new(int fd, size_t size, int prot, const char *name)
{
	return mapped_part(fd, 0, size, prot, name);
}

static void *map(int fd, uint64_t start, size_t size, int prot, int flags, const char *name)
{
	const char *shown = name_shown(name);
	size_t len = strlen(name) + 1;
	struct mapping *m = new_entry(len + strlen(shown) + 1), *_Atomic *to;
	struct stat st;
	void *p;

	p = fstat(fd, &st) ? MAP_FAILED : mmap(NULL, size, prot, flags, fd, (off_t)start);
	if (p == MAP_FAILED) {
		free_entry(m);
		return NULL;
	}
	m->p = p;
	m->size = size;
	m->prot = prot;
	m->dev = st.st_dev;
	m->ino = st.st_ino;
	m->fd = fd <= STDERR_FILENO ? fd : -1;
	memcpy(m->name, name, len);
	m->shown = strcpy(m->name + len, shown);
	to = bucket(p);
	pthread_mutex_lock(&lock);
	m->next = *to;
	*to = m;
	pthread_mutex_unlock(&lock);
	return p;
}

void *mapped_part(int fd, uint64_t start, size_t size, int prot, const char *name)
{
	void *p = map(fd, start, size, prot, MAP_PRIVATE, name);

	if (!p) {
		/* larger than an address space, as a sparse file can be: no memory helps */
		if ((uint64_t)size >> ADDRESS_BITS)
			errno = EFBIG;
		mem_check(errno);
	}
	return p;
}

void *mapped_growing(int fd, size_t size, const char *name)
{
	return map(fd, 0, size, PROT_READ, MAP_SHARED | MAP_NORESERVE, name);
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
	struct mapping *_Atomic *at = bucket(p), *m;

	pthread_mutex_lock(&lock);
	for (m = *at; m && m->p != p; m = m->next)
		at = &m->next;
	if (m) {
		*at = m->next;
		if (!shrunk && is_shorter(m))
			shrunk = mem_text(m->name);
	}
	pthread_mutex_unlock(&lock);
	munmap((void *)p, size);
	if (m)
		free_entry(m);
}

/* Async-signal-safe. */
static const struct mapping *mapping_at(const uint8_t *a)
{
	const struct mapping *m;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++)
		for (m = table[i]; m; m = m->next)
			if (a >= m->p && (size_t)(a - m->p) < m->size)
				return m;
	return NULL;
}

const char *mapped_name_at(const void *addr, uint64_t *offset)
{
	const uint8_t *a = addr;
	const struct mapping *m = mapping_at(a);

	if (!m)
		return NULL;
	*offset = (uint64_t)(a - m->p);
	return m->shown;
}

/* Sets the bounds of the mapping at `p`. False: there is none, or it is not for reading alone. */
static bool read_alone(const void *p, uintptr_t *begin, size_t *size)
{
	const struct mapping *m;
	bool is;

	pthread_mutex_lock(&lock);
	m = mapping_at(p);
	is = m && m->prot == PROT_READ;
	if (is) {
		*begin = (uintptr_t)m->p;
		*size = m->size;
	}
	pthread_mutex_unlock(&lock);
	return is;
}

void mapped_drop(const void *p, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = ((uintptr_t)p + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)p + size) / page * page;
	uintptr_t whole;
	size_t all;

	/* a failure costs memory alone */
	if (begin < end && read_alone(p, &whole, &all))
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void mapped_release(const void *p)
{
	uintptr_t begin;
	size_t size;

	if (p && read_alone(p, &begin, &size))
		madvise((void *)begin, size, MADV_DONTNEED);
}

void mapped_ahead(const void *p, size_t size)
{
#ifdef MADV_POPULATE_READ
	const uintptr_t begin = (uintptr_t)p & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

	if (size > MAPPED_AHEAD)
		size = MAPPED_AHEAD;
	/* a failure costs speed alone, and is that of each Linux before 5.14 */
	madvise((void *)begin, (uintptr_t)p + size - begin, MADV_POPULATE_READ);
#else
	(void)p;
	(void)size;
#endif
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

int mapped_check(struct error *err)
{
	const char *name = mapped_shrunk();

	return name ? error_set(err, ERR_IO, "%s: became shorter while it was read; run again when nothing writes to it",
				name) : 0;
}
