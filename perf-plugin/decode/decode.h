/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - the AUX fragments of a session run through the library's decode tree, with the address space of whoever was
 * running then, and come out as batches of generic trace elements for a consumer (samples, listings, counts).
 */
#ifndef CSTRACE_DECODE_DECODE_H
#define CSTRACE_DECODE_DECODE_H

#include <cstrace/cstrace.h>

#include "filter/filter.h"
#include "session/session.h"

struct version;

/*
 * One instruction stream: a trace ID in a buffer (queue), as it was in the batch that is being delivered. A batch is
 * cut at every PE_CONTEXT, so all its ranges ran in the same thread. Its times are final: nothing that is decoded
 * later changes them.
 */
struct stream {
	int cpu;		/* -1 unknown */
	int pid, tid;		/* -1 unknown */
	uint64_t time;		/* perf time, ns, of the first element of the batch; see time_known */
	uint64_t time_end;	/* of its last element; see clocks/pace.h */
	uint32_t n_insn;	/* instructions in the batch, over which the time between the two is spread */
	bool time_known;	/* from a trace timestamp; else the AUX record's time */
	/*
	 * Samples of this batch must not be given a time before this one: the latest map or thread event that
	 * was taken to have happened when the batch's address space was chosen. 0: none.
	 */
	uint64_t not_before;
	uint64_t before;	/* time of the next timestamp, a bound for session_time(); 0: none is needed */
	uint64_t aux_time;	/* perf time of the AUX record; 0 none */
	uint64_t aux_seq;	/* its place in the file (pd_record.seq) */
	uint8_t trace_id;
	unsigned int queue;	/* number of the buffer, from 0, in file order */
	uint64_t place;		/* which stream comes first at the same time, whatever else is decoded of the file */
	bool fragment_start;	/* first batch of an AUX fragment of this stream */
	/*
	 * A filter leaves this batch out: nothing in it is to be shown, but a branch that was open before it ends
	 * here. Whether that one is wanted, session_wants() tells.
	 */
	bool unwanted;
	struct filter *filter;	/* NULL: all batches are wanted */
	const struct cst_config *config;
	struct cst_decoder *decoder;
	void **priv;		/* a word of the consumer's, NULL at first; freed with consumer.stream_end */
	/* The session's. */
	struct version *code;	/* address space of the batch, or NULL */
	bool kernel;
	uint64_t moment;	/* for threads */
	struct stream_state *state;
};

/* Where an address was found. Valid until the consumer returns. */
struct session_loc {
	struct dso *dso;	/* NULL: unknown */
	uint64_t map_start, map_end;
	uint64_t offset;	/* offset in the file */
	bool kernel;
};

