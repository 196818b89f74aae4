/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any files as a trace package, made into records. The input holds the files one after the other, with a
 * byte 0x1c between them: contents.ini, trace.ini, log, perf.header, buffer. The records can be read again, and
 * each one becomes an event that gives the same record.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstrace/files/files.h>

#include "session/import/import.h"
#include "outputs/export/event_of.h"
#include "session/import/events.h"

#define SEPARATOR 0x1c
#define TEXT_SIZE (1u << 19)

static const char *const names[] = { "contents.ini", "trace.ini", "log", "perf.header", "buffer" };

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static char dir[] = "/tmp/fuzz-import-XXXXXX";
static struct event_build build;
static char text[TEXT_SIZE];

static void require(int ok)
{
	if (!ok)
		abort();
}

static void remove_all(void)
{
	char path[64];
	size_t i;

	for (i = 0; i < NR_NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

/* Every broken input makes messages; those of the fuzzer and the sanitizer still come out. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *null = fopen("/dev/null", "w");

	(void)argc;
	(void)argv;
	if (null)
		stderr = null;
	require(mkdtemp(dir) != NULL);
	atexit(remove_all);
	return 0;
}

static void put_file(const char *name, const uint8_t *data, size_t len)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	close(fd);
}

struct compare {
	const struct pd_record *rec;
	unsigned int nr;
};

static void same(void *data, const void *record, size_t size)
{
	struct compare *c = data;

	require(!c->nr++ && size == c->rec->ev->header.size && !memcmp(record, c->rec->ev, size));
}

static void to_text_and_back(const struct pd_record *rec, const struct perfdata *pd)
{
	const struct source_names none = { .nr = 0 };
	struct compare c = { .rec = rec };
	struct record_maker m = { .header = pd, .sources = &none, .own = true, .emit = same, .data = &c };
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev = { 0 };
	int64_t len;

	event_of_record(&build, rec, &none, pd);
	len = cst_event_write(&build.ev, text, sizeof(text));
	require(len > 0 && len <= (int64_t)sizeof(text));
	require(!cst_event_reader_new(&r, text, (size_t)len, 0));
	require(cst_event_next(r, &ev, &why) == 1);
	records_of_event(&m, &ev, ev.time == CST_EVENT_NO_TIME ? 0 : ev.time);
	require(c.nr == 1);
	cst_event_reader_free(r);
}

static void read_back(struct perfdata *pd)
{
	struct pd_record rec;
	int rc;

	while ((rc = perfdata_next(pd, &rec)))
		if (rc > 0 && rec.ev->header.type != PERF_RECORD_AUXTRACE)
			to_text_and_back(&rec, pd);
}

static void convert(bool own)
{
	struct drops drops = { .name = dir };
	struct dso_bundle images = { .kcore = NULL };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct perf_writer *w;
	struct perfdata *pd;
	struct error err;

	require(fd >= 0);
	w = pw_open_fd(fd, "fuzz", &err);
	require(w != NULL);
	if (import_package(dir, own, w, &images, &drops, &err)) {
		pw_abort(w);
	} else {
		require(!pw_finish(w, &err));
		pd = perfdata_open_fd(fd, "fuzz", &err);
		require(pd != NULL);
		read_back(pd);
		perfdata_close(pd);
	}
	dso_bundle_free(&images);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end;
	size_t i, n;

	for (i = 0; i < NR_NAMES; i++) {
		end = i + 1 < NR_NAMES ? memchr(data, SEPARATOR, size) : NULL;
		n = end ? (size_t)(end - data) : size;
		put_file(names[i], data, n);
		n += end != NULL;
		data += n;
		size -= n;
	}
	convert(true);
	convert(false);
	return 0;
}
