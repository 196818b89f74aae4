/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - generic trace elements as the client's structure. It is the larger one of 1.8: 1.3.3's
 * ends in the middle of it. Where the union needs no more than its first 8 bytes, the payload pointer
 * (at 88 in 1.8, and NULL in all that the library's own decoders make) is right at 1.3.3's place, 80, too.
 */
#include <string.h>

#include <cstrace/isa.h>

#include "internal.h"

#define UNION_AT	offsetof(ocsd_generic_trace_elem, exception_number)

_Static_assert(UNION_AT == 72, "the part that both generations share ends at 72");
_Static_assert(CST_GEN_MEMTRANS == 16 && OCSD_GEN_TRC_ELEM_MEMTRANS == 16, "kinds have the same numbers");
_Static_assert((int)CST_ISA_UNKNOWN == (int)ocsd_isa_unknown, "instruction sets as well");
_Static_assert((int)CST_SEC_REALM == (int)ocsd_sec_realm, "security states as well");

/* unsync_info_t: 1.8 has put "bad image" before the end of trace. */
static unsigned int unsync(const struct ocsd_tree *t, unsigned int reason)
{
	if (t->client == CLIENT_1_8 || reason < CST_UNSYNC_BAD_IMAGE)
		return reason;
	return reason == CST_UNSYNC_END ? UNSYNC_EOT_1_3 : UNSYNC_UNKNOWN;
}

static unsigned int unsync_from(enum client client, unsigned int reason)
{
	return client == CLIENT_1_3 && reason == UNSYNC_EOT_1_3 ? (unsigned int)CST_UNSYNC_END :
								  reason;
}

/* Bits of flag_bits, as the header's bit fields lie on the machines that there are tools for. */
#define FLAG_EXEC	0x001u
#define FLAG_SIZE(n)	((uint32_t)(n) << 1)
#define FLAG_CC		0x010u
#define FLAG_RET_ADDR	0x040u
#define FLAG_EXTENDED	0x100u
#define FLAG_TS		0x200u
#define FLAG_COND	0x400u
#define FLAG_BR_TARGET	0x800u
#define FLAG_TAIL_CHAIN	0x1000u	/* 1.8 */

_Static_assert((CST_GF_EXEC | CST_GF_COND) == 3, "the lowest two bits");

static uint32_t flags_of(const struct cst_generic *g)
{
	static const uint16_t bits[4] = {
		[CST_GF_EXEC] = FLAG_EXEC, [CST_GF_COND] = FLAG_COND,
		[CST_GF_EXEC | CST_GF_COND] = FLAG_EXEC | FLAG_COND,
	};

	return bits[g->flags & 3] | FLAG_SIZE(g->last_size);
}

/* last_i_type and last_i_subtype, which are neighbours. */
struct insn_kind {
	uint32_t type, subtype;
};

_Static_assert(offsetof(ocsd_generic_trace_elem, last_i_subtype) == offsetof(ocsd_generic_trace_elem, last_i_type) + 4 &&
	       sizeof(ocsd_instr_type) == 4, "struct insn_kind");

/* Its interface has no branch futures of the M profile. */
#define KINDS(t) {														\
		[CST_INSN_PLAIN] = { t, OCSD_S_INSTR_NONE }, [CST_INSN_LINK] = { t, OCSD_S_INSTR_BR_LINK },		\
		[CST_INSN_RET] = { t, OCSD_S_INSTR_V8_RET }, [CST_INSN_ERET] = { t, OCSD_S_INSTR_V8_ERET },		\
		[CST_INSN_IMPLIED_RET] = { t, OCSD_S_INSTR_V7_IMPLIED_RET }, [CST_INSN_FUTURE] = { t, OCSD_S_INSTR_NONE }, \
	}

/* Nor loads and stores as P0 instructions. */
static const struct insn_kind insn_kinds[][8] = {
	[CST_INSN_OTHER] = KINDS(OCSD_INSTR_OTHER), [CST_INSN_BRANCH] = KINDS(OCSD_INSTR_BR),
	[CST_INSN_INDIRECT] = KINDS(OCSD_INSTR_BR_INDIRECT), [CST_INSN_ISB] = KINDS(OCSD_INSTR_ISB),
	[CST_INSN_BARRIER] = KINDS(OCSD_INSTR_DSB_DMB), [CST_INSN_WFX] = KINDS(OCSD_INSTR_WFI_WFE),
	[CST_INSN_TSTART] = KINDS(OCSD_INSTR_TSTART), [CST_INSN_LOAD] = KINDS(OCSD_INSTR_OTHER),
	[CST_INSN_STORE] = KINDS(OCSD_INSTR_OTHER),
};

