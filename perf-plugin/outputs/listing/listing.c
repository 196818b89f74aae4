/* SPDX-License-Identifier: GPL-2.0-only */
/* listing.c - runs a session and prints a line for each sample. */
#include "outputs/listing/listing.h"

#include <stdlib.h>
#include <string.h>

#include <cstrace/index.h>

#include "base/alloc.h"
#include "base/error.h"
#include "outputs/listing/branch_line.h"
#include "outputs/listing/callindent.h"
#include "outputs/listing/code.h"
#include "outputs/listing/pages.h"
#include "outputs/listing/stack.h"
#include "outputs/synth/evname.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/parts.h"

#define OUT_BUFFER	(1u << 20)

/*
 * Maximum size of an AUX fragment whose lines are kept until its turn, of the parts of a divided one, of the memory for these
 * lines, and number of such shards of the trace: decoding takes a bit longer than printing. The lines of a part fit into that
 * memory also if a byte has 16 branches, as in loops.
 */
#define KEPT_TRACE	(5u << 20)
#define KEPT_PART	(512u << 10)
#define KEPT_LINES	(96u << 20)
#define KEPT_SHARDS	(PAGES_THREADS + 2)

/* State per stream. */
struct line_lane {
	struct merge_lane *ln;
	struct line_last last;	/* the last instruction executed so far, with the names that it had then */
	bool open;		/* it is the source of a branch that is not printed yet */
	unsigned int spacing;	/* of the field "callindent" */
	struct line_lane *next;	/* next in the list of lanes whose streams have ended */
};

struct listing {
	struct session *ss;
	struct itrace_opts o;
	bool names;		/* files or symbols are printed */
	bool times;		/* lines have times, or names of threads, which change with time, or are sorted by time */
	char branches[EVNAME_MAX], insns[EVNAME_MAX], events[EVENT_KINDS][EVNAME_MAX];
	bool period;		/* listing_opts.period */
	struct {
		struct pd_output out;
		bool open;
		uint8_t *buf;
		size_t fill;
	} write;
	struct merge *m;
	struct merge_lane *single;
	struct {
		/* lines are printed apart from the decoding; NULL: while it decodes */
		struct pages *pages;
		/* of the whole output: shards keep their lines in pages of their own */
		bool keeps;
		/* of the whole output: maximum number of bytes of such pages of a shard */
		size_t kept_lines;
		struct pages *kept;	/* of a shard: these pages, NULL: none */
	} keep;
	struct {
		/*
		 * of a shard decoded in another thread: its lanes in the merge of the whole output
		 */
		struct merge_lanes lanes;
		bool is_shard, taken;
		struct line_lane *done;	/* lanes that seams refer to */
		/*
		 * the listing of the shards before, whose streams this shard continues; NULL: none
		 */
		struct listing *from;
		uint64_t shards;	/* of the whole output: number of shards taken */
	} shard;
	struct sampler *sp;
	struct disasm *disasm;	/* with fields of disassembled code, else NULL */
	struct line line;	/* the line being written */
};

/* ---- output ----------------------------------------------------------------------------------- */

static void sink_write(void *data, const void *bytes, size_t len)
{
	struct listing *l = data;

	const bool large = len >= OUT_BUFFER / 32;	/* avoids a copy */

	if (large || l->write.fill + len > OUT_BUFFER) {
		pd_output_write(&l->write.out, l->write.buf, l->write.fill);
		l->write.fill = 0;
	}
	if (large) {
		pd_output_write(&l->write.out, bytes, len);
		return;
	}
	memcpy(l->write.buf + l->write.fill, bytes, len);
	l->write.fill += len;
}

/* Copies the names at a seam, which are valid as long as the session. */
static void copy_last(struct line_lane *lane, const struct line_lane *was)
{
	if (!was)
		return;
	lane->last = was->last;
	lane->open = true;
}

