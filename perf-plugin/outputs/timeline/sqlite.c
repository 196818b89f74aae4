/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sqlite.c - a timeline as a database in perf's schema: calls with their call paths, a sample for
 * each branch that called, and which thread ran when on each CPU. Addresses are those of the files,
 * as they are linked.
 */
#include "outputs/timeline/internal.h"

#ifdef HAVE_SQLITE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intmap.h"
#include "base/name.h"
#include "base/strings.h"
#include "machine/images/dso.h"
#include "machine/images/functions.h"
#include "outputs/timeline/database.h"
#include "session/decode/branch.h"

/* Rows that perf has, too: the event of the samples, the machine, the root of all call paths. */
enum { EVENT = 1, HOST = 1, ROOT_PATH = 1 };
/* enum call_return_flags of perf */
enum { NO_CALL = 1, NO_RETURN = 2, NON_CALL = 4 };

struct id {
	int64_t is;
};

/* A place in a file, in the terms of the tables. */
struct spot {
	int64_t dso, symbol, offset, ip;
};

struct symbol {
	int64_t id;
	uint64_t vaddr;
};

struct path {
	int64_t parent, symbol;
};

struct store {
	const struct timeline *t;
	struct database *db;
	int64_t nr_threads, nr_symbols, nr_comm_threads;
	struct intmap mains;	/* process: struct id of its main thread */
	struct intmap dsos;	/* number of a file + 1: struct id, the same number */
	struct intmap symbols;	/* place of a function: struct symbol */
	struct intmap comm_threads;	/* comm, thread: struct id */
	struct strings comms;	/* main thread, a space, the name */
	struct path *paths;	/* path ROOT_PATH + 1 is the first */
	size_t nr_paths, cap_paths;
	struct slots by_path;
	struct track_runs runs;
	uint32_t *parents;	/* by slice: index + 1 of its caller; 0: none */
	int64_t *samples;	/* by slice: its sample, 0: none */
	int64_t *path_of;	/* by slice */
	char room[64];
};

#define ROW(s, table, ...) database_row((s)->db, table, (const int64_t[]){ __VA_ARGS__ }, NULL)
#define TEXTS(...) ((const char *const[]){ __VA_ARGS__ })

/* ---- files and functions -------------------------------------------------------------------- */

static int64_t dso_row(struct store *s, calls_place place)
{
	const struct dso *d = labels_dso(s->t->labels, place);
	const int64_t id = (int64_t)d->number + 1;
	char build_id[2 * 64 + 1] = "";
	const uint8_t *bytes;
	size_t n, i;

	if (intmap_get(&s->dsos, id))
		return id;
	((struct id *)intmap_add(&s->dsos, id, sizeof(struct id)))->is = id;
	bytes = dso_build_id(d, &n);
	for (i = 0; bytes && i < n && i < 64; i++)
		snprintf(build_id + 2 * i, 3, "%02x", bytes[i]);
	database_row(s->db, DB_DSOS, (const int64_t[]){ id, HOST },
		     TEXTS(labels_file(s->t->labels, place), name_shown(dso_path(d)), build_id));
	return id;
}

/* Where the function begins that has a place of code; the place itself if that is not known. */
static calls_place function_start(const struct store *s, calls_place place)
{
	struct dso_function f;

	if (!dso_function(labels_dso(s->t->labels, place), (uint32_t)place, &f))
		return place;
	return (place & ~(uint64_t)UINT32_MAX) | (uint32_t)f.start;
}

/* The same of an entry: of a stub among others, which have no names, it is the begin. */
static calls_place entered_start(struct store *s, calls_place entry)
{
	const calls_place start = function_start(s, entry);
	char name[1024];

	if (start == entry)
		return entry;
	snprintf(name, sizeof(name), "%s", labels_of(s->t->labels, start));
	return strcmp(name, labels_of(s->t->labels, entry)) ? entry : start;
}

