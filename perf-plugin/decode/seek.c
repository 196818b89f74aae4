/* SPDX-License-Identifier: GPL-2.0-only */
/* seek.c - the steps from a place in the index to the first element that may be delivered. */
#include "decode/seek.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/stream_state.h"
#include "indexes/index_book.h"

/*
 * Blocks of the index before the one where something is wanted; twice as many at each new attempt. One is for time and
 * thread, the next one for the place behind and the rate.
 */
#define LEAD 2

/* Bytes of a stream without a timestamp that decoding from a place may have to pass before it knows the time. */
#define MAX_WITHOUT_TIME (512u << 10)

/* ---- can it be used? --------------------------------------------------------------------------- */

/* All that the indexes know of the recording's contexts. */
struct contexts {
	unsigned int worlds;
	uint32_t vmid;
	bool any, vmids_differ;
};

static void add_contexts(struct contexts *c, const struct cst_index *ix)
{
	uint32_t i, k;

	for (i = 0; i < ix->n_streams; i++) {
		const struct cst_index_stream *s = &ix->streams[i];

		c->worlds |= s->worlds;
		for (k = 0; k < s->n_contexts; k++) {
			c->vmids_differ |= c->any && c->vmid != s->contexts[k] >> 32;
			c->vmid = (uint32_t)(s->contexts[k] >> 32);
			c->any = true;
		}
		/* there may be others */
		c->vmids_differ |= s->n_contexts == CST_INDEX_CONTEXTS;
	}
}

static bool several(unsigned int bits)
{
	return bits & (bits - 1);
}

/* What tells the worlds of guests, firmware and Secure state apart is learned from all contexts so far. */
static const char *worlds_reason(const struct session *ss, const struct stream_state *st)
{
	const struct index_book *b = ss->chosen.book;
	struct contexts c = { 0 };
	unsigned int i;

	for (i = 0; b->file && i < b->file->n; i++)
		add_contexts(&c, b->file->indexes[i]);
	for (i = 0; i < b->nr_made; i++)
		add_contexts(&c, b->made[i]);
	if (several(c.worlds >> 4))
		return "it holds several security states";
	if (st->unit->pid.contextidr_el2)
		return st->seek.ix->worlds & CST_INDEX_EL(1) ? "a virtual machine may have run" : NULL;
	return st->stream.config->vmid_bytes && c.vmids_differ ? "a virtual machine may have run" : NULL;
}

static uint64_t block_end(const struct cst_index *ix, const struct cst_index_stream *s, uint32_t i)
{
	return i + 1 < s->n_blocks ? s->blocks[i + 1].valid : ix->end;
}

/* Timestamps up to block `last`: often enough, and to be put in order. */
static const char *times_reason(struct stream_state *st, const struct cst_index *ix, uint32_t last)
{
	const struct cst_index_stream *s = st->seek.ix;
	uint64_t low = UINT64_MAX, high = 0, since = s->blocks[0].valid, a, b;
	bool none = false;
	uint32_t i;

	for (i = 0; i <= last; i++) {
		const struct cst_index_block *k = &s->blocks[i];

		none |= block_end(ix, s, i) - since > MAX_WITHOUT_TIME;
		if (!k->counts[CST_INDEX_TIMESTAMP])
			continue;
		high = k->time_max > high ? k->time_max : high;
		/* zero is no time */
		if (!k->time_min)
			continue;
		since = k->valid;
		low = k->time_min < low ? k->time_min : low;
	}
	if (none || low > high)
		return "it has too few timestamps";
	if (!stream_time(st, low, &a) || !stream_time(st, high, &b))
		return "its timestamps have no time";
	return a > b ? "its timestamps start anew from zero" : NULL;
}

static const char *fragment_reason(const struct session *ss, const struct seek *sk, const struct cst_index *ix)
{
	uint32_t i;

	if (ss->units.ids_change)
		return "trace IDs change hands";
	if (ix->offset != sk->f->pub.offset || ix->end - ix->offset != sk->f->pub.size)
		return "not all of it is indexed";
	for (i = 0; i < ix->n_sources; i++)
		if (ix->sources[i].barriers || ix->sources[i].errors)
			return "it has barriers or bad frames";
	return NULL;
}

