/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_flow_elements.c - what the flow stage makes of single elements. ETMv3: data transfers, and atoms whose instructions are
 * not known: cycles, addresses and instructions that belong together though other elements lie between them. ETMv4: contexts.
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
	s.flow.log = s.log;
	cst_flow_set_space(&s.flow, s.pr.space);
}

static void begin(uint32_t cr)
{
	const struct cst_etmv3_regs regs = { .cr = cr, .idr = 2u << 8 | 5 << 4, .traceidr = 0x10 };
	struct cst_config cfg;

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
	while (s.flow.busy) {
		cst_flow_run(&s.flow, s.out, &s.n, 64);
		assert_int_equal(s.flow.stopped, 0);
		assert_true(s.n < 64);
	}
	return s.n ? &s.out[s.n - 1] : NULL;
}

static void address(uint64_t a)
{
	give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = a, .is = CST_ISA_A32, .flags = CST_EL_F_ISA });
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

/* Atoms: the cycles of the first one and of each other one. */
static const struct cst_generic *atoms(unsigned int n, uint32_t first, uint16_t other, uint64_t index)
{
	const uint32_t bits = (1u << n) - 1;

	return give((struct cst_element){ .kind = CST_EL_ATOMS, .bits = bits, .first_e = bits, .n = (uint8_t)n, .cc = first, .num = other,
					  .flags = CST_EL_F_CC, .index = index });
}

static void check_element(const struct cst_generic *g, unsigned int kind, uint64_t index, uint32_t cc)
{
	if (g->kind != kind || g->index != index || !(g->flags & CST_GF_CC) || g->cc != cc)
		fail_msg("element %u at %" PRIu64 " with %u cycles instead of %u at %" PRIu64 " with %u", g->kind, g->index, g->cc, kind,
			 index, cc);
}

/* Atoms at an address that is not known: their cycles are counted, as one element if ranges are joined. */
static void test_unknown_address(void **state)
{
	unsigned int each;

	(void)state;
	for (each = 0; each < 2; each++) {
		begin(CYCLES);
		s.cfg.insn_ranges = (uint8_t)each;
		cst_flow_configure(&s.flow);
		check_element(atoms(3, 5, 7, 10), CST_GEN_ADDR_UNKNOWN, 10, 5 + 2 * 7);
		assert_int_equal(s.stats.atoms_lost, 3);
		atoms(1, 2, 9, 11);
		assert_int_equal(s.n, 1 + each);
		atoms(2, 3, 4, 12);
		assert_int_equal(s.stats.atoms_lost, 6);
		if (each)
			check_element(&s.out[1], CST_GEN_CYCLE_COUNT, 11, 2);
		if (each)
			check_element(&s.out[2], CST_GEN_CYCLE_COUNT, 12, 3 + 4);
		assert_int_equal(s.n, each ? 3 : 1);
		/* the element that follows ends the count */
		give((struct cst_element){ .kind = CST_EL_EVENT, .num = 1, .index = 13 });
		if (!each)
			check_element(&s.out[1], CST_GEN_CYCLE_COUNT, 12, 2 + 3 + 4);
		assert_int_equal(s.n, each ? 4 : 3);
		assert_int_equal(s.out[s.n - 1].kind, CST_GEN_EVENT);
		/* none to count */
		atoms(1, 0, 0, 14);
		give((struct cst_element){ .kind = CST_EL_EVENT, .num = 1, .index = 15 });
		assert_int_equal(s.n, each ? 6 : 4);
		end();
	}
}

