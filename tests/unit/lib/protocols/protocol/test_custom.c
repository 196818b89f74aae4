/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_custom.c - a protocol of the caller's own: raw and in frames, beside an ETM, cut anywhere, listed, looked
 * ahead in, set up anew, with findings; and parsers and stages that break the rules.
 *
 * The protocol: messages of a program. A5 5A A5 5A synchronises. 1n: n bytes of text, kept as the payload.
 * 2x: timestamp of x bytes, little endian. 3x: overflow; what follows up to the next synchronisation is void.
 * 4x: two messages in one byte, the second (low nibble) is a packet without a byte of its own. Others are bad.
 */
#include "unit/lib_decode.h"

#include <frames.h>

enum msg_type { MSG_NOT_SYNC, MSG_BAD, MSG_ASYNC, MSG_TEXT, MSG_TIME, MSG_OVERFLOW, MSG_HALF, MSG_TYPES };

static const uint8_t roles[MSG_TYPES] = {
	CST_ROLE_NOT_SYNC, CST_ROLE_BAD, CST_ROLE_ASYNC, CST_ROLE_OTHER, CST_ROLE_TIMESTAMP, CST_ROLE_LOSS,
	CST_ROLE_OTHER
};

static const uint8_t async[4] = { 0xa5, 0x5a, 0xa5, 0x5a };

struct parser {
	uint8_t synced, half, strict;
};

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct parser *ps = parser;

	assert_string_equal(user, "user");
	memset(ps, 0, sizeof(*ps));
	ps->strict = cfg->strict;
}

static void parser_synced(void *parser)
{
	((struct parser *)parser)->synced = 1;
}

static unsigned int unsynced(struct parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	size_t n = 0, left = end - p;

	for (; n < left; n++) {
		size_t len = left - n < 4 ? left - n : 4;

		if (memcmp(p + n, async, len))
			continue;
		if (!n && len < 4)
			return 0;
		if (!n) {
			ps->synced = 1;
			pkt->type = MSG_ASYNC;
			return 4;
		}
		break;
	}
	pkt->type = MSG_NOT_SYNC;
	return n;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct parser *ps = parser;
	unsigned int n, i;

	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	if (ps->half) {
		pkt->type = MSG_HALF;
		pkt->value = ps->half & 15;
		ps->half = 0;
		return CST_PARSE_NO_BYTE;
	}
	if (p == end)
		return 0;
	if (!ps->synced)
		return unsynced(ps, p, end, pkt);
	n = *p & 15;
	switch (*p >> 4) {
	case 1:
	case 2:
		if ((size_t)(end - p) < n + 1)
			return 0;
		pkt->type = *p >> 4 == 1 ? MSG_TEXT : MSG_TIME;
		pkt->value = 0;
		for (i = 0; i < n && i < 8; i++)
			pkt->value |= (uint64_t)p[1 + i] << 8 * i;
		pkt->ts = pkt->value;
		if (n > 8) {
			pkt->finding[0] = CST_FIND_RESERVED_BITS;
			if (ps->strict) {
				ps->synced = 0;
				pkt->type = MSG_BAD;
			}
		}
		return n + 1;
	case 3:
		ps->synced = 0;
		pkt->type = MSG_OVERFLOW;
		return 1;
	case 4:
		pkt->type = MSG_HALF;
		pkt->value = 4;
		ps->half = 0x10 | n;
		return 1;
	case 10:
		if (n != 5)
			break;
		for (i = 1; i < 4; i++) {
			if (p + i == end)
				return 0;
			if (p[i] != async[i])
				break;
		}
		if (i == 4) {
			pkt->type = MSG_ASYNC;
			return 4;
		}
		break;
	}
	ps->synced = 0;
	pkt->type = MSG_BAD;
	return 1;
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct parser *ps = parser;

	assert_true(p <= end);
	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	pkt->type = ps->synced ? MSG_BAD : MSG_NOT_SYNC;
	ps->synced = 0;
}

