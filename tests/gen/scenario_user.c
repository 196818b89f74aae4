/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_user.c - processes whose address spaces change. */
#include <stdio.h>
#include <sys/mman.h>

#include "jitdump_w.h"
#include "scenario.h"

/* the same process becomes another program, with other code at the same addresses */
static void run_exec(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "first"), *other = start_process(s, 0, 1100, "other");
	const struct code *second = image(s, "/opt/second"), *third = image(s, "/opt/third");

	take_turns(s, a, other);
	run_some(s, 0, a);
	world_exec(w, 0, a, "second");
	world_map(w, 0, a->p, PROGRAM, second, 0, IMAGE_INSNS, "/opt/second");
	run_some(s, 0, a);
	take_turns(s, other, a);
	/* exec, and somebody else runs before the new program does; then on another CPU */
	world_exec(w, 0, a, "third");
	world_map(w, 0, a->p, PROGRAM, third, 0, IMAGE_INSNS, "/opt/third");
	run_some(s, 0, other);
	world_sync(w);
	run_some(s, 1, a);
	take_turns(s, other, a);
}

/* programs change between two AUX records of their thread, so that the order of records suffices to tell them apart */
static void run_exec_between(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "first"), *other = start_process(s, 0, 1100, "other");
	const struct code *second = image(s, "/opt/second"), *third = image(s, "/opt/third");

	run_some(s, 0, a);
	run_some(s, 0, other);
	world_exec(w, 0, a, "second");
	world_map(w, 0, a->p, PROGRAM, second, 0, IMAGE_INSNS, "/opt/second");
	run_some(s, 0, a);
	run_some(s, 0, other);
	world_exec(w, 0, a, "third");
	world_map(w, 0, a->p, PROGRAM, third, 0, IMAGE_INSNS, "/opt/third");
	run_some(s, 0, a);
	run_some(s, 0, other);
}

/* a child that goes on in its parent's program, after which both map different things */
static void run_fork(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "parent"), *child, *grandchild;
	const struct code *one = image(s, "/lib/one"), *two = image(s, "/lib/two");

	run_some(s, 0, a);
	child = world_fork(w, 0, a, 1100);
	take_turns(s, a, child);
	world_map(w, 0, a->p, LIBRARY, one, 0, IMAGE_INSNS, "/lib/one");
	take_turns(s, a, child);
	run_some(s, 0, child);
	world_map(w, 0, child->p, LIBRARY, two, 0, IMAGE_INSNS, "/lib/two");
	take_turns(s, child, a);
	run_some(s, 0, child);
	grandchild = world_fork(w, 0, child, 1200);
	world_sync(w);
	run_some(s, 1, grandchild);
	run_some(s, 0, a);
	world_exit(w, 0, a);
	world_sync(w);
	take_turns(s, grandchild, child);
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
		take_turns(s, t, u);
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
		take_turns(s, t, t);
		snprintf(path, sizeof(path), "/lib/piece%d.so", i);
		n = rng_range(&w->rng, 1, 3);
		at = rng_below(&w->rng, 7 - n);
		piece = world_code(w, n * PAGE_INSNS, 0);
		world_image(w, path, piece);
		world_map(w, 0, t->p, LIBRARY + 4096ull * at, piece, 0, n * PAGE_INSNS, path);
	}
	take_turns(s, t, t);
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
		take_turns(s, t, init);
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

/* who returns from code that nobody has must be told where to */
static void lossy(struct world_opts *o)
{
	o->s.tu.retstack = 0;
}

/* with the return stack, execution can only be followed again from the next address on */
static void lossy_stack(struct world_opts *o)
{
	o->s.tu.retstack = 1;
}

static void lost(struct scenario *s, const char *info)
{
	expect(s, "exit 3");
	expect(s, "info %s", info);
	if (s->w->o.s.tu.retstack)
		expect(s, "subset 20");
}

/* generated code: written, run, replaced at the same address, moved */
struct jit {
	struct gbuf dump;
	struct wthread *t;
	uint32_t pid;		/* that the dump states */
	uint64_t index, at[4];
	const struct code *code[4];
};

#define METHOD_INSNS 200u
#define METHOD_STEP 0x800u