static struct line_lane *lane_of(struct listing *l, const struct stream *s)
{
	const struct sampler_seam *was;
	void **slot = sampler_slot(s);
	struct line_lane *lane = *slot;

	if (lane)
		return lane;
	lane = mem_zeroed(1, sizeof(*lane));
	if (!l->keep.pages)
		lane->ln = l->single && !l->shard.is_shard ?
				   l->single :
				   merge_lanes_add(&l->shard.lanes, l->m, 0, s->place);
	was = l->shard.from ? sampler_seam(l->shard.from->sp, s->place) : NULL;
	if (was && lane->ln)
		lane->ln->time = was->last;
	if (was)
		copy_last(lane, was->user);
	*slot = lane;
	return lane;
}

static struct line_lane *begin(struct listing *l, const struct stream *s, uint64_t time)
{
	struct line_lane *lane = lane_of(l, s);

	line_begin(&l->line, lane->ln, NULL, time);
	return lane;
}

static uint64_t thread_of(const struct branch *b)
{
	return session_thread_key(b->tid, b->guest, b->host);
}

static struct line_who who_of(const struct stream *s, const struct branch *b)
{
	return (struct line_who){ .pid = b->pid,
				  .tid = b->tid,
				  .cpu = s->cpu,
				  .machine = line_machine(b->guest, &b->host),
				  .vm = b->vm };
}

static struct line_who who_runs(const struct stream *s)
{
	return (struct line_who){ .pid = s->pid,
				  .tid = s->tid,
				  .cpu = s->cpu,
				  .machine = line_machine(s->guest, &s->host),
				  .vm = s->vm };
}

/*
 * Returns the names that a branch's source had before the batch, NULL: look them up. Only the first branch of a batch can have
 * one; code at the same address may be other code since.
 */
static struct line_last *source_before(struct line_lane *lane, const struct stream *s, const struct branch *b)
{
	const bool open = lane->open || thread_of(b) != line_thread(s);

	lane->open = false;
	return open ? &lane->last : NULL;
}

static int pages_write(void *data, const void *text, size_t len)
{
	struct listing *l = data;

	sink_write(l, text, len);
	return pd_output_failed(&l->write.out);
}

/* ---- samples ---------------------------------------------------------------------------------- */

/*
 * Finds the names of a branch, and adds its line with them. `thread`: which executed it; `before`:
 * source_before().
 */
static void add_named(struct listing *ls, const struct stream *s, const struct page_branch *b,
		      uint64_t thread, struct line_last *before)
{
	const struct symbols *sy = ls->line.symbols;
	struct names_valid valid = { .spaces = symbols_spaces(s) };
	struct symbol_names from, to;
	uint64_t from_valid;

	ls->line.last = before;
	from = line_find(&ls->line, s, b->from, thread).at->names;
	from_valid = symbols_valid(sy, b->from);
	ls->line.last = NULL;
	to = line_find(&ls->line, s, b->to, line_thread(s)).at->names;
	if (!before)
		valid.batch = from_valid < UINT64_MAX ? from_valid : symbols_valid(sy, b->to);
	pages_named(ls->keep.pages, b, &valid, &from, &to);
}

/* As on_branch(), in a page of lines that another thread prints. */
static int on_branch_paged(void *data, const struct stream *s, const struct branch *b)
{
	struct listing *ls = data;
	struct line_lane *lane = lane_of(ls, s);
	const struct page_branch line = {
		.time = b->time,
		.from = b->from,
		.to = b->to,
		.who = who_of(s, b),
		.kind = b->kind | (b->ends_trace ? PAGE_ENDS_TRACE : 0),
	};
	struct line_last *before;
	struct names_valid now;

	if (!(ls->line.fields & LISTING_NAMES)) {
		pages_branch(ls->keep.pages, &line);
		return pages_failed(ls->keep.pages);
	}
	before = source_before(lane, s, b);
	now = (struct names_valid){ .spaces = symbols_spaces(s), .batch = ls->line.symbols->batch };
	if (before || !pages_known(ls->keep.pages, &line, &now))
		add_named(ls, s, &line, thread_of(b), before);
	return pages_failed(ls->keep.pages);
}

