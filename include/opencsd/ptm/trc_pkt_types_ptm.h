/* SPDX-License-Identifier: BSD-3-Clause */
/* trc_pkt_types_ptm.h - packets and registers of PTM (IHI 0035). */
#ifndef CSTRACE_OPENCSD_PTM_TRC_PKT_TYPES_PTM_H
#define CSTRACE_OPENCSD_PTM_TRC_PKT_TYPES_PTM_H

#include <opencsd/trc_pkt_types.h>

typedef enum _ocsd_ptm_pkt_type {
	PTM_PKT_NOTSYNC,		/* bytes before synchronisation */
	PTM_PKT_INCOMPLETE_EOT,		/* the trace ends inside of a packet */
	PTM_PKT_NOERROR,		/* err_type of a sound packet */

	PTM_PKT_BRANCH_ADDRESS,
	PTM_PKT_A_SYNC,
	PTM_PKT_I_SYNC,
	PTM_PKT_TRIGGER,
	PTM_PKT_WPOINT_UPDATE,
	PTM_PKT_IGNORE,
	PTM_PKT_CONTEXT_ID,
	PTM_PKT_VMID,
	PTM_PKT_ATOM,
	PTM_PKT_TIMESTAMP,
	PTM_PKT_EXCEPTION_RET,
	PTM_PKT_BRANCH_OR_BYPASS_EOT,	/* inside of OpenCSD only */
	PTM_PKT_TPIU_PAD_EOB,		/* padding at the end of a buffer */

	PTM_PKT_BAD_SEQUENCE,
	PTM_PKT_RESERVED,

} ocsd_ptm_pkt_type;

typedef struct _ptm_context_t {
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
} ptm_context_t;

typedef struct _ocsd_ptm_excep {
	ocsd_armv7_exception type;
	uint16_t number;		/* as in the packet */
	struct {
		uint32_t present:1;
	} bits;
} ocsd_ptm_excep;

/* Instruction set, address, context and timestamp hold from packet to packet. */
typedef struct _ocsd_ptm_pkt {
	ocsd_ptm_pkt_type type;
	ocsd_isa curr_isa;
	ocsd_isa prev_isa;
	ocsd_pkt_vaddr addr;
	ptm_context_t context;
	ocsd_pkt_atom atom;
	ocsd_iSync_reason i_sync_reason;
	uint32_t cycle_count;
	uint8_t cc_valid;
	uint64_t timestamp;
	uint8_t ts_update_bits;		/* number of its bits in this packet */
	ocsd_ptm_excep exception;
	ocsd_ptm_pkt_type err_type;	/* by its header, of a bad packet */
} ocsd_ptm_pkt;

typedef struct _ocsd_ptm_cfg {
	uint32_t reg_idr;		/* ETMIDR */
	uint32_t reg_ctrl;		/* ETMCR */
	uint32_t reg_ccer;		/* ETMCCER */
	uint32_t reg_trc_id;		/* ETMTRACEIDR */
	ocsd_arch_version_t arch_ver;
	ocsd_core_profile_t core_prof;
} ocsd_ptm_cfg;

#endif