static size_t packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	static const char *const names[] = { "NOT_SYNC", "BAD", "ASYNC", "TEXT", "TIME", "OVERFLOW", "HALF" };

	return snprintf(out, cap, "%s", names[pkt->type]);
}

struct stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_generic gen;
	struct cst_element el[3];
	unsigned int n, taken;
	uint8_t started, reason, config, void_until_sync;
};

static int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	struct stage *s = stage;

	assert_string_equal(user, "user");
	s->cfg = cfg;
	s->stats = stats;
	s->reason = CST_UNSYNC_INIT;
	s->void_until_sync = 1;
	return 0;
}

static void stage_fini(void *stage)
{
	assert_non_null(((struct stage *)stage)->cfg);
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	struct stage *s = stage;

	s->n = s->taken = s->started = 0;
	s->reason = reason;
	s->config = config;
	s->void_until_sync = 1;
}

static struct cst_element *push(struct stage *s, enum cst_element_kind kind, uint64_t index)
{
	struct cst_element *e = &s->el[s->n++];

	assert_true(s->n <= 3);
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->index = index;
	return e;
}

static void no_sync(struct stage *s, uint64_t index, unsigned int reason, int error, unsigned int flags)
{
	struct cst_element *e = push(s, CST_EL_NO_SYNC, index);

	e->num = reason;
	e->value = (unsigned int)error;
	e->flags = flags;
}

static void stage_restart(void *stage, uint64_t index)
{
	struct stage *s = stage;

	s->n = s->taken = 0;
	no_sync(s, index, CST_UNSYNC_RESET, 0, CST_EL_F_CONFIG);
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	struct stage *s = stage;
	struct cst_element *e;

	s->n = s->taken = 0;
	if (!s->started) {
		s->started = 1;
		no_sync(s, pkt->index, s->reason, 0, s->config ? CST_EL_F_CONFIG : 0);
		s->config = 0;
	}
	switch (pkt->type) {
	case MSG_ASYNC:
		s->void_until_sync = 0;
		break;
	case MSG_BAD:
		s->stats->bad_packets++;
		no_sync(s, pkt->index, CST_UNSYNC_BAD_PACKET, CST_ERR_BAD_HEADER, CST_EL_F_DOUBTFUL);
		s->void_until_sync = 1;
		break;
	case MSG_OVERFLOW:
		s->stats->overflows++;
		no_sync(s, pkt->index, CST_UNSYNC_OVERFLOW, 0, CST_EL_F_DOUBTFUL);
		s->void_until_sync = 1;
		break;
	case MSG_NOT_SYNC:
		s->stats->unsynced += pkt->size;
		break;
	case MSG_TIME:
		e = push(s, CST_EL_TIMESTAMP, pkt->index);
		e->value = pkt->ts;
		break;
	default:
		memset(&s->gen, 0, sizeof(s->gen));
		s->gen.kind = CST_GEN_CUSTOM;
		s->gen.payload = pkt->value;
		s->gen.num = pkt->type;
		e = push(s, CST_EL_READY, pkt->index);
		e->ready = &s->gen;
	}
}

static void stage_end(void *stage)
{
	struct stage *s = stage;

	s->n = s->taken = 0;
	push(s, CST_EL_END, 0)->num = CST_UNSYNC_END;
}

static const struct cst_element *stage_take(void *stage)
{
	struct stage *s = stage;

	return s->taken < s->n ? &s->el[s->taken++] : NULL;
}

static const struct cst_protocol_ops ops = {
	.name = "messages", .parser_size = sizeof(struct parser), .max_packet = 16, .sub_byte = 1,
	.parser_init = parser_init, .parse = parse, .parse_rest = parse_rest, .parser_synced = parser_synced,
	.roles = roles, .n_types = MSG_TYPES, .packet_text = packet_text, .stage_size = sizeof(struct stage),
	.stage_init = stage_init, .stage_fini = stage_fini, .stage_reset = stage_reset,
	.stage_restart = stage_restart, .stage_packet = stage_packet, .stage_end = stage_end,
	.stage_take = stage_take,
};

