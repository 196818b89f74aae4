/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trc_pkt_types_etmv4.h - packets of ETMv4 and ETE (IHI 0064; DDI 0487, chapter D4), and registers
 * of ETMv4.
 *
 * The packet of 1.8 has 176 bytes, that of 1.3.3 has 152: ite_pkt is new, and all after it stands
 * 24 bytes later.
 */
#ifndef CSTRACE_OPENCSD_ETMV4_TRC_PKT_TYPES_ETMV4_H
#define CSTRACE_OPENCSD_ETMV4_TRC_PKT_TYPES_ETMV4_H

#include <opencsd/trc_pkt_types.h>

/* Instruction trace; the value of a packet is its lowest header byte, if nothing else is said. */
typedef enum _ocsd_etmv4_i_pkt_type {
	ETM4_PKT_I_NOTSYNC = 0x200,	/* bytes before synchronisation */
	ETM4_PKT_I_INCOMPLETE_EOT,	/* the trace ends inside of a packet */
	ETM4_PKT_I_NO_ERR_TYPE,		/* err_type of a sound packet */

	ETM4_PKT_I_BAD_SEQUENCE = 0x300,
	ETM4_PKT_I_BAD_TRACEMODE,
	ETM4_PKT_I_RESERVED,
	ETM4_PKT_I_RESERVED_CFG,	/* reserved with these registers */

	ETM4_PKT_I_EXTENSION = 0x00,
	ETM4_PKT_I_TRACE_INFO = 0x01,
	ETM4_PKT_I_TIMESTAMP = 0x02,
	ETM4_PKT_I_TRACE_ON = 0x04,
	ETM4_PKT_I_FUNC_RET = 0x05,	/* M profile */
	ETM4_PKT_I_EXCEPT = 0x06,
	ETM4_PKT_I_EXCEPT_RTN = 0x07,	/* ETMv4 */
	ETE_PKT_I_ITE = 0x09,		/* FEAT_ITE; in 1.3 it is reserved and has another name */
	ETE_PKT_I_TRANS_ST = 0x0A,
	ETE_PKT_I_TRANS_COMMIT = 0x0B,

	ETM4_PKT_I_CCNT_F2 = 0x0C,
	ETM4_PKT_I_CCNT_F1 = 0x0E,
	ETM4_PKT_I_CCNT_F3 = 0x10,

	ETM4_PKT_I_NUM_DS_MKR = 0x20,
	ETM4_PKT_I_UNNUM_DS_MKR = 0x28,

	ETM4_PKT_I_COMMIT = 0x2D,
	ETM4_PKT_I_CANCEL_F1 = 0x2E,
	ETM4_PKT_I_CANCEL_F1_MISPRED = 0x2F,
	ETM4_PKT_I_MISPREDICT = 0x30,
	ETM4_PKT_I_CANCEL_F2 = 0x34,
	ETM4_PKT_I_CANCEL_F3 = 0x38,

	/* conditional instructions: ETMv4 */
	ETM4_PKT_I_COND_I_F2 = 0x40,
	ETM4_PKT_I_COND_FLUSH = 0x43,
	ETM4_PKT_I_COND_RES_F4 = 0x44,
	ETM4_PKT_I_COND_RES_F2 = 0x48,
	ETM4_PKT_I_COND_RES_F3 = 0x50,
	ETM4_PKT_I_COND_RES_F1 = 0x68,
	ETM4_PKT_I_COND_I_F1 = 0x6C,
	ETM4_PKT_I_COND_I_F3 = 0x6D,

	ETM4_PKT_I_IGNORE = 0x70,
	ETM4_PKT_I_EVENT = 0x71,

	ETM4_PKT_I_CTXT = 0x80,
	ETM4_PKT_I_ADDR_CTXT_L_32IS0 = 0x82,
	ETM4_PKT_I_ADDR_CTXT_L_32IS1,
	ETM4_PKT_I_ADDR_CTXT_L_64IS0 = 0x85,
	ETM4_PKT_I_ADDR_CTXT_L_64IS1,
	ETM4_PKT_I_TS_MARKER = 0x88,	/* ETE, and ETMv4 from 4.6 on */
	ETE_PKT_I_TS_MARKER = 0x88,	/* its name up to 1.8.2 */
	ETM4_PKT_I_ADDR_MATCH = 0x90,
	ETM4_PKT_I_ADDR_S_IS0 = 0x95,
	ETM4_PKT_I_ADDR_S_IS1,
	ETM4_PKT_I_ADDR_L_32IS0 = 0x9A,
	ETM4_PKT_I_ADDR_L_32IS1,
	ETM4_PKT_I_ADDR_L_64IS0 = 0x9D,
	ETM4_PKT_I_ADDR_L_64IS1,

	ETM4_PKT_I_Q = 0xA0,

	ETE_PKT_I_SRC_ADDR_MATCH = 0xB0,
	ETE_PKT_I_SRC_ADDR_S_IS0 = 0xB4,
	ETE_PKT_I_SRC_ADDR_S_IS1 = 0xB5,
	ETE_PKT_I_SRC_ADDR_L_32IS0 = 0xB6,
	ETE_PKT_I_SRC_ADDR_L_32IS1 = 0xB7,
	ETE_PKT_I_SRC_ADDR_L_64IS0 = 0xB8,
	ETE_PKT_I_SRC_ADDR_L_64IS1 = 0xB9,

	ETM4_PKT_I_ATOM_F6 = 0xC0,
	ETM4_PKT_I_ATOM_F5 = 0xD5,
	ETM4_PKT_I_ATOM_F2 = 0xD8,
	ETM4_PKT_I_ATOM_F4 = 0xDC,
	ETM4_PKT_I_ATOM_F1 = 0xF6,
	ETM4_PKT_I_ATOM_F3 = 0xF8,

	/* after the header EXTENSION: its second byte */
	ETM4_PKT_I_ASYNC = 0x100,
	ETM4_PKT_I_DISCARD = 0x103,
	ETM4_PKT_I_OVERFLOW = 0x105,

	/* exception packets of these types have a name of their own in ETE */
	ETE_PKT_I_PE_RESET = 0x400,
	ETE_PKT_I_TRANS_FAIL = 0x401,

} ocsd_etmv4_i_pkt_type;

