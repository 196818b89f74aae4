/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_custom.c - decoders of a client in the OpenCSD interface: how they are registered and made, what the
 * library's functions return to them, and what becomes of bytes that a waiting decoder has not taken.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <opencsd/c_api/opencsd_c_api.h>

/* Requests of the library to the decoder, and what the decoder responds. */
static struct custom {
	ocsd_extern_dcd_cb_fns *cb;
	struct lines ops;
	unsigned int made, destroyed, flags;
	int create_flags;
	ocsd_err_t id_error, create_error;
	bool lacks_data, lacks_flags, lacks_id;
	uint32_t takes;			/* bytes of each call; 0: none */
	ocsd_datapath_resp_t data_resp, flush_resp, end_resp, reset_resp;
} it;

static ocsd_datapath_resp_t it_data(const void *handle, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				    const uint32_t size, const uint8_t *data, uint32_t *used)
{
	static const char *const names[] = { "data", "end", "flush", "reset" };
	char text[64];
	uint32_t n = size < it.takes ? size : it.takes;

	assert_ptr_equal(handle, &it);
	if (op != OCSD_OP_DATA) {
		assert_int_equal(size, 0);
		assert_null(data);
		add_line(&it.ops, index, 0, names[op]);
		return op == OCSD_OP_EOT ? it.end_resp : op == OCSD_OP_FLUSH ? it.flush_resp : it.reset_resp;
	}
	if (n)
		snprintf(text, sizeof(text), "data %02x..%02x", data[0], data[n - 1]);
	else
		strcpy(text, "data");
	add_line(&it.ops, index, 0, text);
	*used = n;
	return it.data_resp;
}

static void it_flags(const void *handle, const int flags)
{
	assert_ptr_equal(handle, &it);
	it.flags = (unsigned int)flags;
}

static ocsd_err_t it_create(const int flags, const void *cfg, const ocsd_extern_dcd_cb_fns *cb,
			    ocsd_extern_dcd_inst_t *inst)
{
	(void)cfg;
	it.create_flags = flags;
	it.cb = (ocsd_extern_dcd_cb_fns *)(uintptr_t)cb;
	inst->fn_data_in = it.lacks_data ? NULL : it_data;
	inst->fn_update_pkt_mon = it.lacks_flags ? NULL : it_flags;
	inst->decoder_handle = &it;
	it.made += !it.create_error;
	return it.create_error;
}

static ocsd_err_t it_destroy(const void *handle)
{
	assert_ptr_equal(handle, &it);
	it.destroyed++;
	return OCSD_OK;
}

static ocsd_err_t it_id(const void *cfg, unsigned char *id)
{
	if (!it.lacks_id)
		*id = *(const unsigned char *)cfg;
	return it.id_error;
}

static ocsd_err_t it_text(const void *pkt, char *buf, const int size)
{
	snprintf(buf, (size_t)size, "packet %02x", *(const uint8_t *)pkt);
	return OCSD_OK;
}

static const ocsd_extern_dcd_fact_t whole = { it_create, it_destroy, it_id, it_text, OCSD_PROTOCOL_UNKNOWN };

#define CHECK_OPS(...) check_lines(&it.ops, 0, LINES(__VA_ARGS__))
#define CHECK(l, ...) check_lines(l, PRINTED_AT, LINES(__VA_ARGS__))
#define CHECK_NOTHING(l) check_lines(l, 0, LINES(NULL))

/* Each test begins with no decoder registered, and one that takes all bytes. */
static int begin(void **state)
{
	(void)state;
	ocsd_deregister_decoders();
	ocsd_def_errlog_config_output(0, NULL);
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	free_lines(&it.ops);
	memset(&it, 0, sizeof(it));
	it.takes = UINT32_MAX;
	return 0;
}

static ocsd_err_t create(dcd_tree_handle_t t, unsigned char id, int flags)
{
	return ocsd_dt_create_decoder(t, "custom", flags, &id, NULL);
}

/* A single source with the custom decoder. */
static dcd_tree_handle_t single(int flags)
{
	ocsd_extern_dcd_fact_t fact = whole;
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);

	assert_int_equal(ocsd_register_custom_decoder("custom", &fact), OCSD_OK);
	assert_int_equal(create(t, 0x33, flags), OCSD_OK);
	assert_int_equal(it.create_flags, flags);
	return t;
}

