/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pages.c - a ring of pages: one thread fills them, all threads print them, and one at a time
 * writes the text. Pages of a shard of the trace are kept in a list instead, until they take their
 * places in the ring.
 */
#include "outputs/listing/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/large.h"
#include "base/workers.h"
#include "outputs/listing/line_page.h"

/*
 * Chunks of text of a page that are kept until it is the page's turn, for lines of 256 bytes and
 * more; longer text is printed then.
 */
#define PAGE_TEXTS	16u
/* Pages per thread: one that it prints, and others so that it finds the next one without waiting. */
#define PAGES_PER_THREAD 3u
#define MAX_PLACES	(PAGES_THREADS * PAGES_PER_THREAD)
/* Bytes that are allocated at a time for pages: some of the processor's large pages. */
#define PAGE_CHUNK		(8u << 20)

/* Memory for pages, which are used again and again until it is freed. */
struct page_chunk {
	struct page_chunk *next;
};

/* A place in the ring. */
struct place {
	struct line_page *page;
	unsigned int nr;	/* number of chunks with text */
	struct kept_text {
		uint8_t *chunk;	/* of MERGE_CHUNK bytes; NULL: none yet */
		size_t len;
	} text[PAGE_TEXTS];
};

/* A thread that prints. */
struct printer {
	struct pages *pg;
	size_t number;	/* of the page that it prints, a job of pages.workers */
	struct merge *m;
	struct merge_lane *lane;
	struct line line;
};

struct pages {
	struct line_page *filling;	/* NULL: none */
	struct branch_texts *texts;	/* NULL: lines have no names */
	int failed;		/* the error when the last page was full */

	/* of pages that are kept: */
	struct pages *whole;	/* the ring that takes them; NULL: this is a ring */
	struct line_page *kept, **last_kept;
	size_t left;		/* number of bytes for further pages and texts */
	uint64_t counted;	/* branch_texts_size() of the pages that are kept */
	bool drops;		/* lines are dropped when their page is full */

	/* of a ring: */
	struct pages_opts o;
	struct workers *workers;	/* a job for each full page; the error ends the output */
	size_t filled;		/* number of full pages */
	struct printer *printer[PAGES_THREADS];	/* the first one is that of the thread that decodes */
	unsigned int nr_printers;
	struct place *place[MAX_PLACES];
	uint32_t nr_places;
	/* with workers_lock(): */
	struct line_page *spare;	/* pages that are not in use */
	struct page_chunk *chunks;
	size_t carved;			/* bytes of the first chunk that belong to pages */
};

static struct place *nth(struct pages *pg, size_t number)
{
	return pg->place[number % pg->nr_places];
}

/* ---- printing ---------------------------------------------------------------------------------- */

static void write_chunk(struct pages *pg, const uint8_t *chunk, size_t len)
{
	if (!workers_error(pg->workers))
		workers_fail(pg->workers, pg->o.write(pg->o.data, chunk, len));
}

/* Writes the text that is kept of the page whose turn it is; nothing after an error. */
static void write_text(struct pages *pg, struct place *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		write_chunk(pg, p->text[i].chunk, p->text[i].len);
	p->nr = 0;
}

/* Writes a chunk of text, or keeps it until the page's turn and returns an empty one. */
static uint8_t *take_text(void *data, uint8_t *chunk, size_t len)
{
	struct printer *pr = data;
	struct place *p = nth(pr->pg, pr->number);
	const bool full = p->nr == PAGE_TEXTS;
	uint8_t *spare;

	if (workers_turn(pr->pg->workers, pr->number, full)) {
		write_text(pr->pg, p);
		write_chunk(pr->pg, chunk, len);
	} else if (!full) {
		spare = p->text[p->nr].chunk;
		p->text[p->nr++] = (struct kept_text){ chunk, len };
		return spare ? spare : mem_new(MERGE_CHUNK);
	}
	return chunk;
}

/* Prints a page, and writes those that are printed and whose turn it is. */
static void print(struct printer *pr, size_t number)
{
	struct pages *pg = pr->pg;

	pr->number = number;
	line_page_print(nth(pg, number)->page, &pr->line, pr->lane, pg->o.event);
	line_page_end(nth(pg, number)->page);
	workers_fail(pg->workers, merge_finish(pr->m));	/* the rest of its lane */
	workers_done(pg->workers, number);
	while (workers_claim(pg->workers, &number)) {
		write_text(pg, nth(pg, number));
		workers_taken(pg->workers);
	}
}

static void *work(void *arg)
{
	struct printer *pr = arg;
	size_t number;

	while (workers_next(pr->pg->workers, &number))
		print(pr, number);
	return NULL;
}

