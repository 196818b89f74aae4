/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "jit_build.h"

void jb_header(struct pdb *b, uint32_t machine, uint32_t pid, uint64_t flags)
{
	pdb_u32(b, 0x4a695444);
	pdb_u32(b, 1);
	pdb_u32(b, 40);
	pdb_u32(b, machine);
	pdb_u32(b, 0x5a5a5a5b);			/* padding */
	pdb_u32(b, pid);
	pdb_u64(b, 0x1122334455667789);		/* time at which the file was made */
	pdb_u64(b, flags);
}

static void prefix(struct pdb *b, uint32_t id, size_t size, uint64_t time)
{
	pdb_u32(b, id);
	pdb_u32(b, (uint32_t)(16 + size));
	pdb_u64(b, time);
}

void jb_load(struct pdb *b, uint64_t time, uint64_t addr, uint64_t index, const char *name, const void *code,
	     size_t size)
{
	prefix(b, 0, 40 + strlen(name) + 1 + size, time);
	pdb_u32(b, 1);
	pdb_u32(b, 1);
	pdb_u64(b, addr);
	pdb_u64(b, addr);
	pdb_u64(b, size);
	pdb_u64(b, index);
	pdb_bytes(b, name, strlen(name) + 1);
	pdb_bytes(b, code, size);
}

void jb_move(struct pdb *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	prefix(b, 1, 48, time);
	pdb_u32(b, 1);
	pdb_u32(b, 1);
	pdb_u64(b, to);
	pdb_u64(b, from);
	pdb_u64(b, to);
	pdb_u64(b, size);
	pdb_u64(b, index);
}

void jb_other(struct pdb *b, uint32_t id, uint64_t time, size_t size)
{
	prefix(b, id, size, time);
	pdb_zero(b, size);
}
