/* SPDX-License-Identifier: GPL-2.0-only */
/* labels.c - remembers the symbol of each function when its place is looked up. */
#include "outputs/timeline/labels.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/intmap.h"
#include "base/name.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"
#include "machine/images/functions.h"
#include "outputs/sources/demangle.h"
#include "session/decode/locate.h"
#include "session/parts.h"

struct place_name {
	char *name;	/* NULL: the file has none */
};

struct labels {
	struct session *ss;
	struct calls_code code;
	struct intmap names;	/* entry of a function: struct place_name */
	bool demangle;
	char text[512];
};

struct labels *labels_new(struct session *ss, const struct calls_code *code, bool demangle)
{
	struct labels *n = mem_zeroed(1, sizeof(*n));

	n->ss = ss;
	n->code = *code;
	n->demangle = demangle;
	return n;
}

void labels_free(struct labels *n)
{
	struct place_name *p;
	size_t i;

	if (!n)
		return;
	for (i = 0; i < n->names.size; i++) {
		p = n->names.slot[i].value;
		free(p ? p->name : NULL);
		free(p);
	}
	intmap_free(&n->names);
	free(n);
}

static bool name_at(const struct stream *s, uint64_t addr, const char **name, uint64_t *offset)
{
	struct session_loc loc;

	return session_locate(s, addr, &loc) && session_symbol(s, addr, &loc, name, offset);
}

/* The function at `addr` begins at `entry`. */
static void remember(struct labels *n, const struct stream *s, uint64_t addr, calls_place entry)
{
	const char *name = NULL;
	struct place_name *p;
	uint64_t offset;

	if (intmap_get(&n->names, (int64_t)entry))
		return;
	if (!name_at(s, addr, &name, &offset))
		name = NULL;
	p = mem_zeroed(1, sizeof(*p));
	p->name = name && n->demangle ? demangled(name) : NULL;
	if (name && !p->name)
		p->name = mem_text(name);
	intmap_put(&n->names, (int64_t)entry, p);
}

static uint32_t binary(void *data, uint32_t section)
{
	struct labels *n = data;

	return n->code.binary(n->code.data, section);
}

static void where(void *data, const struct stream *s, uint64_t addr, struct calls_where *w)
{
	struct labels *n = data;
	const char *name;
	calls_place start;
	uint64_t offset;

	n->code.where(n->code.data, s, addr, w);
	if (w->place == CALLS_NO_PLACE)
		return;
	start = w->start == w->end ? w->place : (w->place & ~(uint64_t)UINT32_MAX) | w->start;
	remember(n, s, addr - (w->place - start), start);
	/* stubs behind a symbol without a size are not of it, and a symbol may be in a function */
	if (w->place != start && (!name_at(s, addr, &name, &offset) || offset != w->place - start))
		remember(n, s, addr, w->place);
}

static unsigned int call_before(void *data, const struct stream *s, uint64_t addr, unsigned int isa)
{
	struct labels *n = data;

	return n->code.call_before(n->code.data, s, addr, isa);
}

static uint64_t program(void *data, const struct stream *s)
{
	struct labels *n = data;

	return n->code.program(n->code.data, s);
}

static calls_place landing_pad(void *data, calls_place site)
{
	struct labels *n = data;

	return n->code.landing_pad(n->code.data, site);
}

struct calls_code labels_code(struct labels *n)
{
	return (struct calls_code){ .data = n, .binary = binary, .where = where, .call_before = call_before, .program = program,
				    .landing_pad = landing_pad };
}

struct dso *labels_dso(const struct labels *n, calls_place place)
{
	return session_dsos(n->ss)->all[place >> 32];
}

const char *labels_file(struct labels *n, calls_place entry)
{
	const char *path;

	if (entry == CALLS_NO_PLACE)
		return NULL;
	path = dso_path(labels_dso(n, entry));
	return name_shown(path_label(path));
}

const char *labels_of(struct labels *n, calls_place entry)
{
	const struct place_name *p;
	struct dso_function f;

	if (entry == CALLS_NO_PLACE)
		return "[unknown]";
	p = intmap_get(&n->names, (int64_t)entry);
	/* a call into the middle of a function */
	if (!p && dso_function(labels_dso(n, entry), (uint32_t)entry, &f))
		p = intmap_get(&n->names,
			       (int64_t)((entry & ~(uint64_t)UINT32_MAX) | (uint32_t)f.start));
	if (p && p->name)
		return name_shown(p->name);
	snprintf(n->text, sizeof(n->text), "[%.*s+0x%x]", 480, labels_file(n, entry), (uint32_t)entry);
	return n->text;
}
