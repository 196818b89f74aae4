/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_merge.c - several trees by time: seeded streams of events and timestamps, raw and in frames, against a
 * merge of everything at once; input in pieces, clocks that differ, streams without time, a small limit, stops.
 */
#include "lib_decode.h"

#include <frames.h>

#define TREES 4
#define IDS 3
#define MAX_EL 4000

static const uint8_t ids[IDS] = { 0x10, 0x11, 0x20 };

struct item {
	struct cst_generic gen;
	uint64_t time;
};

/* What one decoder puts out, and under which times. */
struct list {
	struct item item[MAX_EL];
	size_t n, at;
};

struct buffer {
	struct gbuf data;
	unsigned int raw, n_ids;
	uint64_t clock;		/* ticks of this tree's clock in one of the common one, as a shift */
};

static struct buffer buf[TREES];
static struct list want[TREES][IDS];
static unsigned int n_trees;

static uint64_t to_common(void *data, unsigned int source, const struct cst_decoder *dec, uint64_t ticks)
{
	assert_ptr_equal(data, buf);
	assert_non_null(dec);
	return ticks >> buf[source].clock;
}

/* Decoders of ids[0..end), the highest first. */
static void add_decoders(struct cst_tree *tree, unsigned int end)
{
	struct cst_config cfg = etm_config(3, 0);
	struct cst_decoder *dec;

	while (end--) {
		cfg.trace_id = ids[end];
		assert_int_equal(cst_tree_add(tree, &cfg, &dec), 0);
	}
}

/* A tree with decoders of ids[first..n_ids). */
static struct cst_tree *new_tree(const struct buffer *b, unsigned int first)
{
	struct cst_config cfg = etm_config(3, 0);
	struct cst_decoder *dec;
	struct cst_tree *tree;

	assert_int_equal(cst_tree_new(&tree, b->raw ? CST_TREE_RAW : CST_TREE_FRAMES, 0), 0);
	for (; first < b->n_ids; first++) {
		cfg.trace_id = ids[first];
		assert_int_equal(cst_tree_add(tree, &cfg, &dec), 0);
	}
	return tree;
}

static unsigned int slot(const struct cst_decoder *dec)
{
	unsigned int k;

	for (k = 0; ids[k] != cst_decoder_config(dec)->trace_id; k++)
		assert_true(k + 1 < IDS);
	return k;
}

/* A stretch of a stream: events, now and then the time. */
static size_t stretch(struct rng *rng, uint8_t *p, uint64_t *now, unsigned int timed)
{
	size_t n = 0, i, k = rng_below(rng, 12);

	for (i = 0; i < k; i++) {
		*now += rng_below(rng, 40);
		p[n++] = (uint8_t)(0x71 + rng_below(rng, 15));
		p[n++] = 0xf7;
		if (timed && !rng_below(rng, 4)) {
			unsigned int b;
			/* now and then the time is not known, or goes back */
			uint64_t ts = !rng_below(rng, 9) ? 0 : !rng_below(rng, 30) ? *now / 2 : *now;

			p[n++] = 0x02;
			for (b = 0; b < 8; b++)
				p[n++] = (uint8_t)(0x80 | (ts >> 7 * b & 0x7f));
			p[n++] = (uint8_t)(ts >> 56);
		}
	}
	return n;
}

static void make(uint64_t seed)
{
	static const uint8_t sync[] = { SYNC };
	struct frames_opts o = { .seed = seed };
	uint64_t now[IDS];
	struct frames f;
	struct rng rng;
	unsigned int i, k, r;
	uint8_t p[256];
	size_t n;

	rng_seed(&rng, seed);
	n_trees = 1 + rng_below(&rng, TREES);
	for (i = 0; i < n_trees; i++) {
		struct buffer *b = &buf[i];

		memset(b, 0, sizeof(*b));
		b->raw = rng_below(&rng, 2);
		b->n_ids = b->raw ? 1 : 1 + rng_below(&rng, IDS);
		b->clock = rng_below(&rng, 3);
		frames_init(&f, &o, &b->data);
		for (k = 0; k < b->n_ids; k++) {
			now[k] = (1000 + rng_below(&rng, 3000)) << b->clock;
			if (b->raw)
				gbuf_put(&b->data, sync, sizeof(sync));
			else
				frames_put(&f, ids[k], sync, sizeof(sync));
		}
		for (r = rng_below(&rng, 60); r; r--) {
			k = rng_below(&rng, b->n_ids);
			n = stretch(&rng, p, &now[k], seed % 7 != 0 || k != 0);
			if (b->raw)
				gbuf_put(&b->data, p, n);
			else
				frames_put(&f, ids[k], p, n);
		}
		if (!b->raw)
			frames_flush(&f);
	}
}

