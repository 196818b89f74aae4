/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cstrace.h - the whole library. The list of headers is the pipeline, from trace bytes to program flow.
 *
 * Threads. The library has no global state: functions work on their arguments only. An object (a tree with its decoders
 * and their log, an image with its sections and spaces, counts, an index builder, a state, a reader) belongs to one
 * thread at a time; objects that are attached to each other belong to the same one. Different threads may work on
 * different objects without locks. Threads may share data that none of them changes: trace and code bytes,
 * configurations, packets and elements, finished indexes, snapshots, packages and metadata, tables of images (struct
 * cst_images). Functions that the headers mark as "pure", or that return "static text", may be called from any thread.
 *
 * Errors. A function that fails returns a negative -CST_ERR_x (error.h) and has created nothing: the pointer that a
 * function ..._new() or ..._read() would set must not be used, and nothing must be freed. All of them can return
 * -CST_ERR_NOMEM; the comment of each names the others.
 *
 * Sizes of structs. A later version may add members at the end of a struct that the caller
 * provides. Such a struct begins with `struct_size`: its sizeof in the caller's headers, or 0,
 * which stands for its size in the first release in all later versions. So a struct that was
 * zeroed is always right for the members of that, and one that was not initialised is not. A
 * member that the caller's struct does not have is 0 for the library, and is not written; nor is
 * struct_size, or anything behind the struct. A struct with more members than the library knows is
 * accepted if they are 0, so that no request is ignored; in a struct for results they stay as they
 * are. -CST_ERR_INVAL (0 from functions that return size_t or a hash): members that the library
 * does not know are not 0, or struct_size is less than the size in the first release or more than
 * 4096. Three kinds of structs have no such member, so that calls in inner loops need none:
 *   - those in arrays or filled in inner loops, whose size is fixed: cst_generic (64 bytes), cst_element, cst_context,
 *     cst_pull, cst_scan, cst_fragment, cst_pair, cst_pairs, cst_insn, cst_reserved_field, cst_index_place, cst_str,
 *     cst_sink, cst_item, cst_problem, cst_index_problem, cst_tarmac_reg_name, cst_count_record and its members,
 *     cst_count_input, and the parts of a cst_snapshot;
 *   - cst_deframer, whose size is fixed because it has reserved fields;
 *   - those that the library allocates (cst_stats, cst_log_record, cst_index, cst_metadata,
 *     cst_package, ...): a program reads their fields, but creates none but sums of statistics, has
 *     no arrays of them, and copies one only with the size that it was compiled with.
 * Where the library allocates a struct with `struct_size` (cst_tarmac_next(), events of a state,
 * packets for the functions of a protocol) it is at most the library's size; 0 stands for that of
 * the first release.
 *
 * Stability. A function marked CST_EXPERIMENTAL has no user outside the tests and may change or disappear in any
 * version. All others are kept until the soname changes (CST_VERSION_MAJOR).
 */
#ifndef CSTRACE_H
#define CSTRACE_H

#include <cstrace/version.h>	/* version of the headers and of the library */
#include <cstrace/error.h>	/* the one error channel */
#include <cstrace/types.h>	/* common words */
#include <cstrace/config.h>	/* trace unit registers -> decoder configuration */
#include <cstrace/frame.h>	/* formatter frames -> bytes per trace ID */
#include <cstrace/packet.h>	/* bytes -> packets */
#include <cstrace/element.h>	/* packets -> committed trace elements */
#include <cstrace/isa.h>	/* opcodes -> waypoints */
#include <cstrace/image.h>	/* address spaces -> code bytes */
#include <cstrace/flow.h>	/* elements + code -> generic trace elements */
#include <cstrace/counts.h>	/* execution counts without an element per range */
#include <cstrace/protocol.h>	/* the interface of a protocol, for custom decoders */
#include <cstrace/log.h>	/* record per error or finding in the trace */
#include <cstrace/decoder.h>	/* bytes of one trace ID -> generic elements */
#include <cstrace/tree.h>	/* routing of a buffer to decoders by trace ID */
#include <cstrace/index.h>	/* index of a trace buffer: entry points and contents */

#endif
