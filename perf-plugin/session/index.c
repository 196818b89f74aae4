/* SPDX-License-Identifier: GPL-2.0-only */
/* index.c - reads all records once, before decoding. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/alloc.h"
#include "base/messages.h"
#include "session/internal.h"

#define MAX_MESSAGES	10

struct indexer {
	struct session *ss;
	bool no_format;			/* sched_switch samples without a known layout were reported */
	unsigned int messages;
	bool beyond;			/* compressed records exceed the limit */
};

static uint64_t record_time(const struct pd_record *rec)
{
	return rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0;
}

static void do_switch(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_switch *r = (const void *)rec->ev;
	bool out = rec->ev->header.misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool wide = rec->ev->header.type == PERF_RECORD_SWITCH_CPU_WIDE;
	int tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1;
	int prev = -1;

	if (!out)
		clocks_note_start(&ix->ss->clocks, rec, false);
	if (!(rec->sid.valid & PERF_SAMPLE_TIME) || !(rec->sid.valid & PERF_SAMPLE_CPU))
		return;
	if (out) {
		prev = tid;
		tid = wide ? (int)r->next_prev_tid : -1;
	} else if (wide) {
		prev = (int)r->next_prev_tid;
	}
	running_add(&ix->ss->tasks.running, (int)rec->sid.cpu, rec->sid.time, out ? RUN_OUT :
		    RUN_IN, tid,
			   prev);
}

static void do_itrace_start(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_itrace_start *r = (const void *)rec->ev;

	if (rec->sid.valid & PERF_SAMPLE_TIME && rec->sid.valid & PERF_SAMPLE_CPU &&
	    (int)r->tid > 0)
		running_add(&ix->ss->tasks.running, (int)rec->sid.cpu, rec->sid.time, RUN_START,
			    (int)r->tid, -1);
	clocks_note_start(&ix->ss->clocks, rec, true);
}

static void read_formats(struct session *ss, const void *data, uint64_t len)
{
	const char *problem = NULL;

	if (ss->tasks.sched || !data)
		return;
	ss->tasks.sched = tracepoint_new(data, len, &problem);
	if (problem)
		fprintf(message_stream(), "cstrace: %s: the layout of sched:sched_switch in the tracing data cannot be used: "
			"%s; its samples do not tell which thread ran\n", ss->name, problem);
}

/* Reads a sched_switch sample, which gives the running thread. */
static void do_sched_switch(struct indexer *ix, const struct pd_record *rec)
{
	const struct pd_sample *s = &rec->sample;
	struct session *ss = ix->ss;
	struct sched_switch sw;

	if (!rec->attr || rec->attr->attr.type != PERF_TYPE_TRACEPOINT)
		return;
	if (!ss->tasks.sched && rec->attr->name && !strcmp(rec->attr->name, "sched:sched_switch") && !ix->no_format) {
		ix->no_format = true;
		fprintf(message_stream(), "cstrace: %s: samples of sched:sched_switch without their layout (no tracing data): "
			"they do not tell which thread ran\n", ss->name);
	}
	if (!ss->tasks.sched || rec->attr->attr.config != tracepoint_id(ss->tasks.sched) ||
	    !(s->sid.valid & PERF_SAMPLE_TIME) || !(s->sid.valid & PERF_SAMPLE_CPU))
		return;
	if (!tracepoint_switch(ss->tasks.sched, s->raw, s->raw_size, &sw)) {
		ss->lost.bad_records++;
		return;
	}
	/* the sample's own fields have the number in the recorder's namespace, its contents that of the machine */
	if (s->sid.valid & PERF_SAMPLE_TID && (int)s->sid.tid > 0 && sw.prev > 0)
		identity_add(&ss->tasks.identity, (uint32_t)sw.prev, (int)s->sid.tid, true);
	running_add_sample(&ss->tasks.running, (int)s->sid.cpu, s->sid.time, sw.next, sw.prev);
}

/* Of samples other than sched_switch only AUX windows matter for the trace. */
static void do_sample(struct indexer *ix, const struct pd_record *rec)
{
	if (rec->window.size)
		windows_add(&ix->ss->queues.windows, rec);
	do_sched_switch(ix, rec);
}

