/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - findings and abilities as lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/check/check.h"

static void print_finding(const struct target_finding *f)
{
	printf("%-8s %s", finding_state_name(f->state), f->text);
	if (f->cure)
		printf(" -> %s", f->cure);
	putchar('\n');
}

/* The reason is the subject of its finding: the word before the colon. */
static void print_reason(const char *verdict, const struct target_finding *why)
{
	printf("%s (%.*s)", verdict, (int)strcspn(why->text, ":"), why->text);
}

static void print_ability(const struct target *t, const struct target_findings *fs,
			  enum target_ability a)
{
	const struct target_finding *why;
	enum able able = findings_able(fs, a, &why);
	char *command = able == ABLE_NO ? NULL : ability_command(t, a);

	printf("  %-28s", ability_text(a));
	if (able == ABLE_YES)
		printf("yes");
	else
		print_reason(able == ABLE_NO ? "no" : "in part", why);
	if (command)
		printf(": %s", command);
	putchar('\n');
	free(command);
}

void check_text(const struct target *t, const struct target_findings *fs)
{
	static const char *const verdicts[] = {
		[ABLE_NO] = "nothing can be recorded",
		[ABLE_LIMITED] = "this can be recorded, with limits",
		[ABLE_YES] = "this can be recorded",
	};
	enum able verdict = check_verdict(fs);
	size_t i;
	int a;

	for (i = 0; i < fs->nr; i++)
		print_finding(&fs->v[i]);
	printf("\nResult: %s\n", verdicts[verdict]);
	for (a = 0; a < NR_ABILITIES && verdict != ABLE_NO; a++)
		print_ability(t, fs, (enum target_ability)a);
}
