/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_who.c - the trace tells little or nothing of who is running, or from whom it is. */
#include <inttypes.h>
#include <stdio.h>

#include "scenario.h"
#include "tracing_w.h"

static void no_context_id(struct world_opts *o)
{
	o->s.tu.cid = 0;
}

static void only_sched_switch(struct world_opts *o)
{
	no_context_id(o);
	o->s.perf.no_switch = 1;
	o->s.perf.sched_switch = 1;
}

static void only_aux(struct world_opts *o)
{
	no_context_id(o);
	o->s.perf.no_switch = 1;
}

/* processes at the same addresses, on two CPUs, that map other code at times */
static void many_spaces(struct scenario *s, int threads)
{
	struct world *w = s->w;
	struct wthread *t[5];
	char path[32];
	int i, n = 4, a, b;

	t[0] = start_process(s, 0, 1000, "one");
	t[1] = start_process(s, 0, 1100, "two");
	t[2] = start_process(s, 1, 1200, "three");
	t[3] = start_process(s, 1, 1300, "four");
	if (threads)
		t[n++] = world_clone(w, 0, t[0], 1001);
	world_sync(w);
	for (i = 0; i < 16; i++) {
		a = (int)rng_below(&w->rng, (uint32_t)n);
		b = (a + 1 + (int)rng_below(&w->rng, (uint32_t)n - 1)) % n;
		run_some(s, 0, t[a]);
		run_some(s, 1, t[b]);
		if (i % 4 == 1 && t[a]->p != t[b]->p) {
			snprintf(path, sizeof(path), "/lib/%d.so", i);
			world_avoid(w, 0, t[a], LIBRARY, LIBRARY + IMAGE_SIZE);
			if (n == 5)
				world_avoid(w, 0, t[4], LIBRARY, LIBRARY + IMAGE_SIZE);
			if (n == 5)
				world_avoid(w, 0, t[0], LIBRARY, LIBRARY + IMAGE_SIZE);
			world_sync(w);
			world_map(w, 0, t[a]->p, LIBRARY, image(s, path), 0, IMAGE_INSNS, path);
			run_some(s, 0, t[a]);
		}
		world_sync(w);
	}
}

static void run_switch(struct scenario *s)
{
	many_spaces(s, 1);
}

static void run_sched_switch(struct scenario *s)
{
	struct gbuf tracing = { 0 };

	tracing_write(&tracing, PERFW_SCHED_SWITCH);
	perfw_feature(session_perf(s->w->s), TRACING_FEATURE, tracing.p, tracing.len);
	gbuf_free(&tracing);
	many_spaces(s, 1);
}

static void run_one_process(struct scenario *s)
{
	struct wthread *t = start_process(s, 0, 1000, "alone");

	take_turns(s, t, t);
	world_map(s->w, 0, t->p, LIBRARY, image(s, "/lib/one"), 0, IMAGE_INSNS, "/lib/one");
	take_turns(s, t, t);
}

/* the trace has the address space number, in eight bits; numbers are given to others in time */
static uint32_t asid_of(void *ctx, uint32_t tid)
{
	const struct world *w = ctx;
	size_t i;

	for (i = w->nthreads; i--;)
		if (w->threads[i]->tid == tid)
			return w->threads[i]->p->asid;
	return 0;
}

static uint32_t tid_and_asid(void *ctx, uint32_t tid)
{
	return tid << 8 | asid_of(ctx, tid);
}

static void asid(struct world_opts *o)
{
	o->s.tu.contextidr = asid_of;
}

static void tid_asid(struct world_opts *o)
{
	o->s.tu.contextidr = tid_and_asid;
}

/* for a package: who has the number from now on, or no more */
static void declare_asid(struct scenario *s, const struct wproc *p, const char *state)
{
	expect(s, "event %" PRIu64 " declare_asid(%s, %u, %u)", world_at(s->w, 0).time, state, p->asid, p->pid);
}

static void asid_spaces(struct scenario *s, int declared)
{
	struct world *w = s->w;
	struct wthread *t[4];
	char name[16];
	uint32_t next = 1;
	int i, k;

	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "space%d", i);
		t[i] = start_process(s, 0, 1000 + 100 * (uint32_t)i, name);
		t[i]->p->asid = next++;
		if (declared)
			declare_asid(s, t[i]->p, "START");
	}
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 8; i++) {
			run_some(s, 0, t[rng_below(&w->rng, 4)]);
			run_some(s, 0, t[rng_below(&w->rng, 4)]);
		}
		/* the numbers are used up: each space gets a new one when it runs next */
		for (i = 0; i < 4 && declared; i++)
			declare_asid(s, t[i]->p, "END");
		for (i = 0; i < 4; i++) {
			t[i]->p->asid = 1 + (uint32_t)(i + k + 1) % 4;
			if (declared)
				declare_asid(s, t[i]->p, "START");
		}
		world_pause(w, 0, 100);
	}
	run_some(s, 0, t[0]);
	expect(s, "option --contextid=asid");
}

