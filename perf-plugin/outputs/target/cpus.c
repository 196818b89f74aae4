/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpus.c - the CPUs of the target, and what their trace units' registers say (DDI 0487 D19, IHI
 * 0064, IHI 0014, IHI 0035).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "outputs/target/internal.h"

#define CPUS	"/sys/devices/system/cpu/"
#define PMU	"/sys/bus/event_source/devices/cs_etm/"

#define MAX_CPUS	16384u	/* the most that Linux can be configured for on Arm is 4096 */

static uint32_t bits(int64_t reg, unsigned int high, unsigned int low)
{
	return (uint32_t)reg >> low & ((1u << (high - low + 1)) - 1);
}

/* ---- registers -------------------------------------------------------------------------- */

static struct target_number unit_reg(struct tree *tr, uint32_t cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), PMU "cpu%" PRIu32 "/%s", cpu, name);
	return tree_number(tr, path);
}

static uint32_t etmv4_features(int64_t idr0, int64_t idr2, int64_t idr4, int64_t idr5,
			       unsigned int version)
{
	uint32_t pairs = bits(idr4, 19, 16), counters = bits(idr5, 30, 28), f = 0;

	/*
	 * until ETMv4.2 the field is the number of pairs minus 1, and later as well where it is
	 * not 0
	 */
	if (version < 0x43 || pairs)
		pairs++;
	f |= bits(idr0, 7, 7) ? TARGET_CYCLES : 0;
	f |= bits(idr0, 28, 24) && counters && pairs > 1 ? TARGET_TIMESTAMPS : 0;
	f |= bits(idr0, 9, 9) ? TARGET_RETSTACK : 0;
	f |= bits(idr0, 5, 5) ? TARGET_BROADCAST : 0;
	f |= bits(idr2, 9, 5) == 4 ? TARGET_CONTEXTID : 0;
	f |= bits(idr2, 30, 29) && bits(idr2, 14, 10) >= 4 ? TARGET_CONTEXTID2 : 0;
	f |= counters > 1 && bits(idr5, 27, 25) && pairs > 1 ? TARGET_STROBING : 0;
	return f;
}

/* TRCDEVARCH differs for ETE and ETMv4; kernels before 5.12 do not show it, and have no ETE. */
static void version_of(struct target_cpu *c, struct target_number arch, int64_t idr1)
{
	c->kind = TARGET_ETMV4;
	c->major = (uint8_t)bits(idr1, 11, 8);
	c->minor = (uint8_t)bits(idr1, 7, 4);
	if (arch.seen != TARGET_SEEN || !bits(arch.value, 20, 20))
		return;
	c->minor = (uint8_t)bits(arch.value, 19, 16);
	c->major = 4;
	if (bits(arch.value, 15, 0) == 0x5a13) {
		c->kind = TARGET_ETE;
		c->major = 1;
	}
}

static bool read_etmv4(struct tree *tr, struct target_cpu *c)
{
	struct target_number idr0 = unit_reg(tr, c->cpu, "trcidr/trcidr0"), idr1, idr2, idr3, idr4,
			     idr5;

	if (idr0.seen != TARGET_SEEN)
		return false;
	idr1 = unit_reg(tr, c->cpu, "trcidr/trcidr1");
	idr2 = unit_reg(tr, c->cpu, "trcidr/trcidr2");
	idr3 = unit_reg(tr, c->cpu, "trcidr/trcidr3");
	idr4 = unit_reg(tr, c->cpu, "trcidr/trcidr4");
	idr5 = unit_reg(tr, c->cpu, "trcidr/trcidr5");
	version_of(c, unit_reg(tr, c->cpu, "mgmt/trcdevarch"), idr1.value);
	/* ETE 1.0 is later than ETMv4.6 */
	c->features = etmv4_features(idr0.value, idr2.value, idr4.value, idr5.value,
				     c->kind == TARGET_ETE ? 0x50 : c->major << 4 | c->minor);
	c->ts_bits = bits(idr0.value, 28, 24) == 6 ? 48 : bits(idr0.value, 28, 24) == 8 ? 64 : 0;
	c->cc_min = bits(idr3.value, 11, 0);
	c->ts_source = unit_reg(tr, c->cpu, "ts_source");
	return true;
}

