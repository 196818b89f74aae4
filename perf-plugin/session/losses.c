/* SPDX-License-Identifier: GPL-2.0-only */
/* losses.c - counts what was not decoded, where and of whom. */
#include <stdlib.h>
#include <string.h>

#include "base/intmap.h"
#include "session/internal.h"

#define NR_SLOTS (2 * LOSS_ROWS)

static const struct {
	uint8_t kind;
	const char *name, *counted, *why, *cure;
} causes[NR_LOSSES] = {
#define LOSS(name, kind, counted, why, cure) { LOSS_KIND_##kind, #name, counted, why, cure },
#include "session/losses.def"
#undef LOSS
};

enum loss_kind loss_kind(enum loss cause)
{
	return causes[cause].kind;
}

const char *loss_name(enum loss cause)
{
	return causes[cause].name;
}

const char *loss_counted(enum loss cause)
{
	return causes[cause].counted;
}

const char *loss_why(enum loss cause)
{
	return causes[cause].why;
}

const char *loss_cure(enum loss cause, enum session_recorder by)
{
	static const struct {
		bool own;
		const char *text[2];
	} cures[NR_LOSSES] = {
#define CURE(name, simpleperf, snapshot) [LOSS_##name] = { true, { simpleperf, snapshot } },
#include "session/cures.def"
#undef CURE
	};

	if (by != RECORDER_PERF && cures[cause].own)
		return cures[cause].text[by - RECORDER_SIMPLEPERF];
	return causes[cause].cure;
}

static int table_init(struct loss_table *t)
{
	t->rows = malloc(LOSS_ROWS * sizeof(*t->rows));
	t->slot = calloc(NR_SLOTS, sizeof(*t->slot));
	return t->rows && t->slot ? 0 : -CST_ERR_NOMEM;
}

int losses_init(struct losses *ls)
{
	return table_init(&ls->cpu) || table_init(&ls->process) ? -CST_ERR_NOMEM : 0;
}

static void table_free(struct loss_table *t)
{
	free(t->rows);
	free(t->slot);
}

void losses_free(struct losses *ls)
{
	table_free(&ls->cpu);
	table_free(&ls->process);
	memset(ls, 0, sizeof(*ls));
}

static uint16_t *find_slot(const struct loss_table *t, enum loss cause, int number, const char *comm)
{
	size_t i = ((uint32_t)number * 2654435761u ^ cause * 40503u) % NR_SLOTS;

	for (; t->slot[i]; i = (i + 1) % NR_SLOTS) {
		const struct loss_row *r = &t->rows[t->slot[i] - 1];

		if (r->number == number && r->cause == cause && !strcmp(r->comm, comm))
			break;
	}
	return &t->slot[i];
}

static int compare_rows(const void *a, const void *b)
{
	const struct loss_row *x = a, *y = b;

	if (x->amount.bytes != y->amount.bytes)
		return x->amount.bytes > y->amount.bytes ? -1 : 1;
	if (x->amount.count != y->amount.count)
		return x->amount.count > y->amount.count ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (strcmp(x->comm, y->comm))
		return strcmp(x->comm, y->comm);
	return (x->cause > y->cause) - (x->cause < y->cause);
}

/* The table is full: only the sums are left of the smaller half. */
static void give_up_half(struct loss_table *t)
{
	size_t i, keep = LOSS_ROWS / 2;

	qsort(t->rows, t->nr, sizeof(*t->rows), compare_rows);
	for (i = keep; i < t->nr; i++) {
		struct loss_amount *rest = &t->rest[t->rows[i].cause];

		rest->count += t->rows[i].amount.count;
		rest->bytes += t->rows[i].amount.bytes;
	}
	t->given_up += t->nr - keep;
	t->nr = keep;
	memset(t->slot, 0, NR_SLOTS * sizeof(*t->slot));
	for (i = 0; i < keep; i++)
		*find_slot(t, t->rows[i].cause, t->rows[i].number, t->rows[i].comm) = i + 1;
}

