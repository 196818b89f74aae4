/* SPDX-License-Identifier: GPL-2.0-only */
/* line_page.c - fills a page with lines, and prints it. */
#include "listing/line_page.h"

/* ---- filling ----------------------------------------------------------------------------------- */

void line_page_begin(struct line_page *p, uint32_t serial)
{
	p->serial = serial;
	p->nr = p->nr_rest = p->nr_names = 0;
}

size_t line_page_bytes(const struct line_page *p)
{
	return offsetof(struct line_page, item) + p->nr * (sizeof(p->item[0]) + (p->nr_names ? sizeof(p->names_of[0]) : 0)) +
	       p->nr_rest * sizeof(p->rest[0]) + p->nr_names * sizeof(p->name[0]);
}

uint32_t line_page_add_name(struct line_page *p, const struct symbol_ref *ref)
{
	if (ref->key->page != p->serial) {
		ref->key->page = p->serial;
		ref->key->in_page = p->nr_names++;
		p->name[ref->key->in_page] = (struct page_name){ .names = ref->at->names, .lookup = ref->at->lookup,
								.number = ref->number };
	}
	return ref->key->in_page;
}

static inline bool is_far(uint64_t from, uint64_t at)
{
	return (from - at) >> PAGE_DISTANCE_BITS;
}

/* Returns 0 if the line has what it needs in common with the line before, else PAGE_NEW_REST. */
static uint64_t rest_of(struct line_page *p, const struct page_branch *b)
{
	struct page_rest *r = &p->rest[p->nr_rest];
	const uint32_t to = (uint32_t)(b->to >> 32);

	if (p->nr_rest && !r[-1].is_error && r[-1].as.branch.time == b->time && r[-1].as.branch.pid == b->pid &&
	    r[-1].as.branch.tid == b->tid && r[-1].as.branch.cpu == b->cpu && r[-1].as.branch.to == to && !is_far(b->from, p->at))
		return 0;
	r->is_error = false;
	r->as.branch.time = b->time;
	r->as.branch.from = p->at = b->from;
	r->as.branch.to = to;
	r->as.branch.pid = b->pid;
	r->as.branch.tid = b->tid;
	r->as.branch.cpu = b->cpu;
	p->nr_rest++;
	return PAGE_NEW_REST;
}

static inline uint64_t item_of(uint64_t from, uint64_t to, uint64_t at, unsigned int flags)
{
	return (uint32_t)to | (from - at) << PAGE_DISTANCE_SHIFT | (uint64_t)flags << PAGE_FLAGS_SHIFT;
}

void line_page_add_branch(struct line_page *p, const struct page_branch *b, uint32_t from, uint32_t to)
{
	const uint64_t new_rest = rest_of(p, b);

	if (p->nr_names) {
		p->names_of[p->nr].from = (uint16_t)from;
		p->names_of[p->nr].to = (uint16_t)to;
	}
	p->item[p->nr++] = item_of(b->from, b->to, p->at, b->flags) | new_rest;
	p->at = b->to;
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
	const size_t room = PAGE_LINES - p->nr;
	const struct cst_generic *begin = g, *end = g + (n < room ? n : room);
	uint64_t *item = p->item + p->nr, *it;
	const uint64_t was = p->at;
	struct page_branch b = *common;
	uint64_t at, new_rest;

	b.from = g->end - g->last_size;
	b.to = g[1].addr;
	new_rest = rest_of(p, &b);
	at = p->at;
	it = flags ? add_near(item, &at, b.to, flags, &g, end) : add_near(item, &at, b.to, NULL, &g, end);
	if (it > item) {
		*item |= new_rest;
		p->nr += (uint32_t)(it - item);
		p->at = at;
	} else {
		p->nr_rest -= new_rest != 0;
		p->at = was;
	}
	return (size_t)(g - begin);
}

void line_page_add_error(struct line_page *p, int cpu, const struct error_sample *e)
{
	struct page_rest *r = &p->rest[p->nr_rest++];

	r->is_error = true;
	r->as.error.sample = *e;
	r->as.error.cpu = cpu;
	p->item[p->nr++] = PAGE_NEW_REST;
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

void line_page_print(const struct line_page *p, struct line *l, struct merge_lane *lane, const char *event)
{
	const uint32_t mask = (1u << PAGE_DISTANCE_BITS) - 1;
	const bool names = l->fields & LISTING_NAMES;
	const struct page_rest *r = p->rest, *next = p->rest;
	uint64_t item, from, at = 0, time;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		item = p->item[i];
		if (item & PAGE_NEW_REST) {
			r = next++;
			at = r->as.branch.from;
		}
		if (__builtin_expect(r->is_error, 0)) {
			line_begin(l, lane, NULL, r->as.error.sample.time);
			error_line(l, r->as.error.cpu, &r->as.error.sample);
			continue;
		}
		time = r->as.branch.time;
		from = at + (item >> PAGE_DISTANCE_SHIFT & mask);
		at = (uint64_t)r->as.branch.to << 32 | (uint32_t)item;
		line_begin(l, lane, NULL, time);
		line_start(l, r->as.branch.cpu, r->as.branch.pid, r->as.branch.tid, time, false, 1, event);
		line_flags(l, item >> PAGE_FLAGS_SHIFT & ((1u << PAGE_FLAGS_BITS) - 1));
		if (branch_line_from(l, from) && names)
			print_name(l, &p->name[p->names_of[i].from]);
		if (branch_line_to(l, at) && names)
			print_name(l, &p->name[p->names_of[i].to]);
		line_end(l);
	}
}
