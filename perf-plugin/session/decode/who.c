/* SPDX-License-Identifier: GPL-2.0-only */
/* who.c - determines the thread of a stream whenever it may have changed. */
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "machine/tasks/short_ids.h"
#include "session/decode/stream_state.h"

/* Maximum number of threads compared by low bits, and of threads in one interval. */
#define MAX_SAME 64

enum certainty { CERTAIN, UNKNOWN };

/* True if the trace has a context ID or VMID that identifies threads. */
static bool is_traced(const struct stream_state *st)
{
	return (st->unit->pid.contextidr_el1 || st->unit->pid.contextidr_el2) &&
	       st->ss->tasks.contextid.forced != CONTEXTID_NONE;
}

static bool follows_thread(const struct stream_state *st)
{
	return st->queue->cpu < 0 && st->queue->tid > 0;
}

static uint64_t insns(const struct stream_state *st)
{
	return cst_decoder_stats(st->stream.decoder)->insns;
}

/* Number of losses in the stream's trace. */
static uint64_t gaps(const struct stream_state *st)
{
	const struct cst_stats *s = cst_decoder_stats(st->stream.decoder);

	return s->resyncs + s->overflows + s->discards + s->bad_packets;
}

static bool in_kernel(const struct stream_state *st)
{
	return st->context.el_known && st->context.el > 0;
}

static bool has_code(const struct session *ss, int tid, uint64_t limit)
{
	int pid = tid > 0 ? threads_pid(&ss->tasks.threads, tid, limit) : -1;
	const struct process *p = pid >= 0 ? threads_process(&ss->tasks.threads, pid) : NULL;

	/* a process that was mapped before the events that are kept has none */
	return p && (p->first < p->nr || (p->cur && maplist_next(p->cur, 0)));
}

static void set_thread(struct stream_state *st, int tid)
{
	st->stream.tid = tid;
	st->stream.pid = threads_pid(&st->ss->tasks.threads, tid, st->time.limit);
}

/* True if the recorder seems to have been inside a PID namespace: IDs are not traced, or they are not the records'. */
static bool in_namespace(const struct stream_state *st)
{
	return (st->who.absent && !st->who.zero) || st->ss->tasks.identity.space == IDS_OTHER;
}

/* What the thread number 0 stands for in switch records. */
static enum run_zero zero_of(const struct stream_state *st)
{
	return in_namespace(st) || st->ss->tasks.running.outsiders ? ZERO_OUTSIDER : ZERO_IDLE;
}

/* The cause of an unknown thread where no record names one. */
static enum loss no_thread(const struct stream_state *st)
{
	if (!in_namespace(st))
		return LOSS_NO_THREAD;
	return running_known(&st->ss->tasks.running, st->stream.cpu) ? LOSS_OUTSIDE : LOSS_NAMESPACE;
}

static void set_unknown(struct stream_state *st, enum loss cause)
{
	st->stream.tid = st->stream.pid = -1;
	st->who.cause = cause;
}

/* ---- nothing in the trace ------------------------------------------------------------------------ */

/*
 * Bound in ns for the error of the trace's times against those of switches; UINT64_MAX: unknown. An estimated clock has the times
 * of the switches themselves, unless some of them are not recorded: those of threads outside of a container.
 */
static uint64_t time_error(const struct stream_state *st)
{
	const struct trace_clock *c = clocks_of_cpu(&st->ss->clocks, st->stream.cpu);

	return c && (c->contradicted || zero_of(st) != ZERO_IDLE) ? clock_error(c) : 0;
}

/*
 * Collects the threads that ran, according to switches, between the last timestamp and the next one, or in the whole
 * fragment.
 */
static size_t candidates(struct stream_state *st, int *tids, size_t max, bool *all)
{
	const uint64_t error = time_error(st);
	uint64_t from = st->who.passed, to = stream_now(st);

	if (to == NO_TIME || to < from)
		to = from;
	if (error == UINT64_MAX) {
		from = st->who.began;
		to = st->fragment.f->pub.time;
	} else {
		from = from < error ? 0 : from - error;
		to += error;
	}
	return running_between(&st->ss->tasks.running, st->stream.cpu, from, to, zero_of(st), tids, max, all);
}

