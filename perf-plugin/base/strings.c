/* SPDX-License-Identifier: GPL-2.0-only */
/* strings.c - a hash table of strings. */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static size_t hash(const char *s)
{
	size_t h = 5381;

	while (*s)
		h = h * 33 + (uint8_t)*s++;
	return h;
}

static uint32_t *slot_of(const struct strings *s, uint32_t *slots, size_t n, const char *text)
{
	size_t i = hash(text) & (n - 1);

	while (slots[i] && strcmp(s->v[slots[i] - 1], text))
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static int grow(struct strings *s)
{
	size_t n = s->nr_slots ? 2 * s->nr_slots : 256, i;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return 0;
	for (i = 0; i < s->n; i++)
		*slot_of(s, slots, n, s->v[i]) = (uint32_t)i + 1;
	free(s->slot);
	s->slot = slots;
	s->nr_slots = n;
	return 1;
}

uint32_t strings_number(struct strings *s, const char *text)
{
	uint32_t *slot;
	char **to;

	if (2 * (s->n + 1) > s->nr_slots && !grow(s))
		return STRINGS_NONE;
	slot = slot_of(s, s->slot, s->nr_slots, text);
	if (!*slot) {
		to = ARRAY_ADD(s->v, s->n, s->cap);
		if (!to)
			return STRINGS_NONE;
		*to = strdup(text);
		if (!*to) {
			s->n--;
			return STRINGS_NONE;
		}
		*slot = (uint32_t)s->n;
	}
	return *slot - 1;
}

void strings_free(struct strings *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	free(s->slot);
	*s = (struct strings){ .v = NULL };
}
