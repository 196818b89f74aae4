/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.c - what the registers of a trace source say: its protocol, trace ID and decoder configuration.
 */
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/sized.h"
#include "files/snapshot/snapshot_int.h"

/* What a reader assumes where a snapshot is older than the register. */
#define IDR1_ETMV40 0x4100f403u
#define DEVARCH_ETE10 0x47705a13u
#define TRCCONFIGR_DA 16
#define TRCCONFIGR_DV 17

union regs {
	struct cst_etmv4_regs etmv4;
	struct cst_etmv3_regs etmv3;
	struct cst_stm_regs stm;
	struct cst_itm_regs itm;
};

/* A register that a protocol's configuration is made of. */
struct want {
	const char *name;
	uint16_t to;		/* offset in union regs */
	uint16_t assume;	/* enum cst_snap_assumed to set when it is absent */
	uint32_t otherwise;	/* its value then */
	uint8_t required;
};

#define REG(protocol, member) offsetof(union regs, protocol.member)
#define REQUIRED(name, protocol, member) { name, REG(protocol, member), 0, 0, 1 }

static const struct want etmv4_regs[] = {
	REQUIRED("TRCCONFIGR", etmv4, configr),
	REQUIRED("TRCTRACEIDR", etmv4, traceidr),
	REQUIRED("TRCIDR0", etmv4, idr0),
	{ "TRCIDR1", REG(etmv4, idr1), CST_SNAP_NO_IDR1, IDR1_ETMV40, 0 },
	REQUIRED("TRCIDR2", etmv4, idr2),
	{ "TRCIDR8", REG(etmv4, idr8), CST_SNAP_NO_IDR8, 0, 0 },
	{ "TRCIDR9", REG(etmv4, idr9), 0, 0, 0 },
	{ "TRCIDR10", REG(etmv4, idr10), 0, 0, 0 },
	{ "TRCIDR11", REG(etmv4, idr11), 0, 0, 0 },
	{ "TRCIDR12", REG(etmv4, idr12), 0, 0, 0 },
	{ "TRCIDR13", REG(etmv4, idr13), 0, 0, 0 },
	{ "TRCDEVARCH", REG(etmv4, devarch), CST_SNAP_NO_DEVARCH, DEVARCH_ETE10, 0 },
	{ .name = NULL }
};

static const struct want etmv3_regs[] = {
	REQUIRED("ETMCR", etmv3, cr),
	REQUIRED("ETMIDR", etmv3, idr),
	REQUIRED("ETMTRACEIDR", etmv3, traceidr),
	{ "ETMCCER", REG(etmv3, ccer), CST_SNAP_NO_CCER, 0, 0 },
	{ .name = NULL }
};

static const struct want stm_regs[] = {
	REQUIRED("STMTCSR", stm, tcsr),
	{ "STMSPFEAT1R", REG(stm, feat1r), 0, 0, 0 },
	{ "STMSPFEAT3R", REG(stm, feat3r), 0, 0, 0 },
	{ "STMDEVID", REG(stm, devid), 0, 0, 0 },
	{ "STMHEFEAT1R", REG(stm, hwfeatr), 0, 0, 0 },
	{ .name = NULL }
};

/* The trace metadata requirements call it the control register. */
static const struct want itm_regs[] = {
	REQUIRED("ITMTCR", itm, tcr),
	{ .name = NULL }
};
static const struct want itm_regs_long[] = {
	REQUIRED("CONTROL_REGISTER", itm, tcr),
	{ .name = NULL }
};

/* Kinds of trace sources, by how the type begins; of two spellings of registers the first that is there. */
static const struct kind {
	const char *type;
	enum cst_protocol protocol;
	const struct want *regs, *other_regs;
} kinds[] = {
	{ "ETE", CST_PROTO_ETE, etmv4_regs, NULL },
	{ "ETM4", CST_PROTO_ETMV4, etmv4_regs, NULL },
	{ "ETMv4", CST_PROTO_ETMV4, etmv4_regs, NULL },
	{ "ETM3", CST_PROTO_ETMV3, etmv3_regs, NULL },
	{ "ETMv3", CST_PROTO_ETMV3, etmv3_regs, NULL },
	{ "PTM", CST_PROTO_PTM, etmv3_regs, NULL },
	{ "PFT", CST_PROTO_PTM, etmv3_regs, NULL },
	{ "STM", CST_PROTO_STM, stm_regs, NULL },
	{ "ITM", CST_PROTO_ITM, itm_regs, itm_regs_long },
};

static const struct kind *kind_of(const struct cst_snap_device *source)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (cst_ini_begins(source->type, kinds[i].type))
			return &kinds[i];
	return NULL;
}

