/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.c - applies map events where code is not that of the file that a record names.
 *
 * Generated code stays while its memory is made writable and executable again, which is recorded as
 * a new map each time.
 *
 * Anonymous memory that takes the place of a file's text holds a copy of it: programs move their
 * text to huge pages so. The code is assumed to be that of the file, unless a jitdump file or a
 * perf map describes what is there, or the memory reaches further than the text and a huge page
 * around it.
 */
#include "machine/images/dso.h"
#include "machine/tasks/memory.h"
#include "machine/tasks/threads.h"

/* Sizes of huge pages: of base pages of 4 KB, 16 KB and 64 KB. */
static const uint64_t huge_pages[] = { 2ull << 20, 32ull << 20, 512ull << 20 };

/* True if the map is in effect already. */
static bool mapped_so(const struct maplist *ml, const struct map *m)
{
	const struct map *x = ml ? maplist_find(ml, m->start) : NULL;

	return x && x->end >= m->end && x->dso == m->dso &&
		x->start - x->off == m->start - m->off && x->memory == m->memory;
}

static void set_map(struct threads *ts, struct process *p, const struct map *m, uint64_t order)
{
	if (m->start >= m->end || (ts->have_jit && mapped_so(p->cur, m)))
		return;
	threads_set_map(ts, p, m, order);
}

/* True for text of a file that has a path. */
static bool is_text(const struct map *m)
{
	return m->dso->kind == DSO_FILE && m->dso->path[0] == '/';
}

static bool same_file(const struct map *a, const struct map *b)
{
	return a->dso == b->dso && a->start - a->off == b->start - b->off;
}

/*
 * True if memory that ends `beyond` bytes behind the text at `addr` may do so because its pages are
 * huge.
 */
static bool fills_page(uint64_t addr, uint64_t beyond)
{
	size_t i;

	for (i = 0; i < sizeof(huge_pages) / sizeof(huge_pages[0]); i++)
		if (!(addr & (huge_pages[i] - 1)) && beyond < huge_pages[i])
			return true;
	return false;
}

/*
 * True if memory may hold a copy of the text to which `x` belongs: it ends where the text does, or
 * fills up a huge page.
 */
static bool fits_text(const struct maplist *ml, const struct map *memory, const struct map *x)
{
	uint64_t start = x->start, end = x->end;
	const struct map *y;

	while (start > memory->start && (y = maplist_find(ml, start - 1)) && same_file(x, y))
		start = y->start;
	while (end < memory->end && (y = maplist_find(ml, end)) && same_file(x, y))
		end = y->end;
	return (memory->start >= start || fills_page(memory->start, start - memory->start)) &&
	       (memory->end <= end || fills_page(memory->end, memory->end - end));
}

/* True if something describes the code in [start, end) as generated. */
static bool is_generated(const struct threads *ts, const struct process *p, uint64_t start,
			 uint64_t end)
{
	return ts->hooks.generated &&
	       ts->hooks.generated(ts->hooks.generated_data, p->pid, start, end);
}

/* The text of `x` at the place of `part`, in memory without a file. */
static struct map copy_of(const struct map *x, const struct map *part)
{
	return (struct map){
		.start = part->start, .end = part->end, .off = x->off + (part->start - x->start),
		.dso = x->dso, .memory = part->dso,
	};
}

/*
 * Returns the text that lies on both sides of `part`, as if `part` belonged to it; NULL: none does.
 */
static const struct map *text_around(const struct maplist *ml, const struct map *part)
{
	const struct map *before = part->start ? maplist_find(ml, part->start - 1) : NULL;
	const struct map *after = maplist_find(ml, part->end);

	return before && after && is_text(before) && same_file(before, after) ? before : NULL;
}

/*
 * Maps a part of memory without a file where no generated code is. `x` is the only map in it, or
 * NULL.
 */
static void set_part(struct threads *ts, struct process *p, const struct map *m,
		    const struct map *part, const struct map *x,
		    uint64_t order)
{
	const struct map *text = x && is_text(x) && fits_text(p->cur, m, x) ? x : NULL;
	struct map copy;

	/* the process writes there before it makes the memory executable, which is recorded, too */
	if (!part->dso && text)
		return;
	if (!text && part->dso && p->cur)
		text = text_around(p->cur, part);
	if (!text || is_generated(ts, p, part->start, part->end)) {
		set_map(ts, p, part, order);
		return;
	}
	copy = copy_of(text, part);
	set_map(ts, p, &copy, order);
}