/* Returns the function that begins at a place: its row is made when it is first seen. */
static const struct symbol *symbol_row(struct store *s, calls_place start)
{
	struct dso *d = labels_dso(s->t->labels, start);
	struct symbol *y = intmap_get(&s->symbols, (int64_t)start);
	struct dso_function f;
	uint64_t size = 0;

	if (y)
		return y;
	y = intmap_add(&s->symbols, (int64_t)start, sizeof(*y));
	y->id = ++s->nr_symbols;
	if (!dso_vaddr(d, (uint32_t)start, &y->vaddr))
		y->vaddr = (uint32_t)start;
	if (dso_function(d, (uint32_t)start, &f))
		size = f.end - (uint32_t)start;
	database_row(s->db, DB_SYMBOLS,
		     (const int64_t[]){ y->id, dso_row(s, start), (int64_t)y->vaddr,
					(int64_t)(y->vaddr + size) },
		     TEXTS(NULL, labels_of(s->t->labels, start)));
	return y;
}

/* A place in the function that begins at `start`. */
static struct spot spot_of(struct store *s, calls_place place, calls_place start)
{
	const struct symbol *y;
	struct spot at = { 0, 0, 0, 0 };

	if (place == CALLS_NO_PLACE)
		return at;
	y = symbol_row(s, start);
	at.dso = dso_row(s, place);
	at.symbol = y->id;
	at.offset = (int64_t)(place - start);
	at.ip = (int64_t)y->vaddr + at.offset;
	return at;
}

static struct spot entry_of(struct store *s, const struct calls_slice *c)
{
	return spot_of(s, c->entry,
		       c->entry == CALLS_NO_PLACE ? c->entry : entered_start(s, c->entry));
}

/* The call: in the function whose bounds are known, else in that of the caller. */
static struct spot site_of(struct store *s, size_t i)
{
	const struct calls_slice *c = &s->t->slices[i],
				 *up = s->parents[i] ? &s->t->slices[s->parents[i] - 1] : NULL;
	calls_place start;

	if (c->from == CALLS_NO_PLACE)
		return spot_of(s, c->from, c->from);
	start = function_start(s, c->from);
	if (start == c->from && up && up->depth == c->depth - 1 && up->entry <= start &&
	    up->entry >> 32 == start >> 32)
		start = entered_start(s, up->entry);
	return spot_of(s, c->from, start);
}

/* ---- threads and their names ---------------------------------------------------------------- */

/* Guests have the rows behind the host's. */
static int64_t machine_of(const struct track_thread *th)
{
	return th ? HOST + (int64_t)th->guest : HOST;
}

static void put_guests(struct store *s)
{
	const struct tracks *all = &s->t->tracks;
	size_t i;

	for (i = 0; i < all->nr_threads; i++)
		if (begins_guest(all, i))
			database_row(s->db, DB_MACHINES,
				     (const int64_t[]){ machine_of(&all->threads[i]),
							all->threads[i].machine },
				     TEXTS(""));
}

static void thread_row(struct store *s, int64_t id, int64_t process,
		       const struct track_thread *th, int tid)
{
	ROW(s, DB_THREADS, id, machine_of(th), process, th->pid, tid);
}

/* Of each process of each machine. */
static int64_t main_key(const struct track_thread *th)
{
	return (int64_t)((uint64_t)th->guest << 32 | (uint32_t)th->pid);
}

/* The main thread of a process; of one that is not known, or idle, the thread itself. */
static int64_t main_of(struct store *s, const struct track_thread *th, int64_t thread)
{
	struct id *known;

	if (!th || th->pid <= 0)
		return thread;
	known = intmap_get(&s->mains, main_key(th));
	if (known)
		return known->is;
	known = intmap_add(&s->mains, main_key(th), sizeof(*known));
	known->is = ++s->nr_threads;
	thread_row(s, known->is, known->is, th, th->pid);
	return known->is;
}

/* Threads that were seen have their index + 1; main threads that were not seen are behind them. */
static void put_threads(struct store *s)
{
	const struct tracks *all = &s->t->tracks;
	size_t i;

	s->nr_threads = (int64_t)all->nr_threads;
	for (i = 0; i < all->nr_threads; i++)
		if (all->threads[i].tid > 0 && all->threads[i].tid == all->threads[i].pid)
			((struct id *)intmap_add(&s->mains, main_key(&all->threads[i]),
						 sizeof(struct id)))
				->is = (int64_t)i + 1;
	for (i = 0; i < all->nr_threads; i++)
		thread_row(s, (int64_t)i + 1, main_of(s, &all->threads[i], (int64_t)i + 1),
			   &all->threads[i], all->threads[i].tid);
}

