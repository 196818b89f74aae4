/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_buffers.c - the records tell less of the buffers than usual, or tell it in another way. */
#include "scenario.h"

/* two processes that change CPUs now and then; `between` happens where both buffers may be cut */
static void run_two(struct scenario *s, void (*between)(struct scenario *s, int round))
{
	struct world *w = s->w;
	struct wthread *t[2];
	int i, k;

	t[0] = start_process(s, 0, 1000, "left");
	t[1] = start_process(s, 1, 1100, "right");
	world_sync(w);
	for (k = 0; k < 6; k++) {
		for (i = 0; i < 3; i++) {
			run_some(s, 0, t[k & 1]);
			run_some(s, 1, t[!(k & 1)]);
			world_sync(w);
		}
		if (between)
			between(s, k);
	}
}

static void run_plain(struct scenario *s)
{
	run_two(s, NULL);
}

/* the second file of perf record --switch-output */
static void ids_lost(struct world_opts *o)
{
	o->s.raw = 0;
	o->s.hw_id = 1;
	o->s.hw_id_lost = 1;
	o->s.perf.version = 2;
	o->s.buffers = SESSION_PER_CPU;
}

static void run_ids_of_buffers(struct scenario *s)
{
	run_plain(s);
	expect(s, "stderr assumed: 0x10: CPU 0, 0x12: CPU 1 (each of these buffers has no other ID)");
	expect(s, "info its buffer has no other ID");
}

/* IDs that the numbering of the kernel does not give: the buffers say whose they are */
static void other_ids(struct world_opts *o)
{
	ids_lost(o);
	o->s.tu.trace_id = 0x31;
}

static void run_other_ids(struct scenario *s)
{
	run_plain(s);
	expect(s, "stderr assumed: 0x31: CPU 0, 0x33: CPU 1 (each of these buffers has no other ID)");
}

/* ... or gives to another CPU, and each buffer has one ID of its own */
static void run_exchanged_ids(struct scenario *s)
{
	session_trace_id(s->w->s, 0, 0x12);
	session_trace_id(s->w->s, 1, 0x10);
	run_plain(s);
	expect(s, "stderr assumed: 0x10: CPU 1, 0x12: CPU 0 (each of these buffers has no other ID)");
}

static void ids_of_threads(struct world_opts *o)
{
	ids_lost(o);
	o->s.buffers = SESSION_PER_THREAD;
	o->s.perf.per_cpu = 0;
	o->s.tu.trace_id = 0x31;
}

static void run_ids_of_threads(struct scenario *s)
{
	run_plain(s);
	expect(s, "info where the thread's AUX records with this ID alone were written");
}

static void ids_in_one_sink(struct world_opts *o)
{
	ids_lost(o);
	o->s.buffers = SESSION_ONE;
	o->s.fragment = 0;
}

static void run_ids_in_one_sink(struct scenario *s)
{
	run_plain(s);
	expect(s, "stderr assumed: 0x10: CPU 0, 0x12: CPU 1 (the kernel numbers IDs by CPU)");
}

/* nothing tells whose the IDs are: the trace is decoded, its CPU remains unknown */
static void ids_of_nobody(struct world_opts *o)
{
	ids_in_one_sink(o);
	o->s.tu.trace_id = 0x31;
}

static void run_ids_of_nobody(struct scenario *s)
{
	run_plain(s);
	expect(s, "no-cpu");
	expect(s, "stderr assumed: 0x31: unknown CPU, 0x33: unknown CPU (decoded since all trace units are set up alike)");
}

/* ... and without context IDs nobody can say who ran: nothing may be attributed */
static void nobodys_ids(struct world_opts *o)
{
	ids_of_nobody(o);
	o->s.tu.cid = 0;
}

static void run_nobodys_ids(struct scenario *s)
{
	run_plain(s);
	expect(s, "no-cpu");
	expect(s, "subset 0");
	expect(s, "exit 5");
}

/* the buffer of a CPU is opened anew, as after hotplug */
static void anew(struct world_opts *o)
{
	o->s.buffers = SESSION_PER_CPU;
	o->s.fragment = 300;
	o->s.chunk = o->seed & 1 ? 600 : 0;
}

static void reopen_first(struct scenario *s, int round)
{
	if (round != 1 && round != 3)
		return;
	world_cut(s->w, 0);
	session_reopen(s->w->s, 0, -1);
	world_pause(s->w, 0, 50);
}

static void run_anew(struct scenario *s)
{
	run_two(s, reopen_first);
	expect(s, "never AUX data not in the file");
}

static void reopen_both(struct scenario *s, int round)
{
	int i;

	if (round % 2 == 0)
		return;
	for (i = 0; i < 2; i++) {
		world_cut(s->w, i);
		session_reopen(s->w->s, i, 2 + 2 * round + i);
		world_pause(s->w, i, 50);
	}
}

static void run_anew_idx(struct scenario *s)
{
	run_two(s, reopen_both);
	expect(s, "never AUX data not in the file");
}

/* snapshots taken so soon after each other that what is in the buffers is in several of them */
static void overlap(struct world_opts *o)
{
	o->s.buffers = SESSION_PER_CPU;
	o->s.perf.snapshot = 1;
	o->s.raw = 1;
	o->s.fragment = 300;
	o->s.chunk = 700;
	o->s.overlap = 400;
}

static void run_overlap(struct scenario *s)
{
	run_plain(s);
	expect(s, "never AUX data without an AUX record");
}

const struct scenario_row scenario_buffers[] = {
	{ "ids-lost", "no HW_ID record, buffers of CPUs", ids_lost, run_ids_of_buffers },
	{ "ids-lost-other", "the same with IDs that are numbered otherwise", other_ids, run_other_ids },
	{ "ids-lost-exchanged", "the same with IDs of each other", ids_lost, run_exchanged_ids },
	{ "ids-lost-threads", "no HW_ID record, buffers of threads", ids_of_threads, run_ids_of_threads },
	{ "ids-lost-sink", "no HW_ID record, one sink", ids_in_one_sink, run_ids_in_one_sink },
	{ "ids-lost-nobody", "no HW_ID record, one sink, IDs that are numbered otherwise", ids_of_nobody, run_ids_of_nobody },
	{ "ids-lost-no-cid", "the same without context IDs", nobodys_ids, run_nobodys_ids },
	{ "aux-anew", "the offsets of a buffer begin again at 0", anew, run_anew },
	{ "aux-anew-idx", "the same in buffers of other numbers", anew, run_anew_idx },
	{ "snapshots-overlap", "snapshots with trace in common", overlap, run_overlap },
	{ NULL, NULL, NULL, NULL },
};
