/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_disasm.c - texts of instructions: what is missing without libcapstone, instructions without a text, and
 * memory for libcapstone when the system refuses it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/disasm/disasm.h"

#ifdef HAVE_CAPSTONE

#include <capstone.h>
#include <dlfcn.h>

#define PIECE 16384u		/* the largest piece of the reserve, a quarter of it */
#define NAME(major) NAME_TEXT(major)
#define NAME_TEXT(major) "libcapstone.so." #major " is not installed"

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);
int __real_dlclose(void *library);
int __wrap_dlclose(void *library);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool refused, no_library, cannot_open;
static const char *no_function;
static cs_opt_mem memory;	/* as libcapstone got it */
static cs_err option_error;
static unsigned int libraries, handles;	/* that are open */

void *__wrap_malloc(size_t size)
{
	return refused ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return refused ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return refused ? NULL : __real_realloc(p, size);
}

void *__wrap_dlopen(const char *name, int flags)
{
	void *library = no_library ? NULL : __real_dlopen(name, flags);

	libraries += library != NULL;
	return library;
}

int __wrap_dlclose(void *library)
{
	assert_non_null(library);
	libraries--;
	return __real_dlclose(library);
}

static cs_err (*real_option)(csh handle, cs_opt_type type, size_t value);
static cs_err (*real_open)(cs_arch arch, cs_mode mode, csh *handle);
static cs_err (*real_close)(csh *handle);

static cs_err option(csh handle, cs_opt_type type, size_t value)
{
	if (type == CS_OPT_MEM)
		memory = *(const cs_opt_mem *)value;
	return option_error ? option_error : real_option(handle, type, value);
}

static cs_err open_handle(cs_arch arch, cs_mode mode, csh *handle)
{
	cs_err err = cannot_open ? CS_ERR_MEM : real_open(arch, mode, handle);

	handles += err == CS_ERR_OK;
	return err;
}

static cs_err close_handle(csh *handle)
{
	handles--;
	return real_close(handle);
}

/* Nothing remains open after a test. */
static int all_closed(void **state)
{
	(void)state;
	if (libraries || handles)
		print_error("%u libraries and %u handles are open\n", libraries, handles);
	return libraries || handles;
}

void *__wrap_dlsym(void *library, const char *name)
{
	cs_err (*own_option)(csh, cs_opt_type, size_t) = option;
	cs_err (*own_open)(cs_arch, cs_mode, csh *) = open_handle;
	cs_err (*own_close)(csh *) = close_handle;
	void *p = __real_dlsym(library, name);

	if (no_function && !strcmp(name, no_function))
		return NULL;
	if (!strcmp(name, "cs_option")) {
		*(void **)&real_option = p;
		return *(void **)&own_option;
	}
	if (!strcmp(name, "cs_open")) {
		*(void **)&real_open = p;
		return *(void **)&own_open;
	}
	if (!strcmp(name, "cs_close")) {
		*(void **)&real_close = p;
		return *(void **)&own_close;
	}
	return p;
}

static struct disasm *begin(void)
{
	const char *why = "nothing";
	struct disasm *d = disasm_new(&why);

	if (!d && why && !strcmp(why, NAME(CS_API_MAJOR)))
		skip();
	assert_non_null(d);
	assert_null(why);
	return d;
}

/* Without the library, or with one that lacks a function, there are no texts, which has a reason. */
static void test_missing(void **state)
{
	static const char *const functions[] = { "cs_open", "cs_close", "cs_disasm", "cs_free", "cs_option" };
	const char *why = NULL;
	struct disasm *d;
	size_t i;

	(void)state;
	assert_true(disasm_available());
	d = begin();
	disasm_free(d);
	no_library = true;
	assert_null(disasm_new(&why));
	no_library = false;
	assert_string_equal(why, NAME(CS_API_MAJOR));
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		no_function = functions[i];
		why = NULL;
		assert_null(disasm_new(&why));
		assert_string_equal(why, NAME(CS_API_MAJOR));
	}
	no_function = NULL;
	option_error = CS_ERR_OPTION;
	why = NULL;
	assert_null(disasm_new(&why));
	assert_string_equal(why, NAME(CS_API_MAJOR));
	option_error = CS_ERR_OK;
	refused = true;
	why = "nothing";
	assert_null(disasm_new(&why));
	refused = false;
	assert_null(why);
	disasm_free(NULL);
}

