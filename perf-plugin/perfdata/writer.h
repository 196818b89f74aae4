/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * writer.h - writes perf.data that perf 6.1 and its consumers accept. Order of calls:
 *
 *	pw_open, pw_add_attr..., pw_set_...(features), pw_set_compression, pw_start,
 *	{ pw_reserve, fill, pw_commit | pw_put... }..., pw_finish or pw_abort
 *
 * A regular file is written without a name, or under a temporary one in the same directory, and
 * takes its name in pw_finish(): after an error, a signal or pw_abort() an older file of that
 * name is still there and complete. "-" and targets that are no regular file (a FIFO, /dev/null)
 * get the pipe form of the format, which needs no seeking.
 *
 * I/O errors are kept until pw_finish(), so the hot path needs no check; a long-running caller
 * asks pw_failed() now and then.
 */
#ifndef CSTRACE_PERFDATA_WRITER_H
#define CSTRACE_PERFDATA_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "perfdata/reader.h"

struct pw_state;

struct perf_writer {
	uint8_t *cur;
	uint8_t *end;
	struct pw_state *st;
};

struct perf_writer *pw_open(const char *path, struct error *err);
/* Into a regular file that is open and stays the caller's. */
struct perf_writer *pw_open_fd(int fd, const char *name, struct error *err);

/*
 * Returns the index of the event, or a negative code. Fields of @attr beyond its size field are
 * taken as zero; attr.size becomes 128. @name appears in perf report.
 */
int pw_add_attr(struct perf_writer *w, const struct perf_event_attr *attr, const uint64_t *ids,
		uint32_t nr_ids, const char *name, struct error *err);

/*
 * Features. Those that are set before pw_start() stand at the front of the pipe form; in a file
 * all of them follow the data. Setting one again replaces it.
 */
void pw_set_string(struct perf_writer *w, enum pd_feature bit, const char *s);
void pw_set_nrcpus(struct perf_writer *w, uint32_t avail, uint32_t online);
void pw_set_cmdline(struct perf_writer *w, const char *const *argv, uint32_t argc);
void pw_set_sample_time(struct perf_writer *w, uint64_t first, uint64_t last);
void pw_set_branch_stack(struct perf_writer *w);
void pw_set_raw(struct perf_writer *w, enum pd_feature bit, const void *data, size_t len);
/* @pid is ~0 for the host: any other number makes perf invent a guest. */
int pw_add_build_id(struct perf_writer *w, uint16_t misc, uint32_t pid, const void *id,
		    unsigned int id_size, const char *filename);
/* What the input says about host, CPUs, command line and clocks. Nothing about its events. */
void pw_copy_env(struct perf_writer *w, const struct perfdata *pd);

/*
 * Compresses the records as perf record -z does, at this level (1 to PD_COMP_MAX_LEVEL), in up to
 * that number of threads; 1: in the calling one. Needs pd_comp_available(). Features and build-ids
 * of the pipe form stay as they are, for readers that do not look for them in compressed records;
 * the first one behind records ends the compression.
 */
void pw_set_compression(struct perf_writer *w, int level, unsigned int threads);

int pw_start(struct perf_writer *w, struct error *err);

/* Make the buffer fit @n bytes; out of line part of pw_reserve(). */
void pw_flush(struct perf_writer *w);

/*
 * Room for @n <= 65536 bytes. Never NULL. What is not committed before the next call of a pw_
 * function is gone.
 */
static inline void *pw_reserve(struct perf_writer *w, size_t n)
{
	if ((size_t)(w->end - w->cur) < n)
		pw_flush(w);
	return w->cur;
}

static inline void pw_commit(struct perf_writer *w, size_t n)
{
	w->cur += n;
}

/* A block of whole records that the caller has; large ones are copied only to be compressed. */
void pw_write(struct perf_writer *w, const void *data, size_t len);

bool pw_failed(const struct perf_writer *w);
/* Bytes of all records, before they are compressed. */
uint64_t pw_data_bytes(const struct perf_writer *w);
/*
 * Where in the file the next record will stand; after pw_start(), and of no use in the pipe form or
 * with compression.
 */
uint64_t pw_position(const struct perf_writer *w);

/* Complete the file and free @w, whatever the result. */
int pw_finish(struct perf_writer *w, struct error *err);
/* For commands, whose messages begin with `who`: the same, with pd_output_end_if(). */
int pw_finish_if(struct perf_writer *w, const char *who, bool anything);
void pw_abort(struct perf_writer *w);

#endif
