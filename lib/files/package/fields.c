/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fields.c - where each option stands in the registers of a trace source: ETMv3 and PTM (ETMCR, ETMCCER,
 * ETMIDR), ETMv4 and ETE (TRCCONFIGR, TRCIDRn).
 */
#include <cstrace/error.h>

#include "files/package/metadata_int.h"

const char *const cst_meta_reg_names[REG__COUNT] = {
	[REG_NONE] = "",
	[REG_TRCCONFIGR] = "TRCCONFIGR",
	[REG_TRCTRACEIDR] = "TRCTRACEIDR",
	[REG_TRCIDR0] = "TRCIDR0",
	[REG_TRCIDR1] = "TRCIDR1",
	[REG_TRCIDR2] = "TRCIDR2",
	[REG_TRCIDR8] = "TRCIDR8",
	[REG_TRCIDR9] = "TRCIDR9",
	[REG_TRCIDR10] = "TRCIDR10",
	[REG_TRCIDR11] = "TRCIDR11",
	[REG_TRCIDR12] = "TRCIDR12",
	[REG_TRCIDR13] = "TRCIDR13",
	[REG_TRCDEVARCH] = "TRCDEVARCH",
	[REG_ETMCR] = "ETMCR",
	[REG_ETMIDR] = "ETMIDR",
	[REG_ETMCCER] = "ETMCCER",
	[REG_ETMTRACEIDR] = "ETMTRACEIDR",
};

enum values { BOOL, ANY32, SIZE_ID, SIZE_TS, SIZE_ADDRESS, SIZE_COUNT, TWO_BITS };

static const struct {
	const char *name;
	uint8_t values;
} options[CST_OPT__COUNT] = {
	[CST_OPT_CYCLECOUNT] = { "cyclecount", BOOL },
	[CST_OPT_CYCLECOUNT_BITS] = { "cyclecount_bits", SIZE_COUNT },
	[CST_OPT_TIMESTAMP_BITS] = { "timestamp_bits", SIZE_TS },
	[CST_OPT_TIMESTAMP_GRAY] = { "timestamp_gray", BOOL },
	[CST_OPT_CONTEXT_ID] = { "context_id", SIZE_ID },
	[CST_OPT_VMID] = { "vmid", SIZE_ID },
	[CST_OPT_VMID_CONTEXT_ID] = { "vmid_context_id", BOOL },
	[CST_OPT_COMMOPT] = { "commopt", BOOL },
	[CST_OPT_RETURN_STACK] = { "return_stack", BOOL },
	[CST_OPT_BRANCH_BROADCAST] = { "branch_broadcast", BOOL },
	[CST_OPT_DMB_DSB_WAYPOINTS] = { "dmb_dsb_waypoints", BOOL },
	[CST_OPT_WFX_WAYPOINTS] = { "wfx_waypoints", BOOL },
	[CST_OPT_ADDRESS_BITS] = { "address_bits", SIZE_ADDRESS },
	[CST_OPT_MAX_SPECULATION] = { "max_speculation", ANY32 },
	[CST_OPT_TRANSACTIONS_P0] = { "transactions_p0", BOOL },
	[CST_OPT_Q_ELEMENTS] = { "q_elements", TWO_BITS },
	[CST_OPT_TIMESTAMP_MARKERS] = { "timestamp_markers", BOOL },
	[CST_OPT_CONDITIONAL] = { "conditional", BOOL },
	[CST_OPT_DATA_ADDRESS] = { "data_address", BOOL },
	[CST_OPT_DATA_VALUE] = { "data_value", BOOL },
	[CST_OPT_LOADS_P0] = { "loads_p0", BOOL },
	[CST_OPT_STORES_P0] = { "stores_p0", BOOL },
	[CST_OPT_ALT_BRANCH] = { "alt_branch", BOOL },
};

/* Kinds of sources that have an option in the same place. */
enum kinds {
	ETM3 = 1 << CST_META_ETM3,
	PTM = 1 << CST_META_PTM,
	ETM4 = 1 << CST_META_ETM4,
	ETE = 1 << CST_META_ETE,
};

#define ROW(kinds, opt, need, ...) { kinds, CST_OPT_##opt, need, __VA_ARGS__ }
#define UNGATED REG_NONE, 0, 0

