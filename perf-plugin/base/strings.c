/* SPDX-License-Identifier: GPL-2.0-only */
/* strings.c - a hash table of strings. */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint64_t strings_hash(const char *s)
{
	uint64_t h = 5381;

	while (*s)
		h = h * 33 + (uint8_t)*s++;
	return h;
}

static uint64_t hash_at(const void *array, uint32_t i)
{
	return strings_hash(((char *const *)array)[i]);
}

uint32_t strings_number(struct strings *s, const char *text)
{
	size_t at;

	slots_reserve(&s->slots, s->n, s->v, hash_at);
	SLOTS_FIND(&s->slots, at, strings_hash(text), !strcmp(s->v[s->slots.v[at] - 1], text));
	if (s->slots.v[at])
		return s->slots.v[at] - 1;
	*ARRAY_ADD(s->v, s->n, s->cap) = mem_text(text);
	s->slots.v[at] = (uint32_t)s->n;
	return (uint32_t)s->n - 1;
}

uint32_t strings_find(const struct strings *s, const char *text)
{
	size_t at;

	if (!s->n)
		return UINT32_MAX;
	SLOTS_FIND(&s->slots, at, strings_hash(text), !strcmp(s->v[s->slots.v[at] - 1], text));
	return s->slots.v[at] ? s->slots.v[at] - 1 : UINT32_MAX;
}

void strings_free(struct strings *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	slots_free(&s->slots);
	*s = (struct strings){ .v = NULL };
}
