/* SPDX-License-Identifier: GPL-2.0-only */
/* top.c - tables of functions, lines and blocks by the size of their change. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "base/path.h"
#include "outputs/difference/difference.h"
#include "outputs/profile/exact.h"
#include "outputs/profile/functions.h"
#include "outputs/profile/lines.h"

struct table {
	struct lines l;
	const struct difference *d;
	const struct diff_given *given;
	const struct metric_words *of;
};

static void put(struct table *t, const char *text)
{
	lines_string(&t->l, text);
}

/* "x1.250", or what there is no ratio of. */
static const char *ratio(const uint64_t v[DIFF_SIDES], char text[32])
{
	if (!v[DIFF_BEFORE])
		return v[DIFF_AFTER] ? "new" : "-";
	if (!v[DIFF_AFTER])
		return "gone";
	snprintf(text, 32, "x%.4g", (double)v[DIFF_AFTER] / (double)v[DIFF_BEFORE]);
	return text;
}

/* The columns that all tables begin with. */
static void put_amounts(struct table *t, const uint64_t v[DIFF_SIDES])
{
	char text[160], number[40], of[32];

	snprintf(number, sizeof(number), "%s%" PRIu64,
		 v[DIFF_AFTER] > v[DIFF_BEFORE] ? "+" :
		 v[DIFF_AFTER] < v[DIFF_BEFORE] ? "-" :
						  "",
		 diff_size(v));
	snprintf(text, sizeof(text), "%c %14s %7.2f%% %14" PRIu64 " %14" PRIu64 " %9s  ",
		 diff_is_noise(t->d, v) ? '~' : ' ', number, diff_share(t->d, v), v[DIFF_BEFORE],
		 v[DIFF_AFTER], ratio(v, of));
	put(t, text);
}

/* The heads of these columns, and of the others. */
static void put_columns(struct table *t, const char *others)
{
	char text[200];

	snprintf(text, sizeof(text), "# %14s %8s %14s %14s %9s  %s\n", "Change", "Of all", "Before",
		 "After", "Ratio", others);
	put(t, text);
}

/* ---- the head ------------------------------------------------------------------------------- */

static void put_side(struct table *t, const char *word, const char *name, enum diff_side side)
{
	char text[64 + EXACT_WORDS], words[EXACT_WORDS];

	put(t, word);
	put(t, name_shown(name));
	snprintf(text, sizeof(text), ": %" PRIu64 "%s\n", t->d->total[side],
		 exact_words(t->given->whole[side].model, words));
	put(t, text);
}

static void put_head(struct table *t, const struct diff_about *about)
{
	const struct difference *d = t->d;
	char text[256], number[40];

	snprintf(number, sizeof(number), "%s%" PRIu64,
		 d->total[DIFF_AFTER] < d->total[DIFF_BEFORE] ? "-" : "+", diff_size(d->total));
	snprintf(text, sizeof(text), "# %s: %s (%+.2f %%); ", t->of->title, number,
		 diff_percent(d->total));
	put(t, text);
	put(t, name_shown(d->scale.words));
	put(t, "\n");
	put_side(t, "# Before: ", about->name[DIFF_BEFORE], DIFF_BEFORE);
	put_side(t, "# After: ", about->name[DIFF_AFTER], DIFF_AFTER);
	if (t->given->inexact && d->noise > 0) {
		snprintf(text, sizeof(text),
			 "# Half of the functions changed by %.3g %% or less: changes of up to "
			 "three times that have a ~\n",
			 100 * d->noise);
		put(t, text);
	} else if (t->given->inexact) {
		put(t, "# Amounts are not exact: small changes may be no changes of the code\n");
	}
}

/* ---- functions ------------------------------------------------------------------------------ */

static void put_host(struct table *t, const struct diff_function *f, enum diff_side side,
		     const char *when)
{
	if (!f->inlined[side])
		return;
	put(t, "  [");
	put(t, when);
	put(t, " inlined");
	if (f->host[side] != DIFF_NONE) {
		put(t, " in ");
		put(t, t->d->functions[f->host[side]].name);
	}
	put(t, "]");
}

static void put_notes(struct table *t, const struct diff_function *f)
{
	char text[64];

	if (f->old_name) {
		put(t, f->match == DIFF_MOVED ? "  [moved, was " : "  [was ");
		put(t, f->old_name);
		put(t, "]");
	} else if (f->match == DIFF_MOVED) {
		put(t, "  [from another binary]");
	}
	put_host(t, f, DIFF_BEFORE, "before");
	put_host(t, f, DIFF_AFTER, "after");
	if (f->parts[DIFF_BEFORE] > 1 || f->parts[DIFF_AFTER] > 1) {
		snprintf(text, sizeof(text), "  [parts: %u before, %u after]",
			 f->parts[DIFF_BEFORE], f->parts[DIFF_AFTER]);
		put(t, text);
	}
}

static void put_function(struct table *t, const struct diff_function *f)
{
	char text[64];

	put_amounts(t, f->insns);
	if (t->d->calls) {
		snprintf(text, sizeof(text), "%12" PRIu64 " %12" PRIu64 "  ", f->calls[DIFF_BEFORE],
			 f->calls[DIFF_AFTER]);
		put(t, text);
	}
	put(t, f->binary);
	put(t, "  ");
	put(t, f->name);
	put_notes(t, f);
	put(t, "\n");
}

