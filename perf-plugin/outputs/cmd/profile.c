/* SPDX-License-Identifier: GPL-2.0-only */
/* profile.c - perf-cstrace profile: exact counts in the form of a compiler's tool or of a viewer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/name.h"
#include "counting/calls/calls.h"
#include "counting/countfiles/count_input.h"
#include "counting/countfiles/lost.h"
#include "counting/counts/stored.h"
#include "machine/images/dso_table.h"
#include "outputs/cmd/base.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/count.h"
#include "outputs/cmd/counted.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/piped.h"
#include "outputs/cmd/summary.h"
#include "outputs/cmd/watch.h"
#include "outputs/profile/bolt_version.h"
#include "outputs/profile/choose.h"
#include "outputs/profile/exact.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/places.h"
#include "perfdata/branch_list.h"
#include "perfdata/reader.h"
#include "session/import/bare.h"
#include "session/losses/report.h"
#include "session/pieces/pieces.h"

/* --interval was not given. */
#define NO_INTERVAL UINT64_MAX

/* What is to be written, by the options. */
struct request {
	const struct profile_format *f;
	enum profile_base base;
	const char *want;		/* --binary; NULL: not given */
	const char *output;
	bool demangle;
	bool traced_only;		/* --untraced=uncovered */
	bool base_given;		/* --address */
	bool force;			/* also of a binary that the trace contradicts */
	bool no_calls;
	uint64_t depth;			/* --max-stack */
	enum metric metric;
	struct base_opts base_opts;
};

/* What was counted, for messages and the exit code. */
struct input {
	const char *name;
	struct counted_lost lost;
	bool count_file;
	const struct base *before;	/* what it is compared with; not opened: nothing */
};

/* Refuses a compiler's profile of a binary that is not the one that ran, after a message. */
static bool refused(const struct input *in, const struct request *r, const struct model *m, const struct model_binary *b)
{
	uint64_t conflicts, branches;
	char a[32], c[32];

	if (r->force || !exact_refuses(m, b, in->count_file, &conflicts, &branches))
		return false;
	fprintf(stderr,
		"cstrace profile: %s: %s: the trace contradicts the code%s %s times in %s branches: it is "
		"not the file that ran, or the trace is damaged, and its profile would mislead a compiler; "
		"give the directory with the target's files with --symfs DIR, or -f for the profile all "
		"the same: nothing was written\n",
		name_shown(in->name), name_shown(b->is.name),
		in->count_file ? " of what was counted" : "", losses_grouped(conflicts, a),
		losses_grouped(branches, c));
	return true;
}

/* Writes what changed since the base. Returns as profile_write_whole(). */
static int write_difference(const struct input *in, const struct request *r, const struct whole *w,
			    struct pd_output *out)
{
	struct error err = { .code = 0 };
	const struct diff_about about = { { r->base_opts.input, in->name } };
	struct diff_given given;
	struct difference d;
	int rc;

	base_given(&given, in->before, &r->base_opts, w, in->lost.any || in->lost.unknown);
	given.lines = !strcmp(r->f->name, "top");
	given.stacks = !given.lines;
	rc = difference_init(&d, &given, &err);
	if (rc) {
		fprintf(stderr, "cstrace profile: %s\n", err.msg);
		pd_output_abort(out);
	} else {
		if (given.lines)
			diff_top_write(out, &d, &given, &about);
		else
			diff_folded_write(out, &d);
		rc = pd_output_end(out, "cstrace profile") ? ERR_REPORTED : 0;
	}
	if (!rc) {
		fprintf(stderr, "cstrace profile: %zu functions changed\n", d.nr_changed);
		profile_report_unmeasured("profile", w->model);
		/* of one build it is the same */
		if (profile_report_missing("profile", &given.whole[DIFF_BEFORE],
					   given.lines && !d.same_build) || in->before->lost.above)
			rc = PROFILE_LACKS;
		if (profile_report_missing("profile", w, given.lines))
			rc = PROFILE_LACKS;
	}
	difference_free(&d);
	return rc;
}

