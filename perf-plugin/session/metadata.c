/* SPDX-License-Identifier: GPL-2.0-only */
/* metadata.c - trace units as the file describes them. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "session/internal.h"

int session_read_info(struct session *ss, const struct pd_record *rec)
{
	struct pd_error err;

	if (ss->have_info)
		return 0;
	if (auxinfo_parse(&ss->info, (const void *)rec->ev, rec->ev->header.size,
			  perfdata_file_name(ss->pd, rec->file), rec->offset, &err)) {
		fprintf(stderr, "cstrace: %s\n", err.msg);
		return SESSION_TOLD;
	}
	if (ss->info.missing)
		fprintf(stderr, "cstrace: %s: the trace metadata at offset 0x%llx ends early: %u of %u CPUs "
			"have no registers; their trace cannot be decoded\n", ss->name,
			(unsigned long long)rec->offset, ss->info.missing,
			ss->info.missing + ss->info.nr_cpu);
	ss->have_info = true;
	return 0;
}

/* perf records ETMv3 on application processors. */
static int config_v7(struct cst_config *cfg, const struct aux_cpu *a)
{
	const struct cst_etmv3_regs regs = {
		.cr = a->reg[AUX_REG_ETMCR],
		.ccer = a->reg[AUX_REG_ETMCCER],
		.idr = a->reg[AUX_REG_ETMIDR],
		.traceidr = a->reg[AUX_REG_ETMTRACEIDR] & 0x7f,
	};

	return a->unit == AUX_PTM ? cst_config_ptm(cfg, &regs) : cst_config_etmv3(cfg, &regs, CST_PROFILE_A);
}

static struct cst_etmv4_regs regs_v8(const struct aux_cpu *a)
{
	return (struct cst_etmv4_regs){
		.configr = a->reg[AUX_REG_TRCCONFIGR],
		.traceidr = a->reg[AUX_REG_TRCTRACEIDR] & 0x7f,
		.idr0 = a->reg[AUX_REG_TRCIDR0],
		.idr1 = a->reg[AUX_REG_TRCIDR1],
		.idr2 = a->reg[AUX_REG_TRCIDR2],
		.idr8 = a->reg[AUX_REG_TRCIDR8],
		.devarch = a->unit == AUX_ETE ? a->reg[AUX_REG_TRCDEVARCH] : 0,
	};
}

unsigned int session_reserved_fields(const struct trace_unit *u, struct cst_reserved_field *out, unsigned int max)
{
	const struct cst_etmv4_regs regs = regs_v8(u->aux);

	if (u->aux->unit == AUX_ETMV3 || u->aux->unit == AUX_PTM)
		return 0;
	return cst_config_etmv4_reserved(&regs, u->aux->unit == AUX_ETE, out, max);
}

static int config_v8(struct cst_config *cfg, const struct aux_cpu *a)
{
	const struct cst_etmv4_regs regs = regs_v8(a);

	return cst_config_etmv4(cfg, &regs, a->unit == AUX_ETE, CST_PROFILE_A);
}

void session_make_unit(const struct session *ss, struct trace_unit *u, const struct aux_cpu *a)
{
	u->aux = a;
	u->pid = aux_cpu_pid_source(a);
	u->timestamps = aux_cpu_timestamps(a);
	u->config_error = a->unit == AUX_ETMV3 || a->unit == AUX_PTM ? config_v7(&u->config, a) :
			  config_v8(&u->config, a);
	if (ss->opts.report_transactions)
		u->config.hold_transactions = 0;
	u->config.as_reference = ss->opts.as_reference;
	u->config.strict = ss->opts.strict;
	u->config.insn_ranges = ss->opts.insn_ranges;
}

int session_make_units(struct session *ss)
{
	uint32_t i;

	ss->units = calloc(ss->info.nr_cpu ? ss->info.nr_cpu : 1, sizeof(*ss->units));
	if (!ss->units)
		return -CST_ERR_NOMEM;
	for (i = 0; i < ss->info.nr_cpu; i++)
		session_make_unit(ss, &ss->units[i], &ss->info.cpu[i]);
	return 0;
}

static struct trace_unit *unit_of_cpu(struct session *ss, int cpu)
{
	uint32_t i;

	for (i = 0; i < ss->info.nr_cpu; i++)
		if ((int)ss->info.cpu[i].cpu == cpu)
			return &ss->units[i];
	return NULL;
}

/* Do all units decode alike? */
static bool units_equal(const struct session *ss)
{
	uint32_t i;
	int k;

	for (i = 1; i < ss->info.nr_cpu; i++) {
		const struct aux_cpu *a = &ss->info.cpu[0], *b = &ss->info.cpu[i];

		if (a->unit != b->unit)
			return false;
		for (k = 0; k < AUX_NR_REGS; k++)
			if (k != AUX_REG_TRCTRACEIDR && a->reg[k] != b->reg[k])
				return false;
	}
	return ss->info.nr_cpu > 0;
}

/* The metadata's ID; `any`: also one that the recorder marks as not used. */
static struct trace_unit *unit_by_metadata(struct session *ss, uint8_t id, bool any)
{
	uint32_t i;

	for (i = 0; i < ss->info.nr_cpu; i++) {
		const struct aux_cpu *a = &ss->info.cpu[i];

		if (a->trace_id == id || (any && (a->reg[AUX_REG_TRCTRACEIDR] & 0x7f) == id))
			return &ss->units[i];
	}
	return NULL;
}

struct trace_unit *session_unit_of_owner(struct session *ss, const struct id_owner *o, uint8_t id)
{
	struct trace_unit *u = NULL;

	if (o && o->unit)
		return o->unit;
	if (o && o->cpu >= 0)
		u = unit_of_cpu(ss, o->cpu);
	if (u)
		return u;
	u = unit_by_metadata(ss, id, o != NULL);
	/* Announced, but on which CPU was not recorded: that matters only where they differ. */
	return !u && o && units_equal(ss) ? &ss->units[0] : u;
}

struct trace_unit *session_unit_of_raw(struct session *ss, const struct queue *q,
				       const struct fragment *f)
{
	int cpu = q->cpu >= 0 ? q->cpu : f->aux_cpu;
	struct trace_unit *u = NULL;

	if (cpu >= 0)
		u = owners_unit_of_cpu(ss, cpu, f->pub.time, f->seq);
	if (!u && cpu >= 0)
		u = unit_of_cpu(ss, cpu);
	if (!u && ss->info.nr_cpu == 1)
		u = &ss->units[0];
	if (!u && q->cpu < 0 && f->aux_cpu < 0 && ss->info.nr_cpu)
		u = &ss->units[0];	/* nothing says which CPU it was: all are alike, or it shows */
	return u;
}
