/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h - which call fails, for the two ways to get between a program and its C library (refuse.c, wrap.c).
 *
 * CST_FAULT=CLASS:N[+][:ERRNO]  the Nth call of CLASS (with '+': and each later one) fails with ERRNO
 * CST_FAULT_COUNTS=FILE         at the end: a line "CLASS CALLS" for each class
 * CST_FAULT_PLACES=FILE         at the end: a line "CLASS N PLACE" for each place with calls of a class: the number of its
 *                               first call. A place is a call with those that led to it (DEPTH return addresses).
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum fault_class { ALLOC, MMAP, OPEN, READ, WRITE, CLOSE, STAT, CHANGE, SHORTREAD, SHORTWRITE, CLASSES };

static const struct {
	const char *name;
	int error;		/* unless CST_FAULT has one */
} classes[CLASSES] = {
	[ALLOC] = { "alloc", ENOMEM }, [MMAP] = { "mmap", ENOMEM }, [OPEN] = { "open", EMFILE },
	[READ] = { "read", EIO }, [WRITE] = { "write", ENOSPC }, [CLOSE] = { "close", EIO },
	[STAT] = { "stat", EIO }, [CHANGE] = { "change", EIO }, [SHORTREAD] = { "shortread", 0 },
	[SHORTWRITE] = { "shortwrite", 0 },
};

enum { DEPTH = 6, PLACES = 1 << 14 };

static struct place {
	uint64_t chain, first;
	enum fault_class class;
} places[PLACES];
static const char *places_file;

static bool active, all_later;
static int chosen = CLASSES, error;
static uint64_t number, calls[CLASSES];

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("CST_FAULT");
	char *end;
	int c;

	for (c = 0; text && c < CLASSES; c++) {
		size_t n = strlen(classes[c].name);

		if (strncmp(text, classes[c].name, n) || text[n] != ':')
			continue;
		chosen = c;
		number = strtoull(text + n + 1, &end, 10);
		all_later = *end == '+';
		end += all_later;
		error = *end == ':' ? atoi(end + 1) : classes[c].error;
	}
	places_file = getenv("CST_FAULT_PLACES");
	active = true;
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = getenv("CST_FAULT_COUNTS");
	const struct place *p;
	FILE *f;
	int c;

	active = false;
	f = path ? fopen(path, "w") : NULL;
	for (c = 0; f && c < CLASSES; c++)
		fprintf(f, "%s %llu\n", classes[c].name, (unsigned long long)calls[c]);
	if (f)
		fclose(f);
	f = places_file ? fopen(places_file, "w") : NULL;
	for (p = places; f && p < places + PLACES && p->chain; p++)
		fprintf(f, "%s %llu %016llx\n", classes[p->class].name, (unsigned long long)p->first,
			(unsigned long long)p->chain);
	if (f)
		fclose(f);
}

/* Two threads that record a place at a time may overwrite one of the two. */
static void note_place(enum fault_class c)
{
	static __thread bool here;	/* backtrace() may allocate */
	struct place *p;
	uint64_t chain = 1;
	void *at[DEPTH];
	Dl_info info;
	int i, n;

	if (here)
		return;
	here = true;
	n = backtrace(at, DEPTH);
	for (i = 0; i < n; i++)
		if (dladdr(at[i], &info))
			chain = (chain ^ (uint64_t)((char *)at[i] - (char *)info.dli_fbase)) * 0x100000001b3u;
	for (p = places; p < places + PLACES && p->chain && (p->chain != chain || p->class != c); p++)
		;
	if (p == places + PLACES)
		abort();	/* PLACES is too small */
	if (!p->chain)
		*p = (struct place){ chain, calls[c], c };
	here = false;
}

static bool refused(enum fault_class c)
{
	if (!active)
		return false;
	calls[c]++;
	if (places_file)
		note_place(c);
	if (chosen != (int)c || (all_later ? calls[c] < number : calls[c] != number))
		return false;
	if (error)
		errno = error;
	return true;
}

#endif
