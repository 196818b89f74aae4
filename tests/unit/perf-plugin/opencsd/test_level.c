/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The level of a client: by which signs it is taken for one of 1.3 or of 1.8, in which order they
 * count, and what each of them gets of the same trace: texts, memory spaces, elements, packets.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <cstrace/cstrace.h>

#include "opencsd/internal.h"

#define ANY_1_3		OCSD_MEM_SPACE_ANY
#define ANY_1_8		((ocsd_mem_space_acc_t)0xff)
#define ASYNC		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
/* A-sync, Trace Info, Trace On, address with context: 0x400000, and the octets of the context */
#define START(...)	ASYNC, 0x01, 0x00, 0x04, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, __VA_ARGS__
#define END_OF_START	25

static dcd_tree_handle_t make(const char *environment)
{
	const ocsd_ete_cfg c = { .reg_idr0 = 0,
				 .reg_idr1 = 0xff0,
				 .reg_idr2 = 8,
				 .reg_devarch = 0x47735a13,
				 .reg_traceidr = 0x10,
				 .arch_ver = ARCH_AA64,
				 .core_prof = profile_CortexA };
	dcd_tree_handle_t t;
	unsigned char id;

	if (environment)
		setenv("CSTRACE_OCSD", environment, 1);
	t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsetenv("CSTRACE_OCSD");
	assert_int_equal(ocsd_dt_create_decoder(t, "ETE", OCSD_CREATE_FLG_FULL_DECODER, &c, &id),
			 OCSD_OK);
	return t;
}

static unsigned int asked[4], n_asked;	/* the spaces that code was asked for in */

static uint32_t ask(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
		    const uint32_t len, uint8_t *buf)
{
	(void)ctx;
	(void)addr;
	(void)len;
	(void)buf;
	if (n_asked < 4)
		asked[n_asked++] = (unsigned int)space;
	return 0;
}

/* A region of its own for each call. */
static void name_space(dcd_tree_handle_t t, ocsd_mem_space_acc_t space)
{
	static ocsd_vaddr_t at = 0x1000;

	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, at, at + 0xf, space, ask, NULL), OCSD_OK);
	at += 0x10;
}

static enum client level_of(dcd_tree_handle_t t)
{
	enum client level = tree_get(t)->client;

	ocsd_destroy_dcd_tree(t);
	return level;
}

/* The first one, while the process has shown nothing. */
static void test_unknown(void **state)
{
	dcd_tree_handle_t t;

	(void)state;
	assert_int_equal(level_known(), CLIENT_UNKNOWN);
	assert_int_equal(level_of_process(), CLIENT_1_8);
	assert_int_equal(level_of(make(NULL)), CLIENT_1_8);
	assert_int_equal(level_of(make("1.5")), CLIENT_1_8);
	/* what both have says nothing */
	t = make(NULL);
	name_space(t, OCSD_MEM_SPACE_S);
	name_space(t, OCSD_MEM_SPACE_EL2);
	assert_int_equal(level_known(), CLIENT_UNKNOWN);
	assert_int_equal(level_of(t), CLIENT_1_8);
}

static void test_signs(void **state)
{
	const ocsd_etmv4_cfg etmv4 = { .reg_idr1 = 0x450,
				       .arch_ver = ARCH_V8,
				       .core_prof = profile_CortexA };
	static const unsigned int flags[] = { 0x400, 0x800, 0x1000, 0x2000, 0x20000 };
	const ocsd_itm_cfg itm = { .reg_tcr = 0x200001 };
	dcd_tree_handle_t t;
	unsigned char id;
	size_t i;

	(void)state;
	/* 1.3, and so the next tree, until it shows something else */
	t = make(NULL);
	name_space(t, ANY_1_3);
	assert_int_equal(level_of(t), CLIENT_1_3);
	assert_int_equal(level_known(), CLIENT_1_3);
	t = make(NULL);
	assert_int_equal(tree_get(t)->client, CLIENT_1_3);
	name_space(t, OCSD_MEM_SPACE_EL1R);
	assert_int_equal(tree_get(t)->client, CLIENT_1_8);
	/* it is proven: to 1.8 this is S|N */
	name_space(t, ANY_1_3);
	assert_int_equal(level_of(t), CLIENT_1_8);
	assert_int_equal(level_of_process(), CLIENT_1_8);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]) + 2; i++) {
		t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
		name_space(t, ANY_1_3);
		assert_int_equal(tree_get(t)->client, CLIENT_1_3);
		if (i < sizeof(flags) / sizeof(flags[0]))
			assert_int_equal(
				ocsd_dt_create_decoder(t, "ETMV4I",
						       (int)flags[i] | OCSD_CREATE_FLG_FULL_DECODER,
						       &etmv4, &id),
				OCSD_OK);
		else if (i == sizeof(flags) / sizeof(flags[0]))
			assert_int_equal(ocsd_dt_create_decoder(
						 t, "ITM", OCSD_CREATE_FLG_FULL_DECODER, &itm, &id),
					 OCSD_OK);
		else
			assert_int_equal(ocsd_dt_set_mem_acc_cacheing(t, 0, 0, 0), OCSD_OK);
		assert_int_equal(level_of(t), CLIENT_1_8);
	}
}

