/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pages.h - lines of branches that other threads print. The thread that decodes writes what each
 * line shows into a page of memory, or the number of a text if that has names; other threads make
 * text of full pages, which is written in the order of the pages. So the text does not depend on
 * the number of threads, and memory on nothing but that number.
 *
 * Pages of a shard of the trace, which is decoded before it is known whether its result is valid (decode/jobs.c), are
 * kept until then.
 */
#ifndef CSTRACE_OUTPUTS_LISTING_PAGES_H
#define CSTRACE_OUTPUTS_LISTING_PAGES_H

#include "outputs/listing/line_page.h"

/* Maximum number of threads, with the one that decodes: more would wait for that one. */
#define PAGES_THREADS 4u

struct pages;

struct pages_opts {
	unsigned int fields;		/* enum listing_field */
	size_t event_width;
	const char *event;		/* name of the branches' event; kept by the caller */
	const struct comms *comms;	/* kept by the caller */
	unsigned int threads;		/* as for pages_start() */
	/* Writes text, in one thread at a time, in order. Returns 0, or a value that ends the output. */
	int (*write)(void *data, const void *text, size_t len);
	void *data;
};

/* The functions below are for the thread that decodes. */
struct pages *pages_new(const struct pages_opts *o);
/* Makes that number of threads, at most PAGES_THREADS and as many as can be made, fill and print the pages. */
void pages_start(struct pages *pg, unsigned int threads);
/*
 * Keeps pages for `whole`, which may be printing meanwhile, up to a number of bytes. The functions to add lines are for one
 * thread, which need not be that of `whole`. `whole` is freed last.
 */
struct pages *pages_keep(struct pages *whole, size_t bytes);
/* Lines that are added to kept pages from now on are dropped. */
void pages_drop(struct pages *kept);
/* Prints all lines of pages that were kept after those of `pg`. Returns as pages_failed(). */
int pages_take(struct pages *pg, struct pages *kept);
/* Ends the threads; lines that are not written yet are lost. */
void pages_free(struct pages *pg);
/* Adds a line, without names. The threads print it when the page is full. */
void pages_branch(struct pages *pg, const struct page_branch *b);
/*
 * Adds a line with the names of an equal branch before it, as branch_texts_find(). Returns false if
 * there is none: pages_named() is needed.
 */
bool pages_known(struct pages *pg, const struct page_branch *b, const struct names_valid *now);
/* Adds a line with these names, which may be valid for further ones. */
void pages_named(struct pages *pg, const struct page_branch *b, const struct names_valid *valid,
		 const struct symbol_names *from, const struct symbol_names *to);
/* Adds the lines of branches, without names. `common` has their time and thread. */
void pages_taken(struct pages *pg, const struct page_branch *common, const struct cst_branch *b, size_t n);
void pages_error(struct pages *pg, int cpu, const struct error_sample *e);
/*
 * Returns the value of `write` that ended the output, which is that of kept pages, too, ERR_IO, or
 * SESSION_UNFIT (kept pages need too much memory): further lines are lost. 0: they are printed.
 */
int pages_failed(const struct pages *pg);
/* Writes all lines. Returns as pages_failed(). */
int pages_finish(struct pages *pg);

#endif
