/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces of code with the calls that are inlined around them, also of DWARF whose ranges do not
 * nest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/difference/chains.h"

static const struct source_inlined *given;

void __wrap_source_each_inlined(struct source *l,
				void (*inlined)(void *data, const struct source_inlined *i),
				void *data);

void __wrap_source_each_inlined(struct source *l,
				void (*inlined)(void *data, const struct source_inlined *i),
				void *data)
{
	const struct source_inlined *i;

	(void)l;
	for (i = given; i->name; i++)
		inlined(data, i);
}

/* The pieces as "10-20:a 20-30:ab". */
static void pieces_are(const struct source_inlined *v, const char *want)
{
	struct strings names = { .v = NULL };
	uint32_t around[SOURCE_INLINED_DEPTH];
	char text[512] = "";
	struct chains c;
	unsigned int n, k;
	size_t i;

	given = v;
	chains_init(&c, NULL, &names);
	for (i = 0; i < c.nr_pieces; i++) {
		snprintf(text + strlen(text), 64, "%s%u-%u:", i ? " " : "",
			 (unsigned int)c.pieces[i].begin, (unsigned int)c.pieces[i].end);
		n = chains_names(&c, &c.pieces[i], around);
		for (k = 0; k < n; k++)
			strcat(text, names.v[around[k]]);
	}
	assert_string_equal(text, want);
	chains_free(&c);
	strings_free(&names);
}

static void nested(void **state)
{
	const struct source_inlined one[] = { { 10, 20, 0, "a" }, { .name = NULL } };
	const struct source_inlined two[] = {
		{ 10, 50, 0, "a" }, { 20, 30, 1, "b" }, { 24, 26, 2, "c" }, { .name = NULL }
	};
	const struct source_inlined begins[] = {
		{ 10, 20, 1, "b" }, { 10, 40, 0, "a" }, { 40, 44, 0, "c" }, { .name = NULL }
	};
	const struct source_inlined none[] = { { .name = NULL } };

	(void)state;
	pieces_are(none, "");
	pieces_are(one, "10-20:a");
	pieces_are(two, "10-20:a 20-24:ab 24-26:abc 26-30:ab 30-50:a");
	/* whatever the order of the units; a call begins where the one around it does */
	pieces_are(begins, "10-20:ab 20-40:a 40-44:c");
}

static void damaged(void **state)
{
	const struct source_inlined longer[] = {
		{ 10, 20, 0, "a" }, { 14, 90, 1, "b" }, { 30, 34, 0, "c" }, { .name = NULL }
	};
	const struct source_inlined empty[] = {
		{ 10, 10, 0, "a" }, { 20, 12, 0, "b" }, { .name = NULL }
	};
	struct source_inlined deep[SOURCE_INLINED_DEPTH + 10];
	char want[SOURCE_INLINED_DEPTH + 20] = "10-20:";
	unsigned int i;

	(void)state;
	/* the inner one ends with the outer one */
	pieces_are(longer, "10-14:a 14-20:ab 30-34:c");
	pieces_are(empty, "");
	for (i = 0; i < SOURCE_INLINED_DEPTH + 9; i++)
		deep[i] = (struct source_inlined){ 10, 20, i, i % 2 ? "y" : "x" };
	deep[i].name = NULL;
	for (i = 0; i < SOURCE_INLINED_DEPTH; i++)
		strcat(want, i % 2 ? "y" : "x");
	pieces_are(deep, want);
}

static void found(void **state)
{
	const struct source_inlined v[] = {
		{ 10, 20, 0, "a" }, { 30, 40, 0, "b" }, { .name = NULL }
	};
	struct strings names = { .v = NULL };
	struct chains c;

	(void)state;
	given = v;
	chains_init(&c, NULL, &names);
	assert_int_equal(chains_from(&c, 0)->begin, 10);
	assert_int_equal(chains_from(&c, 19)->begin, 10);
	assert_int_equal(chains_from(&c, 20)->begin, 30);
	assert_null(chains_from(&c, 40));
	chains_free(&c);
	strings_free(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),
		cmocka_unit_test(damaged),
		cmocka_unit_test(found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