/* Prints in the calling thread, too, until at most that number of pages is not written. */
static void print_until(struct pages *pg, size_t left)
{
	size_t number;

	while (workers_help(pg->workers, left, &number))
		print(pg->printer[0], number);
}

static void printer_free(struct printer *pr)
{
	comms_free(pr->line.comms);
	merge_free(pr->m);
	free(pr);
}

/* Adds a printer. */
static struct printer *printer_new(struct pages *pg)
{
	struct printer *pr = mem_zeroed(1, sizeof(*pr));
	const struct merge_sink sink = { .take = take_text, .data = pr };

	pr->pg = pg;
	pr->line.fields = pg->o.fields;
	pr->line.event_width = pg->o.event_width;
	pr->line.comms = comms_share(pg->o.comms);
	pr->m = merge_new(&sink, NULL);
	pr->lane = merge_lane_new(pr->m, 0, 0);
	merge_direct(pr->m, pr->lane);
	return pg->printer[pg->nr_printers++] = pr;
}

/* ---- filling ----------------------------------------------------------------------------------- */

/* Hands the page in the next place over to the printers. */
static void page_full(struct pages *pg)
{
	pg->filled++;
	pg->filling = NULL;
	pg->failed = workers_error(pg->workers);
	workers_add(pg->workers);
}

/* Returns the next place when it is free; the thread prints until then. */
static struct place *next_place(struct pages *pg)
{
	print_until(pg, pg->nr_places - 1);
	return nth(pg, pg->filled);
}

/* Rounds up to cache lines. */
static size_t whole_lines(size_t size)
{
	return (size + 63) / 64 * 64;
}

/* Called with the lock. */
static struct line_page *make_page(struct pages *whole)
{
	const size_t size = whole_lines(sizeof(struct line_page));
	struct page_chunk *c = whole->chunks;
	struct line_page *p;

	if (!c || whole->carved + size > PAGE_CHUNK) {
		c = large_new(PAGE_CHUNK);
		c->next = whole->chunks;
		whole->chunks = c;
		whole->carved = whole_lines(sizeof(*c));
	}
	p = (struct line_page *)((char *)c + whole->carved);
	p->texts = NULL;
	whole->carved += size;
	return p;
}

static struct line_page *page_new(struct pages *whole)
{
	struct line_page *p;

	workers_lock(whole->workers);
	p = whole->spare;
	if (p)
		whole->spare = p->next;
	else
		p = make_page(whole);
	workers_unlock(whole->workers);
	return p;
}

/* Returns the size of the page that is filled, with the texts that were made for it. */
static size_t size_to_keep(struct pages *pg)
{
	const uint64_t texts = pg->texts ? branch_texts_size(pg->texts) : 0,
		       more = texts - pg->counted;

	pg->counted = texts;
	return sizeof(*pg->filling) + more;
}

/* Keeps the page, if there is one that is filled. Returns the next one, or the same one again if its lines are lost. */
static struct line_page *next_kept(struct pages *pg)
{
	struct line_page *p = pg->filling;
	size_t size;

	/* an output that has ended ends its shards */
	if (!pg->failed)
		pg->failed = workers_error(pg->whole->workers);
	if (p && !pg->failed && !pg->drops) {
		size = size_to_keep(pg);
		if (size > pg->left) {
			pg->failed = SESSION_UNFIT;
		} else {
			pg->left -= size;
			*pg->last_kept = p;
			pg->last_kept = &p->next;
			p->next = NULL;
			p = NULL;
		}
	}
	if (!p)
		return page_new(pg->whole);
	line_page_end(p);
	return p;
}

static void begin_page(struct pages *pg)
{
	line_page_begin(pg->filling, pg->texts ? branch_texts_use(pg->texts) : NULL);
}

/* Returns the next page to fill. */
static struct line_page *__attribute__((noinline)) next_page(struct pages *pg)
{
	if (pg->whole) {
		pg->filling = next_kept(pg);
	} else {
		if (pg->filling)
			page_full(pg);
		pg->filling = next_place(pg)->page;
	}
	begin_page(pg);
	return pg->filling;
}

/* Returns the page to fill, with room for a line. */
static inline struct line_page *page_to_fill(struct pages *pg)
{
	struct line_page *p = pg->filling;

	return __builtin_expect(p && line_page_room(p), 1) ? p : next_page(pg);
}

void pages_branch(struct pages *pg, const struct page_branch *b)
{
	line_page_add_branch(page_to_fill(pg), b);
}

bool pages_known(struct pages *pg, const struct page_branch *b, const struct names_valid *now)
{
	struct line_page *p = page_to_fill(pg);
	const uint32_t text = branch_texts_find(pg->texts, b, now);

	if (text == NO_TEXT)
		return false;
	line_page_add_named(p, b, text);
	return true;
}

