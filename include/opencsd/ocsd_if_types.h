/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_if_types.h - types that all of OpenCSD's C interface shares: codes of errors and answers,
 * configuration of trees and decoders, the processor's context, memory, counts.
 *
 * Names, values and layout are those of OpenCSD 1.8. "1.3: N" in a comment is the value in 1.3.3,
 * where it differs: the library serves clients that were compiled for either. Values without such a
 * note are the same in both; what 1.3.3 does not have at all is marked "not in 1.3".
 */
#ifndef CSTRACE_OPENCSD_OCSD_IF_TYPES_H
#define CSTRACE_OPENCSD_OCSD_IF_TYPES_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

/* OpenCSD can be built with other sizes of these two; this library has one. */
#if defined(ENABLE_LARGE_TRACE_SOURCES) || defined(USE_32BIT_V_ADDR)
#error "ENABLE_LARGE_TRACE_SOURCES, USE_32BIT_V_ADDR: indexes have 32 bits here and addresses 64"
#endif

/* ---- indexes and trace IDs ---- */

typedef uint32_t ocsd_trc_index_t;	/* offset of a byte in the trace, modulo 2^32 */
#define OCSD_TRC_IDX_STR PRIu32

#define OCSD_BAD_TRC_INDEX ((ocsd_trc_index_t)-1)	/* no index */
#define OCSD_BAD_CS_SRC_ID ((uint8_t)-1)		/* no trace ID */

/* Sources have the IDs 0x01 to 0x6f; the formatter reserves 0 and 0x70 to 0x7f. */
#define OCSD_IS_VALID_CS_SRC_ID(id) (((id) > 0) && ((id) < 0x70))
#define OCSD_IS_RESERVED_CS_SRC_ID(id) (((id) == 0) || (((id) >= 0x70) && ((id) <= 0x7F)))

/* ---- errors ---- */

/* What functions return. ocsd_err_str() has a text for each. */
typedef enum _ocsd_err_t {
	OCSD_OK = 0,

	OCSD_ERR_FAIL,			/* no closer reason */
	OCSD_ERR_MEM,			/* out of memory */
	OCSD_ERR_NOT_INIT,		/* a component is not there yet */
	OCSD_ERR_INVALID_ID,		/* no source has that trace ID, or none may have it */
	OCSD_ERR_BAD_HANDLE,
	OCSD_ERR_INVALID_PARAM_VAL,
	OCSD_ERR_INVALID_PARAM_TYPE,	/* the component does not have that interface */
	OCSD_ERR_FILE_ERROR,
	OCSD_ERR_NO_PROTOCOL,		/* no decoder for that protocol */

	OCSD_ERR_ATTACH_TOO_MANY,	/* the place is taken */
	OCSD_ERR_ATTACH_INVALID_PARAM,
	OCSD_ERR_ATTACH_COMP_NOT_FOUND,	/* nothing to detach */

	OCSD_ERR_RDR_FILE_NOT_FOUND,
	OCSD_ERR_RDR_INVALID_INIT,
	OCSD_ERR_RDR_NO_DECODER,

	OCSD_ERR_DATA_DECODE_FATAL,	/* a decoder answered fatally */

	OCSD_ERR_DFMTR_NOTCONTTRACE,	/* frames: the trace is not continuous */
	OCSD_ERR_DFMTR_BAD_FHSYNC,	/* frames: synchronisation at a wrong place */

	OCSD_ERR_BAD_PACKET_SEQ,	/* a packet that its bytes contradict */
	OCSD_ERR_INVALID_PCKT_HDR,	/* a reserved header */
	OCSD_ERR_PKT_INTERP_FAIL,

	OCSD_ERR_UNSUPPORTED_ISA,
	OCSD_ERR_HW_CFG_UNSUPP,		/* the registers ask for what the decoder does not have */
	OCSD_ERR_UNSUPP_DECODE_PKT,
	OCSD_ERR_BAD_DECODE_PKT,	/* a reserved packet reached the decoder */
	OCSD_ERR_COMMIT_PKT_OVERRUN,	/* more was committed than is uncommitted */
	OCSD_ERR_MEM_NACC,		/* no memory at that address */
	OCSD_ERR_RET_STACK_OVERFLOW,

	OCSD_ERR_DCDT_NO_FORMATTER,	/* the tree has no frames */

	OCSD_ERR_MEM_ACC_OVERLAP,	/* an accessor covers part of the range */
	OCSD_ERR_MEM_ACC_FILE_NOT_FOUND,
	OCSD_ERR_MEM_ACC_FILE_DIFF_RANGE,	/* the file is an accessor at another address */
	OCSD_ERR_MEM_ACC_RANGE_INVALID,
	OCSD_ERR_MEM_ACC_BAD_LEN,	/* a callback returned more bytes than it was asked for */

	/* of OpenCSD's test programs */
	OCSD_ERR_TEST_SNAPSHOT_PARSE,
	OCSD_ERR_TEST_SNAPSHOT_PARSE_INFO,
	OCSD_ERR_TEST_SNAPSHOT_READ,
	OCSD_ERR_TEST_SS_TO_DECODER,

	OCSD_ERR_DCDREG_NAME_REPEAT,	/* a decoder of that name is registered */
	OCSD_ERR_DCDREG_NAME_UNKNOWN,
	OCSD_ERR_DCDREG_TYPE_UNKNOWN,
	OCSD_ERR_DCDREG_TOOMANY,

	OCSD_ERR_DCD_INTERFACE_UNUSED,	/* the decoder does not use that interface */

	OCSD_ERR_INVALID_OPCODE,	/* no such instruction; not in 1.3, as the next two */
	OCSD_ERR_I_RANGE_LIMIT_OVERRUN,	/* a range is longer than the client allows */
	OCSD_ERR_BAD_DECODE_IMAGE,	/* trace and code contradict each other */

	OCSD_ERR_LAST			/* 1.3: 44 */
} ocsd_err_t;

