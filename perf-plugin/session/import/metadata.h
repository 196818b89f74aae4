/* SPDX-License-Identifier: GPL-2.0-only */
/* metadata.h - AUXTRACE_INFO as trace metadata of a package (trace.ini), and back. */
#ifndef CSTRACE_SESSION_IMPORT_METADATA_H
#define CSTRACE_SESSION_IMPORT_METADATA_H

#include <cstrace/files/package.h>

#include "perfdata/auxinfo.h"
#include "perfdata/writer.h"
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
/* Writes it. Returns 0, or negative with *err: it does not fit; `dir` is the input's name. */
int metadata_put(const struct auxinfo *info, uint32_t version, struct perf_writer *w,
		 const char *dir, struct error *err);
/* Sets the registers of an ETMv4 or ETE; `auth` is TRCAUTHSTATUS. */
void metadata_set_etmv4(struct aux_cpu *a, const struct cst_etmv4_regs *r, bool ete, uint64_t auth);

#endif
