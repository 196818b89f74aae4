/* SPDX-License-Identifier: GPL-2.0-only */
/* dump.c - the dump command: frames, packets and trace elements of a perf.data file or a snapshot. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/name.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/jobs.h"
#include "outputs/cmd/options.h"
#include "outputs/dump/dump.h"
#include "session/import/bare.h"
#include "session/session.h"
#include "outputs/executed/executed.h"

/* Listings, and executed instructions in a dialect of Tarmac. */
struct chosen_format {
	const char *name;
	enum dump_format format;
	bool tarmac;
	enum cst_tarmac_dialect dialect;
};

static const struct chosen_format formats[] = {
	{ "text", .format = DUMP_TEXT },
	{ "opencsd", .format = DUMP_OPENCSD },
	{ "json", .format = DUMP_JSON },
	{ "none", .format = DUMP_NONE },
	{ "tarmac", .tarmac = true, .dialect = CST_TARMAC_FAST_MODELS },
	{ "tarmac-es", .tarmac = true, .dialect = CST_TARMAC_ES },
};

static int set_format(void *data, const char *arg)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(arg, formats[i].name)) {
			*(struct chosen_format *)data = formats[i];
			return 0;
		}
	return cmd_values("dump: formats are text, opencsd, json, none, tarmac and tarmac-es", arg);
}

static int set_id(void *data, const char *arg)
{
	uint64_t v;

	if (!cmd_number(arg, &v) || v > 0x7f) {
		fprintf(stderr, "cstrace dump: trace IDs are 0 to 0x7f\n");
		return -1;
	}
	*(int *)data = (int)v;
	return 0;
}

static const struct {
	const char *name;
	uint8_t kind;
	bool may_be_alone;
} places[] = {
	{ "time", CST_INDEX_TIMESTAMP, false },
	{ "offset", CST_INDEX_KINDS, false },
	{ "event", CST_INDEX_EVENT, true },
	{ "context", CST_INDEX_CONTEXT, false },
};

static int set_place(void *data, const char *arg)
{
	const char *eq = strchr(arg, '=');
	size_t i, n = eq ? (size_t)(eq - arg) : strlen(arg);
	struct dump_place *p = data;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (strlen(places[i].name) != n || strncmp(arg, places[i].name, n))
			continue;
		if (eq ? !cmd_number(eq + 1, &p->value) : !places[i].may_be_alone)
			break;
		p->kind = places[i].kind;
		p->set = true;
		return 0;
	}
	fprintf(stderr, "cstrace dump: a place is time=TICKS, offset=N, event, event=MASK or context=N\n");
	return -1;
}

/* False, after a message, if there is no trace of the ID that --id names (-1: not given). */
static bool id_is_there(int only_id, bool there)
{
	if (only_id < 0 || there)
		return true;
	fprintf(stderr, "cstrace dump: --id: there is no trace of ID 0x%02x; without --id all is listed\n", (unsigned int)only_id);
	return false;
}

/* A snapshot, or trace without a recording, is read buffer by buffer. */
static int dump_run(struct dump *d, const char *snapshot, const struct session_opts *so, const char *source,
		    const char *output)
{
	const bool decodes = d->show.packets || d->show.elements || d->format == DUMP_NONE;
	bool there, nothing;

	if (dump_out_open(&d->out, output ? output : "-"))
		return CMD_ERROR;
	/* an output that cannot be written ends the run; dump_out_close() reports the reason */
	if ((snapshot ? dump_snapshot(d, snapshot, so->bare, source) : dump_session(d, so)) && !pd_output_failed(&d->out.file)) {
		dump_out_abort(&d->out);
		return CMD_ERROR;
	}
	there = id_is_there(d->id.only_id, d->id.has_id);
	dump_log_sum(d);
	if (d->format == DUMP_NONE)
		dump_counts(d);
	nothing = !there || d->sums.unmatched || (decodes && !d->sums.stats.packets);
	if (dump_out_close(&d->out, !nothing))
		return CMD_ERROR;
	if (nothing)
		return CMD_NOTHING;
	return d->sums.losses ? CMD_LOSSES : CMD_OK;
}

/* Executed instructions, instead of a listing. */
static int run_tarmac(struct session_opts *so, const struct executed_opts *o)
{
	struct executed_result result;
	struct session *ss;
	bool there;
	int rc;

	so->progress = strcmp(o->output, "-") || !isatty(STDOUT_FILENO);
	ss = session_open(so);
	if (!ss)
		return CMD_ERROR;
	rc = executed_dump(ss, o, &result) ? CMD_ERROR : CMD_OK;
	if (!rc) {
		there = id_is_there(o->only_id, result.has_id);
		session_print_end(ss, stderr);
		rc = there ? cmd_decoded(ss, result.refused) : CMD_NOTHING;
	}
	session_close(ss);
	return rc;
}