static bool is_executed(const struct diff_function *f)
{
	return f->insns[DIFF_BEFORE] || f->insns[DIFF_AFTER] || f->calls[DIFF_BEFORE] ||
	       f->calls[DIFF_AFTER];
}

static void put_functions(struct table *t)
{
	const struct difference *d = t->d;
	char text[128];
	size_t i, n = 0;

	for (i = 0; i < d->nr_functions; i++)
		n += is_executed(&d->functions[i]);
	snprintf(text, sizeof(text), "#\n# Functions: %zu of %zu changed\n#\n", d->nr_changed, n);
	put(t, text);
	put_columns(t, d->calls ? "Calls before  Calls after  Shared Object  Symbol" :
				  "Shared Object  Symbol");
	for (i = 0; i < d->nr_functions; i++)
		if (is_executed(&d->functions[i]))
			put_function(t, &d->functions[i]);
}

/* ---- lines and blocks ----------------------------------------------------------------------- */

static void put_line(struct table *t, const struct diff_line *l)
{
	char text[64];

	put_amounts(t, l->insns);
	put(t, name_shown(path_label(l->file)));
	snprintf(text, sizeof(text), ":%u",
		 l->line[DIFF_AFTER] ? l->line[DIFF_AFTER] : l->line[DIFF_BEFORE]);
	put(t, text);
	if (!l->line[DIFF_AFTER]) {
		put(t, "  [line before]");
	} else if (l->line[DIFF_BEFORE] && l->line[DIFF_BEFORE] != l->line[DIFF_AFTER]) {
		snprintf(text, sizeof(text), "  [was line %u]", l->line[DIFF_BEFORE]);
		put(t, text);
	}
	put(t, "\n");
}

static void put_lines(struct table *t)
{
	const struct difference *d = t->d;
	char text[96];
	size_t i;

	if (!d->nr_lines && !d->unchanged_lines)
		return;
	snprintf(text, sizeof(text), "#\n# Lines: %zu of %zu changed\n#\n", d->nr_lines,
		 d->nr_lines + d->unchanged_lines);
	put(t, text);
	put_columns(t, "Line");
	for (i = 0; i < d->nr_lines; i++)
		put_line(t, &d->lines[i]);
}

/* Instructions, binary and address of a block of one build. */
static void put_address(struct table *t, const struct diff_block *b)
{
	const struct model *m = t->given->whole[DIFF_AFTER].model;
	char text[64];
	uint64_t vaddr;

	model_vaddr(&m->binaries[b->binary], b->begin, &vaddr);
	snprintf(text, sizeof(text), "%5" PRIu64 "  ", b->size);
	put(t, text);
	put(t, functions_binary(m, b->binary));
	snprintf(text, sizeof(text), "  0x%" PRIx64 "  ", vaddr);
	put(t, text);
}

/* Binary and lines of a block of two builds. */
static void put_place(struct table *t, const struct diff_block *b)
{
	char text[64];

	put(t, "    -  ");
	put(t, t->d->functions[b->function].binary);
	put(t, "  ");
	put(t, name_shown(path_label(b->file)));
	snprintf(text, sizeof(text), b->last > b->first ? ":%u-%u  " : ":%u  ", b->first, b->last);
	put(t, text);
}

static void put_block(struct table *t, const struct diff_block *b)
{
	char text[64];

	put_amounts(t, b->insns);
	snprintf(text, sizeof(text), "%12" PRIu64 " %12" PRIu64 "  ", b->executions[DIFF_BEFORE],
		 b->executions[DIFF_AFTER]);
	put(t, text);
	if (b->file)
		put_place(t, b);
	else
		put_address(t, b);
	put(t, b->function == DIFF_NONE ? "-" : t->d->functions[b->function].name);
	put(t, "\n");
}

static void put_blocks(struct table *t)
{
	const struct difference *d = t->d;
	char text[96];
	size_t i;

	if (!d->nr_blocks && !d->unchanged_blocks)
		return;
	snprintf(text, sizeof(text), "#\n# Blocks: %zu of %zu changed\n#\n", d->nr_blocks,
		 d->nr_blocks + d->unchanged_blocks);
	put(t, text);
	put_columns(t, t->given->whole[DIFF_AFTER].model->metric ?
			       " Each before   Each after  Insns  Shared Object  Place  Symbol" :
			       " Runs before   Runs after  Insns  Shared Object  Place  Symbol");
	for (i = 0; i < d->nr_blocks; i++)
		put_block(t, &d->blocks[i]);
}

void diff_top_write(struct pd_output *out, const struct difference *d,
		    const struct diff_given *given, const struct diff_about *about)
{
	struct table t = { .d = d,
			   .given = given,
			   .of = &metric_words[given->whole[DIFF_AFTER].model->metric] };

	lines_init(&t.l, out);
	put_head(&t, about);
	put_functions(&t);
	put_lines(&t);
	put_blocks(&t);
	lines_flush(&t.l);
}