/* Of OpenCSD's readers and of its error log; the C interface has no function that takes one. */
typedef unsigned int ocsd_hndl_rdr_t;
typedef unsigned int ocsd_hndl_err_log_t;
#define OCSD_INVALID_HANDLE ((unsigned int)-1)

/* Severity of a message, and the verbosity of the log, which takes messages up to it. */
typedef enum _ocsd_err_severity_t {
	OCSD_ERR_SEV_NONE,		/* verbosity only: nothing is logged */
	OCSD_ERR_SEV_ERROR,
	OCSD_ERR_SEV_WARN,
	OCSD_ERR_SEV_INFO,
} ocsd_err_severity_t;

/* ---- the data path ---- */

/* What ocsd_dt_process_data() is asked to do; only DATA has bytes. */
typedef enum _ocsd_datapath_op_t {
	OCSD_OP_DATA = 0,
	OCSD_OP_EOT,			/* the trace ends here */
	OCSD_OP_FLUSH,			/* deliver what a WAIT has held back */
	OCSD_OP_RESET,			/* forget all state of decoding */
} ocsd_datapath_op_t;

/*
 * Answers, of the library and of the client's callbacks. The order counts: of several sources the
 * highest one is returned. After a WAIT the client calls with FLUSH until the answer is CONT.
 */
typedef enum _ocsd_datapath_resp_t {
	OCSD_RESP_CONT,
	OCSD_RESP_WARN_CONT,		/* a warning was logged */
	OCSD_RESP_ERR_CONT,		/* an error was logged */
	OCSD_RESP_WAIT,
	OCSD_RESP_WARN_WAIT,
	OCSD_RESP_ERR_WAIT,
	OCSD_RESP_FATAL_NOT_INIT,
	OCSD_RESP_FATAL_INVALID_OP,
	OCSD_RESP_FATAL_INVALID_PARAM,
	OCSD_RESP_FATAL_INVALID_DATA,
	OCSD_RESP_FATAL_SYS_ERR,
} ocsd_datapath_resp_t;