static ocsd_datapath_resp_t op(dcd_tree_handle_t t, ocsd_datapath_op_t what)
{
	return ocsd_dt_process_data(t, what, 0, 0, NULL, NULL);
}

/* What a decoder needs, and how many there may be. */
static void test_register(void **state)
{
	const ocsd_err_t invalid = OCSD_ERR_INVALID_PARAM_VAL;
	ocsd_extern_dcd_fact_t fact = whole;
	char name[8], text[64];
	unsigned int i;

	(void)state;
	assert_int_equal(ocsd_register_custom_decoder(NULL, &fact), invalid);
	assert_int_equal(ocsd_register_custom_decoder("none", NULL), invalid);
	fact.createDecoder = NULL;
	assert_int_equal(ocsd_register_custom_decoder("none", &fact), invalid);
	fact = whole;
	fact.destroyDecoder = NULL;
	assert_int_equal(ocsd_register_custom_decoder("none", &fact), invalid);
	fact = whole;
	fact.csidFromConfig = NULL;
	assert_int_equal(ocsd_register_custom_decoder("none", &fact), invalid);
	fact = whole;
	fact.pktToString = NULL;
	assert_int_equal(ocsd_register_custom_decoder("none", &fact), invalid);
	assert_int_equal(ocsd_get_last_err(NULL, NULL, NULL, 0), invalid);
	assert_int_equal(fact.protocol_id, OCSD_PROTOCOL_UNKNOWN);
	fact = whole;
	for (i = 0; i < OCSD_PROTOCOL_END - OCSD_PROTOCOL_CUSTOM_0; i++) {
		snprintf(name, sizeof(name), "dec%u", i);
		assert_int_equal(ocsd_register_custom_decoder(name, &fact), OCSD_OK);
		assert_int_equal(fact.protocol_id, OCSD_PROTOCOL_CUSTOM_0 + i);
		assert_int_equal(ocsd_cust_protocol_to_str(fact.protocol_id, "A", text, sizeof(text)), OCSD_OK);
		assert_string_equal(text, "packet 41");
	}
	assert_int_equal(ocsd_register_custom_decoder("more", &fact), OCSD_ERR_DCDREG_TOOMANY);
	assert_int_equal(ocsd_get_last_err(NULL, NULL, NULL, 0), OCSD_ERR_DCDREG_TOOMANY);
	assert_int_equal(ocsd_register_custom_decoder("dec9", &fact), OCSD_ERR_DCDREG_NAME_REPEAT);
	/* the protocols below and above */
	assert_int_equal(ocsd_cust_protocol_to_str(OCSD_PROTOCOL_END, "A", text, sizeof(text)), OCSD_ERR_NO_PROTOCOL);
	assert_int_equal(ocsd_cust_protocol_to_str((ocsd_trace_protocol_t)(OCSD_PROTOCOL_CUSTOM_0 - 1), "A", text,
						   sizeof(text)),
			 OCSD_ERR_NO_PROTOCOL);
	assert_int_equal(ocsd_deregister_decoders(), OCSD_OK);
	assert_int_equal(ocsd_register_custom_decoder("more", &fact), OCSD_OK);
	assert_int_equal(fact.protocol_id, OCSD_PROTOCOL_CUSTOM_0);
}

/* A decoder that cannot be made, or has no place in the tree, is not kept; what was made of it is destroyed. */
static void test_create(void **state)
{
	ocsd_extern_dcd_fact_t fact = whole;
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);

	(void)state;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_DCDREG_NAME_UNKNOWN);
	assert_int_equal(ocsd_register_custom_decoder("custom", &fact), OCSD_OK);
	it.id_error = OCSD_ERR_HW_CFG_UNSUPP;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_HW_CFG_UNSUPP);
	assert_int_equal(ocsd_get_last_err(NULL, NULL, NULL, 0), OCSD_ERR_HW_CFG_UNSUPP);
	it.id_error = OCSD_OK;
	it.create_error = OCSD_ERR_MEM;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_MEM);
	it.create_error = OCSD_OK;
	assert_int_equal(it.made, 0);
	assert_int_equal(it.destroyed, 0);
	it.lacks_data = true;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_NOT_INIT);
	assert_int_equal(it.destroyed, 1);
	it.lacks_data = false;
	it.lacks_flags = true;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_NOT_INIT);
	assert_int_equal(it.destroyed, 2);
	it.lacks_flags = false;
	assert_int_equal(create(t, 0x70, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_INVALID_ID);
	assert_int_equal(it.destroyed, 3);
	/* without an ID, it has ID 0, which frames do not have */
	it.lacks_id = true;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_INVALID_ID);
	assert_int_equal(it.destroyed, 4);
	it.lacks_id = false;
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_OK);
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_ERR_ATTACH_TOO_MANY);
	assert_int_equal(it.destroyed, 5);
	assert_int_equal(it.made, 6);
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x33), OCSD_OK);
	assert_int_equal(it.destroyed, 6);
	ocsd_destroy_dcd_tree(t);
	assert_int_equal(it.destroyed, 6);
}

