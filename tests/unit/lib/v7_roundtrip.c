/* SPDX-License-Identifier: BSD-3-Clause */
/* v7_roundtrip.c - both sides of a round trip of ETMv3 or PTM trace. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/isa.h>

#include "frames.h"
#include "unit/seeds.h"
#include "v7_roundtrip.h"

#define MAX_SPACES 4

struct list {
	struct v7_item *v;
	size_t n, cap;
};

static struct v7_item *add(struct list *l, int kind)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 1024;
		l->v = realloc(l->v, l->cap * sizeof(*l->v));
		assert_non_null(l->v);
	}
	memset(&l->v[l->n], 0, sizeof(*l->v));
	l->v[l->n].kind = kind;
	return &l->v[l->n++];
}

/* The model's events [from, to). */
static void expect(const struct v7_case *c, struct list *l, size_t from, size_t to)
{
	for (; from < to; from++)
		c->event(c->model, from, add(l, GEN_NONE));
}

struct run {
	const struct v7_case *c;
	struct cst_image *img;
	struct cst_section **sec;
	struct cst_space *space[MAX_SPACES], *none;
	struct cst_log *log;
	struct list got;
	struct cst_generic last;	/* range; last_open: more instructions could follow in it */
	bool last_open;
	unsigned int joined, torn;
	struct cst_stats stats;
	struct rng rng;
};

static void make_spaces(struct run *r)
{
	const struct v7_case *c = r->c;
	unsigned int i;
	size_t k;

	assert_true(c->prog->threads < MAX_SPACES);
	assert_int_equal(cst_space_new(&r->none, r->img), 0);
	for (i = 0; i < c->prog->threads; i++) {
		assert_int_equal(cst_space_new(&r->space[i], r->img), 0);
		for (k = 0; k < c->nregions; k++)
			if (c->regions[k].el || c->regions[k].tid == c->prog->first_tid + i * c->prog->tid_step)
				assert_int_equal(cst_space_map(r->space[i], c->regions[k].va, c->regions[k].len,
							       r->sec[k], 0), 0);
	}
}

/* What a thread sees; damaged trace may tell of one that there is not. */
static struct cst_space *space_of(const struct run *r, uint32_t tid)
{
	const struct prog_opts *p = r->c->prog;
	uint32_t i;

	if (!r->c->has_cid)
		return r->space[0];
	for (i = 0; i < p->threads; i++)
		if (p->first_tid + i * p->tid_step == tid)
			return r->space[i];
	return r->none;
}

static bool joins(const struct v7_case *c)
{
	return c->per_insn && !c->cfg.insn_ranges && !c->cfg.data_trace;
}

static const uint8_t *code_at(const struct run *r, uint64_t addr, uint32_t tid)
{
	const struct v7_case *c = r->c;
	size_t k;

	for (k = 0; k < c->nregions; k++)
		if (addr - c->regions[k].va < c->regions[k].len &&
		    (c->regions[k].el || !c->has_cid || c->regions[k].tid == tid))
			return c->regions[k].bytes + (addr - c->regions[k].va);
	return NULL;
}

/* A range of several instructions, one by one; its cycles are all of the first. */
static void take_insns(struct run *r, const struct cst_generic *g)
{
	struct v7_item *it;
	uint64_t addr = g->addr;
	const uint8_t *code;
	uint32_t n;

	for (n = 0; n < g->n_insn; n++) {
		it = add(&r->got, GEN_RANGE);
		it->a = addr;
		it->n = 1;
		it->isa = g->isa;
		it->atom = n + 1 < g->n_insn || g->flags & CST_GF_EXEC ? 'E' : 'N';
		it->tid = g->context_id;
		it->sec = g->security;
		it->el = g->el;
		it->cc = n || !(g->flags & CST_GF_CC) ? 0 : g->cc;
		code = g->n_insn > 1 ? code_at(r, addr, g->context_id) : NULL;
		if (g->n_insn == 1)
			addr = g->end;
		else if (code)
			addr += g->isa == CST_ISA_A32 ? 4 : cst_t32_size((uint16_t)(code[0] | code[1] << 8));
		it->b = addr;
	}
	assert_true(addr == g->end);
	if (g->n_insn > 1)
		r->joined++;
	/* what could have gone on did */
	if (r->last_open && r->last.end == g->addr && r->last.section == g->section && r->last.isa == g->isa)
		r->torn++;
	r->last = *g;
	r->last_open = joins(r->c) && g->flags & CST_GF_EXEC && g->last_type == CST_INSN_OTHER;
}

