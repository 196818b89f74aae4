/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd.c - the C interface of OpenCSD as clients use it: memory behind a callback is never
 * older than the client's last word; clients of two generations get their structures; wrong calls
 * are answered.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <cstrace/cstrace.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include "opencsd/internal.h"

/* Not declared by 1.3.3's header. */
ocsd_err_t ocsd_dt_set_mem_acc_cacheing(const dcd_tree_handle_t handle, const int enable,
					const uint16_t page_size, const int nr_pages);

/* ---- memory that changes under the client's hand ---- */

#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define SYNC ASYNC, 0x01, 0x00

static const ocsd_etmv4_cfg plain = {
	.reg_idr0 = 0, .reg_idr1 = 0x400, .reg_idr2 = 8 | 4 << 5 | 4 << 10, .reg_configr = 1 << 6,
	.reg_traceidr = 0x10, .arch_ver = ARCH_V8, .core_prof = profile_CortexA,
};

struct code_client {
	uint32_t code[1024];	/* a page at 0x400000 */
	uint64_t end;		/* of the last range */
	unsigned int ranges, nacc, reads;
	uint32_t change_at;	/* context ID whose delivery changes the code; 0: none */
	enum { NORMAL, GONE, LIAR } mood;
	dcd_tree_handle_t tree;
	int nested;		/* answer of a call made inside a callback */
};

static uint32_t read_code(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			  const uint32_t want, uint8_t *buf)
{
	struct code_client *cl = (struct code_client *)(uintptr_t)ctx;
	uint64_t off = addr - 0x400000;
	uint32_t n;

	(void)space;
	cl->reads++;
	if (cl->mood == LIAR)
		return want + 100;
	if (cl->mood == GONE || addr < 0x400000 || off >= sizeof(cl->code))
		return 0;
	n = (uint32_t)(sizeof(cl->code) - off) < want ? (uint32_t)(sizeof(cl->code) - off) : want;
	memcpy(buf, (uint8_t *)cl->code + off, n);
	return n;
}

#define NOP 0xd503201fu
#define B_SELF(words) (0x14000000u | ((uint32_t)(words) & 0x3ffffff))

/* A branch after `n` NOPs. */
static void program(struct code_client *cl, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		cl->code[i] = NOP;
	cl->code[n] = B_SELF(-(int)n);
}

static ocsd_datapath_resp_t on_flow(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				    const ocsd_generic_trace_elem *e)
{
	struct code_client *cl = (struct code_client *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		cl->end = e->en_addr;
		cl->ranges++;
	}
	cl->nacc += e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT && cl->change_at &&
	    e->context.context_id == cl->change_at)
		program(cl, 20);
	if (cl->nested < 0)
		cl->nested = ocsd_dt_process_data(cl->tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
	return OCSD_RESP_CONT;
}

static void feed(struct code_client *cl, ocsd_trc_index_t *at, const uint8_t *p, uint32_t n)
{
	uint32_t used;

	assert_true(ocsd_dt_process_data(cl->tree, OCSD_OP_DATA, *at, n, p, &used) < OCSD_RESP_WAIT);
	assert_int_equal(used, n);
	*at += n;
}

#define FEED(cl, at, ...) feed(cl, at, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))
/* Address with context: EL0, AArch64, non-secure, context ID `cid`; 0x400000. */
#define AT_400000(cid) 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0xb0, cid, 0, 0, 0

static dcd_tree_handle_t client_tree(struct code_client *cl)
{
	unsigned char id;

	cl->tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	assert_non_null(cl->tree);
	assert_int_equal(ocsd_dt_create_decoder(cl->tree, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id), 0);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(cl->tree, on_flow, cl), 0);
	return cl->tree;
}

static void test_stale(void **state)
{
	struct code_client cl = { .end = 0 };
	ocsd_trc_index_t at = 0;

	(void)state;
	client_tree(&cl);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(cl.tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_code, &cl), 0);
	program(&cl, 3);
	FEED(&cl, &at, SYNC, 0x04, AT_400000(7), 0xf7);
	assert_int_equal(cl.end, 0x400010);
	/* between two calls, nothing said: the branch moves */
	program(&cl, 5);
	FEED(&cl, &at, 0xf7);
	assert_int_equal(cl.end, 0x400018);
	/* and back: what was decoded before is found again, not what was there in between */
	program(&cl, 3);
	FEED(&cl, &at, 0xf7, 0xf7);
	assert_int_equal(cl.end, 0x400010);
	/* inside the callback for a context, as perf switches threads */
	cl.change_at = 9;
	FEED(&cl, &at, 0xf7, 0x81, 0xb0, 9, 0, 0, 0, 0xf7);
	assert_int_equal(cl.end, 0x400054);
	assert_int_equal(cl.nacc, 0);
	/* memory that is gone */
	cl.mood = GONE;
	FEED(&cl, &at, 0xf7);
	assert_int_equal(cl.nacc, 1);
	cl.mood = NORMAL;
	FEED(&cl, &at, AT_400000(9), 0xf7);
	assert_int_equal(cl.end, 0x400054);
	/* more bytes than were asked for: none */
	cl.mood = LIAR;
	FEED(&cl, &at, AT_400000(9), 0xf7);
	assert_int_equal(cl.nacc, 2);
	ocsd_destroy_dcd_tree(cl.tree);
}

