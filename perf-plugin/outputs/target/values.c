/* SPDX-License-Identifier: GPL-2.0-only */
/* values.c - facts in words. Names that the target's files hold are escaped here. */
#include "outputs/target/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"
#include "base/name.h"
#include "outputs/target/internal.h"

/* ---- lists ------------------------------------------------------------------------------ */

/* Puts more text behind *list, with `between` if something is there. */
static void add(char **list, const char *between, const char *text)
{
	char *both =
		format_text("%s%s%s", *list ? *list : "", *list && **list ? between : "", text);

	free(*list);
	*list = both;
}

static char *shown(const char *name)
{
	return mem_text(name ? name_shown(name) : "unknown");
}

static char *number(uint64_t v)
{
	return format_text("%" PRIu64, v);
}

/* As 0-3,5. */
static void add_run(char **list, uint32_t first, uint32_t last)
{
	char text[32];

	if (first == last)
		snprintf(text, sizeof(text), "%" PRIu32, first);
	else
		snprintf(text, sizeof(text), "%" PRIu32 "-%" PRIu32, first, last);
	add(list, ",", text);
}

/* Lists the CPUs of which `in` is true. */
static char *list_cpus(const struct target *t,
		       bool (*in)(const struct target *t, const struct target_cpu *c,
				  const void *of),
		       const void *of)
{
	char *list = NULL;
	size_t i, first;

	for (i = 0; i < t->nr_cpus; i++) {
		if (!in(t, &t->cpus[i], of))
			continue;
		for (first = i; i + 1 < t->nr_cpus && t->cpus[i + 1].cpu == t->cpus[i].cpu + 1 &&
				in(t, &t->cpus[i + 1], of);
		     i++)
			;
		add_run(&list, t->cpus[first].cpu, t->cpus[i].cpu);
	}
	return list ? list : mem_text("");
}

/* ---- sets of CPUs ----------------------------------------------------------------------- */

#define LAST_ID		0x6f	/* of trace sources (IHI 0029, table 4-1) */
#define FIRST_FIXED_ID	0x10

static bool has_id(const struct target *t, const struct target_cpu *c)
{
	if (t->kernel.ids_dynamic == TARGET_NO)
		return c->cpu <= (LAST_ID - FIRST_FIXED_ID) / 2;
	return c->rank < LAST_ID;	/* whatever the order in which they are allocated */
}

static int compare_trbe(const void *key, const void *sink)
{
	const int64_t cpu = ((const struct target_cpu *)key)->cpu,
		      other = ((const struct target_sink *)sink)->cpu;

	return cpu < other ? -1 : cpu > other;
}

/* TRBEs are the first sinks, in the order of their CPUs. */
static bool lacks_trbe(const struct target *t, const struct target_cpu *c)
{
	size_t n = target_sinks(t, TARGET_TRBE, NULL);

	return n && !bsearch(c, t->pmu.sinks, n, sizeof(*t->pmu.sinks), compare_trbe);
}

static bool lacks(const struct target_cpu *c, uint32_t feature)
{
	return (c->kind == TARGET_ETMV4 || c->kind == TARGET_ETE) && !(c->features & feature);
}

static bool in_set(const struct target *t, const struct target_cpu *c, const void *of)
{
	const bool traced = c->online && c->kind != TARGET_NO_UNIT;

	switch (*(const enum cpu_set *)of) {
	case CPUS_OFFLINE:
		return !c->online;
	case CPUS_TRACED:
		return traced;
	case CPUS_UNTRACED:
		return c->online && !traced;
	case CPUS_UNREAD:
		return traced && c->kind == TARGET_UNIT_UNKNOWN;
	case CPUS_OLD:
		return traced && (c->kind == TARGET_ETMV3 || c->kind == TARGET_PTM);
	case CPUS_NO_TIMESTAMPS:
		return traced && lacks(c, TARGET_TIMESTAMPS);
	case CPUS_NO_CYCLES:
		return traced && lacks(c, TARGET_CYCLES);
	case CPUS_NO_THREADS:
		return traced && t->kernel.vhe != TARGET_UNKNOWN &&
		       lacks(c, t->kernel.vhe == TARGET_YES ? TARGET_CONTEXTID2 : TARGET_CONTEXTID);
	case CPUS_NO_STROBING:
		return traced && lacks(c, TARGET_STROBING);
	case CPUS_NO_TRBE:
		return traced && lacks_trbe(t, c);
	case CPUS_WITH_ID:
		return traced && has_id(t, c);
	case CPUS_NO_ID:
		return traced && t->kernel.ids_dynamic != TARGET_UNKNOWN && !has_id(t, c);
	}
	return false;
}

