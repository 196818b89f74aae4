/* SPDX-License-Identifier: GPL-2.0-only */
/* cores.c - looks up the table of cores, and has the registers of each kind of trace source. */
#include "session/import/cores.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct core cores[] = {
#define CORE(name, type, kind, regs, origin) { name, type, kind, regs, origin },
#include "session/import/cores.def"
#undef CORE
};

static const char *const source_types[KIND__COUNT] = {
	[KIND_ETMV3] = "ETM3.5", [KIND_PTM] = "PTM1.1", [KIND_ETMV4] = "ETM4", [KIND_ETE] = "ETE", [KIND_ITM] = "ITM",
	[KIND_STM] = "STM",
};

#define ETMV4	(1u << KIND_ETMV4)
#define ETE	(1u << KIND_ETE)
#define V7	(1u << KIND_ETMV3 | 1u << KIND_PTM)
#define ITM	(1u << KIND_ITM)
#define STM	(1u << KIND_STM)

/* Bit 0 of TRCCONFIGR is RES1. The assumed values of ID registers are those of lib/files/snapshot/config.c. */
static const struct core_reg regs[] = {
	{ "TRCTRACEIDR", ETMV4 | ETE, REG_TRACE_ID, 0, 0, NULL },
	{ "TRCIDR0", ETMV4 | ETE, REG_REQUIRED, 0, 0, NULL },
	{ "TRCIDR1", ETMV4, REG_ASSUMED, 0x4100f403, 0, "ETMv4.0" },
	{ "TRCIDR1", ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR2", ETMV4 | ETE, REG_REQUIRED, 0, 0, NULL },
	{ "TRCIDR3", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR4", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR5", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR6", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR7", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR8", ETMV4 | ETE, REG_ASSUMED, 0, 0, "no speculation" },
	{ "TRCIDR9", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR10", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR11", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR12", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCIDR13", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCDEVARCH", ETMV4, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCDEVARCH", ETE, REG_ASSUMED, 0x47705a13, 0, "ETE 1.0" },
	{ "TRCAUTHSTATUS", ETMV4 | ETE, REG_OPTIONAL, 0, 0, NULL },
	{ "TRCCONFIGR", ETMV4, REG_CONFIG, 1, 0,
	  "return stack and Q elements if there are any; no cycle counts, conditions or data" },
	{ "TRCCONFIGR", ETE, REG_CONFIG, 1, 0,
	  "return stack and Q elements if there are any; no cycle counts" },
	{ "ETMTRACEIDR", V7, REG_TRACE_ID, 0, 0, NULL },
	{ "ETMIDR", V7, REG_REQUIRED, 0, 0, NULL },
	{ "ETMCCR", V7, REG_OPTIONAL, 0, 0, NULL },
	{ "ETMCCER", V7, REG_ASSUMED, 0, 0, "no extensions" },
	{ "ETMCR", V7, REG_ASSUMED, 0, 0, "no context IDs, cycle counts, timestamps, return stack or data" },
	{ "ITMTCR", ITM, REG_TRACE_ID, 1, 16, "timestamps without a prescaler" },
	{ "STMTCSR", STM, REG_TRACE_ID, 1, 16, NULL },
	{ "STMSPFEAT1R", STM, REG_OPTIONAL, 0, 0, NULL },
	{ "STMSPFEAT3R", STM, REG_OPTIONAL, 0, 0, NULL },
	{ "STMDEVID", STM, REG_OPTIONAL, 0, 0, NULL },
	{ "STMHEFEAT1R", STM, REG_OPTIONAL, 0, 0, NULL },
};

#define NR_REGS (sizeof(regs) / sizeof(regs[0]))

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

const struct core_reg *core_next_reg(enum core_kind kind, const struct core_reg *r)
{
	for (r = r ? r + 1 : regs; r < regs + NR_REGS; r++)
		if (r->kinds >> kind & 1)
			return r;
	return NULL;
}

const struct core_reg *core_reg_by_name(enum core_kind kind, const char *name, size_t len)
{
	const struct core_reg *r = NULL;

	while ((r = core_next_reg(kind, r)))
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