struct session_consumer {
	void *data;
	unsigned int stop;	/* extra enum cst_stop bits: cut batches there as well */
	unsigned int step;	/* cut batches after so many elements, each with times of its own; 0: never */
	bool times;		/* batches have their times; else these are 0, which costs less */
	bool timeless;		/* time is that of the AUX record, whatever the trace says */
	bool history;		/* the output depends on all elements since the beginning of the recording */
	bool unwanted;		/* also call batch() with what the filter leaves out (stream.unwanted) */
	/*
	 * Ranges may be counted instead of coming as elements of batches: CST_GEN_RUN stands for them (cstrace/flow.h), and
	 * session_counted() has the counts when session_run() is done. They are not where single ranges matter, for a
	 * filter or a log. `joined`: as CST_COUNTS_JOINED.
	 */
	bool counts, joined;
	/* A batch; non-zero return ends the run with that value. */
	int (*batch)(void *data, const struct stream *s, const struct cst_generic *g, size_t n);
	/* The end of an AUX fragment: after its last batch (whose last element is EO_TRACE). */
	int (*fragment_end)(void *data, const struct stream *s);
	void (*stream_end)(void *data, const struct stream *s);
	/* Before the first batch of an AUX fragment. */
	int (*fragment_begin)(void *data, const struct session_fragment *f);
	/*
	 * `tree` was reset and is about to be fed the fragment, from *start on: its offset, or a later one that is
	 * set here, up to its end. Trace before that is not decoded, and counted as left out by a filter.
	 */
	int (*fragment_tree)(void *data, const struct session_fragment *f, struct cst_tree *tree, uint64_t *start);
	/*
	 * For listings: each packet, then the elements that it made, as batches. Decoding is slower with
	 * this. Only packets, no elements, when `batch` is NULL.
	 */
	int (*packet)(void *data, const struct stream *s, const struct cst_packet *pkt);
	/*
	 * For decoding in several threads (session_opts.jobs): a consumer of one piece of the trace, of its own kind.
	 * The callbacks above get it as their data, in any thread; `ss` is what the piece is decoded with. NULL: no
	 * memory. Without this function one thread decodes.
	 */
	void *(*piece_new)(void *data, struct session *ss);
	/* Would the piece be the same, had it been begun with what the pieces before left? NULL: always. */
	bool (*piece_fits)(void *data, void *piece);
	/* The piece is about to be decoded behind those before it, and begins with what they left. NULL: nothing. */
	void (*piece_continue)(void *data, void *piece);
	/* With `sums`: the thread has decoded all that it decodes; called in that thread. 0, or negative. NULL: nothing. */
	int (*piece_end)(void *piece);
	/* The calling thread takes what a piece made, in the order of pieces. 0, or what ends the run. */
	int (*piece_take)(void *data, void *piece);
	void (*piece_free)(void *piece);	/* taken or not */
	/*
	 * A stream can be divided between AUX fragments: what the callbacks make of a fragment does not depend on the
	 * fragments before it, or piece_fits() tells. Else a piece has all fragments of its streams.
	 */
	bool by_fragment;
	/* Sums, whose order does not matter: all that a thread decodes is one piece, taken when everything is decoded. */
	bool sums;
	bool by_process;	/* with by_fragment: whose each loss is matters, not only their sums */
	bool stateless;		/* in place of these: the callbacks keep nothing, any thread may call them at any time */
};

/* Decode everything once, in order of queue and AUX record. 0, or negative, or the consumer's value. */
int session_run(struct session *ss, const struct session_consumer *consumer);

/*
 * What was counted in the code section with this number, from 1 on: 1, and the file it is of (NULL: none) with the pairs
 * of ranges and edges (cstrace/counts.h), which are the session's. 0: there is no such section; or negative.
 */
int session_counted(struct session *ss, uint32_t section, struct dso **dso, const struct cst_pairs **ranges,
		    const struct cst_pairs **edges);

/*
 * A time inside the batch for something that is to be shown. Where batches are not cut (consumer.step 0), interpolation
 * can lead behind the next timestamp.
 */
static inline uint64_t session_time(const struct stream *s, uint64_t time)
{
	if (!s->before || time < s->before)
		return time;
	return s->before > s->not_before ? s->before : s->not_before;
}

/* Does the filter want what this thread did at that time? */
static inline bool session_wants(const struct stream *s, int pid, int tid, uint64_t time)
{
	return !s->filter || filter_wants(s->filter, s->cpu, pid, tid, time);
}

/* Code bytes at `addr` as the stream's current thread sees them: bytes copied (<= len), 0 none. */
size_t session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len);
/* Which file `addr` belongs to, as the stream's current thread sees it now. */
bool session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc);
/*
 * Name of the function at `addr`, which session_locate() found, and the distance from its start: from the
 * file, the kernel's symbols, or the names that a compiler wrote down.
 */
bool session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
		    uint64_t *offset);
/* Command name of the stream's current thread; NULL unknown. Valid until session_close(). */
const char *session_comm(const struct stream *s);
/* The dso a section number (cst_generic.section) stands for; cst_generic.sect_off is the offset in its file. */
struct dso *session_section_dso(struct session *ss, const struct stream *s, uint32_t section);

#endif
