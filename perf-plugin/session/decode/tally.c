/* SPDX-License-Identifier: GPL-2.0-only */
/* tally.c - takes the counts of a shard out of a replica and adds them to the session. */
#include "session/decode/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static bool counted(const struct dso *d)
{
	return d->counts.used || d->counts.shown || d->counts.insns || d->counts.nacc ||
	       d->counts.nacc_bytes || d->counts.conflicts;
}

static void zero_file(struct dso *d)
{
	d->counts = (struct dso_counts){ .used = d->counts.used };
}

void session_zero_counts(struct session *ss)
{
	struct session_totals *t = &ss->totals;
	size_t i;

	for (i = 0; i < ss->images.dsos.nr; i++)
		zero_file(ss->images.dsos.all[i]);
	ss->chosen.matched = ss->lost.left_undone = false;
	ss->lost.unrouted_ids[0] = ss->lost.unrouted_ids[1] = 0;
	memset(&t->dec, 0, sizeof(t->dec));
	memset(&t->frame, 0, sizeof(t->frame));
	t->backward_timestamps = t->aux_bytes = t->filtered_bytes = t->chosen_insns = 0;
	t->unrouted = t->unknown_context = 0;
	memset(&t->who, 0, sizeof(t->who));
	losses_clear(&ss->losses);
}

static void take_files(struct tally *p, struct session *rep)
{
	size_t i, n = 0;

	for (i = 0; i < rep->images.dsos.nr; i++)
		n += counted(rep->images.dsos.all[i]);
	p->files = mem_array(n + 1, sizeof(*p->files));
	for (i = 0; i < rep->images.dsos.nr; i++) {
		const struct dso *d = rep->images.dsos.all[i];

		if (counted(d))
			p->files[p->nr_files++] = (struct part_file){
				.number = d->number,
				.assumed = d->copy.assumed,
				.counts = d->counts,
			};
	}
}

void tally_take(struct tally *p, struct session *rep)
{
	struct losses fresh = { .lost_records = rep->losses.lost_records };	/* total of the file */

	memset(p, 0, sizeof(*p));
	take_files(p, rep);
	losses_init(&fresh);
	p->totals = rep->totals;
	p->losses = rep->losses;
	p->unrouted_ids[0] = rep->lost.unrouted_ids[0];
	p->unrouted_ids[1] = rep->lost.unrouted_ids[1];
	p->matched = rep->chosen.matched;
	p->left_undone = rep->lost.left_undone;
	rep->losses = fresh;
}

static void add_who(struct who_counts *to, const struct who_counts *more)
{
	guests_join(&to->guests, &more->guests);
	to->absent += more->absent;
	to->learned += more->learned;
	if (more->only_process && more->only_pid)
		to->only_pid = more->only_pid;
	to->only_process += more->only_process;
	to->secure += more->secure;
	to->firmware += more->firmware;
}

static void add_file(struct dso *d, const struct part_file *f)
{
	d->copy.assumed |= f->assumed;
	d->counts.used += f->counts.used;
	d->counts.shown |= f->counts.shown;
	d->counts.insns += f->counts.insns;
	d->counts.nacc += f->counts.nacc;
	d->counts.nacc_bytes += f->counts.nacc_bytes;
	d->counts.conflicts += f->counts.conflicts;
}

bool tally_add(struct session *ss, const struct tally *p)
{
	struct session_totals *t = &ss->totals;
	size_t i;

	/* machines that are counted together could get a count of their own in the sum */
	if (p->totals.who.guests.rest || !losses_join(&ss->losses, &p->losses))
		return false;
	add_who(&t->who, &p->totals.who);
	cst_stats_add(&t->dec, &p->totals.dec);
	cst_frame_stats_add(&t->frame, &p->totals.frame);
	t->aux_bytes += p->totals.aux_bytes;
	t->backward_timestamps += p->totals.backward_timestamps;
	t->filtered_bytes += p->totals.filtered_bytes;
	t->chosen_insns += p->totals.chosen_insns;
	t->unrouted += p->totals.unrouted;
	t->unknown_context += p->totals.unknown_context;
	ss->lost.unrouted_ids[0] |= p->unrouted_ids[0];
	ss->lost.unrouted_ids[1] |= p->unrouted_ids[1];
	ss->chosen.matched |= p->matched;
	for (i = 0; i < p->nr_files; i++)
		add_file(ss->images.dsos.all[p->files[i].number], &p->files[i]);
	return true;
}

void tally_put_back(struct session *ss, struct tally *p)
{
	const struct losses empty = ss->losses;
	size_t i;

	ss->totals = p->totals;
	ss->losses = p->losses;
	p->losses = empty;
	ss->lost.unrouted_ids[0] = p->unrouted_ids[0];
	ss->lost.unrouted_ids[1] = p->unrouted_ids[1];
	ss->chosen.matched = p->matched;
	ss->lost.left_undone = p->left_undone;
	for (i = 0; i < p->nr_files; i++)
		add_file(ss->images.dsos.all[p->files[i].number], &p->files[i]);
	tally_free(p);
}

void tally_free(struct tally *p)
{
	losses_free(&p->losses);
	free(p->files);
	memset(p, 0, sizeof(*p));
}
