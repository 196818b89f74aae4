/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trc_gen_elem_types.h - generic trace elements: what decoders of all protocols deliver to the
 * client.
 *
 * The element of 1.8 has 96 bytes, that of 1.3.3 has 88; they have the first 72 in common, which is
 * all in front of the payload, and differ in the place of ptr_extended_data: 88, and 80 in 1.3.3.
 */
#ifndef CSTRACE_OPENCSD_TRC_GEN_ELEM_TYPES_H
#define CSTRACE_OPENCSD_TRC_GEN_ELEM_TYPES_H

#include <opencsd/ocsd_if_types.h>

typedef enum _ocsd_gen_trc_elem_t {
	OCSD_GEN_TRC_ELEM_UNKNOWN = 0,
	OCSD_GEN_TRC_ELEM_NO_SYNC,	/* a gap up to the next synchronisation: unsync_eot_info */
	OCSD_GEN_TRC_ELEM_TRACE_ON,	/* trace begins after a gap: trace_on_reason */
	OCSD_GEN_TRC_ELEM_EO_TRACE,	/* the end: unsync_eot_info */
	OCSD_GEN_TRC_ELEM_PE_CONTEXT,	/* context */
	OCSD_GEN_TRC_ELEM_INSTR_RANGE,	/* st_addr to en_addr was executed: num_instr_range */
	OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH,	/* num_instr_range, on an unknown path (Q) */
	OCSD_GEN_TRC_ELEM_ADDR_NACC,	/* no code at st_addr: exception_number, its space */
	OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN,
	OCSD_GEN_TRC_ELEM_EXCEPTION,	/* exception_number, en_addr with excep_ret_addr */
	OCSD_GEN_TRC_ELEM_EXCEPTION_RET,
	OCSD_GEN_TRC_ELEM_TIMESTAMP,	/* timestamp */
	OCSD_GEN_TRC_ELEM_CYCLE_COUNT,	/* cycle_count, since the last one */
	OCSD_GEN_TRC_ELEM_EVENT,	/* trace_event */
	OCSD_GEN_TRC_ELEM_SWTRACE,	/* sw_trace_info (STM) */
	OCSD_GEN_TRC_ELEM_SYNC_MARKER,	/* sync_marker: place of an element that follows later */
	OCSD_GEN_TRC_ELEM_MEMTRANS,	/* mem_trans (FEAT_TME) */
	OCSD_GEN_TRC_ELEM_INSTRUMENTATION,	/* sw_ite (FEAT_ITE); not in 1.3 */
	OCSD_GEN_TRC_ELEM_ITMTRACE,	/* swt_itm (ITM); not in 1.3 */
	OCSD_GEN_TRC_ELEM_CUSTOM,	/* of a decoder of the client; 1.3: 17 */
} ocsd_gen_trc_elem_t;

typedef enum _trace_on_reason_t {
	TRACE_ON_NORMAL = 0,		/* begin of the trace, or a filter */
	TRACE_ON_OVERFLOW,		/* trace was lost */
	TRACE_ON_EX_DEBUG,		/* the processor left Debug state */
} trace_on_reason_t;

typedef struct _trace_event_t {
	uint16_t ev_type;		/* enum event_t */
	uint16_t ev_number;		/* NUMBERED: one bit for each event (ETMv4, ETE) */
} trace_event_t;

/* Why there is no synchronisation, or the trace ends. */
typedef enum _unsync_info_t {
	UNSYNC_UNKNOWN,
	UNSYNC_INIT_DECODER,		/* begin of decoding */
	UNSYNC_RESET_DECODER,
	UNSYNC_OVERFLOW,
	UNSYNC_DISCARD,
	UNSYNC_BAD_PACKET,
	UNSYNC_BAD_IMAGE,		/* trace and code contradict each other; not in 1.3 */
	UNSYNC_EOT,			/* end of the trace; 1.3: 6 */
} unsync_info_t;

typedef enum _trace_sync_marker_t {
	ELEM_MARKER_TS,			/* a timestamp follows */
} trace_sync_marker_t;

typedef struct _trace_marker_payload_t {
	trace_sync_marker_t type;
	uint32_t value;
} trace_marker_payload_t;

typedef enum _memtrans_t {
	OCSD_MEM_TRANS_TRACE_INIT,	/* trace begins inside a transaction */
	OCSD_MEM_TRANS_START,
	OCSD_MEM_TRANS_COMMIT,
	OCSD_MEM_TRANS_FAIL,		/* what followed the start has no effect */
} trace_memtrans_t;

/* A value that a program wrote to its trace (FEAT_ITE); not in 1.3. */
typedef struct _sw_ite_t {
	uint8_t el;			/* exception level */
	uint64_t value;
} trace_sw_ite_t;

/*
 * Members are valid for the kinds that name them above; those that are not named are zero, but for
 * the context.
 */
typedef struct _ocsd_generic_trace_elem {
	ocsd_gen_trc_elem_t elem_type;
	ocsd_isa isa;
	ocsd_vaddr_t st_addr;
	ocsd_vaddr_t en_addr;		/* exclusive; EXCEPTION: preferred return address */
	ocsd_pe_context context;
	uint64_t timestamp;
	uint32_t cycle_count;
	ocsd_instr_type last_i_type;	/* of the last instruction of a range, as the next one */
	ocsd_instr_subtype last_i_subtype;

	union {
		struct {
			uint32_t last_instr_exec:1;	/* branch taken, or condition passed */
			uint32_t last_instr_sz:3;	/* bytes */
			uint32_t has_cc:1;		/* cycle_count is valid */
			uint32_t cpu_freq_change:1;	/* global timestamp: the clock changed */
			uint32_t excep_ret_addr:1;	/* en_addr is valid */
			uint32_t excep_data_marker:1;	/* M profile: a mark for data only */
			uint32_t extended_data:1;	/* ptr_extended_data is valid */
			uint32_t has_ts:1;		/* timestamp is valid */
			uint32_t last_instr_cond:1;
			uint32_t excep_ret_addr_br_tgt:1;	/* en_addr is a branch target */
			uint32_t excep_M_tail_chain:1;	/* no return address; not in 1.3 */
		};
		uint32_t flag_bits;
	};

	union {
		uint32_t exception_number;
		trace_event_t trace_event;
		trace_on_reason_t trace_on_reason;
		ocsd_swt_info_t sw_trace_info;
		uint32_t num_instr_range;
		unsync_info_t unsync_eot_info;
		trace_marker_payload_t sync_marker;
		trace_memtrans_t mem_trans;
		trace_sw_ite_t sw_ite;		/* not in 1.3, as the next one */
		swt_itm_info swt_itm;
	};

	const void *ptr_extended_data;	/* payload of SWTRACE; CUSTOM: the client's */
} ocsd_generic_trace_elem;

typedef enum _event_t {
	EVENT_UNKNOWN = 0,
	EVENT_TRIGGER,
	EVENT_NUMBERED
} event_t;

#endif
