/* SPDX-License-Identifier: GPL-2.0-only */
/* facts.c - finds out what of the cures (losses/cures.def) was done. */
#include "session/facts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/import/bare.h"
#include "session/internal.h"

#define LARGE	(16ull << 20)
#define PAGE	4096ull		/* -m counts pages; those of the recorder may be larger */

static cure_facts bit(enum cure_fact fact, bool on)
{
	return (cure_facts)on << fact;
}

/* Options of perf record and simpleperf record whose value may be the next word. */
static const char *const with_value[] = {
	"-e", "--event", "-F", "--freq", "-c", "--count", "-p", "--pid", "-t", "--tid", "-u",
	"--uid", "-C", "--cpu", "-m", "--mmap-pages", "-o", "--output", "-k", "--clockid", "-r",
	"--realtime", "-D", "--delay", "-G", "--cgroup", "-j", "--branch-filter", "--filter",
	"--call-graph", "--switch-max-files", "--max-size", "--control", "--affinity",
	"--mmap-flush", "--num-thread-synthesize", "--synth", "--vmlinux", "--proc-map-timeout",
	"--ctl-fd", "--app", "--addr-filter", "--aux-buffer-size", "--user-buffer-size",
	"--duration", "-f", "--size-limit", "--stdio-controls-profiling", "--etm-flush-interval",
	"--cpu-percent", "--kprobe", "--tp-filter", "--exit-with-parent-fd", "--stop-signal-fd",
};

/* Options that say something by being there. */
static const struct {
	const char *name;
	enum cure_fact fact;
} there[] = {
	{ "-a", FACT_STARTED }, { "--all-cpus", FACT_STARTED }, { "-p", FACT_STARTED },
	{ "--pid", FACT_STARTED }, { "-t", FACT_STARTED }, { "--tid", FACT_STARTED },
	{ "--app", FACT_STARTED }, { "-a", FACT_PRIVILEGED }, { "--all-cpus", FACT_PRIVILEGED },
	{ "--kcore", FACT_KCORE }, { "--filter", FACT_FILTERED },
	{ "--addr-filter", FACT_FILTERED }, { "-z", FACT_COMPRESSED },
	{ "--compression-level", FACT_COMPRESSED }, { "--switch-output", FACT_PARTED },
};

/*
 * Returns the rest of a word after the name of an option: "", or the value of "--name=value" and
 * "-nvalue"; NULL: another option.
 */
static const char *rest_of(const char *word, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(word, name, len))
		return NULL;
	if (!word[len])
		return word + len;
	if (name[1] != '-')
		return word + len;
	return word[len] == '=' ? word + len + 1 : NULL;
}

static bool takes_value(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(with_value) / sizeof(with_value[0]); i++)
		if (!strcmp(word, with_value[i]))
			return true;
	return false;
}

/* Returns the bytes of a size "16M", or of a number of pages. */
static uint64_t size_of(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	switch (*end) {
	case 'B':
		return n;
	case 'K': case 'k':
		return n << 10;
	case 'M': case 'm':
		return n << 20;
	case 'G': case 'g':
		return n << 30;
	}
	return n * PAGE;
}

/* Sizes "RING,AUX" of perf record -m. */
static cure_facts perf_sizes(const char *text)
{
	const char *aux = strchr(text, ',');

	return bit(FACT_LARGE_RING, size_of(text) >= LARGE) |
	       bit(FACT_LARGE_BUFFER, aux && size_of(aux + 1) >= LARGE);
}

/* `value` is in the word, or the next one. */
static cure_facts of_option(const char *word, const char *next)
{
	static const struct {
		const char *name;
		enum cure_fact fact;	/* for a size */
	} sizes[] = {
		{ "--aux-buffer-size", FACT_LARGE_BUFFER }, { "--user-buffer-size", FACT_LARGE_RING },
	};
	cure_facts facts = 0;
	const char *v;
	size_t k;

	for (k = 0; k < sizeof(there) / sizeof(there[0]); k++)
		if (rest_of(word, there[k].name))
			facts |= bit(there[k].fact, true);
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		if ((v = rest_of(word, sizes[k].name)))
			facts |= bit(sizes[k].fact, size_of(*v ? v : next) >= LARGE);
	if ((v = rest_of(word, "--mmap-pages")) || (v = rest_of(word, "-m")))
		facts |= perf_sizes(*v ? v : next);
	return facts;
}

