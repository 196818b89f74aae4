/* SPDX-License-Identifier: GPL-2.0-only */
/* merge.c - perf-cstrace merge: adds count files. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "base/name.h"
#include "counting/countfiles/lost.h"
#include "counting/countfiles/merge.h"
#include "counting/countfiles/subtract.h"
#include "counting/counts/model.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/counted.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/summary.h"
#include "perfdata/branch_list.h"
#include "session/session.h"

static const char more[] =
	"FILE is a count file, from 'perf-cstrace profile --format=cstrace' or from this command; - is standard input. The output is "
	"the same in whatever order and in whatever groups the files are added, so that machines can add parts of them first.\n"
	"FILE may be a file of branch lists (simpleperf): such files alone are added to one of "
	"that form, which needs no programs; with count files among them the sum is a count file, "
	"for which the code of their programs is read.\n"
	"Options are those of llvm-profdata merge. A LIST has a FILE or N,FILE in each line; lines that begin with # are comments.\n"
	"With --subtract it is a sum without some of its files, or a run without a window of it.\n"
	"Exit codes: 0 added; 1 error; 3 added, but the counts have losses, or an input is "
	"empty: stderr says which; 5 all inputs are empty, or nothing is left: no file is "
	"written.\n";

static int add_weighted(void *list, const char *arg)
{
	size_t digits = strspn(arg, "0123456789");
	int rc = digits && arg[digits] == ',' ? merge_list_add_text(list, arg, strlen(arg)) : ERR_USAGE;

	if (rc)
		fprintf(stderr, "cstrace merge: expected N,FILE with a weight N from 1 to 18446744073709551615\n");
	return rc ? -1 : 0;
}

/* Files of options; lists are read when all options are understood. */
static int add_listed(void *lists, const char *arg)
{
	merge_list_add(lists, arg, strlen(arg), 1);
	return 0;
}

static size_t standard_inputs(const struct merge_list *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->nr; i++)
		n += !strcmp(list->v[i].path, "-");
	return n;
}

/* One line: what was added, and subtracted, and what is not in it. */
static void print_sums(size_t inputs, size_t subtracted, const struct merge_sums *sums)
{
	size_t i;

	fprintf(stderr, "cstrace merge: %zu input%s", inputs, inputs == 1 ? "" : "s");
	if (subtracted)
		fprintf(stderr, " without %zu", subtracted);
	if (sums->empty)
		fprintf(stderr, " (%" PRIu64 " without counts, as %s)", sums->empty,
			sums->first_empty ? name_shown(sums->first_empty) : "one");
	fprintf(stderr, ", %" PRIu64 " recording%s, %" PRIu64 " binar%s, %" PRIu64 " instructions, losses:",
		sums->recordings, sums->recordings == 1 ? "" : "s", sums->binaries, sums->binaries == 1 ? "y" : "ies",
		sums->instructions);
	if (!sums->nr_losses && !sums->lost.unknown)
		fprintf(stderr, " none");
	for (i = 0; i < sums->nr_losses; i++)
		fprintf(stderr, "%s %s %" PRIu64, i ? "," : "", name_shown(sums->losses[i].name), sums->losses[i].count);
	if (sums->lost.unknown)
		fprintf(stderr, "%s " LOST_UNKNOWN_WORDS, i ? "," : "");
	fputc('\n', stderr);
}

/* Of branch lists, as cmd_merge() has them. */
static int lists_to_counts(void *so, const char *path, int fd, struct error *err)
{
	struct pd_output out;

	pd_output_fd(&out, fd, "a temporary file");
	/* what is missing is a loss in its totals */
	return counted_lists("merge", so, path, &out, NULL) == CMD_ERROR ?
		error_set(err, ERR_REPORTED, "%s: not added, and nothing was written", path) : 0;
}

/* Says why there is nothing to write. */
static int nothing_left(bool all_empty)
{
	fprintf(stderr, "cstrace merge: nothing is left: %s\n",
		all_empty ? "no file has counts" : "all counts were subtracted");
	return CMD_NOTHING;
}

static bool all_are_lists(const struct merge_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!branch_lists_are(list->v[i].path))
			return false;
	return list->nr;
}

/* Reads all lists of files, and counts files without any. */
static int read_all(struct branch_lists *l, const struct merge_list *list, size_t *empty,
		    struct error *err)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < list->nr; i++) {
		k = l->nr;
		rc = branch_lists_read(l, list->v[i].path, list->v[i].weight, err);
		while (k < l->nr && !l->v[k].nr)
			k++;
		*empty += k == l->nr;
	}
	branch_lists_join(l);
	return rc;
}

