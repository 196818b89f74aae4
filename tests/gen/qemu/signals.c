/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c - handlers known from sigaction calls, and interrupted branches. */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "signals.h"

#define MAX_SIGNAL 64
#define MAX_HELD (4u << 20)	/* records; a handler left by longjmp never returns */

struct syscalls {
	int64_t sigaction[3], sigreturn[2], mapping[6];
};

/* 0 fills the unused places: io_setup and restart_syscall, which are neither. */
static const struct syscalls a64_calls = {
	{ 134 }, { 139 }, { 222, 215, 216, 226, 196 },
};
static const struct syscalls arm_calls = {
	{ 174, 67, 48 }, { 173, 119 }, { 192, 90, 91, 163, 125, 305 },
};

#define ARM_SIGNAL 48	/* takes the handler itself */

static const struct syscalls *calls = &a64_calls;
static size_t pointer_size = 8;
static uint64_t guest_base;
static uint64_t handler[MAX_SIGNAL + 1];
static int n_handlers;

static const uint8_t fault_bits[MAX_SIGNAL + 1] = {
	[4] = SIGNAL_FAULT | SIGNAL_TRAP,	/* SIGILL */
	[5] = SIGNAL_FAULT | SIGNAL_TRAP,	/* SIGTRAP */
	[7] = SIGNAL_FAULT,			/* SIGBUS */
	[8] = SIGNAL_FAULT,			/* SIGFPE */
	[11] = SIGNAL_FAULT,			/* SIGSEGV */
};

void signals_init(int a64)
{
	calls = a64 ? &a64_calls : &arm_calls;
	pointer_size = a64 ? 8 : 4;
}

void signals_guest_base(uint64_t base)
{
	guest_base = base;
}

static int listed(const int64_t *list, size_t n, int64_t num)
{
	size_t i;

	for (i = 0; num > 0 && i < n; i++)
		if (list[i] == num)
			return 1;
	return 0;
}

int signals_is_mapping(int64_t num)
{
	return listed(calls->mapping, 6, num);
}

int signals_kind(uint64_t pc)
{
	int i, bits = 0;

	for (i = 1; n_handlers && i <= MAX_SIGNAL; i++)
		if (handler[i] == pc)
			bits |= fault_bits[i] ? fault_bits[i] : SIGNAL_ASYNC;
	return bits;
}

static void set_handler(uint64_t num, uint64_t address)
{
	int i;

	if (num < 1 || num > MAX_SIGNAL)
		return;
	if (pointer_size == 4)
		address &= ~1u;
	handler[num] = address > 1 ? address : 0;	/* SIG_DFL, SIG_IGN */
	for (i = 1, n_handlers = 0; i <= MAX_SIGNAL; i++)
		n_handlers += handler[i] != 0;
}

/* The handler is the first member of struct sigaction on both architectures. */
static int read_handler(uint64_t act, uint64_t *address)
{
	struct iovec here = { address, pointer_size };
	struct iovec guest = { (void *)(uintptr_t)(guest_base + act), pointer_size };

	*address = 0;
	return act && process_vm_readv(getpid(), &here, 1, &guest, 1, 0) == (ssize_t)pointer_size;
}

void signals_syscall(struct signal_stack *s, int64_t num, uint64_t a1, uint64_t a2)
{
	uint64_t address;

	if (listed(calls->sigreturn, 2, num))
		s->returning = 1;
	else if (!listed(calls->sigaction, 3, num))
		return;
	else if (pointer_size == 4 && num == ARM_SIGNAL)
		set_handler(a1, a2);
	else if (read_handler(a2, &address))
		set_handler(a1, address);
}

static void interrupt_before(struct signal_stack *s, struct stretch *out, struct signal_entry *e)
{
	size_t at = e->rec;
	unsigned int i;

	memmove(out->rec + at, out->rec + at + 1, (out->n - at - 1) * sizeof(*out->rec));
	out->n--;
	out->rec[at].pc = e->insn->pc;
	out->rec[at].isa = e->insn->isa;
	e->rec = NO_RECORD;
	for (i = 0; i < s->depth; i++)
		if (s->entry[i].rec != NO_RECORD && s->entry[i].rec > at)
			s->entry[i].rec--;
}

void signals_enter(struct signal_stack *s, struct stretch *out, const struct flow_rec *branch,
		   const struct insn *insn)
{
	size_t rec = branch ? (size_t)(branch - out->rec) : NO_RECORD;

	if (s->depth == SIGNAL_DEPTH) {
		/* Handlers left by longjmp stay behind at the bottom. */
		if (s->entry[0].rec != NO_RECORD) {
			interrupt_before(s, out, &s->entry[0]);
			rec -= rec != NO_RECORD;
		}
		memmove(s->entry, s->entry + 1, sizeof(s->entry) - sizeof(s->entry[0]));
		s->depth--;
	}
	s->entry[s->depth++] = (struct signal_entry){ rec, insn };
}

static void settle(struct signal_stack *s, struct stretch *out, struct signal_entry *e,
		   const struct insn *resumed)
{
	uint64_t pc = resumed->pc;
	struct flow_rec *r = out->rec + e->rec;
	int cond = r->flags & FLOW_COND;
	uint64_t seq = r->pc + r->size;

	if (cond && pc == seq) {
		r->flags &= (uint8_t)~FLOW_TAKEN;
	} else if (r->klass == FLOW_INDIRECT || pc == e->insn->target) {
		r->flags |= FLOW_TAKEN;
	} else {
		interrupt_before(s, out, e);
		return;
	}
	r->next = pc;
	r[1].pc = pc;
	r[1].isa = resumed->isa;
	e->rec = NO_RECORD;
}

int signals_resumed(struct signal_stack *s, struct stretch *out, const struct insn *insn)
{
	int was = s->returning, starts = signals_kind(insn->pc) != 0, held;

	s->returning = 0;
	if (starts && !was)
		signals_enter(s, out, NULL, NULL);
	/* Another handler may start on return from the first: both return to the same place. */
	if (starts || !was || !s->depth)
		return 0;
	held = s->entry[s->depth - 1].rec != NO_RECORD;
	if (held)
		settle(s, out, &s->entry[s->depth - 1], insn);
	s->depth--;
	return held;
}

int signals_hold(struct signal_stack *s, struct stretch *out)
{
	unsigned int i;

	if (out->n > MAX_HELD)
		signals_give_up(s, out);
	for (i = 0; i < s->depth; i++)
		if (s->entry[i].rec != NO_RECORD)
			return 1;
	return 0;
}

void signals_give_up(struct signal_stack *s, struct stretch *out)
{
	unsigned int i;

	for (i = 0; i < s->depth; i++)
		if (s->entry[i].rec != NO_RECORD)
			interrupt_before(s, out, &s->entry[i]);
}
