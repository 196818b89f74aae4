/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reserved.c - ETMv4 and ETE register fields that describe the trace stream and hold a value that the architecture
 * reserves (IHI 0064 and DDI 0487, TRCIDR0 and TRCIDR2).
 */
#include <cstrace/config.h>

#include "base/bits.h"
#include "base/sized.h"

#define VALUES(...) { __VA_ARGS__, END }
#define END 0xff

struct field {
	const char *name;
	uint8_t reg;		/* 0: TRCIDR0, 2: TRCIDR2 */
	uint8_t high, low;
	uint8_t etmv4[5], ete[5]; /* the defined values, then END */
};

static const struct field fields[] = {
	{ "TRCIDR0.INSTP0", 0, 2, 1, VALUES(0, 3), VALUES(0) },
	{ "TRCIDR0.TRCDATA", 0, 4, 3, VALUES(0, 3), VALUES(0) },
	{ "TRCIDR0.TRCCOND", 0, 6, 6, VALUES(0, 1), VALUES(0) },
	{ "TRCIDR0.TRCCCI", 0, 7, 7, VALUES(0, 1), VALUES(1) },
	{ "TRCIDR0.CONDTYPE", 0, 13, 12, VALUES(0, 1), VALUES(0) },
	{ "TRCIDR0.TSSIZE", 0, 28, 24, VALUES(0, 6, 8), VALUES(8) },
	{ "TRCIDR2.IASIZE", 2, 4, 0, VALUES(4, 8), VALUES(8) },
	{ "TRCIDR2.CIDSIZE", 2, 9, 5, VALUES(0, 4), VALUES(4) },
	/* 0 in an ETE whose processor has no EL2 */
	{ "TRCIDR2.VMIDSIZE", 2, 14, 10, VALUES(0, 1, 2, 4), VALUES(0, 4) },
};

static int is_defined(const uint8_t *values, unsigned int value)
{
	while (*values != END && *values != value)
		values++;
	return *values != END;
}

unsigned int cst_config_etmv4_reserved(const struct cst_etmv4_regs *regs, int ete, struct cst_reserved_field *out,
				       unsigned int max)
{
	unsigned int i, n = 0, value;
	struct cst_etmv4_regs own;
	uint32_t reg;

	regs = TAKE(cst_etmv4_regs, regs, own);
	if (!regs)
		return 0;
	ete = cst_etmv4_is_ete(regs, ete);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]) && n < max; i++) {
		reg = fields[i].reg ? regs->idr2 : regs->idr0;
		value = BITS(reg, fields[i].high, fields[i].low);
		/* a register of zeros was not captured */
		if (!reg || is_defined(ete ? fields[i].ete : fields[i].etmv4, value))
			continue;
		out[n].name = fields[i].name;
		out[n++].value = value;
	}
	return n;
}
