/* SPDX-License-Identifier: GPL-2.0-only */
/* phone.h - what Android's simpleperf records of the kernel beyond what perf does. */
#ifndef CSTRACE_MACHINE_SIDEBAND_PHONE_H
#define CSTRACE_MACHINE_SIDEBAND_PHONE_H

#include <stddef.h>
#include <stdint.h>

struct pd_record;
struct side_events;

/* A record that came in pieces, of which the last one is still to come. */
struct phone {
	uint8_t *piece;
	size_t len, cap;
	uint8_t too_long;	/* it is dropped */
};

/* One of simpleperf's records, on the first pass; others are ignored. */
void phone_record(struct side_events *se, const struct pd_record *rec);
/* After the first pass: where the code of modules was. */
void phone_finish(struct side_events *se);
void phone_free(struct phone *p);

#endif
