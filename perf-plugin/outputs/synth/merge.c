/* SPDX-License-Identifier: GPL-2.0-only */
/* merge.c - keeps the output of each lane in chunks, full ones in a temporary file, and merges the lanes by time. */
#include "outputs/synth/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/files/guard.h"

/* Header of a run: the pieces of one time. */
struct run {
	uint64_t time;
	uint64_t len;
};

/* A full chunk in the temporary file. */
struct spill {
	uint64_t offset;
	uint32_t len;
};

struct lane {
	struct merge_lane pub;	/* must be first: the part of the lane that callers see */
	unsigned int rank;
	uint64_t place;
	uint64_t order;		/* set by merge_lanes_order(), for lanes with the same place */
	uint64_t floor;		/* minimum time of the lane's runs */
	size_t nr;		/* lane number, the last criterion of the order */
	uint8_t *chunk;
	struct spill *spill;
	size_t nr_spill, cap_spill;
	/* while merging: runs [pos, fill) of `chunk` */
	size_t next_spill;
	size_t pos, fill;
	bool complete;		/* no output will be added */
};

struct merge {
	struct merge_sink sink;
	struct lane **lane;
	size_t nr, cap;
	struct lane *direct;
	struct lane **heap;	/* lanes with a run at `pos` */
	size_t in_heap;
	char *dir;		/* folder of the temporary file; NULL: see guard_temp() */
	pthread_mutex_t lock;	/* protects `lane`, `nr`, `fd`, `file_size` and `error` */
	int fd;			/* -1: not created yet */
	uint64_t file_size;
	int error;		/* errno of the first failure; 0: none */
};

struct merge *merge_new(const struct merge_sink *sink, const char *dir)
{
	struct merge *m = mem_zeroed(1, sizeof(*m));

	m->sink = *sink;
	m->fd = -1;
	pthread_mutex_init(&m->lock, NULL);
	m->dir = dir && *dir ? mem_text(dir) : NULL;
	return m;
}

void merge_free(struct merge *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->nr; i++) {
		free(m->lane[i]->chunk);
		free(m->lane[i]->spill);
		free(m->lane[i]);
	}
	if (m->fd >= 0)
		close(m->fd);
	pthread_mutex_destroy(&m->lock);
	free(m->dir);
	free(m->lane);
	free(m->heap);
	free(m);
}

struct merge_lane *merge_lane_new(struct merge *m, unsigned int rank, uint64_t place)
{
	struct lane *ln = mem_zeroed(1, sizeof(*ln));

	ln->chunk = mem_new(MERGE_CHUNK);
	ln->rank = rank;
	ln->place = place;
	ln->pub.m = m;
	ln->pub.first = UINT64_MAX;
	ln->pub.cur = ln->chunk;
	ln->pub.end = ln->chunk + MERGE_CHUNK;
	pthread_mutex_lock(&m->lock);
	ln->nr = m->nr;
	*ARRAY_ADD(m->lane, m->nr, m->cap) = ln;
	pthread_mutex_unlock(&m->lock);
	return &ln->pub;
}

struct merge_lane *merge_lanes_add(struct merge_lanes *ls, struct merge *m, unsigned int rank, uint64_t place)
{
	struct merge_lane *ln = merge_lane_new(m, rank, place);

	*ARRAY_ADD(ls->v, ls->nr, ls->cap) = ln;
	return ln;
}

void merge_lane_floor(struct merge_lane *ln, uint64_t floor)
{
	((struct lane *)ln)->floor = floor;
}

void merge_lanes_order(struct merge_lanes *ls, uint64_t number)
{
	size_t i;

	for (i = 0; i < ls->nr; i++)
		((struct lane *)ls->v[i])->order = number;
}

void merge_lanes_drop(struct merge_lanes *ls)
{
	size_t i;

	for (i = 0; i < ls->nr; i++) {
		struct lane *ln = (struct lane *)ls->v[i];

		ln->pub.cur = ln->chunk;
		ln->pub.run = NULL;
		ln->nr_spill = 0;
	}
}

void merge_lanes_free(struct merge_lanes *ls)
{
	free(ls->v);
	*ls = (struct merge_lanes){ .v = NULL };
}

/* ---- the temporary file ----------------------------------------------------------------------- */