static void take(struct run *r, const struct cst_generic *g)
{
	struct v7_item *it;

	if (g->kind == CST_GEN_RANGE && r->c->per_insn) {
		take_insns(r, g);
		return;
	}
	r->last_open = false;
	switch (g->kind) {
	case CST_GEN_NO_SYNC:
		if (g->num != CST_UNSYNC_INIT)
			add(&r->got, GEN_NONE)->num = g->error;
		return;
	case CST_GEN_RANGE:
		it = add(&r->got, GEN_RANGE);
		it->a = g->addr;
		it->b = g->end;
		it->n = g->n_insn;
		it->isa = g->isa;
		it->atom = !(g->flags & CST_GF_WAYPOINT) ? '-' : g->flags & CST_GF_EXEC ? 'E' : 'N';
		it->tid = g->context_id;
		it->sec = g->security;
		it->el = g->el;
		break;
	case CST_GEN_EXCEPTION:
		it = add(&r->got, GEN_EXCEPTION);
		it->num = g->num;
		it->a = g->flags & CST_GF_RET_ADDR ? g->end : 0;
		break;
	case CST_GEN_EXCEPTION_RET:
		it = add(&r->got, GEN_EXC_RETURN);
		break;
	case CST_GEN_TRACE_ON:
		it = add(&r->got, GEN_TRACE_ON);
		it->num = g->num;
		break;
	case CST_GEN_PE_CONTEXT:
		it = add(&r->got, GEN_CONTEXT);
		it->tid = g->context_id;
		it->vmid = g->vmid;
		it->sec = g->security;
		it->el = g->el;
		break;
	case CST_GEN_TIMESTAMP:
		it = add(&r->got, GEN_TIMESTAMP);
		it->a = g->addr;
		break;
	case CST_GEN_CYCLE_COUNT:
		it = add(&r->got, GEN_CYCLES);
		break;
	case CST_GEN_DATA:
		it = add(&r->got, V7_DATA);
		it->a = g->addr;
		it->b = g->value;
		it->insn = g->insn;
		it->size = g->size;
		it->num = g->num;
		it->tag = g->channel;
		break;
	case CST_GEN_EVENT:
		it = add(&r->got, GEN_EVENTS);
		assert_int_equal(g->num, CST_EVENT_TRIGGER);
		break;
	case CST_GEN_EO_TRACE:
		it = add(&r->got, GEN_END);
		break;
	default:
		it = add(&r->got, GEN_NONE);
		it->num = 0x1000 + g->kind;
	}
	it->cc = g->flags & CST_GF_CC ? g->cc : 0;
}

/*
 * Where ranges are joined, cycles are known between other elements only: ranges and cycles lose theirs, and the next
 * element of another kind has them, as `insn`.
 */
static void sum_cycles(const struct v7_case *c, struct list *l)
{
	uint64_t cc = 0;
	size_t i, n = 0;

	if (!joins(c))
		return;
	for (i = 0; i < l->n; i++) {
		struct v7_item *e = &l->v[i];

		if (e->kind == GEN_RANGE || e->kind == GEN_CYCLES)
			cc += e->cc;
		if (e->kind == GEN_CYCLES)
			continue;
		if (e->kind == GEN_RANGE) {
			e->cc = 0;
		} else {
			e->insn = cc;
			cc = 0;
		}
		l->v[n++] = *e;
	}
	l->n = n;
}

static void drain(struct run *r, struct cst_tree *t, size_t cap)
{
	struct cst_generic out[64];
	struct cst_pull p;
	int i, n;

	while ((n = cst_tree_pull(t, out, cap, &p))) {
		assert_true(n > 0 && n <= (int)cap);
		for (i = 0; i < n; i++)
			take(r, &out[i]);
		if (p.why == CST_STOP_CONTEXT)
			cst_decoder_set_space(p.dec, space_of(r, out[n - 1].context_id));
	}
}

