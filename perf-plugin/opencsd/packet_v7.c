/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet_v7.c - ETMv3 and PTM packets in the client's structures, and back for their texts. What OpenCSD keeps
 * from packet to packet (instruction set, state, address, timestamp) is kept here as well.
 */
#include <string.h>

#include "packet.h"

static const uint8_t etmv3_types[CST_ETMV3_PKT_TYPES] = {
	[CST_ETMV3_PKT_NOT_SYNC] = ETM3_PKT_NOTSYNC,
	[CST_ETMV3_PKT_INCOMPLETE] = ETM3_PKT_INCOMPLETE_EOT,
	[CST_ETMV3_PKT_BAD_SEQUENCE] = ETM3_PKT_BAD_SEQUENCE,
	[CST_ETMV3_PKT_BAD_TRACEMODE] = ETM3_PKT_BAD_TRACEMODE,
	[CST_ETMV3_PKT_RESERVED] = ETM3_PKT_RESERVED,
	[CST_ETMV3_PKT_BRANCH] = ETM3_PKT_BRANCH_ADDRESS,
	[CST_ETMV3_PKT_BRANCH_INFO] = ETM3_PKT_BRANCH_ADDRESS,
	[CST_ETMV3_PKT_ASYNC] = ETM3_PKT_A_SYNC,
	[CST_ETMV3_PKT_CYCLE_COUNT] = ETM3_PKT_CYCLE_COUNT,
	[CST_ETMV3_PKT_ISYNC] = ETM3_PKT_I_SYNC,
	[CST_ETMV3_PKT_ISYNC_CYCLE] = ETM3_PKT_I_SYNC_CYCLE,
	[CST_ETMV3_PKT_TRIGGER] = ETM3_PKT_TRIGGER,
	[CST_ETMV3_PKT_PHDR] = ETM3_PKT_P_HDR,
	[CST_ETMV3_PKT_STORE_FAILED] = ETM3_PKT_STORE_FAIL,
	[CST_ETMV3_PKT_OOO_DATA] = ETM3_PKT_OOO_DATA,
	[CST_ETMV3_PKT_OOO_PLACE] = ETM3_PKT_OOO_ADDR_PLC,
	[CST_ETMV3_PKT_DATA] = ETM3_PKT_NORM_DATA,
	[CST_ETMV3_PKT_SUPPRESSED] = ETM3_PKT_DATA_SUPPRESSED,
	[CST_ETMV3_PKT_NOT_TRACED] = ETM3_PKT_VAL_NOT_TRACED,
	[CST_ETMV3_PKT_IGNORE] = ETM3_PKT_IGNORE,
	[CST_ETMV3_PKT_CONTEXT_ID] = ETM3_PKT_CONTEXT_ID,
	[CST_ETMV3_PKT_VMID] = ETM3_PKT_VMID,
	[CST_ETMV3_PKT_EXC_ENTRY] = ETM3_PKT_EXCEPTION_ENTRY,
	[CST_ETMV3_PKT_EXC_EXIT] = ETM3_PKT_EXCEPTION_EXIT,
	[CST_ETMV3_PKT_TIMESTAMP] = ETM3_PKT_TIMESTAMP,
};

static const uint8_t ptm_types[CST_PTM_PKT_TYPES] = {
	[CST_PTM_PKT_NOT_SYNC] = PTM_PKT_NOTSYNC,
	[CST_PTM_PKT_INCOMPLETE] = PTM_PKT_INCOMPLETE_EOT,
	[CST_PTM_PKT_BAD_SEQUENCE] = PTM_PKT_BAD_SEQUENCE,
	[CST_PTM_PKT_RESERVED] = PTM_PKT_RESERVED,
	[CST_PTM_PKT_ASYNC] = PTM_PKT_A_SYNC,
	[CST_PTM_PKT_ISYNC] = PTM_PKT_I_SYNC,
	[CST_PTM_PKT_BRANCH] = PTM_PKT_BRANCH_ADDRESS,
	[CST_PTM_PKT_EXCEPTION] = PTM_PKT_BRANCH_ADDRESS,
	[CST_PTM_PKT_ATOM] = PTM_PKT_ATOM,
	[CST_PTM_PKT_WAYPOINT] = PTM_PKT_WPOINT_UPDATE,
	[CST_PTM_PKT_TRIGGER] = PTM_PKT_TRIGGER,
	[CST_PTM_PKT_CONTEXT_ID] = PTM_PKT_CONTEXT_ID,
	[CST_PTM_PKT_VMID] = PTM_PKT_VMID,
	[CST_PTM_PKT_TIMESTAMP] = PTM_PKT_TIMESTAMP,
	[CST_PTM_PKT_EXC_RETURN] = PTM_PKT_EXCEPTION_RET,
	[CST_PTM_PKT_IGNORE] = PTM_PKT_IGNORE,
};

