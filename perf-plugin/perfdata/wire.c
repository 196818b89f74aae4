/* SPDX-License-Identifier: GPL-2.0-only */
/* wire.c - reads numbers and fields of protocol buffers messages. */
#include "perfdata/wire.h"

/* Seven bits in each byte, the lowest ones first; the last byte has bit 7 clear. */
static uint64_t varint(struct pd_cursor *c)
{
	unsigned int shift;
	const uint8_t *p;
	uint64_t v = 0;

	for (shift = 0; shift < 70; shift += 7) {
		p = pd_cur_bytes(c, 1);
		if (!p)
			return 0;
		if (shift < 64)
			v |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

bool wire_next(struct pd_cursor *c, struct wire_field *f)
{
	uint64_t key, n;

	if (c->bad || c->p == c->end)
		return false;
	key = varint(c);
	*f = (struct wire_field){ .number = (uint32_t)(key >> 3), .wire = key & 7 };
	switch (f->wire) {
	case WIRE_VARINT:
		f->value = varint(c);
		break;
	case WIRE_BYTES:
		n = varint(c);
		f->bytes.p = pd_cur_bytes(c, n);
		f->bytes.end = c->p;
		break;
	case WIRE_64:
		pd_cur_bytes(c, 8);
		break;
	case WIRE_32:
		pd_cur_bytes(c, 4);
		break;
	default:
		c->bad = true;
	}
	if (!f->number || key >> 3 > UINT32_MAX)
		c->bad = true;
	return !c->bad;
}
