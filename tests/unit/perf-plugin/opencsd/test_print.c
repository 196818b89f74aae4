/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that the printers of OpenCSD's interface write: packets, and frames with synchronisation in them. */
#include "unit/perf-plugin/opencsd_lines.h"

#include <opencsd/c_api/opencsd_c_api.h>

static const ocsd_etmv4_cfg cfg = {
	.reg_idr1 = 0x400, .reg_idr2 = 8 | 4 << 5, .reg_traceidr = 0x10, .arch_ver = ARCH_V8, .core_prof = profile_CortexA,
};

#define FSYNC	0xff, 0xff, 0xff, 0x7f
#define HSYNC	0xff, 0x7f
#define BARRIER	FSYNC, FSYNC, FSYNC, FSYNC
/* A-sync and Trace Info of ID 0x10 */
#define TRACE_INFO "I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0 }; Decoder Sync point TINFO\n"
#define FRAME	0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0

/* What is printed of `p`, of frames with these flags, fed in pieces. */
static void check(unsigned int flags, int raw, bool packets, const uint8_t *p, uint32_t n, uint32_t piece, const char *const *want)
{
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, flags);
	struct lines l = { NULL, 0, 0 };
	unsigned char id = 0;
	uint32_t at, k, used;

	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_PACKET_PROC, &cfg, &id), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	if (raw)
		assert_int_equal(ocsd_dt_set_raw_frame_printer(t, raw), OCSD_OK);
	if (packets)
		assert_int_equal(ocsd_dt_set_pkt_protocol_printer(t, id, 0), OCSD_OK);
	for (at = 0; at < n; at += k) {
		k = piece < n - at ? piece : n - at;
		assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, at, k, p + at, &used), OCSD_RESP_CONT);
		assert_int_equal(used, k);
	}
	ocsd_destroy_dcd_tree(t);
	check_lines(&l, PRINTED_AT, want);
}

#define CHECK(flags, raw, packets, bytes, piece, ...) \
	check(flags, raw, packets, bytes, sizeof(bytes), piece, LINES(__VA_ARGS__))

#define LINE_OF_FSYNC "ff ff ff 7f ff ff ff 7f ff ff ff 7f ff ff ff 7f \n"

static void test_lines(void **state)
{
	static const uint8_t frame[] = { FRAME }, barriers[] = { BARRIER, BARRIER, FRAME };
	static const uint8_t synced[] = { FSYNC, 0x21, 0, 0, 0, HSYNC, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 0, FSYNC, FRAME };
	static const uint8_t fsynced[] = { FSYNC, FRAME };
	const unsigned int syncs = OCSD_DFRMTR_HAS_FSYNCS | OCSD_DFRMTR_HAS_HSYNCS;

	(void)state;
	CHECK(OCSD_DFRMTR_FRAME_MEM_ALIGN, 0, true, frame, 16,
	      "Idx:0; ID:10;\tI_ASYNC : Alignment Synchronisation.\n",
	      "Idx:12; ID:10;\t" TRACE_INFO);
	CHECK(OCSD_DFRMTR_FRAME_MEM_ALIGN, OCSD_DFRMTR_UNPACKED_RAW_OUT, false, frame, 16,
	      "Frame Data; Index      0;   ID_DATA[0x10]; 00 00 00 00 00 00 00 00 00 00 00 80 01 00 \n");
	CHECK(OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC, OCSD_DFRMTR_PACKED_RAW_OUT, false, barriers, 48,
	      "Frame Data; Index      0;         FSYNC; " LINE_OF_FSYNC LINE_OF_FSYNC,
	      "Frame Data; Index      0;    RAW_PACKED; " LINE_OF_FSYNC LINE_OF_FSYNC
	      "21 00 00 00 00 00 00 00 00 00 00 00 80 01 00 00 \n");
	CHECK(syncs, OCSD_DFRMTR_PACKED_RAW_OUT, false, synced, sizeof(synced),
	      "Frame Data; Index      0;    RAW_PACKED; ff ff ff 7f 21 00 00 00 ff 7f 00 00 00 00 00 00 \n00 00 80 01 00 00 \n",
	      "Frame Data; Index     22;    RAW_PACKED; ff ff ff 7f 21 00 00 00 00 00 00 00 00 00 00 00 \n80 01 00 00 \n");
	CHECK(OCSD_DFRMTR_HAS_FSYNCS | OCSD_DFRMTR_RESET_ON_4X_FSYNC, OCSD_DFRMTR_UNPACKED_RAW_OUT,
	      true, fsynced, sizeof(fsynced),
	      "Frame Data; Index      4;   ID_DATA[0x10]; 00 00 00 00 00 00 00 00 00 00 00 80 01 00 \n",
	      "Idx:4; ID:10;\tI_ASYNC : Alignment Synchronisation.\n",
	      "Idx:16; ID:10;\t" TRACE_INFO);
	CHECK(syncs, OCSD_DFRMTR_PACKED_RAW_OUT, false, synced, 10,
	      "Frame Data; Index      0;    RAW_PACKED; ff ff ff 7f 21 00 00 00 ff 7f \n",
	      "Frame Data; Index     10;    RAW_PACKED; 00 00 00 00 00 00 00 00 80 01 \n",
	      "Frame Data; Index     20;    RAW_PACKED; 00 00 \n",
	      "Frame Data; Index     22;    RAW_PACKED; ff ff ff 7f 21 00 00 00 \n",
	      "Frame Data; Index     30;    RAW_PACKED; 00 00 00 00 00 00 00 00 80 01 \n",
	      "Frame Data; Index     40;    RAW_PACKED; 00 00 \n");
}

/*
 * Barriers are printed in lines of 16 bytes. A run of them is printed in parts, each of whole lines and shorter
 * than 1024 characters; 19 lines fit behind the heading, 20 without it.
 */
static void test_long_run(void **state)
{
	static const uint8_t barrier[16] = { BARRIER }, frame[] = { FRAME };
	static const unsigned int counts[] = { 1, 18, 19, 20, 38, 39, 40, 41, 100 };
	unsigned int c, i, parts;
	uint8_t bytes[101 * 16];
	char want[8192], got[8192];
	dcd_tree_handle_t t;
	uint32_t used;
	size_t k;

	(void)state;
	for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct lines l = { NULL, 0, 0 };

		t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
					 OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
		assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
		assert_int_equal(ocsd_dt_set_raw_frame_printer(t, OCSD_DFRMTR_UNPACKED_RAW_OUT), OCSD_OK);
		strcpy(want, "Frame Data; Index      0;         FSYNC; ");
		for (i = 0; i < counts[c]; i++) {
			memcpy(bytes + 16 * i, barrier, 16);
			strcat(want, LINE_OF_FSYNC);
		}
		memcpy(bytes + 16 * i, frame, 16);
		assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, 16 * (i + 1), bytes, &used), OCSD_RESP_CONT);
		assert_true(l.n > 1);
		got[0] = 0;
		for (k = 0; k < l.n - 1; k++) {
			assert_true(strlen(l.v[k] + 4) < 1024);
			strcat(got, l.v[k] + 4);
		}
		assert_string_equal(got, want);
		parts = counts[c] <= 19 ? 1 : 2 + (counts[c] - 20) / 20;
		assert_int_equal(l.n, parts + 1);
		assert_int_equal(strncmp(l.v[l.n - 1] + 4, "Frame Data; Index", 17), 0);
		ocsd_destroy_dcd_tree(t);
		free_lines(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
