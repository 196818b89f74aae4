/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * custom.c - decoders that the client registers and the library calls: they get the bytes of their trace
 * ID, and hand elements, packets and errors back through callbacks.
 */
#include <stdlib.h>
#include <string.h>

#include "custom.h"

#define MAX_CUSTOM (OCSD_PROTOCOL_END - OCSD_PROTOCOL_CUSTOM_0)

/* Registered decoders; the interface has no handle for them. */
static struct registered {
	char *name;
	ocsd_extern_dcd_fact_t fact;
} registry[MAX_CUSTOM];

struct custom_inst {
	fnDestroyCustomDecoder destroy;
	ocsd_extern_dcd_inst_t inst;
	ocsd_extern_dcd_cb_fns *fns;	/* the decoder may keep the pointer */
	uint8_t kept[CHUNK];		/* given by the client, not taken yet by the decoder */
	size_t kept_len;
	uint64_t kept_at;		/* index of the first of them */
	bool end_pending;		/* the trace ended while bytes were kept */
};

/* The frames once more, for the IDs of custom decoders. */
struct custom_path {
	struct cst_deframer df;
	uint8_t data[CHUNK + 64];
	struct cst_fragment frag[(CHUNK / 16 + 2) * 9];
};

static ocsd_datapath_resp_t cb_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	const struct source *s = ctx;
	struct cst_generic g;

	if (s->tree->print.elements) {
		element_from_ocsd(&g, e, s->tree->client);
		print_element(s->tree, index, id, &g);
		return OCSD_RESP_CONT;
	}
	return s->tree->listen.out ? s->tree->listen.out(s->tree->listen.out_ctx, index, id, e) :
				     OCSD_RESP_CONT;
}

static void cb_error(const void *ctx, const ocsd_err_severity_t sev, const ocsd_err_t err,
		     const ocsd_trc_index_t index, const uint8_t id, const char *msg)
{
	char name[LOG_NAME];

	log_error(sev, log_decoder(ctx, name), err, index, id, msg ? msg : "");
}

static void cb_message(const void *ctx, const ocsd_err_severity_t sev, const char *msg)
{
	char name[LOG_NAME];

	log_message(sev, log_decoder(ctx, name), msg ? msg : "");
}

/* The library's classification, for decoders of Arm instruction trace. */
static ocsd_err_t cb_instruction(const void *ctx, ocsd_instr_info *i)
{
	struct cst_insn in;
	unsigned int flags;

	(void)ctx;
	if (!i)
		return OCSD_ERR_INVALID_PARAM_VAL;
	if (i->isa > ocsd_isa_aarch64)
		return OCSD_ERR_UNSUPPORTED_ISA;
	flags = (i->wfi_wfe_branch ? CST_ISA_WFX_P0 : 0) |
		(i->pe_type.profile == profile_CortexM ? CST_ISA_M_PROFILE : 0);
	cst_isa_classify(&in, (enum cst_isa)i->isa, i->opcode, i->instr_addr, flags);
	i->type = (ocsd_instr_type)in.type;
	if (in.type == CST_INSN_BARRIER && !i->dsb_dmb_waypoints)
		i->type = OCSD_INSTR_OTHER;
	/* nor has its interface branch futures of the M profile */
	i->sub_type = in.subtype == CST_INSN_FUTURE ? OCSD_S_INSTR_NONE : (ocsd_instr_subtype)in.subtype;
	i->instr_size = in.size;
	i->is_conditional = in.cond;
	i->is_link = in.link;
	i->thumb_it_conditions = in.it_count;
	i->next_isa = in.type == CST_INSN_BRANCH ? (ocsd_isa)in.next_isa : i->isa;
	if (in.type == CST_INSN_BRANCH)
		i->branch_addr = i->instr_addr + (uint64_t)(int64_t)in.disp;
	return OCSD_OK;
}

