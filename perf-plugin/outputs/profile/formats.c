/* SPDX-License-Identifier: GPL-2.0-only */
/* formats.c - the table of formats, and the texts of AutoFDO and llvm-profgen. */
#include "outputs/profile/formats.h"

#include <string.h>

#include "base/name.h"
#include "outputs/profile/bolt.h"
#include "outputs/profile/branch_list.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/propeller.h"

static void put_ranges(struct lines *l, const struct flat *f, const struct profile_address *w)
{
	const struct cst_count_range *r;
	char *p;
	size_t left;

	for (r = f->ranges, left = f->nr_ranges; left; left--, r++) {
		p = text_hex(lines_next(l), profile_address(w, r->start), 0);
		*p++ = '-';
		p = text_hex(p, profile_address(w, r->last), 0);
		*p++ = ':';
		p = text_unsigned(p, r->count);
		*p++ = '\n';
		l->p = p;
	}
}

/* Writes edges. `all`: also those that leave the binary, with target 0. */
static void put_edges(struct lines *l, const struct flat *f, const struct profile_address *w, bool all)
{
	const struct cst_count_edge *e = f->edges, *x;
	size_t i, k, next;
	bool leaves;
	char *p;

	for (i = 0; i < f->nr_edges; i = next) {
		/* target 0 sorts before the other targets of a source */
		for (next = i + 1; next < f->nr_edges && e[next].from == e[i].from;)
			next++;
		for (k = 0; k < next - i; k++) {
			x = &e[e[next - 1].to == CST_COUNT_OUTSIDE ? (k ? i + k - 1 : next - 1) : i + k];
			leaves = x->to == CST_COUNT_OUTSIDE;
			if (leaves && !all)
				continue;
			p = text_hex(lines_next(l), profile_address(w, x->from), 0);
			p = text_lit(p, "->");
			p = text_hex(p, leaves ? 0 : profile_address(w, x->to), 0);
			*p++ = ':';
			p = text_unsigned(p, x->count);
			*p++ = '\n';
			l->p = p;
		}
	}
}

/* AutoFDO has build-ids of 20 bytes; shorter ones are padded with zeroes. */
static void put_build_id(struct lines *l, const struct cst_count_binary *b)
{
	char *p = text_lit(lines_next(l), "// build_id: 0x");
	size_t i;

	for (i = 0; i < CST_COUNT_ID_MAX; i++) {
		*p++ = "0123456789abcdef"[i < b->id_len ? b->id[i] >> 4 : 0];
		*p++ = "0123456789abcdef"[i < b->id_len ? b->id[i] & 15 : 0];
	}
	*p++ = '\n';
	l->p = p;
}

/* Writes ranges, addresses (none, since ranges are complete), branches, and the name of the binary. */
static void write_autofdo(struct pd_output *out, const struct flat *f, const struct profile_address *w)
{
	const struct cst_count_binary *b = &f->binary->is;
	const char *path = name_shown(b->name);
	struct lines l;

	lines_init(&l, out);
	lines_unsigned(&l, f->nr_ranges, '\n');
	put_ranges(&l, f, w);
	lines_unsigned(&l, 0, '\n');
	lines_unsigned(&l, f->nr_edges, '\n');
	put_edges(&l, f, w, true);
	if (b->id_kind == CST_COUNT_ID_BUILD)
		put_build_id(&l, b);
	l.p = text_lit(lines_next(&l), "// ");
	lines_flush(&l);
	pd_output_write(out, path, strlen(path));
	pd_output_write(out, "\n\n", 2);
}

static void write_llvm(struct pd_output *out, const struct flat *f, const struct profile_address *w)
{
	struct lines l;
	size_t i, inside = 0;

	lines_init(&l, out);
	for (i = 0; i < f->nr_edges; i++)
		inside += f->edges[i].to != CST_COUNT_OUTSIDE;
	lines_unsigned(&l, f->nr_ranges, '\n');
	put_ranges(&l, f, w);
	lines_unsigned(&l, inside, '\n');
	put_edges(&l, f, w, false);
	lines_flush(&l);
}

#define ONE(mode, ranges, reader, base, write) \
	mode, ranges, reader, base, write, NULL, false, false, false, false
#define WHOLE(write, lines, measures) \
	COUNTS_CALLS, FLAT_ARRIVED, 0, PROFILE_VADDR, NULL, write, lines, measures, false, false
#define LISTS(write) \
	COUNTS_ALL, FLAT_JOINED, 0, PROFILE_VADDR, NULL, write, false, false, true, false, true
#define COMPARED(write) \
	COUNTS_CALLS, FLAT_ARRIVED, 0, PROFILE_VADDR, NULL, write, false, true, false, true

const struct profile_format profile_formats[] = {
	{ "autofdo", ONE(COUNTS_SPLIT, FLAT_SPLIT, READER_AUTOFDO, PROFILE_OFFSET, write_autofdo),
	  false, "create_llvm_prof and create_gcov, --profiler=text", 0 },
	{ "llvm", ONE(COUNTS_JOINED, FLAT_JOINED, READER_LLVM, PROFILE_VADDR, write_llvm), false,
	  "llvm-profgen --unsymbolized-profile, with --use-offset=0", 0 },
	{ "bolt", ONE(COUNTS_ALL, FLAT_ARRIVED, READER_BOLT, PROFILE_VADDR, bolt_write), false,
	  "perf2bolt -p FILE --pa", 0 },
	{ "bolt", ONE(COUNTS_ALL, FLAT_ARRIVED, READER_BOLT, PROFILE_VADDR, bolt_write_traces),
	  false, "perf2bolt -p FILE --pa", BOLT_TRACES },
	{ "propeller", ONE(COUNTS_ALL, FLAT_JOINED, 0, PROFILE_VADDR, propeller_write), true,
	  "generate_propeller_profiles --profile_type=FREQUENCIES_PROTO", 0 },
	{ "pprof", WHOLE(pprof_write, true, true), true, "go tool pprof", 0 },
	{ "callgrind", WHOLE(callgrind_write, true, true), false,
	  "callgrind_annotate, KCachegrind", 0 },
	{ "lcov", WHOLE(lcov_write, true, false), false, "genhtml, and what reads gcov's lines", 0 },
	{ "folded", COMPARED(folded_write), false, "flamegraph.pl, speedscope", 0 },
	{ "top", COMPARED(top_write), false, "a table for the terminal", 0 },
	{ "branch-list", LISTS(branch_list_write),
	  "simpleperf inject, Android's AutoFDO pipelines", 0 },
	{ "branch-list-zstd", LISTS(branch_list_write_packed), "the same, compressed", 0 },
	{ "branch-list-old", LISTS(branch_list_write_old), "simpleperf up to 2024", 0 },
	{ .name = NULL },
};

const struct profile_format *profile_format_find(const char *name)
{
	const struct profile_format *f;

	for (f = profile_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct profile_format *profile_format_for(const struct profile_format *f,
						unsigned int version)
{
	const struct profile_format *best = f;

	for (; f->name; f++)
		if (!strcmp(f->name, best->name) && f->since <= version)
			best = f;
	return best;
}
