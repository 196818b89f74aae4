/* SPDX-License-Identifier: GPL-2.0-only */
/* index.c - the pass over all records before anything is decoded. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/array.h"
#include "session/internal.h"

#define MAX_MESSAGES	10

struct indexer {
	struct session *ss;
	struct intmap announced;	/* tid -> its pid + 2, as last told to threads.c */
	struct intmap started;		/* cpu -> non-NULL: its first start is known */
	bool no_format;			/* sched_switch samples whose layout is not known: was told */
	unsigned int messages;
};

static uint64_t record_time(const struct pd_record *rec)
{
	return rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0;
}

static void side_start(struct side_event *e, const struct pd_record *rec, uint8_t kind, int pid, int tid)
{
	memset(e, 0, sizeof(*e));
	e->time = record_time(rec);
	e->seq = rec->seq;
	e->kind = kind;
	e->pid = pid;
	e->tid = tid;
}

static int announce(struct indexer *ix, const struct pd_record *rec, int pid, int tid)
{
	struct side_event e;
	intptr_t known = (intptr_t)intmap_get(&ix->announced, tid);

	if (pid < 0 || tid <= 0 || known == (intptr_t)pid + 2)
		return 0;
	side_start(&e, rec, SIDE_THREAD, pid, tid);
	if (!intmap_put(&ix->announced, tid, (void *)((intptr_t)pid + 2)))
		return -1;
	return threads_add(&ix->ss->threads, &e);
}

/* Fields that MMAP and MMAP2 have in common. */
struct mmap_fields {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	const char *name;
	struct build_id id;
	bool exec;
};

/* The offset of anonymous memory is its address, and that of a damaged record may be anything. */
static void set_extent(struct dso *d, uint64_t end)
{
	if (d->extent < end && end <= DSO_MAX_EXTENT)
		d->extent = end;
}

static int add_mmap(struct indexer *ix, const struct pd_record *rec, struct mmap_fields *m)
{
	unsigned int mode = rec->ev->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL || m->pid == UINT32_MAX;
	struct side_event e;
	char name[32];
	const char *end;
	struct dso *d;

	if (mode > PERF_RECORD_MISC_USER)
		return 0;	/* hypervisor and guests are not traced through this file's maps */
	if (!m->len || m->start > UINT64_MAX - m->len || m->pgoff > UINT64_MAX - m->len)
		return 0;
	if (!kernel && jit_note(&ix->ss->jit, m->name, (int)m->pid, record_time(rec), rec->seq))
		return -1;
	side_start(&e, rec, m->exec ? SIDE_MAP : SIDE_UNMAP, (int)m->pid, (int)m->tid);
	e.kernel = kernel;
	e.map.start = m->start;
	e.map.end = m->start + m->len;
	e.map.off = m->pgoff;
	if (!m->exec)
		return threads_add(&ix->ss->threads, &e);
	/* "[kernel.kallsyms]_text": the offset is the address of the symbol after the bracket. */
	end = kernel && !strncmp(m->name, "[kernel", 7) ? strchr(m->name, ']') : NULL;
	if (end && (size_t)(end + 1 - m->name) < sizeof(name)) {
		memcpy(name, m->name, end + 1 - m->name);
		name[end + 1 - m->name] = 0;
		d = dso_table_get(&ix->ss->dsos, name, &m->id, kernel);
		if (!d)
			return -1;
		/* Further maps of the kernel name places of their own; the first one tells where it was loaded. */
		if (!d->ref_sym[0] && end[1] && strlen(end + 1) < sizeof(d->ref_sym)) {
			strcpy(d->ref_sym, end + 1);
			d->ref_addr = m->pgoff;
		}
		e.map.off = 0;
		set_extent(d, m->len);
	} else {
		d = dso_table_get(&ix->ss->dsos, m->name, &m->id, kernel);
		if (!d)
			return -1;
		set_extent(d, m->pgoff + m->len);
	}
	e.map.dso = d;
	return threads_add(&ix->ss->threads, &e);
}

