/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_package.c - trace packages from memory: what is read, each key missing in turn, names that leave the
 * package, limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/files/package.h>

#define MAX_FILES 6
/* 40 times "./" */
#define DOTS10 "././././././././././"
#define DOTS DOTS10 DOTS10 DOTS10 DOTS10

struct files {
	struct {
		const char *name, *text;
	} f[MAX_FILES];
	int notes, error;
	int any_dots;	/* "././a" is "a" */
	unsigned int line;
	char file[64], section[64], item[32], text[128];
};

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct files *fs = ctx;
	size_t i;

	while (fs->any_dots && !strncmp(name, "./", 2))
		name += 2;
	for (i = 0; i < MAX_FILES && fs->f[i].name; i++)
		if (!strcmp(fs->f[i].name, name)) {
			*data = (const uint8_t *)fs->f[i].text;
			*len = strlen(fs->f[i].text);
			return 0;
		}
	return -1;
}

static void note(void *ctx, const struct cst_snap_note *n)
{
	struct files *fs = ctx;

	assert_true(n->error < 0);
	fs->notes++;
	fs->error = n->error;
	fs->line = n->line;
	snprintf(fs->file, sizeof(fs->file), "%s", n->file);
	snprintf(fs->section, sizeof(fs->section), "%s", n->section);
	snprintf(fs->item, sizeof(fs->item), "%s", n->item);
	snprintf(fs->text, sizeof(fs->text), "%s", n->text);
}

static const char contents[] =
	"[trace]\nmetadata=trace.ini\nbuffer1=b1.data\nbuffer0=b0.data, b0-more.data\nbuffer10=b10.data\n"
	"metadata10=sink.ini\nevent_log=system-event-log\nevent_time=ticks\nevent_frequency=1000000\n"
	"[image0]\nfile=images/ls\nname=\"/bin/l;s\"\nuuid=ab12\n[image1]\nfile=vmlinux\n"
	"[memory0]\nfile=vdso.bin\naddress=0xffff8000\noffset=16\nlength=4096\npid=7\n"
	"[code]\njit-1=code/jit.bin\n[x_mine]\nkept=yes\n";
static const char trace_ini[] = "[buffer0]\nformat: coresight\n[buffer1]\nformat: source_data\n[trace_16]\nformat: ITM\n";
static const char sink_ini[] = "[buffer]\nformat: coresight\n[trace_16]\nformat: STM\n";

static struct files good(void)
{
	struct files fs = { .f = { { "contents.ini", contents }, { "trace.ini", trace_ini },
				   { "sink.ini", sink_ini } } };

	return fs;
}

static int read_package(struct files *fs, struct cst_package **pkg, struct cst_snap_limits limits)
{
	struct cst_snap_io io = { .ctx = fs, .open = open_file, .note = note, .limits = limits };

	return cst_package_read(pkg, &io, NULL);
}

