// SPDX-License-Identifier: BSD-3-Clause
//! Errors of calls, and what is wrong in a trace.
use crate::text;
use cstrace_sys as sys;
use std::fmt;

/// The number of an error, with the same values as `enum cst_error` of C. The constants have their
/// texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub(crate) sys::cst_error);

impl Code {
    /// The value of `enum cst_error`.
    pub fn number(self) -> u32 {
        self.0
    }

    /// A sentence without a full stop.
    pub fn text(self) -> &'static str {
        // SAFETY: the function takes any number and returns static text.
        unsafe { text(sys::cst_strerror(self.0 as i32)) }
    }

    /// The error that an element or a record has; 0 stands for none.
    pub(crate) fn of(number: u32) -> Option<Code> {
        (number != 0).then_some(Code(number))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Code({}: {})", self.0, self.text())
    }
}

/// The number of a finding: a violation of the architecture that a decoder tolerates, or a loss
/// that the trace itself reports. The values are those of `enum cst_finding` of C; the constants
/// have their texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Finding(pub(crate) sys::cst_finding);

impl Finding {
    /// The value of `enum cst_finding`.
    pub fn number(self) -> u32 {
        self.0
    }

    /// A sentence without a full stop.
    pub fn text(self) -> &'static str {
        // SAFETY: the function takes any number and returns static text.
        unsafe { text(sys::cst_finding_text(self.0)) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Finding({}: {})", self.0, self.text())
    }
}

/// A call that failed. What is wrong in the trace itself is no failed call: it is in the elements
/// ([`Kind::NoSync`](crate::Kind::NoSync)), the statistics ([`Stats`](crate::Stats)) and the
/// reports ([`Decoder::take_reports`](crate::Decoder::take_reports)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error {
    code: Code,
    offset: Option<u64>,
    what: &'static str,
}

impl Error {
    pub(crate) fn new(code: Code, what: &'static str) -> Error {
        Error { code, offset: None, what }
    }

    pub(crate) fn at(self, offset: u64) -> Error {
        Error { offset: Some(offset), ..self }
    }

    pub fn code(&self) -> Code {
        self.code
    }

    /// The offset in the trace or in the file, in bytes, if the error belongs to one.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// What was tried, or of a file what was found and expected.
    pub fn what(&self) -> &'static str {
        self.what
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.code)?;
        match self.offset {
            Some(offset) => write!(f, " (offset {offset:#x})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// The value of a call that is negative when it fails.
pub(crate) fn check(value: i32, what: &'static str) -> Result<u32> {
    u32::try_from(value).map_err(|_| Error::new(Code(value.unsigned_abs()), what))
}
