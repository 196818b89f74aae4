/* SPDX-License-Identifier: GPL-2.0-only */
/* jobs.c - divides the trace into shards, decodes them in threads, and takes their results in order. */
#include "session/decode/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/files/mapped.h"
#include "base/messages.h"
#include "base/workers.h"
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
	bool stale;		/* decoded with a replica whose earlier shards were dropped */
	int rc;
	struct worker *by;
	struct tally tally;
	struct messages messages;
	struct learned in, out;
	struct learn_log *log;
	void *shard;		/* owned by the consumer */
};

struct worker {
	struct jobs *j;
	struct session *ss;	/* NULL: not made yet */
	struct run run;
	struct consumer con;
	void *shard;		/* with `sums`: of all jobs of the thread, owned by the consumer */
	_Atomic bool dropped;	/* a result was rejected: the replica has learned wrong facts */
	_Atomic uint64_t bytes;	/* decoded so far */
	struct session **old;	/* replicas that do not decode any more */
	size_t nr_old, cap_old;
};

struct jobs {
	struct session *ss;
	const struct consumer *con;
	struct shard *v;
	size_t nr, cap;
	struct worker *w;	/* the first one is the calling thread */
	unsigned int nr_w;
	struct workers *workers;
	size_t here;		/* number of jobs at the begin that the calling thread decodes */
	size_t covered;		/* the calling thread has decoded the cuts before this job ... */
	size_t not_begun;	/* ... and no thread has begun those from here on */
	struct learned now;	/* at the end of the jobs taken; written with workers_lock() */

	struct queue *asked;	/* the last buffer of which it was asked whether its fragments can be divided ... */
	bool divisible;		/* ... and if they can */
	struct messages printed;	/* messages printed on stderr so far */
	bool again;		/* sums include a result that was rejected */
};

/* Adds a job, for a cut of the fragment if `cut` is not NULL. */
static void add_job(struct jobs *j, struct queue *q, size_t first, size_t end,
		    const struct cut *cut)
{
	struct shard *job = ARRAY_ADD(j->v, j->nr, j->cap);

	memset(job, 0, sizeof(*job));
	job->q = q;
	job->first = first;
	job->end = end;
	if (cut)
		job->cut = *cut;
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
	return f->nr_parts == 1 && !f->pub.window && f->pub.size >= 2 * CUT_MIN;
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
static bool is_divisible(struct jobs *j, struct queue *q, size_t i, uint64_t want,
			 unsigned int threads)
{
	struct fragment *f = &q->frags[i];

	if (!takes_cuts(j->con) || f->pub.size <= want || !is_large(f))
		return false;
	if (j->asked != q) {
		j->asked = q;
		j->divisible = can_cut(j->ss, q, f, threads);
	}
	/* for all threads */
	f->pub.data = fragment_bytes(NULL, q, f);
	return j->divisible;
}

static void divide_fragment(struct jobs *j, struct queue *q, size_t i, uint64_t *left,
			    unsigned int threads)
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
		add_job(j, q, i, i + 1, &c);
		*left -= c.to - c.from < *left ? c.to - c.from : *left;
	}
}

static void divide(struct jobs *j, struct queue *q, uint64_t *left, unsigned int threads)
{
	uint64_t size = 0, want = shard_size(j, *left, threads), max = j->con->shards->max_size;
	size_t i, first = 0;

	for (i = 0; i < q->nr_frags; i++) {
		if (is_divisible(j, q, i, want, threads)) {
			if (first < i)
				add_job(j, q, first, i, NULL);
			divide_fragment(j, q, i, left, threads);
			want = shard_size(j, *left, threads);
			first = i + 1;
			size = 0;
			continue;
		}
		size += q->frags[i].pub.size;
		if (size < want && i + 1 < q->nr_frags && !(max && size + q->frags[i + 1].pub.size > max))
			continue;
		add_job(j, q, first, i + 1, NULL);
		*left -= size < *left ? size : *left;
		want = shard_size(j, *left, threads);
		first = i + 1;
		size = 0;
	}
}