/* Writes the format, of the chosen binary or of all. `out` is finished or aborted. */
static int write_chosen(const struct input *in, const struct request *r, const struct model *m, struct pd_output *out)
{
	struct whole whole = { .model = m, .places = places_new(m),
			      .demangle = r->demangle,
			       .traced_only = r->traced_only };
	struct model_binary **v = model_busiest(m), *b;
	const bool one = r->f->write || r->want;
	int rc;

	b = r->want ? choose_named(v, m->nr_binaries, r->want) : choose_main(v, m->nr_binaries);
	whole.only = one ? b : NULL;
	if ((one && (!b || choose_empty(b))) || (r->f->write_whole && !whole_instructions(&whole))) {
		rc = counted_nothing("profile", in->name, r->want, one, one ? b : NULL, v, m);
		pd_output_abort(out);
	} else if (r->f->write && refused(in, r, m, b)) {
		rc = CMD_ERROR;
		pd_output_abort(out);
	} else {
		rc = r->f->write ? profile_write(out, r->f, r->base, b) :
		     in->before->opened ? write_difference(in, r, &whole, out) :
					  profile_write_whole(out, r->f, &whole);
		if (rc >= 0 && r->f->write && r->base == PROFILE_OFFSET && !r->base_given && b->dso)
			readers_report(stderr, "profile", b->dso, READER_OFFSETS);
		rc = rc < 0 ? CMD_ERROR : rc == PROFILE_EMPTY ? CMD_NOTHING :
		     rc || in->lost.above ? CMD_LOSSES : CMD_OK;
		if (r->f->mode == COUNTS_CALLS && !r->no_calls)
			count_print_order("profile", model_total(m, "calls.estimated"),
					  model_total(m, "calls.unordered"), model_total(m, "calls.unjoined"));
	}
	places_free(whole.places);
	free(v);
	return rc;
}

static int profile_run(struct session *ss, const struct session_opts *so, const struct request *r)
{
	const struct counted_how how = {
		.mode = r->no_calls && r->f->mode == COUNTS_CALLS ? COUNTS_ALL : r->f->mode,
		.depth = (uint32_t)r->depth,
		.metric = r->metric,
	};
	struct base before;
	struct input in = { .name = session_name(ss), .before = &before };
	struct pd_output out;
	struct model m;
	int rc;

	/* decoding may take long: an output that cannot be is refused before */
	if (pd_output_begin(&out, "cstrace profile", r->output, r->f->binary))
		return CMD_ERROR;
	model_init(&m);
	rc = base_open(&before, "profile", &r->base_opts, so, &how);
	if (rc == CMD_GO_ON)
		rc = counted_session("profile", ss, &how, &m, &in.lost);
	if (rc == CMD_GO_ON)
		rc = write_chosen(&in, r, &m, &out);
	else
		pd_output_abort(&out);
	base_close(&before);
	model_free(&m);
	return rc;
}

/* What messages call the input. */
static const char *input_name(const struct session_opts *so)
{
	return so->input_name ? so->input_name : so->input;
}

/* Writes a format of the counts of a file. */
static int run_stored(const struct session_opts *so, const struct request *r, struct summary *sum)
{
	const struct counted_how how = { .mode = COUNTS_CALLS, .depth = (uint32_t)r->depth };
	struct base before;
	struct input in = { .name = input_name(so), .count_file = true, .before = &before };
	struct dso_table files;
	struct pd_output out;
	int rc = CMD_ERROR;
	struct model m;

	if (pd_output_begin(&out, "cstrace profile", r->output, r->f->binary))
		return CMD_ERROR;
	model_init(&m);
	dso_table_init(&files);
	if (base_open(&before, "profile", &r->base_opts, so, &how) == CMD_GO_ON &&
	    !counted_file("profile", so, &m, &files, &in.lost)) {
		rc = write_chosen(&in, r, &m, &out);
		summary_model(sum, &m);
	} else {
		pd_output_abort(&out);
	}
	base_close(&before);
	model_free(&m);
	dso_table_free(&files);
	return rc;
}

