/* SPDX-License-Identifier: GPL-2.0-only */
/* images.c - copies images, kernel memory and jitdump files into a package. */
#include "outputs/export/images.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstrace/files/package.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/path.h"
#include "machine/images/jitdump.h"
#include "outputs/export/copying.h"
#include "session/decode/decode.h"
#include "session/import/bundle.h"

enum kernel_key { KERNEL_KCORE, KERNEL_KALLSYMS, KERNEL_MODULES, KERNEL_FILES };

static int ignore_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	(void)data;
	(void)s;
	(void)g;
	(void)n;
	return 0;
}

struct copier {
	struct outdir *out;
	struct cst_doc *doc;	/* for contents.ini */
	struct drops *drops;
	struct error *err;
	const struct copy_origin *origin;
	unsigned int images, jitdumps;
};

/* True for a jitdump file that the user gave: no record has a name for it. */
static bool given_file(const struct dso *dso)
{
	return dso->kind == DSO_JIT && !dso->made.jit->recorded;
}

static void describe(struct copier *c, const char *kind, unsigned int nr, const char *file,
		     const struct dso *dso,
		    const char *uuid)
{
	bool given = given_file(dso);
	char section[24], pid[16];

	snprintf(section, sizeof(section), "%s%u", kind, nr);
	snprintf(pid, sizeof(pid), "%d", given ? dso->made.jit->owner : 0);
	if (cst_doc_set(c->doc, section, "file", file) ||
	    cst_doc_set(c->doc, section, given ? "pid" : "name", given ? pid : dso_path(dso)) ||
	    (*uuid && cst_doc_set(c->doc, section, "uuid", uuid)))
		mem_refused(0);
}

static void dso_uuid(const struct dso *dso, char *hex, size_t size)
{
	size_t len, i;
	const uint8_t *id = dso_build_id(dso, &len);

	*hex = 0;
	for (i = 0; id && len * 2 < size && i < len; i++)
		snprintf(hex + 2 * i, size - 2 * i, "%02x", id[i]);
}

/* Empty components and "." go: snapshots name their images from their own folder on, as DIR/./FILE. */
static void tidy(char *name)
{
	char *to = name, *p = name;
	size_t n;

	while (*p) {
		n = strcspn(p, "/");
		if (n && !(n == 1 && *p == '.')) {
			if (to != name)
				*to++ = '/';
			memmove(to, p, n);
			to += n;
		}
		p += n + (p[n] == '/');
	}
	*to = 0;
}

/* Name in the package: images/PATH, and with the build-id when another file had that path. */
static char *file_name(struct copier *c, const struct dso *dso, const char *uuid)
{
	const char *path = dso_path(dso);
	char *given = NULL, *name;

	/* where it lies on this machine says nothing */
	if (given_file(dso)) {
		given = format_text(JITDUMP_SECTION "%u/%s", c->jitdumps, path_base(path));
		path = given;
	}
	name = format_text(IMAGES_DIR "%s%s", *path == '/' ? "" : "/", path);
	tidy(name);
	if (*uuid && outdir_has(c->out, name)) {
		free(name);
		name = format_text(IMAGES_DIR "%s%s.%s", *path == '/' ? "" : "/", path, uuid);
		tidy(name);
	}
	free(given);
	return name;
}

/* Of one path with one build-id, or none, one file was found; several processes can have it. */
static int copy_dso(struct copier *c, const struct dso *dso)
{
	bool jit = dso->kind == DSO_JIT;
	const char *why = copy_refused(dso, c->origin);
	char uuid[64], *file;
	int rc = 0;

	if (why) {
		drops_add(c->drops, 1, "the image %s (%s): %s", dso_path(dso), dso->image.file,
			  why);
		return 0;
	}

	dso_uuid(dso, uuid, sizeof(uuid));
	file = file_name(c, dso, uuid);
	if (!cst_package_name_ok(file)) {
		drops_add(c->drops, 1, "the %s %s, whose name is none for a file of a package",
			  jit ? "jitdump file" : "image", dso_path(dso));
	} else {
		if (!outdir_has(c->out, file))
			rc = outdir_copy(c->out, file, dso->image.file, c->err);
		if (!rc)
			describe(c, jit ? JITDUMP_SECTION : "image", jit ? c->jitdumps++ :
				 c->images++, file,
				      dso, uuid);
	}
	free(file);
	return rc;
}

static bool is_elf(const char *text)
{
	return !memcmp(text, "\177ELF", 4);
}

