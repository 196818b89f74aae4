/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.c - the configuration of a trace source from registers, from options, or from both.
 */
#include <stddef.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/sized.h"
#include "base/text.h"
#include "files/package/metadata_int.h"

#define ETE_DEVARCH 0x47705a13u
#define TRACE_ID_MASK 0x7f
#define IDR0_QSUPP (3u << 15)
#define CONFIGR_QE (3u << 13)

/* Where the version stands; `major` in bits 11:8 of an IDR, in 15:12 of TRCDEVARCH. */
static const struct {
	uint8_t kind, reg, major, major_lo, minor_lo;
	uint8_t minor_base;
} versions[] = {
	{ CST_META_ETM3, REG_ETMIDR, 2, 8, 4, 0x30 },
	{ CST_META_PTM, REG_ETMIDR, 3, 8, 4, 0x10 },
	{ CST_META_ETM4, REG_TRCIDR1, 4, 8, 4, 0x40 },
	{ CST_META_ETE, REG_TRCDEVARCH, 5, 12, 16, 0x50 },
};

/* Members of struct cst_etmv4_regs. */
static const struct {
	uint8_t reg, at;
	uint8_t optional;	/* 0 is not written */
} etmv4_regs[] = {
	{ REG_TRCCONFIGR, offsetof(struct cst_etmv4_regs, configr), 0 },
	{ REG_TRCTRACEIDR, offsetof(struct cst_etmv4_regs, traceidr), 0 },
	{ REG_TRCIDR0, offsetof(struct cst_etmv4_regs, idr0), 0 },
	{ REG_TRCIDR1, offsetof(struct cst_etmv4_regs, idr1), 0 },
	{ REG_TRCIDR2, offsetof(struct cst_etmv4_regs, idr2), 0 },
	{ REG_TRCIDR8, offsetof(struct cst_etmv4_regs, idr8), 0 },
	{ REG_TRCIDR9, offsetof(struct cst_etmv4_regs, idr9), 1 },
	{ REG_TRCIDR10, offsetof(struct cst_etmv4_regs, idr10), 1 },
	{ REG_TRCIDR11, offsetof(struct cst_etmv4_regs, idr11), 1 },
	{ REG_TRCIDR12, offsetof(struct cst_etmv4_regs, idr12), 1 },
	{ REG_TRCIDR13, offsetof(struct cst_etmv4_regs, idr13), 1 },
	{ REG_TRCDEVARCH, offsetof(struct cst_etmv4_regs, devarch), 1 },
};
#define ETMV4_REGS (sizeof(etmv4_regs) / sizeof(etmv4_regs[0]))

static int fail(const struct cst_meta_source *src, struct cst_problem *why, int error, const char *item,
		const char *other, const char *text)
{
	const struct cst_item *at = cst_doc_item(src->section, item);

	cst_problem_set(why, error, src->section, item, at ? at->line : src->section->line, text);
	cst_problem_other(why, other);
	return error;
}

static int read_regs(const struct cst_meta_source *src, struct cst_meta_regs *regs, struct cst_problem *why)
{
	const struct cst_item *item;
	unsigned int i;
	uint64_t v;

	memset(regs, 0, sizeof(*regs));
	for (i = REG_NONE + 1; i < REG__COUNT; i++) {
		item = cst_doc_item(src->section, cst_meta_reg_names[i]);
		if (!item)
			continue;
		if (cst_item_number(item, &v) || v > UINT32_MAX)
			return fail(src, why, -CST_ERR_SYNTAX, item->key, "",
				    "register is not a number of 32 bits");
		regs->value[i] = (uint32_t)v;
		regs->given |= (uint32_t)1 << i;
	}
	return 0;
}

static int given(const struct cst_meta_regs *regs, unsigned int reg)
{
	return regs->given >> reg & 1;
}

