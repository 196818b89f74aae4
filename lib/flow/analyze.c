/* SPDX-License-Identifier: BSD-3-Clause */
/* analyze.c - analysis of every trace element except atoms (Arm ARM K10.5.5.5 to K10.5.5.17). */
#include <string.h>

#include <cstrace/decoder.h>
#include <cstrace/error.h>
#include <cstrace/isa.h>

#include "base/log_int.h"
#include "base/quirks.h"
#include "flow/analyze.h"
#include "flow/samples.h"
#include "flow/step.h"

/* M profile: addresses from here on are EXC_RETURN values; a branch to one is an exception return. */
#define EXC_RETURN 0xff000000u

struct cst_generic *cst_flow_emit(struct cst_flow *f, struct cst_generic *out, size_t *n,
				  enum cst_generic_kind kind)
{
	struct cst_generic *g;

	if (f->each.open_any)
		cst_flow_close(f, out, n);
	if (f->emit.samples && cst_generic_loses_flow(kind))
		f->emit.samples->period = 0;
	g = &out[(*n)++];
	*g = f->emit.tmpl;
	g->kind = kind;
	g->index = f->work.elem.index;
	g->isa = f->isa;
	return g;
}

void cst_flow_range(struct cst_flow *f, struct cst_generic *out, size_t *n, const struct span *s, int exec)
{
	const struct ids ids = ids_of_kind(f, CST_GEN_RANGE, s->section);
	const int cycles = f->work.elem.flags & CST_EL_F_CC;

	if (f->each.open_any)
		cst_flow_close(f, out, n);
	step_range(&out[(*n)++], &s->b, exec != 0, f->addr, s->end, s->n_insn,
		   cycles ? f->work.elem.cc : 0, s->sect_off, &ids, f->work.elem.index,
		   f->emit.tmpl.flags | (cycles ? CST_GF_CC : 0));
	if (f->cfg->cond_trace)
		cst_flow_cond_range(f, s);
	f->stats->ranges++;
	f->stats->insns += s->n_insn;
}

void cst_flow_behind(struct cst_flow *f, const struct span *s)
{
	f->addr = step_wrap(s->end, f->isa);
	f->it = s->it;
	f->origin = ORIGIN_NONE;
	f->cache.blk = 0;
}

static void lose_address(struct cst_flow *f)
{
	f->need_addr = 1;
	f->ret.pop_pending = 0;
	f->it = 0;
	f->cache.blk = 0;
	/* the code that was not traced may have called and returned: its entries are unreliable */
	step_empty_stack(f);
}

/* Returns the state of a gap for which the consumer has received an element. */
static enum flow_gap reported(const struct cst_flow *f)
{
	return quirk(f->cfg, QUIRK_WALKS_TO_EXCEPTION) ? GAP_REPORTED : GAP_NONE;
}

/* Emits CST_GEN_ADDR_UNKNOWN: the next range does not continue the last one. */
static struct cst_generic *emit_unknown(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	if (f->gap)
		f->gap = reported(f);
	return cst_flow_emit(f, out, n, CST_GEN_ADDR_UNKNOWN);
}

void cst_flow_conflict(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int finding, uint64_t addr)
{
	struct cst_generic *g = emit_unknown(f, out, n);

	g->error = CST_ERR_BAD_IMAGE;
	g->addr = addr;
	f->stats->image_conflicts++;
	cst_flow_report(f, finding, addr);
}

void cst_flow_lost(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int atoms)
{
	f->results.cond_new = 0;
	f->stats->atoms_lost += atoms;
	cst_flow_report_lasting(f, CST_FIND_ATOMS_LOST, 0);
	f->need_addr = 1;
	if (f->gap == GAP_PENDING)
		emit_unknown(f, out, n);
}

void cst_flow_broken(struct cst_flow *f, struct cst_generic *out, size_t *n, enum span_end end,
		     const struct span *s)
{
	struct cst_generic *g;

	f->check.after_n = 0;
	if (end == SPAN_UNDEFINED) {
		cst_flow_mismatch(f);
		return;
	}
	if (s->n_insn && end != SPAN_LOST)
		cst_flow_range(f, out, n, s, 1);
	if (end == SPAN_NACC) {
		g = cst_flow_emit(f, out, n, CST_GEN_NACC);
		g->addr = s->end;
		g->num = cst_flow_memspace(f);
		f->stats->nacc++;
		cst_flow_report(f, CST_FIND_NO_CODE, s->end);
	} else {
		cst_flow_conflict(f, out, n, CST_FIND_IMAGE_CONFLICT, s->end);
	}
	lose_address(f);
	f->addr = s->end;
	f->gap = reported(f);
}

