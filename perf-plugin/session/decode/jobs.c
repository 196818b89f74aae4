/* SPDX-License-Identifier: GPL-2.0-only */
/* jobs.c - divides the trace into shards, decodes them in threads, and takes their results in order. */
#include "session/decode/jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/files/mapped.h"
#include "base/messages.h"
#include "base/thread.h"
#include "session/decode/cut.h"
#include "session/decode/decode.h"
#include "session/decode/tally.h"
#include "session/decode/run.h"

const struct shard_ops shards_stateless = { .by_fragment = true, .stateless = true };

/* Minimum amount of trace per thread, unless the user sets the number of threads. */
#define BYTES_PER_THREAD (1u << 20)

/* Minimum and maximum size of a shard, except for buffers that cannot be divided. */
#define MIN_SHARD (1u << 18)
#define MAX_SHARD (16u << 20)

/* Maximum number of results that are not taken yet, per thread. */
#define AHEAD 2u

/* Interval of progress messages in ns. */
#define PROGRESS_STEP 200000000u

/* A shard of the trace and its result. */
struct shard {
	struct queue *q;
	size_t first, end;	/* fragments [first, end) of the queue */
	struct cut cut;		/* the cut of the fragment, if it is one */
	bool begun, done;
	bool stale;		/* decoded with a replica whose earlier shards were dropped */
	int rc;
	unsigned int by;	/* index of the thread */
	struct tally tally;
	struct messages messages;
	struct learned in, out;
	struct learn_log *log;
	void *shard;		/* owned by the consumer */
};

struct worker {
	struct jobs *j;
	unsigned int number;
	pthread_t thread;
	struct session *ss;
	struct run run;
	struct consumer con;
	void *shard;		/* with `sums`: the shard of all the thread's jobs */
	int ended;		/* result of its shard_end() */
	bool dropped;		/* a result of this thread was rejected: its replica has learned wrong facts */
	_Atomic uint64_t bytes;	/* decoded so far */
};

struct jobs {
	struct session *ss;
	const struct consumer *con;
	struct shard *v;
	size_t nr, cap;
	struct worker *w;
	unsigned int nr_w;

	pthread_mutex_t lock;	/* protects the following fields, and job.begun, job.done and worker.dropped */
	pthread_cond_t changed;
	size_t next;		/* the first job that no thread has begun */
	size_t taken;		/* number of jobs whose results are in the session */
	size_t covered;		/* the calling thread decodes, or has decoded, the cuts before this job */
	unsigned int running;	/* number of threads that take jobs */
	bool made;		/* all jobs are in `v` */
	bool stop;
	struct learned now;	/* facts learned at the end of the jobs taken */
	struct session **old;	/* replicas that do not decode any more */
	size_t nr_old, cap_old;

	struct queue *asked;	/* the last buffer of which it was asked whether its fragments can be divided ... */
	bool divisible;		/* ... and if they can */
	struct messages printed;	/* messages printed on stderr so far */
	struct run run;		/* run of the calling thread */
	void *here;		/* shard of the calling thread, as in struct worker */
	bool again;		/* sums include a result that was rejected */
};

/* Adds a job, for a cut of the fragment if `cut` is not NULL. */
static int add_job(struct jobs *j, struct queue *q, size_t first, size_t end, const struct cut *cut)
{
	struct shard *job = ARRAY_ADD(j->v, j->nr, j->cap);

	if (!job)
		return ERR_NOMEM;
	memset(job, 0, sizeof(*job));
	job->q = q;
	job->first = first;
	job->end = end;
	if (cut)
		job->cut = *cut;
	return 0;
}

/*
 * True if the fragments of the buffers can be decoded independently. Decoders are reset at each fragment, but changed
 * owners of trace IDs and the gaps of a filter carry over.
 */
static bool fragments_are_independent(const struct session *ss)
{
	return !ss->chosen.filter && !ss->units.ids_change;
}

/* Returns the number of fragments or, if they are not divided, of buffers, and the size of the largest one. */
static size_t count_parts(const struct session *ss, bool divided, uint64_t *largest)
{
	const struct queue *q;
	size_t i, k, n = 0;
	uint64_t size;

	*largest = 0;
	for (i = 0; i < ss->queues.nr; i++) {
		q = ss->queues.q[i];
		n += divided ? q->nr_frags : q->nr_frags != 0;
		for (size = 0, k = 0; k < q->nr_frags; k++) {
			size = q->frags[k].pub.size + (divided ? 0 : size);
			if (size > *largest)
				*largest = size;
		}
	}
	return n;
}

