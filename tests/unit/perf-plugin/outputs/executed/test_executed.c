/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executed instructions as Tarmac text, of elements made by hand: context IDs, transfers of data
 * trace, results of conditional instructions, events, gaps, times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "outputs/disasm/disasm.h"
#include "outputs/executed/executed.h"
#include "session/decode/decode.h"
#include "unit/temp_dir.h"

/* What the session reads and delivers is the test's choice. */
int __wrap_session_run(struct session *ss, const struct consumer *consumer);
size_t __wrap_session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len);
bool __wrap_session_decoded(const struct session *ss);

#define CODE 0x8000u
static uint8_t code[2048];
static size_t code_len;

size_t __wrap_session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	size_t at = (size_t)(addr - CODE);

	(void)s;
	if (addr < CODE || at >= code_len)
		return 0;
	if (len > code_len - at)
		len = code_len - at;
	memcpy(buf, code + at, len);
	return len;
}

bool __wrap_session_decoded(const struct session *ss)
{
	(void)ss;
	return true;
}

#define SESSION ((struct session *)(void *)&stream)
static struct stream stream;
static const struct cst_generic *elements;
static size_t n_elements;
static int run_result;

int __wrap_session_run(struct session *ss, const struct consumer *con)
{
	void *priv = NULL;
	int rc = 0;

	assert_ptr_equal(ss, SESSION);
	assert_true(con->wants.times);
	stream.priv = &priv;
	if (n_elements)
		rc = con->batch(con->data, &stream, elements, n_elements);
	con->stream_end(con->data, &stream);
	assert_null(priv);
	return run_result ? run_result : rc;
}

static char text[1 << 20], messages[4096];

TEMP_DIR("executed")

static void read_all(FILE *f, char *to, size_t size)
{
	rewind(f);
	to[fread(to, 1, size - 1, f)] = 0;
	fclose(f);
}

/* Writes dir/`name`, whose contents are in text[] ("": there is no file); stderr is in messages[]. */
static int run(const char *name, const struct executed_opts *opts, struct executed_result *result)
{
	struct executed_opts o = *opts;
	FILE *err = tmpfile(), *f;
	int rc, saved = dup(STDERR_FILENO);
	char path[256];

	assert_non_null(err);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	remove(path);
	o.output = path;
	o.who = "test";
	fflush(stderr);
	dup2(fileno(err), STDERR_FILENO);
	rc = executed_dump(SESSION, &o, result);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	read_all(err, messages, sizeof(messages));
	text[0] = 0;
	f = fopen(path, "r");
	if (f)
		read_all(f, text, sizeof(text));
	return rc;
}

/* `want`: all that is written of these elements, without a message. */
static void writes(enum cst_tarmac_dialect dialect, const struct cst_generic *g, size_t n, const char *want)
{
	const struct executed_opts o = { .dialect = dialect, .only_id = -1 };
	struct executed_result result;

	elements = g;
	n_elements = n;
	assert_int_equal(run("out", &o, &result), 0);
	if (strcmp(text, want))
		fail_msg("written:\n%sexpected:\n%s", text, want);
	assert_string_equal(messages, "");
	assert_false(result.refused);
}

#define WRITES(dialect, g, want) writes(dialect, g, sizeof(g) / sizeof((g)[0]), want)
#define FAST CST_TARMAC_FAST_MODELS

static void put_code(const uint32_t *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		memcpy(code + 4 * i, &words[i], 4);
	code_len = 4 * n;
}

#define RANGE(isa_, first, n) .kind = CST_GEN_RANGE, .isa = isa_, .addr = CODE + 4 * (first), .end = CODE + 4 * ((first) + (n)), .n_insn = n

static struct cst_config config;

