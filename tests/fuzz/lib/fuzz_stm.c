/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_stm.c - any bytes for an STM's trace (fuzz_sw.h). First byte: strict, as the reference; second: cuts. */
#include "fuzz/fuzz_sw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct cst_stm_regs regs = { .tcsr = 0x00100007 };
	struct input in = { data, data + size };
	uint8_t choice = take8(&in), seed = take8(&in);
	struct cst_config cfg = { 0 };

	CHECK(!cst_config_stm(&cfg, &regs));
	cfg.strict = choice & 1;
	cfg.as_reference = choice >> 1 & 1;
	sw_fuzz(&cfg, in.p, left(&in), seed);
	return 0;
}
