/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_package.c - any text as a trace package: the input is cut at 0xFF bytes into contents.ini, two files of
 * trace metadata and the event log. What is read is asked for everything; docs and events must be the same
 * after they were written and read again; the log is replayed in both directions.
 *
 * What the replay hands out as a complete log must be complete: read again, it implies nothing more and gives
 * the same states, and, closed by what is alive, the states before and after it backwards.
 */
#include <cstrace/files/files.h>

#include "fuzz/fuzz_input.h"

#define CUT 0xff
#define MAX_FILES 4
#define MAX_LOG ((size_t)1 << 20)	/* of a complete log; longer ones are not read again */

struct file {
	uint8_t *data;
	size_t len;
};

struct files {
	struct file f[MAX_FILES];
	unsigned int n, notes;
};

struct buffer {
	char *p;
	size_t len, cap;
	int full;
};

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	static const char *const names[] = { "contents.ini", "trace.ini", "trace1.ini", "log" };
	const struct files *fs = ctx;
	unsigned int i;

	for (i = 0; i < fs->n; i++)
		if (!strcmp(name, names[i])) {
			*data = fs->f[i].data;
			*len = fs->f[i].len;
			return 0;
		}
	return -1;
}

static void note(void *ctx, const struct cst_snap_note *n)
{
	struct files *fs = ctx;

	CHECK(n->error < 0 && n->file && n->text && n->section && n->item && n->other);
	fs->notes++;
}

static int append(void *ctx, const void *data, size_t len)
{
	struct buffer *b = ctx;

	if (b->cap - b->len < len) {
		b->cap = (b->len + len) * 2;
		b->p = realloc(b->p, b->cap);
		CHECK(b->p != NULL);
	}
	if (len)
		memcpy(b->p + b->len, data, len);
	b->len += len;
	return 0;
}

/* ---- docs and metadata ------------------------------------------------------------------------- */

static void write_again(const struct cst_doc *doc)
{
	struct buffer a = { .p = NULL }, b = { .p = NULL };
	struct cst_sink sink = { &a, append };
	struct cst_problem why;
	struct cst_doc *copy;
	int err = cst_doc_write(doc, &sink);

	CHECK(!err || err == -CST_ERR_INVAL);
	if (!err) {
		CHECK(!cst_doc_new(&copy, 0));
		CHECK(!cst_doc_parse(copy, a.p, a.len, &why));
		CHECK(copy->n_sections <= doc->n_sections);
		sink.ctx = &b;
		CHECK(!cst_doc_write(copy, &sink));
		CHECK(a.len == b.len && (!a.len || !memcmp(a.p, b.p, a.len)));
		cst_doc_free(copy);
	}
	free(a.p);
	free(b.p);
}

static void ask_source(const struct cst_meta_source *src)
{
	struct cst_etmv4_regs regs = { 0 }, again = { 0 };
	struct cst_problem why = { .text = NULL };
	struct cst_metadata *md;
	struct buffer b = { .p = NULL };
	struct cst_sink sink = { &b, append };
	struct cst_config cfg = { 0 };
	struct cst_doc *doc;
	unsigned int i;
	uint64_t v;
	int err, ete, checked = cst_meta_check(src, &why);

	CHECK(!checked || (why.text && why.error == checked));
	for (i = 0; i < CST_OPT__COUNT; i++)
		cst_meta_option(src, (enum cst_meta_option)i, &v, &why);
	err = cst_meta_etmv4(src, &regs, &ete, &why);
	CHECK(checked ? err < 0 : !err || err == -CST_ERR_PROTOCOL || err == -CST_ERR_UNSUP);
	if (err)
		return;
	cst_config_etmv4(&cfg, &regs, ete, CST_PROFILE_A);
	/* Written with all options, it is the same source. */
	CHECK(!cst_doc_new(&doc, 0));
	CHECK(!cst_meta_set_etmv4(doc, "source_x", &regs, ete));
	CHECK(!cst_doc_write(doc, &sink));
	CHECK(!cst_metadata_read(&md, b.p, b.len, &why));
	CHECK(md->n_sources == 1 && !cst_meta_etmv4(&md->sources[0], &again, &ete, &why));
	CHECK(!memcmp(&regs, &again, sizeof(regs)));
	cst_metadata_free(md);
	cst_doc_free(doc);
	free(b.p);
}

