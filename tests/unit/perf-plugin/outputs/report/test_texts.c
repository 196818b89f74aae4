/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of source texts, names of the files of a report, and text in its pages, in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/report/internal.h"
#include "unit/temp_dir.h"

TEMP_DIR("report-texts")

/* Lines end with a line feed; what is behind the last one is a line, unless it is empty. */
static void lines(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		unsigned int n;
		const char *line[3];
	} row[] = {
		{ "", 0, 0, { NULL } }, { "\n", 1, 1, { "" } }, { "a", 1, 1, { "a" } }, { "a\n", 2, 1, { "a" } },
		{ "a\nbc", 4, 2, { "a", "bc" } }, { "a\n\nb\n", 5, 3, { "a", "", "b" } }, { "\n\n", 2, 2, { "", "" } },
		/* no text */
		{ "a\nb\0c\n", 6, 0, { NULL } },
	};
	char path[100], name[32];
	const struct text *t;
	const char *line;
	struct texts ts;
	size_t i, n;
	unsigned int k;

	(void)state;
	texts_init(&ts, NULL, NULL);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(name, sizeof(name), "lines/%zu.c", i);
		temp_write(dir, name, row[i].text, row[i].len);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		t = texts_of(&ts, (uint32_t)i, path);
		assert_int_equal(t->nr_lines, row[i].n);
		for (k = 1; k <= row[i].n; k++) {
			assert_true(text_line(t, k, &line, &n));
			if (n != strlen(row[i].line[k - 1]) || memcmp(line, row[i].line[k - 1], n))
				fail_msg("text %zu, line %u: '%.*s', expected '%s'", i, k, (int)n, line, row[i].line[k - 1]);
		}
		assert_false(text_line(t, 0, &line, &n));
		assert_false(text_line(t, row[i].n + 1, &line, &n));
	}
	texts_free(&ts);
}

/* Only a folder with no other names is taken for a report. */
static void names(void **state)
{
	static const char *const own[] = {
		"index.html", "functions.html", "flame.html", "flame-up.html", "files.html",
		"style.css", "f1.html", "s1.html", "f1234567890.html", "s12-3.html", "f0.html",
		"threads.html", "timeline.html", "t1.html", "t12-up.html"
	}, *const others[] = {
		"", "index.htm", "Index.html", "index.html2", "f.html", "s.html", "s-1.html",
		"s1-.html", "s1-2-3.html", "s1-a.html", "g1.html", "f1", "f1.htm", "f1.html.bak",
		"f1a.html", "sf1.html", "f1-up.html", "t-up.html", "t1-up2.html", "t1-2.html",
		"1.html", "style.css~"
	};
	char name[PAGE_NAME];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!report_kind.has(own[i]))
			fail_msg("%s is not a file of a report", own[i]);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (report_kind.has(others[i]))
			fail_msg("%s is a file of a report", others[i]);
	assert_string_equal(report_source_page(name, 7, 0), "s7.html");
	assert_string_equal(report_source_page(name, 7, 1), "s7.html");
	assert_string_equal(report_source_page(name, 7, REPORT_LINES), "s7.html");
	assert_string_equal(report_source_page(name, 7, REPORT_LINES + 1), "s7-2.html");
	assert_string_equal(report_source_page(name, UINT32_MAX, UINT32_MAX), "s4294967295-1431656.html");
}

/* A page that is larger than the buffer is whole; text is escaped wherever its pieces end, and no character of it is divided. */
static void pieces(void **state)
{
	enum { TEXT = 200000 };
	static const char *const special[] = { "&", "<", ">", "\"", "'", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\t" };
	static const char *const shown[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\t" };
	static char text[TEXT + 64], want[6 * TEXT], got[6 * TEXT];
	static const struct page_script script = { "text", "'none'" };
	struct error err = { .code = 0 };
	struct page *p = calloc(1, sizeof(*p));
	struct outdir out;
	char path[100];
	size_t n = 0, m = 0, k;

	(void)state;
	assert_non_null(p);
	for (k = 0; n < TEXT; k++) {
		/* special characters at all distances from each other, tabs among them */
		memset(text + n, 'a' + (int)(k % 26), k % 37);
		memset(want + m, 'a' + (int)(k % 26), k % 37);
		n += k % 37;
		m += k % 37;
		memcpy(text + n, special[k % 9], strlen(special[k % 9]));
		memcpy(want + m, shown[k % 9], strlen(shown[k % 9]));
		n += strlen(special[k % 9]);
		m += strlen(shown[k % 9]);
	}
	text[n] = want[m] = 0;
	snprintf(path, sizeof(path), "%s/pieces", dir);
	assert_int_equal(outdir_open(&out, path, &err), 0);
	page_init(p, &out, 0, &err);
	page_file(p, "style.css", "");
	p->fd = outdir_create(&out, "s1.html", &err);
	p->script = &script;
	snprintf(p->name, sizeof(p->name), "s1.html");
	page_source(p, text, n);
	/* without tabs, each piece is as long as it may be */
	page_html(p, "\n");
	for (k = 0; k < n; k++)
		if (text[k] == '\t')
			text[k] = '_';
	page_source(p, text, n);
	page_end(p);
	assert_int_equal(outdir_finish(&out, &err), 0);
	snprintf(path, sizeof(path), "%s/pieces/s1.html", dir);
	temp_read(path, got, sizeof(got));
	assert_true(strlen(got) > 2 * m);
	assert_memory_equal(got, want, m);
	assert_int_equal(got[m], '\n');
	for (k = 0; k < m; k++)
		if (want[k] == '\t')
			want[k] = '_';
	assert_memory_equal(got + m + 1, want, m);
	assert_string_equal(got + 2 * m + 1, "</main>\n<script>text</script>\n</body>\n</html>\n");
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines), cmocka_unit_test(names), cmocka_unit_test(pieces),
	};

	return cmocka_run_group_tests_name("texts of a report", tests, make_dir, remove_dir);
}