/* Exceptions by number: A and R profile, M profile. */
static const uint8_t exceptions[16] = {
	Excp_NoException, Excp_DebugHalt, Excp_SMC, Excp_Hyp, Excp_AsyncDAbort, Excp_Jazelle, Excp_Reserved,
	Excp_Reserved, Excp_Reset, Excp_Undef, Excp_SVC, Excp_PrefAbort, Excp_SyncDataAbort, Excp_Generic, Excp_IRQ,
	Excp_FIQ,
};

#define M_IRQ_BASE 0x10

static const uint8_t m_exceptions[24] = {
	Excp_NoException, Excp_CMIRQn, Excp_CMIRQn, Excp_CMIRQn, Excp_CMIRQn, Excp_CMIRQn, Excp_CMIRQn, Excp_CMIRQn,
	Excp_CMIRQn, Excp_CMUsageFault, Excp_CMNMI, Excp_SVC, Excp_CMDebugMonitor, Excp_CMMemManage, Excp_CMPendSV,
	Excp_CMSysTick, Excp_Reserved, Excp_Reset, Excp_Reserved, Excp_CMHardFault, Excp_Reserved, Excp_CMBusFault,
	Excp_Reserved, Excp_Reserved,
};

static void put_exception(ocsd_etmv3_excep *x, const struct cst_packet *p)
{
	unsigned int n = p->exc_type;

	x->number = p->exc_type;
	x->bits.present = !!(p->flags & CST_ETMV3_PF_EXCEPTION);
	x->bits.cancel = !!(p->flags & CST_ETMV3_PF_CANCEL);
	if (!(p->flags & CST_PF_M_PROFILE)) {
		x->type = (ocsd_armv7_exception)exceptions[n & 15];
		return;
	}
	x->type = (ocsd_armv7_exception)(n < sizeof(m_exceptions) ? m_exceptions[n] : Excp_CMIRQn);
	x->bits.cm_type = 1;
	x->bits.cm_resume = p->event & 15;
	if (x->type == Excp_CMIRQn)
		x->bits.cm_irq_n = (n >= sizeof(m_exceptions) ? n - M_IRQ_BASE : n == 8 ? 0 : n) & 0x1ff;
}

static void put_address(ocsd_pkt_vaddr *a, const struct cst_packet *p, unsigned int known)
{
	a->size = VA_32BIT;
	a->val = (uint32_t)p->addr;
	a->pkt_bits = p->addr_bits;
	a->valid_bits = (uint8_t)(known < 32 ? known : 32);
}

