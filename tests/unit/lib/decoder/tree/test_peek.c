/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_peek.c - the address of the next instruction, as far as the trace has it before that instruction
 * (cst_decoder_peek_address()): in held elements, in the flow, and in packets that were not decoded yet.
 */
#include <stdbool.h>

#include "unit/lib_decode.h"

/*
 * 1000 nop; b 1000; ...: each range is one branch back, or what an address packet begins, which is where the branch does
 * not lead
 */
#define CODE 16
static const uint32_t a64[] = { 0xd503201f, 0x17ffffff, 0xd503201f, 0x17fffffd };
static const uint32_t a32[] = { 0xe1a00000, 0xeafffffd, 0xe1a00000, 0xeafffffb };

static char name_of(const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_RANGE:
		return 'r';
	case CST_GEN_PE_CONTEXT:
		return 'c';
	case CST_GEN_TRACE_ON:
		return 'o';
	case CST_GEN_TIMESTAMP:
		return 't';
	case CST_GEN_EXCEPTION:
		return 'x';
	case CST_GEN_NO_SYNC:
		return 'n';
	case CST_GEN_EVENT:
		return 'e';
	default:
		return '.';
	}
}

/*
 * Pulls up to stops at contexts, exceptions, timestamps and where trace is turned on. The text has a letter for each
 * element, and behind a stop the address that is peeked there; a range that follows begins at it.
 */
static void expect(const struct cst_config *cfg, const void *code, const uint8_t *p, size_t len, const char *want)
{
	struct cst_section *sec;
	struct cst_space *space;
	struct cst_image *img;
	struct cst_decoder *dec;
	struct cst_generic g[16];
	struct cst_pull pull;
	char text[512];
	size_t at = 0;
	uint64_t addr;
	bool known = false;
	int i, n;

	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_section_new(&sec, img, code, CODE, NULL), 0);
	assert_int_equal(cst_space_new(&space, img), 0);
	assert_int_equal(cst_space_map(space, 0x1000, CODE, sec, 0), 0);
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_space(dec, space);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT | CST_STOP_TRACE_ON | CST_STOP_TIMESTAMP | CST_STOP_EXCEPTION);
	assert_int_equal(cst_decoder_feed(dec, p, len, 0), 0);
	while ((n = cst_decoder_pull(dec, g, 16, &pull)) > 0) {
		for (i = 0; i < n; i++)
			text[at++] = name_of(&g[i]);
		if (known && g[0].kind == CST_GEN_RANGE)
			assert_int_equal(g[0].addr, addr);
		known = false;
		if (pull.why == CST_STOP_INPUT || pull.why == CST_STOP_END)
			continue;
		known = cst_decoder_peek_address(dec, &addr);
		at += (size_t)(known ? sprintf(text + at, "=%x ", (unsigned int)addr) : sprintf(text + at, "=- "));
		assert_true(at < sizeof(text) - 32);
	}
	text[at] = 0;
	assert_string_equal(text, want);
	cst_decoder_free(dec);
	cst_image_free(img);
}

#define TRACE_ON 0x04
#define CONTEXT 0x81, 0x31		/* EL1 non-secure, AArch64 */
#define EVENT 0x71
#define EVENTS_5 EVENT, EVENT, EVENT, EVENT, EVENT
#define AT_1000 0x9a, 0x00, 0x08, 0x00, 0x00
#define AT_1008 0x9a, 0x02, 0x08, 0x00, 0x00
#define TS 0x02, 0x05
#define COMMIT(n) 0x2d, n
#define E1 0xf7

static void etmv4(void **state)
{
	struct cst_config cfg = etm_config(2, 0), spec = etm_config(2, 4);

	(void)state;
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, EVENT, E1, AT_1008, E1), "no=1000 c=1000 rer.r=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, EVENT, TS, AT_1008, E1), "no=1008 c=1008 et=1008 r=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, E1, AT_1008, E1), "no=- c=- r=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, EVENTS_5, EVENTS_5, EVENTS_5, EVENTS_5, AT_1008, E1),
	       "no=1008 c=1008 eeeeeeeeeeeee=1008 eeeeeeer=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, CONTEXT, E1, CONTEXT), "no=1000 c=1000 rc=1000 r=1000 ");
	expect(&spec, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, E1, CONTEXT, AT_1008, E1, CONTEXT, E1, COMMIT(2), E1, COMMIT(2)),
	       "no=1000 c=1000 rrc=1008 .rc=- r=- ");
	expect(&spec, a64, BYTES(SYNC, TRACE_ON, CONTEXT, E1, CONTEXT, E1, COMMIT(1), COMMIT(1)), "no=- c=- c=- ");
}

#define EXCEPTION 0x06, 0x1d, AT_1008

static void etmv4_after_exception(void **state)
{
	struct cst_config cfg = etm_config(2, 0);

	(void)state;
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, EXCEPTION, AT_1000, E1), "no=1000 c=1000 r.x=1000 r=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, EXCEPTION, EVENT, CONTEXT, AT_1000, E1),
	       "no=1000 c=1000 r.x=1000 ec=1000 r=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, EXCEPTION, E1, AT_1000, E1), "no=1000 c=1000 r.x=- r=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, EXCEPTION, TRACE_ON, AT_1000, E1), "no=1000 c=1000 r.x=- o=1000 ");
	expect(&cfg, a64, BYTES(SYNC, TRACE_ON, CONTEXT, AT_1000, E1, EXCEPTION), "no=1000 c=1000 r.x=- ");
}

#define ASYNC3 0, 0, 0, 0, 0, 0x80
/* I-sync at 0x1000, ARM state (IHI 0014Q 7.3.1) */
#define ISYNC3 0x08, 0x21, 0x00, 0x10, 0x00, 0x00

static void etmv3(void **state)
{
	struct cst_etmv3_regs regs = { .idr = 2u << 8 | 5 << 4, .traceidr = 0x10 };
	struct cst_config cfg = { 0 };

	(void)state;
	assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
	expect(&cfg, a32, BYTES(ASYNC3, ISYNC3, 0x84, 0x84, ISYNC3, 0x84), "no=1000 c=1000 r=1000 o=1000 c=1000 ");
	expect(&cfg, a32, BYTES(ASYNC3, ISYNC3, 0x84, 0x91, 0x80, 0x80, 0x80, 0x48, 0x3d, 0x84), "no=1000 c=1000 c=- x=20 ");
}

static void ptm(void **state)
{
	struct cst_etmv3_regs regs = { .ccer = 1u << 23 | 1u << 26, .idr = 0x411cf310, .traceidr = 0x13 };
	struct cst_config cfg = { 0 };

	(void)state;
	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	expect(&cfg, a32, BYTES(ASYNC3, 0x08, 0x00, 0x10, 0x00, 0x00, 0x21, 0x86, 0x11, 0x86), "no=1000 c=1000 rr..=- ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etmv4),
		cmocka_unit_test(etmv4_after_exception),
		cmocka_unit_test(etmv3),
		cmocka_unit_test(ptm),
	};

	(void)a32;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
