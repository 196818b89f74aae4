/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_a64.c - A64 instructions for random programs. */
#include "prog.h"

enum {
	PLAIN, RN, RN_RM, RT, IMM16, ADDI, LOAD,
	B26, COND19, CB19, TB14, CMP_REG, CMP_IMM,
};

#define COND (FLOW_COND)
#define LINK (FLOW_LINK)

static const struct prog_kind kinds[] = {
	{ 0x91000000, 4, FLOW_OTHER, 0, 0, ADDI, 0, 300 },
	{ 0xf9400000, 4, FLOW_OTHER, 0, 0, LOAD, 0, 120 },
	{ 0xd503201f, 4, FLOW_OTHER, 0, 0, PLAIN, 0, 60 },
	{ 0xd5033bbf, 4, FLOW_OTHER, 0, 0, PLAIN, 0, 15 },	/* DMB */
	{ 0xd5033f9f, 4, FLOW_OTHER, 0, 0, PLAIN, 0, 15 },	/* DSB */
	{ 0x14000000, 4, FLOW_DIRECT, 0, 0, B26, 0, 40 },
	{ 0x94000000, 4, FLOW_DIRECT, LINK, 0, B26, 0, 60 },
	{ 0x54000000, 4, FLOW_DIRECT, COND, 0, COND19, 0, 80 },
	{ 0x54000010, 4, FLOW_DIRECT, COND, 0, COND19, PROG_NEW, 10 },	/* BC.cond */
	{ 0x34000000, 4, FLOW_DIRECT, COND, 0, CB19, 0, 30 },	/* CBZ, CBNZ, 32 and 64 bits */
	{ 0x35000000, 4, FLOW_DIRECT, COND, 0, CB19, 0, 20 },
	{ 0xb4000000, 4, FLOW_DIRECT, COND, 0, CB19, 0, 20 },
	{ 0xb5000000, 4, FLOW_DIRECT, COND, 0, CB19, 0, 20 },
	{ 0x36000000, 4, FLOW_DIRECT, COND, 0, TB14, 0, 20 },
	{ 0xb7000000, 4, FLOW_DIRECT, COND, 0, TB14, 0, 15 },
	/* CB<cc> and its byte, halfword forms */
	{ 0x74000000, 4, FLOW_DIRECT, COND, 0, CMP_REG, PROG_NEW, 8 },
	{ 0x74008000, 4, FLOW_DIRECT, COND, 0, CMP_REG, PROG_NEW, 5 },
	{ 0x7400c000, 4, FLOW_DIRECT, COND, 0, CMP_REG, PROG_NEW, 5 },
	{ 0xf4000000, 4, FLOW_DIRECT, COND, 0, CMP_REG, PROG_NEW, 8 },
	{ 0x75000000, 4, FLOW_DIRECT, COND, 0, CMP_IMM, PROG_NEW, 8 },
	{ 0xf5000000, 4, FLOW_DIRECT, COND, 0, CMP_IMM, PROG_NEW, 8 },
	{ 0xd61f0000, 4, FLOW_INDIRECT, 0, 0, RN, 0, 20 },
	{ 0xd63f0000, 4, FLOW_INDIRECT, LINK, 0, RN, 0, 25 },
	{ 0xd65f0000, 4, FLOW_INDIRECT, FLOW_RET, 0, RN, 0, 10 },
	{ 0xd65f03c0, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, 0, 70 },
	{ 0xd71f0800, 4, FLOW_INDIRECT, 0, 0, RN_RM, PROG_PAUTH, 5 },
	{ 0xd71f0c00, 4, FLOW_INDIRECT, 0, 0, RN_RM, PROG_PAUTH, 3 },
	{ 0xd73f0800, 4, FLOW_INDIRECT, LINK, 0, RN_RM, PROG_PAUTH, 5 },
	{ 0xd61f081f, 4, FLOW_INDIRECT, 0, 0, RN, PROG_PAUTH, 3 },
	{ 0xd63f0c1f, 4, FLOW_INDIRECT, LINK, 0, RN, PROG_PAUTH, 3 },
	{ 0xd65f0bff, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, PROG_PAUTH, 10 },
	{ 0xd65f0fff, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, PROG_PAUTH, 5 },
	{ 0x5500001f, 4, FLOW_INDIRECT, FLOW_RET, 0, IMM16, PROG_NEW, 4 },
	{ 0x5520001f, 4, FLOW_INDIRECT, FLOW_RET, 0, IMM16, PROG_NEW, 3 },
	{ 0xd65f0be0, 4, FLOW_INDIRECT, FLOW_RET, 0, RT, PROG_NEW, 3 },
	{ 0xd65f0fe0, 4, FLOW_INDIRECT, FLOW_RET, 0, RT, PROG_NEW, 3 },
	{ 0xd69f03e0, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL, 120 },
	{ 0xd69f0bff, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL | PROG_PAUTH, 20 },
	{ 0xd5033fdf, 4, FLOW_ISB, 0, 0, PLAIN, 0, 15 },
	{ 0xd503205f, 4, FLOW_WFX, 0, 0, PLAIN, 0, 8 },
	{ 0xd503207f, 4, FLOW_WFX, 0, 0, PLAIN, 0, 8 },
	{ 0xd5031000, 4, FLOW_WFX, 0, 0, RT, PROG_NEW, 4 },
	{ 0xd5031020, 4, FLOW_WFX, 0, 0, RT, PROG_NEW, 4 },
	{ 0xd5233060, 4, FLOW_TSTART, 0, 0, RT, PROG_TX | PROG_USER, 20 },
	{ 0xd503307f, 4, FLOW_OTHER, 0, PROG_TCOMMIT, PLAIN, PROG_TX | PROG_USER, 45 },
	{ 0xd4000001, 4, FLOW_OTHER, 0, PROG_SVC, IMM16, PROG_USER, 15 },
};

