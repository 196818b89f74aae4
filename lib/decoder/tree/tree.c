/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - routes a trace buffer to its decoders, by trace ID and in the order of the frames. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/digest.h"
#include "base/log_int.h"
#include "bytes/frame/chunk.h"
#include "decoder/tree/decoder_int.h"
#include "decoder/tree/sinks.h"

enum tree_state { TREE_RUNNING, TREE_ENDING, TREE_DONE };

struct cst_tree {
	enum cst_tree_format format;
	unsigned int flags;
	struct cst_decoder *dec[128];
	struct cst_decoder *single;	/* RAW: the only decoder */
	struct cst_deframer df;
	struct {
		const uint8_t *in;		/* input that is not unpacked yet */
		size_t in_len;
		uint64_t in_offset;
		const uint8_t *more;		/* second piece of a circular buffer */
		size_t more_len;
		uint64_t more_offset;
	} input;	/* what is not unpacked yet */
	uint64_t trigger;		/* offset of the newest trigger plus 1; 0: none */
	struct {
		uint64_t filter[2];		/* IDs to decode, if `filtered` */
		uint8_t filtered;
		uint64_t unrouted;
		uint64_t unrouted_logged[2];	/* IDs for which CST_FIND_UNROUTED was logged */
		uint64_t ignore[2];		/* IDs of cst_tree_ignore() */
		uint64_t ignored;
	} routing;
	uint8_t in_trigger;		/* the last fragment had trigger ID 0x7D */
	struct cst_log *log;		/* or NULL */
	uint8_t listing;		/* the caller takes packets one by one */
	struct {
		uint8_t at_barrier;		/* `barrier` is the next element to return */
		/* decoders from leave_id on return what they hold, before `barrier` */
		uint8_t leaving;
		uint8_t leave_id;
		struct cst_generic barrier;
	} reset;
	uint8_t state;			/* enum tree_state */
	uint8_t end_id;
	struct chunk chunk;	/* unpacked frames, of a tree with frames */
	struct sinks *sinks;	/* CST_ORDER_BY_ID, else NULL; their bytes precede those of the fragments */
	struct cst_decoder *cur;	/* decoder with input or elements */
	struct cst_fragment raw;	/* fragment of next_fragment() for a RAW tree */
};

int cst_tree_new(struct cst_tree **out, enum cst_tree_format format, unsigned flags)
{
	struct cst_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return -CST_ERR_NOMEM;
	t->format = format;
	t->flags = flags;
	if (format == CST_TREE_FRAMES && cst_chunk_init(&t->chunk)) {
		cst_tree_free(t);
		return -CST_ERR_NOMEM;
	}
	cst_deframer_init(&t->df, flags);
	*out = t;
	return 0;
}

void cst_tree_free(struct cst_tree *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; i < 128; i++)
		cst_decoder_free(t->dec[i]);
	cst_sinks_free(t->sinks);
	cst_chunk_free(&t->chunk);
	free(t);
}

enum cst_tree_format cst_tree_layout(const struct cst_tree *t, unsigned *flags)
{
	*flags = t->flags;
	return t->format;
}

static int check_id(const struct cst_tree *t, uint8_t id)
{
	return id > 0x7f || t->dec[id] || (t->format == CST_TREE_RAW && t->single) ? -CST_ERR_INVAL : 0;
}

static int attach(struct cst_tree *t, struct cst_decoder *dec)
{
	int err = t->sinks ? cst_sinks_add(t->sinks, dec->cfg.trace_id) : 0;

	if (err) {
		cst_decoder_free(dec);
		return err;
	}
	dec->tree = t;
	cst_decoder_set_log(dec, t->log);
	t->dec[dec->cfg.trace_id] = dec;
	t->single = dec;
	return 0;
}

