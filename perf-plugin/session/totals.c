/* SPDX-License-Identifier: GPL-2.0-only */
/* totals.c - what was decoded, what was lost, and what to do about it. */
#include <inttypes.h>
#include <stdlib.h>

#include "session/internal.h"

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
	const char *advice;
};

#define NR_LOSSES 25

static size_t list_losses(const struct session *ss, struct loss *l)
{
	const struct session_totals *t = &ss->totals;
	const struct loss all[NR_LOSSES] = {
		{ t->aux_truncated, "truncated AUX records",
		  "the AUX buffer was full: record with a larger one (-m ,SIZE), or less (u, filters, strobing)" },
		{ t->aux_partial, "partial AUX records",
		  "the buffer was read while trace was written: a gap at the end of each" },
		{ t->aux_collision, "AUX records with collisions", "a sample hit the AUX buffer's update" },
		{ t->aux_missing, "bytes of AUX data not in the file",
		  "AUX records without AUXTRACE data: the recorder was too slow or was stopped; try a larger "
		  "buffer (-m ,SIZE)" },
		{ t->aux_unclaimed, "bytes of AUX data without an AUX record",
		  "LOST records took the AUX records with them: try a larger event buffer (-m SIZE)" },
		{ ss->queues.refused, "AUX records of an unknown format",
		  "the recorder is newer than this program" },
		{ t->unrouted, "bytes that no trace unit is known for",
		  "their trace ID has no metadata, or its protocol cannot be decoded" },
		{ t->lost_records, "lost records",
		  "maps or thread records may be missing: try a larger event buffer (-m SIZE)" },
		{ ss->bad_records, "unreadable records", "the file is damaged where the messages say" },
		{ t->frame.errors, "bad frames", "the trace is damaged" },
		{ t->frame.skipped, "bytes of bad or cut frames", "the trace is damaged or cut" },
		{ t->frame.unknown, "bytes before the first trace ID", "the trace starts inside a stream" },
		{ t->dec.unsynced, "bytes before a synchronisation point",
		  "decoding starts at an A-sync packet; a wrapped buffer starts anywhere" },
		{ t->dec.bad_packets, "bad packets", "the trace is damaged, or its metadata is of another unit" },
		{ t->dec.resyncs, "restarts after errors", "the trace between an error and the next A-sync" },
		{ t->dec.overflows, "trace unit overflows",
		  "the trace unit was faster than its outlet: trace less, without cycle counts or branch "
		  "broadcast, or turn on the return stack" },
		{ t->dec.discards, "discards", "the trace unit dropped speculative elements when it was stopped" },
		{ t->dec.nacc, "places without code", "see the missing images" },
		{ t->dec.atoms_lost, "atoms without an address or context",
		  "what follows a loss, until the next address" },
		{ t->dec.image_conflicts, "atoms that contradict the program image",
		  "the files are not those that ran, or code changed without a record" },
		{ t->dec.stack_empty, "returns with an empty return stack", "the call was not seen" },
		{ t->dec.nopath, "stretches whose path was not traced",
		  "Q elements: only their number of instructions is known" },
		{ t->dec.uncommitted, "uncommitted elements",
		  "the trace ended before the unit said whether they were executed" },
		{ t->unknown_context, "ranges of unknown threads",
		  "record with context IDs, and with a kernel that has PID_IN_CONTEXTIDR" },
		{ t->file_cut, "cut file", "the recording was interrupted or the copy is incomplete" },
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

void session_print_losses(const struct session *ss, FILE *out)
{
	struct loss l[NR_LOSSES];
	size_t i, n = list_losses(ss, l);
	char a[32];

	for (i = 0; i < n; i++)
		fprintf(out, "  %s %s: %s\n", grouped(l[i].count, a), l[i].text, l[i].advice);
}

static bool is_missing(const struct dso *d)
{
	return d->nacc || ((d->state == DSO_MISSING || d->state == DSO_REFUSED) && d->used);
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
