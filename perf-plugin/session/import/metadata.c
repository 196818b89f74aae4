/* SPDX-License-Identifier: GPL-2.0-only */
/* metadata.c - registers of trace units as sections of a package's metadata and as AUXTRACE_INFO. */
#include "session/import/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* AUXTRACE_INFO has room for fewer. */
#define MAX_UNITS	1024

/* ---- writing ----------------------------------------------------------------------------------- */

static int set_registers(struct cst_doc *doc, const char *section, const struct aux_cpu *a)
{
	struct cst_etmv4_regs r = { .configr = (uint32_t)a->reg[AUX_REG_TRCCONFIGR] };
	char format[16];
	unsigned int i;
	int err;

	if (a->unit == AUX_ETMV4 || a->unit == AUX_ETE) {
		r.traceidr = (uint32_t)a->reg[AUX_REG_TRCTRACEIDR] & 0x7f;
		r.idr0 = (uint32_t)a->reg[AUX_REG_TRCIDR0];
		r.idr1 = (uint32_t)a->reg[AUX_REG_TRCIDR1];
		r.idr2 = (uint32_t)a->reg[AUX_REG_TRCIDR2];
		r.idr8 = (uint32_t)a->reg[AUX_REG_TRCIDR8];
		r.devarch = a->unit == AUX_ETE ? (uint32_t)a->reg[AUX_REG_TRCDEVARCH] : 0;
		err = cst_meta_set_etmv4(doc, section, &r, a->unit == AUX_ETE);
		if (!err && a->present & 1u << AUX_REG_TRCAUTHSTATUS)
			err = cst_doc_set_number(doc, section, "TRCAUTHSTATUS", a->reg[AUX_REG_TRCAUTHSTATUS],
						 1);
		return err;
	}
	snprintf(format, sizeof(format), a->unit == AUX_PTM ? "PFT1.%u" : "ETM3.%u",
		 (unsigned int)(a->reg[AUX_REG_ETMIDR] >> 4 & 15));
	err = cst_doc_set(doc, section, "format", format);
	for (i = 0; !err && aux_reg_name(a->unit, i); i++)
		err = cst_doc_set_number(doc, section, aux_reg_name(a->unit, i), a->reg[i] & UINT32_MAX, 1);
	return err;
}

static bool id_is_unique(const struct auxinfo *info, const struct aux_cpu *a)
{
	unsigned int n = 0;
	uint32_t i;

	for (i = 0; i < info->nr_cpu; i++)
		n += info->cpu[i].trace_id == a->trace_id;
	return n == 1;
}