int cst_tree_set_order(struct cst_tree *t, enum cst_tree_order order)
{
	struct sinks *sinks = NULL;
	unsigned int id;

	if (t->format == CST_TREE_RAW)
		return 0;
	if (t->sinks && t->sinks->at < SPLIT_IDS)
		return -CST_ERR_BUSY;
	if (order == CST_ORDER_BY_ID) {
		if (t->sinks)
			return 0;
		sinks = cst_sinks_new();
		if (!sinks)
			return -CST_ERR_NOMEM;
		for (id = 0; id < 128; id++)
			if (t->dec[id] && cst_sinks_add(sinks, id)) {
				cst_sinks_free(sinks);
				return -CST_ERR_NOMEM;
			}
	} else if (t->cur && !cst_decoder_idle(t->cur)) {
		/* the decoder still reads from this memory */
		return -CST_ERR_BUSY;
	}
	for (id = 0; t->sinks && id < 128; id++)
		if (t->dec[id])
			cst_decoder_forget_input(t->dec[id]);
	cst_sinks_free(t->sinks);
	t->sinks = sinks;
	return 0;
}

int cst_tree_add(struct cst_tree *t, const struct cst_config *cfg, struct cst_decoder **out)
{
	int err = check_id(t, cfg->trace_id);

	if (!err)
		err = cst_decoder_new(out, cfg);
	return err ? err : attach(t, *out);
}

int cst_tree_add_custom(struct cst_tree *t, const struct cst_config *cfg, const struct cst_protocol_ops *ops,
			void *user, struct cst_decoder **out)
{
	int err = check_id(t, cfg->trace_id);

	if (!err)
		err = cst_decoder_new_custom(out, cfg, ops, user);
	return err ? err : attach(t, *out);
}

void cst_tree_remove(struct cst_tree *t, struct cst_decoder *dec)
{
	t->dec[dec->cfg.trace_id] = NULL;
	if (t->sinks)
		t->routing.unrouted += cst_sinks_remove(t->sinks, dec->cfg.trace_id);
	if (t->single == dec)
		t->single = NULL;
	if (t->cur == dec)
		t->cur = NULL;
	cst_decoder_free(dec);
}

struct cst_decoder *cst_tree_decoder(const struct cst_tree *t, uint8_t id)
{
	return id < 128 ? t->dec[id] : NULL;
}

int cst_tree_reconfigure(struct cst_tree *t, uint8_t id, const struct cst_config *cfg)
{
	struct cst_decoder *dec = cst_tree_decoder(t, id);

	return dec ? cst_decoder_reconfigure(dec, cfg) : -CST_ERR_INVAL;
}

void cst_tree_set_log(struct cst_tree *t, struct cst_log *log)
{
	unsigned int i;

	t->log = log;
	t->flags = log ? t->flags | CST_FRAME_FINDINGS : t->flags & ~(unsigned)CST_FRAME_FINDINGS;
	t->df.flags = log ? t->df.flags | CST_FRAME_FINDINGS : t->df.flags & (uint8_t)~CST_FRAME_FINDINGS;
	t->routing.unrouted_logged[0] = t->routing.unrouted_logged[1] = 0;
	for (i = 0; i < 128; i++)
		if (t->dec[i])
			cst_decoder_set_log(t->dec[i], log);
}

static void reset_decoders(struct cst_tree *t)
{
	unsigned int i;

	for (i = 0; i < 128; i++)
		if (t->dec[i])
			cst_decoder_reset(t->dec[i], CST_UNSYNC_RESET);
}

/* Ends the frames; an incomplete one is counted as lost. */
static void end_frames(struct cst_tree *t)
{
	uint64_t index = t->df.fill ? t->df.pair[0] : 0;
	int cut = cst_deframer_end(&t->df);

	if (cut)
		cst_log_error(t->log, CST_LOG_FRAME, CST_LOG_NO_ID, index, CST_ERR_FRAME_CUT, (unsigned int)cut);
}

void cst_tree_reset(struct cst_tree *t)
{
	/* counts the incomplete frame */
	end_frames(t);
	t->df.stats.skipped += t->input.in_len + t->input.more_len;
	reset_decoders(t);
	cst_tree_drop(t);
	t->trigger = 0;
	t->in_trigger = 0;
	t->chunk.at = t->chunk.count = 0;
	if (t->sinks)
		cst_sinks_clear(t->sinks);
	t->cur = NULL;
	t->state = TREE_RUNNING;
	t->end_id = 0;
	t->reset.at_barrier = t->reset.leaving = 0;
}