/* Allocates `len` bytes of the file at *offset. Returns its descriptor, or -1 with errno. */
static int file_room(struct merge *m, size_t len, uint64_t *offset)
{
	int fd;

	pthread_mutex_lock(&m->lock);
	if (m->fd < 0)
		m->fd = guard_temp(m->dir);
	fd = m->fd;
	*offset = m->file_size;
	m->file_size += len;
	pthread_mutex_unlock(&m->lock);
	return fd;
}

static int result(const struct merge *m)
{
	return m->error ? ERR_IO : 0;
}

const char *merge_why(const struct merge *m)
{
	return strerror(m->error);
}

static void spill(struct merge *m, struct lane *ln, size_t len)
{
	size_t done = 0;
	uint64_t offset;
	ssize_t n;
	int fd;

	array_reserve(&ln->spill, ln->nr_spill, &ln->cap_spill, sizeof(*ln->spill));
	fd = file_room(m, len, &offset);
	while (fd >= 0 && done < len) {
		n = pwrite(fd, ln->chunk + done, len - done, (off_t)(offset + done));
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done < len) {
		pthread_mutex_lock(&m->lock);
		m->error = errno ? errno : EIO;
		pthread_mutex_unlock(&m->lock);
		return;
	}
	ln->spill[ln->nr_spill].offset = offset;
	ln->spill[ln->nr_spill++].len = (uint32_t)len;
}

static bool load(struct merge *m, struct lane *ln)
{
	const struct spill *sp = &ln->spill[ln->next_spill++];
	size_t done = 0;
	ssize_t n;

	while (done < sp->len) {
		n = pread(m->fd, ln->chunk + done, sp->len - done, (off_t)(sp->offset + done));
		if (n <= 0) {
			m->error = n ? errno : EIO;
			return false;
		}
		done += (size_t)n;
	}
	ln->pos = 0;
	ln->fill = sp->len;
	return true;
}

/* ---- writing lanes ---------------------------------------------------------------------------- */

static void run_close(struct merge_lane *pub)
{
	struct run r = { .time = pub->time };

	if (!pub->run)
		return;
	r.len = (uint64_t)(pub->cur - pub->run) - sizeof(r);
	memcpy(pub->run, &r, sizeof(r));
	pub->run = NULL;
}

static void run_open(struct merge_lane *pub)
{
	pub->run = pub->cur;
	pub->cur += sizeof(struct run);
}

static void emit_until(struct merge *m, uint64_t time, unsigned int rank);

static void direct_flush(struct merge *m, struct lane *ln)
{
	size_t len = (size_t)(ln->pub.cur - ln->chunk);

	if (len && m->sink.take)
		ln->chunk = m->sink.take(m->sink.data, ln->chunk, len);
	else if (len)
		m->sink.write(m->sink.data, ln->chunk, len);
	ln->pub.cur = ln->chunk;
	ln->pub.end = ln->chunk + MERGE_CHUNK;
}

void merge_turn(struct merge_lane *pub, uint64_t time)
{
	struct lane *ln = (struct lane *)pub;
	struct merge *m = pub->m;

	if (pub->first == UINT64_MAX)
		pub->first = time;
	if (m->direct == ln) {
		if (time > pub->time || !pub->run) {
			if (time > pub->time)
				pub->time = time;
			/* output of other lanes before this time must be written first */
			if (m->in_heap) {
				direct_flush(m, ln);
				emit_until(m, pub->time, ln->rank);
			}
			pub->run = ln->chunk;
		}
		if ((size_t)(pub->end - pub->cur) < MERGE_PIECE)
			direct_flush(m, ln);
		return;
	}
	run_close(pub);
	if ((size_t)(pub->end - pub->cur) < MERGE_PIECE + sizeof(struct run)) {
		spill(m, ln, (size_t)(pub->cur - ln->chunk));
		pub->cur = ln->chunk;
	}
	if (time > pub->time)
		pub->time = time;
	run_open(pub);
}

/* ---- merging ---------------------------------------------------------------------------------- */

static uint64_t front_time(const struct lane *ln)
{
	uint64_t t;

	memcpy(&t, ln->chunk + ln->pos, sizeof(t));
	return t > ln->floor ? t : ln->floor;
}

