/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.h - the error log: what was found wrong in a trace, as records (reference decoder design, "error
 * logging"). Attached to a decoder or a tree (tree.h); without one nothing is recorded, and decoding is the
 * same either way.
 *
 * A record tells of an error (enum cst_error: what is concerned is lost) or of a finding (enum cst_finding:
 * something that the architecture reserves or forbids, or a loss that the trace tells of by itself).
 * Every one is counted, by trace ID and code; those that the verbosity of their component lets pass are
 * kept in a ring, the newest ones, and handed to a sink.
 *
 * Records come in the order in which they are found; within one pull that may not be the order of the trace.
 *
 * A log belongs to one thread at a time: that of the decoders it is attached to. No text is ever NULL, none
 * is to be freed.
 */
#ifndef CSTRACE_LOG_H
#define CSTRACE_LOG_H

#include <cstrace/types.h>

CST_BEGIN

enum cst_finding {
#define FINDING(name, severity, text, section) CST_FIND_##name,
#include <cstrace/findings.def>
#undef FINDING
	CST_FINDINGS
};

/* As a verbosity: records of this severity and graver ones pass. */
enum cst_severity {
	CST_LOG_NONE,
	CST_LOG_ERROR,		/* trace was lost, or decoding had to start anew */
	CST_LOG_WARNING,	/* contradicts the architecture or the program image; decoding goes on */
	CST_LOG_INFO,		/* told by the trace itself: overflow, missing code, padding */
	CST_LOG_SEVERITIES
};

/* Who found it. */
enum cst_component {
	CST_LOG_FRAME,		/* de-formatter */
	CST_LOG_PACKET,		/* bytes to packets */
	CST_LOG_ELEMENT,	/* packets to trace elements */
	CST_LOG_FLOW,		/* trace elements and code to program flow */
	CST_LOG_TREE,		/* routing by trace ID */
	CST_LOG_INDEX,		/* trace indexes */
	CST_LOG_COMPONENTS
};

#define CST_LOG_NO_ID 0xffu	/* trace ID of a record that belongs to none; equals CST_ID_UNKNOWN */
#define CST_LOG_ALL_IDS 0x100u	/* in counts: the sum over all IDs and none */

struct cst_log_record {
	uint64_t index;		/* trace offset: of the packet, of the frame */
	uint64_t value;		/* flow: address; frame: bytes skipped; else 0 */
	/*
	 * 1; or how often a finding came again while its cause lasted, the last time at `index`. What every packet
	 * would say in such a stretch is told the first time, and once more at the end.
	 */
	uint64_t count;
	uint8_t trace_id;	/* or CST_LOG_NO_ID */
	uint8_t severity;	/* enum cst_severity */
	uint8_t component;	/* enum cst_component */
	uint16_t error;		/* enum cst_error (positive), 0 when it is a finding */
	uint16_t finding;	/* enum cst_finding, 0 when it is an error */
	const char *text;	/* what it means */
	const char *section;	/* where the architecture says so; may be empty */
};

struct cst_log;
/* Called from within pull or next_packet; must not call the decoder or the log. `rec` is valid during the call. */
typedef void (*cst_log_fn)(void *data, const struct cst_log_record *rec);

/* A log that keeps the newest `keep` records (0: only the last one). Verbosity: CST_LOG_INFO everywhere. -CST_ERR_NOMEM. */
CST_API int cst_log_new(struct cst_log **log, size_t keep);
/* After the decoders and trees that it is attached to, or after they were given another one. */
CST_API void cst_log_free(struct cst_log *log);
/* What is kept and handed on; counts are not affected. CST_LOG_COMPONENTS means all of them. */
CST_API void cst_log_set_verbosity(struct cst_log *log, enum cst_component component,
				   enum cst_severity severity);
/* NULL: none. `data` is handed on. */
CST_API void cst_log_set_sink(struct cst_log *log, cst_log_fn sink, void *data);
/* Forget records and counts. */
CST_EXPERIMENTAL
CST_API void cst_log_clear(struct cst_log *log);

/* The newest record that passed; NULL: none did. Valid until the log is written to. */
CST_EXPERIMENTAL
CST_API const struct cst_log_record *cst_log_last(const struct cst_log *log);
/* Records in the ring, and record `i` of them, 0 being the oldest; NULL when there is none. */
CST_EXPERIMENTAL
CST_API size_t cst_log_kept(const struct cst_log *log);
CST_EXPERIMENTAL
CST_API const struct cst_log_record *cst_log_at(const struct cst_log *log, size_t i);
/* Records that passed but are no longer in the ring. */
CST_EXPERIMENTAL
CST_API uint64_t cst_log_dropped(const struct cst_log *log);

/*
 * Exact counts of what was reported for a trace ID (0..0x7f, CST_LOG_NO_ID or CST_LOG_ALL_IDS), whatever the
 * verbosity: of one severity, one error, one finding. 0 for a number that is none.
 */
CST_API uint64_t cst_log_count(const struct cst_log *log, unsigned int trace_id, enum cst_severity severity);
CST_EXPERIMENTAL
CST_API uint64_t cst_log_count_error(const struct cst_log *log, unsigned int trace_id, unsigned int error);
CST_EXPERIMENTAL
CST_API uint64_t cst_log_count_finding(const struct cst_log *log, unsigned int trace_id, unsigned int finding);

/*
 * Report something: the library's stages do, and a custom decoder or a reader of indexes may. `error` may be
 * negative or positive. `log` may be NULL: nothing happens.
 */
CST_EXPERIMENTAL
CST_API void cst_log_error(struct cst_log *log, enum cst_component component, unsigned int trace_id,
			   uint64_t index, int error, uint64_t value);
CST_EXPERIMENTAL
CST_API void cst_log_finding(struct cst_log *log, enum cst_component component, unsigned int trace_id,
			     uint64_t index, unsigned int finding, uint64_t value);
/* The same, but as an error: in strict mode. */
CST_EXPERIMENTAL
CST_API void cst_log_strict(struct cst_log *log, enum cst_component component, unsigned int trace_id,
			    uint64_t index, unsigned int finding, uint64_t value);

/* What a finding means, and where the architecture says so. Static texts. */
CST_API const char *cst_finding_text(unsigned int finding);
CST_EXPERIMENTAL
CST_API const char *cst_finding_section(unsigned int finding);
CST_EXPERIMENTAL
CST_API enum cst_severity cst_finding_severity(unsigned int finding);
/* "error", "warning", "info"; "frame", "packet", ... */
CST_API const char *cst_severity_name(unsigned int severity);
CST_API const char *cst_component_name(unsigned int component);
/*
 * A record as one line without its end: "Idx:16; ID:10; packet; warning: reserved bits of a packet are not zero
 * (K10.5.2)". As snprintf(): at most `cap` bytes with a terminating zero; returns the whole length. Pure.
 */
CST_API size_t cst_log_text(const struct cst_log_record *rec, char *out, size_t cap);

CST_END

#endif
