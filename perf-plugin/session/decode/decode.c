/* SPDX-License-Identifier: GPL-2.0-only */
/* decode.c - decodes the AUX fragments of every buffer and delivers batches of elements. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/files/mapped.h"
#include "base/messages.h"
#include "session/decode/jobs.h"
#include "session/decode/tally.h"
#include "session/decode/run.h"
#include "session/decode/witness.h"

static double seconds(const struct timespec *a, const struct timespec *b)
{
	return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) * 1e-9;
}

void run_progress(struct run *r, uint64_t bytes)
{
	struct session *ss = r->ss;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds(&r->progress.started, &now) < 1.0 || seconds(&r->progress.last, &now) < 0.2)
		return;
	r->progress.last = now;
	if (bytes > r->progress.most)
		r->progress.most = bytes < ss->bytes_total ? bytes : ss->bytes_total;
	fprintf(stderr, "\rcstrace: decoding %3.0f%%", ss->bytes_total ?
		100.0 * (double)r->progress.most / (double)ss->bytes_total : 0.0);
}

static void note_progress(struct run *r, uint64_t in_fragment)
{
	if (r->progress.bytes)
		*r->progress.bytes = r->ss->bytes_done + in_fragment;
	else
		run_progress(r, r->ss->bytes_done + in_fragment);
}

/*
 * Finds the return address of the exception before the end of the elements. Elements between the
 * two, which may be in an earlier pull, have no instructions.
 */
static void find_exception(struct stream_state *st, const struct cst_generic *g, int n)
{
	while (--n >= 0) {
		if (g[n].kind == CST_GEN_EXCEPTION) {
			st->context.return_known = g[n].flags & CST_GF_RET_ADDR;
			st->context.return_address = g[n].end;
			return;
		}
		if (g[n].kind == CST_GEN_RANGE || cst_generic_is_run(g[n].kind) ||
		    g[n].kind == CST_GEN_TRACE_ON || g[n].kind == CST_GEN_NO_SYNC) {
			st->context.return_known = false;
			return;
		}
	}
}

/* Gives the decoder the places of the next samples of the consumer. */
static int plan_samples(struct run *r, struct stream_state *st)
{
	struct sample_plan plan = { .next = 0 };
	struct cst_decoder *dec = st->stream.decoder;
	struct cst_emit_opts opts;
	int rc;

	if (!r->planned)
		return 0;
	rc = r->con->wants.plan(r->con->data, stream_here(st), NULL, 0, &plan);
	if (rc)
		return rc;
	r->pull = plan.next ? BATCH : PULL_UNPLANNED;
	/* ranges of an unknown thread are counted one by one */
	opts = (struct cst_emit_opts){
		.next = cst_decoder_stats(dec)->insns + plan.next,
		.period = plan.next && st->stream.pid >= 0 ? plan.period : 0,
	};
	return mem_code(
		cst_decoder_emit(dec, opts.period ? CST_EMIT_SAMPLES : CST_EMIT_RANGES, &opts));
}

/* Lists branches of the thread that runs next. Ranges of an unknown thread are counted one by one. */
static void list_branches(struct run *r, struct stream_state *st)
{
	struct cst_emit_opts opts;

	if (!r->list.v)
		return;
	opts = (struct cst_emit_opts){ .list = &r->list };
	cst_decoder_emit(st->stream.decoder,
			 st->stream.pid < 0 ? CST_EMIT_RANGES : CST_EMIT_BRANCHES, &opts);
}

static int take_batch(struct run *r, struct stream_state *st, const struct cst_generic *g, int n,
		      enum cst_stop why)
{
	int rc = 0;

	if (n)
		stream_passed(st, &g[n - 1]);
	if (n) {
		st->out.active = true;
		if (r->f.lead)
			count_losses_drop(st);
		else
			count_losses_batch(st, g, n);
		if (r->planned)
			rc = r->con->wants.plan(r->con->data, stream_here(st), g, (size_t)n, NULL);
		if (rc)
			return rc;
		if (r->con->batch || r->ss->chosen.filter)
			rc = deliver_batch(r, st, g, (size_t)n, why);
		if (r->progress.shown && !(++r->progress.ticks & 63))
			note_progress(r, g[n - 1].index - st->fragment.f->pub.offset);
	}
	if (st->unit->pid.contextidr_el2)
		find_exception(st, g, n);
	if (!rc)
		rc = stream_stop(st, why, n ? &g[n - 1] : NULL);
	list_branches(r, st);
	return rc ? rc : plan_samples(r, st);
}