/* Where nothing changes, a page costs one call of the client for each call of ours, not one an instruction. */
static void test_reads_are_few(void **state)
{
	struct code_client cl = { .end = 0 };
	ocsd_trc_index_t at = 0;
	uint8_t atoms[4096];

	(void)state;
	client_tree(&cl);
	ocsd_dt_add_callback_mem_acc(cl.tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_code, &cl);
	program(&cl, 3);
	FEED(&cl, &at, SYNC, 0x04, AT_400000(7));
	memset(atoms, 0xf7, sizeof(atoms));
	cl.reads = 0;
	feed(&cl, &at, atoms, sizeof(atoms));
	assert_int_equal(cl.ranges, 4096);
	assert_int_equal(cl.reads, 1);
	ocsd_destroy_dcd_tree(cl.tree);
}

/* Contents without end: memory stays bounded, and nothing is mixed up. */
static void test_many_contents(void **state)
{
	struct code_client cl = { .end = 0 };
	ocsd_trc_index_t at = 0;
	unsigned int i;

	(void)state;
	client_tree(&cl);
	ocsd_dt_add_callback_mem_acc(cl.tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_code, &cl);
	program(&cl, 1);
	FEED(&cl, &at, SYNC, 0x04, AT_400000(7));
	for (i = 0; i < 40000; i++) {
		program(&cl, 1 + i % 7);
		cl.code[500] = i;
		FEED(&cl, &at, 0xf7);
		assert_int_equal(cl.end, 0x400000 + 4 * (2 + i % 7));
		assert_in_range(tree_get(cl.tree)->mem.nr_contents, 1, 16384);
	}
	ocsd_destroy_dcd_tree(cl.tree);
}

/* What the library finds in the trace is an error of the client's own names, with its place. */
static void test_trace_errors(void **state)
{
	static const struct {
		unsigned int error;
		ocsd_err_t err;
	} cases[] = {
		{ CST_ERR_BAD_SEQUENCE, OCSD_ERR_BAD_PACKET_SEQ }, { CST_ERR_BAD_HEADER, OCSD_ERR_INVALID_PCKT_HDR },
		{ CST_ERR_UNSUP_HEADER, OCSD_ERR_INVALID_PCKT_HDR },
		{ CST_ERR_COMMIT_OVERRUN, OCSD_ERR_COMMIT_PKT_OVERRUN }, { CST_ERR_INCOMPLETE, OCSD_ERR_BAD_DECODE_PKT },
		{ CST_ERR_NO_ATOM, OCSD_ERR_BAD_DECODE_PKT }, { CST_ERR_NO_ADDRESS, OCSD_ERR_BAD_DECODE_PKT },
		{ CST_ERR_DAMAGED, OCSD_ERR_FAIL }, { CST_ERR_NOMEM, OCSD_ERR_MEM },
	};
	struct code_client cl = { .end = 0 };
	struct cst_generic g = { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_PACKET };
	struct source *s;
	ocsd_trc_index_t at;
	char text[256];
	uint8_t ch;
	size_t i;

	(void)state;
	client_tree(&cl);
	s = tree_source(tree_get(cl.tree), 0x10);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		g.error = cases[i].error;
		g.index = 100 + i;
		assert_int_equal(element_out(tree_get(cl.tree), s, &g), OCSD_RESP_ERR_CONT);
		assert_int_equal(ocsd_get_last_err(&at, &ch, text, sizeof(text)), cases[i].err);
		assert_int_equal(at, 100 + i);
		assert_int_equal(ch, 0x10);
		assert_non_null(strstr(text, cst_strerror(-(int)cases[i].error)));
	}
	g.error = 0;
	assert_int_equal(element_out(tree_get(cl.tree), s, &g), OCSD_RESP_CONT);
	/* an error of a call has neither */
	assert_int_equal(ocsd_dt_remove_decoder(NULL, 0x10), OCSD_ERR_INVALID_PARAM_VAL);
	ocsd_get_last_err(&at, &ch, text, sizeof(text));
	assert_true(at == OCSD_BAD_TRC_INDEX && ch == OCSD_BAD_CS_SRC_ID);
	ocsd_destroy_dcd_tree(cl.tree);
}