static int start(void **state)
{
	static const uint32_t nops[] = { 0xe320f000, 0xe320f000, 0x03a00001, 0xe320f000, 0xe320f000, 0xe320f000 };

	(void)state;
	config = (struct cst_config){ .protocol = CST_PROTO_ETMV4 };
	stream = (struct stream){ .cpu = 1, .pid = -1, .tid = -1, .trace_id = 0x10, .config = &config };
	run_result = 0;
	put_code(nops, 6);
	return 0;
}

static void test_context(void **state)
{
	static const struct cst_generic g[] = {
		{ RANGE(CST_ISA_A32, 0, 1), .flags = CST_GF_EL | CST_GF_CID, .context_id = 0x2a, .el = 1 },
		{ RANGE(CST_ISA_A32, 1, 1), .flags = CST_GF_EL | CST_GF_CID, .context_id = 0x2a, .el = 0, .security = CST_SEC_NONSECURE },
		{ RANGE(CST_ISA_A32, 3, 1), .flags = CST_GF_EL, .context_id = 0x2b, .el = 2, .security = CST_SEC_NONSECURE },
		{ RANGE(CST_ISA_A32, 4, 1), .flags = CST_GF_EL | CST_GF_CID, .context_id = 0x2c, .el = 3 },
	};

	(void)state;
	WRITES(FAST, g, "0 clk cpu1 R CONTEXTIDR_EL1 0000002a\n"
	       "1 clk cpu1 IT (1) 00008000 e320f000 A svc_s :\n"
	       "2 clk cpu1 IT (2) 00008004 e320f000 A usr_ns :\n"
	       "3 clk cpu1 IT (3) 0000800c e320f000 A hyp_ns :\n"
	       "3 clk cpu1 R CONTEXTIDR_EL1 0000002c\n"
	       "4 clk cpu1 IT (4) 00008010 e320f000 A svc_s :\n");
}

static void test_transfers(void **state)
{
	/* ldr r0, [r1]; str r0, [r1]; nop; T32: ldr.w r0, [r1]; str r0, [r1] and nop */
	static const uint32_t words[] = { 0xe5910000, 0xe5810000, 0xe320f000, 0x0000f8d1, 0xbf006008 };
#define DATA(isa_, place) .kind = CST_GEN_DATA, .isa = isa_, .addr = 0x20000010, .value = 0x1122334455667788, .insn = CODE + (place)
#define KNOWN (CST_DATA_ADDR | CST_DATA_VALUE | CST_DATA_INSN)
	static const struct cst_generic g[] = {
		{ DATA(CST_ISA_A32, 0), .num = KNOWN, .size = 4 },
		{ DATA(CST_ISA_A32, 4), .num = KNOWN, .size = 2 },
		{ DATA(CST_ISA_T32, 12), .num = KNOWN, .size = 8 },
		{ DATA(CST_ISA_T32, 16), .num = KNOWN, .size = 1 },
		/* neither a load nor a store; no code; not known; failed; no size; too large */
		{ DATA(CST_ISA_A32, 8), .num = KNOWN, .size = 4 },
		{ DATA(CST_ISA_A32, 100), .num = KNOWN, .size = 4 },
		{ DATA(CST_ISA_A32, 0), .num = KNOWN & ~CST_DATA_INSN, .size = 4 },
		{ DATA(CST_ISA_A32, 0), .num = KNOWN & ~CST_DATA_VALUE, .size = 4 },
		{ DATA(CST_ISA_A32, 0), .num = KNOWN & ~CST_DATA_ADDR, .size = 4 },
		{ DATA(CST_ISA_A32, 4), .num = KNOWN | CST_DATA_STORE_FAILED, .size = 4 },
		{ DATA(CST_ISA_A32, 0), .num = KNOWN, .size = 0 },
		{ DATA(CST_ISA_A32, 0), .num = KNOWN, .size = 9 },
	};

	(void)state;
	put_code(words, 5);
	WRITES(FAST, g, "0 clk cpu1 MR4 20000010 55667788\n"
	       "0 clk cpu1 MW2 20000010 7788\n"
	       "0 clk cpu1 MR8 20000010 11223344_55667788\n"
	       "0 clk cpu1 MW1 20000010 88\n");
}

