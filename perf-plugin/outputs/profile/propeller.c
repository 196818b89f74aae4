/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * propeller.c - branches as BranchFrequenciesProto, the input of Propeller's profile generator with
 * --profile_type=FREQUENCIES_PROTO (branch_frequencies.proto of github.com/google/llvm-propeller).
 */
#include "outputs/profile/propeller.h"

#include "base/protobuf.h"

/* Fields of BranchFrequenciesProto, and of its messages. */
enum {
	FREQUENCIES_TAKEN = 1, FREQUENCIES_NOT_TAKEN = 2,
	TAKEN_SOURCE = 1, TAKEN_DEST = 2, TAKEN_COUNT = 3,
	NOT_TAKEN_ADDRESS = 1, NOT_TAKEN_COUNT = 2,
};

/* Messages one behind the other are read as one with all their elements (protobuf, "Encoding"). */
static void put(struct pd_output *out, struct protobuf *m, size_t begin)
{
	protobuf_end(m, begin);
	pd_output_write(out, m->bytes, m->n);
	m->n = 0;
}

void propeller_write(struct pd_output *out, const struct flat *f, const struct profile_address *w)
{
	const struct model_binary *b = f->binary;
	struct protobuf m = { .n = 0 };
	size_t i, begin;

	for (i = 0; i < f->nr_edges; i++) {
		if (f->edges[i].to == CST_COUNT_OUTSIDE)
			continue;
		begin = protobuf_begin(&m, FREQUENCIES_TAKEN);
		protobuf_nonzero(&m, TAKEN_SOURCE, profile_address(w, f->edges[i].from));
		protobuf_nonzero(&m, TAKEN_DEST, profile_address(w, f->edges[i].to));
		protobuf_nonzero(&m, TAKEN_COUNT, model_signed(f->edges[i].count));
		put(out, &m, begin);
	}
	for (i = 0; i < b->nr_not_taken; i++) {
		begin = protobuf_begin(&m, FREQUENCIES_NOT_TAKEN);
		protobuf_nonzero(&m, NOT_TAKEN_ADDRESS, profile_address(w, b->not_taken[i].offset));
		protobuf_nonzero(&m, NOT_TAKEN_COUNT, model_signed(b->not_taken[i].count));
		put(out, &m, begin);
	}
	protobuf_free(&m);
}
