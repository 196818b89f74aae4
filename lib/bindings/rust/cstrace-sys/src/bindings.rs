// SPDX-License-Identifier: BSD-3-Clause
// bindings.rs - made by lib/bindings/rust/generate of the headers in include/cstrace/; do not edit.

use std::os::raw::{c_char, c_int, c_long, c_uint, c_void};

pub const CST_COND_FLAGS_SHIFT: u32 = 12;
pub const CST_COUNT_DEPTH_MAX: u32 = 65535;
pub const CST_COUNT_ID_MAX: u32 = 20;
pub const CST_COUNT_NAME_MAX: u32 = 4095;
pub const CST_COUNT_NO_BINARY: u32 = 4294967295;
pub const CST_COUNT_OUTSIDE: u64 = 18446744073709551615;
pub const CST_COUNT_TOTAL_MAX: u32 = 255;
pub const CST_COUNT_VERSION: u32 = 1;
pub const CST_CYCLES_GAP: u32 = 1;
pub const CST_EVENT_KERNEL: u32 = 0;
pub const CST_EVENT_NO_TIME: u64 = 18446744073709551615;
pub const CST_EVENT_PARAMS: u32 = 64;
pub const CST_EVENT_TRIGGER: u32 = 32768;
pub const CST_FRAME_RAW_BYTES: u32 = 12;
pub const CST_ID_UNKNOWN: u32 = 255;
pub const CST_INDEX_CONTEXTS: u32 = 63;
pub const CST_INDEX_GRANULARITY: u32 = 131072;
pub const CST_LIST_MIN: u32 = 1024;
pub const CST_LOG_ALL_IDS: u32 = 256;
pub const CST_LOG_NO_ID: u32 = 255;
pub const CST_MAX_PACKET: u32 = 64;
pub const CST_PACKET_BYTES: u32 = 48;
pub const CST_PARSE_NO_BYTE: u32 = 4294967295;
pub const CST_PULL_MIN: u32 = 4;
pub const CST_SAMPLE_BRANCHES: u32 = 64;
pub const CST_TARMAC_DATA: u32 = 64;
pub const CST_VERSION_MAJOR: u32 = 0;
pub const CST_VERSION_MINOR: u32 = 2;
pub const CST_VERSION_PATCH: u32 = 0;

pub type cst_isa = c_uint;
pub const CST_ISA_A32: cst_isa = 0;
pub const CST_ISA_T32: cst_isa = 1;
pub const CST_ISA_A64: cst_isa = 2;
pub const CST_ISA_TEE: cst_isa = 3;
pub const CST_ISA_JAZELLE: cst_isa = 4;
pub const CST_ISA_CUSTOM: cst_isa = 5;
pub const CST_ISA_UNKNOWN: cst_isa = 6;

pub type cst_security = c_uint;
pub const CST_SEC_SECURE: cst_security = 0;
pub const CST_SEC_NONSECURE: cst_security = 1;
pub const CST_SEC_ROOT: cst_security = 2;
pub const CST_SEC_REALM: cst_security = 3;

pub type cst_profile = c_uint;
pub const CST_PROFILE_A: cst_profile = 0;
pub const CST_PROFILE_R: cst_profile = 1;
pub const CST_PROFILE_M: cst_profile = 2;

pub type cst_context_flags = c_uint;
pub const CST_CTX_CID: cst_context_flags = 1;
pub const CST_CTX_VMID: cst_context_flags = 2;
pub const CST_CTX_KNOWN: cst_context_flags = 4;

pub type cst_memspace = c_uint;
pub const CST_MEM_EL1S: cst_memspace = 1;
pub const CST_MEM_EL1N: cst_memspace = 2;
pub const CST_MEM_EL2N: cst_memspace = 4;
pub const CST_MEM_EL3: cst_memspace = 8;
pub const CST_MEM_EL2S: cst_memspace = 16;
pub const CST_MEM_EL1R: cst_memspace = 32;
pub const CST_MEM_EL2R: cst_memspace = 64;
pub const CST_MEM_ROOT: cst_memspace = 128;
pub const CST_MEM_ANY: cst_memspace = 255;

pub type cst_error = c_uint;
pub const CST_ERR_OK: cst_error = 0;
pub const CST_ERR_NOMEM: cst_error = 1;
pub const CST_ERR_INVAL: cst_error = 2;
pub const CST_ERR_LIMIT: cst_error = 3;
pub const CST_ERR_BUSY: cst_error = 4;
pub const CST_ERR_UNSUP: cst_error = 5;
pub const CST_ERR_PROTOCOL: cst_error = 6;
pub const CST_ERR_BAD_HEADER: cst_error = 7;
pub const CST_ERR_BAD_SEQUENCE: cst_error = 8;
pub const CST_ERR_UNSUP_HEADER: cst_error = 9;
pub const CST_ERR_INCOMPLETE: cst_error = 10;
pub const CST_ERR_COMMIT_OVERRUN: cst_error = 11;
pub const CST_ERR_NO_ATOM: cst_error = 12;
pub const CST_ERR_NO_ADDRESS: cst_error = 13;
pub const CST_ERR_QUEUE_FULL: cst_error = 14;
pub const CST_ERR_BAD_IMAGE: cst_error = 15;
pub const CST_ERR_FRAME_ID: cst_error = 16;
pub const CST_ERR_FRAME_SYNC: cst_error = 17;
pub const CST_ERR_FRAME_CUT: cst_error = 18;
pub const CST_ERR_FRAME_RESERVED: cst_error = 19;
pub const CST_ERR_NOT_FOUND: cst_error = 20;
pub const CST_ERR_SYNTAX: cst_error = 21;
pub const CST_ERR_VERSION: cst_error = 22;
pub const CST_ERR_IO: cst_error = 23;
pub const CST_ERR_CONFLICT: cst_error = 24;
pub const CST_ERR_DAMAGED: cst_error = 30;
pub const CST_ERR_NO_LENGTH: cst_error = 31;
pub const CST_ERR_DEPTH: cst_error = 32;
pub const CST_ERR_TRANSACTION: cst_error = 33;

pub type cst_protocol = c_uint;
pub const CST_PROTO_NONE: cst_protocol = 0;
pub const CST_PROTO_ETMV4: cst_protocol = 1;
pub const CST_PROTO_ETE: cst_protocol = 2;
pub const CST_PROTO_ETMV4_DATA: cst_protocol = 3;
pub const CST_PROTO_ETMV3: cst_protocol = 4;
pub const CST_PROTO_PTM: cst_protocol = 5;
pub const CST_PROTO_STM: cst_protocol = 6;
pub const CST_PROTO_ITM: cst_protocol = 7;
pub const CST_PROTO_CUSTOM: cst_protocol = 8;
pub const CST_PROTOCOLS: cst_protocol = 9;

pub type cst_itm_sync = c_uint;
pub const CST_ITM_SYNC_PACKET: cst_itm_sync = 0;
pub const CST_ITM_SYNC_TRY: cst_itm_sync = 1;
pub const CST_ITM_SYNC_START: cst_itm_sync = 2;

pub type cst_check = c_uint;
pub const CST_CHECK_N_DIRECT: cst_check = 1;
pub const CST_CHECK_N_ANY: cst_check = 2;
pub const CST_CHECK_N_NOT_T32: cst_check = 4;
pub const CST_CHECK_CONTINUE: cst_check = 8;
pub const CST_CHECK_UNDEFINED: cst_check = 16;

pub type cst_frame_flags = c_uint;
pub const CST_FRAME_ALIGNED: cst_frame_flags = 0;
pub const CST_FRAME_FSYNC: cst_frame_flags = 1;
pub const CST_FRAME_HSYNC: cst_frame_flags = 2;
pub const CST_FRAME_RESET_4X: cst_frame_flags = 4;
pub const CST_FRAME_DSTREAM: cst_frame_flags = 8;
pub const CST_FRAME_PACKED: cst_frame_flags = 16;
pub const CST_FRAME_FINDINGS: cst_frame_flags = 32;
pub const CST_FRAME_STRICT: cst_frame_flags = 64;

pub type cst_frag_kind = c_uint;
pub const CST_FRAG_DATA: cst_frag_kind = 0;
pub const CST_FRAG_RESET: cst_frag_kind = 1;
pub const CST_FRAG_ERROR: cst_frag_kind = 2;
pub const CST_FRAG_FINDING: cst_frag_kind = 3;
pub const CST_FRAG_FRAME: cst_frag_kind = 4;
pub const CST_FRAG_FSYNC: cst_frag_kind = 5;
pub const CST_FRAG_HSYNC: cst_frag_kind = 6;

pub type cst_etmv3_packet_type = c_uint;
pub const CST_ETMV3_PKT_NOT_SYNC: cst_etmv3_packet_type = 0;
pub const CST_ETMV3_PKT_INCOMPLETE: cst_etmv3_packet_type = 1;
pub const CST_ETMV3_PKT_BAD_SEQUENCE: cst_etmv3_packet_type = 2;
pub const CST_ETMV3_PKT_BAD_TRACEMODE: cst_etmv3_packet_type = 3;
pub const CST_ETMV3_PKT_RESERVED: cst_etmv3_packet_type = 4;
pub const CST_ETMV3_PKT_BRANCH: cst_etmv3_packet_type = 5;
pub const CST_ETMV3_PKT_BRANCH_INFO: cst_etmv3_packet_type = 6;
pub const CST_ETMV3_PKT_ASYNC: cst_etmv3_packet_type = 7;
pub const CST_ETMV3_PKT_CYCLE_COUNT: cst_etmv3_packet_type = 8;
pub const CST_ETMV3_PKT_ISYNC: cst_etmv3_packet_type = 9;
pub const CST_ETMV3_PKT_ISYNC_CYCLE: cst_etmv3_packet_type = 10;
pub const CST_ETMV3_PKT_TRIGGER: cst_etmv3_packet_type = 11;
pub const CST_ETMV3_PKT_PHDR: cst_etmv3_packet_type = 12;
pub const CST_ETMV3_PKT_STORE_FAILED: cst_etmv3_packet_type = 13;
pub const CST_ETMV3_PKT_OOO_DATA: cst_etmv3_packet_type = 14;
pub const CST_ETMV3_PKT_OOO_PLACE: cst_etmv3_packet_type = 15;
pub const CST_ETMV3_PKT_DATA: cst_etmv3_packet_type = 16;
pub const CST_ETMV3_PKT_SUPPRESSED: cst_etmv3_packet_type = 17;
pub const CST_ETMV3_PKT_NOT_TRACED: cst_etmv3_packet_type = 18;
pub const CST_ETMV3_PKT_IGNORE: cst_etmv3_packet_type = 19;
pub const CST_ETMV3_PKT_CONTEXT_ID: cst_etmv3_packet_type = 20;
pub const CST_ETMV3_PKT_VMID: cst_etmv3_packet_type = 21;
pub const CST_ETMV3_PKT_EXC_ENTRY: cst_etmv3_packet_type = 22;
pub const CST_ETMV3_PKT_EXC_EXIT: cst_etmv3_packet_type = 23;
pub const CST_ETMV3_PKT_TIMESTAMP: cst_etmv3_packet_type = 24;
pub const CST_ETMV3_PKT_TYPES: cst_etmv3_packet_type = 25;

pub type cst_etmv3_packet_flags = c_uint;
pub const CST_ETMV3_PF_ISA: cst_etmv3_packet_flags = 1048576;
pub const CST_ETMV3_PF_STATE: cst_etmv3_packet_flags = 2097152;
pub const CST_ETMV3_PF_EXCEPTION: cst_etmv3_packet_flags = 4194304;
pub const CST_ETMV3_PF_CANCEL: cst_etmv3_packet_flags = 8388608;
pub const CST_ETMV3_PF_LSIP: cst_etmv3_packet_flags = 16777216;
pub const CST_ETMV3_PF_VALUE: cst_etmv3_packet_flags = 33554432;
pub const CST_ETMV3_PF_BIG_ENDIAN: cst_etmv3_packet_flags = 67108864;
pub const CST_ETMV3_PF_CLOCK: cst_etmv3_packet_flags = 134217728;
pub const CST_ETMV3_PF_STATE_NEWS: cst_etmv3_packet_flags = 268435456;
pub const CST_ETMV3_PF_TIME_PART: cst_etmv3_packet_flags = 536870912;

pub type cst_etmv4d_packet_type = c_uint;
pub const CST_ETMV4D_PKT_NOT_SYNC: cst_etmv4d_packet_type = 0;
pub const CST_ETMV4D_PKT_INCOMPLETE: cst_etmv4d_packet_type = 1;
pub const CST_ETMV4D_PKT_BAD_SEQUENCE: cst_etmv4d_packet_type = 2;
pub const CST_ETMV4D_PKT_RESERVED: cst_etmv4d_packet_type = 3;
pub const CST_ETMV4D_PKT_ASYNC: cst_etmv4d_packet_type = 4;
pub const CST_ETMV4D_PKT_TRACE_INFO: cst_etmv4d_packet_type = 5;
pub const CST_ETMV4D_PKT_DISCARD: cst_etmv4d_packet_type = 6;
pub const CST_ETMV4D_PKT_OVERFLOW: cst_etmv4d_packet_type = 7;
pub const CST_ETMV4D_PKT_SYNC_NUM: cst_etmv4d_packet_type = 8;
pub const CST_ETMV4D_PKT_SYNC: cst_etmv4d_packet_type = 9;
pub const CST_ETMV4D_PKT_TIMESTAMP: cst_etmv4d_packet_type = 10;
pub const CST_ETMV4D_PKT_SUPPRESSION: cst_etmv4d_packet_type = 11;
pub const CST_ETMV4D_PKT_EVENT: cst_etmv4d_packet_type = 12;
pub const CST_ETMV4D_PKT_P1_F1: cst_etmv4d_packet_type = 13;
pub const CST_ETMV4D_PKT_P1_F2: cst_etmv4d_packet_type = 14;
pub const CST_ETMV4D_PKT_P1_F3: cst_etmv4d_packet_type = 15;
pub const CST_ETMV4D_PKT_P1_F4: cst_etmv4d_packet_type = 16;
pub const CST_ETMV4D_PKT_P1_F5: cst_etmv4d_packet_type = 17;
pub const CST_ETMV4D_PKT_P1_F6: cst_etmv4d_packet_type = 18;
pub const CST_ETMV4D_PKT_P1_F7: cst_etmv4d_packet_type = 19;
pub const CST_ETMV4D_PKT_P2_F1: cst_etmv4d_packet_type = 20;
pub const CST_ETMV4D_PKT_P2_F2: cst_etmv4d_packet_type = 21;
pub const CST_ETMV4D_PKT_P2_F3: cst_etmv4d_packet_type = 22;
pub const CST_ETMV4D_PKT_P2_F4: cst_etmv4d_packet_type = 23;
pub const CST_ETMV4D_PKT_P2_F5: cst_etmv4d_packet_type = 24;
pub const CST_ETMV4D_PKT_P2_F6: cst_etmv4d_packet_type = 25;
pub const CST_ETMV4D_PKT_TYPES: cst_etmv4d_packet_type = 26;

