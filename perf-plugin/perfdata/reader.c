/* SPDX-License-Identifier: GPL-2.0-only */
/* reader.c - the pass over all records: bounds, byte order, compressed records, AUX payloads. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files/mapped.h"
#include "perfdata/bytes.h"
#include "perfdata/internal.h"
#include "perfdata/layout.h"

static struct pd_source *cur_src(struct perfdata *pd)
{
	return &pd->src[pd->at.file];
}

static void start_file(struct perfdata *pd, unsigned int file)
{
	pd->at.file = file;
	pd->at.init_map = false;
	pd->at.pos = file ? 0 : pd->data_offset;
	pd->at.end = file ? UINT64_MAX : pd->data_end;
	pd->zstd.expanding = false;
	pd->zstd.broken = false;
	pd->zstd.payload_cut = false;
	/* The files of a directory are compressed independently of each other. */
	if (pd->zstd.decomp)
		pd_decomp_reset(pd->zstd.decomp);
}

void perfdata_rewind(struct perfdata *pd)
{
	const struct pd_feature_bytes *maps = &pd->env.raw[PD_FEAT_SP_INIT_MAP];

	memset(&pd->stats, 0, sizeof(pd->stats));
	pd->at.seq = 0;
	start_file(pd, 0);
	if (maps->ptr && maps->len) {
		pd->at.init_map = true;
		pd->at.pos = maps->offset;
		pd->at.end = maps->offset + maps->len;
	}
}

/* Count the rest of the current file after @pos as lost and leave the file. */
static void abandon_file(struct perfdata *pd, uint64_t pos)
{
	struct pd_source *s = cur_src(pd);
	uint64_t end = pd->at.end < s->size ? pd->at.end : s->size;

	if (pos < end)
		pd->stats.lost_bytes += end - pos;
	pd->at.pos = pd->at.end = end;
}

static int fail_io(struct perfdata *pd)
{
	const struct pd_source *s = cur_src(pd);

	return error_set(&pd->err, ERR_IO, "%s: reading stopped at %#" PRIx64 ": %s; everything before was used",
			 s->name, s->size, strerror(s->io_errno));
}

static int fail_cut(struct perfdata *pd, uint64_t want)
{
	struct pd_source *s = cur_src(pd);
	uint64_t pos = pd->at.pos, end = pd->at.end;

	abandon_file(pd, pos);
	if (pd->at.init_map)
		return error_set(&pd->err, ERR_CUT, "%s: offset %#" PRIx64 ": feature %u (INIT_MAP) ends at %#"
				 PRIx64 ", inside a record of %" PRIu64 " bytes; what was mapped from there on is not "
				 "known, copy or record it again", s->name, pos, PD_FEAT_SP_INIT_MAP, end, want);
	if (!s->io_errno && pos == s->size)
		return error_set(&pd->err, ERR_CUT, "%s: is cut at %#" PRIx64 ", expected "
				 "records up to %#" PRIx64 "; everything before was used, copy or "
				 "record it again for the rest", s->name, pos, end);
	if (s->io_errno)
		return fail_io(pd);
	return error_set(&pd->err, ERR_CUT, "%s: is cut at %#" PRIx64 ", inside the record "
			 "at %#" PRIx64 " that needs %" PRIu64 " bytes; everything before was used, "
			 "copy or record it again for the rest", s->name, s->size, pos, want);
}

/* The record cannot be skipped: without a size nothing says where the next one starts. */
static int fail_size(struct perfdata *pd, const struct perf_event_header *h)
{
	uint64_t pos = pd->at.pos;

	pd->stats.bad_records++;
	abandon_file(pd, pos);
	return error_set(&pd->err, ERR_RECORD, "%s: offset %#" PRIx64 ": found a record of "
			 "type %u and size %u, expected a size of at least 8; the next %" PRIu64 " "
			 "bytes of the file cannot be read, everything before was used",
			 cur_src(pd)->name, pos,
			 h->type, h->size, pd->at.end > pos ? pd->at.end - pos : 0);
}

/*
 * Trace of more bytes than any is read of: the number is damaged, and the next record cannot be
 * found.
 */
static int fail_trace(struct perfdata *pd, uint64_t offset, uint64_t size)
{
	pd->stats.bad_records++;
	abandon_file(pd, pd->at.pos);
	return error_set(&pd->err, ERR_RECORD,
			 "%s: offset %#" PRIx64 ": found %" PRIu64 " bytes of trace in one record, "
			 "expected at most %" PRIu64
			 "; reading ends here, everything before was used",
			 cur_src(pd)->name, offset, size, pd->most_trace);
}

