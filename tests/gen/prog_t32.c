/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_t32.c - T32 instructions for random programs. */
#include "prog.h"

enum { PLAIN, RM16, RD16, MOVW, POP, B8, B11, BW20, BW24, BL24, BLX24, CB, LE, WLS, BF };

#define COND (FLOW_COND)
#define LINK (FLOW_LINK)
#define LAST PROG_IT_LAST

/* 32-bit ones as first halfword << 16 | second */
static const struct prog_kind kinds[] = {
	{ 0x3001, 2, FLOW_OTHER, 0, 0, RD16, LAST, 250 }, /* ADDS rd, #1 */
	{ 0x6800, 2, FLOW_LOAD, 0, 0, RD16, LAST, 80 }, /* LDR */
	{ 0x6000, 2, FLOW_STORE, 0, 0, RD16, LAST, 40 }, /* STR */
	{ 0xb401, 2, FLOW_STORE, 0, 0, PLAIN, LAST, 15 }, /* PUSH */
	{ 0xf8d10004, 4, FLOW_LOAD, 0, 0, PLAIN, LAST, 15 }, /* LDR.W */
	{ 0xf8210b02, 4, FLOW_STORE, 0, 0, PLAIN, LAST, 10 }, /* STRH r0, [r1], #2 */
	{ 0xe9d10102, 4, FLOW_LOAD, 0, 0, PLAIN, LAST, 10 }, /* LDRD */
	{ 0xed810b02, 4, FLOW_STORE, 0, 0, PLAIN, LAST, 8 }, /* VSTR */
	{ 0xf891f000, 4, FLOW_OTHER, 0, 0, PLAIN, LAST, 5 }, /* PLD [r1] */
	{ 0xf2400000, 4, FLOW_OTHER, 0, 0, MOVW, LAST, 120 },
	{ 0xbf00, 2, FLOW_OTHER, 0, 0, PLAIN, LAST, 40 },
	{ 0xbc01, 2, FLOW_LOAD, 0, 0, PLAIN, LAST, 20 }, /* POP without pc */
	{ 0xf3bf8f5f, 4, FLOW_OTHER, 0, 0, PLAIN, LAST, 10 }, /* DMB */
	{ 0xf3bf8f4f, 4, FLOW_OTHER, 0, 0, PLAIN, LAST, 10 }, /* DSB */
	{ 0xd000, 2, FLOW_DIRECT, COND, 0, B8, 0, 90 },
	{ 0xe000, 2, FLOW_DIRECT, 0, 0, B11, LAST, 30 },
	{ 0xf0008000, 4, FLOW_DIRECT, COND, 0, BW20, 0, 40 },
	{ 0xf0009000, 4, FLOW_DIRECT, 0, 0, BW24, LAST, 20 },
	{ 0xf000d000, 4, FLOW_DIRECT, LINK, 0, BL24, LAST, 60 },
	{ 0xf000c000, 4, FLOW_DIRECT, LINK, 0, BLX24, LAST | PROG_NOT_M, 40 },
	{ 0xb100, 2, FLOW_DIRECT, COND, 0, CB, 0, 30 },
	{ 0xb900, 2, FLOW_DIRECT, COND, 0, CB, 0, 20 },
	{ 0x4700, 2, FLOW_INDIRECT, 0, 0, RM16, LAST, 15 }, /* BX */
	{ 0x4770, 2, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, LAST, 40 },
	{ 0x4780, 2, FLOW_INDIRECT, LINK, 0, RM16, LAST, 25 }, /* BLX */
	{ 0xbd00, 2, FLOW_INDIRECT, FLOW_RET, 0, POP, LAST, 40 },
	{ 0x46f7, 2, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, LAST, 10 }, /* MOV pc, lr */
	{ 0x4487, 2, FLOW_INDIRECT, 0, 0, PLAIN, LAST, 4 }, /* ADD pc, r0 */
	{ 0xe8d0f001, 4, FLOW_INDIRECT, 0, 0, PLAIN, LAST, 8 }, /* TBB [r0, r1] */
	{ 0xe8d0f011, 4, FLOW_INDIRECT, 0, 0, PLAIN, LAST, 6 }, /* TBH */
	{ 0xf8dff010, 4, FLOW_INDIRECT, 0, 0, PLAIN, LAST, 8 }, /* LDR pc, [pc, #16] */
	{ 0xf8d0f010, 4, FLOW_INDIRECT, 0, 0, PLAIN, LAST, 5 }, /* LDR pc, [r0, #16] */
	{ 0xf85dfb04, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, LAST, 10 }, /* LDR pc, [sp], #4 */
	{ 0xf850f021, 4, FLOW_INDIRECT, 0, 0, PLAIN, LAST, 5 }, /* LDR pc, [r0, r1, LSL #2] */
	{ 0xe8bd8010, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, LAST, 15 }, /* POP.W {r4, pc} */
	{ 0xf3c08f00, 4, FLOW_INDIRECT, 0, 0, PLAIN, LAST | PROG_NOT_M, 3 }, /* BXJ r0 */
	{ 0xf3de8f04, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL | PROG_NOT_M, 40 },
	{ 0xf3de8f00, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL | PROG_NOT_M, 30 },
	/* RFE */
	{ 0xe9bdc000, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL | PROG_NOT_M, 25 },
	{ 0x4770, 2, FLOW_INDIRECT, FLOW_RET | FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL | PROG_M,
	  90 },
	{ 0xf00fc001, 4, FLOW_DIRECT, COND, 0, LE, PROG_M, 40 }, /* LE lr */
	{ 0xf02fc001, 4, FLOW_DIRECT, 0, 0, LE, PROG_M, 4 }, /* LE */
	{ 0xf01fc001, 4, FLOW_DIRECT, COND, 0, LE, PROG_M, 15 }, /* LETP */
	{ 0xf040c001, 4, FLOW_DIRECT, COND, 0, WLS, PROG_M, 25 },
	{ 0xf010c001, 4, FLOW_DIRECT, COND, 0, WLS, PROG_M, 10 }, /* WLSTP.16 */
	{ 0xf042e001, 4, FLOW_OTHER, 0, 0, PLAIN, PROG_M, 15 }, /* DLS lr, r2 */
	{ 0xf012e001, 4, FLOW_OTHER, 0, 0, PLAIN, PROG_M, 6 }, /* DLSTP.16 lr, r2 */
	{ 0xf00fe001, 4, FLOW_OTHER, 0, 0, PLAIN, PROG_M, 8 }, /* LCTP */
	{ 0xf040e001, 4, FLOW_OTHER, 0, 0, BF, PROG_M, 10 }, /* BF */
	{ 0xf000c001, 4, FLOW_OTHER, 0, 0, BF, PROG_M, 10 }, /* BFL */
	{ 0xf060e001, 4, FLOW_OTHER, 0, 0, BF, PROG_M, 8 }, /* BFX r0 */
	{ 0xf000e001, 4, FLOW_OTHER, 0, 0, BF, PROG_M, 8 }, /* BFCSEL */
	{ 0x4774, 2, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, LAST | PROG_M, 15 }, /* BXNS lr */
	{ 0x479c, 2, FLOW_INDIRECT, LINK, 0, PLAIN, LAST | PROG_M, 10 }, /* BLXNS r3 */
	{ 0xe97fe97f, 4, FLOW_OTHER, 0, 0, PLAIN, PROG_M, 8 }, /* SG */
	{ 0xe841f000, 4, FLOW_OTHER, 0, 0, PLAIN, PROG_M, 5 }, /* TT r0, r1 */
	{ 0xed911f00, 4, FLOW_LOAD, 0, 0, PLAIN, PROG_M, 10 }, /* VLDRW.32 q0, [r1] */
	{ 0xfc801e00, 4, FLOW_STORE, 0, 0, PLAIN, PROG_M, 5 }, /* VST20.8 {q0, q1}, [r0] */
	{ 0xf3bf8f6f, 4, FLOW_ISB, 0, 0, PLAIN, LAST, 12 },
	{ 0xbf20, 2, FLOW_WFX, 0, 0, PLAIN, LAST, 6 },
	{ 0xbf30, 2, FLOW_WFX, 0, 0, PLAIN, LAST, 6 },
	{ 0xf3af8002, 4, FLOW_WFX, 0, 0, PLAIN, LAST, 4 }, /* WFE.W */
	{ 0xdf00, 2, FLOW_OTHER, 0, PROG_SVC, PLAIN, PROG_USER, 15 },
};