static void decode(struct run *r, const uint8_t *p, size_t len, bool framed)
{
	struct cst_decoder *dec;
	struct cst_tree *t;
	size_t at = 0, k;
	/* small outputs and inputs make every stage stop and go on in odd places */
	size_t cap = rng_below(&r->rng, 2) ? 64 : 8 + rng_below(&r->rng, 20);
	uint32_t piece = rng_below(&r->rng, 3) ? 1 + rng_below(&r->rng, 40) : 1u << 20;

	r->got.n = 0;
	r->last_open = false;
	assert_int_equal(cst_tree_new(&t, framed ? CST_TREE_FRAMES : CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(t, &r->c->cfg, &dec), 0);
	cst_tree_set_log(t, r->log);
	cst_log_clear(r->log);
	cst_decoder_set_space(dec, r->space[0]);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	while (at < len) {
		k = 1 + rng_below(&r->rng, piece);
		if (k > len - at)
			k = len - at;
		assert_int_equal(cst_tree_feed(t, p + at, k, at), 0);
		drain(r, t, cap);
		at += k;
	}
	cst_tree_end(t);
	drain(r, t, cap);
	r->stats = *cst_decoder_stats(dec);
	cst_tree_free(t);
	sum_cycles(r->c, &r->got);
}

static bool same(const struct v7_item *a, const struct v7_item *b)
{
	return a->kind == b->kind && a->atom == b->atom && a->isa == b->isa && a->el == b->el && a->sec == b->sec &&
	       a->num == b->num && a->n == b->n && a->tid == b->tid && a->vmid == b->vmid && a->cc == b->cc &&
	       a->a == b->a && a->b == b->b && a->insn == b->insn && a->size == b->size && a->tag == b->tag;
}

static void show(const char *side, const struct list *l, size_t i)
{
	const struct v7_item *x = &l->v[i];

	if (i >= l->n) {
		print_message("%s %zu: nothing\n", side, i);
		return;
	}
	print_message("%s %zu: kind %u atom %c isa %u el %u sec %u num %x n %u tid %u vmid %u cc %u %" PRIx64 " %" PRIx64
		      " insn %" PRIx64 " size %u tag %u\n", side, i, x->kind, x->atom ? x->atom : '.', x->isa, x->el,
		      x->sec, x->num, x->n, x->tid, x->vmid, x->cc, x->a, x->b, x->insn, x->size, x->tag);
}

/* A context that says what is known is no news: decoders may put it out or not. `all`: drop every one. */
static void drop_contexts(struct list *l, bool all)
{
	struct v7_item last = { .kind = GEN_NONE };
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		if (l->v[i].kind == GEN_CONTEXT) {
			if (all || same(&last, &l->v[i]))
				continue;
			last = l->v[i];
		}
		l->v[n++] = l->v[i];
	}
	l->n = n;
}

static void drop_known_contexts(const struct v7_case *c, struct list *l)
{
	if (c->same_contexts)
		drop_contexts(l, false);
}

/* got[skip..) must be what is wanted. */
static int compare(uint64_t seed, const char *how, const struct list *want, const struct list *got, size_t skip)
{
	size_t i = 0, k;

	while (i < want->n && i + skip < got->n && same(&want->v[i], &got->v[i + skip]))
		i++;
	if (i == want->n && i + skip == got->n)
		return 0;
	print_message("seed %" PRIu64 " (%s): difference at %zu of %zu, decoded %zu of %zu\n", seed, how, i,
		      want->n, i + skip, got->n);
	for (k = 0; k < 6; k++) {
		if (i + k >= 3)
			show("want", want, i + k - 3);
		if (i + skip + k >= 3)
			show(" got", got, i + skip + k - 3);
	}
	return 1;
}

static int exact(struct run *r, const struct list *want)
{
	const struct v7_case *c = r->c;
	struct frames_opts fo = { .seed = c->seed };
	struct gbuf framed = { 0 };
	struct frames f;
	uint64_t odd;
	int bad;

	decode(r, c->trace->p, c->trace->len, false);
	drop_known_contexts(c, &r->got);
	bad = compare(c->seed, "raw", want, &r->got, 0);
	odd = cst_log_count(r->log, CST_LOG_ALL_IDS, CST_LOG_WARNING) +
	      cst_log_count(r->log, CST_LOG_ALL_IDS, CST_LOG_ERROR) -
	      cst_log_count_finding(r->log, CST_LOG_ALL_IDS, c->allowed);
	if (!bad && (odd || r->stats.bad_packets | r->stats.resyncs | r->stats.nacc | r->stats.image_conflicts |
			    r->stats.unsynced | r->stats.atoms_lost | r->stats.stack_empty)) {
		print_message("seed %" PRIu64 ": counted losses where there are none\n", c->seed);
		print_message("%" PRIu64 " warnings, %" PRIu64 " unsynchronised bytes, %" PRIu64 " conflicts, %" PRIu64
			      " atoms lost\n", odd, r->stats.unsynced, r->stats.image_conflicts, r->stats.atoms_lost);
		bad = 1;
	}
	frames_init(&f, &fo, &framed);
	frames_put(&f, (int)c->cfg.trace_id, c->trace->p, c->trace->len);
	frames_flush(&f);
	decode(r, framed.p, framed.len, true);
	drop_known_contexts(c, &r->got);
	bad |= compare(c->seed, "framed", want, &r->got, 0);
	gbuf_free(&framed);
	return bad;
}