size_t session_parts(const struct session *ss, uint64_t *largest)
{
	/* a log of the trace has an order of its own */
	return count_parts(ss, fragments_are_independent(ss) && !ss->opts.log, largest);
}

/*
 * Size of the next shard: large at first, since each has a fixed cost, and small at the end, so that all threads end
 * together.
 */
static uint64_t shard_size(const struct jobs *j, uint64_t left, unsigned int threads)
{
	const uint64_t size = left / (2 * threads), min = j->ss->opts.jobs_asked ? 1 : MIN_SHARD;
	const uint64_t max = j->con->shards->max_size ? j->con->shards->max_size : MAX_SHARD;

	return size > max ? max : size < min ? min : size;
}

/* True if the fragment is large enough to be divided, and in one shard. */
static bool is_large(const struct fragment *f)
{
	return f->nr_parts == 1 && f->pub.size >= 2 * CUT_MIN;
}

/* True if the trace of a large fragment can be divided. */
static bool can_cut(struct session *ss, struct queue *q, struct fragment *f, unsigned int threads)
{
	f->pub.data = fragment_bytes(NULL, q, f);
	queues_find_ids(&q, 1, threads);
	return cut_possible(ss, q, f);
}

bool session_divides(struct session *ss)
{
	struct fragment *f, *largest = NULL;
	struct queue *q, *of = NULL;
	size_t i, k;

	for (i = 0; i < ss->queues.nr; i++) {
		q = ss->queues.q[i];
		for (k = 0; k < q->nr_frags; k++) {
			f = &q->frags[k];
			if (largest && f->pub.size <= largest->pub.size)
				continue;
			largest = f;
			of = q;
		}
	}
	return largest && is_large(largest) && fragments_are_independent(ss) && can_cut(ss, of, largest, session_jobs(ss));
}

/* True if the consumer can take cuts of fragments. */
static bool takes_cuts(const struct consumer *con)
{
	return con->shards->by_fragment && !con->wants.times && (con->shards->digest || con->shards->stateless);
}

/* True if fragment `i` is larger than the next shard, and can be divided. Fragments of a buffer are like its first one. */
static bool is_divisible(struct jobs *j, struct queue *q, size_t i, uint64_t want)
{
	struct fragment *f = &q->frags[i];

	if (!takes_cuts(j->con) || !j->nr_w || f->pub.size <= want || !is_large(f))
		return false;
	if (j->asked != q) {
		j->asked = q;
		j->divisible = can_cut(j->ss, q, f, j->nr_w);
	}
	/* for all threads */
	f->pub.data = fragment_bytes(NULL, q, f);
	return j->divisible;
}

static int divide_fragment(struct jobs *j, struct queue *q, size_t i, uint64_t *left, unsigned int threads)
{
	const struct fragment *f = &q->frags[i];
	const uint64_t end = f->pub.offset + f->pub.size;
	struct cut c = { .to = f->pub.offset };
	uint64_t want;

	while (c.to < end) {
		want = shard_size(j, *left, threads);
		if (want < CUT_MIN)
			want = CUT_MIN;
		c.from = c.to;
		c.to = (c.from + want + CUT_STEP - 1) / CUT_STEP * CUT_STEP;
		if (c.to > end || end - c.to < want / 2)
			c.to = end;
		if (add_job(j, q, i, i + 1, &c))
			return ERR_NOMEM;
		*left -= c.to - c.from < *left ? c.to - c.from : *left;
	}
	return 0;
}

static int divide(struct jobs *j, struct queue *q, uint64_t *left, unsigned int threads)
{
	uint64_t size = 0, want = shard_size(j, *left, threads), max = j->con->shards->max_size;
	size_t i, first = 0;

	for (i = 0; i < q->nr_frags; i++) {
		if (is_divisible(j, q, i, want)) {
			if ((first < i && add_job(j, q, first, i, NULL)) || divide_fragment(j, q, i, left, threads))
				return ERR_NOMEM;
			want = shard_size(j, *left, threads);
			first = i + 1;
			size = 0;
			continue;
		}
		size += q->frags[i].pub.size;
		if (size < want && i + 1 < q->nr_frags && !(max && size + q->frags[i + 1].pub.size > max))
			continue;
		if (add_job(j, q, first, i + 1, NULL))
			return ERR_NOMEM;
		*left -= size < *left ? size : *left;
		want = shard_size(j, *left, threads);
		first = i + 1;
		size = 0;
	}
	return 0;
}

