/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - what a kernel's code was made of while it was traced: its image or a copy of its memory, text
 * that was patched, BPF programs and other code made at run time, and its symbols.
 */
#ifndef CSTRACE_SESSION_KERNEL_H
#define CSTRACE_SESSION_KERNEL_H

#include "session/dso.h"
#include "session/kallsyms.h"
#include "session/patches.h"

struct pd_record;
struct session;
struct side_event;

/* A function of a BPF program whose code is in the file. */
struct bpf_code {
	uint64_t addr, len;
	char tag[17];		/* hex digits; part of the symbol's name */
	struct dso *dso;
	bool seen;		/* a KSYMBOL record tells when it was there */
};

struct kernel_images {
	struct patches patches;
	struct bpf_code *bpf;	/* by address */
	size_t nr_bpf, cap_bpf;
	bool bpf_read;
	struct dso *vmlinux;	/* set when its place is known */
	uint64_t delta;		/* where it ran less where it was linked */
	uint64_t ref_addr;	/* recorded address of the symbol ref_sym; 0 none */
	char ref_sym[16];
	char *kallsyms_path;	/* NULL: none, or not of this kernel */
	char *recorded_kallsyms; /* text that the recording has of them; NULL: none */
	size_t recorded_kallsyms_len;
	struct kallsyms *kallsyms; /* read when first needed */
	bool kallsyms_tried;
	char *kcore_path;
};

void kernel_free(struct kernel_images *k);

/* One record as an event: 1, 0 when it says nothing about code, -1 no memory. The same in each pass. */
int kernel_text_poke(struct session *ss, const struct pd_record *rec, struct side_event *e);
int kernel_ksymbol(struct session *ss, const struct pd_record *rec, struct side_event *e);
/* After the first pass over the records. -1: no memory. */
int kernel_finish(struct session *ss);

/* Symbols of the kernel that was traced; NULL: none. */
struct kallsyms *kernel_kallsyms(struct kernel_images *k);
/* Address of a kernel function, from the symbols or the image. */
bool kernel_symbol_address(struct kernel_images *k, const char *name, uint64_t *addr);
/* kcore.c: a copy of kernel memory for this recording: given, next to the data, or in the build-id cache. */
int kernel_find_kcore(struct session *ss);

#endif
