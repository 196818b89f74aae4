/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file has the code at an address: text that was patched, and the two address spaces of a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/maps.h"
#include "machine/tasks/space.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"

#define KERNEL 0xffff800008000000ull

static struct dso file = { .kind = DSO_FILE }, other = { .kind = DSO_FILE }, patch = { .kind = DSO_PATCH };

static void set(struct version *v, uint64_t start, uint64_t end, uint64_t off, struct dso *dso)
{
	const struct map m = { start, end, off, dso, NULL };

	if (!v->maps)
		v->maps = maplist_new();
	assert_non_null(v->maps);
	assert_true(maplist_set(v->maps, &m));
}

static void expect(const struct session_loc *loc, const struct dso *dso, uint64_t offset, uint64_t start, uint64_t end, bool kernel)
{
	assert_ptr_equal(loc->dso, dso);
	assert_int_equal(loc->offset, offset);
	assert_int_equal(loc->map_start, start);
	assert_int_equal(loc->map_end, end);
	assert_int_equal(loc->kernel, kernel);
}

/* A patch is at a place of the file that it changed, whichever side of it the file's map is. */
static void patched_text(void **state)
{
	struct version v = { .maps = NULL };
	struct stream s = { .code = &v, .kernel = true };
	struct session_loc loc;

	(void)state;
	set(&v, KERNEL, KERNEL + 0x1000, 0x10000, &file);
	/* inside, two next to each other, and one at the begin */
	set(&v, KERNEL + 0x800, KERNEL + 0x804, 0, &patch);
	set(&v, KERNEL + 0x900, KERNEL + 0x904, 4, &patch);
	set(&v, KERNEL + 0x904, KERNEL + 0x908, 12, &patch);
	set(&v, KERNEL, KERNEL + 4, 8, &patch);
	assert_true(session_locate(&s, KERNEL + 0x802, &loc));
	expect(&loc, &file, 0x10802, KERNEL + 0x800, KERNEL + 0x804, true);
	assert_true(session_locate(&s, KERNEL + 0x905, &loc));
	expect(&loc, &file, 0x10905, KERNEL + 0x904, KERNEL + 0x908, true);
	assert_true(session_locate(&s, KERNEL + 1, &loc));
	expect(&loc, &file, 0x10001, KERNEL, KERNEL + 4, true);
	assert_true(session_locate(&s, KERNEL + 0x804, &loc));
	expect(&loc, &file, 0x10804, KERNEL + 0x804, KERNEL + 0x900, true);
	maplist_unref(v.maps);
}

/* A patch without a file around it, also one at the begin of the address space. */
static void patch_alone(void **state)
{
	struct version v = { .maps = NULL };
	struct stream s = { .code = &v, .kernel = true };
	struct session_loc loc;

	(void)state;
	set(&v, 0, 8, 0x20, &patch);
	set(&v, KERNEL, KERNEL + 4, 0x40, &patch);
	assert_true(session_locate(&s, 4, &loc));
	expect(&loc, &patch, 0x24, 0, 8, true);
	assert_true(session_locate(&s, KERNEL + 2, &loc));
	expect(&loc, &patch, 0x42, KERNEL, KERNEL + 4, true);
	assert_false(session_locate(&s, KERNEL + 4, &loc));
	expect(&loc, NULL, 0, 0, 0, true);
	maplist_unref(v.maps);
}

/* An address of the kernel while the program runs, and of the program while the kernel runs. */
static void either_space(void **state)
{
	struct version user = { .maps = NULL }, kernel = { .maps = NULL };
	struct stream s = { .code = &user, .other = &kernel };
	struct session_loc loc;
	int in_kernel;

	(void)state;
	set(&user, 0x1000, 0x2000, 0, &file);
	set(&kernel, KERNEL, KERNEL + 0x1000, 0x100, &other);
	set(&kernel, 0x1800, 0x3000, 0x200, &other);
	for (in_kernel = 0; in_kernel < 2; in_kernel++) {
		assert_true(session_locate_any(&s, KERNEL + 8, &loc));
		expect(&loc, &other, 0x108, KERNEL, KERNEL + 0x1000, true);
		/* the program's map goes first, that of a 32-bit kernel second */
		assert_true(session_locate_any(&s, 0x1900, &loc));
		expect(&loc, &file, 0x900, 0x1000, 0x2000, false);
		assert_true(session_locate_any(&s, 0x2900, &loc));
		expect(&loc, &other, 0x1300, 0x1800, 0x3000, true);
		assert_false(session_locate_any(&s, 0x4000, &loc));
		s = (struct stream){ .code = &kernel, .other = &user, .kernel = true };
	}
	s.other = NULL;
	assert_false(session_locate_any(&s, 0x1000, &loc));
	/* a kernel that is mapped from 0 on has only its real addresses */
	set(&kernel, 0, 0x800, 0, &other);
	assert_false(session_locate_any(&s, 0x400, &loc));
	assert_true(session_locate(&s, 0x400, &loc));
	maplist_unref(user.maps);
	maplist_unref(kernel.maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patched_text),
		cmocka_unit_test(patch_alone),
		cmocka_unit_test(either_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
