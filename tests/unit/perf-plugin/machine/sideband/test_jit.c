/* SPDX-License-Identifier: BSD-3-Clause */
/* Jitdump files: read in both byte orders, cut, and with records that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/jitdump.h"
#include "unit/perf-plugin/jit_build.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

/* One, two and three instructions from one branch to the next. */
static const uint32_t loop1[] = { 0x14000000 };
static const uint32_t loop2[] = { 0xd503201f, 0x17ffffff };
static const uint32_t loop3[] = { 0xd503201f, 0xd503201f, 0x17fffffe };

TEMP_DIR("jit")

static void sample_dump(struct pdb *b)
{
	jb_header(b, JB_AARCH64, SB_PID, 0);
	jb_load(b, 100, SB_BASE, 1, "one", loop1, sizeof(loop1));
	jb_other(b, 2, 150, 40);
	jb_load(b, 300, SB_BASE, 2, "three", loop3, sizeof(loop3));
	jb_load(b, 200, SB_BASE + 0x100, 3, "two", loop2, sizeof(loop2));
	jb_move(b, 400, SB_BASE + 0x100, SB_BASE + 0x200, sizeof(loop2), 3);
	jb_other(b, 3, 500, 0);
}

static void check_sample(const struct jitdump *jd)
{
	static const struct {
		uint64_t time, addr, len;
		const void *code;
	} want[] = {
		{ 100, SB_BASE, sizeof(loop1), loop1 },
		{ 200, SB_BASE + 0x100, sizeof(loop2), loop2 },
		{ 300, SB_BASE, sizeof(loop3), loop3 },
		{ 400, SB_BASE + 0x200, sizeof(loop2), loop2 },
	};
	uint8_t *code = jitdump_code(jd);
	size_t i;

	assert_int_equal(jd->nr_ev, 4);
	assert_int_equal(jd->nr_code, 3);
	assert_int_equal(jd->bad_records, 0);
	assert_int_equal(jd->pid, SB_PID);
	for (i = 0; i < 4; i++) {
		assert_int_equal(jd->ev[i].time, want[i].time);
		assert_int_equal(jd->ev[i].addr, want[i].addr);
		assert_int_equal(jd->ev[i].len, want[i].len);
		assert_int_equal(jd->ev[i].at % 4, 0);
		assert_memory_equal(code + jd->ev[i].at, want[i].code, want[i].len);
	}
	assert_string_equal(jd->code[1].name, "three");
	free(code);
}

static void both_byte_orders(void **state)
{
	struct jitdump jd;
	unsigned int swap;

	(void)state;
	for (swap = 0; swap < 2; swap++) {
		struct pdb b = { .swap = swap };

		sample_dump(&b);
		assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
		assert_int_equal(jd.swap, swap);
		check_sample(&jd);
		jitdump_free(&jd);
		pdb_free(&b);
	}
}

static void refused_headers(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		int error;
	} bad[] = {
		{ 0, 'x', JITDUMP_MAGIC },
		{ 4, 2, JITDUMP_VERSION },
		{ 8, 39, JITDUMP_SHORT },
		{ 11, 0x7f, JITDUMP_SHORT },	/* a header of 2 GB */
		{ 12, 62, JITDUMP_MACHINE },
	};
	struct jitdump jd;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pdb b = { 0 };

		sample_dump(&b);
		b.p[bad[i].at] = bad[i].value;
		assert_int_equal(jitdump_read(&jd, b.p, b.len), bad[i].error);
		assert_true(strlen(jitdump_error_text(bad[i].error)) > 10);
		pdb_free(&b);
	}
}

/* Cut after each byte: what is complete is kept, the rest is told. */
static void cut_anywhere(void **state)
{
	struct pdb b = { 0 };
	struct jitdump jd;
	size_t n, events = 0;
	uint8_t *copy, *code;
	int err;

	(void)state;
	sample_dump(&b);
	for (n = 0; n <= b.len; n++) {
		copy = malloc(n ? n : 1);
		memcpy(copy, b.p, n);
		err = jitdump_read(&jd, copy, n);
		if (n < 40) {
			assert_int_equal(err, JITDUMP_SHORT);
		} else {
			assert_int_equal(err, JITDUMP_OK);
			assert_in_range(jd.nr_ev, events, events + 1);
			events = jd.nr_ev;
			assert_int_equal(jd.bad_records, jd.lost_bytes != 0);
			code = jitdump_code(&jd);
			assert_non_null(code);
			free(code);
			jitdump_free(&jd);
		}
		free(copy);
	}
	assert_int_equal(events, 4);
	pdb_free(&b);
}

