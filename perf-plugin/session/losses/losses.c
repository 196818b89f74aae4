/* SPDX-License-Identifier: GPL-2.0-only */
/* losses.c - tables of losses by cause, CPU and process. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/images/dso_table.h"
#include "session/losses/losses.h"

#define NR_SLOTS (2 * LOSS_ROWS)

static const struct {
	uint8_t kind;
	const char *name, *counted, *why;
} causes[NR_LOSSES] = {
#define LOSS(name, kind, counted, why) { LOSS_KIND_##kind, #name, counted, why },
#include "session/losses/losses.def"
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

/* Of a snapshot or bare trace, where they are not those of a recording by perf (losses.def). */
static const char *const snapshot_reasons[NR_LOSSES] = {
	[LOSS_NO_MAP] = "no program and no memory contents cover the address",
	[LOSS_NO_THREAD] = "nothing says what code is in memory",
	[LOSS_CONTEXT] = "nothing says in which context it ran",
	[LOSS_FIRMWARE] = "code of EL3 is in no program and no memory contents that are given",
	[LOSS_SECURE] =
		"code of the secure world is in no program and no memory contents that are given",
	[LOSS_CONFLICT] =
		"the programs are not those that ran, or memory had other code at the time",
};

const char *loss_reason(enum loss cause, enum session_recorder by)
{
	return by == RECORDER_SNAPSHOT && snapshot_reasons[cause] ? snapshot_reasons[cause] :
								   causes[cause].why;
}

static void table_init(struct loss_table *t)
{
	t->rows = mem_array(LOSS_ROWS, sizeof(*t->rows));
	t->slot = mem_zeroed(NR_SLOTS, sizeof(*t->slot));
}

void losses_init(struct losses *ls)
{
	table_init(&ls->cpu);
	table_init(&ls->process);
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

/* Makes room in a full table: adds the smaller half of its rows to the sums. */
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

void losses_note_lost(struct losses *ls, int cpu, uint64_t time, uint64_t count)
{
	uint64_t left = UINT64_MAX - ls->lost_records;
	struct lost_cpu *l;
	unsigned int i;

	if (count > left)
		count = left;	/* left of a damaged record */
	ls->lost_records += count;
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
	if (time == UINT64_MAX)
		return;
	if (time < l->first)
		l->first = time;
	if (l->last == UINT64_MAX || time > l->last)
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

void losses_queue_end(struct losses *ls, int cpu, const struct cst_frame_stats *fs, uint64_t unrouted)
{
	if (fs) {
		losses_add(ls, LOSS_BAD_FRAME, cpu, LOSS_NOBODY, NULL, fs->errors, 0);
		losses_add(ls, LOSS_FRAME_BYTES, cpu, LOSS_NOBODY, NULL, fs->skipped, fs->skipped);
		losses_add(ls, LOSS_FRAME_ID, cpu, LOSS_NOBODY, NULL, fs->unknown, fs->unknown);
	}
	losses_add(ls, LOSS_UNROUTED, cpu, LOSS_NOBODY, NULL, unrouted, unrouted);
}

static enum loss loss_of_memory(enum dso_name name)
{
	switch (name) {
	case NAME_MEMFD:
		return LOSS_NAMELESS;
	case NAME_DEVICE:
	case NAME_UPROBES:
		return LOSS_DEVICE;
	default:
		return LOSS_JIT;
	}
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
	case DSO_LEFT_OUT:
	case DSO_UNPACKED_LARGE:
	case DSO_NOT_MAPPABLE:
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
		return loss_of_memory(dso_name_kind(d->path));
	}
	if (!strncmp(d->path, "[vdso", 5))
		return LOSS_VDSO;
	if (dso_name_kind(d->path) == NAME_PAGE)
		return LOSS_PAGE;
	return !d->recorded.len && dso_name_kind(d->path) == NAME_LOST ? LOSS_NAMELESS :
		LOSS_NO_FILE;
}

uint64_t losses_missing_code(const struct losses *ls)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (loss_kind(i) == LOSS_KIND_CODE)
			n += ls->cause[i].count;
	return n;
}

void losses_forget_code(struct losses *ls)
{
	static const uint8_t followed[] = { LOSS_ATOMS, LOSS_CONFLICT, LOSS_STACK, LOSS_NOPATH,
					    LOSS_CONTEXT };
	size_t i;

	for (i = 0; i < NR_LOSSES; i++)
		if (loss_kind((int)i) == LOSS_KIND_CODE)
			ls->cause[i] = (struct loss_amount){ .count = 0 };
	for (i = 0; i < sizeof(followed); i++)
		ls->cause[followed[i]] = (struct loss_amount){ .count = 0 };
	memset(ls->no_map, 0, sizeof(ls->no_map));
}

bool losses_any(const struct losses *ls)
{
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (ls->cause[i].count)
			return true;
	return false;
}