void packet_etmv3_to(ocsd_etmv3_pkt *o, const struct cst_packet *p)
{
	/* reset the fields that are valid for one packet only */
	o->prev_isa = o->curr_isa;
	o->addr.pkt_bits = 0;
	o->context.updated = o->context.updated_c = o->context.updated_v = 0;
	o->ts_update_bits = 0;
	o->cycle_count = 0;
	o->p_hdr_fmt = 0;
	memset(&o->atom, 0, sizeof(o->atom));
	memset(&o->exception, 0, sizeof(o->exception));
	memset(&o->isync_info, 0, sizeof(o->isync_info));
	o->data.ooo_tag = o->data.update_addr = o->data.update_be = o->data.update_dval = 0;
	o->data.addr.pkt_bits = 0;
	o->type = (ocsd_etmv3_pkt_type)etmv3_types[p->type];
	o->err_type = ETM3_PKT_NOERROR;
	switch (p->type) {
	case CST_ETMV3_PKT_BAD_SEQUENCE:
	case CST_ETMV3_PKT_BAD_TRACEMODE:
	case CST_ETMV3_PKT_INCOMPLETE:
		o->err_type = (ocsd_etmv3_pkt_type)etmv3_types[p->bad_type];
		break;
	case CST_ETMV3_PKT_ISYNC:
	case CST_ETMV3_PKT_ISYNC_CYCLE:
		o->isync_info.reason = (ocsd_iSync_reason)(p->count & 3);
		o->isync_info.no_address = !(p->flags & CST_PF_ADDR);
		o->isync_info.has_LSipAddress = !!(p->flags & CST_ETMV3_PF_LSIP);
		o->isync_info.has_cycle_count = !!(p->flags & CST_PF_CC);
		o->context.updated = 1;
		o->context.curr_NS = p->security == CST_SEC_NONSECURE;
		o->context.curr_Hyp = p->el == 2;
		if (p->flags & CST_PF_ADDR)
			o->curr_isa = (ocsd_isa)p->isa;
		if (p->flags & CST_ETMV3_PF_LSIP)
			o->data.addr.val = (uint32_t)p->value;
		put_address(&o->addr, p, p->match);
		break;
	case CST_ETMV3_PKT_BRANCH:
	case CST_ETMV3_PKT_BRANCH_INFO:
		put_address(&o->addr, p, p->match);
		o->curr_isa = (ocsd_isa)p->isa;
		if (p->flags & CST_ETMV3_PF_STATE) {
			o->context.updated = 1;
			o->context.curr_NS = p->security == CST_SEC_NONSECURE;
			o->context.curr_Hyp = p->el == 2;
		}
		if (p->flags & CST_ETMV3_PF_EXCEPTION)
			put_exception(&o->exception, p);
		break;
	case CST_ETMV3_PKT_PHDR:
		o->atom.En_bits = p->atoms;
		o->atom.num = p->n_atoms;
		o->p_hdr_fmt = (uint8_t)p->count;
		break;
	case CST_ETMV3_PKT_OOO_DATA:
	case CST_ETMV3_PKT_OOO_PLACE:
	case CST_ETMV3_PKT_DATA:
	case CST_ETMV3_PKT_NOT_TRACED:
		if (p->flags & CST_PF_ADDR) {
			put_address(&o->data.addr, p, p->match);
			o->data.update_addr = 1;
		}
		if (p->flags & CST_ETMV3_PF_VALUE) {
			o->data.value = (uint32_t)p->value;
			o->data.update_dval = 1;
		}
		o->data.be = !!(p->flags & CST_ETMV3_PF_BIG_ENDIAN);
		o->data.ooo_tag = p->tag & 3;
		break;
	case CST_ETMV3_PKT_TIMESTAMP:
		o->timestamp = p->ts;
		o->ts_update_bits = p->ts_bits;
		break;
	}
	if (p->flags & CST_PF_CID || p->type == CST_ETMV3_PKT_CONTEXT_ID) {
		o->context.updated_c = 1;
		o->context.ctxtID = p->cid;
	}
	if (p->type == CST_ETMV3_PKT_VMID) {
		o->context.updated_v = 1;
		o->context.VMID = (uint8_t)p->vmid;
	}
	if (p->flags & CST_PF_CC || p->type == CST_ETMV3_PKT_CYCLE_COUNT || p->type == CST_ETMV3_PKT_PHDR)
		o->cycle_count = p->cc;
}

/* A client's structure may hold anything. */
static uint8_t bits_of(uint8_t bits, uint8_t most)
{
	return bits < most ? bits : most;
}