/*
 * Returns the end of the part of [at, m->end) that one map covers, or none; *x: that map, or NULL.
 */
static uint64_t next_part(const struct process *p, const struct map *m, uint64_t at,
			  struct map *x, bool *mapped)
{
	const struct map *y = p->cur ? maplist_next(p->cur, at) : NULL;
	uint64_t end;

	*mapped = y && y->start <= at;
	if (*mapped)
		*x = *y;
	end = !y ? m->end : *mapped ? y->end : y->start;
	return end < m->end ? end : m->end;
}

/*
 * Adds a map of memory without a file, or without a dso removes what was there. Generated code
 * stays, and text is assumed to be there still. What is neither is mapped in one piece.
 */
static void set_anon(struct threads *ts, struct process *p, const struct map *m, uint64_t order)
{
	struct map part = *m, x;
	uint64_t at, end;
	bool mapped, code;

	for (at = m->start; at < m->end; at = end) {
		end = next_part(p, m, at, &x, &mapped);
		code = mapped && (x.dso->kind == DSO_JIT || is_text(&x));
		if (!code && end < m->end)
			continue;
		/* what was before the code, or all that is left at the end of the memory */
		part.end = code ? at : end;
		if (part.start < part.end)
			set_part(ts, p, m, &part, NULL, order);
		if (code) {
			part.off += at - part.start;
			part.start = at;
			part.end = end;
			if (x.dso->kind != DSO_JIT)
				set_part(ts, p, m, &part, &x, order);
			part.off += end - at;
			part.start = end;
		}
	}
}

/*
 * True if generated code stays when memory with a file is mapped at its place: it is the memory
 * that the code is in.
 */
static bool stays(const struct map *code, const struct side_event *e)
{
	const struct dso *d = e->map.dso;

	if (code->dso->kind != DSO_JIT)
		return false;
	return e->written || (d && d == code->memory && !d->recorded.len);
}

/*
 * Adds a map of a file, or removes what was there, except for generated code that is in the memory
 * of that file.
 */
static void set_file(struct threads *ts, struct process *p, const struct side_event *e,
		    uint64_t order)
{
	const struct map *m = &e->map;
	struct map part = *m;
	const struct map *x;
	uint64_t end;

	while (ts->have_jit && part.start < m->end) {
		x = p->cur ? maplist_next(p->cur, part.start) : NULL;
		while (x && x->start < m->end && !stays(x, e))
			x = maplist_next(p->cur, x->end);
		if (!x || x->start >= m->end)
			break;
		part.end = x->start;
		end = x->end;
		set_map(ts, p, &part, order);
		part.off += end - part.start;
		part.start = end;
	}
	part.end = m->end;
	if (part.start < part.end)
		threads_set_map(ts, p, &part, order);
}

/*
 * A process that was older than the recording has its text described in order of addresses: what
 * lies between two parts of one text, and is memory without a file, is the rest of it.
 */
static void join_text(struct threads *ts, struct process *p, const struct map *m, uint64_t order)
{
	const struct map *x = m->start ? maplist_find(p->cur, m->start - 1) : NULL;
	struct map part, copy;

	if (!x || x->dso->kind != DSO_ANON || !is_text(m))
		return;
	part = *x;
	part.end = m->start;
	x = text_around(p->cur, &part);
	if (!x || is_generated(ts, p, part.start, part.end))
		return;
	copy = copy_of(x, &part);
	set_map(ts, p, &copy, order);
}

void memory_event(struct threads *ts, struct process *p, const struct side_event *e, uint64_t order)
{
	const struct map *x;
	struct map m = e->map;

	if (m.dso ? m.dso->kind == DSO_ANON : e->anon) {
		set_anon(ts, p, &m, order);
		return;
	}
	if (m.dso && m.dso->kind == DSO_JIT) {
		ts->have_jit = true;
		x = p->cur ? maplist_find(p->cur, m.start) : NULL;
		if (x)
			m.memory = x->memory || x->dso->kind == DSO_JIT ? x->memory : x->dso;
		threads_set_map(ts, p, &m, order);
		return;
	}
	set_file(ts, p, e, order);
	if (!m.dso || !p->cur)
		return;
	join_text(ts, p, &m, order);
}
