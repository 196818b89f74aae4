/* SPDX-License-Identifier: GPL-2.0-only */
/* dump_files.c - files of a snapshot: mapped when the library asks for them, kept until the end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstrace/error.h>

#include "cmd/dump_files.h"

static int map_path(struct dump_files *f, const char *path, const uint8_t **data, size_t *len)
{
	struct dump_file *grown;
	struct stat st;
	void *p = NULL;
	int fd, saved;

	/* a FIFO must not hang the tool, nor a device be read as code */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	if (st.st_size) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		saved = errno;
		if (p == MAP_FAILED) {
			close(fd);
			return -saved;
		}
	}
	close(fd);
	grown = realloc(f->maps, (f->nr + 1) * sizeof(*grown));
	if (!grown) {
		if (p)
			munmap(p, (size_t)st.st_size);
		return -ENOMEM;
	}
	f->maps = grown;
	f->maps[f->nr].p = p;
	f->maps[f->nr++].len = (size_t)st.st_size;
	*data = p;
	*len = (size_t)st.st_size;
	return 0;
}

int dump_files_open(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct dump_files *f = ctx;
	char *path, *c;
	int err;

	if (asprintf(&path, "%s/%s", f->dir, name) < 0)
		return -ENOMEM;
	err = map_path(f, path, data, len);
	if (err == -ENOENT && strchr(name, '\\')) {
		/* snapshots are also made on systems that separate folders so */
		for (c = path + strlen(f->dir); *c; c++)
			if (*c == '\\')
				*c = '/';
		err = map_path(f, path, data, len);
	}
	free(path);
	f->error = -err;
	return err;
}

void dump_files_note(void *ctx, const struct cst_snap_note *note)
{
	struct dump_files *f = ctx;

	fprintf(stderr, "cstrace dump: %s/%s:", f->dir, note->file);
	if (note->line)
		fprintf(stderr, "%u:", note->line);
	fprintf(stderr, " %s", note->text);
	if (note->error == -CST_ERR_IO && f->error)
		fprintf(stderr, " (%s)", f->error == EINVAL ? "not a regular file" : strerror(f->error));
	fputc('\n', stderr);
	f->error = 0;
}

void dump_files_free(struct dump_files *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++)
		if (f->maps[i].p)
			munmap(f->maps[i].p, f->maps[i].len);
	free(f->maps);
}
