/* SPDX-License-Identifier: GPL-2.0-only */
/* cores.c - looks up the table of cores, and has the registers of each kind of trace source. */
#include "import/cores.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct core cores[] = {
#define CORE(name, type, kind, regs, origin) { name, type, kind, regs, origin },
#include "import/cores.def"
#undef CORE
};

static const char *const source_types[KIND__COUNT] = {
	[KIND_ETMV3] = "ETM3.5", [KIND_PTM] = "PTM1.1", [KIND_ETMV4] = "ETM4", [KIND_ETE] = "ETE", [KIND_ITM] = "ITM",
	[KIND_STM] = "STM",
};

/* Bit 0 of TRCCONFIGR is RES1. The assumed values of ID registers are those of lib/snapshot/config.c. */
static const struct core_reg etmv4_regs[] = {
	{ "TRCTRACEIDR", REG_TRACE_ID, 0, 0, NULL },
	{ "TRCIDR0", REG_REQUIRED, 0, 0, NULL },
	{ "TRCIDR1", REG_ASSUMED, 0x4100f403, 0, "ETMv4.0" },
	{ "TRCIDR2", REG_REQUIRED, 0, 0, NULL },
	{ "TRCIDR3", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR4", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR5", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR6", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR7", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR8", REG_ASSUMED, 0, 0, "no speculation" },
	{ "TRCIDR9", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR10", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR11", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR12", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR13", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCDEVARCH", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCAUTHSTATUS", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCCONFIGR", REG_CONFIG, 1, 0, "the return stack if there is one; no cycle counts, conditions or data" },
	{ NULL, REG_OPTIONAL, 0, 0, NULL }
};

static const struct core_reg ete_regs[] = {
	{ "TRCTRACEIDR", REG_TRACE_ID, 0, 0, NULL },
	{ "TRCIDR0", REG_REQUIRED, 0, 0, NULL },
	{ "TRCIDR1", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR2", REG_REQUIRED, 0, 0, NULL },
	{ "TRCIDR3", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR4", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR5", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR6", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR7", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR8", REG_ASSUMED, 0, 0, "no speculation" },
	{ "TRCIDR9", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR10", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR11", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR12", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR13", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCDEVARCH", REG_ASSUMED, 0x47705a13, 0, "ETE 1.0" },
	{ "TRCAUTHSTATUS", REG_OPTIONAL, 0, 0, NULL },
	{ "TRCCONFIGR", REG_CONFIG, 1, 0, "the return stack if there is one; no cycle counts" },
	{ NULL, REG_OPTIONAL, 0, 0, NULL }
};

static const struct core_reg etmv3_regs[] = {
	{ "ETMTRACEIDR", REG_TRACE_ID, 0, 0, NULL },
	{ "ETMIDR", REG_REQUIRED, 0, 0, NULL },
	{ "ETMCCR", REG_OPTIONAL, 0, 0, NULL },
	{ "ETMCCER", REG_ASSUMED, 0, 0, "no extensions" },
	{ "ETMCR", REG_ASSUMED, 0, 0, "no context IDs, cycle counts, timestamps, return stack or data" },
	{ NULL, REG_OPTIONAL, 0, 0, NULL }
};

static const struct core_reg itm_regs[] = {
	{ "ITMTCR", REG_TRACE_ID, 1, 16, "timestamps without a prescaler" },
	{ NULL, REG_OPTIONAL, 0, 0, NULL }
};

static const struct core_reg stm_regs[] = {
	{ "STMTCSR", REG_TRACE_ID, 1, 16, NULL },
	{ "STMSPFEAT1R", REG_OPTIONAL, 0, 0, NULL },
	{ "STMSPFEAT3R", REG_OPTIONAL, 0, 0, NULL },
	{ "STMDEVID", REG_OPTIONAL, 0, 0, NULL },
	{ "STMHEFEAT1R", REG_OPTIONAL, 0, 0, NULL },
	{ NULL, REG_OPTIONAL, 0, 0, NULL }
};

static const struct core_reg *const regs_of[KIND__COUNT] = {
	[KIND_ETMV3] = etmv3_regs, [KIND_PTM] = etmv3_regs, [KIND_ETMV4] = etmv4_regs, [KIND_ETE] = ete_regs,
	[KIND_ITM] = itm_regs, [KIND_STM] = stm_regs,
};

static int is(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !strncasecmp(name, text, len);
}

const struct core *core_by_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (is(cores[i].name, name, len))
			return &cores[i];
	return NULL;
}

const char *core_source_type(enum core_kind kind)
{
	return source_types[kind];
}

const struct core_reg *core_regs(enum core_kind kind)
{
	return regs_of[kind];
}

const struct core_reg *core_reg_by_name(enum core_kind kind, const char *name, size_t len)
{
	const struct core_reg *r;

	for (r = regs_of[kind]; r->name; r++)
		if (is(r->name, name, len))
			return r;
	return NULL;
}

int core_reg_value(const struct core *core, const char *name, uint64_t *value)
{
	const char *p = core->regs;
	size_t n;

	for (; *p; p += strcspn(p, " "), p += *p == ' ') {
		n = strcspn(p, "=");
		if (is(name, p, n)) {
			*value = strtoull(p + n + 1, NULL, 0);
			return 1;
		}
	}
	return 0;
}

void cores_print(FILE *out)
{
	size_t i;

	for (i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		fprintf(out, "  %-11s %s\n", cores[i].name, cores[i].origin);
}
