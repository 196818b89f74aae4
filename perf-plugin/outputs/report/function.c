/* SPDX-License-Identifier: GPL-2.0-only */
/* function.c - the page of a function: who called it, what it called, its code with counts and branch directions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "machine/images/dso.h"
#include "outputs/profile/blocks.h"
#include "outputs/report/internal.h"

#define MAX_ARCS	20u	/* rows of callers, and of callees */
#define MAX_TARGETS	4u	/* of a branch */
#define MAX_GAP		64u	/* instructions that were not executed, of a stretch: more are cut ... */
#define GAP_BEGIN	16u	/* ... to these at its begin */

/* The page while it is written. */
struct code {
	struct report *r;
	const struct model_binary *b;
	struct function f;
	const struct costs *measured; /* amounts of another metric; NULL: of instructions */
	uint64_t hottest;	/* executions of its hottest instruction */
	struct at_line at;	/* of the last row */
	size_t rows;		/* instructions that were written */
	uint64_t left;		/* those that were left out */
	uint64_t next;		/* offset behind the last row */
	it_state it;		/* the state there */
};

/* ---- calls ------------------------------------------------------------------------------------ */

static void put_site(struct report *r, const struct call_arc *a)
{
	const struct function *caller = &r->fs.v[a->caller];

	if (a->binary == caller->binary && a->from != CST_COUNT_OUTSIDE)
		page_format(&r->page, "<span class=\"off\"> +0x%" PRIx64 "</span>", a->from - caller->start);
}

static void put_arc(struct report *r, const struct call_arc *a, bool caller)
{
	struct page *p = &r->page;
	uint64_t vaddr = UINT64_MAX;

	page_html(p, "<tr><td class=\"name\">");
	if (caller && a->binary != CST_COUNT_NO_BINARY && a->from != CST_COUNT_OUTSIDE)
		model_vaddr(&r->w->model->binaries[a->binary], a->from, &vaddr);
	report_function(r, caller ? a->caller : a->callee, vaddr);
	if (caller)
		put_site(r, a);
	page_html(p, "</td>");
	page_cell(p, a->calls, true);
	page_cell(p, a->inclusive, true);
	page_html(p, "</tr>\n");
}

static void put_arcs(struct report *r, const char *title, const uint32_t *order, size_t n, bool caller)
{
	struct page *p = &r->page;
	size_t i;

	page_format(p, "<details%s><summary>%s (%zu)</summary>\n", n <= MAX_ARCS ? " open" : "",
		    title, n);
	page_table(p, title, NULL);
	page_format(p,
		    "<tr><th>Function</th><th class=n>Calls</th>"
		    "<th class=n>%s in them</th></tr>\n",
		    report_words(r)->title);
	for (i = 0; i < n && i < MAX_ARCS; i++)
		put_arc(r, &r->arcs.v[order[i]], caller);
	page_table_end(p);
	if (n > MAX_ARCS)
		page_format(p, "<p class=\"note\">%zu more are left out.</p>\n", n - MAX_ARCS);
	page_html(p, "</details>\n");
}

