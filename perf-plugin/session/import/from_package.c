/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * from_package.c - converts a trace package to records. A package made of perf.data gives the records of that file. The
 * log of another package has processes and code only; records for metadata, buffers and the state before the first event
 * precede it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include <cstrace/files/package.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/messages.h"
#include "base/name.h"
#include "base/wide.h"
#include "perfdata/auxinfo.h"
#include "session/import/auxdata.h"
#include "session/import/bundle.h"
#include "session/import/events.h"
#include "session/import/folder.h"
#include "session/import/header.h"
#include "session/import/import.h"
#include "session/import/metadata.h"
#include "session/import/names.h"
#include "session/import/segments.h"

#define NS_PER_SECOND	1000000000ull
#define MAX_MESSAGES	10
/* Without a time of its own a buffer counts as written long after the last event. */
#define AUX_DELAY	1000000000000ull
#define CLOCK_SHIFT	20
#define EVENT_LINE	(1u << 24)

struct importer {
	const char *dir;
	bool own;
	struct perf_writer *w;
	struct dso_bundle *bundle;	/* NULL: not needed */
	struct drops *drops;
	struct error *err;
	struct folder files;
	struct cst_snap_io io;
	struct cst_package *pkg;
	struct perfdata *header;
	struct pd_attr attr;
	struct auxinfo info;
	struct source_names sources;
	struct {
		struct record_maker maker;
		struct segments segments;
		struct aux_index index;
		struct auxdata_out aux;
	} make;
	struct {
		struct names codes, buffers;
		bool *buffer_used;		/* an x_auxtrace() event is about it */
	} named;
	bool info_written;
	struct {
		uint64_t bad_lines, bad_aux;
	} bad;
	uint64_t last_time;
};

static void emit(void *data, const void *record, size_t size)
{
	struct importer *im = data;

	pw_write(im->w, record, size);
}

static bool find_code(void *data, struct cst_str id, const uint8_t **code, size_t *len)
{
	struct importer *im = data;
	long n = names_find(&im->named.codes, id);

	return n >= 0 && !folder_open(&im->files, im->pkg->code[n].file, code, len);
}

static bool find_segment(void *data, const struct cst_event *ev, unsigned int nth, uint64_t *start,
			 uint64_t *size, uint64_t *offset)
{
	struct importer *im = data;

	return segments_get(&im->make.segments, im->pkg, &im->files, ev, nth, start, size, offset);
}

/* ---- what stands before the records ------------------------------------------------------------ */

static int open_header(struct importer *im)
{
	const struct cst_item *item = cst_doc_item(cst_doc_section(im->pkg->contents, "perf"), "header");
	struct pd_record rec;
	const uint8_t *data;
	size_t len;
	int rc;

	if (!item)
		return 0;
	if (folder_open(&im->files, item->value, &data, &len))
		return error_set(im->err, ERR_IO, "%s: contents.ini: [perf] header: '%s' cannot be read: %s", im->dir,
				 item->value, folder_why(&im->files));
	im->header = perfdata_open_memory(data, len, item->value, im->err);
	if (!im->header)
		return im->err->code;
	while ((rc = perfdata_next(im->header, &rec)))
		;
	if (!perfdata_nr_attrs(im->header))
		return error_set(im->err, ERR_FORMAT, "%s: %s: no event in it", im->dir, item->value);
	return 0;
}

/* One more than the highest number that a source has, or can be given. */
static uint32_t nr_cpus(const struct importer *im)
{
	uint32_t n = 1, cpu;
	size_t i, k;

	for (i = 0; i < im->pkg->n_metadata; i++)
		for (k = 0; k < im->pkg->metadata[i]->n_sources; k++) {
			cpu = im->pkg->metadata[i]->sources[k].cpu >= 0 ?
			      (uint32_t)im->pkg->metadata[i]->sources[k].cpu + 1 : n + 1;
			n = cpu > n ? cpu : n;
		}
	return n;
}

static bool has_module_places(const struct perfdata *pd)
{
	const struct pd_feature_bytes *raw = perfdata_env(pd)->raw;

	return raw[PD_FEAT_SP_FILE].ptr || raw[PD_FEAT_SP_FILE2].ptr;
}

