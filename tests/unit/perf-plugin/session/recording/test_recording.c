/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of libcstrace-perf: what its calls return, and where messages go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/perf/recording.h>

#define SAMPLE "tests/data/sample.perf.data"

static char said[2048];

static void report(void *data, const char *message)
{
	(void)data;
	assert_null(strchr(message, '\n'));
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s|", message);
}

static struct cst_recording_opts options(const char *input, const char *symfs)
{
	said[0] = 0;
	return (struct cst_recording_opts){ .struct_size = sizeof(struct cst_recording_opts),
					    .input = input, .symfs = symfs, .report = report };
}

static int refused(const struct cst_recording_opts *o)
{
	struct cst_recording *rec = NULL;
	const int rc = cst_recording_open(&rec, o);

	assert_null(rec);
	return rc;
}

static void openings(void **state)
{
	struct {
		struct cst_recording_opts opts;
		uint64_t later;
	} larger = { options(SAMPLE, NULL), 1 };
	struct cst_recording_opts o;

	(void)state;
	o = options(NULL, NULL);
	assert_int_equal(refused(&o), -CST_ERR_INVAL);
	assert_non_null(strstr(said, "no input"));
	o = options(SAMPLE, NULL);
	o.struct_size = 8;
	assert_int_equal(refused(&o), -CST_ERR_INVAL);
	larger.opts.struct_size = sizeof(larger);
	assert_int_equal(refused(&larger.opts), -CST_ERR_INVAL);
	o = options("tests/data/none", NULL);
	assert_true(refused(&o) < 0);
	assert_non_null(strstr(said, "tests/data/none"));
	o = options(SAMPLE, NULL);
	o.time = "x";
	assert_int_equal(refused(&o), -CST_ERR_INVAL);
	assert_non_null(strstr(said, "x"));
	cst_recording_close(NULL);
}

static int batches, answer;

/* Opens another recording meanwhile: its messages do not mix with those of the outer call. */
static int on_batch(void *data, const struct cst_recording_batch *b)
{
	const struct cst_recording_opts o = { .input = "tests/data/none" };

	(void)data;
	assert_true(b->n > 0);
	assert_int_equal(b->time, 0);
	if (!batches++)
		assert_true(refused(&o) < 0);
	return answer;
}

static void runs(void **state)
{
	static const int answers[] = { -1, 7, 0 };
	const struct cst_recording_opts o = options(SAMPLE, "tests/data/symfs");
	struct cst_recording *rec;
	size_t i;

	(void)state;
	assert_int_equal(cst_recording_open(&rec, &o), 0);
	for (i = 0; i < 3; i++) {
		batches = 0;
		answer = answers[i];
		assert_int_equal(cst_recording_run(rec, on_batch, NULL), answer);
		assert_true(answer ? batches == 1 : batches > 1);
	}
	assert_int_equal(cst_recording_losses(rec, NULL, NULL), 0);
	assert_string_equal(said, "");
	cst_recording_close(rec);
}

#define KEPT 64

static struct {
	struct cst_recording *rec;
	const struct cst_recording_kept *v[KEPT];
	uint64_t sum[KEPT];
	size_t n;
	bool same;	/* the memory of each is that of the batch */
} kept;

static uint64_t sum_of(const struct cst_recording_kept *k)
{
	const uint64_t *word = (const uint64_t *)k->elements;
	uint64_t sum = k->n;
	size_t i;

	for (i = 0; i < k->n * sizeof(*k->elements) / sizeof(*word); i++)
		sum = sum * 31 + word[i];
	for (i = 0; i < k->n; i++)
		sum = sum * 31 + (uintptr_t)k->files[i];
	return sum;
}

