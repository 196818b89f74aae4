/* SPDX-License-Identifier: GPL-2.0-only */
/* index.c - perf-cstrace index: where decoding can begin, and what is where, in a file beside the trace. */
#include <inttypes.h>
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
#include "session/session.h"

static const char *const kinds[CST_INDEX_KINDS] = {
	"timestamps", "events", "contexts", "losses", "trace on", "synchronisations",
};

static const char *const protocols[CST_PROTOCOLS] = {
	[CST_PROTO_NONE] = "none", [CST_PROTO_ETMV4] = "ETMv4", [CST_PROTO_ETE] = "ETE",
	[CST_PROTO_ETMV4_DATA] = "ETMv4 data", [CST_PROTO_ETMV3] = "ETMv3", [CST_PROTO_PTM] = "PTM",
	[CST_PROTO_STM] = "STM", [CST_PROTO_ITM] = "ITM", [CST_PROTO_CUSTOM] = "custom",
};

static const char more[] =
	"The file is FILE.cstidx, or cstrace.cstidx in a folder, where it is found. --sparse (the default) "
	"keeps counts, times and contexts of each block; --full also every timestamp, event, context and loss.";

struct index_cmd {
	struct session_opts so;
	const char *snapshot, *output;
	uint64_t granularity;
	int only_id;
	bool sparse, full, show;
};

static int set_id(void *data, const char *arg)
{
	uint64_t v;

	if (!cmd_number(arg, &v) || v > 0x7f) {
		fprintf(stderr, "cstrace index: trace IDs are 0 to 0x7f\n");
		return -1;
	}
	*(int *)data = (int)v;
	return 0;
}

static void show_stream(const struct cst_index_stream *s)
{
	uint64_t first = 0, last = 0, sums[CST_INDEX_KINDS] = { 0 }, bytes = 0;
	bool timed = false;
	unsigned int k;
	uint32_t i;

	for (i = 0; i < s->n_blocks; i++) {
		const struct cst_index_block *b = &s->blocks[i];

		for (k = 0; k < CST_INDEX_KINDS; k++)
			sums[k] += b->counts[k];
		bytes += b->bytes;
		if (!b->counts[CST_INDEX_TIMESTAMP])
			continue;
		first = !timed || b->time_min < first ? b->time_min : first;
		last = !timed || b->time_max > last ? b->time_max : last;
		timed = true;
	}
	printf("  trace ID 0x%02x: %s, %" PRIu64 " bytes, %u blocks of %u bytes\n", s->trace_id,
	       s->protocol < CST_PROTOCOLS && protocols[s->protocol] ? protocols[s->protocol] : "unknown", bytes,
	       s->n_blocks, s->granularity);
	printf("   ");
	for (k = 0; k < CST_INDEX_KINDS; k++)
		printf(" %s %" PRIu64 "%s", kinds[k], sums[k], k + 1 < CST_INDEX_KINDS ? "," : "\n");
	if (timed)
		printf("    time %" PRIu64 " to %" PRIu64 "\n", first, last);
	if (s->n_contexts) {
		printf("    context IDs");
		for (i = 0; i < s->n_contexts; i++)
			printf(" 0x%x", (unsigned int)s->contexts[i]);
		printf("%s\n", s->n_contexts == CST_INDEX_CONTEXTS ? " and perhaps others" : "");
	}
	if (s->records_end)
		printf("    records %u%s\n", s->n_records, s->records_end == UINT64_MAX ? "" : ", not to the end");
}

static void show_index(const struct cst_index *ix)
{
	uint64_t triggers = 0, barriers = 0, errors = 0, syncs = 0, ids[2] = { 0, 0 };
	unsigned int id;
	uint32_t i;

	for (i = 0; i < ix->n_sources; i++) {
		triggers += ix->sources[i].triggers;
		barriers += ix->sources[i].barriers;
		errors += ix->sources[i].errors;
		syncs += ix->sources[i].syncs;
		ids[0] |= ix->sources[i].ids[0];
		ids[1] |= ix->sources[i].ids[1];
	}
	printf("%s: %s, offset %" PRIu64 ", %" PRIu64 " bytes, indexed %" PRIu64 " to %" PRIu64 "\n", name_shown(ix->name),
	       ix->format == CST_TREE_RAW ? "raw" : "frames", ix->trace_offset, ix->trace_size, ix->offset, ix->end);
	printf("  %u blocks of the buffer; triggers %" PRIu64 ", barriers %" PRIu64 ", bad frames %" PRIu64
	       ", frame synchronisations %" PRIu64 "\n", ix->n_sources, triggers, barriers, errors, syncs);
	if (ix->format == CST_TREE_FRAMES) {
		printf("  trace IDs");
		for (id = 1; id < 128; id++)
			if (ids[id >> 6] >> (id & 63) & 1)
				printf(" 0x%02x", id);
		printf("\n");
	}
	for (i = 0; i < ix->n_streams; i++)
		show_stream(&ix->streams[i]);
}

