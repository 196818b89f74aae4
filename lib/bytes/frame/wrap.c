/* SPDX-License-Identifier: BSD-3-Clause */
/* wrap.c - which parts of a circular buffer's memory are trace, the oldest first. */
#include <cstrace/error.h>
#include <cstrace/frame.h>

#include "base/sized.h"

int cst_unwrap(struct cst_unwrapped *out, uint64_t size, uint64_t write, int full, unsigned unit,
	       uint64_t after)
{
	struct cst_unwrapped own = { 0 }, *const u = &own;
	uint64_t oldest;

	if (!unit || write > size)
		return -CST_ERR_INVAL;
	if (full) {
		/* the newest frame has overwritten the first bytes of the frame at the write pointer */
		oldest = (write + unit - 1) / unit * unit;
		oldest = oldest < size ? oldest : size;
		u->cut = oldest - write;
		u->piece[0].start = oldest;
		u->piece[0].len = size - oldest;
	}
	u->piece[1].len = write;
	u->len = u->piece[0].len + write;
	u->trigger = after < u->len ? u->len - after : 0;
	return GIVE(cst_unwrapped, out, own);
}
