/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_cuts.c - packets and elements of a stream in frames do not depend on where the input is cut, nor do their
 * indices: every protocol of the library, and one of the caller's, whose packets are told to be bad only when more
 * bytes have come than the bad packet has. Streams are anything, with synchronisation in between. The other trace
 * IDs of the frames lie between any two bytes, so that neighbours are not at consecutive offsets.
 */
#include "unit/lib/custom_stage.h"
#include "unit/lib_decode.h"

#include <frames.h>

enum { SEEDS = 120, STREAM = 400, MAX_OUT = 4096, ID = 0x10, OTHER = 0x22 };

/* ---- a protocol of the caller's own: a byte says how many follow, and a bad one is found at the last ------------ */

struct parser {
	uint8_t nothing;
};

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	(void)parser, (void)cfg, (void)user;
}

static void parser_synced(void *parser)
{
	(void)parser;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	unsigned int n;

	(void)parser;
	if (p == end)
		return 0;
	n = 1 + *p % 16;
	if ((size_t)(end - p) < n)
		return 0;
	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	pkt->type = 0;
	pkt->value = p[n - 1];
	return p[n - 1] % 4 ? n : n / 2 + 1;
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	(void)parser, (void)p, (void)end;
	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	pkt->type = 0;
	pkt->value = 0;
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	struct stage *s = stage;

	memset(s, 0, sizeof(*s));
	s->gen.kind = CST_GEN_CUSTOM;
	s->gen.addr = pkt->value;
	s->gen.index = pkt->index;
	s->el.kind = CST_EL_READY;
	s->el.index = pkt->index;
	s->el.ready = &s->gen;
	s->ready = 1;
}

static const uint8_t roles[1] = { CST_ROLE_OTHER };

static const struct cst_protocol_ops ops = {
	.name = "counted", .parser_size = sizeof(struct parser), .max_packet = 16, .parser_init = parser_init,
	.parse = parse, .parse_rest = parse_rest, .parser_synced = parser_synced, .roles = roles, .n_types = 1,
	CUSTOM_STAGE, .stage_take = stage_take,
};

/* ---- streams ---------------------------------------------------------------------------------------------------- */

static const uint8_t etm_async[] = { ASYNC, 0x01, 0x00 };
static const uint8_t ete_async[] = { ASYNC, 0x01, 0x00 };
static const uint8_t v3_async[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x10, 0x00, 0x00, 0x21 };
static const uint8_t stm_async[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xf0, 0x00, 0x43 };
static const uint8_t itm_async[] = { 0, 0, 0, 0, 0, 0x80 };

static const struct unit {
	const char *name;
	const uint8_t *async;
	size_t async_len;
} units[] = {
	{ "ETMv4", etm_async, sizeof(etm_async) }, { "ETE", ete_async, sizeof(ete_async) },
	{ "ETMv4 data", etm_async, sizeof(etm_async) }, { "ETMv3", v3_async, sizeof(v3_async) },
	{ "PTM", v3_async, sizeof(v3_async) }, { "STM", stm_async, sizeof(stm_async) },
	{ "ITM", itm_async, sizeof(itm_async) }, { "custom", itm_async, 0 },
};

static struct cst_config config_of(unsigned int unit)
{
	struct cst_etmv4_regs v4 = {
		.traceidr = ID, .idr0 = 3 << 3 | 3 << 1, .idr1 = 0x430, .idr2 = 4 | 4 << 5, .configr = 3 << 16 | 3 << 1,
	};
	struct cst_etmv3_regs v3 = { .cr = 0x1000,
				     .idr = unit == 4 ? 0x410cf310 : 0x410cf250,
				     .traceidr = ID };
	struct cst_config cfg = { .protocol = CST_PROTO_CUSTOM, .trace_id = ID };

	switch (unit) {
	case 0:
		return etm_config(4, 0);
	case 1:
		return ete_config(3, 0);
	case 2:
		assert_int_equal(cst_config_etmv4_data(&cfg, &v4, CST_PROFILE_R), 0);
		break;
	case 3:
		assert_int_equal(cst_config_etmv3(&cfg, &v3, CST_PROFILE_A), 0);
		break;
	case 4:
		assert_int_equal(cst_config_ptm(&cfg, &v3), 0);
		break;
	case 5:
		assert_int_equal(cst_config_stm(&cfg, &(struct cst_stm_regs){ .tcsr = ID << 16 }), 0);
		break;
	case 6:
		assert_int_equal(cst_config_itm(&cfg, &(struct cst_itm_regs){ .tcr = ID << 16 }),
				 0);
		break;
	default:
		break;
	}
	return cfg;
}

/* Anything, synchronisation, parts of it, and runs of zeros. */
static size_t make_stream(const struct unit *u, struct rng *rng, uint8_t *p)
{
	size_t n = 0, k, len;

	while (n < STREAM) {
		unsigned int what = rng_below(rng, 8);

		if (what < 3 && u->async_len) {
			len = what ? u->async_len : rng_below(rng, (uint32_t)u->async_len);
			memcpy(p + n, u->async, len);
			n += len;
		} else {
			len = 1 + rng_below(rng, 12);
			for (k = 0; k < len; k++)
				p[n++] = what == 3 ? 0 : (uint8_t)rng_below(rng, 256);
		}
	}
	return n;
}