static struct cst_config custom_config(uint8_t id)
{
	struct cst_config cfg = { .protocol = CST_PROTO_CUSTOM, .trace_id = id };

	return cfg;
}

/* ---- decoding ------------------------------------------------------------------------------------ */

static const uint8_t message[] = {
	0x77, 0x5a, 0xa5, 0x5a, 0xa5, 0x5a,		/* 0: two bytes of something else */
	0x13, 'a', 'b', 'c',				/* 6 */
	0x22, 0x34, 0x12,				/* 10 */
	0x47,						/* 13: two messages */
	0x10,						/* 14: an empty one */
	0x30, 0xee, 0xee,				/* 15: overflow, 2 void bytes */
	0xa5, 0x5a, 0xa5, 0x5a,				/* 18 */
	0x29, 1, 0, 0, 0, 0, 0, 0, 0, 9,		/* 22: too long a timestamp */
	0x99, 0xee,					/* 32: bad, a void byte */
	0xa5, 0x5a, 0xa5, 0x5a,				/* 34 */
	0x12, 'x', 'y',					/* 38 */
	0x12, 'z',					/* 41: cut */
};

static const struct {
	uint8_t kind, num;
	uint64_t index, value;
} wanted[] = {
	{ CST_GEN_NO_SYNC, CST_UNSYNC_INIT, 0, 0 },
	{ CST_GEN_CUSTOM, MSG_TEXT, 6, 0x636261 },
	{ CST_GEN_TIMESTAMP, 0, 10, 0x1234 },
	{ CST_GEN_CUSTOM, MSG_HALF, 13, 4 },
	{ CST_GEN_CUSTOM, MSG_HALF, 14, 7 },
	{ CST_GEN_CUSTOM, MSG_TEXT, 14, 0 },
	{ CST_GEN_NO_SYNC, CST_UNSYNC_OVERFLOW, 15, 0 },
	{ CST_GEN_TIMESTAMP, 0, 22, 1 },
	{ CST_GEN_NO_SYNC, CST_UNSYNC_BAD_PACKET, 32, 0 },
	{ CST_GEN_CUSTOM, MSG_TEXT, 38, 0x7978 },
	{ CST_GEN_NO_SYNC, CST_UNSYNC_BAD_PACKET, 41, 0 },
	{ CST_GEN_EO_TRACE, CST_UNSYNC_END, 0, 0 },
};
#define WANTED (sizeof(wanted) / sizeof(wanted[0]))

static void check(const struct cst_generic *g, unsigned int i, int raw)
{
	assert_true(i < WANTED);
	assert_int_equal(g->kind, wanted[i].kind);
	if (g->kind != CST_GEN_TIMESTAMP)
		assert_int_equal(g->num, wanted[i].num);
	if (raw)
		assert_int_equal(g->index, wanted[i].index);
	if (g->kind == CST_GEN_CUSTOM || g->kind == CST_GEN_TIMESTAMP)
		assert_int_equal(g->addr, wanted[i].value);
	assert_int_equal(g->trace_id, 0x33);
}

static void test_raw(void **state)
{
	struct cst_config cfg = custom_config(0x33);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_tree *tree;
	struct cst_pull p;
	struct cst_log *log;
	unsigned int piece, i;
	size_t at, len;
	int n, k;

	(void)state;
	for (piece = 1; piece < 50; piece++) {
		assert_int_equal(cst_log_new(&log, 4), 0);
		assert_int_equal(cst_tree_new(&tree, CST_TREE_RAW, 0), 0);
		cst_tree_set_log(tree, log);
		assert_int_equal(cst_tree_add_custom(tree, &cfg, &ops, "user", &dec), 0);
		i = 0;
		for (at = 0; at <= sizeof(message); at += len) {
			len = sizeof(message) - at < piece ? sizeof(message) - at : piece;
			if (len)
				assert_int_equal(cst_tree_feed(tree, message + at, len, at), 0);
			else
				cst_tree_end(tree);
			while ((n = cst_tree_pull(tree, out, 16, &p))) {
				assert_ptr_equal(p.dec, dec);
				for (k = 0; k < n; k++)
					check(&out[k], i++, 1);
			}
			if (!len)
				break;
		}
		assert_int_equal(i, WANTED);
		assert_int_equal(cst_log_count_finding(log, 0x33, CST_FIND_RESERVED_BITS), 1);
		assert_int_equal(cst_log_count_finding(log, 0x33, CST_FIND_OVERFLOW), 1);
		assert_int_equal(cst_log_count_error(log, 0x33, CST_ERR_BAD_HEADER), 2);
		assert_int_equal(cst_decoder_stats(dec)->bytes, sizeof(message));
		assert_int_equal(cst_decoder_stats(dec)->unsynced, 5);
		cst_tree_free(tree);
		cst_log_free(log);
	}
}

