/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - PTM registers to decoder configuration (IHI 0035B chapter 3, ETMCR, ETMCCER, ETMIDR).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

static int config(struct cst_config *cfg, const struct cst_etmv3_regs *r)
{
	unsigned int minor = BITS(r->idr, 7, 4);

	cfg->protocol = CST_PROTO_PTM;
	cfg->profile = CST_PROFILE_A;
	cfg->version = 0x10 | minor;
	cfg->trace_id = r->traceidr & 0x7f;
	cfg->cid_bytes = etmcr_cid_bytes(r->cr);
	cfg->branch_broadcast = BIT(r->cr, 8);
	cfg->cycle_count = BIT(r->cr, 12);
	cfg->ret_stack = BIT(r->ccer, 23) && BIT(r->cr, 29);
	cfg->barrier_p0 = BIT(r->ccer, 24);
	cfg->virt_ext = BIT(r->ccer, 26);
	cfg->vmid_bytes = cfg->virt_ext && BIT(r->cr, 30);
	/* PFT 1.0 has Gray coded timestamps of 48 bits only */
	cfg->ts64 = minor >= 1 && BIT(r->ccer, 29);
	cfg->ts_gray = !(minor >= 1 && BIT(r->ccer, 28));
	return BITS(r->idr, 11, 8) == 3 && minor <= 1 ? 0 : -CST_ERR_VERSION;
}

int cst_config_ptm(struct cst_config *cfg, const struct cst_etmv3_regs *r)
{
	struct cst_config own = { 0 };
	struct cst_etmv3_regs own_regs;
	int err;

	r = TAKE(cst_etmv3_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	err = config(&own, r);
	return GIVE(cst_config, cfg, own) ? -CST_ERR_INVAL : err;
}
