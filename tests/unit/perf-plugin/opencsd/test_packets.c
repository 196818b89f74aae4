/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_packets.c - packets in the structures of OpenCSD, without a decoder: what the structure held before
 * does not show, the text made of the structure is that of the packet, and each field of one is where clients read it.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include "opencsd/packet.h"

#define TO(o, cfg, ...) packet_to_ocsd(&(o), &(const struct cst_packet){ .protocol = (cfg).protocol, __VA_ARGS__ }, &(cfg))

static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

#define ETMV4_FLAGS (CST_PF_CC | CST_PF_COMMIT | CST_PF_CONTEXT | CST_PF_VMID | CST_PF_CID | CST_PF_COUNT | CST_PF_ADDR | \
		     CST_PF_E0 | CST_PF_E1 | CST_PF_P)

static const struct protocol {
	enum cst_protocol lib;
	unsigned int ocsd, types;
	uint32_t flags;		/* that may be set in its packets */
} protocols[] = {
	{ CST_PROTO_ETMV3, OCSD_PROTOCOL_ETMV3, CST_ETMV3_PKT_TYPES,
	  CST_PF_ADDR | CST_PF_CC | CST_PF_CID | CST_PF_M_PROFILE | CST_ETMV3_PF_EXCEPTION | CST_ETMV3_PF_CANCEL |
	  CST_ETMV3_PF_STATE | CST_ETMV3_PF_LSIP | CST_ETMV3_PF_VALUE },
	{ CST_PROTO_PTM, OCSD_PROTOCOL_PTM, CST_PTM_PKT_TYPES,
	  CST_PF_CC | CST_PF_CID | CST_PF_CONTEXT | CST_PTM_PF_EXCEPTION | CST_PTM_PF_HYP },
	{ CST_PROTO_STM, OCSD_PROTOCOL_STM, CST_STM_PKT_TYPES, CST_STM_PF_MARKER | CST_STM_PF_TS },
	{ CST_PROTO_ITM, OCSD_PROTOCOL_ITM, CST_ITM_PKT_TYPES,
	  CST_ITM_PF_WRAP | CST_ITM_PF_CLOCK | CST_ITM_PF_HARDWARE },
	{ CST_PROTO_ETMV4, OCSD_PROTOCOL_ETMV4I, CST_PKT_TYPES, ETMV4_FLAGS },
	{ CST_PROTO_ETE, OCSD_PROTOCOL_ETE, CST_PKT_TYPES, ETMV4_FLAGS },
};

/* Packets of STPv2 that a CoreSight STM does not have. */
static bool is_reserved(const struct protocol *pr, unsigned int type)
{
	return pr->lib == CST_PROTO_STM && (type == CST_STM_PKT_XSYNC || type == CST_STM_PKT_M16);
}

/* Bits that the value of a packet of this type has at most; 0: the type has none. */
static unsigned int value_bits(const struct protocol *pr, unsigned int type)
{
	static const uint8_t stm[CST_STM_PKT_TYPES] = {
		[CST_STM_PKT_VERSION] = 8, [CST_STM_PKT_TRIG] = 8, [CST_STM_PKT_GERR] = 8, [CST_STM_PKT_MERR] = 8,
		[CST_STM_PKT_D4] = 4, [CST_STM_PKT_D8] = 8, [CST_STM_PKT_D16] = 16, [CST_STM_PKT_D32] = 32,
		[CST_STM_PKT_D64] = 64, [CST_STM_PKT_FREQ] = 32,
	};

	if (pr->lib == CST_PROTO_STM)
		return stm[type];
	return pr->lib == CST_PROTO_ITM && type == CST_ITM_PKT_GLOBAL_TS2 ? 38 : 32;
}

/* Any packet of a protocol. */
static void draw(struct cst_packet *p, const struct protocol *pr, unsigned int type, uint64_t *seed)
{
	memset(p, 0, sizeof(*p));
	p->protocol = (uint8_t)pr->lib;
	p->type = (uint8_t)type;
	do
		p->bad_type = (uint8_t)(next(seed) % pr->types);
	while (is_reserved(pr, p->bad_type));
	p->is = next(seed) & 1;
	p->addr_bits = (uint8_t)(next(seed) % 33);
	p->match = (uint8_t)(next(seed) % 33);
	p->n_atoms = (uint8_t)(next(seed) % 17);
	p->q_type = next(seed) & 15;
	p->ts_bits = (uint8_t)(next(seed) % 65);
	p->el = next(seed) & 3;
	p->sf = next(seed) & 1;
	p->security = next(seed) & 1;
	p->flags = (uint32_t)next(seed) & pr->flags;
	p->atoms = (uint32_t)next(seed);
	p->exc_type = next(seed) & 15;
	p->event = next(seed) & 15;
	p->vmid = (uint8_t)next(seed);
	p->cid = (uint8_t)next(seed);
	p->addr = (uint32_t)next(seed);
	p->ts = next(seed);
	p->cc = (uint32_t)next(seed);
	p->commit = (uint32_t)next(seed);
	p->count = 1 + next(seed) % 31;
	p->info = (uint32_t)next(seed) & 31;
	p->value = next(seed) >> (64 - (value_bits(pr, type) ? value_bits(pr, type) : 64));
	p->tag = next(seed) & 3;
	p->vsize = 1u << next(seed) % 3;
	if (pr->lib == CST_PROTO_STM)
		p->vsize = (uint8_t)(type == CST_STM_PKT_C8 || type == CST_STM_PKT_M8 ? 8 : value_bits(pr, type));
	else if (pr->flags == ETMV4_FLAGS && !(p->flags & CST_PF_CC))
		p->cc = 0;
	if (pr->flags == ETMV4_FLAGS && type == CST_PKT_Q)
		p->flags |= CST_PF_ADDR;
	else if (pr->lib == CST_PROTO_ETMV3 && type == CST_ETMV3_PKT_PHDR)
		p->flags |= CST_PF_CC;
	else if (pr->lib == CST_PROTO_ITM && type == CST_ITM_PKT_GLOBAL_TS2)
		p->vsize = 6;
}

