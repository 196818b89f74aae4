/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_custom.c - a custom protocol whose bytes are elements of any kind with any fields, raw and in frames: what
 * comes out does not depend on how the input is cut, nothing is read or written out of bounds, statistics and log
 * agree. Its parser also lies about sizes.
 *
 * Input: choices (1), protocol settings (1), packets: a header, and fields as far as they are wanted.
 */
#include "fuzz/fuzz_input.h"
#include "unit/lib/custom_stage.h"

#define MAX_IN 1024
#define MAX_OUT (MAX_IN * 80)
#define ID 0x21

/* b.eq +8; nop; bl -8; ret */
static const uint8_t code[16] = {
	0x40, 0x00, 0x00, 0x54, 0x1f, 0x20, 0x03, 0xd5, 0xfe, 0xff, 0xff, 0x97, 0xc0, 0x03, 0x5f, 0xd6
};

enum { SIZE_MASK = 15, LIE = 0x10, PAIR = 0x20 };	/* header: fields, a false size, a second packet in this byte */

struct parser {
	uint8_t half, lies;
};

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct parser *ps = parser;

	(void)user;
	ps->half = 0;
	ps->lies = cfg->strict;
}

static void parser_synced(void *parser)
{
	((struct parser *)parser)->half = 0;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct parser *ps = parser;
	unsigned int n, i;

	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	pkt->cc = 0;
	pkt->value = 0;
	if (ps->half) {
		pkt->type = ps->half >> 6;
		pkt->header = ps->half;
		ps->half = 0;
		return CST_PARSE_NO_BYTE;
	}
	if (p == end)
		return 0;
	n = 1 + (*p & SIZE_MASK);
	if ((size_t)(end - p) < n)
		return 0;
	pkt->header = n > 1 ? p[1] : 0;
	pkt->type = *p >> 6;
	for (i = 2; i < n && i < 10; i++)
		pkt->value |= (uint64_t)p[i] << 8 * (i - 2);
	for (; i < n; i++)
		pkt->cc = pkt->cc << 8 | p[i];
	if (*p & LIE && ps->lies)
		return *p & PAIR ? 0x7fffffff : CST_PARSE_NO_BYTE - 1;
	if (*p & PAIR)
		ps->half = *p;
	return n;
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	(void)parser;
	CHECK(p <= end);
	pkt->protocol = CST_PROTO_CUSTOM;
	pkt->flags = 0;
	pkt->type = 0;
	pkt->header = 0;
	pkt->value = 0;
	pkt->cc = 0;
}

/* Every field is what the bytes say. */
static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	struct stage *s = stage;
	struct cst_element *e = &s->el;
	uint64_t v = pkt->value;
	uint32_t w = pkt->cc;

	memset(e, 0, sizeof(*e));
	e->index = pkt->index;
	e->kind = pkt->header & 31;
	e->flags = (uint8_t)w;
	e->n = (uint8_t)(w >> 8);
	e->is = pkt->header >> 5;
	e->num = (uint16_t)(w >> 16);
	e->bits = (uint32_t)v;
	e->first_e = (uint32_t)(v >> 8);
	e->addr = w & 1 ? v : v & 0x1fc;	/* mostly where there is code */
	e->cc = w;
	if (e->kind == CST_EL_READY) {
		memset(&s->gen, 0, sizeof(s->gen));
		s->gen.kind = (uint8_t)(v >> 56);
		s->gen.addr = v;
		e->ready = w & 2 ? NULL : &s->gen;
	} else {
		e->value = v & 0xffff;
	}
	e->ctx.context_id = (uint32_t)v;
	e->ctx.vmid = (uint32_t)(v >> 32);
	e->ctx.el = (uint8_t)(v >> 3);
	e->ctx.security = (uint8_t)(v >> 11);
	e->ctx.bits64 = v >> 20 & 3;
	e->ctx.flags = (uint8_t)(v >> 24);
	s->ready = 1;
}

/* Elements CST_EL_FINDING that say NO_CODE, of the run that is going on: they are in the log beside the flow's. */
static uint64_t own_no_code;

static const struct cst_element *take_and_count(void *stage)
{
	const struct cst_element *el = stage_take(stage);

	own_no_code += el && el->kind == CST_EL_FINDING && el->num == CST_FIND_NO_CODE;
	return el;
}

static const uint8_t roles[3] = { CST_ROLE_FLOW, CST_ROLE_ASYNC, CST_ROLE_TIMESTAMP };

