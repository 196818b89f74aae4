/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tree.c - the contract of decoders and trees: feeding and pulling, stops, lazy sections, resets,
 * packets one by one, routing by trace ID, barriers, ends, circular buffers, triggers, filters.
 */
#include "frames.h"
#include "unit/lib_decode.h"

/* nop; b -4: a loop of two instructions at 0 */
static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };
static const uint8_t start[] = { SYNC, 0x81, 0x30, 0x95, 0x00 };

static struct cst_decoder *new_decoder(const struct cst_config *cfg, struct cst_space *space)
{
	struct cst_decoder *dec;

	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_space(dec, space);
	return dec;
}

static void test_feed_and_pull(void **state)
{
	struct cst_config cfg = etm_config(4, 0), none;
	static const uint8_t atoms[] = { 0xd4, 0xd4, 0xd4 };
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct program pr;
	unsigned int n = 0;
	int got, i;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	dec = new_decoder(&cfg, pr.space);
	assert_int_equal(cst_decoder_config(dec)->version, 0x44);
	cst_decoder_set_cookie(dec, &n);
	assert_ptr_equal(cst_decoder_cookie(dec), &n);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	/* outputs that are too small for what one element may make */
	assert_int_equal(cst_decoder_pull(dec, out, CST_PULL_MIN - 1, NULL), -CST_ERR_INVAL);
	assert_int_equal(cst_decoder_pull(dec, out, SIZE_MAX, NULL), -CST_ERR_INVAL);
	assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 100), 0);
	assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 100), -CST_ERR_BUSY);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(out[0].kind, CST_GEN_NO_SYNC);
	assert_int_equal(out[0].index, 100);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	assert_int_equal(cst_decoder_feed(dec, atoms, 3, 1000), 0);
	while ((got = cst_decoder_pull(dec, out, 8, NULL)) > 0)
		for (i = 0; i < got; i++, n++)
			if (n) {
				assert_int_equal(out[i].kind, CST_GEN_RANGE);
				assert_int_equal(out[i].index, 1000 + (n - 1) / 24);
			}
	assert_int_equal(n, 1 + 72);
	cst_decoder_end(dec);
	assert_int_equal(cst_decoder_feed(dec, atoms, 3, 1003), -CST_ERR_BUSY);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(out[0].kind, CST_GEN_EO_TRACE);
	assert_int_equal(out[0].num, CST_UNSYNC_END);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	assert_int_equal(cst_decoder_stats(dec)->elements, 75);
	assert_int_equal(cst_decoder_stats(dec)->bytes, sizeof(start) + 3);
	cst_decoder_free(dec);
	cst_decoder_free(NULL);
	memset(&none, 0, sizeof(none));
	assert_int_equal(cst_decoder_new(&dec, &none), -CST_ERR_PROTOCOL);
	cst_image_free(pr.img);
}

