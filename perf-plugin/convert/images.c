/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/package.h>

#include "session/session.h"

static int ignore_batch(void *data, struct stream *s, const struct cst_generic *g, size_t n)
{
	(void)data;
	(void)s;
	(void)g;
	(void)n;
	return 0;
}

static int describe(struct cst_doc *doc, unsigned int nr, const char *file, struct dso *dso)
{
	char section[24], hex[64];
	const uint8_t *id;
	size_t len, i;
	int err;

	snprintf(section, sizeof(section), "image%u", nr);
	err = cst_doc_set(doc, section, "file", file);
	if (!err)
		err = cst_doc_set(doc, section, "name", dso_path(dso));
	id = dso_build_id(dso, &len);
	if (err || !id || len * 2 >= sizeof(hex))
		return err;
	for (i = 0; i < len; i++)
		snprintf(hex + 2 * i, sizeof(hex) - 2 * i, "%02x", id[i]);
	return cst_doc_set(doc, section, "uuid", hex);
}

int images_copy(struct outdir *out, struct session *ss, struct cst_doc **doc, struct convert_losses *l,
		struct pd_error *err)
{
	const struct session_consumer c = { .batch = ignore_batch };
	unsigned int nr = 0;
	struct dso *dso;
	size_t pos = 0;
	char *file;
	int rc;

	if (cst_doc_new(doc, 0))
		return pd_fail(err, PD_E_NOMEM, 0, "%s: out of memory", out->path);
	rc = session_run(ss, &c);
	if (rc)
		return pd_fail(err, PD_E_NOMEM, 0, "%s: %s", out->path, cst_strerror(rc));
	while ((dso = session_next_used(ss, &pos))) {
		/* what was generated while it ran is in no file */
		if (!dso_file(dso) || dso_path(dso)[0] != '/')
			continue;
		if (asprintf(&file, IMAGES_DIR "%s", dso_path(dso)) < 0)
			return pd_fail(err, PD_E_NOMEM, 0, "%s: out of memory", out->path);
		if (cst_package_name_ok(file)) {
			rc = outdir_copy(out, file, dso_file(dso), err);
			if (!rc && describe(*doc, nr++, file, dso))
				rc = pd_fail(err, PD_E_NOMEM, 0, "%s: out of memory", out->path);
		} else {
			convert_dropped(l, 1, "the image %s, whose name is none for a file of a package",
					dso_path(dso));
		}
		free(file);
		if (rc)
			return rc;
	}
	l->dropped += session_print_missing(ss, stderr);
	return 0;
}