static const struct cst_protocol_ops ops = {
	.name = "anything", .parser_size = sizeof(struct parser), .max_packet = 16, .sub_byte = 1,
	.parser_init = parser_init, .parse = parse, .parse_rest = parse_rest, .parser_synced = parser_synced,
	.roles = roles, .n_types = 3,
	CUSTOM_STAGE, .stage_take = take_and_count,
};

struct result {
	struct cst_generic gen[MAX_OUT];
	size_t n;
	struct cst_stats stats;
};

struct setup {
	struct cst_config cfg;
	struct cst_images *images;
	unsigned int raw;
	const uint8_t *data;
	size_t len;
};

static void pull(struct cst_tree *t, struct result *r, size_t cap)
{
	static struct cst_generic out[64];
	struct cst_pull p;
	char text[200];
	int n;

	while ((n = cst_tree_pull(t, out, cap, &p))) {
		CHECK(n > 0 && n <= (int)cap && r->n + n <= MAX_OUT);
		cst_generic_text(&out[n - 1], text, sizeof(text));
		if (!p.dec)
			continue;
		memcpy(&r->gen[r->n], out, n * sizeof(*out));
		r->n += n;
	}
}

static void run(const struct setup *su, size_t cap, uint32_t piece, uint32_t seed, struct cst_log *log,
		struct result *r)
{
	struct cst_decoder *dec;
	struct cst_tree *t;
	size_t at = 0, n;

	r->n = own_no_code = 0;
	CHECK(!cst_tree_new(&t, su->raw ? CST_TREE_RAW : CST_TREE_FRAMES, 0));
	cst_tree_set_log(t, log);
	CHECK(!cst_tree_add_custom(t, &su->cfg, &ops, NULL, &dec));
	cst_decoder_set_images(dec, su->images);
	while (at < su->len) {
		n = 1 + next_random(&seed, piece);
		n = n < su->len - at ? n : su->len - at;
		CHECK(!cst_tree_feed(t, su->data + at, n, at));
		pull(t, r, cap);
		at += n;
	}
	cst_tree_end(t);
	pull(t, r, cap);
	r->stats = *cst_decoder_stats(dec);
	CHECK(r->stats.elements == r->n);
	cst_tree_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result whole, cut;
	struct input in = { data, data + size };
	struct cst_image_key key = { .spaces = CST_MEM_ANY };
	struct cst_section *sec;
	struct cst_space *space;
	struct cst_image *img;
	struct setup su = { .raw = 0 };
	struct cst_log *log;
	uint32_t choices, i;

	choices = take8(&in);
	su.cfg.protocol = CST_PROTO_CUSTOM;
	su.cfg.trace_id = ID;
	i = take8(&in);
	su.cfg.profile = (i & 3) % 3;
	su.cfg.ret_stack = i >> 2 & 1;
	su.cfg.strict = i >> 3 & 1;
	su.cfg.as_reference = i >> 4 & 1;
	su.cfg.wfx_p0 = i >> 5 & 1;
	su.cfg.barrier_p0 = i >> 6 & 1;
	su.cfg.cycle_count = i >> 7;
	su.raw = choices & 1;
	su.data = in.p;
	su.len = left(&in) < MAX_IN ? left(&in) : MAX_IN;
	CHECK(!cst_image_new(&img, 1 << 20));
	CHECK(!cst_section_new(&sec, img, code, sizeof(code), NULL));
	CHECK(!cst_space_new(&space, img));
	for (i = 0; i < 32; i++)
		CHECK(!cst_space_map(space, i * sizeof(code), sizeof(code), sec, 0));
	CHECK(!cst_images_new(&su.images) && !cst_images_set(su.images, &key, space));
	key.spaces = CST_MEM_EL2N;
	CHECK(!cst_images_set(su.images, &key, NULL));
	CHECK(!cst_log_new(&log, 4));

	run(&su, 64, 1u << 20, 1, NULL, &whole);
	run(&su, 8 + choices % 50, 1 + choices, choices, log, &cut);
	CHECK(whole.n == cut.n);
	for (i = 0; i < whole.n; i++)
		CHECK(!memcmp(&whole.gen[i], &cut.gen[i], sizeof(whole.gen[i])));
	CHECK(!memcmp(&whole.stats, &cut.stats, sizeof(whole.stats)));
	CHECK(cst_log_count_finding(log, ID, CST_FIND_NO_CODE) == cut.stats.nacc + own_no_code);
	cst_log_free(log);
	cst_images_free(su.images);
	cst_image_free(img);
	return 0;
}
