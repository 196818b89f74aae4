/* SPDX-License-Identifier: BSD-3-Clause */
/* roundtrip.c - both sides of a round trip as lists. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>

#include "roundtrip.h"

#define UNKNOWN_CYCLES UINT32_MAX

static struct item *add(struct list *l, int kind)
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

void rt_expect(const struct gen_case *c, struct list *l, bool hold)
{
	struct item *it;
	bool joined = false, overflow = false;
	size_t i;

	l->n = 0;
	for (i = 0; i < c->nevents; i++) {
		const struct gen_event *e = &c->events[i];

		/* a context is told once: what a failed transaction says of it still holds */
		if (hold && e->flags & GEN_F_TX_DEAD && e->kind != GEN_CONTEXT)
			continue;
		switch (e->kind) {
		case GEN_FRAGMENT:
			break;
		case GEN_RANGE:
			if (joined) {
				it = &l->v[l->n - 1];
				it->b = e->end;
				it->n += e->n;
				it->atom = e->atom;
			} else {
				it = add(l, GEN_RANGE);
				it->a = e->start;
				it->b = e->end;
				it->n = e->n;
				it->isa = e->isa;
				it->el = e->el;
				it->tid = c->tu.cid ? e->tid : 0;
				it->atom = e->atom;
			}
			joined = e->flags & GEN_F_SRC && e->atom == 'N';
			break;
		case GEN_NOPATH:
			it = add(l, GEN_NOPATH);
			it->a = e->start;
			it->b = e->next;
			it->n = e->n;
			break;
		case GEN_EXCEPTION:
			it = add(l, GEN_EXCEPTION);
			it->num = e->num;
			it->a = e->flags & GEN_F_NO_ADDR ? 0 : e->start;
			it->flags = e->flags & GEN_F_BR_TGT;
			break;
		case GEN_EXC_RETURN:
			add(l, GEN_EXC_RETURN);
			break;
		case GEN_TRACE_ON:
			/* in a wrapped buffer the Overflow packet may have been before its start */
			it = add(l, GEN_TRACE_ON);
			it->num = e->flags & GEN_F_AFTER_OVERFLOW && overflow;
			overflow = false;
			break;
		case GEN_CONTEXT:
			it = add(l, GEN_CONTEXT);
			it->tid = c->tu.cid ? e->tid : 0;
			it->vmid = c->tu.vmid ? e->vmid : 0;
			it->el = e->el;
			it->sec = e->sec;
			it->sf = e->sf;
			break;
		case GEN_TIMESTAMP:
			it = add(l, GEN_TIMESTAMP);
			it->a = e->value;
			it->cc = e->flags & GEN_F_CC ? e->cc : 0;
			break;
		case GEN_CYCLES:
			it = add(l, GEN_CYCLES);
			it->cc = e->flags & GEN_F_UNKNOWN ? UNKNOWN_CYCLES : e->value;
			break;
		case GEN_EVENTS:
			add(l, GEN_EVENTS)->num = e->num;
			break;
		case GEN_TX_FAIL:
			if (!(e->flags & GEN_F_IMPLIED))
				add(l, e->kind);
			break;
		case GEN_COND:
			it = add(l, GEN_COND);
			it->a = e->start;
			it->b = e->value;
			it->num = e->num;
			break;
		case GEN_ITE:
			it = add(l, GEN_ITE);
			it->a = e->value;
			it->num = e->num;
			break;
		case GEN_OVERFLOW:
			overflow = true;
			/* fall through */
		default:
			add(l, e->kind);
		}
	}
}


static uint32_t rnd(struct run *r, uint32_t below)
{
	r->rnd = r->rnd * 6364136223846793005ull + 1442695040888963407ull;
	return (r->rnd >> 33) % below;
}

static struct cst_space *space_of(struct run *r, uint32_t tid, int kernel)
{
	const struct gen_case *c = r->c;
	struct cst_space *sp;
	unsigned int i;
	size_t k;

	for (i = 0; i < r->nspaces; i++)
		if (r->space[i].kernel == kernel && (kernel || r->space[i].tid == tid))
			return r->space[i].sp;
	assert_true(r->nspaces < MAX_SPACES);
	assert_int_equal(cst_space_new(&sp, r->img), 0);
	for (k = 0; k < c->nregions; k++)
		if (kernel ? c->regions[k].el : !c->regions[k].el && c->regions[k].tid == tid)
			assert_int_equal(cst_space_map(sp, c->regions[k].va, c->regions[k].len, r->sec[k], 0), 0);
	r->space[r->nspaces].tid = tid;
	r->space[r->nspaces].kernel = kernel;
	r->space[r->nspaces++].sp = sp;
	return sp;
}

