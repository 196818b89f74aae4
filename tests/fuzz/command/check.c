/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c - outputs of commands can be read again by their readers, and shown on a terminal. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstrace/files/files.h>

#include "outputs/cmd/options.h"
#include "session/import/import.h"
#include "fuzz/command/check.h"
#include "fuzz/fuzz_input.h"
#include "perfdata/reader.h"

#define KEPT (1u << 20)		/* bytes of text that are looked at */

/* The length of the character at `p`, 0 if it is not one in UTF-8. */
static unsigned int character(const uint8_t *p, const uint8_t *end, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	unsigned int n = *p < 0x80 ? 0 : *p < 0xc0 ? 9 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf8 ? 3 : 9, i;

	if (n == 9 || end - p <= (ptrdiff_t)n)
		return 0;
	*code = n ? *p & (0x3fu >> n) : *p;
	for (i = 1; i <= n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	return *code >= least[n] ? n + 1 : 0;
}

void check_text(const char *what, const uint8_t *text, size_t len)
{
	const uint8_t *p, *end = text + len;
	unsigned int n;
	uint32_t code;

	for (p = text; p < end; p += n) {
		n = character(p, end, &code);
		if (n && (code == '\n' || code == '\t' || (code >= 0x20 && (code < 0x7f || code >= 0xa0))))
			continue;
		/* the last character may be cut */
		if (!n && end - p < 4 && len == KEPT)
			return;
		fprintf(stderr, "%s has the byte 0x%02x at %zu, after: %.*s\n", what, *p, (size_t)(p - text),
			(int)(p - text < 80 ? p - text : 80), p - text < 80 ? text : p - 80);
		abort();
	}
}

static void check_perf(struct perfdata *pd, const struct error *err)
{
	struct pd_record rec;
	int rc;

	if (!pd)
		fprintf(stderr, "the output cannot be read: %s\n", err->msg);
	CHECK(pd);
	while ((rc = perfdata_next(pd, &rec)))
		if (rc < 0) {
			fprintf(stderr, "a record of the output cannot be read: %s\n", perfdata_error(pd)->msg);
			abort();
		}
	perfdata_close(pd);
}

static void check_folder(const char *out)
{
	struct import_input in = { .pd = NULL };
	struct error err = { .code = 0 };

	if (import_open(&in, out, NULL, &err)) {
		fprintf(stderr, "the output cannot be read: %s\n", err.msg);
		abort();
	}
	perfdata_close(in.pd);
	dso_bundle_free(&in.bundle);
	free(in.configs.v);
}

static size_t contents(int fd, uint8_t *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size, 0);

	return n > 0 ? (size_t)n : 0;
}

static void check_index(const char *out)
{
	int fd = open(out, O_RDONLY | O_CLOEXEC);
	struct cst_index_problem problem;
	struct cst_index_file *f;
	struct stat st;
	uint8_t *buf;

	CHECK(fd >= 0 && !fstat(fd, &st));
	buf = malloc((size_t)st.st_size + 1);
	CHECK(buf && contents(fd, buf, (size_t)st.st_size) == (size_t)st.st_size);
	if (cst_index_read(&f, buf, (size_t)st.st_size, &problem)) {
		fprintf(stderr, "the index cannot be read: %s\n", problem.text);
		abort();
	}
	cst_index_file_free(f);
	free(buf);
	close(fd);
}

static long read_counts(void *data, void *buf, size_t size)
{
	return (long)read(*(int *)data, buf, size);
}

static void check_counts(const char *out, int fd)
{
	struct cst_count_record rec;
	struct cst_count_reader *r;
	const char *what;
	uint64_t place;
	int rc;

	if (out)
		fd = open(out, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && !lseek(fd, 0, SEEK_SET) && !cst_count_reader_new(&r, read_counts, &fd));
	while ((rc = cst_count_read(r, &rec)) == 1)
		;
	place = cst_count_reader_place(r, &what);
	if (rc) {
		fprintf(stderr, "the counts cannot be read: offset %llu: %s\n", (unsigned long long)place, what);
		abort();
	}
	cst_count_reader_free(r);
	if (out)
		close(fd);
}

static void check_listing(const char *out, int fd)
{
	static uint8_t buf[KEPT];
	int file = out ? open(out, O_RDONLY | O_CLOEXEC) : fd;

	CHECK(file >= 0);
	check_text("the output", buf, contents(file, buf, sizeof(buf)));
	if (out)
		close(file);
}

/* A folder whose first page is text. */
static void check_report(const char *out)
{
	char page[PATH_MAX];

	snprintf(page, sizeof(page), "%s/index.html", out);
	check_listing(page, -1);
}

/* Formats whose bytes are not text, other than count files. */
static bool is_binary(const char *format)
{
	return format && (!strcmp(format, "pprof") || !strcmp(format, "propeller") || !strcmp(format, "perfetto"));
}

void check_output(const struct command_line *l, const char *out, int fd)
{
	const char *name = l->command->name, *to = command_line_value(l, "to"), *format = command_line_value(l, "format");
	struct error err = { .code = 0 };

	if (command_line_value(l, "help") || command_line_value(l, "list-opts")) {
		check_listing(NULL, fd);
	} else if (!strcmp(name, "inject")) {
		check_perf(out ? perfdata_open(out, &err) : perfdata_open_fd(fd, "output", &err), &err);
	} else if (!strcmp(name, "convert")) {
		if (to && !strcmp(to, "perf"))
			check_perf(perfdata_open(out, &err), &err);
		else
			check_folder(out);
	} else if (!strcmp(name, "index")) {
		if (out && !command_line_value(l, "show"))
			check_index(out);
		check_listing(NULL, fd);
	} else if (!strcmp(name, "merge") || (!strcmp(name, "profile") && format && !strcmp(format, "cstrace"))) {
		check_counts(out, fd);
	} else if (!strcmp(name, "report")) {
		check_report(out);
	} else if (!is_binary(format)) {
		check_listing(out, fd);
	}
}
