/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - packets in the client's structures, and back for their texts: ETMv4 and ETE. Fields that
 * OpenCSD keeps from packet to packet (address, context, timestamp, threshold) are kept here as well.
 */
#include <string.h>

#include "packet.h"

/* By enum cst_etmv4_packet_type; sub-ISA 0. IS1 is one more, where `is1` says so. */
static const struct type {
	uint16_t ocsd;
	bool is1;
} types[CST_PKT_TYPES] = {
	[CST_PKT_NOT_SYNC] = { ETM4_PKT_I_NOTSYNC, false },
	[CST_PKT_INCOMPLETE] = { ETM4_PKT_I_INCOMPLETE_EOT, false },
	[CST_PKT_BAD_SEQUENCE] = { ETM4_PKT_I_BAD_SEQUENCE, false },
	[CST_PKT_RESERVED] = { ETM4_PKT_I_RESERVED, false },
	[CST_PKT_RESERVED_CFG] = { ETM4_PKT_I_RESERVED_CFG, false },
	[CST_PKT_ASYNC] = { ETM4_PKT_I_ASYNC, false },
	[CST_PKT_DISCARD] = { ETM4_PKT_I_DISCARD, false },
	[CST_PKT_OVERFLOW] = { ETM4_PKT_I_OVERFLOW, false },
	[CST_PKT_TRACE_INFO] = { ETM4_PKT_I_TRACE_INFO, false },
	[CST_PKT_TIMESTAMP] = { ETM4_PKT_I_TIMESTAMP, false },
	[CST_PKT_TRACE_ON] = { ETM4_PKT_I_TRACE_ON, false },
	[CST_PKT_FUNC_RETURN] = { ETM4_PKT_I_FUNC_RET, false },
	[CST_PKT_EXCEPTION] = { ETM4_PKT_I_EXCEPT, false },
	[CST_PKT_EXC_RETURN] = { ETM4_PKT_I_EXCEPT_RTN, false },
	[CST_PKT_ITE] = { ETE_PKT_I_ITE, false },
	[CST_PKT_TRANS_START] = { ETE_PKT_I_TRANS_ST, false },
	[CST_PKT_TRANS_COMMIT] = { ETE_PKT_I_TRANS_COMMIT, false },
	[CST_PKT_TRANS_FAIL] = { ETE_PKT_I_TRANS_FAIL, false },
	[CST_PKT_PE_RESET] = { ETE_PKT_I_PE_RESET, false },
	[CST_PKT_CCNT_F1] = { ETM4_PKT_I_CCNT_F1, false },
	[CST_PKT_CCNT_F2] = { ETM4_PKT_I_CCNT_F2, false },
	[CST_PKT_CCNT_F3] = { ETM4_PKT_I_CCNT_F3, false },
	[CST_PKT_DATA_SYNC_NUM] = { ETM4_PKT_I_NUM_DS_MKR, false },
	[CST_PKT_DATA_SYNC] = { ETM4_PKT_I_UNNUM_DS_MKR, false },
	[CST_PKT_COMMIT] = { ETM4_PKT_I_COMMIT, false },
	[CST_PKT_CANCEL_F1] = { ETM4_PKT_I_CANCEL_F1, false },
	[CST_PKT_CANCEL_F1_MISP] = { ETM4_PKT_I_CANCEL_F1_MISPRED, false },
	[CST_PKT_CANCEL_F2] = { ETM4_PKT_I_CANCEL_F2, false },
	[CST_PKT_CANCEL_F3] = { ETM4_PKT_I_CANCEL_F3, false },
	[CST_PKT_MISPREDICT] = { ETM4_PKT_I_MISPREDICT, false },
	[CST_PKT_COND_I_F1] = { ETM4_PKT_I_COND_I_F1, false },
	[CST_PKT_COND_I_F2] = { ETM4_PKT_I_COND_I_F2, false },
	[CST_PKT_COND_I_F3] = { ETM4_PKT_I_COND_I_F3, false },
	[CST_PKT_COND_FLUSH] = { ETM4_PKT_I_COND_FLUSH, false },
	[CST_PKT_COND_R_F1] = { ETM4_PKT_I_COND_RES_F1, false },
	[CST_PKT_COND_R_F2] = { ETM4_PKT_I_COND_RES_F2, false },
	[CST_PKT_COND_R_F3] = { ETM4_PKT_I_COND_RES_F3, false },
	[CST_PKT_COND_R_F4] = { ETM4_PKT_I_COND_RES_F4, false },
	[CST_PKT_IGNORE] = { ETM4_PKT_I_IGNORE, false },
	[CST_PKT_EVENT] = { ETM4_PKT_I_EVENT, false },
	[CST_PKT_CONTEXT] = { ETM4_PKT_I_CTXT, false },
	[CST_PKT_ADDR_CTXT_32] = { ETM4_PKT_I_ADDR_CTXT_L_32IS0, true },
	[CST_PKT_ADDR_CTXT_64] = { ETM4_PKT_I_ADDR_CTXT_L_64IS0, true },
	[CST_PKT_TS_MARKER] = { ETM4_PKT_I_TS_MARKER, false },
	[CST_PKT_ADDR_MATCH] = { ETM4_PKT_I_ADDR_MATCH, false },
	[CST_PKT_ADDR_SHORT] = { ETM4_PKT_I_ADDR_S_IS0, true },
	[CST_PKT_ADDR_32] = { ETM4_PKT_I_ADDR_L_32IS0, true },
	[CST_PKT_ADDR_64] = { ETM4_PKT_I_ADDR_L_64IS0, true },
	[CST_PKT_Q] = { ETM4_PKT_I_Q, false },
	[CST_PKT_SRC_MATCH] = { ETE_PKT_I_SRC_ADDR_MATCH, false },
	[CST_PKT_SRC_SHORT] = { ETE_PKT_I_SRC_ADDR_S_IS0, true },
	[CST_PKT_SRC_32] = { ETE_PKT_I_SRC_ADDR_L_32IS0, true },
	[CST_PKT_SRC_64] = { ETE_PKT_I_SRC_ADDR_L_64IS0, true },
	[CST_PKT_ATOM_F1] = { ETM4_PKT_I_ATOM_F1, false },
	[CST_PKT_ATOM_F2] = { ETM4_PKT_I_ATOM_F2, false },
	[CST_PKT_ATOM_F3] = { ETM4_PKT_I_ATOM_F3, false },
	[CST_PKT_ATOM_F4] = { ETM4_PKT_I_ATOM_F4, false },
	[CST_PKT_ATOM_F5] = { ETM4_PKT_I_ATOM_F5, false },
	[CST_PKT_ATOM_F6] = { ETM4_PKT_I_ATOM_F6, false },
};

