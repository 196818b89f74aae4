/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_cmd_inputs.c - what commands keep of the options for trace without a recording, how they choose among inputs that
 * exclude each other, and what they report when there is nothing to count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/cmd/count.h"
#include "outputs/cmd/counted.h"
#include "outputs/cmd/options.h"
#include "session/import/bare.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/texts.h"
#include "session/session.h"

#define HINT "\nTry 'perf-cstrace test --help'.\n"

static struct said said;

/* The first line of it, for messages that go on with the list of cores. */
static struct bare_opts bare;

static void words(size_t n, const char *option, const char *value)
{
	assert_int_equal(bare.nr_words, n);
	assert_string_equal(bare.words[n - 1].option, option);
	assert_string_equal(bare.words[n - 1].value, value);
}

/* Options are kept in their order, with their values as they were given. */
static void kept(void **state)
{
	(void)state;
	memset(&bare, 0, sizeof(bare));
	assert_int_equal(cmd_bare_trace(&bare, "a:0x10"), 0);
	words(1, "trace", "a:0x10");
	assert_int_equal(cmd_bare_trace(&bare, "b"), 0);
	words(2, "trace", "b");
	assert_int_equal(cmd_bare_program(&bare, "p@0x1000"), 0);
	words(3, "elf", "p@0x1000");
	assert_int_equal(cmd_bare_format(&bare, "dstream"), 0);
	words(4, "trace-format", "dstream");
	assert_int_equal(cmd_bare_core(&bare, "cortex-a53"), 0);
	words(5, "core-type", "cortex-a53");
	assert_int_equal(cmd_bare_source(&bare, "0x6f=cortex-a53"), 0);
	words(6, "trace-source", "0x6f=cortex-a53");
	assert_int_equal(cmd_bare_source(&bare, "1=stm"), 0);
	words(7, "trace-source", "1=stm");
	assert_int_equal(cmd_bare_reg(&bare, "TRCIDR1=0x4100f423"), 0);
	words(8, "reg", "TRCIDR1=0x4100f423");
	assert_int_equal(cmd_bare_reg(&bare, "0x10:A=18446744073709551615"), 0);
	words(9, "reg", "0x10:A=18446744073709551615");

	assert_int_equal(bare.nr_traces, 2);
	assert_string_equal(bare.traces[0], "a:0x10");
	assert_string_equal(bare.traces[1], "b");
	assert_int_equal(bare.nr_programs, 1);
	assert_string_equal(bare.programs[0], "p@0x1000");
	assert_int_equal(bare.format, BARE_DSTREAM);
	assert_ptr_equal(bare.core, core_by_name("cortex-a53", 10));
	assert_int_equal(bare.nr_sources, 2);
	assert_int_equal(bare.sources[0].id, 0x6f);
	assert_ptr_equal(bare.sources[0].core, core_by_name("cortex-a53", 10));
	assert_int_equal(bare.sources[1].id, 1);
	assert_ptr_equal(bare.sources[1].core, core_by_name("stm", 3));
	assert_int_equal(bare.nr_regs, 2);
	assert_int_equal(bare.regs[0].id, BARE_ANY);
	assert_int_equal(bare.regs[0].name_len, 7);
	assert_memory_equal(bare.regs[0].name, "TRCIDR1", 7);
	assert_int_equal(bare.regs[0].value, 0x4100f423);
	assert_int_equal(bare.regs[1].id, 0x10);
	assert_int_equal(bare.regs[1].name_len, 1);
	assert_true(bare.regs[1].value == UINT64_MAX);
}

static void formats(void **state)
{
	static const struct {
		const char *name;
		enum bare_format format;
	} names[] = { { "aligned", BARE_ALIGNED }, { "tpiu", BARE_TPIU }, { "dstream", BARE_DSTREAM }, { "raw", BARE_RAW } };
	size_t i;

	(void)state;
	memset(&bare, 0, sizeof(bare));
	for (i = sizeof(names) / sizeof(names[0]); i--;) {
		assert_int_equal(cmd_bare_format(&bare, names[i].name), 0);
		assert_int_equal(bare.format, names[i].format);
	}
	said_begin(&said);
	assert_int_equal(cmd_bare_format(&bare, "ra\n"), -1);
	assert_text("format", said_end(&said), "cstrace: --trace-format: found 'ra\\x0a', expected aligned, tpiu, dstream or raw\n");
	assert_int_equal(bare.nr_words, 4);
}