static void test_everything(void **state)
{
	struct files fs = good();
	struct cst_package *pkg;

	(void)state;
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), 0);
	assert_int_equal(fs.notes, 0);
	assert_int_equal(pkg->n_skipped, 0);
	assert_int_equal(pkg->n_buffers, 3);
	assert_string_equal(pkg->buffers[0].id, "buffer0");
	assert_int_equal(pkg->buffers[0].n_files, 2);
	assert_string_equal(pkg->buffers[0].files[1], "b0-more.data");
	assert_int_equal(pkg->buffers[0].format, CST_META_FMT_CORESIGHT);
	assert_string_equal(pkg->buffers[1].id, "buffer1");
	assert_int_equal(pkg->buffers[1].format, CST_META_FMT_SOURCE_DATA);
	assert_string_equal(pkg->buffers[2].id, "buffer10");
	assert_int_equal(pkg->n_metadata, 2);
	assert_ptr_equal(pkg->buffers[0].metadata, pkg->buffers[1].metadata);
	assert_int_equal(cst_meta_by_id(pkg->buffers[0].metadata, 16)->kind, CST_META_ITM);
	assert_int_equal(cst_meta_by_id(pkg->buffers[2].metadata, 16)->kind, CST_META_STP);
	assert_string_equal(pkg->event_log, "system-event-log");
	assert_int_equal(pkg->event_frequency, 1000000);
	assert_int_equal(pkg->n_images, 2);
	assert_string_equal(pkg->images[0].name, "/bin/l;s");
	assert_string_equal(pkg->images[0].uuid, "ab12");
	assert_string_equal(pkg->images[1].name, "vmlinux");
	assert_string_equal(pkg->images[1].uuid, "");
	assert_int_equal(pkg->n_memory, 1);
	assert_int_equal(pkg->memory[0].address, 0xffff8000);
	assert_int_equal(pkg->memory[0].offset, 16);
	assert_int_equal(pkg->memory[0].length, 4096);
	assert_int_equal(pkg->memory[0].pid, 7);
	assert_int_equal(pkg->n_code, 1);
	assert_string_equal(pkg->code[0].id, "jit-1");
	assert_string_equal(pkg->code[0].file, "code/jit.bin");
	assert_string_equal(cst_doc_item(cst_doc_section(pkg->contents, "x_mine"), "kept")->value, "yes");
	cst_package_free(pkg);
	/* each description is read once, whichever of several a buffer names */
	fs.f[0].text = "[trace]\nmetadata=trace.ini\nbuffer0=a\nmetadata1=sink.ini\nbuffer1=b\nmetadata2=sink.ini\nbuffer2=c\n"
		       "metadata3=trace.ini\nbuffer3=d\n";
	fs.f[1].text = sink_ini;
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), 0);
	assert_int_equal(pkg->n_metadata, 2);
	assert_ptr_equal(pkg->buffers[0].metadata, pkg->metadata[0]);
	assert_ptr_equal(pkg->buffers[1].metadata, pkg->metadata[1]);
	assert_ptr_equal(pkg->buffers[2].metadata, pkg->metadata[1]);
	assert_ptr_equal(pkg->buffers[3].metadata, pkg->metadata[0]);
	cst_package_free(pkg);
}

/* The example of the specification. */
static void test_specification(void **state)
{
	struct files fs = good();
	struct cst_package *pkg;

	(void)state;
	fs.f[0].text = "[trace]\nmetadata=trace.ini\nbuffer0=cluster0.data\nbuffer1=cluster1.data\n";
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), 0);
	assert_int_equal(pkg->n_buffers, 2);
	assert_null(pkg->event_log);
	cst_package_free(pkg);
}

/* Each key of a file is taken away in turn: an error or a note that names it, or it is optional. */
static size_t remove_each(size_t file, const char *optional)
{
	struct files fs = good();
	const char *line, *next, *whole = fs.f[file].text;
	struct cst_package *pkg;
	char text[2048], key[64];
	size_t named = 0, n;
	int err;

	for (line = whole; *line; line = next) {
		next = strchr(line, '\n') + 1;
		if (*line == '[')
			continue;
		snprintf(text, sizeof(text), "%.*s%s", (int)(line - whole), whole, next);
		fs = good();
		if (!file)
			fs.f[1].text = "[buffer]\nformat: coresight\n";	/* of all buffers */
		fs.f[file].text = text;
		err = read_package(&fs, &pkg, (struct cst_snap_limits){ 0 });
		n = strcspn(line, "=:\n");
		snprintf(key, sizeof(key), " %.*s ", (int)n, line);
		if (strstr(optional, key)) {
			if (err || fs.notes)
				fail_msg("without%s: %s", key, fs.text);
		} else {
			assert_true(fs.notes > 0);
			assert_string_equal(fs.file, fs.f[file].name);
			key[n + 1] = '\0';
			if (strcmp(fs.item, key + 1))
				fail_msg("without %s it names [%s] %s: %s", key, fs.section, fs.item, fs.text);
			if (err)
				assert_null(pkg);
			else
				assert_true(pkg->n_skipped > 0);
			named++;
		}
		if (!err)
			cst_package_free(pkg);
	}
	return named;
}

