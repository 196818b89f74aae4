/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch.c - completes branches whose target does not follow from the next range: exceptions, missing code, ends of a
 * stretch.
 */
#include "session/decode/branch.h"
#include "session/decode/stream.h"

/*
 * Index: subtype in bits 2:0, indirect 8, conditional 16, with link 32. A plain BR is an indirect jump (jump table,
 * tail call, PLT stub) and never a return; a subtype RET is a return with or without link.
 */
#define KINDS(dir, ind, ret)							\
	dir, dir, ret, BRANCH_ERET, ret, dir, dir, dir,				\
	ind, ind, ret, BRANCH_ERET, ret, ind, ind, ind

const uint8_t branch_kind_table[64] = {
	KINDS(BRANCH_UNCOND, BRANCH_IND, BRANCH_RET),
	KINDS(BRANCH_COND, BRANCH_IND, BRANCH_COND_RET),
	KINDS(BRANCH_CALL, BRANCH_IND_CALL, BRANCH_RET),
	KINDS(BRANCH_COND_CALL, BRANCH_IND_CALL, BRANCH_COND_RET),
};

#undef KINDS

/* Exception numbers of ETMv4 and ETE, A and R profile. */
enum {
	EXC_PE_RESET = 0,
	EXC_DEBUG_HALT = 1,
	EXC_CALL = 2,
	EXC_SERROR = 4,
	EXC_IRQ = 14,
	EXC_FIQ = 15,
};

/*
 * Exception numbers of ETMv3 and PTM, A and R profile (IHI 0014Q "Exception Information Bytes", IHI 0035B "Branch
 * address").
 */
enum {
	V7_DEBUG_HALT = 1,
	V7_ASYNC_ABORT = 4,
	V7_RESET = 8,
	V7_SVC = 10,
	V7_IRQ = 14,
	V7_FIQ = 15,
};

/* Exception numbers of ETMv4, M profile, of those that are no faults: interrupts are the numbers from EXC_M_PENDSV on, but two. */
enum {
	EXC_M_RESET = 1,
	EXC_M_NMI = 2,
	EXC_M_SVC = 11,
	EXC_M_PENDSV = 14,
	EXC_M_LAZY_FP_PUSH = 0x19,
	EXC_M_LOCKUP = 0x1a,
};

/* The same of ETMv3 (IHI 0014Q, Cortex-M3), where the first are interrupts, and those from V7M_IRQ8 on. */
enum {
	V7M_IRQ0 = 8,
	V7M_NMI = 10,
	V7M_SVC = 11,
	V7M_PENDSV = 14,
	V7M_SYSTICK = 15,
	V7M_RESET = 17,
	V7M_IRQ8 = 24,
};

static bool is_svc(unsigned int isa, const uint8_t *p)
{
	uint32_t word = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			(uint32_t)p[3] << 24;

	switch (isa) {
	case CST_ISA_A64:
		return (word & 0xffe0001f) == 0xd4000001;
	case CST_ISA_A32:
		return (word & 0x0f000000) == 0x0f000000 && word >> 28 != 0xf;
	default:
		/* T32 and T32EE: the last two bytes are a 16-bit instruction */
		return p[3] == 0xdf;
	}
}

bool branch_after_svc(const struct stream *s, uint64_t addr, unsigned int isa, branch_read_fn read)
{
	unsigned int size = isa == CST_ISA_A64 || isa == CST_ISA_A32 ? 4 : 2;
	uint8_t buf[4] = { 0 };

	if (addr < size || read(s, addr - size, buf + 4 - size, size) != size)
		return false;
	return is_svc(isa, buf);
}

/* Kinds of exceptions by number; 0: another one. */
static const uint8_t v8_kinds[16] = {
	[EXC_PE_RESET] = BRANCH_IRQ, [EXC_DEBUG_HALT] = BRANCH_IRQ, [EXC_SERROR] = BRANCH_SERROR,
	[EXC_IRQ] = BRANCH_IRQ, [EXC_FIQ] = BRANCH_IRQ,
};

static const uint8_t v7_kinds[16] = {
	[V7_SVC] = BRANCH_SYSCALL, [V7_ASYNC_ABORT] = BRANCH_SERROR, [V7_DEBUG_HALT] = BRANCH_IRQ,
	[V7_RESET] = BRANCH_IRQ, [V7_IRQ] = BRANCH_IRQ, [V7_FIQ] = BRANCH_IRQ,
};

