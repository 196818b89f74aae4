// SPDX-License-Identifier: BSD-3-Clause
//! Registers of a trace unit in, configuration of a decoder out.
use crate::error::{check, Result};
use cstrace_sys as sys;
use std::mem::size_of;

/// Processor profile: chooses exception numbers and the meaning of a few packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Profile {
    A,
    R,
    M,
}

impl Profile {
    fn raw(self) -> sys::cst_profile {
        match self {
            Profile::A => sys::CST_PROFILE_A,
            Profile::R => sys::CST_PROFILE_R,
            Profile::M => sys::CST_PROFILE_M,
        }
    }
}

macro_rules! registers {
    ($(#[$doc:meta])* $name:ident, $raw:ident { $($(#[$field_doc:meta])* $field:ident),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: u32,)*
        }

        impl $name {
            fn raw(&self) -> sys::$raw {
                sys::$raw { struct_size: size_of::<sys::$raw>(), $($field: self.$field),* }
            }
        }
    };
}

registers! {
    /// Registers of an ETMv4 or ETE trace unit; those that were not captured are 0.
    Etmv4Registers, cst_etmv4_regs {
        /// TRCCONFIGR
        configr,
        /// TRCTRACEIDR, of which bits 6:0 are used
        traceidr,
        /// TRCIDR0
        idr0,
        /// TRCIDR1
        idr1,
        /// TRCIDR2
        idr2,
        /// TRCIDR8
        idr8,
        /// TRCIDR9
        idr9,
        /// TRCIDR10
        idr10,
        /// TRCIDR11
        idr11,
        /// TRCIDR12
        idr12,
        /// TRCIDR13
        idr13,
        /// TRCDEVARCH, ETE only
        devarch
    }
}

registers! {
    /// Registers of an ETMv3 or PTM trace unit.
    Etmv3Registers, cst_etmv3_regs {
        /// ETMCR
        cr,
        /// ETMCCER
        ccer,
        /// ETMIDR
        idr,
        /// ETMTRACEIDR, of which bits 6:0 are used
        traceidr
    }
}

registers! {
    /// Registers of an STM.
    StmRegisters, cst_stm_regs {
        /// STMTCSR, of which bits 22:16 are the trace ID
        tcsr,
        /// STMSPFEAT1R
        feat1r,
        /// STMSPFEAT3R
        feat3r,
        /// STMDEVID
        devid,
        /// STMHEFEAT1R
        hwfeatr
    }
}

registers! {
    /// Registers of an ITM.
    ItmRegisters, cst_itm_regs {
        /// ITM_TCR, of which bits 22:16 are the trace ID and 9:8 the local timestamp prescaler
        tcr
    }
}

/// What contradicts the code so clearly that decoding stops until the next synchronisation, as
/// flags for [`Config::checks`].
pub mod checks {
    use cstrace_sys as sys;

    /// Atom N of an unconditional direct branch to anywhere but the next instruction.
    pub const N_DIRECT: u8 = sys::CST_CHECK_N_DIRECT as u8;
    /// Atom N of any unconditional branch.
    pub const N_ANY: u8 = sys::CST_CHECK_N_ANY as u8;
    /// [`N_ANY`] except in T32, where an exception may return into the middle of an IT block.
    pub const N_NOT_T32: u8 = sys::CST_CHECK_N_NOT_T32 as u8;
    /// After an atom N execution continues elsewhere than at the next instruction.
    pub const CONTINUE: u8 = sys::CST_CHECK_CONTINUE as u8;
    /// A64: an instruction with a zero upper half (UDF) was executed.
    pub const UNDEFINED: u8 = sys::CST_CHECK_UNDEFINED as u8;
}

/// Configuration of a decoder for one trace ID.
#[derive(Clone, Copy)]
pub struct Config(pub(crate) sys::cst_config);

impl Config {
    fn made(what: &'static str, make: impl FnOnce(*mut sys::cst_config) -> i32) -> Result<Config> {
        // SAFETY: a configuration is numbers, for which 0 is a value.
        let mut raw: sys::cst_config = unsafe { std::mem::zeroed() };
        raw.struct_size = size_of::<sys::cst_config>();
        check(make(&mut raw), what)?;
        Ok(Config(raw))
    }

    /// An ETMv4 or ETE. The registers say which; if they do not, `ete`, the type in the recording,
    /// does. Errors: [`Code::UNSUP`](crate::Code::UNSUP), the registers contradict each other;
    /// [`Code::VERSION`](crate::Code::VERSION), the version is neither.
    pub fn etmv4(registers: &Etmv4Registers, ete: bool, profile: Profile) -> Result<Config> {
        let raw = registers.raw();
        // SAFETY: both structs are initialised and have their sizes; so in the other functions.
        Config::made("ETMv4 registers", |cfg| unsafe {
            sys::cst_config_etmv4(cfg, &raw, ete.into(), profile.raw())
        })
    }

    /// An ETMv3. [`Code::VERSION`](crate::Code::VERSION): ETMIDR has another version.
    pub fn etmv3(registers: &Etmv3Registers, profile: Profile) -> Result<Config> {
        let raw = registers.raw();
        Config::made("ETMv3 registers", |cfg| unsafe {
            sys::cst_config_etmv3(cfg, &raw, profile.raw())
        })
    }

    /// A PTM. [`Code::VERSION`](crate::Code::VERSION): ETMIDR has another version.
    pub fn ptm(registers: &Etmv3Registers) -> Result<Config> {
        let raw = registers.raw();
        Config::made("PTM registers", |cfg| unsafe { sys::cst_config_ptm(cfg, &raw) })
    }

    /// An STM.
    pub fn stm(registers: &StmRegisters) -> Result<Config> {
        let raw = registers.raw();
        Config::made("STM registers", |cfg| unsafe { sys::cst_config_stm(cfg, &raw) })
    }

    /// An ITM.
    pub fn itm(registers: &ItmRegisters) -> Result<Config> {
        let raw = registers.raw();
        Config::made("ITM registers", |cfg| unsafe { sys::cst_config_itm(cfg, &raw) })
    }

    /// The trace ID, 0 to 0x7f.
    pub fn trace_id(&self) -> u8 {
        self.0.trace_id
    }

    /// Every reserved value and every inconsistency is an error, after which decoding restarts at
    /// the next synchronisation. Default: what the architecture allows a decoder to ignore is
    /// ignored and reported.
    #[must_use]
    pub fn strict(mut self, on: bool) -> Config {
        self.0.strict = on.into();
        self
    }

    /// Elements held at most while they are not committed (default 65536), of which 8192 may be
    /// speculative.
    #[must_use]
    pub fn max_queue(mut self, elements: u32) -> Config {
        self.0.max_queue = elements;
        self
    }

    /// Flags of [`checks`]. Default: 0; contradictions are counted ([`Stats`](crate::Stats)), and
    /// decoding continues.
    #[must_use]
    pub fn checks(mut self, flags: u8) -> Config {
        self.0.checks = flags;
        self
    }

    /// ETMv3: a range for each instruction, with its cycles. Default: consecutive instructions make
    /// one range.
    #[must_use]
    pub fn instruction_ranges(mut self, on: bool) -> Config {
        self.0.insn_ranges = on.into();
        self
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("protocol", &self.0.protocol)
            .field("version", &format_args!("{:#x}", self.0.version))
            .field("trace_id", &format_args!("{:#x}", self.0.trace_id))
            .finish_non_exhaustive()
    }
}
