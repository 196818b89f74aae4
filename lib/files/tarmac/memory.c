/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - accesses of memory and transactions of the bus
 * (Fast Models, "Processor memory access trace", "Processor memory update trace", "Memory bus trace"; LD and ST of ES).
 */
#include "files/tarmac/tarmac_int.h"

/* Reads a number of `size` bytes, with '_' among its digits, into data, lowest byte first. `whole`: it has all digits. */
static bool number(struct scan *s, uint8_t *data, size_t size, bool whole)
{
	const char *from, *p;
	size_t n = 0;
	unsigned int c;

	scan_blanks(s);
	from = s->p;
	while ((c = scan_char(*s->p)) < 16 || *s->p == '_')
		s->p++;
	if (s->p == from || *from == '_' || !scan_ends(s))
		return scan_wrong(s, *from == '_' ? from : s->p, "expected hexadecimal data");
	for (p = s->p; p-- > from;) {
		if (*p == '_')
			continue;
		c = scan_char(*p);
		if (n < 2 * size)
			data[n / 2] = (uint8_t)(n % 2 ? data[n / 2] | c << 4 : c);
		else if (c)
			return scan_wrong(s, from, "more data than the size says");
		n++;
	}
	return !whole || n == 2 * size || scan_wrong(s, from, "expected two digits for each byte");
}

/* Reads digits that are in the order of the addresses. */
static bool ordered(struct scan *s, uint8_t *data, size_t size)
{
	size_t i;
	uint8_t b;

	if (!number(s, data, size, true))
		return false;
	for (i = 0; i < size / 2; i++) {
		b = data[i];
		data[i] = data[size - 1 - i];
		data[size - 1 - i] = b;
	}
	return true;
}

/* Reads the decimal size at type[*i] and sets *i to its end. */
static bool size_of(struct scan *s, struct cst_str type, size_t *i, uint8_t *size)
{
	const char *at = type.p + *i;
	unsigned int v = 0;

	while (*i < type.n && type.p[*i] >= '0' && type.p[*i] <= '9' && v <= CST_TARMAC_DATA)
		v = v * 10 + (unsigned int)(type.p[(*i)++] - '0');
	if (!v || v > CST_TARMAC_DATA)
		return scan_wrong(s, at, "expected a size of 1 to 64 bytes");
	*size = (uint8_t)v;
	return true;
}

/* X, T and L; hardware has other letters, the last of 8 names the bus: D, I or A. */
static void attributes(struct cst_tarmac_memory *m, struct cst_str type, size_t i)
{
	struct cst_str rest = scan_str(type.p + i, type.p + type.n);
	uint8_t access = 0;

	for (i = 0; i < rest.n; i++)
		switch (rest.p[i]) {
		case 'X':
			access |= CST_TARMAC_EXCLUSIVE;
			break;
		case 'T':
			access |= CST_TARMAC_UNPRIVILEGED;
			break;
		case 'L':
			access |= CST_TARMAC_LOCKED;
			break;
		default:
			m->attributes = rest;
			return;
		}
	m->access |= access;
}

/* Reads the address, then data or "(ABORTED)". */
static bool access(struct scan *s, struct cst_tarmac_memory *m)
{
	if (!cst_tarmac_parse_address(s, &m->address, "expected an address"))
		return false;
	if (scan_take(s, '(')) {
		if (!scan_is(scan_word(s), "ABORTED") || !scan_take(s, ')'))
			return scan_wrong(s, s->p, "expected (ABORTED)");
		m->access |= CST_TARMAC_ABORTED;
		return true;
	}
	m->used = bytes_mask(m->size);
	return m->access & CST_TARMAC_BIG ? ordered(s, m->data, m->size) : number(s, m->data, m->size, false);
}

