/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_elements.c - what the flow stage makes of single elements: data transfers whose values come
 * later, and elements that another stage has made.
 */
#include <inttypes.h>

#include "unit/lib_decode.h"
#include "flow/flow_int.h"

enum { CYCLES = 1 << 12, VALUE = 1 << 2, ADDRESS = 1 << 3 };

/* A32 at 0x8000: nop; b 8004; and nothing behind it. */
static const uint32_t code[] = { 0xe320f000, 0xeafffffe };

/* A flow stage without a protocol before it, and what it has emitted. */
static struct {
	struct cst_config cfg;
	struct cst_stats stats;
	struct cst_flow flow;
	struct program pr;
	struct cst_log *log;
	struct cst_generic out[64];
	size_t n;
} s;

static void begin_with(const struct cst_config *cfg)
{
	memset(&s, 0, sizeof(s));
	s.cfg = *cfg;
	program_map(&s.pr, 0x8000, code, sizeof(code));
	assert_int_equal(cst_log_new(&s.log, 16), 0);
	cst_flow_init(&s.flow, &s.cfg, &s.stats);
	s.flow.emit.log = s.log;
	cst_flow_set_space(&s.flow, s.pr.space);
}

static void begin(uint32_t cr)
{
	const struct cst_etmv3_regs regs = { .cr = cr, .idr = 2u << 8 | 5 << 4, .traceidr = 0x10 };
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), 0);
	begin_with(&cfg);
	s.flow.need_ctx = 0;
}

static void end(void)
{
	cst_log_free(s.log);
	cst_image_free(s.pr.img);
}

/* Returns the last element emitted, after `elem`. */
static const struct cst_generic *give(struct cst_element elem)
{
	cst_flow_give(&s.flow, &elem);
	while (s.flow.work.busy) {
		cst_flow_run(&s.flow, s.out, &s.n, 64);
		assert_int_equal(s.flow.stop.stopped, 0);
		assert_true(s.n < 64);
	}
	return s.n ? &s.out[s.n - 1] : NULL;
}

/* An address with the address of the load or store in progress. */
static void transfer_at(uint64_t a)
{
	give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8000, .is = CST_ISA_A32, .flags = CST_EL_F_ISA | CST_EL_F_LSIP,
				   .value = a });
}

static void check_data(unsigned int flags, unsigned int tag, uint64_t addr, unsigned int num, uint64_t want_addr, uint64_t insn)
{
	const struct cst_generic *g = give((struct cst_element){ .kind = CST_EL_DATA, .num = (uint16_t)flags, .is = (uint8_t)tag,
								 .addr = addr, .value = 0x55, .n = 4 });

	assert_int_equal(g->kind, CST_GEN_DATA);
	assert_int_equal(g->value, 0x55);
	assert_int_equal(g->size, 4);
	assert_int_equal(g->channel, tag);
	if (g->num != num || g->addr != want_addr || g->insn != insn)
		fail_msg("flags %x, address %" PRIx64 ", instruction %" PRIx64 " instead of %x, %" PRIx64 ", %" PRIx64, g->num,
			 g->addr, g->insn, num, want_addr, insn);
}

static void check_no_place(unsigned int want)
{
	assert_int_equal(cst_log_count_finding(s.log, 0x10, CST_FIND_DATA_NO_PLACE), want);
}

