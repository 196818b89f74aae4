/* SPDX-License-Identifier: BSD-3-Clause */
/* The copies of kernel files that a directory of perf.data has, as files of a package: which are taken and what is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "outputs/export/images.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("kernel")

static struct said said;
static uint64_t dropped;

/* Copies the kernel files of the folder "in" into a package. Returns what was reported. */
static const char *copy(struct cst_doc **doc)
{
	static char reported[2048];
	const char *to = temp_path(dir, "out"), *in = temp_path(dir, "in");
	struct drops drops = { .name = "out" };
	struct outdir out;
	struct error err = { .msg = "" };

	temp_remove(to);
	said_begin(&said);
	assert_int_equal(outdir_open(&out, to, &err), 0);
	assert_int_equal(images_copy_recorded(&out, in, doc, &drops, &err), 0);
	assert_int_equal(outdir_finish(&out, &err), 0);
	said_end(&said);
	dropped = drops.count;
	temp_hide(dir, said.text, reported, sizeof(reported));
	return reported;
}

/* The file of the package that contents.ini is to name. NULL: none. */
static const char *entry(const struct cst_doc *doc, const char *key)
{
	const struct cst_item *item = cst_doc_item(cst_doc_section(doc, "kernel"), key);

	return item ? item->value : NULL;
}

/* A file is taken if it begins as the file of /proc does. */
static void contents(void **state)
{
	static const struct {
		const char *name, *text;
		bool taken;
	} cases[] = {
		{ "kcore", "\177ELF", true }, { "kcore", "\177ELG", false }, { "kcore", "", false }, { "kcore", "ELF", false },
		{ "kallsyms", "ffff800010080000 T _text\n", true }, { "kallsyms", "80008000 t x\n", true },
		{ "kallsyms", "8000800 t x\n", false }, { "kallsyms", "", false }, { "kallsyms", "ffff8000100g0000 T _text\n", false },
		{ "kallsyms", "ffff800010080000\tT _text\n", false }, { "kallsyms", "ffff800010080000 1 _text\n", false },
		{ "kallsyms", "ffff800010080000 TT _text\n", false }, { "kallsyms", " T x\n", false },
		{ "modules", "", true }, { "modules", "nf_tables 307200 0 - Live 0xffff800001234000\n", true }, { "modules", "a 1 ", true },
		{ "modules", "nf_tables 307200\n", false }, { "modules", "nf_tables x 0\n", false }, { "modules", " 1 0\n", false },
		{ "modules", "nf_tables\n307200 0\n", false }, { "modules", "nf_tables  0\n", false }, { "modules", "\n", false },
	};
	static const char *const names[] = { "kcore", "kallsyms", "modules" };
	char path[64], want[200], text[200];
	struct cst_doc *doc;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		temp_remove(temp_path(dir, "in"));
		snprintf(path, sizeof(path), "in/kcore_dir/%s", cases[i].name);
		temp_write(dir, path, cases[i].text, strlen(cases[i].text));
		snprintf(want, sizeof(want), "cstrace convert: out: dropped: DIR/in/kcore_dir/%s: it is not a copy of /proc/%s\n",
			 cases[i].name, cases[i].name);
		assert_string_equal(copy(&doc), cases[i].taken ? "" : want);
		assert_int_equal(dropped, !cases[i].taken);
		for (k = 0; k < 3; k++) {
			snprintf(want, sizeof(want), "kcore_dir/%s", names[k]);
			if (cases[i].taken && !strcmp(names[k], cases[i].name)) {
				assert_string_equal(entry(doc, names[k]), want);
				snprintf(path, sizeof(path), "out/kcore_dir/%s", names[k]);
				temp_read(temp_path(dir, path), text, sizeof(text));
				assert_string_equal(text, cases[i].text);
			} else {
				assert_null(entry(doc, names[k]));
			}
		}
		cst_doc_free(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
