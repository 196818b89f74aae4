/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_calls.c - calls of the OpenCSD interface that are refused: each returns its error, which is
 * also the last error, and changes nothing.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <cstrace/cstrace.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include "opencsd/internal.h"
#include "unit/perf-plugin/opencsd_trace.h"

/* Not declared by 1.3.3's header. */
ocsd_err_t ocsd_dt_set_mem_acc_cacheing(const dcd_tree_handle_t handle, const int enable,
					const uint16_t page_size, const int nr_pages);

static const ocsd_etmv4_cfg plain = {
	.reg_idr1 = 0x400, .reg_idr2 = 8, .reg_traceidr = 0x10, .arch_ver = ARCH_V8, .core_prof = profile_CortexA,
};

/* The last error of before is another one. */
static void other_error(ocsd_err_t than)
{
	char text[8] = "";

	if (than == OCSD_ERR_NO_PROTOCOL)
		assert_int_equal(ocsd_pkt_str(OCSD_PROTOCOL_ETMV4D, text, NULL, 0), OCSD_ERR_INVALID_PARAM_VAL);
	else
		assert_int_equal(ocsd_pkt_str(OCSD_PROTOCOL_ETMV4D, text, text, sizeof(text)), OCSD_ERR_NO_PROTOCOL);
}

#define INVALID OCSD_ERR_INVALID_PARAM_VAL
#define REFUSED(err, call) do { \
		other_error(err); \
		assert_int_equal(call, err); \
		assert_int_equal(ocsd_get_last_err(NULL, NULL, NULL, 0), err); \
	} while (0)

static ocsd_datapath_resp_t no_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	(void)index;
	(void)id;
	(void)e;
	++*(unsigned int *)(uintptr_t)ctx;
	return OCSD_RESP_CONT;
}

static uint32_t no_code_of_id(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			      const uint8_t id, const uint32_t len, uint8_t *buf)
{
	(void)id;
	return no_code(ctx, addr, space, len, buf);
}

static void on_print(const void *ctx, const char *text, const int len)
{
	(void)ctx;
	(void)text;
	(void)len;
}

static void on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *pkt,
		      const uint32_t size, const uint8_t *data)
{
	(void)op;
	(void)index;
	(void)pkt;
	(void)size;
	(void)data;
	++*(unsigned int *)(uintptr_t)ctx;
}

/* No tree, and a tree that does not exist any more. */
static void test_no_tree(void **state)
{
	const ocsd_file_mem_region_t region = { 0, 0x1000, 16 };
	const uint8_t code[16] = { 0 };
	ocsd_decode_stats_t *stats = NULL;
	dcd_tree_handle_t gone = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsigned char id = 0x77;
	int i;

	(void)state;
	ocsd_destroy_dcd_tree(gone);
	for (i = 0; i < 2; i++) {
		dcd_tree_handle_t t = i ? gone : NULL;

		REFUSED(INVALID, ocsd_dt_create_decoder(t, "ETE", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id));
		REFUSED(INVALID, ocsd_dt_remove_decoder(t, 0x10));
		REFUSED(INVALID, ocsd_dt_set_gen_elem_outfn(t, no_element, NULL));
		REFUSED(INVALID, ocsd_dt_set_gen_elem_printer(t));
		REFUSED(INVALID, ocsd_dt_set_raw_frame_printer(t, OCSD_DFRMTR_PACKED_RAW_OUT));
		REFUSED(INVALID, ocsd_dt_set_pkt_protocol_printer(t, 0x10, 1));
		REFUSED(INVALID,
			ocsd_dt_attach_packet_callback(t, 0x10, OCSD_C_API_CB_PKT_MON, (void *)on_packet, NULL));
		REFUSED(INVALID, ocsd_dt_get_decode_stats(t, 0x10, &stats));
		REFUSED(INVALID, ocsd_dt_reset_decode_stats(t, 0x10));
		REFUSED(INVALID,
			ocsd_dt_add_buffer_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY, code, sizeof(code)));
		REFUSED(INVALID,
			ocsd_dt_add_callback_mem_acc(t, 0, 0xfff, OCSD_MEM_SPACE_ANY, no_code, NULL));
		REFUSED(INVALID,
			ocsd_dt_add_callback_trcid_mem_acc(t, 0, 0xfff, OCSD_MEM_SPACE_ANY, no_code_of_id, NULL));
		REFUSED(INVALID,
			ocsd_dt_add_binfile_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY, "/proc/self/exe"));
		REFUSED(INVALID,
			ocsd_dt_add_binfile_region_mem_acc(t, &region, 1, OCSD_MEM_SPACE_ANY, "/proc/self/exe"));
		REFUSED(INVALID, ocsd_dt_remove_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY));
		REFUSED(INVALID, ocsd_dt_set_mem_acc_cacheing(t, 1, 4096, 16));
		REFUSED(INVALID, ocsd_def_errlog_set_strprint_cb(t, NULL, on_print));
		/* without an answer */
		ocsd_tl_log_mapped_mem_ranges(t);
		ocsd_destroy_dcd_tree(t);
	}
	assert_int_equal(id, 0x77);
	assert_null(stats);
}

