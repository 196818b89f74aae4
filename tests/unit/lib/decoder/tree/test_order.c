/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tree_order.c - CST_ORDER_BY_ID: for each ID the elements, their offsets and all that is counted are those of
 * the default order, over frames with barriers, damage, triggers, reserved IDs and cuts. Also a stop without a section.
 */
#include "frames.h"
#include "unit/lib_decode.h"

/* nop; b -4: a loop of two instructions at 0 */
static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };
static const uint8_t start[] = { SYNC, 0x81, 0x30, 0x95, 0x00 };

enum { IDS = 4, ROUNDS = 60, PIECES = 300, MAX_ELEMENTS = 20000 };

/* of two with decoders, one that is ignored, one that nobody knows, then what is not a source */
static const uint8_t id_of[] = { 0x10, 0x6f, 0x22, 0x33, 0x00, 0x7d, 0x7b, 0x74 };

struct result {
	struct cst_generic *gen[IDS];
	size_t n[IDS];
	struct cst_stats stats[IDS];
	struct cst_frame_stats frames;
	uint64_t unrouted, ignored, trigger, barrier, logged, resets;
};

static void random_frames(struct rng *rng, struct gbuf *b)
{
	struct frames_opts o = { .seed = rng_below(rng, 1000), .p_repeat = 100, .p_null = 50 };
	struct frames fr;
	uint8_t data[40];
	unsigned int i, k, n, id;

	memset(b, 0, sizeof(*b));
	frames_init(&fr, &o, b);
	for (i = 0; i < PIECES; i++) {
		id = id_of[rng_below(rng, rng_below(rng, 8) ? IDS : sizeof(id_of))];
		n = 1 + rng_below(rng, rng_below(rng, 4) ? 6 : sizeof(data));
		for (k = 0; k < n; k++)
			data[k] = rng_below(rng, 3) ? 0xf7 : 0x02;
		if (rng_below(rng, 6) == 0)
			frames_put(&fr, id, start, sizeof(start));
		frames_put(&fr, id, data, n);
		if (rng_below(rng, 100) == 0) {
			frames_flush(&fr);
			frames_barrier(&fr);
		}
	}
	frames_flush(&fr);
	/* damage: an ID that cannot be, or a bit */
	for (i = rng_below(rng, 4); i; i--)
		b->p[rng_below(rng, (uint32_t)(b->len / 2)) * 2] = 0xff;
	for (i = rng_below(rng, 4); i; i--)
		b->p[rng_below(rng, (uint32_t)b->len)] ^= 1u << rng_below(rng, 8);
}

static void pull_all(struct cst_tree *t, struct result *r)
{
	struct cst_generic out[16];
	struct cst_pull p;
	unsigned int k;
	int n, i;

	while ((n = cst_tree_pull(t, out, 16, &p))) {
		assert_true(n > 0);
		if (out[0].kind == CST_GEN_BARRIER) {
			r->resets++;
			r->barrier = out[0].index;
			continue;
		}
		for (i = 0; i < n; i++) {
			for (k = 0; id_of[k] != out[i].trace_id; k++)
				assert_true(k + 1 < IDS);
			assert_true(r->n[k] < MAX_ELEMENTS);
			r->gen[k][r->n[k]++] = out[i];
		}
	}
}

