/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cstrace.h - the whole library. The list of headers is the pipeline, from trace bytes to program flow.
 */
#ifndef CSTRACE_H
#define CSTRACE_H

#include <cstrace/error.h>	/* the one error channel */
#include <cstrace/types.h>	/* common words */
#include <cstrace/config.h>	/* trace unit registers -> decoder configuration */
#include <cstrace/frame.h>	/* formatter frames -> bytes per trace ID */
#include <cstrace/packet.h>	/* bytes -> packets */
#include <cstrace/element.h>	/* packets -> committed trace elements */
#include <cstrace/isa.h>	/* opcodes -> waypoints */
#include <cstrace/image.h>	/* address spaces -> code bytes */
#include <cstrace/flow.h>	/* elements + code -> generic trace elements */
#include <cstrace/counts.h>	/* how often each range and branch ran, without an element for each */
#include <cstrace/protocol.h>	/* what a protocol is made of: for custom decoders */
#include <cstrace/log.h>	/* what is wrong in the trace, record by record */
#include <cstrace/tree.h>	/* decoders, and routing by trace ID */
#include <cstrace/index.h>	/* where decoding can begin, and what is where */
#include <cstrace/snapshot.h>	/* Arm snapshots */
#include <cstrace/doc.h>	/* INI text */
#include <cstrace/metadata.h>	/* trace metadata: registers and options */
#include <cstrace/event.h>	/* system event log */
#include <cstrace/state.h>	/* the traced system at a moment of its log */
#include <cstrace/package.h>	/* trace packages */

#endif
