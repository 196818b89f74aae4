/* SPDX-License-Identifier: GPL-2.0-only */
#include "profile/formats.h"

#include <string.h>

#include "synth/text.h"

/* Lines are collected and written in blocks. */
struct lines {
	struct pd_output *out;
	char *p;
	char buf[65536];
};

#define LINE_ROOM	128u

static void lines_flush(struct lines *l)
{
	pd_output_write(l->out, l->buf, (size_t)(l->p - l->buf));
	l->p = l->buf;
}

static char *line(struct lines *l)
{
	if ((size_t)(l->buf + sizeof(l->buf) - l->p) < LINE_ROOM)
		lines_flush(l);
	return l->p;
}

static void put_number(struct lines *l, uint64_t n)
{
	char *p = text_dec(line(l), (int64_t)n, 0, ' ');

	*p++ = '\n';
	l->p = p;
}

/* Addresses as a format wants them. */
struct where {
	struct binary *b;
	uint64_t base;
};

static uint64_t address(const struct where *w, uint32_t offset)
{
	uint64_t vaddr;

	if (!dso_vaddr(w->b->dso, offset, &vaddr))
		vaddr = offset;
	return vaddr - w->base;
}

static void put_ranges(struct lines *l, const struct where *w)
{
	const struct pair *r = pairs_sort(&w->b->ranges);
	size_t i;
	char *p;

	for (i = 0; i < w->b->ranges.used; i++) {
		p = text_hex(line(l), address(w, r[i].a), 0);
		*p++ = '-';
		p = text_hex(p, address(w, r[i].b), 0);
		*p++ = ':';
		p = text_dec(p, (int64_t)r[i].count, 0, ' ');
		*p++ = '\n';
		l->p = p;
	}
}

/* `all`: edges that leave the binary, too, with target 0. */
static void put_edges(struct lines *l, const struct where *w, bool all)
{
	const struct pair *e = pairs_sort(&w->b->edges);
	bool leaves;
	size_t i, k, next;
	char *p;

	for (i = 0; i < w->b->edges.used; i = next) {
		/* Sorted, a target of 0 stands before the others of its source. */
		for (next = i + 1; next < w->b->edges.used && e[next].a == e[i].a;)
			next++;
		for (k = 0; k < next - i; k++) {
			const struct pair *x = &e[e[next - 1].b == COUNTS_OUTSIDE ?
						  (k ? i + k - 1 : next - 1) : i + k];

			leaves = x->b == COUNTS_OUTSIDE;
			if (leaves && !all)
				continue;
			p = text_hex(line(l), address(w, x->a), 0);
			p = text_lit(p, "->");
			p = text_hex(p, leaves ? 0 : address(w, x->b), 0);
			*p++ = ':';
			p = text_dec(p, (int64_t)x->count, 0, ' ');
			*p++ = '\n';
			l->p = p;
		}
	}
}

/* Ranges, addresses (none: ranges say it all), branches, and who it is about. */
static void write_autofdo(struct pd_output *out, struct binary *b)
{
	struct where w = { .b = b, .base = dso_load_bias(b->dso) };
	struct lines l = { .out = out };
	const char *path = dso_path(b->dso);
	const uint8_t *id;
	size_t len, i;
	char *p;

	l.p = l.buf;
	put_number(&l, b->ranges.used);
	put_ranges(&l, &w);
	put_number(&l, 0);
	put_number(&l, b->edges.used);
	put_edges(&l, &w, true);
	id = dso_build_id(b->dso, &len);
	if (id) {
		p = text_lit(line(&l), "// build_id: 0x");
		for (i = 0; i < 20; i++) {
			*p++ = "0123456789abcdef"[i < len ? id[i] >> 4 : 0];
			*p++ = "0123456789abcdef"[i < len ? id[i] & 15 : 0];
		}
		*p++ = '\n';
		l.p = p;
	}
	l.p = text_lit(line(&l), "// ");
	lines_flush(&l);
	pd_output_write(out, path, strlen(path));
	pd_output_write(out, "\n\n", 2);
}

static void write_llvm(struct pd_output *out, struct binary *b)
{
	struct where w = { .b = b };
	struct lines l = { .out = out };
	const struct pair *e = pairs_sort(&b->edges);
	size_t i, inside = 0;

	l.p = l.buf;
	for (i = 0; i < b->edges.used; i++)
		inside += e[i].b != COUNTS_OUTSIDE;
	put_number(&l, b->ranges.used);
	put_ranges(&l, &w);
	put_number(&l, inside);
	put_edges(&l, &w, false);
	lines_flush(&l);
}

static void write_bolt(struct pd_output *out, struct binary *b)
{
	struct where w = { .b = b };
	struct lines l = { .out = out };
	const struct pair *r = pairs_sort(&b->ranges), *e = pairs_sort(&b->edges);
	size_t i;
	char *p;

	l.p = l.buf;
	for (i = 0; i < b->edges.used; i++) {
		p = text_lit(line(&l), "B ");
		p = text_hex(p, address(&w, e[i].a), 0);
		*p++ = ' ';
		p = text_hex(p, e[i].b == COUNTS_OUTSIDE ? 0 : address(&w, e[i].b), 0);
		*p++ = ' ';
		p = text_dec(p, (int64_t)e[i].count, 0, ' ');
		p = text_lit(p, " 0\n");	/* mispredictions are not in the trace */
		l.p = p;
	}
	for (i = 0; i < b->ranges.used; i++) {
		p = text_lit(line(&l), "F ");
		p = text_hex(p, address(&w, r[i].a), 0);
		*p++ = ' ';
		p = text_hex(p, address(&w, r[i].b), 0);
		*p++ = ' ';
		p = text_dec(p, (int64_t)r[i].count, 0, ' ');
		*p++ = '\n';
		l.p = p;
	}
	lines_flush(&l);
}

const struct profile_format profile_formats[] = {
	{ "autofdo", false, write_autofdo, "create_llvm_prof and create_gcov, --profiler=text" },
	{ "llvm", true, write_llvm, "llvm-profgen --unsymbolized-profile, with --use-offset=0" },
	{ "bolt", true, write_bolt, "perf2bolt -p FILE --pa" },
	{ NULL, false, NULL, NULL },
};

const struct profile_format *profile_format_find(const char *name)
{
	const struct profile_format *f;

	for (f = profile_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
