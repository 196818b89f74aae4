/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h - which call fails, for the two ways to get between a program and its C library (refuse.c, wrap.c).
 *
 * CST_FAULT=CLASS:N[+][:ERRNO]  the Nth call of CLASS (with '+': and each later one) fails with ERRNO
 * CST_FAULT_COUNTS=FILE         at the end: a line "CLASS CALLS" for each class
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <errno.h>
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
	active = true;
}

__attribute__((destructor)) static void finish(void)
{
	const char *path = getenv("CST_FAULT_COUNTS");
	FILE *f;
	int c;

	active = false;
	f = path ? fopen(path, "w") : NULL;
	for (c = 0; f && c < CLASSES; c++)
		fprintf(f, "%s %llu\n", classes[c].name, (unsigned long long)calls[c]);
	if (f)
		fclose(f);
}

static bool refused(enum fault_class c)
{
	if (!active)
		return false;
	calls[c]++;
	if (chosen != (int)c || (all_later ? calls[c] < number : calls[c] != number))
		return false;
	if (error)
		errno = error;
	return true;
}

#endif
