/* SPDX-License-Identifier: GPL-2.0-only */
/* sampler.c - selects the elements that become samples: periods, branch stacks and call chains. */
#include "outputs/synth/sampler_int.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/wide.h"
#include "machine/tasks/space.h"
#include "outputs/synth/ranges.h"
#include "outputs/synth/sample_clock.h"

/* elements after which branch samples get a new time */
#define BRANCH_STEP	128

/*
 * Smallest period, in instructions, with a plan. With a smaller one the last branches of each sample take longer than the
 * elements of all ranges.
 */
#define PLAN_PERIOD 2000

/* maximum number of ranges whose branches sample_ops.taken() gets at a time */
#define TAKEN_RANGES 256

/* True if samples depend on the number of instructions and on the branches before them, and on nothing else of a range. */
static bool can_plan(const struct sampler *sp)
{
	const struct itrace_opts *o = &sp->o;

	return sp->want_i && !sp->want_b && !sp->calls && o->stack &&
	       o->stack <= CST_SAMPLE_BRANCHES && o->unit == ITRACE_INSNS &&
	       o->period >= PLAN_PERIOD && !o->tiles && !o->skip && !o->ipc;
}

static int no_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	(void)data;
	(void)s;
	(void)i;
	return 0;
}

static struct sampler *new_sampler(const struct itrace_opts *o, const struct sample_ops *ops, branch_read_fn read)
{
	struct sampler *sp = mem_zeroed(1, sizeof(*sp));
	unsigned int i;

	sp->o = *o;
	sp->ops = *ops;
	sp->read = read;
	sp->skip = o->skip;
	sp->want_b = o->branches && ops->branch;
	sp->want_i = o->instructions && ops->insn;
	sp->restricted = o->calls || o->returns || o->skip;
	sp->tile = o->tiles ? o->stack : UINT32_MAX;
	for (i = 0; i < BRANCH_INDICES; i++)
		sp->ring_flags[i] = ring_flags(branch_perf_type((enum branch_kind)branch_kind_table[i]));
	if ((o->chain && sp->want_i) || (o->depth && sp->want_b))
		sp->calls = callstacks_new();
	return sp;
}

struct sampler *sampler_new(const struct itrace_opts *o, const struct sample_ops *ops, branch_read_fn read)
{
	const struct sample_ops none = { .insn = no_insn };
	struct sampler *sp = new_sampler(o, ops, read);

	if (!can_plan(sp))
		return sp;
	sp->ahead = new_sampler(o, &none, read);
	return sp;
}

void sampler_free(struct sampler *sp)
{
	if (!sp)
		return;
	sampler_free(sp->ahead);
	recent_free(sp->calls);
	free(sp->seams);
	free(sp);
}

/* True if all branches are samples, and nothing else is. */
static bool wants_taken(const struct sampler *sp)
{
	return sp->ops.taken && sp->want_b && !sp->want_i && !sp->calls && !sp->restricted &&
	       !sp->o.ipc;
}

struct wants sampler_wants(const struct sampler *sp, bool times)
{
	struct wants w = { .times = times || (sp->want_i && sp->o.unit != ITRACE_INSNS), .record_times = sp->o.timeless,
			   .excluded = true };

	w.stop = w.times && !sp->o.timeless ? CST_STOP_TIMESTAMP : 0;
	w.step = w.times && sp->want_b ? BRANCH_STEP : 0;
	w.insn_times = sp->want_i && !sp->want_b;
	w.branches = wants_taken(sp) && !w.times;
	return w;
}

enum sampler_unit sampler_unit(const struct sampler *sp)
{
	/* a thread's calls may be in several streams */
	if (sp->calls || sp->o.skip)
		return SAMPLER_ALL;
	if (sp->want_i && !sp->want_b && !sp->o.stack && sp->o.unit != ITRACE_TICKS && !sp->o.ipc)
		return SAMPLER_COUNTED;
	/* with a branch stack, the end of a fragment is a sample that starts a new period of instructions */
	if (sp->want_i && (!sp->o.stack || sp->o.unit != ITRACE_INSNS))
		return SAMPLER_STREAM;
	return SAMPLER_FRAGMENT;
}

