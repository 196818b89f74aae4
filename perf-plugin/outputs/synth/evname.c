/* SPDX-License-Identifier: GPL-2.0-only */
/* evname.c - makes an event's name with the modifiers of the trace event. */
#include "outputs/synth/evname.h"

#include <stdio.h>

const struct perf_event_attr *evname_find(const struct perfdata *pd, uint32_t type)
{
	unsigned int i;

	for (i = 0; i < perfdata_nr_attrs(pd); i++)
		if (perfdata_attr(pd, i)->attr.type == type)
			return &perfdata_attr(pd, i)->attr;
	return NULL;
}

void evname_make(char *name, size_t len, const char *base, const struct perf_event_attr *like)
{
	static const struct perf_event_attr all;
	const struct perf_event_attr *a = like ? like : &all;
	bool level = a->exclude_kernel || a->exclude_user || a->exclude_hv;
	/* when a level was chosen, samples of the host alone are the default */
	bool host = a->exclude_host || a->exclude_guest == level;
	char mod[8], *p = mod;

	if (level && !a->exclude_kernel)
		*p++ = 'k';
	if (level && !a->exclude_user)
		*p++ = 'u';
	if (level && !a->exclude_hv)
		*p++ = 'h';
	if (host && !a->exclude_host)
		*p++ = 'H';
	if (host && !a->exclude_guest)
		*p++ = 'G';
	*p = 0;
	snprintf(name, len, "%s%s%s", base, *mod ? ":" : "", mod);
}