static void test_texts(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	struct cst_packet p = { 0 }, back = { 0 };
	char want[512], got[512];
	unsigned int i, type, k;
	union packet o;

	(void)state;
	for (i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		const struct protocol *pr = &protocols[i];
		const struct cst_config cfg = { .protocol = (uint8_t)pr->lib };

		packet_reset(&o, &cfg);
		/* the instruction set that all of them have */
		if (pr->lib == CST_PROTO_ETMV3)
			TO(o, cfg, .type = CST_ETMV3_PKT_ISYNC, .flags = CST_PF_ADDR);
		if (pr->lib == CST_PROTO_PTM)
			TO(o, cfg, .type = CST_PTM_PKT_ISYNC);
		for (k = 0; k < 200; k++) {
			for (type = 0; type < pr->types; type++) {
				draw(&p, pr, type, &seed);
				packet_to_ocsd(&o, &p, &cfg);
				assert_true(packet_from_ocsd(&back, &o, pr->ocsd));
				cst_packet_text(&p, want, sizeof(want));
				cst_packet_text(&back, got, sizeof(got));
				if (is_reserved(pr, type))
					assert_string_equal(got, "RESERVED:Reserved Packet Header");
				else
					assert_string_equal(got, want);
			}
		}
	}
}

static const struct cst_config etmv3 = { .protocol = CST_PROTO_ETMV3 }, ptm = { .protocol = CST_PROTO_PTM },
			       ete = { .protocol = CST_PROTO_ETE };