/* Uses the thread at the next timestamp of the same stretch: a program cannot be left unnoticed before it. */
static int thread_by_timestamp(struct stream_state *st)
{
	const struct running *r = &st->ss->tasks.running;
	const uint64_t error = time_error(st);
	uint64_t ts, time;

	if (error == UINT64_MAX)
		return -1;
	/* no instructions since the last timestamp */
	if (st->who.stamped == insns(st))
		time = st->who.passed;
	else if (!st->unit->timestamps || !running_known(r, st->stream.cpu) || !ahead_stretch(st, &ts) ||
		 !stream_time(st, ts, &time))
		return -1;
	if (error && running_changes(r, st->stream.cpu, time < error ? 0 : time - error, time + error))
		return -1;
	return running_thread(r, st->stream.cpu, time);
}

static bool one_process(const struct stream_state *st, const int *tids, size_t n)
{
	const struct threads *ts = &st->ss->tasks.threads;
	int pid = threads_pid(ts, tids[0], st->time.limit);
	size_t i;

	for (i = 1; i < n; i++)
		if (threads_pid(ts, tids[i], st->time.limit) != pid)
			return false;
	return pid >= 0;
}

/*
 * True if the trace between two records of a CPU is that of one process, the one that wrote the second record, although
 * no switch is recorded: there is only one process, or the event follows a thread and not its children. Threads that
 * inherited an event take it over from each other without a record.
 */
static bool aux_is_owner(const struct stream_state *st)
{
	const struct session_tasks *t = &st->ss->tasks;
	const struct process *only = threads_only_process(&t->threads);

	if (t->scope == SCOPE_TASKS && !t->inherited)
		return true;
	if (t->scope == SCOPE_CPUS && zero_of(st) != ZERO_IDLE)
		return false;
	return only && only->pid == threads_pid(&t->threads, st->fragment.f->aux_tid, st->time.limit);
}

/*
 * True if only the thread of the AUX record ran in this fragment. If nothing dates the trace, a thread that lost the
 * CPU after the last record is assumed to have been traced before that record.
 */
static bool only_aux_thread(const struct stream_state *st)
{
	const struct running *r = &st->ss->tasks.running;
	const struct fragment *f = st->fragment.f;
	enum run_zero zero = zero_of(st);
	int first;

	if (f->aux_tid <= 0 || f->pub.time == NO_TIME)
		return false;
	/* a sink of several CPUs: the record names who ran on the CPU that stopped last */
	if (st->stream.cpu < 0 || (f->aux_cpu >= 0 && f->aux_cpu != st->stream.cpu))
		return false;
	/* perf takes an AUX window for one of its sample's thread, too */
	if (!running_known(r, st->stream.cpu))
		return f->pub.window || aux_is_owner(st);
	first = st->unit->timestamps ? running_thread(r, st->stream.cpu, st->who.began) : -1;
	/* unknown: a thread that is not traced, unless all are */
	if (first < 0 && zero && st->ss->tasks.scope == SCOPE_CPUS && st->unit->timestamps)
		return false;
	return (first < 0 || (!first && !zero) || first == f->aux_tid) &&
	       !running_other(r, st->stream.cpu, st->who.began, f->pub.time, f->aux_tid, zero);
}

/*
 * Returns the thread in the kernel if it is the same until the next timestamp, or until the AUX record: a switch may be
 * anywhere in kernel code.
 */
static int thread_in_kernel(struct stream_state *st)
{
	const struct running *r = &st->ss->tasks.running;
	uint64_t from = st->who.passed ? st->who.passed : stream_now(st), to, ts;
	int tid = running_thread(r, st->stream.cpu, from);

	/* an ASID changes with the process, and the times are those at which it did */
	if (st->who.id_bits && st->ss->tasks.identity.space != IDS_OTHER)
		return tid;
	if (!st->unit->timestamps || time_error(st) == UINT64_MAX || !ahead_time(st, &ts) || !stream_time(st, ts, &to))
		to = st->fragment.f->pub.time;
	return running_changes(r, st->stream.cpu, from, to) || (!tid && zero_of(st)) ? -1 : tid;
}

static enum certainty by_switches(struct stream_state *st)
{
	const struct session *ss = st->ss;
	int tids[MAX_SAME], tid;
	bool all;
	size_t n;

