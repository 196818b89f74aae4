/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pages.c - a ring of pages: one thread fills them, all threads print them, and one at a time writes the text. Pages of a
 * shard of the trace are kept in a list instead, until they take their places in the ring.
 */
#include "outputs/listing/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/large.h"
#include "base/thread.h"
#include "outputs/listing/line_page.h"

/* Text of a page that is kept until it is the page's turn; longer text is printed then. */
#define PAGE_TEXT	(1u << 20)
/* Pages per thread: one that it prints, and others so that it finds the next one without waiting. */
#define PAGES_PER_THREAD 3u
/* Bytes that are allocated at a time for pages: some of the processor's large pages. */
#define PAGE_CHUNK		(8u << 20)

enum page_state {
	PAGE_FREE,	/* to be filled, or being filled */
	PAGE_FULL,
	PAGE_PRINTED,
	PAGE_BEING_WRITTEN,
};

/* Memory for pages, which are used again and again until it is freed. */
struct page_chunk {
	struct page_chunk *next;
};

/* A place in the ring. */
struct place {
	enum page_state state;	/* protected by pages.lock */
	uint64_t number;	/* from 1 */
	struct line_page *page;
	size_t len;
	char text[PAGE_TEXT];
};

/* A thread that prints. */
struct printer {
	struct pages *pg;
	struct place *place;
	struct merge *m;
	struct merge_lane *lane;
	struct line line;
};

struct pages {
	struct line_page *filling;	/* NULL: none */
	uint32_t serial;	/* of the page that was begun last */
	int failed;		/* `error` when the last page was full */

	/* of pages that are kept: */
	struct pages *whole;	/* the ring that takes them; NULL: this is a ring */
	struct line_page *kept, **last_kept;
	size_t left;		/* number of bytes for further pages */
	bool drops;		/* lines are dropped when their page is full */

	/* of a ring: */
	struct pages_opts o;
	struct printer *printer[PAGES_THREADS];	/* the first one is that of the thread that decodes */
	pthread_t thread[PAGES_THREADS];
	unsigned int nr_threads;	/* that were begun, without the one that decodes */
	struct place *place[PAGES_THREADS * PAGES_PER_THREAD];

	pthread_mutex_t lock;		/* protects the following fields, and place.state */
	uint32_t nr_places;
	pthread_cond_t full;		/* for printers: enough pages are full, or there will be no more */
	pthread_cond_t turn;		/* for others: a page was written, or the threads end */
	unsigned int awaiting_turn;	/* number of threads that wait for that */
	uint64_t filled, taken, written; /* number of pages that are full, were taken by a printer, are written */
	bool stop;
	int error;			/* value of pages_opts.write, or of merge_finish(), that ended the output */
	struct line_page *spare;	/* pages that are not in use */
	struct page_chunk *chunks;
	size_t carved;			/* bytes of the first chunk that belong to pages */
};

static struct place *nth(const struct pages *pg, uint64_t number)
{
	return pg->place[number % pg->nr_places];
}

/* ---- printing ---------------------------------------------------------------------------------- */

/* Keeps the first error. Called with the lock. */
static void note_error(struct pages *pg, int rc)
{
	if (!pg->error)
		pg->error = rc;
}

/* Writes text of the page whose turn it is; nothing after an error. */
static void write_text(struct pages *pg, const void *text, size_t len)
{
	bool ended;
	int rc;

	pthread_mutex_lock(&pg->lock);
	ended = pg->error || pg->stop;
	pthread_mutex_unlock(&pg->lock);
	if (ended)
		return;
	rc = pg->o.write(pg->o.data, text, len);
	pthread_mutex_lock(&pg->lock);
	note_error(pg, rc);
	pthread_mutex_unlock(&pg->lock);
}

static bool is_turn(struct pages *pg, const struct place *p)
{
	bool turn;

	pthread_mutex_lock(&pg->lock);
	turn = pg->written + 1 == p->number;
	pthread_mutex_unlock(&pg->lock);
	return turn;
}