static ocsd_err_t cb_memory(const void *ctx, const ocsd_vaddr_t addr, const uint8_t id,
			    const ocsd_mem_space_acc_t space, uint32_t *len, uint8_t *buf)
{
	const struct source *s = ctx;

	if (!len || !buf)
		return OCSD_ERR_INVALID_PARAM_VAL;
	*len = memory_read(s->tree, addr, (unsigned int)space, id, *len, buf);
	return OCSD_OK;
}

static void cb_monitor(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
		       const void *pkt, const uint32_t size, const uint8_t *data)
{
	const struct source *s = ctx;

	if (s->packets.mon)
		s->packets.mon(s->packets.mon_ctx, op, index, pkt, size, data);
	else if (s->packets.print_mon && pkt)
		print_custom(s->tree, s, index, pkt);
}

static ocsd_datapath_resp_t cb_sink(const void *ctx, const ocsd_datapath_op_t op,
				    const ocsd_trc_index_t index, const void *pkt)
{
	const struct source *s = ctx;

	if (s->packets.sink)
		return s->packets.sink(s->packets.sink_ctx, op, index, pkt);
	if (s->packets.print_sink && pkt)
		print_custom(s->tree, s, index, pkt);
	return OCSD_RESP_CONT;
}

static const struct registered *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < MAX_CUSTOM; i++)
		if (registry[i].name && !strcmp(registry[i].name, name))
			return &registry[i];
	return NULL;
}

static int listeners(const struct source *s)
{
	bool mon = s->packets.mon || s->packets.print_mon;
	bool sink = s->packets_only && (s->packets.sink || s->packets.print_sink);

	return (mon ? OCSD_CUST_DCD_PKT_CB_USE_MON : 0) | (sink ? OCSD_CUST_DCD_PKT_CB_USE_SINK : 0);
}

void custom_update(struct source *s)
{
	struct custom_inst *c = s->custom;

	if (!c)
		return;
	c->fns->packetCBFlags = listeners(s);
	c->inst.fn_update_pkt_mon(c->inst.decoder_handle, c->fns->packetCBFlags);
}

ocsd_err_t custom_create(struct ocsd_tree *t, struct source *s, const char *name, int flags,
			 const void *config)
{
	const struct registered *r = find(name);
	struct custom_inst *c;
	unsigned char id = 0;
	ocsd_err_t err;

	if (!r)
		return OCSD_ERR_DCDREG_NAME_UNKNOWN;
	err = r->fact.csidFromConfig(config, &id);
	if (err)
		return err;
	if (!t->single && !t->custom) {
		t->custom = calloc(1, sizeof(*t->custom));
		if (!t->custom)
			return OCSD_ERR_MEM;
		cst_deframer_init(&t->custom->df, tree_frame_flags(t));
	}
	c = calloc(1, sizeof(*c));
	if (c)
		c->fns = calloc(1, sizeof(*c->fns));
	if (!c || !c->fns) {
		free(c);
		return OCSD_ERR_MEM;
	}
	c->destroy = r->fact.destroyDecoder;
	*c->fns = (ocsd_extern_dcd_cb_fns){
		.fn_gen_elem_out = cb_element, .fn_log_error = cb_error, .fn_log_msg = cb_message,
		.fn_arm_instruction_decode = cb_instruction, .fn_memory_access = cb_memory,
		.fn_packet_mon = cb_monitor, .fn_packet_data_sink = cb_sink, .lib_context = s,
	};
	/* the decoder may log while it is made */
	s->custom = c;
	s->id = id;
	err = r->fact.createDecoder(flags, config, c->fns, &c->inst);
	if (!err && (!c->inst.fn_data_in || !c->inst.fn_update_pkt_mon)) {
		c->destroy(c->inst.decoder_handle);
		err = OCSD_ERR_NOT_INIT;
	}
	if (err) {
		s->custom = NULL;
		free(c->fns);
		free(c);
		return err;
	}
	s->protocol = r->fact.protocol_id;
	return OCSD_OK;
}

