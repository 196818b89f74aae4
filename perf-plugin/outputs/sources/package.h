/* SPDX-License-Identifier: GPL-2.0-only */
/* package.h - the index of a package of split DWARF (DWARF 5, 7.3.5; GNU's version 2 of it). */
#ifndef CSTRACE_OUTPUTS_SOURCES_PACKAGE_H
#define CSTRACE_OUTPUTS_SOURCES_PACKAGE_H

#include "outputs/sources/sections.h"

/*
 * Finds the unit with this number: *unit gets its parts of the sections of the package; what it does not have a part of stays
 * whole (.debug_str). False: it is not in there.
 */
bool package_unit(const struct sections *package, uint64_t id, struct sections *unit);

#endif