static int make_jobs(struct jobs *j, unsigned int threads)
{
	const struct queues *qs = &j->ss->queues;
	uint64_t left = j->ss->bytes_total;
	bool independent = j->con->shards->by_fragment && fragments_are_independent(j->ss);
	struct queue *q;
	size_t i;
	int rc = 0;

	for (i = 0; i < qs->nr && !rc; i++) {
		q = qs->q[i];
		rc = independent ? divide(j, q, &left, threads) : add_job(j, q, 0, q->nr_frags, NULL);
	}
	pthread_mutex_lock(&j->lock);
	j->made = !rc;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	return rc;
}

unsigned int session_jobs(const struct session *ss)
{
	uint64_t want = ss->opts.jobs, bytes = session_trace_bytes(ss);

	if (!ss->opts.jobs_asked && want > bytes / BYTES_PER_THREAD)
		want = bytes / BYTES_PER_THREAD;
	return want ? (unsigned int)want : 1;
}

unsigned int session_max_streams(const struct session *ss)
{
	unsigned int n = 0, id;
	size_t i;

	queues_find_ids(ss->queues.q, ss->queues.nr, session_jobs(ss));
	for (i = 0; i < ss->queues.nr; i++) {
		const struct queue *q = ss->queues.q[i];

		if (q->any_raw)
			n += q->cpu >= 0 ? 1 : ss->units.info.nr_cpu;
		for (id = 1; id < 0x70; id++)
			n += q->ids[id >> 6] >> (id & 63) & 1;
	}
	return n;
}

unsigned int jobs_threads(const struct session *ss, const struct consumer *con)
{
	uint64_t want = ss->opts.jobs, largest;
	size_t n;

	if (want < 2 || !con->shards || ss->opts.log)
		return 1;
	n = count_parts(ss, con->shards->by_fragment && fragments_are_independent(ss), &largest);
	if (takes_cuts(con) && fragments_are_independent(ss))
		n += session_trace_bytes(ss) / (2 * CUT_MIN);
	if (want > n)
		want = n;
	if (want > session_jobs(ss))
		want = session_jobs(ss);
	return want ? (unsigned int)want : 1;
}

/* ---- a thread that decodes --------------------------------------------------------------------- */

/* Makes the replica begin with the facts that the session would have learned from the shards before. */
static void begin_learned(struct session *ss, const struct learned *in, struct learn_log *log)
{
	who_restart(ss);
	ss->tasks.own = in->own;
	ss->tasks.contextid = in->contextid;
	ss->tasks.own.log = ss->tasks.contextid.log = log;
}

static struct learned what_is_learned(const struct session *ss)
{
	struct learned l = { .own = ss->tasks.own, .contextid = ss->tasks.contextid };

	l.own.log = l.contextid.log = NULL;
	return l;
}

/* Frees the memory of a job's trace, which is read from the file again if its result is rejected. */
static void drop_trace(const struct shard *job)
{
	const struct session_fragment *f;
	size_t i;

	for (i = job->first; i < job->end; i++) {
		f = &job->q->frags[i].pub;
		if (job->cut.to)
			mapped_drop(f->data + (job->cut.from - f->offset), job->cut.to - job->cut.from);
		else
			mapped_drop(f->data, f->size);
	}
}

static int decode(struct worker *w, struct shard *job)
{
	const struct consumer *con = w->j->con;
	int rc;

	job->log = calloc(1, sizeof(*job->log));
	if (con->shards->make && !con->shards->sums)
		w->con.data = job->shard = con->shards->make(con->data, w->ss);
	if (!job->log || !w->con.data != !con->data)
		return ERR_NOMEM;
	session_zero_counts(w->ss);
	begin_learned(w->ss, &job->in, job->log);
	rc = job->cut.to ? run_cut(&w->run, job->q, job->first, &job->cut, con, false) :
			   run_fragments(&w->run, job->q, job->first, job->end);
	job->out = what_is_learned(w->ss);
	drop_trace(job);
	return tally_take(&job->tally, w->ss) ? ERR_NOMEM : rc;
}

