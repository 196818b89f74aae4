/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_software.c - software trace through the C interface of OpenCSD: STM elements whose payload is found
 * where clients of either generation look for it, ITM as clients of 1.8 know it. Whole recorded traces are
 * compared with libopencsd (tests/interop/opencsd-client.sh).
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <opencsd/c_api/opencsd_c_api.h>

#define PAYLOAD_AT_1_3		80
#define PAYLOAD_AT_1_8		88
#define UNION_AT		72

struct seen {
	unsigned int elements, packets;
	uint16_t master, channel;
	uint32_t bits;
	uint64_t payload[2];		/* as each generation finds it */
	uint64_t ts;
	bool has_ts;
	unsigned char itm[16];
	char text[200], packet[200];
	int protocol;
};

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	struct seen *s = (struct seen *)(uintptr_t)ctx;
	const unsigned char *bytes = (const unsigned char *)e;
	const void *at[2];

	(void)index;
	(void)id;
	if (e->elem_type != OCSD_GEN_TRC_ELEM_SWTRACE && e->elem_type != OCSD_GEN_TRC_ELEM_ITMTRACE)
		return OCSD_RESP_CONT;
	s->elements++;
	assert_int_equal(ocsd_gen_elem_str(e, s->text, sizeof(s->text)), OCSD_OK);
	s->ts = e->timestamp;
	s->has_ts = e->has_ts;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_ITMTRACE) {
		memcpy(s->itm, bytes + UNION_AT, sizeof(s->itm));
		return OCSD_RESP_CONT;
	}
	s->master = e->sw_trace_info.swt_master_id;
	s->channel = e->sw_trace_info.swt_channel_id;
	s->bits = e->sw_trace_info.swt_payload_pkt_bitsize;
	assert_int_equal(e->sw_trace_info.swt_id_valid, 1);
	assert_int_equal(e->sw_trace_info.swt_payload_num_packets, 1);
	assert_int_equal(e->extended_data, 1);
	assert_ptr_equal(e->ptr_extended_data, *(const void *const *)(bytes + PAYLOAD_AT_1_3));
	memcpy(&at[0], bytes + PAYLOAD_AT_1_3, sizeof(at[0]));
	memcpy(&at[1], bytes + PAYLOAD_AT_1_8, sizeof(at[1]));
	memset(s->payload, 0, sizeof(s->payload));
	memcpy(&s->payload[0], at[0], s->bits / 8);
	memcpy(&s->payload[1], at[1], s->bits / 8);
	return OCSD_RESP_CONT;
}

static void on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *pkt,
		      const uint32_t size, const uint8_t *data)
{
	struct seen *s = (struct seen *)(uintptr_t)ctx;

	(void)index;
	(void)size;
	(void)data;
	if (op != OCSD_OP_DATA)
		return;
	s->packets++;
	assert_int_equal(ocsd_pkt_str((ocsd_trace_protocol_t)s->protocol, pkt, s->packet, sizeof(s->packet)), OCSD_OK);
}

static dcd_tree_handle_t make(const char *name, const void *cfg, struct seen *s)
{
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsigned char id = 0;

	assert_int_equal(ocsd_dt_create_decoder(t, name, OCSD_CREATE_FLG_FULL_DECODER, cfg, &id), OCSD_OK);
	assert_int_equal(id, 0x20);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, s), OCSD_OK);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, id, OCSD_C_API_CB_PKT_MON, (void *)on_packet, s), OCSD_OK);
	return t;
}

static void feed(dcd_tree_handle_t t, const uint8_t *p, uint32_t n)
{
	uint32_t used;

	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, n, p, &used), OCSD_RESP_CONT);
	assert_int_equal(used, n);
}

/* Nibbles to bytes, the first one low. */
static size_t pack(uint8_t *out, const char *nibbles)
{
	size_t i, n = strlen(nibbles);

	memset(out, 0, (n + 1) / 2);
	for (i = 0; i < n; i++)
		out[i / 2] |= (uint8_t)(strtoul((const char[]){ nibbles[i], 0 }, NULL, 16) << 4 * (i % 2));
	return (n + 1) / 2;
}

