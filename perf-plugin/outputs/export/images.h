/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * images.h - program images and jitdump files into a package: images/PATH, so that the folder images serves as
 * --symfs; and kernel memory and symbols: kcore_dir, so that it serves as --kcore.
 */
#ifndef CSTRACE_OUTPUTS_EXPORT_IMAGES_H
#define CSTRACE_OUTPUTS_EXPORT_IMAGES_H

#include <cstrace/files/doc.h>

#include "base/error.h"
#include "base/files/outdir.h"
#include "outputs/export/copying.h"
#include "session/import/drops.h"

struct session;

#define IMAGES_DIR	"images"
#define KCORE_DIR	"kcore_dir"

/*
 * Copy every file whose code the trace runs through, and all that is there of the kernel's memory and of
 * generated code; *doc gets a section for each, for contents.ini. The
 * trace is decoded to find out which these are. What copying.h refuses is not copied but reported as dropped.
 */
int images_copy(struct outdir *out, struct session *ss, const struct copy_origin *origin, struct cst_doc **doc,
		struct drops *drops, struct error *err);
/* Only kernel memory that is part of the recording: of a directory of perf.data. */
int images_copy_recorded(struct outdir *out, const char *dir, struct cst_doc **doc, struct drops *drops,
			 struct error *err);

#endif
