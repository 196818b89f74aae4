/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.c - follows contexts and timestamps of one trace ID, and selects the address space from which the decoder
 * reads code.
 */
#include "machine/buffers/owners.h"
#include "session/decode/cycles.h"
#include "session/decode/decode.h"
#include "session/decode/pending.h"
#include "session/decode/stream_state.h"

static uint64_t aux_time(const struct stream_state *st)
{
	return st->fragment.f->pub.time;
}

/*
 * Converts ticks to perf time. A time after the AUX record, or before the previous one, is an error of the clock and
 * limited to that.
 */
bool stream_time(struct stream_state *st, uint64_t ticks, uint64_t *time)
{
	if (!st->time.clock || st->time.clock_cpu != st->stream.cpu) {
		st->time.clock_cpu = st->stream.cpu;
		st->time.clock = clocks_of_cpu(&st->ss->clocks, st->time.clock_cpu);
	}
	if (!st->time.clock || !clock_ns(st->time.clock, ticks, aux_time(st), time))
		return false;
	if (*time < st->time.floor)
		*time = st->time.floor;
	if (*time > aux_time(st))
		*time = aux_time(st);
	return true;
}

bool session_trace_time(const struct stream *s, uint64_t ticks, uint64_t *time)
{
	return stream_time(s->own.state, ticks, time);
}

/* Returns the earliest moment that another stream of the fragment or a pending batch needs. */
static uint64_t needed_limit(const struct stream_state *st)
{
	uint64_t limit = st->pending->limit;
	unsigned int id;

	for (id = 0; id < 128; id++) {
		const struct stream_state *peer = st->fragment.peers[id];

		if (peer && peer != st && st->fragment.present[id >> 6] >> (id & 63) & 1 && peer->time.limit < limit)
			limit = peer->time.limit;
	}
	return limit;
}

static void set_moment(struct stream_state *st, uint64_t time)
{
	struct threads *ts = &st->ss->tasks.threads;
	uint64_t limit;

	st->time.late = false;
	if (!ts->ended)
		threads_seek(ts, time, st->fragment.f->seq, ts->keep ? 0 : needed_limit(st));
	limit = threads_limit(ts, time, st->fragment.f->seq);
	/* within a fragment time does not go back, even if a timestamp is damaged */
	if (limit > st->time.limit)
		st->time.limit = limit;
}

void stream_passed(struct stream_state *st, const struct cst_generic *last)
{
	if (last->index >= st->fragment.done)
		st->fragment.done = last->index + 1;
}

void stream_moment(struct stream_state *st)
{
	uint64_t ticks, time;

	if (!st->time.late)
		return;
	if (!ahead_time(st, &ticks) || !stream_time(st, ticks, &time)) {
		set_moment(st, aux_time(st));
		return;
	}
	if (st->time.now == NO_TIME || time > st->time.now)
		st->time.now = time;
	set_moment(st, time);
}

uint64_t stream_now(struct stream_state *st)
{
	stream_moment(st);
	return st->time.now != NO_TIME ? st->time.now : aux_time(st);
}

uint64_t stream_guest_limit(struct stream_state *st)
{
	return guest_limit(st->who.guest.files, stream_now(st));
}

/*
 * Begins a new stretch. It ran before the stream's next timestamp, so it uses the maps of that time; without one, or if
 * it cannot be converted, those of the time of the AUX record. If both are the same, the timestamp is not needed yet.
 */
static void begin_stretch(struct stream_state *st)
{
	if (!st->unit->timestamps) {
		set_moment(st, aux_time(st));
		return;
	}
	st->time.late = true;
	if (!st->time.may_be_late || !threads_steady(&st->ss->tasks.threads, st->time.limit, aux_time(st), st->fragment.f->seq))
		stream_moment(st);
}

/*
 * The guest that the stream is in, if files of it are given; NULL: the host, or anything without
 * files.
 */
static struct guest *guest_here(const struct stream_state *st)
{
	return st->who.world.world == WORLD_GUEST ? st->who.guest.files : NULL;
}

static struct spaces *spaces_here(const struct stream_state *st)
{
	struct guest *g = guest_here(st);

	return g ? &g->spaces : &st->ss->images.spaces;
}

/* The threads to which pid and tid of the stream belong: a guest's, if its recording is given. */
static struct threads *threads_here(const struct stream_state *st)
{
	struct guest *g = guest_here(st);