/* ---- two levels of clients ---- */

static unsigned char seen[96];
static unsigned int seen_kind;

static ocsd_datapath_resp_t look(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				 const ocsd_generic_trace_elem *e)
{
	(void)index;
	(void)id;
	if ((unsigned int)e->elem_type == *(const unsigned int *)ctx) {
		memcpy(seen, e, sizeof(seen));
		seen_kind++;
	}
	return OCSD_RESP_CONT;
}

/*
 * Instrumentation, and the end of trace, as each level has them: 0 is 1.3, the others are signs of
 * 1.8.
 */
static void level(int how, unsigned int kind, unsigned int times)
{
	static const uint8_t trace[] = { ASYNC, 0x01, 0x00, 0x04, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x30,
					 0x09, 0x01, 1, 2, 3, 4, 5, 6, 7, 8 };
	const ocsd_ete_cfg ete = { .reg_idr0 = 0, .reg_idr1 = 0xff0, .reg_idr2 = 8, .reg_devarch = 0x47735a13,
				   .reg_traceidr = 0x10, .arch_ver = ARCH_AA64, .core_prof = profile_CortexA };
	dcd_tree_handle_t t;
	unsigned char id;
	uint32_t used;
	uint8_t code[16] = { 0 };

	if (how == 0 || how == 2)
		setenv("CSTRACE_OCSD", how ? "1.8" : "1.3", 1);
	t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsetenv("CSTRACE_OCSD");
	assert_int_equal(ocsd_dt_create_decoder(t, "ETE", OCSD_CREATE_FLG_FULL_DECODER, &ete, &id), 0);
	if (how == 1)
		assert_int_equal(ocsd_dt_set_mem_acc_cacheing(t, 0, 4096, 16), OCSD_ERR_NOT_INIT);
	if (how == 3)
		assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x1000, (ocsd_mem_space_acc_t)0xff, code, 16), 0);
	seen_kind = 0;
	ocsd_dt_set_gen_elem_outfn(t, look, &kind);
	ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used);
	ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL);
	assert_int_equal(seen_kind, times);
	ocsd_destroy_dcd_tree(t);
}

static void test_levels(void **state)
{
	ocsd_generic_trace_elem element;
	char text[80];
	uint64_t value;
	uint32_t reason;
	int how;

	(void)state;
	/* what both share is where 1.3.3's header has it, and the structure is as long as 1.8's */
	assert_int_equal(offsetof(ocsd_generic_trace_elem, st_addr), 8);
	assert_int_equal(offsetof(ocsd_generic_trace_elem, flag_bits), 68);
	assert_int_equal(offsetof(ocsd_generic_trace_elem, num_instr_range), 72);
	level(0, 17, 0);
	level(0, OCSD_GEN_TRC_ELEM_EO_TRACE, 1);
	memcpy(&reason, seen + 72, 4);
	assert_int_equal(reason, 6);
	for (how = 1; how <= 3; how++) {
		level(how, 17, 1);
		memcpy(&value, seen + 80, 8);
		assert_int_equal(seen[72], 1);
		assert_int_equal(value, 0x0807060504030201);
		memcpy(&element, seen, sizeof(element));
		assert_int_equal(ocsd_gen_elem_str(&element, text, sizeof(text)), OCSD_OK);
		assert_string_equal(text, "OCSD_GEN_TRC_ELEM_INSTRUMENTATION(EL1; 0x0807060504030201)");
		level(how, OCSD_GEN_TRC_ELEM_EO_TRACE, 1);
		memcpy(&reason, seen + 72, 4);
		assert_int_equal(reason, 7);
	}
}

/* ---- everything that can be called wrongly ---- */

