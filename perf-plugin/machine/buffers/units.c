/* SPDX-License-Identifier: GPL-2.0-only */
/* units.c - trace units as the metadata of the recording describes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/messages.h"
#include "machine/buffers/owners.h"
#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"

int units_read_info(struct trace_units *tu, const struct pd_record *rec)
{
	struct error err;

	if (tu->have_info)
		return 0;
	if (auxinfo_parse(&tu->info, (const void *)rec->ev, rec->ev->header.size,
			  perfdata_file_name(tu->pd, rec->file), rec->offset, &err)) {
		fprintf(message_stream(), "cstrace: %s\n", err.msg);
		return ERR_REPORTED;
	}
	if (tu->info.unknown)
		fprintf(message_stream(), "cstrace: %s: offset 0x%llx: found 0x%llx in the trace metadata, expected the mark of an "
			"ETMv3, PTM, ETMv4 or ETE; skipped up to the next mark\n", tu->name,
			(unsigned long long)(rec->offset + sizeof(struct perf_record_auxtrace_info) + 8 * tu->info.unknown_at),
			(unsigned long long)tu->info.unknown_mark);
	if (tu->info.missing)
		fprintf(message_stream(), "cstrace: %s: the trace metadata at offset 0x%llx %s: %u of %u CPUs "
			"have no registers; their trace cannot be decoded\n", tu->name,
			(unsigned long long)rec->offset, tu->info.unknown ? "has unknown parts" : "ends early",
			tu->info.missing,
			tu->info.missing + tu->info.nr_cpu);
	tu->have_info = true;
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

unsigned int unit_reserved_fields(const struct trace_unit *u, struct cst_reserved_field *out, unsigned int max)
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

static void apply_options(const struct trace_units *tu, struct trace_unit *u)
{
	if (tu->opts.report_transactions)
		u->config.hold_transactions = 0;
	u->config.as_reference = tu->opts.as_reference;
	u->config.strict = tu->opts.strict;
	u->config.insn_ranges = tu->opts.insn_ranges;
	u->config.split_source = tu->opts.split_source;
}

void unit_make(const struct trace_units *tu, struct trace_unit *u, const struct aux_cpu *a)
{
	u->aux = a;
	u->pid = aux_cpu_pid_source(a);
	u->timestamps = aux_cpu_timestamps(a);
	u->config_error = a->unit == AUX_ETMV3 || a->unit == AUX_PTM ? config_v7(&u->config, a) :
			  config_v8(&u->config, a);
	apply_options(tu, u);
}

static void use_given(const struct trace_units *tu, struct trace_unit *u)
{
	size_t i;

	for (i = 0; i < tu->given.nr; i++)
		if (tu->given.v[i].cpu == u->aux->cpu) {
			u->config = tu->given.v[i].config;
			u->config_error = tu->given.v[i].error;
			apply_options(tu, u);
			return;
		}
}

static void make_stm(struct trace_units *tu)
{
	struct stm_unit *s;
	size_t i, n = 0;

	for (i = 0; i < tu->given.nr; i++)
		n += tu->given.v[i].config.protocol == CST_PROTO_STM;
	tu->stm = mem_zeroed(n ? n : 1, sizeof(*tu->stm));
	for (i = 0; i < tu->given.nr; i++) {
		if (tu->given.v[i].config.protocol != CST_PROTO_STM)
			continue;
		s = &tu->stm[tu->nr_stm++];
		s->aux = (struct aux_cpu){ .cpu = tu->given.v[i].cpu, .unit = AUX_STM, .trace_id = tu->given.v[i].config.trace_id };
		s->unit = (struct trace_unit){ .aux = &s->aux, .config = tu->given.v[i].config };
		apply_options(tu, &s->unit);
	}
}

/* True if all units have the same decoder configuration. */
static bool units_equal(const struct trace_units *tu)
{
	uint32_t i;
	int k;

	for (i = 1; i < tu->info.nr_cpu; i++) {
		const struct aux_cpu *a = &tu->info.cpu[0], *b = &tu->info.cpu[i];

		if (a->unit != b->unit)
			return false;
		for (k = 0; k < AUX_NR_REGS; k++)
			if (k != AUX_REG_TRCTRACEIDR && a->reg[k] != b->reg[k])
				return false;
		if (a->has_ts_source != b->has_ts_source || a->ts_source != b->ts_source)
			return false;
	}
	return tu->info.nr_cpu > 0;
}

