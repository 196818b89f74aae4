/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_frame_modes.c - what the formatter model writes, the de-formatter reads: every mode, whole, cut, damaged,
 * shortened, wrapped, filtered, packed. Everything follows from a seed, which a failure prints.
 *
 * test_frame_modes [FIRST [COUNT]]: other seeds than the first 10000.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/cstrace.h>
#include <frames.h>

#define MAX_FRAGS 60000
#define MAX_BYTES 40000
#define MAX_RUNS 120

static uint64_t first_seed, seeds = 10000;

static const uint8_t fsync_word[4] = { 0xff, 0xff, 0xff, 0x7f };

/* What came out of a de-formatter. */
struct out {
	struct cst_fragment frag[MAX_FRAGS];
	uint8_t data[MAX_BYTES];
	uint32_t frags, bytes;
	struct cst_deframer df;
};

/* One buffer with what it was made of. */
struct sample {
	struct rng rng;
	unsigned int flags;
	struct gbuf raw;		/* as captured */
	struct gbuf net;		/* without the probe's bytes */
	struct gbuf id[128];
	size_t data;			/* bytes of all IDs */
};

static struct out a, b;

static void fail_at(uint64_t seed, const char *what, int line)
{
	fprintf(stderr, "seed %llu, line %d: %s\n", (unsigned long long)seed, line, what);
	fail();
}

#define MUST(cond) do { if (!(cond)) fail_at(seed, #cond, __LINE__); } while (0)

static void make(struct sample *s, uint64_t seed)
{
	static const uint8_t ids[8] = { 0x10, 0x11, 0x12, 0x01, 0x6f, 0x20, 0x42, 0x33 };
	struct frames_opts o = { .seed = seed };
	unsigned int runs, i, k, id, n;
	struct frames f;
	uint8_t bytes[64];

	memset(s, 0, sizeof(*s));
	rng_seed(&s->rng, seed * 2654435761u + 1);
	switch (seed & 3) {
	case 0:
		s->flags = CST_FRAME_ALIGNED;
		break;
	case 1:
		s->flags = CST_FRAME_RESET_4X;
		break;
	case 2:
		s->flags = CST_FRAME_FSYNC;
		break;
	default:
		s->flags = CST_FRAME_HSYNC;
		o.p_hsync = rng_below(&s->rng, 300);
	}
	if (s->flags & (CST_FRAME_FSYNC | CST_FRAME_HSYNC))
		o.p_fsync = 20 + rng_below(&s->rng, 300);
	if (!rng_below(&s->rng, 3))
		s->flags |= CST_FRAME_DSTREAM;
	o.p_repeat = rng_below(&s->rng, 2) ? rng_below(&s->rng, 200) : 0;
	o.p_null = rng_below(&s->rng, 2) ? rng_below(&s->rng, 100) : 0;
	frames_init(&f, &o, &s->net);
	if (o.p_fsync) {
		/* what was captured before the first synchronisation, at any alignment */
		n = rng_below(&s->rng, 3) ? rng_below(&s->rng, 600) : 0;
		for (i = 0; i < n; i++)
			gbuf_u8(&s->net, rng_below(&s->rng, 255));
		frames_fsync(&f);
	}
	runs = 1 + rng_below(&s->rng, MAX_RUNS);
	for (i = 0; i < runs; i++) {
		id = ids[rng_below(&s->rng, 1 + rng_below(&s->rng, 8))];
		n = 1 + rng_below(&s->rng, 1 + rng_below(&s->rng, sizeof(bytes) - 1));
		for (k = 0; k < n; k++)
			bytes[k] = rng_below(&s->rng, 4) ? rng_below(&s->rng, 256) : 0xff;
		frames_put(&f, (int)id, bytes, n);
		gbuf_put(&s->id[id], bytes, n);
		s->data += n;
		if (s->flags & CST_FRAME_RESET_4X && !rng_below(&s->rng, 20))
			frames_barrier(&f);
	}
	frames_flush(&f);
	if (s->flags & CST_FRAME_DSTREAM)
		frames_dstream(&s->rng, s->net.p, s->net.len, &s->raw);
	else
		gbuf_put(&s->raw, s->net.p, s->net.len);
}

