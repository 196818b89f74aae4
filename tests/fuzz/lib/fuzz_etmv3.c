/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_etmv3.c - any bytes for any ETMv3 trace unit: the packets cover the bytes and do not depend on how the input
 * is cut into feeds, nor do the elements; the fast way and the one packet by packet tell the same; what is
 * counted fits what comes out.
 */
#include "fuzz/fuzz_input.h"

#define MAX_IN 1024
#define MAX_OUT (20 * MAX_IN)
#define CODE_SIZE 4096
#define CODE_AT 0x8000

struct run {
	struct cst_packet pkt[MAX_IN + 1];
	unsigned int n;
	struct cst_generic gen[MAX_OUT];
	unsigned int n_gen;
	struct cst_stats stats;
};

/*
 * A trace unit from four bytes:
 *   0: 2:0 minor version, 3 alternative branches, 4 cycles, 5 M profile, 6 strict, 7 as the reference
 *   1: 1:0 context ID, 2 data values, 3 data addresses, 4 data only, 5 VMID, 6 64-bit, 7 binary timestamps
 */
static void take_etmv3(struct input *in, struct cst_config *cfg)
{
	uint8_t a = take8(in), b = take8(in);
	struct cst_etmv3_regs regs = {
		.cr = (uint32_t)(b & 3) << 14 | (uint32_t)(b & 4) | (uint32_t)(b & 8) | (b & 16 ? 1u << 20 : 0) |
		      (a & 16 ? 1u << 12 : 0) | (b & 32 ? 1u << 30 : 0),
		.ccer = (b & 32 ? 1u << 26 : 0) | (b & 64 ? 1u << 29 : 0) | (b & 128 ? 1u << 28 : 0),
		.idr = 2u << 8 | (uint32_t)((a & 7) % 6) << 4 | (a & 8 ? 1u << 20 : 0),
		.traceidr = 0x10,
	};

	cfg->struct_size = 0;
	CHECK(!cst_config_etmv3(cfg, &regs, a & 32 ? CST_PROFILE_M : CST_PROFILE_A));
	cfg->strict = a >> 6 & 1;
	cfg->as_reference = a >> 7;
}

static void pull(struct cst_decoder *dec, struct run *r, unsigned int cap)
{
	int n;

	while ((n = cst_decoder_pull(dec, r->gen + r->n_gen, cap, NULL))) {
		CHECK(n > 0);
		r->n_gen += n;
		CHECK(r->n_gen + 64 < MAX_OUT);
	}
}

static void collect(struct cst_decoder *dec, struct run *r, int packets, unsigned int cap)
{
	struct cst_packet *p;
	struct cst_pull got;
	char text[512];

	while (packets) {
		p = &r->pkt[r->n];
		memset(p, 0, sizeof(*p));
		if (!cst_decoder_next_packet(dec, p, &got) || got.why != CST_STOP_PACKET)
			break;
		CHECK(r->n < MAX_IN && p->size);
		CHECK(cst_packet_text(p, text, sizeof(text)) < sizeof(text));
		r->n++;
		pull(dec, r, cap);
	}
	pull(dec, r, cap);
}