static int reach(const struct prog_kind *k, uint64_t pc, int64_t *lo, int64_t *hi, int *other)
{
	int64_t half;

	*other = k->form == BLX24;
	switch (k->form) {
	case B8:
		half = 256;
		break;
	case B11:
		half = 2048;
		break;
	case BW20:
		half = 1ll << 20;
		break;
	case BW24:
	case BL24:
		half = 1ll << 24;
		break;
	case BLX24:
		/* counted from the aligned pc */
		*lo = 4 - (int64_t)(pc & 2) - (1ll << 24);
		*hi = 4 - (int64_t)(pc & 2) + (1ll << 24) - 4;
		return 1;
	case LE:
		*lo = 4 - 4094;
		*hi = 4;
		return 1;
	case WLS:
		*lo = 4;
		*hi = 4 + 4094;
		return 1;
	case CB:
		*lo = 4;
		*hi = 4 + 126;
		return 1;
	default:
		return 0;
	}
	*lo = 4 - half;
	*hi = 4 + half - 2;
	return 1;
}

static uint32_t long_branch(uint32_t disp, uint32_t op)
{
	uint32_t s = disp >> 24 & 1, i1 = disp >> 23 & 1, i2 = disp >> 22 & 1;

	return op | s << 26 | (disp >> 12 & 0x3ff) << 16 | (~(i1 ^ s) & 1) << 13 |
	       (~(i2 ^ s) & 1) << 11 | (disp >> 1 & 0x7ff);
}

