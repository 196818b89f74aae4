/* SPDX-License-Identifier: GPL-2.0-only */
/* trees.c - decode trees of a buffer and their streams. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/messages.h"
#include "machine/buffers/owners.h"
#include "session/decode/run.h"

/* Maximum number of trees per buffer: one per trace unit that writes without frames. */
#define MAX_TREES 1024

/* Reports, once per unit, why its trace is not decoded. */
static void report_undecodable(struct session *ss, const struct trace_unit *u)
{
	size_t i;

	for (i = 0; i < ss->undecodable.nr; i++)
		if (ss->undecodable.v[i] == u)
			return;
	*ARRAY_ADD(ss->undecodable.v, ss->undecodable.nr, ss->undecodable.cap) = u;
	if (u->config_error == -CST_ERR_PROTOCOL)
		fprintf(message_stream(), "cstrace: %s: CPU %d has an %s trace unit, which cannot be decoded yet; its "
			"trace is left out\n", ss->name, (int)u->aux->cpu, aux_unit_name(u->aux->unit));
	else
		fprintf(message_stream(), "cstrace: %s: CPU %d: %s; TRCCONFIGR is 0x%llx, TRCIDR0 0x%llx, TRCIDR1 "
			"0x%llx: its trace is left out\n", ss->name, (int)u->aux->cpu,
			error_text(u->config_error),
			(unsigned long long)u->aux->reg[AUX_REG_TRCCONFIGR],
			(unsigned long long)u->aux->reg[AUX_REG_TRCIDR0],
			(unsigned long long)u->aux->reg[AUX_REG_TRCIDR1]);
}

/* True if the unit's trace can be used. Data trace cannot be decoded, but its packets can be listed. */
static bool usable(struct run *r, struct trace_unit *u)
{
	if (!u->config_error)
		return true;
	if (u->config_error == -CST_ERR_UNSUP && r->con->wants.packet)
		return true;
	report_undecodable(r->ss, u);
	return false;
}

/* Order of streams: by buffer; then without frames by CPU, else by trace ID. */
static uint64_t place_of(const struct queue *q, const struct buffer_tree *bt, uint8_t id)
{
	uint64_t place = (uint64_t)q->number << 33;

	return bt->raw ? place | 1ull << 32 | bt->unit->aux->cpu : place | id;
}

void run_emit_counts(const struct run *r, struct cst_decoder *dec)
{
	const struct cst_emit_opts opts = { .counts = r->counts };

	if (r->counts)
		cst_decoder_emit(dec, CST_EMIT_COUNTS, &opts);
}

static int add_stream(struct run *r, struct buffer_tree *bt, struct trace_unit *u, uint8_t id)
{
	struct cst_config cfg = u->config;
	struct stream_state *st;
	int err;

	st = mem_zeroed(1, sizeof(*st));
	cfg.trace_id = id;
	err = mem_code(cst_tree_add(bt->tree, &cfg, &st->stream.decoder));
	if (err) {
		free(st);
		return err;
	}
	st->ss = r->ss;
	st->tree = bt->tree;
	st->queue = r->q;
	st->unit = u;
	st->pending = &r->pending;
	st->time.may_be_late = !filter_has_time(r->ss->chosen.filter);
	st->stream.own.state = st;
	st->stream.selected.filter = r->ss->chosen.filter;
	st->stream.cpu = unit_cpu(u);
	st->stream.trace_id = id;
	st->stream.queue = r->q->number;
	st->stream.place = place_of(r->q, bt, id);
	st->stream.config = cst_decoder_config(st->stream.decoder);
	st->stream.branches = r->list.v;
	st->stream.priv = &st->word;
	st->given = st->stream;
	cst_decoder_set_cookie(st->stream.decoder, st);
	run_emit_counts(r, st->stream.decoder);
	cst_decoder_set_stop(st->stream.decoder, CST_STOP_CONTEXT | CST_STOP_TRACE_ON |
			     CST_STOP_TIMESTAMP | CST_STOP_SECTION | r->con->wants.stop);
	bt->st[id] = st;
	return 0;
}