/* The INFO section of a Trace Info packet. */
typedef union _etmv4_trace_info_t {
	uint32_t val;
	struct {
		uint32_t cc_enabled:1;
		uint32_t cond_enabled:3;
		uint32_t p0_load:1;
		uint32_t p0_store:1;
		uint32_t in_trans_state:1;
		uint32_t pad:9;
		uint32_t initial_t_info:1;	/* inside of OpenCSD, as the next one */
		uint32_t spec_field_present:1;
	} bits;
} etmv4_trace_info_t;

typedef struct _etmv4_context_t {
	struct {
		uint32_t EL:2;
		uint32_t SF:1;		/* AArch64 */
		uint32_t NS:1;
		uint32_t updated:1;	/* in this packet */
		uint32_t updated_c:1;	/* context ID */
		uint32_t updated_v:1;	/* VMID */
		uint32_t NSE:1;		/* with NS: Root and Realm (FEAT_RME) */
	};
	uint32_t ctxtID;
	uint32_t VMID;
} etmv4_context_t;

typedef struct _etmv4_addr_val_t {
	ocsd_vaddr_t val;
	uint8_t isa;			/* sub-ISA: IS0 or IS1 */
} etmv4_addr_val_t;

typedef struct _ocsd_etmv4_i_pkt {
	ocsd_etmv4_i_pkt_type type;

	/* these hold from packet to packet */
	ocsd_pkt_vaddr v_addr;
	uint8_t v_addr_ISA;		/* sub-ISA: IS0 or IS1 */
	etmv4_context_t context;
	struct {
		uint64_t timestamp;
		uint8_t bits_changed;	/* number of its bits in this packet */
	} ts;
	uint32_t cc_threshold;

	/* these are of one packet */
	ocsd_pkt_atom atom;
	uint32_t cycle_count;
	uint32_t curr_spec_depth;
	uint32_t p0_key;
	uint32_t commit_elements;
	uint32_t cancel_elements;
	etmv4_trace_info_t trace_info;
	struct {
		uint32_t exceptionType:10;
		uint32_t addr_interp:2;		/* bits E1 and E0 */
		uint32_t m_fault_pending:1;	/* M profile, as the next one */
		uint32_t m_type:1;
	} exception_info;
	uint8_t addr_exact_match_idx;
	uint8_t dsm_val;		/* data synchronisation marker: number, or atoms */
	uint8_t event_val;
	struct {
		uint32_t cond_c_key;
		uint8_t num_c_elem;
		struct {
			uint32_t cond_key_set:1;
			uint32_t f3_final_elem:1;
			uint32_t f2_cond_incr:1;
		};
	} cond_instr;
	struct {
		uint32_t cond_r_key_0;
		uint32_t cond_r_key_1;
		struct {
			uint32_t res_0:4;
			uint32_t res_1:4;
			uint32_t ci_0:1;
			uint32_t ci_1:1;
			uint32_t key_res_0_set:1;
			uint32_t key_res_1_set:1;
			uint32_t f2_key_incr:2;
			uint32_t f2f4_token:2;
			uint32_t f3_tokens:12;
		};
	} cond_result;
	struct {
		uint32_t q_count;
		struct {
			uint32_t addr_present:1;
			uint32_t addr_match:1;
			uint32_t count_present:1;
			uint32_t q_type:4;
		};
	} Q_pkt;
	struct {
		uint8_t el;
		uint64_t value;
	} ite_pkt;			/* not in 1.3 */

	/* which of the above a packet has set; addresses have their own bits */
	union {
		uint32_t val;
		struct {
			uint32_t context_valid:1;
			uint32_t ts_valid:1;
			uint32_t spec_depth_valid:1;
			uint32_t p0_key_valid:1;
			uint32_t cond_c_key_valid:1;
			uint32_t cond_r_key_valid:1;
			uint32_t trace_info_valid:1;
			uint32_t cc_thresh_valid:1;
			uint32_t cc_valid:1;
			uint32_t commit_elem_valid:1;
			uint32_t cancel_elem_valid:1;	/* not in 1.3 */
		} bits;
	} pkt_valid;

	ocsd_etmv4_i_pkt_type err_type;	/* by its header, of a bad packet */
	uint8_t err_hdr_val;		/* that header */
	uint8_t protocol_version;	/* of ETE: 0xMm, as 0x53 */
} ocsd_etmv4_i_pkt;

