/* SPDX-License-Identifier: GPL-2.0-only */
/* json.c - findings, abilities and facts for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "outputs/check/check.h"

/* Texts of files are shorter than this, but for findings that list many CPUs, which are cut. */
#define LONGEST	16384u

/* A string, or null. */
static void put_string(const char *s)
{
	static const size_t size = 6 * LONGEST + 2;
	char text[6 * LONGEST + 2];

	if (!s)
		printf("null");
	else
		fwrite(text, 1, (size_t)(name_json(text, text + size, s) - text), stdout);
}

static void put_key(const char *key, const char *value)
{
	printf(",\"%s\":", key);
	put_string(value);
}

static void put_number(const char *key, const struct target_number *n)
{
	printf(",\"%s\":", key);
	if (n->seen == TARGET_SEEN)
		printf("%" PRId64, n->value);
	else
		printf("null");
}

static void put_answer(const char *key, enum target_answer answer)
{
	static const char *const words[] = {
		[TARGET_UNKNOWN] = "null", [TARGET_NO] = "false", [TARGET_YES] = "true",
	};

	printf(",\"%s\":%s", key, words[answer]);
}

static const char *put_start(const char *sep)
{
	printf("%s\n  {", sep);
	return ",";
}

/* "pmu-absent" for PMU_ABSENT. */
static void put_id(const char *name)
{
	for (; *name; name++)
		putchar(*name == '_'		     ? '-' :
			*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' :
						       *name);
}

static void put_findings(const struct target_findings *fs)
{
	const struct target_finding *f;
	const char *sep = "";
	size_t i;

	printf(" \"findings\":[");
	for (i = 0; i < fs->nr; i++) {
		f = &fs->v[i];
		sep = put_start(sep);
		printf("\"id\":\"");
		put_id(finding_name(f->id));
		printf("\",\"state\":\"%s\"", finding_state_name(f->state));
		put_key("text", f->text);
		put_key("cure", f->cure);
		putchar('}');
	}
	printf("],\n");
}

static const char *const able_names[] = {
	[ABLE_NO] = "no", [ABLE_LIMITED] = "limited", [ABLE_YES] = "yes",
};

static void put_abilities(const struct target *t, const struct target_findings *fs)
{
	const struct target_finding *why;
	const char *sep = "";
	enum able able;
	char *command;
	int a;

	printf(" \"abilities\":[");
	for (a = 0; a < NR_ABILITIES; a++) {
		able = findings_able(fs, (enum target_ability)a, &why);
		command = able == ABLE_NO ? NULL : ability_command(t, (enum target_ability)a);
		sep = put_start(sep);
		printf("\"name\":\"%s\",\"able\":\"%s\",\"why\":",
		       ability_name((enum target_ability)a), able_names[able]);
		if (why) {
			putchar('"');
			put_id(finding_name(why->id));
			putchar('"');
		} else {
			printf("null");
		}
		put_key("command", command);
		putchar('}');
		free(command);
	}
	printf("],\n");
}

static void put_features(uint32_t features)
{
	static const char *const names[] = {
		"cycles",     "timestamps", "retstack", "branch-broadcast",
		"contextid1", "contextid2", "strobing",
	};
	const char *sep = "";
	size_t i;

	printf(",\"features\":[");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(features >> i & 1))
			continue;
		printf("%s\"%s\"", sep, names[i]);
		sep = ",";
	}
	printf("]");
}

static void put_cpus(const struct target *t)
{
	const struct target_cpu *c;
	const char *sep = "";
	size_t i;

	printf(" \"cpus\":[");
	for (i = 0; i < t->nr_cpus; i++) {
		c = &t->cpus[i];
		sep = put_start(sep);
		printf("\"cpu\":%" PRIu32 ",\"online\":%s", c->cpu, c->online ? "true" : "false");
		put_key("unit", target_unit_name(c->kind));
		printf(",\"major\":%u,\"minor\":%u", c->major, c->minor);
		printf(",\"timestamp_bits\":%" PRIu32, c->ts_bits);
		printf(",\"least_cycle_count\":%" PRIu32, c->cc_min);
		put_number("ts_source", &c->ts_source);
		put_features(c->features);
		putchar('}');
	}
	printf("],\n");
}

static void put_sinks(const struct target *t)
{
	const struct target_sink *s;
	const char *sep = "";
	size_t i;

	printf(" \"sinks\":[");
	for (i = 0; i < t->pmu.nr_sinks; i++) {
		s = &t->pmu.sinks[i];
		sep = put_start(sep);
		printf("\"kind\":\"%s\"", target_sink_name(s->kind));
		printf(",\"id\":%" PRIu32 ",\"cpu\":", s->id);
		printf(s->cpu < 0 ? "null" : "%" PRId32, s->cpu);
		printf(s->size ? ",\"bytes\":%" PRIu64 : ",\"bytes\":null", s->size);
		put_key("name", s->name);
		putchar('}');
	}
	printf("],\n");
}

static void put_terms(const struct target *t)
{
	const char *sep = "";
	size_t i;

	printf(" \"terms\":[");
	for (i = 0; i < t->pmu.nr_terms; i++) {
		sep = put_start(sep);
		printf("\"name\":");
		put_string(t->pmu.terms[i].name);
		put_key("bits", t->pmu.terms[i].bits);
		putchar('}');
	}
	printf("],\n");
}

static void put_kernel(const struct target_kernel *k)
{
	printf(" \"kernel\":{\"release\":");
	put_string(k->release);
	put_key("config", k->config_path);
	put_answer("vhe", k->vhe);
	put_answer("kpti", k->kpti);
	put_answer("trace_ids_allocated", k->ids_dynamic);
	printf("},\n");
}

static void put_settings(const struct target *t)
{
	const struct target_settings *s = &t->settings;

	printf(" \"settings\":{\"page_size\":%" PRIu32, s->page_size);
	put_number("perf_event_paranoid", &s->paranoid);
	put_number("kptr_restrict", &s->kptr_restrict);
	put_number("perf_event_mlock_kb", &s->mlock_kb);
	put_number("memlock", &s->memlock);
	put_key("lockdown", s->lockdown);
	put_number("uid", &t->user.uid);
	put_answer("first_pid_namespace", t->user.first_pid_ns);
	put_answer("first_user_namespace", t->user.first_user_ns);
	printf("},\n");
}

static void put_perf(const struct target_perf *p)
{
	printf(" \"perf\":{\"path\":");
	put_string(p->path);
	put_key("version", p->version);
	put_answer("auxtrace", p->auxtrace);
	put_answer("opencsd", p->opencsd);
	put_key("simpleperf", p->simpleperf);
	printf("}\n");
}

void check_json(const struct target *t, const struct target_findings *fs)
{
	printf("{\"able\":\"%s\",\"arch\":", able_names[check_verdict(fs)]);
	put_string(t->arch_name);
	put_answer("guest", t->guest.is_one);
	printf(",\n");
	put_abilities(t, fs);
	put_findings(fs);
	put_cpus(t);
	put_sinks(t);
	put_terms(t);
	put_kernel(&t->kernel);
	put_settings(t);
	put_perf(&t->perf);
	printf("}\n");
}
