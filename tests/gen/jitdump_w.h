/* SPDX-License-Identifier: BSD-3-Clause */
/* jitdump_w.h - writes the file in which a JIT compiler says what it made, for perf. */
#ifndef CSTRACE_TESTS_GEN_JITDUMP_W_H
#define CSTRACE_TESTS_GEN_JITDUMP_W_H

#include "util.h"

struct jitdump_at {
	uint32_t pid, tid;
	uint64_t time;
	uint64_t index;		/* of the method; a move names the one it moves */
};

void jitdump_begin(struct gbuf *out, uint32_t pid, uint64_t time);
void jitdump_load(struct gbuf *out, const struct jitdump_at *at, uint64_t addr, const char *name,
		  const uint8_t *code, size_t len);
void jitdump_move(struct gbuf *out, const struct jitdump_at *at, uint64_t from, uint64_t to, size_t len);
void jitdump_close(struct gbuf *out, uint64_t time);

#endif
