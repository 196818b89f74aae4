// SPDX-License-Identifier: BSD-3-Clause
//! Generic trace elements, the output of decoding.
use crate::error::Code;
use cstrace_sys as sys;
use std::fmt;

/// A number of C as an enum of Rust, with the first variant for values that are not known.
macro_rules! values {
    ($(#[$doc:meta])* $name:ident, $raw:ty { $($(#[$value_doc:meta])* $value:ident = $constant:ident),+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name {
            /// Not known, to this crate or to the decoder.
            Unknown,
            $($(#[$value_doc])* $value),+
        }

        impl $name {
            pub(crate) fn of(raw: $raw) -> $name {
                $(if u32::from(raw) == sys::$constant {
                    return $name::$value;
                })+
                $name::Unknown
            }
        }
    };
}

values! {
    /// Instruction set of a range.
    Isa, u8 {
        A32 = CST_ISA_A32,
        T32 = CST_ISA_T32,
        A64 = CST_ISA_A64,
        ThumbEe = CST_ISA_TEE,
        Jazelle = CST_ISA_JAZELLE
    }
}

values! {
    /// Security state.
    Security, u8 {
        Secure = CST_SEC_SECURE,
        NonSecure = CST_SEC_NONSECURE,
        Root = CST_SEC_ROOT,
        Realm = CST_SEC_REALM
    }
}

values! {
    /// Kind of the last instruction of a range.
    Instruction, u8 {
        /// Not a waypoint.
        Other = CST_INSN_OTHER,
        /// A direct branch.
        Direct = CST_INSN_BRANCH,
        /// An indirect branch, a return, or an exception return.
        Indirect = CST_INSN_INDIRECT,
        Isb = CST_INSN_ISB,
        /// DSB, DMB.
        Barrier = CST_INSN_BARRIER,
        /// WFI, WFE, WFIT, WFET.
        Wait = CST_INSN_WFX,
        TransactionStart = CST_INSN_TSTART,
        Load = CST_INSN_LOAD,
        Store = CST_INSN_STORE
    }
}

values! {
    /// Why decoding is not synchronised.
    Unsync, u16 {
        /// Decoding begins.
        Init = CST_UNSYNC_INIT,
        /// The decoder was reset.
        Reset = CST_UNSYNC_RESET,
        Overflow = CST_UNSYNC_OVERFLOW,
        Discard = CST_UNSYNC_DISCARD,
        /// The error says which.
        BadPacket = CST_UNSYNC_BAD_PACKET,
        BadImage = CST_UNSYNC_BAD_IMAGE,
        /// End of the trace.
        End = CST_UNSYNC_END
    }
}

values! {
    /// Why trace begins.
    TraceOn, u16 {
        Normal = CST_ON_NORMAL,
        /// After an overflow of the trace unit.
        Overflow = CST_ON_OVERFLOW,
        /// After debug state.
        Debug = CST_ON_DEBUG
    }
}

values! {
    /// What happened to a transaction.
    Transaction, u16 {
        /// One was open when trace began.
        Init = CST_TRANS_INIT,
        Start = CST_TRANS_START,
        Commit = CST_TRANS_COMMIT,
        Fail = CST_TRANS_FAIL
    }
}

/// Instructions that were executed one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Trace offset, in bytes, of the packet that caused the range.
    pub offset: u64,
    pub trace_id: u8,
    /// Address of the first instruction.
    pub start: u64,
    /// Address behind the last instruction.
    pub end: u64,
    /// Number of instructions.
    pub instructions: u32,
    pub isa: Isa,
    /// Number of the section ([`Section::number`](crate::Section::number)) of `start`, and the
    /// offset of `start` in it in bytes (its low 32 bits). None: the range is not in one section.
    pub section: Option<(u32, u32)>,
    pub last: Last,
    /// An exception interrupted the last instruction, which was executed in part.
    pub partial: bool,
}

/// The last instruction of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Last {
    pub kind: Instruction,
    /// Size in bytes.
    pub size: u8,
    /// It is a waypoint and was executed (atom E).
    pub executed: bool,
    pub conditional: bool,
    /// A branch with link.
    pub link: bool,
    /// A return, other than of an exception.
    pub returns: bool,
}

impl Range {
    /// Address of the last instruction.
    pub fn last_address(&self) -> u64 {
        self.end.wrapping_sub(self.last.size.into())
    }

    /// True if the range ends with a branch that was taken.
    pub fn is_taken(&self) -> bool {
        self.last.executed && matches!(self.last.kind, Instruction::Direct | Instruction::Indirect)
    }
}

