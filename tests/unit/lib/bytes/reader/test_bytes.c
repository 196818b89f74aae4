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

static void little_endian_numbers(void **state)
{
	static const uint8_t bytes[] = { 0x81, 0x92, 0xa3, 0xb4, 0xc5 };
	static const uint32_t values[] = { 0, 0x81, 0x9281, 0xa39281, 0xb4a39281 };
	struct reader r;
	size_t n, len;

	(void)state;
	for (n = 1; n <= 4; n++) {
		for (len = 0; len <= 5; len++) {
			r = reader_of(bytes, len);
			assert_int_equal(get_le(&r, (unsigned int)n), len < n ? 0 : values[n]);
			expect_reader("bytes", n, &r, len < n ? 0 : len - n, len < n, 0, 0);
			/* behind a bad value nothing is read */
			r = reader_of(bytes, len);
			r.bad = 1;
			assert_int_equal(get_le(&r, (unsigned int)n), 0);
			expect_reader("bad bytes", n, &r, len, 0, 1, 0);
		}
	}
	/* bytes that were needed before are needed still */
	r = reader_of(bytes, 5);
	r.more = 1;
	r.bad = 1;
	assert_int_equal(get_le(&r, 2), 0);
	expect_reader("needed bytes", 2, &r, 5, 1, 1, 0);
	r.bad = 0;
	assert_int_equal(get_le(&r, 2), values[2]);
	expect_reader("needed bytes", 2, &r, 3, 1, 0, 0);
}

static void low_bits_of_numbers(void **state)
{
	(void)state;
	assert_true(low_bits(0) == 0);
	assert_true(low_bits(1) == 1);
	assert_true(low_bits(63) == UINT64_MAX >> 1);
	assert_true(low_bits(64) == UINT64_MAX);
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

/* The last byte that is possible has all the rest of the bits, eight or fewer; bits beyond the width are dropped. */
static void numbers_in_groups(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		unsigned int full, bits;
		uint64_t value;
		size_t left;
		int more, wide;
	} rows[] = {
		{ "\x05\x06", 2, 32, 7, 5, 1, 0, 0 }, { "\x85\x06\x07", 3, 48, 14, 0x305, 1, 0, 0 },
		{ "\x80\x80\x01", 3, 64, 21, 0x4000, 0, 0, 0 },
		{ "\xff\xff\xff\xff\x0f\x01", 6, 32, 32, 0xffffffff, 1, 0, 0 },
		{ "\xff\xff\xff\xff\x1f", 5, 32, 32, 0xffffffff, 0, 0, 1 },
		{ "\xff\xff\xff\xff\x80", 5, 32, 32, 0x0fffffff, 0, 0, 8 },
		{ "\x80\x80\x80\x80\x80\x80\x3f\x01", 8, 48, 48, 0xfc0000000000, 1, 0, 0 },
		{ "\x80\x80\x80\x80\x80\x80\x7f", 7, 48, 48, 0xfc0000000000, 0, 0, 1 },
		{ "\x80\x80\x80\x80\x80\x80\x80\x80\xff\x01", 10, 64, 64, 0xff00000000000000, 1, 0, 0 },
		{ "\x80\x80\x80\x80\x80\x80\x80\x7f\xff", 9, 64, 56, 0xfe000000000000, 1, 0, 0 },
		{ "", 0, 64, 7, 0, 0, 1, 0 }, { "\x85", 1, 64, 14, 5, 0, 1, 0 },
	};
	struct reader r;
	uint64_t value, ts;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r = reader_of(rows[i].bytes, rows[i].len);
		assert_int_equal(get_groups(&r, rows[i].full, &value), rows[i].bits);
		if (value != rows[i].value)
			fail_msg("row %zu: 0x%llx", i, (unsigned long long)value);
		expect_reader("row", i, &r, rows[i].left, rows[i].more, 0, rows[i].wide);
		/* a timestamp keeps the bits that were not sent */
		r = reader_of(rows[i].bytes, rows[i].len);
		ts = UINT64_MAX;
		assert_int_equal(get_timestamp(&r, rows[i].full, &ts), rows[i].bits);
		assert_true(ts == (value | (rows[i].bits < 64 ? UINT64_MAX << rows[i].bits : 0)));
	}
}

