/* SPDX-License-Identifier: GPL-2.0-only */
/* queues.c - sorts the AUXTRACE data of each buffer, and gives each AUX record the stretch that it describes. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/frame.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/files/mapped.h"
#include "base/time.h"
#include "base/workers.h"
#include "machine/buffers/queues.h"
#include "machine/buffers/spans.h"

struct queue *queue_add(struct queues *qs, uint32_t idx, int cpu, int tid)
{
	struct queue *q = mem_zeroed(1, sizeof(*q));

	*ARRAY_ADD(qs->q, qs->nr, qs->cap) = q;
	q->number = qs->nr - 1;
	q->idx = idx;
	q->cpu = cpu;
	q->tid = tid;
	return q;
}

static struct queue *get_queue(struct queues *qs, uint32_t idx, int cpu, int tid)
{
	size_t i;

	for (i = 0; i < qs->nr; i++)
		if (qs->q[i]->idx == idx && qs->q[i]->cpu == cpu && qs->q[i]->tid == tid)
			return qs->q[i];
	return queue_add(qs, idx, cpu, tid);
}

void queues_add_chunk(struct queues *qs, const struct pd_record *rec)
{
	const struct pd_auxtrace *a = &rec->aux;
	/* simpleperf writes tid 0 for buffers of a CPU. */
	int tid = a->cpu >= 0 ? -1 : a->tid;
	struct queue *q = get_queue(qs, a->idx, a->cpu, tid);
	struct chunk *c;

	if (!a->avail)
		return;
	c = ARRAY_ADD(q->found.chunks, q->found.nr_chunks, q->found.cap_chunks);
	memset(c, 0, sizeof(*c));
	c->offset = a->offset;
	c->size = a->avail < UINT64_MAX - a->offset ? a->avail : UINT64_MAX - a->offset;
	c->seq = rec->seq;
	c->data = a->data;
}

void queues_add_aux(struct queues *qs, const struct pd_record *rec)
{
	const struct perf_record_aux *aux = (const void *)rec->ev;
	struct aux_record *r;

	if (!aux->aux_size && !(aux->flags & (AUX_FLAG_TRUNCATED | AUX_FLAG_PARTIAL | AUX_FLAG_COLLISION)))
		return;
	r = ARRAY_ADD(qs->aux, qs->nr_aux, qs->cap_aux);
	memset(r, 0, sizeof(*r));
	r->offset = aux->aux_offset;
	r->size = aux->aux_size;
	r->flags = aux->flags;
	r->seq = rec->seq;
	r->time = rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : NO_TIME;
	r->cpu = rec->sid.valid & PERF_SAMPLE_CPU ? (int)rec->sid.cpu : -1;
	r->tid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid : -1;
	r->pid = rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.pid : -1;
}

void queues_note_before(struct queues *qs, const struct pd_record *rec)
{
	const struct pd_record_cst_aux_before *r = (const void *)rec->ev;

	*ARRAY_ADD(qs->before, qs->nr_before, qs->cap_before) = (struct aux_before){
		.idx = r->idx,
		.cpu = r->cpu,
		.tid = r->tid,
		.time = r->time,
		.seq = rec->seq,
	};
}

/* Buffers of a CPU by CPU; buffers that follow a thread by thread, whatever CPU the record is from. */
static bool belongs(const struct queue *q, const struct aux_record *r)
{
	if (q->cpu >= 0)
		return r->cpu < 0 || r->cpu == q->cpu;
	return r->tid < 0 || q->tid < 0 || r->tid == q->tid;
}

struct fragment *fragment_add(struct queue *q, uint64_t offset)
{
	struct fragment *f = ARRAY_ADD(q->frags, q->nr_frags, q->cap_frags);

	memset(f, 0, sizeof(*f));
	f->pub.queue = q->number;
	f->pub.cpu = q->cpu;
	f->pub.tid = q->tid;
	f->pub.offset = offset;
	f->pub.time = NO_TIME;
	f->aux_cpu = f->aux_tid = -1;
	f->first_part = q->found.nr_parts;
	return f;
}

/* [offset, offset + size) of a chunk continues the last fragment of the queue. */
static void add_part(struct queue *q, struct chunk *c, uint64_t offset, uint64_t size)
{
	struct fragment_part *p = ARRAY_ADD(q->found.parts, q->found.nr_parts, q->found.cap_parts);
	struct fragment *f = &q->frags[q->nr_frags - 1];

	p->data = c->data + (offset - c->offset);
	p->size = size;
	c->covered += size;
	f->nr_parts++;
	f->pub.size += size;
}

