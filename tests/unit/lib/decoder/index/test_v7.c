/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_index_v7.c - indexes of PTM and ETMv3 trace: decoding from every place that they know gives what decoding
 * from the beginning does. Random A32 and T32 programs, encoded by the models; of every second one some bytes are
 * damaged. Periodic synchronisations count as well as those after a gap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etmv3_enc.h"
#include "frames.h"
#include "unit/lib/digest_check.h"
#include "ptm_enc.h"

#define MAX_SPACES 4
#define WINDOW 3000

struct made {
	const struct prog_opts *prog;
	const struct prog_region *regions;
	size_t n_regions;
	struct cst_config cfg;
	struct cst_image *img;
	struct cst_space *space[MAX_SPACES], *none;
};

static void map_code(struct made *m)
{
	struct cst_section *sec;
	unsigned int i;
	size_t k;

	assert_true(m->prog->threads < MAX_SPACES);
	assert_int_equal(cst_image_new(&m->img, 0), 0);
	assert_int_equal(cst_space_new(&m->none, m->img), 0);
	for (i = 0; i < m->prog->threads; i++)
		assert_int_equal(cst_space_new(&m->space[i], m->img), 0);
	for (k = 0; k < m->n_regions; k++) {
		const struct prog_region *r = &m->regions[k];

		assert_int_equal(cst_section_new(&sec, m->img, r->bytes, r->len, NULL), 0);
		for (i = 0; i < m->prog->threads; i++)
			if (r->el || r->tid == m->prog->first_tid + i * m->prog->tid_step)
				assert_int_equal(cst_space_map(m->space[i], r->va, r->len, sec, 0), 0);
	}
}

static struct cst_space *space_of(void *ctx, const struct cst_config *cfg, const struct cst_generic *g)
{
	const struct made *m = ctx;
	uint32_t i;

	if (!g || !cfg->cid_bytes)
		return m->space[0];
	for (i = 0; i < m->prog->threads; i++)
		if (m->prog->first_tid + i * m->prog->tid_step == g->context_id)
			return m->space[i];
	return m->none;
}

static struct cut_sums cuts;

static void check(struct made *m, const struct gbuf *trace, uint64_t seed, struct check_sums *sums)
{
	struct check_buffer b = { .format = CST_TREE_RAW, .cfg = &m->cfg, .n_cfg = 1, .len = trace->len,
				  .offset = 77, .space = space_of, .ctx = m, .window = WINDOW };
	uint8_t *bytes = malloc(trace->len + 1);
	struct rng rng;
	unsigned int i;

	assert_non_null(bytes);
	memcpy(bytes, trace->p, trace->len);
	rng_seed(&rng, seed);
	for (i = 0; seed & 1 && i < 6; i++)
		bytes[rng_below(&rng, (uint32_t)trace->len)] = (uint8_t)rng_next(&rng);
	b.data = bytes;
	map_code(m);
	check_points(&b, sums);
	if (seed % 4 < 2)
		check_cuts(&b, &cuts);
	cst_image_free(m->img);
	free(bytes);
}

static uint64_t n_seeds(void)
{
	if (!getenv("CSTRACE_NIGHTLY"))
		return 600;
	return getenv("SANITIZED") ? 2500 : 10000;
}

static void tell(const char *what, const struct check_sums *sums)
{
	print_message("%s: %llu streams, %llu of them with places, %llu places, %llu elements compared\n", what,
		      (unsigned long long)sums->buffers, (unsigned long long)sums->streams,
		      (unsigned long long)sums->points, (unsigned long long)sums->elements);
	print_message("%llu of %llu states equal, then %llu elements\n", (unsigned long long)cuts.equal,
		      (unsigned long long)cuts.tried, (unsigned long long)cuts.elements);
	assert_true(cuts.equal > cuts.tried / 16);
	memset(&cuts, 0, sizeof(cuts));
}

static void test_ptm(void **state)
{
	struct check_sums sums = { 0 };
	struct cst_etmv3_regs regs = { 0 };
	struct ptm_case c;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < n_seeds(); seed++) {
		ptm_case_new(seed, &c);
		struct made m = { .prog = &c.prog, .regions = c.regions, .n_regions = c.nregions };

		regs = (struct cst_etmv3_regs){ .cr = c.regs.cr, .ccer = c.regs.ccer, .idr = c.regs.idr,
						.traceidr = c.regs.traceidr };
		assert_int_equal(cst_config_ptm(&m.cfg, &regs), 0);
		m.cfg.as_reference = seed / 2 & 1;
		check(&m, &c.trace, seed, &sums);
		ptm_case_free(&c);
	}
	tell("PTM", &sums);
	assert_true(sums.streams > n_seeds() / 4);
	assert_true(sums.points > 3 * n_seeds());
}

