// SPDX-License-Identifier: BSD-3-Clause
//! A decoder of a trace buffer: code, sources, and the elements that come out.
use crate::branch::{Branch, BranchState};
use crate::config::Config;
use crate::counts::{Counts, Exit, SectionCounts};
use crate::element::{Element, Range};
use crate::error::{check, Code, Error, Result};
use crate::log::{Log, Report, Severity};
use crate::stats::{FrameStats, Stats};
use cstrace_sys as sys;
use std::borrow::BorrowMut;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

/// Elements of a batch at most. A pull costs as much as about 30 elements.
const BATCH: usize = 2048;

/// Layout of a trace buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// The bytes of one source, without frames.
    Raw,
    /// 16-byte frames of the trace formatter.
    Frames(Frames),
}

impl Layout {
    /// Frames as Linux records them: aligned, with barriers between what does not continue.
    pub fn linux() -> Layout {
        Layout::Frames(Frames { barriers: true, ..Frames::default() })
    }
}

/// What is known of frames. Default: back to back from the first byte, as in an ETB, ETF or ETR.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Frames {
    /// Full synchronisation words between frames (TPIU); a frame start is searched for.
    pub full_sync: bool,
    /// Half synchronisation as well; implies `full_sync`.
    pub half_sync: bool,
    /// A barrier of four synchronisation words resets all decoders (Linux).
    pub barriers: bool,
    /// Blocks of 512 bytes of a DSTREAM probe, of which 504 are trace.
    pub dstream: bool,
    /// Reserved values are reported.
    pub findings: bool,
    /// A frame with a reserved value is an error.
    pub strict: bool,
}

/// The sum of the flags that are on.
fn bits(flags: &[(bool, u32)]) -> u32 {
    flags.iter().filter(|f| f.0).map(|f| f.1).sum()
}

impl Frames {
    fn flags(self) -> u32 {
        bits(&[
            (self.full_sync, sys::CST_FRAME_FSYNC),
            (self.half_sync, sys::CST_FRAME_HSYNC),
            (self.barriers, sys::CST_FRAME_RESET_4X),
            (self.dstream, sys::CST_FRAME_DSTREAM),
            (self.findings, sys::CST_FRAME_FINDINGS),
            (self.strict, sys::CST_FRAME_STRICT),
        ])
    }
}

/// A piece of code that a decoder has the bytes of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Section {
    decoder: u64,
    number: u32,
}

impl Section {
    /// The number in [`Range::section`], from 1 in order of creation.
    pub fn number(self) -> u32 {
        self.number
    }
}

/// An address space: which code is at which address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Space {
    decoder: u64,
    index: usize,
}

/// Elements after which a batch ends, so that the caller can choose another address space for the
/// instructions after it ([`Decoding::set_space`]).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stops {
    /// A context element.
    pub context: bool,
    /// A Trace On element.
    pub trace_on: bool,
    /// A timestamp.
    pub timestamp: bool,
    /// An exception, or an exception return with a packet of its own (ETMv4).
    pub exception: bool,
}

impl Stops {
    fn mask(self) -> u32 {
        bits(&[
            (self.context, sys::CST_STOP_CONTEXT),
            (self.trace_on, sys::CST_STOP_TRACE_ON),
            (self.timestamp, sys::CST_STOP_TIMESTAMP),
            (self.exception, sys::CST_STOP_EXCEPTION),
        ])
    }
}

/// Code bytes that the decoder keeps, on the heap, where they do not move. Freed after the
/// library's objects.
struct OwnedCode<'c>(NonNull<dyn AsRef<[u8]> + Send + 'c>);

impl Drop for OwnedCode<'_> {
    fn drop(&mut self) {
        // SAFETY: the pointer is of Box::into_raw(), and nothing else frees it.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// Decodes trace buffers of one layout. Owns everything that the library makes for that, so it can
/// move to another thread as a whole; different decoders can run in different threads. `'c` is the
/// life of the code.
pub struct Decoder<'c> {
    tree: NonNull<sys::cst_tree>,
    image: NonNull<sys::cst_image>,
    spaces: Vec<NonNull<sys::cst_space>>,
    counts: Option<Counts>,
    log: Option<Log>,
    out: Box<[MaybeUninit<sys::cst_generic>]>,
    /// The tree may have a pointer to trace bytes whose owner does not lend them any more.
    pending: bool,
    /// Nothing was fed since the last reset.
    fresh: bool,
    /// Tells sections and spaces of different decoders apart.
    number: u64,
    // The last field: code is freed after drop() has freed what refers to it.
    code: Vec<OwnedCode<'c>>,
}

