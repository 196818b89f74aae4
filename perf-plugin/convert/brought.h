/* SPDX-License-Identifier: GPL-2.0-only */
/* brought.h - the files of a package that its records do not hold: images, kernel memory, jitdump files. */
#ifndef CSTRACE_CONVERT_BROUGHT_H
#define CSTRACE_CONVERT_BROUGHT_H

#include <cstrace/package.h>

#include "convert/convert.h"
#include "convert/folder.h"

/* In contents.ini, [kernel] and [jitdumpN]. */
#define KERNEL_SECTION	"kernel"
#define JITDUMP_SECTION	"jitdump"

/*
 * Where they are, for a session; without `brought` what of it perf.data leaves behind is told. 0, or -1: not
 * enough memory.
 */
int brought_place(struct dso_brought *brought, const struct cst_package *pkg, struct folder *files,
		  struct convert_losses *l);

#endif
