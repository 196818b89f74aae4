/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenario_container.c - recorders inside a PID namespace. Records have the namespace's numbers, 0 for threads outside of
 * it. Kernels before 5.18 trace the machine's numbers all the same ("old"); later ones trace no ID, which the metadata
 * does not know ("new").
 */
#include <stdio.h>

#include "scenario.h"
#include "tracing_w.h"

#define CONFIG_CID (1u << 6)
#define CONFIG_CONTEXTIDR_EL2 (1u << 7 | 1u << 15)
#define INSIDE 5	/* threads of the namespace */
#define OUTSIDE 2

/* ---- kernels and recorders ----------------------------------------------------------------------- */

/* IDs of the machine, in CONTEXTIDR */
static void old_kernel(struct world_opts *o)
{
	o->s.tu.contextidr = world_machine_tid;
}

static void new_kernel(struct world_opts *o)
{
	o->s.tu.cid = 0;
	o->s.claim = CONFIG_CID;
}

/* ... in CONTEXTIDR_EL2 */
static void old_el2(struct world_opts *o)
{
	old_kernel(o);
	o->kernel_el = 2;
	o->s.tu.cid = 0;
	o->s.tu.vmid = o->s.tu.vmidopt = o->s.tu.vmid_is_tid = 1;
}

static void new_el2(struct world_opts *o)
{
	new_kernel(o);
	o->kernel_el = 2;
	o->s.claim = CONFIG_CONTEXTIDR_EL2;
}

/* perf record PROGRAM: what is recorded of switches is of its own tasks */
static void of_tasks(struct world_opts *o)
{
	o->s.perf.scope = PERFW_TASKS;
	o->s.perf.own_switches = 1;
	o->s.perf.cmdline = "perf record --switch-events -e cs_etm//u ./program";
}

/* without switches; now and then a fragment is that of one task */
static void of_tasks_blind(struct world_opts *o)
{
	of_tasks(o);
	o->s.perf.no_switch = 1;
	o->cut_often |= o->seed % 3 == 0;
	o->s.perf.cmdline = "perf record -e cs_etm//u ./program";
}

static void of_cpus(struct world_opts *o)
{
	o->s.perf.scope = PERFW_CPUS;
	o->s.perf.cmdline = "perf record -a --switch-events -e cs_etm//u";
}

static void of_cpus_blind(struct world_opts *o)
{
	of_cpus(o);
	o->s.perf.no_switch = 1;
	o->s.perf.cmdline = "perf record -a -e cs_etm//u";
}

/* tracepoints have the machine's numbers */
static void of_cpus_samples(struct world_opts *o)
{
	of_cpus(o);
	o->s.perf.no_switch = 1;
	o->s.perf.sched_switch = 1;
}

static void of_a_thread(struct world_opts *o)
{
	o->s.buffers = SESSION_PER_THREAD;
	o->s.raw = 0;
	o->s.fragment = 0;
	o->s.chunk = 0;
	o->s.perf.per_cpu = 0;
	o->s.perf.cmdline = "perf record --per-thread -e cs_etm//u";
}

#define SETUP(kernel, recorder) \
	static void kernel##_##recorder(struct world_opts *o) \
	{ \
		kernel(o); \
		recorder(o); \
	}

SETUP(old_kernel, of_tasks)
SETUP(old_kernel, of_tasks_blind)
SETUP(old_kernel, of_cpus)
SETUP(old_kernel, of_cpus_blind)
SETUP(old_kernel, of_cpus_samples)
SETUP(old_kernel, of_a_thread)
SETUP(old_el2, of_cpus)
SETUP(new_kernel, of_tasks)
SETUP(new_kernel, of_tasks_blind)
SETUP(new_kernel, of_cpus)
SETUP(new_kernel, of_cpus_blind)
SETUP(new_kernel, of_cpus_samples)
SETUP(new_kernel, of_a_thread)
SETUP(new_el2, of_cpus)

static void old_all_kernel(struct world_opts *o)
{
	old_kernel_of_cpus(o);
	o->kernel_traced = 1;
}