/* Bytes before the start are passed over, however they are fed, and counted nowhere. */
static void test_start_at(void **state)
{
	static const uint8_t noise[] = { 0xd4, 0xd4, 0xd4, 0xd4, 0xd4 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct program pr;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	dec = new_decoder(&cfg, pr.space);
	cst_decoder_start_at(dec, 207);
	assert_int_equal(cst_decoder_feed(dec, noise, sizeof(noise), 100), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	assert_int_equal(cst_decoder_feed(dec, noise, sizeof(noise), 202), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	assert_int_equal(cst_decoder_stats(dec)->bytes, 0);
	assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 207), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(out[0].kind, CST_GEN_NO_SYNC);
	assert_int_equal(out[0].index, 207);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	assert_int_equal(cst_decoder_stats(dec)->bytes, sizeof(start));
	assert_int_equal(cst_decoder_stats(dec)->unsynced, 0);
	/* a reset forgets it */
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_feed(dec, noise, sizeof(noise), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 0);
	assert_int_equal(cst_decoder_stats(dec)->bytes, sizeof(start) + sizeof(noise));
	cst_decoder_end(dec);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(cst_decoder_stats(dec)->unsynced, sizeof(noise));
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

static void test_reset(void **state)
{
	struct cst_config cfg = etm_config(4, 8);
	static const uint8_t cut[] = { SYNC, 0x81, 0x30, 0x95, 0x00, 0xf7, 0x9a, 0x01 };
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct program pr;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	dec = new_decoder(&cfg, pr.space);
	assert_int_equal(cst_decoder_feed(dec, cut, sizeof(cut), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	/* in the middle of a packet, with an atom that is not committed */
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	assert_int_equal(cst_decoder_stats(dec)->uncommitted, 1);
	assert_int_equal(cst_decoder_feed(dec, cut, 19, 50), 0);
	cst_decoder_end(dec);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 2);
	assert_int_equal(out[0].kind, CST_GEN_NO_SYNC);
	assert_int_equal(out[0].num, CST_UNSYNC_RESET);
	assert_int_equal(out[0].index, 50);
	assert_int_equal(out[1].kind, CST_GEN_EO_TRACE);
	assert_int_equal(cst_decoder_stats(dec)->bad_packets, 0);
	assert_int_equal(cst_decoder_stats(dec)->uncommitted, 2);
	/* after the end, too, which has counted the atom */
	cst_decoder_reset(dec, CST_UNSYNC_UNKNOWN);
	assert_int_equal(cst_decoder_stats(dec)->uncommitted, 2);
	assert_int_equal(cst_decoder_feed(dec, cut, 19, 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

/* What is dropped is not lost; what a reset cuts off is. */
static void test_drop(void **state)
{
	static const uint8_t frames[40];
	struct cst_tree *t;

	(void)state;
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	assert_int_equal(cst_tree_feed(t, frames, sizeof(frames), 0), 0);
	cst_tree_drop(t);
	cst_tree_reset(t);
	assert_int_equal(cst_tree_frame_stats(t)->skipped, 0);
	assert_int_equal(cst_tree_feed(t, frames, sizeof(frames), 64), 0);
	cst_tree_reset(t);
	assert_int_equal(cst_tree_frame_stats(t)->skipped, sizeof(frames));
	cst_tree_free(t);
}

/* A frame of ID 0x22, and one of the trigger. */
static const uint8_t of_22[16] = { 0x22 << 1 | 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 };

/* The bytes behind a drop do not continue the frame that was dropped. */
static void test_drop_part(void **state)
{
	struct cst_fragment frag;
	const uint8_t *data;
	struct cst_tree *t;

	(void)state;
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	assert_int_equal(cst_tree_feed(t, of_22, 8, 0), 0);
	assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 0);
	cst_tree_drop(t);
	assert_int_equal(cst_tree_feed(t, of_22, sizeof(of_22), 8), 0);
	assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 1);
	assert_int_equal(frag.id, 0x22);
	assert_int_equal(frag.offset, 8);
	assert_int_equal(frag.len, 14);
	assert_memory_equal(data + frag.pos, of_22 + 1, 14);
	assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 0);
	cst_tree_free(t);
}

/* Bytes without a decoder are not routed, unless their ID is to be ignored; numbers that are no ID do not matter. */
static void test_ignore(void **state)
{
	static const struct {
		uint8_t id;
		int ignored;
	} cases[] = { { 0x21, 0 }, { 0x22, 1 }, { 0x62, 0 }, { 0x80, 0 }, { 0xa2, 0 } };
	struct cst_generic out[40];
	struct cst_tree *t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
		cst_tree_ignore(t, cases[i].id);
		assert_int_equal(cst_tree_feed(t, of_22, sizeof(of_22), 0), 0);
		assert_int_equal(cst_tree_pull(t, out, 40, NULL), 0);
		assert_int_equal(cst_tree_ignored(t), cases[i].ignored ? 14 : 0);
		assert_int_equal(cst_tree_unrouted(t), cases[i].ignored ? 0 : 14);
		cst_tree_free(t);
	}
}

/* The start may be anywhere in a fragment: the bytes of the ID from there on are decoded, in one or in several fragments. */
static void test_start_in_fragment(void **state)
{
	static const uint8_t noise[] = { 0xd4, 0xd4, 0xd4, 0xd4, 0xd4 };
	struct cst_config cfg = etm_config(4, 0);
	uint8_t mem[sizeof(noise) + sizeof(start)], frames[48];
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct cst_tree *t;
	unsigned int at, i;
	uint64_t want;

	(void)state;
	/* noise before a sync: what is left out is not there to be passed over in search of the sync */
	memcpy(mem, noise, sizeof(noise));
	memcpy(mem + sizeof(noise), start, sizeof(start));
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_start_at(dec, 200 + sizeof(noise));
	assert_int_equal(cst_decoder_feed(dec, mem, sizeof(mem), 200), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
	assert_int_equal(out[0].kind, CST_GEN_NO_SYNC);
	assert_int_equal(out[0].index, 200 + sizeof(noise));
	assert_int_equal(cst_decoder_stats(dec)->bytes, sizeof(start));
	assert_int_equal(cst_decoder_stats(dec)->unsynced, 0);
	cst_decoder_free(dec);
	/* three frames with 14 bytes of the ID each, which count from the begin of their frame */
	cfg.trace_id = 0x22;
	for (i = 0; i < 3; i++)
		memcpy(frames + 16 * i, of_22, 16);
	for (at = 1; at <= sizeof(frames); at++) {
		assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
		assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
		cst_decoder_start_at(dec, at);
		assert_int_equal(cst_tree_feed(t, frames, sizeof(frames), 0), 0);
		while (cst_tree_pull(t, out, 40, NULL) > 0)
			;
		for (i = at, want = 0; i < sizeof(frames); i++)
			want += i % 16 < 14;
		if (cst_decoder_stats(dec)->bytes != want)
			fail_msg("start at %u: %u bytes, not %u", at, (unsigned int)cst_decoder_stats(dec)->bytes, (unsigned int)want);
		cst_tree_free(t);
	}
}

/* The filter and the counts of frames last over drops; the counts over resets, too. */
static void test_kept(void **state)
{
	static const uint64_t only_23[2] = { 1ull << 0x23, 0 };
	struct cst_frame_stats before;
	struct cst_fragment frag;
	const uint8_t *data;
	struct cst_tree *t;
	unsigned int pass;

	(void)state;
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	cst_tree_filter(t, only_23);
	for (pass = 0; pass < 3; pass++) {
		assert_int_equal(cst_tree_feed(t, of_22, sizeof(of_22), 16 * pass), 0);
		assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 0);
		before = *cst_tree_frame_stats(t);
		assert_int_equal(before.frames, 1 + pass);
		if (pass)
			cst_tree_reset(t);
		else
			cst_tree_drop(t);
		assert_memory_equal(cst_tree_frame_stats(t), &before, sizeof(before));
	}
	cst_tree_filter(t, NULL);
	assert_int_equal(cst_tree_feed(t, of_22, sizeof(of_22), 0), 0);
	assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 1);
	cst_tree_free(t);
}

static void test_stops(void **state)
{
	static const uint8_t bytes[] = {
		SYNC, 0x81, 0x30, 0x04, 0x80, 0x95, 0x00, 0xf7, 0x02, 0x05, 0xf7, 0x06, 0x1d, 0x95, 0x00, 0x81, 0x31,
		0x95, 0x00, 0xf7,
	};
	static const struct {
		enum cst_stop stop;
		uint8_t kind;
	} want[] = {
		{ CST_STOP_CONTEXT, CST_GEN_PE_CONTEXT }, { CST_STOP_TRACE_ON, CST_GEN_TRACE_ON },
		{ CST_STOP_TIMESTAMP, CST_GEN_TIMESTAMP }, { CST_STOP_EXCEPTION, CST_GEN_EXCEPTION },
		{ CST_STOP_CONTEXT, CST_GEN_PE_CONTEXT },
	};
	struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct cst_space *empty;
	struct program pr;
	struct cst_pull p;
	unsigned int i;
	int n;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	assert_int_equal(cst_space_new(&empty, pr.img), 0);
	dec = new_decoder(&cfg, pr.space);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT | CST_STOP_TRACE_ON | CST_STOP_TIMESTAMP | CST_STOP_EXCEPTION);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	for (i = 0; i < 5; i++) {
		n = cst_decoder_pull(dec, out, 40, &p);
		assert_true(n > 0);
		assert_int_equal(p.why, want[i].stop);
		assert_int_equal(out[n - 1].kind, want[i].kind);
	}
	/* the space that was set at the stop is what execution goes on in */
	cst_decoder_set_space(dec, empty);
	n = cst_decoder_pull(dec, out, 40, &p);
	assert_int_equal(n, 1);
	assert_int_equal(out[0].kind, CST_GEN_NACC);
	assert_int_equal(p.why, CST_STOP_NONE);
	/* none at all */
	cst_decoder_reset(dec, CST_UNSYNC_RESET);
	cst_decoder_set_space(dec, NULL);
	cst_decoder_set_stop(dec, 0);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	n = cst_decoder_pull(dec, out, 40, &p);
	assert_true(n > 5);
	assert_int_equal(p.why, CST_STOP_NONE);
	cst_decoder_free(dec);
	cst_image_free(pr.img);
}

static void test_lazy(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	static const uint8_t atoms[] = { 0xf7, 0xdb, 0x95, 0x02, 0xf7, 0x95, 0x00, 0xf7 };
	struct cst_section *sec, *gone;
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_space *sp;
	struct cst_pull p;
	int i;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_space_new(&sp, img), 0);
	assert_int_equal(cst_section_new(&sec, img, NULL, 8, NULL), 0);
	assert_int_equal(cst_section_new(&gone, img, NULL, 8, NULL), 0);
	assert_int_equal(cst_space_map(sp, 0, 8, sec, 0), 0);
	assert_int_equal(cst_space_map(sp, 8, 8, gone, 0), 0);
	dec = new_decoder(&cfg, sp);
	cst_decoder_set_stop(dec, CST_STOP_SECTION);
	assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 1);
	assert_int_equal(cst_decoder_feed(dec, atoms, sizeof(atoms), 18), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 1);	/* the context */
	for (i = 0; i < 3; i++) {
		assert_int_equal(p.why, CST_STOP_SECTION);
		assert_ptr_equal(cst_decoder_section(dec), sec);
		assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 0);
	}
	assert_int_equal(cst_section_set_bytes(sec, loop, 8), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 4);
	assert_int_equal(out[0].index, 18);
	assert_int_equal(out[2].index, 19);
	assert_int_equal(out[3].kind, CST_GEN_ADDR_UNKNOWN);	/* the loop does not lead to the next address */
	assert_int_equal(p.why, CST_STOP_SECTION);
	assert_ptr_equal(cst_decoder_section(dec), gone);
	assert_int_equal(cst_section_set_bytes(gone, NULL, 0), 0);
	assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 2);
	assert_int_equal(out[0].kind, CST_GEN_NACC);
	assert_int_equal(out[0].addr, 8);
	assert_int_equal(out[1].kind, CST_GEN_RANGE);
	assert_int_equal(p.why, CST_STOP_NONE);
	cst_decoder_free(dec);
	cst_image_free(img);
}

