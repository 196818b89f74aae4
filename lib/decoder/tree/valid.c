/* SPDX-License-Identifier: BSD-3-Clause */
/* valid.c - configurations that a caller filled in itself: values that no trace unit has are rejected. */
#include <stddef.h>

#include "decoder/tree/decoder_int.h"

/*
 * Greatest values of the fields of one byte that are numbers. Of the others, version and ts_prescale may have any value,
 * and any value but 0 of a flag is 1.
 */
static const struct {
	uint8_t offset, max;
} limits[] = {
#define MAX(field, value) { offsetof(struct cst_config, field), value }
	MAX(profile, CST_PROFILE_M), MAX(trace_id, 0x7f), MAX(cid_bytes, 4), MAX(vmid_bytes, 4), MAX(cc_bits, 32),
	MAX(qsupp, 3), MAX(cond_mode, 7), MAX(q_off, 3),
	MAX(checks, CST_CHECK_N_DIRECT | CST_CHECK_N_ANY | CST_CHECK_N_NOT_T32 | CST_CHECK_CONTINUE | CST_CHECK_UNDEFINED),
#undef MAX
};

int cst_config_is_valid(const struct cst_config *cfg)
{
	const uint8_t *bytes = (const uint8_t *)cfg;
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (bytes[limits[i].offset] > limits[i].max)
			return 0;
	/* only ETMv3 has atoms of all instructions; a custom protocol may */
	return !cfg->atom_per_insn || cfg->protocol == CST_PROTO_ETMV3 || cfg->protocol == CST_PROTO_CUSTOM;
}
