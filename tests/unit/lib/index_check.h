/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * index_check.h - a buffer decoded from the beginning and from every place that its index knows: the elements
 * must be the same, and come in the same order.
 */
#ifndef CSTRACE_TESTS_UNIT_INDEX_CHECK_H
#define CSTRACE_TESTS_UNIT_INDEX_CHECK_H

#include <stdbool.h>

#include "unit/lib_decode.h"

struct check_buffer {
	enum cst_tree_format format;
	unsigned int flags;
	const struct cst_config *cfg;
	unsigned int n_cfg;
	const uint8_t *data;
	size_t len;
	uint64_t offset;
	/* the address space of a decoder: at the beginning (g NULL), after a context */
	struct cst_space *(*space)(void *ctx, const struct cst_config *cfg, const struct cst_generic *g);
	void *ctx;
	size_t window;		/* elements that are compared behind a place */
};

struct check_element {
	uint64_t digest, index;
	uint64_t max;		/* of the indexes up to here */
	uint8_t trace_id, kind;
};

struct check_list {
	struct check_element *e;
	size_t n, cap;
};

/* What was checked, to see that something was. */
struct check_sums {
	uint64_t buffers, streams, points, elements, whole;
};

/* struct cst_generic has no holes. */
static inline uint64_t check_digest(const struct cst_generic *g)
{
	return cst_index_digest(0, g, sizeof(*g));
}

static inline void check_add(struct check_list *l, const struct cst_generic *g)
{
	struct check_element *e;

	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 4096;
		l->e = realloc(l->e, l->cap * sizeof(*l->e));
		assert_non_null(l->e);
	}
	e = &l->e[l->n];
	e->digest = check_digest(g);
	e->index = g->index;
	e->trace_id = g->trace_id;
	e->kind = g->kind;
	e->max = l->n && l->e[l->n - 1].max > g->index ? l->e[l->n - 1].max : g->index;
	l->n++;
}

static inline struct cst_tree *check_tree(const struct check_buffer *b)
{
	struct cst_decoder *dec;
	struct cst_tree *t;
	unsigned int i;

	assert_int_equal(cst_tree_new(&t, b->format, b->flags), 0);
	for (i = 0; i < b->n_cfg; i++) {
		assert_int_equal(cst_tree_add(t, &b->cfg[i], &dec), 0);
		cst_decoder_set_space(dec, b->space(b->ctx, &b->cfg[i], NULL));
		cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	}
	return t;
}

/* Behind the last element with that index or a higher one. */
static inline size_t check_end(const struct check_list *l, uint64_t valid)
{
	size_t n = l->n;

	while (n && l->e[n - 1].index < valid)
		n--;
	return n;
}

/* Elements of the bytes from `start` on: to a list, or compared with one from `valid` on. */
static inline size_t check_run(const struct check_buffer *b, struct cst_tree *t, uint64_t start, uint64_t valid,
			       struct check_list *put, const struct check_list *want, size_t at)
{
	struct cst_generic out[512];
	struct cst_pull p;
	size_t compared = 0;
	int n, i, end;

	for (end = 0; end < 2; end++) {
		if (end)
			cst_tree_end(t);
		else if (start - b->offset < b->len)
			assert_int_equal(cst_tree_feed(t, b->data + (start - b->offset),
						       b->len - (size_t)(start - b->offset), start), 0);
		while ((n = cst_tree_pull(t, out, 512, &p))) {
			assert_true(n > 0);
			for (i = 0; i < n; i++) {
				/* where a stream that has ended before `valid` ends is no place in what follows */
				if (out[i].kind == CST_GEN_EO_TRACE || out[i].kind == CST_GEN_BARRIER)
					continue;
				if (put) {
					check_add(put, &out[i]);
					continue;
				}
				if (out[i].index < valid)
					continue;
				while (at < want->n && want->e[at].index < valid)
					at++;
				assert_true(at < want->n);
				if (want->e[at].digest != check_digest(&out[i]))
					print_message("element %zu: kind %u of 0x%02x at %llu, valid %llu, fed from %llu: kind %u of 0x%02x at %llu\n",
						      at, want->e[at].kind, want->e[at].trace_id,
						      (unsigned long long)want->e[at].index,
						      (unsigned long long)valid, (unsigned long long)start,
						      out[i].kind, out[i].trace_id, (unsigned long long)out[i].index);
				assert_int_equal(want->e[at].index, out[i].index);
				assert_true(want->e[at].digest == check_digest(&out[i]));
				at++;
				if (++compared == b->window)
					return compared;
			}
			if (p.why == CST_STOP_CONTEXT)
				cst_decoder_set_space(p.dec, b->space(b->ctx, cst_decoder_config(p.dec), &out[n - 1]));
		}
	}
	if (!put)
		assert_true(at >= check_end(want, valid));
	return compared;
}