void element_context(struct source *s, const struct cst_generic *g)
{
	ocsd_pe_context *c = &s->client.elem.e.context;

	/* ETMv3 and PTM do not trace the exception level: all spaces of the security state */
	s->space = g->flags & CST_GF_EL ?
			   level_space(s->tree->client, cst_memspace_of(g->el, g->security)) :
		   g->security == CST_SEC_SECURE ? SPACES_S :
						   SPACES_N;
	memset(c, 0, sizeof(*c));
	c->security_level = (ocsd_sec_level)g->security;
	c->exception_level = g->flags & CST_GF_EL || g->el ? (ocsd_ex_level)g->el : ocsd_EL_unknown;
	c->context_id = g->context_id;
	c->vmid = g->vmid;
	c->bits64 = !!(g->flags & CST_GF_BITS64);
	c->ctxt_id_valid = !!(g->flags & CST_GF_CID);
	c->vmid_valid = !!(g->flags & CST_GF_VMID);
	c->el_valid = !!(g->flags & CST_GF_EL);
}

/* Sets what all ranges have in common. */
static void begin_ranges(struct source *s)
{
	ocsd_generic_trace_elem *e = &s->client.elem.e;

	s->client.range = true;
	e->elem_type = OCSD_GEN_TRC_ELEM_INSTR_RANGE;
	e->timestamp = 0;
	e->cycle_count = 0;
	memset(s->client.elem.bytes + UNION_AT, 0, sizeof(s->client.elem) - UNION_AT);
}

/* As fill(), of most elements there are, after begin_ranges(). */
static inline void fill_range(struct source *s, const struct cst_generic *g)
{
	ocsd_generic_trace_elem *e = &s->client.elem.e;

	e->isa = (ocsd_isa)g->isa;
	e->st_addr = g->addr;
	e->en_addr = cst_generic_reached(g);
	e->num_instr_range = g->n_insn;
	memcpy(&e->last_i_type, &insn_kinds[g->last_type][g->last_subtype], sizeof(struct insn_kind));
	e->flag_bits = flags_of(g);
}

static inline ocsd_datapath_resp_t range_out(const struct ocsd_tree *t, const struct source *s, const struct cst_generic *g)
{
	return t->listen.out(t->listen.out_ctx, (ocsd_trc_index_t)g->index, s->id,
			     &s->client.elem.e);
}

/* A range of cycle-accurate ETMv3 and PTM trace. */
static __attribute__((noinline)) ocsd_datapath_resp_t cycles_out(const struct ocsd_tree *t, struct source *s,
								   const struct cst_generic *g)
{
	ocsd_generic_trace_elem *e = &s->client.elem.e;
	ocsd_datapath_resp_t r;

	e->flag_bits |= FLAG_CC;
	e->cycle_count = g->cc;
	r = range_out(t, s, g);
	e->cycle_count = 0;
	return r;
}

ocsd_datapath_resp_t element_ranges(struct ocsd_tree *t, struct source *s)
{
	const struct cst_generic *g = &t->made.batch[t->made.at],
				 *end = &t->made.batch[t->made.count];
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;

	if (!s->client.range)
		begin_ranges(s);
	t->busy = true;
	/* the client may change its function inside of it */
	for (; g != end && t->listen.out && g->kind == CST_GEN_RANGE; g++) {
		t->made.at++;
		fill_range(s, g);
		r = g->flags & CST_GF_CC ? cycles_out(t, s, g) : range_out(t, s, g);
		if (r != OCSD_RESP_CONT)
			break;
	}
	t->busy = false;
	return r;
}

/* swt_flag_bits of ocsd_swt_info_t. */
#define SWT_PACKETS(n)	((uint32_t)(n) << 8)
#define SWT_MARKER	0x010000u
#define SWT_TS		0x020000u
#define SWT_MASTER_ERR	0x080000u
#define SWT_GLOBAL_ERR	0x100000u
#define SWT_TRIGGER	0x200000u
#define SWT_FREQUENCY	0x400000u
#define SWT_ID		0x800000u

static void put_timestamp(ocsd_generic_trace_elem *e, const struct cst_generic *g)
{
	if (g->flags & CST_GF_TS) {
		e->flag_bits |= FLAG_TS;
		e->timestamp = g->ts;
	}
}

