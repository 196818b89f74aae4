/* SPDX-License-Identifier: GPL-2.0-only */
/* profile.c - perf-cstrace profile: exact counts of one binary in the text form of a compiler's tool. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/options.h"
#include "perfdata/reader.h"
#include "profile/formats.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Not a program by itself: shared object, dynamic linker, kernel, vDSO. */
static bool is_library(const char *path)
{
	const char *name = base_name(path);

	return path[0] == '[' || strstr(name, ".so") || strstr(name, ".ko") || !strncmp(name, "ld-", 3);
}

/* As recorded, as found on this machine, or by the last part of the path. */
static struct binary *find_named(struct binary **v, size_t n, const char *want)
{
	struct binary *found = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		const char *file = dso_file(v[i]->dso);

		if (!strcmp(dso_path(v[i]->dso), want) || (file && !strcmp(file, want)))
			return v[i];
	}
	for (i = 0; i < n; i++) {
		if (strcmp(base_name(dso_path(v[i]->dso)), base_name(want)))
			continue;
		/* Two of the same name: only the full path can tell them apart. */
		if (found)
			return NULL;
		found = v[i];
	}
	return found;
}

/* Without --binary: the executable, when only one ran. */
static struct binary *find_main(struct binary **v, size_t n)
{
	struct binary *found = NULL;
	size_t i;

	if (n == 1)
		return v[0];
	for (i = 0; i < n; i++) {
		if (is_library(dso_path(v[i]->dso)))
			continue;
		if (found)
			return NULL;
		found = v[i];
	}
	return found;
}

static void list_binaries(struct binary **v, size_t n, uint64_t elsewhere)
{
	size_t i;

	if (!n)
		fprintf(stderr, "  no instruction could be decoded: see the lines above, and 'perf-cstrace info'\n");
	for (i = 0; i < n; i++)
		fprintf(stderr, "  %15" PRIu64 " instructions  %s\n", v[i]->insns,
			dso_path(v[i]->dso));
	if (elsewhere)
		fprintf(stderr, "  %15" PRIu64 " instructions  in no single file\n", elsewhere);
}

static int write_profile(const struct profile_format *f, struct binary *b, const char *output)
{
	struct pd_error err = { .code = 0 };
	struct pd_output out;

	if (pd_output_open(&out, output, &err)) {
		fprintf(stderr, "cstrace profile: %s\n", err.msg);
		return CMD_ERROR;
	}
	f->write(&out, b);
	if (pd_output_finish(&out, &err)) {
		fprintf(stderr, "cstrace profile: %s\n", err.msg);
		return CMD_ERROR;
	}
	fprintf(stderr, "cstrace profile: %s: %zu ranges, %zu edges, %" PRIu64 " instructions, %" PRIu64
		" branches (%" PRIu64 " inside the binary)\n", dso_path(b->dso), b->ranges.used,
		b->edges.used, b->insns, b->branches, b->inside);
	return CMD_OK;
}

static int run(struct session *ss, const struct profile_format *f, const char *want,
	       const char *output)
{
	const char *name = perfdata_name(session_perfdata(ss));
	struct counts *c = counts_new(ss, f->joined);
	struct binary **v, *b;
	int rc = CMD_ERROR;
	size_t n;

	if (!c) {
		fprintf(stderr, "cstrace profile: out of memory\n");
		return CMD_ERROR;
	}
	if (counts_run(c))
		goto out;
	n = counts_binaries(c, &v);
	session_print_end(ss, stderr);
	b = want ? find_named(v, n, want) : find_main(v, n);
	if (!b) {
		if (want)
			fprintf(stderr, "cstrace profile: %s: nothing to profile: --binary asks for %s, and "
				"the trace shows%s\n", name, want, n ? ":" : " no binary");
		else if (n)
			fprintf(stderr, "cstrace profile: %s: several binaries ran; choose one with --binary:\n",
				name);
		else
			fprintf(stderr, "cstrace profile: %s: nothing to profile: the trace shows no binary\n",
				name);
		list_binaries(v, n, counts_elsewhere(c));
		goto out;
	}
	rc = write_profile(f, b, output);
	if (rc == CMD_OK && session_has_losses(ss))
		rc = CMD_LOSSES;
out:
	counts_free(c);
	return rc;
}

int cmd_profile(int argc, const char **argv)
{
	struct session_opts so = { .progress = true };
	const char *format = "autofdo", *want = NULL, *output = "-";
	const struct profile_format *f;
	const struct cmd_opt opts[] = {
		CMD_SESSION_OPTS(so),
		CMD_FILTER_OPTS(so.filter),
		CMD_INDEX_OPTS(so),
		{ 'o', "output", CMD_OPT_STRING, &output, "FILE", "write to FILE instead of stdout",
		  NULL },
		{ 0, "format", CMD_OPT_STRING, &format, "NAME",
		  "autofdo (default), llvm or bolt, see below", NULL },
		{ 0, "binary", CMD_OPT_STRING, &want, "PATH",
		  "which binary, as recorded or by its name (default: the only executable)", NULL },
		CMD_OPT_END,
	};
	static const char more[] =
		"autofdo: text for create_llvm_prof and create_gcov with --profiler=text.\n"
		"llvm: for llvm-profgen --unsymbolized-profile --use-offset=0.\n"
		"bolt: for perf2bolt -p FILE --pa.\n"
		"All counts are exact: every range and branch of the trace, in one pass.\n";
	const struct cmd_desc cmd = { "profile", "exact counts of executed branches and ranges for compilers",
				      NULL, opts, more };
	struct session *ss;
	int rc = cmd_options(&cmd, &argc, argv);

	if (rc != CMD_GO_ON)
		return rc;
	if ((so.index || so.no_index) && !so.filter.time)
		return cmd_usage_error(&cmd, "--index and --no-index are for --time");
	f = profile_format_find(format);
	if (!f)
		return cmd_usage_error(&cmd, "--format=%s: known are autofdo, llvm and bolt", format);
	ss = session_open(&so);
	if (!ss)
		return CMD_ERROR;
	rc = run(ss, f, want, output);
	session_close(ss);
	return rc;
}
