/* SPDX-License-Identifier: GPL-2.0-only */
/* formats.c - the table of formats, and the texts of AutoFDO and llvm-profgen. */
#include "profile/formats.h"

#include <string.h>

#include "base/name.h"
#include "images/dso.h"
#include "profile/bolt.h"
#include "profile/lines.h"

static void put_number(struct lines *l, uint64_t n)
{
	char *p = text_dec(lines_next(l), (int64_t)n, 0, ' ');

	*p++ = '\n';
	l->p = p;
}

static void put_ranges(struct lines *l, struct binary *b, const struct profile_address *w)
{
	const struct cst_pair *r = cst_pairs_sort(&b->ranges);
	size_t i;
	char *p;

	for (i = 0; i < b->ranges.used; i++) {
		p = text_hex(lines_next(l), profile_address(w, r[i].a), 0);
		*p++ = '-';
		p = text_hex(p, profile_address(w, r[i].b), 0);
		*p++ = ':';
		p = text_dec(p, (int64_t)r[i].count, 0, ' ');
		*p++ = '\n';
		l->p = p;
	}
}

/* Writes edges. `all`: also those that leave the binary, with target 0. */
static void put_edges(struct lines *l, struct binary *b, const struct profile_address *w, bool all)
{
	const struct cst_pair *e = cst_pairs_sort(&b->edges);
	bool leaves;
	size_t i, k, next;
	char *p;

	for (i = 0; i < b->edges.used; i = next) {
		/* target 0 sorts before the other targets of a source */
		for (next = i + 1; next < b->edges.used && e[next].a == e[i].a;)
			next++;
		for (k = 0; k < next - i; k++) {
			const struct cst_pair *x = &e[e[next - 1].b == COUNTS_OUTSIDE ?
						  (k ? i + k - 1 : next - 1) : i + k];

			leaves = x->b == COUNTS_OUTSIDE;
			if (leaves && !all)
				continue;
			p = text_hex(lines_next(l), profile_address(w, x->a), 0);
			p = text_lit(p, "->");
			p = text_hex(p, leaves ? 0 : profile_address(w, x->b), 0);
			*p++ = ':';
			p = text_dec(p, (int64_t)x->count, 0, ' ');
			*p++ = '\n';
			l->p = p;
		}
	}
}

/* Writes ranges, addresses (none, since ranges are complete), branches, and the name of the binary. */
static void write_autofdo(struct pd_output *out, struct binary *b, const struct profile_address *w)
{
	struct lines l;
	const char *path = name_shown(dso_path(b->dso));
	const uint8_t *id;
	size_t len, i;
	char *p;

	lines_init(&l, out);
	put_number(&l, b->ranges.used);
	put_ranges(&l, b, w);
	put_number(&l, 0);
	put_number(&l, b->edges.used);
	put_edges(&l, b, w, true);
	id = dso_build_id(b->dso, &len);
	if (id) {
		p = text_lit(lines_next(&l), "// build_id: 0x");
		for (i = 0; i < 20; i++) {
			*p++ = "0123456789abcdef"[i < len ? id[i] >> 4 : 0];
			*p++ = "0123456789abcdef"[i < len ? id[i] & 15 : 0];
		}
		*p++ = '\n';
		l.p = p;
	}
	l.p = text_lit(lines_next(&l), "// ");
	lines_flush(&l);
	pd_output_write(out, path, strlen(path));
	pd_output_write(out, "\n\n", 2);
}

static void write_llvm(struct pd_output *out, struct binary *b, const struct profile_address *w)
{
	struct lines l;
	const struct cst_pair *e = cst_pairs_sort(&b->edges);
	size_t i, inside = 0;

	lines_init(&l, out);
	for (i = 0; i < b->edges.used; i++)
		inside += e[i].b != COUNTS_OUTSIDE;
	put_number(&l, b->ranges.used);
	put_ranges(&l, b, w);
	put_number(&l, inside);
	put_edges(&l, b, w, false);
	lines_flush(&l);
}

const struct profile_format profile_formats[] = {
	{ "autofdo", false, false, READER_AUTOFDO, PROFILE_OFFSET, write_autofdo,
	  "create_llvm_prof and create_gcov, --profiler=text" },
	{ "llvm", true, false, READER_LLVM, PROFILE_VADDR, write_llvm,
	  "llvm-profgen --unsymbolized-profile, with --use-offset=0" },
	{ "bolt", true, true, READER_BOLT, PROFILE_VADDR, bolt_write, "perf2bolt -p FILE --pa" },
	{ NULL, false, false, 0, 0, NULL, NULL },
};

const struct profile_format *profile_format_find(const char *name)
{
	const struct profile_format *f;

	for (f = profile_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