/* The payload of a client is little endian on each host. Not by #if: each host compiles it. */
static uint64_t little_endian(uint64_t v)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(v) : v;
}

static void fill_software(struct source *s, const struct cst_generic *g)
{
	ocsd_generic_trace_elem *e = &s->client.elem.e;
	const void *payload = &s->client.payload;

	e->sw_trace_info.swt_master_id = (uint16_t)g->master;
	e->sw_trace_info.swt_channel_id = (uint16_t)g->channel;
	e->sw_trace_info.swt_flag_bits =
		(g->size & 0xff) | (g->size ? SWT_PACKETS(1) : 0) | (g->num & CST_SW_MARKER ? SWT_MARKER : 0) |
		(g->flags & CST_GF_TS ? SWT_TS : 0) | (g->num & CST_SW_MASTER_ERR ? SWT_MASTER_ERR : 0) |
		(g->num & CST_SW_GLOBAL_ERR ? SWT_GLOBAL_ERR : 0) | (g->num & CST_SW_TRIGGER ? SWT_TRIGGER : 0) |
		(g->num & CST_SW_FREQ ? SWT_FREQUENCY : 0) | (g->num & CST_SW_ID ? SWT_ID : 0);
	put_timestamp(e, g);
	if (!g->size)
		return;
	/* little endian, in as many bytes as it has; at the place of either generation */
	s->client.payload = little_endian(g->payload);
	e->flag_bits |= FLAG_EXTENDED;
	e->ptr_extended_data = payload;
	memcpy(s->client.elem.bytes + PAYLOAD_AT_1_3, &payload, sizeof(payload));
}

static void fill_itm(struct source *s, const struct cst_generic *g)
{
	swt_itm_info *i = &s->client.elem.e.swt_itm;

	i->pkt_type = (swt_itm_type)g->last_type;
	i->payload_src_id = (uint8_t)g->channel;
	i->payload_size = (uint8_t)g->size;
	i->value = (uint32_t)g->payload;
	i->overflow = !!(g->num & CST_SW_OVERFLOW);
	put_timestamp(&s->client.elem.e, g);
}

/* All but the context, which holds from one to the next. */
static void fill(const struct ocsd_tree *t, struct source *s, const struct cst_generic *g)
{
	union elem *u = &s->client.elem;
	ocsd_generic_trace_elem *e = &u->e;

	e->elem_type = (ocsd_gen_trc_elem_t)g->kind;
	e->isa = (ocsd_isa)g->isa;
	e->timestamp = 0;
	e->cycle_count = 0;
	memset(u->bytes + UNION_AT, 0, sizeof(*u) - UNION_AT);
	e->st_addr = e->en_addr = 0;
	e->flag_bits = 0;
	e->last_i_type = OCSD_INSTR_OTHER;
	e->last_i_subtype = OCSD_S_INSTR_NONE;
	if (g->flags & CST_GF_CC || g->kind == CST_GEN_CYCLE_COUNT) {
		/* a cycle count of unknown value is reported as 0 */
		e->flag_bits |= FLAG_CC;
		e->cycle_count = g->flags & CST_GF_CC ? g->cc : 0;
	}
	switch (g->kind) {
	case CST_GEN_NOPATH:
		e->st_addr = g->addr;
		e->en_addr = g->end;
		e->num_instr_range = g->n_insn;
		break;
	case CST_GEN_NACC:
		e->st_addr = g->addr;
		/* 1.8: the memory space */
		e->exception_number = t->client == CLIENT_1_8 ? g->num : 0;
		break;
	case CST_GEN_EXCEPTION:
		e->exception_number = g->num;
		if (g->flags & CST_GF_RET_ADDR) {
			e->flag_bits |= FLAG_RET_ADDR;
			e->en_addr = g->end;
		}
		if (g->flags & CST_GF_BR_TARGET)
			e->flag_bits |= FLAG_BR_TARGET;
		if (g->flags & CST_GF_TAIL_CHAIN && t->client == CLIENT_1_8)
			e->flag_bits |= FLAG_TAIL_CHAIN;
		break;
	case CST_GEN_TIMESTAMP:
		e->timestamp = g->addr;
		e->flag_bits |= FLAG_TS;
		break;
	case CST_GEN_EVENT:
		e->trace_event.ev_type = g->num == CST_EVENT_TRIGGER ? EVENT_TRIGGER : EVENT_NUMBERED;
		e->trace_event.ev_number = g->num == CST_EVENT_TRIGGER ? 0 : g->num;
		break;
	case CST_GEN_SWTRACE:
		fill_software(s, g);
		break;
	case CST_GEN_ITMTRACE:
		fill_itm(s, g);
		break;
	case CST_GEN_TRACE_ON:
		e->trace_on_reason = (trace_on_reason_t)g->num;
		break;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		e->unsync_eot_info = (unsync_info_t)unsync(t, g->num);
		break;
	case CST_GEN_SYNC_MARKER:
		e->sync_marker.type = ELEM_MARKER_TS;
		e->sync_marker.value = g->num;
		break;
	case CST_GEN_MEMTRANS:
		e->mem_trans = (trace_memtrans_t)g->num;
		break;
	case CST_GEN_INSTRUMENTATION:
		e->sw_ite.el = g->el;
		e->sw_ite.value = g->addr;
		break;
	}
}