/* Writes the run at the front of a lane to the sink. */
static void write_run(struct merge *m, struct lane *ln)
{
	uint8_t *bytes = ln->chunk + ln->pos + sizeof(struct run);
	struct run r;

	memcpy(&r, ln->chunk + ln->pos, sizeof(r));
	if (r.time < ln->floor && m->sink.raise)
		m->sink.raise(m->sink.data, bytes, r.len, ln->floor);
	m->sink.write(m->sink.data, bytes, r.len);
	ln->pos += sizeof(r) + r.len;
}

static bool before(const struct lane *a, const struct lane *b)
{
	uint64_t ta = front_time(a), tb = front_time(b);

	if (ta != tb)
		return ta < tb;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (a->place != b->place)
		return a->place < b->place;
	return a->order != b->order ? a->order < b->order : a->nr < b->nr;
}

static void sift_down(struct merge *m, size_t i)
{
	struct lane *ln = m->heap[i];
	size_t c;

	for (;;) {
		c = 2 * i + 1;
		if (c >= m->in_heap)
			break;
		if (c + 1 < m->in_heap && before(m->heap[c + 1], m->heap[c]))
			c++;
		if (!before(m->heap[c], ln))
			break;
		m->heap[i] = m->heap[c];
		i = c;
	}
	m->heap[i] = ln;
}

static void heap_add(struct merge *m, struct lane *ln)
{
	size_t i = m->in_heap++;

	while (i && before(ln, m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = ln;
}

/* Prepares a written lane for reading. Returns false if it is empty. */
static bool lane_begin(struct merge *m, struct lane *ln)
{
	size_t tail;

	run_close(&ln->pub);
	tail = (size_t)(ln->pub.cur - ln->chunk);
	ln->complete = true;
	ln->next_spill = 0;
	ln->pos = 0;
	ln->fill = tail;
	if (!ln->nr_spill)
		return tail != 0;
	if (tail)
		spill(m, ln, tail);
	return !m->error && load(m, ln);
}

/* Writes the front run of the first lane and moves to its next one. */
static void emit_front(struct merge *m)
{
	struct lane *ln = m->heap[0];

	write_run(m, ln);
	if (ln->pos == ln->fill && (ln->next_spill == ln->nr_spill || !load(m, ln)))
		m->heap[0] = m->heap[--m->in_heap];
	if (m->in_heap)
		sift_down(m, 0);
}

static void emit_until(struct merge *m, uint64_t time, unsigned int rank)
{
	while (m->in_heap && (front_time(m->heap[0]) < time ||
			      (front_time(m->heap[0]) == time && m->heap[0]->rank <= rank)))
		emit_front(m);
}

static int begin_all(struct merge *m)
{
	size_t i;

	m->heap = mem_more(m->heap, m->nr + 1, sizeof(*m->heap));
	for (i = 0; i < m->nr && !m->error; i++)
		if (m->lane[i] != m->direct && !m->lane[i]->complete && lane_begin(m, m->lane[i]))
			heap_add(m, m->lane[i]);
	return result(m);
}

int merge_direct(struct merge *m, struct merge_lane *pub)
{
	m->direct = (struct lane *)pub;
	return begin_all(m);
}

/* Frees a lane's space in the file, which some file systems ignore. */
static void give_back(struct merge *m, const struct lane *ln)
{
	size_t i;

	for (i = 0; i < ln->nr_spill; i++)
		fallocate(m->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)ln->spill[i].offset,
			  (off_t)ln->spill[i].len);
}

int merge_direct_lane(struct merge *m, struct merge_lane *from)
{
	struct lane *ln = (struct lane *)from;

	if (lane_begin(m, ln)) {
		do {
			while (ln->pos < ln->fill) {
				merge_turn(&m->direct->pub, front_time(ln));
				direct_flush(m, m->direct);
				write_run(m, ln);
			}
		} while (ln->next_spill < ln->nr_spill && load(m, ln));
	}
	give_back(m, ln);
	return result(m);
}

int merge_finish(struct merge *m)
{
	int rc = begin_all(m);

	if (rc)
		return rc;
	if (m->direct)
		direct_flush(m, m->direct);
	while (m->in_heap && !m->error)
		emit_front(m);
	return result(m);
}