static void test_errors(void **state)
{
	struct code_client cl = { .nested = -1 };
	ocsd_decode_stats_t *stats;
	ocsd_trc_index_t at = 0;
	unsigned char id = 0;
	uint32_t used = 5, flags;
	const uint8_t four[4] = { 0 };
	char text[200];
	uint8_t ch;

	(void)state;
	for (flags = 0; flags <= 0x1000; flags += 0x1000) {
		ocsd_pkt_str(OCSD_PROTOCOL_ETMV4D, four, text, sizeof(text));
		assert_int_equal(ocsd_get_last_err(NULL, NULL, text, sizeof(text)), OCSD_ERR_NO_PROTOCOL);
		assert_null(ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, flags));
		assert_int_equal(ocsd_get_last_err(NULL, NULL, text, sizeof(text)), OCSD_ERR_INVALID_PARAM_VAL);
	}
	assert_int_equal(ocsd_dt_process_data(NULL, OCSD_OP_DATA, 0, 0, NULL, &used), OCSD_RESP_FATAL_NOT_INIT);
	assert_int_equal(used, 0);
	assert_int_equal(ocsd_dt_process_data(&cl, OCSD_OP_FLUSH, 0, 0, NULL, NULL), OCSD_RESP_FATAL_NOT_INIT);
	assert_int_equal(ocsd_dt_create_decoder(NULL, "ETE", 2, &plain, &id), OCSD_ERR_INVALID_PARAM_VAL);
	client_tree(&cl);
	program(&cl, 3);
	ocsd_dt_add_callback_mem_acc(cl.tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_code, &cl);
	assert_int_equal(ocsd_dt_create_decoder(cl.tree, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id),
			 OCSD_ERR_ATTACH_TOO_MANY);
	assert_int_equal(ocsd_dt_create_decoder(cl.tree, "ETMV5", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id),
			 OCSD_ERR_DCDREG_NAME_UNKNOWN);
	assert_int_equal(ocsd_dt_create_decoder(cl.tree, "ETMV4D", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id),
			 OCSD_ERR_NO_PROTOCOL);
	assert_int_equal(ocsd_dt_create_decoder(cl.tree, "ETMV4I", 0, &plain, &id), OCSD_ERR_INVALID_PARAM_VAL);
	assert_int_equal(ocsd_dt_process_data(cl.tree, OCSD_OP_DATA, 0, 0, four, &used),
			 OCSD_RESP_FATAL_INVALID_PARAM);
	assert_int_equal(ocsd_dt_process_data(cl.tree, (ocsd_datapath_op_t)9, 0, 0, NULL, &used),
			 OCSD_RESP_FATAL_INVALID_OP);
	/* a call from inside a callback is refused, and does no harm */
	FEED(&cl, &at, SYNC, 0x04, AT_400000(7), 0xf7);
	assert_int_equal(cl.nested, OCSD_RESP_FATAL_INVALID_OP);
	assert_int_equal(cl.end, 0x400010);
	assert_int_equal(ocsd_dt_set_raw_frame_printer(cl.tree, 0x18), OCSD_ERR_DCDT_NO_FORMATTER);
	assert_int_equal(ocsd_dt_get_decode_stats(cl.tree, 0x10, &stats), OCSD_OK);
	assert_int_equal(stats->channel_total, at);
	assert_int_equal(ocsd_dt_reset_decode_stats(cl.tree, 0x10), OCSD_OK);
	assert_int_equal(ocsd_dt_get_decode_stats(cl.tree, 0x10, &stats), OCSD_OK);
	assert_int_equal(stats->channel_total, 0);
	assert_int_equal(ocsd_dt_get_decode_stats(cl.tree, 0x10, NULL), OCSD_ERR_INVALID_PARAM_VAL);
	assert_int_equal(ocsd_get_last_err(&at, &ch, text, sizeof(text)), OCSD_ERR_INVALID_PARAM_VAL);
	assert_non_null(strstr(text, "OCSD_ERR_INVALID_PARAM_VAL"));
	ocsd_err_str(OCSD_ERR_MEM, text, 12);
	assert_string_equal(text, "0x0002 (OCS");
	assert_int_equal(ocsd_pkt_str(OCSD_PROTOCOL_ETMV4D, text, text, sizeof(text)), OCSD_ERR_NO_PROTOCOL);
	assert_int_equal(ocsd_dt_remove_decoder(cl.tree, 0x10), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_decoder(cl.tree, 0x10), OCSD_ERR_INVALID_ID);
	assert_int_equal(ocsd_dt_process_data(cl.tree, OCSD_OP_DATA, 0, 4, four, &used),
			 OCSD_RESP_FATAL_NOT_INIT);
	/* the ID is free again */
	assert_int_equal(ocsd_dt_create_decoder(cl.tree, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id), 0);
	ocsd_destroy_dcd_tree(cl.tree);
	ocsd_destroy_dcd_tree(cl.tree);
	assert_true(ocsd_get_version() >= 0x10000);
	assert_non_null(ocsd_get_version_str());
}

/* ---- the end, to a client that has not taken all yet ---- */

static unsigned int ends_told;

static ocsd_datapath_resp_t always_wait(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
					const ocsd_generic_trace_elem *e)
{
	(void)ctx;
	(void)index;
	(void)id;
	ends_told += e->elem_type == OCSD_GEN_TRC_ELEM_EO_TRACE;
	return OCSD_RESP_WAIT;
}

