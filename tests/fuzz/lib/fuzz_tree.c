/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_tree.c - any frames to three decoders: each ID's elements are those of a decoder of its own that
 * gets the de-formatter's bytes one run at a time; the cut of the input changes nothing, nor does the order between IDs,
 * or a log. A scan finds the timestamps of all elements. Listing the same bytes packet by packet covers all
 * of them. Fed as the memory of a circular buffer, they give the same again.
 *
 * Input: two trace units (4 bytes each), frame flags (1), choices (1), frames.
 */
#include "fuzz/fuzz_input.h"

#define MAX_IN 1024
#define MAX_OUT (MAX_IN * 40)
#define IDS 3

static const uint8_t ids[IDS] = { 0x10, 0x11, 0x6f };

/* b.eq +8; nop; bl -8; ret */
static const uint8_t code[16] = {
	0x40, 0x00, 0x00, 0x54, 0x1f, 0x20, 0x03, 0xd5, 0xfe, 0xff, 0xff, 0x97, 0xc0, 0x03, 0x5f, 0xd6
};

struct stream {
	struct cst_generic gen[MAX_OUT];
	size_t n;
	struct cst_stats stats;
};

struct setup {
	struct cst_config cfg[IDS];
	struct cst_image *img;
	struct cst_space *space;
	unsigned int flags, raw;
	enum cst_tree_order order;
	struct cst_log *log;	/* or NULL */
	const uint8_t *data;
	size_t len;
};

static void keep(struct stream *s, const struct cst_generic *out, int n)
{
	CHECK(n >= 0 && s->n + n <= MAX_OUT);
	memcpy(&s->gen[s->n], out, n * sizeof(*out));
	s->n += n;
}

static void done(struct stream *s, const struct cst_decoder *dec)
{
	s->stats = *cst_decoder_stats(dec);
	CHECK(s->stats.elements == s->n);
	if (s->n && s->gen[s->n - 1].kind == CST_GEN_EO_TRACE)
		s->gen[s->n - 1].index = 0;
}

static unsigned int slot_of(const struct cst_decoder *dec)
{
	unsigned int k;

	for (k = 0; ids[k] != cst_decoder_config(dec)->trace_id; k++)
		CHECK(k + 1 < IDS);
	return k;
}

static void pull_tree(struct cst_tree *t, struct stream *s, size_t cap)
{
	static struct cst_generic out[256];
	struct cst_pull p;
	uint64_t addr;
	int n, i;

	while ((n = cst_tree_pull(t, out, cap, &p))) {
		CHECK(n > 0 && n <= (int)cap);
		CHECK(p.why == CST_STOP_NONE || (p.why == CST_STOP_CONFIG && out[n - 1].kind == CST_GEN_NO_SYNC));
		if (!p.dec) {
			CHECK(n == 1 && out[0].kind == CST_GEN_BARRIER && out[0].trace_id == CST_ID_UNKNOWN);
			continue;
		}
		for (i = 0; i < n; i++)
			CHECK(out[i].trace_id == cst_decoder_config(p.dec)->trace_id);
		keep(&s[slot_of(p.dec)], out, n);
		cst_decoder_peek_address(p.dec, &addr);
	}
	CHECK(p.why == CST_STOP_INPUT || p.why == CST_STOP_END);
}

static struct cst_tree *new_tree(const struct setup *su, struct cst_decoder **dec)
{
	struct cst_tree *t;
	unsigned int k;

	CHECK(!cst_tree_new(&t, su->raw ? CST_TREE_RAW : CST_TREE_FRAMES, su->flags));
	CHECK(!cst_tree_set_order(t, su->order));
	cst_tree_set_log(t, su->log);
	for (k = 0; k < (su->raw ? 1 : IDS); k++) {
		CHECK(!cst_tree_add(t, &su->cfg[k], &dec[k]));
		cst_decoder_set_space(dec[k], su->space);
	}
	return t;
}