/* A caller that did not ask to be stopped for code gets it as missing, and everything else. */
static void test_no_code_wanted(void **state)
{
	static const uint8_t atoms[] = { 0xf7, 0x95, 0x02, 0xf7 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_section *lazy, *sec;
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_space *sp;
	struct cst_pull p;
	unsigned int on_demand;

	(void)state;
	for (on_demand = 0; on_demand < 2; on_demand++) {
		assert_int_equal(cst_image_new(&img, 0), 0);
		assert_int_equal(cst_space_new(&sp, img), 0);
		assert_int_equal(cst_section_new(&lazy, img, NULL, 8, NULL), 0);
		assert_int_equal(cst_section_new(&sec, img, loop, sizeof(loop), NULL), 0);
		if (on_demand)
			cst_space_set_on_demand(sp, 1);
		else
			assert_int_equal(cst_space_map(sp, 0, 8, lazy, 0), 0);
		assert_int_equal(cst_space_map(sp, 8, 8, sec, 0), 0);
		dec = new_decoder(&cfg, sp);
		assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 0), 0);
		assert_int_equal(cst_decoder_pull(dec, out, 40, NULL), 1);
		assert_int_equal(cst_decoder_feed(dec, atoms, sizeof(atoms), 18), 0);
		assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 3);	/* with the context */
		assert_int_equal(p.why, CST_STOP_NONE);
		assert_int_equal(out[1].kind, CST_GEN_NACC);
		assert_int_equal(out[1].addr, 0);
		assert_int_equal(out[2].kind, CST_GEN_RANGE);
		assert_int_equal(out[2].addr, 8);
		assert_int_equal(cst_decoder_pull(dec, out, 40, &p), 0);
		assert_int_equal(p.why, CST_STOP_INPUT);
		/* the section is as lazy as before: another caller may have its bytes */
		assert_int_equal(cst_section_set_bytes(lazy, loop, 8), 0);
		cst_decoder_free(dec);
		cst_image_free(img);
	}
}