/* Records how the begin of a stream affects a stretch that is open from before. */
static void note_begin(struct sampled_stream *ln, const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_TRACE_ON:
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		ln->seam.doubtful = g->flags & CST_GF_DOUBTFUL;
		break;
	case CST_GEN_NACC:
	case CST_GEN_ADDR_UNKNOWN:
		break;
	case CST_GEN_NOPATH:
		ln->seam.touched = true;
		return;
	default:
		return;
	}
	ln->seam.closes = ln->seam.touched = true;
}

static void free_state(struct sampled_stream *ln)
{
	if (!ln)
		return;
	free_state(ln->ahead);
	version_put(ln->code);
	version_put(ln->other);
	free(ln->ring.e);
	free(ln->ring.spare);
	free(ln);
}

static struct sampled_stream *state_of(struct sampler *sp, const struct stream *s)
{
	const struct sampler_seam *was;
	struct sampled_stream *ln = *s->priv;

	if (ln)
		return ln;
	ln = mem_zeroed(1, sizeof(*ln));
	branch_init(&ln->br);
	ln->after_gap = true;
	ln->ipc.cut = true;
	ln->clock.rate = RATE_DEFAULT;
	ln->counts.next = sp->o.tiles ? UINT64_MAX : sp->o.period;
	if (sp->o.stack && sp->want_i) {
		ln->ring.size = sp->o.stack;
		ln->ring.e = mem_zeroed(sp->o.stack, sizeof(*ln->ring.e));
		ln->ring.spare = mem_zeroed(sp->o.stack, sizeof(*ln->ring.e));
	}
	was = sp->from ? sampler_seam(sp->from, s->place) : NULL;
	if (was)
		seam_begin(sp, ln, was);
	*s->priv = ln;
	return ln;
}

void sampler_stream_end(void *sampler, const struct stream *s)
{
	struct sampled_stream *ln = *s->priv;

	if (!ln)
		return;
	seam_leave(sampler, s, ln);
	free_state(ln);
	*s->priv = NULL;
}

void **sampler_slot(const struct stream *s)
{
	struct sampled_stream *ln = *s->priv;

	return &ln->user;
}

unsigned int sampler_depth(const struct stream *s)
{
	const struct sampled_stream *ln = *s->priv;

	return ln && ln->calls ? ln->calls->depth : 0;
}

struct ipc sampler_ipc(const struct sampler *sp, const struct stream *s, enum ipc_sample of)
{
	struct sampled_stream *ln = *s->priv;

	return ipc_take(&ln->ipc, of, sp->o.approximate_ipc);
}

uint64_t sampler_last(const struct stream *s, uint64_t *thread)
{
	const struct sampled_stream *ln = *s->priv;

	if (!ln || ln->br.open == BRANCH_SEQ)
		return 0;
	*thread = session_thread_key(ln->br.tid, ln->br.guest, ln->br.host);
	return ln->br.last;
}

static bool skipped(struct sampler *sp)
{
	if (!sp->skip)
		return false;
	sp->skip--;
	return true;
}

/* ---- samples ---------------------------------------------------------------------------------- */

/* Returns the address of instruction number `k` of a range. */
static uint64_t insn_addr(struct sampler *sp, const struct stream *s, const struct cst_generic *g,
			  uint64_t k, uint8_t *size)
{
	uint64_t addr = g->addr;
	uint8_t hw[2];

	*size = 4;
	if (g->isa != CST_ISA_T32)
		return addr + 4 * k;
	for (;;) {
		if (sp->read(s, addr, hw, 2) != 2) {
			*size = 0;
			return addr;
		}
		*size = (uint8_t)cst_t32_size((uint16_t)(hw[0] | hw[1] << 8));
		if (!k--)
			return addr;
		addr += *size;
	}
}

/* Returns the time of an instruction of the batch. With branch samples it is that of the batch. */
static uint64_t insn_time(const struct sampler *sp, const struct stream *s, const struct sampled_stream *ln)
{
	if (sp->want_b || !s->n_insn)
		return s->time;
	return stream_insn_time(s, ln->counts.insns - ln->counts.batch_insns);
}