static void test_etmv3(void **state)
{
	struct check_sums sums = { 0 };
	struct cst_etmv3_regs regs = { 0 };
	struct etmv3_case c;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < n_seeds(); seed++) {
		etmv3_case_new(seed, &c);
		struct made m = { .prog = &c.prog, .regions = c.regions, .n_regions = c.nregions };

		regs = (struct cst_etmv3_regs){ .cr = c.regs.cr, .ccer = c.regs.ccer, .idr = c.regs.idr,
						.traceidr = c.regs.traceidr };
		assert_int_equal(cst_config_etmv3(&m.cfg, &regs, c.opts.mprofile ? CST_PROFILE_M : CST_PROFILE_A), 0);
		m.cfg.as_reference = seed / 2 & 1;
		check(&m, &c.trace, seed, &sums);
		etmv3_case_free(&c);
	}
	tell("ETMv3", &sums);
	assert_true(sums.streams > n_seeds() / 8);
	assert_true(sums.points > n_seeds());
}

/* Number of blocks in the index of the frames. */
static uint32_t blocks_in_frames(const struct check_buffer *b)
{
	const struct cst_index_opts opts = { .granularity = 1 };
	struct cst_index *ix = check_build(b, &opts, 0, 0);
	uint32_t n = ix->streams[0].n_blocks;

	cst_index_free(ix);
	return n;
}

/*
 * A buffer that begins with a barrier, as the kernel marks one that wrapped, has at least the places that it has without
 * one. With a barrier in the middle, instructions before it that wait for another packet are in the same elements from
 * every place.
 */
static void test_etmv3_barrier(void **state)
{
	struct check_buffer b = { .format = CST_TREE_FRAMES, .flags = CST_FRAME_RESET_4X, .n_cfg = 1, .space = space_of,
				  .window = WINDOW };
	struct frames_opts fo = { .seed = 1 };
	struct check_sums sums = { 0 };
	struct gbuf out = { 0 };
	struct cst_etmv3_regs regs = { 0 };
	uint32_t blocks, most = 0;
	struct etmv3_case c;
	struct frames f;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 40; seed++) {
		etmv3_case_new(seed, &c);
		struct made m = { .prog = &c.prog, .regions = c.regions, .n_regions = c.nregions };

		regs = (struct cst_etmv3_regs){ .cr = c.regs.cr, .ccer = c.regs.ccer, .idr = c.regs.idr, .traceidr = 0x10 };
		assert_int_equal(cst_config_etmv3(&m.cfg, &regs, c.opts.mprofile ? CST_PROFILE_M : CST_PROFILE_A), 0);
		out.len = 0;
		frames_init(&f, &fo, &out);
		frames_barrier(&f);
		frames_put(&f, 0x10, c.trace.p, c.trace.len / 2);
		frames_flush(&f);
		frames_barrier(&f);
		frames_put(&f, 0x10, c.trace.p, c.trace.len);
		frames_flush(&f);
		b.cfg = &m.cfg;
		b.data = out.p + 16;
		b.len = out.len - 16;
		blocks = blocks_in_frames(&b);
		most = blocks > most ? blocks : most;
		b.data = out.p;
		b.len = out.len;
		/* the first synchronisation may be one more */
		assert_true(blocks_in_frames(&b) >= blocks);
		b.ctx = &m;
		map_code(&m);
		check_points(&b, &sums);
		cst_image_free(m.img);
		etmv3_case_free(&c);
	}
	assert_true(most > 2);
	gbuf_free(&out);
}

/* A timestamp without its upper bits, behind an overflow, has no time: the times of the block are those of the others. */
static void test_unknown_time(void **state)
{
	static const uint8_t trace[] = {
		0, 0, 0, 0, 0, 0x80, 0x08, 0, 0x80, 0, 0, 0x21,		/* A-sync, I-sync */
		0x42, 0xe8, 0x87, 0x80, 0x80, 0x80, 0x80, 0x01,			/* all 48 bits */
		0x08, 0, 0x80, 0, 0, 0x41, 0x42, 0x81, 0x01,			/* I-sync: overflow; 14 bits */
		0x42, 0xe8, 0x88, 0x80, 0x80, 0x80, 0x80, 0x01,
	};
	const struct cst_etmv3_regs regs = { .cr = 1u << 28, .ccer = 0x14c01ac2, .idr = 0x411cf312, .traceidr = 0x10 };
	const struct cst_index_opts opts = { .full = 1 };
	struct cst_config cfg = { 0 };
	const struct check_buffer b = { .format = CST_TREE_RAW, .cfg = &cfg, .n_cfg = 1, .data = trace, .len = sizeof(trace) };
	const struct cst_index_block *block;
	struct cst_index *ix;
	unsigned int i, n = 0;

	(void)state;
	assert_int_equal(cst_config_ptm(&cfg, &regs), 0);
	ix = check_build(&b, &opts, 0, 0);
	block = ix->streams[0].blocks;
	assert_int_equal(block->counts[CST_INDEX_TIMESTAMP], 2);
	assert_true(block->time_first == 0x400000003e8 && block->time_min == 0x400000003e8);
	assert_true(block->time_last == 0x40000000468 && block->time_max == 0x40000000468);
	for (i = 0; i < ix->streams[0].n_records; i++)
		n += ix->streams[0].records[i].kind == CST_INDEX_TIMESTAMP;
	assert_int_equal(n, 2);
	cst_index_free(ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ptm),
		cmocka_unit_test(test_etmv3),
		cmocka_unit_test(test_etmv3_barrier),
		cmocka_unit_test(test_unknown_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