/* Sixty-four instructions wait for their results; what is written before takes none. */
static void test_many_results(void **state)
{
	static const struct cst_generic g[] = {
		{ RANGE(CST_ISA_A32, 0, 70), .flags = CST_GF_EL },
		{ .kind = CST_GEN_COND, .num = CST_COND_FAILED | CST_COND_INSN, .addr = CODE + 4 * 5 },
		{ .kind = CST_GEN_COND, .num = CST_COND_FAILED | CST_COND_INSN, .addr = CODE + 4 * 6 },
		{ .kind = CST_GEN_COND, .num = CST_COND_FAILED | CST_COND_INSN, .addr = CODE + 4 * 69 },
	};
	uint32_t words[70];
	char want[8192];
	size_t i, n = 0;

	(void)state;
	config.cond_trace = 1;
	for (i = 0; i < 70; i++) {
		words[i] = 0x03a00000 | (uint32_t)i;
		n += (size_t)snprintf(want + n, sizeof(want) - n, "%zu clk cpu1 I%c (%zu) %08zx %08x A usr_s :\n", i + 1,
				      i == 6 || i == 69 ? 'S' : 'T', i + 1, CODE + 4 * i, words[i]);
	}
	put_code(words, 70);
	WRITES(FAST, g, want);
}

static void test_cycles(void **state)
{
	static const struct cst_generic g[] = {
		{ .kind = CST_GEN_CYCLE_COUNT, .flags = CST_GF_CC, .cc = 10 },
		{ RANGE(CST_ISA_A32, 0, 1), .flags = CST_GF_EL | CST_GF_CC, .cc = 5 },
		{ .kind = CST_GEN_CYCLE_COUNT, .cc = 99 },
		{ RANGE(CST_ISA_A32, 1, 1), .flags = CST_GF_EL, .cc = 77 },
	};

	(void)state;
	config.cycle_count = 1;
	WRITES(FAST, g, "15 clk cpu1 IT (1) 00008000 e320f000 A usr_s :\n15 clk cpu1 IT (2) 00008004 e320f000 A usr_s :\n");
}

static void test_times(void **state)
{
	static const struct cst_generic g[] = { { RANGE(CST_ISA_A32, 0, 2), .flags = CST_GF_EL }, { RANGE(CST_ISA_A32, 3, 2), .flags = CST_GF_EL } };
	unsigned int i;

	(void)state;
	stream.time_known = true;
	stream.time = 1000;
	stream.time_end = 1100;
	stream.n_insn = 4;
	WRITES(FAST, g, "1000 ns cpu1 IT (1) 00008000 e320f000 A usr_s :\n1025 ns cpu1 IT (2) 00008004 e320f000 A usr_s :\n"
	       "1050 ns cpu1 IT (3) 0000800c e320f000 A usr_s :\n1075 ns cpu1 IT (4) 00008010 e320f000 A usr_s :\n");
	/* an end that is not later, or not known: all at one time */
	for (i = 0; i < 2; i++) {
		stream.time_end = i ? 0 : 1000;
		WRITES(FAST, g, "1000 ns cpu1 IT (1) 00008000 e320f000 A usr_s :\n1000 ns cpu1 IT (2) 00008004 e320f000 A usr_s :\n"
		       "1000 ns cpu1 IT (3) 0000800c e320f000 A usr_s :\n1000 ns cpu1 IT (4) 00008010 e320f000 A usr_s :\n");
	}
}

static void test_unknown_mode(void **state)
{
	static const struct cst_generic g[] = {
		{ RANGE(CST_ISA_A32, 0, 1), .el = 1 }, { RANGE(CST_ISA_A32, 1, 1), .flags = CST_GF_EL, .el = 4 },
	};

	(void)state;
	WRITES(FAST, g, "1 clk cpu1 IT (1) 00008000 e320f000 A unknown :\n2 clk cpu1 IT (2) 00008004 e320f000 A unknown :\n");
}