/* As on_taken(), in a page. */
static int on_taken_paged(void *data, const struct stream *s, const struct cst_branch *b, size_t n)
{
	const struct page_branch common = { .time = s->time, .who = who_runs(s) };
	struct listing *ls = data;

	lane_of(ls, s);
	pages_taken(ls->keep.pages, &common, b, n);
	return pages_failed(ls->keep.pages);
}

/* Fields of the branch instruction. */
static void put_source(struct listing *ls, const struct stream *s, const struct branch *b)
{
	struct line *l = &ls->line;

	if (l->fields & LIST_IPC)
		line_ipc(l, sampler_ipc(ls->sp, s, IPC_BRANCHES));
	if (l->fields & (LIST_INSN | LIST_INSNLEN | LIST_DISASM))
		code_insn(l, ls->disasm, s, b->from, b->size, (enum cst_isa)b->isa);
}

static int on_branch(void *data, const struct stream *s, const struct branch *b)
{
	struct listing *ls = data;
	struct line_lane *lane = begin(ls, s, b->time);
	const struct line_who who = who_of(s, b);
	struct line_last *before;
	struct line *l = &ls->line;

	l->last = before = source_before(lane, s, b);
	line_start(l, &who, b->time, false, 1, ls->branches);
	line_flags(l, branch_ip_flags(b));
	if (l->fields & LIST_CALLINDENT)
		callindent_put(l, s, b, sampler_depth(s), &lane->spacing);
	if (branch_line_from(l, b->from))
		line_names(l, s, b->from, thread_of(b));
	l->last = NULL;
	if (branch_line_to(l, b->to))
		line_names(l, s, b->to, line_thread(s));
	l->last = before;
	if (l->fields & LIST_SRCLINE)
		line_source(l, s, b->from, thread_of(b), "\n  ");
	if (l->fields & (LIST_IPC | LIST_INSN | LIST_INSNLEN | LIST_DISASM))
		put_source(ls, s, b);
	line_end(l);
	return 0;
}

/* Prints branches in lines that branch_line_is_short(). Returns `end`. */
static const struct cst_branch *short_lines(struct line *l, struct merge_lane *ln, uint64_t time, const struct cst_branch *b,
					    const struct cst_branch *end)
{
	struct branch_text t = { .to_upper = text_hex_upper(0) };

	for (; b < end; b++) {
		t.from_upper = (b->from ^ t.to) >> 32 ? text_hex_upper(b->from) : t.to_upper;
		t.to_upper = (b->to ^ b->from) >> 32 ? text_hex_upper(b->to) : t.from_upper;
		t.from = b->from;
		t.to = b->to;
		branch_line_short(l, ln, time, &t);
	}
	return end;
}