/* Copy a record that cannot be returned in place; its header is converted to host byte order. */
static union perf_event *bounce(struct perfdata *pd, const uint8_t *p,
				const struct perf_event_header *h)
{
	memcpy(pd->bounce, p, h->size);
	memset(pd->bounce + h->size, 0, 8);
	memcpy(pd->bounce, h, sizeof(*h));
	return (union perf_event *)pd->bounce;
}

static bool is_compressed(uint32_t type)
{
	return type == PERF_RECORD_COMPRESSED || type == (uint32_t)PD_RECORD_COMPRESSED2;
}

/* Fill @rec from the record at @p, all of whose bytes are readable. */
static int take_record(struct perfdata *pd, const uint8_t *p, const struct perf_event_header *h,
		       uint64_t offset, bool mapped, struct pd_record *rec)
{
	const struct pd_layout *l = pd_layout_find(h->type);
	union perf_event *ev = (union perf_event *)p;
	const char *bad = NULL;
	unsigned int trailer = 0;
	uint64_t st = 0;

	rec->file = pd->at.file;
	rec->offset = offset;
	rec->known = l != NULL;
	rec->stable = mapped;
	rec->attr = NULL;
	rec->payload = NULL;
	rec->payload_size = 0;
	memset(&rec->sid, 0, sizeof(rec->sid));
	rec->window.size = 0;
	if (pd->swap || ((uintptr_t)p & 7)) {
		ev = bounce(pd, p, h);
		rec->stable = false;
	}
	rec->ev = ev;
	if (h->type < PERF_RECORD_USER_TYPE_START || (l && l->sample_id)) {
		rec->attr = pd_attrs_of_event(&pd->attrs, ev, pd->swap);
		if (rec->attr) {
			st = rec->attr->attr.sample_type;
			if (h->type != PERF_RECORD_SAMPLE && (!l || l->sample_id))
				trailer = rec->attr->trailer;
		}
	}
	/* the kernel pads its records, and perf looks for the sample_id by words from the beginning */
	if (h->type < PERF_RECORD_USER_TYPE_START && h->size % 8) {
		bad = "which is no multiple of 8";
		goto out_bad;
	}
	if (trailer > h->size - sizeof(*h)) {
		bad = "too small for its sample_id";
		goto out_bad;
	}
	rec->body_size = (uint16_t)(h->size - trailer);
	if (pd->swap && l) {
		pd_layout_swap(l, ev, rec->body_size);
		if (trailer)
			pd_sample_id_swap(st, (uint8_t *)ev + h->size);
		if (h->type == PERF_RECORD_SAMPLE)
			pd_sample_fix_pairs(st, ev);
	}
	if (l)
		bad = pd_layout_check(l, ev, rec->body_size);
	if (bad)
		goto out_bad;
	if (trailer) {
		pd_sample_id_parse(st, (const uint8_t *)ev + h->size, &rec->sid);
	} else if (h->type == PERF_RECORD_SAMPLE && rec->attr) {
		if (!pd_sample_parse(&rec->attr->attr, ev, pd->swap, &rec->sample)) {
			bad = "too small for the sample_type of its event";
			goto out_bad;
		}
		rec->sid = rec->sample.sid;
		rec->window =
			(struct pd_window){ p + rec->sample.aux_at, rec->sample.aux_size, mapped };
	}
	if (rec->sid.id && pd->attrs.nr > 1 && !pd_attrs_by_id(&pd->attrs, rec->sid.id))
		pd->stats.unknown_ids++;
	/* a container of other records is not returned */
	if (is_compressed(h->type))
		return 1;
	if (!l)
		pd->stats.unknown_records++;
	pd->stats.records++;
	rec->seq = pd->at.seq++;
	return 1;

out_bad:
	pd->stats.bad_records++;
	pd->stats.lost_bytes += mapped ? h->size : 0;
	return error_set(&pd->err, ERR_RECORD, "%s: offset %#" PRIx64 ": found a record of "
			 "type %u and %u bytes %s; it is left out",
			 cur_src(pd)->name, offset, h->type,
			 h->size, bad);
}

