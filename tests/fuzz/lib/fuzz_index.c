/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_index.c - any bytes as an index file, with the checksum and length put right so that the content is
 * looked at: what is read is written the same, and can be asked anything. And any trace: its index is the same
 * however the input is cut, and from each of its places decoding gives what decoding from the beginning does.
 *
 * Input: choices (1); a file, or trace unit (4), frame flags (1), trace.
 */
#include "fuzz/fuzz_input.h"

#include "decoder/index/file.h"

#define MAX_IN 1024
#define MAX_OUT (MAX_IN * 27)

/* b.eq +8; nop; bl -8; ret */
static const uint8_t code[16] = {
	0x40, 0x00, 0x00, 0x54, 0x1f, 0x20, 0x03, 0xd5, 0xfe, 0xff, 0xff, 0x97, 0xc0, 0x03, 0x5f, 0xd6
};

struct list {
	struct cst_generic g[MAX_OUT];
	size_t n;
};

static void ask(const struct cst_index *ix, uint32_t seed)
{
	struct cst_index_query q = { 0 };
	struct cst_index_place p;
	uint32_t i, k;

	for (i = 0; i < ix->n_streams; i++)
		for (k = 0; k < 20; k++) {
			const struct cst_index_stream *s = &ix->streams[i];

			q.kind = (uint8_t)(k % (CST_INDEX_KINDS + 1));
			q.value = next_random(&seed, 4) ? next_random(&seed, 1000) : s->blocks[s->n_blocks - 1].time_last;
			q.from = next_random(&seed, 2) ? 0 : next_random(&seed, 1 << 20);
			cst_index_search(ix, s, &q, &p);
			CHECK(p.start <= p.valid && p.valid <= p.offset);
			CHECK(p.found || !p.exact);
			CHECK(cst_index_find_stream(ix, s->trace_id) == s);
			CHECK(cst_index_source_at(ix, p.start));
		}
}

static void file(const uint8_t *p, size_t len, int repair, uint32_t seed)
{
	struct cst_index_problem problem;
	struct cst_index_file *f;
	uint8_t *copy = malloc(len + 1), *again;
	size_t n;
	uint32_t i;

	CHECK(copy);
	memcpy(copy, p, len);
	if (repair && len >= INDEX_HEADER) {
		for (i = 0; i < 8; i++)
			copy[INDEX_LENGTH_AT + i] = (uint8_t)((uint64_t)len >> 8 * i);
		for (i = 0; i < 8; i++)
			copy[i] = (uint8_t)(INDEX_MAGIC >> 8 * i);
		copy[8] = INDEX_VERSION;
		copy[9] = 0;
		copy[10] = INDEX_HEADER;
		copy[11] = 0;
		for (i = 0; i < 8; i++)
			copy[INDEX_SUM_AT + i] = (uint8_t)(cst_index_sum(copy, len) >> 8 * i);
	}
	if (cst_index_read(&f, copy, len, &problem)) {
		CHECK(problem.error < 0 && problem.text);
		free(copy);
		return;
	}
	for (i = 0; i < f->n; i++)
		ask(f->indexes[i], seed);
	if (f->n > 1)
		cst_index_merge(f->indexes[0], f->indexes[1]);
	else if (f->n) {
		CHECK(!cst_index_write((const struct cst_index *const *)f->indexes, f->n, &again, &n));
		cst_index_file_free(f);
		CHECK(!cst_index_read(&f, again, n, &problem));
		free(again);
	}
	cst_index_file_free(f);
	free(copy);
}

struct setup {
	struct cst_config cfg;
	struct cst_space *space;
	unsigned int flags, raw;
	const uint8_t *data;
	size_t len;
};

static struct cst_index *build(const struct setup *su, const struct cst_index_opts *opts, size_t from, uint32_t piece,
			       uint32_t seed)
{
	struct cst_index_builder *b;
	struct cst_index *ix;
	size_t at, n;

	CHECK(!cst_index_builder_new(&b, su->raw ? CST_TREE_RAW : CST_TREE_FRAMES, su->flags, opts));
	CHECK(!cst_index_builder_add(b, &su->cfg));
	for (at = from; at < su->len; at += n) {
		n = 1 + next_random(&seed, piece);
		n = n < su->len - at ? n : su->len - at;
		CHECK(!cst_index_builder_feed(b, su->data + at, n, at));
	}
	CHECK(!cst_index_builder_take(b, &ix));
	cst_index_builder_free(b);
	return ix;
}