/* Once for a run: the user made an index, and would wonder. */
static void report_unused(struct session *ss, const struct seek *sk, const char *reason)
{
	if (!ss->chosen.unused_index_reported)
		fprintf(stderr, "cstrace: %s: buffer %u, offset %llu is decoded from its beginning in spite of the index: "
			"%s\n", ss->name, sk->f->pub.queue, (unsigned long long)sk->f->pub.offset, reason);
	ss->chosen.unused_index_reported = true;
}

/* ---- where to begin ---------------------------------------------------------------------------- */

static bool has_bytes(const struct cst_index_stream *s)
{
	uint32_t i;

	for (i = 0; s && i < s->n_blocks; i++)
		if (s->blocks[i].bytes)
			return true;
	return false;
}

/* The first block with something of that time or later; else the last one. */
static uint32_t block_at(struct stream_state *st, uint64_t from)
{
	const struct cst_index_stream *s = st->seek.ix;
	uint64_t time;
	uint32_t i;

	for (i = 0; i + 1 < s->n_blocks; i++)
		if (s->blocks[i].counts[CST_INDEX_TIMESTAMP] &&
		    (!stream_time(st, s->blocks[i].time_max, &time) || time >= from))
			break;
	return i;
}

static void begin_at(struct stream_state *st, uint32_t block)
{
	struct seek_stream *r = &st->seek;
	uint32_t i;

	r->step = SEEK_TIME;
	r->valid = r->ix->blocks[block].valid;
	r->ticks = 0;
	for (i = 0; i < block; i++)
		if (r->ix->blocks[i].counts[CST_INDEX_TIMESTAMP] && r->ix->blocks[i].time_max > r->ticks)
			r->ticks = r->ix->blocks[i].time_max;
	st->seek.context_only = true;
	/* its first batch is not decoded, or was before */
	st->stream.fragment_start = false;
}

void seek_forget(struct seek *sk)
{
	unsigned int id;

	for (id = 0; id < 128; id++)
		if (sk->st[id]) {
			sk->st[id]->seek.context_only = false;
			ahead_begin(sk->st[id]);
		}
	cst_tree_reset(sk->tree);
	sk->start = sk->f->pub.offset;
}

/* A place for each stream of the index; NULL, or why there is none. sk->start is left alone if that is no gain. */
static const char *plan(struct session *ss, struct seek *sk, const struct cst_index *ix)
{
	struct cst_index_place places[128];
	const char *reason = fragment_reason(ss, sk, ix);
	uint32_t i, last, lead = LEAD << sk->attempt;
	const struct cst_index_source *src;
	uint64_t first = UINT64_MAX;
	uint32_t blocks[128];

	for (i = 0; i < ix->n_streams && !reason; i++) {
		struct stream_state *st = sk->st[ix->streams[i].trace_id];

		places[i] = (struct cst_index_place){ .found = 0 };
		blocks[i] = 0;
		if (!st || !has_bytes(&ix->streams[i]))
			continue;
		st->seek.ix = &ix->streams[i];
		last = block_at(st, sk->from);
		blocks[i] = last > lead ? last - lead : 0;
		if (!st->unit->timestamps)
			reason = "it has no timestamps";
		if (blocks[i] && !reason)
			reason = worlds_reason(ss, st);
		if (blocks[i] && !reason)
			reason = times_reason(st, ix, last);
		places[i].start = ix->streams[i].blocks[blocks[i]].start;
		places[i].found = 1;
		first = places[i].start < first ? places[i].start : first;
	}
	if (reason || first == UINT64_MAX || first <= ix->offset)
		return reason;
	sk->start = cst_index_start_tree(ix, places, sk->tree);
	src = cst_index_source_at(ix, sk->start);
	for (i = 0; i < ix->n_streams; i++)
		if (places[i].found) {
			begin_at(sk->st[ix->streams[i].trace_id], blocks[i]);
			ahead_begin_at(sk->st[ix->streams[i].trace_id], sk->start, src->frame_id, places[i].start);
		}
	if (sk->start <= ix->offset)
		seek_forget(sk);
	return NULL;
}

static int with_section(struct session *ss, struct seek *sk, const struct index_section *s)
{
	const struct cst_index *ix = index_book_get(ss->chosen.book, s), *sound;
	const char *reason;

	if (!ix)
		return 0;
	reason = plan(ss, sk, ix);
	if (!reason && sk->start > sk->f->pub.offset) {
		sound = index_book_check(ss->chosen.book, ix, s, sk->start);
		if (sound != ix) {
			seek_forget(sk);
			reason = sound ? plan(ss, sk, sound) : NULL;
		}
	}
	if (reason)
		report_unused(ss, sk, reason);
	return 0;
}

