/* SPDX-License-Identifier: GPL-2.0-only */
/* file_losses.c - counts what the recording itself has lost, apart from decoding. */
#include "base/intmap.h"
#include "session/internal.h"

static void add_record(struct session *ss, struct aux_record *r)
{
	const struct threads *ts = &ss->tasks.threads;
	/* in a CPU's buffer the record names whichever thread ran when it was written */
	int pid = r->of_thread ? r->pid : LOSS_NOBODY;
	const char *comm = pid < 0 ? NULL : threads_comm(ts, pid, threads_limit(ts, r->time, r->seq));
	struct losses *ls = &ss->losses;

	r->counted = true;
	losses_add(ls, LOSS_TRUNCATED, r->cpu, pid, comm, !!(r->flags & AUX_FLAG_TRUNCATED), 0);
	losses_add(ls, LOSS_PARTIAL, r->cpu, pid, comm, !!(r->flags & AUX_FLAG_PARTIAL), 0);
	losses_add(ls, LOSS_COLLISION, r->cpu, pid, comm, !!(r->flags & AUX_FLAG_COLLISION), 0);
	losses_add(ls, LOSS_AUX_MISSING, r->cpu, pid, comm, r->missing, r->missing);
	losses_add(ls, LOSS_FORMAT, r->cpu, pid, comm, r->refused, r->refused ? r->size : 0);
}

void session_fragment_losses(struct session *ss, const struct fragment *f)
{
	if (f->aux && !f->aux->counted)
		add_record(ss, f->aux);
}

/*
 * True if the losses of AUX record `r` count at the begin of the run. Without a filter all do. With
 * one, records with fragments count when a fragment is decoded; others count if the time in which
 * their data was lost, since the record `before` on the same CPU, overlaps the filter's times.
 */
static bool counts_now(const struct session *ss, const struct aux_record *r, const struct aux_record *before)
{
	uint64_t since = before && !(r->flags & AUX_FLAG_OVERWRITE) && before->time < r->time ? before->time : 0;

	return !ss->chosen.filter ||
	       (!r->fragments && filter_overlaps(ss->chosen.filter, since, r->time));
}

void session_start_losses(struct session *ss)
{
	const struct window_counts *windows = &ss->queues.windows.counts;
	const struct session_totals *t = &ss->totals;
	struct losses *ls = &ss->losses;
	struct intmap last = { 0 };
	size_t i;

	losses_clear(ls);
	for (i = 0; i < ss->queues.nr_aux; i++) {
		struct aux_record *r = &ss->queues.aux[i];

		r->counted = false;
		if (counts_now(ss, r, r->cpu < 0 ? NULL : intmap_get(&last, r->cpu)))
			add_record(ss, r);
		if (ss->chosen.filter && r->cpu >= 0)
			intmap_put(&last, r->cpu, r);
	}
	intmap_free(&last);
	for (i = 0; i < ss->queues.nr; i++) {
		const struct queue *q = ss->queues.q[i];

		losses_add(ls, LOSS_UNCLAIMED, q->cpu, LOSS_NOBODY, NULL, q->unclaimed, q->unclaimed);
	}
	losses_add(ls, LOSS_WINDOW_DOUBTFUL, LOSS_NOBODY, LOSS_NOBODY, NULL, windows->doubtful,
		   windows->doubtful);
	losses_add(ls, LOSS_WINDOW_OLDER, LOSS_NOBODY, LOSS_NOBODY, NULL, windows->older,
		   windows->older);
	losses_add(ls, LOSS_FRAME_BYTES, LOSS_NOBODY, LOSS_NOBODY, NULL, windows->cut,
		   windows->cut);
	for (i = 0; i < ls->nr_lost; i++)
		losses_add(ls, LOSS_LOST, ls->lost[i].cpu, LOSS_NOBODY, NULL, ls->lost[i].count, 0);
	losses_add(ls, LOSS_BAD_RECORD, LOSS_NOBODY, LOSS_NOBODY, NULL,
		   ss->lost.bad_records + ss->side.bad_records + ss->units.bad_records, 0);
	losses_add(ls, LOSS_EXPAND, LOSS_NOBODY, LOSS_NOBODY, NULL, ss->lost.lost_compressed, 0);
	losses_add(ls, LOSS_JITDUMP, LOSS_NOBODY, LOSS_NOBODY, NULL, ss->side.jit.bad_records, 0);
	losses_add(ls, LOSS_CUT, LOSS_NOBODY, LOSS_NOBODY, NULL, t->file_cut, 0);
}
