/* SPDX-License-Identifier: BSD-3-Clause */
/* Which bytes of a buffer make a fragment: gaps, padding, chunks over each other, records that overlap or come out of order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/time.h"
#include "machine/buffers/queues.h"

#define MAX	4

#define AUX_FORMAT_RAW	0x100u	/* in the flags of an AUX record */

#define SAME	0x100u	/* in the size of a chunk */

/* Chunk N has letters 'a' + N, or with SAME those of the one before. A fragment is shown as its offset, its bytes, and the time before which nothing of it ran. */
static const struct {
	const char *what;
	struct {
		uint64_t offset, size;
	} chunk[MAX];
	struct {
		uint64_t offset, size, time, flags;
	} aux[MAX];
	const char *fragments;
	uint64_t missing, unclaimed;
} cases[] = {
	{ "one record", { { 0, 8 } }, { { 0, 8, 10, 0 } }, "0:aaaaaaaa/0", 0, 0 },
	{ "parts of a chunk", { { 0, 8 } }, { { 0, 3, 10, 0 }, { 3, 5, 20, 0 } }, "0:aaa/0 3:aaaaa/10", 0, 0 },
	{ "over two chunks", { { 4, 4 }, { 0, 4 } }, { { 0, 8, 10, 0 } }, "0:bbbbaaaa/0", 0, 0 },
	{ "a gap in a record", { { 0, 4 }, { 6, 2 } }, { { 0, 8, 10, 0 } }, "0:aaaa/0 6:bb/0", 2, 0 },
	{ "a gap in a later record", { { 0, 6 }, { 8, 4 } }, { { 0, 4, 10, 0 }, { 4, 8, 20, 0 } }, "0:aaaa/0 4:aa/10 8:bbbb/10", 2, 0 },
	{ "a record into a gap", { { 0, 4 }, { 8, 4 } }, { { 0, 6, 10, 0 } }, "0:aaaa/0", 2, 0 },
	{ "up to the next chunk", { { 0, 4 }, { 8, 4 } }, { { 0, 8, 10, 0 }, { 8, 4, 20, 0 } }, "0:aaaa/0 8:bbbb/10", 4, 0 },
	{ "a record before a claimed chunk", { { 0, 4 }, { 8, 4 } }, { { 8, 4, 10, 0 }, { 0, 6, 20, 0 } }, "8:bbbb/0 0:aaaa/10", 2, 0 },
	{ "nothing of it is there", { { 8, 4 } }, { { 0, 8, 10, 0 } }, "8:aaaa/0", 8, 0 },
	{ "the end is not there", { { 0, 4 } }, { { 2, 8, 10, 0 } }, "2:aa/0", 6, 0 },
	{ "not in order of time", { { 0, 8 } }, { { 4, 4, 30, 0 }, { 0, 2, 10, 0 }, { 2, 2, 20, 0 } }, "0:aa/0 2:aa/10 4:aaaa/20", 0, 0 },
	{ "of one time", { { 0, 8 } }, { { 4, 4, 10, 0 }, { 0, 4, 10, 0 } }, "4:aaaa/0 0:aaaa/10", 0, 0 },
	{ "the later start wins", { { 0, 8 }, { 4, 4 } }, { { 0, 8, 10, 0 } }, "0:aaaabbbb/0", 0, 0 },
	{ "one start, other bytes: begun again", { { 0, 4 }, { 4, 4 }, { 4, 4 } }, { { 0, 8, 10, 0 } }, "0:aaaabbbb/0", 0, 0 },
	{ "one start, the same bytes", { { 0, 4 }, { 0, 4 | SAME } }, { { 0, 4, 10, 0 } }, "0:aaaa/0", 0, 0 },
	{ "begun again", { { 0, 9 }, { 0, 8 } }, { { 0, 9, 10, 0 }, { 0, 8, 20, 0 } }, "0:aaaaaaaaa/0 0:bbbbbbbb/10", 0, 0 },
	{ "begun again, of one time", { { 0, 9 }, { 0, 8 } }, { { 0, 9, 10, 0 }, { 0, 8, 10, 0 } }, "0:aaaaaaaaa/0 0:bbbbbbbb/10", 0, 0 },
	{ "begun again, no time", { { 0, 8 }, { 0, 8 } }, { { 0, 8, NO_TIME, 0 }, { 0, 8, NO_TIME, 0 } },
	  "0:aaaaaaaa/0 0:bbbbbbbb/0", 0, 0 },
	{ "begun again with more", { { 0, 8 }, { 0, 9 } }, { { 0, 4, 10, 0 }, { 4, 4, 20, 0 }, { 0, 9, 30, 0 } },
	  "0:aaaa/0 4:aaaa/10 0:bbbbbbbbb/20", 0, 0 },
	{ "begun again, the first records lost", { { 0, 8 }, { 0, 12 } }, { { 0, 12, 20, 0 } }, "0:bbbbbbbbbbbb/0", 0, 8 },
	{ "begun again, the last records lost", { { 0, 12 }, { 0, 8 } }, { { 0, 12, 20, 0 } }, "0:aaaaaaaaaaaa/0", 0, 8 },
	{ "begun again, data of the second lost", { { 0, 8 }, { 0, 9 } },
	  { { 0, 8, 10, 0 }, { 0, 30, 20, 0 }, { 0, 9, 30, 0 } }, "0:aaaaaaaa/0 0:bbbbbbbbb/10", 30, 0 },
	{ "the same bytes twice", { { 0, 4 } }, { { 0, 4, 10, 0 }, { 0, 4, 20, 0 } }, "0:aaaa/0", 4, 0 },
	{ "no size", { { 0, 4 } }, { { 0, 4, 10, 0 }, { 4, 0, 20, AUX_FLAG_TRUNCATED } }, "0:aaaa/0", 0, 0 },
	{ "unclaimed", { { 0, 40 } }, { { 0, 4, 10, 0 } }, "0:aaaa/0", 0, 36 },
	{ "padding", { { 0, 11 } }, { { 0, 4, 10, 0 } }, "0:aaaa/0", 0, 0 },
	{ "more than padding", { { 0, 12 } }, { { 0, 4, 10, 0 } }, "0:aaaa/0", 0, 8 },
	{ "no time", { { 0, 8 } }, { { 0, 4, NO_TIME, 0 }, { 4, 4, NO_TIME, 0 } }, "0:aaaa/0 4:aaaa/0", 0, 0 },
	{ "the whole buffer", { { 0, 4 }, { 4, 4 }, { 10, 2 } }, { { 0 } }, "0:aaaabbbb/0 10:cc/0", 0, 0 },
	{ "the whole, one start", { { 0, 4 }, { 0, 4 }, { 4, 2 } }, { { 0 } }, "0:aaaa/0 0:bbbbcc/0", 0, 0 },
	{ "snapshots in common", { { 0, 12 }, { 4, 12 | SAME } },
	  { { 6, 6, 5, AUX_FLAG_OVERWRITE }, { 12, 6, 10, AUX_FLAG_OVERWRITE }, { 16, 4, 20, AUX_FLAG_OVERWRITE } },
	  "0:aaaaaa/0 6:aaaaaa/0 12:aaaa/0", 0, 0 },
	{ "snapshots of the size of the buffer", { { 0, 12 }, { 4, 12 | SAME } },
	  { { 12, 12, 10, AUX_FLAG_OVERWRITE }, { 16, 12, 20, AUX_FLAG_OVERWRITE } }, "0:aaaaaaaaaaaa/0 12:aaaa/0", 0, 0 },
	{ "a record over two snapshots", { { 0, 12 }, { 9, 12 | SAME } },
	  { { 8, 8, 10, AUX_FLAG_OVERWRITE }, { 21, 13, 20, AUX_FLAG_OVERWRITE } }, "0:aaaaaaaa/0 8:aaaaaaaaaaaaa/0", 0, 0 },
	{ "snapshots begun again", { { 0, 12 }, { 0, 12 } },
	  { { 12, 12, 10, AUX_FLAG_OVERWRITE }, { 11, 11, 20, AUX_FLAG_OVERWRITE } }, "0:aaaaaaaaaaaa/0 0:bbbbbbbbbbb/0", 0, 0 },
	{ "a snapshot", { { 0, 8 } }, { { 8, 100, 10, AUX_FLAG_OVERWRITE } }, "0:aaaaaaaa/0", 0, 0 },
	{ "the end of a snapshot", { { 4, 8 } }, { { 8, 3, 10, AUX_FLAG_OVERWRITE } }, "5:aaa/0", 0, 0 },
	{ "a snapshot after one", { { 0, 8 } }, { { 4, 4, 10, AUX_FLAG_OVERWRITE }, { 8, 4, 20, AUX_FLAG_OVERWRITE } },
	  "0:aaaa/0 4:aaaa/0", 0, 0 },
	{ "written over", { { 8, 8 } }, { { 8, 4, 10, AUX_FLAG_OVERWRITE }, { 12, 4, 20, AUX_FLAG_OVERWRITE } }, "8:aaaa/0", 0, 0 },
	{ "to the end of all offsets", { { UINT64_MAX - 4, 8 } }, { { UINT64_MAX - 4, 8, 10, 0 } }, "18446744073709551611:aaaa/0", 4, 0 },
};

