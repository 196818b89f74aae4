/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module.h - kernel modules: their files are not linked, so the code that ran is made of them as the kernel's
 * loader does it: sections get places, and branches get their targets.
 */
#ifndef CSTRACE_IMAGES_MODULE_H
#define CSTRACE_IMAGES_MODULE_H

#include "images/dso.h"

struct kernel_images;

/*
 * `d` holds a module's file, which is writable and private; d->ref_addr is where the module was loaded. Its
 * segments become those that ran, as far as that can be known; enum dso_trouble.
 */
int module_link(struct dso *d, struct kernel_images *k);
/* "/lib/modules/6.1/kernel/net/a-b.ko.xz" and "[a_b]" are the module a_b. */
void module_name(const char *path, char *name, size_t size);

#endif
