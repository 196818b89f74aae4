/* SPDX-License-Identifier: GPL-2.0-only */
/* info_json.c - what was decoded and what was lost, for programs. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "session/internal.h"

/* Names of files and commands are bytes: what is not ASCII is taken for Latin-1, so that it comes out again. */
static void put_string(const char *s)
{
	putchar('"');
	for (; s && *s; s++) {
		unsigned char c = *s;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
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

static void put_causes(const struct losses *ls)
{
	const char *sep = "";
	int i;

	printf(" \"losses\":[");
	for (i = 0; i < NR_LOSSES; i++) {
		if (!ls->cause[i].count)
			continue;
		sep = put_start(sep);
		put_cause(i);
		put_amount(&ls->cause[i]);
		printf(",\"counted\":");
		put_string(loss_counted(i));
		printf(",\"why\":");
		put_string(loss_why(i));
		printf(",\"cure\":");
		if (loss_cure(i))
			put_string(loss_cure(i));
		else
			printf("null");
		putchar('}');
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
	const char *sep = "";
	size_t i;

	printf(" \"files\":[");
	for (i = 0; i < ss->dsos.nr; i++) {
		const struct dso *d = ss->dsos.all[i];
		const struct loss_amount amount = { .count = d->nacc, .bytes = d->nacc_bytes };

		if (!d->nacc && !d->conflicts)
			continue;
		sep = put_start(sep);
		printf("\"path\":");
		put_string(d->path);
		putchar(',');
		put_cause(d->nacc ? loss_of_dso(d) : LOSS_CONFLICT);
		put_amount(&amount);
		printf(",\"conflicts\":%" PRIu64 "}", d->conflicts);
	}
	printf("]\n");
}

void info_json(const struct session *ss)
{
	const struct session_totals *t = session_totals(ss);

	printf("{\"file\":");
	put_string(ss->name);
	printf(",\n \"bytes\":%" PRIu64 ",\"instructions\":%" PRIu64 ",\"branches\":%" PRIu64 ",\n", t->aux_bytes,
	       t->dec.insns, t->dec.branches);
	put_causes(&ss->losses);
	put_table(&ss->losses.cpu, "cpus", "cpu", false);
	put_table(&ss->losses.process, "processes", "pid", true);
	put_files(ss);
	printf("}\n");
}