static void new_all_kernel(struct world_opts *o)
{
	new_kernel_of_cpus(o);
	o->kernel_traced = 1;
}

/* ---- machines ------------------------------------------------------------------------------------ */

struct container {
	struct wthread *in[INSIDE], *out[OUTSIDE];
	int n, n_out;
};

/* numbers of the machine: far away, those of other threads inside, or small ones */
static uint32_t machine_number(const struct container *c, int i, uint32_t mode)
{
	switch (mode) {
	case 0:
		return 52000 + 7 * (uint32_t)i;
	case 1:	/* each has the number of the next one */
		return i + 1 < c->n ? c->in[i + 1]->tid : c->n_out ? 4321 : c->in[0]->tid;
	case 2:	/* one has its own */
		return i == 1 ? c->in[1]->tid : 60000 + (uint32_t)i;
	}
	return 0x90 + 3 * (uint32_t)i;
}

/* a thread outside, whose code nobody has; its number may be that of one inside */
static struct wthread *start_outside(struct scenario *s, const struct container *c, int i)
{
	struct world *w = s->w;
	uint32_t tid = 900001 + (uint32_t)i;
	struct wthread *t = world_thread(w, world_proc(w, tid), tid, "outside");

	t->outside = 1;
	t->machine = s->seed & 1 ? c->in[i]->tid : 70000 + (uint32_t)i;
	if (s->seed & 1)
		c->in[i]->machine = 80000 + (uint32_t)i;
	world_place(t->p, PROGRAM, world_code(w, IMAGE_INSNS, 0), 0, IMAGE_INSNS);
	unknown_code(s, t, 0, UINT64_MAX);
	return t;
}

static void start_container(struct scenario *s, struct container *c, int processes, int threads, int outside)
{
	static const uint32_t pids[] = { 7, 31, 44, 300 };
	char name[16];
	int i;

	for (c->n = 0; c->n < processes; c->n++) {
		snprintf(name, sizeof(name), "inside%u", (unsigned int)c->n % 10);
		c->in[c->n] = start_process(s, c->n & 1, pids[c->n], name);
	}
	if (threads) {
		c->in[c->n] = world_clone(s->w, 0, c->in[0], 8);
		c->n++;
	}
	c->n_out = outside;
	for (i = 0; i < c->n; i++)
		c->in[i]->machine = machine_number(c, i, (uint32_t)(s->seed / 2) % 4);
	for (i = 0; i < outside; i++)
		c->out[i] = start_outside(s, c, i);
	world_sync(s->w);
}

/* Threads take turns on two CPUs, among them those outside, if there are any. `dark`: these are not traced. */
static void take_all_turns(struct scenario *s, const struct container *c, int rounds, int dark)
{
	struct world *w = s->w;
	int i, a, b;

	for (i = 0; i < rounds; i++) {
		a = (int)rng_below(&w->rng, (uint32_t)c->n);
		b = (a + 1 + (int)rng_below(&w->rng, (uint32_t)c->n - 1)) % c->n;
		run_some(s, 0, c->in[a]);
		if (c->n > 1)
			run_some(s, 1, c->in[b]);
		if (c->n_out && rng_below(&w->rng, 2) && !dark)
			run_some(s, (int)rng_below(&w->rng, 2), c->out[rng_below(&w->rng, (uint32_t)c->n_out)]);
		if (c->n_out && dark)
			world_pause(w, 0, 50);
		if (i % 3 == 0)
			world_sync(w);
	}
}

static void run_inside(struct scenario *s)
{
	struct container c;

	start_container(s, &c, 4, 1, 0);
	take_all_turns(s, &c, 10, 0);
}

static void with_outsiders(struct scenario *s)
{
	struct container c;

	start_container(s, &c, 3, 1, OUTSIDE);
	take_all_turns(s, &c, 8, 0);
	run_some(s, 0, c.out[0]);
	run_some(s, 1, c.out[1]);
	take_all_turns(s, &c, 4, 0);
}