static void test_etmv3(void **state)
{
	ocsd_etmv3_pkt *e;
	union packet o;

	(void)state;
	packet_reset(&o, &etmv3);
	e = &o.etmv3;
	assert_int_equal(e->type, ETM3_PKT_NOTSYNC);
	assert_int_equal(e->curr_isa, ocsd_isa_unknown);
	TO(o, etmv3, .type = CST_ETMV3_PKT_ISYNC_CYCLE, .flags = CST_PF_ADDR | CST_PF_CC | CST_ETMV3_PF_LSIP | CST_PF_CID,
	   .count = 2, .security = CST_SEC_NONSECURE, .el = 2, .isa = CST_ISA_T32, .value = 0x1234, .addr = 0x8001000,
	   .addr_bits = 32, .match = 40, .cc = 9, .cid = 77);
	assert_int_equal(e->type, ETM3_PKT_I_SYNC_CYCLE);
	assert_int_equal(e->isync_info.reason, iSync_TraceRestartAfterOverflow);
	assert_int_equal(e->isync_info.no_address, 0);
	assert_int_equal(e->isync_info.has_LSipAddress, 1);
	assert_int_equal(e->isync_info.has_cycle_count, 1);
	assert_true(e->context.updated && e->context.curr_NS && e->context.curr_Hyp && e->context.updated_c);
	assert_int_equal(e->context.ctxtID, 77);
	assert_int_equal(e->curr_isa, ocsd_isa_thumb2);
	assert_int_equal(e->addr.val, 0x8001000);
	assert_int_equal(e->addr.pkt_bits, 32);
	assert_int_equal(e->addr.valid_bits, 32);
	assert_int_equal(e->addr.size, VA_32BIT);
	assert_int_equal(e->data.addr.val, 0x1234);
	assert_int_equal(e->cycle_count, 9);
	/* only the address of a transfer; its value is not known */
	TO(o, etmv3, .type = CST_ETMV3_PKT_NOT_TRACED, .flags = CST_PF_ADDR, .addr = 0x2000, .addr_bits = 7, .match = 20,
	   .value = 5);
	assert_int_equal(e->data.update_addr, 1);
	assert_int_equal(e->data.update_dval, 0);
	assert_int_equal(e->data.value, 0);
	assert_int_equal(e->data.addr.val, 0x2000);
	assert_int_equal(e->data.addr.pkt_bits, 7);
	assert_int_equal(e->data.addr.valid_bits, 20);
	assert_int_equal(e->addr.val, 0x8001000);
	assert_int_equal(e->addr.pkt_bits, 0);
	assert_int_equal(e->curr_isa, ocsd_isa_thumb2);
	assert_false(e->context.updated || e->context.updated_c || e->isync_info.has_LSipAddress);
	assert_int_equal(e->cycle_count, 0);
	/* only a value */
	TO(o, etmv3, .type = CST_ETMV3_PKT_OOO_DATA, .flags = CST_ETMV3_PF_VALUE | CST_ETMV3_PF_BIG_ENDIAN, .value = 6, .tag = 3);
	assert_true(!e->data.update_addr && e->data.update_dval && e->data.be);
	assert_int_equal(e->data.value, 6);
	assert_int_equal(e->data.ooo_tag, 3);
	TO(o, etmv3, .type = CST_ETMV3_PKT_DATA);
	assert_int_equal(e->data.be, 0);
	TO(o, etmv3, .type = CST_ETMV3_PKT_PHDR, .atoms = 5, .n_atoms = 3, .count = 2, .cc = 4);
	assert_int_equal(e->atom.En_bits, 5);
	assert_int_equal(e->atom.num, 3);
	assert_int_equal(e->p_hdr_fmt, 2);
	assert_int_equal(e->cycle_count, 4);
	TO(o, etmv3, .type = CST_ETMV3_PKT_VMID, .vmid = 8);
	assert_int_equal(e->atom.num, 0);
	assert_int_equal(e->p_hdr_fmt, 0);
	assert_int_equal(e->context.updated_v, 1);
	assert_int_equal(e->context.VMID, 8);
	TO(o, etmv3, .type = CST_ETMV3_PKT_TIMESTAMP, .ts = 1000, .ts_bits = 14);
	assert_int_equal(e->timestamp, 1000);
	assert_int_equal(e->ts_update_bits, 14);
	/* other packets leave the time, the data address and the exception alone */
	TO(o, etmv3, .type = CST_ETMV3_PKT_DATA, .flags = CST_ETMV3_PF_VALUE, .value = 7, .ts = 5, .ts_bits = 3);
	assert_int_equal(e->timestamp, 1000);
	assert_int_equal(e->ts_update_bits, 0);
	assert_int_equal(e->data.value, 7);
	TO(o, etmv3, .type = CST_ETMV3_PKT_TIMESTAMP, .ts = 1001, .ts_bits = 14, .value = 8, .addr = 0x9000, .exc_type = 3);
	assert_int_equal(e->timestamp, 1001);
	assert_int_equal(e->data.update_dval, 0);
	assert_int_equal(e->data.addr.val, 0x2000);
	assert_int_equal(e->exception.number, 0);
	TO(o, etmv3, .type = CST_ETMV3_PKT_BAD_SEQUENCE, .bad_type = CST_ETMV3_PKT_ISYNC);
	assert_int_equal(e->ts_update_bits, 0);
	assert_int_equal(e->err_type, ETM3_PKT_I_SYNC);
	TO(o, etmv3, .type = CST_ETMV3_PKT_TRIGGER);
	assert_int_equal(e->err_type, ETM3_PKT_NOERROR);
}

/* An ITM packet has the fields of 1.8 only: nothing of another packet, and zeros behind them. */
static void test_itm(void **state)
{
	static const struct cst_config itm = { .protocol = CST_PROTO_ITM };
	union packet o, want;

	(void)state;
	memset(&o, 0xff, sizeof(o));
	packet_reset(&o, &itm);
	TO(o, itm, .type = CST_ITM_PKT_SWIT, .event = 3, .value = 0xbb, .vsize = 1);
	memset(&want, 0, sizeof(want));
	want.itm = (ocsd_itm_pkt){ .type = ITM_PKT_SWIT, .src_id = 3, .value = 0xbb, .val_sz = 1,
				   .err_type = ITM_PKT_NO_ERR_TYPE };
	assert_memory_equal(&o, &want, sizeof(o));
}