int metadata_write(struct cst_doc *doc, struct source_names *names, const struct auxinfo *info)
{
	uint64_t used[2] = { 0, 0 };
	char section[80];
	uint32_t i;
	int err = 0;

	for (i = 0; !err && i < info->nr_cpu; i++) {
		const struct aux_cpu *a = &info->cpu[i];
		struct source_name *n = ARRAY_ADD(names->v, names->nr, names->cap);
		unsigned int id = (unsigned int)a->trace_id & 0x7f;
		bool listed = a->trace_id > 0 && id_is_unique(info, a) && !(used[id >> 6] >> (id & 63) & 1);

		snprintf(n->name, sizeof(n->name), "cpu%u", a->cpu);
		n->cpu = (int)a->cpu;
		n->unit = a->unit;
		if (listed)
			snprintf(section, sizeof(section), "trace_%u", id);
		else
			snprintf(section, sizeof(section), "source_%s", n->name);
		if (listed)
			used[id >> 6] |= 1ull << (id & 63);
		err = set_registers(doc, section, a);
		if (!err && listed)
			err = cst_doc_set(doc, section, "source", n->name);
		if (!err)
			err = cst_doc_set_number(doc, section, "cpu", a->cpu, 0);
		/* the word in which recorders say that the ID is not used */
		if (!err && a->reg[AUX_REG_TRCTRACEIDR] != (listed ? id : 0))
			err = cst_doc_set_number(doc, section, "perf_traceid", a->reg[AUX_REG_TRCTRACEIDR], 1);
		if (!err && a->has_ts_source)
			err = cst_doc_set(doc, section, "ts_source",
					  a->ts_source == AUX_TS_VIRTUAL ? "virtual" :
					  a->ts_source == AUX_TS_PHYSICAL ? "physical" :
					  a->ts_source == AUX_TS_GUEST_PHYSICAL ? "guest_physical" : "unknown");
	}
	return err;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static uint64_t number_item(const struct cst_doc_section *s, const char *key, uint64_t otherwise)
{
	const struct cst_item *item = cst_doc_item(s, key);
	uint64_t v;

	return item && !cst_item_number(item, &v) ? v : otherwise;
}

static void set(struct aux_cpu *a, enum aux_reg reg, uint64_t value)
{
	a->reg[reg] = value;
	a->present |= 1u << reg;
}

static void read_ts_source(struct aux_cpu *a, const struct cst_doc_section *s, bool ticks)
{
	static const struct {
		const char *name;
		int value;
	} names[] = {
		{ "unknown", AUX_TS_UNKNOWN }, { "virtual", AUX_TS_VIRTUAL },
		{ "guest_physical", AUX_TS_GUEST_PHYSICAL }, { "physical", AUX_TS_PHYSICAL },
	};
	const struct cst_item *item = cst_doc_item(s, "ts_source");
	size_t i;

	a->ts_source = ticks ? AUX_TS_VIRTUAL : AUX_TS_UNKNOWN;
	a->has_ts_source = ticks || item;
	for (i = 0; item && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(item->value, names[i].name))
			a->ts_source = names[i].value;
}

void metadata_set_etmv4(struct aux_cpu *a, const struct cst_etmv4_regs *r, bool ete, uint64_t auth)
{
	a->unit = ete ? AUX_ETE : AUX_ETMV4;
	set(a, AUX_REG_TRCCONFIGR, r->configr);
	set(a, AUX_REG_TRCTRACEIDR, r->traceidr);
	set(a, AUX_REG_TRCIDR0, r->idr0);
	set(a, AUX_REG_TRCIDR1, r->idr1);
	set(a, AUX_REG_TRCIDR2, r->idr2);
	set(a, AUX_REG_TRCIDR8, r->idr8);
	set(a, AUX_REG_TRCAUTHSTATUS, auth);
	if (ete)
		set(a, AUX_REG_TRCDEVARCH, r->devarch);
}

static int read_etmv4(struct aux_cpu *a, const struct cst_meta_source *src, struct cst_problem *why)
{
	struct cst_etmv4_regs r = { 0 };
	int ete, err = cst_meta_etmv4(src, &r, &ete, why);

	if (err)
		return err;
	r.traceidr = src->trace_id >= 0 ? (uint32_t)src->trace_id : 0;
	metadata_set_etmv4(a, &r, ete, number_item(src->section, "TRCAUTHSTATUS", 0));
	return 0;
}

static int read_unit(struct aux_cpu *a, const struct cst_meta_source *src, bool ticks, struct cst_problem *why)
{
	unsigned int i;
	int err;

	if (src->kind == CST_META_ETM4 || src->kind == CST_META_ETE) {
		err = read_etmv4(a, src, why);
		if (err)
			return err;
	} else if (src->kind == CST_META_ETM3 || src->kind == CST_META_PTM) {
		a->unit = src->kind == CST_META_PTM ? AUX_PTM : AUX_ETMV3;
		for (i = 0; aux_reg_name(a->unit, i); i++)
			set(a, i, number_item(src->section, aux_reg_name(a->unit, i), 0));
		if (src->trace_id >= 0)
			a->reg[AUX_REG_ETMTRACEIDR] = (uint32_t)src->trace_id;
	} else {
		return 1;
	}
	a->reg[AUX_REG_TRCTRACEIDR] = number_item(src->section, "perf_traceid", a->reg[AUX_REG_TRCTRACEIDR]);
	a->trace_id = src->trace_id;
	read_ts_source(a, src->section, ticks);
	return 0;
}

/* A CPU that no source has. */
static int free_cpu(const struct auxinfo *info, int from)
{
	while (from < MAX_UNITS * 2 && auxinfo_cpu(info, (uint32_t)from))
		from++;
	return from;
}

static int add_unit(struct auxinfo *info, size_t *cap, struct source_names *names,
		    const struct cst_meta_source *src, bool ticks, int cpu, struct cst_problem *why)
{
	struct source_name *n;
	struct aux_cpu a = { .cpu = (uint32_t)cpu };
	size_t nr = info->nr_cpu;
	int rc = read_unit(&a, src, ticks, why);

	if (rc)
		return rc;
	*ARRAY_ADD(info->cpu, nr, *cap) = a;
	info->nr_cpu++;
	n = ARRAY_ADD(names->v, names->nr, names->cap);
	snprintf(n->name, sizeof(n->name), "%s", src->source);
	n->cpu = cpu;
	n->unit = a.unit;
	return 0;
}

static int fail_unit(const struct cst_problem *why, const char *dir, struct error *err)
{
	return error_set(err, ERR_AUXINFO, "%s: trace metadata, line %u: [%s] %s: %s%s%s", dir, why->line,
			 why->section, why->item, why->text, *why->other ? " " : "", why->other);
}

int metadata_read(struct auxinfo *info, struct source_names *names, const struct cst_package *pkg, bool ticks,
		  const char *dir, struct error *err)
{
	struct cst_problem why = { .text = "cannot be used" };
	size_t cap = 0, i, k, pass;
	int rc;

	memset(info, 0, sizeof(*info));
	/* those that name their CPU first */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < pkg->n_metadata; i++)
			for (k = 0; k < pkg->metadata[i]->n_sources; k++) {
				const struct cst_meta_source *src = &pkg->metadata[i]->sources[k];

				if ((src->cpu >= 0) != !pass || (!pass && auxinfo_cpu(info, (uint32_t)src->cpu)))
					continue;
				if (info->nr_cpu == MAX_UNITS)
					return error_set(err, ERR_AUXINFO, "%s: more than %u trace units", dir, MAX_UNITS);
				rc = add_unit(info, &cap, names, src, ticks, pass ? free_cpu(info, 0) : src->cpu,
					      &why);
				if (rc < 0)
					return fail_unit(&why, dir, err);
			}
	return 0;
}