static uint64_t jit_time(struct scenario *s)
{
	return world_at(s->w, 0).time - PERFW_TIME_BASE;
}

static struct jitdump_at jit_at(struct scenario *s, struct jit *j)
{
	return (struct jitdump_at){ j->pid, j->pid, jit_time(s), j->index++ };
}

static void jit_compile(struct scenario *s, struct jit *j, int slot)
{
	struct world *w = s->w;
	uint64_t va = JIT + METHOD_STEP * (uint64_t)slot;
	struct jitdump_at at;
	char name[32];

	j->code[slot] = world_code(w, METHOD_INSNS, 0);
	world_avoid(w, 0, j->t, va, va + METHOD_STEP);
	at = jit_at(s, j);
	snprintf(name, sizeof(name), "method%d.%d", slot, (int)at.index);
	jitdump_load(&j->dump, &at, va, name, j->code[slot]->bytes, 4 * METHOD_INSNS);
	world_unmap(j->t->p, va, va + METHOD_STEP);
	world_place(j->t->p, va, j->code[slot], 0, METHOD_INSNS);
	j->at[slot] = at.index;
}

static void jit_move(struct scenario *s, struct jit *j, int from, int to)
{
	struct world *w = s->w;
	uint64_t a = JIT + METHOD_STEP * (uint64_t)from, b = JIT + METHOD_STEP * (uint64_t)to;
	struct jitdump_at at;

	world_avoid(w, 0, j->t, a, a + METHOD_STEP);
	world_avoid(w, 0, j->t, b, b + METHOD_STEP);
	at = jit_at(s, j);
	at.index = j->at[from];
	jitdump_move(&j->dump, &at, a, b, 4 * METHOD_INSNS);
	world_unmap(j->t->p, a, a + METHOD_STEP);
	world_unmap(j->t->p, b, b + METHOD_STEP);
	world_place(j->t->p, b, j->code[from], 0, METHOD_INSNS);
	j->code[to] = j->code[from];
	j->code[from] = NULL;
	j->at[to] = j->at[from];
}

/*
 * compiles and moves code; after each step the engine's memory `path`, if any, is mapped as its
 * protection changes
 */
static void jit_work(struct scenario *s, struct jit *j, const char *path, uint32_t flags)
{
	struct world *w = s->w;
	int i, a, b;

	for (i = 0; i < 10; i++) {
		a = (int)rng_below(&w->rng, 4);
		b = (a + 1 + (int)rng_below(&w->rng, 3)) % 4;
		if (j->code[a] && rng_below(&w->rng, 3) == 0)
			jit_move(s, j, a, b);
		else
			jit_compile(s, j, a);
		if (path)
			world_mmap2_record(w, 0, j->t->p, JIT, 4 * METHOD_STEP, 0, path,
					   &(struct perfw_map){ .flags = flags });
		take_turns(s, j->t, j->t);
	}
}

static void jit_end(struct scenario *s, struct jit *j, const char *path)
{
	jitdump_close(&j->dump, jit_time(s));
	world_write(s->w, path, j->dump.p, j->dump.len);
	gbuf_free(&j->dump);
}

static void run_jit(struct scenario *s)
{
	struct world *w = s->w;
	struct jit j = { .pid = 1000, .index = 1 };

	j.t = start_process(s, 0, 1000, "engine");
	jitdump_begin(&j.dump, 1000, jit_time(s));
	/* the engine maps its dump executable, only so that perf hears of it */
	world_mmap_record(w, 0, j.t->p, 0xffffb0000000ull, 4096, 0, "/tmp/jit-1000.dump");
	world_mmap_record(w, 0, j.t->p, JIT, 4 * METHOD_STEP, 0, "//anon");
	run_some(s, 0, j.t);
	jit_work(s, &j, NULL, 0);
	jit_end(s, &j, "/tmp/jit-1000.dump");
}