	return g && g->pd ? &g->threads : &st->ss->tasks.threads;
}

static bool in_kernel(const struct stream_state *st)
{
	return st->context.el_known && st->context.el > 0;
}

/* The process whose code the stream executes; NULL: unknown. */
static struct process *process_here(struct stream_state *st)
{
	struct guest *g = guest_here(st);
	struct threads *ts = g ? &g->threads : &st->ss->tasks.threads;

	if (st->who.world.world != WORLD_OWN && !g)
		return NULL;	/* guests without files, and firmware */
	if (g && !guest_is_given(g, in_kernel(st)))
		return NULL;
	if (in_kernel(st))
		return &ts->known.kernel;
	return st->stream.pid >= 0 ? threads_process(ts, st->stream.pid) : NULL;
}

/* Forgets the address spaces of the host or guest that the stream has left. */
static void leave_spaces(struct stream_state *st, const struct guest *g)
{
	version_put(st->space.user);
	version_put(st->space.kernel);
	st->space = (struct stream_space){ .guest = g };
}

static void choose_space(struct stream_state *st)
{
	struct process *p = process_here(st);
	struct version **slot = in_kernel(st) ? &st->space.kernel : &st->space.user;
	const struct guest *g = guest_here(st);

	if (g != st->space.guest)
		leave_spaces(st, g);
	st->space.now = NULL;
	if (p) {
		*slot = version_get(spaces_here(st), p, g ? stream_guest_limit(st) : st->time.limit,
				    *slot);
		st->space.now = *slot;
	}
	cst_decoder_set_space(st->stream.decoder, st->space.now ? st->space.now->space : NULL);
}

/*
 * True if another thread or other code may run from here on, which the next timestamp dates: not at a repeated context,
 * nor directly after a timestamp.
 */
static bool moment_open(struct stream_state *st, const struct cst_generic *g)
{
	bool same = st->context.el_known && st->context.el == g->el && st->context.id == g->context_id &&
		    st->context.vmid == g->vmid;

	st->context.id = g->context_id;
	st->context.vmid = g->vmid;
	return !same && cst_decoder_stats(st->stream.decoder)->insns != st->time.insns_stamped;
}

int stream_set_unit(struct stream_state *st, struct trace_unit *u, bool at_once)
{
	struct cst_config cfg = u->config;
	int err;

	cfg.trace_id = st->stream.trace_id;
	err = cst_decoder_reconfigure(st->stream.decoder, &cfg);
	if (err)
		return err;
	st->owner.awaits_sync = !at_once;
	if (!at_once)
		return 0;
	ahead_free(&st->ahead);
	st->unit = u;
	st->stream.cpu = unit_cpu(u);
	st->owner.next_unit = NULL;
	return 0;
}

/* Finds the next owner of the stream's ID within this fragment. */
static void find_change(struct stream_state *st)
{
	const struct id_owner *o;
	struct trace_unit *u;

	st->owner.next_unit = NULL;
	if (!st->unit->timestamps || !st->ss->units.ids_change || st->fragment.f->pub.raw || aux_time(st) == NO_TIME)
		return;
	while ((o = owners_change(&st->ss->units, st->queue, st->stream.trace_id, st->owner.seen_until, aux_time(st)))) {
		st->owner.seen_until = o->time;
		u = units_of_owner(&st->ss->units, o, st->stream.trace_id);
		if (!u || u == st->unit || u->config_error)
			continue;
		st->owner.next_unit = u;
		st->owner.next_time = o->time;
		break;
	}
}

/* Prepares the change to the new owner, which begins with a synchronisation after the next timestamp. */
int stream_watch_owner(struct stream_state *st)
{
	uint64_t ts, time;

	if (!st->owner.next_unit || st->owner.awaits_sync)
		return 0;
	if (ahead_time(st, &ts) &&
	    (!stream_time(st, ts, &time) || time < st->owner.next_time))
		return 0;
	return stream_set_unit(st, st->owner.next_unit, false);
}

/* Completes the change at the new owner's synchronisation. */
static void take_over(struct stream_state *st, const struct cst_generic *last)
{
	if (!st->owner.awaits_sync)
		return;
	st->owner.awaits_sync = false;
	st->unit = st->owner.next_unit;
	st->stream.cpu = unit_cpu(st->unit);
	st->context.el_known = false;
	ahead_switch(st, last->index);
	find_change(st);
	who_begin(st);
}

