/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * digest_check.h - trees that began at different places and have equal digests (cst_tree_digest()) emit equal elements
 * from there on.
 */
#ifndef CSTRACE_TESTS_UNIT_DIGEST_CHECK_H
#define CSTRACE_TESTS_UNIT_DIGEST_CHECK_H

#include "index_check.h"

#define CUTS 48

struct cut_sums {
	uint64_t tried, equal, elements;
};

/* Pulls all elements; adds them to `put`, or compares them with those of `want` from `at` on. Returns their number. */
static inline size_t cut_pull(const struct check_buffer *b, struct cst_tree *t, struct check_list *put,
			      const struct check_list *want, size_t at)
{
	struct cst_generic out[512];
	struct cst_pull p;
	size_t total = 0;
	int n, i;

	while ((n = cst_tree_pull(t, out, 512, &p))) {
		assert_true(n > 0);
		for (i = 0; i < n; i++, total++) {
			if (put)
				check_add(put, &out[i]);
			if (want)
				assert_true(at + total < want->n && want->e[at + total].digest == check_digest(&out[i]));
		}
		if (p.dec && p.why == CST_STOP_CONTEXT)
			cst_decoder_set_space(p.dec, b->space(b->ctx, cst_decoder_config(p.dec), &out[n - 1]));
	}
	return total;
}

static inline void cut_feed(const struct check_buffer *b, struct cst_tree *t, size_t from, size_t to)
{
	assert_int_equal(cst_tree_feed(t, b->data + from, to - from, b->offset + from), 0);
}

/* Begins at frame `from`, passes over the elements up to `to` and, if the state there is `digest`, compares the rest. */
static inline void cut_try(const struct check_buffer *b, size_t from, size_t to, uint64_t digest, const struct check_list *all,
			   size_t at, struct cut_sums *sums)
{
	struct cst_tree *t = check_tree(b);

	cst_tree_start_at(t, b->offset + from, CST_ID_UNKNOWN);
	cut_feed(b, t, from, to);
	assert_int_equal(cst_tree_digest(t), 0);
	cut_pull(b, t, NULL, NULL, 0);
	assert_int_not_equal(cst_tree_digest(t), 0);
	sums->tried++;
	if (cst_tree_digest(t) == digest) {
		sums->equal++;
		cut_feed(b, t, to, b->len);
		sums->elements += cut_pull(b, t, NULL, all, at);
		cst_tree_end(t);
		cut_pull(b, t, NULL, NULL, 0);
		assert_int_equal(cst_tree_digest(t), 0);
	}
	cst_tree_free(t);
}

/* Compares at places in the whole buffer, with trees that began a little and much earlier. */
static inline void check_cuts(const struct check_buffer *b, struct cut_sums *sums)
{
	const size_t step = b->len / CUTS / 16 * 16;
	uint64_t digest[CUTS + 1];
	size_t at[CUTS + 1], i, k;
	struct check_list all = { .n = 0 };
	struct cst_tree *t = check_tree(b);

	/* too short, or with state that is not traced again */
	if (!step || !cst_tree_digest(t)) {
		cst_tree_free(t);
		return;
	}
	for (i = 0; i < CUTS; i++) {
		digest[i] = cst_tree_digest(t);
		assert_int_not_equal(digest[i], 0);
		at[i] = all.n;
		cut_feed(b, t, i * step, i + 1 < CUTS ? (i + 1) * step : b->len);
		assert_int_equal(cst_tree_digest(t), 0);
		cut_pull(b, t, &all, NULL, 0);
	}
	cst_tree_free(t);
	for (i = 4; i < CUTS; i += 3)
		for (k = 1; k <= 4; k += 3)
			cut_try(b, (i - k) * step, i * step, digest[i], &all, at[i], sums);
	free(all.e);
}

#endif
