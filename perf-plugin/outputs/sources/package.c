/* SPDX-License-Identifier: GPL-2.0-only */
/* package.c - looks a unit up in .debug_cu_index. */
#include "outputs/sources/package.h"

#include "base/ordered.h"

#define HEAD	16u	/* version, numbers of columns, of units and of slots */

struct index {
	const uint8_t *p;
	bool big;
	unsigned int version;
	uint64_t columns, units, slots;
	const uint8_t *rows;	/* rows of the slots */
	const uint8_t *kinds, *offsets, *sizes;
};

static bool read_index(struct index *x, const struct sections *s)
{
	const struct contents *c = &s->v[SECTION_CU_INDEX];

	if (!c->p || c->size < HEAD)
		return false;
	*x = (struct index){ .p = c->p, .big = s->order == 2 };
	/* DWARF 5 has a version of two bytes and two of padding, GNU's has one of four bytes */
	x->version = (unsigned int)ordered_number(c->p, 4, x->big);
	if (x->version != 2)
		x->version = (unsigned int)ordered_number(c->p, 2, x->big);
	x->columns = ordered_number(c->p + 4, 4, x->big);
	x->units = ordered_number(c->p + 8, 4, x->big);
	x->slots = ordered_number(c->p + 12, 4, x->big);
	x->rows = c->p + HEAD + 8 * x->slots;
	x->kinds = x->rows + 4 * x->slots;
	x->offsets = x->kinds + 4 * x->columns;
	x->sizes = x->offsets + 4 * x->columns * x->units;
	return (x->version == 2 || x->version == 5) && x->columns <= 16 && x->slots && !(x->slots & (x->slots - 1)) &&
	       HEAD + 12 * x->slots + 4 * x->columns * (1 + 2 * x->units) <= c->size;
}

/* Returns the row of a unit, from 1; 0: there is none. */
static uint64_t find_row(const struct index *x, uint64_t id)
{
	const uint64_t mask = x->slots - 1, step = ((id >> 32) & mask) | 1;
	uint64_t at = id & mask, tries, row;

	for (tries = 0; tries < x->slots; tries++, at = (at + step) & mask) {
		row = ordered_number(x->rows + 4 * at, 4, x->big);
		if (!row)
			return 0;
		if (ordered_number(x->p + HEAD + 8 * at, 8, x->big) == id)
			return row <= x->units ? row : 0;
	}
	return 0;
}

/* The section of a column (DWARF 5, table 7.1; GNU's numbers differ from 5 on, and none of those is read). */
static enum dwarf_section section_of(unsigned int version, uint64_t kind)
{
	switch (kind) {
	case 1:
		return SECTION_INFO;
	case 3:
		return SECTION_ABBREV;
	case 4:
		return SECTION_LINE;
	case 6:
		return SECTION_STR_OFFSETS;
	case 8:
		return version == 5 ? SECTION_RNGLISTS : NR_SECTIONS;
	}
	return NR_SECTIONS;
}

static bool narrow(struct contents *c, uint64_t offset, uint64_t size)
{
	if (!c->p || offset > c->size || size > c->size - offset)
		return false;
	*c = (struct contents){ .p = size ? c->p + offset : NULL, .size = size };
	return true;
}

bool package_unit(const struct sections *package, uint64_t id, struct sections *unit)
{
	struct index x;
	uint64_t row = read_index(&x, package) ? find_row(&x, id) : 0, column, at;
	enum dwarf_section kind;
	unsigned int i;

	if (!row)
		return false;
	*unit = *package;
	for (i = 0; i < NR_SECTIONS; i++)
		unit->v[i].own = NULL;
	/* a unit without a column has nothing of such a section */
	unit->v[SECTION_LINE].p = unit->v[SECTION_RNGLISTS].p = NULL;
	for (column = 0; column < x.columns; column++) {
		kind = section_of(x.version, ordered_number(x.kinds + 4 * column, 4, x.big));
		if (kind == NR_SECTIONS)
			continue;
		at = 4 * ((row - 1) * x.columns + column);
		unit->v[kind] = package->v[kind];
		unit->v[kind].own = NULL;
		if (!narrow(&unit->v[kind], ordered_number(x.offsets + at, 4, x.big),
			    ordered_number(x.sizes + at, 4, x.big)))
			return false;
	}
	return unit->v[SECTION_INFO].p && unit->v[SECTION_ABBREV].p;
}
