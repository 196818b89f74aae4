/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - ETMv3 registers to decoder configuration (IHI 0014Q, ETMCR, ETMIDR, ETMCCER).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

static int config(struct cst_config *cfg, const struct cst_etmv3_regs *r, enum cst_profile profile)
{
	unsigned int minor = BITS(r->idr, 7, 4);

	cfg->protocol = CST_PROTO_ETMV3;
	cfg->profile = profile;
	cfg->version = 0x30 | minor;
	cfg->trace_id = r->traceidr & 0x7f;
	cfg->atom_per_insn = 1;
	cfg->cid_bytes = etmcr_cid_bytes(r->cr);
	cfg->branch_broadcast = BIT(r->cr, 8);
	cfg->cycle_count = BIT(r->cr, 12);
	cfg->data_value = BIT(r->cr, 2);
	cfg->data_addr = BIT(r->cr, 3);
	cfg->data_only = BIT(r->cr, 20);
	cfg->data_trace = cfg->data_value || cfg->data_addr;
	cfg->alt_branch = minor >= 4 && BIT(r->idr, 20);
	cfg->virt_ext = minor >= 5 && BIT(r->ccer, 26);
	cfg->vmid_bytes = cfg->virt_ext && BIT(r->cr, 30);
	cfg->ts64 = minor >= 5 && BIT(r->ccer, 29);
	cfg->ts_gray = !BIT(r->ccer, 28);
	/* ETMIDR[11:8] is the major version minus 1 */
	return BITS(r->idr, 11, 8) == 2 && minor <= 5 ? 0 : -CST_ERR_VERSION;
}

int cst_config_etmv3(struct cst_config *cfg, const struct cst_etmv3_regs *r,
		     enum cst_profile profile)
{
	struct cst_config own = { 0 };
	struct cst_etmv3_regs own_regs;
	int err;

	r = TAKE(cst_etmv3_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	err = config(&own, r, profile);
	return GIVE(cst_config, cfg, own) ? -CST_ERR_INVAL : err;
}
