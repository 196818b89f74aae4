// SPDX-License-Identifier: BSD-3-Clause
//! Counts of executed ranges and taken branches.
use crate::decoder::made;
use crate::error::{check, Result};
use cstrace_sys as sys;
use std::fmt;
use std::mem::{size_of, zeroed};
use std::ptr::NonNull;

/// How often something was executed, by two offsets in a section, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Count(Pair);

/// The layout of `struct cst_pair`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
    count: u64,
}

const _: () = assert!(size_of::<Pair>() == size_of::<sys::cst_pair>());

impl Count {
    /// Of a range the first instruction, of an edge the branch.
    pub fn from(&self) -> u32 {
        self.0.a
    }

    /// Of a range the last instruction, of an edge the target of the branch.
    pub fn to(&self) -> u32 {
        self.0.b
    }

    pub fn count(&self) -> u64 {
        self.0.count
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:#x} {:#x}: {}", self.0.a, self.0.b, self.0.count)
    }
}

/// Counts sorted by the first, then the second offset: a slice.
pub struct Sorted(sys::cst_pairs);

// SAFETY: the memory of the table belongs to it, and nothing changes it.
unsafe impl Send for Sorted {}
unsafe impl Sync for Sorted {}

impl Sorted {
    fn new() -> Sorted {
        // SAFETY: a table is zeroed before use.
        Sorted(unsafe { zeroed() })
    }
}

impl std::ops::Deref for Sorted {
    type Target = [Count];

    fn deref(&self) -> &[Count] {
        if self.0.used == 0 {
            return &[];
        }
        // SAFETY: in a sorted table the first slots are in use; Count has the layout of a slot.
        unsafe { std::slice::from_raw_parts(self.0.slot.cast(), self.0.used) }
    }
}

impl<'a> IntoIterator for &'a Sorted {
    type Item = &'a Count;
    type IntoIter = std::slice::Iter<'a, Count>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Sorted {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Drop for Sorted {
    fn drop(&mut self) {
        // SAFETY: the table is freed once.
        unsafe { sys::cst_pairs_free(&mut self.0) };
    }
}

/// Counts of a section.
#[derive(Debug)]
pub struct SectionCounts {
    /// Executed ranges, from the target of a branch to the next branch. A count is of the offsets
    /// of the first and the last instruction.
    pub ranges: Sorted,
    /// Branches that were taken to a target in the same section.
    pub edges: Sorted,
}

/// A branch that was taken from one section to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Exit {
    /// Offset of the branch in its section, in bytes.
    pub from: u32,
    /// Number of the other section ([`Section::number`](crate::Section::number)).
    pub section: u32,
    /// Offset of the target in the other section, in bytes.
    pub to: u32,
    pub count: u64,
}

/// Counts of a decoder. Belongs to the thread of the decoder, and must be dropped before its image.
pub(crate) struct Counts(NonNull<sys::cst_counts>);

impl Counts {
    pub(crate) fn new(image: NonNull<sys::cst_image>, joined: bool) -> Result<Counts> {
        let flags = if joined { sys::CST_COUNTS_JOINED } else { 0 };
        // SAFETY: the image is valid.
        made("counts", |p| unsafe { sys::cst_counts_new(p, image.as_ptr(), flags) }).map(Counts)
    }

    /// Makes a source count.
    pub(crate) fn attach(&self, source: NonNull<sys::cst_decoder>) -> Result<()> {
        // SAFETY: the options may be zeros; source and counts are of one image.
        let mut options: sys::cst_emit_opts = unsafe { zeroed() };
        options.struct_size = size_of::<sys::cst_emit_opts>();
        options.counts = self.0.as_ptr();
        check(
            unsafe { sys::cst_decoder_emit(source.as_ptr(), sys::CST_EMIT_COUNTS, &options) },
            "count",
        )?;
        Ok(())
    }

    /// Makes a source emit ranges again, which needs no memory.
    pub(crate) fn detach(source: NonNull<sys::cst_decoder>) {
        // SAFETY: the source is valid, and this choice needs no options.
        unsafe { sys::cst_decoder_emit(source.as_ptr(), sys::CST_EMIT_RANGES, std::ptr::null()) };
    }

    pub(crate) fn add(
        &mut self,
        source: NonNull<sys::cst_decoder>,
        elements: *const sys::cst_generic,
        n: usize,
    ) -> Result<()> {
        // SAFETY: the caller has pulled so many elements from this source.
        check(
            unsafe { sys::cst_counts_add(self.0.as_ptr(), source.as_ptr(), elements, n) },
            "count",
        )?;
        Ok(())
    }

    pub(crate) fn take(&mut self, section: u32) -> Result<SectionCounts> {
        let mut counts = SectionCounts { ranges: Sorted::new(), edges: Sorted::new() };
        // SAFETY: both tables are empty, and get sorted counts.
        let taken = unsafe {
            sys::cst_counts_take(
                self.0.as_ptr(),
                section,
                &mut counts.ranges.0,
                &mut counts.edges.0,
            )
        };
        check(taken, "counts")?;
        Ok(counts)
    }

    pub(crate) fn exits(&mut self, section: u32) -> Result<Vec<Exit>> {
        let (mut exits, mut n, mut insns) = (std::ptr::null(), 0, 0);
        // SAFETY: the results are valid until the next call with the counts.
        let got = unsafe {
            sys::cst_counts_exits(self.0.as_ptr(), section, &mut exits, &mut n, &mut insns)
        };
        check(got, "counts")?;
        let mut all = Vec::new();
        for i in 0..n as usize {
            let exit = unsafe { &*exits.add(i) };
            all.extend(slots(&exit.edges).iter().filter(|pair| pair.count != 0).map(|pair| Exit {
                from: pair.a,
                section: exit.section,
                to: pair.b,
                count: pair.count,
            }));
        }
        all.sort_unstable();
        Ok(all)
    }
}

/// The slots of a table, of which those with a count of 0 are free.
fn slots(table: &sys::cst_pairs) -> &[sys::cst_pair] {
    let n = match (table.sorted != 0, table.mask) {
        (true, _) => table.used,
        (false, 0) => 0,
        (false, mask) => mask + 1,
    };
    if n == 0 {
        return &[];
    }
    // SAFETY: a table has as many slots.
    unsafe { std::slice::from_raw_parts(table.slot, n) }
}

impl Drop for Counts {
    fn drop(&mut self) {
        // SAFETY: the counts are freed once.
        unsafe { sys::cst_counts_free(self.0.as_ptr()) };
    }
}
