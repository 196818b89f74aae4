/* SPDX-License-Identifier: GPL-2.0-only */
/* line_page.c - fills a page with lines, and prints it. */
#include "listing/line_page.h"

/* ---- filling ----------------------------------------------------------------------------------- */

void line_page_begin(struct line_page *p, uint32_t serial)
{
	p->serial = serial;
	p->nr = p->nr_names = 0;
	p->rests = PAGE_WORDS;
	p->last = (struct page_last){ .at = 0 };
}

uint32_t line_page_add_name(struct line_page *p, const struct symbol_ref *ref)
{
	if (ref->key->page != p->serial) {
		ref->key->page = p->serial;
		ref->key->in_page = p->nr_names++;
		p->names->name[ref->key->in_page] = (struct page_name){ .names = ref->at->names, .lookup = ref->at->lookup,
								.number = ref->number };
	}
	return ref->key->in_page;
}

static inline bool is_far(uint64_t from, uint64_t at)
{
	return (from - at) >> PAGE_DISTANCE_BITS;
}

static inline size_t words_of(size_t bytes)
{
	return (bytes + 7) / 8;
}

/* Puts a part of a rest below what is there. */
static inline void put_rest(struct line_page *p, const void *part, size_t bytes)
{
	p->rests -= (uint32_t)words_of(bytes);
	memcpy(p->word + p->rests, part, bytes);
}

/* Returns 0 if the line has what it needs in common with the line before, else PAGE_NEW_REST. */
static uint64_t rest_of(struct line_page *p, const struct page_branch *b)
{
	const struct page_thread thread = { .time = b->time, .pid = b->pid, .tid = b->tid, .cpu = b->cpu };
	struct page_rest r = { .from = b->from, .to = (uint32_t)(b->to >> 32), .kind = PAGE_SAME_THREAD };
	struct page_last *last = &p->last;

	if (!last->has_thread || last->thread.time != thread.time || last->thread.pid != thread.pid ||
	    last->thread.tid != thread.tid || last->thread.cpu != thread.cpu)
		r.kind = PAGE_OTHER_THREAD;
	else if (last->is_branch && last->to == r.to && !is_far(b->from, last->at))
		return 0;
	put_rest(p, &r, sizeof(r));
	if (r.kind == PAGE_OTHER_THREAD)
		put_rest(p, &thread, sizeof(thread));
	*last = (struct page_last){ .thread = thread, .at = b->from, .to = r.to, .has_thread = true, .is_branch = true };
	return PAGE_NEW_REST;
}

static inline uint64_t item_of(uint64_t from, uint64_t to, uint64_t at, unsigned int flags)
{
	return (uint32_t)to | (from - at) << PAGE_DISTANCE_SHIFT | (uint64_t)flags << PAGE_FLAGS_SHIFT;
}

void line_page_add_branch(struct line_page *p, const struct page_branch *b, uint32_t from, uint32_t to)
{
	const uint64_t new_rest = rest_of(p, b);

	if (p->names) {
		p->names->of[p->nr].from = (uint16_t)from;
		p->names->of[p->nr].to = (uint16_t)to;
	}
	p->word[p->nr++] = item_of(b->from, b->to, p->last.at, b->flags) | new_rest;
	p->last.at = b->to;
}

/*
 * Adds the lines of ranges from *pg to `end` for as long as the addresses are near: targets have the upper half of `near_to`,
 * sources are near *at, the target before. *pg becomes the first range that is left. Returns the place of the next line.
 */
static inline __attribute__((always_inline)) uint64_t *
add_near(uint64_t *it, uint64_t *at, uint64_t near_to, const unsigned int *flags, const struct cst_generic **pg,
	 const struct cst_generic *end)
{
	const struct cst_generic *g;
	uint64_t from, to, prev = *at;
	bool taken;

	/* without a jump on each range, which could not be predicted: the line of one that was not taken is overwritten */
	for (g = *pg; g < end; g++) {
		from = g->end - g->last_size;
		to = g[1].addr;
		if (__builtin_expect((to ^ near_to) >> 32 || is_far(from, prev), 0))
			break;
		taken = branch_taken(g);
		*it = item_of(from, to, prev, flags ? flags[branch_index(g)] : 0);
		prev = taken ? to : prev;
		it += taken;
	}
	*at = prev;
	*pg = g;
	return it;
}