/* Writes a count file of the counts of a file. */
static int copy_stored(const struct session_opts *so, const struct request *r, struct summary *sum)
{
	struct pd_output out;
	int rc;

	if (count_file_is(so->input))
		return count_again(so->input, input_name(so), r->output, so->max_loss, sum);
	if (pd_output_begin(&out, "cstrace profile", r->output, true))
		return CMD_ERROR;
	rc = counted_lists("profile", so, so->input, &out, sum);
	if (rc != CMD_ERROR)
		fprintf(stderr,
			"cstrace: %s: losses of what was recorded: " LOST_UNKNOWN_WORDS "\n",
			name_shown(so->input));
	return rc;
}

static int profile_session(struct session *ss, const struct session_opts *so,
			   const struct request *r, struct summary *sum)
{
	int rc;

	if (!ss)
		return CMD_ERROR;
	rc = summary_refused(sum) ? CMD_ERROR :
	     r->f ? profile_run(ss, so, r) :
		    count_recording(ss, r->output, !r->no_calls, (uint32_t)r->depth);
	summary_session(sum, ss);
	session_close(ss);
	return rc;
}

/* Counts the input, or reads its counts, and writes them. */
static int profile(const struct session_opts *so, const struct request *r, struct summary *sum)
{
	if (so->input && counted_is(so->input))
		return r->f ? run_stored(so, r, sum) : copy_stored(so, r, sum);
	return profile_session(session_open(so), so, r, sum);
}

/* ---- a pipe ---------------------------------------------------------------------------------- */

/* What the sum of a pipe is written with. */
struct sum_with {
	const struct session_opts *so;
	const struct request *r;
	struct summary *sum;
};

/* A sum without counts: as of a recording, no count file is written. */
static int write_nothing(const struct session_opts *so, struct summary *sum)
{
	struct model m;
	int rc;

	model_init(&m);
	rc = stored_read("profile", so->input, &m);
	if (!rc) {
		stored_print(so->input_name, &m);
		fprintf(stderr,
			"cstrace profile: %s: nothing to profile: the trace shows no binary\n",
			so->input_name);
		summary_model(sum, &m);
	}
	model_free(&m);
	return rc ? CMD_ERROR : CMD_NOTHING;
}

static int write_sum(void *data, const char *path, const struct piped_sum *s)
{
	const struct sum_with *with = data;
	struct session_opts so = *with->so;
	struct summary none = { .file = NULL }, *sum = s->last ? with->sum : &none;

	so.input = path;
	so.input_name = "standard input";
	return s->empty && !with->r->f ? write_nothing(&so, sum) : profile(&so, with->r, sum);
}

/*
 * Whether the input is a pipe that can be counted piece by piece: filters choose by the times of
 * the whole recording, and count files have neither cycles nor times.
 */
static bool is_piped(const struct session_opts *so, const struct request *r)
{
	const struct filter_opts *f = &so->filter;

	return pieces_are_of(so->input) && !so->bare && !so->guests.nr && !r->metric && !f->time &&
	       !f->cpu && !f->pid && !f->tid && !f->comm;
}

/*
 * Refuses an output that cannot be, before a recording is counted that may last. Only a file can be
 * opened twice.
 */
static int check_output(const struct request *r)
{
	struct pd_output out;
	struct stat st;

	if (!strcmp(r->output, "-") || (!stat(r->output, &st) && !S_ISREG(st.st_mode)))
		return 0;
	if (pd_output_begin(&out, "cstrace profile", r->output, true))
		return CMD_ERROR;
	pd_output_abort(&out);
	return 0;
}

static int profile_pipe(struct piped *p, const struct session_opts *so, const struct request *r,
			struct summary *sum)
{
	struct sum_with with = { so, r, sum };
	struct perfdata *pd = NULL;
	int rc;

	p->so = so;
	p->calls = !r->no_calls && (!r->f || r->f->mode == COUNTS_CALLS);
	p->depth = (uint32_t)r->depth;
	p->write = write_sum;
	p->data = &with;
	if (check_output(r))
		return CMD_ERROR;
	rc = piped_run(p, &pd);
	return rc == CMD_GO_ON ? profile_session(session_open_perfdata(so, pd), so, r, sum) : rc;
}

/* ---- a folder -------------------------------------------------------------------------------- */

/* What the files of a watched folder are counted with. */
struct counted_with {
	const struct session_opts *so;
	const struct request *r;
};

