/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols of kernels and of generated code (kallsyms, perf-PID.map), and the idle task's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <cmocka.h>

#include "machine/images/kallsyms.h"
#include "machine/images/perfmap.h"
#include "session/decode/locate.h"
#include "unit/perf-plugin/said.h"

static const char kallsyms[] =
	"ffff800008000000 t _head\n"
	"ffff800008010000 T _stext\n"
	"ffff800008010000 t __first\n"
	"ffff800008010000 T first\n"
	"ffff800008010100 t twice\n"
	"ffff800008010200 t twice\n"
	"ffff800008010300 W weak\n"
	"ffff800008010400 D data\n"
	"not a line\n"
	"ffff800008010500\n"
	"ffff800008010600 T \n"
	"\n"
	"ffff800000001000 t init_module\t[one]\n"
	"ffff800000001100 T shared\t[one]\n"
	"ffff800000002000 t init_module\t[two_b]\n"
	"ffff800000002100 t shared\t[two_b]\n"
	"ffff800000002200 t same\t[two_b]\n"
	"ffff800000002200 t same\t[two_b]\n"
	"ffff800000002400 t last";

static void kernel_symbols(void **state)
{
	struct kallsyms *ks = kallsyms_read(kallsyms, sizeof(kallsyms) - 1);
	uint64_t start, end, addr;
	const char *name;

	(void)state;
	assert_non_null(ks);
	assert_true(kallsyms_find(ks, 0xffff800008010004, &name, &start, &end));
	assert_string_equal(name, "first");
	assert_int_equal(start, 0xffff800008010000);
	assert_int_equal(end, 0xffff800008010100);
	assert_true(kallsyms_find(ks, 0xffff8000080103ff, &name, &start, &end));
	assert_string_equal(name, "weak");
	assert_false(kallsyms_find(ks, 0xffff800008010404, &name, &start, &end));	/* data */
	assert_false(kallsyms_find(ks, 0x1000, &name, &start, &end));
	assert_true(kallsyms_find(ks, 0xffff800000001104, &name, &start, &end));
	assert_string_equal(name, "shared");
	assert_int_equal(end, 0xffff800000002000);

	assert_true(kallsyms_address(ks, "_stext", NULL, &addr));
	assert_int_equal(addr, 0xffff800008010000);
	assert_false(kallsyms_address(ks, "twice", NULL, &addr));
	assert_false(kallsyms_address(ks, "init_module", NULL, &addr));
	assert_true(kallsyms_address(ks, "init_module", "two_b", &addr));
	assert_int_equal(addr, 0xffff800000002000);
	assert_true(kallsyms_address(ks, "same", "two_b", &addr));
	assert_false(kallsyms_address(ks, "first", "one", &addr));
	assert_false(kallsyms_address(ks, "", NULL, &addr));
	/* only global functions of modules are for others */
	assert_true(kallsyms_exported(ks, "shared", &addr));
	assert_int_equal(addr, 0xffff800000001100);
	assert_false(kallsyms_exported(ks, "init_module", &addr));
	assert_false(kallsyms_exported(ks, "first", &addr));
	kallsyms_free(ks);
}

static void names_of_generated_code(void **state)
{
	static const char text[] =
		"6000 10 highest\n"	/* in no order, as code is generated where there is room */
		"1000 100 old name\n"
		"1000 80 new name(int, char)\n"
		"800 10 lowest\n"
		"2000 10 b\n"
		"zz 10 c\n"
		"3000 d\n"
		"4000 10\n"
		"99999999999999999 10 too much\n"
		"a040 20 freed\n"
		"a0f0 20 freed, too\n"
		"a000 100 compiled later\n"
		"b000 100 first\n"
		"b080 100 second\n"
		"b100 100 third\n"
		"c000 0 nothing\n"
		"fffffffffffffff0 ff to the end\n"
		"5000 20 end";
	struct perf_map *pm = perf_map_read(strdup(text));
	uint64_t start, size;
	const char *name;

	(void)state;
	assert_non_null(pm);
	assert_true(perf_map_find(pm, 0x1010, &name, &start, &size));
	assert_string_equal(name, "new name(int, char)");
	assert_int_equal(start, 0x1000);
	assert_int_equal(size, 0x80);
	assert_false(perf_map_find(pm, 0x10f0, &name, &start, &size));
	assert_false(perf_map_find(pm, 0xfff, &name, &start, &size));
	assert_false(perf_map_find(pm, 0x2010, &name, &start, &size));
	assert_false(perf_map_find(pm, 0x3000, &name, &start, &size));
	assert_false(perf_map_find(pm, 0x4000, &name, &start, &size));
	assert_true(perf_map_find(pm, 0x501f, &name, &start, &size));
	assert_string_equal(name, "end");
	assert_true(perf_map_find(pm, 0x6000, &name, &start, &size));
	assert_string_equal(name, "highest");
	assert_true(perf_map_find(pm, 0x800, &name, &start, &size));
	assert_string_equal(name, "lowest");
	/* a smaller one that was there before */
	assert_true(perf_map_find(pm, 0xa050, &name, &start, &size));
	assert_string_equal(name, "compiled later");
	assert_int_equal(start, 0xa000);
	assert_true(perf_map_find(pm, 0xa0f8, &name, &start, &size));
	assert_string_equal(name, "compiled later");
	assert_false(perf_map_find(pm, 0xa108, &name, &start, &size));
	/* one after the other */
	assert_false(perf_map_find(pm, 0xb010, &name, &start, &size));
	assert_false(perf_map_find(pm, 0xb0f0, &name, &start, &size));
	assert_true(perf_map_find(pm, 0xb100, &name, &start, &size));
	assert_string_equal(name, "third");
	assert_false(perf_map_find(pm, 0xc000, &name, &start, &size));
	assert_true(perf_map_find(pm, 0xfffffffffffffff8, &name, &start, &size));
	assert_string_equal(name, "to the end");
	perf_map_free(pm);
	pm = perf_map_read(strdup(""));
	assert_false(perf_map_find(pm, 0, &name, &start, &size));
	perf_map_free(pm);
}

/* The idle task has a name that no record tells; what no thread is known for has none. */
static void name_of_idle_task(void **state)
{
	struct stream s = { .tid = 0 };

	(void)state;
	assert_string_equal(session_comm(&s), "swapper");
	s.tid = -1;
	assert_null(session_comm(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_symbols), cmocka_unit_test(names_of_generated_code),
		cmocka_unit_test(name_of_idle_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
