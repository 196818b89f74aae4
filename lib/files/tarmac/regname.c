/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regname.c - class, number and bank of a register by its name: a table of names without a number, and one of names with
 * a number. All other registers are system registers.
 */
#include "files/tarmac/tarmac_int.h"

#define NO_NUMBER 255
#define LONGEST 12	/* characters of a name before its bank */

struct name_row {
	char name[6];
	uint8_t reg_class;
	uint8_t count;	/* of numbered ones: 0 to count - 1 */
	uint8_t bits;
};

/* Names with a number. One dialect writes e for x. */
static const struct name_row numbered[] = {
	{ "r", CST_TARMAC_REG_CORE, 16, 32 }, { "x", CST_TARMAC_REG_CORE, 31, 64 }, { "w", CST_TARMAC_REG_CORE, 31, 32 },
	{ "e", CST_TARMAC_REG_CORE, 31, 64 },
	{ "v", CST_TARMAC_REG_VECTOR, 32, 128 }, { "q", CST_TARMAC_REG_VECTOR, 32, 128 }, { "d", CST_TARMAC_REG_VECTOR, 32, 64 },
	{ "s", CST_TARMAC_REG_VECTOR, 32, 32 }, { "h", CST_TARMAC_REG_VECTOR, 32, 16 }, { "b", CST_TARMAC_REG_VECTOR, 32, 8 },
	{ "z", CST_TARMAC_REG_VECTOR, 32, 0 },
	{ "p", CST_TARMAC_REG_PREDICATE, 16, 0 }, { "pn", CST_TARMAC_REG_PREDICATE, 16, 0 },
	{ "zt", CST_TARMAC_REG_MATRIX, 1, 0 },
};

/* Names without a number; `count` is the number of the register in AArch32, or NO_NUMBER. */
static const struct name_row single[] = {
	{ "sp", CST_TARMAC_REG_CORE, 13, 0 }, { "wsp", CST_TARMAC_REG_CORE, NO_NUMBER, 32 }, { "xsp", CST_TARMAC_REG_CORE, NO_NUMBER, 64 },
	{ "msp", CST_TARMAC_REG_BANKED, 13, 32 }, { "psp", CST_TARMAC_REG_BANKED, 13, 32 },
	{ "fp", CST_TARMAC_REG_CORE, 11, 0 }, { "ip", CST_TARMAC_REG_CORE, 12, 0 }, { "lr", CST_TARMAC_REG_CORE, 14, 0 },
	{ "pc", CST_TARMAC_REG_CORE, 15, 0 },
	{ "ffr", CST_TARMAC_REG_PREDICATE, NO_NUMBER, 0 }, { "vpr", CST_TARMAC_REG_PREDICATE, NO_NUMBER, 32 },
	{ "za", CST_TARMAC_REG_MATRIX, NO_NUMBER, 0 },
	{ "psr", CST_TARMAC_REG_PSR, NO_NUMBER, 32 }, { "cpsr", CST_TARMAC_REG_PSR, NO_NUMBER, 32 },
	{ "spsr", CST_TARMAC_REG_PSR, NO_NUMBER, 0 }, { "apsr", CST_TARMAC_REG_PSR, NO_NUMBER, 32 },
	{ "xpsr", CST_TARMAC_REG_PSR, NO_NUMBER, 32 }, { "ipsr", CST_TARMAC_REG_PSR, NO_NUMBER, 32 },
	{ "epsr", CST_TARMAC_REG_PSR, NO_NUMBER, 32 }, { "nzcv", CST_TARMAC_REG_PSR, NO_NUMBER, 0 },
	{ "fpcr", CST_TARMAC_REG_FP, NO_NUMBER, 0 }, { "fpsr", CST_TARMAC_REG_FP, NO_NUMBER, 0 },
	{ "fpscr", CST_TARMAC_REG_FP, NO_NUMBER, 32 }, { "fpexc", CST_TARMAC_REG_FP, NO_NUMBER, 32 },
	{ "dc", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 }, { "ic", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 },
	{ "tlbi", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 }, { "tlbip", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 },
	{ "at", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 }, { "cfp", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 },
	{ "cpp", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 }, { "dvp", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 },
	{ "cosp", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 }, { "brb", CST_TARMAC_REG_OPERATION, NO_NUMBER, 0 },
};

static const struct name_row *find(const struct name_row *rows, size_t n, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (rows[i].name[0] == name[0] && strlen(rows[i].name) == len && !memcmp(rows[i].name, name, len))
			return &rows[i];
	return NULL;
}

/* Reads the bank: a mode, or _main or _process, and _s or _ns. Returns false if the name ends with anything else. */
static bool banks(struct cst_tarmac_reg_name *what, struct cst_str word, size_t from)
{
	struct cst_tarmac_mode m;
	struct cst_str part;
	size_t to;

	for (; from < word.n; from = to) {
		for (to = from + 1; to < word.n && word.p[to] != '_'; to++)
			;
		part = scan_str(word.p + from + 1, word.p + to);
		memset(&m, 0, sizeof(m));
		cst_tarmac_parse_mode(&m, part);
		if (m.kind != CST_TARMAC_NO_MODE && m.kind != CST_TARMAC_MODE_OTHER && what->bank == CST_TARMAC_NO_MODE) {
			what->bank = m.kind;
			what->el = m.el;
		} else if (part.n && (*part.p | 0x20) == 's' && part.n == 1) {
			what->security = 1 + CST_SEC_SECURE;
		} else if (part.n == 2 && (part.p[0] | 0x20) == 'n' && (part.p[1] | 0x20) == 's') {
			what->security = 1 + CST_SEC_NONSECURE;
		} else if (!scan_is(part, "main") && !scan_is(part, "process")) {
			return false;
		}
	}
	return true;
}

static size_t number(const char *p, size_t n, unsigned int *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < n && i < 3 && p[i] >= '0' && p[i] <= '9'; i++)
		*value = *value * 10 + (unsigned int)(p[i] - '0');
	return i;
}

static void system_register(struct cst_tarmac_reg_name *what)
{
	memset(what, 0, sizeof(*what));
	what->number = NO_NUMBER;
}

void cst_tarmac_reg_find(struct cst_tarmac_reg_name *what, struct cst_str word)
{
	const struct name_row *row;
	char name[LONGEST];
	size_t n, digits;
	unsigned int v;

	system_register(what);
	for (n = 0; n < word.n && n < LONGEST && ((word.p[n] | 0x20) >= 'a' && (word.p[n] | 0x20) <= 'z'); n++)
		name[n] = (char)(word.p[n] | 0x20);
	if (!n || n == LONGEST)
		return;
	digits = number(word.p + n, word.n - n, &v);
	if (digits) {
		row = find(numbered, sizeof(numbered) / sizeof(numbered[0]), name, n);
		if (!row || v >= row->count)
			return;
		what->number = (uint8_t)v;
	} else {
		row = find(single, sizeof(single) / sizeof(single[0]), name, n);
		if (!row)
			return;
		what->number = row->count;
	}
	what->reg_class = row->reg_class;
	what->bits = row->bits;
	n += digits;
	if (n == word.n)
		return;
	if (word.p[n] != '_' || !banks(what, word, n)) {
		system_register(what);
		return;
	}
	if (what->reg_class == CST_TARMAC_REG_CORE)
		what->reg_class = CST_TARMAC_REG_BANKED;
	/* A stack pointer of an exception level has no number in AArch32. */
	if (what->bank == CST_TARMAC_EL && what->number == 13 && !digits)
		what->number = NO_NUMBER;
}
