/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - the data path. The client pushes bytes, and may respond with WAIT to every element; the library is pulled. So
 * bytes are copied in chunks, a chunk is decoded element by element, and the number of processed bytes that the client
 * gets ends before the chunk that is not completely delivered: a client that stops calling when all its bytes are
 * processed loses nothing. Bytes of that chunk that the client passes again are recognised and skipped.
 */
#include <string.h>

#include "custom.h"
#include "internal.h"

void tree_listeners(struct ocsd_tree *t)
{
	const struct source *s;
	unsigned int i;

	t->listen.packets = t->listen.sinks = false;
	t->nr_custom = 0;
	for (i = 0; i < t->nr_all; i++) {
		s = t->all[i];
		t->nr_custom += s->custom != NULL;
		t->listen.packets |=
			s->dec && (s->packets_only || s->packets.mon || s->packets.print_mon);
		t->listen.sinks |= s->dec && s->packets.sink;
	}
}

/*
 * True for bytes skipped without synchronisation that a sink does not get: of ETMv4, PTM and ITM it
 * gets the first packet of them behind a reset, and only a monitor all.
 */
static bool skipped_again(struct source *s, const struct cst_packet *pkt)
{
	bool again = s->packets.skipped;

	if (cst_decoder_packet_role(s->dec, pkt) != CST_ROLE_NOT_SYNC ||
	    s->protocol == OCSD_PROTOCOL_ETMV3 || s->protocol == OCSD_PROTOCOL_STM)
		return false;
	s->packets.skipped = true;
	return again;
}

/*
 * The error that a packet is in the log: none for what is cut at the end of the trace, and of PTM
 * and ETMv3.
 */
static ocsd_err_t packet_error(unsigned int protocol, unsigned int type)
{
	switch (protocol) {
	case OCSD_PROTOCOL_ETMV4I:
	case OCSD_PROTOCOL_ETE:
		return type == CST_PKT_RESERVED || type == CST_PKT_RESERVED_CFG ?
			       OCSD_ERR_INVALID_PCKT_HDR :
		       type == CST_PKT_BAD_SEQUENCE ? OCSD_ERR_BAD_PACKET_SEQ :
						      OCSD_OK;
	case OCSD_PROTOCOL_STM:
		return type == CST_STM_PKT_RESERVED ? OCSD_ERR_INVALID_PCKT_HDR :
		       type == CST_STM_PKT_BAD_SEQUENCE ? OCSD_ERR_BAD_PACKET_SEQ : OCSD_OK;
	case OCSD_PROTOCOL_ITM:
		return type == CST_ITM_PKT_RESERVED ? OCSD_ERR_INVALID_PCKT_HDR :
		       type == CST_ITM_PKT_BAD_SEQUENCE ? OCSD_ERR_BAD_PACKET_SEQ : OCSD_OK;
	}
	return OCSD_OK;
}

/* Without a decoder behind it, what makes packets logs the bad ones itself. */
static void log_packet(const struct source *s, const struct cst_packet *pkt)
{
	ocsd_err_t err = packet_error(s->protocol, pkt->type);
	char name[LOG_NAME];

	if (err)
		log_error(OCSD_ERR_SEV_ERROR, log_packets(s, name), err, pkt->index, s->id, "");
}

/* Delivers a packet to its receivers; only a sink has a response. */
static ocsd_datapath_resp_t packet_out(struct ocsd_tree *t, struct source *s, const struct cst_packet *pkt)
{
	bool bad = cst_decoder_packet_role(s->dec, pkt) == CST_ROLE_BAD;
	bool monitor = !(bad && s->flags & OCSD_OPFLG_PKTPROC_NOMON_BAD_PKTS);
	bool forward =
		!(bad && s->flags & OCSD_OPFLG_PKTPROC_NOFWD_BAD_PKTS) && !skipped_again(s, pkt);
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	const void *given = &s->client.pkt;
	union packet old;

	if (s->packets.print_mon && monitor)
		print_packet(t, s, pkt, true);
	if (s->packets.mon || s->packets.sink) {
		packet_to_ocsd(&s->client.pkt, pkt, cst_decoder_config(s->dec));
		if (t->client == CLIENT_1_3)
			given = packet_to_1_3(&old, &s->client.pkt, s->protocol);
	}
	if (bad && s->packets_only)
		log_packet(s, pkt);
	t->busy = true;
	if (s->packets.mon && monitor)
		s->packets.mon(s->packets.mon_ctx, OCSD_OP_DATA, pkt->index, given, pkt->nbytes,
			       pkt->bytes);
	if (s->packets.sink && forward)
		r = s->packets.sink(s->packets.sink_ctx, OCSD_OP_DATA, pkt->index, given);
	t->busy = false;
	if (s->packets.print_sink && forward)
		print_packet(t, s, pkt, false);
	return r;
}

