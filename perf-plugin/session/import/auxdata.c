/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * auxdata.c - writes the files of a buffer as AUXTRACE records; the buffers of a CPU get offsets one behind the
 * other.
 */
#include "session/import/auxdata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define AUX_FLAG_RAW	0x100u
#define MAX_OFFSET	(1ull << 62)

uint64_t auxdata_size(const struct auxdata *d, size_t *missing)
{
	const uint8_t *data;
	uint64_t sum = 0;
	size_t len, i;

	if (missing)
		*missing = 0;
	for (i = 0; i < d->nr; i++) {
		if (!folder_open(d->files, d->names[i], &data, &len))
			sum += len;
		else if (missing)
			++*missing;
	}
	return sum;
}

static void write_bytes(const struct auxdata *d, uint64_t at, uint64_t size, struct perf_writer *w)
{
	const uint8_t *data;
	uint64_t n;
	size_t len, i;

	for (i = 0; size && i < d->nr; i++) {
		if (folder_open(d->files, d->names[i], &data, &len))
			continue;
		if (at >= len) {
			at -= len;
			continue;
		}
		n = len - at < size ? len - at : size;
		pw_write(w, data + at, n);
		size -= n;
		at = 0;
	}
}

void auxdata_write(const struct auxdata *d, uint64_t at, uint64_t size, struct perf_record_auxtrace *rec,
		   struct perf_writer *w, struct aux_index *index)
{
	static const uint8_t zeros[8];
	uint64_t pad = -size & 7;

	rec->header.type = PERF_RECORD_AUXTRACE;
	rec->header.size = sizeof(*rec);
	/* records start at multiples of 8 */
	rec->size = size + pad;
	aux_index_add(index, w);
	pw_write(w, rec, sizeof(*rec));
	write_bytes(d, at, size, w);
	pw_write(w, zeros, pad);
}

/* The end of what a CPU has. */
static uint64_t *end_of_cpu(struct auxdata_out *out, int cpu)
{
	size_t number = (size_t)(uintptr_t)intmap_get(&out->number_of_cpu, cpu);
	uint64_t *end;

	if (number)
		return &out->ends[number - 1];
	end = ARRAY_ADD(out->ends, out->nr_ends, out->cap_ends);
	intmap_put(&out->number_of_cpu, cpu, (void *)(uintptr_t)out->nr_ends);
	*end = 0;
	return end;
}

/* Where the next buffer begins behind this one. Frames begin at multiples of 16. */
static uint64_t behind(uint64_t offset, uint64_t size)
{
	return (offset + size + 15) & ~15ull;
}

void auxdata_taken(struct auxdata_out *out, int cpu, uint64_t offset, uint64_t size)
{
	uint64_t *end = end_of_cpu(out, cpu);

	/* offsets of damaged records are not within reach of buffers */
	if (offset <= MAX_OFFSET && size <= MAX_OFFSET && behind(offset, size) > *end)
		*end = behind(offset, size);
}

/* That there is trace: the AUX record. */
static void write_fragment(struct auxdata_out *out, uint64_t offset, uint64_t size, int cpu,
			   bool raw, uint64_t time)
{
	static const char *const keys[4] = { "offset", "size", "flags", "at_cpu" };
	struct cst_event_param p[4];
	struct cst_event ev = { .verb = CST_EVENT_OTHER, .name = { "x_fragment", 10 }, .params = p,
				.n_params = 4, .pid = -1 };
	char text[4][24];
	unsigned int k;

	snprintf(text[0], sizeof(text[0]), "0x%llx", (unsigned long long)offset);
	snprintf(text[1], sizeof(text[1]), "0x%llx", (unsigned long long)size);
	snprintf(text[2], sizeof(text[2]), "%u", raw ? AUX_FLAG_RAW : 0);
	snprintf(text[3], sizeof(text[3]), "%d", cpu);
	for (k = 0; k < 4; k++)
		p[k] = (struct cst_event_param){ { keys[k], strlen(keys[k]) },
						 { text[k], strlen(text[k]) } };
	records_of_event(out->maker, &ev, time);
}

void auxdata_write_all(struct auxdata_out *out, const struct auxdata *d, uint32_t idx, int cpu,
		       bool raw, uint64_t time)
{
	struct perf_record_auxtrace rec = { .idx = idx, .tid = (uint32_t)-1, .cpu = (uint32_t)cpu };
	uint64_t size = auxdata_size(d, NULL), *end;

	if (!size)
		return;
	end = end_of_cpu(out, cpu);
	rec.offset = *end;
	*end = behind(rec.offset, size);
	write_fragment(out, rec.offset, size, cpu, raw, time);
	auxdata_write(d, 0, size, &rec, out->w, out->index);
}

void auxdata_out_free(struct auxdata_out *out)
{
	intmap_free(&out->number_of_cpu);
	free(out->ends);
}