/* Beside an ETM, in frames; both say what they say alone. */
static void test_frames(void **state)
{
	static const uint8_t etm[] = { SYNC, 0x71, 0xf7, 0x72, 0xf7 };
	struct cst_config cfg = custom_config(0x33), etm_cfg = etm_config(3, 0);
	struct frames_opts o = { .seed = 5, .p_null = 100 };
	unsigned int seed, i, events;
	struct cst_decoder *dec, *other;
	struct cst_pull p;
	struct gbuf buf = { 0 };
	struct cst_generic out[16];
	struct cst_tree *tree;
	struct frames f;
	size_t at, len;
	int n, k, end;

	(void)state;
	for (seed = 1; seed < 40; seed++) {
		o.seed = seed;
		buf.len = 0;
		frames_init(&f, &o, &buf);
		for (at = 0; at < sizeof(message); at += len) {
			len = 1 + (at * seed) % 7;
			len = len < sizeof(message) - at ? len : sizeof(message) - at;
			frames_put(&f, 0x33, message + at, len);
			if (at / 4 < sizeof(etm))
				frames_put(&f, 0x10, etm + at / 4, 1);
		}
		frames_flush(&f);
		assert_int_equal(cst_tree_new(&tree, CST_TREE_FRAMES, 0), 0);
		assert_int_equal(cst_tree_add_custom(tree, &cfg, &ops, "user", &dec), 0);
		assert_int_equal(cst_tree_add_custom(tree, &cfg, &ops, "user", &other), -CST_ERR_INVAL);
		assert_int_equal(cst_tree_add(tree, &etm_cfg, &other), 0);
		assert_int_equal(cst_tree_feed(tree, buf.p, buf.len, 0), 0);
		for (i = events = end = 0; end < 2; end++) {
			while ((n = cst_tree_pull(tree, out, 16, &p)))
				for (k = 0; k < n; k++)
					if (p.dec == dec)
						check(&out[k], i++, 0);
					else
						events += out[k].kind == CST_GEN_NO_SYNC;
			cst_tree_end(tree);
		}
		assert_int_equal(i, WANTED);
		assert_int_equal(events, 1);
		cst_tree_free(tree);
	}
	gbuf_free(&buf);
}

static void test_listing(void **state)
{
	static const uint8_t types[] = {
		MSG_NOT_SYNC, MSG_ASYNC, MSG_TEXT, MSG_TIME, MSG_HALF, MSG_HALF, MSG_TEXT, MSG_OVERFLOW, MSG_NOT_SYNC,
		MSG_ASYNC, MSG_TIME, MSG_BAD, MSG_NOT_SYNC, MSG_ASYNC, MSG_TEXT, MSG_BAD
	};
	struct cst_config cfg = custom_config(0x33);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	unsigned int i = 0, bytes = 0, end;
	char text[16];

	(void)state;
	assert_int_equal(cst_decoder_new_custom(&dec, &cfg, &ops, "user"), 0);
	assert_int_equal(cst_decoder_feed(dec, message, sizeof(message), 0), 0);
	for (end = 0; end < 2; end++) {
		while (cst_decoder_next_packet(dec, &pkt, &p) && p.why == CST_STOP_PACKET) {
			assert_true(i < sizeof(types));
			assert_int_equal(pkt.type, types[i]);
			assert_int_equal(cst_decoder_packet_role(dec, &pkt), roles[pkt.type]);
			assert_true(cst_decoder_packet_text(dec, &pkt, text, sizeof(text)) > 2);
			bytes += pkt.size;
			i++;
			while (cst_decoder_pull(dec, out, 16, NULL))
				;
		}
		cst_decoder_end(dec);
	}
	assert_int_equal(i, sizeof(types));
	assert_int_equal(bytes, sizeof(message));
	cst_decoder_free(dec);
}

