/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "tracing_w.h"
#include "unit.h"

#define NO_TID SESSION_NOBODY

#define SAMPLE_IRQ 0x0e

struct buffer {
	uint32_t tid;		/* per thread */
	int cpu;		/* per CPU; -1 */
	struct gbuf bytes;
	struct frames frames;
	size_t start;		/* of the open fragment */
	size_t written;		/* to AUXTRACE records */
	size_t base;		/* bytes before the buffer was opened last */
	int idx;		/* number in the file */
	int open;
	struct perfw_at last;
};

struct cpu_unit {
	struct session *s;
	int cpu;
	struct unit *tu;
	struct tu_regs regs;
	struct buffer *buf;	/* where its trace goes now */
	uint32_t tid;		/* scheduled on this CPU */
	uint64_t produced;
	int running, named;
	int on_pending;
	uint32_t left;	/* user instructions until the next sample with a window */
	int straight;	/* the last record was an instruction */
};

struct session {
	struct session_opts o;
	const struct session_image *images;
	int nimages;
	struct perfw *perf;
	struct truth *truth;
	struct cpu_unit *units;
	struct rng rng;	/* of the samples */
	struct buffer **bufs;
	int nbufs;
	uint32_t *pids, *tids;
	size_t npids, ntids;
	int (*insn)(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el,
		    struct flow_rec *out);
	void *insn_ctx;
};

static uint32_t pid_of(const struct session *s, uint32_t tid)
{
	return s->o.pid_of ? s->o.pid_of(s->o.ctx, tid) : tid / 100 * 100;
}

static struct perfw_at at_of(const struct cpu_unit *u, uint32_t tid)
{
	const struct session_opts *o = &u->s->o;
	uint32_t number = o->recorded ? o->recorded(o->ctx, tid) : tid;

	return (struct perfw_at){ number ? pid_of(u->s, tid) : 0, number, PERFW_TIME_BASE + unit_ticks(u->tu),
				  (uint32_t)u->cpu };
}

static void take_bytes(void *ctx, const uint8_t *p, size_t n)
{
	struct cpu_unit *u = ctx;

	u->produced += n;
	if (u->s->o.raw)
		gbuf_put(&u->buf->bytes, p, n);
	else
		frames_put(&u->buf->frames, (int)u->regs.traceidr, p, n);
}

static void take_event(void *ctx, const struct gen_event *ev)
{
	struct cpu_unit *u = ctx;
	struct gen_event copy = *ev;

	if (ev->kind == GEN_FRAGMENT)
		copy.value = u->produced;
	truth_event(u->s->truth, u->cpu, &copy);
}

static void restart(void *ctx)
{
	(void)ctx;
	gen_bug("a session cannot begin in the middle", __FILE__, __LINE__);
}

static int insn_at(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el,
		   struct flow_rec *out)
{
	struct session *s = ((struct cpu_unit *)ctx)->s;

	return s->insn(s->insn_ctx, pc, isa, tid, el, out);
}

static void describe_tracepoint(struct perfw *w)
{
	struct gbuf tracing = { 0 };

	tracing_write(&tracing, PERFW_TRACEPOINT);
	perfw_feature(w, TRACING_FEATURE, tracing.p, tracing.len);
	gbuf_free(&tracing);
}