/* Arguments that a call needs. */
static void test_arguments(void **state)
{
	const ocsd_file_mem_region_t region = { 0, 0x1000, 16 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_generic_trace_elem e;
	const void *data;
	const uint8_t code[16] = { 0 };
	ocsd_decode_stats_t *stats = NULL;
	unsigned char id = 0x77;
	char text[80] = "x";

	(void)state;
	REFUSED(INVALID, ocsd_dt_create_decoder(t, NULL, OCSD_CREATE_FLG_FULL_DECODER, &plain, &id));
	REFUSED(INVALID, ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, NULL, &id));
	assert_int_equal(id, 0x77);
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, NULL), OCSD_OK);
	REFUSED(INVALID, ocsd_dt_attach_packet_callback(t, 0x10, OCSD_C_API_CB_PKT_MON, NULL, NULL));
	REFUSED(INVALID, ocsd_dt_attach_packet_callback(t, 0x10, (ocsd_c_api_cb_types)(OCSD_C_API_CB_PKT_MON + 1),
							(void *)on_packet, NULL));
	/* a full decoder is itself the sink of its packets */
	REFUSED(OCSD_ERR_INVALID_PARAM_TYPE, ocsd_dt_set_pkt_protocol_printer(t, 0x10, 0));
	assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, 0x10, 1), OCSD_OK);
	REFUSED(INVALID, ocsd_dt_get_decode_stats(t, 0x10, NULL));
	assert_null(stats);
	REFUSED(INVALID, ocsd_dt_add_buffer_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY, NULL, 16));
	REFUSED(INVALID, ocsd_dt_add_buffer_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY, code, 0));
	REFUSED(INVALID, ocsd_dt_add_callback_mem_acc(t, 0, 0xfff, OCSD_MEM_SPACE_ANY, NULL, NULL));
	REFUSED(INVALID, ocsd_dt_add_callback_trcid_mem_acc(t, 0, 0xfff, OCSD_MEM_SPACE_ANY, NULL, NULL));
	REFUSED(INVALID, ocsd_dt_add_binfile_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY, NULL));
	REFUSED(INVALID,
		ocsd_dt_add_binfile_region_mem_acc(t, NULL, 1, OCSD_MEM_SPACE_ANY, "/proc/self/exe"));
	REFUSED(INVALID,
		ocsd_dt_add_binfile_region_mem_acc(t, &region, 0, OCSD_MEM_SPACE_ANY, "/proc/self/exe"));
	REFUSED(INVALID, ocsd_dt_add_binfile_region_mem_acc(t, &region, 1, OCSD_MEM_SPACE_ANY, NULL));
	/* no accessor starts there */
	REFUSED(INVALID, ocsd_dt_remove_mem_acc(t, 0x1000, OCSD_MEM_SPACE_ANY));
	assert_int_equal(tree_get(t)->mem.nr_accessors, 0);
	/* texts need room for a character and the end */
	ocsd_gen_elem_init(NULL, OCSD_GEN_TRC_ELEM_TRACE_ON);
	memset(&e, 0xff, sizeof(e));
	ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_NO_SYNC);
	assert_int_equal(e.elem_type, OCSD_GEN_TRC_ELEM_NO_SYNC);
	assert_int_equal(e.flag_bits, 0);
	/* the pointer of 1.3.3, and nothing behind it */
	memcpy(&data, (const unsigned char *)&e + PAYLOAD_AT_1_3, sizeof(data));
	assert_null(data);
	assert_int_equal(((const unsigned char *)&e)[PAYLOAD_AT_1_3 + sizeof(data)], 0xff);
	REFUSED(INVALID, ocsd_gen_elem_str(NULL, text, sizeof(text)));
	REFUSED(INVALID, ocsd_gen_elem_str(&e, NULL, sizeof(text)));
	REFUSED(INVALID, ocsd_gen_elem_str(&e, text, 1));
	REFUSED(INVALID, ocsd_pkt_str(OCSD_PROTOCOL_ETMV4I, NULL, text, sizeof(text)));
	REFUSED(INVALID, ocsd_pkt_str(OCSD_PROTOCOL_ETMV4I, code, NULL, sizeof(text)));
	REFUSED(INVALID, ocsd_pkt_str(OCSD_PROTOCOL_ETMV4I, code, text, 1));
	REFUSED(INVALID, ocsd_cust_protocol_to_str(OCSD_PROTOCOL_CUSTOM_0, NULL, text, sizeof(text)));
	REFUSED(INVALID, ocsd_cust_protocol_to_str(OCSD_PROTOCOL_CUSTOM_0, code, NULL, sizeof(text)));
	REFUSED(INVALID, ocsd_cust_protocol_to_str(OCSD_PROTOCOL_CUSTOM_0, code, text, 1));
	assert_string_equal(text, "x");
	/* no text of a packet whose protocol is not known */
	REFUSED(OCSD_ERR_NO_PROTOCOL, ocsd_pkt_str(OCSD_PROTOCOL_CUSTOM_0, code, text, sizeof(text)));
	assert_string_equal(text, "");
	ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_CYCLE_COUNT);
	assert_int_equal(ocsd_gen_elem_str(&e, text, 2), OCSD_OK);
	assert_string_equal(text, "O");
	ocsd_destroy_dcd_tree(t);
}

