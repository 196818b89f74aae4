/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * contextid.h - format of the traced context ID. Linux for AArch64 writes the thread ID to CONTEXTIDR, or nothing
 * without PID_IN_CONTEXTIDR. Linux for AArch32 has an ASID in bits 7:0 and, with PID_IN_CONTEXTIDR, the thread ID in
 * bits 31:8. No file records the format, so it is derived from the recorder's architecture and the known threads. The
 * trace may contain only the low 8 or 16 bits.
 */
#ifndef CSTRACE_MACHINE_TASKS_CONTEXTID_H
#define CSTRACE_MACHINE_TASKS_CONTEXTID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum contextid_format {
	CONTEXTID_AUTO,
	CONTEXTID_TID,		/* thread ID from bit 0 on */
	CONTEXTID_TID_ASID,	/* thread ID in bits 31:8, ASID in bits 7:0 */
	CONTEXTID_ASID,		/* ASID only */
	CONTEXTID_NONE,		/* not written by the kernel: not to be used */
};

/* Evidence for the format of one value. */
struct contextid_evidence {
	bool tid;		/* a thread with this number has code */
	bool tid_shifted;	/* a thread with the number in the upper bits has code */
	bool asid;		/* declared as an ASID */
	int running;		/* thread that ran on the CPU according to switches; -1 unknown */
};

struct learn_log;

struct contextid {
	struct learn_log *log;	/* log of queries and answers (learned.h); NULL: none */
	enum contextid_format forced;	/* given by the user; CONTEXTID_AUTO: not given */
	enum contextid_format decided;	/* CONTEXTID_AUTO: not decided yet */
	enum { ARCH_UNKNOWN, ARCH_ARM, ARCH_ARM64 } arch;
	bool seen[CONTEXTID_NONE + 1];	/* formats that were chosen for values */
};

/* `arch` is the machine name in the file (uname -m), or NULL. */
void contextid_init(struct contextid *c, enum contextid_format forced, const char *arch);
/* Decides that values hold thread IDs, which other evidence has proved. */
void contextid_are_threads(struct contextid *c);
/* True if no more evidence is needed. */
static inline bool contextid_decided(const struct contextid *c)
{
	return c->forced || c->decided == CONTEXTID_TID || c->decided == CONTEXTID_TID_ASID;
}

/* True if the answer for a value depends on `running`, for which the trace may have to be searched. */
bool contextid_needs_running(const struct contextid *c, uint32_t value, unsigned int bits, const struct contextid_evidence *ev);
/* Returns the format of a value of which `bits` are traced. */
enum contextid_format contextid_choose(struct contextid *c, uint32_t value, unsigned int bits,
				       const struct contextid_evidence *ev);

/* Parses "auto", "tid", "tid-asid", "asid" or "none". Returns false for another text. */
bool contextid_parse(const char *text, enum contextid_format *format);
const char *contextid_name(enum contextid_format format);

#endif