	if (!st->who.aux_asked) {	/* the result is valid for the whole fragment */
		st->who.aux_asked = true;
		st->who.aux_only = only_aux_thread(st);
	}
	if (st->who.aux_only) {
		set_thread(st, st->fragment.f->aux_tid);
		if (st->stream.pid >= 0)
			return CERTAIN;
	}
	if (!running_known(&ss->tasks.running, st->stream.cpu))
		return UNKNOWN;
	if (in_kernel(st)) {
		tid = thread_in_kernel(st);
		if (tid < 0)
			return UNKNOWN;
		set_thread(st, tid);
		return CERTAIN;
	}
	tid = thread_by_timestamp(st);
	if (tid > 0) {
		set_thread(st, tid);
		return CERTAIN;
	}
	if (!tid && zero_of(st))
		return UNKNOWN;
	n = candidates(st, tids, MAX_SAME, &all);
	if (!n)
		return UNKNOWN;
	if (n == 1 && all) {
		set_thread(st, tids[0]);
		return CERTAIN;
	}
	if (!all || !one_process(st, tids, n)) {
		st->who.several = true;
		return UNKNOWN;
	}
	/* the last thread of the process; without times stretches cannot be assigned */
	tid = st->time.now != NO_TIME ? running_thread(&ss->tasks.running, st->stream.cpu, st->time.now) : -1;
	set_thread(st, tid > 0 ? tid : tids[n - 1]);
	return CERTAIN;
}

static void only_process(struct stream_state *st)
{
	struct session *ss = st->ss;
	struct process *only = threads_only_process(&ss->tasks.threads);

	/* where switches are recorded, a thread that they do not name is another one; so may be one outside of a container */
	if (!only || running_known(&ss->tasks.running, st->stream.cpu) ||
	    (ss->tasks.scope == SCOPE_CPUS && zero_of(st) != ZERO_IDLE)) {
		set_unknown(st, st->who.several ? LOSS_UNCERTAIN : no_thread(st));
		return;
	}
	st->stream.pid = st->stream.tid = only->pid;
	st->who.how = WHO_ONLY;
}

static void untraced(struct stream_state *st)
{
	if (st->queue->cpu < 0 && st->queue->tid >= 0) {
		set_thread(st, st->queue->tid);
		return;
	}
	if (by_switches(st) != CERTAIN)
		only_process(st);
}

/* ---- context IDs of which only the low bits are known ---------------------------------------------- */

/* Collects the living threads with code that have these low bits. Returns their number. */
static size_t same_bits(struct stream_state *st, uint32_t value, unsigned int bits, int *tids)
{
	struct short_ids *s = &st->ss->tasks.short_ids;
	size_t i, n = 0, looked = 0;

	stream_moment(st);
	short_ids_make(s, &st->ss->tasks.threads, st->fragment.f, bits);
	for (i = short_ids_first(s, value); i < s->nr && short_id(s->tids[i], bits) == value; i++) {
		/* too many threads */
		if (++looked > MAX_SAME)
			return MAX_SAME;
		if (threads_alive(&st->ss->tasks.threads, s->tids[i], st->time.limit) && has_code(st->ss, s->tids[i], st->time.limit))
			tids[n++] = s->tids[i];
	}
	return n;
}

static void by_low_bits(struct stream_state *st, uint32_t value, unsigned int bits)
{
	int tids[MAX_SAME];
	size_t n;

	if (follows_thread(st)) {
		set_thread(st, st->queue->tid);
		return;
	}
	/* the thread of the switches, if its low bits match */
	if (by_switches(st) == CERTAIN && short_id(st->stream.tid, bits) == value)
		return;
	n = same_bits(st, value, bits, tids);
	if (n == 1) {
		set_thread(st, tids[0]);
	} else if (n > 1 && n < MAX_SAME && one_process(st, tids, n)) {
		set_thread(st, tids[0]);
		st->stream.tid = -1;
	} else {
		set_unknown(st, n ? LOSS_SHORT_ID : LOSS_NO_THREAD);
	}
}

/* ---- address space identifiers --------------------------------------------------------------------- */

