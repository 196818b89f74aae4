/* SPDX-License-Identifier: BSD-3-Clause */
/* Feature sections by themselves: what each holds, in both byte orders, and what is said of one that is cut or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "perfdata/feature.h"
#include "unit/perf-plugin/perfdata_build.h"

static struct pd_env env;
static struct pd_attrs attrs;

static int set_up(void **state)
{
	(void)state;
	memset(&env, 0, sizeof(env));
	pd_attrs_init(&attrs);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	pd_env_free(&env);
	pd_attrs_free(&attrs);
	return 0;
}

static void expect_words(const char *got, const char *want)
{
	if (!want) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(got, want);
}

/* The whole section is read, and one that is a byte shorter "ends before its last field". */
static void whole_and_cut(unsigned int bit, const struct pdb *body)
{
	struct pd_env cut = { 0 };
	const char *bad = pd_feature_read(&cut, &attrs, bit, body->p, body->len - 1, 0, body->swap);

	expect_words(bad, "ends before its last field");
	assert_true(cut.raw[bit].damaged);
	pd_env_free(&cut);
	assert_null(pd_feature_read(&env, &attrs, bit, body->p, body->len, 0x100, body->swap));
	assert_false(env.raw[bit].damaged);
	assert_ptr_equal(env.raw[bit].ptr, body->p);
	assert_int_equal(env.raw[bit].len, body->len);
	assert_int_equal(env.raw[bit].offset, 0x100);
}

static void numbers(void **state)
{
	bool swap;

	(void)state;
	for (swap = false;; swap = true) {
		struct pdb cpus = { .swap = swap }, memory = { .swap = swap }, times = { .swap = swap };
		struct pdb clock = { .swap = swap }, folder = { .swap = swap }, packed = { .swap = swap };

		pdb_u32(&cpus, 8);
		pdb_u32(&cpus, 6);
		whole_and_cut(PD_FEAT_NRCPUS, &cpus);
		assert_int_equal(env.nrcpus_avail, 8);
		assert_int_equal(env.nrcpus_online, 6);
		pdb_u64(&memory, 1 << 20);
		whole_and_cut(PD_FEAT_TOTAL_MEM, &memory);
		pdb_u64(&times, 10);
		pdb_u64(&times, 20);
		whole_and_cut(PD_FEAT_SAMPLE_TIME, &times);
		assert_int_equal(env.sample_time_first, 10);
		assert_int_equal(env.sample_time_last, 20);
		pdb_u32(&clock, 1);
		pdb_u32(&clock, 4);
		pdb_u64(&clock, 100);
		pdb_u64(&clock, 200);
		whole_and_cut(PD_FEAT_CLOCK_DATA, &clock);
		pdb_u64(&folder, 1);
		whole_and_cut(PD_FEAT_DIR_FORMAT, &folder);
		assert_true(env.dir_format);
		assert_int_equal(env.dir_version, 1);
		pdb_zero(&packed, 20);
		whole_and_cut(PD_FEAT_COMPRESSED, &packed);
		pdb_free(&cpus);
		pdb_free(&memory);
		pdb_free(&times);
		pdb_free(&clock);
		pdb_free(&folder);
		pdb_free(&packed);
		if (swap)
			break;
		pd_env_free(&env);
	}
}

static void flag_only(void **state)
{
	uint8_t none = 0;

	(void)state;
	assert_null(pd_feature_read(&env, &attrs, PD_FEAT_BRANCH_STACK, &none, 0, 8, false));
	assert_ptr_equal(env.raw[PD_FEAT_BRANCH_STACK].ptr, &none);
	assert_null(pd_feature_read(&env, &attrs, PD_FEATURE_BITS, &none, 1, 0, false));
}