/* Cycles in which nothing is executed are one element, at the last packet, with the instruction set of the current address. */
static void test_wait(void **state)
{
	const struct cst_generic *g;

	(void)state;
	begin(CYCLES);
	give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8000, .is = CST_ISA_T32, .flags = CST_EL_F_ISA });
	give((struct cst_element){ .kind = CST_EL_CYCLE_COUNT, .num = 1, .cc = 3, .flags = CST_EL_F_CC, .index = 20 });
	give((struct cst_element){ .kind = CST_EL_CYCLE_COUNT, .num = 1, .cc = 4, .flags = CST_EL_F_CC, .index = 21 });
	assert_int_equal(s.n, 0);
	g = give((struct cst_element){ .kind = CST_EL_EVENT, .num = 1, .index = 22 });
	assert_int_equal(s.n, 2);
	check_element(g - 1, CST_GEN_CYCLE_COUNT, 21, 7);
	assert_int_equal(g[-1].isa, CST_ISA_T32);
	/* a packet that cannot have atoms is an element of its own */
	g = give((struct cst_element){ .kind = CST_EL_CYCLE_COUNT, .cc = 9, .flags = CST_EL_F_CC, .index = 23 });
	assert_int_equal(s.n, 3);
	check_element(g, CST_GEN_CYCLE_COUNT, 23, 9);
	/* an address keeps the count, and ends a range */
	give((struct cst_element){ .kind = CST_EL_CYCLE_COUNT, .num = 1, .cc = 1, .flags = CST_EL_F_CC, .index = 24 });
	address(0x8000);
	assert_int_equal(s.n, 3);
	atoms(1, 2, 0, 25);
	assert_int_equal(s.n, 3);
	address(0x8000);
	assert_int_equal(s.n, 4);
	check_element(&s.out[3], CST_GEN_RANGE, 25, 1 + 2);
	assert_int_equal(s.out[3].n_insn, 1);
	end();
}

/* Atoms whose code is missing, or is no code: the cycles of the first one are those of the gap, the others are lost. */
static void test_no_code(void **state)
{
	(void)state;
	begin(CYCLES);
	address(0x9000);
	atoms(3, 5, 7, 30);
	assert_int_equal(s.n, 2);
	check_element(&s.out[0], CST_GEN_NACC, 30, 5);
	assert_int_equal(s.out[0].addr, 0x9000);
	check_element(&s.out[1], CST_GEN_ADDR_UNKNOWN, 30, 7 + 7);
	assert_int_equal(s.stats.atoms_lost, 2);
	/* an address that no instruction has */
	address(0x8002);
	atoms(2, 5, 7, 31);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.out[2].kind, CST_GEN_ADDR_UNKNOWN);
	assert_int_equal(s.out[2].error, CST_ERR_BAD_IMAGE);
	assert_int_equal(s.out[2].flags & CST_GF_CC, 0);
	check_element(&s.out[3], CST_GEN_ADDR_UNKNOWN, 31, 7);
	assert_int_equal(s.stats.atoms_lost, 3);
	end();
}

static unsigned int context(struct cst_context ctx, unsigned int flags)
{
	const size_t before = s.n;

	give((struct cst_element){ .kind = CST_EL_CONTEXT, .ctx = ctx, .flags = (uint8_t)flags });
	return (unsigned int)(s.n - before);
}

/* A context that repeats the last one is an element only if that has not come to the flow stage, or differs in a field. */
static void test_same_context(void **state)
{
	static const struct cst_context first = { .el = 1, .security = CST_SEC_NONSECURE, .context_id = 5, .vmid = 6, .bits64 = 1 };
	const struct cst_config cfg = etm_config(4, 0);
	struct cst_context ctx;
	unsigned int field;

	(void)state;
	begin_with(&cfg);
	/* the first one; it again, as a packet of its own and as a repetition */
	assert_int_equal(context((struct cst_context){ .bits64 = 0 }, CST_EL_F_SAME), 1);
	assert_int_equal(context(first, 0), 1);
	assert_int_equal(context(first, 0), 1);
	assert_int_equal(context(first, CST_EL_F_SAME), 0);
	for (field = 0; field < 5; field++) {
		ctx = first;
		switch (field) {
		case 0:
			ctx.el = 2;
			break;
		case 1:
			ctx.security = CST_SEC_SECURE;
			break;
		case 2:
			ctx.context_id = 7;
			break;
		case 3:
			ctx.vmid = 7;
			break;
		default:
			ctx.bits64 = 0;
		}
		assert_int_equal(context(ctx, CST_EL_F_SAME), 1);
		assert_int_equal(context(ctx, CST_EL_F_SAME), 0);
		assert_int_equal(context(first, CST_EL_F_SAME), 1);
	}
	end();
}