static void decode(const struct cst_config *cfg, struct cst_space *space, const uint8_t *data, size_t len,
		   uint32_t seed, uint32_t piece, int packets, struct run *r)
{
	unsigned int cap = 4 + next_random(&seed, 40);
	struct cst_decoder *dec;
	size_t at = 0, n;
	uint8_t *copy;

	r->n = r->n_gen = 0;
	CHECK(!cst_decoder_new(&dec, cfg));
	cst_decoder_set_space(dec, space);
	while (at < len) {
		n = 1 + next_random(&seed, piece);
		n = n < len - at ? n : len - at;
		copy = malloc(n);	/* so that reading outside is seen */
		CHECK(copy);
		memcpy(copy, data + at, n);
		CHECK(!cst_decoder_feed(dec, copy, n, at));
		collect(dec, r, packets, cap);
		free(copy);
		at += n;
	}
	cst_decoder_end(dec);
	collect(dec, r, packets, cap);
	r->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

static void check_cover(const struct run *r, const uint8_t *data, size_t len)
{
	uint64_t at = 0, packets = 0;
	unsigned int i;
	size_t k;

	for (i = 0; i < r->n; i++) {
		const struct cst_packet *p = &r->pkt[i];

		CHECK(p->index == at && at + p->size <= len);
		CHECK(p->header == data[at]);
		k = p->size < CST_PACKET_BYTES ? p->size : CST_PACKET_BYTES;
		CHECK(p->nbytes == k && !memcmp(p->bytes, data + at, k));
		at += p->size;
		packets += p->type != CST_ETMV3_PKT_NOT_SYNC;
	}
	CHECK(at == len);
	CHECK(r->stats.packets == packets && r->stats.bytes == len && r->stats.unsynced <= len);
}

static void check_flow(struct run *r, const struct cst_config *cfg)
{
	int each = cfg->insn_ranges || cfg->data_trace;
	uint64_t ranges = 0, insns = 0, index = 0;
	unsigned int i;

	for (i = 0; i < r->n_gen; i++) {
		const struct cst_generic *g = &r->gen[i];

		CHECK(g->index >= index || !g->index);
		index = g->index;
		if (g->kind != CST_GEN_RANGE)
			continue;
		ranges++;
		insns += g->n_insn;
		CHECK(g->n_insn && (!each || (g->n_insn == 1 && g->flags & CST_GF_WAYPOINT)));
		CHECK(g->n_insn > 1 || g->end == (uint32_t)(g->addr + g->last_size) || g->end == g->addr + g->last_size);
		CHECK(g->last_size == 4 || (g->last_size == 2 && g->isa != CST_ISA_A32));
	}
	CHECK(ranges == r->stats.ranges && insns == r->stats.insns);
	CHECK(r->n_gen && r->gen[r->n_gen - 1].kind == CST_GEN_EO_TRACE);
	CHECK(r->stats.elements == r->n_gen);
	/* the end stands with the last packet, and unsynchronised bytes may be one or several */
	r->gen[r->n_gen - 1].index = 0;
}

static void show(const struct cst_generic *a, const struct cst_generic *b)
{
	char text[512];

	cst_generic_text(a, text, sizeof(text));
	fprintf(stderr, "%llu isa %u flags %x: %s\n", (unsigned long long)a->index, a->isa, a->flags, text);
	cst_generic_text(b, text, sizeof(text));
	fprintf(stderr, "%llu isa %u flags %x: %s\n", (unsigned long long)b->index, b->isa, b->flags, text);
}

/* The same, whether the elements came packet by packet or not. */
static void check_same(const struct run *a, const struct run *b)
{
	unsigned int i;

	for (i = 0; i < a->n_gen && i < b->n_gen; i++) {
		if (memcmp(&a->gen[i], &b->gen[i], sizeof(a->gen[i])))
			show(&a->gen[i], &b->gen[i]);
		CHECK(!memcmp(&a->gen[i], &b->gen[i], sizeof(a->gen[i])));
	}
	CHECK(a->n_gen == b->n_gen);
	CHECK(!memcmp(&a->stats, &b->stats, sizeof(a->stats)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x21, 0x01, 0x80, 0, 0 };
	static uint8_t trace[sizeof(start) + MAX_IN], code[CODE_SIZE];
	static struct run a, b, c;
	struct input in = { data, data + size };
	struct cst_section *sec;
	struct cst_space *space;
	struct cst_config cfg;
	struct cst_image *img;
	uint32_t seed, i;
	size_t len = 0;
	uint8_t how;

	take_etmv3(&in, &cfg);
	how = take8(&in);
	seed = take8(&in);
	cfg.insn_ranges = seed & 1;
	for (i = 0; i < CODE_SIZE; i++)
		code[i] = next_random(&seed, 256);
	/* much of the code branches nearby: B in T32, half of it conditional */
	for (i = 1; how & 2 && i < CODE_SIZE; i += 4)
		code[i] = i & 4 ? 0xd0 : 0xe7;
	if (how & 1) {
		memcpy(trace, start, sizeof(start));
		len = sizeof(start);
	}
	size = left(&in) < MAX_IN - sizeof(start) ? left(&in) : MAX_IN - sizeof(start);
	memcpy(trace + len, in.p, size);
	len += size;

	CHECK(!cst_image_new(&img, 1 << 16));
	CHECK(!cst_section_new(&sec, img, code, CODE_SIZE, NULL));
	CHECK(!cst_space_new(&space, img));
	CHECK(!cst_space_map(space, CODE_AT, CODE_SIZE, sec, 0));
	decode(&cfg, space, trace, len, 1, MAX_IN, 1, &a);
	check_cover(&a, trace, len);
	check_flow(&a, &cfg);
	decode(&cfg, space, trace, len, seed, 1 + how / 4, 0, &b);
	check_flow(&b, &cfg);
	decode(&cfg, space, trace, len, seed + 1, MAX_IN, 0, &c);
	check_flow(&c, &cfg);
	check_same(&b, &c);
	check_same(&a, &b);
	cst_image_free(img);
	return 0;
}
