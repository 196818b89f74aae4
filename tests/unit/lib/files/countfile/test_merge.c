/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_countfile_merge.c - sums of count files: the same bytes in any order and grouping, weights, contradictions, and each sum against
 * one that is made record by record. The seed is printed; CSTRACE_SEED sets another one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "unit/countfile_build.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NONE CST_COUNT_NO_BINARY

static uint32_t seed = 1;

static struct bytes added(const struct bytes *files, const uint64_t *weights, size_t n)
{
	struct bytes sum;
	char name[64];
	int rc = merge(files, weights, n, &sum, NULL, name, sizeof(name));

	if (rc)
		fail_msg("seed %u: %d, %s", seed, rc, name);
	return sum;
}

static void assert_same(const struct bytes *a, const struct bytes *b)
{
	if (a->len != b->len || memcmp(a->p, b->p, a->len))
		fail_msg("seed %u: two sums differ", seed);
}

/* The sum of a random tree of groups over files[0..n). */
static struct bytes by_tree(const struct bytes *files, const uint64_t *weights, size_t n, uint32_t *random)
{
	size_t i, k, groups = 2 + next_random(random, 5), from, to;
	struct bytes parts[8], sum;

	if (n <= 3)
		return added(files, weights, n);
	groups = groups < n ? groups : n;
	for (i = 0, from = 0; i < groups; i++) {
		to = i + 1 < groups ? from + (n - from) / (groups - i) : n;
		parts[i] = by_tree(files + from, weights + from, to - from, random);
		from = to;
	}
	sum = added(parts, NULL, groups);
	for (k = 0; k < groups; k++)
		bytes_free(&parts[k]);
	return sum;
}

static void shuffle(struct bytes *files, uint64_t *weights, size_t n, uint32_t *random)
{
	struct bytes file;
	uint64_t weight;
	size_t i, k;

	for (i = n; i > 1; i--) {
		k = next_random(random, (uint32_t)i);
		file = files[k];
		files[k] = files[i - 1];
		files[i - 1] = file;
		weight = weights[k];
		weights[k] = weights[i - 1];
		weights[i - 1] = weight;
	}
}

static void orders(size_t n, unsigned int size, unsigned int rounds, uint32_t *random)
{
	uint32_t world = next_random(random, 1u << 20), run = next_random(random, 1u << 20);
	struct bytes *files = calloc(n, sizeof(*files)), sum, other;
	uint64_t *weights = calloc(n, sizeof(*weights));
	size_t i;

	assert_non_null(files);
	assert_non_null(weights);
	for (i = 0; i < n; i++) {
		files[i] = random_file(world, run + (uint32_t)i, 1 + next_random(random, size));
		weights[i] = next_random(random, 3) ? 1 : 1 + (uint64_t)next_random(random, 1u << 28) * next_random(random, 1u << 28);
	}
	sum = added(files, weights, n);
	assert_canonical(&sum, 0);
	for (i = 0; i < rounds; i++) {
		shuffle(files, weights, n, random);
		other = i & 1 ? added(files, weights, n) : by_tree(files, weights, n, random);
		assert_same(&sum, &other);
		bytes_free(&other);
	}
	for (i = 0; i < n; i++)
		bytes_free(&files[i]);
	bytes_free(&sum);
	free(files);
	free(weights);
}

static void test_orders(void **state)
{
	uint32_t random = seed;
	unsigned int i;

	(void)state;
	for (i = 0; i < 150; i++)
		orders(1 + next_random(&random, 12), 1 + next_random(&random, 60), 6, &random);
}

/* ---- record by record ----------------------------------------------------------------------------- */

/* Records of all inputs, with ids in place of numbers, in a list. */
struct item {
	char key[1200];		/* what must be equal */
	uint64_t a, b;
	struct item *next;
};

#define SLOTS 4096

static struct item *slots[SLOTS];

static struct item *find(const char *key)
{
	uint32_t h = 5381;
	const char *p;
	struct item *it;

	for (p = key; *p; p++)
		h = h * 33 + (uint8_t)*p;
	for (it = slots[h % SLOTS]; it && strcmp(it->key, key); it = it->next)
		;
	if (it)
		return it;
	it = calloc(1, sizeof(*it));
	assert_non_null(it);
	strcpy(it->key, key);
	it->next = slots[h % SLOTS];
	slots[h % SLOTS] = it;
	return it;
}