static void test_texts(void **state)
{
	struct disasm *d;

	(void)state;
	d = begin();
#define TEXT(isa, addr, opcode, size) disasm_text(d, isa, CST_PROFILE_A, addr, opcode, size)
	assert_string_equal(TEXT(CST_ISA_A64, 0x1000, 0xd503201f, 4), "nop");
	assert_string_equal(TEXT(CST_ISA_A64, 0x1000, 0x14000002, 4), "b #0x1008");
	assert_string_equal(TEXT(CST_ISA_A32, 0x1000, 0xe12fff1e, 4), "bx lr");
	/* the same opcode in another instruction set, at the same address */
	assert_string_equal(TEXT(CST_ISA_T32, 0x1000, 0x00004770, 2), "bx lr");
	assert_string_equal(TEXT(CST_ISA_T32, 0x1000, 0xf000f802, 4), "bl #0x1008");
	assert_string_equal(TEXT(CST_ISA_TEE, 0x1000, 0x00004770, 2), "");
	/* of no instruction */
	assert_string_equal(TEXT(CST_ISA_A64, 0x1000, 0x00000000, 4), "");
	disasm_free(d);
	/* libcapstone has no handle */
	d = begin();
	cannot_open = true;
	assert_string_equal(TEXT(CST_ISA_A64, 0x1000, 0xd503201f, 4), "");
	cannot_open = false;
	assert_string_equal(TEXT(CST_ISA_A64, 0x1004, 0xd503201f, 4), "nop");
	disasm_free(d);
}

/* The same opcode at the same address, asked for in turn, in each instruction set and profile; some are of Armv8 or v8-M alone. */
static void test_sets(void **state)
{
	static const struct {
		enum cst_isa isa;
		enum cst_profile profile;
		uint32_t opcode;
		const char *want;
	} row[] = {
		{ CST_ISA_A32, CST_PROFILE_A, 0xe12fff1e, "bx lr" },
		{ CST_ISA_A64, CST_PROFILE_A, 0xe12fff1e, "" },
		{ CST_ISA_A32, CST_PROFILE_A, 0xe12fff1e, "bx lr" },
		{ CST_ISA_A32, CST_PROFILE_A, 0xe1910c9f, "lda r0, [r1]" },
		{ CST_ISA_T32, CST_PROFILE_A, 0xe8d10faf, "lda r0, [r1]" },
		{ CST_ISA_T32, CST_PROFILE_A, 0xf3ef8010, "" },
		{ CST_ISA_T32, CST_PROFILE_M, 0xf3ef8010, "mrs r0, primask" },
		{ CST_ISA_T32, CST_PROFILE_A, 0xf3ef8010, "" },
		/* a long list of registers */
		{ CST_ISA_A32, CST_PROFILE_A, 0xe8bd5fff, "pop {r0, r1, r2, r3, r4, r5, r6, r7, r8, sb, sl, fp, ip, lr}" },
		/* one that does not fit: the first 64 characters of the operands */
		{ CST_ISA_A32, CST_PROFILE_A, 0xe8b0ffff, "ldm r0!, {r0, r1, r2, r3, r4, r5, r6, r7, r8, sb, sl, fp, ip, sp, lr" },
	};
	struct disasm *d;
	const char *got;
	size_t i;

	(void)state;
	d = begin();
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		got = disasm_text(d, row[i].isa, row[i].profile, 0x1000, row[i].opcode, 4);
		if (strcmp(got, row[i].want))
			fail_msg("row %zu: '%s', expected '%s'", i, got, row[i].want);
	}
	disasm_free(d);
}