/* the engine's memory lies where a library was, as large as its text: the dump says that it is other code */
static void run_jit_over_library(struct scenario *s)
{
	struct world *w = s->w;
	struct jit j = { .pid = 1000, .index = 1 };

	j.t = start_process(s, 0, 1000, "engine");
	image(s, "/lib/gone.so");
	world_mmap_record(w, 0, j.t->p, JIT, IMAGE_SIZE, 0x1000, "/lib/gone.so");
	jitdump_begin(&j.dump, 1000, jit_time(s));
	world_mmap_record(w, 0, j.t->p, 0xffffb0000000ull, 4096, 0, "/tmp/jit-1000.dump");
	world_mmap_record(w, 0, j.t->p, JIT, IMAGE_SIZE, JIT, "//anon");
	run_some(s, 0, j.t);
	jit_work(s, &j, "//anon", MAP_PRIVATE);
	jit_end(s, &j, "/tmp/jit-1000.dump");
	expect(s, "never text remapped");
}

/* the engine's memory is that of a file, shared or private, and is mapped again and again */
static void run_jit_shared(struct scenario *s)
{
	static const struct {
		const char *path;
		uint32_t flags;
	} memories[] = {
		{ "/dev/shm/jit-code", MAP_SHARED }, { "/dev/ashmem/dalvik-jit-code-cache "
						      "(deleted)", MAP_SHARED },
		{ "/memfd:doublemapper (deleted)", MAP_SHARED }, { "/dev/ashmem/jit (deleted)",
			MAP_PRIVATE },
	};
	struct world *w = s->w;
	struct jit j = { .pid = 1000, .index = 1 };
	const unsigned int k = (unsigned int)(s->seed % 4);

	j.t = start_process(s, 0, 1000, "engine");
	jitdump_begin(&j.dump, 1000, jit_time(s));
	world_mmap_record(w, 0, j.t->p, 0xffffb0000000ull, 4096, 0, "/tmp/jit-1000.dump");
	/*
	 * a private map without an earlier record could as well be a library in the engine's
	 * place
	 */
	if (memories[k].flags == MAP_PRIVATE || rng_below(&w->rng, 2))
		world_mmap2_record(w, 0, j.t->p, JIT, 4 * METHOD_STEP, 0, memories[k].path,
				   &(struct perfw_map){ .flags = memories[k].flags });
	run_some(s, 0, j.t);
	jit_work(s, &j, memories[k].path, memories[k].flags);
	jit_end(s, &j, "/tmp/jit-1000.dump");
}

/*
 * in a container the engine is process 7, and no record names its dump; another engine has memory
 * elsewhere
 */
static void run_jit_container(struct scenario *s)
{
	struct world *w = s->w;
	struct jit j = { .pid = 7, .index = 1 };
	struct wthread *other = start_process(s, 0, 1100, "other");

	j.t = start_process(s, 0, 1000, "engine");
	jitdump_begin(&j.dump, 7, jit_time(s));
	world_mmap_record(w, 0, j.t->p, JIT, 4 * METHOD_STEP, JIT, "//anon");
	world_mmap_record(w, 0, other->p, JIT + 0x100000, 4 * METHOD_STEP, JIT + 0x100000,
			  "//anon");
	take_turns(s, j.t, other);
	jit_work(s, &j, "//anon", MAP_PRIVATE);
	jit_end(s, &j, "/tmp/jit-7.dump");
	expect(s, "option --jitdump=@/tmp/jit-7.dump");
	expect(s, "back --jitdump=@/tmp/jit-7.dump");
	expect(s, "stderr written as process 7 of a PID namespace, taken for that of process 1000");
}

/* the same without a dump: nobody has the code */
static void run_jit_unknown(struct scenario *s)
{
	struct world *w = s->w;
	struct jit j = { .pid = 1000, .index = 1 };
	int i;

	j.t = start_process(s, 0, 1000, "engine");
	world_mmap_record(w, 0, j.t->p, JIT, 4 * METHOD_STEP, 0, "//anon");
	run_some(s, 0, j.t);
	for (i = 0; i < 6; i++) {
		jit_compile(s, &j, (int)rng_below(&w->rng, 4));
		take_turns(s, j.t, j.t);
	}
	gbuf_free(&j.dump);
	unknown_code(s, j.t, JIT, JIT + 4 * METHOD_STEP);
	lost(s, "jitdump");
}

/* the ring is full when a library is mapped: its code is unknown, and nothing else is wrong */