/* "ffff800010080000 T _text" */
static bool is_kallsyms(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return n >= 8 && text[n] == ' ' && isalpha((unsigned char)text[n + 1]) && text[n + 2] == ' ';
}

/* "nf_tables 307200 0 - Live 0xffff800001234000", no line at all without modules */
static bool is_modules(const char *text)
{
	size_t name = strcspn(text, " \n"), size = text[name] == ' ' ? strspn(text + name + 1, "0123456789") : 0;

	return !*text || (name && size && text[name + 1 + size] == ' ');
}

static const struct kernel_file {
	const char *key;
	bool (*fits)(const char *text);		/* by the first bytes */
} kernel_files[] = {
	{ "kcore", is_elf }, { "kallsyms", is_kallsyms }, { "modules", is_modules },
};

/* One of the files of /proc that perf record --kcore copies, if it is one. */
static int copy_kernel_file(struct copier *c, enum kernel_key key, const char *from)
{
	const struct kernel_file *k = &kernel_files[key];
	char file[32], text[256] = "";
	struct stat st;
	int fd = input_peek(from, &st), rc;
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0 || !k->fits(text)) {
		drops_add(c->drops, 1, "%s: %s%s", from, n < 0 ? input_error(errno) : "it is not a copy of /proc/",
			  n < 0 ? "" : k->key);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	close(fd);
	snprintf(file, sizeof(file), KCORE_DIR "/%s", k->key);
	rc = outdir_copy(c->out, file, from, c->err);
	if (!rc)
		mem_code(cst_doc_set(c->doc, KERNEL_SECTION, k->key, file));
	return rc;
}

/* One of the files that perf puts beside one another in the folder `dir`, which a link must not lead out of. */
static int copy_kernel_from(struct copier *c, const char *dir, const char *name, enum kernel_key key)
{
	char *path = input_in_root(dir, name);
	struct stat st;
	int rc = 0, fd;

	if (path && !access(path, F_OK)) {
		rc = copy_kernel_file(c, key, path);
	} else if (path && errno != ENOENT) {
		rc = error_set(c->err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
	} else if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
		if (!fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
			drops_add(c->drops, 1, "%s/%s: a link that leads nowhere in %s", dir, name, dir);
		close(fd);
	}
	free(path);
	return rc;
}

static int copy_kcore(struct copier *c, const char *kcore)
{
	int rc = copy_kernel_file(c, KERNEL_KCORE, kcore);
	char *copy = mem_text(kcore);

	if (!rc)
		rc = copy_kernel_from(c, dirname(copy), "modules", KERNEL_MODULES);
	free(copy);
	return rc;
}

int images_copy(struct outdir *out, struct session *ss, const struct copy_origin *origin, struct cst_doc **doc,
		struct drops *drops, struct error *err)
{
	const struct consumer consumer = { .batch = ignore_batch, .shards = &shards_stateless };
	struct copier c = { .out = out, .drops = drops, .err = err, .origin = origin };
	const struct dso *dso;
	size_t pos = 0;
	int rc;

	if (cst_doc_new(doc, 0))
		mem_refused(0);
	c.doc = *doc;
	rc = session_run(ss, &consumer);
	if (rc)
		return error_set(err, rc, "%s: %s", out->path, error_text(rc));
	while (!rc && (dso = session_next_read(ss, &pos)))
		rc = dso->kind == DSO_KCORE ? copy_kcore(&c, dso_path(dso)) : copy_dso(&c, dso);
	if (!rc && session_kallsyms(ss))
		rc = copy_kernel_file(&c, KERNEL_KALLSYMS, session_kallsyms(ss));
	if (!rc)
		drops->count += session_print_missing(ss, stderr);
	return rc;
}

int images_copy_recorded(struct outdir *out, const char *dir, struct cst_doc **doc, struct drops *drops,
			 struct error *err)
{
	static const char *const names[KERNEL_FILES] = {
		KCORE_DIR "/kcore", KCORE_DIR "/kallsyms", KCORE_DIR "/modules",
	};
	struct copier c = { .out = out, .drops = drops, .err = err };
	enum kernel_key key;
	int rc = 0;

	if (cst_doc_new(doc, 0))
		mem_refused(0);
	c.doc = *doc;
	for (key = 0; !rc && key < KERNEL_FILES; key++)
		rc = copy_kernel_from(&c, dir, names[key], key);
	return rc;
}
