/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_itm.c - any bytes for an ITM's trace (fuzz_sw.h). First byte: strict, as the reference, prescaler, how the packets
 * are found; second: cuts.
 */
#include "fuzz/fuzz_sw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	uint8_t choice = take8(&in), seed = take8(&in);
	struct cst_itm_regs regs = { .tcr = 0x00140011 | (uint32_t)(choice >> 2 & 3) << 8 };
	struct cst_config cfg = { 0 };

	CHECK(!cst_config_itm(&cfg, &regs));
	cfg.strict = choice & 1;
	cfg.itm_sync = choice >> 4 & 3;
	cfg.as_reference = choice >> 1 & 1;
	sw_fuzz(&cfg, in.p, left(&in), seed);
	return 0;
}