static int thread_of(struct stream_state *st, int pid)
{
	int tids[MAX_SAME];
	bool all;
	size_t i, n = candidates(st, tids, MAX_SAME, &all);

	for (i = n; i; i--)
		if (threads_pid(&st->ss->tasks.threads, tids[i - 1], st->time.limit) == pid)
			return tids[i - 1];
	return -1;
}

static void set_process(struct stream_state *st, int pid)
{
	int tid = thread_of(st, pid);

	st->stream.pid = pid;
	st->stream.tid = tid > 0 ? tid : pid;
}

static int declared_owner(struct stream_state *st, uint32_t asid)
{
	const struct asids *as = &st->ss->tasks.asids;

	return asids_any_declared(as, asid) ? asids_declared(as, asid, stream_now(st)) : -1;
}

static void by_asid(struct stream_state *st, uint32_t asid)
{
	struct asids *as = &st->ss->tasks.asids;
	int pid = declared_owner(st, asid), tids[MAX_SAME];
	enum certainty c;
	bool all = false;

	if (pid >= 0) {
		set_process(st, pid);
		return;
	}
	if (st->ss->tasks.own.log)
		st->ss->tasks.own.log->ordered = true;
	if (follows_thread(st)) {
		set_thread(st, st->queue->tid);
		return;
	}
	/* without switches the result would be the AUX record's thread, which is no evidence */
	c = running_known(&st->ss->tasks.running, st->stream.cpu) ? by_switches(st) : UNKNOWN;
	if (c == CERTAIN && st->stream.pid >= 0) {
		/* a kernel thread runs in the address space of the previous thread */
		if (in_kernel(st) || !st->who.id_new)
			return;
		asids_learn(as, asid, st->stream.pid);
		return;
	}
	pid = asids_learned(as, asid);
	if (pid >= 0 && (thread_of(st, pid) > 0 || !candidates(st, tids, MAX_SAME, &all))) {
		set_process(st, pid);
		return;
	}
	set_unknown(st, LOSS_ASID);
	/* no candidate is its owner, so the ASID has another owner now */
	if (pid >= 0 && all && st->who.id_new)
		asids_learn(as, asid, -1);
}

/* ---- together -------------------------------------------------------------------------------------- */

/* The ID is of another PID namespace: its thread was found before decoding, or switches show it. */
static void by_other_id(struct stream_state *st, uint32_t id)
{
	const struct identity *ids = &st->ss->tasks.identity;
	int tid = id ? identity_thread(ids, id) : 0;

	if (tid >= 0) {
		set_thread(st, tid);
		st->who.how = id ? WHO_LEARNED : WHO_KNOWN;
		return;
	}
	st->who.by_id = false;
	if (by_switches(st) != CERTAIN)
		only_process(st);
	else if (identity_has_other(ids, st->stream.tid, id))
		set_unknown(st, no_thread(st));
}

static void by_thread(struct stream_state *st, uint32_t id)
{
	const struct identity *ids = &st->ss->tasks.identity;

	/* a buffer that follows a thread has no other thread, whatever the context ID is */
	if (follows_thread(st)) {
		set_thread(st, st->queue->tid);
		if (st->stream.pid >= 0)
			return;
	}
	if (ids->space == IDS_OTHER) {
		by_other_id(st, id);
		return;
	}
	/* a register that the kernel does not write, with what somebody left in it */
	if (ids->space == IDS_UNDECIDED && identity_is_common(ids, id)) {
		st->who.by_id = false;
		untraced(st);
		return;
	}
	set_thread(st, (int)id);
	if (st->stream.pid < 0)
		st->who.cause = LOSS_NO_THREAD;
}

static enum contextid_format format_of(struct stream_state *st)
{
	struct session *ss = st->ss;
	uint32_t v = st->who.id;
	struct contextid_evidence ev = { .running = -1 };

	/* CONTEXTIDR_EL2 exists in AArch64 only */
	if (st->unit->pid.contextidr_el2 && !ss->tasks.contextid.forced)
		return v || !st->context.el_known || st->context.el ? CONTEXTID_TID : CONTEXTID_NONE;
	if (!contextid_decided(&ss->tasks.contextid)) {
		ev.tid = has_code(ss, (int)v, st->time.limit);
		ev.tid_shifted = v >> 8 && has_code(ss, (int)(v >> 8), st->time.limit);
		ev.asid = declared_owner(st, v & 0xff) >= 0;
		if (contextid_needs_running(&ss->tasks.contextid, v, st->who.id_bits, &ev))
			ev.running = thread_by_timestamp(st);
	}
	return contextid_choose(&ss->tasks.contextid, v, st->who.id_bits, &ev);
}