/* True if all streams of the tree are past the end of the filter's times. */
static bool all_past(const struct buffer_tree *bt)
{
	unsigned int id;

	for (id = 0; id < 128; id++)
		if (bt->st[id] && !bt->st[id]->out.past)
			return false;
	return true;
}

/*
 * Pulls elements until more bytes are needed or the filter's times have ended. A stop for loading a
 * section does not end a batch, so that batches and their times do not depend on what was decoded
 * before.
 */
static int pull(struct run *r, struct buffer_tree *bt)
{
	struct cst_generic *out, *more;
	struct cst_decoder *had = NULL;
	struct stream_state *st;
	struct cst_pull p;
	int n, rc = 0, held = 0;

	for (;;) {
		if (!held) {
			rc = deliver_room(r, &out);
			if (rc)
				return rc;
			r->list.n = 0;
		}
		n = cst_tree_pull(bt->tree, out + held, (held ? BATCH : r->pull) - held, &p);
		if (n < 0)
			return mem_code(n);
		if (!n && !p.dec)
			p.dec = had;	/* at the end of the input the batch is complete */
		if (held && had != p.dec) {
			more = out + held;
			rc = take_batch(r, cst_decoder_cookie(had), out, held, CST_STOP_NONE);
			if (!rc)
				rc = deliver_room(r, &out);
			if (!rc)
				memmove(out, more, (size_t)n * sizeof(*out));
			held = 0;
		}
		if (rc)
			return rc;
		n += held;
		held = 0;
		if (!n && p.why != CST_STOP_SECTION)
			return 0;
		if (!p.dec) {
			/* a barrier: the next element of each decoder is a NO_SYNC */
			rc = deliver_flush(r);
			if (rc)
				return rc;
			continue;
		}
		st = cst_decoder_cookie(p.dec);
		if (p.why == CST_STOP_SECTION && n + CST_PULL_MIN <= (int)BATCH) {
			held = n;
			had = p.dec;
			rc = stream_stop(st, p.why, NULL);
			if (rc)
				return rc;
			continue;
		}
		if (n)
			bt->last_index = out[n - 1].index;
		rc = take_batch(r, st, out, n, p.why);
		if (rc)
			return rc;
		if (st->out.past && all_past(bt)) {
			r->f.past = true;
			return 0;
		}
	}
}

/* Pulls packet by packet for listings, each with its elements. */
static int pull_packets(struct run *r, struct buffer_tree *bt)
{
	struct stream_state *st;
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	int n, rc;

	while ((n = mem_code(cst_tree_next_packet(bt->tree, &pkt, &p))) > 0) {
		if (p.why == CST_STOP_PACKET && !r->f.lead) {
			st = cst_decoder_cookie(p.dec);
			st->out.active = true;
			rc = r->con->wants.packet(r->con->data, stream_as_given(st), &pkt);
			if (rc)
				return rc;
		}
		rc = pull(r, bt);
		if (rc || r->f.past)
			return rc;
	}
	return n;
}

static int end_fragment(struct run *r, struct buffer_tree *bt)
{
	unsigned int id;
	int rc = 0;

	for (id = 0; id < 128 && !rc; id++) {
		if (!bt->st[id])
			continue;
		count_losses_end(bt->st[id]);
		if (bt->st[id]->fragment.f->pub.window)
			count_losses_window(bt->st[id]);
		bt->st[id]->out.open_end = bt->st[id]->out.active;
		if (bt->st[id]->out.active && r->con->fragment) {
			const struct fragment_event e = { .ended = stream_as_given(bt->st[id]) };

			rc = r->con->fragment(r->con->data, &e);
		}
	}
	return rc;
}

static void release_streams(struct run *r)
{
	unsigned int id;
	size_t i;

	for (i = 0; i < r->nr_trees; i++)
		for (id = 0; id < 128; id++)
			if (r->trees[i].st[id])
				stream_release(r->trees[i].st[id]);
}