static int start_output(struct importer *im)
{
	int rc;

	if (im->header) {
		rc = header_copy(im->w, im->header, im->own, im->err);
		if (!im->own && has_module_places(im->header))
			drops_add(im->drops, 1, "where the kernel's modules were, which is in a section that perf does not "
				  "know: give the kernel's symbols with --kallsyms");
	} else {
		rc = header_default(im->w, &im->attr, true, nr_cpus(im), im->err);
	}
	return rc ? rc : pw_start(im->w, im->err);
}

static bool in_ticks(const struct importer *im)
{
	return im->pkg->event_log && im->pkg->event_frequency != NS_PER_SECOND;
}

static uint64_t to_ns(const struct importer *im, uint64_t time)
{
	if (time == CST_EVENT_NO_TIME)
		return 0;
	if (!in_ticks(im))
		return time;
	return wide_mul_div(time, NS_PER_SECOND, im->pkg->event_frequency);
}

static int write_info(struct importer *im, const struct cst_event *ev)
{
	struct cst_str whole = ev ? cst_event_param(ev, "perf") : (struct cst_str){ NULL, 0 };
	int64_t version = 1, pmu = HEADER_PMU, snapshot = 0;
	int rc;

	im->info_written = true;
	if (whole.p) {
		records_of_event(&im->make.maker, ev, 0);
		return 0;
	}
	if (ev) {
		cst_event_number(ev, "version", &version);
		cst_event_number(ev, "pmu_type", &pmu);
		cst_event_number(ev, "snapshot", &snapshot);
	}
	if (!im->info.nr_cpu) {
		rc = metadata_read(&im->info, &im->sources, im->pkg, in_ticks(im), im->dir, im->err);
		if (rc)
			return rc;
	}
	im->info.pmu_type = (uint32_t)pmu;
	im->info.snapshot = snapshot != 0;
	return metadata_put(&im->info, (uint32_t)version, im->w, im->dir, im->err);
}

/* Times in ticks are those of the trace: their conversion is known. */
static void write_clock(struct importer *im)
{
	struct perf_record_time_conv tc = {
		.header = { .type = PERF_RECORD_TIME_CONV, .size = sizeof(tc) },
		.time_shift = CLOCK_SHIFT, .cap_user_time_zero = 1,
	};

	if (!in_ticks(im))
		return;
	tc.time_mult = (NS_PER_SECOND << CLOCK_SHIFT) / im->pkg->event_frequency;
	if (!tc.time_mult)
		tc.time_mult = 1;
	pw_write(im->w, &tc, sizeof(tc));
}

/* Memory contents are maps of their files, there from the start of a process. */
static int write_memory(struct importer *im, const int64_t *pid, uint64_t time)
{
	size_t i;

	for (i = 0; i < im->pkg->n_memory; i++) {
		const struct cst_package_memory *m = &im->pkg->memory[i];
		struct cst_event ev = { .verb = CST_EVENT_LIBRARY, .state = CST_STATE_CURRENT, .has_base = 1,
					.has_size = 1, .base = m->address, .offset = m->offset,
					.size = m->length, .pid = m->pid, .time = CST_EVENT_NO_TIME };
		const uint8_t *data;
		size_t len;
		char *path;

		if (pid && *pid != m->pid)
			continue;
		if (folder_open(&im->files, m->file, &data, &len) || len <= m->offset) {
			if (!pid)
				drops_add(im->drops, 1, "memory contents %s, which cannot be read%s", m->file, folder_refused(&im->files));
			continue;
		}
		if (!ev.size || ev.size > len - m->offset)
			ev.size = len - m->offset;
		path = folder_path(&im->files, m->file);
		if (!path)
			return error_set(im->err, ERR_IO, "%s: %s: %s", im->dir, m->file,
					 strerror(errno));
		ev.name = (struct cst_str){ path, strlen(path) };
		records_of_event(&im->make.maker, &ev, time);
		if (!pid && im->bundle)
			dso_places_add(&im->bundle->images, path, path);
		free(path);
	}
	return 0;
}