void cst_tree_drop(struct cst_tree *t)
{
	const struct cst_frame_stats stats = t->df.stats;

	/* also drops an incomplete frame */
	cst_deframer_init(&t->df, t->flags);
	cst_tree_filter(t, t->routing.filtered ? t->routing.filter : NULL);
	t->df.stats = stats;
	t->input.in_len = t->input.more_len = 0;
}

static int feed(struct cst_tree *t, const uint8_t *data, size_t len, uint64_t offset)
{
	if (t->format == CST_TREE_RAW) {
		if (!t->single)
			return -CST_ERR_INVAL;
		t->cur = t->single;
		return cst_decoder_feed(t->single, data, len, offset);
	}
	t->input.in = data;
	t->input.in_len = len;
	t->input.in_offset = offset;
	return 0;
}

int cst_tree_feed(struct cst_tree *t, const uint8_t *data, size_t len, uint64_t offset)
{
	if (t->input.in_len || t->input.more_len || t->state != TREE_RUNNING)
		return -CST_ERR_BUSY;
	return feed(t, data, len, offset);
}

int cst_tree_feed_wrapped(struct cst_tree *t, const uint8_t *data, size_t size, size_t write, int full,
			  uint64_t offset)
{
	struct cst_unwrapped u = { 0 };
	int err, first;

	err = cst_unwrap(&u, size, write, full, t->format == CST_TREE_RAW ? 1 : 16, 0);
	if (err)
		return err;
	first = u.piece[0].len ? 0 : 1;
	err = cst_tree_feed(t, data + u.piece[first].start, u.piece[first].len, offset);
	if (!err && !first) {
		t->input.more = data;
		t->input.more_len = u.piece[1].len;
		t->input.more_offset = offset + u.piece[0].len;
	}
	return err;
}

/* Continues with the second piece of a circular buffer at the end of the first. Returns 0 if there is none. */
static int next_piece(struct cst_tree *t)
{
	size_t len = t->input.more_len;

	t->input.more_len = 0;
	return len && !feed(t, t->input.more, len, t->input.more_offset);
}

void cst_tree_start_at(struct cst_tree *t, uint64_t offset, uint8_t frame_id)
{
	cst_deframer_start(&t->df, offset, frame_id);
}

void cst_tree_end(struct cst_tree *t)
{
	if (t->state == TREE_RUNNING)
		t->state = TREE_ENDING;
}

/* Unpacks the next chunk of input, of up to `most` bytes. Returns 0 if there is none. */
static int unpack(struct cst_tree *t, size_t most)
{
	size_t used, len;

	if (!t->input.in_len && !next_piece(t))
		return 0;
	/* chunk boundaries do not depend on where decoding began */
	if (most == CHUNK_BYTES)
		most -= (size_t)(t->input.in_offset % CHUNK_BYTES);
	len = t->input.in_len < most ? t->input.in_len : most;
	used = cst_chunk_unpack(&t->chunk, &t->df, t->input.in, len, t->input.in_offset);
	t->input.in += used;
	t->input.in_len -= used;
	t->input.in_offset += used;
	return 1;
}

/* Counts bytes of a source without a decoder; records one finding for each ID. */
static void unrouted(struct cst_tree *t, unsigned int id, uint64_t offset, size_t len)
{
	if (id < 128 && t->routing.ignore[id >> 6] >> (id & 63) & 1) {
		t->routing.ignored += len;
		return;
	}
	if (!id || id >= SPLIT_IDS)
		return;
	t->routing.unrouted += len;
	if (!t->log || t->routing.unrouted_logged[id >> 6] >> (id & 63) & 1)
		return;
	t->routing.unrouted_logged[id >> 6] |= 1ull << (id & 63);
	cst_log_finding(t->log, CST_LOG_TREE, id, offset, CST_FIND_UNROUTED, 0);
}