/* Keeps the first batches, some twice; releases others at once or when the next one comes. */
static int on_kept(void *data, const struct cst_recording_batch *b)
{
	static const struct cst_recording_kept *last;
	const struct cst_recording_kept *k = cst_recording_keep(kept.rec);

	(void)data;
	assert_int_equal(k->n, b->n);
	assert_memory_equal(k->elements, b->elements, b->n * sizeof(*b->elements));
	assert_memory_equal(k->files, b->files, b->n * sizeof(*b->files));
	kept.same = kept.same && k->elements == b->elements;
	if (kept.n < KEPT) {
		kept.sum[kept.n] = sum_of(k);
		kept.v[kept.n++] = k;
		if (kept.n % 3 == 0)
			cst_recording_release(cst_recording_keep(kept.rec));
		last = NULL;
		return 0;
	}
	cst_recording_release(last);
	last = kept.n++ % 2 ? k : NULL;
	if (!last)
		cst_recording_release(k);
	return 0;
}

static void keeps(bool times)
{
	struct cst_recording_opts o = options(SAMPLE, "tests/data/symfs");
	size_t i;

	o.times = times;
	memset(&kept, 0, sizeof(kept));
	kept.same = true;
	assert_int_equal(cst_recording_open(&kept.rec, &o), 0);
	assert_null(cst_recording_keep(kept.rec));
	cst_recording_release(NULL);
	assert_int_equal(cst_recording_run(kept.rec, on_kept, NULL), 0);
	assert_null(cst_recording_keep(kept.rec));
	assert_true(kept.n > 16);
	assert_true(kept.same == !times);
	for (i = 0; i < kept.n && i < KEPT; i++)
		assert_int_equal(sum_of(kept.v[i]), kept.sum[i]);
	cst_recording_close(kept.rec);
	/* the files are gone, the elements are not */
	for (i = 0; i < kept.n && i < KEPT; i++) {
		assert_int_equal(sum_of(kept.v[i]), kept.sum[i]);
		cst_recording_release(kept.v[i]);
	}
}

static void batches_that_are_kept(void **state)
{
	(void)state;
	keeps(false);
	keeps(true);
}

struct sums {
	uint64_t ranges, edges, branches, calls;
	int answer;
};

static int on_counts(void *data, const struct cst_recording_counts *c)
{
	struct sums *s = data;
	size_t i;

	assert_non_null(c->file->path);
	for (i = 0; i < c->n_ranges; i++) {
		assert_true(c->ranges[i].a <= c->ranges[i].b);
		assert_true(!i || c->ranges[i - 1].a <= c->ranges[i].a);
		s->ranges += c->ranges[i].count;
	}
	for (i = 0; i < c->n_edges; i++)
		s->edges += c->edges[i].count;
	s->branches += c->branches;
	s->calls++;
	return s->answer;
}

/* One recording counts again and again, in both ways, and decodes in between. */
static void counts(void **state)
{
	const struct cst_recording_opts o = options(SAMPLE, "tests/data/symfs");
	struct sums split = { .answer = 0 }, joined = split, again = split, ended = { .answer = 5 };
	struct cst_recording *rec;

	(void)state;
	assert_int_equal(cst_recording_open(&rec, &o), 0);
	assert_int_equal(cst_recording_count(rec, 2, on_counts, &split), -CST_ERR_INVAL);
	assert_int_equal(cst_recording_count(rec, 0, on_counts, &split), 0);
	assert_int_equal(cst_recording_count(rec, CST_COUNTS_JOINED, on_counts, &joined), 0);
	answer = 0;
	batches = 0;
	assert_int_equal(cst_recording_run(rec, on_batch, NULL), 0);
	assert_int_equal(cst_recording_count(rec, 0, on_counts, &again), 0);
	assert_memory_equal(&again, &split, sizeof(again));
	assert_int_equal(joined.edges, split.edges);
	assert_int_equal(joined.branches, split.branches);
	assert_true(joined.ranges < split.ranges);
	assert_true(split.branches > 1000 && split.edges <= split.branches);
	assert_int_equal(cst_recording_count(rec, 0, on_counts, &ended), 5);
	assert_int_equal(ended.calls, 1);
	assert_int_equal(cst_recording_losses(rec, NULL, NULL), 0);
	cst_recording_close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(openings), cmocka_unit_test(runs),
					    cmocka_unit_test(batches_that_are_kept),
					    cmocka_unit_test(counts) };

	return cmocka_run_group_tests_name("recordings for other programs", tests, NULL, NULL);
}
