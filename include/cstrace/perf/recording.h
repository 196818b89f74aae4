/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recording.h - a recording of perf, decoded: open it, take what was executed, see what was lost,
 * close it. What perf.data, a folder of perf record --kcore or a trace package holds beside the
 * trace (threads, maps, clocks, metadata) is used as perf-cstrace uses it. Library libcstrace-perf,
 * which stands on libcstrace and is licensed as GPL-2.0-only.
 *
 * Threads. A recording belongs to one thread at a time; different ones may be used in different
 * threads.
 *
 * Errors and messages. Functions return 0 or a negative number; what it was is in words, with file,
 * offset, what was found and what helps, passed to `report` of the options. Nothing is printed.
 * The messages of a call come at its end. Where memory is refused, the process ends with exit code
 * 1 and a line on standard error. The library sets no signal handler: a file that gets shorter
 * while it is read is a SIGBUS.
 *
 * Sizes. A later version may add members at the end of the structs. That of cst_recording_open()
 * has a struct_size, as in cstrace.h ("Sizes of structs"); the others are read only.
 */
#ifndef CSTRACE_PERF_RECORDING_H
#define CSTRACE_PERF_RECORDING_H

#include <stddef.h>

#include <cstrace/config.h>
#include <cstrace/counts.h>
#include <cstrace/flow.h>

CST_BEGIN

struct cst_recording;

/*
 * All 0 but for `input`: everything, with the files at their recorded paths and in the
 * build-id cache.
 */
struct cst_recording_opts {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	/* perf.data, its folder, a trace package or a snapshot of Arm; "-": standard input */
	const char *input;
	/* Where programs and kernels are found: as the options of perf-cstrace with these names. */
	const char *symfs, *vmlinux, *kcore, *kallsyms, *jitdump, *buildid_dir;
	/* What part of the recording is decoded: as --time, --cpu, --pid, --tid and --comm. */
	const char *time, *cpu, *pid, *tid, *comm;
	int times;		/* other than 0: batches have times; decoding is slower with them */
	/*
	 * Receives each message at the end of a call, without a line feed at its end; NULL:
	 * messages are dropped.
	 */
	void (*report)(void *data, const char *message);
	void *data;		/* for report() */
};

/* A file with executed code, or a piece of generated code. Valid until the recording is closed. */
struct cst_recording_file {
	const char *path;	/* as recorded */
	size_t build_id_len;	/* 0: not known */
	const uint8_t *build_id;
};

/*
 * What one thread executed on one CPU without an interruption by another thread. Valid during the
 * call.
 */
struct cst_recording_batch {
	int cpu, pid, tid;	/* -1: unknown */
	const char *comm;	/* name of the thread; NULL: unknown */
	/* ns of perf's clock at the first element, with cst_recording_opts.times; 0: not known */
	uint64_t time;
	size_t n;
	const struct cst_generic *elements;
	/*
	 * Of each element: the file of a range's code, in which cst_generic.sect_off is the offset
	 * of its first instruction (the lower 32 bits); NULL: none.
	 */
	const struct cst_recording_file *const *files;
	const struct cst_config *config;	/* of the trace unit */
};

/* What cst_recording_keep() keeps of a batch. */
struct cst_recording_kept {
	size_t n;
	const struct cst_generic *elements;
	const struct cst_recording_file *const *files;
};

/* How often the code of a file, or one piece of generated code, ran. Valid during the call. */
struct cst_recording_counts {
	const struct cst_recording_file *file;
	const char *method;	/* name of the piece of generated code; NULL: the whole file */
	/* Offsets in the file of the first and the last instruction of ranges, sorted. */
	const struct cst_pair *ranges;
	size_t n_ranges;
	/* Offsets of taken branches and targets, sorted; CST_COUNTS_OUTSIDE: elsewhere. */
	const struct cst_pair *edges;
	size_t n_edges;
	uint64_t branches;	/* taken: the edges, and those whose target is not known */
};

#define CST_COUNTS_OUTSIDE UINT32_MAX

/* Trace or records that were not decoded for one cause. */
struct cst_recording_loss {
	uint64_t count;
	uint64_t bytes;		/* bytes of trace until the flow is known again */
	const char *counted;	/* what `count` counts */
	const char *why;
	const char *cure;	/* what helps and was not done; NULL: nothing is known to */
};

/*
 * Reads the records once. -CST_ERR_INVAL: an option cannot be used; any other negative number: the
 * input cannot be read. The texts of `opts` must stay as they are until the recording is closed.
 */
CST_API int cst_recording_open(struct cst_recording **rec, const struct cst_recording_opts *opts);
/*
 * Decodes the recording: passes what was executed to batch(), each CPU or thread in its own order.
 * Its elements are those of flow.h, never CST_GEN_COUNTED, _SKIPPED or _LISTED. A value other than
 * 0 that batch() returns ends the run and is returned. May be called again.
 */
CST_API int cst_recording_run(struct cst_recording *rec,
			      int (*batch)(void *data, const struct cst_recording_batch *b),
			      void *data);
/*
 * Keeps the elements of the batch and their files unchanged behind the end of batch(), in which it
 * is called, until cst_recording_release(); what `files` points to is valid until the recording is
 * closed. Copies nothing without cst_recording_opts.times, else the batch. NULL outside of batch().
 */
CST_API const struct cst_recording_kept *cst_recording_keep(struct cst_recording *rec);
/* Safe from any thread, also when the recording is closed. NULL is accepted. */
CST_API void cst_recording_release(const struct cst_recording_kept *kept);
/*
 * Decodes the recording and counts what was executed inside of the decoder, which takes less time
 * than batches. Passes the counts of each file to each(), those with most instructions first.
 * `flags`: enum cst_counts_flags. A value other than 0 that each() returns is returned.
 */
CST_API int cst_recording_count(struct cst_recording *rec, unsigned int flags,
				int (*each)(void *data, const struct cst_recording_counts *c),
				void *data);
/*
 * Passes each cause of losses of the last run to each(), which may be NULL. Returns their number:
 * with 0 everything was decoded.
 */
CST_API int cst_recording_losses(struct cst_recording *rec,
				 void (*each)(void *data, const struct cst_recording_loss *loss),
				 void *data);
CST_API void cst_recording_close(struct cst_recording *rec);

CST_END

#endif
