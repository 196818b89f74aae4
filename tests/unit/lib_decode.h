/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lib_decode.h - hand-written trace bytes through a decoder, for the tests of lib/.
 */
#ifndef CSTRACE_TESTS_UNIT_LIB_DECODE_H
#define CSTRACE_TESTS_UNIT_LIB_DECODE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <cstrace/cstrace.h>

#include "flow/image/image_int.h"

#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define SYNC ASYNC, 0x01, 0x00
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

#define MAX_GEN 256

struct decoded {
	struct cst_generic gen[MAX_GEN];
	unsigned int n;
	struct cst_stats stats;
};

static inline struct cst_config etm_config(unsigned int minor, uint32_t max_spec)
{
	struct cst_etmv4_regs regs = {
		.traceidr = 0x10, .idr1 = 4u << 8 | minor << 4, .idr2 = 8 | 4 << 5 | 4 << 10,
		.idr8 = max_spec, .configr = 1 << 12,
	};
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_A), 0);
	return cfg;
}

static inline struct cst_config ete_config(unsigned int minor, uint32_t max_spec)
{
	struct cst_etmv4_regs regs = {
		.traceidr = 0x10, .idr1 = 0xff0, .idr2 = 8, .idr8 = max_spec, .configr = 1 << 12,
		.devarch = 0x47705a13 | minor << 16,
	};
	struct cst_config cfg = { 0 };

	assert_int_equal(cst_config_etmv4(&cfg, &regs, 1, CST_PROFILE_A), 0);
	return cfg;
}

/* Packets of a stream that begins in step; unsynchronised bytes and the first A-sync are not returned. */
static inline unsigned int packets_of(const struct cst_config *cfg, const uint8_t *p, size_t len,
				      struct cst_packet *pkt, unsigned int max)
{
	static const uint8_t async[] = { ASYNC };
	struct cst_generic out[16];
	struct cst_decoder *dec;
	struct cst_packet one = { 0 };
	struct cst_pull got;
	unsigned int n = 0, k;

	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	for (k = 0; k < 3; k++) {
		if (k < 2)
			assert_int_equal(cst_decoder_feed(dec, k ? p : async, k ? len : 12, k ? 0 : 0x1000), 0);
		else
			cst_decoder_end(dec);
		for (;;) {
			if (!cst_decoder_next_packet(dec, &one, &got) || got.why != CST_STOP_PACKET)
				break;
			if (one.index < 0x1000) {
				assert_true(n < max);
				pkt[n++] = one;
			}
			while (cst_decoder_pull(dec, out, 16, NULL))
				;
		}
	}
	cst_decoder_free(dec);
	return n;
}