static int compare_inclusive(const void *pa, const void *pb, void *arcs)
{
	const struct call_arc *v = arcs, *a = &v[*(const uint32_t *)pa], *b = &v[*(const uint32_t *)pb];

	if (a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void put_calls(struct report *r, uint32_t function)
{
	size_t lo = 0, hi = r->arcs.n, n;
	uint32_t *order;

	BISECT(lo, hi, mid, r->arcs.v[r->by_callee[mid]].callee < function);
	for (n = 0; lo + n < r->arcs.n && r->arcs.v[r->by_callee[lo + n]].callee == function;)
		n++;
	if (n)
		put_arcs(r, "Called from", r->by_callee + lo, n, true);
	lo = 0;
	hi = r->arcs.n;
	BISECT(lo, hi, mid, r->arcs.v[mid].caller < function);
	for (n = 0; lo + n < r->arcs.n && r->arcs.v[lo + n].caller == function;)
		n++;
	order = mem_array(n + 1, sizeof(*order));
	for (hi = 0; hi < n; hi++)
		order[hi] = (uint32_t)(lo + hi);
	if (n) {
		qsort_r(order, n, sizeof(*order), compare_inclusive, r->arcs.v);
		put_arcs(r, "Calls", order, n, false);
	}
	free(order);
}

/* ---- branches --------------------------------------------------------------------------------- */

/* Writes "+0x1c" with a link, or the name of another function. */
static void put_target(struct code *c, uint64_t to)
{
	struct report *r = c->r;
	struct page *p = &r->page;
	uint32_t function;
	uint64_t vaddr;

	if (to == CST_COUNT_OUTSIDE) {
		page_html(p, "another binary");
		return;
	}
	model_vaddr(c->b, to, &vaddr);
	if (to >= c->f.start && to < c->f.end) {
		page_html(p, "<a href=\"#a");
		page_hex(p, vaddr);
		page_html(p, "\">+0x");
		page_hex(p, to - c->f.start);
		page_html(p, "</a>");
		return;
	}
	function = functions_at(&r->fs, c->b->number, to);
	report_function(r, function, vaddr);
	if (to != r->fs.v[function].start)
		page_format(p, "<span class=\"off\">+0x%" PRIx64 "</span>", to - r->fs.v[function].start);
}

/* Where the branch at an offset went. */
static void put_targets(struct code *c, uint64_t offset, bool counts)
{
	const struct model_binary *b = c->b;
	struct page *p = &c->r->page;
	size_t lo = 0, hi = b->nr_edges, n;

	BISECT(lo, hi, mid, b->edges[mid].from < offset);
	for (n = 0; lo < b->nr_edges && b->edges[lo].from == offset; lo++, n++) {
		if (n >= MAX_TARGETS)
			continue;
		page_html(p, n ? ", &rarr;&nbsp;" : "&rarr;&nbsp;");
		put_target(c, b->edges[lo].to);
		if (counts || n || (lo + 1 < b->nr_edges && b->edges[lo + 1].from == offset)) {
			page_html(p, "&nbsp;&times;");
			page_number(p, b->edges[lo].count);
		}
	}
	if (n > MAX_TARGETS)
		page_format(p, " and %zu more targets", n - MAX_TARGETS);
}

/* The cell of a branch: directions, targets. */
static void put_branch(struct code *c, const struct cst_insn *insn, uint64_t offset, uint64_t count)
{
	struct page *p = &c->r->page;
	struct block_branch br;

	if (!cst_insn_is_branch(insn->type) || !count)
		return;
	if (!blocks_is_conditional(insn)) {
		put_targets(c, offset, insn->type == CST_INSN_INDIRECT && !blocks_is_return(insn));
		return;
	}
	br = blocks_branch(c->b, offset);
	page_html(p, br.taken ? "<span class=\"yes\">taken " : "<span class=\"no\">taken ");
	page_number(p, br.taken);
	page_html(p, br.taken ? "</span> " : "</span>");
	put_targets(c, offset, false);
	page_html(p, br.not_taken ? ", <span class=\"yes\">not&nbsp;taken " : ", <span class=\"no\">not&nbsp;taken ");
	page_number(p, br.not_taken);
	page_html(p, "</span>");
}

/* ---- code ------------------------------------------------------------------------------------- */

/* Begins a row whose text has no number and no address. */
static void begin_wide(struct code *c, const char *class)
{
	page_format(&c->r->page,
		    "<tr class=\"%s\"><td></td>%s<td class=\"addr\"></td><td colspan=\"3\">", class,
		    c->measured ? "<td></td>" : "");
}

/* A row with the source line, where it differs from that of the row before. */
static void put_source(struct code *c, uint64_t offset)
{
	struct report *r = c->r;
	struct source_place place;
	struct at_line at;
	const char *text;
	size_t n;

	if (!places_source(r->w->places, c->b->number))
		return;
	place = places_at(r->w->places, c->b->number, offset);
	at = (struct at_line){ place.line ? report_file_number(&r->coverage, place.file) : UINT32_MAX, place.line };
	if (at.file == UINT32_MAX || !coverage_compare(&at, &c->at))
		return;
	c->at = at;
	begin_wide(c, "src");
	report_place(r, at.file, at.line);
	if (report_source_line(r, at.file, at.line, &text, &n)) {
		page_html(&r->page, " <code>");
		page_source(&r->page, text, n);
		page_html(&r->page, "</code>");
	}
	page_html(&r->page, "</td></tr>\n");
}

/* A class for the background: h0 to h4, by the share of the hottest instruction. */
static unsigned int heat(const struct code *c, uint64_t count)
{
	const double share = c->hottest ? (double)count / (double)c->hottest : 0;

	return share >= 0.75 ? 4 : share >= 0.25 ? 3 : share >= 0.05 ? 2 : share >= 0.001 ? 1 : 0;
}

/* Reads an instruction with the condition of its IT block. *kind: whether the trace shows its effect. */
static bool read_insn(struct code *c, bool t32, uint64_t offset, struct cst_insn *insn, uint32_t *opcode,
		      enum predicated_kind *kind)
{
	const it_state it = t32 && c->next == offset ? c->it : 0;
	unsigned int cond;

	if (!blocks_insn(c->b, t32, offset, insn, opcode))
		return false;
	*kind = predicated_kind(blocks_isa(c->b, t32), insn, *opcode, it, &cond);
	insn->cond |= cst_insn_is_branch(insn->type) && it_state_is_condition(it);
	c->next = offset + insn->size;
	c->it = t32 ? it_state_next(it, insn, *opcode) : 0;
	return true;
}

/* The cell with the executions of an instruction. */
static void put_count(struct page *p, uint64_t count, enum predicated_kind kind)
{
	if (!count || (kind != PREDICATED_INSN && kind != PREDICATED_BRANCH)) {
		page_cell(p, count, count);
		return;
	}
	page_html(p, "<td class=n title=\"under a condition: executed at most as often\">&le;&#8239;");
	page_number(p, count);
	page_html(p, "</td>");
}

static const char *const heats[] = { "\" class=\"h0\">", "\" class=\"h1\">", "\" class=\"h2\">",
				     "\" class=\"h3\">", "\" class=\"h4\">" };

/* A row with the instruction at an offset. */
static void put_insn(struct code *c, bool t32, uint64_t offset, unsigned int size, uint64_t count)
{
	enum predicated_kind kind = PREDICATED_NOT;
	struct report *r = c->r;
	struct page *p = &r->page;
	struct cst_insn insn;
	uint32_t opcode;
	uint64_t vaddr, amount;
	const bool read = read_insn(c, t32, offset, &insn, &opcode, &kind);

	c->rows++;
	put_source(c, offset);
	model_vaddr(c->b, offset, &vaddr);
	page_html(p, "<tr id=\"a");
	page_hex(p, vaddr);
	page_html(p, count ? heats[heat(c, count)] : "\" class=\"z\">");
	put_count(p, count, kind);
	if (c->measured) {
		amount = costs_at(c->measured, t32, offset);
		page_cell(p, amount, amount);
	}
	page_html(p, "<td class=\"addr\">");
	page_hex(p, vaddr);
	page_html(p, "</td><td class=\"off\">+");
	page_hex(p, offset - c->f.start);
	page_html(p, "</td><td class=\"insn\">");
	if (read) {
		if (r->insns.disasm)
			page_text(p, disasm_text(r->insns.disasm, blocks_isa(c->b, t32),
						 CST_PROFILE_A, vaddr, opcode, size));
		page_html(p, "</td><td class=\"dir\">");
		put_branch(c, &insn, offset, count);
	} else {
		page_html(p, "</td><td>");
	}
	page_html(p, "</td></tr>\n");
}

static void put_cut(struct code *c, uint64_t n, const char *what)
{
	struct page *p = &c->r->page;

	begin_wide(c, "cut");
	page_number(p, n);
	page_format(p, " %s not executed</td></tr>\n", what);
	c->at.file = UINT32_MAX;
}

/* Code that was not executed. */
static void put_gap(struct code *c, uint64_t from, uint64_t to)
{
	const bool known = c->b->dso && c->b->dso->image.data && !model_without_file(c->b) &&
			   blocks_isa(c->b, false) == CST_ISA_A64;
	uint64_t n = (to - from) / 4, shown = n <= MAX_GAP ? n : GAP_BEGIN;

	if (c->rows >= REPORT_CODE_ROWS)
		return;
	/* what A32 and T32 have between executed code may be data */
	if (!known || from % 4) {
		put_cut(c, to - from, "bytes");
		return;
	}
	for (n -= shown; shown--; from += 4)
		put_insn(c, false, from, 4, 0);
	if (n)
		put_cut(c, n, "more instructions");
}

static const struct cost *costs_from(const struct costs *costs, uint64_t offset)
{
	size_t lo = 0, hi = costs->n;

	/* those of T32 and A32 may overlap: an earlier one can reach here, but then not only from another function */
	BISECT(lo, hi, mid, costs->v[mid].end <= offset);
	return costs->v + lo;
}

static void put_code(struct code *c, const struct costs *costs)
{
	const struct cost *v = costs_from(costs, c->f.start), *end = costs->v + costs->n;
	uint64_t done = c->f.start, at, size;

	for (; v < end && v->begin < c->f.end; v++) {
		if (v->begin > done)
			put_gap(c, done, v->begin);
		at = v->begin;
		if (at < c->f.start)
			costs_pass(c->b, v, &at, c->f.start);
		for (; at < v->end && at < c->f.end && c->rows < REPORT_CODE_ROWS; at += size) {
			size = costs_size(c->b, v, at);
			put_insn(c, v->t32, at, (unsigned int)size, v->count);
		}
		c->left += costs_pass(c->b, v, &at, c->f.end);
		done = at > done ? at : done;
	}
	if (c->f.end > done && c->f.end != UINT64_MAX)
		put_gap(c, done, c->f.end);
}

static uint64_t hottest(const struct code *c, const struct costs *costs)
{
	const struct cost *v = costs_from(costs, c->f.start), *end = costs->v + costs->n;
	uint64_t most = 0;

	for (; v < end && v->begin < c->f.end; v++)
		most = v->count > most ? v->count : most;
	return most;
}

uint64_t report_executed(struct report *r, const struct function *f)
{
	const struct model_binary *b = &r->w->model->binaries[f->binary];
	const struct costs *costs = report_costs(r, f->binary);
	const struct cost *v = costs_from(costs, f->start), *end = costs->v + costs->n;
	uint64_t at, n = 0;

	for (; v < end && v->begin < f->end; v++) {
		at = v->begin;
		if (at < f->start)
			costs_pass(b, v, &at, f->start);
		n = model_sum(n, model_product(costs_pass(b, v, &at, f->end), v->count));
	}
	return n;
}

/* ---- page ------------------------------------------------------------------------------------- */

/* Links to the frames of the function in the flame graphs. */
static void put_graphs(struct report *r, uint32_t function)
{
	const uint32_t page = report_function_page(r, function);
	const uint8_t graphs = r->paged.graphs[function];
	struct page *p = &r->page;

	if (!graphs)
		return;
	page_html(p, "<p class=\"views\">In the flame graph:");
	if (graphs & GRAPH_DOWN)
		page_format(p, " <a href=\"flame.html#f=%u\">callers on top</a>", page);
	if (graphs & GRAPH_UP)
		page_format(p, " <a href=\"flame-up.html#f=%u\">callees on top</a>", page);
	if (graphs & GRAPH_TIME)
		page_format(p, " <a href=\"timeline.html#f=%u\">in time</a>", page);
	if (graphs & GRAPH_CHANGE)
		page_format(p, " <a href=\"change-flame.html#f=%u\">what changed</a>", page);
	page_html(p, "</p>\n");
}

static void put_head(struct code *c, const struct hot_function *h)
{
	struct report *r = c->r;
	struct page *p = &r->page;
	uint64_t vaddr;

	page_html(p, "<h1 class=\"name\">");
	page_text(p, c->f.name);
	page_html(p, "</h1>\n<p class=\"sub\">");
	page_text(p, c->b->is.name);
	model_vaddr(c->b, c->f.start, &vaddr);
	page_format(p, ", 0x%" PRIx64, vaddr);
	if (c->f.end != UINT64_MAX)
		page_format(p, ", %" PRIu64 " bytes", c->f.end - c->f.start);
	page_html(p, "</p>\n<ul class=\"figures\">\n<li><b>");
	page_number(p, h->insns);
	page_format(p, "</b> %s of its own, %.2f&#8239;%%</li>\n", report_words(r)->unit,
		    r->hot.total ? 100.0 * (double)h->insns / (double)r->hot.total : 0);
	if (c->measured) {
		const uint64_t insns = report_executed(r, &c->f);

		page_html(p, "<li><b>");
		page_number(p, insns);
		page_format(p, "</b> instructions, %.2f %s each</li>\n",
			    insns ? (double)h->insns / (double)insns : 0, report_words(r)->unit);
	}
	if (r->inclusive) {
		page_html(p, "<li><b>");
		page_number(p, r->inclusive[h->index]);
		page_html(p, "</b> with what it called</li>\n<li><b>");
		page_number(p, h->calls);
		page_html(p, "</b> calls</li>\n");
	}
	page_html(p, "</ul>\n");
	put_graphs(r, h->index);
}

void function_write(struct report *r, const struct hot_function *h)
{
	struct code c = { .r = r, .f = r->fs.v[h->index], .at = { .file = UINT32_MAX } };
	struct page *p = &r->page;
	const struct costs *costs = report_costs(r, c.f.binary);
	char name[PAGE_NAME];

	c.b = &r->w->model->binaries[c.f.binary];
	c.measured = r->w->model->metric ? report_measured(r, c.f.binary) : NULL;
	c.hottest = hottest(&c, costs);
	snprintf(name, sizeof(name), "f%u.html", r->paged.function_page[h->index]);
	page_begin(p, name, PAGE_NO_ENTRY, c.f.name, &page_tables);
	put_head(&c, h);
	put_calls(r, h->index);
	page_html(p, "<h2>Code</h2>\n");
	if (!r->insns.disasm)
		page_format(p, "<p class=\"note\">No text of instructions: %s.</p>\n",
			    r->insns.no_disasm);
	page_table(p, "Code", "asm");
	page_html(p, "<tr><th class=n>Executions</th>");
	if (c.measured)
		page_format(p, "<th class=n>%s</th>", report_words(r)->title);
	page_html(p, "<th class=hex>Address</th><th class=hex>Offset</th><th>Instruction</th>"
		     "<th>Branch</th></tr>\n");
	put_code(&c, costs);
	page_table_end(p);
	if (c.left)
		page_format(p, "<p class=\"note\">%" PRIu64 " more executed instructions are left out.</p>\n", c.left);
	page_end(p);
}