static ocsd_datapath_resp_t tell_sink(struct ocsd_tree *t, struct source *s, ocsd_datapath_op_t op,
				      uint64_t index)
{
	ocsd_datapath_resp_t r;

	t->busy = true;
	r = s->packets.sink(s->packets.sink_ctx, op, (ocsd_trc_index_t)index, NULL);
	t->busy = false;
	return r;
}

/* Who listens to packets hears of the end and of resets, too. */
static ocsd_datapath_resp_t tell(struct ocsd_tree *t, struct source *s, ocsd_datapath_op_t op, uint64_t index)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;

	if (s->packets.print_mon)
		print_operation(t, s, op);
	if (s->packets.print_sink)
		print_operation(t, s, op);
	if (s->packets.sink)
		r = tell_sink(t, s, op, index);
	t->busy = true;
	if (s->packets.mon)
		s->packets.mon(s->packets.mon_ctx, op, (ocsd_trc_index_t)index, NULL, 0, NULL);
	t->busy = false;
	return r;
}

/* The library's decoders were reset: by the client, index 0, or at a barrier there. */
static ocsd_datapath_resp_t reset_sources(struct ocsd_tree *t, uint64_t index)
{
	static const struct cst_generic nothing;
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	unsigned int i;

	for (i = 0; i < t->nr_all; i++) {
		struct source *s = t->all[i];

		if (s->dec) {
			packet_reset(&s->client.pkt, cst_decoder_config(s->dec));
			s->packets.skipped = false;
			element_context(s, &nothing);
			r = worse(r, tell(t, s, OCSD_OP_RESET, index));
		}
	}
	return r;
}

/* The frames reset the decoders. Several barriers in a row are one. */
static ocsd_datapath_resp_t at_barrier(struct ocsd_tree *t, const struct cst_generic *g)
{
	const uint64_t last = t->in.barrier;

	if (g->error)
		return reset_sources(t, g->index);
	t->in.barrier = g->index;
	return g->index == last + OCSD_DFRMTR_FRAME_SIZE ? OCSD_RESP_CONT : reset_sources(t, g->index);
}

/* The decoder of `s` needs code. Negative: cst_error. */
static int supply(struct ocsd_tree *t, struct source *s)
{
	struct cst_section *sec = cst_decoder_section(s->dec);

	return sec ? cst_section_set_bytes(sec, NULL, 0) : memory_want(t, s, cst_decoder_wanted(s->dec));
}

/*
 * What a stop of the library asks for, once its elements are delivered. A stop for code that found the batch full is
 * repeated by the next pull. Negative: cst_error; without an address space all code would be missing.
 */
static int after_stop(struct ocsd_tree *t)
{
	struct source *s = t->made.batch_src;
	struct cst_space *space;

	if (t->made.stopped == CST_STOP_CONTEXT) {
		memory_doubt(t);
		space = memory_space(t, s);
		if (!space)
			return -CST_ERR_NOMEM;
		cst_decoder_set_space(s->dec, space);
	}
	t->made.stopped = CST_STOP_NONE;
	return 0;
}

static ocsd_datapath_resp_t fatal(int err)
{
	log_error(OCSD_ERR_SEV_ERROR, "cstrace", err_of(err), OCSD_BAD_TRC_INDEX,
		  OCSD_BAD_CS_SRC_ID, cst_strerror(err));
	return OCSD_RESP_FATAL_SYS_ERR;
}

/*
 * Pull once. 1: something is to be delivered or was done, 0: the input is used up; negative: error. Memory
 * is asked for on the way, so that what is verified serves as much as the batch has room for.
 */
static int pull(struct ocsd_tree *t)
{
	struct cst_pull p;
	int n, err, asked = 0;

	n = cst_tree_pull(t->tree, t->made.batch, BATCH, &p);
	if (n < 0)
		return n;
	t->made.at = 0;
	t->made.count = n;
	t->made.batch_src = p.dec ? cst_decoder_cookie(p.dec) : NULL;
	while (p.why == CST_STOP_SECTION && BATCH - t->made.count >= CST_PULL_MIN) {
		asked = 1;
		err = supply(t, t->made.batch_src);
		if (err < 0)
			return err;
		n = cst_decoder_pull(p.dec, t->made.batch + t->made.count, BATCH - t->made.count,
				     &p);
		if (n < 0)
			return n;
		t->made.count += n;
	}
	t->made.stopped = p.why;
	return t->made.count || asked;
}

/* The next packet, or elements that have none. As pull(). */
static int next_packet(struct ocsd_tree *t)
{
	struct cst_pull p;
	int n = cst_tree_next_packet(t->tree, &t->made.packet, &p);

	if (n > 0 && p.why == CST_STOP_PACKET)
		t->made.packet_src = cst_decoder_cookie(p.dec);
	return n;
}

