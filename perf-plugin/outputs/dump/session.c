/* SPDX-License-Identifier: GPL-2.0-only */
/* session.c - dump -i: the AUX fragments of a perf.data file, in order of buffer and AUX record. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/error.h"
#include "outputs/dump/dump.h"
#include "session/decode/decode.h"

/* The session decodes the fragment as well, and logs. A listing of frames alone has what is logged of them. */
static int list_frames(struct dump *d, const struct session_fragment *f, bool packed)
{
	const bool findings =
		d->log && !d->show.packets && !d->show.elements && !(packed && d->show.frames);
	struct cst_tree *tree = NULL;
	int rc;

	rc = mem_code(cst_tree_new(&tree, CST_TREE_FRAMES,
			  dump_frame_flags(d, CST_FRAME_ALIGNED | CST_FRAME_RESET_4X | (findings ? CST_FRAME_FINDINGS : 0),
					   packed)));
	if (!rc)
		rc = dump_frames(d, tree, f->data, f->size, f->offset);
	cst_tree_free(tree);
	return rc;
}

static int list_fragment(struct dump *d, const struct session_fragment *f)
{
	char name[64], detail[160];
	int n;

	d->id.raw = f->raw;
	if (f->cpu >= 0)
		snprintf(name, sizeof(name), "buffer %u, CPU %d", f->queue, f->cpu);
	else
		snprintf(name, sizeof(name), "buffer %u, thread %d", f->queue, f->tid);
	n = snprintf(detail, sizeof(detail), "%s, offset %llu, %llu bytes%s",
		     f->raw ? "raw" : "frames", (unsigned long long)f->offset,
		     (unsigned long long)f->size,
		     f->window ? ", AUX window" : f->from_aux ? "" : ", no AUX record");
	if (f->flags)
		snprintf(detail + n, sizeof(detail) - (size_t)n, ", flags 0x%llx",
			 (unsigned long long)f->flags);
	dump_section(d, name, detail);
	n = d->show.packed && !f->raw ? list_frames(d, f, true) : 0;
	if (d->show.frames && !f->raw && !n)
		n = list_frames(d, f, false);
	return n ? n : pd_output_failed(&d->out.file);
}

/* Where to begin, or instead an index of the fragment. */
static int choose_start(struct dump *d, const struct session_fragment *f, struct cst_tree *tree, uint64_t *start)
{
	struct index_section s = { .tree = tree };
	int rc = 0;

	index_book_section(&s, f);
	s.by_world = d->show.elements;
	if (d->make) {
		rc = index_book_make(d->make, &s) ? -CST_ERR_INVAL : 0;
		*start = f->offset + f->size;
	} else {
		/* a stream continues from fragment to fragment */
		if (d->at.buffer != f->queue)
			dump_range_reset(d->range);
		d->at.buffer = f->queue;
		*start = dump_range_done(d->range, tree, d->id.only_id, d->show.packets) ?
				 f->offset + f->size :
				 dump_range_start(d->range, &s, d->id.only_id);
	}
	return rc;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct dump *d = data;
	int rc;

	if (e->ended)
		return 0;
	rc = list_fragment(d, e->fragment);
	return rc || !e->tree || !(d->range || d->make) ? rc : choose_start(d, e->fragment, e->tree, e->start);
}

static int batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct dump *d = data;
	size_t i;

	if (d->format == DUMP_NONE && !d->range && !d->sums.filtered)
		return 0;
	d->at.cpu = s->cpu;
	d->at.pid = s->pid;
	d->at.tid = s->tid;
	for (i = 0; i < n; i++)
		dump_element(d, s->decoder, &g[i]);
	return pd_output_failed(&d->out.file);
}

static int packet(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	struct dump *d = data;

	dump_packet(d, s->decoder, pkt);
	return pd_output_failed(&d->out.file);
}

/* With --id: the counts of its streams alone. */
static void stream_end(void *data, const struct stream *s)
{
	struct dump *d = data;

	if (s->trace_id != d->id.only_id)
		return;
	cst_stats_add(&d->sums.stats, cst_decoder_stats(s->decoder));
	d->id.has_id = true;
}

int dump_session(struct dump *d, const struct session_opts *opts)
{
	struct consumer con = { .data = d, .fragment = on_fragment };
	const bool code = d->show.elements || d->format == DUMP_NONE;
	bool counts_only;
	bool reference = d->format == DUMP_OPENCSD;
	struct session_opts so = *opts;
	struct session *ss;
	int rc;

	/* as the reference: what a transaction did is listed whether it failed or not, and each instruction of ETMv3 */
	so.report_transactions |= reference;
	so.as_reference = reference;
	so.strict = d->strict;
	so.insn_ranges = d->insn_ranges || reference;
	so.log = d->log;
	so.progress = d->out.file.stream == false;
	ss = session_open(&so);
	if (!ss)
		return ERR_REPORTED;
	if (dump_check_output(d)) {
		session_close(ss);
		return ERR_REPORTED;
	}
	if (d->show.packets || (d->show.elements && d->format == DUMP_OPENCSD))
		con.wants.packet = packet;
	if (d->show.elements || d->show.packets || d->range || d->sums.filtered)
		con.batch = batch;
	/* then nothing is listed, and all there is are the session's counts */
	counts_only = d->format == DUMP_NONE && !d->show.packets && !d->show.frames &&
		      !d->show.packed && !d->range && !d->make;
	if (counts_only)
		con.fragment = NULL;
	if (d->id.only_id >= 0)
		con.stream_end = stream_end;
	if (counts_only && d->id.only_id < 0 && !d->sums.filtered)
		con.shards = &shards_stateless;
	rc = session_run(ss, &con);
	if (d->make) {
		session_close(ss);
		return rc ? ERR_REPORTED : 0;
	}
	if (!code)
		session_forget_code(ss);
	if (d->id.only_id < 0)
		d->sums.stats = session_totals(ss)->dec;
	d->sums.losses = session_lossy(ss);
	d->sums.unmatched = !session_matched(ss);
	if (session_has_losses(ss)) {
		fprintf(stderr, "cstrace dump: lost:\n");
		session_print_losses(ss, stderr);
	}
	if (code)
		session_print_missing(ss, stderr);
	if (!rc)
		session_print_summary(ss, stderr);
	session_close(ss);
	return rc ? ERR_REPORTED : 0;
}