/* More words than the array's first step has room for; the count may promise more than there is. */
static void lists(void **state)
{
	struct pdb words = { 0 }, pmus = { .swap = true };
	char text[20];
	uint32_t i;

	(void)state;
	pdb_u32(&words, 20);
	pdb_u32(&pmus, 20);
	for (i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "word%u", i);
		pdb_feat_str(&words, text);
		pdb_u32(&pmus, 100 + i);
		pdb_feat_str(&pmus, text);
	}
	whole_and_cut(PD_FEAT_CMDLINE, &words);
	whole_and_cut(PD_FEAT_PMU_MAPPINGS, &pmus);
	assert_int_equal(env.nr_cmdline, 20);
	assert_int_equal(env.nr_pmus, 20);
	for (i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "word%u", i);
		assert_string_equal(env.cmdline[i], text);
		assert_string_equal(env.pmus[i].name, text);
		assert_int_equal(env.pmus[i].type, 100 + i);
	}
	pd_env_free(&env);
	words.p[0] = 21;
	expect_words(pd_feature_read(&env, &attrs, PD_FEAT_CMDLINE, words.p, words.len, 0, false), "ends before its last field");
	assert_int_equal(env.nr_cmdline, 20);
	pdb_free(&words);
	pdb_free(&pmus);
}

static void put_build_id(struct pdb *b, uint32_t pid, uint16_t misc, uint8_t first, uint8_t size, const char *name)
{
	uint8_t id[24] = { first };
	const size_t at = pdb_begin(b, 0, misc);

	id[19] = 19;
	id[20] = size;
	pdb_u32(b, pid);
	pdb_bytes(b, id, sizeof(id));
	pdb_str8(b, name);
	pdb_end(b, at);
}

static void build_ids(void **state)
{
	unsigned int swap;

	(void)state;
	for (swap = 0; swap < 2; swap++) {
		struct pdb b = { .swap = swap };

		put_build_id(&b, ~0u, PERF_RECORD_MISC_KERNEL, 1, 8, "[kernel.kallsyms]");
		put_build_id(&b, 7, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE, 2, 8, "/bin/a");
		put_build_id(&b, 7, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE, 3, 0, "/bin/none");
		put_build_id(&b, 7, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE, 4, 20, "/bin/all");
		put_build_id(&b, 7, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE, 5, 21, "/bin/more");
		whole_and_cut(PD_FEAT_BUILD_ID, &b);
		assert_int_equal(env.nr_build_ids, 5);
		assert_int_equal(env.build_ids[0].pid, ~0u);
		assert_int_equal(env.build_ids[0].misc, PERF_RECORD_MISC_KERNEL);
		assert_int_equal(env.build_ids[0].size, 20);	/* the size field is not said to be there */
		assert_int_equal(env.build_ids[0].id[0], 1);
		assert_int_equal(env.build_ids[0].id[19], 19);
		assert_string_equal(env.build_ids[0].filename, "[kernel.kallsyms]");
		assert_int_equal(env.build_ids[1].pid, 7);
		assert_int_equal(env.build_ids[1].size, 8);
		assert_string_equal(env.build_ids[1].filename, "/bin/a");
		assert_int_equal(env.build_ids[2].size, 20);
		assert_int_equal(env.build_ids[3].size, 20);
		assert_int_equal(env.build_ids[4].size, 20);
		pd_env_free(&env);
		pdb_free(&b);
	}
}

/* perf 6.12 writes 36 zeros after each entry, which its size does not count; zeros of any length are skipped. */
static void zeros_between_build_ids(void **state)
{
	static const uint8_t zeros[64];
	static const size_t gaps[] = { 36, 8, 64, 4, 0 };
	unsigned int swap, type;
	size_t i, k;

	(void)state;
	for (swap = 0; swap < 2; swap++)
		for (type = 0; type <= PERF_RECORD_HEADER_BUILD_ID; type += PERF_RECORD_HEADER_BUILD_ID) {
			struct pdb b = { .swap = swap };
			size_t at[5];

			for (i = 0; i < 5; i++) {
				at[i] = b.len;
				put_build_id(&b, ~0u, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE, 1 + (uint8_t)i, 20, "/bin/a");
				b.p[at[i] + (swap ? 3 : 0)] = (uint8_t)type;
				pdb_bytes(&b, zeros, gaps[i]);
			}
			/* a type of 67 after an odd number of words is read as a size in the other byte order */
			if (swap && type) {
				pdb_free(&b);
				continue;
			}
			assert_null(pd_feature_read(&env, &attrs, PD_FEAT_BUILD_ID, b.p, b.len, 0, swap));
			assert_int_equal(env.nr_build_ids, 5);
			for (k = 0; k < 5; k++)
				assert_int_equal(env.build_ids[k].id[0], 1 + k);
			pd_env_free(&env);
			pdb_free(&b);
		}
}

