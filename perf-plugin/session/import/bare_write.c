/* SPDX-License-Identifier: GPL-2.0-only */
/* bare_write.c - the snapshot of bare trace, as a folder. */
#include <stdlib.h>

#include "base/files/outdir.h"
#include "session/import/bare.h"

int bare_write(const struct bare_opts *o, const char *output, struct drops *drops, struct error *err)
{
	struct folder f = { .dir = o->traces[0], .who = "cstrace convert" };
	const struct folder_extra *e;
	struct outdir out;
	size_t i;
	int rc = bare_make(o, &f, &drops->count, err);

	if (!rc) {
		rc = outdir_open(&out, output, err);
		for (i = 0; !rc && i < f.nr_extra; i++) {
			e = &f.extra[i];
			rc = e->path ? outdir_copy(&out, e->name, e->path, err) :
				       outdir_file(&out, e->name, e->data, e->len, err);
			if (rc)
				outdir_abort(&out);
		}
		if (!rc)
			rc = outdir_finish(&out, err);
	}
	folder_free(&f);
	return rc;
}
