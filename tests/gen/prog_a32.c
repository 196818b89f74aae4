/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_a32.c - A32 instructions for random programs. */
#include "prog.h"

enum { PLAIN, RM, REGLIST, ADDI, LOAD, SVC, B24, BLX24, DP_REG, UNCOND };

/*
 * FLOW_COND in the table: the condition field may be anything but AL; such kinds stand twice. op
 * carries cond = AL, or 1111 for the unconditional space.
 */
#define COND (FLOW_COND)
#define LINK (FLOW_LINK)

static const struct prog_kind kinds[] = {
	{ 0xe2800000, 4, FLOW_OTHER, 0, 0, ADDI, 0, 300 },
	{ 0xe2800000, 4, FLOW_OTHER, COND, 0, ADDI, 0, 60 },
	{ 0xe5900000, 4, FLOW_LOAD, 0, 0, LOAD, 0, 120 },
	{ 0xe5900000, 4, FLOW_LOAD, COND, 0, LOAD, 0, 40 },
	{ 0xe5800000, 4, FLOW_STORE, 0, 0, LOAD, 0, 40 },
	{ 0xe5800000, 4, FLOW_STORE, COND, 0, LOAD, 0, 30 },
	{ 0xe1d010b2, 4, FLOW_LOAD, COND, 0, PLAIN, 0, 10 },	/* LDRH */
	{ 0xe8a10600, 4, FLOW_STORE, 0, 0, PLAIN, 0, 10 },	/* STM */
	{ 0xf5d1f000, 4, FLOW_OTHER, 0, 0, UNCOND, 0, 5 },	/* PLD */
	{ 0xe1a00000, 4, FLOW_OTHER, 0, 0, PLAIN, 0, 40 },
	{ 0xe3500001, 4, FLOW_OTHER, 0, 0, PLAIN, 0, 20 },	/* CMP */
	{ 0xe35f0001, 4, FLOW_OTHER, 0, 0, PLAIN, 0, 5 },	/* CMP pc: the Rd field is not pc */
	{ 0xe8bd0010, 4, FLOW_LOAD, 0, 0, PLAIN, 0, 20 },	/* POP without pc */
	{ 0xf57ff05f, 4, FLOW_OTHER, 0, 0, UNCOND, 0, 10 },	/* DMB */
	{ 0xf57ff04f, 4, FLOW_OTHER, 0, 0, UNCOND, 0, 10 },	/* DSB */
	{ 0xea000000, 4, FLOW_DIRECT, 0, 0, B24, 0, 40 },
	{ 0xea000000, 4, FLOW_DIRECT, COND, 0, B24, 0, 120 },
	{ 0xeb000000, 4, FLOW_DIRECT, LINK, 0, B24, 0, 50 },
	{ 0xeb000000, 4, FLOW_DIRECT, LINK | COND, 0, B24, 0, 30 },
	{ 0xfa000000, 4, FLOW_DIRECT, LINK, 0, BLX24, 0, 40 },
	{ 0xe12fff10, 4, FLOW_INDIRECT, 0, 0, RM, 0, 15 },	/* BX */
	{ 0xe12fff10, 4, FLOW_INDIRECT, COND, 0, RM, 0, 10 },
	{ 0xe12fff1e, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, 0, 40 },
	{ 0xe12fff1e, 4, FLOW_INDIRECT, FLOW_RET | COND, 0, PLAIN, 0, 25 },
	{ 0xe12fff30, 4, FLOW_INDIRECT, LINK, 0, RM, 0, 20 },	/* BLX */
	{ 0xe12fff30, 4, FLOW_INDIRECT, LINK | COND, 0, RM, 0, 10 },
	{ 0xe12fff20, 4, FLOW_INDIRECT, 0, 0, RM, PROG_NOT_M, 3 },	/* BXJ */
	{ 0xe8bd8000, 4, FLOW_INDIRECT, FLOW_RET, 0, REGLIST, 0, 30 },
	{ 0xe8bd8000, 4, FLOW_INDIRECT, FLOW_RET | COND, 0, REGLIST, 0, 15 },
	{ 0xe8908000, 4, FLOW_INDIRECT, 0, 0, REGLIST, 0, 6 },	/* LDM r0 {.. pc} */
	{ 0xe49df004, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, 0, 15 },	/* LDR pc, [sp], #4 */
	{ 0xe59ff010, 4, FLOW_INDIRECT, 0, 0, PLAIN, 0, 8 },	/* LDR pc, [pc, #16] */
	{ 0xe790f101, 4, FLOW_INDIRECT, 0, 0, PLAIN, 0, 6 },	/* LDR pc, [r0, r1, LSL #2] */
	{ 0xe1a0f00e, 4, FLOW_INDIRECT, FLOW_RET, 0, PLAIN, 0, 12 },	/* MOV pc, lr */
	{ 0xe1a0f000, 4, FLOW_INDIRECT, 0, 0, RM, 0, 4 },
	{ 0xe08ff000, 4, FLOW_INDIRECT, 0, 0, RM, 0, 6 },	/* ADD pc, pc, rm */
	{ 0xe28ff000, 4, FLOW_INDIRECT, 0, 0, RM, 0, 4 },	/* ADD pc, pc, #n */
	/* SUBS pc, lr, #4 */
	{ 0xe25ef004, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL, 40 },
	/* MOVS pc, lr */
	{ 0xe1b0f00e, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL, 30 },
	/* LDM sp!, {r0, pc}^ */
	{ 0xe8fd8001, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL, 15 },
	/* RFE */
	{ 0xf8bd0a00, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, UNCOND, PROG_KERNEL, 30 },
	/* ERET */
	{ 0xe160006e, 4, FLOW_INDIRECT, FLOW_ERET, PROG_ERET, PLAIN, PROG_KERNEL | PROG_NEW, 20 },
	{ 0xf57ff06f, 4, FLOW_ISB, 0, 0, UNCOND, 0, 12 },
	{ 0xee070f95, 4, FLOW_ISB, 0, 0, PLAIN, 0, 5 },
	{ 0xe320f002, 4, FLOW_WFX, 0, 0, PLAIN, 0, 6 },
	{ 0xe320f003, 4, FLOW_WFX, 0, 0, PLAIN, 0, 6 },
	{ 0xef000000, 4, FLOW_OTHER, 0, PROG_SVC, SVC, PROG_USER, 15 },
};