/* Notes whether the buffers of AUX windows are of CPUs or of threads. */
static void note_window_event(struct windows *ws, const struct pd_attr *a,
			      const struct pd_id_entry *e)
{
	if (!(a->attr.sample_type & PERF_SAMPLE_AUX))
		return;
	ws->of_cpus |= e->cpu >= 0;
	ws->of_threads |= e->cpu < 0 && e->tid >= 0;
}

/* Reads for which threads or CPUs the trace events were opened. */
static void do_id_index(struct indexer *ix, const struct pd_record *rec)
{
	const struct pd_attr *a;
	struct pd_id_entry e;
	uint64_t i;

	for (i = 0; i < pd_id_index_nr(rec); i++) {
		e = pd_id_index_entry(rec, i);
		a = perfdata_attr_by_id(ix->ss->pd, e.id);
		if (a)
			note_window_event(&ix->ss->queues.windows, a, &e);
		if (!a || a->attr.type < PERF_TYPE_MAX)
			continue;
		if (e.tid >= 0)
			ix->ss->tasks.scope = SCOPE_TASKS;
		else if (e.cpu >= 0 && ix->ss->tasks.scope == SCOPE_UNKNOWN)
			ix->ss->tasks.scope = SCOPE_CPUS;
	}
}

/* Derives from the attributes what no ID_INDEX record says: events of CPUs are not inherited. */
static void finish_scope(struct session *ss)
{
	const struct perf_event_attr *a;
	unsigned int i;

	for (i = 0; i < perfdata_nr_attrs(ss->pd); i++) {
		a = &perfdata_attr(ss->pd, i)->attr;
		if (a->type < PERF_TYPE_MAX)
			continue;
		if (ss->tasks.scope == SCOPE_UNKNOWN && (a->inherit || a->enable_on_exec))
			ss->tasks.scope = SCOPE_TASKS;
		ss->tasks.inherited |= a->inherit;
	}
}

static int thread_of_machine(const void *data, int tid)
{
	return identity_thread(data, (uint32_t)tid);
}

static void do_asid(struct indexer *ix, const struct pd_record *rec)
{
	const struct pd_record_cst_asid *r = (const void *)rec->ev;
	struct asids *as = &ix->ss->tasks.asids;
	uint64_t time = record_time(rec);

	switch (r->state) {
	case PD_CST_START:
		asids_declare(as, r->asid, time, (int)r->pid);
		return;
	case PD_CST_CURRENT:
		asids_declare_current(as, r->asid, time, (int)r->pid);
		return;
	case PD_CST_END:
		asids_declare_end(as, r->asid, time, (int)r->pid);
		return;
	}
	ix->ss->lost.bad_records++;
}

static void do_aux(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_aux *r = (const void *)rec->ev;
	struct session_totals *t = &ix->ss->totals;

	t->aux_records++;
	t->aux_truncated += !!(r->flags & AUX_FLAG_TRUNCATED);
	t->aux_partial += !!(r->flags & AUX_FLAG_PARTIAL);
	t->aux_collision += !!(r->flags & AUX_FLAG_COLLISION);
	queues_add_aux(&ix->ss->queues, rec);
}

static int do_record(struct indexer *ix, const struct pd_record *rec)
{
	struct session *ss = ix->ss;

	switch (rec->ev->header.type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		do_switch(ix, rec);
		return 0;
	case PERF_RECORD_ITRACE_START:
		do_itrace_start(ix, rec);
		return 0;
	case PERF_RECORD_AUX:
		do_aux(ix, rec);
		return 0;
	case PERF_RECORD_SAMPLE:
		do_sample(ix, rec);
		return 0;
	case PERF_RECORD_ID_INDEX:
		do_id_index(ix, rec);
		return 0;
	case PERF_RECORD_HEADER_TRACING_DATA:
		read_formats(ss, rec->payload, rec->payload_size);
		return 0;
	case PD_RECORD_CST_ASID:
		do_asid(ix, rec);
		return 0;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		owners_hw_id(&ss->units, rec);
		return 0;
	case PD_RECORD_CST_DEFINE_TRACE:
		owners_define_trace(&ss->units, rec);
		return 0;
	case PD_RECORD_CST_AUX_BEFORE:
		queues_note_before(&ss->queues, rec);
		return 0;
	case PERF_RECORD_LOST:
		losses_note_lost(&ss->losses, rec->sid.valid & PERF_SAMPLE_CPU ? (int)rec->sid.cpu : -1,
				 rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : NO_TIME,
				 ((const struct perf_record_lost *)rec->ev)->lost);
		return 0;
	case PERF_RECORD_AUXTRACE_INFO:
		return units_read_info(&ss->units, rec);
	case PERF_RECORD_AUXTRACE:
		if (rec->aux.avail < rec->aux.size)
			ss->totals.file_cut = true;
		queues_add_chunk(&ss->queues, rec);
		return 0;
	case PERF_RECORD_TIME_CONV:
		pd_time_conv_parse(&ss->clocks.conv, rec);
		ss->clocks.have_conv = true;
		return 0;
	}
	return 0;
}

