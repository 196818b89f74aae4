/* SPDX-License-Identifier: GPL-2.0-only */
/* event_of.h - records of perf.data as events of a package's log; import/events.h says which record becomes which. */
#ifndef CSTRACE_OUTPUTS_EXPORT_EVENT_OF_H
#define CSTRACE_OUTPUTS_EXPORT_EVENT_OF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/event.h>

#include "perfdata/reader.h"
#include "session/import/sources.h"

#define EVENT_STORE	(3u << 16)	/* text of the values of one event */

/* An event while it is put together. */
struct event_build {
	struct cst_event ev;
	struct cst_event_param params[CST_EVENT_PARAMS];
	char store[EVENT_STORE];
	size_t used;
	bool overflow;
};

void event_begin(struct event_build *b, enum cst_event_verb verb, const char *name, uint64_t time);
void event_text(struct event_build *b, const char *key, const char *value);
void event_bytes(struct event_build *b, const char *key, const void *data, size_t len);
void event_number(struct event_build *b, const char *key, uint64_t value);	/* hexadecimal */
void event_signed(struct event_build *b, const char *key, int64_t value);

/*
 * The event of a record of `pd`, but not of AUXTRACE and AUXTRACE_INFO, which need more than the record.
 * Everything it points to is in `b` or in the record.
 */
void event_of_record(struct event_build *b, const struct pd_record *rec, const struct source_names *sources,
		     const struct perfdata *pd);

#endif
