/* SPDX-License-Identifier: BSD-3-Clause */
/* IDs of what inject copies, records that are too long, and the order of what ends a thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "machine/tasks/comms.h"
#include "outputs/synth/sideband.h"
#include "unit/perf-plugin/perfdata_build.h"

#define PMU	8u
#define ST_TRACE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER)
#define ST_OUT		(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define OUT_ID		777u

static const struct pdb_attr attrs[] = {
	{ .sample_type = ST_TRACE, .type = PMU, .size = 112, .sample_id_all = true, .ids = { 5 },
	  .nr_ids = 1 },
	{ .sample_type = ST_TRACE, .type = 1, .config = 9, .size = 112, .sample_id_all = true,
	  .ids = { 6 }, .nr_ids = 1 },
};

static struct pdb_sid sid(uint64_t time, uint64_t id)
{
	return (struct pdb_sid){ .pid = 100, .tid = 100, .time = time, .id = id };
}

static void comm(struct pdb *b, uint32_t tid, const char *name, uint64_t time, uint64_t id)
{
	struct pdb_sid s = sid(time, id);

	pdb_comm(b, 100, tid, name, ST_TRACE, &s);
}

/* FORK or EXIT: pid, ppid, tid, ptid, time. */
static void task(struct pdb *b, uint32_t type, uint32_t tid, uint32_t ptid, uint64_t time, uint64_t id)
{
	struct pdb_sid s = sid(time, id);
	size_t at = pdb_begin(b, type, 0);

	pdb_u32(b, 100);
	pdb_u32(b, 100);
	pdb_u32(b, tid);
	pdb_u32(b, ptid);
	pdb_u64(b, time);
	pdb_sid_put(b, ST_TRACE, &s);
	pdb_end(b, at);
}

static void sample(struct pdb *b, uint64_t id, uint64_t ip, uint64_t time)
{
	size_t at = pdb_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	pdb_u64(b, id);
	pdb_u64(b, ip);
	pdb_u32(b, 100);
	pdb_u32(b, 100);
	pdb_u64(b, time);
	pdb_end(b, at);
}

static struct perfdata *open_file(struct pdb *file, const struct pdb *data)
{
	struct error err;
	struct perfdata *pd;

	pdb_file(file, attrs, 2, 0, data, NULL, 0);
	pd = perfdata_open_memory(file->p, file->len, "test", &err);
	if (!pd)
		fail_msg("%s", err.msg);
	return pd;
}

struct out {
	uint8_t bytes[200000];
	size_t len;
};

static void sink(void *data, const void *bytes, size_t len)
{
	struct out *o = data;

	assert_true(o->len + len <= sizeof(o->bytes));
	memcpy(o->bytes + o->len, bytes, len);
	o->len += len;
}

static uint64_t word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Type, time and id of each record as text. */
static const char *text_of(const struct out *o)
{
	static char text[1024];
	struct perf_event_header h;
	size_t at, used = 0;
	const uint8_t *end;

	text[0] = 0;
	for (at = 0; at < o->len; at += h.size) {
		memcpy(&h, o->bytes + at, sizeof(h));
		assert_true(h.size >= sizeof(h) && at + h.size <= o->len);
		end = o->bytes + at + h.size;
		if (h.type == PERF_RECORD_SAMPLE)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "S%llu@%llu/%llu ",
						 (unsigned long long)word(o->bytes + at + 16),
						 (unsigned long long)word(o->bytes + at + 32),
						 (unsigned long long)word(o->bytes + at + 8));
		else	/* time: third or fourth word from the end, with or without a CPU */
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%u@%llu/%llu ", h.type,
						 (unsigned long long)(word(end - 8) == OUT_ID ?
								      word(end - 24) : word(end - 16)),
						 (unsigned long long)word(end - 8));
	}
	return text;
}

