/* SPDX-License-Identifier: BSD-3-Clause */
/* v7.h - what the models of an ETMv3 and of a PTM say of the trace they made. */
#ifndef CSTRACE_TESTS_GEN_V7_H
#define CSTRACE_TESTS_GEN_V7_H

#include <stdint.h>

struct v7_regs {
	uint32_t cr, ccer, idr, traceidr;
};

/* A place in the bytes, and the number of events that all bytes before it tell of. */
struct v7_mark {
	uint32_t off, events;
};

struct v7_marks {
	struct v7_mark *v;
	uint32_t n, cap;
};

#endif
