/* SPDX-License-Identifier: BSD-3-Clause */
/* opencsd_trace.h - ETMv4 trace byte by byte, of code at 0x400000, and frames, for tests of the OpenCSD interface. */
#ifndef CSTRACE_TESTS_UNIT_OPENCSD_TRACE_H
#define CSTRACE_TESTS_UNIT_OPENCSD_TRACE_H

#include <stdint.h>
#include <string.h>

/* Synchronisation and TRACE ON. */
#define SYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04
/*
 * 0x400000 and what follows, in non-secure EL0 but for one; A64_OF: with a context ID of 4 bytes; the last of each
 * without the context.
 */
#define A64_AT(off) 0x85, (off) / 4 & 0x7f, (off) >> 9, 0x40, 0, 0, 0, 0, 0, 0x30
#define A64_SECURE_AT(off) 0x85, (off) / 4 & 0x7f, (off) >> 9, 0x40, 0, 0, 0, 0, 0, 0x10
#define A64_OF(off, cid) 0x85, (off) / 4 & 0x7f, (off) >> 9, 0x40, 0, 0, 0, 0, 0, 0xb0, cid, 0, 0, 0
#define A64_TO(off) 0x9a, (off) / 4 & 0x7f, (off) >> 9, 0x40, 0
#define T32_AT(off) 0x83, (off) / 2 & 0x7f, (off) >> 8, 0x40, 0, 0x20
#define T32_TO(off) 0x9b, (off) / 2 & 0x7f, (off) >> 8, 0x40, 0
#define E 0xf7

#define NOP 0xd503201fu
#define B(words) (0x14000000u | ((uint32_t)(words) & 0x3ffffff))

enum { IN_FRAME = 14 };

/* A frame of 14 bytes of an ID: the lowest bit of bytes at even places is in the last byte. */
static inline void frame(uint8_t *out, unsigned int id, const uint8_t *p)
{
	unsigned int k;

	memset(out, 0, 16);
	out[0] = (uint8_t)(id << 1 | 1);
	for (k = 1; k <= IN_FRAME; k++) {
		out[k] = k % 2 ? p[k - 1] : p[k - 1] & 0xfe;
		out[15] |= k % 2 ? 0 : (p[k - 1] & 1) << k / 2;
	}
}

#endif
