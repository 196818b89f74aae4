/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache.c - caches, translation table walks and TLBs (Fast Models, "Cache maintenance trace", "Cache content trace",
 * "Translation table walk trace", "TLB trace").
 */
#include "files/tarmac/tarmac_int.h"

static bool begins(const struct scan *s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s->end - s->p) >= n && !memcmp(s->p, text, n);
}

/* Returns true for a word of eight digits or more, or an address with a physical one. */
static bool is_data(struct cst_str word)
{
	size_t i;

	for (i = 0; i < word.n && scan_char(word.p[i]) < 16; i++)
		;
	return i >= 8 && (i == word.n || word.p[i] == ':' || word.p[i] == '_');
}

static struct cst_str trimmed(const char *from, const char *to)
{
	while (to > from && scan_char(to[-1]) == TARMAC_BLANK)
		to--;
	return scan_str(from, to);
}

/* Reads "Data cache" or "Instruction cache"; "cache" may be missing. */
static struct cst_str side(struct scan *s)
{
	struct cst_str first = scan_word(s), second;
	const char *p = s->p;

	second = scan_word(s);
	if (scan_is(second, "cache"))
		return scan_str(first.p, second.p + second.n);
	s->p = p;
	return first;
}

/* Reads Clean, Invalidate, or both. */
static struct cst_str operation(struct scan *s)
{
	const char *from, *end = s->p, *p;
	struct cst_str word;

	scan_blanks(s);
	from = s->p;
	for (;;) {
		p = s->p;
		word = scan_word(s);
		if (!scan_is(word, "Clean") && !scan_is(word, "Invalidate") && !scan_is(word, "and") && !scan_is(word, "Zero"))
			break;
		end = s->p;
	}
	s->p = p;
	return end > from ? scan_str(from, end) : scan_str(from, from);
}

static bool maintenance(struct scan *s)
{
	struct cst_tarmac_maintenance *m = &s->rec->u.maintenance;
	struct cst_str word;
	const char *from;

	s->rec->kind = CST_TARMAC_MAINTENANCE;
	m->side = side(s);
	if (!m->side.n)
		return scan_wrong(s, m->side.p, "expected the cache");
	m->operation = operation(s);
	if (!m->operation.n)
		return scan_wrong(s, m->operation.p, "expected Clean or Invalidate");
	scan_blanks(s);
	from = s->p;
	do {
		word = scan_long_word(s);
		if (!word.n)
			return scan_wrong(s, word.p, "expected the data of the operation");
	} while (!is_data(word));
	s->p = word.p;
	m->scope = trimmed(from, word.p);
	if (!m->scope.n)
		return scan_wrong(s, word.p, "expected the scope of the operation");
	if (!cst_tarmac_parse_address(s, &m->data, "expected the data of the operation"))
		return false;
	m->region = scan_rest(s);
	return true;
}

/* Reads "0x" and a number. */
static bool prefixed(struct scan *s, uint64_t *value, const char *reason)
{
	scan_blanks(s);
	if (!begins(s, "0x"))
		return scan_wrong(s, s->p, reason);
	s->p += 2;
	return scan_hex(s, value, reason);
}

/* Reads "0x", a number and _NS. */
static bool prefixed_space(struct scan *s, uint64_t *value, uint8_t *nonsecure, const char *reason)
{
	enum cst_tarmac_space space;

	if (!prefixed(s, value, reason))
		return false;
	space = cst_tarmac_parse_space(s);
	*nonsecure = space == CST_TARMAC_NONSECURE;
	return space != CST_TARMAC_NO_PHYSICAL;
}

bool cst_tarmac_parse_cache(struct scan *s)
{
	struct cst_tarmac_cache *c = &s->rec->u.cache;
	struct cst_str word = scan_long_word(s);

	if (scan_is(word, "MAINTENANCE"))
		return maintenance(s);
	s->rec->kind = CST_TARMAC_CACHE;
	if (!word.n)
		return scan_wrong(s, word.p, "expected MAINTENANCE or a cache");
	c->id = word;
	word = scan_word(s);
	if (!scan_is(word, "LINE"))
		return scan_wrong(s, word.p, "expected LINE");
	return scan_hex_word(s, &c->line, "expected the number of the line") &&
	       scan_some_word(s, &c->operation,
			      "expected ALLOC, INVAL, DIRTY, CLEAN, FILL or EVICT") &&
	       prefixed_space(s, &c->address, &c->nonsecure,
			      "expected 0x and the line's physical address");
}

static bool small(struct scan *s, uint8_t *to, const char *reason)
{
	const char *at;
	uint64_t v;

	scan_blanks(s);
	at = s->p;
	if (!scan_dec(s, &v, reason))
		return false;
	*to = (uint8_t)v;
	return v < 256 || scan_fail(s, at, -CST_ERR_LIMIT, "number of more than 8 bits");
}

