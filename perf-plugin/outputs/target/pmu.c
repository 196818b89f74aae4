/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu.c - the PMU cs_etm: the terms of its event, its sinks, and the devices on the coresight
 * bus.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "outputs/target/internal.h"

#define PMU	"/sys/bus/event_source/devices/cs_etm"
#define BUS	"/sys/bus/coresight/devices"

/* ---- sinks ------------------------------------------------------------------------------ */

/* What is in the name of a sink. Kernels before 5.3 name it by its address, as 20070000.etr. */
static const struct sink_name {
	const char *part;
	enum target_sink_kind kind;
} sink_names[] = {
	{ "etr", TARGET_ETR }, { "trbe", TARGET_TRBE }, { "etf", TARGET_ETF },
	{ "etb", TARGET_ETB }, { "smb", TARGET_SMB },	{ "tpiu", TARGET_TPIU },
};

static enum target_sink_kind kind_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(sink_names) / sizeof(sink_names[0]); i++)
		if (strstr(name, sink_names[i].part))
			return sink_names[i].kind;
	return TARGET_SINK_OTHER;
}

static struct target_number device_number(struct tree *tr, const char *device, const char *name)
{
	char *path = format_text(BUS "/%s/%s", device, name);
	struct target_number n = tree_number(tr, path);

	free(path);
	return n;
}

/* The kind of a TMC whose name does not say it: DEVID.CONFIGTYPE (DDI 0461, 3.3.30). */
static enum target_sink_kind kind_by_devid(struct tree *tr, const char *name)
{
	static const enum target_sink_kind kinds[] = { TARGET_ETB, TARGET_ETR, TARGET_ETF,
						       TARGET_SINK_OTHER };
	struct target_number id = device_number(tr, name, "mgmt/devid");

	return id.seen == TARGET_SEEN ? kinds[id.value >> 6 & 3] : TARGET_SINK_OTHER;
}

/*
 * The bytes of a sink: buffer_size of newer TMC drivers, RSZ in words of older ones, RDP in
 * words of an ETB without TMC.
 */
static uint64_t size_of(struct tree *tr, const char *name)
{
	static const struct {
		const char *file;
		unsigned int unit;
	} sizes[] = { { "buffer_size", 1 }, { "mgmt/rsz", 4 }, { "mgmt/rdp", 4 } };
	struct target_number n;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		n = device_number(tr, name, sizes[i].file);
		if (n.seen == TARGET_SEEN && n.value > 0 && n.value <= UINT32_MAX)
			return (uint64_t)n.value * sizes[i].unit;
	}
	return 0;
}

static void read_sink(struct tree *tr, const char *name)
{
	struct target_pmu *p = &tr->t->pmu;
	char *path = format_text(PMU "/sinks/%s", name);
	struct target_number id = tree_number(tr, path);
	struct target_sink *s;
	int64_t cpu;

	free(path);
	if (id.seen != TARGET_SEEN)
		return;
	s = ARRAY_ADD(p->sinks, p->nr_sinks, p->cap_sinks);
	*s = (struct target_sink){ .name = mem_text(name),
				   .kind = kind_by_name(name),
				   .id = (uint32_t)id.value,
				   .cpu = -1 };
	if (s->kind == TARGET_SINK_OTHER)
		s->kind = kind_by_devid(tr, name);
	if (s->kind == TARGET_TRBE) {
		if (!strncmp(name, "trbe", 4) && text_number(name + 4, &cpu) && cpu >= 0 &&
		    cpu <= INT32_MAX)
			s->cpu = (int32_t)cpu;
	} else {
		s->size = size_of(tr, name);
	}
}

static int compare_sinks(const void *a, const void *b)
{
	static const int rank[NR_TARGET_SINKS] = {
		[TARGET_TRBE] = 0, [TARGET_ETR] = 1,  [TARGET_ETF] = 2,	       [TARGET_ETB] = 3,
		[TARGET_SMB] = 4,  [TARGET_TPIU] = 5, [TARGET_SINK_OTHER] = 6,
	};
	const struct target_sink *x = a, *y = b;

	if (x->kind != y->kind)
		return rank[x->kind] - rank[y->kind];
	return x->cpu != y->cpu ? (x->cpu < y->cpu ? -1 : 1) : strcmp(x->name, y->name);
}

/* ---- terms and devices ------------------------------------------------------------------ */

#define MAX_TERMS	64u	/* Linux 6.12 has 13 */

static void read_term(struct tree *tr, const char *name)
{
	struct target_pmu *p = &tr->t->pmu;
	char *path = format_text(PMU "/format/%s", name), *word = tree_word(tr, path);

	if (word && p->nr_terms < MAX_TERMS)
		*ARRAY_ADD(p->terms, p->nr_terms, p->cap_terms) =
			(struct target_term){ mem_text(name), word };
	else
		free(word);
	free(path);
}

static void for_names(struct tree *tr, const char *folder,
		      void (*each)(struct tree *tr, const char *name))
{
	struct tree_list names;
	size_t i;

	tree_names(tr, folder, false, &names);
	for (i = 0; i < names.nr; i++)
		each(tr, names.v[i]);
	tree_names_free(&names);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), k = strlen(with);

	return n >= k && !strcmp(text + n - k, with);
}

static void count_device(struct tree *tr, const char *name)
{
	struct target *t = tr->t;

	if (begins(name, "etm") || begins(name, "ete") || begins(name, "ptm") ||
	    ends(name, ".etm") || ends(name, ".ptm") || ends(name, ".ete"))
		t->bus_units++;
	else if (strstr(name, "funnel") || strstr(name, "replicator"))
		t->bus_links++;
	else if (kind_by_name(name) != TARGET_SINK_OTHER || ends(name, ".tmc"))
		t->bus_sinks++;
}

#define SYSCFG	"/sys/kernel/config/cs-syscfg"

/* Kernels from 5.15 on have the configuration; its event makes it a term. */
static void read_strobing(struct tree *tr)
{
	struct target_pmu *p = &tr->t->pmu;

	p->autofdo = tree_seen(tr, PMU "/events/autofdo");
	p->configfs = tree_seen(tr, SYSCFG);
	if (p->autofdo != TARGET_SEEN)
		p->autofdo = tree_seen(tr, SYSCFG "/configurations/autofdo");
	p->window = tree_number(tr, SYSCFG "/features/strobing/params/window/value");
	p->period = tree_number(tr, SYSCFG "/features/strobing/params/period/value");
}

void read_pmu(struct tree *tr)
{
	struct target_pmu *p = &tr->t->pmu;

	for_names(tr, BUS, count_device);
	p->seen = tree_seen(tr, PMU);
	if (p->seen != TARGET_SEEN)
		return;
	p->type = tree_number(tr, PMU "/type");
	for_names(tr, PMU "/format", read_term);
	for_names(tr, PMU "/sinks", read_sink);
	ARRAY_SORT(p->sinks, p->nr_sinks, compare_sinks);
	read_strobing(tr);
}