static void run_lost(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "plugins");
	const struct code *lib = image(s, "/lib/lost.so");

	run_some(s, 0, t);
	world_map_lost(w, 0, t->p, LIBRARY, lib, 0, IMAGE_INSNS);
	unknown_code(s, t, LIBRARY, LIBRARY + IMAGE_SIZE);
	take_turns(s, t, t);
	/* the next record that finds room says so */
	world_comm(w, 0, t, "plugged", 0);
	take_turns(s, t, t);
	lost(s, "lost records");
}

/* nobody saw the fork: what the child runs before it execs belongs to no known program */
static void run_lost_fork(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "parent"), *child;
	const struct code *c = image(s, "/opt/child");

	run_some(s, 0, t);
	world_lose(w, 0, 1);
	child = world_fork_lost(w, 0, t, 1100);
	unknown_code(s, child, PROGRAM, PROGRAM + IMAGE_SIZE);
	take_turns(s, t, child);
	world_exec(w, 0, child, "child");
	world_map(w, 0, child->p, LIBRARY, c, 0, IMAGE_INSNS, "/opt/child");
	take_turns(s, child, t);
	lost(s, "lost records");
}

/* what perf inject --jit makes of generated code: a file for each method */
static void run_jit_files(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "engine");
	const struct code *c;
	char path[64];
	uint64_t va;
	int i;

	for (i = 0; i < 8; i++) {
		take_turns(s, t, t);
		va = JIT + METHOD_STEP * rng_below(&w->rng, 3);
		snprintf(path, sizeof(path), "/tmp/jitted-1000-%d.so", i);
		c = world_code(w, METHOD_INSNS, 0);
		world_image(w, path, c);
		world_avoid(w, 0, t, va, va + METHOD_STEP);
		world_map(w, 0, t->p, va, c, 0, METHOD_INSNS, path);
	}
	take_turns(s, t, t);
}

/* the event follows each thread */
static void per_thread(struct world_opts *o)
{
	o->s.buffers = SESSION_PER_THREAD;
	o->s.raw = 0;
	o->s.fragment = 0;
	o->s.chunk = 0;
	o->s.perf.per_cpu = 0;
	o->s.perf.cmdline = "perf record --per-thread -e cs_etm//u";
}

/* the file does not say what the ticks of the trace mean */
static void estimated(struct world_opts *o)
{
	o->s.perf.time_conv = 0;
	o->slack = 4000;
}

static void untimed(struct world_opts *o)
{
	per_thread(o);
	o->s.perf.with_time = 0;
}

static void untimed_ticks(struct world_opts *o)
{
	untimed(o);
	o->s.perf.time_conv = 0;
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
	{ "jit", "generated code that changes, with a jitdump", NULL, run_jit },
	{ "jit-shared", "generated code in memory of a file", NULL, run_jit_shared },
	{ "jit-over-library", "generated code where a library was, with a jitdump", NULL, run_jit_over_library },
	{ "jit-container", "a jitdump with the number of a PID namespace", NULL,
	 run_jit_container },
	{ "jit-unknown", "generated code without a jitdump", lossy, run_jit_unknown },
	{ "lost-map", "the record of a mapping is lost", lossy, run_lost },
	{ "jit-unknown-stack", "the same with the return stack", lossy_stack, run_jit_unknown },
	{ "lost-map-stack", "a lost mapping with the return stack", lossy_stack, run_lost },
	{ "lost-fork", "the record of a fork is lost", lossy, run_lost_fork },
	{ "jit-files", "generated code in files, one address", NULL, run_jit_files },
	{ "per-thread", "a buffer for each thread", per_thread, run_threads },
	{ "per-thread-exec", "the same, and programs change", per_thread, run_exec },
	{ "untimed", "a buffer for each thread, and records without times", untimed, run_exec_between },
	{ "untimed-ticks", "the same, without a time conversion", untimed_ticks, run_exec_between },
	{ "exec-estimated", "exec, without a time conversion", estimated, run_exec },
	{ "dlopen-estimated", "libraries, without a time conversion", estimated, run_dlopen },
	{ "cpus-estimated", "two CPUs, without a time conversion", estimated, run_two_cpus },
	{ NULL, NULL, NULL, NULL },
};
