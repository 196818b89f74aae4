/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_event.c - the system event log: lines as the specification writes them, every verb there and back,
 * reading in both directions, and what is wrong with a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/files/event.h>

static struct cst_event_reader *reader(const char *text)
{
	struct cst_event_reader *r;

	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	return r;
}

static void same_str(struct cst_str s, const char *want)
{
	assert_int_equal(s.p == NULL, want == NULL);
	assert_int_equal(s.n, want ? strlen(want) : 0);
	if (s.n)
		assert_memory_equal(s.p, want, s.n);
}

/* The lines of a system snapshot in the specification, with the times that a log has. */
static void test_specification(void **state)
{
	struct cst_event_reader *r = reader("- declare_process(CURRENT, 0, 0x0000, \"kernel.exe\")\r\n"
					    "  # a comment\n\n"
					    "12 declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")  # another\n");
	struct cst_event ev = { 0 };

	(void)state;
	assert_int_equal(cst_event_next(r, &ev, NULL), 1);
	assert_true(ev.time == CST_EVENT_NO_TIME);
	assert_int_equal(ev.verb, CST_EVENT_PROCESS);
	assert_int_equal(ev.state, CST_STATE_CURRENT);
	assert_int_equal(ev.pid, CST_EVENT_KERNEL);
	assert_int_equal(ev.has_base, 1);
	assert_int_equal(ev.base, 0);
	same_str(ev.name, "kernel.exe");
	same_str(ev.uuid, NULL);
	assert_int_equal(ev.line, 1);
	assert_int_equal(cst_event_next(r, &ev, NULL), 1);
	assert_int_equal(ev.time, 12);
	assert_int_equal(ev.base, 0x8000);
	same_str(ev.name, "/bin/ls");
	assert_int_equal(ev.line, 4);
	assert_int_equal(cst_event_next(r, &ev, NULL), 0);
	assert_int_equal(cst_event_next(r, &ev, NULL), 0);
	assert_int_equal(cst_event_prev(r, &ev, NULL), 1);
	assert_int_equal(ev.line, 4);
	assert_int_equal(cst_event_prev(r, &ev, NULL), 1);
	assert_int_equal(ev.line, 1);
	assert_int_equal(cst_event_prev(r, &ev, NULL), 0);
	cst_event_reader_free(r);
}

/* Each line is what the writer makes of it. */
static const char canonical[] =
	"0 declare_process(START, 7, 0x1000, \"a b\", 0123abcd, size=0x100, offset=0x20, tid=8)\n"
	"1 declare_process(END, -5, None, None)\n"
	"2 declare_thread(START, 8, 7)\n"
	"3 declare_library(START, 7, 0xffffffffffffffff, \"\\\"q\\\" \\\\ \\x0a\\x00\", \"odd uuid\")\n"
	"4 patch_code(7, 0x20, 0x4, <00ff1f20>)\n"
	"5 patch_code(7, 0x20, 0x4, None, state=END)\n"
	"6 patch_code(7, 0x20, 0x4, jit-1, state=CURRENT, offset=0x8, cpu=3)\n"
	"7 patch_code(0, 0x20, 0x4, <>)\n"
	"8 patch_code(7, 0x20, 0x4, \"\xc3\xa9\")\n"
	"18446744073709551614 declare_asid(CURRENT, 0xff, 7)\n"
	"- define_trace(START, 0x10, \"etm.cpu0\", TRCCONFIGR=0xc1, TRCIDR0=None)\n"
	"- x_perf(<0123456789>, plain, \"two words\", None, key=\"a=b\", other=<01fe01fe>)\n"
	"- x_a()\n"
	"- x_word(a_b.c:d/e+f-g@h, \"\", \"None\", \"a,b\")\n";

static void test_there_and_back(void **state)
{
	struct cst_event_reader *r = reader(canonical);
	char buf[256], cut[16];
	const char *line = canonical;
	struct cst_problem why;
	struct cst_event ev = { 0 };
	int64_t n;
	int got;

	(void)state;
	while ((got = cst_event_next(r, &ev, &why)) > 0) {
		n = cst_event_write(&ev, buf, sizeof(buf));
		assert_true(n > 0 && n < (int64_t)sizeof(buf));
		assert_int_equal(n, strchr(line, '\n') + 1 - line);
		assert_memory_equal(buf, line, (size_t)n);
		memset(cut, 'X', sizeof(cut));
		assert_int_equal(cst_event_write(&ev, cut, 8), n);
		assert_memory_equal(cut, line, 8);
		assert_int_equal(cut[8], 'X');
		line += n;
	}
	assert_int_equal(got, 0);
	assert_int_equal(*line, 0);
	/* The same lines from the end. */
	while ((got = cst_event_prev(r, &ev, &why)) > 0) {
		n = cst_event_write(&ev, buf, sizeof(buf));
		line -= n;
		assert_memory_equal(buf, line, (size_t)n);
	}
	assert_ptr_equal(line, canonical);
	cst_event_reader_free(r);
}

