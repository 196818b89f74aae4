/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signals.h - recognises signal delivery, which the plugin interface does not report.
 *
 * Handlers are learnt from the sigaction calls. A branch right before a signal from outside has a
 * successor that nobody executes yet: it is filled in when the handler returns to it, and until
 * then the records from the branch on are held back.
 */
#ifndef CSTRACE_TESTS_QEMU_SIGNALS_H
#define CSTRACE_TESTS_QEMU_SIGNALS_H

#include <stdint.h>

#include "classify.h"
#include "out.h"

#define SIGNAL_DEPTH 64

enum {
	SIGNAL_ASYNC = 1,	/* handles a signal that others send */
	SIGNAL_FAULT = 2,	/* handles a signal that an instruction causes */
	SIGNAL_TRAP = 4,	/* ... SIGILL, SIGTRAP */
};

#define NO_RECORD ((size_t)-1)

struct signal_entry {
	size_t rec;		/* index of the branch whose successor is unknown, or NO_RECORD */
	const struct insn *insn;
};

struct signal_stack {
	struct signal_entry entry[SIGNAL_DEPTH];
	unsigned int depth;
	int returning;		/* between sigreturn and the next instruction */
};

void signals_init(int a64);
void signals_guest_base(uint64_t base);

/* SIGNAL_ bits of the handler at @pc, 0 when there is none. */
int signals_kind(uint64_t pc);

int signals_is_mapping(int64_t num);	/* a system call that changes the mappings */
void signals_syscall(struct signal_stack *s, int64_t num, uint64_t a1, uint64_t a2);

/*
 * A handler starts. @branch: the newest record of @out, made from @insn, when its successor is
 * unknown, else NULL.
 */
void signals_enter(struct signal_stack *s, struct stretch *out, const struct flow_rec *branch,
		   const struct insn *insn);

/*
 * @insn is the first instruction after a stay in the kernel: the start of a handler, the place a
 * handler returns to, or neither. 1 when this settled an interrupted branch.
 */
int signals_resumed(struct signal_stack *s, struct stretch *out, const struct insn *insn);

/* Whether records must be kept back; gives up when they are too many. */
int signals_hold(struct signal_stack *s, struct stretch *out);

/* Branches that never got a successor: the interrupt came before them. */
void signals_give_up(struct signal_stack *s, struct stretch *out);

#endif
