/* SPDX-License-Identifier: GPL-2.0-only */
/* report.c - prints losses: causes with remedies, then the CPUs and processes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name.h"
#include "session/losses/report.h"

/* maximum length of a list unless all is printed */
#define SHORT_LIST 16

/* 65012345 -> 65,012,345 */
const char *losses_grouped(uint64_t v, char out[32])
{
	char text[32], *at = text + sizeof(text);
	unsigned int n = 0;

	*--at = 0;
	do {
		if (n && n % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + v % 10);
		v /= 10;
		n++;
	} while (v);
	return memcpy(out, at, (size_t)(text + sizeof(text) - at));
}

void losses_print_share(const struct loss_report *rep, uint64_t bytes, FILE *out)
{
	uint64_t all = rep->trace_bytes;
	char a[32];

	if (!bytes || !all)
		return;
	if (bytes > all)
		bytes = all;
	fprintf(out, "%s byte%s of trace, %.1f %%", losses_grouped(bytes, a), bytes == 1 ? "" : "s",
		100.0 * (double)bytes / (double)all);
}

/* ", 12 bytes of trace, 3.4 %" */
static void append_share(const struct loss_report *rep, uint64_t bytes, FILE *out)
{
	if (!bytes || !rep->trace_bytes)
		return;
	fprintf(out, ", ");
	losses_print_share(rep, bytes, out);
}

/* Prints how many records were lost, and when: maps recorded in that time may be missing. */
static void print_lost(const struct losses *ls, FILE *out)
{
	unsigned int i;
	char a[32];

	for (i = 0; i < ls->nr_lost; i++) {
		const struct lost_cpu *l = &ls->lost[i];

		if (l->cpu < 0 || l->first == UINT64_MAX)
			continue;
		fprintf(out, "    CPU %d: %s, noticed between %" PRIu64 ".%09" PRIu64 " and %" PRIu64 ".%09" PRIu64
			" s\n", l->cpu, losses_grouped(l->count, a), l->first / 1000000000, l->first % 1000000000,
			l->last / 1000000000, l->last % 1000000000);
	}
}

static void print_bare(uint32_t id, uint64_t bare, const char *whose, const char *keys, FILE *out)
{
	char a[32];

	if (bare)
		fprintf(out, ", %s of its %s without files (--guest=%" PRIu32 ":%s)",
			losses_grouped(bare, a), whose, id, keys);
}

/*
 * Prints the virtual machines that ran, by VMID or by the host's process, and what is missing of
 * each.
 */
static void print_guests(const struct guests *gs, FILE *out)
{
	const struct guest_count *g;
	char a[32];

	for (g = gs->v; g < gs->v + gs->nr; g++) {
		fprintf(out, "    guest %" PRIu32 ": %s stretch%s", g->id,
			losses_grouped(g->stretches, a), g->stretches == 1 ? "" : "es");
		print_bare(g->id, g->bare_kernel, "kernel",
			   "vmlinux=FILE,kallsyms=FILE,modules=FILE", out);
		print_bare(g->id, g->bare_user, "programs", "data=FILE", out);
		fprintf(out, "\n");
	}
	if (gs->rest)
		fprintf(out, "    further guests: %s stretches\n", losses_grouped(gs->rest, a));
}

static void print_cause(const struct loss_report *rep, enum loss cause, FILE *out)
{
	const struct loss_amount *n = &rep->losses->cause[cause];
	char a[32], cure[CURE_TEXT];

	fprintf(out, "  %s %s", losses_grouped(n->count, a), loss_counted(cause));
	append_share(rep, n->bytes, out);
	fprintf(out, ": %s\n", loss_reason(cause, rep->made.recorder));
	if (cause == LOSS_LOST)
		print_lost(rep->losses, out);
	if (cause == LOSS_GUEST)
		print_guests(rep->guests, out);
	if (cure_text(cause, &rep->made, cure))
		fprintf(out, "    -> %s\n", cure);
	else if (cure_done_text(cause, &rep->made, cure))
		fprintf(out, "    what is known to help was done: %s\n", cure);
}

void losses_print_causes(const struct loss_report *rep, FILE *out)
{
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (rep->losses->cause[i].count)
			print_cause(rep, i, out);
}

/* The rows of one CPU or process, printed as one line. */
struct group {
	const struct loss_row *first;
	size_t nr;
	uint64_t bytes, count;
};

static int compare_names(const struct loss_row *x, const struct loss_row *y)
{
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->comm, y->comm);
}

static int by_name(const void *a, const void *b)
{
	const struct loss_row *x = a, *y = b;
	int c = compare_names(x, y);

	return c ? c : (x->cause > y->cause) - (x->cause < y->cause);
}

static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return compare_names(x->first, y->first);
}

static void print_group(const struct loss_report *rep, const struct group *g, const char *what, FILE *out)
{
	const struct loss_row *r = g->first;
	const char *sep = ": ";
	char a[32];
	size_t i;

	if (r->number < 0)
		fprintf(out, "  %s unknown", what);
	else if (r->comm[0])
		fprintf(out, "  %s %d %s", what, r->number, name_shown(r->comm));
	else
		fprintf(out, "  %s %d", what, r->number);
	append_share(rep, g->bytes, out);
	for (i = 0; i < g->nr; i++) {
		if (!r[i].amount.count)
			continue;
		fprintf(out, "%s%s %s", sep, losses_grouped(r[i].amount.count, a), loss_counted(r[i].cause));
		sep = ", ";
	}
	fputc('\n', out);
}

static void print_rest(const struct loss_table *t, size_t left, FILE *out)
{
	const char *sep = ": ";
	char a[32];
	int i;

	if (left)
		fprintf(out, "  and %zu more (--all lists them)\n", left);
	if (!t->given_up)
		return;
	fprintf(out, "  and others that lost little each");
	for (i = 0; i < NR_LOSSES; i++) {
		if (!t->rest[i].count)
			continue;
		fprintf(out, "%s%s %s", sep, losses_grouped(t->rest[i].count, a), loss_counted(i));
		sep = ", ";
	}
	fputc('\n', out);
}

static void print_table(const struct loss_report *rep, const struct loss_table *t, const char *title,
			const char *what, FILE *out, bool all)
{
	struct loss_row *rows = mem_array(t->nr + 1, sizeof(*rows));
	struct group *groups = mem_zeroed(t->nr + 1, sizeof(*groups));
	size_t i, n = 0;

	if (!t->nr)
		goto out;
	memcpy(rows, t->rows, t->nr * sizeof(*rows));
	qsort(rows, t->nr, sizeof(*rows), by_name);
	for (i = 0; i < t->nr; i++) {
		struct group *g;

		if (!i || compare_names(&rows[i], &rows[i - 1]))
			groups[n++].first = &rows[i];
		g = &groups[n - 1];
		g->nr++;
		g->bytes += rows[i].amount.bytes;
		g->count += rows[i].amount.count;
	}
	qsort(groups, n, sizeof(*groups), by_size);
	fprintf(out, "\n%s:\n", title);
	for (i = 0; i < n && (all || i < SHORT_LIST); i++)
		print_group(rep, &groups[i], what, out);
	print_rest(t, n - i, out);
out:
	free(rows);
	free(groups);
}

void losses_print(const struct loss_report *rep, FILE *out, bool all)
{
	losses_print_causes(rep, out);
	print_table(rep, &rep->losses->cpu, "Losses by CPU", "CPU", out, all);
	/* a snapshot has no processes, but for what its core had in memory */
	if (rep->made.recorder != RECORDER_SNAPSHOT)
		print_table(rep, &rep->losses->process, "Losses by process", "process", out, all);
}
