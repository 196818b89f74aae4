/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.h - the system event log of a trace package: what changed in the traced system, and when
 * (Arm's CoreSight trace decode metadata requirements, sections 5.5 to 5.8).
 *
 * A text, one event per line, '#' starts a comment line:
 *
 *	TIME VERB(ARGUMENT, ... KEY=VALUE, ...)
 *
 *	declare_process(STATE, pid, base_address, image_file, uuid)
 *	declare_thread(STATE, tid, pid)
 *	declare_library(STATE, pid, base_address, image_file, uuid)
 *	patch_code(pid, start_address, length, code)
 *	declare_asid(STATE, asid, pid)
 *	define_trace(STATE, trace_id, source)
 *	x_NAME(...)		anything else; readers skip unknown names
 *
 * TIME is a decimal number in the unit that contents.ini gives, or '-' when it is not known. STATE is START,
 * END or CURRENT. Numbers are decimal or 0x, pid and tid may be negative. The kernel is pid 0. A value is a
 * word of A-Z a-z 0-9 _ . : / + - @, a "string" with the escapes \" \\ \n \r \t \xNN, bytes in hexadecimal
 * as <0a1b>, or None. uuid and base_address may be None, uuid may be left out. code is <bytes>, None, or a
 * name of [code] in contents.ini. Any number of KEY=VALUE may follow, at most CST_EVENT_PARAMS in all.
 * These have a meaning here; others are kept:
 *
 *	size=N		bytes from base_address (process, library)
 *	offset=N	offset in the image file of base_address (process, library); in the code (patch_code)
 *	inherit=PID	(declare_process START) libraries and patches of PID are there too: a fork
 *	inherited=PID	the same, when the libraries and patches follow as events
 *	implied=1	follows from other events, whose content it repeats
 *	of_NAME=VALUE	(END) repeats NAME=VALUE of the entity, since NAME alone would be a property of the END;
 *			of_none: it had no parameters
 *	at_NAME, perf	said of the event, not of what it is about: never in implied events
 *	rest=1		(declare_library START) what is left of one that was cut: its patches stay. Otherwise
 *			patches end where a library starts
 *	state=STATE	(patch_code) START when absent; END: the patch is gone, CURRENT: it is in place
 *	register=N	(define_trace) e.g. TRCCONFIGR=0xc1: new values
 */
#ifndef CSTRACE_FILES_EVENT_H
#define CSTRACE_FILES_EVENT_H

#include <cstrace/files/doc.h>
#include <cstrace/types.h>

CST_BEGIN

#define CST_EVENT_NO_TIME UINT64_MAX
#define CST_EVENT_PARAMS 64
#define CST_EVENT_KERNEL 0	/* process ID of the kernel */

enum cst_event_verb {
	CST_EVENT_PROCESS,
	CST_EVENT_THREAD,
	CST_EVENT_LIBRARY,
	CST_EVENT_PATCH,
	CST_EVENT_ASID,
	CST_EVENT_TRACE,
	CST_EVENT_OTHER,	/* x_NAME */
};

enum cst_event_state {
	CST_STATE_START,
	CST_STATE_END,
	CST_STATE_CURRENT,
};

enum cst_event_code {
	CST_CODE_NONE,
	CST_CODE_ID,	/* `code` is a name of the section [code] */
	CST_CODE_BYTES,	/* `code` is the code itself */
};

/* KEY=VALUE; in x_ events also a plain argument (key.n 0). value.p NULL: None. */
struct cst_event_param {
	struct cst_str key, value;
};

struct cst_event {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint64_t time;
	unsigned int line;	/* line number in the log, set by the reader */
	uint8_t verb;		/* enum cst_event_verb */
	uint8_t state;		/* enum cst_event_state; not for x_ */
	uint8_t code_kind;	/* patch_code: enum cst_event_code */
	uint8_t has_base;	/* 0: base_address is None */
	uint8_t has_size;
	int64_t pid;
	int64_t tid;
	uint64_t base;		/* base_address, start_address */
	uint64_t size;		/* item size=; patch_code: length */
	uint64_t offset;	/* item offset=; 0 if absent */
	uint32_t asid;
	uint32_t trace_id;
	struct cst_str name;	/* image_file, source, or the x_NAME; p NULL: None */
	struct cst_str uuid;	/* p NULL: None */
	struct cst_str code;
	/* parameters other than size=, offset= and state= */
	const struct cst_event_param *params;
	size_t n_params;
};

/* Returns the value of a parameter; .p is NULL if it is absent or None. */
CST_API struct cst_str cst_event_param(const struct cst_event *ev, const char *key);
/* returns 1 with *value, 0 if absent or not a number */
CST_API int cst_event_number(const struct cst_event *ev, const char *key, int64_t *value);

/*
 * A reader of a log in memory, for one thread at a time. The text is not copied and must stay valid. Pointers in an
 * event are valid until the next call.
 */
struct cst_event_reader;
/*
 * Creates a reader. `line` limits the length of a line in bytes; 0: 16 MiB. The reader allocates the longest line at
 * most. -CST_ERR_NOMEM.
 */
CST_API int cst_event_reader_new(struct cst_event_reader **r, const void *text, size_t len, size_t line);
CST_API void cst_event_reader_free(struct cst_event_reader *r);
typedef void cst_event_passed_fn(void *ctx);
/*
 * Makes cst_event_next() call fn(ctx) whenever it has read `step` bytes since the last call; NULL: not any more. For a text
 * that is a mapped file, of which not all pages need to stay in memory. `fn` does not use the reader.
 */
CST_API void cst_event_reader_watch(struct cst_event_reader *r, size_t step, cst_event_passed_fn *fn, void *ctx);
/*
 * Reads the event after (next) or before (prev) the position of the reader and moves the position over it. Returns 1; 0
 * at the end of the log; negative for a malformed line (-CST_ERR_SYNTAX, _LIMIT, _NOMEM), which *why names and the
 * position skips, so that the next call continues behind it. Both directions return the same events.
 */
CST_API int cst_event_next(struct cst_event_reader *r, struct cst_event *ev,
			   struct cst_problem *why);
CST_EXPERIMENTAL
CST_API int cst_event_prev(struct cst_event_reader *r, struct cst_event *ev,
			   struct cst_problem *why);
/* Moves the reader to the start (0) or the end (1) of the log. */
CST_EXPERIMENTAL
CST_API void cst_event_rewind(struct cst_event_reader *r, int end);

/*
 * Writes an event as a line with its '\n' to out[0..cap). Returns the length of the line, which is complete if that is
 * at most `cap`. -CST_ERR_INVAL: the event cannot be written (an unknown verb, a bad name).
 */
CST_API int64_t cst_event_write(const struct cst_event *ev, char *out, size_t cap);

CST_END

#endif
