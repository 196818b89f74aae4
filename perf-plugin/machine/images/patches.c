/* SPDX-License-Identifier: GPL-2.0-only */
/* patches.c - stores each byte sequence written to kernel text once, and the original bytes of each address. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "machine/images/dso_table.h"
#include "machine/images/patches.h"

#define DSO_NAME "[kernel text changed while tracing]"

void patches_free(struct patches *ps)
{
	/* after patches_finish() the dso owns the bytes */
	if (!ps->finished)
		free(ps->bytes);
	free(ps->seq);
	slots_free(&ps->slots);
	free(ps->word);
	free(ps->run);
	memset(ps, 0, sizeof(*ps));
}

static int compare_words(const void *a, const void *b)
{
	const struct patch_word *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Drops all words of an address but the earliest. */
static void drop_later_words(struct patches *ps)
{
	size_t i, n = 0;

	if (!ps->nr_word)
		return;
	qsort(ps->word, ps->nr_word, sizeof(*ps->word), compare_words);
	for (i = 0; i < ps->nr_word; i++)
		if (!n || ps->word[n - 1].addr != ps->word[i].addr)
			ps->word[n++] = ps->word[i];
	ps->nr_word = n;
}

void patches_note(struct patches *ps, uint64_t addr, uint64_t time, uint64_t seq,
		  const uint8_t *old,
		 size_t len)
{
	struct patch_word *w;
	size_t i;

	for (i = 0; i + 4 <= len; i += 4) {
		/*
		 * the array grows only if most of it is in use after that, so its size depends on addresses, not on
		 * records
		 */
		if (ps->nr_word == ps->cap_word && ps->cap_word) {
			drop_later_words(ps);
			if (ps->nr_word > ps->cap_word / 2)
				array_reserve(&ps->word, ps->cap_word, &ps->cap_word, sizeof(*w));
		}
		w = ARRAY_ADD(ps->word, ps->nr_word, ps->cap_word);
		*w = (struct patch_word){ .addr = addr + i, .time = time, .seq = seq };
		memcpy(&w->old, old + i, 4);
	}
}

static uint32_t hash_bytes(const uint8_t *p, size_t len)
{
	uint32_t h = 2166136261u;

	while (len--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

static uint64_t hash_of(const void *seqs, uint32_t i)
{
	return ((const struct patch_seq *)seqs)[i].hash;
}

static bool same(const struct patches *ps, const struct patch_seq *s, const uint8_t *bytes,
		 size_t len)
{
	return s->len == len && !memcmp(ps->bytes + s->at, bytes, len);
}

void patches_place(struct patches *ps, struct dso_table *t, const uint8_t *bytes, size_t len,
		   uint64_t *at)
{
	uint32_t hash = hash_bytes(bytes, len);
	struct slots *slots = &ps->slots;
	size_t slot;

	if (!ps->dso)
		ps->dso = dso_table_add(t, DSO_NAME, DSO_PATCH);
	slots_reserve(slots, ps->nr_seq, ps->seq, hash_of);
	SLOTS_FIND(slots, slot, hash, same(ps, &ps->seq[slots->v[slot] - 1], bytes, len));
	if (slots->v[slot]) {
		*at = ps->seq[slots->v[slot] - 1].at;
		return;
	}
	/* a file that another program changes meanwhile */
	if (ps->finished)
		mem_refused(0);
	array_room(&ps->bytes, ps->size, len + 3, &ps->cap, 1);
	*ARRAY_ADD(ps->seq, ps->nr_seq, ps->cap_seq) =
		(struct patch_seq){ .at = ps->size, .len = (uint32_t)len, .hash = hash };
	slots->v[slot] = (uint32_t)ps->nr_seq;
	memcpy(ps->bytes + ps->size, bytes, len);
	*at = ps->size;
	ps->size += (len + 3) & ~(size_t)3;
}

/* maximum length in bytes of a stretch of adjacent words */
#define MAX_RUN 64

static void make_runs(struct patches *ps, struct dso_table *t)
{
	uint32_t bytes[MAX_RUN];
	size_t i, n, cap = 0;
	struct patch_run *run;

	for (i = 0; i < ps->nr_word; i += n) {
		for (n = 0; n < MAX_RUN && i + n < ps->nr_word; n++) {
			if (ps->word[i + n].addr != ps->word[i].addr + 4 * n)
				break;
			bytes[n] = ps->word[i + n].old;
		}
		run = ARRAY_ADD(ps->run, ps->nr_run, cap);
		patches_place(ps, t, (const uint8_t *)bytes, 4 * n, &run->at);
		run->start = ps->word[i].addr;
		run->end = run->start + 4 * n;
	}
}

void patches_finish(struct patches *ps, struct dso_table *t)
{
	drop_later_words(ps);
	make_runs(ps, t);
	free(ps->word);
	ps->word = NULL;
	ps->nr_word = ps->cap_word = 0;
	ps->finished = true;
	if (!ps->dso)
		return;
	dso_own(ps->dso, ps->bytes, ps->size);
}

const struct patch_run *patches_next(const struct patches *ps, uint64_t addr)
{
	size_t lo = 0, hi = ps->nr_run;

	BISECT(lo, hi, mid, ps->run[mid].end <= addr);
	return lo < ps->nr_run ? &ps->run[lo] : NULL;
}