static void ask_package(const struct cst_package *pkg)
{
	struct cst_problem why;
	size_t i, k;

	CHECK(pkg->n_buffers > 0);
	write_again(pkg->contents);
	for (i = 0; i < pkg->n_metadata; i++) {
		write_again(pkg->metadata[i]->doc);
		for (k = 0; k < pkg->metadata[i]->n_sources; k++)
			ask_source(&pkg->metadata[i]->sources[k]);
	}
	for (i = 0; i < pkg->n_buffers; i++) {
		CHECK(pkg->buffers[i].n_files && pkg->buffers[i].metadata);
		for (k = 0; k < pkg->buffers[i].n_files; k++)
			CHECK(cst_package_name_ok(pkg->buffers[i].files[k]));
		CHECK(cst_meta_buffer_format(pkg->buffers[i].metadata, pkg->buffers[i].id, &why) ==
		      pkg->buffers[i].format);
	}
	for (i = 0; i < pkg->n_images; i++)
		CHECK(cst_package_name_ok(pkg->images[i].file) && pkg->images[i].name && pkg->images[i].uuid);
	for (i = 0; i < pkg->n_memory; i++)
		CHECK(cst_package_name_ok(pkg->memory[i].file));
	for (i = 0; i < pkg->n_code; i++)
		CHECK(cst_package_name_ok(pkg->code[i].file) && pkg->code[i].id);
	CHECK(!pkg->event_log || (pkg->event_frequency && cst_package_name_ok(pkg->event_log)));
}

/* ---- the log ----------------------------------------------------------------------------------- */

static int keep(void *ctx, const struct cst_event *ev, int implied)
{
	struct buffer *b = ctx;
	int64_t n = cst_event_write(ev, NULL, 0);
	char *line;

	(void)implied;
	CHECK(n > 0);
	if (b->full || b->len + (size_t)n > MAX_LOG) {
		b->full = 1;
		return 0;
	}
	line = malloc((size_t)n);
	CHECK(line && cst_event_write(ev, line, (size_t)n) == n);
	append(b, line, (size_t)n);
	free(line);
	return 0;
}

static void same_state(const struct cst_state *a, const struct cst_state *b)
{
	struct buffer x = { .p = NULL }, y = { .p = NULL };

	cst_state_list(a, CST_STATE_CURRENT, CST_EVENT_NO_TIME, keep, &x);
	cst_state_list(b, CST_STATE_CURRENT, CST_EVENT_NO_TIME, keep, &y);
	CHECK(x.len == y.len && (!x.len || !memcmp(x.p, y.p, x.len)));
	free(x.p);
	free(y.p);
}

/* An event that was read is the same after it was written; the writer needs the length it says. */
static void write_event(const struct cst_event *ev)
{
	struct buffer a = { .p = NULL }, b = { .p = NULL };
	struct cst_event_reader *r;
	struct cst_event again = { 0 };

	keep(&a, ev, 0);
	if (!a.full) {
		CHECK(!cst_event_reader_new(&r, a.p, a.len, 0));
		CHECK(cst_event_next(r, &again, NULL) == 1);
		CHECK(again.verb == ev->verb && again.time == ev->time && again.n_params == ev->n_params);
		keep(&b, &again, 0);
		CHECK(a.len == b.len && !memcmp(a.p, b.p, a.len));
		CHECK(cst_event_next(r, &again, NULL) == 0);
		cst_event_reader_free(r);
	}
	free(a.p);
	free(b.p);
}

static void ask_state(const struct cst_state *st, const struct cst_event *ev)
{
	struct cst_event found = { 0 };

	if (cst_state_process(st, ev->pid, &found))
		CHECK(found.verb == CST_EVENT_PROCESS && found.pid == ev->pid);
	if (cst_state_thread(st, ev->tid, &found))
		CHECK(found.tid == ev->tid);
	if (cst_state_asid(st, ev->asid, &found))
		CHECK(found.asid == ev->asid);
	if (cst_state_trace(st, ev->name, &found))
		CHECK(found.verb == CST_EVENT_TRACE);
	if (cst_state_code(st, ev->pid, ev->base, &found))
		CHECK(found.pid == ev->pid && found.base <= ev->base);
}

