/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - one recording with CoreSight trace, after a pass over its records. decode/decode.h decodes it, any number
 * of times; this header gives the results and the losses.
 */
#ifndef CSTRACE_SESSION_SESSION_H
#define CSTRACE_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cstrace/cstrace.h>

#include "machine/buffers/queues.h"
#include "machine/guests/guest_opts.h"
#include "machine/tasks/contextid.h"
#include "session/filter/filter.h"
#include "session/losses/guests.h"
#include "session/losses/share.h"

struct bare_opts;
struct perfdata;
struct session;
struct dso;

struct session_opts {
	const char *input_name;	/* of the input in messages; NULL: as it is */
	const char *input;	/* perf.data, directory, trace package or snapshot folder, or "-" */
	const struct bare_opts *bare; /* trace and program files instead of, or with, the input (import/bare.h); NULL: none */
	const char *symfs;	/* prefix under which the recorded paths are looked up; NULL: none */
	const char *vmlinux;	/* kernel image with code; NULL: none */
	const char *kcore;	/* copy of the kernel's memory, or its directory; NULL: that of perf record --kcore */
	const char *kallsyms;	/* symbols of the kernel; NULL: the file next to kcore */
	const char *jitdump;	/* jitdump files, separated by commas; NULL: the files in the recording's maps */
	const char *buildid_dir; /* NULL: ~/.debug */
	bool debuginfod;	/* servers may be asked for programs and debug files */
	bool force;		/* accept images whose build-id differs */
	bool no_text_copies;	/* memory in the place of a file's text is no copy of it */
	bool report_transactions; /* config.hold_transactions = 0 */
	bool as_reference;	/* config.as_reference = 1 */
	bool strict;		/* config.strict = 1 */
	bool insn_ranges;	/* config.insn_ranges = 1 */
	bool split_source;	/* config.split_source = 1 */
	struct cst_log *log;	/* log for errors and findings in the trace, owned by the caller; NULL: none */
	bool progress;		/* show progress on stderr if it is a terminal */
	/* limit in bytes for expanded compressed records; 0: derived from their size (perfdata/reader.h) */
	uint64_t max_expand;
	size_t keep_events;	/* thread and map events kept in memory, others are read again; 0: default */
	size_t cache_limit;	/* limit in bytes for decoded code, per thread; 0: the library's default */
	unsigned int jobs;	/* decoding threads; 0 and 1: the calling thread */
	bool jobs_asked;	/* use them also for small amounts of trace */
	enum contextid_format contextid; /* content of the context ID; 0: detect it */
	uint64_t ts_freq;	/* trace timestamp ticks per second if the file does not record it; 0: 1 GHz */
	bool kernel_time;	/* timestamps are of the counter that TIME_CONV converts, whatever the file says of their source */
	struct filter_opts filter; /* part of the recording to decode; the caller owns the strings */
	struct guests_given guests;	/* files of virtual machines; the caller owns the strings */
	uint32_t max_loss;	/* share of the trace that may be lost, in millionths */
};

/*
 * Opens the input and indexes its records. Returns NULL on error, after a message on stderr with file, offset and
 * cause.
 */
struct session *session_open(const struct session_opts *opts);
/* As session_open() for an open file, which is closed with the session, or at once on error. */
struct session *session_open_perfdata(const struct session_opts *opts, struct perfdata *pd);
void session_close(struct session *ss);

/* Part of a recording that is decoded piece by piece (pieces/pieces.h). */
struct session_piece {
	uint64_t bad_records;	/* that were found when the piece was made */
	uint64_t lost_compressed;	/* records beyond session_opts.max_expand */
	bool cut;	/* the recording ends inside a record */
};

/* What decoding pieces has found out about the recording (carried.h). */
struct session_carried;

/* As session_open_perfdata(), for a piece. `c`: of the pieces before; NULL: this is the first. */
struct session *session_open_piece(const struct session_opts *opts, struct perfdata *pd,
				   const struct session_piece *piece,
				   const struct session_carried *c);
/* Writes the findings so far to a file, for a later process of this program. Returns 0 or errno. */
int session_carry(const struct session *ss, int fd);
/* Reads it from the begin of the file. Returns NULL if that does not have it. */
struct session_carried *session_carried_read(int fd);
void session_carried_free(struct session_carried *c);
/*
 * Checks the files that the options name, as session_open() does. Returns 0, or ERR_REPORTED after
 * a message.
 */
int session_check_named(const struct session_opts *opts);

