/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.h - several trees pulled as one stream of generic elements, ordered by the time that they lie under.
 *
 * A stream is what one decoder of one tree puts out. Its elements lie under the newest timestamp at or before
 * them (CST_GEN_TIMESTAMP that is not 0, or software trace with CST_GF_TS); those before its first timestamp lie
 * under that one. A stream that has none, or not within `limit` elements, lies under time 0: it comes first.
 *
 * Order: by time; among equal times by tree, in order of adding, then by trace ID. The order within a stream is
 * never changed, also where its time goes back. Nothing depends on how the input is cut, as long as nothing is
 * late: a stream that is silent while the rest of its tree puts out `limit` elements is waited for no longer, and
 * what it then has under an older time comes when it comes, and is counted.
 *
 * Use: make trees with their decoders, add them; pull. When a pull returns 0, cst_merge_wants() says which tree
 * needs more input: feed it (cst_tree_feed) or end it (cst_merge_end), and go on. The trees' own pull functions
 * are not to be called meanwhile.
 *
 * Memory: `limit` elements of 64 bytes for each tree, and a little. A merge with its trees belongs to one thread
 * at a time.
 */
#ifndef CSTRACE_MERGE_H
#define CSTRACE_MERGE_H

#include <cstrace/tree.h>

CST_BEGIN

struct cst_merge;

/*
 * Ticks of the clock that a stream's timestamps count to the time that all have in common; `source` is the
 * tree's number. Must not decrease where ticks do not. 0 means that the time is not known.
 */
typedef uint64_t (*cst_merge_time_fn)(void *data, unsigned int source, const struct cst_decoder *dec,
				      uint64_t ticks);

/* What the elements of one pull have in common. */
struct cst_merge_run {
	unsigned int source;	/* number of the tree */
	struct cst_decoder *dec;
	uint64_t time;		/* common time, 0: none */
};

struct cst_merge_stats {
	uint64_t elements;
	uint64_t late;		/* older than an element that had been put out before */
	uint64_t untimed;	/* under time 0 */
};

#define CST_MERGE_LIMIT 16384	/* default */
#define CST_MERGE_MIN 64	/* a smaller limit is taken for this one */

/* `limit` 0: the default. `time` NULL: all trees have the same clock. */
CST_API int cst_merge_new(struct cst_merge **merge, size_t limit, cst_merge_time_fn time, void *data);
/* The trees stay the caller's. */
CST_API void cst_merge_free(struct cst_merge *merge);
/* Add a tree, before the first pull; *source is its number: 0, 1, ... -CST_ERR_BUSY after that. */
CST_API int cst_merge_add(struct cst_merge *merge, struct cst_tree *tree, unsigned int *source);
/* No more input for a tree. -CST_ERR_INVAL when there is none with this number. */
CST_API int cst_merge_end(struct cst_merge *merge, unsigned int source);
/*
 * Take elements, all of one stream and under one time: returns how many were written to out[0..cap), `cap` at
 * least 1. 0: input is wanted (cst_merge_wants), a decoder stopped (cst_merge_stopped), or all is said. Negative:
 * an error of a tree.
 */
CST_API int cst_merge_pull(struct cst_merge *merge, struct cst_generic *out, size_t cap,
			   struct cst_merge_run *run);
/* After a pull that returned 0: 1 and the number of the tree that needs input, else 0. */
CST_API int cst_merge_wants(const struct cst_merge *merge, unsigned int *source);
/*
 * After a pull that returned 0: why a decoder stopped (cst_decoder_set_stop()), which one, and at which element,
 * NULL for CST_STOP_SECTION. Decoders run ahead of what was put out: that element may come later. The caller does
 * what it would do after cst_tree_pull(), and pulls again.
 */
CST_API enum cst_stop cst_merge_stopped(const struct cst_merge *merge, struct cst_decoder **dec,
					const struct cst_generic **last);
CST_API const struct cst_merge_stats *cst_merge_stats(const struct cst_merge *merge);

CST_END

#endif