/* The decoder's errors and messages are the library's: the last error, and the log as far as its level goes. */
static void test_log(void **state)
{
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);
	struct lines l = { NULL, 0, 0 };
	ocsd_trc_index_t at;
	char text[256];
	uint8_t id;

	(void)state;
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_WARN, 1), OCSD_OK);
	it.cb->fn_log_error(it.cb->lib_context, OCSD_ERR_SEV_WARN, OCSD_ERR_BAD_PACKET_SEQ, 77, 0x33, "header 0a");
	CHECK(&l,
	      "CUSTOM_0051 : 0x0013 (OCSD_ERR_BAD_PACKET_SEQ) [Bad packet sequence]; "
	      "TrcIdx=77; CS ID=33; header 0a\n");
	assert_int_equal(ocsd_get_last_err(&at, &id, text, sizeof(text)), OCSD_ERR_BAD_PACKET_SEQ);
	assert_int_equal(at, 77);
	assert_int_equal(id, 0x33);
	assert_string_equal(text,
			    "0x0013 (OCSD_ERR_BAD_PACKET_SEQ) [Bad packet sequence]; TrcIdx=77; CS ID=33; header 0a");
	/* not in the log, and yet the last one; without place and message */
	it.cb->fn_log_error(it.cb->lib_context, OCSD_ERR_SEV_INFO, OCSD_ERR_FAIL, OCSD_BAD_TRC_INDEX,
			    OCSD_BAD_CS_SRC_ID, NULL);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_get_last_err(&at, &id, text, sizeof(text)), OCSD_ERR_FAIL);
	assert_int_equal(at, OCSD_BAD_TRC_INDEX);
	assert_int_equal(id, OCSD_BAD_CS_SRC_ID);
	assert_string_equal(text, "0x0001 (OCSD_ERR_FAIL) [General failure.]; ");
	it.cb->fn_log_msg(it.cb->lib_context, OCSD_ERR_SEV_WARN, "100% of it");
	it.cb->fn_log_msg(it.cb->lib_context, OCSD_ERR_SEV_WARN, "with its end\n");
	it.cb->fn_log_msg(it.cb->lib_context, OCSD_ERR_SEV_INFO, "not printed");
	it.cb->fn_log_msg(it.cb->lib_context, OCSD_ERR_SEV_ERROR, NULL);
	CHECK(&l, "CUSTOM_0051 : 100% of it\n", "CUSTOM_0051 : with its end\n", "CUSTOM_0051 : \n");
	ocsd_destroy_dcd_tree(t);
	/* its function is not called after the tree is gone */
	ocsd_def_errlog_msgout("text\n");
	CHECK_NOTHING(&l);
}