/* Called with the lock. */
static void wait_for_turn(struct pages *pg)
{
	pg->awaiting_turn++;
	pthread_cond_wait(&pg->turn, &pg->lock);
	pg->awaiting_turn--;
}

/* Waits until all pages before this one are written. They were taken before, so that their threads do not wait. */
static void await_turn(struct pages *pg, const struct place *p)
{
	pthread_mutex_lock(&pg->lock);
	while (pg->written + 1 != p->number && !pg->stop)
		wait_for_turn(pg);
	pthread_mutex_unlock(&pg->lock);
}

/* Keeps text of the page until its turn, or writes it. */
static void add_text(void *data, const void *bytes, size_t len)
{
	struct printer *pr = data;
	struct place *p = pr->place;
	bool turn = is_turn(pr->pg, p);

	if (!turn && len <= sizeof(p->text) - p->len) {
		memcpy(p->text + p->len, bytes, len);
		p->len += len;
		return;
	}
	if (!turn)
		await_turn(pr->pg, p);
	if (p->len)
		write_text(pr->pg, p->text, p->len);
	p->len = 0;
	write_text(pr->pg, bytes, len);
}

/* Writes the printed pages whose turn it is. Called with the lock. */
static void write_printed(struct pages *pg)
{
	struct place *p;

	while (pg->written < pg->taken && (p = nth(pg, pg->written))->state == PAGE_PRINTED) {
		p->state = PAGE_BEING_WRITTEN;
		pthread_mutex_unlock(&pg->lock);
		write_text(pg, p->text, p->len);
		p->len = 0;
		pthread_mutex_lock(&pg->lock);
		p->state = PAGE_FREE;
		pg->written++;
		if (pg->awaiting_turn)
			pthread_cond_broadcast(&pg->turn);
	}
}

/* Prints the next full page; false: there is none. Called with the lock. */
static bool print_next(struct printer *pr)
{
	struct pages *pg = pr->pg;
	struct place *p;
	int rc;

	if (pg->taken == pg->filled)
		return false;
	p = pr->place = nth(pg, pg->taken++);
	pthread_mutex_unlock(&pg->lock);
	line_page_print(p->page, &pr->line, pr->lane, pg->o.event);
	rc = merge_finish(pr->m);	/* the rest of its lane */
	pthread_mutex_lock(&pg->lock);
	note_error(pg, rc);
	p->state = PAGE_PRINTED;
	write_printed(pg);
	return true;
}

static void *work(void *arg)
{
	struct printer *pr = arg;
	struct pages *pg = pr->pg;

	pthread_mutex_lock(&pg->lock);
	while (!pg->stop)
		if (!print_next(pr))
			pthread_cond_wait(&pg->full, &pg->lock);
	pthread_mutex_unlock(&pg->lock);
	return NULL;
}

static void printer_free(struct printer *pr)
{
	if (!pr)
		return;
	comms_free(pr->line.comms);
	free(pr->line.symbols);
	merge_free(pr->m);
	free(pr);
}

static struct printer *printer_new(struct pages *pg)
{
	struct printer *pr = calloc(1, sizeof(*pr));
	const struct merge_sink sink = { .write = add_text, .data = pr };

	if (!pr)
		return NULL;
	pr->pg = pg;
	pr->line.fields = pg->o.fields;
	pr->line.event_width = pg->o.event_width;
	pr->line.comms = comms_share(pg->o.comms);
	if (pg->o.fields & LISTING_NAMES)
		pr->line.symbols = calloc(1, sizeof(*pr->line.symbols));
	pr->m = merge_new(&sink, NULL);
	pr->lane = pr->m ? merge_lane_new(pr->m, 0, 0) : NULL;
	if (pr->line.comms && pr->lane && (pr->line.symbols || !(pg->o.fields & LISTING_NAMES)) &&
	    !merge_direct(pr->m, pr->lane))
		return pr;
	printer_free(pr);
	return NULL;
}

