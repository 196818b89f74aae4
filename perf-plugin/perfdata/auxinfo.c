/* SPDX-License-Identifier: GPL-2.0-only */
/* auxinfo.c - parses the metadata blocks of versions 0, 1 and 2 by tables of registers. */
#include "perfdata/auxinfo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/config.h>

#include "base/alloc.h"
#include "base/error.h"

#define MAGIC_ETMV3	0x3030303030303030ULL
#define MAGIC_ETMV4	0x4040404040404040ULL
#define MAGIC_ETE	0x5050505050505050ULL

#define NR_GLOBAL	3	/* version, PMU type and CPUs, snapshot */

#define ID_UNUSED	0x80000000ULL	/* the recorder leaves the trace ID to HW_ID records */
#define ID_MASK		0x7fULL
#define ID_RESERVED	0x70	/* IDs from here on are reserved by the frame format */

#define ETMIDR_ARCH_MASK	0xf00
#define ETMIDR_ARCH_PFT		0x300

#define ETMCR_CONTEXTID_MASK	(3u << 14)	/* ContextIDsize */
#define ETMCR_TIMESTAMP		(1u << 28)
#define TRCCONFIGR_CID		(1u << 6)
#define TRCCONFIGR_VMID		(1u << 7)
#define TRCCONFIGR_TS		(1u << 11)
#define TRCCONFIGR_VMIDOPT	(1u << 15)

/* How a block of one kind is laid out; parameter ts_at follows the registers. */
struct block_kind {
	uint64_t magic;
	enum aux_unit unit;
	unsigned int v0_words;	/* whole block in version 0, 0: not in that version */
	unsigned int nr_regs;
	int ts_at;
};

static const struct block_kind kinds[] = {
	{ MAGIC_ETMV3, AUX_ETMV3, 6, 4, -1 },
	{ MAGIC_ETMV4, AUX_ETMV4, 9, 7, 7 },
	{ MAGIC_ETE,   AUX_ETE,   0, 8, 8 },
};

const char *aux_unit_name(enum aux_unit unit)
{
	static const char *const names[] = {
		[AUX_ETMV3] = "ETMv3", [AUX_PTM] = "PTM", [AUX_ETMV4] = "ETMv4", [AUX_ETE] = "ETE",
		[AUX_STM] = "STM",
	};

	return names[unit];
}

const char *aux_reg_name(enum aux_unit unit, unsigned int reg)
{
	static const char *const old[] = { "ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR" };
	static const char *const etmv4[AUX_NR_REGS] = {
		"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8", "TRCAUTHSTATUS",
		"TRCDEVARCH",
	};

	if (unit == AUX_ETMV3 || unit == AUX_PTM)
		return reg < sizeof(old) / sizeof(old[0]) ? old[reg] : NULL;
	return reg < AUX_NR_REGS && (reg != AUX_REG_TRCDEVARCH || unit == AUX_ETE) ? etmv4[reg] : NULL;
}

static const struct block_kind *find_kind(uint64_t magic)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].magic == magic)
			return &kinds[i];
	return NULL;
}

/* Returns the place of the first block from word `from` on; `left`: there is none. */
static uint64_t next_mark(const uint64_t *w, uint64_t from, uint64_t left)
{
	while (from < left && !(find_kind(w[from]) && left - from >= 2 && w[from + 1] <= INT32_MAX))
		from++;
	return from < left ? from : left;
}