/* Prints branches, of whose instructions nothing but the addresses is printed. */
static int on_taken(void *data, const struct stream *s, const struct cst_branch *b, size_t n)
{
	const struct cst_branch *end = b + n;
	const struct line_who who = who_runs(s);
	struct listing *ls = data;
	struct line_lane *lane = lane_of(ls, s);
	struct line *l = &ls->line;

	while (b < end) {
		line_begin(l, lane->ln, NULL, s->time);
		line_start(l, &who, s->time, false, 1, ls->branches);
		if (l->fields & LIST_FLAGS)
			line_flags(l, branch_ip_flags_of(branch_kind_listed(b), false));
		branch_line_from(l, b->from);
		branch_line_to(l, b->to);
		line_end(l);
		b++;
		if (branch_line_is_short(l))
			b = short_lines(l, lane->ln, s->time, b, end);
	}
	return 0;
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	const struct line_who who = { .pid = i->pid, .tid = i->tid, .cpu = s->cpu, .vm = i->vm,
				      .machine = line_machine(i->guest, &i->host) };
	const uint64_t thread = session_thread_key(i->tid, i->guest, i->host);
	struct listing *ls = data;
	struct line *l = &ls->line;

	begin(ls, s, i->time);
	/* perf aligns the name of a thread unless a call chain follows */
	line_start(l, &who, i->time, i->nr_chain && l->fields & LIST_IP, i->period, ls->insns);
	line_flags(l, 0);
	if (l->fields & LIST_IP && i->nr_chain) {
		stack_chain(l, s, i->chain, i->nr_chain);
	} else if (l->fields & LIST_IP) {
		*l->p++ = ' ';
		l->p = text_hex16(l->p, i->ip);
		line_names(l, s, i->ip, thread);
		if (l->fields & LIST_SRCLINE)
			line_source(l, s, i->ip, thread, "\n  ");
	}
	if (l->fields & (LIST_BRSTACK | LIST_BRSTACKSYM) && i->stack)
		stack_entries(l, s, i->stack);
	if (l->fields & (LIST_INSN | LIST_INSNLEN | LIST_DISASM))
		code_insn(l, ls->disasm, s, i->ip, i->size, (enum cst_isa)i->isa);
	if (l->fields & (LIST_BRSTACKINSN | LIST_BRSTACKDISASM) && i->stack)
		code_stack(l, ls->disasm, s, i->stack, i->ip, (enum cst_isa)i->isa);
	if (l->fields & LIST_IPC)
		line_ipc(l, sampler_ipc(ls->sp, s, IPC_INSNS));
	line_end(l);
	return 0;
}

/* As perf does, whose synthesised events have other default fields. */
static int on_event(void *data, const struct stream *s, const struct event_sample *e)
{
	const struct line_who who = { .pid = e->pid, .tid = e->tid, .cpu = s->cpu, .vm = e->vm,
				      .machine = line_machine(e->guest, &e->host) };
	const uint64_t thread = session_thread_key(e->tid, e->guest, e->host);
	struct listing *ls = data;
	struct line *l = &ls->line;
	const unsigned int fields = l->fields;
	char text[80];
	size_t n;

	if (e->kind != EVENT_TRANSACTION && !ls->period)
		l->fields &= ~(unsigned int)LIST_PERIOD;
	begin(ls, s, e->time);
	line_start(l, &who, e->time, false, 1, ls->events[e->kind]);
	line_flags(l, event_sample_flags(e));
	n = l->fields & LIST_SYNTH ? event_sample_text(text, sizeof(text), e) : 0;
	line_text(l, text, n, 0);
	if (l->fields & LIST_IP) {
		*l->p++ = ' ';
		l->p = text_hex16(l->p, e->ip);
		line_names(l, s, e->ip, thread);
		if (l->fields & LIST_SRCLINE)
			line_source(l, s, e->ip, thread, "\n  ");
	}
	line_end(l);
	l->fields = fields;
	return 0;
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	struct listing *ls = data;

	if (ls->keep.pages) {
		pages_error(ls->keep.pages, s->cpu, e);
		return pages_failed(ls->keep.pages);
	}
	begin(ls, s, e->time);
	error_line(&ls->line, s->cpu, e);
	return 0;
}

/* ---- batches ---------------------------------------------------------------------------------- */

/* Notes whether a branch is open whose source is named. */
static void note_open(const struct stream *s)
{
	struct line_lane *lane = *s->priv ? *sampler_slot(s) : NULL;
	uint64_t last, thread;

	if (!lane)
		return;
	last = sampler_last(s, &thread);
	lane->open = last && last == lane->last.addr && thread == lane->last.thread;
}

static bool has_range(const struct cst_generic *g, size_t n)
{
	while (n && g[n - 1].kind != CST_GEN_RANGE)
		n--;
	return n;
}

/*
 * Names the last instruction if it is a new one. One at the same address that was executed in this batch may be of other code
 * than before.
 */