static uint32_t encode(const struct prog_kind *k, struct rng *r, uint64_t pc, uint64_t target)
{
	uint32_t disp = (uint32_t)(target - pc - 4), op = k->op;

	switch (k->form) {
	case RM16:
		return op | rng_below(r, 13) << 3;
	case RD16:
		return op | rng_below(r, 8) << (op == 0x3001 ? 8 : 3);
	case MOVW:
		return op | rng_below(r, 13) << 8 | rng_below(r, 256);
	case POP:
		return op | 1u << rng_below(r, 8);
	case B8:
		return op | rng_below(r, 14) << 8 | (disp >> 1 & 0xff);
	case B11:
		return op | (disp >> 1 & 0x7ff);
	case BW20:
		return op | (disp >> 20 & 1) << 26 | rng_below(r, 14) << 22 |
		       (disp >> 12 & 0x3f) << 16 | (disp >> 18 & 1) << 13 | (disp >> 19 & 1) << 11 |
		       (disp >> 1 & 0x7ff);
	case BW24:
	case BL24:
		return long_branch(disp, op & ~0x2800u);
	case BLX24:
		/* the same without the lowest bit; 0xc000 has bits 13 and 11 clear */
		disp = (uint32_t)(target - ((pc & ~3ull) + 4));
		return long_branch(disp, op);
	case LE:
		disp = -disp;
		/* fall through */
	case WLS:
		if (k->form == WLS)
			op |= rng_below(r, 13) << 16;
		return op | (disp >> 2 & 0x3ff) << 1 | (disp >> 1 & 1) << 11;
	case BF:
		return op | rng_range(r, 1, 15) << 23 | rng_below(r, 0x400) << 1;
	case CB:
		return op | (disp >> 6 & 1) << 9 | (disp >> 1 & 0x1f) << 3 | rng_below(r, 8);
	default:
		return op;
	}
}

const struct prog_isa prog_t32 = { kinds, sizeof(kinds) / sizeof(kinds[0]), reach, encode };