/* A frame with 14 bytes of one ID. */
static void put_frame(uint8_t *f, uint8_t id, const uint8_t *bytes)
{
	unsigned int i;

	f[0] = (uint8_t)(id << 1 | 1);
	f[15] = 0;
	for (i = 1; i < 15; i++) {
		f[i] = i & 1 ? bytes[i - 1] : bytes[i - 1] & 0xfe;
		f[15] |= (uint8_t)(i & 1 ? 0 : (bytes[i - 1] & 1) << i / 2);
	}
}

/* Frames of three IDs, of which two have decoders. */
static void make_frames(struct gbuf *b, int barrier)
{
	struct frames_opts o = { .seed = 3, .p_repeat = 100, .p_null = 100 };
	static const uint8_t more[] = { 0xf7, 0x02, 0x07, 0xf7 };
	struct frames fr;

	memset(b, 0, sizeof(*b));
	frames_init(&fr, &o, b);
	frames_put(&fr, 0x10, start, sizeof(start));
	frames_put(&fr, 0x22, start, sizeof(start));
	frames_put(&fr, 0x11, start, sizeof(start));
	frames_put(&fr, 0x10, more, 4);
	if (barrier) {
		frames_flush(&fr);
		frames_barrier(&fr);
	}
	frames_put(&fr, 0x11, more, 4);
	frames_flush(&fr);
}