static bool in_guest(const struct stream_state *st)
{
	return st->who.world.world == WORLD_GUEST;
}

/* Determines the thread by the ID of the last context element. */
static void by_id(struct stream_state *st)
{
	uint32_t v = st->who.id;
	unsigned int bits = st->who.id_bits;

	switch (bits ? format_of(st) : CONTEXTID_NONE) {
	case CONTEXTID_TID:
		st->who.by_id = bits == 32;
		if (bits < 32)
			by_low_bits(st, v, bits);
		else
			by_thread(st, v);
		break;
	case CONTEXTID_TID_ASID:
		st->who.by_id = bits == 32;
		if (bits == 32)
			by_thread(st, v >> 8);
		else if (bits != 8)
			by_low_bits(st, v >> 8, 8);
		else
			by_asid(st, v);
		break;
	case CONTEXTID_ASID:
		by_asid(st, v & (bits == 8 ? 0xffu : 0xffffu));
		break;
	case CONTEXTID_AUTO:
	case CONTEXTID_NONE:
		untraced(st);
	}
}

/*
 * The context ID is the guest's own: the host's thread is that of the host's last context, which
 * entered the guest, or of the switches.
 */
static void by_entry(struct stream_state *st)
{
	int tid = st->who.host_tid;

	if (tid < 0 && running_known(&st->ss->tasks.running, st->stream.cpu))
		tid = thread_in_kernel(st);
	if (tid < 0)
		set_unknown(st, LOSS_GUEST);
	else
		set_thread(st, tid);
}

/*
 * Finds the guest that the host's thread runs and, if its threads are known, the one with its
 * context ID.
 */
static void find_guest(struct stream_state *st)
{
	struct who_guest *w = &st->who.guest;
	const bool has_vmid = !st->unit->pid.contextidr_el2;

	w->pid = st->stream.pid;
	w->tid = st->stream.tid;
	w->files = guests_find(&st->ss->images.guests, has_vmid, st->context.vmid, w->pid, w->tid);
	if (!w->files)
		return;
	if (w->files->o.pid >= 0)
		w->pid = w->files->o.pid;
	if (!w->files->pd) {
		st->stream.pid = w->pid;
		return;
	}
	st->stream.tid = w->context_id;
	st->stream.pid = w->context_id < 0 ? -1 :
					     threads_pid(&w->files->threads, w->context_id,
							 stream_guest_limit(st));
	st->who.cause = LOSS_GUEST_PART;
}

/* Determines the thread of the last context element. */
static void resolve(struct stream_state *st)
{
	st->who.how = WHO_KNOWN;
	st->who.by_id = st->who.several = false;
	if (in_guest(st) && !st->unit->pid.contextidr_el2)
		by_entry(st);
	else
		by_id(st);
	if (in_guest(st))
		find_guest(st);
	else
		st->who.host_tid = st->stream.tid;
}

/*
 * Counts a stretch by how its thread was found; a stop before its first instruction may find it
 * otherwise.
 */
static void count_stretch(struct stream_state *st)
{
	struct who_counts *c = &st->ss->totals.who;
	uint64_t *const count[] = { [WHO_ONLY] = &c->only_process, [WHO_LEARNED] = &c->learned };
	struct who *w = &st->who;

	if (w->counted == insns(st) && w->counted_as != WHO_KNOWN)
		--*count[w->counted_as];
	w->counted = insns(st);
	w->counted_as = w->how;
	if (w->how == WHO_KNOWN)
		return;
	++*count[w->how];
	if (w->how == WHO_ONLY)
		c->only_pid = st->stream.pid;
}

static void update_thread(struct stream_state *st)
{
	resolve(st);
	st->who.gaps = gaps(st);
	count_stretch(st);
}