/* The instruction set that a context leaves: of AArch32 the one that is known, else that of the last address. */
static void test_isa_of_context(void **state)
{
	static const struct {
		enum cst_profile profile;
		int bits64;
		enum cst_isa before;
		uint8_t last_is, flags, is;
		enum cst_isa after, element;
	} rows[] = {
		{ CST_PROFILE_A, 1, CST_ISA_UNKNOWN, 0, 0, 0, CST_ISA_A64, CST_ISA_A64 },
		{ CST_PROFILE_A, 1, CST_ISA_T32, 1, 0, 0, CST_ISA_A64, CST_ISA_A64 },
		{ CST_PROFILE_A, 0, CST_ISA_UNKNOWN, 0, 0, 0, CST_ISA_A32, CST_ISA_A32 },
		{ CST_PROFILE_A, 0, CST_ISA_UNKNOWN, 1, 0, 0, CST_ISA_T32, CST_ISA_T32 },
		{ CST_PROFILE_A, 0, CST_ISA_A64, 1, 0, 0, CST_ISA_T32, CST_ISA_T32 },
		{ CST_PROFILE_A, 0, CST_ISA_A32, 1, 0, 0, CST_ISA_A32, CST_ISA_A32 },
		{ CST_PROFILE_A, 0, CST_ISA_T32, 0, 0, 0, CST_ISA_T32, CST_ISA_T32 },
		/* with an address in the packet the element has the instruction set of that */
		{ CST_PROFILE_A, 0, CST_ISA_T32, 0, CST_EL_F_ADDRESS, 0, CST_ISA_T32, CST_ISA_A32 },
		{ CST_PROFILE_A, 0, CST_ISA_A32, 0, CST_EL_F_ADDRESS, 1, CST_ISA_A32, CST_ISA_T32 },
		{ CST_PROFILE_A, 1, CST_ISA_A32, 0, CST_EL_F_ADDRESS, 1, CST_ISA_A64, CST_ISA_A64 },
		{ CST_PROFILE_M, 0, CST_ISA_UNKNOWN, 0, 0, 0, CST_ISA_T32, CST_ISA_T32 },
		{ CST_PROFILE_M, 0, CST_ISA_UNKNOWN, 0, CST_EL_F_ADDRESS, 0, CST_ISA_T32, CST_ISA_T32 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cst_config cfg = etm_config(4, 0);
		const struct cst_generic *g;

		cfg.profile = (uint8_t)rows[i].profile;
		begin_with(&cfg);
		s.flow.isa = (uint8_t)rows[i].before;
		s.flow.is = rows[i].last_is;
		g = give((struct cst_element){ .kind = CST_EL_CONTEXT, .ctx = { .el = 0, .bits64 = (uint8_t)rows[i].bits64 },
					       .flags = rows[i].flags, .is = rows[i].is });
		if (g->kind != CST_GEN_PE_CONTEXT || g->isa != rows[i].element || s.flow.isa != rows[i].after)
			fail_msg("row %u: instruction set %u of the element, %u after it", i, g->isa, s.flow.isa);
		end();
	}
}

/* An address of A64 tells which instruction set a context of AArch32 after it has. */
static void test_address_before_context(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	uint8_t is;

	(void)state;
	begin_with(&cfg);
	for (is = 0; is < 2; is++) {
		context((struct cst_context){ .bits64 = 1 }, 0);
		give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8000, .is = is });
		assert_int_equal(s.flow.isa, CST_ISA_A64);
		context((struct cst_context){ .bits64 = 0 }, 0);
		assert_int_equal(s.out[s.n - 1].isa, is ? CST_ISA_T32 : CST_ISA_A32);
	}
	end();
}

