/* SPDX-License-Identifier: GPL-2.0-only */
/* software.c - info and verify of software trace alone, buffer by buffer, as dump reads it. */
#include "outputs/cmd/software.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name.h"
#include "outputs/cmd/options.h"
#include "outputs/dump/dump.h"
#include "session/import/bare.h"

static bool of_software(const struct core *c)
{
	return c && (c->kind == KIND_ITM || c->kind == KIND_STM);
}

bool software_only(const struct bare_opts *bare)
{
	bool all = bare && bare->nr_traces && (bare->core || bare->nr_sources) && (!bare->core || of_software(bare->core));
	size_t i;

	for (i = 0; all && i < bare->nr_sources; i++)
		all = of_software(bare->sources[i].core);
	return all;
}

struct job {
	const struct bare_opts *bare;
	const char *who;
	bool strict;
	struct verify_result *result;	/* gets the number of packets; NULL: info */
	struct cst_stats stats;		/* what was decoded */
	bool losses;
};

/* Decodes all buffers; nothing is listed. */
static int decode_all(void *data, struct cst_log *log, unsigned int *buffer)
{
	struct job *job = data;
	struct dump *d = mem_zeroed(1, sizeof(*d));
	int rc;

	*d = (struct dump){ .who = job->who, .format = DUMP_NONE, .strict = job->strict, .log = log,
			    .show.elements = true, .id.only_id = -1,
			    .at.cpu = -1, .at.pid = -1, .at.tid = -1, .at.reading = buffer };
	rc = dump_out_open(&d->out, "-");
	if (!rc) {
		rc = dump_snapshot(d, job->bare->traces[0], job->bare, job->bare->nr_traces > 1 ? "all" : NULL);
		dump_out_abort(&d->out);
	}
	job->stats = d->sums.stats;
	job->losses = d->sums.losses;
	if (job->result)
		job->result->packets = job->stats.packets;
	free(d);
	return rc;
}

int software_verify(const struct bare_opts *bare, bool strict, const struct verify_opts *opts, struct verify_result *result,
		    bool *incomplete)
{
	struct job job = { .bare = bare, .who = opts->who, .strict = strict,
			   .result = result };
	const int rc = verify_log(opts, decode_all, &job, result);

	*incomplete = job.losses;
	return rc;
}

static void print_sources(const struct bare_opts *bare)
{
	size_t i;

	if (bare->core)
		printf("  %s\n", bare->core->name);
	for (i = 0; i < bare->nr_sources; i++)
		printf("  trace ID 0x%02x: %s\n", (unsigned int)bare->sources[i].id, bare->sources[i].core->name);
}

int software_info(const struct bare_opts *bare)
{
	struct job job = { .bare = bare, .who = "cstrace info" };
	unsigned int buffer = 0;
	size_t i;

	printf("File: %s\n", name_shown(bare->traces[0]));
	for (i = 1; i < bare->nr_traces; i++)
		printf("      %s\n", name_shown(bare->traces[i]));
	printf("Recorded: software trace alone, without instructions\n\nTrace sources:\n");
	print_sources(bare);
	if (decode_all(&job, NULL, &buffer))
		return CMD_ERROR;
	printf("\nDecoded: %" PRIu64 " bytes, %" PRIu64 " packets\nLost:    ", job.stats.bytes, job.stats.packets);
	if (job.stats.unsynced)
		printf("%" PRIu64 " bytes before a synchronisation, ", job.stats.unsynced);
	if (job.stats.bad_packets)
		printf("%" PRIu64 " bad packets, ", job.stats.bad_packets);
	if (job.stats.overflows)
		printf("overflows: %" PRIu64 ", ", job.stats.overflows);
	printf(job.losses ? "see standard error\n" : "nothing\n");
	printf("\nNext: 'perf-cstrace dump' with the same options lists what was written\n");
	return !job.stats.packets ? CMD_NOTHING : job.losses ? CMD_LOSSES : CMD_OK;
}
