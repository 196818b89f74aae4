/* SPDX-License-Identifier: GPL-2.0-only */
/* replica.c - copies of a session over the same recording, one per decoding thread. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/messages.h"
#include "machine/buffers/owners.h"
#include "session/internal.h"

static void copy_places(struct dso_places *to, const struct dso_places *from)
{
	size_t i;

	for (i = 0; i < from->nr; i++) {
		dso_places_add(to, from->v[i].path, from->v[i].file);
		to->v[i].number = from->v[i].number;
		to->v[i].pid = from->v[i].pid;
	}
	to->sorted = from->sorted;
}

static void copy_bundle(struct dso_bundle *to, const struct dso_bundle *from)
{
	copy_places(&to->images, &from->images);
	copy_places(&to->jitdumps, &from->jitdumps);
	to->kcore = from->kcore ? mem_text(from->kcore) : NULL;
	to->kallsyms = from->kallsyms ? mem_text(from->kallsyms) : NULL;
}

static void copy_asids(struct asids *to, const struct asids *from)
{
	size_t i, k;

	for (i = 0; i < from->map.size; i++) {
		const struct asid *a = from->map.slot[i].value;

		for (k = 0; a && k < a->nr; k++)
			asids_declare(to, (uint32_t)from->map.slot[i].key, a->v[k].time,
				      a->v[k].pid);
	}
	asids_finish(to);
}

/* Copies what nobody changes after the pass over the records. */
static void share(struct session *rep, const struct session *ss)
{
	rep->opts = ss->opts;
	rep->opts.log = NULL;
	rep->recorder = ss->recorder;
	rep->name = ss->name;
	rep->units = ss->units;
	rep->clocks = ss->clocks;
	rep->queues = ss->queues;
	rep->tasks.running = ss->tasks.running;
	rep->tasks.sched = ss->tasks.sched;
	rep->tasks.identity = ss->tasks.identity;
	rep->tasks.scope = ss->tasks.scope;
	rep->tasks.inherited = ss->tasks.inherited;
	/* total of the file; the other totals are of the run and differ */
	rep->losses.lost_records = ss->losses.lost_records;
}

/* True if every file has the same number in both tables. */
static bool same_files(const struct dso_table *a, const struct dso_table *b)
{
	size_t i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (a->all[i]->kind != b->all[i]->kind || strcmp(a->all[i]->path, b->all[i]->path))
			return false;
	return true;
}

static int make(struct session *rep, const struct session *ss)
{
	rep->pd = perfdata_cursor(ss->pd);
	session_init_own(rep);
	copy_bundle(&rep->images.dsos.search.bundle, &ss->images.dsos.search.bundle);
	copy_asids(&rep->tasks.asids, &ss->declared);
	rep->images.dsos.search.other_recorder = ss->images.dsos.search.other_recorder;
	rep->images.dsos.search.osrelease = ss->images.dsos.search.osrelease;
	return session_index_side(rep) || session_open_guests(rep, ss) ||
	       !same_files(&rep->images.dsos, &ss->images.dsos) || session_make_filter(rep);
}

void session_before_replicas(struct session *ss)
{
	/* the first search sorts the table */
	dso_places_find(&ss->images.dsos.search.bundle.images, "", 0);
	if (!ss->declared.map.used)
		copy_asids(&ss->declared, &ss->tasks.asids);
}

struct session *session_replica(const struct session *ss)
{
	struct session *rep = mem_zeroed(1, sizeof(*rep));
	struct messages repeated = { .v = NULL }, *was;

	share(rep, ss);
	/* drops the replica's messages, which the session has printed */
	was = messages_record(&repeated);
	if (make(rep, ss)) {
		session_replica_free(rep);
		rep = NULL;
	}
	messages_record(was);
	messages_free(&repeated);
	return rep;
}

void session_replica_free(struct session *rep)
{
	if (!rep)
		return;
	session_free_own(rep);
	perfdata_close(rep->pd);
	free(rep);
}

struct dso *session_same_dso(const struct session *ss, const struct dso *d)
{
	return d ? ss->images.dsos.all[d->number] : NULL;
}

/* Moves what `from` has read of its file to `to`. */
static void adopt(struct dso *to, struct dso *from, const struct finder *finder)
{
	to->state = from->state;
	to->trouble = from->trouble;
	if (to->made.jit) {
		/* the names of its methods are in the jitdump file, which each of them has mapped */
		to->image.own_data = from->image.own_data;
		to->image.data = from->image.data;
		to->image.size = from->image.size;
		from->image.own_data = false;
		from->image.data = NULL;
		from->image.size = 0;
		return;
	}
	to->image = from->image;
	to->where = from->where;
	to->where.finder = finder;
	to->symbols.symbols_read = from->symbols.symbols_read;
	to->symbols.syms = from->symbols.syms;
	to->symbols.nr_syms = from->symbols.nr_syms;
	to->symbols.names = from->symbols.names;
	to->symbols.name_order = from->symbols.name_order;
	memset(&from->image, 0, sizeof(from->image));
	from->where.debug = NULL;
	from->symbols.syms = NULL;
	from->symbols.names = NULL;
	from->symbols.name_order = NULL;
}

void session_adopt_files(struct session *ss, struct session *rep)
{
	size_t i;

	for (i = 0; i < ss->images.dsos.nr; i++) {
		struct dso *to = ss->images.dsos.all[i], *from = rep->images.dsos.all[i];

		if (to->state == DSO_UNTRIED && from->state != DSO_UNTRIED)
			adopt(to, from, dso_search_finder(&to->table->search));
		else if (from->trouble == DSO_UNALIGNED)
			to->trouble = from->trouble;
	}
	/* the symbols belong to another kernel */
	if (rep->images.kernel.kallsyms_tried && !rep->images.kernel.kallsyms_path) {
		free(ss->images.kernel.kallsyms_path);
		ss->images.kernel.kallsyms_path = NULL;
	}
}
