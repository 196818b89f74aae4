/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_flags.c - flags of decoders in the C interface of OpenCSD: checks of the code against the trace,
 * of 1.8, each with a stream that it finds and one that it lets pass; ranges of source addresses in parts; a
 * decoder that halts. Policies for bad packets are compared with libopencsd (tests/interop/opencsd-path.sh).
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <opencsd/c_api/opencsd_c_api.h>

/* Not in 1.3.3's headers. */
#define N_UNCOND_DIR_BR_CHK	0x00000400
#define STRICT_N_UNCOND_BR_CHK	0x00000800
#define CHK_RANGE_CONTINUE	0x00001000
#define N_UNCOND_CHK_NO_THUMB	0x00002000
#define AA64_OPCODE_CHK		0x00020000
#define UNSYNC_BAD_IMAGE_1_8	6

#define SYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04
/* Address with context, AArch64 EL0, non-secure; T32 likewise. */
#define AT(off) 0x85, (off) / 4, 0, 0x40, 0, 0, 0, 0, 0, 0x30
#define AT_T32 0x83, 0, 0, 0x40, 0, 0x20
#define E 0xf7
#define N 0xf6

#define NOP 0xd503201fu

static const struct check {
	const char *what;
	int flag;
	uint32_t code[4];	/* at 0x400000 */
	uint8_t trace[40];	/* after synchronisation */
	unsigned int len;
	unsigned int ranges;	/* that go out before the check finds something; or all, when it finds nothing */
	bool found;
} checks[] = {
#define TRACE(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
	{ "N of a branch elsewhere", N_UNCOND_DIR_BR_CHK, { NOP, 0x17ffffff }, TRACE(AT(0), E, N, E), 1, true },
	{ "N in the middle of a packet", N_UNCOND_DIR_BR_CHK, { NOP, 0x17ffffff }, TRACE(AT(0), 0xfb, E), 2, true },
	{ "N of a branch to what follows", N_UNCOND_DIR_BR_CHK, { NOP, 0x14000001, NOP, 0x17fffffd },
	  TRACE(AT(0), N, E, N), 3, false },
	{ "N of an indirect branch", N_UNCOND_DIR_BR_CHK, { NOP, 0xd61f0000, NOP, 0x17fffffd }, TRACE(AT(0), N, E), 2,
	  false },
	{ "N of a conditional branch", N_UNCOND_DIR_BR_CHK | STRICT_N_UNCOND_BR_CHK, { NOP, 0x54ffffe0, 0x17fffffe },
	  TRACE(AT(0), N, E), 2, false },
	{ "strict, N of a branch to what follows", STRICT_N_UNCOND_BR_CHK, { NOP, 0x14000001, NOP, 0x17fffffd },
	  TRACE(AT(0), N, E), 0, true },
	{ "strict, N of an indirect branch", STRICT_N_UNCOND_BR_CHK, { NOP, 0xd61f0000, NOP, 0x17fffffd },
	  TRACE(AT(0), N, E), 0, true },
	{ "N of an ISB", STRICT_N_UNCOND_BR_CHK, { NOP, 0xd5033fdf, NOP, 0x17fffffd }, TRACE(AT(0), N, E), 2, false },
	{ "T32", N_UNCOND_DIR_BR_CHK, { 0xe7fdbf00, 0xe7fdbf00 }, TRACE(AT_T32, E, N, E), 1, true },
	{ "but not T32", N_UNCOND_DIR_BR_CHK | N_UNCOND_CHK_NO_THUMB, { 0xe7fdbf00, 0xe7fcbf00 },
	  TRACE(AT_T32, E, N, E), 3, false },
	{ "elsewhere after N", CHK_RANGE_CONTINUE, { NOP, 0x54ffffe0, NOP, 0x17fffffd }, TRACE(AT(0), N, AT(4), N), 1,
	  true },
	{ "elsewhere after E and N in one packet", CHK_RANGE_CONTINUE, { NOP, 0x54ffffe0, NOP, 0x17fffffd },
	  TRACE(AT(0), 0xd9, AT(4), E, E), 2, true },
	{ "where it goes on after N", CHK_RANGE_CONTINUE, { NOP, 0x54ffffe0, NOP, 0x17fffffd },
	  TRACE(AT(0), N, AT(8), E), 2, false },
	{ "elsewhere after E", CHK_RANGE_CONTINUE, { NOP, 0x54ffffe0, NOP, 0x17fffffd }, TRACE(AT(0), E, AT(8), E), 2,
	  false },
	{ "elsewhere after N and an exception", CHK_RANGE_CONTINUE, { NOP, 0x54ffffe0, NOP, 0x17fffffd },
	  TRACE(AT(0), N, 0x06, 0x1d, 0x95, 0x02, AT(4), N), 2, false },
	{ "UDF", AA64_OPCODE_CHK, { NOP, 0x00000000, NOP, 0x17fffffd }, TRACE(AT(0), E, E), 0, true },
	{ "UDF is the target", AA64_OPCODE_CHK, { NOP, 0x14000001, 0x00001234, 0x17fffffd }, TRACE(AT(0), E, E), 1,
	  true },
	{ "UDF is not reached", AA64_OPCODE_CHK, { NOP, 0x17ffffff, 0x00000000 }, TRACE(AT(0), E, E), 2, false },
};

