/* SPDX-License-Identifier: GPL-2.0-only */
/* totals.c - totals of a run, and the files whose code was missing. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name.h"
#include "machine/images/dso.h"
#include "session/facts.h"
#include "session/filter/offer.h"
#include "session/internal.h"
#include "session/losses/report.h"

const struct session_totals *session_totals(const struct session *ss)
{
	return &ss->totals;
}

/* Bases for the percentages of the report: bytes of trace that the file has, or should have. */
static struct loss_report report_of(const struct session *ss)
{
	return (struct loss_report){
		.losses = &ss->losses,
		.guests = &ss->totals.who.guests,
		.made = session_made(ss),
		.trace_bytes = ss->bytes_total + ss->totals.aux_missing + ss->totals.aux_unclaimed,
	};
}

bool session_has_losses(const struct session *ss)
{
	return losses_any(&ss->losses);
}

bool session_matched(const struct session *ss)
{
	return !ss->chosen.filter || ss->chosen.matched;
}

bool session_filtered(const struct session *ss)
{
	return ss->chosen.filter;
}

bool session_incomplete(const struct session *ss)
{
	return session_has_losses(ss) || !session_matched(ss);
}

static uint64_t aux_records(const struct session *ss)
{
	uint64_t n = 0;
	size_t i;

	/* those whose losses are counted: with a filter not all of them */
	for (i = 0; i < ss->queues.nr_aux; i++)
		n += ss->queues.aux[i].counted;
	return n;
}

struct loss_share session_share(const struct session *ss)
{
	const uint64_t all = report_of(ss).trace_bytes, left_out = ss->totals.filtered_bytes;
	const struct loss_base base = {
		.bytes = all > left_out ? all - left_out : 0,
		.aux_records = aux_records(ss),
		.records = ss->totals.records,
	};

	return losses_share(&ss->losses, &base);
}

bool session_lossy(const struct session *ss)
{
	const struct loss_share s = session_share(ss);

	return loss_share_above(&s, ss->opts.max_loss);
}

void session_forget_code(struct session *ss)
{
	losses_forget_code(&ss->losses);
}

/* True if a trace unit writes what programs say, and no instructions. */
static bool has_software(const struct session *ss)
{
	size_t i;

	for (i = 0; i < ss->units.given.nr; i++)
		if (ss->units.given.v[i].config.protocol == CST_PROTO_STM ||
		    ss->units.given.v[i].config.protocol == CST_PROTO_ITM)
			return true;
	return false;
}

bool session_decoded(const struct session *ss)
{
	const struct cst_stats *dec = &ss->totals.dec;

	return session_matched(ss) && (dec->insns || (dec->packets && has_software(ss)));
}

void session_print_losses(const struct session *ss, FILE *out)
{
	const struct loss_report rep = report_of(ss);

	losses_print_causes(&rep, out);
}

void session_print_all_losses(const struct session *ss, FILE *out, bool all)
{
	const struct loss_report rep = report_of(ss);

	losses_print(&rep, out, all);
}

void session_print_summary(const struct session *ss, FILE *out)
{
	const struct session_totals *t = &ss->totals;
	uint64_t code = losses_missing_code(&ss->losses);
	const char *sep = "";
	char a[32], b[32], c[32];
	int i;

	fprintf(out, "cstrace: %s bytes, %s instructions, %s branches, losses: ", losses_grouped(t->aux_bytes, a),
		losses_grouped(t->dec.insns, b), losses_grouped(t->dec.branches, c));
	if (!session_has_losses(ss))
		fprintf(out, "none");
	for (i = 0; i < NR_LOSSES; i++) {
		uint64_t count = ss->losses.cause[i].count;

		if (loss_kind(i) == LOSS_KIND_CODE && code) {
			fprintf(out, "%s%s places without code", sep, losses_grouped(code, a));
			code = 0;
		} else if (loss_kind(i) != LOSS_KIND_CODE && count) {
			fprintf(out, "%s%s %s", sep, losses_grouped(count, a), loss_counted(i));
		} else {
			continue;
		}
		sep = ", ";
	}
	if (ss->chosen.filter)
		fprintf(out, "; %s bytes skipped by filter", losses_grouped(t->filtered_bytes, a));
	fputc('\n', out);
}

static bool is_missing(const struct dso *d)
{
	return d->counts.nacc ||
	       ((d->state == DSO_MISSING || d->state == DSO_REFUSED) && d->counts.used);
}

/* Orders by loss, greatest first, then by name, so that the output is deterministic. */
static int compare_missing(const void *a, const void *b)
{
	const struct dso *x = *(struct dso *const *)a, *y = *(struct dso *const *)b;

	if (x->counts.nacc_bytes != y->counts.nacc_bytes)
		return x->counts.nacc_bytes > y->counts.nacc_bytes ? -1 : 1;
	if (x->counts.nacc != y->counts.nacc)
		return x->counts.nacc > y->counts.nacc ? -1 : 1;
	return dso_compare(x, y);
}

