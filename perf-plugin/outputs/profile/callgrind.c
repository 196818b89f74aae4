/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callgrind.c - Callgrind Format (Valgrind manual, "Callgrind Format Specification"), version 1:
 * events Ir, or those of another metric, positions instr and line. The sum of all cost lines
 * outside of calls is the number of instructions.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/version.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/name.h"
#include "outputs/profile/costs.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/places.h"
#include "base/strings.h"
#include "outputs/profile/tree.h"
#include "outputs/profile/whole.h"

struct callgrind {
	const struct whole *w;
	struct functions fs;
	struct call_arcs arcs;
	/* file names: the format defines their numbers where they first occur, "(1) name", then "(1)" */
	struct strings files;
	struct {
		const char *name;
		uint32_t number;
	} last_file;
	bool *defined;			/* functions whose name was written */
	size_t nr_defined;
	bool *objects;			/* binaries whose name was written, the last one for code in none */
	uint32_t binary, function;	/* of the last lines ob=, fn= */
	uint32_t home, file;		/* numbers of the function's file, and of the current one */
	uint64_t total;
	bool started;
	struct lines l;
};

/* Returns the number of a file, from 1; *fresh: its name is to be written. */
static uint32_t file_number(struct callgrind *c, const char *name, bool *fresh)
{
	const size_t before = c->files.n;
	uint32_t number;

	*fresh = false;
	if (name == c->last_file.name)
		return c->last_file.number;
	number = strings_number(&c->files, name);
	*fresh = c->files.n > before;
	c->last_file.name = name;
	c->last_file.number = number + 1;
	return number + 1;
}

/* SPEC=(NUMBER) NAME; the name only where it is defined. */
static void put_spec(struct lines *l, const char *spec, uint32_t number, const char *name)
{
	lines_string(l, spec);
	lines_string(l, "(");
	lines_unsigned(l, number, ')');
	if (name) {
		lines_string(l, " ");
		lines_string(l, name);
	}
	lines_string(l, "\n");
}

static uint32_t put_file(struct callgrind *c, const char *spec, const char *name)
{
	bool fresh;
	uint32_t number = file_number(c, name, &fresh);

	put_spec(&c->l, spec, number, fresh ? name_shown(name) : NULL);
	return number;
}

static void put_object(struct callgrind *c, const char *spec, uint32_t binary)
{
	const struct model *m = c->w->model;
	uint32_t number = binary == CST_COUNT_NO_BINARY ? (uint32_t)m->nr_binaries : binary;
	const char *name = binary == CST_COUNT_NO_BINARY ? "[elsewhere]" : name_shown(m->binaries[binary].is.name);

	put_spec(&c->l, spec, number + 1, c->objects[number] ? NULL : name);
	c->objects[number] = true;
}

static void put_function(struct callgrind *c, const char *spec, uint32_t function)
{
	size_t room = c->nr_defined;
	bool *grown;

	if (function >= room) {
		room = 2 * (size_t)function + 64;
		grown = mem_more(c->defined, room, sizeof(*grown));
		memset(grown + c->nr_defined, 0, (room - c->nr_defined) * sizeof(*grown));
		c->defined = grown;
		c->nr_defined = room;
	}
	put_spec(&c->l, spec, function + 1, c->defined[function] ? NULL : c->fs.v[function].name);
	c->defined[function] = true;
}

/* The source file that a function belongs to: that of its first instruction. */
static const char *home_of(struct callgrind *c, uint32_t function)
{
	const struct function *f = &c->fs.v[function];

	return places_at(c->w->places, f->binary, f->start).file;
}

/* Begins the costs of a function. */
static void enter(struct callgrind *c, uint32_t function)
{
	const uint32_t binary = c->fs.v[function].binary;

	if (c->started && c->function == function)
		return;
	lines_string(&c->l, "\n");
	if (!c->started || c->binary != binary)
		put_object(c, "ob=", binary);
	c->home = c->file = put_file(c, "fl=", home_of(c, function));
	put_function(c, "fn=", function);
	c->started = true;
	c->binary = binary;
	c->function = function;
}

/* Changes the file inside of a function: code of another file was inlined, or ends. */
static void in_file(struct callgrind *c, const char *name)
{
	bool fresh;
	uint32_t number = file_number(c, name, &fresh);

	if (number == c->file && !fresh)
		return;
	put_spec(&c->l, number == c->home ? "fe=" : "fi=", number, fresh ? name_shown(name) : NULL);
	c->file = number;
}

static void put_cost(struct callgrind *c, uint64_t vaddr, unsigned int line, uint64_t cost)
{
	char *p = text_lit(lines_next(&c->l), "0x");

	p = text_hex(p, vaddr, 0);
	*p++ = ' ';
	p = text_unsigned(p, line);
	*p++ = ' ';
	p = text_unsigned(p, cost);
	*p++ = '\n';
	c->l.p = p;
}