pub type cst_itm_packet_type = c_uint;
pub const CST_ITM_PKT_NOT_SYNC: cst_itm_packet_type = 0;
pub const CST_ITM_PKT_INCOMPLETE: cst_itm_packet_type = 1;
pub const CST_ITM_PKT_BAD_SEQUENCE: cst_itm_packet_type = 2;
pub const CST_ITM_PKT_RESERVED: cst_itm_packet_type = 3;
pub const CST_ITM_PKT_ASYNC: cst_itm_packet_type = 4;
pub const CST_ITM_PKT_OVERFLOW: cst_itm_packet_type = 5;
pub const CST_ITM_PKT_SWIT: cst_itm_packet_type = 6;
pub const CST_ITM_PKT_DWT: cst_itm_packet_type = 7;
pub const CST_ITM_PKT_LOCAL_TS: cst_itm_packet_type = 8;
pub const CST_ITM_PKT_GLOBAL_TS1: cst_itm_packet_type = 9;
pub const CST_ITM_PKT_GLOBAL_TS2: cst_itm_packet_type = 10;
pub const CST_ITM_PKT_EXTENSION: cst_itm_packet_type = 11;
pub const CST_ITM_PKT_TYPES: cst_itm_packet_type = 12;

pub type cst_itm_packet_flags = c_uint;
pub const CST_ITM_PF_CLOCK: cst_itm_packet_flags = 1048576;
pub const CST_ITM_PF_WRAP: cst_itm_packet_flags = 2097152;
pub const CST_ITM_PF_HARDWARE: cst_itm_packet_flags = 4194304;

pub type cst_ptm_packet_type = c_uint;
pub const CST_PTM_PKT_NOT_SYNC: cst_ptm_packet_type = 0;
pub const CST_PTM_PKT_INCOMPLETE: cst_ptm_packet_type = 1;
pub const CST_PTM_PKT_BAD_SEQUENCE: cst_ptm_packet_type = 2;
pub const CST_PTM_PKT_RESERVED: cst_ptm_packet_type = 3;
pub const CST_PTM_PKT_ASYNC: cst_ptm_packet_type = 4;
pub const CST_PTM_PKT_ISYNC: cst_ptm_packet_type = 5;
pub const CST_PTM_PKT_BRANCH: cst_ptm_packet_type = 6;
pub const CST_PTM_PKT_EXCEPTION: cst_ptm_packet_type = 7;
pub const CST_PTM_PKT_ATOM: cst_ptm_packet_type = 8;
pub const CST_PTM_PKT_WAYPOINT: cst_ptm_packet_type = 9;
pub const CST_PTM_PKT_TRIGGER: cst_ptm_packet_type = 10;
pub const CST_PTM_PKT_CONTEXT_ID: cst_ptm_packet_type = 11;
pub const CST_PTM_PKT_VMID: cst_ptm_packet_type = 12;
pub const CST_PTM_PKT_TIMESTAMP: cst_ptm_packet_type = 13;
pub const CST_PTM_PKT_EXC_RETURN: cst_ptm_packet_type = 14;
pub const CST_PTM_PKT_IGNORE: cst_ptm_packet_type = 15;
pub const CST_PTM_PKT_TYPES: cst_ptm_packet_type = 16;

pub type cst_ptm_packet_flags = c_uint;
pub const CST_PTM_PF_ISA: cst_ptm_packet_flags = 1048576;
pub const CST_PTM_PF_HYP: cst_ptm_packet_flags = 2097152;
pub const CST_PTM_PF_EXCEPTION: cst_ptm_packet_flags = 4194304;
pub const CST_PTM_PF_CLOCK: cst_ptm_packet_flags = 8388608;
pub const CST_PTM_PF_LATE: cst_ptm_packet_flags = 16777216;
pub const CST_PTM_PF_TIME_PART: cst_ptm_packet_flags = 33554432;

pub type cst_ptm_isync_reason = c_uint;
pub const CST_PTM_ISYNC_PERIODIC: cst_ptm_isync_reason = 0;
pub const CST_PTM_ISYNC_TRACE_ON: cst_ptm_isync_reason = 1;
pub const CST_PTM_ISYNC_OVERFLOW: cst_ptm_isync_reason = 2;
pub const CST_PTM_ISYNC_DEBUG: cst_ptm_isync_reason = 3;

pub type cst_stm_packet_type = c_uint;
pub const CST_STM_PKT_NOT_SYNC: cst_stm_packet_type = 0;
pub const CST_STM_PKT_INCOMPLETE: cst_stm_packet_type = 1;
pub const CST_STM_PKT_BAD_SEQUENCE: cst_stm_packet_type = 2;
pub const CST_STM_PKT_RESERVED: cst_stm_packet_type = 3;
pub const CST_STM_PKT_ASYNC: cst_stm_packet_type = 4;
pub const CST_STM_PKT_VERSION: cst_stm_packet_type = 5;
pub const CST_STM_PKT_NULL: cst_stm_packet_type = 6;
pub const CST_STM_PKT_FREQ: cst_stm_packet_type = 7;
pub const CST_STM_PKT_TRIG: cst_stm_packet_type = 8;
pub const CST_STM_PKT_XSYNC: cst_stm_packet_type = 9;
pub const CST_STM_PKT_GERR: cst_stm_packet_type = 10;
pub const CST_STM_PKT_MERR: cst_stm_packet_type = 11;
pub const CST_STM_PKT_M8: cst_stm_packet_type = 12;
pub const CST_STM_PKT_M16: cst_stm_packet_type = 13;
pub const CST_STM_PKT_C8: cst_stm_packet_type = 14;
pub const CST_STM_PKT_C16: cst_stm_packet_type = 15;
pub const CST_STM_PKT_FLAG: cst_stm_packet_type = 16;
pub const CST_STM_PKT_D4: cst_stm_packet_type = 17;
pub const CST_STM_PKT_D8: cst_stm_packet_type = 18;
pub const CST_STM_PKT_D16: cst_stm_packet_type = 19;
pub const CST_STM_PKT_D32: cst_stm_packet_type = 20;
pub const CST_STM_PKT_D64: cst_stm_packet_type = 21;
pub const CST_STM_PKT_TYPES: cst_stm_packet_type = 22;

pub type cst_stm_packet_flags = c_uint;
pub const CST_STM_PF_TS: cst_stm_packet_flags = 1048576;
pub const CST_STM_PF_MARKER: cst_stm_packet_flags = 2097152;

pub type cst_etmv4_packet_type = c_uint;
pub const CST_PKT_NOT_SYNC: cst_etmv4_packet_type = 0;
pub const CST_PKT_INCOMPLETE: cst_etmv4_packet_type = 1;
pub const CST_PKT_BAD_SEQUENCE: cst_etmv4_packet_type = 2;
pub const CST_PKT_RESERVED: cst_etmv4_packet_type = 3;
pub const CST_PKT_RESERVED_CFG: cst_etmv4_packet_type = 4;
pub const CST_PKT_ASYNC: cst_etmv4_packet_type = 5;
pub const CST_PKT_DISCARD: cst_etmv4_packet_type = 6;
pub const CST_PKT_OVERFLOW: cst_etmv4_packet_type = 7;
pub const CST_PKT_TRACE_INFO: cst_etmv4_packet_type = 8;
pub const CST_PKT_TIMESTAMP: cst_etmv4_packet_type = 9;
pub const CST_PKT_TRACE_ON: cst_etmv4_packet_type = 10;
pub const CST_PKT_FUNC_RETURN: cst_etmv4_packet_type = 11;
pub const CST_PKT_EXCEPTION: cst_etmv4_packet_type = 12;
pub const CST_PKT_EXC_RETURN: cst_etmv4_packet_type = 13;
pub const CST_PKT_ITE: cst_etmv4_packet_type = 14;
pub const CST_PKT_TRANS_START: cst_etmv4_packet_type = 15;
pub const CST_PKT_TRANS_COMMIT: cst_etmv4_packet_type = 16;
pub const CST_PKT_TRANS_FAIL: cst_etmv4_packet_type = 17;
pub const CST_PKT_PE_RESET: cst_etmv4_packet_type = 18;
pub const CST_PKT_CCNT_F1: cst_etmv4_packet_type = 19;
pub const CST_PKT_CCNT_F2: cst_etmv4_packet_type = 20;
pub const CST_PKT_CCNT_F3: cst_etmv4_packet_type = 21;
pub const CST_PKT_DATA_SYNC_NUM: cst_etmv4_packet_type = 22;
pub const CST_PKT_DATA_SYNC: cst_etmv4_packet_type = 23;
pub const CST_PKT_COMMIT: cst_etmv4_packet_type = 24;
pub const CST_PKT_CANCEL_F1: cst_etmv4_packet_type = 25;
pub const CST_PKT_CANCEL_F1_MISP: cst_etmv4_packet_type = 26;
pub const CST_PKT_CANCEL_F2: cst_etmv4_packet_type = 27;
pub const CST_PKT_CANCEL_F3: cst_etmv4_packet_type = 28;
pub const CST_PKT_MISPREDICT: cst_etmv4_packet_type = 29;
pub const CST_PKT_COND_I_F1: cst_etmv4_packet_type = 30;
pub const CST_PKT_COND_I_F2: cst_etmv4_packet_type = 31;
pub const CST_PKT_COND_I_F3: cst_etmv4_packet_type = 32;
pub const CST_PKT_COND_FLUSH: cst_etmv4_packet_type = 33;
pub const CST_PKT_COND_R_F1: cst_etmv4_packet_type = 34;
pub const CST_PKT_COND_R_F2: cst_etmv4_packet_type = 35;
pub const CST_PKT_COND_R_F3: cst_etmv4_packet_type = 36;
pub const CST_PKT_COND_R_F4: cst_etmv4_packet_type = 37;
pub const CST_PKT_IGNORE: cst_etmv4_packet_type = 38;
pub const CST_PKT_EVENT: cst_etmv4_packet_type = 39;
pub const CST_PKT_CONTEXT: cst_etmv4_packet_type = 40;
pub const CST_PKT_ADDR_CTXT_32: cst_etmv4_packet_type = 41;
pub const CST_PKT_ADDR_CTXT_64: cst_etmv4_packet_type = 42;
pub const CST_PKT_TS_MARKER: cst_etmv4_packet_type = 43;
pub const CST_PKT_ADDR_MATCH: cst_etmv4_packet_type = 44;
pub const CST_PKT_ADDR_SHORT: cst_etmv4_packet_type = 45;
pub const CST_PKT_ADDR_32: cst_etmv4_packet_type = 46;
pub const CST_PKT_ADDR_64: cst_etmv4_packet_type = 47;
pub const CST_PKT_Q: cst_etmv4_packet_type = 48;
pub const CST_PKT_SRC_MATCH: cst_etmv4_packet_type = 49;
pub const CST_PKT_SRC_SHORT: cst_etmv4_packet_type = 50;
pub const CST_PKT_SRC_32: cst_etmv4_packet_type = 51;
pub const CST_PKT_SRC_64: cst_etmv4_packet_type = 52;
pub const CST_PKT_ATOM_F1: cst_etmv4_packet_type = 53;
pub const CST_PKT_ATOM_F2: cst_etmv4_packet_type = 54;
pub const CST_PKT_ATOM_F3: cst_etmv4_packet_type = 55;
pub const CST_PKT_ATOM_F4: cst_etmv4_packet_type = 56;
pub const CST_PKT_ATOM_F5: cst_etmv4_packet_type = 57;
pub const CST_PKT_ATOM_F6: cst_etmv4_packet_type = 58;
pub const CST_PKT_BF_FLUSH: cst_etmv4_packet_type = 59;
pub const CST_PKT_TYPES: cst_etmv4_packet_type = 60;

pub type cst_packet_flags = c_uint;
pub const CST_PF_CC: cst_packet_flags = 1;
pub const CST_PF_CC_UNKNOWN: cst_packet_flags = 2;
pub const CST_PF_COMMIT: cst_packet_flags = 4;
pub const CST_PF_CONTEXT: cst_packet_flags = 8;
pub const CST_PF_VMID: cst_packet_flags = 16;
pub const CST_PF_CID: cst_packet_flags = 32;
pub const CST_PF_COUNT: cst_packet_flags = 64;
pub const CST_PF_ADDR: cst_packet_flags = 128;
pub const CST_PF_E0: cst_packet_flags = 256;
pub const CST_PF_E1: cst_packet_flags = 512;
pub const CST_PF_P: cst_packet_flags = 1024;
pub const CST_PF_MISPREDICT: cst_packet_flags = 2048;
pub const CST_PF_SYNC_POINT: cst_packet_flags = 4096;
pub const CST_PF_INFO: cst_packet_flags = 8192;
pub const CST_PF_KEY: cst_packet_flags = 16384;
pub const CST_PF_SPEC: cst_packet_flags = 32768;
pub const CST_PF_CYCT: cst_packet_flags = 65536;
pub const CST_PF_WNDW: cst_packet_flags = 131072;
pub const CST_PF_M_PROFILE: cst_packet_flags = 262144;
pub const CST_PF_LEAD: cst_packet_flags = 524288;
pub const CST_PF_OWN: cst_packet_flags = 1048576;