static int reach(const struct prog_kind *k, uint64_t pc, int64_t *lo, int64_t *hi, int *other)
{
	(void)pc;
	*other = k->form == BLX24;
	if (k->form != B24 && k->form != BLX24)
		return 0;
	*lo = 8 - (1ll << 25);
	*hi = 8 + (1ll << 25) - 4;
	return 1;
}

static uint32_t encode(const struct prog_kind *k, struct rng *r, uint64_t pc, uint64_t target)
{
	uint32_t disp = (uint32_t)(target - pc - 8), op = k->op;

	if (k->flags & FLOW_COND)
		op = (op & 0x0fffffff) | rng_below(r, 14) << 28;
	switch (k->form) {
	case RM:
		return op | rng_below(r, 13);
	case REGLIST:
		return op | 1u << rng_below(r, 13);
	case ADDI:
	case LOAD:
		return op | rng_below(r, 13) << 16 | rng_below(r, 13) << 12 | rng_below(r, 256);
	case SVC:
		return op | rng_below(r, 0x1000000);
	case B24:
		return op | (disp >> 2 & 0xffffff);
	case BLX24:
		return op | (disp >> 2 & 0xffffff) | (disp & 2) << 23;
	default:
		return op;
	}
}

const struct prog_isa prog_a32 = { kinds, sizeof(kinds) / sizeof(kinds[0]), reach, encode };