static void drop(struct sample *s)
{
	unsigned int i;

	gbuf_free(&s->raw);
	gbuf_free(&s->net);
	for (i = 0; i < 128; i++)
		gbuf_free(&s->id[i]);
}

static uint64_t accounted(const struct cst_frame_stats *s)
{
	return s->data + s->null + s->reserved + s->unknown + s->overhead + s->skipped + s->filtered;
}

static void start(struct out *o, unsigned int flags)
{
	o->frags = o->bytes = 0;
	cst_deframer_init(&o->df, flags);
}

/* [p, p + len) in pieces of up to `piece` bytes, into outputs of random size. */
static void feed(struct out *o, const uint8_t *p, size_t len, uint64_t offset, struct rng *rng, unsigned int piece)
{
	size_t n, used, caps[2];
	uint32_t i, base;
	int got;

	while (len) {
		n = piece ? 1 + rng_below(rng, piece) : len;
		n = n < len ? n : len;
		caps[0] = piece ? 16 + rng_below(rng, 64) : MAX_BYTES - o->bytes;
		caps[1] = piece ? 11 + rng_below(rng, 16) : MAX_FRAGS - o->frags;
		base = o->bytes;
		got = cst_deframe(&o->df, p, n, offset, o->data + base, caps[0], o->frag + o->frags, caps[1],
				  &used);
		assert_true(got >= 0 && (size_t)got <= caps[1] && used <= n && (got || used));
		for (i = o->frags; i < o->frags + (uint32_t)got; i++) {
			assert_int_equal(o->frag[i].pos, o->bytes - base);
			o->frag[i].pos = o->bytes;
			if (o->frag[i].kind != CST_FRAG_ERROR)
				o->bytes += o->frag[i].len;
		}
		assert_true(o->bytes - base <= caps[0]);
		o->frags += (uint32_t)got;
		p += used;
		len -= used;
		offset += used;
	}
}

static int same(const struct out *x, uint32_t i, const struct out *y, uint32_t j)
{
	const struct cst_fragment *f = &x->frag[i], *g = &y->frag[j];

	return f->kind == g->kind && f->offset == g->offset && f->len == g->len && f->id == g->id &&
	       f->error == g->error &&
	       (f->kind == CST_FRAG_ERROR || !memcmp(x->data + f->pos, y->data + g->pos, f->len));
}

static int all_same(const struct out *x, const struct out *y)
{
	uint32_t i;

	if (x->frags != y->frags || memcmp(&x->df.stats, &y->df.stats, sizeof(x->df.stats)))
		return 0;
	for (i = 0; i < x->frags; i++)
		if (!same(x, i, y, i))
			return 0;
	return 1;
}

/* The bytes of one ID, in order, are those of the sample. */
static int id_same(const struct out *o, unsigned int id, const struct gbuf *want)
{
	size_t at = 0;
	uint32_t i;

	for (i = 0; i < o->frags; i++) {
		const struct cst_fragment *f = &o->frag[i];

		if (f->kind != CST_FRAG_DATA || f->id != id)
			continue;
		if (at + f->len > want->len || memcmp(want->p + at, o->data + f->pos, f->len))
			return 0;
		at += f->len;
	}
	return at == want->len;
}

static uint32_t count_kind(const struct out *o, enum cst_frag_kind kind)
{
	uint32_t i, n = 0;

	for (i = 0; i < o->frags; i++)
		n += o->frag[i].kind == kind;
	return n;
}

