/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.c - findings for packets that can be parsed, but have a value that is reserved or contradicts the configuration.
 * Only packets of types that can have one are checked. `p` is the first byte of the packet.
 */
#include <cstrace/error.h>

#include "base/bits.h"
#include "base/log_int.h"
#include "protocols/etmv4/etmv4.h"

/* Trace Info: bits of its control byte and of the INFO section. */
#define PLCTL_DEFINED 0x1f
#define PLCTL_KEY 0x02
#define INFO_CC 0x01
#define INFO_COND 0x0e
#define INFO_LOAD_STORE 0x30
#define INFO_TRANSACTION 0x40

/* Context information byte. */
#define CTXT_RES0 0x04
#define CTXT_NSE 0x08
#define CTXT_SF 0x10
#define CTXT_VMID 0x40
#define CTXT_CID 0x80

static void check_context(const struct etmv4_parser *ps, uint8_t info, struct cst_packet *pkt)
{
	if (info & CTXT_RES0 || (info & CTXT_NSE && ps->cfg->protocol != CST_PROTO_ETE))
		packet_finding(pkt, CST_FIND_ETM_CONTEXT_BITS);
	if ((info & CTXT_VMID && !ps->cfg->vmid_bytes) || (info & CTXT_CID && !ps->cfg->cid_bytes))
		packet_finding(pkt, CST_FIND_ETM_CONTEXT_ID);
	/* AArch64 has one instruction set, IS0 */
	if (pkt->flags & CST_PF_ADDR && info & CTXT_SF && pkt->is)
		packet_finding(pkt, CST_FIND_ETM_CONTEXT_IS);
}

/* Checks a long address of `bytes` bytes at `p` (K10.5.2.14.2). */
static void check_long(const struct etmv4_parser *ps, const uint8_t *p, unsigned int bytes, struct cst_packet *pkt)
{
	if ((p[0] | (pkt->is ? 0 : p[1])) & 0x80)
		packet_finding(pkt, CST_FIND_ETM_ADDRESS_BITS);
	if (bytes == 8 && !ps->cfg->ia64)
		packet_finding(pkt, CST_FIND_ETM_ADDRESS_64);
}

static void check_trace_info(const struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt)
{
	const struct cst_config *cfg = ps->cfg;
	int ete = cfg->protocol == CST_PROTO_ETE;
	uint32_t defined = INFO_CC | (ete ? INFO_TRANSACTION : INFO_COND | INFO_LOAD_STORE);

	/* a second control byte has no defined bits */
	if (p[1] & ~PLCTL_DEFINED || pkt->info & ~defined || (ete && p[1] & PLCTL_KEY && pkt->key))
		packet_finding(pkt, CST_FIND_ETM_INFO_BITS);
	if (!(pkt->info & INFO_CC) == !!cfg->cycle_count || (pkt->info & INFO_COND && !cfg->cond_trace && !ete))
		packet_finding(pkt, CST_FIND_ETM_INFO_CONFIG);
	if (pkt->spec > cfg->max_spec)
		packet_finding(pkt, CST_FIND_ETM_INFO_SPEC);
}

static void check_cycle_count(struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt)
{
	const struct cst_config *cfg = ps->cfg;

	if (!cfg->cycle_count)
		packet_finding(pkt, CST_FIND_ETM_CC_OFF);
	/* with COMMOPT 1, the bits of the commit field have a fixed value */
	if (cfg->commopt && ((pkt->type == CST_PKT_CCNT_F2 && (!(p[0] & 1) || p[1] >> 4 != 15)) ||
			     (pkt->type == CST_PKT_CCNT_F3 && p[0] & 0x0c)))
		packet_finding(pkt, CST_FIND_ETM_CC_COMMIT);
	if (ps->overflowed && !(pkt->flags & CST_PF_CC_UNKNOWN))
		packet_finding(pkt, CST_FIND_ETM_CC_OVERFLOW);
	ps->overflowed = 0;
}

/* True if the profile has the exception type (Arm ARM, "Exception packet", TYPE). */
static int is_exception(const struct cst_config *cfg, unsigned int type)
{
	/* bit n: type n exists; interrupts of the M profile from number 8 on are types 0x208 and above */
	static const uint32_t ar = 0x00ffdcdf, m = 0x07ffd8fe;

	if (cfg->profile == CST_PROFILE_M)
		return type < 32 ? m >> type & 1 : type >= 0x208 && type <= 0x3ef;
	return type < 32 && ar >> type & 1;
}

