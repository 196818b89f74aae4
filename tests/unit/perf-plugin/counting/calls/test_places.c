/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of a place in memory: file, function, the call before it, program; of files and code that are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "counting/calls/calls.h"
#include "counting/calls/places.h"
#include "machine/images/dso.h"
#include "machine/images/functions.h"
#include "machine/tasks/space.h"
#include "session/decode/locate.h"

#define FILE_NUMBER	7u

static struct dso prog = { .kind = DSO_FILE, .number = FILE_NUMBER },
		  bpf = { .kind = DSO_BPF, .number = FILE_NUMBER + 1 };

/* What is known of the address that is looked up. */
static struct {
	struct session_loc loc;
	bool located, has_function, has_symbol;
	struct dso_function function;
	uint64_t symbol_offset;
} now;

bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc);
bool __wrap_session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
			   uint64_t *offset);
struct dso *__wrap_session_section_dso(struct session *ss, uint32_t section);
bool __wrap_dso_function(struct dso *d, uint64_t offset, struct dso_function *f);
bool __wrap_dso_begins_program(struct dso *d, uint64_t offset);

bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	(void)s;
	(void)addr;
	*loc = now.loc;
	return now.located;
}

bool __wrap_session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
			   uint64_t *offset)
{
	(void)s;
	(void)addr;
	(void)loc;
	*name = "symbol";
	*offset = now.symbol_offset;
	return now.has_symbol;
}

struct dso *__wrap_session_section_dso(struct session *ss, uint32_t section)
{
	(void)ss;
	return section == 1 ? &prog : NULL;
}

bool __wrap_dso_function(struct dso *d, uint64_t offset, struct dso_function *f)
{
	assert_ptr_equal(d, now.loc.dso);
	assert_int_equal(offset, now.loc.offset);
	*f = now.function;
	return now.has_function;
}

bool __wrap_dso_begins_program(struct dso *d, uint64_t offset)
{
	(void)d;
	return offset == 0x500;
}

static struct calls_code lookup;

static int make(void **state)
{
	(void)state;
	memset(&now, 0, sizeof(now));
	lookup = calls_places_code(NULL);
	return 0;
}

static struct calls_where where(void)
{
	struct calls_where w = { .place = 1, .start = 2, .end = 3, .part = true, .sets_jump = true, .begins_program = true };

	lookup.where(lookup.data, NULL, 0x4000, &w);
	return w;
}

/* Places in no file, or too far behind its begin. */
static void nowhere(void **state)
{
	struct calls_where w;
	unsigned int i;

	(void)state;
	now.has_function = true;
	now.function = (struct dso_function){ .start = 1, .end = 2 };
	for (i = 0; i < 3; i++) {
		now.located = i != 0;
		now.loc = (struct session_loc){ .dso = i == 1 ? NULL : &prog,
						.offset = i == 2 ? UINT32_MAX : 0x500 };
		w = where();
		assert_true(w.place == CALLS_NO_PLACE);
		assert_true(!w.start && !w.end && !w.part && !w.sets_jump && !w.begins_program);
	}
	assert_int_equal(lookup.binary(lookup.data, 1), FILE_NUMBER);
	assert_int_equal(lookup.binary(lookup.data, 2), CST_COUNT_NO_BINARY);
}

/* Without a table of functions: a BPF program is one, and in the kernel symbols tell where one begins. */
static void other_functions(void **state)
{
	static const struct {
		struct dso *dso;
		bool kernel, symbol;
		uint64_t offset;	/* from the symbol */
		uint32_t start, end;
	} row[] = {
		{ &bpf, false, false, 0, 0, UINT32_MAX }, { &bpf, true, true, 8, 0, UINT32_MAX },
		{ &prog, false, true, 8, 0, 0 }, { &prog, true, false, 8, 0, 0 },
		{ &prog, true, true, 8, 0x4f8, 0x501 }, { &prog, true, true, 0, 0x500, 0x501 }, { &prog, true, true, 0x500, 0, 0x501 },
		{ &prog, true, true, 0x501, 0, 0 },
	};
	struct calls_where w;
	size_t i;

	(void)state;
	now.located = true;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		now.loc = (struct session_loc){ .dso = row[i].dso, .offset = 0x500, .kernel = row[i].kernel };
		now.has_symbol = row[i].symbol;
		now.symbol_offset = row[i].offset;
		w = where();
		assert_int_equal(w.place, calls_place_of(row[i].dso == &bpf ? FILE_NUMBER + 1 : FILE_NUMBER, 0x500));
		assert_int_equal(w.start, row[i].start);
		assert_int_equal(w.end, row[i].end);
	}
}

#define TEST(name)	cmocka_unit_test_setup(name, make)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(nowhere), TEST(other_functions) };

	return cmocka_run_group_tests_name("places of calls", tests, NULL, NULL);
}