static ocsd_etmv4_i_pkt_type type_of(unsigned int type, unsigned int is)
{
	if (type >= CST_PKT_TYPES)
		return ETM4_PKT_I_RESERVED;
	return (ocsd_etmv4_i_pkt_type)(types[type].ocsd + (types[type].is1 && is ? 1 : 0));
}

static void etmv4_reset(ocsd_etmv4_i_pkt *out, const struct cst_config *cfg)
{
	out->type = ETM4_PKT_I_NOTSYNC;
	out->err_type = ETM4_PKT_I_NO_ERR_TYPE;
	out->protocol_version = cfg->version;
}

static bool has_address(const struct cst_packet *p)
{
	switch (p->type) {
	case CST_PKT_ADDR_CTXT_32:
	case CST_PKT_ADDR_CTXT_64:
	case CST_PKT_ADDR_MATCH:
	case CST_PKT_ADDR_SHORT:
	case CST_PKT_ADDR_32:
	case CST_PKT_ADDR_64:
	case CST_PKT_SRC_MATCH:
	case CST_PKT_SRC_SHORT:
	case CST_PKT_SRC_32:
	case CST_PKT_SRC_64:
		return true;
	}
	return p->type == CST_PKT_Q && p->flags & CST_PF_ADDR;
}

static bool has_context(const struct cst_packet *p)
{
	return p->type == CST_PKT_CONTEXT || p->type == CST_PKT_ADDR_CTXT_32 ||
	       p->type == CST_PKT_ADDR_CTXT_64;
}

static void put_context(ocsd_etmv4_i_pkt *o, const struct cst_packet *p)
{
	etmv4_context_t *c = &o->context;

	c->updated = !!(p->flags & CST_PF_CONTEXT);
	c->updated_c = !!(p->flags & CST_PF_CID);
	c->updated_v = !!(p->flags & CST_PF_VMID);
	o->pkt_valid.bits.context_valid = 1;
	if (!c->updated)
		return;
	c->EL = p->el & 3;
	c->SF = p->sf & 1;
	c->NS = p->security & 1;
	c->NSE = p->security >> 1 & 1;
	if (c->updated_c)
		c->ctxtID = p->cid;
	if (c->updated_v)
		c->VMID = p->vmid;
}

