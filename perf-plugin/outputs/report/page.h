/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - writes one HTML page of a report. Everything that is not written by this program is escaped by page_text(),
 * page_lines() or page_source(); page_html() takes literals only.
 */
#ifndef CSTRACE_OUTPUTS_REPORT_PAGE_H
#define CSTRACE_OUTPUTS_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/files/outdir.h"

#define PAGE_NAME	48u

/* A script of pages, and the value of script-src that allows it. */
struct page_script {
	const char *text, *source;
};
extern const struct page_script page_tables;	/* sorts and filters the page's tables */
extern const struct page_script page_flame;	/* of a flame graph */

/* Entries of the list of pages at the top of each. */
enum page_entry {
	PAGE_OVERVIEW,
	PAGE_FUNCTIONS,
	PAGE_FLAME,
	PAGE_THREADS,
	PAGE_TIMELINE,
	PAGE_FILES,
	PAGE_CHANGES,
	PAGE_CHANGE_FLAME,
	PAGE_NO_ENTRY
};

struct page {
	struct outdir *out;
	struct error *err;	/* the first error of all pages; nothing is written after it */
	uint32_t entries;	/* bits of enum page_entry that the report has */
	const struct page_script *script; /* of the page that is written */
	char name[PAGE_NAME];
	int fd;
	size_t n;
	char buf[65536];
};

void page_init(struct page *p, struct outdir *out, uint32_t entries, struct error *err);

/*
 * Begins a page: its head, with `title` as a name from the recording or a literal, and the list of
 * pages. page_end() writes its script.
 */
void page_begin(struct page *p, const char *name, enum page_entry entry, const char *title,
		const struct page_script *script);
void page_end(struct page *p);
/* A file that is no page. */
void page_file(struct page *p, const char *name, const char *text);

/* HTML of this program. */
void page_html(struct page *p, const char *html);
/* The same, formatted; strings in it are literals or names of pages. What is behind 512 bytes is cut. */
void page_format(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A name from somewhere else: no markup, no control characters. */
void page_text(struct page *p, const char *name);
/* The same of several lines. */
void page_lines(struct page *p, const char *text, size_t n);
/* A line of a source file: tabs remain. */
void page_source(struct page *p, const char *line, size_t n);
/* An address without 0x: pages of code have several in each row. */
void page_hex(struct page *p, uint64_t v);
/* 1234567 as "1,234,567". */
void page_number(struct page *p, uint64_t v);
/*
 * Begins a table in a box in which it scrolls. `label` is its name for the script and for screen
 * readers; `class` is that of the table, or NULL. A row of <th> follows, whose classes say how a
 * column is sorted: "n" and "bar" by their number, "hex" by an address, others as text.
 */
void page_table(struct page *p, const char *label, const char *class);
void page_table_end(struct page *p);
/* A cell of a table with a number; without one if `known` is false. */
void page_cell(struct page *p, uint64_t v, bool known);
/* A cell with the share that `part` has of `all`, with a bar. */
void page_share(struct page *p, uint64_t part, uint64_t all);

#endif