bool cst_tarmac_parse_memory(struct scan *s, struct cst_str type)
{
	struct cst_tarmac_memory *m = &s->rec->u.memory;
	size_t i = 1;

	s->rec->kind = CST_TARMAC_MEMORY;
	if (type.p[1] != 'R' && type.p[1] != 'W')
		m->port = type.p[i++];
	m->write = type.p[i++] == 'W';
	if (!size_of(s, type, &i, &m->size))
		return false;
	attributes(m, type, i);
	if (m->port || m->attributes.n) {
		s->rec->dialect = CST_TARMAC_RTL;
		if (type.n == 8 && (type.p[7] == 'D' || type.p[7] == 'I' || type.p[7] == 'A'))
			m->access |= CST_TARMAC_BIG;
	}
	return access(s, m);
}

bool cst_tarmac_parse_short_memory(struct scan *s, struct cst_str type)
{
	struct cst_tarmac_memory *m = &s->rec->u.memory;
	const char *p;

	s->rec->kind = CST_TARMAC_MEMORY;
	s->rec->dialect = CST_TARMAC_BRACKETS;
	m->write = type.p[0] == 'W';
	m->size = (uint8_t)(type.p[2] - '0');
	scan_blanks(s);
	p = s->p;
	if (scan_is(scan_word(s), "X"))
		m->access |= CST_TARMAC_EXCLUSIVE;
	else
		s->p = p;
	return access(s, m);
}

bool cst_tarmac_parse_update(struct scan *s, struct cst_str type)
{
	struct cst_tarmac_memory *m = &s->rec->u.memory;
	size_t i = 2;

	s->rec->kind = CST_TARMAC_UPDATE;
	m->write = 1;
	if (!size_of(s, type, &i, &m->size))
		return false;
	if (i + 1 >= type.n || type.p[i] != '_')
		return scan_wrong(s, type.p + i, "expected '_' and an atomic operation");
	m->operation = scan_str(type.p + i + 1, type.p + type.n);
	return access(s, m);
}

/* Reads one of two letters. */
static bool letter(struct scan *s, const char *p, char yes, char no, uint8_t *value)
{
	*value = *p == yes;
	return *p == yes || *p == no || scan_wrong(s, p, "expected another letter, or '_'");
}

/* Reads I or O and five letters. */
static bool cacheable(struct scan *s, char which, uint8_t *flags)
{
	static const char letters[] = "WRCBS";
	struct cst_str word = scan_word(s);
	unsigned int i;
	uint8_t on;

	if (word.n != 6 || *word.p != which)
		return scan_wrong(s, word.p, "expected cache attributes of six letters: I inner, O outer");
	for (i = 0; i < 5; i++) {
		if (!letter(s, word.p + 1 + i, letters[i], '_', &on))
			return false;
		*flags = (uint8_t)(*flags | on << i);
	}
	return true;
}

bool cst_tarmac_parse_bus(struct scan *s, struct cst_str type)
{
	struct cst_tarmac_bus *b = &s->rec->u.bus;
	size_t i = 2;

	s->rec->kind = CST_TARMAC_BUS;
	b->write = type.p[1] == 'W';
	if (!size_of(s, type, &i, &b->size))
		return false;
	if (type.n - i != 4)
		return scan_wrong(s, type.p + i, "expected four letters behind the size");
	if (!letter(s, type.p + i, 'I', 'D', &b->fetch))
		return false;
	if (type.p[i + 1] == 'L')
		b->access = CST_TARMAC_LOCKED;
	else if (type.p[i + 1] == 'X')
		b->access = CST_TARMAC_EXCLUSIVE;
	else if (type.p[i + 1] != '_')
		return scan_wrong(s, type.p + i + 1, "expected L, X or '_'");
	if (!letter(s, type.p + i + 2, 'P', '_', &b->privileged) || !letter(s, type.p + i + 3, 'N', 'S', &b->nonsecure) ||
	    !cacheable(s, 'I', &b->inner) || !cacheable(s, 'O', &b->outer))
		return false;
	return scan_some_word(s, &b->master, "expected the ID of the master") &&
	       scan_hex_word(s, &b->address, "expected a physical address") &&
	       ordered(s, b->data, b->size);
}