struct session *session_new(const struct session_opts *o, const struct session_image *images,
			    int nimages,
			    int (*insn)(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid,
					uint8_t el, struct flow_rec *out),
			    void *insn_ctx, struct truth *truth)
{
	struct session *s = gen_realloc(NULL, sizeof(*s));
	struct perfw_cpu *cpus = gen_realloc(NULL, o->ncpus * sizeof(*cpus));
	int i;

	memset(s, 0, sizeof(*s));
	s->o = *o;
	s->images = images;
	s->nimages = nimages;
	s->insn = insn;
	s->insn_ctx = insn_ctx;
	s->truth = truth;
	rng_seed(&s->rng, o->tu.seed + 99);
	s->units = gen_realloc(NULL, o->ncpus * sizeof(*s->units));
	memset(s->units, 0, o->ncpus * sizeof(*s->units));
	for (i = 0; i < o->ncpus; i++) {
		struct cpu_unit *u = &s->units[i];
		struct tu_opts t = o->tu;
		struct tu_sink sink = { u, take_bytes, take_event, restart, insn ? insn_at : NULL };

		t.trace_id = (uint8_t)(t.trace_id + 2 * i);
		t.seed += (uint64_t)i * 7919;
		t.cut_sync = 0;
		u->s = s;
		u->cpu = i;
		u->tid = NO_TID;
		u->tu = unit_new(&t, &sink);
		unit_get_regs(&t, &u->regs);
		cpus[i] = (struct perfw_cpu){ i, u->regs, o->perf.time_conv ? 1 : -2, 0 };
		cpus[i].regs.configr |= o->claim;
		if (o->hw_id)
			cpus[i].id_word = 0x80000000u | 0x7f;
	}
	s->perf = perfw_new(&o->perf, cpus, o->ncpus);
	free(cpus);
	if (o->perf.window)
		describe_tracepoint(s->perf);
	return s;
}

void session_free(struct session *s)
{
	int i;

	if (!s)
		return;
	for (i = 0; i < s->o.ncpus; i++)
		unit_free(s->units[i].tu);
	for (i = 0; i < s->nbufs; i++) {
		gbuf_free(&s->bufs[i]->bytes);
		free(s->bufs[i]);
	}
	perfw_free(s->perf);
	free(s->bufs);
	free(s->units);
	free(s->pids);
	free(s->tids);
	free(s);
}

static int seen(uint32_t **list, size_t *n, uint32_t id)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if ((*list)[i] == id)
			return 1;
	*list = gen_realloc(*list, (*n + 1) * sizeof(**list));
	(*list)[(*n)++] = id;
	return 0;
}

static void know_thread(struct session *s, const struct perfw_at *at)
{
	if (seen(&s->tids, &s->ntids, at->tid) || at->tid == at->pid)
		return;
	perfw_fork(s->perf, at, at->pid, at->pid, 0);
}

void session_map(struct session *s, uint32_t pid, int cpu, uint64_t va, uint64_t len,
		 uint64_t offset, const char *path, int kernel)
{
	struct cpu_unit *u = &s->units[cpu % s->o.ncpus];
	struct perfw_at at = at_of(u, pid);
	const char *name = strrchr(path, '/');

	if (!kernel && !seen(&s->pids, &s->npids, pid)) {
		seen(&s->tids, &s->ntids, pid);
		perfw_comm(s->perf, &at, name ? name + 1 : path, 1);
	}
	perfw_mmap(s->perf, &at, va, len, offset, path, kernel);
}

static struct buffer *buffer_for(struct session *s, int cpu, uint32_t tid)
{
	struct frames_opts fo = { .seed = s->o.tu.seed ^ (uint64_t)s->nbufs,
				  .p_repeat = s->o.p_frame_repeat,
				  .p_null = s->o.p_frame_null };
	struct buffer *b;
	int i;

	if (s->o.buffers == SESSION_PER_THREAD)
		cpu = -1;
	else
		tid = NO_TID;
	if (s->o.buffers == SESSION_ONE)
		cpu = 0;
	for (i = 0; i < s->nbufs; i++)
		if (s->bufs[i]->tid == tid && s->bufs[i]->cpu == cpu)
			return s->bufs[i];
	s->bufs = gen_realloc(s->bufs, (size_t)(s->nbufs + 1) * sizeof(*s->bufs));
	b = gen_realloc(NULL, sizeof(*b));
	memset(b, 0, sizeof(*b));
	b->tid = tid;
	b->cpu = cpu;
	b->idx = s->nbufs;
	frames_init(&b->frames, &fo, &b->bytes);
	s->bufs[s->nbufs++] = b;
	return b;
}