static int64_t id_of(const struct store *s, const struct track_thread *th)
{
	return th ? th - s->t->tracks.threads + 1 : 0;
}

static uint64_t name_since(const struct store *s, const struct track_thread *th, uint64_t time)
{
	uint64_t from = 0, until;

	if (th->tid > 0)
		comms_span(s->t->comms, th->vm, th->tid, time, &from, &until);
	return from;
}

static int64_t comm_row(struct store *s, const struct track_thread *th, uint64_t time)
{
	const int64_t thread = id_of(s, th), process = main_of(s, th, thread);
	const size_t before = s->comms.n;
	char text[NAME_SHOWN_MAX + 64];
	const char *name;
	int64_t id;

	if (!th)
		return 0;
	name = name_shown(timeline_thread_name(s->t, th, time, s->room, sizeof(s->room)));
	snprintf(text, sizeof(text), "%" PRId64 " %s", process, name);
	id = (int64_t)strings_number(&s->comms, text) + 1;
	if (s->comms.n != before)
		database_row(s->db, DB_COMMS,
			     (const int64_t[]){ id, process, (int64_t)name_since(s, th, time), 1 },
			     TEXTS(name));
	if (!intmap_get(&s->comm_threads, id << 32 | thread)) {
		((struct id *)intmap_add(&s->comm_threads, id << 32 | thread, sizeof(struct id)))
			->is = id;
		ROW(s, DB_COMM_THREADS, ++s->nr_comm_threads, id, thread);
	}
	return id;
}

/* ---- which thread ran where ----------------------------------------------------------------- */

/* Of a CPU, a thread that follows another one. */
struct follows {
	uint64_t time;
	const struct track_span *out, *in;
};

static void put_switch(struct store *s, const struct follows *f, int64_t id)
{
	const struct track_thread *out = tracks_thread(&s->t->tracks, f->out->key);
	const struct track_thread *in = tracks_thread(&s->t->tracks, f->in->key);

	ROW(s, DB_SWITCHES, id, HOST, (int64_t)f->time, f->in->cpu, id_of(s, out),
	    comm_row(s, out, f->out->begin), id_of(s, in), comm_row(s, in, f->time), 0);
}

/* In the order of time, as the viewer takes the first and the last one for its chart. */
static void put_switches(struct store *s)
{
	const struct tracks *all = &s->t->tracks;
	const struct track_span *last = NULL, *p;
	struct follows *v = mem_array(all->nr_spans + 1, sizeof(*v));
	size_t i, n = 0;

	for (i = 0; i < all->nr_spans && !s->t->by_insns; i++) {
		p = &all->spans[i];
		if (p->kind != TRACK_RUN)
			continue;
		if (last && last->cpu == p->cpu && last->key != p->key)
			v[n++] = (struct follows){ p->begin, last, p };
		last = p;
	}
	ARRAY_SORT_BY(v, n, time);
	for (i = 0; i < n; i++)
		put_switch(s, &v[i], (int64_t)i + 1);
	free(v);
}

/* Finds the caller of each call: the last one before it with less depth. */
static void find_parents(struct store *s)
{
	const struct calls_slice *v = s->t->slices;
	uint32_t up;
	size_t i;

	s->parents = mem_array(s->t->nr_slices + 1, sizeof(*s->parents));
	for (i = 0; i < s->t->nr_slices; i++) {
		up = (uint32_t)i;
		if (up && (v[i - 1].thread != v[i].thread || v[i - 1].tree != v[i].tree))
			up = 0;
		while (up && v[up - 1].depth >= v[i].depth)
			up = s->parents[up - 1];
		s->parents[i] = up;
	}
}

/* ---- samples -------------------------------------------------------------------------------- */

/* The branch that entered a function; BRANCH_NR: none was seen. */
static enum branch_kind entered_by(const struct calls_slice *c)
{
	if (c->from == CALLS_NO_PLACE || c->flags & CALLS_BEGAN_BEFORE)
		return BRANCH_NR;
	switch (c->kind) {
	case CST_COUNT_CALL:
		return BRANCH_CALL;
	case CST_COUNT_TAIL:
		return BRANCH_UNCOND;
	case CST_COUNT_EXCEPTION:
		return c->exception ? (enum branch_kind)c->exception : BRANCH_FAULT;
	default:
		return BRANCH_NR;
	}
}