/* ---- AUX data ---------------------------------------------------------------------------------- */

static struct auxdata data_of(struct importer *im, const struct cst_package_buffer *b)
{
	return (struct auxdata){ &im->files, b->files, b->n_files };
}

static void on_auxtrace(struct importer *im, const struct cst_event *ev)
{
	struct cst_str id = cst_event_param(ev, "buffer");
	struct perf_record_auxtrace rec = { .cpu = (uint32_t)-1 };
	struct auxdata d;
	uint64_t at, size, offset = 0, reference = 0, idx = 0, have;
	int64_t tid = -1, cpu = -1;
	long i = names_find(&im->named.buffers, id);

	if (i < 0 || !event_unsigned(ev, "at", &at) || !event_unsigned(ev, "size", &size)) {
		im->bad.bad_aux++;
		return;
	}
	im->named.buffer_used[i] = true;
	d = data_of(im, &im->pkg->buffers[i]);
	have = auxdata_size(&d, NULL);
	if (at > have || size > have - at) {
		im->bad.bad_aux++;
		size = at > have ? 0 : have - at;
	}
	event_unsigned(ev, "offset", &offset);
	event_unsigned(ev, "reference", &reference);
	event_unsigned(ev, "idx", &idx);
	cst_event_number(ev, "tid", &tid);
	cst_event_number(ev, "cpu", &cpu);
	rec.offset = offset;
	rec.reference = reference;
	rec.idx = (uint32_t)idx;
	rec.tid = (uint32_t)tid;
	rec.cpu = (uint32_t)cpu;
	auxdata_taken(&im->make.aux, (int)cpu, offset, size);
	auxdata_write(&d, at, size, &rec, im->w, &im->make.index);
}

/* The CPU of an unformatted buffer, or one of those that write into a buffer. */
static int cpu_of_buffer(const struct importer *im, const struct cst_package_buffer *b)
{
	const struct cst_item *item = cst_meta_buffer(b->metadata, b->id, "cpu");
	const struct cst_meta_source *src;
	const struct source_name *n;
	uint64_t v;

	if (item && !cst_item_number(item, &v) && v <= INT32_MAX)
		return (int)v;
	item = cst_meta_buffer(b->metadata, b->id, "source");
	if (item) {
		n = source_by_name(&im->sources, (struct cst_str){ item->value, item->value_len });
		if (n)
			return n->cpu;
	}
	src = b->metadata->n_sources ? &b->metadata->sources[0] : NULL;
	if (src && src->cpu >= 0)
		return src->cpu;
	if (src) {
		n = source_by_name(&im->sources, (struct cst_str){ src->source, strlen(src->source) });
		if (n)
			return n->cpu;
	}
	return im->info.nr_cpu ? (int)im->info.cpu[0].cpu : 0;
}

/* A buffer that no event is about: one stretch of trace. */
static void write_buffer(struct importer *im, size_t i)
{
	const struct cst_package_buffer *b = &im->pkg->buffers[i];
	struct auxdata d = data_of(im, b);
	size_t missing;

	if (b->format == CST_META_FMT_OTHER) {
		drops_add(im->drops, 1, "%s, whose format is neither coresight nor source_data", b->id);
		return;
	}
	auxdata_size(&d, &missing);
	im->bad.bad_aux += missing;
	auxdata_write_all(&im->make.aux, &d, (uint32_t)i, cpu_of_buffer(im, b),
			  b->format == CST_META_FMT_SOURCE_DATA, im->last_time + AUX_DELAY);
}

/* ---- the log ----------------------------------------------------------------------------------- */

static bool is_named(const struct cst_event *ev, const char *name)
{
	return ev->verb == CST_EVENT_OTHER && cst_str_is(ev->name, name);
}

static int on_event(struct importer *im, const struct cst_event *ev)
{
	uint64_t time = to_ns(im, ev->time), implied;

	if (time > im->last_time)
		im->last_time = time;
	/* an event implied by others makes no record */
	if (event_unsigned(ev, "implied", &implied) && implied)
		return 0;
	if (is_named(ev, "x_auxtrace_info"))
		return write_info(im, ev);
	if (is_named(ev, "x_auxtrace")) {
		on_auxtrace(im, ev);
		return 0;
	}
	records_of_event(&im->make.maker, ev, time);
	/* what was mapped before is gone */
	if (ev->verb == CST_EVENT_PROCESS && ev->state == CST_STATE_START)
		return write_memory(im, &ev->pid, time);
	return 0;
}

