/* SPDX-License-Identifier: GPL-2.0-only */
/* spans.c - separates the times that a buffer was open, whose offsets begin again. */
#include "machine/buffers/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intmap.h"
#include "machine/buffers/queues.h"

/* Spans that are tried for the records of one time; more are not of a recorder. */
#define MAX_TRIED 64

static uint64_t end_of(const struct chunk *c)
{
	return c->offset + c->size;
}

static int by_seq(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int by_offset(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	if (x->span != y->span)
		return x->span < y->span ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return by_seq(a, b);
}

/* True if chunks, which are sorted by offset, lie over each other by more than padding. */
static bool any_overlap(const struct queue *q)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < q->found.nr_chunks; i++) {
		const struct chunk *c = &q->found.chunks[i];

		if (c->offset < end &&
		    (end - c->offset > MAX_PADDING || c->offset == q->found.chunks[i - 1].offset))
			return true;
		if (end_of(c) > end)
			end = end_of(c);
	}
	return false;
}

/*
 * True if chunk `c` continues where `before`, the one before it in the file, ends, or repeats its
 * end.
 */
static bool goes_on(const struct chunk *before, const struct chunk *c)
{
	uint64_t common;

	if (c->offset >= end_of(before))
		return true;
	if (c->offset < before->offset || end_of(c) < end_of(before))
		return false;
	common = end_of(before) - c->offset;
	return (common <= MAX_PADDING && c->offset > before->offset) ||
	       !memcmp(before->data + (c->offset - before->offset), c->data, common);
}

/* Gives each chunk the number of its span, in the order of the file. */
static void number_chunks(struct queue *q)
{
	size_t i;

	qsort(q->found.chunks, q->found.nr_chunks, sizeof(*q->found.chunks), by_seq);
	for (i = 1; i < q->found.nr_chunks; i++)
		q->found.chunks[i].span = q->found.chunks[i - 1].span +
					  !goes_on(&q->found.chunks[i - 1], &q->found.chunks[i]);
	qsort(q->found.chunks, q->found.nr_chunks, sizeof(*q->found.chunks), by_offset);
}

/*
 * Sets the end of what belongs to each chunk of a span: padding, and what the next one repeats, is
 * left out.
 */
static void set_ends(struct chunk *c, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		c[i].end = end_of(&c[i]);
		if (i + 1 < nr && c[i + 1].offset < c[i].end)
			c[i].end = c[i + 1].offset;
	}
}

static void add_span(struct queue *q, size_t first, size_t end)
{
	struct span *s = ARRAY_ADD(q->found.spans, q->found.nr_spans, q->found.cap_spans);
	size_t i;

	*s = (struct span){
		.first = first,
		.end = end,
		.queue = q,
		.low = q->found.chunks[first].offset,
		.seq = UINT64_MAX,
	};
	for (i = first; i < end; i++) {
		const struct chunk *c = &q->found.chunks[i];

		if (end_of(c) > s->high)
			s->high = end_of(c);
		if (c->seq < s->seq)
			s->seq = c->seq;
	}
	set_ends(q->found.chunks + first, end - first);
}

void spans_of_queue(struct queue *q)
{
	size_t i, k;

	ARRAY_SORT(q->found.chunks, q->found.nr_chunks, by_offset);
	if (any_overlap(q))
		number_chunks(q);
	for (i = 0; i < q->found.nr_chunks; i = k) {
		for (k = i + 1;
		     k < q->found.nr_chunks && q->found.chunks[k].span == q->found.chunks[i].span;
		     k++)
			;
		add_span(q, i, k);
	}
}

/* AUX records between two of which the offset begins again. */
struct era {
	uint64_t low, high;
	struct span *span;	/* whose bytes they describe; NULL: the file has none of them */
};

/* A CPU, or a thread with buffers of its own. */
struct owner {
	struct span **spans;
	size_t nr, cap;
	struct era *eras;
	size_t nr_eras, cap_eras;
	uint64_t last;		/* where the record before ends */
	bool ambiguous;		/* spans have offsets in common, so that a record fits several of them */
};

struct owners {
	struct intmap cpus, threads;
	struct owner *v;
	size_t nr, cap;
};

static struct owner *owner_of(const struct owners *os, const struct intmap *m, int number)
{
	/* stored as index plus 1 */
	uintptr_t i = (uintptr_t)intmap_get(m, number);

	return i ? &os->v[i - 1] : NULL;
}

static struct owner *add_owner(struct owners *os, struct intmap *m, int number)
{
	struct owner *o = owner_of(os, m, number);

	if (o)
		return o;
	o = ARRAY_ADD(os->v, os->nr, os->cap);
	memset(o, 0, sizeof(*o));
	intmap_put(m, number, (void *)(uintptr_t)os->nr);
	return o;
}