static int count_file(void *data, const char *input, const char *output)
{
	const struct counted_with *with = data;
	struct session_opts so = *with->so;
	struct summary none = { .file = NULL };
	struct request r = *with->r;

	so.input = input;
	r.output = output;
	return profile(&so, &r, &none);
}

/* Counts the files of a folder as they come (--watch). */
static int watch_files(const struct cmd_desc *cmd, struct watch *w, const struct session_opts *so,
		       const struct request *r, const char *summary)
{
	struct counted_with with = { so, r };

	if (r->f || !strcmp(r->output, "-"))
		return cmd_usage_error(cmd, "--watch: needs --format=cstrace and -o FILE");
	if (so->input || so->bare || summary)
		return cmd_usage_error(cmd, "--watch: -i, --trace and --summary are for "
				       "one recording");
	if (w->interval == NO_INTERVAL)
		w->interval = 60;
	w->output = r->output;
	w->max_loss = so->max_loss;
	w->count = count_file;
	w->data = &with;
	return watch_run(w);
}

/* Refuses options of trace for a count file, or warns of them. Returns CMD_GO_ON, or CMD_USAGE after a message. */
static int check_stored(const struct cmd_desc *cmd, const struct session_opts *so, const struct request *r)
{
	const bool counts = count_file_is(so->input);
	int rc = counted_check(cmd, so, r->metric);

	if (rc != CMD_GO_ON)
		return rc;
	cmd_no_effect(cmd, "max-stack no-calls",
		      counts ? "a count file has the calls that were counted" :
			       "branch lists have no calls");
	if (!r->f && counts)
		cmd_no_effect(cmd, "symfs vmlinux buildid-dir debuginfod force", "--format=cstrace of a count file needs no programs");
	return CMD_GO_ON;
}

/* Refuses options that the input does not allow, and warns of those that have no effect. Returns as check_stored(). */
static int check_options(const struct cmd_desc *cmd, const struct session_opts *so, const struct request *r)
{
	int rc;

	if (r->metric && !(r->f && r->f->measures))
		return cmd_usage_error(
			cmd,
			"--metric=%s is for callgrind, pprof, folded and top: the others count "
			"executions",
			metric_words[r->metric].name);
	if (r->base_opts.input && !(r->f && r->f->compares))
		return cmd_usage_error(cmd, "--base is for --format=top and folded");
	rc = base_check(cmd, &r->base_opts, so, r->metric);
	if (rc != CMD_GO_ON)
		return rc;
	if (r->f && r->f->write)
		cmd_no_effect(cmd, "demangle", "this format has no names of functions");
	if (!r->f || strcmp(r->f->name, "lcov"))
		cmd_no_effect(cmd, "untraced", "this format has no coverage");
	if (r->f && !strcmp(r->f->name, "branch-list-zstd") && !branch_lists_can_pack())
		return cmd_usage_error(cmd,
				       "--format=%s: this program was made without zstd (NO_ZSTD); "
				       "--format=branch-list is not compressed",
				       r->f->name);
	if (so->input && counted_is(so->input))
		return check_stored(cmd, so, r);
	if (r->f && r->f->mode != COUNTS_CALLS)
		cmd_no_effect(cmd, "max-stack no-calls", "this format has no calls in their contexts");
	return CMD_GO_ON;
}

/* Counts the input, which no --watch names. */
static int profile_input(const struct cmd_desc *cmd, const struct watch *watch, struct piped *piped,
			 const struct session_opts *so, const struct request *r,
			 struct summary *sum)
{
	const bool pipe = is_piped(so, r);
	int rc;

	cmd_no_effect(cmd, "delete", "there is no --watch");
	if (!pipe)
		cmd_no_effect(cmd, "interval spool",
			      "there is no --watch, and no pipe that can be counted in parts");
	piped->interval = watch->interval == NO_INTERVAL ? 0 : watch->interval;
	if (pipe && piped->interval && !strcmp(r->output, "-"))
		return cmd_usage_error(cmd, "--interval: needs -o FILE");
	rc = summary_begin(sum, cmd->name, r->output);
	if (rc != CMD_GO_ON)
		return rc;
	rc = pipe ? profile_pipe(piped, so, r, sum) : profile(so, r, sum);
	return summary_end(sum, cmd->name, so->input, rc);
}

