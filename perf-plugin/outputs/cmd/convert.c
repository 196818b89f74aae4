/* SPDX-License-Identifier: GPL-2.0-only */
/* convert.c - perf-cstrace convert: perf.data, trace packages and Arm snapshots into one another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/export/export.h"
#include "session/import/import.h"
#include "session/parts.h"
#include "session/session.h"

static const char more[] =
	"The kind of the input is found out: perf.data, a folder with contents.ini (package), a folder with\n"
	"snapshot.ini. A package keeps everything; a snapshot holds one process and one image; perf.data has\n"
	"no record for some events of packages. What is dropped is listed on stderr, with exit code 3.\n"
	"With --trace and --to=snapshot nothing is decoded: trace, registers and programs are written down.\n";

struct convert_cmd {
	struct session_opts so;
	struct bare_opts bare;
	const char *output;
	const char *to;
	bool images;
	bool pid_given;
	uint64_t pid;
};

static int set_pid(void *data, const char *arg)
{
	struct convert_cmd *c = data;

	if (!cmd_number(arg, &c->pid) || c->pid > INT32_MAX) {
		fprintf(stderr, "cstrace convert: --pid: '%s' is no process number\n", arg);
		return -1;
	}
	c->pid_given = true;
	return 0;
}

static int report(int rc, const struct error *err, const struct drops *drops)
{
	if (!rc)
		return drops->count ? CMD_LOSSES : CMD_OK;
	if (err->code)
		fprintf(stderr, "cstrace convert: %s\n", err->msg);
	return CMD_ERROR;
}

static struct copy_origin origin_of(const struct convert_cmd *c)
{
	return (struct copy_origin){ .input = c->so.input ? c->so.input : "perf.data", .symfs = c->so.symfs,
				     .force = c->so.force };
}

/* Sources of a snapshot that only the timeline and listings of it show. */
static void drop_stms(const struct unit_configs *units, struct drops *drops)
{
	size_t i;

	for (i = 0; i < units->nr; i++)
		if (units->v[i].config.protocol == CST_PROTO_STM)
			drops_add(drops, 1, "the STM with trace ID 0x%02x: there is no place for its messages", units->v[i].config.trace_id);
}

static int to_snapshot(const struct convert_cmd *c, struct drops *drops)
{
	const struct export_snapshot_opts o = {
		.output = c->output, .pid = c->pid_given ? (int)c->pid : -1, .force = c->so.force,
		.origin = origin_of(c) };
	struct session *ss = session_open(&c->so);
	struct error err = { .code = 0 };
	int rc;

	if (!ss)
		return CMD_ERROR;
	drop_stms(&session_units(ss)->given, drops);
	rc = export_snapshot(ss, &o, drops, &err);
	/* code that is missing here is missing in the snapshot */
	if (!rc)
		drops->count += session_print_missing(ss, stderr);
	rc = report(rc, &err, drops);
	session_close(ss);
	return rc;
}

static int to_package(const struct convert_cmd *c, const char *input, struct drops *drops)
{
	const struct export_package_opts o = { .output = c->output, .images = c->images,
						.origin = origin_of(c) };
	struct session *ss = c->images ? session_open(&c->so) : NULL;
	struct import_input in = { .pd = NULL };
	struct error err = { .code = 0 };
	const struct unit_configs *units;
	size_t i;
	int rc;

	if (c->images && !ss)
		return CMD_ERROR;
	rc = ss ? 0 : import_open(&in, input, c->so.bare, &err);
	drops->count += in.dropped + in.software;
	units = ss ? &session_units(ss)->given : &in.configs;
	if (!rc)
		drop_stms(units, drops);
	for (i = 0; !rc && i < units->nr; i++)
		if (units->v[i].config.profile != CST_PROFILE_A)
			drops_profile(drops, units->v[i].cpu);
	if (!rc)
		rc = export_package(ss ? session_perfdata(ss) : in.pd, ss, &o, drops, &err);
	rc = report(rc, &err, drops);
	session_close(ss);
	perfdata_close(in.pd);
	dso_bundle_free(&in.bundle);
	free(in.configs.v);
	return rc;
}

