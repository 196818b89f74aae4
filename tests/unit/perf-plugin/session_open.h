/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SESSION_OPEN_H
#define TESTS_SESSION_OPEN_H

#include "perfdata/reader.h"
#include "session/session.h"
#include "session_build.h"

/* Opens the file of an event and these records, which become empty, and a section (NULL: none). One file at a time. */
static inline struct session *sb_open_of(const struct pdb_attr *attr, struct pdb *data, const struct session_opts *so,
					 const struct pdb_feature *feature)
{
	static struct pdb file;
	struct perfdata *pd;
	struct error err;
	struct session *ss;

	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	pdb_file(&file, attr, 1, 0, data, feature, feature ? 1 : 0);
	pdb_free(data);
	memset(data, 0, sizeof(*data));
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(so, pd);
	assert_non_null(ss);
	return ss;
}

static inline struct session *sb_open(struct pdb *data, const struct session_opts *so, const struct pdb_feature *feature)
{
	return sb_open_of(&sb_attr, data, so, feature);
}

/* The losses of a session as text. */
static inline void sb_losses(const struct session *ss, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	assert_non_null(out);
	session_print_losses(ss, out);
	fclose(out);
}

#endif
