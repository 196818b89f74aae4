/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstrace/error.h>
#include <cstrace/package.h>

#include "convert/brought.h"
#include "session/session.h"

static int ignore_batch(void *data, struct stream *s, const struct cst_generic *g, size_t n)
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
	struct convert_losses *l;
	struct pd_error *err;
	unsigned int images, jitdumps;
};

static int no_memory(struct copier *c)
{
	return pd_fail(c->err, PD_E_NOMEM, 0, "%s: out of memory", c->out->path);
}

static int describe(struct copier *c, const char *kind, unsigned int nr, const char *file, const struct dso *dso,
		    const char *uuid)
{
	char section[24];

	snprintf(section, sizeof(section), "%s%u", kind, nr);
	if (cst_doc_set(c->doc, section, "file", file) || cst_doc_set(c->doc, section, "name", dso_path(dso)) ||
	    (*uuid && cst_doc_set(c->doc, section, "uuid", uuid)))
		return no_memory(c);
	return 0;
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
	char *whole = NULL, *name = NULL;

	/* a file that was given, not recorded */
	if (dso->kind == DSO_JIT && *path != '/')
		whole = realpath(dso->file, NULL);
	path = whole ? whole : path;
	if (asprintf(&name, IMAGES_DIR "%s%s", *path == '/' ? "" : "/", path) < 0)
		name = NULL;
	if (name)
		tidy(name);
	if (name && *uuid && outdir_has(c->out, name)) {
		free(name);
		if (asprintf(&name, IMAGES_DIR "%s%s.%s", *path == '/' ? "" : "/", path, uuid) < 0)
			name = NULL;
		if (name)
			tidy(name);
	}
	free(whole);
	return name;
}

/* Of one path with one build-id, or none, one file was found; several processes can have it. */
static int copy_dso(struct copier *c, const struct dso *dso)
{
	bool jit = dso->kind == DSO_JIT;
	char uuid[64], *file;
	int rc = 0;

	dso_uuid(dso, uuid, sizeof(uuid));
	file = file_name(c, dso, uuid);
	if (!file)
		return no_memory(c);
	if (!cst_package_name_ok(file)) {
		convert_dropped(c->l, 1, "the %s %s, whose name is none for a file of a package",
				jit ? "jitdump file" : "image", dso_path(dso));
	} else {
		if (!outdir_has(c->out, file))
			rc = outdir_copy(c->out, file, dso->file, c->err);
		if (!rc)
			rc = describe(c, jit ? JITDUMP_SECTION : "image", jit ? c->jitdumps++ : c->images++, file,
				      dso, uuid);
	}
	free(file);
	return rc;
}

static int copy_kernel_file(struct copier *c, const char *key, const char *from)
{
	char file[32];
	int rc;

	snprintf(file, sizeof(file), KCORE_DIR "/%s", key);
	rc = outdir_copy(c->out, file, from, c->err);
	return rc || !cst_doc_set(c->doc, KERNEL_SECTION, key, file) ? rc : no_memory(c);
}

/* One of the files that perf puts beside one another, if it is there. `dir` ends with a slash. */
static int copy_kernel_from(struct copier *c, const char *dir, int len, const char *key)
{
	char *path;
	int rc = 0;

	if (asprintf(&path, "%.*s%s", len, dir, key) < 0)
		return no_memory(c);
	if (!access(path, R_OK))
		rc = copy_kernel_file(c, key, path);
	free(path);
	return rc;
}

static int copy_kcore(struct copier *c, const char *kcore)
{
	const char *slash = strrchr(kcore, '/');
	int rc = copy_kernel_file(c, "kcore", kcore);

	return rc ? rc : copy_kernel_from(c, kcore, slash ? (int)(slash + 1 - kcore) : 0, "modules");
}

int images_copy(struct outdir *out, struct session *ss, struct cst_doc **doc, struct convert_losses *l,
		struct pd_error *err)
{
	const struct session_consumer consumer = { .batch = ignore_batch };
	struct copier c = { .out = out, .l = l, .err = err };
	const struct dso *dso;
	size_t pos = 0;
	int rc;

	if (cst_doc_new(doc, 0))
		return no_memory(&c);
	c.doc = *doc;
	rc = session_run(ss, &consumer);
	if (rc)
		return pd_fail(err, PD_E_NOMEM, 0, "%s: %s", out->path, cst_strerror(rc));
	while (!rc && (dso = session_next_read(ss, &pos)))
		rc = dso->kind == DSO_KCORE ? copy_kcore(&c, dso_path(dso)) : copy_dso(&c, dso);
	if (!rc && session_kallsyms(ss))
		rc = copy_kernel_file(&c, "kallsyms", session_kallsyms(ss));
	if (!rc)
		l->dropped += session_print_missing(ss, stderr);
	return rc;
}

int images_copy_recorded(struct outdir *out, const char *dir, struct cst_doc **doc, struct pd_error *err)
{
	static const char *const keys[] = { "kcore", "kallsyms", "modules" };
	struct copier c = { .out = out, .err = err };
	char *from;
	size_t i;
	int rc = 0;

	if (cst_doc_new(doc, 0) || asprintf(&from, "%s/" KCORE_DIR "/", dir) < 0)
		return no_memory(&c);
	c.doc = *doc;
	for (i = 0; !rc && i < sizeof(keys) / sizeof(keys[0]); i++)
		rc = copy_kernel_from(&c, from, (int)strlen(from), keys[i]);
	free(from);
	return rc;
}