static void record_finding(struct cst_tree *t, const struct cst_fragment *fr)
{
	if (t->flags & CST_FRAME_STRICT)
		cst_log_strict(t->log, CST_LOG_FRAME, fr->id, fr->offset, (unsigned int)fr->error, 0);
	else
		cst_log_finding(t->log, CST_LOG_FRAME, fr->id, fr->offset, (unsigned int)fr->error, 0);
}

/* A fragment that is not data. */
static void record_fragment(struct cst_tree *t, const struct cst_fragment *fr)
{
	if (fr->kind == CST_FRAG_RESET)
		cst_log_finding(t->log, CST_LOG_TREE, CST_LOG_NO_ID, fr->offset, CST_FIND_BARRIER, 0);
	else if (fr->kind == CST_FRAG_ERROR)
		cst_log_error(t->log, CST_LOG_FRAME, CST_LOG_NO_ID, fr->offset, fr->error, fr->len);
	else if (fr->kind == CST_FRAG_FINDING)
		record_finding(t, fr);
}

/*
 * Fast path of unpacking: fills the sinks, which must be empty, from complete frames. 0: the next frame needs unpack(),
 * since it is not plain (cst_frame_split()) or the tree has a log; or there is no input left.
 */
static int take_stretch(struct cst_tree *t)
{
	size_t used;

	if (t->log || (!t->input.in_len && !next_piece(t)))
		return 0;
	used = cst_sinks_fill(t->sinks, &t->df, t->input.in,
			      t->input.in_len < CHUNK_BYTES ? t->input.in_len : CHUNK_BYTES,
			      t->input.in_offset);
	t->input.in += used;
	t->input.in_len -= used;
	t->input.in_offset += used;
	t->in_trigger &= !used;
	return used != 0;
}

/*
 * Bytes to unpack on the slow path: the rest of one frame, so that the fast path can continue behind it, or a chunk
 * where no frame can take the fast path (a log, synchronisation patterns, a filter).
 */
static size_t odd_length(const struct cst_tree *t)
{
	const unsigned int plain = CST_FRAME_RESET_4X | CST_FRAME_FINDINGS | CST_FRAME_STRICT;

	return !t->sinks || t->log || t->df.flags & ~plain ? CHUNK_BYTES : 16u - t->df.fill;
}

/* Feeds the collected bytes of the next ID to its decoder. Returns 0 if there are none. */
static int route_sink(struct cst_tree *t)
{
	struct frame_sink *s;
	unsigned int id;

	while ((s = cst_sinks_next(t->sinks, &id))) {
		if (!t->dec[id]) {
			unrouted(t, id, 0, s->pos);
			continue;
		}
		cst_decoder_feed_segs(t->dec[id], s->data, s->pos, s->seg, frame_sink_runs(s));
		t->cur = t->dec[id];
		return 1;
	}
	return 0;
}

/*
 * Sets t->cur to the next decoder that holds elements from before a barrier. After the last one, resets all decoders and
 * sets t->at_barrier.
 */
static void leave(struct cst_tree *t)
{
	struct cst_decoder *dec;

	while (t->reset.leave_id < 128) {
		dec = t->dec[t->reset.leave_id++];
		if (dec && cst_decoder_leave(dec)) {
			t->cur = dec;
			return;
		}
	}
	reset_decoders(t);
	t->reset.leaving = 0;
	t->reset.at_barrier = 1;
}

/* Begins the reset of all decoders at fragment `fr`, the next one: a barrier, or lost frames. */
static void reset_at(struct cst_tree *t, const struct cst_fragment *fr)
{
	t->chunk.at++;
	t->in_trigger = 0;
	t->reset.barrier = (struct cst_generic){ .kind = CST_GEN_BARRIER,
						 .trace_id = CST_ID_UNKNOWN,
						 .index = fr->offset,
						 .error = (uint32_t)-fr->error };
	t->reset.leaving = 1;
	t->reset.leave_id = 0;
	leave(t);
}

