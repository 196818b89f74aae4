/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memlist.c - memory of a snapshot or package: chunks that are freed together and counted against the
 * limit.
 */
#include <stdlib.h>
#include <string.h>

#include "files/ini/memlist.h"

#define CHUNK_SIZE 65536
#define ALIGN 16

struct mem_chunk {
	struct mem_chunk *next;
	size_t used, size;
	_Alignas(ALIGN) unsigned char bytes[];
};

void *cst_mem_alloc(struct mem_list *m, size_t size)
{
	struct mem_chunk *c = m->chunks;
	size_t room;
	void *p;

	if (size > m->limit)
		return NULL;
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!c || c->size - c->used < size) {
		room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		if (m->limit - m->used < room)
			return NULL;
		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		m->used += room;
		c->next = m->chunks;
		c->used = 0;
		c->size = room;
		m->chunks = c;
	}
	p = c->bytes + c->used;
	c->used += size;
	memset(p, 0, size);
	return p;
}

const char *cst_mem_copy(struct mem_list *m, struct cst_str s)
{
	char *p = cst_mem_alloc(m, s.n + 1);

	if (p && s.n)
		memcpy(p, s.p, s.n);
	return p;
}

void *cst_mem_append(struct mem_list *m, void *list, size_t *n, size_t size)
{
	void *old, *fresh;

	memcpy(&old, list, sizeof(old));
	if (!(*n & (*n - 1))) {	/* 0, 1, 2, 4 ...: full */
		fresh = cst_mem_alloc(m, (*n ? *n * 2 : 1) * size);
		if (!fresh)
			return NULL;
		if (*n)
			memcpy(fresh, old, *n * size);
		memcpy(list, &fresh, sizeof(fresh));
		old = fresh;
	}
	return (char *)old + (*n)++ * size;
}

void cst_mem_free(struct mem_list *m)
{
	struct mem_chunk *c, *next;

	for (c = m->chunks; c; c = next) {
		next = c->next;
		free(c);
	}
	m->chunks = NULL;
	m->used = 0;
}
