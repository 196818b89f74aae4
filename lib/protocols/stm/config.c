/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - STM registers to decoder configuration (DDI 0444, STMTCSR). Only the trace ID is needed, since VERSION packets
 * carry the form of the timestamps.
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

static int config(struct cst_config *cfg, const struct cst_stm_regs *r)
{
	cfg->protocol = CST_PROTO_STM;
	cfg->trace_id = BITS(r->tcsr, 22, 16);
	return 0;
}

int cst_config_stm(struct cst_config *cfg, const struct cst_stm_regs *r)
{
	struct cst_config own = { 0 };
	struct cst_stm_regs own_regs;
	int err;

	r = TAKE(cst_stm_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	err = config(&own, r);
	return GIVE(cst_config, cfg, own) ? -CST_ERR_INVAL : err;
}