pub type cst_packet_role = c_uint;
pub const CST_ROLE_OTHER: cst_packet_role = 0;
pub const CST_ROLE_NOT_SYNC: cst_packet_role = 1;
pub const CST_ROLE_BAD: cst_packet_role = 2;
pub const CST_ROLE_ASYNC: cst_packet_role = 3;
pub const CST_ROLE_SYNC: cst_packet_role = 4;
pub const CST_ROLE_TIMESTAMP: cst_packet_role = 5;
pub const CST_ROLE_CONTEXT: cst_packet_role = 6;
pub const CST_ROLE_ADDRESS: cst_packet_role = 7;
pub const CST_ROLE_ADDRESS_CONTEXT: cst_packet_role = 8;
pub const CST_ROLE_FLOW: cst_packet_role = 9;
pub const CST_ROLE_EXCEPTION: cst_packet_role = 10;
pub const CST_ROLE_TRACE_ON: cst_packet_role = 11;
pub const CST_ROLE_LOSS: cst_packet_role = 12;
pub const CST_ROLE_DISCARD: cst_packet_role = 13;
pub const CST_ROLE_EVENT: cst_packet_role = 14;
pub const CST_ROLE_ASIDE: cst_packet_role = 15;

pub type cst_element_kind = c_uint;
pub const CST_EL_ATOMS: cst_element_kind = 0;
pub const CST_EL_ADDRESS: cst_element_kind = 1;
pub const CST_EL_CONTEXT: cst_element_kind = 2;
pub const CST_EL_EXCEPTION: cst_element_kind = 3;
pub const CST_EL_EXC_RETURN: cst_element_kind = 4;
pub const CST_EL_Q: cst_element_kind = 5;
pub const CST_EL_SOURCE_ADDRESS: cst_element_kind = 6;
pub const CST_EL_TRACE_ON: cst_element_kind = 7;
pub const CST_EL_TRACE_INFO: cst_element_kind = 8;
pub const CST_EL_TIMESTAMP: cst_element_kind = 9;
pub const CST_EL_CYCLE_COUNT: cst_element_kind = 10;
pub const CST_EL_EVENT: cst_element_kind = 11;
pub const CST_EL_TS_MARKER: cst_element_kind = 12;
pub const CST_EL_INSTRUMENTATION: cst_element_kind = 13;
pub const CST_EL_TRANS_START: cst_element_kind = 14;
pub const CST_EL_TRANS_COMMIT: cst_element_kind = 15;
pub const CST_EL_TRANS_FAIL: cst_element_kind = 16;
pub const CST_EL_FUNC_RETURN: cst_element_kind = 17;
pub const CST_EL_NO_SYNC: cst_element_kind = 18;
pub const CST_EL_END: cst_element_kind = 19;
pub const CST_EL_READY: cst_element_kind = 20;
pub const CST_EL_BRANCH: cst_element_kind = 21;
pub const CST_EL_WAYPOINT: cst_element_kind = 22;
pub const CST_EL_VECTOR: cst_element_kind = 23;
pub const CST_EL_DATA: cst_element_kind = 24;
pub const CST_EL_FINDING: cst_element_kind = 25;
pub const CST_EL_COND_INSN: cst_element_kind = 26;
pub const CST_EL_COND_RESULT: cst_element_kind = 27;
pub const CST_EL_COND_FLUSH: cst_element_kind = 28;

pub type cst_element_flags = c_uint;
pub const CST_EL_F_CC: cst_element_flags = 1;
pub const CST_EL_F_COUNT: cst_element_flags = 2;
pub const CST_EL_F_ADDRESS: cst_element_flags = 4;
pub const CST_EL_F_LSIP: cst_element_flags = 4;
pub const CST_EL_F_BR_TARGET: cst_element_flags = 8;
pub const CST_EL_F_DOUBTFUL: cst_element_flags = 16;
pub const CST_EL_F_TAIL_CHAIN: cst_element_flags = 32;
pub const CST_EL_F_SAME: cst_element_flags = 64;
pub const CST_EL_F_CONFIG: cst_element_flags = 128;
pub const CST_EL_F_GAP: cst_element_flags = 8;
pub const CST_EL_F_SYNC: cst_element_flags = 8;
pub const CST_EL_F_ISA: cst_element_flags = 16;
pub const CST_EL_F_QUIET: cst_element_flags = 32;

pub type cst_insn_type = c_uint;
pub const CST_INSN_OTHER: cst_insn_type = 0;
pub const CST_INSN_BRANCH: cst_insn_type = 1;
pub const CST_INSN_INDIRECT: cst_insn_type = 2;
pub const CST_INSN_ISB: cst_insn_type = 3;
pub const CST_INSN_BARRIER: cst_insn_type = 4;
pub const CST_INSN_WFX: cst_insn_type = 5;
pub const CST_INSN_TSTART: cst_insn_type = 6;
pub const CST_INSN_LOAD: cst_insn_type = 7;
pub const CST_INSN_STORE: cst_insn_type = 8;

pub type cst_insn_subtype = c_uint;
pub const CST_INSN_PLAIN: cst_insn_subtype = 0;
pub const CST_INSN_LINK: cst_insn_subtype = 1;
pub const CST_INSN_RET: cst_insn_subtype = 2;
pub const CST_INSN_ERET: cst_insn_subtype = 3;
pub const CST_INSN_IMPLIED_RET: cst_insn_subtype = 4;
pub const CST_INSN_FUTURE: cst_insn_subtype = 5;

pub type cst_isa_flags = c_uint;
pub const CST_ISA_WFX_P0: cst_isa_flags = 1;
pub const CST_ISA_M_PROFILE: cst_isa_flags = 2;
pub const CST_ISA_BARRIER_P0: cst_isa_flags = 4;
pub const CST_ISA_THUMBEE: cst_isa_flags = 8;
pub const CST_ISA_LOAD_P0: cst_isa_flags = 16;
pub const CST_ISA_STORE_P0: cst_isa_flags = 32;
pub const CST_ISA_RUNS: cst_isa_flags = 64;

pub type cst_generic_kind = c_uint;
pub const CST_GEN_UNKNOWN: cst_generic_kind = 0;
pub const CST_GEN_NO_SYNC: cst_generic_kind = 1;
pub const CST_GEN_TRACE_ON: cst_generic_kind = 2;
pub const CST_GEN_EO_TRACE: cst_generic_kind = 3;
pub const CST_GEN_PE_CONTEXT: cst_generic_kind = 4;
pub const CST_GEN_RANGE: cst_generic_kind = 5;
pub const CST_GEN_NOPATH: cst_generic_kind = 6;
pub const CST_GEN_NACC: cst_generic_kind = 7;
pub const CST_GEN_ADDR_UNKNOWN: cst_generic_kind = 8;
pub const CST_GEN_EXCEPTION: cst_generic_kind = 9;
pub const CST_GEN_EXCEPTION_RET: cst_generic_kind = 10;
pub const CST_GEN_TIMESTAMP: cst_generic_kind = 11;
pub const CST_GEN_CYCLE_COUNT: cst_generic_kind = 12;
pub const CST_GEN_EVENT: cst_generic_kind = 13;
pub const CST_GEN_SWTRACE: cst_generic_kind = 14;
pub const CST_GEN_SYNC_MARKER: cst_generic_kind = 15;
pub const CST_GEN_MEMTRANS: cst_generic_kind = 16;
pub const CST_GEN_INSTRUMENTATION: cst_generic_kind = 17;
pub const CST_GEN_ITMTRACE: cst_generic_kind = 18;
pub const CST_GEN_CUSTOM: cst_generic_kind = 19;
pub const CST_GEN_DATA: cst_generic_kind = 64;
pub const CST_GEN_COND: cst_generic_kind = 65;
pub const CST_GEN_COUNTED: cst_generic_kind = 66;
pub const CST_GEN_SKIPPED: cst_generic_kind = 67;
pub const CST_GEN_LISTED: cst_generic_kind = 68;
pub const CST_GEN_BARRIER: cst_generic_kind = 69;

pub type cst_trace_on_reason = c_uint;
pub const CST_ON_NORMAL: cst_trace_on_reason = 0;
pub const CST_ON_OVERFLOW: cst_trace_on_reason = 1;
pub const CST_ON_DEBUG: cst_trace_on_reason = 2;

pub type cst_unsync_reason = c_uint;
pub const CST_UNSYNC_UNKNOWN: cst_unsync_reason = 0;
pub const CST_UNSYNC_INIT: cst_unsync_reason = 1;
pub const CST_UNSYNC_RESET: cst_unsync_reason = 2;
pub const CST_UNSYNC_OVERFLOW: cst_unsync_reason = 3;
pub const CST_UNSYNC_DISCARD: cst_unsync_reason = 4;
pub const CST_UNSYNC_BAD_PACKET: cst_unsync_reason = 5;
pub const CST_UNSYNC_BAD_IMAGE: cst_unsync_reason = 6;
pub const CST_UNSYNC_END: cst_unsync_reason = 7;

pub type cst_sw_flags = c_uint;
pub const CST_SW_ID: cst_sw_flags = 1;
pub const CST_SW_MARKER: cst_sw_flags = 2;
pub const CST_SW_TRIGGER: cst_sw_flags = 4;
pub const CST_SW_FREQ: cst_sw_flags = 8;
pub const CST_SW_MASTER_ERR: cst_sw_flags = 16;
pub const CST_SW_GLOBAL_ERR: cst_sw_flags = 32;
pub const CST_SW_OVERFLOW: cst_sw_flags = 64;
pub const CST_SW_CLOCK: cst_sw_flags = 128;

pub type cst_itm_kind = c_uint;
pub const CST_ITM_SWIT: cst_itm_kind = 0;
pub const CST_ITM_DWT: cst_itm_kind = 1;
pub const CST_ITM_TS_SYNC: cst_itm_kind = 2;
pub const CST_ITM_TS_DELAY: cst_itm_kind = 3;
pub const CST_ITM_TS_PKT_DELAY: cst_itm_kind = 4;
pub const CST_ITM_TS_PKT_TS_DELAY: cst_itm_kind = 5;
pub const CST_ITM_TS_GLOBAL: cst_itm_kind = 6;

pub type cst_data_flags = c_uint;
pub const CST_DATA_ADDR: cst_data_flags = 1;
pub const CST_DATA_VALUE: cst_data_flags = 2;
pub const CST_DATA_INSN: cst_data_flags = 4;
pub const CST_DATA_LATE: cst_data_flags = 8;
pub const CST_DATA_PENDING: cst_data_flags = 16;
pub const CST_DATA_STORE_FAILED: cst_data_flags = 32;
pub const CST_DATA_NOT_TRACED: cst_data_flags = 64;
pub const CST_DATA_SUPPRESSED: cst_data_flags = 128;
pub const CST_DATA_BIG_ENDIAN: cst_data_flags = 256;
pub const CST_DATA_STACKING: cst_data_flags = 512;

pub type cst_cond_flags = c_uint;
pub const CST_COND_PASSED: cst_cond_flags = 1;
pub const CST_COND_FAILED: cst_cond_flags = 2;
pub const CST_COND_INSN: cst_cond_flags = 4;
pub const CST_COND_FLAGS: cst_cond_flags = 8;

pub type cst_sync_marker = c_uint;
pub const CST_MARK_TIMESTAMP: cst_sync_marker = 0;
pub const CST_MARK_DATA_NUMBERED: cst_sync_marker = 1;
pub const CST_MARK_DATA: cst_sync_marker = 2;

pub type cst_memtrans = c_uint;
pub const CST_TRANS_INIT: cst_memtrans = 0;
pub const CST_TRANS_START: cst_memtrans = 1;
pub const CST_TRANS_COMMIT: cst_memtrans = 2;
pub const CST_TRANS_FAIL: cst_memtrans = 3;

pub type cst_range_flags = c_uint;
pub const CST_RANGE_IT: cst_range_flags = 1;
pub const CST_RANGE_PART: cst_range_flags = 2;

pub type cst_generic_flags = c_uint;
pub const CST_GF_EXEC: cst_generic_flags = 1;
pub const CST_GF_COND: cst_generic_flags = 2;
pub const CST_GF_LINK: cst_generic_flags = 4;
pub const CST_GF_CC: cst_generic_flags = 8;
pub const CST_GF_RET_ADDR: cst_generic_flags = 16;
pub const CST_GF_BR_TARGET: cst_generic_flags = 32;
pub const CST_GF_TAIL_CHAIN: cst_generic_flags = 64;
pub const CST_GF_CID: cst_generic_flags = 128;
pub const CST_GF_VMID: cst_generic_flags = 256;
pub const CST_GF_EL: cst_generic_flags = 512;
pub const CST_GF_BITS64: cst_generic_flags = 1024;
pub const CST_GF_WAYPOINT: cst_generic_flags = 2048;
pub const CST_GF_NEXT: cst_generic_flags = 4096;
pub const CST_GF_DOUBTFUL: cst_generic_flags = 8192;
pub const CST_GF_TS: cst_generic_flags = 16384;

pub type cst_counts_flags = c_uint;
pub const CST_COUNTS_JOINED: cst_counts_flags = 1;

