/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.c - the interface of libcstrace-perf (cstrace/perf/recording.h): a session, its batches
 * and its losses.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/perf/recording.h>

#include "base/array.h"
#include "base/messages.h"
#include "machine/images/dso.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/facts.h"
#include "session/internal.h"
#include "session/recording/state.h"

/* A larger struct_size was not initialised. */
#define MAX_OPTS 4096u

/* Blocks of elements that a recording uses in turn, as a caller may keep some: 288 KB each. */
#define BLOCKS 8u

/* Elements of one pull, and their files. */
struct block {
	struct cst_recording_kept pub;	/* the first member; set by cst_recording_keep() */
	atomic_uint refs;		/* the recording's own, and a caller's each */
	struct cst_generic *el;
	const struct cst_recording_file **of;
};

struct cst_recording {
	struct cst_recording_opts opts;
	struct session *ss;
	struct messages said;	/* in the call that runs */
	struct messages *before; /* where those of the caller's own call go */
	struct cst_recording_file **files;	/* by number of the dso; NULL: not asked for yet */
	size_t nr_files, room;
	struct block *blocks[BLOCKS];	/* NULL: not made yet */
	unsigned int block;		/* that of the last pull */
	/* of the batch: */
	const struct cst_recording_batch *now;	/* NULL: none */
	const struct cst_recording_file **of;
	size_t of_room;
	/* of the run: */
	int (*batch)(void *data, const struct cst_recording_batch *b);
	void *data;
	int ended;	/* what batch() returned last */
};

/* ---- messages ------------------------------------------------------------------------------- */

void recording_begin(struct cst_recording *r)
{
	r->before = messages_record(&r->said);
}

void recording_end(struct cst_recording *r)
{
	char *line, *end;
	size_t i;

	messages_record(r->before);
	for (i = 0; i < r->said.nr; i++)
		for (line = strtok_r(r->said.v[i].text, "\n", &end); line;
		     line = strtok_r(NULL, "\n", &end))
			if (r->opts.report)
				r->opts.report(r->opts.data, line);
	messages_free(&r->said);
}

struct session *recording_session(struct cst_recording *r)
{
	return r->ss;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static struct block *block_new(size_t n)
{
	struct block *b = mem_new(sizeof(*b));

	atomic_init(&b->refs, 1);
	b->el = mem_array(n, sizeof(*b->el));
	b->of = mem_array(n, sizeof(*b->of));
	return b;
}

static void block_put(struct block *b)
{
	if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
		return;
	free(b->el);
	free(b->of);
	free(b);
}

static bool block_is_kept(struct block *b)
{
	return b && atomic_load(&b->refs) != 1;
}

/*
 * A consumer's room(). When all blocks are kept a new one replaces another, whose memory is the
 * caller's then, but not the last one: the session may still read it.
 */
static struct cst_generic *on_room(void *data, size_t n)
{
	struct cst_recording *r = data;
	unsigned int i = r->block, tries = 0;

	while (block_is_kept(r->blocks[i]) && ++tries <= BLOCKS)
		i = (i + 1) % BLOCKS;
	if (tries > BLOCKS) {
		i = (r->block + 1) % BLOCKS;
		block_put(r->blocks[i]);
		r->blocks[i] = NULL;
	}
	if (!r->blocks[i])
		r->blocks[i] = block_new(n);
	r->block = i;
	return r->blocks[i]->el;
}

/* The block that has the elements; NULL: they are the session's. */
static struct block *block_of(struct cst_recording *r, const struct cst_generic *g)
{
	struct block *b = r->blocks[r->block];

	return b && b->el == g ? b : NULL;
}

const struct cst_recording_kept *cst_recording_keep(struct cst_recording *r)
{
	const struct cst_recording_batch *now = r->now;
	struct block *b;

	if (!now)
		return NULL;
	b = block_of(r, now->elements);
	if (b) {
		atomic_fetch_add(&b->refs, 1);
	} else {
		b = block_new(now->n);
		memcpy(b->el, now->elements, now->n * sizeof(*b->el));
		memcpy(b->of, now->files, now->n * sizeof(*b->of));
	}
	b->pub = (struct cst_recording_kept){ .n = now->n, .elements = b->el, .files = b->of };
	return &b->pub;
}

void cst_recording_release(const struct cst_recording_kept *kept)
{
	struct block *b;

	/* `kept` is the first member of a block, which is not const */
	memcpy(&b, &kept, sizeof(b));
	block_put(b);
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool check_filter(const struct filter_opts *f)
{
	const char *const texts[] = {
		[FILTER_TIME] = f->time, [FILTER_CPU] = f->cpu,	  [FILTER_PID] = f->pid,
		[FILTER_TID] = f->tid,	 [FILTER_COMM] = f->comm,
	};
	char msg[512];
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!texts[i] || filter_check((enum filter_word)i, texts[i], msg, sizeof(msg)))
			continue;
		fprintf(message_stream(), "cstrace: %s\n", msg);
		return false;
	}
	return true;
}

/* As the library takes structs of callers (cstrace.h, "Sizes of structs"). */
static bool take_opts(struct cst_recording *r, const struct cst_recording_opts *given)
{
	/* later members follow; 0 stands for the size up to here in all versions */
	const size_t first = offsetof(struct cst_recording_opts, data) + sizeof(given->data);
	const size_t own = sizeof(r->opts), size = given->struct_size ? given->struct_size : first;
	size_t i;

	if (size < first || size > MAX_OPTS)
		return false;
	for (i = own; i < size; i++)
		if (((const char *)given)[i])
			return false;
	memcpy(&r->opts, given, size < own ? size : own);
	return true;
}

