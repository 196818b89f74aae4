/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - one recording with CoreSight trace: opened, its records read, its clocks and files known. It is decoded with
 * decode/decode.h, as often as wanted; what was decoded and lost is asked here.
 */
#ifndef CSTRACE_SESSION_SESSION_H
#define CSTRACE_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cstrace/cstrace.h>

#include "buffers/queues.h"
#include "filter/filter.h"
#include "losses/guests.h"
#include "tasks/contextid.h"

struct perfdata;
struct session;
struct dso;

struct session_opts {
	const char *input;	/* perf.data, directory, trace package or snapshot folder, or "-" */
	const char *symfs;	/* prefix under which the recorded paths are looked up; NULL: none */
	const char *vmlinux;	/* kernel image with code; NULL: none */
	const char *kcore;	/* copy of the kernel's memory, or its directory; NULL: that of perf record --kcore */
	const char *kallsyms;	/* symbols of the kernel; NULL: those next to kcore */
	const char *jitdump;	/* jitdump files, separated by commas; NULL: those that were mapped */
	const char *buildid_dir; /* NULL: ~/.debug */
	bool force;		/* accept images whose build-id differs */
	bool report_transactions; /* config.hold_transactions = 0 */
	bool as_reference;	/* config.as_reference = 1 */
	bool strict;		/* config.strict = 1 */
	bool insn_ranges;	/* config.insn_ranges = 1 */
	struct cst_log *log;	/* of what is wrong in the trace, the caller's; NULL: none */
	bool progress;		/* progress on stderr when it is a terminal */
	const char *index;	/* for a filter on time (decode/seek.h); NULL: the one beside the input, if there is one */
	bool no_index;		/* decode from the beginning of each fragment */
	uint64_t max_expand;	/* bytes that compressed records may expand to; 0: by their size (perfdata/reader.h) */
	size_t keep_events;	/* about threads and maps, in memory rather than read again; 0: the usual number */
	size_t cache_limit;	/* bytes for decoded code, in each thread; 0: the library's choice */
	unsigned int jobs;	/* threads that decode; 0 and 1: the thread that calls */
	bool jobs_asked;	/* also when there is little trace */
	enum contextid_format contextid; /* what the context ID holds; 0: found out */
	uint64_t ts_freq;	/* trace timestamp ticks per second when the file does not say; 0: 1 GHz */
	struct filter_opts filter; /* what to decode; the words stay the caller's */
};

/* Opens and indexes the file. On error NULL, after a message on stderr that names file, offset and cause. */
struct session *session_open(const struct session_opts *opts);
/* The same on a file that is open; it is closed with the session, or at once on error. */
struct session *session_open_perfdata(const struct session_opts *opts, struct perfdata *pd);
void session_close(struct session *ss);

struct perfdata *session_perfdata(const struct session *ss);
/* The name of the input, as messages show it. */
const char *session_name(const struct session *ss);
/* perf_event_attr.type of the trace events (from AUXTRACE_INFO). */
uint32_t session_pmu_type(const struct session *ss);
/* Does a trace unit write timestamps? If none does, everything has the time of its AUX record. */
bool session_timestamps(const struct session *ss);
/* How many streams session_run() can deliver at most: 1 lets a consumer write without sorting. */
unsigned int session_max_streams(const struct session *ss);

/* The file of `ss` that is the same as a file of the session that a piece was decoded with. */
struct dso *session_same_dso(const struct session *ss, const struct dso *d);

/* The next file whose code was decoded; *pos starts with 0. NULL: no more. */
struct dso *session_next_used(const struct session *ss, size_t *pos);
/*
 * The next of the files that another session needs to decode the same: those, a kernel image that places were
 * computed with, the copy of kernel memory and jitdump files.
 */
struct dso *session_next_read(const struct session *ss, size_t *pos);
/* Symbols of the kernel that was traced; NULL none. */
const char *session_kallsyms(const struct session *ss);

/* How the threads of stretches of trace were found, where the trace does not name them. */
struct who_counts {
	uint64_t uncertain;	/* stretches that were given to the last of several threads */
	uint64_t only_process;	/* stretches that were given to the only process */
	int only_pid;
	struct guests guests;
	uint64_t secure, firmware; /* stretches */
};

/* Counts over the whole run: sums of the decoders' and frames' statistics, and file-level losses. */
struct session_totals {
	struct cst_stats dec;
	struct cst_frame_stats frame;
	uint64_t aux_bytes;		/* bytes of AUX fragments decoded */
	uint64_t backward_timestamps;	/* timestamps that are earlier than the one before; time then stands still */
	uint64_t filtered_bytes;	/* bytes that were not decoded because a filter left them out */
	uint64_t aux_records, aux_truncated, aux_partial, aux_collision;
	uint64_t aux_missing;		/* AUX records without data in the file, bytes */
	uint64_t aux_unclaimed;		/* AUXTRACE bytes that no AUX record covers (decoded or not: see info) */
	uint64_t unrouted;		/* bytes of trace IDs without metadata */
	uint64_t unknown_context;	/* ranges whose thread is unknown */
	struct who_counts who;
	bool file_cut;
};
const struct session_totals *session_totals(const struct session *ss);
/* True when anything in the totals is a loss. */
bool session_has_losses(const struct session *ss);
/* Something in the trace fitted the filter, or there is none. */
bool session_matched(const struct session *ss);
/* There are losses, or nothing fitted the filter: exit code 3. */
bool session_incomplete(const struct session *ss);
/* One line: bytes, instructions, branches, losses. */
void session_print_summary(const struct session *ss, FILE *out);
/* The losses one by one, each with its cause and what helps against it. */
void session_print_losses(const struct session *ss, FILE *out);
/* The same, then the CPUs and processes that lost most; `all`: each of them. */
void session_print_all_losses(const struct session *ss, FILE *out, bool all);
/* Missing or refused images: path, reason, instructions or addresses lost, remedy; to `out`. Returns their number. */
unsigned int session_print_missing(const struct session *ss, FILE *out);
/* What the recording has for each filter of the options, when nothing fitted them. */
void session_print_offer(struct session *ss, FILE *out);
/* What a command says at its end: both, and where to read more. */
void session_print_end(const struct session *ss, FILE *out);

#endif
