/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metadata.h - trace metadata (trace.ini of a package): the format of the buffers and, for each trace ID, the
 * configuration of its source, as registers, as options, or both.
 *
 *   [buffer]                   applies to every buffer of this file; [bufferN] to one
 *   format: coresight          16-byte frames; source_data: one source, no frames
 *
 *   [trace_16]                 trace ID, decimal or 0x
 *   format: ETMv4.2
 *   TRCCONFIGR: 0xc1
 *   context_id: 32
 *
 * [source_NAME] is a source whose trace ID is in a define_trace event of the event log. There are no default values: an
 * item that decoding needs and that is missing is an error with its name. A register and an option that contradict each
 * other are an error, too (Arm's CoreSight trace decode metadata requirements, sections 4.6 and 6.3.1).
 *
 * Metadata does not change after it was read, so several threads may use it.
 */
#ifndef CSTRACE_FILES_METADATA_H
#define CSTRACE_FILES_METADATA_H

#include <cstrace/config.h>
#include <cstrace/files/doc.h>

CST_BEGIN

enum cst_meta_kind {
	CST_META_OTHER,
	CST_META_ETM3,	/* "ETM3.5" */
	CST_META_PTM,	/* "PFT1.1" */
	CST_META_ETM4,	/* "ETMv4.2", "ETM4.2" */
	CST_META_ETE,	/* "ETE1.0" */
	CST_META_ITM,	/* "ITM" */
	CST_META_STP,	/* "STP", "STM" */
};

enum cst_meta_option {
	CST_OPT_CYCLECOUNT,	/* boolean: cycle counts are traced */
	CST_OPT_CYCLECOUNT_BITS, /* size of a count (ETMv4, ETE) */
	CST_OPT_TIMESTAMP_BITS,	/* 0, 48, 64 */
	CST_OPT_TIMESTAMP_GRAY,	/* boolean */
	CST_OPT_CONTEXT_ID,	/* bits: 0, 8, 16, 32 */
	CST_OPT_VMID,		/* bits: 0, 8, 16, 32 */
	CST_OPT_VMID_CONTEXT_ID, /* boolean: the VMID holds CONTEXTIDR_EL2 */
	CST_OPT_COMMOPT,	/* boolean: cycle counts carry no commit */
	CST_OPT_RETURN_STACK,	/* boolean */
	CST_OPT_BRANCH_BROADCAST, /* boolean */
	CST_OPT_DMB_DSB_WAYPOINTS, /* boolean (PTM) */
	CST_OPT_WFX_WAYPOINTS,	/* boolean: WFI and WFE are P0 (ETMv4.3, ETE) */
	CST_OPT_ADDRESS_BITS,	/* 32, 64 */
	CST_OPT_MAX_SPECULATION, /* P0 elements (ETMv4, ETE) */
	CST_OPT_TRANSACTIONS_P0, /* boolean: the start of a transaction is a P0 element */
	CST_OPT_Q_ELEMENTS,	/* 0..3: TRCIDR0.QSUPP */
	CST_OPT_TIMESTAMP_MARKERS, /* boolean (ETE) */
	CST_OPT_CONDITIONAL,	/* boolean: conditional non-branches are traced */
	CST_OPT_DATA_ADDRESS,	/* boolean */
	CST_OPT_DATA_VALUE,	/* boolean */
	CST_OPT_LOADS_P0,	/* boolean */
	CST_OPT_STORES_P0,	/* boolean */
	CST_OPT_ALT_BRANCH,	/* boolean: alternative encoding of branch packets (ETMv3) */
	CST_OPT__COUNT
};

struct cst_meta_source {
	const struct cst_doc_section *section;
	const char *source;	/* identifier of the trace source (item source); NAME of [source_NAME]; "" */
	const char *format;
	int32_t trace_id;	/* -1: given by define_trace */
	int32_t cpu;		/* item cpu; -1: not given */
	uint8_t kind;		/* enum cst_meta_kind */
	uint8_t version;	/* major << 4 | minor; 0: the format does not say */
};

enum cst_meta_format {
	CST_META_FMT_OTHER,
	CST_META_FMT_CORESIGHT,	/* 16-byte frames */
	CST_META_FMT_SOURCE_DATA, /* one source, no frames */
};

struct cst_metadata {
	struct cst_doc *doc;
	struct cst_meta_source *sources;
	size_t n_sources;
};

/*
 * Reads metadata. -CST_ERR_SYNTAX, _NOT_FOUND (a format is missing), _CONFLICT (an ID twice), _LIMIT, _NOMEM, with
 * *why. Sources are not checked for completeness: cst_meta_check() does that.
 */
CST_API int cst_metadata_read(struct cst_metadata **md, const void *text, size_t len,
			      struct cst_problem *why);
CST_API void cst_metadata_free(struct cst_metadata *md);

/* Returns the item for buffer `id` ("buffer0"; NULL: any): from [id] or else from [buffer]. NULL if there is none. */
CST_API const struct cst_item *cst_meta_buffer(const struct cst_metadata *md, const char *id,
					       const char *key);
CST_EXPERIMENTAL
CST_API int cst_meta_buffer_format(const struct cst_metadata *md, const char *id,
				   struct cst_problem *why);	/* enum cst_meta_format, or negative */
/* Returns a source by trace ID or by identifier, NULL if there is none. */
CST_EXPERIMENTAL
CST_API const struct cst_meta_source *cst_meta_by_id(const struct cst_metadata *md, unsigned int trace_id);
CST_EXPERIMENTAL
CST_API const struct cst_meta_source *cst_meta_by_name(const struct cst_metadata *md, struct cst_str name);

/*
 * Returns one option, from the item of that name or from registers. -CST_ERR_NOT_FOUND, _SYNTAX (not a value of this
 * option), _CONFLICT, with *why.
 */
CST_EXPERIMENTAL
CST_API int cst_meta_option(const struct cst_meta_source *src, enum cst_meta_option opt, uint64_t *value,
			    struct cst_problem *why);
/* Name of an option's item. */
CST_EXPERIMENTAL
CST_API const char *cst_meta_option_name(enum cst_meta_option opt);
/*
 * Checks that a source (also ETMv3, PTM, ITM and STP) has all items that decoding needs, without contradictions.
 * -CST_ERR_PROTOCOL for other formats.
 */
CST_EXPERIMENTAL
CST_API int cst_meta_check(const struct cst_meta_source *src, struct cst_problem *why);
/*
 * Returns the registers of an ETMv4 or ETE source; missing ones are derived from options. *ete: 1 for an ETE. Checks
 * the source as cst_meta_check(). -CST_ERR_PROTOCOL for other kinds of source.
 */
CST_API int cst_meta_etmv4(const struct cst_meta_source *src, struct cst_etmv4_regs *regs, int *ete,
			   struct cst_problem *why);
/* Writes an ETMv4 or ETE source into a section of a doc: format, registers and options. */
CST_API int cst_meta_set_etmv4(struct cst_doc *doc, const char *section,
			       const struct cst_etmv4_regs *regs, int ete);

CST_END

#endif