/* ---- the record -------------------------------------------------------------------------------- */

#define GLOBAL_WORDS	3

static const uint64_t marks[] = {
	[AUX_ETMV3] = 0x3030303030303030ull, [AUX_PTM] = 0x3030303030303030ull,
	[AUX_ETMV4] = 0x4040404040404040ull, [AUX_ETE] = 0x5050505050505050ull,
};

static unsigned int nr_regs(enum aux_unit unit)
{
	unsigned int n = 0;

	while (aux_reg_name(unit, n))
		n++;
	return n;
}

size_t metadata_record(const struct auxinfo *info, uint32_t version, void *out, size_t cap)
{
	struct perf_record_auxtrace_info *rec = out;
	uint64_t *w = (uint64_t *)rec->priv;
	size_t n = GLOBAL_WORDS, max = (cap - sizeof(*rec)) / 8;
	uint32_t i;

	memset(rec, 0, sizeof(*rec));
	rec->header.type = PERF_RECORD_AUXTRACE_INFO;
	rec->type = PD_AUXTRACE_CS_ETM;
	w[0] = version;
	w[1] = (uint64_t)info->pmu_type << 32 | info->nr_cpu;
	w[2] = info->snapshot;
	for (i = 0; i < info->nr_cpu; i++) {
		const struct aux_cpu *a = &info->cpu[i];
		unsigned int regs = nr_regs(a->unit);

		if (n + 3 + regs + 1 > max)
			return 0;
		w[n++] = marks[a->unit];
		w[n++] = a->cpu;
		if (version)
			w[n++] = regs + a->has_ts_source;
		memcpy(w + n, a->reg, regs * sizeof(*w));
		n += regs;
		if (a->has_ts_source)
			w[n++] = (uint64_t)(int64_t)a->ts_source;
	}
	rec->header.size = (uint16_t)(sizeof(*rec) + n * 8);
	return rec->header.size;
}

int metadata_put(const struct auxinfo *info, uint32_t version, struct perf_writer *w,
		 const char *dir, struct error *err)
{
	uint8_t *rec = mem_new(PD_MAX_RECORD + 1);
	size_t n = metadata_record(info, version, rec, PD_MAX_RECORD);

	pw_write(w, rec, n);
	free(rec);
	if (n)
		return 0;
	return error_set(err, ERR_AUXINFO,
			 "%s: %u trace units are more than perf.data can describe", dir,
			 info->nr_cpu);
}