static void wrong_values(void **state)
{
	static const char *const sources[] = { "x", "0=stm", "0x70=stm", "=stm", "-1=stm", "1k=stm", "0x0000000000000001=stm", "1:stm" };
	static const char *const regs[] = { "A", "=1", "A=", "A=x", "0:A=1", "0x70:A=1", "x:A=1", ":A=1", "1:=1", "A=0x10000000000000000" };
	char want[200];
	size_t i;

	(void)state;
	memset(&bare, 0, sizeof(bare));
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		said_begin(&said);
		assert_int_equal(cmd_bare_source(&bare, sources[i]), -1);
		snprintf(want, sizeof(want), "cstrace: --trace-source: found '%s', expected ID=NAME with a trace ID from 1 to 0x6f\n",
			 sources[i]);
		assert_text("source", said_end(&said), want);
	}
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		said_begin(&said);
		assert_int_equal(cmd_bare_reg(&bare, regs[i]), -1);
		snprintf(want, sizeof(want), "cstrace: --reg: found '%s', expected NAME=VALUE or ID:NAME=VALUE with numbers of at most 64 "
			 "bits\n", regs[i]);
		assert_text("register", said_end(&said), want);
	}
	said_begin(&said);
	assert_int_equal(cmd_bare_core(&bare, "cortex"), -1);
	assert_text_begins("core", said_end(&said), "cstrace: --core-type: found 'cortex', expected one of (and where its registers are published):\n ");
	said_begin(&said);
	assert_int_equal(cmd_bare_source(&bare, "1=cortex"), -1);
	assert_text_begins("core of a source", said_end(&said),
	       "cstrace: --trace-source: found 'cortex', expected one of (and where its registers are published):\n ");
	assert_int_equal(bare.nr_words + bare.nr_sources + bare.nr_regs, 0);
	assert_null(bare.core);
}

/* As many as the tables hold, and one more. */
static void most(void **state)
{
	static const struct {
		int (*add)(void *, const char *);
		const char *value, *message;
		unsigned int n;
		size_t *nr;
	} options[] = {
		{ cmd_bare_trace, "t", "cstrace: --trace: at most 64\n", BARE_MAX, &bare.nr_traces },
		{ cmd_bare_program, "p", "cstrace: --elf: at most 64\n", BARE_MAX, &bare.nr_programs },
		{ cmd_bare_source, "1=stm", "cstrace: --trace-source: at most 64\n", BARE_MAX, &bare.nr_sources },
		{ cmd_bare_reg, "A=1", "cstrace: --reg: at most 256\n", BARE_MAX_REGS, &bare.nr_regs },
	};
	unsigned int i, k, sum = 0;

	(void)state;
	memset(&bare, 0, sizeof(bare));
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		for (k = 0; k < options[i].n; k++)
			assert_int_equal(options[i].add(&bare, options[i].value), 0);
		said_begin(&said);
		assert_int_equal(options[i].add(&bare, options[i].value), -1);
		assert_text("one more", said_end(&said), options[i].message);
		assert_int_equal(*options[i].nr, options[i].n);
		sum += options[i].n;
		assert_int_equal(bare.nr_words, sum);
	}
	/* and the two that are given once */
	assert_int_equal(cmd_bare_format(&bare, "raw"), 0);
	assert_int_equal(cmd_bare_core(&bare, "stm"), 0);
}

