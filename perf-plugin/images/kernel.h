/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - what a kernel's code was made of while it was traced: its image or a copy of its memory, text
 * that was patched, and its symbols.
 */
#ifndef CSTRACE_IMAGES_KERNEL_H
#define CSTRACE_IMAGES_KERNEL_H

#include "images/dso.h"
#include "images/kallsyms.h"
#include "images/patches.h"

struct kernel_images {
	struct patches patches;
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
	struct dso *kcore;	/* copy of kernel memory; NULL: none */
};

void kernel_free(struct kernel_images *k);

/* Symbols of the kernel that was traced; NULL: none. */
struct kallsyms *kernel_kallsyms(struct kernel_images *k);
/* Address of a kernel function, from the symbols or the image. */
bool kernel_symbol_address(struct kernel_images *k, const char *name, uint64_t *addr);
/*
 * kcore.c: the copy of kernel memory and the symbols of this recording: named (dso_search), next to the data in
 * `data_dir` (NULL: the recording is no directory), in a package, or in the build-id cache. After the first pass over
 * the records. 0, or negative.
 */
int kernel_find_kcore(struct kernel_images *k, struct dso_table *t, const char *data_dir);

#endif
