/* SPDX-License-Identifier: GPL-2.0-only */
/* plan.c - the command line of perf for a purpose on a target, and those for the other host. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/format.h"
#include "base/name.h"
#include "base/path.h"
#include "base/quote.h"
#include "outputs/record/internal.h"

static const struct purpose purposes[NR_PURPOSES] = {
#define PURPOSE(id, name, ability, modifier, ms, flags, home) \
	[RECORD_FOR_##id] = { name, ability, modifier, ms, flags, home },
#include "outputs/record/purposes.def"
#undef PURPOSE
};

const struct purpose *purpose_of(enum record_purpose purpose)
{
	return &purposes[purpose];
}

const char *record_purpose_name(unsigned int purpose)
{
	return purpose < NR_PURPOSES ? purposes[purpose].name : NULL;
}

enum target_ability record_purpose_ability(enum record_purpose purpose)
{
	return purposes[purpose].ability;
}

void lines_add(struct record_lines *lines, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*ARRAY_ADD(lines->v, lines->nr, lines->cap) = format_args(fmt, ap);
	va_end(ap);
}

static void lines_free(struct record_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->nr; i++)
		free(lines->v[i]);
	free(lines->v);
}

void record_plan_free(struct record_plan *plan)
{
	lines_free(&plan->perf);
	lines_free(&plan->notes);
	lines_free(&plan->home);
	free(plan->package);
}

/* ---- what the target can do ---- */

/* perf 6.4 and later let these two terms be turned off, and look at the trace units of all CPUs. */
#define PERF_CHECKS 604u
/* perf 5.4 and later take a snapshot at the end as well. */
#define PERF_LAST_SNAPSHOT 504u

/* Where perf was not asked, that of the kernel's version is meant. */
static unsigned int version_of_perf(const struct target *t)
{
	return t->perf.major ? t->perf.major * 100 + t->perf.minor :
			       t->kernel.major * 100 + t->kernel.minor;
}

static bool has_old_units(const struct target *t)
{
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i].online &&
		    (t->cpus[i].kind == TARGET_ETMV3 || t->cpus[i].kind == TARGET_PTM))
			return true;
	return false;
}

static void look_at_units(struct choice *c)
{
	const struct target *t = c->t;
	const uint32_t features = target_common_features(t);
	const uint32_t threads = t->kernel.vhe == TARGET_YES ? TARGET_CONTEXTID2 : TARGET_CONTEXTID;
	const bool old = has_old_units(t);

	c->contextid = features & threads && target_term(t, "contextid") && !old;
	c->timestamp = features & TARGET_TIMESTAMPS && target_term(t, "timestamp") && !old;
	c->strobes = c->purpose->flags & RECORD_STROBES && t->pmu.autofdo == TARGET_SEEN &&
		     features & TARGET_STROBING;
	c->per_thread = (!c->contextid || !c->timestamp) && c->perf_version < PERF_CHECKS &&
			!c->ask->all_cpus;
}

static char *refuse_units(const struct choice *c, bool some)
{
	const struct target *t = c->t;

	if (c->ask->cycles && !(target_common_features(t) & TARGET_CYCLES))
		return mem_text(
			"--cycles: the trace units of this machine count none; record without it");
	if (c->purpose->flags & RECORD_TIMES && !c->timestamp)
		return format_text(
			"--for=%s: the trace units of this machine have no timestamps that perf "
			"records; "
			"--for=report needs none",
			c->purpose->name);
	if (c->ask->all_cpus && (!c->contextid || !c->timestamp) && c->perf_version < PERF_CHECKS)
		return mem_text(
			"-a: the trace units of this machine have no context IDs or timestamps, "
			"and perf before 6.4 "
			"then records single threads only: name a program, or take a newer perf "
			"(--perf FILE)");
	if (some && !c->ask->all_cpus && !c->per_thread && c->perf_version >= PERF_CHECKS)
		return mem_text(
			"not all CPUs can be traced, and perf 6.4 and later then refuses to "
			"follow a program: record "
			"those that can with -a");
	return NULL;
}

static char *refuse_sink(const struct target *t, const char *name)
{
	size_t i;

	for (i = 0; name && i < t->pmu.nr_sinks; i++)
		if (!strcmp(t->pmu.sinks[i].name, name))
			return NULL;
	return name ? format_text(
			      "--sink %s: there is no such sink in "
			      "/sys/bus/event_source/devices/cs_etm/sinks",
			      name_shown(name)) :
		      NULL;
}

/* ---- the command line ---- */

static bool copies_kcore(const struct target *t)
{
	return t->kernel.kcore == TARGET_SEEN && target_capable(t, TARGET_CAP_SYS_RAWIO) &&
	       !(t->settings.lockdown && !strcmp(t->settings.lockdown, "confidentiality"));
}

static void add_kernel(struct record_plan *plan, const struct target *t)
{
	if (copies_kcore(t)) {
		lines_add(&plan->perf, "--kcore");
		lines_add(&plan->notes,
			  "--kcore: the kernel's code as it is now, with modules and patches");
	} else {
		lines_add(
			&plan->notes,
			"no --kcore: /proc/kcore cannot be copied here; bring along vmlinux of "
			"this very build, and give "
			"--vmlinux FILE at home");
	}
}

static void add_snapshot(struct record_plan *plan, const struct choice *c)
{
	plan->snapshot = true;
	lines_add(&plan->perf, c->perf_version >= PERF_LAST_SNAPSHOT ? "-Se" : "-S");
	lines_add(&plan->notes, "%s: buffers go round; kill -USR2 of perf%s writes them",
		  c->perf_version >= PERF_LAST_SNAPSHOT ? "-Se" : "-S",
		  c->perf_version >= PERF_LAST_SNAPSHOT ? ", and its end," : "");
}

