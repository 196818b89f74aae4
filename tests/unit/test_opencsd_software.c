/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_software.c - software trace through the C interface of OpenCSD: STM elements whose payload is found
 * where clients of either generation look for it, ITM as clients of 1.8 know it. Whole recorded traces are
 * compared with libopencsd (tests/interop/opencsd-client.sh).
 */
#include "opencsd_lines.h"

#include <opencsd/c_api/opencsd_c_api.h>

/* Of 1.8: not in 1.3.3's headers. */
#define ITMTRACE		18
#define PROTOCOL_ITM		7
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
	if (e->elem_type != OCSD_GEN_TRC_ELEM_SWTRACE && (int)e->elem_type != ITMTRACE)
		return OCSD_RESP_CONT;
	s->elements++;
	assert_int_equal(ocsd_gen_elem_str(e, s->text, sizeof(s->text)), OCSD_OK);
	s->ts = e->timestamp;
	s->has_ts = e->has_ts;
	if ((int)e->elem_type == ITMTRACE) {
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
	struct seen s = { .protocol = PROTOCOL_ITM };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stm),
		cmocka_unit_test(test_itm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
