/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metadata.c - trace metadata (trace.ini of a package): which buffers and sources there are.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "files/package/metadata_int.h"

static const struct {
	const char *name;
	uint8_t kind;
	uint8_t versioned;	/* a number follows */
} formats[] = {
	{ "ETMv4", CST_META_ETM4, 1 },
	{ "ETMv3", CST_META_ETM3, 1 },
	{ "ETE", CST_META_ETE, 1 },
	{ "ETM", CST_META_ETM3, 1 },	/* by its number: ETM3.5, ETM4.2 */
	{ "PFT", CST_META_PTM, 1 },
	{ "PTM", CST_META_PTM, 1 },
	{ "ITM", CST_META_ITM, 0 },
	{ "STPv2", CST_META_STP, 0 },
	{ "STP", CST_META_STP, 0 },
	{ "STM", CST_META_STP, 0 },
};

static const struct {
	const char *name;
	uint8_t format;
} buffer_formats[] = {
	{ "coresight", CST_META_FMT_CORESIGHT },
	{ "source_data", CST_META_FMT_SOURCE_DATA },
};

/* "4.2" or ".2" or nothing; digits of the major number are those that the name left. */
static int parse_version(const char *p, unsigned int *major, unsigned int *minor, int *has_minor)
{
	uint64_t v;
	const char *dot = strchr(p, '.');
	struct cst_str s = { p, dot ? (size_t)(dot - p) : strlen(p) };

	*has_minor = 0;
	if (s.n) {
		if (cst_ini_number(s, &v) || v > 15)
			return -CST_ERR_SYNTAX;
		*major = (unsigned int)v;
	}
	if (dot) {
		s = cst_ini_str(dot + 1);
		if (cst_ini_number(s, &v) || v > 15)
			return -CST_ERR_SYNTAX;
		*minor = (unsigned int)v;
		*has_minor = 1;
	}
	return 0;
}

static uint8_t default_major(enum cst_meta_kind kind)
{
	return kind == CST_META_ETM4 ? 4 : kind == CST_META_ETM3 ? 3 : 1;
}

/* Reads "ETMv4.2" and so on; an unknown name is CST_META_OTHER. */
static int parse_format(const char *format, uint8_t *kind, uint8_t *version)
{
	unsigned int major, minor = 0;
	int has_minor;
	const char *rest;
	size_t i;

	*kind = CST_META_OTHER;
	*version = 0;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (cst_ini_begins(format, formats[i].name))
			break;
	if (i == sizeof(formats) / sizeof(formats[0]))
		return 0;
	rest = format + strlen(formats[i].name);
	if (!formats[i].versioned) {
		if (!*rest)
			*kind = formats[i].kind;
		return 0;
	}
	/* "ETMv4.2" has used up the 4, "ETM4.2" has not. */
	major = formats[i].kind == CST_META_ETM4 ? 4 : cst_ini_begins(format, "ETMv3") ? 3 : 0;
	if (major && *rest && *rest != '.')
		return -CST_ERR_SYNTAX;
	if (parse_version(rest, &major, &minor, &has_minor))
		return -CST_ERR_SYNTAX;
	*kind = formats[i].kind;
	if (cst_ini_begins(format, "ETM")) {
		if (major != 3 && major != 4)
			return major ? -CST_ERR_VERSION : -CST_ERR_SYNTAX;
		*kind = major == 4 ? CST_META_ETM4 : CST_META_ETM3;
	} else if (major && major != default_major(*kind)) {
		return -CST_ERR_VERSION;
	}
	if (has_minor)
		*version = (uint8_t)((*kind == CST_META_ETE ? 5 : major) << 4 | minor);
	return 0;
}

static int read_source(struct cst_meta_source *src, const struct cst_doc_section *s, struct cst_problem *why)
{
	const struct cst_item *format = cst_doc_item(s, "format"), *item;
	struct cst_str rest;
	uint64_t v;
	int err;

	src->section = s;
	src->trace_id = src->cpu = -1;
	src->source = "";
	if (cst_ini_rest(s->name, "trace_", &rest)) {
		if (cst_ini_number(rest, &v) || v > 0x7f)
			return cst_problem_set(why, -CST_ERR_SYNTAX, s, "", s->line,
					       "[trace_N]: N is not a trace ID of 0 to 0x7f");
		src->trace_id = (int32_t)v;
	} else if (cst_ini_rest(s->name, "source_", &rest)) {
		src->source = rest.p;
	}
	if (!format)
		return cst_problem_set(why, -CST_ERR_NOT_FOUND, s, "format", s->line,
				       "a trace source needs a format, such as ETMv4.2");
	src->format = format->value;
	err = parse_format(src->format, &src->kind, &src->version);
	if (err)
		return cst_problem_set(why, err, s, "format", format->line,
				       "not a version of this trace format");
	item = cst_doc_item(s, "source");
	if (item)
		src->source = item->value;
	item = cst_doc_item(s, "cpu");
	if (item) {
		if (cst_item_number(item, &v) || v > INT32_MAX)
			return cst_problem_set(why, -CST_ERR_SYNTAX, s, "cpu", item->line,
					       "not the number of a CPU");
		src->cpu = (int32_t)v;
	}
	return 0;
}

