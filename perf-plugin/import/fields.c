/* SPDX-License-Identifier: GPL-2.0-only */
/* fields.c - the table of records with fixed layout, and lookups by type and by name. */
#include "import/fields.h"

#include <string.h>

#include "perfdata/records.h"

static const struct record_verb verbs[] = {
	{ "x_fragment", PERF_RECORD_AUX, 32, 1,
	  { { "offset", 8, 8, 0 }, { "size", 16, 8, 0 }, { "flags", 24, 8, 0 } } },
	{ "x_itrace_start", PERF_RECORD_ITRACE_START, 16, 1, { { "pid", 8, 4, 1 }, { "tid", 12, 4, 1 } } },
	{ "x_switch", PERF_RECORD_SWITCH, 8, 1, { { NULL, 0, 0, 0 } } },
	{ "x_switch_cpu_wide", PERF_RECORD_SWITCH_CPU_WIDE, 16, 1,
	  { { "pid", 8, 4, 1 }, { "tid", 12, 4, 1 } } },
	{ "x_lost", PERF_RECORD_LOST, 24, 1, { { "id", 8, 8, 0 }, { "lost", 16, 8, 0 } } },
	{ "x_lost_samples", PERF_RECORD_LOST_SAMPLES, 16, 1, { { "lost", 8, 8, 0 } } },
	{ "x_time_conv", PERF_RECORD_TIME_CONV, 56, 0,
	  { { "shift", 8, 8, 0 }, { "mult", 16, 8, 0 }, { "zero", 24, 8, 0 }, { "cycles", 32, 8, 0 },
	    { "mask", 40, 8, 0 }, { "cap_zero", 48, 1, 0 }, { "cap_short", 49, 1, 0 } } },
};

const struct record_verb *record_verb_of(uint32_t type)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (verbs[i].type == type)
			return &verbs[i];
	return NULL;
}

const struct record_verb *record_verb_by_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strlen(verbs[i].name) == len && !memcmp(verbs[i].name, name, len))
			return &verbs[i];
	return NULL;
}
