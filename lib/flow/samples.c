/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.c - begin and end of a run around samples. */
#include "flow/walk.h"

/* Returns the instructions up to the next sample. */
static uint64_t to_next(struct cst_samples *s, uint64_t now)
{
	if (s->next <= now)
		s->next += ((now - s->next) / s->period + 1) * s->period;
	return s->next - now;
}

/*
 * Writes the ranges that end with the block from[i]: the last one, or one that ends with branch number i. They begin at
 * `addr`, after `insns` instructions.
 */
static void put(const struct loop *l, struct cst_generic *g, uint64_t i, uint64_t addr, uint64_t insns, const struct ids *ids,
		uint64_t e)
{
	const struct cst_samples *s = l->f->emit.samples;
	const struct blk *b = s->from[i % SAMPLED_RING];
	const uint64_t end = blk_off(b) + s->bias[(i - 1) % SAMPLED_RING] + (uint32_t)b->step[0];

	step_range(g, b, e, addr, end, (uint32_t)(s->insns[i % SAMPLED_RING] - insns), 0, 0, ids, l->run_end.index,
		   l->f->emit.tmpl.flags | l->flags);
}

static uint64_t target(const struct cst_samples *s, const struct blk *base, uint64_t i)
{
	return blk_off(BLK_AT(base, s->to[i % SAMPLED_RING])) + s->bias[i % SAMPLED_RING];
}

/* Writes the elements of the run, while its blocks are there. */
static void write_run(void *loop)
{
	struct loop *l = loop;
	const struct cst_samples *s = l->f->emit.samples;
	const struct blk *base = l->run_img->blocks.blk;
	const struct ids ids = ids_of_kind(l->f, CST_GEN_RANGE, 0);
	struct sampled_end *end = &l->run_end;
	const uint64_t ranges = l->atoms - atoms_in(end->bits) - l->run_atoms, n = end->branches;
	uint64_t i = n < CST_SAMPLE_BRANCHES ? 0 : n - CST_SAMPLE_BRANCHES;
	struct cst_generic *g = end->at;

	if (end->n)
		return;
	end->index = cst_walk_offset(l, end->index);
	if (i) {
		put(l, g, i, l->run_addr, l->run_insns, &ids, 1);
		g->kind = CST_GEN_SKIPPED;
		g++->runs = (uint32_t)(ranges - CST_SAMPLE_BRANCHES - 1);
	}
	for (; i <= n; i++)
		put(l, g++, i + 1, target(s, base, i), s->insns[i % SAMPLED_RING], &ids, i < n ? 1 : end->e);
	end->n = (size_t)(g - end->at);
	l->others += end->n;
	l->ranges += ranges;
}

uint64_t cst_samples_begin(struct loop *l, uint64_t insns, uint64_t place)
{
	struct cst_flow *f = l->f;
	struct cst_samples *s = f->emit.samples;
	struct cst_image *img = f->cache.map_sec->img;

	/* without memory for the table a run ends where execution goes to another section */
	cst_crossings_new(img);
	s->to[0] = place;
	s->bias[0] = f->cache.map_bias;
	s->insns[0] = insns;
	l->run_addr = target(s, img->blocks.blk, 0);
	l->run_img = img;
	img->dropping = write_run;
	img->dropping_data = l;
	return insns + to_next(s, f->stats->insns + insns);
}

void cst_samples_put(struct loop *l, const struct blk *b, uint64_t insns, const struct sampled_end *end)
{
	struct cst_samples *s = l->f->emit.samples;

	s->from[(end->branches + 1) % SAMPLED_RING] = b;
	s->insns[(end->branches + 1) % SAMPLED_RING] = insns;
	l->run_end = *end;
}

struct cst_generic *cst_samples_end(struct loop *l)
{
	write_run(l);
	l->run_img->dropping = NULL;
	return l->run_end.at + l->run_end.n;
}