static void test_routing(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec[2];
	struct cst_generic out[40];
	struct cst_pull p;
	unsigned int barrier, ranges[2], ends[2], resets, id, last_end;
	struct program pr;
	struct cst_tree *t;
	struct gbuf b;
	int n, i, pass;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	for (barrier = 0; barrier < 2; barrier++) {
		make_frames(&b, barrier);
		assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, barrier ? CST_FRAME_RESET_4X : 0), 0);
		for (id = 2; id--;) {
			cfg.trace_id = 0x10 + id;
			assert_int_equal(cst_tree_add(t, &cfg, &dec[id]), 0);
			cst_decoder_set_space(dec[id], pr.space);
			assert_ptr_equal(cst_tree_decoder(t, 0x10 + id), dec[id]);
		}
		assert_int_equal(cst_tree_add(t, &cfg, &dec[0]), -CST_ERR_INVAL);
		assert_null(cst_tree_decoder(t, 0x22));
		assert_null(cst_tree_decoder(t, 0x80));
		assert_null(cst_tree_decoder(t, 0xff));
		assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), 0);
		assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), -CST_ERR_BUSY);
		memset(ranges, 0, sizeof(ranges));
		memset(ends, 0, sizeof(ends));
		resets = last_end = 0;
		for (pass = 0; pass < 2; pass++) {
			if (pass)
				cst_tree_end(t);
			while ((n = cst_tree_pull(t, out, 40, &p))) {
				assert_true(n > 0);
				if (out[0].kind == CST_GEN_BARRIER) {
					assert_null(p.dec);
					resets++;
					continue;
				}
				for (i = 0; i < n; i++) {
					id = out[i].trace_id - 0x10;
					assert_ptr_equal(p.dec, dec[id]);
					ranges[id] += out[i].kind == CST_GEN_RANGE;
					ends[id] += out[i].kind == CST_GEN_EO_TRACE;
					if (out[i].kind == CST_GEN_EO_TRACE) {
						assert_true(id >= last_end);
						last_end = id;
					}
				}
			}
		}
		assert_int_equal(resets, barrier);
		assert_true(ranges[0] == 2 && ends[0] == 1 && ends[1] == 1);
		assert_int_equal(ranges[1], barrier ? 0 : 2);
		assert_int_equal(cst_tree_unrouted(t), sizeof(start));
		assert_int_equal(cst_tree_frame_stats(t)->barriers, barrier);
		assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), -CST_ERR_BUSY);
		/* a new buffer */
		cst_tree_reset(t);
		assert_int_equal(cst_tree_feed(t, b.p, 16, 0), 0);
		assert_true(cst_tree_pull(t, out, 40, NULL) > 0);
		cst_tree_free(t);
		free(b.p);
	}
	cst_tree_free(NULL);
	cst_image_free(pr.img);
}

/* A frame with the whole of a small trace in it and a range, a barrier, and a frame that cannot be. */
static void put_pieces(struct gbuf *b)
{
	static const uint8_t sync[14] = { SYNC };
	static const uint8_t rest[14] = { 0x81, 0x30, 0x95, 0x00, 0xf7, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70 };
	static const uint8_t barrier[] = { 0xff, 0xff, 0xff, 0x7f };
	unsigned int i;

	memset(b, 0, sizeof(*b));
	for (i = 0; i < 3; i++) {
		uint8_t f[16 * 3];

		put_frame(f, 0x10, sync);
		put_frame(f + 16, 0x10, rest);
		gbuf_put(b, f, 32);
		if (i == 1) {
			put_frame(f, 0x7f, rest);	/* a reserved ID: the frame is lost */
			gbuf_put(b, f, 16);
		} else {
			unsigned int k;

			for (k = 0; k < 8; k++)
				gbuf_put(b, barrier, sizeof(barrier));
		}
	}
}

