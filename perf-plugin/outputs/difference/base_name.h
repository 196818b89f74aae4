/* SPDX-License-Identifier: GPL-2.0-only */
/* base_name.h - the name that a function has in the source, of the name of a part or copy of it. */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_BASE_NAME_H
#define CSTRACE_OUTPUTS_DIFFERENCE_BASE_NAME_H

#include <stddef.h>

/*
 * Returns the length of a name without what compilers append to those of parts and copies: .cold,
 * .part.0, .constprop.1.
 */
size_t base_name_len(const char *name);

#endif
