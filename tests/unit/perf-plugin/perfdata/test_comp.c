/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed records of the writer: perf 6.1 can expand each of them alone, they hold the records
 * in their order, for every number of threads, and the reader takes them whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/input.h"
#include "parts.h"
#include "perfdata/comp.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "unit/temp_dir.h"

/* Of records that the reader returns unread. */
#define UNKNOWN_TYPE 1000

TEMP_DIR("comp")

/* Bytes of records, which are made or were expanded. */
struct bytes {
	uint8_t *p;
	size_t len, cap;
};

static uint8_t *more(struct bytes *b, size_t n)
{
	if (b->len + n > b->cap) {
		b->cap = 2 * (b->len + n);
		b->p = realloc(b->p, b->cap);
		assert_non_null(b->p);
	}
	b->len += n;
	return b->p + b->len - n;
}

static uint64_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 24;
}

/* What is in a record behind its header: anything, the same again and again, or some of both. */
enum kind { NOISE, SAME, MIXED };

static void add_record(struct bytes *b, enum kind kind, size_t size, uint64_t *seed)
{
	struct perf_event_header h = { .type = UNKNOWN_TYPE, .size = (uint16_t)size };
	uint8_t *p = more(b, size);
	size_t i;

	memset(p, 'x', size);
	for (i = sizeof(h); kind != SAME && i < size; i++)
		if (kind == NOISE || !(random_next(seed) & 63))
			p[i] = (uint8_t)random_next(seed);
	memcpy(p, &h, sizeof(h));
}

/* A size of a record: mostly those of samples, now and then the smallest and the largest. */
static size_t any_size(uint64_t *seed)
{
	uint64_t r = random_next(seed) & 31;

	return r ? r == 1 ? 65528 : 8 + (random_next(seed) & 0xff8) : 8;
}

static size_t size_at(const uint8_t *p)
{
	struct perf_event_header h;

	memcpy(&h, p, sizeof(h));
	return h.size;
}

static int take(void *data, const void *bytes, size_t len)
{
	memcpy(more(data, len), bytes, len);
	return 0;
}

/* Compresses records. */
static void compress(const struct bytes *from, struct bytes *to, int level, unsigned int threads)
{
	struct pd_comp_opts o = { .level = level, .threads = threads, .write = take, .data = to };
	struct pd_comp *c = pd_comp_new(&o);
	uint8_t *chunk = pd_comp_chunk(c);
	size_t at, n;

	to->len = 0;
	for (at = 0; at < from->len; at += n) {
		n = pd_comp_fit(from->p + at, from->len - at, PD_COMP_CHUNK);
		assert_true(n);
		memcpy(chunk, from->p + at, n);
		if (at + n == from->len)
			break;
		chunk = pd_comp_next(c, n);
	}
	pd_comp_finish(c, from->len - at);
	assert_int_equal(pd_comp_error(c), 0);
	pd_comp_free(c);
}

/* What compressed records must be, and what they hold. */
struct packed {
	unsigned int records;
	unsigned int inside;	/* that end inside a record */
};

static struct packed expand(const struct bytes *from, struct bytes *to)
{
	struct packed found = { 0, 0 };
	size_t at, n, size, part, border = 0;

	to->len = 0;
#if HAS_ZSTD
	for (at = 0; at < from->len; at += size) {
		const uint8_t *frame = from->p + at + 8;
		unsigned long long content;

		size = size_at(from->p + at);
		assert_true(size > 8 && size <= 65535 && size <= from->len - at);
		assert_int_equal(from->p[at], PERF_RECORD_COMPRESSED);
		content = ZSTD_getFrameContentSize(frame, size - 8);
		assert_true(content && content <= PD_COMP_CHUNK);
		assert_true(content <= (size - 8) * PD_EXPAND_RATIO);
		assert_int_equal(ZSTD_findFrameCompressedSize(frame, size - 8), size - 8);
		n = ZSTD_decompress(more(to, content), content, frame, size - 8);
		assert_int_equal(n, content);
		found.records++;
		while (border < to->len) {
			part = size_at(to->p + border);
			if (to->len - border < part)
				break;
			border += part;
		}
		found.inside += border != to->len;
	}
#else
	(void)from;
	(void)at;
	(void)n;
	(void)size;
	(void)part;
	(void)border;
#endif
	return found;
}

static void same(const struct bytes *a, const struct bytes *b)
{
	assert_int_equal(a->len, b->len);
	assert_memory_equal(a->p, b->p, a->len);
}

