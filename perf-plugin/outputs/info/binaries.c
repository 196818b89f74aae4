/* SPDX-License-Identifier: GPL-2.0-only */
/* binaries.c - which files the decoded instructions are in, what those files hold, and when it all was. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/name.h"
#include "machine/images/dso_table.h"
#include "machine/images/elf_facts.h"
#include "outputs/info/internal.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"

static int count(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	struct info_counts *c = data;
	struct dso *d;
	uint64_t none = 0;

	if (s->time && s->time != NO_TIME && s->time < c->first)
		c->first = s->time;
	if (s->time && s->time_end != NO_TIME && s->time_end > c->last)
		c->last = s->time_end;
	for (; g < end; g++) {
		if (g->kind != CST_GEN_RANGE)
			continue;
		if (g->section != c->section || !c->insns) {
			d = g->section ? session_section_dso(c->ss, g->section) : NULL;
			c->section = g->section;
			c->insns = d ? &d->counts.insns : NULL;
		}
		*(c->insns ? c->insns : &none) += g->n_insn;
	}
	c->elsewhere += none;
	return 0;
}

static void counts_init(struct info_counts *c, struct session *ss)
{
	*c = (struct info_counts){ .ss = ss, .first = UINT64_MAX };
}

static void *shard_make(void *data, struct session *ss)
{
	struct info_counts *c = mem_new(sizeof(*c));

	(void)data;
	counts_init(c, ss);
	return c;
}

static int shard_take(void *data, void *shard)
{
	const struct info_counts *more = shard;
	struct info_counts *c = data;

	c->first = more->first < c->first ? more->first : c->first;
	c->last = more->last > c->last ? more->last : c->last;
	c->elsewhere += more->elsewhere;
	return 0;
}

int info_count_all(struct info_counts *c, struct session *ss)
{
	static const struct shard_ops shards = { .make = shard_make, .take = shard_take, .free = free, .by_fragment = true,
						 .sums = true, .by_process = true };
	const struct consumer counter = { .data = c, .wants.times = true, .batch = count, .shards = &shards };

	counts_init(c, ss);
	return session_run(ss, &counter);
}

static int busiest(const void *a, const void *b)
{
	const struct dso *x = *(struct dso *const *)a, *y = *(struct dso *const *)b;

	if (x->counts.insns != y->counts.insns)
		return x->counts.insns > y->counts.insns ? -1 : 1;
	return dso_compare(x, y);
}

size_t info_binaries(const struct session *ss, struct dso ***list)
{
	const struct dso_table *t = session_dsos(ss);
	size_t i, n = 0;

	*list = mem_zeroed(t->nr + 1, sizeof(**list));
	for (i = 0; i < t->nr; i++)
		if (t->all[i]->counts.insns || t->all[i]->counts.nacc)
			(*list)[n++] = t->all[i];
	ARRAY_SORT(*list, n, busiest);
	return n;
}

static void print_facts(const struct dso *d)
{
	struct elf_facts f;

	if (!dso_facts(d, &f)) {
		printf(", no ELF file");
		return;
	}
	printf(f.symtab ? ", symbols" : f.dynsym ? ", symbols of what it exports only" : ", no symbols");
	if (f.dwarf_low && f.dwarf_low != f.dwarf_high)
		printf(", DWARF %u to %u", f.dwarf_low, f.dwarf_high);
	else if (f.dwarf_low)
		printf(", DWARF %u", f.dwarf_low);
	else if (f.debuglink[0])
		printf(", debug information in %s", name_shown(f.debuglink));
	else
		printf(", no debug information");
}

/* `all`: instructions of all binaries. */
static void print_binary(const struct dso *d, uint64_t all)
{
	char id[2 * BUILD_ID_MAX + 1];

	printf("  %5.1f %%  %s\n", all ? 100.0 * (double)d->counts.insns / (double)all : 0.0,
	       name_shown(d->path));
	if (d->state != DSO_LOADED || !d->image.file) {
		printf("           %s", d->state == DSO_LOADED ? "no file: its code is in the recording" :
		       "no file was used, see Images");
		if (d->recorded.len)
			printf("; recorded build-id %s", build_id_text(&d->recorded, id));
	} else {
		printf("           %s, build-id %s", name_shown(d->image.file),
		       d->image.found.len ? build_id_text(&d->image.found, id) : "none");
		print_facts(d);
	}
	putchar('\n');
	if (d->copy.assumed)
		printf("           text remapped to anonymous memory (huge pages): assumed to be "
		       "still that of the file\n");
}

void info_print_binaries(const struct session *ss, const struct info_counts *c, bool all)
{
	struct dso **list;
	size_t i, n = info_binaries(ss, &list);
	uint64_t insns = c->elsewhere;

	/* those that a filter leaves out are decoded, and in no binary's number */
	for (i = 0; i < n; i++)
		insns += list[i]->counts.insns;
	printf("\nBinaries, by instructions:\n");
	for (i = 0; i < n && (all || i < INFO_SHORT_LIST); i++)
		print_binary(list[i], insns);
	if (i < n)
		printf("  and %zu more (--all lists them)\n", n - i);
	if (c->elsewhere)
		printf("  %5.1f %%  in no file\n", 100.0 * (double)c->elsewhere / (double)insns);
	if (!n && !c->elsewhere)
		printf("  nothing was decoded\n");
	free(list);
}

void info_print_span(const struct info_counts *c)
{
	uint64_t ns = c->last - c->first;

	if (c->first > c->last)
		return;
	printf("  covered: %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " s, %" PRIu64 ".%09" PRIu64 " s\n",
	       c->first / 1000000000, c->first % 1000000000, c->last / 1000000000, c->last % 1000000000,
	       ns / 1000000000, ns % 1000000000);
}
