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

#define REC(k, member, ...) (struct cst_count_record){ .kind = k, .member = __VA_ARGS__ }

static int add(struct model *m, struct cst_count_record rec)
{
	return model_add(m, &rec);
}

static void binary(struct model *m, const char *name)
{
	assert_int_equal(add(m, REC(CST_COUNT_BINARY, binary, { .name = name })), 0);
}

static void sums(void **state)
{
	struct model_binary **v, *b;
	struct model m;
	uint64_t at, vaddr;

	(void)state;
	model_init(&m);
	assert_int_equal(add(&m, REC(CST_COUNT_TOTAL, total, { "instructions", 12 })), 0);
	assert_int_equal(model_total(&m, "instructions"), 12);
	assert_int_equal(model_total(&m, "loss.gaps"), 0);
	binary(&m, "b");
	assert_int_equal(add(&m, REC(CST_COUNT_SEGMENT, segment, { 0x10, 0x20, 0x1010, 0 })), 0);
	assert_int_equal(add(&m, REC(CST_COUNT_SEGMENT, segment, { 0x30, 0x20, 0x2030, 1 })), 0);
	binary(&m, "a");
	binary(&m, "a");
	assert_int_equal(add(&m, REC(CST_COUNT_RANGE, range, { .binary = 0, .insns = 3, .start = 0, .last = 8, .count = 5 })), 0);
	assert_int_equal(add(&m, REC(CST_COUNT_RANGE, range, { .binary = 0, .insns = 2, .start = 4, .last = 8, .count = 1 })), 0);
	assert_int_equal(add(&m, REC(CST_COUNT_EDGE, edge, { 0, 8, 0, 4 })), 0);
	assert_int_equal(add(&m, REC(CST_COUNT_EDGE, edge, { 0, 8, CST_COUNT_OUTSIDE, 2 })), 0);
	assert_int_equal(add(&m, REC(CST_COUNT_RANGE, range, { .binary = 2, .insns = 3, .count = UINT64_MAX / 2 })), 0);
	b = &m.binaries[0];
	assert_int_equal(b->insns, 17);
	assert_int_equal(b->branches, 6);
	assert_int_equal(b->inside, 4);
	assert_int_equal(m.binaries[2].insns, UINT64_MAX);
	assert_int_equal(add(&m, REC(CST_COUNT_RANGE, range, { .binary = 2, .insns = 3, .count = 2 })), 0);
	assert_int_equal(m.binaries[2].insns, UINT64_MAX);

	assert_true(model_vaddr(b, 0x2f, &vaddr));
	assert_int_equal(vaddr, 0x102f);
	assert_true(model_vaddr(b, 0x30, &vaddr));
	assert_int_equal(vaddr, 0x2030);
	assert_false(model_vaddr(b, 0x50, &vaddr));
	assert_int_equal(vaddr, 0x50);
	assert_true(model_first_segment(b, &at, &vaddr));
	assert_int_equal(at, 0x10);
	assert_false(model_first_segment(&m.binaries[1], &at, &vaddr));

	v = model_busiest(&m);
	assert_non_null(v);
	assert_ptr_equal(v[0], &m.binaries[2]);
	assert_ptr_equal(v[1], &m.binaries[0]);
	assert_ptr_equal(v[2], &m.binaries[1]);
	free(v);
	model_free(&m);
}