static void whole(struct sample *s, uint64_t seed)
{
	unsigned int id;
	uint32_t i;

	start(&a, s->flags);
	feed(&a, s->raw.p, s->raw.len, 0, &s->rng, 0);
	for (id = 1; id < 128; id++)
		MUST(id_same(&a, id, &s->id[id]));
	MUST(accounted(&a.df.stats) == s->raw.len);
	MUST(a.df.stats.data == s->data && !a.df.stats.errors && !a.df.fill);
	/* places are those without the probe's bytes, and in the right order */
	for (i = 0; i < a.frags; i++) {
		MUST(a.frag[i].offset < s->net.len);
		MUST(!i || a.frag[i].offset >= a.frag[i - 1].offset);
	}
	start(&b, s->flags);
	feed(&b, s->raw.p, s->raw.len, 0, &s->rng, 1 + rng_below(&s->rng, 700));
	MUST(all_same(&a, &b));
}

static void packed(struct sample *s, uint64_t seed)
{
	static uint8_t frames[MAX_BYTES];
	size_t frame_bytes = 0, at = 0;
	unsigned int id;
	uint32_t i;

	start(&b, s->flags | CST_FRAME_PACKED);
	feed(&b, s->raw.p, s->raw.len, 0, &s->rng, 1 + rng_below(&s->rng, 700));
	MUST(accounted(&b.df.stats) == s->raw.len);
	for (i = 0; i < b.frags; i++) {
		const struct cst_fragment *f = &b.frag[i];

		if (f->kind == CST_FRAG_FRAME) {
			memcpy(frames + frame_bytes, b.data + f->pos, 16);
			frame_bytes += 16;
		} else if (f->kind == CST_FRAG_FSYNC || f->kind == CST_FRAG_HSYNC) {
			/* as it stands in the trace, at its place */
			MUST(f->offset >= at && f->offset + f->len <= s->net.len);
			MUST(!memcmp(s->net.p + f->offset, b.data + f->pos, f->len));
			at = f->offset + f->len;
		} else {
			MUST(f->kind == CST_FRAG_RESET);
		}
	}
	MUST(b.df.stats.frames * 16 == frame_bytes);
	MUST(count_kind(&b, CST_FRAG_FSYNC) || !(s->flags & (CST_FRAME_FSYNC | CST_FRAME_HSYNC)));
	if (s->flags & CST_FRAME_RESET_4X)	/* the ID that a frame starts with may be one that a barrier forgot */
		return;
	start(&a, CST_FRAME_ALIGNED);
	feed(&a, frames, frame_bytes, 0, &s->rng, 0);
	for (id = 1; id < 128; id++)
		MUST(id_same(&a, id, &s->id[id]));
}

static void filtered(struct sample *s, uint64_t seed)
{
	static const struct gbuf none;
	uint64_t ids[2], kept = 0;
	unsigned int id;

	ids[0] = rng_next(&s->rng);
	ids[1] = rng_next(&s->rng);
	start(&b, s->flags);
	cst_deframer_filter(&b.df, ids);
	feed(&b, s->raw.p, s->raw.len, 0, &s->rng, 1 + rng_below(&s->rng, 700));
	for (id = 1; id < 0x70; id++) {
		if (ids[id >> 6] >> (id & 63) & 1)
			kept += s->id[id].len;
		MUST(id_same(&b, id, ids[id >> 6] >> (id & 63) & 1 ? &s->id[id] : &none));
	}
	MUST(b.df.stats.data == kept && b.df.stats.data + b.df.stats.filtered >= s->data);
	MUST(accounted(&b.df.stats) == s->raw.len);
}