/* Classification of instructions for the decoder. */
static void test_instructions(void **state)
{
	static const struct {
		ocsd_isa isa;
		ocsd_core_profile_t profile;
		bool barriers, wfx;
		uint32_t opcode;
		ocsd_instr_type type;
		ocsd_instr_subtype subtype;
		unsigned int size, cond, link, it;
		int64_t disp;			/* of a direct branch */
		ocsd_isa next;
	} cases[] = {
#define A64 ocsd_isa_aarch64, profile_CortexA
#define A32 ocsd_isa_arm, profile_CortexA
#define T32 ocsd_isa_thumb2, profile_CortexA
#define T32_M ocsd_isa_thumb2, profile_CortexM
#define INDIRECT OCSD_INSTR_BR_INDIRECT
		{ A64, 0, 0, 0x17ffffff, OCSD_INSTR_BR, OCSD_S_INSTR_NONE, 4, 0, 0, 0, -4, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0x94000004, OCSD_INSTR_BR, OCSD_S_INSTR_BR_LINK, 4, 0, 1, 0, 16, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0x54000040, OCSD_INSTR_BR, OCSD_S_INSTR_NONE, 4, 1, 0, 0, 8, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0xd65f03c0, INDIRECT, OCSD_S_INSTR_V8_RET, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0xd69f03e0, INDIRECT, OCSD_S_INSTR_V8_ERET, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0xd5033fdf, OCSD_INSTR_ISB, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0xd5033f9f, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 1, 0, 0xd5033f9f, OCSD_INSTR_DSB_DMB, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 0, 0, 0xd503205f, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 0, 1, 0xd503205f, OCSD_INSTR_WFI_WFE, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A64, 1, 1, 0xd503201f, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_aarch64 },
		{ A32, 0, 0, 0xfa000000, OCSD_INSTR_BR, OCSD_S_INSTR_BR_LINK, 4, 0, 1, 0, 8, ocsd_isa_thumb2 },
		{ A32, 0, 0, 0xe12fff1e, INDIRECT, OCSD_S_INSTR_V7_IMPLIED_RET, 4, 0, 0, 0, 0, ocsd_isa_arm },
		/* instructions of 16 bits are in the upper half */
		{ T32, 0, 0, 0xe7fe0000, OCSD_INSTR_BR, OCSD_S_INSTR_NONE, 2, 0, 0, 0, 0, ocsd_isa_thumb2 },
		{ T32, 0, 0, 0xbf080000, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 2, 0, 0, 1, 0, ocsd_isa_thumb2 },
		{ T32, 0, 0, 0xbf010000, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 2, 0, 0, 4, 0, ocsd_isa_thumb2 },
		/* of the M profile only: a loop, and a branch future, which has no subtype in the interface */
		{ T32, 0, 0, 0xf00fc003, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_thumb2 },
		{ T32_M, 0, 0, 0xf00fc005, OCSD_INSTR_BR, OCSD_S_INSTR_NONE, 4, 1, 0, 0, -4, ocsd_isa_thumb2 },
		{ T32_M, 0, 0, 0xf0c0e001, OCSD_INSTR_OTHER, OCSD_S_INSTR_NONE, 4, 0, 0, 0, 0, ocsd_isa_thumb2 },
	};
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);
	ocsd_instr_info in = { .isa = ocsd_isa_tee };
	size_t i;

	(void)state;
	assert_int_equal(it.cb->fn_arm_instruction_decode(it.cb->lib_context, NULL), OCSD_ERR_INVALID_PARAM_VAL);
	for (in.isa = ocsd_isa_tee; in.isa <= ocsd_isa_unknown; in.isa = (ocsd_isa)(in.isa + 1))
		assert_int_equal(it.cb->fn_arm_instruction_decode(it.cb->lib_context, &in), OCSD_ERR_UNSUPPORTED_ISA);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool branch = cases[i].type == OCSD_INSTR_BR;

		memset(&in, 0xee, sizeof(in));
		in.pe_type.arch = ARCH_V8;
		in.pe_type.profile = cases[i].profile;
		in.isa = cases[i].isa;
		in.instr_addr = 0x400010;
		in.opcode = cases[i].opcode;
		in.dsb_dmb_waypoints = cases[i].barriers;
		in.wfi_wfe_branch = cases[i].wfx;
		in.branch_addr = 0x1234;
		assert_int_equal(it.cb->fn_arm_instruction_decode(it.cb->lib_context, &in), OCSD_OK);
		if (in.type != cases[i].type || in.sub_type != cases[i].subtype || in.instr_size != cases[i].size ||
		    in.is_conditional != cases[i].cond || in.is_link != cases[i].link ||
		    in.thumb_it_conditions != cases[i].it || in.next_isa != cases[i].next ||
		    in.branch_addr != (branch ? 0x400010 + (uint64_t)cases[i].disp : 0x1234))
			fail_msg("case %zu: type %d, %d; size %u, cond %u, link %u, it %u, isa %d, branch %" PRIx64, i,
				 in.type, in.sub_type, in.instr_size, in.is_conditional, in.is_link,
				 in.thumb_it_conditions, in.next_isa, (uint64_t)in.branch_addr);
	}
	ocsd_destroy_dcd_tree(t);
}

static uint32_t read_addresses(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			       const uint8_t id, const uint32_t want, uint8_t *buf)
{
	assert_int_equal(id, 0x35);
	assert_int_equal(space, *(const ocsd_mem_space_acc_t *)ctx);
	memset(buf, (int)(addr & 0xff), want);
	return want;
}

