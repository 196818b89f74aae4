// SPDX-License-Identifier: BSD-3-Clause
#![doc = include_str!("../README.md")]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_debug_implementations)]

mod branch;
#[rustfmt::skip]
mod codes;
mod config;
mod counts;
mod decoder;
mod element;
mod error;
mod log;
mod stats;

pub use branch::{Branch, BranchState};
pub use config::{
    checks, Config, Etmv3Registers, Etmv4Registers, ItmRegisters, Profile, StmRegisters,
};
pub use counts::{Count, Exit, SectionCounts, Sorted};
pub use cstrace_sys as sys;
pub use decoder::{Branches, Decoder, Decoding, Frames, Layout, Ranges, Section, Space, Stops};
pub use element::{
    Element, Instruction, Isa, Kind, Last, Range, Security, TraceOn, Transaction, Unsync,
};
pub use error::{Code, Error, Finding, Result};
pub use log::{Cause, Report, Severity};
pub use stats::{FrameStats, Stats};

/// A text of the library.
///
/// # Safety
/// It is static, or null.
unsafe fn text(static_text: *const std::os::raw::c_char) -> &'static str {
    if static_text.is_null() {
        return "";
    }
    // SAFETY: the caller says so.
    unsafe { std::ffi::CStr::from_ptr(static_text) }.to_str().unwrap_or("")
}
