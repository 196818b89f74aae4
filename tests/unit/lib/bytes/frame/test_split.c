/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_frame_split.c - the short cut from frames to the bytes of each ID against the de-formatter's fragments:
 * every set of places for ID bytes, few IDs and many, at the size of a whole stretch; and that no more memory is
 * written than split.h says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/cstrace.h>

#include "bytes/frame/split.h"
#include "util.h"

enum {
	FRAMES = 512,
	LEN = FRAMES * 16,
	RUNS = FRAMES * SPLIT_RUNS,
	SEEDS = 400,
	GUARD = 64,
	MARK = 0xa5,
};

/* What an ID gets, with marks behind what may be written. */
struct room {
	struct seg seg[RUNS + SPLIT_SPARE];
	struct seg seg_guard[GUARD];
	uint8_t data[LEN + SPLIT_SLACK];
	uint8_t data_guard[GUARD];
};

struct want {
	struct seg seg[RUNS];
	uint8_t data[LEN];
	uint32_t n, len;
};

static struct room room[SPLIT_IDS];
static struct want want[SPLIT_IDS];
static struct frame_sink sink[SPLIT_IDS];

static void mark(struct room *r)
{
	memset(r, MARK, sizeof(*r));
}

static int is_marked(const void *p, size_t len)
{
	const uint8_t *b = p;

	while (len && b[len - 1] == MARK)
		len--;
	return !len;
}

static int has_odd_id(const uint8_t *f)
{
	unsigned int k;

	for (k = 0; k < 16; k += 2)
		if (f[k] & 1 && f[k] >> 1 >= SPLIT_IDS)
			return 1;
	return 0;
}

/*
 * The de-formatter's, up to a frame with an ID that is none of a source, or with something to be told of. Returns
 * the frames before it.
 */
static size_t deframe(struct cst_deframer *df, const uint8_t *in, size_t frames, uint64_t offset)
{
	struct cst_fragment frag[16];
	uint8_t data[64];
	size_t i, used;
	int n, k;

	for (i = 0; i < SPLIT_IDS; i++)
		want[i].n = want[i].len = 0;
	for (i = 0; i < frames; i++) {
		struct cst_deframer before = *df;

		n = cst_deframe(df, in + 16 * i, 16, offset + 16 * i, data, sizeof(data), frag, 16, &used);
		assert_true(n >= 0 && used == 16);
		for (k = 0; k < n; k++)
			if (frag[k].kind != CST_FRAG_DATA)
				break;
		if (k < n || has_odd_id(in + 16 * i)) {
			*df = before;
			break;
		}
		for (k = 0; k < n; k++) {
			struct want *w = &want[frag[k].id];

			assert_true(w->n < RUNS);
			w->seg[w->n].pos = w->len;
			w->seg[w->n++].offset = frag[k].offset;
			memcpy(w->data + w->len, data + frag[k].pos, frag[k].len);
			w->len += frag[k].len;
		}
	}
	return i;
}

/* Returns the bytes that were taken. */
static size_t check(const uint8_t *in, size_t len, unsigned int flags, uint8_t id)
{
	struct cst_deframer a, b;
	unsigned int i, k;
	size_t frames;

	cst_deframer_init(&a, flags);
	cst_deframer_start(&a, 4096, id);
	b = a;
	frames = deframe(&a, in, len / 16, 4096);
	for (i = 0; i < SPLIT_IDS; i++) {
		mark(&room[i]);
		sink[i] = (struct frame_sink){ .data = room[i].data, .seg = room[i].seg };
	}
	assert_int_equal(cst_frame_split(&b, in, len, 4096, sink), frames * 16);
	for (i = 0; i < SPLIT_IDS; i++) {
		assert_int_equal(sink[i].pos, want[i].len);
		assert_int_equal(frame_sink_runs(&sink[i]), want[i].n);
		assert_memory_equal(room[i].data, want[i].data, want[i].len);
		for (k = 0; k < want[i].n; k++) {
			assert_int_equal(room[i].seg[k].pos, want[i].seg[k].pos);
			assert_int_equal(room[i].seg[k].offset, want[i].seg[k].offset);
		}
		assert_true(is_marked(room[i].data + want[i].len + SPLIT_SLACK,
				      sizeof(room[i].data) - want[i].len - SPLIT_SLACK));
		assert_true(is_marked(room[i].data_guard, sizeof(room[i].data_guard)));
		assert_true(is_marked(room[i].seg + want[i].n + SPLIT_SPARE, (RUNS - want[i].n) * sizeof(struct seg)));
		assert_true(is_marked(room[i].seg_guard, sizeof(room[i].seg_guard)));
	}
	assert_int_equal(a.id, b.id);
	assert_int_equal(a.offset, b.offset);
	assert_memory_equal(&a.stats, &b.stats, sizeof(a.stats));
	return 16 * frames;
}

