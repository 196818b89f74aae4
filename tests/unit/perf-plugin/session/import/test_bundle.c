/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a package beside its records: which are used, and what is reported of those that have no place in perf.data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/import/bundle.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("bundle")

#define DROPPED "cstrace convert: out: dropped: "

/* Fills a bundle, or none, from these contents and checks the messages and how much was dropped. */
static void fill(const char *contents, struct dso_bundle *bundle, const char *want, uint64_t dropped)
{
	struct folder f = { .dir = dir, .who = "cstrace test", .package = true };
	struct cst_package_image image = { "core", "/bin/prog", "" };
	struct cst_package pkg = { .images = &image, .n_images = 1 };
	struct drops drops = { .name = "out" };
	static char hidden[4096];
	struct said said;

	assert_int_equal(cst_doc_new(&pkg.contents, 0), 0);
	assert_int_equal(cst_doc_parse(pkg.contents, contents, strlen(contents), NULL), 0);
	said_begin(&said);
	bundle_fill(bundle, &pkg, &f, &drops);
	said_end(&said);
	temp_hide(dir, said.text, hidden, sizeof(hidden));
	assert_string_equal(hidden, want);
	assert_int_equal(drops.count, dropped);
	cst_doc_free(pkg.contents);
	folder_free(&f);
}

static void files(void **state)
{
	static const char whole[] = "[kernel]\nkcore=core\nkallsyms=symbols\n[jitdump0]\nfile=core\nname=/tmp/jit-1.dump\n"
				    "[jitdump1]\nfile=symbols\npid=77\n[jitdump2]\nname=nothing\n[jit]\nfile=core\n";
	struct dso_bundle b = { .kcore = NULL };

	(void)state;
	temp_write(dir, "core", "x", 1);
	temp_write(dir, "symbols", "x", 1);
	fill(whole, &b, "", 0);
	assert_string_equal(b.kcore, temp_path(dir, "core"));
	assert_string_equal(b.kallsyms, temp_path(dir, "symbols"));
	assert_int_equal(b.images.nr, 1);
	assert_string_equal(b.images.v[0].path, "/bin/prog");
	assert_string_equal(b.images.v[0].file, temp_path(dir, "core"));
	assert_int_equal(b.jitdumps.nr, 2);
	assert_string_equal(b.jitdumps.v[0].path, "/tmp/jit-1.dump");
	assert_string_equal(b.jitdumps.v[0].file, temp_path(dir, "core"));
	assert_int_equal(b.jitdumps.v[0].pid, -1);
	assert_string_equal(b.jitdumps.v[1].path, temp_path(dir, "symbols"));
	assert_int_equal(b.jitdumps.v[1].pid, 77);
	dso_bundle_free(&b);
	/* without a bundle options can name them */
	fill(whole, NULL, DROPPED "the copy of kernel memory; name it with --kcore DIR/core\n"
	     DROPPED "a jitdump file; name it with --jitdump DIR/core\n"
	     DROPPED "a jitdump file; name it with --jitdump 77:DIR/symbols\n", 3);
	fill("[kernel]\nkallsyms=symbols\n", NULL, DROPPED "the symbols of the kernel; name them with --kallsyms DIR/symbols\n", 1);
	fill("[other]\nkcore=core\n", NULL, "", 0);
	fill("[jitdump0]\nfile=core\npid=x\n", &b, DROPPED "[jitdump0] pid: found 'x', expected the number of a process\n", 1);
	assert_int_equal(b.jitdumps.v[0].pid, -1);
	dso_bundle_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(files), };

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