static void with_tree(const struct setup *su, size_t cap, uint32_t piece, uint32_t seed, struct stream *s)
{
	struct cst_decoder *dec[IDS];
	struct cst_tree *t = new_tree(su, dec);
	size_t at = 0, n;
	unsigned int k;

	for (k = 0; k < IDS; k++)
		s[k].n = 0;
	while (at < su->len) {
		n = 1 + next_random(&seed, piece);
		n = n < su->len - at ? n : su->len - at;
		CHECK(!cst_tree_feed(t, su->data + at, n, at));
		pull_tree(t, s, cap);
		at += n;
	}
	cst_tree_end(t);
	pull_tree(t, s, cap);
	for (k = 0; k < (su->raw ? 1 : IDS); k++)
		done(&s[k], dec[k]);
	cst_tree_free(t);
}

static void compare(const struct stream *a, const struct stream *b, unsigned int streams)
{
	unsigned int k;
	size_t i;

	for (k = 0; k < streams; k++) {
		CHECK(a[k].n == b[k].n);
		for (i = 0; i < a[k].n; i++)
			CHECK(!memcmp(&a[k].gen[i], &b[k].gen[i], sizeof(a[k].gen[i])));
		CHECK(!memcmp(&a[k].stats, &b[k].stats, sizeof(a[k].stats)));
	}
}

/* The log has counted what it was told, and kept the newest. */
static void check_log(const struct cst_log *log, const struct stream *s, unsigned int streams)
{
	uint64_t sum = 0, kept = cst_log_kept(log) + cst_log_dropped(log);
	unsigned int k, level;

	for (level = CST_LOG_ERROR; level <= CST_LOG_INFO; level++)
		sum += cst_log_count(log, CST_LOG_ALL_IDS, level);
	CHECK(kept <= sum && !cst_log_at(log, cst_log_kept(log)));
	for (k = 0; k < streams; k++) {
		CHECK(cst_log_count_finding(log, ids[k], CST_FIND_NO_CODE) == s[k].stats.nacc);
		CHECK(cst_log_count_finding(log, ids[k], CST_FIND_IMAGE_CONFLICT) == s[k].stats.image_conflicts);
		CHECK(cst_log_count_finding(log, ids[k], CST_FIND_STACK_EMPTY) == s[k].stats.stack_empty);
	}
}

/* The memory of a circular buffer that this trace has filled. */
static void wrapped(const struct setup *su, const struct stream *want, uint32_t seed, struct stream *s)
{
	uint8_t mem[MAX_IN];
	struct cst_decoder *dec[IDS];
	struct cst_tree *t = new_tree(su, dec);
	size_t unit = su->raw ? 1 : 16, write = next_random(&seed, (uint32_t)(su->len / unit) + 1) * unit;
	unsigned int k;

	memcpy(mem, su->data + su->len - write, write);
	memcpy(mem + write, su->data, su->len - write);
	for (k = 0; k < IDS; k++)
		s[k].n = 0;
	CHECK(!cst_tree_feed_wrapped(t, mem, su->len, write, 1, 0));
	pull_tree(t, s, 256);
	cst_tree_end(t);
	pull_tree(t, s, 256);
	for (k = 0; k < (su->raw ? 1 : IDS); k++)
		done(&s[k], dec[k]);
	cst_tree_free(t);
	compare(want, s, su->raw ? 1 : IDS);
}

/* Units are set up anew, with each other's configuration and back, at any moment. */
static void set_up_anew(const struct setup *su, uint32_t seed, struct stream *s)
{
	struct cst_decoder *dec[IDS];
	struct cst_tree *t = new_tree(su, dec);
	struct cst_config cfg = { 0 };
	size_t at = 0, n;
	unsigned int k;
	int err;

	for (k = 0; k < IDS; k++)
		s[k].n = 0;
	while (at < su->len) {
		k = su->raw ? 0 : next_random(&seed, IDS);
		cfg = su->cfg[next_random(&seed, IDS)];
		cfg.trace_id = ids[k];
		err = cst_tree_reconfigure(t, ids[k], &cfg);
		CHECK(!err || err == -CST_ERR_PROTOCOL || err == -CST_ERR_BUSY);
		n = 1 + next_random(&seed, 64);
		n = n < su->len - at ? n : su->len - at;
		CHECK(!cst_tree_feed(t, su->data + at, n, at));
		pull_tree(t, s, 64);
		at += n;
	}
	cst_tree_end(t);
	pull_tree(t, s, 64);
	cst_tree_free(t);
}