// SAFETY: the library has no global state, and the objects behind the pointers belong to this
// decoder alone. They refer to each other and to code, whose owners are Send.
unsafe impl Send for Decoder<'_> {}

impl Drop for Decoder<'_> {
    fn drop(&mut self) {
        // SAFETY: each object is freed once, those that are attached to others first.
        unsafe {
            sys::cst_tree_free(self.tree.as_ptr());
            self.counts = None;
            self.log = None;
            sys::cst_image_free(self.image.as_ptr());
        }
    }
}

/// Calls a function that makes an object and returns its pointer.
pub(crate) fn made<T>(
    what: &'static str,
    make: impl FnOnce(*mut *mut T) -> i32,
) -> Result<NonNull<T>> {
    let mut object = ptr::null_mut();
    check(make(&mut object), what)?;
    NonNull::new(object).ok_or_else(|| Error::new(Code::NOMEM, what))
}

impl<'c> Decoder<'c> {
    /// A decoder without sources and code. [`Code::VERSION`]: the program runs with an older
    /// library than the one that it was compiled for.
    pub fn new(layout: Layout) -> Result<Decoder<'c>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // SAFETY: cst_version() is safe from any thread; the others write to the pointers that they
        // get.
        let found = unsafe { sys::cst_version() };
        let wanted =
            sys::CST_VERSION_MAJOR << 16 | sys::CST_VERSION_MINOR << 8 | sys::CST_VERSION_PATCH;
        if found < wanted || found >> 16 != sys::CST_VERSION_MAJOR {
            return Err(Error::new(Code::VERSION, "library"));
        }
        let (format, flags) = match layout {
            Layout::Raw => (sys::CST_TREE_RAW, 0),
            Layout::Frames(frames) => (sys::CST_TREE_FRAMES, frames.flags()),
        };
        let image = made("image", |p| unsafe { sys::cst_image_new(p, 0) })?;
        let tree =
            made("tree", |p| unsafe { sys::cst_tree_new(p, format, flags) }).map_err(|e| {
                unsafe { sys::cst_image_free(image.as_ptr()) };
                e
            })?;
        let mut out = Vec::with_capacity(BATCH);
        out.resize_with(BATCH, MaybeUninit::uninit);
        Ok(Decoder {
            tree,
            image,
            spaces: Vec::new(),
            counts: None,
            log: None,
            out: out.into_boxed_slice(),
            pending: false,
            fresh: true,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            code: Vec::new(),
        })
    }

    /// Adds little-endian code, at most 8 GiB, which the decoder keeps: a vector, an `Arc<[u8]>`, a
    /// mapped file, or a slice that lives as long as the decoder.
    ///
    /// ```compile_fail
    /// let mut decoder = cstrace::Decoder::new(cstrace::Layout::Raw).unwrap();
    /// {
    ///     let code = vec![0u8; 16];
    ///     decoder.add_code(&code[..]).unwrap(); // the code does not live long enough
    /// }
    /// decoder.reset();
    /// ```
    pub fn add_code<T: AsRef<[u8]> + Send + 'c>(&mut self, code: T) -> Result<Section> {
        let raw: *mut (dyn AsRef<[u8]> + Send + 'c) = Box::into_raw(Box::new(code));
        // SAFETY: a box is not null. The bytes stay where they are as long as their owner is
        // neither moved nor changed, and nobody else can reach it.
        let owner = OwnedCode(unsafe { NonNull::new_unchecked(raw) });
        let bytes = unsafe { owner.0.as_ref() }.as_ref();
        let section = made("code", |p| unsafe {
            sys::cst_section_new(
                p,
                self.image.as_ptr(),
                bytes.as_ptr().cast(),
                bytes.len() as u64,
                ptr::null_mut(),
            )
        })?;
        self.code.push(owner);
        Ok(Section {
            decoder: self.number,
            number: unsafe { sys::cst_section_id(section.as_ptr()) },
        })
    }

    /// Adds an empty address space.
    pub fn add_space(&mut self) -> Result<Space> {
        // SAFETY: the image is valid; so in all following calls, of what this decoder owns.
        let space = made("space", |p| unsafe { sys::cst_space_new(p, self.image.as_ptr()) })?;
        self.spaces.push(space);
        Ok(Space { decoder: self.number, index: self.spaces.len() - 1 })
    }

    fn space(&self, space: Space) -> Result<NonNull<sys::cst_space>> {
        match self.spaces.get(space.index) {
            Some(&found) if space.decoder == self.number => Ok(found),
            _ => Err(Error::new(Code::INVAL, "space of another decoder")),
        }
    }

    fn section(&self, section: Section) -> Result<NonNull<sys::cst_section>> {
        let found = unsafe { sys::cst_image_section(self.image.as_ptr(), section.number) };
        match NonNull::new(found) {
            Some(found) if section.decoder == self.number => Ok(found),
            _ => Err(Error::new(Code::INVAL, "section of another decoder")),
        }
    }

    /// Maps `length` bytes at `address` to the section, from `offset` in it. Replaces what was
    /// mapped there, as mmap(2) does. [`Code::INVAL`]: `address - offset` is not a multiple of 4,
    /// or the range wraps.
    pub fn map(
        &mut self,
        space: Space,
        address: u64,
        length: u64,
        section: Section,
        offset: u64,
    ) -> Result<()> {
        let (space, section) = (self.space(space)?, self.section(section)?);
        check(
            unsafe {
                sys::cst_space_map(space.as_ptr(), address, length, section.as_ptr(), offset)
            },
            "map",
        )?;
        Ok(())
    }

    /// Unmaps `length` bytes at `address`.
    pub fn unmap(&mut self, space: Space, address: u64, length: u64) -> Result<()> {
        let space = self.space(space)?;
        check(unsafe { sys::cst_space_unmap(space.as_ptr(), address, length) }, "unmap")?;
        Ok(())
    }

    /// Adds code at one address, in a space of its own: a section of all bytes, mapped at
    /// `address`.
    pub fn add_program<T: AsRef<[u8]> + Send + 'c>(
        &mut self,
        address: u64,
        code: T,
    ) -> Result<(Space, Section)> {
        let length = code.as_ref().len() as u64;
        let (section, space) = (self.add_code(code)?, self.add_space()?);
        self.map(space, address, length, section, 0)?;
        Ok((space, section))
    }

    /// Adds a source of trace with its code; without a space no code is known until
    /// [`Decoder::set_space`]. [`Code::INVAL`]: the trace ID has a source already, the layout is
    /// raw and has one, or a value of `config` has no meaning; [`Code::PROTOCOL`]: no decoder for
    /// it.
    pub fn add_source(&mut self, config: &Config, space: Option<Space>) -> Result<()> {
        let space = space.map(|space| self.space(space)).transpose()?;
        let source =
            made("source", |p| unsafe { sys::cst_tree_add(self.tree.as_ptr(), &config.0, p) })?;
        unsafe {
            sys::cst_decoder_set_space(
                source.as_ptr(),
                space.map_or(ptr::null_mut(), NonNull::as_ptr),
            );
        }
        if let Some(counts) = &self.counts {
            counts.attach(source).map_err(|e| {
                unsafe { sys::cst_tree_remove(self.tree.as_ptr(), source.as_ptr()) };
                e
            })?;
        }
        Ok(())
    }

    /// Removes the source of a trace ID; its statistics are gone, and further bytes of the ID are
    /// unrouted.
    pub fn remove_source(&mut self, trace_id: u8) -> Result<()> {
        let source = self.source(trace_id)?;
        unsafe { sys::cst_tree_remove(self.tree.as_ptr(), source.as_ptr()) };
        Ok(())
    }

    fn source(&self, trace_id: u8) -> Result<NonNull<sys::cst_decoder>> {
        NonNull::new(unsafe { sys::cst_tree_decoder(self.tree.as_ptr(), trace_id) })
            .ok_or_else(|| Error::new(Code::NOT_FOUND, "source of this trace ID"))
    }

    /// Sets the address space from which the next instructions of a source are read; None: no code.
    pub fn set_space(&mut self, trace_id: u8, space: Option<Space>) -> Result<()> {
        let source = self.source(trace_id)?;
        let space = space.map(|space| self.space(space)).transpose()?;
        unsafe {
            sys::cst_decoder_set_space(
                source.as_ptr(),
                space.map_or(ptr::null_mut(), NonNull::as_ptr),
            );
        }
        Ok(())
    }

    /// Sets the elements after which a batch of a source ends; a new source has none.
    pub fn set_stops(&mut self, trace_id: u8, stops: Stops) -> Result<()> {
        let source = self.source(trace_id)?;
        unsafe { sys::cst_decoder_set_stop(source.as_ptr(), stops.mask()) };
        Ok(())
    }

    /// Counts executed ranges and taken branches from now on, inside of the loop that decodes: most
    /// ranges have no element, but a [`Kind::Counted`](crate::Kind::Counted) stands for them.
    /// `joined`: branches that are not taken do not end a range of the counts. ETMv3 and PTM, and
    /// decoders with reports or checks, are counted by their elements, with the same result.
    /// [`Code::BUSY`]: the decoder counts already.
    pub fn count(&mut self, joined: bool) -> Result<()> {
        if self.counts.is_some() {
            return Err(Error::new(Code::BUSY, "count"));
        }
        let counts = Counts::new(self.image, joined)?;
        for trace_id in 0..0x80 {
            if let Ok(source) = self.source(trace_id) {
                // on an error the sources before it emit ranges again, since their counts are freed
                if let Err(error) = counts.attach(source) {
                    (0..trace_id).filter_map(|id| self.source(id).ok()).for_each(Counts::detach);
                    return Err(error);
                }
            }
        }
        self.counts = Some(counts);
        Ok(())
    }

    /// Takes the counts of a section so far, sorted; they begin at 0 again. An open range is
    /// counted with the element that ends it, at the latest at the end of the trace
    /// ([`Decoder::decode`], [`Decoder::finish`]).
    pub fn take_counts(&mut self, section: Section) -> Result<SectionCounts> {
        self.section(section)?;
        self.counting()?.take(section.number)
    }

    /// Branches taken so far from a section to others, sorted. Their counts are not taken, but
    /// stay.
    pub fn exits(&mut self, section: Section) -> Result<Vec<Exit>> {
        self.section(section)?;
        self.counting()?.exits(section.number)
    }

    fn counting(&mut self) -> Result<&mut Counts> {
        self.counts.as_mut().ok_or_else(|| Error::new(Code::INVAL, "counts before count()"))
    }

    /// Keeps reports of errors and findings in the trace, at most `keep` until they are taken; more
    /// are counted ([`Decoder::reports_dropped`]). They cost time: each range is an element again.
    /// [`Code::BUSY`]: reports are on already.
    pub fn record_reports(&mut self, keep: usize) -> Result<()> {
        if self.log.is_some() {
            return Err(Error::new(Code::BUSY, "reports"));
        }
        let log = Log::new(keep)?;
        unsafe { sys::cst_tree_set_log(self.tree.as_ptr(), log.raw()) };
        self.log = Some(log);
        Ok(())
    }

    /// Takes the reports so far, in the order of detection.
    pub fn take_reports(&mut self) -> Vec<Report> {
        self.log.as_mut().map_or_else(Vec::new, Log::take)
    }

    /// Number of reports that were not kept.
    pub fn reports_dropped(&self) -> u64 {
        self.log.as_ref().map_or(0, Log::dropped)
    }

    /// Number of reports of one severity, kept or not.
    pub fn report_count(&self, severity: Severity) -> u64 {
        self.log.as_ref().map_or(0, |log| log.count(severity))
    }

    /// Statistics of a source since it was added; resets keep them.
    pub fn stats(&self, trace_id: u8) -> Result<Stats> {
        let source = self.source(trace_id)?;
        Ok(Stats::of(unsafe { &*sys::cst_decoder_stats(source.as_ptr()) }))
    }

    /// Statistics of the frames.
    pub fn frame_stats(&self) -> FrameStats {
        FrameStats::of(unsafe { &*sys::cst_tree_frame_stats(self.tree.as_ptr()) })
    }

    /// Number of bytes of trace IDs that have no source.
    pub fn unrouted(&self) -> u64 {
        unsafe { sys::cst_tree_unrouted(self.tree.as_ptr()) }
    }

    /// Resets all sources and the frames: what is fed next does not continue what came before.
    /// Bytes that were fed and not decoded are counted as lost. Statistics, counts and code stay.
    pub fn reset(&mut self) {
        unsafe { sys::cst_tree_reset(self.tree.as_ptr()) };
        self.pending = false;
        self.fresh = true;
    }

    /// Drops input that a forgotten [`Decoding`] has left.
    fn settle(&mut self) {
        if self.pending {
            self.reset();
        }
    }

    /// Pulls elements into `out`; 0 at the end of what was fed.
    fn pull(&mut self) -> Result<usize> {
        let mut pull = MaybeUninit::<sys::cst_pull>::uninit();
        let (tree, out) = (self.tree.as_ptr(), self.out.as_mut_ptr().cast());
        // SAFETY: `out` has room for as many elements, and the bytes that were fed are still lent.
        let n = unsafe { sys::cst_tree_pull(tree, out, self.out.len(), pull.as_mut_ptr()) };
        let n = check(n, "pull")? as usize;
        if n == 0 {
            self.pending = false;
        } else if let Some(counts) = &mut self.counts {
            // SAFETY: the pull returned elements, so it has set the source, which is null for a
            // barrier.
            if let Some(source) = NonNull::new(unsafe { pull.assume_init() }.dec) {
                counts.add(source, self.out.as_ptr().cast(), n)?;
            }
        }
        Ok(n)
    }

    fn start<'d, 't>(&'d mut self, trace: &'t [u8], offset: u64) -> Result<Decoding<'d, 'c, 't>> {
        // SAFETY: the bytes live as long as the result. If that is forgotten, `pending` stays set,
        // and the next call drops the bytes before it pulls.
        let fed =
            unsafe { sys::cst_tree_feed(self.tree.as_ptr(), trace.as_ptr(), trace.len(), offset) };
        check(fed, "feed").map_err(|e| e.at(offset))?;
        Ok(self.decoding())
    }

    fn decoding<'d, 't>(&'d mut self) -> Decoding<'d, 'c, 't> {
        self.pending = true;
        self.fresh = false;
        Decoding { decoder: self, done: false, next: 0, filled: 0, input: PhantomData }
    }

    /// Decodes a piece of trace, which continues the last one; `offset` is the trace offset of its
    /// first byte. [`Code::BUSY`]: the trace was ended by [`Decoder::finish`] or
    /// [`Decoder::decode`], and not reset; [`Code::INVAL`]: the layout is raw, and there is no
    /// source.
    ///
    /// ```compile_fail
    /// let mut decoder = cstrace::Decoder::new(cstrace::Layout::linux()).unwrap();
    /// let mut trace = vec![0u8; 16];
    /// let mut elements = decoder.feed(&trace, 0).unwrap();
    /// trace[0] = 1; // is borrowed
    /// elements.next();
    /// ```
    pub fn feed<'d, 't>(
        &'d mut self,
        trace: &'t [u8],
        offset: u64,
    ) -> Result<Decoding<'d, 'c, 't>> {
        self.settle();
        self.start(trace, offset)
    }

    /// Ends the trace that was fed: decodes what remains, up to an end of trace of each source.
    /// [`Decoder::reset`] or [`Decoder::decode`] begins another one.
    pub fn finish(&mut self) -> Decoding<'_, 'c, 'static> {
        self.settle();
        unsafe { sys::cst_tree_end(self.tree.as_ptr()) };
        self.decoding()
    }

    /// Decodes a whole trace, which does not continue the last one, up to its end.
    pub fn decode<'d, 't>(
        &'d mut self,
        trace: &'t [u8],
        offset: u64,
    ) -> Result<Decoding<'d, 'c, 't>> {
        self.settle();
        if !self.fresh {
            self.reset();
        }
        let decoding = self.start(trace, offset)?;
        unsafe { sys::cst_tree_end(decoding.decoder.tree.as_ptr()) };
        Ok(decoding)
    }
}

