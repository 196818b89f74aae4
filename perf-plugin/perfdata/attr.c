/* SPDX-License-Identifier: GPL-2.0-only */
/* attr.c - the list of recorded events, with a hash table from sample ids to events. */
#include "perfdata/attr.h"

#include <stdlib.h>

#include "base/array.h"
#include "perfdata/bytes.h"
#include "perfdata/sample.h"

void pd_attrs_init(struct pd_attrs *as)
{
	memset(as, 0, sizeof(*as));
	as->same_pos = true;
}

void pd_attrs_free(struct pd_attrs *as)
{
	unsigned int i;

	for (i = 0; i < as->nr; i++) {
		free((void *)as->v[i]->ids);
		free(as->v[i]->name);
		free(as->v[i]);
	}
	free(as->v);
	free(as->ids);
	slots_free(&as->slots);
	pd_attrs_init(as);
}

static uint64_t id_hash(uint64_t id)
{
	return (id * 0x9e3779b97f4a7c15ULL) >> 20;
}

static uint64_t hash_at(const void *ids, uint32_t i)
{
	return id_hash(((const struct pd_id *)ids)[i].id);
}

/* Returns the slot of an ID, free if no event has it; there are slots. */
static inline uint32_t *slot_of(const struct pd_attrs *as, uint64_t id)
{
	size_t at;

	SLOTS_FIND(&as->slots, at, id_hash(id), as->ids[as->slots.v[at] - 1].id == id);
	return &as->slots.v[at];
}

static void add_id(struct pd_attrs *as, uint64_t id, struct pd_attr *a)
{
	uint32_t *slot;

	slots_reserve(&as->slots, as->nr_ids, as->ids, hash_at);
	slot = slot_of(as, id);
	if (*slot)
		return;	/* the first owner of an id keeps it */
	*ARRAY_ADD(as->ids, as->nr_ids, as->cap_ids) = (struct pd_id){ id, a };
	*slot = (uint32_t)as->nr_ids;
}

static void find_positions(struct pd_attr *a)
{
	uint64_t st = a->attr.sample_type;

	a->trailer = a->attr.sample_id_all ? pd_sample_id_size(st) : 0;
	if (st & PERF_SAMPLE_IDENTIFIER) {
		a->id_pos = 0;
		a->is_pos = 1;
	} else if (st & PERF_SAMPLE_ID) {
		a->id_pos = !!(st & PERF_SAMPLE_IP) + !!(st & PERF_SAMPLE_TID) +
			    !!(st & PERF_SAMPLE_TIME) + !!(st & PERF_SAMPLE_ADDR);
		a->is_pos = 1 + !!(st & PERF_SAMPLE_CPU) + !!(st & PERF_SAMPLE_STREAM_ID);
	} else {
		a->id_pos = -1;
		a->is_pos = -1;
	}
}

struct pd_attr *pd_attrs_add(struct pd_attrs *as, const void *attr, uint32_t size,
			     const uint64_t *ids, uint32_t nr_ids)
{
	struct pd_attr *a = mem_zeroed(1, sizeof(*a));
	uint64_t *copy = nr_ids ? mem_array(nr_ids, sizeof(*copy)) : NULL;
	uint32_t i;

	memcpy(&a->attr, attr, size < sizeof(a->attr) ? size : sizeof(a->attr));
	a->file_size = size;
	if (nr_ids)
		memcpy(copy, ids, nr_ids * sizeof(*copy));
	a->ids = copy;
	a->nr_ids = nr_ids;
	a->index = as->nr;
	find_positions(a);
	for (i = 0; i < nr_ids; i++)
		add_id(as, copy[i], a);
	if (as->nr && (as->v[0]->id_pos != a->id_pos || as->v[0]->is_pos != a->is_pos))
		as->same_pos = false;
	*ARRAY_ADD(as->v, as->nr, as->cap) = a;
	return a;
}

void pd_attr_set_name(struct pd_attr *a, const char *name, size_t len)
{
	char *s = mem_text_part(name, len);

	free(a->name);
	a->name = s;
}

struct pd_attr *pd_attrs_by_id(const struct pd_attrs *as, uint64_t id)
{
	const uint32_t number = as->nr_ids ? *slot_of(as, id) : 0;

	return number ? as->ids[number - 1].attr : NULL;
}

struct pd_attr *pd_attrs_of_event(const struct pd_attrs *as, const union perf_event *ev,
				  bool swapped)
{
	size_t words = (ev->header.size - sizeof(ev->header)) / 8;
	const uint8_t *body = (const uint8_t *)ev + sizeof(ev->header);
	struct pd_attr *first, *a;
	uint64_t id;

	if (!as->nr)
		return NULL;
	first = as->v[0];
	/* without a common position of the id the attrs cannot be distinguished: the first one is used */
	if (as->nr == 1 || !as->same_pos || first->id_pos < 0)
		return first;
	if (ev->header.type == PERF_RECORD_SAMPLE) {
		if ((size_t)first->id_pos >= words)
			return first;
		id = pd_load64(body + (size_t)first->id_pos * 8);
	} else {
		if (!first->attr.sample_id_all || (size_t)first->is_pos > words)
			return first;
		id = pd_load64((const uint8_t *)ev + ev->header.size - (size_t)first->is_pos * 8);
	}
	if (swapped)
		id = __builtin_bswap64(id);
	/* The recorder itself writes records with an id of 0 for what ran before it. */
	a = id ? pd_attrs_by_id(as, id) : NULL;
	return a ? a : first;
}
