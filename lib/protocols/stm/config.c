/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - STM registers to decoder configuration (DDI 0444, STMTCSR). Only the trace ID is needed, since VERSION packets
 * carry the form of the timestamps.
 */
#include <string.h>

#include <cstrace/config.h>

#include "base/bits.h"

int cst_config_stm(struct cst_config *cfg, const struct cst_stm_regs *r)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->protocol = CST_PROTO_STM;
	cfg->trace_id = BITS(r->tcsr, 22, 16);
	return 0;
}
