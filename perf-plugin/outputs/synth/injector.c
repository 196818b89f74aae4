/* SPDX-License-Identifier: GPL-2.0-only */
/* injector.c - runs a session and writes its samples and the input's other records in order of time. */
#include "outputs/synth/injector_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "machine/images/dso.h"
#include "outputs/synth/evname.h"
#include "session/decode/locate.h"
#include "session/parts.h"

/* perf sorts the records between two FINISHED_ROUND records, in memory */
#define ROUND_BYTES	(1u << 20)
/* "instruction trace", the only defined type of AUXTRACE_ERROR */
#define ERROR_ITRACE	1

/* index of the time in our samples, in 64-bit words: after header, id, ip, pid and tid */
#define SAMPLE_TIME_AT	4

#define BRANCH_SAMPLE_TYPE	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |	\
				 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE)

/* ---- output ----------------------------------------------------------------------------------- */

static void end_round(struct injector *in)
{
	struct perf_event_header *round = pw_reserve(in->w, sizeof(*round));

	*round = (struct perf_event_header){ .type = PERF_RECORD_FINISHED_ROUND,
					     .size = sizeof(*round) };
	pw_commit(in->w, sizeof(*round));
	in->since_round = 0;
}

/* Writes records. The end of a round depends on the records only, not on how many are passed at once. */
static void write_records(struct injector *in, const uint8_t *from, size_t len)
{
	const uint8_t *p = from, *end = from + len;
	uint16_t size;

	for (; p < end; p += size) {
		if (in->since_round >= ROUND_BYTES) {
			pw_write(in->w, from, (size_t)(p - from));
			end_round(in);
			from = p;
		}
		size = ((const struct perf_event_header *)p)->size;
		in->since_round += size;
	}
	pw_write(in->w, from, (size_t)(p - from));
}

/*
 * Adds the history of threads to the samples behind a mark, and writes all records that are not
 * for that purpose.
 */
static void write_joined(struct injector *in, const uint8_t *from, size_t len)
{
	const uint8_t *p = from, *end = from + len;
	struct perf_event_header h, sample;
	struct join_mark mark;

	while (p < end) {
		memcpy(&h, p, sizeof(h));
		if (h.type != HISTORY_RECORD && h.type != JOIN_RECORD) {
			p += h.size;
			continue;
		}
		write_records(in, from, (size_t)(p - from));
		if (h.type == HISTORY_RECORD) {
			join_piece(in->add.join, (const struct history_piece *)p);
		} else {
			memcpy(&mark, p, sizeof(mark));
			p += h.size;
			memcpy(&sample, p, sizeof(sample));
			write_records(in, in->add.record,
				      join_sample(in->add.join, &mark, p, in->add.record));
			h.size = sample.size;
		}
		p += h.size;
		from = p;
	}
	write_records(in, from, (size_t)(p - from));
}

static void sink_write(void *data, const void *bytes, size_t len)
{
	struct injector *in = data;

	if (in->add.join)
		write_joined(in, bytes, len);
	else
		write_records(in, bytes, len);
}

/* Raises the times of samples and errors to `time`. */
static void sink_raise(void *data, void *bytes, size_t len, uint64_t time)
{
	uint8_t *p = bytes, *end = p + len;
	const struct perf_event_header *h;

	(void)data;
	for (; p < end; p += h->size) {
		h = (const void *)p;
		if (h->type == PERF_RECORD_SAMPLE)
			((uint64_t *)p)[SAMPLE_TIME_AT] = time;
		else if (h->type == PERF_RECORD_AUXTRACE_ERROR)
			((struct perf_record_auxtrace_error *)p)->time = time;
	}
}

static inline uint64_t *put_pair(uint64_t *p, int a, int b)
{
	*p = (uint32_t)a | (uint64_t)(uint32_t)b << 32;
	return p + 1;
}

