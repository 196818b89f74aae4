/* SPDX-License-Identifier: GPL-2.0-only */
/* profile.c - perf-cstrace profile: exact counts of one binary in the text form of a compiler's tool. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "cmd/commands.h"
#include "cmd/jobs.h"
#include "cmd/options.h"
#include "images/dso.h"
#include "import/bare.h"
#include "perfdata/reader.h"
#include "profile/formats.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* By the last part of the recorded path, or of that of the file that was found for it (vmlinux for the kernel). */
static bool named(const struct binary *b, const char *name)
{
	const char *file = dso_file(b->dso);

	return !strcmp(base_name(dso_path(b->dso)), name) || (file && !strcmp(base_name(file), name));
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
		if (!named(v[i], base_name(want)))
			continue;
		/* two files of the same name, so the full path is required */
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
		if (readers_library(dso_path(v[i]->dso)))
			continue;
		if (found)
			return NULL;
		found = v[i];
	}
	return found;
}

/* With a filter: only branches of other binaries into this one were seen. */
static bool nothing_counted(const struct binary *b)
{
	return !b->ranges.used && !b->arrivals.used && !b->edges.used;
}

static void list_binaries(struct binary **v, size_t n, uint64_t elsewhere)
{
	size_t i;

	if (!n)
		fprintf(stderr, "  no instruction could be decoded: see the lines above, and 'perf-cstrace info'\n");
	for (i = 0; i < n; i++)
		fprintf(stderr, "  %15" PRIu64 " instructions  %s\n", v[i]->insns,
			name_shown(dso_path(v[i]->dso)));
	if (elsewhere)
		fprintf(stderr, "  %15" PRIu64 " instructions  in no single file\n", elsewhere);
}

/* What is not in the profile, and who cannot read it, of a file without program headers. */
static void report_unlinked(const struct profile_format *f, const struct binary *b,
			    const struct profile_removed *gone)
{
	const char *path = name_shown(dso_path(b->dso));

	if (f->base != PROFILE_OFFSET) {
		fprintf(stderr, "cstrace profile: %s is not linked (no program headers), as kernel modules are: addresses "
			"are those it was loaded at, and --format=%s is read for linked files only; create_llvm_prof "
			"of AutoFDO reads --format=autofdo\n", path, f->name);
		return;
	}
	fprintf(stderr, "cstrace profile: %s is not linked (no program headers), as kernel modules are: AutoFDO reads "
		"counts of such a file since June 2026, 0.30.1 does not\n", path);
	if (gone->ranges || gone->edges)
		fprintf(stderr, "cstrace profile: %s: %zu ranges, executed %" PRIu64 " times, and %zu edges are outside "
			"of its .text and left out: AutoFDO has no addresses for them\n", path, gone->ranges,
			gone->executed, gone->edges);
}

/* Finishes `out`, or leaves nothing of it. */
static int write_profile(const struct profile_format *f, enum profile_base base, struct binary *b, struct pd_output *out)
{
	struct error err = { .code = 0 };
	struct profile_removed gone;
	struct profile_address where;

	profile_address_init(&where, b->dso, base);
	if (!profile_address_limit(&where, b, &gone)) {
		fprintf(stderr, "cstrace profile: out of memory\n");
		pd_output_abort(out);
		return CMD_ERROR;
	}
	f->write(out, b, &where);
	if (pd_output_finish(out, &err)) {
		fprintf(stderr, "cstrace profile: %s\n", err.msg);
		return CMD_ERROR;
	}
	fprintf(stderr, "cstrace profile: %s: %zu ranges, %zu edges, %" PRIu64 " instructions, %" PRIu64
		" branches (%" PRIu64 " inside the binary)\n", name_shown(dso_path(b->dso)),
		b->ranges.used + b->arrivals.used,
		b->edges.used, b->insns, b->branches, b->inside);
	if (where.unlinked)
		report_unlinked(f, b, &gone);
	if (dso_is_memory(b->dso))
		fprintf(stderr, "cstrace profile: %s is a copy of kernel memory: its places are those of no program file, "
			"and no reader has functions for them; for a profile of the kernel, decode with --vmlinux and "
			"without the copy\n", name_shown(dso_path(b->dso)));
	readers_report(stderr, "profile", b->dso, f->reader);
	return CMD_OK;
}