static void report(struct indexer *ix)
{
	const struct error *err = perfdata_error(ix->ss->pd);

	if (err->code != ERR_EXPAND)
		ix->ss->lost.bad_records++;
	ix->beyond |= err->code == ERR_EXPAND;
	if (err->code == ERR_CUT)
		ix->ss->totals.file_cut = true;
	if (ix->messages < MAX_MESSAGES)
		fprintf(message_stream(), "cstrace: %s\n", err->msg);
	else if (ix->messages == MAX_MESSAGES)
		fprintf(message_stream(), "cstrace: %s: more errors of this kind are only counted\n", ix->ss->name);
	ix->messages++;
}

/*
 * Records the threads and maps that a record describes: true and *e, or false if it describes none.
 */
static bool note_event(struct session *ss, const struct pd_record *rec, struct side_event *e)
{
	if (!side_events_take(&ss->side, rec, e))
		return false;
	threads_note(&ss->tasks.threads, e);
	return true;
}

static int read_records(struct indexer *ix)
{
	struct identity *ids = &ix->ss->tasks.identity;
	struct side_event e;
	struct pd_record rec;
	int rc;

	while ((rc = perfdata_next(ix->ss->pd, &rec))) {
		if (rc < 0) {
			report(ix);
			continue;
		}
		ix->ss->totals.records++;
		rc = do_record(ix, &rec);
		if (rc)
			return rc;
		if (note_event(ix->ss, &rec, &e) && !e.kernel)
			identity_know(ids, e.tid);
	}
	return 0;
}

/* True if the times of the records are of a clock that the user chose (perf record -k), not of perf's own. */
static bool is_chosen_clock(const struct perfdata *pd)
{
	const struct perf_event_attr *a;
	unsigned int i;

	for (i = 0; i < perfdata_nr_attrs(pd); i++) {
		a = &perfdata_attr(pd, i)->attr;
		if (a->use_clockid && a->sample_type & PERF_SAMPLE_TIME)
			return true;
	}
	return false;
}

/* After the last record: prepares the lookup of threads and code. */
static int finish_side(struct session *ss)
{
	int rc;

	/* TIME_CONV, which the recorder writes all the same, converts to perf's own clock: only its rate is of use */
	if (is_chosen_clock(ss->pd))
		ss->clocks.conv.usable = false;
	ss->side.conv = ss->clocks.have_conv ? &ss->clocks.conv : NULL;
	rc = side_events_finish(&ss->side);
	if (!rc)
		threads_begin(&ss->tasks.threads);
	return rc;
}

int session_index_side(struct session *ss)
{
	struct side_event e;
	struct pd_record rec;
	int rc;

	side_events_start(&ss->side);
	while ((rc = perfdata_next(ss->pd, &rec)))
		if (rc > 0)
			note_event(ss, &rec, &e);
	return finish_side(ss);
}

int session_index(struct session *ss)
{
	const struct pd_feature_bytes *formats = &perfdata_env(ss->pd)->raw[PD_FEAT_TRACING_DATA];
	struct indexer ix = { .ss = ss };
	int rc;

	mem_doing("reading the records");
	side_events_start(&ss->side);
	read_formats(ss, formats->ptr, formats->len);
	rc = read_records(&ix);
	ss->lost.lost_compressed = ix.beyond ? perfdata_stats(ss->pd)->lost_compressed : 0;
	if (rc)
		return rc;
	finish_scope(ss);
	identity_decide(&ss->tasks.identity, ss->tasks.scope == SCOPE_TASKS);
	if (ss->tasks.identity.space == IDS_OTHER)
		running_translate(&ss->tasks.running, thread_of_machine, &ss->tasks.identity);
	running_finish(&ss->tasks.running);
	asids_finish(&ss->tasks.asids);
	rc = finish_side(ss);
	if (!rc)
		queues_finish(&ss->queues);
	return rc;
}