static bool renew(struct worker *w)
{
	const struct consumer *con = w->j->con;
	struct session **old;
	bool ok = true;

	if (w->ss) {
		pthread_mutex_lock(&w->j->lock);
		old = ARRAY_ADD(w->j->old, w->j->nr_old, w->j->cap_old);
		if (old)
			*old = w->ss;
		pthread_mutex_unlock(&w->j->lock);
		run_close(&w->run);
		ok = old;
	}
	if (!ok)
		return false;
	/* its sums include the rejected result: everything is decoded again */
	if (w->shard)
		con->shards->free(w->shard);
	w->shard = NULL;
	w->con = *con;
	w->ss = session_replica(w->j->ss);
	if (!w->ss || run_open(&w->run, w->ss, &w->con, &w->bytes))
		return false;
	if (con->shards->make && con->shards->sums)
		w->con.data = w->shard = con->shards->make(con->data, w->ss);
	return !con->shards->sums || !con->shards->make || w->shard;
}

/* Returns the next job, NULL if there is none. Called with the lock. */
static struct shard *next_job(struct jobs *j)
{
	const size_t max = j->con->shards->max_ahead;
	size_t ahead = AHEAD * j->nr_w;
	struct shard *job;

	if (max && ahead > max)
		ahead = max;
	while (!j->stop && j->next < j->nr && j->next >= j->taken + ahead)
		pthread_cond_wait(&j->changed, &j->lock);
	if (j->next < j->covered)
		j->next = j->covered;
	if (j->stop || j->next == j->nr)
		return NULL;
	job = &j->v[j->next++];
	job->begun = true;
	job->in = j->now;
	return job;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct jobs *j = w->j;
	struct shard *job;
	bool ok;

	pthread_mutex_lock(&j->lock);
	while (!j->made && !j->stop)
		pthread_cond_wait(&j->changed, &j->lock);
	/* a thread without work needs no replica */
	ok = w->number < j->nr && !j->stop;
	pthread_mutex_unlock(&j->lock);
	ok = ok && renew(w);
	pthread_mutex_lock(&j->lock);
	while (ok && (job = next_job(j))) {
		job->by = w->number;
		pthread_mutex_unlock(&j->lock);
		messages_record(&job->messages);
		job->rc = decode(w, job);
		messages_record(NULL);
		pthread_mutex_lock(&j->lock);
		job->stale = w->dropped;
		job->done = true;
		pthread_cond_broadcast(&j->changed);
		if (!w->dropped)
			continue;
		w->dropped = false;
		pthread_mutex_unlock(&j->lock);
		ok = renew(w);
		pthread_mutex_lock(&j->lock);
	}
	j->running--;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	if (w->shard) {
		if (j->con->shards->end)
			w->ended = j->con->shards->end(w->shard);
		/* the sums do not refer to the code, which the threads free side by side */
		run_close(&w->run);
		spaces_free(&w->ss->images.spaces, &w->ss->tasks.threads);
	}
	return NULL;
}

static void start(struct jobs *j, unsigned int threads)
{
	unsigned int i;

	for (i = 0; i < threads; i++) {
		struct worker *w = &j->w[i];

		w->j = j;
		w->number = i;
		pthread_mutex_lock(&j->lock);
		j->running++;
		j->nr_w++;
		pthread_mutex_unlock(&j->lock);
		if (!thread_start(&w->thread, work, w))
			continue;
		pthread_mutex_lock(&j->lock);
		j->running--;
		j->nr_w--;
		pthread_mutex_unlock(&j->lock);
		break;
	}
}

/* ---- the thread that called -------------------------------------------------------------------- */

static void free_result(struct jobs *j, struct shard *job)
{
	if (job->shard)
		j->con->shards->free(job->shard);
	job->shard = NULL;
	tally_free(&job->tally);
	messages_free(&job->messages);
	free(job->log);
	job->log = NULL;
}

static void set_now(struct jobs *j, const struct learned *now)
{
	pthread_mutex_lock(&j->lock);
	j->now = *now;
	pthread_mutex_unlock(&j->lock);
}

/*
 * Decodes a cut, and the rest of its fragment: its state is known now, and a further cut would need the whole fragment
 * before it as lead again.
 */
static int run_rest(struct jobs *j, const struct shard *job)
{
	const struct session_fragment *f = &job->q->frags[job->first].pub;
	struct cut rest = { .from = job->cut.from, .to = f->offset + f->size };
	const struct shard *next = job + 1, *end = j->v + j->nr;

	while (next < end && next->q == job->q && next->first == job->first)
		next++;
	pthread_mutex_lock(&j->lock);
	j->covered = (size_t)(next - j->v);
	pthread_mutex_unlock(&j->lock);
	return run_cut(&j->run, job->q, job->first, &rest, j->con, true);
}