/* The time is known when each of its bits was sent since the last loss, in one packet. */
static void times_that_are_known(void **state)
{
	static const uint8_t some[] = { 0x85, 0x06 }, whole48[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 },
			     whole64[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x03 };
	struct cst_config cfg = { .ts64 = 0 };
	struct cst_packet pkt = { .ts = 1 };
	struct times t = { 0, 0 };
	struct reader r;

	(void)state;
	r = reader_of(some, sizeof(some));
	assert_int_equal(get_time(&r, &cfg, &t, &pkt), 0);
	assert_int_equal(pkt.ts_bits, 14);
	assert_int_equal(pkt.ts, 0);
	assert_int_equal(pkt.value, 0x305);
	r = reader_of(whole48, sizeof(whole48));
	assert_int_equal(get_time(&r, &cfg, &t, &pkt), 1);
	assert_int_equal(pkt.ts_bits, 48);
	assert_int_equal(pkt.ts, 1ull << 42);
	r = reader_of(some, sizeof(some));
	assert_int_equal(get_time(&r, &cfg, &t, &pkt), 1);
	assert_int_equal(pkt.ts_bits, 14);
	assert_int_equal(pkt.ts, 1ull << 42 | 0x305);
	assert_int_equal(pkt.value, pkt.ts);
	/* of 64 bits 48 do not do; sent as a Gray code the value is that, the time is the number */
	cfg.ts64 = 1;
	cfg.ts_gray = 1;
	r = reader_of(some, sizeof(some));
	assert_int_equal(get_time(&r, &cfg, &t, &pkt), 0);
	assert_int_equal(pkt.ts, 0);
	r = reader_of(whole64, sizeof(whole64));
	assert_int_equal(get_time(&r, &cfg, &t, &pkt), 1);
	assert_int_equal(pkt.ts_bits, 64);
	assert_true(pkt.value == 3ull << 56);
	assert_true(pkt.ts == 1ull << 57);
}

static void zeros(void **state)
{
	static const uint8_t p[] = { 0, 0, 1, 0, 0, 0 }, none[4];

	(void)state;
	assert_int_equal(zeros_before(p, p + 6, 10), 3);
	assert_int_equal(zeros_before(p, p + 6, 3), 3);
	assert_int_equal(zeros_before(p, p + 6, 2), 2);
	assert_int_equal(zeros_before(p, p + 6, 0), 0);
	assert_int_equal(zeros_before(p, p + 3, 10), 0);
	assert_int_equal(zeros_before(p, p + 2, 10), 2);
	assert_int_equal(zeros_before(p, p, 10), 0);
	/* zeros before the input count if nothing else is in it */
	assert_int_equal(zeros_after(p, p + 6, 5, 10), 3);
	assert_int_equal(zeros_after(p, p + 2, 5, 10), 7);
	assert_int_equal(zeros_after(p, p + 2, 5, 6), 6);
	assert_int_equal(zeros_after(p, p, 5, 10), 5);
	assert_int_equal(zeros_after(none, none + 4, 0, 3), 3);
	assert_int_equal(zeros_after(none, none + 4, 2, 4), 4);
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
		cmocka_unit_test(little_endian_numbers), cmocka_unit_test(low_bits_of_numbers), cmocka_unit_test(uleb_numbers),
		cmocka_unit_test(numbers_in_groups), cmocka_unit_test(times_that_are_known), cmocka_unit_test(zeros),
		cmocka_unit_test(runs_of_zeros), cmocka_unit_test(async_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