/* Options are checked in this order. */
const struct cst_meta_field cst_meta_fields[] = {
	ROW(ETM3 | PTM, CYCLECOUNT, ALWAYS, REG_ETMCR, 12, 12, CODE_PLAIN, UNGATED),
	ROW(ETM3 | PTM, TIMESTAMP_BITS, ALWAYS, REG_ETMCCER, 29, 29, CODE_TS_64, REG_ETMCR, 28, 0),
	ROW(ETM3 | PTM, TIMESTAMP_GRAY, WITH_TIMES, REG_ETMCCER, 28, 28, CODE_NOT, UNGATED),
	ROW(ETM3 | PTM, CONTEXT_ID, ALWAYS, REG_ETMCR, 15, 14, CODE_CID_SIZE, UNGATED),
	ROW(ETM3 | PTM, VMID, ALWAYS, REG_ETMCR, 30, 30, CODE_FIXED, REG_ETMCR, 30, 8),
	ROW(ETM3 | PTM, BRANCH_BROADCAST, NEVER, REG_ETMCR, 8, 8, CODE_PLAIN, UNGATED),
	ROW(ETM3, DATA_ADDRESS, ALWAYS, REG_ETMCR, 3, 3, CODE_PLAIN, UNGATED),
	ROW(ETM3, DATA_VALUE, ALWAYS, REG_ETMCR, 2, 2, CODE_PLAIN, UNGATED),
	ROW(ETM3, ALT_BRANCH, FROM_MINOR_4, REG_ETMIDR, 20, 20, CODE_PLAIN, UNGATED),
	ROW(PTM, RETURN_STACK, ALWAYS, REG_ETMCR, 29, 29, CODE_PLAIN, UNGATED),
	ROW(PTM, DMB_DSB_WAYPOINTS, ALWAYS, REG_ETMCCER, 24, 24, CODE_PLAIN, UNGATED),

	ROW(ETM4 | ETE, CYCLECOUNT, ALWAYS, REG_TRCCONFIGR, 4, 4, CODE_PLAIN, UNGATED),
	ROW(ETM4 | ETE, CYCLECOUNT_BITS, WITH_CYCLES, REG_TRCIDR2, 28, 25, CODE_CC_SIZE, UNGATED),
	ROW(ETM4 | ETE, COMMOPT, WITH_CYCLES, REG_TRCIDR0, 29, 29, CODE_PLAIN, REG_TRCIDR0, 7, 0),
	ROW(ETM4, TIMESTAMP_BITS, NEVER, REG_TRCIDR0, 28, 24, CODE_TS_SIZE, REG_TRCCONFIGR, 11, 0),
	ROW(ETM4, CONTEXT_ID, ALWAYS, REG_TRCIDR2, 9, 5, CODE_SIZE, REG_TRCCONFIGR, 6, 0),
	ROW(ETM4, VMID, ALWAYS, REG_TRCIDR2, 14, 10, CODE_SIZE, REG_TRCCONFIGR, 7, 0),
	/* What ETE fixes is not read from a register, since it may be absent there. */
	ROW(ETE, TIMESTAMP_BITS, NEVER, REG_TRCCONFIGR, 11, 11, CODE_FIXED, REG_TRCCONFIGR, 11, 64),
	ROW(ETE, CONTEXT_ID, ALWAYS, REG_TRCCONFIGR, 6, 6, CODE_FIXED, REG_TRCCONFIGR, 6, 32),
	ROW(ETE, VMID, ALWAYS, REG_TRCCONFIGR, 7, 7, CODE_FIXED, REG_TRCCONFIGR, 7, 32),
	ROW(ETM4 | ETE, VMID_CONTEXT_ID, WITH_VMID, REG_TRCCONFIGR, 15, 15, CODE_PLAIN, UNGATED),
	ROW(ETM4 | ETE, RETURN_STACK, ALWAYS, REG_TRCCONFIGR, 12, 12, CODE_PLAIN, UNGATED),
	ROW(ETM4 | ETE, BRANCH_BROADCAST, NEVER, REG_TRCCONFIGR, 3, 3, CODE_PLAIN, UNGATED),
	ROW(ETM4 | ETE, WFX_WAYPOINTS, FROM_MINOR_3, REG_TRCIDR2, 31, 31, CODE_PLAIN, UNGATED),
	ROW(ETM4 | ETE, ADDRESS_BITS, NEVER, REG_TRCIDR2, 4, 0, CODE_IA_SIZE, UNGATED),
	ROW(ETM4 | ETE, MAX_SPECULATION, ALWAYS, REG_TRCIDR8, 31, 0, CODE_PLAIN, UNGATED),
	ROW(ETM4, TRANSACTIONS_P0, NEVER, REG_TRCIDR0, 30, 30, CODE_NOT, UNGATED),
	ROW(ETE, TRANSACTIONS_P0, ALWAYS, REG_TRCIDR0, 30, 30, CODE_NOT, UNGATED),
	ROW(ETM4 | ETE, Q_ELEMENTS, ALWAYS, REG_TRCIDR0, 16, 15, CODE_PLAIN, UNGATED),
	ROW(ETM4 | ETE, TIMESTAMP_MARKERS, NEVER, REG_TRCIDR0, 23, 23, CODE_PLAIN, UNGATED),
	ROW(ETM4, CONDITIONAL, ALWAYS, REG_TRCCONFIGR, 10, 8, CODE_ANY, UNGATED),
	ROW(ETM4, DATA_ADDRESS, ALWAYS, REG_TRCCONFIGR, 16, 16, CODE_PLAIN, UNGATED),
	ROW(ETM4, DATA_VALUE, ALWAYS, REG_TRCCONFIGR, 17, 17, CODE_PLAIN, UNGATED),
	ROW(ETM4, LOADS_P0, ALWAYS, REG_TRCCONFIGR, 1, 1, CODE_PLAIN, UNGATED),
	ROW(ETM4, STORES_P0, ALWAYS, REG_TRCCONFIGR, 2, 2, CODE_PLAIN, UNGATED),
	{ .kinds = 0 }
};

