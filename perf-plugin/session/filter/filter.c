/* SPDX-License-Identifier: GPL-2.0-only */
/* filter.c - parses the arguments of the filter options, and evaluates the filter. */
#include "base/alloc.h"
#include "session/filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/intmap.h"
#include "base/wide.h"
#include "machine/tasks/comms.h"

#define NS_PER_S	1000000000ull
#define NS_PER_US	1000ull
#define PERCENT		1000000ull	/* percentages are in millionths of one percent */

/* A closed interval; of percentages while `percent` is set. */
struct span {
	uint64_t from, to;
};

struct spans {
	struct span *v;
	size_t nr, cap;
	bool percent;
};

struct names {
	char *pool;		/* all names, each NUL-terminated */
	size_t nr;
};

struct filter {
	struct spans time, cpu, pid, tid;	/* without any: all are selected */
	struct names comm;
	struct comms *comms;
	struct intmap members;	/* threads that were in a selected process -> non-NULL */
};

/* ---- words ------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take_number(const char **p, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	if (!is_digit(**p))
		return false;
	for (; is_digit(**p); (*p)++) {
		if (v > (max - (uint64_t)(**p - '0')) / 10)
			return false;
		v = v * 10 + (uint64_t)(**p - '0');
	}
	*value = v;
	return true;
}

/*
 * Parses 12.345 in units of 1 / `unit`, with as many digits as `unit` has zeros; a fraction may be empty. *last: weight
 * of the last digit.
 */
static bool take_decimal(const char **p, uint64_t unit, uint64_t *value, uint64_t *last)
{
	uint64_t whole, digit = unit;

	*last = unit;
	if (!take_number(p, UINT64_MAX / unit - 1, &whole))
		return false;
	*value = whole * unit;
	if (**p != '.')
		return true;
	for ((*p)++; is_digit(**p); (*p)++) {
		digit /= 10;
		if (!digit)
			return false;	/* finer than the clock */
		*value += (uint64_t)(**p - '0') * digit;
		*last = digit;
	}
	return true;
}

static void add_span(struct spans *s, uint64_t from, uint64_t to)
{
	*ARRAY_ADD(s->v, s->nr, s->cap) = (struct span){ from, to };
}

