/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * to_package.c - perf.data to a trace package: every record becomes an event of the log, AUX data a file
 * per buffer, registers trace.ini, events and features a perf.data without records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstrace/files/package.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/mapped.h"
#include "base/files/outdir.h"
#include "outputs/export/event_of.h"
#include "outputs/export/export.h"
#include "outputs/export/images.h"
#include "session/import/header.h"
#include "session/import/metadata.h"

#define LOG_NAME	"system-event-log"
#define RAW_LOG_NAME	"system-event-log.raw"
#define HEADER_NAME	"perf.header"
#define METADATA_NAME	"trace.ini"
#define AUX_FLAG_RAW	0x100u
#define LOG_BUFFER	(1u << 18)
#define DROP_STEP	(8u << 20)	/* bytes of the log that is read in memory */
#define MAX_MESSAGES	10
#define MAX_BUFFERS	4096	/* readers take no more */

struct pd_text {
	char *p;
	size_t len;
};

/* AUX data that belongs together: a file of the package. */
struct pkg_buffer {
	uint32_t idx;
	int32_t cpu, tid;
	char id[24], file[32];
	uint64_t size;
	bool raw;
};

struct exporter {
	struct perfdata *pd;
	const struct export_package_opts *o;
	struct drops *drops;
	struct error *err;
	struct outdir out;
	struct auxinfo info;
	bool have_info;
	bool windows;	/* samples carry trace */
	struct source_names sources;
	struct pkg_buffer *bufs;
	size_t nr_bufs, cap_bufs;
	struct {
		int *raw_cpus;		/* CPUs, or -1 - thread, that wrote raw data */
		size_t nr_raw, cap_raw;
		uint64_t aux_raw, aux_framed;
	} raw;
	uint64_t errors;
	struct event_build build;
	const char *log_name;
	int log_fd;
	char *line;
	size_t line_cap, line_used;
};

/* ---- first pass -------------------------------------------------------------------------------- */

static void note_aux(struct exporter *x, const struct pd_record *rec)
{
	bool raw = rec->ev->aux.flags & AUX_FLAG_RAW;

	x->raw.aux_raw += raw;
	x->raw.aux_framed += !raw;
	if (!raw || !(rec->sid.valid & PERF_SAMPLE_CPU))
		return;
	/* few: as many as there are switches between CPUs or threads at most */
	if (x->raw.nr_raw && x->raw.raw_cpus[x->raw.nr_raw - 1] == (int)rec->sid.cpu)
		return;
	*ARRAY_ADD(x->raw.raw_cpus, x->raw.nr_raw, x->raw.cap_raw) = (int)rec->sid.cpu;
}

static struct pkg_buffer *buffer_of(struct exporter *x, const struct pd_auxtrace *a)
{
	struct pkg_buffer *b;
	size_t i;

	for (i = x->nr_bufs; i-- > 0;) {
		b = &x->bufs[i];
		if (b->idx == a->idx && b->cpu == a->cpu && b->tid == a->tid)
			return b;
	}
	b = ARRAY_ADD(x->bufs, x->nr_bufs, x->cap_bufs);
	*b = (struct pkg_buffer){ .idx = a->idx, .cpu = a->cpu, .tid = a->tid };
	snprintf(b->id, sizeof(b->id), "buffer%zu", x->nr_bufs - 1);
	snprintf(b->file, sizeof(b->file), "%s.data", b->id);
	return b;
}

static void report(struct exporter *x)
{
	const struct error *e = perfdata_error(x->pd);

	if (x->errors++ < MAX_MESSAGES)
		fprintf(stderr, "cstrace convert: %s\n", e->msg);
}