static void test_values(void **state)
{
	struct cst_event_reader *r = reader(canonical);
	struct cst_event ev = { 0 };
	int64_t v;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(cst_event_next(r, &ev, NULL), 1);
	assert_int_equal(ev.name.n, strlen("\"q\" \\ \n") + 1);
	assert_memory_equal(ev.name.p, "\"q\" \\ \n\0", ev.name.n);
	cst_event_rewind(r, 0);
	assert_int_equal(cst_event_next(r, &ev, NULL), 1);
	assert_int_equal(ev.size, 0x100);
	assert_int_equal(ev.offset, 0x20);
	assert_int_equal(ev.n_params, 1);
	assert_int_equal(cst_event_number(&ev, "tid", &v), 1);
	assert_int_equal(v, 8);
	assert_int_equal(cst_event_number(&ev, "ti", &v), 0);
	same_str(cst_event_param(&ev, "none"), NULL);
	assert_int_equal(cst_event_next(r, &ev, NULL), 1);
	assert_int_equal(ev.pid, -5);
	assert_int_equal(ev.has_base, 0);
	same_str(ev.name, NULL);
	cst_event_rewind(r, 1);
	assert_int_equal(cst_event_prev(r, &ev, NULL), 1);
	assert_int_equal(ev.line, 14);
	same_str(ev.name, "x_word");
	assert_int_equal(ev.n_params, 4);
	same_str(ev.params[1].value, "");
	same_str(ev.params[2].value, "None");
	assert_int_equal(cst_event_prev(r, &ev, NULL), 1);
	assert_int_equal(cst_event_prev(r, &ev, NULL), 1);
	same_str(ev.params[0].key, "");
	same_str(ev.params[0].value, "\x01\x23\x45\x67\x89");
	same_str(ev.params[3].value, NULL);
	same_str(cst_event_param(&ev, "key"), "a=b");
	cst_event_reader_free(r);
}

static void test_wrong_lines(void **state)
{
	static const char *const bad[] = {
		"declare_thread(START, 1, 2)",		/* no time */
		"1",
		"1 ",
		"1x declare_thread(START, 1, 2)",
		"18446744073709551615 declare_thread(START, 1, 2)",
		"1 declare_thread",
		"1 declare_thread (START, 1, 2)",
		"1 declare_threads(START, 1, 2)",
		"1 declare_thread(BEGIN, 1, 2)",
		"1 declare_thread(start, 1, 2)",
		"1 declare_thread(START, one, 2)",
		"1 declare_thread(START, 1, None)",
		"1 declare_thread(START, 1)",
		"1 declare_thread(START, 1, 2, 3)",
		"1 declare_thread(START, 1, 2",
		"1 declare_thread(START, 1, 2) x",
		"1 declare_thread(START, 1,, 2)",
		"1 declare_thread(START, 1, 2,)",
		"1 declare_thread(START, 1, 9223372036854775808)",
		"1 declare_process(START, 1, zero, \"a\")",
		"1 declare_process(START, 1, 0, \"a)",
		"1 declare_process(START, 1, 0, \"a\\q\")",
		"1 declare_process(START, 1, 0, \"a\\x4\")",
		"1 declare_process(START, 1, 0, \"a\" \"b\")",
		"1 declare_process(START, 1, 0, \"a\", b, c)",
		"1 declare_library(START, 1, 0, \"a\", size=big)",
		"1 declare_library(START, 1, 0, \"a\", 1k=2)",
		"1 declare_library(START, 1, 0, \"a\", k=)",
		"1 patch_code(1, 0, 4, <123>)",
		"1 patch_code(1, 0, 4, <12)",
		"1 patch_code(1, 0, 4, <1g>)",
		"1 patch_code(1, None, 4, None)",
		"1 patch_code(1, 0, None, None)",
		"1 patch_code(1, 0, 4, None, state=GONE)",
		"1 declare_asid(START, 0x100000000, 1)",
		"1 define_trace(START, id, \"a\")",
		"1 x_(1)",
		"1 x_a-b(1)",
	};
	char text[256];
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "- x_before()\n%s\n- x_after()", bad[i]);
		r = reader(text);
		assert_int_equal(cst_event_next(r, &ev, &why), 1);
		if (cst_event_next(r, &ev, &why) != -CST_ERR_SYNTAX)
			fail_msg("taken as good: %s", bad[i]);
		assert_int_equal(why.error, -CST_ERR_SYNTAX);
		assert_int_equal(why.line, 2);
		assert_true(strlen(why.text) > 5);
		if (strstr(bad[i], ",,"))
			assert_non_null(strstr(why.text, "neither a word"));
		assert_int_equal(cst_event_next(r, &ev, &why), 1);
		same_str(ev.name, "x_after");
		/* Backwards as well, and that is told of the same line. */
		assert_int_equal(cst_event_prev(r, &ev, &why), 1);
		why.line = 0;
		assert_int_equal(cst_event_prev(r, &ev, &why), -CST_ERR_SYNTAX);
		assert_int_equal(why.line, 2);
		assert_int_equal(cst_event_prev(r, &ev, &why), 1);
		same_str(ev.name, "x_before");
		assert_int_equal(cst_event_prev(r, &ev, &why), 0);
		cst_event_reader_free(r);
	}
}