/* What the item says: 1, 0 when there is none, or negative. */
static int item_value(const struct cst_meta_source *src, enum cst_meta_option opt, uint64_t *value,
		      struct cst_problem *why)
{
	const char *name = cst_meta_option_name(opt);
	const struct cst_item *item = cst_doc_item(src->section, name);
	int flag, err;

	if (!item)
		return 0;
	if (cst_meta_is_bool(opt)) {
		err = cst_item_bool(item, &flag);
		*value = !err && flag;
	} else {
		err = cst_item_number(item, value);
	}
	if (err || !cst_meta_value_ok(opt, *value))
		return fail(src, why, -CST_ERR_SYNTAX, name, "", "not a value of this option");
	return 1;
}

/* What registers say: 1, 0 when not enough of them are given. */
static int reg_value(const struct cst_meta_field *f, const struct cst_meta_regs *regs, uint64_t *value)
{
	if (!f)
		return 0;
	if (f->gate && given(regs, f->gate) && !(regs->value[f->gate] >> f->gate_bit & 1)) {
		*value = 0;
		return 1;
	}
	if (!given(regs, f->reg))
		return 0;
	*value = cst_meta_decode(f, regs->value[f->reg]);
	return !f->gate || given(regs, f->gate) || !*value;
}

/* The register that an option contradicts, or REG_NONE. */
static unsigned int contradicted(const struct cst_meta_field *f, const struct cst_meta_regs *regs,
				 uint64_t value)
{
	if (!f)
		return REG_NONE;
	if (f->gate && given(regs, f->gate) && !(regs->value[f->gate] >> f->gate_bit & 1))
		return value ? f->gate : REG_NONE;
	if (!given(regs, f->reg) || cst_meta_decode(f, regs->value[f->reg]) == value)
		return REG_NONE;
	return value || !f->gate || given(regs, f->gate) ? f->reg : REG_NONE;
}

static int option(const struct cst_meta_source *src, const struct cst_meta_regs *regs,
		  enum cst_meta_option opt, uint64_t *value, struct cst_problem *why)
{
	const struct cst_meta_field *f = cst_meta_field(src->kind, opt);
	const char *name = cst_meta_option_name(opt);
	unsigned int reg;
	int err = item_value(src, opt, value, why);

	if (err < 0)
		return err;
	if (err) {
		reg = contradicted(f, regs, *value);
		return reg ? fail(src, why, -CST_ERR_CONFLICT, name, cst_meta_reg_names[reg],
				  "option and register contradict each other") : 0;
	}
	if (reg_value(f, regs, value))
		return 0;
	reg = !f ? REG_NONE : f->gate && !given(regs, f->gate) ? f->gate : f->reg;
	return fail(src, why, -CST_ERR_NOT_FOUND, name, cst_meta_reg_names[reg],
		    "neither the option nor the register is given, and there is no default");
}

int cst_meta_option(const struct cst_meta_source *src, enum cst_meta_option opt, uint64_t *value,
		    struct cst_problem *why)
{
	struct cst_meta_regs regs;
	int err;

	*value = 0;
	if (opt >= CST_OPT__COUNT)
		return -CST_ERR_INVAL;
	err = read_regs(src, &regs, why);
	return err ? err : option(src, &regs, opt, value, why);
}

/* Format and register must agree; *version gets what they say. */
static int version(const struct cst_meta_source *src, const struct cst_meta_regs *regs, uint8_t *to,
		   struct cst_problem *why)
{
	uint32_t v;
	size_t i;

	for (i = 0; versions[i].kind != src->kind; i++)
		;
	if (!given(regs, versions[i].reg)) {
		*to = src->version;
		return *to ? 0 : fail(src, why, -CST_ERR_NOT_FOUND, "format",
				      cst_meta_reg_names[versions[i].reg],
				      "the minor version is missing, and there is no default");
	}
	v = regs->value[versions[i].reg];
	if ((v >> versions[i].major_lo & 0xf) != versions[i].major)
		return fail(src, why, -CST_ERR_CONFLICT, "format", cst_meta_reg_names[versions[i].reg],
			    "format and register are those of different architectures");
	*to = (uint8_t)(versions[i].minor_base + (v >> versions[i].minor_lo & 0xf));
	if (src->version && src->version != *to)
		return fail(src, why, -CST_ERR_CONFLICT, "format", cst_meta_reg_names[versions[i].reg],
			    "format and register have different versions");
	return 0;
}