/* Exceptions of either profile, and what the M profile adds. */
static void test_exceptions(void **state)
{
	static const struct {
		uint16_t number;
		bool m;
		ocsd_armv7_exception type;
		unsigned int irq;
	} cases[] = {
		{ 0, false, Excp_NoException, 0 }, { 2, false, Excp_SMC, 0 }, { 3, false, Excp_Hyp, 0 },
		{ 8, false, Excp_Reset, 0 }, { 10, false, Excp_SVC, 0 }, { 14, false, Excp_IRQ, 0 }, { 15, false, Excp_FIQ, 0 },
		{ 0, true, Excp_NoException, 0 }, { 1, true, Excp_CMIRQn, 1 }, { 7, true, Excp_CMIRQn, 7 },
		{ 8, true, Excp_CMIRQn, 0 }, { 9, true, Excp_CMUsageFault, 0 }, { 10, true, Excp_CMNMI, 0 },
		{ 15, true, Excp_CMSysTick, 0 }, { 17, true, Excp_Reset, 0 }, { 23, true, Excp_Reserved, 0 },
		{ 24, true, Excp_CMIRQn, 8 }, { 0x1ff, true, Excp_CMIRQn, 0x1ef }, { 0x20f, true, Excp_CMIRQn, 0x1ff },
	};
	ocsd_etmv3_excep *x;
	union packet o;
	size_t i;

	(void)state;
	packet_reset(&o, &etmv3);
	x = &o.etmv3.exception;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		TO(o, etmv3, .type = CST_ETMV3_PKT_BRANCH_INFO, .exc_type = cases[i].number, .event = 0x1b,
		   .flags = CST_ETMV3_PF_EXCEPTION | (i & 1 ? CST_ETMV3_PF_CANCEL : 0) | (cases[i].m ? CST_PF_M_PROFILE : 0));
		assert_int_equal(x->bits.present, 1);
		assert_int_equal(x->bits.cancel, i & 1);
		assert_int_equal(x->number, cases[i].number);
		assert_int_equal(x->type, cases[i].type);
		assert_int_equal(x->bits.cm_type, cases[i].m);
		assert_int_equal(x->bits.cm_resume, cases[i].m ? 0xb : 0);
		assert_int_equal(x->bits.cm_irq_n, cases[i].irq);
	}
	TO(o, etmv3, .type = CST_ETMV3_PKT_BRANCH, .exc_type = 3);
	assert_int_equal(x->bits.present, 0);
	assert_int_equal(x->number, 0);
}

static void test_ptm(void **state)
{
	ocsd_ptm_pkt *e;
	union packet o;

	(void)state;
	packet_reset(&o, &ptm);
	e = &o.ptm;
	assert_int_equal(e->type, PTM_PKT_NOTSYNC);
	assert_int_equal(e->err_type, PTM_PKT_NOERROR);
	assert_int_equal(e->curr_isa, ocsd_isa_unknown);
	assert_int_equal(e->prev_isa, ocsd_isa_unknown);
	/* an address is whole there, and an exception is not */
	TO(o, ptm, .type = CST_PTM_PKT_ISYNC, .event = 2, .addr = 0x8000, .addr_bits = 32, .info = 9, .isa = CST_ISA_T32,
	   .security = CST_SEC_NONSECURE, .flags = CST_PTM_PF_EXCEPTION | CST_PTM_PF_HYP | CST_PF_CC, .exc_type = 4, .cc = 3);
	assert_int_equal(e->type, PTM_PKT_I_SYNC);
	assert_int_equal(e->i_sync_reason, iSync_TraceRestartAfterOverflow);
	assert_int_equal(e->addr.valid_bits, 32);
	assert_int_equal(e->curr_isa, ocsd_isa_thumb2);
	assert_true(e->context.updated && e->context.curr_NS && e->context.curr_Hyp && e->cc_valid);
	assert_int_equal(e->cycle_count, 3);
	assert_int_equal(e->exception.bits.present, 0);
	TO(o, ptm, .type = CST_PTM_PKT_EXCEPTION, .info = 9, .addr_bits = 6, .flags = CST_PTM_PF_EXCEPTION, .exc_type = 14);
	assert_int_equal(e->type, PTM_PKT_BRANCH_ADDRESS);
	assert_int_equal(e->addr.valid_bits, 9);
	assert_int_equal(e->addr.pkt_bits, 6);
	assert_int_equal(e->prev_isa, ocsd_isa_thumb2);
	assert_int_equal(e->curr_isa, ocsd_isa_arm);
	assert_int_equal(e->exception.bits.present, 1);
	assert_int_equal(e->exception.type, Excp_IRQ);
	assert_int_equal(e->exception.number, 14);
	assert_false(e->context.updated || e->cc_valid);
	assert_true(e->context.curr_NS);
	TO(o, ptm, .type = CST_PTM_PKT_ATOM, .atoms = 1, .n_atoms = 1);
	assert_int_equal(e->atom.num, 1);
	assert_int_equal(e->exception.bits.present, 0);
	assert_int_equal(e->addr.pkt_bits, 0);
	TO(o, ptm, .type = CST_PTM_PKT_TIMESTAMP, .ts = 50, .ts_bits = 7);
	assert_int_equal(e->timestamp, 50);
	assert_int_equal(e->ts_update_bits, 7);
	assert_int_equal(e->atom.num, 0);
	TO(o, ptm, .type = CST_PTM_PKT_VMID, .vmid = 5);
	assert_int_equal(e->ts_update_bits, 0);
	assert_int_equal(e->context.VMID, 5);
	assert_int_equal(e->context.updated_v, 1);
	TO(o, ptm, .type = CST_PTM_PKT_BAD_SEQUENCE, .bad_type = CST_PTM_PKT_ATOM);
	assert_int_equal(e->err_type, PTM_PKT_ATOM);
	assert_int_equal(e->context.updated_v, 0);
}