static void describe(struct queue *q, struct fragment *f, struct aux_record *r)
{
	f->pub.from_aux = true;
	f->pub.flags = r->flags;
	f->pub.time = r->time;
	f->pub.raw = (r->flags & AUX_FORMAT_MASK) == AUX_FORMAT_RAW;
	f->aux_cpu = r->cpu;
	f->aux_tid = r->tid;
	f->seq = r->seq;
	f->aux = r;
	r->fragments = true;
	q->any_raw |= f->pub.raw;
	q->any_frames |= !f->pub.raw;
}

/* First chunk of a span that ends after `offset`. */
static size_t chunk_at(const struct span *s, uint64_t offset)
{
	size_t lo = s->first, hi = s->end;

	BISECT(lo, hi, mid, s->queue->found.chunks[mid].end <= offset);
	return lo;
}

static bool overlaps(const struct span *s, uint64_t start, uint64_t end)
{
	size_t i = chunk_at(s, start);

	return i < s->end && s->queue->found.chunks[i].offset < end;
}

/*
 * The pieces of [start, end) that the file holds; where chunks follow each other without a gap they
 * make one fragment. Returns the bytes found.
 */
static uint64_t cut_fragment(struct span *s, struct aux_record *r, uint64_t start, uint64_t end)
{
	uint64_t pos = start, found = 0, stop;
	struct queue *q = s->queue;
	struct fragment *f = NULL;
	struct chunk *c;
	size_t i;

	for (i = chunk_at(s, start); i < s->end && pos < end; i++) {
		c = &q->found.chunks[i];
		if (c->offset >= end)
			break;
		if (c->end <= pos)
			continue;
		if (c->offset > pos) {
			pos = c->offset;
			f = NULL;
		}
		stop = c->end < end ? c->end : end;
		/* Records of one buffer never overlap; damaged ones must not multiply the work. */
		if (c->covered + (stop - pos) > c->size)
			break;
		if (!f) {
			f = fragment_add(q, pos);
			describe(q, f, r);
		}
		add_part(q, c, pos, stop - pos);
		found += stop - pos;
		pos = stop;
	}
	q->any_aux = true;
	r->matched = true;
	r->of_thread = q->cpu < 0;
	return found;
}

/* Returns where the bytes begin that the file holds without a gap up to `end`, but none that records claimed before. */
static uint64_t held_since(const struct span *s, uint64_t end)
{
	const struct chunk *chunks = s->queue->found.chunks;
	size_t i = chunk_at(s, end - 1);

	/* what several snapshots hold is in the last of them, and may be in no chunk of its own */
	while (i > s->first && chunks[i - 1].end == chunks[i].offset && chunks[i].offset > s->claimed)
		i--;
	return s->claimed > chunks[i].offset && s->claimed < end ? s->claimed : chunks[i].offset;
}

/*
 * A snapshot's record points to the end of the data, and its size may be that of the whole buffer. The
 * start may have been written over since. Nothing is found if all was written over before a snapshot was taken.
 */
static void claim_snapshot(struct span *s, struct aux_record *r)
{
	uint64_t end = r->offset, start = r->size < end ? end - r->size : 0, since;

	if (!end || !overlaps(s, end - 1, end))
		return;
	since = held_since(s, end);
	if (start < since)
		start = since;
	if (end > s->claimed)
		s->claimed = end;
	cut_fragment(s, r, start, end);
}

static void claim_in(struct span *s, struct aux_record *r)
{
	uint64_t end = r->size < UINT64_MAX - r->offset ? r->offset + r->size : UINT64_MAX;

	if (r->flags & AUX_FLAG_OVERWRITE)
		claim_snapshot(s, r);
	else if (overlaps(s, r->offset, end))
		r->missing = r->size - cut_fragment(s, r, r->offset, end);
}

static void claim(struct queues *qs, struct aux_record *r)
{
	struct queue *q;
	size_t i, k;

	for (i = 0; i < qs->nr && !r->matched && !r->lost; i++) {
		q = qs->q[i];
		if (!belongs(q, r))
			continue;
		for (k = 0; k < q->found.nr_spans && !r->matched; k++)
			if (!r->span || r->span == &q->found.spans[k])
				claim_in(&q->found.spans[k], r);
	}
	if (!r->matched && !(r->flags & AUX_FLAG_OVERWRITE))
		r->missing = r->size;
	qs->missing += r->missing;
}