/*
 * True if instructions have led to the current address and the trace can only continue there: ETMv4 and ETE. A branch
 * future of v8.1-M is not followed.
 */
static int must_continue(const struct cst_flow *f)
{
	return !(f->need_addr | f->need_ctx) && f->origin == ORIGIN_NONE && f->cfg->profile != CST_PROFILE_M &&
	       (f->cfg->protocol == CST_PROTO_ETMV4 || f->cfg->protocol == CST_PROTO_ETE);
}

/* A traced address and the place to which the instructions of the image have led. */
enum agreement {
	AGREES,
	CONTRADICTS,	/* the image is not what ran */
	AGREES_LAZY,	/* the code of section f->lazy must be loaded first */
};

/*
 * Compares the current address with traced address `addr`. Execution may also continue behind the TSTART instruction of a
 * transaction that failed: behind a loss no packet says so.
 */
static enum agreement compare_place(struct cst_flow *f, uint64_t addr)
{
	enum span_end end;
	struct cst_insn in;
	uint32_t op;

	if (!must_continue(f) || f->addr == addr)
		return AGREES;
	if (f->cfg->protocol != CST_PROTO_ETE || f->isa != CST_ISA_A64)
		return CONTRADICTS;
	end = cst_flow_fetch(f, addr - sizeof(op), &in, &op);
	if (end == SPAN_LAZY)
		return AGREES_LAZY;
	return end == SPAN_DONE && in.type == CST_INSN_TSTART ? AGREES : CONTRADICTS;
}

void cst_flow_eret(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	if (f->cfg->protocol != CST_PROTO_ETE)
		return;
	cst_flow_emit(f, out, n, CST_GEN_EXCEPTION_RET);
}

void cst_flow_set_next(const struct cst_flow *f, struct cst_generic *g)
{
	/* after Trace Info, the popped address is the target only if instructions were traced there (K10.5.5.9) */
	if (f->need_addr || f->need_ctx || f->origin == ORIGIN_POPPED)
		return;
	g->addr = f->addr;
	g->flags |= CST_GF_NEXT;
}

static void put_q(struct cst_flow *f, struct cst_generic *g, int known, uint64_t next)
{
	*g = f->path.q;
	/* the span had no branch before its last instruction: the path is certain unless the address contradicts it */
	if (f->path.q_exact && (!known || f->path.q_p0 || next == f->path.q_end)) {
		g->kind = CST_GEN_RANGE;
		g->end = f->path.q_end;
		if ((!known || next == f->path.q_end) && f->path.q_p0 && g->flags & CST_GF_COND)
			g->flags &= ~CST_GF_EXEC;
		f->stats->ranges++;
		f->stats->insns += g->n_insn;
		if (g->flags & CST_GF_EXEC && f->path.q_p0)
			f->stats->branches++;
		return;
	}
	if (f->emit.samples)
		f->emit.samples->period = 0;
	g->kind = CST_GEN_NOPATH;
	g->end = known ? next : 0;
	g->n_insn = f->path.q_count;
	g->section = g->sect_off = 0;
	g->num = g->last_type = g->last_subtype = g->last_size = 0;
	g->flags &= ~(CST_GF_EXEC | CST_GF_COND | CST_GF_LINK | CST_GF_WAYPOINT);
	f->stats->nopath++;
	cst_flow_report(f, CST_FIND_NO_PATH, g->addr);
	f->stats->insns += g->n_insn;
}

static void analyze_context(struct cst_flow *f, const struct cst_element *elem, struct cst_generic *out, size_t *n);

void cst_flow_finish_q(struct cst_flow *f, struct cst_generic *out, size_t *n, int known, uint64_t next)
{
	f->path.q_pending = 0;
	put_q(f, &out[(*n)++], known, next);
	if (f->path.q_context)
		analyze_context(f, &f->path.q_next, out, n);
	f->path.q_context = 0;
}

