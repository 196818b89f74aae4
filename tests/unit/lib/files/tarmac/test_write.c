/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tarmac_write.c - records → lines of Tarmac text: there and back in both dialects, the exact lines, and what cannot
 * be written.
 *
 * test_tarmac_write fast-models|es FILE writes the records of a file to stdout (tests/cli/tarmac.sh).
 */
#include <cstrace/files/files.h>

#include "unit/lib/tarmac_lines.h"
#include "unit/lib/tarmac_same.h"

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text;

	if (!f)
		return NULL;
	text = malloc(1 << 24);
	*len = text ? fread(text, 1, 1 << 24, f) : 0;
	fclose(f);
	return text;
}

/* Every record of a file in both dialects; how many of them each cannot say. */
static void there_and_back(const char *path, uint64_t unsaid[2])
{
	const struct cst_tarmac_record *rec;
	struct cst_tarmac_reader *r;
	const char *why;
	size_t len;
	char *text = read_file(path, &len);
	int d;

	unsaid[0] = unsaid[1] = 0;
	if (!text) {
		print_message("no %s\n", path);
		skip();
	}
	assert_int_equal(cst_tarmac_reader_new(&r, NULL), 0);
	assert_int_equal(cst_tarmac_feed(r, text, len), 0);
	cst_tarmac_end(r);
	while (cst_tarmac_next(r, &rec) == 1) {
		if (rec->error)
			fail_msg("%s: line %llu: %s", path, (unsigned long long)rec->line, rec->reason);
		for (d = 0; d < 2; d++) {
			why = tarmac_there_and_back(rec, (enum cst_tarmac_dialect)d, &unsaid[d]);
			if (why)
				fail_msg("%s: line %llu: %s", path, (unsigned long long)rec->line, why);
		}
	}
	cst_tarmac_reader_free(r);
	free(text);
}

static void test_files(void **state)
{
	uint64_t unsaid[2];

	(void)state;
	there_and_back("tests/data/tarmac/specification.tarmac", unsaid);
	assert_int_equal(unsaid[0] + unsaid[1], 0);
	there_and_back("tests/data/tarmac/fast-models.tarmac", unsaid);
	assert_int_equal(unsaid[0] + unsaid[1], 0);
	there_and_back("tests/data/tarmac/es.tarmac", unsaid);
	assert_int_equal(unsaid[1], 0);
	assert_true(unsaid[0] > 10);
	there_and_back("tests/data/tarmac/brackets.tarmac", unsaid);
	assert_int_equal(unsaid[1], 0);
	assert_int_equal(unsaid[0], 2);		/* no index */
	there_and_back("tests/data/tarmac/cortex-m.tarmac", unsaid);
	assert_int_equal(unsaid[1], 0);
	assert_int_equal(unsaid[0], 2);		/* no mode */
}

static void test_real_file(void **state)
{
	const char *shared = getenv("CSTRACE_SHARED");
	char path[4096];
	uint64_t unsaid[2];

	(void)state;
	snprintf(path, sizeof(path), "%s/corpus/snapshots/002-ack_test_scr/test_TARMAC", shared ? shared : "../shared");
	there_and_back(path, unsaid);
	assert_int_equal(unsaid[0] + unsaid[1], 0);
}