/* What the library reports as an error was logged by OpenCSD, and answered with. */
static ocsd_datapath_resp_t note(const struct source *s, const struct cst_generic *g)
{
	ocsd_err_t err = OCSD_ERR_FAIL;
	char name[LOG_NAME];

	if (g->num == CST_UNSYNC_BAD_IMAGE) {
		log_error(OCSD_ERR_SEV_ERROR, log_decoder(s, name), OCSD_ERR_BAD_DECODE_IMAGE,
			  g->index, s->id, cst_strerror(-CST_ERR_BAD_IMAGE));
		return OCSD_RESP_ERR_CONT;
	}
	if (!g->error)
		return OCSD_RESP_CONT;
	switch (g->error) {
	case CST_ERR_NOMEM:
		err = OCSD_ERR_MEM;
		break;
	case CST_ERR_BAD_SEQUENCE:
		err = OCSD_ERR_BAD_PACKET_SEQ;
		break;
	case CST_ERR_BAD_HEADER:
	case CST_ERR_UNSUP_HEADER:
		err = OCSD_ERR_INVALID_PCKT_HDR;
		break;
	case CST_ERR_COMMIT_OVERRUN:
		err = OCSD_ERR_COMMIT_PKT_OVERRUN;
		break;
	case CST_ERR_INCOMPLETE:
	case CST_ERR_NO_ATOM:
	case CST_ERR_NO_ADDRESS:
	case CST_ERR_DEPTH:
	case CST_ERR_TRANSACTION:
		err = OCSD_ERR_BAD_DECODE_PKT;
		break;
	}
	log_error(OCSD_ERR_SEV_ERROR, log_decoder(s, name), err, g->index, s->id,
		  cst_strerror(-(int)g->error));
	return s->flags & OCSD_OPFLG_PKTDEC_HALT_BAD_PKTS ? OCSD_RESP_FATAL_INVALID_DATA : OCSD_RESP_ERR_CONT;
}

/* True for elements that clients of this level know from OpenCSD. */
static bool in_interface(const struct ocsd_tree *t, const struct source *s,
			 const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_SYNC_MARKER:
		return g->num == CST_MARK_TIMESTAMP;
	case CST_GEN_ADDR_UNKNOWN:
		/* for atoms whose address was never known; flags of 1.8 find contradictions */
		return s->protocol == OCSD_PROTOCOL_ETMV3 && !g->error;
	case CST_GEN_INSTRUMENTATION:
		return t->client == CLIENT_1_8;
	}
	return g->kind < CST_GEN_DATA;
}

ocsd_datapath_resp_t element_out(struct ocsd_tree *t, struct source *s, const struct cst_generic *g)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT, answer;

	if (!in_interface(t, s, g))
		return r;
	if (g->kind == CST_GEN_NO_SYNC) {
		r = note(s, g);
		/* the client stops here */
		if (OCSD_DATA_RESP_IS_FATAL(r))
			return r;
	} else if (g->kind == CST_GEN_PE_CONTEXT)
		element_context(s, g);
	if (!t->listen.out) {
		if (t->print.elements)
			print_element(t, g->index, s->id, g);
		return r;
	}
	s->client.range = false;
	fill(t, s, g);
	t->busy = true;
	answer = t->listen.out(t->listen.out_ctx, (ocsd_trc_index_t)g->index, s->id,
			       &s->client.elem.e);
	t->busy = false;
	return worse(answer, r);
}