struct scans {
	struct cst_scan v[MAX_IN];
	size_t n;
};

/* Without decoding. */
static void scan(const struct setup *su, uint32_t piece, uint32_t seed, struct scans *all)
{
	struct cst_decoder *dec[IDS];
	struct cst_tree *t = new_tree(su, dec);
	struct cst_scan found;
	size_t at = 0, n;

	all->n = 0;
	while (at < su->len) {
		n = 1 + next_random(&seed, piece);
		n = n < su->len - at ? n : su->len - at;
		CHECK(!cst_tree_feed(t, su->data + at, n, at));
		while (cst_tree_scan(t, &found)) {
			CHECK(all->n < MAX_IN);
			all->v[all->n++] = found;
		}
		at += n;
	}
	cst_tree_free(t);
}

/* Timestamps of elements are among those of packets, in the same order. */
static void check_scan(const struct scans *all, const struct stream *s)
{
	size_t i, k = 0;

	for (i = 0; i < s->n; i++) {
		const struct cst_generic *g = &s->gen[i];

		if (g->kind != CST_GEN_TIMESTAMP || !g->addr)
			continue;
		while (k < all->n && (all->v[k].kind != CST_SCAN_TIMESTAMP || all->v[k].trace_id != g->trace_id ||
				      all->v[k].index != g->index))
			k++;
		CHECK(k < all->n && all->v[k].ts == g->addr);
	}
}

static void check_scans(const struct setup *su, const struct stream *s, uint32_t piece, uint32_t seed)
{
	static struct scans whole, pieces;
	unsigned int k;

	scan(su, 1u << 20, 1, &whole);
	scan(su, piece, seed, &pieces);
	for (k = 0; k < (su->raw ? 1 : IDS); k++) {
		check_scan(&whole, &s[k]);
		check_scan(&pieces, &s[k]);
	}
}

static void pull_one(struct cst_decoder *dec, struct stream *s)
{
	static struct cst_generic out[64];
	int n;

	while ((n = cst_decoder_pull(dec, out, 64, NULL)))
		keep(s, out, n);
}

/* The same without a tree. */
static void by_hand(const struct setup *su, struct stream *s)
{
	struct cst_decoder *dec[IDS];
	struct cst_fragment frag[11];
	struct cst_deframer df;
	uint8_t bytes[16];
	size_t at = 0, used;
	unsigned int k;
	int n, i;

	for (k = 0; k < IDS; k++) {
		s[k].n = 0;
		CHECK(!cst_decoder_new(&dec[k], &su->cfg[k]));
		cst_decoder_set_space(dec[k], su->space);
	}
	cst_deframer_init(&df, su->flags);
	while (at < su->len) {
		n = cst_deframe(&df, su->data + at, su->len - at, at, bytes, sizeof(bytes), frag, 11, &used);
		CHECK(n >= 0 && (n || used));
		at += used;
		for (i = 0; i < n; i++)
			for (k = 0; k < IDS && frag[i].kind != CST_FRAG_FINDING; k++) {
				if (frag[i].kind != CST_FRAG_DATA) {
					cst_decoder_reset(dec[k], CST_UNSYNC_RESET);
				} else if (frag[i].id == ids[k]) {
					CHECK(!cst_decoder_feed(dec[k], bytes + frag[i].pos, frag[i].len,
								frag[i].offset));
					pull_one(dec[k], &s[k]);
				}
			}
	}
	for (k = 0; k < IDS; k++) {
		cst_decoder_end(dec[k]);
		pull_one(dec[k], &s[k]);
		done(&s[k], dec[k]);
		cst_decoder_free(dec[k]);
	}
}

