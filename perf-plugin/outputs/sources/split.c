/* SPDX-License-Identifier: GPL-2.0-only */
/* split.c - finds the parts of units that are in other files. */
#include "outputs/sources/split.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/name.h"
#include "machine/finder/finder.h"
#include "machine/images/dso.h"
#include "outputs/sources/package.h"

/*
 * Bounds of the work that a program may cause by skeletons that name one large file: bytes of all files that are opened, and
 * units that are looked at.
 */
#define MAX_BYTES	(64ull << 30)
#define MAX_UNITS	(1u << 24)

/* A file with split DWARF. */
struct split_file {
	char *path;
	const void *p;
	size_t size;
	struct sections sections;
};

struct split {
	const struct sections *program;
	const char *file;
	const struct dso *dso;
	bool package_tried;
	struct split_file package;	/* path NULL: there is none */
	struct split_file last;		/* the .dwo file that was used last */
	uint64_t bytes;
	unsigned int units;
	unsigned int missing;
	char *first;			/* which was missing first, and where it was searched */
	char *message;
};

struct split *split_new(const struct sections *program, const char *file, const struct dso *dso)
{
	struct split *s = mem_zeroed(1, sizeof(*s));

	*s = (struct split){ .program = program, .file = file, .dso = dso };
	return s;
}

static void close_file(struct split_file *f)
{
	sections_free(&f->sections);
	input_unmap(f->p, f->size);
	free(f->path);
	*f = (struct split_file){ .path = NULL };
}

void split_free(struct split *s)
{
	if (!s)
		return;
	close_file(&s->package);
	close_file(&s->last);
	free(s->first);
	free(s->message);
	free(s);
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static const char *name_of(Dwarf_Die *skeleton)
{
	const char *name = text_of(skeleton, HIDDEN_DWO_NAME);

	return name ? name : text_of(skeleton, HIDDEN_GNU_DWO_NAME);
}

bool split_is_skeleton(Dwarf_Die *unit)
{
	return name_of(unit);
}

static bool number_of(Dwarf_Die *die, unsigned int name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &v))
		return false;
	*value = v;
	return true;
}

/* The number that a skeleton and its split unit have: in the head of the unit, before DWARF 5 an attribute. */
static bool id_of(Dwarf_Die *unit, uint64_t *id)
{
	Dwarf_Half version;
	uint8_t type;

	if (dwarf_cu_info(unit->cu, &version, &type, NULL, NULL, id, NULL, NULL))
		return false;
	return version >= 5 ? type == DW_UT_skeleton || type == DW_UT_split_compile :
	       number_of(unit, HIDDEN_GNU_DWO_ID, id) || number_of(unit, DW_AT_GNU_dwo_id, id);
}

/* ---- files --------------------------------------------------------------------------------------------- */

static bool open_file(struct split *s, struct split_file *f, const char *path)
{
	*f = (struct split_file){ .path = mem_text(path) };
	f->p = input_map(path, PROT_READ, &f->size);
	s->bytes += f->size;
	if (f->p && s->bytes <= MAX_BYTES &&
	    sections_read(&f->sections, f->p, f->size, true, NULL, NULL) == SECTIONS_FINE)
		return true;
	close_file(f);
	return false;
}

/* Searches a file; without a program to which it belongs, or rules, by its own name alone. */
static bool search(const struct split *s, struct find_query *q, struct finding *found)
{
	static const struct finder here;

	q->file = s->file;
	if (s->dso) {
		q->path = s->dso->path;
		q->program = s->dso->image.file && strcmp(s->dso->image.file, s->file) ?
				     s->dso->image.file :
				     NULL;
	}
	return finder_search(s->dso && s->dso->where.finder ? s->dso->where.finder : &here, q,
			     found);
}

static void open_package(struct split *s)
{
	struct find_query q = { .what = FIND_DWP };
	struct finding found;

	s->package_tried = true;
	if (search(s, &q, &found))
		open_file(s, &s->package, found.path);
	finding_free(&found);
}

