/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tree_fragments.c - the bytes of a tree without frames as cst_tree_next_fragment() returns them: of a circular
 * buffer both pieces, of a large one each byte once.
 */
#include <sys/mman.h>

#include "unit/lib_decode.h"

static struct cst_tree *raw_tree(void)
{
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec;
	struct cst_tree *t;

	assert_int_equal(cst_tree_new(&t, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
	return t;
}

static void test_wrapped(void **state)
{
	static const uint8_t mem[24] = { 1 };
	const size_t len = sizeof(mem);
	struct cst_fragment frag;
	struct cst_tree *t = raw_tree();
	const uint8_t *data;
	size_t write, bytes;

	(void)state;
	for (write = 0; write <= len; write++) {
		assert_int_equal(cst_tree_feed_wrapped(t, mem, len, write, 1, 500), 0);
		for (bytes = 0; cst_tree_next_fragment(t, &frag, &data); bytes += frag.len) {
			assert_int_equal(frag.offset, 500 + bytes);
			assert_ptr_equal(data + frag.pos, mem + (write + bytes) % len);
		}
		assert_int_equal(bytes, len);
		/* all was returned: the tree takes more */
		assert_int_equal(cst_tree_feed(t, mem, 0, 500 + len), 0);
		cst_tree_reset(t);
	}
	cst_tree_free(t);
}

/* More bytes than a 32-bit number counts, of which none is read. */
static void test_large(void **state)
{
	const uint64_t size = (UINT64_C(1) << 32) + 8192;
	struct cst_fragment frag;
	struct cst_tree *t = raw_tree();
	const uint8_t *data;
	uint8_t *mem = NULL;
	uint64_t at = 0;

	(void)state;
	if (size <= SIZE_MAX) {
		mem = mmap(NULL, (size_t)size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		assert_true(mem != MAP_FAILED);
		assert_int_equal(cst_tree_feed(t, mem, (size_t)size, 0), 0);
		while (cst_tree_next_fragment(t, &frag, &data) && frag.offset == at && data + frag.pos == mem + at)
			at += frag.len;
		assert_true(at == size);
		munmap(mem, (size_t)size);
	}
	cst_tree_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrapped), cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
