/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - ETMv4 and ETE registers to decoder configuration (Arm ARM K10.5.1.3; IHI 0064, TRCIDR0 to TRCIDR13,
 * TRCCONFIGR, TRCDEVARCH).
 */
#include <cstrace/config.h>
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/sized.h"

/* Sizes of VMID and context ID are numbers of bytes: 1, 2 or 4. Other values are reserved and taken as 0. */
static uint8_t id_bytes(unsigned int field)
{
	return field == 1 || field == 2 || field == 4 ? field : 0;
}

/*
 * True if TRCCONFIGR enables what TRCIDR0 does not have: the registers are then not those of the trace unit that made the
 * trace, and are rejected. Trace units of the A profile, or with 64-bit addresses, have no loads and stores that are P0
 * instructions.
 */
static int contradicts(const struct cst_config *cfg, const struct cst_etmv4_regs *r)
{
	unsigned int instp0 = BITS(r->configr, 2, 1), data = BITS(r->configr, 17, 16), cond = BITS(r->configr, 10, 8);

	if (instp0 && (BITS(r->idr0, 2, 1) != 3 || cfg->ia64 || cfg->profile == CST_PROFILE_A))
		return 1;
	if (data && !cfg->data_trace)
		return 1;
	/* reserved are 4 to 6 of TRCCONFIGR.COND, and 2 and 3 of TRCIDR0.CONDTYPE */
	return cond && (!cfg->cond_trace || (cond > 3 && cond != 7) || BITS(r->idr0, 13, 12) > 1);
}

/*
 * Returns the forms of Q elements that the trace unit has and TRCCONFIGR.QE turns off, as bits of
 * QSUPP: 0 turns off both, 1 those without a count. 2 is reserved, but older Linux writes it
 * (sysfs) to units that have the form without a count only.
 */
static uint8_t q_off(unsigned int qsupp, unsigned int qe)
{
	return (uint8_t)(qe == 0 ? qsupp : qe == 1 ? qsupp & 2 : 0);
}

enum { ARCHVER_ETMV4 = 4, ARCHVER_ETE = 5, MAJOR_ETMV4 = 4, MAJOR_SEE_DEVARCH = 15 };

int cst_etmv4_is_ete(const struct cst_etmv4_regs *r, int recorded)
{
	struct cst_etmv4_regs own;

	r = TAKE(cst_etmv4_regs, r, own);
	if (!r)
		return recorded;
	if (r->devarch)
		return BITS(r->devarch, 15, 12) != ARCHVER_ETMV4;
	if (BITS(r->idr1, 11, 8) == MAJOR_ETMV4)
		return 0;
	return recorded || BITS(r->idr1, 11, 8) == MAJOR_SEE_DEVARCH;
}

/* Returns major and minor version in four bits each; major version 0: TRCDEVARCH names another architecture. */
static uint8_t arch_version(const struct cst_etmv4_regs *r, int ete)
{
	unsigned int major = BITS(r->idr1, 11, 8), minor = BITS(r->idr1, 7, 4);

	if (ete) {
		major = !r->devarch || BITS(r->devarch, 15, 12) == ARCHVER_ETE ? ARCHVER_ETE : 0;
		minor = BITS(r->devarch, 19, 16);
	} else if (r->devarch && (major == MAJOR_SEE_DEVARCH || !r->idr1)) {
		major = ARCHVER_ETMV4;
		minor = BITS(r->devarch, 19, 16);
	}
	return (uint8_t)(major << 4 | minor);
}

static int config(struct cst_config *cfg, const struct cst_etmv4_regs *r, int ete,
		  enum cst_profile profile)
{
	unsigned int major, minor;