static void bad_line(struct importer *im, const struct cst_problem *why)
{
	if (im->bad.bad_lines++ < MAX_MESSAGES)
		fprintf(message_stream(), "%s: %s/%s:%u: %s; the event is left out\n", im->drops->who ? im->drops->who : "cstrace convert", name_shown(im->dir),
			name_shown(im->pkg->event_log), why->line, name_shown(why->text));
}

static int write_events(struct importer *im)
{
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev = { 0 };
	const uint8_t *text;
	size_t len;
	int rc;

	if (folder_open(&im->files, im->pkg->event_log, &text, &len))
		return error_set(im->err, ERR_IO, "%s: %s: the event log cannot be read: %s", im->dir,
				 im->pkg->event_log, folder_why(&im->files));
	if (cst_event_reader_new(&r, text, len, EVENT_LINE))
		mem_refused(0);
	while ((rc = mem_code(cst_event_next(r, &ev, &why))))
		if (rc < 0)
			bad_line(im, &why);
		else if ((rc = on_event(im, &ev)))
			break;
	cst_event_reader_free(r);
	return rc;
}

/* An entity that is older than the log. */
static int write_earlier(void *ctx, const struct cst_event *ev, int implied)
{
	struct importer *im = ctx;

	(void)implied;
	records_of_event(&im->make.maker, ev, 0);
	return 0;
}

/*
 * What the log shows to have been there before its first event: a log may give the state at its end only.
 * It is read backwards for that.
 */
static void write_state_before(struct importer *im)
{
	struct cst_event_reader *r = NULL;
	struct cst_state_counts counts = { 0 };
	struct cst_state *st = NULL;
	const uint8_t *text;
	size_t len;
	int rc;

	if (!im->pkg->event_log || folder_open(&im->files, im->pkg->event_log, &text, &len))
		return;	/* reported when it is read forwards */
	rc = cst_state_new(&st, NULL);
	if (!rc)
		rc = cst_event_reader_new(&r, text, len, EVENT_LINE);
	errno = 0;
	if (!rc)
		rc = cst_state_before(st, r, NULL);
	if (rc)
		mem_check(errno);
	if (!rc || rc == -CST_ERR_LIMIT)	/* the counts say how much is left out */
		rc = cst_state_list(st, CST_STATE_CURRENT, CST_EVENT_NO_TIME, write_earlier, im);
	if (!rc) {
		cst_state_counts(st, &counts);
		if (counts.dropped)
			drops_add(im->drops, counts.dropped, "%llu events that need more memory than is allowed",
				  (unsigned long long)counts.dropped);
	}
	cst_event_reader_free(r);
	cst_state_free(st);
	if (rc)
		mem_refused(0);
}

static int write_implied(struct importer *im)
{
	int rc;

	/* Without the log of a recorder nothing says this. perf takes the clock when it reads AUXTRACE_INFO. */
	write_clock(im);
	rc = write_info(im, NULL);
	if (!rc)
		write_state_before(im);
	return rc ? rc : write_memory(im, NULL, 0);
}

