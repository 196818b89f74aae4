/* SPDX-License-Identifier: GPL-2.0-only */
/* print.c - a plan as a shell script: reasons and what is for people are comments. */
#include <stdlib.h>

#include "base/name.h"
#include "base/quote.h"
#include "outputs/record/record.h"

void record_print_perf(const struct record_plan *plan, FILE *out)
{
	char *word;
	size_t i;

	for (i = 0; i < plan->notes.nr; i++)
		fprintf(out, "# %s\n", name_shown(plan->notes.v[i]));
	for (i = 0; plan->perf.v[i]; i++) {
		word = quote_word(plan->perf.v[i]);
		fprintf(out, "%s%s", i ? " " : "", word);
		free(word);
	}
	fputc('\n', out);
}

void record_print_pack(const struct record_plan *plan, FILE *out)
{
	char *file, *package;

	if (!plan->package)
		return;
	file = quote_word(plan->output);
	package = quote_word(plan->package);
	fprintf(out, "perf-cstrace convert -i %s --to=package --images -o %s\n", file, package);
	free(package);
	free(file);
}

void record_print_home(const struct record_plan *plan, FILE *out)
{
	char *copied = quote_word(plan->package ? plan->package : plan->output);
	size_t i;

	fprintf(out, "# copy %s home%s, and there:\n", copied,
		plan->package ?
			"" :
			" with the programs that ran, under their paths below a folder for "
			"--symfs");
	for (i = 0; i < plan->home.nr; i++)
		fprintf(out, "%s\n", plan->home.v[i]);
	free(copied);
}