/* The unit of a CPU that is unknown: any will do, but for its number. */
static void make_of_no_cpu(struct trace_units *tu)
{
	struct no_cpu_unit {
		struct trace_unit unit;
		struct aux_cpu aux;
	} *u;

	if (!units_equal(tu))
		return;
	u = mem_zeroed(1, sizeof(*u));
	u->aux = tu->info.cpu[0];
	u->unit = tu->v[0];
	u->unit.aux = &u->aux;
	if (tu->info.nr_cpu > 1)
		u->aux.cpu = UINT32_MAX;
	tu->of_no_cpu = &u->unit;
}

void units_make(struct trace_units *tu)
{
	uint32_t i;

	tu->v = mem_zeroed(tu->info.nr_cpu ? tu->info.nr_cpu : 1, sizeof(*tu->v));
	for (i = 0; i < tu->info.nr_cpu; i++) {
		unit_make(tu, &tu->v[i], &tu->info.cpu[i]);
		use_given(tu, &tu->v[i]);
	}
	make_stm(tu);
	make_of_no_cpu(tu);
}

int unit_cpu(const struct trace_unit *u)
{
	return u->aux->unit == AUX_STM || u->aux->cpu > INT32_MAX ? -1 : (int)u->aux->cpu;
}

static struct trace_unit *unit_of_cpu(const struct trace_units *tu, int cpu)
{
	size_t i;

	for (i = 0; i < tu->info.nr_cpu; i++)
		if ((int)tu->info.cpu[i].cpu == cpu)
			return &tu->v[i];
	for (i = 0; i < tu->nr_stm; i++)
		if ((int)tu->stm[i].aux.cpu == cpu)
			return &tu->stm[i].unit;
	return NULL;
}

/* The metadata's ID; `any`: also one that the recorder marks as not used. */
static struct trace_unit *unit_by_metadata(const struct trace_units *tu, uint8_t id, bool any)
{
	uint32_t i;

	for (i = 0; i < tu->info.nr_cpu; i++) {
		const struct aux_cpu *a = &tu->info.cpu[i];

		if (a->trace_id == id || (any && (a->reg[AUX_REG_TRCTRACEIDR] & 0x7f) == id))
			return &tu->v[i];
	}
	for (i = 0; i < tu->nr_stm; i++)
		if (tu->stm[i].aux.trace_id == id)
			return &tu->stm[i].unit;
	return NULL;
}

struct trace_unit *units_of_owner(const struct trace_units *tu, const struct id_owner *o, uint8_t id)
{
	struct trace_unit *u = NULL;

	if (o && o->unit)
		return o->unit;
	if (o && o->cpu >= 0)
		u = unit_of_cpu(tu, o->cpu);
	if (u)
		return u;
	u = unit_by_metadata(tu, id, o != NULL);
	/* Announced, but on which CPU was not recorded: how it is decoded depends on that only where they differ. */
	return !u && o ? tu->of_no_cpu : u;
}

struct trace_unit *units_of_raw(const struct trace_units *tu, const struct queue *q,
				       const struct fragment *f)
{
	int cpu = q->cpu >= 0 ? q->cpu : f->aux_cpu;
	struct trace_unit *u = NULL;

	if (cpu >= 0)
		u = owners_unit_of_cpu(tu, cpu, f->pub.time, f->seq);
	if (!u && cpu >= 0)
		u = unit_of_cpu(tu, cpu);
	if (!u && tu->info.nr_cpu == 1)
		u = &tu->v[0];
	if (!u && q->cpu < 0 && f->aux_cpu < 0 && tu->info.nr_cpu)
		u = &tu->v[0];	/* nothing says which CPU it was: all are alike, or it shows */
	return u;
}

void units_free(struct trace_units *tu)
{
	auxinfo_free(&tu->info);
	free(tu->v);
	free(tu->stm);
	free(tu->of_no_cpu);
	free(tu->given.v);
	owners_free(tu);
}