static void add_chunk(struct queues *qs, const struct pd_record *rec)
{
	assert_int_equal(queues_add_chunk(qs, rec), 0);
}

static void fragments(void **state)
{
	static uint8_t bytes[MAX][64];
	struct joined joined = { NULL, 0 };
	char text[200], one[100];
	size_t i, k, n, nr, run;

	(void)state;
	for (run = 0; run < 2 * sizeof(cases) / sizeof(cases[0]); run++) {
		struct queues qs = { .nr = 0 };

		i = run / 2;
		for (nr = 0; nr < MAX && cases[i].chunk[nr].size; nr++)
			;
		for (n = 0; n < nr; n++) {
			/* of one offset the number in the file decides, in whatever order chunks are added */
			k = run & 1 ? nr - 1 - n : n;
			memset(bytes[k], cases[i].chunk[k].size & SAME ? 'a' + (int)k - 1 : 'a' + (int)k, sizeof(bytes[k]));
			add_chunk(&qs, &(struct pd_record){ .seq = k, .aux = { .offset = cases[i].chunk[k].offset,
				.avail = cases[i].chunk[k].size & ~(uint64_t)SAME, .data = bytes[k], .cpu = 1 } });
		}
		for (k = 0; k < MAX; k++) {
			struct perf_record_aux aux = { .aux_offset = cases[i].aux[k].offset, .aux_size = cases[i].aux[k].size,
						       .flags = cases[i].aux[k].flags };
			struct pd_record rec = { .ev = (void *)&aux, .seq = 100 + k, .sid = {
				.valid = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, .time = cases[i].aux[k].time, .cpu = 1 } };

			assert_int_equal(queues_add_aux(&qs, &rec), 0);
		}
		assert_int_equal(queues_finish(&qs), 0);
		assert_int_equal(qs.nr, 1);
		*text = '\0';
		for (k = 0; k < qs.q[0]->nr_frags; k++) {
			const struct fragment *f = &qs.q[0]->frags[k];

			snprintf(one, sizeof(one), "%s%llu:%.*s/%llu", k ? " " : "", (unsigned long long)f->pub.offset,
				 (int)f->pub.size, (const char *)fragment_bytes(&joined, qs.q[0], f),
				 (unsigned long long)fragment_floor(f));
			strcat(text, one);
		}
		for (k = 0; k < qs.q[0]->nr_parts; k++)
			assert_int_not_equal(qs.q[0]->parts[k].size, 0);
		if (strcmp(text, cases[i].fragments))
			print_error("%s:\n", cases[i].what);
		assert_string_equal(text, cases[i].fragments);
		assert_int_equal(qs.missing, cases[i].missing);
		assert_int_equal(qs.unclaimed, cases[i].unclaimed);
		queues_free(&qs);
	}
	joined_free(&joined);
}

