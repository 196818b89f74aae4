/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph.c - a timeline as text in the form of the function_graph tracer of Linux
 * (kernel/trace/trace_functions_graph.c): each call with its duration, indented below its caller,
 * in the order of time over all CPUs.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/name.h"
#include "base/strings.h"
#include "outputs/timeline/events.h"
#include "outputs/timeline/text.h"
#include "session/decode/branch.h"

enum line_kind {
	LINE_ENTRY,	/* func() { */
	LINE_LEAF,	/* func(); */
	LINE_EXIT,	/* } */
	LINE_ARROW_IN,	/* an interrupt begins */
	LINE_ARROW_OUT,
	LINE_COMMENT,	/* something on a CPU */
};

struct line {
	uint64_t time, order;
	uint64_t duration;
	uint64_t thread;	/* track_thread.key */
	uint32_t name;
	int cpu;	/* LINE_COMMENT */
	uint16_t level;
	uint8_t kind;	/* enum line_kind */
};

/* A call of the present track that has not ended. */
struct open_call {
	const struct calls_slice *call;
	size_t line;	/* its entry; NO_LINE: it is left out */
	bool chosen;	/* it, or a caller, is one of the chosen functions */
};

#define NO_LINE SIZE_MAX

struct last_thread {
	int cpu;
	uint64_t thread;
};

struct graph {
	const struct timeline *t;
	struct text text;
	struct strings names;
	struct track_runs runs;
	struct line *lines;
	size_t nr, cap;
	struct open_call *open;
	size_t nr_open, cap_open;
	struct last_thread *last;
	size_t nr_last, cap_last;
	int cpu_width;	/* digits of the highest CPU */
	/* patterns, each ending with 0; an empty one is the last; NULL: all functions */
	char *functions;
};

/* ---- lines ---------------------------------------------------------------------------------- */

/* The patterns of a list with commas. */
static char *patterns_of(const char *list)
{
	const size_t n = strlen(list);
	char *v = mem_zeroed(1, n + 2), *p;

	memcpy(v, list, n);
	for (p = v; *p; p++)
		if (*p == ',')
			*p = '\0';
	return v;
}

static bool is_chosen(const struct graph *g, const char *name)
{
	const char *p = g->functions;

	if (!p)
		return true;
	for (; *p; p += strlen(p) + 1)
		if (!fnmatch(p, name, 0))
			return true;
	return false;
}

static size_t add(struct graph *g, enum line_kind kind, uint64_t time, uint64_t thread,
		  const char *name)
{
	*ARRAY_ADD(g->lines, g->nr, g->cap) =
		(struct line){ .time = time,
			       .order = g->nr,
			       .thread = thread,
			       .kind = (uint8_t)kind,
			       .cpu = -1,
			       .name = name ? strings_number(&g->names, name) : 0 };
	return g->nr - 1;
}

