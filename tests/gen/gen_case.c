/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "util.h"

static int coin(struct rng *r, unsigned int percent)
{
	return rng_pm(r, percent * 10);
}

/* a probability that is usually 0, sometimes small, rarely large */
static uint16_t rate(struct rng *r, unsigned int percent, uint32_t small, uint32_t large)
{
	if (!coin(r, percent))
		return 0;
	return (uint16_t)(coin(r, 25) ? rng_range(r, small, large) : rng_range(r, 1, small));
}

static void draw_program(struct rng *r, unsigned int x, struct tu_opts *t, struct prog_opts *p)
{
	prog_opts_init(p);
	p->seed = rng_next(r);
	if (coin(r, 35) && !(x & GEN_X_AARCH32)) {
		p->user_isas = (uint8_t)rng_range(r, 1, 7);
		if (coin(r, 40) && !t->ete)
			p->kernel_isa = (uint8_t)rng_below(r, 2);
	}
	if (t->mprofile) {
		p->user_isas = 1 << FLOW_T32;
		p->kernel_isa = FLOW_T32;
		p->mprofile = 1;
		p->newest = p->pauth = 0;
	}
	if (t->ia32) {
		p->ia32 = 1;
		if (p->kernel_isa == FLOW_A64)
			p->kernel_isa = FLOW_A32;
		p->user_isas &= 3;
		if (!p->user_isas)
			p->user_isas = 3;
	}
	p->kernel_traced = (uint8_t)coin(r, 45);
	p->newest = (uint8_t)(coin(r, 30) && !(x & GEN_X_NEWEST) && !t->mprofile);
	p->pauth = (uint8_t)(coin(r, 40) && !t->mprofile);
	p->tx = (uint8_t)(t->ete && coin(r, 30) && !(x & GEN_X_TX));
	p->reset = (uint8_t)(coin(r, 15) && !t->mprofile && !(x & GEN_X_RESET));
	p->threads = coin(r, 40) && !(x & GEN_X_THREADS) && (t->cid || t->vmid_is_tid)
			     ? (uint8_t)rng_range(r, 2, 3)
			     : 1;
	if (t->vmid_is_tid && !t->cid && t->vmid_bytes == 1)
		p->first_tid = 7;
	p->sections = (uint8_t)rng_range(r, 1, 3);
	p->section_insns = (uint16_t)rng_range(r, 10, 220);
	p->p_irq = rate(r, 70, 10, 60);
	p->p_trap = rate(r, 40, 4, 30);
	p->p_off = rate(r, 30, 4, 30);
	p->sec = coin(r, 80) ? 1 : 0;
	if (t->ete && coin(r, 10))
		p->sec = (uint8_t)rng_below(r, 4);
	if (t->ete && p->kernel_isa != FLOW_A64)
		p->kernel_isa = FLOW_A64;
}

static void draw_time(struct rng *r, struct tu_opts *t)
{
	t->ts = (uint8_t)coin(r, 70);
	t->first_tick = rng_next(r) >> rng_below(r, 64);
	t->ts48 = (uint8_t)(!t->ete && coin(r, 50));
	if (t->ts48)
		t->first_tick &= 0xffffffffull;
	t->ts_every = coin(r, 60) ? rng_range(r, 1, 100) : 0;
	t->p_ts_zero = rate(r, 20, 30, 200);
	t->ticks_per_insn = coin(r, 30) ? rng_below(r, 1000) : 0;
	t->cci = (uint8_t)coin(r, 35);
	t->ccsize = (uint8_t)(coin(r, 50) ? 12 : rng_range(r, 12, 20));
	t->cc_threshold = coin(r, 60) ? rng_range(r, 4, 40) : rng_range(r, 1, 700);
	t->p_cc = (uint16_t)(coin(r, 50) ? 1000 : rng_range(r, 50, 900));
	t->tsmark = (uint8_t)coin(r, 30);
	t->p_marker = rate(r, 40, 40, 200);
}

static void draw_speculation(struct rng *r, struct tu_opts *t)
{
	static const uint8_t depths[] = { 1, 2, 3, 4, 8, 15, 16, 30, 78, 127 };

	t->maxspec = depths[rng_below(r, sizeof(depths))];
	t->p_mispredict = rate(r, 80, 60, 400);
	t->p_phantom = rate(r, 50, 30, 150);
	t->p_commit = (uint16_t)(coin(r, 20) ? 0 : rng_range(r, 20, 800));
	t->p_off_commit = (uint16_t)(coin(r, 70) ? 1000 : rng_below(r, 1000));
}

