/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_frame.c - the de-formatter: an independent byte-wise decoder on random frames, patterns
 * strewn in, cut and gapped input, small outputs. Golden listings have the rules of frames.
 *
 * test_frame --list FLAGS FILE lists the fragments of a file as trc_pkt_lister -o_raw_unpacked does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/frame.h>

#define MAX_FRAGS 4096
#define MAX_DATA 32768

static const uint8_t tc2[16] = {
	0x28, 0x21, 0x7e, 0x8b, 0x02, 0xc0, 0x21, 0x84, 0x82, 0xa4, 0x84, 0xa4, 0x84, 0xbc, 0xb0, 0x0b
};
static const uint8_t barrier[16] = {
	0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f
};
/* ID 0x10 immediate at pair 0, data 01..0e. */
static const uint8_t plain[16] = {
	0x21, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x00
};

struct result {
	struct cst_fragment frag[MAX_FRAGS];
	uint8_t data[MAX_DATA];
	uint32_t frags, bytes;
	struct cst_deframer df;
};

static void start(struct result *r, unsigned flags)
{
	memset(r, 0, sizeof(*r));
	cst_deframer_init(&r->df, flags);
}

/* Feed with the given output sizes; positions are made to count over all calls. */
static void feed_sized(struct result *r, const uint8_t *in, size_t len, uint64_t offset, size_t out_cap,
		       size_t frag_cap)
{
	while (len) {
		size_t used;
		int i, n = cst_deframe(&r->df, in, len, offset, r->data + r->bytes, out_cap,
				       r->frag + r->frags, frag_cap, &used);
		uint32_t base = r->bytes;

		assert_true(n >= 0 && (size_t)n <= frag_cap && used <= len);
		assert_true(n || used);
		for (i = 0; i < n; i++) {
			struct cst_fragment *f = &r->frag[r->frags + (uint32_t)i];

			f->pos += base;
			assert_int_equal(f->pos, r->bytes);
			if (f->kind == CST_FRAG_DATA) {
				assert_in_range(f->len, 1, 15);
				r->bytes += f->len;
			}
		}
		assert_true(r->bytes - base <= out_cap);
		r->frags += (uint32_t)n;
		in += used;
		offset += used;
		len -= used;
	}
}

static void feed(struct result *r, const uint8_t *in, size_t len, uint64_t offset)
{
	feed_sized(r, in, len, offset, MAX_DATA - r->bytes, MAX_FRAGS - r->frags);
}

static uint64_t accounted(const struct result *r)
{
	const struct cst_frame_stats *s = &r->df.stats;

	return s->data + s->null + s->reserved + s->unknown + s->overhead + s->skipped;
}

static void check_frag(const struct result *r, uint32_t i, uint64_t offset, unsigned id, const char *bytes,
		       unsigned len)
{
	const struct cst_fragment *f = &r->frag[i];

	assert_true(i < r->frags);
	assert_int_equal(f->kind, CST_FRAG_DATA);
	assert_int_equal(f->offset, offset);
	assert_int_equal(f->id, id);
	assert_int_equal(f->len, len);
	assert_memory_equal(r->data + f->pos, bytes, len);
}

static void check_error(const struct result *r, uint32_t i, uint64_t offset, int error, unsigned len)
{
	assert_true(i < r->frags);
	assert_int_equal(r->frag[i].kind, CST_FRAG_ERROR);
	assert_int_equal(r->frag[i].offset, offset);
	assert_int_equal(r->frag[i].error, -error);
	assert_int_equal(r->frag[i].len, len);
}