/* A buffer is that of a CPU, whatever thread its chunks have (simpleperf writes 0), or that of a thread on any CPU. */
static void buffers(void **state)
{
	static const struct {
		int cpu, tid, of_tid;
	} row[] = { { 0, 5, -1 }, { 0, 0, -1 }, { 1, 5, -1 }, { -1, 5, 5 }, { -1, 6, 6 }, { -1, 5, 5 } };
	static uint8_t bytes[8];
	struct queues qs = { .nr = 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pd_record rec = { .seq = i, .aux = { .offset = 8 * i, .avail = 8, .data = bytes, .idx = (uint32_t)-1,
							    .cpu = row[i].cpu, .tid = row[i].tid } };

		assert_int_equal(queues_add_chunk(&qs, &rec), 0);
	}
	assert_int_equal(qs.nr, 4);
	for (i = 0; i < 4; i++) {
		static const size_t first[] = { 0, 2, 3, 4 };

		assert_int_equal(qs.q[i]->cpu, row[first[i]].cpu);
		assert_int_equal(qs.q[i]->tid, row[first[i]].of_tid);
		assert_int_equal(qs.q[i]->nr_chunks, i == 0 || i == 2 ? 2 : 1);
	}
	assert_int_equal(queues_finish(&qs), 0);
	queues_free(&qs);
}