static void run_all(struct scenario *s)
{
	with_outsiders(s);
	expect(s, "exit 3");
	expect(s, "stderr places without code");
	/* without timestamps, records of switches and AUX data may leave a stretch to two threads */
	if (!s->w->o.s.tu.ts)
		expect(s, "subset 0");
}

static void run_samples(struct scenario *s)
{
	struct gbuf tracing = { 0 };

	tracing_write(&tracing, PERFW_SCHED_SWITCH);
	perfw_feature(session_perf(s->w->s), TRACING_FEATURE, tracing.p, tracing.len);
	gbuf_free(&tracing);
	run_all(s);
}

/* nobody outside is traced, and records name those who run between */
static void run_cgroup(struct scenario *s)
{
	struct container c;

	start_container(s, &c, 4, 1, 0);
	take_all_turns(s, &c, 10, 1);
	if (!s->w->o.s.tu.ts) {
		expect(s, "exit any");
		expect(s, "subset 0");
	}
}

/* nothing tells the threads apart: they are unknown */
static void run_blind(struct scenario *s)
{
	run_inside(s);
	expect(s, "exit 5");
	expect(s, "subset 0");
}

static void run_blind_cpus(struct scenario *s)
{
	with_outsiders(s);
	expect(s, "exit 5");
	expect(s, "subset 0");
}

static void run_one(struct scenario *s)
{
	struct container c;

	start_container(s, &c, 1, 0, 0);
	run_some(s, 0, c.in[0]);
	run_some(s, 1, c.in[0]);
	run_some(s, 0, c.in[0]);
}

/* where the kernel switches, it is not known whose its code is */
static void run_kernel(struct scenario *s)
{
	start_kernel(s);
	with_outsiders(s);
	expect(s, "exit 3");
	expect(s, "subset 0");
}

const struct scenario_row scenario_container[] = {
	{ "old-tasks", "container, IDs of the machine: tasks, with switches", old_kernel_of_tasks, run_inside },
	{ "old-blind", "the same without switches", old_kernel_of_tasks_blind, run_blind },
	{ "old-one", "the same with one process", old_kernel_of_tasks_blind, run_one },
	{ "old-cpus", "the same: whole CPUs", old_kernel_of_cpus, run_all },
	{ "old-cpus-blind", "the same without switches", old_kernel_of_cpus_blind, run_blind_cpus },
	{ "old-cpus-samples", "the same with samples of sched_switch", old_kernel_of_cpus_samples, run_samples },
	{ "old-cgroup", "the same: a cgroup", old_kernel_of_cpus, run_cgroup },
	{ "old-el2", "the same: IDs in CONTEXTIDR_EL2", old_el2_of_cpus, run_all },
	{ "old-kernel", "the same, with the kernel", old_all_kernel, run_kernel },
	{ "old-thread", "the same: a buffer for each thread", old_kernel_of_a_thread, run_inside },
	{ "new-tasks", "container, IDs not traced: tasks, with switches", new_kernel_of_tasks, run_inside },
	{ "new-blind", "the same without switches", new_kernel_of_tasks_blind, run_blind },
	{ "new-one", "the same with one process", new_kernel_of_tasks_blind, run_one },
	{ "new-cpus", "the same: whole CPUs", new_kernel_of_cpus, run_all },
	{ "new-cpus-blind", "the same without switches", new_kernel_of_cpus_blind, run_blind_cpus },
	{ "new-cpus-samples", "the same with samples of sched_switch", new_kernel_of_cpus_samples, run_samples },
	{ "new-cgroup", "the same: a cgroup", new_kernel_of_cpus, run_cgroup },
	{ "new-el2", "the same: CONTEXTIDR_EL2 claimed", new_el2_of_cpus, run_all },
	{ "new-kernel", "the same, with the kernel", new_all_kernel, run_kernel },
	{ "new-thread", "the same: a buffer for each thread", new_kernel_of_a_thread, run_inside },
	{ NULL, NULL, NULL, NULL },
};