static void write_chunk(struct session *s, struct buffer *b)
{
	size_t from = b->written, n;

	if (b->bytes.len == from || s->o.perf.window)
		return;
	from -= from - b->base < s->o.overlap ? from - b->base : s->o.overlap;
	n = b->bytes.len - from;
	perfw_auxtrace(s->perf, from - b->base, (uint32_t)b->idx, b->cpu < 0 ? (int32_t)b->tid : -1, b->cpu,
		       b->last.time, b->bytes.p + from, n);
	b->written = b->bytes.len;
}

static void close_fragment(struct session *s, struct buffer *b, struct perfw_at at)
{
	uint64_t flags = s->o.aux_flags | (s->o.raw ? PERFW_AUX_RAW : 0), size;
	int i;

	if (!b->open)
		return;
	for (i = 0; i < s->o.ncpus; i++) {
		struct cpu_unit *u = &s->units[i];

		if (u->running && u->buf == b) {
			unit_stop(u->tu);
			u->running = 0;
			/* a sink of several CPUs is read when the last of them has stopped */
			if (PERFW_TIME_BASE + unit_ticks(u->tu) > at.time)
				at.time = PERFW_TIME_BASE + unit_ticks(u->tu);
		}
	}
	if (!s->o.raw)
		frames_flush(&b->frames);
	b->open = 0;
	size = b->bytes.len - b->start;
	/* the record belongs to the buffer, whose CPU need not be where this happens */
	if (b->cpu >= 0)
		at.cpu = (uint32_t)b->cpu;
	b->last = at;
	if (s->o.perf.snapshot || s->o.perf.window) {
		/* offset is where the ring stands, the trace lies before it */
		perfw_aux(s->perf, &at, b->bytes.len - b->base, size, flags | PERFW_AUX_OVERWRITE);
	} else {
		perfw_aux(s->perf, &at, b->start - b->base, size, flags);
	}
	b->start = b->bytes.len;
	if (s->o.chunk && b->bytes.len - b->written >= s->o.chunk)
		write_chunk(s, b);
}

/* as perf tells it: an event for each thread */
static void tell_schedule(struct session *s, struct cpu_unit *u, const struct perfw_at *at)
{
	struct perfw_at old;

	if (u->tid != NO_TID && s->o.perf.with_time) {
		old = at_of(u, u->tid);
		perfw_switch(s->perf, &old, at->pid, at->tid, 1);
	}
	know_thread(s, at);
	perfw_itrace_start(s->perf, at);
	if (s->o.perf.with_time)
		perfw_switch(s->perf, at, u->tid == NO_TID ? 0 : pid_of(s, u->tid),
			     u->tid == NO_TID ? 0 : u->tid, 0);
}

/* the thread of r gets the CPU */
static void schedule(struct session *s, struct cpu_unit *u, const struct flow_rec *r)
{
	struct perfw_at at, old;
	int i;

	if (r->aux)
		unit_set_ticks(u->tu, r->aux);
	at = at_of(u, r->tid);
	if (u->tid != r->tid) {
		if (s->o.buffers == SESSION_PER_THREAD) {
			/* the event follows the thread: trace units of other CPUs and threads are
			 * done with */
			for (i = 0; i < s->o.ncpus; i++) {
				struct cpu_unit *v = &s->units[i];

				if (v->running && (v == u || v->tid == r->tid)) {
					old = at_of(v, v->tid);
					close_fragment(s, v->buf, old);
				}
			}
		}
		if (s->o.scheduled)
			s->o.scheduled(s->o.ctx, u->cpu, r->tid, u->tid);
		else
			tell_schedule(s, u, &at);
		u->tid = r->tid;
	}
	if (u->running)
		return;
	u->buf = buffer_for(s, u->cpu, r->tid);
	if (s->o.hw_id && !u->named && !s->o.hw_id_lost)
		perfw_hw_id(s->perf, &at, (uint8_t)u->regs.traceidr, s->o.hw_id - 1, 0x1234u);
	u->named = 1;
	if (!u->buf->open) {
		if (s->o.barriers && !s->o.raw && u->buf->bytes.len)
			frames_barrier(&u->buf->frames);
		u->buf->open = 1;
	}
	unit_start(u->tu);
	u->running = 1;
}

