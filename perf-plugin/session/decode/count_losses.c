/* SPDX-License-Identifier: GPL-2.0-only */
/* count_losses.c - counts the losses of a stream, batch by batch. */
#include "session/decode/count_losses.h"

#include <string.h>

#include "base/alloc.h"
#include "session/decode/locate.h"
#include "session/decode/stream_state.h"

/* Returns the thread of the host whose trace it is. */
static int host_pid(const struct stream_state *st)
{
	return st->who.world.world == WORLD_GUEST ? st->who.guest.pid : st->stream.pid;
}

/* Returns why there is no code at `addr`. */
static enum loss explain(const struct stream_state *st, const struct session_loc *loc, uint64_t addr)
{
	struct session *ss = st->ss;
	bool kernel = st->context.el_known && st->context.el > 0;

	if (loc->dso)
		return loss_of_dso(loc->dso);
	switch (st->who.world.world) {
	case WORLD_GUEST:
		return guest_is_given(st->who.guest.files, kernel) ? LOSS_GUEST_PART : LOSS_GUEST;
	case WORLD_SECURE:
		return LOSS_SECURE;
	case WORLD_FIRMWARE:
		return LOSS_FIRMWARE;
	}
	if (!kernel && st->stream.pid < 0)
		return st->who.cause;
	if (!ss->losses.no_map[kernel].count++)
		ss->losses.no_map[kernel].addr = addr;
	if (kernel)
		return LOSS_KERNEL;
	return ss->losses.lost_records ? LOSS_MAP_LOST : LOSS_NO_MAP;
}

static uint64_t frame_data(const struct stream_state *st)
{
	return st->fragment.f->pub.raw ? 0 : cst_tree_frame_stats(st->tree)->data;
}

/* Adds the bytes of the fragment that were not decoded to those at its begin. */
static void count_skipped(struct stream_state *st)
{
	const struct session_fragment *f = &st->fragment.f->pub;
	enum cst_tree_format format;
	struct cst_fragment part;
	struct cst_tree *t = NULL;
	const uint8_t *data;
	unsigned int flags;

	format = cst_tree_layout(st->tree, &flags);
	if (cst_tree_new(&t, format, flags) ||
	    cst_tree_feed(t, f->data, st->losses.skipped, f->offset))
		mem_refused(0);
	st->losses.skipped = 0;
	while (cst_tree_next_fragment(t, &part, &data))
		if (part.kind == CST_FRAG_DATA && part.id == st->stream.trace_id)
			st->losses.own_before -= part.len;
	st->losses.all_before -= cst_tree_frame_stats(t)->data;
	cst_tree_free(t);
}

/*
 * Share of this stream in a stretch of the buffer, whose frames have bytes of several streams: its share in the AUX
 * fragment so far. Earlier fragments are not used, so that each fragment can be decoded by itself.
 */
static uint64_t own_bytes(struct stream_state *st, uint64_t bytes)
{
	uint64_t own, all;

	if (st->losses.skipped && !st->fragment.f->pub.raw)
		count_skipped(st);
	own = cst_decoder_stats(st->stream.decoder)->bytes - st->losses.own_before;
	all = frame_data(st) - st->losses.all_before;
	return own < all ? (uint64_t)((double)bytes * (double)own / (double)all) : bytes;
}

void count_losses_begin(struct stream_state *st)
{
	st->losses.own_before = cst_decoder_stats(st->stream.decoder)->bytes;
	st->losses.all_before = frame_data(st);
	st->losses.unsynced_before = cst_decoder_stats(st->stream.decoder)->unsynced;
	st->losses.skipped = 0;
}

static void close_gap(struct stream_state *st, uint64_t index)
{
	struct loss_gap *gap = &st->losses.gap;
	uint64_t bytes;

	if (!gap->open)
		return;
	gap->open = false;
	if (index <= gap->from)
		return;
	bytes = own_bytes(st, index - gap->from);
	losses_add(&st->ss->losses, gap->cause, st->stream.cpu, gap->pid, gap->comm, 0, bytes);
	if (gap->dso)
		gap->dso->counts.nacc_bytes += bytes;
}

static const char *process_comm(const struct stream_state *st)
{
	int pid = host_pid(st);

	return pid > 0 ? threads_comm(&st->ss->tasks.threads, pid, st->time.limit) : NULL;
}

static void open_gap(struct stream_state *st, uint64_t index, enum loss cause, struct dso *d)
{
	struct loss_gap *gap = &st->losses.gap;
	const char *comm = process_comm(st);

	gap->open = true;
	gap->from = index;
	gap->cause = cause;
	gap->dso = d;
	gap->pid = host_pid(st);
	gap->comm[0] = 0;
	if (comm)
		strncat(gap->comm, comm, sizeof(gap->comm) - 1);
}

static void missing_code(struct stream_state *st, const struct cst_generic *g)
{
	struct session_loc loc;
	enum loss cause;

	session_locate(stream_here(st), g->addr, &loc);
	cause = explain(st, &loc, g->addr);
	open_gap(st, g->index, cause, loc.dso);
	if (loc.dso)
		loc.dso->counts.nacc++;
	losses_add(&st->ss->losses, cause, st->stream.cpu, st->losses.gap.pid, st->losses.gap.comm,
		   1, 0);
}