/* Writes the costs of each instruction of a binary. */
static void put_binary(struct callgrind *c, const struct model_binary *b)
{
	struct source_place place;
	struct costs costs;
	uint64_t at, vaddr;
	uint32_t function;
	size_t i;

	costs_measured(&costs, c->w->model, b);
	for (i = 0; i < costs.n; i++)
		for (at =
		     costs.v[i].begin; at < costs.v[i].end; at += costs_size(b, &costs.v[i], at)) {
			function = functions_at(&c->fs, b->number, at);
			enter(c, function);
			place = places_at(c->w->places, b->number, at);
			in_file(c, place.file);
			model_vaddr(b, at, &vaddr);
			put_cost(c, vaddr, place.line, costs.v[i].count);
			c->total = model_sum(c->total, costs.v[i].count);
		}
	costs_free(&costs);
}

static void put_elsewhere(struct callgrind *c)
{
	uint64_t insns = c->w->only ? 0 : model_total(c->w->model, "instructions.elsewhere");

	if (!insns)
		return;
	enter(c, FUNCTION_ELSEWHERE);
	put_cost(c, 0, 0, insns);
	c->total = model_sum(c->total, insns);
}

static uint64_t vaddr_of(const struct callgrind *c, uint32_t binary, uint64_t offset)
{
	uint64_t vaddr = 0;

	if (binary != CST_COUNT_NO_BINARY && offset != CST_COUNT_OUTSIDE)
		model_vaddr(&c->w->model->binaries[binary], offset, &vaddr);
	return vaddr;
}

/* Writes one call: its target, their number, and the inclusive cost at the place of the call. */
static void put_call(struct callgrind *c, const struct call_arc *a)
{
	const struct function caller = c->fs.v[a->caller], callee = c->fs.v[a->callee];
	const bool placed = a->binary != CST_COUNT_NO_BINARY && a->from != CST_COUNT_OUTSIDE;
	const uint32_t binary = placed ? a->binary : caller.binary;
	const uint64_t from = placed ? a->from : caller.start;
	struct source_place place = places_at(c->w->places, binary, from);
	char *p;

	enter(c, a->caller);
	in_file(c, place.file);
	if (callee.binary != caller.binary)
		put_object(c, "cob=", callee.binary);
	put_file(c, "cfi=", home_of(c, a->callee));
	put_function(c, "cfn=", a->callee);
	p = text_lit(lines_next(&c->l), "calls=");
	p = text_unsigned(p, a->calls);
	p = text_lit(p, " 0x");
	p = text_hex(p, vaddr_of(c, callee.binary, callee.start), 0);
	*p++ = ' ';
	p = text_unsigned(p, places_at(c->w->places, callee.binary, callee.start).line);
	*p++ = '\n';
	c->l.p = p;
	put_cost(c, vaddr_of(c, binary, from), place.line, a->inclusive);
}

static void put_profile(struct callgrind *c)
{
	const struct model *m = c->w->model;
	const struct metric_words *of = &metric_words[m->metric];
	size_t i;

	lines_string(&c->l, "# callgrind format\nversion: 1\ncreator: perf-cstrace " CST_VERSION_TEXT "\n"
			    "positions: instr line\nevent: ");
	lines_string(&c->l, of->event);
	lines_string(&c->l, "\nevents: ");
	lines_string(&c->l, of->event_name);
	lines_string(&c->l, "\n");
	for (i = 0; i < m->nr_binaries; i++)
		if (whole_has(c->w, (uint32_t)i))
			put_binary(c, &m->binaries[i]);
	put_elsewhere(c);
	for (i = 0; i < c->arcs.n; i++)
		if (whole_has(c->w, c->fs.v[c->arcs.v[i].caller].binary))
			put_call(c, &c->arcs.v[i]);
	lines_string(&c->l, "\ntotals: ");
	lines_unsigned(&c->l, c->total, '\n');
	lines_flush(&c->l);
}

int callgrind_write(struct pd_output *out, const struct whole *w)
{
	struct callgrind *c = mem_zeroed(1, sizeof(*c));

	c->w = w;
	c->objects = mem_zeroed(w->model->nr_binaries + 1, sizeof(*c->objects));
	lines_init(&c->l, out);
	functions_init(&c->fs, w->model, w->demangle);
	call_arcs_init(&c->arcs, &c->fs);
	put_profile(c);
	strings_free(&c->files);
	free(c->defined);
	free(c->objects);
	call_arcs_free(&c->arcs);
	functions_free(&c->fs);
	free(c);
	return 0;
}
