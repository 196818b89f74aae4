/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decoder.c - the stream of one trace ID: bytes to packets to trace elements to generic elements, pulled by the caller.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/counts.h>
#include <cstrace/error.h>

#include "base/log_int.h"
#include "base/quirks.h"
#include "base/sized.h"
#include "decoder/tree/decoder_int.h"
#include "flow/analyze.h"

/* Maximum number of packets between an indirect branch and its target. */
#define PEEK_PACKETS 16

static int create(struct cst_decoder **out, const struct cst_config *cfg, const struct protocol *pr, void *user)
{
	struct cst_decoder *dec;
	int err = -CST_ERR_NOMEM;

	if (!pr)
		return -CST_ERR_PROTOCOL;
	if (!cst_config_is_valid(cfg))
		return -CST_ERR_INVAL;
	dec = calloc(1, sizeof(*dec));
	if (!dec)
		return err;
	dec->cfg = *cfg;
	quirks_set(&dec->cfg);
	dec->pr = pr;
	dec->user = user;
	dec->parser = calloc(1, pr->ops.parser_size);
	dec->ahead = calloc(1, pr->ops.parser_size);
	dec->stage = calloc(1, pr->ops.stage_size);
	if (dec->parser && dec->ahead && dec->stage)
		err = pr->ops.stage_init(dec->stage, &dec->cfg, &dec->stats, user);
	if (err) {
		free(dec->stage);
		dec->stage = NULL;
		cst_decoder_free(dec);
		return err;
	}
	cst_cursor_init(&dec->cur, &pr->ops, dec->parser, &dec->cfg, user);
	cst_flow_init(&dec->flow, &dec->cfg, &dec->stats);
	*out = dec;
	return 0;
}

int cst_decoder_new(struct cst_decoder **out, const struct cst_config *cfg)
{
	struct cst_config own;

	cfg = TAKE(cst_config, cfg, own);
	return cfg ? create(out, cfg, cst_protocol_find(cfg->protocol), NULL) : -CST_ERR_INVAL;
}

/* True if the protocol has all mandatory functions. */
static int is_whole(const struct cst_protocol_ops *ops)
{
	return ops->parser_size && ops->stage_size && ops->max_packet && ops->max_packet <= CST_MAX_PACKET &&
	       ops->piece_max <= CST_MAX_PACKET && ops->parser_init && ops->parse && ops->parse_rest && ops->parser_synced &&
	       (ops->roles || !ops->n_types) && ops->stage_init && ops->stage_fini && ops->stage_reset &&
	       ops->stage_restart && ops->stage_packet && ops->stage_end && ops->stage_take;
}

int cst_decoder_new_custom(struct cst_decoder **out, const struct cst_config *cfg,
			   const struct cst_protocol_ops *ops, void *user)
{
	struct cst_protocol_ops own_ops;
	struct cst_config own;
	struct protocol *pr;
	int err;

	cfg = TAKE(cst_config, cfg, own);
	ops = TAKE(cst_protocol_ops, ops, own_ops);
	if (!cfg || !ops || !is_whole(ops))
		return -CST_ERR_INVAL;
	pr = calloc(1, sizeof(*pr));
	if (!pr)
		return -CST_ERR_NOMEM;
	pr->ops = *ops;
	err = create(out, cfg, pr, user);
	if (err)
		free(pr);
	else
		(*out)->custom = pr;
	return err;
}

void cst_decoder_free(struct cst_decoder *dec)
{
	if (!dec)
		return;
	if (dec->stage)
		dec->pr->ops.stage_fini(dec->stage);
	free(dec->stage);
	free(dec->parser);
	free(dec->ahead);
	free(dec->custom);
	free(dec->flow.emit.samples);
	free(dec);
}