static void table_add(struct loss_table *t, enum loss cause, int number, const char *comm, uint64_t count,
		      uint64_t bytes)
{
	char name[LOSS_COMM] = "";
	struct loss_row *r;
	uint16_t *slot;

	if (number == LOSS_NOBODY)
		return;
	if (comm)
		strncat(name, comm, sizeof(name) - 1);
	slot = find_slot(t, cause, number, name);
	if (!*slot) {
		if (t->nr == LOSS_ROWS) {
			give_up_half(t);
			slot = find_slot(t, cause, number, name);
		}
		r = &t->rows[t->nr++];
		memset(r, 0, sizeof(*r));
		r->number = number;
		r->cause = cause;
		memcpy(r->comm, name, sizeof(name));
		*slot = t->nr;
	}
	r = &t->rows[*slot - 1];
	r->amount.count += count;
	r->amount.bytes += bytes;
}

void losses_add(struct losses *ls, enum loss cause, int cpu, int pid, const char *comm, uint64_t count,
		uint64_t bytes)
{
	if (!count && !bytes)
		return;
	ls->cause[cause].count += count;
	ls->cause[cause].bytes += bytes;
	table_add(&ls->cpu, cause, cpu, NULL, count, bytes);
	table_add(&ls->process, cause, pid, comm, count, bytes);
}

void losses_note_lost(struct session *ss, int cpu, uint64_t time, uint64_t count)
{
	uint64_t left = UINT64_MAX - ss->totals.lost_records;
	struct losses *ls = &ss->losses;
	struct lost_cpu *l;
	unsigned int i;

	if (count > left)
		count = left;	/* of a damaged record */
	ss->totals.lost_records += count;
	for (i = 0; i < ls->nr_lost && i < NR_LOST_CPUS && ls->lost[i].cpu != cpu; i++)
		;
	if (i == NR_LOST_CPUS)
		cpu = -1;
	l = &ls->lost[i];
	if (i == ls->nr_lost) {
		ls->nr_lost++;
		l->cpu = cpu;
		l->count = 0;
		l->first = l->last = time;
	}
	l->count += count;
	if (time == NO_TIME)
		return;
	if (l->first == NO_TIME || time < l->first)
		l->first = time;
	if (l->last == NO_TIME || time > l->last)
		l->last = time;
}

void losses_clear(struct losses *ls)
{
	struct loss_table *t;

	memset(ls->cause, 0, sizeof(ls->cause));
	memset(ls->no_map, 0, sizeof(ls->no_map));
	for (t = &ls->cpu; t; t = t == &ls->cpu ? &ls->process : NULL) {
		t->nr = t->given_up = 0;
		memset(t->slot, 0, NR_SLOTS * sizeof(*t->slot));
		memset(t->rest, 0, sizeof(t->rest));
	}
}

static void join_table(struct loss_table *t, const struct loss_table *more)
{
	const struct loss_row *r;

	for (r = more->rows; r < more->rows + more->nr; r++)
		table_add(t, r->cause, r->number, r->comm, r->amount.count, r->amount.bytes);
}

static bool fits(const struct loss_table *t, const struct loss_table *more)
{
	return !more->given_up && t->nr + more->nr <= LOSS_ROWS;
}

bool losses_join(struct losses *ls, const struct losses *more)
{
	size_t i;

	if (!fits(&ls->cpu, &more->cpu) || !fits(&ls->process, &more->process))
		return false;
	for (i = 0; i < NR_LOSSES; i++) {
		ls->cause[i].count += more->cause[i].count;
		ls->cause[i].bytes += more->cause[i].bytes;
	}
	join_table(&ls->cpu, &more->cpu);
	join_table(&ls->process, &more->process);
	for (i = 0; i < 2; i++) {
		if (!ls->no_map[i].count)
			ls->no_map[i].addr = more->no_map[i].addr;
		ls->no_map[i].count += more->no_map[i].count;
	}
	return true;
}

static void add_record(struct losses *ls, struct aux_record *r)
{
	/* In a buffer of a CPU the record's thread is whoever happened to run. */
	int pid = r->of_thread ? r->pid : LOSS_NOBODY;

	r->counted = true;
	losses_add(ls, LOSS_TRUNCATED, r->cpu, pid, NULL, !!(r->flags & AUX_FLAG_TRUNCATED), 0);
	losses_add(ls, LOSS_PARTIAL, r->cpu, pid, NULL, !!(r->flags & AUX_FLAG_PARTIAL), 0);
	losses_add(ls, LOSS_COLLISION, r->cpu, pid, NULL, !!(r->flags & AUX_FLAG_COLLISION), 0);
	losses_add(ls, LOSS_AUX_MISSING, r->cpu, pid, NULL, r->missing, r->missing);
	losses_add(ls, LOSS_FORMAT, r->cpu, pid, NULL, r->refused, r->refused ? r->size : 0);
}