static void draw_optional_packets(struct rng *r, unsigned int x, struct tu_opts *t)
{
	if (!(x & GEN_X_EVENTS)) {
		t->p_event = rate(r, 30, 30, 200);
		t->p_ignore = rate(r, 25, 30, 200);
		t->ite = (uint8_t)(t->ete && t->minor == 3 && coin(r, 60));
		t->p_ite = t->ite ? rate(r, 80, 30, 200) : 0;
	}
	if (!(x & GEN_X_FORMS)) {
		t->p_atom = rate(r, 50, 100, 900);
		t->p_addr_form = rate(r, 50, 200, 1000);
		t->p_addr_more = rate(r, 25, 40, 300);
		t->p_ctx_more = rate(r, 25, 40, 300);
		t->p_no_rs = rate(r, 20, 100, 500);
	}
	if (!(x & GEN_X_SYNC)) {
		t->sync_every = coin(r, 40) ? rng_range(r, 20, 1000) : 0;
		t->p_soft = rate(r, 50, 300, 1000);
		if (t->sync_every && coin(r, 25) && !(x & GEN_X_CUT))
			t->cut_sync = rng_range(r, 2, 4);
	}
	if (!(x & GEN_X_OVERFLOW)) {
		t->p_ovf = rate(r, 20, 5, 30);
		t->p_disc = rate(r, 30, 200, 1000);
	}
	if (!(x & GEN_X_E10))
		t->p_e10 = rate(r, 50, 500, 1000);
	if (!(x & GEN_X_Q) && coin(r, 20)) {
		t->qsupp = (uint8_t)rng_range(r, 1, 3);
		t->p_q = (uint16_t)rng_range(r, 5, 200);
	}
	if (!(x & GEN_X_SRC) && t->ete && coin(r, 30))
		t->p_src = (uint16_t)rng_range(r, 10, 500);
}

void gen_case_opts(uint64_t seed, unsigned int exclude, struct gen_case *c)
{
	struct tu_opts *t = &c->tu;
	struct rng r;

	memset(c, 0, sizeof(*c));
	c->seed = seed;
	rng_seed(&r, seed * 2654435761u + 17);
	tu_opts_init(t);
	t->seed = rng_next(&r);
	t->ete = (uint8_t)(coin(&r, 50) && !(exclude & GEN_X_ETE));
	t->minor = (uint8_t)rng_below(&r, t->ete ? 4 : 7);
	t->trace_id = (uint8_t)rng_range(&r, 1, 0x6f);
	t->mprofile = (uint8_t)(!t->ete && coin(&r, 6) && !(exclude & GEN_X_MPROFILE));
	t->ia32 = (uint8_t)(!t->ete && !t->mprofile && coin(&r, 8) && !(exclude & GEN_X_AARCH32));
	if (t->mprofile)
		t->ia32 = 1;
	t->vmid_bytes = 4;
	if (!t->ete)
		t->vmid_bytes = t->minor >= 1 ? (uint8_t)(1u << rng_below(&r, 3)) : 1;
	t->cid = (uint8_t)(coin(&r, 75) && !t->mprofile);
	t->vmid = (uint8_t)(coin(&r, 40) && !t->mprofile);
	t->vmid_value = (uint32_t)rng_next(&r);
	t->vmidopt = t->vmid_is_tid = (uint8_t)(t->vmid && coin(&r, 40));
	t->commopt = (uint8_t)coin(&r, 50);
	t->comm_trans = (uint8_t)coin(&r, 50);
	t->wfxmode = (uint8_t)coin(&r, 50);
	t->nevents = (uint8_t)rng_range(&r, 1, 4);
	t->retstack = (uint8_t)(coin(&r, 65) && !(exclude & GEN_X_RETSTACK));
	t->bb = (uint8_t)(coin(&r, 20) && !(exclude & GEN_X_BB));
	t->p_bb = (uint16_t)(coin(&r, 50) ? 1000 : rng_range(&r, 0, 1000));
	t->ts = t->cci = 0;
	if (!(exclude & GEN_X_TIME))
		draw_time(&r, t);
	if (!(exclude & GEN_X_SPEC) && coin(&r, 45))
		draw_speculation(&r, t);
	draw_optional_packets(&r, exclude, t);
	draw_program(&r, exclude, t, &c->prog);
	c->insns = coin(&r, 10) ? rng_range(&r, 1000, 5000) : rng_range(&r, 200, 1200);
}

