/* SPDX-License-Identifier: GPL-2.0-only */
/* paths.c - paths in the root of the recorded machine and in the caches of this one. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "base/format.h"
#include "machine/finder/finder.h"

char *finder_path(const struct finder *f, const char *path)
{
	return f->symfs ? input_in_root(f->symfs, path) : mem_text(path);
}

char *finder_cache_path(const struct finder *f, const struct build_id *id, const char *name)
{
	const char *home = getenv("HOME");
	char text[2 * BUILD_ID_MAX + 1];

	if (!id->len || (!f->buildid_dir && (!home || !*home)))
		return NULL;
	build_id_text(id, text);
	return format_text("%s%s/.build-id/%.2s/%s%s", f->buildid_dir ? f->buildid_dir : home,
			   f->buildid_dir ? "" : "/.debug", text, text + 2, name);
}

/* debuginfod-find(1): the folder that is named, else the old one in the home folder if it is there, else that of XDG. */
static char *debuginfod_folder(unsigned int nth)
{
	static const struct {
		const char *variable, *below;
	} folders[FINDER_DEBUGINFOD_FOLDERS] = {
		{ "DEBUGINFOD_CACHE_PATH", "" },
		{ "HOME", "/.debuginfod_client_cache" },
		{ "XDG_CACHE_HOME", "/debuginfod_client" },
		{ "HOME", "/.cache/debuginfod_client" },
	};
	const char *value = getenv(folders[nth].variable);
	struct stat st;
	char *path;

	path = value && *value ? format_text("%s%s", value, folders[nth].below) : NULL;
	if (path && !stat(path, &st) && S_ISDIR(st.st_mode))
		return path;
	free(path);
	return NULL;
}

char *finder_debuginfod_path(unsigned int nth, const struct build_id *id, const char *name)
{
	char text[2 * BUILD_ID_MAX + 1];
	char *folder, *path;

	folder = id->len && nth < FINDER_DEBUGINFOD_FOLDERS ? debuginfod_folder(nth) : NULL;
	if (!folder)
		return NULL;
	path = format_text("%s/%s/%s", folder, build_id_text(id, text), name);
	free(folder);
	return path;
}
