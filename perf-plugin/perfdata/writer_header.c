/* SPDX-License-Identifier: GPL-2.0-only */
/* writer_header.c - features, attrs and the header of an output, in the form of a file or of a pipe. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "perfdata/writer_internal.h"

#define NAME_ALIGN	64	/* perf pads the strings of its header to this */

_Static_assert(sizeof(struct perf_event_attr) >= PD_ATTR_SIZE_OUT,
	       "linux/perf_event.h is older than the attr that is written");

/* ---- blobs: feature sections while they are put together ---- */

static void blob_put(struct pw_blob *b, const void *data, size_t len)
{
	array_room(&b->data, b->len, len, &b->cap, 1);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void blob_u32(struct pw_blob *b, uint32_t v)
{
	blob_put(b, &v, sizeof(v));
}

static void blob_str(struct pw_blob *b, const char *s)
{
	static const char zeros[NAME_ALIGN];
	size_t len = strlen(s) + 1, padded = (len + NAME_ALIGN - 1) & ~(size_t)(NAME_ALIGN - 1);

	blob_u32(b, (uint32_t)padded);
	blob_put(b, s, len);
	blob_put(b, zeros, padded - len);
}

/* An empty section of feature @bit; NULL when neither perf 6.1 nor simpleperf has it. */
static struct pw_blob *feature(struct perf_writer *w, unsigned int bit)
{
	struct pw_blob *b = &w->st->feat[bit];

	b->set = true;
	b->len = 0;
	return b;
}

/* In a pipe a feature that is set late follows as a record of its own. */
static void feature_done(struct perf_writer *w, unsigned int bit)
{
	if (w->st->started && w->st->out.stream)
		pw_pipe_feature(w, bit);
}

void pw_set_raw(struct perf_writer *w, enum pd_feature bit, const void *data, size_t len)
{
	blob_put(feature(w, bit), data, len);
	feature_done(w, bit);
}

void pw_set_string(struct perf_writer *w, enum pd_feature bit, const char *s)
{
	blob_str(feature(w, bit), s);
	feature_done(w, bit);
}

void pw_set_nrcpus(struct perf_writer *w, uint32_t avail, uint32_t online)
{
	struct pw_blob *b = feature(w, PD_FEAT_NRCPUS);

	blob_u32(b, avail);
	blob_u32(b, online);
	feature_done(w, PD_FEAT_NRCPUS);
}

void pw_set_cmdline(struct perf_writer *w, const char *const *argv, uint32_t argc)
{
	struct pw_blob *b = feature(w, PD_FEAT_CMDLINE);
	uint32_t i;

	blob_u32(b, argc);
	for (i = 0; i < argc; i++)
		blob_str(b, argv[i]);
	feature_done(w, PD_FEAT_CMDLINE);
}

void pw_set_sample_time(struct perf_writer *w, uint64_t first, uint64_t last)
{
	uint64_t v[2] = { first, last };

	pw_set_raw(w, PD_FEAT_SAMPLE_TIME, v, sizeof(v));
}

void pw_set_branch_stack(struct perf_writer *w)
{
	pw_set_raw(w, PD_FEAT_BRANCH_STACK, NULL, 0);
}

int pw_add_build_id(struct perf_writer *w, uint16_t misc, uint32_t pid, const void *id,
		    unsigned int id_size, const char *filename)
{
	static const char zeros[NAME_ALIGN];
	struct perf_record_header_build_id rec;
	struct pw_blob *b = &w->st->feat[PD_FEAT_BUILD_ID];
	size_t len = strlen(filename) + 1, padded, at = b->len;

	padded = (len + NAME_ALIGN - 1) & ~(size_t)(NAME_ALIGN - 1);
	/* perf reads the name into a buffer of PATH_MAX without a check. */
	if (!id_size || id_size > sizeof(rec.data) || padded > PATH_MAX)
		return ERR_USAGE;
	memset(&rec, 0, sizeof(rec));
	rec.header.type = PERF_RECORD_HEADER_BUILD_ID;
	rec.header.misc = misc | PERF_RECORD_MISC_BUILD_ID_SIZE;
	rec.header.size = (uint16_t)(sizeof(rec) + padded);
	rec.pid = (pid_t)pid;
	memcpy(rec.data, id, id_size);
	rec.size = (uint8_t)id_size;
	b->set = true;
	blob_put(b, &rec, sizeof(rec));
	blob_put(b, filename, len);
	blob_put(b, zeros, padded - len);
	if (w->st->started && w->st->out.stream) {
		pw_compression_end(w);
		pw_write(w, b->data + at, b->len - at);
	}
	return 0;
}

/* As perf record writes it: the version is 0, and so is the ratio where the records follow. */
void pw_compression_feature(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	struct pw_blob *b = feature(w, PD_FEAT_COMPRESSED);
	uint64_t size = st->started ? st->out.written - st->data_offset : 0;

	blob_u32(b, 0);
	blob_u32(b, PD_COMPRESSED_ZSTD);
	blob_u32(b, (uint32_t)st->level);
	blob_u32(b, size ? (uint32_t)((st->data_bytes + size / 2) / size) : 0);
	blob_u32(b, PD_COMP_CHUNK);
}

void pw_copy_env(struct perf_writer *w, const struct perfdata *pd)
{
	/* Sections in which nothing refers to the events or to the other sections. */
	static const enum pd_feature plain[] = {
		PD_FEAT_HOSTNAME, PD_FEAT_OSRELEASE, PD_FEAT_VERSION, PD_FEAT_ARCH, PD_FEAT_NRCPUS,
		PD_FEAT_CPUDESC, PD_FEAT_CPUID, PD_FEAT_TOTAL_MEM, PD_FEAT_CMDLINE,
		PD_FEAT_PMU_MAPPINGS, PD_FEAT_CLOCKID, PD_FEAT_CLOCK_DATA,
	};
	const struct pd_env *env = perfdata_env(pd);
	size_t i;

	if (perfdata_is_swapped(pd)) {
		if (env->hostname)
			pw_set_string(w, PD_FEAT_HOSTNAME, env->hostname);
		if (env->osrelease)
			pw_set_string(w, PD_FEAT_OSRELEASE, env->osrelease);
		if (env->version)
			pw_set_string(w, PD_FEAT_VERSION, env->version);
		if (env->arch)
			pw_set_string(w, PD_FEAT_ARCH, env->arch);
		if (env->nrcpus_avail)
			pw_set_nrcpus(w, env->nrcpus_avail, env->nrcpus_online);
		if (env->nr_cmdline)
			pw_set_cmdline(w, env->cmdline, env->nr_cmdline);
		return;
	}
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		const struct pd_feature_bytes *f = &env->raw[plain[i]];

		if (f->ptr && !f->damaged &&
		    f->len <= PD_MAX_RECORD - sizeof(struct perf_record_header_feature))
			pw_set_raw(w, plain[i], f->ptr, f->len);
	}
}

