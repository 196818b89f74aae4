/* SPDX-License-Identifier: GPL-2.0-only */
/* file.h - writes a piece: perf.data in the form that pipes have, in a file without a name. */
#ifndef CSTRACE_SESSION_PIECES_FILE_H
#define CSTRACE_SESSION_PIECES_FILE_H

#include "base/error.h"
#include "session/pieces/buffers.h"
#include "session/pieces/kept.h"

struct piece_source {
	const struct kept_list *kept;
	const struct piece_buffers *buffers;	/* with what buffers_ready() has chosen */
	struct perfdata *pd;	/* with the bytes of the trace */
};

/* Returns a descriptor, or negative with *err. */
int piece_file_new(const struct piece_source *from, struct error *err);

#endif
