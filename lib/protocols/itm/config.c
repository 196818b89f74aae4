/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - ITM registers to decoder configuration (DDI 0403, ITM_TCR).
 */
#include <string.h>

#include <cstrace/config.h>

#include "base/bits.h"

#define TCR_SWOENA 4

int cst_config_itm(struct cst_config *cfg, const struct cst_itm_regs *r)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->protocol = CST_PROTO_ITM;
	cfg->profile = CST_PROFILE_M;
	cfg->trace_id = BITS(r->tcr, 22, 16);
	/* TSPrescale divides the asynchronous clock of the trace port only: by 1, 4, 16 or 64 */
	cfg->ts_prescale = BIT(r->tcr, TCR_SWOENA) ? 1u << 2 * BITS(r->tcr, 9, 8) : 1;
	cfg->itm_sync = CST_ITM_SYNC_TRY;
	return 0;
}