/* The environment counts before all signs, for functions without a tree as well. */
static void test_environment(void **state)
{
	dcd_tree_handle_t t = make("1.3");

	(void)state;
	assert_int_equal(level_of_process(), CLIENT_1_3);
	name_space(t, ANY_1_8);
	assert_int_equal(level_of(t), CLIENT_1_3);
	t = make("1.8");
	assert_int_equal(level_of_process(), CLIENT_1_8);
	name_space(t, ANY_1_3);
	assert_int_equal(level_of(t), CLIENT_1_8);
	/* its last words were 1.8, before the environment decided */
	assert_int_equal(level_of(make(NULL)), CLIENT_1_8);
}

/* What OpenCSD's cache can have, and that there are accessors. */
static void test_cache_sizes(void **state)
{
	static const struct {
		int enable, pages, result;
		uint16_t page;
	} row[] = {
		{ 0, -1, OCSD_OK, 0 },
		{ 1, 4, OCSD_OK, 64 },
		{ 1, 256, OCSD_OK, 16384 },
		{ 1, 3, OCSD_ERR_INVALID_PARAM_VAL, 64 },
		{ 1, 257, OCSD_ERR_INVALID_PARAM_VAL, 64 },
		{ 1, 4, OCSD_ERR_INVALID_PARAM_VAL, 63 },
		{ 1, 4, OCSD_ERR_INVALID_PARAM_VAL, 16385 },
	};
	dcd_tree_handle_t t = make(NULL);
	size_t i;

	(void)state;
	assert_int_equal(ocsd_dt_set_mem_acc_cacheing(t, 0, 0, 0), OCSD_ERR_NOT_INIT);
	name_space(t, ANY_1_8);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(ocsd_dt_set_mem_acc_cacheing(t, row[i].enable, row[i].page,
							      row[i].pages),
				 row[i].result);
	ocsd_destroy_dcd_tree(t);
}

static struct {
	uint32_t kind, number;		/* of the last missing code */
	unsigned int unknown;
} got;

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *e)
{
	(void)ctx;
	(void)index;
	(void)id;
	got.unknown += e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC) {
		got.kind = e->elem_type;
		got.number = e->exception_number;
	}
	return OCSD_RESP_CONT;
}

/* Code of each state of the processor is asked for in the space that the level has for it. */
static void test_spaces(void **state)
{
	/* the octets of a context of ETE with NSE, 64 bits */
	static const struct {
		unsigned int context, in_1_3, in_1_8;
	} row[] = {
		{ 0x11, 0x01, 0x01 }, { 0x31, 0x02, 0x02 }, { 0x32, 0x04, 0x04 },
		{ 0x12, 0x10, 0x10 }, { 0x13, 0x08, 0x08 }, { 0x39, 0x02, 0x20 },
		{ 0x3a, 0x04, 0x40 }, { 0x1b, 0x08, 0x80 },
	};
	uint8_t trace[] = { START(0), 0xf7, 0xf7 };
	dcd_tree_handle_t t;
	unsigned int i, level;
	uint32_t used;

	(void)state;
	for (i = 0; i < 2 * sizeof(row) / sizeof(row[0]); i++) {
		level = i & 1;
		trace[END_OF_START - 1] = (uint8_t)row[i / 2].context;
		memset(&got, 0, sizeof(got));
		n_asked = 0;
		t = make(NULL);
		assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0, UINT64_MAX,
							      level ? ANY_1_8 : ANY_1_3, ask, NULL),
				 OCSD_OK);
		assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, NULL), OCSD_OK);
		assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace,
						      &used),
				 OCSD_RESP_CONT);
		assert_true(n_asked > 0);
		assert_int_equal(asked[0], level ? row[i / 2].in_1_8 : row[i / 2].in_1_3);
		assert_int_equal(got.kind, OCSD_GEN_TRC_ELEM_ADDR_NACC);
		/* 1.8 has the space in the element */
		assert_int_equal(got.number, level ? asked[0] : 0);
		/*
		 * the second atom has no address: neither level has an element for it in ETE trace
		 */
		assert_int_equal(got.unknown, 0);
		ocsd_destroy_dcd_tree(t);
	}
}