	ete = cst_etmv4_is_ete(r, ete);
	cfg->protocol = ete ? CST_PROTO_ETE : CST_PROTO_ETMV4;
	cfg->profile = profile;
	cfg->trace_id = r->traceidr & 0x7f;
	cfg->version = arch_version(r, ete);
	major = cfg->version >> 4;
	minor = cfg->version & 15;
	cfg->ia64 = BITS(r->idr2, 4, 0) == 8;
	/*
	 * ETE fixes both sizes to 32 bits, and a zero field means that the register was not captured. A trace unit that
	 * states another size sends that many bytes, though the value is reserved (cst_config_etmv4_reserved()).
	 */
	cfg->cid_bytes = id_bytes(BITS(r->idr2, 9, 5));
	cfg->vmid_bytes = id_bytes(BITS(r->idr2, 14, 10));
	if (ete && !cfg->cid_bytes)
		cfg->cid_bytes = 4;
	if (ete && !cfg->vmid_bytes)
		cfg->vmid_bytes = 4;
	cfg->cc_bits = BITS(r->idr2, 28, 25) + 12;
	/* ETE always counts cycles, whatever TRCCCI says */
	cfg->commopt = BIT(r->idr0, 29) && (BIT(r->idr0, 7) || ete);
	cfg->trans_p0 = !BIT(r->idr0, 30);
	cfg->qsupp = BITS(r->idr0, 16, 15);
	cfg->q_off = q_off(cfg->qsupp, BITS(r->configr, 14, 13));
	cfg->wfx_p0 = BIT(r->idr2, 31) && cfg->version >= 0x43;
	cfg->ret_stack = BIT(r->configr, 12);
	cfg->cycle_count = BIT(r->configr, 4);
	cfg->branch_broadcast = BIT(r->configr, 3);
	cfg->cond_trace = !ete && BIT(r->idr0, 6) && BITS(r->configr, 10, 8);
	if (cfg->cond_trace) {
		cfg->cond_mode = BITS(r->configr, 10, 8);
		cfg->cond_flags = BITS(r->idr0, 13, 12) == 1;
		cfg->cond_keys = r->idr12 > r->idr13 ? r->idr12 - r->idr13 : 0;
	}
	if (!ete && BITS(r->idr0, 2, 1) == 3) {
		cfg->load_p0 = BIT(r->configr, 1);
		cfg->store_p0 = BIT(r->configr, 2);
	}
	cfg->p0_keys = r->idr9 ? r->idr9 : 1;
	cfg->data_trace = !ete && BITS(r->idr0, 4, 3) == 3 && BITS(r->configr, 2, 1) &&
			  BITS(r->configr, 17, 16);
	cfg->ts_marker = BIT(r->idr0, 23);
	cfg->vmid_is_cid2 = BIT(r->configr, 15);
	cfg->max_spec = r->idr8;
	cfg->max_queue = 65536;
	cfg->hold_transactions = 1;

	if ((ete && (major != 5 || minor > 3)) || (!ete && (major != 4 || minor > 6)))
		return -CST_ERR_VERSION;
	if (!ete && contradicts(cfg, r))
		return -CST_ERR_UNSUP;
	return 0;
}

int cst_config_etmv4(struct cst_config *cfg, const struct cst_etmv4_regs *r, int ete,
		     enum cst_profile profile)
{
	struct cst_config own = { 0 };
	struct cst_etmv4_regs own_regs;
	int err;

	r = TAKE(cst_etmv4_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	err = config(&own, r, ete, profile);
	return GIVE(cst_config, cfg, own) ? -CST_ERR_INVAL : err;
}

int cst_config_etmv4_data(struct cst_config *cfg, const struct cst_etmv4_regs *r, enum cst_profile profile)
{
	struct cst_config own = { 0 };
	struct cst_etmv4_regs own_regs;
	int err;

	r = TAKE(cst_etmv4_regs, r, own_regs);
	if (!r)
		return -CST_ERR_INVAL;
	err = config(&own, r, 0, profile);
	own.protocol = CST_PROTO_ETMV4_DATA;
	/* TRCTRACEIDR holds the instruction stream's ID, which is even; the data stream has the next one */
	own.trace_id |= 1;
	own.data_addr = BIT(r->configr, 16);
	own.data_value = BIT(r->configr, 17);
	if (GIVE(cst_config, cfg, own))
		return -CST_ERR_INVAL;
	return err == -CST_ERR_UNSUP ? 0 : err;
}