/* Applies a Target Address element: execution continues at `addr` in sub-ISA `is`. */
static void continue_at(struct cst_flow *f, uint64_t addr, uint8_t is)
{
	/* the current address again: the IT block continues */
	if (f->it && (f->need_addr || f->addr != addr))
		f->it = 0;
	f->is = is;
	f->isa = step_address_isa(f, is);
	f->addr = addr;
	f->need_addr = f->gap = 0;
	f->origin = ORIGIN_TRACED;
	f->ret.pop_pending = 0;
	f->ret.no_push = 0;
	f->cache.blk = 0;
}

static void analyze_context(struct cst_flow *f, const struct cst_element *elem, struct cst_generic *out, size_t *n)
{
	const struct cst_context *c = &elem->ctx;
	struct cst_generic *g;

	f->need_ctx = 0;
	/*
	 * a Context packet "same as last" is emitted only if the last one was cancelled or reset by a synchronisation
	 */
	if (elem->flags & CST_EL_F_SAME && f->emit.tmpl.flags & CST_GF_EL &&
	    f->emit.tmpl.el == c->el && f->emit.tmpl.security == c->security &&
	    f->emit.tmpl.context_id == c->context_id && f->emit.tmpl.vmid == c->vmid &&
	    !(f->emit.tmpl.flags & CST_GF_BITS64) == !c->bits64)
		return;
	cst_flow_set_context(f, c);
	f->emit.tmpl.flags = CST_GF_EL | (c->bits64 ? CST_GF_BITS64 : 0);
	if (f->cfg->profile == CST_PROFILE_M)
		f->isa = CST_ISA_T32;
	else if (c->bits64)
		f->isa = CST_ISA_A64;
	else if (f->isa != CST_ISA_A32 && f->isa != CST_ISA_T32)
		f->isa = f->is ? CST_ISA_T32 : CST_ISA_A32;
	/* otherwise an address or a branch has determined which AArch32 instruction set it is */
	f->cache.blk = 0;
	cst_flow_choose_space(f, c);
	g = cst_flow_emit(f, out, n, CST_GEN_PE_CONTEXT);
	g->index = elem->index;
	if (elem->flags & CST_EL_F_ADDRESS && f->isa != CST_ISA_A64 &&
	    f->cfg->profile != CST_PROFILE_M)
		g->isa = elem->is ? CST_ISA_T32 : CST_ISA_A32;
	g->flags |= (c->flags & CST_CTX_CID ? CST_GF_CID : 0) |
		    (c->flags & CST_CTX_VMID ? CST_GF_VMID : 0);
	cst_flow_stop_at(f, CST_STOP_CONTEXT);
}

/* Makes `s` one span with the one that ends where it begins, of `len` bytes. */
static void join_spans(const struct span *before, uint32_t len, struct span *s)
{
	if (!s->n_insn) {
		*s = *before;
		return;
	}
	s->n_insn += before->n_insn;
	if (s->section != before->section || s->sect_off != before->sect_off + len)
		s->section = s->sect_off = 0;
	else
		s->sect_off = before->sect_off;
}

/*
 * Walks to an exception's return address; with QUIRK_WALKS_TO_EXCEPTION also over P0 instructions without atoms. Returns
 * SPAN_STOPPED if one of these is the last instruction, too.
 */
static enum span_end to_exception(struct cst_flow *f, uint64_t limit, struct span *s)
{
	uint64_t start = f->addr;
	uint8_t it = f->it;
	enum span_end end;
	struct span before;

	end = cst_flow_span(f, SPAN_TO, limit, s);
	if (!quirk(f->cfg, QUIRK_WALKS_TO_EXCEPTION))
		return end == SPAN_DONE && s->b.flags & BLK_P0 ? SPAN_STOPPED : end;
	while (end == SPAN_STOPPED && s->end < limit && s->n_insn < MAX_RANGE_INSNS) {
		before = *s;
		f->addr = s->end;
		f->it = s->it;
		end = cst_flow_span(f, SPAN_TO, limit, s);
		join_spans(&before, (uint32_t)(before.end - start), s);
	}
	f->addr = start;
	f->it = it;
	return end;
}

/*
 * True if `limit` lies inside the last instruction of the span, which was then executed in part: the exception interrupted
 * it (M profile: EPSR.ICI and ECI; Armv8-M ARM B3.23), and it is continued, or executed again, after the return. Only T32
 * instructions have such addresses. A direct branch has no parts.
 */