/* A line, and what is written of it in both dialects; NULL: it cannot be said. */
static const struct { const char *line, *fast_models, *es; } exact[] = {
	{ "7 clk cpu0 IT (12) 9000:a000_NS d503201f O EL1h_n : NOP",
	  "7 clk cpu0 IT (12) 00009000:00000000a000_NS d503201f O EL1h_ns : NOP",
	  "          7 clk cpu0 ES  (0000000000009000:d503201f) O el1h_ns:          NOP" },
	{ "7 clk IS (12) ffff0000 0b00 T svc : LSRSEQ r0,r0,#12",
	  "7 clk IS (12) ffff0000 0b00 T svc : LSRSEQ r0,r0,#12",
	  "          7 clk ES  (ffff0000:0b00) T svc:   CCFAIL LSRSEQ r0,r0,#12" },
	{ "7 tic ES (8000:--------) O el0t_ns:", NULL, "          7 tic ES  (0000000000008000:--------) O el0t_ns:" },
	{ "7 clk IT (1) ffff000080001000 e1a00000 A thread_s : NOP",
	  "7 clk IT (1) ffff000080001000 e1a00000 A thread_s : NOP",
	  "          7 clk ES  (ffff000080001000:e1a00000) A thrd_s:          NOP" },
	{ "7 clk FD (1) 8000 9000:9000 T", "7 clk FD (1) 00008000 00009000:000000009000 T",
	  "          7 clk FD (1) 00008000 00009000:000000009000 T" },
	{ "BR (80) A", NULL, "                    BR (00000080) A" },
	{ "BR (80) O", NULL, "                    BR (0000000000000080) O" },
	{ "7 ns R Q0 01234567  89abcdef", "7 ns R Q0 01234567_89abcdef", "          7 ns  R Q0 01234567 89abcdef" },
	{ "7 ns R r13 20001fff (MSP)", "7 ns R r13 20001fff", "          7 ns  R r13 20001fff (MSP)" },
	{ "7 ns R X0 11111111 2222222: x", "7 ns R X0 11111111", "          7 ns  R X0 11111111 2222222: x" },
	{ "7 ns R R1 (USR) 20001fff", NULL, "          7 ns  R R1 (USR) 20001fff" },
	{ "7 ns R V0<63:0> 20001fff", NULL, "          7 ns  R V0<63:0> 20001fff" },
	{ "7 ns R X0 --------", NULL, "          7 ns  R X0 --------" },
	{ "7 ns R DC CIVAC 00000000:00000010", "7 ns R DC CIVAC 00000000:00000010", "          7 ns  R DC CIVAC 00000000:00000010" },
	{ "7 ps MR8 8000:9000 1", "7 ps MR8 00008000:000000009000 00000000_00000001",
	  "          7 ps  LD 00008000 ........ ........ 00000000 00000001    S:0000009000" },
	{ "7 ps MW4 800c:900c_NS 11223344", "7 ps MW4 0000800c:00000000900c_NS 11223344",
	  "          7 ps  ST 00008000 11223344 ........ ........ ........    NS:0000009000" },
	{ "7 ps MW4 800e 11223344", "7 ps MW4 0000800e 11223344", "          7 ps  MW4 0000800e 11223344" },
	{ "7 ps MW4X 8000 11223344", "7 ps MW4X 00008000 11223344", "          7 ps  MW4X 00008000 11223344" },
	{ "7 cyc MNW4___D 2002fa00 efbeadde", "7 cyc MW4 2002fa00 deadbeef", "          7 cyc MW4 2002fa00 deadbeef" },
	{ "7 ps LD 8000 ........ ........ ..112233 ........ 9000 NM ISH", "7 ps MR3 00008004:000000009004 112233",
	  "          7 ps  LD 00008000 ........ ........ ..112233 ........    0000009000    NM ISH" },
	{ "7 ps LD 8000 ........ ........ 11..2233 ........", NULL, "          7 ps  LD 00008000 ........ ........ 11..2233 ........" },
	{ "7 ps LD 8008 11111111 22222222 33333333 ..##4444", NULL, "          7 ps  LD 00008008 11111111 22222222 33333333 ..##4444" },
	{ "7 ps ST 8000 ........ ........ ........ ......## RT:0", NULL, "          7 ps  ST 00008000 ........ ........ ........ ......##    RT:0000000000" },
	{ "7 clk MR4 8000 (ABORTED)", "7 clk MR4 00008000 (ABORTED)", "          7 clk MR4 00008000 (ABORTED)" },
	{ "7 clk MU8_SMAX 8000 5", "7 clk MU8_SMAX 00008000 00000000_00000005", "          7 clk MU8_SMAX 00008000 00000000_00000005" },
	{ "7 clk BW2DXPN I_R_B_ OWR___ 1 8000 0102", "7 clk BW2DXPN I_R_B_ OWR___ 1 000000008000 0102",
	  "          7 clk BW2DXPN I_R_B_ OWR___ 1 000000008000 0102" },
	{ "7 clk E 8000 EL2h 19 CoreEvent_ModeChange", "7 clk E 00008000 EL2h 00000019 CoreEvent_ModeChange",
	  "          7 clk E 00008000 el2h 00000019 CoreEvent_ModeChange" },
	{ "7 clk E 8000 11 3 CoreEvent_SWI", "7 clk E 00008000 00000011 00000003 CoreEvent_SWI",
	  "          7 clk E 00008000 00000011 00000003 CoreEvent_SWI" },
	{ "7 clk E DebugEvent_Halt 0 1", "7 clk E DebugEvent_Halt 0 1", "          7 clk E DebugEvent_Halt 0 1" },
	{ "7 ns ES EXC [512] Synchronous Current EL", NULL, "          7 ns  ES  EXC [0x512] Synchronous Current EL" },
	{ "EXC [0x80] IRQ", NULL, "                    EXC [0x80] IRQ" },
	{ "7 clk c TTW ITLB LPAE 1:3 10 4c3 : BLOCK A=1", "7 clk c TTW ITLB LPAE 1:3 000000000010 00000000000004c3 : BLOCK A=1",
	  "          7 clk c TTW ITLB LPAE 1:3 000000000010 00000000000004c3 : BLOCK A=1" },
	{ "12345678901 clk c CACHE l1 LINE 3 INVAL 0x40_NS", "12345678901 clk c CACHE l1 LINE 0003 INVAL 0x000000000040_NS",
	  "12345678901 clk c CACHE l1 LINE 0003 INVAL 0x000000000040_NS" },
	{ "7 R r0 1", "7 R r0 1", "          7 R r0 1" },
	{ "7 clk cpu0 SIGNAL: A=1", "7 clk cpu0 SIGNAL: A=1", "          7 clk cpu0 SIGNAL: A=1" },
	{ "  a message", "a message", "a message" },
	{ "cpu0 R r0 1", "7 clk cpu0 R r0 1", "                    cpu0 R r0 1" },
	{ "Tarmac Text Rev 3t", "Tarmac Text Rev 3t", "Tarmac Text Rev 3t" },
};