static void add_aux(struct queues *qs, uint64_t offset, uint64_t size, uint64_t flags, uint64_t valid)
{
	const struct perf_record_aux aux = { .aux_offset = offset, .aux_size = size, .flags = flags };
	const struct pd_record rec = { .ev = (const void *)&aux, .seq = 30 + qs->nr_aux, .sid = {
		.valid = valid, .time = 500 + qs->nr_aux, .cpu = 1, .pid = 50, .tid = 51 } };

	assert_int_equal(queues_add_aux(qs, &rec), 0);
}

#define ALL	(PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_TID)

/* A record without bytes counts if it says that some are missing. What the trailer does not have is not known. */
static void aux_records(void **state)
{
	static const struct {
		uint64_t size, flags, valid;
		bool noted;
	} row[] = {
		{ 8, 0, ALL, true }, { 8, 0, 0, true }, { 8, 0, PERF_SAMPLE_TIME, true }, { 8, 0, PERF_SAMPLE_CPU, true },
		{ 8, 0, PERF_SAMPLE_TID, true }, { 0, 0, ALL, false }, { 0, AUX_FLAG_OVERWRITE, ALL, false },
		{ 0, AUX_FORMAT_RAW, ALL, false },
		{ 0, AUX_FLAG_TRUNCATED, ALL, true }, { 0, AUX_FLAG_PARTIAL, ALL, true }, { 0, AUX_FLAG_COLLISION, ALL, true },
	};
	struct queues qs = { .nr = 0 };
	const struct aux_record *r;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		add_aux(&qs, 16 * i, row[i].size, row[i].flags, row[i].valid);
		if (qs.nr_aux != n + row[i].noted)
			fail_msg("record %zu: %zu are noted, %zu before", i, qs.nr_aux, n);
		if (!row[i].noted)
			continue;
		r = &qs.aux[n];
		assert_int_equal(r->offset, 16 * i);
		assert_int_equal(r->size, row[i].size);
		assert_int_equal(r->flags, row[i].flags);
		assert_int_equal(r->seq, 30 + n);
		assert_true(r->time == (row[i].valid & PERF_SAMPLE_TIME ? 500 + n : NO_TIME));
		assert_int_equal(r->cpu, row[i].valid & PERF_SAMPLE_CPU ? 1 : -1);
		assert_int_equal(r->pid, row[i].valid & PERF_SAMPLE_TID ? 50 : -1);
		assert_int_equal(r->tid, row[i].valid & PERF_SAMPLE_TID ? 51 : -1);
		n++;
	}
	queues_free(&qs);
}