static void remember_last(struct listing *l, const struct stream *s, const struct cst_generic *g,
			  size_t n)
{
	struct line_lane *lane = lane_of(l, s);
	uint64_t last, thread;

	last = sampler_last(s, &thread);
	if (last && thread == line_thread(s) &&
	    (has_range(g, n) || last != lane->last.addr || thread != lane->last.thread))
		lane->last = (struct line_last){ .addr = last,
						 .thread = thread,
						 .at = *symbols_find(l->line.symbols, s, last) };
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct listing *l = data;
	int rc;

	if (!l->shard.is_shard && !l->keep.pages && pd_output_failed(&l->write.out))
		return ERR_REPORTED;
	if (l->names) {
		symbols_begin(l->line.symbols);
		note_open(s);
	}
	rc = sampler_batch(l->sp, s, g, n);
	if (!rc && l->names)
		remember_last(l, s, g, n);
	return rc;
}

static int on_plan(void *data, const struct stream *s, const struct cst_generic *g, size_t n, struct sample_plan *plan)
{
	const struct listing *l = data;

	return sampler_plan(l->sp, s, g, n, plan);
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct listing *l = data;

	return e->ended ? sampler_fragment_end(l->sp, e->ended) : 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	struct line_lane *lane = *s->priv ? *sampler_slot(s) : NULL;
	struct sampler_seam *seam;
	struct listing *l = data;

	sampler_stream_end(l->sp, s);
	seam = sampler_last_seam(l->sp);
	if (!lane)
		return;
	lane->next = l->shard.done;
	l->shard.done = lane;
	if (!seam)
		return;
	seam->user = lane;
	if (!lane->ln)
		return;
	seam->first = lane->ln->first;
	seam->last = lane->ln->time;
}

/* ---- shards that are decoded in other threads ------------------------------------------------- */

static struct sample_ops make_ops(struct listing *l)
{
	struct sample_ops ops = { .branch = l->keep.pages ? on_branch_paged : on_branch,
				  .insn = on_insn,
				  .error = on_error,
				  .event = itrace_events(&l->o) ? on_event : NULL,
				  .data = l };

	/* what a line shows beyond addresses is looked up branch by branch */
	if (!(l->line.fields & (LISTING_NAMES | LIST_CALLINDENT | LIST_SRCLINE | LISTING_CODE | LIST_INSNLEN)))
		ops.taken = l->keep.pages ? on_taken_paged : on_taken;
	return ops;
}

static void free_lanes(struct line_lane *lane)
{
	struct line_lane *next;

	for (; lane; lane = next) {
		next = lane->next;
		free(lane);
	}
}

static void shard_free(void *shard)
{
	struct listing *l = shard;

	if (!l->shard.taken)
		merge_lanes_drop(&l->shard.lanes);
	merge_lanes_free(&l->shard.lanes);
	free_lanes(l->shard.done);
	sampler_free(l->sp);
	comms_free(l->line.comms);
	free(l->line.symbols);
	pages_free(l->keep.kept);
	free(l);
}

static bool shard_fits(void *data, void *shard)
{
	const struct listing *l = data, *more = shard;

	return sampler_fits(l->sp, more->sp);
}

static void shard_resume(void *data, void *shard)
{
	struct listing *l = data, *more = shard;

	more->shard.from = l;
	/* it is not decoded ahead: its lines are printed at once */
	more->keep.pages = l->keep.pages;
	/* so are its names, which these pages keep by the numbers of batches */
	if (l->names)
		more->line.symbols->batch = l->line.symbols->batch;
	if (l->keep.keeps)
		pages_start(l->keep.pages, session_jobs(l->ss));
	sampler_continue(more->sp, l->sp);
}

