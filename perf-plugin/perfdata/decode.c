/* SPDX-License-Identifier: GPL-2.0-only */
/* decode.c - payloads of TIME_CONV, ID_INDEX and AUX_OUTPUT_HW_ID records. */
#include "perfdata/decode.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

void pd_time_conv_parse(struct pd_time_conv *tc, const struct pd_record *rec)
{
	const struct perf_record_time_conv *t = &rec->ev->time_conv;
	size_t size = t->header.size;

	memset(tc, 0, sizeof(*tc));
	tc->shift = t->time_shift;
	tc->mult = t->time_mult;
	tc->zero = t->time_zero;
	/* Recorders from before the wrap fields wrote the record only for a usable clock. */
	tc->usable = true;
	if (size >= offsetof(struct perf_record_time_conv, cap_user_time_short) + 1) {
		tc->cycles = t->time_cycles;
		tc->mask = t->time_mask;
		tc->usable = t->cap_user_time_zero != 0;
		tc->wraps = t->cap_user_time_short != 0;
	}
	if (tc->shift > 63 || !tc->mult)
		tc->usable = false;
}

uint64_t pd_ticks_to_ns(const struct pd_time_conv *tc, uint64_t ticks)
{
	uint64_t quot, rem;

	if (tc->wraps)
		ticks = tc->cycles + ((ticks - tc->cycles) & tc->mask);
	if (tc->shift > 63)
		return tc->zero;
	quot = ticks >> tc->shift;
	rem = ticks & ((1ULL << tc->shift) - 1);
	return tc->zero + quot * tc->mult + (rem * tc->mult >> tc->shift);
}

uint64_t pd_ns_to_ticks(const struct pd_time_conv *tc, uint64_t ns)
{
	uint64_t t = ns - tc->zero, quot, rem;

	if (!tc->mult || tc->shift > 63)
		return 0;
	quot = t / tc->mult;
	rem = t % tc->mult;
	return (quot << tc->shift) + (rem << tc->shift) / tc->mult;
}

uint64_t pd_id_index_nr(const struct pd_record *rec)
{
	return rec->ev->id_index.nr;
}

struct pd_id_entry pd_id_index_entry(const struct pd_record *rec, uint64_t i)
{
	const struct id_index_entry *e = &rec->ev->id_index.entries[i];

	return (struct pd_id_entry){
		.id = e->id,
		.idx = e->idx,
		.cpu = (int32_t)e->cpu,
		.tid = (int32_t)e->tid,
	};
}

int pd_hw_id_parse(struct pd_hw_id *id, const struct pd_record *rec, const char *name,
		   struct error *err)
{
	uint64_t v = rec->ev->aux_output_hw_id.hw_id;
	unsigned int major = (unsigned int)(v >> 60);

	memset(id, 0, sizeof(*id));
	if (major)
		return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": found "
				 "trace ID information of version %u, expected 0; the kernel that "
				 "recorded it is newer than this program", name, rec->offset, major);
	id->minor = (unsigned int)(v >> 56) & 0xf;
	id->trace_id = (uint8_t)v;
	if (!id->trace_id || id->trace_id >= 0x70)
		return error_set(err, ERR_AUXINFO, "%s: offset %#" PRIx64 ": found "
				 "trace ID %#x, expected 0x01 to 0x6f; the record is ignored",
				 name, rec->offset,
				 id->trace_id);
	if (id->minor) {
		id->has_sink = true;
		id->sink_id = (uint32_t)(v >> 8);
	}
	id->has_cpu = (rec->sid.valid & PERF_SAMPLE_CPU) != 0;
	id->cpu = rec->sid.cpu;
	return 0;
}