static void drop(void)
{
	unsigned int i;

	for (i = 0; i < n_trees; i++)
		gbuf_free(&buf[i].data);
}

/* Each tree by itself, and the time of each element as the header says. */
static void expect(void)
{
	struct cst_generic out[64];
	struct cst_decoder *dec;
	unsigned int i, k;
	int n, j, end;

	for (i = 0; i < n_trees; i++) {
		struct cst_tree *t = new_tree(&buf[i], 0);

		for (k = 0; k < IDS; k++)
			want[i][k].n = want[i][k].at = 0;
		assert_int_equal(cst_tree_feed(t, buf[i].data.p, buf[i].data.len, 0), 0);
		for (end = 0; end < 2; end++) {
			while ((n = cst_tree_pull(t, out, 64, &dec)))
				for (j = 0; j < n; j++) {
					struct list *l = &want[i][slot(dec)];

					assert_true(l->n < MAX_EL);
					l->item[l->n++].gen = out[j];
				}
			cst_tree_end(t);
		}
		cst_tree_free(t);
		for (k = 0; k < IDS; k++) {
			struct list *l = &want[i][k];
			uint64_t time = 0;
			size_t e, first;

			for (first = 0; first < l->n; first++)
				if (l->item[first].gen.kind == CST_GEN_TIMESTAMP &&
				    to_common(buf, i, (void *)buf, l->item[first].gen.addr))
					break;
			if (first < l->n)
				time = to_common(buf, i, (void *)buf, l->item[first].gen.addr);
			for (e = 0; e < l->n; e++) {
				if (l->item[e].gen.kind == CST_GEN_TIMESTAMP && e > first) {
					uint64_t own = to_common(buf, i, (void *)buf, l->item[e].gen.addr);

					time = own ? own : time;
				}
				l->item[e].time = time;
			}
		}
	}
}

/* The next element of all, the naive way. */
static const struct item *next_item(unsigned int *tree, unsigned int *id)
{
	const struct item *best = NULL;
	unsigned int i, k;

	for (i = 0; i < n_trees; i++)
		for (k = 0; k < IDS; k++) {
			const struct list *l = &want[i][k];

			if (l->at == l->n || (best && l->item[l->at].time >= best->time))
				continue;
			best = &l->item[l->at];
			*tree = i;
			*id = k;
		}
	if (best)
		want[*tree][*id].at++;
	return best;
}

/* Runs a merge over all buffers; each element goes to `check`. `late`: but one of each tree, decoders come afterwards. */
static struct cst_merge_stats run(struct rng *rng, size_t limit, unsigned int piece, int late,
				  void (*check)(const struct cst_generic *, const struct cst_merge_run *))
{
	struct cst_tree *tree[TREES];
	size_t at[TREES] = { 0 }, n, cap;
	struct cst_merge_run r = { 0 };
	struct cst_merge_stats stats;
	struct cst_generic out[100];
	struct cst_merge *m;
	unsigned int i, source, first;
	int got, j;

	assert_int_equal(cst_merge_new(&m, limit, to_common, buf), 0);
	for (i = 0; i < n_trees; i++) {
		first = late ? buf[i].n_ids - 1 : 0;
		tree[i] = new_tree(&buf[i], first);
		assert_int_equal(cst_merge_add(m, tree[i], &source), 0);
		assert_int_equal(source, i);
		add_decoders(tree[i], first);
	}
	for (;;) {
		cap = piece ? 1 + rng_below(rng, 100) : 100;
		got = cst_merge_pull(m, out, cap, &r);
		assert_true(got >= 0 && (size_t)got <= cap);
		for (j = 0; j < got; j++)
			check(&out[j], &r);
		if (got)
			continue;
		if (!cst_merge_wants(m, &source))
			break;
		assert_true(source < n_trees);
		if (at[source] == buf[source].data.len) {
			assert_int_equal(cst_merge_end(m, source), 0);
			continue;
		}
		n = piece ? 1 + rng_below(rng, piece) : buf[source].data.len;
		n = n < buf[source].data.len - at[source] ? n : buf[source].data.len - at[source];
		assert_int_equal(cst_tree_feed(tree[source], buf[source].data.p + at[source], n, at[source]), 0);
		at[source] += n;
	}
	assert_int_equal(cst_merge_add(m, tree[0], &source), -CST_ERR_BUSY);
	assert_int_equal(cst_merge_end(m, n_trees), -CST_ERR_INVAL);
	stats = *cst_merge_stats(m);
	cst_merge_free(m);
	for (i = 0; i < n_trees; i++)
		cst_tree_free(tree[i]);
	return stats;
}

static size_t seen;
static uint64_t current_seed;

