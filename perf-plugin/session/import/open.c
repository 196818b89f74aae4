/* SPDX-License-Identifier: GPL-2.0-only */
/* open.c - an input of any kind as perf.data. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files/guard.h"
#include "base/format.h"
#include "perfdata/source.h"
#include "session/import/import.h"

static bool has(const char *dir, const char *name)
{
	char *path;
	bool there;

	path = format_text("%s/%s", dir, name);
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

enum import_kind import_kind_of(const char *path)
{
	if (!pd_source_is_dir(path))
		return IMPORT_PERF;
	/* some snapshots come with a list of their contents, too */
	if (has(path, "snapshot.ini"))
		return IMPORT_SNAPSHOT;
	return has(path, "contents.ini") ? IMPORT_PACKAGE : IMPORT_PERF;
}

enum import_kind import_kind_with(const char *path, const struct bare_opts *bare)
{
	return bare && bare->nr_traces ? IMPORT_SNAPSHOT : import_kind_of(path);
}

int import_open(struct import_input *in, const char *path, const struct bare_opts *bare, struct error *err)
{
	enum import_kind kind = import_kind_with(path, bare);
	struct drops drops = { .name = path, .who = "cstrace" };
	struct perf_writer *w;
	int fd, rc;

	memset(in, 0, sizeof(*in));
	in->kind = kind;
	if (bare && bare->nr_programs && kind != IMPORT_SNAPSHOT)
		return error_set(err, ERR_FORMAT, "--elf %s: found %s, a recording that names its own programs, expected "
				 "--trace or the folder of a snapshot; --symfs says where the programs are",
				 bare->programs[0], path);
	if (kind == IMPORT_PERF) {
		in->pd = perfdata_open(path, err);
		return in->pd ? 0 : err->code;
	}
	fd = guard_temp(NULL);
	if (fd < 0)
		return error_set(err, ERR_IO, "%s: cannot create a temporary file for its records: %s; set "
				 "TMPDIR to a writable directory", path, strerror(errno));
	w = pw_open_fd(fd, path, err);
	rc = w ? 0 : err->code;
	if (w) {
		rc = kind == IMPORT_PACKAGE ? import_package(path, true, w, &in->bundle, &drops, err) :
					       import_snapshot(path, bare, w, in, &drops, err);
		if (rc)
			pw_abort(w);
		else
			rc = pw_finish(w, err);
	}
	if (!rc) {
		in->pd = perfdata_open_fd(fd, path, err);
		rc = in->pd ? 0 : err->code;
	}
	close(fd);
	in->dropped = drops.count;
	if (rc) {
		dso_bundle_free(&in->bundle);
		free(in->configs.v);
		in->configs = (struct unit_configs){ .v = NULL };
	}
	return rc;
}