/* True if unframed trace starts here. */
static bool looks_raw(const struct queue *q, const struct fragment *f)
{
	const struct fragment_part *p = q->found.parts + f->first_part, *end = p + f->nr_parts;
	uint8_t first[CST_FRAME_RAW_BYTES];
	uint64_t at = 0, n;

	for (; p < end && at < sizeof(first); p++, at += n) {
		n = p->size < sizeof(first) - at ? p->size : sizeof(first) - at;
		memcpy(first + at, p->data, n);
	}
	return cst_frame_is_raw(first, at);
}

/* No AUX record: everything that follows each other without a gap is one fragment. */
static void take_whole(struct queue *q)
{
	size_t i, first = q->nr_frags;
	struct fragment *f = NULL;
	uint64_t pos = 0;

	for (i = 0; i < q->found.nr_chunks; i++) {
		struct chunk *c = &q->found.chunks[i];

		if (c->end <= c->offset)
			continue;
		if (!f || c->offset != pos || c->span != c[-1].span) {
			f = fragment_add(q, c->offset);
			f->seq = c->seq;
		}
		add_part(q, c, c->offset, c->end - c->offset);
		pos = c->end;
	}
	for (i = first; i < q->nr_frags; i++) {
		f = &q->frags[i];
		f->pub.raw = looks_raw(q, f);
		q->any_raw |= f->pub.raw;
		q->any_frames |= !f->pub.raw;
	}
}

static int compare_frags(const void *a, const void *b)
{
	const struct fragment *x = a, *y = b;

	if (x->pub.time != y->pub.time)
		return x->pub.time < y->pub.time ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->first_part < y->first_part ? -1 : x->first_part > y->first_part;
}

/* What is in a fragment ran after the one before was written. */
static void note_before(struct fragment *f, const struct fragment *before)
{
	/* A snapshot goes as far back as the buffer is large. */
	if (f->pub.flags & AUX_FLAG_OVERWRITE)
		return;
	/* pieces of one AUX record, which the file has in part: the record's time is that of its end */
	if (f->aux == before->aux) {
		f->since = before->since;
		f->since_seq = before->since_seq;
		return;
	}
	f->since = before->pub.time != NO_TIME ? before->pub.time : 0;
	f->since_seq = before->seq;
}

static bool is_of(const struct aux_before *b, const struct queue *q)
{
	return b->idx == q->idx && b->cpu == q->cpu && b->tid == q->tid;
}

/*
 * As note_before() for the first fragment of a buffer, the one before which was in another piece of
 * a pipe.
 */
static void note_piece_before(const struct queues *qs, struct queue *q)
{
	struct fragment before = { .aux = NULL };
	size_t i;

	for (i = 0; i < qs->nr_before && q->nr_frags; i++) {
		const struct aux_before *b = &qs->before[i];

		if (!is_of(b, q))
			continue;
		before.pub.time = b->time;
		before.seq = b->seq;
		note_before(&q->frags[0], &before);
	}
}

void queues_finish(struct queues *qs)
{
	size_t i, k;

	qs->windows.beside = qs->nr != 0;
	/* AUX records beside windows announce what only passed through the buffer */
	if (qs->windows.nr && !qs->nr) {
		windows_finish(qs);
		return;
	}
	for (i = 0; i < qs->nr; i++)
		spans_of_queue(qs->q[i]);
	spans_of_records(qs);
	for (i = 0; i < qs->nr_aux; i++) {
		struct aux_record *r = &qs->aux[i];
		uint64_t format = r->flags & AUX_FORMAT_MASK;

		if (!r->size)
			continue;	/* only says that something is missing */
		if (format && format != AUX_FORMAT_RAW) {
			r->refused = true;
			if (!qs->refused++)
				qs->refused_format = format;
			continue;
		}
		claim(qs, r);
	}
	for (i = 0; i < qs->nr; i++) {
		struct queue *q = qs->q[i];

		for (k = 0; k < qs->nr_before; k++)
			q->any_aux |= is_of(&qs->before[k], q);
		if (!q->any_aux && !qs->refused)
			take_whole(q);
		if (q->any_aux)
			ARRAY_SORT(q->frags, q->nr_frags, compare_frags);
		note_piece_before(qs, q);
		for (k = 1; q->any_aux && k < q->nr_frags; k++)
			note_before(&q->frags[k], &q->frags[k - 1]);
		for (k = 0; q->any_aux && k < q->found.nr_chunks; k++) {
			struct chunk *c = &q->found.chunks[k];
			uint64_t own = c->end - c->offset;

			if (c->covered < own && own - c->covered > MAX_PADDING)
				q->unclaimed += own - c->covered;
		}
		qs->unclaimed += q->unclaimed;
		q->ids_search = workers_new(0, q->nr_frags, q->nr_frags);
	}
}

