/* SPDX-License-Identifier: GPL-2.0-only */
/* findings.c - the table of findings.def, applied to the facts of a target. */
#include "outputs/target/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/format.h"
#include "outputs/target/values.h"

#define ALL	((1u << NR_ABILITIES) - 1)
#define A(name)	(1u << ABLE_##name)

/* Short forms for the conditions. */
#define OFF(option)	option_off(t, TARGET_CONFIG_##option)
#define CPUS(set)	cpus_count(t, CPUS_##set)
#define MODULAR(name)	(t->kernel.option[TARGET_CONFIG_##name] == 'm')
#define DRIVER_OFF \
	(t->arch == TARGET_ARM32 ? OFF(CORESIGHT_SOURCE_ETM3X) : OFF(CORESIGHT_SOURCE_ETM4X))
#define HAS_PMU		(t->pmu.seen == TARGET_SEEN)
#define HAS_AUTOFDO	(t->pmu.autofdo == TARGET_SEEN)
#define SINCE(a, b) (t->kernel.major > (a) || (t->kernel.major == (a) && t->kernel.minor >= (b)))

/* Of a finding that ends the list; it is FINDING_MISSING. */
#define FINDING_END	(FINDING_MISSING + 1)

struct making {
	const struct target *t;
	struct target_findings *fs;
	bool ended;
	/* the last row of FINDING was taken, so rows of CURE are for the last finding */
	bool open;
};

static void take(struct making *m, bool when, const struct target_finding *row)
{
	struct target_finding *f;

	m->open = when && !m->ended;
	if (!m->open)
		return;
	f = ARRAY_ADD(m->fs->v, m->fs->nr, m->fs->cap);
	*f = *row;
	f->text = value_text(m->t, row->text);
	m->ended = row->state == FINDING_END;
	if (m->ended)
		f->state = FINDING_MISSING;
}

static void take_each(struct making *m, enum finding_id id,
		      char *(*next)(const struct target *t, size_t nth))
{
	char *text;
	size_t i;

	for (i = 0; !m->ended && (text = next(m->t, i)); i++)
		*ARRAY_ADD(m->fs->v, m->fs->nr, m->fs->cap) =
			(struct target_finding){ .id = id, .state = FINDING_OK, .text = text };
}

/* Rows of CURE are behind that of their finding; one that is elsewhere is never taken. */
static void take_cure(struct making *m, enum finding_id id, bool when, const char *text)
{
	struct target_finding *f = m->open ? &m->fs->v[m->fs->nr - 1] : NULL;
	char *cure, *both;

	if (!f || f->id != id || !when)
		return;
	cure = value_text(m->t, text);
	both = f->cure ? format_text("%s; %s", f->cure, cure) : mem_text(cure);
	free(f->cure);
	free(cure);
	f->cure = both;
}

/* ---- questions of the table ------------------------------------------------------------- */

/* True if a capability lifts perf_event_paranoid for this user. */
static bool perfmon(const struct target *t)
{
	return target_capable(t, TARGET_CAP_PERFMON) || target_capable(t, TARGET_CAP_SYS_ADMIN);
}

static bool is_guest(const struct target *t)
{
	return t->guest.is_one == TARGET_YES;
}

static bool confidential(const struct target *t)
{
	return t->settings.lockdown && !strcmp(t->settings.lockdown, "confidentiality");
}

static bool has_ete(const struct target *t)
{
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i].kind == TARGET_ETE)
			return true;
	return false;
}

/* True if the machine has the file of one of the modules, loaded or not. */
static bool any_module(const struct target *t)
{
	int m;

	for (m = 0; m < NR_TARGET_MODULES; m++)
		if (t->kernel.module[m].present)
			return true;
	return false;
}

/* True if trace units and a sink are there. */
static bool recordable(const struct target *t)
{
	return HAS_PMU && CPUS(TRACED) && sinks_usable(t);
}

void findings_of(const struct target *t, struct target_findings *fs)
{
	struct making m = { .t = t, .fs = fs };

	*fs = (struct target_findings){ .nr = 0 };
#define FINDING(id, state, blocks, limits, when, text) \
	take(&m, (when), \
	     &(struct target_finding){ FINDING_##id, FINDING_##state, blocks, limits, text, NULL });
#define EACH(id, next) take_each(&m, FINDING_##id, next);
#define CURE(id, when, text) take_cure(&m, FINDING_##id, (when), text);
#include "outputs/target/findings.def"
#undef FINDING
#undef EACH
#undef CURE
}

void findings_free(struct target_findings *fs)
{
	size_t i;

	for (i = 0; i < fs->nr; i++) {
		free(fs->v[i].text);
		free(fs->v[i].cure);
	}
	free(fs->v);
	*fs = (struct target_findings){ .nr = 0 };
}

const char *finding_name(enum finding_id id)
{
	static const char *const names[NR_FINDINGS] = {
#define FINDING(id, state, blocks, limits, when, text) #id,
#define EACH(id, next) #id,
#define CURE(id, when, text)
#include "outputs/target/findings.def"
#undef FINDING
#undef EACH
#undef CURE
	};

	return names[id];
}

const char *finding_state_name(enum finding_state state)
{
	static const char *const names[] = {
		[FINDING_OK] = "ok",
		[FINDING_NOTE] = "note",
		[FINDING_LIMIT] = "limit",
		[FINDING_MISSING] = "missing",
	};

	return names[state];
}
