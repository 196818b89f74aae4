/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doc.c - INI text as sections of keys and values.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "files/ini/doc_int.h"
#include "files/ini/quote.h"

#define DEFAULT_MEMORY ((size_t)64 << 20)
#define MAX_SECTIONS 65536
#define NOWHERE UINT32_MAX

static void name_to(char *to, size_t cap, const char *name)
{
	struct cst_text t;

	cst_text_init(&t, to, cap);
	cst_text_str(&t, name);
	cst_text_end(&t);
}

int cst_problem_set(struct cst_problem *why, int error, const struct cst_doc_section *s, const char *item,
		    unsigned int line, const char *text)
{
	if (why) {
		why->error = error;
		why->line = line;
		name_to(why->section, sizeof(why->section), s ? s->name : "");
		name_to(why->item, sizeof(why->item), item);
		why->other[0] = '\0';
		why->text = text;
	}
	return error;
}

void cst_problem_other(struct cst_problem *why, const char *other)
{
	if (why)
		name_to(why->other, sizeof(why->other), other);
}

int cst_doc_new(struct cst_doc **out, size_t memory)
{
	struct doc *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (!d)
		return -CST_ERR_NOMEM;
	d->mem.limit = memory ? memory : DEFAULT_MEMORY;
	*out = &d->pub;
	return 0;
}

void cst_doc_free(struct cst_doc *pub)
{
	struct doc *d = (struct doc *)pub;

	if (!d)
		return;
	cst_mem_free(&d->mem);
	free(d->slots);
	free(d);
}

static uint32_t hash(struct cst_str s)
{
	uint32_t h = 2166136261u;
	size_t i;

	for (i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)cst_ini_lower(s.p[i])) * 16777619u;
	return h ^ h >> 15;
}

/* The slot that names the section, or the free one where it belongs. There is always a free one. */
static uint32_t *slot(const struct doc *d, struct cst_str name)
{
	size_t i = hash(name) & (d->n_slots - 1);

	while (d->slots[i] != NOWHERE && !cst_ini_is(name, d->pub.sections[d->slots[i]].name))
		i = (i + 1) & (d->n_slots - 1);
	return &d->slots[i];
}

static int grow_slots(struct doc *d)
{
	size_t n = d->n_slots ? d->n_slots * 2 : 16, i;
	uint32_t *old = d->slots;

	d->slots = malloc(n * sizeof(*d->slots));
	if (!d->slots) {
		d->slots = old;
		return -CST_ERR_NOMEM;
	}
	free(old);
	d->n_slots = n;
	memset(d->slots, 0xff, n * sizeof(*d->slots));
	for (i = 0; i < d->pub.n_sections; i++)
		*slot(d, cst_ini_str(d->pub.sections[i].name)) = (uint32_t)i;
	return 0;
}

/* Find or add. */
static int get_section(struct doc *d, struct cst_str name, unsigned int line, size_t *index)
{
	struct cst_doc_section *s;
	const char *copy;
	uint32_t *at;

	if (d->pub.n_sections * 2 >= d->n_slots && grow_slots(d))
		return -CST_ERR_NOMEM;
	at = slot(d, name);
	if (*at == NOWHERE) {
		copy = d->pub.n_sections < MAX_SECTIONS ? cst_mem_copy(&d->mem, name) : NULL;
		s = copy ? cst_mem_append(&d->mem, &d->pub.sections, &d->pub.n_sections, sizeof(*s))
			 : NULL;
		if (!s)
			return -CST_ERR_LIMIT;
		s->name = copy;
		s->line = line;
		*at = (uint32_t)(d->pub.n_sections - 1);
	}
	*index = *at;
	return 0;
}

static int add_item(struct doc *d, struct cst_doc_section *s, struct cst_str key, const char *value,
		    size_t value_len, unsigned int line)
{
	const char *copy = cst_mem_copy(&d->mem, key);
	struct cst_item *item;

	item = copy ? cst_mem_append(&d->mem, &s->items, &s->n_items, sizeof(*item)) : NULL;
	if (!item)
		return -CST_ERR_LIMIT;
	item->key = copy;
	item->value = value;
	item->value_len = value_len;
	item->line = line;
	return 0;
}

static int parse_item(struct doc *d, struct cst_doc_section *s, const struct ini_line *l,
		      struct cst_problem *why)
{
	size_t len = l->value.n;
	int64_t used;
	char *value = cst_mem_alloc(&d->mem, len + 1);

	if (value && len && *l->value.p == '"') {
		used = cst_ini_unquote(l->value, value, &len);
		if (used != (int64_t)l->value.n)
			return cst_problem_set(why, -CST_ERR_SYNTAX, s, "", l->line,
					       "value is not one \"text\" with known escapes");
	} else if (value && len) {
		memcpy(value, l->value.p, len);
	}
	if (!value || add_item(d, s, l->key, value, len, l->line))
		return cst_problem_set(why, -CST_ERR_LIMIT, s, "", l->line,
				       "file needs more memory than is there or allowed");
	return 0;
}

