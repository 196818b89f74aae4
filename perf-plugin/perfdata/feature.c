/* SPDX-License-Identifier: GPL-2.0-only */
/* feature.c - parses feature sections into struct pd_env. */
#include "perfdata/feature.h"

#include <stdlib.h>

#include "base/array.h"

static const char cut_short[] = "ends before its last field";

static const char *const names[] = {
	[PD_FEAT_TRACING_DATA]	= "TRACING_DATA",
	[PD_FEAT_BUILD_ID]	= "BUILD_ID",
	[PD_FEAT_HOSTNAME]	= "HOSTNAME",
	[PD_FEAT_OSRELEASE]	= "OSRELEASE",
	[PD_FEAT_VERSION]	= "VERSION",
	[PD_FEAT_ARCH]		= "ARCH",
	[PD_FEAT_NRCPUS]	= "NRCPUS",
	[PD_FEAT_CPUDESC]	= "CPUDESC",
	[PD_FEAT_CPUID]		= "CPUID",
	[PD_FEAT_TOTAL_MEM]	= "TOTAL_MEM",
	[PD_FEAT_CMDLINE]	= "CMDLINE",
	[PD_FEAT_EVENT_DESC]	= "EVENT_DESC",
	[PD_FEAT_BRANCH_STACK]	= "BRANCH_STACK",
	[PD_FEAT_PMU_MAPPINGS]	= "PMU_MAPPINGS",
	[PD_FEAT_AUXTRACE]	= "AUXTRACE",
	[PD_FEAT_SAMPLE_TIME]	= "SAMPLE_TIME",
	[PD_FEAT_CLOCKID]	= "CLOCKID",
	[PD_FEAT_DIR_FORMAT]	= "DIR_FORMAT",
	[PD_FEAT_BPF_PROG_INFO]	= "BPF_PROG_INFO",
	[PD_FEAT_BPF_BTF]	= "BPF_BTF",
	[PD_FEAT_COMPRESSED]	= "COMPRESSED",
	[PD_FEAT_CLOCK_DATA]	= "CLOCK_DATA",
	[PD_FEAT_SP_FILE]	= "FILE",
	[PD_FEAT_SP_META_INFO]	= "META_INFO",
	[PD_FEAT_SP_FILE2]	= "FILE2",
	[PD_FEAT_SP_BRANCH_LIST] = "ETM_BRANCH_LIST",
	[PD_FEAT_SP_INIT_MAP]	= "INIT_MAP",
};

const char *pd_feature_name(unsigned int bit)
{
	const char *name = bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;

	return name ? name : "of a kind not known here";
}

static void read_cmdline(struct pd_env *env, struct pd_cursor *c)
{
	uint32_t n = pd_cur_u32(c), i;

	for (i = 0; i < n && !c->bad; i++) {
		const char *s = pd_cur_str(c);

		if (!s)
			break;
		*ARRAY_ADD(env->cmdline, env->nr_cmdline, env->cap_cmdline) = s;
	}
}

static void read_pmus(struct pd_env *env, struct pd_cursor *c)
{
	uint32_t n = pd_cur_u32(c), i;

	for (i = 0; i < n && !c->bad; i++) {
		uint32_t type = pd_cur_u32(c);
		const char *s = pd_cur_str(c);

		if (!s)
			break;
		*ARRAY_ADD(env->pmus, env->nr_pmus, env->cap_pmus) =
			(struct pd_pmu_mapping){ type, s };
	}
}

void pd_feature_add_build_id(struct pd_env *env, const struct perf_record_header_build_id *rec)
{
	struct pd_build_id *b = ARRAY_ADD(env->build_ids, env->nr_build_ids, env->cap_build_ids);

	b->pid = (uint32_t)rec->pid;
	b->misc = rec->header.misc;
	/* Recorders from before the size field wrote SHA-1 ids only. */
	b->size = 20;
	if ((rec->header.misc & PERF_RECORD_MISC_BUILD_ID_SIZE) && rec->size && rec->size <= 20)
		b->size = rec->size;
	memcpy(b->id, rec->data, sizeof(b->id));
	b->filename = rec->filename;
}

/*
 * Skips zeros between entries: perf 6.12 gives each entry the right size, and writes 36 bytes, those of its fixed part, more
 * than that. In steps of 4 bytes, since an entry may begin with a type of 0; its size follows and is not 0.
 */
static void skip_zeros(struct pd_cursor *c)
{
	static const uint8_t zeros[sizeof(struct perf_event_header)];
	const size_t type = 4, size_at = 6;

	while (c->end - c->p >= (ptrdiff_t)sizeof(zeros) && !memcmp(c->p, zeros, type) &&
	       !memcmp(c->p + size_at, zeros, sizeof(zeros) - size_at))
		c->p += type;
	if (c->end - c->p < (ptrdiff_t)sizeof(zeros) && !memcmp(c->p, zeros, (size_t)(c->end - c->p)))
		c->p = c->end;
}

