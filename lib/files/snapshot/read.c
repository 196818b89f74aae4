/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read.c - the index of a snapshot (snapshot.ini), from which everything else is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "files/snapshot/snapshot_int.h"

#define DEFAULT_TEXT ((size_t)1 << 20)
#define DEFAULT_MEMORY ((size_t)64 << 20)
#define DEFAULT_FILES 4096
#define VERSION "1.0"

int cst_snap_say(const struct cst_snap_io *io, const char *file, unsigned int line, int error,
		 const char *text)
{
	struct cst_snap_note note = { .file = file, .line = line, .error = error, .text = text };

	if (io->note)
		io->note(io->ctx, &note);
	return error;
}

int cst_snap_skip(struct snap_file *f, unsigned int line, int error, const char *text)
{
	f->ss->pub.n_skipped++;
	cst_snap_say(f->io, f->name, line, error, text);
	return 0;
}

int cst_snap_full(const struct snap_file *f, unsigned int line)
{
	return cst_snap_say(f->io, f->name, line, -CST_ERR_LIMIT,
			    "snapshot needs more memory than is there or allowed");
}

int cst_snap_copy(struct snap_file *f, const char **to, struct cst_str s, unsigned int line)
{
	*to = cst_mem_copy(&f->ss->mem, s);
	return *to ? 0 : cst_snap_full(f, line);
}

/* Opens an INI file; its text must be within the limit. */
static int open_ini(struct snap_file *f, struct snap *ss, const struct cst_snap_io *io,
		    const char *name)
{
	size_t limit = io->limits.text ? io->limits.text : DEFAULT_TEXT;
	const uint8_t *text = NULL;
	size_t len = 0;

	f->ss = ss;
	f->io = io;
	f->name = name;
	if (io->open(io->ctx, name, &text, &len) < 0)
		return cst_snap_say(io, name, 0, -CST_ERR_IO, "file cannot be read");
	if (len > limit)
		return cst_snap_say(io, name, 0, -CST_ERR_LIMIT, "file is too large for a description");
	cst_ini_start(&f->ini, len ? text : (const uint8_t *)"", len);
	return 0;
}

struct device_file {
	const char *name, *key;
	unsigned int line;
};

struct index {
	struct device_file *files;
	size_t n_files;
	const char *metadata;
};

static int add_cluster(struct snap_file *f, const struct ini_line *l)
{
	struct cst_str rest = l->value, item;
	struct cst_snap_link *link;
	const char *name;
	int err = cst_snap_copy(f, &name, l->key, l->line);

	while (!err && cst_ini_item(&rest, &item)) {
		if (!item.n)
			continue;
		link = cst_mem_append(&f->ss->mem, &f->ss->pub.clusters, &f->ss->pub.n_clusters,
				      sizeof(*link));
		if (!link)
			return cst_snap_full(f, l->line);
		link->from = name;
		err = cst_snap_copy(f, &link->to, item, l->line);
	}
	return err;
}

static int index_key(struct snap_file *f, struct index *ix, const struct ini_line *l)
{
	struct cst_snapshot *pub = &f->ss->pub;
	struct device_file *file;
	const char **text = NULL;

	if (cst_ini_is(l->section, "snapshot")) {
		if (cst_ini_is(l->key, "version"))
			text = &pub->version;
		else if (cst_ini_is(l->key, "description"))
			text = &pub->description;
	} else if (cst_ini_is(l->section, "device_list")) {
		file = cst_mem_append(&f->ss->mem, &ix->files, &ix->n_files, sizeof(*file));
		if (!file)
			return cst_snap_full(f, l->line);
		file->line = l->line;
		if (cst_snap_copy(f, &file->key, l->key, l->line))
			return -CST_ERR_LIMIT;
		text = &file->name;
	} else if (cst_ini_is(l->section, "clusters")) {
		return add_cluster(f, l);
	} else if (cst_ini_is(l->section, "trace") && cst_ini_is(l->key, "metadata")) {
		text = &ix->metadata;
	}
	return text ? cst_snap_copy(f, text, l->value, l->line) : 0;
}

