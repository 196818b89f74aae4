/* SPDX-License-Identifier: GPL-2.0-only */
/* compare.c - perf-cstrace compare: what a trace says was executed, against a model's text or another trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/compare/compare.h"
#include "session/import/bare.h"
#include "session/session.h"

#define MAX_CORES 256u

static const char more[] =
	"Instructions are compared by address, instruction set, opcode, executed or condition failed, exception level and\n"
	"security state, as far as both sides know them. What is missing in gaps of the trace is counted by cause and is no\n"
	"difference. Exit codes: 0 equal, 4 differences, 3 equal but with losses or with a stream that was not compared.\n";

/* The value of --core, in pieces. */
struct cores {
	struct compare_core v[MAX_CORES];
	size_t nr;
	char *text;
};

static int set_cores(void *data, const char *arg)
{
	struct cores *cs = data;
	char *word, *eq, *end, *save = NULL;
	long cpu;

	cs->text = mem_text(arg);
	for (word = strtok_r(cs->text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		eq = strchr(word, '=');
		cpu = eq && eq != word ? strtol(word, &end, 10) : -1;
		if (cpu < 0 || cpu > 1 << 20 || end != eq || cs->nr == MAX_CORES) {
			fprintf(stderr, "cstrace compare: --core: found '%s', expected CPU=NAME, as 2=cluster0.cpu2\n", word);
			return -1;
		}
		cs->v[cs->nr++] = (struct compare_core){ (int)cpu, eq + 1 };
	}
	return 0;
}

static int set_ignored(void *data, const char *arg)
{
	static const struct {
		const char *name;
		unsigned int field;
	} fields[] = { { "opcode", FIELD_OPCODE }, { "result", FIELD_RESULT }, { "el", FIELD_EL }, { "security", FIELD_SECURITY } };
	unsigned int *ignored = data;
	size_t i, n;

	for (; *arg; arg += n + (arg[n] == ',')) {
		n = strcspn(arg, ",");
		for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (strlen(fields[i].name) == n && !strncmp(fields[i].name, arg, n))
				break;
		if (i == sizeof(fields) / sizeof(fields[0])) {
			fprintf(stderr, "cstrace compare: --ignore: found '%.*s', expected opcode, result, el or security\n",
				(int)n, arg);
			return -1;
		}
		*ignored |= fields[i].field;
	}
	return 0;
}

static int compare_session(struct session_opts *so, const struct compare_opts *o)
{
	struct compare_result result;
	struct session *ss;
	int rc = CMD_ERROR;

	so->progress = strcmp(o->output, "-") || !isatty(STDOUT_FILENO);
	ss = session_open(so);
	if (!ss)
		return CMD_ERROR;
	if (!compare_run(ss, o, &result))
		rc = result.differences ? CMD_DIFFERENT :
		     !result.equal ? CMD_NOTHING : cmd_decoded(ss, result.incomplete);
	session_close(ss);
	return rc;
}

int cmd_compare(int argc, const char **argv)
{
	struct session_opts so = { .input = NULL }, with;
	struct bare_opts bare = { .nr_words = 0 };
	struct compare_opts o = { .who = "cstrace compare" };
	const char *output = "-", *tarmac = NULL, *trace = NULL, *with_symfs = NULL;
	struct cores cores = { .nr = 0 };
	uint64_t shown = 10;
	int rc;
	const struct cmd_opt opts[] = {
		{ 0, "tarmac", CMD_OPT_FILE, &tarmac, "TEXT", "compare with a file of Tarmac text", NULL },
		{ 0, "with", CMD_OPT_STRING, &trace, "TRACE", "compare with another recording: perf.data, package or snapshot",
		  NULL },
		{ 0, "with-symfs", CMD_OPT_FOLDER, &with_symfs, "DIR", "the programs of TRACE (default: as --symfs)", NULL },
		{ 0, "core", CMD_OPT_CALL, &cores, "CPU=NAME[,CPU=NAME]",
		  "names of the CPUs in the text (default: names that end with the CPU's number)", set_cores },
		{ 0, "ignore", CMD_OPT_CALL, &o.ignore, "FIELDS", "fields that may differ: opcode, result, el, security",
		  set_ignored },
		{ 0, "shown", CMD_OPT_NUMBER, &shown, "N", "differences that are shown for each core (default: 10)", NULL },
		{ 'o', "output", CMD_OPT_STRING, &output, "FILE", "write to FILE instead of stdout", NULL },
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END
	};
	const struct cmd_desc cmd = { "compare", "compare executed instructions with Tarmac text or another trace", NULL, opts,
				      more };

	rc = cmd_input(&cmd, &argc, argv, &bare, &so);
	if (rc == CMD_GO_ON && !tarmac == !trace)
		rc = cmd_usage_error(&cmd, "one of --tarmac and --with says what to compare with");
	if (rc == CMD_GO_ON) {
		if (with_symfs && !trace)
			cmd_no_effect(&cmd, "with-symfs", "there is no second trace (--with)");
		if (cores.nr && !tarmac)
			cmd_no_effect(&cmd, "core", "cores of two traces are compared by their CPUs");
		with = so;
		with.input = trace;
		with.bare = NULL;
		with.symfs = with_symfs ? with_symfs : so.symfs;
		o.tarmac = tarmac;
		o.with = trace ? &with : NULL;
		o.output = output;
		o.shown = shown > UINT32_MAX ? UINT32_MAX : (unsigned int)shown;
		o.cores = cores.v;
		o.nr_cores = cores.nr;
		rc = compare_session(&so, &o);
	}
	free(cores.text);
	return rc;
}
