/* SPDX-License-Identifier: GPL-2.0-only */
/* pages.c - a ring of pages: one thread fills them, all threads print them, and one at a time writes the text. */
#include "listing/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"

#define PAGE_LINES	4096u
#define PAGE_NAMES	(2u * PAGE_LINES)
/* Text of a page that is kept until it is the page's turn; longer text is printed then. */
#define PAGE_TEXT	(1u << 20)
/* Pages per thread: one that it prints, and others so that it finds the next one without waiting. */
#define PAGES_PER_THREAD 3u

enum page_state {
	PAGE_FREE,	/* to be filled, or being filled */
	PAGE_FULL,
	PAGE_PRINTED,
	PAGE_BEING_WRITTEN,
};

/* A line. Small, since it goes from one core to another. */
struct item {
	uint64_t from, to;	/* of a branch */
	unsigned int flags;
	uint32_t rest;		/* index in page.rest */
};

/* What several branches that follow each other have in common, or an error. */
struct rest {
	bool is_error;
	union {
		struct {
			uint64_t time;
			int pid, tid, cpu;
		} branch;
		struct {
			struct error_sample sample;
			int cpu;
		} error;
	} as;
};

struct page {
	enum page_state state;	/* protected by pages.lock */
	uint64_t number;	/* from 1 */
	size_t nr;
	struct item item[PAGE_LINES];
	uint32_t nr_rest;
	struct rest rest[PAGE_LINES];
	struct {
		uint32_t from, to;	/* in name[], if names are printed */
	} names_of[PAGE_LINES];
	uint32_t nr_names;
	struct page_name {
		struct symbol_names names;
		uint64_t lookup;	/* as in struct symbol_at */
		uint32_t number;	/* as in struct symbol_ref */
	} name[PAGE_NAMES];
	size_t len;
	char text[PAGE_TEXT];
};

/* A thread that prints. */
struct printer {
	struct pages *pg;
	struct page *page;
	struct merge *m;
	struct merge_lane *lane;
	struct line line;
};

struct pages {
	struct pages_opts o;
	struct printer *printer[PAGES_THREADS];	/* the first one is that of the thread that decodes */
	pthread_t thread[PAGES_THREADS];
	unsigned int nr_threads;	/* that were begun, without the one that decodes */
	uint32_t nr_pages;
	struct page **page;
	struct page *filling;
	int failed;			/* `error` when the last page was full */

	pthread_mutex_t lock;		/* protects the following fields, and page.state */
	pthread_cond_t full;		/* for printers: enough pages are full, or there will be no more */
	pthread_cond_t turn;		/* for others: a page was written, or the threads end */
	unsigned int awaiting_turn;	/* number of threads that wait for that */
	uint64_t filled, taken, written; /* number of pages that are full, were taken by a printer, are written */
	bool stop;
	int error;			/* value of pages_opts.write, or of merge_finish(), that ended the output */
};