static int open_range(struct dump *d, const struct dump_place *from, const struct dump_place *to, const char *input,
		      const char *index, bool no_index)
{
	int rc;

	if (!from->set && !to->set)
		return 0;
	d->range = mem_zeroed(1, sizeof(*d->range));
	index_book_init(&d->range->book, "cstrace dump", input, index);
	/* the index that is found beside the trace is for all streams */
	d->range->book.keep |= d->id.only_id >= 0;
	d->range->from = *from;
	d->range->to = *to;
	if (!from->set || no_index)
		return 0;
	rc = index_book_read(&d->range->book);
	if (rc < 0 && index && !d->range->book.refused)
		return -1;
	if (rc || !index)
		return 0;
	fprintf(stderr, "cstrace dump: %s: no such index; 'perf-cstrace index' makes one\n", name_shown(index));
	return -1;
}

static void finish_range(struct dump *d, int rc)
{
	struct index_book *b = d->range ? &d->range->book : NULL;

	if (rc != CMD_ERROR && d->range && d->range->from.set && !d->range->found &&
	    (d->show.packets || d->show.elements || d->format == DUMP_NONE))
		fprintf(stderr, "cstrace dump: --from: no stream comes to this place; nothing is listed\n");
	if (!b)
		return;
	if (rc != CMD_ERROR)
		index_book_finish(b);
	index_book_free(b);
	free(d->range);
}

/* What the command line asks for. */
struct request {
	const char *snapshot, *source, *output, *log, *index;
	bool frames, packets, elements, strict, raw, insns, itm_sync, no_index, no_text;
	struct chosen_format format;
	enum cst_severity level;
	struct dump_place from, to;
	int only_id;
};

static bool has_filter(const struct session_opts *so)
{
	const struct filter_opts *f = &so->filter;

	return f->time || f->cpu || f->pid || f->tid || f->comm;
}

/* True if packets, elements or instructions are asked for; else frames alone. */
static bool decodes(const struct request *r)
{
	return r->packets || r->elements || r->format.tarmac || !(r->frames || r->raw);
}

/* Options that exclude each other, and those without an effect. Returns CMD_GO_ON or CMD_USAGE. */
static int check_request(const struct cmd_desc *cmd, struct request *r, const struct session_opts *so)
{
	if (r->source && !r->snapshot)
		return cmd_usage_error(cmd, "--source is for snapshots (-s) and --trace");
	if (r->snapshot && has_filter(so))
		return cmd_usage_error(cmd, "--time, --cpu, --pid, --tid and --comm are not for -s and --trace: what they read "
				       "has neither perf's time nor threads; there --source, --id, --from and --to choose");
	if ((r->index || r->no_index) && !r->from.set)
		return cmd_usage_error(cmd, "--index and --no-index are for --from");
	if (r->no_index)
		cmd_no_effect(cmd, "index", "with --no-index decoding begins at the beginning");
	if (r->snapshot)
		cmd_no_effect_in(cmd, so, sizeof(*so), "jobs",
				 "a snapshot (-s) names its own memory and contexts");
	if (r->format.format == DUMP_NONE && !r->format.tarmac)
		cmd_no_effect(cmd, "frames raw", "--format=none lists nothing");
	if (r->log && !dump_log_level(r->log, &r->level))
		return cmd_usage_error(cmd, "--log: levels are error, warning and info");
	if (!decodes(r) && r->format.format != DUMP_NONE)
		cmd_no_effect(cmd, "from to index no-index insn-ranges", "they are for packets and elements, and only frames "
			      "are listed");
	if (!decodes(r) && !r->frames && r->format.format != DUMP_NONE) {
		cmd_no_effect(cmd, "id", "frames as they stand have the bytes of all trace IDs");
		r->only_id = -1;
	}
	if (r->no_text && !r->format.tarmac)
		cmd_no_effect(cmd, "no-disassembly", "only --format=tarmac shows the text of instructions");
	if (r->format.tarmac && (r->frames || r->raw || r->packets || r->elements || r->log || r->source || r->from.set || r->to.set))
		return cmd_usage_error(cmd, "--format=%s shows executed instructions: --frames, --raw, --packets, "
				       "--elements, --log, --source, --from and --to are for listings", r->format.name);
	return CMD_GO_ON;
}

static int show_instructions(const struct request *r, struct session_opts *so)
{
	if (r->snapshot)
		so->input = r->snapshot;
	so->strict = r->strict;
	so->insn_ranges = r->insns;
	return run_tarmac(so, &(struct executed_opts){ .dialect = r->format.dialect, .disassemble = !r->no_text,
						       .only_id = r->only_id, .output = r->output ? r->output : "-",
						       .who = "cstrace dump" });
}

