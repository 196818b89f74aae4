/* SPDX-License-Identifier: GPL-2.0-only */
/* exact.c - separates exact counts from others by the totals of losses. */
#include "outputs/profile/exact.h"

#include <inttypes.h>
#include <stdio.h>

#include "counting/countfiles/lost.h"
#include "counting/counts/stored.h"
#include "machine/images/dso.h"

/* Contradictions in 100 branches; the other build that cli/other-build makes has 21. */
#define REFUSED_PERCENT 1u

uint64_t exact_conflicts(const struct model *m)
{
	return model_total(m, "loss.conflict");
}

const char *exact_words(const struct model *m, char text[EXACT_WORDS])
{
	const uint64_t conflicts = exact_conflicts(m);
	const bool unknown = model_total(m, LOST_UNKNOWN);
	const char *certain = m->metric || unknown ? "" : ", exact";

	if (conflicts)
		snprintf(text, EXACT_WORDS, ", not those that ran: the trace contradicts the code %" PRIu64 " times", conflicts);
	else
		snprintf(text, EXACT_WORDS, "%s%s%s",
			 stored_incomplete(m) ? ", of what could be decoded" : certain,
			 unknown ? ", losses " LOST_UNKNOWN_WORDS : "",
			 metric_words[m->metric].estimate);
	return text;
}

static uint64_t all_branches(const struct model *m)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < m->nr_binaries; i++)
		n = model_sum(n, m->binaries[i].branches);
	return n;
}

bool exact_refuses(const struct model *m, const struct model_binary *b, bool count_file, uint64_t *conflicts, uint64_t *branches)
{
	const uint64_t of_file = b->dso ? b->dso->counts.conflicts : 0;

	*conflicts = count_file ? exact_conflicts(m) : of_file;
	*branches = count_file ? all_branches(m) : b->branches;
	return *conflicts > *branches / 100 * REFUSED_PERCENT + *branches % 100 * REFUSED_PERCENT / 100;
}