static void test_lines(void **state)
{
	const struct cst_tarmac_record *rec;
	char line[256];
	size_t i;
	int d;

	(void)state;
	for (i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		read_line("7 clk before");
		rec = read_line(exact[i].line);
		assert_int_equal(rec->error, 0);
		for (d = 0; d < 2; d++) {
			const char *want = d ? exact[i].es : exact[i].fast_models;
			int64_t n = cst_tarmac_write(rec, (enum cst_tarmac_dialect)d, line, sizeof(line));

			if (!want && n != -CST_ERR_UNSUP)
				fail_msg("%s: written as %.*s", exact[i].line, (int)n, line);
			if (want && (n < 0 || (size_t)n != strlen(want) + 1 || memcmp(line, want, (size_t)n - 1) || line[n - 1] != '\n'))
				fail_msg("%s: written as %.*s(%d)", exact[i].line, n > 0 ? (int)n : 0, line, (int)n);
		}
	}
}

/* A buffer that is too small gets nothing behind its end, and the length is the whole one. */
static void test_room(void **state)
{
	const struct cst_tarmac_record *rec = read_line("7 clk cpu0 IT (12) 00009000 d503201f O EL1h_ns : NOP");
	char out[64], whole[64];
	int64_t n = cst_tarmac_write(rec, CST_TARMAC_FAST_MODELS, whole, sizeof(whole)), i;

	(void)state;
	assert_int_equal(n, 53);
	for (i = 0; i <= n; i++) {
		memset(out, '?', sizeof(out));
		assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_FAST_MODELS, out, (size_t)i), n);
		assert_memory_equal(out, whole, (size_t)i);
		assert_int_equal(out[i], '?');
	}
	assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_RTL, out, sizeof(out)), -CST_ERR_UNSUP);
}

/* A record of a line, to be changed. */
static struct cst_tarmac_record copy(const char *line)
{
	const struct cst_tarmac_record *rec = read_line(line);