static int by_time(const void *pa, const void *pb, void *timeline)
{
	const struct timeline *t = timeline;
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const uint64_t x = timeline_at(t, &t->slices[a].begin),
		       y = timeline_at(t, &t->slices[b].begin);

	if (x != y)
		return x < y ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void put_sample(struct store *s, size_t i, int64_t id)
{
	const struct calls_slice *c = &s->t->slices[i];
	const struct track_thread *th = tracks_thread(&s->t->tracks, c->thread);
	const uint64_t time = timeline_at(s->t, &c->begin);
	const struct spot from = site_of(s, i), to = entry_of(s, c);
	const unsigned int flags = branch_ip_flags_of(entered_by(c), false);

	ROW(s, DB_SAMPLES, id, EVENT, machine_of(th), id_of(s, th),
	    comm_row(s, th, c->begin.time), from.dso, from.symbol, from.offset, from.ip,
	    (int64_t)time,
	    track_runs_cpu(&s->runs, c->thread, time), to.dso, to.symbol, to.offset, to.ip, flags,
	    0, 0, 0, 0, flags);
}

/* The viewer looks for a time among samples by their numbers. */
static void put_samples(struct store *s)
{
	const size_t nr = s->t->nr_slices;
	uint32_t *order = mem_array(nr + 1, sizeof(*order));
	size_t i, n = 0;

	s->samples = mem_zeroed(nr + 1, sizeof(*s->samples));
	for (i = 0; i < nr; i++)
		if (entered_by(&s->t->slices[i]) != BRANCH_NR)
			order[n++] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_time, (void *)(uintptr_t)s->t);
	for (i = 0; i < n; i++) {
		s->samples[order[i]] = (int64_t)i + 1;
		put_sample(s, order[i], (int64_t)i + 1);
	}
	free(order);
}

static void put_branch_types(struct store *s)
{
	static const struct {
		enum branch_kind kind;
		const char *name;
	} types[] = {
		{ BRANCH_CALL, "call" },
		{ BRANCH_RET, "return" },
		{ BRANCH_COND, "conditional jump" },
		{ BRANCH_UNCOND, "unconditional jump" },
		{ BRANCH_FAULT, "software interrupt" },
		{ BRANCH_ERET, "return from interrupt" },
		{ BRANCH_SYSCALL, "system call" },
		{ BRANCH_SYSRET, "return from system call" },
		{ BRANCH_IRQ, "hardware interrupt" },
		{ BRANCH_BEGIN, "trace begin" },
		{ BRANCH_END, "trace end" },
	};
	size_t i;

	database_row(s->db, DB_BRANCH_TYPES, (const int64_t[]){ 0 }, TEXTS("no branch"));
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		database_row(s->db, DB_BRANCH_TYPES,
			     (const int64_t[]){ branch_ip_flags_of(types[i].kind, false) },
			     TEXTS(types[i].name));
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct path *p)
{
	const uint64_t k = 0x9e3779b97f4a7c15u;

	return ((uint64_t)p->parent * k + (uint64_t)p->symbol) * k >> 24;
}

static uint64_t hash_at(const void *array, uint32_t i)
{
	return hash_of(&((const struct path *)array)[i]);
}

static int64_t path_row(struct store *s, int64_t parent, int64_t symbol)
{
	const struct path p = { parent, symbol };
	size_t at;

	slots_reserve(&s->by_path, s->nr_paths, s->paths, hash_at);
	SLOTS_FIND(&s->by_path, at, hash_of(&p),
		   s->paths[s->by_path.v[at] - 1].parent == parent &&
			   s->paths[s->by_path.v[at] - 1].symbol == symbol);
	if (!s->by_path.v[at]) {
		*ARRAY_ADD(s->paths, s->nr_paths, s->cap_paths) = p;
		s->by_path.v[at] = (uint32_t)s->nr_paths;
		ROW(s, DB_CALL_PATHS, ROOT_PATH + (int64_t)s->nr_paths, parent, symbol, 0);
	}
	return ROOT_PATH + s->by_path.v[at];
}