/* Each record is one frame; they hold what was written, the same for every number of threads. */
static void test_any_records(void **state)
{
	static const unsigned int threads[] = { 2, 3, 40 };
	static const int levels[] = { 1, 5, 9, PD_COMP_MAX_LEVEL };
	struct bytes raw = { 0 }, one = { 0 }, several = { 0 }, again = { 0 };
	uint64_t seed = 1;
	unsigned int i, t;

	(void)state;
	NEEDS(ZSTD);
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		raw.len = 0;
		while (raw.len < 3 * PD_COMP_CHUNK)
			add_record(&raw, random_next(&seed) % 3, any_size(&seed), &seed);
		compress(&raw, &one, levels[i], 1);
		expand(&one, &again);
		same(&raw, &again);
		for (t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
			compress(&raw, &several, levels[i], threads[t]);
			same(&one, &several);
		}
	}
	free(raw.p);
	free(one.p);
	free(several.p);
	free(again.p);
}

/* How many compressed records become of records of one size and kind in one chunk. */
static void test_cuts(void **state)
{
	static const struct {
		enum kind kind;
		size_t size, bytes;
		unsigned int records, inside;
	} rows[] = {
		/* one that fits */
		{ MIXED, 4096, 4096, 1, 0 }, { NOISE, 65000, 65000, 1, 0 },
		{ MIXED, 512, PD_COMP_CHUNK, 1, 0 },
		/* noise of 256 KiB: of 64 KiB a record has no room for the frame as well */
		{ NOISE, 1024, PD_COMP_CHUNK, 8, 0 },
		/* the largest record, of noise: nothing but a cut inside it helps */
		{ NOISE, 65528, 65528, 2, 1 },
		{ NOISE, 65528, 3 * 65528, 6, 3 },
		/* more than PD_EXPAND_RATIO times as large as their frames */
		{ SAME, 64, 2048, 1, 0 }, { SAME, 8, 8, 1, 0 },
	};
	struct bytes raw = { 0 }, packed = { 0 }, again = { 0 };
	struct packed found;
	uint64_t seed = 2;
	size_t i;

	(void)state;
	NEEDS(ZSTD);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		raw.len = 0;
		while (raw.len < rows[i].bytes)
			add_record(&raw, rows[i].kind, rows[i].size, &seed);
		compress(&raw, &packed, 1, 1);
		found = expand(&packed, &again);
		same(&raw, &again);
		if (found.records != rows[i].records || found.inside != rows[i].inside)
			fail_msg("row %zu: %u records, %u end inside", i, found.records,
				 found.inside);
	}
	/* the same again and again, in records of any size: expand() checks the ratio */
	for (i = 8; i <= 65528; i = 8 * (i / 8 * 3 / 2 + 1)) {
		raw.len = 0;
		while (raw.len + i <= PD_COMP_CHUNK)
			add_record(&raw, SAME, i, &seed);
		compress(&raw, &packed, PD_COMP_MAX_LEVEL, 1);
		found = expand(&packed, &again);
		same(&raw, &again);
		/* the halves of 256 KiB; of some records of 3 KiB and more a half begins inside */
		assert_in_range(found.records, 2, 1024);
		if (i <= 1024)
			assert_int_equal(found.inside, 0);
	}
	free(raw.p);
	free(packed.p);
	free(again.p);
}

static int refuse(void *data, const void *bytes, size_t len)
{
	(void)bytes;
	(void)len;
	return ++*(unsigned int *)data < 3 ? 0 : ERR_IO;
}

/* Nothing is written after an error, which the thread that fills learns of. */
static void test_error(void **state)
{
	unsigned int threads, calls, i;
	struct bytes raw = { 0 };
	uint64_t seed = 3;

	(void)state;
	NEEDS(ZSTD);
	while (raw.len < 4096)
		add_record(&raw, MIXED, 256, &seed);
	for (threads = 1; threads < 5; threads++) {
		struct pd_comp_opts o = { .level = 1, .threads = threads, .write = refuse,
					  .data = &calls };
		struct pd_comp *c = pd_comp_new(&o);
		uint8_t *chunk = pd_comp_chunk(c);

		calls = 0;
		for (i = 0; i < 100; i++) {
			memcpy(chunk, raw.p, raw.len);
			chunk = pd_comp_next(c, raw.len);
		}
		pd_comp_finish(c, 0);
		assert_int_equal(pd_comp_error(c), ERR_IO);
		assert_int_equal(calls, 3);
		pd_comp_free(c);
		/* given up with chunks that no thread has begun */
		c = pd_comp_new(&o);
		chunk = pd_comp_chunk(c);
		for (i = 0; i < 2 * threads; i++) {
			memcpy(chunk, raw.p, raw.len);
			chunk = pd_comp_next(c, raw.len);
		}
		pd_comp_free(c);
	}
	free(raw.p);
}

/* ---- the writer ----------------------------------------------------------------------------- */

