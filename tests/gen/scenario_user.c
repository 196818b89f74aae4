/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_user.c - processes whose address spaces change. */
#include <stdio.h>

#include "scenario.h"

static int turns(struct scenario *s)
{
	return (int)rng_range(&s->w->rng, 2, 5);
}

static void two_slices(struct scenario *s, struct wthread *a, struct wthread *b)
{
	int i;

	for (i = turns(s); i--;) {
		run_some(s, 0, a);
		run_some(s, 0, b);
	}
}

/* the same process becomes another program, with other code at the same addresses */
static void run_exec(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "first"), *other = start_process(s, 0, 1100, "other");
	const struct code *second = image(s, "/opt/second"), *third = image(s, "/opt/third");

	two_slices(s, a, other);
	run_some(s, 0, a);
	world_exec(w, 0, a, "second");
	world_map(w, 0, a->p, PROGRAM, second, 0, IMAGE_INSNS, "/opt/second");
	run_some(s, 0, a);
	two_slices(s, other, a);
	/* exec, and somebody else runs before the new program does; then on another CPU */
	world_exec(w, 0, a, "third");
	world_map(w, 0, a->p, PROGRAM, third, 0, IMAGE_INSNS, "/opt/third");
	run_some(s, 0, other);
	world_sync(w);
	run_some(s, 1, a);
	two_slices(s, other, a);
}

/* a child that goes on in its parent's program, after which both map different things */
static void run_fork(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "parent"), *child, *grandchild;
	const struct code *one = image(s, "/lib/one"), *two = image(s, "/lib/two");

	run_some(s, 0, a);
	child = world_fork(w, 0, a, 1100);
	two_slices(s, a, child);
	world_map(w, 0, a->p, LIBRARY, one, 0, IMAGE_INSNS, "/lib/one");
	two_slices(s, a, child);
	run_some(s, 0, child);
	world_map(w, 0, child->p, LIBRARY, two, 0, IMAGE_INSNS, "/lib/two");
	two_slices(s, child, a);
	run_some(s, 0, child);
	grandchild = world_fork(w, 0, child, 1200);
	world_sync(w);
	run_some(s, 1, grandchild);
	run_some(s, 0, a);
	world_exit(w, 0, a);
	world_sync(w);
	two_slices(s, grandchild, child);
}

static void run_threads(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t[4];
	int i, n;

	t[0] = start_process(s, 0, 1000, "threads");
	run_some(s, 0, t[0]);
	for (i = 1; i < 4; i++) {
		t[i] = world_clone(w, 0, t[0], 1000 + (uint32_t)i);
		run_some(s, 0, t[0]);
	}
	world_sync(w);
	for (n = 10; n--;) {
		i = (int)rng_below(&w->rng, 2);
		run_some(s, 0, t[2 * i]);
		run_some(s, 1, t[2 * i + 1]);
	}
	world_exit(w, 0, t[2]);
	run_some(s, 0, t[0]);
}

/* a library is unloaded, nobody records that, and another one takes its place */
static void run_dlopen(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "plugins"), *u = world_clone(w, 0, t, 1001);
	const struct code *lib[3] = { image(s, "/lib/a.so"), image(s, "/lib/b.so"), image(s, "/lib/c.so") };
	char path[32];
	int i, k;

	for (i = 0; i < 7; i++) {
		k = (int)rng_below(&w->rng, 3);
		snprintf(path, sizeof(path), "/lib/%c.so", 'a' + k);
		run_some(s, 0, t);
		world_map(w, 0, t->p, LIBRARY, lib[k], 0, IMAGE_INSNS, path);
		two_slices(s, t, u);
		world_avoid(w, 0, t, LIBRARY, LIBRARY + IMAGE_SIZE);
		world_avoid(w, 0, u, LIBRARY, LIBRARY + IMAGE_SIZE);
		world_unmap(t->p, LIBRARY, LIBRARY + IMAGE_SIZE);
		world_pause(w, 0, 50);
	}
	run_some(s, 0, t);
}

/* mappings that take the middle, the front or the end of an earlier one */
static void run_partial(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "pieces");
	const struct code *big, *piece;
	char path[32];
	uint32_t at, n;
	int i;

	big = world_code(w, 6 * PAGE_INSNS, 0);
	world_image(w, "/lib/big.so", big);
	world_map(w, 0, t->p, LIBRARY, big, 0, 6 * PAGE_INSNS, "/lib/big.so");
	for (i = 0; i < 6; i++) {
		two_slices(s, t, t);
		snprintf(path, sizeof(path), "/lib/piece%d.so", i);
		n = rng_range(&w->rng, 1, 3);
		at = rng_below(&w->rng, 7 - n);
		piece = world_code(w, n * PAGE_INSNS, 0);
		world_image(w, path, piece);
		world_map(w, 0, t->p, LIBRARY + 4096ull * at, piece, 0, n * PAGE_INSNS, path);
	}
	two_slices(s, t, t);
}