static void load_header(const struct perfdata *pd, const uint8_t *p, struct perf_event_header *h)
{
	memcpy(h, p, sizeof(*h));
	if (pd->swap) {
		pd_swap32(&h->type);
		pd_swap16(&h->misc);
		pd_swap16(&h->size);
	}
}

/* AUXTRACE and HEADER_TRACING_DATA carry bytes that header.size does not count. */
static void take_payload(struct perfdata *pd, struct pd_record *rec)
{
	const struct perf_record_auxtrace *a = &rec->ev->auxtrace;
	struct pd_source *s = cur_src(pd);
	uint64_t size, avail;

	if (rec->ev->header.type == PERF_RECORD_AUXTRACE)
		size = a->size;
	else if (rec->ev->header.type == PERF_RECORD_HEADER_TRACING_DATA)
		size = ((uint64_t)rec->ev->tracing_data.size + 7) & ~7ULL;
	else
		return;

	pd_source_have(s, pd->at.pos, size);
	avail = (pd->at.end < s->size ? pd->at.end : s->size) - pd->at.pos;
	if (avail > size)
		avail = size;
	rec->payload = pd_source_at(s, pd->at.pos);
	rec->payload_size = avail;
	if (rec->ev->header.type != PERF_RECORD_AUXTRACE)
		return;
	rec->aux = (struct pd_auxtrace){
		.size = size,
		.avail = avail,
		.offset = a->offset,
		.reference = a->reference,
		.idx = a->idx,
		.tid = (int32_t)a->tid,
		.cpu = (int32_t)a->cpu,
		.data = rec->payload,
		.data_offset = pd->at.pos,
	};
	pd->stats.aux_bytes += avail;
}

static int start_expanding(struct perfdata *pd, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	/* A copy of a swapped record would not outlive the call, the bytes in the file do. */
	const uint8_t *raw = pd_source_at(cur_src(pd), rec->offset);
	size_t fixed = sizeof(struct perf_record_compressed), len = ev->header.size - fixed;

	if (ev->header.type == (uint32_t)PD_RECORD_COMPRESSED2) {
		fixed = sizeof(struct pd_record_compressed2);
		len = ((const struct pd_record_compressed2 *)ev)->data_size;
	}
	pd->stats.compressed_records++;
	pd->stats.compressed_bytes += len;
	if (pd->zstd.broken) {
		pd->stats.lost_compressed++;
		pd->stats.lost_bytes += len;
		return 0;
	}
	if (!pd_decomp_available()) {
		pd->zstd.broken = true;
		return error_set(&pd->err, ERR_ZSTD, "%s: the records are compressed, and this program was made "
				 "without zstd (NO_ZSTD): they are lost; record without -z", cur_src(pd)->name);
	}
	if (!pd->zstd.decomp)
		pd->zstd.decomp = pd_decomp_new();
	pd_decomp_feed(pd->zstd.decomp, raw + fixed, len);
	pd->zstd.container = rec->offset;
	pd->zstd.expanding = true;
	return 0;
}

static void stop_expanding(struct perfdata *pd)
{
	pd->zstd.broken = true;
	pd->zstd.expanding = false;
	pd_decomp_reset(pd->zstd.decomp);
}

static int fail_expand(struct perfdata *pd, int code, const char *found)
{
	stop_expanding(pd);
	return error_set(&pd->err, code, "%s: offset %#" PRIx64 ": found %s in "
			 "compressed records, expected one zstd stream of whole records; the "
			 "compressed records from here on are lost, record without -z to avoid it",
			 cur_src(pd)->name, pd->zstd.container, found);
}

void perfdata_set_max_expand(struct perfdata *pd, uint64_t bytes)
{
	pd->zstd.max_expand = bytes;
}

static uint64_t expand_limit(const struct perfdata *pd)
{
	uint64_t by_size = pd->stats.compressed_bytes * PD_EXPAND_RATIO;

	if (pd->zstd.max_expand)
		return pd->zstd.max_expand;
	return by_size > PD_EXPAND_FLOOR ? by_size : PD_EXPAND_FLOOR;
}

static int fail_limit(struct perfdata *pd)
{
	stop_expanding(pd);
	pd->stats.lost_compressed++;
	return error_set(
		&pd->err, ERR_EXPAND,
		"%s: offset %#" PRIx64 ": found compressed "
		"records that expand from %" PRIu64 " to more than %" PRIu64
		" bytes, expected less; "
		"the compressed records from here on are left out, --max-expand=SIZE takes more",
		cur_src(pd)->name, pd->zstd.container, pd->stats.compressed_bytes,
		expand_limit(pd));
}