void stream_begin(struct stream_state *st, const struct fragment *f)
{
	struct stream *s = &st->stream;

	st->fragment.f = f;
	st->fragment.done = 0;
	ahead_begin(&st->ahead, 0);
	count_losses_begin(st);
	st->time.now = NO_TIME;
	st->time.floor = fragment_floor(f);
	pace_begin(&st->time.pace);
	st->out.past = st->out.open_end = st->time.late = false;
	st->out.last_pending = NO_BATCH;
	cycles_begin(st);
	st->time.last_ticks = 0;
	st->out.active = false;
	st->context.el_known = false;
	st->time.insns_stamped = UINT64_MAX;
	s->fragment_start = true;
	s->aux.aux_time = f->pub.time != NO_TIME ? f->pub.time : 0;
	s->aux.aux_seq = f->seq;
	s->aux.window = f->pub.window;
	s->aux.cpu = f->aux_cpu;
	st->owner.awaits_sync = false;
	st->owner.seen_until = f->since ? f->since : aux_time(st);
	find_change(st);
	if (!st->unit->timestamps)
		set_moment(st, f->pub.time);
	who_begin(st);
	choose_space(st);
}

int stream_stop(struct stream_state *st, enum cst_stop why, const struct cst_generic *last)
{
	uint64_t time;
	int err;

	switch (why) {
	case CST_STOP_SECTION:
		return space_load_section(spaces_here(st), cst_decoder_section(st->stream.decoder));
	case CST_STOP_TIMESTAMP:
		if (!last || !last->addr)
			return 0;
		st->ss->totals.backward_timestamps += last->addr < st->time.last_ticks;
		st->time.last_ticks = last->addr;
		if (!stream_time(st, last->addr, &time))
			return 0;
		st->time.insns_stamped = cst_decoder_stats(st->stream.decoder)->insns;
		if (st->time.now == NO_TIME || time > st->time.now)
			st->time.now = time;
		set_moment(st, time);
		who_time(st, time);
		break;
	case CST_STOP_CONFIG:
		take_over(st, last);
		break;
	case CST_STOP_TRACE_ON:
	case CST_STOP_CONTEXT:
		if (!last)
			return 0;
		if (why == CST_STOP_TRACE_ON || moment_open(st, last))
			begin_stretch(st);
		if (why == CST_STOP_CONTEXT)
			who_context(st, last);
		else
			who_trace_on(st);
		choose_space(st);
		return 0;
	default:
		return 0;
	}
	err = stream_watch_owner(st);
	if (!err)
		choose_space(st);
	return err;
}

static uint64_t count_cycles(const struct cst_generic *g, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (g[i].kind == CST_GEN_CYCLE_COUNT && g[i].flags & CST_GF_CC)
			sum += g[i].cc;
	return sum;
}

/* The address space that is not current; of user space only that of the current process. */
static struct version *other_space(const struct stream_state *st)
{
	const struct stream_space *sp = &st->space;

	if (!sp->now)
		return NULL;
	if (sp->now == sp->user)
		return sp->kernel;
	return sp->user && sp->user->process->pid == st->stream.pid ? sp->user : NULL;
}

/* Sets what the consumer sees of the host's thread and of the guest that it runs. */
static void set_machine(struct stream_state *st)
{
	struct stream *s = &st->stream;
	const bool guest = st->who.world.world == WORLD_GUEST;

	s->own.guest = guest_here(st);
	s->own.threads = threads_here(st);
	s->guest = !guest ? 0 : s->own.guest ? (uint16_t)s->own.guest->number : STREAM_GUEST;
	s->vm = s->own.threads == &st->ss->tasks.threads ? 0 : s->guest;
	s->host.pid = guest ? st->who.guest.pid : s->pid;
	s->host.tid = guest ? st->who.guest.tid : s->tid;
}

struct stream *stream_here(struct stream_state *st)
{
	st->stream.own.code = st->space.now;
	st->stream.own.other = other_space(st);
	st->stream.own.kernel = in_kernel(st);
	set_machine(st);
	st->stream.own.moment = st->stream.vm ? stream_guest_limit(st) : st->time.limit;
	return &st->stream;
}