static int in_part(const struct cst_flow *f, const struct span *s, uint64_t limit)
{
	return f->isa == CST_ISA_T32 && s->n_insn && s->b.last_size == 4 && s->last + 2 == limit &&
	       s->b.type != CST_INSN_BRANCH;
}

/* Makes the last instruction one that did not complete: if it is a P0 instruction, its atom follows the return. */
static void end_in_part(struct span *s)
{
	s->b.type = CST_INSN_OTHER;
	s->b.subtype = CST_INSN_PLAIN;
	s->b.flags &= (uint8_t)~(BLK_P0 | BLK_LINK | BLK_ALWAYS);
	s->b.gflags &= (uint16_t)~(CST_GF_WAYPOINT | CST_GF_LINK);
	s->b.num |= CST_RANGE_PART;
}

/* True if return address `to` is before address `from`, which is not at the top of memory: there it wraps (K10.5.5.6). */
static int is_before(uint64_t to, uint64_t from)
{
	return from != to && from - to <= UINT32_MAX / 2;
}

/* Walks from the current address to the preferred return address, then emits the exception. */
static int analyze_exception(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	struct span *s = &f->work.span;
	enum agreement place;
	struct cst_generic *g;
	enum span_end end;

	/*
	 * A tail-chained exception replaces the return: no instruction of the return's target is executed, and the
	 * trace unit did not use its return stack.
	 */
	if (elem->flags & CST_EL_F_TAIL_CHAIN)
		f->ret.pop_pending = 0;
	if (f->need_addr && !f->need_ctx && f->ret.pop_pending) {
		cst_flow_pop(f);
		/* the instructions between the return and the exception are not traced */
		if (f->need_addr && f->gap == GAP_PENDING && !(elem->flags & CST_EL_F_BR_TARGET))
			emit_unknown(f, out, n);
	}
	/* if the return address wrapped at the top of memory, there is nothing to walk */
	if ((!f->need_addr || (f->gap && quirk(f->cfg, QUIRK_WALKS_TO_EXCEPTION))) && !f->need_ctx && elem->flags & CST_EL_F_ADDRESS &&
	    !(elem->flags & CST_EL_F_TAIL_CHAIN) && f->addr < elem->addr) {
		end = to_exception(f, elem->addr, s);
		if (end == SPAN_LAZY)
			return 1;
		if ((end == SPAN_LOST || end == SPAN_STOPPED) && in_part(f, s, elem->addr)) {
			end_in_part(s);
			end = SPAN_DONE;
		}
		if (end == SPAN_DONE) {
			cst_flow_range(f, out, n, s, 1);
			f->addr = elem->addr;
			f->origin = ORIGIN_NONE;
		} else {
			if (end == SPAN_STOPPED)
				end = SPAN_LOST;	/* a P0 instruction without its atom */
			cst_flow_broken(f, out, n, end, s);
			if (f->stop.stopped)
				return 0;
		}
	} else if (elem->flags & CST_EL_F_ADDRESS && is_before(elem->addr, f->addr)) {
		place = compare_place(f, elem->addr);
		if (place == AGREES_LAZY)
			return 1;
		if (place == CONTRADICTS) {
			cst_flow_conflict(f, out, n, CST_FIND_IMAGE_CONFLICT, f->addr);
			lose_address(f);
		}
	}
	g = cst_flow_emit(f, out, n, CST_GEN_EXCEPTION);
	g->num = elem->num;
	cst_flow_set_next(f, g);
	if (f->cfg->protocol == CST_PROTO_ETMV3) {
		/*
		 * The packet has the handler's address only, so the return address is the current address. In the M
		 * profile there is none if the exception replaces a return.
		 */
		if (!(f->need_addr | f->need_ctx) &&
		    !(f->cfg->profile == CST_PROFILE_M && f->addr >= EXC_RETURN)) {
			g->flags |= CST_GF_RET_ADDR;
			g->end = f->addr;
		}
	} else if (elem->flags & CST_EL_F_TAIL_CHAIN) {
		g->flags |= CST_GF_TAIL_CHAIN;
	} else {
		g->flags |= CST_GF_RET_ADDR;
		g->end = elem->addr;
	}
	if (elem->flags & CST_EL_F_BR_TARGET)
		g->flags |= CST_GF_BR_TARGET;
	f->need_addr = 1;
	f->gap = 0;
	f->ret.pop_pending = 0;
	f->cache.blk = 0;
	cst_flow_stop_at(f, CST_STOP_EXCEPTION);
	return 0;
}

