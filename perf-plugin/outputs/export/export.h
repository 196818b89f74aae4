/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export.h - a recording in another form: a trace package, which keeps everything, or an Arm snapshot, which holds one
 * process and one image. (perf.data is made by import/.)
 */
#ifndef CSTRACE_OUTPUTS_EXPORT_EXPORT_H
#define CSTRACE_OUTPUTS_EXPORT_EXPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "outputs/export/copying.h"
#include "session/import/drops.h"

struct perfdata;
struct session;

struct export_package_opts {
	const char *output;
	bool images;		/* copy the files whose code ran, kernel memory and jitdump files into it */
	struct copy_origin origin;
};

/* `ss` is used to find images and may be NULL without `images`. */
int export_package(struct perfdata *pd, struct session *ss, const struct export_package_opts *o, struct drops *drops,
		   struct error *err);

struct export_snapshot_opts {
	const char *output;
	int pid;		/* -1: the only one that was traced */
	bool force;		/* also when the snapshot cannot hold everything */
	struct copy_origin origin;
};

int export_snapshot(struct session *ss, const struct export_snapshot_opts *o, struct drops *drops,
		    struct error *err);

#endif
