/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch.h - branches out of generic trace elements.
 *
 * A taken branch is complete when its target is known: the start of the next range, the return address of
 * an exception that was taken right at the target, the address of missing code, or, where a traced
 * stretch ends, what the decoder read from the opcode. Nothing is inferred across a loss. An exception is a
 * branch from the last instruction that was executed to the first one that was traced after it.
 */
#ifndef CSTRACE_SESSION_DECODE_BRANCH_H
#define CSTRACE_SESSION_DECODE_BRANCH_H

#include <cstrace/flow.h>
#include <cstrace/isa.h>

#include "session/decode/stream.h"
#include "session/decode/locate.h"

enum branch_kind {
	BRANCH_NONE,		/* type unknown */
	BRANCH_COND,
	BRANCH_UNCOND,
	BRANCH_IND,
	BRANCH_CALL,
	BRANCH_IND_CALL,
	BRANCH_RET,
	BRANCH_COND_CALL,
	BRANCH_COND_RET,
	BRANCH_ERET,
	BRANCH_SYSRET,		/* exception return to the instruction after an SVC */
	BRANCH_SYSCALL,		/* exception of an SVC */
	BRANCH_IRQ,		/* interrupt, reset, halt: not caused by the instruction */
	BRANCH_SERROR,
	BRANCH_FAULT,		/* abort, trap, HVC, SMC: caused by the instruction */
	BRANCH_BEGIN,		/* 0 => first instruction of a traced stretch */
	BRANCH_END,		/* last instruction of a traced stretch => 0 */
	BRANCH_NR,
};

struct branch {
	uint64_t from, to;	/* 0: outside the trace */
	uint64_t time;		/* time of `from`; of `to` if from is 0 */
	int pid, tid;		/* thread that executed `from` */
	struct host_thread host;	/* struct stream.host of it */
	uint16_t guest;		/* struct stream.guest, and ... */
	uint16_t vm;		/* ... vm, as `el` */
	uint32_t cycles;	/* cycles since the previous branch; 0 unknown */
	uint8_t kind;		/* enum branch_kind */
	uint8_t size;		/* of the instruction at `from` */
	uint8_t isa;		/* of `from` */
	uint8_t to_isa;		/* of `to`, when it was executed */
	uint8_t el;		/* of `from`; of `to` when from is 0 */
	bool ends_trace;	/* `kind` is known, but the stretch ends with the branch and `to` is 0 */
};

/* State after the last element. */
enum branch_open {
	BRANCH_SEQ,		/* execution continues after `last` */
	BRANCH_TAKEN,		/* `last` is a taken branch whose target is not known yet */
	BRANCH_EXCEPTION,	/* an exception was taken after `last` */
	BRANCH_GAP,		/* the instructions before the next range are unknown */
	BRANCH_ENDED,		/* as GAP, at the end of the bytes: a gap only if an element follows */
};

struct branch_state {
	uint64_t last;		/* address of the last instruction executed, 0 none */
	uint64_t time;
	uint64_t resume;	/* return address of an exception; 0 unknown */
	int pid, tid;
	struct host_thread host;
	uint16_t guest, vm;
	uint32_t cycles;	/* since the last completed branch */
	uint8_t open;		/* enum branch_open */
	uint8_t kind;		/* enum branch_kind of the open branch */
	uint8_t size, isa, el;
};

/* Reads code in the address space of the stream's thread: session_read_code(), or a function of a test. */
typedef size_t (*branch_read_fn)(const struct stream *s, uint64_t addr, void *buf, size_t len);

#define BRANCH_INDICES 64	/* number of values of branch_index() */
extern const uint8_t branch_kind_table[BRANCH_INDICES];

static inline void branch_init(struct branch_state *st)
{
	*st = (struct branch_state){ .open = BRANCH_GAP, .pid = -1, .tid = -1, .host = { -1, -1 } };
}

/* True if the stream executes the thread of the last instruction. */
static inline bool branch_same_thread(const struct branch_state *st, const struct stream *s)
{
	return st->tid == s->tid && st->guest == s->guest && st->host.pid == s->host.pid;
}

/* True if the range ends with a taken branch. */
static inline bool branch_taken(const struct cst_generic *g)
{
	const unsigned int want = CST_GF_EXEC | CST_GF_WAYPOINT;

	/* & and not &&, which would be a jump that the processor cannot predict */
	return ((g->flags & want) == want) & cst_insn_is_branch(g->last_type);
}

static inline unsigned int branch_index_of(unsigned int flags, unsigned int type, unsigned int subtype)
{
	unsigned int i = subtype & 7;

	i |= type == CST_INSN_INDIRECT ? 8 : 0;
	_Static_assert(CST_GF_COND << 3 == 16 && CST_GF_LINK << 3 == 32, "bits that only move");
	i |= (flags & (CST_GF_COND | CST_GF_LINK)) << 3;
	return i;
}

static inline unsigned int branch_index(const struct cst_generic *g)
{
	return branch_index_of(g->flags, g->last_type, g->last_subtype);
}