static void etmv4_to(ocsd_etmv4_i_pkt *o, const struct cst_packet *p, const struct cst_config *cfg)
{
	/* reset the fields that are valid for one packet only */
	o->atom.En_bits = o->atom.num = 0;
	o->cycle_count = 0;
	o->commit_elements = o->cancel_elements = 0;
	memset(&o->exception_info, 0, sizeof(o->exception_info));
	memset(&o->Q_pkt, 0, sizeof(o->Q_pkt));
	memset(&o->ite_pkt, 0, sizeof(o->ite_pkt));
	o->pkt_valid.val = 0;
	o->trace_info.bits.initial_t_info = o->trace_info.bits.spec_field_present = 0;
	o->context.updated = o->context.updated_c = o->context.updated_v = 0;
	o->protocol_version = cfg->version;
	o->type = type_of(p->type, p->is);
	o->err_type = ETM4_PKT_I_NO_ERR_TYPE;
	o->err_hdr_val = p->header;
	if (p->type == CST_PKT_BAD_SEQUENCE || p->type == CST_PKT_INCOMPLETE || p->type == CST_PKT_RESERVED_CFG) {
		o->err_type = type_of(p->bad_type, p->is);
		return;
	}
	if (has_address(p)) {
		o->v_addr.val = p->addr;
		o->v_addr.size = p->type == CST_PKT_ADDR_CTXT_32 || p->type == CST_PKT_ADDR_32 ||
				 p->type == CST_PKT_SRC_32 ? VA_32BIT : VA_64BIT;
		o->v_addr.pkt_bits = p->addr_bits;
		o->v_addr.valid_bits = o->v_addr.size == VA_32BIT && o->v_addr.valid_bits < 64 ? 32 : 64;
		o->v_addr_ISA = p->is;
		o->addr_exact_match_idx = p->match;
	}
	if (has_context(p))
		put_context(o, p);
	o->atom.En_bits = p->atoms;
	o->atom.num = p->n_atoms;
	if (p->flags & CST_PF_CC) {
		o->cycle_count = p->flags & CST_PF_CC_UNKNOWN ? 0 : p->cc;
		o->pkt_valid.bits.cc_valid = 1;
	}
	if (p->flags & CST_PF_COMMIT) {
		o->commit_elements = p->commit;
		o->pkt_valid.bits.commit_elem_valid = 1;
	}
	switch (p->type) {
	case CST_PKT_TRACE_INFO:
		o->trace_info.val = p->info;
		o->trace_info.bits.initial_t_info = !!(p->flags & CST_PF_SYNC_POINT);
		o->trace_info.bits.spec_field_present = !!(p->flags & CST_PF_SPEC);
		o->pkt_valid.bits.trace_info_valid = 1;
		o->curr_spec_depth = p->flags & CST_PF_SPEC ? p->spec : 0;
		o->pkt_valid.bits.spec_depth_valid = 1;
		o->p0_key = p->key;
		o->pkt_valid.bits.p0_key_valid = !!(p->flags & CST_PF_KEY);
		o->cc_threshold = p->flags & CST_PF_CYCT ? p->cyct : 0;
		o->pkt_valid.bits.cc_thresh_valid = !!(p->info & 1);
		break;
	case CST_PKT_TIMESTAMP:
		o->ts.timestamp = p->ts;
		o->ts.bits_changed = p->ts_bits;
		o->pkt_valid.bits.ts_valid = 1;
		break;
	case CST_PKT_ITE:
		o->ite_pkt.value = p->ts;
		o->ite_pkt.el = p->el;
		break;
	case CST_PKT_EXCEPTION:
		o->exception_info.exceptionType = p->exc_type;
		o->exception_info.addr_interp = (p->flags & CST_PF_E0 ? 1 : 0) | (p->flags & CST_PF_E1 ? 2 : 0);
		o->exception_info.m_fault_pending = !!(p->flags & CST_PF_P);
		o->exception_info.m_type = !!(p->flags & CST_PF_M_PROFILE);
		break;
	case CST_PKT_COMMIT:
		o->commit_elements = p->commit;
		o->pkt_valid.bits.commit_elem_valid = 1;
		break;
	case CST_PKT_CANCEL_F1:
	case CST_PKT_CANCEL_F1_MISP:
	case CST_PKT_CANCEL_F2:
	case CST_PKT_CANCEL_F3:
		o->cancel_elements = p->commit;
		o->pkt_valid.bits.cancel_elem_valid = 1;
		break;
	case CST_PKT_EVENT:
		o->event_val = (uint8_t)p->event;
		break;
	case CST_PKT_DATA_SYNC_NUM:
	case CST_PKT_DATA_SYNC:
		o->dsm_val = (uint8_t)p->event;
		break;
	case CST_PKT_Q:
		o->Q_pkt.q_count = p->count;
		o->Q_pkt.count_present = !!(p->flags & CST_PF_COUNT);
		o->Q_pkt.addr_present = !!(p->flags & CST_PF_ADDR);
		o->Q_pkt.addr_match = p->q_type <= 2;
		o->Q_pkt.q_type = p->q_type;
		break;
	}
}

