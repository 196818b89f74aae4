/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module.h - kernel modules. Their files are not linked, so they are linked here as the kernel's loader does it:
 * sections get addresses, and branches get targets.
 */
#ifndef CSTRACE_MACHINE_IMAGES_MODULE_H
#define CSTRACE_MACHINE_IMAGES_MODULE_H

#include "machine/images/dso.h"

struct kernel_images;

/*
 * Links the module file in `d`, which is a private writable mapping; d->ref_addr is the address of the module. Sets the
 * segments whose addresses can be determined. Returns enum dso_trouble.
 */
int module_link(struct dso *d, struct kernel_images *k);
/* Extracts a module's name: "/lib/modules/6.1/kernel/net/a-b.ko.xz" and "[a_b]" are both a_b. */
void module_name(const char *path, char *name, size_t size);

#endif
