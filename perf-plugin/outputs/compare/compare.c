/* SPDX-License-Identifier: GPL-2.0-only */
/* compare.c - pairs the streams of a recording with the cores of the other side, and aligns each pair. */
#include "outputs/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/name.h"
#include "outputs/compare/packets.h"
#include "outputs/compare/report.h"
#include "outputs/compare/sides.h"
#include "session/decode/decode.h"

struct compare {
	struct session *ss;
	const struct compare_opts *o;
	struct model *model;	/* NULL: another recording */
	struct pd_output out;
	struct compare_result *result;
	/* The first difference of each stream. */
	struct packets_place *places;
	size_t nr_places, cap_places;
	bool *compared;		/* cores of the text, by number */
	struct second_facts traced;	/* CPUs of the trace, with another recording; -1: not known which */
	struct second_facts second;
	int failed;		/* first error at a difference or at the end of a stream; 0: none */
};

static void note_error(struct compare *c, int rc)
{
	if (!c->failed)
		c->failed = rc;
}

/* A stream of the trace and its core. */
struct pair {
	struct compare *c;
	struct align *al;
	struct other other;
	struct traced traced;
	struct report report;
	char trace[32];
	uint8_t trace_id;
	bool unpaired;
};

/* The number that a name ends with: 2 of "cluster1.cpu2"; -1: none. */
static int number_of(const char *name)
{
	size_t n = strlen(name), i = n;

	while (i && name[i - 1] >= '0' && name[i - 1] <= '9')
		i--;
	return i < n && n - i < 6 ? atoi(name + i) : -1;
}

/* The core of the text that a CPU is; NULL: none. */
static const char *name_of(const struct compare *c, int cpu)
{
	const char *const *names, *found = NULL;
	size_t n = model_cores(c->model, &names), i;

	for (i = 0; i < c->o->nr_cores; i++)
		if (c->o->cores[i].cpu == cpu)
			return c->o->cores[i].name;
	if (n == 1 && session_max_streams(c->ss) == 1)
		return names[0];
	for (i = 0; i < n; i++)
		if (number_of(names[i]) == cpu) {
			if (found)
				return NULL;	/* of several clusters: the user has to say which */
			found = names[i];
		}
	return found;
}

/* The place of the first difference; at the end of the trace there are no packets. */
static void note_place(struct pair *p, const struct align_diff *diff)
{
	const struct align_insn *insn = align_trace(p->al, diff->trace);
	struct compare *c = p->c;

	if (insn && c->o->shown)
		*ARRAY_ADD(c->places, c->nr_places, c->cap_places) =
			(struct packets_place){ insn->where, p->trace_id, insn->pos,
						mem_text(p->trace) };
}

static int difference(void *data, const struct align_diff *diff)
{
	struct pair *p = data;
	uint64_t number = align_counts(p->al)->differences;

	if (number == 1)
		note_place(p, diff);
	if (number <= p->c->o->shown)
		report_difference(&p->report, p->al, diff, number);
	return 0;
}

static void note_core(struct compare *c, const char *name)
{
	const char *const *names;
	size_t n = model_cores(c->model, &names), i;

	for (i = 0; i < n; i++)
		c->compared[i] |= !strcmp(names[i], name);
}

static int open_other(struct compare *c, struct pair *p, int cpu)
{
	const char *name;

	if (!c->model) {
		p->report.other = "";
		p->report.other_file = c->o->with->input;
		second_add_cpu(&c->traced, cpu);
		return second_core(c->o->with, cpu, &c->second, &p->other);
	}
	name = name_of(c, cpu);
	p->unpaired = !name;
	if (!name)
		return 0;
	note_core(c, name);
	p->report.other = name;
	p->report.other_file = c->o->tarmac;
	p->report.other_is_text = true;
	model_core(c->model, name, &p->other);
	return 0;
}

static void free_pair(struct pair *p)
{
	align_free(p->al);
	if (p->other.close)
		p->other.close(p->other.source);
	free(p);
}

static int new_pair(struct compare *c, const struct stream *s, struct pair **out)
{
	struct pair *p = mem_zeroed(1, sizeof(*p));
	struct align_ops ops = { .difference = difference, .ignore = c->o->ignore };
	int rc;

	p->c = c;
	p->trace_id = s->trace_id;
	snprintf(p->trace, sizeof(p->trace), s->cpu >= 0 ? "CPU %d" : "thread %d", s->cpu >= 0 ? s->cpu : s->tid);
	p->report.out = &c->out;
	p->report.trace = p->trace;
	rc = open_other(c, p, s->cpu);
	if (!rc && !p->unpaired) {
		ops.data = p;
		ops.next = p->other.next;
		ops.source = p->other.source;
		p->al = align_new(&ops);
	}
	if (rc) {
		free_pair(p);
		return rc;
	}
	*out = p;
	return 0;
}

static int put(void *data, const struct align_insn *insn)
{
	return align_put(((struct pair *)data)->al, insn);
}