static void bad_build_ids(void **state)
{
	struct pdb b = { 0 };
	const size_t fixed = sizeof(struct perf_record_header_build_id);

	(void)state;
	put_build_id(&b, 7, 0, 1, 0, "/bin/a");
	put_build_id(&b, 7, 0, 2, 0, "/bin/b");
	/* the second entry's head is cut by a byte; the first is kept */
	expect_words(pd_feature_read(&env, &attrs, PD_FEAT_BUILD_ID, b.p, b.len / 2 + fixed - 1, 0, false), "ends before its last field");
	assert_int_equal(env.nr_build_ids, 1);
	pd_env_free(&env);
	b.p[6] = (uint8_t)fixed;
	expect_words(pd_feature_read(&env, &attrs, PD_FEAT_BUILD_ID, b.p, b.len, 0, false), "has an entry without a file name");
	pd_env_free(&env);
	b.p[6] = (uint8_t)(fixed + 6);	/* "/bin/a" without its end */
	expect_words(pd_feature_read(&env, &attrs, PD_FEAT_BUILD_ID, b.p, b.len, 0, false), "has a file name that is not terminated");
	pd_env_free(&env);
	b.p[6] = (uint8_t)(fixed + 7);
	expect_words(pd_feature_read(&env, &attrs, PD_FEAT_BUILD_ID, b.p, fixed + 7, 0, false), NULL);
	assert_string_equal(env.build_ids[0].filename, "/bin/a");
	pdb_free(&b);
}

static void put_event(struct pdb *b, uint32_t nr_ids, uint64_t id, const char *name)
{
	pdb_zero(b, 64);
	pdb_u32(b, nr_ids);
	pdb_feat_str(b, name);
	if (nr_ids)
		pdb_u64(b, id);
}

/* Names go to the attr with one of the ids; without an id, to the attr at the same place. */
static void event_names(void **state)
{
	static const uint64_t ids[] = { 11, 22, 33 };
	struct perf_event_attr attr = { .size = 64 };
	struct pdb b = { .swap = true }, again = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_non_null(pd_attrs_add(&attrs, &attr, 64, &ids[i], 1));
	pdb_u32(&b, 4);
	pdb_u32(&b, 64);
	put_event(&b, 1, 22, "second");
	put_event(&b, 1, 11, "first");
	put_event(&b, 0, 0, "third");
	put_event(&b, 1, 99, "of no attr");
	whole_and_cut(PD_FEAT_EVENT_DESC, &b);
	assert_string_equal(attrs.v[0]->name, "first");
	assert_string_equal(attrs.v[1]->name, "second");
	assert_string_equal(attrs.v[2]->name, "third");
	/* a name that is there stays */
	pdb_u32(&again, 1);
	pdb_u32(&again, 64);
	put_event(&again, 1, 11, "other");
	pd_env_free(&env);
	assert_null(pd_feature_read(&env, &attrs, PD_FEAT_EVENT_DESC, again.p, again.len, 0, false));
	assert_string_equal(attrs.v[0]->name, "first");
	pdb_free(&b);
	pdb_free(&again);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(numbers), TEST(flag_only), TEST(lists), TEST(build_ids),
		TEST(zeros_between_build_ids), TEST(bad_build_ids), TEST(event_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