pub type cst_finding = c_uint;
pub const CST_FIND_NONE: cst_finding = 0;
pub const CST_FIND_RESERVED_BITS: cst_finding = 1;
pub const CST_FIND_NO_CODE: cst_finding = 2;
pub const CST_FIND_ATOMS_LOST: cst_finding = 3;
pub const CST_FIND_IMAGE_CONFLICT: cst_finding = 4;
pub const CST_FIND_STACK_EMPTY: cst_finding = 5;
pub const CST_FIND_NO_PATH: cst_finding = 6;
pub const CST_FIND_OVERFLOW: cst_finding = 7;
pub const CST_FIND_DISCARD: cst_finding = 8;
pub const CST_FIND_UNROUTED: cst_finding = 9;
pub const CST_FIND_FRAME_RESERVED_ID: cst_finding = 10;
pub const CST_FIND_FRAME_AUX: cst_finding = 11;
pub const CST_FIND_BARRIER: cst_finding = 12;
pub const CST_FIND_STM_NOT_SENT: cst_finding = 13;
pub const CST_FIND_STM_LONG_ASYNC: cst_finding = 14;
pub const CST_FIND_ITM_LOCAL_TS: cst_finding = 15;
pub const CST_FIND_ITM_GLOBAL_TS: cst_finding = 16;
pub const CST_FIND_DWT_RESERVED: cst_finding = 17;
pub const CST_FIND_DWT_SIZE: cst_finding = 18;
pub const CST_FIND_PTM_RESERVED_BITS: cst_finding = 19;
pub const CST_FIND_PTM_ISA: cst_finding = 20;
pub const CST_FIND_PTM_EXCEPTION: cst_finding = 21;
pub const CST_FIND_PTM_ADDRESS: cst_finding = 22;
pub const CST_FIND_ETM_ADDRESS_BITS: cst_finding = 23;
pub const CST_FIND_ETM_ADDRESS_64: cst_finding = 24;
pub const CST_FIND_ETM_CONTEXT_BITS: cst_finding = 25;
pub const CST_FIND_ETM_CONTEXT_ID: cst_finding = 26;
pub const CST_FIND_ETM_CONTEXT_IS: cst_finding = 27;
pub const CST_FIND_ETM_INFO_BITS: cst_finding = 28;
pub const CST_FIND_ETM_INFO_CONFIG: cst_finding = 29;
pub const CST_FIND_ETM_INFO_SPEC: cst_finding = 30;
pub const CST_FIND_ETM_CC_OFF: cst_finding = 31;
pub const CST_FIND_ETM_CC_COMMIT: cst_finding = 32;
pub const CST_FIND_ETM_CC_OVERFLOW: cst_finding = 33;
pub const CST_FIND_ETM_WIDE: cst_finding = 34;
pub const CST_FIND_ETM_EXCEPTION_BITS: cst_finding = 35;
pub const CST_FIND_ETM_EXCEPTION_TYPE: cst_finding = 36;
pub const CST_FIND_ETM_EXCEPTION_FORM: cst_finding = 37;
pub const CST_FIND_ETM_Q_FORM: cst_finding = 38;
pub const CST_FIND_ETM_NO_SPECULATION: cst_finding = 39;
pub const CST_FIND_ETM_ITE_BITS: cst_finding = 40;
pub const CST_FIND_ETM_TS_MARKER: cst_finding = 41;
pub const CST_FIND_ETM_BEFORE_INFO: cst_finding = 42;
pub const CST_FIND_ETMV3_RESERVED_BITS: cst_finding = 43;
pub const CST_FIND_ETMV3_PHDR: cst_finding = 44;
pub const CST_FIND_ETMV3_ZEROS: cst_finding = 45;
pub const CST_FIND_ETMV3_CYCLES: cst_finding = 46;
pub const CST_FIND_ETMV3_CONFIG: cst_finding = 47;
pub const CST_FIND_ETMV3_EXCEPTION: cst_finding = 48;
pub const CST_FIND_ETMV3_DEPRECATED: cst_finding = 49;
pub const CST_FIND_ETMV3_CANCEL: cst_finding = 50;
pub const CST_FIND_DATA_NO_PLACE: cst_finding = 51;
pub const CST_FIND_JAZELLE: cst_finding = 52;
pub const CST_FIND_TIME_UNKNOWN: cst_finding = 53;
pub const CST_FIND_STM_MASTER_ERROR: cst_finding = 54;
pub const CST_FIND_STM_GLOBAL_ERROR: cst_finding = 55;
pub const CST_FIND_ITM_BOUNDARY: cst_finding = 56;
pub const CST_FIND_ETM_Q_OFF: cst_finding = 57;
pub const CST_FINDINGS: cst_finding = 58;

pub type cst_severity = c_uint;
pub const CST_LOG_NONE: cst_severity = 0;
pub const CST_LOG_ERROR: cst_severity = 1;
pub const CST_LOG_WARNING: cst_severity = 2;
pub const CST_LOG_INFO: cst_severity = 3;
pub const CST_LOG_SEVERITIES: cst_severity = 4;

pub type cst_component = c_uint;
pub const CST_LOG_FRAME: cst_component = 0;
pub const CST_LOG_PACKET: cst_component = 1;
pub const CST_LOG_ELEMENT: cst_component = 2;
pub const CST_LOG_FLOW: cst_component = 3;
pub const CST_LOG_TREE: cst_component = 4;
pub const CST_LOG_INDEX: cst_component = 5;
pub const CST_LOG_COMPONENTS: cst_component = 6;

pub type cst_stop = c_uint;
pub const CST_STOP_NONE: cst_stop = 0;
pub const CST_STOP_CONTEXT: cst_stop = 1;
pub const CST_STOP_TRACE_ON: cst_stop = 2;
pub const CST_STOP_TIMESTAMP: cst_stop = 4;
pub const CST_STOP_SECTION: cst_stop = 8;
pub const CST_STOP_EXCEPTION: cst_stop = 16;
pub const CST_STOP_CONFIG: cst_stop = 32;
pub const CST_STOP_PACKET: cst_stop = 64;
pub const CST_STOP_INPUT: cst_stop = 128;
pub const CST_STOP_END: cst_stop = 256;

pub type cst_emit = c_uint;
pub const CST_EMIT_RANGES: cst_emit = 0;
pub const CST_EMIT_COUNTS: cst_emit = 1;
pub const CST_EMIT_SAMPLES: cst_emit = 2;
pub const CST_EMIT_BRANCHES: cst_emit = 3;

pub type cst_tree_format = c_uint;
pub const CST_TREE_RAW: cst_tree_format = 0;
pub const CST_TREE_FRAMES: cst_tree_format = 1;

pub type cst_tree_order = c_uint;
pub const CST_ORDER_FRAMES: cst_tree_order = 0;
pub const CST_ORDER_BY_ID: cst_tree_order = 1;

pub type cst_scan_kind = c_uint;
pub const CST_SCAN_TIMESTAMP: cst_scan_kind = 0;
pub const CST_SCAN_BREAK: cst_scan_kind = 1;
pub const CST_SCAN_BARRIER: cst_scan_kind = 2;

pub type cst_index_kind = c_uint;
pub const CST_INDEX_TIMESTAMP: cst_index_kind = 0;
pub const CST_INDEX_EVENT: cst_index_kind = 1;
pub const CST_INDEX_CONTEXT: cst_index_kind = 2;
pub const CST_INDEX_LOSS: cst_index_kind = 3;
pub const CST_INDEX_TRACE_ON: cst_index_kind = 4;
pub const CST_INDEX_SYNC: cst_index_kind = 5;
pub const CST_INDEX_KINDS: cst_index_kind = 6;

pub type cst_count_kind = c_uint;
pub const CST_COUNT_TOTAL: cst_count_kind = 1;
pub const CST_COUNT_BINARY: cst_count_kind = 2;
pub const CST_COUNT_SEGMENT: cst_count_kind = 3;
pub const CST_COUNT_RANGE: cst_count_kind = 4;
pub const CST_COUNT_NOT_TAKEN: cst_count_kind = 5;
pub const CST_COUNT_EDGE: cst_count_kind = 6;
pub const CST_COUNT_ENTRY: cst_count_kind = 7;
pub const CST_COUNT_NODE: cst_count_kind = 8;

pub type cst_count_id = c_uint;
pub const CST_COUNT_ID_BUILD: cst_count_id = 0;
pub const CST_COUNT_ID_DIGEST: cst_count_id = 1;
pub const CST_COUNT_ID_NAME: cst_count_id = 2;

pub type cst_count_binary_type = c_uint;
pub const CST_COUNT_FILE: cst_count_binary_type = 0;
pub const CST_COUNT_KERNEL: cst_count_binary_type = 1;
pub const CST_COUNT_MODULE: cst_count_binary_type = 2;
pub const CST_COUNT_JIT: cst_count_binary_type = 3;
pub const CST_COUNT_MEMORY: cst_count_binary_type = 4;

pub type cst_count_range_flags = c_uint;
pub const CST_COUNT_T32: cst_count_range_flags = 1;
pub const CST_COUNT_ARRIVED: cst_count_range_flags = 2;

pub type cst_count_node_kind = c_uint;
pub const CST_COUNT_ROOT: cst_count_node_kind = 0;
pub const CST_COUNT_CALL: cst_count_node_kind = 1;
pub const CST_COUNT_TAIL: cst_count_node_kind = 2;
pub const CST_COUNT_EXCEPTION: cst_count_node_kind = 3;
pub const CST_COUNT_SIGNAL: cst_count_node_kind = 4;
pub const CST_COUNT_CUT: cst_count_node_kind = 5;

pub type cst_snap_class = c_uint;
pub const CST_SNAP_OTHER: cst_snap_class = 0;
pub const CST_SNAP_CORE: cst_snap_class = 1;
pub const CST_SNAP_SOURCE: cst_snap_class = 2;
pub const CST_SNAP_MEMORY: cst_snap_class = 3;

pub type cst_snap_format = c_uint;
pub const CST_SNAP_FMT_OTHER: cst_snap_format = 0;
pub const CST_SNAP_FMT_CORESIGHT: cst_snap_format = 1;
pub const CST_SNAP_FMT_SOURCE_DATA: cst_snap_format = 2;
pub const CST_SNAP_FMT_DSTREAM: cst_snap_format = 3;

pub type cst_snap_assumed = c_uint;
pub const CST_SNAP_NO_IDR1: cst_snap_assumed = 1;
pub const CST_SNAP_NO_DEVARCH: cst_snap_assumed = 2;
pub const CST_SNAP_NO_IDR8: cst_snap_assumed = 4;
pub const CST_SNAP_NO_CCER: cst_snap_assumed = 8;

pub type cst_meta_kind = c_uint;
pub const CST_META_OTHER: cst_meta_kind = 0;
pub const CST_META_ETM3: cst_meta_kind = 1;
pub const CST_META_PTM: cst_meta_kind = 2;
pub const CST_META_ETM4: cst_meta_kind = 3;
pub const CST_META_ETE: cst_meta_kind = 4;
pub const CST_META_ITM: cst_meta_kind = 5;
pub const CST_META_STP: cst_meta_kind = 6;

pub type cst_meta_option = c_uint;
pub const CST_OPT_CYCLECOUNT: cst_meta_option = 0;
pub const CST_OPT_CYCLECOUNT_BITS: cst_meta_option = 1;
pub const CST_OPT_TIMESTAMP_BITS: cst_meta_option = 2;
pub const CST_OPT_TIMESTAMP_GRAY: cst_meta_option = 3;
pub const CST_OPT_CONTEXT_ID: cst_meta_option = 4;
pub const CST_OPT_VMID: cst_meta_option = 5;
pub const CST_OPT_VMID_CONTEXT_ID: cst_meta_option = 6;
pub const CST_OPT_COMMOPT: cst_meta_option = 7;
pub const CST_OPT_RETURN_STACK: cst_meta_option = 8;
pub const CST_OPT_BRANCH_BROADCAST: cst_meta_option = 9;
pub const CST_OPT_DMB_DSB_WAYPOINTS: cst_meta_option = 10;
pub const CST_OPT_WFX_WAYPOINTS: cst_meta_option = 11;
pub const CST_OPT_ADDRESS_BITS: cst_meta_option = 12;
pub const CST_OPT_MAX_SPECULATION: cst_meta_option = 13;
pub const CST_OPT_TRANSACTIONS_P0: cst_meta_option = 14;
pub const CST_OPT_Q_ELEMENTS: cst_meta_option = 15;
pub const CST_OPT_TIMESTAMP_MARKERS: cst_meta_option = 16;
pub const CST_OPT_CONDITIONAL: cst_meta_option = 17;
pub const CST_OPT_DATA_ADDRESS: cst_meta_option = 18;
pub const CST_OPT_DATA_VALUE: cst_meta_option = 19;
pub const CST_OPT_LOADS_P0: cst_meta_option = 20;
pub const CST_OPT_STORES_P0: cst_meta_option = 21;
pub const CST_OPT_ALT_BRANCH: cst_meta_option = 22;
pub const CST_OPT__COUNT: cst_meta_option = 23;

pub type cst_meta_format = c_uint;
pub const CST_META_FMT_OTHER: cst_meta_format = 0;
pub const CST_META_FMT_CORESIGHT: cst_meta_format = 1;
pub const CST_META_FMT_SOURCE_DATA: cst_meta_format = 2;

pub type cst_event_verb = c_uint;
pub const CST_EVENT_PROCESS: cst_event_verb = 0;
pub const CST_EVENT_THREAD: cst_event_verb = 1;
pub const CST_EVENT_LIBRARY: cst_event_verb = 2;
pub const CST_EVENT_PATCH: cst_event_verb = 3;
pub const CST_EVENT_ASID: cst_event_verb = 4;
pub const CST_EVENT_TRACE: cst_event_verb = 5;
pub const CST_EVENT_OTHER: cst_event_verb = 6;

pub type cst_event_state = c_uint;
pub const CST_STATE_START: cst_event_state = 0;
pub const CST_STATE_END: cst_event_state = 1;
pub const CST_STATE_CURRENT: cst_event_state = 2;

pub type cst_event_code = c_uint;
pub const CST_CODE_NONE: cst_event_code = 0;
pub const CST_CODE_ID: cst_event_code = 1;
pub const CST_CODE_BYTES: cst_event_code = 2;

pub type cst_tarmac_kind = c_uint;
pub const CST_TARMAC_OTHER: cst_tarmac_kind = 0;
pub const CST_TARMAC_HEADER: cst_tarmac_kind = 1;
pub const CST_TARMAC_INSN: cst_tarmac_kind = 2;
pub const CST_TARMAC_FLOW: cst_tarmac_kind = 3;
pub const CST_TARMAC_REG: cst_tarmac_kind = 4;
pub const CST_TARMAC_MEMORY: cst_tarmac_kind = 5;
pub const CST_TARMAC_UPDATE: cst_tarmac_kind = 6;
pub const CST_TARMAC_BUS: cst_tarmac_kind = 7;
pub const CST_TARMAC_EVENT: cst_tarmac_kind = 8;
pub const CST_TARMAC_MAINTENANCE: cst_tarmac_kind = 9;
pub const CST_TARMAC_CACHE: cst_tarmac_kind = 10;
pub const CST_TARMAC_WALK: cst_tarmac_kind = 11;
pub const CST_TARMAC_TLB: cst_tarmac_kind = 12;
pub const CST_TARMAC_KINDS: cst_tarmac_kind = 13;

pub type cst_tarmac_unit = c_uint;
pub const CST_TARMAC_NO_UNIT: cst_tarmac_unit = 0;
pub const CST_TARMAC_CLK: cst_tarmac_unit = 1;
pub const CST_TARMAC_CYC: cst_tarmac_unit = 2;
pub const CST_TARMAC_TIC: cst_tarmac_unit = 3;
pub const CST_TARMAC_CS: cst_tarmac_unit = 4;
pub const CST_TARMAC_FS: cst_tarmac_unit = 5;
pub const CST_TARMAC_PS: cst_tarmac_unit = 6;
pub const CST_TARMAC_NS: cst_tarmac_unit = 7;
pub const CST_TARMAC_US: cst_tarmac_unit = 8;
pub const CST_TARMAC_MS: cst_tarmac_unit = 9;
pub const CST_TARMAC_S: cst_tarmac_unit = 10;
pub const CST_TARMAC_UNITS: cst_tarmac_unit = 11;