static void decode(const struct gbuf *b, unsigned int flags, struct program *pr, enum cst_tree_order order,
		   uint64_t seed, int with_log, int filtered, struct result *r)
{
	const uint64_t ids[2] = { 1ull << 0x10 | 1ull << 0x33, 0 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec[2];
	struct cst_log *log = NULL;
	struct cst_tree *t;
	struct rng rng;
	unsigned int k;
	size_t at, n;

	rng_seed(&rng, seed);
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, flags), 0);
	if (with_log) {
		assert_int_equal(cst_log_new(&log, 1000), 0);
		cst_tree_set_log(t, log);
	}
	/* before, between and after the decoders */
	for (k = 0; k < 2; k++) {
		if (k == seed % 3)
			assert_int_equal(cst_tree_set_order(t, order), 0);
		cfg.trace_id = id_of[k];
		assert_int_equal(cst_tree_add(t, &cfg, &dec[k]), 0);
		cst_decoder_set_space(dec[k], pr->space);
	}
	assert_int_equal(cst_tree_set_order(t, order), 0);
	cst_tree_ignore(t, 0x22);
	if (filtered)
		cst_tree_filter(t, ids);
	memset(r->n, 0, sizeof(r->n));
	r->resets = r->barrier = 0;
	for (at = 0; at < b->len; at += n) {
		n = 1 + rng_below(&rng, rng_below(&rng, 2) ? 3000 : 50);
		n = n < b->len - at ? n : b->len - at;
		assert_int_equal(cst_tree_feed(t, b->p + at, n, at), 0);
		pull_all(t, r);
	}
	cst_tree_end(t);
	pull_all(t, r);
	for (k = 0; k < 2; k++) {
		r->stats[k] = *cst_decoder_stats(dec[k]);
		/* the end stands at the last piece of unsynchronised bytes, and pieces depend on the feeds */
		r->gen[k][r->n[k] - 1].index = 0;
	}
	r->frames = *cst_tree_frame_stats(t);
	r->unrouted = cst_tree_unrouted(t);
	r->ignored = cst_tree_ignored(t);
	if (!cst_tree_trigger(t, &r->trigger))
		r->trigger = 0;
	r->logged = 0;
	for (k = 0; log && k < 1000 && cst_log_at(log, k); k++)
		r->logged += cst_log_at(log, k)->index + 1;
	cst_tree_free(t);
	cst_log_free(log);
}

static void test_same(void **state)
{
	static const unsigned int flags[] = {
		0, CST_FRAME_RESET_4X, CST_FRAME_RESET_4X | CST_FRAME_STRICT, CST_FRAME_FSYNC
	};
	struct result a, b;
	uint64_t ranges = 0, errors = 0;
	struct program pr;
	struct gbuf buf;
	struct rng rng;
	unsigned int i, k;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	for (k = 0; k < IDS; k++) {
		a.gen[k] = malloc(MAX_ELEMENTS * sizeof(*a.gen[k]));
		b.gen[k] = malloc(MAX_ELEMENTS * sizeof(*b.gen[k]));
	}
	rng_seed(&rng, 7);
	for (i = 0; i < ROUNDS; i++) {
		unsigned int f = flags[i & 3];

		random_frames(&rng, &buf);
		decode(&buf, f, &pr, CST_ORDER_FRAMES, i, i & 4, i % 10 == 9, &a);
		decode(&buf, f, &pr, CST_ORDER_BY_ID, i, i & 4, i % 10 == 9, &b);
		for (k = 0; k < 2; k++) {
			assert_int_equal(a.n[k], b.n[k]);
			assert_memory_equal(a.gen[k], b.gen[k], a.n[k] * sizeof(*a.gen[k]));
			ranges += a.stats[k].ranges;
		}
		assert_memory_equal(a.stats, b.stats, 2 * sizeof(a.stats[0]));
		assert_memory_equal(&a.frames, &b.frames, sizeof(a.frames));
		assert_int_equal(a.unrouted, b.unrouted);
		assert_int_equal(a.ignored, b.ignored);
		assert_int_equal(a.trigger, b.trigger);
		assert_int_equal(a.barrier, b.barrier);
		assert_int_equal(a.resets, b.resets);
		assert_int_equal(a.logged, b.logged);
		errors += a.frames.errors;
		gbuf_free(&buf);
	}
	assert_true(ranges > 5000 && errors > 20);
	for (k = 0; k < IDS; k++) {
		free(a.gen[k]);
		free(b.gen[k]);
	}
	cst_image_free(pr.img);
}