/* Subtracts counters, all of 64 bits. */
static void subtract(void *from, const void *less, size_t size)
{
	uint64_t *to = from;
	const uint64_t *by = less;
	size_t i;

	for (i = 0; i < size / sizeof(*to); i++)
		to[i] -= by[i];
}

struct cst_stats tree_stats(const struct buffer_tree *bt)
{
	struct cst_stats sum;
	unsigned int id;

	memset(&sum, 0, sizeof(sum));
	for (id = 0; id < 128; id++)
		if (bt->st[id])
			cst_stats_add(&sum, cst_decoder_stats(bt->st[id]->stream.decoder));
	return sum;
}

static void counts_of(const struct buffer_tree *bt, struct tree_counts *c)
{
	c->dec = tree_stats(bt);
	c->frame = *cst_tree_frame_stats(bt->tree);
	c->unrouted = cst_tree_unrouted(bt->tree);
	c->ignored = cst_tree_ignored(bt->tree);
}

void tree_begin_counts(struct buffer_tree *bt)
{
	counts_of(bt, &bt->before);
}

struct tree_counts tree_mark(const struct buffer_tree *bt)
{
	struct tree_counts c;

	counts_of(bt, &c);
	return c;
}

void tree_uncount(struct buffer_tree *bt, const struct tree_counts *mark)
{
	struct tree_counts now = tree_mark(bt), more = *mark;

	/* before + now - mark */
	subtract(&more, &bt->before, sizeof(more));
	subtract(&now, &more, sizeof(now));
	bt->before = now;
}

/* Adds the tree's statistics to the totals. */
static void add_counts(struct run *r, const struct buffer_tree *bt)
{
	struct session_totals *t = &r->ss->totals;
	struct tree_counts c;

	counts_of(bt, &c);
	subtract(&c, &bt->before, sizeof(c));
	cst_stats_add(&t->dec, &c.dec);
	if (!bt->raw)
		cst_frame_stats_add(&t->frame, &c.frame);
	t->unrouted += c.unrouted;
	t->filtered_bytes += c.ignored;
	t->aux_bytes -= c.ignored;
	losses_queue_end(&r->ss->losses, r->q->cpu, bt->raw ? NULL : &c.frame, c.unrouted);
}

void tree_free(struct run *r, struct buffer_tree *bt)
{
	unsigned int id;

	for (id = 0; id < 128; id++)
		if (bt->st[id])
			count_losses_end(bt->st[id]);
	add_counts(r, bt);
	for (id = 0; id < 128; id++) {
		struct stream_state *st = bt->st[id];

		if (!st)
			continue;
		if (r->con->stream_end)
			r->con->stream_end(r->con->data, stream_as_given(st));
		stream_release(st);
		ahead_free(&st->ahead);
		free(st);
	}
	cst_tree_free(bt->tree);
}

void run_free_trees(struct run *r)
{
	size_t i;

	for (i = 0; i < r->nr_trees; i++)
		tree_free(r, &r->trees[i]);
	r->nr_trees = 0;
}

static struct buffer_tree *get_slot(struct run *r, bool raw, struct trace_unit *u)
{
	struct buffer_tree *bt;
	size_t i;

	for (i = 0; i < r->nr_trees; i++)
		if (r->trees[i].raw == raw && r->trees[i].unit == u)
			return &r->trees[i];
	/* a unit whose configuration changes again and again: drop the oldest tree */
	if (r->nr_trees == MAX_TREES) {
		tree_free(r, &r->trees[0]);
		memmove(r->trees, r->trees + 1, --r->nr_trees * sizeof(*r->trees));
	}
	bt = ARRAY_ADD(r->trees, r->nr_trees, r->cap_trees);
	memset(bt, 0, sizeof(*bt));
	bt->raw = raw;
	bt->unit = u;
	if (cst_tree_new(&bt->tree, raw ? CST_TREE_RAW : CST_TREE_FRAMES,
			 raw ? 0 :
				 CST_FRAME_RESET_4X | (r->ss->opts.strict ? CST_FRAME_STRICT : 0)))
		mem_refused(0);
	cst_tree_set_log(bt->tree, r->ss->opts.log);
	return bt;
}