pub type cst_tarmac_dialect = c_uint;
pub const CST_TARMAC_FAST_MODELS: cst_tarmac_dialect = 0;
pub const CST_TARMAC_ES: cst_tarmac_dialect = 1;
pub const CST_TARMAC_BRACKETS: cst_tarmac_dialect = 2;
pub const CST_TARMAC_RTL: cst_tarmac_dialect = 3;

pub type cst_tarmac_flags = c_uint;
pub const CST_TARMAC_TIME_BEFORE: cst_tarmac_flags = 1;
pub const CST_TARMAC_CUT: cst_tarmac_flags = 2;

pub type cst_tarmac_space = c_uint;
pub const CST_TARMAC_NO_PHYSICAL: cst_tarmac_space = 0;
pub const CST_TARMAC_UNSAID: cst_tarmac_space = 1;
pub const CST_TARMAC_SECURE: cst_tarmac_space = 2;
pub const CST_TARMAC_NONSECURE: cst_tarmac_space = 3;
pub const CST_TARMAC_ROOT: cst_tarmac_space = 4;
pub const CST_TARMAC_REALM: cst_tarmac_space = 5;

pub type cst_tarmac_mode_kind = c_uint;
pub const CST_TARMAC_NO_MODE: cst_tarmac_mode_kind = 0;
pub const CST_TARMAC_EL: cst_tarmac_mode_kind = 1;
pub const CST_TARMAC_USR: cst_tarmac_mode_kind = 2;
pub const CST_TARMAC_FIQ: cst_tarmac_mode_kind = 3;
pub const CST_TARMAC_IRQ: cst_tarmac_mode_kind = 4;
pub const CST_TARMAC_SVC: cst_tarmac_mode_kind = 5;
pub const CST_TARMAC_MON: cst_tarmac_mode_kind = 6;
pub const CST_TARMAC_ABT: cst_tarmac_mode_kind = 7;
pub const CST_TARMAC_HYP: cst_tarmac_mode_kind = 8;
pub const CST_TARMAC_UND: cst_tarmac_mode_kind = 9;
pub const CST_TARMAC_SYS: cst_tarmac_mode_kind = 10;
pub const CST_TARMAC_THREAD: cst_tarmac_mode_kind = 11;
pub const CST_TARMAC_HANDLER: cst_tarmac_mode_kind = 12;
pub const CST_TARMAC_MODE_OTHER: cst_tarmac_mode_kind = 13;

pub type cst_tarmac_outcome = c_uint;
pub const CST_TARMAC_EXECUTED: cst_tarmac_outcome = 0;
pub const CST_TARMAC_CC_FAIL: cst_tarmac_outcome = 1;
pub const CST_TARMAC_FETCH_FAIL: cst_tarmac_outcome = 2;

pub type cst_tarmac_flow_type = c_uint;
pub const CST_TARMAC_DIRECT: cst_tarmac_flow_type = 0;
pub const CST_TARMAC_INDIRECT: cst_tarmac_flow_type = 1;
pub const CST_TARMAC_RETURN: cst_tarmac_flow_type = 2;
pub const CST_TARMAC_BRANCH: cst_tarmac_flow_type = 3;

pub type cst_tarmac_reg_class = c_uint;
pub const CST_TARMAC_REG_SYSTEM: cst_tarmac_reg_class = 0;
pub const CST_TARMAC_REG_CORE: cst_tarmac_reg_class = 1;
pub const CST_TARMAC_REG_BANKED: cst_tarmac_reg_class = 2;
pub const CST_TARMAC_REG_VECTOR: cst_tarmac_reg_class = 3;
pub const CST_TARMAC_REG_PREDICATE: cst_tarmac_reg_class = 4;
pub const CST_TARMAC_REG_MATRIX: cst_tarmac_reg_class = 5;
pub const CST_TARMAC_REG_PSR: cst_tarmac_reg_class = 6;
pub const CST_TARMAC_REG_FP: cst_tarmac_reg_class = 7;
pub const CST_TARMAC_REG_OPERATION: cst_tarmac_reg_class = 8;

pub type cst_tarmac_access = c_uint;
pub const CST_TARMAC_EXCLUSIVE: cst_tarmac_access = 1;
pub const CST_TARMAC_UNPRIVILEGED: cst_tarmac_access = 2;
pub const CST_TARMAC_LOCKED: cst_tarmac_access = 4;
pub const CST_TARMAC_ABORTED: cst_tarmac_access = 8;
pub const CST_TARMAC_BIG: cst_tarmac_access = 16;

pub type cst_tarmac_cacheable = c_uint;
pub const CST_TARMAC_WRITE_ALLOCATE: cst_tarmac_cacheable = 1;
pub const CST_TARMAC_READ_ALLOCATE: cst_tarmac_cacheable = 2;
pub const CST_TARMAC_CACHEABLE: cst_tarmac_cacheable = 4;
pub const CST_TARMAC_BUFFERABLE: cst_tarmac_cacheable = 8;
pub const CST_TARMAC_SHAREABLE: cst_tarmac_cacheable = 16;

pub type cst_tarmac_event_number = c_uint;
pub const CST_TARMAC_E_RESET: cst_tarmac_event_number = 1;
pub const CST_TARMAC_E_UNDEFINED: cst_tarmac_event_number = 2;
pub const CST_TARMAC_E_SWI: cst_tarmac_event_number = 3;
pub const CST_TARMAC_E_PREFETCH_ABORT: cst_tarmac_event_number = 4;
pub const CST_TARMAC_E_DATA_ABORT: cst_tarmac_event_number = 5;
pub const CST_TARMAC_E_IRQ: cst_tarmac_event_number = 7;
pub const CST_TARMAC_E_FIQ: cst_tarmac_event_number = 8;
pub const CST_TARMAC_E_IMP_DATA_ABORT: cst_tarmac_event_number = 14;
pub const CST_TARMAC_E_MODE_CHANGE: cst_tarmac_event_number = 25;
pub const CST_TARMAC_E_VECTOR: cst_tarmac_event_number = 128;

pub type cst_space_mapper = Option<unsafe extern "C" fn(data: *mut c_void, space: *mut cst_space, addr: u64) -> c_int>;

pub type cst_log_fn = Option<unsafe extern "C" fn(data: *mut c_void, rec: *const cst_log_record)>;

pub type cst_count_read_fn = Option<unsafe extern "C" fn(data: *mut c_void, buf: *mut c_void, size: usize) -> c_long>;

pub type cst_count_write_fn = Option<unsafe extern "C" fn(data: *mut c_void, bytes: *const c_void, size: usize) -> c_int>;

pub type cst_count_record_fn = Option<unsafe extern "C" fn(data: *mut c_void, rec: *const cst_count_record) -> c_int>;

pub type cst_event_passed_fn = Option<unsafe extern "C" fn(ctx: *mut c_void)>;

pub type cst_state_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, ev: *const cst_event, implied: c_int) -> c_int>;