/* What 1.3.3's packet has behind Q_pkt, by the offsets of its header, and the way back. */
static void test_etmv4_of_1_3(void **state)
{
	enum { VALID = 140, ERR_TYPE = 144, HEADER = 148, VERSION = 149, SIZE = 152 };
	const struct cst_config v53 = { .protocol = CST_PROTO_ETE, .version = 0x53 };
	const struct cst_config stm = { .protocol = CST_PROTO_STM };
	union packet o, old, back;
	const unsigned char *bytes = (const unsigned char *)&old;
	uint32_t word;

	(void)state;
	packet_reset(&o, &v53);
	TO(o, v53, .type = CST_PKT_CANCEL_F2, .commit = 1, .header = 0x34);
	back = o;
	assert_ptr_equal(packet_to_1_3(&old, &o, OCSD_PROTOCOL_ETE), &old);
	assert_memory_equal(&o, &back, sizeof(o));
	memcpy(&word, bytes + VALID, sizeof(word));
	assert_int_equal(word, 0);
	memcpy(&word, bytes + ERR_TYPE, sizeof(word));
	assert_int_equal(word, ETM4_PKT_I_NO_ERR_TYPE);
	assert_int_equal(bytes[HEADER], 0x34);
	assert_int_equal(bytes[VERSION], 0x53);
	/* where decoding starts is for the text of 1.8 */
	TO(o, v53, .type = CST_PKT_TRACE_INFO, .info = 0x41, .spec = 3,
	   .flags = CST_PF_SYNC_POINT | CST_PF_SPEC);
	packet_to_1_3(&old, &o, OCSD_PROTOCOL_ETE);
	assert_int_equal(o.etmv4.trace_info.val, 0x30041);
	assert_int_equal(old.etmv4.trace_info.val, 0x41);
	TO(o, v53, .type = CST_PKT_ITE, .ts = 0x5678, .el = 2, .header = 9, .flags = CST_PF_CC);
	assert_int_equal(o.etmv4.trace_info.val, 0x41);
	packet_to_1_3(&old, &o, OCSD_PROTOCOL_ETMV4I);
	memcpy(&word, bytes + VALID, sizeof(word));
	assert_int_equal(word, 0x100);
	memset((unsigned char *)&old + SIZE, 0xa5, sizeof(old) - SIZE);
	assert_ptr_equal(packet_from_1_3(&back, &old, OCSD_PROTOCOL_ETE), &back);
	assert_int_equal(back.etmv4.type, ETE_PKT_I_ITE);
	assert_int_equal(back.etmv4.ite_pkt.value, 0x5678);
	assert_int_equal(back.etmv4.ite_pkt.el, 2);
	assert_int_equal(back.etmv4.pkt_valid.val, 0x100);
	assert_int_equal(back.etmv4.err_hdr_val, 9);
	assert_int_equal(back.etmv4.protocol_version, 0x53);
	/* other protocols have one form */
	packet_reset(&o, &stm);
	assert_ptr_equal(packet_to_1_3(&old, &o, OCSD_PROTOCOL_STM), &o);
	assert_ptr_equal(packet_from_1_3(&back, &o, OCSD_PROTOCOL_STM), &o);
}