static void check_order(const struct cst_generic *g, const struct cst_merge_run *r)
{
	unsigned int tree = 0, id = 0;
	const struct item *it = next_item(&tree, &id);

	seen++;
	if (!it || r->source != tree || slot(r->dec) != id || r->time != it->time || memcmp(g, &it->gen, sizeof(*g)))
		fail_msg("seed %u, element %u: tree %u ID %u time %u, not tree %u ID %u time %u",
			 (unsigned int)current_seed, (unsigned int)seen, r->source, slot(r->dec),
			 (unsigned int)r->time, tree, id, it ? (unsigned int)it->time : 0);
}

static void test_order(void **state)
{
	struct cst_merge_stats stats;
	struct rng rng = { 1 };
	unsigned int round, i, k;
	size_t all;

	(void)state;
	for (current_seed = 1; current_seed <= 400; current_seed++) {
		make(current_seed);
		for (round = 0; round < 2; round++) {
			expect();
			for (all = i = 0; i < n_trees; i++)
				for (k = 0; k < IDS; k++)
					all += want[i][k].n;
			seen = 0;
			stats = run(&rng, MAX_EL * IDS, round ? 1 + rng_below(&rng, 300) : 0, 0, check_order);
			assert_int_equal(seen, all);
			assert_int_equal(stats.elements, all);
		}
		drop();
	}
}

/* With a small limit nothing is lost, and each stream keeps its order. */
static void check_streams(const struct cst_generic *g, const struct cst_merge_run *r)
{
	struct list *l = &want[r->source][slot(r->dec)];

	seen++;
	assert_true(l->at < l->n);
	assert_memory_equal(g, &l->item[l->at].gen, sizeof(*g));
	l->at++;
}

static void test_limit(void **state)
{
	uint64_t late = 0, elements = 0;
	struct cst_merge_stats stats;
	struct rng rng = { 2 };
	unsigned int i, k;
	size_t all;

	(void)state;
	for (current_seed = 1000; current_seed < 1100; current_seed++) {
		make(current_seed);
		expect();
		for (all = i = 0; i < n_trees; i++)
			for (k = 0; k < IDS; k++)
				all += want[i][k].n;
		seen = 0;
		stats = run(&rng, 1, 1 + rng_below(&rng, 300), current_seed & 1, check_streams);
		assert_int_equal(seen, all);
		late += stats.late;
		elements += stats.elements;
		drop();
	}
	/* a limit below the least one: some streams are given up waiting for, not most */
	assert_true(late > 0 && late < elements / 2);
}

/* A decoder that stops is the caller's to look after; the merged stream is the same. */
static void test_stops(void **state)
{
	static const uint8_t in[] = {
		SYNC, 0x81, 0x31, 0x02, 0x10, 0x71, 0xf7, 0x81, 0x11, 0x02, 0x20, 0x72, 0xf7
	};
	struct cst_config cfg = etm_config(3, 0);
	const struct cst_generic *last;
	unsigned int i, stops = 0, source, elements = 0;
	struct cst_decoder *dec, *at;
	struct cst_generic out[16];
	struct cst_merge_run r;
	struct cst_tree *t[2];
	struct cst_merge *m;
	int n;

	(void)state;
	assert_int_equal(cst_merge_new(&m, 0, NULL, NULL), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(cst_tree_new(&t[i], CST_TREE_RAW, 0), 0);
		assert_int_equal(cst_tree_add(t[i], &cfg, &dec), 0);
		cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
		assert_int_equal(cst_merge_add(m, t[i], &source), 0);
		assert_int_equal(cst_tree_feed(t[i], in, sizeof(in), 0), 0);
	}
	for (;;) {
		n = cst_merge_pull(m, out, 16, &r);
		assert_true(n >= 0);
		elements += (unsigned int)n;
		if (n)
			continue;
		if (cst_merge_stopped(m, &at, &last)) {
			assert_int_equal(cst_merge_stopped(m, &at, &last), CST_STOP_CONTEXT);
			assert_int_equal(last->kind, CST_GEN_PE_CONTEXT);
			assert_int_equal(last->el, 1);
			stops++;
		} else if (cst_merge_wants(m, &source)) {
			assert_int_equal(cst_merge_end(m, source), 0);
			assert_int_equal(cst_merge_end(m, source), 0);
		} else {
			break;
		}
	}
	assert_int_equal(stops, 4);
	/* NO_SYNC, two contexts, timestamps and events, the end */
	assert_int_equal(elements, 16);
	assert_int_equal(cst_merge_pull(m, out, 0, &r), -CST_ERR_INVAL);
	assert_int_equal(cst_merge_pull(m, out, 16, &r), 0);
	cst_merge_free(m);
	cst_merge_free(NULL);
	cst_tree_free(t[0]);
	cst_tree_free(t[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
