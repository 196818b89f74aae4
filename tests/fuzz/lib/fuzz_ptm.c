/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_ptm.c - any bytes for a PTM, and any code: the packets cover the bytes, one after the other; the elements
 * do not depend on how input and output are cut, on the size of the block cache, or on whether packets are
 * listed (so that the fast way agrees with the careful one); every loss is counted; each range makes sense.
 *
 * Input: trace unit (2 bytes), choices (1), cuts (1), code length (1), code, trace.
 */
#include <cstrace/packet_ptm.h>

#include "fuzz/fuzz_input.h"

#define MAX_TRACE 1024
#define MAX_CODE 512
#define MAX_OUT (MAX_TRACE * 12)
#define CODE_AT 0x8000u
#define TRACE_ID 0x13

/* choices */
#define START 1		/* the trace is preceded by what starts it at the code */
#define START_THUMB 2
#define LATE_CODE 4	/* the code is supplied when it is asked for */
#define SPLIT 8		/* in two maps */
#define TOP 16		/* and at the top of memory */
#define SMALL_CACHE 32

struct program {
	struct cst_config cfg;
	uint8_t choices, code[2 * MAX_CODE], trace[MAX_TRACE];
	size_t code_len, trace_len;
};

struct run {
	struct cst_generic gen[MAX_OUT];
	size_t n;
	struct cst_stats stats;
};

/*
 * 0: 1:0 context ID, 2 cycle counts, 3 return stack, 4 VMID, 5 branch broadcast, 6 strict, 7 as the reference
 * 1: 0 barriers, 1 64-bit timestamps, 2 binary timestamps, 3 minor version
 */
static void take_unit(struct input *in, struct cst_config *cfg)
{
	uint8_t a = take8(in), b = take8(in);
	struct cst_etmv3_regs regs = {
		.cr = (uint32_t)(a & 3) << 14 | (a & 4 ? 1u << 12 : 0) | (a & 8 ? 1u << 29 : 0) |
		      (a & 16 ? 1u << 30 : 0) | (a & 32 ? 1u << 8 : 0) | 1u << 28,
		.ccer = 1u << 23 | 1u << 26 | (b & 1 ? 1u << 24 : 0) | (b & 2 ? 1u << 29 : 0) |
			(b & 4 ? 1u << 28 : 0),
		.idr = 0x411cf300 | (b & 8 ? 1 << 4 : 0),
		.traceidr = TRACE_ID,
	};

	cfg->struct_size = 0;
	CHECK(!cst_config_ptm(cfg, &regs));
	cfg->strict = a >> 6 & 1;
	cfg->as_reference = a >> 7;
}

static void take_program(struct input *in, struct program *pr)
{
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0x80, 0x08, CODE_AT & 0xff, CODE_AT >> 8, 0, 0, 0x01, 1, 0, 0, 0 };
	size_t n = 0;

	take_unit(in, &pr->cfg);
	pr->choices = take8(in);
	pr->code_len = 2 * take8(in);
	if (pr->code_len > left(in))
		pr->code_len = left(in);
	memcpy(pr->code, in->p, pr->code_len);
	in->p += pr->code_len;
	if (pr->choices & START) {
		n = sizeof(start) - 4 + pr->cfg.cid_bytes;
		memcpy(pr->trace, start, n);
		if (pr->choices & START_THUMB)
			pr->trace[7] |= 1;
	}
	pr->trace_len = left(in) < MAX_TRACE - n ? left(in) : MAX_TRACE - n;
	memcpy(pr->trace + n, in->p, pr->trace_len);
	pr->trace_len += n;
}

static void map_code(const struct program *pr, struct cst_image *img, struct cst_section **sec,
		     struct cst_space **space)
{
	uint64_t half = pr->code_len / 4 * 2;