#define OCSD_DATA_RESP_IS_FATAL(x) ((x) >= OCSD_RESP_FATAL_NOT_INIT)
#define OCSD_DATA_RESP_IS_WARN(x) (((x) == OCSD_RESP_WARN_CONT) || ((x) == OCSD_RESP_WARN_WAIT))
#define OCSD_DATA_RESP_IS_ERR(x) (((x) == OCSD_RESP_ERR_CONT) || ((x) == OCSD_RESP_ERR_WAIT))
#define OCSD_DATA_RESP_IS_WARN_OR_ERR(x) (OCSD_DATA_RESP_IS_ERR(x) || OCSD_DATA_RESP_IS_WARN(x))
#define OCSD_DATA_RESP_IS_CONT(x) ((x) < OCSD_RESP_WAIT)
#define OCSD_DATA_RESP_IS_WAIT(x) (((x) >= OCSD_RESP_WAIT) && ((x) < OCSD_RESP_FATAL_NOT_INIT))

/* ---- trees and frames ---- */

/* Pieces of frames, as OpenCSD's C++ interface names them. */
typedef enum _rcdtl_rawframe_elem_t {
	OCSD_FRM_NONE,
	OCSD_FRM_PACKED,
	OCSD_FRM_HSYNC,
	OCSD_FRM_FSYNC,
	OCSD_FRM_ID_DATA,
} ocsd_rawframe_elem_t;

/* The input of a tree. */
typedef enum _ocsd_dcd_tree_src_t {
	OCSD_TRC_SRC_FRAME_FORMATTED,	/* CoreSight frames, with bytes of several sources */
	OCSD_TRC_SRC_SINGLE,		/* bytes of one source */
} ocsd_dcd_tree_src_t;

/* Flags of a tree of frames: how they lie in the input, and what printers show of them. */
#define OCSD_DFRMTR_HAS_FSYNCS		0x01	/* words of synchronisation between frames (TPIU) */
#define OCSD_DFRMTR_HAS_HSYNCS		0x02	/* half words of synchronisation as well */
#define OCSD_DFRMTR_FRAME_MEM_ALIGN	0x04	/* frames back to back (ETB, ETR) */
#define OCSD_DFRMTR_PACKED_RAW_OUT	0x08	/* print frames as they are */
#define OCSD_DFRMTR_UNPACKED_RAW_OUT	0x10	/* print their bytes by trace ID */
#define OCSD_DFRMTR_RESET_ON_4X_FSYNC	0x20	/* four FSYNC words reset decoders (Linux) */
#define OCSD_DFRMTR_VALID_MASK		0x3F

#define OCSD_DFRMTR_FRAME_SIZE		0x10	/* bytes of a frame */

/* First letters of the names of OpenCSD's components. */
#define OCSD_CMPNAME_PREFIX_SOURCE_READER "SRDR"
#define OCSD_CMPNAME_PREFIX_FRAMEDEFORMATTER "DFMT"
#define OCSD_CMPNAME_PREFIX_PKTPROC "PKTP"
#define OCSD_CMPNAME_PREFIX_PKTDEC "PDEC"

/* ---- the processor ---- */

typedef enum _ocsd_arch_version {
	ARCH_UNKNOWN = 0x0000,
	ARCH_CUSTOM = 0x0001,		/* of a decoder of the client */
	ARCH_V7 = 0x0700,
	ARCH_V8 = 0x0800,
	ARCH_V8r3 = 0x0803,
	ARCH_AA64 = 0x0864,		/* Armv8.3 and all that came after it */
	ARCH_V8_max = ARCH_AA64,
} ocsd_arch_version_t;

#define OCSD_IS_V8_ARCH(arch) (((arch) >= ARCH_V8) && ((arch) <= ARCH_V8_max))
#define OCSD_IS_ARCH_MINVER(arch, min_arch) ((arch) >= (min_arch))