/* The thread as the trace tells it; a case with one program needs no telling. */
static uint32_t thread_of(const struct run *r, const struct cst_generic *g)
{
	const struct gen_case *c = r->c;
	size_t k;

	if (c->tu.cid)
		return g->context_id;
	if (c->tu.vmid && c->tu.vmid_is_tid)
		return g->vmid;
	for (k = 0; k < c->nregions; k++)
		if (!c->regions[k].el)
			return c->regions[k].tid;
	return 0;
}

static void take(struct run *r, const struct cst_generic *g)
{
	const struct gen_case *c = r->c;
	struct item *it;

	switch (g->kind) {
	case CST_GEN_NO_SYNC:
		if (g->num == CST_UNSYNC_OVERFLOW)
			add(&r->got, GEN_OVERFLOW);
		else if (g->num == CST_UNSYNC_DISCARD)
			add(&r->got, GEN_DISCARD);
		else if (g->num == CST_UNSYNC_BAD_PACKET) {
			it = add(&r->got, GEN_NONE);
			it->num = g->error;
			it->flags = 1;
		}
		break;
	case CST_GEN_RANGE:
		it = add(&r->got, GEN_RANGE);
		it->a = g->addr;
		it->b = g->end;
		it->n = g->n_insn;
		it->isa = g->isa;
		it->el = g->el;
		it->tid = c->tu.cid ? g->context_id : 0;
		it->atom = !(g->flags & CST_GF_WAYPOINT) ? '-' : g->flags & CST_GF_EXEC ? 'E' : 'N';
		break;
	case CST_GEN_NOPATH:
		it = add(&r->got, GEN_NOPATH);
		it->a = g->addr;
		it->b = g->end;
		it->n = g->n_insn;
		break;
	case CST_GEN_EXCEPTION:
		it = add(&r->got, GEN_EXCEPTION);
		it->num = g->num;
		it->a = g->end;
		it->flags = g->flags & CST_GF_BR_TARGET ? GEN_F_BR_TGT : 0;
		break;
	case CST_GEN_EXCEPTION_RET:
		if (!c->regs.ete)
			add(&r->got, GEN_EXC_RETURN);
		break;
	case CST_GEN_TRACE_ON:
		add(&r->got, GEN_TRACE_ON)->num = g->num;
		break;
	case CST_GEN_PE_CONTEXT:
		it = add(&r->got, GEN_CONTEXT);
		it->tid = c->tu.cid ? g->context_id : 0;
		it->vmid = c->tu.vmid ? g->vmid : 0;
		it->el = g->el;
		it->sec = g->security;
		it->sf = !!(g->flags & CST_GF_BITS64);
		break;
	case CST_GEN_TIMESTAMP:
		it = add(&r->got, GEN_TIMESTAMP);
		it->a = g->addr;
		it->cc = g->cc;
		break;
	case CST_GEN_CYCLE_COUNT:
		add(&r->got, GEN_CYCLES)->cc = g->flags & CST_GF_CC ? g->cc : UNKNOWN_CYCLES;
		break;
	case CST_GEN_EVENT:
		add(&r->got, GEN_EVENTS)->num = g->num;
		break;
	case CST_GEN_COND:
		it = add(&r->got, GEN_COND);
		it->a = g->num & CST_COND_INSN ? g->addr : 0;
		it->b = g->end;
		it->num = g->num & (CST_COND_PASSED | CST_COND_FAILED);
		break;
	case CST_GEN_SYNC_MARKER:
		add(&r->got, GEN_TS_MARKER);
		break;
	case CST_GEN_INSTRUMENTATION:
		it = add(&r->got, GEN_ITE);
		it->a = g->addr;
		it->num = g->el;
		break;
	case CST_GEN_MEMTRANS:
		add(&r->got, GEN_TX_INIT + g->num);
		break;
	case CST_GEN_EO_TRACE:
		add(&r->got, GEN_END);
		break;
	default:
		add(&r->got, GEN_NONE)->num = g->kind;
	}
}

/* The next samples are at the next multiples of the period, whatever was decoded before. */
static void sample(const struct run *r, struct cst_decoder *dec)
{
	struct cst_emit_opts opts = { .list = r->list, .period = r->period };

	if (r->list)
		r->list->n = 0;
	if (r->list && !r->period)
		assert_int_equal(cst_decoder_emit(dec, CST_EMIT_BRANCHES, &opts), 0);
	if (!r->period)
		return;
	opts.next = (cst_decoder_stats(dec)->insns / r->period + 1) * r->period;
	assert_int_equal(cst_decoder_emit(dec, CST_EMIT_SAMPLES, &opts), 0);
}

