/* SPDX-License-Identifier: GPL-2.0-only */
/* auxdata.h - trace buffers in files of a folder, as AUXTRACE records. */
#ifndef CSTRACE_CONVERT_AUXDATA_H
#define CSTRACE_CONVERT_AUXDATA_H

#include "convert/events.h"
#include "convert/folder.h"
#include "convert/header.h"

/* A buffer is the concatenation of its files. */
struct auxdata {
	struct folder *files;
	const char *const *names;
	size_t nr;
};

/* Bytes of the files that can be read; *missing (may be NULL) counts the others. */
uint64_t auxdata_size(const struct auxdata *d, size_t *missing);
/* Bytes [at, at + size), which must be there, behind a record whose other fields are those of `rec`. */
void auxdata_write(const struct auxdata *d, uint64_t at, uint64_t size, struct perf_record_auxtrace *rec,
		   struct perf_writer *w, struct aux_index *index);
/* A whole buffer that was written in one go: the data, and an AUX record of this time. */
int auxdata_write_all(const struct auxdata *d, uint32_t idx, int cpu, bool raw, uint64_t time,
		      struct record_maker *m, struct perf_writer *w, struct aux_index *index);

#endif
