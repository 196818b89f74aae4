/* SPDX-License-Identifier: GPL-2.0-only */
/* bundle.h - the files of a package that its records do not hold: images, kernel memory, jitdump files. */
#ifndef CSTRACE_SESSION_IMPORT_BUNDLE_H
#define CSTRACE_SESSION_IMPORT_BUNDLE_H

#include <cstrace/files/package.h>

#include "machine/images/dso_table.h"
#include "session/import/drops.h"
#include "session/import/folder.h"

/* In contents.ini, [kernel] and [jitdumpN]. */
#define KERNEL_SECTION	"kernel"
#define JITDUMP_SECTION	"jitdump"

/*
 * Adds the paths of the package's files to `bundle`. NULL: reports those that the output, a perf.data file, does
 * not contain.
 */
void bundle_fill(struct dso_bundle *bundle, const struct cst_package *pkg, struct folder *files,
		struct drops *drops);

#endif