/* `sources`: the block may have the timestamp source. */
static void take_block(struct aux_cpu *c, const struct block_kind *k, uint64_t cpu,
		       const uint64_t *param, uint64_t nr, bool sources)
{
	uint64_t i, id;

	memset(c, 0, sizeof(*c));
	c->cpu = (uint32_t)cpu;
	c->unit = k->unit;
	c->ts_source = AUX_TS_UNKNOWN;
	for (i = 0; i < k->nr_regs && i < nr; i++) {
		c->reg[i] = param[i];
		c->present |= 1u << i;
	}
	if (sources && k->ts_at >= 0 && nr > (uint64_t)k->ts_at) {
		c->has_ts_source = true;
		c->ts_source = (int)(int64_t)param[k->ts_at];
	}
	if (k->unit == AUX_ETMV4 || k->unit == AUX_ETE)
		c->unit = cst_etmv4_is_ete(&(struct cst_etmv4_regs){ .idr1 = (uint32_t)c->reg[AUX_REG_TRCIDR1],
								     .devarch = (uint32_t)c->reg[AUX_REG_TRCDEVARCH] },
					   k->unit == AUX_ETE) ? AUX_ETE : AUX_ETMV4;
	if (k->unit == AUX_ETMV3 && (c->reg[AUX_REG_ETMIDR] & ETMIDR_ARCH_MASK) == ETMIDR_ARCH_PFT)
		c->unit = AUX_PTM;
	id = c->reg[AUX_REG_TRCTRACEIDR];
	c->trace_id = -1;
	if (!(id & ID_UNUSED) && (id & ID_MASK) && (id & ID_MASK) < ID_RESERVED)
		c->trace_id = (int)(id & ID_MASK);
}

static int fail_block(struct error *err, const char *name, uint64_t offset, uint64_t word,
		      uint64_t found, const char *expected)
{
	uint64_t at = offset + sizeof(struct perf_record_auxtrace_info) + word * 8;

	return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": found %#" PRIx64 " in the "
			 "trace metadata, expected %s; record again, or use a cstrace that knows "
			 "this recorder",
			 name, at, found, expected);
}

/* Notes words that are no block; returns their number. */
static int64_t skip_unknown(struct auxinfo *info, const uint64_t *w, uint64_t left, uint64_t word)
{
	uint64_t next = next_mark(w, 1, left);

	if (!info->unknown++) {
		info->unknown_mark = w[0];
		info->unknown_at = word;
	}
	return (int64_t)next;
}

/*
 * Returns the number of words from a block of version 0 to the next one, or what a block of its kind has if it is the last;
 * recorders may write more registers than perf does.
 */
static uint64_t words_v0(const struct block_kind *k, const uint64_t *w, uint64_t left)
{
	uint64_t next = next_mark(w, 2, left);

	return next < left || next > k->v0_words ? next : k->v0_words;
}

/*
 * One block at @w of @left words. Returns its length in words, 0 when it is not complete, and a
 * negative code when it is broken.
 */
static int64_t parse_block(struct auxinfo *info, const uint64_t *w, uint64_t left, uint64_t word,
			   const char *name, uint64_t offset, struct error *err)
{
	const struct block_kind *k;
	uint64_t nr, fixed = info->version ? 3 : 2;
	struct aux_cpu *c;

	if (left < fixed)
		return 0;
	k = find_kind(w[0]);
	if (!k)
		return skip_unknown(info, w, left, word);
	if (!info->version && !k->v0_words)
		return fail_block(err, name, offset, word, w[0], "no ETE in metadata of version 0");
	if (w[1] > INT32_MAX)
		return fail_block(err, name, offset, word + 1, w[1], "a CPU number");
	if (auxinfo_cpu(info, (uint32_t)w[1]))
		return fail_block(err, name, offset, word + 1, w[1], "each CPU only once");
	nr = info->version ? w[2] : words_v0(k, w, left) - fixed;
	if (nr > left - fixed)
		return 0;
	if (!nr)
		return fail_block(err, name, offset, word + 2, nr, "at least one register");
	c = &info->cpu[info->nr_cpu++];
	take_block(c, k, w[1], w + fixed, nr, info->version != 0);
	return (int64_t)(fixed + nr);
}

/* Parses the blocks from word `at` on. Returns 0 or a negative code. */
static int parse_blocks(struct auxinfo *info, const uint64_t *w, uint64_t nr, uint64_t at, uint32_t announced,
			const char *name, uint64_t offset, struct error *err)
{
	int64_t n;

	while (info->nr_cpu < announced) {
		n = parse_block(info, w + at, nr - at, at, name, offset, err);
		if (n <= 0)
			return (int)n;
		at += (uint64_t)n;
	}
	return 0;
}