static void add_spans(struct owners *os, struct queue *q)
{
	struct owner *o;
	size_t i;

	if (q->cpu < 0 && q->tid < 0)
		return;
	o = q->cpu >= 0 ? add_owner(os, &os->cpus, q->cpu) : add_owner(os, &os->threads, q->tid);
	for (i = 0; i < q->found.nr_spans; i++) {
		struct span **s = ARRAY_ADD(o->spans, o->nr, o->cap);

		*s = &q->found.spans[i];
	}
}

static int by_first_seq(const void *a, const void *b)
{
	const struct span *const *x = a, *const *y = b;

	return (*x)->seq < (*y)->seq ? -1 : (*x)->seq > (*y)->seq;
}

static void sort_spans(struct owner *o)
{
	size_t i;

	ARRAY_SORT(o->spans, o->nr, by_first_seq);
	for (i = 1; i < o->nr; i++)
		o->ambiguous |= o->spans[i]->low < o->spans[i - 1]->high;
}

/*
 * Returns the owner of the buffers that a record is about; NULL: it is unknown, or the offset says
 * what is meant.
 */
static struct owner *owner_of_record(const struct owners *os, const struct aux_record *r)
{
	struct owner *o = r->cpu >= 0 ? owner_of(os, &os->cpus, r->cpu) : NULL;

	if (!o && r->tid >= 0)
		o = owner_of(os, &os->threads, r->tid);
	return o && r->size && o->ambiguous ? o : NULL;
}

/* Adds a record to the eras of its owner, in the order of the file. */
static void add_record(struct owner *o, struct aux_record *r)
{
	bool overwrite = r->flags & AUX_FLAG_OVERWRITE;
	uint64_t end = r->size < UINT64_MAX - r->offset ? r->offset + r->size : UINT64_MAX;
	uint64_t start = r->offset;
	struct era *e;

	/* that of a snapshot stands at the end of its data */
	if (overwrite) {
		end = r->offset;
		start = r->size < end ? end - r->size : 0;
	}
	if (!o->nr_eras || (overwrite ? end : start) < o->last) {
		e = ARRAY_ADD(o->eras, o->nr_eras, o->cap_eras);
		*e = (struct era){ .low = start };
	}
	e = &o->eras[o->nr_eras - 1];
	o->last = end;
	if (end > e->high)
		e->high = end;
	r->era = o->nr_eras;
}

static bool holds(const struct span *s, const struct era *e)
{
	return s->low <= e->low && e->high <= s->high;
}

/*
 * Gives the eras spans, both in the order of the file. If the numbers differ, an era gets the next
 * span that holds all of it, and goes without if there are more eras than spans.
 */
static void assign(struct owner *o)
{
	size_t i, k, at = 0;

	for (i = 0; i < o->nr_eras; i++) {
		size_t eras = o->nr_eras - i, spans = o->nr - at;

		k = at;
		while (k < o->nr && k - at < MAX_TRIED && eras != spans && !holds(o->spans[k], &o->eras[i]))
			k++;
		if (k == o->nr || k - at == MAX_TRIED) {
			if (eras > spans)
				continue;
			k = at;
		}
		/* as many must be left as there are eras that follow */
		if (o->nr - k < eras && eras <= spans)
			k = o->nr - eras;
		if (k >= o->nr)
			continue;
		o->eras[i].span = o->spans[k];
		at = k + 1;
	}
}

static void set_span(const struct owners *os, struct aux_record *r)
{
	struct owner *o = r->era ? owner_of_record(os, r) : NULL;

	if (!o)
		return;
	r->span = o->eras[r->era - 1].span;
	r->lost = !r->span;
}

static void sort_out(struct queues *qs, struct owners *os)
{
	struct owner *o;
	size_t i;

	for (i = 0; i < qs->nr; i++)
		add_spans(os, qs->q[i]);
	for (i = 0; i < os->nr; i++)
		sort_spans(&os->v[i]);
	for (i = 0; i < qs->nr_aux; i++) {
		o = owner_of_record(os, &qs->aux[i]);
		if (o)
			add_record(o, &qs->aux[i]);
	}
	for (i = 0; i < os->nr; i++)
		assign(&os->v[i]);
	for (i = 0; i < qs->nr_aux; i++)
		set_span(os, &qs->aux[i]);
}

void spans_of_records(struct queues *qs)
{
	struct owners os = { .nr = 0 };
	size_t i;

	sort_out(qs, &os);
	for (i = 0; i < os.nr; i++) {
		free(os.v[i].spans);
		free(os.v[i].eras);
	}
	free(os.v);
	intmap_free(&os.cpus);
	intmap_free(&os.threads);
}