/* The first synchronisation at or after a place, or NULL. */
static const struct v7_mark *next_sync(const struct v7_case *c, size_t off)
{
	uint32_t i;

	for (i = 0; i < c->syncs->n; i++)
		if (c->syncs->v[i].off >= off)
			return &c->syncs->v[i];
	return NULL;
}

/* Is event `i` a Trace On? */
static bool begins(const struct v7_case *c, size_t i)
{
	struct v7_item it = { .kind = GEN_NONE };

	c->event(c->model, i, &it);
	return it.kind == GEN_TRACE_ON;
}

/* What follows a synchronisation that decoding begins at. */
static void expect_from(const struct v7_case *c, struct list *l, const struct v7_mark *s)
{
	size_t from = l->n, first, i;

	if (s && (s->events >= c->nevents || !begins(c, s->events)))
		add(l, GEN_TRACE_ON);
	first = l->n;
	expect(c, l, s ? s->events : c->nevents - 1, c->nevents);
	for (i = first; c->gaps_uncounted && i < l->n && l->v[i].kind != GEN_TRACE_ON; i++)
		if (l->v[i].gap)
			l->v[i].cc = 0;
	/* the virtual machine is told after the synchronisation */
	for (; from < l->n; from++)
		if (l->v[from].kind == GEN_CONTEXT) {
			l->v[from].vmid = 0;
			break;
		}
}

/* A byte that is no packet's header between two packets: what is lost is known exactly. */
static int loss(struct run *r, struct list *want)
{
	const struct v7_case *c = r->c;
	const struct v7_mark *m = &c->packets->v[1 + rng_below(&r->rng, c->packets->n - 1)];
	const struct v7_mark *s = next_sync(c, m->off);
	uint64_t end = s ? s->off : c->trace->len, lost;
	bool synced = m->off >= c->first;
	struct gbuf b = { 0 };
	int bad;

	while (c->zeros_before && s && end > m->off && !c->trace->p[end - 1])
		end--;
	lost = 1 + end - m->off;

	gbuf_put(&b, c->trace->p, m->off);
	gbuf_u8(&b, c->reserved);
	gbuf_put(&b, c->trace->p + m->off, c->trace->len - m->off);
	want->n = 0;
	expect(c, want, 0, m->events);
	/* between the first A-sync and its I-sync, nothing is in step yet */
	if (synced)
		add(want, GEN_NONE)->num = CST_ERR_BAD_HEADER;
	expect_from(c, want, s);
	sum_cycles(c, want);
	drop_known_contexts(c, want);
	decode(r, b.p, b.len, false);
	drop_known_contexts(c, &r->got);
	bad = compare(c->seed, "loss", want, &r->got, 0);
	if (!bad && synced &&
	    (r->stats.unsynced != lost || r->stats.resyncs != 1 || r->stats.bad_packets != 1 ||
	     cst_log_count_error(r->log, c->cfg.trace_id, CST_ERR_BAD_HEADER) != 1)) {
		print_message("seed %" PRIu64 ": lost %" PRIu64 " bytes, told of %" PRIu64 "\n", c->seed, lost,
			      r->stats.unsynced);
		bad = 1;
	}
	gbuf_free(&b);
	return bad;
}

/*
 * Damage can make or hide an I-sync after an overflow, so that cycles of its gap are known or not: up to the next Trace On, those of
 * the last `n` items are not compared.
 */
static void drop_gap_cycles(const struct v7_case *c, struct list *l, size_t n)
{
	struct v7_item *v = l->v + l->n - n;
	size_t i;

	for (i = 0; c->gaps_uncounted && i < n; i++) {
		if (joins(c))
			v[i].insn = 0;
		else if (v[i].kind == GEN_CYCLES)
			v[i].cc = 0;
		if (v[i].kind == GEN_TRACE_ON)
			break;
	}
}