static void collect_all(struct pdb *file, const struct pdb_attr *v, unsigned int nr, const struct pdb *data, struct out *copied,
			uint64_t new_id)
{
	const struct sideband_opts o = { .id = OUT_ID, .sample_type = ST_OUT };
	const struct merge_sink s = { .write = sink, .data = copied };
	struct merge *m = merge_new(&s, ".");
	struct error err = { .code = 0 };
	struct sideband *sb;
	struct perfdata *pd;

	pdb_file(file, v, nr, 0, data, NULL, 0);
	pd = perfdata_open_memory(file->p, file->len, "test", &err);
	assert_non_null(pd);
	sb = sideband_new(pd, PMU);
	assert_int_equal(sideband_new_id(sb, 2), new_id);
	sideband_collect(sb, m, &o);
	assert_int_equal(merge_finish(m), 0);
	sideband_free(sb);
	merge_free(m);
	perfdata_close(pd);
	pdb_free(file);
}

/* An event that is kept has an ID for each CPU: its records and samples keep theirs. */
static void ids_of_cpus(void **state)
{
	static const struct pdb_attr v[] = {
		{ .sample_type = ST_TRACE, .type = PMU, .size = 112, .sample_id_all = true, .ids = { 5 }, .nr_ids = 1 },
		/* inject cannot number its own events from 1000000005 on: these have the first and the third of those numbers */
		{ .sample_type = ST_TRACE, .type = 1, .config = 9, .size = 112, .sample_id_all = true,
		  .ids = { 6, 1000000005, 1000000007 }, .nr_ids = 3 },
	};
	struct pdb data = { .p = NULL }, file = { .p = NULL };
	struct out copied = { .len = 0 };

	(void)state;
	comm(&data, 100, "a", 10, 1000000005);
	comm(&data, 100, "b", 20, 6);
	sample(&data, 1000000007, 0x11, 35);
	collect_all(&file, v, 2, &data, &copied, 1000000008);
	assert_string_equal(text_of(&copied), "3@10/1000000005 3@20/6 S17@35/1000000007 ");
	pdb_free(&data);
}

/* All samples of the output begin with an ID: an only event without one gets the first of its IDs, or 0. */
static void no_identifier(void **state)
{
	struct pdb_attr v = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .type = 1, .config = 9, .size = 112,
			      .sample_id_all = true, .ids = { 42 } };
	struct pdb data = { .p = NULL }, file = { .p = NULL };
	const struct pdb_sid s = sid(10, 0);
	struct out copied;
	size_t at;

	(void)state;
	pdb_comm(&data, 100, 100, "a", v.sample_type, &s);
	at = pdb_begin(&data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	pdb_u64(&data, 0x11);
	pdb_u32(&data, 100);
	pdb_u32(&data, 100);
	pdb_u64(&data, 35);
	pdb_end(&data, at);
	for (v.nr_ids = 0; v.nr_ids < 2; v.nr_ids++) {
		copied.len = 0;
		collect_all(&file, &v, 1, &data, &copied, 1000000000u + (v.nr_ids ? 42 : 0));
		assert_string_equal(text_of(&copied), v.nr_ids ? "3@10/42 S17@35/42 " : "3@10/0 S17@35/0 ");
	}
	pdb_free(&data);
}

/* A record that is too long with the fields that all of the output have is left out; the others stay. */
static void too_long(void **state)
{
	static const struct pdb_attr plain = { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .type = 1, .config = 9, .size = 112,
					       .sample_id_all = true, .ids = { 42 }, .nr_ids = 1 };
	static const size_t sizes[] = { 65528 - 24, 65000, 65528, 65520 };
	static struct out copied;
	struct pdb data[2] = { { .p = NULL }, { .p = NULL } }, file = { .p = NULL };
	struct pdb_sid s;
	size_t i, at;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct pdb *b = &data[i / 2];

		at = pdb_begin(b, i < 2 ? PERF_RECORD_KSYMBOL : PERF_RECORD_SAMPLE, 0);
		if (i < 2) {
			s = sid(10 + i, 6);
			pdb_zero(b, sizes[i] - 8);
			pdb_sid_put(b, ST_TRACE, &s);
		} else {
			pdb_u64(b, 10 + i);
			pdb_u32(b, (uint32_t)sizes[i] - 8 - 8 - 4);
			pdb_zero(b, sizes[i] - 8 - 8 - 4);
		}
		pdb_end(b, at);
	}
	comm(&data[0], 100, "a", 20, 6);
	collect_all(&file, attrs, 2, &data[0], &copied, 1000000005);
	assert_string_equal(text_of(&copied), "17@11/6 3@20/6 ");
	copied.len = 0;
	collect_all(&file, &plain, 1, &data[1], &copied, 1000000042);
	assert_int_equal(copied.len, 65528);
	assert_int_equal(word(copied.bytes + 8), 42);
	assert_int_equal(word(copied.bytes + 16), 13);
	pdb_free(&data[0]);
	pdb_free(&data[1]);
}