static void drain(struct run *r, struct cst_tree *t, struct cst_decoder *dec, size_t cap)
{
	static struct cst_generic out[RT_CAP];
	struct cst_pull p;
	int i, n;

	while (sample(r, dec), (n = cst_tree_pull(t, out, cap, &p))) {
		assert_true(n > 0 && n <= (int)cap);
		if (r->counts && p.dec)
			assert_int_equal(cst_counts_add(r->counts, p.dec, out, (size_t)n), 0);
		for (i = 0; i < n; i++) {
			size_t before = r->got.n;

			if (r->seen)
				r->seen(r->seen_data, &out[i]);
			else
				take(r, &out[i]);
			if (r->got.n > before)
				r->got.v[before].off = out[i].index;
		}
		if (p.why == CST_STOP_CONTEXT)
			cst_decoder_set_space(p.dec, space_of(r, thread_of(r, &out[n - 1]),
							      out[n - 1].el != 0));
	}
}

void rt_decode(struct run *r, const uint8_t *p, size_t len, bool framed, bool hold, struct cst_stats *stats)
{
	const struct gen_case *c = r->c;
	struct cst_etmv4_regs regs = {
		.configr = c->regs.configr, .traceidr = c->regs.traceidr, .idr0 = c->regs.idr0,
		.idr1 = c->regs.idr1, .idr2 = c->regs.idr2, .idr8 = c->regs.idr8,
		.idr12 = c->regs.idr12, .idr13 = c->regs.idr13, .devarch = c->regs.devarch,
	};
	size_t at = 0, k;
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	struct cst_tree *t;
	/* small outputs and inputs make every stage stop and go on in odd places */
	size_t few = rnd(r, 2) ? 64 : 8 + rnd(r, 20), cap = r->cap ? r->cap : few;
	uint32_t piece = rnd(r, 3) ? 1 + rnd(r, 40) : 1u << 20;

	r->got.n = 0;
	assert_int_equal(cst_config_etmv4(&cfg, &regs, c->regs.ete,
					  c->tu.mprofile ? CST_PROFILE_M : c->tu.rprofile ? CST_PROFILE_R :
					  CST_PROFILE_A), 0);
	cfg.hold_transactions = hold;
	assert_int_equal(cst_tree_new(&t, framed ? CST_TREE_FRAMES : CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	cst_tree_set_log(t, r->log);
	if (r->decoder_counts && r->counts)
		assert_int_equal(cst_decoder_emit(dec, CST_EMIT_COUNTS,
						  &(struct cst_emit_opts){ .counts = r->counts }),
				 0);
	while (at < len) {
		k = 1 + rnd(r, piece);
		if (k > len - at)
			k = len - at;
		assert_int_equal(cst_tree_feed(t, p + at, k, at), 0);
		drain(r, t, dec, cap);
		at += k;
	}
	cst_tree_end(t);
	drain(r, t, dec, cap);
	*stats = *cst_decoder_stats(dec);
	cst_tree_free(t);
}

bool rt_same(const struct item *a, const struct item *b)
{
	return a->kind == b->kind && (a->atom == b->atom || a->atom == 'Q') && a->isa == b->isa &&
	       a->el == b->el && a->sec == b->sec && a->sf == b->sf && a->num == b->num && a->n == b->n &&
	       a->tid == b->tid && a->vmid == b->vmid && a->cc == b->cc && a->flags == b->flags &&
	       a->a == b->a && a->b == b->b;
}

void rt_show(const char *side, const struct list *l, size_t i)
{
	const struct item *x = &l->v[i];

	if (i >= l->n) {
		print_message("%s %zu: nothing\n", side, i);
		return;
	}
	print_message("%s %zu: kind %u atom %c isa %u el %u sec %u sf %u num %u n %u tid %u vmid %u cc %u flags %x %" PRIx64 " %" PRIx64 "\n",
		      side, i, x->kind, x->atom ? x->atom : '.', x->isa, x->el, x->sec, x->sf, x->num,
		      x->n, x->tid, x->vmid, x->cc, x->flags, x->a, x->b);
}

/* What may stand between a Q element and its address. */
static bool no_p0(const struct item *x)
{
	return x->kind == GEN_TIMESTAMP || x->kind == GEN_CYCLES || x->kind == GEN_EVENTS ||
	       x->kind == GEN_TS_MARKER || x->kind == GEN_ITE || x->kind == GEN_TX_START ||
	       x->kind == GEN_TX_COMMIT || x->kind == GEN_TX_FAIL;
}

/*
 * A Q element whose address is a packet of its own, when that address was still speculative as the
 * stream broke off: nobody can know it.
 */
static bool address_lost(const struct list *want, size_t i, const struct item *got)
{
	if (want->v[i].kind != GEN_NOPATH || got->b || want->v[i].a != got->a || want->v[i].n != got->n)
		return false;
	for (i++; i < want->n && no_p0(&want->v[i]); i++)
		;
	return i == want->n || want->v[i].kind == GEN_OVERFLOW || want->v[i].kind == GEN_DISCARD ||
	       want->v[i].kind == GEN_END;
}

/*
 * A Q element whose address is a packet of its own is put out with that address: what stands between
 * the two comes first. Put it back.
 */
static void move_q(const struct list *want, size_t i, struct list *got, size_t j)
{
	struct item q;
	size_t k;

	for (k = j; k < got->n && no_p0(&got->v[k]); k++)
		;
	if (k == j || k == got->n || !(rt_same(&want->v[i], &got->v[k]) || address_lost(want, i, &got->v[k])))
		return;
	q = got->v[k];
	memmove(&got->v[j + 1], &got->v[j], (k - j) * sizeof(q));
	got->v[j] = q;
}

void rt_drop_known_contexts(struct list *l)
{
	struct item last = { .kind = GEN_NONE };
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		if (l->v[i].kind == GEN_CONTEXT) {
			if (rt_same(&last, &l->v[i]))
				continue;
			last = l->v[i];
		}
		l->v[n++] = l->v[i];
	}
	l->n = n;
}

int rt_compare(uint64_t seed, const char *how, const struct list *want, struct list *got)
{
	size_t i = 0, j = 0, k;

	for (;;) {
		if (i < want->n && j < got->n && (want->v[i].kind == GEN_NOPATH || want->v[i].atom == 'Q'))
			move_q(want, i, got, j);
		if (i == want->n || j == got->n ||
		    !(rt_same(&want->v[i], &got->v[j]) || address_lost(want, i, &got->v[j])))
			break;
		i++;
		j++;
	}
	if (i == want->n && j == got->n)
		return 0;
	print_message("seed %" PRIu64 " (%s): difference at %zu of %zu, decoded %zu of %zu\n", seed, how, i,
		      want->n, j, got->n);
	for (k = 0; k < 6; k++) {
		if (i + k >= 3)
			rt_show("want", want, i + k - 3);
		if (j + k >= 3)
			rt_show(" got", got, j + k - 3);
	}
	return 1;
}

void rt_begin(struct run *r, const struct gen_case *c, size_t cache_limit)
{
	size_t k;

	memset(r, 0, sizeof(*r));
	r->c = c;
	assert_int_equal(cst_image_new(&r->img, cache_limit), 0);
	r->sec = calloc(c->nregions, sizeof(*r->sec));
	assert_non_null(r->sec);
	for (k = 0; k < c->nregions; k++)
		assert_int_equal(cst_section_new(&r->sec[k], r->img, c->regions[k].bytes, c->regions[k].len, NULL), 0);
}

void rt_end(struct run *r)
{
	cst_image_free(r->img);
	free(r->sec);
	free(r->got.v);
}

int rt_one_case(uint64_t seed, struct gen_case *c, uint64_t *ranges)
{
	struct list want = { NULL, 0, 0 };
	struct cst_stats stats;
	struct run r;
	uint64_t odd;
	int bad = 0;
	bool hold = !(seed & 1);

	rt_begin(&r, c, seed % 7 ? 1 << 20 : 1);
	r.rnd = seed + 1;
	assert_int_equal(cst_log_new(&r.log, 16), 0);
	rt_expect(c, &want, hold);
	rt_drop_known_contexts(&want);
	rt_decode(&r, c->trace, c->len, false, hold, &stats);
	rt_drop_known_contexts(&r.got);
	bad |= rt_compare(seed, "raw", &want, &r.got);
	*ranges += stats.ranges;
	if (!bad && stats.bad_packets | stats.resyncs | stats.nacc | stats.image_conflicts) {
		print_message("seed %" PRIu64 ": counted losses where there are none\n", seed);
		bad = 1;
	}
	odd = cst_log_count(r.log, CST_LOG_ALL_IDS, CST_LOG_WARNING);
	if (!bad && odd) {
		print_message("seed %" PRIu64 ": %" PRIu64 " warnings where there are none\n",
			      seed, odd);
		bad = 1;
	}
	cst_log_free(r.log);
	r.log = NULL;
	rt_decode(&r, c->framed, c->framed_len, true, hold, &stats);
	rt_drop_known_contexts(&r.got);
	bad |= rt_compare(seed, "framed", &want, &r.got);
	rt_end(&r);
	free(want.v);
	return bad;
}