bool cst_tarmac_parse_walk(struct scan *s, bool update)
{
	struct cst_tarmac_walk *w = &s->rec->u.walk;

	s->rec->kind = CST_TARMAC_WALK;
	w->update = update;
	if (!scan_some_word(s, &w->side, "expected the TLB") ||
	    !scan_some_word(s, &w->format, "expected LPAE or VMSA") ||
	    !small(s, &w->stage, "expected the stage") ||
	    !scan_expect(s, ':', "expected ':' and the level") ||
	    !small(s, &w->level, "expected the level") ||
	    !scan_hex(s, &w->address, "expected the address of the entry") ||
	    !scan_hex(s, &w->data, "expected the entry") ||
	    !scan_expect(s, ':', "expected ':' and the result") ||
	    !scan_some_word(s, &w->result, "expected the result"))
		return false;
	w->attributes = scan_rest(s);
	return true;
}

/* Returns the bytes that "64K" stands for; 0: the text is not a number. */
static uint64_t region_size(struct cst_str text)
{
	uint64_t v = 0;
	unsigned int shift = 0;
	size_t i;

	for (i = 0; i < text.n && text.p[i] >= '0' && text.p[i] <= '9' && v < (uint64_t)1 << 32; i++)
		v = v * 10 + (unsigned int)(text.p[i] - '0');
	if (i + 1 == text.n) {
		shift = text.p[i] == 'K' ? 10 : text.p[i] == 'M' ? 20 : text.p[i] == 'G' ? 30 : text.p[i] == 'T' ? 40 : 0;
		i += shift != 0;
	}
	return i == text.n && v <= UINT64_MAX >> shift ? v << shift : 0;
}

static bool key_number(struct scan *s, const char *key, uint32_t *to)
{
	const char *at;
	uint64_t v;

	s->p += strlen(key);
	at = s->p;
	if (!scan_dec(s, &v, "expected a number"))
		return false;
	*to = (uint32_t)v;
	return v <= UINT32_MAX || scan_fail(s, at, -CST_ERR_LIMIT, "number of more than 32 bits");
}

/* Reads the common virtual regime definition: 0x<vbase>{_NS} <el>{ vmid=<vmid>}{, nG asid=<asid>}. */
static bool regime(struct scan *s, struct cst_tarmac_tlb *t)
{
	const char *p;

	if (!prefixed_space(s, &t->base, &t->nonsecure, "expected 0x and the virtual address"))
		return false;
	scan_blanks(s);
	p = s->p;
	t->regime = scan_word(s);
	if (t->regime.n > 5 && !memcmp(t->regime.p, "vmid=", 5)) {
		t->regime.n = 0;
		s->p = p;
	}
	scan_blanks(s);
	if (begins(s, "vmid=")) {
		t->has_vmid = 1;
		if (!key_number(s, "vmid=", &t->vmid))
			return false;
	}
	if (!scan_take(s, ','))
		return true;
	scan_blanks(s);
	if (!begins(s, "nG "))
		return scan_wrong(s, s->p, "expected \"nG asid=\"");
	s->p += 3;
	scan_blanks(s);
	if (!begins(s, "asid="))
		return scan_wrong(s, s->p, "expected \"asid=\"");
	t->has_asid = 1;
	return key_number(s, "asid=", &t->asid);
}

/* Reads "Device-nGnRnE (alias)" or "Normal Shareable Inner=... Outer=...". */
static struct cst_str memory_type(struct scan *s)
{
	const char *from, *p;
	struct cst_str word;

	scan_blanks(s);
	from = p = s->p;
	if (begins(s, "Device-")) {
		scan_long_word(s);
		scan_blanks(s);
		if (s->p < s->end && *s->p == '(')
			scan_long_word(s);
		p = s->p;
	} else if (begins(s, "Normal")) {
		do {
			p = s->p;
			word = scan_long_word(s);
		} while (scan_is(word, "Normal") || scan_is(word, "NonShareable") || scan_is(word, "Shareable") ||
			 (word.n > 6 && (!memcmp(word.p, "Inner=", 6) || !memcmp(word.p, "Outer=", 6))));
		s->p = p;
	}
	return trimmed(from, p);
}

bool cst_tarmac_parse_tlb(struct scan *s, bool walk_cache)
{
	struct cst_tarmac_tlb *t = &s->rec->u.tlb;
	struct cst_str word = scan_word(s);

	s->rec->kind = CST_TARMAC_TLB;
	t->walk_cache = walk_cache;
	t->evict = scan_is(word, "EVICT");
	if (!t->evict && !scan_is(word, "FILL"))
		return scan_wrong(s, word.p, "expected FILL or EVICT");
	t->id = scan_long_word(s);
	if (!t->id.n)
		return scan_wrong(s, t->id.p, "expected the TLB");
	t->size_text = scan_long_word(s);
	if (!t->size_text.n)
		return scan_wrong(s, t->size_text.p, "expected the size of the region");
	t->size = region_size(t->size_text);
	if (!regime(s, t))
		return false;
	if (t->evict) {
		scan_blanks(s);
		return s->p == s->end || scan_wrong(s, s->p, "expected the end of the record");
	}
	if (!scan_expect(s, ':', "expected ':' and the physical address") ||
	    !prefixed_space(s, &t->physical, &t->physical_nonsecure,
			    "expected 0x and the physical address"))
		return false;
	t->type = memory_type(s);
	t->attributes = scan_rest(s);
	return true;
}