/* Decodes a shard in the session itself, after all shards before it. */
static int decode_here(struct jobs *j, struct shard *job)
{
	const struct consumer *con = j->con;
	struct consumer mine = *con;
	struct session *ss = j->ss;
	struct messages messages = { .v = NULL };
	struct learned now;
	void *shard = NULL;
	size_t i;
	int rc;

	for (i = job->first; ss->chosen.filter && i < job->end; i++)
		if (job->q->frags[i].aux)
			job->q->frags[i].aux->counted = false;
	ss->tasks.own = j->now.own;
	ss->tasks.contextid = j->now.contextid;
	if (con->shards->make && !con->shards->sums)
		mine.data = shard = con->shards->make(con->data, ss);
	else if (con->shards->make && !j->here)
		j->here = con->shards->make(con->data, ss);
	if (j->here)
		mine.data = j->here;
	if (con->shards->make && !shard && !j->here)
		return ERR_NOMEM;
	if (shard && con->shards->resume)
		con->shards->resume(con->data, shard);
	j->run.con = &mine;
	messages_record(&messages);
	rc = job->cut.to ? run_rest(j, job) : run_fragments(&j->run, job->q, job->first, job->end);
	messages_record(NULL);
	messages_print(&messages, &j->printed);
	messages_free(&messages);
	now = what_is_learned(ss);
	set_now(j, &now);
	if (!shard)
		return rc;
	if (!rc)
		rc = con->shards->take(con->data, shard);
	con->shards->free(shard);
	return rc;
}

/* True if the shard began in the state in which the one before it ended. */
static bool continues(const struct shard *job)
{
	const struct cut *c = &job->cut, *before = &job[-1].cut;

	return !c->to || c->from == job->q->frags[job->first].pub.offset || (c->begin && c->begin == before->end);
}

/* Adds the result of a thread to the session. Returns false if the result would differ after the shards before it. */
static bool accept(struct jobs *j, struct shard *job, int *rc)
{
	const struct consumer *con = j->con;
	struct learned now = j->now;

	*rc = job->rc;
	if (*rc == ERR_NOMEM)
		return true;
	if (*rc == SESSION_UNFIT)
		return false;
	if (!*rc && job->shard && con->shards->fits && !con->shards->fits(con->data, job->shard))
		return false;
	if ((con->shards->by_process && job->tally.left_undone) || !continues(job))
		return false;
	if (job->stale || !learned_holds(&now, &job->in, &job->out, job->log) || !tally_add(j->ss, &job->tally))
		return false;
	set_now(j, &now);
	messages_print(&job->messages, &j->printed);
	if (!*rc && job->shard)
		*rc = con->shards->take(con->data, job->shard);
	return true;
}

static uint64_t bytes_decoded(struct jobs *j)
{
	uint64_t sum = j->run.ss->bytes_done;
	unsigned int i;

	for (i = 0; i < j->nr_w; i++)
		sum += j->w[i].bytes;
	return sum;
}

/* Waits until the job is done. Returns false if no thread will do it. */
static bool wait_for(struct jobs *j, struct shard *job, size_t number)
{
	struct timespec until;
	bool done;

	pthread_mutex_lock(&j->lock);
	while (!job->done && (number < j->next || j->running)) {
		if (!j->run.progress.shown) {
			pthread_cond_wait(&j->changed, &j->lock);
			continue;
		}
		run_progress(&j->run, bytes_decoded(j));
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PROGRESS_STEP;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&j->changed, &j->lock, &until);
	}
	done = job->done;
	pthread_mutex_unlock(&j->lock);
	return done;
}

static void drop(struct jobs *j, const struct shard *job)
{
	pthread_mutex_lock(&j->lock);
	/* after a stale result the thread has a new replica already */
	j->w[job->by].dropped |= !job->stale;
	/* owners of ASIDs are learned from buffer to buffer, so further parallel results would be rejected, too */
	j->again = j->con->shards->sums;
	j->stop |= job->log->ordered || job->rc == SESSION_UNFIT || j->again;
	pthread_mutex_unlock(&j->lock);
}

/* Drops the result of a cut that the calling thread has decoded, if another one has begun it. */
static int pass_over(struct jobs *j, struct shard *job, size_t number)
{
	bool begun;

	pthread_mutex_lock(&j->lock);
	begun = job->begun;
	pthread_mutex_unlock(&j->lock);
	if (!begun || !wait_for(j, job, number))
		return 0;
	if (job->rc == ERR_NOMEM)
		return ERR_NOMEM;
	drop(j, job);
	return 0;
}