static struct perf_writer *begin(const char *path, int level, unsigned int threads)
{
	static const uint64_t id = 7001;
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .sample_period = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW,
	};
	struct perf_writer *w;
	struct error err;

	input_forget_all();	/* of the file before */
	w = pw_open(path, &err);
	assert_non_null(w);
	assert_int_equal(pw_add_attr(w, &attr, &id, 1, "event", &err), 0);
	pw_set_compression(w, level, threads);
	assert_int_equal(pw_start(w, &err), 0);
	assert_int_equal(pw_data_bytes(w), 0);
	return w;
}

static void end(struct perf_writer *w)
{
	struct error err;

	assert_false(pw_failed(w));
	if (pw_finish(w, &err))
		fail_msg("%s", err.msg);
}

/* Samples with a number and raw data, whose sizes differ. */
static void make_samples(struct bytes *b, unsigned int n)
{
	uint64_t v[3] = { 0, 7001, 0 };
	unsigned int i;

	for (i = 0; i < n; i++) {
		size_t size = 32 + 8 * (i % 50);
		uint8_t *p = more(b, size);
		struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .size = (uint16_t)size };

		memset(p, (int)(i / 7), size);
		memcpy(&v[0], &h, sizeof(h));
		v[2] = size - 20;	/* the size of raw data, behind which it begins */
		memcpy(p, v, 20);
		memcpy(p + 20, &i, sizeof(i));
	}
}

static void read_samples(const char *path, unsigned int n)
{
	struct pd_record r;
	struct perfdata *pd;
	unsigned int i = 0, number;
	struct error err;
	int rc;

	pd = perfdata_open(path, &err);
	assert_non_null(pd);
	while ((rc = perfdata_next(pd, &r))) {
		if (rc < 0)
			fail_msg("%s", perfdata_error(pd)->msg);
		if (r.ev->header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&number, (const uint8_t *)r.ev + 20, sizeof(number));
		assert_int_equal(number, i++);
	}
	assert_int_equal(i, n);
	assert_int_equal(perfdata_nr_warnings(pd), 0);
	perfdata_close(pd);
}

/* A file does not depend on how many records are written at once, nor on the number of threads. */
static void test_file(void **state)
{
	enum { SAMPLES = 20000 };
	struct bytes raw = { 0 };
	char *first = NULL, *content;
	size_t at, n, len = 0, size, way;
	static const size_t most[] = { 500, 500, 500, 300000, 300000, SIZE_MAX };
	struct perf_writer *w;

	(void)state;
	NEEDS(ZSTD);
	make_samples(&raw, SAMPLES);
	for (way = 0; way < 6; way++) {
		w = begin(temp_path(dir, "file"), 3, way == 0 ? 1 : (unsigned int)way);
		for (at = 0; at < raw.len; at += n) {
			n = pd_comp_fit(raw.p + at, raw.len - at, most[way]);
			if (way & 1 && n <= 65536) {
				memcpy(pw_reserve(w, n), raw.p + at, n);
				pw_commit(w, n);
			} else {
				pw_write(w, raw.p + at, n);
			}
			assert_int_equal(pw_data_bytes(w), at + n);
		}
		end(w);
		content = temp_content(temp_path(dir, "file"), &size);
		if (first) {
			assert_int_equal(size, len);
			assert_memory_equal(content, first, len);
			free(content);
		} else {
			first = content;
			len = size;
		}
		read_samples(temp_path(dir, "file"), SAMPLES);
	}
	assert_true(len < raw.len / 5);
	free(first);
	free(raw.p);
}

static void expect_feature(const struct perfdata *pd, uint32_t level, uint32_t ratio)
{
	const struct pd_feature_bytes *f = &perfdata_env(pd)->raw[PD_FEAT_COMPRESSED];
	uint32_t v[5];

	assert_non_null(f->ptr);
	assert_in_range(f->len, sizeof(v), sizeof(v) + 4);	/* padded in a pipe */
	memcpy(v, f->ptr, sizeof(v));
	assert_int_equal(v[0], 0);
	assert_int_equal(v[1], 1);
	assert_int_equal(v[2], level);
	assert_int_equal(v[3], ratio);
	assert_int_equal(v[4], PD_COMP_CHUNK);
}

/* The feature has the ratio of the whole, rounded. */
static void test_feature(void **state)
{
	static const unsigned int samples[] = { 1, 3, 5000 };
	const struct pd_stats *stats;
	struct bytes raw = { 0 };
	struct perf_writer *w;
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	uint64_t packed;
	unsigned int i;

	(void)state;
	NEEDS(ZSTD);
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		raw.len = 0;
		make_samples(&raw, samples[i]);
		w = begin(temp_path(dir, "feature"), 7, 2);
		pw_write(w, raw.p, raw.len);
		end(w);
		pd = perfdata_open(temp_path(dir, "feature"), &err);
		assert_non_null(pd);
		while (perfdata_next(pd, &r) > 0)
			;
		stats = perfdata_stats(pd);
		assert_int_equal(stats->records, samples[i]);
		assert_int_equal(stats->expanded_bytes, raw.len);
		packed = stats->compressed_bytes + 8 * stats->compressed_records;
		expect_feature(pd, 7, (uint32_t)((double)raw.len / (double)packed + 0.5));
		perfdata_close(pd);
	}
	free(raw.p);
}

