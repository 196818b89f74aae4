/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - ITM registers to decoder configuration (DDI 0403, ITM_TCR).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

#define TCR_SWOENA 4

static int config(struct cst_config *cfg, const struct cst_itm_regs *r)
{
	cfg->protocol = CST_PROTO_ITM;
	cfg->profile = CST_PROFILE_M;
	cfg->trace_id = BITS(r->tcr, 22, 16);
	/* TSPrescale divides the asynchronous clock of the trace port only: by 1, 4, 16 or 64 */
	cfg->ts_prescale = BIT(r->tcr, TCR_SWOENA) ? 1u << 2 * BITS(r->tcr, 9, 8) : 1;
	cfg->itm_sync = CST_ITM_SYNC_TRY;
	return 0;
}

int cst_config_itm(struct cst_config *cfg, const struct cst_itm_regs *r)
{
	struct cst_config own = { 0 };
	struct cst_itm_regs own_regs;
	int err;

	r = TAKE(cst_itm_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	err = config(&own, r);
	return GIVE(cst_config, cfg, own) ? -CST_ERR_INVAL : err;
}
