/* SPDX-License-Identifier: BSD-3-Clause */
#include "opcodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct map {
	uint32_t pid;
	uint64_t va, len, offset;
	const struct gbuf *file;
};

struct opcodes {
	const struct session_image *images;
	int nimages;
	struct gbuf *files;		/* of the images; read when they are mapped */
	uint8_t *read;
	struct map *maps;
	size_t nmaps;
};

struct opcodes *opcodes_new(const struct session_image *images, int n)
{
	struct opcodes *o = gen_realloc(NULL, sizeof(*o));

	memset(o, 0, sizeof(*o));
	o->images = images;
	o->nimages = n;
	o->files = gen_realloc(NULL, (size_t)(n + 1) * sizeof(*o->files));
	memset(o->files, 0, (size_t)(n + 1) * sizeof(*o->files));
	o->read = gen_realloc(NULL, (size_t)n + 1);
	memset(o->read, 0, (size_t)n + 1);
	return o;
}

static const struct gbuf *file_of(struct opcodes *o, int i)
{
	uint8_t block[4096];
	size_t n;
	FILE *f;

	if (o->read[i])
		return &o->files[i];
	o->read[i] = 1;
	f = fopen(o->images[i].file, "rb");
	while (f && (n = fread(block, 1, sizeof(block), f)) > 0)
		gbuf_put(&o->files[i], block, n);
	if (f)
		fclose(f);
	return &o->files[i];
}

void opcodes_map(struct opcodes *o, const struct flow_rec *r)
{
	int i;

	for (i = 0; i < o->nimages; i++) {
		if (o->images[i].num != r->num)
			continue;
		o->maps = gen_realloc(o->maps, (o->nmaps + 1) * sizeof(*o->maps));
		o->maps[o->nmaps++] = (struct map){ r->tid, r->pc, r->next, r->aux, file_of(o, i) };
		return;
	}
}

int opcodes_bytes(void *opcodes, const struct flow_rec *r, uint8_t *bytes)
{
	const struct opcodes *o = opcodes;
	uint32_t pid = r->tid / 100 * 100;	/* as session.h has it */
	const struct map *m;
	uint64_t at;
	size_t i;

	for (i = o->nmaps; i--;) {
		m = &o->maps[i];
		if ((m->pid != pid && m->pid != r->tid) || r->pc < m->va || r->pc - m->va >= m->len)
			continue;
		at = r->pc - m->va + m->offset;
		if (at + r->size > m->file->len)
			return 0;
		memcpy(bytes, m->file->p + at, r->size);
		return 1;
	}
	return 0;
}

void opcodes_free(struct opcodes *o)
{
	int i;

	if (!o)
		return;
	for (i = 0; i < o->nimages; i++)
		gbuf_free(&o->files[i]);
	free(o->files);
	free(o->read);
	free(o->maps);
	free(o);
}
