/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_image.c - address spaces against a byte-wise model, their edges, lazy sections, limits.
 */
#include "flow/image/image_int.h"
#include "unit/lib_decode.h"

#define SIZE 256u

/* Each address of a small window: the section (1..3) and offset that it shows. */
struct model {
	uint8_t sec[SIZE];
	uint32_t off[SIZE];
};

static uint8_t bytes[3][2 * SIZE];
static int mark;

static void check(struct cst_space *sp, const struct model *m, uint64_t base)
{
	const uint8_t *p;
	struct cst_section *sec;
	uint64_t off;
	unsigned int a, run;
	int64_t n;

	for (a = 0; a < SIZE; a++) {
		sec = NULL;
		n = cst_space_read(sp, base + a, SIZE, &p, &sec, &off);
		if (!m->sec[a]) {
			assert_int_equal(n, 0);
			continue;
		}
		assert_true(n > 0);
		assert_int_equal(cst_section_id(sec), m->sec[a]);
		assert_int_equal(off, m->off[a]);
		assert_ptr_equal(p, bytes[m->sec[a] - 1] + off);
		/* no more than what the model shows in one piece */
		for (run = 1; a + run < SIZE && m->sec[a + run] == m->sec[a] && m->off[a + run] == m->off[a] + run;)
			run++;
		assert_true(n <= (int64_t)run);
	}
}

static void test_random_maps(void **state)
{
	static const uint64_t bases[] = { 0, 0x1000, 0xffffff80, 0xffffffffffffff00ull };
	uint32_t seed = 1;
	unsigned int b, round, step, k;

	(void)state;
	for (b = 0; b < 4; b++)
		for (round = 0; round < 30; round++) {
			struct cst_section *sec[3];
			struct cst_space *sp;
			struct model m;
			struct cst_image *img;

			memset(&m, 0, sizeof(m));
			assert_int_equal(cst_image_new(&img, 1), 0);
			for (k = 0; k < 3; k++)
				assert_int_equal(cst_section_new(&sec[k], img, bytes[k], 2 * SIZE, NULL), 0);
			assert_int_equal(cst_space_new(&sp, img), 0);
			for (step = 0; step < 40; step++) {
				uint32_t start, len, off, s;

				seed = seed * 1664525 + 1013904223;
				start = seed >> 8 & (SIZE - 1);
				len = 1 + (seed >> 16) % (SIZE - start);
				s = (seed >> 24) % 4;
				off = (start & 3) + 4 * (seed >> 26);
				if (s == 3) {
					assert_int_equal(cst_space_unmap(sp, bases[b] + start, len), 0);
					memset(m.sec + start, 0, len);
				} else {
					assert_int_equal(cst_space_map(sp, bases[b] + start, len, sec[s], off), 0);
					for (k = 0; k < len; k++) {
						m.sec[start + k] = s + 1;
						m.off[start + k] = off + k;
					}
				}
				check(sp, &m, bases[b]);
			}
			cst_image_free(img);
		}
}