static void make_jobs(struct jobs *j, unsigned int threads)
{
	const struct queues *qs = &j->ss->queues;
	uint64_t left = j->ss->bytes_total;
	bool independent = j->con->shards->by_fragment && fragments_are_independent(j->ss);
	struct queue *q;
	size_t i;

	for (i = 0; i < qs->nr; i++) {
		q = qs->q[i];
		if (independent)
			divide(j, q, &left, threads);
		else
			add_job(j, q, 0, q->nr_frags, NULL);
	}
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

/* Makes the consumer's shard, for the job or for all of the thread. */
static void make_shard(struct worker *w, struct shard *job)
{
	const struct consumer *con = w->j->con;
	void **shard = con->shards->sums ? &w->shard : &job->shard;

	if (con->shards->make && !*shard)
		w->con.data = *shard = con->shards->make(con->data, w->ss);
}

bool session_shard_first(const struct session *ss)
{
	return !ss->shard.workers || ss->shard.first;
}

bool session_shard_turn(const struct session *ss, bool wait)
{
	return !ss->shard.workers || workers_turn(ss->shard.workers, ss->shard.job, wait);
}

static int decode(struct worker *w, struct shard *job)
{
	int rc;

	job->log = mem_zeroed(1, sizeof(*job->log));
	w->ss->shard.workers = w->j->workers;
	w->ss->shard.job = (size_t)(job - w->j->v);
	w->ss->shard.first = !job->first && !job->cut.to;
	make_shard(w, job);
	session_zero_counts(w->ss);
	workers_lock(w->j->workers);
	job->in = w->j->now;
	workers_unlock(w->j->workers);
	begin_learned(w->ss, &job->in, job->log);
	rc = job->cut.to ? run_cut(&w->run, job->q, job->first, &job->cut, w->j->con, false) :
			   run_fragments(&w->run, job->q, job->first, job->end);
	job->out = what_is_learned(w->ss);
	drop_trace(job);
	tally_take(&job->tally, w->ss);
	return rc;
}

/* Makes a replica, in place of the one that has learned wrong facts. */
static bool renew(struct worker *w)
{
	if (w->ss) {
		*ARRAY_ADD(w->old, w->nr_old, w->cap_old) = w->ss;
		run_close(&w->run);
	}
	w->dropped = false;
	w->ss = session_replica(w->j->ss);
	if (w->ss)
		run_open(&w->run, w->ss, &w->con, &w->bytes);
	return w->ss;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct jobs *j = w->j;
	struct shard *job;
	bool ok = true;
	size_t i;

	while (ok && workers_next(j->workers, &i)) {
		job = &j->v[i];
		job->by = w;
		ok = (w->ss && !w->dropped) || renew(w);
		messages_record(&job->messages);
		/* without a replica, the calling thread decodes */
		job->rc = ok ? decode(w, job) : SESSION_UNFIT;
		messages_record(NULL);
		job->stale = w->dropped;
		workers_done(j->workers, i);
	}
	if (w->shard) {
		if (j->con->shards->end)
			j->con->shards->end(w->shard);
		/* the sums do not refer to the code, which the threads free side by side */
		run_close(&w->run);
		session_free_spaces(w->ss);
	}
	return NULL;
}

/* Begins in the calling thread, and in as many others as can be started. */
static void start(struct jobs *j, unsigned int threads)
{
	const size_t max = j->con->shards->max_ahead, ahead = AHEAD * threads;
	struct worker *w = j->w = mem_zeroed(threads + 1, sizeof(*w));

	j->workers = workers_new(threads, j->nr, max && ahead > max ? max : ahead);
	if (j->con->shards->first_here && !j->v[0].cut.to) {
		j->here = 1;
		workers_skip(j->workers, j->here);
	}
	for (; w <= j->w + threads; w++) {
		w->j = j;
		w->con = *j->con;
	}
	w = j->w;
	w->ss = j->ss;
	j->nr_w = 1;
	run_open(&w->run, w->ss, &w->con, NULL);
	while (j->nr_w <= threads && workers_start(j->workers, work, &w[j->nr_w]))
		j->nr_w++;
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
	workers_lock(j->workers);
	j->now = *now;
	workers_unlock(j->workers);
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
	j->covered = (size_t)(next - j->v);
	j->not_begun = workers_skip(j->workers, j->covered);
	return run_cut(&j->w->run, job->q, job->first, &rest, j->con, true);
}

/* Decodes a shard in the session itself, after all shards before it. */
static int decode_here(struct jobs *j, struct shard *job)
{
	const struct consumer *con = j->con;
	struct session *ss = j->ss;
	struct messages *was;
	struct learned now;
	size_t i;
	int rc;

	free_result(j, job);
	for (i = job->first; ss->chosen.filter && i < job->end; i++)
		if (job->q->frags[i].aux)
			job->q->frags[i].aux->counted = false;
	ss->tasks.own = j->now.own;
	ss->tasks.contextid = j->now.contextid;
	make_shard(j->w, job);
	if (job->shard && con->shards->resume)
		con->shards->resume(con->data, job->shard);
	was = messages_record(&job->messages);
	rc = job->cut.to ? run_rest(j, job) :
			   run_fragments(&j->w->run, job->q, job->first, job->end);
	messages_record(was);
	messages_print(&job->messages, &j->printed);
	now = what_is_learned(ss);
	set_now(j, &now);
	return rc || !job->shard ? rc : con->shards->take(con->data, job->shard);
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
	uint64_t sum = j->ss->bytes_done;
	unsigned int i;

	for (i = 0; i < j->nr_w; i++)
		sum += j->w[i].bytes;
	return sum;
}

/* Waits until the job is done. Returns false if no thread will do it. */
static bool wait_for(struct jobs *j, size_t number)
{
	const uint32_t step = j->w->run.progress.shown ? PROGRESS_STEP : 0;
	enum workers_wait found;

	do {
		if (step)
			run_progress(&j->w->run, bytes_decoded(j));
		found = workers_wait(j->workers, number, step);
	} while (found == WORKERS_LATER);
	return found == WORKERS_DONE;
}

static void drop(struct jobs *j, const struct shard *job)
{
	j->again = j->con->shards->sums;
	/* after a stale result the thread has a new replica, or will make one */
	job->by->dropped |= !job->stale && !j->again;
	/* owners of ASIDs are learned from buffer to buffer: further results would be rejected */
	if (job->rc == SESSION_UNFIT || !job->log || job->log->ordered || j->again)
		workers_stop(j->workers);
}

static int take_all(struct jobs *j)
{
	struct shard *job;
	bool covered, begun;
	int rc = 0;
	size_t i;

	for (i = 0; i < j->nr && !rc; i++) {
		job = &j->v[i];
		covered = i < j->covered;
		begun = i >= j->here && (!covered || i < j->not_begun) && wait_for(j, i);
		if (begun && !covered && accept(j, job, &rc)) {
			covered = true;
		} else if (begun) {
			rc = 0;
			drop(j, job);
		}
		if (!covered && !j->again)
			rc = decode_here(j, job);
		j->again |= j->con->shards->by_process && j->ss->lost.left_undone;
		if (j->again)
			break;
		workers_taken(j->workers);
		if (!rc && job->shard && j->con->shards->write)
			rc = j->con->shards->write(j->con->data, job->shard);
		free_result(j, job);
	}
	return rc;
}

/* Decodes everything again, because rejected results cannot be removed from the sums. */
static int decode_again(struct jobs *j)
{
	struct session *ss = j->ss;
	struct messages messages = { .v = NULL };
	struct run *r = &j->w->run;
	struct messages *was;
	int rc;

	run_close(r);
	run_restart(ss);
	was = messages_record(&messages);
	rc = run_all(r, ss, j->con);
	messages_record(was);
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
	int rc = 0;

	for (i = 0; i < j->nr_w && !rc; i++)
		if (j->w[i].shard)
			rc = con->shards->take(con->data, j->w[i].shard);
	return rc;
}

static void free_replica(struct jobs *j, struct session *rep)
{
	if (!rep || rep == j->ss)
		return;
	session_adopt_files(j->ss, rep);
	session_replica_free(rep);
}

static void finish(struct jobs *j)
{
	struct worker *w;
	size_t k;

	for (k = 0; k < j->nr; k++)
		free_result(j, &j->v[k]);
	for (w = j->w; w < j->w + j->nr_w; w++) {
		if (w->shard)
			j->con->shards->free(w->shard);
		run_close(&w->run);
		for (k = 0; k < w->nr_old; k++)
			free_replica(j, w->old[k]);
		free_replica(j, w->ss);
		free(w->old);
	}
	messages_free(&j->printed);
	free(j->w);
	free(j->v);
}

int jobs_run(struct session *ss, const struct consumer *con, unsigned int threads)
{
	struct jobs j = { .ss = ss, .con = con, .now = what_is_learned(ss) };
	int rc;

	session_before_replicas(ss);
	make_jobs(&j, threads);
	start(&j, threads);
	rc = take_all(&j);
	workers_free(j.workers);
	if (j.again)
		rc = decode_again(&j);
	else if (!rc && con->shards->sums)
		rc = take_sums(&j);
	ss->tasks.own = j.now.own;
	ss->tasks.contextid = j.now.contextid;
	finish(&j);
	return rc;
}
