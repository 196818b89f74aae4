/* SPDX-License-Identifier: GPL-2.0-only */
/* snapshot_maps.h - the memory dumps of a snapshot as maps of a process and of the kernel. */
#ifndef CSTRACE_SESSION_IMPORT_SNAPSHOT_MAPS_H
#define CSTRACE_SESSION_IMPORT_SNAPSHOT_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/files/snapshot.h>

#include "machine/images/dso_table.h"
#include "session/import/drops.h"
#include "session/import/events.h"
#include "session/import/folder.h"

struct snapshot_maps {
	const struct cst_snapshot *ss;
	struct folder *files;
	struct record_maker *maker;
	struct dso_bundle *bundle;	/* gets the files of the dumps; NULL: none */
	struct drops *drops;
	bool high_el;			/* the trace has more than EL0 */
	bool split;			/* the kernel has the upper half of the addresses, programs the lower one */
	uint64_t pages_differ;		/* of program files that were added, from the memory of the snapshot */
};

/* Records for the dumps that the kernel, or the process, sees. */
void snapshot_maps_write(struct snapshot_maps *m, bool kernel, int pid);

#endif
