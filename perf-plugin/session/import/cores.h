/* SPDX-License-Identifier: GPL-2.0-only */
/* cores.h - the table of cores (cores.def), and the registers that a decoder needs of each kind of trace source. */
#ifndef CSTRACE_SESSION_IMPORT_CORES_H
#define CSTRACE_SESSION_IMPORT_CORES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum core_kind { KIND_ETMV3, KIND_PTM, KIND_ETMV4, KIND_ETE, KIND_ITM, KIND_STM, KIND__COUNT };

struct core {
	const char *name;
	const char *type;	/* of the core in a snapshot; NULL: a trace source without a core */
	enum core_kind kind;
	const char *regs;	/* NAME=VALUE, separated by spaces */
	const char *origin;	/* public source of the values */
};

/* The use of a register, and its value when nothing gives it. */
enum core_reg_rule {
	REG_REQUIRED,		/* nothing can be decoded without it */
	REG_ASSUMED,		/* `value`, with a message */
	REG_TRACE_ID,		/* `value` and the trace ID, shifted by `shift` */
	/* TRCCONFIGR: `value`, return stack and Q elements if TRCIDR0 has them; with a message */
	REG_CONFIG,
	REG_OPTIONAL,		/* left out */
};

struct core_reg {
	const char *name;
	unsigned int kinds;	/* 1 << enum core_kind: the kinds that the row is for */
	enum core_reg_rule rule;
	uint32_t value;
	uint8_t shift;
	const char *meaning;	/* what the assumed value says */
};

/* Row by name, without case; NULL: there is none. */
const struct core *core_by_name(const char *name, size_t len);
/* Type of the trace source in a snapshot: "ETM4". */
const char *core_source_type(enum core_kind kind);
/* The register of a kind behind `r` in the table, the first one for NULL; NULL: there is none. */
const struct core_reg *core_next_reg(enum core_kind kind, const struct core_reg *r);
/* Register of a kind by name, without case; NULL: there is none. */
const struct core_reg *core_reg_by_name(enum core_kind kind, const char *name, size_t len);
/* Returns 1 and the value of a register in a row's list, or 0. */
int core_reg_value(const struct core *core, const char *name, uint64_t *value);
/* Prints the names of the table with their sources, one a line. */
void cores_print(FILE *out);

#endif
