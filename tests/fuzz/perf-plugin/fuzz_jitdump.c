/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a jitdump file: everything that is handed out is inside of it, and in order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/images/jitdump.h"

static void require(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1), *code;
	struct jitdump jd;
	size_t i;

	require(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	if (jitdump_read(&jd, copy, size)) {
		free(copy);
		return 0;
	}
	code = jitdump_code(&jd);
	require(code != NULL && jd.code_size <= size + 4 * (uint64_t)jd.nr_code);
	for (i = 0; i < jd.nr_code; i++) {
		const struct jit_code *c = &jd.code[i];

		require(c->size && c->at + c->size <= jd.code_size && (c->at & 3) == (c->addr & 3));
		require(!memcmp(code + c->at, copy + c->file_offset, c->size));
		require((const uint8_t *)c->name + strlen(c->name) < copy + size);
		require(!i || c->at >= c[-1].at + c[-1].size);
	}
	for (i = 0; i < jd.nr_ev; i++) {
		const struct jit_event *e = &jd.ev[i];

		require(e->len && e->at + e->len <= jd.code_size && e->addr + e->len >= e->addr);
		require(((e->at ^ e->addr) & 3) == 0);
		require(!i || e->time >= e[-1].time);
	}
	free(code);
	jitdump_free(&jd);
	free(copy);
	return 0;
}