/* Code for the decoder: as much as the accessor at that address and memory space has. */
static void test_memory(void **state)
{
	static const uint8_t bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);
	const ocsd_mem_space_acc_t el2 = OCSD_MEM_SPACE_EL2;
	uint8_t buf[16] = { 0 };
	uint32_t n = 4;
	unsigned int i;

	(void)state;
#define READ(addr, space) it.cb->fn_memory_access(it.cb->lib_context, addr, 0x35, space, &n, buf)
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x1000, OCSD_MEM_SPACE_N, bytes, sizeof(bytes)), OCSD_OK);
	assert_int_equal(ocsd_dt_add_callback_trcid_mem_acc(t, 0x2000, 0x2007, OCSD_MEM_SPACE_EL2, read_addresses,
							    &el2), OCSD_OK);
	assert_int_equal(it.cb->fn_memory_access(it.cb->lib_context, 0x1000, 0x35, OCSD_MEM_SPACE_N, NULL, buf),
			 OCSD_ERR_INVALID_PARAM_VAL);
	assert_int_equal(it.cb->fn_memory_access(it.cb->lib_context, 0x1000, 0x35, OCSD_MEM_SPACE_N, &n, NULL),
			 OCSD_ERR_INVALID_PARAM_VAL);
	assert_int_equal(n, 4);
	for (i = 0; i <= 8; i++) {
		memset(buf, 0, sizeof(buf));
		n = 4;
		assert_int_equal(READ(0x1000 + i, OCSD_MEM_SPACE_ANY), OCSD_OK);
		assert_int_equal(n, i <= 4 ? 4 : 8 - i);
		assert_memory_equal(buf, bytes + i, n);
		assert_int_equal(buf[n], 0);
	}
	n = 4;
	assert_int_equal(READ(0xfff, OCSD_MEM_SPACE_ANY), OCSD_OK);
	assert_int_equal(n, 0);
	n = 4;
	assert_int_equal(READ(0x1000, OCSD_MEM_SPACE_S), OCSD_OK);
	assert_int_equal(n, 0);
	n = 0;
	assert_int_equal(READ(0x1004, OCSD_MEM_SPACE_EL1N), OCSD_OK);
	assert_int_equal(n, 0);
	n = 16;
	assert_int_equal(READ(0x2002, OCSD_MEM_SPACE_EL2), OCSD_OK);
	assert_int_equal(n, 6);
	assert_int_equal(buf[5], 2);
	ocsd_destroy_dcd_tree(t);
}

static unsigned int sink_calls;

static ocsd_datapath_resp_t on_sink(const void *ctx, const ocsd_datapath_op_t what, const ocsd_trc_index_t index,
				    const void *pkt)
{
	assert_ptr_equal(ctx, &sink_calls);
	assert_int_equal(what, OCSD_OP_DATA);
	assert_int_equal(index, 5);
	assert_string_equal((const char *)pkt, "A");
	sink_calls++;
	return OCSD_RESP_WARN_WAIT;
}

static void on_monitor(const void *ctx, const ocsd_datapath_op_t what, const ocsd_trc_index_t index, const void *pkt,
		       const uint32_t size, const uint8_t *data)
{
	assert_ptr_equal(ctx, &sink_calls);
	assert_int_equal(what, OCSD_OP_DATA);
	assert_int_equal(index, 5);
	assert_string_equal((const char *)pkt, "A");
	assert_int_equal(size, 1);
	assert_int_equal(*data, 'D');
	sink_calls += 100;
}

/* Packets go to the receiver that was attached last, whose response the decoder gets. */
static void test_packets(void **state)
{
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_PACKET_PROC);
	struct lines l = { NULL, 0, 0 };

	(void)state;
