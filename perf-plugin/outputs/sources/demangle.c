/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * demangle.c - __cxa_demangle() (Itanium C++ ABI, 3.4), for names whose expansion is bounded. A name of 300 bytes may expand to
 * any size, since a substitution (S_, T_) stands for what was before, and that for others. The C++ library has no bound, neither
 * of memory nor of time; so the expansion is estimated first.
 */
#include "outputs/sources/demangle.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Of 73,000 names of LLVM, clang and the C++ library, 21 are beyond the first limit; the longest of the others has 4,300 bytes. */
#define MAX_EXPANDED	(1u << 21)	/* estimated, in bytes of the mangled name */
#define MAX_SHOWN	(64u << 10)
#define MAX_NAME	(64u << 10)
#define MAX_KNOWN	1024u

typedef char *(*demangle_fn)(const char *name, char *buf, size_t *size, int *status);

static demangle_fn demangler(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };
	static demangle_fn found;
	void *symbol, *library;
	size_t i;

	for (i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		errno = 0;
		library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		if (!library)
			mem_check(errno);
		symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
		memcpy(&found, &symbol, sizeof(found));
	}
	return found;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The end of an identifier whose length the digits at `p` may be; lengths beyond the name are its end. */
static size_t identifier_end(const char *name, size_t at, size_t len)
{
	size_t n = 0;

	for (; is_digit(name[at]); at++)
		n = n * 10 + (size_t)(name[at] - '0') < len ? n * 10 + (size_t)(name[at] - '0') : len;
	return n < len - at ? at + n : len;
}

/* Reads S_, S0_, SZ_ or T_, T0_ at `at`. Returns its length and sets its number; 0: it is something else. */
static size_t substitution(const char *name, size_t at, size_t *number)
{
	size_t i = at + 1, n = 0;

	if (name[at] != 'S' && name[at] != 'T')
		return 0;
	for (; is_digit(name[i]) || (name[i] >= 'A' && name[i] <= 'Z'); i++)
		if (n < MAX_KNOWN)
			n = n * 36 + (size_t)(is_digit(name[i]) ? name[i] - '0' : name[i] - 'A' + 10);
	if (name[i] != '_')
		return 0;
	*number = i == at + 1 ? 0 : n + 1;
	return i + 1 - at;
}

/* True if S at `at` is a substitution, and no part of an operator (aS, lS, rS) or of a special name (TS). */
static bool is_certain(const char *name, size_t at)
{
	return name[at] == 'S' && at && !strchr("alrT", name[at - 1]);
}

struct estimate {
	const char *name;
	size_t len;
	size_t identifier;	/* up to here, bytes may be those of an identifier */
	uint64_t size;		/* expanded so far */
	uint64_t known[MAX_KNOWN]; /* the most that a substitution stands for */
	size_t nr_known;
};

static void look_for_identifier(struct estimate *e, size_t at)
{
	size_t end = is_digit(e->name[at]) ? identifier_end(e->name, at, e->len) : 0;

	if (end > e->identifier)
		e->identifier = end;
}

/*
 * Adds what is at `at`, and returns its length. What a substitution stands for ended before it is used: it has at most what the
 * name had there, or at the first use of this or of a later one, since they are numbered in order. A use that may be a part of
 * something else counts as a whole, and proves nothing.
 */
static size_t add(struct estimate *e, size_t at)
{
	const bool certain = at >= e->identifier && is_certain(e->name, at);
	size_t number, step = substitution(e->name, at, &number);

	if (step && certain && number < MAX_KNOWN) {
		while (e->nr_known <= number)
			e->known[e->nr_known++] = e->size;
		e->size += e->known[number];
		return step;
	}
	e->size += step ? e->size : 1;
	return 1;
}

static bool is_bounded(const char *name)
{
	struct estimate e = { .name = name, .len = strlen(name) };
	size_t i, end;

	if (e.len > MAX_NAME)
		return false;
	for (i = 0; i < e.len && e.size <= MAX_EXPANDED;)
		/* the digits of a substitution may be a length, too */
		for (end = i + add(&e, i); i < end; i++)
			look_for_identifier(&e, i);
	return e.size <= MAX_EXPANDED;
}

char *demangled(const char *name)
{
	demangle_fn f = strncmp(name, "_Z", 2) || !is_bounded(name) ? NULL : demangler();
	int status = 0;
	char *plain = f ? f(name, NULL, NULL, &status) : NULL;

	if (status == -1)
		mem_refused(0);
	if (!plain || strlen(plain) <= MAX_SHOWN)
		return plain;
	free(plain);
	return NULL;
}
