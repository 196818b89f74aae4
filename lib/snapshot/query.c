/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * query.c - questions to a snapshot: who belongs to whom, and the configuration of a trace source.
 */
#include <string.h>

#include "snapshot/snapshot.h"

/* What a reader assumes where a snapshot is older than the register. */
#define IDR1_ETMV40 0x4100f403u
#define DEVARCH_ETE10 0x47705a13u

static struct cst_str str(const char *s)
{
	struct cst_str out = { s, strlen(s) };

	return out;
}

const struct cst_snap_device *cst_snapshot_device(const struct cst_snapshot *ss, const char *name)
{
	size_t i;

	for (i = 0; i < ss->n_devices; i++)
		if (!strcmp(ss->devices[i].name, name))
			return &ss->devices[i];
	return NULL;
}

const struct cst_snap_device *cst_snapshot_core(const struct cst_snapshot *ss,
						const struct cst_snap_device *source)
{
	const struct cst_snap_link *link;
	size_t i;

	for (i = 0; i < ss->n_core_sources; i++) {
		link = &ss->core_sources[i];
		if (!strcmp(link->to, source->name) ||
		    (link->to[0] == '@' && *source->location && !strcmp(link->to + 1, source->location)))
			return cst_snapshot_device(ss, link->from);
	}
	return NULL;
}

int cst_snapshot_feeds(const struct cst_snapshot *ss, const struct cst_snap_device *source,
		       const struct cst_snap_buffer *buffer)
{
	return cst_snapshot_feeds_stream(ss, source, 0, buffer);
}

int cst_snapshot_feeds_stream(const struct cst_snapshot *ss, const struct cst_snap_device *source,
			      unsigned int stream, const struct cst_snap_buffer *buffer)
{
	const struct cst_snap_link *link;
	int own = 0;
	size_t i;

	if (!ss->n_source_buffers)
		return ss->n_buffers == 1 && source->class_ == CST_SNAP_SOURCE;
	/* A stream that has buffers of its own goes there and nowhere else. */
	for (i = 0; i < ss->n_source_buffers && !own; i++) {
		link = &ss->source_buffers[i];
		own = link->has_stream && link->stream == stream && !strcmp(link->from, source->name);
	}
	for (i = 0; i < ss->n_source_buffers; i++) {
		link = &ss->source_buffers[i];
		if (!strcmp(link->from, source->name) && link->has_stream == own &&
		    (!own || link->stream == stream) && !strcmp(link->to, buffer->name))
			return 1;
	}
	return 0;
}

int cst_snap_reg(const struct cst_snap_device *dev, const char *name, uint64_t *value)
{
	size_t i;

	for (i = 0; i < dev->n_regs; i++)
		if (cst_ini_is(str(dev->regs[i].name), name)) {
			*value = dev->regs[i].value;
			return 1;
		}
	return 0;
}

static int begins(const char *s, const char *word)
{
	struct cst_str part = { s, strlen(word) };

	return strlen(s) >= part.n && cst_ini_is(part, word);
}

int cst_snap_trace_id(const struct cst_snap_device *source, unsigned int *id)
{
	static const struct {
		const char *type, *reg;
		unsigned int shift;
	} table[] = {
		{ "ETM3", "ETMTRACEIDR", 0 },
		{ "ETMv3", "ETMTRACEIDR", 0 },
		{ "PTM", "ETMTRACEIDR", 0 },
		{ "PFT", "ETMTRACEIDR", 0 },
		{ "ETM4", "TRCTRACEIDR", 0 },
		{ "ETMv4", "TRCTRACEIDR", 0 },
		{ "ETE", "TRCTRACEIDR", 0 },
		{ "ITM", "CONTROL_REGISTER", 16 },
		{ "STM", "STMTCSR", 16 },
	};
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (begins(source->type, table[i].type) && cst_snap_reg(source, table[i].reg, &value)) {
			*id = (unsigned int)(value >> table[i].shift) & 0x7f;
			return 1;
		}
	return 0;
}

int cst_snap_etmv4(const struct cst_snap_device *source, struct cst_etmv4_regs *regs, int *ete,
		   unsigned int *assumed, const char **missing)
{
	const struct {
		const char *name;
		uint32_t *to;
		uint32_t otherwise;
		unsigned int assume;	/* flag to set when absent */
		int required;
	} table[] = {
		{ "TRCCONFIGR", &regs->configr, 0, 0, 1 },
		{ "TRCTRACEIDR", &regs->traceidr, 0, 0, 1 },
		{ "TRCIDR0", &regs->idr0, 0, 0, 1 },
		{ "TRCIDR1", &regs->idr1, IDR1_ETMV40, CST_SNAP_NO_IDR1, 0 },
		{ "TRCIDR2", &regs->idr2, 0, 0, 1 },
		{ "TRCIDR8", &regs->idr8, 0, CST_SNAP_NO_IDR8, 0 },
		{ "TRCIDR9", &regs->idr9, 0, 0, 0 },
		{ "TRCIDR10", &regs->idr10, 0, 0, 0 },
		{ "TRCIDR11", &regs->idr11, 0, 0, 0 },
		{ "TRCIDR12", &regs->idr12, 0, 0, 0 },
		{ "TRCIDR13", &regs->idr13, 0, 0, 0 },
		{ "TRCDEVARCH", &regs->devarch, DEVARCH_ETE10, CST_SNAP_NO_DEVARCH, 0 },
	};
	unsigned int flags = 0;
	uint64_t value;
	size_t i;

	if (begins(source->type, "ETE"))
		*ete = 1;
	else if (begins(source->type, "ETM4") || begins(source->type, "ETMv4"))
		*ete = 0;
	else
		return -CST_ERR_PROTOCOL;
	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (cst_snap_reg(source, table[i].name, &value)) {
			*table[i].to = (uint32_t)value;
		} else if (table[i].required) {
			if (missing)
				*missing = table[i].name;
			return -CST_ERR_NOT_FOUND;
		} else {
			*table[i].to = table[i].otherwise;
			flags |= table[i].assume;
		}
	}
	/* Each protocol has its version in one of the two. */
	flags &= ~(unsigned int)(*ete ? CST_SNAP_NO_IDR1 : CST_SNAP_NO_DEVARCH);
	if (assumed)
		*assumed = flags;
	return 0;
}

enum cst_profile cst_snap_profile(const struct cst_snap_device *core)
{
	const char *p = core ? core->type : "";

	if (begins(p, "Cortex-")) {
		p += strlen("Cortex-");
	} else if (begins(p, "ARMv")) {
		p = strchr(p, '-');
		p = p ? p + 1 : "";
	} else {
		return CST_PROFILE_A;
	}
	if (*p == 'M' || *p == 'm')
		return CST_PROFILE_M;
	return *p == 'R' || *p == 'r' ? CST_PROFILE_R : CST_PROFILE_A;
}