/* Refused memory comes from a reserve of 64 KiB, in pieces of up to a quarter, which is used again from its start. */
static void test_refused(void **state)
{
	struct disasm *d;
	unsigned char *p[5], *q, *heap, *first;
	unsigned int i, k;

	(void)state;
	d = begin();
	first = heap = memory.malloc(100);
	memset(heap, 'h', 100);
	refused = true;
	/* the start of the reserve is found by pieces that fill it */
	for (i = 0; i < 5; i++) {
		p[i] = memory.malloc(PIECE);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		memset(p[i], 'a' + (int)i, PIECE);
	}
	for (i = 0; i < 5; i++)
		for (k = 0; k < i; k++)
			if (i != 4 || k)
				assert_ptr_not_equal(p[i], p[k]);
	assert_ptr_equal(p[4], p[0]);
	assert_null(memory.malloc(PIECE + 1));
	assert_null(memory.calloc(PIECE + 1, 1));
	assert_null(memory.calloc(1, PIECE + 1));
	assert_null(memory.realloc(NULL, PIECE + 1));
	assert_null(memory.realloc(p[1], PIECE + 1));
	/* sizes are rounded up to 16 */
	q = memory.malloc(1);
	assert_ptr_equal(q, p[0] + PIECE);
	assert_ptr_equal(memory.malloc(17), q + 16);
	assert_ptr_equal(memory.malloc(16), q + 48);
	q = memory.calloc(3, 5);
	assert_ptr_equal(q, p[0] + PIECE + 64);
	for (i = 0; i < 15; i++)
		assert_int_equal(q[i], 0);
	assert_int_equal(q[15], 'b');
	/* what was there is kept, from the heap and from the reserve */
	q = memory.realloc(heap, 200);
	assert_ptr_equal(q, p[0] + PIECE + 80);
	for (i = 0; i < 100; i++)
		assert_int_equal(q[i], 'h');
	heap = q;
	q = memory.realloc(heap, 50);
	assert_ptr_equal(q, heap + 208);
	for (i = 0; i < 50; i++)
		assert_int_equal(q[i], 'h');
	assert_int_equal(q[50], 'b');
	/* a piece of the reserve is not moved to the heap, and not freed */
	refused = false;
	heap = q;
	q = memory.realloc(heap, 60);
	assert_ptr_equal(q, heap + 64);
	assert_int_equal(q[49], 'h');
	memory.free(q);
	memory.free(heap);
	assert_int_equal(q[49], 'h');
	/* behind what is left, it begins anew; the last piece is kept as far as the reserve goes */
	refused = true;
	memory.malloc(PIECE);
	q = memory.malloc(PIECE);
	memset(q, 'z', PIECE);
	heap = memory.realloc(q, PIECE);
	assert_ptr_equal(heap, p[0]);
	for (i = 0; i < PIECE; i++)
		assert_int_equal(heap[i], 'z');
	assert_ptr_equal(memory.realloc(NULL, 16), p[0] + PIECE);
	refused = false;
	q = memory.realloc(NULL, 16);
	assert_true(q < p[0] || q >= p[0] + 4 * PIECE);
	memory.free(q);
	memory.free(first);
	disasm_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_missing, all_closed),
		cmocka_unit_test_teardown(test_texts, all_closed),
		cmocka_unit_test_teardown(test_sets, all_closed),
		cmocka_unit_test_teardown(test_refused, all_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* Without libcapstone in the build instructions have no texts, and no reason but that. */
static void test_without(void **state)
{
	const char *why = NULL;

	(void)state;
	assert_false(disasm_available());
	assert_null(disasm_new(&why));
	assert_non_null(why);
	assert_string_equal(disasm_text(NULL, CST_ISA_A64, CST_PROFILE_A, 0x1000, 0xd503201f, 4), "");
	disasm_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
