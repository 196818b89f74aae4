/* SPDX-License-Identifier: GPL-2.0-only */
/* sources.h - the names of a package's trace sources and the CPUs that they trace. */
#ifndef CSTRACE_SESSION_IMPORT_SOURCES_H
#define CSTRACE_SESSION_IMPORT_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/event.h>

struct source_name {
	char name[64];
	int cpu;
	uint8_t unit;		/* enum aux_unit */
};

struct source_names {
	struct source_name *v;
	size_t nr, cap;
};

const struct source_name *source_of_cpu(const struct source_names *s, int cpu);
/* NULL for an empty name, which any number of sources have. */
const struct source_name *source_by_name(const struct source_names *s, struct cst_str name);

#endif