static int do_mmap(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_mmap *r = (const void *)rec->ev;
	struct mmap_fields m = {
		.pid = r->pid, .tid = r->tid, .start = r->start, .len = r->len, .pgoff = r->pgoff,
		.name = r->filename, .exec = !(r->header.misc & PERF_RECORD_MISC_MMAP_DATA),
	};

	return add_mmap(ix, rec, &m);
}

static int do_mmap2(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_mmap2 *r = (const void *)rec->ev;
	struct mmap_fields m = {
		.pid = r->pid, .tid = r->tid, .start = r->start, .len = r->len, .pgoff = r->pgoff,
		.name = r->filename, .exec = r->prot & PROT_EXEC,
	};

	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		m.id.len = r->build_id_size < BUILD_ID_MAX ? r->build_id_size : BUILD_ID_MAX;
		memcpy(m.id.id, r->build_id, m.id.len);
	}
	return add_mmap(ix, rec, &m);
}

static int do_comm(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_comm *r = (const void *)rec->ev;
	struct side_event e;

	side_start(&e, rec, r->header.misc & PERF_RECORD_MISC_COMM_EXEC ? SIDE_EXEC : SIDE_COMM,
		   (int)r->pid, (int)r->tid);
	e.comm = r->comm;
	return threads_add(&ix->ss->threads, &e);
}

static int do_fork(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_fork *r = (const void *)rec->ev;
	struct side_event e;

	side_start(&e, rec, SIDE_FORK, (int)r->pid, (int)r->tid);
	e.fork.ppid = (int)r->ppid;
	e.fork.ptid = (int)r->ptid;
	return threads_add(&ix->ss->threads, &e);
}

/* The first moment at which a CPU, or a thread that is followed, was certainly traced. */
static int note_start(struct indexer *ix, const struct pd_record *rec, int tid)
{
	int cpu = rec->sid.valid & PERF_SAMPLE_CPU ? (int)rec->sid.cpu : -1;
	struct session *ss = ix->ss;
	struct trace_start *st;

	if (!(rec->sid.valid & PERF_SAMPLE_TIME) || cpu < 0 || intmap_get(&ix->started, cpu))
		return 0;
	st = ARRAY_ADD(ss->starts, ss->nr_starts, ss->cap_starts);
	if (!st || !intmap_put(&ix->started, cpu, ix))
		return -1;
	st->time = rec->sid.time;
	st->cpu = cpu;
	st->tid = tid;
	return 0;
}

static int do_switch(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_switch *r = (const void *)rec->ev;
	bool out = rec->ev->header.misc & PERF_RECORD_MISC_SWITCH_OUT;
	bool wide = rec->ev->header.type == PERF_RECORD_SWITCH_CPU_WIDE;
	int tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1;
	int pid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.pid : -1;
	int prev = -1;

	if (announce(ix, rec, pid, tid))
		return -1;
	if (!out && note_start(ix, rec, tid))
		return -1;
	if (!(rec->sid.valid & PERF_SAMPLE_TIME) || !(rec->sid.valid & PERF_SAMPLE_CPU))
		return 0;
	if (out) {
		prev = tid;
		tid = wide ? (int)r->next_prev_tid : -1;
	} else if (wide) {
		prev = (int)r->next_prev_tid;
	}
	return running_add(&ix->ss->running, (int)rec->sid.cpu, rec->sid.time, out ? RUN_OUT : RUN_IN, tid,
			   prev);
}

static int do_itrace_start(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_itrace_start *r = (const void *)rec->ev;

	if (announce(ix, rec, (int)r->pid, (int)r->tid))
		return -1;
	if (rec->sid.valid & PERF_SAMPLE_TIME && rec->sid.valid & PERF_SAMPLE_CPU && (int)r->tid > 0 &&
	    running_add(&ix->ss->running, (int)rec->sid.cpu, rec->sid.time, RUN_IN, (int)r->tid, -1))
		return -1;
	return note_start(ix, rec, (int)r->tid);
}