/* A buffer that is not full yet is read from before its begin, where it holds zeros. */
static void put_window(struct session *s, const struct buffer *b, const struct perfw_at *at,
		       uint64_t ip)
{
	int event = (int)rng_below(&s->rng, PERFW_WINDOW_EVENTS);
	size_t n = s->o.perf.window, max = perfw_window_max(s->perf, event), have = b->bytes.len;
	struct gbuf window = { 0 };

	n = (n < max ? n : max) & ~(size_t)7;
	if (n > have)
		gbuf_zero(&window, n - have);
	else
		have = n;
	gbuf_put(&window, b->bytes.p + b->bytes.len - have, have);
	perfw_window(s->perf, at, event, ip, window.p, n);
	gbuf_free(&window);
}

static void interrupt(struct session *s, struct cpu_unit *u, const struct flow_rec *r, uint8_t kind)
{
	struct flow_rec e = { .kind = kind,
			      .isa = r->isa,
			      .el = r->el,
			      .sec = r->sec,
			      .cpu = r->cpu,
			      .tid = r->tid };

	if (kind == FLOW_EXC) {
		e.num = SAMPLE_IRQ;
		e.pc = r->pc;
	}
	tarmac_flow(s->o.tarmac, &e);
	unit_flow(u->tu, &e);
}

/* The counter overflows before an instruction: the kernel, which is not traced, takes a sample. */
static void sample(struct session *s, struct cpu_unit *u, const struct flow_rec *r)
{
	struct perfw_at at = at_of(u, u->tid);

	interrupt(s, u, r, FLOW_EXC);
	interrupt(s, u, r, FLOW_OFF);
	unit_flush(u->tu);
	if (!s->o.raw)
		frames_flush(&u->buf->frames);
	put_window(s, u->buf, &at, r->pc);
	truth_window(s->truth, u->cpu, u->tid, at.time);
	interrupt(s, u, r, FLOW_ON);
}

/* What is left when the recording ends is in a window, too. */
static void last_sample(struct session *s, const struct buffer *b)
{
	put_window(s, b, &b->last, 0);
	truth_window(s->truth, (int)b->last.cpu, b->last.tid, b->last.time);
}

static void count_down(struct session *s, struct cpu_unit *u, const struct flow_rec *r)
{
	if (!s->o.window_insns || r->el || !u->straight)
		return;
	if (!u->left)
		u->left = rng_range(&s->rng, 1, s->o.window_insns);
	if (!--u->left)
		sample(s, u, r);
}

static void file_mapped(struct session *s, const struct flow_rec *r)
{
	int i;

	for (i = 0; i < s->nimages; i++)
		if (s->images[i].num == r->num)
			session_map(s, r->tid, r->cpu, r->pc, r->next, r->aux, s->images[i].path,
				    0);
}

