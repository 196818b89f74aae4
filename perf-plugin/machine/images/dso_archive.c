/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dso_archive.c - libraries that programs run from inside of an archive (an APK). simpleperf
 * records such a map by the name of the member, perf by that of the archive and the offset in it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/files/archive.h"
#include "base/format.h"
#include "machine/images/dso_table.h"

static const struct build_id none = { .len = 0 };

bool dso_is_archive(const struct dso *dso)
{
	static const uint8_t begin[] = { 'P', 'K', 3, 4 };

	return dso->kind == DSO_FILE && dso->state == DSO_LOADED &&
	       dso->image.size >= sizeof(begin) && !memcmp(dso->image.data, begin, sizeof(begin));
}

/* Only these are opened while records are read; what they are is decided by what they hold. */
static bool may_be_archive(const char *path)
{
	static const char *const ends[] = { ".apk", ".zip", ".jar" };
	size_t i, n = strlen(path);

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (n > 4 && !strcmp(path + n - 4, ends[i]))
			return true;
	return false;
}

/* The archive of a member, which records may not name. */
static void set_archive(struct dso_table *t, struct dso *d)
{
	const char *separator = archive_separator(d->path);
	char *path;

	if (!separator || d->zip.archive)
		return;
	path = mem_text_part(d->path, (size_t)(separator - d->path));
	d->zip.archive = dso_table_get(t, path, &none, false);
	free(path);
}

/* The members of an archive, once. NULL: it is none, or was not found. */
static const struct archive *members_of(struct dso *d)
{
	const bool tried = d->state != DSO_UNTRIED;

	if (!dso_load(d) || d->image.is_elf || tried)
		return d->zip.members;
	d->zip.members = mem_zeroed(1, sizeof(*d->zip.members));
	if (archive_read(d->zip.members, d->image.data, d->image.size)) {
		free(d->zip.members);
		d->zip.members = NULL;
	}
	return d->zip.members;
}

struct dso *dso_table_member(struct dso_table *t, struct dso *d, uint64_t *off)
{
	const struct archive_member *m;
	const struct archive *a;
	struct dso *member;
	char *path;

	if (d->kind != DSO_FILE)
		return d;
	set_archive(t, d);
	if (archive_separator(d->path) || !*off || !may_be_archive(d->path))
		return d;
	a = members_of(d);
	if (!a)
		return d;
	m = archive_at(a, *off);
	/*
	 * another archive than the recorded one has something else there; the name is that of no
	 * member, and is reported
	 */
	path = m && !memchr(m->name, 0, m->name_len) ?
	       format_text("%s" ARCHIVE_SEPARATOR "%.*s", d->path, (int)m->name_len, m->name) :
	       format_text("%s" ARCHIVE_SEPARATOR "(offset 0x%" PRIx64 ")", d->path, *off);
	member = dso_table_get(t, path, &none, false);
	free(path);
	member->zip.archive = d;
	*off -= m ? m->start : 0;
	return member;
}