/* One line: what was added, and subtracted. */
static void print_lists(const struct merge_list *list, const struct merge_list *less,
			const struct branch_lists *l, size_t empty, uint64_t samples)
{
	size_t i, n = 0;

	for (i = 0; i < l->nr; i++)
		n += l->v[i].nr;
	fprintf(stderr, "cstrace merge: %zu inputs", list->nr);
	if (less->nr)
		fprintf(stderr, " without %zu", less->nr);
	if (empty)
		fprintf(stderr, " (%zu without branches)", empty);
	fprintf(stderr, ", %zu branch lists, binaries: %zu, losses: " LOST_UNKNOWN_WORDS "\n", n,
		l->nr);
	if (samples)
		fprintf(stderr,
			"cstrace merge: %" PRIu64 " samples of branch records are left out: they "
			"are not of a trace\n",
			samples);
}

/* Adds branch lists to branch lists, and takes others out. */
static int make_lists(const struct merge_list *list, const struct merge_list *less,
		      struct branch_lists *l, size_t *empty, uint64_t *samples, struct error *err)
{
	struct branch_lists minus = { .v = NULL };
	int rc = read_all(l, list, empty, err);

	if (!rc)
		rc = read_all(&minus, less, empty, err);
	*samples = l->samples + minus.samples;
	if (!rc && less->nr) {
		struct error why = { .code = 0 };

		rc = branch_lists_subtract(l, &minus, &why);
		if (rc)
			error_set(err, rc,
				  "--subtract: %s; the counts of count files can be subtracted "
				  "where lists cannot: make these of both by 'perf-cstrace profile "
				  "--format=cstrace --symfs DIR'",
				  why.msg);
	}
	branch_lists_free(&minus);
	return rc;
}

static uint64_t files_of(const struct merge_list *list)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < list->nr; i++)
		n = model_sum(n, list->v[i].weight);
	return n;
}

static int merge_lists(const struct merge_list *list, const struct merge_list *less,
		       const struct session_opts *so, const char *output, struct summary *sum)
{
	const uint64_t added = files_of(list), taken = files_of(less);
	const struct loss_share share = { .of = 1, .unknown = added > taken ? added - taken : 1 };
	struct branch_lists l = { .v = NULL };
	struct error err = { .code = 0 };
	struct pd_output out;
	uint64_t samples = 0;
	size_t empty = 0;
	bool nothing = false;
	int rc = pd_output_open_binary(&out, output, &err);

	if (!rc) {
		rc = make_lists(list, less, &l, &empty, &samples, &err);
		nothing = !l.nr;
		if (rc) {
			pd_output_abort(&out);
		} else {
			branch_lists_write(&l, BRANCH_LIST_PLAIN, &out);
			rc = nothing ? pd_output_drop(&out, &err) : pd_output_finish(&out, &err);
		}
	}
	if (rc) {
		fprintf(stderr, "cstrace merge: %s\n", err.msg);
		rc = CMD_ERROR;
	} else {
		print_lists(list, less, &l, empty, samples);
		summary_lists(sum, &l, share.unknown);
		rc = cmd_loss_above(&share, so->max_loss) || samples || empty ? CMD_LOSSES : CMD_OK;
		if (nothing)
			rc = nothing_left(empty == list->nr + less->nr);
	}
	branch_lists_free(&l);
	return rc;
}

static int merge_run(const struct merge_list *list, const struct session_opts *so,
		     const char *output)
{
	struct error err = { .code = 0 };
	struct loss_share share;
	struct merge_sums sums;
	int rc;

	mem_doing("adding the count files");
	rc = merge_files(list, output, &sums, &err);
	if (rc)
		fprintf(stderr, "cstrace merge: %s\n", err.msg);
	else
		print_sums(list->nr, 0, &sums);
	share = count_lost_share(&sums.lost);
	if (so->max_loss)
		loss_share_print(&share, so->max_loss, stderr);
	if (rc)
		rc = CMD_ERROR;
	else if (sums.empty == list->nr)
		rc = CMD_NOTHING;
	else
		rc = sums.empty || cmd_loss_above(&share, so->max_loss) ? CMD_LOSSES : CMD_OK;
	merge_sums_free(&sums);
	return rc;
}