/* A complete log: nothing is implied any more, and backwards it leads to the same start. */
static void read_complete(struct buffer *log, const struct cst_state *after)
{
	struct cst_state *st, *before;
	struct cst_event_reader *r;
	struct cst_state_counts c = { 0 };
	struct cst_event ev = { 0 };
	uint64_t bad;

	CHECK(!cst_state_new(&st, NULL) && !cst_state_new(&before, NULL));
	CHECK(!cst_event_reader_new(&r, log->p, log->len, 0));
	while (cst_event_next(r, &ev, NULL) > 0)
		CHECK(!cst_state_apply(st, &ev, NULL, NULL));
	cst_state_counts(st, &c);
	CHECK(!c.implied);
	same_state(st, after);
	cst_event_reader_free(r);

	cst_state_list(st, CST_STATE_CURRENT, CST_EVENT_NO_TIME, keep, log);
	if (!log->full) {
		CHECK(!cst_event_reader_new(&r, log->p, log->len, 0));
		CHECK(!cst_state_before(before, r, &bad) && !bad);
		/* From what was there before, the same log leads to the same end. */
		cst_event_rewind(r, 0);
		while (cst_event_next(r, &ev, NULL) > 0)
			CHECK(!cst_state_apply(before, &ev, NULL, NULL));
		same_state(before, after);
		cst_event_reader_free(r);
	}
	cst_state_free(st);
	cst_state_free(before);
}

/* The log written anew: the same, whatever the order of its times. */
static void complete(struct cst_event_reader *r)
{
	struct buffer log = { .p = NULL };
	const struct cst_sink sink = { &log, append };
	struct cst_state *st;
	struct cst_state_counts c = { 0 };
	uint64_t bad;
	int err;

	CHECK(!cst_state_new(&st, NULL));
	err = cst_state_complete(st, r, &sink, &bad);
	CHECK(!err);
	cst_state_counts(st, &c);
	if (!c.dropped && log.len <= MAX_LOG)
		read_complete(&log, st);
	cst_state_free(st);
	free(log.p);
}

static void replay(const struct file *f)
{
	struct cst_state_limits limits = { .memory = 4 << 20, .inherited = 10000 };
	struct cst_state *st, *back;
	struct buffer log = { .p = NULL };
	struct cst_event_reader *r;
	struct cst_state_counts c = { 0 };
	struct cst_problem why;
	struct cst_event ev = { 0 };
	uint64_t bad, wrong = 0, events = 0;
	int got;

	CHECK(!cst_state_new(&st, &limits) && !cst_state_new(&back, &limits));
	CHECK(!cst_event_reader_new(&r, f->data, f->len, 4096));
	while ((got = cst_event_next(r, &ev, &why))) {
		if (got < 0) {
			CHECK(why.line && why.text && why.error == got);
			wrong++;
			continue;
		}
		events++;
		write_event(&ev);
		got = cst_state_apply(st, &ev, keep, &log);
		CHECK(!got || got == -CST_ERR_LIMIT);
		ask_state(st, &ev);
	}
	cst_state_counts(st, &c);
	CHECK(c.events == events);
	if (!log.full && !c.dropped) {
		read_complete(&log, st);
		complete(r);
	}
	got = cst_state_before(back, r, &bad);
	CHECK(bad == wrong && (!got || got == -CST_ERR_LIMIT));
	cst_state_counts(back, &c);
	CHECK(c.events == events);
	cst_event_reader_free(r);
	cst_state_free(st);
	cst_state_free(back);
	free(log.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len)
{
	struct files fs = { .n = 0 };
	struct cst_snap_io io = { .ctx = &fs, .open = open_file, .note = note,
				  .limits = { .text = 8192, .memory = 1 << 20 } };
	const uint8_t *end = in + len, *cut;
	struct cst_package *pkg;

	while (fs.n < MAX_FILES && in <= end) {
		cut = in < end && fs.n < MAX_FILES - 1 ? memchr(in, CUT, (size_t)(end - in)) : NULL;
		fs.f[fs.n].len = (size_t)((cut ? cut : end) - in);
		fs.f[fs.n].data = malloc(fs.f[fs.n].len ? fs.f[fs.n].len : 1);
		CHECK(fs.f[fs.n].data != NULL);
		if (fs.f[fs.n].len)
			memcpy(fs.f[fs.n].data, in, fs.f[fs.n].len);
		in += fs.f[fs.n++].len + 1;
	}
	if (cst_package_read(&pkg, &io, NULL)) {
		CHECK(!pkg && fs.notes);
	} else {
		CHECK(pkg->n_skipped <= fs.notes);
		ask_package(pkg);
		cst_package_free(pkg);
	}
	if (fs.n == MAX_FILES)
		replay(&fs.f[MAX_FILES - 1]);
	while (fs.n)
		free(fs.f[--fs.n].data);
	return 0;
}
