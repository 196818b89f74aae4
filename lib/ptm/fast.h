/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fast.h - the fast way over PTM trace: bytes of the packets that it takes, and its two parts, the loop through
 * known code (run.c) and all other packets (aside.c).
 */
#ifndef CST_LIB_PTM_FAST_H
#define CST_LIB_PTM_FAST_H

#include "protocol/protocol.h"
#include "ptm/ptm.h"

#define CONTINUE 0x80
#define CC_CONTINUE 0x40
#define CC_RESERVED 0x83
#define CC_MAX_MORE 4
#define ADDR_EXCEPTION 0x40
#define ATOM_N 0x02
/* headers without cycle counts that have a reserved bit: 84 and 86 */
#define ATOM_RESERVED_MASK 0xfc
#define ATOM_RESERVED 0x84
/* fifth address byte without exception bytes */
#define LAST_THUMB 0x10
#define LAST_THUMB_MASK 0xf0
#define LAST_ARM 0x08
#define LAST_ARM_MASK 0xf8

/* What is left of a packet's cycle count, whose first byte is `b`. NULL: cut, or not as it should be. */
static inline const uint8_t *get_cycles(const uint8_t *p, const uint8_t *end, uint8_t b, uint32_t *cc)
{
	unsigned int shift = 4;

	*cc = b >> 2 & 15;
	if (!(b & CC_CONTINUE))
		return p;
	do {
		if (p == end)
			return NULL;
		b = *p++;
		*cc |= (uint32_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & CONTINUE && shift < 4 + 7 * CC_MAX_MORE);
	return b & CONTINUE ? NULL : p;
}

/* The address of a branch packet without exception bytes, in A32 or T32. NULL as above; then nothing is changed. */
static inline const uint8_t *get_address(const struct ptm_parser *ps, const uint8_t *p, const uint8_t *end,
					 uint32_t *addr, uint8_t *isa)
{
	unsigned int thumb = ps->isa == CST_ISA_T32, shift = 6, bits;
	uint8_t b = *p++;
	uint32_t v = b >> 1 & 0x3f, mask;

	if (b & CONTINUE) {
		for (;; shift += 7) {
			if (p == end)
				return NULL;
			b = *p++;
			if (shift == 6 + 7 * (PTM_MAX_ADDRESS - 2)) {
				thumb = (b & LAST_THUMB_MASK) == LAST_THUMB;
				if (!thumb && (b & LAST_ARM_MASK) != LAST_ARM)
					return NULL;
				v |= (uint32_t)b << shift;
				*isa = thumb ? CST_ISA_T32 : CST_ISA_A32;
				*addr = v << (thumb ? 1 : 2);
				return p;
			}
			v |= (uint32_t)(b & 0x7f) << shift;
			if (!(b & CONTINUE))
				break;
		}
		if (b & ADDR_EXCEPTION)
			return NULL;
		shift += 6;
	}
	bits = shift + (thumb ? 1 : 2);
	mask = (1u << bits) - 1;
	*isa = ps->isa;
	*addr = (ps->addr & ~mask) | v << (thumb ? 1 : 2);
	return p;
}

/* The cycle count after what ends at `q`, or none. NULL: cut, or with one of the bits of `reserved`. */
static inline const uint8_t *cycles_after(const struct ptm_parser *ps, const uint8_t *q, const uint8_t *end,
					  uint8_t reserved, uint32_t *cc)
{
	if (!ps->cfg->cycle_count)
		return q;
	return q == end || *q & reserved ? NULL : get_cycles(q + 1, end, *q, cc);
}

/* A packet that is no step through known code, and what comes of it. */
struct aside {
	const struct fast *x;
	const uint8_t *p, *end;	/* the packet, and the end of the input */
	uint64_t index;
	struct cst_generic *out;
	size_t n, cap;		/* n + FLOW_ROOM <= cap */
	int moved;		/* execution is elsewhere, or may be */
};

/*
 * The packet at a->p, with execution as x->f has it. Returns where it ends; f->busy and f->stopped are as
 * cst_flow_run() leaves them. NULL: nothing was done, it is for the careful way.
 */
const uint8_t *cst_ptm_aside(struct aside *a);

#endif