static void test_edges(void **state)
{
	struct cst_section *sec, *other;
	struct cst_image *img, *img2;
	struct cst_space *sp;
	const uint8_t *p;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_image_new(&img2, 0), 0);
	assert_int_equal(cst_section_new(&sec, img, bytes[0], SIZE, &mark), 0);
	assert_int_equal(cst_section_new(&other, img2, bytes[0], SIZE, NULL), 0);
	assert_ptr_equal(cst_section_cookie(sec), &mark);
	assert_int_equal(cst_section_id(sec), 1);
	assert_ptr_equal(cst_image_section(img, 1), sec);
	assert_null(cst_image_section(img, 0));
	assert_null(cst_image_section(img, 2));
	assert_int_equal(cst_space_new(&sp, img), 0);
	/* nothing mapped, nothing to unmap */
	assert_int_equal(cst_space_unmap(sp, 0, UINT64_MAX), 0);
	assert_int_equal(cst_space_read(sp, 0, 4, &p, NULL, NULL), 0);
	assert_int_equal(cst_space_map(sp, 0x1000, 0, sec, 0), 0);
	/* beyond the top, not aligned alike, an offset that wraps, a section of another image */
	assert_int_equal(cst_space_map(sp, UINT64_MAX - 7, 9, sec, 0), -CST_ERR_INVAL);
	assert_int_equal(cst_space_map(sp, 0x1002, 8, sec, 0), -CST_ERR_INVAL);
	assert_int_equal(cst_space_map(sp, 0x1000, 8, sec, UINT64_MAX - 3), -CST_ERR_INVAL);
	assert_int_equal(cst_space_map(sp, 0x1000, 8, other, 0), -CST_ERR_INVAL);
	assert_int_equal(cst_space_unmap(sp, UINT64_MAX, 2), -CST_ERR_INVAL);
	/* the last bytes there are */
	assert_int_equal(cst_space_map(sp, UINT64_MAX - 7, 8, sec, 0), 0);
	assert_int_equal(cst_space_read(sp, UINT64_MAX, 100, &p, NULL, NULL), 1);
	assert_ptr_equal(p, bytes[0] + 7);
	assert_int_equal(cst_space_read(sp, 0, 100, &p, NULL, NULL), 0);
	assert_int_equal(cst_space_unmap(sp, UINT64_MAX - 3, 4), 0);
	assert_int_equal(cst_space_read(sp, UINT64_MAX - 4, 100, &p, NULL, NULL), 1);
	/* all of it but one byte; a hole in the middle makes two */
	assert_int_equal(cst_space_map(sp, 0, UINT64_MAX, sec, 0), 0);
	assert_int_equal(cst_space_read(sp, SIZE - 1, 100, &p, NULL, NULL), 1);
	assert_int_equal(cst_space_read(sp, SIZE, 100, &p, NULL, NULL), 0);	/* mapped, but no bytes */
	assert_int_equal(cst_space_unmap(sp, 0x40, 0), 0);
	assert_int_equal(cst_space_unmap(sp, 0, 0), 0);
	assert_int_equal(cst_space_unmap(sp, 0x40, 0x40), 0);
	assert_int_equal(cst_space_read(sp, 0x80, 4, &p, NULL, NULL), 4);
	assert_ptr_equal(p, bytes[0] + 0x80);
	cst_space_free(NULL);
	cst_image_free(NULL);
	cst_image_free(img);
	cst_image_free(img2);
}

static void test_lazy(void **state)
{
	struct cst_section *sec, *gone, *asked;
	struct cst_image *img;
	struct cst_space *sp;
	const uint8_t *p;
	uint64_t off;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_section_new(&sec, img, NULL, SIZE, NULL), 0);
	assert_int_equal(cst_section_new(&gone, img, NULL, SIZE, NULL), 0);
	assert_int_equal(cst_space_new(&sp, img), 0);
	assert_int_equal(cst_space_map(sp, 0, SIZE, sec, 0), 0);
	assert_int_equal(cst_space_map(sp, SIZE, SIZE, gone, 0), 0);
	assert_int_equal(cst_space_read(sp, 8, 4, &p, &asked, &off), -CST_ERR_BUSY);
	assert_ptr_equal(asked, sec);
	assert_int_equal(off, 8);
	assert_int_equal(cst_section_set_bytes(sec, bytes[0], SIZE + 1), -CST_ERR_INVAL);
	assert_int_equal(cst_section_set_bytes(sec, bytes[0], SIZE / 2), 0);
	assert_int_equal(cst_section_set_bytes(sec, bytes[0], SIZE / 2), -CST_ERR_INVAL);
	assert_int_equal(cst_space_read(sp, 8, SIZE, &p, NULL, NULL), SIZE / 2 - 8);
	assert_int_equal(cst_space_read(sp, SIZE / 2, 4, &p, NULL, NULL), 0);
	assert_int_equal(cst_section_set_bytes(gone, NULL, 0), 0);
	assert_int_equal(cst_space_read(sp, SIZE, 4, &p, NULL, NULL), 0);
	cst_image_free(img);
}

static void test_limits(void **state)
{
	struct cst_section *sec;
	struct cst_image *img;
	struct cst_space *sp;
	unsigned int i;
	const uint8_t *p;

	(void)state;
	assert_int_equal(cst_image_new(&img, 1), 0);
	assert_int_equal(cst_section_new(&sec, img, bytes[0], 1ull << 33, NULL), -CST_ERR_LIMIT);
	assert_int_equal(cst_section_new(&sec, img, bytes[0], UINT64_MAX, NULL), -CST_ERR_LIMIT);
	assert_int_equal(cst_section_new(&sec, img, bytes[0], 4, NULL), 0);
	assert_int_equal(cst_space_new(&sp, img), 0);
	/* many maps, in descending order and in a row */
	for (i = 2000; i; i--)
		assert_int_equal(cst_space_map(sp, i * 8, 4, sec, 0), 0);
	for (i = 1; i <= 2000; i++) {
		assert_int_equal(cst_space_read(sp, i * 8, 8, &p, NULL, NULL), 4);
		assert_int_equal(cst_space_read(sp, i * 8 + 4, 8, &p, NULL, NULL), 0);
	}
	assert_int_equal(cst_space_unmap(sp, 0, 1000 * 8), 0);
	cst_image_free(img);
}