static int take_all(struct jobs *j)
{
	struct shard *job;
	int rc = 0;
	size_t i;

	for (i = 0; i < j->nr && !rc; i++) {
		job = &j->v[i];
		if (i < j->covered) {
			rc = pass_over(j, job, i);
		} else if (!wait_for(j, job, i)) {
			rc = decode_here(j, job);
		} else if (!accept(j, job, &rc)) {
			drop(j, job);
			rc = j->again ? 0 : decode_here(j, job);
		}
		j->again |= j->con->shards->by_process && j->ss->left_undone;
		if (j->again)
			break;
		free_result(j, job);
		pthread_mutex_lock(&j->lock);
		j->taken = i + 1;
		pthread_cond_broadcast(&j->changed);
		pthread_mutex_unlock(&j->lock);
	}
	return rc;
}

static void join_threads(struct jobs *j)
{
	unsigned int i;

	pthread_mutex_lock(&j->lock);
	j->stop = true;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	for (i = 0; i < j->nr_w; i++)
		pthread_join(j->w[i].thread, NULL);
}

/* Decodes everything again, because rejected results cannot be removed from the sums. */
static int decode_again(struct jobs *j)
{
	struct session *ss = j->ss;
	struct messages messages = { .v = NULL };
	size_t i;
	int rc = 0;

	run_restart(ss);
	run_close(&j->run);
	cst_counts_free(ss->images.spaces.counts);
	ss->images.spaces.counts = NULL;
	messages_record(&messages);
	if (run_open(&j->run, ss, j->con, NULL))
		rc = ERR_NOMEM;
	for (i = 0; i < ss->queues.nr && !rc; i++)
		rc = run_fragments(&j->run, ss->queues.q[i], 0, ss->queues.q[i]->nr_frags);
	messages_record(NULL);
	messages_print(&messages, &j->printed);
	messages_free(&messages);
	j->now = what_is_learned(ss);
	return rc;
}

/* Adds the sums of each thread to the consumer. */
static int take_sums(struct jobs *j)
{
	const struct consumer *con = j->con;
	unsigned int i;
	int rc = j->here ? con->shards->take(con->data, j->here) : 0;

	for (i = 0; i < j->nr_w && !rc; i++) {
		rc = j->w[i].ended;
		if (!rc && j->w[i].shard)
			rc = con->shards->take(con->data, j->w[i].shard);
	}
	return rc;
}

static void free_sums(struct jobs *j)
{
	unsigned int i;

	if (j->here)
		j->con->shards->free(j->here);
	for (i = 0; i < j->nr_w; i++)
		if (j->w[i].shard)
			j->con->shards->free(j->w[i].shard);
}

static void finish(struct jobs *j)
{
	unsigned int i;
	size_t k;

	free_sums(j);
	for (k = 0; k < j->nr; k++)
		free_result(j, &j->v[k]);
	for (k = 0; k < j->nr_old; k++) {
		session_adopt_files(j->ss, j->old[k]);
		session_replica_free(j->old[k]);
	}
	for (i = 0; i < j->nr_w; i++) {
		run_close(&j->w[i].run);
		if (j->w[i].ss)
			session_adopt_files(j->ss, j->w[i].ss);
		session_replica_free(j->w[i].ss);
	}
	run_close(&j->run);
	messages_free(&j->printed);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	free(j->old);
	free(j->w);
	free(j->v);
}

int jobs_run(struct session *ss, const struct consumer *con, unsigned int threads)
{
	struct jobs j = { .ss = ss, .con = con };
	int rc;

	pthread_mutex_init(&j.lock, NULL);
	pthread_cond_init(&j.changed, NULL);
	j.now = what_is_learned(ss);
	rc = session_before_replicas(ss);
	j.w = calloc(threads, sizeof(*j.w));
	if (!rc)
		rc = j.w && !run_open(&j.run, ss, con, NULL) ? 0 : ERR_NOMEM;
	if (!rc) {
		start(&j, threads);
		rc = make_jobs(&j, threads);
	}
	if (!rc)
		rc = take_all(&j);
	join_threads(&j);
	if (j.again)
		rc = decode_again(&j);
	else if (!rc && con->shards->sums)
		rc = take_sums(&j);
	ss->tasks.own = j.now.own;
	ss->tasks.contextid = j.now.contextid;
	finish(&j);
	return rc;
}