void losses_fragment(struct session *ss, const struct fragment *f)
{
	if (f->aux && !f->aux->counted)
		add_record(&ss->losses, f->aux);
}

/*
 * Does it count from the start? What has fragments waits until one is decoded. What has none is skipped with the
 * times at which that can have been lost: since the record before on its CPU.
 */
static bool counts_now(const struct session *ss, const struct aux_record *r, const struct aux_record *before)
{
	uint64_t since = before && !(r->flags & AUX_FLAG_OVERWRITE) && before->time < r->time ? before->time : 0;

	return !ss->filter || (!r->fragments && filter_window(ss->filter, since, r->time));
}

void losses_start(struct session *ss)
{
	const struct session_totals *t = &ss->totals;
	struct losses *ls = &ss->losses;
	struct intmap last = { 0 };
	size_t i;

	losses_clear(ls);
	for (i = 0; i < ss->queues.nr_aux; i++) {
		struct aux_record *r = &ss->queues.aux[i];

		r->counted = false;
		if (counts_now(ss, r, r->cpu < 0 ? NULL : intmap_get(&last, r->cpu)))
			add_record(ls, r);
		/* Without memory for it, more counts. */
		if (ss->filter && r->cpu >= 0 && !intmap_put(&last, r->cpu, r))
			intmap_free(&last);
	}
	intmap_free(&last);
	for (i = 0; i < ss->queues.nr; i++) {
		const struct queue *q = ss->queues.q[i];

		losses_add(ls, LOSS_UNCLAIMED, q->cpu, LOSS_NOBODY, NULL, q->unclaimed, q->unclaimed);
	}
	for (i = 0; i < ls->nr_lost; i++)
		losses_add(ls, LOSS_LOST, ls->lost[i].cpu, LOSS_NOBODY, NULL, ls->lost[i].count, 0);
	losses_add(ls, LOSS_BAD_RECORD, LOSS_NOBODY, LOSS_NOBODY, NULL, ss->bad_records + ss->side.bad_records, 0);
	losses_add(ls, LOSS_EXPAND, LOSS_NOBODY, LOSS_NOBODY, NULL, ss->lost_compressed, 0);
	losses_add(ls, LOSS_JITDUMP, LOSS_NOBODY, LOSS_NOBODY, NULL, ss->side.jit.bad_records, 0);
	losses_add(ls, LOSS_CUT, LOSS_NOBODY, LOSS_NOBODY, NULL, t->file_cut, 0);
}

void losses_queue_end(struct session *ss, int cpu, const struct cst_frame_stats *fs, uint64_t unrouted)
{
	struct losses *ls = &ss->losses;

	if (fs) {
		losses_add(ls, LOSS_BAD_FRAME, cpu, LOSS_NOBODY, NULL, fs->errors, 0);
		losses_add(ls, LOSS_FRAME_BYTES, cpu, LOSS_NOBODY, NULL, fs->skipped, fs->skipped);
		losses_add(ls, LOSS_FRAME_ID, cpu, LOSS_NOBODY, NULL, fs->unknown, fs->unknown);
	}
	losses_add(ls, LOSS_UNROUTED, cpu, LOSS_NOBODY, NULL, unrouted, unrouted);
}

enum loss loss_of_dso(const struct dso *d)
{
	switch (d->trouble) {
	case DSO_FINE:
		return LOSS_SHORT;
	case DSO_BUILD_ID:
		return LOSS_BUILD_ID;
	case DSO_NO_CODE:
		return LOSS_NO_TEXT;
	case DSO_MACHINE:
	case DSO_UNREADABLE:
	case DSO_BAD_ELF:
	case DSO_UNALIGNED:
	case DSO_PACKED:
	case DSO_UNPACKED_LARGE:
	case DSO_NO_MEMORY:
		return LOSS_UNFIT;
	case DSO_NO_PLACE:
		return LOSS_MODULE;
	case DSO_NO_SYMBOL:
		return LOSS_KERNEL;
	}
	switch (d->kind) {
	case DSO_VMLINUX:
	case DSO_KCORE:
		return LOSS_KERNEL;
	case DSO_MODULE:
		return LOSS_MODULE;
	case DSO_BPF:
		return LOSS_BPF;
	case DSO_ANON:
		return LOSS_JIT;
	}
	return !strncmp(d->path, "[vdso", 5) ? LOSS_VDSO : LOSS_NO_FILE;
}