static uint64_t plus(uint64_t a, uint64_t b, uint64_t weight)
{
	/* without a type of 128 bits, which hosts of 32 bits lack */
	return weight && b > (UINT64_MAX - a) / weight ? UINT64_MAX : b * weight + a;
}

/* A text for each record: names of binaries are their ids, a node's name is its path. */
static void each_record(const struct bytes *b, void (*fn)(const char *key, uint64_t a, uint64_t bb, uint64_t weight), uint64_t weight)
{
	static char ids[32][48], path[16][160];
	struct piecewise s = { b->p, b->len, 0, 0 };
	struct cst_count_record rec;
	struct cst_count_reader *r;
	char key[1200];
	unsigned int n = 0, i, k;

#define ID(n) ((n) == NONE ? "none" : ids[n])
	assert_int_equal(cst_count_reader_new(&r, piecewise_read, &s), 0);
	while (cst_count_read(r, &rec) == 1) {
		switch (rec.kind) {
		case CST_COUNT_TOTAL:
			snprintf(key, sizeof(key), "total %s", rec.total.name);
			fn(key, rec.total.value, 0, weight);
			break;
		case CST_COUNT_BINARY:
			k = (unsigned int)snprintf(ids[n], 48, "%u:", rec.binary.id_kind);
			for (i = 0; i < rec.binary.id_len; i++)
				k += (unsigned int)snprintf(ids[n] + k, 48 - k, "%02x", rec.binary.id[i]);
			n++;
			break;
		case CST_COUNT_RANGE:
			snprintf(key, sizeof(key), "range %s %llx %llx %u %u", ID(rec.range.binary), (unsigned long long)rec.range.start,
				 (unsigned long long)rec.range.last, rec.range.flags, rec.range.insns);
			fn(key, rec.range.count, 0, weight);
			break;
		case CST_COUNT_NOT_TAKEN:
			snprintf(key, sizeof(key), "not %s %llx %u", ID(rec.not_taken.binary), (unsigned long long)rec.not_taken.offset,
				 rec.not_taken.size);
			fn(key, rec.not_taken.count, 0, weight);
			break;
		case CST_COUNT_EDGE:
			snprintf(key, sizeof(key), "edge %s %llx %llx", ID(rec.edge.binary), (unsigned long long)rec.edge.from,
				 (unsigned long long)rec.edge.to);
			fn(key, rec.edge.count, 0, weight);
			break;
		case CST_COUNT_ENTRY:
			snprintf(key, sizeof(key), "entry %s %llx", ID(rec.entry.binary), (unsigned long long)rec.entry.offset);
			fn(key, rec.entry.count, 0, weight);
			break;
		case CST_COUNT_NODE:
			assert_true(rec.node.depth < COUNT(path));
			snprintf(path[rec.node.depth], sizeof(path[0]), "%u %s %llx %s %llx", rec.node.kind, ID(rec.node.from_binary),
				 (unsigned long long)rec.node.from, ID(rec.node.binary), (unsigned long long)rec.node.entry);
			k = 0;
			for (i = 0; i <= rec.node.depth; i++)
				k += (unsigned int)snprintf(key + k, sizeof(key) - k, "/%s", path[i]);
			assert_true(k < sizeof(key));
			fn(key, rec.node.calls, rec.node.insns, weight);
			break;
		}
	}
	cst_count_reader_free(r);
}

static size_t missing, others;

static void put_item(const char *key, uint64_t a, uint64_t b, uint64_t weight)
{
	struct item *it = find(key);

	it->a = plus(it->a, a, weight);
	it->b = plus(it->b, b, weight);
}

/* Takes the sum's record away again: nothing is left at the end. */
static void take_item(const char *key, uint64_t a, uint64_t b, uint64_t weight)
{
	struct item *it = find(key);

	(void)weight;
	others += it->a != a || it->b != b;
	it->a = it->b = 0;
	missing -= 1;
}

static void test_by_record(void **state)
{
	uint32_t random = seed + 2, world;
	struct bytes files[6], sum;
	uint64_t weights[6];
	unsigned int round;
	struct item *it;
	size_t n, i;

	(void)state;
	for (round = 0; round < 60; round++) {
		world = next_random(&random, 1000);
		n = 1 + next_random(&random, 6);
		for (i = 0; i < n; i++) {
			files[i] = random_file(world, next_random(&random, 1u << 20), 20);
			weights[i] = 1 + (uint64_t)next_random(&random, 4) * next_random(&random, 1u << 20);
			each_record(&files[i], put_item, weights[i]);
		}
		sum = added(files, weights, n);
		missing = others = 0;
		for (i = 0; i < SLOTS; i++)
			for (it = slots[i]; it; it = it->next)
				missing++;
		each_record(&sum, take_item, 0);
		if (missing || others)
			fail_msg("seed %u, round %u: %zu records are missing, %zu have other counts", seed, round, missing, others);
		bytes_free(&sum);
		for (i = 0; i < n; i++)
			bytes_free(&files[i]);
		for (i = 0; i < SLOTS; i++)
			while ((it = slots[i])) {
				slots[i] = it->next;
				free(it);
			}
	}
}