static void test_end_waits(void **state)
{
	static const uint8_t trace[] = { SYNC, 0x04, AT_400000(7), 0xf7 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_datapath_resp_t r;
	unsigned char id;
	uint32_t used;

	(void)state;
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id), 0);
	ocsd_dt_set_gen_elem_outfn(t, always_wait, NULL);
	ends_told = 0;
	r = ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used);
	assert_int_equal(r, OCSD_RESP_WAIT);
	/* no flush in between: nothing is taken */
	used = 99;
	r = ocsd_dt_process_data(t, OCSD_OP_DATA, sizeof(trace), 1, trace, &used);
	assert_int_equal(r, OCSD_RESP_WAIT);
	assert_int_equal(used, 0);
	r = ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL);
	assert_int_equal(r, OCSD_RESP_WAIT);
	while (OCSD_DATA_RESP_IS_WAIT(r))
		r = ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
	assert_int_equal(r, OCSD_RESP_CONT);
	assert_int_equal(ends_told, 1);
	/* a second end of the trace is delivered, too */
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL), OCSD_RESP_WAIT);
	assert_int_equal(ends_told, 2);
	ocsd_destroy_dcd_tree(t);
}

/* ---- who listens to packets ---- */

static unsigned int heard[2][4];	/* sink and monitor, by operation */

static ocsd_datapath_resp_t count_sink(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				       const void *pkt)
{
	(void)ctx;
	(void)index;
	(void)pkt;
	heard[0][op]++;
	return OCSD_RESP_CONT;
}

static void count_monitor(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
			  const void *pkt, const uint32_t size, const uint8_t *data)
{
	(void)ctx;
	(void)index;
	(void)pkt;
	(void)size;
	(void)data;
	heard[1][op]++;
}

static void count_lines(const void *ctx, const char *text, const int len)
{
	(void)len;
	*(unsigned int *)(uintptr_t)ctx += !strncmp(text, "ID:10\tRESET", 11) ? 100 : 1;
}

static void test_listeners(void **state)
{
	/* A-sync and Trace Info in a frame of ID 0x10 */
	static const uint8_t frame[16] = { 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0 };
	static const uint8_t barrier[16] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					     0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
						   OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
	unsigned int lines = 0;
	unsigned char id;
	uint32_t used;

	(void)state;
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_PACKET_PROC, &plain, &id), 0);
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &lines, count_lines), OCSD_OK);
	/* the last one holds, whether callback or printer */
	assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, id, 0), OCSD_OK);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, id, OCSD_C_API_CB_PKT_SINK, (void *)count_sink, NULL),
			 OCSD_OK);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, id, OCSD_C_API_CB_PKT_MON, (void *)count_monitor, NULL),
			 OCSD_OK);
	ocsd_dt_process_data(t, OCSD_OP_DATA, 0, 16, frame, &used);
	assert_int_equal(lines, 0);
	assert_int_equal(heard[0][OCSD_OP_DATA], 2);
	assert_int_equal(heard[1][OCSD_OP_DATA], 2);
	/* a barrier is a reset */
	ocsd_dt_process_data(t, OCSD_OP_DATA, 16, 16, barrier, &used);
	ocsd_dt_process_data(t, OCSD_OP_DATA, 32, 16, frame, &used);
	assert_int_equal(heard[0][OCSD_OP_RESET], 1);
	assert_int_equal(heard[1][OCSD_OP_RESET], 1);
	assert_int_equal(heard[0][OCSD_OP_DATA], 4);
	assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, id, 1), OCSD_OK);
	ocsd_dt_process_data(t, OCSD_OP_DATA, 48, 16, barrier, &used);
	ocsd_dt_process_data(t, OCSD_OP_DATA, 64, 16, frame, &used);
	assert_int_equal(lines, 102);
	assert_int_equal(heard[0][OCSD_OP_DATA], 6);
	assert_int_equal(heard[1][OCSD_OP_DATA], 4);
	/* frames are printed when the printer is asked to, whatever the tree was made with */
	assert_int_equal(ocsd_dt_set_raw_frame_printer(t, OCSD_DFRMTR_UNPACKED_RAW_OUT), OCSD_OK);
	ocsd_dt_process_data(t, OCSD_OP_DATA, 80, 16, frame, &used);
	assert_int_equal(lines, 105);
	ocsd_destroy_dcd_tree(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_reads_are_few),
		cmocka_unit_test(test_many_contents),
		cmocka_unit_test(test_trace_errors),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_end_waits),
		cmocka_unit_test(test_listeners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