static int insn_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, struct insn_sample *i)
{
	int rc = 0;

	i->time = session_time(s, i->time);
	if (i->time < ln->counts.last_time)
		i->time = ln->counts.last_time;
	ln->counts.last_time = i->time;
	i->period = ln->counts.insns - ln->counts.sampled;
	ln->counts.sampled = ln->counts.insns;
	i->stack = sp->o.stack ? &ln->ring : NULL;
	i->chain = sp->chain;
	i->nr_chain = 0;
	if (session_wants(s, i->host, i->time) && !skipped(sp)) {
		static const struct callstack none;

		if (sp->calls && sp->o.chain)
			i->nr_chain = callstack_chain(ln->calls ? ln->calls : &none, i->ip,
						      sp->chain, sp->o.chain + 1);
		rc = sp->ops.insn(sp->ops.data, s, i);
	}
	/* the branches of a sample that is left out are in no other one, either */
	ln->ring.fresh = 0;
	if (sp->o.tiles)
		ring_clear(&ln->ring);
	return rc;
}

/* Emits the samples in a range that reaches at least one. ln->insns is still that of the range's begin. */
static int __attribute__((noinline)) insn_samples(struct sampler *sp, const struct stream *s,
						  struct sampled_stream *ln, const struct cst_generic *g)
{
	struct insn_sample i = { .pid = s->pid, .tid = s->tid, .host = s->host,
				 .isa = g->isa, .el = g->el, .guest = s->guest, .vm = s->vm };
	uint64_t start = ln->counts.insns, end = ln->counts.insns + g->n_insn;
	int rc;

	while (ln->counts.next <= end) {
		ln->counts.insns = ln->counts.next;
		i.ip = insn_addr(sp, s, g, ln->counts.next - start - 1, &i.size);
		i.time = insn_time(sp, s, ln);
		rc = insn_emit(sp, s, ln, &i);
		if (rc)
			return rc;
		sample_clock_next(sp, ln);
	}
	ln->counts.insns = start;
	return 0;
}

/* Notes the address spaces of the last range, if that is in the current batch. */
static void note_code(struct sampled_stream *ln, const struct stream *s)
{
	if (ln->counts.insns == ln->counts.batch_insns)
		return;
	ln->kernel = s->own.kernel;
	if (ln->code == s->own.code && ln->other == s->own.other)
		return;
	version_put(ln->code);
	version_put(ln->other);
	ln->code = s->own.code;
	ln->other = s->own.other;
	version_hold(ln->code);
	version_hold(ln->other);
}

/*
 * Notes the instruction `last` before a gap. Its time is that of its batch if the filter's times
 * end in that.
 */
static void gap_after(const struct sampler *sp, const struct stream *s, struct sampled_stream *ln, uint64_t last)
{
	uint64_t time = insn_time(sp, s, ln);

	if (!session_wants(s, ln->br.host, time))
		time = ln->br.time;
	ln->gap = (struct sampler_gap){ .ip = last, .time = time, .isa = ln->br.isa, .size = ln->br.size, .el = ln->br.el };
}

/*
 * Emits a sample for branches that no sample has shown before the stack is cleared. They are in the
 * address space of their stretch, which is not that of the batch if another thread runs now.
 */
static int stack_flush(struct sampler *sp, const struct stream *s, struct sampled_stream *ln)
{
	struct insn_sample i = { .ip = ln->gap.ip,
				 .pid = ln->br.pid,
				 .tid = ln->br.tid,
				 .host = ln->br.host,
				 .guest = ln->br.guest,
				 .vm = ln->br.vm,
				 .time = ln->gap.time,
				 .isa = ln->gap.isa,
				 .size = ln->gap.size,
				 .el = ln->gap.el };
	struct stream was;
	int rc = 0;

	if (ln->ring.fresh && ln->gap.ip) {
		was = *s;
		was.pid = i.pid;
		was.tid = i.tid;
		was.host = i.host;
		was.guest = i.guest;
		was.vm = i.vm;
		was.own.code = ln->code;
		was.own.other = ln->other;
		was.own.kernel = ln->kernel;
		rc = insn_emit(sp, &was, ln, &i);
		if (sp->o.unit == ITRACE_INSNS && !sp->o.tiles)
			ln->counts.next = ln->counts.insns + sp->o.period;
	}
	ring_clear(&ln->ring);
	return rc;
}

