/* SPDX-License-Identifier: GPL-2.0-only */
/* cut.c - decodes a cut of an AUX fragment. */
#include "session/decode/cut.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "session/decode/tally.h"

#define FRAME 16	/* bytes of a formatter frame; without frames any byte will do */

/*
 * True if the trace of `u` is synchronised within the lead of a cut, and all state of its decoder is traced again there.
 * Tried in the middle of the fragment, since a trace unit synchronises at regular distances, or never.
 */
static bool resumes(const struct trace_unit *u, const struct fragment *f, uint8_t id)
{
	const uint64_t skip = f->pub.size / 2 / FRAME * FRAME, len = f->pub.size - skip < CUT_LEAD ? f->pub.size - skip : CUT_LEAD;
	struct cst_config cfg = u->config;
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull pull;
	struct cst_tree *t;
	bool found = false;

	cfg.trace_id = id;
	if (u->config_error || mem_code(cst_tree_new(&t, f->pub.raw ? CST_TREE_RAW :
						     CST_TREE_FRAMES, CST_FRAME_RESET_4X)))
		return false;
	if (!mem_code(cst_tree_add(t, &cfg, &dec)) && cst_tree_digest(t)) {
		cst_tree_start_at(t, f->pub.offset + skip, id);
		mem_code(cst_tree_feed(t, f->pub.data + skip, len, f->pub.offset + skip));
		while (!found && mem_code(cst_tree_next_packet(t, &pkt, &pull)) > 0)
			found = pull.why == CST_STOP_PACKET && cst_decoder_packet_role(dec, &pkt) == CST_ROLE_SYNC;
	}
	cst_tree_free(t);
	return found;
}

bool cut_possible(struct session *ss, struct queue *q, const struct fragment *f)
{
	const struct trace_unit *u;
	uint8_t id;

	u = tree_only_unit(ss, q, f, &id);
	return u && resumes(u, f, id);
}

static struct stream_state *only_stream(const struct buffer_tree *bt)
{
	unsigned int id;

	for (id = 0; id < 128; id++)
		if (bt->st[id])
			return bt->st[id];
	return NULL;
}

/* ---- the state at a cut ---------------------------------------------------------------------------- */

/*
 * The digests have the state of a stream that depends on the trace before. Numbers of losses and
 * instructions are relative.
 */
static uint64_t digest_who(const struct who *w, const struct cst_stats *s, uint64_t digest)
{
	const uint64_t v[] = {
		w->id,
		w->id_bits,
		w->passed,
		w->cause,
		w->how,
		w->id_new,
		w->by_id,
		w->absent,
		w->traced,
		w->zero,
		w->counted == s->insns,
		w->stamped == s->insns,
		w->gaps == s->resyncs + s->overflows + s->discards + s->bad_packets,
		w->world.world,
		w->world.el,
		w->world.known,
		w->world.guest_user,
		w->world.thread,
		w->world.nr_vcpus,
		(uint32_t)w->host_tid,
		(uint32_t)w->guest.pid,
		(uint32_t)w->guest.tid,
		(uint32_t)w->guest.context_id,
		w->guest.files ? w->guest.files->number : 0,
	};

	return cst_index_digest(digest, v, sizeof(v));
}

static uint64_t digest_gap(const struct loss_gap *gap, uint64_t digest)
{
	const uint64_t v[] = { gap->from, (uint32_t)gap->pid, gap->cause,
			       gap->dso ? gap->dso->number + 1 : 0 };

	if (!gap->open)
		return digest;
	return cst_index_digest(cst_index_digest(digest, v, sizeof(v)), gap->comm,
				strlen(gap->comm));
}

static uint64_t digest_vcpus(const struct world_state *w, uint64_t digest)
{
	unsigned int i;

	for (i = 0; i < w->nr_vcpus && i < NR_VCPUS; i++) {
		const uint64_t v[] = { w->vcpus[i].thread, w->vcpus[i].in_user, w->vcpus[i].pc_known, w->vcpus[i].pc };

		digest = cst_index_digest(digest, v, sizeof(v));
	}
	return digest;
}

/* Returns the digest of the state at the decoder's position. 0: the state cannot be taken over by another thread. */
static uint64_t digest_state(const struct run *r, struct buffer_tree *bt)
{
	struct stream_state *st = only_stream(bt);
	const struct cst_stats *s = cst_decoder_stats(st->stream.decoder);
	uint64_t digest = cst_tree_digest(bt->tree);
	const struct version *user = st->space.user, *kernel = st->space.kernel;
	const uint64_t v[] = {
		st->time.now, st->time.limit, st->time.last_ticks, st->time.late,
		st->time.insns_stamped == s->insns, st->fragment.done, (uint32_t)st->stream.pid,
		(uint32_t)st->stream.tid, st->out.active, st->context.id, st->context.vmid,
		st->context.el, st->context.el_known, st->context.return_known,
		st->context.return_known ? st->context.return_address : 0,
		user ? (uint32_t)user->process->pid : UINT64_MAX, user ? user->epoch : 0,
		kernel ? kernel->epoch : 0, st->space.guest ? st->space.guest->number : 0,
	};

	if (!digest || count_losses_open(st))
		return 0;
	digest = digest_who(&st->who, s, cst_index_digest(digest, v, sizeof(v)));
	digest = digest_vcpus(&st->who.world, digest_gap(&st->losses.gap, digest));
	if (r->con->shards->digest && st->out.active)
		digest = r->con->shards->digest(r->con->data, stream_here(st), digest);
	return digest;
}

