/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - what each record type consists of, as a table: the reader checks sizes with it, finds the one
 * string a record can have, and turns records of the other byte order into native ones.
 */
#ifndef CSTRACE_PERFDATA_LAYOUT_H
#define CSTRACE_PERFDATA_LAYOUT_H

#include "perfdata/records.h"

struct pd_layout {
	uint16_t min_size;	/* smallest valid header.size, sample_id not counted */
	bool sample_id;		/* a sample_id trailer follows when the attr asks for it */
	const char *fields;	/* see layout.c */
};

/* NULL for a type that is not in the table. */
const struct pd_layout *pd_layout_find(uint32_t type);

/*
 * Check @ev, whose bytes up to header.size are readable. @body is header.size less the sample_id
 * trailer. Returns NULL, or what is wrong, as a phrase for a message.
 */
const char *pd_layout_check(const struct pd_layout *l, const union perf_event *ev, size_t body);

/* Swap the fields after the header up to @body; the header itself is native already. */
void pd_layout_swap(const struct pd_layout *l, union perf_event *ev, size_t body);

/* Swap a perf_event_attr of @size bytes in place. */
void pd_layout_swap_attr(void *attr, size_t size);

#endif