static void test_stm(void **state)
{
	const ocsd_stm_cfg cfg = { .reg_tcsr = 0x200001 };
	struct seen s = { .protocol = OCSD_PROTOCOL_STM };
	dcd_tree_handle_t t = make(OCSD_BUILTIN_DCD_STM, &cfg, &s);
	uint8_t bytes[64];
	size_t n;

	(void)state;
	/* synchronisation, version 3, master 41, channel 2, nothing, an octet; then 32 and 64 bits */
	n = pack(bytes, "fffffffffffffffffffff0" "f003" "141" "302" "0" "45a");
	feed(t, bytes, (uint32_t)n);
	assert_int_equal(s.elements, 1);
	assert_int_equal(s.master, 0x41);
	assert_int_equal(s.channel, 2);
	assert_int_equal(s.bits, 8);
	assert_int_equal(s.payload[0], 0x5a);
	assert_int_equal(s.payload[1], 0x5a);
	assert_false(s.has_ts);
	assert_string_equal(s.text, "OCSD_GEN_TRC_ELEM_SWTRACE( (Ma:0x41; Ch:0x02) 0x5a; )");
	assert_string_equal(s.packet, "D8:8 bit data; Data=0x5a");
	n = pack(bytes, "612345678" "70123456789abcdef");
	feed(t, bytes, (uint32_t)n);
	assert_int_equal(s.elements, 3);
	assert_int_equal(s.bits, 64);
	assert_true(s.payload[0] == 0x0123456789abcdef && s.payload[1] == s.payload[0]);
	assert_string_equal(s.packet, "D64:64 bit data; Data=0x0123456789abcdef");
	ocsd_destroy_dcd_tree(t);
}

static void test_itm(void **state)
{
	/* synchronisation; port 3: bb; a local timestamp; port 2: two octets; a sample of the PC */
	static const uint8_t trace[] = { 0, 0, 0, 0, 0, 0x80, 0x19, 0xbb, 0x30, 0x12, 0x34, 0x12, 0x17, 1, 2, 3, 4 };
	const uint32_t tcr = 0x200001;
	struct seen s = { .protocol = OCSD_PROTOCOL_ITM };
	dcd_tree_handle_t t = make("ITM", &tcr, &s);
	uint32_t value;

	(void)state;
	feed(t, trace, 8);
	assert_int_equal(s.elements, 1);
	assert_string_equal(s.text, "OCSD_GEN_TRC_ELEM_ITMTRACE(ITM_SWIT (ch: 0x3; Data: 0xbb) )");
	memcpy(&value, s.itm + 8, 4);
	assert_int_equal(s.itm[0], 0);
	assert_int_equal(s.itm[4], 3);
	assert_int_equal(s.itm[5], 1);
	assert_int_equal(value, 0xbb);
	feed(t, trace + 8, 1);
	assert_int_equal(s.elements, 2);
	assert_true(s.has_ts);
	assert_int_equal(s.ts, 3);
	feed(t, trace + 9, 3);
	assert_int_equal(s.elements, 3);
	memcpy(&value, s.itm + 8, 4);
	assert_int_equal(s.itm[4], 2);
	assert_int_equal(s.itm[5], 2);
	assert_int_equal(value, 0x1234);
	assert_int_equal(s.packets, 4);
	feed(t, trace + 12, 5);
	assert_int_equal(s.elements, 4);
	assert_string_equal(s.text, "OCSD_GEN_TRC_ELEM_ITMTRACE(ITM_DWT (desc: 0x2; Data: 0x04030201) )");
	ocsd_destroy_dcd_tree(t);
}

/* Messages that a client made itself, with each of the flags. */
/* As a client of either generation. */
static void set_payload(ocsd_generic_trace_elem *e, const void *payload)
{
	e->ptr_extended_data = payload;
	memcpy((unsigned char *)e + PAYLOAD_AT_1_3, &payload, sizeof(payload));
}

