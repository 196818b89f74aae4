/* SPDX-License-Identifier: BSD-3-Clause */
/* synth_elements.h - generic elements by hand, for the tests of synth/. */
#ifndef TESTS_SYNTH_ELEMENTS_H
#define TESTS_SYNTH_ELEMENTS_H

#include <string.h>

#include <cstrace/flow.h>
#include <cstrace/isa.h>

/* A64 range of `n` instructions that ends with an instruction of this type. */
static inline struct cst_generic el_range(uint64_t addr, unsigned int n, unsigned int type,
					  unsigned int subtype, unsigned int flags)
{
	return (struct cst_generic){
		.kind = CST_GEN_RANGE, .addr = addr, .end = addr + 4 * n, .n_insn = n, .isa = CST_ISA_A64,
		.last_type = (uint8_t)type, .last_subtype = (uint8_t)subtype, .last_size = 4,
		.flags = (uint16_t)flags, .section = 1, .sect_off = (uint32_t)addr,
	};
}

#define EL_TAKEN	(CST_GF_EXEC | CST_GF_WAYPOINT)
/* B, taken; B.cond, taken or not; BL; RET; a stretch cut by an exception. */
#define EL_B(a, n)	el_range(a, n, CST_INSN_BRANCH, CST_INSN_PLAIN, EL_TAKEN)
#define EL_BCC(a, n)	el_range(a, n, CST_INSN_BRANCH, CST_INSN_PLAIN, EL_TAKEN | CST_GF_COND)
#define EL_BCC_N(a, n)	el_range(a, n, CST_INSN_BRANCH, CST_INSN_PLAIN, CST_GF_WAYPOINT | CST_GF_COND)
#define EL_BL(a, n)	el_range(a, n, CST_INSN_BRANCH, CST_INSN_LINK, EL_TAKEN | CST_GF_LINK)
#define EL_BR(a, n)	el_range(a, n, CST_INSN_INDIRECT, CST_INSN_PLAIN, EL_TAKEN)
#define EL_RET(a, n)	el_range(a, n, CST_INSN_INDIRECT, CST_INSN_RET, EL_TAKEN)
#define EL_CUT(a, n)	el_range(a, n, CST_INSN_OTHER, CST_INSN_PLAIN, CST_GF_EXEC)

static inline struct cst_generic el_plain(unsigned int kind)
{
	return (struct cst_generic){ .kind = (uint8_t)kind };
}

static inline struct cst_generic el_exception(unsigned int num, uint64_t ret)
{
	return (struct cst_generic){ .kind = CST_GEN_EXCEPTION, .num = (uint16_t)num, .end = ret,
				     .flags = CST_GF_RET_ADDR };
}

static inline struct cst_generic el_no_sync(enum cst_unsync_reason why, unsigned int flags)
{
	return (struct cst_generic){ .kind = CST_GEN_NO_SYNC, .num = (uint16_t)why,
				     .flags = (uint16_t)flags };
}

static inline struct cst_generic el_next(unsigned int kind, uint64_t target)
{
	return (struct cst_generic){ .kind = (uint8_t)kind, .addr = target, .flags = CST_GF_NEXT };
}

static inline struct cst_generic el_doubtful(struct cst_generic g)
{
	g.flags |= CST_GF_DOUBTFUL;
	return g;
}

static inline struct cst_generic el_cycles(uint32_t cc)
{
	return (struct cst_generic){ .kind = CST_GEN_CYCLE_COUNT, .cc = cc, .flags = CST_GF_CC };
}

#endif