int seek_fragment(struct session *ss, const struct session_consumer *con, struct seek *sk)
{
	const struct index_book *book = ss->chosen.book;
	struct index_section s = { .tree = sk->tree };

	sk->start = sk->f->pub.offset;
	if (!book || (!book->file && !book->refused) || !con->batch || con->packet || con->timeless ||
	    ss->opts.log)
		return 0;
	sk->from = filter_next(ss->chosen.filter, fragment_floor(sk->f));
	if (sk->from <= fragment_floor(sk->f))
		return 0;
	if (con->history) {
		report_unused(ss, sk, "call chains depend on all that was executed before");
		return 0;
	}
	index_book_section(&s, &sk->f->pub);
	return with_section(ss, sk, &s);
}

/* ---- on the way -------------------------------------------------------------------------------- */

bool seek_unwanted(const struct stream_state *st, uint64_t time)
{
	return !filter_window(st->ss->chosen.filter, fragment_floor(st->fragment.f), time);
}

bool seek_too_late(struct stream_state *st, const struct cst_generic *g, size_t n, enum cst_stop why)
{
	uint64_t time = stream_next_time(st);

	/* the batch's own end, which is before the next timestamp */
	if (why == CST_STOP_TIMESTAMP && n && g[n - 1].addr && stream_time(st, g[n - 1].addr, &time))
		return !seek_unwanted(st, time);
	if (time > st->fragment.f->pub.time)
		time = st->fragment.f->pub.time;
	return !seek_unwanted(st, time);
}

bool seek_has_branch(const struct cst_generic *g, size_t n)
{
	bool taken = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		if (taken)
			return true;
		taken = (g[i].flags & (CST_GF_EXEC | CST_GF_WAYPOINT)) == (CST_GF_EXEC | CST_GF_WAYPOINT) &&
			(g[i].last_type == CST_INSN_BRANCH || g[i].last_type == CST_INSN_INDIRECT);
	}
	return false;
}

bool seek_ready(struct stream_state *st, const struct cst_generic *g, size_t n)
{
	return st->seek.step == SEEK_BRANCH && seek_has_branch(g, n);
}

/* Can the thread, as it was settled, differ from what an earlier beginning would have led to? */
static bool thread_known(const struct stream_state *st)
{
	const struct contextid *c = &st->ss->tasks.contextid;
	const struct aux_pid_source *src = &st->unit->pid;
	enum contextid_format f = c->forced ? c->forced : c->decided;

	if (f == CONTEXTID_NONE || (!src->contextidr_el1 && !src->contextidr_el2))
		return true;
	if (!st->who.id_bits)
		return false;
	if (src->contextidr_el2 && !c->forced)
		return true;
	/* what an address space identifier stands for is learned on the way */
	return f == CONTEXTID_TID || (f == CONTEXTID_TID_ASID && st->who.id_bits == 32) ||
	       (f == CONTEXTID_AUTO && c->arch == ARCH_ARM64 && st->who.id_bits == 32);
}

/* The first place behind `index`. */
static bool next_place(struct seek_stream *r, uint64_t index)
{
	uint32_t i;

	for (i = 0; i < r->ix->n_blocks; i++)
		if (r->ix->blocks[i].start > index) {
			r->valid = r->ix->blocks[i].valid;
			return true;
		}
	return false;
}

void seek_stopped(struct stream_state *st, enum cst_stop why, const struct cst_generic *last)
{
	struct seek_stream *r = &st->seek;
	bool timestamp = why == CST_STOP_TIMESTAMP && last && last->addr;

	if (!last || last->index < r->valid)
		return;
	switch (r->step) {
	case SEEK_TIME:
		if (!timestamp || last->addr < r->ticks)
			break;
		r->step = SEEK_THREAD;
		r->settled = st->who.settled;
		break;
	case SEEK_THREAD:
		if (st->who.settled == r->settled || !thread_known(st) || !next_place(r, last->index))
			break;
		r->step = SEEK_PLACE;
		break;
	case SEEK_PLACE:
		if (!timestamp || last->addr < r->ticks)
			break;
		pace_forget_rate(&st->time.pace);
		r->step = SEEK_RATE;
		break;
	case SEEK_RATE:
		if (timestamp && pace_knows_rate(&st->time.pace, st->unit->config.cycle_count))
			r->step = SEEK_BRANCH;
		break;
	}
}
