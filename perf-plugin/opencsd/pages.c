/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pages.c - memory behind a client's callback. It has no identity, and may change whenever the client
 * has the processor: perf switches threads inside the callback for a context element. So a page is
 * fetched and compared at its first use after each entry, each context delivered and each change of
 * accessors. Pages with equal bytes are one section, in whichever process, so that decoded blocks are
 * found again; a page whose bytes differ becomes another section.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define PAGE 4096u
#define MAX_PAGES 16384u	/* 64 MiB of contents */

struct page_bytes {
	struct page_bytes *next;
	struct cst_section *section;
	uint32_t hash, len;
	uint8_t bytes[PAGE];
};

struct page {
	struct page *next;
	uint64_t addr;
	uint8_t id, space;
	struct page_bytes *bytes;
};

static uint32_t hash_bytes(const uint8_t *p, uint32_t len)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ len, v;
	uint32_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&v, p + i, 8);
		h = (h ^ v) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	for (; i < len; i++)
		h = (h ^ p[i]) * 0xff51afd7ed558ccdull;
	/* the upper half of a product depends on all bits */
	return (uint32_t)(h >> 32);
}

static uint32_t hash_page(uint64_t addr, unsigned int id, unsigned int space)
{
	uint64_t h = (addr / 4 ^ (uint64_t)id << 56 ^ (uint64_t)space << 48) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32);
}

static int make_tables(struct ocsd_tree *t)
{
	if (t->mem.pages)
		return 0;
	t->mem.pages = calloc(MAX_PAGES, sizeof(*t->mem.pages));
	t->mem.contents = calloc(MAX_PAGES, sizeof(*t->mem.contents));
	if (t->mem.pages && t->mem.contents)
		return 0;
	free(t->mem.pages);
	free(t->mem.contents);
	t->mem.pages = NULL;
	t->mem.contents = NULL;
	return -CST_ERR_NOMEM;
}

void pages_drop(struct ocsd_tree *t, int id)
{
	struct page **link, *p;
	size_t i;

	for (i = 0; t->mem.pages && i < MAX_PAGES; i++) {
		for (link = &t->mem.pages[i]; (p = *link);) {
			if (id >= 0 && p->id != id) {
				link = &p->next;
				continue;
			}
			*link = p->next;
			free(p);
			t->mem.nr_pages--;
		}
	}
}

/* Every content is given up, to be used for another one. */
static void give_up_contents(struct ocsd_tree *t)
{
	struct page_bytes *b;
	size_t i;

	for (i = 0; t->mem.contents && i < MAX_PAGES; i++) {
		while ((b = t->mem.contents[i])) {
			t->mem.contents[i] = b->next;
			b->next = t->mem.spare;
			t->mem.spare = b;
		}
	}
	t->mem.nr_contents = 0;
}

void pages_free(struct ocsd_tree *t)
{
	struct page_bytes *b;

	pages_drop(t, -1);
	give_up_contents(t);
	while ((b = t->mem.spare)) {
		t->mem.spare = b->next;
		free(b);
	}
	free(t->mem.pages);
	free(t->mem.contents);
}

static struct page_bytes *content_of(struct ocsd_tree *t, const uint8_t *bytes, uint32_t len)
{
	uint32_t hash = hash_bytes(bytes, len);
	struct page_bytes **head, *b;

	for (b = t->mem.contents[hash % MAX_PAGES]; b; b = b->next)
		if (b->hash == hash && b->len == len && !memcmp(b->bytes, bytes, len))
			return b;
	if (t->mem.nr_contents >= MAX_PAGES) {
		pages_drop(t, -1);
		memory_doubt(t);
		give_up_contents(t);
	}
	head = &t->mem.contents[hash % MAX_PAGES];
	b = t->mem.spare;
	if (b) {
		t->mem.spare = b->next;
	} else {
		b = malloc(sizeof(*b));
		if (!b)
			return NULL;
		b->section = NULL;
	}
	memcpy(b->bytes, bytes, len);
	b->hash = hash;
	b->len = len;
	if (!b->section) {
		/* announced as a whole page: it may hold one later */
		if (cst_section_new(&b->section, t->mem.image, NULL, PAGE, NULL)) {
			free(b);
			return NULL;
		}
	}
	cst_section_renew(b->section, b->bytes, len);
	b->next = *head;
	*head = b;
	t->mem.nr_contents++;
	return b;
}

int page_hole(struct ocsd_tree *t, struct source *s, uint64_t start, uint64_t len)
{
	int err;

	if (!t->mem.hole) {
		err = cst_section_new(&t->mem.hole, t->mem.image, NULL, 2 * PAGE, NULL);
		if (err || (err = cst_section_set_bytes(t->mem.hole, NULL, 0)))
			return err;
	}
	return memory_map(t, s, start, len, t->mem.hole);
}

