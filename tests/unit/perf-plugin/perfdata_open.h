/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PERFDATA_OPEN_H
#define TESTS_PERFDATA_OPEN_H

#include <string.h>

#include "perfdata/reader.h"
#include "perfdata_build.h"

/* Opens a file "mem" of these. The records become empty; the file is there until the next call. */
static inline struct perfdata *pdb_open(const struct pdb_attr *attrs, unsigned int nr,
					struct pdb *data, const struct pdb_feature *feat,
					unsigned int nr_feat)
{
	static struct pdb file;
	struct perfdata *pd;
	struct error err;

	pdb_free(&file);
	file.swap = data->swap;
	pdb_file(&file, attrs, nr, 0, data, feat, nr_feat);
	pdb_free(data);
	pd = perfdata_open_memory(file.p, file.len, "mem", &err);
	if (!pd)
		fail_msg("%s", err.msg);
	return pd;
}

#endif