void session_flow(struct session *s, const struct flow_rec *r)
{
	struct cpu_unit *u = &s->units[r->cpu % s->o.ncpus];

	tarmac_flow(s->o.tarmac, r);
	if (r->kind != FLOW_INSN)
		u->straight = 0;
	switch (r->kind) {
	case FLOW_MAP:
		file_mapped(s, r);
		return;
	case FLOW_ON:
		u->on_pending = 1;
		if (u->running)
			unit_flow(u->tu, r);
		return;
	case FLOW_INSN:
		if (u->on_pending || !u->running || u->tid != r->tid) {
			u->straight = 0;
			schedule(s, u, r);
			u->on_pending = 0;
		}
		count_down(s, u, r);
		unit_flow(u->tu, r);
		u->straight = 1;
		return;
	case FLOW_OFF:
		if (!u->running)
			return;
		unit_flow(u->tu, r);
		unit_flush(u->tu);
		if (s->o.fragment && u->buf->bytes.len - u->buf->start >= s->o.fragment)
			close_fragment(s, u->buf, at_of(u, u->tid));
		return;
	default:
		if (u->running)
			unit_flow(u->tu, r);
		return;
	}
}

void session_end(struct session *s)
{
	struct perfw_at last = { 0 };
	int i;

	for (i = 0; i < s->o.ncpus; i++) {
		struct cpu_unit *u = &s->units[i];

		if (u->running)
			close_fragment(s, u->buf, at_of(u, u->tid));
		truth_totals(s->truth, i, unit_stats(u->tu)->insns, u->produced);
		if (u->tid != NO_TID && at_of(u, u->tid).time >= last.time)
			last = at_of(u, u->tid);
	}
	for (i = 0; i < (int)s->ntids; i++) {
		last.tid = s->tids[i];
		last.pid = pid_of(s, last.tid);
		perfw_fork(s->perf, &last, last.pid, last.pid, 1);
	}
	for (i = 0; i < s->nbufs; i++) {
		if (s->o.window_insns)
			last_sample(s, s->bufs[i]);
		write_chunk(s, s->bufs[i]);
	}
	perfw_finished_round(s->perf);
}

struct perfw *session_perf(struct session *s)
{
	return s->perf;
}

struct perfw_at session_at(const struct session *s, int cpu, uint32_t tid)
{
	return at_of(&s->units[cpu], tid);
}

void session_wait(struct session *s, int cpu, uint64_t ticks)
{
	unit_set_ticks(s->units[cpu].tu, ticks);
}

void session_cut(struct session *s, int cpu)
{
	struct cpu_unit *u = &s->units[cpu];

	if (u->running)
		close_fragment(s, u->buf, at_of(u, u->tid));
}

void session_reopen(struct session *s, int cpu, int idx)
{
	struct buffer *b = s->units[cpu].buf;

	session_cut(s, cpu);
	if (!b)
		return;
	write_chunk(s, b);
	b->base = b->bytes.len;
	if (idx >= 0)
		b->idx = idx;
}

void session_trace_id(struct session *s, int cpu, uint8_t id)
{
	struct cpu_unit *u = &s->units[cpu];

	session_cut(s, cpu);
	u->regs.traceidr = id;
	u->named = 0;
}

void session_program(struct session *s, int cpu, const struct tu_opts *o)
{
	struct cpu_unit *u = &s->units[cpu];
	struct tu_sink sink = { u, take_bytes, take_event, restart, s->insn ? insn_at : NULL };
	struct tu_opts t = *o;

	session_cut(s, cpu);
	t.trace_id = (uint8_t)u->regs.traceidr;
	t.first_tick = unit_ticks(u->tu);
	t.cut_sync = 0;
	unit_free(u->tu);
	u->tu = unit_new(&t, &sink);
	unit_get_regs(&t, &u->regs);
}

void session_file(struct session *s, struct gbuf *file)
{
	perfw_finish(s->perf, file);
}

int session_buffers(const struct session *s)
{
	return s->nbufs;
}

const struct gbuf *session_buffer(const struct session *s, int i, int *cpu)
{
	*cpu = s->bufs[i]->cpu;
	return &s->bufs[i]->bytes;
}

const struct tu_regs *session_regs(const struct session *s, int cpu)
{
	return &s->units[cpu].regs;
}

const struct tu_stats *session_stats(const struct session *s, int cpu)
{
	return unit_stats(s->units[cpu].tu);
}
