/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * units.h - the trace units of a recording: what AUXTRACE_INFO and later records say about each of them, the configuration
 * that its trace is decoded with, and which of them wrote what (owners.h).
 */
#ifndef CSTRACE_MACHINE_BUFFERS_UNITS_H
#define CSTRACE_MACHINE_BUFFERS_UNITS_H

#include <cstrace/config.h>

#include "perfdata/auxinfo.h"
#include "perfdata/reader.h"

struct fragment;
struct id_owner;
struct queue;

/* A CPU's trace unit. */
struct trace_unit {
	const struct aux_cpu *aux;
	struct cst_config config;
	int config_error;	/* of cst_config_etmv4(); -CST_ERR_PROTOCOL: no decoder for it */
	struct aux_pid_source pid;
	struct aux_pid_source pid_seen;	/* IDs other than 0 that contexts at EL0 were found with */
	bool timestamps;
};

/*
 * A configuration that was not made of AUXTRACE_INFO, which has no place for profiles, some registers, and trace sources other
 * than the CPUs' trace units.
 */
struct unit_config {
	uint32_t cpu;			/* of an STM: a number that no CPU has, for its AUX area */
	struct cst_config config;
	int error;			/* as trace_unit.config_error */
};

struct unit_configs {
	struct unit_config *v;
	size_t nr;
};

struct trace_units {
	/* The caller's, set before anything is read. */
	struct perfdata *pd;
	const char *name;		/* of the input, as messages show it */
	struct unit_configs given;	/* of snapshots; freed with the units */
	struct unit_options {		/* as in struct cst_config */
		bool report_transactions, as_reference, strict, insn_ranges, split_source;
	} opts;

	struct auxinfo info;
	bool have_info;
	struct trace_unit *v;		/* of each CPU of `info` */
	struct trace_unit *of_no_cpu;	/* of an unknown CPU, where all have the same registers; else NULL */
	struct stm_unit {		/* an STM, with messages of software on all CPUs */
		struct trace_unit unit;
		struct aux_cpu aux;
	} *stm;
	size_t nr_stm;
	struct id_owner *ids;		/* by ID, then in order of time */
	size_t nr_ids, cap_ids;
	bool ids_change;		/* some ID has several owners, one after the other */
	struct defined_unit *defined;	/* by records, owners.c */
	uint64_t bad_records;		/* unusable, and left out */
};

/* AUXTRACE_INFO; only the first one counts. 0, or negative after a message. */
int units_read_info(struct trace_units *tu, const struct pd_record *rec);
/* From registers to configurations, after all records were read. */
void units_make(struct trace_units *tu);
void unit_make(const struct trace_units *tu, struct trace_unit *u, const struct aux_cpu *a);
void units_free(struct trace_units *tu);

/* CPU of a trace unit; -1: it is an STM. */
int unit_cpu(const struct trace_unit *u);
/* Register fields of the trace unit that hold reserved values: up to `max`, returns their number. */
unsigned int unit_reserved_fields(const struct trace_unit *u, struct cst_reserved_field *out, unsigned int max);
/* The unit that an announcement is about (NULL: none was made); NULL unknown. */
struct trace_unit *units_of_owner(const struct trace_units *tu, const struct id_owner *o, uint8_t id);
/* The unit of an unframed fragment; NULL unknown. */
struct trace_unit *units_of_raw(const struct trace_units *tu, const struct queue *q, const struct fragment *f);

#endif
