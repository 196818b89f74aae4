/* SPDX-License-Identifier: BSD-3-Clause */
/* dump_listing.h - a listing of frames, packets and elements into memory. */
#ifndef TEST_DUMP_LISTING_H
#define TEST_DUMP_LISTING_H

#include <stdlib.h>

#include "outputs/dump/dump.h"

static inline struct dump listing(enum dump_format format)
{
	struct dump d = { .format = format,
			  .show.frames = true,
			  .show.packets = true,
			  .show.elements = true,
			  .id.only_id = -1,
			  .at.cpu = -1,
			  .at.pid = -1,
			  .at.tid = -1 };

	d.out.buf = malloc(DUMP_OUT_SIZE);
	assert_non_null(d.out.buf);
	return d;
}

#endif