static void test_missing(void **state)
{
	(void)state;
	assert_int_equal(remove_each(0, " buffer1 buffer0 buffer10 metadata10 event_log name uuid offset length pid "
				     "jit-1 kept "), 7);
	assert_int_equal(remove_each(1, ""), 3);
	assert_int_equal(remove_each(2, ""), 2);
}

static void test_no_buffers(void **state)
{
	struct files fs = good();
	struct cst_package *pkg;

	(void)state;
	fs.f[0].text = "[trace]\nmetadata=trace.ini\nbuffer01=a\nbufferx=a\nbuffer=a\n";
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_NOT_FOUND);
	assert_string_equal(fs.item, "buffer0");
	fs.f[0].text = "[trace]\nmetadata=trace.ini\nbuffer0=a\nBUFFER0=b\n";
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_CONFLICT);
	fs.f[0].text = "[trace]\nmetadata=trace.ini\nbuffer0=,\n";
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_NOT_FOUND);
}

static void test_names(void **state)
{
	static const char *const bad[] = { "", "/etc/passwd", "..", "../x", "a/../b", "a/..", "a\nb", "a\\b" };
	static const char *const fine[] = { "a", "a/b", "..a", "a..b/c.", ".hidden", "a//b", "./a" };
	struct files fs = good();
	struct cst_package *pkg;
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(cst_package_name_ok(bad[i]));
	for (i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		assert_true(cst_package_name_ok(fine[i]));
	for (i = 1; i < 6; i++) {
		snprintf(text, sizeof(text), "[trace]\nmetadata=trace.ini\nbuffer0=%s\n", bad[i]);
		fs.f[0].text = text;
		assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_SYNTAX);
		assert_string_equal(fs.item, "buffer0");
		snprintf(text, sizeof(text), "[trace]\nmetadata=%s\nbuffer0=a\n", bad[i]);
		assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_SYNTAX);
		snprintf(text, sizeof(text), "[trace]\nmetadata=trace.ini\nbuffer0=a\nevent_time=ns\nevent_log=%s\n",
			 bad[i]);
		assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_SYNTAX);
		snprintf(text, sizeof(text), "[trace]\nmetadata=trace.ini\nbuffer0=a\n[image]\nfile=%s\n"
			 "[memory]\nfile=%s\naddress=0\n[code]\nx=%s\n", bad[i], bad[i], bad[i]);
		assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), 0);
		assert_int_equal(pkg->n_skipped, 3);
		cst_package_free(pkg);
	}
}

static void test_wrong_values(void **state)
{
	static const struct {
		const char *text, *item;
	} cases[] = {
		{ "event_log=l\nevent_time=us\n", "event_time" },
		{ "event_log=l\nevent_time=ticks\nevent_frequency=0\n", "event_frequency" },
		{ "event_log=l\nevent_time=ticks\nevent_frequency=1MHz\n", "event_frequency" },
	};
	struct files fs = good();
	struct cst_package *pkg;
	char text[512];
	size_t i;

	(void)state;
	fs.f[0].text = text;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "[trace]\nmetadata=trace.ini\nbuffer0=a\n%s", cases[i].text);
		assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_SYNTAX);
		assert_string_equal(fs.item, cases[i].item);
		assert_true(fs.line > 3);
	}
	snprintf(text, sizeof(text), "[trace]\nmetadata=trace.ini\nbuffer0=a\n[memory]\nfile=a\naddress=x\n[memory0]\nfile=a\n"
		 "[memory1]\nfile=a\naddress=1\npid=-2\n[memory2]\nfile=a\naddress=1\npid=0x8000000000000000\n"
		 "[memory3]\nfile=a\naddress=1\npid=0x7fffffffffffffff\n");
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), 0);
	assert_int_equal(pkg->n_skipped, 4);
	assert_int_equal(pkg->n_memory, 1);
	assert_int_equal(pkg->memory[0].pid, INT64_MAX);
	cst_package_free(pkg);
	snprintf(text, sizeof(text), "[trace]\nmetadata=none.ini\nbuffer0=a\n");
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_IO);
	assert_string_equal(fs.file, "none.ini");
	fs.f[0].name = "other";
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_IO);
	assert_string_equal(fs.file, "contents.ini");
}