/* As branch_kind_of(), of a branch in a list. */
static inline enum branch_kind branch_kind_listed(const struct cst_branch *b)
{
	return (enum branch_kind)branch_kind_table[branch_index_of(b->flags, b->last_type, b->last_subtype)];
}

static inline enum branch_kind branch_kind_of(const struct cst_generic *g)
{
	return (enum branch_kind)branch_kind_table[branch_index(g)];
}

/* True if the branch at the end of the range is a return: a branch_is_return() of branch_kind_of(), without the table. */
static inline bool branch_returns(const struct cst_generic *g)
{
	return (1u << CST_INSN_RET | 1u << CST_INSN_IMPLIED_RET) >> g->last_subtype & 1;
}

static inline void branch_fill(struct branch *b, struct branch_state *st, uint64_t to)
{
	/* read before the first is written, so that they are copied in few words */
	const int pid = st->pid, tid = st->tid;
	const struct host_thread host = st->host;
	const uint16_t guest = st->guest, vm = st->vm;

	b->from = st->last;
	b->to = to;
	b->time = st->time;
	b->pid = pid;
	b->tid = tid;
	b->host = host;
	b->guest = guest;
	b->vm = vm;
	b->cycles = st->cycles;
	b->kind = st->kind;
	b->size = st->size;
	b->isa = st->isa;
	b->to_isa = st->isa;
	b->el = st->el;
	b->ends_trace = false;
	st->cycles = 0;
}

/* Begins a range. Returns true if that completes a branch. branch_range_end() must follow. */
static inline bool branch_range(struct branch_state *st, const struct stream *s,
				const struct cst_generic *g, struct branch *b)
{
	if (st->open == BRANCH_SEQ)
		return false;
	branch_fill(b, st, g->addr);
	b->to_isa = g->isa;
	if (__builtin_expect(st->open >= BRANCH_GAP, 0)) {
		b->from = 0;
		b->time = s->time;
		b->pid = s->pid;
		b->tid = s->tid;
		b->host = s->host;
		b->isa = g->isa;
		b->el = g->el;
		b->guest = s->guest;
		b->vm = s->vm;
		b->size = 0;
		b->cycles = 0;
		b->kind = BRANCH_BEGIN;
	}
	return true;
}

static inline void branch_range_end(struct branch_state *st, const struct stream *s,
				    const struct cst_generic *g)
{
	const int pid = s->pid, tid = s->tid;
	const struct host_thread host = s->host;
	const uint16_t guest = s->guest, vm = s->vm;

	st->last = g->end - g->last_size;
	st->time = s->time;
	st->pid = pid;
	st->tid = tid;
	st->host = host;
	st->guest = guest;
	st->vm = vm;
	st->size = g->last_size;
	st->isa = g->isa;
	st->el = g->el;
	st->open = BRANCH_SEQ;
	if (branch_taken(g)) {
		st->open = BRANCH_TAKEN;
		st->kind = branch_kind_of(g);
	}
}

/* Handles any element except a range. Returns true if it completes or ends a branch; `to` is 0 if the trace ended. */
bool branch_other(struct branch_state *st, const struct stream *s, const struct cst_generic *g,
		  branch_read_fn read, struct branch *b);

/* Ends the stream. Returns true with the open branch, whose `to` is 0. perf does not list it, counts include it. */
bool branch_finish(struct branch_state *st, struct branch *b);

/*
 * Returns the kind of an exception, BRANCH_SYSCALL to BRANCH_FAULT, by its number. `isa`: of the
 * instruction before it. With `read` NULL each Call of ETMv4 and ETE, which HVC and SMC have too,
 * is an SVC.
 */
enum branch_kind branch_exception_kind(const struct stream *s, const struct cst_generic *g,
				       unsigned int isa, branch_read_fn read);

/* True if the instruction before `addr` is a supervisor call. */
bool branch_after_svc(const struct stream *s, uint64_t addr, unsigned int isa, branch_read_fn read);

/* PERF_BR_* of each kind, for branch stack entries. */
extern const uint8_t branch_perf_types[BRANCH_NR];

static inline unsigned int branch_perf_type(enum branch_kind kind)
{
	return branch_perf_types[kind];
}

/* Return the PERF_IP_FLAG_* that perf script prints, of a branch and of its kind and struct branch.ends_trace. */
unsigned int branch_ip_flags(const struct branch *b);
unsigned int branch_ip_flags_of(enum branch_kind kind, bool ends_trace);

static inline bool branch_is_call(enum branch_kind k)
{
	return k == BRANCH_CALL || k == BRANCH_IND_CALL || k == BRANCH_COND_CALL;
}

static inline bool branch_is_return(enum branch_kind k)
{
	return k == BRANCH_RET || k == BRANCH_COND_RET;
}

/* True for an exception or the edge of a traced stretch, which no branch instruction causes. */
static inline bool branch_is_edge(enum branch_kind k)
{
	return k == BRANCH_NONE || k >= BRANCH_SYSCALL;
}

#endif
