/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contextid.h - what a traced context ID means. Linux for AArch64 puts the thread into CONTEXTIDR, or, without
 * PID_IN_CONTEXTIDR, nothing; Linux for AArch32 puts an ASID into bits 7:0 and with PID_IN_CONTEXTIDR the
 * thread into bits 31:8. No file says which it was: the recorder's architecture and the threads that are
 * known decide. Of a context ID that is traced in 8 or 16 bits only these are known.
 */
#ifndef CSTRACE_TASKS_CONTEXTID_H
#define CSTRACE_TASKS_CONTEXTID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum contextid_format {
	CONTEXTID_AUTO,
	CONTEXTID_TID,		/* the thread, from bit 0 on */
	CONTEXTID_TID_ASID,	/* the thread in bits 31:8, an ASID in bits 7:0 */
	CONTEXTID_ASID,		/* only an ASID */
	CONTEXTID_NONE,		/* nothing: it must not be used */
};

/* What is known about one value, to tell formats apart. */
struct contextid_evidence {
	bool tid;		/* a thread of that number has code */
	bool tid_shifted;	/* so has one of the number in the upper bits */
	bool asid;		/* it was declared as an ASID */
	int running;		/* who ran on the CPU then, from switches; -1 unknown */
};

struct learn_log;

struct contextid {
	struct learn_log *log;	/* of questions and answers (learned.h); NULL: none is kept */
	enum contextid_format forced;	/* by the user; CONTEXTID_AUTO: not */
	enum contextid_format decided;	/* CONTEXTID_AUTO: not yet */
	enum { ARCH_UNKNOWN, ARCH_ARM, ARCH_ARM64 } arch;
	bool seen[CONTEXTID_NONE + 1];	/* formats that values were taken in */
};

/* `arch` is what the file says (uname -m), NULL nothing. */
void contextid_init(struct contextid *c, enum contextid_format forced, const char *arch);
/* True when no evidence is needed any more. */
static inline bool contextid_decided(const struct contextid *c)
{
	return c->forced || c->decided == CONTEXTID_TID || c->decided == CONTEXTID_TID_ASID;
}

/* How to read a value of which `bits` are traced. */
enum contextid_format contextid_choose(struct contextid *c, uint32_t value, unsigned int bits,
				       const struct contextid_evidence *ev);

/* "auto", "tid", "tid-asid", "asid", "none"; false: none of these. */
bool contextid_parse(const char *text, enum contextid_format *format);
const char *contextid_name(enum contextid_format format);

#endif
