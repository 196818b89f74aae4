/* SPDX-License-Identifier: GPL-2.0-only */
/* range.c - which elements and packets lie between two places, and where decoding has to begin for the first of them. */
#include <string.h>

#include "outputs/dump/range.h"

static bool is_element(const struct dump_place *p, const struct cst_generic *g)
{
	bool software = g->kind == CST_GEN_SWTRACE || g->kind == CST_GEN_ITMTRACE;

	switch (p->kind) {
	case CST_INDEX_TIMESTAMP:
		if (software)
			return g->flags & CST_GF_TS && g->ts >= p->value;
		/* 0: the time is unknown */
		return g->kind == CST_GEN_TIMESTAMP && g->addr && g->addr >= p->value;
	case CST_INDEX_EVENT:
		if (g->kind == CST_GEN_SWTRACE)
			return g->num & CST_SW_TRIGGER && (!p->value || p->value & 1);
		return g->kind == CST_GEN_EVENT && (!p->value || (g->num ? g->num : 1) & p->value);
	case CST_INDEX_CONTEXT:
		return g->kind == CST_GEN_PE_CONTEXT && g->context_id == (uint32_t)p->value;
	default:
		return g->index >= p->value;
	}
}

static bool is_packet(const struct dump_place *p, enum cst_packet_role role, const struct cst_packet *pkt)
{
	switch (p->kind) {
	case CST_INDEX_TIMESTAMP:
		if (pkt->protocol == CST_PROTO_STM)
			return pkt->flags & CST_STM_PF_TS && pkt->ts >= p->value;
		return role == CST_ROLE_TIMESTAMP && pkt->ts && pkt->ts >= p->value;
	case CST_INDEX_EVENT:
		return role == CST_ROLE_EVENT && (!p->value || (pkt->event ? pkt->event : 1) & p->value);
	case CST_INDEX_CONTEXT:
		return pkt->flags & CST_PF_CID && pkt->cid == (uint32_t)p->value &&
		       (role == CST_ROLE_CONTEXT || role == CST_ROLE_ADDRESS_CONTEXT || role == CST_ROLE_SYNC);
	default:
		return pkt->index >= p->value;
	}
}

/* [from, to): `ends` counts at the very place that began it only where places have an order of their own. */
static bool take(struct dump_range *r, enum dump_lister l, unsigned int id, bool begins, bool ends)
{
	bool ordered = r->to.kind == CST_INDEX_KINDS || r->to.kind == CST_INDEX_TIMESTAMP, first = false;

	if (r->off[l][id])
		return false;
	if (!r->on[l][id]) {
		if (r->from.set && !begins)
			return false;
		r->on[l][id] = 1;
		r->found = true;
		first = r->from.set;
	}
	if (r->to.set && ends && (!first || ordered))
		r->off[l][id] = 1;
	return !r->off[l][id];
}

void dump_range_reset(struct dump_range *r)
{
	memset(r->valid, 0, sizeof(r->valid));
	memset(r->on, 0, sizeof(r->on));
	memset(r->off, 0, sizeof(r->off));
}

bool dump_range_element(struct dump_range *r, const struct cst_generic *g)
{
	unsigned int id = g->trace_id & 127;

	return g->index >= r->valid[id] &&
	       take(r, DUMP_LIST_ELEMENTS, id, is_element(&r->from, g), is_element(&r->to, g));
}

bool dump_range_packet(struct dump_range *r, const struct cst_decoder *dec, const struct cst_packet *pkt)
{
	enum cst_packet_role role = cst_decoder_packet_role(dec, pkt);
	unsigned int id = cst_decoder_config(dec)->trace_id & 127;
	bool begins = is_packet(&r->from, role, pkt), ends = is_packet(&r->to, role, pkt);

	/* an ITM's packets have differences of times, whose sums only the elements have */
	if (pkt->protocol == CST_PROTO_ITM && r->from.kind == CST_INDEX_TIMESTAMP)
		begins = r->on[DUMP_LIST_ELEMENTS][id];
	if (pkt->protocol == CST_PROTO_ITM && r->to.kind == CST_INDEX_TIMESTAMP)
		ends = r->off[DUMP_LIST_ELEMENTS][id];
	return pkt->index >= r->valid[id] && take(r, DUMP_LIST_PACKETS, id, begins, ends);
}

static bool off(const struct dump_range *r, unsigned int id, bool packets)
{
	return r->off[DUMP_LIST_ELEMENTS][id] && (!packets || r->off[DUMP_LIST_PACKETS][id]);
}