typedef enum _ocsd_core_profile {
	profile_Unknown,
	profile_CortexM,
	profile_CortexR,
	profile_CortexA,
	profile_Custom,
} ocsd_core_profile_t;

typedef struct _ocsd_arch_profile_t {
	ocsd_arch_version_t arch;
	ocsd_core_profile_t profile;
} ocsd_arch_profile_t;

typedef uint64_t ocsd_vaddr_t;
#define OCSD_MAX_VA_BITSIZE 64
#define OCSD_VA_MASK (~0ULL)

/* The lowest `bits` bits of an address. */
#define OCSD_BIT_MASK(bits) \
	(((bits) == OCSD_MAX_VA_BITSIZE) ? OCSD_VA_MASK : (((ocsd_vaddr_t)1 << (bits)) - 1))

/* ---- instructions ---- */

typedef enum _ocsd_isa {
	ocsd_isa_arm,			/* A32 */
	ocsd_isa_thumb2,		/* T32 */
	ocsd_isa_aarch64,		/* A64 */
	ocsd_isa_tee,			/* ThumbEE */
	ocsd_isa_jazelle,
	ocsd_isa_custom,
	ocsd_isa_unknown
} ocsd_isa;

typedef enum _ocsd_sec_level {
	ocsd_sec_secure,
	ocsd_sec_nonsecure,
	ocsd_sec_root,			/* FEAT_RME, as the next one */
	ocsd_sec_realm,
} ocsd_sec_level;

typedef enum _ocsd_ex_level {
	ocsd_EL_unknown = -1,
	ocsd_EL0 = 0,
	ocsd_EL1,
	ocsd_EL2,
	ocsd_EL3,
} ocsd_ex_level;

/*
 * What the last instruction of a range does to program flow; all but OTHER are P0 instructions
 * where they are traced.
 */
typedef enum _ocsd_instr_type {
	OCSD_INSTR_OTHER,
	OCSD_INSTR_BR,			/* direct branch */
	OCSD_INSTR_BR_INDIRECT,
	OCSD_INSTR_ISB,
	OCSD_INSTR_DSB_DMB,
	OCSD_INSTR_WFI_WFE,
	OCSD_INSTR_TSTART,		/* FEAT_TME */
} ocsd_instr_type;

typedef enum _ocsd_instr_subtype {
	OCSD_S_INSTR_NONE,
	OCSD_S_INSTR_BR_LINK,		/* a call */
	OCSD_S_INSTR_V8_RET,		/* RET */
	OCSD_S_INSTR_V8_ERET,		/* ERET */
	OCSD_S_INSTR_V7_IMPLIED_RET,	/* A32 and T32: what a return looks like, as POP {PC} */
} ocsd_instr_subtype;

/*
 * An instruction that a decoder of the client has the library classify (fn_arm_instruction_decode).
 */
typedef struct _ocsd_instr_info {
	/* from the client */
	ocsd_arch_profile_t pe_type;
	ocsd_isa isa;
	ocsd_vaddr_t instr_addr;
	uint32_t opcode;		/* T32 of 16 bits: in the upper half */
	uint8_t dsb_dmb_waypoints;	/* barriers are P0 */
	uint8_t wfi_wfe_branch;		/* WFI and WFE are P0 */
	uint8_t track_it_block;		/* mind IT blocks; not in 1.3: padding */

	/* from the library */
	ocsd_instr_type type;
	ocsd_vaddr_t branch_addr;	/* target of a direct branch */
	ocsd_isa next_isa;		/* after it, when taken */
	uint8_t instr_size;		/* bytes */
	uint8_t is_conditional;
	uint8_t is_link;		/* a call */
	uint8_t thumb_it_conditions;	/* IT: number of instructions that it makes conditional */
	ocsd_instr_subtype sub_type;
} ocsd_instr_info;