/* 1: a record out of the decompressor. 0: it needs more input. */
static int next_expanded(struct perfdata *pd, struct pd_record *rec)
{
	struct perf_event_header h;
	const char *error;
	uint64_t before = pd_decomp_total(pd->zstd.decomp);
	uint8_t *p;
	size_t n;
	int rc;

	n = pd_decomp_peek(pd->zstd.decomp, sizeof(h), &p, &error);
	if (!error && n >= sizeof(h)) {
		load_header(pd, p, &h);
		if (h.size < sizeof(h))
			return fail_expand(pd, ERR_RECORD, "a record of less than 8 bytes");
		n = pd_decomp_peek(pd->zstd.decomp, h.size, &p, &error);
	}
	pd->stats.expanded_bytes += pd_decomp_total(pd->zstd.decomp) - before;
	if (error)
		return fail_expand(pd, ERR_ZSTD, error);
	if (pd->stats.expanded_bytes > expand_limit(pd))
		return fail_limit(pd);
	if (n < sizeof(h) || n < h.size) {
		pd->zstd.expanding = false;
		return 0;
	}
	if (h.type == PERF_RECORD_AUXTRACE || h.type == PERF_RECORD_HEADER_TRACING_DATA ||
	    is_compressed(h.type))
		return fail_expand(pd, ERR_RECORD, "AUX, tracing or compressed data");
	rc = take_record(pd, p, &h, pd->zstd.container, false, rec);
	pd_decomp_consume(pd->zstd.decomp, h.size);
	return rc;
}

/* Bytes of a record whose other part would have been in the next compressed record. */
static int check_remainder(struct perfdata *pd)
{
	const char *error;
	uint8_t *p;
	size_t n;

	if (!pd->zstd.decomp || pd->zstd.broken || !pd_decomp_total(pd->zstd.decomp))
		return 0;
	n = pd_decomp_peek(pd->zstd.decomp, 1, &p, &error);
	if (error || !n)
		return 0;
	pd->zstd.broken = true;
	return error_set(&pd->err, ERR_CUT, "%s: offset %#" PRIx64 ": the last "
			 "compressed record ends inside a record; everything before was used",
			 cur_src(pd)->name, pd->zstd.container);
}

/* 1: a record. 0: the current file is at its end, or a compressed record was opened. */
static int next_raw(struct perfdata *pd, struct pd_record *rec, bool *at_end)
{
	struct pd_source *s = cur_src(pd);
	struct perf_event_header h;
	const uint8_t *raw;
	uint64_t at = pd->at.pos;
	int rc;

	*at_end = false;
	if (at < pd->at.released || at - pd->at.released >= MAPPED_KEPT) {
		mapped_release(s->base);
		pd->at.released = at;
	}
	if (at >= pd->at.end) {
		*at_end = true;
		return check_remainder(pd);
	}
	if (!pd_source_have(s, at, sizeof(h)) || pd->at.end - at < sizeof(h)) {
		if (s->size <= at && pd->at.end == UINT64_MAX && !s->io_errno) {
			*at_end = true;
			return check_remainder(pd);
		}
		return fail_cut(pd, sizeof(h));
	}
	raw = pd_source_at(s, at);
	load_header(pd, raw, &h);
	if (h.size < sizeof(h))
		return fail_size(pd, &h);
	if (!pd_source_have(s, at, h.size) || pd->at.end - at < h.size)
		return fail_cut(pd, h.size);
	pd->at.pos = at + h.size;
	rc = take_record(pd, raw, &h, at, true, rec);
	if (rc < 0) {
		/* Without the size of the payload the next record cannot be found. */
		if (h.type == PERF_RECORD_AUXTRACE || h.type == PERF_RECORD_HEADER_TRACING_DATA)
			abandon_file(pd, pd->at.pos);
		return rc;
	}
	if (h.type == PERF_RECORD_AUXTRACE && pd->most_trace &&
	    rec->ev->auxtrace.size > pd->most_trace)
		return fail_trace(pd, at, rec->ev->auxtrace.size);
	take_payload(pd, rec);
	if (!pd->at.file && !pd->at.init_map && at >= pd->at.meta_done) {
		pd_meta_record(pd, rec, raw);
		pd->at.meta_done = pd->at.pos;
	}
	if (is_compressed(h.type))
		return start_expanding(pd, rec);
	return 1;
}

