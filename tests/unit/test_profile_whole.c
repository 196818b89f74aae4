/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of the formats that have all binaries and their calls, to the letter, of a model made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "images/dso.h"
#include "profile/formats.h"

#define NO	CST_COUNT_NO_BINARY
#define OUT	CST_COUNT_OUTSIDE

static struct dso_symbol_entry symbols[] = {
	{ .offset = 0x100, .size = 0x40, .name = "main" },
	{ .offset = 0x140, .size = 0x20, .name = "_ZN1a4workEi" },
};
static struct dso program = { .path = (char *)"/bin/prog", .file = (char *)"/bin/prog", .state = DSO_LOADED, .symbols_read = true,
			      .syms = symbols, .nr_syms = 2 };

static void add(struct model *m, struct cst_count_record rec)
{
	assert_int_equal(model_add(m, &rec), 0);
}

static void binary(struct model *m, const char *name, uint8_t type)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = { .name = name, .type = type } });
}

static void range(struct model *m, uint32_t of, uint64_t start, uint32_t insns, uint64_t count)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_RANGE, .range = { .binary = of, .insns = insns, .start = start,
			.last = start + 4 * (insns - 1), .count = count } });
}

static void node(struct model *m, uint32_t depth, uint8_t kind, uint32_t from_binary, uint64_t from, uint32_t of, uint64_t entry,
		 uint64_t calls, uint64_t insns)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_NODE, .node = { depth, kind, from_binary, of, from, entry, calls, insns } });
}

/* main calls work three times, which calls a library three times, which calls work back once. */
static struct model calls(void)
{
	struct model m;

	model_init(&m);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "instructions.elsewhere", 4 } });
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0, 0x200, 0x400000, 1 } });
	binary(&m, "/lib/li;b\n.so", CST_COUNT_FILE);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0x1000, 0x100, 0x41000, 1 } });
	binary(&m, "method", CST_COUNT_JIT);
	range(&m, 0, 0x100, 5, 1);
	range(&m, 0, 0x114, 3, 1);
	range(&m, 0, 0x140, 3, 4);
	range(&m, 0, 0x14c, 2, 4);
	range(&m, 1, 0x1010, 3, 3);
	range(&m, 2, 0, 2, 1);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x108, 0, 8);
	node(&m, 1, CST_COUNT_CALL, 0, 0x110, 0, 0x140, 3, 15);
	node(&m, 2, CST_COUNT_CALL, 0, 0x148, 1, 0x1010, 3, 9);
	node(&m, 3, CST_COUNT_CALL, 1, 0x1018, 0, 0x140, 1, 3);
	node(&m, 4, CST_COUNT_CALL, 0, 0x148, 1, 0x1010, 0, 0);
	node(&m, 3, CST_COUNT_CUT, NO, OUT, NO, OUT, 2, 2);
	node(&m, 1, CST_COUNT_TAIL, 0, 0x11c, 2, 0, 1, 2);
	m.binaries[0].dso = &program;
	return m;
}

static void made(const char *name, const struct whole *w, char *text, size_t room)
{
	const struct profile_format *f = profile_format_find(name);
	struct error err = { .code = 0 };
	struct pd_output out;
	FILE *file = tmpfile();
	ssize_t n;

	assert_true(f && f->write_whole && !f->write);
	assert_int_equal(pd_output_fd(&out, fileno(file), "profile", &err), 0);
	assert_int_equal(f->write_whole(&out, w), 0);
	assert_int_equal(pd_output_finish(&out, &err), 0);
	n = pread(fileno(file), text, room - 1, 0);
	assert_in_range(n, 0, room - 2);
	text[n] = 0;
	fclose(file);
}

