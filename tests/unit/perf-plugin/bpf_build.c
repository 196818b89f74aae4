/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "bpf_build.h"

#define INFO_SIZE 208u

static void prog(struct pdb *b, const struct bpf_prog *p)
{
	uint32_t code = 0, i;
	uint8_t tag[8];
	char name[16] = "";
	size_t start;

	for (i = 0; i < p->nr_funcs; i++)
		code += p->len[i];
	strncpy(name, p->name, sizeof(name) - 1);
	memset(tag, p->tag, sizeof(tag));
	pdb_u32(b, INFO_SIZE);
	pdb_u32(b, code + p->nr_funcs * 20);
	pdb_u64(b, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 8);
	start = b->len;
	pdb_u32(b, 1);			/* type */
	pdb_u32(b, p->id);
	pdb_bytes(b, tag, 8);
	pdb_u32(b, code);		/* jited_prog_len */
	pdb_u32(b, 0);
	pdb_u64(b, 0);			/* jited_prog_insns: first in the data */
	pdb_zero(b, 64 - (b->len - start));
	pdb_bytes(b, name, 16);
	pdb_zero(b, 104 - (b->len - start));
	pdb_u32(b, p->nr_funcs);	/* nr_jited_ksyms */
	pdb_u32(b, p->nr_funcs);	/* nr_jited_func_lens */
	pdb_u64(b, code);		/* jited_ksyms */
	pdb_u64(b, code + 8 * p->nr_funcs);
	pdb_zero(b, 180 - (b->len - start));
	pdb_u32(b, p->nr_funcs);	/* nr_prog_tags */
	pdb_u64(b, code + 12 * p->nr_funcs);
	pdb_zero(b, INFO_SIZE - (b->len - start));
	for (i = 0; i < p->nr_funcs; i++)
		pdb_bytes(b, p->code[i], p->len[i]);
	for (i = 0; i < p->nr_funcs; i++)
		pdb_u64(b, p->addr[i]);
	for (i = 0; i < p->nr_funcs; i++)
		pdb_u32(b, p->len[i]);
	for (i = 0; i < p->nr_funcs; i++) {
		memset(tag, p->tag + (int)i, sizeof(tag));
		pdb_bytes(b, tag, 8);
	}
}

void bpf_section(struct pdb *b, const struct bpf_prog *progs, unsigned int nr)
{
	unsigned int i;

	pdb_u32(b, nr);
	for (i = 0; i < nr; i++)
		prog(b, &progs[i]);
}