/* What an instruction is depends on the decoder: more combinations than the image has tables for, in three sections. */
static void test_flags(void **state)
{
	/* a WFI in a stretch without branches, which is cut into blocks that begin at certain offsets */
	enum { CODE = 4400, WFI = 4200, CUT = (BLK_SPAN + BLK_MORE) / 4 };
	static const unsigned int flags[] = {
		0, CST_ISA_WFX_P0, CST_ISA_BARRIER_P0, CST_ISA_BARRIER_P0 | CST_ISA_WFX_P0, CST_ISA_WFX_P0 | CST_ISA_STORE_P0,
		CST_ISA_LOAD_P0,
	};
	const size_t n = sizeof(flags) / sizeof(flags[0]);
	uint32_t code[CODE];
	struct cst_section *sec[3];
	struct cst_image *img;
	const struct blk *b;
	size_t round, i, k;

	(void)state;
	for (i = 0; i < CODE; i++)
		code[i] = i == WFI ? 0xd503207f : 0xd503201f;
	assert_int_equal(cst_image_new(&img, 0), 0);
	for (k = 0; k < 3; k++)
		assert_int_equal(cst_section_new(&sec[k], img, (const uint8_t *)code, sizeof(code), NULL), 0);
	for (round = 0; round < 3 * n; round++)
		for (i = 0; i < n; i++)
			for (k = 0; k < 3; k++) {
				const unsigned int f = flags[i * (1 + round % 3) % n], first = BLK_MORE / 4;

				b = cst_block(sec[k], 4 * first, blk_key(CST_ISA_A64, 0), 0x100000 * k + 4 * first, f);
				assert_non_null(b);
				assert_int_equal(b->n_insn, (f & CST_ISA_WFX_P0 ? WFI + 1 : CUT) - first);
			}
	cst_image_free(img);
}

/* Code that changes under the decoder: the new bytes count, and a full cache changes nothing. */
static void test_remap(void **state)
{
	static const uint32_t first[] = { 0xd503201f, 0x17ffffff }, second[] = { 0x14000000, 0x14000000 };
	struct cst_config cfg = etm_config(4, 0);
	static const uint8_t sync[] = { SYNC, 0x81, 0x30, 0x95, 0x00 };
	struct cst_section *sec[2];
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_space *sp;
	uint8_t atom = 0xf7, again[] = { 0x95, 0x00, 0xf7, 0xf7 };
	int n;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_section_new(&sec[0], img, first, 8, NULL), 0);
	assert_int_equal(cst_section_new(&sec[1], img, second, 8, NULL), 0);
	assert_int_equal(cst_space_new(&sp, img), 0);
	assert_int_equal(cst_space_map(sp, 0, 8, sec[0], 0), 0);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, sp);
	assert_int_equal(cst_decoder_feed(dec, sync, sizeof(sync), 0), 0);
	n = cst_decoder_pull(dec, out, 16, NULL);
	assert_int_equal(n, 1);
	assert_int_equal(cst_decoder_feed(dec, &atom, 1, 18), 0);
	n = cst_decoder_pull(dec, out, 16, NULL);
	assert_int_equal(n, 2);
	assert_int_equal(out[1].n_insn, 2);
	assert_int_equal(out[1].section, 1);
	assert_int_equal(cst_space_map(sp, 0, 8, sec[1], 0), 0);
	assert_int_equal(cst_decoder_feed(dec, again, 4, 19), 0);
	n = cst_decoder_pull(dec, out, 16, NULL);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].n_insn, 1);
	assert_int_equal(out[0].section, 2);
	assert_int_equal(cst_decoder_stats(dec)->nacc, 0);
	cst_decoder_free(dec);
	cst_image_free(img);
}

