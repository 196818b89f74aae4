/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode.h - decodes the AUX fragments of a session in the address spaces of the threads that ran,
 * and delivers batches of generic trace elements to a consumer (samples, listings, counts).
 */
#ifndef CSTRACE_SESSION_DECODE_DECODE_H
#define CSTRACE_SESSION_DECODE_DECODE_H

#include "session/decode/consumer.h"

/* Returns the bytes of all AUX fragments. */
uint64_t session_trace_bytes(const struct session *ss);
/*
 * Returns the number of parts of the trace that can be decoded side by side for a consumer with
 * shards by fragment, and the size of the largest one.
 */
size_t session_parts(const struct session *ss, uint64_t *largest);
/* True if the largest AUX fragment can be divided, for a consumer with shard_ops.digest(). */
bool session_divides(struct session *ss);
/*
 * Returns the number of threads that the amount of trace is worth, at most session_opts.jobs; at
 * least 1.
 */
unsigned int session_jobs(const struct session *ss);

/*
 * Returns the maximum number of streams that session_run() delivers: with 1 a consumer need not
 * sort. Several threads look for their trace IDs (session_jobs()).
 */
unsigned int session_max_streams(const struct session *ss);

/*
 * Decodes everything once, in order of queue and AUX record. Returns 0, negative, or the consumer's
 * value.
 */
int session_run(struct session *ss, const struct consumer *consumer);

/*
 * For the consumer of a shard, with the session that make() got, in the thread that decodes it:
 * session_shard_first() is true if no shard before it has trace of the same buffer;
 * session_shard_turn() if the results of all shards before it are taken. These do not change then
 * before the shard is done. `wait`: until that is so; false means that the result is not needed.
 */
bool session_shard_first(const struct session *ss);
bool session_shard_turn(const struct session *ss, bool wait);

/*
 * Moves the counts of the code section with this number, from 1 on, to the caller: its file (NULL:
 * none) and the sorted pairs of ranges and edges (cstrace/counts.h), which the caller frees. False:
 * there is no such section.
 */
bool session_take_counts(struct session *ss, uint32_t section, struct dso **dso,
			 struct cst_pairs *ranges, struct cst_pairs *edges);
/* As cst_counts_exits(), of a section for which session_take_counts() returned true. */
void session_exits(struct session *ss, uint32_t section, const struct cst_exits **exits,
		   uint32_t *n, uint64_t *insns);

#endif
