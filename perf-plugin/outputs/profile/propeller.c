/* SPDX-License-Identifier: GPL-2.0-only */
/* propeller.c - packs branches as BranchFrequenciesProto. */
#include "outputs/profile/propeller.h"

#include "outputs/profile/messages.h"

#ifdef HAVE_PROTOBUF_C

#define MESSAGE_ROOM	64u	/* of a message with one branch: a few bytes and three numbers of up to ten */

/* Messages one behind the other are read as one with all their elements (protobuf, "Encoding"). */
static void put(struct pd_output *out, const Propeller__BranchFrequenciesProto *m)
{
	uint8_t buf[MESSAGE_ROOM];

	pd_output_write(out, buf, propeller__branch_frequencies_proto__pack(m, buf));
}

void propeller_write(struct pd_output *out, const struct flat *f, const struct profile_address *w)
{
	const struct model_binary *b = f->binary;
	size_t i;

	for (i = 0; i < f->nr_edges; i++) {
		Propeller__BranchFrequenciesProto m = PROPELLER__BRANCH_FREQUENCIES_PROTO__INIT;
		Propeller__TakenBranchCount t = PROPELLER__TAKEN_BRANCH_COUNT__INIT, *one = &t;

		if (f->edges[i].to == CST_COUNT_OUTSIDE)
			continue;
		t.source = profile_address(w, f->edges[i].from);
		t.dest = profile_address(w, f->edges[i].to);
		t.count = (int64_t)model_signed(f->edges[i].count);
		m.n_taken_counts = 1;
		m.taken_counts = &one;
		put(out, &m);
	}
	for (i = 0; i < b->nr_not_taken; i++) {
		Propeller__BranchFrequenciesProto m = PROPELLER__BRANCH_FREQUENCIES_PROTO__INIT;
		Propeller__NotTakenBranchCount t = PROPELLER__NOT_TAKEN_BRANCH_COUNT__INIT, *one = &t;

		t.address = profile_address(w, b->not_taken[i].offset);
		t.count = (int64_t)model_signed(b->not_taken[i].count);
		m.n_not_taken_counts = 1;
		m.not_taken_counts = &one;
		put(out, &m);
	}
}

#endif
