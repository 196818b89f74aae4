/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in text for people: what is shown as it is, what is escaped, and that JSON gives every byte back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/name.h"

static void sane_names_stay(void **state)
{
	static const char *const names[] = {
		"", "perf", "/usr/lib/x y/libc.so.6", "a\\b\"c'`$;", "[vdso]", "std::vector<int>::~vector()",
		"f\xc3\xa4hig", "\xe4\xbd\xa0\xe5\xa5\xbd", "\xf0\x9f\x98\x80", "\xc2\xa0", "\xed\x9f\xbf", "\xee\x80\x80",
		"\xf4\x8f\xbf\xbf", "\xe0\xa0\x80", "\xf0\x90\x80\x80", "\xdf\xbf", "\xef\xbf\xbd",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_ptr_equal(name_shown(names[i]), names[i]);
}

/* Names are read eight bytes at a time: one byte that has to be escaped is found at every place. */
static void each_place(void **state)
{
	char name[32];
	size_t len, at;
	int c;

	(void)state;
	for (len = 1; len < 28; len++)
		for (at = 0; at < len; at++)
			for (c = 1; c < 256; c++) {
				bool shown = c >= 0x20 && c < 0x7f;

				memset(name, c & 1 ? ' ' : '~', len);
				name[len] = 0;
				name[at] = (char)c;
				assert_int_equal(name_plain_len(name), shown ? len : 0);
				assert_true((name_shown(name) == name) == shown);
			}
}

static void others_are_escaped(void **state)
{
	static const struct {
		const char *name, *shown;
	} names[] = {
		{ "\x1b[31mR\nZ\"", "\\x1b[31mR\\x0aZ\"" },
		{ "a\tb\r", "a\\x09b\\x0d" },
		{ "\x7f", "\\x7f" },
		{ "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0" },	/* C1, then U+00A0 */
		{ "\x9b" "2J", "\\x9b2J" },			/* a C1 byte of Latin-1 */
		{ "\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf" },	/* longer than need be */
		{ "\xe0\x9f\xbf\xf0\x8f\xbf\xbf", "\\xe0\\x9f\\xbf\\xf0\\x8f\\xbf\\xbf" },	/* as well, the last ones */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },		/* a surrogate */
		{ "\xed\xbf\xbf", "\\xed\\xbf\\xbf" },		/* the last one */
		{ "\xf4\x90\x80\x80\xf5", "\\xf4\\x90\\x80\\x80\\xf5" },	/* beyond U+10FFFF */
		{ "x\xe4\xbd", "x\\xe4\\xbd" },			/* cut */
		{ "\xe4\xbd\xa0\x01", "\xe4\xbd\xa0\\x01" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(name_shown(names[i].name), names[i].shown);
}

/* Several in one message, and a name that is longer than any copy. */
static void copies(void **state)
{
	char *name = malloc(3 * NAME_SHOWN_MAX);
	const char *shown[8];
	char one[2] = "", want[8];
	int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		one[0] = (char)(i + 1);
		shown[i] = name_shown(one);
	}
	for (i = 0; i < 8; i++) {
		snprintf(want, sizeof(want), "\\x%02x", (unsigned int)(i + 1));
		assert_string_equal(shown[i], want);
	}
	memset(name, 1, 3 * NAME_SHOWN_MAX - 1);
	name[3 * NAME_SHOWN_MAX - 1] = 0;
	shown[0] = name_shown(name);
	assert_int_equal(strlen(shown[0]), NAME_SHOWN_MAX + 3);
	assert_string_equal(shown[0] + NAME_SHOWN_MAX - 4, "\\x01...");
	memset(name, 'a', 3 * NAME_SHOWN_MAX - 1);
	assert_ptr_equal(name_shown(name), name);
	free(name);
}

static void messages(void **state)
{
	char text[8] = "a\nb", small[6] = "\n\n";
	struct error err;

	(void)state;
	name_escape(text, sizeof(text));
	assert_string_equal(text, "a\\x0ab");
	name_escape(small, 0);
	assert_string_equal(small, "\n\n");
	name_escape(small, sizeof(small));
	assert_string_equal(small, "\\x0a\\");
	assert_int_equal(error_set(&err, ERR_IO, "%s: gone", "\x1b]0;x\a"), ERR_IO);
	assert_string_equal(err.msg, "\\x1b]0;x\\x07: gone");
}

static void json(void **state)
{
	char name[256], out[2000], cut[8], *end;
	int i;

	(void)state;
	for (i = 1; i < 256; i++)
		name[i - 1] = (char)i;
	name[255] = 0;
	end = name_json(out, out + sizeof(out), name);
	*end = 0;
	for (i = 0; out + i < end; i++)
		assert_in_range((uint8_t)out[i], 0x20, 0x7e);
	assert_non_null(strstr(out, "\"\\u0001"));
	assert_non_null(strstr(out, "!\\\"#"));
	assert_non_null(strstr(out, "[\\\\]"));
	assert_non_null(strstr(out, "~\\u007f\\u0080"));
	assert_true(end - out == 2 + 95 + 2 + 6 * (31 + 1 + 128));
	assert_true(end[-1] == '"' && !strncmp(end - 7, "\\u00ff", 6));
	end = name_json(cut, cut + sizeof(cut), "ab\ncd");
	assert_true(end == cut + 4 && !memcmp(cut, "\"ab\"", 4));
	end = name_json(cut, cut + sizeof(cut), "abcdefghijk");
	assert_true(end == cut + sizeof(cut) && end[-1] == '"');
}

static void words(void **state)
{
	char *word = name_word("a\tb\nc\\td \x1b\xff");

	(void)state;
	assert_string_equal(word, "a\\tb\\nc\\\\td \x1b\xff");
	free(word);
	word = name_word("");
	assert_string_equal(word, "");
	free(word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sane_names_stay), cmocka_unit_test(each_place),
		cmocka_unit_test(others_are_escaped), cmocka_unit_test(copies),
		cmocka_unit_test(messages), cmocka_unit_test(json),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
