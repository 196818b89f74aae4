/* SPDX-License-Identifier: GPL-2.0-only */
/* packets.h - inside compare: the packets of the trace around a difference. */
#ifndef CSTRACE_OUTPUTS_COMPARE_PACKETS_H
#define CSTRACE_OUTPUTS_COMPARE_PACKETS_H

#include <stdint.h>

#include "base/files/output.h"
#include "session/decode/stream.h"

/* Where a stream differs first. */
struct packets_place {
	unsigned int buffer;
	uint8_t trace_id;
	uint64_t offset;	/* in the trace */
	char *title;		/* printed before its packets; the owner frees it */
};

/* Prints the packets around each place; decodes the session once more. 0, or negative. */
int packets_print(struct session *ss, struct pd_output *out, const struct packets_place *places, size_t nr);

#endif