/* The value of --address; false: none of them. */
static bool base_named(const char *name, enum profile_base *base)
{
	*base = strcmp(name, "vaddr") ? PROFILE_OFFSET : PROFILE_FIRST_LOAD;
	return *base == PROFILE_FIRST_LOAD || !strcmp(name, "offset");
}

/*
 * Chooses the lines for BOLT: for the version of --reader, else for the earliest that is installed,
 * so that all that are installed read them. Returns CMD_GO_ON, or CMD_USAGE after a message.
 */
static int choose_reader(const struct cmd_desc *cmd, const char *reader, struct request *r)
{
	const bool bolt = r->f && r->f->reader == READER_BOLT;
	unsigned int version = 0;

	if (reader && !bolt)
		return cmd_usage_error(cmd, "--reader is for --format=bolt: the other formats are "
				       "the same for all versions of their readers");
	if (reader && !bolt_version_read(reader, &version))
		return cmd_usage_error(cmd, "--reader: found '%s', expected bolt-N with the "
				       "version of LLVM, from 14 on", reader);
	if (!bolt)
		return CMD_GO_ON;
	if (!reader)
		version = bolt_version_found();
	r->f = profile_format_for(r->f, version);
	if (!reader && r->f->since)
		fprintf(stderr, "cstrace profile: lines for perf2bolt %u and later, since "
			"perf2bolt-%u is installed and none before; --reader=bolt-N is for "
			"another version\n", r->f->since, version);
	return CMD_GO_ON;
}

#define FORMATS \
	"autofdo, llvm, bolt, propeller, callgrind, lcov, pprof, folded, top, branch-list, " \
	"branch-list-zstd, branch-list-old or cstrace"