static const uint8_t round_bytes[] = { SYNC, 0x81, 0x30, 0x95, 0x00, 0xf7, 0x04, 0x71, 0x71, 0x71, 0x71, 0x71, 0x71, 0x71, 0x71 };

/* A tree whose IDs 0x10 and 0x11 have each the bytes of three rounds in `b`; the first frame, which has no ID yet, is decoded. */
static struct cst_tree *two_ids(struct gbuf *b, struct cst_decoder *dec[2], enum cst_tree_order order)
{
	struct cst_config cfg = etm_config(4, 0);
	struct frames_opts o = { .seed = 3 };
	struct cst_generic out[40];
	struct cst_tree *t;
	struct frames fr;
	unsigned int k;

	memset(b, 0, sizeof(*b));
	frames_init(&fr, &o, b);
	for (k = 0; k < 3; k++) {
		frames_put(&fr, 0x10, round_bytes, sizeof(round_bytes));
		frames_put(&fr, 0x11, round_bytes, sizeof(round_bytes));
	}
	frames_flush(&fr);
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	for (k = 0; k < 2; k++) {
		cfg.trace_id = 0x10 + k;
		assert_int_equal(cst_tree_add(t, &cfg, &dec[k]), 0);
	}
	assert_int_equal(cst_tree_set_order(t, order), 0);
	assert_int_equal(cst_tree_feed(t, b->p, 16, 0), 0);
	while (cst_tree_pull(t, out, 40, NULL) > 0)
		;
	return t;
}

/* Bytes of two IDs wait: a decoder that is taken out leaves them unrouted; the order cannot be changed. */
static void test_waiting(void **state)
{
	struct cst_decoder *dec[2];
	struct cst_generic out[40];
	struct cst_tree *t;
	struct cst_pull p;
	struct gbuf b;
	uint64_t before;

	(void)state;
	t = two_ids(&b, dec, CST_ORDER_BY_ID);
	before = cst_decoder_stats(dec[1])->bytes;
	assert_int_equal(cst_tree_feed(t, b.p + 16, b.len - 16, 16), 0);
	assert_true(cst_tree_pull(t, out, 40, &p) > 0);
	assert_ptr_equal(p.dec, dec[0]);
	assert_int_equal(cst_decoder_stats(dec[0])->bytes, 3 * sizeof(round_bytes));
	assert_int_equal(cst_decoder_stats(dec[1])->bytes, before);
	assert_int_equal(cst_tree_set_order(t, CST_ORDER_FRAMES), -CST_ERR_BUSY);
	cst_tree_remove(t, dec[1]);
	assert_int_equal(cst_tree_unrouted(t), 3 * sizeof(round_bytes) - before);
	while (cst_tree_pull(t, out, 40, &p) > 0)
		assert_ptr_equal(p.dec, dec[0]);
	assert_int_equal(cst_tree_set_order(t, CST_ORDER_FRAMES), 0);
	assert_int_equal(cst_tree_set_order(t, CST_ORDER_BY_ID), 0);
	cst_tree_free(t);
	gbuf_free(&b);
	/* one stream has one order */
	assert_int_equal(cst_tree_new(&t, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_set_order(t, CST_ORDER_BY_ID), 0);
	cst_tree_free(t);
}

/* A decoder that has not taken all of its bytes, in either order: the order cannot be left; a reset drops what waits. */
static void test_reset(void **state)
{
	enum cst_tree_order order;
	struct cst_decoder *dec[2];
	struct cst_generic out[40];
	struct cst_tree *t;
	struct cst_pull p;
	struct gbuf b;
	uint64_t before[2];
	unsigned int k;
	int n;

	(void)state;
	for (order = CST_ORDER_FRAMES; order <= CST_ORDER_BY_ID; order++) {
		t = two_ids(&b, dec, order);
		assert_int_equal(cst_tree_feed(t, b.p + 16, b.len - 16, 16), 0);
		do
			assert_true(cst_tree_pull(t, out, CST_PULL_MIN, &p) > 0);
		while (cst_tree_set_order(t, CST_ORDER_FRAMES) != -CST_ERR_BUSY);
		cst_tree_reset(t);
		for (k = 0; k < 2; k++)
			before[k] = cst_decoder_stats(dec[k])->bytes;
		while ((n = cst_tree_pull(t, out, 40, &p)) > 0)
			while (n--)
				assert_int_equal(out[n].kind, CST_GEN_NO_SYNC);
		assert_int_equal(n, 0);
		assert_int_equal(cst_tree_set_order(t, CST_ORDER_FRAMES), 0);
		assert_int_equal(cst_tree_set_order(t, order), 0);
		for (k = 0; k < 2; k++)
			assert_int_equal(cst_decoder_stats(dec[k])->bytes, before[k]);
		/* from the start, everything is decoded again */
		assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), 0);
		while (cst_tree_pull(t, out, 40, &p) > 0)
			;
		for (k = 0; k < 2; k++)
			assert_int_equal(cst_decoder_stats(dec[k])->bytes, before[k] + 3 * sizeof(round_bytes));
		cst_tree_free(t);
		gbuf_free(&b);
	}
}