int cst_decoder_reconfigure(struct cst_decoder *dec, const struct cst_config *cfg)
{
	struct cst_config own;

	cfg = TAKE(cst_config, cfg, own);
	if (!cfg)
		return -CST_ERR_INVAL;
	/* ETMv4 and ETE share one protocol */
	if (dec->custom ? cfg->protocol != CST_PROTO_CUSTOM : cst_protocol_find(cfg->protocol) != dec->pr)
		return -CST_ERR_PROTOCOL;
	if (cfg->trace_id != dec->cfg.trace_id || !cst_config_is_valid(cfg))
		return -CST_ERR_INVAL;
	/* replaces a configuration that is already in effect for the parser */
	if (dec->phase.switching)
		return -CST_ERR_BUSY;
	dec->next = *cfg;
	quirks_set(&dec->next);
	dec->cur.next = &dec->next;
	return 0;
}

/*
 * Activates the new configuration, after the last element of the old one: element stage and flow stage read dec->cfg.
 */
static void apply_config(struct cst_decoder *dec)
{
	uint8_t id = dec->flow.emit.tmpl.trace_id;

	dec->cfg = dec->next;
	dec->cur.next = NULL;
	dec->phase.switching = 0;
	cst_flow_configure(&dec->flow);
	memset(&dec->flow.emit.tmpl, 0, sizeof(dec->flow.emit.tmpl));
	dec->flow.emit.tmpl.trace_id = id;
}

void cst_decoder_reset(struct cst_decoder *dec, enum cst_unsync_reason reason)
{
	uint8_t config = dec->cur.next || dec->phase.switching, id = dec->flow.emit.tmpl.trace_id;

	if (config)
		apply_config(dec);
	dec->stats.unsynced += cst_cursor_reset(&dec->cur, &dec->cfg);
	dec->pr->ops.stage_reset(dec->stage, reason, config);
	cst_flow_report_rest(&dec->flow);
	cst_flow_restart(&dec->flow);
	dec->flow.work.busy = 0;
	memset(&dec->flow.emit.tmpl, 0, sizeof(dec->flow.emit.tmpl));
	dec->flow.emit.tmpl.trace_id = id;
	dec->phase.ended = dec->phase.finished = dec->phase.tail = dec->phase.leaving = 0;
	dec->start = 0;
}

/* Prepares for samples. They end where the flow is lost, so this is called often. */
static int begin_samples(struct cst_flow *f, const struct cst_emit_opts *opts)
{
	if (!opts->period)
		return -CST_ERR_INVAL;
	if (!f->emit.samples)
		f->emit.samples = calloc(1, sizeof(*f->emit.samples));
	return f->emit.samples ? 0 : -CST_ERR_NOMEM;
}

int cst_decoder_emit(struct cst_decoder *dec, enum cst_emit what, const struct cst_emit_opts *opts)
{
	static const struct cst_emit_opts none;
	struct cst_flow *f = &dec->flow;
	struct cst_emit_opts own;
	int err = 0;

	opts = TAKE(cst_emit_opts, opts ? opts : &none, own);
	if (!opts || what > CST_EMIT_BRANCHES || (what == CST_EMIT_COUNTS && !opts->counts) ||
	    (what == CST_EMIT_BRANCHES && !opts->list))
		return -CST_ERR_INVAL;
	if (what == CST_EMIT_SAMPLES)
		err = begin_samples(f, opts);
	if (err)
		return err;
	f->emit.counts = what == CST_EMIT_COUNTS ? opts->counts : NULL;
	f->emit.list = what == CST_EMIT_BRANCHES ? opts->list : NULL;
	if (f->emit.samples) {
		f->emit.samples->next = opts->next;
		f->emit.samples->period = what == CST_EMIT_SAMPLES ? opts->period : 0;
	}
	return 0;
}

int cst_counts_add(struct cst_counts *c, struct cst_decoder *dec, const struct cst_generic *elements, size_t n)
{
	cst_counts_elements(c, &dec->counted, elements, n);
	return c->no_memory ? -CST_ERR_NOMEM : 0;
}