static uint16_t cpumode(unsigned int el)
{
	return el ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

/* Writes id, address, process and thread of a sample of the host. */
static inline uint64_t *put_where(uint64_t *p, const struct guest_ids *ids, uint64_t ip, int pid,
				  int tid)
{
	*p++ = guest_id_of(ids, 0);
	*p++ = ip;
	return put_pair(p, pid, tid);
}

/*
 * Makes a sample of the host, complete, that of a guest: it has ids of its own, which lead perf to
 * the process that runs the guest, or else the host's thread, by which perf finds that.
 */
static void __attribute__((noinline)) set_guest(const struct injector *in, uint64_t *sample,
						const struct guest_ids *ids, unsigned int guest,
						const struct host_thread *host)
{
	struct perf_event_header *h = (struct perf_event_header *)sample;

	h->misc = h->misc == PERF_RECORD_MISC_KERNEL ? PERF_RECORD_MISC_GUEST_KERNEL :
						       PERF_RECORD_MISC_GUEST_USER;
	if (guest < 64 && in->with_ids >> guest & 1)
		sample[1] = guest_id_of(ids, guest);
	else
		put_pair(sample + 3, host->pid, host->tid);
}

static struct merge_lane *new_lane(struct injector *in, uint64_t place)
{
	struct merge_lane *ln =
		merge_lanes_add(&in->shard.lanes, in->m, SIDEBAND_RANK_SAMPLES, place);
	const struct sampler_seam *was =
		in->shard.from ? sampler_seam(in->shard.from->sp, place) : NULL;

	if (was)
		ln->time = was->last;
	return ln;
}

static struct merge_lane *__attribute__((noinline)) first_lane(struct injector *in,
							     const struct stream *s)
{
	return in->single && !in->shard.is_shard ? in->single : new_lane(in, s->place);
}

static inline struct merge_lane *lane_of(struct injector *in, const struct stream *s)
{
	void **slot = sampler_slot(s);

	if (!*slot)
		*slot = first_lane(in, s);
	return *slot;
}

/* Returns the time of a sample, at least that of the lane's last sample. */
static inline uint64_t time_of(const struct injector *in, const struct merge_lane *ln, uint64_t time)
{
	if (!in->timed)
		time = in->place;
	return time > ln->time ? time : ln->time;
}

/* True if branch samples have stacks; those of instructions have the branches before them. */
static bool stacks_of_branches(const struct itrace_opts *o)
{
	return o->stack && !o->instructions;
}

/* A branch stack of the branch alone: perf reads its flags from nothing else in a file. */
static uint64_t *__attribute__((noinline))
put_own_stack(const struct injector *in, uint64_t *p, const struct branch *b)
{
	const struct ring_entry own = { b->from, b->to,
					ring_flags(branch_perf_type((enum branch_kind)b->kind)) |
						ring_cycles(b->cycles) };

	*p++ = 1;
	if (in->o.hw_index)
		*p++ = UINT64_MAX;
	memcpy(p, &own, sizeof(own));
	return p + sizeof(own) / sizeof(*p);
}

static int on_branch(void *data, const struct stream *s, const struct branch *b)
{
	struct injector *in = data;
	struct merge_lane *ln = lane_of(in, s);
	uint64_t *start, *p, time;

	time = time_of(in, ln, b->time);
	injector_note_time(in, time);
	start = p = merge_reserve(ln, time);
	p++;
	p = put_where(p, &in->ids[OUT_BRANCHES], b->from, b->pid, b->tid);
	if (in->timed)
		*p++ = time;
	*p++ = b->to;
	p = put_pair(p, s->cpu, 0);
	*p++ = 1;
	if (stacks_of_branches(&in->o.itrace))
		p = put_own_stack(in, p, b);
	*(struct perf_event_header *)start = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE, .misc = cpumode(b->el),
		.size = (uint16_t)((uint8_t *)p - (uint8_t *)start) };
	if (__builtin_expect(b->guest, 0))
		set_guest(in, start, &in->ids[OUT_BRANCHES], b->guest, &b->host);
	merge_commit(ln, (size_t)((uint8_t *)p - (uint8_t *)start));
	return 0;
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	struct injector *in = data;
	struct merge_lane *ln = lane_of(in, s);
	uint64_t *start, *p, time;

	time = time_of(in, ln,
		       i->host.tid == in->batch_tid && i->time > in->alive_until ? in->alive_until :
										   i->time);
	injector_note_time(in, time);
	start = p = merge_reserve(ln, time);
	p++;
	p = put_where(p, &in->ids[OUT_INSNS], i->ip, i->pid, i->tid);
	if (in->timed)
		*p++ = time;
	p = put_pair(p, s->cpu, 0);
	*p++ = i->period;
	if (in->o.itrace.chain) {
		*p++ = i->nr_chain;
		memcpy(p, i->chain, i->nr_chain * sizeof(*p));
		p += i->nr_chain;
	}
	if (i->stack) {
		uint64_t *nr = p++;

		if (in->o.hw_index)
			*p++ = UINT64_MAX;
		*nr = ring_copy(i->stack, (struct ring_entry *)p);
		p += *nr * (sizeof(struct ring_entry) / sizeof(*p));
	}
	*(struct perf_event_header *)start = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE, .misc = cpumode(i->el),
		.size = (uint16_t)((uint8_t *)p - (uint8_t *)start) };
	if (__builtin_expect(i->guest, 0))
		set_guest(in, start, &in->ids[OUT_INSNS], i->guest, &i->host);
	merge_commit(ln, (size_t)((uint8_t *)p - (uint8_t *)start));
	return 0;
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	struct injector *in = data;
	struct merge_lane *ln = lane_of(in, s);
	struct perf_record_auxtrace_error *r;
	size_t len = strlen(e->text);
	uint64_t time;

	time = time_of(in, ln, e->time);
	injector_note_time(in, time);
	r = merge_reserve(ln, time);
	memset(r, 0, sizeof(*r));
	r->header.type = PERF_RECORD_AUXTRACE_ERROR;
	r->header.size = sizeof(*r);
	r->type = ERROR_ITRACE;
	r->code = e->code;
	r->cpu = (uint32_t)s->cpu;
	r->pid = (uint32_t)e->host.pid;
	r->tid = (uint32_t)e->host.tid;
	r->fmt = 1;
	r->ip = e->ip;
	r->time = in->timed ? time : 0;
	memcpy(r->msg, e->text, len < sizeof(r->msg) ? len : sizeof(r->msg) - 1);
	merge_commit(ln, sizeof(*r));
	return 0;
}