uint32_t cpus_count(const struct target *t, enum cpu_set set)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		n += in_set(t, &t->cpus[i], &set);
	return n;
}

static char *cpu_list(const struct target *t, enum cpu_set set)
{
	return list_cpus(t, in_set, &set);
}

/* ---- trace units ------------------------------------------------------------------------ */

/* Those of one kind, version and features have one line. */
static bool same_unit(const struct target *t, const struct target_cpu *c, const void *of)
{
	const struct target_cpu *o = of;

	(void)t;
	return c->online && c->kind == o->kind && c->major == o->major && c->minor == o->minor &&
	       c->features == o->features && c->ts_bits == o->ts_bits && c->cc_min == o->cc_min;
}

static const struct feature {
	uint32_t bit;
	const char *name;
} features[] = {
	{ TARGET_CYCLES, "cycle counts" },	{ TARGET_TIMESTAMPS, "timestamps" },
	{ TARGET_RETSTACK, "return stack" },	{ TARGET_BROADCAST, "branch broadcasting" },
	{ TARGET_CONTEXTID, "CONTEXTIDR_EL1" }, { TARGET_CONTEXTID2, "CONTEXTIDR_EL2" },
	{ TARGET_STROBING, "strobing" },
};

/*
 * Names the features that are there, or are not; those that ETMv3 and PTM cannot have are not
 * named.
 */
static char *feature_names(const struct target_cpu *c, bool there)
{
	const bool old = c->kind == TARGET_ETMV3 || c->kind == TARGET_PTM;
	char *names = NULL, text[64];
	const struct feature *f;

	for (f = features; f < features + sizeof(features) / sizeof(*f); f++) {
		if (!(c->features & f->bit) == there || (old && f->bit >= TARGET_BROADCAST))
			continue;
		if (there && f->bit == TARGET_TIMESTAMPS && c->ts_bits)
			snprintf(text, sizeof(text), "timestamps of %" PRIu32 " bits", c->ts_bits);
		else if (there && f->bit == TARGET_CYCLES && c->cc_min)
			snprintf(text, sizeof(text), "cycle counts from %" PRIu32 " on", c->cc_min);
		else
			snprintf(text, sizeof(text), "%s", f->name);
		add(&names, ", ", text);
	}
	return names;
}

static char *unit_line(const struct target *t, const struct target_cpu *c)
{
	char *cpus = list_cpus(t, same_unit, c), *with = feature_names(c, true),
	     *without = feature_names(c, false), *line;

	line = format_text("trace units: CPU%s %s: %s %u.%u%s%s%s%s",
			   cpus[strspn(cpus, "0123456789")] ? "s" : "", cpus,
			   target_unit_name(c->kind), c->major, c->minor, with ? " with " : "",
			   with ? with : "", without ? ", without " : "", without ? without : "");
	free(cpus);
	free(with);
	free(without);
	return line;
}

/* More kinds than this are no machine that was seen: a phone has three. */
#define MAX_UNIT_LINES	16u

char *value_unit(const struct target *t, size_t nth)
{
	const struct target_cpu *kinds[MAX_UNIT_LINES], *c;
	size_t nr = 0, i, k;

	for (i = 0; i < t->nr_cpus; i++) {
		c = &t->cpus[i];
		if (!c->online || c->kind <= TARGET_UNIT_UNKNOWN)
			continue;
		for (k = 0; k < nr && !same_unit(t, kinds[k], c); k++)
			;
		if (k < nr)
			continue;
		if (nr == MAX_UNIT_LINES)
			return nth == nr ? mem_text("trace units: of more kinds (--format=json)") :
					   NULL;
		if (nr == nth)
			return unit_line(t, c);
		kinds[nr++] = c;
	}
	return NULL;
}

/* ---- sinks ------------------------------------------------------------------------------ */

bool sinks_usable(const struct target *t)
{
	return t->pmu.nr_sinks >
	       target_sinks(t, TARGET_TPIU, NULL) + target_sinks(t, TARGET_SINK_OTHER, NULL);
}

bool sinks_on_chip(const struct target *t)
{
	return !target_sinks(t, TARGET_ETR, NULL) && !target_sinks(t, TARGET_TRBE, NULL) &&
	       !target_sinks(t, TARGET_SMB, NULL);
}

/* perf uses TRBE where there is one. */
bool sinks_framed(const struct target *t)
{
	return sinks_usable(t) && !target_sinks(t, TARGET_TRBE, NULL);
}

