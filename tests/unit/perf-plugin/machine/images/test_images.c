/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_images.c - images by context: the table against a search through all keys, and decoders that change
 * spaces by themselves.
 */
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
			assert_int_equal(cst_images_count(t), n);
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

/* ---- decoding ------------------------------------------------------------------------------------ */

#define PLACES 5

struct world {
	struct cst_image *img;
	struct cst_space *space[PLACES];
	struct cst_images *images;
};

/* Place k holds k instructions before the branch, so that ranges tell where they were read. */
static void make_world(struct world *w)
{
	static uint8_t code[PLACES][4 * (PLACES + 1)];
	static const uint8_t nop[4] = { 0x1f, 0x20, 0x03, 0xd5 }, ret[4] = { 0xc0, 0x03, 0x5f, 0xd6 };
	struct cst_section *sec;
	unsigned int i, k;

	assert_int_equal(cst_image_new(&w->img, 0), 0);
	assert_int_equal(cst_images_new(&w->images), 0);
	for (k = 0; k < PLACES; k++) {
		for (i = 0; i <= PLACES; i++)
			memcpy(code[k] + 4 * i, i < k ? nop : ret, 4);
		assert_int_equal(cst_section_new(&sec, w->img, code[k], sizeof(code[k]), NULL), 0);
		assert_int_equal(cst_space_new(&w->space[k], w->img), 0);
		assert_int_equal(cst_space_map(w->space[k], 0x1000, sizeof(code[k]), sec, 0), 0);
	}
}

static void free_world(struct world *w)
{
	cst_images_free(w->images);
	cst_image_free(w->img);
}

static void set(struct world *w, unsigned int spaces, unsigned int ids, uint32_t cid, uint32_t vmid, unsigned int k)
{
	const struct cst_image_key key = { .spaces = spaces, .ids = ids, .context_id = cid, .vmid = vmid };

	assert_int_equal(cst_images_set(w->images, &key, w->space[k]), 0);
}

/* 0x1000 with context: EL1N without IDs; with VMID and context ID */
#define AT(info) 0x82, 0x00, 0x08, 0x00, 0x00, (info)
#define IDS(vmid, cid) (vmid), 0, 0, 0, (cid), 0, 0, 0

static void test_decoder(void **state)
{
	static const uint8_t in[] = {
		SYNC,
		AT(0x31), 0xf7,			/* EL1N, no IDs: 0 */
		AT(0xf1), IDS(1, 7), 0xf7,	/* context ID 7: 1 */
		AT(0xf1), IDS(2, 7), 0xf7,	/* in virtual machine 2: 2 */
		AT(0xf1), IDS(2, 8), 0xf7,	/* another context there: 3 */
		AT(0x13), 0xf7,			/* EL3 by the IDs traced last: 3 again */
		AT(0xd3), IDS(9, 9), 0xf7,	/* EL3: 4 */
		AT(0xf2), IDS(9, 9), 0xf7,	/* EL2N: nothing */
	};
	static const unsigned int insns[] = { 1, 2, 3, 4, 4, 5 };
	struct cst_config cfg = ete_config(0, 0);
	struct cst_generic out[64];
	struct cst_decoder *dec;
	unsigned int ranges = 0, naccs = 0;
	struct world w;
	int n, i;

	(void)state;
	make_world(&w);
	set(&w, CST_MEM_EL1N, 0, 0, 0, 0);
	set(&w, CST_MEM_ANY, CST_CTX_CID, 7, 0, 1);
	set(&w, CST_MEM_ANY, CST_CTX_CID | CST_CTX_VMID, 7, 2, 2);
	set(&w, CST_MEM_ANY, CST_CTX_VMID, 0, 2, 3);
	set(&w, CST_MEM_EL3, 0, 0, 0, 4);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_images(dec, w.images);
	assert_int_equal(cst_decoder_feed(dec, in, sizeof(in), 0), 0);
	while ((n = cst_decoder_pull(dec, out, 64, NULL)))
		for (i = 0; i < n; i++) {
			if (out[i].kind == CST_GEN_RANGE) {
				assert_true(ranges < 6);
				assert_int_equal(out[i].n_insn, insns[ranges]);
				ranges++;
			}
			naccs += out[i].kind == CST_GEN_NACC;
		}
	assert_int_equal(ranges, 6);
	assert_int_equal(naccs, 1);
	cst_decoder_free(dec);
	free_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_model), cmocka_unit_test(test_bad_keys),
		cmocka_unit_test(test_decoder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