void who_begin(struct stream_state *st)
{
	const struct trace_start *start = clocks_start(&st->ss->clocks, st->stream.cpu);
	struct who *w = &st->who;

	w->id_bits = 0;
	w->by_id = w->absent = w->traced = w->zero = false;
	w->cause = LOSS_NO_THREAD;
	w->counted = w->stamped = UINT64_MAX;
	w->counted_as = WHO_KNOWN;
	w->passed = fragment_floor(st->fragment.f);
	if (start && start->itrace && start->time > w->passed)
		w->passed = start->time;
	w->began = w->passed;
	w->aux_asked = false;
	memset(&w->world, 0, sizeof(w->world));
	memset(&w->guest, 0, sizeof(w->guest));
	w->host_tid = -1;
	st->stream.pid = st->stream.tid = -1;
	if (!is_traced(st))
		resolve(st);
}

/* Bits of the ID that identifies threads. */
static unsigned int traced_bits(const struct stream_state *st)
{
	const struct cst_config *cfg = st->stream.config;

	return 8u * (st->unit->pid.contextidr_el2 ? cfg->vmid_bytes : cfg->cid_bytes);
}

static bool own_thread(const struct stream_state *st, uint32_t id)
{
	if (traced_bits(st) != 32 || !id)
		return false;
	if (st->ss->tasks.identity.space == IDS_OTHER)
		return identity_thread(&st->ss->tasks.identity, id) > 0;
	return threads_pid(&st->ss->tasks.threads, (int)id, st->time.limit) >= 0;
}

static void count_world(struct stream_state *st)
{
	struct who_counts *c = &st->ss->totals.who;

	switch (st->who.world.world) {
	case WORLD_SECURE:
		c->secure++;
		break;
	case WORLD_FIRMWARE:
		c->firmware++;
		break;
	}
}

/* True if the thread can change without a context element. */
static bool may_change(const struct stream_state *st)
{
	return is_traced(st) && !st->who.absent ? st->who.id_bits && !st->who.by_id : true;
}

/* True if an ID of 0 is that of no thread at EL0. The low bits of one may be 0, and so may an ASID. */
static bool zero_is_nobody(const struct stream_state *st)
{
	const struct session_tasks *t = &st->ss->tasks;

	return traced_bits(st) == 32 && t->contextid.forced != CONTEXTID_ASID && !asids_any_declared(&t->asids, 0);
}

/* True if this part of the trace has no IDs, although the metadata says so: what is omitted in the kernel is not 0. */
static bool lacks_ids(const struct stream_state *st)
{
	const struct session_tasks *t = &st->ss->tasks;

	return st->who.absent || (!st->who.traced && t->identity.absent && running_known(&t->running, st->stream.cpu));
}

/*
 * Takes the ID of a context. A Trace Info makes it 0, and an ID of 0 may be omitted after it. In the kernel it is that of
 * the idle task, which never comes to EL0: there, an ID that is 0 is not traced, or not written by the kernel.
 */
static void take_id(struct stream_state *st, const struct cst_generic *g)
{
	const bool el2 = st->unit->pid.contextidr_el2;
	const bool has = g->flags & (el2 ? CST_GF_VMID : CST_GF_CID);
	struct who *w = &st->who;

	if (has) {
		w->id = el2 ? g->vmid : g->context_id;
		w->id_bits = (uint8_t)traced_bits(st);
	}
	if (!(g->flags & CST_GF_EL) || w->world.world != WORLD_OWN)
		return;
	w->zero |= has && !w->id;
	if (has && w->id) {
		w->traced = true;
		w->absent = false;
	} else if (g->el == 0 && zero_is_nobody(st)) {
		w->absent = true;
		w->traced = false;
		w->id = w->id_bits = 0;
		st->ss->totals.who.absent++;
	} else if (!has && g->el > 0) {
		w->absent = lacks_ids(st);
		w->id = 0;
		w->id_bits = w->absent ? 0 : (uint8_t)traced_bits(st);
	}
}

