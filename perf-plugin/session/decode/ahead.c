/* SPDX-License-Identifier: GPL-2.0-only */
/* ahead.c - a second tree that finds timestamps before the decoder reaches them. */
#include "base/alloc.h"
#include "session/decode/stream_state.h"

void ahead_begin(struct ahead *a, uint64_t first)
{
	a->begun = false;
	a->first = first;
	a->found = a->broken = a->barrier = 0;
}

void ahead_free(struct ahead *a)
{
	cst_tree_free(a->tree);
	a->tree = NULL;
	a->begun = false;
}

void ahead_switch(struct stream_state *st, uint64_t first)
{
	struct ahead *a = &st->ahead;

	ahead_free(a);
	ahead_begin(a, first);
}

static void make_tree(struct stream_state *st)
{
	struct ahead *a = &st->ahead;
	struct cst_decoder *dec;
	enum cst_tree_format format;
	unsigned int flags;

	format = cst_tree_layout(st->tree, &flags);
	if (cst_tree_new(&a->tree, format, flags & ~(unsigned int)CST_FRAME_FINDINGS) ||
	    cst_tree_add(a->tree, st->stream.config, &dec))
		mem_refused(0);
}

static void feed(struct stream_state *st)
{
	const struct session_fragment *f = &st->fragment.f->pub;
	struct ahead *a = &st->ahead;

	if (!a->tree)
		make_tree(st);
	cst_tree_drop(a->tree);
	cst_tree_reset(a->tree);
	cst_decoder_start_at(cst_tree_decoder(a->tree, st->stream.trace_id), a->first);
	if (cst_tree_feed(a->tree, f->data, f->size, f->offset))
		mem_refused(0);
	a->begun = true;
}

/* Finds the first timestamp at or after trace offset `from`, which does not decrease within a fragment. */
static void find(struct stream_state *st, uint64_t from)
{
	struct ahead *a = &st->ahead;
	struct cst_scan m;

	if (!a->begun)
		feed(st);
	while (a->found <= from) {
		if (!cst_tree_scan(a->tree, &m)) {
			a->found = UINT64_MAX;
		} else if (m.kind == CST_SCAN_BREAK) {
			a->broken = m.index + 1;
		} else if (m.kind == CST_SCAN_BARRIER) {
			a->barrier = m.index + 1;
		} else {
			a->found = m.index + 1;
			a->ticks = m.ts;
		}
	}
}

bool ahead_known(const struct stream_state *st)
{
	return st->ahead.begun && st->ahead.found > st->fragment.done;
}

bool ahead_time(struct stream_state *st, uint64_t *ticks)
{
	struct ahead *a = &st->ahead;

	find(st, st->fragment.done);
	if (a->found == UINT64_MAX || a->barrier > st->fragment.done)
		return false;
	*ticks = a->ticks;
	return true;
}

bool ahead_stretch(struct stream_state *st, uint64_t *ticks)
{
	return ahead_time(st, ticks) && st->ahead.broken <= st->fragment.done;
}