static void skip_payload(struct perfdata *pd, const struct pd_record *rec)
{
	if (!rec->payload)
		return;
	pd->at.pos += rec->payload_size;
	if (rec->ev->header.type == PERF_RECORD_AUXTRACE && rec->aux.avail < rec->aux.size) {
		pd->zstd.payload_cut = true;
		pd->zstd.container = rec->offset;
	}
}

/* The record itself was delivered with the bytes that are there. */
static int fail_payload(struct perfdata *pd)
{
	struct pd_source *s = cur_src(pd);

	pd->zstd.payload_cut = false;
	abandon_file(pd, pd->at.pos);
	if (s->io_errno && pd->at.pos == s->size)
		return fail_io(pd);
	return error_set(&pd->err, ERR_CUT, "%s: is cut at %#" PRIx64 ", inside the AUX "
			 "data of the record at %#" PRIx64 "; everything before was used, copy or "
			 "record it again for the rest", s->name, pd->at.pos, pd->zstd.container);
}

int perfdata_next(struct perfdata *pd, struct pd_record *rec)
{
	bool at_end;
	int rc;

	if (pd->zstd.payload_cut)
		return fail_payload(pd);
	for (;;) {
		if (pd->zstd.expanding) {
			rc = next_expanded(pd, rec);
			if (rc)
				return rc;
		}
		rc = next_raw(pd, rec, &at_end);
		if (rc > 0)
			skip_payload(pd, rec);
		if (rc)
			return rc;
		if (!at_end)
			continue;
		if (pd->at.init_map) {
			start_file(pd, 0);
			continue;
		}
		if (pd->at.file + 1 >= pd->nr_src)
			return 0;
		start_file(pd, pd->at.file + 1);
	}
}

const struct error *perfdata_error(const struct perfdata *pd)
{
	return &pd->err;
}

unsigned int perfdata_nr_attrs(const struct perfdata *pd)
{
	return pd->attrs.nr;
}

const struct pd_attr *perfdata_attr(const struct perfdata *pd, unsigned int i)
{
	return i < pd->attrs.nr ? pd->attrs.v[i] : NULL;
}

const struct pd_attr *perfdata_attr_by_id(const struct perfdata *pd, uint64_t id)
{
	return pd_attrs_by_id(&pd->attrs, id);
}

const struct pd_env *perfdata_env(const struct perfdata *pd)
{
	return &pd->env;
}

const struct pd_stats *perfdata_stats(const struct perfdata *pd)
{
	return &pd->stats;
}

unsigned int perfdata_nr_warnings(const struct perfdata *pd)
{
	return pd->nr_warnings;
}

const char *perfdata_warning(const struct perfdata *pd, unsigned int i)
{
	return i < pd->nr_warnings ? pd->warnings[i] : NULL;
}

const char *perfdata_file_name(const struct perfdata *pd, unsigned int file)
{
	return file < pd->nr_src ? pd->src[file].name : NULL;
}

bool perfdata_is_growing(const struct perfdata *pd)
{
	return pd->src[0].spool_fd >= 0;
}

void perfdata_limit(struct perfdata *pd, int stop_fd, uint64_t most)
{
	pd_main(pd)->stop_fd = stop_fd;
	pd->most_trace = most;
}

uint64_t perfdata_position(const struct perfdata *pd)
{
	return pd->at.pos;
}

const uint8_t *perfdata_bytes(const struct perfdata *pd, uint64_t offset)
{
	return pd_source_at(&pd->src[0], offset);
}

void perfdata_forget(struct perfdata *pd, uint64_t offset)
{
	if (!pd->zstd.expanding)
		pd_source_forget(pd_main(pd), offset);
}

const char *perfdata_name(const struct perfdata *pd)
{
	return pd->dir ? pd->dir : pd->src[0].name;
}

const char *perfdata_dir(const struct perfdata *pd)
{
	return pd->dir;
}

const char *perfdata_folder(const struct perfdata *pd)
{
	return pd->dir ? pd->dir : pd->folder;
}

bool perfdata_is_pipe(const struct perfdata *pd)
{
	return pd->pipe;
}

bool perfdata_is_swapped(const struct perfdata *pd)
{
	return pd->swap;
}
