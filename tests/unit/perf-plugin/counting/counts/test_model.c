/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of counts: what records make of it, and records that fit nowhere. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "counting/counts/identity.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"
#include "outputs/profile/choose.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

static int add(struct model *m, struct cst_count_record rec)
{
	return model_add(m, &rec);
}

static void unfitting(void **state)
{
	static const struct cst_count_record bad[] = {
		{ .kind = CST_COUNT_SEGMENT },
		{ .kind = CST_COUNT_RANGE },
		{ .kind = CST_COUNT_NOT_TAKEN },
		{ .kind = CST_COUNT_EDGE },
		{ .kind = CST_COUNT_ENTRY },
		{ .kind = CST_COUNT_NODE, .node = { .depth = 1, .binary = CST_COUNT_NO_BINARY, .from_binary = CST_COUNT_NO_BINARY } },
		{ .kind = CST_COUNT_NODE, .node = { .binary = 0, .from_binary = CST_COUNT_NO_BINARY } },
		{ .kind = CST_COUNT_NODE, .node = { .binary = CST_COUNT_NO_BINARY, .from_binary = 0 } },
		{ .kind = CST_COUNT_NODE + 1 },
		{ .kind = 0 },
	};
	struct model m;
	unsigned int i;

	(void)state;
	model_init(&m);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(model_add(&m, &bad[i]), ERR_RECORD);
	model_free(&m);
}

TEMP_DIR("model")

/* A binary by the begin of its build-id, which must be that of one alone, and by its name. */
static void chosen(void **state)
{
	static const struct cst_count_binary is[] = {
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 3, .id = { 0xab, 0xcd, 0x01 }, .name = "/bin/a" },
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 3, .id = { 0xab, 0xcd, 0x12 }, .name = "/sbin/a" },
		{ .id_kind = CST_COUNT_ID_DIGEST, .id_len = 3, .id = { 0xff, 0xff, 0xff }, .name = "/bin/b" },
		{ .id_kind = CST_COUNT_ID_DIGEST, .id_len = 3, .id = { 0xff, 0xff, 0xfe }, .name = "m()", .type = CST_COUNT_JIT },
		{ .id_kind = CST_COUNT_ID_DIGEST, .id_len = 3, .id = { 0xff, 0xff, 0xfd }, .name = "m()", .type = CST_COUNT_JIT },
		/* two builds of one program */
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 2, .id = { 0x12, 0x34 }, .name = "/bin/d" },
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 2, .id = { 0x12, 0x56 }, .name = "/bin/d" },
	};
	static const struct {
		const char *want;
		int number;	/* -1: none */
	} row[] = {
		{ "build-id:abcd01", 0 }, { "build-id:abcd1", 1 }, { "build-id:ABCD12", 1 }, { "build-id:abcd", -1 }, { "build-id:", -1 },
		{ "build-id:ff", -1 }, { "build-id:abcd0123", -1 }, { "/sbin/a", 1 }, { "a", -1 }, { "b", 2 }, { "/lib/b", 2 }, { "c", -1 },
		{ "m()", 3 }, { "/bin/d", -1 }, { "d", -1 }, { "build-id:1256", 6 },
	};
	struct dso here = { .kind = DSO_FILE,
			    .state = DSO_LOADED,
			    .image.file = (char *)"/symfs/bin/d" },
		   missing = { .state = DSO_MISSING };
	struct model_binary **v, *b;
	char text[1024] = "";
	struct model m;
	unsigned int i;
	FILE *f;

	(void)state;
	model_init(&m);
	for (i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		assert_int_equal(add(&m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = is[i] }), 0);
	v = model_busiest(&m);
	assert_non_null(v);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		b = choose_named(v, m.nr_binaries, row[i].want);
		assert_int_equal(b ? (int)b->number : -1, row[i].number);
	}
	/* the list has what tells them apart */
	f = fmemopen(text, sizeof(text), "w");
	assert_non_null(f);
	choose_list(f, v, m.nr_binaries, 0, "instructions");
	fclose(f);
	assert_non_null(strstr(text, " instructions  /bin/b\n"));
	assert_non_null(strstr(text, " instructions  /bin/d (build-id:1234)\n"));
	assert_non_null(strstr(text, " instructions  /bin/d (build-id:1256)\n"));
	assert_null(strstr(text, "a (build-id"));
	/* the build whose file is here */
	m.binaries[5].dso = &missing;
	m.binaries[6].dso = &here;
	assert_ptr_equal(choose_named(v, m.nr_binaries, "/bin/d"), &m.binaries[6]);
	assert_ptr_equal(choose_named(v, m.nr_binaries, "/symfs/bin/d"), &m.binaries[6]);
	m.binaries[5].dso = &here;
	assert_null(choose_named(v, m.nr_binaries, "/bin/d"));
	free(v);
	model_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unfitting), cmocka_unit_test(chosen),
	};

	return cmocka_run_group_tests_name("profile model", tests, make_dir, remove_dir);
}
