/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv3_breaks.c - ETMv3: why trace begins or stops, what it loses there, and what is known afterwards.
 */
#include "unit/lib_decode.h"

#define ASYNC3 0, 0, 0, 0, 0, 0x80
/* I-sync at 0x8000, state ARM: reasons of its information byte (IHI 0014Q 7.3.1, bits 6:5). */
#define ISYNC(reason) 0x08, (reason) << 5 | 0x01, 0x00, 0x80, 0x00, 0x00

enum { PERIODIC, BEGIN, OVERFLOW, DEBUG };
enum { VALUE = 1 << 2, ADDRESS = 1 << 3, CYCLES = 1 << 12 };

/* 8000 nop; ldm r0, {r1, r2}; nop; nop */
static const uint32_t code[] = { 0xe320f000, 0xe8900006, 0xe320f000, 0xe320f000 };

static struct cst_config config(uint32_t cr)
{
	struct cst_etmv3_regs regs = { .cr = cr, .idr = 2u << 8 | 5 << 4, .traceidr = 0x10 };
	struct cst_config cfg;

	assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
	return cfg;
}

static struct cst_stats expect(const struct cst_config *cfg, const uint8_t *p, size_t len, const char *want)
{
	return check_elements(cfg, 0x8000, code, sizeof(code), p, len, want);
}

#define FIRST "NO_SYNC( [init-decoder])\n"
#define ON(why) "TRACE_ON( [" why "])\nPE_CONTEXT((ISA=A32) S; 32-bit; )\n"
#define CONTEXT "PE_CONTEXT((ISA=A32) S; 32-bit; )\n"
#define NOP "INSTR_RANGE(exec range=0x8000:[0x8004] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
#define LDM "INSTR_RANGE(exec range=0x8004:[0x8008] num_i(1) last_sz(4) (ISA=A32) E --- )\n"
#define LAST "EO_TRACE( [end-of-trace])\n"

/* Trace begins with the first I-sync, and anew with all but periodic ones (IHI 0014Q 7.3.1). */
static void test_reasons(void **state)
{
	struct cst_config cfg = config(0);
	struct cst_stats stats;

	(void)state;
	stats = expect(&cfg, BYTES(ASYNC3, ISYNC(PERIODIC), ISYNC(PERIODIC), 0x84),
		       FIRST ON("begin or filter") CONTEXT NOP LAST);
	assert_int_equal(stats.overflows, 0);
	stats = expect(&cfg, BYTES(ASYNC3, ISYNC(OVERFLOW), 0x84, ISYNC(BEGIN), 0x84, ISYNC(DEBUG), ISYNC(OVERFLOW),
				   ISYNC(PERIODIC), 0x84),
		       FIRST ON("overflow") NOP ON("begin or filter") NOP ON("debug restart") ON("overflow") CONTEXT NOP LAST);
	assert_int_equal(stats.overflows, 2);
	assert_int_equal(stats.resyncs, 0);
}

/* A reserved header ends decoding up to the next A-sync and I-sync; what is skipped is counted. A cut packet at the end
 * loses nothing before it. */
static void test_errors(void **state)
{
	struct cst_config cfg = config(0);
	struct cst_stats stats;

	(void)state;
	stats = expect(&cfg, BYTES(ASYNC3, ISYNC(BEGIN), 0x84, 0x10, 0x84, ISYNC(BEGIN), ASYNC3, 0x84, ISYNC(PERIODIC), 0x84),
		       FIRST ON("begin or filter") NOP "NO_SYNC( [bad-packet])\n" ON("begin or filter") NOP LAST);
	assert_int_equal(stats.bad_packets, 1);
	assert_int_equal(stats.resyncs, 1);
	assert_int_equal(stats.unsynced, 1 + 1 + 6 + 1);
	assert_int_equal(stats.atoms_lost, 1);
	stats = expect(&cfg, BYTES(ASYNC3, ISYNC(BEGIN), 0x84, 0x08, 0x01), FIRST ON("begin or filter") NOP LAST);
	assert_int_equal(stats.bad_packets, 1);
	assert_int_equal(stats.resyncs, 0);
	assert_int_equal(stats.unsynced, 2);
}