/* Emits a sample at the target of the branch that filled the stack with branches that no sample has shown. */
static int __attribute__((noinline)) tile_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
					       const struct cst_generic *g)
{
	struct insn_sample i = { .ip = g->addr,
				 .pid = s->pid,
				 .tid = s->tid,
				 .host = s->host,
				 .isa = g->isa,
				 .el = g->el,
				 .guest = s->guest,
				 .vm = s->vm,
				 .time = insn_time(sp, s, ln) };

	insn_addr(sp, s, g, 0, &i.size);
	return insn_emit(sp, s, ln, &i);
}

bool sampler_branch_passes(struct sampler *sp, const struct stream *s, const struct branch *b)
{
	if ((sp->o.calls || sp->o.returns) && !(sp->o.calls && branch_is_call(b->kind)) &&
	    !(sp->o.returns && branch_is_return(b->kind)))
		return false;
	return session_wants(s, b->host, b->time) && !skipped(sp);
}

int sampler_branch_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, struct branch *b)
{
	if (b->kind == BRANCH_ERET && branch_after_svc(s, b->to, b->to_isa, sp->read))
		b->kind = BRANCH_SYSRET;
	if (sp->calls && !s->selected.lead) {
		uint64_t thread = session_thread_key(b->tid, b->guest, b->host);

		if (ln->calls_thread != thread || !ln->calls) {
			ln->calls = callstacks_get(sp->calls, thread);
			ln->calls_thread = thread;
		}
		if (ln->calls && b->to)
			callstack_branch(ln->calls, b);
	}
	if (!sp->want_b)
		return 0;
	if (__builtin_expect(sp->restricted, 0) && !sampler_branch_passes(sp, s, b))
		return 0;
	return sp->ops.branch(sp->ops.data, s, b);
}

/* Puts a branch into the stack, if there is one and the filter selects it, and emits it. */
static int branch_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
		       struct branch *b)
{
	if (ln->ring.size && (s->selected.lead || session_wants(s, b->host, b->time)) && b->from &&
	    b->to)
		ring_push(&ln->ring, b->from, b->to, branch_perf_type(b->kind), b->cycles);
	return sampler_branch_emit(sp, s, ln, b);
}

/* Handles an element without code or without synchronisation. */
static int error_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
		      const struct cst_generic *g)
{
	struct error_sample e = { .ip = ln->gap.ip,
				  .time = s->time,
				  .pid = s->pid,
				  .tid = s->tid,
				  .host = s->host,
				  .vm = s->vm };

	if (g->kind == CST_GEN_NACC) {
		e.code = SAMPLE_ERR_NO_IMAGE;
		e.text = "No program image for this address";
		e.ip = g->addr;
	} else if (g->num == CST_UNSYNC_OVERFLOW) {
		e.code = SAMPLE_ERR_OVERFLOW;
		e.text = "Trace unit overflow";
	} else if (g->num == CST_UNSYNC_DISCARD) {
		e.code = SAMPLE_ERR_LOST;
		e.text = "Trace data lost";
	} else if (g->num == CST_UNSYNC_BAD_IMAGE) {
		e.code = SAMPLE_ERR_IMAGE;
		e.text = error_text(CST_ERR_BAD_IMAGE);
	} else if (g->num == CST_UNSYNC_BAD_PACKET || g->error) {
		e.code = SAMPLE_ERR_PACKET;
		e.text = error_text((int)g->error);
	} else {
		return 0;
	}
	if ((e.code == SAMPLE_ERR_OVERFLOW && sp->o.no_overflow_errors) ||
	    (e.code == SAMPLE_ERR_LOST && sp->o.no_lost_errors))
		return 0;
	ln->seam.asks_gap |= !ln->gap.ip && e.code != SAMPLE_ERR_NO_IMAGE;
	e.time = session_time(s, e.time);
	if (!session_wants(s, s->host, e.time))
		return 0;
	return sp->ops.error(sp->ops.data, s, &e);
}

/*
 * Reports an element that is a sample itself. Before the first range of a shard, the last
 * instruction is one of the shards before.
 */