/* The table the other way round. */
static void type_from(struct cst_packet *p, unsigned int ocsd)
{
	unsigned int i;

	for (i = 0; i < CST_PKT_TYPES; i++) {
		if (types[i].ocsd != ocsd && !(types[i].is1 && types[i].ocsd + 1u == ocsd))
			continue;
		p->type = (uint8_t)i;
		p->is = types[i].ocsd != ocsd;
		return;
	}
	p->type = CST_PKT_TYPES;
}

/* Of trace_info.val: the field INFO. 1.8 has bits of its own behind it. */
#define INFO_BITS 0xffffu

static void etmv4_from(struct cst_packet *p, const ocsd_etmv4_i_pkt *o, bool ete)
{
	p->protocol = ete ? CST_PROTO_ETE : CST_PROTO_ETMV4;
	p->header = o->err_hdr_val;
	type_from(p, (unsigned int)o->err_type);
	p->bad_type = p->type;
	type_from(p, (unsigned int)o->type);
	p->addr = o->v_addr.val;
	p->addr_bits = o->v_addr.pkt_bits;
	p->match = o->addr_exact_match_idx;
	p->n_atoms = o->atom.num;
	p->atoms = o->atom.En_bits;
	p->el = o->context.EL;
	p->sf = o->context.SF;
	p->security = (uint8_t)(o->context.NS | o->context.NSE << 1);
	p->cid = o->context.ctxtID;
	p->vmid = o->context.VMID;
	p->ts = o->ts.timestamp;
	p->ts_bits = o->ts.bits_changed;
	p->cc = o->cycle_count;
	p->commit = o->commit_elements;
	p->info = o->trace_info.val & INFO_BITS;
	p->cyct = o->cc_threshold;
	p->spec = o->curr_spec_depth;
	p->event = o->event_val;
	p->count = o->Q_pkt.q_count;
	p->q_type = o->Q_pkt.q_type;
	p->exc_type = o->exception_info.exceptionType;
	p->flags = (o->context.updated ? CST_PF_CONTEXT : 0) |
		   (o->context.updated_c ? CST_PF_CID : 0) |
		   (o->context.updated_v ? CST_PF_VMID : 0) |
		   (o->pkt_valid.bits.cc_valid ? CST_PF_CC : 0) |
		   (o->pkt_valid.bits.commit_elem_valid ? CST_PF_COMMIT : 0) |
		   (o->pkt_valid.bits.cc_thresh_valid ? CST_PF_CYCT : 0) |
		   (o->Q_pkt.count_present ? CST_PF_COUNT : 0) |
		   (o->Q_pkt.addr_present ? CST_PF_ADDR : 0) |
		   (o->exception_info.addr_interp & 1 ? CST_PF_E0 : 0) |
		   (o->exception_info.addr_interp & 2 ? CST_PF_E1 : 0) |
		   (o->exception_info.m_fault_pending ? CST_PF_P : 0) |
		   (o->exception_info.m_type ? CST_PF_M_PROFILE : 0) |
		   (o->trace_info.bits.initial_t_info ? CST_PF_SYNC_POINT : 0) |
		   (o->trace_info.bits.spec_field_present ? CST_PF_SPEC : 0);
	switch (p->type) {
	case CST_PKT_CANCEL_F1:
	case CST_PKT_CANCEL_F1_MISP:
	case CST_PKT_CANCEL_F2:
	case CST_PKT_CANCEL_F3:
		p->commit = o->cancel_elements;
		break;
	case CST_PKT_DATA_SYNC_NUM:
	case CST_PKT_DATA_SYNC:
		p->event = o->dsm_val;
		break;
	case CST_PKT_ITE:
		p->ts = o->ite_pkt.value;
		p->el = o->ite_pkt.el;
		break;
	}
}