/* A trace ID of frames is 1 to 0x6f; a single source may have any, and is meant by any. */
static void test_ids(void **state)
{
	static const struct {
		unsigned char id;
		ocsd_err_t err;
	} cases[] = {
		{ 0, OCSD_ERR_INVALID_ID }, { 1, OCSD_OK }, { 0x6f, OCSD_OK }, { 0x70, OCSD_ERR_INVALID_ID },
		{ 0x7f, OCSD_ERR_INVALID_ID },
	};
	static const unsigned char others[] = { 0x22, 0x80 };
	unsigned int frames, i, k;

	(void)state;
	for (frames = 0; frames < 2; frames++) {
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			dcd_tree_handle_t t =
				frames ? ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN) :
					 ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
			ocsd_etmv4_cfg cfg = plain;
			ocsd_err_t err = frames ? cases[i].err : OCSD_OK;
			ocsd_decode_stats_t *stats;
			unsigned char id = 0x77;

			cfg.reg_traceidr = cases[i].id;
			other_error(err);
			assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id), err);
			assert_int_equal(id, err ? 0x77 : cases[i].id);
			assert_int_equal(ocsd_dt_get_decode_stats(t, cases[i].id, &stats), err ? INVALID : OCSD_OK);
			for (k = 0; k < sizeof(others); k++) {
				assert_int_equal(ocsd_dt_get_decode_stats(t, others[k], &stats), frames ? INVALID : OCSD_OK);
				assert_int_equal(ocsd_dt_reset_decode_stats(t, others[k]), frames ? INVALID : OCSD_OK);
				assert_int_equal(ocsd_dt_attach_packet_callback(t, others[k], OCSD_C_API_CB_PKT_MON,
										(void *)on_packet, NULL),
						 frames ? OCSD_ERR_INVALID_ID : OCSD_OK);
				assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, others[k], 1),
						 frames ? OCSD_ERR_INVALID_ID : OCSD_OK);
			}
			assert_int_equal(ocsd_dt_remove_decoder(t, others[0]), frames ? OCSD_ERR_INVALID_ID : OCSD_OK);
			assert_int_equal(ocsd_dt_remove_decoder(t, cases[i].id), frames && !err ? OCSD_OK : OCSD_ERR_INVALID_ID);
			ocsd_destroy_dcd_tree(t);
		}
	}
}