static int event_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
		      const struct cst_generic *g)
{
	struct event_sample e;

	if (!event_sample_of(g, &e) || !sp->o.events[e.kind])
		return 0;
	ln->seam.asks_gap |= !ln->seam.touched && !ln->br.last;
	e.ip = ln->br.last;
	e.el = ln->br.el;
	/* instructions of the batch may have later times already */
	e.time = s->time > ln->counts.last_time ? s->time : ln->counts.last_time;
	e.time = session_time(s, e.time);
	e.pid = s->pid;
	e.tid = s->tid;
	e.host = s->host;
	e.guest = s->guest;
	e.vm = s->vm;
	if (!session_wants(s, e.host, e.time) || skipped(sp))
		return 0;
	/* what is open and is sampled after it is not earlier: a branch, the end of a stretch */
	if (ln->br.time < e.time)
		ln->br.time = e.time;
	if (ln->gap.time < e.time)
		ln->gap.time = e.time;
	return sp->ops.event(sp->ops.data, s, &e);
}

/* Handles every element that is not a range. */
static int __attribute__((noinline)) other(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
					   const struct cst_generic *g)
{
	uint64_t last = ln->br.last;
	struct branch b;
	int rc = 0;

	if (sp->ops.event) {
		rc = event_emit(sp, s, ln, g);
		if (rc)
			return rc;
	}
	if (g->kind == CST_GEN_TIMESTAMP && sp->o.unit == ITRACE_TICKS && sp->want_i && !sp->o.tiles) {
		sample_clock_set(sp, ln, g->addr);
		ln->after_gap = false;
		return 0;
	}
	if (!ln->seam.touched && ln->br.last)
		ln->seam.touched = true;
	else if (!ln->seam.touched)
		note_begin(ln, g);
	if (branch_other(&ln->br, s, g, sp->read, &b)) {
		rc = branch_emit(sp, s, ln, &b);
		if (rc)
			return rc;
	}
	if (last && ln->br.open >= BRANCH_GAP) {
		note_code(ln, s);
		gap_after(sp, s, ln, last);
		ln->after_gap = true;
	}
	if (sp->o.errors && sp->ops.error && (g->kind == CST_GEN_NACC || g->kind == CST_GEN_NO_SYNC))
		rc = error_emit(sp, s, ln, g);
	return rc;
}

/*
 * Handles a switch to another thread without a gap, in the kernel: a branch stack has branches of one thread, after the one by
 * which the kernel entered that thread.
 */
static int __attribute__((noinline)) thread_end(struct sampler *sp, const struct stream *s, struct sampled_stream *ln)
{
	if (!ln->ring.size)
		return 0;
	gap_after(sp, s, ln, ln->br.last);
	return stack_flush(sp, s, ln);
}

/* Handles the first range of a traced stretch. */
static int __attribute__((noinline)) stretch_begin(struct sampler *sp, const struct stream *s,
						   struct sampled_stream *ln, const struct cst_generic *g)
{
	bool same = branch_same_thread(&ln->br, s) && ln->br.resume && ln->br.resume == g->addr;

	/* a thread that continues at the interrupted address keeps its last branches */
	return same ? 0 : stack_flush(sp, s, ln);
}

/*
 * Compiled into one copy per kind of work, with the flags as constants, since long sequences of
 * ranges decide the speed.
 */
static inline __attribute__((always_inline)) int
run(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, const struct cst_generic *g, size_t n,
    const bool branches, const bool ring, const bool insns, const bool ipc)
{
	const struct cst_generic *end = g + n;
	struct branch b;
	int rc;

	for (; g < end; g++) {
		if (__builtin_expect(g->kind != CST_GEN_RANGE, 0)) {
			rc = other(sp, s, ln, g);
			if (rc)
				return rc;
			if (ipc)
				ipc_element(&ln->ipc, s, g);
			continue;
		}
		if (branch_range(&ln->br, s, g, &b)) {
			if (ring && __builtin_expect(!b.from, 0)) {
				rc = stretch_begin(sp, s, ln, g);
				if (rc)
					return rc;
			} else if (ring) {
				ring_push(&ln->ring, b.from, b.to, branch_perf_type(b.kind), b.cycles);
				if (__builtin_expect(ln->ring.fresh >= sp->tile, 0)) {
					rc = tile_emit(sp, s, ln, g);
					if (rc)
						return rc;
				}
			}
			if (branches) {
				rc = sampler_branch_emit(sp, s, ln, &b);
				if (rc)
					return rc;
			}
		}
		if (insns) {
			ln->after_gap = false;
			if (__builtin_expect(ln->counts.insns + g->n_insn >= ln->counts.next, 0)) {
				rc = insn_samples(sp, s, ln, g);
				if (rc)
					return rc;
			}
			ln->counts.insns += g->n_insn;
		}
		if (ipc)
			ipc_range(&ln->ipc, g);
		branch_range_end(&ln->br, s, g);
	}
	return 0;
}

