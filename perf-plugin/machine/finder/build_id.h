/* SPDX-License-Identifier: GPL-2.0-only */
/* build_id.h - build-ids: what a linker wrote into a program, and into nothing else that has other code. */
#ifndef CSTRACE_MACHINE_FINDER_BUILD_ID_H
#define CSTRACE_MACHINE_FINDER_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 20

struct build_id {
	uint8_t len;
	uint8_t id[BUILD_ID_MAX];
};

bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Writes hex digits to `out`, which has room for 2 * BUILD_ID_MAX + 1. */
const char *build_id_text(const struct build_id *id, char *out);

#endif