static int by_start(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* Sorts the spans, of which there is at least one, and merges those that overlap. */
static void tidy(struct spans *s)
{
	size_t i, n = 0;

	qsort(s->v, s->nr, sizeof(*s->v), by_start);
	for (i = 1; i < s->nr; i++) {
		if (s->v[i].from > s->v[n].to)
			s->v[++n] = s->v[i];
		else if (s->v[i].to > s->v[n].to)
			s->v[n].to = s->v[i].to;
	}
	s->nr = n + 1;
}

/* Parsers return a static message, NULL if the text is valid. */
/* 0-3,5 */
static const char *parse_numbers(struct spans *s, const char *p, bool ranges)
{
	static const char *const what[] = {
		"numbers with commas between them, as 100,102",
		"numbers and ranges with commas between them, as 0-3,5",
	};
	uint64_t from, to;

	for (;;) {
		if (!take_number(&p, INT32_MAX, &from))
			return what[ranges];
		to = from;
		if (ranges && *p == '-') {
			p++;
			if (!take_number(&p, INT32_MAX, &to) || to < from)
				return what[ranges];
		}
		add_span(s, from, to);
		if (!*p)
			break;
		if (*p++ != ',')
			return what[ranges];
	}
	tidy(s);
	return NULL;
}

static bool take_percent(const char **p, uint64_t *value)
{
	uint64_t last;

	return take_decimal(p, PERCENT, value, &last) && *(*p)++ == '%' && *value <= 100 * PERCENT;
}

/* 10%-20%,30%-40%; 10%/1,10%/2: the first and second tenth; 10%: the first tenth */
static const char *parse_percent(struct spans *s, const char *p)
{
	static const char what[] = "percentages as 10%-20% or 10%/2, several with commas between them";
	uint64_t from, to, slice;

	s->percent = true;
	for (;;) {
		if (!take_percent(&p, &from))
			return what;
		if (*p == '-') {
			p++;
			if (!take_percent(&p, &to) || to < from)
				return what;
		} else {
			slice = 1;
			if (*p == '/' && (p++, !take_number(&p, 100 * PERCENT, &slice)))
				return what;
			if (!slice || !from || slice > 100 * PERCENT / from)
				return "slices of the recording, of which the last ends at 100%";
			to = from * slice;
			from = to - from;
		}
		add_span(s, from, to);
		while (*p == ' ')
			p++;
		if (!*p)
			return NULL;
		if (*p == ',')
			p++;
		while (*p == ' ')
			p++;
	}
}

/* "1.5,2", "1.5,", ",2"; several with spaces between them */
static const char *parse_time(struct spans *s, const char *p)
{
	static const char what[] = "START,STOP in seconds, either of which may be left out, as 1.5,2 or 1.5, or ,2; "
				   "several with spaces between them; or percentages";
	uint64_t from, to, last;

	if (strchr(p, '%'))
		return parse_percent(s, p);
	for (;;) {
		from = 0;
		to = FILTER_FOREVER;
		if (*p != ',' && !take_decimal(&p, NS_PER_S, &from, &last))
			return what;
		if (*p++ != ',')
			return what;
		if (*p && *p != ' ') {
			if (!take_decimal(&p, NS_PER_S, &to, &last))
				return what;
			/* as `script` prints times: the whole microsecond */
			if (last == NS_PER_US)
				to += NS_PER_US - 1;
		}
		if (to < from)
			return "ranges that do not end before they begin";
		add_span(s, from, to);
		if (!*p)
			break;
		if (*p != ' ')
			return what;
		while (*p == ' ')
			p++;
		if (!*p)
			break;
	}
	tidy(s);
	return NULL;
}

static const char *parse_comm(struct names *n, const char *p)
{
	char *c;

	if (!*p || *p == ',' || strstr(p, ",,") || p[strlen(p) - 1] == ',')
		return "names of threads with commas between them";
	n->pool = mem_text(p);
	n->nr = 1;
	for (c = n->pool; *c; c++) {
		if (*c != ',')
			continue;
		*c = 0;
		n->nr++;
	}
	return NULL;
}

static const char *parse(struct filter *f, enum filter_word word, const char *text)
{
	switch (word) {
	case FILTER_TIME:
		return parse_time(&f->time, text);
	case FILTER_CPU:
		return parse_numbers(&f->cpu, text, true);
	case FILTER_PID:
		return parse_numbers(&f->pid, text, false);
	case FILTER_TID:
		return parse_numbers(&f->tid, text, false);
	case FILTER_COMM:
		return parse_comm(&f->comm, text);
	}
	return NULL;
}

static void clear(struct filter *f)
{
	free(f->time.v);
	free(f->cpu.v);
	free(f->pid.v);
	free(f->tid.v);
	free(f->comm.pool);
	comms_free(f->comms);
	intmap_free(&f->members);
}

bool filter_check(enum filter_word word, const char *text, char *msg, size_t len)
{
	static const char *const names[] = { "time", "cpu", "pid", "tid", "comm" };
	struct filter f = { .comms = NULL };
	const char *wrong = parse(&f, word, text);

	if (wrong)
		snprintf(msg, len, "--%s: found '%s', expected %s", names[word], text, wrong);
	clear(&f);
	return !wrong;
}

void filter_new(struct filter **out, const struct filter_opts *o)
{
	const char *const words[] = { o->time, o->cpu, o->pid, o->tid, o->comm };
	struct filter *f;
	unsigned int i;

	*out = NULL;
	for (i = 0; i < 5 && !words[i]; i++)
		;
	if (i == 5)
		return;
	f = mem_zeroed(1, sizeof(*f));
	for (i = 0; i < 5; i++) {
		/* the texts were checked */
		if (words[i])
			parse(f, (enum filter_word)i, words[i]);
	}
	*out = f;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	clear(f);
	free(f);
}

/* ---- what the file adds ----------------------------------------------------------------------- */

bool filter_needs_span(const struct filter *f)
{
	return f && f->time.percent;
}

static uint64_t part_of(uint64_t whole, uint64_t percent)
{
	return wide_mul_div(whole, percent, 100 * PERCENT);
}

void filter_set_span(struct filter *f, uint64_t first, uint64_t last)
{
	uint64_t whole = last > first ? last - first : 0;
	size_t i;

	if (!f->time.percent)
		return;
	f->time.percent = false;
	for (i = 0; i < f->time.nr; i++) {
		struct span *s = &f->time.v[i];
		bool open = s->to == 100 * PERCENT;

		s->from = first + part_of(whole, s->from);
		s->to = first + part_of(whole, s->to);
		/* the end belongs to the next slice, so that each time is in one slice only */
		if (!open && s->to > s->from)
			s->to--;
	}
	tidy(&f->time);
}

bool filter_needs_comms(const struct filter *f)
{
	return f && f->comm.nr;
}

void filter_set_comms(struct filter *f, struct comms *c)
{
	f->comms = c;
}

/* ---- evaluation -------------------------------------------------------------------------------- */

/* Returns the first span that ends at `v` or later, NULL if there is none. */
static const struct span *span_at(const struct spans *s, uint64_t v)
{
	size_t lo = 0, hi = s->nr;

	BISECT(lo, hi, mid, s->v[mid].to < v);
	return lo < s->nr ? &s->v[lo] : NULL;
}

static bool holds(const struct spans *s, uint64_t v)
{
	const struct span *at = span_at(s, v);

	return at && at->from <= v;
}

bool filter_has_time(const struct filter *f)
{
	return f && f->time.nr;
}

bool filter_cpu(const struct filter *f, int cpu)
{
	return !f->cpu.nr || (cpu >= 0 && holds(&f->cpu, (uint64_t)cpu));
}

bool filter_needs_threads(const struct filter *f)
{
	return f && f->pid.nr;
}

void filter_note_thread(struct filter *f, int pid, int tid)
{
	if (pid < 0 || tid < 0 || !holds(&f->pid, (uint64_t)pid))
		return;
	intmap_put(&f->members, tid, f);
}

bool filter_thread(const struct filter *f, int tid)
{
	if (f->tid.nr && (tid < 0 || !holds(&f->tid, (uint64_t)tid)))
		return false;
	return !f->pid.nr || intmap_get(&f->members, tid);
}

bool filter_overlaps(const struct filter *f, uint64_t from, uint64_t to)
{
	const struct span *at;

	if (!f->time.nr)
		return true;
	at = span_at(&f->time, from);
	return at && at->from <= to;
}

uint64_t filter_edge(const struct filter *f, uint64_t time)
{
	const struct span *at = span_at(&f->time, time);

	if (!at)
		return FILTER_FOREVER;
	if (time < at->from)
		return at->from;
	return at->to == FILTER_FOREVER ? at->to : at->to + 1;
}

uint64_t filter_last(const struct filter *f)
{
	return f->time.nr ? f->time.v[f->time.nr - 1].to : FILTER_FOREVER;
}

bool filter_interrupts(const struct filter *f)
{
	return f->cpu.nr || f->time.nr > 1;
}

static bool comm_wanted(const struct filter *f, const char *comm)
{
	const char *p = f->comm.pool;
	size_t i;

	for (i = 0; i < f->comm.nr; i++, p += strlen(p) + 1)
		if (!strcmp(p, comm))
			return true;
	return false;
}

bool filter_wants(struct filter *f, int cpu, int pid, int tid, uint64_t time)
{
	if (!filter_cpu(f, cpu) || !filter_overlaps(f, time, time) ||
	    (f->pid.nr && (pid < 0 || !holds(&f->pid, (uint64_t)pid))) ||
	    (f->tid.nr && (tid < 0 || !holds(&f->tid, (uint64_t)tid))))
		return false;
	return !f->comm.nr || (f->comms && comm_wanted(f, comms_at(f->comms, tid, time)));
}
