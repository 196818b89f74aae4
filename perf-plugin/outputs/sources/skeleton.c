/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * skeleton.c - hides split DWARF from libdw, which opens any path that a unit names, on this machine and whatever is there:
 * a FIFO, a device, a file outside the root. The attributes with the name get codes that libdw does not know; split.c reads
 * them. Only tables of abbreviations change, in a copy.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "base/ordered.h"
#include "base/array.h"
#include "outputs/sources/sections.h"

/* A table that several units have at one offset is read once; tables that overlap are those of a damaged file. */
#define MAX_OVERLAP	8u

struct reader {
	const uint8_t *p, *end;
};

static bool uleb(struct reader *r, uint64_t *value)
{
	unsigned int shift = 0;
	uint64_t v = 0;
	uint8_t byte;

	do {
		if (r->p == r->end)
			return false;
		byte = *r->p++;
		if (shift < 64)
			v |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	*value = v;
	return true;
}

/* The lowest seven bits of the code that stands for an attribute; 0: it stays. */
static uint8_t hidden(uint64_t attribute, bool split)
{
	switch (attribute) {
	case DW_AT_dwo_name:
		return HIDDEN_DWO_NAME & 127;
	case DW_AT_GNU_dwo_name:
		return HIDDEN_GNU_DWO_NAME & 127;
	case DW_AT_GNU_dwo_id:
		/* by it libdw knows that a unit is a split one */
		return split ? 0 : HIDDEN_GNU_DWO_ID & 127;
	}
	return 0;
}

/* Hides what one table has. *read: its bytes. */
static void hide_table(struct contents *abbrev, size_t offset, bool split, size_t *read)
{
	struct reader r = { abbrev->p + offset, abbrev->p + abbrev->size };
	uint64_t code, tag, name, form, value;
	size_t at;

	while (uleb(&r, &code) && code && uleb(&r, &tag) && r.p++ < r.end) {
		do {
			at = (size_t)(r.p - abbrev->p);
			if (!uleb(&r, &name) || !uleb(&r, &form) || (form == DW_FORM_implicit_const && !uleb(&r, &value)))
				name = form = 0;
			if (hidden(name, split)) {
				size_t here = (size_t)(r.p - abbrev->p);

				contents_own(abbrev);
				abbrev->own[at] = (uint8_t)((abbrev->own[at] & 128) | hidden(name, split));
				r = (struct reader){ abbrev->p + here, abbrev->p + abbrev->size };
			}
		} while (name || form);
	}
	*read = r.p > r.end ? 0 : (size_t)(r.p - abbrev->p) - offset;
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct offsets {
	size_t *v;
	size_t nr, cap;
};

/* Adds the offset of the table of the unit at `p`. Returns the bytes up to the next unit; 0: there is none. */
static uint64_t add_unit(struct offsets *o, const uint8_t *p, size_t len, bool big)
{
	unsigned int head = 4, size = 4, at;
	uint64_t n, offset;

	if (len < 16)
		return 0;
	n = ordered_number(p, 4, big);
	if (n == UINT32_MAX) {
		n = ordered_number(p + 4, 8, big);
		head = 12;
		size = 8;
	}
	/* version; in DWARF 5 the unit's type and the size of an address, too; then the offset */
	at = head + 2;
	if (len < at)
		return 0;
	if (ordered_number(p + head, 2, big) >= 5)
		at += 2;
	if (len < at + size)
		return 0;
	offset = ordered_number(p + at, size, big);
	if (offset < SIZE_MAX && (!o->nr || o->v[o->nr - 1] != offset))
		*ARRAY_ADD(o->v, o->nr, o->cap) = (size_t)offset;
	return n > len - head ? 0 : head + n;
}

static void units(struct offsets *o, const struct contents *info, bool big)
{
	const uint8_t *p = info->p;
	size_t len = info->size;
	uint64_t n;

	for (; (n = add_unit(o, p, len, big)); p += n, len -= n)
		;
	ARRAY_SORT(o->v, o->nr, by_number);
}

bool skeletons_hide(struct sections *s, bool split)
{
	struct contents *abbrev = &s->v[SECTION_ABBREV];
	struct offsets o = { .v = NULL };
	uint64_t left = (uint64_t)MAX_OVERLAP * abbrev->size;
	bool ok = true;
	size_t i, read;

	if (abbrev->p)
		units(&o, &s->v[SECTION_INFO], s->order == 2);
	for (i = 0; ok && i < o.nr; i++) {
		if (o.v[i] >= abbrev->size || (i && o.v[i] == o.v[i - 1]))
			continue;
		hide_table(abbrev, o.v[i], split, &read);
		ok = read <= left;
		left -= ok ? read : 0;
	}
	free(o.v);
	return ok;
}