impl std::fmt::Debug for Decoder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Decoder")
            .field("sections", &self.code.len())
            .field("spaces", &self.spaces.len())
            .field("counts", &self.counts.is_some())
            .finish_non_exhaustive()
    }
}

/// The elements of trace that was given to a decoder, decoded as they are asked for. As an iterator
/// it returns one at a time; [`Decoding::next_batch`] is faster. If it is dropped before its end,
/// the rest of the trace is not decoded, but counted as lost, and the decoder is reset.
#[derive(Debug)]
pub struct Decoding<'d, 'c, 't> {
    decoder: &'d mut Decoder<'c>,
    done: bool,
    /// Elements `out[next..filled]` were pulled and not returned by next().
    next: usize,
    filled: usize,
    input: PhantomData<&'t [u8]>,
}

impl<'d, 'c, 't> Decoding<'d, 'c, 't> {
    /// Pulls into `out` and returns the number of elements. An error ends the decoding.
    fn pull(&mut self) -> Result<usize> {
        self.next = 0;
        self.filled = 0;
        if self.done {
            return Ok(0);
        }
        let pulled = self.decoder.pull();
        self.filled = *pulled.as_ref().unwrap_or(&0);
        self.done = self.filled == 0;
        pulled
    }

    /// Elements that were pulled.
    fn pulled(&self, from: usize, to: usize) -> &[Element] {
        let pulled = &self.decoder.out[from..to];
        // SAFETY: the library has written these, and Element is a transparent cst_generic.
        unsafe { std::slice::from_raw_parts(pulled.as_ptr().cast(), pulled.len()) }
    }

