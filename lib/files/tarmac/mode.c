/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mode.c - processor modes, instruction sets, addresses and units: the words that several records share.
 */
#include "files/ini/ini.h"
#include "files/tarmac/tarmac_int.h"

struct mode_row {
	const char *name;
	uint8_t kind, el;
};

/* The first name of a kind is that of the specification. */
static const struct mode_row modes[] = {
	{ "usr", CST_TARMAC_USR, 0 }, { "fiq", CST_TARMAC_FIQ, 1 }, { "irq", CST_TARMAC_IRQ, 1 }, { "svc", CST_TARMAC_SVC, 1 },
	{ "mon", CST_TARMAC_MON, 3 }, { "abt", CST_TARMAC_ABT, 1 }, { "hyp", CST_TARMAC_HYP, 2 }, { "und", CST_TARMAC_UND, 1 },
	{ "sys", CST_TARMAC_SYS, 1 }, { "thread", CST_TARMAC_THREAD, 0 }, { "thrd", CST_TARMAC_THREAD, 0 },
	{ "handler", CST_TARMAC_HANDLER, 1 }, { "hndl", CST_TARMAC_HANDLER, 1 },
};

#define N_MODES (sizeof(modes) / sizeof(modes[0]))

const char *cst_tarmac_mode_name(enum cst_tarmac_mode_kind kind, enum cst_tarmac_dialect dialect)
{
	size_t i;

	for (i = 0; i < N_MODES; i++)
		if (modes[i].kind == kind)
			return dialect == CST_TARMAC_ES && kind >= CST_TARMAC_THREAD ? modes[i + 1].name : modes[i].name;
	return "";
}

/* The specification writes _s and _ns, its examples and Fast Models _n, others _rt and _rl. */
static bool security(struct cst_str word, uint8_t *sec)
{
	const char first = word.n ? cst_ini_lower(word.p[0]) : 0;
	const char second = word.n > 1 ? cst_ini_lower(word.p[1]) : 0;

	if (word.n > 2)
		return false;
	if (first == 's' && !second)
		*sec = CST_SEC_SECURE;
	else if (first == 'n' && (!second || second == 's'))
		*sec = CST_SEC_NONSECURE;
	else if (first == 'r' && second == 't')
		*sec = CST_SEC_ROOT;
	else if (first == 'r' && second == 'l')
		*sec = CST_SEC_REALM;
	else
		return false;
	return true;
}

/* EL0 to EL3 with the stack pointer that is selected, which some leave out. */
static bool exception_level(struct cst_tarmac_mode *m, struct cst_str word)
{
	const char stack = word.n == 4 ? cst_ini_lower(word.p[3]) : 0;

	if (word.n < 3 || word.n > 4 || cst_ini_lower(word.p[0]) != 'e' ||
	    cst_ini_lower(word.p[1]) != 'l' || word.p[2] < '0' || word.p[2] > '3')
		return false;
	if (word.n == 4 && stack != 't' && stack != 'h')
		return false;
	m->kind = CST_TARMAC_EL;
	m->el = (uint8_t)(word.p[2] - '0');
	m->stack = stack;
	return true;
}

static bool named(struct cst_tarmac_mode *m, struct cst_str word)
{
	size_t i;

	for (i = 0; i < N_MODES; i++)
		if (cst_ini_is(word, modes[i].name)) {
			m->kind = modes[i].kind;
			m->el = modes[i].el;
			return true;
		}
	return false;
}

void cst_tarmac_parse_mode(struct cst_tarmac_mode *m, struct cst_str word)
{
	struct cst_str name = word;
	const char *cut;
	size_t i;

	m->text = word;
	for (i = 0; i < word.n && word.p[i] != '_'; i++)
		;
	cut = i < word.n ? word.p + i : NULL;
	name.n = i;
	if (cut && security(scan_str(cut + 1, word.p + word.n), &m->security))
		m->has_security = 1;
	if ((!cut || m->has_security) && (exception_level(m, name) || named(m, name)))
		return;
	m->has_security = 0;
	m->security = 0;
	/* "---_-": no mode */
	for (i = 0; i < word.n && (word.p[i] == '-' || word.p[i] == '_'); i++)
		;
	m->kind = i == word.n ? CST_TARMAC_NO_MODE : CST_TARMAC_MODE_OTHER;
}

