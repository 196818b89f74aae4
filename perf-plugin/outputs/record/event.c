/* SPDX-License-Identifier: GPL-2.0-only */
/* event.c - the event and its terms. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"
#include "base/name.h"
#include "outputs/record/internal.h"

/*
 * What can be written on a disk in a second: 64 MB of the 256 MB of a CPU, whose windows are one
 * in `period`.
 */
#define KEPT_UP 4u

/*
 * Periods of the presets 1 to 9 of the kernel's configuration autofdo, whose windows have 5000
 * cycles.
 */
static const unsigned int periods[] = { 2, 4, 8, 16, 64, 128, 512, 1024, 4096 };

void choose_strobing(struct choice *c)
{
	size_t i = 0;

	while (i + 1 < sizeof(periods) / sizeof(periods[0]) && periods[i] < c->cpus * KEPT_UP)
		i++;
	c->preset = (unsigned int)i + 1;
	c->period = periods[i];
}

static char *add_term(char *terms, const char *term)
{
	char *more = format_text("%s%s%s", terms, *terms ? "," : "", term);

	free(terms);
	return more;
}

/*
 * perf turns both on by itself where buffers are of CPUs, so they must be turned off where they
 * are not there.
 */
static char *add_default(const struct choice *c, char *terms, const char *name, bool there)
{
	char *off;

	if (c->per_thread && !(there && !strcmp(name, "timestamp")))
		return terms;
	if (there)
		return add_term(terms, name);
	off = format_text("%s=0", name);
	terms = add_term(terms, off);
	free(off);
	return terms;
}

static char *add_strobing(const struct choice *c, char *terms, struct record_lines *notes)
{
	char *preset = format_text("autofdo,preset=%u", c->preset);

	terms = add_term(terms, preset);
	free(preset);
	lines_add(
		notes,
		"autofdo, preset=%u: strobing, 5000 cycles of trace in %u times 5000, so that "
		"the disk keeps up with %u CPU%s",
		c->preset, c->period, c->cpus, c->cpus == 1 ? "" : "s");
	return terms;
}

/* Kernels before 5.9 pick no sink themselves. */
static bool picks_sink(const struct target *t)
{
	return t->kernel.major > 5 || (t->kernel.major == 5 && t->kernel.minor >= 9) ||
	       !t->kernel.major;
}

/*
 * The sink that the user names, or that the kernel picks: TRBE before ETR before RAM of the
 * chip, the order of the list.
 */
static const struct target_sink *sink_of(const struct choice *c)
{
	const struct target_pmu *p = &c->t->pmu;
	size_t i;

	for (i = 0; c->ask->sink && i < p->nr_sinks; i++)
		if (!strcmp(p->sinks[i].name, c->ask->sink))
			return &p->sinks[i];
	return p->nr_sinks ? p->sinks : NULL;
}

static char *add_sink(const struct choice *c, char *terms, struct record_lines *notes)
{
	const struct target_sink *sink = sink_of(c);
	const bool named = c->ask->sink || !picks_sink(c->t);
	char *term;

	if (!sink)
		return terms;
	if (sink->kind == TARGET_TRBE && !c->ask->sink) {
		lines_add(notes, "sink: the TRBE of each CPU, which the kernel picks");
		return terms;
	}
	if (sink->kind == TARGET_TRBE)
		lines_add(notes,
			  "sink: %s is of CPU %d alone, and what runs elsewhere is not traced",
			  name_shown(sink->name), sink->cpu);
	else
		lines_add(notes, "sink: the %s %s%s, %s", target_sink_name(sink->kind),
			  name_shown(sink->name), named ? "" : " (the kernel picks it)",
			  sink->kind == TARGET_ETF || sink->kind == TARGET_ETB ?
				  "RAM of the chip, which overruns soon" :
				  "shared by all CPUs");
	if (!named)
		return terms;
	term = format_text("@%s", sink->name);
	terms = add_term(terms, term);
	free(term);
	return terms;
}

char *record_event_text(const struct choice *c, struct record_lines *notes)
{
	char *terms = mem_text(""), *event;

	if (c->strobes)
		terms = add_strobing(c, terms, notes);
	terms = add_default(c, terms, "contextid", c->contextid);
	terms = add_default(c, terms, "timestamp", c->timestamp);
	if (c->ask->cycles)
		terms = add_term(terms, "cycacc");
	terms = add_sink(c, terms, notes);
	event = format_text("cs_etm/%s/%s", terms, c->purpose->modifier);
	free(terms);
	return event;
}