/// What an element says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Decoding is not synchronised, because of `error` if there is one: trace is missing here.
    NoSync {
        reason: Unsync,
        error: Option<Code>,
    },
    /// Trace begins, after a gap.
    TraceOn(TraceOn),
    /// The end of the trace.
    EndOfTrace,
    /// The context has changed to that of the element.
    Context {
        has_context_id: bool,
        has_vmid: bool,
        bits64: bool,
    },
    /// Instructions were executed.
    Range(Range),
    /// `instructions` ran between the addresses `from` and `to`; their path is not known (a Q
    /// element).
    NoPath {
        from: u64,
        to: u64,
        instructions: u32,
    },
    /// No code is mapped at the address; `spaces` is a mask of `enum cst_memspace`.
    NoCode {
        address: u64,
        spaces: u16,
    },
    /// The address is not known until the next range.
    AddressUnknown {
        error: Option<Code>,
    },
    /// An exception by its number; the preferred return address if it was traced.
    Exception {
        number: u16,
        return_address: Option<u64>,
    },
    ExceptionReturn,
    /// The time in ticks of the trace; 0: not known.
    Timestamp(u64),
    /// Cycles since the last cycle count; None: not known. `gap`: they passed before the last Trace
    /// On (ETMv3).
    CycleCount {
        cycles: Option<u32>,
        gap: bool,
    },
    /// A mask of the events 0 to 3; 0x8000 is the trigger.
    Event(u16),
    /// STM: `bits` of payload, the master and the channel if they are known, the timestamp in
    /// ticks, flags of `enum cst_sw_flags`.
    Software {
        payload: u64,
        bits: u32,
        source: Option<(u32, u32)>,
        timestamp: Option<u64>,
        flags: u16,
    },
    /// ITM and DWT: `bytes` of payload, the stimulus port or the discriminator, the timestamp in
    /// ticks, an `enum cst_itm_kind`, flags of `enum cst_sw_flags`.
    Itm {
        kind: u8,
        payload: u64,
        bytes: u32,
        port: u32,
        timestamp: Option<u64>,
        flags: u16,
    },
    /// A point that another element refers to; `marker` is an `enum cst_sync_marker`.
    SyncMarker {
        marker: u16,
        value: u64,
    },
    Transaction(Transaction),
    /// ETE: the value that an instrumentation instruction wrote.
    Instrumentation(u64),
    /// A data transfer of `bytes`; `instruction`: the address of the load or store; flags of `enum
    /// cst_data_flags`.
    Data {
        address: Option<u64>,
        value: Option<u64>,
        bytes: u32,
        instruction: Option<u64>,
        flags: u16,
    },
    /// Result of a conditional instruction; flags of `enum cst_cond_flags`.
    Conditional {
        address: Option<u64>,
        passed: Option<bool>,
        flags: u16,
    },
    /// Ranges that were counted ([`Decoder::count`](crate::Decoder::count)): `instructions` of them
    /// since execution came to their section.
    Counted {
        ranges: u32,
        instructions: u32,
    },
    /// All decoders were reset, because of a barrier in the frames or of lost frames.
    Barrier {
        error: Option<Code>,
    },
    /// Another kind, by its number in `enum cst_generic_kind`.
    Other(u8),
}

/// A generic trace element.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Element(sys::cst_generic);

impl Element {
    fn has(&self, flag: u32) -> bool {
        u32::from(self.0.flags) & flag != 0
    }

    fn has_number(&self, flag: u32) -> bool {
        u32::from(self.0.num) & flag != 0
    }

    /// Trace offset, in bytes, of the packet that caused the element.
    pub fn offset(&self) -> u64 {
        self.0.index
    }

    /// The trace ID; None: the element is about all of them (a barrier).
    pub fn trace_id(&self) -> Option<u8> {
        (u32::from(self.0.trace_id) != sys::CST_ID_UNKNOWN).then_some(self.0.trace_id)
    }

    /// The context ID that was traced last; not of software trace.
    pub fn context_id(&self) -> u32 {
        // SAFETY: all members of the unions are numbers; so in the other functions.
        unsafe { self.0.inner5.context_id }
    }

    /// The virtual context ID that was traced last; not of software trace.
    pub fn vmid(&self) -> u32 {
        unsafe { self.0.inner6.vmid }
    }

    /// The exception level, 0 to 3; None: not known.
    pub fn exception_level(&self) -> Option<u8> {
        self.has(sys::CST_GF_EL).then_some(self.0.el)
    }

    /// The security state; unknown until it was traced.
    pub fn security(&self) -> Security {
        if self.has(sys::CST_GF_EL) {
            Security::of(self.0.security)
        } else {
            Security::Unknown
        }
    }

    fn addr(&self) -> u64 {
        unsafe { self.0.inner1.addr }
    }

    fn end(&self) -> u64 {
        unsafe { self.0.inner2.end }
    }

    fn error(&self) -> Option<Code> {
        Code::of(unsafe { self.0.inner7.inner1.inner1.error })
    }

    fn is_kind(&self, kind: sys::cst_generic_kind) -> bool {
        u32::from(self.0.kind) == kind
    }