int cst_doc_parse(struct cst_doc *pub, const void *text, size_t len, struct cst_problem *why)
{
	struct doc *d = (struct doc *)pub;
	struct ini_reader r;
	struct ini_line l;
	size_t at = 0;
	int err;

	cst_ini_start(&r, len ? text : (const uint8_t *)"", len);
	r.package = 1;
	for (cst_ini_next(&r, &l); l.kind != INI_END; cst_ini_next(&r, &l)) {
		if (l.kind == INI_BAD)
			return cst_problem_set(why, -CST_ERR_SYNTAX, NULL, "", l.line,
					       "neither a [section] nor key=value");
		err = get_section(d, l.section, l.line, &at);
		if (err)
			return cst_problem_set(why, err, NULL, "", l.line,
					       "more sections or memory than allowed");
		if (l.kind == INI_KEY) {
			err = parse_item(d, &pub->sections[at], &l, why);
			if (err)
				return err;
		}
	}
	return 0;
}

struct cst_doc_section *cst_doc_section(const struct cst_doc *pub, const char *name)
{
	const struct doc *d = (const struct doc *)pub;
	uint32_t at = d->n_slots ? *slot(d, cst_ini_str(name)) : NOWHERE;

	return at == NOWHERE ? NULL : &pub->sections[at];
}

const struct cst_item *cst_doc_item(const struct cst_doc_section *s, const char *key)
{
	size_t i;

	for (i = 0; s && i < s->n_items; i++)
		if (cst_ini_is(cst_ini_str(s->items[i].key), key))
			return &s->items[i];
	return NULL;
}

int cst_doc_set(struct cst_doc *pub, const char *section, const char *key, const char *value)
{
	struct doc *d = (struct doc *)pub;
	const char *copy = cst_mem_copy(&d->mem, cst_ini_str(value));
	struct cst_item *item;
	size_t at;
	int err = copy ? get_section(d, cst_ini_str(section), 0, &at) : -CST_ERR_LIMIT;

	if (err)
		return err;
	item = (struct cst_item *)cst_doc_item(&pub->sections[at], key);
	if (!item)
		return add_item(d, &pub->sections[at], cst_ini_str(key), copy, strlen(value), 0);
	item->value = copy;
	item->value_len = strlen(value);
	item->line = 0;
	return 0;
}

int cst_doc_set_number(struct cst_doc *doc, const char *section, const char *key, uint64_t value, int hex)
{
	char buf[24];
	struct cst_text t;

	cst_text_init(&t, buf, sizeof(buf));
	if (hex) {
		cst_text_hex_in(&t, "0x", value, 1, "");
	} else {
		cst_text_dec(&t, value);
	}
	cst_text_end(&t);
	return cst_doc_set(doc, section, key, buf);
}

int cst_item_number(const struct cst_item *item, uint64_t *value)
{
	return cst_ini_number(cst_item_str(item), value);
}

int cst_item_bool(const struct cst_item *item, int *value)
{
	static const char *const words[] = { "0", "1", "no", "yes", "false", "true", "off", "on" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (cst_ini_is(cst_item_str(item), words[i])) {
			*value = i & 1;
			return 0;
		}
	return -CST_ERR_SYNTAX;
}

/* Text that the reader takes as one name: nothing that starts a comment, ends the name or is trimmed. */
static int name_ok(const char *name, const char *ends)
{
	size_t n = strlen(name), i;

	if (n && (name[0] == ' ' || name[n - 1] == ' '))
		return 0;
	for (i = 0; i < n; i++)
		if ((unsigned char)name[i] < 0x20 || strchr(ends, name[i]))
			return 0;
	return 1;
}

/* Behind an open parenthesis the reader looks for another '='. */
static int key_ok(const char *key)
{
	size_t depth = 0, i;

	for (i = 0; key[i]; i++)
		depth += key[i] == '(' ? 1 : key[i] == ')' && depth ? (size_t)-1 : 0;
	return *key && *key != '[' && !depth && name_ok(key, "=:;#");
}

static int put(const struct cst_sink *out, const char *s)
{
	return out->write(out->ctx, s, strlen(s));
}

static int write_value(const struct cst_sink *out, const struct cst_item *item)
{
	struct cst_str v = cst_item_str(item);
	char buf[256];
	struct cst_text t;
	size_t part;
	int err = 0;

	if (cst_quote_bare(v, CST_QUOTE_INI))
		return v.n ? out->write(out->ctx, v.p, v.n) : 0;
	err = put(out, "\"");
	while (!err && v.n) {
		part = v.n < sizeof(buf) / 4 ? v.n : sizeof(buf) / 4;
		cst_text_init(&t, buf, sizeof(buf));
		cst_quote(&t, (struct cst_str){ v.p, part });
		err = out->write(out->ctx, buf, t.len);
		v.p += part;
		v.n -= part;
	}
	return err ? err : put(out, "\"");
}

static int write_section(const struct cst_doc_section *s, const struct cst_sink *out)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < s->n_items; i++) {
		if (!key_ok(s->items[i].key))
			return -CST_ERR_INVAL;
		err = put(out, s->items[i].key);
		if (!err)
			err = put(out, "=");
		if (!err)
			err = write_value(out, &s->items[i]);
		if (!err)
			err = put(out, "\n");
	}
	return err;
}

int cst_doc_write(const struct cst_doc *doc, const struct cst_sink *out)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < doc->n_sections; i++) {
		if (!name_ok(doc->sections[i].name, ";#"))
			return -CST_ERR_INVAL;
		/* Only at the top can there be items outside of a section. */
		if (i || *doc->sections[i].name) {
			err = put(out, i ? "\n[" : "[");
			if (!err)
				err = put(out, doc->sections[i].name);
			if (!err)
				err = put(out, "]\n");
		}
		if (!err)
			err = write_section(&doc->sections[i], out);
	}
	return err;
}