/* the number of a process that is gone is given to another one; the second time nobody saw it go */
static void run_pid_reuse(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *init = start_process(s, 0, 900, "shell"), *t;
	const struct code *c;
	char name[16], path[32];
	int i;

	for (i = 0; i < 4; i++) {
		run_some(s, 0, init);
		t = world_fork(w, 0, init, 1000);
		run_some(s, 0, t);
		snprintf(name, sizeof(name), "program%d", i);
		snprintf(path, sizeof(path), "/opt/%s", name);
		c = image(s, path);
		world_exec(w, 0, t, name);
		world_map(w, 0, t->p, PROGRAM, c, 0, IMAGE_INSNS, path);
		two_slices(s, t, init);
		run_some(s, 0, t);
		if (i != 2)
			world_exit(w, 0, t);
	}
}

/* code mapped by a thread on one CPU is run by another one on another CPU right after */
static void run_two_cpus(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "both"), *b = world_clone(w, 0, a, 1001);
	const struct code *lib[4];
	char path[32];
	int i, cpu;

	run_some(s, 0, a);
	world_sync(w);
	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "/lib/%d.so", i);
		lib[i] = image(s, path);
	}
	for (i = 0; i < 8; i++) {
		cpu = (int)rng_below(&w->rng, 2);
		run_some(s, cpu, cpu ? b : a);
		run_some(s, !cpu, cpu ? a : b);
		world_avoid(w, 0, a, LIBRARY, LIBRARY + IMAGE_SIZE);
		world_avoid(w, 1, b, LIBRARY, LIBRARY + IMAGE_SIZE);
		world_sync(w);
		snprintf(path, sizeof(path), "/lib/%d.so", i % 4);
		world_map(w, cpu, a->p, LIBRARY, lib[i % 4], 0, IMAGE_INSNS, path);
		world_sync(w);
		if (rng_below(&w->rng, 3) == 0)
			world_round(w);
	}
	run_some(s, 0, a);
	run_some(s, 1, b);
}

/* records of two CPUs, many in a round: what happened first stands last in the file */
static void run_out_of_order(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 1, 1000, "wander"), *other = start_process(s, 1, 1100, "other");
	char path[32];
	int i, cpu = 1;

	world_sync(w);
	for (i = 0; i < 12; i++) {
		run_some(s, cpu, t);
		world_sync(w);
		if (rng_below(&w->rng, 2)) {
			run_some(s, cpu, other);
			world_sync(w);
			cpu = !cpu;
		}
		snprintf(path, sizeof(path), "/lib/%d.so", i);
		world_avoid(w, cpu, t, LIBRARY, LIBRARY + IMAGE_SIZE);
		world_map(w, cpu, t->p, LIBRARY, image(s, path), 0, IMAGE_INSNS, path);
	}
	run_some(s, cpu, t);
}

/* the ring is full when a library is mapped: its code is unknown, and nothing else is wrong */
static void lossy(struct world_opts *o)
{
	/* who returns from code that nobody has must be told where to */
	o->s.tu.retstack = 0;
	o->s.tu.p_e10 = 0;
}

static void run_lost(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "plugins");
	const struct code *lib = image(s, "/lib/lost.so");

	run_some(s, 0, t);
	world_map_lost(w, 0, t->p, LIBRARY, lib, 0, IMAGE_INSNS);
	unknown_code(s, t, LIBRARY, LIBRARY + IMAGE_SIZE);
	two_slices(s, t, t);
	/* the next record that finds room says so */
	world_comm(w, 0, t, "plugged", 0);
	two_slices(s, t, t);
	expect(s, "exit 3");
}

const struct scenario_row scenario_user[] = {
	{ "exec", "a process becomes another program at the same addresses", NULL, run_exec },
	{ "fork", "children go on in inherited maps, then all map different things", NULL, run_fork },
	{ "threads", "four threads on two CPUs", NULL, run_threads },
	{ "dlopen", "libraries come and go at one address", NULL, run_dlopen },
	{ "partial", "mappings replace pieces of others", NULL, run_partial },
	{ "pid-reuse", "one process number, several processes", NULL, run_pid_reuse },
	{ "two-cpus", "mapped on one CPU, run on the other", NULL, run_two_cpus },
	{ "out-of-order", "the file is not in time order", NULL, run_out_of_order },
	{ "lost-map", "the record of a mapping is lost", lossy, run_lost },
	{ NULL, NULL, NULL, NULL },
};
