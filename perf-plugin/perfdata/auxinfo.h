/* SPDX-License-Identifier: GPL-2.0-only */
/* auxinfo.h - AUXTRACE_INFO of CoreSight: the registers of every trace unit at the time of recording. */
#ifndef CSTRACE_PERFDATA_AUXINFO_H
#define CSTRACE_PERFDATA_AUXINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "perfdata/records.h"

#define PD_AUXTRACE_CS_ETM	3

enum aux_unit {
	AUX_ETMV3,
	AUX_PTM,
	AUX_ETMV4,
	AUX_ETE,
	AUX_STM,		/* not in AUXTRACE_INFO: of snapshots */
};

/* Registers; AUX_REG_* are indexes into aux_cpu.reg. */
enum aux_reg {
	/* ETMv3 and PTM */
	AUX_REG_ETMCR		= 0,
	AUX_REG_ETMTRACEIDR	= 1,
	AUX_REG_ETMCCER		= 2,
	AUX_REG_ETMIDR		= 3,
	/* ETMv4 and ETE */
	AUX_REG_TRCCONFIGR	= 0,
	AUX_REG_TRCTRACEIDR	= 1,
	AUX_REG_TRCIDR0		= 2,
	AUX_REG_TRCIDR1		= 3,
	AUX_REG_TRCIDR2		= 4,
	AUX_REG_TRCIDR8		= 5,
	AUX_REG_TRCAUTHSTATUS	= 6,
	AUX_REG_TRCDEVARCH	= 7,	/* ETE */
	AUX_NR_REGS		= 8,
};

enum aux_ts_source {
	AUX_TS_UNKNOWN		= -1,	/* also when the recorder does not say */
	AUX_TS_VIRTUAL		= 1,
	AUX_TS_GUEST_PHYSICAL	= 2,
	AUX_TS_PHYSICAL		= 3,
};

struct aux_cpu {
	uint32_t cpu;
	enum aux_unit unit;
	uint64_t reg[AUX_NR_REGS];
	uint32_t present;	/* bit n: reg[n] was recorded; other registers read as 0 */
	bool has_ts_source;
	int ts_source;
	/* From the metadata; -1 when it leaves the ID to AUX_OUTPUT_HW_ID records. */
	int trace_id;
};

struct auxinfo {
	unsigned int version;
	uint32_t pmu_type;	/* attr.type of the events that produced the trace */
	bool snapshot;
	uint32_t nr_cpu;	/* entries of cpu[] */
	uint32_t missing;	/* blocks that were announced but are not complete, or of an unknown kind */
	uint32_t unknown;	/* stretches between blocks that are none, or of an unknown kind */
	uint64_t unknown_mark, unknown_at; /* the first word of the first of them, and its place in words */
	struct aux_cpu *cpu;
};

/*
 * Parse an AUXTRACE_INFO record of @size bytes. @name and @offset are for messages. A record
 * that ends inside a block gives the complete blocks and counts the others in @missing. Blocks are found by their marks:
 * what is between them is skipped, and further parameters of a block are ignored.
 */
int auxinfo_parse(struct auxinfo *info, const struct perf_record_auxtrace_info *rec, uint32_t size,
		  const char *name, uint64_t offset, struct error *err);
void auxinfo_free(struct auxinfo *info);

const struct aux_cpu *auxinfo_cpu(const struct auxinfo *info, uint32_t cpu);
const char *aux_unit_name(enum aux_unit unit);
/* "TRCCONFIGR"; NULL when that unit has no such register here. */
const char *aux_reg_name(enum aux_unit unit, unsigned int reg);

/* The register in which the unit traces the PID: context ID or virtual context ID; both false: neither. */
struct aux_pid_source {
	bool contextidr_el1;
	bool contextidr_el2;
};

struct aux_pid_source aux_cpu_pid_source(const struct aux_cpu *cpu);

/* True if the trace has timestamps. */
bool aux_cpu_timestamps(const struct aux_cpu *cpu);

#endif