/* Generic elements of whole bytes, fed at once (piece 0) or in pieces. */
static inline void decode_pieces(const struct cst_config *cfg, struct cst_space *space, const uint8_t *p,
				 size_t len, size_t piece, struct decoded *d)
{
	struct cst_decoder *dec;
	struct cst_pull why;
	size_t at, n;
	int got;

	d->n = 0;
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_space(dec, space);
	for (at = 0; at <= len; at += n) {
		n = piece && piece < len - at ? piece : len - at;
		if (n)
			assert_int_equal(cst_decoder_feed(dec, p + at, n, at), 0);
		else
			cst_decoder_end(dec);
		while ((got = cst_decoder_pull(dec, d->gen + d->n, MAX_GEN - d->n, &why))) {
			assert_true(got > 0);
			assert_int_equal(why.why, CST_STOP_NONE);
			d->n += got;
		}
		assert_int_equal(why.why, n ? CST_STOP_INPUT : CST_STOP_END);
		if (!n)
			break;
	}
	d->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

/* What the caller maps in answer to CST_STOP_SECTION: the map of `space` at `addr`, or the word there alone. */
static inline void decode_map_wanted(struct cst_space *bare, struct cst_space *space, uint64_t addr, int words)
{
	const struct map *m = cst_space_find(space, addr);
	uint64_t start = addr & ~(uint64_t)3;
	struct cst_section *none;

	if (m && words) {
		assert_int_equal(cst_space_map(bare, start, 4, m->sec, start - m->start + m->off), 0);
	} else if (m) {
		assert_int_equal(cst_space_map(bare, m->start, m->end - m->start, m->sec, m->off), 0);
	} else {
		assert_int_equal(cst_section_new(&none, space->img, NULL, 4, NULL), 0);
		assert_int_equal(cst_section_set_bytes(none, NULL, 0), 0);
		assert_int_equal(cst_space_map(bare, start, 4, none, 0), 0);
	}
}

struct demand {
	struct cst_space *space;
	int words;
	unsigned int asked, every;	/* the mapper maps what is asked for each `every` times */
};

static inline int decode_mapper(void *data, struct cst_space *bare, uint64_t addr)
{
	struct demand *d = data;

	if (++d->asked % d->every || !cst_space_find(d->space, addr))
		return 0;
	decode_map_wanted(bare, d->space, addr, d->words);
	return 1;
}

/*
 * Byte by byte, and before each byte all code is unmapped. The decoder stops for each map (or word) of code that it comes
 * to, and goes on where it was (image.h, "On demand"). With `every` a mapper is asked before, which maps each `every` times;
 * without it the block cache is emptied before each byte, too (cst_section_renew()).
 */
static inline void decode_on_demand(const struct cst_config *cfg, struct cst_space *space, const uint8_t *p, size_t len,
				    int words, unsigned int every, struct decoded *d)
{
	struct demand demand = { .space = space, .words = words, .every = every };
	struct cst_decoder *dec;
	struct cst_space *bare;
	struct cst_section *sec;
	struct cst_pull why;
	uint32_t id;
	size_t at;
	int got;

	d->n = 0;
	assert_int_equal(cst_space_new(&bare, space->img), 0);
	cst_space_set_on_demand(bare, 1);
	if (every)
		cst_space_set_mapper(bare, decode_mapper, &demand);
	assert_int_equal(cst_decoder_new(&dec, cfg), 0);
	cst_decoder_set_space(dec, bare);
	cst_decoder_set_stop(dec, CST_STOP_SECTION);
	for (at = 0; at <= len; at++) {
		assert_int_equal(cst_space_unmap(bare, 0, UINT64_MAX), 0);
		for (id = 1; !every && (sec = cst_image_section(space->img, id)); id++)
			cst_section_renew(sec, sec->bytes, sec->size);
		if (at < len)
			assert_int_equal(cst_decoder_feed(dec, p + at, 1, at), 0);
		else
			cst_decoder_end(dec);
		while ((got = cst_decoder_pull(dec, d->gen + d->n, MAX_GEN - d->n, &why)) ||
		       why.why == CST_STOP_SECTION) {
			assert_true(got >= 0);
			d->n += got;
			if (why.why == CST_STOP_SECTION) {
				assert_null(cst_decoder_section(dec));
				decode_map_wanted(bare, space, cst_decoder_wanted(dec), words);
			}
		}
	}
	d->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
	cst_space_free(bare);
}

/* The counters are those of the elements. */
static inline void decode_count(const struct decoded *d)
{
	uint64_t n[CST_GEN_COND + 1] = { 0 }, insns = 0, lost = 0;
	unsigned int i;

	for (i = 0; i < d->n; i++) {
		const struct cst_generic *g = &d->gen[i];

		n[g->kind]++;
		insns += g->kind == CST_GEN_RANGE || g->kind == CST_GEN_NOPATH ? g->n_insn : 0;
		lost += g->kind == CST_GEN_NO_SYNC && (g->error || g->num == CST_UNSYNC_BAD_IMAGE);
	}
	assert_int_equal(d->stats.elements, d->n);
	assert_int_equal(d->stats.ranges, n[CST_GEN_RANGE]);
	assert_int_equal(d->stats.insns, insns);
	assert_int_equal(d->stats.nopath, n[CST_GEN_NOPATH]);
	assert_int_equal(d->stats.nacc, n[CST_GEN_NACC]);
	assert_int_equal(d->stats.resyncs, lost);
}

/* The same whole, byte by byte, and with code on demand: all must agree. */
static inline void decode_bytes(const struct cst_config *cfg, struct cst_space *space, const uint8_t *p,
				size_t len, struct decoded *d)
{
	struct decoded slow;
	unsigned int i, way;

	decode_pieces(cfg, space, p, len, 0, d);
	decode_count(d);
	for (way = 0; way < (space ? 5 : 1); way++) {
		if (way)
			decode_on_demand(cfg, space, p, len, way % 2 == 0, way < 3 ? 0 : way - 2, &slow);
		else
			decode_pieces(cfg, space, p, len, 1, &slow);
		assert_int_equal(d->n, slow.n);
		for (i = 0; i < d->n; i++)
			assert_memory_equal(&d->gen[i], &slow.gen[i], sizeof(d->gen[i]));
		assert_memory_equal(&d->stats, &slow.stats, sizeof(d->stats));
	}
}

/* A little endian image of A64 or A32 instructions, mapped at one address. */
struct program {
	struct cst_image *img;
	struct cst_space *space;
	struct cst_section *sec;
};

static inline void program_map(struct program *pr, uint64_t at, const void *code, size_t len)
{
	assert_int_equal(cst_image_new(&pr->img, 0), 0);
	assert_int_equal(cst_section_new(&pr->sec, pr->img, code, len, NULL), 0);
	assert_int_equal(cst_space_new(&pr->space, pr->img), 0);
	assert_int_equal(cst_space_map(pr->space, at, len, pr->sec, 0), 0);
}

static inline double processor_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

#endif