static int index_record(struct exporter *x, const struct pd_record *rec)
{
	switch (rec->ev->header.type) {
	case PERF_RECORD_AUXTRACE_INFO:
		if (x->have_info)
			return 0;
		x->have_info = true;
		return auxinfo_parse(&x->info, &rec->ev->auxtrace_info, rec->ev->header.size,
				     perfdata_name(x->pd), rec->offset, x->err);
	case PERF_RECORD_AUXTRACE:
		buffer_of(x, &rec->aux);
		if (x->nr_bufs > MAX_BUFFERS)
			return error_set(x->err, ERR_USAGE, "%s: more than %u AUX buffers, and a "
					 "package has no room for more", perfdata_name(x->pd), MAX_BUFFERS);
		return 0;
	case PERF_RECORD_AUX:
		note_aux(x, rec);
		return 0;
	case PERF_RECORD_SAMPLE:
		x->windows |= rec->window.size != 0;
		return 0;
	}
	return 0;
}

static int index_records(struct exporter *x)
{
	struct pd_record rec;
	int rc;

	perfdata_rewind(x->pd);
	while ((rc = perfdata_next(x->pd, &rec))) {
		if (rc < 0)
			report(x);
		else if ((rc = index_record(x, &rec)))
			return rc;
	}
	if (!x->have_info)
		return error_set(x->err, ERR_AUXINFO, "%s: no CoreSight trace in this file (no AUXTRACE_INFO "
				 "record)", perfdata_name(x->pd));
	/* A package names its buffers (metadata requirements, contents.ini, [trace]): one without is none. */
	if (!x->nr_bufs && x->windows)
		return error_set(
			x->err, ERR_USAGE,
			"%s: has its trace in samples (AUX windows), expected AUXTRACE "
			"records: a package has no place for windows; record without --aux-sample, "
			"or convert to a snapshot",
			perfdata_name(x->pd));
	if (!x->nr_bufs)
		return error_set(x->err, ERR_USAGE, "%s: holds no AUX data (no AUXTRACE record), so there is no "
				 "trace to put into a package; the traced program may not have run on a CPU with trace",
				 perfdata_name(x->pd));
	return 0;
}

/* ---- files beside the log ---------------------------------------------------------------------- */

static int write_header(struct exporter *x)
{
	struct perf_event_header round = { .type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(round) };
	char *path = outdir_path(&x->out, HEADER_NAME, x->err);
	struct perf_writer *w;
	int rc;

	if (!path)
		return x->err->code;
	w = pw_open(path, x->err);
	free(path);
	if (!w)
		return x->err->code;
	rc = header_copy(w, x->pd, true, x->err);
	if (!rc)
		rc = pw_start(w, x->err);
	if (rc) {
		pw_abort(w);
		return rc;
	}
	/* a file without data would count as one whose recorder was interrupted */
	pw_write(w, &round, sizeof(round));
	return pw_finish(w, x->err);
}

static int append_text(void *ctx, const void *data, size_t len)
{
	struct pd_text *t = ctx;

	t->p = mem_more(t->p, t->len + len + 1, 1);
	memcpy(t->p + t->len, data, len);
	t->len += len;
	return 0;
}

static int doc_text(struct exporter *x, const struct cst_doc *doc, struct pd_text *t)
{
	const struct cst_sink sink = { .ctx = t, .write = append_text };
	int err;

	memset(t, 0, sizeof(*t));
	err = cst_doc_write(doc, &sink);
	if (!err)
		return 0;
	free(t->p);
	t->p = NULL;
	mem_code(err);
	return error_set(x->err, ERR_USAGE, "%s: its description cannot be written as INI text", x->o->output);
}

static bool is_raw(const struct exporter *x, const struct pkg_buffer *b)
{
	size_t i;

	if (!x->raw.aux_raw || !x->raw.aux_framed)
		return x->raw.aux_raw != 0;
	for (i = 0; i < x->raw.nr_raw; i++)
		if (x->raw.raw_cpus[i] == b->cpu)
			return true;
	return false;
}

static void describe_buffers(struct exporter *x, struct cst_doc *doc)
{
	size_t i;

	for (i = 0; i < x->nr_bufs; i++) {
		struct pkg_buffer *b = &x->bufs[i];

		b->raw = is_raw(x, b);
		if (cst_doc_set(doc, b->id, "format", b->raw ? "source_data" : "coresight") ||
		    (b->cpu >= 0 && cst_doc_set_number(doc, b->id, "cpu", (uint64_t)b->cpu, 0)))
			mem_refused(0);
	}
}