/* A pipe: features and build-ids are plain, before the records and behind them. */
static void test_pipe(void **state)
{
	struct bytes raw = { 0 };
	struct perf_writer *w;
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	char *content, command[256], types[8] = { 0 };
	unsigned int i = 0;
	size_t at, len;
	FILE *f;

	(void)state;
	NEEDS(ZSTD);
	make_samples(&raw, 1000);
	/* what is no regular file gets the form of a pipe */
	assert_int_equal(mkfifo(temp_path(dir, "fifo"), 0600), 0);
	snprintf(command, sizeof(command), "cat %s/fifo >%s/pipe", dir, dir);
	f = popen(command, "r");
	assert_non_null(f);
	w = begin(temp_path(dir, "fifo"), 1, 3);
	pw_write(w, raw.p, raw.len);
	pw_set_sample_time(w, 1, 2);
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 20, "/bin/a"), 0);
	end(w);
	pclose(f);
	content = temp_content(temp_path(dir, "pipe"), &len);
	for (at = 16; at < len; at += size_at((uint8_t *)content + at)) {
		assert_true(i < sizeof(types) - 1);
		types[i++] = content[at];
	}
	/* ATTR, EVENT_UPDATE, FEATURE; COMPRESSED; FEATURE, BUILD_ID */
	assert_string_equal(types, "\100\116\120\121\120\103");
	free(content);
	read_samples(temp_path(dir, "pipe"), 1000);
	pd = perfdata_open(temp_path(dir, "pipe"), &err);
	assert_non_null(pd);
	while (perfdata_next(pd, &r) > 0)
		;
	expect_feature(pd, 1, 0);
	assert_int_equal(perfdata_env(pd)->sample_time_last, 2);
	assert_int_equal(perfdata_env(pd)->nr_build_ids, 1);
	perfdata_close(pd);
	free(raw.p);
}

/* More than the reader expands from any file, of samples that are all alike. */
static void test_limit(void **state)
{
	struct perf_writer *w;
	struct bytes raw = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	struct error err;
	uint64_t n = 0, seed = 4;
	int rc;

	(void)state;
	NEEDS(ZSTD);
	while (raw.len < 1u << 20)
		add_record(&raw, SAME, 24576, &seed);
	w = begin(temp_path(dir, "alike"), 1, 2);
	while (pw_data_bytes(w) <= PD_EXPAND_FLOOR + PD_EXPAND_FLOOR / 2)
		pw_write(w, raw.p, raw.len);
	n = pw_data_bytes(w) / 24576;
	end(w);
	pd = perfdata_open(temp_path(dir, "alike"), &err);
	assert_non_null(pd);
	while ((rc = perfdata_next(pd, &r))) {
		if (rc < 0)
			fail_msg("%s", perfdata_error(pd)->msg);
		n--;
	}
	assert_int_equal(n, 0);
	assert_true(perfdata_stats(pd)->compressed_bytes < perfdata_stats(pd)->expanded_bytes / 50);
	perfdata_close(pd);
	free(raw.p);
}

/* Without room the output fails as a plain one does, and nothing is left behind. */
static void test_failure(void **state)
{
	struct perf_writer *w;
	struct bytes raw = { 0 };
	struct error err;
	uint64_t seed = 5;
	unsigned int i;

	(void)state;
	NEEDS(ZSTD);
	while (raw.len < PD_COMP_CHUNK - 2048)
		add_record(&raw, NOISE, 2048, &seed);
	w = begin("/dev/full", 1, 3);
	for (i = 0; i < 200 && !pw_failed(w); i++)
		pw_write(w, raw.p, raw.len);
	assert_true(i < 200);
	assert_int_equal(pw_finish(w, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "No space left"));
	w = begin(temp_path(dir, "aborted"), 1, 3);
	for (i = 0; i < 10; i++)
		pw_write(w, raw.p, raw.len);
	pw_abort(w);
	assert_int_not_equal(access(temp_path(dir, "aborted"), F_OK), 0);
	free(raw.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_records), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_error), cmocka_unit_test(test_file),
		cmocka_unit_test(test_feature), cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_limit), cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests_name("compressed records", tests, make_dir, remove_dir);
}