static void run_asid(struct scenario *s)
{
	asid_spaces(s, 0);
}

static void run_asid_declared(struct scenario *s)
{
	asid_spaces(s, 1);
}

static void run_tid_asid(struct scenario *s)
{
	many_spaces(s, 1);
	expect(s, "option --contextid=tid-asid");
}

static void asid_declared(struct world_opts *o)
{
	asid(o);
	o->s.perf.no_switch = 1;
}

/* the kernel, too: a switch is where the number changes */
static void asid_kernel(struct world_opts *o)
{
	asid(o);
	o->kernel_traced = 1;
}

static void run_asid_kernel(struct scenario *s)
{
	start_kernel(s);
	run_asid(s);
}

static void one_sink(struct world_opts *o)
{
	o->s.raw = 0;
	o->s.buffers = SESSION_ONE;
	o->s.fragment = 0;
	o->s.hw_id = 2;
	o->s.perf.version = 2;
}

/* one sink for all CPUs; the event is set up anew, and the CPUs get each other's trace ID */
static void run_hw_id(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "left"), *b = start_process(s, 0, 1100, "right");
	uint8_t first = w->o.s.tu.trace_id;
	int i, k;

	for (k = 0; k < 4; k++) {
		for (i = 0; i < 3; i++) {
			run_some(s, 0, a);
			run_some(s, 1, b);
			world_sync(w);
		}
		for (i = 0; i < 2; i++)
			world_cut(w, i);
		for (i = 0; i < 2; i++)
			session_trace_id(w->s, i, (uint8_t)(first + 2 * ((k + 1 + i) % (k == 2 ? 3 : 2))));
		world_sync(w);
		world_pause(w, 0, 50);
		world_pause(w, 1, 50);
	}
	run_some(s, 0, b);
	run_some(s, 1, a);
}

/* the trace unit of CPU 0 is set up in another way, and only the log of a package says so */
static void run_define_trace(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "left"), *b = start_process(s, 0, 1100, "right");
	struct tu_opts t = w->o.s.tu;
	struct tu_regs r;
	int i, k;

	for (k = 0; k < 4; k++) {
		for (i = 0; i < 3; i++) {
			run_some(s, 0, a);
			run_some(s, 1, b);
			world_sync(w);
		}
		if (k == 3)
			break;
		t.commopt = !t.commopt;
		t.cci = k & 1;
		t.cc_threshold = 4 + (uint32_t)k;
		t.ccsize = (uint8_t)(12 + 4 * k);
		t.maxspec = k == 1 ? 0 : 7;
		t.p_mispredict = 100;
		t.retstack = !t.retstack;
		t.seed += 77;
		session_program(w->s, 0, &t);
		tu_get_regs(&t, &r);
		expect(s,
		       "event %" PRIu64 " define_trace(START, 0x%x, \"cpu0\", TRCCONFIGR=0x%x, TRCIDR0=0x%x, "
		       "TRCIDR1=0x%x, TRCIDR2=0x%x, TRCIDR8=0x%x)",
		       world_at(w, 0).time, w->o.s.tu.trace_id, r.configr, r.idr0, r.idr1, r.idr2, r.idr8);
	}
	run_some(s, 0, b);
	run_some(s, 1, a);
}

static void metadata_ids(struct world_opts *o)
{
	o->s.hw_id = 0;
	o->s.perf.version = 1;
}

static void run_one_sink(struct scenario *s)
{
	many_spaces(s, 0);
}

const struct scenario_row scenario_who[] = {
	{ "switch", "no context ID, but switch records", no_context_id, run_switch },
	{ "sched-switch", "no context ID, but samples of sched_switch", only_sched_switch, run_sched_switch },
	{ "one-process", "no context ID, one process", only_aux, run_one_process },
	{ "asid", "the context ID is an address space number", asid, run_asid },
	{ "asid-declared", "the same in a package that tells whose the numbers are", asid_declared,
	  run_asid_declared },
	{ "asid-kernel", "the same, with the kernel", asid_kernel, run_asid_kernel },
	{ "tid-asid", "the context ID is thread and address space number", tid_asid, run_tid_asid },
	{ "one-sink", "processes on two CPUs, one sink", one_sink, run_one_sink },
	{ "hw-id", "trace IDs change hands", one_sink, run_hw_id },
	{ "define-trace", "a trace unit is set up anew", metadata_ids, run_define_trace },
	{ NULL, NULL, NULL, NULL },
};
