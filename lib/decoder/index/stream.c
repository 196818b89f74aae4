/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.c - decodes the stream of one trace ID to elements and finds the positions where a decoder can begin.
 *
 * At an alignment synchronisation a second decoder begins as if it was fed from there. Both decode the same packets
 * until their states are equal: the parsers, the elements that are not committed, and what the flow stage has received
 * since. State of the flow stage that is older than the synchronisation is void by then: the first element of a decoder
 * that begins, Trace Info or Trace On, clears the return stack; context and address are traced after it (Arm ARM
 * K10.5.5.9, IHI 0035B 4.3, IHI 0014Q 7.3).
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "decoder/index/index_int.h"
#include "base/digest.h"
#include "base/quirks.h"

/* The second decoder is given up if it still differs after this many packets. */
#define MAX_TRIED (1u << 16)

/* maximum number of instructions in an IT block */
#define IT_INSNS 4

static int side_init(struct side *sd, struct stream_index *s)
{
	const struct cst_protocol_ops *ops = &s->pr->ops;
	void *stage = calloc(1, ops->stage_size);
	int err = -CST_ERR_NOMEM;

	sd->parser = calloc(1, ops->parser_size);
	if (sd->parser && stage)
		err = ops->stage_init(stage, &s->cfg, &s->stats, NULL);
	if (err) {
		free(stage);
		return err;
	}
	sd->stage = stage;
	cst_cursor_init(&sd->cur, ops, sd->parser, &s->cfg, NULL);
	return 0;
}

static void side_free(struct side *sd, const struct protocol *pr)
{
	if (sd->stage)
		pr->ops.stage_fini(sd->stage);
	free(sd->stage);
	free(sd->parser);
}

int cst_stream_index_init(struct stream_index *s, const struct cst_config *cfg, const struct cst_index_opts *opts)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	quirks_set(&s->cfg);
	s->pr = cst_protocol_find(cfg->protocol);
	if (!s->pr)
		return -CST_ERR_PROTOCOL;
	s->max_blocks = opts->max_blocks;
	s->max_records = opts->max_records;
	s->full = opts->full;
	/* with the quirk an I-sync does not set all state */
	s->has_isync = cfg->protocol == CST_PROTO_ETMV3 ||
		       (cfg->protocol == CST_PROTO_PTM && !quirk(&s->cfg, QUIRK_PTM_ALT_ISA));
	s->has_places = cst_protocol_resumes(s->pr, cfg);
	s->ix.trace_id = cfg->trace_id;
	s->ix.protocol = cfg->protocol;
	s->ix.config = cst_index_config(cfg);
	s->ix.granularity = opts->granularity;
	err = side_init(&s->main, s);
	if (!err)
		err = side_init(&s->late, s);
	if (err)
		cst_stream_index_free(s);
	return err;
}

void cst_stream_index_free(struct stream_index *s)
{
	side_free(&s->main, s->pr);
	side_free(&s->late, s->pr);
	cst_index_free_stream(&s->ix);
	memset(s, 0, sizeof(*s));
}

int cst_stream_index_begin(struct stream_index *s, uint64_t offset)
{
	s->last_index = offset;
	return cst_blocks_add(s, offset, offset);
}

int cst_stream_index_take(const struct stream_index *s, struct cst_index_stream *out)
{
	struct stream_index end = *s;
	const struct cst_element *e;
	uint32_t i;
	int err = cst_index_copy_stream(&end.ix, &s->ix);

	if (err)
		return err;
	for (i = 0; s->pr->queue_at && (e = s->pr->queue_at(s->main.stage, i)); i++)
		cst_blocks_element(&end, e);
	*out = end.ix;
	if (!end.error)
		return 0;
	cst_index_free_stream(out);
	return end.error;
}

/*
 * True for an ETMv3 or PTM I-sync packet with an address. It traces the whole context and the address, and clears the
 * return stack (IHI 0014Q 7.3, IHI 0035B 4.3). A decoder in synchronisation gets no element for values that are
 * unchanged; one that begins there gets Trace On and all of them.
 */
static int is_isync(struct flow_state *f, const struct cst_element *e)
{
	if (e->kind == CST_EL_CONTEXT && e->flags & CST_EL_F_ADDRESS) {
		f->sync_known = 1;
		f->sync_index = e->index;
	}
	return e->kind == CST_EL_ADDRESS &&
	       (e->flags & CST_EL_F_SYNC || (f->sync_known && f->sync_index == e->index));
}