static void check_same(const struct result *a, const struct result *b)
{
	uint32_t i;

	assert_int_equal(a->frags, b->frags);
	for (i = 0; i < a->frags; i++) {
		assert_int_equal(a->frag[i].offset, b->frag[i].offset);
		assert_int_equal(a->frag[i].len, b->frag[i].len);
		assert_int_equal(a->frag[i].id, b->frag[i].id);
		assert_int_equal(a->frag[i].kind, b->frag[i].kind);
		assert_int_equal(a->frag[i].error, b->frag[i].error);
	}
	assert_int_equal(a->bytes, b->bytes);
	assert_memory_equal(a->data, b->data, a->bytes);
	assert_memory_equal(&a->df.stats, &b->df.stats, sizeof(a->df.stats));
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* The rules of the architecture byte by byte: (ID, byte) pairs. */
struct tagged {
	uint8_t id, byte;
};

static unsigned naive(const uint8_t *f, uint8_t *id, struct tagged *to)
{
	unsigned k, n = 0;

	for (k = 0; k < 8; k++) {
		unsigned aux = f[15] >> k & 1, even = f[2 * k], odd = f[2 * k + 1];

		if (!(even & 1)) {
			to[n++] = (struct tagged){ *id, (uint8_t)(even | aux) };
			if (k < 7)
				to[n++] = (struct tagged){ *id, (uint8_t)odd };
			continue;
		}
		if (k == 7) {
			*id = (uint8_t)(even >> 1);
			continue;
		}
		if (!aux)
			*id = (uint8_t)(even >> 1);
		to[n++] = (struct tagged){ *id, (uint8_t)odd };
		*id = (uint8_t)(even >> 1);
	}
	return n;
}

static uint32_t seed;

static unsigned rnd(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* A sound frame with few or many ID bytes. */
static void random_frame(uint8_t *f)
{
	unsigned i, rare = rnd(3) * 4 + 1;

	for (i = 0; i < 16; i++)
		f[i] = (uint8_t)rnd(256);
	for (i = 0; i < 16; i += 2) {
		if (rnd(rare))
			f[i] &= 0xfe;
		else
			f[i] = (uint8_t)((rnd(3) ? rnd(4) : rnd(0x7f)) << 1 | 1);
	}
}

static void test_random_frames(void **state)
{
	static struct result r;
	static uint8_t in[64 * 16];
	static struct tagged want[64 * 15];
	unsigned round, i, j;

	(void)state;
	seed = 1;
	for (round = 0; round < 300; round++) {
		unsigned n = 0, at = 0;
		uint8_t id = CST_ID_UNKNOWN;

		for (i = 0; i < 64; i++) {
			random_frame(in + 16 * i);
			n += naive(in + 16 * i, &id, want + n);
		}
		start(&r, CST_FRAME_ALIGNED);
		feed(&r, in, sizeof(in), 0);
		assert_int_equal(r.bytes, n);
		for (i = 0; i < r.frags; i++) {
			assert_int_equal(r.frag[i].kind, CST_FRAG_DATA);
			for (j = 0; j < r.frag[i].len; j++, at++) {
				assert_int_equal(r.frag[i].id, want[at].id);
				assert_int_equal(r.data[at], want[at].byte);
			}
		}
		assert_int_equal(accounted(&r), sizeof(in));
		assert_int_equal(r.df.stats.frames, 64);
	}
}

/* The IDs that frames name, in pieces of any size; among them one in a long stretch of another. */
static void test_ids(void **state)
{
	static uint8_t in[1000 * 16];
	unsigned round, i, k;

	(void)state;
	seed = 5;
	for (round = 0; round < 200; round++) {
		uint64_t want[2] = { 0, 0 }, ids[2] = { 0, 0 };
		unsigned frames = 1 + rnd(1000), other = rnd(2 * frames), pos = 0;
		size_t at, n;

		for (i = 0; i < frames; i++) {
			uint8_t *f = in + 16 * i;

			random_frame(f);
			for (k = 0; k < 16; k += 2) {
				if (round & 1 && f[k] & 1)
					f[k] = i == other ? 0x25 : 0x21;
				if (f[k] & 1)
					want[f[k] >> 7] |= 1ull << (f[k] >> 1 & 63);
			}
		}
		for (at = 0; at < 16 * frames; at += n) {
			n = round % 3 ? 16 * frames : 1 + rnd(100);
			n = n < 16 * frames - at ? n : 16 * frames - at;
			pos = cst_frame_ids(in + at, n, pos, ids);
			assert_int_equal(pos, (at + n) % 16);
		}
		assert_int_equal(ids[0], want[0]);
		assert_int_equal(ids[1], want[1]);
	}
}

static void test_raw_start(void **state)
{
	static const uint8_t async[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0 };

	(void)state;
	assert_int_equal(cst_frame_is_raw(async, sizeof(async)), 1);
	assert_int_equal(cst_frame_is_raw(async, CST_FRAME_RAW_BYTES), 1);
	assert_int_equal(cst_frame_is_raw(async, CST_FRAME_RAW_BYTES - 1), 0);
	assert_int_equal(cst_frame_is_raw(async + 1, sizeof(async) - 1), 0);
	assert_int_equal(cst_frame_is_raw(tc2, sizeof(tc2)), 0);
}

static void test_cut_anywhere(void **state)
{
	static struct result whole, cut;
	static uint8_t in[20 * 16];
	unsigned i, j;

	(void)state;
	seed = 2;
	for (i = 0; i < 20; i++)
		random_frame(in + 16 * i);
	memcpy(in + 7 * 16, barrier, 16);
	in[9 * 16 + 6] = 0xff;
	start(&whole, CST_FRAME_RESET_4X);
	feed(&whole, in, sizeof(in), 0x1000);
	assert_int_equal(whole.df.stats.barriers, 1);
	assert_int_equal(whole.df.stats.errors, 1);
	for (i = 1; i < 40; i++) {
		start(&cut, CST_FRAME_RESET_4X);
		for (j = 0; j < sizeof(in); j += i)
			feed_sized(&cut, in + j, i < sizeof(in) - j ? i : sizeof(in) - j, 0x1000 + j,
				   i & 1 ? 16 : 40, i & 2 ? 9 : 20);
		check_same(&whole, &cut);
	}
}

static void test_small_outputs_refused(void **state)
{
	struct cst_deframer df;
	struct cst_fragment frag[11];
	uint8_t out[16];
	size_t used = 1;

	(void)state;
	cst_deframer_init(&df, CST_FRAME_ALIGNED);
	assert_int_equal(cst_deframe(&df, tc2, 16, 0, out, 15, frag, 9, &used), -CST_ERR_INVAL);
	assert_int_equal(used, 0);
	assert_int_equal(cst_deframe(&df, tc2, 16, 0, out, 16, frag, 8, &used), -CST_ERR_INVAL);
	assert_int_equal(cst_deframe(&df, tc2, 0, 0, out, 16, frag, 9, &used), 0);
	assert_int_equal(cst_deframe(&df, tc2, 16, 0, out, 16, frag, 9, &used), 2);
	assert_int_equal(used, 16);
	/* findings need room, too */
	cst_deframer_init(&df, CST_FRAME_FINDINGS);
	assert_int_equal(cst_deframe(&df, tc2, 16, 0, out, 16, frag, 10, &used), -CST_ERR_INVAL);
	assert_int_equal(cst_deframe(&df, tc2, 16, 0, out, 16, frag, 11, &used), 2);
}

/* ---- barriers, errors, gaps ------------------------------------------------------------------- */

static void test_gap(void **state)
{
	static struct result r;
	uint8_t data[16];

	(void)state;
	start(&r, CST_FRAME_ALIGNED);
	feed(&r, plain, 16, 0);
	feed(&r, plain, 6, 16);
	memcpy(data, plain, 16);
	data[0] = 0x42;
	feed(&r, data, 16, 64);
	assert_int_equal(r.frags, 3);
	check_error(&r, 1, 16, CST_ERR_FRAME_CUT, 6);
	check_frag(&r, 2, 64, CST_ID_UNKNOWN, "\x42\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15);
	assert_int_equal(r.df.stats.skipped, 6);

	/* between frames nothing is cut, but whose bytes come is not known either */
	start(&r, CST_FRAME_ALIGNED);
	feed(&r, plain, 16, 0);
	feed(&r, data, 16, 64);
	assert_int_equal(r.frags, 2);
	check_frag(&r, 1, 64, CST_ID_UNKNOWN, "\x42\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 15);
	assert_int_equal(r.df.stats.errors, 0);

	/* with synchronisation words, where frames begin is not known before the next one */
	start(&r, CST_FRAME_FSYNC);
	feed(&r, barrier, 4, 0);
	feed(&r, plain, 16, 4);
	feed(&r, plain, 16, 64);
	feed(&r, barrier, 4, 80);
	feed(&r, plain, 16, 84);
	assert_int_equal(r.frags, 2);
	check_frag(&r, 1, 84, 0x10, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16", 14);
	assert_int_equal(r.df.stats.skipped, 16);
	assert_int_equal(accounted(&r), 56);
}

/* A filter can be taken back; bytes before the first ID are never kept back. */
static void test_filter(void **state)
{
	static const uint64_t only[2] = { 0, 1 }, none[2] = { 0, 0 };
	static struct result r;
	uint8_t other[16];

	(void)state;
	memcpy(other, plain, 16);
	other[0] = 0x40 << 1 | 1;
	start(&r, CST_FRAME_ALIGNED);
	cst_deframer_filter(&r.df, none);
	feed(&r, tc2, 16, 0);
	assert_int_equal(r.frags, 1);
	assert_int_equal(r.frag[0].id, CST_ID_UNKNOWN);
	assert_int_equal(r.df.stats.filtered, 7);
	cst_deframer_filter(&r.df, only);
	feed(&r, plain, 16, 16);
	feed(&r, other, 16, 32);
	assert_int_equal(r.frags, 2);
	assert_int_equal(r.frag[1].id, 0x40);
	assert_int_equal(r.df.stats.filtered, 7 + 14);
	cst_deframer_filter(&r.df, NULL);
	feed(&r, plain, 16, 48);
	assert_int_equal(r.frags, 3);
	assert_int_equal(r.frag[2].id, 0x10);
	assert_int_equal(accounted(&r) + r.df.stats.filtered, 64);
}

/* ---- synchronisation patterns ------------------------------------------------------------------ */

static size_t put(uint8_t *to, size_t at, const void *bytes, size_t n)
{
	memcpy(to + at, bytes, n);
	return at + n;
}

/*
 * Frames with patterns strewn in must give the fragments of the frames alone, at the offsets that
 * the pairs have in the stream, however the stream is cut.
 */
static void test_strewn_patterns(void **state)
{
	static struct result want, got;
	static uint8_t frames[24 * 16], in[4096];
	static uint64_t offset_of[24 * 8];
	unsigned round, i, k, step;

	(void)state;
	seed = 3;
	for (round = 0; round < 60; round++) {
		size_t n = put(in, 0, barrier, 4), at;

		for (i = 0; i < 24; i++) {
			random_frame(frames + 16 * i);
			while (!rnd(4))
				n = put(in, n, barrier, 4);
			for (k = 0; k < 8; k++) {
				while ((round & 1) && !rnd(5))
					n = put(in, n, "\xff\x7f", 2);
				offset_of[8 * i + k] = n;
				n = put(in, n, frames + 16 * i + 2 * k, 2);
			}
		}
		start(&want, CST_FRAME_ALIGNED);
		feed(&want, frames, sizeof(frames), 0);
		for (step = 1; step < 80; step += 1 + rnd(9)) {
			start(&got, round & 1 ? CST_FRAME_HSYNC : CST_FRAME_FSYNC);
			for (at = 0; at < n; at += step)
				feed(&got, in + at, step < n - at ? step : n - at, at);
			assert_int_equal(got.frags, want.frags);
			for (i = 0; i < got.frags; i++) {
				assert_int_equal(got.frag[i].offset, offset_of[want.frag[i].offset / 2]);
				assert_int_equal(got.frag[i].id, want.frag[i].id);
				assert_int_equal(got.frag[i].len, want.frag[i].len);
			}
			assert_memory_equal(got.data, want.data, want.bytes);
			assert_int_equal(got.df.stats.errors, 0);
			assert_int_equal(accounted(&got), n);
		}
	}
}

/* ---- listing ----------------------------------------------------------------------------------- */

static int list(const char *flags, const char *path)
{
	static uint8_t in[65536], out[65536];
	static struct cst_fragment frag[8192];
	struct cst_deframer df;
	uint64_t offset = 0;
	size_t len;
	FILE *f = fopen(path, "rb");

	if (!f) {
		perror(path);
		return 1;
	}
	cst_deframer_init(&df, (unsigned)strtoul(flags, NULL, 0));
	while ((len = fread(in, 1, sizeof(in), f)) > 0) {
		size_t at = 0, used;

		for (; at < len; at += used, offset += used) {
			int i, j, n = cst_deframe(&df, in + at, len - at, offset, out, sizeof(out), frag,
						  8192, &used);

			for (i = 0; i < n; i++) {
				printf("%llu %02x", (unsigned long long)frag[i].offset, frag[i].id);
				for (j = 0; frag[i].kind == CST_FRAG_DATA && j < frag[i].len; j++)
					printf(" %02x", out[frag[i].pos + (uint32_t)j]);
				puts(frag[i].kind == CST_FRAG_RESET ? " reset" :
				     frag[i].kind == CST_FRAG_ERROR ? cst_strerror(frag[i].error) : "");
			}
		}
	}
	fclose(f);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_frames),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_raw_start),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_small_outputs_refused),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_strewn_patterns),
	};

	if (argc == 4 && !strcmp(argv[1], "--list"))
		return list(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