static void callgrind(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096];

	(void)state;
	made("callgrind", &w, text, sizeof(text));
	assert_string_equal(text, "# callgrind format\nversion: 1\ncreator: perf-cstrace 0.1.0\npositions: instr line\n"
			    "event: Ir : Instructions executed\nevents: Ir\n\nob=(1) /bin/prog\nfl=(1) ???\nfn=(4) main\n"
			    "0x400100 0 1\n0x400104 0 1\n0x400108 0 1\n0x40010c 0 1\n0x400110 0 1\n0x400114 0 1\n"
			    "0x400118 0 1\n0x40011c 0 1\n\nfl=(1)\nfn=(3) _ZN1a4workEi\n0x400140 0 4\n0x400144 0 4\n"
			    "0x400148 0 4\n0x40014c 0 4\n0x400150 0 4\n\nob=(2) /lib/li;b\\x0a.so\nfl=(1)\n"
			    "fn=(5) [li;b\\x0a.so+0x1010]\n0x41010 0 3\n0x41014 0 3\n0x41018 0 3\n\nob=(3) method\nfl=(1)\n"
			    "fn=(6) method\n0x0 0 1\n0x4 0 1\n\nob=(4) [elsewhere]\nfl=(1)\nfn=(1) [elsewhere]\n0x0 0 4\n\n"
			    "ob=(1)\nfl=(1)\nfn=(3)\ncob=(2)\ncfi=(1)\ncfn=(5)\ncalls=3 0x41010 0\n0x400148 0 14\n\nfl=(1)\n"
			    "fn=(4)\ncfi=(1)\ncfn=(3)\ncalls=3 0x400140 0\n0x400110 0 29\ncob=(3)\ncfi=(1)\ncfn=(6)\n"
			    "calls=1 0x0 0\n0x40011c 0 2\n\nob=(2)\nfl=(1)\nfn=(5)\ncob=(1)\ncfi=(1)\ncfn=(3)\n"
			    "calls=1 0x400140 0\n0x41018 0 3\ncob=(4)\ncfi=(1)\ncfn=(2) [cut]\ncalls=2 0x0 0\n0x41010 0 2\n"
			    "\ntotals: 43\n");
	model_free(&m);
}

static void folded(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096];

	(void)state;
	made("folded", &w, text, sizeof(text));
	assert_string_equal(text, "main 8\nmain;_ZN1a4workEi 15\nmain;_ZN1a4workEi;[li:b\\x0a.so+0x1010] 9\n"
			    "main;_ZN1a4workEi;[li:b\\x0a.so+0x1010];_ZN1a4workEi 3\n"
			    "main;_ZN1a4workEi;[li:b\\x0a.so+0x1010];[cut] 2\nmain;method 2\n[no stack] 4\n");
	w.only = &m.binaries[1];
	made("folded", &w, text, sizeof(text));
	assert_string_equal(text, "main;_ZN1a4workEi;[li:b\\x0a.so+0x1010] 9\n");
	model_free(&m);
}

static void top(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096];

	(void)state;
	made("top", &w, text, sizeof(text));
	assert_string_equal(text, "# Instructions: 43, exact\n#\n# Overhead  Instructions  Calls  Shared Object  Symbol\n"
			    "# ........  ............  .....  .............  ......\n#\n"
			    "    46.51%            20      4  prog           _ZN1a4workEi\n"
			    "    20.93%             9      3  li;b\\x0a.so    [li;b\\x0a.so+0x1010]\n"
			    "    18.60%             8      0  prog           main\n"
			    "     9.30%             4      0  [elsewhere]    [elsewhere]\n"
			    "     4.65%             2      1  method         method\n");
	w.only = &m.binaries[2];
	made("top", &w, text, sizeof(text));
	assert_string_equal(text, "# Instructions: 2, exact\n#\n# Overhead  Instructions  Calls  Shared Object  Symbol\n"
			    "# ........  ............  .....  .............  ......\n#\n"
			    "   100.00%             2      1  method         method\n");
	model_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callgrind), cmocka_unit_test(folded), cmocka_unit_test(top),
	};

	return cmocka_run_group_tests_name("profile whole", tests, NULL, NULL);
}