static void note_missing(struct split *s, const char *name, const struct finding *found, const char *why)
{
	char *tried;

	if (s->missing++)
		return;
	tried = found->path ? NULL : finding_text(found);
	s->first = format_text("%s: %s%s%s", name, found->path ? found->path : "", found->path ? " " : "",
			       found->path ? why : tried);
	free(tried);
}

/* ---- units ---------------------------------------------------------------------------------------------- */

/* What a unit uses of the program, from where it begins to use it. */
static struct contents part_of(const struct contents *c, uint64_t offset)
{
	if (!c->p || offset >= c->size)
		return (struct contents){ .p = NULL };
	return (struct contents){ .p = c->p + offset, .size = c->size - offset };
}

static void add_program(const struct split *s, Dwarf_Die *skeleton, struct split_unit *u)
{
	uint64_t addr = 0, ranges = 0;
	Dwarf_Attribute attr;

	if (!number_of(skeleton, DW_AT_addr_base, &addr))
		number_of(skeleton, DW_AT_GNU_addr_base, &addr);
	number_of(skeleton, DW_AT_GNU_ranges_base, &ranges);
	u->sections.v[SECTION_ADDR] = part_of(&s->program->v[SECTION_ADDR], addr);
	u->sections.v[SECTION_RANGES] = part_of(&s->program->v[SECTION_RANGES], ranges);
	if (!dwarf_attr(skeleton, DW_AT_low_pc, &attr) || dwarf_formaddr(&attr, &u->base))
		u->base = 0;
}

/* Makes the unit with this number of `from`. False: it is not in there. */
static bool make_unit(struct split *s, const struct sections *from, Dwarf_Die *skeleton, uint64_t id, struct split_unit *u)
{
	Dwarf_CU *cu = NULL;
	uint64_t other;
	unsigned int i;

	*u = (struct split_unit){ .sections = *from, .own_files = from->v[SECTION_LINE].p };
	for (i = 0; i < NR_SECTIONS; i++)
		u->sections.v[i].own = NULL;
	add_program(s, skeleton, u);
	if (sections_make(&u->sections, true, &u->made) != SECTIONS_FINE)
		return false;
	while (s->units++ < MAX_UNITS && !dwarf_get_units(u->made.dwarf, cu, &cu, NULL, NULL, &u->cu, NULL))
		if (id_of(&u->cu, &other) && other == id)
			return true;
	made_free(&u->made);
	return false;
}

static bool in_package(struct split *s, Dwarf_Die *skeleton, uint64_t id, struct split_unit *u)
{
	struct sections part;

	if (!s->package_tried)
		open_package(s);
	return s->package.path && package_unit(&s->package.sections, id, &part) && make_unit(s, &part, skeleton, id, u);
}

static bool in_file(struct split *s, Dwarf_Die *skeleton, const char *name, uint64_t id, struct split_unit *u)
{
	struct find_query q = { .what = FIND_DWO, .link = name, .dir = text_of(skeleton, DW_AT_comp_dir) };
	struct finding found;
	bool ok = search(s, &q, &found);

	if (ok && (!s->last.path || strcmp(s->last.path, found.path))) {
		close_file(&s->last);
		ok = open_file(s, &s->last, found.path);
	}
	ok = ok && make_unit(s, &s->last.sections, skeleton, id, u);
	if (!ok)
		note_missing(s, name, &found, "is not of this build, or cannot be read");
	finding_free(&found);
	return ok;
}

bool split_open(struct split *s, Dwarf_Die *skeleton, struct split_unit *u)
{
	const char *name = name_of(skeleton);
	uint64_t id;

	return name && id_of(skeleton, &id) && (in_package(s, skeleton, id, u) || in_file(s, skeleton, name, id, u));
}

void split_unit_close(struct split_unit *u)
{
	made_free(&u->made);
}

const char *split_missing(struct split *s)
{
	if (!s->missing)
		return NULL;
	free(s->message);
	s->message = format_text("%s: the functions of %u of its units are not known: their split DWARF was not found; the first, %s",
				 name_shown(s->dso ? s->dso->path : s->file), s->missing, s->first ? s->first : "");
	return s->message;
}