#define TO_SINK(pkt) it.cb->fn_packet_data_sink(it.cb->lib_context, OCSD_OP_DATA, 5, pkt)
#define TO_MONITOR(pkt) it.cb->fn_packet_mon(it.cb->lib_context, OCSD_OP_DATA, 5, pkt, 1, (const uint8_t *)"D")
	sink_calls = 0;
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	assert_int_equal(TO_SINK("A"), OCSD_RESP_CONT);
	TO_MONITOR("A");
	assert_int_equal(it.flags, 0);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, 0x33, OCSD_C_API_CB_PKT_SINK, (void *)on_sink,
							&sink_calls), OCSD_OK);
	assert_int_equal(it.flags, OCSD_CUST_DCD_PKT_CB_USE_SINK);
	assert_int_equal(it.cb->packetCBFlags, OCSD_CUST_DCD_PKT_CB_USE_SINK);
	assert_int_equal(TO_SINK("A"), OCSD_RESP_WARN_WAIT);
	TO_MONITOR("A");
	assert_int_equal(sink_calls, 1);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, 0x33, OCSD_C_API_CB_PKT_MON, (void *)on_monitor,
							&sink_calls), OCSD_OK);
	assert_int_equal(it.flags, OCSD_CUST_DCD_PKT_CB_USE_SINK | OCSD_CUST_DCD_PKT_CB_USE_MON);
	TO_MONITOR("A");
	assert_int_equal(sink_calls, 101);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, 0x33, 0), OCSD_OK);
	assert_int_equal(TO_SINK("A"), OCSD_RESP_CONT);
	assert_int_equal(TO_SINK(NULL), OCSD_RESP_CONT);
	CHECK(&l, "Idx:5; ID:33;\tpacket 41\n");
	assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, 0x33, 1), OCSD_OK);
	TO_MONITOR("B");
	TO_MONITOR(NULL);
	CHECK(&l, "Idx:5; ID:33;\tpacket 42\n");
	assert_int_equal(sink_calls, 101);
	assert_int_equal(it.flags, OCSD_CUST_DCD_PKT_CB_USE_SINK | OCSD_CUST_DCD_PKT_CB_USE_MON);
	ocsd_destroy_dcd_tree(t);
}

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	assert_ptr_equal(ctx, &sink_calls);
	assert_int_equal(index, 9);
	assert_int_equal(id, 0x34);
	assert_int_equal(e->elem_type, OCSD_GEN_TRC_ELEM_TRACE_ON);
	sink_calls++;
	return OCSD_RESP_ERR_WAIT;
}

/* Elements of the decoder: to the client's function, to the printer, or to nobody. */
static void test_elements(void **state)
{
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);
	struct lines l = { NULL, 0, 0 };
	ocsd_generic_trace_elem e;

	(void)state;
	sink_calls = 0;
	memset(&e, 0, sizeof(e));
	ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_TRACE_ON);
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	assert_int_equal(it.cb->fn_gen_elem_out(it.cb->lib_context, 9, 0x34, &e), OCSD_RESP_CONT);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, &sink_calls), OCSD_OK);
	assert_int_equal(it.cb->fn_gen_elem_out(it.cb->lib_context, 9, 0x34, &e), OCSD_RESP_ERR_WAIT);
	assert_int_equal(sink_calls, 1);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_dt_set_gen_elem_printer(t), OCSD_OK);
	assert_int_equal(it.cb->fn_gen_elem_out(it.cb->lib_context, 9, 0x34, &e), OCSD_RESP_CONT);
	assert_int_equal(sink_calls, 1);
	CHECK(&l, "Idx:9; ID:34; OCSD_GEN_TRC_ELEM_TRACE_ON( [begin or filter])\n");
	/* an element of its own has the number that it has in 1.3.3 */
	ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_CUSTOM);
	assert_int_equal(it.cb->fn_gen_elem_out(it.cb->lib_context, 9, 0x34, &e), OCSD_RESP_CONT);
	CHECK(&l, "Idx:9; ID:34; OCSD_GEN_TRC_ELEM_CUSTOM()\n");
	ocsd_destroy_dcd_tree(t);
}

static ocsd_datapath_resp_t data(dcd_tree_handle_t t, ocsd_trc_index_t at, const uint8_t *p, uint32_t n)
{
	ocsd_datapath_resp_t r;
	uint32_t used;

	r = ocsd_dt_process_data(t, OCSD_OP_DATA, at, n, p, &used);
	/* bytes that wait are kept: they count when the client comes again */
	assert_int_equal(used, OCSD_DATA_RESP_IS_WAIT(r) ? 0 : n);
	return r;
}

