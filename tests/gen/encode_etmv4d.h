/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * encode_etmv4d.h - a random ETMv4 data trace stream, as far as its packets are publicly described, and what an
 * analyzer must make of it. P1 and P2 packets are there by their headers, with anything behind: nothing may be read
 * up to the next alignment synchronisation.
 */
#ifndef CSTRACE_TESTS_GEN_ENCODE_ETMV4D_H
#define CSTRACE_TESTS_GEN_ENCODE_ETMV4D_H

#include <stddef.h>
#include <stdint.h>

enum dt_kind { DT_MARKER_NUM, DT_MARKER, DT_TIME, DT_EVENT, DT_LOST, DT_UNKNOWN };

struct dt_event {
	uint8_t kind;		/* enum dt_kind; UNKNOWN: decoding stops at a P1 or P2 packet */
	uint64_t value;
	uint64_t off;		/* of the packet */
};

struct dt_stream {
	uint8_t *bytes;
	size_t len;
	struct dt_event *ev;
	size_t nev;
	uint64_t unknown;	/* bytes that cannot be decoded */
	uint64_t overflows, discards, suppressed;
	size_t *sync;		/* offsets of the alignment synchronisations */
	size_t nsync;
};

void dt_make(uint64_t seed, struct dt_stream *s);
void dt_free(struct dt_stream *s);

#endif
