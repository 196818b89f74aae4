/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c - memory of indexes. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/grow.h"
#include "decoder/index/index_int.h"

int cst_index_grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
	size_t have = *cap;
	int err = n < 1u << 30 ? array_reserve(array, &have, (size_t)n + 1, size) : -CST_ERR_NOMEM;

	*cap = (uint32_t)have;
	return err;
}

static void *copy_of(const void *from, uint32_t n, size_t size)
{
	void *p = malloc(n ? n * size : 1);

	if (p && n)
		memcpy(p, from, n * size);
	return p;
}

int cst_index_copy_stream(struct cst_index_stream *to, const struct cst_index_stream *from)
{
	*to = *from;
	to->blocks = copy_of(from->blocks, from->n_blocks, sizeof(*from->blocks));
	to->records = copy_of(from->records, from->n_records, sizeof(*from->records));
	to->cap_blocks = from->n_blocks;
	to->cap_records = from->n_records;
	if (to->blocks && to->records)
		return 0;
	cst_index_free_stream(to);
	return -CST_ERR_NOMEM;
}

void cst_index_free_stream(struct cst_index_stream *s)
{
	free(s->blocks);
	free(s->records);
	memset(s, 0, sizeof(*s));
}

void cst_index_free(struct cst_index *ix)
{
	uint32_t i;

	if (!ix)
		return;
	for (i = 0; i < ix->n_streams; i++)
		cst_index_free_stream(&ix->streams[i]);
	free(ix->streams);
	free(ix->sources);
	free(ix->name);
	free(ix);
}
