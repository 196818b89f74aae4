/* SPDX-License-Identifier: GPL-2.0-only */
/* copying.c - the rule for which files may be copied. */
#include "outputs/export/copying.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

/* Memory dumps of snapshots are no ELF files, but lie beside the trace. */
static bool lies_in(const char *folder, const char *file)
{
	char *dir = realpath(folder, NULL), *path = realpath(file, NULL);
	size_t n = dir ? strlen(dir) : 0;
	bool in = dir && path && !strncmp(path, dir, n) && (path[n] == '/' || n == 1);

	if (!dir || !path)
		mem_check(errno);
	free(dir);
	free(path);
	return in;
}

static bool is_copy_of_root(const char *symfs)
{
	struct stat here, there;

	return symfs && *symfs && !stat("/", &here) && !stat(symfs, &there) &&
	       (here.st_dev != there.st_dev || here.st_ino != there.st_ino);
}

const char *copy_refused(const struct dso *dso, const struct copy_origin *from)
{
	/* generated code, memory of the kernel: the readers of such files checked them */
	if (dso->kind >= DSO_KCORE || !dso->image.file)
		return NULL;
	if (dso->where.from_input && lies_in(from->input, dso->image.file))
		return NULL;
	if (!dso->image.is_elf && !dso_is_archive(dso) && !is_copy_of_root(from->symfs))
		return "it is not an ELF file, and raw code is only copied from a --symfs other than /";
	if (dso->where.from_host && !from->force &&
	    !(dso->recorded.len && build_id_equal(&dso->recorded, &dso->image.found)))
		return "it is a file of this machine, and no build-id says that it is the recorded one; if the recording "
		       "was made here, say so with --symfs /";
	return NULL;
}
