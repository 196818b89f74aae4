/* SPDX-License-Identifier: GPL-2.0-only */
/* branch_list.c - branch lists in memory: adds them, and puts them in order. */
#include "perfdata/branch_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"

static void free_binary(struct branch_list_binary *b)
{
	free(b->path);
	free(b->v);
	free(b->bytes);
}

void branch_lists_free(struct branch_lists *l)
{
	size_t i;

	for (i = 0; i < l->nr; i++)
		free_binary(&l->v[i]);
	free(l->v);
	*l = (struct branch_lists){ .v = NULL };
}

struct branch_list_binary *branch_lists_add_binary(struct branch_lists *l, const char *path,
						   size_t len)
{
	struct branch_list_binary *b = ARRAY_ADD(l->v, l->nr, l->cap);

	*b = (struct branch_list_binary){ .path = mem_text_part(path, len) };
	return b;
}

void branch_list_add(struct branch_list_binary *b, uint64_t addr, const uint8_t *bits,
		     uint32_t nr_bits, uint64_t count)
{
	const size_t size = ((size_t)nr_bits + 7) / 8;

	if (!nr_bits || !count)
		return;
	array_room(&b->bytes, b->nr_bytes, size, &b->cap_bytes, 1);
	*ARRAY_ADD(b->v, b->nr, b->cap) = (struct branch_list){
		.addr = addr, .count = count, .bits = b->nr_bytes, .nr_bits = nr_bits
	};
	memcpy(b->bytes + b->nr_bytes, bits, size);
	b->nr_bytes += size;
	if (nr_bits % 8)
		b->bytes[b->nr_bytes - 1] &= (uint8_t)((1u << nr_bits % 8) - 1);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_binaries(const void *pa, const void *pb)
{
	const struct branch_list_binary *a = pa, *b = pb;
	int rc = strcmp(a->path, b->path);

	if (!rc)
		rc = order(a->id_len, b->id_len);
	if (!rc)
		rc = memcmp(a->id, b->id, sizeof(a->id));
	if (!rc)
		rc = order(a->type, b->type);
	return rc ? rc : order(a->kernel_start, b->kernel_start);
}

static int compare_lists(const void *pa, const void *pb, void *bytes)
{
	const struct branch_list *a = pa, *b = pb;
	int rc = order(a->addr, b->addr);

	if (!rc)
		rc = order(a->nr_bits, b->nr_bits);
	return rc ? rc :
		    memcmp((uint8_t *)bytes + a->bits, (uint8_t *)bytes + b->bits,
			   ((size_t)a->nr_bits + 7) / 8);
}

static void join_lists(struct branch_list_binary *b)
{
	struct branch_list *v = b->v;
	size_t i, n = 0;

	if (!b->nr)
		return;
	qsort_r(v, b->nr, sizeof(*v), compare_lists, b->bytes);
	for (i = 1; i < b->nr; i++) {
		if (compare_lists(&v[n], &v[i], b->bytes))
			v[++n] = v[i];
		else
			v[n].count = v[i].count > UINT64_MAX - v[n].count ? UINT64_MAX :
									    v[n].count + v[i].count;
	}
	b->nr = n + 1;
}

static void move_lists(struct branch_list_binary *to, struct branch_list_binary *from)
{
	size_t i;

	for (i = 0; i < from->nr; i++)
		branch_list_add(to, from->v[i].addr, from->bytes + from->v[i].bits,
				from->v[i].nr_bits, from->v[i].count);
	free_binary(from);
}

void branch_lists_join(struct branch_lists *l)
{
	size_t i, n = 0;

	if (!l->nr)
		return;
	qsort(l->v, l->nr, sizeof(*l->v), compare_binaries);
	for (i = 1; i < l->nr; i++) {
		if (compare_binaries(&l->v[n], &l->v[i]))
			l->v[++n] = l->v[i];
		else
			move_lists(&l->v[n], &l->v[i]);
	}
	l->nr = n + 1;
	for (i = 0; i < l->nr; i++)
		join_lists(&l->v[i]);
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Compares lists of two binaries, in their order. */
static int order_lists(const struct branch_list_binary *a, size_t i,
		       const struct branch_list_binary *b, size_t k)
{
	const struct branch_list *x = &a->v[i], *y = &b->v[k];
	int rc = order(x->addr, y->addr);

	if (!rc)
		rc = order(x->nr_bits, y->nr_bits);
	return rc ? rc : memcmp(a->bytes + x->bits, b->bytes + y->bits,
				((size_t)x->nr_bits + 7) / 8);
}

static int refuse(const struct branch_list_binary *b, const struct branch_list *less, uint64_t have,
		  struct error *err)
{
	return error_set(err, ERR_USAGE,
			 "the list at %#" PRIx64 " of %s with %" PRIu32 " branches: %" PRIu64
			 " cannot be subtracted from %" PRIu64 "%s",
			 less->addr, b->path, less->nr_bits, less->count, have,
			 have == UINT64_MAX ? ", which is the limit of a sum" : "");
}

/* Takes the lists of `less` out of those of the same binary; NULL: the sum does not have it. */
static int subtract_lists(struct branch_list_binary *from, const struct branch_list_binary *less,
			  struct error *err)
{
	size_t i = 0, k;

	for (k = 0; k < less->nr; k++) {
		const struct branch_list *l = &less->v[k];
		uint64_t have = 0;

		while (from && i < from->nr && order_lists(from, i, less, k) < 0)
			i++;
		if (from && i < from->nr && !order_lists(from, i, less, k))
			have = from->v[i].count;
		if (have < l->count || have == UINT64_MAX)
			return refuse(less, l, have, err);
		from->v[i].count -= l->count;
	}
	return 0;
}

/* Removes lists and binaries that are left without a count. */
static void remove_empty(struct branch_lists *l)
{
	size_t i, k, n = 0, left;

	for (i = 0; i < l->nr; i++) {
		struct branch_list_binary *b = &l->v[i];

		for (left = k = 0; k < b->nr; k++)
			if (b->v[k].count)
				b->v[left++] = b->v[k];
		b->nr = left;
		if (left)
			l->v[n++] = *b;
		else
			free_binary(b);
	}
	l->nr = n;
}

int branch_lists_subtract(struct branch_lists *from, const struct branch_lists *less,
			  struct error *err)
{
	size_t i = 0, k;
	int rc = 0;

	for (k = 0; !rc && k < less->nr; k++) {
		while (i < from->nr && compare_binaries(&from->v[i], &less->v[k]) < 0)
			i++;
		rc = subtract_lists(i < from->nr &&
					    !compare_binaries(&from->v[i], &less->v[k]) ?
					    &from->v[i] :
					    NULL,
				    &less->v[k], err);
	}
	if (!rc)
		remove_empty(from);
	return rc;
}
