/* SPDX-License-Identifier: GPL-2.0-only */
/* line_page.c - fills a page with lines, and prints it. */
#include "outputs/listing/line_page.h"

/* ---- filling ----------------------------------------------------------------------------------- */

void line_page_begin(struct line_page *p, struct texts *texts)
{
	p->texts = texts;
	p->nr = 0;
	p->rests = PAGE_WORDS;
	p->last = (struct page_last){ .at = 0 };
	memset(p->upper, 0, sizeof(p->upper));
}

void line_page_end(struct line_page *p)
{
	texts_leave(p->texts);
	p->texts = NULL;
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

/* Place of an upper half in line_page.upper. */
static inline unsigned int page_upper(uint32_t upper)
{
	return upper * 0x9e3779b1u >> (32 - PAGE_UPPER_BITS);
}

/* Returns true if the upper half is in the page's table, where it is put if its place is free. */
static inline bool has_upper(struct line_page *p, uint32_t upper)
{
	uint32_t *at = &p->upper[page_upper(upper)];

	/* the first place is that of 0 */
	if (!*at && at != p->upper)
		*at = upper;
	return *at == upper;
}

/* True if the last branch is one of the same thread and CPU. */
static inline bool same_thread(const struct page_last *last, const struct page_branch *b)
{
	return last->has_thread && line_same_who(&last->thread.who, &b->who);
}

/* Puts the rest of a branch. Returns PAGE_NEW_REST. */
static uint64_t put_branch_rest(struct line_page *p, const struct page_branch *b,
				enum page_rest_kind kind)
{
	const struct page_rest r = { .from = b->from, .to = (uint32_t)(b->to >> 32), .kind = kind };
	const struct page_thread thread = { .time = b->time, .who = b->who };

	put_rest(p, &r, sizeof(r));
	if (kind == PAGE_OTHER_THREAD)
		put_rest(p, &thread, sizeof(thread));
	p->last = (struct page_last){
		.thread = thread, .at = b->from, .has_thread = true, .is_branch = true
	};
	return PAGE_NEW_REST;
}

/* Returns 0 if the line has what it needs in common with the line before, else PAGE_NEW_REST. */
static uint64_t rest_of(struct line_page *p, const struct page_branch *b)
{
	const bool near = has_upper(p, (uint32_t)(b->to >> 32));
	const struct page_last *last = &p->last;

	if (!same_thread(last, b) || last->thread.time != b->time)
		return put_branch_rest(p, b, PAGE_OTHER_THREAD);
	if (last->is_branch && near && !is_far(b->from, last->at))
		return 0;
	return put_branch_rest(p, b, PAGE_SAME_THREAD);
}

/* The bits of an item for the upper half of a target's address. */
static inline uint64_t upper_bits(uint64_t to)
{
	return (uint64_t)page_upper((uint32_t)(to >> 32)) << PAGE_UPPER_SHIFT;
}

static inline uint64_t item_of(uint64_t from, uint64_t to, uint64_t at, uint64_t upper,
			       unsigned int kind)
{
	return (uint32_t)to | (from - at) << PAGE_DISTANCE_SHIFT | upper |
	       (uint64_t)kind << PAGE_KIND_SHIFT;
}

void line_page_add_branch(struct line_page *p, const struct page_branch *b)
{
	const uint64_t new_rest = rest_of(p, b);

	p->word[p->nr++] = item_of(b->from, b->to, p->last.at, upper_bits(b->to), b->kind) |
			   new_rest;
	p->last.at = b->to;
}

void line_page_add_named(struct line_page *p, const struct page_branch *b, uint32_t text)
{
	const struct page_last *last = &p->last;
	uint64_t item = text;

	if (!same_thread(last, b) || (b->time - last->thread.time) >> PAGE_DELAY_BITS)
		item |= put_branch_rest(p, b, PAGE_OTHER_THREAD);
	p->word[p->nr++] = item | (b->time - last->thread.time) << PAGE_DELAY_SHIFT;
}

/*
 * Adds the lines of branches from `b` to `end`, of which the first is near *at or has a rest, for as long as they need none.
 * Returns the first one that is left, and its *at.
 */
static inline __attribute__((always_inline)) const struct cst_branch *
add_near(struct line_page *p, uint64_t *it, uint64_t *at, const struct cst_branch *b,
	 const struct cst_branch *end, const bool kinds)
{
	uint64_t prev = *at, near_to = b->to, upper = upper_bits(near_to);

	/* the rest of this one has its upper half, which others cannot use */
	if (!has_upper(p, (uint32_t)(near_to >> 32)))
		end = b + 1;
	for (;;) {
		*it++ = item_of(b->from, b->to, prev, upper, kinds ? branch_kind_listed(b) : 0);
		prev = b->to;
		if (++b == end || is_far(b->from, prev))
			break;
		if (__builtin_expect((b->to ^ near_to) >> 32, 0)) {
			if (!has_upper(p, (uint32_t)(b->to >> 32)))
				break;
			near_to = b->to;
			upper = upper_bits(near_to);
		}
	}
	*at = prev;
	return b;
}

size_t line_page_add_taken(struct line_page *p, const struct page_branch *common, const struct cst_branch *b, size_t n,
			   bool kinds)
{
	const size_t room = line_page_room(p);
	const struct cst_branch *begin = b, *end = b + (n < room ? n : room);
	uint64_t *item = p->word + p->nr, new_rest;
	struct page_branch first = *common;

	first.from = b->from;
	first.to = b->to;
	new_rest = rest_of(p, &first);
	b = kinds ? add_near(p, item, &p->last.at, b, end, true) : add_near(p, item, &p->last.at, b, end, false);
	*item |= new_rest;
	p->nr += (uint32_t)(b - begin);
	return (size_t)(b - begin);
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

/* Gets a part of a rest from below `at`, and returns where that part is. */
static inline const uint64_t *get_rest(const uint64_t *at, void *part, size_t bytes)
{
	at -= words_of(bytes);
	memcpy(part, at, bytes);
	return at;
}

/* The PERF_IP_FLAG_x of a line. */
static unsigned int flags_of(uint64_t item)
{
	return page_branch_flags(item >> PAGE_KIND_SHIFT & ((1u << PAGE_KIND_BITS) - 1));
}

/* Text of the upper halves of addresses in a table, as text_hex_upper() has it. */
static void upper_texts(const struct line_page *p, uint64_t *text)
{
	unsigned int i;

	for (i = 0; i < PAGE_UPPERS; i++)
		text[i] = text_hex_upper((uint64_t)p->upper[i] << 32);
}

/* Gets the rest of a line, and prints the line if it is that of an error. Returns false then. */
static bool new_rest(const uint64_t **rest, struct page_rest *r, struct page_thread *t, struct line *l, struct merge_lane *lane)
{
	struct page_error e;

	*rest = get_rest(*rest, r, sizeof(*r));
	if (r->kind == PAGE_OTHER_THREAD)
		*rest = get_rest(*rest, t, sizeof(*t));
	if (r->kind != PAGE_ERROR)
		return true;
	*rest = get_rest(*rest, &e, sizeof(e));
	line_begin(l, lane, NULL, e.sample.time);
	error_line(l, e.cpu, &e.sample);
	return false;
}

/* Ends a line with a text that has the end of the line. */
static void put_text(struct line *l, const char *text, size_t len)
{
	const size_t part = MERGE_PIECE / 2;

	for (; len > part; len -= part, text += part) {
		line_room(l, part);
		l->p = text_bytes(l->p, text, part);
	}
	line_room(l, len + TEXT_SPARE);
	l->p = text_short(l->p, text, len);
	merge_commit(l->ln, (size_t)(l->p - (char *)l->ln->cur));
}

/* line_page_print() of lines with names. */
static void print_named(const struct line_page *p, struct line *l, struct merge_lane *lane,
			const char *event)
{
	const uint64_t delay = (1ull << PAGE_DELAY_BITS) - 1;
	const uint64_t *rest = p->word + PAGE_WORDS;
	struct page_thread t = { .time = 0 };
	struct page_rest r;
	uint64_t item, time;
	const char *text;
	size_t i, len;

	for (i = 0; i < p->nr; i++) {
		item = p->word[i];
		if (item & PAGE_NEW_REST && !new_rest(&rest, &r, &t, l, lane))
			continue;
		time = t.time + (item >> PAGE_DELAY_SHIFT & delay);
		line_begin(l, lane, NULL, time);
		line_start(l, &t.who, time, false, 1, event);
		text = texts_get(p->texts, item & ((1u << TEXT_NUMBER_BITS) - 1), &len);
		put_text(l, text, len);
	}
}

/* line_page_print() of lines without names. */
static void print_plain(const struct line_page *p, struct line *l, struct merge_lane *lane,
			const char *event)
{
	const uint32_t mask = (1u << PAGE_DISTANCE_BITS) - 1;
	const uint64_t *rest = p->word + PAGE_WORDS;
	struct branch_text b = { .to_upper = text_hex_upper(0) };
	struct page_rest r = { .kind = PAGE_SAME_THREAD };
	struct page_thread t = { .time = 0 };
	uint64_t text[PAGE_UPPERS], item;
	bool is_short = false;
	unsigned int place;
	size_t i;

	upper_texts(p, text);
	for (i = 0; i < p->nr; i++) {
		item = p->word[i];
		b.from = b.to + (item >> PAGE_DISTANCE_SHIFT & mask);
		b.from_upper = (b.from ^ b.to) >> 32 ? text_hex_upper(b.from) : b.to_upper;
		place = item >> PAGE_UPPER_SHIFT & (PAGE_UPPERS - 1);
		b.to = (uint64_t)p->upper[place] << 32 | (uint32_t)item;
		b.to_upper = text[place];
		if (__builtin_expect(item & PAGE_NEW_REST, 0)) {
			if (!new_rest(&rest, &r, &t, l, lane))
				continue;
			b.from = r.from;
			b.from_upper = text_hex_upper(b.from);
			b.to = (uint64_t)r.to << 32 | (uint32_t)item;
			b.to_upper = text_hex_upper(b.to);
			is_short = false;
		}
		if (is_short) {
			branch_line_short(l, lane, t.time, &b);
			continue;
		}
		line_begin(l, lane, NULL, t.time);
		line_start(l, &t.who, t.time, false, 1, event);
		if (l->fields & LIST_FLAGS)
			line_flags(l, flags_of(item));
		branch_line_from(l, b.from);
		branch_line_to(l, b.to);
		line_end(l);
		is_short = branch_line_is_short(l);
	}
}

void line_page_print(const struct line_page *p, struct line *l, struct merge_lane *lane,
		     const char *event)
{
	if (p->texts)
		print_named(p, l, lane, event);
	else
		print_plain(p, l, lane, event);
}