void cst_decoder_set_space(struct cst_decoder *dec, struct cst_space *space)
{
	cst_flow_set_space(&dec->flow, space);
}

void cst_decoder_set_images(struct cst_decoder *dec, const struct cst_images *images)
{
	cst_flow_set_images(&dec->flow, images);
}

void cst_decoder_set_log(struct cst_decoder *dec, struct cst_log *log)
{
	cst_flow_report_rest(&dec->flow);
	dec->log = log;
	dec->flow.emit.log = log;
}

void cst_decoder_set_stop(struct cst_decoder *dec, unsigned mask)
{
	dec->flow.stop.stop_mask = mask;
}

const struct cst_config *cst_decoder_config(const struct cst_decoder *dec)
{
	return &dec->cfg;
}

const struct cst_stats *cst_decoder_stats(const struct cst_decoder *dec)
{
	return &dec->stats;
}

void cst_decoder_set_cookie(struct cst_decoder *dec, void *cookie)
{
	dec->cookie = cookie;
}

void *cst_decoder_cookie(const struct cst_decoder *dec)
{
	return dec->cookie;
}

struct cst_section *cst_decoder_section(const struct cst_decoder *dec)
{
	return dec->flow.code.lazy;
}

uint64_t cst_decoder_wanted(const struct cst_decoder *dec)
{
	return dec->flow.code.wanted;
}

void cst_decoder_start_at(struct cst_decoder *dec, uint64_t offset)
{
	dec->start = offset;
}

/* Number of leading bytes before trace offset `start`. */
static size_t before_start(uint64_t start, size_t len, const struct seg *seg, uint32_t seg_count)
{
	size_t end = 0;
	uint32_t i;

	for (i = 0; i < seg_count; i++) {
		end = i + 1 < seg_count ? seg[i + 1].pos : len;
		if (seg[i].offset >= start)
			return seg[i].pos;
		if (start - seg[i].offset < end - seg[i].pos)
			return seg[i].pos + (size_t)(start - seg[i].offset);
	}
	return end;
}

int cst_decoder_feed_segs(struct cst_decoder *dec, const uint8_t *data, size_t len,
			  const struct seg *seg, uint32_t seg_count)
{
	if (dec->cur.pos < dec->cur.len || dec->phase.ended)
		return -CST_ERR_BUSY;
	cst_cursor_feed(&dec->cur, data, len, seg, seg_count);
	if (dec->start)
		dec->cur.pos = before_start(dec->start, len, seg, seg_count);
	dec->stats.bytes += len - dec->cur.pos;
	return 0;
}

int cst_decoder_feed(struct cst_decoder *dec, const uint8_t *data, size_t len, uint64_t offset)
{
	if (dec->cur.pos < dec->cur.len)
		return -CST_ERR_BUSY;
	dec->one.pos = 0;
	dec->one.offset = offset;
	return cst_decoder_feed_segs(dec, data, len, &dec->one, 1);
}

void cst_decoder_end(struct cst_decoder *dec)
{
	dec->phase.ended = 1;
}

int cst_decoder_idle(const struct cst_decoder *dec)
{
	return dec->cur.pos >= dec->cur.len;
}

void cst_decoder_forget_input(struct cst_decoder *dec)
{
	static const uint8_t nothing[1];

	if (cst_decoder_idle(dec))
		cst_cursor_feed(&dec->cur, nothing, 0, NULL, 0);
}

int cst_decoder_leave(struct cst_decoder *dec)
{
	const struct protocol *pr = dec->pr;

	dec->phase.leaving =
		(pr->stage_leave && pr->stage_leave(dec->stage)) || dec->flow.each.open_any;
	dec->phase.tail = dec->phase.leaving;
	return dec->phase.leaving;
}