	assert_int_equal(rec->error, 0);
	return *rec;
}

static void refused(const struct cst_tarmac_record *rec, int fast_models, int es)
{
	assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_FAST_MODELS, NULL, 0), fast_models);
	assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_ES, NULL, 0), es);
}

#define STR(text) ((struct cst_str){ text, sizeof(text) - 1 })
#define INVAL (-CST_ERR_INVAL)
#define UNSUP (-CST_ERR_UNSUP)

#define REFUSED(line, change, fast_models, es) do {			\
	struct cst_tarmac_record rec = copy(line);			\
	rec.change;							\
	refused(&rec, fast_models, es);					\
} while (0)

static void test_no_record(void **state)
{
	static const char insn[] = "7 clk cpu0 IT (12) 00009000:000000009000 d503201f O EL1h_ns : NOP";
	static const char reg[] = "7 clk R X0 11111111 22222222 x", memory[] = "7 clk MR4 8000:8000 11223344";
	static const char bus[] = "7 clk BW2DXPN I_R_B_ OWR___ 1 8000 0102", flow[] = "7 clk FD (1) 8000 9000 T";
	static const char tlb[] = "7 clk TLB EVICT t 4K 0x0 EL1_n", walk[] = "7 clk TTW i LPAE 1:1 0 0 : FAULT";
	static const char cache[] = "7 clk CACHE l1 LINE 0 ALLOC 0x0", event[] = "7 clk E 8000 EL1h 19 X";
	static const char maintenance[] = "7 clk CACHE MAINTENANCE Data cache Clean All 00000000";

	(void)state;
	REFUSED(insn, kind = CST_TARMAC_KINDS, INVAL, INVAL);
	REFUSED(insn, unit = CST_TARMAC_UNITS, INVAL, INVAL);
	REFUSED(insn, cpu = STR("cpu 0"), INVAL, INVAL);
	REFUSED(insn, cpu = STR("cpu:0"), INVAL, INVAL);
	REFUSED(insn, cpu = STR("R"), INVAL, INVAL);
	REFUSED("7 cpu0 R X0 0", cpu = STR("clk"), INVAL, INVAL);
	REFUSED(insn, u.insn.size = 3, INVAL, INVAL);
	REFUSED(insn, u.insn.size = 2, INVAL, INVAL);
	REFUSED(insn, u.insn.isa = CST_ISA_JAZELLE, INVAL, INVAL);
	REFUSED(insn, u.insn.outcome = 3, INVAL, INVAL);
	REFUSED(insn, u.insn.disassembly = STR("a\nb"), INVAL, INVAL);
	REFUSED(insn, u.insn.disassembly = STR(" a"), INVAL, INVAL);
	REFUSED(insn, u.insn.disassembly = STR("a\r"), INVAL, INVAL);
	REFUSED(insn, u.insn.mode.kind = CST_TARMAC_MODE_OTHER + 1, INVAL, INVAL);
	REFUSED(insn, u.insn.mode.kind = CST_TARMAC_MODE_OTHER, INVAL, INVAL);
	REFUSED(insn, u.insn.mode.el = 4, INVAL, INVAL);
	REFUSED(insn, u.insn.mode.stack = 'x', INVAL, INVAL);
	REFUSED(insn, u.insn.mode.security = 4, INVAL, INVAL);
	REFUSED(flow, u.flow.type = 4, INVAL, INVAL);
	REFUSED(flow, u.flow.isa = CST_ISA_UNKNOWN, INVAL, INVAL);
	REFUSED(flow, u.flow.target.space = 6, INVAL, INVAL);
	REFUSED(flow, u.flow.from.space = CST_TARMAC_ROOT, UNSUP, UNSUP);
	REFUSED(reg, u.reg.name = STR(""), INVAL, INVAL);
	REFUSED(reg, u.reg.name = STR("X 0"), INVAL, INVAL);
	REFUSED(reg, u.reg.digits = STR(""), INVAL, INVAL);
	REFUSED(reg, u.reg.digits = STR("x"), INVAL, INVAL);
	REFUSED(reg, u.reg.digits = STR("12:"), INVAL, INVAL);
	REFUSED(reg, u.reg.digits = STR("12 345"), INVAL, INVAL);
	REFUSED(reg, u.reg.digits = STR("123 456"), INVAL, INVAL);
	REFUSED(reg, u.reg.note = STR("33333333 x"), INVAL, INVAL);
	REFUSED(reg, u.reg.note = STR("a\nb"), INVAL, INVAL);
	REFUSED(reg, u.reg.bank = STR("ADD"), INVAL, INVAL);
	REFUSED(reg, u.reg.bank = STR("A B"), INVAL, INVAL);
	REFUSED(reg, u.reg.has_parentheses = 1, INVAL, INVAL);
	REFUSED("R V0<7:0> 0", u.reg.low = 8, INVAL, INVAL);
	REFUSED(memory, u.memory.size = 65, INVAL, INVAL);
	REFUSED(memory, u.memory.used = 0x1f, INVAL, INVAL);
	REFUSED(memory, u.memory.unknown = 0x10, INVAL, INVAL);
	REFUSED(memory, u.memory.address.space = 6, INVAL, INVAL);
	REFUSED(memory, u.memory.attributes = STR(" a"), INVAL, INVAL);
	REFUSED("7 clk MU4_ADD 8000 0", u.memory.operation = STR(""), INVAL, INVAL);
	REFUSED("7 clk MU4_ADD 8000 0", u.memory.used = 7, UNSUP, UNSUP);
	REFUSED("7 clk MU4_ADD 8000 0", u.memory.address.space = CST_TARMAC_REALM, UNSUP, UNSUP);
	REFUSED("7 clk MR4 8000 (ABORTED)", u.memory.address.space = CST_TARMAC_ROOT, UNSUP, UNSUP);
	REFUSED(bus, u.bus.size = 0, INVAL, INVAL);
	REFUSED(bus, u.bus.size = 65, INVAL, INVAL);
	REFUSED(bus, u.bus.master = STR(""), INVAL, INVAL);
	REFUSED(bus, u.bus.inner = 32, INVAL, INVAL);
	REFUSED(bus, u.bus.access = CST_TARMAC_ABORTED, INVAL, INVAL);
	REFUSED(event, u.event.name = STR("a\n"), INVAL, INVAL);
	REFUSED(event, u.event.name = STR(""), UNSUP, UNSUP);
	REFUSED(event, u.event.has_number = 0, UNSUP, UNSUP);
	REFUSED(event, u.event.value.space = CST_TARMAC_REALM, UNSUP, UNSUP);
	REFUSED(event, u.event.mode.kind = CST_TARMAC_MODE_OTHER, INVAL, INVAL);
	REFUSED("7 clk E Halt now", u.event.name = STR("ABBA"), UNSUP, UNSUP);
	REFUSED("7 clk E Halt now", u.event.has_number = 1, UNSUP, UNSUP);
	REFUSED("EXC", u.event.name = STR("[1] x"), UNSUP, UNSUP);
	REFUSED("EXC", u.event.has_value1 = 1, UNSUP, UNSUP);
	REFUSED(maintenance, u.maintenance.side = STR(""), INVAL, INVAL);
	REFUSED(maintenance, u.maintenance.data.space = CST_TARMAC_ROOT, UNSUP, UNSUP);
	REFUSED(cache, u.cache.id = STR("MAINTENANCE"), INVAL, INVAL);
	REFUSED(cache, u.cache.operation = STR("A B"), INVAL, INVAL);
	REFUSED(walk, u.walk.result = STR(""), INVAL, INVAL);
	REFUSED(walk, u.walk.attributes = STR("\n"), INVAL, INVAL);
	REFUSED(tlb, u.tlb.id = STR(""), INVAL, INVAL);
	REFUSED(tlb, u.tlb.regime = STR("a,b"), INVAL, INVAL);
	REFUSED(tlb, u.tlb.type = STR("\n"), INVAL, INVAL);
	REFUSED("a message", text = STR("# comment"), INVAL, INVAL);
	REFUSED("a message", text = STR("// comment"), INVAL, INVAL);
	REFUSED("a message", text = STR(""), INVAL, INVAL);
	REFUSED("a message", text = STR("two\nlines"), INVAL, INVAL);
	REFUSED("Tarmac Text Rev 1", text = STR("Armac"), INVAL, INVAL);
	REFUSED("7 clk cpu0 word", cpu = STR("core0"), INVAL, INVAL);
}

