/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_etmv4d.c - any bytes for an ETMv4 data trace stream (fuzz_sw.h). First byte: strict, as the reference;
 * second: cuts.
 */
#include "fuzz/fuzz_sw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	uint8_t choice = take8(&in), seed = take8(&in);
	struct cst_etmv4_regs regs = { .configr = 3 << 16 | 3 << 1, .traceidr = 0x10, .idr0 = 3 << 3 | 3 << 1,
				       .idr1 = 4 << 8, .idr2 = 4 };
	struct cst_config cfg = { 0 };

	CHECK(!cst_config_etmv4_data(&cfg, &regs, CST_PROFILE_R));
	cfg.strict = choice & 1;
	cfg.as_reference = choice >> 1 & 1;
	sw_fuzz(&cfg, in.p, left(&in), seed);
	return 0;
}