size_t line_page_add_taken(struct line_page *p, const struct page_branch *common, const unsigned int *flags,
			   const struct cst_generic *g, size_t n)
{
	const size_t room = line_page_room(p);
	const struct cst_generic *begin = g, *end = g + (n < room ? n : room);
	uint64_t *item = p->word + p->nr, *it;
	const struct page_last was = p->last;
	const uint32_t rests = p->rests;
	struct page_branch b = *common;
	uint64_t at, new_rest;

	b.from = g->end - g->last_size;
	b.to = g[1].addr;
	new_rest = rest_of(p, &b);
	at = p->last.at;
	it = flags ? add_near(item, &at, b.to, flags, &g, end) : add_near(item, &at, b.to, NULL, &g, end);
	if (it > item) {
		*item |= new_rest;
		p->nr += (uint32_t)(it - item);
		p->last.at = at;
	} else {
		p->rests = rests;
		p->last = was;
	}
	return (size_t)(g - begin);
}

void line_page_add_error(struct line_page *p, int cpu, const struct error_sample *e)
{
	const struct page_rest r = { .kind = PAGE_ERROR };
	const struct page_error error = { .sample = *e, .cpu = cpu };

	put_rest(p, &r, sizeof(r));
	put_rest(p, &error, sizeof(error));
	p->last.is_branch = false;
	p->word[p->nr++] = PAGE_NEW_REST;
}

/* ---- printing ---------------------------------------------------------------------------------- */

static void print_name(struct line *l, const struct page_name *name)
{
	struct symbol_text *text = name->number < SYMBOLS_CACHE ? &l->symbols.text[name->number] : NULL;

	if (text && text->lookup != name->lookup) {
		text->lookup = name->lookup;
		text->len = 0;
	}
	line_symbol(l, &name->names, text);
}

/* Gets a part of a rest from below `at`, and returns where that part is. */
static inline const uint64_t *get_rest(const uint64_t *at, void *part, size_t bytes)
{
	at -= words_of(bytes);
	memcpy(part, at, bytes);
	return at;
}

void line_page_print(const struct line_page *p, struct line *l, struct merge_lane *lane, const char *event)
{
	const uint32_t mask = (1u << PAGE_DISTANCE_BITS) - 1;
	const bool names = l->fields & LISTING_NAMES;
	const uint64_t *rest = p->word + PAGE_WORDS;
	struct page_rest r = { .kind = PAGE_SAME_THREAD };
	struct page_thread t = { .time = 0 };
	uint64_t item, from, at = 0;
	struct page_error e;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		item = p->word[i];
		if (item & PAGE_NEW_REST) {
			rest = get_rest(rest, &r, sizeof(r));
			if (r.kind == PAGE_ERROR) {
				rest = get_rest(rest, &e, sizeof(e));
				line_begin(l, lane, NULL, e.sample.time);
				error_line(l, e.cpu, &e.sample);
				continue;
			}
			if (r.kind == PAGE_OTHER_THREAD)
				rest = get_rest(rest, &t, sizeof(t));
			at = r.from;
		}
		from = at + (item >> PAGE_DISTANCE_SHIFT & mask);
		at = (uint64_t)r.to << 32 | (uint32_t)item;
		line_begin(l, lane, NULL, t.time);
		line_start(l, t.cpu, t.pid, t.tid, t.time, false, 1, event);
		line_flags(l, item >> PAGE_FLAGS_SHIFT & ((1u << PAGE_FLAGS_BITS) - 1));
		if (branch_line_from(l, from) && names)
			print_name(l, &p->names->name[p->names->of[i].from]);
		if (branch_line_to(l, at) && names)
			print_name(l, &p->names->name[p->names->of[i].to]);
		line_end(l);
	}
}
