/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_packet.c - any bytes for any trace unit: the packets cover the bytes, one after the other; they do
 * not depend on how the input is cut into feeds; after a bad one come unsynchronised bytes until the
 * next A-sync. The parser itself never reads past the end and always goes on.
 */
#include "fuzz/fuzz_input.h"
#include "protocols/etmv4/etmv4.h"

#define MAX_IN 1024

struct run {
	struct cst_packet pkt[MAX_IN + 1];
	unsigned int n;
};

static int is_bad(const struct cst_packet *p)
{
	return p->type == CST_PKT_BAD_SEQUENCE || p->type == CST_PKT_RESERVED ||
	       p->type == CST_PKT_RESERVED_CFG || p->type == CST_PKT_INCOMPLETE;
}

static void collect(struct cst_decoder *dec, struct run *r)
{
	struct cst_generic out[16];
	struct cst_packet *p;
	struct cst_pull got;

	for (;;) {
		p = &r->pkt[r->n];
		memset(p, 0, sizeof(*p));
		if (!cst_decoder_next_packet(dec, p, &got) || got.why != CST_STOP_PACKET)
			break;
		CHECK(r->n < MAX_IN);
		CHECK(p->type < CST_PKT_TYPES && p->size);
		r->n++;
		while (cst_decoder_pull(dec, out, 16, NULL))
			;
	}
	while (cst_decoder_pull(dec, out, 16, NULL))
		;
}

static void decode(const struct cst_config *cfg, const uint8_t *data, size_t len, uint32_t seed,
		   uint32_t piece, struct run *r, struct cst_stats *stats)
{
	struct cst_decoder *dec;
	size_t at = 0, n;
	uint8_t *copy;

	r->n = 0;
	CHECK(!cst_decoder_new(&dec, cfg));
	while (at < len) {
		n = 1 + next_random(&seed, piece);
		n = n < len - at ? n : len - at;
		copy = malloc(n);	/* so that reading outside is seen */
		CHECK(copy);
		memcpy(copy, data + at, n);
		CHECK(!cst_decoder_feed(dec, copy, n, at));
		collect(dec, r);
		free(copy);
		at += n;
	}
	cst_decoder_end(dec);
	collect(dec, r);
	*stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

/* Eleven zeros and 80 end here; the first ones may have been taken for part of the packet before. */
static int is_async(const uint8_t *data, size_t end)
{
	unsigned int i;

	if (end < ETMV4_ASYNC_SIZE || data[end - 1] != 0x80)
		return 0;
	for (i = 2; i <= ETMV4_ASYNC_SIZE; i++)
		if (data[end - i])
			return 0;
	return 1;
}

/* The packets lie one after the other, and what each one says of itself is what stands there. */
static void check_cover(const struct run *r, const uint8_t *data, size_t len, const struct cst_stats *s)
{
	uint64_t at = 0, bad = 0, packets = 0;
	char text[512];
	unsigned int i, synced = 0;
	size_t k;

	for (i = 0; i < r->n; i++) {
		const struct cst_packet *p = &r->pkt[i];

		CHECK(p->index == at && at + p->size <= len);
		CHECK(p->header == data[at]);
		k = p->size < CST_PACKET_BYTES ? p->size : CST_PACKET_BYTES;
		CHECK(p->nbytes == k && !memcmp(p->bytes, data + at, k));
		if (!synced)
			CHECK(p->type == CST_PKT_NOT_SYNC || p->type == CST_PKT_ASYNC || is_bad(p));
		else
			CHECK(p->type != CST_PKT_NOT_SYNC);
		if (p->type == CST_PKT_ASYNC) {
			CHECK(p->size <= ETMV4_ASYNC_SIZE && is_async(data, at + p->size));
			synced = 1;
		}
		if (is_bad(p)) {
			synced = 0;
			bad++;
		}
		CHECK(cst_packet_text(p, text, sizeof(text)) < sizeof(text));
		at += p->size;
		packets += p->type != CST_PKT_NOT_SYNC;
	}
	CHECK(at == len);
	CHECK(s->bytes == len && s->packets == packets && s->bad_packets == bad);
	CHECK(s->unsynced <= len);
}

/* The parser alone, on ever longer pieces of memory that end where it may read. */
static void check_parser(const struct cst_config *cfg, const uint8_t *data, size_t len)
{
	struct etmv4_parser ps, before;
	struct cst_packet pkt;
	unsigned int size, n;
	size_t at = 0;
	uint8_t *copy;

	cst_etmv4_parser_init(&ps, cfg, NULL);
	ps.synced = 1;
	while (at < len) {
		before = ps;
		for (n = 1, size = 0; !size && n <= len - at; n++) {
			copy = malloc(n);
			CHECK(copy);
			memcpy(copy, data + at, n);
			ps = before;
			memset(pkt.finding, 0, sizeof(pkt.finding));
			size = cst_etmv4_parse(&ps, copy, copy + n, &pkt);
			free(copy);
			CHECK(size <= n);
			CHECK(size || n < ETMV4_MAX_PACKET);
		}
		if (!size)
			break;
		at += size;
		ps.synced = 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run whole, cut;
	struct input in = { data, data + size };
	struct cst_stats s1, s2;
	struct cst_config cfg;
	uint32_t seed;
	unsigned int i;

	take_config(&in, &cfg, 0x10);
	seed = take8(&in);
	size = left(&in) < MAX_IN ? left(&in) : MAX_IN;
	decode(&cfg, in.p, size, 1, 1u << 30, &whole, &s1);
	check_cover(&whole, in.p, size, &s1);
	decode(&cfg, in.p, size, seed, 1 + seed % 30, &cut, &s2);
	CHECK(whole.n == cut.n);
	for (i = 0; i < whole.n; i++)
		CHECK(!memcmp(&whole.pkt[i], &cut.pkt[i], sizeof(whole.pkt[i])));
	CHECK(!memcmp(&s1, &s2, sizeof(s1)));
	check_parser(&cfg, in.p, size);
	return 0;
}