static void check_exception(const struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt)
{
	const struct cst_config *cfg = ps->cfg;
	int m = cfg->profile == CST_PROFILE_M;

	if (p[1] & 0x80 && (p[2] & 0xc0 || !m))
		packet_finding(pkt, CST_FIND_ETM_EXCEPTION_BITS);
	if (cfg->protocol == CST_PROTO_ETE && (pkt->exc_type == 0 || pkt->exc_type == 0x18))
		packet_finding(pkt, CST_FIND_ETM_EXCEPTION_FORM);
	else if (!is_exception(cfg, pkt->exc_type))
		packet_finding(pkt, CST_FIND_ETM_EXCEPTION_TYPE);
}

static void check_q(const struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt)
{
	int with_count = pkt->q_type != 15;

	/* TRCIDR0.QSUPP 1: all Q packets have a count; 2: none has */
	if ((ps->cfg->qsupp == 1 && !with_count) || (ps->cfg->qsupp == 2 && with_count))
		packet_finding(pkt, CST_FIND_ETM_Q_FORM);
	/* of the forms that there are, TRCCONFIGR.QE turns some off */
	if (ps->cfg->q_off & (with_count ? 1 : 2))
		packet_finding(pkt, CST_FIND_ETM_Q_OFF);
	if (pkt->q_type == 10 || pkt->q_type == 11)
		check_long(ps, p + 1, 4, pkt);
}

void cst_etmv4_check(struct etmv4_parser *ps, const uint8_t *p, struct cst_packet *pkt)
{
	switch (pkt->type) {
	case CST_PKT_ADDR_32: case CST_PKT_SRC_32:
		check_long(ps, p + 1, 4, pkt);
		break;
	case CST_PKT_ADDR_64: case CST_PKT_SRC_64:
		check_long(ps, p + 1, 8, pkt);
		break;
	case CST_PKT_ADDR_CTXT_32:
		check_long(ps, p + 1, 4, pkt);
		check_context(ps, p[5], pkt);
		break;
	case CST_PKT_ADDR_CTXT_64:
		check_long(ps, p + 1, 8, pkt);
		check_context(ps, p[9], pkt);
		break;
	case CST_PKT_CONTEXT:
		if (p[0] & 1)
			check_context(ps, p[1], pkt);
		break;
	case CST_PKT_TRACE_INFO:
		check_trace_info(ps, p, pkt);
		break;
	case CST_PKT_TIMESTAMP:
		if (pkt->flags & CST_PF_CC && !ps->cfg->cycle_count)
			packet_finding(pkt, CST_FIND_ETM_CC_OFF);
		break;
	case CST_PKT_CCNT_F1: case CST_PKT_CCNT_F2: case CST_PKT_CCNT_F3:
		check_cycle_count(ps, p, pkt);
		break;
	case CST_PKT_EXCEPTION:
		check_exception(ps, p, pkt);
		break;
	case CST_PKT_Q:
		check_q(ps, p, pkt);
		break;
	case CST_PKT_COMMIT: case CST_PKT_CANCEL_F1: case CST_PKT_CANCEL_F1_MISP: case CST_PKT_CANCEL_F2:
	case CST_PKT_CANCEL_F3: case CST_PKT_MISPREDICT:
		if (!ps->cfg->max_spec)
			packet_finding(pkt, CST_FIND_ETM_NO_SPECULATION);
		break;
	case CST_PKT_ITE:
		if (p[1] & 0xfc)
			packet_finding(pkt, CST_FIND_ETM_ITE_BITS);
		break;
	case CST_PKT_TS_MARKER:
		if (!ps->cfg->ts_marker)
			packet_finding(pkt, CST_FIND_ETM_TS_MARKER);
		break;
	case CST_PKT_COND_I_F3:
		if (p[1] & 0x80)
			packet_finding(pkt, CST_FIND_RESERVED_BITS);
		break;
	case CST_PKT_OVERFLOW:
		/* in ETE the first cycle count after an Overflow is unknown */
		ps->overflowed = ps->cfg->protocol == CST_PROTO_ETE;
		break;
	default:
		break;
	}
}
