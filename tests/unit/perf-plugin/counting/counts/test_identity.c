/* SPDX-License-Identifier: BSD-3-Clause */
/* What identifies a binary: the same code under another path or at another place is the same one, other code is not. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/isa.h>

#include "machine/images/dso.h"
#include "counting/counts/identity.h"

enum { SIZE = 64 };

static int unread;	/* what the last identity_of() returned */

static struct cst_count_binary identity(struct dso *d, uint32_t method)
{
	const struct binary b = { .dso = d, .method = method, .insns = 1, .isa = CST_ISA_A64 };
	struct cst_count_binary is;

	unread = identity_of(&b, &is);
	return is;
}

static bool same(struct cst_count_binary a, struct cst_count_binary b)
{
	return !identity_compare(&a, &b) && !identity_compare(&b, &a);
}

static void fill(uint8_t *data)
{
	unsigned int i;

	for (i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(7 * i);
}

/* Without a build-id: by the bytes of the executable segments, in order of offset. */
static void by_code(void **state)
{
	uint8_t a[SIZE], b[SIZE];
	struct dso_segment seg[] = {
		{ .offset = 32, .filesz = 8, .vaddr = 0x2000, .exec = true },
		{ .offset = 0, .filesz = 16, .vaddr = 0x1000, .exec = true },
		{ .offset = 16, .filesz = 16, .vaddr = 0x1800 },
	};
	struct dso one = { .path = (char *)"/bin/x",
			   .state = DSO_LOADED,
			   .image.data = a,
			   .image.size = SIZE,
			   .image.segs = seg,
			   .image.nr_segs = 3 };
	struct dso two = one;
	struct dso_segment turned[] = { seg[1], seg[2], seg[0] };

	(void)state;
	fill(a);
	fill(b);
	two.path = (char *)"/opt/y";
	two.image.data = b;
	two.image.segs = turned;
	assert_int_equal(identity(&one, COUNTS_WHOLE).id_kind, CST_COUNT_ID_DIGEST);
	assert_true(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	b[20] ^= 1;	/* data */
	b[40] ^= 1;	/* in no segment */
	assert_true(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	b[39] ^= 1;
	assert_false(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	b[39] ^= 1;
	/* no executable segment: the whole file */
	two.image.nr_segs = one.image.nr_segs = 0;
	assert_false(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	fill(b);
	assert_true(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	/* a segment that the file does not have as a whole */
	seg[0].offset = SIZE - 4;
	seg[0].filesz = UINT64_MAX / 2;
	one.image.nr_segs = 1;
	one.image.size = SIZE;
	assert_int_equal(identity(&one, COUNTS_WHOLE).id_kind, CST_COUNT_ID_DIGEST);
	assert_false(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	/* a module's code is of one boot: without its file it has a name only */
	one.kind = two.kind = DSO_MODULE;
	one.image.file = two.image.file = (char *)"/nonexistent";
	assert_int_equal(identity(&one, COUNTS_WHOLE).id_kind, CST_COUNT_ID_NAME);
	assert_int_equal(unread, ENOENT);
	assert_false(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	two.path = one.path;
	assert_true(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	/* its code was never that of a file */
	one.image.file = NULL;
	assert_true(same(identity(&one, COUNTS_WHOLE), identity(&two, COUNTS_WHOLE)));
	one.image.file = (char *)"/proc/self/exe";
	assert_int_equal(identity(&one, COUNTS_WHOLE).id_kind, CST_COUNT_ID_DIGEST);
	assert_int_equal(unread, 0);
}

/* A method: by its code and its name, wherever they are. */
static void by_method(void **state)
{
	uint8_t a[SIZE];
	struct dso_symbol_entry v[] = { { .offset = 0, .size = 8, .name = "f" }, { .offset = 16, .size = 8, .name = "f" },
					{ .offset = 32, .size = 8, .name = "g" }, { .offset = 40, .size = 8, .name = "f" } };
	struct dso d = { .path = (char *)"jit",
			 .kind = DSO_JIT,
			 .state = DSO_LOADED,
			 .image.data = a,
			 .image.size = SIZE,
			 .symbols.syms = v,
			 .symbols.nr_syms = 4 };
	const struct binary third = { .dso = &d, .method = 2 }, whole = { .dso = &d, .method = COUNTS_WHOLE };

	(void)state;
	fill(a);
	memcpy(a + 16, a, 8);
	memcpy(a + 32, a, 8);
	assert_true(same(identity(&d, 0), identity(&d, 1)));
	assert_false(same(identity(&d, 0), identity(&d, 2)));
	assert_false(same(identity(&d, 0), identity(&d, 3)));
	assert_string_equal(identity(&d, 2).name, "g");
	assert_int_equal(identity(&d, 2).type, CST_COUNT_JIT);
	assert_int_equal(identity_base(&third), 32);
	assert_int_equal(identity_base(&whole), 0);
}

/* No bytes of a file: by the name; of a copy of kernel memory also by what it covers. */
static void by_name(void **state)
{
	struct dso_segment seg = { .offset = 0x1000, .filesz = 0x100, .vaddr = 0xffff800000000000, .exec = true }, other = seg;
	struct dso a = { .path = (char *)"[kernel.kallsyms]",
			 .kind = DSO_KCORE,
			 .state = DSO_LOADED,
			 .image.segs = &seg,
			 .image.nr_segs = 1 };
	struct dso b = a;
	unsigned int i, bit;
	size_t n;
	struct cst_count_segment *v;

	(void)state;
	assert_int_equal(identity(&a, COUNTS_WHOLE).id_kind, CST_COUNT_ID_NAME);
	assert_int_equal(identity(&a, COUNTS_WHOLE).type, CST_COUNT_MEMORY);
	assert_true(same(identity(&a, COUNTS_WHOLE), identity(&b, COUNTS_WHOLE)));
	b.image.segs = &other;
	/* any byte of offset, size and address */
	for (i = 0; i < 3; i++)
		for (bit = 0; bit < (i == 1 ? 32 : 64); bit += 8) {
			uint64_t *field = i == 0 ? &other.offset : i == 1 ? &other.filesz : &other.vaddr;

			*field ^= 1ull << bit;
			if (same(identity(&a, COUNTS_WHOLE), identity(&b, COUNTS_WHOLE)))
				fail_msg("copies that differ in bit %u of field %u are the same", bit, i);
			*field ^= 1ull << bit;
		}
	assert_true(same(identity(&a, COUNTS_WHOLE), identity(&b, COUNTS_WHOLE)));
	/* its addresses are of one run */
	v = identity_segments(&a, &n);
	assert_non_null(v);
	assert_int_equal(n, 0);
	free(v);
	b = a = (struct dso){ .path = (char *)"/bin/x", .state = DSO_MISSING };
	b.path = (char *)"/bin/y";
	assert_int_equal(identity(&a, COUNTS_WHOLE).id_kind, CST_COUNT_ID_NAME);
	assert_false(same(identity(&a, COUNTS_WHOLE), identity(&b, COUNTS_WHOLE)));
}

static void order(void **state)
{
	const struct cst_count_binary v[] = {
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 1, .id = { 9 } },
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 2, .id = { 1, 5 } },
		{ .id_kind = CST_COUNT_ID_BUILD, .id_len = 2, .id = { 1, 6 } },
		{ .id_kind = CST_COUNT_ID_DIGEST, .id_len = 1, .id = { 1 } },
	};
	int i, k;

	(void)state;
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++)
			assert_int_equal((identity_compare(&v[i], &v[k]) > 0) - (identity_compare(&v[i], &v[k]) < 0), (i > k) - (i < k));
}

/* Segments as records have them: by offset, with bytes in the file, that of the least address at an offset, within 64 bits. */
static void segments(void **state)
{
	struct dso_segment seg[] = {
		{ .offset = 0x300, .filesz = 0x10, .vaddr = 0x2300 }, { .offset = 0x100, .filesz = 0x20, .vaddr = 0x9100 },
		{ .offset = 0x200, .filesz = 0, .vaddr = 0x5000 }, { .offset = 0x100, .filesz = 0x20, .vaddr = 0x1100, .exec = true },
		{ .offset = 0x100, .filesz = 0x20, .vaddr = 0x3100 },
		{ .offset = UINT64_MAX, .filesz = 1 }, { .offset = UINT64_MAX - 8, .filesz = 16 }, { .offset = 8, .filesz = UINT64_MAX },
	};
	struct dso d = { .path = (char *)"/bin/x",
			 .state = DSO_LOADED,
			 .image.segs = seg,
			 .image.nr_segs = sizeof(seg) / sizeof(seg[0]) };
	struct cst_count_segment *v;
	size_t n;

	(void)state;
	v = identity_segments(&d, &n);
	assert_non_null(v);
	assert_int_equal(n, 2);
	assert_int_equal(v[0].offset, 0x100);
	assert_int_equal(v[0].vaddr, 0x1100);
	assert_true(v[0].exec);
	assert_int_equal(v[1].offset, 0x300);
	free(v);
	d.kind = DSO_MODULE;
	v = identity_segments(&d, &n);
	assert_non_null(v);
	assert_int_equal(n, 0);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_code), cmocka_unit_test(by_method), cmocka_unit_test(by_name),
		cmocka_unit_test(order), cmocka_unit_test(segments),
	};

	return cmocka_run_group_tests_name("profile identity", tests, NULL, NULL);
}
