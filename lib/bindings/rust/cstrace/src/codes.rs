// SPDX-License-Identifier: BSD-3-Clause
// codes.rs - made by lib/bindings/rust/generate of the headers in include/cstrace/; do not edit.

use crate::error::{Code, Finding};

impl Code {
    /// Out of memory
    pub const NOMEM: Code = Code(cstrace_sys::CST_ERR_NOMEM);
    /// Invalid argument
    pub const INVAL: Code = Code(cstrace_sys::CST_ERR_INVAL);
    /// A configured limit was reached
    pub const LIMIT: Code = Code(cstrace_sys::CST_ERR_LIMIT);
    /// Input of the last call is not used up: pull first
    pub const BUSY: Code = Code(cstrace_sys::CST_ERR_BUSY);
    /// Configuration is not supported
    pub const UNSUP: Code = Code(cstrace_sys::CST_ERR_UNSUP);
    /// Protocol has no decoder
    pub const PROTOCOL: Code = Code(cstrace_sys::CST_ERR_PROTOCOL);
    /// Reserved packet header
    pub const BAD_HEADER: Code = Code(cstrace_sys::CST_ERR_BAD_HEADER);
    /// Invalid byte sequence in a packet
    pub const BAD_SEQUENCE: Code = Code(cstrace_sys::CST_ERR_BAD_SEQUENCE);
    /// Packet header is reserved in this configuration
    pub const UNSUP_HEADER: Code = Code(cstrace_sys::CST_ERR_UNSUP_HEADER);
    /// Packet is cut by the end of the trace
    pub const INCOMPLETE: Code = Code(cstrace_sys::CST_ERR_INCOMPLETE);
    /// Commit or cancel of more elements than are uncommitted
    pub const COMMIT_OVERRUN: Code = Code(cstrace_sys::CST_ERR_COMMIT_OVERRUN);
    /// Mispredict without an atom to correct
    pub const NO_ATOM: Code = Code(cstrace_sys::CST_ERR_NO_ATOM);
    /// Exception packet is not followed by an address
    pub const NO_ADDRESS: Code = Code(cstrace_sys::CST_ERR_NO_ADDRESS);
    /// More uncommitted elements than the configuration allows
    pub const QUEUE_FULL: Code = Code(cstrace_sys::CST_ERR_QUEUE_FULL);
    /// Trace contradicts the program image
    pub const BAD_IMAGE: Code = Code(cstrace_sys::CST_ERR_BAD_IMAGE);
    /// Trace ID 0x7F in a formatter frame
    pub const FRAME_ID: Code = Code(cstrace_sys::CST_ERR_FRAME_ID);
    /// Misplaced synchronisation pattern between formatter frames
    pub const FRAME_SYNC: Code = Code(cstrace_sys::CST_ERR_FRAME_SYNC);
    /// Incomplete formatter frame at the end of the trace
    pub const FRAME_CUT: Code = Code(cstrace_sys::CST_ERR_FRAME_CUT);
    /// Reserved value in a formatter frame (strict mode)
    pub const FRAME_RESERVED: Code = Code(cstrace_sys::CST_ERR_FRAME_RESERVED);
    /// Not found
    pub const NOT_FOUND: Code = Code(cstrace_sys::CST_ERR_NOT_FOUND);
    /// Syntax error
    pub const SYNTAX: Code = Code(cstrace_sys::CST_ERR_SYNTAX);
    /// Version is not supported
    pub const VERSION: Code = Code(cstrace_sys::CST_ERR_VERSION);
    /// The caller's open function failed
    pub const IO: Code = Code(cstrace_sys::CST_ERR_IO);
    /// Contradicts what was said before
    pub const CONFLICT: Code = Code(cstrace_sys::CST_ERR_CONFLICT);
    /// Damaged: the checksum or the content is wrong
    pub const DAMAGED: Code = Code(cstrace_sys::CST_ERR_DAMAGED);
    /// Packet whose length is not publicly known
    pub const NO_LENGTH: Code = Code(cstrace_sys::CST_ERR_NO_LENGTH);
    /// Not the speculation depth that Trace Info states
    pub const DEPTH: Code = Code(cstrace_sys::CST_ERR_DEPTH);
    /// Not the transaction state that Trace Info states
    pub const TRANSACTION: Code = Code(cstrace_sys::CST_ERR_TRANSACTION);
}