bool dump_range_done(const struct dump_range *r, const struct cst_tree *tree, int only_id, bool packets)
{
	unsigned int id;

	for (id = 0; id < 128; id++)
		if ((only_id < 0 || only_id == (int)id) && cst_tree_decoder(tree, (uint8_t)id) &&
		    !off(r, id, packets))
			return false;
	return true;
}

/* True if an element of the tree's streams was listed; the following ones are listed, too. */
static bool begun(const struct dump_range *r, const struct cst_tree *tree)
{
	unsigned int id, l;

	for (id = 0; id < 128; id++)
		for (l = 0; l < DUMP_LISTERS; l++)
			if (cst_tree_decoder(tree, (uint8_t)id) && r->on[l][id])
				return true;
	return false;
}

static uint64_t seek(struct dump_range *r, const struct cst_index *ix, const struct index_section *s, int only_id)
{
	const struct cst_index_query q = { .kind = r->from.kind, .value = r->from.value,
					   .from = r->from.kind == CST_INDEX_KINDS ? r->from.value : 0 };
	struct cst_index_place places[128];
	bool whole = ix->end == s->offset + s->size;
	uint32_t i;

	for (i = 0; i < ix->n_streams; i++) {
		unsigned int id = ix->streams[i].trace_id;

		cst_index_search(ix, &ix->streams[i], &q, &places[i]);
		/* streams that are not listed need not be read */
		if (only_id >= 0 && only_id != (int)id)
			places[i].found = 0;
		r->valid[id] = places[i].valid;
		if (!places[i].found && whole)
			r->valid[id] = UINT64_MAX;
	}
	return cst_index_start_tree(ix, places, s->tree);
}

/* What the indexes of an input say of its contexts. */
struct contexts {
	unsigned int worlds;
	uint32_t vmid;
	bool any, vmids_differ;
};

static void add_contexts(struct contexts *c, const struct cst_index *ix)
{
	uint32_t i, k;

	for (i = 0; i < ix->n_streams; i++) {
		const struct cst_index_stream *s = &ix->streams[i];

		c->worlds |= s->worlds;
		/* there may be more than are recorded */
		c->vmids_differ |= s->n_contexts == CST_INDEX_CONTEXTS;
		for (k = 0; k < s->n_contexts; k++) {
			c->vmids_differ |= c->any && c->vmid != s->contexts[k] >> 32;
			c->vmid = (uint32_t)(s->contexts[k] >> 32);
			c->any = true;
		}
	}
}

/*
 * Why the code at a place depends on the contexts before it; NULL: it does not. A session learns from all contexts
 * which exception levels, VMIDs and security states are those of the recorded system (tasks/world.h).
 */
static const char *worlds_reason(const struct index_book *b, const struct cst_index *ix, const struct cst_tree *tree)
{
	const struct cst_config *config;
	struct contexts c = { 0 };
	uint32_t i;

	add_contexts(&c, ix);
	for (i = 0; b->file && i < b->file->n; i++)
		add_contexts(&c, b->file->indexes[i]);
	if (c.worlds >> 4 & ((c.worlds >> 4) - 1))
		return "the trace has several security states";
	for (i = 0; i < ix->n_streams; i++) {
		const struct cst_decoder *dec = cst_tree_decoder(tree, ix->streams[i].trace_id);

		config = dec ? cst_decoder_config(dec) : NULL;
		if (!config || !config->vmid_bytes)
			continue;
		/* a host whose kernel runs at EL2 has the kernels of its guests at EL1 */
		if (config->vmid_is_cid2 ? c.worlds & CST_INDEX_EL(1) : c.vmids_differ)
			return "a virtual machine may have run";
	}
	return NULL;
}

uint64_t dump_range_start(struct dump_range *r, const struct index_section *s, int only_id)
{
	const struct cst_index *ix, *sound;
	const char *reason;
	uint64_t start;

	memset(r->valid, 0, sizeof(r->valid));
	if (!r->from.set || begun(r, s->tree))
		return s->offset;
	r->book.only_id = only_id;
	ix = index_book_get(&r->book, s);
	if (!ix)
		return s->offset;
	reason = s->by_world ? worlds_reason(&r->book, ix, s->tree) : NULL;
	if (reason) {
		index_book_unused(&r->book, s, reason);
		return s->offset;
	}
	start = seek(r, ix, s, only_id);
	sound = index_book_check(&r->book, ix, s, start);
	if (sound != ix) {
		memset(r->valid, 0, sizeof(r->valid));
		cst_tree_reset(s->tree);
		start = sound ? seek(r, sound, s, only_id) : s->offset;
	}
	return start < s->offset + s->size ? start : s->offset + s->size;
}
