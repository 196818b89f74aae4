/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as perf.data: bounded work, nothing outside the buffer, the same result twice. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/auxinfo.h"
#include "perfdata/decode.h"
#include "perfdata/reader.h"
#include "perfdata/simpleperf.h"

static void require(int ok)
{
	if (!ok)
		abort();
}

/* Touch every byte that is handed out, so that the sanitizer sees what is not there. */
static uint32_t sum(const void *p, uint64_t n)
{
	const uint8_t *b = p;
	uint32_t s = 0;

	while (n--)
		s = s * 31 + *b++;
	return s;
}

static uint32_t look(const struct pd_record *r)
{
	const union perf_event *ev = r->ev;
	uint32_t s = sum(ev, ev->header.size) + (uint32_t)r->sid.time;
	struct pd_time_conv tc;
	struct pd_hw_id hw;
	struct auxinfo info;
	struct error err;
	uint64_t i;

	require(r->body_size <= ev->header.size && ((uintptr_t)ev & 7) == 0);
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		s += (uint32_t)strlen(ev->comm.comm);
		break;
	case PERF_RECORD_MMAP:
		s += (uint32_t)strlen(ev->mmap.filename);
		break;
	case PERF_RECORD_MMAP2:
		s += (uint32_t)strlen(ev->mmap2.filename);
		break;
	case PERF_RECORD_TEXT_POKE:
		s += sum(ev->text_poke.bytes, (uint64_t)ev->text_poke.old_len + ev->text_poke.new_len);
		break;
	case PERF_RECORD_SAMPLE:
		if (!r->attr)
			break;
		s += sum(r->sample.raw, r->sample.raw ? r->sample.raw_size : 0);
		for (i = 0; r->sample.callchain && i < r->sample.nr_callchain; i++)
			s += (uint32_t)r->sample.callchain[i];
		for (i = 0; r->sample.branches && i < r->sample.nr_branches; i++)
			s += (uint32_t)r->sample.branches[i].from;
		break;
	case PERF_RECORD_AUXTRACE:
		s += sum(r->aux.data, r->aux.avail);
		break;
	case PERF_RECORD_AUXTRACE_INFO:
		if (!auxinfo_parse(&info, &ev->auxtrace_info, ev->header.size, "f", r->offset, &err)) {
			for (i = 0; i < info.nr_cpu; i++)
				s += (uint32_t)info.cpu[i].reg[0];
			auxinfo_free(&info);
		}
		break;
	case PERF_RECORD_TIME_CONV:
		pd_time_conv_parse(&tc, r);
		s += (uint32_t)(pd_ticks_to_ns(&tc, 12345) + pd_ns_to_ticks(&tc, 12345));
		break;
	case PERF_RECORD_ID_INDEX:
		for (i = 0; i < pd_id_index_nr(r); i++)
			s += (uint32_t)pd_id_index_entry(r, i).id;
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		s += (uint32_t)pd_hw_id_parse(&hw, r, "f", &err);
		break;
	}
	return s;
}

/* A compressed input can expand a lot; the work per input is limited here, as a caller would. */
#define MAX_RECORDS	20000

static uint32_t pass(struct perfdata *pd)
{
	struct pd_record r;
	uint32_t s = 0, n = 0;
	int rc;

	while (n++ < MAX_RECORDS && (rc = perfdata_next(pd, &r))) {
		if (rc > 0)
			s = s * 17 + look(&r);
		else
			require(perfdata_error(pd)->msg[0] != 0);
	}
	return s;
}

/* simpleperf's sections about files: what they say is inside them. */
static uint32_t files(const struct perfdata *pd, unsigned int feature)
{
	const struct pd_feature_bytes *raw = &perfdata_env(pd)->raw[feature];
	struct pd_sp_files r;
	struct pd_sp_file f;
	uint32_t s = 0;

	if (!raw->ptr)
		return 0;
	pd_sp_files_start(&r, raw->ptr, raw->len, feature == PD_FEAT_SP_FILE, perfdata_is_swapped(pd));
	while (pd_sp_files_next(&r, &f) > 0) {
		require((const uint8_t *)f.path >= raw->ptr && f.path_len <= raw->len);
		s += sum(f.path, f.path_len) + (uint32_t)(f.vaddr + f.offset);
	}
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct perfdata *pd = perfdata_open_memory(data, size, "fuzz", &err);
	const struct pd_env *env;
	uint32_t i, first, s = 0, attrs;

	if (!pd) {
		require(err.code < 0 && err.msg[0]);
		return 0;
	}
	attrs = perfdata_nr_attrs(pd);
	first = pass(pd);
	perfdata_rewind(pd);
	/* The first pass may meet records before the attrs they belong to. */
	i = pass(pd);
	require(i == first || perfdata_nr_attrs(pd) != attrs);
	perfdata_rewind(pd);
	require(pass(pd) == i);
	env = perfdata_env(pd);
	for (i = 0; i < env->nr_build_ids; i++)
		s += (uint32_t)strlen(env->build_ids[i].filename);
	for (i = 0; i < env->nr_cmdline; i++)
		s += (uint32_t)strlen(env->cmdline[i]);
	for (i = 0; i < env->nr_pmus; i++)
		s += (uint32_t)strlen(env->pmus[i].name);
	s = (s + files(pd, PD_FEAT_SP_FILE) + files(pd, PD_FEAT_SP_FILE2)) & 0xffff;
	for (i = 0; i < perfdata_nr_attrs(pd); i++)
		require(perfdata_attr(pd, i)->index == i);
	require(s < UINT32_MAX);
	perfdata_close(pd);
	return 0;
}
