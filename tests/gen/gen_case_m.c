/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_case_m.c - cases for trace units of the R and M profile. */
#include "gen_case.h"

#include "util.h"

static void draw_conditions(struct rng *r, struct tu_opts *t)
{
	static const uint8_t modes[] = { 1, 2, 3, 7, 7, 7 };

	t->cond_mode = modes[rng_below(r, 6)];
	t->cond_flags = (uint8_t)rng_below(r, 2);
	/* at least as many as may be outstanding, so that a new key is always to be had */
	t->cond_keys = rng_range(r, 64, 300);
	t->p_cond_flush = (uint16_t)(rng_below(r, 2) ? rng_below(r, 200) : 0);
}

static void draw_code(struct rng *r, struct tu_opts *t, struct prog_opts *p)
{
	p->ia32 = 1;
	p->newest = p->pauth = p->tx = p->reset = 0;
	p->sec = (uint8_t)rng_below(r, 2);
	if (t->mprofile) {
		p->mprofile = 1;
		p->user_isas = 1 << FLOW_T32;
		p->kernel_isa = FLOW_T32;
		p->threads = 1;
	} else {
		p->user_isas = (uint8_t)rng_range(r, 1, 3);
		p->kernel_isa = (uint8_t)rng_below(r, 2);
	}
}

void gen_profile_case(uint64_t seed, int plain, struct gen_case *c)
{
	unsigned int without = GEN_X_ETE | GEN_X_Q | GEN_X_SRC | GEN_X_TX | GEN_X_NEWEST | GEN_X_RESET | GEN_X_CUT |
			       GEN_X_MPROFILE | (plain ? GEN_X_SPEC | GEN_X_OVERFLOW : 0);
	struct tu_opts *t = &c->tu;
	struct rng r;

	gen_case_opts(seed, without, c);
	rng_seed(&r, seed ^ 0x9e3779b97f4a7c15ull);
	t->ia32 = 1;
	t->cut_sync = 0;
	t->p_soft = 0;
	t->mprofile = (uint8_t)(rng_below(&r, 3) != 0);
	t->rprofile = !t->mprofile;
	if (t->mprofile) {
		t->cid = t->vmid = t->vmidopt = t->vmid_is_tid = 0;
		t->p_fret = (uint16_t)rng_below(&r, 300);
	}
	if (rng_below(&r, 3)) {
		t->load_p0 = (uint8_t)rng_below(&r, 2);
		t->store_p0 = (uint8_t)(!t->load_p0 || rng_below(&r, 2));
	}
	if (rng_below(&r, 2))
		draw_conditions(&r, t);
	if (plain)
		t->sync_every = rng_range(&r, 60, 400);
	draw_code(&r, t, &c->prog);
	gen_case_build(c);
}
