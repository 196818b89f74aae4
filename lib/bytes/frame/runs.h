/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * runs.h - divides the data of a frame with ID bytes into runs of bytes of one trace ID (IHI 0029 D4.2). Both forms of
 * the de-formatter are instances of it: unpack.c makes a fragment of each run, split.c collects the runs of each ID.
 */
#ifndef CST_LIB_BYTES_FRAME_RUNS_H
#define CST_LIB_BYTES_FRAME_RUNS_H

#include "bytes/frame/read.h"

/* The open run: data[start..pos), of trace ID `id`. */
struct frame_run {
	uint8_t *data;
	size_t start, pos;
	uint64_t offset;	/* of its first byte, or as in frame_runs() */
	unsigned int id;
};

/* What an instance does with runs; `user` is its own. */
struct frame_verbs {
	/* Ends the run, at r->pos, and begins the next one there. Returns 0 if it had no bytes. */
	int (*close)(struct frame_run *r, void *user);
	/* Makes r->id the ID of the next run, which may have other memory. */
	void (*open)(struct frame_run *r, unsigned int id, void *user);
};

/*
 * Divides a frame with ID bytes at `ids`, at least one; all of it was written to the open run. `u` is the frame with its
 * data bits restored and FRAME_SIZE bytes of slack; data[] needs them, too. As in the reference de-formatter, a run has
 * the offset of its ID byte, even if the change is delayed past the next byte; a run that began in an earlier frame has
 * that of the frame. Returns the number of ID bytes.
 */
static inline __attribute__((always_inline)) unsigned int frame_runs(struct frame_run *r, const uint8_t *u, unsigned int ids,
								     uint64_t base, const struct frame_verbs *v, void *user)
{
	const size_t aux = u[FRAME_DATA];
	unsigned int n = 0;	/* ID bytes */
	size_t next = 0;	/* the next byte of the frame */
	struct frame_change c;

	r->start = r->pos;
	r->offset = base;
	do {
		c = frame_change(u, ids, aux);
		ids &= ids - 1;
		n++;
		r->pos += c.at - next;
		next = c.at + 1;
		if (c.id != r->id) {
			r->data[r->pos] = u[next];
			r->pos += c.behind;
			next += c.behind;
			if (v->close(r, user))
				r->offset = base + c.at;
			v->open(r, c.id, user);
		}
		memcpy(r->data + r->pos, u + next, FRAME_SIZE);
	} while (ids);
	r->pos += FRAME_DATA - next;
	v->close(r, user);
	return n;
}

#endif
