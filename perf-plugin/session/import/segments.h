/* SPDX-License-Identifier: GPL-2.0-only */
/* segments.h - which parts of an image are code, for events that give a base address and no size. */
#ifndef CSTRACE_SESSION_IMPORT_SEGMENTS_H
#define CSTRACE_SESSION_IMPORT_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/package.h>

#include "session/import/folder.h"
#include "session/import/names.h"

struct segment {
	uint64_t start, size, offset;	/* start is relative to the base, or an address with `fixed` */
};

struct segments {
	struct names images;
	char *name;		/* of the image that was looked at last */
	struct segment *v;
	size_t nr, cap;
	bool fixed;
};

void segments_init(struct segments *s, const struct cst_package *pkg);
/* The nth stretch of code of the event's image; false: there is none, or the image is not in the package. */
bool segments_get(struct segments *s, const struct cst_package *pkg, struct folder *files,
		  const struct cst_event *ev, unsigned int nth, uint64_t *start, uint64_t *size,
		  uint64_t *offset);
void segments_free(struct segments *s);

#endif
