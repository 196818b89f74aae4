/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tarmac_names.c - what the names of registers in Tarmac text say.
 */
#include <ctype.h>

#include <cstrace/files/files.h>

#include "unit/lib/tarmac_lines.h"
#include "files/tarmac/scan.h"

#define NONE 255

static const struct {
	const char *name;
	int reg_class, number, bank, el, security, bits;
} names[] = {
	{ "r0", CST_TARMAC_REG_CORE, 0, 0, 0, 0, 32 },
	{ "R15", CST_TARMAC_REG_CORE, 15, 0, 0, 0, 32 },
	{ "r16", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "X30", CST_TARMAC_REG_CORE, 30, 0, 0, 0, 64 },
	{ "x31", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "W3", CST_TARMAC_REG_CORE, 3, 0, 0, 0, 32 },
	{ "E15", CST_TARMAC_REG_CORE, 15, 0, 0, 0, 64 },
	{ "sp", CST_TARMAC_REG_CORE, 13, 0, 0, 0, 0 },
	{ "WSP", CST_TARMAC_REG_CORE, NONE, 0, 0, 0, 32 },
	{ "lr", CST_TARMAC_REG_CORE, 14, 0, 0, 0, 0 },
	{ "pc", CST_TARMAC_REG_CORE, 15, 0, 0, 0, 0 },
	{ "fp_svc", CST_TARMAC_REG_BANKED, 11, CST_TARMAC_SVC, 1, 0, 0 },
	{ "r13_svc", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_SVC, 1, 0, 32 },
	{ "r8_fiq", CST_TARMAC_REG_BANKED, 8, CST_TARMAC_FIQ, 1, 0, 32 },
	{ "r14_mon", CST_TARMAC_REG_BANKED, 14, CST_TARMAC_MON, 3, 0, 32 },
	{ "r13_main_s", CST_TARMAC_REG_BANKED, 13, 0, 0, 1 + CST_SEC_SECURE, 32 },
	{ "r13_process_ns", CST_TARMAC_REG_BANKED, 13, 0, 0, 1 + CST_SEC_NONSECURE, 32 },
	{ "MSP_S", CST_TARMAC_REG_BANKED, 13, 0, 0, 1 + CST_SEC_SECURE, 32 },
	{ "psp", CST_TARMAC_REG_BANKED, 13, 0, 0, 0, 32 },
	{ "SP_EL3", CST_TARMAC_REG_BANKED, NONE, CST_TARMAC_EL, 3, 0, 0 },
	{ "sp_EL1h", CST_TARMAC_REG_BANKED, NONE, CST_TARMAC_EL, 1, 0, 0 },
	{ "SP_SVC", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_SVC, 1, 0, 0 },
	{ "lr_hyp", CST_TARMAC_REG_BANKED, 14, CST_TARMAC_HYP, 2, 0, 0 },
	{ "v31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 128 },
	{ "Q0", CST_TARMAC_REG_VECTOR, 0, 0, 0, 0, 128 },
	{ "d8", CST_TARMAC_REG_VECTOR, 8, 0, 0, 0, 64 },
	{ "s31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 32 },
	{ "h1", CST_TARMAC_REG_VECTOR, 1, 0, 0, 0, 16 },
	{ "b2", CST_TARMAC_REG_VECTOR, 2, 0, 0, 0, 8 },
	{ "z31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 0 },
	{ "z32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "p15", CST_TARMAC_REG_PREDICATE, 15, 0, 0, 0, 0 },
	{ "p16", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "pn8", CST_TARMAC_REG_PREDICATE, 8, 0, 0, 0, 0 },
	{ "ffr", CST_TARMAC_REG_PREDICATE, NONE, 0, 0, 0, 0 },
	{ "VPR", CST_TARMAC_REG_PREDICATE, NONE, 0, 0, 0, 32 },
	{ "za", CST_TARMAC_REG_MATRIX, NONE, 0, 0, 0, 0 },
	{ "ZT0", CST_TARMAC_REG_MATRIX, 0, 0, 0, 0, 0 },
	{ "cpsr", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 32 },
	{ "XPSR", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 32 },
	{ "NZCV", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 0 },
	{ "SPSR_EL1", CST_TARMAC_REG_PSR, NONE, CST_TARMAC_EL, 1, 0, 0 },
	{ "spsr_abt", CST_TARMAC_REG_PSR, NONE, CST_TARMAC_ABT, 1, 0, 0 },
	{ "FPCR", CST_TARMAC_REG_FP, NONE, 0, 0, 0, 0 },
	{ "fpsr", CST_TARMAC_REG_FP, NONE, 0, 0, 0, 0 },
	{ "fpscr", CST_TARMAC_REG_FP, NONE, 0, 0, 0, 32 },
	{ "fpexc", CST_TARMAC_REG_FP, NONE, 0, 0, 0, 32 },
	{ "DC", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "TLBI", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "w30", CST_TARMAC_REG_CORE, 30, 0, 0, 0, 32 },
	{ "w31", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "e30", CST_TARMAC_REG_CORE, 30, 0, 0, 0, 64 },
	{ "e31", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "v32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "q31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 128 },
	{ "q32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "d31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 64 },
	{ "d32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "s32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "h31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 16 },
	{ "h32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "b31", CST_TARMAC_REG_VECTOR, 31, 0, 0, 0, 8 },
	{ "b32", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "pn15", CST_TARMAC_REG_PREDICATE, 15, 0, 0, 0, 0 },
	{ "pn16", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "zt1", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "xsp", CST_TARMAC_REG_CORE, NONE, 0, 0, 0, 64 },
	{ "fp", CST_TARMAC_REG_CORE, 11, 0, 0, 0, 0 },
	{ "ip", CST_TARMAC_REG_CORE, 12, 0, 0, 0, 0 },
	{ "msp", CST_TARMAC_REG_BANKED, 13, 0, 0, 0, 32 },
	{ "psr", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 32 },
	{ "spsr", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 0 },
	{ "apsr", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 32 },
	{ "ipsr", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 32 },
	{ "epsr", CST_TARMAC_REG_PSR, NONE, 0, 0, 0, 32 },
	{ "ic", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "tlbip", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "at", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "cfp", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "cpp", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "dvp", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "cosp", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "brb", CST_TARMAC_REG_OPERATION, NONE, 0, 0, 0, 0 },
	{ "r13_irq", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_IRQ, 1, 0, 32 },
	{ "r13_und", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_UND, 1, 0, 32 },
	{ "r13_sys", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_SYS, 1, 0, 32 },
	{ "r13_usr", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_USR, 0, 0, 32 },
	{ "r13_hyp", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_HYP, 2, 0, 32 },
	{ "r13_abt", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_ABT, 1, 0, 32 },
	{ "r13_fiq", CST_TARMAC_REG_BANKED, 13, CST_TARMAC_FIQ, 1, 0, 32 },
	{ "TCR_EL3", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "SCTLR", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "TTBR0_EL1", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "r13_what", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "r13x", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "sp0", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "r0000", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "r13_", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "_", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
	{ "averylongnameofaregister", CST_TARMAC_REG_SYSTEM, NONE, 0, 0, 0, 0 },
};

static void test_names(void **state)
{
	struct cst_tarmac_reg_name what;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cst_tarmac_reg_find(&what, (struct cst_str){ names[i].name, strlen(names[i].name) });
		if (what.reg_class != names[i].reg_class || what.number != names[i].number || what.bank != names[i].bank ||
		    what.el != names[i].el || what.security != names[i].security || what.bits != names[i].bits)
			fail_msg("%s: class %d number %d bank %d el %d security %d bits %d", names[i].name, what.reg_class, what.number,
				 what.bank, what.el, what.security, what.bits);
	}
}

/* Each character is a digit of a hexadecimal number, a blank, one that ends a word, or a part of a word. */
static void test_characters(void **state)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int c, want;

	(void)state;
	for (c = 0; c < 256; c++) {
		if (c < 128 && isxdigit((int)c))
			want = (unsigned int)(strchr(digits, tolower((int)c)) - digits);
		else if (c == ' ' || (c >= '\t' && c <= '\r'))
			want = TARMAC_BLANK;
		else
			want = c && strchr("():<>,", (int)c) ? TARMAC_STOP : TARMAC_WORD;
		if (scan_char((char)c) != want)
			fail_msg("character 0x%02x: 0x%02x instead of 0x%02x", c, scan_char((char)c), want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
