/* SPDX-License-Identifier: GPL-2.0-only */
/* folder.c - files of a snapshot or package: mapped when the library asks for them, kept until the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstrace/files/package.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/name.h"
#include "session/import/folder.h"

/* The slot of a name: empty, or that of its file. NULL: no table yet. */
static size_t *find(const struct folder *f, const char *name)
{
	uint64_t h = 0xcbf29ce484222325u;
	const char *p;
	size_t i;

	if (!f->nr_slots)
		return NULL;
	for (p = name; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	for (i = (h ^ h >> 29) & (f->nr_slots - 1); f->slots[i]; i = (i + 1) & (f->nr_slots - 1))
		if (!strcmp(f->maps[f->slots[i] - 1].name, name))
			break;
	return &f->slots[i];
}

/* Makes room for one more slot. */
static void reserve(struct folder *f)
{
	size_t nr = f->nr_slots ? f->nr_slots * 2 : 64, i;
	size_t *slots;

	if (2 * (f->nr + 1) <= f->nr_slots)
		return;
	slots = mem_zeroed(nr, sizeof(*slots));
	free(f->slots);
	f->slots = slots;
	f->nr_slots = nr;
	for (i = 0; i < f->nr; i++)
		*find(f, f->maps[i].name) = i + 1;
}

static int map_path(struct folder *f, const char *name, const char *path, const uint8_t **data, size_t *len)
{
	size_t size;
	void *p = input_map(path, PROT_READ, &size);

	f->error = errno;
	if (!p)
		return ERR_IO;
	f->error = 0;
	reserve(f);
	*find(f, name) = f->nr + 1;
	*ARRAY_ADD(f->maps, f->nr, f->cap) =
		(struct folder_file){ .name = mem_text(name), .p = p, .len = size };
	*data = p;
	*len = size;
	return 0;
}

void folder_add_path(struct folder *f, const char *name, const char *path)
{
	*ARRAY_ADD(f->extra, f->nr_extra, f->cap_extra) =
		(struct folder_extra){ .name = mem_text(name), .path = mem_text(path) };
}

void folder_add_data(struct folder *f, const char *name, void *data, size_t len)
{
	*ARRAY_ADD(f->extra, f->nr_extra, f->cap_extra) =
		(struct folder_extra){ .name = mem_text(name), .data = data, .len = len };
}

const struct folder_extra *folder_extra(const struct folder *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->nr_extra; i++)
		if (!strcmp(f->extra[i].name, name))
			return &f->extra[i];
	return NULL;
}

/* True if no beginning of the name leads out of the folder; in snapshots of other systems '\\' separates folders, too. */
static bool leads_inside(const char *name)
{
	size_t n;
	int depth = 0;

	for (; *name && depth >= 0; name += n + (name[n] != 0)) {
		n = strcspn(name, "/\\");
		if (n == 2 && !memcmp(name, "..", 2))
			depth--;
		else if (n && !(n == 1 && *name == '.'))
			depth++;
	}
	return depth >= 0;
}

/*
 * Where the file of a name is, for the caller to free; NULL with errno. Neither the name nor a link leads out of the folder,
 * which may come from anyone: what it names would be copied into packages and shown in reports.
 */
static char *whole_path(const struct folder *f, const char *name)
{
	const struct folder_extra *extra = folder_extra(f, name);

	if (extra && extra->path)
		return mem_text(extra->path);
	errno = EACCES;
	if (f->package ? !cst_package_name_ok(name) : !leads_inside(name))
		return NULL;
	return input_in_root(f->dir, name);
}

/* True if the folder has something of this name: a link out of the folder, if it has no file of it. */
static bool has_entry(const struct folder *f, const char *name)
{
	char *path = format_text("%s/%s", f->dir, name);
	struct stat st;
	bool there;

	there = !lstat(path, &st);
	free(path);
	return there;
}

/* Opens the file with the spelling `as` of its name. */
static int open_as(struct folder *f, const char *name, const char *as, const uint8_t **data, size_t *len)
{
	char *path = whole_path(f, as);
	int err;

	if (!path) {
		f->error = errno;
		return ERR_IO;
	}
	err = map_path(f, name, path, data, len);
	if (err && f->error == ENOENT && has_entry(f, as))
		f->error = EACCES;
	free(path);
	return err;
}

int folder_open(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct folder *f = ctx;
	const struct folder_extra *extra = folder_extra(f, name);
	char *other, *c;
	size_t *slot;
	int err;

	if (extra && extra->data) {
		*data = extra->data;
		*len = extra->len;
		return 0;
	}
	slot = find(f, name);
	if (slot && *slot) {
		*data = f->maps[*slot - 1].p;
		*len = f->maps[*slot - 1].len;
		return 0;
	}
	err = open_as(f, name, name, data, len);
	if (!err || f->error != ENOENT || extra || f->package || !strchr(name, '\\'))
		return err;
	/* snapshots are also made on systems that separate folders so */
	other = mem_text(name);
	for (c = other; *c; c++)
		if (*c == '\\')
			*c = '/';
	err = open_as(f, name, other, data, len);
	free(other);
	return err;
}

#define REFUSED "not inside the folder, or not readable"

const char *folder_why(const struct folder *f)
{
	return f->error == EACCES ? REFUSED : input_error(f->error);
}

const char *folder_refused(const struct folder *f)
{
	return f->error == EACCES ? " (" REFUSED ")" : "";
}

char *folder_path(const struct folder *f, const char *name)
{
	char *path, *full;

	path = whole_path(f, name);
	if (!path)
		return NULL;
	full = realpath(path, NULL);
	if (!full) {
		mem_check(errno);
		return path;
	}
	free(path);
	return full;
}

void folder_note(void *ctx, const struct cst_snap_note *note)
{
	struct folder *f = ctx;

	fprintf(message_stream(), "%s: %s/%s:", f->who, name_shown(f->dir), name_shown(note->file));
	if (note->line)
		fprintf(message_stream(), "%u:", note->line);
	if (note->section && *note->section)
		fprintf(message_stream(), " [%s]", name_shown(note->section));
	if (note->item && *note->item)
		fprintf(message_stream(), " %s:", name_shown(note->item));
	fprintf(message_stream(), " %s", name_shown(note->text));
	if (note->other && *note->other)
		fprintf(message_stream(), " (%s)", name_shown(note->other));
	if (note->error == -CST_ERR_IO && f->error)
		fprintf(message_stream(), " (%s)", folder_why(f));
	fputc('\n', message_stream());
	f->error = 0;
}

void folder_free(struct folder *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		free(f->maps[i].name);
		input_unmap(f->maps[i].p, f->maps[i].len);
	}
	for (i = 0; i < f->nr_extra; i++) {
		free(f->extra[i].name);
		free(f->extra[i].path);
		free(f->extra[i].data);
	}
	free(f->extra);
	free(f->maps);
	free(f->slots);
}
