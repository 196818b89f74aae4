/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/auxdata.h"

#include <stdio.h>
#include <string.h>

#define AUX_FLAG_RAW	0x100u

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

int auxdata_write_all(const struct auxdata *d, uint32_t idx, int cpu, bool raw, uint64_t time,
		      struct record_maker *m, struct perf_writer *w, struct aux_index *index)
{
	struct perf_record_auxtrace rec = { .idx = idx, .tid = (uint32_t)-1, .cpu = (uint32_t)cpu };
	struct cst_event_param p[3] = { { .key = { "size", 4 } }, { .key = { "flags", 5 } },
					{ .key = { "at_cpu", 6 } } };
	struct cst_event ev = { .verb = CST_EVENT_OTHER, .name = { "x_fragment", 10 }, .params = p,
				.n_params = 3, .pid = -1 };
	uint64_t size = auxdata_size(d, NULL);
	char text[3][24];
	unsigned int k;
	int rc;

	if (!size)
		return 0;
	snprintf(text[0], sizeof(text[0]), "0x%llx", (unsigned long long)size);
	snprintf(text[1], sizeof(text[1]), "%u", raw ? AUX_FLAG_RAW : 0);
	snprintf(text[2], sizeof(text[2]), "%d", cpu);
	for (k = 0; k < 3; k++)
		p[k].value = (struct cst_str){ text[k], strlen(text[k]) };
	/* as recorders do: first that there is trace, then the trace */
	rc = records_of_event(m, &ev, time);
	if (!rc)
		auxdata_write(d, 0, size, &rec, w, index);
	return rc;
}