/* Moves threads and maps to the earliest time of the fragment's trace. */
static void begin_threads(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	struct threads *ts = &r->ss->tasks.threads;
	uint64_t start;
	unsigned int id;

	if (threads_passed(ts, f->since, f->since_seq)) {
		release_streams(r);
		threads_restart(ts);
	}
	threads_seek(ts, f->since, f->since_seq, UINT64_MAX);
	r->present[0] = r->present[1] = f->pub.raw ? UINT64_MAX : 0;
	if (!f->pub.raw && !ts->keep)
		frame_ids(r->q, f, r->present);
	start = threads_limit(ts, f->since, f->since_seq);
	for (id = 0; id < 128; id++) {
		if (!bt->st[id])
			continue;
		bt->st[id]->time.limit = start;
		bt->st[id]->fragment.peers = bt->st;
		bt->st[id]->fragment.present = r->present;
	}
}

/*
 * Leaves a fragment whose rest the filter excludes, as all trace after it. The decoders are freed without ending their
 * streams, since nothing was lost.
 */
static int leave_fragment(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	uint64_t used = bt->last_index < f->pub.offset ? 0 : bt->last_index - f->pub.offset;
	int rc;

	/* what is pending is past the window, too */
	deliver_drop(r);
	rc = end_fragment(r, bt);
	if (used > f->pub.size)
		used = f->pub.size;
	used -= used < r->f.start - f->pub.offset ? used : r->f.start - f->pub.offset;
	r->ss->totals.aux_bytes += used;
	r->ss->totals.filtered_bytes += fragment_fresh(f) - used;
	r->ss->bytes_done += fragment_fresh(f);
	tree_free(r, bt);
	*bt = r->trees[--r->nr_trees];
	return rc;
}

static int skip_fragment(struct run *r, const struct fragment *f)
{
	uint64_t ids[2] = { 0, 0 };
	unsigned int id;
	const struct trace_unit *unit = f->pub.raw ? units_of_raw(&r->ss->units, r->q, f) : NULL;
	bool known = f->pub.raw;
	size_t i;
	int rc = 0;

	r->ss->totals.filtered_bytes += fragment_fresh(f);
	r->ss->bytes_done += fragment_fresh(f);
	for (i = 0; i < r->nr_trees; i++) {
		struct buffer_tree *bt = &r->trees[i];

		if (bt->raw != f->pub.raw || (bt->raw && bt->unit != unit))
			continue;
		for (id = 0; id < 128 && !rc; id++) {
			if (!bt->st[id] || !bt->st[id]->out.open_end)
				continue;
			if (!known)
				frame_ids(r->q, f, ids);
			known = true;
			if (bt->raw || ids[id >> 6] >> (id & 63) & 1)
				rc = deliver_gap(r, bt->st[id]);
		}
	}
	return rc;
}

/* Pulls all that the tree has. */
static int take(struct run *r, struct buffer_tree *bt)
{
	return r->con->wants.packet ? pull_packets(r, bt) : pull(r, bt);
}

int fragment_feed(struct run *r, struct buffer_tree *bt, const struct fragment *f, uint64_t from, uint64_t to)
{
	unsigned int id;
	int rc = 0;

	if (from < to) {
		rc = mem_code(cst_tree_feed(bt->tree, f->pub.data + (from - f->pub.offset),
					    to - from, from));
		for (id = 0; id < 128 && !rc; id++)
			if (bt->st[id])
				rc = stream_watch_owner(bt->st[id]);
		if (!rc)
			rc = take(r, bt);
	}
	return rc;
}

int fragment_finish(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	int rc;

	cst_tree_end(bt->tree);
	rc = take(r, bt);
	if (!rc)
		rc = deliver_flush(r);
	if (rc || r->f.past)
		return rc;
	session_fragment_losses(r->ss, f);
	return end_fragment(r, bt);
}

void fragment_open(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	unsigned int i;

	cst_tree_reset(bt->tree);
	begin_threads(r, bt, f);
	for (i = 0; i < 128; i++) {
		if (!bt->st[i])
			continue;
		stream_begin(bt->st[i], f);
		list_branches(r, bt->st[i]);
	}
	r->pull = r->planned ? PULL_UNPLANNED : BATCH;
	r->f.past = false;
	r->f.start = f->pub.offset;
}

static void set_lead(struct run *r, struct buffer_tree *bt, bool lead)
{
	unsigned int id;

	r->f.lead = lead;
	for (id = 0; id < 128; id++)
		if (bt->st[id])
			bt->st[id]->stream.selected.lead = lead;
}

/*
 * Decodes what windows before have, too, and counts nothing of it. What is not complete yet at its
 * end was not decoded with them.
 */