/* The sinks are in the order of their CPUs. */
static char *trbe_cpus(const struct target *t)
{
	const struct target_sink *s = t->pmu.sinks, *end = s + t->pmu.nr_sinks, *first;
	char *list = NULL;

	for (; s < end && s->kind == TARGET_TRBE; s++) {
		if (s->cpu < 0)
			continue;
		for (first = s; s + 1 < end && s[1].kind == TARGET_TRBE && s[1].cpu == s->cpu + 1;
		     s++)
			;
		add_run(&list, (uint32_t)first->cpu, (uint32_t)s->cpu);
	}
	return list ? list : mem_text("unknown");
}

static char *trbe_line(const struct target *t)
{
	char *cpus = trbe_cpus(t);
	char *line = format_text(
		"sinks: TRBE of CPUs %s: system memory of each CPU, without frames", cpus);

	free(cpus);
	return line;
}

static char *sink_line(const struct target_sink *s)
{
	const char *name = name_shown(s->name), *kind = target_sink_name(s->kind);

	if (s->kind == TARGET_ETR)
		return format_text("sinks: %s: ETR, system memory, all CPUs share it", name);
	if (s->kind == TARGET_TPIU || s->kind == TARGET_SINK_OTHER)
		return format_text("sinks: %s: %s, which perf cannot use", name, kind);
	if (s->size)
		return format_text("sinks: %s: %s, %" PRIu64 " KB for all CPUs", name, kind,
				   s->size / 1024);
	return format_text("sinks: %s: %s, for all CPUs", name, kind);
}

static char *first_etr(const struct target *t)
{
	const struct target_sink *s = NULL;

	return target_sinks(t, TARGET_ETR, &s) ? mem_text(name_shown(s->name)) : mem_text("");
}

/* All TRBEs have one line, which comes first. */
char *value_sink(const struct target *t, size_t nth)
{
	size_t trbes = target_sinks(t, TARGET_TRBE, NULL);

	if (trbes && !nth)
		return trbe_line(t);
	if (trbes)
		nth += trbes - 1;
	return nth < t->pmu.nr_sinks ? sink_line(&t->pmu.sinks[nth]) : NULL;
}

/* ---- kernel ----------------------------------------------------------------------------- */

bool option_off(const struct target *t, enum target_option option)
{
	return t->kernel.option[option] == 'n';
}

/* Options that this machine's architecture has. */
static bool option_fits(const struct target *t, int i)
{
	if (i == TARGET_CONFIG_CORESIGHT_SOURCE_ETM3X)
		return t->arch == TARGET_ARM32;
	return t->arch != TARGET_ARM32 ||
	       (i != TARGET_CONFIG_CORESIGHT_SOURCE_ETM4X && i != TARGET_CONFIG_CORESIGHT_TRBE);
}

/* Those that are set, or those that trace needs and that are off. */
static char *options(const struct target *t, bool on)
{
	char *list = NULL;
	int i;

	for (i = 0; i < NR_TARGET_OPTIONS; i++)
		if (option_fits(t, i) &&
		    (on ? t->kernel.option[i] == 'y' || t->kernel.option[i] == 'm' :
			  option_off(t, i) && i < TARGET_CONFIG_CORESIGHT_CATU))
			add(&list, ", ", target_option_name(i));
	return list ? list : mem_text("none of the options that trace needs");
}

/* Modules of the other architecture, and of a buffer that only old machines have, are of no use. */
static bool is_unloaded(const struct target *t, int m)
{
	if (m == TARGET_MODULE_coresight_etm3x || m == TARGET_MODULE_coresight_etb10)
		return false;
	return t->kernel.module[m].present && !t->kernel.module[m].loaded;
}

uint32_t modules_unloaded(const struct target *t)
{
	uint32_t n = 0;
	int m;

	for (m = 0; m < NR_TARGET_MODULES; m++)
		n += is_unloaded(t, m);
	return n;
}

static char *unloaded(const struct target *t)
{
	char *list = NULL;
	int m;

	for (m = 0; m < NR_TARGET_MODULES; m++)
		if (is_unloaded(t, m))
			add(&list, " ", target_module_name(m));
	return list ? list : mem_text("none");
}

static void add_count(char **list, uint32_t n, const char *what)
{
	char text[64];

	snprintf(text, sizeof(text), "%" PRIu32 " %s%s", n, what, n == 1 ? "" : "s");
	if (n)
		add(list, ", ", text);
}