/* Packet by packet: the sizes add up to the bytes of each ID, resets apart. */
static void listing(const struct setup *su)
{
	uint64_t bytes[IDS] = { 0 }, elements = 0;
	struct cst_generic out[64];
	struct cst_decoder *dec[IDS];
	struct cst_tree *t = new_tree(su, dec);
	struct cst_pull next, p;
	struct cst_packet pkt = { 0 };
	int n, end, resets = 0;
	unsigned int k;

	CHECK(!cst_tree_feed(t, su->data, su->len, 0));
	for (end = 0; end < 2; end++) {
		while (cst_tree_next_packet(t, &pkt, &next)) {
			if (next.why == CST_STOP_PACKET) {
				CHECK(pkt.type < CST_PKT_TYPES && pkt.size);
				bytes[slot_of(next.dec)] += pkt.size;
			}
			while ((n = cst_tree_pull(t, out, 64, &p))) {
				CHECK(n > 0 && p.dec == next.dec);
				elements += p.dec ? n : 0;
				resets += !p.dec;
			}
			CHECK(p.why == CST_STOP_PACKET);
		}
		CHECK(next.why == (end ? CST_STOP_END : CST_STOP_INPUT));
		cst_tree_end(t);
	}
	for (k = 0; k < (su->raw ? 1 : IDS); k++) {
		const struct cst_stats *s = cst_decoder_stats(dec[k]);

		CHECK(bytes[k] <= s->bytes && (resets || bytes[k] == s->bytes));
		elements -= s->elements;
	}
	CHECK(!elements);
	cst_tree_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stream plain[IDS], other[IDS];
	struct input in = { data, data + size };
	struct cst_section *sec;
	struct setup su;
	uint32_t choices;
	unsigned int i;

	take_config(&in, &su.cfg[0], ids[0]);
	take_config(&in, &su.cfg[1], ids[1]);
	su.cfg[2] = su.cfg[1];
	su.cfg[2].trace_id = ids[2];
	su.flags = take8(&in) & ~(CST_FRAME_PACKED | 128u);
	choices = take8(&in);
	su.raw = (choices & 3) == 3;
	su.order = CST_ORDER_FRAMES;
	su.log = NULL;
	su.data = in.p;
	su.len = left(&in) < MAX_IN ? left(&in) : MAX_IN;
	CHECK(!cst_image_new(&su.img, 1 << 20));
	CHECK(!cst_section_new(&sec, su.img, code, sizeof(code), NULL));
	CHECK(!cst_space_new(&su.space, su.img));
	for (i = 0; i < 32; i++)
		CHECK(!cst_space_map(su.space, i * sizeof(code), sizeof(code), sec, 0));

	with_tree(&su, 256, 1u << 20, 1, plain);
	check_scans(&su, plain, 1 + choices, choices);
	su.order = choices & 64 ? CST_ORDER_BY_ID : CST_ORDER_FRAMES;
	if (choices & 32) {
		CHECK(!cst_log_new(&su.log, choices >> 2 & 7));
		if (choices & 4)
			cst_log_set_verbosity(su.log, choices >> 3 & 7, choices >> 6);
	}
	with_tree(&su, 8 + choices % 60, 1 + choices, choices, other);
	compare(plain, other, su.raw ? 1 : IDS);
	if (su.log)
		check_log(su.log, other, su.raw ? 1 : IDS);
	cst_log_free(su.log);
	su.log = NULL;
	/* not all of it for each input: that would be few inputs */
	if (choices & 16)
		wrapped(&su, plain, choices, other);
	if (!su.raw) {
		by_hand(&su, other);
		compare(plain, other, IDS);
	}
	set_up_anew(&su, choices, other);
	listing(&su);
	cst_image_free(su.img);
	return 0;
}