const struct cst_meta_field *cst_meta_field(enum cst_meta_kind kind, enum cst_meta_option opt)
{
	const struct cst_meta_field *f;

	for (f = cst_meta_fields; f->kinds; f++)
		if (f->kinds >> kind & 1 && f->opt == opt)
			return f;
	return NULL;
}

uint64_t cst_meta_decode(const struct cst_meta_field *f, uint32_t reg)
{
	uint32_t v = reg >> f->lo & (uint32_t)(((uint64_t)1 << (f->hi - f->lo + 1)) - 1);

	switch ((enum cst_meta_code)f->code) {
	case CODE_PLAIN:
		return v;
	case CODE_NOT:
		return !v;
	case CODE_ANY:
		return v != 0;
	case CODE_SIZE:
		return v == 1 || v == 2 || v == 4 ? v * 8 : 0;
	case CODE_CID_SIZE:
		return v ? 4u << v : 0;
	case CODE_CC_SIZE:
		return v + 12;
	case CODE_IA_SIZE:
		return v == 8 ? 64 : 32;
	case CODE_TS_SIZE:
		return v == 6 ? 48 : v == 8 ? 64 : 0;
	case CODE_TS_64:
		return v ? 64 : 48;
	case CODE_FIXED:
		return f->fixed;
	}
	return 0;
}

static uint32_t field_for(const struct cst_meta_field *f, uint64_t value)
{
	switch ((enum cst_meta_code)f->code) {
	case CODE_NOT:
		return !value;
	case CODE_ANY:
		return value ? 7 : 0;
	case CODE_SIZE:
		return (uint32_t)value / 8;
	case CODE_CC_SIZE:
		return (uint32_t)value - 12;
	case CODE_IA_SIZE:
		return value == 64 ? 8 : 4;
	case CODE_TS_SIZE:
		return (uint32_t)value / 8;
	case CODE_FIXED:
		return value != 0;
	case CODE_CID_SIZE: case CODE_TS_64:	/* of ETMv3 and PTM, whose registers are not made of options */
	case CODE_PLAIN:
		break;
	}
	return (uint32_t)value;
}

int cst_meta_encode(const struct cst_meta_field *f, uint64_t value, uint32_t *reg, uint32_t *gate)
{
	uint32_t mask = (uint32_t)(((uint64_t)1 << (f->hi - f->lo + 1)) - 1) << f->lo;

	*reg = (*reg & ~mask) | (field_for(f, value) << f->lo & mask);
	if (f->gate)
		*gate = (*gate & ~((uint32_t)1 << f->gate_bit)) | (uint32_t)(value != 0) << f->gate_bit;
	return !value || cst_meta_decode(f, *reg) == value ? 0 : -CST_ERR_INVAL;
}

int cst_meta_is_bool(enum cst_meta_option opt)
{
	return options[opt].values == BOOL;
}

int cst_meta_value_ok(enum cst_meta_option opt, uint64_t value)
{
	switch ((enum values)options[opt].values) {
	case BOOL:
		return value <= 1;
	case ANY32:
		return value <= UINT32_MAX;
	case SIZE_ID:
		return value == 0 || value == 8 || value == 16 || value == 32;
	case SIZE_TS:
		return value == 0 || value == 48 || value == 64;
	case SIZE_ADDRESS:
		return value == 32 || value == 64;
	case SIZE_COUNT:
		return value >= 12 && value <= 27;
	case TWO_BITS:
		return value <= 3;
	}
	return 0;
}

const char *cst_meta_option_name(enum cst_meta_option opt)
{
	return opt < CST_OPT__COUNT ? options[opt].name : "";
}