/// Known to the library only.
#[repr(C)]
pub struct cst_image {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_section {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_space {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_images {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_counts {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_decoder {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_log {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_tree {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_index_builder {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_count_reader {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_count_writer {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_snap_memory {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_event_reader {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_state {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// Known to the library only.
#[repr(C)]
pub struct cst_tarmac_reader {
    _private: [u8; 0],
    _thread: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_context {
    pub context_id: u32,
    pub vmid: u32,
    pub el: u8,
    pub security: u8,
    pub bits64: u8,
    pub flags: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_etmv4_regs {
    pub struct_size: usize,
    pub configr: u32,
    pub traceidr: u32,
    pub idr0: u32,
    pub idr1: u32,
    pub idr2: u32,
    pub idr8: u32,
    pub idr9: u32,
    pub idr10: u32,
    pub idr11: u32,
    pub idr12: u32,
    pub idr13: u32,
    pub devarch: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_etmv3_regs {
    pub struct_size: usize,
    pub cr: u32,
    pub ccer: u32,
    pub idr: u32,
    pub traceidr: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_stm_regs {
    pub struct_size: usize,
    pub tcsr: u32,
    pub feat1r: u32,
    pub feat3r: u32,
    pub devid: u32,
    pub hwfeatr: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_itm_regs {
    pub struct_size: usize,
    pub tcr: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_config {
    pub struct_size: usize,
    pub protocol: u8,
    pub profile: u8,
    pub version: u8,
    pub trace_id: u8,
    pub ia64: u8,
    pub cid_bytes: u8,
    pub vmid_bytes: u8,
    pub cc_bits: u8,
    pub commopt: u8,
    pub trans_p0: u8,
    pub qsupp: u8,
    pub wfx_p0: u8,
    pub ret_stack: u8,
    pub cycle_count: u8,
    pub branch_broadcast: u8,
    pub cond_trace: u8,
    pub load_p0: u8,
    pub store_p0: u8,
    pub cond_mode: u8,
    pub cond_flags: u8,
    pub cond_keys: u32,
    pub p0_keys: u32,
    pub data_trace: u8,
    pub ts_marker: u8,
    pub vmid_is_cid2: u8,
    pub max_spec: u32,
    pub atom_per_insn: u8,
    pub barrier_p0: u8,
    pub data_addr: u8,
    pub data_value: u8,
    pub data_only: u8,
    pub alt_branch: u8,
    pub virt_ext: u8,
    pub ts64: u8,
    pub ts_gray: u8,
    pub ts_prescale: u8,
    pub max_queue: u32,
    pub hold_transactions: u8,
    pub as_reference: u8,
    pub strict: u8,
    pub insn_ranges: u8,
    pub split_source: u8,
    pub checks: u8,
    pub quirks: u8,
    pub itm_sync: u8,
    pub q_off: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_reserved_field {
    pub name: *const c_char,
    pub value: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_fragment {
    pub offset: u64,
    pub pos: u32,
    pub len: u16,
    pub id: u8,
    pub kind: u8,
    pub error: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_frame_stats {
    pub frames: u64,
    pub data: u64,
    pub null: u64,
    pub reserved: u64,
    pub unknown: u64,
    pub overhead: u64,
    pub skipped: u64,
    pub barriers: u64,
    pub errors: u64,
    pub triggers: u64,
    pub filtered: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_deframer {
    pub offset: u64,
    pub flags: u8,
    pub id: u8,
    pub fill: u8,
    pub synced: u8,
    pub part: [u8; 16],
    pub pair: [u64; 8],
    pub filter: [u64; 2],
    pub tail: u8,
    pub stats: cst_frame_stats,
    pub reserved: [u64; 8],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_unwrapped_inner1 {
    pub start: u64,
    pub len: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_unwrapped {
    pub struct_size: usize,
    pub piece: [cst_unwrapped_inner1; 2],
    pub len: u64,
    pub cut: u64,
    pub trigger: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_packet {
    pub struct_size: usize,
    pub index: u64,
    pub size: u16,
    pub protocol: u8,
    pub r#type: u8,
    pub bad_type: u8,
    pub header: u8,
    pub is: u8,
    pub addr_bits: u8,
    pub r#match: u8,
    pub n_atoms: u8,
    pub q_type: u8,
    pub ts_bits: u8,
    pub el: u8,
    pub sf: u8,
    pub security: u8,
    pub flags: u32,
    pub atoms: u32,
    pub exc_type: u16,
    pub event: u16,
    pub vmid: u32,
    pub cid: u32,
    pub addr: u64,
    pub ts: u64,
    pub cc: u32,
    pub commit: u32,
    pub count: u32,
    pub info: u32,
    pub key: u32,
    pub spec: u32,
    pub cyct: u32,
    pub value: u64,
    pub isa: u8,
    pub tag: u8,
    pub vsize: u8,
    pub lead: u8,
    pub finding: [u16; 2],
    pub nbytes: u8,
    pub bytes: [u8; 48],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_element_inner1 {
    pub value: u64,
    pub ready: *const cst_generic,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_element {
    pub index: u64,
    pub kind: u8,
    pub flags: u8,
    pub n: u8,
    pub is: u8,
    pub num: u16,
    pub pad: u16,
    pub bits: u32,
    pub first_e: u32,
    pub addr: u64,
    pub inner1: cst_element_inner1,
    pub cc: u32,
    pub ctx: cst_context,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_insn {
    pub size: u8,
    pub r#type: u8,
    pub subtype: u8,
    pub cond: u8,
    pub link: u8,
    pub next_isa: u8,
    pub it_count: u8,
    pub is_svc: u8,
    pub disp: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_image_key {
    pub struct_size: usize,
    pub spaces: u8,
    pub ids: u8,
    pub context_id: u32,
    pub vmid: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner1 {
    pub addr: u64,
    pub payload: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner2 {
    pub end: u64,
    pub ts: u64,
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner3 {
    pub n_insn: u32,
    pub size: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner4 {
    pub cc: u32,
    pub runs: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner5 {
    pub context_id: u32,
    pub master: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner6 {
    pub vmid: u32,
    pub channel: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner7_inner1_inner1 {
    pub error: u32,
    pub start: u32,
    pub first: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner7_inner1_inner2 {
    pub sect_off: u32,
    pub branches: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_generic_inner7_inner1 {
    pub inner1: cst_generic_inner7_inner1_inner1,
    pub inner2: cst_generic_inner7_inner1_inner2,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_generic_inner7 {
    pub inner1: cst_generic_inner7_inner1,
    pub insn: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_generic {
    pub index: u64,
    pub inner1: cst_generic_inner1,
    pub inner2: cst_generic_inner2,
    pub inner3: cst_generic_inner3,
    pub inner4: cst_generic_inner4,
    pub inner5: cst_generic_inner5,
    pub inner6: cst_generic_inner6,
    pub section: u32,
    pub kind: u8,
    pub trace_id: u8,
    pub el: u8,
    pub security: u8,
    pub flags: u16,
    pub num: u16,
    pub isa: u8,
    pub last_type: u8,
    pub last_subtype: u8,
    pub last_size: u8,
    pub inner7: cst_generic_inner7,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_branch {
    pub from: u64,
    pub to: u64,
    pub flags: u16,
    pub num: u16,
    pub isa: u8,
    pub last_type: u8,
    pub last_subtype: u8,
    pub last_size: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_branch_list {
    pub v: *mut cst_branch,
    pub n: u32,
    pub cap: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_pair {
    pub a: u32,
    pub b: u32,
    pub count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_pairs {
    pub slot: *mut cst_pair,
    pub mask: usize,
    pub shift: c_uint,
    pub used: usize,
    pub sorted: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_exits {
    pub section: u32,
    pub edges: cst_pairs,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_protocol_ops {
    pub struct_size: usize,
    pub name: *const c_char,
    pub parser_size: u32,
    pub max_packet: u32,
    pub sub_byte: u8,
    pub piece_by_run: u8,
    pub piece_max: u8,
    pub parser_init: Option<unsafe extern "C" fn(parser: *mut c_void, cfg: *const cst_config, user: *mut c_void)>,
    pub parser_listing: Option<unsafe extern "C" fn(parser: *mut c_void)>,
    pub parse: Option<unsafe extern "C" fn(parser: *mut c_void, p: *const u8, end: *const u8, pkt: *mut cst_packet) -> c_uint>,
    pub parse_rest: Option<unsafe extern "C" fn(parser: *mut c_void, p: *const u8, end: *const u8, pkt: *mut cst_packet)>,
    pub parser_synced: Option<unsafe extern "C" fn(parser: *mut c_void)>,
    pub roles: *const u8,
    pub n_types: u32,
    pub packet_text: Option<unsafe extern "C" fn(pkt: *const cst_packet, out: *mut c_char, cap: usize) -> usize>,
    pub stage_size: u32,
    pub stage_init: Option<unsafe extern "C" fn(stage: *mut c_void, cfg: *const cst_config, stats: *mut cst_stats, user: *mut c_void) -> c_int>,
    pub stage_fini: Option<unsafe extern "C" fn(stage: *mut c_void)>,
    pub stage_reset: Option<unsafe extern "C" fn(stage: *mut c_void, reason: u8, config: c_int)>,
    pub stage_restart: Option<unsafe extern "C" fn(stage: *mut c_void, index: u64)>,
    pub stage_packet: Option<unsafe extern "C" fn(stage: *mut c_void, pkt: *const cst_packet)>,
    pub stage_end: Option<unsafe extern "C" fn(stage: *mut c_void)>,
    pub stage_take: Option<unsafe extern "C" fn(stage: *mut c_void) -> *const cst_element>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_log_record {
    pub index: u64,
    pub value: u64,
    pub count: u64,
    pub trace_id: u8,
    pub severity: u8,
    pub component: u8,
    pub error: u16,
    pub finding: u16,
    pub text: *const c_char,
    pub section: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_stats {
    pub bytes: u64,
    pub packets: u64,
    pub bad_packets: u64,
    pub unsynced: u64,
    pub overflows: u64,
    pub discards: u64,
    pub resyncs: u64,
    pub elements: u64,
    pub ranges: u64,
    pub insns: u64,
    pub branches: u64,
    pub nacc: u64,
    pub atoms_lost: u64,
    pub image_conflicts: u64,
    pub stack_empty: u64,
    pub nopath: u64,
    pub trans_failed: u64,
    pub uncommitted: u64,
    pub data_lost: u64,
    pub times_unknown: u64,
    pub master_errors: u64,
    pub global_errors: u64,
    pub boundaries_tried: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_pull {
    pub why: cst_stop,
    pub dec: *mut cst_decoder,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_emit_opts {
    pub struct_size: usize,
    pub counts: *mut cst_counts,
    pub list: *mut cst_branch_list,
    pub next: u64,
    pub period: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_scan {
    pub index: u64,
    pub ts: u64,
    pub kind: u8,
    pub trace_id: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_block {
    pub start: u64,
    pub valid: u64,
    pub bytes: u64,
    pub counts: [u32; 6],
    pub event_mask: u32,
    pub time_first: u64,
    pub time_last: u64,
    pub time_min: u64,
    pub time_max: u64,
    pub contexts: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_record {
    pub offset: u64,
    pub value: u64,
    pub kind: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_stream {
    pub trace_id: u8,
    pub protocol: u8,
    pub config: u64,
    pub worlds: u8,
    pub granularity: u32,
    pub blocks: *mut cst_index_block,
    pub n_blocks: u32,
    pub cap_blocks: u32,
    pub contexts: [u64; 63],
    pub n_contexts: u32,
    pub records: *mut cst_index_record,
    pub n_records: u32,
    pub cap_records: u32,
    pub records_end: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_source {
    pub offset: u64,
    pub ids: [u64; 2],
    pub digest: u64,
    pub triggers: u32,
    pub barriers: u32,
    pub errors: u32,
    pub syncs: u32,
    pub frame_id: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index {
    pub name: *mut c_char,
    pub format: u8,
    pub flags: u8,
    pub full: u8,
    pub granularity: u32,
    pub offset: u64,
    pub end: u64,
    pub trace_offset: u64,
    pub trace_size: u64,
    pub trace_digest: u64,
    pub sources: *mut cst_index_source,
    pub n_sources: u32,
    pub cap_sources: u32,
    pub streams: *mut cst_index_stream,
    pub n_streams: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_opts {
    pub struct_size: usize,
    pub granularity: u32,
    pub full: u8,
    pub max_blocks: u32,
    pub max_records: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_query {
    pub struct_size: usize,
    pub kind: u8,
    pub value: u64,
    pub from: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_place {
    pub start: u64,
    pub valid: u64,
    pub offset: u64,
    pub found: u8,
    pub exact: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_file {
    pub indexes: *mut *mut cst_index,
    pub n: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_index_problem {
    pub error: c_int,
    pub text: *const c_char,
    pub found: u64,
    pub expected: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_total {
    pub name: *const c_char,
    pub value: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_binary {
    pub id_kind: u8,
    pub id_len: u8,
    pub r#type: u8,
    pub machine: u16,
    pub id: [u8; 20],
    pub name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_segment {
    pub offset: u64,
    pub size: u64,
    pub vaddr: u64,
    pub exec: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_range {
    pub binary: u32,
    pub flags: u8,
    pub insns: u32,
    pub start: u64,
    pub last: u64,
    pub count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_not_taken {
    pub binary: u32,
    pub size: u8,
    pub offset: u64,
    pub count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_edge {
    pub binary: u32,
    pub from: u64,
    pub to: u64,
    pub count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_entry {
    pub binary: u32,
    pub offset: u64,
    pub count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_node {
    pub depth: u32,
    pub kind: u8,
    pub from_binary: u32,
    pub binary: u32,
    pub from: u64,
    pub entry: u64,
    pub calls: u64,
    pub insns: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_count_record_inner1 {
    pub total: cst_count_total,
    pub binary: cst_count_binary,
    pub segment: cst_count_segment,
    pub range: cst_count_range,
    pub not_taken: cst_count_not_taken,
    pub edge: cst_count_edge,
    pub entry: cst_count_entry,
    pub node: cst_count_node,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_record {
    pub kind: u8,
    pub inner1: cst_count_record_inner1,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_count_input {
    pub reader: *mut cst_count_reader,
    pub weight: u64,
    pub counts: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_note {
    pub file: *const c_char,
    pub line: c_uint,
    pub error: c_int,
    pub text: *const c_char,
    pub section: *const c_char,
    pub item: *const c_char,
    pub other: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_limits {
    pub text: usize,
    pub memory: usize,
    pub files: usize,
    pub dumps: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_io {
    pub struct_size: usize,
    pub ctx: *mut c_void,
    pub open: Option<unsafe extern "C" fn(ctx: *mut c_void, name: *const c_char, data: *mut *const u8, len: *mut usize) -> c_int>,
    pub note: Option<unsafe extern "C" fn(ctx: *mut c_void, note: *const cst_snap_note)>,
    pub limits: cst_snap_limits,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_reg {
    pub name: *const c_char,
    pub value: u64,
    pub id: u32,
    pub has_id: u8,
    pub bits: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_dump {
    pub file: *const c_char,
    pub address: u64,
    pub offset: u64,
    pub length: u64,
    pub line: c_uint,
    pub space: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_device {
    pub file: *const c_char,
    pub name: *const c_char,
    pub r#type: *const c_char,
    pub location: *const c_char,
    pub class_: u8,
    pub regs: *mut cst_snap_reg,
    pub dumps: *mut cst_snap_dump,
    pub n_regs: usize,
    pub n_dumps: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_buffer {
    pub id: *const c_char,
    pub name: *const c_char,
    pub format_name: *const c_char,
    pub files: *mut *const c_char,
    pub n_files: usize,
    pub format: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_link {
    pub from: *const c_char,
    pub to: *const c_char,
    pub stream: u8,
    pub has_stream: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snapshot {
    pub version: *const c_char,
    pub description: *const c_char,
    pub devices: *mut cst_snap_device,
    pub buffers: *mut cst_snap_buffer,
    pub core_sources: *mut cst_snap_link,
    pub source_buffers: *mut cst_snap_link,
    pub clusters: *mut cst_snap_link,
    pub n_devices: usize,
    pub n_buffers: usize,
    pub n_core_sources: usize,
    pub n_source_buffers: usize,
    pub n_clusters: usize,
    pub n_skipped: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_snap_sink {
    pub struct_size: usize,
    pub ctx: *mut c_void,
    pub write: Option<unsafe extern "C" fn(ctx: *mut c_void, name: *const c_char, data: *const c_void, len: usize) -> c_int>,
    pub note: Option<unsafe extern "C" fn(ctx: *mut c_void, note: *const cst_snap_note)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_str {
    pub p: *const c_char,
    pub n: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_sink {
    pub ctx: *mut c_void,
    pub write: Option<unsafe extern "C" fn(ctx: *mut c_void, data: *const c_void, len: usize) -> c_int>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_item {
    pub key: *const c_char,
    pub value: *const c_char,
    pub value_len: usize,
    pub line: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_doc_section {
    pub name: *const c_char,
    pub items: *mut cst_item,
    pub n_items: usize,
    pub line: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_doc {
    pub sections: *mut cst_doc_section,
    pub n_sections: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_problem {
    pub error: c_int,
    pub line: c_uint,
    pub section: [c_char; 64],
    pub item: [c_char; 32],
    pub other: [c_char; 32],
    pub text: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_meta_source {
    pub section: *const cst_doc_section,
    pub source: *const c_char,
    pub format: *const c_char,
    pub trace_id: i32,
    pub cpu: i32,
    pub kind: u8,
    pub version: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_metadata {
    pub doc: *mut cst_doc,
    pub sources: *mut cst_meta_source,
    pub n_sources: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_event_param {
    pub key: cst_str,
    pub value: cst_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_event {
    pub struct_size: usize,
    pub time: u64,
    pub line: c_uint,
    pub verb: u8,
    pub state: u8,
    pub code_kind: u8,
    pub has_base: u8,
    pub has_size: u8,
    pub pid: i64,
    pub tid: i64,
    pub base: u64,
    pub size: u64,
    pub offset: u64,
    pub asid: u32,
    pub trace_id: u32,
    pub name: cst_str,
    pub uuid: cst_str,
    pub code: cst_str,
    pub params: *const cst_event_param,
    pub n_params: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_state_limits {
    pub struct_size: usize,
    pub memory: usize,
    pub inherited: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_state_counts {
    pub struct_size: usize,
    pub events: u64,
    pub implied: u64,
    pub unknown_ends: u64,
    pub contradictions: u64,
    pub dropped: u64,
    pub alive: usize,
    pub memory: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_package_buffer {
    pub id: *const c_char,
    pub files: *mut *const c_char,
    pub n_files: usize,
    pub metadata: *const cst_metadata,
    pub format: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_package_image {
    pub file: *const c_char,
    pub name: *const c_char,
    pub uuid: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_package_memory {
    pub file: *const c_char,
    pub address: u64,
    pub offset: u64,
    pub length: u64,
    pub pid: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_package_code {
    pub id: *const c_char,
    pub file: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_package {
    pub contents: *mut cst_doc,
    pub metadata: *mut *mut cst_metadata,
    pub buffers: *mut cst_package_buffer,
    pub images: *mut cst_package_image,
    pub memory: *mut cst_package_memory,
    pub code: *mut cst_package_code,
    pub n_metadata: usize,
    pub n_buffers: usize,
    pub n_images: usize,
    pub n_memory: usize,
    pub n_code: usize,
    pub event_log: *const c_char,
    pub event_frequency: u64,
    pub n_skipped: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_address {
    pub address: u64,
    pub physical: u64,
    pub space: u8,
    pub reserved: [u8; 7],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_mode {
    pub text: cst_str,
    pub kind: u8,
    pub el: u8,
    pub stack: c_char,
    pub has_security: u8,
    pub security: u8,
    pub reserved: [u8; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_insn {
    pub address: cst_tarmac_address,
    pub index: u64,
    pub physical2: u64,
    pub mode: cst_tarmac_mode,
    pub disassembly: cst_str,
    pub opcode: u32,
    pub size: u8,
    pub outcome: u8,
    pub isa: u8,
    pub has_index: u8,
    pub has_physical2: u8,
    pub reserved: [u8; 7],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_flow {
    pub from: cst_tarmac_address,
    pub target: cst_tarmac_address,
    pub index: u64,
    pub r#type: u8,
    pub isa: u8,
    pub reserved: [u8; 6],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_reg_name {
    pub reg_class: u8,
    pub number: u8,
    pub bank: u8,
    pub el: u8,
    pub security: u8,
    pub bits: u8,
    pub reserved: [u8; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_reg {
    pub name: cst_str,
    pub bank: cst_str,
    pub digits: cst_str,
    pub note: cst_str,
    pub what: cst_tarmac_reg_name,
    pub value: u64,
    pub bits: u32,
    pub unknown: u32,
    pub high: u16,
    pub low: u16,
    pub has_range: u8,
    pub has_parentheses: u8,
    pub reserved: [u8; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_memory {
    pub address: cst_tarmac_address,
    pub used: u64,
    pub unknown: u64,
    pub attributes: cst_str,
    pub operation: cst_str,
    pub write: u8,
    pub size: u8,
    pub access: u8,
    pub window: u8,
    pub port: c_char,
    pub reserved: [u8; 3],
    pub data: [u8; 64],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_bus {
    pub address: u64,
    pub master: cst_str,
    pub write: u8,
    pub fetch: u8,
    pub privileged: u8,
    pub nonsecure: u8,
    pub size: u8,
    pub access: u8,
    pub inner: u8,
    pub outer: u8,
    pub data: [u8; 64],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_event {
    pub value: cst_tarmac_address,
    pub mode: cst_tarmac_mode,
    pub name: cst_str,
    pub text: cst_str,
    pub value1: u64,
    pub number: u32,
    pub has_value: u8,
    pub has_value1: u8,
    pub has_number: u8,
    pub reserved: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_maintenance {
    pub side: cst_str,
    pub operation: cst_str,
    pub scope: cst_str,
    pub data: cst_tarmac_address,
    pub region: cst_str,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_cache {
    pub id: cst_str,
    pub operation: cst_str,
    pub line: u64,
    pub address: u64,
    pub nonsecure: u8,
    pub reserved: [u8; 7],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_walk {
    pub side: cst_str,
    pub format: cst_str,
    pub result: cst_str,
    pub attributes: cst_str,
    pub address: u64,
    pub data: u64,
    pub update: u8,
    pub stage: u8,
    pub level: u8,
    pub reserved: [u8; 5],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_tlb {
    pub id: cst_str,
    pub regime: cst_str,
    pub r#type: cst_str,
    pub attributes: cst_str,
    pub size_text: cst_str,
    pub size: u64,
    pub base: u64,
    pub physical: u64,
    pub vmid: u32,
    pub asid: u32,
    pub walk_cache: u8,
    pub evict: u8,
    pub nonsecure: u8,
    pub physical_nonsecure: u8,
    pub has_vmid: u8,
    pub has_asid: u8,
    pub reserved: [u8; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union cst_tarmac_record_inner1 {
    pub insn: cst_tarmac_insn,
    pub flow: cst_tarmac_flow,
    pub reg: cst_tarmac_reg,
    pub memory: cst_tarmac_memory,
    pub bus: cst_tarmac_bus,
    pub event: cst_tarmac_event,
    pub maintenance: cst_tarmac_maintenance,
    pub cache: cst_tarmac_cache,
    pub walk: cst_tarmac_walk,
    pub tlb: cst_tarmac_tlb,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_record {
    pub struct_size: usize,
    pub time: u64,
    pub line: u64,
    pub offset: u64,
    pub cpu: cst_str,
    pub text: cst_str,
    pub kind: u8,
    pub unit: u8,
    pub dialect: u8,
    pub flags: u8,
    pub error: c_int,
    pub column: u32,
    pub reserved: u32,
    pub reason: *const c_char,
    pub u: cst_tarmac_record_inner1,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_opts {
    pub struct_size: usize,
    pub max_line: usize,
    pub has_isa: u8,
    pub isa: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cst_tarmac_counts {
    pub bytes: u64,
    pub lines: u64,
    pub empty: u64,
    pub comments: u64,
    pub cut: u64,
    pub cut_bytes: u64,
    pub errors: u64,
    pub kinds: [u64; 13],
}

extern "C" {
    pub fn cst_version() -> c_uint;
    pub fn cst_strerror(err: c_int) -> *const c_char;
    pub fn cst_etmv4_is_ete(regs: *const cst_etmv4_regs, recorded: c_int) -> c_int;
    pub fn cst_config_etmv4(cfg: *mut cst_config, regs: *const cst_etmv4_regs, ete: c_int, profile: cst_profile) -> c_int;
    pub fn cst_config_etmv4_reserved(regs: *const cst_etmv4_regs, ete: c_int, out: *mut cst_reserved_field, max: c_uint) -> c_uint;
    pub fn cst_config_etmv3(cfg: *mut cst_config, regs: *const cst_etmv3_regs, profile: cst_profile) -> c_int;
    pub fn cst_config_ptm(cfg: *mut cst_config, regs: *const cst_etmv3_regs) -> c_int;
    pub fn cst_config_stm(cfg: *mut cst_config, regs: *const cst_stm_regs) -> c_int;
    pub fn cst_config_itm(cfg: *mut cst_config, regs: *const cst_itm_regs) -> c_int;
    pub fn cst_config_etmv4_data(cfg: *mut cst_config, regs: *const cst_etmv4_regs, profile: cst_profile) -> c_int;
    pub fn cst_deframer_init(df: *mut cst_deframer, flags: c_uint);
    pub fn cst_deframer_filter(df: *mut cst_deframer, ids: *const u64);
    pub fn cst_deframe(df: *mut cst_deframer, r#in: *const u8, len: usize, offset: u64, out: *mut u8, out_cap: usize, frag: *mut cst_fragment, frag_cap: usize, used: *mut usize) -> c_int;
    pub fn cst_deframer_start(df: *mut cst_deframer, offset: u64, id: u8);
    pub fn cst_deframer_end(df: *mut cst_deframer) -> c_int;
    pub fn cst_frame_ids(r#in: *const u8, len: usize, pos: c_uint, ids: *mut u64) -> c_uint;
    pub fn cst_frame_is_raw(r#in: *const u8, len: usize) -> c_int;
    pub fn cst_dstream_offset(offset: u64) -> u64;
    pub fn cst_unwrap(u: *mut cst_unwrapped, size: u64, write: u64, full: c_int, unit: c_uint, after: u64) -> c_int;
    pub fn cst_packet_role(pkt: *const cst_packet) -> cst_packet_role;
    pub fn cst_packet_text(pkt: *const cst_packet, out: *mut c_char, cap: usize) -> usize;
    pub fn cst_generic_text(gen: *const cst_generic, out: *mut c_char, cap: usize) -> usize;
    pub fn cst_isa_classify(insn: *mut cst_insn, isa: cst_isa, opcode: u32, pc: u64, flags: c_uint);
    pub fn cst_isa_is_transfer(isa: cst_isa, opcode: u32, flags: c_uint) -> c_int;
    pub fn cst_memspace_of(el: c_uint, security: cst_security) -> cst_memspace;
    pub fn cst_image_new(img: *mut *mut cst_image, cache_limit: usize) -> c_int;
    pub fn cst_image_free(img: *mut cst_image);
    pub fn cst_section_new(sec: *mut *mut cst_section, img: *mut cst_image, bytes: *const c_void, size: u64, cookie: *mut c_void) -> c_int;
    pub fn cst_section_set_bytes(sec: *mut cst_section, bytes: *const c_void, size: u64) -> c_int;
    pub fn cst_section_renew(sec: *mut cst_section, bytes: *const c_void, size: u64);
    pub fn cst_section_cookie(sec: *const cst_section) -> *mut c_void;
    pub fn cst_section_id(sec: *const cst_section) -> u32;
    pub fn cst_image_section(img: *const cst_image, id: u32) -> *mut cst_section;
    pub fn cst_space_new(space: *mut *mut cst_space, img: *mut cst_image) -> c_int;
    pub fn cst_space_free(space: *mut cst_space);
    pub fn cst_space_map(space: *mut cst_space, start: u64, len: u64, sec: *mut cst_section, off: u64) -> c_int;
    pub fn cst_space_unmap(space: *mut cst_space, start: u64, len: u64) -> c_int;
    pub fn cst_space_read(space: *mut cst_space, addr: u64, max: u64, bytes: *mut *const u8, sec: *mut *mut cst_section, off: *mut u64) -> i64;
    pub fn cst_space_set_on_demand(space: *mut cst_space, on: c_int);
    pub fn cst_space_set_mapper(space: *mut cst_space, mapper: cst_space_mapper, data: *mut c_void);
    pub fn cst_images_new(images: *mut *mut cst_images) -> c_int;
    pub fn cst_images_free(images: *mut cst_images);
    pub fn cst_images_set(images: *mut cst_images, key: *const cst_image_key, space: *mut cst_space) -> c_int;
    pub fn cst_images_remove(images: *mut cst_images, key: *const cst_image_key) -> c_int;
    pub fn cst_images_find(images: *const cst_images, spaces: c_uint, ctx: *const cst_context) -> *mut cst_space;
    pub fn cst_branches_find(open: *mut cst_branch, elements: *const cst_generic, n: usize, out: *mut cst_branch) -> usize;
    pub fn cst_pairs_insert(p: *mut cst_pairs, a: u32, b: u32, count: u64) -> c_int;
    pub fn cst_pairs_merge(to: *mut cst_pairs, from: *const cst_pairs) -> c_int;
    pub fn cst_pairs_free(p: *mut cst_pairs);
    pub fn cst_pairs_sort(p: *mut cst_pairs) -> *const cst_pair;
    pub fn cst_counts_new(out: *mut *mut cst_counts, img: *mut cst_image, flags: c_uint) -> c_int;
    pub fn cst_counts_free(c: *mut cst_counts);
    pub fn cst_counts_add(c: *mut cst_counts, dec: *mut cst_decoder, elements: *const cst_generic, n: usize) -> c_int;
    pub fn cst_counts_section(c: *mut cst_counts, section: u32, ranges: *mut *const cst_pairs, edges: *mut *const cst_pairs) -> c_int;
    pub fn cst_counts_exits(c: *mut cst_counts, section: u32, exits: *mut *const cst_exits, n: *mut u32, insns: *mut u64) -> c_int;
    pub fn cst_counts_take(c: *mut cst_counts, section: u32, ranges: *mut cst_pairs, edges: *mut cst_pairs) -> c_int;
    pub fn cst_log_new(log: *mut *mut cst_log, keep: usize) -> c_int;
    pub fn cst_log_free(log: *mut cst_log);
    pub fn cst_log_set_verbosity(log: *mut cst_log, component: cst_component, severity: cst_severity);
    pub fn cst_log_set_sink(log: *mut cst_log, sink: cst_log_fn, data: *mut c_void);
    pub fn cst_log_clear(log: *mut cst_log);
    pub fn cst_log_last(log: *const cst_log) -> *const cst_log_record;
    pub fn cst_log_kept(log: *const cst_log) -> usize;
    pub fn cst_log_at(log: *const cst_log, i: usize) -> *const cst_log_record;
    pub fn cst_log_dropped(log: *const cst_log) -> u64;
    pub fn cst_log_count(log: *const cst_log, trace_id: c_uint, severity: cst_severity) -> u64;
    pub fn cst_log_count_error(log: *const cst_log, trace_id: c_uint, error: c_uint) -> u64;
    pub fn cst_log_count_finding(log: *const cst_log, trace_id: c_uint, finding: c_uint) -> u64;
    pub fn cst_log_error(log: *mut cst_log, component: cst_component, trace_id: c_uint, index: u64, error: c_int, value: u64);
    pub fn cst_log_finding(log: *mut cst_log, component: cst_component, trace_id: c_uint, index: u64, finding: c_uint, value: u64);
    pub fn cst_log_strict(log: *mut cst_log, component: cst_component, trace_id: c_uint, index: u64, finding: c_uint, value: u64);
    pub fn cst_finding_text(finding: c_uint) -> *const c_char;
    pub fn cst_finding_section(finding: c_uint) -> *const c_char;
    pub fn cst_finding_severity(finding: c_uint) -> cst_severity;
    pub fn cst_severity_name(severity: c_uint) -> *const c_char;
    pub fn cst_component_name(component: c_uint) -> *const c_char;
    pub fn cst_log_text(rec: *const cst_log_record, out: *mut c_char, cap: usize) -> usize;
    pub fn cst_decoder_new(dec: *mut *mut cst_decoder, cfg: *const cst_config) -> c_int;
    pub fn cst_decoder_new_custom(dec: *mut *mut cst_decoder, cfg: *const cst_config, ops: *const cst_protocol_ops, user: *mut c_void) -> c_int;
    pub fn cst_decoder_free(dec: *mut cst_decoder);
    pub fn cst_decoder_reset(dec: *mut cst_decoder, reason: cst_unsync_reason);
    pub fn cst_decoder_reconfigure(dec: *mut cst_decoder, cfg: *const cst_config) -> c_int;
    pub fn cst_decoder_set_space(dec: *mut cst_decoder, space: *mut cst_space);
    pub fn cst_decoder_set_images(dec: *mut cst_decoder, images: *const cst_images);
    pub fn cst_decoder_set_stop(dec: *mut cst_decoder, mask: c_uint);
    pub fn cst_decoder_emit(dec: *mut cst_decoder, what: cst_emit, opts: *const cst_emit_opts) -> c_int;
    pub fn cst_decoder_config(dec: *const cst_decoder) -> *const cst_config;
    pub fn cst_decoder_stats(dec: *const cst_decoder) -> *const cst_stats;
    pub fn cst_decoder_set_log(dec: *mut cst_decoder, log: *mut cst_log);
    pub fn cst_decoder_set_cookie(dec: *mut cst_decoder, cookie: *mut c_void);
    pub fn cst_decoder_cookie(dec: *const cst_decoder) -> *mut c_void;
    pub fn cst_decoder_feed(dec: *mut cst_decoder, data: *const u8, len: usize, offset: u64) -> c_int;
    pub fn cst_decoder_start_at(dec: *mut cst_decoder, offset: u64);
    pub fn cst_decoder_end(dec: *mut cst_decoder);
    pub fn cst_decoder_pull(dec: *mut cst_decoder, out: *mut cst_generic, cap: usize, pull: *mut cst_pull) -> c_int;
    pub fn cst_decoder_section(dec: *const cst_decoder) -> *mut cst_section;
    pub fn cst_decoder_wanted(dec: *const cst_decoder) -> u64;
    pub fn cst_decoder_next_packet(dec: *mut cst_decoder, pkt: *mut cst_packet, pull: *mut cst_pull) -> c_int;
    pub fn cst_decoder_packet_text(dec: *const cst_decoder, pkt: *const cst_packet, out: *mut c_char, cap: usize) -> usize;
    pub fn cst_decoder_packet_role(dec: *const cst_decoder, pkt: *const cst_packet) -> cst_packet_role;
    pub fn cst_decoder_peek_address(dec: *mut cst_decoder, addr: *mut u64) -> c_int;
    pub fn cst_tree_new(tree: *mut *mut cst_tree, format: cst_tree_format, flags: c_uint) -> c_int;
    pub fn cst_tree_free(tree: *mut cst_tree);
    pub fn cst_tree_layout(tree: *const cst_tree, flags: *mut c_uint) -> cst_tree_format;
    pub fn cst_tree_set_order(tree: *mut cst_tree, order: cst_tree_order) -> c_int;
    pub fn cst_tree_add(tree: *mut cst_tree, cfg: *const cst_config, dec: *mut *mut cst_decoder) -> c_int;
    pub fn cst_tree_add_custom(tree: *mut cst_tree, cfg: *const cst_config, ops: *const cst_protocol_ops, user: *mut c_void, dec: *mut *mut cst_decoder) -> c_int;
    pub fn cst_tree_remove(tree: *mut cst_tree, dec: *mut cst_decoder);
    pub fn cst_tree_decoder(tree: *const cst_tree, trace_id: u8) -> *mut cst_decoder;
    pub fn cst_tree_reconfigure(tree: *mut cst_tree, trace_id: u8, cfg: *const cst_config) -> c_int;
    pub fn cst_tree_set_log(tree: *mut cst_tree, log: *mut cst_log);
    pub fn cst_tree_reset(tree: *mut cst_tree);
    pub fn cst_tree_drop(tree: *mut cst_tree);
    pub fn cst_tree_feed(tree: *mut cst_tree, data: *const u8, len: usize, offset: u64) -> c_int;
    pub fn cst_tree_feed_wrapped(tree: *mut cst_tree, data: *const u8, size: usize, write: usize, full: c_int, offset: u64) -> c_int;
    pub fn cst_tree_start_at(tree: *mut cst_tree, offset: u64, frame_id: u8);
    pub fn cst_tree_end(tree: *mut cst_tree);
    pub fn cst_tree_pull(tree: *mut cst_tree, out: *mut cst_generic, cap: usize, pull: *mut cst_pull) -> c_int;
    pub fn cst_tree_next_packet(tree: *mut cst_tree, pkt: *mut cst_packet, pull: *mut cst_pull) -> c_int;
    pub fn cst_tree_next_fragment(tree: *mut cst_tree, frag: *mut cst_fragment, data: *mut *const u8) -> c_int;
    pub fn cst_tree_scan(tree: *mut cst_tree, found: *mut cst_scan) -> c_int;
    pub fn cst_tree_digest(tree: *const cst_tree) -> u64;
    pub fn cst_tree_frame_stats(tree: *const cst_tree) -> *const cst_frame_stats;
    pub fn cst_tree_trigger(tree: *const cst_tree, offset: *mut u64) -> c_int;
    pub fn cst_tree_filter(tree: *mut cst_tree, ids: *const u64);
    pub fn cst_tree_unrouted(tree: *const cst_tree) -> u64;
    pub fn cst_tree_ignore(tree: *mut cst_tree, trace_id: u8);
    pub fn cst_tree_ignored(tree: *const cst_tree) -> u64;
    pub fn cst_index_builder_new(b: *mut *mut cst_index_builder, format: cst_tree_format, flags: c_uint, opts: *const cst_index_opts) -> c_int;
    pub fn cst_index_builder_free(b: *mut cst_index_builder);
    pub fn cst_index_builder_add(b: *mut cst_index_builder, cfg: *const cst_config) -> c_int;
    pub fn cst_index_builder_feed(b: *mut cst_index_builder, data: *const u8, len: usize, offset: u64) -> c_int;
    pub fn cst_index_builder_take(b: *mut cst_index_builder, index: *mut *mut cst_index) -> c_int;
    pub fn cst_index_free(index: *mut cst_index);
    pub fn cst_index_merge(index: *mut cst_index, next: *const cst_index) -> c_int;
    pub fn cst_index_find_stream(index: *const cst_index, trace_id: u8) -> *const cst_index_stream;
    pub fn cst_index_search(index: *const cst_index, stream: *const cst_index_stream, query: *const cst_index_query, place: *mut cst_index_place) -> c_int;
    pub fn cst_index_source_at(index: *const cst_index, offset: u64) -> *const cst_index_source;
    pub fn cst_index_start_tree(index: *const cst_index, places: *const cst_index_place, tree: *mut cst_tree) -> u64;
    pub fn cst_index_config(cfg: *const cst_config) -> u64;
    pub fn cst_index_digest(digest: u64, data: *const c_void, len: usize) -> u64;
    pub fn cst_index_sample(digest: u64, data: *const u8, len: usize) -> u64;
    pub fn cst_index_write(indexes: *const *const cst_index, n: u32, data: *mut *mut u8, len: *mut usize) -> c_int;
    pub fn cst_index_read(file: *mut *mut cst_index_file, data: *const u8, len: usize, problem: *mut cst_index_problem) -> c_int;
    pub fn cst_index_file_free(file: *mut cst_index_file);
    pub fn cst_index_by_name(file: *const cst_index_file, name: *const c_char) -> *const cst_index;
    pub fn cst_count_reader_new(r: *mut *mut cst_count_reader, read: cst_count_read_fn, data: *mut c_void) -> c_int;
    pub fn cst_count_reader_free(r: *mut cst_count_reader);
    pub fn cst_count_read(r: *mut cst_count_reader, rec: *mut cst_count_record) -> c_int;
    pub fn cst_count_reader_place(r: *const cst_count_reader, what: *mut *const c_char) -> u64;
    pub fn cst_count_writer_new(w: *mut *mut cst_count_writer, write: cst_count_write_fn, data: *mut c_void) -> c_int;
    pub fn cst_count_writer_free(w: *mut cst_count_writer);
    pub fn cst_count_write(w: *mut cst_count_writer, rec: *const cst_count_record) -> c_int;
    pub fn cst_count_writer_refused(w: *const cst_count_writer) -> *const c_char;
    pub fn cst_count_writer_end(w: *mut cst_count_writer) -> c_int;
    pub fn cst_count_merge(inputs: *mut cst_count_input, n: usize, out: cst_count_record_fn, data: *mut c_void, failed: *mut usize, name: *mut c_char, size: usize) -> c_int;
    pub fn cst_snapshot_read(ss: *mut *mut cst_snapshot, io: *const cst_snap_io, index: *const c_char) -> c_int;
    pub fn cst_snapshot_free(ss: *mut cst_snapshot);
    pub fn cst_snapshot_write(ss: *const cst_snapshot, sink: *const cst_snap_sink, index: *const c_char, metadata: *const c_char) -> c_int;
    pub fn cst_snapshot_device(ss: *const cst_snapshot, name: *const c_char) -> *const cst_snap_device;
    pub fn cst_snapshot_core(ss: *const cst_snapshot, source: *const cst_snap_device) -> *const cst_snap_device;
    pub fn cst_snapshot_feeds_stream(ss: *const cst_snapshot, source: *const cst_snap_device, stream: c_uint, buffer: *const cst_snap_buffer) -> c_int;
    pub fn cst_snapshot_feeds(ss: *const cst_snapshot, source: *const cst_snap_device, buffer: *const cst_snap_buffer) -> c_int;
    pub fn cst_snap_reg(dev: *const cst_snap_device, name: *const c_char, value: *mut u64) -> c_int;
    pub fn cst_snap_etmv4(source: *const cst_snap_device, regs: *mut cst_etmv4_regs, ete: *mut c_int, assumed: *mut c_uint, missing: *mut *const c_char) -> c_int;
    pub fn cst_snap_config(source: *const cst_snap_device, core: *const cst_snap_device, stream: c_uint, cfg: *mut cst_config, assumed: *mut c_uint, missing: *mut *const c_char) -> c_int;
    pub fn cst_snap_profile(core: *const cst_snap_device) -> cst_profile;
    pub fn cst_snap_memory_new(mem: *mut *mut cst_snap_memory, ss: *const cst_snapshot, img: *mut cst_image, io: *const cst_snap_io, missing: *mut usize) -> c_int;
    pub fn cst_snap_memory_free(mem: *mut cst_snap_memory);
    pub fn cst_snap_memory_space(mem: *mut cst_snap_memory, core: *const cst_snap_device, space: cst_memspace) -> *mut cst_space;
    pub fn cst_snap_memory_images(mem: *mut cst_snap_memory, core: *const cst_snap_device) -> *const cst_images;
    pub fn cst_doc_new(doc: *mut *mut cst_doc, memory: usize) -> c_int;
    pub fn cst_doc_free(doc: *mut cst_doc);
    pub fn cst_doc_parse(doc: *mut cst_doc, text: *const c_void, len: usize, why: *mut cst_problem) -> c_int;
    pub fn cst_doc_write(doc: *const cst_doc, out: *const cst_sink) -> c_int;
    pub fn cst_doc_section(doc: *const cst_doc, name: *const c_char) -> *mut cst_doc_section;
    pub fn cst_doc_item(s: *const cst_doc_section, key: *const c_char) -> *const cst_item;
    pub fn cst_doc_set(doc: *mut cst_doc, section: *const c_char, key: *const c_char, value: *const c_char) -> c_int;
    pub fn cst_doc_set_number(doc: *mut cst_doc, section: *const c_char, key: *const c_char, value: u64, hex: c_int) -> c_int;
    pub fn cst_item_number(item: *const cst_item, value: *mut u64) -> c_int;
    pub fn cst_item_bool(item: *const cst_item, value: *mut c_int) -> c_int;
    pub fn cst_metadata_read(md: *mut *mut cst_metadata, text: *const c_void, len: usize, why: *mut cst_problem) -> c_int;
    pub fn cst_metadata_free(md: *mut cst_metadata);
    pub fn cst_meta_buffer(md: *const cst_metadata, id: *const c_char, key: *const c_char) -> *const cst_item;
    pub fn cst_meta_buffer_format(md: *const cst_metadata, id: *const c_char, why: *mut cst_problem) -> c_int;
    pub fn cst_meta_by_id(md: *const cst_metadata, trace_id: c_uint) -> *const cst_meta_source;
    pub fn cst_meta_by_name(md: *const cst_metadata, name: cst_str) -> *const cst_meta_source;
    pub fn cst_meta_option(src: *const cst_meta_source, opt: cst_meta_option, value: *mut u64, why: *mut cst_problem) -> c_int;
    pub fn cst_meta_option_name(opt: cst_meta_option) -> *const c_char;
    pub fn cst_meta_check(src: *const cst_meta_source, why: *mut cst_problem) -> c_int;
    pub fn cst_meta_etmv4(src: *const cst_meta_source, regs: *mut cst_etmv4_regs, ete: *mut c_int, why: *mut cst_problem) -> c_int;
    pub fn cst_meta_set_etmv4(doc: *mut cst_doc, section: *const c_char, regs: *const cst_etmv4_regs, ete: c_int) -> c_int;
    pub fn cst_event_param(ev: *const cst_event, key: *const c_char) -> cst_str;
    pub fn cst_event_number(ev: *const cst_event, key: *const c_char, value: *mut i64) -> c_int;
    pub fn cst_event_reader_new(r: *mut *mut cst_event_reader, text: *const c_void, len: usize, line: usize) -> c_int;
    pub fn cst_event_reader_free(r: *mut cst_event_reader);
    pub fn cst_event_reader_watch(r: *mut cst_event_reader, step: usize, r#fn: cst_event_passed_fn, ctx: *mut c_void);
    pub fn cst_event_next(r: *mut cst_event_reader, ev: *mut cst_event, why: *mut cst_problem) -> c_int;
    pub fn cst_event_prev(r: *mut cst_event_reader, ev: *mut cst_event, why: *mut cst_problem) -> c_int;
    pub fn cst_event_rewind(r: *mut cst_event_reader, end: c_int);
    pub fn cst_event_write(ev: *const cst_event, out: *mut c_char, cap: usize) -> i64;
    pub fn cst_state_new(st: *mut *mut cst_state, limits: *const cst_state_limits) -> c_int;
    pub fn cst_state_free(st: *mut cst_state);
    pub fn cst_state_apply(st: *mut cst_state, ev: *const cst_event, emit: cst_state_fn, ctx: *mut c_void) -> c_int;
    pub fn cst_state_unapply(st: *mut cst_state, ev: *const cst_event) -> c_int;
    pub fn cst_state_list(st: *const cst_state, state: cst_event_state, time: u64, r#fn: cst_state_fn, ctx: *mut c_void) -> c_int;
    pub fn cst_state_counts(st: *const cst_state, counts: *mut cst_state_counts) -> c_int;
    pub fn cst_state_process(st: *const cst_state, pid: i64, ev: *mut cst_event) -> c_int;
    pub fn cst_state_thread(st: *const cst_state, tid: i64, ev: *mut cst_event) -> c_int;
    pub fn cst_state_asid(st: *const cst_state, asid: u32, ev: *mut cst_event) -> c_int;
    pub fn cst_state_trace(st: *const cst_state, source: cst_str, ev: *mut cst_event) -> c_int;
    pub fn cst_state_code(st: *const cst_state, pid: i64, address: u64, ev: *mut cst_event) -> c_int;
    pub fn cst_state_before(st: *mut cst_state, r: *mut cst_event_reader, bad: *mut u64) -> c_int;
    pub fn cst_state_at(st: *mut cst_state, r: *mut cst_event_reader, until: u64, bad: *mut u64) -> c_int;
    pub fn cst_state_complete(st: *mut cst_state, r: *mut cst_event_reader, out: *const cst_sink, bad: *mut u64) -> c_int;
    pub fn cst_package_read(pkg: *mut *mut cst_package, io: *const cst_snap_io, index: *const c_char) -> c_int;
    pub fn cst_package_free(pkg: *mut cst_package);
    pub fn cst_package_name_ok(name: *const c_char) -> c_int;
    pub fn cst_tarmac_reader_new(r: *mut *mut cst_tarmac_reader, opts: *const cst_tarmac_opts) -> c_int;
    pub fn cst_tarmac_reader_free(r: *mut cst_tarmac_reader);
    pub fn cst_tarmac_feed(r: *mut cst_tarmac_reader, text: *const c_void, len: usize) -> c_int;
    pub fn cst_tarmac_end(r: *mut cst_tarmac_reader);
    pub fn cst_tarmac_next(r: *mut cst_tarmac_reader, rec: *mut *const cst_tarmac_record) -> c_int;
    pub fn cst_tarmac_reader_counts(r: *const cst_tarmac_reader) -> *const cst_tarmac_counts;
    pub fn cst_tarmac_write(rec: *const cst_tarmac_record, dialect: cst_tarmac_dialect, out: *mut c_char, cap: usize) -> i64;
    pub fn cst_tarmac_bytes(digits: cst_str, bytes: *mut u8, unknown: *mut u8, cap: usize) -> i64;
    pub fn cst_tarmac_reg_find(what: *mut cst_tarmac_reg_name, name: cst_str);
    pub fn cst_tarmac_unit_text(unit: cst_tarmac_unit) -> *const c_char;
}