/*
 * Feeds the next run of bytes to its decoder, t->cur, or stops at a barrier, t->at_barrier or t->leaving. Returns 0 if
 * more input is needed.
 */
static int route(struct cst_tree *t)
{
	struct chunk *const c = &t->chunk;
	const struct cst_fragment *fr;
	struct cst_decoder *dec;
	size_t len;
	uint32_t n;

	for (;;) {
		if (c->at == c->count) {
			if (t->sinks) {
				do {
					if (route_sink(t))
						return 1;
				} while (take_stretch(t));
			}
			if (!unpack(t, odd_length(t)))
				return 0;
			continue;
		}
		fr = &c->frag[c->at];
		if (fr->kind != CST_FRAG_DATA) {
			record_fragment(t, fr);
			if (cst_chunk_resets(fr)) {
				reset_at(t, fr);
				return 1;
			}
			c->at++;
			continue;
		}
		/* a trigger that is cut by a frame or by the input counts once */
		if (fr->id == 0x7d && !t->in_trigger)
			t->trigger = fr->offset + 1;
		t->in_trigger = fr->id == 0x7d;
		n = cst_chunk_run(c, &len);
		dec = fr->id < 128 ? t->dec[fr->id] : NULL;
		if (!dec) {
			unrouted(t, fr->id, fr->offset, len);
			continue;
		}
		cst_decoder_feed_segs(dec, c->data + fr->pos, len, c->seg, n);
		t->cur = dec;
		return 1;
	}
}

/* Returns the next decoder, by ID, whose element stage was not ended; NULL: none. */
static struct cst_decoder *next_end(struct cst_tree *t)
{
	struct cst_decoder *dec;

	while (t->end_id < 128) {
		dec = t->dec[t->end_id++];
		if (dec) {
			cst_decoder_end(dec);
			return dec;
		}
	}
	return NULL;
}

/* Sets t->cur to a decoder with input or elements, or t->at_barrier. Returns 0 if there is neither. */
static int advance(struct cst_tree *t)
{
	t->cur = NULL;
	if (t->reset.leaving) {
		leave(t);
		return 1;
	}
	if (t->format == CST_TREE_FRAMES ? route(t) : next_piece(t))
		return 1;
	if (t->state == TREE_ENDING) {
		if (t->format == CST_TREE_FRAMES && !t->end_id)
			end_frames(t);
		t->cur = next_end(t);
		if (t->cur)
			return 1;
		t->state = TREE_DONE;
	}
	return 0;
}

/* Returns 0 with the reason: end, or more input needed. */
static int idle(const struct cst_tree *t, struct cst_pull *pull)
{
	*pull = (struct cst_pull){ .why = t->state == TREE_DONE ? CST_STOP_END : CST_STOP_INPUT };
	return 0;
}

int cst_tree_pull(struct cst_tree *t, struct cst_generic *out, size_t cap, struct cst_pull *pull)
{
	struct cst_pull unused;
	int n;

	if (cap < CST_PULL_MIN)
		return -CST_ERR_INVAL;
	pull = pull ? pull : &unused;
	for (;;) {
		if (t->cur) {
			n = cst_decoder_pull(t->cur, out, cap, pull);
			if (n || !(pull->why & (CST_STOP_INPUT | CST_STOP_END)))
				return n;
		} else if (t->reset.at_barrier) {
			*pull = (struct cst_pull){ .why = CST_STOP_NONE };
			t->reset.at_barrier = 0;
			*out = t->reset.barrier;
			return 1;
		} else if (t->listing) {
			*pull = (struct cst_pull){ .why = CST_STOP_PACKET };
			return 0;
		}
		if (!advance(t))
			return idle(t, pull);
	}
}

int cst_tree_next_packet(struct cst_tree *t, struct cst_packet *pkt, struct cst_pull *pull)
{
	t->listing = 1;
	t->reset.at_barrier = 0;
	for (;;) {
		int got = t->cur ? cst_decoder_next_packet(t->cur, pkt, pull) : 0;

		if (got)
			return got;
		if (!advance(t))
			return idle(t, pull);
		if (t->reset.at_barrier) {
			*pull = (struct cst_pull){ .why = CST_STOP_NONE };
			return 1;
		}
	}
}