static void test_limits(void **state)
{
	static char text[4096];
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev = { 0 };
	size_t n;
	int i;

	(void)state;
	n = (size_t)sprintf(text, "- x_many(");
	for (i = 0; i <= CST_EVENT_PARAMS; i++)
		n += (size_t)sprintf(text + n, "%s%d", i ? "," : "", i);
	sprintf(text + n, ")\n- x_next()\n");
	r = reader(text);
	assert_int_equal(cst_event_next(r, &ev, &why), -CST_ERR_SYNTAX);
	assert_int_equal(cst_event_next(r, &ev, &why), 1);
	cst_event_reader_free(r);
	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 100), 0);
	assert_int_equal(cst_event_next(r, &ev, &why), -CST_ERR_LIMIT);
	assert_int_equal(cst_event_next(r, &ev, &why), 1);
	same_str(ev.name, "x_next");
	cst_event_reader_free(r);
	assert_int_equal(cst_event_reader_new(&r, NULL, 0, 0), 0);
	assert_int_equal(cst_event_next(r, &ev, &why), 0);
	assert_int_equal(cst_event_prev(r, &ev, &why), 0);
	cst_event_reader_free(r);
}

static void test_not_writable(void **state)
{
	struct cst_event_param p = { { "a b", 3 }, { "1", 1 } };
	struct cst_event_param many[CST_EVENT_PARAMS + 1];
	struct cst_event ev = { .verb = CST_EVENT_OTHER };
	char buf[64];
	size_t i;

	(void)state;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	ev.name = (struct cst_str){ "y_a", 3 };
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	ev.name.p = "x_a";
	assert_true(cst_event_write(&ev, buf, sizeof(buf)) > 0);
	ev.params = &p;
	ev.n_params = 1;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	p.key.n = 0;
	assert_true(cst_event_write(&ev, buf, sizeof(buf)) > 0);
	ev.verb = CST_EVENT_THREAD;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	ev.verb = CST_EVENT_OTHER + 1;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	ev = (struct cst_event){ .verb = CST_EVENT_THREAD, .pid = 1, .tid = 1 };
	assert_true(cst_event_write(&ev, buf, sizeof(buf)) > 0);
	ev.state = CST_STATE_CURRENT + 1;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	ev.state = CST_STATE_CURRENT;
	ev.code_kind = CST_CODE_BYTES + 1;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
	/* as many parameters as there may be, and one more */
	ev.code_kind = CST_CODE_NONE;
	for (i = 0; i <= CST_EVENT_PARAMS; i++)
		many[i] = (struct cst_event_param){ { "k", 1 }, { "1", 1 } };
	ev.params = many;
	ev.n_params = CST_EVENT_PARAMS;
	assert_true(cst_event_write(&ev, buf, sizeof(buf)) > 0);
	ev.n_params++;
	assert_int_equal(cst_event_write(&ev, buf, sizeof(buf)), -CST_ERR_INVAL);
}

/* Every escape of a string stands for its character. */
static void test_escapes(void **state)
{
	struct cst_event_reader *r = reader("1 x_a(\"a\\r\\t\\n\\\"\\\\\\x7fz\")\n1 x_a(\"\\v\")\n");
	struct cst_problem why;
	struct cst_event ev = { 0 };

	(void)state;
	assert_int_equal(cst_event_next(r, &ev, &why), 1);
	assert_int_equal(ev.params[0].value.n, 8);
	assert_memory_equal(ev.params[0].value.p, "a\r\t\n\"\\\x7fz", 8);
	assert_int_equal(cst_event_next(r, &ev, &why), -CST_ERR_SYNTAX);
	cst_event_reader_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_specification),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_not_writable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
