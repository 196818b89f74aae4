/* SPDX-License-Identifier: GPL-2.0-only */
/* images.h - program images into a package: images/PATH, so that the folder images serves as --symfs. */
#ifndef CSTRACE_CONVERT_IMAGES_H
#define CSTRACE_CONVERT_IMAGES_H

#include <cstrace/doc.h>

#include "convert/convert.h"
#include "convert/outdir.h"

#define IMAGES_DIR	"images"

/*
 * Copy every file whose code the trace runs through; *doc gets a section for each, for contents.ini. The
 * trace is decoded to find out which these are.
 */
int images_copy(struct outdir *out, struct session *ss, struct cst_doc **doc, struct convert_losses *l,
		struct pd_error *err);

#endif