/* Decoders of a tree of frames: an ID has one; which one is removed does not matter to the others. */
static void test_remove(void **state)
{
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	/* 5, 8 and 7 bytes of three IDs */
	static const uint8_t frames[32] = { 0x21, 1, 2, 3, 4, 5, 0x23, 7, 8, 9, 10, 11, 12, 13, 14, 0,
					    0x25, 1, 2, 3, 4, 5, 6, 7, 0x01, 0, 0, 0, 0, 0, 0, 0 };
	ocsd_etmv4_cfg cfg = plain;
	ocsd_decode_stats_t *stats;
	unsigned char id;
	unsigned int i;
	uint32_t used;

	(void)state;
	for (i = 0; i < 3; i++) {
		cfg.reg_traceidr = 0x10 + i;
		assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id), OCSD_OK);
		REFUSED(OCSD_ERR_ATTACH_TOO_MANY,
			ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id));
	}
	/* neither the first nor the last */
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x11), OCSD_OK);
	REFUSED(OCSD_ERR_INVALID_ID, ocsd_dt_remove_decoder(t, 0x11));
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(frames), frames, &used), OCSD_RESP_CONT);
	REFUSED(INVALID, ocsd_dt_get_decode_stats(t, 0x11, &stats));
	assert_int_equal(ocsd_dt_get_decode_stats(t, 0x10, &stats), OCSD_OK);
	assert_int_equal(stats->channel_total, 5);
	assert_int_equal(ocsd_dt_get_decode_stats(t, 0x12, &stats), OCSD_OK);
	assert_int_equal(stats->channel_total, 7);
	assert_int_equal(stats->demux.no_id_bytes, 8);
	/* its ID may be used again; the last one and the first one go as well */
	cfg.reg_traceidr = 0x11;
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x11), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x10), OCSD_OK);
	assert_int_equal(ocsd_dt_get_decode_stats(t, 0x12, &stats), OCSD_OK);
	assert_int_equal(stats->channel_total, 7);
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x12), OCSD_OK);
	assert_int_equal(tree_get(t)->nr_all, 0);
	ocsd_destroy_dcd_tree(t);
}

/* Elements that are not in the interface do not reach the client: data, marks other than of a timestamp. */
static void test_not_in_interface(void **state)
{
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	struct cst_generic g = { .kind = CST_GEN_SYNC_MARKER };
	unsigned int seen = 0, num;
	struct source *s;
	unsigned char id;

	(void)state;
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, no_element, &seen), OCSD_OK);
	s = tree_source(tree_get(t), id);
	for (num = 0; num < 4; num++) {
		seen = 0;
		g.num = (uint16_t)num;
		assert_int_equal(element_out(tree_get(t), s, &g), OCSD_RESP_CONT);
		assert_int_equal(seen, num == CST_MARK_TIMESTAMP);
	}
	seen = 0;
	g.num = 0;
	for (num = CST_GEN_DATA; num < CST_GEN_DATA + 4; num++) {
		g.kind = (uint8_t)num;
		assert_int_equal(element_out(tree_get(t), s, &g), OCSD_RESP_CONT);
	}
	assert_int_equal(seen, 0);
	g.kind = CST_GEN_DATA - 1;
	assert_int_equal(element_out(tree_get(t), s, &g), OCSD_RESP_CONT);
	assert_int_equal(seen, g.kind != CST_GEN_INSTRUMENTATION);
	ocsd_destroy_dcd_tree(t);
}

/* A client inside of each of its functions: the tree is not there for another call of the data path, or for other decoders. */
struct inside {
	dcd_tree_handle_t t;
	unsigned int elements, packets, reads;
};