/* Each type fills its own fields, and leaves those of the others alone. */
static void test_etmv4(void **state)
{
	ocsd_etmv4_i_pkt *e;
	union packet o;

	(void)state;
	packet_reset(&o, &ete);
	e = &o.etmv4;
	TO(o, ete, .type = CST_PKT_TRACE_INFO, .info = 1, .flags = CST_PF_SPEC | CST_PF_CYCT, .spec = 3, .cyct = 16, .key = 9);
	assert_int_equal(e->trace_info.bits.cc_enabled, 1);
	assert_true(e->trace_info.bits.spec_field_present && !e->trace_info.bits.initial_t_info);
	assert_int_equal(e->curr_spec_depth, 3);
	assert_int_equal(e->cc_threshold, 16);
	assert_true(e->pkt_valid.bits.trace_info_valid && e->pkt_valid.bits.spec_depth_valid &&
		    e->pkt_valid.bits.cc_thresh_valid && !e->pkt_valid.bits.p0_key_valid && !e->pkt_valid.bits.ts_valid);
	assert_int_equal(e->p0_key, 9);
	TO(o, ete, .type = CST_PKT_TIMESTAMP, .ts = 0x1234, .ts_bits = 14, .el = 2, .flags = CST_PF_CC, .cc = 7);
	assert_int_equal(e->ts.timestamp, 0x1234);
	assert_int_equal(e->ts.bits_changed, 14);
	assert_int_equal(e->event_val, 0);
	assert_int_equal(e->cycle_count, 7);
	assert_true(e->pkt_valid.bits.ts_valid && e->pkt_valid.bits.cc_valid && !e->pkt_valid.bits.trace_info_valid);
	TO(o, ete, .type = CST_PKT_ITE, .ts = 0x5678, .el = 2, .exc_type = 5);
	assert_int_equal(e->ite_pkt.value, 0x5678);
	assert_int_equal(e->ite_pkt.el, 2);
	assert_int_equal(e->ts.timestamp, 0x1234);
	assert_int_equal(e->exception_info.exceptionType, 0);
	assert_false(e->pkt_valid.bits.ts_valid || e->pkt_valid.bits.cc_valid);
	TO(o, ete, .type = CST_PKT_EXCEPTION, .exc_type = 14, .flags = CST_PF_E1 | CST_PF_P | CST_PF_M_PROFILE, .commit = 4);
	assert_int_equal(e->exception_info.exceptionType, 14);
	assert_int_equal(e->exception_info.addr_interp, 2);
	assert_true(e->exception_info.m_fault_pending && e->exception_info.m_type);
	assert_int_equal(e->commit_elements, 0);
	assert_false(e->pkt_valid.bits.commit_elem_valid);
	TO(o, ete, .type = CST_PKT_COMMIT, .commit = 4);
	assert_int_equal(e->commit_elements, 4);
	assert_int_equal(e->cancel_elements, 0);
	assert_int_equal(e->exception_info.exceptionType, 0);
	assert_true(e->pkt_valid.bits.commit_elem_valid && !e->pkt_valid.bits.cancel_elem_valid);
	assert_int_equal(e->ite_pkt.value | e->ite_pkt.el, 0);
	TO(o, ete, .type = CST_PKT_CANCEL_F3, .commit = 5, .event = 3);
	assert_int_equal(e->cancel_elements, 5);
	assert_int_equal(e->commit_elements, 0);
	assert_int_equal(e->event_val, 0);
	assert_true(!e->pkt_valid.bits.commit_elem_valid && e->pkt_valid.bits.cancel_elem_valid);
	TO(o, ete, .type = CST_PKT_EVENT, .event = 6);
	assert_int_equal(e->event_val, 6);
	assert_int_equal(e->dsm_val, 0);
	assert_int_equal(e->cancel_elements, 0);
	TO(o, ete, .type = CST_PKT_DATA_SYNC, .event = 3, .count = 2, .q_type = 5);
	assert_int_equal(e->dsm_val, 3);
	assert_int_equal(e->event_val, 6);
	assert_int_equal(e->Q_pkt.q_count, 0);
	assert_int_equal(e->Q_pkt.q_type, 0);
	TO(o, ete, .type = CST_PKT_Q, .count = 2, .q_type = 5, .flags = CST_PF_COUNT | CST_PF_ADDR, .addr = 0x8000, .is = 1,
	   .addr_bits = 16, .match = 2);
	assert_int_equal(e->Q_pkt.q_count, 2);
	assert_int_equal(e->Q_pkt.q_type, 5);
	assert_true(e->Q_pkt.count_present && e->Q_pkt.addr_present && !e->Q_pkt.addr_match);
	assert_int_equal(e->v_addr.val, 0x8000);
	assert_int_equal(e->v_addr.pkt_bits, 16);
	assert_int_equal(e->v_addr_ISA, 1);
	assert_int_equal(e->addr_exact_match_idx, 2);
	TO(o, ete, .type = CST_PKT_Q, .q_type = 2, .flags = CST_PF_ADDR, .addr = 0x9000);
	assert_true(!e->Q_pkt.count_present && e->Q_pkt.addr_match);
	TO(o, ete, .type = CST_PKT_Q, .q_type = 0xf, .addr = 0xa000);
	assert_false(e->Q_pkt.addr_present || e->Q_pkt.addr_match);
	assert_int_equal(e->v_addr.val, 0x9000);
}

/* How many bits of an address are known: 32 until one of 64 bits was traced. */
static void test_etmv4_addresses(void **state)
{
	ocsd_etmv4_i_pkt *e;
	union packet o;

	(void)state;
	packet_reset(&o, &ete);
	e = &o.etmv4;
	TO(o, ete, .type = CST_PKT_ADDR_32, .addr_bits = 32, .addr = 0x8000);
	assert_int_equal(e->v_addr.size, VA_32BIT);
	assert_int_equal(e->v_addr.valid_bits, 32);
	TO(o, ete, .type = CST_PKT_ADDR_64, .addr_bits = 64);
	assert_int_equal(e->v_addr.size, VA_64BIT);
	assert_int_equal(e->v_addr.valid_bits, 64);
	TO(o, ete, .type = CST_PKT_SRC_32, .addr_bits = 32);
	assert_int_equal(e->v_addr.size, VA_32BIT);
	assert_int_equal(e->v_addr.valid_bits, 64);
	assert_false(e->pkt_valid.bits.context_valid);
	TO(o, ete, .type = CST_PKT_ADDR_CTXT_32, .flags = CST_PF_CONTEXT | CST_PF_CID, .el = 1, .sf = 0, .security = CST_SEC_REALM,
	   .cid = 9, .vmid = 8);
	assert_int_equal(e->v_addr.size, VA_32BIT);
	assert_true(e->context.updated && e->context.updated_c && !e->context.updated_v && e->pkt_valid.bits.context_valid);
	assert_int_equal(e->context.EL, 1);
	assert_int_equal(e->context.SF, 0);
	assert_int_equal(e->context.NS | e->context.NSE << 1, CST_SEC_REALM);
	assert_int_equal(e->context.ctxtID, 9);
	assert_int_equal(e->context.VMID, 0);
	/* the same context again */
	TO(o, ete, .type = CST_PKT_CONTEXT, .el = 3, .cid = 10);
	assert_false(e->context.updated || e->context.updated_c);
	assert_true(e->pkt_valid.bits.context_valid);
	assert_int_equal(e->context.EL, 1);
	assert_int_equal(e->context.ctxtID, 9);
}