/* True if parsing the text results in the same record. */
static bool gives_back(const struct exporter *x, const struct pd_text *t, const struct pd_record *rec)
{
	struct cst_package pkg = { .n_metadata = 1 };
	struct source_names names = { .nr = 0 };
	struct cst_metadata *md = NULL;
	struct auxinfo info = { .nr_cpu = 0 };
	struct cst_problem why;
	struct error err;
	bool equal = false;
	uint8_t *made = mem_new(PD_MAX_RECORD + 1);
	size_t n;

	if (!mem_code(cst_metadata_read(&md, t->p, t->len, &why))) {
		pkg.metadata = &md;
		if (!metadata_read(&info, &names, &pkg, false, "", &err)) {
			info.pmu_type = x->info.pmu_type;
			info.snapshot = x->info.snapshot;
			n = metadata_record(&info, x->info.version, made, PD_MAX_RECORD);
			equal = n == rec->ev->header.size && !memcmp(made, rec->ev, n);
		}
	}
	auxinfo_free(&info);
	free(names.v);
	free(made);
	cst_metadata_free(md);
	return equal;
}

/* trace.ini, kept in *t until the log is written. */
static int write_metadata(struct exporter *x, struct pd_text *t)
{
	struct cst_doc *doc;
	int rc;

	if (cst_doc_new(&doc, 0))
		mem_refused(0);
	describe_buffers(x, doc);
	if (metadata_write(doc, &x->sources, &x->info))
		mem_refused(0);
	rc = doc_text(x, doc, t);
	cst_doc_free(doc);
	return rc ? rc : outdir_file(&x->out, METADATA_NAME, t->p, t->len, x->err);
}

static int write_contents(struct exporter *x, const struct cst_doc *images)
{
	struct pd_text t;
	struct cst_doc *doc;
	size_t i, k;
	int rc = 0;

	if (cst_doc_new(&doc, 0))
		mem_refused(0);
	if (cst_doc_set(doc, "trace", "metadata", METADATA_NAME))
		rc = -1;
	for (i = 0; !rc && i < x->nr_bufs; i++)
		rc = cst_doc_set(doc, "trace", x->bufs[i].id, x->bufs[i].file);
	if (!rc)
		rc = cst_doc_set(doc, "trace", "event_log", LOG_NAME) ||
		     cst_doc_set(doc, "trace", "event_time", "ns") ||
		     cst_doc_set(doc, "perf", "header", HEADER_NAME);
	for (i = 0; !rc && images && i < images->n_sections; i++)
		for (k = 0; !rc && k < images->sections[i].n_items; k++)
			rc = cst_doc_set(doc, images->sections[i].name, images->sections[i].items[k].key,
					 images->sections[i].items[k].value);
	if (rc)
		mem_refused(0);
	rc = doc_text(x, doc, &t);
	if (!rc) {
		rc = outdir_file(&x->out, "contents.ini", t.p, t.len, x->err);
		free(t.p);
	}
	cst_doc_free(doc);
	return rc;
}

/* ---- the log ----------------------------------------------------------------------------------- */

static int flush_log(struct exporter *x)
{
	int rc = outdir_write(&x->out, x->log_fd, x->log_name, x->line, x->line_used, x->err);

	x->line_used = 0;
	return rc;
}

static int log_text(struct exporter *x, const char *text, size_t len)
{
	int rc = 0;

	if (len > x->line_cap - x->line_used)
		rc = flush_log(x);
	if (!rc && len > x->line_cap)
		return outdir_write(&x->out, x->log_fd, x->log_name, text, len, x->err);
	if (!rc) {
		memcpy(x->line + x->line_used, text, len);
		x->line_used += len;
	}
	return rc;
}