/* Data trace: names only, since neither OpenCSD nor this library decodes it. */
typedef enum _ocsd_etmv4_d_pkt_type {
	ETM4_PKT_D_NOTSYNC = 0x200,
	ETM4_PKT_D_BAD_SEQUENCE,
	ETM4_PKT_D_BAD_TRACEMODE,
	ETM4_PKT_D_RESERVED,
	ETM4_PKT_D_INCOMPLETE_EOT,
	ETM4_PKT_D_NO_HEADER,
	ETM4_PKT_D_NO_ERR_TYPE,

	ETM4_PKT_DNUM_DS_MKR = 0x111,	/* after EXTENSION */
	ETM4_PKT_D_EXTENSION = 0x00,
	ETM4_PKT_DUNNUM_DS_MKR = 0x01,
	ETM4_PKT_DEVENT = 0x04,
	ETM4_PKT_DTIMESTAMP = 0x02,
	ETM4_PKT_DADDR_P1_F1 = 0x70,
	ETM4_PKT_DADDR_P1_F2 = 0x80,
	ETM4_PKT_DADDR_P1_F3 = 0x14,
	ETM4_PKT_DADDR_P1_F4 = 0x60,
	ETM4_PKT_DADDR_P1_F5 = 0xF8,
	ETM4_PKT_DADDR_P1_F6 = 0xF6,
	ETM4_PKT_DADDR_P1_F7 = 0xF5,
	ETM4_PKT_DVAL_P2_F1 = 0x20,
	ETM4_PKT_DVAL_P2_F2 = 0x30,
	ETM4_PKT_DVAL_P2_F3 = 0x40,
	ETM4_PKT_DVAL_P2_F4 = 0x10,
	ETM4_PKT_DVAL_P2_F5 = 0x18,
	ETM4_PKT_DVAL_P2_F6 = 0x38,
	ETM4_PKT_DSUPPRESSION = 0x03,
	ETM4_PKT_DTRACE_INFO = 0x101,
	ETM4_PKT_D_ASYNC = 0x100,
	ETM4_PKT_D_DISCARD = 0x103,
	ETM4_PKT_D_OVERFLOW = 0x105

} ocsd_etmv4_d_pkt_type;

typedef struct _ocsd_etmv4_d_pkt {
	ocsd_etmv4_d_pkt_type type;
	ocsd_pkt_vaddr d_addr;
	uint64_t pkt_val;
	ocsd_etmv4_d_pkt_type err_type;
} ocsd_etmv4_d_pkt;

/* Registers of the trace unit. Those that a client does not know may be 0. */
typedef struct _ocsd_etmv4_cfg {
	uint32_t reg_idr0;		/* TRCIDR0 and so on */
	uint32_t reg_idr1;
	uint32_t reg_idr2;
	uint32_t reg_idr8;
	uint32_t reg_idr9;
	uint32_t reg_idr10;
	uint32_t reg_idr11;
	uint32_t reg_idr12;
	uint32_t reg_idr13;
	uint32_t reg_configr;		/* TRCCONFIGR */
	uint32_t reg_traceidr;		/* TRCTRACEIDR */
	ocsd_arch_version_t arch_ver;
	ocsd_core_profile_t core_prof;
} ocsd_etmv4_cfg;

#define ETE_ARCH_VERSION 0x5

/* Flags of decoders for ETMv4 and ETE; the second one is not in 1.3. */
#define ETE_OPFLG_PKTDEC_SRCADDR_N_ATOMS 0x00010000	/* source address ranges end at N atoms */
#define ETM4_OPFLG_PKTDEC_AA64_OPCODE_CHK 0x00020000	/* A64 code 0x0000xxxx is an error */
#define ETE_ETM4_OPFLG_MASK (ETE_OPFLG_PKTDEC_SRCADDR_N_ATOMS | ETM4_OPFLG_PKTDEC_AA64_OPCODE_CHK)

#endif