/* Packet by packet: all that one has made, then the next one. The other order would not keep them apart. */
static int step(struct ocsd_tree *t)
{
	int n = t->made.pulling ? pull(t) : 0;

	if (n)
		return n;
	n = next_packet(t);
	t->made.pulling = n > 0;
	return n;
}

/* Deliver what there is and decode on, until the client waits or the input is used up. */
static ocsd_datapath_resp_t drain_all(struct ocsd_tree *t)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	int n;

	for (;;) {
		while (t->made.at < t->made.count) {
			const struct cst_generic *g = &t->made.batch[t->made.at];
			struct source *s = t->made.batch_src;

			if (g->kind == CST_GEN_BARRIER) {
				t->made.at++;
				r = worse(r, at_barrier(t, g));
				if (r >= OCSD_RESP_WAIT)
					return r;
				continue;
			}
			if (g->kind == CST_GEN_RANGE && t->listen.out && !s->packets_only) {
				r = worse(r, element_ranges(t, s));
				if (r >= OCSD_RESP_WAIT)
					return r;
				continue;
			}
			t->made.at++;
			if (g->kind == CST_GEN_NO_SYNC)
				stats_error(s, g);
			if (!s->packets_only)
				r = worse(r, element_out(t, s, g));
			if (g->kind == CST_GEN_EO_TRACE) {
				s->client.end = *g;
				r = worse(r, tell(t, s, OCSD_OP_EOT, 0));
			}
			if (r >= OCSD_RESP_WAIT)
				return r;
		}
		n = after_stop(t);
		if (n < 0)
			return fatal(n);
		if (t->made.packet_src) {
			struct source *s = t->made.packet_src;

			t->made.packet_src = NULL;
			r = worse(r, packet_out(t, s, &t->made.packet));
			if (r >= OCSD_RESP_WAIT)
				return r;
		}
		n = t->listen.packets ? step(t) : pull(t);
		if (n < 0)
			return fatal(n);
		if (!n)
			return r;
	}
}

/* Mostly a client waits at a range and comes back for the next one. */
static inline ocsd_datapath_resp_t drain(struct ocsd_tree *t)
{
	ocsd_datapath_resp_t r;

	if (t->made.at < t->made.count && t->made.batch[t->made.at].kind == CST_GEN_RANGE &&
	    t->listen.out && !t->made.batch_src->packets_only) {
		r = element_ranges(t, t->made.batch_src);
		return r >= OCSD_RESP_WAIT ? r : worse(r, drain_all(t));
	}
	return drain_all(t);
}

static void forget_input(struct ocsd_tree *t)
{
	t->made.at = t->made.count = 0;
	t->in.chunk_len = t->in.held = 0;
	t->made.stopped = CST_STOP_NONE;
	t->in.barrier = UINT64_MAX;
	t->made.packet_src = NULL;
	t->in.feeding = t->in.ending = t->in.ended = t->made.pulling = false;
	print_restart(t);
}

void tree_drop(struct ocsd_tree *t, const struct source *s)
{
	if (t->made.batch_src == s) {
		t->made.at = t->made.count = 0;
		t->made.stopped = CST_STOP_NONE;
		t->made.batch_src = NULL;
	}
}

/* Bytes that came once already, while the client was to wait: how many of these they are. */
static size_t again(struct ocsd_tree *t, uint64_t index, size_t size, const uint8_t *data)
{
	uint64_t from = t->in.chunk_at + t->in.chunk_len - t->in.held;
	size_t n = size < t->in.held ? size : t->in.held;

	if (!n)
		return 0;
	if ((uint32_t)index != (uint32_t)from ||
	    memcmp(data, t->in.chunk + (t->in.chunk_len - t->in.held), n)) {
		/* the client continued at another offset */
		t->in.held = 0;
		return 0;
	}
	t->in.held -= n;
	return n;
}

/*
 * After a fatal response, or an error at which decoding has to stop, the rest of the input is not processed. The client
 * may reset the tree, or end the trace.
 */
static ocsd_datapath_resp_t stop_if_fatal(struct ocsd_tree *t, ocsd_datapath_resp_t r)
{
	if (OCSD_DATA_RESP_IS_FATAL(r)) {
		forget_input(t);
		cst_tree_reset(t->tree);
	}
	return r;
}