/* Ends the stream: returns a cut packet first, then ends the element stage. */
static int finish(struct cst_decoder *dec, struct cst_packet *pkt, int keep)
{
	if (!dec->phase.ended || dec->phase.finished)
		return 0;
	if (cst_cursor_rest(&dec->cur, pkt, keep)) {
		if (cst_cursor_role(&dec->cur, pkt) == CST_ROLE_BAD)
			cst_log_error(dec->log, CST_LOG_PACKET, dec->flow.emit.tmpl.trace_id,
				      pkt->index, CST_ERR_INCOMPLETE, 0);
		return 1;
	}
	dec->pr->ops.stage_end(dec->stage);
	dec->phase.finished = dec->phase.tail = 1;
	return 0;
}

static int take_packet(struct cst_decoder *dec, struct cst_packet *pkt, int keep)
{
	if (dec->phase.switching)	/* a caller that lists packets has taken no elements */
		apply_config(dec);
	if (!cst_cursor_next(&dec->cur, pkt, keep) && !finish(dec, pkt, keep))
		return 0;
	/* unsynchronised bytes do not count: their pieces depend on the feeds */
	dec->stats.packets += cst_cursor_role(&dec->cur, pkt) != CST_ROLE_NOT_SYNC;
	if (pkt->finding[0] && dec->log)
		cst_log_packet(dec->log, dec->flow.emit.tmpl.trace_id, pkt, dec->cfg.strict);
	dec->pr->ops.stage_packet(dec->stage, pkt);
	if (dec->cur.next && cst_cursor_role(&dec->cur, pkt) == CST_ROLE_ASYNC) {
		dec->pr->ops.stage_restart(dec->stage, pkt->index);
		cst_cursor_switch(&dec->cur);
		dec->phase.switching = 1;
	}
	return 1;
}

/* Returns why a call returned nothing although no stop occurred. */
static enum cst_stop idle(const struct cst_decoder *dec)
{
	return dec->phase.finished ? CST_STOP_END : CST_STOP_INPUT;
}

int cst_decoder_next_packet(struct cst_decoder *dec, struct cst_packet *out, struct cst_pull *pull)
{
	/* no copy if the caller has room for all members */
	const size_t given = out->struct_size ? out->struct_size : SIZE_FIRST(cst_packet);
	struct cst_packet own, *pkt = given < sizeof(own) ? &own : out;

	if (given < SIZE_FIRST(cst_packet) || given > SIZED_MAX)
		return -CST_ERR_INVAL;
	own.struct_size = 0;
	pull->dec = dec;
	dec->phase.manual = 1;
	if (!dec->cur.listing)
		cst_cursor_listing(&dec->cur);
	/* parsers set only the fields of their packet; listings show others as 0 */
	memset((char *)pkt + sizeof(pkt->struct_size), 0, sizeof(*pkt) - sizeof(pkt->struct_size));
	if (take_packet(dec, pkt, 1)) {
		if (pkt == &own)
			GIVE(cst_packet, out, own);
		pull->why = CST_STOP_PACKET;
		return 1;
	}
	pull->why = dec->phase.tail ? CST_STOP_NONE : idle(dec);
	dec->phase.tail = 0;
	return pull->why == CST_STOP_NONE;
}

size_t cst_decoder_packet_text(const struct cst_decoder *dec, const struct cst_packet *pkt, char *out,
			       size_t cap)
{
	struct cst_packet own;

	pkt = TAKE(cst_packet, pkt, own);
	if (!pkt || !dec->pr->ops.packet_text) {
		if (cap)
			*out = 0;
		return 0;
	}
	return dec->pr->ops.packet_text(pkt, out, cap);
}

enum cst_packet_role cst_decoder_packet_role(const struct cst_decoder *dec, const struct cst_packet *pkt)
{
	return cst_cursor_role(&dec->cur, pkt);
}

/* A check of cfg->checks failed: drops all packets up to the next synchronisation. */
static void give_up(struct cst_decoder *dec)
{
	dec->flow.stop.stopped = 0;
	dec->pr->ops.stage_reset(dec->stage, CST_UNSYNC_BAD_IMAGE, dec->phase.switching);
	cst_flow_reset(&dec->flow);
	dec->stats.resyncs++;
}

