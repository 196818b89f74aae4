/* SPDX-License-Identifier: GPL-2.0-only */
/* count.c - profile --format=cstrace: writes count files, with a summary on stderr. */
#include "outputs/cmd/count.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "counting/countfiles/lost.h"
#include "counting/calls/calls.h"
#include "counting/counts/collect.h"
#include "counting/counts/model.h"
#include "counting/counts/stored.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/summary.h"
#include "session/losses/report.h"

void count_print_order(const char *command, uint64_t estimated, uint64_t unordered, uint64_t unjoined)
{
	char a[32], b[32], c[32];

	if (estimated || unordered || unjoined)
		fprintf(stderr, "cstrace %s: calls: no timestamp orders some stretches of threads that ran on several CPUs: "
			"%s are in the order of estimated times, %s have unknown callers, and %s for want of memory\n",
			command, losses_grouped(estimated, a), losses_grouped(unordered, b), losses_grouped(unjoined, c));
}

static void print_sums(const struct collect *c)
{
	const struct collect_sums *s = collect_sums(c);
	const struct calls_totals *calls = collect_calls(c);
	char a[32];

	fprintf(stderr, "cstrace profile: %" PRIu64 " binaries, %" PRIu64 " ranges, %" PRIu64 " edges, %" PRIu64
		" calling contexts, %s instructions in them\n", s->binaries, s->ranges, s->edges, s->nodes, losses_grouped(s->insns, a));
	if (calls)
		count_print_order("profile", calls->estimated, calls->unordered, calls->unjoined);
}

bool count_undecoded(const char *command, const char *name, uint64_t n)
{
	if (n)
		fprintf(stderr, "cstrace %s: %s: ranges that were executed %" PRIu64 " times are not counted: their code was "
			"gone when it was looked at\n", command, name, n);
	return n;
}

static bool print_unread(const char *name, const struct collect_unread *u)
{
	if (u->modules)
		fprintf(stderr, "cstrace profile: %s: modules that only their names identify, since their files could not be read "
			"again: %" PRIu64 " (%s: %s); merge keeps their counts apart from those of other recordings: count again when "
			"the files can be read\n", name, u->modules, name_shown(u->file), strerror(u->why));
	return u->modules;
}

/* Counts and writes. `out` is finished or aborted. */
static int count(struct session *ss, struct collect *c, struct pd_output *out)
{
	const char *name = session_name(ss);
	bool lost;
	int rc;

	if (collect_run(c)) {
		pd_output_abort(out);
		return CMD_ERROR;
	}
	session_print_end(ss, stderr);
	if (!session_matched(ss)) {
		fprintf(stderr, "cstrace profile: %s: nothing was written\n", name);
		pd_output_abort(out);
		return CMD_NOTHING;
	}
	if (collect_empty(c)) {
		fprintf(stderr, "cstrace profile: %s: nothing to profile: the trace shows no binary\n"
			"  no instruction could be decoded: see the lines above, and 'perf-cstrace info'\n", name);
		pd_output_abort(out);
		return CMD_NOTHING;
	}
	rc = stored_write(c, out);
	if (rc)
		return CMD_ERROR;
	print_sums(c);
	/* each of them has its message */
	lost = count_undecoded("profile", name, collect_sums(c)->undecoded);
	lost |= print_unread(name, &collect_sums(c)->unread);
	return cmd_decoded(ss, lost);
}

int count_recording(struct session *ss, const char *output, bool calls, uint32_t depth)
{
	struct pd_output out;
	struct collect *c;
	int rc;

	/* decoding may take long: an output that cannot be is refused before */
	if (pd_output_begin(&out, "cstrace profile", output, true))
		return CMD_ERROR;
	c = collect_new(ss, calls ? COUNTS_CALLS : COUNTS_ALL, depth);
	rc = count(ss, c, &out);
	collect_free(c);
	return rc;
}

/* The records of a piece. */
struct piece_pass {
	struct collect *c;	/* NULL: nothing was counted of it */
	uint64_t bytes;	/* of its trace, then */
	bool first;
	collect_fn take;
	void *data;
};

/* All pieces are of one recording. */
static int take_piece(void *data, const struct cst_count_record *rec)
{
	struct piece_pass *p = data;
	const bool once = rec->kind == CST_COUNT_TOTAL && (!strcmp(rec->total.name, "recordings") ||
							   !strcmp(rec->total.name, "filtered"));

	return once && !p->first ? 0 : p->take(p->data, rec);
}

static int pass_lost(struct piece_pass *p)
{
	const struct cst_count_total totals[] = {
		{ .name = LOST_BYTES, .value = p->bytes },
		{ .name = "bytes.traced", .value = p->bytes },
		{ .name = "loss.piece", .value = 1 },
		{ .name = LOST_MEASURED, .value = 1 },
		{ .name = "recordings", .value = 1 },
	};
	struct cst_count_record rec = { .kind = CST_COUNT_TOTAL };
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(totals) / sizeof(totals[0]) && !rc; i++) {
		rec.total = totals[i];
		if (rec.total.value)
			rc = take_piece(p, &rec);
	}
	return rc;
}

static int pass_piece(void *data, collect_fn take, void *to)
{
	struct piece_pass *p = data;

	p->take = take;
	p->data = to;
	return p->c ? collect_records(p->c, take_piece, p) : pass_lost(p);
}

static int write_piece(struct piece_pass *p, int fd)
{
	struct pd_output out;

	pd_output_fd(&out, fd, "a temporary file");
	return stored_write_records("profile", pass_piece, p, &out) ? CMD_ERROR : 0;
}

int count_piece_of(struct session *ss, const struct count_piece *how, int fd, FILE *report)
{
	struct collect *c = collect_new(ss, how->calls ? COUNTS_CALLS : COUNTS_ALL, how->depth);
	struct piece_pass p = { .c = c, .first = how->first };
	int rc = collect_run(c) ? CMD_ERROR : 0;

	if (!rc) {
		session_print_missing(ss, report);
		rc = write_piece(&p, fd);
	}
	collect_free(c);
	return rc;
}

int count_lost_piece(int fd, uint64_t bytes, bool first)
{
	struct piece_pass p = { .bytes = bytes, .first = first };

	return write_piece(&p, fd);
}

int count_again(const char *input, const char *name, const char *output, uint32_t max_loss,
		struct summary *sum)
{
	struct pd_output out;
	struct loss_share share;
	struct model totals;
	int rc = CMD_ERROR;

	if (pd_output_begin(&out, "cstrace profile", output, true))
		return CMD_ERROR;
	model_init(&totals);
	if (!stored_copy(input, &out, &totals)) {
		stored_print(name, &totals);
		share = stored_share(&totals);
		rc = cmd_loss_above(&share, max_loss) ? CMD_LOSSES : CMD_OK;
		summary_model(sum, &totals);
	}
	model_free(&totals);
	return rc;
}