static int is_source(const char *name)
{
	struct cst_str rest;

	return cst_ini_rest(name, "trace_", &rest) || cst_ini_rest(name, "source_", &rest);
}

static int read_sources(struct cst_metadata *md, struct cst_problem *why)
{
	struct cst_meta_source *src;
	uint8_t seen[128] = { 0 };
	size_t i, n = 0;
	int err;

	for (i = 0; i < md->doc->n_sections; i++)
		n += is_source(md->doc->sections[i].name) != 0;
	md->sources = calloc(n ? n : 1, sizeof(*md->sources));
	if (!md->sources)
		return cst_problem_set(why, -CST_ERR_NOMEM, NULL, "", 0, "no memory");
	for (i = 0; i < md->doc->n_sections; i++) {
		if (!is_source(md->doc->sections[i].name))
			continue;
		src = &md->sources[md->n_sources];
		err = read_source(src, &md->doc->sections[i], why);
		if (err)
			return err;
		if (src->trace_id >= 0 && seen[src->trace_id]++)
			return cst_problem_set(why, -CST_ERR_CONFLICT, src->section, "",
					       src->section->line, "another section has the same trace ID");
		md->n_sources++;
	}
	return 0;
}

/* The same key with two values in one section leaves open which holds. */
static int check_repeats(const struct cst_doc_section *s, struct cst_problem *why)
{
	const struct cst_item *first;
	size_t i;

	if (s->n_items > CST_META_ITEMS)
		return cst_problem_set(why, -CST_ERR_LIMIT, s, "", s->line, "section has more than 1024 items");
	for (i = 0; i < s->n_items; i++) {
		first = cst_doc_item(s, s->items[i].key);
		if (strcmp(first->value, s->items[i].value))
			return cst_problem_set(why, -CST_ERR_CONFLICT, s, s->items[i].key,
					       s->items[i].line, "given twice with different values");
	}
	return 0;
}

int cst_metadata_read(struct cst_metadata **out, const void *text, size_t len, struct cst_problem *why)
{
	struct cst_metadata *md = calloc(1, sizeof(*md));
	size_t i;
	int err;

	*out = NULL;
	if (!md)
		return cst_problem_set(why, -CST_ERR_NOMEM, NULL, "", 0, "no memory");
	err = cst_doc_new(&md->doc, 0);
	if (err)
		cst_problem_set(why, err, NULL, "", 0, "no memory");
	else
		err = cst_doc_parse(md->doc, text, len, why);
	for (i = 0; !err && i < md->doc->n_sections; i++)
		err = check_repeats(&md->doc->sections[i], why);
	if (!err)
		err = read_sources(md, why);
	if (err) {
		cst_metadata_free(md);
		return err;
	}
	*out = md;
	return 0;
}

void cst_metadata_free(struct cst_metadata *md)
{
	if (!md)
		return;
	cst_doc_free(md->doc);
	free(md->sources);
	free(md);
}

const struct cst_item *cst_meta_buffer(const struct cst_metadata *md, const char *id, const char *key)
{
	const struct cst_item *item = id ? cst_doc_item(cst_doc_section(md->doc, id), key) : NULL;

	return item ? item : cst_doc_item(cst_doc_section(md->doc, "buffer"), key);
}

int cst_meta_buffer_format(const struct cst_metadata *md, const char *id, struct cst_problem *why)
{
	const struct cst_item *item = cst_meta_buffer(md, id, "format");
	const struct cst_doc_section *s = id ? cst_doc_section(md->doc, id) : NULL;
	size_t i;

	if (!s)
		s = cst_doc_section(md->doc, "buffer");
	if (!item) {
		cst_problem_set(why, -CST_ERR_NOT_FOUND, s, "format", s ? s->line : 0,
				"a buffer needs a format: coresight or source_data");
		if (why && !s)
			memcpy(why->section, "buffer", sizeof("buffer"));
		return -CST_ERR_NOT_FOUND;
	}
	for (i = 0; i < sizeof(buffer_formats) / sizeof(buffer_formats[0]); i++)
		if (cst_ini_is(cst_item_str(item), buffer_formats[i].name))
			return buffer_formats[i].format;
	return CST_META_FMT_OTHER;
}

const struct cst_meta_source *cst_meta_by_id(const struct cst_metadata *md, unsigned int trace_id)
{
	size_t i;

	for (i = 0; i < md->n_sources; i++)
		if (md->sources[i].trace_id >= 0 && (unsigned int)md->sources[i].trace_id == trace_id)
			return &md->sources[i];
	return NULL;
}

const struct cst_meta_source *cst_meta_by_name(const struct cst_metadata *md, struct cst_str name)
{
	size_t i;

	for (i = 0; name.n && i < md->n_sources; i++)
		if (cst_str_is(name, md->sources[i].source))
			return &md->sources[i];
	return NULL;
}