struct seen {
	unsigned int ranges, bad_image, after, on;
};

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	struct seen *s = (struct seen *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC && (unsigned int)e->unsync_eot_info == UNSYNC_BAD_IMAGE_1_8)
		s->bad_image++;
	s->on += e->elem_type == OCSD_GEN_TRC_ELEM_TRACE_ON;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		if (s->bad_image)
			s->after++;
		else
			s->ranges++;
	}
	return OCSD_RESP_CONT;
}

static dcd_tree_handle_t make(int flags, const uint32_t *code, size_t size, struct seen *s)
{
	static const ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x450, .reg_idr2 = 8, .reg_traceidr = 0x10, .arch_ver = ARCH_V8, .core_prof = profile_CortexA,
	};
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsigned char id;

	assert_non_null(t);
	assert_int_equal(ocsd_dt_create_decoder(t, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER | flags, &cfg,
						&id), OCSD_OK);
	ocsd_dt_set_gen_elem_outfn(t, on_element, s);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400000, OCSD_MEM_SPACE_ANY, (const uint8_t *)code,
						    (uint32_t)size), OCSD_OK);
	return t;
}

static ocsd_datapath_resp_t feed(dcd_tree_handle_t t, const uint8_t *p, size_t n, size_t piece)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT, worst = OCSD_RESP_CONT;
	static ocsd_trc_index_t index;
	uint32_t used;
	size_t k;

	for (; n && !OCSD_DATA_RESP_IS_FATAL(r); p += k, n -= k, index += k) {
		k = n < piece ? n : piece;
		r = ocsd_dt_process_data(t, OCSD_OP_DATA, index, (uint32_t)k, p, &used);
		worst = r > worst ? r : worst;
	}
	return worst;
}

/* Whole and byte by byte; after the next synchronisation it goes on. */
static void test_checks(void **state)
{
	static const uint8_t sync[] = { SYNC };
	const struct check *c;
	unsigned int how;
	struct seen s;

	(void)state;
	for (c = checks; c < checks + sizeof(checks) / sizeof(checks[0]); c++) {
		for (how = 0; how < 3; how++) {
			int flags = how < 2 ? c->flag : 0;
			dcd_tree_handle_t t = make(flags, c->code, sizeof(c->code), &s);
			bool found = how < 2 && c->found;

			memset(&s, 0, sizeof(s));
			feed(t, sync, sizeof(sync), how ? 1 : 64);
			feed(t, c->trace, c->len, how ? 1 : 64);
			/* what follows is void, up to the synchronisation */
			feed(t, (const uint8_t[]){ 0xf7, 0xf7 }, 2, 2);
			if (s.bad_image != found || s.after)
				fail_msg("%s, way %u: found %u, then %u ranges", c->what, how, s.bad_image, s.after);
			if (found && s.ranges != c->ranges)
				fail_msg("%s, way %u: %u ranges", c->what, how, s.ranges);
			if (!found && s.ranges < c->ranges)
				fail_msg("%s, way %u: %u ranges without finding", c->what, how, s.ranges);
			feed(t, sync, sizeof(sync), 64);
			feed(t, c->trace, c->len, 64);
			if (found)
				assert_int_equal(s.after, c->ranges);
			ocsd_destroy_dcd_tree(t);
		}
	}
}

/* A reserved header: logged, or fatal and nothing more. */
static void test_halt(void **state)
{
	static const uint8_t trace[] = { SYNC, AT(0), E, 0x0b, E, SYNC, AT(0), E };
	static const uint32_t code[] = { NOP, 0x17ffffff };
	dcd_tree_handle_t t;
	struct seen s = { .ranges = 0 };

	(void)state;
	t = make(OCSD_OPFLG_PKTDEC_HALT_BAD_PKTS, code, sizeof(code), &s);
	assert_int_equal(feed(t, trace, sizeof(trace), 64), OCSD_RESP_FATAL_INVALID_DATA);
	assert_int_equal(s.ranges, 1);
	/* the rest of these bytes is not decoded, not even at the end of the trace */
	assert_int_equal(s.on, 1);
	assert_true(ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL) < OCSD_RESP_WAIT);
	assert_int_equal(s.ranges, 1);
	assert_int_equal(s.on, 1);
	/* the client may go on after a reset */
	assert_true(ocsd_dt_process_data(t, OCSD_OP_RESET, 0, 0, NULL, NULL) < OCSD_RESP_WAIT);
	assert_int_equal(feed(t, trace, 26, 64), OCSD_RESP_CONT);
	ocsd_destroy_dcd_tree(t);
	memset(&s, 0, sizeof(s));
	t = make(OCSD_OPFLG_PKTDEC_ERROR_BAD_PKTS, code, sizeof(code), &s);
	assert_int_equal(feed(t, trace, sizeof(trace), 64), OCSD_RESP_ERR_CONT);
	assert_int_equal(s.ranges, 2);
	ocsd_destroy_dcd_tree(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_halt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