static const char *read_build_ids(struct pd_env *env, struct pd_cursor *c)
{
	const size_t fixed = sizeof(struct perf_record_header_build_id);

	for (skip_zeros(c); c->p < c->end; skip_zeros(c)) {
		struct perf_record_header_build_id *rec;
		_Alignas(8) uint8_t head[sizeof(struct perf_record_header_build_id)];
		const uint8_t *p = c->p;
		const char *filename;

		if ((size_t)(c->end - p) < fixed)
			return cut_short;
		memcpy(head, p, fixed);
		rec = (struct perf_record_header_build_id *)head;
		if (c->swap) {
			pd_swap32(&rec->header.type);
			pd_swap16(&rec->header.misc);
			pd_swap16(&rec->header.size);
			pd_swap32(&rec->pid);
		}
		if (rec->header.size <= fixed)
			return "has an entry without a file name";
		if (!pd_cur_bytes(c, rec->header.size))
			return cut_short;
		filename = (const char *)p + fixed;
		if (!memchr(filename, 0, rec->header.size - fixed))
			return "has a file name that is not terminated";
		pd_feature_add_build_id(env, rec);
		env->build_ids[env->nr_build_ids - 1].filename = filename;
	}
	return NULL;
}

/* Names are matched by id; an event without ids is matched by its position. */
static void read_event_desc(struct pd_attrs *as, struct pd_cursor *c)
{
	uint32_t nr = pd_cur_u32(c), attr_size = pd_cur_u32(c), i, j;

	for (i = 0; i < nr && !c->bad; i++) {
		struct pd_attr *a = i < as->nr ? as->v[i] : NULL;
		uint32_t nr_ids;
		const char *name;

		pd_cur_bytes(c, attr_size);
		nr_ids = pd_cur_u32(c);
		name = pd_cur_str(c);
		for (j = 0; j < nr_ids && !c->bad; j++) {
			struct pd_attr *by_id = pd_attrs_by_id(as, pd_cur_u64(c));

			if (by_id && !c->bad)
				a = by_id;
		}
		if (a && name && !a->name)
			pd_attr_set_name(a, name, strlen(name));
	}
}

const char *pd_feature_read(struct pd_env *env, struct pd_attrs *as, unsigned int bit,
			    const uint8_t *p, uint64_t len, uint64_t offset, bool swap)
{
	struct pd_cursor c = { .p = p, .end = p + len, .swap = swap };
	const char *bad = NULL;

	if (bit >= PD_FEATURE_BITS || env->raw[bit].ptr)
		return NULL;
	env->raw[bit] = (struct pd_feature_bytes){ p, len, offset, false };
	switch (bit) {
	case PD_FEAT_BUILD_ID:
		bad = read_build_ids(env, &c);
		break;
	case PD_FEAT_HOSTNAME:
		env->hostname = pd_cur_str(&c);
		break;
	case PD_FEAT_OSRELEASE:
		env->osrelease = pd_cur_str(&c);
		break;
	case PD_FEAT_VERSION:
		env->version = pd_cur_str(&c);
		break;
	case PD_FEAT_ARCH:
		env->arch = pd_cur_str(&c);
		break;
	case PD_FEAT_NRCPUS:
		env->nrcpus_avail = pd_cur_u32(&c);
		env->nrcpus_online = pd_cur_u32(&c);
		break;
	case PD_FEAT_CPUDESC:
	case PD_FEAT_CPUID:
		pd_cur_str(&c);
		break;
	case PD_FEAT_TOTAL_MEM:
		pd_cur_u64(&c);
		break;
	case PD_FEAT_CMDLINE:
		read_cmdline(env, &c);
		break;
	case PD_FEAT_EVENT_DESC:
		read_event_desc(as, &c);
		break;
	case PD_FEAT_PMU_MAPPINGS:
		read_pmus(env, &c);
		break;
	case PD_FEAT_SAMPLE_TIME:
		env->sample_time_first = pd_cur_u64(&c);
		env->sample_time_last = pd_cur_u64(&c);
		break;
	case PD_FEAT_CLOCK_DATA:
		pd_cur_bytes(&c, 24);	/* version, clock ID, and a moment by the wall clock and by that clock */
		break;
	case PD_FEAT_DIR_FORMAT:
		env->dir_version = pd_cur_u64(&c);
		env->dir_format = !c.bad;
		break;
	case PD_FEAT_COMPRESSED:
		pd_cur_bytes(&c, 20);	/* version, kind, level, ratio, and the bytes that expand at a time */
		break;
	}
	if (!bad && c.bad)
		bad = cut_short;
	env->raw[bit].damaged = bad != NULL;
	return bad;
}

void pd_env_free(struct pd_env *env)
{
	free(env->cmdline);
	free(env->build_ids);
	free(env->pmus);
	memset(env, 0, sizeof(*env));
}
