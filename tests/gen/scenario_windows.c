/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_windows.c - the trace is in samples of other events (perf record --aux-sample). */
#include "scenario.h"

/* windows so large, and samples so often, that each window continues the one before */
static void dense(struct world_opts *o)
{
	static const uint32_t sizes[] = { 4096, 8192, 65536 };

	o->s.perf.window = sizes[o->seed % 3];
	o->s.window_insns = 400;
	o->s.tu.sync_every = 300;
	o->s.p_frame_repeat = 200;
	o->s.buffers = SESSION_PER_CPU;
}

static void of_threads(struct world_opts *o)
{
	dense(o);
	o->s.buffers = SESSION_PER_THREAD;
	o->s.perf.per_cpu = 0;
	o->s.tu.ts = 0;
	o->s.tu.cid = 0;
}

/* nothing but the sample says whose the window of a CPU is */
static void bare(struct world_opts *o)
{
	dense(o);
	o->s.perf.no_switch = 1;
	o->s.tu.ts = 0;
	o->s.tu.cid = 0;
}

static void sparse(struct world_opts *o)
{
	dense(o);
	o->s.perf.window = 256;
	o->s.window_insns = 2000;
	o->s.tu.sync_every = 100;
}

static void rarely_synchronised(struct world_opts *o)
{
	sparse(o);
	o->s.tu.sync_every = 0;
	o->s.fragment = 0;
}

/* processes that change CPUs, fork and map code */
static void run_machine(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "left"),
		       *b = start_process(s, 1, 1100, "right"), *c;
	const struct code *lib = image(s, "/lib/lib.so");
	int i;

	expect(s, "no-package");
	world_sync(w);
	run_some(s, 0, a);
	run_some(s, 1, b);
	world_map(w, 0, a->p, LIBRARY, lib, 0, IMAGE_INSNS, "/lib/lib.so");
	c = world_fork(w, 0, a, 1200);
	world_sync(w);
	for (i = 0; i < 12; i++) {
		run_some(s, 0, i & 1 ? a : c);
		run_some(s, 1, b);
		if (i % 4 == 3)
			world_sync(w);
	}
}

static void run_everything(struct scenario *s)
{
	run_machine(s);
	expect(s, "never without a synchronisation point");
	expect(s, "info continue the window before");
}

static void run_one_each(struct scenario *s)
{
	struct wthread *a = start_process(s, 0, 1000, "left"),
		       *b = start_process(s, 1, 1100, "right");
	int i;

	expect(s, "no-package");
	for (i = 0; i < 12; i++) {
		run_some(s, 0, a);
		run_some(s, 1, b);
	}
}

static void run_with_gaps(struct scenario *s)
{
	run_machine(s);
	expect(s, "exit any");
	expect(s, "subset 1");
}

static void run_unsynchronised(struct scenario *s)
{
	run_machine(s);
	expect(s, "exit 5");
	expect(s, "subset 0");
	expect(s, "stderr AUX windows without a synchronisation point");
}

const struct scenario_row scenario_windows[] = {
	{ "windows", "AUX windows that hold all trace of CPUs", dense, run_everything },
	{ "windows-threads", "the same of threads, without timestamps and context IDs", of_threads,
	  run_everything },
	{ "windows-bare", "the same of CPUs with a process each", bare, run_one_each },
	{ "windows-gaps", "small AUX windows of CPUs", sparse, run_with_gaps },
	{ "windows-unsynced", "AUX windows that mostly have no A-sync", rarely_synchronised,
	  run_unsynchronised },
	{ NULL, NULL, NULL, NULL },
};