static int subtract_run(const struct merge_list *list, const struct merge_list *less,
			const struct session_opts *so, const char *output)
{
	struct error err = { .code = 0 };
	struct loss_share share;
	struct subtract_sums sums;
	int rc;

	mem_doing("subtracting count files");
	rc = subtract_files(list, less, output, &sums, &err);
	if (rc)
		fprintf(stderr, "cstrace merge: %s\n", err.msg);
	else
		print_sums(list->nr, less->nr, &sums.left);
	share = count_lost_share(&sums.left.lost);
	if (rc)
		rc = CMD_ERROR;
	else if (sums.nothing)
		rc = nothing_left(sums.left.empty == list->nr + less->nr);
	else
		rc = cmd_loss_above(&share, so->max_loss) || sums.left.empty ? CMD_LOSSES : CMD_OK;
	subtract_sums_free(&sums);
	return rc;
}

static int take_operands(struct merge_list *list, int argc, const char **argv)
{
	int i;

	for (i = 0; i < argc; i++)
		merge_list_add(list, argv[i], strlen(argv[i]), 1);
	return CMD_GO_ON;
}

/* An output that is one of the inputs is refused before anything is read. */
static void note_inputs(const struct merge_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		input_note_file(list->v[i].path);
}

static int read_lists(struct merge_list *list, const struct merge_list *lists)
{
	struct error err = { .code = 0 };
	size_t i;

	note_inputs(lists);
	for (i = 0; i < lists->nr; i++)
		if (merge_list_read(list, lists->v[i].path, &err)) {
			fprintf(stderr, "cstrace merge: %s\n", err.msg);
			return CMD_ERROR;
		}
	if (list->nr)
		return CMD_GO_ON;
	fprintf(stderr, "cstrace merge: nothing to add: %s names no file\n", name_shown(lists->v[0].path));
	return CMD_ERROR;
}

int cmd_merge(int argc, const char **argv)
{
	struct merge_list list = { .nr = 0 }, lists = { .nr = 0 }, less = { .nr = 0 };
	struct session_opts so = { .progress = false };
	const struct merge_convert convert = { branch_lists_are, lists_to_counts, &so };
	const char *output = "-";
	struct summary sum = { .file = NULL };
	const struct cmd_opt opts[] = {
		{ 'o', "output", CMD_OPT_STRING, &output, "FILE", "write to FILE instead of stdout", NULL },
		{ 0, "weighted-input", CMD_OPT_EACH, &list, "N,FILE",
		  "add FILE with every count of it N times", add_weighted },
		{ 'f', "input-files", CMD_OPT_EACH, &lists, "LIST",
		  "add the files that the text LIST names (-: standard input)", add_listed },
		{ 0, "subtract", CMD_OPT_EACH, &less, "FILE",
		  "take the counts of FILE out of the sum, which has to have them", add_listed },
		CMD_SUMMARY_OPT(sum),
		CMD_MAX_LOSS_OPT(so.max_loss),
		CMD_HEADING("Programs of branch lists"),
		CMD_SEARCH_OPTS(so),
		CMD_OPT_END,
	};
	const struct cmd_desc cmd = { "merge", "add count files", "FILE...", opts, more };
	int rc = cmd_options(&cmd, &argc, argv);

	if (rc == CMD_GO_ON)
		rc = take_operands(&list, argc, argv);
	if (rc == CMD_GO_ON && !list.nr && !lists.nr)
		rc = cmd_usage_error(&cmd, "nothing to add: name count files, or a list of them with --input-files");
	if (rc == CMD_GO_ON && lists.nr)
		rc = read_lists(&list, &lists);
	if (rc == CMD_GO_ON &&
	    standard_inputs(&list) + standard_inputs(&lists) + standard_inputs(&less) > 1)
		rc = cmd_usage_error(&cmd, "standard input (-) can be read once, and is named twice");
	note_inputs(&list);
	note_inputs(&less);
	if (rc == CMD_ERROR)
		rc = summary_failed(&sum, cmd.name, output, NULL);
	if (rc == CMD_GO_ON)
		rc = summary_begin(&sum, cmd.name, output);
	if (rc == CMD_GO_ON) {
		list.note = sum.file ? summary_record : NULL;
		list.noted = &sum;
		list.convert = less.convert = &convert;
		rc = all_are_lists(&list) && (!less.nr || all_are_lists(&less)) ?
			     merge_lists(&list, &less, &so, output, &sum) :
		     less.nr ? subtract_run(&list, &less, &so, output) :
			       merge_run(&list, &so, output);
		rc = summary_end(&sum, cmd.name, NULL, rc);
	}
	merge_list_free(&lists);
	merge_list_free(&less);
	merge_list_free(&list);
	return rc;
}