/* Which options go together. */
static void check(void **state)
{
#define NEEDS_TRACE "cstrace test: --trace-format, --core-type, --trace-source and --reg are for --trace: what "
#define SAYS_ITSELF " names says itself what its trace is" HINT
	static const struct {
		const char *trace, *program, *core, *source, *reg, *input, *snapshot, *message;
	} cases[] = {
		{ NULL, NULL, NULL, NULL, NULL, "in", NULL, "" },
		{ "t", NULL, "stm", NULL, NULL, NULL, NULL, "" },
		{ "t", "p", NULL, "1=stm", "A=1", NULL, NULL, "" },
		{ NULL, "p", NULL, NULL, NULL, "in", NULL, "" },
		{ NULL, "p", NULL, NULL, NULL, NULL, "snap", "" },
		{ "t", NULL, "stm", NULL, NULL, "in", NULL, "cstrace test: --trace and -i exclude each other" HINT },
		{ "t", NULL, "stm", NULL, NULL, NULL, "snap", "cstrace test: --trace and -s exclude each other" HINT },
		{ NULL, NULL, "stm", NULL, NULL, "in", NULL, NEEDS_TRACE "-i" SAYS_ITSELF },
		{ NULL, "p", NULL, NULL, "A=1", NULL, "snap", NEEDS_TRACE "-s" SAYS_ITSELF },
		{ "t", NULL, "stm", "1=stm", NULL, NULL, NULL,
		  "cstrace test: --core-type is for one trace source, --trace-source ID=NAME for several: one of the two" HINT },
		{ "t", "p", NULL, NULL, "A=1", NULL, NULL,
		  "cstrace test: --trace needs --core-type NAME: which core wrote the trace (--core-type list lists them)" HINT },
	};
	const struct cmd_desc cmd = { .name = "test" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct session_opts so = { .input = cases[i].input };
		int rc;

		memset(&bare, 0, sizeof(bare));
		if (cases[i].trace)
			cmd_bare_trace(&bare, cases[i].trace);
		if (cases[i].program)
			cmd_bare_program(&bare, cases[i].program);
		if (cases[i].core)
			cmd_bare_core(&bare, cases[i].core);
		if (cases[i].source)
			cmd_bare_source(&bare, cases[i].source);
		if (cases[i].reg)
			cmd_bare_reg(&bare, cases[i].reg);
		said_begin(&said);
		rc = cmd_bare_check(&cmd, &bare, &so, cases[i].snapshot);
		assert_text("options", said_end(&said), cases[i].message);
		assert_int_equal(rc, *cases[i].message ? CMD_USAGE : CMD_GO_ON);
		assert_ptr_equal(so.bare, *cases[i].message || !bare.nr_words ? NULL : &bare);
		if (!*cases[i].message && cases[i].trace)
			assert_string_equal(so.input, cases[i].trace);
		else
			assert_ptr_equal(so.input, cases[i].input);
	}
}

/* What a count file cannot be asked. */
static void count_file(void **state)
{
	const struct cmd_desc cmd = { .name = "test" };
	struct session_opts so = { .input = "counts" };
	const char **filters[] = { &so.filter.time, &so.filter.cpu, &so.filter.pid, &so.filter.tid, &so.filter.comm };
	size_t i;

	(void)state;
	cmd_given_start();
	said_begin(&said);
	assert_int_equal(counted_check(&cmd, &so), CMD_GO_ON);
	assert_text("no filter", said_end(&said), "");
	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		*filters[i] = "1";
		said_begin(&said);
		assert_int_equal(counted_check(&cmd, &so), CMD_USAGE);
		assert_text("filter", said_end(&said), "cstrace test: counts is a count file, in which nothing says when, where and by whom its code "
		   "was executed: filter the recording that is counted" HINT);
		*filters[i] = NULL;
	}
	so.bare = &bare;
	said_begin(&said);
	assert_int_equal(counted_check(&cmd, &so), CMD_USAGE);
	assert_text("program", said_end(&said), "cstrace test: counts is a count file, which has no trace: --elf is for trace" HINT);
}