static struct page *look_up(const struct ocsd_tree *t, const struct source *s, uint64_t addr)
{
	struct page *p;

	for (p = t->mem.pages[hash_page(addr, s->id, s->space) % MAX_PAGES]; p; p = p->next)
		if (p->addr == addr && p->id == s->id && p->space == s->space)
			return p;
	return NULL;
}

static struct page *find_page(struct ocsd_tree *t, const struct source *s, uint64_t addr)
{
	struct page **head = &t->mem.pages[hash_page(addr, s->id, s->space) % MAX_PAGES],
		    *p = look_up(t, s, addr);

	if (p)
		return p;
	if (t->mem.nr_pages >= 2 * MAX_PAGES)
		pages_drop(t, -1);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->addr = addr;
	p->id = s->id;
	p->space = (uint8_t)s->space;
	p->next = *head;
	*head = p;
	t->mem.nr_pages++;
	return p;
}

static bool holds(const struct page *p, const uint8_t *bytes, uint32_t len)
{
	return p->bytes && p->bytes->len == len && !memcmp(p->bytes->bytes, bytes, len);
}

/* The words of an accessor that are in one page. */
struct words {
	uint64_t start, last;		/* first and last byte */
	uint32_t missing;		/* bytes of the first word that precede the accessor: they count as 0, and are not mapped */
};

static struct words words_around(const struct accessor *a, uint64_t addr)
{
	struct words w = { .start = addr & ~(uint64_t)(PAGE - 1) };

	w.last = w.start + (PAGE - 1);
	if (w.start < a->start) {
		w.start = a->start & ~3ull;
		w.missing = (uint32_t)(a->start - w.start);
	}
	if (w.last > a->last)
		w.last = a->last;
	return w;
}

/* Reads the words as the client has them now. Returns the number of bytes with those that are missing; 0: it has none. */
static uint32_t read_words(struct ocsd_tree *t, const struct source *s, const struct words *w, uint8_t *buf)
{
	uint32_t n;

	memset(buf, 0, w->missing);
	n = memory_read(t, w->start + w->missing, s->space, s->id, (uint32_t)(w->last - w->start + 1) - w->missing,
			buf + w->missing);
	return n ? n + w->missing : 0;
}

static int map_words(struct ocsd_tree *t, struct source *s, const struct words *w, uint32_t n, const struct page *p)
{
	return memory_map(t, s, w->start + w->missing, n - w->missing, p->bytes->section);
}

/* Maps the words if they hold `need`. Returns 1, or 0: the client has nothing there. */
static int map_from(struct ocsd_tree *t, struct source *s, const struct words *w, uint64_t need)
{
	uint8_t buf[PAGE];
	uint32_t n = read_words(t, s, w, buf);
	struct page_bytes *b;
	struct page *p;
	int err;

	if (n <= need - w->start)
		return 0;
	p = find_page(t, s, w->start);
	if (!p)
		return -CST_ERR_NOMEM;
	if (!holds(p, buf, n)) {
		b = content_of(t, buf, n);
		/* that may have given up all pages */
		p = b ? find_page(t, s, w->start) : NULL;
		if (!p)
			return -CST_ERR_NOMEM;
		p->bytes = b;
	}
	err = map_words(t, s, w, n, p);
	return err ? err : 1;
}

bool page_map_known(struct ocsd_tree *t, struct source *s, const struct accessor *a, uint64_t addr)
{
	const struct words w = words_around(a, addr);
	const struct page *p = t->mem.pages ? look_up(t, s, w.start) : NULL;
	uint8_t buf[PAGE];
	uint32_t n;

	/* the decoder asks again for a page that differs, until it stops */
	if (!p || !p->bytes || p->bytes->len <= addr - w.start || p == t->mem.differs)
		return false;
	n = read_words(t, s, &w, buf);
	if (holds(p, buf, n))
		return !map_words(t, s, &w, n, p);
	t->mem.differs = p;
	return false;
}

int page_map(struct ocsd_tree *t, struct source *s, const struct accessor *a, uint64_t addr)
{
	struct words w = words_around(a, addr);
	int r = make_tables(t);

	t->mem.differs = NULL;
	if (r)
		return r;
	r = map_from(t, s, &w, addr);
	/* the client may have nothing at the start of the page */
	if (!r && (addr & ~3ull) > w.start) {
		w.start = addr & ~3ull;
		w.missing = 0;
		r = map_from(t, s, &w, addr);
	}
	if (!r)
		return page_hole(t, s, w.start + w.missing, 4 - w.missing);
	return r < 0 ? r : 0;
}