/* ---- pipe form ---- */

void pw_pipe_feature(struct perf_writer *w, unsigned int bit)
{
	const struct pw_blob *b = &w->st->feat[bit];
	struct perf_record_header_feature rec;
	size_t padded = (b->len + 7) & ~(size_t)7;

	/* Build-ids have records of their own, and long sections do not fit into one. */
	if (bit == PD_FEAT_BUILD_ID || padded > PD_MAX_RECORD - sizeof(rec))
		return;
	pw_compression_end(w);
	memset(&rec, 0, sizeof(rec));
	rec.header.type = PERF_RECORD_HEADER_FEATURE;
	rec.header.size = (uint16_t)(sizeof(rec) + padded);
	rec.feat_id = bit;
	pw_write(w, &rec, sizeof(rec));
	pw_write(w, b->data, b->len);
	pw_write(w, (const uint8_t[8]){ 0 }, padded - b->len);
}

static void pipe_attr(struct perf_writer *w, const struct pw_attr *a)
{
	struct perf_event_header h = { .type = PERF_RECORD_HEADER_ATTR };
	struct perf_record_event_update up;
	size_t fixed = offsetof(struct perf_record_event_update, name);
	size_t len = strlen(a->name) + 1, padded = (len + 7) & ~(size_t)7;

	h.size = (uint16_t)(sizeof(h) + PD_ATTR_SIZE_OUT + a->nr_ids * 8);
	pw_write(w, &h, sizeof(h));
	pw_write(w, &a->attr, PD_ATTR_SIZE_OUT);
	pw_write(w, a->ids, a->nr_ids * 8);
	if (!a->nr_ids || fixed + padded > PD_MAX_RECORD)
		return;
	memset(&up, 0, sizeof(up));
	up.header.type = PERF_RECORD_EVENT_UPDATE;
	up.header.size = (uint16_t)(fixed + padded);
	up.type = PERF_EVENT_UPDATE__NAME;
	up.id = a->ids[0];
	pw_write(w, &up, fixed);
	pw_write(w, a->name, len);
	pw_write(w, (const uint8_t[8]){ 0 }, padded - len);
}

