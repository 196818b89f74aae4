/* SPDX-License-Identifier: BSD-3-Clause */
/* event_int.h - the verbs of the event log as a table, for its reader and its writer. */
#ifndef CST_LIB_FILES_HISTORY_EVENT_INT_H
#define CST_LIB_FILES_HISTORY_EVENT_INT_H

#include <cstrace/files/event.h>

/* Arguments by position. */
enum cst_event_arg {
	ARG_STATE,
	ARG_PID,
	ARG_TID,
	ARG_ASID,
	ARG_TRACE_ID,
	ARG_BASE,	/* number or None */
	ARG_START,
	ARG_LENGTH,
	ARG_NAME,
	ARG_UUID,	/* may be left out */
	ARG_CODE,
};

#define CST_EVENT_ARGS 5

struct cst_event_verb_row {
	const char *name;
	uint8_t n_args;
	uint8_t args[CST_EVENT_ARGS];	/* enum cst_event_arg */
};

/* By enum cst_event_verb. */
extern const struct cst_event_verb_row cst_event_verbs[CST_EVENT_OTHER];
extern const char *const cst_event_states[3];

/* Where the reader is, as an offset into the log. */
size_t cst_event_tell(const struct cst_event_reader *r);
void cst_event_seek(struct cst_event_reader *r, size_t offset);
int cst_event_is_key(struct cst_str s);
int cst_event_parse_signed(struct cst_str s, int64_t *value);

#endif