static char *firmware(const struct target *t)
{
	const struct target_firmware *f = &t->firmware;
	char *list = NULL, *text;

	add_count(&list, f->units, "trace unit");
	add_count(&list, f->sinks, "sink");
	add_count(&list, f->trbes, "TRBE node");
	add_count(&list, f->links, "link");
	text = format_text("%s describes %s", f->acpi ? "ACPI" : "the device tree",
			   list ? list : "no trace hardware");
	free(list);
	return text;
}

static char *term_names(const struct target *t)
{
	char *list = NULL;
	size_t i;

	for (i = 0; i < t->pmu.nr_terms; i++)
		add(&list, ", ", name_shown(t->pmu.terms[i].name));
	return list ? list : mem_text("none");
}

static char *strobing(const struct target *t)
{
	const struct target_pmu *p = &t->pmu;

	if (p->window.seen != TARGET_SEEN || p->period.seen != TARGET_SEEN)
		return mem_text("configuration autofdo, with its presets");
	return format_text("configuration autofdo, with its presets, or a window of %" PRId64
			   " cycles in %" PRId64 " windows",
			   p->window.value, p->period.value);
}

/* ts_source of the first CPU that has it. */
static int64_t clock_of(const struct target *t)
{
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i].ts_source.seen == TARGET_SEEN)
			return t->cpus[i].ts_source.value;
	return 0;
}

bool clock_known(const struct target *t)
{
	return clock_of(t) == 1 || clock_of(t) == 3;
}

static char *clock_name(const struct target *t)
{
	switch (clock_of(t)) {
	case 1:
		return mem_text("the virtual counter, which is converted to perf's time");
	case 2:
		return mem_text("a guest's physical counter");
	case 3:
		return mem_text(
			"the physical counter, which is perf's time where it has no offset");
	default:
		return mem_text("the kernel does not say which counter they are");
	}
}

/* ---- limits ----------------------------------------------------------------------------- */

int paranoid_of(const struct target *t)
{
	const struct target_number *n = &t->settings.paranoid;

	if (n->seen != TARGET_SEEN || n->value > 9)
		return n->seen == TARGET_SEEN ? 9 : -2;
	return n->value < -1 ? -1 : (int)n->value;
}

/*
 * What perf takes for each CPU of a user who is not privileged: a ring of 256 KB with a page
 * before it, and 128 KB.
 */
uint64_t locked_needed_kb(const struct target *t)
{
	return (256 + 128 + t->settings.page_size / 1024) * (uint64_t)t->nr_online;
}

/* perf_mmap() of the kernel: the setting for each CPU, and what the process may lock anyway. */
uint64_t locked_allowed_kb(const struct target *t)
{
	const struct target_settings *s = &t->settings;
	uint64_t kb;

	if (s->mlock_kb.seen != TARGET_SEEN || s->memlock.seen != TARGET_SEEN ||
	    s->mlock_kb.value < 0 || s->memlock.value == INT64_MAX || paranoid_of(t) == -1 ||
	    target_capable(t, TARGET_CAP_IPC_LOCK))
		return UINT64_MAX;
	kb = (uint64_t)s->mlock_kb.value < INT64_MAX / 65536 ?
		     (uint64_t)s->mlock_kb.value * t->nr_online :
		     INT64_MAX;
	return kb + (uint64_t)s->memlock.value / 1024;
}

bool kptr_hidden(const struct target *t)
{
	const struct target_number *n = &t->settings.kptr_restrict;

	return n->seen == TARGET_SEEN &&
	       (n->value > 1 || (n->value == 1 && !target_capable(t, TARGET_CAP_SYSLOG)));
}

static char *odd_files(const struct target *t)
{
	char *list = NULL;
	size_t i;

	for (i = 0; i < t->nr_odd; i++)
		add(&list, ", ", name_shown(t->odd[i]));
	if (t->nr_odd == TARGET_MAX_ODD)
		add(&list, ", ", "and perhaps more");
	return list ? list : mem_text("none");
}

/* ---- texts ------------------------------------------------------------------------------ */

static char *value_of(const struct target *t, const char *name, size_t len)
{
#define VALUE(key, value) \
	if (len == sizeof(#key) - 1 && !memcmp(name, #key, len)) \
		return value;
#include "outputs/target/values.def"
#undef VALUE
	return mem_text_part(name, len);
}

char *value_text(const struct target *t, const char *text)
{
	char *out = NULL, *part;
	size_t n;

	while (*text) {
		n = strcspn(text, "{");
		part = mem_text_part(text, n);
		add(&out, "", part);
		free(part);
		text += n;
		if (*text != '{')
			continue;
		n = strcspn(text, "}");
		part = value_of(t, text + 1, n - 1);
		add(&out, "", part);
		free(part);
		text += n + 1;
	}
	return out;
}
