/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reg.c - writes to registers (Fast Models, "Register trace"; others with banks in parentheses, ranges of bits, values in
 * several words, unknown digits and words behind the value).
 */
#include "files/tarmac/tarmac_int.h"

/* Returns the end of the word of a value at `from`: digits, '-' for unknown ones, '_' and ':' among them; `from`: it is none. */
static const char *value_end(const struct scan *s, const char *from)
{
	const char *p = from;

	if (p == s->end || (scan_char(*p) > 15 && *p != '-'))
		return from;
	while (p < s->end && (scan_char(*p) < 16 || *p == '-' || *p == '_' || (*p == ':' && p + 1 < s->end && scan_char(p[1]) < 16)))
		p++;
	return p == s->end || scan_char(*p) == TARMAC_BLANK ? p : from;
}

/* Returns the end of a value of several words, all as long as the first: flags in words are shorter, or begin with '_'. */
static const char *more_words(const struct scan *s, const char *from, const char *end)
{
	const size_t n = (size_t)(end - from);
	const char *p, *next;

	if (n % 2)
		return end;
	for (;;) {
		for (p = end; p < s->end && scan_char(*p) == TARMAC_BLANK; p++)
			;
		next = value_end(s, p);
		if ((size_t)(next - p) != n)
			return end;
		end = next;
	}
}

/* Stores the lowest 64 bits and the number of digits, and reads the note. */
static bool value(struct scan *s, struct cst_tarmac_reg *r, const char *from, const char *end)
{
	const char *p;
	uint64_t v = 0, digits = 0;
	unsigned int c;

	for (p = from; p < end; p++) {
		c = scan_char(*p);
		if (c < 16) {
			v = v << 4 | c;
			digits++;
		} else if (*p == '-') {
			v <<= 4;
			r->unknown++;
			digits++;
		}
	}
	if (digits > UINT32_MAX / 4)
		return scan_fail(s, from, -CST_ERR_LIMIT, "register of too many bits");
	r->digits = scan_str(from, end);
	r->value = v;
	r->bits = (uint32_t)digits * 4;
	s->p = end;
	r->note = scan_rest(s);
	return true;
}

static bool bit(struct scan *s, uint16_t *to)
{
	const char *at;
	uint64_t v;

	scan_blanks(s);
	at = s->p;
	if (!scan_dec(s, &v, "expected the number of a bit"))
		return false;
	*to = (uint16_t)v;
	return v <= UINT16_MAX || scan_fail(s, at, -CST_ERR_LIMIT, "number of a bit of more than 16 bits");
}

/* Reads <high:low> behind '<'. */
static bool range(struct scan *s, struct cst_tarmac_reg *r)
{
	const char *at = s->p;

	if (!bit(s, &r->high) || !scan_expect(s, ':', "expected ':' and the lowest bit") ||
	    !bit(s, &r->low) || !scan_expect(s, '>', "expected '>'"))
		return false;
	r->has_range = 1;
	return r->high >= r->low || scan_wrong(s, at, "the highest bit is below the lowest one");
}

/* Reads a word in parentheses, behind '('. */
static bool bank(struct scan *s, struct cst_tarmac_reg *r)
{
	if (!scan_some_word(s, &r->bank, "expected the bank of the register"))
		return false;
	r->has_parentheses = 1;
	return scan_expect(s, ')', "expected ')'");
}

bool cst_tarmac_parse_reg(struct scan *s)
{
	struct cst_tarmac_reg *r = &s->rec->u.reg;
	const char *end;

	s->rec->kind = CST_TARMAC_REG;
	if (!scan_some_word(s, &r->name, "expected the name of a register"))
		return false;
	cst_tarmac_reg_find(&r->what, r->name);
	scan_blanks(s);
	if (*s->p == '(' && s->p < s->end) {
		s->p++;
		if (!bank(s, r))
			return false;
		scan_blanks(s);
	}
	if (*s->p == '<' && s->p < s->end) {
		s->p++;
		if (!range(s, r))
			return false;
		scan_blanks(s);
	}
	end = value_end(s, s->p);
	/* Operations have a word of their own: "DC CIVAC". */
	if (end == s->p && !r->bank.n && !r->has_range && s->p < s->end) {
		r->bank = scan_word(s);
		scan_blanks(s);
		end = value_end(s, s->p);
	}
	if (end == s->p)
		return scan_wrong(s, s->p, "expected the value of the register");
	return value(s, r, s->p, more_words(s, s->p, end));
}

int64_t cst_tarmac_bytes(struct cst_str digits, uint8_t *bytes, uint8_t *unknown, size_t cap)
{
	size_t i, n = 0;
	unsigned int c, u;

	for (i = digits.n; i--;) {
		c = scan_char(digits.p[i]);
		u = digits.p[i] == '-' ? 15 : 0;
		if (c > 15 && !u) {
			if (digits.p[i] != '_' && digits.p[i] != ':' && c != TARMAC_BLANK)
				return -CST_ERR_SYNTAX;
			continue;
		}
		c = u ? 0 : c;
		if (n / 2 < cap) {
			bytes[n / 2] = (uint8_t)(n % 2 ? bytes[n / 2] | c << 4 : c);
			if (unknown)
				unknown[n / 2] = (uint8_t)(n % 2 ? unknown[n / 2] | u << 4 : u);
		}
		n++;
	}
	return (int64_t)((n + 1) / 2);
}