struct collect {
	struct gen_case *c;
	struct gbuf bytes;
	struct tu *tu;
	size_t cap;
};

static void take_bytes(void *ctx, const uint8_t *p, size_t n)
{
	gbuf_put(&((struct collect *)ctx)->bytes, p, n);
}

static void take_event(void *ctx, const struct gen_event *ev)
{
	struct collect *k = ctx;
	struct gen_case *c = k->c;

	if (c->nevents == k->cap) {
		k->cap = k->cap ? k->cap * 2 : 256;
		c->events = gen_realloc(c->events, k->cap * sizeof(*c->events));
	}
	c->events[c->nevents++] = *ev;
}

static void restart(void *ctx)
{
	struct collect *k = ctx;

	k->bytes.len = 0;
	k->c->nevents = 1;	/* GEN_FRAGMENT stays */
}

static int insn_at(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el,
		   struct flow_rec *out)
{
	return prog_insn_at(((struct collect *)ctx)->c->program, pc, isa, tid, el, out);
}

static void take_flow(void *ctx, const struct flow_rec *r)
{
	struct collect *k = ctx;

	tarmac_flow(k->c->tarmac, r);
	tu_flow(k->tu, r);
}

static void make_frames(struct gen_case *c)
{
	struct frames_opts fo = { .seed = c->seed };
	struct gbuf out = { 0 };
	struct frames f;
	struct rng r;

	rng_seed(&r, c->seed ^ 0xf7a3e5);
	fo.p_repeat = rate(&r, 50, 50, 500);
	fo.p_null = rate(&r, 50, 50, 500);
	frames_init(&f, &fo, &out);
	frames_put(&f, (int)c->regs.traceidr, c->trace, c->len);
	frames_flush(&f);
	c->framed = out.p;
	c->framed_len = out.len;
}

void gen_case_build(struct gen_case *c)
{
	struct collect k = { .c = c };
	struct tu_sink sink = { &k, take_bytes, take_event, restart, insn_at };

	tu_get_regs(&c->tu, &c->regs);
	c->program = prog_new(&c->prog);
	c->nregions = prog_regions(c->program, &c->regions);
	k.tu = tu_new(&c->tu, &sink);
	tu_start(k.tu);
	prog_run(c->program, c->insns, take_flow, &k);
	tu_stop(k.tu);
	c->stats = *tu_stats(k.tu);
	tu_free(k.tu);
	c->trace = k.bytes.p;
	c->len = k.bytes.len;
	make_frames(c);
}

void gen_random_case_without(uint64_t seed, unsigned int exclude, struct gen_case *c)
{
	gen_case_opts(seed, exclude, c);
	gen_case_build(c);
}

void gen_random_case(uint64_t seed, struct gen_case *c)
{
	gen_random_case_without(seed, 0, c);
}

size_t gen_case_read(const struct gen_case *c, uint32_t tid, int el, uint64_t va, const uint8_t **p)
{
	size_t i;

	for (i = 0; i < c->nregions; i++) {
		const struct prog_region *g = &c->regions[i];

		if ((el ? !g->el : g->el || g->tid != tid) || va < g->va || va >= g->va + g->len)
			continue;
		*p = g->bytes + (va - g->va);
		return g->len - (size_t)(va - g->va);
	}
	return 0;
}

int gen_case_bytes(void *gen_case, const struct flow_rec *r, uint8_t *bytes)
{
	const uint8_t *p;

	if (gen_case_read(gen_case, r->tid, r->el, r->pc, &p) < r->size)
		return 0;
	memcpy(bytes, p, r->size);
	return 1;
}

void gen_case_free(struct gen_case *c)
{
	prog_free(c->program);
	free(c->trace);
	free(c->framed);
	free(c->events);
	memset(c, 0, sizeof(*c));
}