bool cst_tarmac_is_mode(struct cst_str word)
{
	struct cst_tarmac_mode m = { .kind = CST_TARMAC_NO_MODE };

	cst_tarmac_parse_mode(&m, word);
	return m.kind != CST_TARMAC_NO_MODE && m.kind != CST_TARMAC_MODE_OTHER;
}

enum cst_isa cst_tarmac_isa_of(struct cst_str word)
{
	if (word.n == 1) {
		switch (word.p[0]) {
		case 'O':
			return CST_ISA_A64;
		case 'A':
			return CST_ISA_A32;
		case 'T':
			return CST_ISA_T32;
		case 'X':
			return CST_ISA_TEE;
		default:
			return CST_ISA_UNKNOWN;
		}
	}
	return scan_is(word, "T16") || scan_is(word, "T32") ? CST_ISA_T32 : CST_ISA_UNKNOWN;
}

enum cst_tarmac_space cst_tarmac_parse_space(struct scan *s)
{
	enum cst_tarmac_space space = CST_TARMAC_SECURE;

	if (*s->p == '_') {
		s->p++;
		if (*s->p == 'N') {
			space = CST_TARMAC_NONSECURE;
			s->p++;
		}
		if (*s->p == 'S')
			s->p++;
		else
			space = CST_TARMAC_NO_PHYSICAL;
	}
	if (scan_ends(s) && space != CST_TARMAC_NO_PHYSICAL)
		return space;
	scan_wrong(s, s->p, "expected _NS, _S or the end of the physical address");
	return CST_TARMAC_NO_PHYSICAL;
}

bool cst_tarmac_parse_physical(struct scan *s, uint64_t *physical, uint8_t *space)
{
	s->p++;
	if (scan_char(*s->p) > 15)
		return scan_wrong(s, s->p, "expected a physical address");
	if (!scan_hex(s, physical, "expected a physical address"))
		return false;
	*space = (uint8_t)cst_tarmac_parse_space(s);
	return *space != CST_TARMAC_NO_PHYSICAL;
}

bool cst_tarmac_parse_address(struct scan *s, struct cst_tarmac_address *a, const char *reason)
{
	if (!scan_hex(s, &a->address, reason))
		return false;
	if (*s->p != ':')
		return scan_ends(s) || scan_wrong(s, s->p, "expected a hexadecimal digit");
	return cst_tarmac_parse_physical(s, &a->physical, &a->space);
}

static const char unit_names[CST_TARMAC_UNITS][4] = {
	[CST_TARMAC_CLK] = "clk", [CST_TARMAC_CYC] = "cyc", [CST_TARMAC_TIC] = "tic", [CST_TARMAC_CS] = "cs", [CST_TARMAC_FS] = "fs",
	[CST_TARMAC_PS] = "ps", [CST_TARMAC_NS] = "ns", [CST_TARMAC_US] = "us", [CST_TARMAC_MS] = "ms", [CST_TARMAC_S] = "s",
};

enum cst_tarmac_unit cst_tarmac_unit_of(struct cst_str word)
{
	unsigned int i;

	if (word.n && word.n < 4)
		for (i = CST_TARMAC_CLK; i < CST_TARMAC_UNITS; i++)
			if (word.p[0] == unit_names[i][0] && !unit_names[i][word.n] && !memcmp(word.p, unit_names[i], word.n))
				return (enum cst_tarmac_unit)i;
	return CST_TARMAC_NO_UNIT;
}

const char *cst_tarmac_unit_text(enum cst_tarmac_unit unit)
{
	return (unsigned int)unit < CST_TARMAC_UNITS ? unit_names[unit] : NULL;
}
