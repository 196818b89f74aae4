/* SPDX-License-Identifier: GPL-2.0-only */
/* json.c - what was decoded and what was lost, for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/name.h"
#include "machine/images/elf_facts.h"
#include "outputs/info/info.h"
#include "outputs/info/internal.h"
#include "session/facts.h"
#include "session/losses/losses.h"

static void put_string(const char *s)
{
	char text[6 * 4096 + 2];

	fwrite(text, 1, (size_t)(name_json(text, text + sizeof(text), s ? s : "") - text), stdout);
}

static void put_key(const char *key, const char *value)
{
	printf(",\"%s\":", key);
	if (value)
		put_string(value);
	else
		printf("null");
}

/* "no-file" for NO_FILE. */
static void put_cause(enum loss cause)
{
	const char *s;

	printf("\"cause\":\"");
	for (s = loss_name(cause); *s; s++)
		putchar(*s == '_' ? '-' : *s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
	putchar('"');
}

static void put_amount(const struct loss_amount *a)
{
	printf(",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64, a->count, a->bytes);
}

static const char *put_start(const char *sep)
{
	printf("%s\n  {", sep);
	return ",";
}

static void put_causes(const struct losses *ls, const struct cure_case *made)
{
	char cure[CURE_TEXT];
	const char *sep = "";
	int i;

	printf(" \"losses\":[");
	for (i = 0; i < NR_LOSSES; i++) {
		if (!ls->cause[i].count)
			continue;
		sep = put_start(sep);
		put_cause(i);
		put_amount(&ls->cause[i]);
		put_key("counted", loss_counted(i));
		put_key("why", loss_reason(i, made->recorder));
		put_key("cure", cure_text(i, made, cure) ? cure : NULL);
		putchar('}');
	}
	printf("],\n");
}

/* What of the cures was done already. */
static void put_done(const struct cure_case *made)
{
	const char *sep = "";
	int i;

	printf(" \"done\":[");
	for (i = 0; i < NR_FACTS; i++) {
		if (!(made->facts >> i & 1))
			continue;
		printf("%s", sep);
		put_string(cure_fact_text(i));
		sep = ",";
	}
	printf("],\n");
}

/* Rows in no order; what stands for many small ones has the number null. */
static void put_table(const struct loss_table *t, const char *title, const char *number, bool names)
{
	const char *sep = "";
	size_t i;

	printf(" \"%s\":[", title);
	for (i = 0; i < t->nr; i++) {
		const struct loss_row *r = &t->rows[i];

		sep = put_start(sep);
		printf("\"%s\":%d,", number, r->number);
		if (names) {
			printf("\"comm\":");
			put_string(r->comm);
			putchar(',');
		}
		put_cause(r->cause);
		put_amount(&r->amount);
		putchar('}');
	}
	for (i = 0; i < NR_LOSSES; i++) {
		if (!t->rest[i].count && !t->rest[i].bytes)
			continue;
		sep = put_start(sep);
		printf("\"%s\":null,", number);
		put_cause(i);
		put_amount(&t->rest[i]);
		putchar('}');
	}
	printf("],\n");
}

static void put_files(const struct session *ss)
{
	const struct dso_table *t = session_dsos(ss);
	const char *sep = "";
	size_t i;

	printf(" \"files\":[");
	for (i = 0; i < t->nr; i++) {
		const struct dso *d = t->all[i];
		const struct loss_amount amount = { .count = d->counts.nacc,
						    .bytes = d->counts.nacc_bytes };

		if (!d->counts.nacc && !d->counts.conflicts)
			continue;
		sep = put_start(sep);
		printf("\"path\":");
		put_string(d->path);
		putchar(',');
		put_cause(d->counts.nacc ? loss_of_dso(d) : LOSS_CONFLICT);
		put_amount(&amount);
		printf(",\"conflicts\":%" PRIu64 "}", d->counts.conflicts);
	}
	printf("]\n");
}

static void put_strings(void *data, const char *line)
{
	const char **sep = data;

	printf("%s", *sep);
	put_string(line);
	*sep = ",";
}

/* What the file holds is null where none was used or it is no ELF file. */
static void put_binary(const struct dso *d)
{
	const struct build_id *id =
		d->image.file && d->image.found.len ? &d->image.found : &d->recorded;
	char text[2 * BUILD_ID_MAX + 1];
	struct elf_facts f;

	printf("\"path\":");
	put_string(d->path);
	printf(",\"instructions\":%" PRIu64, d->counts.insns);
	put_key("file", d->state == DSO_LOADED ? d->image.file : NULL);
	put_key("build_id", id->len ? build_id_text(id, text) : NULL);
	if (dso_facts(d, &f)) {
		put_key("symbols", f.symtab ? "all" : f.dynsym ? "exported" : "none");
		printf(",\"dwarf\":[%u,%u]", f.dwarf_low, f.dwarf_high);
	} else {
		printf(",\"symbols\":null,\"dwarf\":null");
	}
	if (d->copy.assumed)
		printf(",\"text_assumed\":true");
	putchar('}');
}

static void put_binaries(const struct session *ss)
{
	struct dso **list;
	size_t i, n = info_binaries(ss, &list);
	const char *sep = "";

	printf(" \"binaries\":[");
	for (i = 0; i < n; i++) {
		sep = put_start(sep);
		put_binary(list[i]);
	}
	printf("],\n");
	free(list);
}

static void put_windows(const struct session *ss)
{
	const struct window_counts *c = &session_queues(ss)->windows.counts;

	if (!c->nr)
		return;
	printf(" \"windows\":{\"count\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"smallest\":%" PRIu64
	       ",\"largest\":%" PRIu64 ",\"continued\":%" PRIu64 ",\"repeated\":%" PRIu64
	       ",\"unsynchronised\":%" PRIu64 "},\n",
	       c->nr, c->bytes, c->smallest, c->largest, c->continued, c->repeated,
	       session_losses(ss)->cause[LOSS_WINDOW_UNSYNCED].count);
}

/* Whose IDs the trace has, with the witnesses for it. */
static void put_identity(const struct session *ss)
{
	static const char *const space[] = {
		[IDS_UNDECIDED] = "undecided", [IDS_SAME] = "records", [IDS_OTHER] = "other-namespace",
	};
	const struct identity *ids = &session_tasks(ss)->identity;
	const struct who_counts *c = &session_totals(ss)->who;
	size_t known, contradictory;

	identity_count(ids, &known, &contradictory);
	printf(" \"identity\":{\"ids\":\"%s\",\"equal\":%" PRIu64 ",\"different\":%" PRIu64 ",\"matched\":%zu,"
	       "\"contradictory\":%zu,\"learned\":%" PRIu64 ",\"absent\":%" PRIu64 "},\n", space[ids->space], ids->equal,
	       ids->different, known, contradictory, c->learned, c->absent);
}

/* The virtual machines that ran, with the stretches whose code is in no file that is given. */
static void put_guests(const struct session *ss)
{
	const struct guests *gs = &session_totals(ss)->who.guests;
	const struct guest_count *g;
	const char *sep = "";

	printf(" \"guests\":[");
	for (g = gs->v; g < gs->v + gs->nr; g++) {
		sep = put_start(sep);
		printf("\"id\":%" PRIu32 ",\"stretches\":%" PRIu64 ",\"without_kernel\":%" PRIu64
		       ",\"without_programs\":%" PRIu64 "}",
		       g->id, g->stretches, g->bare_kernel, g->bare_user);
	}
	printf("],\n");
}

int info_json(struct session *ss)
{
	const struct session_totals *t = session_totals(ss);
	const struct cure_case made = session_made(ss);
	struct info_counts c;
	const char *sep = "";
	int rc = info_count_all(&c, ss);

	if (rc)
		return rc;
	printf("{\"file\":");
	put_string(perfdata_name(session_perfdata(ss)));
	put_key("recorder", info_recorder(ss));
	printf(",\n \"bytes\":%" PRIu64 ",\"instructions\":%" PRIu64 ",\"branches\":%" PRIu64 ",\n", t->aux_bytes,
	       t->dec.insns, t->dec.branches);
	if (c.first <= c.last)
		printf(" \"time\":{\"first\":%" PRIu64 ",\"last\":%" PRIu64 "},\n", c.first, c.last);
	else
		printf(" \"time\":null,\n");
	put_windows(ss);
	put_binaries(ss);
	put_done(&made);
	put_causes(session_losses(ss), &made);
	put_table(&session_losses(ss)->cpu, "cpus", "cpu", false);
	put_table(&session_losses(ss)->process, "processes", "pid", true);
	put_identity(ss);
	put_guests(ss);
	printf(" \"next\":[");
	info_next(ss, put_strings, &sep);
	printf("],\n");
	put_files(ss);
	printf("}\n");
	return 0;
}