/* The number of open calls that are shown. */
static uint16_t level_of(const struct graph *g)
{
	size_t i, n = 0;

	for (i = g->nr_open; i > 0 && g->open[i - 1].line == NO_LINE; i--)
		;
	if (i)
		n = g->lines[g->open[i - 1].line].level + 1u;
	return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

/* An interrupt, which is no call of the interrupted function. */
static bool is_interrupt(const struct calls_slice *c)
{
	return c->kind == CST_COUNT_EXCEPTION &&
	       (c->exception == BRANCH_IRQ || c->exception == BRANCH_SERROR);
}

static void on_call(struct graph *g, const struct event *e)
{
	struct open_call *o;
	const bool within = g->nr_open && g->open[g->nr_open - 1].chosen;
	const uint16_t level = level_of(g);
	size_t line = NO_LINE;
	bool chosen = within || is_chosen(g, e->name);

	/* the depth is counted from the chosen functions, as others have no lines */
	if (chosen && (!g->t->opts->graph_depth || level < g->t->opts->graph_depth)) {
		if (is_interrupt(e->call))
			add(g, LINE_ARROW_IN, e->begin, e->call->thread, NULL);
		line = add(g, LINE_ENTRY, e->begin, e->call->thread, e->name);
		g->lines[line].duration = e->end - e->begin;
		g->lines[line].level = level;
	}
	o = ARRAY_ADD(g->open, g->nr_open, g->cap_open);
	*o = (struct open_call){ .call = e->call, .line = line, .chosen = chosen };
}

static void on_event(void *data, const struct event *e)
{
	struct graph *g = data;

	if (e->call)
		on_call(g, e);
	else if (strcmp(e->category, "run"))
		g->lines[add(g, LINE_COMMENT, e->begin, 0, e->name)].cpu = e->track.tid;
}

static void on_end(void *data, const struct event_track *track, uint64_t time)
{
	struct graph *g = data;
	struct open_call o;
	size_t line;

	if (track->cpu || !g->nr_open)
		return;
	o = g->open[--g->nr_open];
	/* what has no end has no duration, and is open as the tracer leaves it */
	if (o.line == NO_LINE || o.call->flags & (CALLS_END_LOST | CALLS_STILL_OPEN))
		return;
	if (o.line + 1 == g->nr) {
		g->lines[o.line].kind = LINE_LEAF;
	} else {
		line = add(g, LINE_EXIT, time, o.call->thread, g->names.v[g->lines[o.line].name]);
		g->lines[line].level = g->lines[o.line].level;
		g->lines[line].duration = g->lines[o.line].duration;
	}
	if (is_interrupt(o.call))
		add(g, LINE_ARROW_OUT, time, o.call->thread, NULL);
}

static void on_name(void *data, const struct event_track *t, const char *name)
{
	(void)data;
	(void)t;
	(void)name;
}

static int by_time(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* ---- text ----------------------------------------------------------------------------------- */

#define DURATION 14 /* width of the column */

/*
 * The sign before a duration that is longer than a power of ten (trace_find_mark() in
 * kernel/trace/trace_output.c).
 */
static char mark_of(uint64_t ns)
{
	static const char marks[] = "+!#*@$";
	uint64_t over = 10000;
	char mark = ' ';
	const char *p;

	for (p = marks; *p && ns > over; p++, over *= 10)
		mark = *p;
	return mark;
}

/* Microseconds, with decimals up to seven digits; or instructions. */
static void put_duration(struct graph *g, uint64_t duration)
{
	char room[48];
	int n;

	if (g->t->by_insns) {
		snprintf(room, sizeof(room), "  %" PRIu64 " ", duration);
	} else {
		n = snprintf(room, sizeof(room), "%c %" PRIu64, mark_of(duration), duration / 1000);
		/* at most three decimals, as far as eight characters hold the number */
		if (n < 9) {
			n += snprintf(room + n, sizeof(room) - (size_t)n, ".%03u",
				      (unsigned int)(duration % 1000));
			n = n < 10 ? n : 10;
		}
		snprintf(room + n, sizeof(room) - (size_t)n, " us ");
	}
	text_put(&g->text, "%-*s|  ", DURATION, room);
}

static void set_cpu_width(struct graph *g)
{
	int highest = 0;
	size_t i;

	for (i = 0; i < g->t->tracks.nr_spans; i++)
		if (g->t->tracks.spans[i].cpu > highest)
			highest = g->t->tracks.spans[i].cpu;
	g->cpu_width = snprintf(NULL, 0, "%d", highest);
}

static void put_cpu(struct graph *g, int cpu)
{
	if (cpu < 0)
		text_put(&g->text, " %*s) ", g->cpu_width, "-");
	else
		text_put(&g->text, " %*d) ", g->cpu_width, cpu);
}

static void put_thread(struct graph *g, uint64_t key, uint64_t time)
{
	const struct track_thread *th = tracks_thread(&g->t->tracks, key);
	char room[64];

	text_put(&g->text, "%.200s",
		 name_shown(timeline_thread_name(g->t, th, time, room, sizeof(room))));
	if (th && th->tid > 0)
		text_put(&g->text, "-%d", th->tid);
}

/* The CPU runs another thread than in the last line of it. */
static void put_switch(struct graph *g, int cpu, const struct line *l)
{
	static const char rule[] = " ------------------------------------------\n";
	struct last_thread *last;
	size_t i;

	for (i = 0; i < g->nr_last && g->last[i].cpu != cpu; i++)
		;
	if (i < g->nr_last && g->last[i].thread == l->thread)
		return;
	text_put_words(&g->text, rule);
	put_cpu(g, cpu);
	text_put_words(&g->text, "  ");
	if (i < g->nr_last)
		put_thread(g, g->last[i].thread, l->time);
	else
		(void)ARRAY_ADD(g->last, g->nr_last, g->cap_last);
	text_put_words(&g->text, "  =>  ");
	put_thread(g, l->thread, l->time);
	text_put_words(&g->text, "\n");
	text_put_words(&g->text, rule);
	text_put_words(&g->text, "\n");
	last = &g->last[i];
	*last = (struct last_thread){ .cpu = cpu, .thread = l->thread };
}

static void put_indent(struct graph *g, unsigned int level)
{
	const unsigned int deepest = 200;

	text_put(&g->text, "%*s", (int)(2 * (level < deepest ? level : deepest)), "");
}

static void put_line(struct graph *g, const struct line *l)
{
	const int cpu =
		l->kind == LINE_COMMENT ? l->cpu : track_runs_cpu(&g->runs, l->thread, l->time);
	const char *name = g->names.n ? name_shown(g->names.v[l->name]) : "";

	if (l->kind != LINE_COMMENT)
		put_switch(g, cpu, l);
	put_cpu(g, cpu);
	if (l->kind == LINE_ARROW_IN || l->kind == LINE_ARROW_OUT) {
		text_put_words(&g->text, l->kind == LINE_ARROW_IN ? "  ==========> |\n" :
								    "  <========== |\n");
		return;
	}
	if (l->kind == LINE_LEAF || l->kind == LINE_EXIT)
		put_duration(g, l->duration);
	else
		text_put(&g->text, "%*s|  ", DURATION, "");
	put_indent(g, l->level);
	/* the entry is among the lines of another CPU */
	if (l->kind == LINE_EXIT &&
	    track_runs_cpu(&g->runs, l->thread, l->time - l->duration) != cpu)
		text_put(&g->text, "} /* %.900s */\n", name);
	else if (l->kind == LINE_EXIT)
		text_put_words(&g->text, "}\n");
	else if (l->kind == LINE_COMMENT)
		text_put(&g->text, "/* %.900s */\n", name);
	else
		text_put(&g->text, l->kind == LINE_LEAF ? "%.900s();\n" : "%.900s() {\n", name);
}

static void put_head(struct graph *g)
{
	text_put_words(&g->text, "# tracer: function_graph\n#\n");
	if (g->t->by_insns)
		text_put_words(&g->text, "# no timestamps: instructions instead of durations\n#\n"
					 "# CPU  INSTRUCTIONS              FUNCTION CALLS\n");
	else
		text_put_words(&g->text, "# CPU  DURATION                  FUNCTION CALLS\n");
	text_put_words(&g->text, "# |     |   |                     |   |   |   |\n");
}

static void release(struct graph *g)
{
	free(g->functions);
	strings_free(&g->names);
	track_runs_free(&g->runs);
	free(g->lines);
	free(g->open);
	free(g->last);
	free(g);
}

static uint64_t write_graph(const struct timeline *t, struct pd_output *out)
{
	static const struct event_sink sink = { on_name, on_name, on_event, on_end };
	struct graph *g = mem_zeroed(1, sizeof(*g));
	uint64_t written;
	size_t i;

	g->t = t;
	g->text.out = out;
	if (t->opts->functions)
		g->functions = patterns_of(t->opts->functions);
	timeline_events(t, &sink, g);
	track_runs_init(&g->runs, &t->tracks);
	/* without timestamps threads have no time in common: they follow each other */
	if (!t->by_insns)
		ARRAY_SORT(g->lines, g->nr, by_time);
	set_cpu_width(g);
	put_head(g);
	for (i = 0; i < g->nr; i++)
		put_line(g, &g->lines[i]);
	text_flush(&g->text);
	written = g->text.written;
	release(g);
	return written;
}

const struct timeline_format timeline_graph = { "function-graph", false, true, write_graph, NULL };