/* Returns as analyze_exception(), and 2 if the element was emitted in part and must be analyzed again. */
static int analyze_source_address(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	enum span_end end = SPAN_DONE;
	struct span *s = &f->work.span;

	if (f->need_addr && !f->need_ctx)
		cst_flow_pop(f);
	if (f->need_addr || f->need_ctx) {
		cst_flow_lost(f, out, n, 1);
		return 0;
	}
	/* ranges are split only if the whole element can be followed */
	if (!f->path.splitting)
		end = cst_flow_span(f, SPAN_THROUGH, f->work.elem.addr, s);
	if (end == SPAN_DONE && f->cfg->split_source) {
		f->path.splitting = 1;
		end = cst_flow_span(f, SPAN_P0, 0, s);
		if (end == SPAN_DONE && s->last < f->work.elem.addr) {
			cst_flow_range(f, out, n, s, 0);
			cst_flow_behind(f, s);
			return 2;
		}
		/* the last instruction need not be a P0 instruction */
		if (end != SPAN_LAZY)
			end = cst_flow_span(f, SPAN_THROUGH, f->work.elem.addr, s);
	}
	if (end == SPAN_LAZY)
		return 1;
	f->path.splitting = 0;
	if (end == SPAN_DONE)
		cst_flow_pass(f, out, n);
	else
		cst_flow_broken(f, out, n, end, s);
	return 0;
}

static int analyze_q(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	enum span_end end = SPAN_LOST;
	struct span *s = &f->work.span;
	struct ids ids;

	f->results.cond_new = 0;
	if (f->need_addr && !f->need_ctx)
		cst_flow_pop(f);
	if (f->need_addr || f->need_ctx) {
		cst_flow_lost(f, out, n, 1);
	} else {
		memset(s, 0, sizeof(*s));
		s->b.isa = f->isa;
		if (elem->flags & CST_EL_F_COUNT && elem->value)
			end = cst_flow_span(f, SPAN_COUNT, elem->value, s);
		if (end == SPAN_LAZY)
			return 1;
		ids = ids_of_kind(f, CST_GEN_RANGE, s->section);
		step_range(&f->path.q, &s->b, 1, f->addr, s->end, s->n_insn, 0, s->sect_off, &ids,
			   elem->index, f->emit.tmpl.flags);
		f->path.q_end = s->end;
		f->path.q_count = elem->flags & CST_EL_F_COUNT ? elem->value : 0;
		f->path.q_exact = end == SPAN_DONE;
		f->path.q_p0 = !!(s->b.flags & BLK_P0);
		f->path.q_pending = 1;
	}
	f->need_addr = 1;
	f->ret.pop_pending = 0;
	f->cache.blk = 0;
	if (elem->flags & CST_EL_F_ADDRESS) {
		if (f->path.q_pending)
			cst_flow_finish_q(f, out, n, 1, elem->addr);
		continue_at(f, elem->addr, elem->is);
	}
	return 0;
}

static void analyze_value(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	struct cst_generic *g;

	switch (elem->kind) {
	case CST_EL_TIMESTAMP:
		g = cst_flow_emit(f, out, n, CST_GEN_TIMESTAMP);
		g->addr = elem->value;
		if (f->cfg->protocol == CST_PROTO_ETMV3 || f->cfg->protocol == CST_PROTO_PTM)
			g->value = elem->addr;
		if (f->cfg->cycle_count && f->cfg->protocol != CST_PROTO_ETMV3 && quirk(f->cfg, QUIRK_CYCLES_KNOWN))
			g->flags |= CST_GF_CC;
		cst_flow_add_cycles(f, g);
		cst_flow_stop_at(f, CST_STOP_TIMESTAMP);
		break;
	case CST_EL_CYCLE_COUNT:
		if (elem->num && f->each.join) {
			cst_flow_wait(f);
			break;
		}
		g = cst_flow_emit(f, out, n, CST_GEN_CYCLE_COUNT);
		g->num = elem->flags & CST_EL_F_GAP ? CST_CYCLES_GAP : 0;
		cst_flow_add_cycles(f, g);
		break;
	case CST_EL_EVENT:
		g = cst_flow_emit(f, out, n, CST_GEN_EVENT);
		g->num = elem->num;
		break;
	case CST_EL_TS_MARKER:
		g = cst_flow_emit(f, out, n, CST_GEN_SYNC_MARKER);
		g->num = elem->num;
		g->addr = elem->value;
		break;
	default:
		g = cst_flow_emit(f, out, n, CST_GEN_INSTRUMENTATION);
		g->addr = elem->value;
		g->el = elem->num;
	}
}