impl Finding {
    /// Reserved bits of a packet are not zero
    pub const RESERVED_BITS: Finding = Finding(cstrace_sys::CST_FIND_RESERVED_BITS);
    /// No code at an address that the trace leads to
    pub const NO_CODE: Finding = Finding(cstrace_sys::CST_FIND_NO_CODE);
    /// Atoms while the address or the context is unknown
    pub const ATOMS_LOST: Finding = Finding(cstrace_sys::CST_FIND_ATOMS_LOST);
    /// The trace contradicts the program image
    pub const IMAGE_CONFLICT: Finding = Finding(cstrace_sys::CST_FIND_IMAGE_CONFLICT);
    /// A return is left to the return stack, which is empty
    pub const STACK_EMPTY: Finding = Finding(cstrace_sys::CST_FIND_STACK_EMPTY);
    /// A Q element's path through the code is not known
    pub const NO_PATH: Finding = Finding(cstrace_sys::CST_FIND_NO_PATH);
    /// The trace unit overflowed: trace is missing
    pub const OVERFLOW: Finding = Finding(cstrace_sys::CST_FIND_OVERFLOW);
    /// Trace elements were discarded
    pub const DISCARD: Finding = Finding(cstrace_sys::CST_FIND_DISCARD);
    /// Trace of an ID that no decoder was added for
    pub const UNROUTED: Finding = Finding(cstrace_sys::CST_FIND_UNROUTED);
    /// Data under a reserved trace ID
    pub const FRAME_RESERVED_ID: Finding = Finding(cstrace_sys::CST_FIND_FRAME_RESERVED_ID);
    /// Auxiliary bit of a frame's last ID byte is set, which has no meaning
    pub const FRAME_AUX: Finding = Finding(cstrace_sys::CST_FIND_FRAME_AUX);
    /// A barrier: the trace does not continue what came before
    pub const BARRIER: Finding = Finding(cstrace_sys::CST_FIND_BARRIER);
    /// An STP packet that a System Trace Macrocell does not send
    pub const STM_NOT_SENT: Finding = Finding(cstrace_sys::CST_FIND_STM_NOT_SENT);
    /// An STP alignment synchronisation of more than 21 nibbles F
    pub const STM_LONG_ASYNC: Finding = Finding(cstrace_sys::CST_FIND_STM_LONG_ASYNC);
    /// A local timestamp with a reserved header
    pub const ITM_LOCAL_TS: Finding = Finding(cstrace_sys::CST_FIND_ITM_LOCAL_TS);
    /// A global timestamp of a size that is reserved
    pub const ITM_GLOBAL_TS: Finding = Finding(cstrace_sys::CST_FIND_ITM_GLOBAL_TS);
    /// A hardware source packet with a reserved discriminator
    pub const DWT_RESERVED: Finding = Finding(cstrace_sys::CST_FIND_DWT_RESERVED);
    /// A hardware source packet of a size that its source does not send
    pub const DWT_SIZE: Finding = Finding(cstrace_sys::CST_FIND_DWT_SIZE);
    /// Reserved bits of a PTM packet do not have their value
    pub const PTM_RESERVED_BITS: Finding = Finding(cstrace_sys::CST_FIND_PTM_RESERVED_BITS);
    /// An address packet names no instruction set
    pub const PTM_ISA: Finding = Finding(cstrace_sys::CST_FIND_PTM_ISA);
    /// The number of an exception is reserved
    pub const PTM_EXCEPTION: Finding = Finding(cstrace_sys::CST_FIND_PTM_EXCEPTION);
    /// A periodic synchronisation is not where execution has come to
    pub const PTM_ADDRESS: Finding = Finding(cstrace_sys::CST_FIND_PTM_ADDRESS);
    /// Reserved bits of a long address are set
    pub const ETM_ADDRESS_BITS: Finding = Finding(cstrace_sys::CST_FIND_ETM_ADDRESS_BITS);
    /// A 64-bit address from a trace unit with 32-bit addresses
    pub const ETM_ADDRESS_64: Finding = Finding(cstrace_sys::CST_FIND_ETM_ADDRESS_64);
    /// Reserved bits of a context are set
    pub const ETM_CONTEXT_BITS: Finding = Finding(cstrace_sys::CST_FIND_ETM_CONTEXT_BITS);
    /// A context with an ID that the trace unit does not have
    pub const ETM_CONTEXT_ID: Finding = Finding(cstrace_sys::CST_FIND_ETM_CONTEXT_ID);
    /// Sub-ISA IS1 of an address in AArch64 state
    pub const ETM_CONTEXT_IS: Finding = Finding(cstrace_sys::CST_FIND_ETM_CONTEXT_IS);
    /// Reserved bits of Trace Info are set
    pub const ETM_INFO_BITS: Finding = Finding(cstrace_sys::CST_FIND_ETM_INFO_BITS);
    /// Trace Info contradicts the configuration
    pub const ETM_INFO_CONFIG: Finding = Finding(cstrace_sys::CST_FIND_ETM_INFO_CONFIG);
    /// Trace Info tells of more speculation than the trace unit is capable of
    pub const ETM_INFO_SPEC: Finding = Finding(cstrace_sys::CST_FIND_ETM_INFO_SPEC);
    /// A cycle count, though cycle counting is off
    pub const ETM_CC_OFF: Finding = Finding(cstrace_sys::CST_FIND_ETM_CC_OFF);
    /// A cycle count packet with a commit from a trace unit without them
    pub const ETM_CC_COMMIT: Finding = Finding(cstrace_sys::CST_FIND_ETM_CC_COMMIT);
    /// The first cycle count after an overflow is not unknown
    pub const ETM_CC_OVERFLOW: Finding = Finding(cstrace_sys::CST_FIND_ETM_CC_OVERFLOW);
    /// A number with more bits than it may have
    pub const ETM_WIDE: Finding = Finding(cstrace_sys::CST_FIND_ETM_WIDE);
    /// Reserved bits of an exception are set
    pub const ETM_EXCEPTION_BITS: Finding = Finding(cstrace_sys::CST_FIND_ETM_EXCEPTION_BITS);
    /// The type of an exception is reserved
    pub const ETM_EXCEPTION_TYPE: Finding = Finding(cstrace_sys::CST_FIND_ETM_EXCEPTION_TYPE);
    /// PE reset or transaction failure as an ordinary exception
    pub const ETM_EXCEPTION_FORM: Finding = Finding(cstrace_sys::CST_FIND_ETM_EXCEPTION_FORM);
    /// A Q packet of a form that the trace unit does not have
    pub const ETM_Q_FORM: Finding = Finding(cstrace_sys::CST_FIND_ETM_Q_FORM);
    /// A speculation packet from a trace unit that does not speculate
    pub const ETM_NO_SPECULATION: Finding = Finding(cstrace_sys::CST_FIND_ETM_NO_SPECULATION);
    /// Reserved bits of an instrumentation packet are set
    pub const ETM_ITE_BITS: Finding = Finding(cstrace_sys::CST_FIND_ETM_ITE_BITS);
    /// A timestamp marker from a trace unit without them
    pub const ETM_TS_MARKER: Finding = Finding(cstrace_sys::CST_FIND_ETM_TS_MARKER);
    /// A packet between alignment synchronisation and Trace Info
    pub const ETM_BEFORE_INFO: Finding = Finding(cstrace_sys::CST_FIND_ETM_BEFORE_INFO);
    /// Reserved bits of an ETMv3 packet are not as they should be
    pub const ETMV3_RESERVED_BITS: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_RESERVED_BITS);
    /// A P-header in a reserved or deprecated form
    pub const ETMV3_PHDR: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_PHDR);
    /// More zeros than an A-sync has
    pub const ETMV3_ZEROS: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_ZEROS);
    /// A cycle count of zero: the counter has overflowed
    pub const ETMV3_CYCLES: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_CYCLES);
    /// A packet that this trace unit, set up as it is, should not send
    pub const ETMV3_CONFIG: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_CONFIG);
    /// A reserved exception number, or an exception where none can be
    pub const ETMV3_EXCEPTION: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_EXCEPTION);
    /// An exception in the deprecated form of a branch address
    pub const ETMV3_DEPRECATED: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_DEPRECATED);
    /// An instruction is cancelled, but none is left to be
    pub const ETMV3_CANCEL: Finding = Finding(cstrace_sys::CST_FIND_ETMV3_CANCEL);
    /// Out-of-order data without the placeholder that it belongs to
    pub const DATA_NO_PLACE: Finding = Finding(cstrace_sys::CST_FIND_DATA_NO_PLACE);
    /// Byte codes: their sizes are not known, execution cannot be followed
    pub const JAZELLE: Finding = Finding(cstrace_sys::CST_FIND_JAZELLE);
    /// A timestamp whose upper bits were not sent since the last loss
    pub const TIME_UNKNOWN: Finding = Finding(cstrace_sys::CST_FIND_TIME_UNKNOWN);
    /// What a master wrote was dropped: the buffer was full
    pub const STM_MASTER_ERROR: Finding = Finding(cstrace_sys::CST_FIND_STM_MASTER_ERROR);
    /// What several masters wrote was dropped: the buffer was full
    pub const STM_GLOBAL_ERROR: Finding = Finding(cstrace_sys::CST_FIND_STM_GLOBAL_ERROR);
    /// No synchronisation packet: packets begin here by trial of the bytes that follow
    pub const ITM_BOUNDARY: Finding = Finding(cstrace_sys::CST_FIND_ITM_BOUNDARY);
    /// A Q packet, though Q elements of its form are off
    pub const ETM_Q_OFF: Finding = Finding(cstrace_sys::CST_FIND_ETM_Q_OFF);
}