/* The loop that looks at nothing but the number returned: barriers and lost frames do not end it. */
static void test_barriers(void **state)
{
	static const uint64_t at[] = { 32, 48, 96, 144, 160 };
	struct cst_config cfg = etm_config(4, 0);
	unsigned int ranges, unsync, barriers, listing, end;
	struct cst_generic out[40];
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct program pr;
	struct cst_tree *t;
	struct cst_pull p;
	struct gbuf b;
	int i, n;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	put_pieces(&b);
	for (listing = 0; listing < 2; listing++) {
		assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, CST_FRAME_RESET_4X | CST_FRAME_STRICT), 0);
		assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
		cst_decoder_set_space(dec, pr.space);
		assert_int_equal(cst_tree_pull(t, out, CST_PULL_MIN - 1, &p), -CST_ERR_INVAL);
		assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), 0);
		ranges = unsync = barriers = 0;
		for (end = 0; end < 2; end++) {
			while (!listing || cst_tree_next_packet(t, &pkt, &p) > 0) {
				while ((n = cst_tree_pull(t, out, 40, NULL)) > 0)
					for (i = 0; i < n; i++) {
						ranges += out[i].kind == CST_GEN_RANGE;
						unsync += out[i].kind == CST_GEN_NO_SYNC;
						if (out[i].kind != CST_GEN_BARRIER)
							continue;
						assert_int_equal(n, 1);
						assert_true(barriers < 5);
						assert_int_equal(out[i].trace_id, CST_ID_UNKNOWN);
						assert_int_equal(out[i].error, barriers == 2 ? CST_ERR_FRAME_ID : 0);
						assert_int_equal(out[i].index, at[barriers++]);
					}
				assert_int_equal(n, 0);
				if (!listing)
					break;
			}
			cst_tree_end(t);
		}
		assert_int_equal(barriers, 5);
		assert_int_equal(ranges, 3);
		assert_int_equal(unsync, 3);
		cst_tree_free(t);
	}
	free(b.p);
	cst_image_free(pr.img);
}

static void test_raw(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	static const uint8_t large[10000];
	struct cst_decoder *dec, *from;
	struct cst_generic out[40];
	struct cst_fragment frag;
	const uint8_t *data;
	struct cst_tree *t;
	struct cst_pull p;
	size_t at;

	(void)state;
	assert_int_equal(cst_tree_new(&t, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_feed(t, start, sizeof(start), 0), -CST_ERR_INVAL);
	assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
	cfg.trace_id = 0x11;
	assert_int_equal(cst_tree_add(t, &cfg, &from), -CST_ERR_INVAL);
	assert_int_equal(cst_tree_feed(t, start, sizeof(start), 40), 0);
	assert_int_equal(cst_tree_pull(t, out, 40, &p), 1);
	assert_ptr_equal(p.dec, dec);
	assert_int_equal(out[0].index, 40);
	cst_tree_end(t);
	assert_int_equal(cst_tree_pull(t, out, 40, &p), 1);
	assert_int_equal(out[0].kind, CST_GEN_EO_TRACE);
	assert_int_equal(cst_tree_pull(t, out, 40, &p), 0);
	assert_int_equal(p.why, CST_STOP_END);
	cst_tree_reset(t);
	assert_int_equal(cst_tree_feed(t, start, sizeof(start), 7), 0);
	assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 1);
	assert_true(frag.offset == 7 && frag.len == sizeof(start) && frag.id == 0x10);
	assert_int_equal(cst_tree_next_fragment(t, &frag, &data), 0);
	/* more than a fragment can have comes in several */
	assert_int_equal(cst_tree_feed(t, large, sizeof(large), 100), 0);
	for (at = 0; cst_tree_next_fragment(t, &frag, &data); at += frag.len) {
		assert_int_equal(frag.len, sizeof(large) - at < 4096 ? sizeof(large) - at : 4096);
		assert_int_equal(frag.offset, 100 + at);
		assert_ptr_equal(data + frag.pos, large + at);
		assert_true(frag.id == 0x10 && at < sizeof(large));
	}
	assert_int_equal(at, sizeof(large));
	/* the decoder of the last pull is gone: what it held is not asked for again */
	cst_tree_reset(t);
	assert_int_equal(cst_tree_feed(t, start, sizeof(start), 0), 0);
	assert_int_equal(cst_tree_pull(t, out, 40, &p), 1);
	assert_ptr_equal(p.dec, dec);
	cst_tree_remove(t, dec);
	assert_null(cst_tree_decoder(t, 0x10));
	assert_int_equal(cst_tree_pull(t, out, 40, &p), 0);
	assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
	cst_tree_free(t);
}

