/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader.h - reads perf.data as a sequence of records in file order, from a file, a pipe, memory or a
 * directory (`data` first, then `data.0`, `data.1`, ...). Records are returned in host byte
 * order and inside bounds; compressed records are expanded on the way.
 */
#ifndef CSTRACE_PERFDATA_READER_H
#define CSTRACE_PERFDATA_READER_H

#include "base/error.h"
#include "perfdata/attr.h"
#include "perfdata/feature.h"
#include "perfdata/records.h"
#include "perfdata/sample.h"

struct perfdata;

/* AUX data of an AUXTRACE record. The bytes stay valid until perfdata_close(). */
struct pd_auxtrace {
	uint64_t size;		/* as the record says */
	uint64_t avail;		/* less than @size when the file is cut inside it */
	uint64_t offset;	/* position in the AUX buffer */
	uint64_t reference;
	uint32_t idx;
	int32_t tid;		/* -1: none (simpleperf writes 0 then) */
	int32_t cpu;		/* -1: a buffer that follows its thread */
	const uint8_t *data;
	uint64_t data_offset;	/* where @data is in the file */
};

/* The AUX window of a sample: the newest trace at its time. */
struct pd_window {
	/* in the byte order of the file, whatever the record was converted to */
	const uint8_t *data;
	uint64_t size;	/* 0: none */
	bool stable;	/* @data is valid until perfdata_close(), else until the next call */
};

struct pd_record {
	const union perf_event *ev;	/* valid until the next call, see @stable */
	uint64_t offset;	/* in the file; for an expanded record that of its container */
	unsigned int file;	/* 0, or 1 + N for `data.N` of a directory */
	uint64_t seq;		/* counts the records of one pass */
	uint16_t body_size;	/* header.size less the sample_id trailer */
	bool stable;		/* @ev is valid until perfdata_close() */
	bool known;		/* the type is one whose layout was checked */
	const struct pd_attr *attr;	/* NULL for records of the recorder itself */
	struct pd_sample_id sid;
	struct pd_sample sample;	/* PERF_RECORD_SAMPLE only */
	struct pd_window window;	/* PERF_RECORD_SAMPLE only */
	struct pd_auxtrace aux;		/* PERF_RECORD_AUXTRACE only */
	const uint8_t *payload;	/* bytes after a HEADER_TRACING_DATA record, else NULL */
	uint64_t payload_size;
};

/* Time, thread and CPU of a record: a sample has them in its own fields, others in their trailer. */
static inline const struct pd_sample_id *pd_record_sid(const struct pd_record *rec)
{
	return rec->ev->header.type == PERF_RECORD_SAMPLE ? &rec->sample.sid : &rec->sid;
}

/* Of one pass; perfdata_rewind() starts again at zero. */
struct pd_stats {
	uint64_t records;
	uint64_t unknown_records;	/* delivered, but of a type that is not known here */
	uint64_t bad_records;		/* reported as errors and not delivered */
	uint64_t unknown_ids;		/* id that no attr has: read with the first attr's layout */
	uint64_t compressed_records;
	uint64_t compressed_bytes;
	uint64_t expanded_bytes;
	uint64_t lost_compressed;	/* records that came after the zstd stream had broken, or beyond the limit */
	uint64_t lost_bytes;		/* of the file, neither delivered nor expanded */
	uint64_t aux_bytes;
};

/* @path: a file, a directory, or "-" for standard input. NULL on error, with @err filled. */
struct perfdata *perfdata_open(const char *path, struct error *err);

/* The same over @len bytes that the caller keeps; @name is for messages. */
struct perfdata *perfdata_open_memory(const void *buf, size_t len, const char *name,
				      struct error *err);
/* The same of a regular file that is open; it may be closed afterwards. */
struct perfdata *perfdata_open_fd(int fd, const char *name, struct error *err);
void perfdata_close(struct perfdata *pd);
/*
 * Frees the memory of the recording's bytes, which are read from the file again when they are used.
 */
void perfdata_release(const struct perfdata *pd);

/*
 * 1: a record. 0: the end. Negative: something was lost; perfdata_error() returns what, and the next call continues
 * with the rest that can be read, so callers count errors and continue until 0.
 */
int perfdata_next(struct perfdata *pd, struct pd_record *rec);
const struct error *perfdata_error(const struct perfdata *pd);

/*
 * The limit on what compressed records expand to in one pass, in bytes; 0: PD_EXPAND_FLOOR, or PD_EXPAND_RATIO
 * times their size if that is more. Recorders reach 10 to 50 times; a file that was made to fill the memory
 * reaches thousands. Beyond the limit compressed records are lost (ERR_EXPAND).
 */
#define PD_EXPAND_FLOOR	64000000ull
#define PD_EXPAND_RATIO	200
void perfdata_set_max_expand(struct perfdata *pd, uint64_t bytes);

/* Start again with the first record: what every pass but the first begins with. Works for pipes as well. */
void perfdata_rewind(struct perfdata *pd);

/*
 * Another position in the same input, at its start, once a whole pass was made over @pd. To be closed
 * before @pd.
 */
struct perfdata *perfdata_cursor(const struct perfdata *pd);

/* In pipe mode these grow while records are read, and are complete after the first pass. */
unsigned int perfdata_nr_attrs(const struct perfdata *pd);
const struct pd_attr *perfdata_attr(const struct perfdata *pd, unsigned int i);
const struct pd_attr *perfdata_attr_by_id(const struct perfdata *pd, uint64_t id);
const struct pd_env *perfdata_env(const struct perfdata *pd);

const struct pd_stats *perfdata_stats(const struct perfdata *pd);

/* What is odd about the header or the feature sections, but no reason to stop. */
unsigned int perfdata_nr_warnings(const struct perfdata *pd);
const char *perfdata_warning(const struct perfdata *pd, unsigned int i);

/*
 * For a caller that reads a pipe once, forgets what it has used, and passes the rest on itself.
 * True if the input is one that grows while it is read.
 */
bool perfdata_is_growing(const struct perfdata *pd);
/*
 * Reading ends when `stop_fd` can be read (-1: none). Trace of more than `most` bytes in one record
 * is damage (0: no limit): else the temporary file would have to hold it.
 */
void perfdata_limit(struct perfdata *pd, int stop_fd, uint64_t most);
/*
 * Where the next record begins, and the bytes there or at another offset that was read and not
 * forgotten.
 */
uint64_t perfdata_position(const struct perfdata *pd);
const uint8_t *perfdata_bytes(const struct perfdata *pd, uint64_t offset);
/*
 * Gives the room of the bytes before `offset` back. Addresses of other bytes change, perfdata_env()
 * is not valid any more, and there is no way back to the start. Does nothing while compressed
 * records are expanded.
 */
void perfdata_forget(struct perfdata *pd, uint64_t offset);

const char *perfdata_name(const struct perfdata *pd);
const char *perfdata_file_name(const struct perfdata *pd, unsigned int file);
const char *perfdata_dir(const struct perfdata *pd);	/* NULL unless a directory was opened */
/* The directory that was opened, or that of its file "data", in which the recorder wrote kcore_dir, too; else NULL. */
const char *perfdata_folder(const struct perfdata *pd);
bool perfdata_is_pipe(const struct perfdata *pd);
bool perfdata_is_swapped(const struct perfdata *pd);

#endif