static bool read_etmv3(struct tree *tr, struct target_cpu *c)
{
	struct target_number idr = unit_reg(tr, c->cpu, "mgmt/etmidr"), ccer;

	if (idr.seen != TARGET_SEEN)
		return false;
	ccer = unit_reg(tr, c->cpu, "mgmt/etmccer");
	/* ETMIDR[11:8] is the major version minus 1; 3 is PFT */
	c->kind = bits(idr.value, 11, 8) == 3 ? TARGET_PTM : TARGET_ETMV3;
	c->major = c->kind == TARGET_PTM ? 1 : (uint8_t)(bits(idr.value, 11, 8) + 1);
	c->minor = (uint8_t)bits(idr.value, 7, 4);
	c->features = TARGET_CYCLES;
	c->features |= bits(ccer.value, 22, 22) ? TARGET_TIMESTAMPS : 0;
	c->features |= bits(ccer.value, 23, 23) ? TARGET_RETSTACK : 0;
	return true;
}

static void read_unit(struct tree *tr, struct target_cpu *c)
{
	char path[128];

	snprintf(path, sizeof(path), PMU "cpu%" PRIu32, c->cpu);
	if (tree_seen(tr, path) == TARGET_ABSENT)
		return;
	c->kind = TARGET_UNIT_UNKNOWN;
	if (c->online && !read_etmv4(tr, c))
		read_etmv3(tr, c);
}

/* ---- which CPUs there are --------------------------------------------------------------- */

static void add_cpu(struct target *t, uint32_t cpu)
{
	*ARRAY_ADD(t->cpus, t->nr_cpus, t->cap_cpus) = (struct target_cpu){ .cpu = cpu };
}

/* Calls `take` with each CPU of a list as 0-3,5. False: it is none. */
static bool visit_list(const char *list, void (*take)(struct target *t, uint32_t cpu),
		       struct target *t)
{
	uint64_t first, last, i, nr = 0;

	while (list && *list && *list != '\n') {
		list = number_read(list, &first);
		last = first;
		if (list && *list == '-')
			list = number_read(list + 1, &last);
		if (!list || last < first || last >= MAX_CPUS ||
		    (nr += last - first + 1) > MAX_CPUS)
			return false;
		for (i = first; i <= last; i++)
			take(t, (uint32_t)i);
		list += *list == ',';
	}
	return list;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct target_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void set_online(struct target *t, uint32_t cpu)
{
	const struct target_cpu key = { .cpu = cpu };
	struct target_cpu *c = NULL;

	if (t->nr_cpus)
		c = bsearch(&key, t->cpus, t->nr_cpus, sizeof(key), compare_cpus);
	if (c)
		c->online = true;
}

static void set_all_online(struct target *t)
{
	size_t i;

	for (i = 0; i < t->nr_cpus; i++)
		t->cpus[i].online = true;
}

/* Without lists the CPUs are those that the PMU has folders of. */
static void add_folders(struct tree *tr)
{
	struct tree_list names;
	int64_t cpu;
	size_t i;

	tree_names(tr, PMU, false, &names);
	for (i = 0; i < names.nr; i++)
		if (!strncmp(names.v[i], "cpu", 3) && text_number(names.v[i] + 3, &cpu) &&
		    cpu >= 0 && cpu < MAX_CPUS)
			add_cpu(tr->t, (uint32_t)cpu);
	tree_names_free(&names);
}

static void take_list(struct tree *tr, const char *path,
		      void (*take)(struct target *t, uint32_t cpu))
{
	enum target_seen seen;
	char *list = tree_text(tr, path, TREE_MAX_LIST, &seen);

	visit_list(list, take, tr->t);
	free(list);
}

void read_cpus(struct tree *tr)
{
	struct target *t = tr->t;
	uint32_t rank = 0;
	size_t i;

	take_list(tr, CPUS "present", add_cpu);
	if (!t->nr_cpus)
		take_list(tr, CPUS "online", add_cpu);
	if (!t->nr_cpus)
		add_folders(tr);
	t->nr_cpus = ARRAY_JOIN(t->cpus, t->nr_cpus, compare_cpus, NULL);
	take_list(tr, CPUS "online", set_online);
	for (i = 0; i < t->nr_cpus; i++)
		t->nr_online += t->cpus[i].online;
	if (!t->nr_online) {
		set_all_online(t);
		t->nr_online = (uint32_t)t->nr_cpus;
	}
	for (i = 0; i < t->nr_cpus; i++) {
		read_unit(tr, &t->cpus[i]);
		t->cpus[i].rank = rank;
		rank += t->cpus[i].online && t->cpus[i].kind != TARGET_NO_UNIT;
	}
}
