/* SPDX-License-Identifier: BSD-3-Clause */
/* test_base_sha1.c - SHA-1 of known texts, whole and in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha1.h"

static const char *hex(const char *text, size_t len, size_t piece)
{
	static char out[2 * SHA1_SIZE + 1];
	uint8_t digest[SHA1_SIZE];
	struct sha1 s;
	size_t i, n;

	sha1_init(&s);
	for (i = 0; i < len; i += n) {
		n = len - i < piece ? len - i : piece;
		sha1_add(&s, text + i, n);
	}
	sha1_end(&s, digest);
	for (i = 0; i < SHA1_SIZE; i++)
		sprintf(out + 2 * i, "%02x", digest[i]);
	return out;
}

static void known(void **state)
{
	static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	static char many[1000000];
	size_t piece;

	(void)state;
	memset(many, 'a', sizeof(many));
	assert_string_equal(hex("", 0, 1), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
	assert_string_equal(hex("abc", 3, 3), "a9993e364706816aba3e25717850c26c9cd0d89d");
	for (piece = 1; piece < 60; piece++)
		assert_string_equal(hex(text, strlen(text), piece), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
	for (piece = 1; piece < 300; piece += 7)
		assert_string_equal(hex(many, sizeof(many), piece), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
	for (piece = 55; piece <= 65; piece++)
		assert_string_equal(hex(many, 119, piece), hex(many, 119, 119));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known) };

	return cmocka_run_group_tests_name("SHA-1", tests, NULL, NULL);
}
