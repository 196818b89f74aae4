/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - STM registers to decoder configuration (DDI 0444, STMTCSR). Only the trace ID is needed, since VERSION packets
 * carry the form of the timestamps.
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

int cst_config_stm(struct cst_config *cfg, const struct cst_stm_regs *r)
{
	struct cst_config own = { .protocol = CST_PROTO_STM };
	struct cst_stm_regs own_regs;

	r = TAKE(cst_stm_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	own.trace_id = BITS(r->tcsr, 22, 16);
	return GIVE(cst_config, cfg, own);
}
