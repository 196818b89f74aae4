/* SPDX-License-Identifier: GPL-2.0-only */
/* sources.c - finds a trace source by the CPU that it traces or by its name. */
#include <string.h>

#include "session/import/sources.h"

const struct source_name *source_of_cpu(const struct source_names *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (s->v[i].cpu == cpu)
			return &s->v[i];
	return NULL;
}

const struct source_name *source_by_name(const struct source_names *s, struct cst_str name)
{
	size_t i;

	for (i = 0; name.n && i < s->nr; i++)
		if (cst_str_is(name, s->v[i].name))
			return &s->v[i];
	return NULL;
}