int auxinfo_parse(struct auxinfo *info, const struct perf_record_auxtrace_info *rec, uint32_t size,
		  const char *name, uint64_t offset, struct error *err)
{
	const uint64_t *w = (const uint64_t *)rec->priv;
	struct auxinfo found;
	uint32_t announced;
	uint64_t nr;
	int rc;

	memset(info, 0, sizeof(*info));
	if (size < sizeof(*rec) + NR_GLOBAL * 8)
		return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": found trace "
				 "metadata of %u bytes, expected at least %zu; the file is damaged, "
				 "record again",
				 name, offset, size, sizeof(*rec) + NR_GLOBAL * 8);
	if (rec->type != PD_AUXTRACE_CS_ETM)
		return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": found AUX "
				 "data of type %u, expected 3 (CoreSight); record with -e cs_etm//",
				 name,
				 offset + 8, rec->type);
	nr = (size - sizeof(*rec)) / 8;
	if (w[0] > 2)
		return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": "
				 "found trace metadata of version %" PRIu64 ", expected 0 to 2; the "
				 "recorder is newer than this program",
				 name, offset + sizeof(*rec), w[0]);
	info->version = (unsigned int)w[0];
	info->pmu_type = (uint32_t)(w[1] >> 32);
	info->snapshot = w[2] != 0;
	announced = (uint32_t)w[1];
	if (!announced)
		return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64
				 ": found trace metadata of 0 CPUs, expected at least one; the file "
				 "is damaged, record again", name, offset + sizeof(*rec) + 8);
	/* A block has at least three words, whatever number is announced. */
	info->cpu = mem_zeroed((size_t)(nr / 3 + 1), sizeof(*info->cpu));
	rc = parse_blocks(info, w, nr, NR_GLOBAL, announced, name, offset, err);
	if (rc) {
		auxinfo_free(info);
		return rc;
	}
	info->missing = announced - info->nr_cpu;
	if (info->nr_cpu)
		return 0;
	found = *info;
	auxinfo_free(info);
	if (found.unknown)
		return fail_block(err, name, offset, found.unknown_at, found.unknown_mark, "the mark of an ETMv3, "
				  "PTM, ETMv4 or ETE (0x3030..., 0x4040..., 0x5050...)");
	return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": found trace metadata "
			 "that ends inside the registers of the first of %" PRIu32 " CPUs; the file "
			 "is damaged, record again", name, offset, announced);
}

void auxinfo_free(struct auxinfo *info)
{
	free(info->cpu);
	memset(info, 0, sizeof(*info));
}

const struct aux_cpu *auxinfo_cpu(const struct auxinfo *info, uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < info->nr_cpu; i++)
		if (info->cpu[i].cpu == cpu)
			return &info->cpu[i];
	return NULL;
}

struct aux_pid_source aux_cpu_pid_source(const struct aux_cpu *cpu)
{
	struct aux_pid_source src = { false, false };
	uint64_t config = cpu->reg[AUX_REG_TRCCONFIGR];

	if (cpu->unit == AUX_ETMV3 || cpu->unit == AUX_PTM) {
		src.contextidr_el1 = (cpu->reg[AUX_REG_ETMCR] & ETMCR_CONTEXTID_MASK) != 0;
		return src;
	}
	/* Without VMIDOPT the VMID is that of a virtual machine. */
	src.contextidr_el2 = (config & TRCCONFIGR_VMID) && (config & TRCCONFIGR_VMIDOPT);
	src.contextidr_el1 = !src.contextidr_el2 && (config & TRCCONFIGR_CID);
	return src;
}

bool aux_cpu_timestamps(const struct aux_cpu *cpu)
{
	if (cpu->unit == AUX_ETMV3 || cpu->unit == AUX_PTM)
		return (cpu->reg[AUX_REG_ETMCR] & ETMCR_TIMESTAMP) != 0;
	return (cpu->reg[AUX_REG_TRCCONFIGR] & TRCCONFIGR_TS) != 0;
}