/* IDs from 0x70 on are no sources: a decoder of such an ID is accepted and gets no bytes, in either order. */
static void test_no_source(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	enum cst_tree_order order;
	struct cst_decoder *dec[2], *none;
	struct cst_generic out[40];
	struct cst_tree *t;
	struct gbuf b;

	(void)state;
	cfg.trace_id = 0x70;
	for (order = CST_ORDER_FRAMES; order <= CST_ORDER_BY_ID; order++) {
		t = two_ids(&b, dec, order);
		assert_int_equal(cst_tree_add(t, &cfg, &none), 0);
		assert_ptr_equal(cst_tree_decoder(t, 0x70), none);
		assert_int_equal(cst_tree_feed(t, b.p + 16, b.len - 16, 16), 0);
		while (cst_tree_pull(t, out, 40, NULL) > 0)
			;
		assert_int_equal(cst_decoder_stats(none)->bytes, 0);
		assert_int_equal(cst_decoder_stats(dec[1])->bytes, 3 * sizeof(round_bytes));
		cst_tree_remove(t, none);
		assert_int_equal(cst_tree_unrouted(t), 0);
		assert_null(cst_tree_decoder(t, 0x70));
		cst_tree_free(t);
		gbuf_free(&b);
	}
}

/* Behind the code of a section nothing is mapped: the stop there has no section, but an address. */
static void test_unmapped_after_lazy(void **state)
{
	static const uint8_t atoms[] = { 0xf7, 0x95, 0x02, 0xf7 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[40];
	struct cst_section *sec;
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_space *sp;
	struct cst_pull p;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_space_new(&sp, img), 0);
	cst_space_set_on_demand(sp, 1);
	assert_int_equal(cst_section_new(&sec, img, NULL, 8, NULL), 0);
	assert_int_equal(cst_space_map(sp, 0, 8, sec, 0), 0);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, sp);
	cst_decoder_set_stop(dec, CST_STOP_SECTION);
	assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(cst_decoder_feed(dec, atoms, sizeof(atoms), 18), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 1);	/* the context */
	assert_int_equal(p.why, CST_STOP_SECTION);
	assert_ptr_equal(cst_decoder_section(dec), sec);
	assert_int_equal(cst_section_set_bytes(sec, loop, 8), 0);
	assert_true(cst_decoder_pull(dec, out, 40, &p) > 0);
	assert_int_equal(p.why, CST_STOP_SECTION);
	assert_null(cst_decoder_section(dec));
	assert_int_equal(cst_decoder_wanted(dec), 8);
	cst_decoder_free(dec);
	cst_image_free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_no_source),
		cmocka_unit_test(test_unmapped_after_lazy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