/*
 * Context of the processor, as of a PE_CONTEXT element; it holds for all elements up to the next
 * one.
 */
typedef struct _ocsd_pe_context {
	ocsd_sec_level security_level;
	ocsd_ex_level exception_level;
	uint32_t context_id;
	uint32_t vmid;
	struct {
		uint32_t bits64:1;		/* AArch64 */
		uint32_t ctxt_id_valid:1;
		uint32_t vmid_valid:1;
		uint32_t el_valid:1;		/* only ETMv4 and ETE trace the exception level */
	};
} ocsd_pe_context;

/* ---- memory ---- */

/* Memory spaces, bits of a mask: Security state and exception level that code executes in. */
typedef enum _ocsd_mem_space_acc_t {
	OCSD_MEM_SPACE_NONE = 0x0,	/* not in 1.3 */
	OCSD_MEM_SPACE_EL1S = 0x1,	/* Secure EL0 and EL1 */
	OCSD_MEM_SPACE_EL1N = 0x2,	/* Non-secure EL0 and EL1 */
	OCSD_MEM_SPACE_EL2 = 0x4,	/* Non-secure EL2 */
	OCSD_MEM_SPACE_EL3 = 0x8,	/* Secure EL3 */
	OCSD_MEM_SPACE_EL2S = 0x10,	/* Secure EL2 */
	OCSD_MEM_SPACE_EL1R = 0x20,	/* Realm EL0 and EL1; not in 1.3, as the next two */
	OCSD_MEM_SPACE_EL2R = 0x40,	/* Realm EL2 */
	OCSD_MEM_SPACE_ROOT = 0x80,	/* Root EL3 */
	OCSD_MEM_SPACE_S = 0x19,
	OCSD_MEM_SPACE_N = 0x6,
	OCSD_MEM_SPACE_R = 0x60,	/* not in 1.3 */
	OCSD_MEM_SPACE_ANY = 0xFF,	/* 1.3: 0x1F */
} ocsd_mem_space_acc_t;

/*
 * Memory behind a callback: reads `reqBytes` bytes at `address`, where code of `mem_space`
 * executes, into `byteBuffer`. Returns the number of bytes that it has there, 0 for none. The
 * second form is passed the trace ID of the source, by which the client finds the CPU.
 */
typedef uint32_t (*Fn_MemAcc_CB)(const void *p_context, const ocsd_vaddr_t address,
				 const ocsd_mem_space_acc_t mem_space, const uint32_t reqBytes,
				 uint8_t *byteBuffer);
typedef uint32_t (*Fn_MemAccID_CB)(const void *p_context, const ocsd_vaddr_t address,
				   const ocsd_mem_space_acc_t mem_space, const uint8_t trcID,
				   const uint32_t reqBytes, uint8_t *byteBuffer);

/* A part of a file that is mapped, as a segment of a program. */
typedef struct _ocsd_file_mem_region {
	size_t file_offset;
	ocsd_vaddr_t start_address;
	size_t region_size;		/* bytes */
} ocsd_file_mem_region_t;

/* ---- flags of decoders: parts of `create_flags` of ocsd_dt_create_decoder() ---- */

/* Bad packets, in the packet processor. */
#define OCSD_OPFLG_PKTPROC_NOFWD_BAD_PKTS	0x00000010	/* kept from the sink */
#define OCSD_OPFLG_PKTPROC_NOMON_BAD_PKTS	0x00000020	/* kept from the monitor */
#define OCSD_OPFLG_PKTPROC_ERR_BAD_PKTS		0x00000040	/* decoding ends */
#define OCSD_OPFLG_PKTPROC_UNSYNC_ON_BAD_PKTS	0x00000080	/* continue at synchronisation */
#define OCSD_OPFLG_PKTPROC_COMMON                                                                  \
	(OCSD_OPFLG_PKTPROC_NOFWD_BAD_PKTS | OCSD_OPFLG_PKTPROC_NOMON_BAD_PKTS |                   \
	 OCSD_OPFLG_PKTPROC_ERR_BAD_PKTS | OCSD_OPFLG_PKTPROC_UNSYNC_ON_BAD_PKTS)