static struct page *nth(const struct pages *pg, uint64_t number)
{
	return pg->page[number % pg->nr_pages];
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

static bool is_turn(struct pages *pg, const struct page *p)
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
static void await_turn(struct pages *pg, const struct page *p)
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
	struct page *p = pr->page;
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

static void print_name(struct line *l, const struct page_name *name)
{
	struct symbol_text *text = name->number < SYMBOLS_CACHE ? &l->symbols.text[name->number] : NULL;

	if (!(l->fields & LISTING_NAMES))
		return;
	if (text && text->lookup != name->lookup) {
		text->lookup = name->lookup;
		text->len = 0;
	}
	line_symbol(l, &name->names, text);
}

static void print_branch(struct printer *pr, const struct page *p, size_t i)
{
	const struct item *it = &p->item[i];
	const struct rest *r = &p->rest[it->rest];
	const uint64_t time = r->as.branch.time;
	struct line *l = &pr->line;

	line_begin(l, pr->lane, NULL, time);
	line_start(l, r->as.branch.cpu, r->as.branch.pid, r->as.branch.tid, time, false, 1, pr->pg->o.event);
	line_flags(l, it->flags);
	if (branch_line_from(l, it->from))
		print_name(l, &p->name[p->names_of[i].from]);
	if (branch_line_to(l, it->to))
		print_name(l, &p->name[p->names_of[i].to]);
	line_end(l);
}

static void print_item(struct printer *pr, const struct page *p, size_t i)
{
	const struct rest *r = &p->rest[p->item[i].rest];

	if (!r->is_error) {
		print_branch(pr, p, i);
		return;
	}
	line_begin(&pr->line, pr->lane, NULL, r->as.error.sample.time);
	error_line(&pr->line, r->as.error.cpu, &r->as.error.sample);
}

/* Writes the printed pages whose turn it is. Called with the lock. */
static void write_printed(struct pages *pg)
{
	struct page *p;

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
	struct page *p;
	size_t i;
	int rc;

	if (pg->taken == pg->filled)
		return false;
	p = pr->page = nth(pg, pg->taken++);
	pthread_mutex_unlock(&pg->lock);
	for (i = 0; i < p->nr; i++)
		print_item(pr, p, i);
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
	pr->m = merge_new(&sink, NULL);
	pr->lane = pr->m ? merge_lane_new(pr->m, 0, 0) : NULL;
	if (pr->line.comms && pr->lane && !merge_direct(pr->m, pr->lane))
		return pr;
	printer_free(pr);
	return NULL;
}

/* ---- filling ----------------------------------------------------------------------------------- */

/* Hands the page over to the printers, which are woken when they have several. */
static void page_full(struct pages *pg)
{
	pthread_mutex_lock(&pg->lock);
	pg->filling->state = PAGE_FULL;
	pg->filled++;
	pg->filling = NULL;
	pg->failed = pg->error;
	if (pg->filled - pg->taken >= PAGES_PER_THREAD - 1)
		pthread_cond_broadcast(&pg->full);
	pthread_mutex_unlock(&pg->lock);
}

/* Returns the next page to fill, when it is free; the thread prints until then. */
static struct page *__attribute__((noinline)) next_page(struct pages *pg)
{
	struct page *p;