/* Whose trace: all CPUs, those that can be traced, processes, or single threads. */
static void add_scope(struct record_plan *plan, const struct choice *c, bool some)
{
	char *list;

	if (c->ask->all_cpus && some) {
		list = traceable_list(c->t);
		lines_add(&plan->perf, "-C");
		lines_add(&plan->perf, "%s", list);
		lines_add(&plan->notes, "-C: the CPUs that can be traced");
		free(list);
	} else if (c->ask->all_cpus) {
		lines_add(&plan->perf, "-a");
	} else if (some) {
		list = traceable_list(c->t);
		lines_add(
			&plan->notes,
			"CPUs: of the online ones %s alone can be traced; 'taskset -c %s' keeps "
			"a program there",
			list, list);
		free(list);
	}
	if (c->ask->pid) {
		lines_add(&plan->perf, "-p");
		lines_add(&plan->perf, "%s", c->ask->pid);
	}
	if (c->per_thread) {
		lines_add(&plan->perf, "--per-thread");
		lines_add(
			&plan->notes,
			"--per-thread: the trace units have no %s; threads and processes that "
			"begin later are not traced",
			c->contextid ? "timestamps" : "context IDs that perf records");
	} else if (!c->contextid || c->t->user.first_pid_ns == TARGET_NO) {
		lines_add(&plan->perf, "--switch-events");
		lines_add(&plan->notes, "--switch-events: who ran when, since %s",
			  c->contextid ? "the kernel traces no context IDs in a container" :
					 "the trace has no context IDs");
	}
}

static void add_command(struct record_plan *plan, const struct record_ask *ask)
{
	size_t i;

	if (!ask->command[0] && !ask->seconds)
		return;
	lines_add(&plan->perf, "--");
	if (!ask->command[0]) {
		lines_add(&plan->perf, "sleep");
		lines_add(&plan->perf, "%llu", (unsigned long long)ask->seconds);
	}
	for (i = 0; ask->command[i]; i++)
		lines_add(&plan->perf, "%s", ask->command[i]);
}

static void add_words(struct record_plan *plan, const struct choice *c, bool some)
{
	char *event = record_event_text(c, &plan->notes), *buffers = buffers_text(c, &plan->notes);

	lines_add(&plan->perf, "%s", c->ask->perf);
	lines_add(&plan->perf, "record");
	lines_add(&plan->perf, "-o");
	lines_add(&plan->perf, "%s", c->ask->output);
	lines_add(&plan->perf, "-e");
	lines_add(&plan->perf, "%s", event);
	lines_add(&plan->perf, "-m");
	lines_add(&plan->perf, "%s", buffers);
	if (c->purpose->flags & RECORD_KERNEL)
		add_kernel(plan, c->t);
	if (c->purpose->flags & RECORD_SNAPSHOT)
		add_snapshot(plan, c);
	add_scope(plan, c, some);
	add_command(plan, c->ask);
	free(buffers);
	free(event);
}

/* ---- afterwards ---- */

/* `text` with {package} and {program} replaced. */
static char *home_line(const char *text, const char *package, const char *program)
{
	char *line = mem_text(""), *more, *word;
	size_t n;

	while (*text) {
		n = strcspn(text, "{");
		if (!n && (!strncmp(text, "{package}", 9) || !strncmp(text, "{program}", 9))) {
			word = quote_word(text[2] == 'a' ? package : program);
			more = format_text("%s%s", line, word);
			free(word);
			n = 9;
		} else {
			n += !n;
			more = format_text("%s%.*s", line, (int)n, text);
		}
		free(line);
		line = more;
		text += n;
	}
	return line;
}

static void add_home(struct record_plan *plan, const struct choice *c)
{
	const char *program = c->ask->command[0] ? path_label(c->ask->command[0]) : "PROGRAM";
	char *from = plan->package ? plan->package : (char *)(uintptr_t)c->ask->output, *line;

	line = home_line("perf-cstrace info -i {package}", from, program);
	lines_add(&plan->home, "%s", line);
	free(line);
	line = home_line(c->purpose->home, from, program);
	lines_add(&plan->home, "%s", line);
	free(line);
}

char *record_plan(struct record_plan *plan, const struct target *t, const struct record_ask *ask)
{
	struct choice c = { .t = t,
			    .ask = ask,
			    .purpose = purpose_of(ask->purpose),
			    .perf_version = version_of_perf(t),
			    .period = 1 };
	bool some;
	char *why;

	*plan = (struct record_plan){ .output = ask->output };
	c.cpus = traceable_cpus(t, &some);
	look_at_units(&c);
	if (c.strobes)
		choose_strobing(&c);
	why = refuse_sink(t, ask->sink);
	if (!why)
		why = refuse_units(&c, some);
	if (c.per_thread)
		c.cpus = 1;
	if (!why)
		why = refuse_buffers(&c);
	if (why)
		return why;
	if (ask->package)
		plan->package = format_text("%s.package", ask->output);
	if (c.purpose->flags & RECORD_STROBES && !c.strobes)
		lines_add(
			&plan->notes,
			"no strobing: this kernel or these trace units have none, so all is "
			"traced");
	add_words(plan, &c, some);
	*ARRAY_ADD(plan->perf.v, plan->perf.nr, plan->perf.cap) = NULL;
	add_home(plan, &c);
	return NULL;
}
