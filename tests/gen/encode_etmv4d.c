/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_etmv4d.c - see encode_etmv4d.h. */
#include "encode_etmv4d.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

struct maker {
	struct dt_stream *s;
	struct rng r;
	struct gbuf out;
	size_t cap_ev, cap_sync;
	uint64_t time, sent;
};

static void add(struct maker *m, int kind, uint64_t value, size_t off)
{
	struct dt_stream *s = m->s;

	if (s->nev == m->cap_ev) {
		m->cap_ev = m->cap_ev ? 2 * m->cap_ev : 64;
		s->ev = gen_realloc(s->ev, m->cap_ev * sizeof(*s->ev));
	}
	s->ev[s->nev++] = (struct dt_event){ .kind = (uint8_t)kind, .value = value, .off = off };
}

static void uleb(struct maker *m, uint32_t v)
{
	do {
		gbuf_u8(&m->out, (v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

static void synchronise(struct maker *m)
{
	struct dt_stream *s = m->s;
	unsigned int plctl = rng_below(&m->r, 32), i;

	if (s->nsync == m->cap_sync) {
		m->cap_sync = m->cap_sync ? 2 * m->cap_sync : 16;
		s->sync = gen_realloc(s->sync, m->cap_sync * sizeof(*s->sync));
	}
	s->sync[s->nsync++] = m->out.len;
	gbuf_zero(&m->out, 11);
	gbuf_u8(&m->out, 0x80);
	gbuf_u8(&m->out, 0);
	gbuf_u8(&m->out, 1);
	gbuf_u8(&m->out, plctl);
	for (i = 0; i < 5; i++)
		if (plctl & 1u << i)
			uleb(m, (uint32_t)rng_next(&m->r) >> rng_below(&m->r, 32));
	m->sent = 0;
}

static void timestamp(struct maker *m)
{
	size_t off = m->out.len;
	uint64_t diff;
	int groups = 1, i;

	m->time += rng_next(&m->r) >> rng_range(&m->r, 1, 63);
	diff = m->time ^ m->sent;
	while (groups < 9 && (diff >> (7 * groups) || rng_pm(&m->r, 50)))
		groups++;
	gbuf_u8(&m->out, 2);
	for (i = 0; i < groups; i++)
		gbuf_u8(&m->out, i == 8 ? m->time >> 56 : (m->time >> (7 * i) & 0x7f) | (i + 1 < groups ? 0x80 : 0));
	m->sent = m->time;
	add(m, DT_TIME, m->time, off);
}

/* a header of one of the thirteen formats of P1 and P2, and bytes that mean nothing to anyone */
static void unknown(struct maker *m)
{
	static const uint8_t first[13] = { 0x10, 0x14, 0x18, 0x20, 0x30, 0x38, 0x40, 0x60, 0x70, 0x80, 0xf5, 0xf6, 0xf8 };
	static const uint8_t size[13] = { 4, 4, 8, 16, 8, 8, 32, 16, 16, 64, 1, 2, 8 };
	size_t off = m->out.len, junk = rng_below(&m->r, 40);
	unsigned int f = rng_below(&m->r, 13), zeros = 0, b;

	add(m, DT_UNKNOWN, 0, off);
	gbuf_u8(&m->out, first[f] + rng_below(&m->r, size[f]));
	for (; junk; junk--) {
		b = rng_below(&m->r, 3) ? rng_below(&m->r, 256) : 0;
		zeros = b ? 0 : zeros + 1;
		/* an alignment synchronisation is unique */
		gbuf_u8(&m->out, zeros > 8 ? 1 : b);
		if (zeros > 8)
			zeros = 0;
	}
	if (m->out.p[m->out.len - 1] == 0)
		gbuf_u8(&m->out, 0xff);
	m->s->unknown += m->out.len - off;
	synchronise(m);
}

static void packet(struct maker *m)
{
	size_t off = m->out.len;
	unsigned int n;

	switch (rng_below(&m->r, 12)) {
	case 0:
		gbuf_u8(&m->out, 1);
		add(m, DT_MARKER, 0, off);
		break;
	case 1: case 2:
		n = rng_below(&m->r, 8);
		gbuf_u8(&m->out, 0);
		gbuf_u8(&m->out, 0x11 | n << 1);
		add(m, DT_MARKER_NUM, n, off);
		break;
	case 3: case 4: case 5:
		timestamp(m);
		break;
	case 6:
		n = rng_range(&m->r, 1, 15);
		gbuf_u8(&m->out, 4);
		gbuf_u8(&m->out, n);
		add(m, DT_EVENT, n, off);
		break;
	case 7:
		gbuf_u8(&m->out, 3);
		m->s->suppressed++;
		add(m, DT_LOST, 0, off);
		break;
	case 8:
		n = rng_below(&m->r, 2);
		gbuf_u8(&m->out, 0);
		gbuf_u8(&m->out, n ? 3 : 5);
		*(n ? &m->s->discards : &m->s->overflows) += 1;
		add(m, DT_LOST, 0, off);
		break;
	case 9:
		synchronise(m);
		break;
	default:
		unknown(m);
	}
}

void dt_make(uint64_t seed, struct dt_stream *s)
{
	struct maker m = { .s = s };
	uint32_t n;

	memset(s, 0, sizeof(*s));
	rng_seed(&m.r, seed * 2654435761u + 5);
	synchronise(&m);
	for (n = rng_range(&m.r, 20, 300); n; n--)
		packet(&m);
	s->bytes = m.out.p;
	s->len = m.out.len;
}

void dt_free(struct dt_stream *s)
{
	free(s->bytes);
	free(s->ev);
	free(s->sync);
}
