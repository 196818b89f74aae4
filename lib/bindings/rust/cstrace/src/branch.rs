// SPDX-License-Identifier: BSD-3-Clause
//! Taken branches, made of ranges.
use crate::element::{Element, Kind, Range};

/// A branch that was taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// The range that ends with the branch instruction; `range.last` says what kind of branch it
    /// is.
    pub range: Range,
    /// Address of its target; None: trace that would say so is missing, or the decoder has counted
    /// what follows.
    pub to: Option<u64>,
}

impl Branch {
    /// Address of the branch instruction.
    pub fn from(&self) -> u64 {
        self.range.last_address()
    }
}

/// Makes branches of elements, which are all branches unless the decoder counts
/// ([`Decoder::count`](crate::Decoder::count)): then most are in the counts instead. Keeps the last
/// branch of each trace ID until an element gives its target, so one state must get all elements in
/// order, also if trace is fed in pieces.
#[derive(Clone, Debug)]
pub struct BranchState {
    open: Box<[Option<Range>; 128]>,
}

impl Default for BranchState {
    fn default() -> BranchState {
        BranchState { open: Box::new([None; 128]) }
    }
}

impl BranchState {
    pub fn new() -> BranchState {
        BranchState::default()
    }

    /// Takes the next element, and returns the branch that it completes.
    pub fn take(&mut self, element: &Element) -> Option<Branch> {
        let open = self.open.get_mut(usize::from(element.trace_id()?))?;
        if let Some(range) = element.range() {
            let before = if range.is_taken() { open.replace(range) } else { open.take() };
            return before.map(|before| Branch { range: before, to: Some(range.start) });
        }
        let range = (*open)?;
        let to = match element.kind() {
            Kind::Exception { return_address, .. } => return_address,
            Kind::NoCode { address, .. } => Some(address),
            Kind::NoPath { from, .. } => Some(from),
            Kind::TraceOn(_) | Kind::NoSync { .. } | Kind::EndOfTrace => element.next_address(),
            Kind::AddressUnknown { .. } | Kind::Counted { .. } => None,
            _ => return None,
        };
        *open = None;
        Some(Branch { range, to })
    }
}