static void same_index(const struct cst_index *a, const struct cst_index *b)
{
	uint8_t *x, *y;
	size_t n, m;

	CHECK(!cst_index_write(&a, 1, &x, &n) && !cst_index_write(&b, 1, &y, &m));
	CHECK(n == m && !memcmp(x, y, n));
	file(x, n, 0, 1);
	free(x);
	free(y);
}

static void decode(const struct setup *su, const struct cst_index *ix, uint64_t valid, struct list *l)
{
	struct cst_index_query q = { .kind = CST_INDEX_KINDS, .from = valid };
	static struct cst_generic out[256];
	struct cst_index_place place;
	struct cst_decoder *dec;
	struct cst_tree *t;
	uint64_t start = 0;
	int n, i, end;

	l->n = 0;
	CHECK(!cst_tree_new(&t, su->raw ? CST_TREE_RAW : CST_TREE_FRAMES, su->flags));
	CHECK(!cst_tree_add(t, &su->cfg, &dec));
	cst_decoder_set_space(dec, su->space);
	if (ix) {
		cst_index_search(ix, ix->streams, &q, &place);
		CHECK(place.valid <= valid);
		start = cst_index_start_tree(ix, &place, t);
		CHECK(start <= su->len);
	}
	for (end = 0; end < 2; end++) {
		if (end)
			cst_tree_end(t);
		else
			CHECK(!cst_tree_feed(t, su->data + start, su->len - start, start));
		while ((n = cst_tree_pull(t, out, 256, NULL)))
			for (i = 0; i < n; i++)
				if (out[i].index >= valid && out[i].kind != CST_GEN_EO_TRACE &&
				    out[i].kind != CST_GEN_BARRIER) {
					CHECK(l->n < MAX_OUT);
					l->g[l->n++] = out[i];
				}
	}
	cst_tree_free(t);
}

static void trace(struct input *in, uint32_t choices)
{
	static struct list plain, late;
	struct cst_index_opts opts = { .granularity = 1 + (choices >> 2 & 7) * 40, .full = choices & 1,
				       .max_blocks = choices & 0x80 ? 3 : 0, .max_records = choices & 0x40 ? 5 : 0 };
	struct cst_index *ix, *other;
	struct cst_section *sec;
	struct cst_image *img;
	struct setup su = { 0 };
	unsigned int i;

	take_config(in, &su.cfg, 0x10);
	su.flags = take8(in) & 15;
	su.raw = choices >> 5 & 1;
	su.data = in->p;
	su.len = left(in) < MAX_IN ? left(in) : MAX_IN;
	CHECK(!cst_image_new(&img, 1 << 20));
	CHECK(!cst_section_new(&sec, img, code, sizeof(code), NULL));
	CHECK(!cst_space_new(&su.space, img));
	for (i = 0; i < 32; i++)
		CHECK(!cst_space_map(su.space, i * sizeof(code), sizeof(code), sec, 0));
	ix = build(&su, &opts, 0, 1u << 20, 1);
	other = build(&su, &opts, 0, 1 + choices, choices);
	same_index(ix, other);
	ask(ix, choices);
	cst_index_free(other);
	for (i = 0; i < ix->streams->n_blocks; i++) {
		uint64_t valid = ix->streams->blocks[i].valid;

		decode(&su, NULL, valid, &plain);
		decode(&su, ix, valid, &late);
		CHECK(plain.n == late.n);
		CHECK(!plain.n || !memcmp(plain.g, late.g, plain.n * sizeof(*plain.g)));
	}
	other = build(&su, &opts, su.len / 2, 1u << 20, 1);
	cst_index_merge(ix, other);
	cst_index_free(other);
	cst_index_free(ix);
	cst_image_free(img);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	uint32_t choices = take8(&in);

	if (choices & 2)
		file(in.p, left(&in), choices & 1, choices);
	else
		trace(&in, choices);
	return 0;
}
