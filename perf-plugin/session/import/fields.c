/* SPDX-License-Identifier: GPL-2.0-only */
/* fields.c - the table of records with fixed layout, and lookups by type and by name. */
#include "session/import/fields.h"

#include <string.h>

#include "perfdata/records.h"

static const struct record_verb verbs[] = {
	{ "x_fragment", PERF_RECORD_AUX, 32, true,
	  { { "offset", 8, 8, false }, { "size", 16, 8, false }, { "flags", 24, 8, false } } },
	{ "x_itrace_start", PERF_RECORD_ITRACE_START, 16, true, { { "pid", 8, 4, true }, { "tid", 12, 4, true } } },
	{ "x_switch", PERF_RECORD_SWITCH, 8, true, { { .key = NULL } } },
	{ "x_switch_cpu_wide", PERF_RECORD_SWITCH_CPU_WIDE, 16, true,
	  { { "pid", 8, 4, true }, { "tid", 12, 4, true } } },
	{ "x_lost", PERF_RECORD_LOST, 24, true, { { "id", 8, 8, false }, { "lost", 16, 8, false } } },
	{ "x_lost_samples", PERF_RECORD_LOST_SAMPLES, 16, true, { { "lost", 8, 8, false } } },
	{ "x_time_conv", PERF_RECORD_TIME_CONV, 56, false,
	  { { "shift", 8, 8, false }, { "mult", 16, 8, false }, { "zero", 24, 8, false }, { "cycles", 32, 8, false },
	    { "mask", 40, 8, false }, { "cap_zero", 48, 1, false }, { "cap_short", 49, 1, false } } },
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