static int to_perf(const struct convert_cmd *c, enum import_kind from, struct drops *drops)
{
	struct error err = { .code = 0 };
	struct perf_writer *w = pw_open(c->output, &err);
	int rc;

	if (!w)
		return report(-1, &err, drops);
	rc = from == IMPORT_PACKAGE ? import_package(c->so.input, false, w, NULL, drops, &err) :
				       import_snapshot(c->so.input, c->so.bare, w, NULL, drops, &err);
	if (rc)
		pw_abort(w);
	else
		rc = pw_finish(w, &err);
	return report(rc, &err, drops);
}

/* Reports that the input is perf.data already, or why it cannot be read as perf.data. */
static int refuse_perf(const char *input, const struct drops *drops)
{
	struct error err = { .code = 0 };
	struct perfdata *pd = perfdata_open(input, &err);

	if (!pd)
		return report(-1, &err, drops);
	perfdata_close(pd);
	fprintf(stderr, "cstrace convert: %s is perf.data already\n", name_shown(input));
	return CMD_ERROR;
}

static int convert_run(const struct convert_cmd *c, enum import_kind to, struct drops *drops)
{
	const char *input = c->so.input ? c->so.input : "perf.data";
	enum import_kind from = import_kind_with(input, c->so.bare);
	struct error err = { .code = 0 };

	/* nothing of it changes on the way, so that also trace is kept that perf.data has no place for */
	if (to == IMPORT_SNAPSHOT && c->bare.nr_traces)
		return report(bare_write(&c->bare, c->output, drops, &err), &err, drops);
	if (to == IMPORT_SNAPSHOT)
		return to_snapshot(c, drops);
	if (to == IMPORT_PACKAGE)
		return to_package(c, input, drops);
	if (from == IMPORT_PERF)
		return refuse_perf(input, drops);
	return to_perf(c, from, drops);
}

static bool kind_of(const char *to, enum import_kind *kind)
{
	static const struct {
		const char *name;
		enum import_kind kind;
	} kinds[] = {
		{ "perf", IMPORT_PERF }, { "package", IMPORT_PACKAGE }, { "snapshot", IMPORT_SNAPSHOT },
	};
	size_t i;

	for (i = 0; to && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(to, kinds[i].name)) {
			*kind = kinds[i].kind;
			return true;
		}
	return false;
}

int cmd_convert(int argc, const char **argv)
{
	struct convert_cmd c = { .so = { .progress = true } };
	const struct cmd_opt opts[] = {
		{ 0, "to", CMD_OPT_STRING, &c.to, "KIND", "what to make: perf, package or snapshot", NULL },
		{ 'o', "output", CMD_OPT_STRING, &c.output, "PATH",
		  "where: a file for perf, a folder that does not exist yet for the others", NULL },
		{ 0, "pid", CMD_OPT_CALL, &c, "PID",
		  "with --to=snapshot: the process whose memory it holds", set_pid },
		{ 0, "images", CMD_OPT_FLAG, &c.images, NULL,
		  "with --to=package: copy program images, kernel memory and jitdump files into it", NULL },
		CMD_SESSION_OPTS(c.so),
		CMD_BARE_OPTS(c.bare),
		CMD_OPT_END,
	};
	const struct cmd_desc cmd = { "convert", "perf.data, trace packages and Arm snapshots into one another",
				      NULL, opts, more };
	struct drops drops = { .count = 0 };
	enum import_kind to;
	int rc = cmd_input(&cmd, &argc, argv, &c.bare, &c.so);

	if (rc != CMD_GO_ON)
		return rc;
	if (!kind_of(c.to, &to))
		return c.to ? cmd_value_error(&cmd, "to", c.to, "perf, package or snapshot") :
			      cmd_usage_error(&cmd, "--to: perf, package or snapshot");
	if (!c.output)
		return cmd_usage_error(&cmd, "-o: where shall it be written?");
	if (c.pid_given && to != IMPORT_SNAPSHOT)
		return cmd_usage_error(&cmd, "--pid is for --to=snapshot: other kinds keep every process");
	if (c.pid_given && c.bare.nr_traces)
		return cmd_usage_error(&cmd, "--pid is for recordings: of --trace everything is kept");
	if (c.images && to != IMPORT_PACKAGE)
		return cmd_usage_error(&cmd, "--images is for --to=package");
	if (to == IMPORT_PERF || (to == IMPORT_PACKAGE && !c.images))
		cmd_no_effect_in(&cmd, &c.so, sizeof(c.so), "input",
				 "nothing is decoded; --images and --to=snapshot need program files");
	drops.name = c.output;
	return convert_run(&c, to, &drops);
}
