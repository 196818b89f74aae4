/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_disasm.c - texts of instructions, instructions without a text, and memory for libcapstone
 * when the system refuses it.
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

#define NAME(major) NAME_TEXT(major)
#define NAME_TEXT(major) "libcapstone.so." #major " is not installed"

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

static bool cannot_open;

static cs_err (*real_option)(csh handle, cs_opt_type type, size_t value);
static cs_err (*real_open)(cs_arch arch, cs_mode mode, csh *handle);

static cs_err option(csh handle, cs_opt_type type, size_t value)
{
	return real_option(handle, type, value);
}

static cs_err open_handle(cs_arch arch, cs_mode mode, csh *handle)
{
	return cannot_open ? CS_ERR_MEM : real_open(arch, mode, handle);
}

void *__wrap_dlsym(void *library, const char *name)
{
	cs_err (*own_option)(csh, cs_opt_type, size_t) = option;
	cs_err (*own_open)(cs_arch, cs_mode, csh *) = open_handle;
	void *p = __real_dlsym(library, name);

	if (!strcmp(name, "cs_option")) {
		*(void **)&real_option = p;
		return *(void **)&own_option;
	}
	if (!strcmp(name, "cs_open")) {
		*(void **)&real_open = p;
		return *(void **)&own_open;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts), cmocka_unit_test(test_sets),
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