/* What interrupts the instructions. */
static void test_gaps(void **state)
{
	static const struct cst_generic g[] = {
		{ .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_OVERFLOW }, { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_DISCARD },
		{ .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_INIT }, { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_RESET },
		{ .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_END }, { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_PACKET },
		{ .kind = CST_GEN_TRACE_ON, .num = CST_ON_OVERFLOW }, { .kind = CST_GEN_TRACE_ON, .num = CST_ON_DEBUG },
		{ .kind = CST_GEN_TRACE_ON }, { .kind = CST_GEN_NACC }, { .kind = CST_GEN_ADDR_UNKNOWN },
		{ .kind = CST_GEN_NOPATH, .n_insn = 12 }, { .kind = CST_GEN_TIMESTAMP }, { RANGE(CST_ISA_A32, 0, 1), .flags = CST_GF_EL },
		{ RANGE(CST_ISA_A32, 5, 2), .flags = CST_GF_EL },
	};
	/* the vector of an exception is not behind a gap */
	static const struct cst_generic before[] = {
		{ .kind = CST_GEN_EXCEPTION, .num = 14 }, { .kind = CST_GEN_TRACE_ON }, { RANGE(CST_ISA_A32, 0, 1), .flags = CST_GF_EL },
	};

	(void)state;
	WRITES(FAST, before, "# cpu1: exception 14\n# cpu1: trace on\n1 clk cpu1 IT (1) 00008000 e320f000 A usr_s :\n");
	WRITES(FAST, g, "# cpu1: overflow of the trace unit\n# cpu1: discarded trace\n# cpu1: trace begins\n# cpu1: trace begins\n"
	       "# cpu1: trace begins\n# cpu1: bad trace\n# cpu1: overflow of the trace unit\n# cpu1: debug state\n# cpu1: trace on\n"
	       "# cpu1: no code at this address\n# cpu1: address not traced\n# cpu1: 12 instructions whose addresses are not traced\n"
	       "13 clk cpu1 IT (13) 00008000 e320f000 A usr_s :\n14 clk cpu1 IT (14) 00008014 e320f000 A usr_s :\n"
	       "# cpu1: code that cannot be read any more\n");
}

/* Which numbers of exceptions are events, by protocol and profile. */
static void test_event_numbers(void **state)
{
#define ABORTS [11] = "00000004 CoreEvent_PrefetchAbort", [12] = "00000005 CoreEvent_DataAbort"
#define INTERRUPTS [14] = "00000007 CoreEvent_IRQ", [15] = "00000008 CoreEvent_FIQ"
	static const char *const v4[18] = {
		[0] = "00000001 CoreEvent_Reset", [2] = "00000003 CoreEvent_SWI", [3] = "00000002 CoreEvent_UndefinedInstr",
		[4] = "0000000e CoreEvent_ImpDataAbort", [6] = "00000004 CoreEvent_PrefetchAbort", [7] = "00000005 CoreEvent_DataAbort",
		[10] = "00000005 CoreEvent_DataAbort", ABORTS, INTERRUPTS,
	}, *const v7[18] = {
		[4] = "0000000e CoreEvent_ImpDataAbort", [8] = "00000001 CoreEvent_Reset", [9] = "00000002 CoreEvent_UndefinedInstr",
		[10] = "00000003 CoreEvent_SWI", ABORTS, INTERRUPTS,
	}, *const none[18] = { NULL };
	static const struct {
		enum cst_protocol protocol;
		enum cst_profile profile;
		const char *const *events;
	} row[] = {
		{ CST_PROTO_ETMV4, CST_PROFILE_A, v4 }, { CST_PROTO_ETMV4, CST_PROFILE_R, v4 }, { CST_PROTO_ETE, CST_PROFILE_A, v4 },
		{ CST_PROTO_ETMV3, CST_PROFILE_A, v7 }, { CST_PROTO_PTM, CST_PROFILE_A, v7 }, { CST_PROTO_ETMV4, CST_PROFILE_M, none },
		{ CST_PROTO_ETMV3, CST_PROFILE_M, none },
	};
	struct cst_generic g[2] = { { .kind = CST_GEN_EXCEPTION, .flags = CST_GF_RET_ADDR, .end = 0x9000 },
				    { RANGE(CST_ISA_A32, 1, 1), .flags = CST_GF_EL } };
	char want[256];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		config.protocol = row[i].protocol;
		config.profile = row[i].profile;
		for (k = 0; k < 18; k++) {
			g[0].num = k;
			if (row[i].events[k])
				snprintf(want, sizeof(want), "0 clk cpu1 E 00009000 %s\n", row[i].events[k]);
			else
				snprintf(want, sizeof(want), "# cpu1: exception %u, preferred return address 0x9000\n", k);
			strcat(want, config.profile == CST_PROFILE_M ? "1 clk cpu1 IT (1) 00008004 e320f000 A thread_s :\n" :
			       "1 clk cpu1 IT (1) 00008004 e320f000 A usr_s :\n");
			WRITES(FAST, g, want);
		}
	}
}

