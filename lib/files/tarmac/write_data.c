/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write_data.c - registers, memory, bus, caches and TLBs → lines.
 */
#include "files/tarmac/write_int.h"

/* ---- registers ------------------------------------------------------------------------------------ */

/* Returns true for a character of a value; ':' has a digit behind it. */
static bool value_char(struct cst_str t, size_t i)
{
	const char c = t.p[i];

	return scan_char(c) < 16 || c == '-' || c == '_' || (c == ':' && i + 1 < t.n && scan_char(t.p[i + 1]) < 16);
}

/* Returns the length of the first word of a text; *value: the reader takes it as a value. */
static size_t first_word(struct cst_str t, bool *value)
{
	size_t n;

	*value = t.n && (scan_char(*t.p) < 16 || *t.p == '-');
	for (n = 0; n < t.n && scan_char(t.p[n]) != TARMAC_BLANK; n++)
		*value = *value && value_char(t, n);
	return n;
}

/*
 * Returns true if the reader takes the digits as the value, and the note as none of it: several words of a value have
 * one length, which is even, and the first word of the note has another length or is no value.
 */
static bool value_is_sound(const struct cst_tarmac_reg *r)
{
	struct cst_str rest = r->digits;
	bool value;
	const size_t n = first_word(rest, &value);
	size_t i, words = 0;

	while (rest.n) {
		if (first_word(rest, &value) != n || !value)
			return false;
		words++;
		for (i = n; i < rest.n && scan_char(rest.p[i]) == TARMAC_BLANK; i++)
			;
		rest = scan_str(rest.p + i, rest.p + rest.n);
	}
	if (!words || (words > 1 && n % 2))
		return false;
	return first_word(r->note, &value) != n || !value || n % 2;
}

static void digits(struct writer *w, struct cst_str d, char blank)
{
	size_t i;

	for (i = 0; i < d.n; i++) {
		if (scan_char(d.p[i]) != TARMAC_BLANK)
			cst_text_char(&w->t, d.p[i]);
		else if (scan_char(d.p[i - 1]) != TARMAC_BLANK)
			cst_text_char(&w->t, blank);
	}
}