    /// The next elements, all of one trace ID; None at the end. Those of different IDs are in the
    /// order in which the frames complete them.
    pub fn next_batch(&mut self) -> Result<Option<&[Element]>> {
        if self.next == self.filled && self.pull()? == 0 {
            return Ok(None);
        }
        let from = std::mem::replace(&mut self.next, self.filled);
        Ok(Some(self.pulled(from, self.filled)))
    }

    /// Decodes to the end, for what is counted, and returns the number of elements.
    pub fn run(mut self) -> Result<u64> {
        let mut elements = 0;
        while let Some(batch) = self.next_batch()? {
            elements += batch.len() as u64;
        }
        Ok(elements)
    }

    /// The executed ranges.
    pub fn ranges(self) -> Ranges<'d, 'c, 't> {
        Ranges(self)
    }

    /// The taken branches. For trace in pieces [`Decoding::branches_with`] keeps the last branch of
    /// a piece for the next one.
    pub fn branches(self) -> Branches<'d, 'c, 't, BranchState> {
        self.branches_with(BranchState::new())
    }

    /// The taken branches, with a state (by value or `&mut`) that the caller keeps.
    pub fn branches_with<S: BorrowMut<BranchState>>(self, state: S) -> Branches<'d, 'c, 't, S> {
        Branches { elements: self, state }
    }

    /// As [`Decoder::set_space`], for the instructions after the last batch.
    pub fn set_space(&mut self, trace_id: u8, space: Option<Space>) -> Result<()> {
        self.decoder.set_space(trace_id, space)
    }

    /// As [`Decoder::map`], for the instructions after the last batch.
    pub fn map(
        &mut self,
        space: Space,
        address: u64,
        length: u64,
        section: Section,
        offset: u64,
    ) -> Result<()> {
        self.decoder.map(space, address, length, section, offset)
    }

    /// As [`Decoder::unmap`], for the instructions after the last batch.
    pub fn unmap(&mut self, space: Space, address: u64, length: u64) -> Result<()> {
        self.decoder.unmap(space, address, length)
    }
}

