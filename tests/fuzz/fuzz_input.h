/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_input.h - what the decoder's fuzz targets share: bytes of the input as choices, a trace unit
 * drawn from them, and checks that stay on in every build.
 */
#ifndef CSTRACE_TESTS_FUZZ_INPUT_H
#define CSTRACE_TESTS_FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/cstrace.h>

#define CHECK(cond) do { if (!(cond)) fuzz_fail(#cond, __FILE__, __LINE__); } while (0)

static inline void fuzz_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

struct input {
	const uint8_t *p, *end;
};

static inline uint8_t take8(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

static inline uint32_t take16(struct input *in)
{
	uint32_t lo = take8(in);

	return lo | (uint32_t)take8(in) << 8;
}

static inline size_t left(const struct input *in)
{
	return in->end - in->p;
}

/* Splits and sizes that depend on the input in no simple way. */
static inline uint32_t next_random(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

/*
 * A trace unit from four bytes:
 *   0: 0 ETE, 2:1 profile, 3 return stack, 4 cycle counts, 5 WFXMODE, 6 COMMOPT, 7 COMMTRANS
 *   1: 2:0 minor version, 4:3 QSUPP, 7:5 speculation depth
 *   2: 1:0 size of the VMID, 2 context ID, 3 conditional, 4 data trace, 5 64-bit, 6 failed
 *      transactions are reported, 7 stale walks
 *   3: 1:0 queue limit, 3:2 size of the cycle counter, 4 strict, 5 P0 loads, 6 P0 stores (R and M profile),
 *      7 conditional results are flags, with few keys
 */
static inline void take_config(struct input *in, struct cst_config *cfg, uint8_t trace_id)
{
	static const uint32_t specs[8] = { 0, 0, 1, 2, 8, 40, 1000, 0xffffffff };
	static const uint32_t queues[4] = { 65536, 4096, 300, 16 };
	static const uint8_t vmid[4] = { 0, 1, 2, 4 };
	uint8_t a = take8(in), b = take8(in), c = take8(in), d = take8(in);
	int ete = a & 1;
	unsigned int minor = (b & 7) % (ete ? 4 : 7);
	struct cst_etmv4_regs regs = {
		.configr = (a & 8 ? 1 << 12 : 0) | (a & 16 ? 1 << 4 : 0) | (c & 8 ? 7 << 8 : 0) |
			   (c & 16 ? 3 << 16 | 3 << 1 : 0) | (uint32_t)(d >> 5 & 3) << 1,
		.traceidr = trace_id,
		.idr0 = (a & 64 ? 1u << 29 | 1 << 7 : 0) | (a & 128 ? 1u << 30 : 0) |
			(uint32_t)(b >> 3 & 3) << 15 | (c & 8 ? 1 << 6 : 0) | (c & 16 ? 3 << 3 | 3 << 1 : 0) |
			(d & 96 ? 3 << 1 : 0) | (d & 128 ? 1 << 12 : 0),
		.idr1 = 4u << 8 | minor << 4,
		.idr2 = (c & 32 ? 8 : 4) | (c & 4 ? 4 << 5 : 0) | (uint32_t)vmid[c & 3] << 10 |
			(uint32_t)(d >> 2 & 3) * 4 << 25 | (a & 32 ? 1u << 31 : 0),
		.idr8 = specs[b >> 5],
		.idr12 = d & 128 ? 3 : 60,
		.idr13 = d & 128 ? 1 : 4,
		.devarch = (ete ? 0x47705a13u : 0x47704a13u) | minor << 16,
	};
	int err;

	cfg->struct_size = 0;
	err = cst_config_etmv4(cfg, &regs, ete, (a >> 1 & 3) % 3);

	CHECK(!err || err == -CST_ERR_UNSUP);
	cfg->max_queue = queues[d & 3];
	cfg->hold_transactions = !(c & 64);
	cfg->as_reference = c >> 7;
	cfg->strict = d >> 4 & 1;
}

#endif