const char *custom_name(const struct source *s)
{
	const char *name = s->custom->inst.p_decoder_name;

	return name ? name : "CUSTOM";
}

void custom_destroy(struct source *s)
{
	if (!s->custom)
		return;
	s->custom->destroy(s->custom->inst.decoder_handle);
	free(s->custom->fns);
	free(s->custom);
	s->custom = NULL;
}

void custom_path_free(struct ocsd_tree *t)
{
	free(t->custom);
	t->custom = NULL;
}

/* Bytes to the decoder until it has them all or waits; *done: how many it took. */
static ocsd_datapath_resp_t give(struct custom_inst *c, uint64_t index, const uint8_t *data, size_t len,
				 size_t *done)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	uint32_t used;

	for (*done = 0; *done < len;) {
		used = 0;
		r = c->inst.fn_data_in(c->inst.decoder_handle, OCSD_OP_DATA, (ocsd_trc_index_t)(index + *done),
				       (uint32_t)(len - *done), data + *done, &used);
		*done += used <= len - *done ? used : len - *done;
		if (r >= OCSD_RESP_WAIT || !used)
			break;
	}
	return r;
}

/* What a decoder that waits has not taken is kept until it is flushed. */
static void keep(struct source *s, uint64_t index, const uint8_t *data, size_t len)
{
	struct custom_inst *c = s->custom;
	size_t room = sizeof(c->kept) - c->kept_len, n = len < room ? len : room;
	char name[LOG_NAME];

	if (!c->kept_len)
		c->kept_at = index;
	memcpy(c->kept + c->kept_len, data, n);
	c->kept_len += n;
	if (n < len)
		log_error(OCSD_ERR_SEV_ERROR, log_decoder(s, name), OCSD_ERR_DATA_DECODE_FATAL,
			  index + n, s->id,
			  "bytes are lost: data came while the decoder waited; flush it first");
}

static ocsd_datapath_resp_t give_or_keep(struct source *s, uint64_t index, const uint8_t *data, size_t len)
{
	ocsd_datapath_resp_t r;
	size_t done;

	if (s->custom->kept_len) {
		keep(s, index, data, len);
		return OCSD_RESP_WAIT;
	}
	r = give(s->custom, index, data, len, &done);
	if (OCSD_DATA_RESP_IS_WAIT(r) && done < len)
		keep(s, index + done, data + done, len - done);
	return r;
}

/* What was kept, after the decoder was flushed or before it hears of the end. */
static ocsd_datapath_resp_t give_kept(struct source *s)
{
	struct custom_inst *c = s->custom;
	size_t n = c->kept_len;
	uint8_t bytes[CHUNK];

	memcpy(bytes, c->kept, n);
	c->kept_len = 0;
	return give_or_keep(s, c->kept_at, bytes, n);
}

/* An operation without data. */
static ocsd_datapath_resp_t operate(struct custom_inst *c, ocsd_datapath_op_t op, uint64_t index)
{
	uint32_t used;

	return c->inst.fn_data_in(c->inst.decoder_handle, op, (ocsd_trc_index_t)index, 0, NULL, &used);
}

static ocsd_datapath_resp_t call(struct source *s, ocsd_datapath_op_t op, uint64_t index, size_t len,
				 const uint8_t *data)
{
	struct custom_inst *c = s->custom;
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	struct ocsd_tree *t = s->tree;
	char name[LOG_NAME];

	t->busy = true;
	if (op == OCSD_OP_RESET && c->kept_len) {
		log_error(OCSD_ERR_SEV_WARN, log_decoder(s, name), OCSD_ERR_DATA_DECODE_FATAL,
			  c->kept_at, s->id,
			  "bytes that the waiting decoder had not taken are dropped by a reset");
		c->kept_len = 0;
	}
	if (op == OCSD_OP_DATA)
		r = give_or_keep(s, index, data, len);
	else if (op != OCSD_OP_EOT)
		r = operate(c, op, index);
	if (op == OCSD_OP_RESET || op == OCSD_OP_EOT)
		c->end_pending = op == OCSD_OP_EOT;
	if ((op == OCSD_OP_FLUSH || op == OCSD_OP_EOT) && r < OCSD_RESP_WAIT && c->kept_len)
		r = worse(r, give_kept(s));
	/* behind the last byte: a decoder that waits gets the end when it is flushed */
	if (c->end_pending && !OCSD_DATA_RESP_IS_WAIT(r)) {
		c->end_pending = false;
		r = worse(r, operate(c, OCSD_OP_EOT, 0));
	}
	t->busy = false;
	return r;
}