impl Iterator for Decoding<'_, '_, '_> {
    type Item = Result<Element>;

    fn next(&mut self) -> Option<Result<Element>> {
        if self.next == self.filled {
            match self.pull() {
                Ok(0) => return None,
                Ok(_) => (),
                Err(error) => return Some(Err(error)),
            }
        }
        self.next += 1;
        Some(Ok(self.pulled(self.next - 1, self.next)[0]))
    }
}

/// The executed ranges of a [`Decoding`].
#[derive(Debug)]
pub struct Ranges<'d, 'c, 't>(Decoding<'d, 'c, 't>);

impl Iterator for Ranges<'_, '_, '_> {
    type Item = Result<Range>;

    fn next(&mut self) -> Option<Result<Range>> {
        self.0.find_map(|element| element.map(|element| element.range()).transpose())
    }
}

/// The taken branches of a [`Decoding`].
#[derive(Debug)]
pub struct Branches<'d, 'c, 't, S> {
    elements: Decoding<'d, 'c, 't>,
    state: S,
}

impl<S: BorrowMut<BranchState>> Iterator for Branches<'_, '_, '_, S> {
    type Item = Result<Branch>;

    fn next(&mut self) -> Option<Result<Branch>> {
        let state = self.state.borrow_mut();
        self.elements.find_map(|element| element.map(|element| state.take(&element)).transpose())
    }
}

impl Drop for Decoding<'_, '_, '_> {
    fn drop(&mut self) {
        self.decoder.settle();
    }
}
