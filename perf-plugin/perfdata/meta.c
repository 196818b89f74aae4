/* SPDX-License-Identifier: GPL-2.0-only */
/* meta.c - takes attrs, ids and features out of records of the recorder, as pipes have them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/bytes.h"
#include "perfdata/internal.h"

/*
 * An attr that comes as a record. Recorders repeat in the stream what the file header has
 * already, so one whose ids are all known is not taken a second time.
 */
static void meta_attr(struct perfdata *pd, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	uint32_t size = ev->attr.attr.size, avail = ev->header.size - 8u, nr, i;
	const uint64_t *ids;
	bool known;

	if (!size)
		size = PD_ATTR_SIZE_MIN;
	if (size < PD_ATTR_SIZE_MIN || size > avail || size % 8) {
		pd_warn(pd, "%s: offset %#" PRIx64 ": found an event attribute of %u bytes in a "
			"record of %u; it is ignored",
			perfdata_file_name(pd, rec->file), rec->offset, size,
			ev->header.size);
		return;
	}
	ids = (const uint64_t *)((const uint8_t *)&ev->attr.attr + size);
	nr = (avail - size) / 8;
	known = nr ? true : pd->attrs.nr > 0 && !pd->pipe;
	for (i = 0; i < nr && known; i++)
		known = pd_attrs_by_id(&pd->attrs, ids[i]) != NULL;
	if (!known)
		pd_attrs_add(&pd->attrs, &ev->attr.attr, size, ids, nr);
}

static void meta_event_update(struct perfdata *pd, const struct pd_record *rec)
{
	const struct perf_record_event_update *up = &rec->ev->event_update;
	size_t fixed = offsetof(struct perf_record_event_update, name);
	struct pd_attr *a = pd_attrs_by_id(&pd->attrs, up->id);
	const char *name = (const char *)up + fixed;

	if (up->type == PERF_EVENT_UPDATE__NAME && a && up->header.size > fixed)
		pd_attr_set_name(a, name, strnlen(name, up->header.size - fixed));
}

static void meta_feature(struct perfdata *pd, const struct pd_record *rec, const uint8_t *raw)
{
	const size_t fixed = sizeof(struct perf_record_header_feature);
	uint64_t bit = rec->ev->feat.feat_id;
	const char *bad;

	if (bit >= PD_FEATURE_BITS)
		return;
	bad = pd_feature_read(&pd->env, &pd->attrs, (unsigned int)bit, raw + fixed,
			      rec->ev->header.size - fixed, rec->offset + fixed, pd->swap);
	if (bad)
		pd_warn(pd, "%s: offset %#" PRIx64 ": feature %u %s; the rest of it is ignored",
			perfdata_file_name(pd, rec->file), rec->offset, (unsigned int)bit, bad);
}

static void meta_build_id(struct perfdata *pd, const struct pd_record *rec, const uint8_t *raw)
{
	pd_feature_add_build_id(&pd->env, &rec->ev->build_id);
	/* the record may be a copy, and its file name must outlive it */
	pd->env.build_ids[pd->env.nr_build_ids - 1].filename =
		(const char *)raw + sizeof(struct perf_record_header_build_id);
}

void pd_meta_record(struct perfdata *pd, const struct pd_record *rec, const uint8_t *raw)
{
	switch (rec->ev->header.type) {
	case PERF_RECORD_HEADER_ATTR:
		meta_attr(pd, rec);
		break;
	case PERF_RECORD_EVENT_UPDATE:
		meta_event_update(pd, rec);
		break;
	case PERF_RECORD_HEADER_FEATURE:
		meta_feature(pd, rec, raw);
		break;
	case PERF_RECORD_HEADER_BUILD_ID:
		meta_build_id(pd, rec, raw);
		break;
	}
}