static int log_event(struct exporter *x, const struct cst_event *ev)
{
	int64_t n = cst_event_write(ev, x->line + x->line_used, x->line_cap - x->line_used);
	int rc = 0;

	if (n > (int64_t)(x->line_cap - x->line_used)) {
		rc = flush_log(x);
		if (!rc && n > (int64_t)x->line_cap) {
			x->line = mem_more(x->line, (size_t)n, 1);
			x->line_cap = (size_t)n;
		}
		if (!rc)
			n = cst_event_write(ev, x->line, x->line_cap);
	}
	if (rc)
		return rc;
	if (n < 0) {
		drops_add(x->drops, 1, "a record that no event can tell of");
		return 0;
	}
	x->line_used += (size_t)n;
	return 0;
}

static int log_info(struct exporter *x, const struct pd_record *rec, const struct pd_text *metadata)
{
	struct event_build *b = &x->build;

	event_begin(b, CST_EVENT_OTHER, "x_auxtrace_info", CST_EVENT_NO_TIME);
	event_signed(b, "version", x->info.version);
	event_signed(b, "pmu_type", x->info.pmu_type);
	event_signed(b, "snapshot", x->info.snapshot);
	if (!gives_back(x, metadata, rec))
		event_bytes(b, "perf", rec->ev, rec->ev->header.size);
	return log_event(x, &b->ev);
}

static int log_aux(struct exporter *x, const struct pd_record *rec)
{
	struct pkg_buffer *pb = buffer_of(x, &rec->aux);
	struct event_build *b = &x->build;
	uint64_t done;
	int rc;

	rc = outdir_append(&x->out, pb->file, rec->aux.data, rec->aux.avail, x->err);
	if (rc)
		return rc;
	done = pb->size;
	pb->size += rec->aux.avail;
	event_begin(b, CST_EVENT_OTHER, "x_auxtrace", CST_EVENT_NO_TIME);
	event_text(b, "buffer", pb->id);
	event_number(b, "at", done);
	event_number(b, "size", rec->aux.avail);
	event_number(b, "offset", rec->aux.offset);
	event_number(b, "reference", rec->aux.reference);
	event_number(b, "idx", rec->aux.idx);
	event_signed(b, "tid", rec->aux.tid);
	event_signed(b, "cpu", rec->aux.cpu);
	return log_event(x, &b->ev);
}

static int log_record(struct exporter *x, const struct pd_record *rec, const struct pd_text *metadata)
{
	if (header_has(x->pd, rec))
		return 0;
	switch (rec->ev->header.type) {
	case PERF_RECORD_AUXTRACE_INFO:
		return log_info(x, rec, metadata);
	case PERF_RECORD_AUXTRACE:
		return log_aux(x, rec);
	case PERF_RECORD_SAMPLE:
		/* fields of a sample are in the order of its file */
		if (perfdata_is_swapped(x->pd)) {
			x->drops->count++;
			return 0;
		}
	}
	event_of_record(&x->build, rec, &x->sources, x->pd);
	return log_event(x, &x->build.ev);
}

static int open_log(struct exporter *x, const char *name)
{
	x->log_name = name;
	x->log_fd = outdir_create(&x->out, name, x->err);
	return x->log_fd < 0 ? x->err->code : 0;
}

static int close_log(struct exporter *x)
{
	int rc = flush_log(x), fd = x->log_fd;

	x->log_fd = -1;
	if (close(fd) < 0 && !rc)
		rc = error_set(x->err, ERR_IO, "%s: cannot write %s: %m", x->o->output, x->log_name);
	return rc;
}

static int log_sink(void *ctx, const void *data, size_t len)
{
	return log_text(ctx, data, len);
}

/* The log while it is read. */
struct mapped_text {
	const void *p;
	size_t len;
};

/* Its pages are read from the file again when they are used. */
static void drop_pages(void *ctx)
{
	const struct mapped_text *t = ctx;

	mapped_drop(t->p, t->len);
}

/*
 * The final log. Records stand in the order in which CPUs delivered them, and what a fork or an exec does to the maps is
 * in no record. In order of time, and with these effects as events, the log can be read from its end.
 */
