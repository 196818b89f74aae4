/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * space.c - address spaces: sorted, disjoint maps of virtual ranges to sections.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/grow.h"
#include "flow/image/image_int.h"

enum cst_memspace cst_memspace_of(unsigned int el, enum cst_security security)
{
	static const struct {
		uint8_t el01, el2, el3;
	} fetch[] = {
		[CST_SEC_SECURE] = { CST_MEM_EL1S, CST_MEM_EL2S, CST_MEM_EL3 },
		[CST_SEC_NONSECURE] = { CST_MEM_EL1N, CST_MEM_EL2N, CST_MEM_EL3 },
		[CST_SEC_ROOT] = { CST_MEM_ROOT, CST_MEM_ROOT, CST_MEM_ROOT },
		[CST_SEC_REALM] = { CST_MEM_EL1R, CST_MEM_EL2R, CST_MEM_EL3 },
	};
	unsigned int s = (unsigned int)security & 3;

	return el < 2 ? fetch[s].el01 : el == 2 ? fetch[s].el2 : fetch[s].el3;
}

int cst_space_new(struct cst_space **out, struct cst_image *img)
{
	struct cst_space *sp = calloc(1, sizeof(*sp));

	if (!sp)
		return -CST_ERR_NOMEM;
	sp->img = img;
	sp->next = img->spaces;
	sp->prev = &img->spaces;
	if (sp->next)
		sp->next->prev = &sp->next;
	img->spaces = sp;
	*out = sp;
	return 0;
}

void cst_space_free(struct cst_space *sp)
{
	if (!sp)
		return;
	*sp->prev = sp->next;
	if (sp->next)
		sp->next->prev = sp->prev;
	free(sp->map);
	free(sp);
}

/* Returns the index of the first map that ends after `addr`. */
static size_t lower(const struct cst_space *sp, uint64_t addr)
{
	size_t lo = 0, hi = sp->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		/* the last address of a map does not wrap */
		if (sp->map[mid].end - 1 < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct map *cst_space_find(const struct cst_space *sp, uint64_t addr)
{
	size_t i = sp->newest;

	/* most often what was mapped on demand is asked for */
	if (i >= sp->count || addr < sp->map[i].start || addr > sp->map[i].end - 1)
		i = lower(sp, addr);
	return i < sp->count && sp->map[i].start <= addr ? &sp->map[i] : NULL;
}

/* Gives a map a number that no map with other addresses or code has had. */
static void number(struct cst_space *sp, struct map *m)
{
	m->id = ++sp->img->map_ids;
}

/*
 * Removes [start, last] from all maps. Needs room for one more map, if the range is inside one. The generation does not
 * change if nothing was mapped there.
 */
static void cut(struct cst_space *sp, uint64_t start, uint64_t last)
{
	size_t i = lower(sp, start), j;
	struct map *m;

	if (i == sp->count || sp->map[i].start > last)
		return;
	sp->generation++;
	if (sp->map[i].start < start) {
		m = &sp->map[i];
		if (m->end - 1 > last) {
			memmove(m + 1, m, (sp->count - i) * sizeof(*m));
			sp->count++;
			m[1].off += last + 1 - m[1].start;
			m[1].start = last + 1;
			number(sp, &m[1]);
			m->end = start;
			number(sp, m);
			return;
		}
		m->end = start;
		number(sp, m);
		i++;
	}
	for (j = i; j < sp->count && sp->map[j].end - 1 <= last; j++)
		;
	if (j < sp->count && sp->map[j].start <= last) {
		m = &sp->map[j];
		m->off += last + 1 - m->start;
		m->start = last + 1;
		number(sp, m);
	}
	memmove(&sp->map[i], &sp->map[j], (sp->count - j) * sizeof(*m));
	sp->count -= j - i;
}

int cst_space_map(struct cst_space *sp, uint64_t start, uint64_t len, struct cst_section *sec,
		  uint64_t off)
{
	uint64_t last = start + len - 1;
	struct map *m, *known;
	size_t i;

	if (!len)
		return 0;
	if (last < start || (start - off) & 3 || off + len < off || sec->img != sp->img)
		return -CST_ERR_INVAL;
	if (array_reserve(&sp->map, &sp->cap, sp->count + 2, sizeof(*sp->map)))
		return -CST_ERR_NOMEM;
	i = lower(sp, start);
	if (i < sp->count && sp->map[i].start <= last) {
		cut(sp, start, last);
		i = lower(sp, start);
	}
	memmove(&sp->map[i + 1], &sp->map[i], (sp->count - i) * sizeof(*sp->map));
	m = &sp->map[i];
	*m = (struct map){ start, last + 1, off, 0, sec };
	known = &sec->last_map;
	if (known->id && known->start == start && known->end == m->end && known->off == off)
		m->id = known->id;
	else
		number(sp, m);
	*known = *m;
	sp->newest = i;
	sp->count++;
	return 0;
}

int cst_space_unmap(struct cst_space *sp, uint64_t start, uint64_t len)
{
	uint64_t last = start + len - 1;

	if (!len)
		return 0;
	if (last < start)
		return -CST_ERR_INVAL;
	if (array_reserve(&sp->map, &sp->cap, sp->count + 1, sizeof(*sp->map)))
		return -CST_ERR_NOMEM;
	cut(sp, start, last);
	return 0;
}

int64_t cst_space_read(struct cst_space *sp, uint64_t addr, uint64_t max, const uint8_t **bytes,
		       struct cst_section **sec, uint64_t *off)
{
	const struct map *m = cst_space_find(sp, addr);
	uint64_t o, n;

	if (!m)
		return 0;
	o = addr - m->start + m->off;
	if (sec)
		*sec = m->sec;
	if (off)
		*off = o;
	if (m->sec->lazy)
		return -CST_ERR_BUSY;
	if (o >= m->sec->size)
		return 0;
	n = m->end - addr;
	if (n > m->sec->size - o)
		n = m->sec->size - o;
	*bytes = m->sec->bytes + o;
	n = n < max ? n : max;
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

void cst_space_set_on_demand(struct cst_space *sp, int on)
{
	sp->on_demand = !!on;
}

void cst_space_set_mapper(struct cst_space *sp, cst_space_mapper mapper, void *data)
{
	sp->mapper = mapper;
	sp->mapper_data = data;
}
