/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sw_enc.h - what the encoders of software trace have in common: the bytes, the elements that they are to
 * become, and where synchronisations stand.
 */
#ifndef CSTRACE_TESTS_GEN_SW_ENC_H
#define CSTRACE_TESTS_GEN_SW_ENC_H

#include <cstrace/flow.h>

#include "util.h"

struct sw_sync {
	uint64_t start;		/* STM: nibble, ITM: byte */
	uint64_t least;		/* the same, of the part that is enough to be one */
	uint64_t end;		/* byte after it, and after what makes all state known again */
};

struct sw_trace {
	struct gbuf out;
	struct cst_generic *el;
	size_t n_el, cap_el;
	struct sw_sync *sync;
	size_t n_sync, cap_sync;
};

/* An empty element of the packet at byte `index`. */
struct cst_generic *sw_trace_element(struct sw_trace *t, enum cst_generic_kind kind, uint64_t index);
struct sw_sync *sw_trace_sync(struct sw_trace *t, uint64_t start);
void sw_trace_free(struct sw_trace *t);

#endif
