/* SPDX-License-Identifier: GPL-2.0-only */
/* side_events.c - collects the events about threads, maps and kernel code in a pass over all records. */
#include "machine/sideband/side_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/name.h"
#include "machine/sideband/side_perf.h"

void side_events_init(struct side_events *se)
{
	memset(se, 0, sizeof(*se));
	side_order_init(&se->order);
}

void side_events_free(struct side_events *se)
{
	side_order_free(&se->order);
	jit_files_free(&se->jit);
	jit_processes_free(&se->processes);
	phone_free(&se->phone);
	free(se->bpf.v);
}

void side_events_start(struct side_events *se)
{
	se->records = side_perf_new(se);
	se->reader = side_order_add(&se->order, se->records);
}

bool side_events_take(struct side_events *se, const struct pd_record *rec, struct side_event *e)
{
	phone_record(se, rec);
	if (!side_perf_take(se->records, rec, e)) {
		jit_processes_record(&se->processes, rec);
		return false;
	}
	jit_processes_event(&se->processes, e);
	side_order_note(&se->order, se->reader, e);
	return true;
}

/* The header's build-ids are of the files that records name. A guest's files are other ones, of the same names. */
static void take_build_ids(struct side_events *se)
{
	const struct pd_env *env = perfdata_env(se->pd);
	const char *first = NULL;
	struct build_id id;
	uint32_t i, more = 0;

	for (i = 0; i < env->nr_build_ids; i++) {
		const struct pd_build_id *b = &env->build_ids[i];

		if (!b->filename || !b->size || (b->misc & PERF_RECORD_MISC_CPUMODE_MASK) > PERF_RECORD_MISC_USER)
			continue;
		id.len = b->size < BUILD_ID_MAX ? b->size : BUILD_ID_MAX;
		memcpy(id.id, b->id, id.len);
		if (dso_table_set_build_id(se->dsos, b->filename, &id))
			continue;
		more += first != NULL;
		first = first ? first : b->filename;
	}
	if (!first)
		return;
	fprintf(message_stream(), "cstrace: warning: %s: files of several build-ids were mapped as %s", se->name, name_shown(first));
	if (more)
		fprintf(message_stream(), " (and so were %u more)", more);
	fprintf(message_stream(), ", as containers have them, and no record says which map has which: the first one is taken; record "
		"with perf record --buildid-mmap\n");
}

int side_events_finish(struct side_events *se)
{
	int rc;

	side_perf_finish(se->records);
	take_build_ids(se);
	phone_finish(se);
	side_kernel_finish(se);
	rc = kernel_find_kcore(se->kernel, se->dsos, perfdata_folder(se->pd));
	if (!rc)
		rc = jit_finish(se);
	if (!rc)
		side_order_finish(&se->order);
	return rc;
}
