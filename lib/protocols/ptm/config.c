/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - PTM registers to decoder configuration (IHI 0035B chapter 3, ETMCR, ETMCCER, ETMIDR).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

int cst_config_ptm(struct cst_config *cfg, const struct cst_etmv3_regs *r)
{
	struct cst_config own = { .protocol = CST_PROTO_PTM };
	struct cst_etmv3_regs own_regs;
	unsigned int minor;

	r = TAKE(cst_etmv3_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	minor = BITS(r->idr, 7, 4);
	own.profile = CST_PROFILE_A;
	own.version = 0x10 | minor;
	own.trace_id = r->traceidr & 0x7f;
	own.cid_bytes = etmcr_cid_bytes(r->cr);
	own.branch_broadcast = BIT(r->cr, 8);
	own.cycle_count = BIT(r->cr, 12);
	own.ret_stack = BIT(r->ccer, 23) && BIT(r->cr, 29);
	own.barrier_p0 = BIT(r->ccer, 24);
	own.virt_ext = BIT(r->ccer, 26);
	own.vmid_bytes = own.virt_ext && BIT(r->cr, 30);
	/* PFT 1.0 has Gray coded timestamps of 48 bits only */
	own.ts64 = minor >= 1 && BIT(r->ccer, 29);
	own.ts_gray = !(minor >= 1 && BIT(r->ccer, 28));
	if (GIVE(cst_config, cfg, own))
		return -CST_ERR_INVAL;
	return BITS(r->idr, 11, 8) == 3 && minor <= 1 ? 0 : -CST_ERR_VERSION;
}
