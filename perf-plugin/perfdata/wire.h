/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire.h - reads fields of a protocol buffers message ("Encoding" of protobuf.dev), inside its
 * bounds.
 */
#ifndef CSTRACE_PERFDATA_WIRE_H
#define CSTRACE_PERFDATA_WIRE_H

#include "perfdata/bytes.h"

/* How the value of a field is coded ("wire type"); groups, 3 and 4, are not written any more. */
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct wire_field {
	uint32_t number;
	unsigned int wire;
	uint64_t value;			/* WIRE_VARINT */
	struct pd_cursor bytes;		/* WIRE_BYTES */
};

/* False: the message is at its end, or damaged, which c->bad says. */
bool wire_next(struct pd_cursor *c, struct wire_field *f);

#endif
