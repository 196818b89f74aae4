/* SPDX-License-Identifier: GPL-2.0-only */
/* losses_report.c - the losses in words: causes and cures, then who lost what. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/name.h"
#include "session/internal.h"

/* Longer lists are cut unless all is asked for. */
#define SHORT_LIST 16

uint64_t losses_missing_code(const struct losses *ls)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (loss_kind(i) == LOSS_KIND_CODE)
			n += ls->cause[i].count;
	return n;
}

bool session_has_losses(const struct session *ss)
{
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (ss->losses.cause[i].count)
			return true;
	return false;
}

bool session_matched(const struct session *ss)
{
	return !ss->filter || ss->matched;
}

bool session_incomplete(const struct session *ss)
{
	return session_has_losses(ss) || !session_matched(ss);
}

/* 65012345 -> 65,012,345 */
static const char *grouped(uint64_t v, char out[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), i, k = 0;

	for (i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = 0;
	return out;
}

/* Bytes of trace that the file holds or should hold. */
static uint64_t all_bytes(const struct session *ss)
{
	return ss->bytes_total + ss->totals.aux_missing + ss->totals.aux_unclaimed;
}

void session_print_share(const struct session *ss, uint64_t bytes, FILE *out)
{
	uint64_t all = all_bytes(ss);
	char a[32];

	if (!bytes || !all)
		return;
	if (bytes > all)
		bytes = all;
	fprintf(out, "%s byte%s of trace, %.1f %%", grouped(bytes, a), bytes == 1 ? "" : "s",
		100.0 * (double)bytes / (double)all);
}

/* ", 12 bytes of trace, 3.4 %" */
static void append_share(const struct session *ss, uint64_t bytes, FILE *out)
{
	if (!bytes || !all_bytes(ss))
		return;
	fprintf(out, ", ");
	session_print_share(ss, bytes, out);
}

void session_print_summary(const struct session *ss, FILE *out)
{
	const struct session_totals *t = &ss->totals;
	uint64_t code = losses_missing_code(&ss->losses);
	const char *sep = "";
	char a[32], b[32], c[32];
	int i;

	fprintf(out, "cstrace: %s bytes, %s instructions, %s branches, losses: ", grouped(t->aux_bytes, a),
		grouped(t->dec.insns, b), grouped(t->dec.branches, c));
	if (!session_has_losses(ss))
		fprintf(out, "none");
	for (i = 0; i < NR_LOSSES; i++) {
		uint64_t count = ss->losses.cause[i].count;

		if (loss_kind(i) == LOSS_KIND_CODE && code) {
			fprintf(out, "%s%s places without code", sep, grouped(code, a));
			code = 0;
		} else if (loss_kind(i) != LOSS_KIND_CODE && count) {
			fprintf(out, "%s%s %s", sep, grouped(count, a), loss_counted(i));
		} else {
			continue;
		}
		sep = ", ";
	}
	if (ss->filter)
		fprintf(out, "; %s bytes skipped by filter", grouped(t->filtered_bytes, a));
	fputc('\n', out);
}

/* When and where records were lost: what was mapped then may be missing. */
static void print_lost(const struct losses *ls, FILE *out)
{
	unsigned int i;
	char a[32];

	for (i = 0; i < ls->nr_lost; i++) {
		const struct lost_cpu *l = &ls->lost[i];

		if (l->cpu < 0 || l->first == NO_TIME)
			continue;
		fprintf(out, "    CPU %d: %s, noticed between %" PRIu64 ".%09" PRIu64 " and %" PRIu64 ".%09" PRIu64
			" s\n", l->cpu, grouped(l->count, a), l->first / 1000000000, l->first % 1000000000,
			l->last / 1000000000, l->last % 1000000000);
	}
}

/* Which virtual machines ran: by VMID, or by the host's thread that ran them. */
static void print_guests(const struct guests *gs, FILE *out)
{
	char a[32];
	unsigned int i;

	for (i = 0; i < gs->nr; i++)
		fprintf(out, "    guest %" PRIu32 ": %s stretches\n", gs->v[i].id, grouped(gs->v[i].stretches, a));
	if (gs->rest)
		fprintf(out, "    further guests: %s stretches\n", grouped(gs->rest, a));
}

static void print_cause(const struct session *ss, enum loss cause, FILE *out)
{
	const struct loss_amount *n = &ss->losses.cause[cause];
	char a[32];

	fprintf(out, "  %s %s", grouped(n->count, a), loss_counted(cause));
	append_share(ss, n->bytes, out);
	fprintf(out, ": %s\n", loss_why(cause));
	if (cause == LOSS_LOST)
		print_lost(&ss->losses, out);
	if (cause == LOSS_GUEST)
		print_guests(&ss->totals.who.guests, out);
	if (loss_cure(cause, ss->recorder))
		fprintf(out, "    -> %s\n", loss_cure(cause, ss->recorder));
}

void session_print_losses(const struct session *ss, FILE *out)
{
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (ss->losses.cause[i].count)
			print_cause(ss, i, out);
}

/* The rows of one CPU or process, as they are printed: in one line. */
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

static void print_group(const struct session *ss, const struct group *g, const char *what, FILE *out)
{
	const struct loss_row *r = g->first;
	char a[32];
	size_t i;

	if (r->number < 0)
		fprintf(out, "  %s unknown", what);
	else if (r->comm[0])
		fprintf(out, "  %s %d %s", what, r->number, name_shown(r->comm));
	else
		fprintf(out, "  %s %d", what, r->number);
	append_share(ss, g->bytes, out);
	for (i = 0; i < g->nr; i++)
		if (r[i].amount.count)
			fprintf(out, "%s%s %s", i ? ", " : ": ", grouped(r[i].amount.count, a),
				loss_counted(r[i].cause));
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
		fprintf(out, "%s%s %s", sep, grouped(t->rest[i].count, a), loss_counted(i));
		sep = ", ";
	}
	fputc('\n', out);
}

static void print_table(const struct session *ss, const struct loss_table *t, const char *title,
			const char *what, FILE *out, bool all)
{
	struct loss_row *rows = malloc((t->nr + 1) * sizeof(*rows));
	struct group *groups = calloc(t->nr + 1, sizeof(*groups));
	size_t i, n = 0;

	if (!rows || !groups || !t->nr)
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
		print_group(ss, &groups[i], what, out);
	print_rest(t, n - i, out);
out:
	free(rows);
	free(groups);
}

void losses_print(const struct session *ss, FILE *out, bool all)
{
	session_print_losses(ss, out);
	print_table(ss, &ss->losses.cpu, "Losses by CPU", "CPU", out, all);
	print_table(ss, &ss->losses.process, "Losses by process", "process", out, all);
}
