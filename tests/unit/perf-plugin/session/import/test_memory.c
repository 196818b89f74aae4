/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packages and snapshots, written and read where one allocation fails: the call says so, nothing is left of an output, and
 * nothing of what was made before is lost (the sanitized build). The Makefile lets the allocations go through here.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/input.h"
#include "base/format.h"
#include "outputs/export/export.h"
#include "session/import/import.h"
#include "unit/failing_alloc.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("refusals")

/* ---- allocations ----------------------------------------------------------------------------------- */

static bool armed;	/* `failing` was set: 0 there means that an allocation was refused */

/* As in perf-cstrace, where cmd/malloc.c notes each refusal: no output is completed after one. */
bool __wrap_memory_refused(void);
bool __wrap_memory_refused(void)
{
	return armed && !failing;
}

/* The table of inputs grows with some files only. */
int __real_input_note_path(const char *path);
int __wrap_input_note_path(const char *path);
int __wrap_input_note_path(const char *path)
{
	return alloc_refused(0) ? ERR_NOMEM : __real_input_note_path(path);
}

char *__wrap_format_text(const char *fmt, ...)
{
	va_list args;
	char *text;

	if (alloc_refused(0))
		return NULL;
	va_start(args, fmt);
	text = format_args(fmt, args);
	va_end(args);
	return text;
}

/* ---- what is done ---------------------------------------------------------------------------------- */

static struct perfdata *recording;

static void make_data(struct pdb *data)
{
	struct pdb trace = { 0 };

	sb_side_band(data, "/loop");
	sb_trace_at(&trace, SB_TID, SB_BASE + ELF_CODE_OFFSET, 0);
	sb_stretch(data, &trace, 0, SB_RAW);
	pdb_free(&trace);
}

static int write_package(struct error *err)
{
	const struct export_package_opts o = { .output = temp_path(dir, "out"), .origin = { .input = "test" } };
	struct drops drops = { .name = "out" };

	return export_package(recording, NULL, &o, &drops, err);
}

static int read_in(const char *name, struct error *err)
{
	struct import_input in;
	int rc;

	input_forget_all();
	rc = import_open(&in, temp_path(dir, name), NULL, err);
	if (rc) {
		assert_null(in.configs.v);
		return rc;
	}
	perfdata_close(in.pd);
	dso_bundle_free(&in.bundle);
	free(in.configs.v);
	return 0;
}

static int read_package(struct error *err)
{
	return read_in("package", err);
}

static int read_snapshot(struct error *err)
{
	return read_in("snapshot", err);
}

/* A session of the recording of make_data(), in which no allocation fails before it is used. */
static struct session *open_session(void)
{
	const struct session_opts so = { .symfs = dir };
	struct pdb data = { 0 };
	const size_t was = failing;
	const bool was_armed = armed;
	struct session *ss;

	failing = armed = 0;
	make_data(&data);
	ss = sb_open(&data, &so, NULL);
	failing = was;
	armed = was_armed;
	return ss;
}

static int write_images_as(const char *name, struct error *err)
{
	const struct export_package_opts o = { .output = temp_path(dir, name), .images = true,
					       .origin = { .input = "test", .symfs = dir } };
	struct drops drops = { .name = "out" };
	struct session *ss = open_session();
	int rc = export_package(session_perfdata(ss), ss, &o, &drops, err);

	session_close(ss);
	return rc;
}

static int write_images(struct error *err)
{
	return write_images_as("out", err);
}

static int write_snapshot_as(const char *name, struct error *err)
{
	const struct export_snapshot_opts o = { .output = temp_path(dir, name), .pid = -1,
						.origin = { .input = "test", .symfs = dir } };
	struct drops drops = { .name = "out" };
	struct session *ss = open_session();
	int rc = export_snapshot(ss, &o, &drops, err);

	session_close(ss);
	return rc;
}

static int write_snapshot(struct error *err)
{
	return write_snapshot_as("out", err);
}

/*
 * Each allocation from number `first` on fails (those before it find out the kind of a folder). With `writes` that is an
 * error each time; what is only read may be right without it, and the command ends with exit code 1 (base/memory.h). After an
 * error nothing was written, and the message says why.
 */
static void fail_each(int (*work)(struct error *err), unsigned int first, bool writes)
{
	struct said said;
	struct error err;
	unsigned int n;
	int rc;

	for (n = first;; n++) {
		memset(&err, 0, sizeof(err));
		said_begin(&said);
		failing = n;
		armed = true;
		rc = work(&err);
		armed = false;
		if (failing)
			break;
		said_end(&said);
		if (writes && !rc)
			fail_msg("allocation %u was refused, and the output is complete", n);
		if (rc && (!err.code || !(strstr(err.msg, "memory") || strstr(said.text, "memory"))))
			fail_msg("allocation %u: error %d, reported as %d: %s", n, rc, err.code, err.msg);
		if (rc)
			assert_int_equal(access(temp_path(dir, "out"), F_OK), -1);
		else
			assert_int_equal(temp_remove(temp_path(dir, "out")), 0);
	}
	failing = 0;
	said_end(&said);
	assert_int_equal(rc, 0);
	assert_int_equal(temp_remove(temp_path(dir, "out")), 0);
}

static void packages(void **state)
{
	struct pdb data = { 0 }, file = { 0 };
	struct error err;
	FILE *contents;

	(void)state;
	make_data(&data);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	recording = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(recording);
	assert_int_equal(write_images_as("package", &err), 0);
	contents = fopen(temp_path(dir, "package/contents.ini"), "a");
	assert_non_null(contents);
	fputs("[kernel]\nkcore=core\nkallsyms=symbols\n[jitdump0]\nfile=core\nname=/tmp/jit-1.dump\n", contents);
	assert_int_equal(fclose(contents), 0);
	temp_write(dir, "package/core", "x", 1);
	temp_write(dir, "package/symbols", "x", 1);
	fail_each(write_package, 1, true);
	fail_each(read_package, 3, false);
	perfdata_close(recording);
	pdb_free(&file);
	fail_each(write_images, 1, true);
}

static void snapshots(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(write_snapshot_as("snapshot", &err), 0);
	fail_each(write_snapshot, 1, true);
	fail_each(read_snapshot, 2, false);
}

static int make_files(void **state)
{
	uint8_t image[ELF_SIZE];

	if (make_dir(state))
		return -1;
	elf_build(image, EM_AARCH64, 0x11, true);
	temp_write(dir, "loop", image, sizeof(image));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(packages), cmocka_unit_test(snapshots) };

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
