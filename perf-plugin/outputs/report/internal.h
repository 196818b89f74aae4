/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - what the pages of a report are made of. */
#ifndef CSTRACE_OUTPUTS_REPORT_INTERNAL_H
#define CSTRACE_OUTPUTS_REPORT_INTERNAL_H

#include "outputs/disasm/disasm.h"
#include "outputs/profile/costs.h"
#include "outputs/profile/coverage.h"
#include "outputs/profile/hot.h"
#include "outputs/profile/tree.h"
#include "outputs/report/lines.h"
#include "outputs/report/page.h"
#include "outputs/report/report.h"
#include "outputs/report/tasks.h"
#include "outputs/report/texts.h"

/* Rows of the tables of the overview. */
#define REPORT_TOP	25u
/* Lines of a source file that one page has. */
#define REPORT_LINES	3000u
/* Damaged DWARF has any number; no source has more lines. */
#define REPORT_LAST_LINE	1000000u

/* Flame graphs of all threads, the timeline, and the flame graph of changes. */
enum report_graph { GRAPH_DOWN = 1, GRAPH_UP = 2, GRAPH_TIME = 4, GRAPH_CHANGE = 8 };

struct report {
	const struct whole *w;
	const struct report_about *about;
	const struct report_limits *limits;
	struct functions fs;		/* may get more of them: refer to them by index */
	struct hot hot;
	struct stacks stacks;
	struct tasks tasks;
	uint64_t *inclusive;		/* by function; NULL: the model has no calls */
	struct {
		uint32_t *function_page;	/* by function: the number of its page; 0: none */
		uint8_t *graphs;	/* by function: bits of enum report_graph that show it */
		size_t nr_function_pages;
		/* by number in coverage.files: the number of its page; 0: none */
		uint32_t *file_page;
		size_t nr_files, nr_file_pages;
	} paged;
	size_t nr_functions;		/* functions that these arrays have */
	struct call_arcs arcs;
	uint32_t *by_callee;		/* indexes of the arcs, by callee, then by instructions */
	struct coverage coverage;
	struct report_lines lines;
	uint32_t *files_hottest;	/* numbers of files that have lines, the one with most instructions first */
	struct texts texts;
	struct costs *costs;		/* by binary, found when they are needed */
	bool *has_costs;
	/* with another metric: as `costs`, made for all binaries at once */
	struct costs *measured;
	struct {
		struct disasm *disasm;		/* NULL: there are no texts of instructions */
		const char *no_disasm;		/* why */
	} insns;
	struct page page;
};

/* Returns the executions of a binary's instructions. */
const struct costs *report_costs(struct report *r, uint32_t binary);
/* Their amounts of the metric: the same for METRIC_INSNS. */
const struct costs *report_measured(struct report *r, uint32_t binary);
/* The words for the metric. */
static inline const struct metric_words *report_words(const struct report *r)
{
	return &metric_words[r->w->model->metric];
}
/* Returns the number of a function's page; 0: it has none. */
uint32_t report_function_page(const struct report *r, uint32_t function);
/* Writes a function's name, with a link if it has a page. `fragment`: the address of a row of it; UINT64_MAX: none. */
void report_function(struct report *r, uint32_t function, uint64_t fragment);
/*
 * Begins a link to the code at an offset. Returns the page that it leads to; 0: there is none, and
 * no link was begun.
 */
uint32_t report_code_begin(struct report *r, uint32_t binary, uint64_t offset);
/* Instructions on the page of a function. */
#define REPORT_CODE_ROWS	10000u
/* Returns the instructions that were executed in a function of a binary, whatever the metric. */
uint64_t report_executed(struct report *r, const struct function *f);
/* Writes "name.c:12", with a link if the file has a page. */
void report_place(struct report *r, uint32_t file, unsigned int line);
/* Begins a table of functions; `ranks`: with a column of their ranks. */
void report_function_head(struct report *r, bool ranks);
/* Writes a row of it; rank 0: none. */
void report_function_row(struct report *r, const struct hot_function *h, size_t rank);
/* The name of the page of a source file that has a line (from 1). */
const char *report_source_page(char name[PAGE_NAME], uint32_t page, unsigned int line);
/* The text of a source line; false: it is not at hand. */
bool report_source_line(struct report *r, uint32_t file, unsigned int line, const char **text, size_t *n);

/* Each writes its page, or its pages. */
void overview_write(struct report *r);
void function_list_write(struct report *r);
void function_write(struct report *r, const struct hot_function *h);
void flame_write(struct report *r);
void task_list_write(struct report *r);
void timeline_page_write(struct report *r);
/* With a difference: changes.html, change-flame.html. */
void changes_write(struct report *r);
void change_flame_write(struct report *r);
void files_write(struct report *r);
void source_write(struct report *r, const struct coverage_file *f, uint32_t number);

extern const char report_style[], report_change_style[];
/* Behind page_begin() of a page of changes. */
#define REPORT_CHANGE_STYLE "<link rel=\"stylesheet\" href=\"changes.css\">\n"

#endif