/* Another configuration from the next synchronisation on; the strict one takes the long timestamp for bad. */
static void test_reconfigure(void **state)
{
	struct cst_config cfg = custom_config(0x33), next = cfg, etm = etm_config(3, 0);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_pull p;
	unsigned int stops = 0;
	int n;

	(void)state;
	next.strict = 1;
	assert_int_equal(cst_decoder_new(&dec, &cfg), -CST_ERR_PROTOCOL);
	assert_int_equal(cst_decoder_new_custom(&dec, &cfg, &ops, "user"), 0);
	assert_int_equal(cst_decoder_feed(dec, message, 14, 0), 0);
	while (cst_decoder_pull(dec, out, 16, NULL))
		;
	assert_int_equal(cst_decoder_reconfigure(dec, &etm), -CST_ERR_PROTOCOL);
	assert_int_equal(cst_decoder_reconfigure(dec, &next), 0);
	assert_int_equal(cst_decoder_feed(dec, message + 14, sizeof(message) - 14, 14), 0);
	while ((n = cst_decoder_pull(dec, out, 16, &p)))
		if (p.why == CST_STOP_CONFIG) {
			stops++;
			assert_int_equal(out[n - 1].kind, CST_GEN_NO_SYNC);
			assert_int_equal(out[n - 1].index, 18);
			assert_int_equal(cst_decoder_config(dec)->strict, 1);
		}
	assert_int_equal(stops, 1);
	assert_int_equal(cst_decoder_stats(dec)->bad_packets, 1);
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, message, 10, 0), 0);
	n = cst_decoder_pull(dec, out, 16, NULL);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	cst_decoder_free(dec);
}

/* ---- who breaks the rules ------------------------------------------------------------------------ */

static void test_missing(void **state)
{
	struct cst_config cfg = custom_config(0x33);
	struct cst_protocol_ops o = { 0 };
	struct cst_decoder *dec;
	unsigned int i;

	(void)state;
	for (i = 0; i < 17; i++) {
		o = ops;
		switch (i) {
		case 0: o.parser_size = 0; break;
		case 1: o.stage_size = 0; break;
		case 2: o.max_packet = 0; break;
		case 3: o.max_packet = CST_MAX_PACKET + 1; break;
		case 4: o.parser_init = NULL; break;
		case 5: o.parse = NULL; break;
		case 6: o.parse_rest = NULL; break;
		case 7: o.parser_synced = NULL; break;
		case 8: o.roles = NULL; break;
		case 9: o.stage_init = NULL; break;
		case 10: o.stage_fini = NULL; break;
		case 11: o.stage_reset = NULL; break;
		case 12: o.stage_restart = NULL; break;
		case 13: o.stage_packet = NULL; break;
		case 14: o.stage_end = NULL; break;
		case 15: o.piece_max = CST_MAX_PACKET + 1; break;
		default: o.stage_take = NULL;
		}
		assert_int_equal(cst_decoder_new_custom(&dec, &cfg, &o, "user"), -CST_ERR_INVAL);
	}
	o = ops;
	o.packet_text = NULL;
	assert_int_equal(cst_decoder_new_custom(&dec, &cfg, &o, "user"), 0);
	{
		struct cst_packet pkt = { .type = MSG_BAD };
		char text[4] = "abc";

		assert_int_equal(cst_decoder_packet_text(dec, &pkt, text, sizeof(text)), 0);
		assert_string_equal(text, "");
	}
	cst_decoder_free(dec);
}