/*
 * The first word that is no option, nor the value of one, is the program that the recorder started.
 */
static cure_facts of_command(const struct pd_env *env)
{
	uint32_t i = env->nr_cmdline > 1 && !strcmp(env->cmdline[1], "record") ? 2 : 1;
	cure_facts facts = 0;

	for (; i < env->nr_cmdline; i++) {
		const char *word = env->cmdline[i], *next = i + 1 < env->nr_cmdline ? env->cmdline[i + 1] : "";

		if (word[0] != '-' || !strcmp(word, "--"))
			return facts | CURE_FACT(STARTED);
		facts |= of_option(word, next);
		i += takes_value(word);
	}
	return facts;
}

/* A piece of an AUX buffer is not larger than the buffer. */
static bool has_large_piece(const struct queues *qs)
{
	size_t i, k;

	for (i = 0; i < qs->nr; i++)
		for (k = 0; k < qs->q[i]->found.nr_chunks; k++)
			if (qs->q[i]->found.chunks[k].size >= LARGE)
				return true;
	return false;
}

/* What the units of all CPUs have. Without metadata nothing is known. */
static cure_facts of_units(const struct trace_units *tu)
{
	cure_facts all = ~(cure_facts)0;
	uint32_t i;

	for (i = 0; i < tu->info.nr_cpu; i++) {
		const struct trace_unit *u = &tu->v[i];
		const struct cst_config *c = &u->config;

		all &= bit(FACT_CONTEXTID, u->pid.contextidr_el1 || u->pid.contextidr_el2) |
		       bit(FACT_TIMESTAMPS, u->timestamps) | bit(FACT_NO_CYCLES, !c->cycle_count) |
		       bit(FACT_NO_BROADCAST, !c->branch_broadcast) | bit(FACT_RETSTACK, c->ret_stack) |
		       bit(FACT_NO_RETSTACK, !c->ret_stack);
	}
	return i ? all : 0;
}

static cure_facts of_attrs(const struct session *ss)
{
	cure_facts facts = 0;
	unsigned int i;

	for (i = 0; i < perfdata_nr_attrs(ss->pd); i++) {
		const struct perf_event_attr *a = &perfdata_attr(ss->pd, i)->attr;

		if (a->type == ss->units.info.pmu_type)
			facts |= bit(FACT_ONE_SPACE, a->exclude_kernel != a->exclude_user) |
				 bit(FACT_PRIVILEGED, !a->exclude_kernel);
	}
	return facts;
}

/* True if the file's metadata leaves the ID of a CPU to records, of which there is none for it. */
static bool ids_lost(const struct trace_units *tu)
{
	bool unnamed = false;
	size_t i;

	for (i = 0; i < tu->info.nr_cpu; i++)
		unnamed |= tu->info.cpu[i].trace_id < 0;
	for (i = 0; unnamed && i < tu->nr_ids; i++)
		if (!tu->ids[i].only)
			return false;
	return unnamed;
}

static cure_facts of_options(const struct session_opts *o)
{
	return bit(FACT_SYMFS, o->symfs && o->symfs[0]) | bit(FACT_BUILDID_DIR, o->buildid_dir) |
	       bit(FACT_VMLINUX, o->vmlinux) | bit(FACT_KALLSYMS, o->kallsyms) |
	       bit(FACT_JITDUMP, o->jitdump) |
	       bit(FACT_FORCE, o->force) | bit(FACT_MAX_EXPAND, o->max_expand) |
	       bit(FACT_ELF, o->bare && o->bare->nr_programs);
}

struct cure_case session_made(const struct session *ss)
{
	const struct pd_env *env = perfdata_env(ss->pd);
	const struct trace_units *tu = &ss->units;
	cure_facts facts = of_command(env) | of_units(tu) | of_attrs(ss) | of_options(&ss->opts);

	facts |= bit(FACT_LARGE_BUFFER, has_large_piece(&ss->queues)) |
		 bit(FACT_SWITCHES, running_cpus(&ss->tasks.running)) | bit(FACT_IDS_LOST, ids_lost(tu)) |
		 bit(FACT_SNAPSHOT_MODE, tu->info.snapshot) |
		 bit(FACT_COMPRESSED, env->raw[PD_FEAT_COMPRESSED].ptr) |
		 bit(FACT_KCORE, ss->images.kernel.kcore);
	return (struct cure_case){ ss->recorder, facts };
}