/* Context ID and VMID are shown if the packet carried them, not if they are known from before. */
static void test_fields_of_context(void **state)
{
	static const uint8_t flags[] = { 0, CST_CTX_CID, CST_CTX_VMID, CST_CTX_CID | CST_CTX_VMID };
	const struct cst_config cfg = etm_config(4, 0);
	const struct cst_generic *g;
	unsigned int i;

	(void)state;
	begin_with(&cfg);
	for (i = 0; i < sizeof(flags); i++) {
		assert_int_equal(context((struct cst_context){ .context_id = 9, .vmid = 8, .flags = flags[i] }, 0), 1);
		g = &s.out[s.n - 1];
		assert_int_equal(g->context_id, 9);
		assert_int_equal(g->vmid, 8);
		assert_int_equal(!!(g->flags & CST_GF_CID), !!(flags[i] & CST_CTX_CID));
		assert_int_equal(!!(g->flags & CST_GF_VMID), !!(flags[i] & CST_CTX_VMID));
		assert_true(g->flags & CST_GF_EL);
	}
	end();
}

/* ETMv3, M profile: an exception that replaces a return, whose address is an EXC_RETURN value, has no return address. */
static void test_return_address(void **state)
{
	static const struct {
		enum cst_profile profile;
		uint32_t at;
		int known;
	} rows[] = {
		{ CST_PROFILE_M, 0x8000, 1 }, { CST_PROFILE_M, 0xfefffffe, 1 }, { CST_PROFILE_M, 0xfeffffff, 1 },
		{ CST_PROFILE_M, 0xff000000, 0 }, { CST_PROFILE_M, 0xfffffff9, 0 }, { CST_PROFILE_A, 0xff000000, 1 },
	};
	const struct cst_generic *g;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(0);
		s.cfg.profile = (uint8_t)rows[i].profile;
		give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = rows[i].at, .is = CST_ISA_T32, .flags = CST_EL_F_ISA });
		g = give((struct cst_element){ .kind = CST_EL_EXCEPTION, .num = 3 });
		assert_int_equal(g->kind, CST_GEN_EXCEPTION);
		if (!!(g->flags & CST_GF_RET_ADDR) != rows[i].known || g->end != (rows[i].known ? rows[i].at : 0))
			fail_msg("row %u: flags %x, return address %" PRIx64, i, g->flags, g->end);
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

/* A timestamp without a count of cycles: the reference decoder shows one of ETMv4 and PTM if cycles are traced. */
static void test_cycles_of_timestamp(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 16; i++) {
		const unsigned int cycles = i & 1, reference = i >> 1 & 1, has = i >> 2 & 1, etmv3 = i >> 3;
		const struct cst_generic *g;

		begin(0);
		if (!etmv3)
			s.cfg = etm_config(4, 0);
		s.cfg.cycle_count = (uint8_t)cycles;
		s.cfg.quirks = reference ? UINT8_MAX : 0;
		g = give((struct cst_element){ .kind = CST_EL_TIMESTAMP, .value = 5, .addr = 6, .cc = 7, .flags = has ? CST_EL_F_CC : 0 });
		assert_int_equal(g->addr, 5);
		assert_int_equal(g->value, etmv3 ? 6 : 0);
		assert_int_equal(!!(g->flags & CST_GF_CC), has || (cycles && reference && !etmv3));
		assert_int_equal(g->cc, has ? 7 : 0);
		end();
	}
}