static void test_limits(void **state)
{
	struct files fs = good();
	struct cst_package *pkg;
	char *text = malloc(8300 * 16 + 64), *p = text;
	static char padded[2500];
	int i;

	(void)state;
	assert_non_null(text);
	/* up to the limit: the longest file, 4096 buffers */
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ .text = sizeof(contents) - 1 }), 0);
	cst_package_free(pkg);
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ .text = sizeof(contents) - 2 }), -CST_ERR_LIMIT);
	assert_string_equal(fs.text, "file is too large for a description");
	assert_int_equal(fs.line, 0);	/* the whole file */
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ .memory = 1000 }), -CST_ERR_LIMIT);
	/* one block of memory, of which the files of a buffer leave less and less: each thing in turn does not fit */
	fs.f[0].text = text;
	for (i = 1600, p = NULL; i < 2048 || (!p && i < 8192); i++) {
		int k, err, n = sprintf(text, "[trace]\nmetadata2=sink.ini\nbuffer2=");

		for (k = 0; k < i; k++)
			n += sprintf(text + n, "a,");
		sprintf(text + n, "\n%s", strchr(contents, '\n') + 1);
		err = read_package(&fs, &pkg, (struct cst_snap_limits){ .memory = 65536 });
		if (err && !p)
			p = text;
		assert_int_equal(err, p ? -CST_ERR_LIMIT : 0);
		if (p)
			assert_string_equal(fs.text, "package needs more memory than is there or allowed");
		cst_package_free(pkg);
	}
	assert_non_null(p);
	p = text;
	p += sprintf(p, "[trace]\nmetadata=trace.ini\n");
	for (i = 0; i < 4096; i++)
		p += sprintf(p, "buffer%d=a\n", i);
	fs.f[0].text = text;
	fs.f[1].text = "[buffer]\nformat: coresight\n[trace_16]\nformat: ITM\n";
	if (read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }))
		fail_msg("%s:%u: %s %s", fs.file, fs.line, fs.item, fs.text);
	assert_int_equal(pkg->n_buffers, 4096);
	cst_package_free(pkg);
	sprintf(p, "buffer4096=a\n");
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_LIMIT);
	for (; i < 8300; i++)
		p += sprintf(p, "x%d=a\n", i);	/* other items than buffers are limited, too */
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ 0 }), -CST_ERR_LIMIT);
	/* one description under many names is read as many times */
	p = text + sprintf(text, "[trace]\n");
	for (i = 0; i < 40; i++) {
		p += sprintf(p, "buffer%d=a\nmetadata%d=", i, i);
		p += sprintf(p, "%.*strace.ini\n", 2 * i, DOTS);
	}
	fs = good();
	fs.f[0].text = text;
	fs.f[1].text = sink_ini;
	fs.any_dots = 1;
	if (read_package(&fs, &pkg, (struct cst_snap_limits){ .text = 5000 }))
		fail_msg("%s:%u: %s %s", fs.file, fs.line, fs.item, fs.text);
	cst_package_free(pkg);
	/* 40 times 2000 bytes are 16 times the limit of one */
	memset(padded, '\n', 2000);
	memcpy(padded, sink_ini, sizeof(sink_ini) - 1);
	fs.f[1].text = padded;
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ .text = 5000 }), 0);
	cst_package_free(pkg);
	padded[2000] = '\n';
	assert_int_equal(read_package(&fs, &pkg, (struct cst_snap_limits){ .text = 5000 }), -CST_ERR_LIMIT);
	assert_string_equal(fs.text, "metadata files are too large together");
	free(text);
	assert_int_equal(cst_package_read(&pkg, NULL, NULL), -CST_ERR_INVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_specification),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_no_buffers),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_wrong_values),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
