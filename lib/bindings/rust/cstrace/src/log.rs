// SPDX-License-Identifier: BSD-3-Clause
//! Reports of errors and findings in a trace.
use crate::decoder::made;
use crate::error::{Code, Finding, Result};
use crate::text;
use cstrace_sys as sys;
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;

/// How bad a report is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// In the trace itself: overflow, missing code, padding.
    Info,
    /// The trace contradicts the architecture or the program image; decoding continues.
    Warning,
    /// Trace was lost, or decoding restarted.
    Error,
}

impl Severity {
    fn raw(self) -> sys::cst_severity {
        match self {
            Severity::Info => sys::CST_LOG_INFO,
            Severity::Warning => sys::CST_LOG_WARNING,
            Severity::Error => sys::CST_LOG_ERROR,
        }
    }
}

/// What a report is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// Trace was lost.
    Error(Code),
    /// The trace has a value that the architecture reserves or forbids, or itself reports a loss.
    Finding(Finding),
}

/// An error or a finding in the trace. Its text is a line, as
/// `Idx:16; ID:10; packet; warning: reserved bits of a packet are not zero (K10.5.2)`.
#[derive(Clone, Copy)]
pub struct Report(sys::cst_log_record);

// SAFETY: the pointers of a record are to static text.
unsafe impl Send for Report {}
unsafe impl Sync for Report {}

impl Report {
    /// Trace offset, in bytes, of the packet or the frame.
    pub fn offset(&self) -> u64 {
        self.0.index
    }

    /// Of program flow an address, of frames the number of bytes skipped, else 0.
    pub fn value(&self) -> u64 {
        self.0.value
    }

    /// 1, or how often a finding was repeated while its cause lasted, the last time at
    /// [`Report::offset`].
    pub fn count(&self) -> u64 {
        self.0.count
    }

    /// The trace ID; None: the report is about no ID.
    pub fn trace_id(&self) -> Option<u8> {
        (u32::from(self.0.trace_id) != sys::CST_LOG_NO_ID).then_some(self.0.trace_id)
    }

    pub fn severity(&self) -> Severity {
        match u32::from(self.0.severity) {
            sys::CST_LOG_ERROR => Severity::Error,
            sys::CST_LOG_WARNING => Severity::Warning,
            _ => Severity::Info,
        }
    }

    /// The stage of the decoder: `frame`, `packet`, `element`, `flow` or `tree`.
    pub fn component(&self) -> &'static str {
        // SAFETY: the function takes any number and returns static text; the texts of a record are
        // static.
        unsafe { text(sys::cst_component_name(self.0.component.into())) }
    }

    pub fn cause(&self) -> Cause {
        match Code::of(self.0.error.into()) {
            Some(code) => Cause::Error(code),
            None => Cause::Finding(Finding(self.0.finding.into())),
        }
    }

    /// The section of the architecture's specification; may be empty.
    pub fn section(&self) -> &'static str {
        unsafe { text(self.0.section) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut line = [0u8; 512];
        // SAFETY: at most as many bytes are written; what was cut is not needed.
        let length = unsafe { sys::cst_log_text(&self.0, line.as_mut_ptr().cast(), line.len()) };
        f.write_str(&String::from_utf8_lossy(&line[..length.min(line.len() - 1)]))
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What the sink of a log fills, on the heap, where it does not move.
struct Kept {
    records: Vec<Report>,
    keep: usize,
    dropped: u64,
}

/// A log with its sink. Must be dropped after the tree that it is attached to.
pub(crate) struct Log {
    log: NonNull<sys::cst_log>,
    kept: NonNull<Kept>,
}

/// Keeps a record. Called by the library inside of a pull; does not panic.
unsafe extern "C" fn keep(data: *mut c_void, record: *const sys::cst_log_record) {
    // SAFETY: `data` is the log's Kept, which nothing else uses during a pull.
    let kept = unsafe { &mut *data.cast::<Kept>() };
    if kept.records.len() < kept.keep && kept.records.try_reserve(1).is_ok() {
        kept.records.push(Report(unsafe { *record }));
    } else {
        kept.dropped += 1;
    }
}

impl Log {
    pub(crate) fn new(keep_records: usize) -> Result<Log> {
        // SAFETY: the sink and its data live until the log is freed.
        let log = made("reports", |p| unsafe { sys::cst_log_new(p, 0) })?;
        let kept = Box::new(Kept { records: Vec::new(), keep: keep_records, dropped: 0 });
        let kept = unsafe { NonNull::new_unchecked(Box::into_raw(kept)) };
        unsafe { sys::cst_log_set_sink(log.as_ptr(), Some(keep), kept.as_ptr().cast()) };
        Ok(Log { log, kept })
    }

    pub(crate) fn raw(&self) -> *mut sys::cst_log {
        self.log.as_ptr()
    }

    pub(crate) fn take(&mut self) -> Vec<Report> {
        // SAFETY: no pull is running.
        std::mem::take(unsafe { &mut self.kept.as_mut().records })
    }

    pub(crate) fn dropped(&self) -> u64 {
        unsafe { self.kept.as_ref().dropped }
    }

    pub(crate) fn count(&self, severity: Severity) -> u64 {
        unsafe { sys::cst_log_count(self.log.as_ptr(), sys::CST_LOG_ALL_IDS, severity.raw()) }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // SAFETY: both are freed once.
        unsafe {
            sys::cst_log_free(self.log.as_ptr());
            drop(Box::from_raw(self.kept.as_ptr()));
        }
    }
}
