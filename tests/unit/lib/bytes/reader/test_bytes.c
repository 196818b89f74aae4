/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of packets, read from inputs that hold them, end inside of them, or hold numbers that no packet has; A-syncs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bytes/reader/async.h"
#include "bytes/reader/packet_bytes.h"
#include "bytes/reader/times.h"

static struct reader reader_of(const void *bytes, size_t len)
{
	return (struct reader){ .p = bytes, .end = (const uint8_t *)bytes + len };
}

/* What is left of the input, and the flags; `more` is set by bytes that are not there, `bad` stays. */
static void expect_reader(const char *what, size_t number, const struct reader *r, size_t left, int more, int bad, int wide)
{
	if ((size_t)(r->end - r->p) != left || r->more != more || r->bad != bad || r->wide != wide)
		fail_msg("%s %zu: %zu bytes are left, more %u, bad %u, wide %u", what, number, (size_t)(r->end - r->p), r->more,
			 r->bad, r->wide);
}

static void uleb_numbers(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		unsigned int max;
		uint32_t value;
		size_t left;
		int more, bad, wide;
	} rows[] = {
		{ "\x05\x06", 2, 5, 5, 1, 0, 0, 0 }, { "\x7f", 1, 1, 0x7f, 0, 0, 0, 0 }, { "", 0, 5, 0, 0, 1, 0, 0 },
		{ "\x85", 1, 5, 0, 0, 1, 0, 0 }, { "\x85\x01", 2, 5, 0x85, 0, 0, 0, 0 }, { "\x85\x01", 2, 2, 0x85, 0, 0, 0, 0 },
		{ "\x85\x01", 2, 1, 0, 1, 0, 1, 0 }, { "\x80\x80\x01", 3, 3, 0x4000, 0, 0, 0, 0 },
		{ "\xff\xff\xff\xff\x0f", 5, 5, 0xffffffff, 0, 0, 0, 0 }, { "\xff\xff\xff\xff\x10", 5, 5, 0x0fffffff, 0, 0, 0, 1 },
		{ "\xff\xff\xff\xff\x20", 5, 5, 0x0fffffff, 0, 0, 0, 1 }, { "\xff\xff\xff\xff\x40", 5, 5, 0x0fffffff, 0, 0, 0, 1 },
		{ "\xff\xff\xff\x7f", 4, 4, 0x0fffffff, 0, 0, 0, 0 }, { "\xff\xff\xff\xff\x8f\x01", 6, 5, 0, 1, 0, 1, 0 },
		{ "\xff\xff\xff\xff", 4, 5, 0, 0, 1, 0, 0 },
	};
	struct reader r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r = reader_of(rows[i].bytes, rows[i].len);
		assert_int_equal(get_uleb(&r, rows[i].max), rows[i].value);
		expect_reader("row", i, &r, rows[i].left, rows[i].more, rows[i].bad, rows[i].wide);
	}
}

/* Runs of zeros of each length at each place of a packet: none of `n` is missed. */
static void runs_of_zeros(void **state)
{
	uint8_t p[24];
	unsigned int n, at, len, size;

	(void)state;
	for (n = 1; n <= 8; n++)
		for (size = 1; size <= sizeof(p); size++)
			for (at = 1; at < size; at++) {
				memset(p, 0x55, sizeof(p));
				len = n < size - at ? n : size - at;
				memset(p + at, 0, len);
				if (len == n && !may_have_zeros(p, size, n))
					fail_msg("%u zeros at %u of %u bytes are missed", n, at, size);
			}
	memset(p, 0x55, sizeof(p));
	p[0] = 0;
	assert_false(may_have_zeros(p, sizeof(p), 3));
	assert_false(may_have_zeros(p, 1, 1));
}

static void async_places(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		unsigned int before, least, most;
		size_t skip, size;
	} rows[] = {
		{ "\0\0\0\x80", 4, 0, 3, 5, 0, 4 }, { "\0\0\0\x80", 4, 0, 4, 5, 4, 0 }, { "\1\0\0\0\x80", 5, 0, 3, 5, 1, 4 },
		/* of more zeros than belong to it the last ones do */
		{ "\0\0\0\0\0\0\0\x80", 8, 0, 3, 5, 2, 6 }, { "\0\0\0\0\0\x80", 6, 0, 3, 5, 0, 6 },
		/* an end that has too few, and the next one */
		{ "\0\0\x80\0\0\0\x80", 7, 0, 3, 5, 3, 4 }, { "\x80\x80\0\0\0\x80\0\0\0\x80", 10, 0, 3, 5, 2, 4 },
		/* zeros before the input count for its beginning only */
		{ "\0\x80", 2, 2, 3, 5, 0, 2 }, { "\0\x80", 2, 1, 3, 5, 2, 0 }, { "\x80", 1, 3, 3, 5, 0, 1 }, { "\x80", 1, 2, 3, 5, 1, 0 },
		{ "\1\0\x80", 3, 2, 3, 5, 3, 0 }, { "\1\x80", 2, 9, 3, 5, 2, 0 },
		/* none: zeros at the end may begin one */
		{ "", 0, 0, 3, 5, 0, 0 }, { "\1\2\3", 3, 0, 3, 5, 3, 0 }, { "\1\0\0", 3, 0, 3, 5, 1, 0 },
		{ "\0\0\0\0\0\0\0", 7, 0, 3, 5, 2, 0 },
		{ "\0\0\x80\1\0", 5, 0, 3, 5, 4, 0 },
	};
	struct async_place at;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint8_t *p = (const uint8_t *)rows[i].bytes;

		at = cst_async_find(p, p + rows[i].len, rows[i].before, rows[i].least, rows[i].most);
		if (at.skip != rows[i].skip || at.size != rows[i].size)
			fail_msg("row %zu: %zu bytes behind %zu", i, at.size, at.skip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uleb_numbers),
		cmocka_unit_test(runs_of_zeros), cmocka_unit_test(async_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
