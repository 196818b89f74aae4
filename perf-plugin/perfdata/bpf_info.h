/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf_info.h - the BPF_PROG_INFO feature section: the programs that were loaded, with their machine code. */
#ifndef CSTRACE_PERFDATA_BPF_INFO_H
#define CSTRACE_PERFDATA_BPF_INFO_H

#include "perfdata/bytes.h"

#define PD_BPF_TAG	8u
#define PD_BPF_NAME	16u

/* One function of a program, as the kernel's compiler made it. */
struct pd_bpf_func {
	uint32_t prog_id;
	unsigned int nr;	/* 0: the program itself, else a function that it calls */
	uint64_t addr;
	const uint8_t *code;	/* in the section */
	uint32_t len;
	uint8_t tag[PD_BPF_TAG];
	char name[PD_BPF_NAME + 1];	/* of the program; may be empty */
};

struct pd_bpf_reader {
	struct pd_cursor c;
	uint32_t progs;		/* to come */
	/* The program that is being listed. */
	const uint8_t *info, *data;
	uint32_t info_len, data_len;
	uint64_t arrays;
	uint32_t next_func, nr_funcs;
	uint64_t code_pos;
};

void pd_bpf_start(struct pd_bpf_reader *r, const uint8_t *p, uint64_t len, bool swap);
/* 1: a function; 0: the end; -1: the section is damaged from here on. */
int pd_bpf_next(struct pd_bpf_reader *r, struct pd_bpf_func *f);

#endif