int cmd_profile(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	/* a Source Address ends ranges at the branches that it passes, as atoms do */
	struct session_opts so = { .progress = true, .split_source = true };
	struct request r = { .output = "-", .depth = CALLS_DEPTH };
	const char *format = "autofdo", *address = NULL, *reader = NULL;
	struct summary sum = { .file = NULL };
	struct watch watch = { .interval = NO_INTERVAL };
	struct piped piped = { .spool = PIPED_SPOOL };
	const struct cmd_opt opts[] = {
		{ 'o', "output", CMD_OPT_STRING, &r.output, "FILE", "write to FILE instead of stdout",
		  NULL },
		{ 0, "format", CMD_OPT_STRING, &format, "NAME",
		  "autofdo (default), llvm, bolt, propeller, callgrind, lcov, pprof, folded, top, "
		  "branch-list or cstrace: see below",
		  NULL },
		{ 0, "address", CMD_OPT_STRING, &address, "BASE",
		  "numbers in an autofdo profile: offset (default) or vaddr, see below", NULL },
		{ 0, "reader", CMD_OPT_STRING, &reader, "NAME",
		  "bolt-N: lines for perf2bolt of LLVM N (default: what is installed)", NULL },
		{ 0, "binary", CMD_OPT_STRING, &r.want, "PATH",
		  "which binary: as recorded, its name, or build-id:HEX (default: the only executable, or all)", NULL },
		{ 0, "demangle", CMD_OPT_FLAG, &r.demangle, NULL,
		  "names of C++ functions as in the source: callgrind, lcov, pprof, folded, top", NULL },
		CMD_UNTRACED_OPT(r.traced_only),
		CMD_METRIC_OPT(r.metric),
		{ 0, "max-stack", CMD_OPT_NUMBER, &r.depth, "N",
		  "depth of calling contexts; those below are added up (default: 1024)", NULL },
		{ 0, "no-calls", CMD_OPT_FLAG, &r.no_calls, NULL,
		  "do not count calls in their contexts", NULL },
		CMD_SUMMARY_OPT(sum),
		CMD_WATCH_OPTS(watch),
		CMD_SPOOL_OPT(piped),
		CMD_BASE_OPTS(r.base_opts),
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END,
	};
	static const char more[] =
		"autofdo: text for create_llvm_prof and create_gcov with --profiler=text. AutoFDO 0.20 and later\n"
		"  reads file offsets (--address=offset); 0.19 and earlier, as in Debian 12, reads addresses from\n"
		"  the first segment on (--address=vaddr). Numbers of the other kind put counts to other functions.\n"
		"llvm: for llvm-profgen (LLVM 19 or later) --unsymbolized-profile --use-offset=0.\n"
		"bolt: for perf2bolt -p FILE --pa; Debian has it as /usr/lib/llvm-VERSION/bin/perf2bolt.\n"
		"  --reader=bolt-21 and later: lines T and R; earlier: lines B, F and f.\n"
		"propeller: for generate_propeller_profiles --profile_type=FREQUENCIES_PROTO (google/llvm-propeller).\n"
		"These are of one binary; the others are of all, or of the one of --binary:\n"
		"callgrind: instructions by address and line, and calls, for callgrind_annotate and KCachegrind.\n"
		"lcov: executions of source lines and functions, directions of branches, for genhtml.\n"
		"pprof: instructions and calls by stack, for go tool pprof (--format=pprof -o FILE).\n"
		"folded: instructions by stack of functions, for flamegraph.pl and speedscope.\n"
		"top: a table of functions, the one with most instructions first.\n"
		"branch-list: branch lists of simpleperf, for Android's AutoFDO pipelines, without "
		"the targets of indirect branches;\n"
		"  branch-list-zstd is compressed, branch-list-old is of before 2024. As -i they "
		"are read: the other formats are made\n"
		"  of their counts and the code, which --symfs and --vmlinux find.\n"
		"With --base, top has tables of functions, lines and blocks by the size of their "
		"change, and folded has stacks with\n"
		"  two numbers, before and after, for flamegraph.pl.\n"
		"cstrace: a count file with all counts of all binaries; profile -i COUNTS makes the other formats of it,\n"
		"  and 'perf-cstrace merge' adds several.\n"
		"With --metric=cycles or time, callgrind, pprof, folded and top have these in "
		"place of instructions: a count of the\n"
		"  trace is shared by the instructions since the one before, so amounts between "
		"two counts are estimated.\n"
		"Counts are of every range and branch of the trace, in one pass: exact, unless something was lost. A binary that the\n"
		"  trace contradicts in more than 1 % of its branches is not the one that ran: the formats of one binary need -f for it.\n";
	const struct cmd_desc cmd = { "profile", "exact counts of executed branches and ranges for compilers",
				      NULL, opts, more };
	int rc = cmd_input(&cmd, &argc, argv, &bare, &so);

	if (rc == CMD_ERROR && !watch.dir)
		return summary_failed(&sum, cmd.name, r.output, so.input);
	if (rc != CMD_GO_ON)
		return rc;
	r.f = profile_format_find(format);
	if (!r.f && strcmp(format, "cstrace"))
		return cmd_value_error(&cmd, "format", format, FORMATS);
	if (!r.f && (r.want || r.demangle))
		return cmd_usage_error(&cmd, "--%s is for formats that are made of counts: --format=cstrace has the counts "
				       "of all binaries", r.want ? "binary" : "demangle");
	rc = check_options(&cmd, &so, &r);
	if (rc == CMD_GO_ON)
		rc = choose_reader(&cmd, reader, &r);
	if (rc != CMD_GO_ON)
		return rc;
	if (!r.depth)
		return cmd_usage_error(&cmd, "--max-stack: the least is 1");
	if (r.depth > CST_COUNT_DEPTH_MAX)
		return cmd_usage_error(&cmd, "--max-stack: the most is %u", CST_COUNT_DEPTH_MAX);
	r.base = r.f ? r.f->base : PROFILE_VADDR;
	r.force = so.force;
	r.base_given = address;
	if (address && r.base != PROFILE_OFFSET)
		return cmd_usage_error(&cmd, "--address is for --format=autofdo: --format=%s has virtual addresses",
				       format);
	if (address && !base_named(address, &r.base))
		return cmd_value_error(&cmd, "address", address, "offset or vaddr");
	if (watch.interval != NO_INTERVAL && (!watch.interval || watch.interval > 1000000))
		return cmd_usage_error(&cmd, "--interval: from 1 to 1000000 seconds");
	if (watch.dir)
		return watch_files(&cmd, &watch, &so, &r, sum.file);
	return profile_input(&cmd, &watch, &piped, &so, &r, &sum);
}