static void software_from(struct cst_generic *g, const ocsd_generic_trace_elem *e, const void *data)
{
	uint32_t f = e->sw_trace_info.swt_flag_bits;
	uint64_t payload = 0;

	g->master = e->sw_trace_info.swt_master_id;
	g->channel = e->sw_trace_info.swt_channel_id;
	g->size = f & 0xff;
	if (e->extended_data && data && g->size)
		memcpy(&payload, data, g->size < 64 ? (g->size + 7) / 8 : 8);
	else
		g->size = 0;
	g->payload = little_endian(payload);
	g->ts = e->timestamp;
	g->flags = e->has_ts ? CST_GF_TS : 0;
	g->num = (f & SWT_ID ? CST_SW_ID : 0) | (f & SWT_MARKER ? CST_SW_MARKER : 0) |
		 (f & SWT_TRIGGER ? CST_SW_TRIGGER : 0) | (f & SWT_FREQUENCY ? CST_SW_FREQ : 0) |
		 (f & SWT_MASTER_ERR ? CST_SW_MASTER_ERR : 0) | (f & SWT_GLOBAL_ERR ? CST_SW_GLOBAL_ERR : 0);
}

/* Clients of 1.3.3 have it elsewhere, and nothing at the place of 1.8. */
static const void *payload_of(const ocsd_generic_trace_elem *e, enum client client)
{
	const void *data;

	if (client == CLIENT_1_8)
		return e->ptr_extended_data;
	memcpy(&data, (const unsigned char *)e + PAYLOAD_AT_1_3, sizeof(data));
	return data;
}

static void itm_from(struct cst_generic *g, const ocsd_generic_trace_elem *e)
{
	const swt_itm_info *i = &e->swt_itm;

	g->last_type = (uint8_t)i->pkt_type;
	g->channel = i->payload_src_id;
	g->size = i->payload_size < 8 ? i->payload_size : 8;
	g->payload = i->value;
	g->num = i->overflow ? CST_SW_OVERFLOW : 0;
	g->ts = e->timestamp;
	g->flags = e->has_ts ? CST_GF_TS : 0;
}

void element_from_ocsd(struct cst_generic *g, const ocsd_generic_trace_elem *e, enum client client)
{
	memset(g, 0, sizeof(*g));
	g->kind = (uint8_t)e->elem_type;
	/* 1.8 has put two kinds before this last one */
	if (client == CLIENT_1_3 && (int)e->elem_type == ELEM_CUSTOM_1_3)
		g->kind = CST_GEN_CUSTOM;
	g->isa = (uint8_t)e->isa;
	g->addr = e->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP ? e->timestamp : e->st_addr;
	g->end = e->en_addr;
	g->n_insn = e->num_instr_range;
	g->cc = e->cycle_count;
	g->el = (uint8_t)e->context.exception_level;
	g->security = (uint8_t)e->context.security_level;
	g->context_id = e->context.context_id;
	g->vmid = e->context.vmid;
	g->last_type = (uint8_t)e->last_i_type;
	g->last_subtype = (uint8_t)e->last_i_subtype;
	g->last_size = e->last_instr_sz;
	g->flags = (e->last_instr_exec ? CST_GF_EXEC : 0) | (e->last_instr_cond ? CST_GF_COND : 0) |
		   (e->has_cc ? CST_GF_CC : 0) | (e->excep_ret_addr ? CST_GF_RET_ADDR : 0) |
		   (e->excep_ret_addr_br_tgt ? CST_GF_BR_TARGET : 0) |
		   (e->context.bits64 ? CST_GF_BITS64 : 0) |
		   (e->context.ctxt_id_valid ? CST_GF_CID : 0) | (e->context.vmid_valid ? CST_GF_VMID : 0) |
		   (e->context.el_valid ? CST_GF_EL : 0);
	switch (g->kind) {
	case CST_GEN_RANGE:	/* en_addr is what is shown, also of an instruction that was executed in part */
		break;
	case CST_GEN_EVENT:
		g->num = e->trace_event.ev_type == EVENT_TRIGGER ? CST_EVENT_TRIGGER : e->trace_event.ev_number;
		break;
	case CST_GEN_SWTRACE:
		software_from(g, e, payload_of(e, client));
		break;
	case CST_GEN_ITMTRACE:
		itm_from(g, e);
		break;
	case CST_GEN_SYNC_MARKER:
		g->num = CST_MARK_TIMESTAMP;	/* the interface has no other marker */
		break;
	case CST_GEN_INSTRUMENTATION:
		g->el = e->sw_ite.el;
		g->addr = e->sw_ite.value;
		break;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		g->num = (uint16_t)unsync_from(client, e->unsync_eot_info);
		break;
	default:
		g->num = (uint16_t)e->exception_number;
	}
}