/* ---- special sums --------------------------------------------------------------------------------- */

/* A weight is as many files; none is an empty file. */
static void test_weights(void **state)
{
	struct bytes files[5], a, b, none = file_of(NULL, 0);
	uint64_t weight = 5, zero = 0;
	unsigned int run, i;
	size_t failed;

	(void)state;
	for (run = 0; run < 50; run++) {
		for (i = 0; i < 5; i++)
			files[i] = random_file(7, run, 30);
		a = added(files, NULL, 5);
		b = added(files, &weight, 1);
		assert_same(&a, &b);
		bytes_free(&a);
		bytes_free(&b);
		a = added(files, NULL, 1);
		assert_same(&a, &files[0]);
		bytes_free(&a);
		bytes_free(&files[3]);
		files[3] = none;
		a = added(files + 3, NULL, 2);
		assert_same(&a, &files[4]);
		bytes_free(&a);
		for (i = 0; i < 5; i++)
			if (i != 3)
				bytes_free(&files[i]);
	}
	a = added(NULL, NULL, 0);
	assert_same(&a, &none);
	bytes_free(&a);
	assert_int_equal(merge(&none, &zero, 1, &a, &failed, NULL, 0), -CST_ERR_INVAL);
	assert_int_equal(failed, 0);
	bytes_free(&a);
	bytes_free(&none);
}

#define BINARY(len_, first, type_, machine_, name_) { .kind = CST_COUNT_BINARY, \
	.binary = { .id_len = len_, .id = { first }, .type = type_, .machine = machine_, .name = name_ } }
#define SEGMENT(...) { .kind = CST_COUNT_SEGMENT, .segment = { __VA_ARGS__ } }
#define RANGE(...) { .kind = CST_COUNT_RANGE, .range = { __VA_ARGS__ } }
#define NOT_TAKEN(...) { .kind = CST_COUNT_NOT_TAKEN, .not_taken = { __VA_ARGS__ } }