/* ---- decoding -------------------------------------------------------------------------------------- */

/* Prepares the tree to decode the fragment from `start` on, which is its begin or that of a frame. */
static int open_at(struct run *r, const struct fragment *f, uint64_t start, struct buffer_tree **bt)
{
	struct stream_state *st;
	int rc = tree_prepare(r, f, bt);

	if (!rc && !(*bt && only_stream(*bt)))
		rc = ERR_USAGE;
	if (!rc)
		fragment_open(r, *bt, f);
	if (rc || start == f->pub.offset)
		return rc;
	st = only_stream(*bt);
	cst_tree_start_at((*bt)->tree, start, st->stream.trace_id);
	ahead_switch(st, start);
	st->losses.skipped = start - f->pub.offset;
	return 0;
}

/* Where to begin `len` bytes before offset `to`, or at the begin of the fragment. */
static uint64_t start_before(const struct fragment *f, uint64_t to, uint64_t len)
{
	const uint64_t before = to - f->pub.offset;

	return before <= len ? f->pub.offset : f->pub.offset + (before - len) / FRAME * FRAME;
}

/* True if instructions were executed after a timestamp, or the trace has none: more bytes would hardly change the state. */
static bool is_in_step(const struct stream_state *st)
{
	return cst_decoder_stats(st->stream.decoder)->insns && (!st->unit->timestamps || st->time.last_ticks);
}

/*
 * Decodes bytes before the cut: CUT_LEAD or, if they contain no synchronisation, CUT_LEAD_MAX. If these contain none either,
 * SESSION_UNFIT: a trace could make every part decode the whole fragment before it.
 */
static int decode_lead(struct run *r, const struct fragment *f, const struct cut *c, bool whole, struct buffer_tree **bt)
{
	uint64_t len = whole ? f->pub.size : CUT_LEAD, start;
	struct stream_state *st;
	int rc;

	for (;; len = CUT_LEAD_MAX) {
		start = start_before(f, c->from, len);
		rc = open_at(r, f, start, bt);
		if (rc)
			return rc;
		st = only_stream(*bt);
		if (r->counts)
			cst_decoder_emit(st->stream.decoder, CST_EMIT_RANGES, NULL);
		rc = fragment_feed(r, *bt, f, start, c->from);
		if (rc || start == f->pub.offset || is_in_step(st))
			return rc;
		if (len == CUT_LEAD_MAX)
			return SESSION_UNFIT;
		run_free_trees(r);
	}
}

/* Begins inside the fragment: with the state of decoder, stream and consumer at the end of the lead, and all counts 0. */
static int open_inside(struct run *r, const struct fragment *f, struct cut *c, const struct consumer *con, bool whole,
		       struct buffer_tree **bt)
{
	const struct consumer *mine = r->con;
	struct consumer lead = *mine;
	struct tally before = { .files = NULL };
	struct stream_state *st;
	int rc;

	/* the session, other than a replica, has counts of earlier cuts */
	if (whole)
		tally_take(&before, r->ss);
	if (con->shards->make)
		lead.data = con->shards->make(con->data, r->ss);
	if (con->shards->lead)
		con->shards->lead(lead.data);
	r->con = &lead;
	rc = decode_lead(r, f, c, whole, bt);
	if (rc) {
		run_free_trees(r);
	} else {
		st = only_stream(*bt);
		c->begin = digest_state(r, *bt);
		if (con->shards->move && st->out.active)
			con->shards->move(mine->data, stream_here(st));
		run_emit_counts(r, st->stream.decoder);
		session_zero_counts(r->ss);
		tree_begin_counts(*bt);
		if (whole)
			tally_put_back(r->ss, &before);
	}
	r->con = mine;
	tally_free(&before);
	if (con->shards->make)
		con->shards->free(lead.data);
	return rc;
}

int run_cut(struct run *r, struct queue *q, size_t i, struct cut *c, const struct consumer *con, bool whole)
{
	const struct fragment *f = &q->frags[i];
	const uint64_t end = f->pub.offset + f->pub.size;
	struct buffer_tree *bt;
	int rc;

	r->q = q;
	c->begin = c->end = 0;
	if (c->from == f->pub.offset)
		rc = open_at(r, f, c->from, &bt);
	else
		rc = open_inside(r, f, c, con, whole, &bt);
	if (!rc)
		rc = fragment_feed(r, bt, f, c->from, c->to);
	if (!rc && c->to == end) {
		rc = fragment_finish(r, bt, f);
	} else if (!rc) {
		c->end = digest_state(r, bt);
		/* the next part continues it */
		only_stream(bt)->losses.gap.open = false;
	}
	r->ss->totals.aux_bytes += c->to - c->from;
	r->ss->bytes_done += c->to - c->from;
	run_release(r);
	run_leave(r, c->to == end ? i + 1 : q->nr_frags);
	return rc;
}