	CHECK(!cst_section_new(sec, img, pr->choices & LATE_CODE ? NULL : pr->code, pr->code_len, NULL));
	CHECK(!cst_space_new(space, img));
	if (!pr->code_len)
		return;
	if (pr->choices & SPLIT && half) {
		cst_space_map(*space, CODE_AT, half, *sec, 0);
		cst_space_map(*space, CODE_AT + half, pr->code_len - half, *sec, half);
	} else {
		cst_space_map(*space, CODE_AT, pr->code_len, *sec, 0);
	}
	if (pr->choices & TOP)
		cst_space_map(*space, 0x100000000ull - pr->code_len, pr->code_len, *sec, 0);
}

static void drain(const struct program *pr, struct cst_decoder *dec, struct cst_section *sec, size_t cap,
		  struct run *r)
{
	struct cst_pull p;
	size_t room;
	int n;

	for (;;) {
		room = MAX_OUT - r->n;
		CHECK(room >= 16);
		n = cst_decoder_pull(dec, r->gen + r->n, room < cap ? room : cap, &p);
		CHECK(n >= 0);
		r->n += n;
		if (p.why == CST_STOP_SECTION) {
			CHECK(cst_decoder_section(dec) == sec);
			CHECK(!cst_section_set_bytes(sec, pr->code, pr->code_len));
		} else if (!n) {
			return;
		}
	}
}

/* The stage's view of synchronisation, for the count of what is lost. */
struct cover {
	uint64_t at, bad, unsynced;
	unsigned int state;	/* 0 waits for A-sync, 1 for I-sync, 2 in step */
};

static void count(struct cover *c, const struct cst_packet *p)
{
	int late = p->type == CST_PTM_PKT_ASYNC && p->flags & CST_PTM_PF_LATE;

	if (cst_packet_role(p) == CST_ROLE_BAD) {
		c->bad++;
		c->unsynced += p->size;
		if (p->type != CST_PTM_PKT_INCOMPLETE)
			c->state = 0;
	} else if (p->type == CST_PTM_PKT_ASYNC) {
		if (c->state < 2 || late)
			c->state = 1;
	} else if (c->state == 1 && p->type == CST_PTM_PKT_ISYNC) {
		c->state = 2;
	} else if (c->state < 2) {
		c->unsynced += p->size;
	}
}

static void check_packet(const struct program *pr, struct cover *c, const struct cst_packet *p)
{
	char text[512];
	size_t k = p->size < CST_PACKET_BYTES ? p->size : CST_PACKET_BYTES;

	CHECK(p->type < CST_PTM_PKT_TYPES && p->size);
	CHECK(p->index == c->at && c->at + p->size <= pr->trace_len && p->header == pr->trace[c->at]);
	CHECK(p->nbytes == k && !memcmp(p->bytes, pr->trace + c->at, k));
	CHECK(cst_packet_text(p, text, sizeof(text)) < sizeof(text));
	if (pr->cfg.strict)
		CHECK(!p->finding[0] || cst_packet_role(p) == CST_ROLE_BAD);
	c->at += p->size;
	count(c, p);
}

static void decode(const struct program *pr, uint32_t seed, uint32_t piece, size_t cap, int listed, size_t cache,
		   struct run *r)
{
	struct cover cover = { 0 };
	struct cst_section *sec;
	struct cst_decoder *dec;
	struct cst_space *space;
	struct cst_image *img;
	struct cst_pull got;
	struct cst_packet pkt = { 0 };
	size_t at = 0, n;
	uint8_t *copy;

