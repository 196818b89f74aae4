/* SPDX-License-Identifier: BSD-3-Clause */
/* images.c - table of address spaces by context, sorted with the most specific entries first. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/grow.h"
#include "base/sized.h"
#include "flow/image/image_int.h"

#define IDS (CST_CTX_CID | CST_CTX_VMID)

struct entry {
	struct cst_image_key key;
	struct cst_space *space;
};

struct cst_images {
	struct entry *entry;
	size_t count, cap;
	uint32_t generation;
};

/* ID fields of an entry, most specific first: both IDs, the context ID, the VMID, none. */
static const uint8_t asks[] = { IDS, CST_CTX_CID, CST_CTX_VMID, 0 };
#define RANKS (sizeof(asks) / sizeof(asks[0]))

int cst_images_new(struct cst_images **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -CST_ERR_NOMEM;
}

void cst_images_free(struct cst_images *t)
{
	if (!t)
		return;
	free(t->entry);
	free(t);
}

static unsigned int rank(const struct cst_image_key *k)
{
	unsigned int i;

	for (i = 0; asks[i] != (k->ids & IDS); i++)
		;
	return i;
}

static int compare_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Compares two entries without their memory spaces. */
static int compare_ids(const struct cst_image_key *a, const struct cst_image_key *b)
{
	int c = compare_number(rank(a), rank(b));

	if (!c && a->ids & CST_CTX_CID)
		c = compare_number(a->context_id, b->context_id);
	if (!c && a->ids & CST_CTX_VMID)
		c = compare_number(a->vmid, b->vmid);
	return c;
}

static int compare(const struct cst_image_key *a, const struct cst_image_key *b)
{
	int c = compare_ids(a, b);

	if (!c)
		c = compare_number((unsigned int)__builtin_popcount(a->spaces),
				   (unsigned int)__builtin_popcount(b->spaces));
	return c ? c : compare_number(a->spaces, b->spaces);
}

/* Returns the first entry that is not before `key`. */
static size_t lower(const struct cst_images *t, const struct cst_image_key *key,
		    int (*cmp)(const struct cst_image_key *, const struct cst_image_key *))
{
	size_t lo = 0, hi = t->count, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (cmp(&t->entry[mid].key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int cst_images_set(struct cst_images *t, const struct cst_image_key *key, struct cst_space *space)
{
	struct cst_image_key own;
	size_t i;

	key = TAKE(cst_image_key, key, own);
	if (!key || !key->spaces || key->ids & ~IDS)
		return -CST_ERR_INVAL;
	t->generation++;
	i = lower(t, key, compare);
	if (i < t->count && !compare(&t->entry[i].key, key)) {
		t->entry[i].space = space;
		return 0;
	}
	if (array_reserve(&t->entry, &t->cap, t->count + 1, sizeof(*t->entry)))
		return -CST_ERR_NOMEM;
	memmove(&t->entry[i + 1], &t->entry[i], (t->count - i) * sizeof(*t->entry));
	t->entry[i].key = *key;
	t->entry[i].space = space;
	t->count++;
	return 0;
}

int cst_images_remove(struct cst_images *t, const struct cst_image_key *key)
{
	struct cst_image_key own;
	size_t i;

	key = TAKE(cst_image_key, key, own);
	if (!key || !key->spaces || key->ids & ~IDS)
		return -CST_ERR_INVAL;
	i = lower(t, key, compare);
	if (i == t->count || compare(&t->entry[i].key, key))
		return -CST_ERR_NOT_FOUND;
	t->generation++;
	t->count--;
	memmove(&t->entry[i], &t->entry[i + 1], (t->count - i) * sizeof(*t->entry));
	return 0;
}

uint32_t cst_images_generation(const struct cst_images *t)
{
	return t->generation;
}

struct cst_space *cst_images_find(const struct cst_images *t, unsigned int spaces, const struct cst_context *ctx)
{
	struct cst_image_key key = { .context_id = ctx->context_id, .vmid = ctx->vmid };
	size_t i, r;

	for (r = 0; r < RANKS; r++) {
		key.ids = asks[r];
		if (key.ids & ~ctx->flags)	/* the entry needs an ID that was not traced */
			continue;
		for (i = lower(t, &key, compare_ids); i < t->count && !compare_ids(&t->entry[i].key, &key); i++)
			if (t->entry[i].key.spaces & spaces)
				return t->entry[i].space;
	}
	return NULL;
}