/* Why there is no code at `addr`. */
static enum loss explain(const struct stream_state *st, const struct session_loc *loc, uint64_t addr)
{
	struct session *ss = st->ss;
	bool kernel = st->el_known && st->el > 0;

	if (loc->dso)
		return loss_of_dso(loc->dso);
	switch (st->who.world.world) {
	case WORLD_GUEST:
		return LOSS_GUEST;
	case WORLD_SECURE:
		return LOSS_SECURE;
	case WORLD_FIRMWARE:
		return LOSS_FIRMWARE;
	}
	if (!kernel && st->stream.pid < 0)
		return st->who.cause;
	if (!ss->losses.no_map[kernel].count++)
		ss->losses.no_map[kernel].addr = addr;
	if (kernel)
		return LOSS_KERNEL;
	return ss->totals.lost_records ? LOSS_MAP_LOST : LOSS_NO_MAP;
}

/* The share of a stretch of a buffer that belongs to this stream: frames hold several. */
static uint64_t own_bytes(const struct stream_state *st, uint64_t bytes)
{
	uint64_t own = cst_decoder_stats(st->stream.decoder)->bytes, all;

	if (st->frag->pub.raw)
		return bytes;
	all = cst_tree_frame_stats(st->tree)->data;
	return own < all ? (uint64_t)((double)bytes * (double)own / (double)all) : bytes;
}

static void close_gap(struct stream_state *st, uint64_t index)
{
	struct loss_gap *gap = &st->gap;
	uint64_t bytes;

	if (!gap->open)
		return;
	gap->open = false;
	if (index <= gap->from)
		return;
	bytes = own_bytes(st, index - gap->from);
	losses_add(&st->ss->losses, gap->cause, st->stream.cpu, gap->pid, gap->comm, 0, bytes);
	if (gap->dso)
		gap->dso->nacc_bytes += bytes;
}

static const char *process_comm(const struct stream_state *st)
{
	return st->stream.pid > 0 ? threads_comm(&st->ss->threads, st->stream.pid, st->limit) : NULL;
}

static void open_gap(struct stream_state *st, uint64_t index, enum loss cause, struct dso *d)
{
	struct loss_gap *gap = &st->gap;
	const char *comm = process_comm(st);

	gap->open = true;
	gap->from = index;
	gap->cause = cause;
	gap->dso = d;
	gap->pid = st->stream.pid;
	gap->comm[0] = 0;
	if (comm)
		strncat(gap->comm, comm, sizeof(gap->comm) - 1);
}

static void missing_code(struct stream_state *st, const struct cst_generic *g)
{
	struct session_loc loc;
	enum loss cause;

	session_locate(stream_here(st), g->addr, &loc);
	cause = explain(st, &loc, g->addr);
	open_gap(st, g->index, cause, loc.dso);
	if (loc.dso)
		loc.dso->nacc++;
	losses_add(&st->ss->losses, cause, st->stream.cpu, st->stream.pid, st->gap.comm, 1, 0);
}

static void lost_sync(struct stream_state *st, const struct cst_generic *g)
{
	switch (g->num) {
	case CST_UNSYNC_OVERFLOW:
		open_gap(st, g->index, LOSS_OVERFLOW, NULL);
		break;
	case CST_UNSYNC_DISCARD:
		open_gap(st, g->index, LOSS_DISCARD, NULL);
		break;
	case CST_UNSYNC_BAD_PACKET:
	case CST_UNSYNC_BAD_IMAGE:
		open_gap(st, g->index, LOSS_BAD_PACKET, NULL);
		break;
	}
}

/* True when a gap was open anywhere in the batch. */
static bool find_gaps(struct stream_state *st, const struct cst_generic *g, size_t n)
{
	bool any = st->gap.open;
	size_t i;

	for (i = 0; i < n; i++) {
		switch (g[i].kind) {
		case CST_GEN_RANGE:
		case CST_GEN_NOPATH:
			close_gap(st, g[i].index);
			break;
		case CST_GEN_NACC:
			close_gap(st, g[i].index);
			missing_code(st, &g[i]);
			break;
		case CST_GEN_NO_SYNC:
			close_gap(st, g[i].index);
			lost_sync(st, &g[i]);
			break;
		case CST_GEN_ADDR_UNKNOWN:
			close_gap(st, g[i].index);
			open_gap(st, g[i].index, g[i].error ? LOSS_CONFLICT : LOSS_STACK, NULL);
			break;
		}
		any |= st->gap.open;
	}
	return any;
}