static int feed_lead(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	const uint64_t end = f->pub.offset + f->pub.lead;
	struct tree_counts mark = tree_mark(bt);
	int rc;

	if (r->f.start >= end)
		return 0;
	set_lead(r, bt, true);
	rc = fragment_feed(r, bt, f, r->f.start, end);
	set_lead(r, bt, false);
	tree_uncount(bt, &mark);
	r->f.start = end;
	return rc;
}

static int report_begin(struct run *r, struct buffer_tree *bt, const struct fragment *f)
{
	uint64_t begin = f->pub.offset;
	const struct fragment_event e = { .fragment = &f->pub, .tree = bt ? bt->tree : NULL, .start = bt ? &r->f.start : &begin };

	return r->con->fragment(r->con->data, &e);
}

void run_release(struct run *r)
{
	if (r->ss->bytes_done >= r->released && r->ss->bytes_done - r->released < MAPPED_KEPT)
		return;
	perfdata_release(r->ss->pd);
	r->released = r->ss->bytes_done;
}

static int decode_whole(struct run *r, struct fragment *f)
{
	struct buffer_tree *bt;
	int rc;

	rc = tree_prepare(r, f, &bt);
	if (!rc && bt)
		fragment_open(r, bt, f);
	if (!rc && r->con->fragment)
		rc = report_begin(r, bt, f);
	if (rc || !bt) {
		session_fragment_losses(r->ss, f);
		return rc;
	}
	mapped_ahead(f->pub.data, f->pub.size);
	rc = feed_lead(r, bt, f);
	if (!rc && !r->f.past)
		rc = fragment_feed(r, bt, f, r->f.start, f->pub.offset + f->pub.size);
	if (!rc && !r->f.past)
		rc = fragment_finish(r, bt, f);
	if (rc)
		return rc;
	if (r->f.past)
		return leave_fragment(r, bt, f);
	r->ss->totals.aux_bytes += f->pub.size - (r->f.start - f->pub.offset);
	r->ss->totals.filtered_bytes += r->f.start - f->pub.offset - f->pub.lead;
	r->ss->bytes_done += fragment_fresh(f);
	run_release(r);
	return 0;
}

static int decode_fragment(struct run *r, struct fragment *f)
{
	if (select_skips(&r->ss->chosen.selection, r->q, f, r->con->wants.record_times))
		return skip_fragment(r, f);
	f->pub.data = fragment_bytes(&r->joined, r->q, f);
	return decode_whole(r, f);
}

/* True if the tree is used for a fragment from number `next` on. */
static bool used_later(const struct run *r, const struct buffer_tree *bt, size_t next)
{
	const struct fragment *f;

	for (f = r->q->frags + next; f < r->q->frags + r->q->nr_frags; f++)
		if (f->pub.raw == bt->raw && (!bt->raw || units_of_raw(&r->ss->units, r->q, f) == bt->unit))
			return true;
	return false;
}

/*
 * Resets the trees at the end of a shard inside a buffer. Elements that are not committed at that point are counted as
 * lost by the reset. In one thread the reset happens with the next fragment, and the loss is counted for the thread of
 * that time.
 */
static void reset_trees(struct run *r, size_t next)
{
	struct cst_stats was, now;
	size_t i;

	for (i = 0; i < r->nr_trees; i++) {
		struct buffer_tree *bt = &r->trees[i];

		if (!used_later(r, bt, next))
			continue;
		was = tree_stats(bt);
		cst_tree_reset(bt->tree);
		now = tree_stats(bt);
		r->ss->lost.left_undone |= memcmp(&was, &now, sizeof(now)) != 0;
	}
}

void run_leave(struct run *r, size_t next)
{
	deliver_drop(r);
	if (next < r->q->nr_frags)
		reset_trees(r, next);
	run_free_trees(r);
}

int run_fragments(struct run *r, struct queue *q, size_t first, size_t end)
{
	size_t i;
	int rc = 0;

	r->q = q;
	for (i = first; i < end && !rc; i++)
		rc = decode_fragment(r, &q->frags[i]);
	run_leave(r, end);
	return rc;
}

uint64_t session_trace_bytes(const struct session *ss)
{
	uint64_t bytes = 0;
	size_t i, k;

	for (i = 0; i < ss->queues.nr; i++)
		for (k = 0; k < ss->queues.q[i]->nr_frags; k++)
			bytes += fragment_fresh(&ss->queues.q[i]->frags[k]);
	return bytes;
}