static int run(struct session *ss, const struct profile_format *f, enum profile_base base, const char *want,
	       const char *output)
{
	const char *name = session_name(ss);
	struct error err = { .code = 0 };
	struct binary **v, *b;
	struct pd_output out;
	struct counts *c;
	int rc = CMD_ERROR;
	size_t n;

	/* decoding may take long: an output that cannot be is refused before */
	if (pd_output_open(&out, output, &err)) {
		fprintf(stderr, "cstrace profile: %s\n", err.msg);
		return CMD_ERROR;
	}
	c = counts_new(ss, f->joined, f->arrivals);
	if (!c) {
		fprintf(stderr, "cstrace profile: out of memory\n");
		pd_output_abort(&out);
		return CMD_ERROR;
	}
	if (counts_run(c))
		goto nothing;
	n = counts_binaries(c, &v);
	session_print_end(ss, stderr);
	if (!session_matched(ss)) {
		fprintf(stderr, "cstrace profile: %s: nothing was written\n", name);
		rc = CMD_LOSSES;
		goto nothing;
	}
	b = want ? find_named(v, n, want) : find_main(v, n);
	if (!b || nothing_counted(b)) {
		if (b)
			fprintf(stderr, "cstrace profile: %s: nothing to profile: nothing of %s was decoded; the trace "
				"shows:\n", name, name_shown(dso_path(b->dso)));
		else if (want)
			fprintf(stderr, "cstrace profile: %s: nothing to profile: --binary asks for %s, and "
				"the trace shows%s\n", name, want, n ? ":" : " no binary");
		else if (n)
			fprintf(stderr, "cstrace profile: %s: several binaries ran; choose one with --binary:\n",
				name);
		else
			fprintf(stderr, "cstrace profile: %s: nothing to profile: the trace shows no binary\n",
				name);
		list_binaries(v, n, counts_elsewhere(c));
		rc = b || want || !n ? CMD_LOSSES : CMD_ERROR;
		goto nothing;
	}
	rc = write_profile(f, base, b, &out);
	if (rc == CMD_OK && session_incomplete(ss))
		rc = CMD_LOSSES;
	counts_free(c);
	return rc;
nothing:
	pd_output_abort(&out);
	counts_free(c);
	return rc;
}

/* The value of --address; false: none of them. */
static bool base_named(const char *name, enum profile_base *base)
{
	if (!strcmp(name, "offset"))
		*base = PROFILE_OFFSET;
	else if (!strcmp(name, "vaddr"))
		*base = PROFILE_FIRST_LOAD;
	else
		return false;
	return true;
}

int cmd_profile(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { .progress = true };
	const char *format = "autofdo", *address = NULL, *want = NULL, *output = "-";
	const struct profile_format *f;
	enum profile_base base;
	const struct cmd_opt opts[] = {
		CMD_SESSION_OPTS(so),
		CMD_BARE_OPTS(bare),
		CMD_FILTER_OPTS(so.filter),
		CMD_JOBS_OPT(so),
		{ 'o', "output", CMD_OPT_STRING, &output, "FILE", "write to FILE instead of stdout",
		  NULL },
		{ 0, "format", CMD_OPT_STRING, &format, "NAME",
		  "autofdo (default), llvm or bolt, see below", NULL },
		{ 0, "address", CMD_OPT_STRING, &address, "BASE",
		  "numbers in an autofdo profile: offset (default) or vaddr, see below", NULL },
		{ 0, "binary", CMD_OPT_STRING, &want, "PATH",
		  "which binary, as recorded or by its name (default: the only executable)", NULL },
		CMD_OPT_END,
	};
	static const char more[] =
		"autofdo: text for create_llvm_prof and create_gcov with --profiler=text. AutoFDO 0.20 and later\n"
		"  reads file offsets (--address=offset); 0.19 and earlier, as in Debian 12, reads addresses from\n"
		"  the first segment on (--address=vaddr). Numbers of the other kind put counts to other functions.\n"
		"llvm: for llvm-profgen (LLVM 19 or later) --unsymbolized-profile --use-offset=0.\n"
		"bolt: for perf2bolt -p FILE --pa; Debian has it as /usr/lib/llvm-VERSION/bin/perf2bolt.\n"
		"All counts are exact: every range and branch of the trace, in one pass.\n";
	const struct cmd_desc cmd = { "profile", "exact counts of executed branches and ranges for compilers",
				      NULL, opts, more };
	struct session *ss;
	int rc = cmd_options(&cmd, &argc, argv);

	if (rc == CMD_GO_ON)
		rc = cmd_bare_check(&cmd, &bare, &so, NULL);
	if (rc == CMD_GO_ON)
		rc = cmd_jobs_default(&cmd, &so);
	if (rc != CMD_GO_ON)
		return rc;
	f = profile_format_find(format);
	if (!f)
		return cmd_usage_error(&cmd, "--format=%s: known are autofdo, llvm and bolt", format);
	base = f->base;
	if (address && base != PROFILE_OFFSET)
		return cmd_usage_error(&cmd, "--address is for --format=autofdo: --format=%s has virtual addresses",
				       format);
	if (address && !base_named(address, &base))
		return cmd_usage_error(&cmd, "--address=%s: known are offset and vaddr", address);
	ss = session_open(&so);
	if (!ss)
		return CMD_ERROR;
	rc = run(ss, f, base, want, output);
	session_close(ss);
	return rc;
}
