/* SPDX-License-Identifier: BSD-3-Clause */
/* sinks.c - allocates and fills the sinks of CST_ORDER_BY_ID. */
#include <stdlib.h>

#include <cstrace/error.h>

#include "decoder/tree/sinks.h"

/* Memory of one ID for a stretch. */
struct sink_memory {
	struct seg seg[SINK_CHUNK / 16 * SPLIT_RUNS + SPLIT_SPARE];
	uint8_t data[SINK_CHUNK + SPLIT_SLACK];
};

static void set_memory(struct sinks *k, unsigned int id, struct sink_memory *m)
{
	k->sink[id] = (struct frame_sink){ .data = m->data, .seg = m->seg, .end = m->seg };
}

struct sinks *cst_sinks_new(void)
{
	struct sinks *k = calloc(1, sizeof(*k));
	unsigned int id;

	if (!k)
		return NULL;
	k->scrap = malloc(sizeof(*k->scrap));
	if (!k->scrap) {
		free(k);
		return NULL;
	}
	for (id = 0; id < SPLIT_IDS; id++)
		set_memory(k, id, k->scrap);
	k->at = SPLIT_IDS;
	return k;
}

void cst_sinks_free(struct sinks *k)
{
	unsigned int id;

	if (!k)
		return;
	for (id = 0; id < SPLIT_IDS; id++)
		free(k->memory[id]);
	free(k->scrap);
	free(k);
}

int cst_sinks_add(struct sinks *k, unsigned int id)
{
	struct sink_memory *m;

	if (id >= SPLIT_IDS)
		return 0;
	m = malloc(sizeof(*m));
	if (!m)
		return -CST_ERR_NOMEM;
	k->memory[id] = m;
	set_memory(k, id, m);
	return 0;
}

uint32_t cst_sinks_remove(struct sinks *k, unsigned int id)
{
	uint32_t left;

	if (id >= SPLIT_IDS)
		return 0;
	left = id >= k->at && k->memory[id] ? k->sink[id].pos : 0;
	free(k->memory[id]);
	k->memory[id] = NULL;
	set_memory(k, id, k->scrap);
	return left;
}

void cst_sinks_clear(struct sinks *k)
{
	k->at = SPLIT_IDS;
}

struct frame_sink *cst_sinks_next(struct sinks *k, unsigned int *id)
{
	while (k->at < SPLIT_IDS) {
		*id = k->at++;
		if (k->sink[*id].pos)
			return &k->sink[*id];
	}
	return NULL;
}

size_t cst_sinks_fill(struct sinks *k, struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset)
{
	size_t used = cst_frame_split(df, in, len, offset, k->sink);

	k->at = used ? 0 : SPLIT_IDS;
	return used;
}
