/* SPDX-License-Identifier: BSD-3-Clause */
#include "jitdump_w.h"

#include <elf.h>
#include <string.h>

enum { LOAD, MOVE, DEBUG_INFO, CLOSE };

#define MAGIC 0x4a695444u	/* JiTD */
#define ARCH_TIMESTAMP 1u	/* times are ticks of the counter */

void jitdump_begin(struct gbuf *out, uint32_t pid, uint64_t time)
{
	gbuf_u32(out, MAGIC);
	gbuf_u32(out, 1);
	gbuf_u32(out, 40);
	gbuf_u32(out, EM_AARCH64);
	gbuf_u32(out, 0);
	gbuf_u32(out, pid);
	gbuf_u64(out, time);
	gbuf_u64(out, ARCH_TIMESTAMP);
}

static void record(struct gbuf *out, uint32_t id, size_t size, uint64_t time)
{
	gbuf_u32(out, id);
	gbuf_u32(out, (uint32_t)(16 + size));
	gbuf_u64(out, time);
}

void jitdump_load(struct gbuf *out, const struct jitdump_at *at, uint64_t addr, const char *name,
		  const uint8_t *code, size_t len)
{
	size_t n = strlen(name) + 1;

	record(out, LOAD, 40 + n + len, at->time);
	gbuf_u32(out, at->pid);
	gbuf_u32(out, at->tid);
	gbuf_u64(out, addr);
	gbuf_u64(out, addr);
	gbuf_u64(out, len);
	gbuf_u64(out, at->index);
	gbuf_put(out, name, n);
	gbuf_put(out, code, len);
}

void jitdump_move(struct gbuf *out, const struct jitdump_at *at, uint64_t from, uint64_t to, size_t len)
{
	record(out, MOVE, 48, at->time);
	gbuf_u32(out, at->pid);
	gbuf_u32(out, at->tid);
	gbuf_u64(out, to);
	gbuf_u64(out, from);
	gbuf_u64(out, to);
	gbuf_u64(out, len);
	gbuf_u64(out, at->index);
}

void jitdump_close(struct gbuf *out, uint64_t time)
{
	record(out, CLOSE, 0, time);
}
