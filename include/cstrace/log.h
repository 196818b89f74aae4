/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.h - the error log: records of what is wrong in a trace (reference decoder design, "error logging"). It is
 * attached to a decoder or a tree (decoder.h, tree.h). A decoder without a log decodes the same.
 *
 * A record is an error (enum cst_error: trace was lost) or a finding (enum cst_finding: the trace has a value that the
 * architecture reserves or forbids, or itself reports a loss). All are counted by trace ID and code. Records that pass
 * the verbosity of their component go into a ring, which keeps the newest ones, and to a sink. Records are in the order
 * of detection, which within one pull may differ from the order of the trace.
 *
 * A log belongs to the thread of the decoders it is attached to. Texts are never NULL and must not be freed.
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

/* As a verbosity: records of this or a higher severity pass. */
enum cst_severity {
	CST_LOG_NONE,
	CST_LOG_ERROR,		/* trace was lost, or decoding restarted */
	CST_LOG_WARNING,	/* the trace contradicts the architecture or the program image; decoding continues */
	CST_LOG_INFO,		/* in the trace itself: overflow, missing code, padding */
	CST_LOG_SEVERITIES
};

/* The stage that reported a record. */
enum cst_component {
	CST_LOG_FRAME,		/* de-formatter */
	CST_LOG_PACKET,		/* bytes to packets */
	CST_LOG_ELEMENT,	/* packets to trace elements */
	CST_LOG_FLOW,		/* trace elements and code to program flow */
	CST_LOG_TREE,		/* routing by trace ID */
	CST_LOG_INDEX,		/* trace indexes */
	CST_LOG_COMPONENTS
};

#define CST_LOG_NO_ID 0xffu	/* trace ID of a record about no ID; equals CST_ID_UNKNOWN */
#define CST_LOG_ALL_IDS 0x100u	/* for counts: the sum over all IDs and CST_LOG_NO_ID */

struct cst_log_record {
	uint64_t index;		/* trace offset of the packet or frame */
	uint64_t value;		/* flow: address; frame: bytes skipped; else 0 */
	/*
	 * 1, or how often a finding was repeated while its cause lasted, the last time at `index`. A finding that every
	 * packet would repeat is recorded once at first and once with the count.
	 */
	uint64_t count;
	uint8_t trace_id;	/* trace ID, or CST_LOG_NO_ID */
	uint8_t severity;	/* enum cst_severity */
	uint8_t component;	/* enum cst_component */
	uint16_t error;		/* enum cst_error (positive), 0 when it is a finding */
	uint16_t finding;	/* enum cst_finding, 0 when it is an error */
	const char *text;	/* static text of the error or finding */
	const char *section;	/* section of the architecture specification; may be "" */
};

struct cst_log;
/* Called during a pull or next_packet; must not call the decoder or the log. `rec` is valid during the call. */
typedef void (*cst_log_fn)(void *data, const struct cst_log_record *rec);

/*
 * Creates a log that keeps the newest `keep` records (0: only the last one), with verbosity CST_LOG_INFO everywhere.
 * -CST_ERR_NOMEM.
 */
CST_API int cst_log_new(struct cst_log **log, size_t keep);
/* Frees a log. Decoders and trees it is attached to must be freed first, or get another log. */
CST_API void cst_log_free(struct cst_log *log);
/* Sets which records are kept and passed to the sink; counts are not affected. CST_LOG_COMPONENTS: all components. */
CST_API void cst_log_set_verbosity(struct cst_log *log, enum cst_component component,
				   enum cst_severity severity);
/* Sets the sink; NULL: none. `data` is passed to it. */
CST_API void cst_log_set_sink(struct cst_log *log, cst_log_fn sink, void *data);
/* Deletes all records and counts. */
CST_EXPERIMENTAL
CST_API void cst_log_clear(struct cst_log *log);

/* Returns the newest record that passed, NULL if none; valid until the next record. */
CST_EXPERIMENTAL
CST_API const struct cst_log_record *cst_log_last(const struct cst_log *log);
/* Number of records in the ring, and record `i`, 0 being the oldest; NULL if there is none. */
CST_EXPERIMENTAL
CST_API size_t cst_log_kept(const struct cst_log *log);
CST_EXPERIMENTAL
CST_API const struct cst_log_record *cst_log_at(const struct cst_log *log, size_t i);
/* Number of records that passed and were overwritten in the ring. */
CST_EXPERIMENTAL
CST_API uint64_t cst_log_dropped(const struct cst_log *log);

/*
 * Number of reports for a trace ID (0..0x7f, CST_LOG_NO_ID or CST_LOG_ALL_IDS) at any verbosity, of one severity, error
 * or finding. 0 for an unknown number.
 */
CST_API uint64_t cst_log_count(const struct cst_log *log, unsigned int trace_id, enum cst_severity severity);
CST_EXPERIMENTAL
CST_API uint64_t cst_log_count_error(const struct cst_log *log, unsigned int trace_id, unsigned int error);
CST_EXPERIMENTAL
CST_API uint64_t cst_log_count_finding(const struct cst_log *log, unsigned int trace_id, unsigned int finding);

/*
 * Reports an error. Called by the library's stages; custom decoders and readers of indexes may call it. `error` may be
 * negative or positive. `log` may be NULL.
 */
CST_EXPERIMENTAL
CST_API void cst_log_error(struct cst_log *log, enum cst_component component, unsigned int trace_id,
			   uint64_t index, int error, uint64_t value);
CST_EXPERIMENTAL
CST_API void cst_log_finding(struct cst_log *log, enum cst_component component, unsigned int trace_id,
			     uint64_t index, unsigned int finding, uint64_t value);
/* Reports a finding as an error, as strict mode does. */
CST_EXPERIMENTAL
CST_API void cst_log_strict(struct cst_log *log, enum cst_component component, unsigned int trace_id,
			    uint64_t index, unsigned int finding, uint64_t value);

/* Static texts: the meaning of a finding, and the section of the specification. */
CST_API const char *cst_finding_text(unsigned int finding);
CST_EXPERIMENTAL
CST_API const char *cst_finding_section(unsigned int finding);
CST_EXPERIMENTAL
CST_API enum cst_severity cst_finding_severity(unsigned int finding);
/* "error", "warning", "info"; "frame", "packet", ... */
CST_API const char *cst_severity_name(unsigned int severity);
CST_API const char *cst_component_name(unsigned int component);
/*
 * Writes a record as one line without line end, for example "Idx:16; ID:10; packet; warning: reserved bits of a packet
 * are not zero (K10.5.2)". At most `cap` bytes with a terminating zero are written; the length of the whole line is
 * returned, as by snprintf(). Pure.
 */
CST_API size_t cst_log_text(const struct cst_log_record *rec, char *out, size_t cap);

CST_END

#endif