void packet_etmv3_from(struct cst_packet *p, const ocsd_etmv3_pkt *o)
{
	p->protocol = CST_PROTO_ETMV3;
	p->type =
		packet_type_from(etmv3_types, CST_ETMV3_PKT_TYPES, o->type, CST_ETMV3_PKT_RESERVED);
	p->bad_type = packet_type_from(etmv3_types, CST_ETMV3_PKT_TYPES, o->err_type,
				       CST_ETMV3_PKT_TYPES);
	p->addr = o->addr.val;
	p->addr_bits = bits_of(o->addr.pkt_bits, 32);
	p->match = bits_of(o->addr.valid_bits, 32);
	p->isa = (uint8_t)o->curr_isa;
	p->security = o->context.curr_NS ? CST_SEC_NONSECURE : CST_SEC_SECURE;
	p->el = o->context.curr_Hyp ? 2 : 0;
	p->cid = o->context.ctxtID;
	p->vmid = o->context.VMID;
	p->atoms = o->atom.En_bits;
	p->n_atoms = o->atom.num;
	p->cc = o->cycle_count;
	p->ts = o->timestamp;
	p->ts_bits = bits_of(o->ts_update_bits, 64);
	p->exc_type = o->exception.number;
	p->event = o->exception.bits.cm_resume;
	p->flags = (o->curr_isa != o->prev_isa ? CST_ETMV3_PF_ISA : 0) |
		   (o->context.updated ? CST_ETMV3_PF_STATE : 0) | (o->context.updated_c ? CST_PF_CID : 0) |
		   (o->exception.bits.present ? CST_ETMV3_PF_EXCEPTION : 0) |
		   (o->exception.bits.cancel ? CST_ETMV3_PF_CANCEL : 0) |
		   (o->exception.bits.cm_type ? CST_PF_M_PROFILE : 0);
	switch (p->type) {
	case CST_ETMV3_PKT_ISYNC:
	case CST_ETMV3_PKT_ISYNC_CYCLE:
		p->count = o->isync_info.reason;
		p->value = o->data.addr.val;
		p->flags |= (o->isync_info.no_address ? 0 : CST_PF_ADDR) |
			    (o->isync_info.has_LSipAddress ? CST_ETMV3_PF_LSIP : 0) |
			    (o->isync_info.has_cycle_count ? CST_PF_CC : 0);
		break;
	case CST_ETMV3_PKT_PHDR:
		p->count = o->p_hdr_fmt;
		p->flags |= o->cycle_count ? CST_PF_CC : 0;
		break;
	case CST_ETMV3_PKT_OOO_DATA:
	case CST_ETMV3_PKT_OOO_PLACE:
	case CST_ETMV3_PKT_DATA:
	case CST_ETMV3_PKT_NOT_TRACED:
		p->addr = o->data.addr.val;
		p->addr_bits = bits_of(o->data.addr.pkt_bits, 32);
		p->match = bits_of(o->data.addr.valid_bits, 32);
		p->value = o->data.value;
		p->tag = o->data.ooo_tag;
		p->flags |= (o->data.update_addr ? CST_PF_ADDR : 0) |
			    (o->data.update_dval ? CST_ETMV3_PF_VALUE : 0);
		break;
	}
}

