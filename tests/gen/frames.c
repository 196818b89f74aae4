/* SPDX-License-Identifier: BSD-3-Clause */
#include "frames.h"

#include <string.h>

static const uint8_t fsync_word[4] = { 0xff, 0xff, 0xff, 0x7f };
static const uint8_t hsync_word[2] = { 0xff, 0x7f };

void frames_init(struct frames *f, const struct frames_opts *o, struct gbuf *out)
{
	memset(f, 0, sizeof(*f));
	f->o = *o;
	rng_seed(&f->rng, o->seed);
	f->out = out;
	f->cur = -1;
}

static void send_frame(struct frames *f)
{
	int i;

	if (rng_pm(&f->rng, f->o.p_fsync))
		gbuf_put(f->out, fsync_word, 4);
	for (i = 0; i < 8; i++) {
		if (rng_pm(&f->rng, f->o.p_hsync))
			gbuf_put(f->out, hsync_word, 2);
		gbuf_put(f->out, f->f + 2 * i, 2);
	}
	memset(f->f, 0, sizeof(f->f));
	f->pos = 0;
}

/* an even byte holds an ID, or data whose lowest bit moves to the last byte of the frame */
static void even_id(struct frames *f, int id, int delayed)
{
	f->f[f->pos] = (uint8_t)(id << 1 | 1);
	if (delayed)
		f->f[15] |= (uint8_t)(1 << (f->pos / 2));
}

static void even_data(struct frames *f, uint8_t b)
{
	f->f[f->pos] = b & 0xfe;
	f->f[15] |= (uint8_t)((b & 1) << (f->pos / 2));
}

static void take(struct frames *f, int n)
{
	f->nwait -= n;
	f->wait[0] = f->wait[1];
}

static void next_pair(struct frames *f)
{
	f->pos += 2;
	if (f->pos == 16)
		send_frame(f);
}

/* fills one pair of the frame (or byte 14, which stands alone); needs two waiting bytes */
static void one_pair(struct frames *f)
{
	int id = f->wait[0].id, then = f->wait[1].id;
	uint8_t b = f->wait[0].byte;

	if (f->pos == 14) {
		if (id == f->cur && !rng_pm(&f->rng, f->o.p_repeat)) {
			even_data(f, b);
			take(f, 1);
		} else {
			even_id(f, id, rng_pm(&f->rng, f->o.p_repeat));
			f->cur = id;
		}
	} else if (rng_pm(&f->rng, f->o.p_null)) {
		even_id(f, 0, 0);
		f->cur = 0;
	} else if (id != f->cur) {
		even_id(f, id, 0);
		f->f[f->pos + 1] = b;
		f->cur = id;
		take(f, 1);
	} else if (then != id) {
		even_id(f, then, 1);
		f->f[f->pos + 1] = b;
		f->cur = then;
		take(f, 1);
	} else if (rng_pm(&f->rng, f->o.p_repeat)) {
		even_id(f, id, rng_below(&f->rng, 2) != 0);
		f->f[f->pos + 1] = b;
		take(f, 1);
	} else {
		even_data(f, b);
		f->f[f->pos + 1] = f->wait[1].byte;
		f->nwait = 0;
	}
	next_pair(f);
}

static void put_byte(struct frames *f, int id, uint8_t b)
{
	f->wait[f->nwait].id = id;
	f->wait[f->nwait].byte = b;
	f->nwait++;
	while (f->nwait == 2)
		one_pair(f);
}

void frames_put(struct frames *f, int id, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put_byte(f, id, p[i]);
}

void frames_flush(struct frames *f)
{
	/* padding pushes the last byte out and completes the frame */
	while (f->nwait && f->wait[0].id)
		put_byte(f, 0, 0);
	f->nwait = 0;
	while (f->pos) {
		if (f->cur) {
			even_id(f, 0, 0);
			f->cur = 0;
		}
		next_pair(f);
	}
	f->cur = -1;
}

void frames_fsync(struct frames *f)
{
	GEN_BUG_ON(f->pos);
	gbuf_put(f->out, fsync_word, 4);
}

void frames_dstream(struct rng *rng, const uint8_t *p, size_t n, struct gbuf *out)
{
	size_t len, i;

	for (; n; p += len, n -= len) {
		len = n < 504 ? n : 504;
		gbuf_put(out, p, len);
		for (i = 0; len == 504 && i < 8; i++)
			gbuf_u8(out, rng_below(rng, 3) ? rng_below(rng, 256) : 0xff);
	}
}

void frames_barrier(struct frames *f)
{
	int i;

	frames_flush(f);
	for (i = 0; i < 4; i++)
		gbuf_put(f->out, fsync_word, 4);
}