/* Bytes that a waiting decoder has not taken: given after a flush, or before the end; dropped by a reset. */
static void test_kept(void **state)
{
	static const uint8_t bytes[8] = { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17 };
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);
	struct lines l = { NULL, 0, 0 };

	(void)state;
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_WARN, 1), OCSD_OK);
	/* all at once, then in pieces without waiting, then an end */
	assert_int_equal(data(t, 100, bytes, 8), OCSD_RESP_CONT);
	it.takes = 3;
	assert_int_equal(data(t, 108, bytes, 8), OCSD_RESP_CONT);
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_CONT);
	CHECK_OPS("100 0 data 10..17", "108 0 data 10..12", "111 0 data 13..15", "114 0 data 16..17", "0 0 end");
	/* it waits: the rest is given after the flush */
	it.data_resp = OCSD_RESP_WAIT;
	assert_int_equal(data(t, 200, bytes, 8), OCSD_RESP_WAIT);
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_WAIT);
	it.data_resp = OCSD_RESP_CONT;
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_CONT);
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_CONT);
	CHECK_OPS("0 0 reset", "200 0 data 10..12", "0 0 flush", "203 0 data 13..15", "0 0 flush",
		  "206 0 data 16..17", "0 0 flush");
	CHECK_NOTHING(&l);
	/* it waits in the flush itself: it is not given anything */
	it.data_resp = OCSD_RESP_WAIT;
	assert_int_equal(data(t, 300, bytes, 8), OCSD_RESP_WAIT);
	it.flush_resp = OCSD_RESP_WAIT;
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_WAIT);
	it.flush_resp = OCSD_RESP_CONT;
	CHECK_OPS("300 0 data 10..12", "0 0 flush");
	/* a reset */
	assert_int_equal(op(t, OCSD_OP_RESET), OCSD_RESP_CONT);
	CHECK_OPS("0 0 reset");
	CHECK(&l,
	      "CUSTOM_0051 : 0x0010 (OCSD_ERR_DATA_DECODE_FATAL) "
	      "[A decoder in the data path has returned a fatal error.]; "
	      "TrcIdx=303; CS ID=33; "
	      "bytes that the waiting decoder had not taken are dropped by a reset\n");
	it.data_resp = OCSD_RESP_CONT;
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_CONT);
	CHECK_OPS("0 0 flush");
	/* the end while it waits: what is kept comes before it */
	it.data_resp = OCSD_RESP_WAIT;
	assert_int_equal(data(t, 400, bytes, 8), OCSD_RESP_WAIT);
	it.data_resp = OCSD_RESP_CONT;
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_CONT);
	CHECK_OPS("400 0 data 10..12", "403 0 data 13..15", "406 0 data 16..17", "0 0 end");
	CHECK_NOTHING(&l);
	ocsd_destroy_dcd_tree(t);
}

/* The end of trace while the decoder waits with bytes left: it comes behind them, once, when the client flushes. */
static void test_end_waits(void **state)
{
	static const uint8_t bytes[8] = { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17 };
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);

	(void)state;
	it.takes = 3;
	it.data_resp = OCSD_RESP_WAIT;
	assert_int_equal(data(t, 100, bytes, 8), OCSD_RESP_WAIT);
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_WAIT);
	CHECK_OPS("100 0 data 10..12", "103 0 data 13..15");
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_WAIT);
	CHECK_OPS("0 0 flush", "106 0 data 16..17");
	it.end_resp = OCSD_RESP_WARN_CONT;
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_WARN_CONT);
	CHECK_OPS("0 0 flush", "0 0 end");
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_CONT);
	CHECK_OPS("0 0 flush");
	/* a reset before: there is no end */
	assert_int_equal(op(t, OCSD_OP_RESET), OCSD_RESP_CONT);
	assert_int_equal(data(t, 200, bytes, 8), OCSD_RESP_WAIT);
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_WAIT);
	assert_int_equal(op(t, OCSD_OP_RESET), OCSD_RESP_CONT);
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_CONT);
	CHECK_OPS("0 0 reset", "200 0 data 10..12", "203 0 data 13..15", "0 0 reset", "0 0 flush");
	/* a client that ends the trace again instead */
	it.end_resp = OCSD_RESP_CONT;
	assert_int_equal(data(t, 300, bytes, 8), OCSD_RESP_WAIT);
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_WAIT);
	it.data_resp = OCSD_RESP_ERR_CONT;
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_ERR_CONT);
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_CONT);
	CHECK_OPS("300 0 data 10..12", "303 0 data 13..15", "306 0 data 16..17", "0 0 end", "0 0 flush");
	ocsd_destroy_dcd_tree(t);
}