static int complete_log(struct exporter *x, const void *text, size_t len)
{
	static const char head[] = "# what happened in the traced system; times are those of perf, in ns\n";
	const struct cst_sink sink = { .ctx = x, .write = log_sink };
	struct mapped_text mapped = { text, len };
	struct cst_event_reader *r = NULL;
	struct cst_state *st = NULL;
	int rc;

	if (cst_state_new(&st, NULL) || cst_event_reader_new(&r, text, len, 0))
		mem_refused(0);
	cst_event_reader_watch(r, DROP_STEP, drop_pages, &mapped);
	rc = open_log(x, LOG_NAME);
	if (!rc)
		rc = log_text(x, head, sizeof(head) - 1);
	if (!rc)
		rc = cst_state_complete(st, r, &sink, NULL);
	if (!rc)
		rc = close_log(x);
	if (rc && !x->err->code)
		mem_refused(0);
	cst_event_reader_free(r);
	cst_state_free(st);
	return rc;
}

static int finish_log(struct exporter *x)
{
	char *path = outdir_path(&x->out, RAW_LOG_NAME, x->err);
	size_t size;
	void *map;
	int rc;

	if (!path)
		return x->err->code;
	map = input_map(path, PROT_READ, &size);
	if (map)
		rc = complete_log(x, map, size);
	else
		rc = error_set(x->err, ERR_IO, "%s: cannot read %s: %m", x->o->output, RAW_LOG_NAME);
	input_unmap(map, size);
	input_forget(path);
	guard_remove(path);
	free(path);
	return rc;
}

static int write_log(struct exporter *x, const struct pd_text *metadata)
{
	struct pd_record rec;
	int rc;

	x->line = mem_new(LOG_BUFFER);
	x->line_cap = LOG_BUFFER;
	if (open_log(x, RAW_LOG_NAME))
		return x->err->code;
	rc = 0;
	perfdata_rewind(x->pd);
	while (!rc && (rc = perfdata_next(x->pd, &rec))) {
		if (rc < 0)
			rc = 0;	/* reported in the first pass */
		else
			rc = log_record(x, &rec, metadata);
	}
	if (!rc)
		rc = close_log(x);
	return rc ? rc : finish_log(x);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static int write_all(struct exporter *x, struct session *ss)
{
	struct cst_doc *images = NULL;
	struct pd_text metadata = { NULL, 0 };
	int rc;

	/* it decodes, and so reads the records itself */
	rc = x->o->images ? images_copy(&x->out, ss, &x->o->origin, &images, x->drops, x->err) :
	     perfdata_folder(x->pd) ? images_copy_recorded(&x->out, perfdata_folder(x->pd), &images, x->drops, x->err) : 0;
	if (!rc)
		rc = write_header(x);
	if (!rc)
		rc = write_metadata(x, &metadata);
	if (!rc)
		rc = write_log(x, &metadata);
	free(metadata.p);
	if (!rc)
		rc = write_contents(x, images);
	cst_doc_free(images);
	return rc;
}

int export_package(struct perfdata *pd, struct session *ss, const struct export_package_opts *o,
		   struct drops *drops, struct error *err)
{
	struct exporter *x = mem_zeroed(1, sizeof(*x));
	int rc;

	err->code = 0;
	x->pd = pd;
	x->o = o;
	x->drops = drops;
	x->err = err;
	x->log_fd = -1;
	rc = index_records(x);
	if (!rc)
		rc = outdir_open(&x->out, o->output, err);
	if (!rc) {
		rc = write_all(x, ss);
		if (x->log_fd >= 0 && close(x->log_fd) < 0 && !rc)
			rc = error_set(err, ERR_IO, "%s: cannot write " LOG_NAME ": %m", o->output);
		if (rc)
			outdir_abort(&x->out);
		else
			rc = outdir_finish(&x->out, err);
	}
	if (!rc && x->errors)
		drops_add(drops, x->errors, "%llu records that could not be read", (unsigned long long)x->errors);
	auxinfo_free(&x->info);
	free(x->sources.v);
	free(x->bufs);
	free(x->raw.raw_cpus);
	free(x->line);
	free(x);
	return rc;
}