/* Files that contradict each other, in every order; the name of the binary, and one of the two. */
static void test_conflicts(void **state)
{
	static const struct {
		struct cst_count_record a[4], b[4];
		size_t n, m;
		const char *name;	/* NULL: they do not contradict */
	} pairs[] = {
		{ { BINARY(1, 1, 0, 1, "x") }, { BINARY(1, 1, 0, 2, "x") }, 1, 1, "x" },
		{ { BINARY(1, 1, 0, 1, "x") }, { BINARY(1, 1, 0, 0, "w") }, 1, 1, NULL },
		{ { BINARY(1, 1, 0, 1, "x") }, { BINARY(1, 1, 1, 1, "w") }, 1, 1, "w" },
		{ { BINARY(1, 0, 0, 1, "x"), BINARY(1, 1, 0, 1, "b") }, { BINARY(1, 1, 3, 1, "b") }, 2, 1, "b" },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1) }, { BINARY(1, 1, 0, 1, "y") }, 2, 1, NULL },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1) }, { BINARY(1, 1, 0, 1, "y"), SEGMENT(1, 2, 3, 1) }, 2, 2, NULL },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1) }, { BINARY(1, 1, 0, 1, "y"), SEGMENT(1, 2, 3, 0) }, 2, 2, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1) }, { BINARY(1, 1, 0, 1, "y"), SEGMENT(1, 2, 4, 1) }, 2, 2, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1) }, { BINARY(1, 1, 0, 1, "y"), SEGMENT(1, 3, 3, 1) }, 2, 2, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1) }, { BINARY(1, 1, 0, 1, "y"), SEGMENT(2, 2, 3, 1) }, 2, 2, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1), SEGMENT(9, 1, 1, 1), BINARY(1, 2, 0, 1, "z") },
		  { BINARY(1, 1, 0, 1, "y"), SEGMENT(1, 2, 3, 1), BINARY(1, 2, 0, 1, "z") }, 4, 3, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), SEGMENT(1, 2, 3, 1), SEGMENT(9, 1, 1, 1), BINARY(1, 2, 0, 1, "z") },
		  { BINARY(1, 1, 0, 1, "y"), SEGMENT(9, 1, 1, 1), BINARY(1, 2, 0, 1, "z") }, 4, 3, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), RANGE(0, 1, 2, 0, 4, 1) }, { BINARY(1, 1, 0, 1, "x"), RANGE(0, 1, 3, 0, 4, 1) }, 2, 2, "x" },
		{ { BINARY(1, 1, 0, 1, "x"), RANGE(0, 1, 2, 0, 4, 1) }, { BINARY(1, 1, 0, 1, "x"), RANGE(0, 3, 3, 0, 4, 1) }, 2, 2, NULL },
		{ { BINARY(1, 0, 0, 1, "w"), BINARY(1, 1, 0, 1, "x"), NOT_TAKEN(1, 4, 8, 1) }, { BINARY(1, 1, 0, 1, "x"), NOT_TAKEN(0, 2, 8, 1) },
		  3, 2, "x" },
	};
	struct bytes files[4], sum;
	unsigned int order;
	size_t i, failed;
	char name[64];
	int rc;

	(void)state;
	for (i = 0; i < COUNT(pairs); i++)
		for (order = 0; order < 4; order++) {
			struct bytes a = file_of(pairs[i].a, pairs[i].n), b = file_of(pairs[i].b, pairs[i].m), none = file_of(NULL, 0);

			files[0] = order & 1 ? a : b;
			files[1] = order & 2 ? none : a;
			files[2] = order & 1 ? b : a;
			files[3] = order & 2 ? b : none;
			rc = merge(files, NULL, 4, &sum, &failed, name, sizeof(name));
			if (rc != (pairs[i].name ? -CST_ERR_CONFLICT : 0))
				fail_msg("pair %zu, order %u: %d", i, order, rc);
			if (rc) {
				assert_string_equal(name, pairs[i].name);
				assert_true(failed < 4);
			}
			bytes_free(&sum);
			bytes_free(&a);
			bytes_free(&b);
			bytes_free(&none);
		}
}

/* An input that is damaged or cut is named, and so is one that is none. */
static void test_bad_inputs(void **state)
{
	struct bytes files[7], sum;
	unsigned int i, bad;
	size_t failed, at;
	int rc;

	(void)state;
	for (bad = 0; bad < 7; bad++) {
		for (i = 0; i < 7; i++)
			files[i] = random_file(3, i, 2000);
		at = bad % 3 ? files[bad].len / 2 : 100;
		if (bad & 1)
			files[bad].p[at] ^= 4;
		else
			files[bad].len = at;
		rc = merge(files, NULL, 7, &sum, &failed, NULL, 0);
		assert_int_equal(rc, bad & 1 ? -CST_ERR_DAMAGED : -CST_ERR_INCOMPLETE);
		assert_int_equal(failed, bad);
		bytes_free(&sum);
		for (i = 0; i < 7; i++)
			bytes_free(&files[i]);
	}
}

static int refuse(void *data, const struct cst_count_record *rec)
{
	unsigned int *left = data;

	(void)rec;
	return (*left)-- ? 0 : -99;
}

/* An error of the output ends it; the counter of an input says whether it is empty. */
static void test_output(void **state)
{
	struct bytes b = random_file(5, 6, 50), none = file_of(NULL, 0);
	struct piecewise s[2] = { { b.p, b.len, 0, 0 }, { none.p, none.len, 0, 0 } };
	struct cst_count_input in[2] = { { .weight = 1 }, { .weight = 1 } };
	unsigned int left = 20;
	size_t failed;

	(void)state;
	assert_int_equal(cst_count_reader_new(&in[0].reader, piecewise_read, &s[0]), 0);
	assert_int_equal(cst_count_reader_new(&in[1].reader, piecewise_read, &s[1]), 0);
	assert_int_equal(cst_count_merge(in, 2, refuse, &left, &failed, NULL, 0), -99);
	assert_int_equal(failed, 2);
	assert_true(in[0].counts > 0);
	assert_true(in[1].counts == 0);
	cst_count_reader_free(in[0].reader);
	cst_count_reader_free(in[1].reader);
	bytes_free(&b);
	bytes_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_by_record),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_bad_inputs),
		cmocka_unit_test(test_output),
	};
	const char *text = getenv("CSTRACE_SEED");

	if (text)
		seed = (uint32_t)strtoul(text, NULL, 0);
	print_message("seed %u\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