static int show(struct index_book *b)
{
	uint32_t i;
	int rc;

	b->no_trace = true;
	rc = index_book_read(b);
	if (!rc)
		fprintf(stderr, "cstrace index: %s: there is no such index; without --show one is made\n",
			b->path ? name_shown(b->path) : "-");
	if (rc <= 0)
		return CMD_ERROR;
	for (i = 0; i < b->file->n; i++)
		show_index(b->file->indexes[i]);
	return CMD_OK;
}

/* What the file holds in place of what was read: only what was made now. */
static int make(struct index_cmd *c, struct index_book *b)
{
	const char *input = name_shown(c->snapshot ? c->snapshot : c->so.input);
	struct dump *d = mem_zeroed(1, sizeof(*d));
	uint64_t trace = 0, streams = 0;
	unsigned int i;
	int rc;

	d->who = "cstrace index";
	d->format = DUMP_NONE;
	d->id.only_id = c->only_id;
	d->make = b;
	rc = c->snapshot ? dump_snapshot(d, c->snapshot, NULL, "all") : dump_session(d, &c->so);
	free(d);
	if (rc && !b->nr_made)
		return CMD_ERROR;
	if (!b->nr_made) {
		fprintf(stderr, "cstrace index: no trace in %s that has a decoder\n", input);
		return CMD_ERROR;
	}
	for (i = 0; i < b->nr_made; i++) {
		trace += b->made[i]->trace_size;
		streams += b->made[i]->n_streams;
	}
	if (!streams && c->only_id >= 0) {
		fprintf(stderr, "cstrace index: %s: no source has trace ID 0x%02x; 'perf-cstrace index' without --id takes "
			"all\n", input, (unsigned int)c->only_id);
		return CMD_ERROR;
	}
	/* A part of it must not take the place of a whole one. */
	if (rc && !access(b->path, F_OK)) {
		fprintf(stderr, "cstrace index: %s: left as it was, not all of %s could be read\n", name_shown(b->path),
			input);
		return CMD_ERROR;
	}
	if (index_book_write(b))
		return CMD_ERROR;
	fprintf(stderr, "cstrace index: %s: %zu buffer%s, %" PRIu64 " bytes of trace\n", name_shown(b->path), b->nr_made,
		b->nr_made == 1 ? "" : "s", trace);
	return rc ? CMD_ERROR : CMD_OK;
}

int cmd_index(int argc, const char **argv)
{
	struct index_cmd c = { .only_id = -1 };
	struct index_book b = { 0 };
	const struct cmd_opt opts[] = {
		{ 's', "snapshot", CMD_OPT_STRING, &c.snapshot, "DIR",
		  "read an Arm snapshot (a folder with snapshot.ini) instead", NULL },
		{ 'o', "output", CMD_OPT_STRING, &c.output, "FILE",
		  "the index (default: FILE.cstidx, or cstrace.cstidx in the folder)", NULL },
		{ 0, "granularity", CMD_OPT_NUMBER, &c.granularity, "N",
		  "bytes of trace per block (default: 131072)", NULL },
		{ 0, "id", CMD_OPT_CALL, &c.only_id, "N", "only this trace ID", set_id },
		{ 0, "sparse", CMD_OPT_FLAG, &c.sparse, NULL, "what each block holds, no more (the default)", NULL },
		{ 0, "full", CMD_OPT_FLAG, &c.full, NULL, "also each timestamp, event, context and loss", NULL },
		{ 0, "show", CMD_OPT_FLAG, &c.show, NULL, "print what the index holds instead of making it", NULL },
		CMD_SESSION_OPTS(c.so),
		CMD_OPT_END
	};
	const struct cmd_desc cmd = {
		"index", "where decoding can begin, and what is where", NULL, opts, more,
	};
	int rc = cmd_options(&cmd, &argc, argv);

	if (rc == CMD_GO_ON)
		rc = cmd_jobs_default(&cmd, &c.so);
	if (rc != CMD_GO_ON)
		return rc;
	if (c.so.input && c.snapshot)
		return cmd_usage_error(&cmd, "-i and -s exclude each other");
	if (c.sparse && c.full)
		return cmd_usage_error(&cmd, "--sparse and --full exclude each other");
	if (c.granularity > UINT32_MAX / 2)
		return cmd_usage_error(&cmd, "--granularity: at most 2147483647");
	if (c.snapshot && !c.show)
		cmd_no_effect_in(&cmd, &c.so, sizeof(c.so), "jobs",
				 "a snapshot (-s) says itself what its trace is");
	if (c.show) {
		cmd_no_effect_in(&cmd, &c.so, sizeof(c.so), "input jobs",
				 "--show reads the index only");
		cmd_no_effect(&cmd, "granularity id sparse full", "--show prints an index as it was made");
	}
	if (!c.so.input)
		c.so.input = "perf.data";
	if (!strcmp(c.so.input, "-") && !c.output)
		return cmd_usage_error(&cmd, "with -i - the index needs a name: -o FILE");
	index_book_init(&b, "cstrace index", c.snapshot ? c.snapshot : c.so.input, c.output);
	b.only_id = c.only_id;
	b.opts.granularity = (uint32_t)c.granularity;
	b.opts.full = c.full;
	rc = c.show ? show(&b) : make(&c, &b);
	index_book_free(&b);
	return rc;
}