/* Threads end behind all other records; records without a time stay where they are, at first before all times. */
static void exits_last(void **state)
{
	struct pdb data = { .p = NULL }, file = { .p = NULL };
	struct out copied = { .len = 0 };
	const struct sideband_opts o = { .id = OUT_ID, .sample_type = ST_OUT, .exits_last = true };
	const struct merge_sink s = { .write = sink, .data = &copied };
	struct merge *m = merge_new(&s, ".");
	struct sideband *sb;
	struct perfdata *pd;

	(void)state;
	comm(&data, 100, "a", UINT64_MAX, 5);
	comm(&data, 100, "b", 20, 6);
	task(&data, PERF_RECORD_EXIT, 100, 100, 30, 6);
	comm(&data, 101, "c", 40, 6);
	comm(&data, 102, "d", UINT64_MAX, 5);
	comm(&data, 103, "e", 35, 6);
	pd = open_file(&file, &data);
	sb = sideband_new(pd, PMU);
	sideband_collect(sb, m, &o);
	assert_int_equal(merge_finish(m), 0);
	assert_string_equal(text_of(&copied), "3@18446744073709551615/777 3@20/6 3@35/6 3@40/6 3@18446744073709551615/777 4@40/6 ");
	sideband_free(sb);
	merge_free(m);
	perfdata_close(pd);
	pdb_free(&data);
	pdb_free(&file);
}

/*
 * A thread that is named and ends at the same time has ended, in whatever order the records are; a new one begins
 * after that.
 */
static void lives(void **state)
{
	const struct sideband_opts o = { .id = OUT_ID, .sample_type = ST_OUT };
	struct pdb data = { .p = NULL }, file = { .p = NULL };
	struct out copied = { .len = 0 };
	const struct merge_sink s = { .write = sink, .data = &copied };
	struct merge *m = merge_new(&s, ".");
	struct sideband *sb;
	struct perfdata *pd;

	(void)state;
	task(&data, PERF_RECORD_EXIT, 100, 100, 50, 6);
	comm(&data, 100, "a", 50, 6);
	comm(&data, 200, "b", 50, 6);
	task(&data, PERF_RECORD_EXIT, 200, 100, 50, 6);
	task(&data, PERF_RECORD_FORK, 200, 100, 70, 6);
	pd = open_file(&file, &data);
	sb = sideband_new(pd, PMU);
	sideband_collect(sb, m, &o);
	assert_int_equal(sideband_alive(sb, 100, 49), 49);
	assert_int_equal(sideband_alive(sb, 100, 60), 50);
	assert_int_equal(sideband_alive(sb, 200, 60), 50);
	assert_int_equal(sideband_alive(sb, 200, 69), 50);
	assert_int_equal(sideband_alive(sb, 200, 70), 70);
	assert_int_equal(sideband_alive(sb, 150, 60), 60);	/* no record names it */
	sideband_free(sb);
	merge_free(m);
	perfdata_close(pd);
	pdb_free(&data);
	pdb_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_of_cpus), cmocka_unit_test(no_identifier),
		cmocka_unit_test(too_long), cmocka_unit_test(exits_last), cmocka_unit_test(lives),
	};

	return cmocka_run_group_tests_name("synth sideband", tests, NULL, NULL);
}
