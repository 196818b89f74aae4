/* SPDX-License-Identifier: GPL-2.0-only */
/* identity.c - pairs of traced IDs and threads, and what they prove. */
#include "machine/tasks/identity.h"

#include <string.h>

void identity_free(struct identity *id)
{
	struct id_pair *p;
	size_t i;

	for (i = 0; (p = intmap_next(&id->by_id, &i));)
		free(p);
	intmap_free(&id->by_id);
	intmap_free(&id->by_tid);
	intmap_free(&id->known);
	memset(id, 0, sizeof(*id));
}

struct id_pair *identity_save(const struct identity *id, struct identity_seen *seen, size_t *nr)
{
	struct id_pair *v = mem_array(id->by_id.used, sizeof(*v));
	const struct id_pair *p;
	size_t i;

	*seen = (struct identity_seen){ id->equal, id->different, id->absent, id->traced,
					id->strangers };
	for (i = *nr = 0; (p = intmap_next(&id->by_id, &i));)
		v[(*nr)++] = *p;
	return v;
}

/* Threads of one slot of `known`: a slot's pointer is a set of bits, since a recording may have any number of threads. */
#define PER_SLOT	(8 * (int)sizeof(uintptr_t))

bool identity_knows(const struct identity *id, uint32_t tid)
{
	uintptr_t bits = (uintptr_t)intmap_get(&id->known, (int)(tid / PER_SLOT));

	return bits >> tid % PER_SLOT & 1;
}

void identity_know(struct identity *id, int tid)
{
	uintptr_t bits;

	if (tid <= 0 || identity_knows(id, (uint32_t)tid))
		return;
	bits = (uintptr_t)intmap_get(&id->known, tid / PER_SLOT) | (uintptr_t)1 << tid % PER_SLOT;
	intmap_put(&id->known, tid / PER_SLOT, (void *)bits);
}

static struct id_pair *get_pair(struct identity *id, uint32_t traced, int tid)
{
	struct id_pair *p = intmap_get(&id->by_id, (int)traced);

	if (p)
		return p;
	p = intmap_add(&id->by_id, (int)traced, sizeof(*p));
	p->id = traced;
	p->tid = tid;
	return p;
}

/* Notes that the thread of `p` is proved. A thread with two IDs has none. */
static void prove(struct identity *id, struct id_pair *p)
{
	struct id_pair *first = intmap_get(&id->by_tid, p->tid);

	p->proof = true;
	if (first && first != p)
		first->shared = p->shared = true;
	if (!first)
		intmap_put(&id->by_tid, p->tid, p);
}

void identity_restore(struct identity *id, const struct identity_seen *seen,
		      const struct id_pair *v, size_t nr)
{
	struct id_pair *p;
	size_t i;

	id->equal = seen->equal;
	id->different = seen->different;
	id->absent = seen->absent;
	id->traced = seen->traced;
	id->strangers = seen->strangers;
	for (i = 0; i < nr; i++) {
		p = get_pair(id, v[i].id, v[i].tid);
		p->several = v[i].several;
		p->shared = v[i].shared;
		if (v[i].proof)
			prove(id, p);
	}
}

void identity_add(struct identity *id, uint32_t traced, int tid, bool proof)
{
	struct id_pair *p = get_pair(id, traced, tid);

	if ((uint32_t)tid == traced)
		id->equal++;
	else
		id->different++;
	if (proof && !p->proof) {
		/* what hints said before does not count any more */
		p->tid = tid;
		p->several = false;
		prove(id, p);
		return;
	}
	if (proof == p->proof && p->tid != tid)
		p->several = true;
}

/*
 * IDs with one thread are counted by whether they are its number. A thread with several other IDs is the host's of a
 * virtual machine, whose IDs are no evidence.
 */
void identity_decide(struct identity *id, bool of_tasks)
{
	size_t same[2] = { 0, 0 }, other[2] = { 0, 0 }, i;
	const struct id_pair *p;

	for (i = 0; (p = intmap_next(&id->by_id, &i));) {
		if (p->several)
			continue;
		same[p->proof] += (uint32_t)p->tid == p->id;
		other[p->proof] += (uint32_t)p->tid != p->id && !p->shared;
	}
	if (same[1] || other[1])
		id->space = other[1] >= same[1] ? IDS_OTHER : IDS_SAME;
	else if (same[0] || other[0])
		id->space = other[0] > same[0] && (id->strangers || (of_tasks && other[0] > 1)) ? IDS_OTHER : IDS_UNDECIDED;
	else
		id->space = IDS_UNDECIDED;
}

static bool usable(const struct id_pair *p)
{
	return p && p->proof && !p->several && !p->shared;
}

int identity_thread(const struct identity *id, uint32_t traced)
{
	const struct id_pair *p = intmap_get(&id->by_id, (int)traced);

	return usable(p) ? p->tid : -1;
}

bool identity_has_other(const struct identity *id, int tid, uint32_t traced)
{
	const struct id_pair *p = intmap_get(&id->by_tid, tid);

	return usable(p) && p->id != traced;
}

bool identity_is_common(const struct identity *id, uint32_t traced)
{
	const struct id_pair *p = intmap_get(&id->by_id, (int)traced);

	return p && p->proof && p->several;
}

void identity_count(const struct identity *id, size_t *known, size_t *contradictory)
{
	const struct id_pair *p;
	size_t i;

	*known = *contradictory = 0;
	for (i = 0; (p = intmap_next(&id->by_id, &i));) {
		*known += usable(p);
		*contradictory += p->proof && !usable(p);
	}
}