/* Atoms before the first I-sync are at unknown addresses; with cycle counts they tell how much time passed. */
static void test_early(void **state)
{
	struct cst_config cfg = config(0), cycles = config(CYCLES);
	struct cst_stats stats;

	(void)state;
	stats = expect(&cfg, BYTES(ASYNC3, 0x84, 0x0c, 0x66, ISYNC(BEGIN), 0x84), FIRST ON("begin or filter") NOP LAST);
	assert_int_equal(stats.atoms_lost, 1);
	assert_int_equal(stats.unsynced, 2);
	/* the I-sync that the cycles passed before is not here: if an overflow was before it, ETMv3.5 did not count them */
	expect(&cycles, BYTES(ASYNC3, 0x84, 0x04, 0x05, ISYNC(BEGIN)),
	       FIRST "ADDR_UNKNOWN( [CC=1]; )\nCYCLE_COUNT( [CC=0]; )\n" ON("begin or filter") LAST);
	cycles.version = 0x34;
	stats = expect(&cycles, BYTES(ASYNC3, 0x84, 0x04, 0x05, ISYNC(BEGIN)),
		       FIRST "ADDR_UNKNOWN( [CC=1]; )\nCYCLE_COUNT( [CC=5]; )\n" ON("begin or filter") LAST);
	assert_int_equal(stats.atoms_lost, 1);
	assert_int_equal(stats.unsynced, 0);
}

/* Cycles behind the last instruction belong to its range, also if that was in another piece of the trace. */
static void test_late_cycles(void **state)
{
	static const uint8_t in[] = { ASYNC3, ISYNC(BEGIN), 0x84, 0x84, 0xa0, 0xa0, 0xa0, 0xa4, 0xa0, 0x84, 0xa0, 0xa0 };
	const struct cst_config cfg = config(CYCLES);
	struct decoded d;
	struct program pr;
	size_t piece;

	(void)state;
	program_map(&pr, 0x8000, code, sizeof(code));
	for (piece = 1; piece <= sizeof(in); piece++) {
		decode_pieces(&cfg, pr.space, in, sizeof(in), piece, &d);
		assert_int_equal(d.n, 5);
		assert_int_equal(d.gen[3].kind, CST_GEN_RANGE);
		assert_int_equal(d.gen[3].n_insn, 3);
		if (d.gen[3].cc != 3 + 6 + 2)
			fail_msg("pieces of %zu bytes: %u cycles", piece, d.gen[3].cc);
	}
	cst_image_free(pr.img);
}

/*
 * Of a transfer of several words only the first has an address, the others follow it (IHI 0014Q 7.4). A periodic I-sync
 * may come in between; behind a suppressed transfer, or where trace begins anew, the address is not known.
 */
static void test_transfers(void **state)
{
	struct cst_config cfg = config(VALUE | ADDRESS);
	struct cst_stats stats;

	(void)state;
	expect(&cfg, BYTES(ASYNC3, ISYNC(BEGIN), 0x88, 0x26, 0x10, 0x55, 0x06, 0x66, ISYNC(PERIODIC), 0x06, 0x77),
	       FIRST ON("begin or filter") NOP LDM "DATA(addr:0x10; value:0x55; insn:0x8004; )\n"
	       "DATA(addr:0x14; value:0x66; insn:0x8004; )\n" CONTEXT "DATA(addr:0x18; value:0x77; insn:0x8004; )\n" LAST);
	expect(&cfg, BYTES(ASYNC3, ISYNC(BEGIN), 0x88, 0x26, 0x10, 0x55, ISYNC(DEBUG), 0x06, 0x77),
	       FIRST ON("begin or filter") NOP LDM "DATA(addr:0x10; value:0x55; insn:0x8004; )\n" ON("debug restart")
	       "DATA(value:0x77; )\n" LAST);
	stats = expect(&cfg, BYTES(ASYNC3, ISYNC(BEGIN), 0x88, 0x26, 0x10, 0x55, 0x62, 0x06, 0x77),
		       FIRST ON("begin or filter") NOP LDM "DATA(addr:0x10; value:0x55; insn:0x8004; )\n"
		       "DATA(insn:0x8004; flags:0x80; )\nDATA(value:0x77; insn:0x8004; )\n" LAST);
	assert_int_equal(stats.data_lost, 1);
	expect(&cfg, BYTES(ASYNC3, ISYNC(BEGIN), 0x88, 0x26, 0x10, 0x55, 0x10, ASYNC3, ISYNC(PERIODIC), 0x88, 0x06, 0x77),
	       FIRST ON("begin or filter") NOP LDM "DATA(addr:0x10; value:0x55; insn:0x8004; )\nNO_SYNC( [bad-packet])\n"
	       ON("begin or filter") NOP LDM "DATA(value:0x77; insn:0x8004; )\n" LAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_early),
		cmocka_unit_test(test_late_cycles),
		cmocka_unit_test(test_transfers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