static int open_input(struct cst_recording *r)
{
	const struct cst_recording_opts *o = &r->opts;
	const struct session_opts so = {
		.input = o->input,
		.symfs = o->symfs,
		.vmlinux = o->vmlinux,
		.kcore = o->kcore,
		.kallsyms = o->kallsyms,
		.jitdump = o->jitdump,
		.buildid_dir = o->buildid_dir,
		.filter = { .time = o->time,
			    .cpu = o->cpu,
			    .pid = o->pid,
			    .tid = o->tid,
			    .comm = o->comm },
	};

	if (!o->input)
		fprintf(message_stream(), "cstrace: no input is given\n");
	if (!o->input || !check_filter(&so.filter))
		return -CST_ERR_INVAL;
	r->ss = session_open(&so);
	return r->ss ? 0 : ERR_REPORTED;
}

int cst_recording_open(struct cst_recording **rec, const struct cst_recording_opts *opts)
{
	struct cst_recording *r = mem_zeroed(1, sizeof(*r));
	int rc = -CST_ERR_INVAL;

	if (take_opts(r, opts)) {
		recording_begin(r);
		rc = open_input(r);
		recording_end(r);
	}
	if (rc)
		cst_recording_close(r);
	else
		*rec = r;
	return rc;
}

void cst_recording_close(struct cst_recording *r)
{
	size_t i;

	if (!r)
		return;
	if (r->ss)
		session_close(r->ss);
	for (i = 0; i < r->nr_files; i++)
		free(r->files[i]);
	for (i = 0; i < BLOCKS; i++)
		block_put(r->blocks[i]);
	free(r->files);
	free(r->of);
	free(r);
}

/* ---- running -------------------------------------------------------------------------------- */

const struct cst_recording_file *recording_file(struct cst_recording *r, const struct dso *d)
{
	const struct build_id *id =
		d->state == DSO_LOADED && d->image.found.len ? &d->image.found : &d->recorded;
	struct cst_recording_file *f;

	while (r->nr_files <= d->number)
		*ARRAY_ADD(r->files, r->nr_files, r->room) = NULL;
	f = r->files[d->number];
	if (!f) {
		f = mem_new(sizeof(*f));
		*f = (struct cst_recording_file){ .path = d->path,
						  .build_id_len = id->len,
						  .build_id = id->id };
		r->files[d->number] = f;
	}
	return f;
}

/* Room for the files of n elements. */
static void reserve_files(struct cst_recording *r, size_t n)
{
	if (n <= r->of_room)
		return;
	r->of = mem_more(r->of, n, sizeof(*r->of));
	r->of_room = n;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct cst_recording *r = data;
	struct cst_recording_batch b = {
		.cpu = s->cpu,
		.pid = s->host.pid,
		.tid = s->host.tid,
		.comm = session_comm(s),
		.time = r->opts.times && s->time_known ? s->time : 0,
		.n = n,
		.elements = g,
		.config = s->config,
	};
	uint32_t section = 0;
	const struct block *block = block_of(r, g);
	const struct cst_recording_file **of;
	struct dso *d = NULL;
	size_t i;

	if (!block)
		reserve_files(r, n);
	of = block ? block->of : r->of;
	for (i = 0; i < n; i++) {
		of[i] = NULL;
		if (g[i].kind != CST_GEN_RANGE || !g[i].section)
			continue;
		if (g[i].section != section) {
			section = g[i].section;
			d = session_section_dso(r->ss, section);
		}
		if (d)
			of[i] = recording_file(r, d);
	}
	b.files = of;
	r->now = &b;
	r->ended = r->batch(r->data, &b);
	r->now = NULL;
	/* codes of a session are negative, and the caller's may be any */
	return r->ended ? 1 : 0;
}

int cst_recording_run(struct cst_recording *r,
		      int (*batch)(void *data, const struct cst_recording_batch *b), void *data)
{
	const struct consumer consumer = { .data = r,
					   .wants = { .times = r->opts.times },
					   .batch = on_batch,
					   .room = on_room };
	int rc;

	r->batch = batch;
	r->data = data;
	r->ended = 0;
	recording_begin(r);
	rc = session_run(r->ss, &consumer);
	recording_end(r);
	return r->ended ? r->ended : rc;
}

/* ---- losses --------------------------------------------------------------------------------- */

int cst_recording_losses(struct cst_recording *r,
			 void (*each)(void *data, const struct cst_recording_loss *loss),
			 void *data)
{
	const struct cure_case made = session_made(r->ss);
	int i, n = 0;

	for (i = 0; i < NR_LOSSES; i++) {
		const struct loss_amount *a = &r->ss->losses.cause[i];
		char cure[CURE_TEXT];

		if (!a->count)
			continue;
		n++;
		if (each)
			each(data, &(struct cst_recording_loss){
					   .count = a->count,
					   .bytes = a->bytes,
					   .counted = loss_counted(i),
					   .why = loss_reason(i, made.recorder),
					   .cure = cure_text(i, &made, cure),
				   });
	}
	return n;
}