/*
 * Restarts the digest at an I-sync packet. The context is left out, since the element stages' states have it; an IT
 * block can extend over the packet.
 */
static void begin_at_isync(struct flow_state *f, const struct cst_element *e)
{
	f->digest = digest_word(digest_word(digest_word(DIGEST_START, e->index), e->addr), e->is);
	f->context = f->address = 1;
	f->unsure = e->is == CST_ISA_A32 ? 0 : IT_INSNS;
}

/* Counts the instructions of an element: an atom or a waypoint stands for at least one. */
static void pass_instructions(struct flow_state *f, const struct cst_element *e)
{
	unsigned int n = e->kind == CST_EL_ATOMS ? e->n : e->kind == CST_EL_BRANCH || e->kind == CST_EL_WAYPOINT;

	f->unsure = n < f->unsure ? (uint8_t)(f->unsure - n) : 0;
}

/*
 * Adds an element to the state of the flow stage. Returns 0 if the flow stage would need state from before the
 * synchronisation.
 */
static int flow_receive(const struct stream_index *s, struct flow_state *f, const struct cst_element *e)
{
	if (e->index < s->start || (e->kind == CST_EL_NO_SYNC && e->index == s->start))
		return 1;
	if (s->has_isync && is_isync(f, e)) {
		begin_at_isync(f, e);
		return 1;
	}
	f->digest = cst_digest_element(f->digest, e);
	pass_instructions(f, e);
	/* the context is also in the element stages' states, which are compared, but not after a loss */
	if (s->has_isync && (e->kind == CST_EL_NO_SYNC || e->kind == CST_EL_TRACE_ON))
		f->context = f->address = 0;
	if (f->context && f->address)
		return 1;
	switch (e->kind) {
	case CST_EL_CONTEXT:
		f->context = 1;
		break;
	case CST_EL_ADDRESS:
		f->address = 1;
		break;
	case CST_EL_EXCEPTION:
		f->address = 0;
		break;
	case CST_EL_TRACE_ON:
	case CST_EL_NO_SYNC:
		f->context = f->address = 0;
		break;
	case CST_EL_ATOMS:
	case CST_EL_Q:
	case CST_EL_SOURCE_ADDRESS:
	case CST_EL_BRANCH:
	case CST_EL_WAYPOINT:
	case CST_EL_VECTOR:
		return 0;
	}
	return 1;
}

static int same(const struct stream_index *s)
{
	const struct flow_state *a = &s->main_flow, *b = &s->late_flow;

	if (s->pr->is_flow && (!(b->context && b->address) || b->unsure))
		return 0;
	return a->digest == b->digest && !memcmp(s->main.parser, s->late.parser, s->pr->ops.parser_size) &&
	       s->pr->stage_digest(s->main.stage, DIGEST_START) == s->pr->stage_digest(s->late.stage, DIGEST_START);
}

static void take_main(struct stream_index *s)
{
	const struct cst_element *e;

	while ((e = s->pr->ops.stage_take(s->main.stage))) {
		cst_blocks_element(s, e);
		if (s->trying)
			flow_receive(s, &s->main_flow, e);
	}
}

void cst_stream_index_reset(struct stream_index *s)
{
	/* elements that waited for another packet; a decoder emits them, too */
	if (s->pr->stage_leave && s->pr->stage_leave(s->main.stage))
		take_main(s);
	cst_cursor_reset(&s->main.cur, &s->cfg);
	s->pr->ops.stage_reset(s->main.stage, CST_UNSYNC_RESET, 0);
	s->trying = 0;
	s->next_valid = 0;
}

static int take_late(struct stream_index *s)
{
	const struct cst_element *e;
	int ok = 1;

	while ((e = s->pr->ops.stage_take(s->late.stage)))
		ok &= flow_receive(s, &s->late_flow, e) | !s->pr->is_flow;
	return ok;
}

/*
 * Decodes with the second decoder the packet that the first one has just decoded. Returns 0 if it parses another
 * packet.
 */