/* What Fast Models demand and ES does not. */
static void test_strict(void **state)
{
	static const char insn[] = "7 clk cpu0 IT (12) 00009000:000000009000 d503201f O EL1h_ns : NOP";
	struct cst_tarmac_record rec = copy(insn);

	(void)state;
	rec.u.insn.has_index = 0;
	assert_int_equal(cst_tarmac_write(&rec, CST_TARMAC_FAST_MODELS, NULL, 0), UNSUP);
	assert_true(cst_tarmac_write(&rec, CST_TARMAC_ES, NULL, 0) > 0);
	rec = copy(insn);
	rec.u.insn.mode.kind = CST_TARMAC_NO_MODE;
	assert_int_equal(cst_tarmac_write(&rec, CST_TARMAC_FAST_MODELS, NULL, 0), UNSUP);
	assert_true(cst_tarmac_write(&rec, CST_TARMAC_ES, NULL, 0) > 0);
	rec = copy(insn);
	rec.u.insn.address.space = CST_TARMAC_ROOT;
	assert_int_equal(cst_tarmac_write(&rec, CST_TARMAC_FAST_MODELS, NULL, 0), UNSUP);
	rec.u.insn.address.space = CST_TARMAC_NO_PHYSICAL;
	rec.u.insn.has_physical2 = 1;
	assert_int_equal(cst_tarmac_write(&rec, CST_TARMAC_FAST_MODELS, NULL, 0), INVAL);
	/* the word would be read as a condition that failed */
	rec = copy(insn);
	rec.u.insn.disassembly = STR("CCFAIL x");
	assert_true(cst_tarmac_write(&rec, CST_TARMAC_FAST_MODELS, NULL, 0) > 0);
	assert_int_equal(cst_tarmac_write(&rec, CST_TARMAC_ES, NULL, 0), UNSUP);
	rec.u.insn.disassembly = STR("CCFAIL");
	assert_int_equal(cst_tarmac_write(&rec, CST_TARMAC_ES, NULL, 0), UNSUP);
	rec.u.insn.disassembly = STR("CCFAILED");
	assert_true(cst_tarmac_write(&rec, CST_TARMAC_ES, NULL, 0) > 0);
	/* a processor that is recognized with a time only gets one */
	rec = copy("R r0 1");
	rec.cpu = STR("core");
	rec.unit = CST_TARMAC_NS;
	{
		char line[64];
		int64_t n = cst_tarmac_write(&rec, CST_TARMAC_ES, line, sizeof(line));

		assert_true(n > 0);
		assert_memory_equal(line, "          7 ns  core R r0 1\n", (size_t)n);
	}
}

static int convert(const char *dialect, const char *path)
{
	const enum cst_tarmac_dialect d = strcmp(dialect, "es") ? CST_TARMAC_FAST_MODELS : CST_TARMAC_ES;
	const struct cst_tarmac_record *rec;
	struct cst_tarmac_reader *r;
	static char line[1 << 17];
	size_t len;
	char *text = read_file(path, &len);
	int64_t n;

	if (!text || cst_tarmac_reader_new(&r, NULL))
		return 1;
	cst_tarmac_feed(r, text, len);
	cst_tarmac_end(r);
	while (cst_tarmac_next(r, &rec) == 1) {
		n = cst_tarmac_write(rec, d, line, sizeof(line));
		if (n > 0)
			fwrite(line, 1, (size_t)n, stdout);
		else if (n != -CST_ERR_UNSUP)
			return 1;
	}
	cst_tarmac_reader_free(r);
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_real_file),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_no_record),
		cmocka_unit_test(test_strict),
	};

	if (argc == 3)
		return convert(argv[1], argv[2]);
	return cmocka_run_group_tests(tests, lines_begin, lines_end);
}