/* A frame with ID bytes at the pairs of `places`, of `ids` IDs from `first` on. */
static void make_frame(struct rng *rng, uint8_t *f, unsigned int places, unsigned int first, unsigned int ids)
{
	unsigned int k;

	for (k = 0; k < 16; k++)
		f[k] = (uint8_t)rng_below(rng, 256);
	for (k = 0; k < 8; k++) {
		f[2 * k] &= 0xfe;
		if (places >> k & 1)
			f[2 * k] = (uint8_t)((first + rng_below(rng, ids)) << 1 | 1);
	}
}

/* Every set of places, one after the other. */
static void test_places(void **state)
{
	static uint8_t in[LEN];
	unsigned int i, ids;
	struct rng rng;

	(void)state;
	for (ids = 1; ids <= 5; ids++) {
		rng_seed(&rng, ids);
		for (i = 0; i < FRAMES; i++)
			make_frame(&rng, in + 16 * i, i & 0xff, ids & 1 ? 0x10 : 0, ids);
		check(in, LEN, 0, 0x10);
	}
}

/* As many runs as a frame can have of an ID: the change at every pair, delayed or not. */
static void test_most_runs(void **state)
{
	static uint8_t in[LEN];
	unsigned int i, k, most = 0, first;

	(void)state;
	for (first = 0; first < 2; first++) {
		for (i = 0; i < FRAMES; i++) {
			for (k = 0; k < 8; k++) {
				in[16 * i + 2 * k] = (uint8_t)((0x10 + ((k + first) & 1)) << 1 | 1);
				in[16 * i + 2 * k + 1] = (uint8_t)k;
			}
			in[16 * i + 15] = (uint8_t)(i & 0x7f);
		}
		check(in, LEN, 0, 0x10);
		for (k = 0x10; k <= 0x11; k++)
			most = want[k].n > most ? want[k].n : most;
	}
	/* with no change delayed each of the two has four runs of every frame */
	memset(in, 0, LEN);
	for (i = 0; i < FRAMES; i++)
		for (k = 0; k < 8; k++)
			in[16 * i + 2 * k] = (uint8_t)((0x10 + (k & 1)) << 1 | 1);
	check(in, LEN, 0, 0x11);
	assert_int_equal(want[0x10].n, RUNS);
	assert_true(want[0x10].n >= most);
}

/* Whatever comes: up to what is not plain, with what is looked for. */
static void test_random(void **state)
{
	static const unsigned int flags[] = { 0, CST_FRAME_RESET_4X, CST_FRAME_FINDINGS, CST_FRAME_STRICT };
	static uint8_t in[LEN];
	unsigned int seed, i, frames, whole = 0, stopped = 0;
	size_t used;
	struct rng rng;

	(void)state;
	for (seed = 0; seed < SEEDS; seed++) {
		rng_seed(&rng, seed);
		frames = 1 + rng_below(&rng, FRAMES);
		for (i = 0; i < frames; i++)
			make_frame(&rng, in + 16 * i,
				   rng_below(&rng, 3) ? 0 : rng_below(&rng, 256) & rng_below(&rng, 256),
				   rng_below(&rng, 0x60), rng_below(&rng, 200) ? 1 + rng_below(&rng, 16) : 0x20);
		if (rng_below(&rng, 4) == 0)
			memset(in + 16 * rng_below(&rng, frames), 0xff, 1 + rng_below(&rng, 16));
		used = check(in, 16 * frames, flags[seed & 3], (uint8_t)rng_below(&rng, SPLIT_IDS));
		whole += used == 16 * frames;
		stopped += used && used < 16 * frames;
	}
	/* both happen, or nothing was tested */
	assert_true(whole > SEEDS / 20);
	assert_true(stopped > SEEDS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_most_runs),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