/* A Q element whose instructions are not known has the instruction set of its address. */
static void test_isa_of_q(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	unsigned int is;

	(void)state;
	begin_with(&cfg);
	context((struct cst_context){ .bits64 = 0 }, 0);
	for (is = 0; is < 2; is++) {
		give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8000, .is = (uint8_t)is });
		/* none is counted, or the number is 0 */
		give((struct cst_element){ .kind = CST_EL_Q, .flags = is ? CST_EL_F_COUNT : 0 });
		give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8004, .is = (uint8_t)!is });
		assert_int_equal(s.out[s.n - 1].kind, CST_GEN_NOPATH);
		assert_int_equal(s.out[s.n - 1].isa, is ? CST_ISA_T32 : CST_ISA_A32);
		assert_int_equal(s.out[s.n - 1].n_insn, 0);
		assert_int_equal(s.out[s.n - 1].end, 0x8004);
	}
	/* the code of those that are counted is missing */
	for (is = 0; is < 2; is++) {
		give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x9000, .is = (uint8_t)is });
		give((struct cst_element){ .kind = CST_EL_Q, .flags = CST_EL_F_COUNT, .value = 3 });
		give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8004, .is = (uint8_t)!is });
		assert_int_equal(s.out[s.n - 1].kind, CST_GEN_NOPATH);
		assert_int_equal(s.out[s.n - 1].isa, is ? CST_ISA_T32 : CST_ISA_A32);
		assert_int_equal(s.out[s.n - 1].n_insn, 3);
	}
	/* an address never comes */
	give((struct cst_element){ .kind = CST_EL_Q, .flags = CST_EL_F_COUNT });
	give((struct cst_element){ .kind = CST_EL_END });
	assert_int_equal(s.out[s.n - 2].kind, CST_GEN_NOPATH);
	end();
}

static void begin_ptm(void)
{
	const struct cst_etmv3_regs regs = { .ccer = 1u << 23 | 1u << 26, .idr = 0x411cf310, .traceidr = 0x10 };
	struct cst_config cfg;

	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	begin_with(&cfg);
	s.flow.need_ctx = 0;
}

/* PTM: the instruction that a waypoint update names has no atom, though it is a branch. */
static void test_waypoint_update(void **state)
{
	const struct cst_generic *g;

	(void)state;
	begin_ptm();
	address(0x8000);
	g = give((struct cst_element){ .kind = CST_EL_WAYPOINT, .addr = 0x8004, .is = CST_ISA_A32 });
	assert_int_equal(g->kind, CST_GEN_RANGE);
	assert_int_equal(g->addr, 0x8000);
	assert_int_equal(g->end, 0x8008);
	assert_int_equal(g->last_type, CST_INSN_BRANCH);
	assert_int_equal(g->flags & CST_GF_WAYPOINT, 0);
	assert_int_equal(s.flow.addr, 0x8008);
	/* behind it there is no code; nothing is known without an address */
	give((struct cst_element){ .kind = CST_EL_WAYPOINT, .addr = 0x800c, .is = CST_ISA_A32 });
	assert_int_equal(s.out[1].kind, CST_GEN_NACC);
	give((struct cst_element){ .kind = CST_EL_WAYPOINT, .addr = 0x8004, .is = CST_ISA_A32 });
	assert_int_equal(s.n, 2);
	/* an address that the branch before it hides is no place on the path */
	address(0x8004);
	g = give((struct cst_element){ .kind = CST_EL_WAYPOINT, .addr = 0x8008, .is = CST_ISA_A32 });
	assert_int_equal(g->kind, CST_GEN_ADDR_UNKNOWN);
	assert_int_equal(g->error, CST_ERR_BAD_IMAGE);
	end();
}