/* `run`: the other kind of element that stands for ranges. */
static bool is_ranges(const struct cst_generic *g, enum cst_generic_kind run)
{
	return g->kind == CST_GEN_RANGE || g->kind == run;
}

/* Emits branches. The cycles so far are those of the first one. */
static int taken_emit(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, const struct cst_branch *b, size_t n)
{
	if (!n)
		return 0;
	ln->br.cycles = 0;
	return sp->ops.taken(sp->ops.data, s, b, n);
}

/* Emits the taken branches at the ends of ranges g[0] to g[n - 1], each to the next range. */
static int taken_ranges(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, const struct cst_generic *g, size_t n)
{
	struct cst_branch list[TAKEN_RANGES], *b;
	const struct cst_generic *end = g + n, *stop;
	int rc = 0;

	while (g < end && !rc) {
		stop = end - g < TAKEN_RANGES ? end : g + TAKEN_RANGES;
		/* without a jump on each range, which could not be predicted: the branch of one that was not taken is overwritten */
		for (b = list; g < stop; g++) {
			*b = (struct cst_branch){ .from = g->end - g->last_size, .to = g[1].addr, .flags = g->flags, .num = g->num,
						  .isa = g->isa, .last_type = g->last_type, .last_subtype = g->last_subtype,
						  .last_size = g->last_size };
			b += branch_taken(g);
		}
		rc = taken_emit(sp, s, ln, list, (size_t)(b - list));
	}
	return rc;
}

/* As run() for branches alone, which go to sample_ops.taken() as long as ranges follow each other. */
static int run_taken(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n, *first;
	struct branch b;
	int rc = 0;

	while (g < end && !rc) {
		if (!is_ranges(g, CST_GEN_LISTED)) {
			rc = other(sp, s, ln, g++);
			continue;
		}
		if (branch_range(&ln->br, s, g, &b))
			rc = sampler_branch_emit(sp, s, ln, &b);
		if (g->kind == CST_GEN_LISTED && !rc)
			rc = taken_emit(sp, s, ln, s->branches + g->first, g->branches);
		/* sampler_branch_emit() finds whether an exception return is one of a system call */
		for (first = g; g + 1 < end && g[1].kind == CST_GEN_RANGE && g->last_subtype != CST_INSN_ERET; g++)
			;
		if (!rc)
			rc = taken_ranges(sp, s, ln, first, (size_t)(g - first));
		branch_range_end(&ln->br, s, g++);
	}
	return rc;
}

/*
 * Counts the instructions of consecutive ranges, from *pg on, up to the next sample or the end of the sequence; only
 * there the ring gets the branches that it holds then. *pg becomes the element after them.
 */
static inline __attribute__((always_inline)) int
run_ranges(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, const struct cst_generic **pg,
	   const struct cst_generic *end, const bool ring, const bool tiles)
{
	const struct cst_generic *g = *pg, *pushed = g;
	uint64_t insns, next;
	struct branch b;
	uint32_t fresh;
	int rc = 0;

	if (ring && branch_range(&ln->br, s, g, &b)) {
		if (b.from)
			ring_push(&ln->ring, b.from, b.to, branch_perf_type(b.kind), b.cycles);
		else
			rc = stretch_begin(sp, s, ln, g);
		if (rc)
			return rc;
	}
	ln->after_gap = false;
	insns = ln->counts.insns;
	next = ln->counts.next;
	fresh = ln->ring.fresh;
	for (;;) {
		if (!tiles)
			g = ranges_count(g, end, &insns, next);
		if (__builtin_expect(insns + g->n_insn >= next || (tiles && fresh >= sp->tile), 0)) {
			if (ring)
				ranges_push(&ln->ring, &ln->br.cycles, sp->ring_flags, pushed, g);
			pushed = g;
			ln->counts.insns = insns;
			if (tiles && fresh >= sp->tile)
				rc = tile_emit(sp, s, ln, g);
			if (!rc && insns + g->n_insn >= ln->counts.next)
				rc = insn_samples(sp, s, ln, g);
			if (rc)
				return rc;
			next = ln->counts.next;
			fresh = ln->ring.fresh;
		}
		if (ring && __builtin_expect(g->kind == CST_GEN_SKIPPED, 0)) {
			/* cycles are those of a branch that was left out */
			ranges_push(&ln->ring, &ln->br.cycles, sp->ring_flags, pushed, g);
			pushed = g;
			ln->br.cycles = 0;
		}
		insns += g->n_insn;
		if (tiles)
			fresh += branch_taken(g);
		if (++g == end || !is_ranges(g, CST_GEN_SKIPPED))
			break;
	}
	if (ring)
		ranges_push(&ln->ring, &ln->br.cycles, sp->ring_flags, pushed, g - 1);
	ln->counts.insns = insns;
	branch_range_end(&ln->br, s, g - 1);
	*pg = g;
	return 0;
}