static const uint8_t m_kinds[32] = {
	[EXC_M_SVC] = BRANCH_SYSCALL, [EXC_M_RESET] = BRANCH_IRQ, [EXC_M_NMI] = BRANCH_IRQ,
	[EXC_M_LAZY_FP_PUSH] = BRANCH_FAULT, [EXC_M_LOCKUP] = BRANCH_FAULT,
};

static const uint8_t v7m_kinds[32] = {
	[V7M_SVC] = BRANCH_SYSCALL, [V7M_NMI] = BRANCH_IRQ, [V7M_PENDSV] = BRANCH_IRQ,
	[V7M_SYSTICK] = BRANCH_IRQ, [V7M_RESET] = BRANCH_IRQ,
};

static enum branch_kind kind_in(const uint8_t *kinds, size_t n, unsigned int num,
				bool others_are_irqs)
{
	if (num < n && kinds[num])
		return (enum branch_kind)kinds[num];
	return others_are_irqs ? BRANCH_IRQ : BRANCH_FAULT;
}

enum branch_kind branch_exception_kind(const struct stream *s, const struct cst_generic *g,
				       unsigned int isa, branch_read_fn read)
{
	const bool v7 = s->config->protocol == CST_PROTO_ETMV3 || s->config->protocol == CST_PROTO_PTM;
	const unsigned int num = g->num;

	if (s->config->profile == CST_PROFILE_M)
		return v7 ? kind_in(v7m_kinds, sizeof(v7m_kinds), num,
				    num <= V7M_IRQ0 || num >= V7M_IRQ8) :
			    kind_in(m_kinds, sizeof(m_kinds), num, num >= EXC_M_PENDSV);
	if (v7)
		return kind_in(v7_kinds, sizeof(v7_kinds), num, false);
	if (num == EXC_CALL && g->flags & CST_GF_RET_ADDR &&
	    (!read || branch_after_svc(s, g->end, isa, read)))
		return BRANCH_SYSCALL;
	return kind_in(v8_kinds, sizeof(v8_kinds), num, false);
}

/* Where execution continues: if the return address lies inside the last instruction, that one is executed again. */
static uint64_t resumes_at(const struct branch_state *st, uint64_t ret)
{
	return st->open == BRANCH_SEQ && ret - st->last < st->size ? st->last : ret;
}

static bool exception(struct branch_state *st, const struct stream *s, const struct cst_generic *g,
		      branch_read_fn read, struct branch *b)
{
	bool complete = false;

	st->resume = g->flags & CST_GF_RET_ADDR ? resumes_at(st, g->end) : 0;
	if (st->open == BRANCH_TAKEN && g->flags & CST_GF_RET_ADDR) {
		branch_fill(b, st, g->end);
		complete = true;
	}
	/* an exception without an instruction before it begins the stretch */
	if (st->open >= BRANCH_GAP)
		return false;
	st->kind = branch_exception_kind(s, g, st->isa, read);
	st->open = BRANCH_EXCEPTION;
	return complete;
}

/* Ends the traced stretch. `to`: target of the last branch if it is known, else 0. */
static bool end_stretch(struct branch_state *st, struct branch *b, uint64_t to, bool doubtful)
{
	bool complete = st->open != BRANCH_GAP && st->last;

	if (st->open == BRANCH_SEQ || doubtful)
		st->kind = BRANCH_END;
	if (st->open == BRANCH_SEQ || st->open == BRANCH_ENDED)
		to = 0;
	if (complete) {
		branch_fill(b, st, to);
		b->ends_trace = !b->to;
	}
	st->open = BRANCH_GAP;
	st->last = 0;
	st->cycles = 0;
	return complete;
}

bool branch_finish(struct branch_state *st, struct branch *b)
{
	return end_stretch(st, b, 0, false);
}