static int reach(const struct prog_kind *k, uint64_t pc, int64_t *lo, int64_t *hi, int *other)
{
	int bits;

	(void)pc;
	*other = 0;
	switch (k->form) {
	case B26:
		bits = 28;
		break;
	case COND19:
	case CB19:
		bits = 21;
		break;
	case TB14:
		bits = 16;
		break;
	case CMP_REG:
	case CMP_IMM:
		bits = 11;
		break;
	default:
		return 0;
	}
	*lo = -(1ll << (bits - 1));
	*hi = (1ll << (bits - 1)) - 4;
	return 1;
}

static uint32_t encode(const struct prog_kind *k, struct rng *r, uint64_t pc, uint64_t target)
{
	static const uint8_t cmp[] = { 0, 1, 2, 3, 6, 7 };
	uint32_t words = (uint32_t)((int64_t)(target - pc) >> 2), op = k->op;

	switch (k->form) {
	case RN:
		return op | rng_below(r, 31) << 5;
	case RN_RM:
		return op | rng_below(r, 31) << 5 | rng_below(r, 31);
	case RT:
		return op | rng_below(r, 31);
	case IMM16:
		return op | rng_below(r, 0x10000) << 5;
	case ADDI:
		return op | rng_below(r, 0x1000) << 10 | rng_below(r, 31) << 5 | rng_below(r, 31);
	case LOAD:
		return op | rng_below(r, 64) << 10 | rng_below(r, 31) << 5 | rng_below(r, 31);
	case B26:
		return op | (words & 0x3ffffff);
	case COND19:
		return op | (words & 0x7ffff) << 5 | rng_below(r, 14);
	case CB19:
		return op | (words & 0x7ffff) << 5 | rng_below(r, 31);
	case TB14:
		return op | rng_below(r, 2) << 24 | rng_below(r, 32) << 19 | (words & 0x3fff) << 5 |
		       rng_below(r, 31);
	case CMP_REG:
		return op | (uint32_t)cmp[rng_below(r, 6)] << 21 | rng_below(r, 31) << 16 |
		       (words & 0x1ff) << 5 | rng_below(r, 31);
	case CMP_IMM:
		return op | (uint32_t)cmp[rng_below(r, 6)] << 21 | rng_below(r, 64) << 15 |
		       (words & 0x1ff) << 5 | rng_below(r, 31);
	default:
		return op;
	}
}

const struct prog_isa prog_a64 = { kinds, sizeof(kinds) / sizeof(kinds[0]), reach, encode };