/* ---- filling ----------------------------------------------------------------------------------- */

/* Hands the page in the next place over to the printers, which are woken when they have several. */
static void page_full(struct pages *pg)
{
	pthread_mutex_lock(&pg->lock);
	nth(pg, pg->filled)->state = PAGE_FULL;
	pg->filled++;
	pg->filling = NULL;
	pg->failed = pg->error;
	if (pg->filled - pg->taken >= PAGES_PER_THREAD - 1)
		pthread_cond_broadcast(&pg->full);
	pthread_mutex_unlock(&pg->lock);
}

/* Returns the next place when it is free; the thread prints until then. */
static struct place *next_place(struct pages *pg)
{
	struct place *p;

	pthread_mutex_lock(&pg->lock);
	p = nth(pg, pg->filled);
	while (p->state != PAGE_FREE)
		if (!print_next(pg->printer[0]))
			wait_for_turn(pg);
	pthread_mutex_unlock(&pg->lock);
	p->number = pg->filled + 1;
	return p;
}

/* Rounds up to cache lines. */
static size_t whole_lines(size_t size)
{
	return (size + 63) / 64 * 64;
}

/* Returns memory of this size for a page or its names, NULL if there is none. Called with the lock. */
static void *carve(struct pages *whole, size_t size, bool large)
{
	struct page_chunk *c = whole->chunks;

	size = whole_lines(size);
	if (!c || whole->carved + size > PAGE_CHUNK) {
		c = large ? large_new(PAGE_CHUNK) : malloc(PAGE_CHUNK);
		if (!c)
			return NULL;
		c->next = whole->chunks;
		whole->chunks = c;
		whole->carved = whole_lines(sizeof(*c));
	}
	whole->carved += size;
	return (char *)c + whole->carved - size;
}

/* Called with the lock. */
static struct line_page *make_page(struct pages *whole)
{
	/* pages with names are few, and not full */
	const bool names = whole->o.fields & LISTING_NAMES;
	struct line_page *p = carve(whole, sizeof(*p), !names);

	if (p)
		p->names = names ? carve(whole, sizeof(*p->names), false) : NULL;
	return p && (p->names || !names) ? p : NULL;
}

static struct line_page *page_new(struct pages *whole)
{
	struct line_page *p;

	pthread_mutex_lock(&whole->lock);
	p = whole->spare;
	if (p)
		whole->spare = p->next;
	else
		p = make_page(whole);
	pthread_mutex_unlock(&whole->lock);
	return p;
}

/* Keeps the page, if there is one that is filled. Returns the next one, or the same one again if its lines are lost. */
static struct line_page *next_kept(struct pages *pg)
{
	struct line_page *p = pg->filling;

	if (p && !pg->failed && !pg->drops) {
		if (sizeof(*p) > pg->left) {
			pg->failed = SESSION_UNFIT;
		} else {
			pg->left -= sizeof(*p);
			*pg->last_kept = p;
			pg->last_kept = &p->next;
			p->next = NULL;
			p = NULL;
		}
	}
	if (!p)
		p = page_new(pg->whole);
	if (!p) {
		/* the last page is filled again: its lines are lost, as all others will be */
		pg->failed = ERR_NOMEM;
		p = pg->filling;
	}
	return p;
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
	line_page_begin(pg->filling, ++pg->serial);
	return pg->filling;
}

/* Returns the page to fill, with room for a line. */
static inline struct line_page *page_to_fill(struct pages *pg)
{
	struct line_page *p = pg->filling;

	return __builtin_expect(p && line_page_room(p), 1) ? p : next_page(pg);
}

uint32_t pages_name(struct pages *pg, const struct symbol_ref *ref)
{
	return line_page_add_name(page_to_fill(pg), ref);
}