/* Determines to which software the context belongs. */
static void take_world(struct stream_state *st, const struct cst_generic *g)
{
	const struct aux_pid_source *src = &st->unit->pid;
	const bool has = g->flags & (src->contextidr_el2 ? CST_GF_VMID : CST_GF_CID);
	struct world_entry e = { .to = 0 };

	st->context.el = g->el;
	st->context.el_known = true;
	e.thread_known = own_thread(st, has ? src->contextidr_el2 ? g->vmid : g->context_id : st->who.id);
	e.host_el2 = src->contextidr_el2;
	e.one_world = st->stream.config->profile == CST_PROFILE_M;
	e.from = st->context.return_address;
	e.from_known = st->context.return_known;
	if (e.host_el2 && g->el == 0)
		e.to_known = cst_decoder_peek_address(st->stream.decoder, &e.to) > 0;
	world_of(&st->ss->tasks.own, &st->who.world, g, &e);
	count_world(st);
	st->who.guest.context_id = g->flags & CST_GF_CID && st->stream.config->cid_bytes == 4 ?
					   (int)g->context_id :
					   -1;
}

/*
 * Number by which a guest is counted, and given with --guest: the VMID, else the host's process or
 * thread that runs it.
 */
static uint32_t guest_id(const struct stream_state *st)
{
	if (!st->unit->pid.contextidr_el2)
		return st->context.vmid;
	return st->who.guest.pid >= 0 ? (uint32_t)st->who.guest.pid : st->context.vmid;
}

static void count_guest(struct stream_state *st)
{
	const struct guest *g = st->who.guest.files;
	const bool kernel = in_kernel(st), bare = !guest_is_given(g, kernel);

	guests_add(&st->ss->totals.who.guests,
		   &(struct guest_count){ .id = guest_id(st),
					  .number = g ? g->number : 0,
					  .stretches = 1,
					  .bare_kernel = bare && kernel,
					  .bare_user = bare && !kernel });
}

void who_context(struct stream_state *st, const struct cst_generic *g)
{
	struct who *w = &st->who;
	bool was_known = st->context.el_known, was_new = w->id_new, was_absent = w->absent, same_id;
	uint8_t was_bits = w->id_bits, was_el = st->context.el;
	uint32_t was_id = w->id;

	const bool was_guest = in_guest(st);

	if (g->flags & CST_GF_EL)
		take_world(st, g);
	if (is_traced(st))
		take_id(st, g);
	if (in_guest(st) || was_guest) {
		w->id_new = true;
		update_thread(st);
		if (in_guest(st))
			count_guest(st);
		return;
	}
	same_id = w->id == was_id && w->id_bits == was_bits && w->absent == was_absent;
	w->id_new = true;
	/* no ID yet in this fragment; later the last value stays valid */
	if (is_traced(st) && !w->id_bits && !w->absent && st->stream.tid < 0)
		return;
	/* the same program continues, or the kernel is entered in the thread that ran */
	if (may_change(st) && same_id && (was_new || !w->id_bits) && was_known && was_el == 0 && st->stream.tid >= 0 &&
	    w->gaps == gaps(st))
		return;
	update_thread(st);
}

void who_trace_on(struct stream_state *st)
{
	st->who.stamped = UINT64_MAX;
	st->who.id_new = false;
	if (may_change(st))
		update_thread(st);
}

void who_time(struct stream_state *st, uint64_t time)
{
	if (time > st->who.passed)
		st->who.passed = time;
	st->who.stamped = insns(st);
	/* a program is left through an exception only; in the kernel a switch can be anywhere */
	if (in_kernel(st) && may_change(st))
		update_thread(st);
}

void who_restart(struct session *ss)
{
	memset(&ss->totals.who, 0, sizeof(ss->totals.who));
	memset(&ss->tasks.own, 0, sizeof(ss->tasks.own));
	/* a recording with guests is a host's, whatever part of it is decoded first */
	if (ss->images.guests.nr)
		own_world_vmid(&ss->tasks.own, 0, true);
	contextid_init(&ss->tasks.contextid, ss->opts.contextid, perfdata_env(ss->pd)->arch);
	if (ss->tasks.identity.space != IDS_UNDECIDED)
		contextid_are_threads(&ss->tasks.contextid);
	asids_restart(&ss->tasks.asids);
}

void who_report(struct session *ss)
{
	const struct who_counts *c = &ss->totals.who;

	/* a snapshot has one memory, whatever ran */
	if (!c->only_process || ss->tasks.only_process_reported || ss->recorder == RECORDER_SNAPSHOT)
		return;
	ss->tasks.only_process_reported = true;
	fprintf(message_stream(), "cstrace: %s: nothing says which thread was traced; only process %d has code in the file, and "
		"all user trace was taken as its\n", ss->name, c->only_pid);
}