void packet_ptm_to(ocsd_ptm_pkt *o, const struct cst_packet *p)
{
	o->prev_isa = o->curr_isa;
	o->addr.pkt_bits = 0;
	o->context.updated = o->context.updated_c = o->context.updated_v = 0;
	o->ts_update_bits = 0;
	o->cycle_count = 0;
	o->cc_valid = 0;
	memset(&o->atom, 0, sizeof(o->atom));
	memset(&o->exception, 0, sizeof(o->exception));
	o->type = (ocsd_ptm_pkt_type)ptm_types[p->type];
	o->err_type = PTM_PKT_NOERROR;
	switch (p->type) {
	case CST_PTM_PKT_BAD_SEQUENCE:
	case CST_PTM_PKT_INCOMPLETE:
		o->err_type = (ocsd_ptm_pkt_type)ptm_types[p->bad_type];
		break;
	case CST_PTM_PKT_ISYNC:
		o->i_sync_reason = (ocsd_iSync_reason)(p->event & 3);
		put_address(&o->addr, p, 32);
		o->curr_isa = (ocsd_isa)p->isa;
		o->context.updated = 1;
		o->context.curr_NS = p->security == CST_SEC_NONSECURE;
		o->context.curr_Hyp = !!(p->flags & CST_PTM_PF_HYP);
		break;
	case CST_PTM_PKT_BRANCH:
	case CST_PTM_PKT_EXCEPTION:
	case CST_PTM_PKT_WAYPOINT:
		put_address(&o->addr, p, p->info);
		o->curr_isa = (ocsd_isa)p->isa;
		if (p->flags & CST_PF_CONTEXT) {
			o->context.updated = 1;
			o->context.curr_NS = p->security == CST_SEC_NONSECURE;
			o->context.curr_Hyp = !!(p->flags & CST_PTM_PF_HYP);
		}
		if (p->flags & CST_PTM_PF_EXCEPTION) {
			o->exception.bits.present = 1;
			o->exception.number = p->exc_type;
			o->exception.type = (ocsd_armv7_exception)exceptions[p->exc_type & 15];
		}
		break;
	case CST_PTM_PKT_ATOM:
		o->atom.En_bits = p->atoms;
		o->atom.num = p->n_atoms;
		break;
	case CST_PTM_PKT_TIMESTAMP:
		o->timestamp = p->ts;
		o->ts_update_bits = p->ts_bits;
		break;
	}
	if (p->flags & CST_PF_CID || p->type == CST_PTM_PKT_CONTEXT_ID) {
		o->context.updated_c = 1;
		o->context.ctxtID = p->cid;
	}
	if (p->type == CST_PTM_PKT_VMID) {
		o->context.updated_v = 1;
		o->context.VMID = (uint8_t)p->vmid;
	}
	if (p->flags & CST_PF_CC) {
		o->cc_valid = 1;
		o->cycle_count = p->cc;
	}
}

void packet_ptm_from(struct cst_packet *p, const ocsd_ptm_pkt *o)
{
	p->protocol = CST_PROTO_PTM;
	p->type = packet_type_from(ptm_types, CST_PTM_PKT_TYPES, o->type, CST_PTM_PKT_RESERVED);
	p->bad_type =
		packet_type_from(ptm_types, CST_PTM_PKT_TYPES, o->err_type, CST_PTM_PKT_TYPES);
	p->addr = o->addr.val;
	p->addr_bits = bits_of(o->addr.pkt_bits, 32);
	p->info = bits_of(o->addr.valid_bits, 32);
	p->isa = (uint8_t)o->curr_isa;
	p->security = o->context.curr_NS ? CST_SEC_NONSECURE : CST_SEC_SECURE;
	p->cid = o->context.ctxtID;
	p->vmid = o->context.VMID;
	p->atoms = o->atom.En_bits;
	p->n_atoms = o->atom.num;
	p->cc = o->cycle_count;
	p->ts = o->timestamp;
	p->ts_bits = bits_of(o->ts_update_bits, 64);
	p->exc_type = o->exception.number;
	p->event = (uint16_t)o->i_sync_reason;
	p->flags = (o->curr_isa != o->prev_isa ? CST_PTM_PF_ISA : 0) | (o->context.updated ? CST_PF_CONTEXT : 0) |
		   (o->context.curr_Hyp ? CST_PTM_PF_HYP : 0) | (o->context.updated_c ? CST_PF_CID : 0) |
		   (o->exception.bits.present ? CST_PTM_PF_EXCEPTION : 0) | (o->cc_valid ? CST_PF_CC : 0);
}

void packet_etmv3_reset(ocsd_etmv3_pkt *o)
{
	o->type = ETM3_PKT_NOTSYNC;
	o->curr_isa = o->prev_isa = ocsd_isa_unknown;
}

void packet_ptm_reset(ocsd_ptm_pkt *o)
{
	o->type = PTM_PKT_NOTSYNC;
	o->err_type = PTM_PKT_NOERROR;
	o->curr_isa = o->prev_isa = ocsd_isa_unknown;
}