/* Only addresses have a type of their own for each sub-ISA. */
static void test_sub_isa(void **state)
{
	union packet o;

	(void)state;
	packet_reset(&o, &ete);
	TO(o, ete, .type = CST_PKT_TS_MARKER, .is = 1);
	assert_int_equal(o.etmv4.type, ETE_PKT_I_TS_MARKER);
	TO(o, ete, .type = CST_PKT_Q, .is = 1);
	assert_int_equal(o.etmv4.type, ETM4_PKT_I_Q);
	TO(o, ete, .type = CST_PKT_SRC_32, .is = 1);
	assert_int_equal(o.etmv4.type, ETE_PKT_I_SRC_ADDR_L_32IS1);
	TO(o, ete, .type = CST_PKT_BAD_SEQUENCE, .bad_type = CST_PKT_ADDR_64, .is = 1);
	assert_int_equal(o.etmv4.err_type, ETM4_PKT_I_ADDR_L_64IS1);
	TO(o, ete, .type = CST_PKT_TYPES);
	assert_int_equal(o.etmv4.type, ETM4_PKT_I_RESERVED);
}

/* A bad packet has no fields of the packet before it. */
static void test_etmv4_bad(void **state)
{
	static const uint8_t bad[] = { CST_PKT_BAD_SEQUENCE, CST_PKT_INCOMPLETE, CST_PKT_RESERVED_CFG };
	ocsd_etmv4_i_pkt *e;
	union packet o;
	size_t i;

	(void)state;
	packet_reset(&o, &ete);
	e = &o.etmv4;
	for (i = 0; i < sizeof(bad); i++) {
		TO(o, ete, .type = CST_PKT_ATOM_F3, .atoms = 5, .n_atoms = 3);
		assert_int_equal(e->atom.En_bits, 5);
		assert_int_equal(e->atom.num, 3);
		TO(o, ete, .type = bad[i], .bad_type = CST_PKT_ATOM_F3, .atoms = 5, .n_atoms = 3, .header = 0xf8);
		assert_int_equal(e->err_type, ETM4_PKT_I_ATOM_F3);
		assert_int_equal(e->err_hdr_val, 0xf8);
		assert_int_equal(e->atom.En_bits, 0);
		assert_int_equal(e->atom.num, 0);
		TO(o, ete, .type = CST_PKT_CCNT_F2, .flags = CST_PF_CC | CST_PF_COMMIT, .cc = 9, .commit = 4);
		assert_int_equal(e->err_type, ETM4_PKT_I_NO_ERR_TYPE);
		TO(o, ete, .type = bad[i]);
		assert_int_equal(e->cycle_count, 0);
		assert_int_equal(e->commit_elements, 0);
		assert_int_equal(e->pkt_valid.val, 0);
		TO(o, ete, .type = CST_PKT_CONTEXT, .flags = CST_PF_CONTEXT | CST_PF_CID | CST_PF_VMID, .cid = 7, .vmid = 8);
		TO(o, ete, .type = bad[i]);
		assert_false(e->context.updated || e->context.updated_c || e->context.updated_v);
		/* the context itself holds */
		assert_int_equal(e->context.ctxtID, 7);
		assert_int_equal(e->context.VMID, 8);
	}
}

