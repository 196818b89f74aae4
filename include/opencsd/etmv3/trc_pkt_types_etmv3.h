/* SPDX-License-Identifier: BSD-3-Clause */
/* trc_pkt_types_etmv3.h - packets and registers of ETMv3 (IHI 0014). */
#ifndef CSTRACE_OPENCSD_ETMV3_TRC_PKT_TYPES_ETMV3_H
#define CSTRACE_OPENCSD_ETMV3_TRC_PKT_TYPES_ETMV3_H

#include <opencsd/trc_pkt_types.h>

typedef enum _ocsd_etmv3_pkt_type {
	ETM3_PKT_NOERROR,		/* err_type of a sound packet */
	ETM3_PKT_NOTSYNC,		/* bytes before synchronisation */
	ETM3_PKT_INCOMPLETE_EOT,	/* the trace ends inside of a packet */

	ETM3_PKT_BRANCH_ADDRESS,
	ETM3_PKT_A_SYNC,
	ETM3_PKT_CYCLE_COUNT,
	ETM3_PKT_I_SYNC,
	ETM3_PKT_I_SYNC_CYCLE,
	ETM3_PKT_TRIGGER,
	ETM3_PKT_P_HDR,
	ETM3_PKT_STORE_FAIL,
	ETM3_PKT_OOO_DATA,
	ETM3_PKT_OOO_ADDR_PLC,
	ETM3_PKT_NORM_DATA,
	ETM3_PKT_DATA_SUPPRESSED,
	ETM3_PKT_VAL_NOT_TRACED,
	ETM3_PKT_IGNORE,
	ETM3_PKT_CONTEXT_ID,
	ETM3_PKT_VMID,
	ETM3_PKT_EXCEPTION_ENTRY,
	ETM3_PKT_EXCEPTION_EXIT,
	ETM3_PKT_TIMESTAMP,

	ETM3_PKT_BRANCH_OR_BYPASS_EOT,	/* inside of OpenCSD only */

	ETM3_PKT_BAD_SEQUENCE,
	ETM3_PKT_BAD_TRACEMODE,		/* not in the mode that the registers select */
	ETM3_PKT_RESERVED

} ocsd_etmv3_pkt_type;

typedef struct _ocsd_etmv3_excep {
	ocsd_armv7_exception type;
	uint16_t number;		/* as in the packet */
	struct {
		uint32_t present:1;
		uint32_t cancel:1;	/* the last instruction was not executed */
		uint32_t cm_type:1;	/* M profile, as the next two */
		uint32_t cm_resume:4;
		uint32_t cm_irq_n:9;
	} bits;
} ocsd_etmv3_excep;

typedef struct _etmv3_context_t {
	struct {
		uint32_t curr_alt_isa:1;
		uint32_t curr_NS:1;
		uint32_t curr_Hyp:1;
		uint32_t updated:1;	/* in this packet */
		uint32_t updated_c:1;	/* context ID */
		uint32_t updated_v:1;	/* VMID */
	};
	uint32_t ctxtID;
	uint8_t VMID;
} etmv3_context_t;

typedef struct _etmv3_data_t {
	uint32_t value;
	ocsd_pkt_vaddr addr;
	struct {
		uint32_t ooo_tag:2;	/* of data that follow out of order */
		uint32_t be:1;		/* big endian */
		uint32_t update_be:1;
		uint32_t update_addr:1;
		uint32_t update_dval:1;
	};
} etmv3_data_t;

typedef struct _etmv3_isync_t {
	ocsd_iSync_reason reason;
	struct {
		uint32_t has_cycle_count:1;
		uint32_t has_LSipAddress:1;	/* data.addr: a load or store in progress */
		uint32_t no_address:1;		/* data trace only */
	};
} etmv3_isync_t;

/* Instruction set, context, address, timestamp and data address hold from packet to packet. */
typedef struct _ocsd_etmv3_pkt {
	ocsd_etmv3_pkt_type type;
	ocsd_isa curr_isa;
	ocsd_isa prev_isa;
	etmv3_context_t context;
	ocsd_pkt_vaddr addr;
	etmv3_isync_t isync_info;
	ocsd_etmv3_excep exception;
	ocsd_pkt_atom atom;
	uint8_t p_hdr_fmt;		/* format of the P-header */
	uint32_t cycle_count;
	uint64_t timestamp;
	uint8_t ts_update_bits;		/* number of its bits in this packet */
	etmv3_data_t data;
	ocsd_etmv3_pkt_type err_type;	/* by its header, of a bad packet */
} ocsd_etmv3_pkt;

typedef struct _ocsd_etmv3_cfg {
	uint32_t reg_idr;		/* ETMIDR */
	uint32_t reg_ctrl;		/* ETMCR */
	uint32_t reg_ccer;		/* ETMCCER */
	uint32_t reg_trc_id;		/* ETMTRACEIDR */
	ocsd_arch_version_t arch_ver;
	ocsd_core_profile_t core_prof;
} ocsd_etmv3_cfg;

#define DATA_ADDR_EXPECTED_FLAG 0x20	/* in a data header: its address follows */

#endif