	r->n = 0;
	CHECK(!cst_image_new(&img, cache));
	map_code(pr, img, &sec, &space);
	CHECK(!cst_decoder_new(&dec, &pr->cfg));
	cst_decoder_set_space(dec, space);
	cst_decoder_set_stop(dec, CST_STOP_SECTION);
	for (;;) {
		n = 1 + next_random(&seed, piece);
		n = n < pr->trace_len - at ? n : pr->trace_len - at;
		copy = malloc(n + !n);	/* so that reading outside is seen */
		CHECK(copy);
		memcpy(copy, pr->trace + at, n);
		if (n)
			CHECK(!cst_decoder_feed(dec, copy, n, at));
		else
			cst_decoder_end(dec);
		while (listed && cst_decoder_next_packet(dec, &pkt, &got)) {
			if (got.why == CST_STOP_PACKET)
				check_packet(pr, &cover, &pkt);
			drain(pr, dec, sec, cap, r);
		}
		drain(pr, dec, sec, cap, r);
		free(copy);
		at += n;
		if (!n)
			break;
	}
	r->stats = *cst_decoder_stats(dec);
	if (listed)
		CHECK(cover.at == pr->trace_len && r->stats.bad_packets == cover.bad &&
		      r->stats.unsynced == cover.unsynced);
	cst_decoder_free(dec);
	cst_image_free(img);
}

static void check_element(const struct program *pr, const struct cst_generic *g)
{
	char text[512];
	uint32_t bytes;

	CHECK(g->trace_id == TRACE_ID && g->kind > CST_GEN_UNKNOWN && g->kind < CST_GEN_CUSTOM);
	CHECK(g->index <= pr->trace_len);
	CHECK(cst_generic_text(g, text, sizeof(text)) < sizeof(text));
	if (g->kind != CST_GEN_RANGE)
		return;
	bytes = (uint32_t)g->end - (uint32_t)g->addr;
	CHECK(g->n_insn && (g->last_size == 2 || g->last_size == 4));
	CHECK(bytes >= 2 * g->n_insn && bytes <= 4 * g->n_insn && bytes <= 4 * pr->code_len);
	CHECK(g->isa == CST_ISA_A32 || g->isa == CST_ISA_T32 || g->isa == CST_ISA_TEE);
	if (g->section)
		CHECK(g->sect_off + bytes <= pr->code_len);
}

/* The end's place is that of the last packet, and how unsynchronised bytes are cut may differ. */
static void check_same(const struct run *a, const struct run *b)
{
	size_t i;

	CHECK(a->n == b->n && a->n);
	for (i = 0; i + 1 < a->n; i++)
		CHECK(!memcmp(&a->gen[i], &b->gen[i], sizeof(a->gen[i])));
	CHECK(a->gen[i].kind == CST_GEN_EO_TRACE && b->gen[i].kind == CST_GEN_EO_TRACE);
	CHECK(a->stats.bytes == b->stats.bytes && a->stats.bad_packets == b->stats.bad_packets &&
	      a->stats.unsynced == b->stats.unsynced && a->stats.resyncs == b->stats.resyncs &&
	      a->stats.overflows == b->stats.overflows && a->stats.elements == b->stats.elements &&
	      a->stats.ranges == b->stats.ranges && a->stats.insns == b->stats.insns &&
	      a->stats.branches == b->stats.branches && a->stats.nacc == b->stats.nacc &&
	      a->stats.atoms_lost == b->stats.atoms_lost && a->stats.stack_empty == b->stats.stack_empty &&
	      a->stats.image_conflicts == b->stats.image_conflicts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run whole, cut, listed;
	static struct program pr;
	struct input in = { data, data + size };
	uint8_t seed;
	size_t i;

	seed = take8(&in);
	take_program(&in, &pr);
	decode(&pr, 1, 1u << 30, MAX_OUT, 0, 1 << 20, &whole);
	CHECK(whole.stats.bytes == pr.trace_len && whole.stats.unsynced <= pr.trace_len &&
	      whole.stats.elements == whole.n);
	for (i = 0; i < whole.n; i++)
		check_element(&pr, &whole.gen[i]);
	decode(&pr, seed, 1 + seed % 30, 16 + seed % 40, 0, pr.choices & SMALL_CACHE ? 1 : 1 << 20, &cut);
	check_same(&whole, &cut);
	decode(&pr, seed, 1u << 30, 64, 1, 1 << 20, &listed);
	check_same(&whole, &listed);
	return 0;
}