/* What a fragment says of its buffer and of the record that describes it, in buffers of CPUs and of threads. */
static void descriptions(void **state)
{
	static uint8_t bytes[32];
	struct queues qs = { .nr = 0 };
	const struct fragment *f;
	const struct queue *q;
	size_t i;

	(void)state;
	add_chunk(&qs, &(struct pd_record){ .seq = 1, .aux = { .offset = 0, .avail = 16, .data = bytes, .cpu = 0, .tid = -1 } });
	add_chunk(&qs, &(struct pd_record){ .seq = 2, .aux = { .offset = 64, .avail = 16, .data = bytes, .cpu = 1, .tid = -1 } });
	add_chunk(&qs, &(struct pd_record){ .seq = 3, .aux = { .offset = 128, .avail = 16, .data = bytes, .cpu = -1, .tid = 51 } });
	/* a buffer of which the file has nothing */
	add_chunk(&qs, &(struct pd_record){ .seq = 4, .aux = { .offset = 0, .avail = 0, .cpu = 3, .tid = -1 } });
	add_aux(&qs, 64, 16, AUX_FORMAT_RAW | AUX_FLAG_TRUNCATED, ALL);
	add_aux(&qs, 128, 10, 0, ALL);
	add_aux(&qs, 200, 7, 0, ALL);
	assert_int_equal(queues_finish(&qs), 0);
	assert_int_equal(qs.nr, 4);
	for (i = 1; i <= 2; i++) {
		q = qs.q[i];
		assert_int_equal(q->number, i);
		assert_true(q->any_aux);
		assert_int_equal(q->any_raw, i == 1);
		assert_int_equal(q->any_frames, i == 2);
		assert_int_equal(q->nr_frags, 1);
		f = &q->frags[0];
		assert_int_equal(f->pub.queue, i);
		assert_int_equal(f->pub.cpu, i == 1 ? 1 : -1);
		assert_int_equal(f->pub.tid, i == 1 ? -1 : 51);
		assert_int_equal(f->pub.raw, i == 1);
		assert_true(f->pub.from_aux);
		assert_int_equal(f->pub.flags, i == 1 ? AUX_FORMAT_RAW | AUX_FLAG_TRUNCATED : 0);
		assert_int_equal(f->pub.time, 499 + i);
		assert_int_equal(f->pub.size, i == 1 ? 16 : 10);
		assert_int_equal(f->seq, 29 + i);
		assert_int_equal(f->aux_cpu, 1);
		assert_int_equal(f->aux_tid, 51);
		assert_ptr_equal(f->aux, &qs.aux[i - 1]);
		assert_true(f->aux->fragments);
		assert_true(f->aux->matched);
		assert_int_equal(f->aux->of_thread, i == 2);
		assert_int_equal(f->aux->missing, 0);
		assert_int_equal(q->unclaimed, 0);	/* six bytes may be padding */
	}
	assert_false(qs.aux[2].matched);
	assert_false(qs.aux[2].fragments);
	assert_int_equal(qs.aux[2].missing, 7);
	assert_int_equal(qs.missing, 7);
	/* the others are of no record: one fragment, of which nothing else is known */
	assert_int_equal(qs.q[0]->nr_frags, 1);
	f = &qs.q[0]->frags[0];
	assert_false(f->pub.from_aux);
	assert_int_equal(f->pub.cpu, 0);
	assert_true(f->pub.time == NO_TIME);
	assert_int_equal(f->aux_cpu, -1);
	assert_int_equal(f->aux_tid, -1);
	assert_int_equal(f->seq, 1);
	assert_null(f->aux);
	assert_int_equal(qs.q[3]->cpu, 3);
	assert_int_equal(qs.q[3]->nr_chunks, 0);
	assert_int_equal(qs.q[3]->nr_frags, 0);
	queues_free(&qs);
}

/* Bytes in a format that is not known are left alone, also those that no record describes. */
static void unknown_format(void **state)
{
	static uint8_t bytes[16];
	struct queues qs = { .nr = 0 };

	(void)state;
	add_chunk(&qs, &(struct pd_record){ .aux = { .avail = 16, .data = bytes, .cpu = 1 } });
	add_chunk(&qs, &(struct pd_record){ .aux = { .avail = 16, .data = bytes, .cpu = 2 } });
	add_aux(&qs, 0, 4, 0x300, ALL);
	add_aux(&qs, 4, 4, 0x8000 | AUX_FLAG_TRUNCATED, ALL);
	add_aux(&qs, 8, 4, AUX_FORMAT_RAW, ALL);
	assert_int_equal(queues_finish(&qs), 0);
	assert_int_equal(qs.refused, 2);
	assert_int_equal(qs.refused_format, 0x300);
	assert_true(qs.aux[0].refused && qs.aux[1].refused && !qs.aux[2].refused);
	assert_int_equal(qs.missing, 0);
	assert_int_equal(qs.q[0]->nr_frags, 1);
	assert_int_equal(qs.q[0]->frags[0].pub.offset, 8);
	assert_int_equal(qs.q[1]->nr_frags, 0);
	queues_free(&qs);
}

/* A buffer may have trace of both forms, in either order. */
static void both_forms(void **state)
{
	static uint8_t bytes[16];
	unsigned int order;

	(void)state;
	for (order = 0; order < 2; order++) {
		struct queues qs = { .nr = 0 };

		add_chunk(&qs, &(struct pd_record){ .aux = { .avail = 16, .data = bytes, .cpu = 1 } });
		add_aux(&qs, 0, 8, order ? 0 : AUX_FORMAT_RAW, ALL);
		add_aux(&qs, 8, 8, order ? AUX_FORMAT_RAW : 0, ALL);
		assert_int_equal(queues_finish(&qs), 0);
		assert_true(qs.q[0]->any_raw && qs.q[0]->any_frames);
		assert_int_equal(qs.q[0]->frags[0].pub.raw, !order);
		assert_int_equal(qs.q[0]->frags[1].pub.raw, order);
		queues_free(&qs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fragments), cmocka_unit_test(buffers), cmocka_unit_test(aux_records),
		cmocka_unit_test(descriptions), cmocka_unit_test(unknown_format), cmocka_unit_test(both_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