/* 1.3.3 has no ite_pkt, and the fields behind it at this place. */
#define TAIL_1_3	(offsetof(ocsd_etmv4_i_pkt, Q_pkt) + sizeof(((ocsd_etmv4_i_pkt *)0)->Q_pkt))
#define TAIL_1_8	offsetof(ocsd_etmv4_i_pkt, pkt_valid)
#define TAIL_SIZE	(offsetof(ocsd_etmv4_i_pkt, protocol_version) + 1 - TAIL_1_8)

static bool has_two_forms(ocsd_trace_protocol_t protocol)
{
	return protocol == OCSD_PROTOCOL_ETMV4I || protocol == OCSD_PROTOCOL_ETE;
}

/* Two fields of other packets serve the text of an ITE packet, for which 1.3.3 has none. */
const void *packet_to_1_3(union packet *p, const union packet *in, ocsd_trace_protocol_t protocol)
{
	unsigned char *bytes = (unsigned char *)p;
	ocsd_etmv4_i_pkt *o = &p->etmv4;

	if (!has_two_forms(protocol))
		return in;
	*o = in->etmv4;
	if (o->type == ETE_PKT_I_ITE) {
		o->ts.timestamp = o->ite_pkt.value;
		o->event_val = o->ite_pkt.el;
	}
	o->trace_info.val &= INFO_BITS;
	o->pkt_valid.bits.cancel_elem_valid = 0;
	memmove(bytes + TAIL_1_3, bytes + TAIL_1_8, TAIL_SIZE);
	return p;
}

const void *packet_from_1_3(union packet *p, const void *in, ocsd_trace_protocol_t protocol)
{
	ocsd_etmv4_i_pkt *o = &p->etmv4;

	if (!has_two_forms(protocol))
		return in;
	memset(p, 0, sizeof(*p));
	memcpy(o, in, TAIL_1_3);
	o->trace_info.val &= INFO_BITS;
	memcpy((unsigned char *)o + TAIL_1_8, (const unsigned char *)in + TAIL_1_3, TAIL_SIZE);
	if (o->type == ETE_PKT_I_ITE) {
		o->ite_pkt.value = o->ts.timestamp;
		o->ite_pkt.el = o->event_val;
	}
	return p;
}

void packet_reset(union packet *out, const struct cst_config *cfg)
{
	memset(out, 0, sizeof(*out));
	switch (cfg->protocol) {
	case CST_PROTO_ETMV3:
		packet_etmv3_reset(&out->etmv3);
		break;
	case CST_PROTO_PTM:
		packet_ptm_reset(&out->ptm);
		break;
	case CST_PROTO_STM:
		packet_stm_reset(&out->stm);
		break;
	case CST_PROTO_ITM:
		break;
	default:
		etmv4_reset(&out->etmv4, cfg);
	}
}

void packet_to_ocsd(union packet *out, const struct cst_packet *pkt, const struct cst_config *cfg)
{
	switch (cfg->protocol) {
	case CST_PROTO_ETMV3:
		packet_etmv3_to(&out->etmv3, pkt);
		break;
	case CST_PROTO_PTM:
		packet_ptm_to(&out->ptm, pkt);
		break;
	case CST_PROTO_STM:
		packet_stm_to(&out->stm, pkt);
		break;
	case CST_PROTO_ITM:
		packet_itm_to(&out->itm, pkt);
		break;
	default:
		etmv4_to(&out->etmv4, pkt, cfg);
	}
}

bool packet_from_ocsd(struct cst_packet *pkt, const void *in, unsigned int protocol)
{
	memset(pkt, 0, sizeof(*pkt));
	switch (protocol) {
	case OCSD_PROTOCOL_ETMV4I:
	case OCSD_PROTOCOL_ETE:
		etmv4_from(pkt, in, protocol == OCSD_PROTOCOL_ETE);
		return true;
	case OCSD_PROTOCOL_ETMV3:
		packet_etmv3_from(pkt, in);
		return true;
	case OCSD_PROTOCOL_PTM:
		packet_ptm_from(pkt, in);
		return true;
	case OCSD_PROTOCOL_STM:
		packet_stm_from(pkt, in);
		return true;
	case OCSD_PROTOCOL_ITM:
		packet_itm_from(pkt, in);
		return true;
	}
	return false;
}