struct perfdata *session_perfdata(const struct session *ss);
/* Returns the name of the input for messages. */
const char *session_name(const struct session *ss);
/* perf_event_attr.type of the trace events (from AUXTRACE_INFO). */
uint32_t session_pmu_type(const struct session *ss);
/* True if a trace unit writes timestamps. If none does, all elements have the time of their AUX record. */
bool session_timestamps(const struct session *ss);

/* Returns the file of `ss` that is the same as file `d` of the replica that decoded a part. */
struct dso *session_same_dso(const struct session *ss, const struct dso *d);

/* Returns the next file whose code was decoded, NULL at the end; *pos starts with 0. */
struct dso *session_next_used(const struct session *ss, size_t *pos);
/*
 * Returns the next file that another session needs for the same result, NULL at the end: the files of
 * session_next_used(), a kernel image used to compute addresses, the copy of kernel memory, jitdump files.
 */
struct dso *session_next_read(const struct session *ss, size_t *pos);
/* Returns the path of the traced kernel's symbols, NULL if there are none. */
const char *session_kallsyms(const struct session *ss);

/* Counts of stretches of trace by how their thread was determined where the trace does not identify it. */
struct who_counts {
	uint64_t absent;	/* contexts at EL0 without an ID in a trace that should have them */
	uint64_t learned;	/* assigned to the thread that was found for an ID of another PID namespace */
	uint64_t only_process;	/* assigned to the only process */
	int only_pid;
	struct guests guests;
	uint64_t secure, firmware; /* stretches in Secure state, and in firmware */
};

/* Counts of the whole run: sums of the decoders' and frames' statistics, and losses of the file. */
struct session_totals {
	struct cst_stats dec;
	struct cst_frame_stats frame;
	uint64_t aux_bytes;		/* bytes of AUX fragments decoded */
	uint64_t backward_timestamps;	/* timestamps lower than the one before, which do not advance the time */
	uint64_t filtered_bytes;	/* bytes that a filter excluded from decoding */
	uint64_t chosen_insns;		/* decoded, and selected by the filter; 0 without one */
	uint64_t records;		/* that could be read */
	uint64_t aux_records, aux_truncated, aux_partial, aux_collision;
	uint64_t aux_missing;		/* bytes of AUX records whose data is not in the file */
	uint64_t aux_unclaimed;		/* AUXTRACE bytes that no AUX record covers, decoded or not (see info) */
	uint64_t unrouted;		/* bytes of trace IDs without metadata */
	uint64_t unknown_context;	/* ranges whose thread is unknown */
	struct who_counts who;
	bool file_cut;
};
const struct session_totals *session_totals(const struct session *ss);
/* True if any of the totals is a loss. */
bool session_has_losses(const struct session *ss);
/* True if part of the trace matched the filter, or there is no filter. */
bool session_matched(const struct session *ss);
/* True if a filter selects a part of the trace. */
bool session_filtered(const struct session *ss);
/* True if there are losses, or nothing matched the filter. */
bool session_incomplete(const struct session *ss);
/*
 * The losses as a share of the trace, and whether it is greater than session_opts.max_loss: exit
 * code 3.
 */
struct loss_share session_share(const struct session *ss);
bool session_lossy(const struct session *ss);
/*
 * True if an instruction was decoded, or a packet of software trace, of what the filter selects;
 * false: exit code 5.
 */
bool session_decoded(const struct session *ss);
/*
 * For listings of packets and frames alone, which need no code: forgets losses of those who follow
 * the code, between the decoding and the messages.
 */
void session_forget_code(struct session *ss);
/* Prints one line: bytes, instructions, branches, losses. */
void session_print_summary(const struct session *ss, FILE *out);
/* Prints each loss with its cause and remedy. */
void session_print_losses(const struct session *ss, FILE *out);
/* As session_print_losses(), followed by the CPUs and processes with the greatest losses; `all`: by each of them. */
void session_print_all_losses(const struct session *ss, FILE *out, bool all);
/*
 * Prints missing or refused images to `out`: path, reason, instructions or addresses lost, remedy. Returns their
 * number.
 */
unsigned int session_print_missing(const struct session *ss, FILE *out);
/* Prints, for each filter option, which values the recording has. For use when nothing matched. */
void session_print_offer(struct session *ss, FILE *out);
/* Prints the end of a command's report: summary, losses and where to read more. */
void session_print_end(const struct session *ss, FILE *out);

#endif
