/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - a protocol of the caller's own, and a buffer that has some. It has beats: a byte below 0x80 is a beat, 0xff
 * synchronises, anything else is bad.
 */
#include <stdio.h>
#include <string.h>
#include <cstrace/cstrace.h>

/* ---- bytes to packets ---- */

enum { BEAT_NOT_SYNC, BEAT_BAD, BEAT_SYNC, BEAT, BEAT_TYPES };

static const uint8_t roles[BEAT_TYPES] = { CST_ROLE_NOT_SYNC, CST_ROLE_BAD, CST_ROLE_ASYNC, CST_ROLE_OTHER };

struct parser { uint8_t synced; };
static void parser_init(void *ps, const struct cst_config *cfg, void *user)
{
	memset(ps, 0, sizeof(struct parser));
	(void)cfg;
	(void)user;
}

static void parser_synced(void *ps) { ((struct parser *)ps)->synced = 1; }

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct parser *ps = (struct parser *)parser;

	if (p == end)
		return 0;
	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->value = *p;
	ps->synced |= *p == 0xff;
	pkt->type = *p == 0xff ? BEAT_SYNC : !ps->synced ? BEAT_NOT_SYNC : *p < 0x80 ? BEAT : BEAT_BAD;
	ps->synced &= pkt->type != BEAT_BAD;
	return 1;
}

static void parse_rest(void *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	parse(ps, p, end, pkt);
}

/* ---- packets to elements ---- */

struct stage { struct cst_element el; struct cst_generic out; uint8_t ready, reason, reported; };

static void emit(struct stage *s, enum cst_element_kind kind, uint64_t index, uint16_t num)
{
	memset(&s->el, 0, sizeof(s->el));
	s->el.kind = (uint8_t)kind;
	s->el.index = index;
	s->el.num = num;
	s->ready = 1;
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	memset(stage, 0, sizeof(struct stage));
	((struct stage *)stage)->reason = reason;
	(void)config;
}

static int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	stage_reset(stage, CST_UNSYNC_INIT, 0);
	(void)cfg;
	(void)stats;
	(void)user;
	return 0;
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	struct stage *s = (struct stage *)stage;

	if (pkt->type == BEAT) {
		memset(&s->out, 0, sizeof(s->out));
		s->out.kind = CST_GEN_CUSTOM;
		s->out.index = pkt->index;
		s->out.payload = pkt->value;
		emit(s, CST_EL_READY, pkt->index, 0);
		s->el.ready = &s->out;
	} else if (pkt->type == BEAT_BAD || !s->reported) {
		emit(s, CST_EL_NO_SYNC, pkt->index, pkt->type == BEAT_BAD ? (uint16_t)CST_UNSYNC_BAD_PACKET : s->reason);
		s->reported = 1;
	}
}

static void stage_end(void *s) { emit((struct stage *)s, CST_EL_END, 0, CST_UNSYNC_END); }
static void stage_restart(void *s, uint64_t index) { emit((struct stage *)s, CST_EL_NO_SYNC, index, CST_UNSYNC_RESET); }
static void stage_fini(void *s) { (void)s; }
static const struct cst_element *stage_take(void *stage)
{
	struct stage *s = (struct stage *)stage;

	return s->ready ? s->ready = 0, &s->el : NULL;
}

/* ---- the protocol, in use ---- */

static void describe(struct cst_protocol_ops *beats)
{
	memset(beats, 0, sizeof(*beats));
	beats->name = "beats";
	beats->parser_size = sizeof(struct parser);
	beats->max_packet = 1;
	beats->parser_init = parser_init;
	beats->parse = parse;
	beats->parse_rest = parse_rest;
	beats->parser_synced = parser_synced;
	beats->roles = roles;
	beats->n_types = BEAT_TYPES;
	beats->stage_size = sizeof(struct stage);
	beats->stage_init = stage_init;
	beats->stage_fini = stage_fini;
	beats->stage_reset = stage_reset;
	beats->stage_restart = stage_restart;
	beats->stage_packet = stage_packet;
	beats->stage_end = stage_end;
	beats->stage_take = stage_take;
}

/* Two frames, and between them a barrier, where the trace starts anew. */
static const uint8_t trace[] = {
	0x67, 0x33, 0xfe, 0x01, 0x02, 0x90, 0x04, 0xff, 0x06, 0x07, 0x01, 0x00, 0x00, 0x00, 0x00, 0x02,
	0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
	0x67, 0xff, 0x02, 0x03, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};

static void show(const struct cst_generic *g)
{
	if (g->kind == CST_GEN_CUSTOM)
		printf("%d: beat %d\n", (int)g->index, (int)g->payload);
	else
		printf("%d: %s\n", (int)g->index, g->kind == CST_GEN_NO_SYNC ? "no sync" :
		       g->kind == CST_GEN_BARRIER ? "barrier" : "end");
}

int main(void)
{
	struct cst_protocol_ops beats;
	struct cst_generic g[16];
	struct cst_decoder *dec;
	struct cst_tree *tree;
	struct cst_config cfg;
	int n, i;

	memset(&cfg, 0, sizeof(cfg));
	cfg.protocol = CST_PROTO_CUSTOM;
	cfg.trace_id = 0x33;
	describe(&beats);
	if (cst_tree_new(&tree, CST_TREE_FRAMES, CST_FRAME_RESET_4X) ||
	    cst_tree_add_custom(tree, &cfg, &beats, NULL, &dec) ||
	    cst_tree_feed(tree, trace, sizeof(trace), 0))
		return 1;
	cst_tree_end(tree);	/* there is no more to feed */
	while ((n = cst_tree_pull(tree, g, 16, NULL)) > 0)
		for (i = 0; i < n; i++)
			show(&g[i]);
	cst_tree_free(tree);
	return n < 0;
}
