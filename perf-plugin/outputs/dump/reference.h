/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reference.h - rewrites packets and elements into those that the reference lister prints. This is all for which one
 * packet or element is enough; lib/base/quirks.def has what changes the decoding of those that follow.
 */
#ifndef CSTRACE_OUTPUTS_DUMP_REFERENCE_H
#define CSTRACE_OUTPUTS_DUMP_REFERENCE_H

#include <stdbool.h>

#include <cstrace/cstrace.h>

/* Makes the packet the reference's. */
void reference_packet(struct cst_packet *pkt);

/* Makes the element the reference's; false if that has none. */
bool reference_element(struct cst_generic *g, unsigned int protocol);

/* Removes losses that the reference does not count. */
void reference_stats(struct cst_stats *stats);

#endif