static void call_again(const struct inside *in)
{
	ocsd_etmv4_cfg cfg = plain;

	cfg.reg_traceidr = 0x11;
	assert_int_equal(ocsd_dt_process_data(in->t, OCSD_OP_FLUSH, 0, 0, NULL, NULL), OCSD_RESP_FATAL_INVALID_OP);
	REFUSED(INVALID, ocsd_dt_create_decoder(in->t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, NULL));
	REFUSED(INVALID, ocsd_dt_remove_decoder(in->t, 0x10));
	ocsd_destroy_dcd_tree(in->t);
	assert_non_null(tree_get(in->t));
}

static ocsd_datapath_resp_t element_inside(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
					   const ocsd_generic_trace_elem *e)
{
	struct inside *in = (struct inside *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	(void)e;
	in->elements++;
	call_again(in);
	return OCSD_RESP_CONT;
}

static void monitor_inside(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *pkt,
			   const uint32_t size, const uint8_t *data)
{
	struct inside *in = (struct inside *)(uintptr_t)ctx;

	(void)op;
	(void)index;
	(void)pkt;
	(void)size;
	(void)data;
	in->packets++;
	call_again(in);
}

static ocsd_datapath_resp_t sink_inside(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *pkt)
{
	monitor_inside(ctx, op, index, pkt, 0, NULL);
	return OCSD_RESP_CONT;
}

static uint32_t read_inside(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space, const uint32_t want, uint8_t *buf)
{
	struct inside *in = (struct inside *)(uintptr_t)ctx;
	static const uint32_t code[2] = { NOP, B(-1) };
	uint32_t i;

	(void)space;
	in->reads++;
	call_again(in);
	for (i = 0; i < want; i++)
		buf[i] = ((const uint8_t *)code)[(addr + i) & 7];
	return want;
}

static void test_inside(void **state)
{
	static const uint8_t trace[] = { SYNC, A64_AT(0), E, E };
	struct inside in = { NULL, 0, 0, 0 };
	ocsd_etmv4_cfg cfg = plain;
	unsigned int sink;
	uint32_t used;

	(void)state;
	for (sink = 0; sink < 2; sink++) {
		memset(&in, 0, sizeof(in));
		in.t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
		assert_int_equal(ocsd_dt_create_decoder(in.t, "ETMV4I", sink ? OCSD_CREATE_FLG_PACKET_PROC : OCSD_CREATE_FLG_FULL_DECODER,
							&cfg, NULL), OCSD_OK);
		assert_int_equal(ocsd_dt_set_gen_elem_outfn(in.t, element_inside, &in), OCSD_OK);
		assert_int_equal(ocsd_dt_attach_packet_callback(in.t, 0x10, sink ? OCSD_C_API_CB_PKT_SINK : OCSD_C_API_CB_PKT_MON,
								sink ? (void *)sink_inside : (void *)monitor_inside, &in), OCSD_OK);
		assert_int_equal(ocsd_dt_add_callback_mem_acc(in.t, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_inside, &in), OCSD_OK);
		assert_int_equal(ocsd_dt_process_data(in.t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used), OCSD_RESP_CONT);
		/* also when there is no packet */
		assert_int_equal(ocsd_dt_process_data(in.t, OCSD_OP_FLUSH, 0, 0, NULL, NULL), OCSD_RESP_CONT);
		assert_int_equal(ocsd_dt_process_data(in.t, OCSD_OP_EOT, 0, 0, NULL, NULL), OCSD_RESP_CONT);
		assert_int_equal(ocsd_dt_process_data(in.t, OCSD_OP_RESET, 0, 0, NULL, NULL), OCSD_RESP_CONT);
		/* A-sync, Trace Info, Trace On, address and two atoms; the end and the reset; a sink is flushed as well */
		assert_int_equal(in.packets, sink ? 9 : 8);
		/* no sync, trace on, context, two ranges, the end */
		assert_int_equal(in.elements, sink ? 0 : 6);
		assert_int_equal(in.reads, 1);
		/* outside again */
		assert_int_equal(ocsd_dt_remove_decoder(in.t, 0x10), OCSD_OK);
		ocsd_destroy_dcd_tree(in.t);
		assert_null(tree_get(in.t));
	}
}

/* What was lost is counted since the counts were reset. */
static void test_stats(void **state)
{
	/* 3 bytes before synchronisation; a reserved header behind it, and a byte that is lost with it */
	static const uint8_t trace[] = { 0xf7, 0xf7, 0xf7, SYNC, 0x0b, 0xf7 };
	static const uint8_t sequence[] = { SYNC, 0, 0x41 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_decode_stats_t *stats = NULL;
	unsigned int i;
	uint32_t used;

	(void)state;
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, NULL), OCSD_OK);
	for (i = 0; i < 2; i++) {
		assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used), OCSD_RESP_ERR_CONT);
		assert_int_equal(ocsd_dt_get_decode_stats(t, 0x10, &stats), OCSD_OK);
		assert_int_equal(stats->version, ocsd_get_version());
		assert_int_equal(stats->revision, OCSD_STATS_REVISION);
		assert_int_equal(stats->channel_total, sizeof(trace));
		assert_int_equal(stats->channel_unsynced, 4);
		assert_int_equal(stats->bad_sequence_errs, 0);
		assert_int_equal(stats->bad_header_errs, 1);
		/* there are no frames */
		assert_int_equal(stats->demux.frame_bytes, 0);
		assert_int_equal(stats->demux.valid_id_bytes, 0);
		assert_int_equal(ocsd_dt_reset_decode_stats(t, 0x10), OCSD_OK);
		assert_int_equal(ocsd_dt_get_decode_stats(t, 0x10, &stats), OCSD_OK);
		assert_int_equal(stats->channel_total, 0);
		assert_int_equal(stats->channel_unsynced, 0);
		assert_int_equal(stats->bad_sequence_errs, 0);
		assert_int_equal(stats->bad_header_errs, 0);
	}
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(sequence), sequence, &used), OCSD_RESP_ERR_CONT);
	assert_int_equal(ocsd_dt_get_decode_stats(t, 0x10, &stats), OCSD_OK);
	assert_int_equal(stats->bad_sequence_errs, 1);
	assert_int_equal(stats->bad_header_errs, 0);
	ocsd_destroy_dcd_tree(t);
}

