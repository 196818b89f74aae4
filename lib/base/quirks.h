/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * quirks.h - the reference decoder's departures from the architecture, of which a configuration has all (as_reference)
 * or none. quirks.def lists them.
 */
#ifndef CST_LIB_BASE_QUIRKS_H
#define CST_LIB_BASE_QUIRKS_H

#include <cstrace/config.h>

enum quirk {
#define QUIRK(name, what, section, golden) QUIRK_##name,
#include "quirks.def"
#undef QUIRK
	QUIRKS
};

_Static_assert(QUIRKS <= 8, "cst_config.quirks has a bit for each");

/* For configurations that the library copies from a caller. */
static inline void quirks_set(struct cst_config *cfg)
{
	cfg->quirks = cfg->as_reference ? (1u << QUIRKS) - 1 : 0;
}

static inline int quirk(const struct cst_config *cfg, enum quirk q)
{
	return cfg->quirks >> q & 1;
}

#endif