/* Returns the lane for the end of a stretch that the previous shard left open; it precedes the next shard. */
static void *seam_lane(void *data, const struct sampler_seam *was)
{
	struct line_lane *lane = mem_zeroed(1, sizeof(*lane));
	struct merge_lanes one = { .v = NULL };
	struct listing *l = data;

	lane->next = l->shard.done;
	l->shard.done = lane;
	copy_last(lane, was->user);
	lane->ln = l->single ? l->single : merge_lanes_add(&one, l->m, 0, was->place);
	if (l->names)
		symbols_begin(l->line.symbols);
	if (!l->single)
		lane->ln->time = was->last;
	merge_lanes_order(&one, l->shard.shards);
	merge_lanes_free(&one);
	return lane;
}

static void open_symbols(struct listing *l)
{
	if (!l->names && !(l->line.fields & LISTING_CODE))
		return;
	l->line.symbols = mem_zeroed(1, sizeof(*l->line.symbols));
}

static void *shard_make(void *data, struct session *ss)
{
	struct listing *whole = data, *l = mem_zeroed(1, sizeof(*l));
	struct sample_ops ops;

	l->ss = ss;
	l->line.fields = whole->line.fields;
	l->o = whole->o;
	l->period = whole->period;
	if (whole->keep.keeps)
		l->keep.pages = l->keep.kept =
			pages_keep(whole->keep.pages, whole->keep.kept_lines);
	ops = make_ops(l);
	l->names = whole->names;
	memcpy(l->branches, whole->branches, sizeof(l->branches));
	memcpy(l->insns, whole->insns, sizeof(l->insns));
	memcpy(l->events, whole->events, sizeof(l->events));
	l->line.event_width = whole->line.event_width;
	l->m = whole->m;
	l->shard.is_shard = true;
	l->sp = sampler_new(&whole->o, &ops, session_read_code);
	l->line.comms = comms_share(whole->line.comms);
	open_symbols(l);
	return l;
}

/* Reports what failed with the temporary file of the output. */
static int temporary_failed(const struct listing *l)
{
	fprintf(stderr, "cstrace script: temporary file: %s\n", merge_why(l->m));
	return ERR_REPORTED;
}

static int shard_take(void *data, void *shard)
{
	struct listing *l = data, *more = shard;
	const struct sampler_seam *seam;
	struct line_lane **last;
	size_t i;
	int rc;

	l->shard.shards += 2;
	if (l->names && more->shard.from)
		l->line.symbols->batch = more->line.symbols->batch;
	rc = sampler_join(l->sp, more->sp, seam_lane, l);
	merge_lanes_order(&more->shard.lanes, l->shard.shards + 1);
	for (i = 0; (seam = sampler_nth_seam(more->sp, i)); i++)
		if (seam->user && !l->keep.keeps)
			merge_lane_floor(((struct line_lane *)seam->user)->ln, seam->floor);
	for (i = 0; l->single && i < more->shard.lanes.nr && !rc; i++)
		if (merge_direct_lane(l->m, more->shard.lanes.v[i]))
			rc = temporary_failed(l);
	if (more->keep.kept && !rc)
		rc = pages_take(l->keep.pages, more->keep.kept);
	/* seams refer to these lanes */
	for (last = &l->shard.done; *last; last = &(*last)->next)
		;
	*last = more->shard.done;
	more->shard.done = NULL;
	more->shard.taken = !rc;
	/* of pages another thread may be writing */
	return rc ? rc : l->keep.pages ? 0 : pd_output_failed(&l->write.out);
}

static void shard_lead(void *shard)
{
	struct listing *l = shard;

	pages_drop(l->keep.kept);
}

static uint64_t digest_text(const char *text, uint64_t digest)
{
	return text ? cst_index_digest(digest, text, strlen(text) + 1) : digest;
}

/* Extends the digest by the names of an open branch's source. */
static uint64_t digest_last(const struct line_lane *lane, uint64_t digest)
{
	const struct symbol_names *names = &lane->last.at.names;

	if (!lane->open)
		return digest;
	digest = digest_text(names->name, digest_text(names->dso, digest));
	return cst_index_digest(digest, &names->offset, sizeof(names->offset));
}