static void pipe_start(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	uint64_t header[2] = { PD_MAGIC, PD_PIPE_HEADER_SIZE };
	unsigned int i;

	pw_write(w, header, sizeof(header));
	for (i = 0; i < st->nr_attrs; i++)
		pipe_attr(w, &st->attrs[i]);
	for (i = 0; i < PD_FEATURE_BITS; i++)
		if (st->feat[i].set)
			pw_pipe_feature(w, i);
	pw_write(w, st->feat[PD_FEAT_BUILD_ID].data, st->feat[PD_FEAT_BUILD_ID].len);
}

/* ---- file form ---- */

static void make_event_desc(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	struct pw_blob *b = feature(w, PD_FEAT_EVENT_DESC);
	unsigned int i;

	blob_u32(b, st->nr_attrs);
	blob_u32(b, PD_ATTR_SIZE_OUT);
	for (i = 0; i < st->nr_attrs; i++) {
		const struct pw_attr *a = &st->attrs[i];

		blob_put(b, &a->attr, PD_ATTR_SIZE_OUT);
		blob_u32(b, a->nr_ids);
		blob_str(b, a->name);
		blob_put(b, a->ids, a->nr_ids * 8);
	}
}

/* The parts of the header that do not depend on the data. */
static void fill_header(const struct pw_state *st, struct pd_file_header *h)
{
	unsigned int i;

	memset(h, 0, sizeof(*h));
	h->magic = PD_MAGIC;
	h->size = PD_FILE_HEADER_SIZE;
	h->attr_size = PD_ATTR_SIZE_OUT + sizeof(struct pd_section);
	h->attrs.offset = PD_FILE_HEADER_SIZE;
	for (i = 0; i < st->nr_attrs; i++)
		h->attrs.offset += st->attrs[i].nr_ids * 8ULL;
	h->attrs.size = st->nr_attrs * h->attr_size;
	h->data.offset = h->attrs.offset + h->attrs.size;
}

static void file_start(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	struct pd_file_header h;
	struct pd_section ids = { PD_FILE_HEADER_SIZE, 0 };
	unsigned int i;

	fill_header(st, &h);
	st->data_offset = h.data.offset;
	pw_write(w, &h, sizeof(h));
	for (i = 0; i < st->nr_attrs; i++)
		pw_write(w, st->attrs[i].ids, st->attrs[i].nr_ids * 8ULL);
	for (i = 0; i < st->nr_attrs; i++) {
		ids.size = st->attrs[i].nr_ids * 8ULL;
		pw_write(w, &st->attrs[i].attr, PD_ATTR_SIZE_OUT);
		pw_write(w, &ids, sizeof(ids));
		ids.offset += ids.size;
	}
}

void pw_header_start(struct perf_writer *w)
{
	if (w->st->out.stream)
		pipe_start(w);
	else
		file_start(w);
	pw_flush(w);
	w->st->data_bytes = 0;
}

void pw_header_finish(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	struct pd_file_header h;
	struct pd_section sec = { 0, 0 };
	unsigned int i, nr = 0;

	if (st->out.stream)
		return;
	if (st->level)
		pw_compression_feature(w);
	make_event_desc(w);
	fill_header(st, &h);
	h.data.size = st->out.written - st->data_offset;
	for (i = 0; i < PD_FEATURE_BITS; i++)
		nr += st->feat[i].set;
	sec.offset = h.data.offset + h.data.size + nr * sizeof(sec);
	for (i = 0; i < PD_FEATURE_BITS; i++) {
		if (!st->feat[i].set)
			continue;
		h.features[i / 64] |= 1ULL << (i % 64);
		sec.size = st->feat[i].len;
		pw_write(w, &sec, sizeof(sec));
		sec.offset += sec.size;
	}
	for (i = 0; i < PD_FEATURE_BITS; i++)
		if (st->feat[i].set)
			pw_write(w, st->feat[i].data, st->feat[i].len);
	pw_flush(w);
	pd_output_patch(&st->out, 0, &h, sizeof(h));
}