static ocsd_datapath_resp_t call_all(struct ocsd_tree *t, ocsd_datapath_op_t op)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	unsigned int i;

	for (i = 0; i < t->nr_all; i++)
		if (t->all[i]->custom)
			r = worse(r, call(t->all[i], op, 0, 0, NULL));
	return r;
}

ocsd_datapath_resp_t custom_data(struct ocsd_tree *t, const uint8_t *data, size_t len, uint64_t index)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	struct custom_path *p = t->custom;
	size_t done = 0, used;
	int i, n;

	if (t->single)
		return call(t->all[0], OCSD_OP_DATA, index, len, data);
	while (p && done < len) {
		n = cst_deframe(&p->df, data + done, len - done, index + done, p->data, sizeof(p->data),
				p->frag, sizeof(p->frag) / sizeof(p->frag[0]), &used);
		if (n < 0 || (!n && !used))
			break;
		done += used;
		for (i = 0; i < n; i++) {
			const struct cst_fragment *f = &p->frag[i];
			struct source *s = f->kind == CST_FRAG_DATA && f->id < 128 ? t->src[f->id] : NULL;

			if (f->kind == CST_FRAG_RESET)
				r = worse(r, call_all(t, OCSD_OP_RESET));
			if (!s || !s->custom)
				continue;
			t->custom_bytes += f->len;
			r = worse(r, call(s, OCSD_OP_DATA, f->offset, f->len, p->data + f->pos));
		}
	}
	return r;
}

ocsd_datapath_resp_t custom_op(struct ocsd_tree *t, ocsd_datapath_op_t op)
{
	if (op == OCSD_OP_RESET && t->custom)
		cst_deframer_init(&t->custom->df, tree_frame_flags(t));
	return call_all(t, op);
}

OCSD_EXPORT ocsd_err_t ocsd_register_custom_decoder(const char *name, ocsd_extern_dcd_fact_t *fact)
{
	unsigned int i;

	if (!name || !fact || !fact->createDecoder || !fact->destroyDecoder || !fact->csidFromConfig ||
	    !fact->pktToString)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (find(name) || builtin_name(name))
		return err_last(OCSD_ERR_DCDREG_NAME_REPEAT);
	for (i = 0; i < MAX_CUSTOM && registry[i].name; i++)
		;
	if (i == MAX_CUSTOM)
		return err_last(OCSD_ERR_DCDREG_TOOMANY);
	registry[i].name = strdup(name);
	if (!registry[i].name)
		return err_last(OCSD_ERR_MEM);
	fact->protocol_id = (ocsd_trace_protocol_t)(OCSD_PROTOCOL_CUSTOM_0 + i);
	registry[i].fact = *fact;
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_deregister_decoders(void)
{
	unsigned int i;

	for (i = 0; i < MAX_CUSTOM; i++) {
		free(registry[i].name);
		registry[i].name = NULL;
	}
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_cust_protocol_to_str(const ocsd_trace_protocol_t protocol, const void *pkt,
						 char *buf, const int size)
{
	unsigned int i = (unsigned int)protocol - OCSD_PROTOCOL_CUSTOM_0;

	if (!pkt || !buf || size < 2)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (i >= MAX_CUSTOM || !registry[i].name)
		return err_last(OCSD_ERR_NO_PROTOCOL);
	return registry[i].fact.pktToString(pkt, buf, size);
}