static int late_decode(struct stream_index *s, const struct cst_packet *pkt)
{
	struct cst_packet own;

	if (++s->tried > MAX_TRIED || !cst_cursor_next(&s->late.cur, &own, 1) || own.index != pkt->index ||
	    own.size != pkt->size || own.type != pkt->type)
		return 0;
	s->pr->ops.stage_packet(s->late.stage, &own);
	return take_late(s);
}

/* Begins the second decoder at the first byte of the synchronisation `pkt`. */
static void begin_late(struct stream_index *s, const struct cst_packet *pkt)
{
	const struct cst_protocol_ops *ops = &s->pr->ops;
	struct cst_packet own;

	cst_cursor_copy(&s->late.cur, &s->main.cur, s->late.parser);
	ops->parser_init(s->late.parser, &s->cfg, NULL);
	ops->stage_reset(s->late.stage, CST_UNSYNC_INIT, 0);
	/* no decoder can begin in the middle of a byte, and a packet longer than pkt->bytes cannot be parsed again */
	if (pkt->flags & CST_PF_LEAD || pkt->nbytes != pkt->size)
		return;
	memset(&own, 0, sizeof(own));
	if (ops->parse(s->late.parser, pkt->bytes, pkt->bytes + pkt->nbytes, &own) != pkt->size ||
	    own.type != pkt->type)
		return;
	s->start = pkt->index;
	s->tried = 0;
	memset(&s->main_flow, 0, sizeof(s->main_flow));
	s->late_flow = s->main_flow;
	ops->stage_packet(s->late.stage, pkt);
	s->trying = (uint8_t)take_late(s);
}

static void packet(struct stream_index *s, const struct cst_packet *pkt)
{
	s->pr->ops.stage_packet(s->main.stage, pkt);
	take_main(s);
	cst_blocks_bytes(s, pkt->index, pkt->size);
	s->last_index = pkt->index;
	if (s->trying && !late_decode(s, pkt))
		s->trying = 0;
	if (s->trying && same(s)) {
		s->trying = 0;
		s->next_valid = 1;
	}
	if (cst_cursor_role(&s->main.cur, pkt) != CST_ROLE_ASYNC)
		return;
	cst_blocks_sync(s, pkt->index);
	if (s->has_places && !s->next_valid && cst_blocks_wanted(s, pkt->index) && !(s->trying && s->late_flow.address))
		begin_late(s, pkt);
}

/* Begins a block at the first packet after both decoders agreed. */
static void begin_block(struct stream_index *s, uint64_t index)
{
	s->next_valid = 0;
	/* the next packet can begin in the byte of the last one */
	s->error = cst_blocks_add(s, s->start, index > s->last_index ? index : s->last_index + 1);
}

/* Skips packets with executed instructions only, which no index records. */
static void skip_flow_packets(struct stream_index *s)
{
	struct cursor *c = &s->main.cur;
	size_t n;

	if (!s->pr->skip || !s->pr->stage_idle || s->trying || c->carry_len || c->pos >= c->len ||
	    !s->pr->stage_idle(s->main.stage))
		return;
	n = s->pr->skip(c->ps, c->data + c->pos, c->len - c->pos);
	if (!n)
		return;
	if (s->next_valid)
		begin_block(s, cst_cursor_index(c, c->pos));
	cst_blocks_bytes(s, cst_cursor_index(c, c->pos), (uint32_t)n);
	c->pos += n;
	s->last_index = cst_cursor_index(c, c->pos - 1);
}

int cst_stream_index_feed(struct stream_index *s, const uint8_t *data, size_t len, const struct seg *seg,
			  uint32_t seg_count)
{
	struct cst_packet pkt;

	if (s->error)
		return s->error;
	cst_cursor_feed(&s->main.cur, data, len, seg, seg_count);
	if (s->trying)
		cst_cursor_feed(&s->late.cur, data, len, seg, seg_count);
	for (;;) {
		skip_flow_packets(s);
		if (s->error || !cst_cursor_next(&s->main.cur, &pkt, 1))
			break;
		if (s->next_valid)
			begin_block(s, pkt.index);
		packet(s, &pkt);
	}
	/* both decoders must have the same incomplete packet */
	if (s->trying && (cst_cursor_next(&s->late.cur, &pkt, 1) ||
			  s->late.cur.carry_len != s->main.cur.carry_len))
		s->trying = 0;
	return s->error;
}