/* Discontinuities: emits the element and resets the state of the flow. */
static void analyze_break(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	struct cst_generic *g;

	cst_flow_report_rest(f);
	switch (elem->kind) {
	case CST_EL_TRACE_ON:
		g = cst_flow_emit(f, out, n, CST_GEN_TRACE_ON);
		cst_flow_set_next(f, g);
		if (elem->flags & CST_EL_F_DOUBTFUL)
			g->flags |= CST_GF_DOUBTFUL;
		cst_flow_add_cycles(f, g);
		cst_flow_stop_at(f, CST_STOP_TRACE_ON);
		break;
	case CST_EL_END:
		g = cst_flow_emit(f, out, n, CST_GEN_EO_TRACE);
		cst_flow_set_next(f, g);
		break;
	default:
		g = cst_flow_emit(f, out, n, CST_GEN_NO_SYNC);
		g->error = elem->value;
		if (f->emit.log)
			cst_log_no_sync(f->emit.log, f->emit.tmpl.trace_id, elem->index, elem->num,
					elem->value);
		if (elem->flags & CST_EL_F_DOUBTFUL)
			g->flags |= CST_GF_DOUBTFUL;
		if (elem->flags & CST_EL_F_CONFIG) {
			/* the opcode of the last branch gives its target, unless an element was dropped */
			if (!(elem->flags & CST_EL_F_DOUBTFUL))
				cst_flow_set_next(f, g);
			f->stop.stopped = CST_STOP_CONFIG;
		}
	}
	g->num = elem->num;
	cst_flow_reset(f);
	/* after a pause late data may still follow; after a loss it may be lost, too */
	if (elem->kind != CST_EL_TRACE_ON || elem->num == CST_ON_OVERFLOW)
		memset(f->each.place, 0, sizeof(f->each.place));
}

static void analyze_transaction(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	struct cst_generic *g = cst_flow_emit(f, out, n, CST_GEN_MEMTRANS);

	g->num = f->work.elem.kind == CST_EL_TRANS_COMMIT ? CST_TRANS_COMMIT : CST_TRANS_FAIL;
	if (f->work.elem.kind == CST_EL_TRANS_START)
		g->num = f->work.elem.num ? CST_TRANS_START : CST_TRANS_INIT;
}

/* Returns as analyze_exception(). */
static int analyze_address(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	const enum agreement place = compare_place(
		f, f->emit.tmpl.flags & CST_GF_BITS64 ? elem->addr : (uint32_t)elem->addr);

	if (place == AGREES_LAZY)
		return 1;
	if (place == CONTRADICTS)
		cst_flow_conflict(f, out, n, CST_FIND_IMAGE_CONFLICT, f->addr);
	/* an address ends the range, but not the count of cycles */
	if (f->each.open_any && f->each.open.n_insn)
		cst_flow_close(f, out, n);
	if (elem->flags & CST_EL_F_SYNC)
		cst_flow_resync(f, out, n);
	else if (elem->flags & CST_EL_F_ISA)
		cst_flow_come_to(f, elem->addr, elem->is);
	else
		continue_at(f, elem->addr, elem->is);
	if (elem->flags & CST_EL_F_LSIP) {
		f->each.transfer = elem->value;
		f->each.transfer_known = 1;
	}
	return 0;
}

static void analyze_trace_info(struct cst_flow *f)
{
	/* K10.5.5.9: the pop precedes the clearing of the stack; an empty stack is not counted as a loss */
	if (f->need_addr && !f->need_ctx && !step_stack_empty(f)) {
		cst_flow_pop(f);
		f->origin = ORIGIN_POPPED;
	}
	step_empty_stack(f);
	f->ret.no_push = 1;
}