void pages_named(struct pages *pg, const struct page_branch *b, const struct names_valid *valid,
		 const struct symbol_names *from, const struct symbol_names *to)
{
	struct line_page *p = page_to_fill(pg);

	if (!branch_texts_room(pg->texts))
		p = next_page(pg);
	line_page_add_named(p, b, branch_texts_add(pg->texts, b, valid, from, to));
}

void pages_taken(struct pages *pg, const struct page_branch *common, const struct cst_branch *b, size_t n)
{
	const bool kinds = (pg->whole ? pg->whole : pg)->o.fields & LIST_FLAGS;
	size_t done;

	for (; n; n -= done, b += done)
		done = line_page_add_taken(page_to_fill(pg), common, b, n, kinds);
}

void pages_error(struct pages *pg, int cpu, const struct error_sample *e)
{
	line_page_add_error(page_to_fill(pg), cpu, e);
}

int pages_failed(const struct pages *pg)
{
	return pg->failed;
}

/* Adds pages to the spare ones. */
static void give_back(struct pages *whole, struct line_page *p)
{
	struct line_page *next;

	workers_lock(whole->workers);
	for (; p; p = next) {
		next = p->next;
		line_page_end(p);
		p->next = whole->spare;
		whole->spare = p;
	}
	workers_unlock(whole->workers);
}

/* Puts a page into the next place. The page that was there becomes a spare one. */
static void put_page(struct pages *pg, struct line_page *p)
{
	struct place *place = next_place(pg);

	place->page->next = NULL;
	give_back(pg, place->page);
	place->page = p;
	page_full(pg);
}

void pages_drop(struct pages *kept)
{
	kept->drops = true;
}

int pages_take(struct pages *pg, struct pages *kept)
{
	struct line_page *p = kept->kept, *next;

	if (pg->filling)
		page_full(pg);
	for (; p; p = next) {
		next = p->next;
		put_page(pg, p);
	}
	kept->kept = NULL;
	kept->last_kept = &kept->kept;
	if (kept->filling)
		put_page(pg, kept->filling);
	kept->filling = NULL;
	return pg->failed;
}

int pages_finish(struct pages *pg)
{
	if (pg->filling)
		page_full(pg);
	print_until(pg, 0);
	return workers_error(pg->workers);
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Makes the ring larger, which is empty. */
static void add_places(struct pages *pg, uint32_t n)
{
	struct place *p;

	while (pg->nr_places < n) {
		p = mem_zeroed(1, sizeof(*p));
		p->page = page_new(pg);
		pg->place[pg->nr_places++] = p;
	}
}

void pages_start(struct pages *pg, unsigned int threads)
{
	if (threads > PAGES_THREADS)
		threads = PAGES_THREADS;
	if (threads <= pg->nr_printers)
		return;
	pages_finish(pg);
	add_places(pg, threads * PAGES_PER_THREAD);
	while (pg->nr_printers < threads && workers_start(pg->workers, work, printer_new(pg)))
		;
}

static struct branch_texts *texts_new(const struct pages_opts *o)
{
	return o->fields & LISTING_NAMES ? branch_texts_new(o->fields) : NULL;
}

struct pages *pages_new(const struct pages_opts *o)
{
	struct pages *pg = mem_zeroed(1, sizeof(*pg));

	pg->o = *o;
	pg->texts = texts_new(o);
	pg->workers = workers_new(PAGES_THREADS - 1, 0, MAX_PLACES);
	add_places(pg, PAGES_PER_THREAD);
	printer_new(pg);
	pages_start(pg, o->threads);
	return pg;
}

struct pages *pages_keep(struct pages *whole, size_t bytes)
{
	struct pages *pg = mem_zeroed(1, sizeof(*pg));

	pg->whole = whole;
	pg->left = bytes;
	pg->last_kept = &pg->kept;
	pg->texts = texts_new(&whole->o);
	pg->filling = page_new(whole);
	begin_page(pg);
	return pg;
}

static void free_place(struct place *p)
{
	unsigned int i;

	line_page_end(p->page);
	for (i = 0; i < PAGE_TEXTS; i++)
		free(p->text[i].chunk);
	free(p);
}

static void free_ring(struct pages *pg)
{
	struct page_chunk *c, *next;

	workers_free(pg->workers);
	while (pg->nr_printers)
		printer_free(pg->printer[--pg->nr_printers]);
	while (pg->nr_places)
		free_place(pg->place[--pg->nr_places]);
	for (c = pg->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
}

void pages_free(struct pages *pg)
{
	if (!pg)
		return;
	if (pg->whole) {
		give_back(pg->whole, pg->kept);
		if (pg->filling)
			pg->filling->next = NULL;
		give_back(pg->whole, pg->filling);
	} else {
		free_ring(pg);
	}
	branch_texts_free(pg->texts);
	free(pg);
}