static int read_regs(const struct cst_snap_device *source, const struct want *want, union regs *regs,
		     unsigned int *assumed, const char **missing)
{
	uint64_t value;
	uint32_t word;

	*assumed = 0;
	memset(regs, 0, sizeof(*regs));
	for (; want->name; want++) {
		if (cst_snap_reg(source, want->name, &value)) {
			word = (uint32_t)value;
		} else if (want->required) {
			if (missing)
				*missing = want->name;
			return -CST_ERR_NOT_FOUND;
		} else {
			word = want->otherwise;
			*assumed |= want->assume;
		}
		memcpy((char *)regs + want->to, &word, sizeof(word));
	}
	return 0;
}

/* The kind of a source, and its registers. */
static int read_source(const struct cst_snap_device *source, const struct kind **kind, union regs *regs,
		       unsigned int *assumed, const char **missing)
{
	int err;

	*kind = kind_of(source);
	if (!*kind)
		return -CST_ERR_PROTOCOL;
	err = read_regs(source, (*kind)->regs, regs, assumed, missing);
	if (err && (*kind)->other_regs && !read_regs(source, (*kind)->other_regs, regs, assumed, NULL))
		err = 0;
	/* A TRCDEVARCH that is not there must not make an ETE of it. */
	if ((*kind)->protocol == CST_PROTO_ETMV4 && *assumed & CST_SNAP_NO_DEVARCH)
		regs->etmv4.devarch = 0;
	/* ETMv4 and ETE each have their version in one of the two */
	*assumed &= ~(unsigned int)((*kind)->protocol == CST_PROTO_ETE ? CST_SNAP_NO_IDR1 : CST_SNAP_NO_DEVARCH);
	return err;
}

int cst_snap_etmv4(const struct cst_snap_device *source, struct cst_etmv4_regs *regs, int *ete,
		   unsigned int *assumed, const char **missing)
{
	const struct kind *kind = kind_of(source);
	unsigned int flags;
	union regs all;
	int err;

	if (!kind || kind->regs != etmv4_regs)
		return -CST_ERR_PROTOCOL;
	*ete = kind->protocol == CST_PROTO_ETE;
	err = read_source(source, &kind, &all, &flags, missing);
	if (err)
		return err;
	if (assumed)
		*assumed = flags;
	return GIVE(cst_etmv4_regs, regs, all.etmv4);
}

static int data_config(const struct kind *kind, const union regs *r, enum cst_profile profile,
		       struct cst_config *cfg)
{
	if (kind->protocol != CST_PROTO_ETMV4 ||
	    !(BIT(r->etmv4.configr, TRCCONFIGR_DA) || BIT(r->etmv4.configr, TRCCONFIGR_DV)))
		return -CST_ERR_PROTOCOL;
	return cst_config_etmv4_data(cfg, &r->etmv4, profile);
}

int cst_snap_config(const struct cst_snap_device *source, const struct cst_snap_device *core,
		    unsigned int stream, struct cst_config *cfg, unsigned int *assumed, const char **missing)
{
	enum cst_profile profile = cst_snap_profile(core);
	const struct kind *kind;
	unsigned int flags = 0;
	union regs r;
	int err;

	err = read_source(source, &kind, &r, &flags, missing);
	if (err)
		return err;
	if (assumed)
		*assumed = flags;
	if (stream)
		return stream == 1 ? data_config(kind, &r, profile, cfg) : -CST_ERR_PROTOCOL;
	switch (kind->protocol) {
	case CST_PROTO_ETMV3:
		return cst_config_etmv3(cfg, &r.etmv3, profile);
	case CST_PROTO_PTM:
		return cst_config_ptm(cfg, &r.etmv3);
	case CST_PROTO_STM:
		return cst_config_stm(cfg, &r.stm);
	case CST_PROTO_ITM:
		return cst_config_itm(cfg, &r.itm);
	default:
		return cst_config_etmv4(cfg, &r.etmv4, kind->protocol == CST_PROTO_ETE, profile);
	}
}

enum cst_profile cst_snap_profile(const struct cst_snap_device *core)
{
	const char *p = core ? core->type : "";

	if (cst_ini_begins(p, "Cortex-")) {
		p += strlen("Cortex-");
	} else if (cst_ini_begins(p, "ARMv")) {
		p = strchr(p, '-');
		p = p ? p + 1 : "";
	} else {
		return CST_PROFILE_A;
	}
	if (*p == 'M' || *p == 'm')
		return CST_PROFILE_M;
	return *p == 'R' || *p == 'r' ? CST_PROFILE_R : CST_PROFILE_A;
}
