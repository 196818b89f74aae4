/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - between perf.data, Arm snapshots and trace packages. perf.data is in the middle: whatever
 * comes in is made into records, with private ones (perfdata/records.h) for what perf has none for, and
 * what goes out is made from records.
 */
#ifndef CSTRACE_CONVERT_H
#define CSTRACE_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/copying.h"
#include "images/dso.h"
#include "perfdata/error.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"

struct session;

enum convert_kind {
	CONVERT_PERF,
	CONVERT_PACKAGE,
	CONVERT_SNAPSHOT,
};

/* By what is in the folder; anything else is taken for perf.data. */
enum convert_kind convert_kind_of(const char *path);

/* What an output cannot hold. Told as it is found, once per kind; counted. */
struct convert_losses {
	const char *name;	/* of the output, for messages */
	uint64_t dropped;
};

void convert_dropped(struct convert_losses *l, uint64_t count, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A package or snapshot as records. `own`: with private records, for reading by this program only. The
 * writer is one that was opened; it is started, and finished by the caller. `bundle` (may be NULL) gets the
 * files of the folder that decoding needs. 0, or negative with *err.
 */
int convert_from_package(const char *dir, bool own, struct perf_writer *w, struct dso_bundle *bundle,
			 struct convert_losses *l, struct pd_error *err);
int convert_from_snapshot(const char *dir, bool own, struct perf_writer *w, struct dso_bundle *bundle,
			  struct convert_losses *l, struct pd_error *err);

struct convert_input {
	struct perfdata *pd;
	enum convert_kind kind;
	struct dso_bundle bundle;	/* for the caller to free */
	uint64_t dropped;		/* items without a form in perf.data, each reported on stderr */
};

/*
 * Open an input of any kind. A folder that is a package or a snapshot becomes records in a temporary file
 * without a name. 0, or negative with *err.
 */
int convert_open(struct convert_input *in, const char *path, struct pd_error *err);

struct convert_package_opts {
	const char *output;
	bool images;		/* copy what is executed, and what tells about it, into it */
	struct copy_origin origin;
};

/* `ss` is used to find images and may be NULL without `images`. */
int convert_to_package(struct perfdata *pd, struct session *ss, const struct convert_package_opts *o,
		       struct convert_losses *l, struct pd_error *err);

struct convert_snapshot_opts {
	const char *output;
	int pid;		/* -1: the only one that was traced */
	bool force;		/* also when the snapshot cannot tell everything */
	struct copy_origin origin;
};

int convert_to_snapshot(struct session *ss, const struct convert_snapshot_opts *o,
			struct convert_losses *l, struct pd_error *err);

#endif