/* ---- LD and ST: 16 bytes as a picture, the highest address first --------------------------------- */

struct picture {
	uint8_t data[16];
	unsigned int used, unknown;	/* bit n: byte n from the lowest address */
};

/* Reads two characters: ".." (not accessed), "##" (value unknown) or a byte. */
static bool picture_byte(struct scan *s, struct picture *pic, unsigned int n)
{
	unsigned int hi = scan_char(s->p[0]), lo = s->p + 1 < s->end ? scan_char(s->p[1]) : TARMAC_BLANK;

	if (hi < 16 && lo < 16) {
		pic->data[n] = (uint8_t)(hi << 4 | lo);
		pic->used |= 1u << n;
	} else if (s->p[0] == '#' && s->p[1] == '#') {
		pic->used |= 1u << n;
		pic->unknown |= 1u << n;
	} else if (s->p[0] != '.' || s->p[1] != '.') {
		return scan_wrong(s, s->p, "expected a byte, \"..\" or \"##\"");
	}
	s->p += 2;
	return true;
}

static bool picture(struct scan *s, struct picture *pic)
{
	unsigned int n;

	for (n = 16; n--;) {
		scan_blanks(s);
		if (s->p == s->end)
			return scan_wrong(s, s->p, "expected 16 bytes");
		if (!picture_byte(s, pic, n))
			return false;
	}
	return scan_ends(s) || scan_wrong(s, s->p, "expected no more than 16 bytes");
}

/* Reads the physical address, with or without its space, and the memory type. */
static bool place(struct scan *s, struct cst_tarmac_memory *m)
{
	static const struct { const char *name; uint8_t space; } spaces[] = {
		{ "S", CST_TARMAC_SECURE }, { "NS", CST_TARMAC_NONSECURE }, { "RT", CST_TARMAC_ROOT }, { "RL", CST_TARMAC_REALM },
	};
	struct cst_str word;
	const char *from;
	size_t i;

	scan_blanks(s);
	if (s->p == s->end)
		return true;
	from = s->p;
	word = scan_word(s);
	if (*s->p == ':' && s->p < s->end) {
		for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
			if (scan_is(word, spaces[i].name))
				break;
		if (i == sizeof(spaces) / sizeof(spaces[0]))
			return scan_wrong(s, from, "expected S, NS, RT or RL");
		m->address.space = spaces[i].space;
		s->p++;
	} else {
		m->address.space = CST_TARMAC_UNSAID;
		s->p = from;
	}
	if (!scan_hex_word(s, &m->address.physical, "expected a physical address"))
		return false;
	m->attributes = scan_rest(s);
	return true;
}

bool cst_tarmac_parse_diagram(struct scan *s, bool write)
{
	struct cst_tarmac_memory *m = &s->rec->u.memory;
	struct picture pic = { .used = 0 };
	unsigned int first, n;

	s->rec->kind = CST_TARMAC_MEMORY;
	s->rec->dialect = CST_TARMAC_ES;
	m->write = write;
	if (!scan_hex_word(s, &m->address.address, "expected an address") || !picture(s, &pic) ||
	    !place(s, m))
		return false;
	if (!pic.used)
		return true;
	/* The record holds the bytes from the first to the last one that was accessed. */
	first = (unsigned int)__builtin_ctz(pic.used);
	n = 32 - (unsigned int)__builtin_clz(pic.used) - first;
	m->window = (uint8_t)first;
	m->address.address += first;
	m->address.physical += m->address.space == CST_TARMAC_NO_PHYSICAL ? 0 : first;
	m->size = (uint8_t)n;
	m->used = pic.used >> first;
	m->unknown = pic.unknown >> first;
	memcpy(m->data, pic.data + first, n);
	return true;
}