/* The upper half is for flags of one protocol (etmv4/trc_pkt_types_etmv4.h). */
#define OCSD_OPFLG_COMP_MODE_MASK		0xFFFF0000

/*
 * Bad packets in the decoder, and checks of the code against the trace, which are not in 1.3: that
 * no unconditional branch has an N atom, and that each range begins where the last one leads to.
 */
#define OCSD_OPFLG_PKTDEC_ERROR_BAD_PKTS	0x00000100	/* an error instead of a warning */
#define OCSD_OPFLG_PKTDEC_HALT_BAD_PKTS		0x00000200	/* the answer is fatal */
#define OCSD_OPFLG_N_UNCOND_DIR_BR_CHK		0x00000400	/* N atom of B or BL */
#define OCSD_OPFLG_STRICT_N_UNCOND_BR_CHK	0x00000800	/* N atom of any such branch */
#define OCSD_OPFLG_CHK_RANGE_CONTINUE		0x00001000	/* ranges follow each other */
#define OCSD_OPFLG_N_UNCOND_CHK_NO_THUMB	0x00002000	/* no N atoms in T32 */
#define OCSD_OPFLG_PKTDEC_COMMON                                                                   \
	(OCSD_OPFLG_PKTDEC_ERROR_BAD_PKTS | OCSD_OPFLG_PKTDEC_HALT_BAD_PKTS |                      \
	 OCSD_OPFLG_N_UNCOND_DIR_BR_CHK | OCSD_OPFLG_STRICT_N_UNCOND_BR_CHK |                      \
	 OCSD_OPFLG_CHK_RANGE_CONTINUE | OCSD_OPFLG_N_UNCOND_CHK_NO_THUMB)

/* One of the first two has to be there. */
#define OCSD_CREATE_FLG_PACKET_PROC		0x01	/* packets only */
#define OCSD_CREATE_FLG_FULL_DECODER		0x02	/* packets and elements */
#define OCSD_CREATE_FLG_INST_ID			0x04	/* the instance has a number in its name */

/* ---- decoders ---- */

/*
 * Names of the built-in decoders. ETMV4D is known by name, but neither OpenCSD nor this library has
 * a decoder.
 */
#define OCSD_BUILTIN_DCD_STM "STM"
#define OCSD_BUILTIN_DCD_ETMV3 "ETMV3"
#define OCSD_BUILTIN_DCD_ETMV4I "ETMV4I"
#define OCSD_BUILTIN_DCD_ETMV4D "ETMV4D"
#define OCSD_BUILTIN_DCD_PTM "PTM"
#define OCSD_BUILTIN_DCD_ETE "ETE"
#define OCSD_BUILTIN_DCD_ITM "ITM"	/* not in 1.3 */

typedef enum _ocsd_trace_protocol_t {
	OCSD_PROTOCOL_UNKNOWN = 0,

	OCSD_PROTOCOL_ETMV3,
	OCSD_PROTOCOL_ETMV4I,
	OCSD_PROTOCOL_ETMV4D,
	OCSD_PROTOCOL_PTM,
	OCSD_PROTOCOL_STM,
	OCSD_PROTOCOL_ETE,
	OCSD_PROTOCOL_ITM,		/* not in 1.3 */
	OCSD_PROTOCOL_BUILTIN_END,	/* 1.3: 7 */

	/* decoders of the client, in the order in which they were registered */
	OCSD_PROTOCOL_CUSTOM_0 = 100,
	OCSD_PROTOCOL_CUSTOM_1,
	OCSD_PROTOCOL_CUSTOM_2,
	OCSD_PROTOCOL_CUSTOM_3,
	OCSD_PROTOCOL_CUSTOM_4,
	OCSD_PROTOCOL_CUSTOM_5,
	OCSD_PROTOCOL_CUSTOM_6,
	OCSD_PROTOCOL_CUSTOM_7,
	OCSD_PROTOCOL_CUSTOM_8,
	OCSD_PROTOCOL_CUSTOM_9,
	OCSD_PROTOCOL_END
} ocsd_trace_protocol_t;