/* Why nothing can be written, and what there is. */
static void nothing(void **state)
{
#define LIST								\
	"               70 instructions  /bin/a\n"			\
	"                5 instructions  /bin/b\n"
	struct model_binary a = { .is.name = "/bin/a", .insns = 70 }, b = { .is.name = "/bin/b", .insns = 5 };
	struct model_binary *v[] = { &a, &b };
	struct model_total elsewhere = { .name = "instructions.elsewhere", .value = 9 };
	const struct model none = { .nr_binaries = 0 }, two = { .nr_binaries = 2, .totals = &elsewhere, .nr_totals = 1 };
#define ELSEWHERE "                9 instructions  in no single file\n"
#define NO_INSTRUCTION "  no instruction could be decoded: see the lines above, and 'perf-cstrace info'\n"
	const struct {
		const char *want;
		bool one;
		const struct model_binary *binary;
		const struct model *m;
		int code;
		const char *message;
	} cases[] = {
		{ NULL, true, &b, &two, CMD_LOSSES,
		  "nothing to profile: nothing of /bin/b was decoded; the trace shows:\n" LIST ELSEWHERE },
		{ "/bin/c", true, NULL, &two, CMD_LOSSES,
		  "nothing to profile: --binary asks for /bin/c, and the trace shows:\n" LIST ELSEWHERE },
		{ "/bin/c", false, NULL, &none, CMD_LOSSES,
		  "nothing to profile: --binary asks for /bin/c, and the trace shows no binary\n" NO_INSTRUCTION },
		{ NULL, true, NULL, &two, CMD_ERROR, "several binaries ran; choose one with --binary:\n" LIST ELSEWHERE },
		{ NULL, false, NULL, &two, CMD_LOSSES, "nothing to profile: nothing was decoded; the trace shows:\n" LIST ELSEWHERE },
		{ NULL, true, NULL, &none, CMD_LOSSES, "nothing to profile: the trace shows no binary\n" NO_INSTRUCTION },
	};
	char want[600];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int code;

		said_begin(&said);
		code = counted_nothing("profile", "in\tput", cases[i].want, cases[i].one, cases[i].binary, v, cases[i].m);
		snprintf(want, sizeof(want), "cstrace profile: in\\x09put: %s", cases[i].message);
		assert_text("nothing", said_end(&said), want);
		assert_int_equal(code, cases[i].code);
	}
}

static void order(void **state)
{
#define NO_ORDER "cstrace report: calls: no timestamp orders some stretches of threads that ran on several CPUs: "
	static const struct {
		uint64_t estimated, unordered, unjoined;
		const char *message;
	} cases[] = {
		{ 0, 0, 0, "" },
		{ 1234, 0, 0, NO_ORDER "1,234 are in the order of estimated times, 0 have unknown callers, and 0 for want of memory\n" },
		{ 0, 2, 0, NO_ORDER "0 are in the order of estimated times, 2 have unknown callers, and 0 for want of memory\n" },
		{ 0, 0, 3, NO_ORDER "0 are in the order of estimated times, 0 have unknown callers, and 3 for want of memory\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		said_begin(&said);
		count_print_order("report", cases[i].estimated, cases[i].unordered, cases[i].unjoined);
		assert_text("order", said_end(&said), cases[i].message);
	}
	said_begin(&said);
	assert_false(count_undecoded("report", "in", 0));
	assert_text("undecoded", said_end(&said), "");
	said_begin(&said);
	assert_true(count_undecoded("report", "in", 256));
	assert_text("undecoded", said_end(&said), "cstrace report: in: ranges that were executed 256 times are not counted: their code was gone when "
	   "it was looked at\n");
}

/* Filters that are not understood are named with what is expected; the others are kept as they were given. */
static void filters(void **state)
{
	static const struct {
		int (*take)(void *, const char *);
		size_t at;
		const char *good, *bad, *message;
	} words_of[] = {
		{ cmd_filter_time, offsetof(struct filter_opts, time), "1,2", "x", "cstrace: --time" },
		{ cmd_filter_cpu, offsetof(struct filter_opts, cpu), "0-3,5", "x", "cstrace: --cpu" },
		{ cmd_filter_pid, offsetof(struct filter_opts, pid), "1,2", "x", "cstrace: --pid" },
		{ cmd_filter_tid, offsetof(struct filter_opts, tid), "1,2", "x", "cstrace: --tid" },
		{ cmd_filter_comm, offsetof(struct filter_opts, comm), "a,b", "", "cstrace: --comm" },
	};
	struct filter_opts f, want;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words_of) / sizeof(words_of[0]); i++) {
		memset(&f, 0, sizeof(f));
		memset(&want, 0, sizeof(want));
		*(const char **)(void *)((char *)&want + words_of[i].at) = words_of[i].good;
		said_begin(&said);
		assert_int_equal(words_of[i].take(&f, words_of[i].good), 0);
		assert_text("filter", said_end(&said), "");
		assert_memory_equal(&f, &want, sizeof(f));
		said_begin(&said);
		assert_int_equal(words_of[i].take(&f, words_of[i].bad), -1);
		assert_text_begins("filter", said_end(&said), words_of[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),
		cmocka_unit_test(formats),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(most),
		cmocka_unit_test(check),
		cmocka_unit_test(count_file),
		cmocka_unit_test(nothing),
		cmocka_unit_test(order),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
