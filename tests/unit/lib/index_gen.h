/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * index_gen.h - generated streams with many synchronisations, for tests of indexes.
 */
#ifndef CSTRACE_TESTS_UNIT_INDEX_GEN_H
#define CSTRACE_TESTS_UNIT_INDEX_GEN_H

#include "gen_case.h"
#include "index_check.h"

struct gen_space {
	struct cst_image *img;
	struct cst_space *space;
};

static inline struct cst_space *one_space(void *ctx, const struct cst_config *cfg, const struct cst_generic *g)
{
	(void)cfg;
	(void)g;
	return ((struct gen_space *)ctx)->space;
}

/* Threads have other code at the same addresses: the first one's does for this. */
static inline void map_code(struct gen_space *gs, const struct gen_case *c)
{
	struct cst_section *sec;
	size_t i;

	assert_int_equal(cst_image_new(&gs->img, 0), 0);
	assert_int_equal(cst_space_new(&gs->space, gs->img), 0);
	for (i = c->nregions; i--; ) {
		assert_int_equal(cst_section_new(&sec, gs->img, c->regions[i].bytes, c->regions[i].len, NULL), 0);
		assert_int_equal(cst_space_map(gs->space, c->regions[i].va, c->regions[i].len, sec, 0), 0);
	}
}

static inline struct cst_config case_config(const struct gen_case *c)
{
	const struct cst_etmv4_regs regs = {
		.configr = c->regs.configr, .traceidr = c->regs.traceidr, .idr0 = c->regs.idr0,
		.idr1 = c->regs.idr1, .idr2 = c->regs.idr2, .idr8 = c->regs.idr8,
		.devarch = c->regs.devarch,
	};
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_etmv4(&cfg, &regs, c->regs.ete,
					  c->tu.mprofile ? CST_PROFILE_M : CST_PROFILE_A), 0);
	return cfg;
}

struct gen_buffer {
	struct gen_case c;
	struct gen_space gs;
	struct cst_config cfg;
	struct check_buffer b;
};

static inline void gen_open(struct gen_buffer *g, uint64_t seed, bool framed, uint64_t insns)
{
	memset(g, 0, sizeof(*g));
	gen_case_opts(seed, 0, &g->c);
	g->c.insns = insns;
	if (!g->c.tu.sync_every || g->c.tu.sync_every > 400)
		g->c.tu.sync_every = 60 + (uint32_t)(seed % 300);
	gen_case_build(&g->c);
	g->cfg = case_config(&g->c);
	g->cfg.hold_transactions = seed & 1;
	map_code(&g->gs, &g->c);
	g->b = (struct check_buffer){
		.format = framed ? CST_TREE_FRAMES : CST_TREE_RAW, .cfg = &g->cfg, .n_cfg = 1,
		.data = framed ? g->c.framed : g->c.trace, .len = framed ? g->c.framed_len : g->c.len,
		.offset = framed ? 0x1000 : 77, .space = one_space, .ctx = &g->gs,
	};
}

static inline void gen_close(struct gen_buffer *g)
{
	cst_image_free(g->gs.img);
	gen_case_free(&g->c);
}

#endif