int cst_tree_scan(struct cst_tree *t, struct cst_scan *found)
{
	while (!t->cur || !cst_decoder_scan(t->cur, found)) {
		if (!advance(t))
			return 0;
		if (t->reset.at_barrier) {
			*found = (struct cst_scan){ .kind = CST_SCAN_BARRIER, .trace_id = CST_ID_UNKNOWN,
						   .index = t->reset.barrier.index };
			t->reset.at_barrier = 0;
			break;
		}
	}
	return 1;
}

int cst_tree_next_fragment(struct cst_tree *t, struct cst_fragment *frag, const uint8_t **data)
{
	size_t len;

	if (t->format == CST_TREE_RAW) {
		struct cursor *c = t->single ? &t->single->cur : NULL;

		if (!c || (c->pos >= c->len && !next_piece(t)))
			return 0;
		/* returned in pieces, since the length of a fragment is limited, as is its position */
		len = c->len - c->pos < 4096 ? c->len - c->pos : 4096;
		memset(frag, 0, sizeof(*frag));
		frag->offset = t->single->one.offset + c->pos;
		frag->len = len;
		frag->id = t->single->cfg.trace_id;
		*data = c->data + c->pos;
		c->pos += len;
		return 1;
	}
	while (t->chunk.at == t->chunk.count)
		if (!unpack(t, CHUNK_BYTES))
			return 0;
	*frag = t->chunk.frag[t->chunk.at++];
	*data = t->chunk.data;
	record_fragment(t, frag);
	return 1;
}

int cst_tree_trigger(const struct cst_tree *t, uint64_t *offset)
{
	if (!t->trigger)
		return 0;
	*offset = t->trigger - 1;
	return 1;
}

void cst_tree_filter(struct cst_tree *t, const uint64_t ids[2])
{
	t->routing.filtered = !!ids;
	if (ids)
		memcpy(t->routing.filter, ids, sizeof(t->routing.filter));
	cst_deframer_filter(&t->df, ids);
}

/* State of the frames: the bytes of an incomplete one, and which trace ID the next byte has. */
static uint64_t frames(const struct cst_tree *t, uint64_t digest)
{
	const struct cst_deframer *df = &t->df;
	unsigned int i;

	digest = digest_word(digest, df->offset);
	digest = digest_word(digest, df->id | t->in_trigger << 8);
	if (t->flags & CST_FRAME_FSYNC)
		digest = digest_word(digest, df->synced | df->tail << 8);
	for (i = 0; i < df->fill; i += 2)
		digest = digest_word(digest, df->pair[i / 2]);
	return cst_digest_bytes(digest, df->part, df->fill);
}

uint64_t cst_tree_digest(const struct cst_tree *t)
{
	uint64_t digest = DIGEST_START;
	unsigned int i;

	if (t->input.in_len || t->input.more_len || t->chunk.at != t->chunk.count || t->sinks ||
	    t->state != TREE_RUNNING || t->reset.leaving || t->reset.at_barrier || t->listing)
		return 0;
	if (t->format == CST_TREE_FRAMES)
		digest = frames(t, digest);
	for (i = 0; i < 128 && digest; i++)
		if (t->dec[i])
			digest = cst_decoder_digest(t->dec[i], digest);
	return digest;
}

const struct cst_frame_stats *cst_tree_frame_stats(const struct cst_tree *t)
{
	return &t->df.stats;
}

uint64_t cst_tree_unrouted(const struct cst_tree *t)
{
	return t->routing.unrouted;
}

void cst_tree_ignore(struct cst_tree *t, uint8_t id)
{
	if (id < 128)
		t->routing.ignore[id >> 6] |= 1ull << (id & 63);
}

uint64_t cst_tree_ignored(const struct cst_tree *t)
{
	return t->routing.ignored;
}