/* Another image, which may get the memory of the last one: nothing that was decoded of that one is used again. */
static void test_new_image(void **state)
{
	/* a call, its return address, the function; in the second image there is an instruction more at the return address */
	static const uint32_t code[2][3] = { { 0x94000002, 0x14000000, 0xd65f03c0 }, { 0x14000000, 0xd503201f, 0xd65f03c0 } };
	static const uint8_t trace[] = { SYNC, 0x81, 0x30, 0x95, 0x00, 0xf7, 0xf7, 0xf7, 0x95, 0x00, 0xf7, 0xf7, 0xf7,
					 0x95, 0x00, 0xf7 };
	static const uint8_t rest[] = { 0xf7, 0xf7 };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_generic out[32];
	struct cst_section *sec;
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_space *sp;
	unsigned int i;
	int n = 0;

	(void)state;
	
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(cst_image_new(&img, 0), 0);
		assert_int_equal(cst_section_new(&sec, img, code[i], sizeof(code[i]), NULL), 0);
		assert_int_equal(cst_space_new(&sp, img), 0);
		assert_int_equal(cst_space_map(sp, 0, sizeof(code[i]), sec, 0), 0);
		cst_decoder_set_space(dec, sp);
		assert_int_equal(cst_decoder_feed(dec, i ? rest : trace, i ? sizeof(rest) : sizeof(trace), i ? sizeof(trace) : 0), 0);
		n = cst_decoder_pull(dec, out, 32, NULL);
		assert_true(n > 0);
		if (!i)
			assert_true(out[n - 1].addr == 0 && out[n - 1].end == 4);
		cst_decoder_set_space(dec, NULL);
		cst_image_free(img);
	}
	assert_int_equal(n, 2);
	assert_true(out[0].addr == 8 && out[0].end == 12 && out[0].last_subtype == CST_INSN_RET);
	assert_true(out[1].addr == 4 && out[1].end == 12 && out[1].n_insn == 2);
	cst_decoder_free(dec);
}

/*
 * Code that is replaced inside a map: a return leads to the new code, and a block that begins before it ends with the new
 * instruction.
 */
static void test_replaced_code(void **state)
{
	static const uint32_t code[] = { 0x94000002, 0x14000000, 0xd503201f, 0xd65f03c0 }, other = 0xd61f0000;
	/* the call, its return, the branch at the return address; twice, so that links are made; the call again */
	static const uint8_t trace[] = { SYNC, 0x81, 0x30, 0x95, 0x00, 0xf7, 0xf7, 0xf7, 0x95, 0x00, 0xf7, 0xf7, 0xf7,
					 0x95, 0x00, 0xf7 };
	static const uint8_t ends[] = { 0xf7, 0xf7, 0x95, 0x00, 0xf7, 0xf7, 0xf7 };
	static const struct {
		uint64_t at;		/* of the new instruction */
		uint64_t addr;		/* of the range that ends with it */
	} cases[] = { { 4, 4 }, { 12, 8 } };
	struct cst_config cfg = etm_config(4, 0);
	struct cst_section *sec[2];
	struct cst_generic out[32];
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_space *sp;
	unsigned int i, k;
	int n;

	(void)state;
	for (i = 0; i < 2; i++) {
		assert_int_equal(cst_image_new(&img, 0), 0);
		assert_int_equal(cst_section_new(&sec[0], img, code, sizeof(code), NULL), 0);
		assert_int_equal(cst_section_new(&sec[1], img, &other, sizeof(other), NULL), 0);
		assert_int_equal(cst_space_new(&sp, img), 0);
		assert_int_equal(cst_space_map(sp, 0, sizeof(code), sec[0], 0), 0);
		assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
		cst_decoder_set_space(dec, sp);
		assert_int_equal(cst_decoder_feed(dec, trace, sizeof(trace), 0), 0);
		assert_true(cst_decoder_pull(dec, out, 32, NULL) > 0);
		assert_int_equal(cst_space_map(sp, cases[i].at, 4, sec[1], 0), 0);
		assert_int_equal(cst_decoder_feed(dec, ends, sizeof(ends), sizeof(trace)), 0);
		n = cst_decoder_pull(dec, out, 32, NULL);
		for (k = 0; k < (unsigned int)n && out[k].addr != cases[i].addr; k++)
			;
		assert_true(k < (unsigned int)n && out[k].end == cases[i].at + 4);
		assert_int_equal(out[k].last_type, CST_INSN_INDIRECT);
		assert_int_equal(out[k].last_subtype, CST_INSN_PLAIN);
		cst_decoder_free(dec);
		cst_image_free(img);
	}
}

#define LONG (1u << 20)
#define LOOPS 200