/*
 * As run(), for samples of instructions with a branch stack (`ring`), which perf2bolt and AutoFDO
 * use, or without, and for nothing else. ln->br is updated only where other functions read it.
 */
static inline __attribute__((always_inline)) int
run_insns(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
	  const struct cst_generic *g, size_t n, const bool ring, const bool tiles)
{
	const struct cst_generic *end = g + n;
	int rc;

	while (g < end) {
		if (is_ranges(g, CST_GEN_SKIPPED))
			rc = run_ranges(sp, s, ln, &g, end, ring, tiles);
		else
			rc = other(sp, s, ln, g++);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Handles a batch that a filter excludes. A branch that is open before it is completed and may be sampled; nothing is
 * counted.
 */
static int pass(struct sampler *sp, const struct stream *s, struct sampled_stream *ln, const struct cst_generic *g,
		size_t n)
{
	const struct cst_generic *end = g + n;
	struct branch b;
	int rc;

	for (; g < end; g++) {
		if (g->kind != CST_GEN_RANGE) {
			rc = other(sp, s, ln, g);
			if (rc)
				return rc;
			continue;
		}
		if (branch_range(&ln->br, s, g, &b)) {
			rc = branch_emit(sp, s, ln, &b);
			if (rc)
				return rc;
		}
		if (ln->ring.fresh) {
			/* as at the end of a traced stretch; if an element ended it, other() has noted the gap */
			if (ln->br.last)
				gap_after(sp, s, ln, ln->br.last);
			rc = stack_flush(sp, s, ln);
			if (rc)
				return rc;
		}
		branch_range_end(&ln->br, s, g);
	}
	ln->passing = true;
	ln->after_gap = true;
	ipc_drop(&ln->ipc);
	ln->ipc.cut = true;
	return 0;
}

/* Handles the first batch after excluded ones: drops branches that are open from an excluded thread. */
static void pass_end(const struct stream *s, struct sampled_stream *ln)
{
	struct branch_state *br = &ln->br;

	ln->passing = false;
	/* an exception's return address from before is void */
	br->resume = 0;
	if (!ln->ring.size || session_wants(s, br->host, br->time))
		return;
	ring_clear(&ln->ring);
	if (br->open == BRANCH_TAKEN || br->open == BRANCH_EXCEPTION)
		br->open = BRANCH_SEQ;
}

/* Takes a batch in the way that the samples need. */
static int take(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
		const struct cst_generic *g, size_t n)
{
	const bool each = sp->want_b || sp->calls;
	int rc = 0;

	if (ln->br.open < BRANCH_GAP && !branch_same_thread(&ln->br, s))
		rc = thread_end(sp, s, ln);
	if (rc)
		return rc;
	if (sp->o.ipc)
		rc = run(sp, s, ln, g, n, each, ln->ring.size, sp->want_i, true);
	else if (!sp->want_i)
		rc = sp->ops.taken && sp->want_b && !sp->calls && !sp->restricted ?
			     run_taken(sp, s, ln, g, n) :
			     run(sp, s, ln, g, n, each, false, false, false);
	else if (!ln->ring.size)
		rc = each ? run(sp, s, ln, g, n, true, false, true, false) :
			    run_insns(sp, s, ln, g, n, false, false);
	else if (each)
		rc = run(sp, s, ln, g, n, true, true, true, false);
	else
		rc = sp->o.tiles ? run_insns(sp, s, ln, g, n, true, true) :
				   run_insns(sp, s, ln, g, n, true, false);
	if (ln->ring.size)
		note_code(ln, s);
	return rc;
}

/* The window before ends: emits the branch that is open there. */
static int lead_begin(struct sampler *sp, const struct stream *s, struct sampled_stream *ln)
{
	struct stream before = *s;
	struct branch b;

	ln->leading = true;
	sp->restricted = true;
	before.selected.lead = false;
	return branch_finish(&ln->br, &b) ? sampler_branch_emit(sp, &before, ln, &b) : 0;
}

/* Drops the branch that is open at the end of the lead, which is that of the window before. */
static void lead_end(struct sampled_stream *ln)
{
	struct branch_state *br = &ln->br;

	ln->leading = false;
	ipc_drop(&ln->ipc);
	if (br->open >= BRANCH_GAP)
		return;
	if (br->open == BRANCH_SEQ)
		br->resume = br->last + br->size;
	br->open = BRANCH_GAP;
	br->last = 0;
	br->cycles = 0;
}

/*
 * Handles a batch of the lead of an AUX window, which is sampled with the window before: its
 * branches are in the stacks of later samples, and nothing else is left of it.
 */
static int lead(struct sampler *sp, const struct stream *s, struct sampled_stream *ln,
		const struct cst_generic *g, size_t n)
{
	const struct sampled_stream was = *ln;
	int rc = ln->leading ? 0 : lead_begin(sp, s, ln);

	if (!rc)
		rc = take(sp, s, ln, g, n);
	ln->counts = was.counts;
	ln->after_gap = true;
	ln->ring.fresh = 0;
	if (sp->o.tiles)
		ring_clear(&ln->ring);
	return rc;
}

int sampler_batch(void *sampler, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct sampler *sp = sampler;
	struct sampled_stream *ln = state_of(sp, s);

	ln->counts.batch_insns = ln->counts.insns;
	if (s->selected.lead)
		return lead(sp, s, ln, g, n);
	if (ln->leading)
		lead_end(ln);
	if (s->selected.filter) {
		sp->restricted = true;
		if (s->selected.excluded)
			return pass(sp, s, ln, g, n);
		if (ln->passing)
			pass_end(s, ln);
	}
	if (s->fragment_start)
		ln->counts.last_time = 0;
	sample_clock_begin(sp, s, ln);
	return take(sp, s, ln, g, n);
}

uint64_t sampler_next(struct sampler *sp, const struct stream *s)
{
	struct sampled_stream *at = &sp->places;

	*at = *state_of(sp, s);
	sample_clock_begin(sp, s, at);
	return at->counts.next - at->counts.insns;
}

uint64_t sampler_further(struct sampler *sp)
{
	struct sampled_stream *at = &sp->places;

	at->counts.insns = at->counts.next;
	sample_clock_next(sp, at);
	return at->counts.next - at->counts.insns;
}

/* Returns the stream for sampler.ahead. */
static struct stream stream_ahead(const struct stream *s, struct sampled_stream *ln)
{
	struct stream ahead = *s;

	ahead.priv = &ln->ahead;
	return ahead;
}

int sampler_plan(void *sampler, const struct stream *s, const struct cst_generic *g, size_t n, struct sample_plan *plan)
{
	const struct sampler *sp = sampler;
	struct sampled_stream *ln = state_of(sampler, s), *next;
	struct stream ahead;
	int rc;

	ahead = stream_ahead(s, ln);
	rc = sampler_batch(sp->ahead, &ahead, g, n);
	if (rc)
		return rc;
	next = ln->ahead;
	/* the end of a stretch may begin a new period, with its next range */
	if (plan && next->br.open < BRANCH_GAP)
		*plan = (struct sample_plan){ .next = next->counts.next - next->counts.insns,
					      .period = sp->o.period };
	return 0;
}

bool sampler_plans(const struct sampler *sp)
{
	return sp->ahead;
}

int sampler_fragment_end(void *sampler, const struct stream *s)
{
	struct sampler *sp = sampler;
	struct sampled_stream *ln = *s->priv;

	struct stream ahead;
	int rc;

	if (!ln || !ln->ring.size)
		return 0;
	if (ln->ahead) {
		ahead = stream_ahead(s, ln);
		rc = sampler_fragment_end(sp->ahead, &ahead);
		if (rc)
			return rc;
	}
	return stack_flush(sp, s, ln);
}
