/* SPDX-License-Identifier: GPL-2.0-only */
/* bare.c - the options that describe trace without a recording (import/bare.h). */
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "outputs/cmd/options.h"
#include "session/import/bare.h"
#include "session/session.h"

#define MAX_ID	0x6f

static const char *const formats[] = {
	[BARE_ALIGNED] = "aligned", [BARE_TPIU] = "tpiu", [BARE_DSTREAM] = "dstream", [BARE_RAW] = "raw",
};

static int too_many(const char *option, size_t most)
{
	fprintf(stderr, "cstrace: --%s: at most %zu\n", option, most);
	return -1;
}

/* The option as it was given, whose table is as large as those of all options together. */
static void keep(struct bare_opts *o, const char *option, const char *arg)
{
	if (o->nr_words < sizeof(o->words) / sizeof(o->words[0]))
		o->words[o->nr_words++] = (struct bare_word){ option, arg };
}

int cmd_bare_trace(void *bare, const char *arg)
{
	struct bare_opts *o = bare;

	if (o->nr_traces == BARE_MAX)
		return too_many("trace", BARE_MAX);
	o->traces[o->nr_traces++] = arg;
	keep(o, "trace", arg);
	return 0;
}

int cmd_bare_program(void *bare, const char *arg)
{
	struct bare_opts *o = bare;

	if (o->nr_programs == BARE_MAX)
		return too_many("elf", BARE_MAX);
	o->programs[o->nr_programs++] = arg;
	keep(o, "elf", arg);
	return 0;
}

int cmd_bare_format(void *bare, const char *arg)
{
	struct bare_opts *o = bare;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(arg, formats[i])) {
			o->format = (enum bare_format)i;
			keep(o, "trace-format", arg);
			return 0;
		}
	fprintf(stderr, "cstrace: --trace-format: found '%s', expected aligned, tpiu, dstream or raw\n", name_shown(arg));
	return -1;
}

static const struct core *find_core(const char *option, const char *name)
{
	const struct core *core = core_by_name(name, strlen(name));

	if (core)
		return core;
	fprintf(stderr, "cstrace: --%s: found '%s', expected one of (and where its registers are published):\n", option,
		name_shown(name));
	cores_print(stderr);
	return NULL;
}

int cmd_bare_core(void *bare, const char *arg)
{
	struct bare_opts *o = bare;

	if (!strcmp(arg, "list")) {
		cores_print(stdout);
		return 1;
	}
	o->core = find_core("core-type", arg);
	if (!o->core)
		return -1;
	keep(o, "core-type", arg);
	return 0;
}

/* The number before `sign` as a trace ID; returns the text behind `sign`, NULL if it is not a trace ID. */
static const char *read_id(const char *arg, char sign, int *id)
{
	const char *p = strchr(arg, sign);
	char number[16];
	uint64_t v;

	if (!p || (size_t)(p - arg) >= sizeof(number))
		return NULL;
	memcpy(number, arg, (size_t)(p - arg));
	number[p - arg] = 0;
	if (!cmd_number(number, &v) || !v || v > MAX_ID)
		return NULL;
	*id = (int)v;
	return p + 1;
}

int cmd_bare_source(void *bare, const char *arg)
{
	struct bare_opts *o = bare;
	struct bare_source *s = &o->sources[o->nr_sources];
	const char *name;

	if (o->nr_sources == BARE_MAX)
		return too_many("trace-source", BARE_MAX);
	name = read_id(arg, '=', &s->id);
	if (!name) {
		fprintf(stderr, "cstrace: --trace-source: found '%s', expected ID=NAME with a trace ID from 1 to 0x6f\n",
			name_shown(arg));
		return -1;
	}
	s->core = find_core("trace-source", name);
	if (!s->core)
		return -1;
	o->nr_sources++;
	keep(o, "trace-source", arg);
	return 0;
}

int cmd_bare_reg(void *bare, const char *arg)
{
	struct bare_opts *o = bare;
	struct bare_reg *r = &o->regs[o->nr_regs];
	const char *name = arg, *eq;

	if (o->nr_regs == BARE_MAX_REGS)
		return too_many("reg", BARE_MAX_REGS);
	r->id = BARE_ANY;
	if (strchr(arg, ':'))
		name = read_id(arg, ':', &r->id);
	eq = name ? strchr(name, '=') : NULL;
	if (!eq || eq == name || !cmd_number(eq + 1, &r->value)) {
		fprintf(stderr, "cstrace: --reg: found '%s', expected NAME=VALUE or ID:NAME=VALUE with numbers of at most 64 "
			"bits\n", name_shown(arg));
		return -1;
	}
	r->name = name;
	r->name_len = (size_t)(eq - name);
	o->nr_regs++;
	keep(o, "reg", arg);
	return 0;
}

int cmd_bare_check(const struct cmd_desc *cmd, const struct bare_opts *o, struct session_opts *so, const char *snapshot)
{
	if (!o->nr_words)
		return CMD_GO_ON;
	if (o->nr_traces && (so->input || snapshot))
		return cmd_usage_error(cmd, "--trace and %s exclude each other", snapshot ? "-s" : "-i");
	if (!o->nr_traces && o->nr_words > o->nr_programs)
		return cmd_usage_error(cmd, "--trace-format, --core-type, --trace-source and --reg are for --trace: what %s "
				       "names says itself what its trace is", snapshot ? "-s" : "-i");
	if (o->nr_traces && o->core && o->nr_sources)
		return cmd_usage_error(cmd, "--core-type is for one trace source, --trace-source ID=NAME for several: one of the "
				       "two");
	if (o->nr_traces && !o->core && !o->nr_sources)
		return cmd_usage_error(cmd, "--trace needs --core-type NAME: which core wrote the trace (--core-type list lists "
				       "them)");
	so->bare = o;
	/* messages name what is read */
	if (o->nr_traces)
		so->input = o->traces[0];
	return CMD_GO_ON;
}