static int check_id(const struct cst_meta_source *src, const struct cst_meta_regs *regs,
		    struct cst_problem *why)
{
	unsigned int reg = src->kind == CST_META_ETM4 || src->kind == CST_META_ETE ? REG_TRCTRACEIDR
										   : REG_ETMTRACEIDR;

	if (src->trace_id < 0 || !given(regs, reg) ||
	    (regs->value[reg] & TRACE_ID_MASK) == (uint32_t)src->trace_id)
		return 0;
	return fail(src, why, -CST_ERR_CONFLICT, cst_meta_reg_names[reg], src->section->name,
		    "the register holds another trace ID than the name of the section");
}

static int needed(const struct cst_meta_source *src, const struct cst_meta_regs *regs, uint8_t ver,
		  enum cst_meta_need need)
{
	static const uint8_t on[] = {
		[WITH_CYCLES] = CST_OPT_CYCLECOUNT,
		[WITH_TIMES] = CST_OPT_TIMESTAMP_BITS,
		[WITH_VMID] = CST_OPT_VMID,
	};
	uint64_t v = 0;

	switch (need) {
	case WITH_CYCLES:
	case WITH_TIMES:
	case WITH_VMID:
		return !option(src, regs, on[need], &v, NULL) && v;
	case FROM_MINOR_3:
		return ver >= 0x43;
	case FROM_MINOR_4:
		return ver >= 0x34;
	case NEVER:
		return 0;
	case ALWAYS:
		break;
	}
	return 1;
}

static int check(const struct cst_meta_source *src, struct cst_meta_regs *regs, uint8_t *ver,
		 struct cst_problem *why)
{
	const struct cst_meta_field *f;
	uint64_t v;
	size_t i;
	int err;

	if (src->kind == CST_META_OTHER)
		return fail(src, why, -CST_ERR_PROTOCOL, "format", "", "no such trace format is known");
	err = read_regs(src, regs, why);
	if (err || src->kind == CST_META_ITM || src->kind == CST_META_STP)
		return err;
	err = version(src, regs, ver, why);
	if (!err)
		err = check_id(src, regs, why);
	for (f = cst_meta_fields; !err && f->kinds; f++)
		if (f->kinds >> src->kind & 1 && needed(src, regs, *ver, f->need))
			err = option(src, regs, f->opt, &v, why);
	/* What is given without need must not contradict either. */
	for (i = 0; !err && i < CST_OPT__COUNT; i++) {
		err = option(src, regs, (enum cst_meta_option)i, &v, why);
		if (err == -CST_ERR_NOT_FOUND)
			err = 0;
	}
	return err;
}

int cst_meta_check(const struct cst_meta_source *src, struct cst_problem *why)
{
	struct cst_meta_regs regs;
	uint8_t ver;

	return check(src, &regs, &ver, why);
}

/* Registers that are not given, from options. */
static int complete(const struct cst_meta_source *src, struct cst_meta_regs *regs, uint8_t ver,
		    struct cst_problem *why)
{
	struct cst_meta_regs made = *regs;
	const struct cst_meta_field *f;
	uint64_t v;
	size_t i;