static void read_formats(struct session *ss, const void *data, uint64_t len)
{
	const char *problem = NULL;

	if (ss->sched || !data)
		return;
	ss->sched = tracepoint_new(data, len, &problem);
	if (problem)
		fprintf(stderr, "cstrace: %s: the layout of sched:sched_switch in the tracing data cannot be used: "
			"%s; its samples do not tell which thread ran\n", ss->name, problem);
}

/* Samples of sched_switch tell who runs; others are none of the trace's. */
static int do_sample(struct indexer *ix, const struct pd_record *rec)
{
	const struct pd_sample *s = &rec->sample;
	struct session *ss = ix->ss;
	struct sched_switch sw;

	if (!rec->attr || rec->attr->attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	if (!ss->sched && rec->attr->name && !strcmp(rec->attr->name, "sched:sched_switch") && !ix->no_format) {
		ix->no_format = true;
		fprintf(stderr, "cstrace: %s: samples of sched:sched_switch without their layout (no tracing data): "
			"they do not tell which thread ran\n", ss->name);
	}
	if (!ss->sched || rec->attr->attr.config != tracepoint_id(ss->sched) ||
	    !(s->sid.valid & PERF_SAMPLE_TIME) || !(s->sid.valid & PERF_SAMPLE_CPU))
		return 0;
	if (!tracepoint_switch(ss->sched, s->raw, s->raw_size, &sw)) {
		ss->bad_records++;
		return 0;
	}
	return running_add(&ss->running, (int)s->sid.cpu, s->sid.time, RUN_IN, sw.next, sw.prev);
}

static int do_asid(struct indexer *ix, const struct pd_record *rec)
{
	const struct pd_record_cst_asid *r = (const void *)rec->ev;
	struct asids *as = &ix->ss->asids;
	uint64_t time = record_time(rec);

	switch (r->state) {
	case PD_CST_START:
		return asids_declare(as, r->asid, time, (int)r->pid);
	case PD_CST_CURRENT:
		return asids_declare_current(as, r->asid, time, (int)r->pid);
	case PD_CST_END:
		/* whoever gives it up had it */
		if (asids_declare_current(as, r->asid, time, (int)r->pid))
			return -1;
		return asids_declare(as, r->asid, time, -1);
	}
	ix->ss->bad_records++;
	return 0;
}

static int do_aux(struct indexer *ix, const struct pd_record *rec)
{
	const struct perf_record_aux *r = (const void *)rec->ev;
	struct session_totals *t = &ix->ss->totals;

	t->aux_records++;
	t->aux_truncated += !!(r->flags & AUX_FLAG_TRUNCATED);
	t->aux_partial += !!(r->flags & AUX_FLAG_PARTIAL);
	t->aux_collision += !!(r->flags & AUX_FLAG_COLLISION);
	return queues_add_aux(&ix->ss->queues, rec);
}

/* Kernel code that changes, as one event or none. */
static int do_kernel_code(struct indexer *ix, const struct pd_record *rec)
{
	struct side_event e;
	int rc = rec->ev->header.type == PERF_RECORD_TEXT_POKE ? kernel_text_poke(ix->ss, rec, &e) :
								 kernel_ksymbol(ix->ss, rec, &e);

	return rc > 0 ? threads_add(&ix->ss->threads, &e) : rc;
}

static int do_record(struct indexer *ix, const struct pd_record *rec)
{
	struct session *ss = ix->ss;
	int rc;

	switch (rec->ev->header.type) {
	case PERF_RECORD_MMAP:
		return do_mmap(ix, rec);
	case PERF_RECORD_MMAP2:
		return do_mmap2(ix, rec);
	case PERF_RECORD_COMM:
		return do_comm(ix, rec);
	case PERF_RECORD_FORK:
		return do_fork(ix, rec);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return do_switch(ix, rec);
	case PERF_RECORD_ITRACE_START:
		return do_itrace_start(ix, rec);
	case PERF_RECORD_AUX:
		return do_aux(ix, rec);
	case PERF_RECORD_SAMPLE:
		return do_sample(ix, rec);
	case PERF_RECORD_HEADER_TRACING_DATA:
		read_formats(ss, rec->payload, rec->payload_size);
		return 0;
	case PD_RECORD_CST_ASID:
		return do_asid(ix, rec);
	case PERF_RECORD_TEXT_POKE:
	case PERF_RECORD_KSYMBOL:
		return do_kernel_code(ix, rec);
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		return session_read_hw_id(ss, rec);
	case PERF_RECORD_LOST:
		losses_note_lost(ss, rec->sid.valid & PERF_SAMPLE_CPU ? (int)rec->sid.cpu : -1,
				 rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : NO_TIME,
				 ((const struct perf_record_lost *)rec->ev)->lost);
		return 0;
	case PERF_RECORD_AUXTRACE_INFO:
		rc = session_read_info(ss, rec);
		return rc;
	case PERF_RECORD_AUXTRACE:
		if (rec->aux.avail < rec->aux.size)
			ss->totals.file_cut = true;
		return queues_add_chunk(&ss->queues, rec);
	case PERF_RECORD_TIME_CONV:
		pd_time_conv_parse(&ss->conv, rec);
		ss->have_conv = true;
		return 0;
	}
	return 0;
}

static void report(struct indexer *ix)
{
	const struct pd_error *err = perfdata_error(ix->ss->pd);

	ix->ss->bad_records++;
	if (err->code == PD_E_CUT)
		ix->ss->totals.file_cut = true;
	if (ix->messages < MAX_MESSAGES)
		fprintf(stderr, "cstrace: %s\n", err->msg);
	else if (ix->messages == MAX_MESSAGES)
		fprintf(stderr, "cstrace: %s: more errors of this kind are only counted\n", ix->ss->name);
	ix->messages++;
}

static void take_build_ids(struct session *ss)
{
	const struct pd_env *env = perfdata_env(ss->pd);
	struct build_id id;
	uint32_t i;

	for (i = 0; i < env->nr_build_ids; i++) {
		const struct pd_build_id *b = &env->build_ids[i];

		if (!b->filename || !b->size)
			continue;
		id.len = b->size < BUILD_ID_MAX ? b->size : BUILD_ID_MAX;
		memcpy(id.id, b->id, id.len);
		dso_table_set_build_id(&ss->dsos, b->filename, &id);
	}
}

int session_add_source(struct session *ss, struct side_source *src)
{
	struct side_event e;
	int rc;

	while ((rc = src->next(src, &e)) > 0 && !(rc = threads_add(&ss->threads, &e)))
		;
	src->free(src);
	return rc;
}

static int read_records(struct indexer *ix)
{
	struct pd_record rec;
	int rc;

	while ((rc = perfdata_next(ix->ss->pd, &rec))) {
		if (rc < 0) {
			report(ix);
			continue;
		}
		rc = do_record(ix, &rec);
		if (rc)
			return rc;
	}
	return 0;
}

int session_index(struct session *ss)
{
	const struct pd_feature_bytes *formats = &perfdata_env(ss->pd)->raw[PD_FEAT_TRACING_DATA];
	struct indexer ix = { .ss = ss };
	int rc;

	read_formats(ss, formats->ptr, formats->len);
	rc = read_records(&ix);

	intmap_free(&ix.announced);
	intmap_free(&ix.started);
	if (rc)
		return rc;
	take_build_ids(ss);
	running_finish(&ss->running);
	asids_finish(&ss->asids);
	rc = kernel_finish(ss);
	if (!rc)
		rc = jit_finish(ss);
	if (rc)
		return rc;
	return threads_finish(&ss->threads) || queues_finish(&ss->queues) ? -1 : 0;
}
