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
			queues_add_chunk(&qs, &(struct pd_record){ .seq = k, .aux = {
				.offset = cases[i].chunk[k].offset,
				.avail = cases[i].chunk[k].size & ~(uint64_t)SAME, .data = bytes[k], .cpu = 1 } });
		}
		for (k = 0; k < MAX; k++) {
			struct perf_record_aux aux = { .aux_offset = cases[i].aux[k].offset, .aux_size = cases[i].aux[k].size,
						       .flags = cases[i].aux[k].flags };
			struct pd_record rec = { .ev = (void *)&aux, .seq = 100 + k, .sid = {
				.valid = PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, .time = cases[i].aux[k].time, .cpu = 1 } };

			queues_add_aux(&qs, &rec);
		}
		queues_finish(&qs);
		assert_int_equal(qs.nr, 1);
		*text = '\0';
		for (k = 0; k < qs.q[0]->nr_frags; k++) {
			const struct fragment *f = &qs.q[0]->frags[k];

			snprintf(one, sizeof(one), "%s%llu:%.*s/%llu", k ? " " : "", (unsigned long long)f->pub.offset,
				 (int)f->pub.size, (const char *)fragment_bytes(&joined, qs.q[0], f),
				 (unsigned long long)fragment_floor(f));
			strcat(text, one);
		}
		for (k = 0; k < qs.q[0]->found.nr_parts; k++)
			assert_int_not_equal(qs.q[0]->found.parts[k].size, 0);
		if (strcmp(text, cases[i].fragments))
			print_error("%s:\n", cases[i].what);
		assert_string_equal(text, cases[i].fragments);
		assert_int_equal(qs.missing, cases[i].missing);
		assert_int_equal(qs.unclaimed, cases[i].unclaimed);
		queues_free(&qs);
	}
	joined_free(&joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fragments) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
