/* SPDX-License-Identifier: BSD-3-Clause */
/* Base names of parts and copies of functions, and source files of builds in different folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/difference/base_name.h"
#include "outputs/difference/files.h"

static void base_is(const char *name, const char *base)
{
	assert_int_equal(base_name_len(name), strlen(base));
	assert_memory_equal(name, base, strlen(base));
}

static void suffixes(void **state)
{
	(void)state;
	base_is("f.cold", "f");
	base_is("f.cold.12", "f");
	base_is("f.part.0", "f");
	base_is("f.part.3.constprop.0.cold", "f");
	base_is("_ZN1a1bEv.isra.0", "_ZN1a1bEv");
	base_is("f.lto_priv.0", "f");
	base_is("f.llvm.1234567890123", "f");
	base_is("f.__uniq.98765.llvm.12", "f");
}

/* Names that are those of functions of their own, or no suffix of a compiler. */
static void others(void **state)
{
	(void)state;
	base_is("f", "f");
	base_is("", "");
	base_is(".cold", ".cold");
	base_is("f.coldest", "f.coldest");
	base_is("f.0", "f.0");
	base_is("f._omp_fn.0", "f._omp_fn.0");
	base_is("f.resume", "f.resume");
	base_is("f.part.x", "f.part.x");
	base_is("f.part.", "f.part.");
	base_is("f.cold.resume", "f.cold.resume");
	base_is("f.resume.cold", "f.resume");
}

/* Pairs two lists of names, each with blanks between them, as "0=1 1=-". */
static char *pairs(const char *before, const char *after)
{
	struct strings s[2] = { { .v = NULL } };
	const char *const list[] = { before, after };
	char text[64], *out = calloc(1, 256);
	uint32_t *pair;
	unsigned int i;
	size_t n, k;

	for (i = 0; i < 2; i++)
		for (const char *p = list[i]; *p; p += n + (p[n] == ' ')) {
			n = strcspn(p, " ");
			snprintf(text, sizeof(text), "%.*s", (int)n, p);
			strings_number(&s[i], text);
		}
	pair = files_pair(&s[0], &s[1]);
	for (k = 0; k < s[0].n; k++)
		snprintf(out + strlen(out), 32, pair[k] == UINT32_MAX ? "%s-" : "%s%u",
			 k ? " " : "", pair[k]);
	free(pair);
	strings_free(&s[0]);
	strings_free(&s[1]);
	return out;
}

static void pairs_are(const char *before, const char *after, const char *want)
{
	char *have = pairs(before, after);

	assert_string_equal(have, want);
	free(have);
}

static void files(void **state)
{
	(void)state;
	pairs_are("/a/x.c /a/y.c", "/a/y.c /a/x.c", "1 0");
	pairs_are("/old/x.c", "/new/x.c", "0");
	pairs_are("/old/x.c", "/new/y.c", "-");
	/* the one whose folders are the same */
	pairs_are("/old/lib/x.c /old/bin/x.c", "/new/bin/x.c /new/lib/x.c", "1 0");
	/* one that is there under its whole name is not taken by another */
	pairs_are("/b/x.c /a/x.c", "/a/x.c /c/x.c", "1 0");
	pairs_are("/b/x.c /a/x.c", "/a/x.c", "- 0");
	pairs_are("x.c", "/a/x.c", "0");
	pairs_are("", "/a/x.c", "");
	pairs_are("/a/x.c", "", "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes),
		cmocka_unit_test(others),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