static int on_event(void *data, const struct stream *s, const struct event_sample *e)
{
	struct injector *in = data;
	struct merge_lane *ln = lane_of(in, s);
	uint64_t *start, *p, time;

	time = time_of(in, ln, e->time);
	injector_note_time(in, time);
	start = p = merge_reserve(ln, time);
	p++;
	p = put_where(p, &in->ids[OUT_EVENTS + e->kind], e->ip, e->pid, e->tid);
	if (in->timed)
		*p++ = time;
	p = put_pair(p, s->cpu, 0);
	*p++ = 1;
	p = event_sample_put(p, e);
	*(struct perf_event_header *)start = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE, .misc = cpumode(e->el),
		.size = (uint16_t)((uint8_t *)p - (uint8_t *)start) };
	if (e->guest)
		set_guest(in, start, &in->ids[OUT_EVENTS + e->kind], e->guest, &e->host);
	merge_commit(ln, (size_t)((uint8_t *)p - (uint8_t *)start));
	return 0;
}

/* ---- history before existing samples ------------------------------------------------------ */

static struct followed *find_followed(const struct injector *in, uint64_t place)
{
	size_t i;

	for (i = 0; i < in->add.nr; i++)
		if (in->add.v[i].place == place)
			return &in->add.v[i];
	return NULL;
}

static struct history_stream *history_of(struct injector *in, const struct stream *s)
{
	const struct sampler_seam *was =
		in->shard.from ? sampler_seam(in->shard.from->sp, s->place) : NULL;
	struct followed *f = find_followed(in, s->place);
	struct merge_lane *ln;

	if (f)
		return f->history;
	ln = merge_lanes_add(&in->shard.lanes, in->m, SIDEBAND_RANK_HISTORY, s->place);
	if (was)
		ln->time = was->history.last;
	f = ARRAY_ADD(in->add.v, in->add.nr, in->add.cap);
	*f = (struct followed){ .place = s->place,
				.history = history_stream_new(in->add.wanted, ln) };
	return f->history;
}

