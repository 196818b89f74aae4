/* SPDX-License-Identifier: GPL-2.0-only */
/* survey.c - collects what a filter needs of the whole recording before decoding. */
#include <stdio.h>

#include "base/error.h"
#include "base/messages.h"
#include "base/time.h"
#include "machine/tasks/comms.h"
#include "perfdata/reader.h"
#include "session/filter/filter.h"

struct survey {
	struct filter *f;
	uint64_t first, last;
};

static void look_at(struct survey *sv, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	const struct pd_sample_id *sid = pd_record_sid(rec);
	uint64_t time = sid->valid & PERF_SAMPLE_TIME ? sid->time : 0;

	if (time && time != NO_TIME) {
		sv->first = time < sv->first ? time : sv->first;
		sv->last = time > sv->last ? time : sv->last;
	}
	if (!filter_needs_threads(sv->f))
		return;
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		filter_note_thread(sv->f, (int)ev->comm.pid, (int)ev->comm.tid);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		filter_note_thread(sv->f, (int)ev->fork.pid, (int)ev->fork.tid);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		filter_note_thread(sv->f, (int)ev->mmap.pid, (int)ev->mmap.tid);
		break;
	}
	if (sid->valid & PERF_SAMPLE_TID)
		filter_note_thread(sv->f, (int)sid->pid, (int)sid->tid);
}

/* Collects the time of the first and the last record, and the threads. */
static int survey(struct filter *f, struct perfdata *pd, const char *name)
{
	struct survey sv = { .f = f, .first = UINT64_MAX };
	struct pd_record rec;
	int rc;

	filter_note_thread(f, 0, 0);	/* the idle task has no records */
	perfdata_rewind(pd);
	while ((rc = perfdata_next(pd, &rec)))
		if (rc > 0)
			look_at(&sv, &rec);
	if (filter_needs_span(f) && !sv.last) {
		fprintf(message_stream(),
			"cstrace: %s: --time: found percentages, expected seconds: no record of this file has a time, "
			"so it is not known how long it is\n", name);
		return ERR_REPORTED;
	}
	filter_set_span(f, sv.first, sv.last);
	return 0;
}

int filter_open(struct filter **f, const struct filter_opts *o, struct perfdata *pd,
		const char *name)
{
	int rc = 0;

	filter_new(f, o);
	if (filter_needs_span(*f) || filter_needs_threads(*f))
		rc = survey(*f, pd, name);
	if (!rc && filter_needs_comms(*f))
		filter_set_comms(*f, comms_new(pd));
	return rc;
}
