/* SPDX-License-Identifier: GPL-2.0-only */
/* target.c - reads all facts of a target, and answers questions about several of them. */
#include "outputs/target/target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "outputs/target/internal.h"

/* Lines "arch aarch64" and "pagesize 4096", in a saved tree. */
#define SAVED	"/collected/machine"

#define ASSUMED_PAGE	4096u

static enum target_arch arch_of(const char *name)
{
	if (!strncmp(name, "aarch64", 7) || !strncmp(name, "arm64", 5))
		return TARGET_ARM64;
	return strncmp(name, "arm", 3) ? TARGET_ARCH_OTHER : TARGET_ARM32;
}

static char *live_arch(void)
{
	struct utsname u;

	return uname(&u) ? NULL : mem_text(u.machine);
}

void read_machine(struct tree *tr)
{
	struct target *t = tr->t;
	enum target_seen seen;
	char *text = tr->root ? tree_text(tr, SAVED, TREE_MAX_LIST, &seen) : NULL,
	     *page = text_value(text, "pagesize ");
	int64_t size = tr->root ? 0 : sysconf(_SC_PAGESIZE);

	t->arch_name = tr->root ? text_value(text, "arch ") : live_arch();
	t->arch = t->arch_name ? arch_of(t->arch_name) : TARGET_ARCH_UNKNOWN;
	if (page && !text_number(page, &size))
		size = 0;
	t->settings.page_size = size >= 4096 && size <= 65536 ? (uint32_t)size : ASSUMED_PAGE;
	t->android = tree_seen(tr, "/system/build.prop") != TARGET_ABSENT;
	free(page);
	free(text);
}

void target_read(struct target *t, const struct target_how *how)
{
	struct tree tr = { .root = how->root, .t = t };
	enum target_seen seen;

	*t = (struct target){ .live = !how->root };
	if (how->root)
		tr.unreadable = tree_text(&tr, "/" TARGET_UNREADABLE, TREE_MAX_LIST, &seen);
	read_machine(&tr);
	read_cpus(&tr);
	read_pmu(&tr);
	read_kernel(&tr);
	read_firmware(&tr);
	read_settings(&tr);
	read_perf(&tr, how->perf);
	free(tr.unreadable);
}

void target_free(struct target *t)
{
	size_t i;

	for (i = 0; i < t->pmu.nr_terms; i++) {
		free(t->pmu.terms[i].name);
		free(t->pmu.terms[i].bits);
	}
	for (i = 0; i < t->pmu.nr_sinks; i++)
		free(t->pmu.sinks[i].name);
	for (i = 0; i < t->nr_odd; i++)
		free(t->odd[i]);
	free(t->pmu.terms);
	free(t->pmu.sinks);
	free(t->odd);
	free(t->cpus);
	free(t->arch_name);
	free(t->kernel.release);
	free(t->kernel.config_path);
	free(t->settings.lockdown);
	free(t->perf.path);
	free(t->perf.version);
	free(t->perf.simpleperf);
	free(t->guest.what);
	*t = (struct target){ .live = false };
}

/* ---- answers ---------------------------------------------------------------------------- */

const struct target_term *target_term(const struct target *t, const char *name)
{
	size_t i;

	for (i = 0; i < t->pmu.nr_terms; i++)
		if (!strcmp(t->pmu.terms[i].name, name))
			return &t->pmu.terms[i];
	return NULL;
}

size_t target_sinks(const struct target *t, enum target_sink_kind kind,
		    const struct target_sink **first)
{
	size_t i, n = 0;

	for (i = 0; i < t->pmu.nr_sinks; i++) {
		if (t->pmu.sinks[i].kind != kind)
			continue;
		if (!n++ && first)
			*first = &t->pmu.sinks[i];
	}
	return n;
}

const char *target_sink_name(enum target_sink_kind kind)
{
	static const char *const names[NR_TARGET_SINKS] = {
		[TARGET_SINK_OTHER] = "unknown kind",
		[TARGET_ETR] = "ETR",
		[TARGET_TRBE] = "TRBE",
		[TARGET_ETF] = "ETF",
		[TARGET_ETB] = "ETB",
		[TARGET_SMB] = "SMB",
		[TARGET_TPIU] = "TPIU",
	};

	return names[kind];
}

const char *target_unit_name(enum target_unit_kind kind)
{
	static const char *const names[] = {
		[TARGET_NO_UNIT] = "none", [TARGET_UNIT_UNKNOWN] = "unknown",
		[TARGET_ETMV3] = "ETMv3",  [TARGET_PTM] = "PTM",
		[TARGET_ETMV4] = "ETMv4",  [TARGET_ETE] = "ETE",
	};

	return names[kind];
}

const char *target_option_name(enum target_option option)
{
	static const char *const names[NR_TARGET_OPTIONS] = {
#define OPTION(name) "CONFIG_" #name,
#include "outputs/target/options.def"
#undef OPTION
	};

	return names[option];
}

const char *target_module_name(enum target_module module)
{
	static const char *const names[NR_TARGET_MODULES] = {
#define MODULE(name, file) file,
#include "outputs/target/modules.def"
#undef MODULE
	};

	return names[module];
}

uint32_t target_common_features(const struct target *t)
{
	uint32_t features = UINT32_MAX;
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i].online && t->cpus[i].kind > TARGET_UNIT_UNKNOWN)
			features &= t->cpus[i].features;
	return features == UINT32_MAX ? 0 : features;
}

uint32_t target_traced_cpus(const struct target *t)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		n += t->cpus[i].online && t->cpus[i].kind != TARGET_NO_UNIT;
	return n;
}

bool target_capable(const struct target *t, unsigned int cap)
{
	return t->user.first_user_ns != TARGET_NO && t->user.caps.value >> cap & 1;
}

bool target_privileged(const struct target *t)
{
	return (t->settings.paranoid.seen == TARGET_SEEN && t->settings.paranoid.value < 0) ||
	       target_capable(t, TARGET_CAP_PERFMON) || target_capable(t, TARGET_CAP_SYS_ADMIN);
}