/* Elements and analysed instructions of a loop over much code without a P0 instruction. */
static uint64_t long_loop(const uint8_t *code, size_t len, enum cst_isa isa, size_t cache_limit, struct decoded *d)
{
	struct cst_config cfg = etm_config(2, 0);
	uint8_t trace[12 + 2 + 6 + LOOPS] = { SYNC, isa == CST_ISA_T32 ? 0x83 : 0x82, 0, 0, 0, 0,
					      isa == CST_ISA_A64 ? 0x30 : 0x20 };
	struct cst_section *sec;
	struct cst_image *img;
	struct cst_space *sp;
	uint64_t analysed;

	memset(trace + sizeof(trace) - LOOPS, 0xf7, LOOPS);
	assert_int_equal(cst_image_new(&img, cache_limit), 0);
	assert_int_equal(cst_section_new(&sec, img, code, len, NULL), 0);
	assert_int_equal(cst_space_new(&sp, img), 0);
	assert_int_equal(cst_space_map(sp, 0, len, sec, 0), 0);
	decode_pieces(&cfg, sp, trace, sizeof(trace), 0, d);
	analysed = img->analysed;
	cst_image_free(img);
	return analysed;
}

/* An unconditional branch from `at` to 0. */
static void put_branch(uint8_t *p, enum cst_isa isa, uint32_t at)
{
	uint32_t d = (0 - (at + 4)) >> 1, sign = d >> 23 & 1, op;
	unsigned int i;

	if (isa == CST_ISA_A64)
		op = 0x14000000 | ((0 - at) >> 2 & 0x3ffffff);
	else if (isa == CST_ISA_A32)
		op = 0xea000000 | ((0 - (at + 8)) >> 2 & 0xffffff);
	else	/* encoding T4, second halfword first in `op` */
		op = (0x9000 | (~(d >> 22 ^ sign) & 1) << 13 | (~(d >> 21 ^ sign) & 1) << 11 | (d & 0x7ff)) << 16 |
		     0xf000 | sign << 10 | (d >> 11 & 0x3ff);
	for (i = 0; i < 4; i++)
		p[i] = op >> 8 * i & 0xff;
}

/* However small the cache is, what lies between two P0 instructions is not analysed again for every atom. */
static void test_small_cache(void **state)
{
	static const struct {
		enum cst_isa isa;
		uint8_t odd;		/* the code begins with a 16-bit instruction */
		uint8_t size;
		uint8_t fill[4];
	} sets[] = {
		{ CST_ISA_A64, 0, 4, { 0x1f, 0x20, 0x03, 0xd5 } },
		{ CST_ISA_A32, 0, 4, { 0x00, 0xf0, 0x20, 0xe3 } },
		{ CST_ISA_T32, 0, 2, { 0x00, 0xbf, 0x00, 0xbf } },
		{ CST_ISA_T32, 2, 4, { 0xaf, 0xf3, 0x00, 0x80 } },
		{ CST_ISA_T32, 0, 2, { 0x08, 0xbf, 0x00, 0xbf } },
	};
	static struct decoded large, small;
	static uint8_t code[LONG + 8];
	unsigned int s, i, k;
	size_t len, at;

	(void)state;
	for (s = 0; s < sizeof(sets) / sizeof(sets[0]); s++) {
		len = 0;
		if (sets[s].odd) {
			memcpy(code, "\x00\xbf", 2);
			len = 2;
		}
		for (at = len; at + 4 <= LONG; at += 4)
			memcpy(code + at, sets[s].fill, 4);
		put_branch(code + at, sets[s].isa, at);
		len = at + 4;
		long_loop(code, len, sets[s].isa, 0, &large);
		assert_true(large.n > LOOPS);
		/* for an atom no more than the first block and the last one */
		assert_true(long_loop(code, len, sets[s].isa, 1, &small) <
			    (len + 2 * LOOPS * (BLK_SPAN + BLK_MORE)) / sets[s].size);
		assert_int_equal(large.n, small.n);
		for (i = k = 0; i < large.n; i++) {
			assert_memory_equal(&large.gen[i], &small.gen[i], sizeof(large.gen[i]));
			k += large.gen[i].kind == CST_GEN_RANGE && large.gen[i].addr == 0 && large.gen[i].end == len;
		}
		assert_true(k >= LOOPS - 1);
	}
}

/* However large the cache may be, links hold the places of all blocks and of their counters. */
static void test_largest_cache(void **state)
{
	struct cst_image *img;

	(void)state;
	if (cst_image_new(&img, 2 * ((size_t)BLK_LIMIT + 1000) * sizeof(struct blk)))
		skip();	/* this machine does not have the address space */
	assert_true((uint64_t)img->blocks.blk_max * BLK_STRIDE_COUNTS <= LINK_SLOW);
	assert_true(((uint64_t)img->blocks.blk_max + 1) * BLK_STRIDE_COUNTS > LINK_SLOW);
	cst_image_free(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_largest_cache),
		cmocka_unit_test(test_random_maps),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_lazy),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_remap),
		cmocka_unit_test(test_new_image),
		cmocka_unit_test(test_replaced_code),
		cmocka_unit_test(test_small_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