static void nodes(void **state)
{
	static const uint32_t depth[] = { 0, 1, 2, 2, 1, 0, 1 }, parent[] = { MODEL_NO_NODE, 0, 1, 1, 0, MODEL_NO_NODE, 5 };
	struct model m;
	unsigned int i;

	(void)state;
	model_init(&m);
	binary(&m, "b");
	for (i = 0; i < 7; i++)
		assert_int_equal(add(&m, REC(CST_COUNT_NODE, node, { .depth = depth[i], .from_binary = CST_COUNT_NO_BINARY })), 0);
	for (i = 0; i < 7; i++)
		assert_int_equal(m.nodes[i].parent, parent[i]);
	model_free(&m);
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
	struct dso here = { .kind = DSO_FILE, .state = DSO_LOADED, .file = (char *)"/symfs/bin/d" }, missing = { .state = DSO_MISSING };
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
	choose_list(f, v, m.nr_binaries, 0);
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

/* The SHA-1 of the code of a file, as a count file has it. */
static struct cst_count_binary by_code(const uint8_t *image)
{
	struct dso_segment all = { .filesz = ELF_SIZE, .exec = true };
	struct dso d = { .path = (char *)"/bin/a", .state = DSO_LOADED, .data = image, .size = ELF_SIZE, .segs = &all, .nr_segs = 1 };
	const struct binary b = { .dso = &d, .method = COUNTS_WHOLE };
	struct cst_count_binary is = { .name = "/bin/a" };

	assert_int_equal(identity_by_code(&b, &is), 0);
	assert_int_equal(is.id_kind, CST_COUNT_ID_DIGEST);
	return is;
}

/* Files are found by name and identity: one with another build-id is none, and one with other code is not used, unless forced. */
static void files(void **state)
{
	enum { RIGHT, OTHER_ID, SHORT_ID, CODE, OTHER_CODE, NAME, METHOD, MEMORY, NR };
	static const bool found[2][NR] = { { [RIGHT] = true, [CODE] = true, [NAME] = true },
					   { [RIGHT] = true, [OTHER_ID] = true, [SHORT_ID] = true, [CODE] = true, [OTHER_CODE] = true, [NAME] = true } };
	struct cst_count_binary is[NR] = {
		[RIGHT] = { .id_kind = CST_COUNT_ID_BUILD, .id_len = 20, .name = "/bin/a" },
		[OTHER_ID] = { .id_kind = CST_COUNT_ID_BUILD, .id_len = 20, .name = "/bin/a" },
		[SHORT_ID] = { .id_kind = CST_COUNT_ID_BUILD, .id_len = 1, .id = { 0x44 }, .name = "/bin/a" },
		[NAME] = { .id_kind = CST_COUNT_ID_NAME, .id_len = 20, .id = { 1 }, .name = "/bin/a" },
		[METHOD] = { .type = CST_COUNT_JIT, .id_kind = CST_COUNT_ID_DIGEST, .id_len = 20, .name = "/bin/a" },
		[MEMORY] = { .type = CST_COUNT_MEMORY, .id_kind = CST_COUNT_ID_NAME, .id_len = 20, .name = "/bin/a" },
	};
	static struct said said;
	uint8_t image[ELF_SIZE];
	char want[256];
	struct dso_table t;
	struct model m;
	unsigned int force;
	size_t i;

	(void)state;
	elf_build(image, EM_AARCH64, 0x11, true);
	temp_write(dir, "bin/a", image, sizeof(image));
	memset(is[RIGHT].id, 0x11, 20);
	memset(is[OTHER_ID].id, 0x22, 20);
	is[CODE] = by_code(image);
	is[OTHER_CODE] = is[CODE];
	is[OTHER_CODE].id[19] ^= 1;
	for (force = 0; force < 2; force++) {
		model_init(&m);
		for (i = 0; i < NR; i++)
			assert_int_equal(add(&m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = is[i] }), 0);
		dso_table_init(&t);
		t.search.symfs = dir;
		t.search.buildid_dir = dir;
		t.search.force = force;
		said_begin(&said);
		assert_int_equal(model_find_files(&m, &t), 0);
		said_end(&said);
		for (i = 0; i < NR; i++)
			if ((m.binaries[i].dso && dso_file(m.binaries[i].dso)) != found[force][i])
				fail_msg("binary %zu%s: its file is %s", i, force ? ", forced" : "", found[force][i] ? "not found" : "found");
		assert_null(m.binaries[METHOD].dso);
		assert_null(m.binaries[MEMORY].dso);
		snprintf(want, sizeof(want), "cstrace profile: /bin/a: %s/bin/a has other code than the counted file: not used; find that one "
			 "with --symfs DIR, or use this one with -f\n", dir);
		assert_int_equal(strstr(said.text, want) != NULL, !force);
		assert_int_equal(m.binaries[OTHER_CODE].dso != NULL, force);
		dso_table_free(&t);
		model_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums), cmocka_unit_test(nodes), cmocka_unit_test(unfitting), cmocka_unit_test(chosen),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("profile model", tests, make_dir, remove_dir);
}