static int read_index(struct snap_file *f, struct index *ix)
{
	size_t limit = f->io->limits.files ? f->io->limits.files : DEFAULT_FILES;
	struct ini_line l;
	int err;

	for (cst_ini_next(&f->ini, &l); l.kind != INI_END; cst_ini_next(&f->ini, &l)) {
		if (l.kind == INI_BAD) {
			cst_snap_skip(f, l.line, -CST_ERR_SYNTAX,
				      "neither a [section] nor key=value");
		} else if (l.kind == INI_KEY) {
			err = index_key(f, ix, &l);
			if (err)
				return err;
			if (ix->n_files > limit)
				return cst_snap_say(f->io, f->name, l.line, -CST_ERR_LIMIT,
						    "more devices than allowed");
		}
	}
	if (!f->ss->pub.version)
		return cst_snap_say(f->io, f->name, 0, -CST_ERR_NOT_FOUND,
				    "no version= in [snapshot]: not the index of a snapshot");
	if (strcmp(f->ss->pub.version, VERSION))
		return cst_snap_say(f->io, f->name, 0, -CST_ERR_VERSION,
				    "version of the snapshot is not 1.0");
	if (!ix->n_files)
		return cst_snap_say(f->io, f->name, 0, -CST_ERR_NOT_FOUND,
				    "no devices in [device_list]");
	return 0;
}

/* Worth a note: a reader that takes keys and locations as names sees only one of the two. */
static void check_keys(const struct cst_snap_io *io, const char *index_name, const struct index *ix)
{
	size_t i, k;

	for (i = 1; i < ix->n_files; i++)
		for (k = 0; k < i; k++)
			if (cst_ini_is(cst_ini_str(ix->files[i].key), ix->files[k].key)) {
				cst_snap_say(io, index_name, ix->files[i].line, -CST_ERR_CONFLICT,
					     "another device has the same key; both are read");
				break;
			}
}

static void check_locations(const struct cst_snapshot *ss, const struct cst_snap_io *io)
{
	size_t i, k;

	for (i = 1; i < ss->n_devices; i++)
		for (k = 0; k < i && *ss->devices[i].location; k++)
			if (!strcmp(ss->devices[i].location, ss->devices[k].location)) {
				cst_snap_say(io, ss->devices[i].file, 0, -CST_ERR_CONFLICT,
					     "another device has the same location");
				break;
			}
}

static int read_devices(struct snap *ss, const struct cst_snap_io *io, const char *index_name,
			const struct index *ix)
{
	struct cst_snap_device dev, *to;
	struct snap_file f;
	size_t i;
	int err;

	check_keys(io, index_name, ix);
	for (i = 0; i < ix->n_files; i++) {
		memset(&dev, 0, sizeof(dev));
		err = open_ini(&f, ss, io, ix->files[i].name);
		if (!err)
			err = cst_snap_read_device(&f, &dev);
		if (err == -CST_ERR_LIMIT)
			return err;
		if (!err && cst_snapshot_device(&ss->pub, dev.name))
			err = cst_snap_say(io, ix->files[i].name, 0, -CST_ERR_SYNTAX,
					   "another device has the same name");
		if (err) {
			ss->pub.n_skipped++;
			cst_snap_say(io, index_name, ix->files[i].line, err, "device is left out");
			continue;
		}
		dev.file = ix->files[i].name;
		to = cst_mem_append(&ss->mem, &ss->pub.devices, &ss->pub.n_devices, sizeof(*to));
		if (!to)
			return cst_snap_full(&f, 0);
		*to = dev;
	}
	check_locations(&ss->pub, io);
	return 0;
}

static int read_all(struct snap *ss, const struct cst_snap_io *io, const char *name)
{
	struct index ix = { 0 };
	struct snap_file f;
	int err;

	err = open_ini(&f, ss, io, name);
	if (!err)
		err = read_index(&f, &ix);
	if (!err)
		err = read_devices(ss, io, name, &ix);
	if (err || !ix.metadata)
		return err;
	err = open_ini(&f, ss, io, ix.metadata);
	if (!err)
		err = cst_snap_read_trace(&f);
	return err;
}

int cst_snapshot_read(struct cst_snapshot **out, const struct cst_snap_io *io, const char *index)
{
	struct cst_snap_io own;
	struct snap *ss;
	int err;

	*out = NULL;
	io = TAKE(cst_snap_io, io, own);
	if (!io || !io->open)
		return -CST_ERR_INVAL;
	ss = calloc(1, sizeof(*ss));
	if (!ss)
		return -CST_ERR_NOMEM;
	ss->mem.limit = io->limits.memory ? io->limits.memory : DEFAULT_MEMORY;
	err = read_all(ss, io, index ? index : "snapshot.ini");
	if (err) {
		cst_snapshot_free(&ss->pub);
		return err;
	}
	if (!ss->pub.description)
		ss->pub.description = "";
	*out = &ss->pub;
	return 0;
}

void cst_snapshot_free(struct cst_snapshot *pub)
{
	struct snap *ss = (struct snap *)pub;

	if (!ss)
		return;
	cst_mem_free(&ss->mem);
	free(ss);
}
