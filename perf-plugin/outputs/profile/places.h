/* SPDX-License-Identifier: GPL-2.0-only */
/* places.h - source lines of the binaries of a model; DWARF is opened when it is first needed. */
#ifndef CSTRACE_OUTPUTS_PROFILE_PLACES_H
#define CSTRACE_OUTPUTS_PROFILE_PLACES_H

#include "counting/counts/model.h"
#include "outputs/sources/source.h"

struct places;

struct places *places_new(const struct model *m);
void places_free(struct places *p);

/* Returns the lines of a binary, NULL if there are none. */
struct source *places_source(struct places *p, uint32_t binary);
/* Returns why the file of a binary could not be opened for its lines; NULL: it was, or nobody asked for them. */
const char *places_why(const struct places *p, uint32_t binary);
/* Returns why a binary that was opened has no lines, or none of some units; NULL: it has them, or nobody asked for them. */
const char *places_lack(const struct places *p, uint32_t binary);
/* Returns the line of a place; without one, file "???" and line 0. */
struct source_place places_at(struct places *p, uint32_t binary, uint64_t offset);

#endif
