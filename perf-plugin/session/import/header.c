/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * header.c - events and features of an output: copied from an input, or as a recorder of trace would have written
 * them.
 */
#include "session/import/header.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

/* True for features that describe the format of a file, or that the writer creates. */
static bool is_of_form(unsigned int bit)
{
	return bit == PD_FEAT_EVENT_DESC || bit == PD_FEAT_AUXTRACE || bit == PD_FEAT_DIR_FORMAT ||
	       bit == PD_FEAT_COMPRESSED || bit == PD_FEAT_BUILD_ID;
}

/* Sections of other recorders that are of use to this program; perf inject of perf 6.1 crashes on them. */
static const enum pd_feature own_features[] = { PD_FEAT_SP_FILE, PD_FEAT_SP_META_INFO, PD_FEAT_SP_FILE2 };

static void copy_own_features(struct perf_writer *w, const struct pd_env *env)
{
	size_t i;

	for (i = 0; i < sizeof(own_features) / sizeof(own_features[0]); i++) {
		const struct pd_feature_bytes *f = &env->raw[own_features[i]];

		if (f->ptr)
			pw_set_raw(w, own_features[i], f->ptr, f->len);
	}
}

static void copy_features(struct perf_writer *w, const struct perfdata *pd, bool own)
{
	const struct pd_env *env = perfdata_env(pd);
	unsigned int bit;
	uint32_t i;

	if (perfdata_is_swapped(pd))
		pw_copy_env(w, pd);
	for (bit = 1; !perfdata_is_swapped(pd) && bit < PD_FEAT_PERF_LAST; bit++)
		if (env->raw[bit].ptr && !env->raw[bit].damaged && !is_of_form(bit))
			pw_set_raw(w, (enum pd_feature)bit, env->raw[bit].ptr, env->raw[bit].len);
	if (own && !perfdata_is_swapped(pd))
		copy_own_features(w, env);
	for (i = 0; i < env->nr_build_ids; i++) {
		const struct pd_build_id *b = &env->build_ids[i];

		/* one that perf could not read is no loss to anybody */
		if (b->filename && b->size)
			pw_add_build_id(w, b->misc, b->pid, b->id, b->size, b->filename);
	}
}

int header_copy(struct perf_writer *w, const struct perfdata *pd, bool own, struct error *err)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; rc >= 0 && i < perfdata_nr_attrs(pd); i++) {
		const struct pd_attr *a = perfdata_attr(pd, i);

		rc = pw_add_attr(w, &a->attr, a->ids, a->nr_ids, a->name ? a->name : "event", err);
	}
	if (rc < 0)
		return rc;
	copy_features(w, pd, own);
	return 0;
}

static const uint64_t default_id = 1;

static uint64_t default_type(bool timed)
{
	return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
	       (timed ? PERF_SAMPLE_TIME : 0);
}

void header_default_attr(struct pd_attr *a, bool timed)
{
	a->attr.sample_type = default_type(timed);
	a->ids = &default_id;
	a->nr_ids = 1;
	a->trailer = pd_sample_id_size(a->attr.sample_type);
}

int header_default(struct perf_writer *w, struct pd_attr *a, bool timed, uint32_t cpus,
		   struct error *err)
{
	const struct perf_event_attr attr = {
		.type = HEADER_PMU,
		.size = sizeof(attr),
		.sample_type = default_type(timed),
		.sample_id_all = 1,
	};
	int rc = pw_add_attr(w, &attr, &default_id, 1, "cs_etm//", err);

	if (rc < 0)
		return rc;
	header_default_attr(a, timed);
	pw_set_string(w, PD_FEAT_ARCH, "aarch64");
	pw_set_nrcpus(w, cpus, cpus);
	return 0;
}

bool header_has(const struct perfdata *pd, const struct pd_record *rec)
{
	switch (rec->ev->header.type) {
	case PERF_RECORD_HEADER_ATTR:
	case PERF_RECORD_HEADER_EVENT_TYPE:
	case PERF_RECORD_HEADER_TRACING_DATA:
	case PERF_RECORD_HEADER_BUILD_ID:
	case PERF_RECORD_HEADER_FEATURE:
		return true;
	case PERF_RECORD_EVENT_UPDATE:
		return perfdata_is_pipe(pd) && rec->ev->event_update.type == PERF_EVENT_UPDATE__NAME;
	}
	return false;
}

void aux_index_add(struct aux_index *ix, const struct perf_writer *w)
{
	if (!ix->nr)
		*ARRAY_ADD(ix->v, ix->nr, ix->cap) = 0;	/* becomes their number */
	*ARRAY_ADD(ix->v, ix->nr, ix->cap) = pw_position(w);
	*ARRAY_ADD(ix->v, ix->nr, ix->cap) = sizeof(struct perf_record_auxtrace);
}

void aux_index_finish(struct aux_index *ix, struct perf_writer *w)
{
	if (ix->nr) {
		ix->v[0] = (ix->nr - 1) / 2;
		pw_set_raw(w, PD_FEAT_AUXTRACE, ix->v, ix->nr * sizeof(*ix->v));
	}
	free(ix->v);
	memset(ix, 0, sizeof(*ix));
}
