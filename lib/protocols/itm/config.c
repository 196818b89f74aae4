/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - ITM registers to decoder configuration (DDI 0403, ITM_TCR).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

#define TCR_SWOENA 4

int cst_config_itm(struct cst_config *cfg, const struct cst_itm_regs *r)
{
	struct cst_config own = { .protocol = CST_PROTO_ITM };
	struct cst_itm_regs own_regs;

	r = TAKE(cst_itm_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	own.profile = CST_PROFILE_M;
	own.trace_id = BITS(r->tcr, 22, 16);
	/* TSPrescale divides the asynchronous clock of the trace port only: by 1, 4, 16 or 64 */
	own.ts_prescale = BIT(r->tcr, TCR_SWOENA) ? 1u << 2 * BITS(r->tcr, 9, 8) : 1;
	own.itm_sync = CST_ITM_SYNC_TRY;
	return GIVE(cst_config, cfg, own);
}