static inline struct cst_index *check_build(const struct check_buffer *b, const struct cst_index_opts *opts,
					    uint64_t from, size_t piece)
{
	struct cst_index_builder *ib;
	struct cst_index *ix;
	unsigned int i;
	size_t at, n;

	assert_int_equal(cst_index_builder_new(&ib, b->format, b->flags, opts), 0);
	for (i = 0; i < b->n_cfg; i++)
		assert_int_equal(cst_index_builder_add(ib, &b->cfg[i]), 0);
	for (at = (size_t)(from - b->offset); at < b->len; at += n) {
		n = piece && piece < b->len - at ? piece : b->len - at;
		assert_int_equal(cst_index_builder_feed(ib, b->data + at, n, b->offset + at), 0);
	}
	assert_int_equal(cst_index_builder_take(ib, &ix), 0);
	cst_index_builder_free(ib);
	return ix;
}

static inline size_t check_first(const struct check_list *l, uint64_t valid)
{
	size_t lo = 0, hi = l->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->e[mid].max < valid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static inline void check_place(const struct check_buffer *b, const struct cst_index *ix, uint64_t valid,
			       const struct check_list *want, struct check_sums *sums)
{
	struct cst_index_query q = { .kind = CST_INDEX_KINDS, .from = valid };
	struct cst_index_place places[128];
	struct cst_tree *t = check_tree(b);
	uint64_t start;
	uint32_t k;

	for (k = 0; k < ix->n_streams; k++) {
		cst_index_search(ix, &ix->streams[k], &q, &places[k]);
		assert_true(places[k].found && places[k].valid <= valid && places[k].start <= places[k].valid);
	}
	start = cst_index_start_tree(ix, places, t);
	assert_true(start <= valid + (b->flags & CST_FRAME_DSTREAM ? b->len : 0));
	sums->elements += check_run(b, t, start, valid, NULL, want, check_first(want, valid));
	sums->points++;
	cst_tree_free(t);
}

/* Every place of a buffer; the first, one in the middle and the last to the very end. */
static inline void check_points(const struct check_buffer *buffer, struct check_sums *sums)
{
	const struct cst_index_opts opts = { .granularity = 1 };
	struct check_buffer b = *buffer;
	struct check_list want = { 0 };
	struct cst_index *ix = check_build(&b, &opts, b.offset, 0);
	struct cst_tree *t = check_tree(&b);
	uint32_t k, i;

	check_run(&b, t, b.offset, 0, &want, NULL, 0);
	cst_tree_free(t);
	for (k = 0; k < ix->n_streams; k++) {
		const struct cst_index_stream *s = &ix->streams[k];

		for (i = 0; i < s->n_blocks; i++) {
			b.window = buffer->window;
			if (i == 1 || i == s->n_blocks / 2 || i + 1 == s->n_blocks)
				b.window = SIZE_MAX;
			check_place(&b, ix, s->blocks[i].valid, &want, sums);
			sums->whole += b.window == SIZE_MAX;
		}
		sums->streams += s->n_blocks > 1;
	}
	sums->buffers++;
	cst_index_free(ix);
	free(want.e);
}

#endif