/* The last element, and what its function returns. */
struct last {
	ocsd_generic_trace_elem e;
	ocsd_datapath_resp_t answer;
};

static ocsd_datapath_resp_t keep_last(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				      const ocsd_generic_trace_elem *e)
{
	struct last *l = (struct last *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	l->e = *e;
	return l->answer;
}

/* A range has its own cycles, if any; fields of one element are not in the next one. */
static void test_range_fields(void **state)
{
	static const struct cst_generic ranges[3] = {
		{ .kind = CST_GEN_RANGE, .addr = 0x100, .end = 0x108, .n_insn = 2, .last_type = CST_INSN_BRANCH, .last_subtype = CST_INSN_LINK,
		  .last_size = 4, .flags = CST_GF_EXEC | CST_GF_CC, .cc = 5, .isa = CST_ISA_A64 },
		{ .kind = CST_GEN_RANGE, .addr = 0x200, .end = 0x204, .n_insn = 1, .last_type = CST_INSN_OTHER, .last_size = 4 },
		{ .kind = CST_GEN_RANGE, .addr = 0x300, .end = 0x302, .n_insn = 1, .last_type = CST_INSN_INDIRECT, .last_subtype = CST_INSN_RET,
		  .last_size = 2, .flags = CST_GF_EXEC | CST_GF_COND },
	};
	const struct cst_generic time = { .kind = CST_GEN_TIMESTAMP, .addr = 77, .flags = CST_GF_CC, .cc = 9 };
	struct last last = { .answer = OCSD_RESP_WAIT };
	struct ocsd_tree *tree;
	dcd_tree_handle_t t;
	struct source *s;
	unsigned int i;

	(void)state;
	t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	tree = tree_get(t);
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, NULL), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, keep_last, &last), OCSD_OK);
	s = tree_source(tree, 0x10);
	assert_int_equal(element_out(tree, s, &time), OCSD_RESP_WAIT);
	assert_true(last.e.has_ts && last.e.has_cc);
	memcpy(tree->made.batch, ranges, sizeof(ranges));
	tree->made.at = 0;
	tree->made.count = 3;
	for (i = 0; i < 3; i++) {
		assert_int_equal(element_ranges(tree, s), OCSD_RESP_WAIT);
		assert_int_equal(tree->made.at, i + 1);
		assert_int_equal(last.e.elem_type, OCSD_GEN_TRC_ELEM_INSTR_RANGE);
		assert_int_equal(last.e.st_addr, ranges[i].addr);
		assert_int_equal(last.e.en_addr, ranges[i].end);
		assert_int_equal(last.e.num_instr_range, ranges[i].n_insn);
		assert_int_equal(last.e.isa, ranges[i].isa);
		assert_int_equal(last.e.has_cc, i == 0);
		assert_int_equal(last.e.cycle_count, i == 0 ? 5 : 0);
		assert_int_equal(last.e.has_ts, 0);
		assert_int_equal(last.e.timestamp, 0);
		assert_int_equal(last.e.last_instr_exec, i != 1);
		assert_int_equal(last.e.last_instr_cond, i == 2);
		assert_int_equal(last.e.last_instr_sz, ranges[i].last_size);
		assert_int_equal(last.e.last_i_type, i == 0 ? OCSD_INSTR_BR : i == 1 ? OCSD_INSTR_OTHER : OCSD_INSTR_BR_INDIRECT);
		assert_int_equal(last.e.last_i_subtype, i == 0 ? OCSD_S_INSTR_BR_LINK : i == 1 ? OCSD_S_INSTR_NONE : OCSD_S_INSTR_V8_RET);
	}
	assert_int_equal(element_out(tree, s, &time), OCSD_RESP_WAIT);
	assert_int_equal(last.e.timestamp, 77);
	assert_int_equal(last.e.cycle_count, 9);
	assert_int_equal(last.e.last_i_type, OCSD_INSTR_OTHER);
	assert_int_equal(last.e.last_i_subtype, OCSD_S_INSTR_NONE);
	assert_int_equal(last.e.last_instr_exec, 0);
	assert_int_equal(last.e.num_instr_range, 0);
	assert_int_equal(last.e.st_addr, 0);
	ocsd_destroy_dcd_tree(t);
}

