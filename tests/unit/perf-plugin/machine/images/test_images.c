/* SPDX-License-Identifier: BSD-3-Clause */
/* Images by context: the table against a search through all keys. */
#include "unit/lib_decode.h"

#define KEYS 200

static uint32_t seed;

static unsigned int rnd(unsigned int n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

struct row {
	struct cst_image_key key;
	struct cst_space *space;
};

static unsigned int weight(const struct cst_image_key *k)
{
	return (k->ids & CST_CTX_CID ? 200u : 0) + (k->ids & CST_CTX_VMID ? 100u : 0) +
	       (8u - (unsigned int)__builtin_popcount(k->spaces));
}

static int fits(const struct cst_image_key *k, unsigned int spaces, const struct cst_context *c)
{
	return (k->spaces & spaces) && !(k->ids & ~c->flags) &&
	       (!(k->ids & CST_CTX_CID) || k->context_id == c->context_id) &&
	       (!(k->ids & CST_CTX_VMID) || k->vmid == c->vmid);
}

static int equal(const struct cst_image_key *a, const struct cst_image_key *b)
{
	return a->spaces == b->spaces && a->ids == b->ids && (!(a->ids & CST_CTX_CID) || a->context_id == b->context_id) &&
	       (!(a->ids & CST_CTX_VMID) || a->vmid == b->vmid);
}

static void test_against_model(void **state)
{
	static struct row rows[KEYS];
	unsigned int round, step, i, n;
	struct cst_images *t;

	(void)state;
	for (round = 0; round < 60; round++) {
		seed = round + 1;
		n = 0;
		assert_int_equal(cst_images_new(&t), 0);
		for (step = 0; step < 400; step++) {
			struct cst_image_key key = {
				.spaces = 1 + rnd(rnd(2) ? 255 : 4), .ids = rnd(4), .context_id = rnd(6), .vmid = rnd(3)
			};
			struct cst_context ctx = { .context_id = rnd(6), .vmid = rnd(3), .flags = rnd(8) };
			struct cst_space *want = NULL, *got;
			unsigned int spaces = 1u << rnd(8), best = 0, ties = 0;

			for (i = 0; i < n && !equal(&rows[i].key, &key); i++)
				;
			if (rnd(3) == 0) {
				assert_int_equal(cst_images_remove(t, &key), i < n ? 0 : -CST_ERR_NOT_FOUND);
				if (i < n)
					rows[i] = rows[--n];
			} else if (i < KEYS) {
				rows[i].key = key;
				rows[i].space = (struct cst_space *)(uintptr_t)(step + 1);
				assert_int_equal(cst_images_set(t, &key, rows[i].space), 0);
				n += i == n;
			}
			for (i = 0; i < n; i++) {
				if (!fits(&rows[i].key, spaces, &ctx) || weight(&rows[i].key) + 1 < best)
					continue;
				ties = weight(&rows[i].key) + 1 == best;
				best = weight(&rows[i].key) + 1;
				want = rows[i].space;
			}
			got = cst_images_find(t, spaces, &ctx);
			if (!ties) {
				assert_ptr_equal(got, want);
				continue;
			}
			/* keys that are as specific as each other: one of them */
			for (i = 0; i < n && rows[i].space != got; i++)
				;
			assert_true(i < n && fits(&rows[i].key, spaces, &ctx) && weight(&rows[i].key) + 1 == best);
		}
		cst_images_free(t);
	}
}

static void test_bad_keys(void **state)
{
	const struct cst_image_key no_space = { .spaces = 0 }, no_id = { .spaces = 1, .ids = CST_CTX_KNOWN };
	const struct cst_context ctx = { .flags = 7 };
	struct cst_images *t;

	(void)state;
	assert_int_equal(cst_images_new(&t), 0);
	assert_int_equal(cst_images_set(t, &no_space, NULL), -CST_ERR_INVAL);
	assert_int_equal(cst_images_set(t, &no_id, NULL), -CST_ERR_INVAL);
	assert_int_equal(cst_images_remove(t, &no_space), -CST_ERR_INVAL);
	assert_null(cst_images_find(t, CST_MEM_ANY, &ctx));
	cst_images_free(t);
	cst_images_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_model), cmocka_unit_test(test_bad_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