/* PTM: a context shows the instruction set of the address in its packet, or else the current one. */
static void test_state(void **state)
{
	unsigned int with;
	const struct cst_generic *g;

	(void)state;
	for (with = 0; with < 2; with++) {
		begin_ptm();
		address(0x8000);
		g = give((struct cst_element){ .kind = CST_EL_CONTEXT, .ctx = { .context_id = 3, .flags = CST_CTX_CID }, .is = CST_ISA_T32,
					       .flags = CST_EL_F_ISA | (with ? CST_EL_F_ADDRESS : 0) });
		assert_int_equal(g->kind, CST_GEN_PE_CONTEXT);
		assert_int_equal(g->isa, with ? CST_ISA_T32 : CST_ISA_A32);
		assert_int_equal(g->context_id, 3);
		assert_int_equal(g->flags, CST_GF_CID);
		/* without an element */
		give((struct cst_element){ .kind = CST_EL_CONTEXT, .ctx = { .context_id = 4 }, .flags = CST_EL_F_ISA | CST_EL_F_QUIET });
		assert_int_equal(s.n, 1);
		assert_int_equal(s.flow.tmpl.context_id, 4);
		end();
	}
}

/* Byte codes of Jazelle are not followed, ThumbEE is. */
static void test_byte_codes(void **state)
{
	(void)state;
	begin_ptm();
	give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8000, .is = CST_ISA_JAZELLE, .flags = CST_EL_F_ISA });
	assert_int_equal(s.flow.need_addr, 1);
	give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = 0x8000, .is = CST_ISA_TEE, .flags = CST_EL_F_ISA });
	assert_int_equal(s.flow.need_addr, 0);
	end();
}

/* An address that is given again keeps the state of the IT block, and a synchronisation that says something else is an error. */
static void test_same_address(void **state)
{
	static const struct {
		uint64_t addr;
		enum cst_isa isa;
		int need_addr, need_ctx, it, conflict;
	} rows[] = {
		{ 0x8000, CST_ISA_T32, 0, 0, 2, 0 },
		{ 0x8002, CST_ISA_T32, 0, 0, 0, 1 },
		{ 0x8000, CST_ISA_A32, 0, 0, 0, 1 },
		{ 0x8000, CST_ISA_T32, 1, 0, 0, 0 },
		{ 0x8002, CST_ISA_T32, 1, 0, 0, 0 },
		{ 0x8000, CST_ISA_T32, 0, 1, 0, 0 },
		{ 0x8002, CST_ISA_T32, 0, 1, 0, 0 },
	};
	unsigned int i, sync;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (sync = 0; sync < 2; sync++) {
			begin_ptm();
			s.flow.need_addr = (uint8_t)rows[i].need_addr;
			s.flow.need_ctx = (uint8_t)rows[i].need_ctx;
			s.flow.addr = 0x8000;
			s.flow.isa = CST_ISA_T32;
			s.flow.it = 2;
			give((struct cst_element){ .kind = CST_EL_ADDRESS, .addr = rows[i].addr, .is = (uint8_t)rows[i].isa,
						   .flags = sync ? CST_EL_F_SYNC | CST_EL_F_ISA : CST_EL_F_ISA });
			if (s.flow.it != rows[i].it || s.n != (sync && rows[i].conflict))
				fail_msg("row %u, %u: %u instructions in the IT block, %zu elements", i, sync, s.flow.it, s.n);
			assert_int_equal(s.stats.image_conflicts, s.n);
			assert_int_equal(s.flow.addr, rows[i].addr);
			assert_int_equal(s.flow.isa, rows[i].isa);
			assert_int_equal(s.flow.need_addr, 0);
			end();
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_data),
		cmocka_unit_test(test_places_at_breaks),
		cmocka_unit_test(test_unknown_address),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_same_context),
		cmocka_unit_test(test_isa_of_context),
		cmocka_unit_test(test_address_before_context),
		cmocka_unit_test(test_fields_of_context),
		cmocka_unit_test(test_return_address),
		cmocka_unit_test(test_ready_element),
		cmocka_unit_test(test_cycles_of_timestamp),
		cmocka_unit_test(test_isa_of_q),
		cmocka_unit_test(test_waypoint_update),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_byte_codes),
		cmocka_unit_test(test_same_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