/* Packet by packet: the same elements as without stopping, and every byte in a packet. */
static void test_packets(void **state)
{
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec;
	struct cst_generic out[40];
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	unsigned int packets = 0, elements = 0, bytes = 0, end;
	struct program pr;
	struct cst_tree *t;
	struct gbuf b;
	int n;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	make_frames(&b, 0);
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
	cst_decoder_set_space(dec, pr.space);
	assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), 0);
	for (end = 0; end < 2; end++) {
		while (cst_tree_next_packet(t, &pkt, &p)) {
			if (p.why == CST_STOP_PACKET) {
				packets++;
				bytes += pkt.size;
				assert_int_equal(pkt.nbytes, pkt.size);
			}
			while ((n = cst_tree_pull(t, out, 40, &p)) > 0)
				elements += n;
			assert_int_equal(p.why, CST_STOP_PACKET);
		}
		assert_int_equal(p.why, end ? CST_STOP_END : CST_STOP_INPUT);
		cst_tree_end(t);
	}
	/* A-sync, Trace Info, context, address, atom, timestamp, atom */
	assert_int_equal(packets, 7);
	assert_int_equal(bytes, sizeof(start) + 4);
	/* not synchronised, context, range, time, range, end */
	assert_int_equal(elements, 6);
	cst_tree_free(t);
	/* the elements of the end are offered once, taken or not */
	dec = new_decoder(&cfg, pr.space);
	assert_int_equal(cst_decoder_feed(dec, start, sizeof(start), 0), 0);
	cst_decoder_end(dec);
	while (cst_decoder_next_packet(dec, &pkt, &p) && p.why == CST_STOP_PACKET)
		;
	assert_int_equal(p.why, CST_STOP_NONE);
	assert_int_equal(cst_decoder_next_packet(dec, &pkt, &p), 0);
	assert_int_equal(p.why, CST_STOP_END);
	cst_decoder_free(dec);
	free(b.p);
	cst_image_free(pr.img);
}

static unsigned int drain(struct cst_tree *t, unsigned int *ranges, uint64_t *last)
{
	struct cst_generic out[40];
	unsigned int seen = 0;
	int n, i;

	while ((n = cst_tree_pull(t, out, 40, NULL)))
		for (i = 0; i < n; i++, seen++) {
			*ranges += out[i].kind == CST_GEN_RANGE;
			*last = out[i].index;
		}
	return seen;
}