static int64_t flags_of(const struct calls_slice *c)
{
	int64_t flags = 0;

	if (c->flags & CALLS_BEGAN_BEFORE || c->kind == CST_COUNT_ROOT ||
	    c->kind == CST_COUNT_SIGNAL)
		flags |= NO_CALL;
	if (c->flags & (CALLS_END_LOST | CALLS_STILL_OPEN))
		flags |= NO_RETURN;
	return c->kind == CST_COUNT_TAIL ? flags | NO_RETURN | NON_CALL : flags;
}

static void put_call(struct store *s, size_t i, const struct track_thread *th)
{
	const struct calls_slice *c = &s->t->slices[i];
	const uint32_t up = s->parents[i];
	const int64_t above = up ? s->path_of[up - 1] : ROOT_PATH;

	s->path_of[i] = path_row(s, above, entry_of(s, c).symbol);
	ROW(s, DB_CALLS, (int64_t)i + 1, id_of(s, th), comm_row(s, th, c->begin.time),
	    s->path_of[i], (int64_t)timeline_at(s->t, &c->begin),
	    (int64_t)timeline_at(s->t, &c->end), (int64_t)(c->end.branches - c->begin.branches),
	    s->samples[i], 0, above, flags_of(c), up, (int64_t)(c->end.insns - c->begin.insns),
	    (int64_t)(c->end.cycles - c->begin.cycles));
}

static void put_calls(struct store *s)
{
	const struct calls_slice *v = s->t->slices;
	const struct track_thread *th = NULL;
	size_t i;

	s->path_of = mem_array(s->t->nr_slices + 1, sizeof(*s->path_of));
	for (i = 0; i < s->t->nr_slices; i++) {
		if (!i || v[i].thread != v[i - 1].thread)
			th = tracks_thread(&s->t->tracks, v[i].thread);
		put_call(s, i, th);
	}
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Queries join with row 0 where something is unknown. */
static void put_unknown(struct store *s)
{
	const int64_t zeros[32] = { 0 };

	database_row(s->db, DB_EVENTS, zeros, TEXTS("unknown"));
	database_row(s->db, DB_EVENTS, (const int64_t[]){ EVENT }, TEXTS("branches"));
	database_row(s->db, DB_MACHINES, zeros, TEXTS("unknown"));
	database_row(s->db, DB_MACHINES, (const int64_t[]){ HOST, -1 }, TEXTS(""));
	put_guests(s);
	ROW(s, DB_THREADS, 0, 0, 0, -1, -1);
	database_row(s->db, DB_COMMS, zeros, TEXTS("unknown"));
	database_row(s->db, DB_DSOS, zeros, TEXTS("unknown", "unknown", ""));
	database_row(s->db, DB_SYMBOLS, zeros, TEXTS(NULL, "unknown"));
	database_row(s->db, DB_SAMPLES, zeros, NULL);
	database_row(s->db, DB_CALL_PATHS, zeros, NULL);
	ROW(s, DB_CALL_PATHS, ROOT_PATH, 0, 0, 0);
	database_row(s->db, DB_CALLS, zeros, NULL);
}

static void release(struct store *s)
{
	struct intmap *const maps[] = { &s->mains, &s->dsos, &s->symbols, &s->comm_threads };
	size_t i, at;
	void *value;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		for (at = 0; (value = intmap_next(maps[i], &at)) != NULL;)
			free(value);
		intmap_free(maps[i]);
	}
	strings_free(&s->comms);
	slots_free(&s->by_path);
	free(s->paths);
	track_runs_free(&s->runs);
	free(s->parents);
	free(s->samples);
	free(s->path_of);
	free(s);
}

int timeline_sqlite(const struct timeline *t, const struct pd_output *out, struct error *err)
{
	struct store *s = mem_zeroed(1, sizeof(*s));
	int rc;

	s->t = t;
	s->db = database_open(out->temp);
	put_unknown(s);
	put_branch_types(s);
	put_threads(s);
	track_runs_init(&s->runs, &t->tracks);
	find_parents(s);
	put_samples(s);
	put_calls(s);
	put_switches(s);
	rc = database_close(s->db, out->name, err);
	release(s);
	return rc;
}

#else /* the command refuses the format */

int timeline_sqlite(const struct timeline *t, const struct pd_output *out, struct error *err)
{
	(void)t;
	return error_set(err, ERR_USAGE, "%s: this program was made without sqlite", out->name);
}
#endif
