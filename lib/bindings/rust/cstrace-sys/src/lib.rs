// SPDX-License-Identifier: BSD-3-Clause
//! Declarations of [libcstrace](https://docs.rs/cstrace), made from the C headers
//! `cstrace/cstrace.h` and `cstrace/files/files.h`. The comments of the headers, which are in the
//! folder `include` of this crate, are their documentation. The crate `cstrace` has a safe
//! interface.
//!
//! The crate builds the library from the sources in it, for which it needs a C compiler. With the
//! feature `system` it links an installed library of this version or a later one, which pkg-config
//! finds.
//!
//! Unnamed members of structs and unions are named `inner1`, `inner2` in their order, their types
//! after the struct. An `enum` is a number with constants. A struct that begins with `struct_size`
//! may be all zeros, which stands for the members of the first release; with `size_of` it is the
//! whole struct (`cstrace/cstrace.h`, "Sizes of structs"). Functions marked `CST_EXPERIMENTAL` in
//! the headers may change in any version of the library.
#![allow(non_camel_case_types)]

#[rustfmt::skip]
#[allow(clippy::all)]
mod bindings;
pub use bindings::*;
