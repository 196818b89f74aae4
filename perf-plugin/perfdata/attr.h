/* SPDX-License-Identifier: GPL-2.0-only */
/* attr.h - the recorded events: their attributes, sample ids and names. */
#ifndef CSTRACE_PERFDATA_ATTR_H
#define CSTRACE_PERFDATA_ATTR_H

#include "base/slots.h"
#include "perfdata/records.h"

struct pd_attr {
	struct perf_event_attr attr;	/* native; fields newer than this build are not kept */
	uint32_t file_size;		/* attr.size in the file */
	unsigned int index;
	const uint64_t *ids;
	uint32_t nr_ids;
	bool damaged;			/* the ids lie outside the file */
	char *name;			/* NULL when the file names no event */
	/*
	 * Where the id is, counted in 64-bit words: from the start of a sample, and back from
	 * the end of any other record; -1 when there is none.
	 */
	int id_pos;
	int is_pos;
	unsigned int trailer;		/* bytes of sample_id that end a record, may be 0 */
};

struct pd_attrs {
	struct pd_attr **v;
	unsigned int nr;
	size_t cap;
	bool same_pos;			/* every attr has its id at the same places */
	struct pd_id {			/* each id once */
		uint64_t id;
		struct pd_attr *attr;
	} *ids;
	size_t nr_ids, cap_ids;
	struct slots slots;		/* of `ids` */
};

void pd_attrs_init(struct pd_attrs *as);
void pd_attrs_free(struct pd_attrs *as);

/*
 * Add an attr of @size native bytes, and take a copy of the @nr_ids ids (host order). The
 * result is valid until pd_attrs_free(); NULL when memory is short.
 */
struct pd_attr *pd_attrs_add(struct pd_attrs *as, const void *attr, uint32_t size,
			     const uint64_t *ids, uint32_t nr_ids);

/* Replace the name, given as @len bytes that need no terminator. */
void pd_attr_set_name(struct pd_attr *a, const char *name, size_t len);

struct pd_attr *pd_attrs_by_id(const struct pd_attrs *as, uint64_t id);

/* The attr whose layout @ev follows; @ev is not swapped yet when @swapped. NULL without attrs. */
struct pd_attr *pd_attrs_of_event(const struct pd_attrs *as, const union perf_event *ev,
				  bool swapped);

#endif
