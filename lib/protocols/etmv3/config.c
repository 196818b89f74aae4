/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - ETMv3 registers to decoder configuration (IHI 0014Q, ETMCR, ETMIDR, ETMCCER).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

int cst_config_etmv3(struct cst_config *cfg, const struct cst_etmv3_regs *r,
		     enum cst_profile profile)
{
	struct cst_config own = { .protocol = CST_PROTO_ETMV3 };
	struct cst_etmv3_regs own_regs;
	unsigned int minor;

	r = TAKE(cst_etmv3_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	minor = BITS(r->idr, 7, 4);
	own.profile = profile;
	own.version = 0x30 | minor;
	own.trace_id = r->traceidr & 0x7f;
	own.atom_per_insn = 1;
	own.cid_bytes = etmcr_cid_bytes(r->cr);
	own.branch_broadcast = BIT(r->cr, 8);
	own.cycle_count = BIT(r->cr, 12);
	own.data_value = BIT(r->cr, 2);
	own.data_addr = BIT(r->cr, 3);
	own.data_only = BIT(r->cr, 20);
	own.data_trace = own.data_value || own.data_addr;
	own.alt_branch = minor >= 4 && BIT(r->idr, 20);
	own.virt_ext = minor >= 5 && BIT(r->ccer, 26);
	own.vmid_bytes = own.virt_ext && BIT(r->cr, 30);
	own.ts64 = minor >= 5 && BIT(r->ccer, 29);
	own.ts_gray = !BIT(r->ccer, 28);
	if (GIVE(cst_config, cfg, own))
		return -CST_ERR_INVAL;
	/* ETMIDR[11:8] is the major version minus 1 */
	return BITS(r->idr, 11, 8) == 2 && minor <= 5 ? 0 : -CST_ERR_VERSION;
}
