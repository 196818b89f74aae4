/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * learn.h - remembers executed instructions, so that a flow without opcodes can be speculated
 * upon.
 */
#ifndef CSTRACE_TESTS_GEN_LEARN_H
#define CSTRACE_TESTS_GEN_LEARN_H

#include "flow.h"

struct learn;

struct learn *learn_new(void);
void learn_add(struct learn *l, const struct flow_rec *r);
/* the callback tu_sink.insn wants, with ctx = the table */
int learn_insn(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el, struct flow_rec *out);
void learn_free(struct learn *l);

#endif
