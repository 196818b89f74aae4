/* SPDX-License-Identifier: GPL-2.0-only */
/* kernel.c - symbols and load address of the traced kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/name.h"
#include "machine/images/kernel.h"

void kernel_free(struct kernel_images *k)
{
	patches_free(&k->patches);
	kallsyms_free(k->kallsyms);
	free(k->kallsyms_path);
	free(k->recorded_kallsyms);
	free(k->kcore_path);
	memset(k, 0, sizeof(*k));
}

/* Reads the symbols if they are of the recorded kernel. */
static struct kallsyms *kallsyms_of_file(struct kernel_images *k)
{
	struct kallsyms *ks = kallsyms_open(k->kallsyms_path);
	uint64_t addr;

	if (ks && k->ref_addr && kallsyms_address(ks, k->ref_sym, NULL, &addr) && addr != k->ref_addr) {
		fprintf(message_stream(), "cstrace: %s: %s is at 0x%llx there, the recorded kernel had it at 0x%llx: not used; "
			"give the symbols of the boot that was recorded\n", name_shown(k->kallsyms_path), name_shown(k->ref_sym),
			(unsigned long long)addr, (unsigned long long)k->ref_addr);
		kallsyms_free(ks);
		ks = NULL;
	}
	if (!ks) {
		free(k->kallsyms_path);
		k->kallsyms_path = NULL;
	}
	return ks;
}

struct kallsyms *kernel_kallsyms(struct kernel_images *k)
{
	uint64_t about;

	if (k->kallsyms_tried)
		return k->kallsyms;
	k->kallsyms_tried = true;
	about = message_subject(SUBJECT_KALLSYMS);
	if (k->kallsyms_path)
		k->kallsyms = kallsyms_of_file(k);
	message_subject(about);
	if (!k->kallsyms && k->recorded_kallsyms)
		k->kallsyms = kallsyms_read(k->recorded_kallsyms, k->recorded_kallsyms_len);
	return k->kallsyms;
}

bool kernel_symbol_address(struct kernel_images *k, const char *name, uint64_t *addr)
{
	struct kallsyms *ks = kernel_kallsyms(k);
	uint64_t linked;

	if (ks && kallsyms_address(ks, name, NULL, addr))
		return true;
	if (!k->vmlinux || !dso_symbol_address(k->vmlinux, name, &linked))
		return false;
	*addr = linked + k->delta;
	return true;
}
