/* SPDX-License-Identifier: GPL-2.0-only */
/* metadata.h - AUXTRACE_INFO as trace metadata of a package (trace.ini), and back. */
#ifndef CSTRACE_SESSION_IMPORT_METADATA_H
#define CSTRACE_SESSION_IMPORT_METADATA_H

#include <cstrace/files/package.h>

#include "perfdata/auxinfo.h"
#include "session/import/sources.h"

/*
 * A section per trace unit into `doc`; its name into `names`. [trace_N] when the ID is known and no other
 * unit has it, else [source_NAME]. 0, or ERR_x.
 */
int metadata_write(struct cst_doc *doc, struct source_names *names, const struct auxinfo *info);

/*
 * The units of a package's metadata, each CPU once, in the order of their sections. A source without cpu=
 * gets the next free number. 0, or negative with *err. `ticks`: times are those of the virtual counter.
 */
int metadata_read(struct auxinfo *info, struct source_names *names, const struct cst_package *pkg, bool ticks,
		  const char *dir, struct error *err);

/*
 * AUXTRACE_INFO of these units, as version 1. Returns its size, at most `cap`; 0 when it does not fit.
 */
size_t metadata_record(const struct auxinfo *info, uint32_t version, void *out, size_t cap);

#endif
