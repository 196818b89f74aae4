/* SPDX-License-Identifier: GPL-2.0-only */
/* line.h - the line being written: who, when and where, field by field, in the format of perf script. */
#ifndef CSTRACE_OUTPUTS_LISTING_LINE_H
#define CSTRACE_OUTPUTS_LISTING_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/name.h"
#include "machine/tasks/comms.h"
#include "outputs/listing/listing.h"
#include "outputs/listing/srcline.h"
#include "outputs/listing/symbols.h"
#include "outputs/synth/ipc.h"
#include "outputs/synth/merge.h"
#include "outputs/synth/text.h"
#include "session/decode/stream.h"

/* Maximum size of a line's fixed part, and of an entry of a branch stack or call chain, without names. */
#define LINE_ROOM	512u

/* The thread of a line. */
struct line_who {
	int pid, tid, cpu;
	int machine;	/* process of the host that runs the guest; -1: no guest, or not known */
	uint16_t vm;		/* struct stream.vm */
};

/* Of `host` and `vm` of a sample in a guest or not. */
static inline int line_machine(bool guest, const struct host_thread *host)
{
	return guest ? host->pid : -1;
}

static inline bool line_same_who(const struct line_who *a, const struct line_who *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->cpu == b->cpu &&
	       a->machine == b->machine && a->vm == b->vm;
}

/* Text that is common to lines of the same thread, CPU, event and printed time. */
struct line_start {
	bool known;		/* else there is none */
	size_t len;		/* 0: no such field is printed */
	uint64_t time;		/* in the printed unit */
	uint64_t from, until;	/* span in which the thread has this name */
	uint64_t period;
	const char *event;
	struct line_who who;
	char text[256];
};

/* Text of one value of the field "flags". */
struct flags_text {
	unsigned int flags;
	uint8_t len;		/* 0: empty */
	char text[2 * TEXT_SPARE];
};

#define FLAGS_TEXTS 64u

/* Names of the source of an open branch. */
struct line_last {
	uint64_t addr;
	uint64_t thread;	/* session_thread_key() */
	struct symbol_at at;
};

struct line {
	unsigned int fields;
	size_t event_width;
	struct comms *comms;
	struct symbols *symbols; /* NULL: none are printed */
	struct srclines *srclines; /* with the field "srcline", else NULL */
	struct line_start start;
	struct flags_text flags[FLAGS_TEXTS];
	/* the line being written; p is in the piece ln->cur */
	struct line_last *last;	/* source of its branch, if that was open before the batch; NULL: none */
	struct merge_lane *ln;
	char *p;
};

/* Begins a line at `time` in the lane. */
static inline void line_begin(struct line *l, struct merge_lane *ln, struct line_last *last, uint64_t time)
{
	l->ln = ln;
	l->last = last;
	l->p = merge_reserve(ln, time);
}

static inline void line_end(struct line *l)
{
	*l->p++ = '\n';
	merge_commit(l->ln, (size_t)(l->p - (char *)l->ln->cur));
}

/* Makes room for `n` bytes, n <= MERGE_PIECE; a long line consists of several pieces. */
static inline void line_room(struct line *l, size_t n)
{
	if ((size_t)((char *)l->ln->end - l->p) >= n)
		return;
	merge_commit(l->ln, (size_t)(l->p - (char *)l->ln->cur));
	l->p = merge_reserve(l->ln, l->ln->time);
}

/* Appends `n` bytes of text without control characters, aligned to the right. */
static inline void line_text(struct line *l, const char *s, size_t n, size_t width)
{
	l->p = text_pad(l->p, n, width, ' ');
	if (n > MERGE_PIECE / 2)
		n = MERGE_PIECE / 2;
	line_room(l, n + LINE_ROOM);
	l->p = text_bytes(l->p, s, n);
}

/* Appends a recorded name; `plain` is its name_plain_len(). */
static inline void line_name(struct line *l, const char *s, size_t plain, size_t width)
{
	if (!plain) {
		s = name_shown(s);
		plain = strlen(s);
	}
	line_text(l, s, plain, width);
}

static inline void line_string(struct line *l, const char *s)
{
	line_text(l, s, strlen(s), 0);
}

/* In the printed unit: nanoseconds or microseconds. */
static inline uint64_t line_shown_time(const struct line *l, uint64_t time)
{
	return l->fields & LIST_NS ? time : time / 1000;
}

/* As line_start(), for a start that is not the one of the line before. */
void line_start_new(struct line *l, const struct line_who *who, uint64_t time, bool with_chain,
		    uint64_t period, const char *event);

/* Prints a line up to and including its event. */
static inline void line_start(struct line *l, const struct line_who *who, uint64_t time,
			      bool with_chain, uint64_t period, const char *event)
{
	const struct line_start *start = &l->start;

	if (start->known && start->time == line_shown_time(l, time) && time >= start->from &&
	    time < start->until && line_same_who(&start->who, who) && start->event == event &&
	    start->period == period && !with_chain)
		l->p = text_short(l->p, start->text, start->len);
	else
		line_start_new(l, who, time, with_chain, period, event);
}

void line_flags_new(struct flags_text *t, unsigned int flags);

/* The field "flags": values of perf's PERF_IP_FLAG_x. */
static inline void line_flags(struct line *l, unsigned int flags)
{
	struct flags_text *t = &l->flags[(flags ^ flags >> 5) % FLAGS_TEXTS];

	if (!(l->fields & LIST_FLAGS))
		return;
	if (!t->len || t->flags != flags)
		line_flags_new(t, flags);
	l->p = text_short(l->p, t->text, t->len);
}

/* File of an address. */
void line_dso(struct line *l, const struct symbol_names *names);
/* The thread that the stream executes, for the functions below. */
static inline uint64_t line_thread(const struct stream *s)
{
	return session_thread_key(s->tid, s->guest, s->host);
}

/*
 * Returns symbol and file of an address that a thread (session_thread_key()) executed, valid until
 * the next call.
 */
static inline struct symbol_ref line_find(struct line *l, const struct stream *s, uint64_t addr,
					  uint64_t thread)
{
	struct line_last *last = l->last;
	size_t number = SYMBOLS_CACHE;

	/* names of an open branch's source: an exception or a switch may have changed the address space */
	if (last && last->addr == addr && last->thread == thread && addr)
		return (struct symbol_ref){ &last->at, NULL };
	if (thread != line_thread(s))
		return (struct symbol_ref){ &l->symbols->slot[number], NULL };
	number = symbols_number(addr);
	return (struct symbol_ref){ symbols_find(l->symbols, s, addr), &l->symbols->text[number] };
}

/* The fields of symbol and file. `text`: where their text is kept; NULL: it is not. */
void line_symbol(struct line *l, const struct symbol_names *names, struct symbol_text *text);

/*
 * The fields of symbol and file of an address that a thread executed: line_symbol(), if they are
 * printed.
 */
void line_find_symbol(struct line *l, const struct stream *s, uint64_t addr, uint64_t thread);
static inline void line_names(struct line *l, const struct stream *s, uint64_t addr,
			      uint64_t thread)
{
	if (l->fields & LISTING_NAMES)
		line_find_symbol(l, s, addr, thread);
}
/*
 * The field "srcline" of an address that a thread executed, with `before` in front of it; nothing
 * for an unknown file.
 */
void line_source(struct line *l, const struct stream *s, uint64_t addr, uint64_t thread,
		 const char *before);
/* The field "ipc"; nothing without instructions or cycles. */
void line_ipc(struct line *l, struct ipc ipc);

#endif