void pages_branch(struct pages *pg, const struct page_branch *b, uint32_t from, uint32_t to)
{
	line_page_add_branch(page_to_fill(pg), b, from, to);
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

	pthread_mutex_lock(&whole->lock);
	for (; p; p = next) {
		next = p->next;
		p->next = whole->spare;
		whole->spare = p;
	}
	pthread_mutex_unlock(&whole->lock);
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
	int rc;

	if (pg->filling)
		page_full(pg);
	pthread_mutex_lock(&pg->lock);
	pthread_cond_broadcast(&pg->full);
	while (pg->written < pg->filled)
		if (!print_next(pg->printer[0]))
			wait_for_turn(pg);
	rc = pg->error;
	pthread_mutex_unlock(&pg->lock);
	return rc;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Makes the ring larger, which is empty. Without memory it stays as it is. */
static void add_places(struct pages *pg, uint32_t n)
{
	struct place *p;
	uint32_t i;

	for (i = pg->nr_places; i < n; i++) {
		p = calloc(1, sizeof(*p));
		if (p)
			p->page = page_new(pg);
		if (!p || !p->page) {
			free(p);
			break;
		}
		pg->place[i] = p;
	}
	pthread_mutex_lock(&pg->lock);
	pg->nr_places = i;
	pthread_mutex_unlock(&pg->lock);
}

void pages_start(struct pages *pg, unsigned int threads)
{
	unsigned int n = pg->nr_threads + 1;

	if (threads > PAGES_THREADS)
		threads = PAGES_THREADS;
	if (threads <= n)
		return;
	pages_finish(pg);
	add_places(pg, threads * PAGES_PER_THREAD);
	for (; n < threads; n++) {
		if (!pg->printer[n])
			pg->printer[n] = printer_new(pg);
		if (!pg->printer[n] || thread_start(&pg->thread[n - 1], work, pg->printer[n]))
			break;
		pg->nr_threads++;
	}
}

struct pages *pages_new(const struct pages_opts *o)
{
	struct pages *pg = calloc(1, sizeof(*pg));

	if (!pg)
		return NULL;
	pg->o = *o;
	pthread_mutex_init(&pg->lock, NULL);
	pthread_cond_init(&pg->full, NULL);
	pthread_cond_init(&pg->turn, NULL);
	pg->printer[0] = printer_new(pg);
	add_places(pg, PAGES_PER_THREAD);
	if (pg->printer[0] && pg->nr_places == PAGES_PER_THREAD) {
		pages_start(pg, o->threads);
		return pg;
	}
	pages_free(pg);
	return NULL;
}

struct pages *pages_keep(struct pages *whole, size_t bytes)
{
	struct pages *pg = calloc(1, sizeof(*pg));

	if (!pg)
		return NULL;
	pg->whole = whole;
	pg->left = bytes;
	pg->last_kept = &pg->kept;
	pg->filling = page_new(whole);
	if (pg->filling) {
		line_page_begin(pg->filling, ++pg->serial);
		return pg;
	}
	pages_free(pg);
	return NULL;
}

static void end_threads(struct pages *pg)
{
	unsigned int i;

	pthread_mutex_lock(&pg->lock);
	pg->stop = true;
	pthread_cond_broadcast(&pg->full);
	pthread_cond_broadcast(&pg->turn);
	pthread_mutex_unlock(&pg->lock);
	for (i = 0; i < pg->nr_threads; i++)
		pthread_join(pg->thread[i], NULL);
}

static void free_ring(struct pages *pg)
{
	struct page_chunk *c, *next;
	unsigned int i;

	end_threads(pg);
	for (i = 0; i < PAGES_THREADS; i++)
		printer_free(pg->printer[i]);
	for (i = 0; i < pg->nr_places; i++)
		free(pg->place[i]);
	for (c = pg->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	pthread_cond_destroy(&pg->full);
	pthread_cond_destroy(&pg->turn);
	pthread_mutex_destroy(&pg->lock);
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
	free(pg);
}