/* The file whose code ran last is the one that does not fit. */
static void blame_file(struct stream_state *st, const struct cst_generic *g, size_t n, uint64_t conflicts)
{
	struct session_loc loc;

	while (conflicts && n--) {
		if (g[n].kind != CST_GEN_RANGE)
			continue;
		if (session_locate(stream_here(st), g[n].addr, &loc) && loc.dso)
			loc.dso->conflicts += conflicts;
		break;
	}
}

static uint64_t sum(const struct cst_stats *s)
{
	return s->bad_packets + s->unsynced + s->overflows + s->discards + s->resyncs + s->nacc + s->atoms_lost +
	       s->image_conflicts + s->stack_empty + s->nopath + s->uncommitted + s->data_lost + s->times_unknown;
}

/* What the decoder counted since the last batch belongs to whoever ran. */
static void count_since(struct stream_state *st, const struct cst_stats *now, bool in_gap)
{
	const struct cst_stats *was = &st->seen;
	const char *comm = process_comm(st);
	const struct {
		enum loss cause;
		uint64_t count, bytes;
	} more[] = {
		{ LOSS_BAD_PACKET, now->bad_packets - was->bad_packets, 0 },
		/* within a gap these bytes are the gap's */
		{ LOSS_UNSYNCED, now->unsynced - was->unsynced, in_gap ? 0 : now->unsynced - was->unsynced },
		{ LOSS_OVERFLOW, now->overflows - was->overflows, 0 },
		{ LOSS_DISCARD, now->discards - was->discards, 0 },
		{ LOSS_RESYNC, now->resyncs - was->resyncs, 0 },
		{ LOSS_ATOMS, now->atoms_lost - was->atoms_lost, 0 },
		{ LOSS_CONFLICT, now->image_conflicts - was->image_conflicts, 0 },
		{ LOSS_STACK, now->stack_empty - was->stack_empty, 0 },
		{ LOSS_NOPATH, now->nopath - was->nopath, 0 },
		{ LOSS_UNCOMMITTED, now->uncommitted - was->uncommitted, 0 },
		{ LOSS_DATA, now->data_lost - was->data_lost, 0 },
		{ LOSS_TIME, now->times_unknown - was->times_unknown, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		losses_add(&st->ss->losses, more[i].cause, st->stream.cpu, st->stream.pid, comm, more[i].count,
			   more[i].bytes);
	st->seen = *now;
	st->seen_sum = sum(now);
}

void losses_batch(struct stream_state *st, const struct cst_generic *g, size_t n)
{
	const struct cst_stats *now = cst_decoder_stats(st->stream.decoder);
	uint64_t ranges = 0;
	bool in_gap;
	size_t i;

	for (i = 0; i < n && st->stream.pid < 0; i++)
		ranges += g[i].kind == CST_GEN_RANGE ? 1 : g[i].kind == CST_GEN_RUN ? g[i].runs : 0;
	if (ranges) {
		st->ss->totals.unknown_context += ranges;
		losses_add(&st->ss->losses, LOSS_CONTEXT, st->stream.cpu, -1, NULL, ranges, 0);
	}
	if (!st->gap.open && sum(now) == st->seen_sum)
		return;
	in_gap = find_gaps(st, g, n);
	if (sum(now) == st->seen_sum)
		return;
	blame_file(st, g, n, now->image_conflicts - st->seen.image_conflicts);
	count_since(st, now, in_gap);
}

void losses_forget(struct stream_state *st)
{
	st->seen = *cst_decoder_stats(st->stream.decoder);
	st->seen_sum = sum(&st->seen);
	st->gap.open = false;
}

void losses_fragment_end(struct stream_state *st)
{
	const struct cst_stats *now = cst_decoder_stats(st->stream.decoder);
	bool in_gap = st->gap.open;

	if (in_gap)
		close_gap(st, st->frag->pub.offset + st->frag->pub.size);
	if (sum(now) != st->seen_sum)
		count_since(st, now, in_gap);
}