    /// The range, if the element is one.
    pub fn range(&self) -> Option<Range> {
        if !self.is_kind(sys::CST_GEN_RANGE) {
            return None;
        }
        Some(Range {
            offset: self.0.index,
            trace_id: self.0.trace_id,
            start: self.addr(),
            end: self.end(),
            instructions: unsafe { self.0.inner3.n_insn },
            isa: Isa::of(self.0.isa),
            section: (self.0.section != 0)
                .then_some((self.0.section, unsafe { self.0.inner7.inner1.inner2.sect_off })),
            last: Last {
                kind: Instruction::of(self.0.last_type),
                size: self.0.last_size,
                executed: self.has(sys::CST_GF_EXEC) && self.has(sys::CST_GF_WAYPOINT),
                conditional: self.has(sys::CST_GF_COND),
                link: self.has(sys::CST_GF_LINK),
                returns: matches!(
                    u32::from(self.0.last_subtype),
                    sys::CST_INSN_RET | sys::CST_INSN_IMPLIED_RET
                ),
            },
            partial: self.has_number(sys::CST_RANGE_PART),
        })
    }

    /// The next address, if a loss of the flow leaves no doubt about it.
    pub(crate) fn next_address(&self) -> Option<u64> {
        (self.has(sys::CST_GF_NEXT) && !self.has(sys::CST_GF_DOUBTFUL)).then(|| self.addr())
    }

    /// What the element says.
    pub fn kind(&self) -> Kind {
        let g = &self.0;
        let timestamp = || self.has(sys::CST_GF_TS).then(|| self.end());
        match u32::from(g.kind) {
            sys::CST_GEN_NO_SYNC => Kind::NoSync { reason: Unsync::of(g.num), error: self.error() },
            sys::CST_GEN_TRACE_ON => Kind::TraceOn(TraceOn::of(g.num)),
            sys::CST_GEN_EO_TRACE => Kind::EndOfTrace,
            sys::CST_GEN_PE_CONTEXT => Kind::Context {
                has_context_id: self.has(sys::CST_GF_CID),
                has_vmid: self.has(sys::CST_GF_VMID),
                bits64: self.has(sys::CST_GF_BITS64),
            },
            sys::CST_GEN_RANGE => self.range().map_or(Kind::Other(g.kind), Kind::Range),
            sys::CST_GEN_NOPATH => Kind::NoPath {
                from: self.addr(),
                to: self.end(),
                instructions: unsafe { g.inner3.n_insn },
            },
            sys::CST_GEN_NACC => Kind::NoCode { address: self.addr(), spaces: g.num },
            sys::CST_GEN_ADDR_UNKNOWN => Kind::AddressUnknown { error: self.error() },
            sys::CST_GEN_EXCEPTION => Kind::Exception {
                number: g.num,
                return_address: self.has(sys::CST_GF_RET_ADDR).then(|| self.end()),
            },
            sys::CST_GEN_EXCEPTION_RET => Kind::ExceptionReturn,
            sys::CST_GEN_TIMESTAMP => Kind::Timestamp(self.addr()),
            sys::CST_GEN_CYCLE_COUNT => Kind::CycleCount {
                cycles: self.has(sys::CST_GF_CC).then_some(unsafe { g.inner4.cc }),
                gap: self.has_number(sys::CST_CYCLES_GAP),
            },
            sys::CST_GEN_EVENT => Kind::Event(g.num),
            sys::CST_GEN_SWTRACE => Kind::Software {
                payload: self.addr(),
                bits: unsafe { g.inner3.size },
                source: self
                    .has_number(sys::CST_SW_ID)
                    .then_some(unsafe { (g.inner5.master, g.inner6.channel) }),
                timestamp: timestamp(),
                flags: g.num,
            },
            sys::CST_GEN_ITMTRACE => Kind::Itm {
                kind: g.last_type,
                payload: self.addr(),
                bytes: unsafe { g.inner3.size },
                port: unsafe { g.inner6.channel },
                timestamp: timestamp(),
                flags: g.num,
            },
            sys::CST_GEN_SYNC_MARKER => Kind::SyncMarker { marker: g.num, value: self.addr() },
            sys::CST_GEN_MEMTRANS => Kind::Transaction(Transaction::of(g.num)),
            sys::CST_GEN_INSTRUMENTATION => Kind::Instrumentation(self.addr()),
            sys::CST_GEN_DATA => Kind::Data {
                address: self.has_number(sys::CST_DATA_ADDR).then(|| self.addr()),
                value: self.has_number(sys::CST_DATA_VALUE).then(|| self.end()),
                bytes: unsafe { g.inner3.size },
                instruction: self
                    .has_number(sys::CST_DATA_INSN)
                    .then_some(unsafe { g.inner7.insn }),
                flags: g.num,
            },
            sys::CST_GEN_COND => Kind::Conditional {
                address: self.has_number(sys::CST_COND_INSN).then(|| self.addr()),
                passed: match (
                    self.has_number(sys::CST_COND_PASSED),
                    self.has_number(sys::CST_COND_FAILED),
                ) {
                    (true, _) => Some(true),
                    (false, true) => Some(false),
                    (false, false) => None,
                },
                flags: g.num,
            },
            sys::CST_GEN_COUNTED => Kind::Counted {
                ranges: unsafe { g.inner4.runs },
                instructions: unsafe { g.inner3.n_insn },
            },
            sys::CST_GEN_BARRIER => Kind::Barrier { error: self.error() },
            _ => Kind::Other(g.kind),
        }
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:#x} {:?} {:?}", self.0.index, self.trace_id(), self.kind())
    }
}