/* Texts of elements that the client made itself: each kind has its own part of the union. */
static void test_made_texts(void **state)
{
	static const struct {
		ocsd_generic_trace_elem e;
		const char *want;
	} cases[] = {
		{ { .elem_type = OCSD_GEN_TRC_ELEM_SYNC_MARKER, .sync_marker = { ELEM_MARKER_TS, 5 } },
		  "SYNC_MARKER( [Timestamp marker(0x00000000)])" },
		{ { .elem_type = OCSD_GEN_TRC_ELEM_EVENT, .trace_event = { EVENT_NUMBERED, 3 } }, "EVENT( Numbered:3; )" },
		{ { .elem_type = OCSD_GEN_TRC_ELEM_EVENT, .trace_event = { EVENT_TRIGGER, 3 } }, "EVENT( Trigger; )" },
		{ { .elem_type = OCSD_GEN_TRC_ELEM_MEMTRANS, .mem_trans = OCSD_MEM_TRANS_FAIL }, "MEMTRANS(Fail)" },
	};
	char text[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(ocsd_gen_elem_str(&cases[i].e, text, sizeof(text)), OCSD_OK);
		assert_memory_equal(text, "OCSD_GEN_TRC_ELEM_", 18);
		assert_string_equal(text + 18, cases[i].want);
	}
}

/* Errors of the library's own calls, in the client's terms. */
static void test_library_errors(void **state)
{
	static const struct {
		int error;
		ocsd_err_t err;
	} cases[] = {
		{ CST_ERR_NOMEM, OCSD_ERR_MEM }, { CST_ERR_INVAL, OCSD_ERR_INVALID_PARAM_VAL },
		{ CST_ERR_UNSUP, OCSD_ERR_HW_CFG_UNSUPP }, { CST_ERR_VERSION, OCSD_ERR_HW_CFG_UNSUPP },
		{ CST_ERR_PROTOCOL, OCSD_ERR_NO_PROTOCOL }, { CST_ERR_BUSY, OCSD_ERR_FAIL },
		{ CST_ERR_LIMIT, OCSD_ERR_FAIL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(err_of(-cases[i].error), cases[i].err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_tree),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_not_in_interface),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_range_fields),
		cmocka_unit_test(test_made_texts),
		cmocka_unit_test(test_library_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
