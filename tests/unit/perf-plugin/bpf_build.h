/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_BPF_BUILD_H
#define TESTS_BPF_BUILD_H

/* The BPF_PROG_INFO section, from its description. */
#include "perfdata_build.h"

struct bpf_prog {
	uint32_t id;
	const char *name;
	uint8_t tag;		/* eight times this byte; functions count on from it */
	unsigned int nr_funcs;	/* at most 4 */
	uint64_t addr[4];
	const void *code[4];
	uint32_t len[4];
};

void bpf_section(struct pdb *b, const struct bpf_prog *progs, unsigned int nr);

#endif