int cst_decoder_pull(struct cst_decoder *dec, struct cst_generic *out, size_t cap, struct cst_pull *pull)
{
	const struct protocol *pr = dec->pr;
	struct cst_flow *f = &dec->flow;
	const struct fast fast = { &dec->cur, f, &dec->stats, dec->stage, dec->log };
	const struct cst_element *elem;
	const uint64_t conflicts = dec->stats.image_conflicts;
	struct cst_packet pkt;
	enum cst_stop why;
	size_t n = 0;

	pkt.struct_size = 0;
	if (cap < FLOW_ROOM || cap > INT32_MAX)
		return -CST_ERR_INVAL;
	dec->phase.tail = 0;
	for (;;) {
		if (f->work.busy) {
			cst_flow_run(f, out, &n, cap);
			if (f->stop.stopped == FLOW_MISMATCH)
				give_up(dec);
			if (f->stop.stopped || f->work.busy)
				break;
		}
		elem = pr->ops.stage_take(dec->stage);
		if (elem) {
			cst_flow_give(f, elem);
			continue;
		}
		if (dec->phase.leaving) {
			if (n < cap) {
				dec->phase.leaving = 0;
				if (f->each.open_any)
					cst_flow_close(f, out, &n);
			}
			break;
		}
		if (dec->phase.manual)
			break;
		if (pr->run && !dec->cur.carry_len) {
			enum fast_end end = pr->run(&fast, out, &n, cap);

			if (end == FAST_STAGED)
				continue;
			if (end == FAST_FULL)
				break;
			if (f->stop.stopped == FLOW_MISMATCH) {
				give_up(dec);
				continue;
			}
			if (f->stop.stopped || f->work.busy)
				break;
		}
		if (!take_packet(dec, &pkt, 0)) {
			/* the end of the trace may have committed elements */
			dec->phase.tail = 0;
			elem = pr->ops.stage_take(dec->stage);
			if (!elem)
				break;
			cst_flow_give(f, elem);
		}
	}
	why = f->stop.stopped;
	f->stop.stopped = 0;
	if (!n && why == CST_STOP_NONE)
		why = dec->phase.manual ? CST_STOP_PACKET : idle(dec);
	if (pull)
		*pull = (struct cst_pull){ .why = why, .dec = dec };
	if (why == CST_STOP_CONFIG && dec->phase.switching)
		apply_config(dec);
	dec->stats.elements += n;
	if (f->lasting.more)
		cst_flow_report_over(f);
	if (dec->log && dec->stats.image_conflicts != conflicts)
		cst_flow_report_conflicts(f, out, n);
	return n;
}

int cst_decoder_peek_address(struct cst_decoder *dec, uint64_t *addr)
{
	struct cst_packet pkt;
	struct cursor c;
	unsigned int i;
	int r = dec->pr->queue_address ? dec->pr->queue_address(dec->stage, addr) : 0;

	pkt.struct_size = 0;
	if (r)
		return r > 0;
	if (!dec->flow.need_addr) {
		*addr = dec->flow.addr;
		return 1;
	}
	cst_cursor_copy(&c, &dec->cur, dec->ahead);
	for (i = 0; i < PEEK_PACKETS && cst_cursor_next(&c, &pkt, 0); i++)
		switch (cst_cursor_role(&c, &pkt)) {
		case CST_ROLE_ADDRESS:
		case CST_ROLE_ADDRESS_CONTEXT:
			*addr = pkt.addr;
			return 1;
		case CST_ROLE_CONTEXT:
		case CST_ROLE_TIMESTAMP:
		case CST_ROLE_EVENT:
		case CST_ROLE_ASIDE:
			break;
		default:
			return 0;
		}
	return 0;
}