/* Elements without program flow. Returns 1 if the element is not complete. */
static int analyze_other(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;

	switch (elem->kind) {
	case CST_EL_TRANS_START:
	case CST_EL_TRANS_COMMIT:
	case CST_EL_TRANS_FAIL:
		analyze_transaction(f, out, n);
		break;
	case CST_EL_TIMESTAMP:
	case CST_EL_CYCLE_COUNT:
	case CST_EL_EVENT:
	case CST_EL_TS_MARKER:
	case CST_EL_INSTRUMENTATION:
		analyze_value(f, out, n);
		break;
	case CST_EL_DATA:
		cst_flow_data(f, cst_flow_emit(f, out, n, CST_GEN_DATA));
		break;
	case CST_EL_COND_INSN:
		cst_flow_cond_insn(f, out, n);
		break;
	case CST_EL_COND_RESULT:
	case CST_EL_COND_FLUSH:
		return cst_flow_cond_result(f, out, n);
	case CST_EL_READY:
		if (!elem->ready)
			break;
		out[*n] = *elem->ready;
		out[*n].trace_id = f->emit.tmpl.trace_id;
		out[(*n)++].index = elem->index;
		break;
	case CST_EL_FINDING:
		if (f->emit.log)
			cst_log_finding(f->emit.log, CST_LOG_ELEMENT, f->emit.tmpl.trace_id,
					elem->index, elem->num, 0);
		break;
	}
	return 0;
}

/* True if an element ends the Q element that waits for its address: that address, or an element in its place. */
static int ends_q(const struct cst_element *elem)
{
	switch (elem->kind) {
	case CST_EL_ADDRESS:
	case CST_EL_EXCEPTION:
	case CST_EL_SOURCE_ADDRESS:
	case CST_EL_Q:
	case CST_EL_TRACE_ON:
	case CST_EL_NO_SYNC:
	case CST_EL_END:
		return 1;
	default:
		return 0;
	}
}

void cst_flow_analyze(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	int again = 0;

	if (f->path.q_pending && ends_q(elem)) {
		cst_flow_finish_q(f, out, n, elem->kind == CST_EL_ADDRESS, elem->addr);
		/* the element itself is handled by the next call: there may be no room for it, or a stop before it */
		return;
	}
	/* elements after which execution need not continue at next_n */
	if (f->check.after_n &&
	    (elem->kind == CST_EL_EXCEPTION || elem->kind == CST_EL_EXC_RETURN ||
	     elem->kind == CST_EL_Q || elem->kind == CST_EL_SOURCE_ADDRESS ||
	     elem->kind == CST_EL_TRANS_START || elem->kind == CST_EL_TRANS_COMMIT ||
	     elem->kind == CST_EL_TRANS_FAIL))
		f->check.after_n = 0;
	switch (elem->kind) {
	case CST_EL_ADDRESS:
		again = analyze_address(f, out, n);
		break;
	case CST_EL_CONTEXT:
		if (elem->flags & CST_EL_F_ISA) {
			cst_flow_state(f, out, n);
		} else if (f->path.q_pending) {
			/* the context is that of the address to come; a second one replaces it: no instruction ran in it */
			f->path.q_next = *elem;
			f->path.q_context = 1;
		} else {
			analyze_context(f, elem, out, n);
		}
		break;
	case CST_EL_BRANCH:
		again = cst_flow_branch(f, out, n);
		break;
	case CST_EL_WAYPOINT:
		again = cst_flow_waypoint(f, out, n);
		break;
	case CST_EL_VECTOR:
		cst_flow_vector(f, out, n);
		break;
	case CST_EL_EXCEPTION:
		again = analyze_exception(f, out, n);
		break;
	case CST_EL_SOURCE_ADDRESS:
		again = analyze_source_address(f, out, n);
		break;
	case CST_EL_Q:
		again = analyze_q(f, out, n);
		break;
	case CST_EL_TRACE_INFO:
		analyze_trace_info(f);
		break;
	case CST_EL_EXC_RETURN:
		cst_flow_emit(f, out, n, CST_GEN_EXCEPTION_RET);
		cst_flow_stop_at(f, CST_STOP_EXCEPTION);
		break;
	case CST_EL_TRACE_ON:
	case CST_EL_NO_SYNC:
	case CST_EL_END:
		analyze_break(f, out, n);
		break;
	default:
		if (analyze_other(f, out, n))
			return;
	}
	if (again == 1)
		f->stop.stopped = CST_STOP_SECTION;
	if (!again)
		f->work.busy = 0;
}
