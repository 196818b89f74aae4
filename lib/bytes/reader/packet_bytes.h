/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet_bytes.h - the bytes of one packet, and the fields that several protocols have in the same form.
 */
#ifndef CST_LIB_BYTES_READER_PACKET_BYTES_H
#define CST_LIB_BYTES_READER_PACKET_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <cstrace/packet.h>

/* Sets the fields that every packet has, and empties those that only some set. */
static inline void packet_start(struct cst_packet *pkt, uint8_t protocol, uint8_t header, uint8_t type)
{
	pkt->protocol = protocol;
	pkt->header = header;
	pkt->type = type;
	pkt->flags = 0;
	pkt->n_atoms = 0;
	pkt->bad_type = 0;
}

/*
 * A reader over [p, end): `more` is set if bytes past the end are needed, `bad` after a value that no packet has.
 * Nothing is read after `bad`, so that the size of a bad packet does not depend on the length of the input.
 */
struct reader {
	const uint8_t *p, *end;
	uint8_t more, bad;
	uint8_t wide;	/* bits of a number beyond its width were set, and dropped */
};

static inline uint8_t get8(struct reader *r)
{
	if (r->bad)
		return 0;
	if (r->p >= r->end) {
		r->more = 1;
		return 0;
	}
	return *r->p++;
}

/* Reads a little-endian number of up to four bytes. */
static inline uint32_t get_le(struct reader *r, unsigned int bytes)
{
	uint32_t v = 0;
	unsigned int i;

	if (r->bad || (size_t)(r->end - r->p) < bytes) {
		r->more |= !r->bad;
		r->p = r->bad ? r->p : r->end;
		return 0;
	}
	if (bytes == 4)
		v = r->p[0] | (uint32_t)r->p[1] << 8 | (uint32_t)r->p[2] << 16 | (uint32_t)r->p[3] << 24;
	else
		for (i = 0; i < bytes; i++)
			v |= (uint32_t)r->p[i] << (8 * i);
	r->p += bytes;
	return v;
}

/* Mask of the low n bits, n from 0 to 64. */
static inline uint64_t low_bits(unsigned int n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

#define GROUP_BITS 7
#define GROUP_MORE 0x80

/* Reads a ULEB128 number of at most `max` bytes and 32 bits. */
static inline uint32_t get_uleb(struct reader *r, unsigned int max)
{
	uint32_t v = 0;
	unsigned int i;
	uint8_t b;

	for (i = 0; i < max; i++) {
		b = get8(r);
		if (r->more)
			return 0;
		v |= (uint32_t)(b & 0x7f) << (GROUP_BITS * i);
		if (i == 4 && b & 0x70)
			r->wide = 1;
		if (!(b & GROUP_MORE))
			return v;
	}
	r->bad = 1;
	return 0;
}

/*
 * Reads the payload of a Trace Info packet (K10.5.2.6); its flags are in the order of its sections.
 * Returns 0 if it is incomplete or bad.
 */
static inline int get_trace_info(struct reader *r, struct cst_packet *pkt)
{
	enum { SECTIONS = 5, DEFINED = (1 << SECTIONS) - 1 };
	uint32_t section[SECTIONS] = { 0 };
	unsigned int plctl = get8(r), b = plctl, i;

	/* further control bytes are not defined: three are skipped, more make the packet bad */
	for (i = 0; b & 0x80 && !r->more; i++) {
		if (i == 3) {
			r->bad = 1;
			return 0;
		}
		b = get8(r);
	}
	for (b = plctl & DEFINED; b; b &= b - 1)
		section[__builtin_ctz(b)] = get_uleb(r, 5);
	pkt->info = section[0];
	pkt->key = section[1];
	pkt->spec = section[2];
	pkt->cyct = section[3];
	pkt->flags |= CST_PF_INFO * (plctl & DEFINED);
	return !r->more && !r->bad;
}

/*
 * Reads a number of at most `full` bits (32, 48 or 64), the low ones first: seven in each byte whose bit 7 says if
 * another one follows, and all the rest in the last byte that is possible. Returns the number of bits sent.
 */
static inline unsigned int get_groups(struct reader *r, unsigned int full, uint64_t *value)
{
	unsigned int bits = 0, rest;
	uint64_t v = 0;
	uint8_t b;

	for (;;) {
		b = get8(r);
		rest = full - bits;
		if (rest <= 8) {
			r->wide |= (unsigned int)b >> rest;
			v |= (b & low_bits(rest)) << bits;
			bits = full;
			break;
		}
		v |= (uint64_t)(b & 0x7f) << bits;
		bits += GROUP_BITS;
		if (!(b & GROUP_MORE))
			break;
	}
	*value = v;
	return bits;
}

/* Reads a timestamp, whose bits replace the low ones of *ts. Returns the number of bits sent. */
static inline unsigned int get_timestamp(struct reader *r, unsigned int full, uint64_t *ts)
{
	uint64_t v;
	unsigned int bits = get_groups(r, full, &v);

	*ts = (*ts & ~low_bits(bits)) | v;
	return bits;
}

#endif