bool branch_other(struct branch_state *st, const struct stream *s, const struct cst_generic *g,
		  branch_read_fn read, struct branch *b)
{
	bool complete;
	uint64_t to = 0;

	switch (g->kind) {
	case CST_GEN_CYCLE_COUNT:
		/* at the begin of a fragment they are not of the branch at the end of the one before */
		if (g->flags & CST_GF_CC && st->open != BRANCH_ENDED)
			st->cycles += g->cc;
		return false;
	case CST_GEN_EXCEPTION:
		return exception(st, s, g, read, b);
	case CST_GEN_TRACE_ON:
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		/*
		 * only a branch instruction has a target in its opcode; the first instruction of a handler must be
		 * traced
		 */
		if (g->flags & CST_GF_NEXT && !(g->flags & CST_GF_DOUBTFUL) && st->open == BRANCH_TAKEN)
			to = g->addr;
		/* bytes may be missing up to the next range */
		if (g->kind != CST_GEN_TRACE_ON)
			st->resume = 0;
		if (g->kind == CST_GEN_EO_TRACE && !to && st->open < BRANCH_GAP) {
			if (g->flags & CST_GF_DOUBTFUL || st->open == BRANCH_SEQ)
				st->kind = BRANCH_END;
			st->open = BRANCH_ENDED;
			return false;
		}
		return end_stretch(st, b, to, g->flags & CST_GF_DOUBTFUL);
	case CST_GEN_NACC:
	case CST_GEN_NOPATH:
		st->resume = 0;
		if (st->open < BRANCH_GAP || g->kind == CST_GEN_NACC)
			return end_stretch(st, b, g->addr, false);
		complete = branch_range(st, s, g, b);
		st->last = 0;
		st->open = BRANCH_GAP;
		return complete;
	case CST_GEN_ADDR_UNKNOWN:
		st->resume = 0;
		return end_stretch(st, b, 0, false);
	}
	return false;
}

/* Bits of perf's sample flags, which no installed header defines. */
enum {
	IP_BRANCH = 1 << 0,
	IP_CALL = 1 << 1,
	IP_RETURN = 1 << 2,
	IP_COND = 1 << 3,
	IP_SYSCALLRET = 1 << 4,
	IP_ASYNC = 1 << 5,
	IP_INTERRUPT = 1 << 6,
	IP_TRACE_BEGIN = 1 << 8,
	IP_TRACE_END = 1 << 9,
};

const uint8_t branch_perf_types[BRANCH_NR] = {
	[BRANCH_COND] = 1,
	[BRANCH_UNCOND] = 2,
	[BRANCH_IND] = 3,
	[BRANCH_CALL] = 4,
	[BRANCH_IND_CALL] = 5,
	[BRANCH_RET] = 6,
	[BRANCH_SYSCALL] = 7,
	[BRANCH_SYSRET] = 8,
	[BRANCH_COND_CALL] = 9,
	[BRANCH_COND_RET] = 10,
	[BRANCH_ERET] = 11,
	[BRANCH_IRQ] = 12,
	[BRANCH_SERROR] = 13,
};

static const uint16_t ip_flags[BRANCH_NR] = {
	[BRANCH_NONE] = IP_BRANCH,
	[BRANCH_COND] = IP_BRANCH | IP_COND,
	[BRANCH_UNCOND] = IP_BRANCH,
	[BRANCH_IND] = IP_BRANCH,
	[BRANCH_CALL] = IP_BRANCH | IP_CALL,
	[BRANCH_IND_CALL] = IP_BRANCH | IP_CALL,
	[BRANCH_RET] = IP_BRANCH | IP_RETURN,
	[BRANCH_COND_CALL] = IP_BRANCH | IP_CALL,
	[BRANCH_COND_RET] = IP_BRANCH | IP_RETURN,
	[BRANCH_ERET] = IP_BRANCH | IP_RETURN | IP_INTERRUPT,
	[BRANCH_SYSRET] = IP_BRANCH | IP_RETURN | IP_SYSCALLRET,
	[BRANCH_SYSCALL] = IP_BRANCH | IP_CALL | IP_SYSCALLRET,
	[BRANCH_IRQ] = IP_BRANCH | IP_CALL | IP_ASYNC | IP_INTERRUPT,
	[BRANCH_SERROR] = IP_BRANCH | IP_CALL | IP_ASYNC | IP_INTERRUPT,
	[BRANCH_FAULT] = IP_BRANCH | IP_CALL | IP_INTERRUPT,
	[BRANCH_BEGIN] = IP_BRANCH | IP_TRACE_BEGIN,
	[BRANCH_END] = IP_BRANCH | IP_TRACE_END,
};

unsigned int branch_ip_flags_of(enum branch_kind kind, bool ends_trace)
{
	return ends_trace ? ip_flags[kind] | IP_TRACE_END : ip_flags[kind];
}

unsigned int branch_ip_flags(const struct branch *b)
{
	return branch_ip_flags_of((enum branch_kind)b->kind, b->ends_trace);
}