int cst_tarmac_write_reg(struct writer *w, const struct cst_tarmac_reg *r)
{
	const bool es = w->dialect == CST_TARMAC_ES;
	bool value;

	if (!cst_tarmac_write_is_word(r->name) || !cst_tarmac_write_is_text(r->digits) ||
	    !cst_tarmac_write_is_text(r->note) || !value_is_sound(r) || (r->bank.n && !cst_tarmac_write_is_word(r->bank)) ||
	    (r->has_parentheses && !r->bank.n) || (r->has_range && r->high < r->low))
		return -CST_ERR_INVAL;
	if (!es && (r->has_parentheses || r->has_range || memchr(r->digits.p, '-', r->digits.n)))
		return -CST_ERR_UNSUP;
	if (r->bank.n && !r->has_parentheses && (first_word(r->bank, &value) != r->bank.n || value || r->has_range))
		return -CST_ERR_INVAL;
	cst_text_str(&w->t, "R ");
	cst_tarmac_write_str(w, r->name);
	if (r->bank.n) {
		cst_text_str(&w->t, r->has_parentheses ? " (" : " ");
		cst_tarmac_write_str(w, r->bank);
		cst_text_str(&w->t, r->has_parentheses ? ")" : "");
	}
	if (r->has_range) {
		cst_text_dec_in(&w->t, "<", r->high, ":");
		cst_text_dec_in(&w->t, "", r->low, ">");
	}
	cst_text_char(&w->t, ' ');
	digits(w, r->digits, es ? ' ' : '_');
	if (es)
		cst_tarmac_write_after_blank(w, r->note);
	return 0;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

/* Writes a number, with '_' every 32 bits if it has 64 or more. */
static void number(struct writer *w, const uint8_t *data, unsigned int size, bool reversed)
{
	unsigned int i;

	for (i = size; i--;) {
		cst_text_hex(&w->t, data[reversed ? size - 1 - i : i], 2);
		if (i && i % 4 == 0 && size >= 8)
			cst_text_char(&w->t, '_');
	}
}

/* Finds the first of the 16 bytes of LD or ST. Returns false if the access has no such form. */
static bool window(const struct writer *w, const struct cst_tarmac_memory *m, uint64_t *base)
{
	if (w->dialect != CST_TARMAC_ES || m->access & ~CST_TARMAC_BIG ||
	    (m->attributes.n && m->address.space == CST_TARMAC_NO_PHYSICAL))
		return false;
	*base = w->rec->dialect == CST_TARMAC_ES ? m->address.address - m->window : m->address.address & ~(uint64_t)15;
	return m->address.address - *base + m->size <= 16;
}

static void picture(struct writer *w, const struct cst_tarmac_memory *m, unsigned int first)
{
	unsigned int i, n;

	for (i = 16; i--;) {
		n = i - first;
		if (i < first || n >= m->size || !(m->used >> n & 1))
			cst_text_str(&w->t, "..");
		else if (m->unknown >> n & 1)
			cst_text_str(&w->t, "##");
		else
			cst_text_hex(&w->t, m->data[n], 2);
		if (i && i % 4 == 0)
			cst_text_char(&w->t, ' ');
	}
}

static int write_picture(struct writer *w, const struct cst_tarmac_memory *m, uint64_t base)
{
	static const char *const spaces[] = { "", "", "S:", "NS:", "RT:", "RL:" };
	const unsigned int first = (unsigned int)(m->address.address - base);

	cst_text_hex_in(&w->t, m->write ? "ST " : "LD ", base, base > UINT32_MAX ? 16 : 8, " ");
	picture(w, m, first);
	if (m->address.space == CST_TARMAC_NO_PHYSICAL)
		return 0;
	cst_text_str(&w->t, "    ");
	cst_text_str(&w->t, spaces[m->address.space]);
	cst_text_hex(&w->t, m->address.physical - first, 10);
	if (m->attributes.n)
		cst_text_str(&w->t, "   ");
	cst_tarmac_write_after_blank(w, m->attributes);
	return 0;
}

/* Writes address and data. */
static int access(struct writer *w, const struct cst_tarmac_memory *m)
{
	int err;

	if (!m->size || (!(m->access & CST_TARMAC_ABORTED) && (m->used != bytes_mask(m->size) || m->unknown)))
		return -CST_ERR_UNSUP;
	cst_text_char(&w->t, ' ');
	err = cst_tarmac_write_address(w, &m->address);
	if (err)
		return err;
	cst_text_char(&w->t, ' ');
	if (m->access & CST_TARMAC_ABORTED)
		cst_text_str(&w->t, "(ABORTED)");
	else
		number(w, m->data, m->size, false);
	return 0;
}

static int check_memory(const struct cst_tarmac_memory *m)
{
	return m->size > CST_TARMAC_DATA || m->window > 15 || (m->used | m->unknown) & ~bytes_mask(m->size) || m->unknown & ~m->used ||
	       m->address.space > CST_TARMAC_REALM || !cst_tarmac_write_is_text(m->attributes) ? -CST_ERR_INVAL : 0;
}

int cst_tarmac_write_memory(struct writer *w, const struct cst_tarmac_memory *m)
{
	uint64_t base;

	if (check_memory(m))
		return -CST_ERR_INVAL;
	if (window(w, m, &base))
		return write_picture(w, m, base);
	cst_text_dec_in(&w->t, m->write ? "MW" : "MR", m->size, "");
	if (m->access & CST_TARMAC_EXCLUSIVE)
		cst_text_char(&w->t, 'X');
	if (m->access & CST_TARMAC_UNPRIVILEGED)
		cst_text_char(&w->t, 'T');
	if (m->access & CST_TARMAC_LOCKED)
		cst_text_char(&w->t, 'L');
	return access(w, m);
}

int cst_tarmac_write_update(struct writer *w, const struct cst_tarmac_memory *m)
{
	if (check_memory(m) || !cst_tarmac_write_is_word(m->operation))
		return -CST_ERR_INVAL;
	cst_text_dec_in(&w->t, "MU", m->size, "_");
	cst_tarmac_write_str(w, m->operation);
	return access(w, m);
}

static void cacheable(struct writer *w, const char *which, uint8_t flags)
{
	static const char letters[] = "WRCBS";
	unsigned int i;

	cst_text_str(&w->t, which);
	for (i = 0; i < 5; i++)
		cst_text_char(&w->t, flags >> i & 1 ? letters[i] : '_');
}

int cst_tarmac_write_bus(struct writer *w, const struct cst_tarmac_bus *b)
{
	if (!b->size || b->size > CST_TARMAC_DATA || !cst_tarmac_write_is_word(b->master) || (b->inner | b->outer) > 31 ||
	    (b->access && b->access != CST_TARMAC_LOCKED && b->access != CST_TARMAC_EXCLUSIVE))
		return -CST_ERR_INVAL;
	cst_text_dec_in(&w->t, b->write ? "BW" : "BR", b->size, b->fetch ? "I" : "D");
	cst_text_char(&w->t, b->access == CST_TARMAC_LOCKED ? 'L' : b->access ? 'X' : '_');
	cst_text_char(&w->t, b->privileged ? 'P' : '_');
	cst_text_char(&w->t, b->nonsecure ? 'N' : 'S');
	cacheable(w, " I", b->inner);
	cacheable(w, " O", b->outer);
	cst_tarmac_write_after_blank(w, b->master);
	cst_text_hex_in(&w->t, " ", b->address, 12, " ");
	number(w, b->data, b->size, true);
	return 0;
}

/* ---- caches, walks, TLBs ---------------------------------------------------------------------------- */

int cst_tarmac_write_maintenance(struct writer *w, const struct cst_tarmac_maintenance *m)
{
	if (!m->side.n || !m->operation.n || !m->scope.n || !cst_tarmac_write_is_text(m->side) ||
	    !cst_tarmac_write_is_text(m->operation) ||
	    !cst_tarmac_write_is_text(m->scope) || !cst_tarmac_write_is_text(m->region))
		return -CST_ERR_INVAL;
	cst_text_str(&w->t, "CACHE MAINTENANCE ");
	cst_tarmac_write_str(w, m->side);
	cst_tarmac_write_after_blank(w, m->operation);
	cst_tarmac_write_after_blank(w, m->scope);
	cst_text_char(&w->t, ' ');
	if (cst_tarmac_write_address(w, &m->data))
		return -CST_ERR_UNSUP;
	cst_tarmac_write_after_blank(w, m->region);
	return 0;
}

static void prefixed(struct writer *w, const char *before, uint64_t address, unsigned int width, int nonsecure)
{
	cst_text_hex_in(&w->t, before, address, width, nonsecure ? "_NS" : "");
}

int cst_tarmac_write_cache(struct writer *w, const struct cst_tarmac_cache *c)
{
	if (!cst_tarmac_write_is_long_word(c->id) || scan_is(c->id, "MAINTENANCE") || !cst_tarmac_write_is_word(c->operation))
		return -CST_ERR_INVAL;
	cst_text_str(&w->t, "CACHE ");
	cst_tarmac_write_str(w, c->id);
	cst_text_hex_in(&w->t, " LINE ", c->line, 4, " ");
	cst_tarmac_write_str(w, c->operation);
	prefixed(w, " 0x", c->address, 12, c->nonsecure);
	return 0;
}

int cst_tarmac_write_walk(struct writer *w, const struct cst_tarmac_walk *walk)
{
	if (!cst_tarmac_write_is_word(walk->side) || !cst_tarmac_write_is_word(walk->format) ||
	    !cst_tarmac_write_is_word(walk->result) || !cst_tarmac_write_is_text(walk->attributes))
		return -CST_ERR_INVAL;
	cst_text_str(&w->t, walk->update ? "TTU " : "TTW ");
	cst_tarmac_write_str(w, walk->side);
	cst_tarmac_write_after_blank(w, walk->format);
	cst_text_dec_in(&w->t, " ", walk->stage, ":");
	cst_text_dec(&w->t, walk->level);
	cst_text_hex_in(&w->t, " ", walk->address, 12, " ");
	cst_text_hex_in(&w->t, "", walk->data, 16, " : ");
	cst_tarmac_write_str(w, walk->result);
	cst_tarmac_write_after_blank(w, walk->attributes);
	return 0;
}

int cst_tarmac_write_tlb(struct writer *w, const struct cst_tarmac_tlb *t)
{
	if (!cst_tarmac_write_is_long_word(t->id) || !cst_tarmac_write_is_long_word(t->size_text) ||
	    (t->regime.n && !cst_tarmac_write_is_word(t->regime)) ||
	    !cst_tarmac_write_is_text(t->type) || !cst_tarmac_write_is_text(t->attributes))
		return -CST_ERR_INVAL;
	cst_text_str(&w->t, t->walk_cache ? "WALKCACHE " : "TLB ");
	cst_text_str(&w->t, t->evict ? "EVICT " : "FILL ");
	cst_tarmac_write_str(w, t->id);
	cst_tarmac_write_after_blank(w, t->size_text);
	prefixed(w, " 0x", t->base, 8, t->nonsecure);
	cst_tarmac_write_after_blank(w, t->regime);
	if (t->has_vmid)
		cst_text_dec_in(&w->t, " vmid=", t->vmid, "");
	if (t->has_asid)
		cst_text_dec_in(&w->t, ", nG asid=", t->asid, "");
	if (t->evict)
		return 0;
	prefixed(w, ":0x", t->physical, 10, t->physical_nonsecure);
	cst_tarmac_write_after_blank(w, t->type);
	cst_tarmac_write_after_blank(w, t->attributes);
	return 0;
}