/* An STM packet has the payload of its own size, and the time only if it has one. */
static void test_stm(void **state)
{
	static const struct cst_config stm = { .protocol = CST_PROTO_STM };
	ocsd_stm_pkt *e;
	union packet o;

	(void)state;
	packet_reset(&o, &stm);
	e = &o.stm;
	TO(o, stm, .type = CST_STM_PKT_D64, .cid = 0x41, .vmid = 0x1234, .value = 0x1122334455667788, .flags = CST_STM_PF_TS, .ts = 99,
	   .ts_bits = 20);
	assert_int_equal(e->type, STM_PKT_D64);
	assert_int_equal(e->master, 0x41);
	assert_int_equal(e->channel, 0x1234);
	assert_true(e->payload.D64 == 0x1122334455667788);
	assert_int_equal(e->timestamp, 99);
	assert_int_equal(e->pkt_ts_bits, 20);
	assert_true(e->pkt_has_ts && !e->pkt_has_marker);
	/* the time holds; its bits are those of the packet */
	TO(o, stm, .type = CST_STM_PKT_D8, .value = 0x1ff, .flags = CST_STM_PF_MARKER, .ts = 5, .ts_bits = 8);
	assert_int_equal(e->payload.D64, 0xff);
	assert_int_equal(e->timestamp, 99);
	assert_int_equal(e->pkt_ts_bits, 0);
	assert_true(!e->pkt_has_ts && e->pkt_has_marker);
	assert_int_equal(e->master, 0);
	TO(o, stm, .type = CST_STM_PKT_C16, .value = 0x1fffe);
	assert_int_equal(e->payload.D64, 0xfffe);
	TO(o, stm, .type = CST_STM_PKT_D32, .value = 0x1fffffffe);
	assert_int_equal(e->payload.D64, 0xfffffffe);
	TO(o, stm, .type = CST_STM_PKT_NULL, .value = 7);
	assert_int_equal(e->payload.D64, 0);
	TO(o, stm, .type = CST_STM_PKT_RESERVED, .value = 0x1f0f0);
	assert_int_equal(e->payload.D64, 0xf0f0);
	assert_int_equal(e->err_type, STM_PKT_NO_ERR_TYPE);
	TO(o, stm, .type = CST_STM_PKT_INCOMPLETE, .bad_type = CST_STM_PKT_D16);
	assert_int_equal(e->err_type, STM_PKT_D16);
	TO(o, stm, .type = CST_STM_PKT_BAD_SEQUENCE, .bad_type = CST_STM_PKT_FREQ);
	assert_int_equal(e->err_type, STM_PKT_FREQ);
	/* the kind of timestamps, until the next VERSION */
	TO(o, stm, .type = CST_STM_PKT_VERSION, .value = 3);
	assert_int_equal(e->ts_type, STM_TS_NATBINARY);
	TO(o, stm, .type = CST_STM_PKT_D8, .value = 4);
	assert_int_equal(e->ts_type, STM_TS_NATBINARY);
	TO(o, stm, .type = CST_STM_PKT_VERSION, .value = 4);
	assert_int_equal(e->ts_type, STM_TS_GREY);
	TO(o, stm, .type = CST_STM_PKT_VERSION, .value = 2);
	assert_int_equal(e->ts_type, STM_TS_UNKNOWN);
}

/* Numbers of bits that a client's structure may not have are the highest ones there are. */
static void test_too_many_bits(void **state)
{
	struct cst_packet p;
	union packet o;

	(void)state;
	memset(&o, 0, sizeof(o));
	o.etmv3.addr.pkt_bits = o.etmv3.addr.valid_bits = o.etmv3.ts_update_bits = 200;
	assert_true(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_ETMV3));
	assert_int_equal(p.addr_bits, 32);
	assert_int_equal(p.match, 32);
	assert_int_equal(p.ts_bits, 64);
	memset(&o, 0, sizeof(o));
	o.etmv3.type = ETM3_PKT_NORM_DATA;
	o.etmv3.data.addr.pkt_bits = o.etmv3.data.addr.valid_bits = 33;
	assert_true(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_ETMV3));
	assert_int_equal(p.addr_bits, 32);
	assert_int_equal(p.match, 32);
	memset(&o, 0, sizeof(o));
	o.ptm.addr.pkt_bits = o.ptm.addr.valid_bits = 33;
	o.ptm.ts_update_bits = 65;
	assert_true(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_PTM));
	assert_int_equal(p.addr_bits, 32);
	assert_int_equal(p.info, 32);
	assert_int_equal(p.ts_bits, 64);
	memset(&o, 0, sizeof(o));
	o.stm.pkt_ts_bits = 65;
	assert_true(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_STM));
	assert_int_equal(p.ts_bits, 64);
	memset(&o, 0, sizeof(o));
	o.itm.val_sz = 9;
	assert_true(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_ITM));
	assert_int_equal(p.vsize, 8);
	/* types that do not exist */
	o.itm.type = o.itm.err_type = 99;
	assert_true(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_ITM));
	assert_int_equal(p.type, CST_ITM_PKT_RESERVED);
	assert_int_equal(p.bad_type, CST_ITM_PKT_TYPES);
	assert_false(packet_from_ocsd(&p, &o, OCSD_PROTOCOL_ETMV4D));
	assert_int_equal(p.type, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_etmv3),
		cmocka_unit_test(test_itm),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_ptm),
		cmocka_unit_test(test_etmv4), cmocka_unit_test(test_etmv4_of_1_3),
		cmocka_unit_test(test_etmv4_addresses),
		cmocka_unit_test(test_sub_isa),
		cmocka_unit_test(test_etmv4_bad),
		cmocka_unit_test(test_stm),
		cmocka_unit_test(test_too_many_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
