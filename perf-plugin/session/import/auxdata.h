/* SPDX-License-Identifier: GPL-2.0-only */
/* auxdata.h - trace buffers in files of a folder, as AUXTRACE records. */
#ifndef CSTRACE_SESSION_IMPORT_AUXDATA_H
#define CSTRACE_SESSION_IMPORT_AUXDATA_H

#include "base/intmap.h"
#include "session/import/events.h"
#include "session/import/folder.h"
#include "session/import/header.h"

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

/* Where whole buffers go, and the end of what each CPU has of them. */
struct auxdata_out {
	struct record_maker *maker;
	struct perf_writer *w;
	struct aux_index *index;
	struct intmap number_of_cpu;	/* CPU -> number of its end, from 1 on */
	uint64_t *ends;
	size_t nr_ends, cap_ends;
};

/*
 * A whole buffer that was written in one go: an AUX record of this time, then the data. Readers
 * look for the data of an AUX record by its CPU and offset, so that the buffers of a CPU follow
 * each other in its AUX area: none of them has an offset of another one.
 */
void auxdata_write_all(struct auxdata_out *out, const struct auxdata *d, uint32_t idx, int cpu,
		       bool raw, uint64_t time);
/* Offsets of a CPU that whole buffers must not have, because other records have them. */
void auxdata_taken(struct auxdata_out *out, int cpu, uint64_t offset, uint64_t size);
void auxdata_out_free(struct auxdata_out *out);

#endif