static uint64_t stream_digest(void *data, const struct stream *s, uint64_t digest)
{
	const struct listing *l = data;
	const struct line_lane *lane = *sampler_slot(s);

	digest = sampler_digest(s, digest);
	if (!l->names || !lane)
		return digest;
	note_open(s);
	return digest_last(lane, digest);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void widen(struct listing *l, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (n > l->line.event_width && n < LINE_ROOM / 2)
		l->line.event_width = n;
}

/* perf aligns to the longest name of all events, including those of the input */
static void name_events(struct listing *l, const struct itrace_opts *o)
{
	const struct perfdata *pd = session_perfdata(l->ss);
	const struct perf_event_attr *a = evname_find(pd, session_pmu_type(l->ss));
	unsigned int i;

	evname_make(l->branches, sizeof(l->branches), "branches", a);
	evname_make(l->insns, sizeof(l->insns), "instructions", a);
	for (i = 0; i < EVENT_KINDS; i++) {
		evname_make(l->events[i], sizeof(l->events[i]), event_types[i].name, a);
		if (o->events[i])
			widen(l, l->events[i]);
	}
	name_escape(l->branches, sizeof(l->branches));
	name_escape(l->insns, sizeof(l->insns));
	if (o->branches)
		widen(l, l->branches);
	if (o->instructions)
		widen(l, l->insns);
	for (i = 0; i < perfdata_nr_attrs(pd); i++)
		widen(l, perfdata_attr(pd, i)->name);
}

static void open_code(struct listing *l)
{
	const char *why;

	if (l->line.fields & LIST_SRCLINE)
		l->line.srclines = srclines_new();
	if (!(l->line.fields & (LIST_DISASM | LIST_BRSTACKDISASM)))
		return;
	l->disasm = disasm_new(&why);
	if (!l->disasm)
		fprintf(stderr, "cstrace script: instructions are printed as bytes, without their text: %s\n", why);
}

/* True if the lines of a single stream are printed in threads of their own. */
static bool worth_pages(const struct listing *l)
{
	/* what a line shows beyond names is looked up when it is printed */
	const unsigned int others =
		LISTING_CODE | LIST_INSNLEN | LIST_SRCLINE | LIST_CALLINDENT | LIST_IPC;

	return session_max_streams(l->ss) == 1 && l->o.branches && !l->o.instructions &&
	       !itrace_events(&l->o) && !(l->line.fields & others) && session_jobs(l->ss) > 1;
}

/*
 * True if shards of the trace are decoded side by side and keep their lines: many times the size of
 * the trace. Otherwise one thread decodes for all that print.
 */
static bool worth_keeping(const struct listing *l)
{
	uint64_t largest;
	size_t parts = session_parts(l->ss, &largest);

	if (l->o.skip)
		return false;
	return (parts > 2 && largest <= KEPT_TRACE) || (!l->times && session_divides(l->ss));
}

static void open_pages(struct listing *l)
{
	struct pages_opts o = { .fields = l->line.fields, .event_width = l->line.event_width, .event = l->branches,
				.comms = l->line.comms, .write = pages_write, .data = l };

	l->keep.keeps = worth_keeping(l);
	/* threads that decode may wait for their turn meanwhile */
	o.threads = session_jobs(l->ss);
	l->keep.pages = pages_new(&o);
}

struct listing *listing_open(struct session *ss, const struct listing_opts *opts)
{
	struct listing *l = mem_zeroed(1, sizeof(*l));
	const struct itrace_opts *o = &opts->itrace;
	const unsigned int fields = opts->fields;
	struct merge_sink sink = { .write = sink_write, .data = l };
	const bool one = session_max_streams(ss) == 1;
	struct sample_ops ops;

	l->ss = ss;
	l->times = !one || o->errors || fields & (LIST_TIME | LIST_COMM);
	l->keep.kept_lines = opts->kept_lines ? opts->kept_lines : KEPT_LINES;
	l->o = *o;
	l->o.depth = fields & LIST_CALLINDENT;
	l->o.ipc = fields & LIST_IPC;
	l->line.fields = fields;
	l->period = opts->period;
	l->names = fields & (LIST_SYM | LIST_DSO | LIST_SRCLINE | LIST_CALLINDENT | LISTING_STACK) || o->chain;
	name_events(l, o);
	l->write.buf = mem_new(OUT_BUFFER);
	l->m = merge_new(&sink, NULL);
	l->line.comms = session_comms(ss);
	open_symbols(l);
	open_code(l);
	if (worth_pages(l))
		open_pages(l);
	ops = make_ops(l);
	l->sp = sampler_new(&l->o, &ops, session_read_code);
	if (pd_output_begin(&l->write.out, "cstrace script", opts->output, false)) {
		listing_close(l);
		return NULL;
	}
	l->write.open = true;
	if (one) {
		l->single = merge_lane_new(l->m, 0, 0);
		merge_direct(l->m, l->single);
	}
	return l;
}

/* True if shards of the trace are printed in threads of their own. */
static bool can_divide(const struct listing *l, const struct shard_ops *shards)
{
	/* a disassembler and the DWARF of a file are for one thread */
	return sampler_unit(l->sp) != SAMPLER_ALL && (shards->by_fragment || !l->single) &&
	       !l->disasm && !l->line.srclines;
}

int listing_run(struct listing *l)
{
	struct consumer c = { .data = l, .wants = sampler_wants(l->sp, l->times), .batch = on_batch,
			      .fragment = on_fragment, .stream_end = on_stream_end };
	struct shard_ops shards = { .make = shard_make, .fits = shard_fits, .resume = shard_resume,
				    .take = shard_take, .free = shard_free };
	int rc;

	if (sampler_plans(l->sp))
		c.wants.plan = on_plan;
	/* the bytes of an instruction are read when its line is printed, possibly in the next shard */
	shards.by_fragment = sampler_unit(l->sp) == SAMPLER_FRAGMENT && !(l->line.fields & LISTING_CODE);
	/* with one stream, lines of all branches, a hundred times the size of the trace, are not stored as text */
	shards.by_fragment &= l->keep.keeps || !(l->single && l->o.branches);
	if (l->keep.keeps) {
		shards.max_size = c.wants.times ? KEPT_TRACE : KEPT_PART;
		shards.digest = stream_digest;
		shards.lead = shard_lead;
		shards.first_here = true;
		/* one is printed, which takes half of the time; more small ones, so that no thread waits */
		shards.max_ahead = c.wants.times ? session_jobs(l->ss) : 2 * session_jobs(l->ss);
		if (shards.max_ahead > KEPT_SHARDS)
			shards.max_ahead = KEPT_SHARDS;
	}
	if (can_divide(l, &shards))
		c.shards = &shards;
	rc = session_run(l->ss, &c);
	if (l->keep.pages && !rc)
		rc = pages_finish(l->keep.pages);
	pages_free(l->keep.pages);
	l->keep.pages = NULL;
	if (rc && !l->write.out.error)
		return rc;
	if (!rc) {
		if (merge_finish(l->m))
			return temporary_failed(l);
		pd_output_write(&l->write.out, l->write.buf, l->write.fill);
	}
	rc = pd_output_end_if(&l->write.out, "cstrace script", session_decoded(l->ss));
	l->write.open = false;
	return !rc && l->line.srclines && srclines_unread(l->line.srclines) ? 1 : rc;
}

void listing_close(struct listing *l)
{
	if (!l)
		return;
	pages_free(l->keep.pages);
	if (l->write.open)
		pd_output_abort(&l->write.out);
	sampler_free(l->sp);
	merge_lanes_free(&l->shard.lanes);
	free_lanes(l->shard.done);
	merge_free(l->m);
	comms_free(l->line.comms);
	free(l->line.symbols);
	srclines_free(l->line.srclines);
	disasm_free(l->disasm);
	free(l->write.buf);
	free(l);
}