#define OCSD_PROTOCOL_IS_BUILTIN(P) \
	(((P) > OCSD_PROTOCOL_UNKNOWN) && ((P) < OCSD_PROTOCOL_BUILTIN_END))
#define OCSD_PROTOCOL_IS_CUSTOM(P) \
	(((P) >= OCSD_PROTOCOL_CUSTOM_0) && ((P) < OCSD_PROTOCOL_END))

/* ---- software trace ---- */

/* Of an element SWTRACE (STM). The payload is little endian, where ptr_extended_data points. */
typedef struct _ocsd_swt_info {
	uint16_t swt_master_id;
	uint16_t swt_channel_id;
	union {
		struct {
			uint32_t swt_payload_pkt_bitsize:8;	/* bits of the payload */
			uint32_t swt_payload_num_packets:8;	/* payloads in the buffer */
			uint32_t swt_marker_packet:1;
			uint32_t swt_has_timestamp:1;
			uint32_t swt_marker_first:1;	/* the first of several payloads has it */
			uint32_t swt_master_err:1;	/* the payload is an error of it */
			uint32_t swt_global_err:1;	/* ... of an unknown master */
			uint32_t swt_trigger_event:1;	/* the payload is an event number */
			uint32_t swt_frequency:1;	/* the payload is a frequency */
			uint32_t swt_id_valid:1;	/* master and channel are known */
		};
		uint32_t swt_flag_bits;
	};
} ocsd_swt_info_t;

#define SWT_ID_VALID_MASK (0x1 << 23)	/* swt_id_valid in swt_flag_bits */

/*
 * What an element ITMTRACE is; not in 1.3. The four in the middle are local timestamps (DDI 0403,
 * D4.2.4).
 */
typedef enum _swt_itm_type {
	SWIT_PAYLOAD,			/* a write to a stimulus port */
	DWT_PAYLOAD,			/* a packet of the DWT */
	TS_SYNC,			/* at the time of the packet before it */
	TS_DELAY,			/* the timestamp was delayed */
	TS_PKT_DELAY,			/* the packet before it was delayed */
	TS_PKT_TS_DELAY,		/* both were */
	TS_GLOBAL,
} swt_itm_type;

typedef struct _swt_itm_info {
	swt_itm_type pkt_type;
	uint8_t payload_src_id;		/* SWIT: stimulus port; DWT: discriminator */
	uint8_t payload_size;		/* bytes */
	uint32_t value;			/* payload; local timestamp: cycles since the last one */
	uint8_t overflow;		/* packets were lost before this one */
} swt_itm_info;

/* ---- counts ---- */

/* Bytes of frames, of the whole tree. */
typedef struct _ocsd_demux_stats {
	uint64_t valid_id_bytes;	/* of sources that have a decoder */
	uint64_t no_id_bytes;		/* of sources that have none */
	uint64_t reserved_id_bytes;
	uint64_t unknown_id_bytes;	/* before the first trace ID */
	uint64_t frame_bytes;		/* trace IDs, flags and synchronisation */
} ocsd_demux_stats_t;

typedef struct _ocsd_decode_stats {
	uint32_t version;		/* OCSD_VER_NUM */
	uint16_t revision;		/* of this structure: OCSD_STATS_REVISION */
	/* of one source */
	uint64_t channel_total;		/* bytes */
	uint64_t channel_unsynced;	/* ... of them before synchronisation */
	uint32_t bad_header_errs;
	uint32_t bad_sequence_errs;
	/* of the tree */
	ocsd_demux_stats_t demux;
} ocsd_decode_stats_t;

#define OCSD_STATS_REVISION 0x1

#endif