/* Some bytes become others, are lost, or are too many. */
static int damage(struct run *r, struct list *want)
{
	const struct v7_case *c = r->c;
	size_t at = rng_below(&r->rng, (uint32_t)c->trace->len), n = 1 + rng_below(&r->rng, 20), i;
	const struct v7_mark *s;
	struct gbuf b = { 0 };
	int how = (int)rng_below(&r->rng, 3), bad;
	bool known;		/* which I-sync the next counts of cycles are of */

	if (n > c->trace->len - at)
		n = c->trace->len - at;
	if (how == 2)
		n = 0;
	s = next_sync(c, at + n);
	if (!s)
		return 0;
	gbuf_put(&b, c->trace->p, at);
	for (i = 0; how != 1 && i < (n ? n : 3); i++)
		gbuf_u8(&b, (unsigned int)rng_next(&r->rng) & 0xff);
	gbuf_put(&b, c->trace->p + at + n, c->trace->len - at - n);
	want->n = 0;
	expect(c, want, s->events, c->nevents);
	sum_cycles(c, want);
	/* whether decoding had to start anew there depends on what the damage was taken for */
	known = want->n && want->v[0].kind == GEN_TRACE_ON;
	if (known)
		memmove(want->v, want->v + 1, --want->n * sizeof(*want->v));
	drop_contexts(want, true);
	decode(r, b.p, b.len, false);
	drop_contexts(&r->got, true);
	if (r->got.n >= want->n && !known) {
		drop_gap_cycles(c, want, want->n);
		drop_gap_cycles(c, &r->got, want->n);
	}
	bad = r->got.n < want->n ? compare(c->seed, "damage", want, &r->got, 0) :
				   compare(c->seed, "damage", want, &r->got, r->got.n - want->n);
	gbuf_free(&b);
	return bad;
}

int v7_one_case(const struct v7_case *c, struct v7_sum *sum)
{
	struct list want = { NULL, 0, 0 };
	struct run r;
	int bad;
	size_t k;

	memset(&r, 0, sizeof(r));
	r.c = c;
	rng_seed(&r.rng, c->seed + 1);
	assert_int_equal(cst_log_new(&r.log, 16), 0);
	/* a small cache is emptied often */
	assert_int_equal(cst_image_new(&r.img, c->seed % 7 ? 1 << 20 : 1), 0);
	r.sec = calloc(c->nregions, sizeof(*r.sec));
	assert_non_null(r.sec);
	for (k = 0; k < c->nregions; k++)
		assert_int_equal(cst_section_new(&r.sec[k], r.img, c->regions[k].bytes, c->regions[k].len, NULL), 0);
	make_spaces(&r);
	expect(c, &want, 0, c->nevents);
	sum_cycles(c, &want);
	drop_known_contexts(c, &want);
	bad = exact(&r, &want);
	sum->ranges += r.stats.ranges;
	if (c->packets->n > 1)
		bad |= loss(&r, &want);
	sum->joined += r.joined;
	if (r.torn) {
		print_message("seed %" PRIu64 ": %u ranges could have gone on\n", c->seed, r.torn);
		bad = 1;
	}
	/* what damage is taken for may say where execution goes on, and that it is there already */
	bad |= damage(&r, &want);
	cst_image_free(r.img);
	cst_log_free(r.log);
	free(r.sec);
	free(r.got.v);
	free(want.v);
	return bad;
}

struct cst_etmv3_regs v7_regs_of(const struct v7_regs *regs)
{
	return (struct cst_etmv3_regs){ .cr = regs->cr, .ccer = regs->ccer, .idr = regs->idr,
					.traceidr = regs->traceidr };
}

uint64_t v7_all_seeds(int (*one)(uint64_t seed, struct v7_sum *sum), struct v7_sum *sum)
{
	const char *only = getenv("CST_SEED");
	uint64_t n = seeds_wanted(10000), seed;
	unsigned int bad = 0;

	memset(sum, 0, sizeof(*sum));
	if (only) {
		assert_int_equal(one(strtoull(only, NULL, 0), sum), 0);
		return 0;
	}
	for (seed = 1; seed <= n && bad < 10; seed++)
		bad += one(seed, sum);
	print_message("%" PRIu64 " streams, %" PRIu64 " ranges, %" PRIu64 " joined\n", seed - 1, sum->ranges, sum->joined);
	assert_int_equal(bad, 0);
	return n;
}