static void print_times(const struct session *ss, uint64_t times, uint64_t bytes, FILE *out)
{
	const struct loss_report rep = report_of(ss);

	fprintf(out, "cstrace: missing code, %" PRIu64 " times", times);
	if (bytes) {
		fprintf(out, " (");
		losses_print_share(&rep, bytes, out);
		fprintf(out, ")");
	}
	fprintf(out, ": ");
}

/* True if kernel memory was copied when the trace was recorded: that need not be advised. */
static bool has_kcore(const struct session *ss)
{
	return session_made(ss).facts & CURE_FACT(KCORE);
}

static unsigned int print_files(const struct session *ss, FILE *out)
{
	struct dso **list = mem_zeroed(ss->images.dsos.nr + 1, sizeof(*list));
	size_t i, n = 0;

	for (i = 0; i < ss->images.dsos.nr; i++)
		if (is_missing(ss->images.dsos.all[i]))
			list[n++] = ss->images.dsos.all[i];
	if (n)
		qsort(list, n, sizeof(*list), compare_missing);
	for (i = 0; i < n; i++) {
		print_times(ss, list[i]->counts.nacc, list[i]->counts.nacc_bytes, out);
		dso_explain(list[i], ss->recorder == RECORDER_PERF, has_kcore(ss), out);
	}
	free(list);
	return n;
}

static void print_conflicts(const struct session *ss, FILE *out)
{
	const struct dso *d;
	size_t i;

	for (i = 0; i < ss->images.dsos.nr; i++) {
		d = ss->images.dsos.all[i];
		if (d->counts.conflicts)
			fprintf(out,
				"cstrace: trace contradicts the code, %" PRIu64
				" times: %s: is %s the file that "
				"ran?%s\n",
				d->counts.conflicts, name_shown(d->path),
				d->image.file && strcmp(d->image.file, d->path) ?
					name_shown(d->image.file) :
					"it",
				d->copy.assumed ?
					" Part of it was remapped to anonymous memory, which "
					"may hold other code: --no-text-copies leaves it out." :
					"");
	}
}

void session_print_end(const struct session *ss, FILE *out)
{
	session_print_missing(ss, out);
	session_print_summary(ss, out);
	if (ss->opts.max_loss) {
		const struct loss_share s = session_share(ss);

		loss_share_print(&s, ss->opts.max_loss, out);
	}
	if (session_has_losses(ss))
		fprintf(out, "cstrace: 'perf-cstrace info' tells which CPUs%s and files lost it, and what helps\n",
			ss->recorder == RECORDER_SNAPSHOT ? "" : ", processes");
}

unsigned int session_print_missing(const struct session *ss, FILE *out)
{
	const struct losses *ls = &ss->losses;
	unsigned int n = print_files(ss, out);
	static const uint8_t nobodys[] = {	/* causes that are not a file's */
		LOSS_NO_THREAD, LOSS_NAMESPACE, LOSS_OUTSIDE, LOSS_UNCERTAIN, LOSS_SHORT_ID, LOSS_ASID, LOSS_GUEST,
		LOSS_GUEST_PART,
		LOSS_SECURE, LOSS_FIRMWARE,
	};
	const struct cure_case made = session_made(ss);
	char text[CURE_TEXT];
	const char *cure;
	size_t i;
	enum loss user = ss->losses.lost_records ? LOSS_MAP_LOST : LOSS_NO_MAP;

	print_conflicts(ss, out);
	for (i = 0; i < sizeof(nobodys) / sizeof(nobodys[0]); i++) {
		const struct loss_amount *a = &ls->cause[nobodys[i]];

		if (!a->count)
			continue;
		print_times(ss, a->count, a->bytes, out);
		cure = cure_text(nobodys[i], &made, text);
		fprintf(out, "%s%s%s\n", loss_reason(nobodys[i], ss->recorder), cure ? "; " : "", cure ? cure : "");
		n++;
	}
	if (ls->no_map[0].count) {
		print_times(ss, ls->cause[user].count, ls->cause[user].bytes, out);
		fprintf(out, ss->recorder == RECORDER_SNAPSHOT ?
			"at 0x%" PRIx64 " and elsewhere no program and no memory contents are given\n" :
			"at 0x%" PRIx64 " and elsewhere nothing was mapped according to the file's records "
			"(generated code, or lost records)\n", ls->no_map[0].addr);
		n++;
	}
	if (ls->no_map[1].count) {
		print_times(ss, ls->no_map[1].count, 0, out);
		cure = cure_text(LOSS_KERNEL, &made, text);
		fprintf(out, "kernel at 0x%" PRIx64 " and elsewhere%s%s\n", ls->no_map[1].addr, cure ? "; " : "",
			cure ? cure : "");
		n++;
	}
	return n;
}

void session_print_offer(struct session *ss, FILE *out)
{
	const struct offer_from from = { .pd = ss->pd, .name = ss->name, .units = &ss->units, .queues = &ss->queues,
					.clocks = &ss->clocks };

	filter_print_offer(&ss->opts.filter, &from, out);
}