void queues_free(struct queues *qs)
{
	size_t i;

	for (i = 0; i < qs->nr; i++) {
		free(qs->q[i]->found.chunks);
		free(qs->q[i]->found.spans);
		free(qs->q[i]->frags);
		free(qs->q[i]->found.parts);
		workers_free(qs->q[i]->ids_search);
		free(qs->q[i]);
	}
	free(qs->q);
	windows_free(&qs->windows);
	free(qs->aux);
	free(qs->before);
}

const uint8_t *fragment_bytes(struct joined *j, const struct queue *q, const struct fragment *f)
{
	const struct fragment_part *parts = q->found.parts + f->first_part;
	uint64_t size = f->pub.size, at = 0;
	unsigned int i;

	if (f->nr_parts == 1)
		return parts->data;
	if (!j->data || size > j->cap) {
		free(j->data);
		j->data = mem_new(size);
		j->cap = size;
	}
	for (i = 0; i < f->nr_parts; at += parts[i++].size)
		memcpy(j->data + at, parts[i].data, parts[i].size);
	return j->data;
}

void joined_free(struct joined *j)
{
	free(j->data);
	j->data = NULL;
}

void frame_ids(const struct queue *q, const struct fragment *f, uint64_t ids[2])
{
	const struct fragment_part *parts = q->found.parts + f->first_part;
	unsigned int i, pos = 0;
	size_t at, n;

	/* Frames may straddle parts, and what is read of one at once. */
	for (i = 0; i < f->nr_parts; i++)
		for (at = 0; at < parts[i].size; at += n) {
			n = parts[i].size - at < MAPPED_AHEAD ? parts[i].size - at : MAPPED_AHEAD;
			mapped_ahead(parts[i].data + at, n);
			pos = cst_frame_ids(parts[i].data + at, n, pos, ids);
		}
}

void queue_find_ids(struct queue *q)
{
	const struct fragment *f;
	bool full;
	size_t i;

	if (q->ids_known)
		return;
	while (workers_help(q->ids_search, 0, &i)) {
		uint64_t ids[2] = { 0, 0 };

		f = &q->frags[i];
		if (!f->pub.raw)
			frame_ids(q, f, ids);
		workers_lock(q->ids_search);
		q->ids[0] |= ids[0];
		q->ids[1] |= ids[1];
		q->ids_read += f->pub.size;
		full = q->ids_read >= MAPPED_KEPT;
		if (full)
			q->ids_read = 0;
		workers_unlock(q->ids_search);
		if (full && f->nr_parts)
			mapped_release(q->found.parts[f->first_part].data);
		workers_taken(q->ids_search);
	}
	q->ids_known = true;
}

struct id_search {
	struct queue *const *q;
	size_t nr;
};

static void *search_ids(void *search)
{
	const struct id_search *x = search;
	size_t i;

	for (i = 0; i < x->nr; i++)
		queue_find_ids(x->q[i]);
	return NULL;
}

void queues_find_ids(struct queue *const *q, size_t nr, unsigned int threads)
{
	struct id_search x = { .q = q, .nr = nr };
	struct workers *w;
	size_t i, frags = 0;

	for (i = 0; i < nr; i++)
		frags += q[i]->any_frames && !q[i]->ids_known ? q[i]->nr_frags : 0;
	if (threads > frags)
		threads = (unsigned int)frags;
	w = threads > 1 ? workers_new(threads - 1, 0, 0) : NULL;
	for (i = 1; w && i < threads && workers_start(w, search_ids, &x); i++)
		;
	search_ids(&x);
	workers_free(w);
}

uint64_t fragment_floor(const struct fragment *f)
{
	return f->since > f->pub.time ? 0 : f->since;
}