/* Returns the owner of an ID at the end of a fragment. */
static struct trace_unit *owner_unit(struct session *ss, const struct queue *q, uint8_t id,
				     const struct fragment *f)
{
	return units_of_owner(&ss->units, owners_at(&ss->units, q, id, f->pub.time, f->seq), id);
}

const struct trace_unit *tree_only_unit(struct session *ss, struct queue *q, const struct fragment *f, uint8_t *id)
{
	const struct trace_unit *u;
	uint64_t low, high;

	if (f->pub.raw) {
		u = units_of_raw(&ss->units, q, f);
		*id = u ? u->config.trace_id : 0;
		return u;
	}
	queue_find_ids(q);
	/* without padding, and IDs that are no trace (IHI 0029, D4.2.4) */
	low = q->ids[0] & ~1ull;
	high = q->ids[1] & ((1ull << (0x70 - 64)) - 1);
	if (!low == !high || (low & (low - 1)) || (high & (high - 1)))
		return NULL;
	*id = (uint8_t)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high));
	return select_wants_id(&ss->chosen.selection, q, *id) ? owner_unit(ss, q, *id, f) : NULL;
}

/* Returns the owner of an ID at the begin of a fragment, if timestamps determine where the owner changes. */
static struct trace_unit *first_unit(struct session *ss, const struct queue *q, uint8_t id,
				     const struct fragment *f, const struct trace_unit *now)
{
	const struct id_owner *o;

	if (!f->since || !now->timestamps)
		return owner_unit(ss, q, id, f);
	o = owners_at(&ss->units, q, id, f->since, f->seq);
	return units_of_owner(&ss->units, o, id);
}

/* Applies changes of owners and configurations since the last fragment. */
static int update_streams(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	struct trace_unit *u;
	unsigned int id;
	int err;

	if (!r->ss->units.ids_change)
		return 0;
	for (id = 1; id < 0x70; id++) {
		struct stream_state *st = bt->st[id];

		u = st ? first_unit(r->ss, r->q, id, f, st->unit) : NULL;
		if (!u || !usable(r, u))
			continue;
		err = u != st->unit || st->owner.awaits_sync ? stream_set_unit(st, u, true) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* Creates a decoder for each ID that occurs in the fragment, not in advance, which would cost memory per CPU. */
static int add_frame_streams(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	struct trace_unit *u;
	unsigned int id;
	int err;

	queue_find_ids(r->q);
	for (id = 1; id < 0x70; id++) {
		uint64_t bit = 1ull << (id & 63);

		if (!(r->q->ids[id >> 6] & bit) || bt->seen[id >> 6] & bit)
			continue;
		bt->seen[id >> 6] |= bit;
		u = owner_unit(r->ss, r->q, id, f);
		if (!u) {
			r->ss->lost.unrouted_ids[id >> 6] |= bit;
			continue;
		}
		if (!select_wants_id(&r->ss->chosen.selection, r->q, (uint8_t)id)) {
			cst_tree_ignore(bt->tree, (uint8_t)id);
			continue;
		}
		if (!usable(r, u))
			continue;
		err = add_stream(r, bt, u, id);
		if (err)
			return err;
	}
	return 0;
}

int tree_prepare(struct run *r, const struct fragment *f, struct buffer_tree **bt)
{
	struct trace_unit *u;
	int err;

	*bt = NULL;
	if (f->pub.raw) {
		u = units_of_raw(&r->ss->units, r->q, f);
		if (!u || !usable(r, u)) {
			r->ss->totals.unrouted += f->pub.size;
			losses_queue_end(&r->ss->losses, r->q->cpu, NULL, f->pub.size);
			return 0;
		}
		*bt = get_slot(r, true, u);
		if (!cst_tree_decoder((*bt)->tree, u->config.trace_id)) {
			err = add_stream(r, *bt, u, u->config.trace_id);
			if (err)
				return err;
		}
		return 0;
	}
	*bt = get_slot(r, false, NULL);
	err = add_frame_streams(r, *bt, f);
	return err ? err : update_streams(r, *bt, f);
}