static void report_unrouted(struct session *ss)
{
	const char *sep = "";
	unsigned int id;

	if (!ss->lost.unrouted_ids[0] && !ss->lost.unrouted_ids[1])
		return;
	fprintf(message_stream(), "cstrace: %s: nothing in the file says which trace unit sends trace ID", ss->name);
	for (id = 1; id < 0x70; id++) {
		if (!(ss->lost.unrouted_ids[id >> 6] >> (id & 63) & 1))
			continue;
		fprintf(message_stream(), "%s 0x%02x", sep, id);
		sep = ",";
	}
	fprintf(message_stream(), "; that trace is left out\n");
}

/* True if a part of the trace is excluded, or a log is written: then ranges are single elements. */
static bool needs_ranges(const struct session *ss)
{
	return ss->chosen.filter || ss->queues.windows.leads || ss->opts.log;
}

/* Enables counting if the consumer accepts counts, and nothing needs single ranges. */
static void begin_counts(struct run *r)
{
	struct session *ss = r->ss;
	struct cst_counts **counts = &ss->images.spaces.counts;

	if (!r->con->wants.counts || needs_ranges(ss))
		return;
	if (!*counts && cst_counts_new(counts, ss->images.spaces.image,
				       r->con->wants.joined ? CST_COUNTS_JOINED : 0))
		mem_refused(0);
	r->counts = *counts;
}

void run_restart(struct session *ss)
{
	ss->bytes_done = 0;
	session_zero_counts(ss);
	who_restart(ss);
	session_start_losses(ss);
	/* they have the exits of the run before, and may be of another kind */
	cst_counts_free(ss->images.spaces.counts);
	ss->images.spaces.counts = NULL;
}

/* Makes room for branches if the consumer accepts them as a list and nothing needs single ranges. */
static void begin_list(struct run *r)
{
	const struct session *ss = r->ss;

	if (!r->con->wants.branches || r->mode != DELIVER_UNTIMED || needs_ranges(ss))
		return;
	r->list.cap = BATCH_BRANCHES;
	r->list.v = mem_array(r->list.cap, sizeof(*r->list.v));
}

void run_open(struct run *r, struct session *ss, const struct consumer *con,
	      _Atomic uint64_t *bytes)
{
	*r = (struct run){ .ss = ss, .con = con, .progress.bytes = bytes };
	r->progress.shown = ss->opts.progress && isatty(STDERR_FILENO);
	r->planned = con->wants.plan && !needs_ranges(ss);
	clock_gettime(CLOCK_MONOTONIC, &r->progress.started);
	deliver_open(r);
	begin_list(r);
	begin_counts(r);
}

void run_close(struct run *r)
{
	if (r->progress.last.tv_sec)
		fprintf(stderr, "\r%*s\r", 30, "");
	free(r->trees);
	free(r->list.v);
	deliver_close(r);
	joined_free(&r->joined);
	memset(r, 0, sizeof(*r));
}

int run_all(struct run *r, struct session *ss, const struct consumer *con)
{
	const struct queues *qs = &ss->queues;
	size_t i;
	int rc = 0;

	run_open(r, ss, con, NULL);
	for (i = 0; i < qs->nr && !rc; i++)
		rc = run_fragments(r, qs->q[i], 0, qs->q[i]->nr_frags);
	return rc;
}

static int run_alone(struct session *ss, const struct consumer *con)
{
	struct run r;
	int rc = run_all(&r, ss, con);

	run_close(&r);
	return rc;
}

int session_run(struct session *ss, const struct consumer *consumer)
{
	unsigned int threads;
	int rc;

	mem_doing("decoding");
	ss->bytes_total = session_trace_bytes(ss);
	witness_collect(ss);
	run_restart(ss);
	threads = jobs_threads(ss, consumer);
	rc = threads > 1 ? jobs_run(ss, consumer, threads) : run_alone(ss, consumer);
	mem_code(rc);
	report_unrouted(ss);
	who_report(ss);
	if (rc < 0 && rc != ERR_REPORTED)
		fprintf(message_stream(), "cstrace: %s: decoding stopped: %s\n", ss->name, error_text(rc));
	if (!rc && !session_matched(ss))
		session_print_offer(ss, message_stream());
	return rc;
}
