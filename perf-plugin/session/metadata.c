/* SPDX-License-Identifier: GPL-2.0-only */
/* metadata.c - trace units as the file describes them, and whose trace ID is whose. */
#include <stdlib.h>
#include <string.h>

#include "session/array.h"
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

int session_read_hw_id(struct session *ss, const struct pd_record *rec)
{
	struct id_owner *o;
	struct pd_hw_id id;
	struct pd_error err;
	size_t i;
	int cpu, tid;

	if (pd_hw_id_parse(&id, rec, perfdata_file_name(ss->pd, rec->file), &err)) {
		fprintf(stderr, "cstrace: %s\n", err.msg);
		ss->bad_records++;
		return 0;
	}
	cpu = id.has_cpu ? (int)id.cpu : -1;
	tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1;
	for (i = 0; i < ss->nr_ids; i++) {
		o = &ss->ids[i];
		if (o->id != id.trace_id || o->has_sink != id.has_sink || o->sink != id.sink_id ||
		    o->tid != tid)
			continue;
		if (o->cpu != cpu)
			fprintf(stderr, "cstrace: %s: offset 0x%llx: trace ID 0x%02x was given to CPU %d and "
				"now to CPU %d; the first is kept\n", ss->name,
				(unsigned long long)rec->offset, id.trace_id, o->cpu, cpu);
		return 0;
	}
	o = ARRAY_ADD(ss->ids, ss->nr_ids, ss->cap_ids);
	if (!o)
		return -1;
	o->sink = id.sink_id;
	o->has_sink = id.has_sink;
	o->id = id.trace_id;
	o->cpu = cpu;
	o->tid = tid;
	return 0;
}

int session_make_units(struct session *ss)
{
	struct cst_etmv4_regs regs;
	uint32_t i;

	ss->units = calloc(ss->info.nr_cpu ? ss->info.nr_cpu : 1, sizeof(*ss->units));
	if (!ss->units)
		return -1;
	for (i = 0; i < ss->info.nr_cpu; i++) {
		struct trace_unit *u = &ss->units[i];
		const struct aux_cpu *a = &ss->info.cpu[i];

		u->aux = a;
		u->pid = aux_cpu_pid_source(a);
		u->timestamps = aux_cpu_timestamps(a);
		if (a->unit != AUX_ETMV4 && a->unit != AUX_ETE) {
			u->config_error = -CST_ERR_PROTOCOL;
			continue;
		}
		memset(&regs, 0, sizeof(regs));
		regs.configr = a->reg[AUX_REG_TRCCONFIGR];
		regs.traceidr = a->reg[AUX_REG_TRCTRACEIDR] & 0x7f;
		regs.idr0 = a->reg[AUX_REG_TRCIDR0];
		regs.idr1 = a->reg[AUX_REG_TRCIDR1];
		regs.idr2 = a->reg[AUX_REG_TRCIDR2];
		regs.idr8 = a->reg[AUX_REG_TRCIDR8];
		regs.devarch = a->unit == AUX_ETE ? a->reg[AUX_REG_TRCDEVARCH] : 0;
		u->config_error = cst_config_etmv4(&u->config, &regs, a->unit == AUX_ETE,
						   CST_PROFILE_A);
		if (ss->opts.report_transactions)
			u->config.hold_transactions = 0;
		u->config.as_reference = ss->opts.as_reference;
	}
	return 0;
}

struct trace_unit *session_unit_of_cpu(struct session *ss, int cpu)
{
	uint32_t i;

	for (i = 0; i < ss->info.nr_cpu; i++)
		if ((int)ss->info.cpu[i].cpu == cpu)
			return &ss->units[i];
	return NULL;
}

/* Does a HW_ID record speak about this buffer's sink? */
static bool same_sink(const struct session *ss, const struct queue *q, const struct id_owner *o)
{
	bool known = false;
	size_t i;

	if (!o->has_sink)
		return true;
	/* The sinks of a buffer are those of the CPUs, or threads, that wrote into it. */
	for (i = 0; i < ss->nr_ids; i++) {
		const struct id_owner *x = &ss->ids[i];

		if (!x->has_sink || (q->cpu >= 0 ? x->cpu != q->cpu : x->tid != q->tid))
			continue;
		known = true;
		if (x->sink == o->sink)
			return true;
	}
	return !known;
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

struct trace_unit *session_unit_of_id(struct session *ss, const struct queue *q, uint8_t id)
{
	const struct id_owner *best = NULL;
	struct trace_unit *u = NULL;
	size_t k;

	for (k = 0; k < ss->nr_ids; k++) {
		const struct id_owner *o = &ss->ids[k];

		if (o->id != id || !same_sink(ss, q, o))
			continue;
		/* Of several the one that this buffer's own thread announced. */
		if (!best || (o->tid == q->tid && best->tid != q->tid))
			best = o;
	}
	if (best && best->cpu >= 0)
		u = session_unit_of_cpu(ss, best->cpu);
	if (u)
		return u;
	u = unit_by_metadata(ss, id, best != NULL);
	/* Announced, but on which CPU was not recorded: that matters only where they differ. */
	return !u && best && units_equal(ss) ? &ss->units[0] : u;
}

struct trace_unit *session_unit_of_raw(struct session *ss, const struct queue *q,
				       const struct fragment *f)
{
	struct trace_unit *u = NULL;

	if (q->cpu >= 0)
		u = session_unit_of_cpu(ss, q->cpu);
	else if (f->aux_cpu >= 0)
		u = session_unit_of_cpu(ss, f->aux_cpu);
	if (!u && ss->info.nr_cpu == 1)
		u = &ss->units[0];
	if (!u && q->cpu < 0 && f->aux_cpu < 0 && ss->info.nr_cpu)
		u = &ss->units[0];	/* nothing says which CPU it was: all are alike, or it shows */
	return u;
}