/* In frames, a byte or a few at a time between those of another ID. */
static void make_frames(const uint8_t *p, size_t n, struct rng *rng, uint64_t seed, struct gbuf *out)
{
	static const uint8_t other[4] = { 1, 2, 3, 4 };
	struct frames_opts o = { .seed = seed, .p_null = 50 };
	struct frames f;
	size_t at, k;

	frames_init(&f, &o, out);
	for (at = 0; at < n; at += k) {
		k = 1 + rng_below(rng, 5);
		k = k < n - at ? k : n - at;
		frames_put(&f, ID, p + at, k);
		if (rng_below(rng, 2))
			frames_put(&f, OTHER, other, 1 + rng_below(rng, 4));
	}
	frames_flush(&f);
}

/* ---- both ways -------------------------------------------------------------------------------------------------- */

struct result {
	struct {
		uint64_t index, value;
		uint16_t kind, size;
	} item[MAX_OUT];
	unsigned int n;
};

static void put(struct result *r, uint64_t index, uint64_t value, unsigned int kind, unsigned int size)
{
	assert_true(r->n < MAX_OUT);
	r->item[r->n].index = index;
	r->item[r->n].value = value;
	r->item[r->n].kind = (uint16_t)kind;
	r->item[r->n++].size = (uint16_t)size;
}

static void take(struct cst_tree *t, int listing, int end, struct result *r)
{
	struct cst_generic out[64];
	enum cst_packet_role role;
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	int n, k;

	while (!listing || cst_tree_next_packet(t, &pkt, &p)) {
		/*
		 * Unsynchronised bytes are as many packets as there are pieces, and zeros may be theirs, an A-sync's, or a
		 * cut packet's at the end.
		 */
		role = listing && !end && p.why == CST_STOP_PACKET ? cst_decoder_packet_role(p.dec, &pkt) : CST_ROLE_NOT_SYNC;
		/* of an ETMv3 and a PTM a piece is where it says, in one frame; zeros may be the rest of an A-sync */
		if (listing && !end && p.why == CST_STOP_PACKET && !memchr(pkt.bytes, 0, pkt.nbytes) &&
		    ((pkt.protocol == CST_PROTO_ETMV3 && pkt.type == CST_ETMV3_PKT_NOT_SYNC) ||
		     (pkt.protocol == CST_PROTO_PTM && pkt.type == CST_PTM_PKT_NOT_SYNC)))
			assert_true(pkt.index % 16 + pkt.size <= 16);
		if (role != CST_ROLE_NOT_SYNC && role != CST_ROLE_ASYNC)
			put(r, pkt.index, 0, pkt.type, pkt.size);
		while ((n = cst_tree_pull(t, out, 64, NULL)))
			for (k = 0; k < n; k++)
				/* the last packet is where the end is; of unsynchronised bytes that is a piece */
				put(r, out[k].kind == CST_GEN_EO_TRACE ? 0 : out[k].index, out[k].addr, 0x100 + out[k].kind, 0);
		if (!listing)
			return;
	}
}

static void run(const struct cst_config *cfg, const struct gbuf *in, size_t piece, int listing, struct result *r)
{
	struct cst_decoder *dec;
	struct cst_tree *t;
	size_t at, n;

	r->n = 0;
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	if (cfg->protocol == CST_PROTO_CUSTOM)
		assert_int_equal(cst_tree_add_custom(t, cfg, &ops, NULL, &dec), 0);
	else
		assert_int_equal(cst_tree_add(t, cfg, &dec), 0);
	for (at = 0; at < in->len; at += n) {
		n = piece < in->len - at ? piece : in->len - at;
		assert_int_equal(cst_tree_feed(t, in->p + at, n, at), 0);
		take(t, listing, 0, r);
	}
	cst_tree_end(t);
	take(t, listing, 1, r);
	cst_tree_free(t);
}

static void compare(const char *name, uint64_t seed, size_t piece, const struct result *a, const struct result *b)
{
	unsigned int i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (memcmp(&a->item[i], &b->item[i], sizeof(a->item[i])))
			fail_msg("%s, seed %u, pieces of %zu: %u. is 0x%x at %u, whole 0x%x at %u", name,
				 (unsigned int)seed, piece, i, b->item[i].kind, (unsigned int)b->item[i].index,
				 a->item[i].kind, (unsigned int)a->item[i].index);
	assert_int_equal(a->n, b->n);
}

static void test_cuts(void **state)
{
	static const size_t pieces[] = { 1, 16, 48, 5 };
	static struct result whole, cut;
	uint8_t stream[STREAM + 64];
	unsigned int u, k, listing;
	struct gbuf in = { 0 };
	struct rng rng;
	uint64_t seed;
	size_t n;

	(void)state;
	for (u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
		struct cst_config cfg = config_of(u);

		for (seed = 1; seed <= SEEDS; seed++) {
			rng_seed(&rng, seed);
			n = make_stream(&units[u], &rng, stream);
			in.len = 0;
			make_frames(stream, n, &rng, seed, &in);
			for (listing = 0; listing < 2; listing++) {
				run(&cfg, &in, in.len, (int)listing, &whole);
				for (k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++) {
					run(&cfg, &in, pieces[k], (int)listing, &cut);
					compare(units[u].name, seed, pieces[k], &whole, &cut);
				}
			}
		}
	}
	gbuf_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
