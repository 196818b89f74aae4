/* SPDX-License-Identifier: GPL-2.0-only */
/* totals.c - what was decoded, what was lost, and what to do about it. */
#include <inttypes.h>
#include <stdlib.h>

#include "session/internal.h"

/* Statistics consist of 64-bit counters only. */
static void add_counters(void *sum, const void *more, size_t size)
{
	uint64_t *to = sum;
	const uint64_t *from = more;
	size_t i;

	for (i = 0; i < size / sizeof(*to); i++)
		to[i] += from[i];
}

void session_add_stats(struct session *ss, const struct cst_stats *st)
{
	_Static_assert(sizeof(*st) % sizeof(uint64_t) == 0, "counters only");
	add_counters(&ss->totals.dec, st, sizeof(*st));
}

void session_add_frame_stats(struct session *ss, const struct cst_frame_stats *st)
{
	_Static_assert(sizeof(*st) % sizeof(uint64_t) == 0, "counters only");
	add_counters(&ss->totals.frame, st, sizeof(*st));
}

void session_count_missing(struct session *ss, struct stream *s, uint64_t addr)
{
	struct stream_state *st = s->state;
	struct session_loc loc;

	if (session_locate(s, addr, &loc) && loc.dso) {
		struct dso *d = loc.dso;

		if (!d->nacc++)
			d->nacc_addr = addr;
	} else if (st->el_known && st->el > 0) {
		if (!ss->missing.no_map_kernel++)
			ss->missing.no_map_kernel_addr = addr;
	} else {
		if (!ss->missing.no_map++)
			ss->missing.no_map_addr = addr;
	}
}

const struct session_totals *session_totals(const struct session *ss)
{
	return &ss->totals;
}

struct loss {
	uint64_t count;
	const char *text;
};

#define NR_LOSSES 25

static size_t list_losses(const struct session *ss, struct loss *l)
{
	const struct session_totals *t = &ss->totals;
	const struct loss all[NR_LOSSES] = {
		{ t->aux_truncated, "truncated AUX records" },
		{ t->aux_partial, "partial AUX records" },
		{ t->aux_collision, "AUX records with collisions" },
		{ t->aux_missing, "bytes of AUX data not in the file" },
		{ t->aux_unclaimed, "bytes of AUX data without an AUX record" },
		{ ss->queues.refused, "AUX records of an unknown format" },
		{ t->unrouted, "bytes that no trace unit is known for" },
		{ t->lost_records, "lost records" },
		{ ss->bad_records, "unreadable records" },
		{ t->frame.errors, "bad frames" },
		{ t->frame.skipped, "bytes of bad or cut frames" },
		{ t->frame.unknown, "bytes before the first trace ID" },
		{ t->dec.unsynced, "bytes before a synchronisation point" },
		{ t->dec.bad_packets, "bad packets" },
		{ t->dec.resyncs, "restarts after errors" },
		{ t->dec.overflows, "trace unit overflows" },
		{ t->dec.discards, "discards" },
		{ t->dec.nacc, "places without code" },
		{ t->dec.atoms_lost, "atoms without an address or context" },
		{ t->dec.image_conflicts, "atoms that contradict the program image" },
		{ t->dec.stack_empty, "returns with an empty return stack" },
		{ t->dec.nopath, "stretches whose path was not traced" },
		{ t->dec.uncommitted, "uncommitted elements" },
		{ t->unknown_context, "ranges of unknown threads" },
		{ t->file_cut, "cut file" },
	};
	size_t i, n = 0;

	for (i = 0; i < NR_LOSSES; i++)
		if (all[i].count)
			l[n++] = all[i];
	return n;
}

bool session_has_losses(const struct session *ss)
{
	struct loss l[NR_LOSSES];

	return list_losses(ss, l) > 0;
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

void session_print_summary(const struct session *ss, FILE *out)
{
	const struct session_totals *t = &ss->totals;
	struct loss l[NR_LOSSES];
	size_t i, n = list_losses(ss, l);
	char a[32], b[32], c[32];

	fprintf(out, "cstrace: %s bytes, %s instructions, %s branches, losses: ", grouped(t->aux_bytes, a),
		grouped(t->dec.insns, b), grouped(t->dec.branches, c));
	if (!n)
		fprintf(out, "none");
	for (i = 0; i < n; i++)
		fprintf(out, "%s%s %s", i ? ", " : "", grouped(l[i].count, a), l[i].text);
	fputc('\n', out);
}

static bool is_missing(const struct dso *d)
{
	return d->state != DSO_LOADED && d->state != DSO_UNTRIED && (d->used || d->nacc);
}

static int compare_missing(const void *a, const void *b)
{
	const struct dso *x = *(struct dso *const *)a, *y = *(struct dso *const *)b;

	if (x->nacc != y->nacc)
		return x->nacc > y->nacc ? -1 : 1;
	return x < y ? -1 : x > y;
}

unsigned int session_print_missing(const struct session *ss, FILE *out)
{
	struct dso **list = calloc(ss->dsos.nr + 1, sizeof(*list));
	size_t i, n = 0;

	for (i = 0; list && i < ss->dsos.nr; i++)
		if (is_missing(ss->dsos.all[i]))
			list[n++] = ss->dsos.all[i];
	if (n)
		qsort(list, n, sizeof(*list), compare_missing);
	for (i = 0; i < n; i++) {
		fprintf(out, "cstrace: missing code, %" PRIu64 " times: ", list[i]->nacc);
		dso_explain(list[i], out);
	}
	free(list);
	if (ss->missing.no_map) {
		fprintf(out, "cstrace: missing code, %" PRIu64 " times: at 0x%" PRIx64 " and elsewhere nothing "
			"was mapped according to the file's records (generated code, or lost records)\n",
			ss->missing.no_map, ss->missing.no_map_addr);
		n++;
	}
	if (ss->missing.no_map_kernel) {
		fprintf(out, "cstrace: missing code, %" PRIu64 " times: kernel at 0x%" PRIx64 " and elsewhere; "
			"give the kernel image with --vmlinux FILE, or record with --kcore\n",
			ss->missing.no_map_kernel, ss->missing.no_map_kernel_addr);
		n++;
	}
	return n;
}