static __attribute__((noinline)) ocsd_datapath_resp_t op_data(struct ocsd_tree *t, uint64_t index, size_t size, const uint8_t *data,
				    uint32_t *processed)
{
	ocsd_datapath_resp_t r, all = OCSD_RESP_CONT;
	/* frames are printed before what they hold */
	size_t done, n, printed;
	int err;

	/* what the client did not flush comes first */
	done = 0;
	if (t->made.at < t->made.count || t->in.feeding) {
		all = drain(t);
		if (all >= OCSD_RESP_WAIT)
			goto out;
		t->in.feeding = false;
	}
	printed = done = again(t, index, size, data);
	while (done < size) {
		if (done >= printed)
			printed = t->print.raw_flags ?
					  done + print_frames(t, data + done, size - done,
							      index + done) :
					  size;
		n = printed - done < CHUNK ? printed - done : CHUNK;
		memcpy(t->in.chunk, data + done, n);
		t->in.chunk_len = n;
		t->in.chunk_at = index + done;
		err = cst_tree_feed(t->tree, t->in.chunk, n, t->in.chunk_at);
		if (err && err != -CST_ERR_INVAL) {
			all = fatal(err);
			goto out;
		}
		t->in.feeding = true;
		r = err ? OCSD_RESP_CONT : drain(t);
		if (t->nr_custom)
			r = worse(r, custom_data(t, t->in.chunk, n, t->in.chunk_at));
		all = worse(all, r);
		if (all >= OCSD_RESP_WAIT) {
			t->in.held = n;
			goto out;
		}
		t->in.feeding = false;
		done += n;
	}
out:
	if (processed)
		*processed = done;
	return all;
}

static ocsd_datapath_resp_t op_flush(struct ocsd_tree *t)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	unsigned int i;

	/* sinks are flushed first; one that still waits gets nothing more */
	for (i = 0; t->listen.sinks && i < t->nr_all; i++)
		if (t->all[i]->dec && t->all[i]->packets.sink)
			r = worse(r, tell_sink(t, t->all[i], OCSD_OP_FLUSH, 0));
	if (r < OCSD_RESP_WAIT)
		r = worse(r, drain(t));
	if (t->nr_custom)
		r = worse(r, custom_op(t, OCSD_OP_FLUSH));
	if (r < OCSD_RESP_WAIT) {
		t->in.feeding = false;
		t->in.ended = t->in.ending;
	}
	return r;
}

/* Handles a repeated end of trace after all elements were delivered. */
static ocsd_datapath_resp_t end_again(struct ocsd_tree *t)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	unsigned int i;

	for (i = 0; i < t->nr_all; i++) {
		struct source *s = t->all[i];

		if (!s->dec || s->client.end.kind != CST_GEN_EO_TRACE)
			continue;
		if (!s->packets_only)
			r = worse(r, element_out(t, s, &s->client.end));
		r = worse(r, tell(t, s, OCSD_OP_EOT, 0));
	}
	return worse(r, custom_op(t, OCSD_OP_EOT));
}

static ocsd_datapath_resp_t op_end(struct ocsd_tree *t)
{
	ocsd_datapath_resp_t r;

	if (t->in.ended)
		return end_again(t);
	/* after pending elements; a client that gets a WAIT flushes, which delivers the end, too */
	cst_tree_end(t->tree);
	t->in.ending = true;
	r = worse(drain(t), custom_op(t, OCSD_OP_EOT));
	t->in.ended = r < OCSD_RESP_WAIT;
	return r;
}

static ocsd_datapath_resp_t op_reset(struct ocsd_tree *t)
{
	ocsd_datapath_resp_t r;

	forget_input(t);
	cst_tree_reset(t->tree);
	r = reset_sources(t, 0);
	return worse(r, custom_op(t, OCSD_OP_RESET));
}

OCSD_EXPORT ocsd_datapath_resp_t ocsd_dt_process_data(const dcd_tree_handle_t handle,
						      const ocsd_datapath_op_t op,
						      const ocsd_trc_index_t index, const uint32_t size,
						      const uint8_t *data, uint32_t *processed)
{
	struct ocsd_tree *t = tree_get(handle);

	if (processed)
		*processed = 0;
	if (!t)
		return OCSD_RESP_FATAL_NOT_INIT;
	if (t->busy)
		return OCSD_RESP_FATAL_INVALID_OP;
	memory_doubt(t);
	switch (op) {
	case OCSD_OP_DATA:
		if (!data || !size || !processed)
			return OCSD_RESP_FATAL_INVALID_PARAM;
		if (t->single && !t->nr_all)
			return OCSD_RESP_FATAL_NOT_INIT;
		if (t->in.ending)
			op_reset(t);
		return stop_if_fatal(t, op_data(t, index, size, data, processed));
	case OCSD_OP_FLUSH:
		return stop_if_fatal(t, op_flush(t));
	case OCSD_OP_EOT:
		return op_end(t);
	case OCSD_OP_RESET:
		return op_reset(t);
	}
	return OCSD_RESP_FATAL_INVALID_OP;
}