/* True if the stream is that of the CPU which took the sample of an AUX window. */
static bool has_sample(const struct stream *s)
{
	return s->aux.cpu < 0 || s->cpu < 0 || s->aux.cpu == s->cpu;
}

/* Ends an AUX fragment of a stream. */
static void end_piece(struct injector *in, const struct stream *s)
{
	struct history_stream *t = history_of(in, s);

	if (s->aux.window && has_sample(s))
		history_window_end(t, s, s->aux.aux_seq,
				   in->timed ? s->aux.aux_time : s->aux.aux_seq);
	else
		history_fragment_end(t, s);
}

/* Ends the history of a stream. Returns its lane, or NULL if it has none. */
static struct merge_lane *end_history(struct injector *in, const struct stream *s)
{
	struct followed *f = find_followed(in, s->place);
	struct merge_lane *ln;

	if (!f)
		return NULL;
	history_fragment_end(f->history, s);
	ln = history_lane(f->history);
	history_stream_free(f->history);
	*f = in->add.v[--in->add.nr];
	return ln;
}

void injector_free_followed(struct injector *in)
{
	while (in->add.nr)
		history_stream_free(in->add.v[--in->add.nr].history);
	free(in->add.v);
}

/* ---- batches ---------------------------------------------------------------------------------- */

/* Returns when the thread ended, if that is inside the batch, whose times can be up to the next timestamp; or UINT64_MAX. */
static uint64_t end_of_thread(const struct injector *in, const struct stream *s)
{
	uint64_t last = s->time_end > s->before ? s->time_end : s->before, alive;

	if (!in->timed || in->exits_last)
		return UINT64_MAX;
	alive = sideband_alive(in->sb, s->host.tid, last);
	return alive < last ? alive : UINT64_MAX;
}

const struct stream *injector_stream(const struct injector *in, const struct stream *s,
				     struct stream *ended)
{
	const uint64_t time = in->timed ? sideband_alive(in->sb, s->host.tid, s->time) : s->time;

	if (time == s->time)
		return s;
	*ended = *s;
	ended->time = time;
	return ended;
}

int injector_batch(struct injector *in, const struct stream *s, const struct cst_generic *g,
		   size_t n)
{
	struct stream ended;

	if (!in->shard.is_shard && pw_failed(in->w))
		return ERR_REPORTED;
	/* the maps that a sample needs precede it (the session ensures that), the exit of its thread follows */
	if (!in->timed)
		in->place = sideband_alive(in->sb, s->host.tid, s->aux.aux_seq);
	if (in->add.follows)
		history_batch(history_of(in, s), s, g, n);
	in->batch_tid = s->host.tid;
	in->alive_until = end_of_thread(in, s);
	return sampler_batch(in->sp, injector_stream(in, s, &ended), g, n);
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct injector *in = data;

	return in->shard.backlog ? injector_late_batch(in, s, g, n) : injector_batch(in, s, g, n);
}

static int on_plan(void *data, const struct stream *s, const struct cst_generic *g, size_t n, struct sample_plan *plan)
{
	const struct injector *in = data;

	return sampler_plan(in->sp, s, g, n, plan);
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct injector *in = data;

	if (!e->ended)
		return 0;
	if (in->add.follows)
		end_piece(in, e->ended);
	return sampler_fragment_end(in->sp, e->ended);
}

static void on_stream_end(void *data, const struct stream *s)
{
	struct injector *in = data;
	struct merge_lane *ln, *history = end_history(in, s);
	struct sampler_seam *seam;

	if (in->shard.backlog)
		injector_late_end(in);
	ln = *s->priv ? *sampler_slot(s) : NULL;
	sampler_stream_end(in->sp, s);
	seam = sampler_last_seam(in->sp);
	if (history && seam) {
		seam->history.last = history->time;
		seam->history.user = history;
	}
	if (!ln || !seam)
		return;
	seam->first = ln->first;
	seam->last = ln->time;
	seam->user = ln;
}

/* ---- the sampler ----------------------------------------------------------------------------- */

struct sampler *injector_sampler(struct injector *in)
{
	const struct sample_ops ops = { .branch = on_branch, .insn = on_insn, .error = on_error,
					.event = itrace_events(&in->o.itrace) ? on_event : NULL,
					.data = in };

