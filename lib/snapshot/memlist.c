/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memlist.c - memory of a snapshot: chunks that are freed together and counted against the limit.
 */
#include <stdlib.h>
#include <string.h>

#include "snapshot/snapshot.h"

#define CHUNK_SIZE 65536
#define ALIGN 16

struct snap_chunk {
	struct snap_chunk *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char bytes[];
};

void *cst_snap_alloc(struct snap *ss, size_t size)
{
	struct snap_chunk *c = ss->chunks;
	size_t room;
	void *p;

	if (size > ss->limit)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!c || c->size - c->used < size) {
		room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		if (ss->limit - ss->used < room)
			return NULL;
		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		ss->used += room;
		c->next = ss->chunks;
		c->used = 0;
		c->size = room;
		ss->chunks = c;
	}
	p = c->bytes + c->used;
	c->used += size;
	memset(p, 0, size);
	return p;
}

const char *cst_snap_copy(struct snap *ss, struct ini_str s)
{
	char *p = cst_snap_alloc(ss, s.n + 1);

	if (p && s.n)
		memcpy(p, s.p, s.n);
	return p;
}

void *cst_snap_append(struct snap *ss, void *list, size_t *n, size_t size)
{
	void *old, *fresh;

	memcpy(&old, list, sizeof(old));
	if (!(*n & (*n - 1))) {	/* 0, 1, 2, 4 ...: full */
		fresh = cst_snap_alloc(ss, (*n ? *n * 2 : 1) * size);
		if (!fresh)
			return NULL;
		if (*n)
			memcpy(fresh, old, *n * size);
		memcpy(list, &fresh, sizeof(fresh));
		old = fresh;
	}
	return (char *)old + (*n)++ * size;
}

void cst_snapshot_free(struct cst_snapshot *pub)
{
	struct snap *ss = (struct snap *)pub;
	struct snap_chunk *c, *next;

	if (!ss)
		return;
	for (c = ss->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	free(ss);
}