	for (i = 0; i < CST_OPT__COUNT; i++) {
		f = cst_meta_field(src->kind, (enum cst_meta_option)i);
		if (!f || option(src, regs, (enum cst_meta_option)i, &v, NULL))
			continue;
		if (cst_meta_encode(f, v, &made.value[f->reg], &made.value[f->gate]))
			return fail(src, why, -CST_ERR_UNSUP, cst_meta_option_name(i), "",
				    "this kind of source does not have such a value");
	}
	/* no option says which Q elements are enabled: both forms, if the trace unit has any */
	if (made.value[REG_TRCIDR0] & IDR0_QSUPP)
		made.value[REG_TRCCONFIGR] |= CONFIGR_QE;
	if (src->trace_id >= 0)
		made.value[REG_TRCTRACEIDR] = (uint32_t)src->trace_id;
	made.value[REG_TRCIDR1] = src->kind == CST_META_ETM4 ? 4u << 8 | (ver & 0xfu) << 4 : 0;
	made.value[REG_TRCDEVARCH] = src->kind == CST_META_ETE ? ETE_DEVARCH | (ver & 0xfu) << 16 : 0;
	for (i = 0; i < REG__COUNT; i++)
		if (!given(regs, i))
			regs->value[i] = made.value[i];
	return 0;
}

int cst_meta_etmv4(const struct cst_meta_source *src, struct cst_etmv4_regs *out, int *ete,
		   struct cst_problem *why)
{
	struct cst_etmv4_regs own = { 0 };
	struct cst_meta_regs regs;
	uint8_t ver;
	size_t i;
	int err;

	if (src->kind != CST_META_ETM4 && src->kind != CST_META_ETE)
		return fail(src, why, -CST_ERR_PROTOCOL, "format", "", "neither ETMv4 nor ETE");
	err = check(src, &regs, &ver, why);
	if (!err)
		err = complete(src, &regs, ver, why);
	if (err)
		return err;
	*ete = src->kind == CST_META_ETE;
	for (i = 0; i < ETMV4_REGS; i++)
		memcpy((char *)&own + etmv4_regs[i].at, &regs.value[etmv4_regs[i].reg],
		       sizeof(uint32_t));
	return GIVE(cst_etmv4_regs, out, own);
}

static int set_format(struct cst_doc *doc, const char *section, const struct cst_etmv4_regs *regs, int ete)
{
	char buf[16];
	struct cst_text t;

	cst_text_init(&t, buf, sizeof(buf));
	cst_text_str(&t, ete ? "ETE1." : "ETMv4.");
	cst_text_dec(&t, ete ? regs->devarch >> 16 & 0xf : regs->idr1 >> 4 & 0xf);
	cst_text_end(&t);
	return cst_doc_set(doc, section, "format", buf);
}

/* cst_meta_set_etmv4() of registers that were taken. */
static int set_etmv4(struct cst_doc *doc, const char *section, const struct cst_etmv4_regs *r,
		     int ete)
{
	enum cst_meta_kind kind = ete ? CST_META_ETE : CST_META_ETM4;
	struct cst_meta_regs regs = { .given = 0 };
	const struct cst_meta_field *f;
	unsigned int reg;
	uint32_t value;
	uint64_t v;
	size_t i;
	int err = set_format(doc, section, r, ete);

	for (i = 0; !err && i < ETMV4_REGS; i++) {
		reg = etmv4_regs[i].reg;
		memcpy(&value, (const char *)r + etmv4_regs[i].at, sizeof(value));
		if ((etmv4_regs[i].optional && !value) || (reg == REG_TRCDEVARCH && !ete))
			continue;
		regs.value[reg] = value;
		regs.given |= (uint32_t)1 << reg;
		err = cst_doc_set_number(doc, section, cst_meta_reg_names[reg], value, 1);
	}
	for (i = 0; !err && i < CST_OPT__COUNT; i++) {
		f = cst_meta_field(kind, (enum cst_meta_option)i);
		if (f && reg_value(f, &regs, &v))
			err = cst_doc_set_number(doc, section, cst_meta_option_name(i), v, 0);
	}
	return err;
}

int cst_meta_set_etmv4(struct cst_doc *doc, const char *section, const struct cst_etmv4_regs *r,
		       int ete)
{
	struct cst_etmv4_regs own;

	r = TAKE(cst_etmv4_regs, r, own);
	return r ? set_etmv4(doc, section, r, ete) : -CST_ERR_INVAL;
}