	if (pg->filling)
		page_full(pg);
	pthread_mutex_lock(&pg->lock);
	p = nth(pg, pg->filled);
	while (p->state != PAGE_FREE)
		if (!print_next(pg->printer[0]))
			wait_for_turn(pg);
	pthread_mutex_unlock(&pg->lock);
	p->number = pg->filled + 1;
	p->nr = 0;
	p->nr_rest = 0;
	p->nr_names = 0;
	return pg->filling = p;
}

/* Returns the page to fill, with room for a line. */
static inline struct page *page_to_fill(struct pages *pg)
{
	struct page *p = pg->filling;

	return __builtin_expect(p && p->nr < PAGE_LINES, 1) ? p : next_page(pg);
}

uint32_t pages_name(struct pages *pg, const struct symbol_ref *ref)
{
	struct page *p = page_to_fill(pg);

	if (ref->key->page != (uint32_t)p->number) {
		ref->key->page = (uint32_t)p->number;
		ref->key->in_page = p->nr_names++;
		p->name[ref->key->in_page] = (struct page_name){ .names = ref->at->names, .lookup = ref->at->lookup,
								.number = ref->number };
	}
	return ref->key->in_page;
}

/* Returns the index of what the branch and others have in common: that of the line before, or a new one. */
static uint32_t rest_of(struct page *p, const struct page_branch *b)
{
	struct rest *r = &p->rest[p->nr_rest];

	if (p->nr_rest && !r[-1].is_error && r[-1].as.branch.time == b->time && r[-1].as.branch.pid == b->pid &&
	    r[-1].as.branch.tid == b->tid && r[-1].as.branch.cpu == b->cpu)
		return p->nr_rest - 1;
	r->is_error = false;
	r->as.branch.time = b->time;
	r->as.branch.pid = b->pid;
	r->as.branch.tid = b->tid;
	r->as.branch.cpu = b->cpu;
	return p->nr_rest++;
}

void pages_branch(struct pages *pg, const struct page_branch *b, uint32_t from, uint32_t to)
{
	struct page *p = page_to_fill(pg);

	p->names_of[p->nr].from = from;
	p->names_of[p->nr].to = to;
	p->item[p->nr++] = (struct item){ .from = b->from, .to = b->to, .flags = b->flags, .rest = rest_of(p, b) };
}

void pages_taken(struct pages *pg, const struct page_branch *common, const unsigned int flags[BRANCH_INDICES],
		 const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	struct item *it, *last;
	uint32_t rest, nr_rest;
	struct page *p;

	while (g < end) {
		p = page_to_fill(pg);
		nr_rest = p->nr_rest;
		rest = rest_of(p, common);
		last = p->item + PAGE_LINES;
		/* without a branch on each range, which could not be predicted: the line of one that was not taken is overwritten */
		for (it = p->item + p->nr; g < end && it < last; g++) {
			*it = (struct item){ .from = g->end - g->last_size, .to = g[1].addr, .flags = flags[branch_index(g)], .rest = rest };
			it += branch_taken(g);
		}
		if (it == p->item + p->nr)
			p->nr_rest = nr_rest;	/* no line uses it */
		p->nr = (size_t)(it - p->item);
	}
}

void pages_error(struct pages *pg, int cpu, const struct error_sample *e)
{
	struct page *p = page_to_fill(pg);
	struct rest *r = &p->rest[p->nr_rest];

	r->is_error = true;
	r->as.error.sample = *e;
	r->as.error.cpu = cpu;
	p->item[p->nr++].rest = p->nr_rest++;
}

int pages_failed(const struct pages *pg)
{
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

struct pages *pages_new(const struct pages_opts *o)
{
	const unsigned int threads = o->threads < PAGES_THREADS ? o->threads : PAGES_THREADS;
	struct pages *pg = calloc(1, sizeof(*pg));
	unsigned int i;

	if (!pg)
		return NULL;
	pg->o = *o;
	pthread_mutex_init(&pg->lock, NULL);
	pthread_cond_init(&pg->full, NULL);
	pthread_cond_init(&pg->turn, NULL);
	pg->page = calloc(threads * PAGES_PER_THREAD, sizeof(struct page *));
	if (!pg->page)
		goto fail;
	for (; pg->nr_pages < threads * PAGES_PER_THREAD; pg->nr_pages++) {
		pg->page[pg->nr_pages] = calloc(1, sizeof(struct page));
		if (!pg->page[pg->nr_pages])
			goto fail;
	}
	for (i = 0; i < threads; i++) {
		pg->printer[i] = printer_new(pg);
		if (!pg->printer[i])
			goto fail;
	}
	for (; pg->nr_threads + 1 < threads; pg->nr_threads++)
		if (thread_start(&pg->thread[pg->nr_threads], work, pg->printer[pg->nr_threads + 1]))
			break;
	return pg;
fail:
	pages_free(pg);
	return NULL;
}

void pages_free(struct pages *pg)
{
	unsigned int i;

	if (!pg)
		return;
	pthread_mutex_lock(&pg->lock);
	pg->stop = true;
	pthread_cond_broadcast(&pg->full);
	pthread_cond_broadcast(&pg->turn);
	pthread_mutex_unlock(&pg->lock);
	for (i = 0; i < pg->nr_threads; i++)
		pthread_join(pg->thread[i], NULL);
	for (i = 0; i < PAGES_THREADS; i++)
		printer_free(pg->printer[i]);
	for (i = 0; i < pg->nr_pages; i++)
		free(pg->page[i]);
	free(pg->page);
	pthread_cond_destroy(&pg->full);
	pthread_cond_destroy(&pg->turn);
	pthread_mutex_destroy(&pg->lock);
	free(pg);
}
