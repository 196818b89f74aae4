/* SPDX-License-Identifier: GPL-2.0-only */
/* sides.h - inside compare: where instructions come from. */
#ifndef CSTRACE_OUTPUTS_COMPARE_SIDES_H
#define CSTRACE_OUTPUTS_COMPARE_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "outputs/compare/align.h"
#include "outputs/insns/insns.h"
#include "session/decode/stream.h"

/*
 * traced.c: the executed instructions of a stream's batches, with the gaps between them.
 */
struct traced {
	struct insn_it it;
	enum align_gap gap;	/* before the next instruction */
	bool begun;
	struct insns insns;
};

/* Passes each instruction to `put`; 0, or what that returned. */
int traced_batch(struct traced *t, const struct stream *s, const struct cst_generic *g, size_t n,
		 int (*put)(void *data, const struct align_insn *insn), void *data);

/*
 * The other side: of a core, one instruction after the other.
 */
struct other {
	/* As align_ops.next, `data` is the source. */
	int (*next)(void *source, struct align_insn *insn);
	void (*close)(void *source);
	void *source;
};

/*
 * model.c: Tarmac text. It is read once for each core.
 */
struct model;

/* NULL after a message on stderr, which begins with `who`. */
struct model *model_open(const char *who, const char *path);
void model_close(struct model *m);
/* The names of cores that instructions have, in their order; "" of instructions without one. */
size_t model_cores(const struct model *m, const char *const **names);
void model_core(struct model *m, const char *name, struct other *out);
/* Lines that were not understood, and the first one: number, column and what was expected. */
struct model_errors {
	uint64_t count, line;
	uint32_t column;
	const char *reason;
};
const struct model_errors *model_errors(const struct model *m);

/* second.c: facts about the other recording, complete when it was decoded to its end. */
struct second_facts {
	int *cpus;		/* those that executed instructions, each once */
	size_t nr, cap;
	bool incomplete;	/* it has losses, or nothing of it matches the filter */
	bool lossy;		/* the same, and the losses are more than is accepted */
};

/*
 * The other recording, as the side of a CPU (-1: all). 0, or ERR_REPORTED. It is opened once for
 * each CPU; `facts` are set when the side is closed.
 */
int second_core(const struct session_opts *opts, int cpu, struct second_facts *facts, struct other *out);
/* Adds a CPU, unless it is there. */
void second_add_cpu(struct second_facts *facts, int cpu);
bool second_has_cpu(const struct second_facts *facts, int cpu);
/* False, after a message, if the recording cannot be opened several times: it comes through a pipe. */
bool second_is_file(const char *who, const char *input);

#endif