static bool has_instructions(const struct cst_generic *g, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (g[i].kind == CST_GEN_RANGE)
			return true;
	return false;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct compare *c = data;
	struct pair *p = *s->priv;
	int rc;

	if (!p) {
		/* software trace has no core */
		if (!has_instructions(g, n))
			return 0;
		rc = new_pair(c, s, &p);
		if (rc)
			return rc;
		*s->priv = p;
	}
	return p->unpaired ? 0 : traced_batch(&p->traced, s, g, n, put, p);
}

static void on_stream_end(void *data, const struct stream *s)
{
	const struct align_counts *counts;
	struct compare *c = data;
	struct pair *p = *s->priv;
	int rc;

	if (!p)
		return;
	*s->priv = NULL;
	if (p->unpaired) {
		fprintf(stderr, "%s: %s of the trace is not compared: %s has no core, or more than one, whose name ends with its "
			"number (names in the first 64 MB are known); --core CPU=NAME says which it is\n", c->o->who, p->trace, name_shown(c->o->tarmac));
		c->result->incomplete = true;
	} else {
		/* align_end() reads the rest of the other side, which may fail */
		rc = align_end(p->al);
		note_error(c, rc);
		counts = align_counts(p->al);
		report_sums(&p->report, counts);
		c->result->differences += counts->differences;
		c->result->equal += counts->equal;
	}
	free_pair(p);
}

/* Cores that only the text has are no difference: a recording need not have all CPUs. They are named. */
static void report_cores(struct compare *c)
{
	const char *const *names;
	size_t n = c->model ? model_cores(c->model, &names) : 0, i;

	for (i = 0; i < n; i++)
		if (!c->compared[i])
			pd_output_printf(&c->out, "%s: the instructions of core '%s' are not compared: the trace has no stream of it\n",
					 name_shown(c->o->tarmac), name_shown(names[i]));
}

/* CPUs that only the other recording has, as report_cores(); its losses can hide differences as those of the trace can. */
static void report_second(struct compare *c)
{
	const struct second_facts *second = &c->second;
	const char *name = c->o->with ? name_shown(c->o->with->input) : NULL;
	size_t i;

	for (i = 0; i < second->nr; i++)
		if (!second_has_cpu(&c->traced, -1) && !second_has_cpu(&c->traced, second->cpus[i]))
			pd_output_printf(&c->out, "%s: the instructions of CPU %d are not compared: the trace has no stream of it\n", name,
					 second->cpus[i]);
	if (!second->incomplete)
		return;
	fprintf(stderr, "%s: %s: has losses, too, or nothing that fits the filters; 'perf-cstrace info -i %s' tells\n", c->o->who, name, name);
	c->result->incomplete |= second->lossy;
}

static void report_errors(struct compare *c)
{
	const struct model_errors *e = c->model ? model_errors(c->model) : NULL;

	if (!e || !e->count)
		return;
	fprintf(stderr, "%s: %s: %llu lines are not understood; the first is line %llu, column %u: %s\n", c->o->who, name_shown(c->o->tarmac),
		(unsigned long long)e->count, (unsigned long long)e->line, e->column, e->reason ? e->reason : "");
	c->result->incomplete = true;
}

static int compare_decode(struct compare *c)
{
	const struct consumer con = { .data = c, .batch = on_batch, .stream_end = on_stream_end };
	const char *const *names;
	int rc;

	c->compared =
		mem_zeroed(c->model ? model_cores(c->model, &names) : 1, sizeof(*c->compared));
	if (pd_output_begin(&c->out, c->o->who, c->o->output, false))
		return ERR_REPORTED;
	rc = session_run(c->ss, &con);
	if (!rc) {
		report_cores(c);
		report_second(c);
		session_print_end(c->ss, stderr);
	}
	if (!rc)
		rc = c->failed ? c->failed : packets_print(c->ss, &c->out, c->places, c->nr_places);
	if (rc) {
		pd_output_abort(&c->out);
		return rc;
	}
	report_errors(c);
	if (!c->result->differences && !c->result->equal)
		fprintf(stderr, "%s: %s: no instruction was compared: either this or the trace has none that is known; are the programs "
			"where --symfs%s says?\n", c->o->who, name_shown(c->o->tarmac ? c->o->tarmac : c->o->with->input),
			c->o->with ? " or --with-symfs" : "");
	return pd_output_end_if(&c->out, c->o->who, c->result->differences || c->result->equal);
}

int compare_run(struct session *ss, const struct compare_opts *opts, struct compare_result *result)
{
	struct compare c = { .ss = ss, .o = opts, .result = result };
	size_t i;
	int rc;

	memset(result, 0, sizeof(*result));
	if (opts->with && !second_is_file(opts->who, opts->with->input))
		return ERR_REPORTED;
	if (opts->tarmac) {
		c.model = model_open(opts->who, opts->tarmac);
		if (!c.model)
			return ERR_REPORTED;
	}
	rc = compare_decode(&c);
	model_close(c.model);
	for (i = 0; i < c.nr_places; i++)
		free(c.places[i].title);
	free(c.places);
	free(c.compared);
	free(c.traced.cpus);
	free(c.second.cpus);
	return mem_code(rc) ? ERR_REPORTED : 0;
}
