/* SPDX-License-Identifier: GPL-2.0-only */
/* fields.c - parses the field list of script -F, and lists the views that are made of fields. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"

#include "outputs/listing/listing.h"

static const struct {
	const char *name;
	unsigned int field;
} names[] = {
	{ "comm", LIST_COMM },
	{ "pid", LIST_PID },
	{ "tid", LIST_TID },
	{ "cpu", LIST_CPU },
	{ "time", LIST_TIME },
	{ "period", LIST_PERIOD },
	{ "event", LIST_EVENT },
	{ "flags", LIST_FLAGS },
	{ "ip", LIST_IP },
	{ "sym", LIST_SYM },
	{ "symoff", LIST_SYMOFF },
	{ "dso", LIST_DSO },
	{ "addr", LIST_ADDR },
	{ "brstack", LIST_BRSTACK },
	{ "insn", LIST_INSN },
	{ "insnlen", LIST_INSNLEN },
	{ "srcline", LIST_SRCLINE },
	{ "disasm", LIST_DISASM },
	{ "callindent", LIST_CALLINDENT },
	{ "brstacksym", LIST_BRSTACKSYM },
	{ "brstackinsn", LIST_BRSTACKINSN },
	{ "brstackdisasm", LIST_BRSTACKDISASM },
	{ "synth", LIST_SYNTH },
	{ "ipc", LIST_IPC },
	{ "machine_pid", LIST_MACHINE_PID },
};

static unsigned int lookup(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == n && !memcmp(names[i].name, p, n))
			return names[i].field;
	return 0;
}

static void complain(char *msg, size_t len, const char *p, size_t n)
{
	struct near near;
	size_t i;
	int k;

	near_begin(&near, p, n);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		near_try(&near, names[i].name, strlen(names[i].name));
	k = snprintf(msg, len, "-F: field '%.*s' is not known%s; there are", (int)n, p,
		     near_hint(&near, ""));
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && k > 0 && (size_t)k < len; i++)
		k += snprintf(msg + k, len - (size_t)k, " %s", names[i].name);
}

bool listing_fields(unsigned int *fields, const char *text, char *msg, size_t len)
{
	unsigned int set = *text == '+' || *text == '-' ? *fields : 0, field;
	const char *p = text;
	char sign;
	size_t n;

	while (*p) {
		sign = *p == '+' || *p == '-' ? *p++ : 0;
		n = strcspn(p, ",");
		field = lookup(p, n);
		if (!field) {
			complain(msg, len, p, n);
			return false;
		}
		set = sign == '-' ? set & ~field : set | field;
		p += n;
		p += *p == ',';
	}
	if (set & (LIST_SYM | LIST_SYMOFF | LIST_DSO | LIST_SRCLINE) &&
	    !(set & (LIST_IP | LIST_ADDR | LIST_CALLINDENT | LISTING_STACK))) {
		snprintf(msg, len, "-F %s: sym, symoff, dso and srcline tell about ip and addr: ask for one of them, too",
			 text);
		return false;
	}
	if (!set) {
		snprintf(msg, len, "-F %s: no field is left to print", text);
		return false;
	}
	*fields = set;
	return true;
}

static const struct listing_view views[] = {
	{ "insn-trace", "i0nse", "+insn,-event,-period" },
	{ "insn-trace=raw", "i0nse", "+insn,-event,-period" },
	{ "insn-trace=disasm", "i0nse", "+disasm,-event,-period" },
	{ "call-trace", "ce", "-ip,-addr,-event,-period,+callindent" },
	{ "call-ret-trace", "cre", "-ip,-addr,-event,-period,+callindent,+flags" },
};

const struct listing_view *listing_view(const char *option, const char *value)
{
	const size_t n = strlen(option);
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		name = views[i].name;
		if (strncmp(name, option, n))
			continue;
		if (value && *value ? name[n] == '=' && !strcmp(name + n + 1, value) : !name[n])
			return &views[i];
	}
	return NULL;
}