/* Records that contradict themselves are left out, and the next one is read. */
static void bad_records(void **state)
{
	struct pdb b = { 0 };
	struct jitdump jd;
	size_t at;

	(void)state;
	jb_header(&b, JB_AARCH64, 7, 0);
	at = b.len;
	jb_load(&b, 1, SB_BASE, 1, "huge", loop1, sizeof(loop1));
	memset(b.p + at + 40, 0xff, 8);				/* code_size */
	at = b.len;
	jb_load(&b, 2, SB_BASE, 2, "unterminated", loop1, sizeof(loop1));
	memset(b.p + at + 56, 'x', b.len - at - 56);
	jb_load(&b, 3, UINT64_MAX - 1, 3, "wraps", loop1, sizeof(loop1));
	jb_move(&b, 4, 0, SB_BASE, 4, 77);			/* of nothing */
	jb_load(&b, 5, SB_BASE, 4, "empty", loop1, 0);		/* no loss */
	jb_load(&b, 6, SB_BASE, 5, "good", loop1, sizeof(loop1));
	jb_move(&b, 7, SB_BASE, SB_BASE + 64, 400, 5);		/* more than there is */
	jb_move(&b, 8, SB_BASE, SB_BASE + 66, 4, 5);		/* not on a word */
	jb_move(&b, 9, SB_BASE, UINT64_MAX - 3, 4, 5);		/* wraps */
	jb_move(&b, 10, SB_BASE, SB_BASE + 64, 0, 5);		/* empty: no loss */
	jb_other(&b, 1, 11, 47);				/* a move without its last byte; one of no code */
	jb_other(&b, 1, 12, 48);
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.nr_ev, 1);
	assert_int_equal(jd.bad_records, 8);
	assert_int_equal(jd.lost_bytes, 0);
	jitdump_free(&jd);

	/* a size that does not even hold its own header: nothing behind it can be found */
	at = b.len;
	jb_other(&b, 3, 9, 8);
	b.p[at + 4] = 15;
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.lost_bytes, 24);
	jitdump_free(&jd);
	pdb_free(&b);
}

/* Of equal times the order in the file counts, and of equal indexes the code that was loaded last before the move. */
static void equal_times(void **state)
{
	static const uint64_t addr[] = { SB_BASE, SB_BASE + 64, SB_BASE + 128, SB_BASE + 192, SB_BASE + 256 };
	struct pdb b = { 0 };
	struct jitdump jd;
	uint8_t *code;
	size_t i;

	(void)state;
	jb_header(&b, JB_AARCH64, 7, 0);
	jb_load(&b, 5, addr[0], 1, "first", loop1, sizeof(loop1));
	jb_load(&b, 5, addr[1], 1, "second", loop3, sizeof(loop1));
	jb_move(&b, 5, addr[1], addr[2], sizeof(loop1), 1);
	jb_load(&b, 5, addr[3], 1, "third", loop1, sizeof(loop1));
	jb_move(&b, 5, addr[3], addr[4], sizeof(loop1), 1);
	assert_int_equal(jitdump_read(&jd, b.p, b.len), JITDUMP_OK);
	assert_int_equal(jd.nr_ev, 5);
	assert_int_equal(jd.bad_records, 0);
	code = jitdump_code(&jd);
	for (i = 0; i < 5; i++) {
		assert_int_equal(jd.ev[i].addr, addr[i]);
		assert_memory_equal(code + jd.ev[i].at, i == 1 || i == 2 ? loop3 : loop1, sizeof(loop1));
	}
	free(code);
	jitdump_free(&jd);
	pdb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders), cmocka_unit_test(refused_headers),
		cmocka_unit_test(cut_anywhere), cmocka_unit_test(bad_records),
		cmocka_unit_test(equal_times),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
