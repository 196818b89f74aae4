/* SPDX-License-Identifier: GPL-2.0-only */
/* cures.c - chooses the cures of a loss by the facts of the recording. */
#include "session/losses/cures.h"

#include <stdio.h>
#include <string.h>

#define FOR_PERF	(1u << RECORDER_PERF)
#define FOR_SIMPLEPERF	(1u << RECORDER_SIMPLEPERF)
#define FOR_SNAPSHOT	(1u << RECORDER_SNAPSHOT)
#define FOR_ANY		(FOR_PERF | FOR_SIMPLEPERF | FOR_SNAPSHOT)

static const struct cure rows[] = {
#define F(name) CURE_FACT(name)
#define CURE(cause, recorder, when, never, done, text) \
	{ LOSS_##cause, FOR_##recorder, when, never, done, text },
#include "session/losses/cures.def"
#undef CURE
#undef F
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

const struct cure *cure_rows(size_t *nr)
{
	*nr = NR_ROWS;
	return rows;
}

const char *cure_fact_text(enum cure_fact fact)
{
	static const char *const texts[NR_FACTS] = {
#define FACT(name, text) [FACT_##name] = text,
#include "session/losses/facts.def"
#undef FACT
	};

	return texts[fact];
}

static bool applies(const struct cure *r, enum loss cause, const struct cure_case *c)
{
	return r->cause == cause && r->recorders >> c->recorder & 1 && (c->facts & r->when) == r->when &&
	       !(c->facts & r->never);
}

static bool was_done(const struct cure *r, const struct cure_case *c)
{
	return r->done && (c->facts & r->done) == r->done;
}

static void append(char out[CURE_TEXT], const char *sep, const char *text)
{
	size_t len = strlen(out);

	snprintf(out + len, CURE_TEXT - len, "%s%s", len ? sep : "", text);
}

const char *cure_text(enum loss cause, const struct cure_case *c, char out[CURE_TEXT])
{
	size_t i;

	*out = 0;
	for (i = 0; i < NR_ROWS; i++)
		if (applies(&rows[i], cause, c) && !was_done(&rows[i], c))
			append(out, "; or ", rows[i].text);
	return *out ? out : NULL;
}

const char *cure_done_text(enum loss cause, const struct cure_case *c, char out[CURE_TEXT])
{
	cure_facts done = 0;
	unsigned int f;
	size_t i;

	*out = 0;
	for (i = 0; i < NR_ROWS; i++) {
		if (!applies(&rows[i], cause, c))
			continue;
		if (!was_done(&rows[i], c))
			return NULL;
		done |= rows[i].done;
	}
	for (f = 0; f < NR_FACTS; f++)
		if (done >> f & 1)
			append(out, "; ", cure_fact_text(f));
	return *out ? out : NULL;
}