/* A listed piece of unsynchronised bytes that the first feed cut goes on in the second one, as far as it may. */
static void test_long_piece(void **state)
{
	static const uint8_t first[] = { 0xa5 };	/* an A-sync begins so */
	struct cst_config cfg = custom_config(0x33);
	struct cst_protocol_ops o = ops;
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	uint8_t more[300];
	uint64_t at = 0;

	(void)state;
	memset(more, 0x77, sizeof(more));
	o.sub_byte = 0;
	o.piece_by_run = 1;
	o.piece_max = CST_MAX_PACKET;
	assert_int_equal(cst_decoder_new_custom(&dec, &cfg, &o, "user"), 0);
	assert_int_equal(cst_decoder_feed(dec, first, sizeof(first), 0), 0);
	assert_int_equal(cst_decoder_next_packet(dec, &pkt, &p), 0);
	assert_int_equal(cst_decoder_feed(dec, more, sizeof(more), 1), 0);
	while (cst_decoder_next_packet(dec, &pkt, &p)) {
		assert_int_equal(pkt.type, MSG_NOT_SYNC);
		assert_int_equal(pkt.index, at);
		if (!at)
			assert_int_equal(pkt.size, CST_MAX_PACKET);
		at += pkt.size;
	}
	assert_int_equal(at, sizeof(first) + sizeof(more));
	cst_decoder_free(dec);
}

static unsigned int mode;

static unsigned int hostile_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	(void)parser;
	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	pkt->type = mode == 4 ? 200 : MSG_TEXT;
	switch (mode) {
	case 0:
		return 0;
	case 1:
		return (unsigned int)(end - p) + 1;
	case 2:
		return CST_PARSE_NO_BYTE;
	case 3:
		return 0x7fffffff;
	default:
		return p < end;
	}
}

static const struct cst_element *hostile_take(void *stage)
{
	struct stage *s = stage;
	static struct cst_element e;

	if (s->taken++ >= s->n)
		return NULL;
	memset(&e, 0, sizeof(e));
	e.kind = mode == 5 ? 250 : mode == 6 ? CST_EL_READY : mode == 7 ? CST_EL_FINDING : CST_EL_CONTEXT;
	e.num = 0xffff;
	e.ctx.el = e.ctx.security = e.ctx.flags = 0xff;
	return &e;
}

static void test_hostile(void **state)
{
	struct cst_config cfg = custom_config(0x33);
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_protocol_ops o = { 0 };
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	struct cst_log *log;
	uint8_t in[300] = { 0 };
	unsigned int sub, list, rounds;
	size_t at;

	(void)state;
	for (mode = 0; mode < 9; mode++)
		for (sub = 0; sub < 2; sub++)
			for (list = 0; list < 2; list++) {
				o = ops;
				o.sub_byte = sub;
				o.parse = hostile_parse;
				if (mode > 4)
					o.stage_take = hostile_take;
				assert_int_equal(cst_log_new(&log, 2), 0);
				assert_int_equal(cst_decoder_new_custom(&dec, &cfg, &o, "user"), 0);
				cst_decoder_set_log(dec, log);
				for (at = 0; at < sizeof(in); at += 100) {
					assert_int_equal(cst_decoder_feed(dec, in, 100, at), 0);
					for (rounds = 0; list && cst_decoder_next_packet(dec, &pkt, &p); rounds++) {
						if (rounds >= 1000) fail_msg("mode %u sub %u list %u", mode, sub, list);
						cst_decoder_packet_role(dec, &pkt);
						while (cst_decoder_pull(dec, out, 16, NULL))
							;
					}
					for (rounds = 0; !list && cst_decoder_pull(dec, out, 16, NULL); rounds++)
						if (rounds >= 1000) fail_msg("mode %u sub %u list %u", mode, sub, list);
				}
				cst_decoder_end(dec);
				for (rounds = 0; !list && cst_decoder_pull(dec, out, 16, NULL); rounds++)
					assert_true(rounds < 1000);
				assert_int_equal(cst_decoder_stats(dec)->bytes, sizeof(in));
				cst_decoder_free(dec);
				cst_log_free(log);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_listing),
		cmocka_unit_test(test_reconfigure),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_long_piece),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
