/* SPDX-License-Identifier: GPL-2.0-only */
/* kernel.h - sources of the traced kernel's code: its image or a copy of its memory, patched text, and its symbols. */
#ifndef CSTRACE_MACHINE_IMAGES_KERNEL_H
#define CSTRACE_MACHINE_IMAGES_KERNEL_H

#include "machine/images/dso_table.h"
#include "machine/images/kallsyms.h"
#include "machine/images/patches.h"

struct kernel_images {
	struct patches patches;
	struct dso *vmlinux;	/* set when its address is known */
	uint64_t delta;		/* run-time minus link-time address */
	uint64_t ref_addr;	/* recorded address of the symbol ref_sym; 0: none */
	char ref_sym[16];
	char *kallsyms_path;	/* NULL: none, or of another kernel */
	char *recorded_kallsyms; /* their text in the recording; NULL: none */
	size_t recorded_kallsyms_len;
	struct kallsyms *kallsyms; /* read when first needed */
	bool kallsyms_tried;
	bool kcore_of_start;	/* the recorder made the copy before the trace began: code made later is not in it */
	char *kcore_path;
	struct dso *kcore;	/* copy of kernel memory; NULL: none */
};

void kernel_free(struct kernel_images *k);

/* Returns the symbols of the traced kernel, NULL if there are none. */
struct kallsyms *kernel_kallsyms(struct kernel_images *k);
/* Returns the address of a kernel function, from the symbols or the image. */
bool kernel_symbol_address(struct kernel_images *k, const char *name, uint64_t *addr);
/*
 * kcore.c: finds the copy of kernel memory and the symbols of this recording: as named by the user (dso_search), next
 * to the data in `data_dir` (NULL: the recording has no directory), in a package, or in the build-id cache. To be
 * called after the first pass over the records. Returns 0 or negative.
 */
int kernel_find_kcore(struct kernel_images *k, struct dso_table *t, const char *data_dir);

#endif