/* A value that comes later is of the place with its tag, which has its address, byte order and instruction. */
static void test_late_data(void **state)
{
	enum { PENDING = CST_DATA_PENDING, LATE = CST_DATA_LATE | CST_DATA_VALUE, ADDR = CST_DATA_ADDR, INSN = CST_DATA_INSN };

	(void)state;
	begin(VALUE | ADDRESS);
	/* without an instruction; then with one */
	check_data(PENDING | ADDR, 1, 0x100, PENDING | ADDR, 0x100, 0);
	transfer_at(0x7000);
	check_data(PENDING | ADDR | CST_DATA_BIG_ENDIAN, 2, 0x200, PENDING | ADDR | INSN | CST_DATA_BIG_ENDIAN, 0x200, 0x7000);
	check_data(PENDING, 3, 0, PENDING | INSN, 0, 0x7000);
	transfer_at(0x7100);
	check_data(CST_DATA_VALUE | ADDR, 0, 0x300, CST_DATA_VALUE | ADDR | INSN, 0x300, 0x7100);
	check_data(LATE, 2, 0, LATE | ADDR | INSN | CST_DATA_BIG_ENDIAN, 0x200, 0x7000);
	check_data(LATE, 1, 0, LATE | ADDR, 0x100, 0);
	check_data(LATE, 3, 0, LATE | INSN, 0, 0x7000);
	check_no_place(0);
	/* each place has one value; without a place the instruction is not known */
	check_data(LATE, 2, 0, LATE, 0, 0);
	check_data(LATE, 0, 0, LATE, 0, 0);
	check_no_place(2);
	/* a new place with the tag of one whose value has not come */
	check_data(PENDING | ADDR, 1, 0x400, PENDING | ADDR | INSN, 0x400, 0x7100);
	check_data(PENDING | ADDR, 1, 0x500, PENDING | ADDR | INSN, 0x500, 0x7100);
	check_data(LATE, 1, 0, LATE | ADDR | INSN, 0x500, 0x7100);
	/* the transfers of an exception are not of the instruction, nor are those behind them */
	check_data(CST_DATA_STACKING, 0, 0, CST_DATA_STACKING, 0, 0);
	check_data(CST_DATA_VALUE, 0, 0, CST_DATA_VALUE, 0, 0);
	check_no_place(2);
	end();
}

/* What a pause, an overflow and a loss leave of places and of the last instruction. */
static void test_places_at_breaks(void **state)
{
	enum { PENDING = CST_DATA_PENDING | CST_DATA_ADDR, LATE = CST_DATA_LATE | CST_DATA_VALUE };
	static const struct {
		uint8_t kind;
		uint16_t num;
		int kept;
	} rows[] = {
		{ CST_EL_TRACE_ON, CST_ON_NORMAL, 1 },
		{ CST_EL_TRACE_ON, CST_ON_DEBUG, 1 },
		{ CST_EL_TRACE_ON, CST_ON_OVERFLOW, 0 },
		{ CST_EL_NO_SYNC, CST_UNSYNC_BAD_PACKET, 0 },
		{ CST_EL_END, CST_UNSYNC_END, 0 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(VALUE | ADDRESS);
		transfer_at(0x7000);
		check_data(PENDING, 3, 0x100, PENDING | CST_DATA_INSN, 0x100, 0x7000);
		give((struct cst_element){ .kind = rows[i].kind, .num = rows[i].num });
		check_data(CST_DATA_VALUE, 0, 0, CST_DATA_VALUE, 0, 0);
		check_data(LATE, 3, 0, rows[i].kept ? LATE | CST_DATA_ADDR | CST_DATA_INSN : LATE, rows[i].kept ? 0x100 : 0,
			   rows[i].kept ? 0x7000 : 0);
		check_no_place(!rows[i].kept);
		end();
	}
}

/* An element that another stage has made keeps its fields but for the trace ID and the packet. */
static void test_ready_element(void **state)
{
	const struct cst_generic ready = { .kind = CST_GEN_SWTRACE, .payload = 0x1234, .size = 16, .channel = 7 };
	const struct cst_config cfg = etm_config(4, 0);
	struct cst_generic want = ready;

	(void)state;
	begin_with(&cfg);
	want.trace_id = 0x10;
	want.index = 99;
	assert_memory_equal(give((struct cst_element){ .kind = CST_EL_READY, .ready = &ready, .index = 99 }), &want, sizeof(want));
	/* none */
	give((struct cst_element){ .kind = CST_EL_READY, .index = 100 });
	assert_int_equal(s.n, 1);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_data),
		cmocka_unit_test(test_places_at_breaks),
		cmocka_unit_test(test_ready_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