struct stream *stream_as_given(struct stream_state *st)
{
	const struct stream *here = stream_here(st);
	struct stream *s = &st->given;

	s->pid = here->pid;
	s->tid = here->tid;
	s->cpu = here->cpu;
	s->own.code = here->own.code;
	s->own.other = here->own.other;
	s->own.kernel = here->own.kernel;
	s->own.moment = here->own.moment;
	s->own.guest = here->own.guest;
	s->own.threads = here->own.threads;
	s->guest = here->guest;
	s->vm = here->vm;
	s->host = here->host;
	s->aux = here->aux;
	s->selected.lead = here->selected.lead;
	s->before = 0;
	return s;
}

void stream_batch(struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why, struct batch *b)
{
	uint64_t insns = cst_decoder_stats(st->stream.decoder)->insns;

	b->st = st;
	b->g = g;
	b->n = n;
	b->s = *stream_here(st);
	b->limit = st->time.limit;
	b->late = st->time.late;
	b->why = (uint8_t)why;
	b->closed = NO_TIME;
	b->known = NEXT_OPEN;
	b->whole = false;
	b->s.n_insn = (uint32_t)(insns - st->time.insns_seen);
	st->time.insns_seen = insns;
	st->stream.fragment_start = false;
	b->cycles = st->unit->config.cycle_count ? count_cycles(g, n) : 0;
	if (why == CST_STOP_TIMESTAMP && !g[n - 1].addr)
		b->why = CST_STOP_NONE;
	else if (why == CST_STOP_TIMESTAMP && !stream_time(st, g[n - 1].addr, &b->closed))
		b->closed = NO_TIME;
}

/* Returns the latest moment of the batch. */
static uint64_t moment_of(const struct batch *b)
{
	const struct stream_state *st = b->st;
	uint64_t limit = b->limit;

	if (b->late)
		limit = threads_limit(&st->ss->tasks.threads, b->known == NEXT_TIME ? b->next : aux_time(st), st->fragment.f->seq);
	return limit > b->limit ? limit : b->limit;
}

/* Takes over the time of the element that ended the pull. */
static void update_pace(struct batch *b, uint64_t next)
{
	struct pace *pace = &b->st->time.pace;

	if (b->why == CST_STOP_TIMESTAMP && b->closed != NO_TIME)
		pace_timestamp(pace, b->closed);
	else if (b->st->unit->timestamps &&
		 (b->why == CST_STOP_TRACE_ON || (b->why == CST_STOP_CONTEXT && pace->now == PACE_UNKNOWN)))
		pace_gap(pace, next);
}

void stream_batch_time(struct batch *b, const struct consumer *con)
{
	struct stream_state *st = b->st;
	bool loose = !con->wants.step;
	uint64_t next = b->known == NEXT_TIME ? b->next : NO_TIME, start, end;
	struct stream *s = &b->s;

	st->time.pace.loose = loose;
	if (s->vm) {
		s->not_before = guest_time(s->own.guest, s->own.moment);
	} else {
		s->own.moment = moment_of(b);
		s->not_before = threads_time(&st->ss->tasks.threads, s->own.moment);
	}
	s->time_known = !con->wants.record_times && st->time.pace.now != PACE_UNKNOWN;
	s->before = 0;
	if (!s->time_known) {
		start = end = s->aux.aux_time;
	} else {
		start = st->time.pace.now;
		if (b->why == CST_STOP_TIMESTAMP) {
			/* the measured duration is used, not only the rate */
			pace_advance(&st->time.pace, s->n_insn, b->cycles, start);
			end = b->closed == NO_TIME || b->closed < start ? start : b->closed;
		} else {
			if (b->whole)
				pace_until(&st->time.pace, b->left_insns, b->left_cycles, next);
			pace_advance(&st->time.pace, s->n_insn, b->cycles, loose || next == NO_TIME ? aux_time(st) : next);
			end = st->time.pace.now;
		}
		if (loose && next != NO_TIME)
			s->before = next;
	}
	s->time = start > s->not_before ? start : s->not_before;
	s->time_end = end > s->time ? end : s->time;
	stream_set_stretch(s);
	update_pace(b, next);
}

void stream_release(struct stream_state *st)
{
	cst_decoder_set_space(st->stream.decoder, NULL);
	leave_spaces(st, NULL);
}