static int list(const struct request *r, struct session_opts *so)
{
	const bool unnamed = !r->frames && !r->raw && r->format.format != DUMP_NONE;
	struct dump *d = mem_zeroed(1, sizeof(*d));
	/* each file of --trace is a buffer */
	const char *all = so->bare && so->bare->nr_traces > 1 ? "all" : NULL;
	int rc;

	d->format = r->format.format;
	d->id.only_id = r->only_id;
	d->sums.filtered = r->from.set || r->to.set || has_filter(so);
	d->strict = r->strict;
	d->insn_ranges = r->insns;
	d->itm_sync = r->itm_sync;
	d->at.cpu = d->at.pid = d->at.tid = -1;
	d->show.frames = r->frames;
	d->show.packed = r->raw;
	d->show.packets = r->packets || (unnamed && !r->elements);
	d->show.elements = r->elements || (unnamed && !r->packets);
	if (r->log)
		dump_log_open(d, r->level);
	rc = open_range(d, &r->from, &r->to, r->snapshot ? r->snapshot : so->input ? so->input :
			"perf.data", r->index,
			r->no_index) ?
	     CMD_ERROR : dump_run(d, r->snapshot, so, r->source ? r->source : all, r->output);
	finish_range(d, rc);
	cst_log_free(d->log);
	free(d);
	return rc;
}

int cmd_dump(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { 0 };
	struct request r = { .format = formats[0], .level = CST_LOG_NONE, .only_id = -1 };
	const struct cmd_opt opts[] = {
		{ 's', "snapshot", CMD_OPT_STRING, &r.snapshot, "DIR",
		  "read an Arm snapshot (a folder with snapshot.ini) instead", NULL },
		{ 0, "source", CMD_OPT_STRING, &r.source, "NAME",
		  "with -s: a trace buffer or trace source, or all (default: the first buffer; all files of --trace)", NULL },
		{ 0, "frames", CMD_OPT_FLAG, &r.frames, NULL,
		  "list the bytes of each trace ID, frame by frame", NULL },
		{ 0, "raw", CMD_OPT_FLAG, &r.raw, NULL,
		  "list the frames themselves, as they stand, with the synchronisation between them", NULL },
		{ 0, "packets", CMD_OPT_FLAG, &r.packets, NULL, "list packets", NULL },
		{ 0, "elements", CMD_OPT_FLAG, &r.elements, NULL,
		  "list trace elements: executed ranges, exceptions, contexts, time", NULL },
		{ 0, "id", CMD_OPT_CALL, &r.only_id, "N", "only this trace ID", set_id },
		{ 0, "format", CMD_OPT_CALL, &r.format, "FORMAT",
		  "text (default), opencsd (as the reference lister prints), json (a record per line), "
		  "none (decode, print counts); tarmac, tarmac-es (the executed instructions as models print them)",
		  set_format },
		{ 0, "no-disassembly", CMD_OPT_FLAG, &r.no_text, NULL, "tarmac: instructions without their text", NULL },
		{ 0, "strict", CMD_OPT_FLAG, &r.strict, NULL,
		  "take what the architecture reserves or forbids for an error: decoding starts anew behind it", NULL },
		{ 0, "insn-ranges", CMD_OPT_FLAG, &r.insns, NULL,
		  "ETMv3: a range for each instruction, with its own cycles", NULL },
		{ 0, "itm-sync", CMD_OPT_FLAG, &r.itm_sync, NULL,
		  "ITM: decode from the first synchronisation packet on, and do not try where packets begin", NULL },
		{ 0, "log", CMD_OPT_OPTIONAL, &r.log, "LEVEL",
		  "tell on stderr what is wrong in the trace, and where: error, warning or info (default); "
		  "with --format=json among the records", NULL },
		{ 0, "from", CMD_OPT_CALL, &r.from, "PLACE",
		  "begin each stream at the first time=TICKS (or later), offset=N, event[=MASK] or context=N",
		  set_place },
		{ 0, "to", CMD_OPT_CALL, &r.to, "PLACE", "end it before the first such place after that",
		  set_place },
		{ 0, "index", CMD_OPT_STRING, &r.index, "FILE",
		  "index that --from begins with (default: FILE.cstidx, or DIR/cstrace.cstidx in a folder, if it is there)", NULL },
		{ 0, "no-index", CMD_OPT_FLAG, &r.no_index, NULL, "with --from: decode from the beginning", NULL },
		{ 'o', "output", CMD_OPT_STRING, &r.output, "FILE", "write to FILE (default: -)", NULL },
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END
	};
	const struct cmd_desc cmd = {
		"dump", "list frames, packets and trace elements", NULL, opts,
		"Without --frames, --raw, --packets and --elements: packets and elements.",
	};
	int rc = cmd_options(&cmd, &argc, argv);

	if (rc == CMD_GO_ON)
		rc = cmd_jobs_default(&cmd, &so);
	if (rc != CMD_GO_ON)
		return rc;
	if (so.input && r.snapshot)
		return cmd_usage_error(&cmd, "-i and -s exclude each other");
	rc = cmd_bare_check(&cmd, &bare, &so, r.snapshot);
	if (rc != CMD_GO_ON)
		return rc;
	if (bare.nr_traces)
		r.snapshot = bare.traces[0];
	rc = check_request(&cmd, &r, &so);
	if (rc != CMD_GO_ON)
		return rc;
	return r.format.tarmac ? show_instructions(&r, &so) : list(&r, &so);
}