/* The memory of a circular buffer: the same trace, rotated, with the newest frame half written. */
static void wrapped(struct sample *s, uint64_t seed)
{
	struct cst_unwrapped u = { 0 };
	struct gbuf mem = { 0 };
	size_t len = s->raw.len, write, oldest, cut;
	unsigned int id;

	write = rng_below(&s->rng, (uint32_t)len);
	oldest = (write + 15) / 16 * 16;
	cut = oldest - write;
	/* the trace: all of it, then the first bytes of a frame that overwrite the oldest frame's */
	gbuf_put(&mem, s->raw.p + (len - (oldest - (cut ? 16 : 0))), oldest - (cut ? 16 : 0));
	if (cut) {
		static const uint8_t newest[16] = { 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

		gbuf_put(&mem, newest, 16);
	}
	gbuf_put(&mem, s->raw.p, len - (oldest - (cut ? 16 : 0)));
	len = mem.len;
	MUST(!cst_unwrap(&u, len, write, 1, 16, 40));
	MUST(u.cut == cut && u.len == len - cut && u.piece[0].start == oldest && u.piece[1].len == write);
	MUST(u.trigger == (u.len > 40 ? u.len - 40 : 0));
	start(&b, s->flags);
	feed(&b, mem.p + u.piece[0].start, u.piece[0].len, 0, &s->rng, 0);
	feed(&b, mem.p, write, u.piece[0].len, &s->rng, 0);
	MUST((cst_deframer_end(&b.df) == 0) == (cut == 0));
	for (id = 1; id < 128; id++)
		MUST(id_same(&b, id, &s->id[id]));
	gbuf_free(&mem);
}

/*
 * `ref` started anew where `o` should be in step again: from its first known ID on both end in the same fragments.
 * Of the first one `o` may have the same ID before it.
 */
static int recovered(const struct out *o, const struct out *ref)
{
	const struct cst_fragment *f, *g;
	uint32_t i, j = 0;

	while (j < ref->frags && (ref->frag[j].kind != CST_FRAG_DATA || ref->frag[j].id == CST_ID_UNKNOWN))
		j++;
	if (j == ref->frags)
		return 1;
	if (o->frags < ref->frags - j)
		return 0;
	i = o->frags - (ref->frags - j);
	f = &o->frag[i];
	g = &ref->frag[j];
	if (f->kind != g->kind || f->id != g->id || f->len < g->len ||
	    memcmp(o->data + f->pos + (f->len - g->len), ref->data + g->pos, g->len))
		return 0;
	for (i++, j++; j < ref->frags; i++, j++)
		if (!same(o, i, ref, j))
			return 0;
	return 1;
}

/* Bytes are overwritten, left out or put in; what the next synchronisation starts is as if nothing had been. */
static void damaged(struct sample *s, uint64_t seed)
{
	unsigned int flags = s->flags & ~(unsigned)CST_FRAME_DSTREAM;
	int has_sync = !!(flags & (CST_FRAME_FSYNC | CST_FRAME_HSYNC));
	struct gbuf bad = { 0 };
	size_t at, n, end, next, i;
	unsigned int how = has_sync ? rng_below(&s->rng, 3) : 0;

	at = rng_below(&s->rng, (uint32_t)s->net.len);
	n = 1 + rng_below(&s->rng, 1 + rng_below(&s->rng, 60));
	n = n < s->net.len - at ? n : s->net.len - at;
	gbuf_put(&bad, s->net.p, at);
	for (i = 0; i < n && how != 1; i++)
		gbuf_u8(&bad, rng_below(&s->rng, 3) ? rng_below(&s->rng, 256) : rng_below(&s->rng, 2) ? 0xff : 0x7f);
	end = bad.len;
	gbuf_put(&bad, s->net.p + at + (how == 2 ? 0 : n), s->net.len - at - (how == 2 ? 0 : n));

	start(&a, flags | CST_FRAME_FINDINGS);
	feed(&a, bad.p, bad.len, 0, &s->rng, 0);
	start(&b, flags | CST_FRAME_FINDINGS);
	feed(&b, bad.p, bad.len, 0, &s->rng, 1 + rng_below(&s->rng, 100));
	MUST(all_same(&a, &b));
	cst_deframer_end(&b.df);
	MUST(accounted(&b.df.stats) == bad.len);
	/* where anything is in step again */
	if (has_sync)
		for (next = end; next + 4 <= bad.len && memcmp(bad.p + next, fsync_word, 4); next++)
			;
	else
		next = (end + 15) / 16 * 16;
	if (next + 16 <= bad.len) {
		start(&b, flags | CST_FRAME_FINDINGS);
		b.df.offset = next;
		feed(&b, bad.p + next, bad.len - next, next, &s->rng, 0);
		MUST(recovered(&a, &b));
	}
	gbuf_free(&bad);
}

/* Trace is missing, and the caller says so. */
static void gap(struct sample *s, uint64_t seed)
{
	unsigned int flags = s->flags & ~(unsigned)CST_FRAME_DSTREAM;
	size_t at = rng_below(&s->rng, (uint32_t)s->net.len), n = rng_below(&s->rng, (uint32_t)(s->net.len - at) + 1);

	if (!(flags & (CST_FRAME_FSYNC | CST_FRAME_HSYNC)))
		n += (16 - (at + n) % 16) % 16;
	if (at + n >= s->net.len || !n)
		return;
	start(&a, flags);
	feed(&a, s->net.p, at, 0, &s->rng, 1 + rng_below(&s->rng, 100));
	feed(&a, s->net.p + at + n, s->net.len - at - n, at + n, &s->rng, 1 + rng_below(&s->rng, 100));
	cst_deframer_end(&a.df);
	MUST(accounted(&a.df.stats) == s->net.len - n);
	start(&b, flags);
	b.df.offset = at + n;
	feed(&b, s->net.p + at + n, s->net.len - at - n, at + n, &s->rng, 0);
	MUST(recovered(&a, &b));
}

static void test_seeds(void **state)
{
	static struct sample s;
	uint64_t seed, n[4] = { 0 };

	(void)state;
	for (seed = first_seed; seed < first_seed + seeds; seed++) {
		make(&s, seed);
		whole(&s, seed);
		packed(&s, seed);
		filtered(&s, seed);
		if (!s.flags)
			wrapped(&s, seed);
		damaged(&s, seed);
		gap(&s, seed);
		n[seed & 3] += s.raw.len;
		drop(&s);
	}
	for (seed = 0; seed < 4; seed++)
		assert_true(n[seed] > 0 || seeds < 4);
}

/* ---- by hand ------------------------------------------------------------------------------------ */

static void test_dstream_offsets(void **state)
{
	(void)state;
	assert_int_equal(cst_dstream_offset(0), 0);
	assert_int_equal(cst_dstream_offset(503), 503);
	assert_int_equal(cst_dstream_offset(504), 512);
	assert_int_equal(cst_dstream_offset(1009), 1025);
}

static void test_unwrap(void **state)
{
	struct cst_unwrapped u = { 0 };

	(void)state;
	assert_int_equal(cst_unwrap(&u, 64, 65, 1, 16, 0), -CST_ERR_INVAL);
	assert_int_equal(cst_unwrap(&u, 64, 6, 1, 0, 0), -CST_ERR_INVAL);
	assert_int_equal(cst_unwrap(&u, 64, 40, 0, 16, 8), 0);	/* did not wrap */
	assert_int_equal(u.piece[0].len, 0);
	assert_int_equal(u.piece[1].len, 40);
	assert_int_equal(u.trigger, 32);
	assert_int_equal(cst_unwrap(&u, 64, 63, 1, 16, 1000), 0);	/* no whole old frame is left */
	assert_int_equal(u.piece[0].len, 0);
	assert_int_equal(u.piece[1].len, 63);
	assert_int_equal(u.cut, 1);
	assert_int_equal(u.trigger, 0);
	assert_int_equal(cst_unwrap(&u, 64, 7, 1, 1, 0), 0);	/* raw trace */
	assert_int_equal(u.piece[0].start, 7);
	assert_int_equal(u.len, 64);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dstream_offsets),
		cmocka_unit_test(test_unwrap),
		cmocka_unit_test(test_seeds),
	};

	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		seeds = strtoull(argv[2], NULL, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