	return sampler_new(&in->o.itrace, &ops, session_read_code);
}

/* ---- header ----------------------------------------------------------------------------------- */

static uint64_t stack_type(const struct injector *in)
{
	return BRANCH_SAMPLE_TYPE | (in->o.hw_index ? PERF_SAMPLE_BRANCH_HW_INDEX : 0);
}

/* The ids of an event, of the host and of all guests. */
static uint64_t *list_ids(const struct injector *in, const struct guest_ids *of, uint32_t *nr)
{
	uint64_t *ids;
	uint32_t i;

	*nr = 1 + guest_records_guests(in->ss);
	ids = mem_array(*nr, sizeof(*ids));
	for (i = 0; i < *nr; i++)
		ids[i] = guest_id_of(of, i);
	return ids;
}

static int add_event(struct injector *in, const struct event_type *e, const struct guest_ids *of,
		     uint64_t period, struct error *err)
{
	const struct perf_event_attr *trace = evname_find(session_perfdata(in->ss),
							  session_pmu_type(in->ss));
	struct perf_event_attr attr = {
		.type = e->type,
		.size = sizeof(attr),
		.config = e->config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | e->sample_type,
		.sample_id_all = 1,
	};
	char full[EVNAME_MAX];
	uint64_t *ids;
	uint32_t nr;
	int rc;

	if (in->timed)
		attr.sample_type |= PERF_SAMPLE_TIME;
	if (e->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr.branch_sample_type = stack_type(in);
	if (trace) {
		attr.exclude_kernel = trace->exclude_kernel;
		attr.exclude_user = trace->exclude_user;
		attr.exclude_hv = trace->exclude_hv;
		attr.exclude_host = trace->exclude_host;
		attr.exclude_guest = trace->exclude_guest;
	}
	evname_make(full, sizeof(full), e->name, &attr);
	ids = list_ids(in, of, &nr);
	rc = pw_add_attr(in->w, &attr, ids, nr, full, err);
	free(ids);
	return rc < 0 ? rc : 0;
}

static bool has_event(const struct injector *in, enum out_event e)
{
	const struct itrace_opts *o = &in->o.itrace;

	if (e == OUT_DUMMY)
		return !o->instructions && !o->branches && !itrace_events(o);
	if (e < OUT_EVENTS)
		return e == OUT_INSNS ? o->instructions : o->branches;
	return o->events[e - OUT_EVENTS];
}

/* Chooses ids of samples that no event of the input has. */
static void choose_ids(struct injector *in)
{
	const unsigned int guests = guest_records_guests(in->ss);
	const uint64_t first = sideband_new_id(in->sb, OUT_NR * (1 + guests));
	unsigned int i;

	for (i = 0; i < OUT_NR; i++)
		in->ids[i] = (struct guest_ids){ .first = first + i, .nr = OUT_NR };
	for (i = 1; i <= guests && i < 64; i++)
		if (session_guest_pid(in->ss, session_guest(in->ss, i)) > 0)
			in->with_ids |= 1ull << i;
}

/* Returns the ids of an event that the output has. */
static const struct guest_ids *first_ids(const struct injector *in)
{
	unsigned int i = 0;

	while (!has_event(in, i))
		i++;
	return &in->ids[i];
}

static int add_header(struct injector *in, struct error *err)
{
	struct perfdata *pd = session_perfdata(in->ss);
	const struct pd_env *env = perfdata_env(pd);
	const struct itrace_opts *o = &in->o.itrace;
	const struct event_type insns = { "instructions", PERF_TYPE_HARDWARE,
					  PERF_COUNT_HW_INSTRUCTIONS,
					  (o->stack ? PERF_SAMPLE_BRANCH_STACK : 0u) |
					  (o->chain ? PERF_SAMPLE_CALLCHAIN : 0u) };
	const struct event_type branches = { "branches", PERF_TYPE_HARDWARE,
					     PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
					     PERF_SAMPLE_ADDR | (stacks_of_branches(o) ?
							 PERF_SAMPLE_BRANCH_STACK : 0u) };
	const struct event_type dummy = { "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0 };
	uint32_t i;
	int rc = 0;

	choose_ids(in);
	pw_copy_env(in->w, pd);
	if (!env->arch)
		pw_set_string(in->w, PD_FEAT_ARCH, "aarch64");
	if (o->instructions)
		rc = add_event(in, &insns, &in->ids[OUT_INSNS], o->period, err);
	if (!rc && o->branches)
		rc = add_event(in, &branches, &in->ids[OUT_BRANCHES], 1, err);
	for (i = 0; !rc && i < EVENT_KINDS; i++)
		if (o->events[i])
			rc = add_event(in, &event_types[i], &in->ids[OUT_EVENTS + i], 1, err);
	/* records of the trace event need an event */
	if (!rc && has_event(in, OUT_DUMMY))
		rc = add_event(in, &dummy, &in->ids[OUT_DUMMY], 1, err);
	if (!rc)
		rc = sideband_add_attrs(in->sb, in->w, err);
	/* mark that perf report --branch-history requires */
	if (!rc && (o->stack || o->add_stack) && !in->o.no_branch_view)
		pw_set_branch_stack(in->w);
	if (!rc && env->raw[PD_FEAT_TRACING_DATA].ptr && !perfdata_is_swapped(pd))
		pw_set_raw(in->w, PD_FEAT_TRACING_DATA, env->raw[PD_FEAT_TRACING_DATA].ptr,
			   env->raw[PD_FEAT_TRACING_DATA].len);
	for (i = 0; !rc && i < env->nr_build_ids; i++)
		rc = pw_add_build_id(in->w, env->build_ids[i].misc, ~0u, env->build_ids[i].id,
				     env->build_ids[i].size, env->build_ids[i].filename);
	return rc ? rc : pw_start(in->w, err);
}

/* ---- the whole -------------------------------------------------------------------------------- */

int injector_temporary_failed(const struct injector *in)
{
	fprintf(stderr, "cstrace inject: temporary file for %s: %s\n", in->o.output,
		merge_why(in->m));
	return ERR_REPORTED;
}

static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!strcmp(path, "-"))
		return NULL;
	if (!slash)
		return mem_text(".");
	return mem_text_part(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Writes what perf needs to know of guests; `ids` are those of the records. */
static void write_guests(struct injector *in, const struct guest_ids *ids, uint64_t sample_type)
{
	struct guest_ids events[OUT_NR];
	unsigned int i, n = 0;

	for (i = 0; i < OUT_NR; i++)
		if (has_event(in, i))
			events[n++] = in->ids[i];
	guest_records_ids(in->ss, in->w, events, n);
	guest_records_collect(in->ss, in->m, ids, sample_type, in->timed);
}

/* Prepares what L and G ask for. */
static void add_fields(struct injector *in)
{
	const struct itrace_opts *o = &in->o.itrace;
	const struct join_opts jo = { .stack = o->add_stack, .chain = o->add_chain,
				      .hw_index = in->o.hw_index };
	struct sideband_add add = { .branch_sample_type = stack_type(in) };

	if (!o->add_stack && !o->add_chain)
		return;
	in->add.wanted = add.history = history_new(o->add_stack, o->add_chain, session_read_code);
	in->add.join = join_new(&jo);
	in->add.record = mem_new(PD_MAX_RECORD + 1);
	in->add.follows = injector_follows(in);
	add.sample_type = (o->add_stack ? PERF_SAMPLE_BRANCH_STACK : 0) |
			  (o->add_chain ? PERF_SAMPLE_CALLCHAIN : 0);
	sideband_add_fields(in->sb, &add);
}

struct injector *injector_open(struct session *ss, const struct injector_opts *o)
{
	struct injector *in = mem_zeroed(1, sizeof(*in));
	struct merge_sink sink = { .write = sink_write, .raise = sink_raise, .data = in };
	struct error err = { .code = 0 };
	struct sideband_opts so = { .switches = o->switches,
				    .exits_last = o->itrace.timeless || !session_timestamps(ss) };
	const struct guest_ids *ids;
	char *dir;

	in->ss = ss;
	in->o = *o;
	in->first_time = UINT64_MAX;
	in->w = pw_open(o->output, &err);
	if (!in->w)
		goto fail;
	if (o->level)
		pw_set_compression(in->w, o->level, session_jobs(ss));
	in->sb = sideband_new(session_perfdata(ss), session_pmu_type(ss));
	dir = dir_of(o->output);
	in->m = merge_new(&sink, dir);
	free(dir);
	in->sp = injector_sampler(in);
	in->timed = sideband_timed(in->sb);
	in->exits_last = so.exits_last;
	add_fields(in);
	if (add_header(in, &err))
		goto fail;
	ids = first_ids(in);
	so.id = guest_id_of(ids, 0);
	so.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER |
			 (in->timed ? PERF_SAMPLE_TIME : 0);
	sideband_collect(in->sb, in->m, &so);
	write_guests(in, ids, so.sample_type);
	/* history is written to lanes, which are merged when all of them are complete */
	if (session_max_streams(ss) == 1 && !in->add.join) {
		in->single = merge_lane_new(in->m, SIDEBAND_RANK_SAMPLES, 0);
		merge_direct(in->m, in->single);
	}
	return in;
fail:
	fprintf(stderr, "cstrace inject: %s\n", err.msg);
	injector_close(in);
	return NULL;
}

/* perf must find the file that ran, not one with its name today. It looks for those of the kernel and its modules apart. */
static void add_build_ids(struct injector *in)
{
	const uint8_t *id;
	struct dso *dso;
	size_t pos = 0, len;

	while ((dso = session_next_used(in->ss, &pos))) {
		id = dso_build_id(dso, &len);
		if (id)
			pw_add_build_id(in->w, dso_is_kernel(dso) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, ~0u, id,
					(unsigned int)len, dso_path(dso));
	}
}

/* perf report --time 10%-20% requires the times of the first and the last sample; errors are included. */
static void add_sample_time(struct injector *in)
{
	uint64_t first, last;

	if (!in->timed)
		return;
	if (sideband_sample_span(in->sb, &first, &last)) {
		injector_note_time(in, first);
		injector_note_time(in, last);
	}
	if (in->first_time <= in->last_time)
		pw_set_sample_time(in->w, in->first_time, in->last_time);
}

int injector_run(struct injector *in)
{
	struct consumer c = { .data = in, .wants = sampler_wants(in->sp, true), .batch = on_batch,
			      .fragment = on_fragment, .stream_end = on_stream_end };
	struct shard_ops shards = injector_shards(in);
	int rc;

	/* history has all branches */
	if (sampler_plans(in->sp) && !in->add.follows)
		c.wants.plan = on_plan;
	if (sampler_unit(in->sp) != SAMPLER_ALL && (shards.by_fragment || !in->single))
		c.shards = &shards;
	rc = session_run(in->ss, &c);
	if (rc && !pw_failed(in->w))
		return rc;
	if (!rc && merge_finish(in->m))
		return injector_temporary_failed(in);
	/* readers take a file without data for an interrupted recording */
	if (!pw_data_bytes(in->w))
		end_round(in);
	add_build_ids(in);
	add_sample_time(in);
	rc = pw_finish_if(in->w, "cstrace inject", session_decoded(in->ss));
	in->w = NULL;
	return rc;
}

uint64_t injector_left_out(const struct injector *in)
{
	return sideband_unknown_samples(in->sb);
}

uint64_t injector_too_large(const struct injector *in)
{
	return sideband_large_samples(in->sb);
}

bool injector_follows(const struct injector *in)
{
	const struct windows *w = &session_queues(in->ss)->windows;

	/* the trace before a sample is known by its time, or is in the sample */
	if (w->counts.nr && !w->beside)
		return true;
	return in->timed && session_timestamps(in->ss) && !in->o.itrace.timeless;
}

const struct join_counts *injector_joined(const struct injector *in)
{
	return in->add.join ? join_counts(in->add.join) : NULL;
}

void injector_close(struct injector *in)
{
	if (!in)
		return;
	if (in->w)
		pw_abort(in->w);
	sampler_free(in->sp);
	merge_lanes_free(&in->shard.lanes);
	merge_free(in->m);
	backlog_room_free(in->shard.room);
	sideband_free(in->sb);
	injector_free_followed(in);
	join_free(in->add.join);
	history_free(in->add.wanted);
	free(in->add.record);
	free(in);
}
