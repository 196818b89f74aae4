/* SPDX-License-Identifier: GPL-2.0-only */
/* seams.c - joins the samples of shards of the trace, which several threads decode. */
#include <limits.h>

#include <cstrace/index.h>

#include "base/array.h"
#include "outputs/synth/sampler_int.h"

struct sampler_seam *sampler_seam(const struct sampler *sp, uint64_t place)
{
	size_t i;

	for (i = 0; i < sp->nr_seams; i++)
		if (sp->seams[i].place == place)
			return &sp->seams[i];
	return NULL;
}

struct sampler_seam *sampler_nth_seam(struct sampler *sp, size_t i)
{
	return i < sp->nr_seams ? &sp->seams[i] : NULL;
}

struct sampler_seam *sampler_last_seam(struct sampler *sp)
{
	return sp->nr_seams ? &sp->seams[sp->nr_seams - 1] : NULL;
}

/* True if a period ended with the shard: the next shard has the same samples with or without this state. */
static bool is_settled(const struct sampler *sp, const struct sampler_seam *was)
{
	if (!sp->want_i)
		return true;
	return !was->since && (sp->o.tiles || was->to_next == sp->o.period);
}

/* True if a stretch ended with the trace and its last branch was not reported by an element. */
static bool is_open(const struct sampler_seam *was)
{
	return was->br.open == BRANCH_ENDED && was->br.last;
}

static bool seam_fits(const struct sampler *sp, const struct sampler_seam *was, const struct sampler_seam *now)
{
	return is_settled(sp, was) && !(now->asks_gap && (was->gap.ip || was->br.last));
}

bool sampler_fits(const struct sampler *whole, const struct sampler *shard)
{
	const struct sampler_seam *was;
	size_t i;

	for (i = 0; i < shard->nr_seams; i++) {
		was = sampler_seam(whole, shard->seams[i].place);
		if (was && !seam_fits(whole, was, &shard->seams[i]))
			return false;
	}
	return true;
}

void sampler_continue(struct sampler *shard, struct sampler *whole)
{
	shard->from = whole;
	if (shard->ahead)
		shard->ahead->from = whole;
}

void seam_begin(struct sampler *sp, struct sampled_stream *ln, const struct sampler_seam *was)
{
	ln->seam.continued = true;
	ln->br = was->br;
	ln->gap = was->gap;
	ln->counts.insns = was->since;
	if (!sp->o.tiles)
		ln->counts.next = ln->counts.insns + was->to_next;
	ln->clock = was->clock;
	ln->clock.anchor_insns = ln->counts.insns - was->clock.anchor_insns;
	ln->after_gap = was->after_gap;
}

/* Reports the last branch of a stretch that the previous shard left open and `now`, the next shard, has ended. */
static int close_stretch(struct sampler *sp, const struct sampler_seam *was, struct sampler_seam *now,
			 void *(*lane)(void *data, const struct sampler_seam *was), void *data)
{
	const struct cst_generic g = { .kind = CST_GEN_NO_SYNC, .flags = now->doubtful ? CST_GF_DOUBTFUL : 0 };
	struct sampled_stream ln = { .br = was->br };
	void *word = &ln;
	/* the thread of that moment can no longer be looked up */
	struct stream s = { .cpu = was->cpu,
			    .pid = INT_MIN,
			    .tid = INT_MIN,
			    .host = { INT_MIN, INT_MIN },
			    .place = was->place,
			    .priv = &word };
	struct branch b;

	if (!branch_other(&ln.br, &s, &g, sp->read, &b) || (sp->restricted && !sampler_branch_passes(sp, &s, &b)))
		return 0;
	if (b.time > now->floor)
		now->floor = b.time;
	ln.user = lane(data, was);
	return sampler_branch_emit(sp, &s, &ln, &b);
}

int sampler_join(struct sampler *whole, struct sampler *shard,
		 void *(*lane)(void *data, const struct sampler_seam *was), void *data)
{
	struct sampler_seam *was, *now, old;
	size_t i;
	int rc = 0;

	for (i = 0; i < shard->nr_seams && !rc; i++) {
		now = &shard->seams[i];
		was = sampler_seam(whole, now->place);
		if (!was) {
			*ARRAY_ADD(whole->seams, whole->nr_seams, whole->cap_seams) = *now;
			continue;
		}
		now->floor = was->last;
		now->history.floor = was->history.last;
		old = *was;
		if (whole->want_b && !shard->from && now->closes && is_open(&old))
			rc = close_stretch(whole, &old, now, lane, data);
		*was = *now;
		if (now->last < now->floor)
			was->last = now->floor;
		if (now->history.last < now->history.floor)
			was->history.last = now->history.floor;
		if (!now->touched) {
			was->br = old.br;
			was->user = old.user;
		}
		if (!now->gap.ip)
			was->gap = old.gap;
	}
	return rc;
}

void seam_leave(struct sampler *sp, const struct stream *s, const struct sampled_stream *ln)
{
	struct sampler_seam *seam = ARRAY_ADD(sp->seams, sp->nr_seams, sp->cap_seams);

	*seam = (struct sampler_seam){
		.place = s->place,
		.cpu = s->cpu,
		.closes = ln->seam.closes,
		.doubtful = ln->seam.doubtful,
		.asks_gap = ln->seam.asks_gap,
		.first = UINT64_MAX,
		.touched = ln->seam.touched || ln->br.last,
		.br = ln->br,
		.to_next = ln->counts.next - ln->counts.insns,
		.since = ln->counts.insns - ln->counts.sampled,
		.clock = ln->clock,
		.after_gap = ln->after_gap,
		.gap = ln->gap,
	};
	seam->clock.anchor_insns = ln->counts.insns - ln->clock.anchor_insns;
}

/*
 * Without the return address of an exception, which only branch stacks use. Of what struct sampler_seam notes of a shard's
 * begin, a part inside a fragment has no use: the first element of the fragment, NO_SYNC, ended the stretch from before.
 */
uint64_t sampler_digest(const struct stream *s, uint64_t digest)
{
	const struct sampled_stream *ln = *s->priv;
	const struct branch_state *br = &ln->br;
	const uint64_t v[] = {
		br->last,
		(uint32_t)br->pid | (uint64_t)(uint32_t)br->tid << 32,
		br->cycles,
		br->open | br->size << 8 | br->isa << 16 | (uint64_t)br->el << 24 |
			(uint64_t)br->guest << 32,
		(uint32_t)br->host.pid | (uint64_t)(uint32_t)br->host.tid << 32,
		br->open == BRANCH_SEQ ? BRANCH_NONE : br->kind,
	};

	return cst_index_digest(digest, v, sizeof(v));
}