/* A client that continues elsewhere while the decoder waits: 2048 bytes are kept, the others are reported as lost. */
static void test_lost(void **state)
{
#define LOST \
	"CUSTOM_0051 : 0x0010 (OCSD_ERR_DATA_DECODE_FATAL) " \
	"[A decoder in the data path has returned a fatal error.]; "
#define FLUSH_FIRST "CS ID=33; bytes are lost: data came while the decoder waited; flush it first\n"
	dcd_tree_handle_t t = single(OCSD_CREATE_FLG_FULL_DECODER);
	struct lines l = { NULL, 0, 0 };
	uint8_t bytes[2048];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1), OCSD_OK);
	it.takes = 3;
	it.data_resp = OCSD_RESP_WAIT;
	assert_int_equal(data(t, 100, bytes, 8), OCSD_RESP_WAIT);
	assert_int_equal(data(t, 1000, bytes, 2043), OCSD_RESP_WAIT);
	CHECK_OPS("100 0 data 00..02");
	CHECK_NOTHING(&l);
	assert_int_equal(data(t, 2000, bytes, 1), OCSD_RESP_WAIT);
	CHECK(&l, LOST "TrcIdx=2000; " FLUSH_FIRST);
	it.takes = UINT32_MAX;
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_WAIT);
	/* 5 bytes and 2043 */
	CHECK_OPS("0 0 flush", "103 0 data 03..fa");
	it.takes = 3;
	assert_int_equal(data(t, 3000, bytes, 8), OCSD_RESP_WAIT);
	assert_int_equal(data(t, 4000, bytes, 2048), OCSD_RESP_WAIT);
	CHECK(&l, LOST "TrcIdx=6043; " FLUSH_FIRST);
	CHECK_OPS("3000 0 data 00..02");
	it.takes = UINT32_MAX;
	assert_int_equal(op(t, OCSD_OP_FLUSH), OCSD_RESP_WAIT);
	CHECK_OPS("0 0 flush", "3003 0 data 03..fa");
	ocsd_destroy_dcd_tree(t);
}

static ocsd_datapath_resp_t count_ends(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	(void)index;
	assert_int_equal(id, 0x10);
	*(unsigned int *)(uintptr_t)ctx += e->elem_type == OCSD_GEN_TRC_ELEM_EO_TRACE;
	return OCSD_RESP_CONT;
}

/* The end of trace given twice reaches every decoder twice: the client's, the library's if it has delivered an end. */
static void test_ends_again(void **state)
{
	static const ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x400, .reg_idr2 = 8, .reg_traceidr = 0x10, .arch_ver = ARCH_V8,
		.core_prof = profile_CortexA,
	};
	/* 14 bytes of ID 0x33 */
	static const uint8_t frame[16] = { 0x33 << 1 | 1, 2, 4 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	ocsd_extern_dcd_fact_t fact = whole;
	ocsd_decode_stats_t *stats;
	unsigned int ends = 0;

	(void)state;
	assert_int_equal(ocsd_register_custom_decoder("custom", &fact), OCSD_OK);
	assert_int_equal(create(t, 0x33, OCSD_CREATE_FLG_FULL_DECODER), OCSD_OK);
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, NULL), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, count_ends, &ends), OCSD_OK);
	assert_int_equal(data(t, 0, frame, 16), OCSD_RESP_CONT);
	/* a decoder of the client has no counts; its bytes are those of an ID with a decoder */
	assert_int_equal(ocsd_dt_get_decode_stats(t, 0x33, &stats), OCSD_ERR_NOT_INIT);
	assert_int_equal(ocsd_dt_get_decode_stats(t, 0x10, &stats), OCSD_OK);
	assert_int_equal(stats->demux.valid_id_bytes, 14);
	assert_int_equal(stats->demux.no_id_bytes, 0);
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_CONT);
	assert_int_equal(ends, 1);
	it.end_resp = OCSD_RESP_ERR_CONT;
	assert_int_equal(op(t, OCSD_OP_EOT), OCSD_RESP_ERR_CONT);
	assert_int_equal(ends, 2);
	CHECK_OPS("0 0 data 02..00", "0 0 end", "0 0 end");
	ocsd_destroy_dcd_tree(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_register, begin),
		cmocka_unit_test_setup(test_create, begin),
		cmocka_unit_test_setup(test_log, begin),
		cmocka_unit_test_setup(test_instructions, begin),
		cmocka_unit_test_setup(test_memory, begin),
		cmocka_unit_test_setup(test_packets, begin),
		cmocka_unit_test_setup(test_elements, begin),
		cmocka_unit_test_setup(test_kept, begin),
		cmocka_unit_test_setup(test_end_waits, begin),
		cmocka_unit_test_setup(test_lost, begin),
		cmocka_unit_test_setup(test_ends_again, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