/*
 * AArch64: the number is that of the vector, which has to be one of the exception's type, and one of a lower level where
 * execution came from a lower one.
 */
static void test_vectors(void **state)
{
	static const char *const sources[] = { "CURRENT_SP0", "CURRENT_SPx", "LOWER_64", "LOWER_32" },
		*const types[] = { "SYNC", "IRQ", "FIQ", "SERROR" };
	static const struct {
		unsigned int num, type;
	} exceptions[] = { { 2, 0 }, { 3, 0 }, { 4, 3 }, { 7, 0 }, { 11, 0 }, { 14, 1 }, { 15, 2 } };
	struct cst_generic g[2] = { { .kind = CST_GEN_EXCEPTION, .end = 0x9000 }, { .kind = CST_GEN_RANGE } };
	unsigned int i, place, level;
	char want[256];
	bool fits;

	(void)state;
	code_len = sizeof(code);
	memset(code, 0, sizeof(code));
	for (i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		for (place = 0; place < 16; place++)
			/* from a lower level, from the same one, and those whose level is not known on one side */
			for (level = 0; level < 4; level++) {
				g[0].num = exceptions[i].num;
				g[0].el = level == 1;
				g[0].flags = CST_GF_RET_ADDR | (level == 2 ? 0 : CST_GF_EL);
				g[1] = (struct cst_generic){ RANGE(CST_ISA_A64, 32 * place, 1), .el = 1, .flags = level == 3 ? 0 : CST_GF_EL };
				fits = (place & 3) == exceptions[i].type && (level >= 2 || (level == 0) == (place >= 8));
				if (fits)
					snprintf(want, sizeof(want), "0 clk cpu1 E 00009000 000000%02x CoreEvent_%s_%s\n", 0x80 | place,
						 sources[place / 4], types[place & 3]);
				else
					snprintf(want, sizeof(want), "# cpu1: exception %u, preferred return address 0x9000\n", g[0].num);
				snprintf(want + strlen(want), sizeof(want) - strlen(want), "1 clk cpu1 IT (1) 0000%x 00000000 O %s :\n",
					 CODE + 128 * place, level == 3 ? "unknown" : "EL1h_s");
				WRITES(FAST, g, want);
			}
}

/* The other dialect has the offset of a vector, and words. */
static void test_events_es(void **state)
{
	static const struct cst_generic a32[] = {
		{ .kind = CST_GEN_EXCEPTION, .num = 14, .flags = CST_GF_RET_ADDR, .end = 0x8004 },
		{ RANGE(CST_ISA_A32, 1, 1), .flags = CST_GF_EL, .el = 1 },
	};
	static const struct cst_generic a64[] = {
		{ .kind = CST_GEN_EXCEPTION, .num = 14, .flags = CST_GF_EL, .el = 0 },
		{ RANGE(CST_ISA_A64, 0x120, 1), .flags = CST_GF_EL, .el = 1 },
		/* no vector of an IRQ of a lower level */
		{ .kind = CST_GEN_EXCEPTION, .num = 14, .flags = CST_GF_EL, .el = 0 },
		{ RANGE(CST_ISA_A64, 0x121, 1), .flags = CST_GF_EL, .el = 1 },
		{ .kind = CST_GEN_EXCEPTION, .num = 14, .flags = CST_GF_EL, .el = 1 },
		{ RANGE(CST_ISA_A64, 0x120, 1), .flags = CST_GF_EL, .el = 1 },
	};

	(void)state;
	WRITES(CST_TARMAC_ES, a32, "          0 clk cpu1 ES  EXC IRQ\n          1 clk cpu1 ES  (00008004:e320f000) A svc_s:\n");
	code_len = sizeof(code);
	WRITES(CST_TARMAC_ES, a64, "          0 clk cpu1 ES  EXC [0x480] LOWER_64_IRQ\n"
	       "          1 clk cpu1 ES  (0000000000008480:00000000) O el1h_s:\n# cpu1: exception 14\n"
	       "          2 clk cpu1 ES  (0000000000008484:00000000) O el1h_s:\n# cpu1: exception 14\n"
	       "          3 clk cpu1 ES  (0000000000008480:00000000) O el1h_s:\n");
}

/* What a dialect cannot express is left out and counted; an output that cannot be written is an error. */
static void test_ends(void **state)
{
	static const struct cst_generic g[] = { { RANGE(CST_ISA_A32, 0, 1), .flags = CST_GF_EL } };
	static const struct cst_generic no_letter[] = { { RANGE(CST_ISA_JAZELLE, 0, 2), .flags = CST_GF_EL } };
	struct executed_opts o = { .only_id = 0x11 };
	char want[256];
	struct executed_result result;

	(void)state;
	elements = g;
	n_elements = 1;
	assert_int_equal(run("out", &o, &result), 0);
	assert_string_equal(text, "");
	/* there is no trace of that ID */
	assert_false(result.has_id || result.refused);
	o.only_id = 0x10;
	assert_int_equal(run("out", &o, &result), 0);
	assert_string_equal(text, "1 clk cpu1 IT (1) 00008000 e320f000 A usr_s :\n");
	elements = no_letter;
	assert_int_equal(run("out", &o, &result), 0);
	assert_true(result.has_id && result.refused);
	assert_string_equal(text, "");
	assert_string_equal(messages, "test: 2 records cannot be written in this dialect and are left out; --format=tarmac and "
			    "--format=tarmac-es differ in what they can express\n");
	elements = g;
	run_result = ERR_REPORTED;
	assert_int_equal(run("out", &o, &result), ERR_REPORTED);
	assert_string_equal(text, "");
	assert_string_equal(messages, "");
	run_result = 0;
	assert_int_equal(run("no/out", &o, &result), ERR_REPORTED);
	snprintf(want, sizeof(want), "test: %s/no/out: cannot open it for writing: No such file or directory; choose another place with -o\n", dir);
	assert_string_equal(messages, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_context, start),
		cmocka_unit_test_setup(test_transfers, start),
		cmocka_unit_test_setup(test_event_numbers, start),
		cmocka_unit_test_setup(test_vectors, start),
		cmocka_unit_test_setup(test_many_results, start),
		cmocka_unit_test_setup(test_cycles, start),
		cmocka_unit_test_setup(test_times, start),
		cmocka_unit_test_setup(test_unknown_mode, start),
		cmocka_unit_test_setup(test_gaps, start),
		cmocka_unit_test_setup(test_events_es, start),
		cmocka_unit_test_setup(test_ends, start),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
