/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_source.h - source lines of binaries that a test makes by hand, in place of those of DWARF. The program is linked with
 * --wrap=places_source,--wrap=places_at,--wrap=source_each_row,--wrap=source_each_function,--wrap=source_each_mapping.
 */
#ifndef TESTS_MADE_SOURCE_H
#define TESTS_MADE_SOURCE_H

#include "outputs/profile/places.h"

#define MADE_BINARIES	4u

/* Lines of a binary, by its number in the model; without rows it has no source. */
struct made_source {
	const struct source_row *rows;
	const struct source_function *functions;
	size_t nr_rows, nr_functions;
	const struct source_mapping *mappings;
	size_t nr_mappings;
};

static struct made_source made_source[MADE_BINARIES];

struct source *__wrap_places_source(struct places *p, uint32_t binary);
struct source_place __wrap_places_at(struct places *p, uint32_t binary, uint64_t offset);
void __wrap_source_each_row(struct source *l,
			    void (*row)(void *data, const struct source_row *r),
			    void *data);
void __wrap_source_each_function(struct source *l,
			    void (*function)(void *data, const struct source_function *f),
			    void *data);

void __wrap_source_each_mapping(struct source *l,
			       void (*mapping)(void *data,
					      const struct source_mapping *m), void *data);

struct source *__wrap_places_source(struct places *p, uint32_t binary)
{
	(void)p;
	return binary < MADE_BINARIES && made_source[binary].nr_rows ? (struct source *)&made_source[binary] : NULL;
}

struct source_place __wrap_places_at(struct places *p, uint32_t binary, uint64_t offset)
{
	struct source *l = __wrap_places_source(p, binary);
	const struct made_source *s = (const struct made_source *)l;
	size_t i;

	for (i = 0; s && i < s->nr_rows; i++)
		if (offset >= s->rows[i].begin && offset < s->rows[i].end)
			return s->rows[i].place;
	return (struct source_place){ .file = "???", .line = 0 };
}

void __wrap_source_each_row(struct source *l,
			    void (*row)(void *data, const struct source_row *r),
			    void *data)
{
	const struct made_source *s = (const struct made_source *)l;
	size_t i;

	for (i = 0; i < s->nr_rows; i++)
		row(data, &s->rows[i]);
}

void __wrap_source_each_function(struct source *l,
			    void (*function)(void *data, const struct source_function *f),
			    void *data)
{
	const struct made_source *s = (const struct made_source *)l;
	size_t i;

	for (i = 0; i < s->nr_functions; i++)
		function(data, &s->functions[i]);
}

void __wrap_source_each_mapping(struct source *l,
			       void (*mapping)(void *data,
					      const struct source_mapping *m), void *data)
{
	const struct made_source *s = (const struct made_source *)l;
	size_t i;

	for (i = 0; i < s->nr_mappings; i++)
		mapping(data, &s->mappings[i]);
}

#endif