static void test_texts(void **state)
{
	static const uint8_t payload[16] = { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01, 0xff };
	static const struct {
		ocsd_swt_info_t info;
		bool data, has_ts;
		const char *want;
	} row[] = {
		{ { .swt_id_valid = 1 }, false, false, " (Ma:0x05; Ch:0x123) " },
		{ { .swt_id_valid = 0 }, true, false, "(Ma:0x?\?; Ch:0x?\?) " },
		{ { .swt_payload_pkt_bitsize = 8 }, true, false, "(Ma:0x?\?; Ch:0x?\?) 0xef; " },
		{ { .swt_payload_pkt_bitsize = 8 }, false, false, "(Ma:0x?\?; Ch:0x?\?) " },
		{ { .swt_payload_pkt_bitsize = 4, .swt_marker_packet = 1 }, true, false, "(Ma:0x?\?; Ch:0x?\?) 0xef; +Mrk " },
		{ { .swt_payload_pkt_bitsize = 9 }, true, false, "(Ma:0x?\?; Ch:0x?\?) 0xcdef; " },
		{ { .swt_payload_pkt_bitsize = 32, .swt_trigger_event = 1 }, true, false, "(Ma:0x?\?; Ch:0x?\?) 0x89abcdef; Trig " },
		{ { .swt_payload_pkt_bitsize = 63 }, true, false, "(Ma:0x?\?; Ch:0x?\?) 0x123456789abcdef; " },
		{ { .swt_payload_pkt_bitsize = 64, .swt_frequency = 1 }, true, false, "(Ma:0x?\?; Ch:0x?\?) 0x0123456789abcdef; Freq" },
		{ { .swt_payload_pkt_bitsize = 128 }, true, true, "(Ma:0x?\?; Ch:0x?\?) 0x0123456789abcdef;  [ TS=0x00000000abcd]; " },
		{ { .swt_id_valid = 1, .swt_master_err = 1 }, false, true,
		  " (Ma:0x05; Ch:0x123)  [ TS=0x00000000abcd]; {Master Error.}" },
		{ { .swt_id_valid = 1, .swt_global_err = 1 }, true, true, "{Global Error.}" },
	};
	char text[256], want[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ocsd_generic_trace_elem e = { .elem_type = OCSD_GEN_TRC_ELEM_SWTRACE, .sw_trace_info = row[i].info, .timestamp = 0xabcd };

		e.sw_trace_info.swt_master_id = 5;
		e.sw_trace_info.swt_channel_id = 0x123;
		e.has_ts = row[i].has_ts;
		e.extended_data = row[i].data;
		set_payload(&e, row[i].data ? payload : NULL);
		assert_int_equal(ocsd_gen_elem_str(&e, text, sizeof(text)), OCSD_OK);
		snprintf(want, sizeof(want), "OCSD_GEN_TRC_ELEM_SWTRACE(%s)", row[i].want);
		assert_string_equal(text, want);
		/* data that the element does not say it has */
		e.extended_data = 0;
		set_payload(&e, payload);
		assert_int_equal(ocsd_gen_elem_str(&e, text, sizeof(text)), OCSD_OK);
		assert_null(strstr(text, "ef; "));
	}
}

/* The same of an ITM, whose part of the element is in its first bytes. */
static void test_itm_texts(void **state)
{
	static const struct {
		uint32_t type;
		uint8_t channel, size;
		bool overflow, has_ts;
		const char *want;
	} row[] = {
		{ 0, 3, 1, false, false, "ITM_SWIT (ch: 0x3; Data: 0x12345678) " },
		{ 0, 0x1f, 4, true, false, "ITM_OVERFLOW; ITM_SWIT (ch: 0x1f; Data: 0x12345678) " },
		{ 1, 2, 7, false, false, "ITM_DWT (desc: 0x2; Data: 0x00000012345678) " },
		{ 2, 0, 0, false, true, "ITM_TS_LOCAL ( TS delta: 0x12345678, { TS Sync}; TS cumulative: 0x000000000000abcd) " },
		{ 5, 0, 0, false, true, "ITM_TS_LOCAL ( TS delta: 0x12345678, { TS and Packet Delay}; TS cumulative: 0x000000000000abcd) " },
		{ 6, 0, 0, false, true, "ITM_TS_GLOBAL ( TS: 0x000000000000abcd) " },
	};
	const uint32_t value = 0x12345678;
	char text[256], want[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		union {
			ocsd_generic_trace_elem e;
			uint8_t bytes[UNION_AT + 16];
		} u;

		memset(&u, 0, sizeof(u));
		u.e.elem_type = OCSD_GEN_TRC_ELEM_ITMTRACE;
		u.e.timestamp = 0xabcd;
		u.e.has_ts = row[i].has_ts;
		memcpy(u.bytes + UNION_AT, &row[i].type, 4);
		u.bytes[UNION_AT + 4] = row[i].channel;
		u.bytes[UNION_AT + 5] = row[i].size;
		memcpy(u.bytes + UNION_AT + 8, &value, 4);
		u.bytes[UNION_AT + 12] = row[i].overflow;
		assert_int_equal(ocsd_gen_elem_str(&u.e, text, sizeof(text)), OCSD_OK);
		snprintf(want, sizeof(want), "OCSD_GEN_TRC_ELEM_ITMTRACE(%s)", row[i].want);
		assert_string_equal(text, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stm),
		cmocka_unit_test(test_itm),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_itm_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