static int write_records(struct importer *im)
{
	size_t i;
	int rc = 0;

	/* names of sources; whether they can be decoded is asked where it matters */
	if (metadata_read(&im->info, &im->sources, im->pkg, in_ticks(im), im->dir, im->err)) {
		if (!im->header)
			return im->err->code;
		auxinfo_free(&im->info);
		im->err->code = 0;
	}
	if (!im->header)
		rc = write_implied(im);
	if (!rc && im->pkg->event_log)
		rc = write_events(im);
	if (!rc && !im->info_written)
		rc = write_info(im, NULL);
	for (i = 0; !rc && i < im->pkg->n_buffers; i++)
		if (!im->named.buffer_used[i])
			write_buffer(im, i);
	return rc;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void report_drops(struct importer *im)
{
	static const char *const what[DROP__COUNT] = {
		[DROP_UNMAP] = "%llu ends of libraries: perf.data has no record for them",
		[DROP_ASID] = "%llu declare_asid events: perf.data has no record for them",
		[DROP_TRACE] = "%llu define_trace events with registers, or of an end: perf.data keeps the IDs only",
		[DROP_CODE] = "%llu patches of code, of processes or without bytes: perf.data has no record for them",
		[DROP_SIZE] = "%llu images whose size neither the event nor a file of the package tells",
		[DROP_BAD] = "%llu events with values that no record can hold",
	};
	unsigned int i;

	for (i = 0; i < DROP__COUNT; i++)
		if (im->make.maker.drops[i]) {
			char text[200];

			snprintf(text, sizeof(text), what[i],
				 (unsigned long long)im->make.maker.drops[i]);
			drops_add(im->drops, im->make.maker.drops[i], "%s", text);
		}
	if (im->bad.bad_lines)
		drops_add(im->drops, im->bad.bad_lines,
			  "%llu lines of the event log that are no events",
			  (unsigned long long)im->bad.bad_lines);
	if (im->bad.bad_aux)
		drops_add(im->drops, im->bad.bad_aux,
			  "%llu stretches of trace that no buffer holds, or not "
			  "completely",
			  (unsigned long long)im->bad.bad_aux);
	if (im->pkg->n_skipped)
		im->drops->count += im->pkg->n_skipped;
}

static int package_import(struct importer *im)
{
	int rc;

	errno = 0;
	rc = cst_package_read(&im->pkg, &im->io, NULL);
	if (rc) {
		mem_check(errno);	/* it is CST_ERR_LIMIT, too */
		return error_set(im->err, ERR_FORMAT, "%s: the package cannot be used: %s", im->dir, error_text(rc));
	}
	im->named.buffer_used = mem_zeroed(im->pkg->n_buffers + 1, sizeof(*im->named.buffer_used));
	names_make(&im->named.codes, im->pkg->n_code ? &im->pkg->code->id : NULL, im->pkg->n_code,
		   sizeof(*im->pkg->code));
	names_make(&im->named.buffers, im->pkg->n_buffers ? &im->pkg->buffers->id : NULL,
		   im->pkg->n_buffers, sizeof(*im->pkg->buffers));
	segments_init(&im->make.segments, im->pkg);
	rc = open_header(im);
	if (!rc)
		rc = start_output(im);
	im->make.maker = (struct record_maker){ .header = im->header, .attr = &im->attr,
						.sources = &im->sources, .own = im->own,
						.emit = emit, .data = im, .code = find_code,
						.segment = find_segment };
	im->make.aux = (struct auxdata_out){ .maker = &im->make.maker, .w = im->w,
					     .index = &im->make.index };
	if (!rc)
		rc = write_records(im);
	if (rc)
		return rc;
	bundle_fill(im->bundle, im->pkg, &im->files, im->drops);
	aux_index_finish(&im->make.index, im->w);
	report_drops(im);
	return 0;
}

int import_package(const char *dir, bool own, struct perf_writer *w, struct dso_bundle *bundle,
		   struct drops *drops, struct error *err)
{
	struct importer *im = mem_new(sizeof(*im));
	int rc;

	err->code = 0;
	*im = (struct importer){ .dir = dir, .own = own, .w = w, .bundle = bundle, .drops = drops,
				 .err = err };
	im->files = (struct folder){ .dir = dir, .who = "cstrace", .package = true };
	im->io = (struct cst_snap_io){ .ctx = &im->files, .open = folder_open, .note = folder_note };
	rc = package_import(im);
	mem_code(rc);
	free(im->make.index.v);
	auxdata_out_free(&im->make.aux);
	perfdata_close(im->header);
	cst_package_free(im->pkg);
	segments_free(&im->make.segments);
	folder_free(&im->files);
	auxinfo_free(&im->info);
	free(im->sources.v);
	free(im->named.buffer_used);
	names_free(&im->named.codes);
	names_free(&im->named.buffers);
	free(im);
	return rc;
}