static void lost_sync(struct stream_state *st, const struct cst_generic *g)
{
	switch (g->num) {
	case CST_UNSYNC_OVERFLOW:
		open_gap(st, g->index, LOSS_OVERFLOW, NULL);
		break;
	case CST_UNSYNC_DISCARD:
		open_gap(st, g->index, LOSS_DISCARD, NULL);
		break;
	case CST_UNSYNC_BAD_PACKET:
	case CST_UNSYNC_BAD_IMAGE:
		open_gap(st, g->index, LOSS_BAD_PACKET, NULL);
		break;
	}
}

/* Returns true if a gap was open anywhere in the batch. */
static bool find_gaps(struct stream_state *st, const struct cst_generic *g, size_t n)
{
	bool any = st->losses.gap.open;
	size_t i;

	for (i = 0; i < n; i++) {
		switch (g[i].kind) {
		case CST_GEN_RANGE:
		case CST_GEN_NOPATH:
			close_gap(st, g[i].index);
			break;
		case CST_GEN_NACC:
			close_gap(st, g[i].index);
			missing_code(st, &g[i]);
			break;
		case CST_GEN_NO_SYNC:
			close_gap(st, g[i].index);
			lost_sync(st, &g[i]);
			break;
		case CST_GEN_ADDR_UNKNOWN:
			close_gap(st, g[i].index);
			open_gap(st, g[i].index, g[i].error ? LOSS_CONFLICT : LOSS_STACK, NULL);
			break;
		}
		any |= st->losses.gap.open;
	}
	return any;
}

/*
 * Counts image conflicts for the files whose code contradicts the trace, also for the kernel's if an address of it is
 * executed at EL0: a wrong thread may have led there.
 */
static void blame_files(struct stream_state *st, const struct cst_generic *g, size_t n)
{
	struct session_loc loc;

	for (; n; n--, g++) {
		const unsigned int conflicts = cst_generic_conflicts(g);
		const uint64_t at = g->kind == CST_GEN_ADDR_UNKNOWN ? g->addr : g->end - g->last_size;

		if (conflicts && session_locate_any(stream_here(st), at, &loc) && loc.dso)
			loc.dso->counts.conflicts += conflicts;
	}
}

static uint64_t sum(const struct cst_stats *s)
{
	/* missing code is counted in missing_code() */
	return s->nacc
#define LOSS_STAT(name, member, bytes) + s->member
#include "session/losses/stats.def"
#undef LOSS_STAT
		;
}

/* Counts the decoder's losses since the last batch for the thread that ran. */
static void count_since(struct stream_state *st, const struct cst_stats *now, bool in_gap)
{
	const struct cst_stats *was = &st->losses.counted;
	const char *comm = process_comm(st);
	struct losses *ls = &st->ss->losses;
	uint64_t n;

#define LOSS_STAT(name, member, bytes) \
	n = now->member - was->member; \
	losses_add(ls, LOSS_##name, st->stream.cpu, host_pid(st), comm, n, bytes);
#define NO_BYTES 0
	/* within a gap these bytes are counted with the gap */
#define BYTES_OUTSIDE_GAPS (in_gap ? 0 : n)
#include "session/decode/stream.h"
#include "session/losses/stats.def"
#undef LOSS_STAT
	st->losses.counted = *now;
	st->losses.counted_sum = sum(now);
}

void count_losses_window(struct stream_state *st)
{
	const struct cst_stats *now = cst_decoder_stats(st->stream.decoder);
	const uint64_t bytes = now->bytes - st->losses.own_before;

	if (bytes && now->unsynced - st->losses.unsynced_before == bytes)
		losses_add(&st->ss->losses, LOSS_WINDOW_UNSYNCED, st->stream.cpu, st->stream.pid,
			   process_comm(st), 1, 0);
}

void count_losses_drop(struct stream_state *st)
{
	st->losses.counted = *cst_decoder_stats(st->stream.decoder);
	st->losses.counted_sum = sum(&st->losses.counted);
}

void count_losses_batch(struct stream_state *st, const struct cst_generic *g, size_t n)
{
	const struct cst_stats *now = cst_decoder_stats(st->stream.decoder);
	uint64_t ranges = 0;
	bool in_gap;
	size_t i;

	for (i = 0; i < n && st->stream.pid < 0; i++)
		ranges += cst_generic_is_run(g[i].kind) ? g[i].runs : g[i].kind == CST_GEN_RANGE;
	if (ranges) {
		st->ss->totals.unknown_context += ranges;
		losses_add(&st->ss->losses, LOSS_CONTEXT, st->stream.cpu, -1, NULL, ranges, 0);
	}
	if (!st->losses.gap.open && sum(now) == st->losses.counted_sum)
		return;
	in_gap = find_gaps(st, g, n);
	if (sum(now) == st->losses.counted_sum)
		return;
	if (now->image_conflicts != st->losses.counted.image_conflicts)
		blame_files(st, g, n);
	count_since(st, now, in_gap);
}

bool count_losses_open(const struct stream_state *st)
{
	return sum(cst_decoder_stats(st->stream.decoder)) != st->losses.counted_sum;
}

void count_losses_end(struct stream_state *st)
{
	const struct cst_stats *now = cst_decoder_stats(st->stream.decoder);
	bool in_gap = st->losses.gap.open;

	if (in_gap)
		close_gap(st, st->fragment.f->pub.offset + st->fragment.f->pub.size);
	if (sum(now) != st->losses.counted_sum)
		count_since(st, now, in_gap);
}