/* A buffer as it lies in memory, its end before its start; raw, and listed packet by packet. */
static void test_wrapped(void **state)
{
	static const uint8_t rest[] = { 0xf7, 0xf7, 0xf7, 0xf7 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec;
	struct cst_generic out[40];
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	struct program pr;
	struct cst_tree *t;
	uint8_t mem[sizeof(start) + sizeof(rest)];
	size_t write, len = sizeof(mem);
	unsigned int ranges, bytes, i;
	uint64_t last = 0;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	for (write = 0; write <= len; write++) {
		for (i = 0; i < len; i++)
			mem[(write + i) % len] = i < sizeof(start) ? start[i] : rest[i - sizeof(start)];
		assert_int_equal(cst_tree_new(&t, CST_TREE_RAW, 0), 0);
		assert_int_equal(cst_tree_feed_wrapped(t, mem, len, write, 1, 0), -CST_ERR_INVAL);	/* no decoder */
		assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
		cst_decoder_set_space(dec, pr.space);
		assert_int_equal(cst_tree_feed_wrapped(t, mem, len, len + 1, 1, 0), -CST_ERR_INVAL);
		assert_int_equal(cst_tree_feed_wrapped(t, mem, len, write, 1, 500), 0);
		ranges = 0;
		drain(t, &ranges, &last);
		assert_int_equal(ranges, 4);
		assert_int_equal(last, 500 + len - 1);
		/* not wrapped: what lies behind the write pointer is older rubbish */
		cst_tree_reset(t);
		assert_int_equal(cst_tree_feed_wrapped(t, mem, len, write, 0, 0), 0);
		drain(t, &ranges, &last);
		assert_int_equal(cst_decoder_stats(dec)->bytes, len + write);
		cst_tree_reset(t);
		assert_int_equal(cst_tree_feed_wrapped(t, mem, len, write, 1, 0), 0);
		for (bytes = 0; cst_tree_next_packet(t, &pkt, &p); bytes += pkt.size)
			while (cst_tree_pull(t, out, 40, NULL))
				;
		assert_int_equal(bytes, len);
		cst_tree_free(t);
	}
	cst_image_free(pr.img);
}

static void test_trigger_and_filter(void **state)
{
	static const uint64_t only_11[2] = { 1ull << 0x11, 0 };
	struct frames_opts o = { .seed = 1 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_decoder *dec[2];
	struct gbuf b = { 0 };
	struct program pr;
	struct cst_tree *t;
	struct frames f;
	unsigned int ranges = 0, pass;
	uint64_t at, last;

	(void)state;
	program_map(&pr, 0, loop, sizeof(loop));
	frames_init(&f, &o, &b);
	frames_put(&f, 0x10, start, sizeof(start));
	frames_put(&f, 0x11, start, sizeof(start));
	frames_put(&f, 0x7d, (const uint8_t *)"\0", 1);
	frames_put(&f, 0x10, (const uint8_t *)"\xf7\xf7", 2);
	frames_flush(&f);
	assert_int_equal(cst_tree_new(&t, CST_TREE_FRAMES, 0), 0);
	for (pass = 0; pass < 2; pass++) {
		cfg.trace_id = 0x10 + pass;
		assert_int_equal(cst_tree_add(t, &cfg, &dec[pass]), 0);
		cst_decoder_set_space(dec[pass], pr.space);
	}
	assert_int_equal(cst_tree_trigger(t, &at), 0);
	assert_int_equal(cst_tree_feed(t, b.p, b.len, 0x1000), 0);
	drain(t, &ranges, &last);
	assert_int_equal(ranges, 2);
	assert_int_equal(cst_tree_trigger(t, &at), 1);
	/* after 30 data bytes and their ID bytes */
	assert_in_range(at, 0x1000 + 2 * sizeof(start), 0x1000 + 2 * sizeof(start) + 6);
	assert_int_equal(cst_tree_frame_stats(t)->triggers, 1);
	/* the filter holds over resets */
	cst_tree_filter(t, only_11);
	for (pass = 0; pass < 2; pass++) {
		cst_tree_reset(t);
		assert_int_equal(cst_tree_trigger(t, &at), 0);
		assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), 0);
		drain(t, &ranges, &last);
		assert_int_equal(cst_decoder_stats(dec[0])->bytes, sizeof(start) + 2);
		assert_int_equal(cst_decoder_stats(dec[1])->bytes, (2 + pass) * sizeof(start));
	}
	cst_tree_filter(t, NULL);
	cst_tree_reset(t);
	assert_int_equal(cst_tree_feed(t, b.p, b.len, 0), 0);
	drain(t, &ranges, &last);
	assert_int_equal(ranges, 4);
	cst_tree_free(t);
	gbuf_free(&b);
	cst_image_free(pr.img);
}

/* A struct_size that cannot be is refused; a larger packet keeps what the library does not know. */
static void test_packet_sizes(void **state)
{
	static const size_t refused[] = { 8, sizeof(struct cst_packet) - 1, 4097 };
	struct cst_config cfg = etm_config(4, 0);
	struct {
		struct cst_packet pkt;
		uint64_t more;
	} got = { { 0 }, 42 };
	struct cst_decoder *dec;
	struct cst_tree *tree;
	struct cst_pull p;
	size_t i;

	(void)state;
	assert_int_equal(cst_tree_new(&tree, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(tree, &cfg, &dec), 0);
	assert_int_equal(cst_tree_feed(tree, start, sizeof(start), 0), 0);
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		got.pkt.struct_size = refused[i];
		assert_int_equal(cst_tree_next_packet(tree, &got.pkt, &p), -CST_ERR_INVAL);
	}
	got.pkt.struct_size = sizeof(got);
	assert_int_equal(cst_tree_next_packet(tree, &got.pkt, &p), 1);
	assert_true(got.pkt.type == CST_PKT_ASYNC && got.pkt.struct_size == sizeof(got));
	assert_int_equal(got.more, 42);
	cst_tree_free(tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_drop_part),
		cmocka_unit_test(test_feed_and_pull),
		cmocka_unit_test(test_start_at),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_drop), cmocka_unit_test(test_ignore),
		cmocka_unit_test(test_start_in_fragment),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_lazy),
		cmocka_unit_test(test_no_code_wanted),
		cmocka_unit_test(test_routing),
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_packet_sizes),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_trigger_and_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
