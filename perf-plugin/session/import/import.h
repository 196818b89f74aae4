/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - any input as perf.data: trace packages and Arm snapshots are made into its records, with private ones
 * (perfdata/records.h) for what perf has none for. A session reads nothing else, and export/ makes the other two of it
 * again.
 */
#ifndef CSTRACE_SESSION_IMPORT_IMPORT_H
#define CSTRACE_SESSION_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/buffers/units.h"
#include "machine/images/dso_table.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "session/import/bare.h"
#include "session/import/drops.h"

enum import_kind {
	IMPORT_PERF,
	IMPORT_PACKAGE,
	IMPORT_SNAPSHOT,
};

/* By what is in the folder; anything else is taken for perf.data. */
enum import_kind import_kind_of(const char *path);

/*
 * A package or snapshot as records. `own`: with private records, for reading by this program only. The
 * writer is one that was opened; it is started, and finished by the caller. `bundle` (may be NULL) gets the
 * files of the folder that decoding needs. 0, or negative with *err.
 */
int import_package(const char *dir, bool own, struct perf_writer *w, struct dso_bundle *bundle, struct drops *drops,
		   struct error *err);

struct import_input {
	struct perfdata *pd;
	enum import_kind kind;
	struct dso_bundle bundle;	/* for the caller to free */
	struct unit_configs configs;	/* of the trace units, where the records do not say all; for the caller to free */
	uint64_t dropped;		/* items without a form in perf.data, each reported on stderr */
	uint64_t software;		/* sources of software trace, which perf.data has no form for either */
};

/*
 * As import_package(); `bare` (may be NULL) adds program files, or is all there is (`dir` is then for messages only).
 * `in` gets the bundle and the configurations; NULL: the output is for other programs, too.
 */
int import_snapshot(const char *dir, const struct bare_opts *bare, struct perf_writer *w, struct import_input *in,
		    struct drops *drops, struct error *err);

/* The kind of what `path` and `bare` (may be NULL) describe together. */
enum import_kind import_kind_with(const char *path, const struct bare_opts *bare);

/*
 * Open an input of any kind. A folder that is a package or a snapshot, and what `bare` (may be NULL) describes, becomes
 * records in a temporary file without a name. 0, or negative with *err.
 */
int import_open(struct import_input *in, const char *path, const struct bare_opts *bare, struct error *err);

#endif