/* The level can become known inside the callback for the context, before code is asked for. */
static ocsd_datapath_resp_t add_memory(const void *ctx, const ocsd_trc_index_t index,
				       const uint8_t id, const ocsd_generic_trace_elem *e)
{
	const dcd_tree_handle_t t = *(const dcd_tree_handle_t *)ctx;

	(void)index;
	(void)id;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0, UINT64_MAX, ANY_1_3, ask, NULL),
				 OCSD_OK);
	return OCSD_RESP_CONT;
}

static void test_inside(void **state)
{
	static const uint8_t trace[] = { START(0x1b), 0xf7 };
	dcd_tree_handle_t t = make(NULL);
	uint32_t used;

	(void)state;
	n_asked = 0;
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, add_memory, &t), OCSD_OK);
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used),
			 OCSD_RESP_CONT);
	assert_true(n_asked > 0);
	assert_int_equal(asked[0], OCSD_MEM_SPACE_EL3);
	ocsd_destroy_dcd_tree(t);
}

static uint32_t flag_bits;

static ocsd_datapath_resp_t on_exception(const void *ctx, const ocsd_trc_index_t index,
					 const uint8_t id, const ocsd_generic_trace_elem *e)
{
	(void)ctx;
	(void)index;
	(void)id;
	flag_bits = e->flag_bits;
	return OCSD_RESP_CONT;
}

/* A tail-chained exception has a flag in 1.8, which 1.3 does not know. */
static void test_tail_chain(void **state)
{
	const struct cst_generic g = { .kind = CST_GEN_EXCEPTION, .flags = CST_GF_TAIL_CHAIN };
	dcd_tree_handle_t t;
	unsigned int level;

	(void)state;
	for (level = 0; level < 2; level++) {
		t = make(level ? "1.8" : "1.3");
		assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_exception, NULL), OCSD_OK);
		flag_bits = 0xff;
		element_out(tree_get(t), tree_source(tree_get(t), 0x10), &g);
		assert_int_equal(flag_bits, level ? 0x1000 : 0);
		ocsd_destroy_dcd_tree(t);
	}
}

static char packet_text[256];

static void on_monitor(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
		       const void *pkt, const uint32_t size, const uint8_t *data)
{
	(void)ctx;
	(void)index;
	(void)size;
	(void)data;
	if (op == OCSD_OP_DATA)
		ocsd_pkt_str(OCSD_PROTOCOL_ETE, pkt, packet_text, sizeof(packet_text));
}

/* The text that a client makes of a packet says where decoding starts if it is one of 1.8. */
static void test_packet_text(void **state)
{
	static const uint8_t trace[] = { ASYNC, 0x01, 0x00 };
	static const char *const want[] = {
		"I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0, TSTATE.0 }",
		"I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0, TSTATE.0 }; Decoder Sync point TINFO"
	};
	dcd_tree_handle_t t;
	unsigned int level;
	uint32_t used;

	(void)state;
	for (level = 0; level < 2; level++) {
		t = make(level ? "1.8" : "1.3");
		assert_int_equal(ocsd_dt_attach_packet_callback(t, 0x10, OCSD_C_API_CB_PKT_MON,
								(void *)on_monitor, NULL),
				 OCSD_OK);
		assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace,
						      &used),
				 OCSD_RESP_CONT);
		assert_string_equal(packet_text, want[level]);
		ocsd_destroy_dcd_tree(t);
	}
}

/*
 * An element that a client initialises is not written behind the end of 1.3's structure, unless it
 * is one of 1.8.
 */
static void test_init(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		ocsd_generic_trace_elem e;

		ocsd_destroy_dcd_tree(make(i ? "1.8" : "1.3"));
		memset(&e, 0xff, sizeof(e));
		ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_EVENT);
		assert_int_equal(e.elem_type, OCSD_GEN_TRC_ELEM_EVENT);
		assert_int_equal(((const unsigned char *)&e)[PAYLOAD_AT_1_3], 0);
		assert_true(i ? e.ptr_extended_data == NULL :
				e.ptr_extended_data == (const void *)UINTPTR_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown),	    cmocka_unit_test(test_signs),
		cmocka_unit_test(test_environment), cmocka_unit_test(test_cache_sizes),
		cmocka_unit_test(test_spaces),	    cmocka_unit_test(test_inside),
		cmocka_unit_test(test_tail_chain),
		cmocka_unit_test(test_packet_text), cmocka_unit_test(test_init),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
