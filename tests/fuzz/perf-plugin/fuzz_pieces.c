/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a pipe that is cut into pieces: whatever it holds, each piece can be read from its
 * begin to its end. The first byte chooses the size of the pieces.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/messages.h"
#include "perfdata/reader.h"
#include "session/pieces/pieces.h"

/* A compressed input can expand a lot; a caller has a limit as well. */
#define MAX_EXPAND 1000000u

static void require(int ok)
{
	if (!ok)
		abort();
}

static void read_piece(const struct piece *piece)
{
	struct error err = { .code = 0 };
	struct perfdata *pd = perfdata_open_fd(piece->fd, "piece", &err);
	struct pd_record rec;
	uint64_t trace = 0;
	int rc;

	require(pd && piece->first <= piece->last);
	while ((rc = perfdata_next(pd, &rec))) {
		require(rc > 0);
		if (rec.ev->header.type == PERF_RECORD_AUXTRACE)
			trace += rec.aux.avail;
	}
	require(trace == piece->trace);
	perfdata_close(pd);
	close(piece->fd);
}

static void cut(const struct pieces_opts *o)
{
	struct error err = { .code = 0 };
	struct pieces *p = pieces_open(o, &err);
	enum pieces_next next = PIECES_END;
	struct piece piece;

	require(p || err.msg[0]);
	while (p && (next = pieces_next(p, &piece, &err)) == PIECES_PIECE)
		read_piece(&piece);
	require(next != PIECES_FAILED);
	if (next == PIECES_WHOLE)
		perfdata_close(pieces_whole(p));
	pieces_close(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct messages said = { .nr = 0 };
	struct pieces_opts o = { .max_expand = MAX_EXPAND, .stop_fd = -1 };
	char path[64];
	int fd;

	if (!size)
		return 0;
	fd = memfd_create("pipe", 0);
	require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o.path = path;
	o.size = 1ull << (data[0] & 15);
	messages_record(&said);
	cut(&o);
	messages_record(NULL);
	messages_free(&said);
	close(fd);
	return 0;
}
