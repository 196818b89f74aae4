/* SPDX-License-Identifier: GPL-2.0-only */
/* asid.c - the declared and the learned owners of each ASID over time. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "machine/tasks/asid.h"

/* largest identifier; a context ID above it is not an ASID */
#define MAX_ASID 0xffffu

static struct asid *find(const struct asids *as, uint32_t asid)
{
	return asid <= MAX_ASID ? intmap_get(&as->map, (int)asid) : NULL;
}

static struct asid *get_asid(struct asids *as, uint32_t asid)
{
	struct asid *a = find(as, asid);

	if (a || asid > MAX_ASID)
		return a;
	a = intmap_add(&as->map, (int)asid, sizeof(*a));
	a->learned = -1;
	return a;
}

void asids_declare(struct asids *as, uint32_t asid, uint64_t time, int pid)
{
	struct asid *a = get_asid(as, asid);

	if (a)
		*ARRAY_ADD(a->v, a->nr, a->cap) = (struct asid_owner){ .time = time, .pid = pid };
}

void asids_declare_current(struct asids *as, uint32_t asid, uint64_t time, int pid)
{
	asids_declare(as, asid, asids_any_declared(as, asid) ? time : 0, pid);
}

void asids_declare_end(struct asids *as, uint32_t asid, uint64_t time, int pid)
{
	if (!asids_any_declared(as, asid))
		asids_declare(as, asid, 0, pid);
	asids_declare(as, asid, time, -1);
}

static int compare(const void *a, const void *b)
{
	const struct asid_owner *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* at the same time, the end of one owner precedes the begin of the next */
	return (x->pid >= 0) - (y->pid >= 0);
}

void asids_finish(struct asids *as)
{
	struct asid *a;
	size_t i;

	for (i = 0; (a = intmap_next(&as->map, &i));)
		ARRAY_SORT(a->v, a->nr, compare);
}

void asids_free(struct asids *as)
{
	struct asid *a;
	size_t i;

	for (i = 0; (a = intmap_next(&as->map, &i)); free(a))
		free(a->v);
	intmap_free(&as->map);
	memset(as, 0, sizeof(*as));
}

void asids_restart(struct asids *as)
{
	struct asid *a;
	size_t i;

	for (i = 0; (a = intmap_next(&as->map, &i));)
		a->learned = -1;
	as->learned = as->changed = 0;
}

bool asids_any_declared(const struct asids *as, uint32_t asid)
{
	const struct asid *a = find(as, asid);

	return a && a->nr;
}

int asids_declared(const struct asids *as, uint32_t asid, uint64_t time)
{
	const struct asid *a = find(as, asid);
	size_t lo = 0, hi = a ? a->nr : 0;

	BISECT(lo, hi, mid, a->v[mid].time <= time);
	return lo ? a->v[lo - 1].pid : -1;
}

int asids_learned(const struct asids *as, uint32_t asid)
{
	const struct asid *a = find(as, asid);

	return a ? a->learned : -1;
}

void asids_learn(struct asids *as, uint32_t asid, int pid)
{
	struct asid *a = get_asid(as, asid);

	if (!a || a->learned == pid)
		return;
	as->learned++;
	as->changed += a->learned >= 0;
	a->learned = pid;
}
